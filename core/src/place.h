/* place.h - where a key belongs: one hash, cut into shard, home bucket and tag. */
#ifndef LRD_PLACE_H
#define LRD_PLACE_H

#include "internal.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

static inline __attribute__((always_inline)) uint64_t lrd__hash(const lrd_store *store,
                                                                const void *key, size_t key_len)
{
    return XXH3_64bits_withSeed(key, key_len, store->seed);
}
/* Home bucket, counted over all shards, which lie one behind the other. */
static inline uint64_t lrd__hash_bucket(const lrd_store *store, uint64_t hash)
{
    return (hash >> 32) * store->buckets_all >> 32;
}
static inline uint32_t lrd__hash_tag(uint64_t hash) { return (uint32_t)(hash & 0x1ffffff) | 1; }

static inline lrd__place lrd__place_of(const lrd_store *store, const void *key, size_t key_len)
{
    uint64_t hash = lrd__hash(store, key, key_len);
    uint32_t bucket = (uint32_t)lrd__hash_bucket(store, hash);
    uint32_t shard = bucket / store->nbuckets;
    return (lrd__place){
        .shard = store->shards + shard,
        .shard_index = shard,
        .home = bucket - shard * store->nbuckets,
        .tag = lrd__hash_tag(hash),
    };
}

static inline uint64_t lrd__load64(const void *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* Bits in which eight bytes at the one and at the other place differ. */
static inline uint64_t lrd__differ64(const uint8_t *a, const uint8_t *b)
{
    return lrd__load64(a) ^ lrd__load64(b);
}

/* Whether two keys of the same length are equal. Up to 32 bytes without a loop or a call: the second
 * half of the words overlaps the first. */
static inline __attribute__((always_inline)) bool lrd__key_equal(const void *a, const void *b,
                                                                 size_t length)
{
    const uint8_t *p = a, *q = b;
    if (__builtin_expect(length > 32, 0))
        return memcmp(a, b, length) == 0;
    if (length >= 16)
        return (lrd__differ64(p, q) | lrd__differ64(p + 8, q + 8) |
                lrd__differ64(p + length - 16, q + length - 16) |
                lrd__differ64(p + length - 8, q + length - 8)) == 0;
    if (length >= 8)
        return (lrd__differ64(p, q) | lrd__differ64(p + length - 8, q + length - 8)) == 0;
    for (size_t i = 0; i < length; i++)
        if (p[i] != q[i])
            return false;
    return true;
}

static inline __attribute__((always_inline)) bool
lrd__block_has_key(const lrd__block *block, const void *key, size_t key_len)
{
    return block->key_len == key_len && lrd__key_equal(block + 1, key, key_len);
}

#endif
