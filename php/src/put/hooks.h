/* hooks.h - calls __serialize() and __sleep() of the objects in a value, and keeps their answers,
 * before the value is measured. */
#ifndef LARDER_STATES_H
#define LARDER_STATES_H

#include "kinds/classes.h"

typedef struct larder_state {
    /* the answer of __serialize() or __sleep(). If the class has only __unserialize(): an array of
     * the object's properties. If it has only __wakeup(): undefined */
    zval value;
    /* position of the object in the order in which the walk leaves objects; an object inside
     * another one is left first */
    uint32_t order;
    uint32_t named; /* number of slots that __sleep() named */
    uint64_t slots; /* one bit for each of the first 64 slots that __sleep() named */
} larder_state;
#define LARDER_STATE_SLOTS 64u

/* Return true if __sleep() chose the properties that are stored. */
static zend_always_inline bool larder_state_selects(const larder_state *state)
{
    return state != NULL && Z_TYPE(state->value) == IS_ARRAY;
}
/* Return true if __sleep() named this slot, which may be one after the first 64. Call it only if
 * larder_state_selects() is true. */
bool larder_state_names_far(const larder_state *state, const zend_object *object, uint32_t slot);
static zend_always_inline bool larder_state_names(const larder_state *state,
                                                  const zend_object *object, uint32_t slot)
{
    return EXPECTED(slot < LARDER_STATE_SLOTS) ? state->slots >> slot & 1
                                               : larder_state_names_far(state, object, slot);
}

/* An object or a reference that the walk has met. The entry owns a reference count of it, so that
 * its address is not used for another object. */
typedef struct larder_states_entry {
    zend_refcounted *held;
    larder_state *state; /* the state of an object with hooks; else NULL */
    /* number of the last walk that met the object or reference */
    uint32_t walk;
} larder_states_entry;

/* The first entries lie in larder_states itself, because most values have few objects with
 * hooks. */
#define LARDER_STATES_FIRST 4u

/* The entries that the walk has met. Do not move this struct once it has an entry, because
 * `entries` may point to `first`. */
typedef struct larder_states {
    larder_states_entry *entries; /* all entries, in the order in which the walk met them */
    /* hash table that finds an entry by its address; a cell has the number of the entry + 1, or 0:
     * none */
    uint32_t *cells;
    uint32_t used, room; /* room: for entries; there are twice as many cells */
    uint32_t walk;
    uint32_t first_cells[2 * LARDER_STATES_FIRST];
    larder_states_entry first[LARDER_STATES_FIRST];
    larder_state whole; /* the state of the first entry, if it has one */
} larder_states;

/* Walk a value and call the hooks of the objects in it, in the order of PHP's serializer. The hooks
 * are user code, which may change anything. Before the first call *states must be all zero. A
 * repeated call calls the hooks only of objects that no call has met before. Returns false if an
 * exception is set. The caller frees *states in both cases. */
bool larder_states_collect(larder_states *states, zval *value);
void larder_states_free(larder_states *states);
/* Return the state of an object; NULL if the walk did not meet the object. */
const larder_state *larder_states_find(const larder_states *states, const zend_object *object);

#endif
