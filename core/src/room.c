/* room.c - makes room for a block: gives up retired blocks, dead and expired entries, expired messages, then, where the policy
 * evicts, entries in S3-FIFO order, and whole pages. Read lrd__room_make() first.
 *
 * Eviction in queue order cannot empty a page (of a thousand small blocks the last one is as cold as
 * the first), so a class or a large value that needs pages takes them: the page, or for large values
 * the window of neighbouring pages, that nobody holds and whose entries are worth the least (room_page_cost()).
 * Only what lies there is evicted.
 *
 * Invariants
 * - One shard lock at a time. A window that spans shards is collected page by page: its collector
 *   marks each page (drain), empties it under its shard's lock, and claims all of them under its
 *   own. Marks of dead collectors are void, so dying here costs the evicted entries and nothing else.
 * - A page is collected by one writer at a time, and its memory given back only by who has claimed it: others may be
 *   about to have it, too.
 * - Work under a lock is bounded: batches of 1/64 of a shard's share, and 1/256 of its index.
 * - A search that failed is not repeated for 2 ms, unless something was deleted.
 */
#include "queue.h"

#include <stdlib.h>

#define ROOM_EXPIRE 4096u   /* steps of the wheel at once, some 1 ms */
#define ROOM_SWEEP 1024u    /* buckets that are searched for dead entries at once, at least; ... */
#define ROOM_SWEEPS 256u    /* ... more of a large index: so many searches get through it */
#define ROOM_FRUITLESS 64u  /* held victims in a row before eviction gives up */
#define ROOM_TIDIES 1000u   /* bounded pieces of work before a refusal */
#define ROOM_ROUNDS 6u      /* batches of eviction before pages are taken */
#define ROOM_PIECES 16u     /* of a shard's pages may be free when a run replaces another one */
#define ROOM_CANDIDATES 32u /* pages with few live bytes that may be emptied, ... */
#define ROOM_VICTIMS 4u     /* ... and entries next in the queues, of which one's page may be */
#define ROOM_SAMPLE 8u      /* entries of a page that are asked how much they are used */
#define ROOM_YOUNG 8u       /* parts of the age of what is given up */
#define ROOM_UNTRIED                                                                               \
    ((uint64_t)16384) /* bytes of cold entries that are worth as much as young ones, ... */
#define ROOM_HEAT ((uint64_t)131072) /* ... and as one that was used once */
#define ROOM_ASKS 64u                /* pages of windows that are asked how much they are used */
#define ROOM_WINDOWS 4u              /* windows that are tried for a large value */
#define ROOM_YIELDS 16u              /* pages that are tried when one shall give its memory back */
#define ROOM_FED 8u                  /* pages of the zone that one write sees to, ... */
#define ROOM_FEEDS 15u       /* ... and how many times as long as that took no other one does */
#define ROOM_REGION 256u     /* pages among which a window is looked for first: 16 MiB */
#define ROOM_LARGE 16384u    /* bytes of a block that is reclaimed as soon as it can be */
#define ROOM_LATE 7u         /* batches that may wait for one, beside the usual one */
#define ROOM_STALLED_MS 100u /* a shard that was waited for in vain is not waited for again */
#define ROOM_PAUSE_MS 2u     /* while others build where nobody holds anything */

uint64_t lrd__batch_bytes(const lrd_store *store)
{
    return store->geo.size / store->geo.shards / 64;
}

static uint64_t room_retired(const lrd_store *store, uint32_t shard)
{
    return atomic_load_explicit(&store->shards[shard].retired_bytes, memory_order_relaxed);
}

/* ---- dead and expired entries ----------------------------------------------------------------------- */

bool lrd__room_sweeps(const lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    return shard->dead_entries > 0 && shard->sweep_bucket < lrd__shard_buckets(store);
}

uint64_t lrd__room_sweep_dead(lrd_store *store, uint32_t index, uint64_t bytes)
{
    lrd__shard *shard = store->shards + index;
    uint64_t before = room_retired(store, index);
    uint32_t most = lrd__shard_buckets(store) / ROOM_SWEEPS;
    most = most > ROOM_SWEEP ? most : ROOM_SWEEP;
    for (uint32_t looked = 0; looked < most && lrd__room_sweeps(store, index) &&
                              room_retired(store, index) - before < bytes;
         looked++) {
        uint32_t slot = shard->sweep_bucket * LRD__WAYS;
        for (uint32_t way = 0; way < LRD__WAYS; way++, slot++) {
            uint64_t offset = lrd__slot_offset(store, index, slot);
            if (atomic_load_explicit(lrd__index_word(store, index, slot), memory_order_relaxed) !=
                    0 &&
                lrd__block_window(store, offset)->epoch != lrd__shard_epoch(shard))
                lrd__entry_remove(store, index, slot);
        }
        shard->sweep_bucket++;
    }
    return room_retired(store, index) - before;
}

uint64_t lrd__room_expire_now(lrd_store *store, uint32_t index, uint32_t budget)
{
    uint64_t before = room_retired(store, index), now = lrd__now(store);
    uint32_t slot;
    while ((slot = lrd__wheel_due(store, index, now, &budget)) != LRD__NO_SLOT) {
        const lrd__block *block = lrd__block_window(store, lrd__slot_offset(store, index, slot));
        uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
        if (expiry == 0 || expiry > now) {
            lrd__wheel_set(store, index, slot, lrd__tick_of(expiry));
            continue;
        }
        lrd__entry_remove(store, index, slot);
        lrd__add(&store->shards[index].expired, 1);
    }
    return room_retired(store, index) - before;
}

