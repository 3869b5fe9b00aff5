/* arguments.h - keys, times and lists of keys as PHP code gives them. */
#ifndef LARDER_API_ARGUMENTS_H
#define LARDER_API_ARGUMENTS_H

#include "php_larder.h"
#include "stores/settings.h"

bool larder_key_check(const zend_string *key, uint32_t argument);
/* Check a key in an array, which is the argument with the number `argument`. */
bool larder_keys_check(const zend_string *key, uint32_t argument);
/* Throw an error: a key in an array is empty or too long. */
void larder_keys_length_error(size_t length, size_t max, uint32_t argument) ZEND_COLD;
/* Convert seconds to milliseconds. 0 stays 0, and a fraction of a millisecond becomes 1 ms. Returns
 * false after it has thrown a ValueError. */
bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds);
/* Find the form (ready or packed) with this name. If `name` is NULL, *form becomes
 * LARDER_FORM_UNSET. Returns false after it has thrown a ValueError. */
bool larder_form_check(const zend_string *name, uint32_t argument, larder_form *form);
/* Return how many arguments the called method declares. A method of another cache's API may declare
 * fewer than Larder's method that implements it. */
static zend_always_inline uint32_t larder_arguments_max(const zend_execute_data *execute_data)
{
    return execute_data->func->common.num_args;
}
/* Return an element of an array of keys as a string, which the caller releases. NULL: an exception
 * is set. */
zend_string *larder_key_of(zval *element, uint32_t argument);
/* Throw a StaticCacheException about a key, with the text before and after the quoted key. Control
 * characters of the key are escaped, because a terminal may show the message. detail: added at the
 * end; may be NULL. */
void larder_throw_about_key(const char *before, const zend_string *key, const char *after,
                            const char *detail) ZEND_COLD;

#endif
