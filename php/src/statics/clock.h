/* clock.h - wakes a thread of PHP at its next safe point after some time. */
#ifndef LARDER_STATICS_CLOCK_H
#define LARDER_STATICS_CLOCK_H

#include "statics/barrier.h"

typedef struct larder_alarm {
    struct larder_alarm *next;
    larder_barrier *barrier; /* whose thread is woken, as if it had written */
    uint64_t due;            /* nanoseconds of larder_clock_now(); 0: not set */
} larder_alarm;

/* Nanoseconds since some time in the past. */
uint64_t larder_clock_now(void);
/* Set the alarm for `due`, or soon after, replacing an earlier one. Returns false if no thread can
 * be created for it. */
bool larder_alarm_set(larder_alarm *alarm, uint64_t due);
/* Cancel the alarm. */
void larder_alarm_stop(larder_alarm *alarm);
/* Call this once, before any alarm, because a fork does not copy the thread. child: runs in the
 * child. */
void larder_clock_startup(void (*child)(void)) ZEND_COLD;

#endif
