/* igbinary.c - calls igbinary; see igbinary.h. */
#include "fetch/igbinary.h"
#include "request/serializer.h"

zend_function *larder_igbinary_function(const char *name)
{
    return zend_hash_str_exists(&module_registry, ZEND_STRL("igbinary"))
               ? zend_hash_str_find_ptr(EG(function_table), name, strlen(name))
               : NULL;
}

bool larder_igbinary_take(lrd_store *store, lrd_value *value, zval *result)
{
    zend_string *text = zend_string_init(value->data, value->size, 0);
    int rc;
    LARDER_CALL(rc, lrd_release(store, value));
    (void)rc;
    return larder_igbinary_restore(text, result);
}

bool larder_igbinary_restore(zend_string *bytes, zval *result)
{
    zend_function *unserialize = larder_igbinary_function("igbinary_unserialize");
    larder_serializer outer;
    zval text;
    ZVAL_STR(&text, bytes);
    ZVAL_NULL(result);
    if (unserialize == NULL) {
        zval_ptr_dtor_str(&text);
        return false;
    }
    larder_serializer_begin(&outer);
    zend_call_known_function(unserialize, NULL, NULL, result, 1, &text, NULL);
    larder_serializer_end(&outer);
    zval_ptr_dtor_str(&text);
    return !EG(exception);
}
