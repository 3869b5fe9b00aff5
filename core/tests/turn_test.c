/* turn_test.c - what a shard's lock records (lock.c), and the turns in which writers use a crowded
 * lock (turn.c). A turn ends at a time of the real clock. On a slow machine, a turn may be over
 * before the test's call. Then the test tries again. */
#include "support.h"

#include "internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
#define NEXT (LRD__TURN_WHO + 1)

/* ME is this thread's number. After VOID_AFTER steps, the next thread has lost its turn. */
enum { ME = 5, OTHER = 9, VOID_AFTER = 153, TRIES = 10000 };

static uint32_t steps(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) >> 16);
}

static lrd__gate *gate_new(lrd_store **store)
{
    *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(*store, "key", 100, 1, LRD_SET, 0));
    return (*store)->gates;
}

/* Set a turn of `who` that ends in `left` steps, and call lrd__turn_take(). Returns its code, and
 * releases a taken lock. */
static int take(lrd__gate *gate, lrd__turn_waiter *waiter, uint64_t who, int32_t left)
{
    atomic_store(&gate->turn, (uint64_t)(steps() + (uint32_t)left) << 32 | who);
    int rc = lrd__turn_take(gate, waiter);
    if (rc == 0)
        lrd__mutex_unlock(&gate->lock);
    return rc;
}

/* Call take() for a thread that has not slept yet. If the turn was over before the call, try again.
 * Returns the last code. */
static int take_late(lrd__gate *gate, lrd__turn_waiter *waiter, uint64_t who, int32_t left)
{
    int rc = 0;
    for (unsigned i = 0; i < TRIES && rc == 0; i++) {
        *waiter = (lrd__turn_waiter){.me = ME};
        rc = take(gate, waiter, who, left);
    }
    return rc;
}

static int32_t since_end(uint64_t turn) { return (int32_t)(steps() - (uint32_t)(turn >> 32)); }

static void without_turns_the_lock_is_taken_as_usual(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter = {.me = ME, .next = true};
    uint32_t passed = atomic_load(&gate->passed);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    CHECK_EQ(lrd__turn_take(gate, &waiter), 0);
    lrd__mutex_unlock(&gate->lock);
    CHECK(!waiter.next);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    CHECK_EQ(atomic_load(&gate->passed), passed);
    lrd_close(store);
}

static void in_its_own_turn_a_thread_locks_and_the_turn_goes_on(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter = {.me = ME};
    bool seen = false;
    for (unsigned i = 0; i < TRIES && !seen; i++) {
        CHECK_EQ(take(gate, &waiter, ME, 100), 0);
        seen = (atomic_load(&gate->turn) & LRD__TURN_WHO) == ME;
    }
    CHECK(seen);
    atomic_store(&gate->turn, 0);
    lrd_close(store);
}

static void a_turn_that_is_over_ends_if_no_thread_sleeps(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter = {.me = ME};
    bool seen = false;
    for (unsigned i = 0; i < TRIES && !seen; i++) {
        atomic_store(&gate->idle, 5);
        uint32_t passed = atomic_load(&gate->passed);
        CHECK_EQ(take(gate, &waiter, ME, -5), 0);
        CHECK_EQ(atomic_load(&gate->turn), 0);
        CHECK_EQ(atomic_load(&gate->passed), passed + 1);
        /* On a slow machine, the turn may be over for so long that the call changes `idle`. Then
         * try again. */
        seen = atomic_load(&gate->idle) == 5;
    }
    CHECK(seen);
    atomic_store(&gate->idle, 0);
    lrd_close(store);
}

static void turns_end_after_several_that_were_hardly_used(void **state)
{
    (void)state;
    static const struct {
        uint32_t used, idle, then;
        bool begins; /* true if a turn of ME begins when the turn of OTHER is over */
    } cases[] = {{32, 3, 0, true}, {31, 3, 4, true}, {31, 6, 7, true}, {31, 7, 0, false}};
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter = {.me = ME};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t passed = atomic_load(&gate->passed), began = 1000 - cases[i].used;
        atomic_store(&gate->had, 1000);
        atomic_store(&gate->began, began);
        atomic_store(&gate->idle, cases[i].idle);
        CHECK_EQ(take(gate, &waiter, OTHER, -5), 0);
        CHECK_EQ(atomic_load(&gate->idle), cases[i].then);
        CHECK_EQ(atomic_load(&gate->began), cases[i].begins ? 1000 : began);
        CHECK_EQ(atomic_load(&gate->passed), passed + 1);
        CHECK_EQ(atomic_load(&gate->turn), 0);
    }
    atomic_store(&gate->idle, 0);
    lrd_close(store);
}

