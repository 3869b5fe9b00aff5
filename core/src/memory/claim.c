/* claim.c - takes free pages for a shard, gives them back, and commits their memory. Owns the owner
 * words. A collector is a writer that marks and empties certain pages to make room for a large
 * value. Begin reading at lrd__claim_lowest().
 *
 * Invariants
 * - A shard claims a free page by compare-and-swap, under the shard's own lock. If the page has the
 *   mark of a living collector, only this collector may claim it. */
#include "memory/claim.h"
#include "memory/affinity.h"
#include "memory/slot.h"
#include "memory/zone.h"

/* A bounded search for n neighbouring free pages reads at most CLAIM_SEARCH or 4n pages, whichever
 * is more. */
#define CLAIM_SEARCH 256u

/* Free a page that this thread has claimed and does not need. */
static void claim_give_back(lrd_store *store, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    atomic_store_explicit(&store->owners[page], 0, memory_order_release);
    lrd__pages_hint_lower(store, page);
}

LRD__HOT bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark)
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

LRD__HOT bool lrd__claim_one(lrd_store *store, const lrd__thread *self, uint32_t shard,
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
    /* A collector stores the mark, and then loads the owner word. This thread has stored the owner
     * word, and now loads the mark. Both use seq_cst, so at least one thread sees the other's
     * store. */
    uint64_t mark = atomic_load_explicit(&p->drain, memory_order_seq_cst);
    if (lrd__page_collected(store, self, mark)) {
        claim_give_back(store, page);
        return false;
    }
    atomic_store_explicit(&p->used, 0, memory_order_relaxed);
    atomic_store_explicit(&p->retired, 0, memory_order_relaxed);
    /* Clear only the mark that was loaded above: a new mark belongs to another collector. */
    atomic_compare_exchange_strong_explicit(&p->drain, &mark, 0, memory_order_relaxed,
                                            memory_order_relaxed);
    p->hint = 0;
    p->lane = (uint8_t)lrd__lane_of(store->shards + shard, self);
    p->avail = p->marked = p->waits = 0;
    memset(store->bits + page, 0, sizeof *store->bits);
    return true;
}

LRD__HOT int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                              uint32_t count, uint32_t size_class)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint32_t claimed = 0;
    int rc = lrd__pages_describe(store, (uint64_t)first + count);
    if (rc != LRD_OK)
        return rc;
    while (claimed < count && lrd__claim_one(store, self, shard, first + claimed, size_class))
        claimed++;
    for (uint32_t i = 0; i < claimed; i++)
        if (claimed < count)
            claim_give_back(store, first + i);
        else
            lrd__page_link(store, shard, first + i, size_class);
    if (claimed == count)
        LRD__FAILPOINT("pages_linked");
    return claimed == count ? LRD_OK : LRD_ENOROOM;
}

/* Record that the file system is full if `rc` is LRD_ENOSPC. Returns `rc`. */
static int claim_asked(lrd_store *store, int rc)
{
    if (__builtin_expect(rc == LRD_ENOSPC, 0))
        lrd__memory_note(store);
    return rc;
}

LRD__HOT uint32_t lrd__parts_of(const lrd_store *store, uint64_t page)
{
    if (!lrd__page_is_mini(store, page) && page >= lrd__pages_high(store))
        return 0;
    return lrd__parts_committed(store, page);
}

LRD__HOT uint32_t lrd__parts_wanted(const lrd_store *store, uint32_t size_class)
{
    lrd__assert(size_class <= LRD__CLASS_RUN);
    if (!lrd__memory_short(store))
        return 0;
    return size_class == LRD__CLASS_RUN
               ? LRD__PAGE_PARTS
               : (lrd__class_size(size_class) + (uint32_t)LRD__PART - 1) >> LRD__PART_BITS;
}

LRD__HOT uint64_t lrd__claim_search_end(const lrd_store *store, uint64_t from, uint64_t count,
                                        uint32_t parts)
{
    uint64_t span = 4 * count > CLAIM_SEARCH ? 4 * count : CLAIM_SEARCH;
    /* While some pages were never claimed, a search for a single page ends at the first of them, so
     * it needs no bound. */
    bool bounded =
        store->evicts && (count > 1 || parts != 0 || lrd__pages_high(store) >= store->geo.pages);
    uint64_t most = bounded ? from + span : store->geo.pages;
    return most < store->geo.pages ? most : store->geo.pages;
}

