/* entry.h - what entry.c offers. */
#pragma once

#include "ground/place.h"

/* Remove dead entries (of older epochs), until `bytes` bytes are retired or a limited number of
 * buckets was searched. Returns the number of bytes retired. [locked] */
uint64_t lrd__room_sweep_dead(lrd_store *store, uint32_t shard, uint64_t bytes);
/* True if the shard may have more dead entries for lrd__room_sweep_dead(). [locked] */
bool lrd__room_sweeps(const lrd_store *store, uint32_t shard);
/* Remove expired entries, in at most `budget` steps of the wheel. Returns the number of bytes
 * retired. [locked] */
LRD__HOT uint64_t lrd__room_expire_now(lrd_store *store, uint32_t shard, uint32_t budget);
static inline uint64_t lrd__room_expire(lrd_store *store, uint32_t shard, uint32_t budget)
{
    /* lrd__room_expire_now() reads the clock, so call it only if the wheel has entries */
    return store->expires && store->shards[shard].wheel_count != 0
               ? lrd__room_expire_now(store, shard, budget)
               : 0;
}

/* Count the shard's live entries as dead if the store was cleared since the last write. Call this
 * immediately after you have locked the shard. */
LRD__HOT void lrd__entry_sync(lrd_store *store, uint32_t shard);
/* Publish the block at `offset`, which is allocated and not retired. lrd__entry_insert() needs an
 * empty slot. lrd__entry_replace() needs the slot that has the entry of the block's key. */
LRD__HOT void lrd__entry_insert(lrd_store *store, const lrd__place *place, uint32_t slot,
                                uint64_t offset);
LRD__HOT void lrd__entry_replace(lrd_store *store, const lrd__place *place, uint32_t slot,
                                 uint64_t offset);
/* Unlink the entry in the slot and retire its block. */
void lrd__entry_remove(lrd_store *store, uint32_t shard, uint32_t slot);
/* Change the expiry of the entry in the slot. */
void lrd__entry_touch(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t expiry);
/* True if the entry is dead: lrd_clear() has removed it. Dead entries do not count as deleted,
 * expired or evicted. [locked, after lrd__entry_sync] */
bool lrd__entry_is_dead(const lrd_store *store, uint32_t shard, uint32_t slot);
/* Return the index slot whose word names the block at this offset, or LRD__NO_SLOT. [locked] */
uint32_t lrd__entry_of_block(const lrd_store *store, uint32_t shard, uint64_t offset);
uint64_t lrd__shard_retired(const lrd_store *store, uint32_t shard);
