/* evict.h - what evict.c offers. */
#pragma once

#include "ground/place.h"

/* Put the slot of a new entry into main if the ghost remembers `ghost_key`, otherwise into small. A
 * slot that is still queued for an earlier entry keeps its place. [locked] */
LRD__HOT void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot,
                                  uint32_t ghost_key, uint64_t bytes);
/* Call lrd__evict_resized() after the slot's entry was replaced by an entry of another size. Call
 * lrd__evict_removed() before an entry is removed. In both cases the slot stays queued. [locked] */
LRD__HOT void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot,
                                 uint64_t old_bytes, uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* Return the order (see evict.c) to which blocks of this size belong. */
uint32_t lrd__order_of(uint64_t bytes);
/* Choose the next victim of an order by S3-FIFO, and take its slot out of the queue. The caller
 * must remove the entry, or put the slot back. Each warm entry that is passed over costs one of
 * *chances. When *chances is 0, the next entry is the victim even if it is warm. *from_small tells
 * whether the victim was in the small queue. Returns LRD__NO_SLOT if both queues are empty.
 * [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, uint32_t order, uint32_t *chances,
                           bool *from_small);
/* Return the slot of an order's next victim, even if its entry is warm. The slot stays queued.
 * Returns LRD__NO_SLOT if the order is empty. [locked] */
uint32_t lrd__evict_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the next slot in the queue after a queued slot, or LRD__NO_SLOT. The returned slot may
 * have no entry, or an entry of another order. [locked] */
uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot);
/* If the next victim of `order` is warm, move it to the end of main, lower its use count, and
 * return true. [locked] */
bool lrd__evict_spares_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the estimated age of the head of an order's main queue, or of its small queue if main is
 * empty. The age is 1 + the number of entries that the shard got since the head was queued. It is 0
 * if nothing is queued. [locked] */
uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard, uint32_t order);
/* Return the greater of the ages of the heads of both queues of `order`. The head of main alone is
 * not enough, because a new main queue has only young entries. [locked] */
uint32_t lrd__evict_oldest(const lrd_store *store, uint32_t shard, uint32_t order);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
/* Lower the use counts of some runs of the shard. Call this when `pages` pages are taken for a
 * window (windows.c). Eviction from the queues lowers use counts by itself, but taking a window
 * bypasses the queues. Without this function, a run that was used long ago would always count as
 * used. [locked] */
void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* Record that an entry was moved from slot `from` to slot `to`. Slot `from` stays in its queue,
 * without an entry. Slot `to` goes directly behind `from`. But if `to` is still queued for an
 * earlier entry, `to` keeps its place. [locked] */
void lrd__evict_moved(lrd_store *store, uint32_t shard, uint32_t from, uint32_t to);
/* Rebuild the queues in a recovery. lrd__evict_reset() empties the shard's queues and its ghost.
 * After that, call lrd__evict_recover() for each bucket, from the last one to the first: it puts
 * the slots of the bucket's entries into main queues. Bit n of `used` is set if slot n of the
 * bucket has an entry. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t bucket, uint32_t used);
/* Prefetch the key's place in the ghost, because its entry will be inserted next. [locked] */
LRD__HOT void lrd__evict_expect(const lrd_store *store, const lrd__place *place);
/* Return the number that stands for an entry's key in the ghost. It is computed from the entry's
 * tag and home bucket, so that the block need not be read. */
LRD__HOT uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);
