/* room.c - makes room for a block in a full store. First it frees retired blocks, dead and expired
 * entries, and expired messages. If the policy evicts, it then evicts entries of the same size
 * (order.c), runs that lie in a row (rows.c), or all entries of whole pages (pages.c, windows.c).
 * Begin reading at lrd__room_make().
 *
 * If the wanted block's order is the worst one (order.c), or nearly so, entries are evicted from
 * its queues, which leaves blocks that fit. Otherwise a whole page of the worst order is emptied.
 * Evicting entries from the worst order's queues would free blocks in many of its pages, but
 * usually no whole page.
 *
 * For a run, lrd__room_take_rows() evicts one of the next victims and the runs beside it. Together
 * with the free units between them, these runs make a row of the wanted length. If there is no such
 * row, and the run has several pages, lrd__room_take_window() empties a window. The ghost (evict.c)
 * remembers all entries that were evicted in these ways.
 *
 * Invariants
 * - Work under a lock is bounded to 1/64 of a shard's share of the data, and 1/256 of its index, at
 *   a time.
 * - A search that failed is not repeated for 2 ms, unless something was deleted. */
#include "room/room.h"
#include "room/order.h"
#include "room/pages.h"
#include "room/rows.h"
#include "room/windows.h"
#include "ground/error.h"
#include "ground/lease.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/zone.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/entry.h"
#include "entries/message.h"
#include "locks/lock.h"

/* one call does at most this many steps of the timing wheel, which take 1 ms */
#define ROOM_EXPIRE 4096u
/* in a store that does not evict: a write is refused after this number of steps that found no
 * room */
#define ROOM_TIDIES 1000u
/* in a store that evicts: after this number of steps that found no room, a write takes pages of any
 * shard; after twice this number, it is refused */
#define ROOM_ROUNDS 6u
/* To make room for a block, entries of its own order are usually evicted (for a run: other runs).
 * But if the next victim of another order costs more than ROOM_BETTER times as much to keep, a page
 * of that other order is emptied instead. The factor is large because emptying a page evicts all
 * its entries, even those in use. */
#define ROOM_BETTER 6u
/* When a run needs room, the next victim of a size class may cost more than ROOM_BETTER_SMALL times
 * as much to keep as the next victim of the runs. The first try then empties only a page of small
 * blocks. Without this rule, runs would lose too many pages to small blocks, because a small entry
 * that was used once makes its page expensive for a long time. */
#define ROOM_BETTER_SMALL 12u
#define ROOM_SOME 64u /* one batch evicts 1/ROOM_SOME of the bytes of an order */
/* if the retired blocks exceed reclaim_at by the size of this number of batches, reclaim them at
 * once, although no barrier is due */
#define ROOM_LATE 7u
/* time (ms) of one pause while other threads build values in free windows */
#define ROOM_PAUSE_MS 2u
/* Length (ms) of a long pause. A search first makes short pauses, for LRD_LOCK_WAIT_MS in all. Then
 * it makes long pauses while room_builders_run() returns true. All its pauses together last at most
 * ROOM_BUILDS_MS. */
#define ROOM_PAUSE_LONG_MS 20u
#define ROOM_BUILDS_MS 5000u

/* Return true if a block may have been retired since the last scan of the ledgers, so that another
 * scan may free it. The last scan freed the blocks that were retired before it, unless they were
 * held. */
static bool room_has_new(const lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    return lrd__shard_retired(store, index) + shard->reclaim_step > shard->reclaim_at;
}

/* Free memory that no live value uses: that of dead and expired entries, and of pages without
 * blocks. Does a limited amount of work. Returns 0 if another call would be useless, because no
 * dead or expired entry was found, and no place is left to search. [locked] */
