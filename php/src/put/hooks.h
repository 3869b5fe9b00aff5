/* hooks.h - the answers of __serialize() and __sleep(), collected before a value is measured. */
#ifndef LARDER_STATES_H
#define LARDER_STATES_H

#include "kinds/classes.h"

typedef struct larder_state {
    zval value; /* the answer of __serialize() or __sleep(); undefined: the class has neither */
    /* number in the order in which the walk leaves objects; inner objects are left first */
    uint32_t order;
    uint32_t named; /* slots that __sleep() named */
    uint64_t slots; /* one bit for each of the first 64 slots that __sleep() named */
} larder_state;
#define LARDER_STATE_SLOTS 64u

/* Return true if the state leaves properties out. */
static zend_always_inline bool larder_state_selects(const larder_state *state)
{
    return state != NULL && Z_TYPE(state->value) == IS_ARRAY;
}
/* Return true if __sleep() named a slot of the object; only for a state that selects. */
bool larder_state_names_far(const larder_state *state, const zend_object *object, uint32_t slot);
static zend_always_inline bool larder_state_names(const larder_state *state,
                                                  const zend_object *object, uint32_t slot)
{
    return EXPECTED(slot < LARDER_STATE_SLOTS) ? state->slots >> slot & 1
                                               : larder_state_names_far(state, object, slot);
}

/* An object or a reference that the walk has met. It is held, so that its address is not reused. */
typedef struct larder_states_entry {
    zend_refcounted *held;
    larder_state *state; /* the state of an object with hooks; else NULL */
    uint32_t walk;       /* number of the last walk that met it */
} larder_states_entry;

/* The first entries lie in larder_states, because most values have few objects with hooks. */
#define LARDER_STATES_FIRST 4u

/* This struct must not be moved after the first entry, because `entries` may point to `first`. */
typedef struct larder_states {
    larder_states_entry *entries; /* the entries, in the order in which the walk met them */
    /* cells that find an entry by address: number of the entry + 1; 0: none */
    uint32_t *cells;
    uint32_t used, room; /* number of cells: twice the room for entries */
    uint32_t walk;
    uint32_t first_cells[2 * LARDER_STATES_FIRST];
    larder_states_entry first[LARDER_STATES_FIRST];
} larder_states;

/* Walk a value and call the hooks of the objects in it, in the order of PHP's serializer; user
 * code may change anything. Before the first call *states is all zero. A later call only calls
 * hooks of objects that are new. Returns false if an exception is set. The caller frees *states
 * in both cases. */
bool larder_states_collect(larder_states *states, zval *value);
void larder_states_free(larder_states *states);
/* Return the state of an object. NULL: the object was not there during the walk. */
const larder_state *larder_states_find(const larder_states *states, const zend_object *object);

#endif
