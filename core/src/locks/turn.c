/* turn.c - lets many writers take turns at a shard's lock. In its turn, a writer may use the lock
 * as often as it likes. The mutex alone protects the shard. Begin reading at lrd__turn_take().
 *
 * A free mutex usually goes to the thread that has just released it, so waiters begin to take turns
 * after TURN_AFTER_MS. While turn = 0, no turns are taken. Otherwise:
 *
 *   the current turn         what a writer does
 *   mine, just begun         wake the longest sleeper: it gets the next turn. Set turn = 0 if no
 *                            thread sleeps and the mutex is free
 *   mine, not over yet       lock and unlock as usual, while the other writers stay away
 *   another thread's         sleep until another writer wakes me: I get the next turn. Wait until
 *                            the current turn is over, and begin mine
 *   mine, but over           if a thread has the next turn, sleep. Otherwise wake a sleeper; set
 *                            turn = 0 if no thread sleeps
 *   over, no thread is next  begin mine
 *   over for TURN_VOID       the next thread is gone: begin mine
 *   over and hardly used     after TURN_IDLE such turns, if the mutex is free: set turn = 0, wake
 *                            all sleepers */
#include "locks/turn.h"
#include "ground/futex.h"
#include "ground/lease.h"

#include <limits.h>

#define TURN_AFTER_MS 10
#define TURN_STEP_NS 65536
#define TURN_STEPS 8u /* length of a turn in steps: 0.5 ms */
/* a turn is hardly used if the lock is taken fewer than TURN_HARDLY times during the turn */
#define TURN_HARDLY 32u
/* after this number of hardly used turns in a row, writers stop taking turns */
#define TURN_IDLE 8u
/* A number of steps: 10 ms. If the next turn has not begun by this time after the previous turn has
 * ended, the thread that should take the next turn counts as gone. */
#define TURN_VOID 153
/* waiters that have slept at least this number of times are woken first */
#define TURN_LATE 8
/* flag in gate->turn: a woken waiter has the next turn */
#define TURN_NEXT (LRD__TURN_WHO + 1)

/* Return the time in units of TURN_STEP_NS. The number wraps around. */
static uint32_t turn_time(void)
{
    struct timespec now = lrd__clock_get(CLOCK_MONOTONIC);
    return (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) >> 16);
}

/* Return the number of steps since the end of a turn; negative during the turn. */
static int32_t turn_over(uint64_t turn, uint32_t now)
{
    return (int32_t)(now - (uint32_t)(turn >> 32));
}

/* Wake one thread, preferably one that has slept often. After n sleeps, a waiter sleeps with the
 * futex bit mask 1 << n. So the masks below select waiters by their number of sleeps. */
static bool turn_wake(lrd__gate *gate)
{
    static const uint32_t sleepers[] = {UINT32_MAX << TURN_LATE, UINT32_MAX << 1, UINT32_MAX};
    bool woken = false;
    atomic_fetch_add_explicit(&gate->passed, 1, memory_order_relaxed);
    for (size_t i = 0; i < sizeof sleepers / sizeof *sleepers && !woken; i++)
        woken =
            syscall(SYS_futex, &gate->passed, FUTEX_WAKE_BITSET, 1, NULL, NULL, sleepers[i]) > 0;
    return woken;
}

/* Sleep for up to `steps` steps. Sets waiter->next to true after a wake-up, otherwise to false. */
static void turn_sleep(lrd__gate *gate, lrd__turn_waiter *waiter, uint32_t seen, int32_t steps)
{
    struct timespec until = lrd__clock_after((uint64_t)steps * TURN_STEP_NS);
    LRD__FAILPOINT("lock_sleep");
    waiter->next = syscall(SYS_futex, &gate->passed, FUTEX_WAIT_BITSET, seen, &until, NULL,
                           1u << waiter->sleeps) == 0;
    if (!waiter->next && errno == ETIMEDOUT && waiter->sleeps < 31)
        waiter->sleeps++;
}

/* Begin a turn of this thread, and take the lock. If no thread sleeps and the lock is free, writers
 * stop taking turns. Returns ETIMEDOUT if gate->turn has changed from `turn`, otherwise a code of
 * lrd__lease_wait(). */
