/* mutex_test.c - the core's robust locks, which share a list with those of the C library. After a
 * death at any instruction of a lock or unlock, the next holder must learn of it. Start reading at
 * a_death_anywhere_is_told(). */
#include "forbid.h"
#include "internal.h"
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCKS 3
#define WAITERS 3
#define LONG_MS 60000
#define MIB (1u << 20)

typedef struct bench {
    lrd__mutex locks[LOCKS];
    pthread_mutex_t others[2]; /* locks of the C library */
    /* set while the holder has the lock */
    _Atomic uint32_t had[LOCKS];
    _Atomic uint32_t waiting, taken, told;
    gate ready;
} bench;

/* Opening a store installs the core's fork handlers, which the locks need. */
static int store_open(void **state)
{
    *state = store_new(LRD_VOLATILE, MIB, 1);
    return 0;
}

static int store_close(void **state)
{
    lrd_close(*state);
    return 0;
}

static bench *bench_new(void)
{
    bench *b = shared_memory(sizeof *b);
    pthread_mutexattr_t attributes;
    for (int i = 0; i < LOCKS; i++)
        lrd__mutex_init(&b->locks[i]);
    CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
    CHECK_EQ(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
    CHECK_EQ(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_mutex_init(&b->others[i], &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
    return b;
}

static void check_lock(lrd__mutex *lock, int wanted)
{
    CHECK_EQ(lrd__mutex_owner(lock), 0);
    CHECK_EQ(lrd__mutex_try(lock), wanted);
    if (wanted == EOWNERDEAD)
        CHECK_EQ(lrd__mutex_consistent(lock), 0);
    lrd__mutex_unlock(lock);
    CHECK_EQ(atomic_load(&lock->word), 0);
}

/* ---- deaths at any instruction ---- */

static void take(bench *b, int i)
{
    CHECK_EQ(lrd__mutex_try(&b->locks[i]), 0);
    atomic_store(&b->had[i], 1);
}

static void give_up(bench *b, int i)
{
    atomic_store(&b->had[i], 0);
    lrd__mutex_unlock(&b->locks[i]);
}

/* Take three locks and release them, so that one lock leaves the thread's list of robust locks at
 * its end, one in its middle and one at its head. */
static void take_and_give_up(void *arg)
{
    bench *b = arg;
    take(b, 0);
    take(b, 1);
    take(b, 2);
    give_up(b, 1);
    take(b, 1);
    give_up(b, 0);
    give_up(b, 1);
    give_up(b, 2);
}

static void a_death_anywhere_is_told(void **state)
{
    (void)state;
    bench *b = bench_new();
    uint64_t k = 1;
    for (bool died = true; died; k++) {
        memset(b->had, 0, sizeof b->had);
        failpoint_arm(k);
        int status = run_in_child(take_and_give_up, b);
        died = failpoint_fired();
        failpoint_disarm();
        check_context("at point %d (%s)", (int)k, failpoint_last());
        if (died)
            CHECK_KILLED(status, SIGKILL);
        else
            CHECK_CHILD(status);
        for (int i = 0; i < LOCKS; i++) {
            uint32_t word = atomic_load(&b->locks[i].word);
            if (atomic_load(&b->had[i]) != 0)
                CHECK((word & FUTEX_OWNER_DIED) != 0);
            check_lock(&b->locks[i], (word & FUTEX_OWNER_DIED) != 0 ? EOWNERDEAD : 0);
        }
    }
    check_context("%s", "");
    CHECK_EQ(k - 2, 4 * 4); /* taking and releasing a lock passes four fail points */
}

static void die_with_locks_of_both_kinds(void *arg)
{
    bench *b = arg;
    CHECK_EQ(pthread_mutex_lock(&b->others[0]), 0);
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), 0);
    CHECK_EQ(pthread_mutex_lock(&b->others[1]), 0);
    CHECK_EQ(lrd__mutex_try(&b->locks[1]), 0);
    CHECK_EQ(lrd__mutex_try(&b->locks[2]), 0);
    /* In this thread's robust list, the lock lies between a lock of the C library and another lock
     * of the core. */
    lrd__mutex_unlock(&b->locks[1]);
    CHECK_EQ(pthread_mutex_unlock(&b->others[0]), 0);
    raise(SIGKILL);
}

static void a_death_is_told_of_all_that_one_list_has(void **state)
{
    (void)state;
    bench *b = bench_new();
    CHECK_KILLED(run_in_child(die_with_locks_of_both_kinds, b), SIGKILL);
    check_lock(&b->locks[0], EOWNERDEAD);
    check_lock(&b->locks[1], 0);
    check_lock(&b->locks[2], EOWNERDEAD);
    CHECK_EQ(pthread_mutex_trylock(&b->others[0]), 0);
    CHECK_EQ(pthread_mutex_trylock(&b->others[1]), EOWNERDEAD);
}

static void *take_one(void *arg)
{
    bench *b = arg;
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), 0);
    return NULL;
}

static void the_end_of_a_thread_is_told(void **state)
{
    (void)state;
    bench *b = bench_new();
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, take_one, b), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    check_lock(&b->locks[0], EOWNERDEAD);
}

/* ---- which waiters learn of a death ---- */

static void wait_for_it(void *arg)
{
    bench *b = arg;
    atomic_fetch_add(&b->waiting, 1);
    int rc = lrd__lease_wait(&b->locks[0], LONG_MS);
    CHECK(rc == 0 || rc == EOWNERDEAD);
    atomic_fetch_add(&b->told, rc == EOWNERDEAD);
    uint32_t before = atomic_fetch_add(&b->taken, 1);
    CHECK_EQ(lrd__mutex_owner(&b->locks[0]), getpid());
    if (before == 0)
        _exit(0); /* die without making the lock consistent, like a process that is killed */
    if (rc == EOWNERDEAD)
        CHECK_EQ(lrd__mutex_consistent(&b->locks[0]), 0);
    lrd__mutex_unlock(&b->locks[0]);
}

