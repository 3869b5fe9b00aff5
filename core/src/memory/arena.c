/* arena.c - the allocator of the store's data: finds blocks, retires them (no entry uses them, but
 * threads may still read them) and reclaims them. Owns the pages' descriptions and bitmaps. Begin
 * reading at lrd__arena_try(), then read lrd__arena_reclaim().
 *
 *   data    |  page 0  |  page 1  |  page 2  |  page 3  | ...      64 KiB each
 *   owner   | shard 3  | shard 0  |  free    | shard 0  |
 *           | class 5  |   run ---------x    |   run    |
 *
 * A page of a size class ("small") is cut into equal blocks. Run pages are cut into units of 1 KiB;
 * a run may span neighbouring run pages of the same shard.
 *
 * Invariants (under the lock of the shard that owns the page)
 * - The blocks that are allocated and not retired are exactly the blocks that the shard's index
 *   names.
 * - A block is allocated and retired if it was unlinked and may still be held, or if it is being
 *   built. Its builder first lists the block in its ledger, and then sets these bits.
 * - A block that is built and published while the lock is held is only marked as allocated, and not
 *   listed. If its builder dies, recovery frees the block.
 * - A retired block is also allocated. The fields `used` and `retired` of a page are the numbers of
 *   allocated and of retired bits.
 * - The allocator keeps no state inside the data. All its state can be derived from the index and
 *   the ledgers. */
#include "memory/arena.h"
#include "memory/affinity.h"
#include "memory/mini.h"
#include "ground/copy.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "memory/gap.h"
#include "memory/ledger.h"
#include "memory/zone.h"

/* in a store that does not evict: maximum size in bytes of a small block */
#define ARENA_SMALL_KEPT 8192u
#define ARENA_RUN_CHUNK 16u /* maximum number of pages that one claim takes in advance for runs */
#define ARENA_AHEAD 4u
/* A shard reclaims its retired blocks whenever `reclaim_step` more bytes were retired. Each reclaim
 * raises reclaim_step by ARENA_STEP_MORE and by 1/ARENA_STEP_PART of itself. */
#define ARENA_STEP_MORE 256u
#define ARENA_STEP_PART 32u
/* Scans of at least ARENA_SCAN_LONG ledger entries are slow. After such a scan, a reclaim raises
 * reclaim_step by ARENA_STEP_TIMES times the usual amount. */
#define ARENA_STEP_TIMES 8u
#define ARENA_SCAN_LONG 256u
/* a shard is young while it has less than 1/ARENA_YOUNG of its share of the pages */
#define ARENA_YOUNG 8u

/* ---- small blocks ---- */

/* Find the first free block of a page that has room, and commit its memory. Returns LRD_OK or the
 * commit's error. */
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
    return __builtin_expect(end <= (uint64_t)lrd__parts_committed(store, page) << LRD__PART_BITS, 1)
               ? LRD_OK
               : lrd__commit_parts(store, page, end);
}

/* Find a free block with committed memory in a page of any lane. For use while the file system is
 * full. */
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

/* Allocate a block in the first page of this size class that has room, and commit its memory. */
static LRD__STEP int arena_small(lrd_store *store, lrd__thread *self, uint32_t shard,
                                 uint32_t size_class, uint64_t bytes, uint64_t *offset,
                                 uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint32_t lane = lrd__lane_of(store->shards + shard, self), word, bit;
    uint32_t link = store->shards[shard].avail[lane][size_class];
    if (__builtin_expect(link == 0, 0))
        link = lrd__lane_other(store, self, shard, lane, size_class);
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
        /* List the block before it is marked as allocated: if this thread dies in between, no block
         * is lost. */
        rc = lrd__ledger_reserve(self, *offset, bytes, entry);
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

/* Call arena_small() out of line, for attempts after the first. */
static __attribute__((noinline, hot)) int arena_small_again(lrd_store *store, lrd__thread *self,
                                                            uint32_t shard, uint32_t size_class,
                                                            uint64_t bytes, uint64_t *offset,
                                                            uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    return arena_small(store, self, shard, size_class, bytes, offset, entry);
}

/* ---- runs ---- */

/* Set or clear the retired bits of a run, and adjust the counts. */
static LRD__HOT void arena_run_retire(lrd_store *store, uint32_t shard, uint64_t first,
                                      uint64_t count, bool retire)
{
    lrd__assert(shard < store->geo.shards);
    for (uint64_t page = first / LRD__PAGE_UNITS; page * LRD__PAGE_UNITS < first + count; page++) {
        uint64_t mask = lrd__unit_mask(page, first, count);
        uint64_t *word = &store->bits[page].block[0].retired;
        int change = __builtin_popcountll(mask);
        *word = retire ? *word | mask : *word & ~mask;
        lrd__page_count(&store->pages[page].retired, retire ? change : -change);
        if (retire)
            lrd__page_wait(store, shard, page);
    }
}

/* Find the shard's first run of free units. While the file system is full, skips units that are not
 * committed. */
static LRD__HOT bool arena_run_find(lrd_store *store, uint32_t shard, uint64_t units,
                                    uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint64_t length = 0, expected = UINT64_MAX;
    uint32_t parts = lrd__parts_wanted(store, LRD__CLASS_RUN), from = LRD__NO_GAP;
    lrd__shard *s = store->shards + shard;
    lrd__gap *gap = lrd__gap_of(s, units);
    uint32_t link = parts == 0 ? lrd__gap_start(store, s, gap, units) : s->run_pages;
    /* Prefetch some pages. The pages that follow in the list usually have the next numbers. */
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
            /* The shift fills the high bits with zeros, which count as free, so `at` stays within
             * the page. */
            uint64_t block = ~(used >> at);
            at += block == 0 ? 64 - at : (uint32_t)__builtin_ctzll(block);
            length = 0;
        }
    }
    if (parts == 0 && (gap->units == 0 || units <= gap->units))
        *gap =
            (lrd__gap){.units = (uint32_t)(units < UINT32_MAX ? units : UINT32_MAX), .from = from};
    return from != LRD__NO_GAP;
}