/* ---- eviction in queue order ------------------------------------------------------------------------- */

/* The lock holder stores; whoever asks for statistics loads. */
static void room_count_age(lrd_store *store, uint32_t index, uint32_t slot)
{
    _Atomic uint64_t *mean = &store->shards[index].evicted_age_ms;
    uint64_t age =
        lrd__block_age(store, lrd__block_window(store, lrd__slot_offset(store, index, slot)));
    uint64_t before = atomic_load_explicit(mean, memory_order_relaxed);
    if (age != 0)
        atomic_store_explicit(mean, before == 0 ? age : before - before / 8 + age / 8,
                              memory_order_relaxed);
}

static void room_evict(lrd_store *store, uint32_t index, uint32_t slot)
{
    room_count_age(store, index, slot);
    lrd__entry_remove(store, index, slot);
    lrd__add(&store->shards[index].evicted, 1);
}

/* Evict until so many bytes are retired. Held blocks (as the marks say, which are a guess) go back to their queue:
 * evicting them would free nothing. */
static uint64_t room_evict_marked(lrd_store *store, uint32_t index, uint64_t bytes)
{
    uint64_t before = room_retired(store, index);
    uint32_t fruitless = 0;
    while (room_retired(store, index) - before < bytes && fruitless < ROOM_FRUITLESS) {
        bool from_small;
        uint32_t slot = lrd__evict_choose(store, index, &from_small);
        if (slot == LRD__NO_SLOT)
            break;
        if (lrd__arena_is_held(store, lrd__slot_offset(store, index, slot))) {
            lrd__evict_put_back(store, index, slot, from_small);
            fruitless++;
            continue;
        }
        uint32_t ghost = lrd__ghost_key(store, index, slot);
        room_evict(store, index, slot);
        if (from_small)
            lrd__evict_remember(store, index, ghost);
    }
    return room_retired(store, index) - before;
}

/* The same. The marks that the last batch left are good enough, unless they leave nothing to be evicted. */
static uint64_t room_evict_batch(lrd_store *store, uint32_t index, uint64_t bytes)
{
    uint64_t evicted = room_evict_marked(store, index, bytes);
    if (evicted != 0 || lrd__ledger_scan(store, index, false) != LRD_OK)
        return evicted;
    return room_evict_marked(store, index, bytes);
}

/* ---- taking pages ------------------------------------------------------------------------------------- */

/* Evict every entry with a block in this page and free what nobody holds. True: the page is free. */
static bool room_empty_page(lrd_store *store, uint32_t shard, uint32_t page)
{
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
        uint64_t live = store->bits[page].block[i].allocated & ~store->bits[page].block[i].retired;
        while (live != 0) {
            uint32_t size_class =
                lrd__owner_class(atomic_load_explicit(&store->owners[page], memory_order_relaxed));
            uint64_t offset = lrd__block_offset(store, page, size_class,
                                                i * 64 + (uint32_t)__builtin_ctzll(live));
            if (size_class == LRD__CLASS_RUN)
                offset = lrd__run_start(store, offset);
            uint32_t slot = lrd__entry_of_block(store, shard, offset);
            if (slot == LRD__NO_SLOT)
                return false;
            room_evict(store, shard, slot);
            live = store->bits[page].block[i].allocated & ~store->bits[page].block[i].retired;
        }
    }
    lrd__arena_reclaim(store, shard, false);
    uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
    if (owner != 0 && lrd__owner_shard(owner) == shard &&
        atomic_load_explicit(&store->pages[page].used, memory_order_relaxed) == 0)
        lrd__page_free(store, shard, page); /* a page of a chunk that was never used */
    return atomic_load_explicit(&store->owners[page], memory_order_acquire) == 0;
}

static uint64_t room_page_live(const lrd_store *store, uint32_t page)
{
    const lrd__page *p = store->pages + page;
    uint32_t owner = lrd__page_owner(store, page);
    if (owner == 0)
        return 0;
    uint32_t used = atomic_load_explicit(&p->used, memory_order_relaxed);
    uint32_t retired = atomic_load_explicit(&p->retired, memory_order_relaxed);
    return (uint64_t)(used > retired ? used - retired : 0) *
           lrd__class_size(lrd__owner_class(owner));
}

/* What is younger than this, in ms, counts as used: what the queues give up next is eight times as old. */
static uint64_t room_young(const lrd_store *store, uint32_t shard)
{
    uint32_t next[2];
    uint64_t oldest = 0;
    lrd__evict_next(store, shard, next);
    for (int i = 0; i < 2; i++)
        if (next[i] != LRD__NO_SLOT) {
            uint64_t offset = lrd__slot_offset(store, shard, next[i]);
            uint64_t age = lrd__block_age(store, lrd__block_window(store, offset));
            oldest = age > oldest ? age : oldest;
        }
    return oldest / ROOM_YOUNG;
}

