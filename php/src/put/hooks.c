/* hooks.c - calls __serialize() and __sleep() of the objects in a value, once each, before the
 * value is measured. Begin reading at larder_states_collect().
 *
 * - The hooks run in the order of PHP's serializer, and may change any slot that the walk has not
 *   reached.
 * - The walk owns a reference to each object, and to each array that it is inside, so hooks change
 *   only copies of these arrays. */
#include "put/hooks.h"
#include "format/format.h"
#include "format/hash.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "kinds/spl_layout.h"
#include "request/moves.h"
#include "request/serializer.h"
#include "zend_exceptions.h"

/* An array or an object that the walk is inside. The slots of an object are visited before its
 * other properties. */
typedef struct states_level {
    zend_array *array;   /* the level owns a reference */
    zend_object *object; /* a larder_states_entry owns the reference */
    larder_state *state; /* the state of `object` */
    uint32_t next;
} states_level;

/* number of levels in states_walk.first; deeper walks allocate */
#define STATES_LEVELS 8u

typedef struct states_walk {
    larder_states *states;
    states_level *levels; /* `first`, or allocated memory */
    uint32_t depth, room;
    /* the last state that states_select() has handled, and the class of its object */
    const larder_state *selected;
    const zend_class_entry *selected_ce;
    states_level first[STATES_LEVELS];
} states_walk;

/* Test builds move tables to reveal stale pointers (see request/moves.h), so no table may be inside
 * a struct. */
#ifdef LARDER_MOVE_TABLES
#define STATES_MOVE true
#else
#define STATES_MOVE false
#endif

/* ---- objects and arrays of the walk ---- */

static zend_always_inline uint32_t *states_cell(const larder_states *states, const void *address)
{
    uint32_t mask = states->room * 2 - 1;
    uint32_t i = larder_hash_address(address) & mask;
    while (states->cells[i] != 0 && states->entries[states->cells[i] - 1].held != address)
        i = (i + 1) & mask;
    return states->cells + i;
}

static void states_free_tables(larder_states *states)
{
    if (states->entries != NULL && states->entries != states->first) {
        efree(states->entries);
        efree(states->cells);
    }
}

static void states_grow(larder_states *states)
{
    if (!STATES_MOVE && states->room == 0) {
        states->entries = states->first;
        states->cells = states->first_cells; /* all zero */
        states->room = LARDER_STATES_FIRST;
        return;
    }
    uint32_t room = states->room != 0 ? states->room * 4 : 16;
    larder_states_entry *entries = safe_emalloc(room, sizeof *entries, 0);
    uint32_t *cells = safe_emalloc(room, 2 * sizeof *cells, 0);
    memset(cells, 0, (size_t)room * 2 * sizeof *cells);
    if (states->used != 0)
        memcpy(entries, states->entries, states->used * sizeof *entries);
    states_free_tables(states);
    states->entries = entries;
    states->cells = cells;
    states->room = room;
    for (uint32_t i = 0; i < states->used; i++)
        *states_cell(states, states->entries[i].held) = i + 1;
}

/* Return the entry of an object or a PHP reference. If there is no entry yet, adds one. If the
 * current walk has already met the object or reference, returns NULL instead. The next call may
 * move the entry. */
static larder_states_entry *states_see(larder_states *states, zend_refcounted *counted)
{
    LARDER_MOVE_REQUEST(states->entries, states->room * sizeof *states->entries);
    LARDER_MOVE_REQUEST(states->cells, states->room * 2 * sizeof *states->cells);
    if (states->used == states->room)
        states_grow(states);
    uint32_t *cell = states_cell(states, counted);
    if (*cell == 0) {
        GC_ADDREF(counted);
        states->entries[states->used] = (larder_states_entry){.held = counted};
        *cell = ++states->used;
    }
    larder_states_entry *entry = states->entries + *cell - 1;
    if (entry->walk == states->walk)
        return NULL;
    entry->walk = states->walk;
    return entry;
}

const larder_state *larder_states_find(const larder_states *states, const zend_object *object)
{
    uint32_t cell = states->used != 0 ? *states_cell(states, object) : 0;
    return cell != 0 ? states->entries[cell - 1].state : NULL;
}

void larder_states_free(larder_states *states)
{
    for (uint32_t i = 0; i < states->used; i++) {
        larder_states_entry *entry = states->entries + i;
        if (entry->state != NULL) {
            zval_ptr_dtor(&entry->state->value);
            if (entry->state != &states->whole)
                efree(entry->state);
        }
    }
    for (uint32_t i = 0; i < states->used; i++) {
        zval held;
        if (GC_TYPE(states->entries[i].held) == IS_OBJECT)
            ZVAL_OBJ(&held, (zend_object *)states->entries[i].held);
        else
            ZVAL_REF(&held, (zend_reference *)states->entries[i].held);
        zval_ptr_dtor(&held);
    }
    states_free_tables(states);
}

