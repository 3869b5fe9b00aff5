/* evict.h - what evict.c offers. */
#pragma once

#include "ground/place.h"

/* Queue the entry that was inserted in this slot (in main if the ghost remembers it), unless the
 * slot still is in a queue. Adds its bytes. ghost_key: 32 bits of its hash. [locked] */
LRD__HOT void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot,
                                  uint32_t ghost_key, uint64_t bytes);
/* Note that the entry in this slot was replaced by one of another size / is about to be removed. A
 * removed one stays queued, as a hint that is dropped when its turn comes. [locked] */
LRD__HOT void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot,
                                 uint64_t old_bytes, uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* Return the order of blocks of this size. */
uint32_t lrd__order_of(uint64_t bytes);
/* Choose the next victim of an order by S3-FIFO and take it out of its queue; the caller removes
 * the entry, or puts it back if it is held. LRD__NO_SLOT when both queues are empty. *from_small:
 * it was in the small one. [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, uint32_t order, bool *from_small);
/* Return the entry of an order whose turn is next, warm or not; it stays queued. LRD__NO_SLOT: the
 * order is empty. [locked] */
uint32_t lrd__evict_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the slot behind a queued one; its entry may be of another order, or removed. LRD__NO_SLOT:
 * it is the last. [locked] */
uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot);
/* Take one chance of that entry, if it is warm. Returns true if it was. [locked] */
bool lrd__evict_spares_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the number of entries that the shard got since the order's next victim was queued, plus
 * one; 0: none is queued. [locked] */
uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard, uint32_t order);
/* Return the age of the older of an order's two heads: a main queue that has just begun is young
 * and tells nothing about the small queue. [locked] */
uint32_t lrd__evict_oldest(const lrd_store *store, uint32_t shard, uint32_t order);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
/* Lower the frequencies of a part of the shard's entries after `pages` pages were taken, as
 * large a part as the pages are of the shard's share. A full turn of the queues would have the
 * same effect, but taking pages bypasses the queues: without this, entries used long ago would
 * stay, and new ones would go. [locked] */
void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* Note that the entry of one slot was copied to another: it keeps its place in its queue. The first
 * slot stays queued, like one whose entry was removed. [locked] */
void lrd__evict_moved(lrd_store *store, uint32_t shard, uint32_t from, uint32_t to);
/* Forget all queues and ghosts in a recovery. Then lrd__evict_recover() is called for each
 * bucket, the last one first: the slots in `used` (a bit each) are queued in main, the others in
 * no queue. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t bucket, uint32_t used);
/* Prefetch the key's place in the ghost, because its entry is about to be inserted. [locked] */
LRD__HOT void lrd__evict_expect(const lrd_store *store, const lrd__place *place);
/* Return the ghost's key of an entry: tag and home bucket, which are known without the block. */
LRD__HOT uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);
