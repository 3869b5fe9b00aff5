/* arena.c - the allocator: claims pages and runs; finds, retires and reclaims blocks. page.c has
 * the size classes (lrd__class_of()). Owns the owner words, the pages and their bitmaps. Decides
 * nothing about entries (entry.c, room.c do). Read lrd__arena_try() for allocation and
 * lrd__arena_reclaim() for its reverse.
 *
 *   data    |  page 0  |  page 1  |  page 2  |  page 3  | ...      64 KiB each
 *   owner   | shard 3  | shard 0  |  free    | shard 0  |
 *           | class 5  |   run ---------x    |   run    |
 *
 * A page of a size class ("small") is cut into equal blocks of one of 53 sizes. Run pages are cut
 * into 64 units of 1 KiB; a run is any number of units and may span neighbouring run pages of the
 * same shard. Mini pages of 4 KiB, behind the data, are pages of a size class for a shard's first
 * blocks.
 *
 * Invariants (under the lock of the shard that owns the page)
 * - allocated and not retired: exactly the blocks that the shard's index names.
 * - allocated and retired: blocks that were unlinked and may be held, and blocks being built. A
 *   block is born so: listed first, then allocated and retired, so its builder may die any time.
 * - a block that is built and published before the lock is released is only allocated: until
 *   then only recovery can find it, which frees blocks that no index and no ledger names.
 * - retired implies allocated. used and retired of a page are the numbers of such bits.
 * - The data has no state of the allocator; all of that can be derived from the index and the
 *   ledgers.
 * - A page of small blocks has a lane, and is in the list of that lane and its class while it
 *   has room. A writer first looks in the list of its own lane. So writers of different lanes
 *   rarely store to a page that another processor has just changed. This is only a preference.
 *   If its own list is empty, a writer takes a page of another lane before it claims a page.
 *   It claims one if that happened often while the shard's pages have little room. Once all
 *   pages of the store are described there is one lane. See arena_other_lane().
 * - A page goes from free to a shard by compare-and-swap under that shard's lock and back when its
 *   last block is free. A free page with a valid drain mark is left to the writer that marked it.
 */
#include "memory/arena.h"
#include "ground/copy.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "memory/gap.h"
#include "memory/ledger.h"

#define ARENA_RUN_CHUNK 16u /* pages claimed at once for runs, at most */
/* pages among which a store that evicts looks for neighbouring free ones, or 4 times as many as it
 * wants */
#define ARENA_SEARCH 256u
/* pages whose descriptions are asked for before a search for a run needs them */
#define ARENA_AHEAD 4u
/* weight of a block from another lane's page in lrd__thread.astray; a block from its own lane
 * subtracts one */
#define ARENA_STRAYS 8u
/* times that its lane had no room, before a writer prefers to claim a page */
#define ARENA_ASTRAY 64u
/* the part of a shard's share that may be room in its pages then */
#define ARENA_ROOM 16u
#define ARENA_STEP_MORE 2048u /* retired bytes added to the step before each reclaim */

/* ---- page lists ---- */

/* A writer's lane, from its slot number, so that neighbouring slots use different lanes. Once
 * every page is in use, all writers share lane 0: memory is scarce then, and pages of several
 * lanes become empty more rarely. */
static inline uint32_t arena_lane(const lrd__shard *shard, const lrd__thread *self)
{
    return self != NULL && shard->one_lane == 0 ? self->slot_index % LRD__LANES : 0;
}

/* A claimed page that is not wanted after all. */
static void arena_give_back(lrd_store *store, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    atomic_store_explicit(&store->owners[page], 0, memory_order_release);
    lrd__pages_hint_lower(store, page);
}

/* ---- claiming pages ---- */

bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark)
{
    if (mark == 0 || (self != NULL && mark == lrd__drain_mark(self)))
        return false;
    uint32_t slot = (uint32_t)(mark >> 32) - 1;
    if (slot >= store->geo.slots)
        return false;
    uint64_t incarnation =
        slot < atomic_load_explicit(&store->header->slots_high, memory_order_acquire)
            ? atomic_load_explicit(&lrd__slot_at(store, slot)->incarnation, memory_order_acquire)
            : 0;
    return (uint32_t)incarnation == (uint32_t)mark && lrd__slot_alive(store, slot, incarnation);
}

static bool arena_claim_one(lrd_store *store, const lrd__thread *self, uint32_t shard,
                            uint32_t page, uint32_t size_class)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint32_t free = 0;
    if (lrd__owner_at(store, page) != 0 ||
        !atomic_compare_exchange_strong_explicit(&store->owners[page], &free,
                                                 lrd__owner_make(shard, size_class),
                                                 memory_order_seq_cst, memory_order_relaxed))
        return false;
    LRD__FAILPOINT("page_claimed");
    lrd__page *p = store->pages + page;
    /* Pairs with the collector, which marks first and then looks at the owner (both seq_cst). */
    uint64_t mark = atomic_load_explicit(&p->drain, memory_order_seq_cst);
    if (lrd__page_collected(store, self, mark)) {
        arena_give_back(store, page);
        return false;
    }
    atomic_store_explicit(&p->used, 0, memory_order_relaxed);
    atomic_store_explicit(&p->retired, 0, memory_order_relaxed);
    /* Clear this mark, but not one that was set since: its collector waits for this shard. */
    atomic_compare_exchange_strong_explicit(&p->drain, &mark, 0, memory_order_relaxed,
                                            memory_order_relaxed);
    p->hint = 0;
    p->lane = (uint8_t)arena_lane(store->shards + shard, self);
    p->avail = p->marked = p->waits = 0;
    memset(store->bits + page, 0, sizeof *store->bits);
    return true;
}

