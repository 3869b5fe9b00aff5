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
    uint64_t until;    /* the end of the wait by larder_wait_clock(), or 0 if it is not known yet */
    uint32_t pause_ms; /* the length of the last pause, or 0 before the first one */
    bool begun, is_last;
} larder_wait;

static inline larder_wait larder_wait_for(uint64_t ms) { return (larder_wait){.wait_ms = ms}; }
bool larder_wait_goes_on(larder_wait *wait);

/* Return true if the program has a function for waiting: Larder\waitWith(). */
static zend_always_inline bool larder_wait_is_loop(void) { return LARDER_G(waiter) != NULL; }
/* Call the program's function for waiting, to wait at most `left_ms`. Set `*pause_ms` to 0 before
 * the first call of a wait; the pauses grow from call to call. Returns false if the function could
 * not wait, or has thrown. After false, the caller sleeps instead, unless an exception is set. */
bool larder_pause(uint32_t *pause_ms, uint64_t left_ms);

/* Return the time (ms) of the monotonic clock. A wait computes its end from this time, because on a
 * busy processor pauses last longer than their nominal length. */
uint64_t larder_wait_clock(void);
/* Return the time (ms) of the clock that also counts the time in which the machine is suspended.
 * Times to live in the store count such time, too. */
uint64_t larder_boot_clock(void);

/* Sleep after a call that has returned LRD_EBUSY, before the caller tries again. If a process is
 * stopped, only the first call of the core waits for it. Later calls return immediately. */
void larder_busy_pause(void);
/* Return true if the caller must try a call of the core, for the first time or again. `rc` is the
 * result of the previous try. A call that returns LRD_EBUSY is tried up to `most` times. Counts the
 * tries in *tries, and sleeps between two tries. Before the first try, `rc` must be LRD_EBUSY, and
 * *tries must be 0. */
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
 * request. If the result is true, this thread must not wait for a computation: the computing thread
 * may be the one that waits for this thread. */
bool larder_lock_wanted(void);

/* Forget the program's function for waiting. */
void larder_wait_forget(void);
static zend_always_inline void larder_wait_end_request(void)
{
    if (UNEXPECTED(larder_wait_is_loop()))
        larder_wait_forget();
}

#endif
