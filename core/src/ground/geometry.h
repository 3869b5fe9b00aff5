/* geometry.h - what geometry.c offers. */
#pragma once

#include "ground/private.h"

#define LRD__BASE_STEP ((uint64_t)2 << 20) /* bases and data_at are multiples of this number */
/* start of an address range that is free on x86-64, with and without sanitizers */
#define LRD__BASE_DEFAULT 0x550000000000ull
#define LRD__USER_END 0x7fff00000000ull /* data must end below this address */

/* Check all options, and fill *geo for a new segment. Returns LRD_OK or LRD_EINVAL. */
int lrd__geometry_choose(const lrd_options *options, lrd__geometry *geo);
/* Return a shard's number of buckets for entries_hint entries; the minimum if entries_hint is 0. */
uint32_t lrd__geometry_buckets(uint64_t entries_hint, uint64_t size, uint32_t shards);
bool lrd__base_valid(uint64_t base, uint64_t size);
/* Translate `from`, the address at which a search for a free base starts, to an address space of
 * `bits` bits. Returns the following sum, rounded down to a multiple of LRD__BASE_STEP:
 *   2^(bits - 1) + ((from - LRD__BASE_DEFAULT) / 4) % 2^(bits - 3) */
uint64_t lrd__base_within(uint64_t from, uint32_t bits);

/* Compute all fields of *geo from policy, size, shards, slots and buckets. Returns LRD_OK, or
 * LRD_EINVAL if one of these five is out of range. */
int lrd__geometry_derive(lrd__geometry *geo);
/* Return the number of buckets of all shards: `homes` home buckets, and each shard's overhang. */
static inline uint64_t lrd__buckets_end(const lrd__geometry *geo, uint64_t homes)
{
    return homes + ((uint64_t)LRD__OVERHANG << geo->shard_bits);
}
