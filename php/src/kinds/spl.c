/* spl.c - reads the content of an ArrayObject, ArrayIterator, SplFixedArray or linked list, and
 * decides whether it can be stored. */
#include "kinds/builtin.h"
#include "kinds/spl_layout.h"
#include <stdatomic.h>
#include "ext/spl/spl_array.h"
#include "ext/spl/spl_dllist.h"
#include "ext/spl/spl_fixedarray.h"
#include "ext/spl/spl_observer.h"

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

/* Find a method of ArrayObject, and keep its address in *kept for the life of the process. */
static zend_function *spl_method(zend_function *_Atomic *kept, const char *name, size_t length)
{
    zend_function *method = atomic_load_explicit(kept, memory_order_relaxed);
    if (UNEXPECTED(method == NULL)) {
        method = zend_hash_str_find_ptr(&spl_ce_ArrayObject->function_table, name, length);
        atomic_store_explicit(kept, method, memory_order_relaxed);
    }
    return method;
}

/* Return true if an ArrayObject or ArrayIterator has no flags, and no iterator class of its own.
 * Calls the methods of PHP's own class, even if a subclass overrides them. */
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

/* Return true if an object differs from a new one only in its array and the position of its
 * iteration. */
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

static bool spl_array_takes(zend_object *object)
{
    const larder_spl_form *form = larder_spl_form_find(object->ce);
    return form != NULL && spl_takes_array(form, object);
}

static bool spl_fixed_takes(zend_object *object)
{
    return larder_spl_form_find(object->ce) != NULL && object->ce->default_properties_count == 0;
}

static bool spl_list_takes(zend_object *object) { return larder_spl_form_find(object->ce) != NULL; }

/* ---- the kinds ---- */

static LARDER_HOT bool spl_is_array(const zend_class_entry *base)
{
    return base == spl_ce_ArrayObject || base == spl_ce_ArrayIterator;
}

static LARDER_HOT bool spl_is_fixed(const zend_class_entry *base)
{
    return base == spl_ce_SplFixedArray;
}

static LARDER_HOT bool spl_is_list(const zend_class_entry *base)
{
    return base == spl_ce_SplDoublyLinkedList || base == spl_ce_SplQueue || base == spl_ce_SplStack;
}

static LARDER_HOT bool spl_is_told(const zend_class_entry *base)
{
    return base == spl_ce_SplObjectStorage;
}

/* Return false if a class overrides getHash(), which SplObjectStorage::__unserialize() calls for
 * objects that may be incomplete. */
static bool spl_told_fits(const zend_class_entry *ce)
{
    const zend_function *hash = zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("gethash"));
    return hash == NULL || hash->type == ZEND_INTERNAL_FUNCTION;
}

const larder_object_kind larder_object_kind_array = {
    .node = LARDER_NODE_WRAP, .is_base = spl_is_array, .takes = spl_array_takes};

const larder_object_kind larder_object_kind_fixed = {
    .node = LARDER_NODE_LIST, .is_base = spl_is_fixed, .takes = spl_fixed_takes};

const larder_object_kind larder_object_kind_list = {.node = LARDER_NODE_LIST,
                                                    .otherwise = LARDER_BUILTIN_TOLD,
                                                    .is_base = spl_is_list,
                                                    .takes = spl_list_takes};

/* Objects that are stored as the array from PHP's own __serialize(). This __serialize() runs no
 * user code. */
const larder_object_kind larder_object_kind_told = {
    .node = LARDER_NODE_STATE, .is_base = spl_is_told, .fits = spl_told_fits};
