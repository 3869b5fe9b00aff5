/* evict.h - what evict.c offers. */
#pragma once

#include "ground/place.h"

/* Put the slot of a new entry into a queue: into main if the ghost remembers `ghost_key` (32 bits
 * of the key's hash), otherwise into small. But if the slot is still queued because of an earlier
 * entry, it keeps its place. Adds the entry's bytes to the sum of the slot's queue. [locked] */
LRD__HOT void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot,
                                  uint32_t ghost_key, uint64_t bytes);
/* lrd__evict_resized(): the entry in this slot was replaced by an entry of another size.
 * lrd__evict_removed(): the entry is about to be removed; the slot stays queued until it reaches
 * the head. [locked] */
LRD__HOT void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot,
                                 uint64_t old_bytes, uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* Return the order to which blocks of this size belong. */
uint32_t lrd__order_of(uint64_t bytes);
/* Choose the next victim of an order by S3-FIFO and take its slot out of the queue. The caller
 * removes the entry, or puts the slot back if the entry is held. Passes over warm entries, and
 * subtracts 1 from *chances for each of them. When *chances is 0, even a warm entry is the victim.
 * Returns LRD__NO_SLOT if both queues are empty. *from_small tells whether the victim was in the
 * small queue. [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, uint32_t order, uint32_t *chances,
                           bool *from_small);
/* Return the index slot of an order's next victim: the head of one of the order's two queues, even
 * if its entry is warm. The slot stays queued. Returns LRD__NO_SLOT if the order is empty.
 * [locked] */
uint32_t lrd__evict_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the slot behind a queued slot, or LRD__NO_SLOT if there is none. The returned slot may
 * have an entry of another order, or no entry any more. [locked] */
uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot);
/* If the next victim of an order (see lrd__evict_next()) is warm, move it to the end of main, lower
 * its use count, and return true. Otherwise return false. [locked] */
bool lrd__evict_spares_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the age of an order's next victim: 1 + the number of entries that the shard got since the
 * victim was queued. Returns 0 if nothing is queued. [locked] */
uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard, uint32_t order);
/* Return the age of an order's oldest entry, which is at the head of the main queue or of the small
 * queue. Both are compared: in a new main queue even the first entry is young, while the small
 * queue may have old entries. [locked] */
uint32_t lrd__evict_oldest(const lrd_store *store, uint32_t shard, uint32_t order);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
/* Lower the use counts of some runs of the shard, when `pages` pages are taken for a window. If
 * these are a tenth of the shard's pages, for example, a tenth of the runs get lower counts.
 * Eviction by queues lowers counts by itself, but windows bypass the queues: without this function,
 * runs that were used long ago would stay, and new runs would be evicted. Other entries keep their
 * counts, because windows take few of them. [locked] */
void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* Record that an entry was moved from slot `from` to slot `to`. Slot `from` stays in its queue,
 * without an entry. If `to` is in no queue, puts it directly behind `from`. But if `to` is still in
 * the queue of an earlier entry, which was removed, `to` keeps its place there. [locked] */
void lrd__evict_moved(lrd_store *store, uint32_t shard, uint32_t from, uint32_t to);
/* lrd__evict_reset() begins a recovery: it empties all queues and ghosts. The caller then calls
 * lrd__evict_recover() for each bucket, from the last one to the first. lrd__evict_recover() puts
 * slots with an entry into main queues, and other slots into no queue. Bit n of `used` is set if
 * slot n of the bucket has an entry. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t bucket, uint32_t used);
/* Prefetch the key's place in the ghost, because its entry will be inserted next. [locked] */
LRD__HOT void lrd__evict_expect(const lrd_store *store, const lrd__place *place);
/* Return the key by which the ghost knows an entry. It is made of the tag and the home bucket, so
 * the block need not be read. */
LRD__HOT uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);
