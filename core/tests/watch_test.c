/* watch_test.c - counters that processes read directly from memory. A process can sleep until a
 * counter changes. */
#include "support.h"
#include "larder_coordination.h"

#include "internal.h"
#include "ground/futex.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define KEY "config", 6
#define WAITERS 64u
#define LONG_MS 120000u

typedef struct sharing {
    lrd_store *store;
    _Atomic uint32_t sleeping, woken;
} sharing;

static void a_watch_sees_changes_and_clears(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4u << 20, 1);
    lrd_watch watch;
    int64_t value = 77;
    CHECK_OK(lrd_watch_open(store, KEY, &watch));
    CHECK(lrd_watch_read(&watch, &value));
    CHECK_EQ(value, 0);
    CHECK_OK(lrd_watch_raise(store, KEY, true, &value));
    CHECK_EQ(value, 1);
    CHECK(lrd_watch_read(&watch, &value));
    CHECK_EQ(value, 1);
    CHECK_CODE(lrd_watch_wait(&watch, 1, 0, &value), LRD_MISS);
    CHECK_CODE(lrd_watch_wait(&watch, 1, 20, &value), LRD_MISS);
    CHECK_OK(lrd_watch_wait(&watch, 0, LONG_MS, &value));
    CHECK_EQ(value, 1);
    CHECK_OK(lrd_clear(store));
    CHECK(!lrd_watch_read(&watch, &value));
    CHECK_CODE(lrd_watch_wait(&watch, 1, LONG_MS, &value), LRD_STALE);
    CHECK_OK(lrd_watch_open(store, KEY, &watch));
    CHECK(lrd_watch_read(&watch, &value));
    CHECK_EQ(value, 0);
    for (int64_t clears = 1; clears <= 3; clears++) {
        for (int64_t raises = 1; raises <= 5; raises++) {
            CHECK_OK(lrd_watch_raise(store, KEY, true, &value));
            CHECK_EQ(value, clears << 32 | raises);
        }
        CHECK_OK(lrd_clear(store));
    }
    /* Imitate a process that read the counter before the clear and sets it to a small number now.
     * The next raise must still give a number that the counter never had. */
    CHECK_OK(lrd_counter_set(store, KEY, 1, 0));
    CHECK_OK(lrd_watch_raise(store, KEY, true, &value));
    CHECK_EQ(value, (int64_t)4 << 32 | 1);
    CHECK_OK(lrd_counter_set(store, KEY, (int64_t)4 << 32 | UINT32_MAX, 0));
    for (int64_t raises = 0; raises < 3; raises++) {
        CHECK_OK(lrd_watch_raise(store, KEY, true, &value));
        CHECK_EQ(value, ((int64_t)5 << 32) + raises);
    }
    CHECK_OK(lrd_put(store, "text", 4, "x", 1, NULL));
    CHECK_CODE(lrd_watch_open(store, "text", 4, &watch), LRD_ETYPE);
    CHECK_FSCK(store);
    lrd_close(store);
    static const lrd_policy others[] = {LRD_VOLATILE, LRD_SESSION, LRD_IMMUTABLE};
    for (int i = 0; i < 3; i++) {
        store = store_new(others[i], 4u << 20, 1);
        CHECK_CODE(lrd_watch_open(store, KEY, &watch), LRD_EPOLICY);
        lrd_close(store);
    }
}

static void wait_for_one(void *arg)
{
    sharing *common = arg;
    lrd_watch watch;
    int64_t value;
    CHECK_OK(lrd_watch_open(common->store, KEY, &watch));
    atomic_fetch_add(&common->sleeping, 1);
    CHECK_OK(lrd_watch_wait(&watch, 0, LONG_MS, &value));
    CHECK_EQ(value, 1);
    atomic_fetch_add(&common->woken, 1);
}

