/* expiry.h - what expiry.c offers. */
#pragma once

#include "ground/word.h"

/* Return the first tick at which an entry with this expiry has expired, or 0 if `expiry_ms` is 0
 * (never). */
static inline uint32_t lrd__tick_of(uint64_t expiry_ms)
{
    uint64_t tick = (expiry_ms >> LRD__TICK_BITS) + 1;
    return expiry_ms == 0 ? 0 : tick < UINT32_MAX ? (uint32_t)tick : UINT32_MAX - 1;
}
/* True if memory is committed for the timer of the index slot `number` (see lrd__slot_number()). */
static inline bool lrd__timer_ready(const lrd_store *store, uint64_t number)
{
    return atomic_load_explicit(&store->timed[number / LRD__WAYS / LRD__TIMER_CHUNK],
                                memory_order_acquire) != 0;
}
/* Commit the memory of a slot's timer. Fails with LRD_ENOSPC or LRD_ETRUNCATED. */
int lrd__timer_commit(lrd_store *store, uint32_t shard, uint32_t slot);
/* Commit memory for a slot's timer. If no memory is left, a store that evicts marks the shard as
 * untimed, and returns LRD_OK: the entry then has no tick. [locked] */
int lrd__timer_want(lrd_store *store, uint32_t shard, uint32_t slot);
/* Return the tick at which the wheel will handle a slot, or 0 if it is not in the wheel.
 * [locked] */
static inline uint32_t lrd__timer_tick(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert_locked(store, shard);
    if (store->shards[shard].timed == 0)
        return 0;
    uint64_t number = lrd__slot_number(store, shard, slot);
    return lrd__timer_ready(store, number) ? store->timers[number].tick : 0;
}
/* Set the tick of a slot, and move it to that tick's list. The timer must be committed. Tick 0
 * takes the slot out of the wheel. [locked] */
void lrd__wheel_set(lrd_store *store, uint32_t shard, uint32_t slot, uint32_t tick);
/* Find a slot whose tick has come at now_ms, and take it out of the wheel. If the slot's entry has
 * not expired, the caller must put the slot back. Returns LRD__NO_SLOT if there is no such slot, or
 * if *budget is used up. [locked] */
uint32_t lrd__wheel_due(lrd_store *store, uint32_t shard, uint64_t now_ms, uint32_t *budget);
void lrd__wheel_reset(lrd_store *store, uint32_t shard, uint64_t now_ms);
