/* lock.c - shard locks: robust locks (mutex.h) whose holder may be stopped, or dead, or dead
 * without the kernel having noticed. Only writers come here. Read lrd__shard_lock() first.
 *
 * A free mutex goes to the first thread that asks for it, which is usually the thread that has just
 * released it. To give many writers of one key fair shares, waiters that have waited for
 * LOCK_TURNS_AFTER_MS begin to take turns:
 *
 *   the turn                 what a writer does
 *   mine, not over yet       lock and unlock as usual, while the other writers stay away. At the
 *                            beginning wake the longest sleeper: it is next
 *   another thread's         sleep until a new turn makes me the next; then wait until that turn is
 *                            over, and begin mine
 *   mine, but over           if a thread is next, sleep. Else wake one; if none sleeps, turn = 0
 *   over, no thread is next  begin mine
 *   over for LOCK_VOID       the next thread is gone: begin mine
 *   begun, no sleeper found  if the mutex is free, turn = 0
 *   over and hardly used     after LOCK_IDLE such turns, if the mutex is free: turn = 0, wake all.
 *                            These writers do other work in between, and would only wait for each
 *                            other's turns to end
 *
 * Turns only make the lock fair. The mutex alone excludes, so a lost turn costs time and nothing
 * else.
 *
 * Invariants
 * - Every wait is bounded: by LRD_LOCK_WAIT_MS, counted anew when another waiter takes the mutex
 *   and while the holder only waits for a processor or the kernel, and by LOCK_TURNS_MS in all. A
 *   wait proceeds in steps of 50 ms, because a robust hand-off can lose its wake-up. Time in which
 *   the waiter got no processor does not count.
 * - A lock taken over from a dead holder is made consistent only after the shard was rebuilt. So a
 *   recoverer may die, too, any number of times. No thread gets a lock before its shard is vetted
 *   (vet.c).
 * - An owner is declared dead by hand only after /proc has shown for LOCK_GONE_MS that its thread
 *   is gone. A thread is known by its id and start time, or by its id alone if it died before it
 *   stored the time. This is needed because the OOM reaper can destroy a robust list before the
 *   kernel walks it. */
#include "locks/lock.h"
#include "ground/error.h"
#include "ground/clock.h"
#include "ground/word.h"
#include "ground/lease.h"
#include "ground/map.h"
#include "mending/recover.h"
#include "mending/vet.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCK_LOOKS 64 /* looks at a taken lock: a few microseconds at most */
/* A lock found taken adds this to lrd__thread.crowded; a lock found free subtracts 1. */
#define LOCK_TAKEN 8u
#define LOCK_CROWDED 64u /* from here on it is a crowd, which does better with longer turns */
#define LOCK_TURNS_AFTER_MS 10
#define LOCK_TURNS_MS 5000u
#define LOCK_WAIT_MOST 20u /* ms that one wait counts at most; a wait is for 10 ms at most */
#define LOCK_STEP_NS 65536 /* turns are timed in steps of this length */
#define LOCK_TURN 8u       /* steps of one turn: 0.5 ms */
#define LOCK_HARDLY 32u    /* a steady writer takes the lock at least this often in its turn */
#define LOCK_IDLE 8u       /* hardly used turns in a row that end the turns */
#define LOCK_VOID 153      /* steps by which the next thread may be late: 10 ms */
#define LOCK_LATE 8        /* waiters that have slept this many times are woken first */
#define LOCK_NEXT (LRD__TURN_WHO + 1) /* bit of a turn: a waiter knows that it is next */

#ifdef LRD_CONTROLS
bool lrd__control_no_recovery;
#endif

/* Prepare a shard for its new holder: format, vet or recover it. died: the last holder died. */
static __attribute__((noinline, cold)) void lock_prepare(lrd_store *store, uint32_t index,
                                                         bool died)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    if (atomic_load_explicit(&shard->homes, memory_order_relaxed) == 0)
        lrd__shard_format(store, index);
    if (died)
        /* counts deaths under this lock */
        atomic_fetch_add_explicit(&shard->recoveries, 1, memory_order_relaxed);
    if (!lrd__shard_vetted(store, index))
        lrd__vet_shard(store, index);
    else if (died && !LRD__CONTROL(no_recovery))
        lrd__recover_shard(store, index);
}

