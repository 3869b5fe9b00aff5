/* page.c - pages of the data: their owner words, lists and bitmaps, and the sizes of their blocks.
 * Read lrd__page_link() first. */
#include "memory/page.h"
#include "memory/gap.h"
#include "ground/word.h"

/* maximum number of owner words that arena_run_below() reads: four cache lines */
#define ARENA_BELOW 64u
/* With LRD_POISON, free memory is filled with this byte: a pointer made of it faults. Bit 6 is
 * clear, because PHP treats values with this bit as permanent. */
#define ARENA_POISON 0x9b

/* Blocks larger than this size (bytes) have one size class for each number of blocks that fit in a
 * page, from 15 down to 4. */
#define ARENA_FITTED 4096u
/* number of blocks in a page of the largest class */
#define ARENA_FEWEST (LRD__PAGE / LRD__SMALL_MAX)
#define ARENA_LINE 64u /* a cache line; each block is aligned to it */

static uint32_t arena_fitted_class(uint32_t bytes)
{
    uint32_t blocks = (uint32_t)LRD__PAGE / (uint32_t)LRD__ALIGN_UP(bytes, ARENA_LINE);
    return LRD__CLASSES - 1 + (uint32_t)ARENA_FEWEST - blocks;
}

LRD__HOT uint32_t lrd__class_of(uint64_t bytes)
{
    if (bytes <= 64)
        return 0;
    if (bytes <= 128)
        return (uint32_t)(bytes - 64 + 15) / 16;
    if (bytes > ARENA_FITTED)
        return bytes > LRD__SMALL_MAX ? LRD__CLASS_RUN : arena_fitted_class((uint32_t)bytes);
    uint32_t last = (uint32_t)bytes - 1;
    uint32_t doubling = 31u - (uint32_t)__builtin_clz(last) - 7u;
    return 5 + doubling * 8 + (last >> (doubling + 4) & 7);
}

/* The eight block sizes from 9/8 * b to 2 * b, in equal steps. */
#define ARENA_DOUBLING(b)                                                                          \
    (b) / 8 * 9, (b) / 8 * 10, (b) / 8 * 11, (b) / 8 * 12, (b) / 8 * 13, (b) / 8 * 14,             \
        (b) / 8 * 15, (b)*2

/* The largest block size at which a page has room for `n` blocks. */
#define ARENA_FIT(n) (LRD__PAGE / (n) / ARENA_LINE * ARENA_LINE)

const uint16_t lrd__class_sizes[LRD__CLASSES + 1] = {
    64,
    80,
    96,
    112,
    128,
    ARENA_DOUBLING(128),
    ARENA_DOUBLING(256),
    ARENA_DOUBLING(512),
    ARENA_DOUBLING(1024),
    ARENA_DOUBLING(2048),
    ARENA_FIT(15),
    ARENA_FIT(14),
    ARENA_FIT(13),
    ARENA_FIT(12),
    ARENA_FIT(11),
    ARENA_FIT(10),
    ARENA_FIT(9),
    ARENA_FIT(8),
    ARENA_FIT(7),
    ARENA_FIT(6),
    ARENA_FIT(5),
    ARENA_FIT(4),
    LRD__UNIT,
};

LRD__HOT uint32_t lrd__class_size(uint32_t size_class)
{
    return lrd__class_sizes[size_class < LRD__CLASSES ? size_class : LRD__CLASSES];
}

LRD__HOT uint32_t lrd__page_blocks(const lrd_store *store, uint64_t page, uint32_t size_class)
{
    lrd__assert(page < store->geo.pages_all);
    return (uint32_t)lrd__page_bytes(store, page) / lrd__class_size(size_class);
}

LRD__HOT uint64_t lrd__block_offset(const lrd_store *store, uint32_t page, uint32_t size_class,
                                    uint32_t index)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(index < lrd__page_blocks(store, page, size_class));
    return lrd__page_start(store, page) + (uint64_t)index * lrd__class_size(size_class);
}

/* Return the number of the block that contains `offset`, within its page of small blocks. The
 * page's first block has the number 0. */
static LRD__HOT uint32_t arena_block(const lrd_store *store, uint64_t page, uint64_t offset)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert_offset(store, offset);
    uint32_t size_class = lrd__page_class(store, page);
    return (uint32_t)(offset - lrd__page_start(store, page)) / lrd__class_size(size_class);
}

