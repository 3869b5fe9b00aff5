/* windows.c - takes a window of pages from any shards, for a large value or for a shard that has
 * few pages. Begin reading at lrd__room_take_window(). */
#include "room/windows.h"
#include "room/collect.h"
#include "room/feed.h"
#include "room/survey.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/entry.h"
#include "locks/lock.h"

#define ROOM_ASKS 64u /* one search for a window counts uses in at most this many pages */
/* after a thread gave up waiting for a shard's lock, no thread of this process waits for that lock
 * for this time (ms) */
#define ROOM_STALLED_MS 100u

void lrd__room_note_stalled(lrd_store *store, uint32_t shard)
{
    atomic_store_explicit(&store->stalled_until, lrd__clock_monotonic_ms() + ROOM_STALLED_MS,
                          memory_order_relaxed);
    atomic_store_explicit(&store->stalled, shard + 1, memory_order_relaxed);
}

uint32_t lrd__room_stalled(lrd_store *store, lrd__thread *self)
{
    uint32_t stalled = atomic_load_explicit(&store->stalled, memory_order_relaxed);
    uint64_t until = atomic_load_explicit(&store->stalled_until, memory_order_relaxed);
    if (stalled == 0 || lrd__clock_monotonic_ms() >= until)
        return 0;
    if (lrd__shard_try(store, self, stalled - 1) != LRD_OK)
        return stalled;
    lrd__shard_unlock(store, stalled - 1);
    atomic_store_explicit(&store->stalled, 0, memory_order_relaxed);
    return 0;
}

int lrd__room_take_window(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                          uint32_t size_class, bool *locked, bool *busy)
{
    int rc = LRD_ENOROOM, own = LRD_OK;
    bool claimed = false;
    /* barred: shards whose lock was not available */
    uint32_t asks = ROOM_ASKS, barred[LRD__ROOM_WINDOWS + 1], bars = 0;
    if (count > 1)
        lrd__evict_cool(store, shard, count);
    lrd__shard_unlock(store, shard);
    *locked = false;
    lrd__region region;
    uint32_t stalled = lrd__room_stalled(store, self);
    if (stalled != 0) {
        *busy = true;
        barred[bars++] = stalled - 1;
    }
    lrd__room_survey_part(store, self, count, lrd__memory_short(store), barred, bars, &region);
    for (uint32_t i = 0; region.costs != NULL && i < LRD__ROOM_WINDOWS && own == LRD_OK; i++) {
        bool whole = region.end - region.first == store->geo.pages;
        bool poor = whole && lrd__memory_short(store);
        uint64_t first = lrd__room_choose_cold(store, self, &region, count, poor, &asks), done = 0;
        if (first == UINT64_MAX && poor)
            first = lrd__room_choose_cold(store, self, &region, count, false, &asks);
        /* no window in this part can be emptied, so survey the whole store */
        if (first == UINT64_MAX && !whole) {
            free(region.costs);
            lrd__room_survey_part(store, self, count, true, barred, bars, &region);
            continue;
        }
        if (first == UINT64_MAX || lrd__pages_describe(store, first + count) != LRD_OK)
            break;
        uint32_t owner = 0;
        for (rc = LRD_OK; done < count && rc == LRD_OK; done++) {
            owner = lrd__page_owner(store, first + done);
            rc = lrd__room_collect_page(store, self, (uint32_t)(first + done));
        }
        if (rc == LRD_EBUSY) {
            *busy = true;
            if (owner != 0) {
                barred[bars++] = lrd__owner_shard(owner);
                lrd__room_bar_shard(store, &region, barred[bars - 1]);
                lrd__room_note_stalled(store, barred[bars - 1]);
            }
        }
        if (rc == LRD_OK && poor)
            rc = lrd__room_feed_window(store, self, &region, first, count);
        if (rc == LRD_OK)
            rc = own = lrd__shard_lock(store, self, shard);
        if (rc == LRD_OK) {
            *locked = true;
            lrd__entry_sync(store, shard);
            claimed =
                lrd__pages_claim(store, self, shard, (uint32_t)first, count, size_class) == LRD_OK;
        }
        lrd__room_unmark(store, self, first, count);
        if (claimed)
            break;
        if (*locked)
            lrd__shard_unlock(store, shard);
        *locked = false;
        /* do not try this page again in this search */
        region.costs[first - region.first + (done > 0 ? done - 1 : 0)] = UINT64_MAX;
        atomic_store_explicit(&store->header->window_rotor, (uint32_t)(first + count),
                              memory_order_relaxed);
    }
    bool blind = region.costs == NULL;
    free(region.costs);
    if (claimed) {
        uint32_t rotor = atomic_load_explicit(&store->header->window_rotor, memory_order_relaxed);
        atomic_store_explicit(&store->header->window_rotor, rotor + count, memory_order_relaxed);
        return LRD_OK;
    }
    if (own == LRD_OK)
        own = lrd__shard_lock(store, self, shard);
    *locked = own == LRD_OK;
    return own != LRD_OK ? own : blind ? LRD_ENOMEM : LRD_ENOROOM;
}
