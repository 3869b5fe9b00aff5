/* slot.h - what slot.c offers. */
#pragma once

#include "ground/private.h"

extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX] LRD__TLS;
/* Assert that the calling thread has a slot, and that this is its private half. */
#define lrd__assert_thread(self)                                                                   \
    lrd__assert((self)->slot != NULL && lrd__threads[(self)->store->id] == (self))
/* Return true if the owner of this slot, in this incarnation, still lives. If not, reap the
 * slot. */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Return true if the owner of this slot, in this incarnation, still lives. Unlike
 * lrd__slot_alive(), returns false while another thread gives the slot back, although its ledger
 * may still list blocks. Use this only for the owners of keys and messages: for a forked child that
 * is just taking its lease, the result may be wrong. */
bool lrd__slot_owner_lives(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap all slots whose owner is gone, even if the kernel did not mark their leases. Slow. */
void lrd__slots_bury(lrd_store *store);
/* Reap the slots of dead threads whose leases the kernel has marked. Takes no lock and does not
 * wait. */
void lrd__slots_notice(lrd_store *store);
/* Return true if a check of all slots, which is slow, is due. All processes together usually make
 * only one check in SLOT_LOOK_MS. */
bool lrd__slots_look_due(lrd_store *store);

static inline lrd__slot *lrd__slot_at(const lrd_store *store, uint32_t index)
{
    return (lrd__slot *)(store->control + store->geo.slots_at + lrd__slot_begin(index));
}

/* Add the counts of all slots to the header, the last slot first, and lower slots_high by 1 after
 * each. Only a process that adopts a file calls this. If it is killed, only one slot's counts may
 * be added twice. */
void lrd__slots_keep_counts(lrd_store *store);
/* Take both leases of a slot without owner. Returns false, and takes none, if one of them is held.
 * Tries `guardian` first: while a parent holds it, a forked child is about to take `owner`. */
bool lrd__slot_seize(lrd__slot *slot);
/* Make the slot free. The caller holds `owner`, or `guardian` if no thread has held `owner` yet. */
void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot);
/* Count the death of a thread that did not give back its slot. The caller holds the dead thread's
 * lease `owner`, so each death is counted once. */
void lrd__slot_count_death(lrd_store *store);