/* Claim pages for a run: a chunk of neighbouring pages if possible, otherwise only what the run
 * needs. */
static LRD__HOT int arena_run_claim(lrd_store *store, lrd__thread *self, uint32_t shard,
                                    uint64_t units)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint64_t need = (units + LRD__PAGE_UNITS - 1) / LRD__PAGE_UNITS, first;
    uint64_t chunk = store->geo.pages / store->geo.shards / 16;
    chunk = chunk > ARENA_RUN_CHUNK ? ARENA_RUN_CHUNK : chunk;
    /* claim at most as many pages as the shard has */
    uint64_t has = store->shards[shard].page_count;
    chunk = chunk > has ? has : chunk;
    if (need > store->geo.pages)
        return LRD_ENOROOM;
    chunk = chunk > need ? chunk : need;
    return lrd__claim_lowest(store, self, shard, (uint32_t)need, (uint32_t)chunk, LRD__CLASS_RUN,
                             &first);
}

/* Claim the pages from `first` to `last` that are not run pages of this shard yet. Returns false if
 * a page could not be claimed. The shard then keeps the pages claimed so far. */
static LRD__HOT bool arena_claim_rest(lrd_store *store, lrd__thread *self, uint32_t shard,
                                      uint64_t first, uint64_t last)
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

