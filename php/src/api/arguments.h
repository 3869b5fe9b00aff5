/* arguments.h - keys, times and lists of keys as PHP code gives them. */
#ifndef LARDER_API_ARGUMENTS_H
#define LARDER_API_ARGUMENTS_H

#include "php_larder.h"
#include "stores/settings.h"

bool larder_key_check(const zend_string *key, uint32_t argument);
/* Check a key that is an element of an array of keys. `argument` is the position of the array among
 * the arguments. Returns false after a ValueError. */
bool larder_keys_check(const zend_string *key, uint32_t argument);
/* Throw a ValueError about a key in an array. */
void larder_keys_length_error(size_t length, size_t max, uint32_t argument) ZEND_COLD;
/* Convert seconds to milliseconds. A time between 0 and 1 ms becomes 1 ms. Returns false after a
 * ValueError. */
bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds);
/* Set *form to the form with this name, or to LARDER_FORM_UNSET if `name` is NULL. If there is no
 * such form, throws a ValueError and returns false. */
bool larder_form_check(const zend_string *name, uint32_t argument, larder_form *form);
/* Return the number of arguments that the running method declares. Methods that share a body may
 * declare different numbers. */
static zend_always_inline uint32_t larder_arguments_max(const zend_execute_data *execute_data)
{
    return execute_data->func->common.num_args;
}
/* Return the key that an element of an array contains; the caller must release it. Returns NULL if
 * an exception is set. */
zend_string *larder_key_of(zval *element, uint32_t argument);
/* Throw a StaticCacheException. Its message consists of `before`, the escaped key in quotes,
 * `after`, and `detail` unless that is NULL. */
void larder_throw_about_key(const char *before, const zend_string *key, const char *after,
                            const char *detail) ZEND_COLD;

#endif
