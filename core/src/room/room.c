/* room.c - makes room for a block in a full store. First it frees retired blocks, dead and expired
 * entries, and expired messages. If the policy evicts, it then evicts entries of the same size
 * (order.c), runs that lie in a row (rows.c), or all entries of whole pages (pages.c, windows.c).
 * Begin reading at lrd__room_make().
 *
 * The worst order is the one whose next victim costs most to keep (order.c). If the next victim of
 * the wanted block's own order costs nearly as much, entries are evicted from the own order's
 * queues. Otherwise a whole page of the worst order is emptied.
 *
 * Invariants
 * - Work under a lock is bounded to 1/64 of a shard's share of the data, and 1/256 of its index, at
 *   a time.
 * - A search that failed is repeated only after 2 ms, or after something was deleted. */
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
#include "entries/form.h"
#include "entries/message.h"
#include "locks/lock.h"

/* maximum number of steps of the timing wheel in one call (1 ms) */
#define ROOM_EXPIRE 4096u
/* number of steps after which a write is refused in a store that does not evict */
#define ROOM_TIDIES 1000u
/* A write takes pages of any shard from step 2 + ROOM_ROUNDS on. From step 2 + 2 * ROOM_ROUNDS on,
 * the write is refused. */
#define ROOM_ROUNDS 6u
/* The worst order is the one whose next victim costs most to keep: its bytes times its age. If
 * keeping this victim costs over ROOM_BETTER times as much as keeping the next victim of the new
 * block's own order, a page of the worst order is emptied. This also evicts entries that are used
 * often. */
#define ROOM_BETTER 6u
/* A write of a run compares the worst size class with the runs in the same way, and may empty a
 * page of that class. If keeping this class's next victim costs over ROOM_BETTER_SMALL times as
 * much as keeping the next victim among the runs, step 2 of room_step() chooses from all size
 * classes. */
#define ROOM_BETTER_RUNS 4u
#define ROOM_BETTER_SMALL 8u
/* A write of a run of several pages compares them, too. It may then take a window of pages
 * (windows.c) instead of a row of runs. */
#define ROOM_BETTER_PAGES 12u
/* While lrd__form_evicts_few(), a write takes a larger free block instead of evicting an entry.
 * Meanwhile hosts may pack values, and then all entries may fit. The block has at most twice as
 * many bytes. From ROOM_RUN bytes on, it may be any small block, or the smallest run. */
#define ROOM_RUN 4096u
#define ROOM_SOME 96u /* one batch of evictions evicts 1/ROOM_SOME of the bytes of an order */
/* If retired bytes exceed reclaim_at by this number of batches (lrd__batch_bytes()), blocks are
 * reclaimed even if this thread's next barrier is not due. */
#define ROOM_LATE 7u
/* time (ms) of one pause while other threads build values in free windows */
#define ROOM_PAUSE_MS 2u
/* time (ms) of one pause after the first LRD_LOCK_WAIT_MS of pauses */
#define ROOM_PAUSE_LONG_MS 20u
/* maximum time (ms) of all pauses of a search */
#define ROOM_BUILDS_MS 5000u

/* True if a block of the shard may have been retired since the shard last reclaimed. */
static bool room_has_new(const lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    return lrd__shard_retired(store, index) + shard->reclaim_step > shard->reclaim_at;
}

/* Free memory that no live value uses, in a limited amount of work. Returns 0 if another call would
 * be useless. [locked] */
static uint64_t room_tidy(lrd_store *store, uint32_t index, uint64_t bytes, uint32_t size_class)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t found = lrd__room_expire(store, index, ROOM_EXPIRE);
    if (store->expires && shard->wheel_count != 0 &&
        shard->wheel_tick < (uint32_t)(lrd__now(store) >> LRD__TICK_BITS))
        found++; /* the wheel has not reached the present time yet, so go on */
    found += lrd__room_sweep_dead(store, index, bytes);
    /* if the sweep has not visited all buckets yet, another call is useful */
    found += lrd__room_sweeps(store, index);
    if (!store->evicts || room_has_new(store, index))
        /* Do not add the reclaimed bytes to `found`. Other writers retire blocks all the time, so
         * `found` would never be 0. */
        lrd__arena_reclaim(store, index, false);
    /* Give back empty run pages. For a run in a store that evicts, this is useless: the search has
     * already considered these pages. */
    if (!store->evicts || size_class != LRD__CLASS_RUN)
        lrd__arena_trim(store, index);
    return found;
}

/* Remove expired messages, whose blocks room_tidy() then frees. */
static uint64_t room_sweep_queues(lrd_store *store, uint32_t index)
{
    return store->queues != NULL ? lrd__queue_sweep(store, index, lrd__now(store)) : 0;
}