/* How often the entry of a block was used lately. *young: it is, too. */
static uint32_t room_block_heat(const lrd_store *store, uint32_t shard, uint64_t offset,
                                uint64_t age, bool *young)
{
    const lrd__block *block = lrd__block_window(store, offset);
    uint32_t slot = lrd__entry_of_block(store, shard, offset);
    if (slot == LRD__NO_SLOT || !lrd__block_live_here(store, store->shards + shard, block))
        return 0;
    *young = *young || (block->version != 0 && lrd__block_age(store, block) < age);
    return atomic_load_explicit(lrd__index_freq(store, shard, slot), memory_order_relaxed);
}

/* What emptying a page costs, as some of its entries tell: its live bytes; some more where anything is younger than age
 * in ms, as it may be used yet; much more for each time that an entry was used. most: more is as good. [locked] */
static uint64_t room_page_cost(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t age,
                               uint64_t most)
{
    const lrd__bits *bits = store->bits + page;
    uint32_t size_class =
        lrd__owner_class(atomic_load_explicit(&store->owners[page], memory_order_relaxed));
    bool runs = size_class == LRD__CLASS_RUN, young = false;
    uint64_t bytes = room_page_live(store, page), live = bytes / lrd__class_size(size_class);
    uint64_t every = runs ? 1 : 1 + live / ROOM_SAMPLE, heat = 0, last = UINT64_MAX;
    uint64_t enough = most / ROOM_HEAT + 1;
    uint32_t at = 0, asked = 0, seen = 0;
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++)
        for (uint64_t word = bits->block[i].allocated & ~bits->block[i].retired;
             word != 0 && asked < ROOM_SAMPLE && heat < enough; word &= word - 1) {
            if (at++ % every != 0)
                continue;
            uint64_t offset = lrd__block_offset(store, page, size_class,
                                                i * 64 + (uint32_t)__builtin_ctzll(word));
            if (runs)
                offset = lrd__run_start(store, offset);
            seen += (uint32_t)every;
            asked += offset != last;
            heat += offset != last ? room_block_heat(store, shard, offset, age, &young) : 0;
            last = offset;
        }
    if (seen != 0 && seen < live)
        heat = heat * live / seen;
    return bytes + young * ROOM_UNTRIED + heat * ROOM_HEAT;
}

static bool room_page_held(const lrd_store *store, uint32_t page)
{
    return store->pages[page].marked;
}

/* Pages, as links, that are best emptied: by live bytes, where they are the same by turn. */
typedef struct room_few {
    uint32_t link[ROOM_CANDIDATES];
    uint64_t order[ROOM_CANDIDATES];
} room_few;

static void room_few_add(room_few *few, uint32_t link, uint64_t order)
{
    uint32_t at = ROOM_CANDIDATES;
    while (at > 0 && (few->link[at - 1] == 0 || few->order[at - 1] > order))
        at--;
    if (at == ROOM_CANDIDATES)
        return;
    for (uint32_t k = ROOM_CANDIDATES - 1; k > at; k--) {
        few->link[k] = few->link[k - 1];
        few->order[k] = few->order[k - 1];
    }
    few->link[at] = link;
    few->order[at] = order;
}

/* The page, as a link, of what the queues give up next, or 0. */
static uint32_t room_next_page(lrd_store *store, uint32_t shard)
{
    for (uint32_t tries = 0; tries < ROOM_VICTIMS; tries++) {
        bool from_small;
        uint32_t slot = lrd__evict_choose(store, shard, &from_small);
        if (slot == LRD__NO_SLOT)
            break;
        lrd__evict_put_back(store, shard, slot, from_small);
        uint32_t page = (uint32_t)lrd__page_of(store, lrd__slot_offset(store, shard, slot));
        if (!room_page_held(store, page) && !lrd__page_is_mini(store, page))
            return page + 1;
    }
    return 0;
}

/* The shard's page that is cheapest to empty, or 0 (else page number + 1). Where those with the fewest live bytes, of
 * which one may be all there is of its size, have entries that are used, the page of what the queues give up next may
 * be cheaper. The search starts where the last one ended, so that equal pages take turns. */
static uint32_t room_choose_page(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = &store->shards[index];
    uint64_t pages = store->geo.pages, young = room_young(store, index), lowest = UINT64_MAX;
    room_few few = {{0}, {0}};
    uint32_t cheapest = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t link = pass == 0 ? shard->small_pages : shard->run_pages; link != 0;
             link = store->pages[link - 1].next)
            if (!room_page_held(store, link - 1) && !lrd__page_is_mini(store, link - 1))
                room_few_add(&few, link,
                             room_page_live(store, link - 1) * pages +
                                 (link - 1 + pages - shard->rotor) % pages);
    for (uint32_t i = 0; i < ROOM_CANDIDATES && few.link[i] != 0 && few.order[i] / pages < lowest;
         i++) {
        uint64_t cost = room_page_cost(store, index, few.link[i] - 1, young, lowest);
        cheapest = cost < lowest ? few.link[i] : cheapest;
        lowest = cost < lowest ? cost : lowest;
    }
    uint32_t next = lowest > LRD__PAGE ? room_next_page(store, index) : 0;
    if (next != 0 && room_page_cost(store, index, next - 1, young, lowest) < lowest)
        cheapest = next;
    if (cheapest != 0)
        shard->rotor = cheapest % (uint32_t)pages;
    return cheapest;
}

