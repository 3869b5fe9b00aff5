/* arguments.h - keys, times and lists of keys as PHP code gives them. */
#ifndef LARDER_API_ARGUMENTS_H
#define LARDER_API_ARGUMENTS_H

#include "php_larder.h"
#include "stores/settings.h"

bool larder_key_check(const zend_string *key, uint32_t argument);
/* Check a key of an array that is the argument. */
bool larder_keys_check(const zend_string *key, uint32_t argument);
/* Throw an error: a key in an array is too long, or empty. */
void larder_keys_length_error(size_t length, size_t max, uint32_t argument) ZEND_COLD;
/* Convert a time in seconds to milliseconds. 0 stays 0; less than 1 ms becomes 1 ms. Throws a
 * ValueError. */
bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds);
/* Return the form that an argument names; NULL means LARDER_FORM_UNSET. Throws a ValueError. */
bool larder_form_check(const zend_string *name, uint32_t argument, larder_form *form);
/* The most arguments that the called method takes. A method of another cache may declare fewer than
 * the method of Larder that is its implementation. */
static zend_always_inline uint32_t larder_arguments_max(const zend_execute_data *execute_data)
{
    return execute_data->func->common.num_args;
}
/* Return an element of an array of keys as a string, which the caller releases. Throws. */
zend_string *larder_key_of(zval *element, uint32_t argument);
/* Throw a StaticCacheException whose message contains a key, of which no byte can act as a command
 * to the terminal that shows it. before, after: the text around the quoted key; detail: appended,
 * or NULL. */
void larder_throw_about_key(const char *before, const zend_string *key, const char *after,
                            const char *detail) ZEND_COLD;

#endif
