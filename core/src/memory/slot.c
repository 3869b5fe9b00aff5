/* slot.c - a thread's place in the store: claiming, leases, ending, and forks. Owns lrd__slot
 * (except its ledger, ledger.c) and the private lrd__thread beside it. Read lrd__thread_claim()
 * first, then lrd__slot_seize(), then the three fork handlers, slot_fork_prepare() and on.
 *
 * Invariants
 * - A slot is dead only if neither of its two leases is held. A thread that has taken both
 *   owns the slot and may clear it (incarnation + 1, ledger empty). No other thread changes
 *   claimed or incarnation. While it clears the slot, `owner` has another thread than `who`, and
 *   keys and messages of the dead owner are free already (lrd__slot_owner_lives()).
 * - Slots below slots_high are committed and have initialised leases; slots_lock guards its rise.
 * - The first slots of a store that evicts are spare: created before any other, and lent for
 *   one call to threads without a slot. All memory of a full file system may be held, so
 *   nothing else guarantees that there is a slot to write with.
 * - A child of fork() that inherits holds gets a slot of its own that lists them: claimed,
 *   listed and announced (handovers) by the parent before the fork. The parent holds its
 *   guardian until the child holds its owner lease, and no other thread touches that lease
 *   before. A child whose slot was lost (its parent died in between) ends. A child that could
 *   not get a slot continues without the store and cannot read its data: it faults instead of
 *   reading a wrong value.
 * - The private half lies in memory that fork() wipes, so a child that came about without the
 *   handlers (_Fork) finds no slot and claims one; handles from before it are invalid. After a
 *   raw clone(2) the kernel knows no list of the child's locks, so nothing would tell of its
 *   death: such a child is refused. */
#include "memory/slot.h"
#include "ground/clock.h"
#include "ground/lease.h"

#include <unistd.h>

/* ms between two searches for dead owners by one claim, unless the last one found some */
#define SLOT_LOOK_MS 100u

_Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX] LRD__TLS;

/* ---- leases ---- */

bool lrd__slot_seize(lrd__slot *slot)
{
    bool died;
    if (lrd__lease_try(&slot->guardian, &died) != LRD_OK)
        return false;
    LRD__FAILPOINT("slot_half_seized");
    if (lrd__lease_try(&slot->owner, &died) == LRD_OK)
        return true;
    lrd__mutex_unlock(&slot->guardian);
    return false;
}

void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot)
{
    /* Pairs with the acquire loads of a scan: the held blocks are no longer read. */
    atomic_store_explicit(&slot->n, 0, memory_order_release);
    atomic_store_explicit(&slot->spare, 0, memory_order_release);
    LRD__FAILPOINT("slot_emptied");
    atomic_store_explicit(&store->quotas[index], 0, memory_order_release);
    lrd__who_set(&slot->who, 0, 0);
    atomic_fetch_add_explicit(&slot->incarnation, 1, memory_order_release);
    LRD__FAILPOINT("slot_renamed");
    /* Count the freed slot while it is still claimed. If this thread dies before that, its slot
     * is reaped and counted. Pairs with queue_look_part(). */
    /* no thread waits for a spare slot, so none is counted */
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

/* Give the slot back if its owner is dead. Returns true if it is free now. A guardian may still
 * keep other threads from claiming it. */
static bool slot_reap(lrd_store *store, uint32_t index)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    bool died, unguarded = false;
    /* Only the holder of `owner` stores tid. If tid is 0, a forked child may be about to take
     * the lease, as in lrd__slot_seize(). */
    if (lrd__who_tid(&slot->who) == 0) {
        unguarded = lrd__lease_try(&slot->guardian, &died) == LRD_OK;
        if (!unguarded)
            return false;
    }
    LRD__FAILPOINT("slot_half_reaped");
    if (lrd__lease_try(&slot->owner, &died) != LRD_OK) {
        if (unguarded)
            lrd__mutex_unlock(&slot->guardian);
        return false;
    }
    /* The slot had an owner, so its guardian no longer matters. */
    bool owned = lrd__who_tid(&slot->who) != 0;
    unguarded = unguarded || lrd__lease_try(&slot->guardian, &died) == LRD_OK;
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

bool lrd__slot_alive(lrd_store *store, uint32_t index, uint64_t incarnation)
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
    /* A thread that gives the slot back holds `owner`, while `who` names the dead thread, or none.
     * If it has just finished, the incarnation has changed: the acquire pairs with the release of
     * lrd__mutex_unlock(). */
    const lrd__slot *slot = lrd__slot_at(store, index);
    uint32_t word = atomic_load_explicit(&slot->owner.word, memory_order_acquire);
    return (word & FUTEX_TID_MASK) == (uint32_t)lrd__who_tid(&slot->who) &&
           atomic_load_explicit(&slot->incarnation, memory_order_acquire) == incarnation;
}

void lrd__slots_notice(lrd_store *store)
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

/* ---- claiming ---- */

/* True if all of many slots may be checked now. Each slot lies in pages of its own, so a
 * thousand threads that arrive at once must not all check all slots. */
bool lrd__slots_look_due(lrd_store *store)
{
    _Atomic uint64_t *look_at = &store->header->slots_look_at;
    uint64_t now = lrd__clock_coarse();
    uint64_t at = atomic_load_explicit(look_at, memory_order_relaxed);
    return (now >= at || at - now > SLOT_LOOK_MS) &&
           atomic_compare_exchange_strong_explicit(look_at, &at, now + SLOT_LOOK_MS,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* ---- the process ---- */

/* Keep the counts of all slots: add them to the header's. Reads the file and not the mapping,
 * because parts of the mapping may be missing and would fault. */
void lrd__slots_keep_counts(lrd_store *store)
{
    lrd__header *header = store->header;
    uint32_t high = atomic_load_explicit(&header->slots_high, memory_order_relaxed);
    for (uint32_t i = 0; i < high && i < store->geo.slots; i++) {
        uint64_t counts[4]; /* hits, misses, copies, unpacks */
        off_t at = (off_t)(store->geo.slots_at + lrd__slot_begin(i) + offsetof(lrd__slot, hits));
        if (pread(store->fd, counts, sizeof counts, at) != (ssize_t)sizeof counts)
            return;
        lrd__add(&header->hits, counts[0]);
        lrd__add(&header->misses, counts[1]);
        lrd__add(&header->copies, counts[2]);
        lrd__add(&header->unpacks, counts[3]);
    }
}

_Static_assert(offsetof(lrd__slot, unpacks) == offsetof(lrd__slot, hits) + 24, "four in a row");