/* Empty one page of this shard. As above, the marks may be those of the last batch, unless fresh ones are asked for. */
static bool room_take_page(lrd_store *store, uint32_t shard, bool fresh)
{
    if (fresh && lrd__ledger_scan(store, shard, false) != LRD_OK)
        return false;
    uint32_t link = room_choose_page(store, shard);
    if (link == 0 && !fresh && lrd__ledger_scan(store, shard, false) == LRD_OK)
        link = room_choose_page(store, shard);
    return link != 0 && room_empty_page(store, shard, link - 1);
}

/* ---- windows of pages, across shards ------------------------------------------------------------------- */

/* Whether a page has all of its memory. */
static bool room_page_complete(const lrd_store *store, uint64_t page)
{
    return page < lrd__pages_high(store) &&
           atomic_load_explicit(&store->pages[page].committed, memory_order_acquire) ==
               LRD__PAGE_PARTS;
}

/* Pages [first, end), and for each the bytes that emptying it would evict, or UINT64_MAX where it is held, lost, or
 * collected by somebody else. */
typedef struct room_region {
    uint64_t first, end;
    uint64_t *costs;
    uint8_t *
        asked; /* of each: its entries have told how much they are used, and its cost is that of room_page_cost() */
} room_region;

/* Whether somebody else collects a page. */
static bool room_page_collected(lrd_store *store, const lrd__thread *self, uint64_t page)
{
    return page < lrd__pages_high(store) &&
           lrd__page_collected(
               store, self, atomic_load_explicit(&store->pages[page].drain, memory_order_relaxed));
}

static bool room_survey(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t end,
                        room_region *region)
{
    uint64_t *held = calloc((store->geo.pages + 63) / 64, sizeof *held);
    *region = (room_region){first, end, calloc(end - first, sizeof *region->costs + 1), NULL};
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
        region->costs[p - first] = barred ? UINT64_MAX : room_page_live(store, (uint32_t)p);
    }
    free(held);
    return true;
}

/* A part of the store, from where the last window was taken on, or all of it: what a window costs shall not depend on
 * the size of the store. */
static bool room_survey_part(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                             room_region *region)
{
    uint64_t pages = store->geo.pages, span = 8 * count > ROOM_REGION ? 8 * count : ROOM_REGION;
    uint64_t rotor = atomic_load_explicit(&store->header->window_rotor, memory_order_relaxed);
    if (all || span >= pages)
        return room_survey(store, self, 0, pages, region);
    rotor %= pages;
    uint64_t first = rotor + span > pages ? pages - span : rotor;
    return room_survey(store, self, first, first + span, region);
}

static bool room_bars(const lrd_store *store, const room_region *region, uint64_t page,
                      bool complete)
{
    return region->costs[page - region->first] == UINT64_MAX ||
           (complete && !room_page_complete(store, page));
}

/* The cheapest window of count pages, by a sliding sum; from the rotor on, so that windows of the
 * same cost take turns. complete: among those that have all of their memory. UINT64_MAX: none. */
static uint64_t room_choose_window(const lrd_store *store, const room_region *region,
                                   uint64_t count, bool complete)
{
    uint64_t pages = store->geo.pages, sum = 0, length = 0, best = UINT64_MAX, first = UINT64_MAX;
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
        /* A 16th more is as good: the turn decides. */
        bool similar = first != UINT64_MAX && sum <= best + best / 16 && best <= sum + sum / 16;
        if (sum < best ? !similar || turn < best_turn : similar && turn < best_turn) {
            best = sum;
            best_turn = turn;
            first = start;
        }
    }
    return first;
}

/* Ask the entries of a window's pages how much they are used, of up to *asks pages. Whether it costs more than was thought. */
static bool room_ask_window(lrd_store *store, lrd__thread *self, room_region *region,
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
        if (owner != 0 && lrd__owner_shard(owner) == shard)
            *cost = room_page_cost(store, shard, (uint32_t)p, 0, UINT64_MAX);
        lrd__shard_unlock(store, shard);
        region->asked[p - region->first] = 1;
        more = more || *cost > before;
        --*asks;
    }
    return more;
}

/* As room_choose_window(), but for windows in which something is used as long as there are others, or *asks. */
static uint64_t room_choose_cold(lrd_store *store, lrd__thread *self, room_region *region,
                                 uint64_t count, bool complete, uint32_t *asks)
{
    uint64_t first;
    do {
        first = room_choose_window(store, region, count, complete);
    } while (first != UINT64_MAX && room_ask_window(store, self, region, first, count, asks));
    return first;
}

/* Mark a page as collected by self. False: somebody else collects it. */
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

/* Mark one page as collected by self and empty it under its shard's lock. On LRD_OK it is free and marked, and
 * nobody else's until it is unmarked. */
static int room_collect_page(lrd_store *store, lrd__thread *self, uint32_t page)
{
    for (int tries = 0; tries < 5; tries++) {
        /* Each time: who vets a shard forgets the marks of its pages. */
        if (!room_mark(store, self, page))
            return LRD_ENOROOM;
        /* Pairs with who claims: owner first, then the mark (both seq_cst). */
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
        bool emptied =
            owner != 0 && lrd__owner_shard(owner) == shard && room_empty_page(store, shard, page);
        bool held = owner != 0 && lrd__owner_shard(owner) == shard && !emptied;
        lrd__shard_unlock(store, shard);
        if (held)
            return LRD_ENOROOM;
    }
    return LRD_ENOROOM;
}

