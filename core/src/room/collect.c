/* collect.c - empties pages of any shard for one thread, which then claims them.
 *
 * Invariants
 * - A thread has one shard lock at a time. So a collector marks its pages (field `drain`), and
 *   empties each one under the lock of the page's shard. Then it claims the empty pages under the
 *   lock of its own shard. Other threads ignore the marks of a collector that has died.
 * - One writer at a time collects a page. A thread that gives back the memory of a free page claims
 *   the page first. */
#include "room/collect.h"
#include "room/pages.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/entry.h"
#include "locks/lock.h"

/* Mark a page as collected by `self`. Returns false if another thread collects it. */
static bool room_mark(lrd_store *store, const lrd__thread *self, uint32_t page)
{
    _Atomic uint64_t *drain = &store->pages[page].drain;
    uint64_t mark = atomic_load_explicit(drain, memory_order_relaxed);
    do {
        if (lrd__page_collected(store, self, mark))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(drain, &mark, lrd__drain_mark(self),
                                                    memory_order_seq_cst, memory_order_relaxed));
    LRD__FAILPOINT("room_marked");
    return true;
}

int lrd__room_collect_page(lrd_store *store, lrd__thread *self, uint32_t page)
{
    for (int tries = 0; tries < 5; tries++) {
        /* set the mark again, because a thread that vets the shard (vet.c) clears it */
        if (!room_mark(store, self, page))
            return LRD_ENOROOM;
        /* A thread that claims the page stores the owner, and then loads the mark. This thread has
         * stored the mark, and now loads the owner. Both use seq_cst, so at least one thread sees
         * the other's store. */
        uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_seq_cst);
        if (owner == 0)
            return LRD_OK;
        uint32_t shard = lrd__owner_shard(owner);
        if (shard >= store->geo.shards)
            return LRD_ENOROOM;
        int rc = lrd__shard_lock(store, self, shard);
        if (rc != LRD_OK)
            return rc;
        lrd__entry_sync(store, shard);
        owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
        bool emptied = lrd__owner_is(owner, shard) && lrd__room_empty_page(store, shard, page);
        bool held = lrd__owner_is(owner, shard) && !emptied;
        lrd__shard_unlock(store, shard);
        if (held)
            return LRD_ENOROOM;
    }
    return LRD_ENOROOM;
}

void lrd__room_unmark(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t count)
{
    for (uint64_t p = first; p < first + count; p++) {
        uint64_t mark = lrd__drain_mark(self);
        atomic_compare_exchange_strong_explicit(&store->pages[p].drain, &mark, 0,
                                                memory_order_seq_cst, memory_order_relaxed);
    }
}
