/* room.c - makes room for a block in a full store. First it frees retired blocks, dead and expired
 * entries, and expired messages. If the policy evicts, it then evicts entries of the same size,
 * runs that lie in a row, or all entries of whole pages. Begin reading at lrd__room_make().
 *
 * Words used here: an order is a group of entries of similar size, with its own eviction queues
 * (evict.c). Its next victim is the entry that it would evict next. A run is a block above 8 KiB. A
 * row is a range of neighbouring units in run pages. A window is a range of neighbouring pages,
 * which may belong to several shards.
 *
 * The cost of keeping an entry is its bytes times the time since it was queued. The worst order is
 * the one whose next victim costs most (room_worst()). If the wanted block's order is worst, or
 * nearly so, entries are evicted from its queues, which leaves blocks that fit. Otherwise a page of
 * the worst order is emptied, because evicting from the queues would not empty any.
 *
 * For a run, room_take_row() evicts runs beside one of the next victims, until they make a row of
 * the wanted length with the free units between them. If there is no such row, and the run has
 * several pages, room_take_window() empties a window. Pages and windows are chosen by the number of
 * their entries, and by how often these entries are used. Windows are compared by room_page_cost(),
 * pages by room_page_rate(): that cost divided by the time for which the page's order keeps
 * entries. The ghost (evict.c) remembers all entries that were evicted in these ways.
 *
 * Invariants
 * - A thread has one shard lock at a time. To collect a window that spans shards, it marks each
 *   page (drain), empties the page under the lock of that page's shard, and at last claims all
 *   pages under the lock of its own shard. Marks of dead threads do not count, so a death here
 *   costs only the evicted entries.
 * - One writer at a time collects a page. A thread claims a page before it gives the page's memory
 *   back, because other threads may be about to claim it.
 * - If the next victim of a size class was passed over because it was used, the class gives up no
 *   page until its next victim is ripe. The age of a ripe victim is at least 1/ROOM_RIPE of the
 *   average age of all next victims. This holds even if few bytes of the class's pages are in use.
 * - Work under a lock is bounded to 1/64 of a shard's share of the data, and 1/256 of its index, at
 *   a time.
 * - A search that failed is not repeated for 2 ms, unless something was deleted. */
#include "room/room.h"
#include "ground/error.h"
#include "ground/lease.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/zone.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/form.h"
#include "entries/entry.h"
#include "entries/grow.h"
#include "entries/message.h"
#include "locks/lock.h"

#define GROW_HELP 8u /* buckets that a thread splits at once to help another shard to grow */

LRD__HOT void lrd__grow_help(lrd_store *store, lrd__thread *self, uint32_t shard)
{
    uint32_t other = lrd__grow_end(store, shard + 1);
    if (other >= store->geo.shards || lrd__shard_try(store, self, other) != LRD_OK)
        return;
    lrd__entry_sync(store, other);
    bool done = lrd__grow_some(store, other, GROW_HELP);
    lrd__shard_unlock(store, other);
    if (done)
        lrd__grow_end(store, other);
}

#define ROOM_EXPIRE 4096u /* at most this many steps of the timing wheel at once: 1 ms */
/* eviction gives up after this number of held victims in a row */
#define ROOM_FRUITLESS 64u
/* in a store that does not evict: a write is refused after this number of steps without room */
#define ROOM_TIDIES 1000u
/* in a store that evicts: a write takes pages of any shard after this number of steps without room,
 * and is refused after twice this number */
#define ROOM_ROUNDS 6u
/* a search for a page to empty compares this many pages: those with the fewest entries */
#define ROOM_CANDIDATES 32u
#define ROOM_SAMPLE 64u /* largest number of entries of a page whose use is counted */
/* The cost of emptying a page is the sum of ROOM_ENTRY for each entry, ROOM_HEAT for each recent
 * use of an entry, and 1 for each KiB of the entries. */
#define ROOM_ENTRY 8u
#define ROOM_HEAT 65536u
/* fraction bits of a rate, which is the cost of emptying a page per time */
#define ROOM_RATE_BITS 20u
#define ROOM_USE 64u /* how much each use of a run adds to its cost */
/* a next victim is ripe if its age is at least 1/ROOM_RIPE of the average: see room_ripe_age() */
#define ROOM_RIPE 8u
/* room_take_row() tries rows at this many next victims of each order, and at up to ROOM_ROWS_MOST
 * of them while the best row evicts more than one unused run */
#define ROOM_ROWS 2u
#define ROOM_ROWS_MOST 32u
#define ROOM_MINIS 64u /* at most this many entries in mini pages are evicted at once */
/* Largest number of warm entries that one search passes over. Each of them costs a cache miss or
 * two, so the search takes at most about 0.2 ms under the lock. If even this many entries are warm,
 * one victim is as good as another. */
#define ROOM_CHANCES 1024u
/* Room for a small block comes from entries of its own order, unless keeping the next victim of
 * another order costs more than ROOM_BETTER times as much. Then a page of that order is emptied.
 * The factor is large because all entries of the page are evicted, even those in use. */
#define ROOM_BETTER 5u
/* Room for a run comes from other runs, unless keeping the next victim of a size class costs more
 * than ROOM_BETTER_RUN times as much. Then a page of that class is emptied, or a page of runs if
 * all pages of the class have used entries. But above ROOM_BETTER_SMALL times as much, no page of
 * runs is emptied. Otherwise runs have too few pages where popularity shifts: entries that were
 * used once keep their use counts, and so their pages, until they reach the head of their queue. */