int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                     uint32_t count, uint32_t size_class)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint32_t claimed = 0;
    int rc = lrd__pages_describe(store, (uint64_t)first + count);
    if (rc != LRD_OK)
        return rc;
    while (claimed < count && arena_claim_one(store, self, shard, first + claimed, size_class))
        claimed++;
    for (uint32_t i = 0; i < claimed; i++)
        if (claimed < count)
            arena_give_back(store, first + i);
        else
            lrd__page_link(store, shard, first + i, size_class);
    if (claimed == count)
        LRD__FAILPOINT("pages_linked");
    return claimed == count ? LRD_OK : LRD_ENOROOM;
}

/* Handle the result of a commit. */
static int arena_asked(lrd_store *store, int rc)
{
    if (__builtin_expect(rc == LRD_ENOSPC, 0))
        lrd__memory_note(store);
    return rc;
}

/* Parts of a page that have memory. */
static uint32_t arena_parts(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
}

/* Return the committed parts of any page, even one without a description. */
static uint32_t arena_committed(const lrd_store *store, uint64_t page)
{
    if (!lrd__page_is_mini(store, page) && page >= lrd__pages_high(store))
        return 0;
    return arena_parts(store, page);
}

/* Return the parts that a page must have for a class while the file system is full. */
static uint32_t arena_parts_wanted(const lrd_store *store, uint32_t size_class)
{
    lrd__assert(size_class <= LRD__CLASS_RUN);
    if (!lrd__memory_short(store))
        return 0;
    return size_class == LRD__CLASS_RUN
               ? LRD__PAGE_PARTS
               : (lrd__class_size(size_class) + (uint32_t)LRD__PART - 1) >> LRD__PART_BITS;
}

/* Return where a search for neighbouring free pages ends. A store that evicts can take other
 * pages instead, so it must not search all of a large store for every value. */
static uint64_t arena_search_end(const lrd_store *store, uint64_t from, uint64_t count,
                                 uint32_t parts)
{
    uint64_t span = 4 * count > ARENA_SEARCH ? 4 * count : ARENA_SEARCH;
    /* A single page is worth a longer search while there are pages that were never claimed. */
    bool bounded =
        store->evicts && (count > 1 || parts != 0 || lrd__pages_high(store) >= store->geo.pages);
    uint64_t most = bounded ? from + span : store->geo.pages;
    return most < store->geo.pages ? most : store->geo.pages;
}

/* Find the first free page in [from, end) that starts `count` free pages with `parts` committed
 * parts each; geo.pages: none. *lowest is lowered to the first free page. */
static uint64_t arena_find_free(const lrd_store *store, uint64_t from, uint64_t end, uint32_t count,
                                uint32_t parts, uint64_t *lowest)
{
    uint32_t length = 0;
    for (uint64_t page = from; page < end; page++) {
        bool free = lrd__page_owner(store, page) == 0;
        if (free && page < *lowest)
            *lowest = page;
        length = free && (parts == 0 || arena_committed(store, page) >= parts) ? length + 1 : 0;
        if (length == count)
            return page + 1 - count;
    }
    if (end < *lowest && end < store->geo.pages)
        *lowest = end; /* not looked at */
    return store->geo.pages;
}

/* Find such pages from the lowest free page on. If there are none near it, continue where the
 * last search for neighbours ended: the lowest page may stay alone and free for long. */
static uint64_t arena_find(lrd_store *store, uint64_t from, uint32_t count, uint32_t parts,
                           uint64_t *lowest)
{
    _Atomic uint32_t *cursor = &store->header->neighbours;
    uint64_t pages = store->geo.pages, end = arena_search_end(store, from, count, parts);
    uint64_t page = arena_find_free(store, from, end, count, parts, lowest);
    if (page < pages || end == pages || (count == 1 && parts == 0))
        return page;
    uint64_t at = atomic_load_explicit(cursor, memory_order_relaxed), ignored = pages;
    at = at < end || at >= pages ? end : at;
    end = arena_search_end(store, at, count, parts);
    page = arena_find_free(store, at, end, count, parts, &ignored);
    end = page < pages ? page : end < pages ? end + 1 - count : pages;
    atomic_store_explicit(cursor, (uint32_t)end, memory_order_relaxed);
    return page;
}

/* Return how many pages from this one on are free and have `parts` parts: at least `count`, at
 * most `most`. */
static uint32_t arena_neighbours(const lrd_store *store, uint64_t page, uint32_t count,
                                 uint32_t most, uint32_t parts)
{
    lrd__assert(page < store->geo.pages_all);
    while (count < most && page + count < store->geo.pages &&
           lrd__page_owner(store, page + count) == 0 &&
           (parts == 0 || arena_committed(store, page + count) >= parts))
        count++;
    return count;
}

/* Claim the lowest free pages, which are likely to be warm: count neighbours, or up to most where
 * these are free, too. */
static int arena_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                       uint32_t most, uint32_t size_class, uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    _Atomic uint64_t *shared = &store->header->pages_hint;
    uint64_t hint = atomic_load_explicit(shared, memory_order_acquire);
    uint64_t page = (uint32_t)hint, lowest = store->geo.pages;
    uint32_t parts = arena_parts_wanted(store, size_class), taken = count;
    int rc = LRD_ENOROOM;
    for (; rc == LRD_ENOROOM; page++) {
        page = arena_find(store, page, count, parts, &lowest);
        if (page >= store->geo.pages)
            break;
        taken = arena_neighbours(store, page, count, most, parts);
        rc = lrd__pages_claim(store, self, shard, (uint32_t)page, taken, size_class);
        if (rc == LRD_ENOROOM && taken > count) {
            taken = count;
            rc = lrd__pages_claim(store, self, shard, (uint32_t)page, taken, size_class);
        }
        if (rc != LRD_ENOROOM)
            break;
    }
    *first = page;
    if (rc != LRD_OK && page < store->geo.pages)
        return arena_asked(store, rc); /* no memory for its description */
    /* Raise the hint only over what was seen taken, and only if no page became free meanwhile. */
    uint64_t above = lowest == page && page < store->geo.pages ? page + taken : lowest;
    if (above > (uint32_t)hint)
        atomic_compare_exchange_strong_explicit(shared, &hint, hint >> 32 << 32 | above,
                                                memory_order_release, memory_order_relaxed);
    return rc == LRD_ENOROOM && parts != 0 ? LRD_ENOSPC : rc;
}

