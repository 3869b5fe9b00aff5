/* states.c - calls __serialize() and __sleep() of the objects in a value, once each, before it is
 * measured: measuring and building must not run user code. Read larder_states_collect() first.
 *
 * Walks without recursion, depth first and in the order of PHP's serializer, so that hooks run in the
 * order they would there, and so that the order of leaving is the one in which unserialize() calls
 * __unserialize() and __wakeup(). A hook may change what is being walked: arrays are held (who writes to
 * them writes to a copy), objects are held and looked at slot by slot. What they have in the end is seen
 * by the measuring. */
#include "states.h"
#include "zend_exceptions.h"

/* What is being walked: an array, or the slots of an object and then its further properties. */
typedef struct states_level {
    zend_array *array;   /* held */
    zend_object *object; /* held by `seen` */
    larder_state *state; /* to be numbered when this is left */
    uint32_t next;
} states_level;

typedef struct states_walk {
    larder_states *states;
    states_level *levels;
    uint32_t depth, room, order;
    const larder_state *selected; /* the last one, and the class of its object */
    const zend_class_entry *selected_ce;
} states_walk;

static void states_drop(zval *held) { zval_ptr_dtor(held); }

static void states_end(zval *entry)
{
    larder_state *state = Z_PTR_P(entry);
    zval_ptr_dtor(&state->value);
    efree(state);
}

static void states_enter(states_walk *walk, zend_array *array, zend_object *object,
                         larder_state *state)
{
    if (walk->depth == walk->room) {
        walk->room = walk->room != 0 ? walk->room * 2 : 16;
        walk->levels = safe_erealloc(walk->levels, walk->room, sizeof *walk->levels, 0);
    }
    if (array != NULL)
        GC_TRY_ADDREF(array);
    walk->levels[walk->depth++] = (states_level){.array = array, .object = object, .state = state};
}

static void states_leave(states_walk *walk)
{
    states_level *level = walk->levels + --walk->depth;
    if (level->state != NULL)
        level->state->order = walk->order++;
    if (level->array != NULL)
        zend_array_release(level->array);
}

/* True: it was not seen yet. It is held from now on, so its address stays its own. */
static bool states_see(states_walk *walk, zval *value)
{
    zend_ulong address = (zend_ulong)(uintptr_t)Z_COUNTED_P(value);
    if (zend_hash_index_exists(&walk->states->seen, address))
        return false;
    Z_ADDREF_P(value);
    zend_hash_index_add_new(&walk->states->seen, address, value);
    return true;
}

static bool states_call(zend_object *object, const char *name, size_t length, zval *result)
{
    zend_function *hook = zend_hash_str_find_ptr(&object->ce->function_table, name, length);
    ZVAL_UNDEF(result);
    zend_call_known_function(hook, object, object->ce, result, 0, NULL, NULL);
    if (EG(exception))
        return false;
    if (Z_TYPE_P(result) == IS_ARRAY)
        return true;
    zend_type_error("%s::%.*s() must return an array", ZSTR_VAL(object->ce->name), (int)length,
                    name);
    zval_ptr_dtor(result);
    return false;
}

/* Whether one of the names is a slot's. */
static bool states_are_names(const zval *names, const zend_object *object, uint32_t slot)
{
    const zend_class_entry *ce = object->ce;
    const zend_property_info *info = ce->properties_info_table[slot];
    const char *class_name, *name;
    size_t length;
    const zval *chosen;
    if (info == NULL ||
        zend_unmangle_property_name_ex(info->name, &class_name, &name, &length) != SUCCESS)
        return false;
    bool own = info->ce == ce || !(info->flags & ZEND_ACC_PRIVATE);
    ZEND_HASH_FOREACH_VAL(Z_ARR_P(names), chosen)
        if (Z_TYPE_P(chosen) != IS_STRING)
            continue;
        if (zend_string_equals(Z_STR_P(chosen), info->name) ||
            (own && zend_string_equals_cstr(Z_STR_P(chosen), name, length)))
            return true;
    ZEND_HASH_FOREACH_END();
    return false;
}

bool larder_state_names(const larder_state *state, const zend_object *object, uint32_t slot)
{
    return slot < LARDER_STATE_SLOTS ? state->slots >> slot & 1
                                     : states_are_names(&state->value, object, slot);
}

