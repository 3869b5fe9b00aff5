/* watch.c - watches: a process can read the counter of a watch without a call, and sleep until the
 * counter changes. Begin reading at lrd_watch_open(); lrd_watch_read() is in larder_coordination.h.
 *
 * Invariants
 * - The word of a watch is the value of a counter. The counter's store is pinned, so the block
 *   stays in place until the entry is deleted or the store is cleared. A reader loads the epoch
 *   after the word: if the epoch is unchanged, the word is valid.
 * - The word is raised before sleepers are woken. A thread sleeps only if the kernel finds the word
 *   unchanged.
 * - lrd_clear() raises the epoch before it wakes sleepers.
 * - A word never gets a number twice, with two exceptions. First, after each clear, the word is 0
 *   until it is raised. Second, the high half of a number counts the clears, but 2^32 raises
 *   between two clears overflow into it.
 * - A word is odd while a change is under way. lrd_watch_raise() is called before and after the
 *   change, and wakes the waiters each time. A waiter that has read an odd word looks again after
 *   WATCH_STEP_MS.
 * - A waiter with a flag (lrd_wait_flag()) sleeps for at most LRD__INTERRUPT_STEP_MS. */
#include "larder_coordination.h"
#include "ground/block.h"
#include "ground/error.h"
#include "ground/interrupt.h"
#include "ground/map.h"
#include "ground/futex.h"
#include "threads/read.h"
#include "threads/thread.h"

#include <limits.h>

/* Longest sleep in ms while the word is odd, which means that a process is changing the data. If
 * that process dies during the change, it wakes no sleeper. */
#define WATCH_STEP_MS 1000u
/* Longest sleep in ms while the word is even, which means that no change is under way. The limit
 * matters only if a process dies during lrd_clear() and so wakes no sleeper. */
#define WATCH_LONG_MS 600000u

/* Return the address of the word's low half, which the kernel compares. */
static uint32_t *watch_low(const int64_t *word)
{
    return (uint32_t *)(uintptr_t)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1 : 0);
}

int lrd_watch_open(lrd_store *store, const void *key, size_t key_len, lrd_watch *out)
{
    lrd_value value;
    int64_t number;
    if (store->evicts || store->expires || !store->listed)
        return lrd__fail(LRD_EPOLICY, "a watch needs a pinned store");
    int moved = lrd__segment_look(store);
    if (moved != LRD_OK)
        return moved;
    for (;;) {
        /* load the epoch first, so that the first read of the watch notices a later lrd_clear() */
        out->epoch = (const uint32_t *)(const void *)&store->header->view.epoch;
        out->seen = __atomic_load_n(out->epoch, __ATOMIC_ACQUIRE);
        int rc = lrd_counter_add(store, key, key_len, 0, 0, 0, &number);
        if (rc != LRD_OK)
            return rc;
        rc = lrd_get(store, key, key_len, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value);
        if (rc == LRD_MISS)
            continue;
        if (rc != LRD_OK)
            return rc;
        out->word = value.data;
        bool counter = value.type == LRD_TYPE_COUNTER;
        lrd_release(store, &value);
        return counter ? LRD_OK : lrd__fail(LRD_ETYPE, "the entry is of type %d", value.type);
    }
}

/* Return a greater number than `word`. The high half of the result is at least the number of clears
 * (`epoch` - 1). So the numbers rise even after a clear has set the word to 0. */
static int64_t watch_next(int64_t word, uint32_t epoch)
{
    int64_t clears = (int64_t)((epoch - 1) & INT32_MAX);
    return word >> 32 >= clears ? (int64_t)((uint64_t)word + 1) : clears << 32 | 1;
}

/* Change the counter to the result of watch_next(). Returns LRD_STALE or LRD_MISS if another thread
 * changes the counter or clears the store meanwhile. If this call misses a clear that happens
 * meanwhile, the next call adds that clear to the number. */
static int watch_raise_once(lrd_store *store, const void *key, size_t key_len, lrd_watch *watch,
                            int64_t *value)
{
    int64_t word;
    int rc = lrd_watch_open(store, key, key_len, watch);
    if (rc != LRD_OK)
        return rc;
    if (!lrd_watch_read(watch, &word))
        return LRD_STALE;
    *value = watch_next(word, watch->seen);
    return lrd_counter_swap(store, key, key_len, word, *value);
}

int lrd_watch_raise(lrd_store *store, const void *key, size_t key_len, bool wake, int64_t *value)
{
    lrd_watch watch = {0};
    int rc;
    do
        rc = watch_raise_once(store, key, key_len, &watch, value);
    while (rc == LRD_STALE || rc == LRD_MISS);
    LRD__FAILPOINT("watch_raised");
    if (rc == LRD_OK && wake)
        lrd__futex_wake(watch_low(watch.word), INT_MAX);
    return rc;
}

/* Sleep until the word differs from `known`, the store is cleared, or `ms` milliseconds pass.
 * Returns 0 or errno. */
static int watch_sleep(const lrd_watch *watch, int64_t known, uint64_t ms)
{
    uint64_t most = known % 2 == 0 ? WATCH_LONG_MS : WATCH_STEP_MS;
    if (lrd__interruptible() && most > LRD__INTERRUPT_STEP_MS)
        most = LRD__INTERRUPT_STEP_MS;
    ms = ms < most ? ms : most;
    lrd__wait_word words[] = {
        {.value = (uint32_t)known,
         .address = (uint64_t)(uintptr_t)watch_low(watch->word),
         .flags = LRD__WAIT_32},
        {.value = watch->seen, .address = (uint64_t)(uintptr_t)watch->epoch, .flags = LRD__WAIT_32},
    };
    struct timespec until = lrd__clock_after(ms * 1000000);
    LRD__FAILPOINT("watch_sleeps");
    if (syscall(LRD__SYS_WAITV, words, 2, 0, &until, CLOCK_MONOTONIC) >= 0)
        return 0;
    if (errno == EINTR || errno == EAGAIN || errno == ETIMEDOUT)
        return errno;
    /* Without futex_waitv(2), this thread can sleep only on the counter. A clear does not wake this
     * thread, so the sleep must be short. */
    ms = ms < WATCH_STEP_MS ? ms : WATCH_STEP_MS;
    return lrd__futex_wait(watch_low(watch->word), (uint32_t)known, ms);
}

int lrd_watch_wait(const lrd_watch *watch, int64_t known, uint64_t wait_ms, int64_t *value)
{
    uint64_t start = lrd__clock_monotonic_ms();
    for (;;) {
        if (!lrd_watch_read(watch, value))
            return LRD_STALE;
        if (*value != known)
            return LRD_OK;
        uint64_t waited = lrd__clock_monotonic_ms() - start;
        if (waited >= wait_ms)
            return LRD_MISS;
        if (lrd__interrupted())
            return LRD_INTR;
        if (watch_sleep(watch, known, wait_ms - waited) == EINTR)
            return lrd__interrupt_end();
    }
}
