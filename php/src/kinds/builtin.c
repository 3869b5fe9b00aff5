/* builtin.c - decides which objects of PHP's own classes are stored by content. Read larder_builtin_of() first.
 *
 * A subclass takes part while the hooks are those of the engine, and while __unserialize() would set each
 * property to what it was: it assigns them one by one, which readonly properties, and hooks of properties,
 * may refuse, and it leaves out references. */
#include "kinds/builtin.h"
#include "ext/date/php_date.h"
#include "ext/spl/spl_array.h"
#include "ext/spl/spl_dllist.h"
#include "ext/spl/spl_fixedarray.h"
#include "ext/spl/spl_observer.h"

static larder_builtin builtin_base(const zend_class_entry *ce)
{
    if (ce == php_date_get_date_ce() || ce == php_date_get_immutable_ce())
        return LARDER_BUILTIN_DATE;
    if (ce == php_date_get_timezone_ce())
        return LARDER_BUILTIN_ZONE;
    if (ce == php_date_get_interval_ce())
        return LARDER_BUILTIN_INTERVAL;
    if (ce == php_date_get_period_ce())
        return LARDER_BUILTIN_PERIOD;
    if (ce == spl_ce_ArrayObject || ce == spl_ce_ArrayIterator)
        return LARDER_BUILTIN_ARRAY;
    if (ce == spl_ce_SplFixedArray)
        return LARDER_BUILTIN_FIXED;
    if (ce == spl_ce_SplDoublyLinkedList || ce == spl_ce_SplQueue || ce == spl_ce_SplStack)
        return LARDER_BUILTIN_LIST;
    return ce == spl_ce_SplObjectStorage ? LARDER_BUILTIN_TOLD : LARDER_BUILTIN_NONE;
}

static bool builtin_same_hook(const zend_function *own, const zend_function *base)
{
    return own != NULL && base != NULL && own->type == ZEND_INTERNAL_FUNCTION &&
           own->internal_function.handler == base->internal_function.handler;
}

/* __unserialize() of a SplObjectStorage calls it for each object, complete or not. */
static bool builtin_own_hash(const zend_class_entry *ce)
{
    const zend_function *hash = zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("gethash"));
    return hash != NULL && hash->type != ZEND_INTERNAL_FUNCTION;
}

static bool builtin_slots_fit(const zend_class_entry *ce, larder_builtin builtin)
{
    if (builtin == LARDER_BUILTIN_TOLD)
        return !builtin_own_hash(ce);
    uint32_t unusual = ZEND_ACC_READONLY;
#if PHP_VERSION_ID >= 80400
    unusual |= ZEND_ACC_PPP_SET_MASK | ZEND_ACC_VIRTUAL;
    if (ce->num_hooked_props != 0)
        return false;
#endif
    if (builtin == LARDER_BUILTIN_PERIOD && !larder_period_fits(ce))
        return false;
    for (int slot = (int)larder_builtin_made(builtin); slot < ce->default_properties_count;
         slot++) {
        const zend_property_info *info = ce->properties_info_table[slot];
        if (info == NULL || (info->flags & unusual) ||
            (larder_builtin_is_date(builtin) && larder_date_is_internal(builtin, info->name)))
            return false;
    }
    return true;
}

larder_builtin larder_builtin_of(const zend_class_entry *ce)
{
    const zend_class_entry *base = ce;
    while (base->type == ZEND_USER_CLASS && base->parent != NULL)
        base = base->parent;
    larder_builtin builtin = builtin_base(base);
    bool fits = builtin != LARDER_BUILTIN_NONE && ce->create_object == base->create_object &&
                builtin_same_hook(ce->__serialize, base->__serialize) &&
                builtin_same_hook(ce->__unserialize, base->__unserialize);
    if (fits && builtin_slots_fit(ce, builtin))
        return builtin;
    return fits && builtin == LARDER_BUILTIN_LIST ? LARDER_BUILTIN_TOLD : LARDER_BUILTIN_NONE;
}

bool larder_properties_added(larder_builtin builtin, const HashTable *properties)
{
    for (uint32_t i = 0; i < properties->nNumUsed; i++) {
        const Bucket *bucket = properties->arData + i;
        if (Z_TYPE(bucket->val) == IS_INDIRECT || Z_TYPE(bucket->val) == IS_UNDEF)
            continue;
        if (!larder_builtin_is_date(builtin) || bucket->key == NULL ||
            !larder_date_is_internal(builtin, bucket->key))
            return true;
    }
    return false;
}

/* Whether it is its content and its slots. */
static bool builtin_takes(larder_builtin builtin, zend_object *object)
{
    for (int slot = 0; slot < object->ce->default_properties_count; slot++)
        if (Z_ISREF(object->properties_table[slot]))
            return false;
    if (larder_has_added(builtin, object))
        return false;
    if (builtin == LARDER_BUILTIN_PERIOD)
        return larder_period_takes(object);
    return larder_builtin_is_date(builtin) ? larder_date_takes(builtin, object)
                                           : larder_spl_takes(builtin, object);
}

larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object)
{
    if (builtin == LARDER_BUILTIN_TOLD || builtin_takes(builtin, object))
        return builtin;
    return builtin == LARDER_BUILTIN_LIST ? LARDER_BUILTIN_TOLD : LARDER_BUILTIN_NONE;
}

bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result)
{
    uint32_t count = argument != NULL;
    ZVAL_NULL(result);
    if (UNEXPECTED(EG(exception)))
        return false;
    if (UNEXPECTED(zend_execute_internal != NULL) || UNEXPECTED(EG(current_execute_data) == NULL)) {
        /* Somebody looks on. */
        zend_call_known_function(method, object, object->ce, result, count, argument, NULL);
        return !EG(exception);
    }
    zend_execute_data *call = zend_vm_stack_push_call_frame(
        ZEND_CALL_TOP_FUNCTION | ZEND_CALL_HAS_THIS, method, count, object);
    if (argument != NULL)
        ZVAL_COPY(ZEND_CALL_ARG(call, 1), argument);
    call->prev_execute_data = EG(current_execute_data);
    EG(current_execute_data) = call;
    method->internal_function.handler(call, result);
    EG(current_execute_data) = call->prev_execute_data;
    zend_vm_stack_free_args(call);
    zend_vm_stack_free_call_frame(call);
    if (EXPECTED(!EG(exception)))
        return true;
    zval_ptr_dtor(result);
    ZVAL_UNDEF(result);
    return false;
}
