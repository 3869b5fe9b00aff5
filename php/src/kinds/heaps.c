/* heaps.c - stores objects of SplMinHeap, SplMaxHeap, SplPriorityQueue and their subclasses. They
 * have no hooks, so PHP's serializer would lose the elements. In a version of PHP whose heaps have
 * hooks, this file is not used.
 *
 * The elements are stored and inserted in the heap's internal order, so each keeps its position,
 * even among equal ones. A restored heap is never marked as corrupted, even if the original was. */
#include "kinds/builtin.h"
#include "ext/spl/spl_heap.h"

enum { HEAP_FLAGS, HEAP_ELEMENTS, HEAP_PROPERTIES };

static const zend_class_entry *heap_base(const zend_class_entry *ce)
{
    while (ce != NULL && ce != spl_ce_SplHeap && ce != spl_ce_SplPriorityQueue)
        ce = ce->parent;
    return ce;
}

/* Find a method in the nearest ancestor that is a class of PHP itself, for example SplMinHeap. This
 * finds the method even if the setting disable_classes has removed the methods of SplHeap. */
static zend_function *heap_method(const zend_object *object, const char *name, size_t length)
{
    const zend_class_entry *ce = object->ce;
    while (ce->type == ZEND_USER_CLASS)
        ce = ce->parent;
    return zend_hash_str_find_ptr(&ce->function_table, name, length);
}

/* Return true if the class is a heap without hooks. */
static LARDER_HOT bool heap_is(zend_class_entry *ce)
{
    return heap_base(ce) != NULL && ce->__serialize == NULL && ce->__unserialize == NULL &&
           ce->serialize == NULL && ce->unserialize == NULL &&
           !(ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) &&
           !zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep")) &&
           !zend_hash_str_exists(&ce->function_table, ZEND_STRL("__wakeup"));
}

/* Return a private property of a heap from `info`, the array of the engine's __debugInfo(). */
static const zval *heap_told(const zval *info, const zend_class_entry *base, const char *name)
{
    zend_string *key = zend_mangle_property_name(ZSTR_VAL(base->name), ZSTR_LEN(base->name), name,
                                                 strlen(name), false);
    const zval *value = zend_hash_find(Z_ARR_P(info), key);
    zend_string_release(key);
    return value;
}

/* Make an array of the heap's flags, its elements in internal order, and its properties. */
static bool heap_state(zend_object *object, zval *state)
{
    const zend_class_entry *base = heap_base(object->ce);
    zval info, flags, elements, properties;
    ZVAL_UNDEF(state);
    if (!larder_builtin_call(object, heap_method(object, ZEND_STRL("__debuginfo")), NULL, &info))
        return false;
    const zval *told_flags = heap_told(&info, base, "flags"),
               *told = heap_told(&info, base, "heap");
    ZVAL_LONG(&flags,
              told_flags != NULL && Z_TYPE_P(told_flags) == IS_LONG ? Z_LVAL_P(told_flags) : 0);
    if (told != NULL && Z_TYPE_P(told) == IS_ARRAY)
        ZVAL_COPY(&elements, told);
    else
        ZVAL_EMPTY_ARRAY(&elements);
    ZVAL_ARR(&properties, zend_array_dup(zend_std_get_properties(object)));
    zval_ptr_dtor(&info);
    array_init_size(state, 3);
    zend_hash_next_index_insert_new(Z_ARR_P(state), &flags);
    zend_hash_next_index_insert_new(Z_ARR_P(state), &elements);
    zend_hash_next_index_insert_new(Z_ARR_P(state), &properties);
    return true;
}