LRD__HOT uint64_t lrd__run_units(const lrd_store *store, uint64_t unit)
{
    uint64_t units = atomic_load_explicit(&store->run_len[unit], memory_order_relaxed);
    uint64_t left = store->geo.pages * LRD__PAGE_UNITS - unit;
    return units == 0 ? 1 : units < left ? units : left;
}

uint64_t lrd__run_start(const lrd_store *store, uint64_t offset)
{
    lrd__assert_page_locked(store, offset);
    lrd__assert_offset(store, offset);
    uint64_t unit = offset >> LRD__UNIT_BITS;
    while (unit > 0 && atomic_load_explicit(&store->run_len[unit], memory_order_relaxed) == 0)
        unit--;
    return unit << LRD__UNIT_BITS;
}

void lrd__run_mark(lrd_store *store, uint64_t first, uint64_t units)
{
    lrd__assert_page_locked(store, first << LRD__UNIT_BITS);
    for (uint64_t u = first + 1; u < first + units; u++)
        atomic_store_explicit(&store->run_len[u], 0, memory_order_relaxed);
    atomic_store_explicit(&store->run_len[first], (uint32_t)units, memory_order_relaxed);
}

bool lrd__run_found(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    lrd__assert_page_locked(store, offset);
    uint64_t first = offset >> LRD__UNIT_BITS, units = lrd__units(bytes);
    if (lrd__page_class(store, lrd__page_of(store, offset)) != LRD__CLASS_RUN)
        return true;
    for (uint64_t page = first / LRD__PAGE_UNITS; page * LRD__PAGE_UNITS < first + units; page++)
        if (store->bits[page].block[0].allocated & lrd__unit_mask(page, first, units))
            return false;
    lrd__run_mark(store, first, units);
    return true;
}

uint32_t lrd__owner_at(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return atomic_load_explicit(&store->owners[page], memory_order_acquire);
}

uint64_t lrd__block_bytes(const lrd_store *store, uint64_t offset)
{
    lrd__assert(lrd__page_owner(store, lrd__page_of(store, offset)) != 0);
    lrd__assert_offset(store, offset);
    uint32_t size_class = lrd__owner_class(lrd__owner_at(store, lrd__page_of(store, offset)));
    if (size_class == LRD__CLASS_RUN)
        return lrd__run_units(store, offset >> LRD__UNIT_BITS) << LRD__UNIT_BITS;
    return lrd__class_size(size_class);
}

LRD__HOT uint32_t lrd__page_used(const lrd__page *page)
{
    return atomic_load_explicit(&page->used, memory_order_relaxed);
}

LRD__HOT void lrd__page_count(_Atomic uint16_t *count, int change)
{
    atomic_store_explicit(count,
                          (uint16_t)(atomic_load_explicit(count, memory_order_relaxed) + change),
                          memory_order_relaxed);
}

void lrd__page_poison(lrd_store *store, uint32_t page, uint32_t size_class, uint32_t word,
                      uint64_t free)
{
    lrd__assert(page < store->geo.pages_all);
#ifdef LRD_POISON
    uint64_t parts = atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
    uint64_t end = lrd__page_start(store, page) + parts * LRD__PART;
    for (; free != 0; free &= free - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(free);
        uint64_t offset = lrd__block_offset(store, page, size_class, index);
        /* write only to committed memory; other writes would fault if the file system is full */
        if (offset + lrd__class_size(size_class) <= end)
            memset(store->window + offset, ARENA_POISON, lrd__class_size(size_class));
    }
#else
    (void)store, (void)page, (void)size_class, (void)word, (void)free;
#endif
}

/* Poison all free blocks of a page that enters a list. This is necessary because recovery frees
 * blocks without poisoning them. */
static void arena_poison_page(lrd_store *store, uint32_t page, uint32_t size_class)
{
    lrd__assert(page < store->geo.pages_all);
    uint32_t blocks = lrd__page_blocks(store, page, size_class);
    for (uint32_t i = 0; i * 64 < blocks; i++)
        lrd__page_poison(store, page, size_class, i,
                         ~store->bits[page].block[i].allocated & lrd__block_mask(blocks, i));
}

/* ---- page lists ---- */

LRD__HOT void lrd__page_push(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    lrd__page *p = store->pages + page;
    uint32_t *head = &store->shards[shard].avail[p->lane][size_class];
    if (p->avail)
        return;
    p->avail = 1;
    p->aprev = 0;
    p->anext = *head;
    if (*head != 0)
        store->pages[*head - 1].aprev = page + 1;
    *head = page + 1;
}

