/* word.h - reads and makes the words of the index, and finds the buckets and slots of a shard. */
#pragma once

#include "ground/private.h"

/* Return the listing in an index word: the block's offset in granules, plus 1. */
static inline uint64_t lrd__word_listing(uint64_t word) { return word & 0xfffffffffull; }
/* Convert a block's offset to its listing, and back. A listing is never 0. */
static inline uint64_t lrd__listing(uint64_t offset) { return (offset >> LRD__GRANULE_BITS) + 1; }
static inline uint64_t lrd__listing_offset(uint64_t listing)
{
    return (listing - 1) << LRD__GRANULE_BITS;
}
static inline uint64_t lrd__word_make(uint32_t tag, uint32_t displacement, uint64_t offset)
{
    return (uint64_t)tag << 40 | (uint64_t)displacement << 36 | lrd__listing(offset);
}
static inline uint32_t lrd__word_displacement(uint64_t word)
{
    return (uint32_t)(word >> 36) & (LRD__PROBES - 1);
}
static inline uint32_t lrd__word_tag(uint64_t word) { return (uint32_t)(word >> 40); }
/* Return the offset in bytes of the block of a used index word. */
static inline uint64_t lrd__word_offset(uint64_t word)
{
    return lrd__listing_offset(lrd__word_listing(word));
}

/* Return a bucket of a shard. The array interleaves the shards' buckets. */
static inline lrd__bucket *lrd__bucket_of(const lrd_store *store, uint32_t shard, uint32_t bucket)
{
    return store->buckets + ((uint64_t)bucket << store->geo.shard_bits | shard);
}
/* Convert an index slot's number within its shard to its number among all slots. */
static inline uint64_t lrd__slot_number(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return ((uint64_t)(slot / LRD__WAYS) << store->geo.shard_bits | shard) * LRD__WAYS +
           slot % LRD__WAYS;
}
/* Return the number of a shard's buckets: its home buckets, the buckets that a current doubling
 * adds, and the overhang. */
static inline uint32_t lrd__shard_buckets(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->view.grown, memory_order_acquire) >>
            store->geo.shard_bits) +
           LRD__OVERHANG;
}
static inline uint32_t lrd__shard_slots(const lrd_store *store)
{
    return lrd__shard_buckets(store) * LRD__WAYS;
}
/* Return the address of the index word of a shard's slot. */
static inline _Atomic uint64_t *lrd__index_word(const lrd_store *store, uint32_t shard,
                                                uint32_t slot)
{
    return &lrd__bucket_of(store, shard, slot / LRD__WAYS)->word[slot % LRD__WAYS];
}
static inline _Atomic uint8_t *lrd__index_freq(const lrd_store *store, uint32_t shard,
                                               uint32_t slot)
{
    return &lrd__bucket_of(store, shard, slot / LRD__WAYS)->freq[slot % LRD__WAYS];
}
static inline _Atomic uint8_t *lrd__word_freq(const _Atomic uint64_t *at)
{
    uintptr_t line = (uintptr_t)at & ~(uintptr_t)(sizeof(lrd__bucket) - 1);
    return ((lrd__bucket *)line)->freq + ((uintptr_t)at - line) / sizeof *at;
}
/* Return a use count, at most LRD__FREQ_MAX even if it is damaged. */
static inline uint8_t lrd__freq(const _Atomic uint8_t *freq)
{
    uint8_t uses = atomic_load_explicit(freq, memory_order_relaxed);
    return uses < LRD__FREQ_MAX ? uses : LRD__FREQ_MAX;
}
/* Return the home bucket of the entry in this slot. */
static inline uint32_t lrd__word_home(uint32_t slot, uint64_t word)
{
    return slot / LRD__WAYS - lrd__word_displacement(word);
}
/* Return a slot's index word. [locked] */
static inline uint64_t lrd__slot_word(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert(shard < store->geo.shards && slot < lrd__shard_slots(store));
    return atomic_load_explicit(lrd__index_word(store, shard, slot), memory_order_relaxed);
}
static inline uint64_t lrd__slot_offset(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return lrd__word_offset(lrd__slot_word(store, shard, slot));
}
/* True if the shard is vetted. This acquire pairs with the release in vet.c. */
static inline bool lrd__shard_vetted(const lrd_store *store, uint32_t shard)
{
    return atomic_load_explicit(&store->gates[shard].vetted, memory_order_acquire) != 0;
}