static void take_and_stay(void *arg)
{
    bench *b = arg;
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), 0);
    gate_open(&b->ready);
    for (;;)
        pause();
}

static void a_death_is_told_to_one_waiter_and_again_if_it_dies_too(void **state)
{
    (void)state;
    bench *b = bench_new();
    pid_t waiters[WAITERS];
    pid_t holder = start_child(take_and_stay, b);
    gate_wait(&b->ready);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = start_child(wait_for_it, b);
    while (atomic_load(&b->waiting) < WAITERS ||
           (atomic_load(&b->locks[0].word) & FUTEX_WAITERS) == 0)
        sleep_ms(1);
    stop_child(holder);
    for (int i = 0; i < WAITERS; i++)
        CHECK_CHILD(wait_child(waiters[i]));
    CHECK_EQ(atomic_load(&b->taken), WAITERS);
    CHECK_EQ(atomic_load(&b->told), 2);
    check_lock(&b->locks[0], 0);
}

static void killed_waiters_keep_nobody_waiting(void **state)
{
    (void)state;
    bench *b = bench_new();
    /* The waiter that sets `taken` to 1 exits without releasing the lock. Set `taken` here, so that
     * all waiters release the lock. */
    atomic_store(&b->taken, 1);
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), 0);
    pid_t waiters[WAITERS];
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = start_child(wait_for_it, b);
    while (atomic_load(&b->waiting) < WAITERS ||
           (atomic_load(&b->locks[0].word) & FUTEX_WAITERS) == 0)
        sleep_ms(1);
    stop_child(waiters[0]);
    lrd__mutex_unlock(&b->locks[0]);
    stop_child(waiters[1]); /* this may be the waiter that the unlock has woken */
    CHECK_CHILD(wait_child(waiters[2]));
    int rc = lrd__mutex_try(&b->locks[0]);
    CHECK(rc == 0 || rc == EOWNERDEAD);
}

static void die_with_the_first(void *arg)
{
    take_one(arg);
    raise(SIGKILL);
}

static void a_death_that_was_not_made_up_for_is_told_again(void **state)
{
    (void)state;
    bench *b = bench_new();
    CHECK_KILLED(run_in_child(die_with_the_first, b), SIGKILL);
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), EOWNERDEAD);
    lrd__mutex_unlock(&b->locks[0]);
    check_lock(&b->locks[0], EOWNERDEAD);
    check_lock(&b->locks[0], 0);
}

static void what_is_not_ones_own_is_not_given_up(void **state)
{
    (void)state;
    bench *b = bench_new();
    pid_t holder = start_child(take_and_stay, b);
    gate_wait(&b->ready);
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), EBUSY);
    CHECK_EQ(lrd__mutex_consistent(&b->locks[0]), EINVAL);
    lrd__mutex_unlock(&b->locks[0]);
    CHECK_EQ(lrd__mutex_owner(&b->locks[0]), holder);
    CHECK_EQ(lrd__mutex_wait(&b->locks[0], 20), ETIMEDOUT);
    stop_child(holder);
    check_lock(&b->locks[0], EOWNERDEAD);
}

/* ---- fork ---- */

static void fork_off_and_die(void *arg)
{
    bench *b = arg;
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), EBUSY);
    CHECK_EQ(lrd__mutex_try(&b->locks[1]), 0);
    CHECK_EQ(lrd__mutex_owner(&b->locks[1]), getpid());
    raise(SIGKILL);
}

static void a_child_has_nothing_that_its_parent_has(void **state)
{
    (void)state;
    bench *b = bench_new();
    CHECK_EQ(lrd__mutex_try(&b->locks[0]), 0);
    CHECK_EQ(lrd__mutex_try(&b->locks[2]), 0);
    CHECK_KILLED(run_in_child(fork_off_and_die, b), SIGKILL);
    CHECK_EQ(lrd__mutex_owner(&b->locks[0]), getpid());
    CHECK_EQ(lrd__mutex_owner(&b->locks[2]), getpid());
    lrd__mutex_unlock(&b->locks[0]);
    lrd__mutex_unlock(&b->locks[2]);
    check_lock(&b->locks[0], 0);
    check_lock(&b->locks[1], EOWNERDEAD);
    check_lock(&b->locks[2], 0);
}

/* ---- processes without a robust list ---- */

static void write_without_lists(void *arg)
{
    (void)arg;
    if (!forbid_call(SYS_get_robust_list, 0, 0, EPERM))
        return;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void where_a_filter_denies_the_list_locks_work(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(write_without_lists, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_anywhere_is_told),
        cmocka_unit_test(a_death_is_told_of_all_that_one_list_has),
        cmocka_unit_test(the_end_of_a_thread_is_told),
        cmocka_unit_test(a_death_is_told_to_one_waiter_and_again_if_it_dies_too),
        cmocka_unit_test(killed_waiters_keep_nobody_waiting),
        cmocka_unit_test(a_death_that_was_not_made_up_for_is_told_again),
        cmocka_unit_test(what_is_not_ones_own_is_not_given_up),
        cmocka_unit_test(a_child_has_nothing_that_its_parent_has),
        cmocka_unit_test(where_a_filter_denies_the_list_locks_work),
    };
    return cmocka_run_group_tests_name("mutex", tests, store_open, store_close);
}
