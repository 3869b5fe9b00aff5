/* clock.c - the store's clock (ms since boot): the monotonic clock plus an offset in shared memory.
 * Begin at lrd__now(). */
#include "ground/clock.h"

struct timespec lrd__clock_counted(void)
{
    static _Atomic uint64_t readings;
    return lrd__clock_span(atomic_fetch_add_explicit(&readings, 1, memory_order_relaxed) + 1);
}

LRD__HOT uint64_t lrd__clock_monotonic_ms(void) { return lrd__clock_ms(CLOCK_MONOTONIC); }

/* maximum amount (ms) by which the stored offset may exceed the measured offset */
#define CLOCK_SLACK_MS 1000u

uint64_t lrd__clock_boot_ms(void) { return lrd__clock_ms(CLOCK_BOOTTIME); }

uint64_t lrd__now(const lrd_store *store) { return lrd__now_of(store, lrd__clock_coarse()); }

/* Correct the stored offset: the time for which the machine was suspended. Read the boot clock
 * first: an interruption between the readings then only makes the measured offset too small. */
void lrd__clock_refresh(lrd_store *store)
{
    uint64_t boot = lrd__clock_ms(CLOCK_BOOTTIME), monotonic = lrd__clock_ms(CLOCK_MONOTONIC);
    uint64_t known = atomic_load_explicit(&store->header->clock_offset, memory_order_relaxed);

    /* add 1, because each reading may be rounded down by up to a millisecond */
    if (__builtin_expect(boot > monotonic + known + 1, 0) && store->clock_ms == NULL)
        atomic_compare_exchange_strong_explicit(&store->header->clock_offset, &known,
                                                boot - monotonic, memory_order_relaxed,
                                                memory_order_relaxed);
}

/* Check the clock offset that is stored in an adopted segment. If it is too large, store the
 * measured offset instead. */
void lrd__clock_judge(lrd_store *store)
{
    uint64_t boot = lrd__clock_ms(CLOCK_BOOTTIME), offset = boot - lrd__clock_ms(CLOCK_MONOTONIC);
    uint64_t known = atomic_load_explicit(&store->header->clock_offset, memory_order_relaxed);
    /* An interruption between the two readings can make the subtraction wrap around. */
    if (boot < offset)
        offset = 0;
    if (known > offset + CLOCK_SLACK_MS)
        atomic_store_explicit(&store->header->clock_offset, offset, memory_order_relaxed);
}