/* Claim a free mini page for a small shard, so that it does not need 64 KiB for the first block
 * of each class. With `last`, for a shard that finds no other page. Returns geo.pages_all if
 * there is none. */
static uint64_t arena_claim_mini(lrd_store *store, const lrd__thread *self, uint32_t shard,
                                 uint32_t size_class, bool last)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint64_t share = LRD__MINIS / store->geo.shards;
    lrd__header *header = store->header;
    /* Pairs with the release in lrd__pages_hint_lower(): a thread that sees the count sees that
     * the page is free. */
    uint32_t freed = atomic_load_explicit(&header->minis_freed, memory_order_acquire);
    if (lrd__class_size(size_class) > LRD__MINI_BLOCK ||
        (!last && store->shards[shard].page_count >= (share > 2 ? share : 2)) ||
        atomic_load_explicit(&header->minis_none, memory_order_relaxed) == freed + 1)
        return store->geo.pages_all;
    uint32_t parts = arena_parts_wanted(store, size_class);
    for (uint64_t page = store->geo.pages; page < store->geo.pages_all; page++)
        if (arena_committed(store, page) >= parts &&
            arena_claim_one(store, self, shard, (uint32_t)page, size_class)) {
            lrd__page_link(store, shard, (uint32_t)page, size_class);
            LRD__FAILPOINT("pages_linked");
            return page;
        }
    if (parts == 0)
        atomic_store_explicit(&header->minis_none, freed + 1, memory_order_relaxed);
    return store->geo.pages_all;
}

/* Record that the first `parts` parts of a page are committed. A builder may call this without
 * the lock. */
static void arena_committed_raise(lrd_store *store, uint64_t page, uint64_t parts)
{
    _Atomic uint8_t *committed = &store->pages[page].committed;
    uint8_t before = atomic_load_explicit(committed, memory_order_relaxed);
    while (before < parts &&
           !atomic_compare_exchange_weak_explicit(committed, &before, (uint8_t)parts,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

/* lrd__map_commit() commits whole folios: record it for each described page in them. Otherwise
 * this room would be unused once the file system is full. */
static void arena_committed_folios(lrd_store *store, uint64_t from, uint64_t to)
{
    if (store->folio <= LRD__PAGE)
        return;
    lrd__assert(store->geo.data_at % store->folio == 0);
    uint64_t end = LRD__ALIGN_UP(to, store->folio) >> LRD__PAGE_BITS, high = lrd__pages_high(store);
    end = end < high ? end : high;
    for (uint64_t page = (from & ~(store->folio - 1)) >> LRD__PAGE_BITS; page < end; page++)
        arena_committed_raise(store, page, LRD__PAGE_PARTS);
}

/* More memory for the first bytes of a page of small blocks: twice as much each time, since a page
 * of a cold store may stay almost empty. Small pages get it together. [locked] */
static __attribute__((noinline)) int arena_commit_parts(lrd_store *store, uint32_t page,
                                                        uint64_t bytes)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__page *p = store->pages + page;
    uint64_t parts = atomic_load_explicit(&p->committed, memory_order_acquire), end;
    if (lrd__memory_short(store))
        return LRD_ENOSPC;
    if (lrd__page_is_mini(store, page)) {
        uint64_t first = page - store->geo.pages, count = LRD__MINIS - first;
        count = count < LRD__MINI_STEP ? count : LRD__MINI_STEP;
        int rc = lrd__segment_commit_mapped(store, lrd__page_start(store, page), count * LRD__PART);
        for (uint64_t i = 0; i < count && rc == LRD_OK; i++)
            atomic_store_explicit(&p[i].committed, 1, memory_order_release);
        return arena_asked(store, rc);
    }
    end = (bytes + LRD__PART - 1) >> LRD__PART_BITS;
    end = end > parts * 2 ? end : parts * 2;
    end = end < LRD__PAGE_PARTS ? end : LRD__PAGE_PARTS;
    uint64_t from = lrd__page_start(store, page) + parts * LRD__PART;
    uint64_t to = lrd__page_start(store, page) + end * LRD__PART;
    int rc = lrd__segment_commit_mapped(store, from, to - from);
    if (rc == LRD_OK) {
        arena_committed_raise(store, page, end);
        arena_committed_folios(store, from, to);
    }
    LRD__FAILPOINT("page_committed");
    return arena_asked(store, rc);
}

/* Give the memory of a page that is claimed for it back to the file system. */
static int arena_punch(lrd_store *store, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    atomic_store_explicit(&store->pages[page].committed, 0, memory_order_release);
    LRD__FAILPOINT("page_punched");
    return lrd__segment_punch(store, lrd__page_start(store, page), LRD__PAGE);
}

bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page)
{
    lrd__assert_locked(store, shard);
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(lrd__segment_gives_back(store));
    if (!arena_claim_one(store, NULL, shard, page, LRD__CLASS_RUN))
        return false;
    bool given = arena_punch(store, page) == LRD_OK;
    arena_give_back(store, page);
    return given;
}

/* Commit memory. *bare: from there on, the committed memory was never touched; the end: all was. */
static int arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes, uint64_t *bare)
{
    lrd__assert_offset(store, offset);
    uint64_t end = offset + bytes, last = (end - 1) >> LRD__PAGE_BITS;
    uint64_t rest = (end - (last << LRD__PAGE_BITS) + LRD__PART - 1) >> LRD__PART_BITS;
    for (uint64_t page = offset >> LRD__PAGE_BITS; page <= last;) {
        uint64_t has = arena_parts(store, page);
        if (has >= (page < last ? LRD__PAGE_PARTS : rest)) {
            page++;
            continue;
        }
        uint64_t from = (page << LRD__PAGE_BITS) + has * LRD__PART, next = page + 1;
        while (next <= last && arena_parts(store, next) == 0)
            next++;
        uint64_t to =
            next <= last ? next << LRD__PAGE_BITS : (last << LRD__PAGE_BITS) + rest * LRD__PART;
        int rc = lrd__segment_commit(store, from, to - from);
        if (rc != LRD_OK)
            return arena_asked(store, rc);
        for (; page < next; page++)
            arena_committed_raise(store, page, page < last ? LRD__PAGE_PARTS : rest);
        arena_committed_folios(store, from, to);
        LRD__FAILPOINT("page_committed");
        *bare = from;
    }
    return LRD_OK;
}

