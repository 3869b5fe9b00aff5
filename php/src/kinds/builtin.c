/* builtin.c - decides whether a class or an object belongs to a kind (see builtin.h). Read
 * larder_builtin_of() first.
 *
 * A subclass belongs to the kind of its PHP class if it overrides no hook, and __unserialize() can
 * restore all of its properties. Only the array of __serialize() (LARDER_NODE_STATE) restores
 * readonly properties, properties with hooks, and PHP references. */
#include "kinds/builtin.h"
#include "zend_exceptions.h"
#include "zend_observer.h"

#define BUILTIN_ROW(NAME, name) [LARDER_BUILTIN_##NAME] = &larder_object_kind_##name,
static const larder_object_kind builtin_none;
const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS] = {
    [LARDER_BUILTIN_NONE] = &builtin_none, LARDER_OBJECT_KINDS(BUILTIN_ROW)};

static bool builtin_same_hook(const zend_function *own, const zend_function *base)
{
    return own != NULL && base != NULL && own->type == ZEND_INTERNAL_FUNCTION &&
           own->internal_function.handler == base->internal_function.handler;
}

static LARDER_HOT bool builtin_is_internal(const larder_object_kind *kind,
                                           const zend_string *property)
{
    if (kind->internal == NULL)
        return false;
    for (const char *const *known = kind->internal; *known != NULL; known++)
        if (zend_string_equals_cstr(property, *known, strlen(*known)))
            return true;
    return false;
}

static bool builtin_slots_fit(const zend_class_entry *ce, const larder_object_kind *kind)
{
    if (kind->fits != NULL && !kind->fits(ce))
        return false;
    /* do not check the slots, because the array from __serialize() contains all properties */
    if (kind->node == LARDER_NODE_STATE)
        return true;
    uint32_t unusual = ZEND_ACC_READONLY;
#if PHP_VERSION_ID >= 80400
    unusual |= ZEND_ACC_PPP_SET_MASK | ZEND_ACC_VIRTUAL;
    if (ce->num_hooked_props != 0)
        return false;
#endif
    for (int slot = (int)kind->made; slot < ce->default_properties_count; slot++) {
        const zend_property_info *info = ce->properties_info_table[slot];
        if (info == NULL || (info->flags & unusual) || builtin_is_internal(kind, info->name))
            return false;
    }
    return true;
}

LARDER_HOT larder_builtin larder_builtin_of(zend_class_entry *ce)
{
    const zend_class_entry *base = ce;
    while (base->type == ZEND_USER_CLASS && base->parent != NULL)
        base = base->parent;
    if (base->type == ZEND_USER_CLASS)
        return LARDER_BUILTIN_NONE;
    for (int i = LARDER_BUILTIN_NONE + 1; i < LARDER_BUILTINS; i++) {
        const larder_object_kind *kind = larder_object_kinds[i];
        if (kind->is != NULL && kind->is(ce))
            return (larder_builtin)i;
        if (kind->is_base != NULL && kind->is_base(base) &&
            ce->create_object == base->create_object &&
            builtin_same_hook(ce->__serialize, base->__serialize) &&
            builtin_same_hook(ce->__unserialize, base->__unserialize))
            return builtin_slots_fit(ce, kind) ? (larder_builtin)i : kind->otherwise;
    }
    return LARDER_BUILTIN_NONE;
}

LARDER_HOT bool larder_properties_added(larder_builtin builtin, const HashTable *properties)
{
    const larder_object_kind *kind = larder_object_kinds[builtin];
    for (uint32_t i = 0; i < properties->nNumUsed; i++) {
        const Bucket *bucket = properties->arData + i;
        if (Z_TYPE(bucket->val) == IS_INDIRECT || Z_TYPE(bucket->val) == IS_UNDEF)
            continue;
        if (bucket->key == NULL || !builtin_is_internal(kind, bucket->key))
            return true;
    }
    return false;
}

/* Return true if an object can be stored as its content and its declared properties. */
static bool builtin_takes(larder_builtin builtin, zend_object *object)
{
    for (int slot = 0; slot < object->ce->default_properties_count; slot++)
        if (Z_ISREF(object->properties_table[slot]))
            return false;
    return !larder_has_added(builtin, object) && larder_object_kinds[builtin]->takes(object);
}

larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object)
{
    const larder_object_kind *kind = larder_object_kinds[builtin];
    if (kind->takes == NULL ? kind->state == NULL : builtin_takes(builtin, object))
        return builtin;
    return kind->otherwise;
}

bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result)
{
    uint32_t count = argument != NULL;
    ZVAL_NULL(result);
    if (UNEXPECTED(EG(exception)))
        return false;
    if (UNEXPECTED(zend_execute_internal != NULL) || UNEXPECTED(EG(current_execute_data) == NULL)) {
        /* The fast call below cannot be used here: it does not call zend_execute_internal, and it
         * needs the frame of a caller. */
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

/* Return true if a hook must be called by the engine's general function, not by the fast call of
 * this file. For example, the stack may overflow. */
static bool builtin_is_unusual(const zend_function *hook)
{
#ifdef ZEND_CHECK_STACK_LIMIT
    if (UNEXPECTED(zend_call_stack_overflowed(EG(stack_limit))))
        return true;
#endif
    const uint32_t flags = ZEND_ACC_DEPRECATED | ZEND_ACC_GENERATOR | ZEND_ACC_CALL_VIA_TRAMPOLINE |
                           ZEND_ACC_RETURN_REFERENCE;
    return UNEXPECTED(hook->common.fn_flags & flags) || UNEXPECTED(ZEND_OBSERVER_ENABLED) ||
           UNEXPECTED(ARG_SHOULD_BE_SENT_BY_REF(hook, 1)) || UNEXPECTED(EG(exception) != NULL) ||
           UNEXPECTED(EG(current_execute_data) == NULL);
}

void larder_user_call(zend_object *object, zend_function *method, zval *argument, zval *result)
{
    uint32_t count = argument != NULL;
    zval unused;
    if (UNEXPECTED(builtin_is_unusual(method))) {
        zend_call_known_function(method, object, object->ce, result, count, argument, NULL);
        return;
    }
    zval *answer = result != NULL ? result : &unused;
    __typeof__(EG(fake_scope)) scope = EG(fake_scope);
    uint32_t trace = EG(jit_trace_num);
    zend_execute_data *call = zend_vm_stack_push_call_frame(
        ZEND_CALL_TOP_FUNCTION | ZEND_CALL_DYNAMIC | ZEND_CALL_HAS_THIS, method, count, object);
    if (argument != NULL)
        ZVAL_COPY(ZEND_CALL_ARG(call, 1), argument);
    ZVAL_UNDEF(answer);
    EG(fake_scope) = NULL;
    zend_init_func_execute_data(call, &method->op_array, answer);
    zend_execute_ex(call);
    EG(jit_trace_num) = trace;
    EG(fake_scope) = scope;
    zend_vm_stack_free_call_frame(call);
    if (EXPECTED(!EG(exception))) {
        if (result == NULL)
            zval_ptr_dtor(&unused);
        return;
    }
    /* Free the method's result. The method may have returned a value, and then the destructor of
     * one of its local variables may have thrown the exception. */
    zval_ptr_dtor(answer);
    ZVAL_UNDEF(answer);
    /* If the calling frame runs PHP code, it must continue at ZEND_HANDLE_EXCEPTION instead of its
     * next instruction. */
    if (EG(current_execute_data)->func != NULL &&
        ZEND_USER_CODE(EG(current_execute_data)->func->type))
        zend_rethrow_exception(EG(current_execute_data));
}
