/* index.c - finds blocks by key. Owns the bucket words and the displacement counts; never allocates
 * (arena.c does) and keeps no statistics (entry.c does). Read lrd__index_find() first.
 *
 * Shape: each shard has nbuckets cache lines of seven words. A key's home bucket comes from its hash;
 * its entry lies there or in one of the next seven buckets (wrapping), in any way.
 *
 * Invariants
 * - Insert, replace and delete are each one release store of one word, so whoever loads a word
 *   (acquire) sees the whole block behind it, and a writer killed anywhere leaves the old or the new.
 * - An entry never moves. A reader that passed an empty word may miss an insert that was concurrent.
 * - displaced of a bucket is at least the number of entries whose probe went past it (255 sticks):
 *   raised before such an entry's word is stored, lowered after it was removed. A reader stops at
 *   the first bucket whose count is 0. A crash can leave it too high, never too low.
 */
#include "place.h"

_Static_assert(LRD__PROBES == 8, "the word has three bits for the displacement");

static inline uint32_t index_bucket(const lrd_store *store, uint32_t home, uint32_t displacement)
{
    uint32_t bucket = home + displacement;
    return bucket < store->nbuckets ? bucket : bucket - store->nbuckets;
}

uint32_t lrd__index_find(const lrd_store *store, const lrd__place *place, const void *key,
                         size_t key_len)
{
    for (uint32_t d = 0; d < LRD__PROBES; d++) {
        uint32_t number = index_bucket(store, place->home, d);
        lrd__bucket *bucket = lrd__bucket_of(store, place->shard_index, number);
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint64_t word = atomic_load_explicit(&bucket->word[way], memory_order_relaxed);
            if (word >> 36 == (lrd__word_make(place->tag, d, 0) >> 36) &&
                lrd__block_has_key(lrd__block_at(store, lrd__word_offset(word)), key, key_len))
                return number * LRD__WAYS + way;
        }
        if (atomic_load_explicit(&bucket->displaced, memory_order_relaxed) == 0)
            break;
    }
    return LRD__NO_SLOT;
}

uint32_t lrd__index_vacant(const lrd_store *store, const lrd__place *place)
{
    for (uint32_t d = 0; d < LRD__PROBES; d++) {
        uint32_t number = index_bucket(store, place->home, d);
        lrd__bucket *bucket = lrd__bucket_of(store, place->shard_index, number);
        for (uint32_t way = 0; way < LRD__WAYS; way++)
            if (atomic_load_explicit(&bucket->word[way], memory_order_relaxed) == 0)
                return number * LRD__WAYS + way;
    }
    return LRD__NO_SLOT;
}

/* How far the slot's bucket is from a home bucket. */
static uint32_t index_displacement(const lrd_store *store, uint32_t home, uint32_t slot)
{
    uint32_t bucket = slot / LRD__WAYS;
    return bucket >= home ? bucket - home : bucket + store->nbuckets - home;
}

/* Raise or lower the counts of the buckets that a probe from home passes on its way. */
static void index_displace(lrd_store *store, uint32_t shard, uint32_t home, uint32_t displacement,
                           int change)
{
    for (uint32_t d = 0; d < displacement; d++) {
        lrd__bucket *bucket = lrd__bucket_of(store, shard, index_bucket(store, home, d));
        uint8_t count = atomic_load_explicit(&bucket->displaced, memory_order_relaxed);
        if (count != UINT8_MAX)
            atomic_store_explicit(&bucket->displaced, (uint8_t)(count + change),
                                  memory_order_release);
    }
}

void lrd__index_insert(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset)
{
    uint32_t displacement = index_displacement(store, place->home, slot);
    index_displace(store, place->shard_index, place->home, displacement, 1);
    LRD__FAILPOINT("index_displaced");
    atomic_store_explicit(lrd__index_freq(store, place->shard_index, slot), 0,
                          memory_order_relaxed);
    /* Pairs with the acquire loads of readers: the block was built before. */
    atomic_store_explicit(lrd__index_word(store, place->shard_index, slot),
                          lrd__word_make(place->tag, displacement, offset), memory_order_release);
    LRD__FAILPOINT("index_inserted");
}

void lrd__index_replace(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset)
{
    uint32_t displacement = index_displacement(store, place->home, slot);
    atomic_store_explicit(lrd__index_word(store, place->shard_index, slot),
                          lrd__word_make(place->tag, displacement, offset), memory_order_release);
    LRD__FAILPOINT("index_replaced");
}

void lrd__index_remove(lrd_store *store, uint32_t shard, uint32_t slot)
{
    _Atomic uint64_t *word = lrd__index_word(store, shard, slot);
    uint32_t displacement =
        lrd__word_displacement(atomic_load_explicit(word, memory_order_relaxed));
    uint32_t bucket = slot / LRD__WAYS;
    uint32_t home =
        bucket >= displacement ? bucket - displacement : bucket + store->nbuckets - displacement;
    atomic_store_explicit(word, 0, memory_order_release);
    LRD__FAILPOINT("index_removed");
    index_displace(store, shard, home, displacement, -1);
    LRD__FAILPOINT("index_lowered");
}