/* Claim free pages beside the shard's run pages, so that together they have room for a run. */
static LRD__HOT bool arena_run_bridge(lrd_store *store, lrd__thread *self, uint32_t shard,
                                      uint64_t units)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    uint32_t mine = lrd__owner_make(shard, LRD__CLASS_RUN);
    uint32_t parts = lrd__parts_wanted(store, LRD__CLASS_RUN);
    uint64_t length = 0; /* number of free units directly below `page` */
    /* No page below the hint is free. So a run with a free page begins at most `below` pages below
     * the hint. */
    uint64_t hint =
        (uint32_t)atomic_load_explicit(&store->header->pages_hint, memory_order_acquire);
    uint64_t below = units / LRD__PAGE_UNITS + 2;
    uint64_t end = hint < store->geo.pages ? lrd__claim_search_end(store, hint, 2, parts) : 0;
    for (uint64_t page = hint > below ? hint - below : 0; page < end; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        uint64_t used = owner == mine ? store->bits[page].block[0].allocated : 0;
        if ((owner != 0 && owner != mine) || (parts != 0 && lrd__parts_of(store, page) < parts)) {
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

/* Find a free run that this thread was the last to allocate. If the shard has given back pages of
 * the run, claim them again. */
static LRD__HOT bool arena_own_run(lrd_store *store, lrd__thread *self, uint32_t shard,
                                   uint64_t units, uint64_t *first)
{
    return lrd__own_run_find(store, self, shard, units, first) &&
           arena_claim_rest(store, self, shard, *first / LRD__PAGE_UNITS,
                            (*first + units - 1) / LRD__PAGE_UNITS);
}

/* Find free units for a run in pages of the shard, and claim more pages if necessary. */
static LRD__HOT int arena_run_place(lrd_store *store, lrd__thread *self, uint32_t shard,
                                    uint64_t units, uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    if (arena_own_run(store, self, shard, units, first) ||
        arena_run_find(store, shard, units, first))
        return LRD_OK;
    int rc = arena_run_claim(store, self, shard, units);
    if (rc != LRD_OK && rc != LRD_ENOROOM && rc != LRD_ENOSPC)
        return rc;
    if (rc != LRD_OK && !arena_run_bridge(store, self, shard, units))
        return rc;
    return arena_run_find(store, shard, units, first) ? LRD_OK : LRD_ENOROOM;
}

/* Find units for a run, and commit their memory. If the run is larger than LRD__COMMIT_LOCKED,
 * commit nothing: the builder of the run commits the memory later, without the lock. */
static LRD__HOT int arena_run_ready(lrd_store *store, lrd__thread *self, uint32_t shard,
                                    uint64_t units, uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(units != 0);
    int rc = arena_run_place(store, self, shard, units, first);
    if (rc != LRD_OK || units << LRD__UNIT_BITS > LRD__COMMIT_LOCKED)
        return rc;
    return lrd__commit_run(store, *first << LRD__UNIT_BITS, units << LRD__UNIT_BITS, &self->bare);
}

static LRD__HOT int arena_run(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                              uint64_t *offset, uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    uint64_t units = lrd__units(bytes), first;
    int rc = arena_run_ready(store, self, shard, units, &first);
    /* the file system is full: give back empty pages, and search again among committed pages */
    if (rc == LRD_ENOSPC) {
        lrd__arena_trim(store, shard);
        LRD__FAILPOINT("arena_trimmed");
        rc = arena_run_ready(store, self, shard, units, &first);
    }
    if (rc != LRD_OK)
        return rc;
    uint64_t page = first / LRD__PAGE_UNITS;
    uint64_t pages = (first + units + LRD__PAGE_UNITS - 1) / LRD__PAGE_UNITS - page;
    /* record the run's length before the block is listed: scans read the length */
    lrd__run_mark(store, first, units);
    *offset = first << LRD__UNIT_BITS;
    lrd__own_run_note(self, shard, first, units);
    atomic_store_explicit(&store->pages[page].user, self->slot_index + 1, memory_order_relaxed);
    rc = entry != NULL ? lrd__ledger_reserve(self, *offset, bytes, entry) : LRD_OK;
    if (rc != LRD_OK)
        return rc;
    for (uint64_t p = page; p < page + pages; p++) {
        uint64_t mask = lrd__unit_mask(p, first, units);
        store->bits[p].block[0].allocated |= mask;
        lrd__page_count(&store->pages[p].used, __builtin_popcountll(mask));
        LRD__FAILPOINT("arena_run_allocated");
    }
    if (entry == NULL)
        return LRD_OK;
    arena_run_retire(store, shard, first, units, true);
    lrd__add(&store->shards[shard].retired_bytes, units << LRD__UNIT_BITS);
    return LRD_OK;
}

/* Allocate a block of a larger size class, of at most `most` bytes, in a page that the shard
 * already has. */
static LRD__HOT int arena_small_larger(lrd_store *store, lrd__thread *self, uint32_t shard,
                                       uint64_t bytes, uint64_t most, uint64_t *offset,
                                       uint32_t *entry)
{
    for (uint32_t c = lrd__class_of(bytes) + 1; c < LRD__CLASSES && lrd__class_size(c) <= most;
         c++) {
        int rc = arena_small_again(store, self, shard, c, bytes, offset, entry);
        if (rc != LRD_ENOROOM && rc != LRD_ENOSPC)
            return rc;
    }
    return LRD_ENOROOM;
}

/* Claim a page and allocate a block in it. A young shard first tries larger classes, up to 5/4 of
 * the size. */
static __attribute__((noinline, hot)) int arena_small_new(lrd_store *store, lrd__thread *self,
                                                          uint32_t shard, uint32_t size_class,
                                                          uint64_t bytes, uint64_t *offset,
                                                          uint32_t *entry)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint64_t page;
    int rc = LRD_ENOROOM;
    store->shards[shard].one_lane = lrd__pages_high(store) >= store->geo.pages;
    if (store->shards[shard].page_count < store->geo.pages / store->geo.shards / ARENA_YOUNG)
        rc = arena_small_larger(store, self, shard, bytes, bytes + bytes / 4, offset, entry);
    /* if the file system is full, the second attempt looks only for committed pages */
    for (int tries = 0; (rc == LRD_ENOROOM || rc == LRD_ENOSPC) && tries < 2; tries++) {
        int claimed = LRD_OK;
        page = lrd__mini_claim(store, self, shard, size_class, false);
        if (page == store->geo.pages_all)
            claimed = lrd__claim_lowest(store, self, shard, 1, 1, size_class, &page);
        if (claimed == LRD_ENOROOM || claimed == LRD_ENOSPC)
            page = lrd__mini_claim(store, self, shard, size_class, true);
        else if (claimed != LRD_OK)
            /* Give up. This thread's ledger may still list a block in a page that the shard does
             * not own, but scans ignore such a listing. */
            page = store->geo.pages_all;
        if (page == store->geo.pages_all)
            return claimed;
        rc = arena_small_again(store, self, shard, size_class, bytes, offset, entry);
        /* free the claimed page if no memory for a block could be committed in it */
        if (lrd__page_used(store->pages + page) == 0)
            lrd__page_free(store, shard, (uint32_t)page);
    }
    return rc;
}

/* Return the size of the largest small block. Larger blocks are runs. A run wastes less memory than
 * a small block, but a store that evicts may evict it to make room for a larger run. */
static LRD__HOT uint64_t arena_small_max(const lrd_store *store)
{
    return store->evicts ? LRD__SMALL_MAX : ARENA_SMALL_KEPT;
}

int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                   uint64_t *offset, uint32_t *entry)
{
    lrd__assert_locked(store, shard);
    if (bytes > arena_small_max(store))
        return arena_run(store, self, shard, bytes, offset, entry);
    uint32_t size_class = lrd__class_of(bytes);
    int rc = arena_small(store, self, shard, size_class, bytes, offset, entry);
    if (rc == LRD_ENOROOM || rc == LRD_ENOSPC)
        rc = arena_small_new(store, self, shard, size_class, bytes, offset, entry);
    if ((rc == LRD_ENOROOM || rc == LRD_ENOSPC) && self->astray >= LRD__ASTRAY) {
        self->astray = 0; /* no page can be claimed, so take a block from another lane's page */
        int other = arena_small_again(store, self, shard, size_class, bytes, offset, entry);
        rc = other != LRD_ENOROOM ? other : rc;
    }
    return rc;
}

