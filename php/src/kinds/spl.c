/* spl.c - reads the content of an ArrayObject, an ArrayIterator, a SplFixedArray or a list. */
#include "kinds/builtin.h"
#include "kinds/spl_layout.h"
#include <stdatomic.h>
#include "ext/spl/spl_array.h"

zval *larder_spl_array(const zend_object *object)
{
    return larder_spl_value(larder_spl_layout_of(LARDER_BUILTIN_ARRAY), object);
}

larder_spl_cursor larder_spl_open(larder_builtin builtin, const zend_object *object)
{
    const larder_spl_layout *layout = larder_spl_layout_of(builtin);
    const void *value = *(void *const *)larder_spl_value(layout, object);
    const void *more = larder_spl_more(layout, object);
    if (builtin == LARDER_BUILTIN_FIXED)
        return (larder_spl_cursor){.value = value, .left = (uint32_t) * (const zend_long *)more};
    const larder_spl_list *list = value;
    return (larder_spl_cursor){
        .element = list->first, .left = (uint32_t)list->count, .flags = *(const int *)more};
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

/* Whether it has no flags and the usual iterator class. PHP's methods are asked, whatever the object's class
 * has. */
static bool spl_is_usual(zend_object *object)
{
    static zend_function *_Atomic get_flags, *_Atomic get_iterator_class;
    zval answer;
    if (!larder_builtin_call(object, spl_method(&get_flags, ZEND_STRL("getflags")), NULL,
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

/* Whether it is as new, but for its array and an iteration. */
static bool spl_takes_array(const larder_spl_form *form, zend_object *object)
{
    if (Z_TYPE_P(larder_spl_array(object)) != IS_ARRAY)
        return false;
    const char *head = (const char *)object - form->layout->head;
    uint32_t array = form->layout->value_at, behind = array + sizeof(zval);
    if (EXPECTED(memcmp(head, form->head, array) == 0) &&
        EXPECTED(memcmp(head + behind, form->head + behind, form->layout->head - behind) == 0))
        return true;
    return spl_is_usual(object);
}

bool larder_spl_takes(larder_builtin builtin, zend_object *object)
{
    const larder_spl_form *form = larder_spl_form_find(object->ce);
    if (form == NULL)
        return false;
    if (builtin == LARDER_BUILTIN_ARRAY)
        return spl_takes_array(form, object);
    return builtin == LARDER_BUILTIN_LIST || object->ce->default_properties_count == 0;
}