#define ROOM_BETTER_RUN 3u
#define ROOM_BETTER_SMALL 12u
/* in place of an order: all size classes, but no runs */
#define ROOM_SMALL_PAGES (LRD__ORDERS + 1)
#define ROOM_SOME 64u /* one batch evicts 1/ROOM_SOME of the bytes of an order */
/* At once, rows are taken until 1/ROOM_SOME_RUNS of the bytes of an order of runs are evicted. */
#define ROOM_SOME_RUNS 256u
#define ROOM_ASKS 64u   /* one search for a window counts uses in at most this many pages */
#define ROOM_WINDOWS 4u /* at most this many windows are tried for a large value */
/* lrd__room_yield() gives back the memory of one page. It tries at most this many pages. */
#define ROOM_YIELDS 16u
#define ROOM_FED 8u /* one write commits at most this many pages of the zone */
/* Feeding the zone means committing memory for it. After a write has fed the zone for n ms, no
 * write of this process feeds it for the next n * ROOM_FEEDS ms. */
#define ROOM_FEEDS 15u
/* A search for a window first considers only this number of pages (16 MiB), and then all pages. */
#define ROOM_REGION 256u
/* if the retired blocks exceed reclaim_at by this many batches, reclaim them even if no barrier is
 * due */
#define ROOM_LATE 7u
/* after a thread gave up waiting for a shard's lock, no thread of this process waits for that lock
 * for this time (ms) */
#define ROOM_STALLED_MS 100u
/* time (ms) of one pause while other threads build values in free windows */
#define ROOM_PAUSE_MS 2u
/* A thread that has paused for LRD_LOCK_WAIT_MS makes longer pauses, up to ROOM_BUILDS_MS in all,
 * as long as some of the other threads only wait for a processor. */
#define ROOM_PAUSE_LONG_MS 20u
#define ROOM_BUILDS_MS 5000u

/* ---- eviction in queue order ---- */

/* An entry is about to be evicted. Include its age in the average age of recently evicted entries.
 * Only the lock holder stores the average; statistics load it. */
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
    lrd__form_evicted(store->shards + index);
}

/* Evict an entry that its queue might have kept longer. The ghost remembers the entry's key. */
static void room_evict_early(lrd_store *store, uint32_t index, uint32_t slot)
{
    uint32_t ghost = lrd__ghost_key(store, index, slot);
    room_evict(store, index, slot);
    lrd__evict_remember(store, index, ghost);
}

/* Evict entries of one order until `bytes` bytes are retired. If the block of an entry is held,
 * evicting the entry would free nothing, so the entry goes back to its queue. Held marks show which
 * blocks are held; the marks may be out of date. After ROOM_CHANCES warm entries were passed over,
 * one victim is enough: otherwise an insert into a store of warm entries would pass over most of
 * them at once. */
static uint64_t room_evict_marked(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    uint64_t before = lrd__shard_retired(store, index), evicted = 0;
    uint32_t fruitless = 0, chances = ROOM_CHANCES;
    while (evicted < bytes && fruitless < ROOM_FRUITLESS && (chances > 0 || evicted == 0)) {
        bool from_small;
        uint32_t slot = lrd__evict_choose(store, index, order, &chances, &from_small);
        if (slot == LRD__NO_SLOT)
            break;
        if (lrd__arena_is_held(store, lrd__slot_offset(store, index, slot))) {
            lrd__evict_put_back(store, index, slot, from_small);
            fruitless++;
            continue;
        }
        if (from_small)
            room_evict_early(store, index, slot);
        else
            room_evict(store, index, slot);
        evicted = lrd__shard_retired(store, index) - before;
    }
    return evicted;
}

/* Evict entries of one order until `bytes` bytes are retired. First trusts the marks for held
 * blocks that the last scan has set. If all candidates are marked, scans the ledgers again to renew
 * the marks, and tries once more. */
static uint64_t room_evict_batch(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    uint64_t evicted = room_evict_marked(store, index, order, bytes);
    if (evicted != 0 || lrd__ledger_scan(store, index, false) != LRD_OK)
        return evicted;
    return room_evict_marked(store, index, order, bytes);
}

/* ---- which order gives way ---- */

/* Return the number of bytes that an average entry of an order takes. This includes the entry's
 * part of the free space in the pages of the order. Returns 0 if the order has no entry. */
static uint64_t room_share(const lrd_store *store, uint32_t index, uint32_t order)
{
    const lrd__shard *shard = store->shards + index;
    const lrd__order *o = shard->orders + order;
    if (o->count == 0)
        return 0;
    uint64_t bytes =
        order < LRD__CLASSES ? shard->class_bytes[order] : o->small_bytes + o->main_bytes;
    return bytes / o->count;
}

/* Return the cost of keeping an order's next victim: `bytes` times the victim's age. If the cost is
 * high, many bytes have waited long for a use, so evicting the entry loses little. */
static uint64_t room_cost(const lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    return lrd__evict_age(store, index, order) * bytes;
}

/* Return the ripe age: an order's next victim is compared with those of other orders only if it is
 * at least this old. It is a fraction of the average age of all next victims, weighted by the bytes
 * of their orders, so at least one victim is ripe. The ripe age protects an entry that is the only
 * one in its pages. The cost of keeping such an entry includes all these pages. So it would be the
 * highest cost again right after the entry was passed over, before the program could use it. */
static uint64_t room_ripe_age(const lrd_store *store, uint32_t index)
{
    const lrd__order *orders = store->shards[index].orders;
    uint64_t bytes = 0, sum = 0;
    for (uint32_t k = 0; k < LRD__ORDERS; k++) {
        uint64_t has = (orders[k].small_bytes + orders[k].main_bytes) >> LRD__GRANULE_BITS;
        bytes += has;
        sum += has * lrd__evict_oldest(store, index, k);
    }
    return bytes != 0 ? sum / bytes / ROOM_RIPE : 0;
}

/* Drop removed entries from the head of an order's queue. Returns the age of the order's next
 * victim, or 0 if there is none. */
static uint64_t room_next_age(lrd_store *store, uint32_t index, uint32_t order)
{
    return store->shards[index].orders[order].count != 0 &&
                   lrd__evict_next(store, index, order) != LRD__NO_SLOT
               ? lrd__evict_age(store, index, order)
               : 0;
}

