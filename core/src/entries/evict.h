/* evict.h - what evict.c offers. */
#pragma once

#include "ground/place.h"

/* Put the slot of a new entry into main if the ghost remembers `ghost_key`, otherwise into small. A
 * queued slot keeps its place. [locked] */
LRD__HOT void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot,
                                  uint32_t ghost_key, uint64_t bytes);
/* Call lrd__evict_resized() after an entry was replaced by one of another size, and
 * lrd__evict_removed() before an entry is removed. The slot stays queued. [locked] */
LRD__HOT void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot,
                                 uint64_t old_bytes, uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* Return the order (see evict.c) of blocks of this size. */
uint32_t lrd__order_of(uint64_t bytes);
/* Choose the next victim of an order, and take its slot out of its queue. The caller must remove
 * the entry, or put the slot back. Each warm entry that is passed over costs one of *chances.
 * *from_small is set to true if the victim was in the queue `small`, and to false if it was in
 * `main`. Returns LRD__NO_SLOT if both queues are empty. [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, uint32_t order, uint32_t *chances,
                           bool *from_small);
/* Return the slot of an order's next candidate, or LRD__NO_SLOT. The slot stays queued, and its
 * entry may be warm. [locked] */
uint32_t lrd__evict_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the slot behind a queued slot, or LRD__NO_SLOT. The returned slot may be empty, or have an
 * entry of another order. [locked] */
uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot);
/* If the next victim of `order` is warm, move it to the end of main, lower its use count, and
 * return true. [locked] */
bool lrd__evict_spares_next(lrd_store *store, uint32_t shard, uint32_t order);
/* Return the use count of an entry, or 0 if the eviction would not spare the entry. [locked] */
uint32_t lrd__evict_heat(const lrd_store *store, uint32_t shard, uint32_t slot);
/* Return the age of an order's main queue, or of its small queue if main is empty. The age of a
 * queue is 1 + an estimate of the number of entries inserted into the shard since the queue's first
 * entry was queued. It falls when entries are evicted, whichever way they went. Returns 0 if
 * nothing is queued. [locked] */
uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard, uint32_t order);
/* Return the age of the older one of an order's two queues. The age of main alone is not enough: in
 * a new main queue all entries are young, even if small is old. [locked] */
uint32_t lrd__evict_oldest(const lrd_store *store, uint32_t shard, uint32_t order);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
/* Lower the use counts of some runs. Call this when `pages` pages are taken for a window
 * (windows.c). Evictions through the queues lower use counts, but a window bypasses the queues.
 * [locked] */
void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* Record that an entry was moved from slot `from` to slot `to`. Slot `from` stays queued. If `to`
 * is not queued yet, put it directly behind `from`. [locked] */
void lrd__evict_moved(lrd_store *store, uint32_t shard, uint32_t from, uint32_t to);
/* Rebuild the queues in a recovery: empty the queues and the ghost, then put each bucket's slots
 * into main, from the last bucket to the first. Bit n of `used` is set if slot n of the bucket has
 * an entry. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t bucket, uint32_t used);
/* Prefetch the key's place in the ghost (the record of evicted keys). Call this before the key's
 * entry is inserted. [locked] */
LRD__HOT void lrd__evict_expect(const lrd_store *store, const lrd__place *place);
/* Return the number that stands for an entry's key in the ghost. Does not read the block. */
LRD__HOT uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);
