/* arguments.h - keys, times and lists of keys as PHP code gives them. */
#ifndef LARDER_API_ARGUMENTS_H
#define LARDER_API_ARGUMENTS_H

#include "php_larder.h"

/* Keys that begin with it are ours (pool.c): refused wherever something is written or asked for, and a get
 * finds nothing there that it may return, so that a hit need not look. */
#define LARDER_RESERVED "\0lrd"
static zend_always_inline bool larder_key_reserved(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= sizeof LARDER_RESERVED - 1 &&
           memcmp(key, LARDER_RESERVED, sizeof LARDER_RESERVED - 1) == 0;
}
bool larder_key_check(const zend_string *key, uint32_t argument);
/* A time in seconds as milliseconds; throws a ValueError. 0 stays 0, less than 1 ms becomes 1 ms. */
bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds);
/* An element of an array of keys as a string that the caller releases; throws. */
zend_string *larder_key_of(zval *element, uint32_t argument);

#endif