/* ---- the walk ---- */

static void states_enter(states_walk *walk, zend_array *array, zend_object *object,
                         larder_state *state)
{
    LARDER_MOVE_REQUEST(walk->levels, walk->room * sizeof *walk->levels);
    if (walk->depth == walk->room) {
        states_level *levels = walk->levels == walk->first ? NULL : walk->levels;
        walk->room = walk->room != 0 ? walk->room * 2 : 16;
        levels = safe_erealloc(levels, walk->room, sizeof *levels, 0);
        if (walk->levels == walk->first)
            memcpy(levels, walk->first, walk->depth * sizeof *levels);
        walk->levels = levels;
    }
    if (array != NULL)
        GC_TRY_ADDREF(array);
    walk->levels[walk->depth++] = (states_level){.array = array, .object = object, .state = state};
}

static void states_leave(states_walk *walk)
{
    states_level *level = walk->levels + --walk->depth;
    if (level->array != NULL)
        zend_array_release(level->array);
}

/* Turn string keys such as "7" into ints, as unserialize() does. Hooks of PHP's own classes may
 * return such keys. */
static void states_number_keys(zval *array)
{
    zend_array *old = Z_ARR_P(array);
    if ((HT_FLAGS(old) & HASH_FLAG_PACKED) || (GC_FLAGS(old) & GC_IMMUTABLE))
        return;
    ZVAL_ARR(array, zend_proptable_to_symtable(old, false));
    zend_array_release(old);
}

static bool states_call(zend_object *object, zend_function *hook, const char *name, zval *result)
{
    ZVAL_UNDEF(result);
    if (hook->type == ZEND_INTERNAL_FUNCTION)
        larder_builtin_call(object, hook, NULL, result);
    else
        larder_user_call(object, hook, NULL, result);
    if (EG(exception))
        return false;
    if (Z_TYPE_P(result) == IS_ARRAY) {
        if (hook->type == ZEND_INTERNAL_FUNCTION)
            states_number_keys(result);
        return true;
    }
    zend_type_error("%s::%s() must return an array", ZSTR_VAL(object->ce->name), name);
    zval_ptr_dtor(result);
    ZVAL_UNDEF(result);
    return false;
}

bool larder_states_call(zend_object *object, zval *result)
{
    return states_call(object, object->ce->__serialize, "__serialize", result);
}

/* Return true if `names`, from __sleep(), contains the name of this slot. */
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

bool larder_state_names_far(const larder_state *state, const zend_object *object, uint32_t slot)
{
    return states_are_names(&state->value, object, slot);
}

/* Find the slots that __sleep() has named. If __sleep() has returned the same array for the
 * previous object of the class, use that object's result. */
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

static void states_properties(zend_object *object, zval *result)
{
    /* reading the properties of a lazy object would initialise it */
    if (larder_is_lazy(object)) {
        ZVAL_EMPTY_ARRAY(result);
        return;
    }
    ZVAL_ARR(result, object->properties != NULL ? zend_array_dup(zend_std_get_properties(object))
                                                : zend_std_build_object_properties_array(object));
    states_number_keys(result);
}

/* Fill `state` with the result of the object's hook. If the class is bare (it has only
 * __unserialize(), so no hook to call here), fill `state` with the object's properties. Returns
 * false if an exception is set. */
static bool states_ask(states_walk *walk, zend_object *object, larder_state *state,
                       const larder_class *class)
{
    const larder_object_kind *kind = larder_object_kinds[class->builtin];
    if (class->kind != LARDER_CLASS_SLEEP) {
        if (kind->state != NULL)
            return kind->state(object, &state->value);
        if (UNEXPECTED(object->ce->__serialize == NULL)) {
            states_properties(object, &state->value);
            return true;
        }
        if (!states_call(object, object->ce->__serialize, "__serialize", &state->value))
            return false;
        if (kind->told != NULL)
            kind->told(object, &state->value);
        return true;
    }
    if (class->sleep == NULL)
        return true;
    if (!states_call(object, class->sleep, "__sleep", &state->value))
        return false;
    states_select(walk, object, state);
    return true;
}

bool larder_is_flat(const HashTable *array, int levels)
{
    bool packed = HT_FLAGS(array) & HASH_FLAG_PACKED, arrays = false;
    size_t step = packed ? sizeof(zval) : sizeof(Bucket);
    const char *first = packed ? (const char *)array->arPacked : (const char *)&array->arData->val;
    const char *end = first + array->nNumUsed * step;
    for (const char *at = first; at != end; at += step) {
        const zval *value = (const zval *)(const void *)at;
        if (EXPECTED(Z_TYPE_P(value) <= IS_STRING))
            continue;
        if (Z_TYPE_P(value) != IS_ARRAY || levels == 0)
            return false;
        arrays = true;
    }
    for (const char *at = first; arrays && at != end; at += step) {
        const zval *value = (const zval *)(const void *)at;
        if (Z_TYPE_P(value) == IS_ARRAY && !larder_is_flat(Z_ARR_P(value), levels - 1))
            return false;
    }
    return true;
}