static void room_unmark(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t count)
{
    for (uint64_t p = first; p < first + count; p++) {
        uint64_t mark = lrd__drain_mark(self);
        atomic_compare_exchange_strong_explicit(&store->pages[p].drain, &mark, 0,
                                                memory_order_seq_cst, memory_order_relaxed);
    }
}

/* The page that is cheapest to empty, of those below the zone, which keeps its memory, that have so many parts and are
 * not [first, first + count); UINT64_MAX: there is none. region begins at page 0. */
static uint64_t room_cheapest(const lrd_store *store, const room_region *region, uint32_t parts,
                              uint64_t first, uint64_t count)
{
    uint64_t best = UINT64_MAX, high = lrd__pages_high(store), end = lrd__zone_first(store);
    for (uint64_t p = 0; p < end && p < high; p++)
        if ((p < first || p >= first + count) && region->costs[p] != UINT64_MAX &&
            (best == UINT64_MAX || region->costs[p] < region->costs[best]) &&
            atomic_load_explicit(&store->pages[p].committed, memory_order_acquire) >= parts)
            best = p;
    return best;
}

/* A shard's lock was not to be had: its other pages would be waited for as long. */
static void room_bar_shard(const lrd_store *store, room_region *region, uint32_t shard)
{
    for (uint64_t p = region->first; p < region->end; p++) {
        uint32_t owner = lrd__page_owner(store, p);
        if (owner != 0 && lrd__owner_shard(owner) == shard)
            region->costs[p - region->first] = UINT64_MAX;
    }
}

/* The same for shards whose lock somebody has right now. */
static void room_bar_busy(lrd_store *store, lrd__thread *self, room_region *region)
{
    for (uint32_t shard = 0; shard < store->geo.shards; shard++)
        if (lrd__shard_try(store, self, shard) == LRD_OK)
            lrd__shard_unlock(store, shard);
        else
            room_bar_shard(store, region, shard);
}

/* A shard's lock was waited for in vain: the others of this process shall not do so at once. */
static void room_note_stalled(lrd_store *store, uint32_t shard)
{
    atomic_store_explicit(&store->stalled_until, lrd__clock_monotonic_ms() + ROOM_STALLED_MS,
                          memory_order_relaxed);
    atomic_store_explicit(&store->stalled, shard + 1, memory_order_relaxed);
}

/* The shard + 1 whose lock was waited for in vain a moment ago, and somebody still has it; 0: none. */
static uint32_t room_stalled(lrd_store *store, lrd__thread *self)
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

/* Empty a page of the region and give its memory back. self NULL: its shard is not waited for. No lock is held. */
static bool room_yield_page(lrd_store *store, lrd__thread *self, room_region *region, uint32_t page)
{
    uint32_t owner = lrd__page_owner(store, page);
    uint32_t shard = owner != 0 ? lrd__owner_shard(owner) : page % store->geo.shards;
    if (shard >= store->geo.shards)
        return false;
    if (self == NULL && lrd__shard_try(store, NULL, shard) != LRD_OK)
        return false;
    if (self != NULL && lrd__shard_lock(store, self, shard) != LRD_OK) {
        room_bar_shard(store, region, shard);
        return false;
    }
    lrd__entry_sync(store, shard);
    owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
    bool free =
        owner == 0 || (lrd__owner_shard(owner) == shard && room_empty_page(store, shard, page));
    bool given = free && lrd__page_yield(store, shard, page);
    lrd__shard_unlock(store, shard);
    return given;
}

/* Memory for a window that self has collected, where the file system has none: other pages, not of the zone, are
 * emptied and theirs is given back, until it suffices. all: what may be emptied; pages that were tried are marked
 * there. */
static int room_feed_window(lrd_store *store, lrd__thread *self, room_region *all, uint64_t first,
                            uint64_t count)
{
    uint64_t *costs = all->costs, parts = 0;
    while (parts < (2 * count + ROOM_WINDOWS) * LRD__PAGE_PARTS) {
        int rc = lrd__arena_commit(store, first << LRD__PAGE_BITS, count << LRD__PAGE_BITS);
        if (rc != LRD_ENOSPC)
            return rc;
        uint64_t page = room_cheapest(store, all, LRD__PAGE_PARTS, first, count);
        if (page == UINT64_MAX) /* those of a run may have some parts only */
            page = room_cheapest(store, all, 1, first, count);
        if (page == UINT64_MAX)
            break;
        costs[page] = UINT64_MAX;
        parts += atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
        room_yield_page(store, self, all, (uint32_t)page);
    }
    return LRD_ENOROOM;
}

