/* slot.h - what slot.c offers. */
#pragma once

#include "ground/private.h"

extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* It is the calling thread's half of its slot, which it has. */
#define lrd__assert_thread(self)                                                                   \
    lrd__assert((self)->slot != NULL && lrd__threads[(self)->store->id] == (self))
/* True if (slot, incarnation) is still owned by somebody who lives; reaps it if not. */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap the slots whose owner is gone, those that the kernel forgot to mark included. Slow. */
void lrd__slots_bury(lrd_store *store);
/* The same, of those that the kernel says are dead: takes and waits for no lock. */
void lrd__slots_notice(lrd_store *store);
/* Whether that is due: all of many slots are looked at only so often, by one thread of all
 * processes. */
bool lrd__slots_look_due(lrd_store *store);

static inline lrd__slot *lrd__slot_at(const lrd_store *store, uint32_t index)
{
    return (lrd__slot *)(store->control + store->geo.slots_at + (uint64_t)index * LRD__SLOT_SIZE);
}

/* Add the counts of all slots to the header's: the slots begin anew. */
void lrd__slots_keep_counts(lrd_store *store);
/* Get both leases of a slot that has no owner. The guardian first: a child that was forked waits
 * for owner while its parent holds the guardian, and nobody ever waits for the guardian. */
bool lrd__slot_seize(lrd__slot *slot);
/* Make the slot free. Both leases are ours, or we are its owner and give it up. */
void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot);
/* Of who had a slot and did not give it back. Each once: a slot is claimed until it was counted. */
void lrd__slot_count_death(lrd_store *store);