/* Levels that larder_is_flat() examines before the walk enters an array. */
#define STATES_FLAT 3

static void states_array(states_walk *walk, zend_array *array)
{
    if (!larder_is_flat(array, STATES_FLAT))
        states_enter(walk, array, NULL, NULL);
}

/* Return true if the value may contain an object or a reference. */
static zend_always_inline bool states_must_enter(const zval *value)
{
    return Z_TYPE_P(value) > IS_STRING &&
           (Z_TYPE_P(value) != IS_ARRAY || !larder_is_flat(Z_ARR_P(value), STATES_FLAT));
}

/* Return a copy of a collection's elements, or NULL if the walk need not enter any of them. NULL is
 * safe: if a hook adds an object to the collection later, the whole value is walked again. */
static zend_array *states_elements(larder_builtin builtin, zend_object *object)
{
    if (larder_object_kinds[builtin]->node == LARDER_NODE_WRAP) {
        zend_array *array = Z_ARR_P(larder_spl_array(object));
        return larder_is_flat(array, STATES_FLAT) ? NULL : zend_array_dup(array);
    }
    larder_spl_cursor cursor = larder_spl_open(builtin, object), look = cursor;
    const zval *value;
    while ((value = larder_spl_next(&look)) != NULL && !states_must_enter(value))
        ;
    if (value == NULL)
        return NULL;
    zend_array *copy = zend_new_array(cursor.left);
    while ((value = larder_spl_next(&cursor)) != NULL) {
        zval element;
        ZVAL_COPY(&element, value);
        zend_hash_next_index_insert_new(copy, &element);
    }
    return copy;
}

static void states_builtin(states_walk *walk, larder_builtin builtin, zend_object *object)
{
    const larder_object_kind *kind = larder_object_kinds[builtin];
    bool content = larder_node_has_content(kind->node);
    bool slots = (uint32_t)object->ce->default_properties_count != kind->made &&
                 kind->node != LARDER_NODE_CARBON;
    if ((content && !slots) || states_see(walk->states, (zend_refcounted *)object) == NULL)
        return;
    /* skip the slots of a LARDER_NODE_STATE: the array from its __serialize() has the properties */
    if (kind->node != LARDER_NODE_STATE) {
        states_enter(walk, NULL, object, NULL);
        walk->levels[walk->depth - 1].next = kind->made;
    }
    if (content)
        return;
    if (kind->node == LARDER_NODE_STATE) {
        zval told;
        if (larder_builtin_call(object, object->ce->__serialize, NULL, &told)) {
            states_enter(walk, Z_ARR(told), NULL, NULL);
            zval_ptr_dtor(&told);
        }
        return;
    }
    /* Walk a copy: a hook may change the object's array, and PHP's own objects would change it in
     * place. */
    zend_array *copy = states_elements(builtin, object);
    if (copy == NULL)
        return;
    states_enter(walk, copy, NULL, NULL);
    zend_array_release(copy);
}

/* Return true if the slots contain only scalars and strings. If a hook stores an object there
 * later, the value is walked again. */
static zend_always_inline bool states_is_simple(const zend_object *object)
{
    const zval *slot = object->properties_table;
    if (object->properties != NULL)
        return false;
    for (int left = object->ce->default_properties_count; left > 0; left--, slot++)
        if (Z_TYPE_P(slot) > IS_STRING)
            return false;
    return true;
}

static larder_state *states_state(larder_states *states, larder_states_entry *entry)
{
    larder_state *state = entry == states->entries ? &states->whole : emalloc(sizeof *state);
    *state = (larder_state){.named = 0};
    ZVAL_UNDEF(&state->value);
    return entry->state = state;
}

void larder_states_add(larder_states *states, zend_object *object, zend_array *result)
{
    /* Begin a new walk, so that states_see() does not return NULL. */
    states->walk++;
    larder_states_entry *entry = states_see(states, (zend_refcounted *)object);
    zval *value = &states_state(states, entry)->value;
    ZVAL_ARR(value, result);
    if (GC_FLAGS(result) & GC_IMMUTABLE)
        /* an immutable array has no reference count, so clear the type's flag for counted values */
        Z_TYPE_INFO_P(value) = IS_ARRAY;
}

