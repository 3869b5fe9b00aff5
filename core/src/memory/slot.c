/* slot.c - the slot is a thread's place in the store. A lease is a robust lock that its owner holds
 * while it lives. This file checks leases, and reaps slots: if the owner of a slot has died, it
 * frees the slot. Owns lrd__slot (except its ledger, ledger.c). thread.c claims slots and handles
 * forks. Read lrd__slot_seize() first.
 *
 * Invariants
 * - A slot is dead if neither of its leases is held, or if a thread has held `owner` and that lease
 *   is free. To clear a slot is to empty its ledger and raise its incarnation. Only the holder of
 *   `owner` may do it, or, if no thread has held `owner` yet, the holder of `guardian`. While a
 *   thread clears the slot of a dead owner, `owner` names the clearing thread, but `who` still
 *   names the dead one. Because the two differ, lrd__slot_owner_lives() returns false, and other
 *   threads treat the keys and messages of the dead owner as free.
 * - Slots below slots_high are committed and have initialised leases. slots_high is raised only
 *   under slots_lock.
 * - The first slots of a store that evicts are spare. They are created with the store. If a full
 *   file system leaves no memory for a new slot, a thread without a slot borrows a spare one for
 *   one call.
 * - A child of fork() that inherits holds gets its own slot that lists them. Before the fork, the
 *   parent claims this slot, lists the held blocks there, and announces the listings (handovers).
 *   The parent holds the slot's guardian lease until the child holds the owner lease. If the parent
 *   dies before that, the slot is lost, and the child ends. If the store has no slot left for a
 *   child, the child faults when it reads the data, so it never reads a wrong value.
 * - The private half lies in memory that fork() wipes, so a child that was made without the fork
 *   handlers (_Fork) finds no slot and claims one; its parent's handles are invalid in the child. A
 *   child of a raw clone(2) is refused, because its death would stay unnoticed. */
#include "memory/slot.h"
#include "ground/clock.h"
#include "ground/lease.h"

#include <unistd.h>

/* Minimum time (ms) between two checks of all slots for dead owners. If a check has found a slot to
 * claim, the next check may follow immediately. */
#define SLOT_LOOK_MS 100u

_Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX] LRD__TLS;

LRD__HOT bool lrd__slot_seize(lrd__slot *slot)
{
    if (lrd__lease_try(&slot->guardian, &slot->guard) != LRD_OK)
        return false;
    LRD__FAILPOINT("slot_half_seized");
    if (lrd__lease_try(&slot->owner, &slot->who) == LRD_OK)
        return true;
    lrd__mutex_unlock(&slot->guardian);
    return false;
}

LRD__HOT void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot)
{
    /* These releases pair with the acquire loads of a scan. So the owner's reads of its blocks are
     * over before the blocks can be reused. */
    atomic_store_explicit(&slot->n, 0, memory_order_release);
    atomic_store_explicit(&slot->spare, 0, memory_order_release);
    LRD__FAILPOINT("slot_emptied");
    atomic_store_explicit(&store->quotas[index], 0, memory_order_release);
    lrd__who_set(&slot->who, 0, 0);
    atomic_fetch_add_explicit(&slot->incarnation, 1, memory_order_release);
    LRD__FAILPOINT("slot_renamed");
    /* Count the slot as freed before the claim is given up. If this thread dies between the two
     * steps, the thread that reaps the slot counts it again, which does no harm. Do not count spare
     * slots, because no thread waits for one. The release pairs with the acquire in
     * queue_look_part(). */
    if (index >= lrd__slots_spare(&store->geo))
        atomic_fetch_add_explicit(&store->header->slots_freed, 1, memory_order_release);
    LRD__FAILPOINT("slot_counted");
    atomic_store_explicit(&slot->claimed, 0, memory_order_release);
    if (index >= lrd__slots_spare(&store->geo))
        atomic_store_explicit(&store->header->slots_hint, index, memory_order_relaxed);
    LRD__FAILPOINT("slot_freed");
}

void lrd__slot_count_death(lrd_store *store)
{
    atomic_fetch_add_explicit(&store->header->reaped, 1, memory_order_relaxed);
}

/* Reap the slot if its owner is dead. Returns true if the slot is no longer claimed; another thread
 * may still hold the slot's guardian lease. */
