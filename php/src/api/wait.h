/* wait.h - waiting for other processes, asleep or by the program's event loop. */
#ifndef LARDER_API_WAIT_H
#define LARDER_API_WAIT_H

#include "php_larder.h"

/* A bounded wait in steps. Each step is a call of the core that may sleep for sleep_ms:
 *     for (larder_wait wait = larder_wait_for(ms); larder_wait_goes_on(&wait);) {
 *         LARDER_CALL(rc, ... wait.sleep_ms ...);
 *         if (the call has found something, or failed)
 *             break;
 *     }
 * User code runs between the steps if the program has called Larder\waitWith(). The loop also ends
 * with the time, and with an exception of that code. */
typedef struct larder_wait {
    uint64_t sleep_ms; /* for the next call of the core */
    uint64_t wait_ms;  /* in all */
    uint64_t until;    /* 0: not known yet */
    uint32_t pause_ms; /* ms of the last pause; 0: none yet */
    bool begun, is_last;
} larder_wait;

static inline larder_wait larder_wait_for(uint64_t ms) { return (larder_wait){.wait_ms = ms}; }
bool larder_wait_goes_on(larder_wait *wait);

/* True if the program has set a function for its waits. */
static zend_always_inline bool larder_wait_is_loop(void) { return LARDER_G(waiter) != NULL; }
/* Let the program wait for at most left_ms, longer each time: *pause_ms is 0 at first. Returns
 * false, with or without an exception, if it has not waited; then sleep instead. */
bool larder_pause(uint32_t *pause_ms, uint64_t left_ms);

/* Return milliseconds of the monotonic clock. Waits end by this clock, not by the sum of their
 * pauses, because a pause lasts longer on a busy processor. */
uint64_t larder_wait_clock(void);

/* True if another thread waits for a key that this thread has reserved in any store of this
 * request. Then this thread must not wait for another computation, which may wait for its own. */
bool larder_lock_wanted(void);

void larder_wait_forget(void);

#endif