LRD__HOT void lrd__page_remove(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    lrd__page *p = store->pages + page;
    if (!p->avail)
        return;
    p->avail = 0;
    if (p->aprev != 0)
        store->pages[p->aprev - 1].anext = p->anext;
    else
        store->shards[shard].avail[p->lane][size_class] = p->anext;
    if (p->anext != 0)
        store->pages[p->anext - 1].aprev = p->aprev;
}

/* Lower the hint to this page, and raise the hint's version. The version must change even if the
 * hint is lower already: a thread that is about to raise the hint must notice the freed page. */
LRD__HOT void lrd__pages_hint_lower(lrd_store *store, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    _Atomic uint64_t *shared = &store->header->pages_hint;
    uint64_t hint = atomic_load_explicit(shared, memory_order_relaxed), lower;
    if (lrd__page_is_mini(store, page)) {
        /* pairs with the acquire load in lrd__mini_claim() */
        atomic_fetch_add_explicit(&store->header->minis_freed, 1, memory_order_release);
        return;
    }
    do {
        uint32_t lowest = (uint32_t)hint < page ? (uint32_t)hint : page;
        lower = ((hint >> 32) + 1) << 32 | lowest;
    } while (!atomic_compare_exchange_weak_explicit(shared, &hint, lower, memory_order_release,
                                                    memory_order_relaxed));
}

void lrd__pages_hints_reset(lrd_store *store)
{
    lrd__pages_hint_lower(store, 0);
    if (store->geo.pages_all > store->geo.pages)
        lrd__pages_hint_lower(store, (uint32_t)store->geo.pages);
}

/* Remove a page that leaves the shard from the list of pages with retired blocks. */
static void arena_wait_end(lrd_store *store, uint32_t shard, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    uint32_t *link = &store->shards[shard].waiting;
    if (!store->pages[page].waits)
        return;
    while (*link != 0 && *link != page + 1)
        link = &store->pages[*link - 1].waiting;
    *link = store->pages[page].waiting;
    store->pages[page].waits = 0;
}

/* Search the ARENA_BELOW pages below `page` for the shard's nearest run page. Returns its number +
 * 1, or 0. */
static LRD__HOT uint32_t arena_run_below(const lrd_store *store, uint32_t shard, uint32_t page)
{
    lrd__assert(page < store->geo.pages_all);
    lrd__assert(shard < store->geo.shards);
    uint32_t mine = lrd__owner_make(shard, LRD__CLASS_RUN), first = store->shards[shard].run_pages;
    for (uint32_t below = page; below > 0 && page - below < ARENA_BELOW; below--)
        if (lrd__owner_at(store, below - 1) == mine &&
            (store->pages[below - 1].prev != 0 || first == below)) /* the page is in the list */
            return below;
    return 0;
}

/* Small pages go to the front of their list. The list of run pages stays ordered by address. */
void lrd__page_link(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class)
{
    lrd__assert_locked(store, shard);
    lrd__assert(page < store->geo.pages_all);
    lrd__shard *s = store->shards + shard;
    lrd__page *p = store->pages + page;
    uint32_t *head = size_class == LRD__CLASS_RUN ? &s->run_pages : &s->small_pages;
    uint32_t before = 0, after = *head;
    if (size_class == LRD__CLASS_RUN) {
        before = arena_run_below(store, shard, page);
        after = before != 0 ? store->pages[before - 1].next : after;
        while (after != 0 && after - 1 < page) {
            before = after;
            after = store->pages[after - 1].next;
        }
    }
    arena_poison_page(store, page, size_class);
    if (atomic_load_explicit(&p->retired, memory_order_relaxed) != 0)
        lrd__page_wait(store, shard, page);
    p->prev = before;
    p->next = after;
    if (before != 0)
        store->pages[before - 1].next = page + 1;
    else
        *head = page + 1;
    if (after != 0)
        store->pages[after - 1].prev = page + 1;
    if (size_class == LRD__CLASS_RUN)
        lrd__gaps_lower(s, page);
    p->avail = 0;
    if (size_class != LRD__CLASS_RUN &&
        lrd__page_used(p) < lrd__page_blocks(store, page, size_class))
        lrd__page_push(store, shard, page, size_class);
    s->page_count++;
    lrd__add(&s->page_bytes, lrd__page_bytes(store, page));
    if (size_class != LRD__CLASS_RUN)
        s->class_bytes[size_class] += lrd__page_bytes(store, page);
}

