/* semaphore_test.c - semaphores between processes never have more owners than permits, even if
 * processes are killed. Time limits are long, because a busy machine may be slow. */
#include "support.h"
#include "larder_coordination.h"

#include "internal.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define NAME "export", 6
#define PERMITS 3u
#define WORKERS 8u
#define LONG_MS 60000u

typedef struct sharing {
    gate ready, go, lock, locked, unlock;
    _Atomic uint32_t owner[PERMITS], stop, serial;
    _Atomic uint32_t turns[WORKERS];
} sharing;

static lrd_store *store;
static sharing *common;
static uint32_t next_worker;

static int open_store(void **state, test_clock *clock)
{
    (void)state;
    store = store_with_clock(LRD_VOLATILE, 4u << 20, 0, clock);
    common = shared_memory(sizeof *common);
    return 0;
}

static int setup(void **state) { return open_store(state, NULL); }

static int teardown(void **state)
{
    (void)state;
    touch_all_shards(store);
    CHECK_FSCK(store);
    lrd_close(store);
    return 0;
}

static int acquire(uint64_t wait_ms, lrd_permit *permit)
{
    return lrd_semaphore_acquire(store, NAME, PERMITS, 0, wait_ms, permit);
}

static uint32_t count(void)
{
    uint32_t held = 77;
    CHECK_OK(lrd_semaphore_count(store, NAME, PERMITS, &held));
    return held;
}

static void child_gets_none(void *unused)
{
    lrd_permit permit;
    (void)unused;
    CHECK_CODE(acquire(0, &permit), LRD_HELD);
    CHECK_CODE(acquire(20, &permit), LRD_HELD);
}

static void child_gets_one(void *unused)
{
    lrd_permit permit;
    (void)unused;
    CHECK_OK(acquire(0, &permit));
}

static void as_many_owners_as_permits(void **state)
{
    (void)state;
    lrd_permit permit[PERMITS], more;
    for (uint32_t i = 0; i < PERMITS; i++) {
        CHECK_EQ(count(), i);
        CHECK_CHILD(run_in_child(child_gets_one, NULL));
        CHECK_EQ(count(), i);
        CHECK_OK(acquire(0, &permit[i]));
        CHECK(permit[i].number < PERMITS);
    }
    CHECK_EQ(count(), PERMITS);
    /* This thread has all permits, so a wait would never end. */
    CHECK_CODE(acquire(0, &more), LRD_EDEADLK);
    CHECK_CODE(acquire(LONG_MS, &more), LRD_EDEADLK);
    CHECK_CHILD(run_in_child(child_gets_none, NULL));
    CHECK_OK(lrd_semaphore_release(store, NAME, &permit[1]));
    CHECK_CODE(lrd_semaphore_release(store, NAME, &permit[1]), LRD_MISS);
    CHECK_EQ(count(), PERMITS - 1);
    CHECK_CHILD(run_in_child(child_gets_one, NULL));
    CHECK_OK(acquire(0, &permit[1]));
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(lrd_semaphore_release(store, NAME, &permit[i]));
    CHECK_EQ(count(), 0);
}

static void a_semaphore_is_no_key_and_no_entry(void **state)
{
    (void)state;
    lrd_permit permit;
    CHECK_OK(acquire(0, &permit));
    CHECK_OK(lrd_lock(store, NAME, 0, 0, NULL));
    CHECK_CODE(lrd_has(store, NAME), LRD_MISS);
    CHECK_OK(lrd_clear(store));
    CHECK_EQ(count(), 1);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(count(), 0);
}

static void a_lease_ends_a_permit(void **state)
{
    test_clock *clock = clock_new();
    lrd_close(store);
    open_store(state, clock);
    lrd_permit permit;
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(lrd_semaphore_acquire(store, NAME, PERMITS, 5000, 0, &permit));
    CHECK_CHILD(run_in_child(child_gets_none, NULL));
    atomic_fetch_add(clock, 5000);
    CHECK_EQ(count(), 0);
    CHECK_CHILD(run_in_child(child_gets_one, NULL));
    CHECK_CODE(lrd_semaphore_release(store, NAME, &permit), LRD_MISS);
}