static bool states_object(states_walk *walk, zend_object *object)
{
    const larder_class *class = larder_class_of(object->ce);
    larder_class_kind kind = class != NULL ? class->kind : LARDER_CLASS_OTHER;
    if (kind == LARDER_CLASS_OTHER || kind == LARDER_CLASS_ENUM)
        return true;
    if (class->builtin != LARDER_BUILTIN_NONE) {
        larder_builtin builtin = larder_builtin_way(class->builtin, object);
        if (builtin != LARDER_BUILTIN_NONE) {
            states_builtin(walk, builtin, object);
            return !EG(exception);
        }
    }
    if (kind == LARDER_CLASS_PLAIN && states_is_simple(object))
        return true;
    larder_states_entry *entry = states_see(walk->states, (zend_refcounted *)object);
    if (entry == NULL)
        return true;
    if (kind == LARDER_CLASS_PLAIN) {
        states_enter(walk, NULL, object, NULL);
        return true;
    }
    larder_state *state = entry->state;
    if (state == NULL) {
        state = states_state(walk->states, entry);
        if (!states_ask(walk, object, state, class))
            return false;
    }
    if (kind == LARDER_CLASS_SLEEP)
        states_enter(walk, NULL, object, state);
    else
        states_array(walk, Z_ARR(state->value));
    return true;
}

static bool states_is_inside(const states_walk *walk, const zend_array *array)
{
    for (uint32_t i = 0; i < walk->depth; i++)
        if (walk->levels[i].array == array)
            return true;
    return false;
}

/* Return true if the walk has met this PHP reference before. A reference with one owner can be met
 * again only inside the array to which it refers. This array then has three owners: the reference,
 * the walk, and the place outside where the walk found the array. */
static bool states_has_met(states_walk *walk, zend_reference *reference)
{
    if (GC_REFCOUNT(reference) > 1)
        return states_see(walk->states, (zend_refcounted *)reference) == NULL;
    return Z_TYPE(reference->val) == IS_ARRAY && Z_REFCOUNTED(reference->val) &&
           Z_REFCOUNT(reference->val) > 2 && states_is_inside(walk, Z_ARR(reference->val));
}

/* Visit one value. Returns false if an exception is set. */
static bool states_value(states_walk *walk, zval *value)
{
    if (Z_TYPE_P(value) == IS_INDIRECT)
        value = Z_INDIRECT_P(value);
    if (Z_ISREF_P(value)) {
        if (states_has_met(walk, Z_REF_P(value)))
            return true;
        value = Z_REFVAL_P(value);
    }
    if (Z_TYPE_P(value) == IS_ARRAY)
        states_array(walk, Z_ARR_P(value));
    return Z_TYPE_P(value) != IS_OBJECT || states_object(walk, Z_OBJ_P(value));
}

/* Return the next value of a level, or NULL at the end. Skips scalars and strings. */
static zval *states_next(states_level *level)
{
    HashTable *array = level->array;
    uint32_t index = level->next, slots = 0;
    if (level->object != NULL) {
        zend_object *object = level->object;
        slots = (uint32_t)object->ce->default_properties_count;
        bool asleep = larder_state_selects(level->state);
        for (; index < slots; index++) {
            zval *value = object->properties_table + index;
            /* hooks of values that are not stored must not run */
            if (Z_TYPE_P(value) <= IS_STRING ||
                (asleep && !larder_state_names(level->state, object, index)))
                continue;
            level->next = index + 1;
            return value;
        }
        if (asleep)
            return NULL;
        index -= slots;
        array = object->properties;
    }
    if (array == NULL)
        return NULL;
    for (; index < array->nNumUsed; index++) {
        zval *value = HT_FLAGS(array) & HASH_FLAG_PACKED ? array->arPacked + index
                                                         : &array->arData[index].val;
        /* the slots were visited already */
        if (Z_TYPE_P(value) <= IS_STRING ||
            (level->object != NULL && Z_TYPE_P(value) == IS_INDIRECT))
            continue;
        level->next = slots + index + 1;
        return value;
    }
    return NULL;
}

bool larder_states_collect(larder_states *states, zval *value)
{
    states_walk walk;
    walk.states = states;
    walk.levels = STATES_MOVE ? NULL : walk.first;
    walk.room = STATES_MOVE ? 0 : STATES_LEVELS;
    walk.depth = 0;
    walk.selected = NULL;
    states->walk++;
    larder_serializer_lock();
    bool good = states_value(&walk, value);
    while (good && walk.depth != 0) {
        zval *next = states_next(walk.levels + walk.depth - 1);
        if (next == NULL)
            states_leave(&walk);
        else
            good = states_value(&walk, next);
    }
    larder_serializer_unlock();
    while (walk.depth != 0)
        states_leave(&walk);
    if (walk.levels != NULL && walk.levels != walk.first)
        efree(walk.levels);
    return good;
}
