/* turn.h - what turn.c offers. */
#pragma once

#include "ground/private.h"

typedef struct lrd__turn_waiter {
    uint32_t me;     /* number of the thread's slot + 1 */
    uint32_t sleeps; /* number of sleeps that ended because the time was up */
    bool next;       /* true if this thread has the next turn */
} lrd__turn_waiter;

/* Take the lock, or wait for this thread's turn. Returns a code of lrd__lease_wait(); after
 * ETIMEDOUT, try again. */
int lrd__turn_take(lrd__gate *gate, lrd__turn_waiter *waiter);
