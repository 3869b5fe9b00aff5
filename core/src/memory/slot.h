/* slot.h - what slot.c offers. */
#pragma once

#include "ground/private.h"

extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX] LRD__TLS;
#define lrd__assert_thread(self)                                                                   \
    lrd__assert((self)->slot != NULL && lrd__threads[(self)->store->id] == (self))
/* True if the slot still has this incarnation and its owner lives. If the owner is dead, reaps the
 * slot. */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* True if this incarnation's owner still lives, and no thread reaps the slot. Use this only to
 * judge owners of keys and messages. If the result is false, the slot's ledger may still list
 * blocks. The result may be wrong while a forked child takes its lease. */
bool lrd__slot_owner_lives(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap the slots of all dead threads, even if the kernel has not marked their leases. Slow: reads
 * /proc for each slot in use. */
void lrd__slots_bury(lrd_store *store);
/* Reap the slots of dead threads whose leases the kernel has marked. Takes no shard lock, and does
 * not wait. */
void lrd__slots_notice(lrd_store *store);
/* True if it is time to check all slots again: usually once per SLOT_LOOK_MS in all processes
 * together. */
bool lrd__slots_look_due(lrd_store *store);

static inline lrd__slot *lrd__slot_at(const lrd_store *store, uint32_t index)
{
    return (lrd__slot *)(store->control + store->geo.slots_at + lrd__slot_begin(index));
}

/* Add the counts of all slots to the header. Begins with the last slot, and lowers slots_high after
 * each slot. Only a process that adopts a file calls this. If the process is killed, the counts of
 * one slot may be added twice. */
void lrd__slots_keep_counts(lrd_store *store);
/* Take both leases of a slot that has no living owner. If one of the leases is taken, returns false
 * and keeps neither. Takes `guardian` first: a parent holds `guardian` until its forked child holds
 * `owner`. */
bool lrd__slot_seize(lrd__slot *slot);
/* Make the slot free. The caller holds `owner`, or `guardian` if no thread has held `owner` yet. */
void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot);
/* Count a thread that died without giving back its slot. The caller holds the slot's lease `owner`,
 * so each death is counted once. */
void lrd__slot_count_death(lrd_store *store);
