/* arena.h - what arena.c offers. */
#pragma once

#include "memory/claim.h"

/* Allocate a block for `bytes` bytes in this shard, without evicting. Lists the block in the ledger
 * (*entry) and marks it as retired. If `entry` is NULL, does neither: the caller must publish or
 * retire the block before it unlocks. Returns LRD_OK, LRD_ENOROOM, or an error from committing
 * memory or from lrd__ledger_reserve(). [locked] */
LRD__HOT int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry);
/* Allocate a block that is larger than necessary for `bytes` bytes, but has at most `most` bytes.
 * If no page has room for such a block, and `most` exceeds the largest small block, allocate a run.
 * [locked] */
int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry);
/* Clear (revive) or set (retire) the retired bit of an allocated block, and adjust the counts.
 * [locked] */
LRD__HOT void lrd__arena_revive(lrd_store *store, uint32_t shard, uint64_t offset);
LRD__HOT void lrd__arena_retire(lrd_store *store, uint32_t shard, uint64_t offset);
/* Free every retired block of the shard that no ledger lists, and give back empty pages. If `keep`
 * is true, keeps empty run pages. Returns the number of bytes freed. [locked] */
LRD__HOT uint64_t lrd__arena_reclaim(lrd_store *store, uint32_t shard, bool keep);
/* Give back the shard's run pages that are empty. [locked] */
void lrd__arena_trim(lrd_store *store, uint32_t shard);
