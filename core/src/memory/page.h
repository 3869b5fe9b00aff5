/* page.h - what page.c offers. */
#pragma once

#include "ground/map.h"

/* Prefetch the description and the bitmaps of a page for writing. */
static inline void lrd__prefetch_page(const lrd_store *store, uint64_t page)
{
    lrd__prefetch_write(store->pages + page);
    lrd__prefetch_write(store->bits + page);
}

/* Return the size class for blocks of `bytes` bytes: LRD__CLASS_RUN above LRD__SMALL_MAX. */
uint32_t lrd__class_of(uint64_t bytes);
/* Return the size in bytes of the blocks of a class, or LRD__UNIT for LRD__CLASS_RUN. */
uint32_t lrd__class_size(uint32_t size_class);
static inline uint32_t lrd__owner_make(uint32_t shard, uint32_t size_class)
{
    return LRD__OWNED | shard << 8 | size_class;
}
static inline uint32_t lrd__owner_shard(uint32_t owner) { return owner >> 8 & 0x7fffff; }
static inline bool lrd__owner_is(uint32_t owner, uint32_t shard)
{
    return owner != 0 && lrd__owner_shard(owner) == shard;
}
static inline uint32_t lrd__owner_class(uint32_t owner) { return owner & 0xff; }
/* Return the class of a page. [locked] */
static inline uint32_t lrd__page_class(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return lrd__owner_class(atomic_load_explicit(&store->owners[page], memory_order_relaxed));
}
/* True if this is a mini page. Mini pages have higher numbers than the pages of 64 KiB. */
static inline bool lrd__page_is_mini(const lrd_store *store, uint64_t page)
{
    return page >= store->geo.pages;
}
static inline uint64_t lrd__page_of(const lrd_store *store, uint64_t offset)
{
    return offset < store->geo.size
               ? offset >> LRD__PAGE_BITS
               : store->geo.pages + ((offset - store->geo.size) >> LRD__PART_BITS);
}
static inline uint64_t lrd__page_start(const lrd_store *store, uint64_t page)
{
    return !lrd__page_is_mini(store, page)
               ? page << LRD__PAGE_BITS
               : store->geo.size + ((page - store->geo.pages) << LRD__PART_BITS);
}
static inline uint64_t lrd__page_bytes(const lrd_store *store, uint64_t page)
{
    return lrd__page_is_mini(store, page) ? LRD__PART : LRD__PAGE;
}
/* Return pages_high: no page of 64 KiB from this number on was ever claimed. */
static inline uint64_t lrd__pages_high(const lrd_store *store)
{
    return atomic_load_explicit(&store->header->pages_high, memory_order_acquire);
}
/* Return the owner word of a page, or 0 if the page was never claimed. If the page is known to
 * contain a block, call the cheaper lrd__owner_at() instead. */
static inline uint32_t lrd__page_owner(const lrd_store *store, uint64_t page)
{
    return lrd__page_is_mini(store, page) || page < lrd__pages_high(store)
               ? atomic_load_explicit(&store->owners[page], memory_order_acquire)
               : 0;
}
/* Assert that a block or a unit can begin at this offset. */
#define lrd__assert_offset(store, offset)                                                          \
    lrd__assert(((offset) & ((1u << LRD__GRANULE_BITS) - 1)) == 0 &&                               \
                lrd__page_of(store, offset) < (store)->geo.pages_all)
/* Assert that this thread has locked the shard that owns the page at this offset. */
#define lrd__assert_page_locked(store, offset)                                                     \
    lrd__assert_locked(store, lrd__owner_shard(lrd__page_owner(store, lrd__page_of(store, offset))))
/* Return the shard's first page from `page` on, or geo.pages_all if there is none. [locked] */
uint64_t lrd__shard_page(const lrd_store *store, uint32_t shard, uint64_t page);
/* Commit memory for the descriptions of all pages below `end`. Fails with LRD_ENOSPC or
 * LRD_ETRUNCATED. */
int lrd__pages_describe(lrd_store *store, uint64_t end);
/* True if header->pages_high has a value that is possible in an intact store. */
static inline bool lrd__pages_sound(const lrd__header *header, const lrd__geometry *geo)
{
    uint32_t high = atomic_load_explicit(&header->pages_high, memory_order_relaxed);
    return high == geo->pages || (high < geo->pages && high % LRD__PAGES_CHUNK == 0);
}
/* Return the size in bytes of the block or run at `offset`. Its page must keep its owner during the
 * call. [locked, or the block is held] */
LRD__HOT uint64_t lrd__block_bytes(const lrd_store *store, uint64_t offset);
/* Return the number of units that a block of `bytes` bytes needs as a run. */
static inline uint64_t lrd__units(uint64_t bytes)
{
    return (bytes + LRD__UNIT - 1) >> LRD__UNIT_BITS;
}
/* Return the length in units of the run that begins at this unit, or 1 if none begins there. */
uint64_t lrd__run_units(const lrd_store *store, uint64_t unit);
/* Return a mask for the page's bitmap word. It has a bit for each of the units [first, first +
 * count) that is in this page. */