/* Return true if the order's next victim is not ripe yet (see room_ripe_age()). Runs are always
 * ripe: the cost of keeping them includes no free space, and large ones never become as old as the
 * average. */
static bool room_is_young(const lrd_store *store, uint32_t index, uint32_t order, uint64_t ripe)
{
    return order < LRD__CLASSES && store->shards[index].orders[order].main.head != 0 &&
           lrd__evict_age(store, index, order) < ripe;
}

/* Return the cost of keeping an order's next victim, or 0 if the victim is not ripe. The cost
 * includes the victim's part of the free space in the order's pages. */
static uint64_t room_ripe_cost(const lrd_store *store, uint32_t index, uint32_t order,
                               uint64_t ripe)
{
    if (room_is_young(store, index, order, ripe))
        return 0;
    return room_cost(store, index, order, room_share(store, index, order));
}

/* Return the order in [first, end) whose bytes are worth least, or LRD__ORDERS if there is none. If
 * the next victim of that order is warm, passes over it, which uses up one of the entry's chances.
 * From then on the age of the order is that of the next entry in the queue, and the search goes
 * on. Passes over at most *chances entries, and subtracts their number from *chances. */
static uint32_t room_worst(lrd_store *store, uint32_t index, uint32_t first, uint32_t end,
                           uint32_t *chances, uint64_t *cost)
{
    uint64_t costs[LRD__ORDERS] = {0};
    uint64_t ripe = first < LRD__CLASSES ? room_ripe_age(store, index) : 0; /* runs: always ripe */
    uint32_t worst = first;
    for (uint32_t k = first; k < end; k++)
        costs[k] = room_ripe_cost(store, index, k, ripe);
    for (;; *chances -= *chances != 0) {
        for (uint32_t k = first; k < end; k++)
            worst = costs[k] > costs[worst] ? k : worst;
        *cost = costs[worst];
        if (*cost == 0)
            return LRD__ORDERS;
        /* Compute the cost again: the entry at the head of the queue may be gone, because its whole
         * page was emptied. */
        room_next_age(store, index, worst);
        costs[worst] = room_ripe_cost(store, index, worst, ripe);
        if (costs[worst] < *cost)
            continue;
        if (*chances == 0 || !lrd__evict_spares_next(store, index, worst))
            break;
        costs[worst] = room_ripe_cost(store, index, worst, ripe);
    }
    return worst;
}

/* ---- taking pages ---- */

/* Evict every entry that has a block in this page. Then free those of its blocks that no ledger
 * lists. Returns true if the page is free afterwards. */
static bool room_empty_page(lrd_store *store, uint32_t shard, uint32_t page)
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
            room_evict_early(store, shard, slot);
            live = store->bits[page].block[i].allocated & ~store->bits[page].block[i].retired;
        }
    }
    lrd__arena_reclaim(store, shard, false);
    uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
    if (lrd__owner_is(owner, shard) &&
        atomic_load_explicit(&store->pages[page].used, memory_order_relaxed) == 0)
        /* this page of a claimed chunk never had a block, so reclaiming has not freed it */
        lrd__page_free(store, shard, page);
    return atomic_load_explicit(&store->owners[page], memory_order_acquire) == 0;
}

/* Return the number of blocks in the page that are not retired. For a run page, return the number
 * of units that are in runs that are not retired. `owner` is the page's owner word. If it is 0, the
 * page is free, and the result is 0. */
static uint32_t room_page_blocks(const lrd_store *store, uint32_t page, uint32_t owner)
{
    const lrd__page *p = store->pages + page;
    uint32_t used = atomic_load_explicit(&p->used, memory_order_relaxed);
    uint32_t retired = atomic_load_explicit(&p->retired, memory_order_relaxed);
    return owner != 0 && used > retired ? used - retired : 0;
}

static uint64_t room_page_live(const lrd_store *store, uint32_t page)
{
    uint32_t owner = lrd__page_owner(store, page);
    uint64_t live = room_page_blocks(store, page, owner);
    return live != 0 ? live * lrd__class_size(lrd__owner_class(owner)) : 0;
}

/* Return the number of entries with a block in the page. A run counts in the page where it begins.
 * Without the lock, the result is a guess. */
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

/* Return the use count of the entry that has this block. */
static uint32_t room_block_heat(const lrd_store *store, uint32_t shard, uint64_t offset)
{
    const lrd__block *block = lrd__block_window(store, offset);
    uint32_t slot = lrd__entry_of_block(store, shard, offset);
    if (slot == LRD__NO_SLOT || !lrd__block_live_here(store, store->shards + shard, block))
        return 0;
    return atomic_load_explicit(lrd__index_freq(store, shard, slot), memory_order_relaxed);
}

/* Return the cost of emptying a page, estimated from some of its entries: ROOM_ENTRY for each
 * entry, and much more for each use. If the cost is at least `most`, the result may be any number
 * that is at least `most`. [locked] */
static uint64_t room_page_cost(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t most)
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
            heat += offset != last ? room_block_heat(store, shard, offset) : 0;
            last = offset;
        }
    if (asked != 0 && asked < entries)
        heat = heat * entries / asked;
    return entries * ROOM_ENTRY + heat * ROOM_HEAT + room_page_live(store, page) / LRD__UNIT;
}

/* Return cost / age, in units of 2^-ROOM_RATE_BITS. `cost` is the cost of emptying a page, and
 * `age` is the time for which the page's order keeps entries. */
static uint64_t room_rate(uint64_t cost, uint64_t age)
{
    return (cost << ROOM_RATE_BITS) / (age + 1);
}

/* Return the lowest cost of emptying a page for which room_rate() is at least `rate` if the age is
 * `age`. */
static uint64_t room_cost_of_rate(uint64_t rate, uint64_t age)
{
    uint64_t product;
    return __builtin_mul_overflow(rate, age + 1, &product) ? UINT64_MAX
                                                           : (product >> ROOM_RATE_BITS) + 1;
}