static uint64_t room_tidy(lrd_store *store, uint32_t index, uint64_t bytes, uint32_t size_class)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t found = lrd__room_expire(store, index, ROOM_EXPIRE);
    if (store->expires && shard->wheel_count != 0 &&
        shard->wheel_tick < (uint32_t)(lrd__now(store) >> LRD__TICK_BITS))
        found++; /* the wheel has not reached the present time yet, so go on */
    found += lrd__room_sweep_dead(store, index, bytes);
    /* the sweep has not visited all buckets yet, so go on */
    found += lrd__room_sweeps(store, index);
    if (!store->evicts || room_has_new(store, index))
        /* Do not add the bytes that reclaiming frees to `found`. Other writers retire blocks all
         * the time, so `found` would never be 0, and the caller would call this function
         * forever. */
        lrd__arena_reclaim(store, index, false);
    /* If a store that evicts needs room for a run, giving back the shard's empty pages would not
     * help: the search for the run has already considered their free units. */
    if (!store->evicts || size_class != LRD__CLASS_RUN)
        lrd__arena_trim(store, index);
    return found;
}

/* Remove expired messages, whose blocks room_tidy() then frees. */
static uint64_t room_sweep_queues(lrd_store *store, uint32_t index)
{
    return store->queues != NULL ? lrd__queue_sweep(store, index, lrd__now(store)) : 0;
}

/* Call room_tidy() for `shard`, whose lock this thread has. Then release this lock, call
 * room_tidy() for all other shards, and take the lock again. If the lock of another shard is not
 * available, sets *busy to true, and no longer waits for busy shards. */
static uint64_t room_tidy_all(lrd_store *store, lrd__thread *self, uint32_t shard, bool *locked,
                              bool *busy)
{
    uint64_t batch = lrd__batch_bytes(store), found = room_sweep_queues(store, shard);
    found += room_tidy(store, shard, batch, 0);
    lrd__shard_unlock(store, shard);
    *locked = false;
    uint32_t stalled = lrd__room_stalled(store, self);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        if (i == shard)
            continue;
        bool wait = !*busy && stalled != i + 1;
        if ((wait ? lrd__shard_lock(store, self, i) : lrd__shard_try(store, self, i)) != LRD_OK) {
            if (wait)
                lrd__room_note_stalled(store, i);
            *busy = true;
            continue;
        }
        lrd__entry_sync(store, i);
        found += room_sweep_queues(store, i);
        found += room_tidy(store, i, batch, 0);
        lrd__shard_unlock(store, i);
    }
    *locked = lrd__shard_lock(store, self, shard) == LRD_OK;
    return found;
}

/* Return a number that changes whenever a page becomes free. */
static uint64_t room_pages_freed(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->pages_hint, memory_order_relaxed) >> 32) +
           atomic_load_explicit(&store->header->minis_freed, memory_order_relaxed);
}

/* Make room for a block of a size class. Usually evicts the class's next victim, or several entries
 * if the class has many. But if the next victim of the worst order costs more than ROOM_BETTER
 * times as much to keep, empties a page of the worst order instead. */
static void room_make_small(lrd_store *store, uint32_t index, uint64_t bytes, uint32_t step)
{
    uint32_t order = lrd__order_of(bytes);
    const lrd__order *o = store->shards[index].orders + order;
    uint64_t block = lrd__class_size(order), batch = lrd__batch_bytes(store), worse, own = 0;
    uint64_t some = (o->small_bytes + o->main_bytes) / ROOM_SOME;
    uint32_t chances = LRD__ROOM_CHANCES, own_chances = LRD__ROOM_CHANCES;
    uint32_t worst = lrd__room_worst(store, index, 0, LRD__ORDERS, &chances, &worse);
    do
        own = lrd__room_cost(store, index, order, block);
    while (own * ROOM_BETTER >= worse && --own_chances > 0 &&
           lrd__evict_spares_next(store, index, order));
    bool all = step >= 4 || worst == LRD__ORDERS;
    some = some < batch ? some : batch;
    if (step < 4 && own != 0 && own * ROOM_BETTER >= worse &&
        lrd__room_evict_batch(store, index, order, some > block ? some : block) > 0)
        lrd__arena_reclaim(store, index, false);
    else
        lrd__room_take_page(store, index, all ? 0 : worst, all ? LRD__ORDERS : worst + 1,
                            step >= 4);
}

/* Make room for a run: evict the runs in a row (a piece of run pages), empty a page of less
 * valuable small blocks, or take neighbouring pages of any shards. */