void lrd__room_feed_zone(lrd_store *store, lrd__thread *self)
{
    uint64_t page = lrd__zone_first(store), budget = ROOM_FED, begin = lrd__clock_monotonic_ms();
    room_region all = {.costs = NULL};
    bool whole = true;
    if (begin < atomic_load_explicit(&store->feed_at, memory_order_relaxed))
        return;
    for (; page < store->geo.pages && budget > 0; page++) {
        if (room_page_complete(store, page))
            continue;
        whole = false;
        /* Each write comes by: who is in the way now is not waited for. */
        if (all.costs == NULL && room_survey(store, self, 0, store->geo.pages, &all))
            room_bar_busy(store, self, &all);
        if (all.costs == NULL || lrd__pages_describe(store, page + 1) != LRD_OK)
            break;
        if (all.costs[page] == UINT64_MAX) /* when it is let go of; others are not held up by it */
            continue;
        uint32_t owner = lrd__page_owner(store, page);
        int rc = room_collect_page(store, self, (uint32_t)page);
        if (rc == LRD_OK)
            room_feed_window(store, self, &all, page, 1);
        else if (rc == LRD_EBUSY && owner != 0) /* stopped since */
            room_bar_shard(store, &all, lrd__owner_shard(owner));
        room_unmark(store, self, page, 1);
        budget--;
    }
    if (whole)
        atomic_store_explicit(&store->header->zone_fed, 1, memory_order_relaxed);
    free(all.costs);
    /* In a large store a survey takes long: writes of this process shall do something else, too. */
    uint64_t end = lrd__clock_monotonic_ms();
    atomic_store_explicit(&store->feed_at, end + (end - begin) * ROOM_FEEDS, memory_order_relaxed);
}

bool lrd__room_yield(lrd_store *store, uint64_t bytes)
{
    uint32_t parts = (uint32_t)((bytes + LRD__PART - 1) >> LRD__PART_BITS);
    room_region region;
    bool given = false;
    if (!room_survey(store, NULL, 0, lrd__zone_first(store), &region))
        return false;
    for (uint32_t tries = 0; tries < ROOM_YIELDS && !given; tries++) {
        uint64_t page = room_cheapest(store, &region, parts, 0, 0);
        if (page == UINT64_MAX)
            break;
        region.costs[page] = UINT64_MAX;
        given = room_yield_page(store, NULL, &region, (uint32_t)page);
    }
    free(region.costs);
    return given;
}

/* Survey a part of the store, or all of it, without these shards. */
static void room_survey_but(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                            const uint32_t *barred, uint32_t bars, room_region *region)
{
    if (room_survey_part(store, self, count, all, region))
        for (uint32_t i = 0; i < bars; i++)
            room_bar_shard(store, region, barred[i]);
}

/* Collect count neighbouring pages for this shard, whose lock is dropped meanwhile and held again
 * on LRD_OK, LRD_ENOROOM and LRD_ENOMEM: pages could not be surveyed. *busy: some shard's lock was not to be had. */
