/* wait.h - waiting for other processes, by sleeping or by the program's event loop. */
#ifndef LARDER_API_WAIT_H
#define LARDER_API_WAIT_H

#include "php_larder.h"

/* A wait with a time limit, in steps. Each step calls the core, which may sleep for `sleep_ms`:
 *
 *   for (larder_wait wait = larder_wait_for(ms); larder_wait_goes_on(&wait);) {
 *       LARDER_CALL(rc, ... wait.sleep_ms ...);
 *       if (the call has found something, or failed)
 *           break;
 *   }
 *
 * Between the steps, user code may run (Larder\waitWith()). The loop also ends if user code
 * throws. */
typedef struct larder_wait {
    uint64_t sleep_ms; /* the time that the next call of the core may sleep */
    uint64_t wait_ms;  /* the time limit of the whole wait */
    uint64_t until;    /* end of the wait, as a time of larder_wait_clock(); 0 if not known yet */
    uint32_t pause_ms; /* the length of the last pause, or 0 before the first one */
    bool begun;
    bool is_last; /* true in the last step; if user code throws, there is no last step */
} larder_wait;

static inline larder_wait larder_wait_for(uint64_t ms) { return (larder_wait){.wait_ms = ms}; }
bool larder_wait_goes_on(larder_wait *wait);

static zend_always_inline bool larder_wait_is_loop(void) { return LARDER_G(waiter) != NULL; }
/* Call the program's wait function one time, to wait at most `left_ms`. Set *pause_ms to 0 before
 * the first call of a wait, and leave it unchanged between the calls. Returns false if the function
 * did not wait. If no exception is set, the caller must then sleep. */
bool larder_pause(uint32_t *pause_ms, uint64_t left_ms);

/* Return the time of the monotonic clock in ms. */
uint64_t larder_wait_clock(void);
/* Return the time in ms of the clock by which entries expire. The clock goes on while the machine
 * is suspended. */
uint64_t larder_boot_clock(void);

/* Sleep before repeating a call of the core that has returned LRD_EBUSY. If the holder of the lock
 * is stopped, a repeated call returns at once, so a loop without this sleep would spin. */
void larder_busy_pause(void);
/* Return true if a loop should repeat its call: `rc` is LRD_EBUSY, and fewer than `most` calls were
 * made. Before the loop, set `rc` to LRD_EBUSY, and *tries to 0. */
static inline bool larder_busy_again(int rc, unsigned *tries, unsigned most)
{
    if (rc != LRD_EBUSY || *tries >= most)
        return false;
    if (*tries != 0)
        larder_busy_pause();
    ++*tries;
    return true;
}

/* Return true if another thread waits for a key that this thread has locked. This thread must then
 * not wait for a value, because the two might wait for each other. */
bool larder_lock_wanted(void);

/* Forget the program's function for waiting. */
void larder_wait_forget(void);
static zend_always_inline void larder_wait_end_request(void)
{
    if (UNEXPECTED(larder_wait_is_loop()))
        larder_wait_forget();
}

#endif