/* Find the slots that __sleep() named. Most return the same array for each object of a class. */
static void states_select(states_walk *walk, const zend_object *object, larder_state *state)
{
    if (walk->selected != NULL && Z_ARR(walk->selected->value) == Z_ARR(state->value) &&
        walk->selected_ce == object->ce) {
        state->named = walk->selected->named;
        state->slots = walk->selected->slots;
        return;
    }
    for (uint32_t slot = 0; slot < (uint32_t)object->ce->default_properties_count; slot++) {
        if (!states_are_names(&state->value, object, slot))
            continue;
        state->named++;
        if (slot < LARDER_STATE_SLOTS)
            state->slots |= (uint64_t)1 << slot;
    }
    walk->selected = state;
    walk->selected_ce = object->ce;
}

static bool states_object(states_walk *walk, zval *value)
{
    zend_object *object = Z_OBJ_P(value);
    const larder_class *class = larder_class_of(object->ce);
    larder_class_kind kind = class != NULL ? class->kind : LARDER_CLASS_OTHER;
    if (kind == LARDER_CLASS_OTHER || kind == LARDER_CLASS_ENUM || !states_see(walk, value))
        return true;
    if (kind == LARDER_CLASS_PLAIN) {
        states_enter(walk, NULL, object, NULL);
        return true;
    }
    larder_state *state = emalloc(sizeof *state);
    *state = (larder_state){.order = 0};
    ZVAL_UNDEF(&state->value);
    zend_hash_index_add_new_ptr(&walk->states->by_handle, object->handle, state);
    if (kind == LARDER_CLASS_STATE) {
        if (!states_call(object, ZEND_STRL("__serialize"), &state->value))
            return false;
        states_enter(walk, Z_ARR(state->value), NULL, state);
        return true;
    }
    if (zend_hash_str_exists(&object->ce->function_table, ZEND_STRL("__sleep")) &&
        !states_call(object, ZEND_STRL("__sleep"), &state->value))
        return false;
    if (larder_state_selects(state))
        states_select(walk, object, state);
    states_enter(walk, NULL, object, state);
    return true;
}

/* Look at one value; containers are entered. False: an exception is set. */
static bool states_value(states_walk *walk, zval *value)
{
    if (Z_TYPE_P(value) == IS_INDIRECT)
        value = Z_INDIRECT_P(value);
    if (Z_ISREF_P(value)) {
        if (Z_REFCOUNT_P(value) > 1 && !states_see(walk, value))
            return true;
        value = Z_REFVAL_P(value);
    }
    if (Z_TYPE_P(value) == IS_ARRAY && zend_hash_num_elements(Z_ARR_P(value)) != 0)
        states_enter(walk, Z_ARR_P(value), NULL, NULL);
    return Z_TYPE_P(value) != IS_OBJECT || states_object(walk, value);
}

/* The next value of the innermost level; NULL: it is done. */
static zval *states_next(states_level *level)
{
    HashTable *array = level->array;
    uint32_t index = level->next++;
    static zval nothing;
    if (level->object != NULL) {
        uint32_t slots = (uint32_t)level->object->ce->default_properties_count;
        bool asleep = larder_state_selects(level->state);
        if (index < slots)
            return asleep && !larder_state_names(level->state, level->object, index)
                       ? &nothing /* not stored: its hooks are not to run */
                       : level->object->properties_table + index;
        if (asleep)
            return NULL;
        index -= slots;
        array = level->object->properties;
    }
    if (array == NULL || index >= array->nNumUsed)
        return NULL;
    zval *value =
        HT_FLAGS(array) & HASH_FLAG_PACKED ? array->arPacked + index : &array->arData[index].val;
    /* What has a slot was looked at there. */
    return level->object != NULL && Z_TYPE_P(value) == IS_INDIRECT ? &nothing : value;
}

bool larder_states_collect(larder_states *states, zval *value)
{
    states_walk walk = {.states = states};
    zend_hash_init(&states->by_handle, 8, NULL, states_end, 0);
    zend_hash_init(&states->seen, 8, NULL, states_drop, 0);
    bool good = states_value(&walk, value);
    while (good && walk.depth != 0) {
        zval *next = states_next(walk.levels + walk.depth - 1);
        if (next == NULL)
            states_leave(&walk);
        else
            good = states_value(&walk, next);
    }
    while (walk.depth != 0)
        states_leave(&walk);
    if (walk.levels != NULL)
        efree(walk.levels);
    return good;
}

void larder_states_free(larder_states *states)
{
    zend_hash_destroy(&states->by_handle);
    zend_hash_destroy(&states->seen);
}

const larder_state *larder_states_find(const larder_states *states, const zend_object *object)
{
    return zend_hash_index_find_ptr(&states->by_handle, object->handle);
}
