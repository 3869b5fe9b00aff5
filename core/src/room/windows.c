/* windows.c - takes a window of neighbouring pages of any shards, for a large value or for a shard
 * that has few pages. Begin reading at lrd__room_take_window(). */
#include "room/windows.h"
#include "room/collect.h"
#include "room/feed.h"
#include "room/survey.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/entry.h"
#include "locks/lock.h"

/* maximum number of pages in which one search counts the uses of entries */
#define ROOM_ASKS 64u
/* If a search has waited in vain for a shard's lock, searches of this process do not wait for this
 * lock again for this time (ms). */
#define ROOM_STALLED_MS 100u
/* After a search in vain, this number of calls of lrd__room_take_worse() do not search. */
#define ROOM_SKIP 16u

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

typedef struct windows_search {
    lrd__region region; /* region.costs is NULL if there was no memory for the survey */
    /* If this is not UINT64_MAX, the search compares rates instead of costs, and takes only a
     * window with a lower rate. */
    uint64_t most;
    uint32_t asks; /* number of further pages in which the search may count uses */
    /* The shards whose locks were not available. lrd__room_stalled() may name one of them before
     * the search, and each tried window may add one. */
    uint32_t barred[LRD__ROOM_WINDOWS + 1], bars;
} windows_search;

/* Return the first page of the window to collect, or UINT64_MAX. Searches the surveyed part, then
 * the whole store. Sets *poor to true if the window may need memory from other pages. */
static uint64_t windows_choose(lrd_store *store, lrd__thread *self, windows_search *search,
                               uint64_t count, bool *poor)
{
    lrd__region *region = &search->region;
    for (;;) {
        bool whole = region->end - region->first == store->geo.pages;
        *poor = whole && lrd__memory_short(store);
        uint64_t first =
            lrd__room_choose_cold(store, self, region, count, *poor, search->most, &search->asks);
        if (first == UINT64_MAX && *poor)
            first = lrd__room_choose_cold(store, self, region, count, false, search->most,
                                          &search->asks);
        if (first != UINT64_MAX || whole || search->most != UINT64_MAX)
            return first;
        free(region->costs);
        lrd__room_survey_part(store, self, count, true, search->barred, search->bars, region);
        if (region->costs == NULL)
            return UINT64_MAX;
    }
}

/* Collect the pages [first, first + count). Excludes a page that cannot be collected, and all pages
 * of a busy shard. [no lock is held] */
static int windows_collect(lrd_store *store, lrd__thread *self, windows_search *search,
                           uint64_t first, uint64_t count)
{
    for (uint64_t page = first; page < first + count; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        int rc = lrd__room_collect_page(store, self, (uint32_t)page);
        if (rc == LRD_OK)
            continue;
        search->region.costs[page - search->region.first] = UINT64_MAX;
        if (rc == LRD_EBUSY && owner != 0) {
            lrd__assert(search->bars < LRD__ROOM_WINDOWS + 1);
            uint32_t shard = lrd__owner_shard(owner);
            search->barred[search->bars++] = shard;
            lrd__room_bar_shard(store, &search->region, shard);
            lrd__room_note_stalled(store, shard);
        }
        return rc;
    }
    return LRD_OK;
}

static int windows_take(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                        uint32_t size_class, uint64_t most, bool *locked, bool *busy)
{
    windows_search search = {.asks = ROOM_ASKS, .most = most};
    _Atomic uint32_t *rotor = &store->header->window_rotor;
    bool poor = false;
    if (count > 1)
        lrd__evict_cool(store, shard, count);
    lrd__shard_unlock(store, shard);
    *locked = false;
    uint32_t stalled = lrd__room_stalled(store, self);
    if (stalled != 0) {
        *busy = true;
        search.barred[search.bars++] = stalled - 1;
    }
    lrd__room_survey_part(store, self, count, lrd__memory_short(store), search.barred, search.bars,
                          &search.region);
    if (most != UINT64_MAX && search.region.costs != NULL)
        lrd__room_survey_rates(store, self, &search.region);
    int own = LRD_OK; /* result of the attempt to take the lock of `shard` again */
    bool claimed = false;
    for (uint32_t i = 0; search.region.costs != NULL && i < LRD__ROOM_WINDOWS && own == LRD_OK;
         i++) {
        uint64_t first = windows_choose(store, self, &search, count, &poor);
        if (first == UINT64_MAX || lrd__pages_describe(store, first + count) != LRD_OK)
            break;
        int rc = windows_collect(store, self, &search, first, count);
        bool collected = rc == LRD_OK;
        *busy = *busy || rc == LRD_EBUSY;
        if (rc == LRD_OK && poor)
            rc = lrd__room_feed_window(store, self, &search.region, first, count);
        if (rc == LRD_OK)
            rc = own = lrd__shard_lock(store, self, shard);
        if (rc == LRD_OK) {
            lrd__entry_sync(store, shard);
            claimed =
                lrd__pages_claim(store, self, shard, (uint32_t)first, count, size_class) == LRD_OK;
        }
        lrd__room_unmark(store, self, first, count);
        if (claimed)
            break;
        if (rc == LRD_OK)
            lrd__shard_unlock(store, shard);
        /* do not try this window again in this search, and let the next search begin behind it */
        if (collected)
            search.region.costs[first + count - 1 - search.region.first] = UINT64_MAX;
        atomic_store_explicit(rotor, (uint32_t)(first + count), memory_order_relaxed);
    }
    bool blind = search.region.costs == NULL;
    free(search.region.costs);
    if (claimed) {
        *locked = true;
        uint32_t turn = atomic_load_explicit(rotor, memory_order_relaxed);
        atomic_store_explicit(rotor, turn + count, memory_order_relaxed);
        return LRD_OK;
    }
    if (own == LRD_OK)
        own = lrd__shard_lock(store, self, shard);
    *locked = own == LRD_OK;
    if (*locked)
        lrd__entry_sync(store, shard);
    return own != LRD_OK ? own : blind ? LRD_ENOMEM : LRD_ENOROOM;
}

int lrd__room_take_window(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                          uint32_t size_class, bool *locked, bool *busy)
{
    return windows_take(store, self, shard, count, size_class, UINT64_MAX, locked, busy);
}

int lrd__room_take_worse(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                         uint64_t most, bool *locked, bool *busy)
{
    uint32_t skip = atomic_load_explicit(&store->windows_skip, memory_order_relaxed);
    if (skip != 0) {
        atomic_store_explicit(&store->windows_skip, skip - 1, memory_order_relaxed);
        return LRD_ENOROOM;
    }
    int rc = windows_take(store, self, shard, count, LRD__CLASS_RUN, most, locked, busy);
    if (rc != LRD_OK)
        atomic_store_explicit(&store->windows_skip, ROOM_SKIP, memory_order_relaxed);
    return rc;
}
