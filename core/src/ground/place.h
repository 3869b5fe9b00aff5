/* place.h - computes a key's shard, home bucket and tag from the key's hash. */
#pragma once

#include "ground/block.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

/* A key's hash, and the values derived from it that do not depend on the size of the index. */
typedef struct lrd__place {
    lrd__shard *shard;
    uint32_t shard_index;
    uint32_t tag;
    uint64_t hash;
} lrd__place;

static inline __attribute__((always_inline)) uint64_t lrd__hash(const lrd_store *store,
                                                                const void *key, size_t key_len)
{
    return XXH3_64bits_withSeed(key, key_len, store->seed);
}
/* Return a hash's home bucket among the buckets of all shards. Each doubling of the index adds a
 * bit to `mask`. */
static inline __attribute__((always_inline)) uint64_t lrd__bucket_at(const lrd_store *store,
                                                                     uint64_t hash, uint64_t mask)
{
    return (hash & mask) * store->buckets_first >> 32;
}
/* Return the upper part of an index word: displacement 0, and the tag, whose highest bit is always
 * set. */
static inline __attribute__((always_inline)) uint32_t lrd__hash_mark(uint64_t hash)
{
    return ((uint32_t)(hash >> 28) & ((1u << LRD__TAG_HASHED) - 1) << 4) |
           1u << (LRD__TAG_HASHED + 4);
}

static inline lrd__place lrd__place_of(const lrd_store *store, const void *key, size_t key_len)
{
    uint64_t hash = lrd__hash(store, key, key_len);
    uint32_t shard =
        (uint32_t)lrd__bucket_at(store, hash, LRD__MASK_FIRST) & (store->geo.shards - 1);
    return (lrd__place){
        .shard = store->shards + shard,
        .shard_index = shard,
        .tag = lrd__hash_mark(hash) >> 4,
        .hash = hash,
    };
}

/* Return a key's home bucket within its shard of `homes` home buckets. */
static inline uint32_t lrd__place_home(const lrd_store *store, const lrd__place *place,
                                       uint32_t homes)
{
    uint64_t mask = atomic_load_explicit(&store->header->view.mask, memory_order_acquire);
    uint64_t home = lrd__bucket_at(store, place->hash, mask << 1 | 1) >> store->geo.shard_bits;
    if (home >= homes)
        home = lrd__bucket_at(store, place->hash, mask) >> store->geo.shard_bits;
    return (uint32_t)home;
}
/* Return a shard's number of home buckets. The number may change while the caller does not hold the
 * shard's lock. */
static inline uint32_t lrd__shard_homes(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->homes, memory_order_relaxed);
}

static inline uint64_t lrd__load64(const void *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint64_t lrd__differ64(const uint8_t *a, const uint8_t *b)
{
    return lrd__load64(a) ^ lrd__load64(b);
}
static inline uint32_t lrd__differ32(const uint8_t *a, const uint8_t *b)
{
    uint32_t one, other;
    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    return one ^ other;
}

/* True if two keys of this length are equal. Compares overlapping words of short keys. */
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
    if (length >= 4)
        return (lrd__differ32(p, q) | lrd__differ32(p + length - 4, q + length - 4)) == 0;
    return length == 0 ||
           ((p[0] ^ q[0]) | (p[length / 2] ^ q[length / 2]) | (p[length - 1] ^ q[length - 1])) == 0;
}

/* True if the block has a short header and this key. The key must not be empty. */
static inline __attribute__((always_inline)) bool
lrd__block_has_usual_key(const lrd__block *block, const void *key, size_t key_len)
{
    return block->key_len == key_len &&
           lrd__key_equal((const uint8_t *)block + LRD__BLOCK_KEY, key, key_len);
}
static inline __attribute__((always_inline)) bool
lrd__block_has_key(const lrd__block *block, const void *key, size_t key_len)
{
    if (__builtin_expect(lrd__block_is_long(block), 0))
        return block->long_key_len == key_len && memcmp(lrd__block_key(block), key, key_len) == 0;
    return lrd__block_has_usual_key(block, key, key_len);
}