static void a_renewed_lease_ends_later(void **state)
{
    test_clock *clock = clock_new();
    lrd_close(store);
    open_store(state, clock);
    lrd_permit permit, other;
    CHECK_OK(lrd_semaphore_acquire(store, NAME, 1, 5000, 0, &permit));
    atomic_fetch_add(clock, 4000);
    CHECK_OK(lrd_semaphore_renew(store, NAME, &permit, 5000));
    atomic_fetch_add(clock, 4999);
    CHECK_EQ(count(), 1);
    CHECK_OK(lrd_semaphore_renew(store, NAME, &permit, 0));
    atomic_fetch_add(clock, 1000000);
    CHECK_EQ(count(), 1);
    CHECK_OK(lrd_semaphore_renew(store, NAME, &permit, 10));
    atomic_fetch_add(clock, 10);
    CHECK_CODE(lrd_semaphore_renew(store, NAME, &permit, 10), LRD_MISS);
    CHECK_EQ(count(), 0);
    CHECK_OK(lrd_semaphore_acquire(store, NAME, 1, 0, 0, &other));
    CHECK_CODE(lrd_semaphore_renew(store, NAME, &permit, 10), LRD_MISS);
    CHECK_OK(lrd_semaphore_release(store, NAME, &other));
    CHECK_CODE(lrd_semaphore_renew(store, NAME, &other, 10), LRD_MISS);
    CHECK_CODE(lrd_semaphore_renew(store, NAME, &(lrd_permit){0}, 10), LRD_MISS);
    CHECK_CODE(lrd_semaphore_renew(store, "", 0, &other, 10), LRD_EINVAL);
}

static void hold_all(void *unused)
{
    lrd_permit permit;
    (void)unused;
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, &permit));
    gate_open(&common->ready);
    gate_wait(&common->go);
    CHECK_OK(lrd_semaphore_release(store, NAME, &permit));
    for (;;)
        pause();
}

static void a_killed_owners_permits_are_free_at_once(void **state)
{
    (void)state;
    lrd_permit permit;
    pid_t owner = start_child(hold_all, NULL);
    gate_wait(&common->ready);
    CHECK_EQ(count(), PERMITS);
    CHECK_CODE(acquire(0, &permit), LRD_HELD);
    stop_child(owner);
    CHECK_EQ(count(), 0);
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, &permit));
}

static void a_release_and_a_death_end_a_wait(void **state)
{
    (void)state;
    lrd_permit permit;
    pid_t owner = start_child(hold_all, NULL);
    gate_wait(&common->ready);
    gate_open(&common->go);
    CHECK_OK(acquire(LONG_MS, &permit));
    kill(owner, SIGKILL);
    CHECK_OK(acquire(LONG_MS, &permit));
    wait_child(owner);
}

/* ---- many workers ---- */

/* Until the test stops, acquire a permit, check that no other process has it, and release it. */
static void take_turns(void *unused)
{
    uint32_t worker = next_worker;
    (void)unused;
    while (!atomic_load(&common->stop)) {
        lrd_permit permit;
        int rc = acquire(LONG_MS, &permit);
        if (rc == LRD_EBUSY)
            continue;
        CHECK_OK(rc);
        uint32_t serial = atomic_fetch_add(&common->serial, 1) + 1;
        atomic_store(&common->owner[permit.number], serial);
        for (int i = 0; i < 20; i++) {
            sched_yield();
            CHECK_EQ(atomic_load(&common->owner[permit.number]), serial);
        }
        atomic_fetch_add(&common->turns[worker], 1);
        while ((rc = lrd_semaphore_release(store, NAME, &permit)) == LRD_EBUSY)
            continue;
        CHECK_OK(rc);
    }
}

static pid_t start_worker(uint32_t worker)
{
    next_worker = worker;
    return start_child(take_turns, NULL);
}

