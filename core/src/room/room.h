/* room.h - what room.c offers, and the terms that this folder uses:
 *
 * - order: a group of entries of similar size, with its own eviction queues (evict.c).
 * - next victim of an order: the entry that it would evict next.
 * - run: a large block (see arena_small_max()).
 * - row: a range of neighbouring units in run pages.
 * - window: a range of neighbouring pages, which may belong to several shards. */
#pragma once

#include "ground/private.h"

/* Allocate a block as lrd__arena_try() does, and make room as far as the policy allows. May release
 * the lock. If it cannot take the lock again, sets *locked to false. Fails with LRD_ENOROOM,
 * LRD_ENOSPC, LRD_ETRUNCATED, LRD_ENOMEM or LRD_EBUSY. */
LRD__HOT int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry, bool *locked);