static void a_turn_begins_while_the_lock_is_taken(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter = {.me = ME};
    CHECK_EQ(lrd__mutex_try(&gate->lock), 0);
    atomic_store(&gate->had, 1000);
    atomic_store(&gate->began, 990);
    atomic_store(&gate->idle, 7);
    CHECK_EQ(take(gate, &waiter, OTHER, -5), ETIMEDOUT);
    CHECK_EQ(atomic_load(&gate->turn) & LRD__TURN_WHO, ME);
    CHECK_EQ(atomic_load(&gate->turn) & NEXT, 0);
    CHECK_EQ(atomic_load(&gate->idle), 8);
    CHECK_EQ(atomic_load(&gate->began), 1000);
    atomic_store(&gate->idle, 0);
    atomic_store(&gate->turn, 0);
    lrd__mutex_unlock(&gate->lock);
    lrd_close(store);
}

static void a_thread_sleeps_through_the_turn_of_another(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter;
    CHECK_EQ(take_late(gate, &waiter, OTHER, 100), ETIMEDOUT);
    CHECK_EQ(atomic_load(&gate->turn) & LRD__TURN_WHO, OTHER);
    CHECK(since_end(atomic_load(&gate->turn)) >= 0);
    CHECK(!waiter.next);
    CHECK_EQ(waiter.sleeps, 1);
    int rc = 0;
    for (unsigned i = 0; i < TRIES && rc == 0; i++) {
        waiter = (lrd__turn_waiter){.me = ME, .sleeps = 31};
        rc = take(gate, &waiter, OTHER, 100);
    }
    CHECK_EQ(rc, ETIMEDOUT);
    /* `sleeps` is the number of a futex bit, which is at most 31 */
    CHECK_EQ(waiter.sleeps, 31);
    atomic_store(&gate->turn, 0);
    lrd_close(store);
}

static void let_a_turn_pass(const char *name, void *arg)
{
    lrd__gate *gate = arg;
    if (strcmp(name, "lock_sleep") == 0)
        atomic_fetch_add(&gate->passed, 1);
}

static void who_does_not_fall_asleep_has_not_slept(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter;
    uint32_t passed = atomic_load(&gate->passed);
    failpoint_hook(let_a_turn_pass, gate);
    CHECK_EQ(take_late(gate, &waiter, OTHER, 100), ETIMEDOUT);
    failpoint_hook(NULL, NULL);
    CHECK_EQ(atomic_load(&gate->passed), passed + 1);
    CHECK(!waiter.next);
    CHECK_EQ(waiter.sleeps, 0);
    atomic_store(&gate->turn, 0);
    lrd_close(store);
}

static void the_next_thread_waits_for_the_end_of_the_turn(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter;
    bool seen = false;
    for (unsigned i = 0; i < 100 && !seen; i++) {
        waiter = (lrd__turn_waiter){.me = ME, .next = true};
        if (take(gate, &waiter, OTHER | NEXT, 100) == 0)
            continue;
        CHECK(since_end(atomic_load(&gate->turn)) >= 0);
        CHECK(waiter.next);
        CHECK_EQ(waiter.sleeps, 0);
        /* 10000 steps are much less than a second */
        seen = since_end(atomic_load(&gate->turn)) < 10000;
    }
    CHECK(seen);
    CHECK_EQ(take(gate, &waiter, OTHER | NEXT, -5), 0);
    CHECK(!waiter.next);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    lrd_close(store);
}