int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry)
{
    lrd__assert_locked(store, shard);
    int rc = arena_small_larger(store, self, shard, bytes, most, offset, entry);
    return rc == LRD_ENOROOM && most > arena_small_max(store)
               ? arena_run(store, self, shard, bytes, offset, entry)
               : rc;
}

/* ---- retiring and reclaiming ---- */

static __attribute__((noinline, hot)) uint64_t arena_retire_run(lrd_store *store, uint32_t shard,
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
    uint32_t size_class = lrd__page_class(store, page);
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

/* True if the shard should keep its empty run pages: it owns at most twice a shard's average share
 * of the data. */
static bool arena_keeps(const lrd_store *store, uint32_t shard)
{
    lrd__assert(shard < store->geo.shards);
    return atomic_load_explicit(&store->shards[shard].page_bytes, memory_order_relaxed) <=
           store->geo.size / store->geo.shards * 2;
}

/* Free the retired blocks of one page that are not held. Returns the number of bytes freed. */
static uint64_t arena_reclaim_page(lrd_store *store, uint32_t shard, uint32_t page, bool keep)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    lrd__page *p = store->pages + page;
    lrd__bits *bits = store->bits + page;
    uint32_t size_class = lrd__page_class(store, page);
    int freed = 0;
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
        uint64_t free = bits->block[i].retired & ~bits->held[i];
        if (free == 0)
            continue;
        /* no other thread can allocate these blocks while this thread has the lock */
        lrd__page_poison(store, page, size_class, i, free);
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
        if (link != 0)
            lrd__prefetch_page(store, link - 1);
        store->pages[page].waits = 0;
        freed += arena_reclaim_page(store, shard, page, keep);
    }
    /* Raise reclaim_step. A larger step makes scans rarer, but keeps retired blocks longer, so
     * writes need new pages more often. */
    uint64_t more = s->reclaim_step / ARENA_STEP_PART + ARENA_STEP_MORE;
    if (atomic_load_explicit(&store->scanned, memory_order_relaxed) >= ARENA_SCAN_LONG)
        more *= ARENA_STEP_TIMES;
    uint64_t step = s->reclaim_step + more;
    /* a thread that is alone in the store needs no barrier, so it may reclaim often */
    bool alone = atomic_load_explicit(&store->alone, memory_order_relaxed) &&
                 atomic_load_explicit(&store->scanned, memory_order_relaxed) < ARENA_SCAN_LONG;
    uint64_t most = alone ? LRD__RECLAIM_MIN : lrd__batch_bytes(store);
    step = step < LRD__RECLAIM_MIN ? LRD__RECLAIM_MIN : step;
    s->reclaim_step = step < most ? step : most;
    s->reclaim_at = atomic_load_explicit(&s->retired_bytes, memory_order_relaxed) + s->reclaim_step;
    return freed;
}

void lrd__arena_trim(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    for (uint32_t link = store->shards[shard].run_pages, next; link != 0; link = next) {
        next = store->pages[link - 1].next;
        if (lrd__page_used(store->pages + link - 1) == 0)
            lrd__page_free(store, shard, link - 1);
    }
}