static int turn_begin(lrd__gate *gate, uint64_t turn, uint32_t me)
{
    uint64_t mine = (uint64_t)(turn_time() + TURN_STEPS) << 32 | me;
    if (!atomic_compare_exchange_strong_explicit(&gate->turn, &turn, mine, memory_order_relaxed,
                                                 memory_order_relaxed))
        return ETIMEDOUT;
    LRD__FAILPOINT("lock_turn");
    atomic_store_explicit(&gate->began, atomic_load_explicit(&gate->had, memory_order_relaxed),
                          memory_order_relaxed);
    bool woken = turn_wake(gate);
    int rc = woken ? EBUSY : lrd__mutex_try(&gate->lock);
    if (rc != EBUSY || woken)
        atomic_compare_exchange_strong_explicit(&gate->turn, &mine, woken ? mine | TURN_NEXT : 0,
                                                memory_order_relaxed, memory_order_relaxed);
    return rc == EBUSY ? lrd__lease_wait(&gate->lock, TURN_AFTER_MS) : rc;
}

/* End a turn whose time is over. If the last TURN_IDLE turns have hardly used the lock, also try to
 * take the lock. If the lock was free, writers stop taking turns. Returns a code of
 * lrd__mutex_try(). */
static int turn_end(lrd__gate *gate, uint64_t turn)
{
    uint32_t used = atomic_load_explicit(&gate->had, memory_order_relaxed) -
                    atomic_load_explicit(&gate->began, memory_order_relaxed);
    uint32_t idle = atomic_load_explicit(&gate->idle, memory_order_relaxed);
    idle = used < TURN_HARDLY ? idle + 1 : 0;
    atomic_store_explicit(&gate->idle, idle, memory_order_relaxed);
    int rc = idle >= TURN_IDLE ? lrd__mutex_try(&gate->lock) : EBUSY;
    if (rc != EBUSY && atomic_compare_exchange_strong_explicit(
                           &gate->turn, &turn, 0, memory_order_relaxed, memory_order_relaxed)) {
        atomic_store_explicit(&gate->idle, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&gate->passed, 1, memory_order_relaxed);
        lrd__futex_wake(&gate->passed, INT_MAX);
    }
    return rc;
}

int lrd__turn_take(lrd__gate *gate, lrd__turn_waiter *waiter)
{
    uint32_t seen = atomic_load_explicit(&gate->passed, memory_order_relaxed), now = turn_time();
    uint64_t turn = atomic_load_explicit(&gate->turn, memory_order_relaxed);
    bool mine = (turn & LRD__TURN_WHO) == waiter->me, next = (turn & TURN_NEXT) != 0;
    int32_t over = turn_over(turn, now);
    /* the thread with the next turn is gone, or the time has wrapped */
    bool gone = over > TURN_VOID || over < -TURN_VOID;
    if (mine && over < 0 && !gone)
        return lrd__lease_wait(&gate->lock, TURN_AFTER_MS);
    if (mine && !next) {
        /* if no thread sleeps, writers stop taking turns */
        bool woken = turn_wake(gate);
        return atomic_compare_exchange_strong_explicit(
                   &gate->turn, &turn, woken ? turn | TURN_NEXT : 0, memory_order_relaxed,
                   memory_order_relaxed) &&
                       !woken
                   ? lrd__lease_wait(&gate->lock, TURN_AFTER_MS)
                   : ETIMEDOUT;
    }
    if (turn == 0 || gone || (over >= 0 && (waiter->next || !next))) {
        waiter->next = false;
        int rc = turn == 0 ? lrd__lease_wait(&gate->lock, TURN_AFTER_MS) : turn_end(gate, turn);
        return rc == EBUSY || rc == ETIMEDOUT ? turn_begin(gate, turn, waiter->me) : rc;
    }
    if (waiter->next) {
        struct timespec wait = {0, (long)-over * TURN_STEP_NS};
        nanosleep(&wait, NULL);
    } else {
        turn_sleep(gate, waiter, seen, (next ? TURN_VOID + 1 : 0) - over);
    }
    return ETIMEDOUT;
}