/* Return the age of the oldest next victim of all orders of runs. One age stands for all these
 * orders, because their runs share the same pages. */
static uint64_t room_runs_age(lrd_store *store, uint32_t shard)
{
    uint64_t oldest = 0;
    for (uint32_t k = LRD__CLASSES; k < LRD__ORDERS; k++) {
        uint64_t age = room_next_age(store, shard, k);
        oldest = age > oldest ? age : oldest;
    }
    return oldest;
}

/* Return the rate of a page: the cost of emptying it, divided by the time for which its order keeps
 * entries, which is `runs` (see room_runs_age()) for a page of runs. Rates make pages of different
 * orders comparable: three entries that were used once in a second are worth more than a hundred
 * that were used once in a hundred seconds. If the rate is at least `most`, the result may be any
 * number that is at least `most`. [locked] */
static uint64_t room_page_rate(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t runs,
                               uint64_t most)
{
    uint32_t size_class = lrd__page_class(store, page);
    uint64_t age = size_class == LRD__CLASS_RUN ? runs : lrd__evict_age(store, shard, size_class);
    return room_rate(room_page_cost(store, shard, page, room_cost_of_rate(most, age)), age);
}

/* Some candidates for emptying: the pages with the fewest entries. They are in `link`, as page
 * number + 1, and sorted by `order`: by the number of entries, and then by the distance from the
 * place where the last search ended. So pages with the same number of entries take turns. */
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

/* Return the number + 1 of the page that is cheapest to empty. Considers only pages of the order
 * `order`, or pages of all orders if `order` is LRD__ORDERS, or pages of all size classes if it is
 * ROOM_SMALL_PAGES. Sets *rate to the rate of the page. If no page has a rate below `most`, sets
 * *rate to `most` and returns 0. In each class, one page gets the next new blocks; avoids these
 * pages if possible. Starts where the last search ended, so that equal pages take turns. */
static uint32_t room_choose_page(lrd_store *store, uint32_t index, uint32_t order, uint64_t most,
                                 uint64_t *rate)
{
    lrd__shard *shard = &store->shards[index];
    uint64_t pages = store->geo.pages, lowest = most;
    uint64_t runs = room_runs_age(store, index);
    room_few few = {{0}, {0}};
    uint32_t cheapest = 0, wanted = order < LRD__CLASSES ? order : LRD__CLASS_RUN;
    for (uint32_t pass = 0; pass < (order == ROOM_SMALL_PAGES ? 1 : 2); pass++)
        for (uint32_t link = pass == 0 ? shard->small_pages : shard->run_pages; link != 0;
             link = store->pages[link - 1].next) {
            uint32_t size_class = lrd__page_class(store, link - 1);
            if (store->pages[link - 1].marked || lrd__page_is_mini(store, link - 1) ||
                (order < LRD__ORDERS && size_class != wanted))
                continue;
            bool begun = size_class != LRD__CLASS_RUN &&
                         shard->avail[store->pages[link - 1].lane][size_class] == link;
            room_few_add(&few, link,
                         (begun ? LRD__PAGE : room_page_entries(store, link - 1)) * pages +
                             (link - 1 + pages - shard->rotor) % pages);
        }
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

/* Evict the next victims of an order as long as they lie in mini pages. Mini pages are not emptied
 * as a whole, because that would evict all of their old entries, one page after the other. Stops at
 * a victim that was used, or that is much younger than the first victim. */
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
            room_evict_marked(store, shard, order, 1) == 0)
            break;
    }
}

/* Empty the cheapest page of this order, or of all orders if `order` is LRD__ORDERS or if that page
 * has used entries, or of all size classes if `order` is ROOM_SMALL_PAGES. If `fresh` is true,
 * scans the ledgers first. Otherwise uses the held marks of the last scan. */
static void room_take_page(lrd_store *store, uint32_t shard, uint32_t order, bool fresh)
{
    uint64_t rate = UINT64_MAX;
    uint32_t link = 0, other = 0;
    if (fresh && lrd__ledger_scan(store, shard, false) != LRD_OK)
        return;
    if (order < LRD__ORDERS) {
        room_evict_minis(store, shard, order);
        link = room_choose_page(store, shard, order, UINT64_MAX, &rate);
    }
    if (order >= LRD__ORDERS ||
        (order < LRD__CLASSES && rate >= room_rate(ROOM_HEAT, lrd__evict_age(store, shard, order))))
        other =
            room_choose_page(store, shard, order > LRD__ORDERS ? order : LRD__ORDERS, rate, &rate);
    link = other != 0 ? other : link;
    if (link != 0)
        room_empty_page(store, shard, link - 1);
}

/* ---- a row of units in the shard's run pages ---- */

/* A row of units, [first, end), and the cost of evicting the runs in this row. */
typedef struct room_row {
    uint64_t first, end, cost;
} room_row;

/* Return the cost of a row for each of its units. Only whole runs are evicted, so a row may have
 * more units than the new run needs. All units of the row count, because other runs can use the
 * rest. */
static uint64_t room_row_rate(const room_row *row) { return row->cost / (row->end - row->first); }

/* If the unit is in a live run, set [*first, *end) to the units of that run. If the unit is free,
 * set them to this unit alone. Returns false if the unit may not be taken. */
static bool room_unit(const lrd_store *store, uint32_t shard, uint64_t unit, uint64_t *first,
                      uint64_t *end, bool *live)
{
    uint64_t page = unit / LRD__PAGE_UNITS, bit = 1ull << unit % LRD__PAGE_UNITS;
    const lrd__bits *bits = store->bits + page;
    if (page >= store->geo.pages ||
        lrd__page_owner(store, page) != lrd__owner_make(shard, LRD__CLASS_RUN) ||
        (bits->held[0] & bit) != 0)
        return false;
    *live = (bits->block[0].allocated & ~bits->block[0].retired & bit) != 0;
    *first = *live ? lrd__run_start(store, unit << LRD__UNIT_BITS) >> LRD__UNIT_BITS : unit;
    *end = *live ? *first + lrd__run_units(store, *first) : unit + 1;
    return true;
}