static void heap_insert_all(zend_object *object, const zend_class_entry *base, HashTable *elements)
{
    zend_function *insert = heap_method(object, ZEND_STRL("insert"));
    zval *element, answer, arguments[2];
    ZEND_HASH_FOREACH_VAL(elements, element)
        ZVAL_DEREF(element);
        if (base == spl_ce_SplPriorityQueue) {
            if (Z_TYPE_P(element) != IS_ARRAY)
                continue;
            const zval *data = zend_hash_str_find(Z_ARR_P(element), ZEND_STRL("data"));
            const zval *priority = zend_hash_str_find(Z_ARR_P(element), ZEND_STRL("priority"));
            if (data == NULL || priority == NULL)
                continue;
            ZVAL_COPY_VALUE(arguments, data);
            ZVAL_COPY_VALUE(arguments + 1, priority);
            zend_call_known_function(insert, object, object->ce, &answer, 2, arguments, NULL);
        } else {
            /* If disable_classes disables SplHeap, PHP has freed the description of the method's
             * parameters. zend_call_known_function() would read this description;
             * larder_builtin_call() does not. */
            larder_builtin_call(object, insert, element, &answer);
        }
        if (UNEXPECTED(EG(exception)))
            return;
        zval_ptr_dtor(&answer);
    ZEND_HASH_FOREACH_END();
}

/* Set the properties of an object. The engine does not check their types here. Only PHP references
 * are checked, because a hook may have changed their values. If the value of a reference fits the
 * type of its property, bind the reference to this type. Otherwise leave the property
 * uninitialised. */
static void heap_set_properties(zend_object *object, HashTable *properties)
{
    /* Act as a method of the class. Otherwise the engine would create an undeclared property
     * instead of setting a protected one. */
    __typeof__(EG(fake_scope)) scope = EG(fake_scope);
    EG(fake_scope) = object->ce;
    object_properties_load(object, properties);
    EG(fake_scope) = scope;
    for (int i = 0; i < object->ce->default_properties_count; i++) {
        zval *slot = object->properties_table + i;
        zend_property_info *info = object->ce->properties_info_table[i];
        if (!Z_ISREF_P(slot) || info == NULL || !ZEND_TYPE_IS_SET(info->type))
            continue;
        if (EG(exception) || zend_verify_prop_assignable_by_ref(info, slot, true)) {
            ZEND_REF_ADD_TYPE_SOURCE(Z_REF_P(slot), info);
        } else {
            zval_ptr_dtor(slot);
            ZVAL_UNDEF(slot);
        }
    }
}

/* Restore a heap from a state that may be forged. compare() may read the properties, so set them
 * first. */
static void heap_restore(zend_object *object, const zval *state)
{
    const zend_class_entry *base = heap_base(object->ce);
    zval *flags = zend_hash_index_find(Z_ARR_P(state), HEAP_FLAGS);
    const zval *elements = zend_hash_index_find(Z_ARR_P(state), HEAP_ELEMENTS);
    const zval *properties = zend_hash_index_find(Z_ARR_P(state), HEAP_PROPERTIES);
    if (flags == NULL || elements == NULL || properties == NULL || base == NULL ||
        Z_TYPE_P(elements) != IS_ARRAY || Z_TYPE_P(properties) != IS_ARRAY)
        return;
    heap_set_properties(object, Z_ARR_P(properties));
    if (base == spl_ce_SplPriorityQueue && !EG(exception)) {
        zval answer;
        if (larder_builtin_call(object, heap_method(object, ZEND_STRL("setextractflags")), flags,
                                &answer))
            zval_ptr_dtor(&answer);
    }
    if (!EG(exception))
        heap_insert_all(object, base, Z_ARR_P(elements));
}

static bool heap_is_filled(zend_object *object)
{
    zval answer;
    if (!larder_builtin_call(object, heap_method(object, ZEND_STRL("count")), NULL, &answer))
        return false;
    return Z_LVAL(answer) != 0;
}

static zval *heap_held(const zval *state)
{
    zval *elements = zend_hash_index_find(Z_ARR_P(state), HEAP_ELEMENTS);
    return elements != NULL && Z_TYPE_P(elements) == IS_ARRAY ? elements : NULL;
}

const larder_object_kind larder_object_kind_heap = {
    .node = LARDER_NODE_STATE,
    .is = heap_is,
    .state = heap_state,
    .restore = heap_restore,
    .is_dropped = heap_is_filled,
    .held = heap_held,
};