int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    lrd__assert_offset(store, offset);
    uint64_t bare;
    return arena_commit(store, offset, bytes, &bare);
}

int lrd__zone_reserve(lrd_store *store)
{
    uint64_t first = lrd__zone_first(store), pages = lrd__zone_pages(store);
    int rc = lrd__pages_describe(store, store->geo.pages);
    /* Committed parts are recorded window by window. */
    for (; first < store->geo.pages && rc == LRD_OK; first += pages)
        rc = lrd__arena_commit(store, first << LRD__PAGE_BITS, pages << LRD__PAGE_BITS);
    if (rc == LRD_OK)
        atomic_store_explicit(&store->header->zone_fed, 1, memory_order_relaxed);
    return rc;
}

/* ---- small blocks ---- */

/* The first free block of a page that has one, with memory. */
static inline __attribute__((always_inline)) int arena_first_free(lrd_store *store, uint32_t page,
                                                                  uint32_t size_class,
                                                                  uint32_t *word, uint32_t *bit)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    lrd__page *p = store->pages + page;
    lrd__bits *bits = store->bits + page;
    lrd__prefetch_page(store, page);
    *word = p->hint;
    while (bits->block[*word].allocated == UINT64_MAX)
        ++*word;
    p->hint = (uint16_t)*word;
    *bit = (uint32_t)__builtin_ctzll(~bits->block[*word].allocated);
    uint64_t end = (uint64_t)(*word * 64 + *bit + 1) * lrd__class_size(size_class);
    return __builtin_expect(end <= (uint64_t)arena_parts(store, page) << LRD__PART_BITS, 1)
               ? LRD_OK
               : arena_commit_parts(store, page, end);
}

/* True if a writer may claim a page although another lane has room: the room in the shard's
 * pages is at most an eighth of their blocks, and at most 1/ARENA_ROOM of its share. Otherwise
 * half-used pages of each size and lane would fill the store. */
static bool arena_may_claim(const lrd_store *store, const lrd__shard *shard)
{
    uint64_t live = atomic_load_explicit(&shard->live_bytes, memory_order_relaxed) +
                    atomic_load_explicit(&shard->dead_bytes, memory_order_relaxed) +
                    atomic_load_explicit(&shard->retired_bytes, memory_order_relaxed);
    uint64_t room = atomic_load_explicit(&shard->page_bytes, memory_order_relaxed) - live;
    return shard->one_lane == 0 && room <= live / 8 &&
           room <= store->geo.size / store->geo.shards / ARENA_ROOM &&
           lrd__pages_high(store) < store->geo.pages && !lrd__memory_short(store);
}

/* Claim room in the first committed page of any lane. */
static __attribute__((noinline, cold)) int arena_other_free(lrd_store *store, uint32_t shard,
                                                            uint32_t size_class, uint32_t *link,
                                                            uint32_t *word, uint32_t *bit)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    int rc = LRD_ENOSPC;
    for (uint32_t lane = 0; rc == LRD_ENOSPC && lane < LRD__LANES; lane++)
        for (uint32_t next = store->shards[shard].avail[lane][size_class];
             rc == LRD_ENOSPC && next != 0; next = store->pages[next - 1].anext) {
            *link = next;
            rc = arena_first_free(store, next - 1, size_class, word, bit);
        }
    return rc;
}

/* A page with room of another lane. 0: there is none; or this one's has had none often, and is to
 * claim one. */
static __attribute__((noinline)) uint32_t arena_other_lane(lrd_store *store, lrd__thread *self,
                                                           uint32_t shard, uint32_t lane,
                                                           uint32_t size_class)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    bool often = self->astray >= ARENA_ASTRAY;
    uint32_t link = 0;
    if (often && arena_may_claim(store, store->shards + shard))
        return 0;
    for (uint32_t i = 1; i < LRD__LANES && link == 0; i++)
        link = store->shards[shard].avail[(lane + i) % LRD__LANES][size_class];
    if (link != 0 && !often)
        self->astray += ARENA_STRAYS;
    return link;
}

