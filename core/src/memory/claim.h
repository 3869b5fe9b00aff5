/* claim.h - what claim.c offers. */
#pragma once

#include "memory/page.h"

/* Return the number of parts of a page that have memory. */
static inline uint32_t lrd__parts_committed(const lrd_store *store, uint64_t page)
{
    lrd__assert(page < store->geo.pages_all);
    return atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
}

/* Give the memory of a free page back to the file system. Claims the page meanwhile, because
 * another thread may be about to claim it. Returns false if it is not free, or is collected.
 * [locked: shard is any whose lock is held] */
bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page);
/* True if another writer, which lives, collects the page with this mark. self may be NULL. */
bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark);
/* Commit the file system's pages behind a block. LRD_ENOSPC, LRD_ETRUNCATED. [locked, or the block
 * is being built] */
int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Commit the whole zone if the file system may be too small for the segment, because no holder
 * can be asked to release other memory later. LRD_ENOSPC: it is full, and the zone is committed
 * part by part. */
int lrd__zone_reserve(lrd_store *store);
/* Claim free pages [first, first + count) for this shard. LRD_ENOROOM: one is taken; LRD_ENOSPC. */
int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                     uint32_t count, uint32_t size_class);
/* Claim this page. Returns false if it is not free, or collected by another thread. [locked] */
bool lrd__claim_one(lrd_store *store, const lrd__thread *self, uint32_t shard, uint32_t page,
                    uint32_t size_class);
/* Claim the lowest free pages, whose memory is probably in caches: `count` neighbours, or up to
 * `most` if they are free, too. */
int lrd__claim_lowest(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                      uint32_t most, uint32_t size_class, uint64_t *first);
/* Return where a search for neighbouring free pages ends. A store that evicts can also take
 * pages from other shards, so it does not search all of a large store for every value. */
uint64_t lrd__claim_search_end(const lrd_store *store, uint64_t from, uint64_t count,
                               uint32_t parts);
/* Return the committed parts of any page, even one without a description. */
uint32_t lrd__parts_of(const lrd_store *store, uint64_t page);
/* Return the parts that a page must have for a class while the file system is full. */
uint32_t lrd__parts_wanted(const lrd_store *store, uint32_t size_class);
/* Commit more of a page of small blocks, from its beginning: twice as much each time, because a
 * page of a cold store may stay almost empty. Mini pages are committed together. [locked] */
__attribute__((noinline)) int lrd__commit_parts(lrd_store *store, uint32_t page, uint64_t bytes);
/* Commit memory. *bare receives the address from which on the committed memory was never
 * touched, or its end. */
int lrd__commit_run(lrd_store *store, uint64_t offset, uint64_t bytes, uint64_t *bare);
