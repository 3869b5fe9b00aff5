/* futex.h - futex(2), and the parts of futex_waitv(2) that old headers lack. */
#pragma once

#include "ground/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Wake up to `most` threads that sleep on a word. Returns how many were woken. */
static inline long lrd__futex_wake(const void *word, int most)
{
    return syscall(SYS_futex, word, FUTEX_WAKE, most, NULL, NULL, 0);
}
/* Sleep on a word while it equals `seen`, for up to `ms` milliseconds. Returns 0, EAGAIN (another
 * value), ETIMEDOUT or EINTR. */
static inline int lrd__futex_wait(const void *word, uint32_t seen, uint64_t ms)
{
    struct timespec span = lrd__clock_span(ms);
    return syscall(SYS_futex, word, FUTEX_WAIT, seen, &span, NULL, 0) == 0 ? 0 : errno;
}

#define LRD__SYS_WAITV 449
#define LRD__WAIT_32 2u /* flags of futex_waitv(2): a word of 32 bits, shared by processes */

typedef struct lrd__wait_word {
    uint64_t value, address;
    uint32_t flags, reserved;
} lrd__wait_word;