/* Allocate in the first page of the class that has room, and memory for it. */
static LRD__STEP int arena_small(lrd_store *store, lrd__thread *self, uint32_t shard,
                                 uint32_t size_class, uint64_t bytes, uint64_t *offset,
                                 uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint32_t lane = arena_lane(store->shards + shard, self), word, bit;
    uint32_t link = store->shards[shard].avail[lane][size_class];
    if (__builtin_expect(link == 0, 0))
        link = arena_other_lane(store, self, shard, lane, size_class);
    else if (self->astray != 0)
        self->astray--;
    if (link == 0)
        return LRD_ENOROOM;
    int rc = arena_first_free(store, link - 1, size_class, &word, &bit);
    if (__builtin_expect(rc == LRD_ENOSPC, 0))
        rc = arena_other_free(store, shard, size_class, &link, &word, &bit);
    if (rc != LRD_OK)
        return rc;
    uint32_t page = link - 1;
    lrd__page *p = store->pages + page;
    lrd__bits *bits = store->bits + page;
    *offset = lrd__block_offset(store, page, size_class, word * 64 + bit);
    lrd__prefetch_write(store->window + *offset);
    if (entry != NULL) {
        rc = lrd__ledger_reserve(self, *offset, bytes, entry); /* listed before it is allocated */
        if (rc != LRD_OK)
            return rc;
    }
    bits->block[word].allocated |= 1ull << bit;
    LRD__FAILPOINT("arena_allocated");
    lrd__page_count(&p->used, 1);
    if (entry != NULL) {
        bits->block[word].retired |= 1ull << bit;
        lrd__page_count(&p->retired, 1);
        lrd__page_wait(store, shard, page);
        lrd__add(&store->shards[shard].retired_bytes, lrd__class_size(size_class));
    }
    if (lrd__page_used(p) == lrd__page_blocks(store, page, size_class))
        lrd__page_remove(store, shard, page, size_class);
    return LRD_OK;
}

/* Search for a small block again after the first search failed. */
static __attribute__((noinline)) int arena_small_again(lrd_store *store, lrd__thread *self,
                                                       uint32_t shard, uint32_t size_class,
                                                       uint64_t bytes, uint64_t *offset,
                                                       uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    return arena_small(store, self, shard, size_class, bytes, offset, entry);
}

/* ---- runs ---- */

/* Change the retired bits of a run, and the counts. */
static void arena_run_retire(lrd_store *store, uint32_t shard, uint64_t first, uint64_t count,
                             bool retire)
{
    lrd__assert(shard < store->geo.shards);
    for (uint64_t page = first / LRD__PAGE_UNITS; page * LRD__PAGE_UNITS < first + count; page++) {
        uint64_t mask = lrd__unit_mask(page, first, count);
        uint64_t *word = lrd__unit_word(store, page, LRD__UNIT_RETIRED);
        int change = __builtin_popcountll(mask);
        *word = retire ? *word | mask : *word & ~mask;
        lrd__page_count(&store->pages[page].retired, retire ? change : -change);
        if (retire)
            lrd__page_wait(store, shard, page);
    }
}

/* Find the first run of free units in neighbouring run pages of the shard. If the file system is
 * full, only committed units count. */
static bool arena_run_find(lrd_store *store, uint32_t shard, uint64_t units, uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint64_t length = 0, expected = UINT64_MAX;
    uint32_t parts = arena_parts_wanted(store, LRD__CLASS_RUN), from = LRD__NO_GAP;
    lrd__shard *s = store->shards + shard;
    lrd__gap *gap = lrd__gap_of(s, units);
    uint32_t link = parts == 0 ? lrd__gap_start(store, s, gap, units) : s->run_pages;
    /* Mostly neighbours follow. */
    for (uint64_t ahead = 0; link != 0 && ahead < ARENA_AHEAD; ahead++)
        lrd__prefetch_page(store, link - 1 + ahead);
    for (; link != 0 && from == LRD__NO_GAP; link = store->pages[link - 1].next) {
        uint64_t page = link - 1, used;
        lrd__prefetch_page(store, page + ARENA_AHEAD);
        if (page != expected)
            length = 0;
        expected = page + 1;
        if (lrd__page_used(store->pages + page) == LRD__PAGE_UNITS) {
            length = 0;
            continue;
        }
        used = store->bits[page].block[0].allocated;
        if (parts != 0)
            used |= lrd__bare_units(store, page);
        for (uint32_t at = 0; at < 64;) {
            uint64_t rest = used >> at;
            uint32_t free = rest == 0 ? 64 - at : (uint32_t)__builtin_ctzll(rest);
            if (length + free >= units) {
                *first = page * LRD__PAGE_UNITS + at - length;
                from = (uint32_t)(*first / LRD__PAGE_UNITS) + 1;
                break;
            }
            length += free;
            at += free;
            if (at == 64)
                break;
            uint64_t block = ~(used >> at); /* shifted-in zeros end the row of ones */
            at += block == 0 ? 64 - at : (uint32_t)__builtin_ctzll(block);
            length = 0;
        }
    }
    if (parts == 0 && (gap->units == 0 || units <= gap->units))
        *gap =
            (lrd__gap){.units = (uint32_t)(units < UINT32_MAX ? units : UINT32_MAX), .from = from};
    return from != LRD__NO_GAP;
}

/* Claim pages for a run: a chunk, so that neighbours belong together, or just the pages it
 * needs. */
static int arena_run_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint64_t need = (units + LRD__PAGE_UNITS - 1) / LRD__PAGE_UNITS, first;
    uint64_t chunk = store->geo.pages / store->geo.shards / 16;
    chunk = chunk > ARENA_RUN_CHUNK ? ARENA_RUN_CHUNK : chunk;
    /* double its pages at most, so that a shard with few pages takes few */
    uint64_t has = store->shards[shard].page_count;
    chunk = chunk > has ? has : chunk;
    if (need > store->geo.pages)
        return LRD_ENOROOM;
    chunk = chunk > need ? chunk : need;
    return arena_claim(store, self, shard, (uint32_t)need, (uint32_t)chunk, LRD__CLASS_RUN, &first);
}