/* Return the cost of evicting an entry that was used `heat` times, if its order keeps entries for
 * the time `age`. */
static uint64_t room_use_cost(uint32_t heat, uint64_t age)
{
    return ((1 + (uint64_t)ROOM_USE * heat) << 32) / (age != 0 ? age : 1);
}

/* Return the cost of evicting a run: the number of its uses, divided by the time for which the
 * run's order keeps entries. */
static uint64_t room_run_cost(const lrd_store *store, uint32_t shard, uint64_t first)
{
    uint64_t offset = first << LRD__UNIT_BITS;
    uint64_t age = lrd__evict_age(store, shard, lrd__order_of(lrd__block_bytes(store, offset)));
    return room_use_cost(room_block_heat(store, shard, offset), age);
}

/* Extend a row upwards or downwards to the wanted length. Returns false if a unit may not be taken.
 * Also returns false if the row is too expensive. It is too expensive if its rate would be at least
 * `most` even after the row had grown to twice the wanted length. */
static bool room_grow_row(const lrd_store *store, uint32_t shard, room_row *row, uint64_t units,
                          bool up, uint64_t most)
{
    uint64_t first, end;
    bool live;
    while (row->end - row->first < units) {
        if ((!up && row->first == 0) ||
            !room_unit(store, shard, up ? row->end : row->first - 1, &first, &end, &live))
            return false;
        row->cost += live ? room_run_cost(store, shard, first) : 0;
        row->first = up ? row->first : first;
        row->end = up ? end : row->end;
        if (row->cost / (2 * units) >= most)
            return false;
    }
    return true;
}

/* Extend a row by free units beside it, so that fewer entries are evicted. */
static void room_widen_row(const lrd_store *store, uint32_t shard, room_row *row, uint64_t units)
{
    uint64_t first, end;
    bool live;
    while (row->end - row->first < units && row->first > 0 &&
           room_unit(store, shard, row->first - 1, &first, &end, &live) && !live)
        row->first = first;
    while (row->end - row->first < units &&
           room_unit(store, shard, row->end, &first, &end, &live) && !live)
        row->end = end;
}

/* Try two rows: one begins with the run of this entry, and the other one ends with it. If the rate
 * of a row (room_row_rate()) is below *rate, store the row in *best and its rate in *rate. */
static void room_try_row(const lrd_store *store, uint32_t shard, uint32_t slot, uint64_t units,
                         room_row *best, uint64_t *rate)
{
    uint64_t word = lrd__slot_word(store, shard, slot);
    room_row row = {0, 0, 0}, both;
    bool live;
    if (word == 0 ||
        !room_unit(store, shard, lrd__word_offset(word) >> LRD__UNIT_BITS, &row.first, &row.end,
                   &live) ||
        !live)
        return;
    row.cost = room_run_cost(store, shard, row.first);
    room_widen_row(store, shard, &row, units);
    for (int up = 0; up < 2; up++) {
        both = row;
        if (!room_grow_row(store, shard, &both, units, up, *rate) || room_row_rate(&both) >= *rate)
            continue;
        *best = both;
        *rate = room_row_rate(&both);
    }
}

/* Evict the runs in a row of at least `units` units. Of the rows that begin or end with a run that
 * some order would evict next, chooses the one with the lowest rate. Returns false if no row is
 * possible. */
static bool room_take_row(lrd_store *store, uint32_t shard, uint64_t units)
{
    room_row best = {0, 0, 0};
    uint64_t rate = UINT64_MAX;
    for (uint32_t order = LRD__CLASSES; order < LRD__ORDERS; order++) {
        uint32_t slot = lrd__evict_next(store, shard, order), most = ROOM_ROWS;
        uint64_t unused = room_use_cost(0, lrd__evict_age(store, shard, order));
        for (uint32_t n = 0; n < most && slot != LRD__NO_SLOT; n++) {
            room_try_row(store, shard, slot, units, &best, &rate);
            most = best.end == 0 || best.cost > unused ? ROOM_ROWS_MOST : ROOM_ROWS;
            slot = lrd__evict_after(store, shard, slot);
        }
    }
    for (uint64_t at = best.first; at < best.end;) {
        uint64_t first, end;
        bool live;
        if (!room_unit(store, shard, at, &first, &end, &live))
            break;
        uint32_t slot =
            live ? lrd__entry_of_block(store, shard, first << LRD__UNIT_BITS) : LRD__NO_SLOT;
        if (slot != LRD__NO_SLOT)
            room_evict_early(store, shard, slot);
        at = end;
    }
    return best.end != 0;
}

/* Evict at least one row of `units` units, and more rows until ROOM_SOME_RUNS is reached, so that
 * one barrier serves several runs. Passes over warm next victims before each row: the caller has
 * done so for the first row. *chances is the number of entries that may still be passed over.
 * Returns false if no row is possible. */
static bool room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances)
{
    const lrd__order *order = store->shards[shard].orders + lrd__order_of(units << LRD__UNIT_BITS);
    uint64_t some = (order->small_bytes + order->main_bytes) / ROOM_SOME_RUNS, cost;
    uint64_t begin = lrd__shard_retired(store, shard), before = begin, after;
    if (!room_take_row(store, shard, units))
        return false;
    /* A row that retires nothing belongs to a damaged store. Stop, because the next row would be
     * the same one. */
    while ((after = lrd__shard_retired(store, shard)) - begin < some && after != before &&
           *chances > 0) {
        before = after;
        room_worst(store, shard, LRD__CLASSES, LRD__ORDERS, chances, &cost);
        if (!room_take_row(store, shard, units))
            break;
    }
    return true;
}

/* ---- windows of pages, across shards ---- */

/* The pages [first, end), and the cost of emptying each of them. A cost of UINT64_MAX means that
 * the page cannot be emptied: a thread holds a block in the page, the page is lost, or another
 * thread collects the page. */
