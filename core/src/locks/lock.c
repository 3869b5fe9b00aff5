/* lock.c - shard locks and leases: robust locks (mutex.h) whose holder may be stopped,
 * dead, or dead without the kernel having noticed. Only writers come here. Read lrd__shard_lock()
 * first.
 *
 * A mutex goes to whoever comes first when it is free, which is mostly who has just had it. So that
 * many writers of one key get their share, those who had to wait for LOCK_TURNS_AFTER_MS begin to
 * take turns:
 *
 *   turn = mine, until ...   lock and unlock as usual, without the others; the longest sleeper is
 *                            woken: he is next
 *   somebody else's turn     sleep until I am next; then until the turn is over, and take it
 *   mine is over             somebody is next: sleep; nobody sleeps: turn = 0
 *   over, and nobody next    whoever comes takes it
 *   over for LOCK_VOID       who was next is gone: whoever comes takes it
 *   nobody to be woken       and the mutex is free: turn = 0
 *   it was hardly used       and the mutex is free: turn = 0, all are woken. These writers do other
 *                            things in between, and would only wait for each other's turns to be
 *                            over
 *
 * Turns are good manners and nothing else: the mutex decides, so a turn that is lost costs time.
 *
 * Invariants
 * - Every wait is bounded by LRD_LOCK_WAIT_MS, counted anew when another who waits has had the
 *   mutex and when who has it waits for a processor, and by LOCK_TURNS_MS in all; it is done in
 *   steps of 50 ms: a robust hand-off can lose its wake-up. Time for which the waiter got no
 *   processor does not count.
 * - A lock taken over from a dead holder is made consistent only after the shard was rebuilt, so a
 *   recoverer may die too, any number of times. Nobody gets a lock whose shard is not vetted
 *   (vet.c).
 * - An owner is declared dead by hand only when /proc has shown for LOCK_GONE_MS that its thread is
 *   gone (id and start time; the id alone where it died before it stored the time): the OOM reaper
 *   can destroy a robust list before the kernel walks it.
 */
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

#define LOCK_LOOKS 64 /* at a lock that is taken: a few microseconds, at most */
/* what one that was taken counts, if one that was not takes one away, ... */
#define LOCK_TAKEN 8u
#define LOCK_CROWDED 64u /* ... and when it is a crowd, which does better with longer turns */
#define LOCK_TURNS_AFTER_MS 10
#define LOCK_TURNS_MS 5000u
#define LOCK_WAIT_MOST 20u /* ms that one wait counts, of which none is for more than 10 */
#define LOCK_STEP_NS 65536 /* turns are timed in these steps: ... */
#define LOCK_TURN 8u       /* ... how long one takes, 0.5 ms */
#define LOCK_HARDLY 32u /* ... how often who writes all the time has the lock in one, at least, */
#define LOCK_IDLE 8u    /* ... and so many turns without that are enough, */
#define LOCK_VOID 153   /* ... and how long who is next may be late, 10 ms */
#define LOCK_LATE 8     /* of those who slept so often, one is woken first */
#define LOCK_NEXT (LRD__TURN_WHO + 1) /* of a turn: somebody knows that the next one is his */

#ifdef LRD_CONTROLS
bool lrd__control_no_recovery;
#endif

/* What a shard needs before its new holder may use it. died: the last holder did. */
static __attribute__((noinline, cold)) void lock_prepare(lrd_store *store, uint32_t index,
                                                         bool died)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    if (atomic_load_explicit(&shard->homes, memory_order_relaxed) == 0)
        lrd__shard_format(store, index);
    if (died)
        /* of deaths in here */
        atomic_fetch_add_explicit(&shard->recoveries, 1, memory_order_relaxed);
    if (!lrd__shard_vetted(store, index))
        lrd__vet_shard(store, index);
    else if (died && !LRD__CONTROL(no_recovery))
        lrd__recover_shard(store, index);
}

/* What to do with the result of taking a shard's lock: 0 where it is held now. */
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

/* Time in steps of 65 us, which wrap. */
static uint32_t lock_time(void)
{
    struct timespec now = lrd__clock_get(CLOCK_MONOTONIC);
    return (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) >> 16);
}

/* Steps since a turn was over; negative before. */
static int32_t lock_over(uint64_t turn, uint32_t now)
{
    return (int32_t)(now - (uint32_t)(turn >> 32));
}

/* Who waits for a turn. */
typedef struct lock_waiter {
    uint32_t me;     /* slot + 1 */
    uint32_t sleeps; /* that ended because time was up */
    bool next;       /* the next turn is mine */
} lock_waiter;

/* Wake who has slept longest. Who has to sleep again comes last in the kernel's list, so sleepers
 * are told apart by how often they have: a bit for each number. */
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

/* Sleep for so many steps, or until who begins a turn wakes me: then the next one is mine. */
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

/* The turn was as given: make it mine, and lock. Where nobody sleeps and the mutex is free there is
 * no crowd. */
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

/* The turn is over. Where it was hardly used, and those before it, turns end if the mutex can be
 * had at once. One alone may have been interrupted. As lrd__lease_wait(). */
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

/* Lock in a turn of mine, or wait for one. As lrd__lease_wait(); ETIMEDOUT: it has to be looked at
 * again. */
static int lock_take_turn(lrd__gate *gate, lock_waiter *waiter)
{
    uint32_t seen = atomic_load_explicit(&gate->passed, memory_order_relaxed), now = lock_time();
    uint64_t turn = atomic_load_explicit(&gate->turn, memory_order_relaxed);
    bool mine = (turn & LRD__TURN_WHO) == waiter->me, next = (turn & LOCK_NEXT) != 0;
    int32_t over = lock_over(turn, now);
    /* Nobody's turn lasts that long: it is so old that time has wrapped. */
    bool gone = over > LOCK_VOID || over < -LOCK_VOID;
    if (mine && over < 0 && !gone)
        return lrd__lease_wait(&gate->lock, LOCK_TURNS_AFTER_MS);
    if (mine && !next) {
        bool woken = lock_wake(gate); /* else nobody waits: turns are over */
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

/* Whether the lock is free, or who has it goes on by itself, as soon as a processor or the kernel
 * lets it. The id alone has to do: who was stopped right after it took the lock has not said
 * more. */
static bool lock_holder_runs(const lrd__gate *gate)
{
    char state = 0;
    int tid = (int)lrd__mutex_owner(&gate->lock);
    return tid == 0 || (lrd__thread_look(tid, &state) != 0 && (state == 'R' || state == 'D'));
}

/* Somebody else has the lock, or it is his turn. As lrd__lease_wait(). */
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
        /* Where a thousand want the processors the holder gets none for long, nor do I. */
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

/* A lock that is taken is mostly free again before anything else could be done, and who waits only
 * loads, so that the line stays where it is stored to. But of those who find it taken most of the
 * time each had better keep it for a while: they go to lock_crowd(). As lrd__mutex_try(). */
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
        /* After the stores of the words, before the load: see lrd__ledger_passed(). */
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