static void the_others_leave_the_next_thread_some_time(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__turn_waiter waiter;
    CHECK_EQ(take_late(gate, &waiter, OTHER | NEXT, -5), ETIMEDOUT);
    CHECK(since_end(atomic_load(&gate->turn)) > VOID_AFTER);
    CHECK_EQ(waiter.sleeps, 1);
    /* A turn that was kept for the next thread (NEXT) has ended, so this thread must take the lock
     * without a wait. In the calls with 1000000, the clock of turns has wrapped, so the turn seems
     * to end in the future. */
    CHECK_EQ(take(gate, &waiter, OTHER | NEXT, -VOID_AFTER - 1), 0);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    CHECK_EQ(take(gate, &waiter, OTHER | NEXT, 1000000), 0);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    atomic_store(&gate->idle, 0);
    CHECK_EQ(take(gate, &waiter, ME | NEXT, 1000000), 0);
    CHECK_EQ(atomic_load(&gate->turn), 0);
    CHECK_EQ(atomic_load(&gate->idle), 1);
    CHECK_EQ(waiter.sleeps, 1);
    lrd_close(store);
}

/* Sleep at the gate like a writer that sleeps for the first time, until it is woken. */
static void *sleep_at(void *arg)
{
    lrd__gate *gate = arg;
    long rc;
    do
        rc = syscall(SYS_futex, &gate->passed, FUTEX_WAIT_BITSET, atomic_load(&gate->passed), NULL,
                     NULL, 1u);
    while (rc != 0 && (errno == EAGAIN || errno == EINTR));
    return NULL;
}

