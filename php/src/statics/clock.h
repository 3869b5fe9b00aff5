/* clock.h - asks a thread for a safe point (a call of zend_interrupt_function) at a given time */
#ifndef LARDER_STATICS_CLOCK_H
#define LARDER_STATICS_CLOCK_H

#include "statics/barrier.h"

typedef struct larder_alarm {
    struct larder_alarm *next;
    /* the barrier of the thread that has set the alarm; when the alarm rings, it sets flags of the
     * barrier */
    larder_barrier *barrier;
    uint64_t due; /* time by larder_clock_now(), or 0 if the alarm is not set */
} larder_alarm;

/* Return the time (ns) of CLOCK_MONOTONIC. */
uint64_t larder_clock_now(void);
/* Set the alarm, or change its time. Returns false if the clock thread cannot be created. */
bool larder_alarm_set(larder_alarm *alarm, uint64_t due);
/* Cancel the alarm. */
void larder_alarm_stop(larder_alarm *alarm);
/* Call this before any alarm is set. `child` runs in each forked child. */
void larder_clock_startup(void (*child)(void)) ZEND_COLD;

#endif