static int room_make_run(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                         uint32_t step, bool *locked, bool *busy)
{
    uint64_t units = lrd__units(bytes), worse, own;
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    uint32_t small_chances = LRD__ROOM_CHANCES, chances = LRD__ROOM_CHANCES;
    uint32_t worst = lrd__room_worst(store, index, 0, LRD__CLASSES, &small_chances, &worse);
    lrd__room_worst(store, index, LRD__CLASSES, LRD__ORDERS, &chances, &own);
    if (pages == 1 && worst != LRD__ORDERS && own * ROOM_BETTER < worse) {
        /* Here step 2 empties only a page of small blocks. It finds none if all small blocks are in
         * mini pages. Then a later step may empty a page of runs. */
        bool small = step == 2 && own * ROOM_BETTER_SMALL < worse;
        lrd__room_take_page(store, index, small ? 0 : worst, small ? LRD__CLASSES : worst + 1,
                            step >= 4);
        return LRD_OK;
    }
    if (step < 4 && lrd__room_take_rows(store, index, units, &chances)) {
        lrd__arena_reclaim(store, index, true);
        return LRD_OK;
    }
    if (pages > 1)
        return lrd__room_take_window(store, self, index, pages, LRD__CLASS_RUN, locked, busy);
    lrd__room_take_page(store, index, step < 4 ? LRD__CLASSES : 0, LRD__ORDERS, step >= 4);
    return LRD_OK;
}

/* Do one step of making room; later steps cost more. Returns LRD_ENOROOM or LRD_ENOMEM if nothing
 * more can be done. *busy is set as in lrd__room_take_window(). */
static int room_step(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                     uint32_t step, bool *locked, bool *busy)
{
    lrd__shard *shard = store->shards + index;
    uint64_t batch = lrd__batch_bytes(store);
    uint32_t size_class = lrd__class_of(bytes);
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    if (step == 0) {
        /* Blocks that were held at the last scan may be free by now. */
        if (!store->evicts || room_has_new(store, index) ||
            lrd__shard_retired(store, index) >= bytes)
            lrd__arena_reclaim(store, index, false);
        return LRD_OK;
    }
    if (step == 1) {
        room_tidy(store, index, batch > 2 * bytes ? batch : 2 * bytes, size_class);
        return LRD_OK;
    }
    /* In a store that does not evict, every step from 2 on removes dead and expired entries. A
     * further step is useful only if this step removed some, or if a page became free during step
     * 2. */
    if (!store->evicts) {
        uint64_t freed = room_pages_freed(store);
        uint64_t found = step < ROOM_TIDIES ? room_tidy_all(store, self, index, locked, busy) : 0;
        bool more = found > 0 || (step == 2 && room_pages_freed(store) != freed);
        return !*locked ? LRD_EBUSY : more ? LRD_OK : LRD_ENOROOM;
    }
    uint64_t owned = atomic_load_explicit(&shard->page_bytes, memory_order_relaxed);
    bool poor = owned < store->geo.size / store->geo.shards / 2;
    /* If the shard has few pages, or if all cheaper steps have failed, take pages of any shard. */
    if (poor || step >= 2 + ROOM_ROUNDS)
        return step < 2 + 2 * ROOM_ROUNDS
                   ? lrd__room_take_window(store, self, index, pages, size_class, locked, busy)
                   : LRD_ENOROOM;
    if (size_class == LRD__CLASS_RUN)
        return room_make_run(store, self, index, bytes, step, locked, busy);
    room_make_small(store, index, bytes, step);
    return LRD_OK;
}

/* True if a search for this many bytes, or for fewer, failed a moment ago, and no entry was deleted
 * since then. */
