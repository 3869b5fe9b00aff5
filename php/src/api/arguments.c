/* arguments.c - checks keys and times that are given as arguments. An error names the argument. */
#include "api/arguments.h"
#include "format/format.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

bool larder_key_check(const zend_string *key, uint32_t argument)
{
    if (EXPECTED(ZSTR_LEN(key) - 1 < LRD_KEY_MAX) &&
        EXPECTED(!larder_key_reserved(ZSTR_VAL(key), ZSTR_LEN(key))))
        return true;
    if (ZSTR_LEN(key) - 1 < LRD_KEY_MAX)
        zend_argument_value_error(argument, "must not begin with \"\\0lrd\", which is reserved");
    else
        zend_argument_value_error(argument, "must be between 1 and %u bytes long, %zu given",
                                  LRD_KEY_MAX, ZSTR_LEN(key));
    return false;
}

bool larder_keys_check(const zend_string *key, uint32_t argument)
{
    if (UNEXPECTED(ZSTR_LEN(key) - 1 >= LRD_KEY_MAX))
        larder_keys_length_error(ZSTR_LEN(key), LRD_KEY_MAX, argument);
    else if (UNEXPECTED(larder_key_reserved(ZSTR_VAL(key), ZSTR_LEN(key))))
        zend_argument_value_error(
            argument, "must not contain keys that begin with \"\\0lrd\", which is reserved");
    else
        return true;
    return false;
}

void larder_keys_length_error(size_t length, size_t max, uint32_t argument)
{
    if (length == 0)
        zend_argument_value_error(argument, "must not contain an empty key");
    else
        zend_argument_value_error(
            argument, "must contain keys between 1 and %zu bytes long, %zu given", max, length);
}

LARDER_HOT bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds)
{
    *milliseconds = 0;
    if (seconds == NULL)
        return true;
    double value = Z_TYPE_P(seconds) == IS_LONG ? (double)Z_LVAL_P(seconds) : Z_DVAL_P(seconds);
    if (!zend_finite(value)) {
        zend_argument_value_error(argument, "must be a finite number of seconds");
        return false;
    }
    if (value < 0) {
        zend_argument_value_error(argument, "must be greater than or equal to 0");
        return false;
    }
    if (value >= 9e15)
        *milliseconds = (uint64_t)9e18;
    else if (value > 0)
        *milliseconds = value * 1000 < 1 ? 1 : (uint64_t)(value * 1000);
    return true;
}

zend_string *larder_key_of(zval *element, uint32_t argument)
{
    ZVAL_DEREF(element);
    if (Z_TYPE_P(element) == IS_LONG)
        return zend_long_to_str(Z_LVAL_P(element));
    if (Z_TYPE_P(element) != IS_STRING) {
        zend_argument_type_error(argument,
                                 "must be an array of keys of type string or int, %s given",
                                 zend_zval_type_name(element));
        return NULL;
    }
    return larder_keys_check(Z_STR_P(element), argument) ? zend_string_copy(Z_STR_P(element))
                                                         : NULL;
}

bool larder_form_check(const zend_string *name, uint32_t argument, larder_form *form)
{
    *form = LARDER_FORM_UNSET;
    if (EXPECTED(name == NULL))
        return true;
    if (strlen(ZSTR_VAL(name)) == ZSTR_LEN(name))
        *form = larder_form_of(ZSTR_VAL(name));
    if (*form == LARDER_FORM_UNSET)
        zend_argument_value_error(
            argument, "must be \"auto\", \"ready\" or \"packed\", \"%s\" given", ZSTR_VAL(name));
    return *form != LARDER_FORM_UNSET;
}

void larder_throw_about_key(const char *before, const zend_string *key, const char *after,
                            const char *detail)
{
    smart_str shown = {0};
    smart_str_append_escaped(&shown, ZSTR_VAL(key), ZSTR_LEN(key));
    smart_str_0(&shown);
    zend_throw_exception_ex(larder_exception_class, 0, "%s \"%s\" %s%s", before,
                            shown.s != NULL ? ZSTR_VAL(shown.s) : "", after,
                            detail != NULL ? detail : "");
    smart_str_free(&shown);
}