static void the_longest_sleeper_is_next(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    for (unsigned mine = 0; mine < 2; mine++) {
        bool seen = false;
        for (unsigned again = 0; again < 100 && !seen; again++) {
            lrd__turn_waiter waiter = {.me = ME};
            pthread_t thread;
            CHECK_EQ(pthread_create(&thread, NULL, sleep_at, gate), 0);
            bool woken = false;
            int rc = 0;
            for (unsigned i = 0; i < TRIES && !woken; i++) {
                sleep_ms(1);
                atomic_store(&gate->idle, 0);
                rc = take(gate, &waiter, mine ? ME : OTHER, -5);
                woken = (atomic_load(&gate->turn) & NEXT) != 0;
                CHECK_EQ(atomic_load(&gate->turn) & LRD__TURN_WHO, woken ? ME : 0);
                CHECK(rc == 0 || (mine && woken));
            }
            CHECK(woken);
            CHECK_EQ(pthread_join(thread, NULL), 0);
            /* This thread leaves the lock to the sleeper, because its own turn is over. On a slow
             * machine, the turn may be over for too long. Then repeat. */
            seen = !mine || rc == ETIMEDOUT;
        }
        CHECK(seen);
    }
    atomic_store(&gate->turn, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- the lock ---- */

static void a_lock_records_its_holder_and_what_was_unlinked(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 2);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd__thread *self = lrd__threads[store->id];
    lrd__shard *shard = store->shards + 1;
    self->crowded = 2;
    uint32_t had = atomic_load(&store->gates[1].had);
    /* `crowded` falls by 1 each time that this thread finds the lock free */
    for (uint32_t crowded = 2; crowded > 0; crowded--) {
        CHECK_EQ(self->crowded, crowded);
        lrd__who_set(&store->gates[1].holder, 0, 0);
        CHECK_OK(lrd__shard_lock(store, self, 1));
        CHECK_EQ(lrd__who_tid(&store->gates[1].holder), self->tid);
        CHECK_EQ(lrd__mutex_owner(&store->gates[1].lock), self->tid);
        CHECK_EQ(lrd__mutex_owner(&store->gates[0].lock), 0);
        lrd__shard_unlock(store, 1);
        CHECK_EQ(lrd__mutex_owner(&store->gates[1].lock), 0);
    }
    CHECK_OK(lrd__shard_lock(store, self, 1));
    CHECK_EQ(self->crowded, 0);
    CHECK_EQ(atomic_load(&store->gates[1].had), had);
    uint64_t barriers = atomic_load(&store->header->barriers_begun);
    shard->unlinked_at = barriers + 5;
    shard->unlinked = 0;
    lrd__shard_unlock(store, 1);
    CHECK_EQ(shard->unlinked_at, barriers + 5);
    CHECK_OK(lrd__shard_try(store, self, 1));
    shard->unlinked = 1;
    lrd__shard_unlock(store, 1);
    CHECK_EQ(shard->unlinked_at, barriers);
    CHECK_EQ(shard->unlinked, 0);
    CHECK_OK(lrd__shard_lock(store, NULL, 1));
    CHECK_EQ(lrd__who_tid(&store->gates[1].holder), 0);
    lrd__shard_unlock(store, 1);
    store->barred = true; /* pretend to be a child that may not use the store */
    CHECK_CODE(lrd__shard_lock(store, NULL, 1), LRD_ENOSLOT);
    store->barred = false;
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct holding {
    lrd__gate *gate;
    pthread_barrier_t here, seen;
} holding;

static void *hold_for_a_while(void *arg)
{
    holding *h = arg;
    CHECK_EQ(lrd__mutex_try(&h->gate->lock), 0);
    pthread_barrier_wait(&h->here);
    pthread_barrier_wait(&h->seen);
    sleep_ms(30);
    lrd__mutex_unlock(&h->gate->lock);
    return NULL;
}

static void a_lock_that_was_taken_makes_a_thread_wait_for_turns_sooner(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    lrd__thread *self = lrd__threads[store->id];
    static const uint32_t before[] = {0, 63, 64}, after[] = {8, 71, 64};
    for (unsigned i = 0; i < 3; i++) {
        holding h = {.gate = gate};
        pthread_t thread;
        CHECK_EQ(pthread_barrier_init(&h.here, NULL, 2), 0);
        CHECK_EQ(pthread_barrier_init(&h.seen, NULL, 2), 0);
        CHECK_EQ(pthread_create(&thread, NULL, hold_for_a_while, &h), 0);
        pthread_barrier_wait(&h.here);
        uint32_t had = atomic_load(&gate->had);
        CHECK_CODE(lrd__shard_try(store, self, 0), LRD_EBUSY);
        self->crowded = before[i];
        pthread_barrier_wait(&h.seen);
        CHECK_OK(lrd__shard_lock(store, self, 0));
        uint32_t crowded = self->crowded;
        uint64_t turn = atomic_load(&gate->turn);
        CHECK(turn == 0 || (turn & LRD__TURN_WHO) == self->slot_index + 1);
        lrd__shard_unlock(store, 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        /* The holder released the lock before this thread tried to take it: repeat. */
        if (atomic_load(&gate->had) == had)
            i--;
        else
            CHECK_EQ(crowded, after[i]);
        atomic_store(&gate->turn, 0);
    }
    self->crowded = 0;
    CHECK_FSCK(store);
    lrd_close(store);
}

static void *wait_for_the_lock(void *arg)
{
    lrd_store *store = arg;
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS); /* this call claims a slot */
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    lrd__shard_unlock(store, 0);
    lrd_thread_leave(store);
    return NULL;
}

static void who_waited_counts_all_that_had_the_lock_meanwhile(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__gate *gate = gate_new(&store);
    pthread_t thread;
    CHECK_EQ(lrd__mutex_try(&gate->lock), 0);
    uint32_t had = atomic_load(&gate->had);
    CHECK_EQ(pthread_create(&thread, NULL, wait_for_the_lock, store), 0);
    while ((atomic_load(&gate->lock.word) & (uint32_t)FUTEX_WAITERS) == 0)
        sleep_ms(1);
    atomic_store(&gate->had, had + 10);
    lrd__mutex_unlock(&gate->lock);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(atomic_load(&gate->had), had + 11);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_turns_the_lock_is_taken_as_usual),
        cmocka_unit_test(in_its_own_turn_a_thread_locks_and_the_turn_goes_on),
        cmocka_unit_test(a_turn_that_is_over_ends_if_no_thread_sleeps),
        cmocka_unit_test(turns_end_after_several_that_were_hardly_used),
        cmocka_unit_test(a_turn_begins_while_the_lock_is_taken),
        cmocka_unit_test(a_thread_sleeps_through_the_turn_of_another),
        cmocka_unit_test(who_does_not_fall_asleep_has_not_slept),
        cmocka_unit_test(the_next_thread_waits_for_the_end_of_the_turn),
        cmocka_unit_test(the_others_leave_the_next_thread_some_time),
        cmocka_unit_test(the_longest_sleeper_is_next),
        cmocka_unit_test(a_lock_records_its_holder_and_what_was_unlinked),
        cmocka_unit_test(a_lock_that_was_taken_makes_a_thread_wait_for_turns_sooner),
        cmocka_unit_test(who_waited_counts_all_that_had_the_lock_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