typedef struct room_region {
    uint64_t first, end;
    uint64_t *costs;
    /* for each page: true if the use of its entries was counted, so that its cost is exact
     * (room_page_cost()) */
    uint8_t *asked;
    bool asked_only; /* true if a page with entries may be chosen only if their uses were counted */
} room_region;

/* Return true if another thread collects a page. */
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
    *region =
        (room_region){first, end, calloc(end - first, sizeof *region->costs + 1), NULL, false};
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
        region->costs[p - first] = barred ? UINT64_MAX
                                          : room_page_entries(store, (uint32_t)p) * ROOM_ENTRY +
                                                room_page_live(store, (uint32_t)p) / LRD__UNIT;
    }
    free(held);
    return true;
}

static bool room_bars(const lrd_store *store, const room_region *region, uint64_t page,
                      bool complete)
{
    uint64_t cost = region->costs[page - region->first];
    return cost == UINT64_MAX ||
           (region->asked_only && cost != 0 && !region->asked[page - region->first]) ||
           (complete && lrd__parts_of(store, page) < LRD__PAGE_PARTS);
}

/* Return the first page of the cheapest window of `count` pages, or UINT64_MAX if there is none.
 * Computes the costs of windows by a sliding sum. If the cheapest windows have equal costs, chooses
 * the first one after the rotor, so that such windows take turns. If `complete` is true, considers
 * only windows whose memory is all committed. */
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
        if (sum < best || (sum == best && turn < best_turn)) {
            best = sum;
            best_turn = turn;
            first = start;
        }
    }
    return first;
}

/* Count the uses of the entries in the pages of a window. *asks is the number of pages whose uses
 * may still be counted; each counted page takes 1 from it. Returns true if the window is more
 * expensive than estimated before. */
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
        if (lrd__owner_is(owner, shard))
            *cost = room_page_cost(store, shard, (uint32_t)p, UINT64_MAX);
        lrd__shard_unlock(store, shard);
        region->asked[p - region->first] = 1;
        more = more || *cost > before;
        --*asks;
    }
    return more;
}

/* Choose a window like room_choose_window(), then count the uses of the entries in it. If this
 * makes the window more expensive, choose again. When *asks is 0, no more pages are counted. Then
 * prefer a window whose pages were all counted, because uncounted pages may look too cheap. */
static uint64_t room_choose_cold(lrd_store *store, lrd__thread *self, room_region *region,
                                 uint64_t count, bool complete, uint32_t *asks)
{
    uint64_t first, known = UINT64_MAX;
    do {
        first = room_choose_window(store, region, count, complete);
    } while (first != UINT64_MAX && room_ask_window(store, self, region, first, count, asks));
    if (*asks == 0 && first != UINT64_MAX) {
        region->asked_only = true;
        known = room_choose_window(store, region, count, complete);
        region->asked_only = false;
    }
    return known != UINT64_MAX ? known : first;
}

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

/* Mark one page as collected by `self`, and empty it under its shard's lock. On LRD_OK the page is
 * free, and no other thread takes it while it has the mark. */