/* Finish taking a shard's lock, with the result of the mutex. Returns 0 if the lock is held now. */
static inline int lock_taken(lrd_store *store, const lrd__thread *self, uint32_t index, int rc)
{
    lrd__assert(index < store->geo.shards);
    lrd__gate *gate = store->gates + index;
    if (rc != 0 && rc != EOWNERDEAD)
        return rc;
    lrd__assert_take(store, index);
    lrd__prefetch_write(&store->shards[index].version);
    lrd__who_set(&gate->holder, self != NULL ? self->tid : 0, self != NULL ? self->started : 0);
    uint32_t homes = atomic_load_explicit(&store->shards[index].homes, memory_order_relaxed);
    if (__builtin_expect(rc == 0 && homes != 0 && lrd__shard_vetted(store, index), 1))
        return 0;
    lock_prepare(store, index, rc == EOWNERDEAD);
    if (rc == EOWNERDEAD) {
        rc = lrd__mutex_consistent(&gate->lock);
        LRD__FAILPOINT("lock_recovered");
    }
    return rc;
}

/* ---- turns ---- */

/* Return the time in steps of 65 us; it wraps. */
static uint32_t lock_time(void)
{
    struct timespec now = lrd__clock_get(CLOCK_MONOTONIC);
    return (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) >> 16);
}

/* Return the steps since a turn was over; negative before its end. */
static int32_t lock_over(uint64_t turn, uint32_t now)
{
    return (int32_t)(now - (uint32_t)(turn >> 32));
}

/* A thread that waits for a turn. */
typedef struct lock_waiter {
    uint32_t me;     /* slot + 1 */
    uint32_t sleeps; /* sleeps that ended because the time was up */
    bool next;       /* the next turn is mine */
} lock_waiter;

/* Wake the longest sleeper. A thread that has to sleep again goes to the end of the kernel's list,
 * so sleepers are told apart by how often they have slept: a bit for each number. */
static bool lock_wake(lrd__gate *gate)
{
    static const uint32_t sleepers[] = {UINT32_MAX << LOCK_LATE, UINT32_MAX << 1, UINT32_MAX};
    bool woken = false;
    atomic_fetch_add_explicit(&gate->passed, 1, memory_order_relaxed);
    for (size_t i = 0; i < sizeof sleepers / sizeof *sleepers && !woken; i++)
        woken =
            syscall(SYS_futex, &gate->passed, FUTEX_WAKE_BITSET, 1, NULL, NULL, sleepers[i]) > 0;
    return woken;
}

/* Sleep for this number of steps, or until a thread that begins a turn wakes this one: then the
 * next turn is ours. */
static void lock_sleep(lrd__gate *gate, lock_waiter *waiter, uint32_t seen, int32_t steps)
{
    struct timespec until = lrd__clock_get(CLOCK_MONOTONIC);
    until.tv_nsec += (long)steps * LOCK_STEP_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    LRD__FAILPOINT("lock_sleep");
    waiter->next = syscall(SYS_futex, &gate->passed, FUTEX_WAIT_BITSET, seen, &until, NULL,
                           1u << waiter->sleeps) == 0;
    if (!waiter->next && errno == ETIMEDOUT && waiter->sleeps < 31)
        waiter->sleeps++;
}

/* Replace the given turn by one of this thread, and lock. If no thread sleeps and the mutex is
 * free, there is no crowd, and turns end. Returns as lrd__lease_wait() does; ETIMEDOUT also if the
 * turn has changed. */
static int lock_begin_turn(lrd__gate *gate, uint64_t turn, uint32_t me)
{
    uint64_t mine = (uint64_t)(lock_time() + LOCK_TURN) << 32 | me;
    if (!atomic_compare_exchange_strong_explicit(&gate->turn, &turn, mine, memory_order_relaxed,
                                                 memory_order_relaxed))
        return ETIMEDOUT;
    LRD__FAILPOINT("lock_turn");
    atomic_store_explicit(&gate->began, atomic_load_explicit(&gate->had, memory_order_relaxed),
                          memory_order_relaxed);
    bool woken = lock_wake(gate);
    int rc = woken ? EBUSY : lrd__mutex_try(&gate->lock);
    if (rc != EBUSY || woken)
        atomic_compare_exchange_strong_explicit(&gate->turn, &mine, woken ? mine | LOCK_NEXT : 0,
                                                memory_order_relaxed, memory_order_relaxed);
    return rc == EBUSY ? lrd__lease_wait(&gate->lock, LOCK_TURNS_AFTER_MS) : rc;
}

