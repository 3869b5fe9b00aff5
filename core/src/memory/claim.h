/* claim.h - what claim.c offers. */
#pragma once

#include "memory/page.h"

/* Return the number of committed parts of a page. */
static inline uint32_t lrd__parts_committed(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
}

/* Claim a free page, give its memory back to the file system, and end the claim. Returns false if
 * one of these steps failed. `shard` may be any shard. [locked] */
bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page);
/* True if the writer that put this mark on a page is alive, and is not `self` (may be NULL). */
bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark);
/* Commit the memory of a block. Fails with LRD_ENOSPC or LRD_ETRUNCATED. [locked, or the block is
 * being built] */
int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Commit the whole zone, before other pages use up a small file system. After LRD_ENOSPC, writers
 * commit the rest later. */
int lrd__zone_reserve(lrd_store *store);
/* Claim the free pages [first, first + count). Fails with LRD_ENOROOM if one is taken, or with
 * LRD_ENOSPC. */
int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                     uint32_t count, uint32_t size_class);
/* Claim one page for a shard. Returns false if the page has an owner or another living collector.
 * [locked] */
bool lrd__claim_one(lrd_store *store, const lrd__thread *self, uint32_t shard, uint32_t page,
                    uint32_t size_class);
/* Claim between `count` and `most` neighbouring free pages. Prefers low pages, which are probably
 * in caches. */
int lrd__claim_lowest(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                      uint32_t most, uint32_t size_class, uint64_t *first);
/* Return the page before which a search for free pages must end. If the store evicts, the search
 * may be short, because pages of other shards can be taken instead. */
uint64_t lrd__claim_search_end(const lrd_store *store, uint64_t from, uint64_t count,
                               uint32_t parts);
/* Return the number of committed parts of a page, or 0 if the page has no description yet. */
uint32_t lrd__parts_of(const lrd_store *store, uint64_t page);
/* Return the number of committed parts that a page needs before it is claimed for this size class.
 * Returns 0 while the file system has room, because missing parts can then be committed later. */
uint32_t lrd__parts_wanted(const lrd_store *store, uint32_t size_class);
/* Commit more parts of a page of small blocks, usually doubling them. Commits several mini pages
 * together. [locked] */
__attribute__((noinline)) int lrd__commit_parts(lrd_store *store, uint32_t page, uint64_t bytes);
/* Commit the missing parts of a run. *bare receives the offset of the last range that was
 * committed. No thread has touched this range yet. */
int lrd__commit_run(lrd_store *store, uint64_t offset, uint64_t bytes, uint64_t *bare);