static bool room_hopeless(const lrd_store *store, const lrd__shard *shard, uint64_t bytes)
{
    return shard->full_until != 0 && bytes >= shard->full_bytes &&
           lrd__clock_monotonic_ms() < shard->full_until &&
           shard->full_deletes ==
               atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

static void room_give_up(const lrd_store *store, lrd__shard *shard, uint64_t bytes)
{
    /* Add 2 ms, not 1: the clock may advance right after it was read, and then 1 ms would be over
     * immediately. */
    shard->full_until = lrd__clock_monotonic_ms() + 2;
    shard->full_bytes = bytes;
    shard->full_deletes = atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

/* Return how long (ms) a search for room may wait for other threads that are building values. If
 * lrd__zone_hungry() is true, held blocks may bar all pages for a long time, so a long wait may be
 * useless. Then returns only ROOM_PAUSE_MS, or 0 if there are no other threads. */
static uint32_t room_pauses_ms(const lrd_store *store)
{
    uint32_t used = 0,
             high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    if (!lrd__zone_hungry(store))
        return LRD_LOCK_WAIT_MS;
    for (uint32_t i = 0; i < high && used < 2; i++)
        used += atomic_load_explicit(&lrd__slot_at(store, i)->claimed, memory_order_relaxed) != 0;
    return used < 2 ? 0 : ROOM_PAUSE_MS;
}

/* Return true if another thread has a block in the zone, and is running or waiting for a processor.
 * Called after a search has found no window in the zone. Held values never bar the whole zone, so
 * other threads must be building values there. If a thousand threads do this, it may take seconds
 * until each of them has had a processor. */
static bool room_builders_run(const lrd_store *store, const lrd__thread *self)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    for (uint32_t i = 0; i < high; i++)
        if (i != self->slot_index &&
            atomic_load_explicit(&store->quotas[i], memory_order_relaxed) >> LRD__QUOTA_BITS != 0 &&
            lrd__thread_runs(lrd__who_tid(&lrd__slot_at(store, i)->who)))
            return true;
    return false;
}

/* Return the length (ms) of the next pause of a search for room, or 0 if the search must end.
 * `waited` is the time (ms) for which the search has paused so far. */
static uint32_t room_next_pause(const lrd_store *store, const lrd__thread *self, uint32_t waited)
{
    uint32_t most = room_pauses_ms(store);
    if (waited + ROOM_PAUSE_MS <= most)
        return ROOM_PAUSE_MS;
    return most == LRD_LOCK_WAIT_MS && waited < ROOM_BUILDS_MS && room_builders_run(store, self)
               ? ROOM_PAUSE_LONG_MS
               : 0;
}

/* Pause for `ms` milliseconds, without the lock. Other threads may be building values in the free
 * windows of the zone, and will finish soon. */
static int room_pause(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t ms,
                      bool *locked)
{
    lrd__shard_unlock(store, shard);
    lrd__clock_nap(ms);
    int rc = lrd__shard_lock(store, self, shard);
    *locked = rc == LRD_OK;
    if (rc == LRD_OK)
        lrd__entry_sync(store, shard);
    return rc;
}

/* Return the number of bytes of the data that neither entries nor messages use. Retired blocks
 * count as free. */
static uint64_t room_free_bytes(const lrd_store *store)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < store->geo.shards; i++)
        taken += atomic_load_explicit(&store->shards[i].live_bytes, memory_order_relaxed) +
                 atomic_load_explicit(&store->shards[i].dead_bytes, memory_order_relaxed) +
                 (store->queues != NULL
                      ? atomic_load_explicit(&store->queue_shards[i].bytes, memory_order_relaxed)
                      : 0);
    return taken < store->geo.size ? store->geo.size - taken : 0;
}

/* Return the error of a search that has failed, and record its text. `full` is the result of the
 * last attempt to allocate. `busy` is true if the lock of some shard was not available. */
static int room_refuse(const lrd_store *store, lrd__thread *self, uint64_t bytes, int full,
                       bool busy)
{
    if (busy)
        return lrd__fail(LRD_EBUSY, "%llu bytes wanted: a shard whose pages could give way is busy",
                         (unsigned long long)bytes);
    if (full == LRD_ENOSPC)
        return lrd__segment_full(store, bytes);
    /* Allow for rounding: block sizes are rounded up by at most a sixteenth. */
    uint64_t free = room_free_bytes(store);
    self->scattered = free >= bytes + store->geo.size / 16;
    if (self->scattered)
        return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, %llu of %llu are free, not in one piece",
                         (unsigned long long)bytes, (unsigned long long)free,
                         (unsigned long long)store->geo.size);
    return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, the store has %llu",
                     (unsigned long long)bytes, (unsigned long long)store->geo.size);
}

