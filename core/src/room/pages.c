/* pages.c - chooses the pages that are cheapest to empty, and empties them. Begin reading at
 * lrd__room_take_page(). */
#include "room/pages.h"
#include "room/order.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/entry.h"

/* a search compares the rates of this number of pages: those with the fewest entries */
#define ROOM_CANDIDATES 32u
#define ROOM_SAMPLE 64u  /* maximum number of entries of one page whose uses are counted */
#define ROOM_HEAT 65536u /* cost of one use of an entry */
#define ROOM_MINIS 64u   /* maximum number of entries in mini pages that one step evicts */

bool lrd__room_empty_page(lrd_store *store, uint32_t shard, uint32_t page)
{
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
        uint64_t live = store->bits[page].block[i].allocated & ~store->bits[page].block[i].retired;
        while (live != 0) {
            uint32_t size_class = lrd__page_class(store, page);
            uint64_t offset = lrd__block_offset(store, page, size_class,
                                                i * 64 + (uint32_t)__builtin_ctzll(live));
            if (size_class == LRD__CLASS_RUN)
                offset = lrd__run_start(store, offset);
            uint32_t slot = lrd__entry_of_block(store, shard, offset);
            if (slot == LRD__NO_SLOT)
                return false;
            lrd__room_evict_early(store, shard, slot);
            live = store->bits[page].block[i].allocated & ~store->bits[page].block[i].retired;
        }
    }
    lrd__arena_reclaim(store, shard, false);
    uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
    if (lrd__owner_is(owner, shard) && lrd__page_used(store->pages + page) == 0)
        /* lrd__arena_reclaim() ignores a page that never had a block, so free the page here */
        lrd__page_free(store, shard, page);
    return atomic_load_explicit(&store->owners[page], memory_order_acquire) == 0;
}

/* Return the number of a page's blocks that are allocated and not retired. In a run page, count
 * units instead of blocks. `owner` is the page's owner word. */
static uint32_t room_page_blocks(const lrd_store *store, uint32_t page, uint32_t owner)
{
    const lrd__page *p = store->pages + page;
    uint32_t used = lrd__page_used(p);
    uint32_t retired = atomic_load_explicit(&p->retired, memory_order_relaxed);
    return owner != 0 && used > retired ? used - retired : 0;
}

static uint64_t room_page_live(const lrd_store *store, uint32_t page)
{
    uint32_t owner = lrd__page_owner(store, page);
    uint64_t live = room_page_blocks(store, page, owner);
    return live != 0 ? live * lrd__class_size(lrd__owner_class(owner)) : 0;
}

/* Estimate the number of entries with a block in the page. */
static uint64_t room_page_entries(const lrd_store *store, uint32_t page)
{
    uint32_t owner = lrd__page_owner(store, page);
    uint64_t live = room_page_blocks(store, page, owner), runs = 1;
    if (live == 0 || lrd__owner_class(owner) != LRD__CLASS_RUN)
        return live;
    for (uint64_t u = (uint64_t)page * LRD__PAGE_UNITS, end = u + LRD__PAGE_UNITS; u < end;) {
        uint64_t units = lrd__run_units(store, u);
        runs += units > 1;
        u += units;
    }
    return runs < live ? runs : live;
}

/* Return the cost of emptying a page with this number of entries, if none of them was used. */
static uint64_t room_least_cost(const lrd_store *store, uint32_t page, uint64_t entries)
{
    return entries * LRD__ROOM_ENTRY + room_page_live(store, page) / LRD__UNIT;
}

uint64_t lrd__room_page_least_cost(const lrd_store *store, uint32_t page)
{
    return room_least_cost(store, page, room_page_entries(store, page));
}

uint32_t lrd__room_block_heat(const lrd_store *store, uint32_t shard, uint64_t offset)
{
    const lrd__block *block = lrd__block_window(store, offset);
    uint32_t slot = lrd__entry_of_block(store, shard, offset);
    if (slot == LRD__NO_SLOT || !lrd__block_live_here(store, store->shards + shard, block))
        return 0;
    return lrd__evict_heat(store, shard, slot);
}

uint64_t lrd__room_page_cost(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t most)
{
    const lrd__bits *bits = store->bits + page;
    uint32_t size_class = lrd__page_class(store, page);
    bool runs = size_class == LRD__CLASS_RUN;
    uint64_t entries = room_page_entries(store, page);
    uint64_t every = runs ? 1 : 1 + entries / ROOM_SAMPLE, heat = 0, last = UINT64_MAX;
    uint32_t at = 0, asked = 0;
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++)
        for (uint64_t word = bits->block[i].allocated & ~bits->block[i].retired;
             word != 0 && asked < ROOM_SAMPLE && heat * ROOM_HEAT < most; word &= word - 1) {
            if (at++ % every != 0)
                continue;
            uint64_t offset = lrd__block_offset(store, page, size_class,
                                                i * 64 + (uint32_t)__builtin_ctzll(word));
            if (runs)
                offset = lrd__run_start(store, offset);
            asked += offset != last;
            heat += offset != last ? lrd__room_block_heat(store, shard, offset) : 0;
            last = offset;
        }
    if (asked != 0 && asked < entries)
        heat = heat * entries / asked;
    return room_least_cost(store, page, entries) + heat * ROOM_HEAT;
}

uint64_t lrd__room_rate(uint64_t cost, uint64_t age)
{
    return (cost << LRD__ROOM_RATE_BITS) / (age + 1);
}