static int room_take_window(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                            uint32_t size_class, bool *locked, bool *busy)
{
    int rc = LRD_ENOROOM, own = LRD_OK;
    bool claimed = false;
    uint32_t asks = ROOM_ASKS, barred[ROOM_WINDOWS + 1],
             bars = 0; /* shards whose lock was not to be had */
    if (count > 1)
        lrd__evict_cool(store, shard, count);
    lrd__shard_unlock(store, shard);
    *locked = false;
    room_region region;
    uint32_t stalled = room_stalled(store, self);
    if (stalled != 0) {
        *busy = true;
        barred[bars++] = stalled - 1;
    }
    room_survey_but(store, self, count, lrd__memory_short(store), barred, bars, &region);
    for (uint32_t i = 0; region.costs != NULL && i < ROOM_WINDOWS && own == LRD_OK; i++) {
        bool whole = region.end - region.first == store->geo.pages;
        bool poor = whole && lrd__memory_short(store);
        uint64_t first = room_choose_cold(store, self, &region, count, poor, &asks), done = 0;
        if (first == UINT64_MAX && poor)
            first = room_choose_cold(store, self, &region, count, false, &asks);
        if (first == UINT64_MAX && !whole) { /* barred here: look everywhere */
            free(region.costs);
            room_survey_but(store, self, count, true, barred, bars, &region);
            continue;
        }
        if (first == UINT64_MAX || lrd__pages_describe(store, first + count) != LRD_OK)
            break;
        uint32_t owner = 0;
        for (rc = LRD_OK; done < count && rc == LRD_OK; done++) {
            owner = lrd__page_owner(store, first + done);
            rc = room_collect_page(store, self, (uint32_t)(first + done));
        }
        if (rc == LRD_EBUSY) {
            *busy = true;
            if (owner != 0) {
                barred[bars++] = lrd__owner_shard(owner);
                room_bar_shard(store, &region, barred[bars - 1]);
                room_note_stalled(store, barred[bars - 1]);
            }
        }
        if (rc == LRD_OK && poor)
            rc = room_feed_window(store, self, &region, first, count);
        if (rc == LRD_OK)
            rc = own = lrd__shard_lock(store, self, shard);
        if (rc == LRD_OK) {
            *locked = true;
            lrd__entry_sync(store, shard);
            claimed =
                lrd__pages_claim(store, self, shard, (uint32_t)first, count, size_class) == LRD_OK;
        }
        room_unmark(store, self, first, count);
        if (claimed)
            break;
        if (*locked)
            lrd__shard_unlock(store, shard);
        *locked = false;
        /* not this page again */
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

/* ---- making room ----------------------------------------------------------------------------------------- */

/* Whether anything was retired since the last scan: it found what it left to be held. */
static bool room_has_new(const lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    return room_retired(store, index) + shard->reclaim_step > shard->reclaim_at;
}

/* Give back what costs nothing: dead and expired entries, empty pages. A bounded piece of work at a
 * time; returns the bytes of entries that were found. [locked] */
static uint64_t room_tidy(lrd_store *store, uint32_t index, uint64_t bytes, uint32_t size_class)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t found = lrd__room_expire(store, index, ROOM_EXPIRE);
    if (store->expires && shard->wheel_count != 0 &&
        shard->wheel_tick < (uint32_t)(lrd__now(store) >> LRD__TICK_BITS))
        found++; /* the wheel is still on its way */
    found += lrd__room_sweep_dead(store, index, bytes);
    found += lrd__room_sweeps(store, index); /* it is, too */
    if (!store->evicts || room_has_new(store, index))
        lrd__arena_reclaim(store, index,
                           false); /* other writers' churn feeds it for ever: does not count */
    if (!store->evicts || size_class != LRD__CLASS_RUN) /* which looks in them already */
        lrd__arena_trim(store, index);
    return found;
}

/* Before the shard is tidied, which frees what was dropped. */
static uint64_t room_sweep_queues(lrd_store *store, uint32_t index)
{
    return store->queues != NULL ? lrd__queue_sweep(store, index, lrd__now(store)) : 0;
}

/* The same for all shards, one after the other, and ours, whose lock is dropped meanwhile. *busy: another one's was
 * not to be had, and no other is waited for. */
static uint64_t room_tidy_all(lrd_store *store, lrd__thread *self, uint32_t shard, bool *locked,
                              bool *busy)
{
    uint64_t batch = lrd__batch_bytes(store), found = room_sweep_queues(store, shard);
    found += room_tidy(store, shard, batch, 0);
    lrd__shard_unlock(store, shard);
    *locked = false;
    uint32_t stalled = room_stalled(store, self);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        if (i == shard)
            continue;
        bool wait = !*busy && stalled != i + 1;
        if ((wait ? lrd__shard_lock(store, self, i) : lrd__shard_try(store, self, i)) != LRD_OK) {
            if (wait)
                room_note_stalled(store, i);
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

/* Whether what queue order evicts next is in a block that is as large: then room for another one is there at once. */
static bool room_next_is(const lrd_store *store, uint32_t index, uint64_t bytes)
{
    uint32_t queues[2];
    lrd__evict_next(store, index, queues);
    for (int i = 0; i < 2; i++)
        if (queues[i] != LRD__NO_SLOT &&
            lrd__block_bytes(store, lrd__slot_offset(store, index, queues[i])) >= bytes)
            return true;
    return false;
}

/* Changes whenever a page becomes free. */
static uint64_t room_pages_freed(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->pages_hint, memory_order_relaxed) >> 32) +
           atomic_load_explicit(&store->header->minis_freed, memory_order_relaxed);
}

/* One escalating step. LRD_ENOROOM, LRD_ENOMEM: nothing more can be done. *busy: as room_take_window(). */
static int room_step(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                     uint32_t step, bool *locked, bool *busy)
{
    lrd__shard *shard = store->shards + index;
    uint64_t batch = lrd__batch_bytes(store);
    uint32_t size_class = lrd__class_of(bytes);
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    if (step == 0) {
        if (!store->evicts || room_has_new(store, index))
            lrd__arena_reclaim(store, index, false);
        return LRD_OK;
    }
    if (step == 1) {
        /* What was held at the last scan may have been let go of since: before anything that lives is given up. */
        if (store->evicts && room_retired(store, index) >= bytes)
            lrd__arena_reclaim(store, index, false);
        room_tidy(store, index, batch > 2 * bytes ? batch : 2 * bytes, size_class);
        return LRD_OK;
    }
    if (!store->evicts) { /* as long as anything is found; at first, pages are enough */
        uint64_t freed = room_pages_freed(store);
        uint64_t found = step < ROOM_TIDIES ? room_tidy_all(store, self, index, locked, busy) : 0;
        bool more = found > 0 || (step == 2 && room_pages_freed(store) != freed);
        return !*locked ? LRD_EBUSY : more ? LRD_OK : LRD_ENOROOM;
    }
    /* Much is free in other classes' pages, or the value wants whole pages: evicting in queue order
     * would only make more of the same. */
    uint64_t taken = atomic_load_explicit(&shard->live_bytes, memory_order_relaxed) +
                     atomic_load_explicit(&shard->dead_bytes, memory_order_relaxed) +
                     room_retired(store, index);
    uint64_t owned = atomic_load_explicit(&shard->page_bytes, memory_order_relaxed);
    bool sparse = owned > taken && owned - taken > owned / 32;
    bool poor = owned < store->geo.size / store->geo.shards / 2;
    /* Where much lies about in pieces, windows put it together. */
    bool fits = size_class == LRD__CLASS_RUN && step == 2 && owned <= taken + owned / ROOM_PIECES &&
                room_next_is(store, index, bytes);
    if ((pages > 1 && !fits) || poor || step >= 2 + ROOM_ROUNDS) /* at last a page of any shard's */
        return step < 2 + 2 * ROOM_ROUNDS
                   ? room_take_window(store, self, index, pages, size_class, locked, busy)
                   : LRD_ENOROOM;
    if ((sparse && !fits) || step >= 4) {
        room_take_page(store, index, step >= 4);
        return LRD_OK;
    }
    if (room_evict_batch(store, index, batch > bytes ? batch : bytes) > 0)
        lrd__arena_reclaim(store, index, size_class == LRD__CLASS_RUN);
    return LRD_OK;
}

/* Whether the same search failed a moment ago and nothing was deleted since. */
static bool room_hopeless(const lrd_store *store, const lrd__shard *shard, uint64_t bytes)
{
    return shard->full_until != 0 && bytes >= shard->full_bytes &&
           lrd__clock_monotonic_ms() < shard->full_until &&
           shard->full_deletes ==
               atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

static void room_give_up(const lrd_store *store, lrd__shard *shard, uint64_t bytes)
{
    shard->full_until = lrd__clock_monotonic_ms() + 2; /* its tick may come at once */
    shard->full_bytes = bytes;
    shard->full_deletes = atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

/* How long others may be in the way who build. Where the zone could not be given its memory holds may have all there is,
 * and nobody ends those soon: then for a moment, if there are others. */
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

/* What holds leave of the zone may be where others build, each in a window: they are done soon. */
static int room_pause(lrd_store *store, lrd__thread *self, uint32_t shard, bool *locked)
{
    struct timespec pause = {0, (long)ROOM_PAUSE_MS * 1000000};
    lrd__shard_unlock(store, shard);
    nanosleep(&pause, NULL);
    int rc = lrd__shard_lock(store, self, shard);
    *locked = rc == LRD_OK;
    if (rc == LRD_OK)
        lrd__entry_sync(store, shard);
    return rc;
}

/* Bytes of the data in no block, or in retired ones. Messages are counted by their queues, not by their shard. */
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

/* Where nothing was free: give up one thing after the other. full: the answer so far. */
static __attribute__((noinline)) int room_search(lrd_store *store, lrd__thread *self,
                                                 uint32_t index, uint64_t bytes, int full,
                                                 uint64_t *offset, uint32_t *entry, bool *locked)
{
    lrd__shard *shard = store->shards + index;
    uint32_t waited = 0;
    bool busy = false; /* then it has waited for a lock, as long as for any */
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
            /* The last resort: a block that is too large. Pinned entries keep their place for good,
             * so there at most twice the size; what can be evicted may lie anywhere. */
            rc = lrd__arena_larger(store, self, index, bytes,
                                   store->evicts ? UINT64_MAX : 2 * bytes, offset, entry);
            if (rc != LRD_ENOROOM && rc != LRD_ENOSPC)
                return rc;
            if (blind)
                return lrd__fail(LRD_ENOMEM, "a survey of pages, for %llu bytes in one piece",
                                 (unsigned long long)bytes);
            waited += ROOM_PAUSE_MS;
            if (store->evicts && bytes <= lrd__zone_pages(store) << LRD__PAGE_BITS &&
                waited <= room_pauses_ms(store) && !busy) {
                rc = room_pause(store, self, index, locked);
                if (rc != LRD_OK)
                    return rc;
                step = 1;
                continue;
            }
            busy = busy && store->evicts; /* else it was only looked for what is dead there */
            if (!busy)                    /* the next one may find it free */
                room_give_up(store, shard, bytes);
            break;
        }
    }
    if (busy)
        return lrd__fail(LRD_EBUSY, "%llu bytes wanted: a shard whose pages could give way is busy",
                         (unsigned long long)bytes);
    if (full == LRD_ENOSPC)
        return lrd__segment_full(store, bytes);
    /* A sixteenth is what sizes are rounded up by. */
    uint64_t free = room_free_bytes(store);
    self->scattered = free >= bytes + store->geo.size / 16;
    if (self->scattered)
        return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, %llu of %llu are free, not in one piece",
                         (unsigned long long)bytes, (unsigned long long)free,
                         (unsigned long long)store->geo.size);
    return lrd__fail(LRD_ENOROOM, "%llu bytes wanted, the store has %llu",
                     (unsigned long long)bytes, (unsigned long long)store->geo.size);
}