/* Make room in steps, and try to allocate after each step. `full` is the result of the caller's own
 * attempt to allocate. */
static __attribute__((noinline)) int room_search(lrd_store *store, lrd__thread *self,
                                                 uint32_t index, uint64_t bytes, int full,
                                                 uint64_t *offset, uint32_t *entry, bool *locked)
{
    lrd__shard *shard = store->shards + index;
    uint32_t waited = 0;
    bool busy = false; /* true if the lock of some shard was not available */
    self->scattered = false;
    for (uint32_t step = 0;; step++) {
        int rc = step == 0 ? full : lrd__arena_try(store, self, index, bytes, offset, entry);
        if ((rc != LRD_ENOROOM && rc != LRD_ENOSPC) || (rc == LRD_ENOSPC && LRD__CONTROL(no_evict)))
            return rc;
        full = rc;
        if (step == 0 && room_hopeless(store, shard, bytes))
            break;
        rc = room_step(store, self, index, bytes, step, locked, &busy);
        if (!*locked)
            return rc;
        if (rc != LRD_OK && rc != LRD_ENOROOM && rc != LRD_ENOMEM)
            return rc;
        if (rc != LRD_OK) {
            bool blind = rc == LRD_ENOMEM;
            /* As a last resort, take a block of a larger class. In a store that evicts, the block
             * may have any size, because it becomes free when its entry is evicted. In another
             * store, the block may have at most twice the wanted size, because no larger value can
             * use it for as long as the entry lives. */
            rc = lrd__arena_larger(store, self, index, bytes,
                                   store->evicts ? UINT64_MAX : 2 * bytes, offset, entry);
            if (rc != LRD_ENOROOM && rc != LRD_ENOSPC)
                return rc;
            if (blind)
                return lrd__fail(LRD_ENOMEM, "a survey of pages, for %llu bytes in one piece",
                                 (unsigned long long)bytes);
            uint32_t pause =
                store->evicts && !busy && bytes <= lrd__zone_pages(store) << LRD__PAGE_BITS
                    ? room_next_pause(store, self, waited)
                    : 0;
            if (pause != 0) {
                waited += pause;
                rc = room_pause(store, self, index, pause, locked);
                if (rc != LRD_OK)
                    return rc;
                step = 1;
                continue;
            }
            /* In a store that does not evict, report that there is no room even if a shard was
             * busy: the busy shard could have freed only dead entries. */
            busy = busy && store->evicts;
            /* if a shard was busy, the next search may succeed, so do not record this failure */
            if (!busy)
                room_give_up(store, shard, bytes);
            break;
        }
    }
    return room_refuse(store, self, bytes, full, busy);
}

/* Reclaim retired blocks in any of these cases: a barrier of another thread covers them already;
 * enough blocks are retired and this thread's next barrier is due; or far too many blocks are
 * retired. */
static LRD__STEP void room_reclaim_due(lrd_store *store, lrd__thread *self, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t retired = lrd__shard_retired(store, index);
    uint64_t at = shard->reclaim_at != 0 ? shard->reclaim_at : LRD__RECLAIM_MIN;
    if (retired + shard->reclaim_step / 2 >= at &&
        (lrd__ledger_passed(store, index) ||
         (retired >= at &&
          (lrd__barrier_due(self) || retired >= at + ROOM_LATE * lrd__batch_bytes(store)))))
        lrd__arena_reclaim(store, index, false);
}

LRD__STEP int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                             uint64_t *offset, uint32_t *entry, bool *locked)
{
    room_reclaim_due(store, self, index);
    int rc = lrd__arena_try(store, self, index, bytes, offset, entry);
    return rc != LRD_ENOROOM && rc != LRD_ENOSPC
               ? rc
               : room_search(store, self, index, bytes, rc, offset, entry, locked);
}
