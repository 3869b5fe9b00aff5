/* queue_wait.c - lets a consumer sleep until a message arrives, or a producer until there is room,
 * and wakes sleepers. Begin reading at lrd__sleep_begin(), together with lrd__wake_one() in
 * entries/message.c, which chooses the sleeper to wake.
 *
 *   consumer, under the lock                        producer, under the lock
 *   finds no ready message                          makes a message ready
 *   sleepers = 1; turn = arrivals                   arrivals + 1, watch + 1
 *     (the watcher only: turn = watch)
 *   unlocks                                         unlocks
 *   FUTEX_WAIT, if arrivals is still turn           FUTEX_WAKE: one sleeper, else the watcher
 *     (the watcher only: if watch is still turn)
 *
 * A death wakes no sleeper. So one of a queue's sleepers, the watcher, checks every 50 ms for
 * messages that are due or whose owners are dead.
 *
 * Invariants
 * - Futex words are raised under the lock and before the wake-up, and read under the lock before
 *   the sleep. So a consumer that has found no ready message does not miss a later one.
 * - One message wakes one consumer. A consumer that leaves ready messages behind wakes the next
 *   consumer (queue_pop.c).
 * - If only the watcher sleeps, the first push wakes it. `sleeps` counts how often consumers went
 *   to sleep. The thread that wakes the watcher copies this count to `awake`. While the two are
 *   equal, the watcher has already been woken.
 * - If a woken sleeper is killed, the message waits for at most 50 ms, until the watcher pops it.
 *   If the watcher is killed or stopped, another sleeper takes over within a second.
 * - `sleepers` is a flag, because a count would stay too high after a sleeper was killed. If a
 *   wake-up wakes no thread, and `sleeps` has not changed, the waker clears the flag.
 * - Every sleep has a time limit. Without a limit, the kernel would restart the sleep after a
 *   signal.
 * - A resting consumer (pace.c) does not count as a sleeper: no push wakes it. */
#include "queues/queue_wait.h"
#include "ground/futex.h"
#include "ground/interrupt.h"
#include "memory/slot.h"
#include "entries/message_row.h"
#include "locks/lock.h"

#define WAIT_STEP_MS 1000u
/* A watcher searches for dead owners every LRD__QUEUE_LOOK_MS. If the last search is older than
 * WAIT_LATE_MS, the watcher is stopped or gone. */
#define WAIT_LATE_MS (4 * (uint64_t)LRD__QUEUE_LOOK_MS)

_Static_assert(WAIT_STEP_MS <= LRD__INTERRUPT_STEP_MS, "a sleep ends in time to see the flag");

static int wait_sleep(_Atomic uint32_t *word, uint32_t turn, uint64_t ms)
{
    LRD__FAILPOINT("queue_sleeps");
    bool signal = lrd__futex_wait(word, turn, ms) == EINTR;
    LRD__FAILPOINT("queue_woken");
    return signal ? lrd__interrupt_end() : LRD_OK;
}

/* Call this after a wake-up that found no sleeper. If no consumer has gone to sleep since the
 * wake-up was decided, clears `sleepers`. In this case, also clears `watcher` if the watcher is
 * dead. */
static void wait_nobody(lrd__thread *self, lrd__queue *queue, const lrd__wake *wake)
{
    lrd__assert(queue->shard < self->store->geo.shards);
    lrd__assert_thread(self);
    lrd_store *store = self->store;
    if (lrd__shard_try(store, self, queue->shard) != LRD_OK)
        return;
    if (queue->sleeps == wake->sleeps) {
        queue->sleepers = 0;
        if (queue->watcher != 0 && !lrd__slot_alive(store, queue->watcher_slot, queue->watcher))
            queue->watcher = 0;
    }
    lrd__shard_unlock(store, queue->shard);
}