static void all_waiters_are_woken_by_one_change(void **state)
{
    (void)state;
    sharing *common = shared_memory(sizeof *common);
    pid_t pids[WAITERS];
    int64_t value;
    lrd_options options = {.policy = LRD_PINNED, .size = 4u << 20, .slots = WAITERS + 16};
    CHECK_OK(lrd_open(&options, &common->store));
    for (uint32_t i = 0; i < WAITERS; i++)
        pids[i] = start_child(wait_for_one, common);
    while (atomic_load(&common->sleeping) != WAITERS)
        sleep_ms(1);
    sleep_ms(100);
    CHECK_EQ(atomic_load(&common->woken), 0);
    CHECK_OK(lrd_watch_raise(common->store, KEY, true, &value));
    for (uint32_t i = 0; i < WAITERS; i++)
        CHECK_CHILD(wait_child(pids[i]));
    CHECK_EQ(atomic_load(&common->woken), WAITERS);
    CHECK_FSCK(common->store);
    lrd_close(common->store);
}

static bool kernel_waits_for_two(void)
{
    return syscall(LRD__SYS_WAITV, NULL, 0, 0, NULL, CLOCK_MONOTONIC) != 0 && errno == EINVAL;
}

static pid_t start_waiter(sharing *common, void (*wait)(void *))
{
    common->store = store_new(LRD_PINNED, 4u << 20, 1);
    pid_t pid = start_child(wait, common);
    while (atomic_load(&common->sleeping) == 0)
        sleep_ms(1);
    sleep_ms(100);
    return pid;
}

static void a_waiter_is_not_woken_while_nothing_changes(void **state)
{
    (void)state;
    if (!kernel_waits_for_two())
        skip();
    sharing *common = shared_memory(sizeof *common);
    int64_t value;
    pid_t pid = start_waiter(common, wait_for_one);
    uint64_t before = 0, now = 0;
    /* Wait until the waiter has slept for a second, because it may still be on its way to sleep. */
    for (int same = 0; same < 100; before = now) {
        sleep_ms(10);
        now = sleeps_of(pid);
        same = now == before ? same + 1 : 0;
    }
    sleep_ms(2500);
    CHECK_EQ(sleeps_of(pid), before);
    CHECK_OK(lrd_watch_raise(common->store, KEY, true, &value));
    CHECK_CHILD(wait_child(pid));
    lrd_close(common->store);
}

static void check_woken(sharing *common, pid_t pid, uint64_t start)
{
    CHECK_CHILD(wait_child(pid));
    CHECK(real_ms() - start < LONG_MS / 2);
    lrd_close(common->store);
}

static void wait_for_a_clear(void *arg)
{
    sharing *common = arg;
    lrd_watch watch;
    int64_t value;
    CHECK_OK(lrd_watch_open(common->store, KEY, &watch));
    atomic_fetch_add(&common->sleeping, 1);
    CHECK_CODE(lrd_watch_wait(&watch, 0, LONG_MS, &value), LRD_STALE);
}

static void a_clear_wakes_waiters(void **state)
{
    (void)state;
    sharing *common = shared_memory(sizeof *common);
    pid_t pid = start_waiter(common, wait_for_a_clear);
    uint64_t start = real_ms();
    CHECK_OK(lrd_clear(common->store));
    check_woken(common, pid, start);
}

static void wait_for_two(void *arg)
{
    sharing *common = arg;
    lrd_watch watch;
    int64_t value = 0;
    CHECK_OK(lrd_watch_open(common->store, KEY, &watch));
    atomic_fetch_add(&common->sleeping, 1);
    while (value < 2)
        CHECK_OK(lrd_watch_wait(&watch, value, LONG_MS, &value));
}

/* The second change does not wake the waiter, as if the changing process was killed before the
 * wake-up. The waiter must notice the change by itself. */
static void a_change_without_a_wake_up_is_noticed(void **state)
{
    (void)state;
    sharing *common = shared_memory(sizeof *common);
    int64_t value;
    pid_t pid = start_waiter(common, wait_for_two);
    uint64_t start = real_ms();
    CHECK_OK(lrd_watch_raise(common->store, KEY, true, &value));
    CHECK_OK(lrd_watch_raise(common->store, KEY, false, &value));
    check_woken(common, pid, start);
}