static int room_collect_page(lrd_store *store, lrd__thread *self, uint32_t page)
{
    for (int tries = 0; tries < 5; tries++) {
        /* Set the mark again in each round: another thread that vets the shard (vet.c) clears the
         * marks of its pages. */
        if (!room_mark(store, self, page))
            return LRD_ENOROOM;
        /* Pairs with a thread that claims the page, which first stores the owner and then loads the
         * mark. Both threads use seq_cst, so at least one of them sees the other. */
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
        bool emptied = lrd__owner_is(owner, shard) && room_empty_page(store, shard, page);
        bool held = lrd__owner_is(owner, shard) && !emptied;
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

/* Return the page that is cheapest to empty, or UINT64_MAX if there is none. The page must have at
 * least `parts` committed parts. It must be outside of [first, first + count), and also outside of
 * the zone, because the zone keeps its memory. `region` must begin at page 0. */
static uint64_t room_cheapest(const lrd_store *store, const room_region *region, uint32_t parts,
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

/* Exclude all pages of a shard whose lock was not available. Otherwise the search would wait for
 * the lock again at each of these pages. */
static void room_bar_shard(const lrd_store *store, room_region *region, uint32_t shard)
{
    for (uint64_t p = region->first; p < region->end; p++) {
        uint32_t owner = lrd__page_owner(store, p);
        if (lrd__owner_is(owner, shard))
            region->costs[p - region->first] = UINT64_MAX;
    }
}

/* Exclude the pages of all shards whose lock another thread has at this moment. */
static void room_bar_busy(lrd_store *store, lrd__thread *self, room_region *region)
{
    for (uint32_t shard = 0; shard < store->geo.shards; shard++)
        if (lrd__shard_try(store, self, shard) == LRD_OK)
            lrd__shard_unlock(store, shard);
        else
            room_bar_shard(store, region, shard);
}

/* Record that this thread has given up waiting for a shard's lock. For a while, other threads of
 * the process then do not wait for this lock. */
static void room_note_stalled(lrd_store *store, uint32_t shard)
{
    atomic_store_explicit(&store->stalled_until, lrd__clock_monotonic_ms() + ROOM_STALLED_MS,
                          memory_order_relaxed);
    atomic_store_explicit(&store->stalled, shard + 1, memory_order_relaxed);
}

/* If a thread of this process gave up waiting for a shard's lock a moment ago, and another thread
 * still has this lock, return the number of the shard + 1. Otherwise return 0. */
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

/* Empty a page and give its memory back to the file system. If `self` is NULL, does not wait for
 * the page's shard. [no lock is held] */
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

/* The file system is full. Commit memory for a window that `self` has collected: empty other pages
 * outside the zone and give their memory back, until the commit succeeds. `all` contains the cost
 * of emptying each page. This function sets the cost of each page that it has tried to
 * UINT64_MAX. */
static int room_feed_window(lrd_store *store, lrd__thread *self, room_region *all, uint64_t first,
                            uint64_t count)
{
    uint64_t *costs = all->costs, parts = 0;
    while (parts < (2 * count + ROOM_WINDOWS) * LRD__PAGE_PARTS) {
        int rc = lrd__arena_commit(store, first << LRD__PAGE_BITS, count << LRD__PAGE_BITS);
        if (rc != LRD_ENOSPC)
            return rc;
        if (!lrd__segment_gives_back(store))
            break;
        uint64_t page = room_cheapest(store, all, LRD__PAGE_PARTS, first, count);
        /* No page with all its parts committed is left. So choose a page with only some of its
         * parts committed. */
        if (page == UINT64_MAX)
            page = room_cheapest(store, all, 1, first, count);
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
    room_region all = {.costs = NULL};
    bool whole = true;
    if (begin < atomic_load_explicit(&store->feed_at, memory_order_relaxed))
        return;
    for (; page < store->geo.pages && budget > 0; page++) {
        if (lrd__parts_of(store, page) == LRD__PAGE_PARTS)
            continue;
        whole = false;
        /* Do not wait for busy shards, because every write calls this function. */
        if (all.costs == NULL && room_survey(store, self, 0, store->geo.pages, &all))
            room_bar_busy(store, self, &all);
        if (all.costs == NULL || lrd__pages_describe(store, page + 1) != LRD_OK)
            break;
        /* A page with held blocks cannot be emptied now. Skip it; a later call of this function
         * tries it again. */
        if (all.costs[page] == UINT64_MAX)
            continue;
        uint32_t owner = lrd__page_owner(store, page);
        int rc = room_collect_page(store, self, (uint32_t)page);
        if (rc == LRD_OK)
            room_feed_window(store, self, &all, page, 1);
        /* The lock of the page's shard was free during the survey, but is taken now, and its
         * holder may be stopped. So do not wait for this lock again. */
        else if (rc == LRD_EBUSY && owner != 0)
            room_bar_shard(store, &all, lrd__owner_shard(owner));
        room_unmark(store, self, page, 1);
        budget--;
    }
    if (whole)
        atomic_store_explicit(&store->header->zone_fed, 1, memory_order_relaxed);
    free(all.costs);
    /* Surveying the pages takes long in a large store. So limit how often writes feed the zone. */
    uint64_t end = lrd__clock_monotonic_ms();
    atomic_store_explicit(&store->feed_at, end + (end - begin) * ROOM_FEEDS, memory_order_relaxed);
}

bool lrd__room_yield(lrd_store *store, uint64_t bytes)
{
    uint32_t parts = (uint32_t)((bytes + LRD__PART - 1) >> LRD__PART_BITS);
    room_region region;
    bool given = false;
    if (!lrd__segment_gives_back(store) ||
        !room_survey(store, NULL, 0, lrd__zone_first(store), &region))
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

/* Survey a part of the store, or the whole store if `all` is true. The part begins where the last
 * window was taken. A part is usually enough, and the work for it does not grow with the store.
 * Excludes the pages of the shards in `barred`. */
static void room_survey_part(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                             const uint32_t *barred, uint32_t bars, room_region *region)
{
    uint64_t pages = store->geo.pages, span = 8 * count > ROOM_REGION ? 8 * count : ROOM_REGION;
    uint64_t first = atomic_load_explicit(&store->header->window_rotor, memory_order_relaxed);
    span = all || span > pages ? pages : span;
    first = first % pages + span > pages ? pages - span : first % pages;
    if (room_survey(store, self, first, first + span, region))
        for (uint32_t i = 0; i < bars; i++)
            room_bar_shard(store, region, barred[i]);
}

/* Collect `count` neighbouring pages for this shard. Releases the shard's lock meanwhile. If it
 * cannot take the lock again, sets *locked to false and returns the error. Otherwise returns
 * LRD_OK, LRD_ENOROOM, or LRD_ENOMEM if there is no memory for the survey. Sets *busy to true if
 * the lock of some shard was not available. */
static int room_take_window(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                            uint32_t size_class, bool *locked, bool *busy)
{
    int rc = LRD_ENOROOM, own = LRD_OK;
    bool claimed = false;
    /* barred: shards whose lock was not available */
    uint32_t asks = ROOM_ASKS, barred[ROOM_WINDOWS + 1], bars = 0;
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
    room_survey_part(store, self, count, lrd__memory_short(store), barred, bars, &region);
    for (uint32_t i = 0; region.costs != NULL && i < ROOM_WINDOWS && own == LRD_OK; i++) {
        bool whole = region.end - region.first == store->geo.pages;
        bool poor = whole && lrd__memory_short(store);
        uint64_t first = room_choose_cold(store, self, &region, count, poor, &asks), done = 0;
        if (first == UINT64_MAX && poor)
            first = room_choose_cold(store, self, &region, count, false, &asks);
        /* no window in this part can be emptied, so survey the whole store */
        if (first == UINT64_MAX && !whole) {
            free(region.costs);
            room_survey_part(store, self, count, true, barred, bars, &region);
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

/* ---- making room ---- */

/* Return true if a block may have been retired since the last scan of the ledgers, so that another
 * scan may free it. The last scan freed the blocks that were retired before it, unless they were
 * held. */
static bool room_has_new(const lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    return lrd__shard_retired(store, index) + shard->reclaim_step > shard->reclaim_at;
}

/* Free memory that no live value uses: that of dead and expired entries, and of pages without
 * blocks. Does a limited amount of work. Returns 0 if it found no dead or expired entry and has no
 * more places to search, so that another call would be useless. [locked] */
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
        /* Do not count the bytes that this frees. Other writers retire blocks all the time, so the
         * caller would repeat the call forever. */
        lrd__arena_reclaim(store, index, false);
    /* Do not give back empty pages if a store that evicts needs room for a run: the search for the
     * run has considered the units of these pages already. */
    if (!store->evicts || size_class != LRD__CLASS_RUN)
        lrd__arena_trim(store, index);
    return found;
}

/* Remove expired messages, whose blocks room_tidy() then frees. */
static uint64_t room_sweep_queues(lrd_store *store, uint32_t index)
{
    return store->queues != NULL ? lrd__queue_sweep(store, index, lrd__now(store)) : 0;
}

/* Call room_tidy() for each shard in turn, first for `shard`. Then releases the lock of `shard`
 * until all other shards are done. If the lock of another shard was not available, sets *busy to
 * true, and from then on skips busy shards without waiting. */
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

/* Return a number that changes whenever a page becomes free. */
static uint64_t room_pages_freed(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->pages_hint, memory_order_relaxed) >> 32) +
           atomic_load_explicit(&store->header->minis_freed, memory_order_relaxed);
}

/* Make room for a block of a size class: evict an entry of that class, or several if the class has
 * many. Or empty a page of the worst order, if that order is worse by ROOM_BETTER. */
static void room_make_small(lrd_store *store, uint32_t index, uint64_t bytes, uint32_t step)
{
    uint32_t order = lrd__order_of(bytes);
    const lrd__order *o = store->shards[index].orders + order;
    uint64_t block = lrd__class_size(order), batch = lrd__batch_bytes(store), worse, own = 0;
    uint64_t some = (o->small_bytes + o->main_bytes) / ROOM_SOME;
    uint32_t chances = ROOM_CHANCES, own_chances = ROOM_CHANCES;
    uint32_t worst = room_worst(store, index, 0, LRD__ORDERS, &chances, &worse);
    do
        own = room_cost(store, index, order, block);
    while (own * ROOM_BETTER >= worse && --own_chances > 0 &&
           lrd__evict_spares_next(store, index, order));
    some = some < batch ? some : batch;
    if (step < 4 && own != 0 && own * ROOM_BETTER >= worse &&
        room_evict_batch(store, index, order, some > block ? some : block) > 0)
        lrd__arena_reclaim(store, index, false);
    else
        room_take_page(store, index, step < 4 ? worst : LRD__ORDERS, step >= 4);
}

/* Make room for a run in one of three ways. Evict the runs in a row (a piece of run pages), or
 * empty a page of small blocks that are worth less, or take neighbouring pages of any shards. */
static int room_make_run(lrd_store *store, lrd__thread *self, uint32_t index, uint64_t bytes,
                         uint32_t step, bool *locked, bool *busy)
{
    uint64_t units = lrd__units(bytes), worse, own;
    uint32_t pages = (uint32_t)((bytes + LRD__PAGE - 1) >> LRD__PAGE_BITS);
    uint32_t small_chances = ROOM_CHANCES, chances = ROOM_CHANCES;
    uint32_t worst = room_worst(store, index, 0, LRD__CLASSES, &small_chances, &worse);
    room_worst(store, index, LRD__CLASSES, LRD__ORDERS, &chances, &own);
    if (pages == 1 && worst != LRD__ORDERS && own * ROOM_BETTER_RUN < worse) {
        /* only in the first of these steps: perhaps all pages of small blocks are mini pages */
        bool small = step == 2 && own * ROOM_BETTER_SMALL < worse;
        room_take_page(store, index, small ? ROOM_SMALL_PAGES : worst, step >= 4);
        return LRD_OK;
    }
    if (step < 4 && room_take_rows(store, index, units, &chances)) {
        lrd__arena_reclaim(store, index, true);
        return LRD_OK;
    }
    if (pages > 1)
        return room_take_window(store, self, index, pages, LRD__CLASS_RUN, locked, busy);
    room_take_page(store, index, step < 4 ? LRD__CLASSES : LRD__ORDERS, step >= 4);
    return LRD_OK;
}

/* Do one step of making room; later steps cost more. Returns LRD_ENOROOM or LRD_ENOMEM if nothing
 * more can be done. *busy is set as in room_take_window(). */
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
    /* In a store that does not evict, every step from 2 on looks for dead and expired entries to
     * remove. Go on as long as a step finds some. Also go on after step 2 if a page became free. */
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
                   ? room_take_window(store, self, index, pages, size_class, locked, busy)
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
     * at once. */
    shard->full_until = lrd__clock_monotonic_ms() + 2;
    shard->full_bytes = bytes;
    shard->full_deletes = atomic_load_explicit(&store->header->deletes, memory_order_relaxed);
}

/* Return the time (ms) for which a search for room may wait until other threads have finished the
 * values that they build. If the zone lacks memory, other threads may hold blocks everywhere for a
 * long time. In this case the search waits only ROOM_PAUSE_MS, or not at all if there are no other
 * threads. */
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

/* Return true if another thread that has a block in the zone runs, or waits for a processor. If a
 * thousand threads build values at once, it may take seconds until each of them has had a
 * processor. Holds alone never bar the whole zone. */
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

/* Return the time (ms) of the next pause of a search for room that has paused for `waited` ms, or 0
 * if it must end. */
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

/* Return the number of bytes of the data that are in no block, or in retired blocks. In a store of
 * queues, the bytes of messages are taken from the counts of the queues. */
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

/* Make room in steps, and try to allocate after each step. `full` is the result of the attempt to
 * allocate that the caller has made before. */
static __attribute__((noinline)) int room_search(lrd_store *store, lrd__thread *self,
                                                 uint32_t index, uint64_t bytes, int full,
                                                 uint64_t *offset, uint32_t *entry, bool *locked)
{
    lrd__shard *shard = store->shards + index;
    uint32_t waited = 0;
    bool busy = false; /* true if this thread has waited for a lock as long as it may */
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
            /* In a store that does not evict, a busy shard could at most have freed the memory of
             * dead entries. So report that there is no room, not that a shard was busy. */
            busy = busy && store->evicts;
            /* if a shard was busy, the next search may succeed, so do not record this failure */
            if (!busy)
                room_give_up(store, shard, bytes);
            break;
        }
    }
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