static void killed_processes_never_make_owners_too_many(void **state)
{
    (void)state;
    pid_t pids[WORKERS];
    const char *given = getenv("LARDER_SEMAPHORE_KILLS"); /* a higher number makes the run longer */
    long kills = given != NULL ? atol(given) : 200;
    unsigned chance = (unsigned)test_seed(51);
    for (uint32_t i = 0; i < WORKERS; i++)
        pids[i] = start_worker(i);
    for (long n = 0; n < kills; n++) {
        uint32_t victim = (uint32_t)rand_r(&chance) % WORKERS;
        usleep((useconds_t)rand_r(&chance) % 4000);
        CHECK_EQ(kill(pids[victim], SIGKILL), 0);
        CHECK_KILLED(wait_child(pids[victim]), SIGKILL);
        pids[victim] = start_worker(victim);
    }
    atomic_store(&common->stop, 1);
    for (uint32_t i = 0; i < WORKERS; i++)
        CHECK_CHILD(wait_child(pids[i]));
    CHECK_EQ(count(), 0);
    lrd_permit permit;
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, &permit));
}

static uint32_t turns_of_all(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WORKERS; i++)
        sum += atomic_load(&common->turns[i]);
    return sum;
}

/* Each worker must get 100 turns before all workers together have had 1,000 turns per worker. On a
 * busy machine this may take a minute. */
static void everybody_gets_turns(void **state)
{
    (void)state;
    pid_t pids[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++)
        pids[i] = start_worker(i);
    for (uint32_t i = 0; i < WORKERS; i++) {
        for (uint64_t until = real_ms() + LONG_MS; atomic_load(&common->turns[i]) < 100;) {
            CHECK(real_ms() < until || turns_of_all() < 1000 * WORKERS);
            sleep_ms(1);
        }
    }
    atomic_store(&common->stop, 1);
    for (uint32_t i = 0; i < WORKERS; i++)
        CHECK_CHILD(wait_child(pids[i]));
}

static void acquire_and_release(void *unused)
{
    lrd_permit permit[PERMITS];
    (void)unused;
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(LONG_MS, &permit[i]));
    for (uint32_t i = 0; i < PERMITS; i++)
        CHECK_OK(lrd_semaphore_release(store, NAME, &permit[i]));
}

static void wait_for_one(void *unused)
{
    lrd_permit permit;
    (void)unused;
    CHECK_OK(acquire(LONG_MS, &permit));
    CHECK_OK(lrd_semaphore_release(store, NAME, &permit));
}

static void a_process_killed_anywhere_leaves_no_permit_behind(void **state)
{
    (void)state;
    bool fired = true;
    for (uint64_t k = 1; fired; k++) {
        failpoint_arm(k);
        run_in_child(acquire_and_release, NULL);
        fired = failpoint_fired();
        failpoint_disarm();
        check_context("pass %llu (%s)", (unsigned long long)k, failpoint_last());
        CHECK_CHILD(run_in_child(acquire_and_release, NULL));
        CHECK_EQ(count(), 0);
    }
    check_context("%s", "");
}

static void a_waiter_killed_anywhere_is_not_missed(void **state)
{
    (void)state;
    for (uint64_t k = 1; k < 40; k++) {
        atomic_store(&common->ready, 0);
        pid_t owner = start_child(hold_all, NULL);
        gate_wait(&common->ready);
        failpoint_arm(k);
        pid_t waiter = start_child(wait_for_one, NULL);
        sleep_ms(5);
        stop_child(owner);
        wait_child(waiter);
        failpoint_disarm();
        check_context("pass %llu (%s)", (unsigned long long)k, failpoint_last());
        CHECK_CHILD(run_in_child(acquire_and_release, NULL));
        CHECK_EQ(count(), 0);
    }
    check_context("%s", "");
}

