/* geometry.h - what geometry.c offers. */
#pragma once

#include "ground/private.h"

#define LRD__BASE_STEP ((uint64_t)2 << 20) /* bases and data_at are multiples of this */
/* an address range that is free on x86-64, in plain and in sanitized programs */
#define LRD__BASE_DEFAULT 0x550000000000ull
#define LRD__USER_END 0x7fff00000000ull /* no data lies at or above this address */

/* Check every field of the options, and fill geo with the values of a new segment. LRD_EINVAL; the
 * detail names the field. */
int lrd__geometry_choose(const lrd_options *options, lrd__geometry *geo);
/* Return how many buckets each shard of a new store gets if the store shall hold entries_hint
 * entries (0: the minimum). */
uint32_t lrd__geometry_buckets(uint64_t entries_hint, uint64_t size, uint32_t shards);
/* Return true if `size` bytes of data can lie at the address `base`. */
bool lrd__base_valid(uint64_t base, uint64_t size);
/* Return the address at which the search for a base starts in an address space of only `bits` bits.
 * In a larger space it starts at `from`. Different values of `from` give different addresses in the
 * same order: a `from` up to 2 TiB (42 bits) or 256 GiB (39 bits) above LRD__BASE_DEFAULT is mapped
 * to a quarter of that distance. */
uint64_t lrd__base_within(uint64_t from, uint32_t bits);

/* Fill geo from its five given fields (policy, size, shards, slots, buckets). LRD_EINVAL when they
 * are out of range. */
int lrd__geometry_derive(lrd__geometry *geo);
/* Return the number of all buckets if all shards together have `homes` home buckets. Each shard has
 * more buckets at its end (the overhang). */
static inline uint64_t lrd__buckets_end(const lrd__geometry *geo, uint64_t homes)
{
    return homes + ((uint64_t)LRD__OVERHANG << geo->shard_bits);
}
