/* zone.h - what zone.c offers. */
#pragma once

#include "memory/page.h"

/* Return the number of pages in a window of the zone: room for a value of 1/LRD__ZONE_SHARE of the
 * data, its header and its key. */
static inline uint64_t lrd__zone_pages(const lrd_store *store)
{
    return (store->geo.size / LRD__ZONE_SHARE + 512 + LRD__PAGE - 1) >> LRD__PAGE_BITS;
}
static inline uint64_t lrd__zone_first(const lrd_store *store)
{
    return store->geo.pages - LRD__ZONE_WINDOWS * lrd__zone_pages(store);
}
/* True if the file system was full, and a part of the zone is not committed yet. Writers commit it
 * later. */
static inline bool lrd__zone_hungry(const lrd_store *store)
{
    return store->evicts &&
           atomic_load_explicit(&store->header->memory_short, memory_order_relaxed) != 0 &&
           atomic_load_explicit(&store->header->zone_fed, memory_order_relaxed) == 0;
}
#define LRD__ZONE_SLACK 256u
/* True if a block at `start` may reach into the zone. `bytes` may exceed the block's size by up to
 * LRD__ZONE_SLACK. */
static inline __attribute__((always_inline)) bool lrd__zone_near(const lrd__thread *self,
                                                                 uintptr_t start, uint64_t bytes)
{
    return __builtin_expect(start + bytes - self->zone_at <= self->zone_span, 0) &&
           start < self->zone_at + self->zone_span - LRD__ZONE_SLACK;
}

/* Record the windows of the zone that the block occupies. Returns true if the thread may hold the
 * block. If the block is being built (`must`), always returns true. */
bool lrd__zone_take(lrd__thread *self, uint64_t offset, uint64_t bytes, bool must)
    __attribute__((noinline));
/* Update the thread's quota word: remove the windows in which the thread holds no block. Does
 * nothing while the thread still builds a value. */
void lrd__zone_built(lrd__thread *self) __attribute__((noinline));
/* Return the windows of the zone that a block touches, as bits. */
uint32_t lrd__zone_windows(const lrd_store *store, uint64_t offset, uint64_t bytes);
/* Record that the thread holds blocks in exactly these windows of the zone. */
void lrd__zone_rebar(lrd__thread *self, uint32_t windows);