/* Return the lowest cost for which lrd__room_rate(cost, age) is at least `rate`. */
static uint64_t room_cost_of_rate(uint64_t rate, uint64_t age)
{
    uint64_t product;
    return __builtin_mul_overflow(rate, age + 1, &product) ? UINT64_MAX
                                                           : (product >> LRD__ROOM_RATE_BITS) + 1;
}

uint64_t lrd__room_page_age(const lrd_store *store, uint32_t shard, uint32_t size_class)
{
    uint64_t oldest = 0;
    if (size_class != LRD__CLASS_RUN)
        return lrd__evict_age(store, shard, size_class);
    for (uint32_t k = LRD__CLASSES; k < LRD__ORDERS; k++) {
        uint64_t age = lrd__evict_age(store, shard, k);
        oldest = age > oldest ? age : oldest;
    }
    return oldest;
}

/* Return the rate of a page. `runs` is the age of run pages. Stops counting uses once the rate has
 * reached `most`. [locked] */
static uint64_t room_page_rate(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t runs,
                               uint64_t most)
{
    uint32_t size_class = lrd__page_class(store, page);
    uint64_t age =
        size_class == LRD__CLASS_RUN ? runs : lrd__room_page_age(store, shard, size_class);
    return lrd__room_rate(lrd__room_page_cost(store, shard, page, room_cost_of_rate(most, age)),
                          age);
}

/* The pages with the fewest entries, sorted. link[] has page numbers + 1. order[] has the sort
 * keys: the number of entries, then room_turn(). */
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

/* Return how many pages the page `link` - 1 lies after the shard's rotor, counting around the end
 * of the store. The rotor is the page after the one that the last search chose. */
static uint64_t room_turn(const lrd__shard *shard, uint32_t link, uint64_t pages)
{
    return (link - 1 + pages - shard->rotor) % pages;
}

/* Return the number + 1 of the cheapest page of the orders [first, end), and set *rate to its rate.
 * Returns 0 if no rate is below `most`. Avoids pages in which the next new block would be
 * allocated. */
static uint32_t room_choose_page(lrd_store *store, uint32_t index, uint32_t first, uint32_t end,
                                 uint64_t most, uint64_t *rate)
{
    lrd__shard *shard = &store->shards[index];
    uint64_t pages = store->geo.pages, lowest = most;
    uint64_t runs = lrd__room_page_age(store, index, LRD__CLASS_RUN);
    uint32_t small = first < LRD__CLASSES ? shard->small_pages : 0;
    uint32_t classes_end = end < LRD__CLASSES ? end : LRD__CLASSES;
    room_few few = {{0}, {0}};
    uint32_t cheapest = 0;
    for (uint32_t link = small; link != 0; link = store->pages[link - 1].next) {
        uint32_t size_class = lrd__page_class(store, link - 1);
        if (store->pages[link - 1].marked || lrd__page_is_mini(store, link - 1) ||
            size_class < first || size_class >= classes_end)
            continue;
        bool begun = shard->avail[store->pages[link - 1].lane][size_class] == link;
        uint64_t entries = begun ? LRD__PAGE : room_page_entries(store, link - 1);
        room_few_add(&few, link, entries * pages + room_turn(shard, link, pages));
    }
    uint32_t run = end > LRD__CLASSES ? shard->run_pages : 0;
    for (uint32_t link = run; link != 0; link = store->pages[link - 1].next)
        if (!store->pages[link - 1].marked)
            room_few_add(&few, link,
                         room_page_entries(store, link - 1) * pages +
                             room_turn(shard, link, pages));
    for (uint32_t i = 0; i < ROOM_CANDIDATES && few.link[i] != 0; i++) {
        uint64_t is = room_page_rate(store, index, few.link[i] - 1, runs, lowest);
        cheapest = is < lowest ? few.link[i] : cheapest;
        lowest = is < lowest ? is : lowest;
    }
    *rate = lowest;
    if (cheapest != 0)
        shard->rotor = cheapest % (uint32_t)pages;
    return cheapest;
}

/* Evict the next victims of an order as long as they lie in mini pages. room_choose_page() skips
 * mini pages: with their few entries, they would take the places of its other candidates. */
static void room_evict_minis(lrd_store *store, uint32_t shard, uint32_t order)
{
    uint64_t first = lrd__evict_age(store, shard, order);
    for (uint32_t tries = 0; tries < ROOM_MINIS; tries++) {
        if (lrd__evict_age(store, shard, order) < first / 2 ||
            lrd__evict_spares_next(store, shard, order))
            break;
        uint32_t slot = lrd__evict_next(store, shard, order);
        if (slot == LRD__NO_SLOT ||
            !lrd__page_is_mini(store, lrd__page_of(store, lrd__slot_offset(store, shard, slot))) ||
            lrd__room_evict_marked(store, shard, order, 1) == 0)
            break;
    }
}

void lrd__room_take_page(lrd_store *store, uint32_t shard, uint32_t first, uint32_t end, bool fresh)
{
    bool one = first + 1 == end;
    uint64_t rate = UINT64_MAX;
    if (fresh && lrd__ledger_scan(store, shard, false) != LRD_OK)
        return;
    if (one)
        room_evict_minis(store, shard, first);
    uint32_t link = room_choose_page(store, shard, first, end, rate, &rate);
    if (one && first < LRD__CLASSES &&
        rate >= lrd__room_rate(ROOM_HEAT, lrd__evict_age(store, shard, first))) {
        uint32_t other = room_choose_page(store, shard, 0, LRD__ORDERS, rate, &rate);
        link = other != 0 ? other : link;
    }
    if (link != 0)
        lrd__room_empty_page(store, shard, link - 1);
}
