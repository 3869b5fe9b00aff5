/* wait.h - waiting for other processes: by sleeping, or by the program's event loop. */
#ifndef LARDER_API_WAIT_H
#define LARDER_API_WAIT_H

#include "php_larder.h"

/* A wait with a time limit, in steps. Each step is a call of the core that may sleep for sleep_ms:
 *   for (larder_wait wait = larder_wait_for(ms); larder_wait_goes_on(&wait);) {
 *       LARDER_CALL(rc, ... wait.sleep_ms ...);
 *       if (the call has found something, or failed)
 *           break;
 *   }
 * User code runs between the steps if the program has called Larder\waitWith(). The loop ends when
 * the time is over, or when that code has thrown. */
typedef struct larder_wait {
    uint64_t sleep_ms; /* how long the next call of the core may sleep */
    uint64_t wait_ms;  /* length of the whole wait */
    uint64_t until;    /* 0: not known yet */
    uint32_t pause_ms; /* length of the last pause; 0: none yet */
    bool begun, is_last;
} larder_wait;

static inline larder_wait larder_wait_for(uint64_t ms) { return (larder_wait){.wait_ms = ms}; }
bool larder_wait_goes_on(larder_wait *wait);

/* Return true if the program has a function for waiting: Larder\waitWith(). */
static zend_always_inline bool larder_wait_is_loop(void) { return LARDER_G(waiter) != NULL; }
/* Wait by the program's function, for at most left_ms. *pause_ms is 0 before the first call; the
 * pauses grow from call to call. Returns false if it did not wait. If there is no exception then,
 * the caller sleeps instead. */
bool larder_pause(uint32_t *pause_ms, uint64_t left_ms);

/* Return the monotonic clock in milliseconds. The end of a wait is computed from it, because the
 * sum of the pauses would be wrong on a busy processor. */
uint64_t larder_wait_clock(void);

/* Return true if another thread waits for a key that this thread has locked, in any store of this
 * request. Then this thread must not wait for a computation, because the computing thread may be
 * waiting for this one. */
bool larder_lock_wanted(void);

/* Forget the program's function for waiting. */
void larder_wait_forget(void);
static zend_always_inline void larder_wait_end_request(void)
{
    if (UNEXPECTED(larder_wait_is_loop()))
        larder_wait_forget();
}

#endif