/* Return the first of `count` consecutive free pages in [from, end), each with at least `parts`
 * committed parts. Returns geo.pages if there are none. Lowers *lowest to the lowest free page
 * found. */
static LRD__HOT uint64_t claim_find_free(const lrd_store *store, uint64_t from, uint64_t end,
                                         uint32_t count, uint32_t parts, uint64_t *lowest)
{
    uint32_t length = 0;
    for (uint64_t page = from; page < end; page++) {
        bool free = lrd__page_owner(store, page) == 0;
        if (free && page < *lowest)
            *lowest = page;
        length = free && (parts == 0 || lrd__parts_of(store, page) >= parts) ? length + 1 : 0;
        if (length == count)
            return page + 1 - count;
    }
    if (end < *lowest && end < store->geo.pages)
        /* the page at `end` was not read, so it may be free */
        *lowest = end;
    return store->geo.pages;
}

/* Find `count` neighbouring free pages from `from` on. If a bounded search finds none, continue at
 * a shared cursor, so that the next calls read other pages. */
static uint64_t claim_find(lrd_store *store, uint64_t from, uint32_t count, uint32_t parts,
                           uint64_t *lowest)
{
    _Atomic uint32_t *cursor = &store->header->neighbours;
    uint64_t pages = store->geo.pages, end = lrd__claim_search_end(store, from, count, parts);
    uint64_t page = claim_find_free(store, from, end, count, parts, lowest);
    if (page < pages || end == pages || (count == 1 && parts == 0))
        return page;
    uint64_t at = atomic_load_explicit(cursor, memory_order_relaxed), ignored = pages;
    at = at < end || at >= pages ? end : at;
    end = lrd__claim_search_end(store, at, count, parts);
    page = claim_find_free(store, at, end, count, parts, &ignored);
    end = page < pages ? page : end < pages ? end + 1 - count : pages;
    atomic_store_explicit(cursor, (uint32_t)end, memory_order_relaxed);
    return page;
}

/* Return the number of neighbouring free pages from `page` on, at most `most`, each with at least
 * `parts` committed parts. The caller has checked the first `count` pages. */
static uint32_t claim_neighbours(const lrd_store *store, uint64_t page, uint32_t count,
                                 uint32_t most, uint32_t parts)
{
    lrd__assert(page < store->geo.pages_all);
    while (count < most && page + count < store->geo.pages &&
           lrd__page_owner(store, page + count) == 0 &&
           (parts == 0 || lrd__parts_of(store, page + count) >= parts))
        count++;
    return count;
}

LRD__HOT int lrd__claim_lowest(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                               uint32_t most, uint32_t size_class, uint64_t *first)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    _Atomic uint64_t *shared = &store->header->pages_hint;
    uint64_t hint = atomic_load_explicit(shared, memory_order_acquire);
    uint64_t page = (uint32_t)hint, lowest = store->geo.pages;
    uint32_t parts = lrd__parts_wanted(store, size_class), taken = count;
    int rc = LRD_ENOROOM;
    for (; rc == LRD_ENOROOM; page++) {
        page = claim_find(store, page, count, parts, &lowest);
        if (page >= store->geo.pages)
            break;
        taken = claim_neighbours(store, page, count, most, parts);
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
        /* memory for the page's description could not be committed */
        return claim_asked(store, rc);
    /* No page below `above` is free, so raise the hint to it. If a page became free meanwhile, the
     * hint has a new version, and does not change. */
    uint64_t above = lowest == page && page < store->geo.pages ? page + taken : lowest;
    if (above > (uint32_t)hint)
        atomic_compare_exchange_strong_explicit(shared, &hint, hint >> 32 << 32 | above,
                                                memory_order_release, memory_order_relaxed);
    return rc == LRD_ENOROOM && parts != 0 ? LRD_ENOSPC : rc;
}

/* Record that the first `parts` parts of a page are committed. May be called without the shard's
 * lock. */
