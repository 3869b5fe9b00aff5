/* form.h - what form.c offers. */
#pragma once

#include "ground/word.h"

/* Let the shard's memory count as short for a while. Call this after an eviction, or after a larger
 * block was used to avoid an eviction (room.c). [locked] */
void lrd__form_pressed(lrd__shard *shard);
static inline bool lrd__form_is_packed(const lrd__block *block)
{
    return block->type == LRD_TYPE_PACKED;
}
/* Return the number of bytes that a packed block's value would take in ready form, or 0 if the
 * block is damaged. `bytes` is the size of the block. */
uint64_t lrd__form_ready(const lrd__block *block, uint64_t bytes);
/* Add a live packed entry to the shard's counts, or subtract it if `sign` is -1. [locked] */
void lrd__form_count(lrd__shard *shard, const lrd__block *block, uint64_t bytes, int sign);
/* Add a block to the shard's counts `packs`, `falls` and `rises`. Call this before the block is
 * published. `reform` is true if the block replaces the same value in the other form. [locked] */
void lrd__form_publish(lrd__shard *shard, const lrd__block *block, bool reform);
/* True if the shard's memory still counts as short after a call of lrd__form_pressed(). */
static inline bool lrd__form_is_pressed(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->inserts, memory_order_relaxed) <
           atomic_load_explicit(&shard->pressed_until, memory_order_relaxed);
}
#define FORM_MISSED 64u
/* True if more than 1 in FORM_MISSED inserts has stored a recently evicted key. */
static inline bool lrd__form_is_missed(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->ghost_hits, memory_order_relaxed) >
           atomic_load_explicit(&shard->inserts, memory_order_relaxed) / FORM_MISSED;
}
/* True if live entries take much of the shard's part of the store. See lrd_pressed(). */
static inline bool lrd__form_is_filled(const lrd_store *store, const lrd__shard *shard)
{
    uint64_t part = store->geo.size / store->geo.shards;
    return atomic_load_explicit(&shard->live_bytes, memory_order_relaxed) >
           (store->evicts ? part - part / 8 : part / 2);
}
#define FORM_FEW 64u
/* True if a shard with n live entries has evicted at most n/FORM_FEW entries. */
static inline bool lrd__form_evicts_few(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->evicted, memory_order_relaxed) <=
           atomic_load_explicit(&shard->live_entries, memory_order_relaxed) / FORM_FEW;
}
/* Guess whether memory is short for a shard. See lrd_pressed(). */
static inline lrd_pressure lrd__form_pressure(const lrd_store *store, const lrd__shard *shard)
{
    bool pressed = lrd__form_is_pressed(shard);
    if (!pressed && !lrd__form_is_filled(store, shard))
        return LRD_PRESSURE_NONE;
    if (lrd__form_evicts_few(shard))
        return LRD_PRESSURE_SHORT;
    return pressed && lrd__form_is_missed(shard) ? LRD_PRESSURE_MISSED : LRD_PRESSURE_EVICTS;
}
