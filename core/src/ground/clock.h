/* clock.h - what clock.c offers. */
#pragma once

#include "ground/private.h"

#include <time.h>

/* Return the time of the monotonic clock in ms. Use it for waits. */
uint64_t lrd__clock_monotonic_ms(void);
/* Return the milliseconds since the machine booted, including time in which it was suspended. */
uint64_t lrd__clock_boot_ms(void);
/* Return a time that advances by one millisecond at each call. */
struct timespec lrd__clock_counted(void);
/* Read a clock. If a seccomp filter denies the call, return lrd__clock_counted(), so waits still
 * end. */
static inline struct timespec lrd__clock_get(clockid_t clock)
{
    struct timespec now;
    return __builtin_expect(clock_gettime(clock, &now) == 0, 1) ? now : lrd__clock_counted();
}
static inline uint64_t lrd__clock_ms(clockid_t clock)
{
    struct timespec now = lrd__clock_get(clock);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
static inline struct timespec lrd__clock_span(uint64_t ms)
{
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}
/* Sleep. Returns false if a signal has ended the sleep. [no lock is held] */
static inline bool lrd__clock_nap(uint64_t ms)
{
    struct timespec span = lrd__clock_span(ms);
    return nanosleep(&span, NULL) == 0;
}
static inline uint64_t lrd__clock_sum(uint64_t now, uint64_t ms)
{
    return now < UINT64_MAX - ms ? now + ms : UINT64_MAX;
}
/* Return the monotonic time in `ns` nanoseconds from now. */
static inline struct timespec lrd__clock_after(uint64_t ns)
{
    struct timespec at = lrd__clock_get(CLOCK_MONOTONIC);
    at.tv_nsec += (long)(ns % 1000000000);
    at.tv_sec += (time_t)(ns / 1000000000) + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Return the time of the store's clock in ms; never 0. By default: the time since boot, including
 * suspension. */
LRD__HOT uint64_t lrd__now(const lrd_store *store);
/* Correct the store's clock if the machine was suspended since the last call. */
LRD__HOT void lrd__clock_refresh(lrd_store *store);
/* Correct the clock's stored offset if it is impossible. Call this only while adopting a
 * segment. */
void lrd__clock_judge(lrd_store *store);
/* Return the time (ms) of the coarse monotonic clock, which advances only at timer interrupts. */
static inline uint64_t lrd__clock_coarse(void) { return lrd__clock_ms(CLOCK_MONOTONIC_COARSE); }
/* Return the store's time in nanoseconds. Reads the coarse clock, because finer clocks are slow to
 * read. */
static inline int64_t lrd__now_ns(const lrd_store *store)
{
    if (__builtin_expect(store->clock_ms != NULL, 0))
        return (int64_t)(store->clock_ms(store->clock_arg) * 1000000);
    struct timespec now = lrd__clock_get(CLOCK_MONOTONIC_COARSE);
    uint64_t offset = atomic_load_explicit(&store->header->clock_offset, memory_order_relaxed);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + (int64_t)(offset * 1000000);
}
/* Return the value of lrd__now() at the time when the coarse clock showed `coarse`. */
static inline uint64_t lrd__now_of(const lrd_store *store, uint64_t coarse)
{
    uint64_t now =
        store->clock_ms != NULL
            ? store->clock_ms(store->clock_arg)
            : coarse + atomic_load_explicit(&store->header->clock_offset, memory_order_relaxed);
    return now != 0 ? now : 1;
}