#ifdef LRD_CONTROLS
bool lrd__control_claim_free_only;
#endif

/* Claim all of these pages that are not yet run pages of the shard. Returns false if another
 * shard owns one of them; the pages claimed so far are given back. */
static bool arena_claim_rest(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t first,
                             uint64_t last)
{
    lrd__assert(shard < store->geo.shards);
    uint32_t mine = lrd__owner_make(shard, LRD__CLASS_RUN);
    for (uint64_t page = first; page <= last; page++)
        if (lrd__page_owner(store, page) != mine &&
            !(LRD__CONTROL(claim_free_only) && lrd__page_owner(store, page) != 0) &&
            lrd__pages_claim(store, self, shard, (uint32_t)page, 1, LRD__CLASS_RUN) != LRD_OK)
            return false;
    return true;
}

/* Claim free pages between, or beside, the free units in the shard's own run pages. Together they
 * make room for the run. */
static bool arena_run_bridge(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint32_t mine = lrd__owner_make(shard, LRD__CLASS_RUN);
    uint32_t parts = arena_parts_wanted(store, LRD__CLASS_RUN);
    uint64_t length = 0; /* free units right below this page */
    /* Below the hint no page is free, so nothing can be bridged except the units right below the
     * first free page. */
    uint64_t hint =
        (uint32_t)atomic_load_explicit(&store->header->pages_hint, memory_order_acquire);
    uint64_t below = units / LRD__PAGE_UNITS + 2;
    uint64_t end = hint < store->geo.pages ? arena_search_end(store, hint, 2, parts) : 0;
    for (uint64_t page = hint > below ? hint - below : 0; page < end; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        uint64_t used = owner == mine ? store->bits[page].block[0].allocated : 0;
        if ((owner != 0 && owner != mine) || (parts != 0 && arena_committed(store, page) < parts)) {
            length = 0;
            continue;
        }
        if (length + (used == 0 ? 64 : (uint64_t)__builtin_ctzll(used)) < units) {
            length = used == 0 ? length + 64 : (uint64_t)__builtin_clzll(used);
            continue;
        }
        uint64_t first = page - (length + LRD__PAGE_UNITS - 1) / LRD__PAGE_UNITS;
        if (arena_claim_rest(store, self, shard, first, page))
            return true;
        length = 0;
    }
    return false;
}

/* Reclaim before pages are claimed for a run, because each part that was never touched costs a
 * fault. Half a step of retired bytes is enough to try. */
static bool arena_run_reclaim(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    const lrd__shard *s = store->shards + shard;
    uint64_t retired = atomic_load_explicit(&s->retired_bytes, memory_order_relaxed);
    return retired >= units << LRD__UNIT_BITS && retired + s->reclaim_step / 2 >= s->reclaim_at &&
           (lrd__ledger_passed(store, shard) || lrd__barrier_due(self)) &&
           lrd__arena_reclaim(store, shard, true) >= units << LRD__UNIT_BITS;
}

/* True if units of a page are free and committed, in a page of the shard or without owner. */
static bool arena_own_free(const lrd_store *store, uint32_t shard, uint64_t page, uint64_t mask)
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

/* Find a free run that this thread was the last to allocate; the oldest first, because it is
 * most likely free. Pages that the shard gave back are claimed again. So each of several writers
 * reuses its own memory, which need not come from another processor's caches. The remembered
 * runs are hints and are checked. */
static bool arena_own_run(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                          uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    lrd__own_run *own = self->own_runs[shard % LRD__OWN_SETS];
    /* The last value had a new key, for which others were evicted: the thread's recent values
     * are live. */
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
               arena_own_free(store, shard, page, lrd__unit_mask(page, begin, units)))
            page++;
        if (page <= end)
            continue;
        LRD__FAILPOINT("arena_own_seen");
        *first = begin;
        return arena_claim_rest(store, self, shard, begin / LRD__PAGE_UNITS, end);
    }
    return false;
}

static void arena_own_run_is(lrd__thread *self, uint32_t shard, uint64_t first, uint64_t units)
{
    lrd__assert(shard < self->store->geo.shards);
    lrd__assert(units != 0);
    lrd__own_run *own = self->own_runs[shard % LRD__OWN_SETS];
    uint32_t from = 0; /* it leaves its place, or the oldest one does */
    for (uint32_t i = 0; i < LRD__OWN_RUNS; i++)
        if (own[i].units != 0 && own[i].first == first)
            from = i;
    memmove(own + from, own + from + 1, (LRD__OWN_RUNS - 1 - from) * sizeof *own);
    own[LRD__OWN_RUNS - 1] = (lrd__own_run){.first = (uint32_t)first, .units = (uint32_t)units};
}

/* Units for a run, in pages of the shard, claiming some if need be. */
static int arena_run_place(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                           uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    if (arena_own_run(store, self, shard, units, first) ||
        arena_run_find(store, shard, units, first) ||
        (arena_run_reclaim(store, self, shard, units) &&
         arena_run_find(store, shard, units, first)))
        return LRD_OK;
    int rc = arena_run_claim(store, self, shard, units);
    if (rc != LRD_OK && rc != LRD_ENOROOM && rc != LRD_ENOSPC)
        return rc;
    if (rc != LRD_OK && !arena_run_bridge(store, self, shard, units))
        return rc;
    return arena_run_find(store, shard, units, first) ? LRD_OK : LRD_ENOROOM;
}