static void raise_it(void *arg)
{
    sharing *common = arg;
    int64_t value;
    CHECK_OK(lrd_watch_raise(common->store, KEY, true, &value));
}

static void a_killed_waker_is_noticed(void **state)
{
    (void)state;
    sharing *common = shared_memory(sizeof *common);
    bool fired = true;
    for (uint64_t k = 1; fired; k++) {
        common->store = store_new(LRD_PINNED, 4u << 20, 1);
        lrd_watch watch;
        int64_t value;
        failpoint_arm(k);
        run_in_child(raise_it, common);
        fired = failpoint_fired();
        failpoint_disarm();
        check_context("pass %llu (%s)", (unsigned long long)k, failpoint_last());
        touch_all_shards(common->store);
        CHECK_OK(lrd_watch_open(common->store, KEY, &watch));
        CHECK(lrd_watch_read(&watch, &value));
        CHECK(value == 1 || (fired && value == 0));
        CHECK_FSCK(common->store);
        lrd_close(common->store);
    }
    check_context("%s", "");
}

static void on_signal(int number) { (void)number; }

static void a_signal_ends_a_wait(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4u << 20, 1);
    lrd_watch watch;
    int64_t value;
    struct sigaction action = {.sa_handler = on_signal}, before;
    struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0}, {0}};
    CHECK_OK(lrd_watch_open(store, KEY, &watch));
    CHECK_OK(sigaction(SIGALRM, &action, &before));
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    int code = lrd_watch_wait(&watch, 0, LONG_MS, &value);
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
    CHECK_OK(sigaction(SIGALRM, &before, NULL));
    CHECK_CODE(code, LRD_INTR);
    lrd_close(store);
}

static void a_signal_just_before_a_sleep_ends_the_wait(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4u << 20, 1);
    lrd_watch watch;
    int64_t value;
    CHECK_OK(lrd_watch_open(store, KEY, &watch));
    signal_at("watch_sleeps", true);
    CHECK_CODE(lrd_watch_wait(&watch, 0, 60000, &value), LRD_INTR);
    signal_at("watch_sleeps", false);
    CHECK_CODE(lrd_watch_wait(&watch, 0, 200, &value), LRD_MISS);
    signal_at(NULL, false);
    lrd_close(store);
}

static bool restart_flag;
static void on_restart(int number)
{
    (void)number;
    restart_flag = true;
}

/* SA_RESTART makes the kernel restart the sleep. The thread's wait flag must end the wait. */
static void a_signal_that_restarts_the_sleep_ends_the_wait(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4u << 20, 1);
    lrd_watch watch;
    int64_t value;
    struct sigaction action = {.sa_handler = on_restart, .sa_flags = SA_RESTART}, before;
    struct itimerval once = {{0}, {0, 200000}};
    CHECK_OK(lrd_watch_open(store, KEY, &watch));
    CHECK_OK(sigaction(SIGALRM, &action, &before));
    lrd_wait_flag(&restart_flag);
    CHECK_OK(setitimer(ITIMER_REAL, &once, NULL));
    int code = lrd_watch_wait(&watch, 0, LONG_MS, &value);
    lrd_wait_flag(NULL);
    CHECK_OK(sigaction(SIGALRM, &before, NULL));
    CHECK_CODE(code, LRD_INTR);
    CHECK(!restart_flag);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watch_sees_changes_and_clears),
        cmocka_unit_test(all_waiters_are_woken_by_one_change),
        cmocka_unit_test(a_waiter_is_not_woken_while_nothing_changes),
        cmocka_unit_test(a_clear_wakes_waiters),
        cmocka_unit_test(a_change_without_a_wake_up_is_noticed),
        cmocka_unit_test(a_killed_waker_is_noticed),
        cmocka_unit_test(a_signal_ends_a_wait),
        cmocka_unit_test(a_signal_just_before_a_sleep_ends_the_wait),
        cmocka_unit_test(a_signal_that_restarts_the_sleep_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
