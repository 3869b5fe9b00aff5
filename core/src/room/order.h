/* order.h - what order.c offers. */
#pragma once

#include "ground/private.h"

/* maximum number of warm entries that a search passes over (about 0.2 ms under the lock) */
#define LRD__ROOM_CHANCES 1024u

/* Evict an entry, and remember its key as a ghost. Call this for an entry of a small queue, or for
 * any entry whose page, row or slot is needed. */
void lrd__room_evict_early(lrd_store *store, uint32_t index, uint32_t slot);
/* Evict cold entries of one order, until `bytes` bytes are retired. Skips entries that the last
 * scan has marked as held. Returns the number of bytes retired. If the search passes over
 * LRD__ROOM_CHANCES warm entries, it ends as soon as it has evicted one entry. */
uint64_t lrd__room_evict_marked(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Call lrd__room_evict_marked(). If this evicts nothing, scan the ledgers to renew the held bits,
 * and call lrd__room_evict_marked() once more. */
uint64_t lrd__room_evict_batch(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Return the cost of keeping an order's next victim: `bytes` times the victim's age. */
uint64_t lrd__room_cost(const lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes);
/* Drop the slots of removed entries from the heads of the order's queues. Then return the age of
 * the order's next victim, or 0 if there is none. */
uint64_t lrd__room_next_age(lrd_store *store, uint32_t index, uint32_t order);
/* Return the order in [first, end) whose next victim costs most to keep (*cost), or LRD__ORDERS if
 * there is none. Passes over warm victims and lowers their use counts, at most *chances times. */
uint32_t lrd__room_worst(lrd_store *store, uint32_t index, uint32_t first, uint32_t end,
                         uint32_t *chances, uint64_t *cost);
