/* wait.h - waiting for other processes, by sleeping or by the program's event loop. */
#ifndef LARDER_API_WAIT_H
#define LARDER_API_WAIT_H

#include "php_larder.h"

/* A wait with a time limit, in steps. Each step is a call of the core that may sleep for
 * `sleep_ms`:
 *
 *   for (larder_wait wait = larder_wait_for(ms); larder_wait_goes_on(&wait);) {
 *       LARDER_CALL(rc, ... wait.sleep_ms ...);
 *       if (the call has found something, or failed)
 *           break;
 *   }
 *
 * User code runs between the steps if the program has called Larder\waitWith(). The loop ends when
 * the time is over, or when this user code has thrown. */
typedef struct larder_wait {
    uint64_t sleep_ms; /* the time that the next call of the core may sleep */
    uint64_t wait_ms;  /* the time limit of the whole wait */
    uint64_t until;    /* when the wait ends, by larder_wait_clock(); 0 if not known yet */
    uint32_t pause_ms; /* the length of the last pause, or 0 before the first one */
    bool begun, is_last;
} larder_wait;

static inline larder_wait larder_wait_for(uint64_t ms) { return (larder_wait){.wait_ms = ms}; }
bool larder_wait_goes_on(larder_wait *wait);

/* Return true if the program has a function for waiting: Larder\waitWith(). */
static zend_always_inline bool larder_wait_is_loop(void) { return LARDER_G(waiter) != NULL; }
/* Call the program's function for waiting once, for at most `left_ms`. The pauses of a wait grow
 * with each call; *pause_ms must be 0 before the first one. Returns false if the function could not
 * wait, or has thrown. The caller must then sleep itself, unless an exception is set. */
bool larder_pause(uint32_t *pause_ms, uint64_t left_ms);

/* Return the time (ms) of the monotonic clock. A wait ends by this clock, not by the sum of its
 * pauses, because pauses last longer on a busy processor. */
uint64_t larder_wait_clock(void);
/* Return the time (ms) of a clock that continues while the machine is suspended. The store measures
 * times to live with such a clock. */
uint64_t larder_boot_clock(void);

/* Sleep before repeating a call that has returned LRD_EBUSY. The core waits for a stopped process
 * only once. Later calls return immediately, so the caller must sleep itself. */
void larder_busy_pause(void);
/* The condition of a loop that calls the core again while the result `rc` is LRD_EBUSY, at most
 * `most` times. Sleeps before each call except the first. Before the loop, set `rc` to LRD_EBUSY,
 * and *tries to 0. */
static inline bool larder_busy_again(int rc, unsigned *tries, unsigned most)
{
    if (rc != LRD_EBUSY || *tries >= most)
        return false;
    if (*tries != 0)
        larder_busy_pause();
    ++*tries;
    return true;
}

/* Return true if another thread waits for a key that this thread has locked, in any store of this
 * request. In this case, this thread must not wait for a value: the two threads might wait for each
 * other for ever. */
bool larder_lock_wanted(void);

/* Forget the program's function for waiting. */
void larder_wait_forget(void);
static zend_always_inline void larder_wait_end_request(void)
{
    if (UNEXPECTED(larder_wait_is_loop()))
        larder_wait_forget();
}

#endif
