/* claim.h - what claim.c offers. */
#pragma once

#include "memory/page.h"

/* Return the number of committed parts of a page. */
static inline uint32_t lrd__parts_committed(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
}

/* Claim a free page, give its memory back to the file system, and end the claim. Returns false
 * if the page has an owner or the mark of a living collector (claim.c), or if the memory could not
 * be given back. `shard` may be any shard. [locked] */
bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page);
/* Return true if the writer that put this mark on a page is alive, and is not `self`. `self` may be
 * NULL. */
bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark);
/* Commit the memory of a block. Fails with LRD_ENOSPC or LRD_ETRUNCATED. [locked, or the block is
 * being built] */
int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Commit the whole zone. Call this if the file system may be too small for the segment, before
 * other pages use up its space. After LRD_ENOSPC, the rest of the zone is committed later, a few
 * pages at a time. */
int lrd__zone_reserve(lrd_store *store);
/* Claim the free pages [first, first + count). Fails with LRD_ENOROOM if one of them is taken, or
 * with LRD_ENOSPC. */
int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                     uint32_t count, uint32_t size_class);
/* Claim one page for a shard. Returns false if the page has an owner, or if another thread is
 * collecting it. [locked] */
bool lrd__claim_one(lrd_store *store, const lrd__thread *self, uint32_t shard, uint32_t page,
                    uint32_t size_class);
/* Claim neighbouring free pages: at least `count`, and up to `most`. Prefers low pages, which are
 * probably in caches. */
int lrd__claim_lowest(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                      uint32_t most, uint32_t size_class, uint64_t *first);
/* Return the page before which a search for neighbouring free pages must end. A store that evicts
 * limits the search, because it can take pages from other shards instead. */
uint64_t lrd__claim_search_end(const lrd_store *store, uint64_t from, uint64_t count,
                               uint32_t parts);
/* Return the number of committed parts of a page. The number is 0 if the page has no description
 * yet. */
uint32_t lrd__parts_of(const lrd_store *store, uint64_t page);
/* Return how many committed parts a page must have before it is claimed for this size class.
 * Usually returns 0, because missing parts can be committed later. If the file system is full,
 * returns the number of parts of one block, or, for runs, of a whole page. */
uint32_t lrd__parts_wanted(const lrd_store *store, uint32_t size_class);
/* Commit more parts of a page of small blocks. Each call usually only doubles the number of
 * committed parts, because the page may stay almost empty. If the page is a mini page, commits
 * several mini pages together. [locked] */
__attribute__((noinline)) int lrd__commit_parts(lrd_store *store, uint32_t page, uint64_t bytes);
/* Commit the parts of a run that are not committed yet. If this commits something, sets *bare to
 * the offset of the last range that it commits. No thread has touched this memory yet. */
int lrd__commit_run(lrd_store *store, uint64_t offset, uint64_t bytes, uint64_t *bare);