/* Reclaim what was retired: without a barrier of one's own where another one has passed, else when it has become
 * much, and the thread's own is due or the shard has too much. Large blocks once they make room for the one that is wanted: a
 * scan costs less than writing where nobody was lately. */
static LRD__STEP void room_reclaim_due(lrd_store *store, lrd__thread *self, uint32_t index,
                                       uint64_t bytes)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t retired = room_retired(store, index);
    uint64_t at = shard->reclaim_at != 0 ? shard->reclaim_at : LRD__RECLAIM_MIN;
    uint64_t step = bytes >= ROOM_LARGE && shard->reclaim_step > bytes ? shard->reclaim_step - bytes
                                                                       : shard->reclaim_step / 2;
    if (retired + step >= at &&
        (lrd__ledger_passed(store, index) ||
         (retired >= at &&
          (lrd__barrier_due(self) || retired >= at + ROOM_LATE * lrd__batch_bytes(store)))))
        lrd__arena_reclaim(store, index, false);
}

LRD__STEP int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                             uint64_t *offset, uint32_t *entry, bool *locked)
{
    room_reclaim_due(store, self, index, bytes);
    int rc = lrd__arena_try(store, self, index, bytes, offset, entry);
    return rc != LRD_ENOROOM && rc != LRD_ENOSPC
               ? rc
               : room_search(store, self, index, bytes, rc, offset, entry, locked);
}