static void claim_committed_raise(lrd_store *store, uint64_t page, uint64_t parts)
{
    _Atomic uint8_t *committed = &store->pages[page].committed;
    uint8_t before = atomic_load_explicit(committed, memory_order_relaxed);
    while (before < parts &&
           !atomic_compare_exchange_weak_explicit(committed, &before, (uint8_t)parts,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

/* lrd__map_commit() commits whole folios, so record all pages of these folios as committed. */
static LRD__HOT void claim_committed_folios(lrd_store *store, uint64_t from, uint64_t to)
{
    if (store->folio <= LRD__PAGE)
        return;
    lrd__assert(store->geo.data_at % store->folio == 0);
    uint64_t end = LRD__ALIGN_UP(to, store->folio) >> LRD__PAGE_BITS, high = lrd__pages_high(store);
    end = end < high ? end : high;
    for (uint64_t page = (from & ~(store->folio - 1)) >> LRD__PAGE_BITS; page < end; page++)
        claim_committed_raise(store, page, LRD__PAGE_PARTS);
}

__attribute__((noinline, hot)) int lrd__commit_parts(lrd_store *store, uint32_t page,
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
        return claim_asked(store, rc);
    }
    end = (bytes + LRD__PART - 1) >> LRD__PART_BITS;
    end = end > parts * 2 ? end : parts * 2;
    end = end < LRD__PAGE_PARTS ? end : LRD__PAGE_PARTS;
    uint64_t from = lrd__page_start(store, page) + parts * LRD__PART;
    uint64_t to = lrd__page_start(store, page) + end * LRD__PART;
    int rc = lrd__segment_commit_mapped(store, from, to - from);
    if (rc == LRD_OK) {
        claim_committed_raise(store, page, end);
        claim_committed_folios(store, from, to);
    }
    LRD__FAILPOINT("page_committed");
    return claim_asked(store, rc);
}

bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page)
{
    lrd__assert_locked(store, shard);
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(lrd__segment_gives_back(store));
    if (!lrd__claim_one(store, NULL, shard, page, LRD__CLASS_RUN))
        return false;
    atomic_store_explicit(&store->pages[page].committed, 0, memory_order_release);
    LRD__FAILPOINT("page_punched");
    bool given = lrd__segment_punch(store, lrd__page_start(store, page), LRD__PAGE) == LRD_OK;
    claim_give_back(store, page);
    return given;
}

LRD__HOT int lrd__commit_run(lrd_store *store, uint64_t offset, uint64_t bytes, uint64_t *bare)
{
    lrd__assert_offset(store, offset);
    uint64_t end = offset + bytes, last = (end - 1) >> LRD__PAGE_BITS;
    uint64_t rest = (end - (last << LRD__PAGE_BITS) + LRD__PART - 1) >> LRD__PART_BITS;
    for (uint64_t page = offset >> LRD__PAGE_BITS; page <= last;) {
        uint64_t has = lrd__parts_committed(store, page);
        if (has >= (page < last ? LRD__PAGE_PARTS : rest)) {
            page++;
            continue;
        }
        uint64_t from = (page << LRD__PAGE_BITS) + has * LRD__PART, next = page + 1;
        while (next <= last && lrd__parts_committed(store, next) == 0)
            next++;
        uint64_t to =
            next <= last ? next << LRD__PAGE_BITS : (last << LRD__PAGE_BITS) + rest * LRD__PART;
        int rc = lrd__segment_commit(store, from, to - from);
        if (rc != LRD_OK)
            return claim_asked(store, rc);
        for (; page < next; page++)
            claim_committed_raise(store, page, page < last ? LRD__PAGE_PARTS : rest);
        claim_committed_folios(store, from, to);
        LRD__FAILPOINT("page_committed");
        *bare = from;
    }
    return LRD_OK;
}

int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    lrd__assert_offset(store, offset);
    uint64_t bare;
    return lrd__commit_run(store, offset, bytes, &bare);
}

int lrd__zone_reserve(lrd_store *store)
{
    uint64_t first = lrd__zone_first(store), pages = lrd__zone_pages(store);
    int rc = lrd__pages_describe(store, store->geo.pages);
    /* Commit one window at a time. If memory runs out, the earlier windows stay recorded as
     * committed. */
    for (; first < store->geo.pages && rc == LRD_OK; first += pages)
        rc = lrd__arena_commit(store, first << LRD__PAGE_BITS, pages << LRD__PAGE_BITS);
    if (rc == LRD_OK)
        atomic_store_explicit(&store->header->zone_fed, 1, memory_order_relaxed);
    return rc;
}
