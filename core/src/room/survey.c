/* survey.c - the cost of emptying each page of a region, and the choice of the cheapest window.
 * Begin reading at lrd__room_choose_cold(). */
#include "room/survey.h"
#include "room/pages.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/zone.h"
#include "memory/arena.h"
#include "entries/entry.h"
#include "locks/lock.h"

/* number of pages (16 MiB) that a search for a window considers before it considers all pages */
#define ROOM_REGION 256u
/* a shard has an age for each class of pages; LRD__CLASS_RUN is the last one */
#define ROOM_AGES (LRD__CLASS_RUN + 1)

static bool room_page_collected(lrd_store *store, const lrd__thread *self, uint64_t page)
{
    return page < lrd__pages_high(store) &&
           lrd__page_collected(
               store, self, atomic_load_explicit(&store->pages[page].drain, memory_order_relaxed));
}

bool lrd__room_survey(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t end,
                      lrd__region *region)
{
    uint64_t *held = calloc((store->geo.pages + 63) / 64, sizeof *held);
    *region = (lrd__region){first, end,  calloc(end - first, sizeof *region->costs + 1),
                            false, NULL, false};
    if (held == NULL || region->costs == NULL) {
        free(held);
        free(region->costs);
        region->costs = NULL;
        return false;
    }
    region->asked = (uint8_t *)(region->costs + (end - first));
    lrd__ledger_pages(store, held);
    for (uint64_t p = first; p < end; p++) {
        bool barred = (held[p / 64] >> p % 64 & 1) ||
                      lrd__page_owner(store, p) == LRD__OWNER_LOST ||
                      room_page_collected(store, self, p);
        region->costs[p - first] =
            barred ? UINT64_MAX : lrd__room_page_least_cost(store, (uint32_t)p);
    }
    free(held);
    return true;
}

static bool room_bars(const lrd_store *store, const lrd__region *region, uint64_t page,
                      bool complete)
{
    uint64_t cost = region->costs[page - region->first];
    return cost == UINT64_MAX ||
           (region->asked_only && cost != 0 && !region->asked[page - region->first]) ||
           (complete && lrd__parts_of(store, page) < LRD__PAGE_PARTS);
}

/* Return the first page of the cheapest window, or UINT64_MAX if no window costs less than `most`.
 * Equally cheap windows take turns: returns the first one after header->window_rotor. */
static uint64_t room_choose_window(const lrd_store *store, const lrd__region *region,
                                   uint64_t count, bool complete, uint64_t most)
{
    uint64_t pages = store->geo.pages, sum = 0, length = 0, best = most, first = UINT64_MAX;
    uint64_t rotor =
        atomic_load_explicit(&store->header->window_rotor, memory_order_relaxed) % pages;
    uint64_t best_turn = 0;
    for (uint64_t p = region->first; p < region->end; p++) {
        if (room_bars(store, region, p, complete)) {
            sum = length = 0;
            continue;
        }
        sum += region->costs[p - region->first];
        if (length == count)
            sum -= region->costs[p - count - region->first];
        else if (++length < count)
            continue;
        uint64_t start = p + 1 - count;
        uint64_t turn = start >= rotor ? start - rotor : start + pages - rotor;
        if (sum < best || (sum == best && first != UINT64_MAX && turn < best_turn)) {
            best = sum;
            best_turn = turn;
            first = start;
        }
    }
    return first;
}

/* Count the uses of the entries in a window's pages, and add them to the costs of the pages.
 * Handles at most *asks pages. Returns true if a cost has risen, because another window may then be
 * cheaper. */
static bool room_ask_window(lrd_store *store, lrd__thread *self, lrd__region *region,
                            uint64_t first, uint64_t count, uint32_t *asks)
{
    bool more = false;
    for (uint64_t p = first; *asks != 0 && p < first + count; p++) {
        uint64_t *cost = region->costs + (p - region->first), before = *cost;
        uint32_t owner = lrd__page_owner(store, p), shard = lrd__owner_shard(owner);
        if (owner == 0 || shard >= store->geo.shards || region->asked[p - region->first] ||
            lrd__shard_try(store, self, shard) != LRD_OK)
            continue;
        lrd__entry_sync(store, shard);
        owner = lrd__page_owner(store, p);
        if (lrd__owner_is(owner, shard))
            *cost = lrd__room_page_cost(store, shard, (uint32_t)p, UINT64_MAX);
        if (lrd__owner_is(owner, shard) && region->rates)
            *cost =
                lrd__room_rate(*cost, lrd__room_page_age(store, shard, lrd__owner_class(owner)));
        lrd__shard_unlock(store, shard);
        region->asked[p - region->first] = 1;
        more = more || *cost > before;
        --*asks;
    }
    return more;
}