/* Find a run and commit it, unless its builder does. The file system may become full at any
 * time, so the result of the commit is always checked. */
static int arena_run_ready(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                           uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    int rc = arena_run_place(store, self, shard, units, first);
    if (rc != LRD_OK || units << LRD__UNIT_BITS > LRD__COMMIT_LOCKED)
        return rc;
    return arena_commit(store, *first << LRD__UNIT_BITS, units << LRD__UNIT_BITS, &self->bare);
}

static int arena_run(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                     uint64_t *offset, uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    uint64_t units = (bytes + LRD__UNIT - 1) >> LRD__UNIT_BITS, first;
    int rc = arena_run_ready(store, self, shard, units, &first);
    if (rc == LRD_ENOSPC) { /* then where there is memory */
        lrd__arena_trim(store, shard);
        LRD__FAILPOINT("arena_trimmed");
        rc = arena_run_ready(store, self, shard, units, &first);
    }
    if (rc != LRD_OK)
        return rc;
    uint64_t page = first / LRD__PAGE_UNITS;
    uint64_t pages = (first + units + LRD__PAGE_UNITS - 1) / LRD__PAGE_UNITS - page;
    /* Before it can be listed: a scan finds the run's end by it. */
    lrd__run_mark(store, first, units);
    *offset = first << LRD__UNIT_BITS;
    arena_own_run_is(self, shard, first, units);
    atomic_store_explicit(&store->pages[page].user, self->slot_index + 1, memory_order_relaxed);
    rc = entry != NULL ? lrd__ledger_reserve(self, *offset, bytes, entry) : LRD_OK;
    if (rc != LRD_OK)
        return rc;
    for (uint64_t p = page; p < page + pages; p++) {
        uint64_t mask = lrd__unit_mask(p, first, units);
        *lrd__unit_word(store, p, LRD__UNIT_ALLOCATED) |= mask;
        lrd__page_count(&store->pages[p].used, __builtin_popcountll(mask));
        LRD__FAILPOINT("arena_run_allocated");
    }
    if (entry == NULL)
        return LRD_OK;
    arena_run_retire(store, shard, first, units, true);
    lrd__add(&store->shards[shard].retired_bytes, units << LRD__UNIT_BITS);
    return LRD_OK;
}

/* In a page that is claimed for it. */
static __attribute__((noinline)) int arena_small_new(lrd_store *store, lrd__thread *self,
                                                     uint32_t shard, uint32_t size_class,
                                                     uint64_t bytes, uint64_t *offset,
                                                     uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint64_t page;
    int rc = LRD_ENOROOM;
    store->shards[shard].one_lane = lrd__pages_high(store) >= store->geo.pages;
    /* The second time, where the file system is full, among the pages that have memory. */
    for (int tries = 0; (rc == LRD_ENOROOM || rc == LRD_ENOSPC) && tries < 2; tries++) {
        int claimed = LRD_OK;
        page = arena_claim_mini(store, self, shard, size_class, false);
        if (page == store->geo.pages_all)
            claimed = arena_claim(store, self, shard, 1, 1, size_class, &page);
        if (claimed == LRD_ENOROOM || claimed == LRD_ENOSPC)
            page = arena_claim_mini(store, self, shard, size_class, true);
        else if (claimed != LRD_OK)
            /* its listing names a block without owner, or of another shard */
            page = store->geo.pages_all;
        if (page == store->geo.pages_all)
            return claimed;
        rc = arena_small_again(store, self, shard, size_class, bytes, offset, entry);
        if (lrd__page_used(store->pages + page) == 0) /* it has no memory; maybe one of another lane
                                                       * had
                                                       */
            lrd__page_free(store, shard, (uint32_t)page);
    }
    return rc;
}

int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                   uint64_t *offset, uint32_t *entry)
{
    lrd__assert_locked(store, shard);
    uint32_t size_class = lrd__class_of(bytes);
    if (size_class == LRD__CLASS_RUN)
        return arena_run(store, self, shard, bytes, offset, entry);
    int rc = arena_small(store, self, shard, size_class, bytes, offset, entry);
    if (rc == LRD_ENOROOM || rc == LRD_ENOSPC)
        rc = arena_small_new(store, self, shard, size_class, bytes, offset, entry);
    if ((rc == LRD_ENOROOM || rc == LRD_ENOSPC) && self->astray >= ARENA_ASTRAY) {
        self->astray = 0; /* there is no page to claim: in one of another lane, then */
        int other = arena_small_again(store, self, shard, size_class, bytes, offset, entry);
        rc = other != LRD_ENOROOM ? other : rc;
    }
    return rc;
}

int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry)
{
    lrd__assert_locked(store, shard);
    for (uint32_t c = lrd__class_of(bytes) + 1; c < LRD__CLASSES; c++) {
        if (lrd__class_size(c) > most)
            return LRD_ENOROOM;
        int rc = arena_small_again(store, self, shard, c, bytes, offset, entry);
        if (rc != LRD_ENOROOM && rc != LRD_ENOSPC)
            return rc;
    }
    return most > LRD__SMALL_MAX ? arena_run(store, self, shard, bytes, offset, entry)
                                 : LRD_ENOROOM;
}

/* ---- retiring and reclaiming ---- */

static __attribute__((noinline)) uint64_t arena_retire_run(lrd_store *store, uint32_t shard,
                                                           uint64_t offset, bool retire)
{
    lrd__assert_offset(store, offset);
    lrd__assert(shard < store->geo.shards);
    uint64_t first = offset >> LRD__UNIT_BITS, units = lrd__run_units(store, first);
    arena_run_retire(store, shard, first, units, retire);
    return units << LRD__UNIT_BITS;
}

