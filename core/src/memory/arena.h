/* arena.h - what arena.c offers. */
#pragma once

#include "memory/claim.h"

/* Find room for bytes in this shard, using only free pages. A found block is listed in self's
 * ledger (*entry), then allocated and retired. With entry NULL it is only allocated: the caller
 * must publish or retire it before it releases the lock. LRD_ENOROOM. [locked] */
LRD__HOT int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry);
/* Find room of `bytes` to `most` bytes, in a block of a larger class, or in a run. [locked] */
int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry);
/* Clear / set the retired bit of an allocated block and the counts that go with it. [locked] */
LRD__HOT void lrd__arena_revive(lrd_store *store, uint32_t shard, uint64_t offset);
LRD__HOT void lrd__arena_retire(lrd_store *store, uint32_t shard, uint64_t offset);
/* Free every retired block of the shard that no ledger lists; pages that become empty are free
 * for any shard, or stay with the shard for a run (keep). Returns bytes freed. [locked] */
LRD__HOT uint64_t lrd__arena_reclaim(lrd_store *store, uint32_t shard, bool keep);
/* Give back the pages of the shard that are wholly free: pages that were claimed in chunks and not
 * used. [locked] */
uint32_t lrd__arena_trim(lrd_store *store, uint32_t shard);
