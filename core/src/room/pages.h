/* pages.h - what pages.c offers. */
#pragma once

#include "ground/private.h"

/* cost of emptying a page: LRD__ROOM_ENTRY for each entry, ROOM_HEAT for each use, 1 for each KiB
 */
#define LRD__ROOM_ENTRY 8u
#define LRD__ROOM_RATE_BITS 20u

/* Evict all entries of a page, and reclaim their blocks. Returns true if the page is free
 * afterwards. */
bool lrd__room_empty_page(lrd_store *store, uint32_t shard, uint32_t page);
/* Return lrd__evict_heat() of the live entry that has this block, or 0 if none has it. */
uint32_t lrd__room_block_heat(const lrd_store *store, uint32_t shard, uint64_t offset);
/* Guess the cost of emptying a page, without the lock of the page's shard. Assumes that none of the
 * page's entries was used. */
uint64_t lrd__room_page_least_cost(const lrd_store *store, uint32_t page);
/* Return the cost of emptying a page, estimated from some of its entries. Stops counting uses when
 * the cost has reached `most`. [locked] */
uint64_t lrd__room_page_cost(const lrd_store *store, uint32_t shard, uint32_t page, uint64_t most);
/* Return the age that lrd__room_rate() needs for pages of this class. For run pages this is the
 * oldest age of all orders of runs, because one page may have runs of several orders. [locked] */
uint64_t lrd__room_page_age(const lrd_store *store, uint32_t shard, uint32_t size_class);
/* Return the rate of a page: the cost of emptying it, divided by an age. The fraction has
 * LRD__ROOM_RATE_BITS bits. */
uint64_t lrd__room_rate(uint64_t cost, uint64_t age);
/* Empty the cheapest page of the orders [first, end). If this range is a single size class, it may
 * have no page, or its cheapest page may have used entries. In both cases, empties the cheapest
 * page of all orders instead. If `fresh` is true, first scans the ledgers. [locked] */
void lrd__room_take_page(lrd_store *store, uint32_t shard, uint32_t first, uint32_t end,
                         bool fresh);