static inline __attribute__((always_inline)) void
arena_set_retired(lrd_store *store, uint32_t shard, uint64_t offset, bool retire)
{
    lrd__assert_offset(store, offset);
    lrd__assert(shard < store->geo.shards);
    uint64_t page = lrd__page_of(store, offset), bytes;
    lrd__prefetch_write(store->pages + page);
    uint32_t size_class = lrd__owner_class(lrd__owner_at(store, page));
    if (size_class < LRD__CLASSES) {
        uint32_t size = lrd__class_sizes[size_class];
        uint32_t index = (uint32_t)(offset - lrd__page_start(store, page)) / size;
        uint64_t *word = &store->bits[page].block[index / 64].retired, bit = 1ull << index % 64;
        *word = retire ? *word | bit : *word & ~bit;
        lrd__page_count(&store->pages[page].retired, retire ? 1 : -1);
        if (retire)
            lrd__page_wait(store, shard, page);
        bytes = size;
    } else {
        bytes = arena_retire_run(store, shard, offset, retire);
    }
    lrd__add(&store->shards[shard].retired_bytes, retire ? bytes : -bytes);
    LRD__FAILPOINT("arena_retired");
}

void lrd__arena_revive(lrd_store *store, uint32_t shard, uint64_t offset)
{
    lrd__assert_locked(store, shard);
    lrd__assert_offset(store, offset);
    arena_set_retired(store, shard, offset, false);
}

LRD__STEP void lrd__arena_retire(lrd_store *store, uint32_t shard, uint64_t offset)
{
    lrd__assert_locked(store, shard);
    lrd__assert_offset(store, offset);
    store->shards[shard].unlinked = 1;
    arena_set_retired(store, shard, offset, true);
}

/* True if the shard keeps run pages that become empty now: it has evicted entries to make room
 * for a run, and would otherwise have to search for other pages. */
static bool arena_keeps(const lrd_store *store, uint32_t shard)
{
    lrd__assert(shard < store->geo.shards);
    return atomic_load_explicit(&store->shards[shard].page_bytes, memory_order_relaxed) <=
           store->geo.size / store->geo.shards * 2;
}

/* Free the retired blocks of one page that are not held; returns bytes. */
static uint64_t arena_reclaim_page(lrd_store *store, uint32_t shard, uint32_t page, bool keep)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    lrd__page *p = store->pages + page;
    lrd__bits *bits = store->bits + page;
    uint32_t size_class = lrd__owner_class(lrd__owner_at(store, page));
    int freed = 0;
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
        uint64_t free = bits->block[i].retired & ~bits->held[i];
        if (free == 0)
            continue;
        lrd__page_poison(store, page, size_class, i, free); /* while no other thread can get it */
        bits->block[i].retired &= ~free;
        LRD__FAILPOINT("reclaim_unretired");
        bits->block[i].allocated &= ~free;
        freed += __builtin_popcountll(free);
        if (i < p->hint)
            p->hint = (uint16_t)i;
    }
    if (freed != 0) {
        lrd__page_count(&p->used, -freed);
        lrd__page_count(&p->retired, -freed);
    }
    if (atomic_load_explicit(&p->retired, memory_order_relaxed) != 0)
        lrd__page_wait(store, shard, page);
    if (freed == 0)
        return 0;
    uint64_t bytes = (uint64_t)freed * lrd__class_size(size_class);
    lrd__add(&store->shards[shard].retired_bytes, -bytes);
    if (lrd__page_used(p) == 0 &&
        !(keep && size_class == LRD__CLASS_RUN && arena_keeps(store, shard)))
        lrd__page_free(store, shard, page);
    else if (size_class != LRD__CLASS_RUN)
        lrd__page_push(store, shard, page, size_class);
    else
        lrd__gaps_lower(store->shards + shard, page);
    return bytes;
}

uint64_t lrd__arena_reclaim(lrd_store *store, uint32_t shard, bool keep)
{
    lrd__assert_locked(store, shard);
    lrd__shard *s = store->shards + shard;
    uint64_t freed = 0;
    if (atomic_load_explicit(&s->retired_bytes, memory_order_relaxed) == 0 ||
        lrd__ledger_scan(store, shard, !lrd__ledger_passed(store, shard)) != LRD_OK)
        return 0;
    LRD__FAILPOINT("reclaim_scanned");
    uint32_t link = s->waiting;
    s->waiting = 0;
    while (link != 0) {
        uint32_t page = link - 1;
        link = store->pages[page].waiting;
        if (link != 0) /* in no cache, mostly, as the last batch was long ago */
            lrd__prefetch_page(store, link - 1);
        store->pages[page].waits = 0;
        freed += arena_reclaim_page(store, shard, page, keep);
    }
    /* Keep the step small in a young store, so that repeated overwrites reuse warm memory
     * instead of faulting in new pages. Each half page of growth costs a scan, which is about as
     * expensive as such a fault. */
    uint64_t step = s->reclaim_step + s->reclaim_step / 16 + ARENA_STEP_MORE;
    uint64_t most = lrd__batch_bytes(store);
    step = step < LRD__RECLAIM_MIN ? LRD__RECLAIM_MIN : step;
    s->reclaim_step = step < most ? step : most;
    s->reclaim_at = atomic_load_explicit(&s->retired_bytes, memory_order_relaxed) + s->reclaim_step;
    return freed;
}

uint32_t lrd__arena_trim(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    uint32_t freed = 0;
    for (uint32_t link = store->shards[shard].run_pages, next; link != 0; link = next) {
        next = store->pages[link - 1].next;
        if (lrd__page_used(store->pages + link - 1) == 0) {
            lrd__page_free(store, shard, link - 1);
            freed++;
        }
    }
    return freed;
}
