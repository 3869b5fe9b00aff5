/* message_row.h - the row of a message, and its word: state, number of attempts, and a generation
 * that changes with each use of the row. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/block.h"
#include "ground/word.h"

/* time in ms between two searches for dead owners of reserved messages */
#define LRD__QUEUE_LOOK_MS 50u
/* Return the time (ms) that a waiting thread may sleep: `ms`, but at most LRD__QUEUE_LOOK_MS. */
static inline uint64_t lrd__queue_step(uint64_t ms)
{
    return ms < LRD__QUEUE_LOOK_MS ? ms : LRD__QUEUE_LOOK_MS;
}
/* largest number of messages that one part of a call handles under one lock */
#define LRD__QUEUE_BATCH 1024u
/* A push is refused if the queue would then use over LRD__QUEUE_SHARE times the bytes that are
 * free. With 3, a single queue fills at most 3/4 of the store, because 1/4 is then free. */
#define LRD__QUEUE_SHARE 3u
_Static_assert(sizeof((lrd_store *)0)->rows_mapped / sizeof(uint32_t) == LRD__QUEUE_SHARDS_MAX,
               "a number of rows for each shard");

#define LRD__MESSAGE_ATTEMPTS ((1u << 21) - 1)
#define LRD__MESSAGE_GENERATION (((uint64_t)1 << 40) - 1)
static inline uint32_t lrd__message_state(const lrd__message *m)
{
    return (uint32_t)(m->word >> 61);
}
static inline uint32_t lrd__message_attempts(const lrd__message *m)
{
    return (uint32_t)(m->word >> 40) & LRD__MESSAGE_ATTEMPTS;
}
static inline uint64_t lrd__message_generation(const lrd__message *m)
{
    return m->word & LRD__MESSAGE_GENERATION;
}
/* Change the state, the attempts and the generation of a message with one write. This write comes
 * after all earlier writes to the message. Compiler barriers are enough, because only recovery
 * depends on this order. */
static inline void lrd__message_become(lrd__message *m, uint32_t state, uint32_t attempts,
                                       uint64_t generation)
{
    atomic_signal_fence(memory_order_seq_cst);
    *(volatile uint64_t *)&m->word = (uint64_t)state << 61 | (uint64_t)attempts << 40 | generation;
    atomic_signal_fence(memory_order_seq_cst);
}
static inline lrd__message *lrd__messages_of(const lrd_store *store, uint32_t shard)
{
    return store->messages + (uint64_t)shard * store->geo.messages_max;
}
static inline lrd__message *lrd__message_at(const lrd_store *store, uint32_t shard, uint32_t link)
{
    return lrd__messages_of(store, shard) + link - 1;
}
static inline uint32_t lrd__message_link(const lrd_store *store, uint32_t shard,
                                         const lrd__message *m)
{
    return (uint32_t)(m - lrd__messages_of(store, shard)) + 1;
}
static inline uint64_t lrd__message_offset(const lrd__message *m)
{
    return lrd__listing_offset(m->listing);
}
static inline uint64_t lrd__message_id(uint32_t link, const lrd__message *m)
{
    return lrd__message_generation(m) << 24 | (link - 1);
}
/* Return the time (ms) at which the message expires, or 0 if it never does. */
static inline uint64_t lrd__message_expiry(const lrd_store *store, const lrd__message *m)
{
    return atomic_load_explicit(&lrd__block_at(store, lrd__message_offset(m))->expiry,
                                memory_order_relaxed);
}
/* length in bytes of the key of a message's block: its shard and link */
#define LRD__MESSAGE_KEY 6u
static inline void lrd__message_key(uint32_t shard, uint32_t link, uint8_t key[LRD__MESSAGE_KEY])
{
    uint16_t number = (uint16_t)shard;
    memcpy(key, &number, sizeof number);
    memcpy(key + sizeof number, &link, sizeof link);
}
static inline lrd__tree *lrd__message_tree(lrd__queue *queue, const lrd__message *m)
{
    return &queue->tree[lrd__message_state(m) - 1];
}
/* Return the shard of a queue. */
static inline uint16_t lrd__queue_home(const lrd_store *store, uint32_t number)
{
    return (uint16_t)(number & (store->geo.shards - 1));
}
static inline uint32_t lrd__queues_used(const lrd_store *store)
{
    return atomic_load_explicit(&store->queue_shards->queues, memory_order_acquire);
}
