/* feed.c - moves memory between pages when the file system is full: empties some pages, gives their
 * memory back, and then commits memory for other pages. Begin reading at
 * lrd__room_feed_window(). */
#include "room/feed.h"
#include "room/collect.h"
#include "room/pages.h"
#include "memory/page.h"
#include "memory/zone.h"
#include "memory/arena.h"
#include "entries/entry.h"
#include "locks/lock.h"

/* maximum number of pages that lrd__room_yield() tries */
#define ROOM_YIELDS 16u
#define ROOM_FED 8u /* maximum number of pages of the zone for which one write commits memory */
/* If a call of lrd__room_feed_zone() has taken n ms, further calls do nothing for n * ROOM_FEEDS
 * ms. */
#define ROOM_FEEDS 15u

/* Empty a page and give its memory back to the file system. If `self` is NULL, does not wait for
 * the shard's lock. [no lock is held] */
static bool room_yield_page(lrd_store *store, lrd__thread *self, lrd__region *region, uint32_t page)
{
    uint32_t owner = lrd__page_owner(store, page);
    uint32_t shard = owner != 0 ? lrd__owner_shard(owner) : page % store->geo.shards;
    if (shard >= store->geo.shards)
        return false;
    if (self == NULL && lrd__shard_try(store, NULL, shard) != LRD_OK)
        return false;
    if (self != NULL && lrd__shard_lock(store, self, shard) != LRD_OK) {
        lrd__room_bar_shard(store, region, shard);
        return false;
    }
    lrd__entry_sync(store, shard);
    owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
    bool free = owner == 0 ||
                (lrd__owner_shard(owner) == shard && lrd__room_empty_page(store, shard, page));
    bool given = free && lrd__page_yield(store, shard, page);
    lrd__shard_unlock(store, shard);
    return given;
}

int lrd__room_feed_window(lrd_store *store, lrd__thread *self, lrd__region *all, uint64_t first,
                          uint64_t count)
{
    uint64_t *costs = all->costs, parts = 0;
    while (parts < (2 * count + LRD__ROOM_WINDOWS) * LRD__PAGE_PARTS) {
        int rc = lrd__arena_commit(store, first << LRD__PAGE_BITS, count << LRD__PAGE_BITS);
        if (rc != LRD_ENOSPC)
            return rc;
        if (!lrd__segment_gives_back(store))
            break;
        uint64_t page = lrd__room_cheapest(store, all, LRD__PAGE_PARTS, first, count);
        /* no fully committed page is left, so take a page with at least one committed part */
        if (page == UINT64_MAX)
            page = lrd__room_cheapest(store, all, 1, first, count);
        if (page == UINT64_MAX)
            break;
        costs[page] = UINT64_MAX;
        parts += lrd__parts_committed(store, page);
        room_yield_page(store, self, all, (uint32_t)page);
    }
    return LRD_ENOROOM;
}

void lrd__room_feed_zone(lrd_store *store, lrd__thread *self)
{
    uint64_t page = lrd__zone_first(store), budget = ROOM_FED, begin = lrd__clock_monotonic_ms();
    lrd__region all = {.costs = NULL};
    bool whole = true;
    if (begin < atomic_load_explicit(&store->feed_at, memory_order_relaxed))
        return;
    for (; page < store->geo.pages && budget > 0; page++) {
        if (lrd__parts_of(store, page) == LRD__PAGE_PARTS)
            continue;
        whole = false;
        /* exclude busy shards, because an ordinary write must not wait for their locks */
        if (all.costs == NULL && lrd__room_survey(store, self, 0, store->geo.pages, &all))
            lrd__room_bar_busy(store, self, &all);
        if (all.costs == NULL || lrd__pages_describe(store, page + 1) != LRD_OK)
            break;
        /* a page with held blocks cannot be emptied now; a later call tries it again */
        if (all.costs[page] == UINT64_MAX)
            continue;
        uint32_t owner = lrd__page_owner(store, page);
        int rc = lrd__room_collect_page(store, self, (uint32_t)page);
        if (rc == LRD_OK)
            lrd__room_feed_window(store, self, &all, page, 1);
        /* the shard became busy after the survey: do not wait for its lock again */
        else if (rc == LRD_EBUSY && owner != 0)
            lrd__room_bar_shard(store, &all, lrd__owner_shard(owner));
        lrd__room_unmark(store, self, page, 1);
        budget--;
    }
    if (whole)
        atomic_store_explicit(&store->header->zone_fed, 1, memory_order_relaxed);
    free(all.costs);
    /* the survey of a large store takes long, so calls return at once until feed_at */
    uint64_t end = lrd__clock_monotonic_ms();
    atomic_store_explicit(&store->feed_at, end + (end - begin) * ROOM_FEEDS, memory_order_relaxed);
}

bool lrd__room_yield(lrd_store *store, uint64_t bytes)
{
    uint32_t parts = (uint32_t)((bytes + LRD__PART - 1) >> LRD__PART_BITS);
    lrd__region region;
    bool given = false;
    if (!lrd__segment_gives_back(store) ||
        !lrd__room_survey(store, NULL, 0, lrd__zone_first(store), &region))
        return false;
    for (uint32_t tries = 0; tries < ROOM_YIELDS && !given; tries++) {
        uint64_t page = lrd__room_cheapest(store, &region, parts, 0, 0);
        if (page == UINT64_MAX)
            break;
        region.costs[page] = UINT64_MAX;
        given = room_yield_page(store, NULL, &region, (uint32_t)page);
    }
    free(region.costs);
    return given;
}
