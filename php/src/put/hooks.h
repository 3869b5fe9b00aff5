/* hooks.h - calls __serialize() and __sleep() of the objects in a value, before the value is
 * measured. */
#ifndef LARDER_STATES_H
#define LARDER_STATES_H

#include "kinds/classes.h"

typedef struct larder_state {
    /* The properties to store, by the hook of the object's class:
     * - __serialize() or __sleep(): the array that the hook has returned.
     * - Only __unserialize(): an array of the object's properties.
     * - Only __wakeup(): IS_UNDEF. */
    zval value;
    uint32_t named; /* number of slots that __sleep() named */
    /* one bit for each of the first 64 slots: 1 if __sleep() named the slot */
    uint64_t slots;
} larder_state;
#define LARDER_STATE_SLOTS 64u

/* Return true if __sleep() names the properties to store. Do not call this for an object with
 * __serialize(). */
static zend_always_inline bool larder_state_selects(const larder_state *state)
{
    return state != NULL && Z_TYPE(state->value) == IS_ARRAY;
}
/* Return true if __sleep() named this slot. Call this only if larder_state_selects() is true. */
bool larder_state_names_far(const larder_state *state, const zend_object *object, uint32_t slot);
static zend_always_inline bool larder_state_names(const larder_state *state,
                                                  const zend_object *object, uint32_t slot)
{
    return EXPECTED(slot < LARDER_STATE_SLOTS) ? state->slots >> slot & 1
                                               : larder_state_names_far(state, object, slot);
}

/* An object or a PHP reference that the walk has met. The entry owns a reference to it. */
typedef struct larder_states_entry {
    zend_refcounted *held;
    larder_state *state; /* the state of an object with hooks, otherwise NULL */
    /* the latest larder_states.walk that met the object or reference */
    uint32_t walk;
} larder_states_entry;

/* number of entries for which larder_states needs no allocation */
#define LARDER_STATES_FIRST 4u

/* The objects and PHP references that the walk over one value has met. Do not move this struct once
 * it has entries, because `entries` may point to `first`. */
typedef struct larder_states {
    larder_states_entry *entries; /* in the order in which the walk met them */
    /* hash table of the entries by address; a cell contains the index of an entry + 1, or 0 */
    uint32_t *cells;
    /* `room` is the maximum number of entries; there are twice as many cells */
    uint32_t used, room;
    uint32_t walk;
    uint32_t first_cells[2 * LARDER_STATES_FIRST];
    larder_states_entry first[LARDER_STATES_FIRST];
    larder_state whole; /* the state of entries[0], if that entry has a state */
} larder_states;

/* Call the hooks of the objects in a value, in the order of PHP's serializer. The hooks may change
 * anything. Returns false if an exception is set.
 * - *states must be all zeros before the first call, and must be freed even after a failure.
 * - The hooks of objects that have a state already are not called again. */
bool larder_states_collect(larder_states *states, zval *value);
/* Call an object's __serialize(), which must exist, under larder_serializer_lock(). Returns true if
 * *result is an array, false if an exception is set. */
bool larder_states_call(zend_object *object, zval *result);
/* Add the result of an object's __serialize(). *states must not have a state of this object yet.
 * Takes ownership of `result`. */
void larder_states_add(larder_states *states, zend_object *object, zend_array *result);
void larder_states_free(larder_states *states);
/* Return true if an array contains only scalars, strings, and at most `levels` levels of such
 * arrays. */
bool larder_is_flat(const HashTable *array, int levels);
/* Return the state of an object, or NULL if the walk did not meet the object. */
const larder_state *larder_states_find(const larder_states *states, const zend_object *object);

#endif