uint64_t lrd__room_choose_cold(lrd_store *store, lrd__thread *self, lrd__region *region,
                               uint64_t count, bool complete, uint64_t most, uint32_t *asks)
{
    uint64_t first, known = UINT64_MAX;
    do {
        first = room_choose_window(store, region, count, complete, most);
    } while (first != UINT64_MAX && room_ask_window(store, self, region, first, count, asks));
    if (*asks == 0 && first != UINT64_MAX) {
        region->asked_only = true;
        known = room_choose_window(store, region, count, complete, most);
        region->asked_only = false;
    }
    return known != UINT64_MAX ? known : first;
}

uint64_t lrd__room_cheapest(const lrd_store *store, const lrd__region *region, uint32_t parts,
                            uint64_t first, uint64_t count)
{
    uint64_t best = UINT64_MAX, high = lrd__pages_high(store), end = lrd__zone_first(store);
    for (uint64_t p = 0; p < end && p < high; p++)
        if ((p < first || p >= first + count) && region->costs[p] != UINT64_MAX &&
            (best == UINT64_MAX || region->costs[p] < region->costs[best]) &&
            lrd__parts_committed(store, p) >= parts)
            best = p;
    return best;
}

void lrd__room_bar_shard(const lrd_store *store, lrd__region *region, uint32_t shard)
{
    for (uint64_t p = region->first; p < region->end; p++) {
        uint32_t owner = lrd__page_owner(store, p);
        if (lrd__owner_is(owner, shard))
            region->costs[p - region->first] = UINT64_MAX;
    }
}

void lrd__room_bar_busy(lrd_store *store, lrd__thread *self, lrd__region *region)
{
    for (uint32_t shard = 0; shard < store->geo.shards; shard++)
        if (lrd__shard_try(store, self, shard) == LRD_OK)
            lrd__shard_unlock(store, shard);
        else
            lrd__room_bar_shard(store, region, shard);
}

void lrd__room_survey_part(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                           const uint32_t *barred, uint32_t bars, lrd__region *region)
{
    uint64_t pages = store->geo.pages, span = 8 * count > ROOM_REGION ? 8 * count : ROOM_REGION;
    uint64_t first = atomic_load_explicit(&store->header->window_rotor, memory_order_relaxed);
    span = all || span > pages ? pages : span;
    first = first % pages + span > pages ? pages - span : first % pages;
    if (lrd__room_survey(store, self, first, first + span, region))
        for (uint32_t i = 0; i < bars; i++)
            lrd__room_bar_shard(store, region, barred[i]);
}

/* Copy the ages of a shard's pages. Keeps the ages 0 if the shard is busy: then its pages have high
 * rates. */
static void room_copy_ages(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t *ages)
{
    if (lrd__shard_try(store, self, shard) != LRD_OK)
        return;
    lrd__entry_sync(store, shard);
    for (uint32_t k = 0; k < ROOM_AGES; k++)
        ages[k] = (uint32_t)lrd__room_page_age(store, shard, k);
    lrd__shard_unlock(store, shard);
}

void lrd__room_survey_rates(lrd_store *store, lrd__thread *self, lrd__region *region)
{
    uint64_t asked[LRD__SHARDS_MAX / 64] = {0};
    uint32_t *ages = calloc((size_t)store->geo.shards * ROOM_AGES, sizeof *ages);
    region->rates = true;
    if (ages == NULL) {
        memset(region->costs, 0xff, (region->end - region->first) * sizeof *region->costs);
        return;
    }
    for (uint64_t p = region->first; p < region->end; p++) {
        uint64_t *cost = region->costs + (p - region->first);
        uint32_t owner = lrd__page_owner(store, p), shard = lrd__owner_shard(owner);
        if (owner == 0 || shard >= store->geo.shards || lrd__owner_class(owner) >= ROOM_AGES ||
            *cost == UINT64_MAX)
            continue;
        uint32_t *of = ages + (size_t)shard * ROOM_AGES;
        if ((asked[shard / 64] >> shard % 64 & 1) == 0)
            room_copy_ages(store, self, shard, of);
        asked[shard / 64] |= 1ull << shard % 64;
        *cost = lrd__room_rate(*cost, of[lrd__owner_class(owner)]);
    }
    free(ages);
}
