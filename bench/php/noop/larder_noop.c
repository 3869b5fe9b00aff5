/* larder_noop.c - the baseline of micro.php: an internal static method that takes one string and
 * does nothing. The work of a fetch is its time minus the time of this call. For tests only. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "php.h"

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_call, 0, 1, IS_MIXED, 0)
    ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

static ZEND_METHOD(LarderBench_Noop, call)
{
    zend_string *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    (void)key;
}

static const zend_function_entry noop_methods[] = {
    ZEND_ME(LarderBench_Noop, call, arginfo_call, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC) ZEND_FE_END};

static PHP_MINIT_FUNCTION(larder_noop)
{
    zend_class_entry ce;
    INIT_CLASS_ENTRY(ce, "LarderBench\\Noop", noop_methods);
    zend_register_internal_class(&ce);
    return SUCCESS;
}

zend_module_entry larder_noop_module_entry = {
    STANDARD_MODULE_HEADER,
    "larder_noop",
    NULL,
    PHP_MINIT(larder_noop),
    NULL,
    NULL,
    NULL,
    NULL,
    "1",
    STANDARD_MODULE_PROPERTIES,
};

ZEND_GET_MODULE(larder_noop)
