/* slot.c - a thread's place in the store: claiming, leases, ending, and what a fork does to it.
 * Owns lrd__slot (but the ledger in it, ledger.c) and the private lrd__thread beside it. Read
 * lrd__thread_claim() first, then lrd__slot_seize(), then the three fork handlers,
 * slot_fork_prepare() and on.
 *
 * Invariants
 * - A slot is dead only when neither of its two leases is held. Whoever got hold of both may clear
 *   it (incarnation + 1, ledger empty) and has it; nobody else changes claimed or incarnation.
 * - Slots below slots_high are committed and have initialised leases; slots_lock guards its rise.
 * - The first slots of a store that evicts are spare: made before any other, and had for one call
 *   at a time by threads that can have none of their own. All the memory of a full file system may
 *   be held, so nothing else makes sure that there is a slot to write with.
 * - A child of fork() that inherits holds gets a slot of its own that lists them: claimed, listed
 *   and announced (handovers) by the parent before the fork; the parent holds its guardian until
 *   the child holds its owner lease, and until then nobody else touches that. A child whose slot
 *   was lost (its parent died in between) ends. One that could not get a slot goes on without the
 *   store, whose data it cannot read any more: a fault in that child instead of a wrong value.
 * - The private half lies in memory that fork() wipes, so a child that came about without the
 *   handlers (_Fork) finds no slot and claims one; handles from before it are invalid. After a raw
 *   clone(2) the C library still takes itself for the parent and would mark locks with the parent's
 *   thread, whose death tells nothing: such a child is refused.
 */
#include "memory/slot.h"
#include "ground/clock.h"
#include "ground/lease.h"

#include <unistd.h>

#define SLOT_LOOK_MS 100u /* ... only so often, by one claim, unless the last look found one */

_Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* ---- leases ---- */

bool lrd__slot_seize(lrd__slot *slot)
{
    bool died;
    if (lrd__lease_try(&slot->guardian, &died) != LRD_OK)
        return false;
    LRD__FAILPOINT("slot_half_seized");
    if (lrd__lease_try(&slot->owner, &died) == LRD_OK)
        return true;
    pthread_mutex_unlock(&slot->guardian);
    return false;
}

void lrd__slot_clear(lrd_store *store, uint32_t index, lrd__slot *slot)
{
    /* Pairs with the acquire loads of a scan: what was held is not read any more. */
    atomic_store_explicit(&slot->n, 0, memory_order_release);
    atomic_store_explicit(&slot->spare, 0, memory_order_release);
    LRD__FAILPOINT("slot_emptied");
    atomic_store_explicit(&store->quotas[index], 0, memory_order_release);
    lrd__who_set(&slot->who, 0, 0);
    atomic_fetch_add_explicit(&slot->incarnation, 1, memory_order_release);
    LRD__FAILPOINT("slot_renamed");
    /* While it is claimed: who dies before is followed by another one. Pairs with
     * queue_look_part(). */
    if (index >= lrd__slots_spare(&store->geo)) /* which nobody waits for */
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

/* Give the slot back if its owner is dead. True: it is free (now), but for a guardian perhaps, who
 * keeps others from claiming it. */
static bool slot_reap(lrd_store *store, uint32_t index)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    bool died, unguarded = false;
    /* tid is stored by who holds owner. Without one, a child may be about to take it: as in
     * lrd__slot_seize(). */
    if (lrd__who_tid(&slot->who) == 0) {
        unguarded = lrd__lease_try(&slot->guardian, &died) == LRD_OK;
        if (!unguarded)
            return false;
    }
    LRD__FAILPOINT("slot_half_reaped");
    if (lrd__lease_try(&slot->owner, &died) != LRD_OK) {
        if (unguarded)
            pthread_mutex_unlock(&slot->guardian);
        return false;
    }
    /* It had an owner: so a guardian does not matter any more. */
    bool owned = lrd__who_tid(&slot->who) != 0;
    unguarded = unguarded || lrd__lease_try(&slot->guardian, &died) == LRD_OK;
    LRD__FAILPOINT("slot_reaping");
    if ((owned || unguarded) && atomic_load_explicit(&slot->claimed, memory_order_relaxed) != 0) {
        lrd__slot_clear(store, index, slot);
        lrd__slot_count_death(store);
    }
    if (unguarded)
        pthread_mutex_unlock(&slot->guardian);
    pthread_mutex_unlock(&slot->owner);
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

/* Whether all of many slots may be looked at: each lies in pages of its own, and a thousand threads
 * that come at once would look at each other's. */
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

/* Reads the file, not the mapping: what is missing in it must not fault. */
void lrd__slots_keep_counts(lrd_store *store)
{
    lrd__header *header = store->header;
    uint32_t high = atomic_load_explicit(&header->slots_high, memory_order_relaxed);
    for (uint32_t i = 0; i < high && i < store->geo.slots; i++) {
        uint64_t counts[3]; /* hits, misses, copies */
        off_t at =
            (off_t)(store->geo.slots_at + (uint64_t)i * LRD__SLOT_SIZE + offsetof(lrd__slot, hits));
        if (pread(store->fd, counts, sizeof counts, at) != (ssize_t)sizeof counts)
            return;
        lrd__add(&header->hits, counts[0]);
        lrd__add(&header->misses, counts[1]);
        lrd__add(&header->copies, counts[2]);
    }
}

_Static_assert(offsetof(lrd__slot, copies) == offsetof(lrd__slot, hits) + 16, "three in a row");