LRD__HOT void lrd__page_free(lrd_store *store, uint32_t shard, uint32_t page)
{
    lrd__assert_locked(store, shard);
    lrd__assert(page < store->geo.pages_all);
    lrd__shard *s = store->shards + shard;
    lrd__page *p = store->pages + page;
    uint32_t size_class = lrd__page_class(store, page);
    arena_wait_end(store, shard, page);
    if (size_class != LRD__CLASS_RUN)
        lrd__page_remove(store, shard, page, size_class);
    else
        lrd__gaps_leave(s, p, page);
    if (p->prev != 0)
        store->pages[p->prev - 1].next = p->next;
    else if (size_class == LRD__CLASS_RUN)
        s->run_pages = p->next;
    else
        s->small_pages = p->next;
    if (p->next != 0)
        store->pages[p->next - 1].prev = p->prev;
    s->page_count--;
    lrd__add(&s->page_bytes, -lrd__page_bytes(store, page));
    if (size_class != LRD__CLASS_RUN)
        s->class_bytes[size_class] -= lrd__page_bytes(store, page);
    LRD__FAILPOINT("page_unlinked");
    /* pairs with the compare-and-swap by which another thread next claims the page */
    atomic_store_explicit(&store->owners[page], 0, memory_order_release);
    LRD__FAILPOINT("page_freed");
    lrd__pages_hint_lower(store, page);
    /* while the file system is full, begin the next search for free pages here: this page is
     * committed */
    if (!lrd__page_is_mini(store, page) && lrd__memory_short(store))
        atomic_store_explicit(&store->header->neighbours, page, memory_order_relaxed);
}

uint64_t lrd__shard_page(const lrd_store *store, uint32_t shard, uint64_t page)
{
    lrd__assert_locked(store, shard);
    lrd__assert(page <= store->geo.pages_all);
    uint64_t high = lrd__pages_high(store);
    for (; page < store->geo.pages_all; page++) {
        if (page >= high && page < store->geo.pages)
            /* no page from `high` on was ever claimed, so skip to the mini pages */
            page = store->geo.pages - 1;
        else if (lrd__owner_is(atomic_load_explicit(&store->owners[page], memory_order_relaxed),
                               shard))
            /* relaxed: no other thread claims or frees the shard's pages while this thread has the
             * lock */
            return page;
    }
    return store->geo.pages_all;
}

LRD__HOT int lrd__pages_describe(lrd_store *store, uint64_t end)
{
    _Atomic uint32_t *shared = &store->header->pages_high;
    uint32_t high = atomic_load_explicit(shared, memory_order_acquire);
    uint64_t wanted = LRD__ALIGN_UP(end, LRD__PAGES_CHUNK);
    wanted = wanted < store->geo.pages ? wanted : store->geo.pages;
    if (high >= wanted)
        return LRD_OK;
    int rc = lrd__segment_commit_pages(store, high, wanted);
    if (rc != LRD_OK)
        return rc;
    /* pairs with the acquire load in lrd__pages_high() */
    while (high < wanted &&
           !atomic_compare_exchange_weak_explicit(shared, &high, (uint32_t)wanted,
                                                  memory_order_release, memory_order_relaxed))
        continue;
    LRD__FAILPOINT("pages_described");
    return LRD_OK;
}

/* ---- held bits ---- */

LRD__HOT void lrd__arena_unmark_all(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    uint32_t heads[2] = {store->shards[shard].small_pages, store->shards[shard].run_pages};
    if (store->shards[shard].marked == 0)
        return;
    store->shards[shard].marked = 0;
    for (int list = 0; list < 2; list++)
        for (uint32_t link = heads[list]; link != 0; link = store->pages[link - 1].next)
            if (store->pages[link - 1].marked) {
                memset(store->bits[link - 1].held, 0, sizeof store->bits->held);
                store->pages[link - 1].marked = 0;
            }
}

LRD__HOT void lrd__arena_mark(lrd_store *store, uint32_t shard, uint64_t offset)
{
    lrd__assert_locked(store, shard);
    uint64_t page = lrd__page_of(store, offset);
    uint32_t owner = lrd__page_owner(store, page);
    if (!lrd__owner_is(owner, shard))
        return;
    store->shards[shard].marked = 1;
    if (lrd__owner_class(owner) != LRD__CLASS_RUN) {
        uint32_t index = arena_block(store, page, offset);
        store->bits[page].held[index / 64] |= 1ull << index % 64;
        store->pages[page].marked = 1;
        return;
    }
    /* A thread lists a run before it checks that the run exists, so perhaps no run begins at this
     * offset. Then lrd__run_units() returns 1, and one unit is marked. */
    uint64_t first = offset >> LRD__UNIT_BITS, units = lrd__run_units(store, first);
    for (; page * LRD__PAGE_UNITS < first + units && lrd__page_owner(store, page) == owner;
         page++) {
        store->bits[page].held[0] |= lrd__unit_mask(page, first, units);
        store->pages[page].marked = 1;
    }
}