static LRD__HOT bool slot_reap(lrd_store *store, uint32_t index)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    bool unguarded = false;
    /* If the slot's tid is 0, a forked child may be about to take the owner lease. The child's
     * parent holds the guardian lease until then. So do not give the slot back while another thread
     * holds the guardian lease. Only the holder of `owner` stores tid. */
    if (lrd__who_tid(&slot->who) == 0) {
        unguarded = lrd__lease_try(&slot->guardian, &slot->guard) == LRD_OK;
        if (!unguarded)
            return false;
    }
    LRD__FAILPOINT("slot_half_reaped");
    if (lrd__lease_try(&slot->owner, &slot->who) != LRD_OK) {
        if (unguarded)
            lrd__mutex_unlock(&slot->guardian);
        return false;
    }
    /* If the slot has a thread id, no forked child is about to take the owner lease. So free the
     * slot even if another thread holds the guardian lease. */
    bool owned = lrd__who_tid(&slot->who) != 0;
    unguarded = unguarded || lrd__lease_try(&slot->guardian, &slot->guard) == LRD_OK;
    LRD__FAILPOINT("slot_reaping");
    if ((owned || unguarded) && atomic_load_explicit(&slot->claimed, memory_order_relaxed) != 0) {
        lrd__slot_clear(store, index, slot);
        lrd__slot_count_death(store);
    }
    if (unguarded)
        lrd__mutex_unlock(&slot->guardian);
    lrd__mutex_unlock(&slot->owner);
    return owned || unguarded;
}

LRD__HOT bool lrd__slot_alive(lrd_store *store, uint32_t index, uint64_t incarnation)
{
    if (index >= atomic_load_explicit(&store->header->slots_high, memory_order_acquire))
        return false;
    lrd__slot *slot = lrd__slot_at(store, index);
    if (atomic_load_explicit(&slot->incarnation, memory_order_acquire) != incarnation)
        return false;
    return atomic_load_explicit(&slot->claimed, memory_order_acquire) != 0 &&
           !slot_reap(store, index);
}

bool lrd__slot_owner_lives(lrd_store *store, uint32_t index, uint64_t incarnation)
{
    if (!lrd__slot_alive(store, index, incarnation))
        return false;
    /* While another thread reaps the slot, `owner` has the id of that thread, but `who` still has
     * the id of the dead thread, or 0. So the ids differ. After the reaping, the incarnation
     * differs. The acquire load of `owner` pairs with the release in lrd__mutex_unlock(). */
    const lrd__slot *slot = lrd__slot_at(store, index);
    uint32_t word = atomic_load_explicit(&slot->owner.word, memory_order_acquire);
    return (word & FUTEX_TID_MASK) == (uint32_t)lrd__who_tid(&slot->who) &&
           atomic_load_explicit(&slot->incarnation, memory_order_acquire) == incarnation;
}

LRD__HOT void lrd__slots_notice(lrd_store *store)
{
    if (store->barred || !lrd__process_sound())
        return;
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    for (uint32_t i = 0; i < high; i++)
        if (atomic_load_explicit(&lrd__slot_at(store, i)->claimed, memory_order_acquire) != 0)
            slot_reap(store, i);
}

void lrd__slots_bury(lrd_store *store)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    for (uint32_t i = 0; i < high; i++) {
        lrd__slot *slot = lrd__slot_at(store, i);
        if (atomic_load_explicit(&slot->claimed, memory_order_acquire) == 0 || slot_reap(store, i))
            continue;
        lrd__lease_gone(&slot->owner, &slot->who);
        lrd__lease_gone(&slot->guardian, &slot->guard);
        slot_reap(store, i);
    }
}

bool lrd__slots_look_due(lrd_store *store)
{
    _Atomic uint64_t *look_at = &store->header->slots_look_at;
    uint64_t now = lrd__clock_coarse();
    uint64_t at = atomic_load_explicit(look_at, memory_order_relaxed);
    return (now >= at || at - now > SLOT_LOOK_MS) &&
           atomic_compare_exchange_strong_explicit(look_at, &at, now + SLOT_LOOK_MS,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* Reads the slots with pread(), because a load through the mapping would fault where the file has
 * lost a part. */
void lrd__slots_keep_counts(lrd_store *store)
{
    lrd__header *header = store->header;
    uint32_t high = atomic_load_explicit(&header->slots_high, memory_order_relaxed);
    for (uint32_t i = high < store->geo.slots ? high : store->geo.slots; i-- > 0;) {
        /* fields of a slot: hits, misses, copies, unpacks, room, copies_time, copies_number */
        uint64_t counts[7];
        off_t at = (off_t)(store->geo.slots_at + lrd__slot_begin(i) + offsetof(lrd__slot, hits));
        if (pread(store->fd, counts, sizeof counts, at) != (ssize_t)sizeof counts)
            memset(counts, 0, sizeof counts);
        lrd__add(&header->hits, counts[0]);
        lrd__add(&header->misses, counts[1]);
        lrd__add(&header->copies, counts[2]);
        lrd__add(&header->unpacks, counts[3]);
        lrd__add(&header->copies_time, counts[5]);
        lrd__add(&header->copies_number, counts[6]);
        /* A thread that loads the new slots_high (acquire) also sees this slot's counts in the
         * header. */
        atomic_store_explicit(&header->slots_high, i, memory_order_release);
        LRD__FAILPOINT("slot_kept");
    }
}

_Static_assert(offsetof(lrd__slot, unpacks) == offsetof(lrd__slot, hits) + 24 &&
                   offsetof(lrd__slot, copies_number) == offsetof(lrd__slot, hits) + 48,
               "seven in a row");