/* Call room_tidy() for all shards. Releases the lock of `shard` while it visits the other shards,
 * and takes it again at the end. After the first busy shard, sets *busy to true, and skips all
 * other busy shards without waiting. */
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
    if (*locked)
        lrd__entry_sync(store, shard);
    return found;
}

/* Return a number that changes whenever a page becomes free. */
static uint64_t room_pages_freed(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->pages_hint, memory_order_relaxed) >> 32) +
           atomic_load_explicit(&store->header->minis_freed, memory_order_relaxed);
}

/* Make room for a small block. Evict entries of the block's own order, or empty a page of the worst
 * order; ROOM_BETTER decides which. From step 4 on, empty a page of any order. */
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

/* Make room for a run: evict a row of runs, empty one page, or take a window of pages. */
static int room_make_run(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                         uint32_t step, bool *locked, bool *busy)
{
    uint64_t units = lrd__units(bytes), worse, own;
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    uint32_t small_chances = LRD__ROOM_CHANCES, chances = LRD__ROOM_CHANCES;
    uint32_t worst = lrd__room_worst(store, index, 0, LRD__CLASSES, &small_chances, &worse);
    lrd__room_worst(store, index, LRD__CLASSES, LRD__ORDERS, &chances, &own);
    if (pages == 1 && worst != LRD__ORDERS && own * ROOM_BETTER_RUNS < worse) {
        /* In step 2, the pages of all size classes may be candidates. If all small blocks are in
         * mini pages, this step finds no page, and a later step empties a page of any order. */
        bool small = step == 2 && own * ROOM_BETTER_SMALL < worse;
        lrd__room_take_page(store, index, small ? 0 : worst, small ? LRD__CLASSES : worst + 1,
                            step >= 4);
        return LRD_OK;
    }
    if (step < 4 && pages > 1 && worst != LRD__ORDERS && own * ROOM_BETTER_PAGES < worse) {
        uint64_t rate = lrd__room_rows_rate(store, index, units);
        int rc = rate != UINT64_MAX
                     ? lrd__room_take_worse(store, self, index, pages,
                                            rate * pages * LRD__PAGE_UNITS, locked, busy)
                     : LRD_ENOROOM;
        if (rc == LRD_OK || !*locked)
            return rc;
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

/* Do one step to make room. Later steps cost more. Returns LRD_ENOROOM or LRD_ENOMEM if further
 * steps are useless. */
static int room_step(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                     uint32_t step, bool *locked, bool *busy)
{
    lrd__shard *shard = store->shards + index;
    uint64_t batch = lrd__batch_bytes(store);
    uint32_t size_class = lrd__class_of(bytes);
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    if (step == 0) {
        /* reclaim again, because the holders of some blocks may have released them after the last
         * scan */
        if (!store->evicts || room_has_new(store, index) ||
            lrd__shard_retired(store, index) >= bytes)
            lrd__arena_reclaim(store, index, false);
        return LRD_OK;
    }
    if (step == 1) {
        room_tidy(store, index, batch > 2 * bytes ? batch : 2 * bytes, size_class);
        return LRD_OK;
    }
    /* Without eviction, go on only if this step has found free memory, or if a page became free
     * during step 2. */
    if (!store->evicts) {
        uint64_t freed = room_pages_freed(store);
        uint64_t found = step < ROOM_TIDIES ? room_tidy_all(store, self, index, locked, busy) : 0;
        bool more = found > 0 || (step == 2 && room_pages_freed(store) != freed);
        return !*locked ? LRD_EBUSY : more ? LRD_OK : LRD_ENOROOM;
    }
    uint64_t owned = atomic_load_explicit(&shard->page_bytes, memory_order_relaxed);
    bool poor = owned < store->geo.size / store->geo.shards / 2;
    /* if the shard has few pages, or if all cheaper steps have failed, take pages of any shard */
    if (poor || step >= 2 + ROOM_ROUNDS)
        return step < 2 + 2 * ROOM_ROUNDS
                   ? lrd__room_take_window(store, self, index, pages, size_class, locked, busy)
                   : LRD_ENOROOM;
    if (size_class == LRD__CLASS_RUN)
        return room_make_run(store, self, index, bytes, step, locked, busy);
    room_make_small(store, index, bytes, step);
    return LRD_OK;
}

/* True if a search for at most `bytes` bytes failed a moment ago, and no entry was deleted
 * since. */
static bool room_hopeless(const lrd_store *store, const lrd__shard *shard, uint64_t bytes)
{
    return shard->full_until != 0 && bytes >= shard->full_bytes &&
           lrd__clock_monotonic_ms() < shard->full_until &&
           shard->full_deletes ==
               atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

static void room_give_up(const lrd_store *store, lrd__shard *shard, uint64_t bytes)
{
    /* Use 2 ms, because 1 ms could be over at the clock's next tick. */
    shard->full_until = lrd__clock_monotonic_ms() + 2;
    shard->full_bytes = bytes;
    shard->full_deletes = atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

/* Return how long (ms) a search may wait for other threads to finish values: usually
 * LRD_LOCK_WAIT_MS. If lrd__zone_hungry(), held blocks may occupy all pages that have memory, and a
 * long wait would be useless. The result is then one pause, or 0 if at most one thread slot is
 * claimed. */
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

/* True if another thread with a block in the full zone is running or waiting for a processor. Held
 * values alone never fill the zone, so some of these blocks are being built. */
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

/* Return the length (ms) of a search's next pause, or 0 at its end. `waited` (ms) is the sum of its
 * pauses so far. */
static uint32_t room_next_pause(const lrd_store *store, const lrd__thread *self, uint32_t waited)
{
    uint32_t most = room_pauses_ms(store);
    if (waited + ROOM_PAUSE_MS <= most)
        return ROOM_PAUSE_MS;
    return most == LRD_LOCK_WAIT_MS && waited < ROOM_BUILDS_MS && room_builders_run(store, self)
               ? ROOM_PAUSE_LONG_MS
               : 0;
}

/* Release the lock and pause, so that other threads can finish their values in the zone. */
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

/* Set the error detail for a failed search, and return its code. `full` is the result of the last
 * lrd__arena_try(). `busy` is true if some shard's lock was not available. */
static int room_refuse(const lrd_store *store, lrd__thread *self, uint64_t bytes, int full,
                       bool busy)
{
    if (busy)
        return lrd__fail(LRD_EBUSY, "%llu bytes wanted: a shard whose pages could give way is busy",
                         (unsigned long long)bytes);
    if (full == LRD_ENOSPC)
        return lrd__segment_full(store, bytes);
    /* Rounding up block sizes wastes at most a sixteenth of the store. If more than this is free in
     * addition to `bytes`, the free memory is not in one piece. */
    uint64_t free = room_free_bytes(store);
    self->scattered = free >= bytes + store->geo.size / 16;
    if (self->scattered)
        return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, %llu of %llu are free, not in one piece",
                         (unsigned long long)bytes, (unsigned long long)free,
                         (unsigned long long)store->geo.size);
    return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, the store has %llu",
                     (unsigned long long)bytes, (unsigned long long)store->geo.size);
}

/* Allocate a larger block, or a run (see ROOM_RUN). Memory then counts as short in this shard. The
 * run is larger than any small block, because its size tells in which order it is evicted. */
static int room_take_larger(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry)
{
    uint64_t most = bytes < ROOM_RUN ? 2 * bytes : LRD__SMALL_MAX;
    int rc = lrd__arena_larger(store, self, index, bytes, most, offset, entry);
    if (rc == LRD_ENOROOM && bytes >= ROOM_RUN && bytes <= LRD__SMALL_MAX)
        rc = lrd__arena_try(store, self, index, LRD__SMALL_MAX + 1, offset, entry);
    if (rc == LRD_OK)
        lrd__form_pressed(store->shards + index);
    return rc;
}

/* Make room in steps, and try to allocate after each step. `full` is the result of the caller's
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
        if (step == 2 && store->evicts && lrd__form_evicts_few(shard)) {
            rc = room_take_larger(store, self, index, bytes, offset, entry);
            if (rc != LRD_ENOROOM && rc != LRD_ENOSPC)
                return rc;
        }
        rc = room_step(store, self, index, bytes, step, locked, &busy);
        if (!*locked)
            return rc;
        if (rc != LRD_OK && rc != LRD_ENOROOM && rc != LRD_ENOMEM)
            return rc;
        if (rc != LRD_OK) {
            bool blind = rc == LRD_ENOMEM;
            /* Last resort: a larger block. In a store that does not evict, limit the memory that it
             * wastes. */
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
            /* in a store that does not evict, ignore busy shards, because they could free only dead
             * entries */
            busy = busy && store->evicts;
            /* if a shard was busy, the next search may find room there, so let it try */
            if (!busy)
                room_give_up(store, shard, bytes);
            break;
        }
    }
    return room_refuse(store, self, bytes, full, busy);
}

/* Reclaim the shard's retired blocks in each of these cases:
 * - Another thread's barrier already covers the blocks, and their bytes have almost reached
 *   reclaim_at.
 * - Their bytes have reached reclaim_at, and this thread's next barrier is due.
 * - Their bytes far exceed reclaim_at. */
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
