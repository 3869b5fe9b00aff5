/* slot.c - the slot is a thread's place in the store. A lease is a robust lock that its owner holds
 * while it lives. This file checks leases, and reaps (frees) the slots of dead owners. Owns
 * lrd__slot, except its ledger. thread.c claims slots and handles forks. Read lrd__slot_seize()
 * first.
 *
 * Invariants
 * - A slot is dead if neither of its leases is held, or if a thread has held `owner` and that lease
 *   is free. Only the holder of `owner` may clear the slot. If no thread has held `owner` yet, the
 *   holder of `guardian` may clear it.
 * - Slots below slots_high are committed and have initialised leases. slots_high is raised only
 *   under slots_lock.
 * - The first slots of a store that evicts are spare. A thread borrows one for a call if a full
 *   file system leaves no memory for a new slot.
 * - A child of fork() that inherits holds gets its own slot that lists them. Before the fork, the
 *   parent claims this slot, lists the held blocks there, and announces the listings (handovers).
 *   The parent holds the guardian lease until the child holds the owner lease.
 * - The private data of a thread (lrd__thread) lies in memory that fork() wipes. So a child that
 *   was made without the fork handlers (_Fork) claims a slot of its own. A child of a raw clone(2)
 *   is refused, because its death would stay unnoticed. */
#include "memory/slot.h"
#include "ground/clock.h"
#include "ground/lease.h"

#include <unistd.h>

/* minimum time (ms) between two checks of all slots for dead owners */
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
    /* pair with the acquire loads of a scan: the owner's reads are over before its blocks are
     * reused */
    atomic_store_explicit(&slot->n, 0, memory_order_release);
    atomic_store_explicit(&slot->spare, 0, memory_order_release);
    LRD__FAILPOINT("slot_emptied");
    atomic_store_explicit(&store->quotas[index], 0, memory_order_release);
    lrd__who_set(&slot->who, 0, 0);
    atomic_fetch_add_explicit(&slot->incarnation, 1, memory_order_release);
    LRD__FAILPOINT("slot_renamed");
    /* Count the slot before giving up the claim, so that a death in between counts it twice instead
     * of never. Pairs with the acquire in queue_look_part(). */
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
 * may still hold its guardian lease. */
static LRD__HOT bool slot_reap(lrd_store *store, uint32_t index)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    bool unguarded = false;
    /* If tid is 0, a forked child may be about to take the owner lease. The child's parent holds
     * the guardian lease until then. Only the holder of the owner lease stores tid. */
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
    /* A tid shows that a thread has held the owner lease. So no child is about to take it, and the
     * slot may be cleared even without the guardian lease. */
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
    /* While another thread reaps the slot, `owner` has that thread's id, which differs from `who`.
     * The acquire pairs with the release in lrd__mutex_unlock(). */
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

/* Read the slots' counts with pread(). If the file has lost a part, a load from the mapping would
 * fault. */
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
        /* a thread that loads the new slots_high (acquire) sees this slot's counts in the header */
        atomic_store_explicit(&header->slots_high, i, memory_order_release);
        LRD__FAILPOINT("slot_kept");
    }
}

_Static_assert(offsetof(lrd__slot, unpacks) == offsetof(lrd__slot, hits) + 24 &&
                   offsetof(lrd__slot, copies_number) == offsetof(lrd__slot, hits) + 48,
               "seven in a row");
