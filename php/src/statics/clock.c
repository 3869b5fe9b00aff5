/* clock.c - the clock thread. At a given time, it sets another thread's vm_interrupt, to ask for a
 * safe point. A signal would interrupt calls like sleep() in user code.
 *
 * - The first alarm starts the clock thread, which blocks all signals and never ends.
 * - It accesses alarms of other threads under the lock, so a thread must stop its alarm before it
 *   frees the alarm.
 * - It neither maps nor unmaps memory, because holds/memory.c relies on that. */
#include "statics/clock.h"
#include "holds/holds.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define CLOCK_STACK ((size_t)64 << 10) /* bytes */

static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t clock_changed;
static larder_alarm *clock_alarms; /* the alarms that are set */
/* time (ns) at which the clock thread's current sleep ends; UINT64_MAX if no alarm is set */
static uint64_t clock_waits;
static bool clock_runs;
static void (*clock_child)(void);

uint64_t larder_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ring the alarms that are due at the time `now`. Returns the time of the next alarm, or UINT64_MAX
 * if there is none. */
static uint64_t clock_ring(uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (larder_alarm **link = &clock_alarms; *link != NULL;) {
        larder_alarm *alarm = *link;
        if (alarm->due <= now) {
            *link = alarm->next;
            alarm->due = 0;
            alarm->barrier->written = 1;
            zend_atomic_bool_store_ex(alarm->barrier->interrupt, true);
            continue;
        }
        next = MIN(next, alarm->due);
        link = &alarm->next;
    }
    return next;
}

static void *clock_run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&clock_lock);
    for (;;) {
        clock_waits = clock_ring(larder_clock_now());
        if (clock_waits == UINT64_MAX) {
            pthread_cond_wait(&clock_changed, &clock_lock);
            continue;
        }
        struct timespec until = {.tv_sec = (time_t)(clock_waits / 1000000000u),
                                 .tv_nsec = (long)(clock_waits % 1000000000u)};
        pthread_cond_timedwait(&clock_changed, &clock_lock, &until);
    }
    return NULL;
}

static bool clock_start(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, CLOCK_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    clock_waits = 0;
    clock_runs = pthread_create(&thread, &attributes, clock_run, NULL) == 0;
    if (clock_runs)
        larder_memory_own_thread(true);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return clock_runs;
}

static void clock_unlink(const larder_alarm *alarm)
{
    larder_alarm **link = &clock_alarms;
    while (*link != NULL && *link != alarm)
        link = &(*link)->next;
    if (*link != NULL)
        *link = alarm->next;
}

bool larder_alarm_set(larder_alarm *alarm, uint64_t due)
{
    pthread_mutex_lock(&clock_lock);
    if (alarm->due != 0)
        clock_unlink(alarm);
    alarm->due = due;
    alarm->next = clock_alarms;
    clock_alarms = alarm;
    bool good = clock_runs || clock_start();
    if (!good) {
        clock_unlink(alarm);
        alarm->due = 0;
    } else if (due < clock_waits) {
        pthread_cond_signal(&clock_changed);
    }
    pthread_mutex_unlock(&clock_lock);
    return good;
}

void larder_alarm_stop(larder_alarm *alarm)
{
    pthread_mutex_lock(&clock_lock);
    if (alarm->due != 0)
        clock_unlink(alarm);
    alarm->due = 0;
    pthread_mutex_unlock(&clock_lock);
}

static void clock_init(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&clock_changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Make a new lock in a forked child, because a thread that does not exist in the child may have
 * held the old one. The child has no alarms. */
static void clock_forked(void)
{
    pthread_mutex_init(&clock_lock, NULL);
    clock_init();
    for (larder_alarm *alarm = clock_alarms; alarm != NULL; alarm = alarm->next)
        alarm->due = 0;
    clock_alarms = NULL;
    clock_runs = false;
    larder_memory_own_thread(false);
    clock_child();
}

void larder_clock_startup(void (*child)(void))
{
    clock_child = child;
    clock_init();
    pthread_atfork(NULL, NULL, clock_forked);
}
