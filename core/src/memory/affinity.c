/* affinity.c - lets a writer reuse the memory that it wrote last, which is likely in its
 * processor's caches. Small blocks: each lane (a group of writers) has its own pages. Large blocks:
 * each thread remembers the runs that it allocated. Begin reading at lrd__lane_of() in affinity.h.
 *
 * Invariants
 * - A page of small blocks has a lane, and is in the list of the page's lane and class while the
 *   page has room. A writer takes blocks from another lane's page if its own lane has no room. */
#include "memory/affinity.h"
#include "ground/copy.h"
#include "memory/page.h"

/* Each block from another lane's page adds this number to lrd__thread.astray. Each block from a
 * page of the thread's own lane subtracts 1. */
#define LANE_STRAYS 8u
/* A limit on the free bytes in the pages that a shard owns: 1/LANE_ROOM of the shard's share of the
 * data. Above the limit, a writer may not claim one more page for its lane. */
#define LANE_ROOM 16u

static bool lane_may_claim(const lrd_store *store, const lrd__shard *shard)
{
    uint64_t live = atomic_load_explicit(&shard->live_bytes, memory_order_relaxed) +
                    atomic_load_explicit(&shard->dead_bytes, memory_order_relaxed) +
                    atomic_load_explicit(&shard->retired_bytes, memory_order_relaxed);
    uint64_t room = atomic_load_explicit(&shard->page_bytes, memory_order_relaxed) - live;
    return shard->one_lane == 0 && room <= live / 8 &&
           room <= store->geo.size / store->geo.shards / LANE_ROOM &&
           lrd__pages_high(store) < store->geo.pages && !lrd__memory_short(store);
}

__attribute__((noinline, hot)) uint32_t lrd__lane_other(lrd_store *store, lrd__thread *self,
                                                        uint32_t shard, uint32_t lane,
                                                        uint32_t size_class)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    bool often = self->astray >= LRD__ASTRAY;
    uint32_t link = 0;
    if (often && lane_may_claim(store, store->shards + shard))
        return 0;
    for (uint32_t i = 1; i < LRD__LANES && link == 0; i++)
        link = store->shards[shard].avail[(lane + i) % LRD__LANES][size_class];
    if (link != 0 && !often)
        self->astray += LANE_STRAYS;
    return link;
}

/* True if the units of `mask` are free and committed, and the page belongs to the shard or has no
 * owner. */
static LRD__HOT bool own_run_is_free(const lrd_store *store, uint32_t shard, uint64_t page,
                                     uint64_t mask)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    uint32_t owner = lrd__owner_at(store, page);
    if (owner == lrd__owner_make(shard, LRD__CLASS_RUN))
        mask &= store->bits[page].block[0].allocated | lrd__bare_units(store, page);
    else if (owner == 0)
        mask &= lrd__bare_units(store, page);
    return mask == 0;
}

LRD__HOT bool lrd__own_run_find(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                                uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    lrd__own_run *own = self->own_runs[shard % LRD__OWN_SETS];
    /* Look for a run that this thread has allocated before and that is free now. Do not look if
     * lrd__copy_cold is set: the thread then probably adds new values, so its earlier runs are
     * still in use. */
    for (uint32_t i = 0; i < LRD__OWN_RUNS && !lrd__copy_cold; i++) {
        if (own[i].units != units)
            continue;
        uint64_t begin = own[i].first, page = begin / LRD__PAGE_UNITS;
        uint64_t end = (begin + units - 1) / LRD__PAGE_UNITS;
        if (atomic_load_explicit(&store->pages[page].user, memory_order_relaxed) !=
            self->slot_index + 1) {
            own[i].units = 0;
            continue;
        }
        while (page <= end &&
               own_run_is_free(store, shard, page, lrd__unit_mask(page, begin, units)))
            page++;
        if (page <= end)
            continue;
        LRD__FAILPOINT("arena_own_seen");
        *first = begin;
        return true;
    }
    return false;
}

LRD__HOT void lrd__own_run_note(lrd__thread *self, uint32_t shard, uint64_t first, uint64_t units)
{
    lrd__assert(shard < self->store->geo.shards);
    lrd__assert(units != 0);
    lrd__own_run *own = self->own_runs[shard % LRD__OWN_SETS];
    uint32_t from = 0;
    for (uint32_t i = 0; i < LRD__OWN_RUNS; i++)
        if (own[i].units != 0 && own[i].first == first)
            from = i;
    memmove(own + from, own + from + 1, (LRD__OWN_RUNS - 1 - from) * sizeof *own);
    own[LRD__OWN_RUNS - 1] = (lrd__own_run){.first = (uint32_t)first, .units = (uint32_t)units};
}