static inline uint64_t lrd__unit_mask(uint64_t page, uint64_t first, uint64_t count)
{
    uint64_t start = page * LRD__PAGE_UNITS;
    uint64_t low = first > start ? first - start : 0;
    uint64_t high = first + count - start;
    uint64_t mask = high >= LRD__PAGE_UNITS ? UINT64_MAX : (1ull << high) - 1;
    return mask & (UINT64_MAX << low);
}
/* Return a mask of the bits of word number `word` that stand for blocks, in a page of `blocks`
 * blocks. The word must have at least one such bit. */
static inline uint64_t lrd__block_mask(uint32_t blocks, uint32_t word)
{
    return blocks - word * 64 >= 64 ? UINT64_MAX : (1ull << (blocks - word * 64)) - 1;
}
/* Return a mask of those units of a run page that are not committed. */
static inline uint64_t lrd__bare_units(const lrd_store *store, uint64_t page)
{
    uint64_t parts = atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
    return parts < LRD__PAGE_PARTS ? UINT64_MAX << (parts << (LRD__PART_BITS - LRD__UNIT_BITS)) : 0;
}
/* Return the offset of the run that contains the allocated unit at `offset`. [locked] */
uint64_t lrd__run_start(const lrd_store *store, uint64_t offset);
/* Record the length of a run. [locked] */
void lrd__run_mark(lrd_store *store, uint64_t first, uint64_t units);
/* Record the length of a block that was found in run pages of an untrusted segment. Returns false
 * if some of the block's units belong to another block. [locked] */
bool lrd__run_found(lrd_store *store, uint64_t offset, uint64_t bytes);
/* lrd__arena_mark() sets the held bits of a listed block. lrd__arena_unmark_all() clears all held
 * bits of the shard. [locked] */
void lrd__arena_mark(lrd_store *store, uint32_t shard, uint64_t offset);
void lrd__arena_unmark_all(lrd_store *store, uint32_t shard);
bool lrd__arena_is_held(const lrd_store *store, uint64_t offset);
/* lrd__page_link() adds a page to the shard's list of small pages or of run pages. lrd__page_free()
 * removes the page from its list, and makes the page free. [locked] */
LRD__HOT void lrd__page_link(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class);
void lrd__page_free(lrd_store *store, uint32_t shard, uint32_t page);
/* Return the number of blocks in a page of this class, or of units in a run page. */
uint32_t lrd__page_blocks(const lrd_store *store, uint64_t page, uint32_t size_class);
/* Record that a page is free, so that the next search begins at this page or a lower one. */
void lrd__pages_hint_lower(lrd_store *store, uint32_t page);
/* Let the next search for a free page look at all pages and mini pages. */
void lrd__pages_hints_reset(lrd_store *store);
/* Return the mark that this thread puts on the pages that it collects (lrd__page.drain). */
static inline uint64_t lrd__drain_mark(const lrd__thread *self)
{
    return (uint64_t)(self->slot_index + 1) << 32 | (uint32_t)self->incarnation;
}
uint64_t lrd__block_offset(const lrd_store *store, uint32_t page, uint32_t size_class,
                           uint32_t index);
/* Return how many bytes are reclaimed or evicted at a time: usually 1/64 of a shard's share of the
 * data, more if scans are long. */
uint64_t lrd__batch_bytes(const lrd_store *store);
/* Return the upper limit of lrd__batch_bytes(): 1/16 of a shard's share of the data. */
uint64_t lrd__batch_most(const lrd_store *store);
/* Set the allocated bits of the block to which an index word refers. Returns its size in bytes, or
 * 0 if no block can be there. [locked] */
uint64_t lrd__recover_allocate(lrd_store *store, uint32_t shard, uint64_t word);
/* True if a block of `bytes` bytes can lie at this offset. Otherwise, the caller must not read a
 * block there. */
bool lrd__block_fits(const lrd_store *store, uint32_t shard, uint64_t offset, uint64_t bytes);
extern const uint16_t lrd__class_sizes[LRD__CLASSES + 1] __attribute__((visibility("hidden")));
uint32_t lrd__owner_at(const lrd_store *store, uint64_t page);
uint32_t lrd__page_used(const lrd__page *page);
void lrd__page_count(_Atomic uint16_t *count, int change);
/* With LRD_POISON: overwrite the free blocks of one bitmap word, so that a wrong read finds no old
 * bytes. */
void lrd__page_poison(lrd_store *store, uint32_t page, uint32_t size_class, uint32_t word,
                      uint64_t free);
void lrd__page_push(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class);
void lrd__page_remove(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class);

/* Put a page into the shard's list of pages with retired blocks. lrd__arena_reclaim() visits the
 * pages of this list. */
static inline void lrd__page_wait(lrd_store *store, uint32_t shard, uint64_t page)
{
    lrd__page *p = store->pages + page;
    if (p->waits)
        return;
    p->waiting = store->shards[shard].waiting;
    p->waits = 1;
    store->shards[shard].waiting = (uint32_t)page + 1;
}
/* Return the number of committed bytes at the beginning of a page. */
uint64_t lrd__page_committed(const lrd_store *store, uint64_t page);
