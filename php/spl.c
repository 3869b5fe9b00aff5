/* spl.c - the values of an ArrayObject, an ArrayIterator or a SplFixedArray. Their structures are private to
 * ext/spl; where the values are is what they tell the cycle collector. */
#include "builtin.h"
#include <stdatomic.h>
#include "ext/spl/spl_array.h"
#include "ext/spl/spl_fixedarray.h"

/* Where an ArrayObject has its array, bytes from the zend_object, which is behind it; 0: not known. To ask
 * each object would give each a table of properties. */
static _Atomic ptrdiff_t spl_array_at;

zval *larder_spl_fixed(zend_object *object, uint32_t *count)
{
    zval *values = NULL;
    int found = 0;
    object->handlers->get_gc(object, &values, &found);
    *count = (uint32_t)found;
    return values;
}

zval *larder_spl_array(zend_object *object)
{
    uint32_t count;
    ptrdiff_t at = atomic_load_explicit(&spl_array_at, memory_order_relaxed);
    if (EXPECTED(at != 0))
        return (zval *)(void *)((char *)object + at);
    zval *array = larder_spl_fixed(object, &count);
    at = (char *)array - (char *)object;
    if (count != 1 || at >= 0 || at < -(ptrdiff_t)object->handlers->offset)
        return NULL;
    atomic_store_explicit(&spl_array_at, at, memory_order_relaxed);
    return array;
}

/* A method of ArrayObject; what is found stays where it is as long as the process. */
static zend_function *spl_method(zend_function *_Atomic *kept, const char *name, size_t length)
{
    zend_function *method = atomic_load_explicit(kept, memory_order_relaxed);
    if (UNEXPECTED(method == NULL)) {
        method = zend_hash_str_find_ptr(&spl_ce_ArrayObject->function_table, name, length);
        atomic_store_explicit(kept, method, memory_order_relaxed);
    }
    return method;
}

/* Whether it is as new, but for its array. PHP's methods are asked, whatever the object's class has. */
static bool spl_takes_array(zend_object *object)
{
    static zend_function *_Atomic get_flags, *_Atomic get_iterator_class;
    zval answer;
    const zval *array = larder_spl_array(object);
    if (array == NULL || Z_TYPE_P(array) != IS_ARRAY ||
        !larder_builtin_call(object, spl_method(&get_flags, ZEND_STRL("getflags")), NULL,
                             &answer) ||
        Z_LVAL(answer) != 0)
        return false;
    if (!instanceof_function(object->ce, spl_ce_ArrayObject))
        return true;
    if (!larder_builtin_call(object, spl_method(&get_iterator_class, ZEND_STRL("getiteratorclass")),
                             NULL, &answer))
        return false;
    bool usual = zend_string_equals(Z_STR(answer), spl_ce_ArrayIterator->name);
    zval_ptr_dtor_str(&answer);
    return usual;
}

bool larder_spl_takes(larder_builtin builtin, zend_object *object)
{
    return builtin == LARDER_BUILTIN_ARRAY ? spl_takes_array(object)
                                           : object->ce->default_properties_count == 0;
}