LRD__HOT void lrd__wake_send(lrd__thread *self, lrd__queue *queue, const lrd__wake *wake)
{
    lrd__assert(queue->shard < self->store->geo.shards);
    lrd__assert_thread(self);
    long woken = 0;
    if (__builtin_expect(!wake->sleepers && !wake->watcher && !wake->pusher, 1))
        return;
    LRD__FAILPOINT("queue_wakes");
    if (wake->sleepers)
        woken = lrd__futex_wake(&queue->arrivals, 1);
    if (woken == 0 && wake->watcher) {
        woken = lrd__futex_wake(&queue->watch, 1);
        if (woken > 0)
            atomic_store_explicit(&queue->awake, wake->sleeps, memory_order_relaxed);
    }
    if (woken > 0)
        atomic_fetch_add_explicit(&queue->wakeups, 1, memory_order_relaxed);
    else if (wake->sleepers || wake->watcher)
        wait_nobody(self, queue, wake);
    if (wake->pusher)
        lrd__futex_wake(&queue->room, 1);
}

/* Return the time (ms), from 1 to `most`, until the first delayed or reserved message is due. */
static uint64_t wait_due(lrd_store *store, const lrd__queue *queue, uint64_t now, uint64_t most)
{
    lrd__assert(queue->shard < store->geo.shards);
    static const uint32_t states[] = {LRD__MESSAGE_DELAYED, LRD__MESSAGE_RESERVED};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        uint32_t first = queue->tree[states[i] - 1].first;
        uint64_t due = first != 0 ? lrd__message_at(store, queue->shard, first)->due : UINT64_MAX;
        uint64_t left = due > now ? due - now : 1;
        most = left < most ? left : most;
    }
    return most;
}

void lrd__sleep_begin(lrd__thread *self, lrd__queue *queue, uint64_t now, uint64_t looked,
                      lrd__sleep *sleep)
{
    lrd__assert_locked(self->store, queue->shard);
    lrd__assert(queue->shard < self->store->geo.shards);
    lrd__assert_thread(self);
    bool mine = queue->watcher == self->incarnation && queue->watcher_slot == self->slot_index;
    /* take over from a watcher that is dead or has not searched for a long time */
    sleep->watches = mine || queue->watcher == 0 || (looked != 0 && now > looked + WAIT_LATE_MS) ||
                     !lrd__slot_alive(self->store, queue->watcher_slot, queue->watcher);
    queue->sleeps++;
    if (sleep->watches) {
        queue->watcher_slot = self->slot_index;
        queue->watcher = self->incarnation;
        sleep->most = wait_due(self->store, queue, now, LRD__QUEUE_LOOK_MS);
        sleep->turn = atomic_load_explicit(&queue->watch, memory_order_relaxed);
    } else {
        queue->sleepers = 1;
        sleep->most = WAIT_STEP_MS;
        sleep->turn = atomic_load_explicit(&queue->arrivals, memory_order_relaxed);
    }
    LRD__FAILPOINT("queue_will_sleep");
}

int lrd__sleep_now(lrd__queue *queue, const lrd__sleep *sleep, uint64_t ms)
{
    ms = ms < sleep->most ? ms : sleep->most;
    if (sleep->rests)
        return lrd__clock_nap(ms) ? LRD_OK : lrd__interrupt_end();
    return wait_sleep(sleep->watches ? &queue->watch : &queue->arrivals, sleep->turn, ms);
}

void lrd__sleep_end(lrd__thread *self, lrd__queue *queue, lrd__wake *wake)
{
    lrd__assert_locked(self->store, queue->shard);
    lrd__assert(queue->shard < self->store->geo.shards);
    lrd__assert_thread(self);
    if (queue->watcher != self->incarnation || queue->watcher_slot != self->slot_index)
        return;
    queue->watcher = 0;
    LRD__FAILPOINT("queue_unwatched");
    if (queue->sleepers != 0)
        lrd__wake_one(queue, wake);
}

uint32_t lrd__room_sleep_begin(lrd__queue *queue)
{
    queue->pushers = 1;
    return atomic_load_explicit(&queue->room, memory_order_relaxed);
}

int lrd__room_sleep(lrd__queue *queue, uint32_t turn, uint64_t ms)
{
    return wait_sleep(&queue->room, turn, lrd__queue_step(ms));
}