bool lrd__arena_is_held(const lrd_store *store, uint64_t offset)
{
    lrd__assert_page_locked(store, offset);
    lrd__assert_offset(store, offset);
    uint64_t page = lrd__page_of(store, offset);
    uint32_t index = arena_block(store, page, offset);
    return store->bits[page].held[index / 64] >> index % 64 & 1;
}

uint64_t lrd__batch_most(const lrd_store *store)
{
    return store->geo.size / store->geo.shards / 16;
}

/* Each batch costs a scan of the ledgers. So lrd__batch_bytes() is doubled after a scan of at least
 * PAGE_SCAN_SHORT ledger entries, and doubled again from PAGE_SCAN_LONG entries on. */
#define PAGE_SCAN_SHORT 16384u
#define PAGE_SCAN_LONG 65536u

LRD__HOT uint64_t lrd__batch_bytes(const lrd_store *store)
{
    uint64_t scanned = atomic_load_explicit(&store->scanned, memory_order_relaxed);
    return lrd__batch_most(store) >> (scanned < PAGE_SCAN_SHORT  ? 2
                                      : scanned < PAGE_SCAN_LONG ? 1
                                                                 : 0);
}

uint64_t lrd__recover_allocate(lrd_store *store, uint32_t index, uint64_t word)
{
    lrd__assert_locked(store, index);
    uint64_t offset = lrd__word_offset(word), page = lrd__page_of(store, offset);
    if (page >= store->geo.pages_all)
        return 0;
    uint32_t owner = lrd__page_owner(store, page);
    uint32_t size_class = lrd__owner_class(owner);
    if (!lrd__owner_is(owner, index) || size_class > LRD__CLASS_RUN)
        return 0;
    uint32_t within = (uint32_t)(offset - lrd__page_start(store, page));
    if (size_class != LRD__CLASS_RUN) {
        uint32_t size = lrd__class_size(size_class), number = within / size;
        uint64_t bit = 1ull << number % 64, *bits = &store->bits[page].block[number / 64].allocated;
        if (within % size != 0 || within + size > lrd__page_bytes(store, page) || (*bits & bit))
            return 0;
        *bits |= bit;
        return size;
    }
    uint64_t first = offset >> LRD__UNIT_BITS;
    uint64_t units = atomic_load_explicit(&store->run_len[first], memory_order_relaxed);
    if (within % LRD__UNIT != 0 || units == 0 || units > store->geo.pages * LRD__PAGE_UNITS - first)
        return 0;
    for (uint64_t p = page; p * LRD__PAGE_UNITS < first + units; p++) {
        uint64_t mask = lrd__unit_mask(p, first, units);
        if (lrd__page_owner(store, p) != owner || (store->bits[p].block[0].allocated & mask) != 0)
            return 0;
        store->bits[p].block[0].allocated |= mask;
    }
    return units << LRD__UNIT_BITS;
}

uint64_t lrd__page_committed(const lrd_store *store, uint64_t page)
{
    return (uint64_t)atomic_load_explicit(&store->pages[page].committed, memory_order_relaxed)
           << LRD__PART_BITS;
}

bool lrd__block_fits(const lrd_store *store, uint32_t shard, uint64_t offset, uint64_t bytes)
{
    uint64_t page = lrd__page_of(store, offset);
    uint32_t owner = page < store->geo.pages_all ? lrd__page_owner(store, page) : 0;
    if (!lrd__owner_is(owner, shard))
        return false;
    uint32_t size_class = lrd__owner_class(owner);
    uint64_t within = offset - lrd__page_start(store, page);
    if (within % lrd__class_size(size_class) != 0)
        return false;
    if (size_class != LRD__CLASS_RUN)
        return bytes <= lrd__class_size(size_class) &&
               within + lrd__class_size(size_class) <= lrd__page_committed(store, page);
    if (bytes > store->geo.size - offset)
        return false;
    uint64_t end = offset + bytes;
    for (uint64_t p = page; lrd__page_start(store, p) < end; p++)
        if (lrd__page_owner(store, p) != owner ||
            (lrd__page_committed(store, p) != LRD__PAGE &&
             lrd__page_start(store, p) + lrd__page_committed(store, p) < end))
            return false;
    return true;
}
