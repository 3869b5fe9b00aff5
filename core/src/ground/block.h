/* block.h - reads the parts of a block: the memory of one entry, with its key, value and times. */
#pragma once

#include "ground/clock.h"

static inline const lrd__block *lrd__block_at(const lrd_store *store, uint64_t offset)
{
    return (const lrd__block *)(store->data + offset);
}
/* Return a block's address in the window (the read-write mapping). */
static inline lrd__block *lrd__block_window(const lrd_store *store, uint64_t offset)
{
    return (lrd__block *)(store->window + offset);
}
/* Return the offset of the value in a block with a short header. */
static inline uint64_t lrd__value_start_usual(size_t key_len)
{
    return LRD__ALIGN_UP(LRD__BLOCK_KEY + key_len, LRD_ALIGN);
}
static inline bool lrd__block_wants_long(size_t key_len, uint64_t size)
{
    return key_len > LRD__BLOCK_KEY_MAX || size > UINT32_MAX;
}
/* Return the offset of a value of `size` bytes in its block. */
static inline uint64_t lrd__value_start(size_t key_len, uint64_t size)
{
    return lrd__block_wants_long(key_len, size)
               ? LRD__ALIGN_UP(LRD__BLOCK_LONG_KEY + key_len, LRD_ALIGN)
               : lrd__value_start_usual(key_len);
}
static inline bool lrd__block_is_long(const lrd__block *block) { return block->key_len == 0; }
static inline size_t lrd__block_key_len(const lrd__block *block)
{
    return lrd__block_is_long(block) ? block->long_key_len : block->key_len;
}
static inline const uint8_t *lrd__block_key(const lrd__block *block)
{
    return (const uint8_t *)block +
           (lrd__block_is_long(block) ? LRD__BLOCK_LONG_KEY : LRD__BLOCK_KEY);
}
static inline uint64_t lrd__block_size(const lrd__block *block)
{
    if (!lrd__block_is_long(block))
        return block->size;
    uint64_t size;
    memcpy(&size, (const uint8_t *)block + LRD__BLOCK_LONG_SIZE, sizeof size);
    return size;
}
static inline uint64_t lrd__block_start(const lrd__block *block)
{
    return LRD__ALIGN_UP((lrd__block_is_long(block) ? LRD__BLOCK_LONG_KEY : LRD__BLOCK_KEY) +
                             lrd__block_key_len(block),
                         LRD_ALIGN);
}
/* Return the writable address of a block's value. */
static inline void *lrd__block_value(const lrd_store *store, uint64_t offset)
{
    lrd__block *block = lrd__block_window(store, offset);
    return (uint8_t *)block + lrd__block_start(block);
}
/* Return the time (ms) since the block was published; 0 for a counter, which records no time. */
static inline uint64_t lrd__block_age(const lrd_store *store, const lrd__block *block)
{
    uint64_t now = lrd__now(store), written = block->version >> LRD__VERSION_CLOCK;
    return block->version != 0 && now > written ? now - written : 0;
}
/* Return true if the block was published after the last lrd_clear(). It may have expired. */
static inline bool lrd__block_current(const lrd_store *store, const lrd__block *block)
{
    return block->epoch == atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
}
/* Return true if the block was published after the last lrd_clear() and has not expired. */
static inline bool lrd__block_live(const lrd_store *store, const lrd__block *block)
{
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return lrd__block_current(store, block) && (expiry == 0 || expiry > lrd__now(store));
}
/* Return true if the block is live in the shard's epoch, which changes only under the lock.
 * [locked, after lrd__entry_sync] */
static inline bool lrd__block_live_here(const lrd_store *store, const lrd__shard *shard,
                                        const lrd__block *block)
{
    lrd__assert_locked(store, (uint32_t)(shard - store->shards));
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return block->epoch == lrd__shard_epoch(shard) && (expiry == 0 || expiry > lrd__now(store));
}
