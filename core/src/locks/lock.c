/* lock.c - takes and releases shard locks: robust locks (mutex.h) whose holder may be stopped or
 * die. Only writers come here. Many writers of one key take turns (turn.c). Begin reading at
 * lrd__shard_lock().
 *
 * Invariants
 * - A waiter gives up when there was no progress for LRD_LOCK_WAIT_MS, and in any case after
 *   LOCK_TURNS_MS. Progress: another waiter got the lock, or the holder runs, waits for a
 *   processor, or waits for the kernel. A sleep lasts at most 10 ms, because the wake-up of a
 *   robust lock can get lost.
 * - If a thread of this process has waited in vain for a lock whose holder is stopped or frozen
 *   (lock_gives_up()), other threads do not wait for it until the holder has run.
 * - If the holder of a lock died, the lock is made consistent only after the shard was rebuilt, or
 *   if the shard is not vetted yet. So recoverers may die, too. No thread gets the lock of a shard
 *   that was not vetted since the adoption; see vet.c.
 * - Without a report from the kernel, an owner counts as dead only after /proc has shown for
 *   LOCK_GONE_MS that its thread is gone, or is a zombie. This time restarts with each holder. If
 *   the OOM reaper destroys a thread's list of locks first, the kernel reports nothing. */
#include "locks/lock.h"
#include "locks/turn.h"
#include "ground/error.h"
#include "ground/clock.h"
#include "ground/word.h"
#include "ground/lease.h"
#include "ground/map.h"
#include "mending/recover.h"
#include "mending/vet.h"

#include <errno.h>

/* number of checks, in a few microseconds, whether a taken lock has become free */
#define LOCK_LOOKS 64
/* lrd__thread.crowded grows by this number when the thread finds a lock taken, and falls by 1 when
 * the thread finds a lock free */
#define LOCK_TAKEN 8u
/* a thread whose `crowded` is at least this number waits without the LOCK_LOOKS checks */
#define LOCK_CROWDED 64u
#define LOCK_TURNS_MS 5000u
/* Maximum time (ms) that one sleep adds to a waiter's waiting time. A longer sleep probably means
 * that the waiter had no processor. */
#define LOCK_WAIT_MOST 20u

/* Format, vet or recover a shard for its new holder. `died`: the previous holder died. Returns
 * LRD_OK, or an error of lrd__vet_shard(), which leaves the shard not vetted. */
static __attribute__((noinline, cold)) int lock_prepare(lrd_store *store, uint32_t index, bool died)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    if (atomic_load_explicit(&shard->homes, memory_order_relaxed) == 0)
        lrd__shard_format(store, index);
    if (died)
        /* This thread has the lock, so no other thread counts the same death. */
        atomic_fetch_add_explicit(&shard->recoveries, 1, memory_order_relaxed);
    if (!lrd__shard_vetted(store, index))
        return lrd__vet_shard(store, index);
    if (died && !LRD__CONTROL(no_recovery))
        lrd__recover_shard(store, index);
    return LRD_OK;
}

/* Finish taking a shard's lock. `rc` is the mutex's result. Returns 0 if this thread has the lock;
 * otherwise `rc`, or an lrd_code below 0. */
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
    int code = lock_prepare(store, index, rc == EOWNERDEAD);
    if (rc == EOWNERDEAD) {
        rc = lrd__mutex_consistent(&gate->lock);
        LRD__FAILPOINT("lock_recovered");
    }
    if (code == LRD_OK)
        return rc;
    lrd__assert_drop(store, index);
    lrd__mutex_unlock(&gate->lock);
    return code;
}

/* Return a number that stays equal while the lock's holder executes nothing. Returns 0 if the lock
 * is free, or if its holder is running or unknown. */
static uint64_t lock_standstill(const lrd__gate *gate)
{
    uint32_t tid = lrd__mutex_owner(&gate->lock);
    uint64_t slices = tid != 0 ? lrd__thread_stays((int)tid) : 0;
    return slices != 0 ? slices << LRD__TID_BITS | tid : 0;
}

/* Return lock_standstill() for a holder that is stopped or frozen, otherwise 0. `stood` is the
 * result of lock_standstill() some seconds ago. If the result is still equal, the holder is frozen,
 * even if it seems to wait for the kernel. */
static uint64_t lock_gives_up(const lrd__gate *gate, uint64_t stood)
{
    uint64_t stands = lock_standstill(gate);
    return stands == stood || !lrd__lease_holder_runs(&gate->lock) ? stands : 0;
}

bool lrd__shard_was_vain(lrd_store *store, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    uint64_t vain = atomic_load_explicit(store->vain + index, memory_order_relaxed);
    if (__builtin_expect(vain == 0, 1))
        return false;
    if (lock_standstill(store->gates + index) == vain)
        return true;
    atomic_store_explicit(store->vain + index, 0, memory_order_relaxed);
    return false;
}

/* Wait for a taken lock, or for this thread's turn. When LRD_LOCK_WAIT_MS have passed without
 * progress for the first time, stores the result of lock_standstill() in *stood. Returns a code of
 * lrd__lease_wait(). */
static __attribute__((noinline, cold)) int lock_crowd(lrd__gate *gate, uint32_t me, uint64_t *stood)
{
    lrd__turn_waiter waiter = {.me = me};
    int rc = ETIMEDOUT;
    bool first = true;
    uint64_t before = lrd__clock_monotonic_ms(), all = 0, still = 0;
    uint32_t had = atomic_load_explicit(&gate->had, memory_order_relaxed);
    while (rc == ETIMEDOUT && all < LOCK_TURNS_MS &&
           (still < LRD_LOCK_WAIT_MS || lrd__lease_holder_runs(&gate->lock))) {
        if (still >= LRD_LOCK_WAIT_MS) {
            still = 0;
            *stood = first ? lock_standstill(gate) : *stood;
            first = false;
        }
        rc = lrd__turn_take(gate, &waiter);
        uint64_t now = lrd__clock_monotonic_ms();
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

/* Try for a few microseconds to get a taken lock. Returns EBUSY immediately if this thread has
 * recently found locks taken too often. While the lock is taken, only loads its word: a store would
 * take the cache line from the holder. Returns a code of lrd__mutex_try(). */
static __attribute__((noinline)) int lock_look(lrd__thread *self, lrd__mutex *mutex)
{
    if (self->crowded >= LOCK_CROWDED)
        return EBUSY;
    self->crowded += LOCK_TAKEN;
    for (int i = 0; i < LOCK_LOOKS && lrd__mutex_owner(mutex) != 0; i++)
        lrd__lease_pause();
    return lrd__mutex_try(mutex);
}

LRD__HOT int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t index)
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
    if (rc == EBUSY && lrd__shard_was_vain(store, index)) {
        rc = ETIMEDOUT;
    } else if (rc == EBUSY) {
        uint64_t stood = 0;
        rc = self != NULL ? lock_crowd(gate, self->slot_index + 1, &stood)
                          : lrd__lease_wait(&gate->lock, LRD_LOCK_WAIT_MS);
        if (rc == ETIMEDOUT)
            atomic_store_explicit(store->vain + index, lock_gives_up(gate, stood),
                                  memory_order_relaxed);
    }
    if (rc == ETIMEDOUT && lrd__lease_gone(&gate->lock, &gate->holder))
        rc = lrd__mutex_try(&gate->lock);
    rc = lock_taken(store, self, index, rc);
    if (rc < 0)
        return rc;
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
        /* Order the unlinking stores before the load of barriers_begun; see
         * lrd__ledger_passed(). */
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