static void what_makes_no_sense_is_refused_by_name(void **state)
{
    (void)state;
    lrd_permit permit;
    uint32_t held;
    CHECK_CODE(lrd_semaphore_acquire(store, "", 0, 1, 0, 0, &permit), LRD_EINVAL);
    CHECK(strncmp(lrd_error_detail(), "name_len is 0", 13) == 0);
    CHECK_CODE(lrd_semaphore_acquire(store, NAME, 0, 0, 0, &permit), LRD_EINVAL);
    CHECK(strncmp(lrd_error_detail(), "permits is 0", 12) == 0);
    CHECK_CODE(lrd_semaphore_count(store, NAME, LRD_SEMAPHORE_PERMITS_MAX + 1, &held), LRD_EINVAL);
    permit = (lrd_permit){0};
    CHECK_CODE(lrd_semaphore_release(store, NAME, &permit), LRD_MISS);
}

static void the_longest_wait_does_not_wrap(void **state)
{
    (void)state;
    lrd_permit permits[PERMITS], permit;
    for (unsigned i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, permits + i));
    CHECK_CODE(acquire(UINT64_MAX, &permit), LRD_EDEADLK);
    CHECK_OK(lrd_semaphore_release(store, NAME, permits));
    CHECK_OK(acquire(UINT64_MAX, &permit));
    CHECK_EQ(count(), PERMITS);
}

static void *thread_waits_for_ever(void *code)
{
    lrd_permit permit;
    gate_open(&common->ready);
    *(int *)code = acquire(UINT64_MAX, &permit);
    return NULL;
}

static void who_waits_for_ever_is_served_by_a_release(void **state)
{
    (void)state;
    lrd_permit permits[PERMITS];
    pthread_t thread;
    int code = 77;
    for (unsigned i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, permits + i));
    CHECK_EQ(pthread_create(&thread, NULL, thread_waits_for_ever, &code), 0);
    gate_wait(&common->ready);
    sleep_ms(20);
    CHECK_OK(lrd_semaphore_release(store, NAME, permits + 1));
    pthread_join(thread, NULL);
    CHECK_CODE(code, LRD_OK);
}

static void on_signal(int number) { (void)number; }

static void child_has_all(void *unused)
{
    lrd_permit permits[PERMITS];
    (void)unused;
    for (unsigned i = 0; i < PERMITS; i++)
        CHECK_OK(acquire(0, permits + i));
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void a_signal_ends_a_wait(void **state)
{
    (void)state;
    lrd_permit permit;
    struct sigaction action = {.sa_handler = on_signal}, before;
    struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0}, {0}};
    pid_t owner = start_child(child_has_all, NULL);
    gate_wait(&common->ready);
    CHECK_OK(sigaction(SIGALRM, &action, &before));
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    int code = acquire(LONG_MS, &permit);
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
    CHECK_OK(sigaction(SIGALRM, &before, NULL));
    CHECK_CODE(code, LRD_INTR);
    stop_child(owner);
    CHECK_OK(acquire(0, &permit));
}

static void open_at_a_sleep(const char *name, void *unused)
{
    (void)unused;
    if (strcmp(name, "semaphore_sleeps") == 0)
        gate_open(&common->go);
}

static void child_is_first_waiter(void *unused)
{
    lrd_permit permit;
    (void)unused;
    failpoint_hook(open_at_a_sleep, NULL);
    acquire(LONG_MS, &permit);
}

static void wait_for_another(void *unused)
{
    lrd_permit permit;
    (void)unused;
    CHECK_OK(acquire(LONG_MS, &permit));
}

/* The waiter at the head is stopped before all permits are released. The other waiter must get a
 * permit. */
static void a_stopped_waiter_does_not_keep_the_others_waiting(void **state)
{
    (void)state;
    pid_t owner = start_child(child_has_all, NULL);
    gate_wait(&common->ready);
    pid_t first = start_child(child_is_first_waiter, NULL);
    gate_wait(&common->go);
    kill(first, SIGSTOP);
    pid_t second = start_child(wait_for_another, NULL);
    sleep_ms(20);
    uint64_t begun = real_ms();
    stop_child(owner);
    CHECK_CHILD(wait_child(second));
    CHECK(real_ms() - begun < LONG_MS / 2);
    kill(first, SIGCONT);
    stop_child(first);
    CHECK_EQ(count(), 0);
}

/* The first waiter sleeps until a permit is released. The other waiters sleep until the first one
 * has a permit. A signal must end both kinds of wait. */
