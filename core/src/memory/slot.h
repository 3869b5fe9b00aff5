/* slot.h - what slot.c offers. */
#pragma once

#include "ground/private.h"

extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX] LRD__TLS;
/* Assert that the calling thread has a slot, and that this is its private half. */
#define lrd__assert_thread(self)                                                                   \
    lrd__assert((self)->slot != NULL && lrd__threads[(self)->store->id] == (self))
/* Return true if the owner of this slot, in this incarnation, still lives. If not, give the slot
 * back (reap it). */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Return true if the owner of this slot, in this incarnation, still lives. Unlike
 * lrd__slot_alive(), returns false as soon as another thread is giving back the slot of a dead
 * owner, although the slot's ledger may still list blocks. Use this only for the owners of keys and
 * messages, which have taken their owner leases. For a forked child that is just taking this lease,
 * the result may be wrong. */
bool lrd__slot_owner_lives(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap all slots whose owner is gone, even if the kernel did not mark their leases. Slow. */
void lrd__slots_bury(lrd_store *store);
/* Reap the slots of dead threads whose leases the kernel has marked. Takes no lock and does not
 * wait. */
void lrd__slots_notice(lrd_store *store);
/* Return true if a check of all slots is due. A check of many slots is slow, because each has its
 * own pages of memory. So all processes together usually make only one check in SLOT_LOOK_MS. */
bool lrd__slots_look_due(lrd_store *store);

static inline lrd__slot *lrd__slot_at(const lrd_store *store, uint32_t index)
{
    return (lrd__slot *)(store->control + store->geo.slots_at + lrd__slot_begin(index));
}

/* Add the counts of all slots to the counts in the header, and set slots_high to 0. Only a process
 * that adopts a file calls this. Begins with the last slot, and lowers slots_high by 1 after each
 * slot. So if the process is killed, the next adopter continues with the present slot. Only this
 * slot's counts may then be added twice. */
void lrd__slots_keep_counts(lrd_store *store);
/* Take both leases of a slot without owner. Returns false, and takes none, if one of them is held.
 * Tries `guardian` first. If a parent holds `guardian`, a forked child is about to take `owner`, so
 * this function leaves `owner` to the child. */
bool lrd__slot_seize(lrd__slot *slot);
/* Make the slot free. The caller holds both leases, or is the owner and gives the slot up. */
void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot);
/* Count the death of a thread that did not give back its slot. The caller holds the dead thread's
 * lease `owner`, so no other thread counts this death. */
void lrd__slot_count_death(lrd_store *store);
