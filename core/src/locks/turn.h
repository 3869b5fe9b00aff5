/* turn.h - what turn.c offers. */
#pragma once

#include "ground/private.h"

/* A thread that waits for a turn. */
typedef struct lrd__turn_waiter {
    uint32_t me;     /* slot + 1 */
    uint32_t sleeps; /* number of sleeps that ended because the time was up */
    bool next;       /* the next turn is this thread's */
} lrd__turn_waiter;

/* Lock in a turn of this thread, or wait for one. Returns as lrd__lease_wait() does; after
 * ETIMEDOUT the caller looks again. */
int lrd__turn_take(lrd__gate *gate, lrd__turn_waiter *waiter);
