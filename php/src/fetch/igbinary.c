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
    zend_function *unserialize = larder_igbinary_function("igbinary_unserialize");
    larder_serializer outer;
    zval text;
    int rc;
    if (unserialize != NULL)
        ZVAL_STRINGL(&text, value->data, value->size);
    LARDER_CALL(rc, lrd_release(store, value));
    (void)rc;
    if (unserialize == NULL)
        return false;
    ZVAL_NULL(result);
    larder_serializer_begin(&outer);
    zend_call_known_function(unserialize, NULL, NULL, result, 1, &text, NULL);
    larder_serializer_end(&outer);
    zval_ptr_dtor_str(&text);
    return !EG(exception);
}
