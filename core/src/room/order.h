/* order.h - what order.c offers. */
#pragma once

#include "ground/private.h"

/* Largest number of warm entries that one search passes over. Each of them costs a cache miss or
 * two, so the search takes at most about 0.2 ms under the lock. If even this many entries are warm,
 * one victim is as good as another. */
#define LRD__ROOM_CHANCES 1024u

/* Evict an entry, and let the ghost remember its key. Call this if the entry comes from a small
 * queue, or if it is evicted because of its place in memory. */
void lrd__room_evict_early(lrd_store *store, uint32_t index, uint32_t slot);
/* Evict entries of one order until `bytes` bytes are retired. Skips an entry whose block is marked
 * as held, because evicting it would free nothing. The marks may be out of date. Also skips warm
 * entries. After LRD__ROOM_CHANCES warm entries, the next ones are probably warm, too, so stops as
 * soon as one entry is evicted. */
uint64_t lrd__room_evict_marked(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Evict entries of one order until `bytes` bytes are retired. First trusts the marks for held
 * blocks that the last scan has set. If all candidates are marked, scans the ledgers again to renew
 * the marks, and tries once more. */
uint64_t lrd__room_evict_batch(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Return the cost of keeping an order's next victim: `bytes` times the victim's age. The entry with
 * the highest cost is the best one to evict: it has occupied much memory for a long time without
 * being used. */
uint64_t lrd__room_cost(const lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Drop removed entries from the head of an order's queue. Returns the age of the order's next
 * victim, or 0 if there is none. */
uint64_t lrd__room_next_age(lrd_store *store, uint32_t index, uint32_t order);
/* Return the worst order in [first, end): the one whose next victim costs most to keep. Sets *cost
 * to this cost. Returns LRD__ORDERS if there is none. If the next victim is warm, passes over it,
 * lowers its use count, and compares the orders again. Passes over at most *chances entries, and
 * subtracts their number from *chances. */
uint32_t lrd__room_worst(lrd_store *store, uint32_t index, uint32_t first, uint32_t end,
                         uint32_t *chances, uint64_t *cost);