static void a_signal_just_before_a_sleep_ends_the_wait(void **state)
{
    (void)state;
    lrd_permit permit;
    pid_t owner = start_child(child_has_all, NULL);
    gate_wait(&common->ready);
    signal_at("semaphore_sleeps", true);
    CHECK_CODE(acquire(60000, &permit), LRD_INTR);
    signal_at("semaphore_sleeps", false);
    CHECK_CODE(acquire(200, &permit), LRD_HELD);
    pid_t first = start_child(child_is_first_waiter, NULL);
    gate_wait(&common->go);
    signal_at("keylock_sleeps", true);
    CHECK_CODE(acquire(60000, &permit), LRD_INTR);
    signal_at("keylock_sleeps", false);
    CHECK_CODE(acquire(200, &permit), LRD_HELD);
    signal_at(NULL, false);
    stop_child(first);
    stop_child(owner);
    CHECK_OK(acquire(0, &permit));
}

/* ---- a busy shard ---- */

static void child_keeps_the_lock(void *unused)
{
    (void)unused;
    gate_wait(&common->lock);
    CHECK_OK(lrd__shard_lock(store, NULL, 0));
    gate_open(&common->locked);
    gate_wait(&common->unlock);
    lrd__shard_unlock(store, 0);
}

/* When this thread becomes the first waiter, let another process release a permit. When this thread
 * finds the permit, let a child take the shard's lock, so that this thread cannot release the
 * gate. */
static void make_the_gate_stay(const char *name, void *unused)
{
    (void)unused;
    if (strcmp(name, "semaphore_gate") == 0)
        gate_open(&common->go);
    if (strcmp(name, "semaphore_found") != 0)
        return;
    gate_open(&common->lock);
    gate_wait(&common->locked);
}

/* The first waiter reserves a key, the gate, and unlocks it when it gets a permit. Here this unlock
 * fails. The wait has no time limit, so the gate has no lease that would end. The next call must
 * unlock the gate. */
static void a_gate_whose_release_failed_is_released_by_the_next_call(void **state)
{
    (void)state;
    lrd_permit permit, more;
    lrd_close(store);
    store = store_new(LRD_VOLATILE, 1u << 20, 1);
    pid_t locker = start_child(child_keeps_the_lock, NULL);
    pid_t owner = start_child(hold_all, NULL);
    gate_wait(&common->ready);
    failpoint_hook(make_the_gate_stay, NULL);
    CHECK_OK(acquire(UINT64_MAX, &permit));
    failpoint_hook(NULL, NULL);
    const lrd__keylist *list = &lrd__threads[store->id]->keylocks;
    CHECK_EQ(list->used, 2);
    gate_open(&common->unlock);
    CHECK_CHILD(wait_child(locker));
    /* This thread has only one of three permits, so waiting is not a deadlock. */
    CHECK_CODE(acquire(20, &more), LRD_HELD);
    CHECK_EQ(list->used, 1);
    CHECK_OK(lrd_semaphore_release(store, NAME, &permit));
    CHECK_EQ(list->used, 0);
    stop_child(owner);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(as_many_owners_as_permits),
        TEST(a_semaphore_is_no_key_and_no_entry),
        TEST(a_lease_ends_a_permit),
        TEST(a_renewed_lease_ends_later),
        TEST(a_killed_owners_permits_are_free_at_once),
        TEST(a_release_and_a_death_end_a_wait),
        TEST(killed_processes_never_make_owners_too_many),
        TEST(everybody_gets_turns),
        TEST(a_process_killed_anywhere_leaves_no_permit_behind),
        TEST(a_waiter_killed_anywhere_is_not_missed),
        TEST(what_makes_no_sense_is_refused_by_name),
        TEST(the_longest_wait_does_not_wrap),
        TEST(a_signal_ends_a_wait),
        TEST(a_signal_just_before_a_sleep_ends_the_wait),
        TEST(a_stopped_waiter_does_not_keep_the_others_waiting),
        TEST(who_waits_for_ever_is_served_by_a_release),
        TEST(a_gate_whose_release_failed_is_released_by_the_next_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