/* Note the end of a turn. If this and the turns before it were hardly used, and the mutex is free,
 * take it and end the turns. One such turn proves nothing: its thread may have been interrupted.
 * Returns as lrd__mutex_try() does. */
static int lock_end_turns(lrd__gate *gate, uint64_t turn)
{
    uint32_t used = atomic_load_explicit(&gate->had, memory_order_relaxed) -
                    atomic_load_explicit(&gate->began, memory_order_relaxed);
    uint32_t idle = atomic_load_explicit(&gate->idle, memory_order_relaxed);
    idle = used < LOCK_HARDLY ? idle + 1 : 0;
    atomic_store_explicit(&gate->idle, idle, memory_order_relaxed);
    int rc = idle >= LOCK_IDLE ? lrd__mutex_try(&gate->lock) : EBUSY;
    if (rc != EBUSY && atomic_compare_exchange_strong_explicit(
                           &gate->turn, &turn, 0, memory_order_relaxed, memory_order_relaxed)) {
        atomic_store_explicit(&gate->idle, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&gate->passed, 1, memory_order_relaxed);
        syscall(SYS_futex, &gate->passed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    return rc;
}

/* Lock in a turn of this thread, or wait for one. Returns as lrd__lease_wait() does; after
 * ETIMEDOUT the caller looks again. */
static int lock_take_turn(lrd__gate *gate, lock_waiter *waiter)
{
    uint32_t seen = atomic_load_explicit(&gate->passed, memory_order_relaxed), now = lock_time();
    uint64_t turn = atomic_load_explicit(&gate->turn, memory_order_relaxed);
    bool mine = (turn & LRD__TURN_WHO) == waiter->me, next = (turn & LOCK_NEXT) != 0;
    int32_t over = lock_over(turn, now);
    /* No turn lasts that long: it is so old that the time has wrapped. */
    bool gone = over > LOCK_VOID || over < -LOCK_VOID;
    if (mine && over < 0 && !gone)
        return lrd__lease_wait(&gate->lock, LOCK_TURNS_AFTER_MS);
    if (mine && !next) {
        bool woken = lock_wake(gate); /* if no thread waits, turns are over */
        return atomic_compare_exchange_strong_explicit(
                   &gate->turn, &turn, woken ? turn | LOCK_NEXT : 0, memory_order_relaxed,
                   memory_order_relaxed) &&
                       !woken
                   ? lrd__lease_wait(&gate->lock, LOCK_TURNS_AFTER_MS)
                   : ETIMEDOUT;
    }
    if (turn == 0 || gone || (over >= 0 && (waiter->next || !next))) {
        waiter->next = false;
        int rc = turn == 0 ? lrd__lease_wait(&gate->lock, LOCK_TURNS_AFTER_MS)
                           : lock_end_turns(gate, turn);
        return rc == EBUSY || rc == ETIMEDOUT ? lock_begin_turn(gate, turn, waiter->me) : rc;
    }
    if (waiter->next) {
        struct timespec wait = {0, (long)-over * LOCK_STEP_NS};
        nanosleep(&wait, NULL);
    } else {
        lock_sleep(gate, waiter, seen, (next ? LOCK_VOID + 1 : 0) - over);
    }
    return ETIMEDOUT;
}

/* Return whether the lock is free, or its holder goes on by itself as soon as a processor or the
 * kernel lets it. Only the id of the holder is used: a thread that was stopped right after it took
 * the lock has recorded nothing else. */
static bool lock_holder_runs(const lrd__gate *gate)
{
    char state = 0;
    int tid = (int)lrd__mutex_owner(&gate->lock);
    return tid == 0 || (lrd__thread_look(tid, &state) != 0 && (state == 'R' || state == 'D'));
}

/* Wait for a lock that another thread has, or whose turn is another thread's. Returns as
 * lrd__lease_wait() does. */
static __attribute__((noinline, cold)) int lock_crowd(lrd__gate *gate, uint32_t me)
{
    lock_waiter waiter = {.me = me};
    int rc = ETIMEDOUT;
    uint64_t before = lrd__clock_monotonic_ms(), all = 0, still = 0;
    uint32_t had = atomic_load_explicit(&gate->had, memory_order_relaxed);
    while (rc == ETIMEDOUT && all < LOCK_TURNS_MS &&
           (still < LRD_LOCK_WAIT_MS || lock_holder_runs(gate))) {
        still = still < LRD_LOCK_WAIT_MS ? still : 0;
        rc = lock_take_turn(gate, &waiter);
        uint64_t now = lrd__clock_monotonic_ms();
        /* If a thousand threads want the processors, the holder gets none for long, nor does this
         * thread. */
        uint64_t waited = now - before < LOCK_WAIT_MOST ? now - before : LOCK_WAIT_MOST;
        uint32_t others = atomic_load_explicit(&gate->had, memory_order_relaxed);
        still = others != had ? 0 : still + waited;
        all += waited;
        before = now;
        had = others;
        if (rc == 0 || rc == EOWNERDEAD)
            atomic_store_explicit(&gate->had, had + 1, memory_order_relaxed);
    }
    return rc;
}

/* Look at a taken lock for a moment. It is usually free again before the thread could do anything
 * else, and a waiter only loads, so the line stays with the processor that stores to it. Threads
 * that find the lock taken most of the time go to lock_crowd() at once: each does better to keep
 * the lock for a while. Returns as lrd__mutex_try() does. */
static __attribute__((noinline)) int lock_look(lrd__thread *self, lrd__mutex *mutex)
{
    if (self->crowded >= LOCK_CROWDED)
        return EBUSY;
    self->crowded += LOCK_TAKEN;
    for (int i = 0; i < LOCK_LOOKS && lrd__mutex_owner(mutex) != 0; i++)
        lrd__lease_pause();
    return lrd__mutex_try(mutex);
}

int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    int rc = lrd__mutex_try(&store->gates[index].lock);
    return lock_taken(store, self, index, rc) == 0 ? LRD_OK : LRD_EBUSY;
}

int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    lrd__gate *gate = store->gates + index;
    if (self == NULL && (store->barred || !lrd__process_sound()))
        return lrd__fail(
            LRD_ENOSLOT,
            "this child of a raw clone(2), or of a fork without a free slot, cannot use the store");
    bool free = atomic_load_explicit(&gate->turn, memory_order_relaxed) == 0 || self == NULL;
    int rc = free ? lrd__mutex_try(&gate->lock) : EBUSY;
    if (rc == EBUSY && free && self != NULL)
        rc = lock_look(self, &gate->lock);
    else if (rc == 0 && self != NULL && self->crowded != 0)
        self->crowded--;
    if (rc == EBUSY)
        rc = self != NULL ? lock_crowd(gate, self->slot_index + 1)
                          : lrd__lease_wait(&gate->lock, LRD_LOCK_WAIT_MS);
    if (rc == ETIMEDOUT && lrd__lease_gone(&gate->lock, &gate->holder))
        rc = lrd__mutex_try(&gate->lock);
    rc = lock_taken(store, self, index, rc);
    if (rc != 0) {
        atomic_fetch_add_explicit(&store->shards[index].busy, 1, memory_order_relaxed);
        return lrd__fail(LRD_EBUSY, "shard %u: %s", index, strerror(rc));
    }
    LRD__FAILPOINT("lock_taken");
    return LRD_OK;
}

void lrd__shard_unlock(lrd_store *store, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    if (shard->unlinked != 0) {
        /* Orders the stores of the words before this load: see lrd__ledger_passed(). */
        atomic_thread_fence(memory_order_seq_cst);
        shard->unlinked_at =
            atomic_load_explicit(&store->header->barriers_begun, memory_order_seq_cst);
        LRD__FAILPOINT("lock_stamped");
        shard->unlinked = 0;
    }
    LRD__FAILPOINT("lock_release");
    lrd__assert_drop(store, index);
    lrd__mutex_unlock(&store->gates[index].lock);
}
