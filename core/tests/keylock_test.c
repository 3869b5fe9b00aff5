/* keylock_test.c - reservations of keys by threads and processes. On a busy machine a wait may end
 * late, but none may end too early. */
#include "support.h"

#include "internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "report:2024", 11
#define SIZE (4u << 20)
/* Limit for a wait that ends within 50 ms on an idle machine. Without a wake-up, the waiter waits
 * for 60,000 ms. */
#define LATE_MS 10000u

#define HERD 64u

typedef struct sharing {
    gate ready, go, done, locked, unlock;
    _Atomic uint32_t sleepers, woken, passed;
    _Atomic uint64_t at_ms;
    _Atomic int code;
    uint32_t inside, count; /* not atomic, because the reservation protects them */
    _Atomic uint64_t token;
} sharing;

static lrd_store *store;
static test_clock *test_time;
static sharing *common;

static int open_store(void **state, uint32_t shards, test_clock *clock)
{
    (void)state;
    store = store_with_clock(LRD_VOLATILE, SIZE, shards, clock);
    common = shared_memory(sizeof *common);
    return 0;
}

static int setup(void **state) { return open_store(state, 0, NULL); }

static int setup_herd(void **state)
{
    (void)state;
    lrd_options options = {.size = SIZE, .slots = HERD + 16};
    CHECK_OK(lrd_open(&options, &store));
    common = shared_memory(sizeof *common);
    return 0;
}

static int setup_clock(void **state)
{
    test_time = clock_new();
    return open_store(state, 1, test_time);
}

static int teardown(void **state)
{
    (void)state;
    CHECK_FSCK(store);
    lrd_close(store);
    return 0;
}

static int lock_now(void) { return lrd_lock(store, KEY, 0, 0, NULL); }

static void wait_ms_for_key(uint64_t wait_ms)
{
    atomic_store(&common->code, lrd_lock(store, KEY, 0, wait_ms, NULL));
    atomic_store(&common->at_ms, real_ms());
}

/* ---- children ---- */

static void child_tries(void *unused)
{
    (void)unused;
    atomic_store(&common->code, lock_now());
}

static int code_of_another_process(void)
{
    CHECK_CHILD(run_in_child(child_tries, NULL));
    return atomic_load(&common->code);
}

static void child_holds(void *unused)
{
    (void)unused;
    CHECK_OK(lock_now());
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void child_waits(void *wait_ms)
{
    gate_open(&common->ready);
    wait_ms_for_key(*(uint64_t *)wait_ms);
    gate_open(&common->done);
}

/* ---- exclusion ---- */

static void a_key_is_reserved_by_one_process_at_a_time(void **state)
{
    (void)state;
    CHECK_OK(lock_now());
    CHECK_EQ(code_of_another_process(), LRD_HELD);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_EQ(code_of_another_process(), LRD_OK);
    CHECK_OK(lock_now());
}

static void child_asks_with_another_key(void *unused)
{
    (void)unused;
    CHECK_OK(lrd_lock(store, "another", 7, 0, 0, NULL));
    CHECK_EQ(lock_now(), LRD_HELD);
    CHECK_EQ(lrd_lock_wanted(store), false);
}

static void an_owner_sees_that_a_thread_with_keys_of_its_own_wants_its_key(void **state)
{
    (void)state;
    CHECK_EQ(lrd_lock_wanted(store), false);
    CHECK_OK(lrd_lock(store, "report:2025", 11, 0, 0, NULL));
    CHECK_OK(lock_now());
    /* The child has reserved no key, so its call is no sign of a deadlock. KEY must not count as
     * wanted. */
    CHECK_EQ(code_of_another_process(), LRD_HELD);
    CHECK_EQ(lrd_lock_wanted(store), false);
    CHECK_CHILD(run_in_child(child_asks_with_another_key, NULL));
    CHECK_EQ(lrd_lock_wanted(store), true);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_EQ(lrd_lock_wanted(store), false);
    CHECK_OK(lock_now());
    CHECK_EQ(lrd_lock_wanted(store), false);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_OK(lrd_unlock(store, "report:2025", 11, 0));
}

static void other_keys_are_free(void **state)
{
    (void)state;
    CHECK_OK(lock_now());
    CHECK_OK(lrd_lock(store, "report:2025", 11, 0, 0, NULL));
    CHECK_OK(lrd_lock(store, "report:2024", 10, 0, 0, NULL));
    CHECK_OK(lrd_lock(store, "report:2024\0", 12, 0, 0, NULL));
}

static void child_counts(void *unused)
{
    (void)unused;
    gate_wait(&common->go);
    for (uint32_t i = 0; i < 400; i++) {
        uint64_t token;
        CHECK_OK(lrd_lock(store, KEY, 0, 60000, &token));
        CHECK_EQ(common->inside++, 0);
        common->count++;
        if (i % 16 == 0)
            usleep(100);
        CHECK_EQ(--common->inside, 0);
        CHECK_OK(lrd_unlock(store, KEY, token));
    }
}

static void many_processes_exclude_each_other(void **state)
{
    (void)state;
    pid_t child[6];
    for (uint32_t i = 0; i < 6; i++)
        child[i] = start_child(child_counts, NULL);
    gate_open(&common->go);
    for (uint32_t i = 0; i < 6; i++)
        CHECK_CHILD(wait_child(child[i]));
    CHECK_EQ(common->count, 6 * 400);
}

static void *thread_tries(void *unused)
{
    atomic_store(&common->code, lock_now());
    return unused;
}

static void another_thread_is_somebody_else(void **state)
{
    (void)state;
    pthread_t thread;
    CHECK_OK(lock_now());
    CHECK_EQ(pthread_create(&thread, NULL, thread_tries, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(atomic_load(&common->code), LRD_HELD);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_EQ(pthread_create(&thread, NULL, thread_tries, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(atomic_load(&common->code), LRD_OK);
    CHECK_OK(lock_now());
}

static void *thread_unlocks(void *code)
{
    uint64_t token = atomic_load(&common->token);
    CHECK_CODE(lrd_unlock(store, KEY, 0), LRD_MISS);
    CHECK_CODE(lrd_unlock(store, KEY, token + 1), LRD_MISS);
    CHECK_CODE(lrd_unlock(store, KEY, token), *(const int *)code);
    return NULL;
}

/* A host's thread may run on several threads of the operating system. So a thread that did not
 * reserve the key can unlock it with the token. */
static void another_thread_ends_it_by_its_token(void **state)
{
    (void)state;
    pthread_t thread;
    int code[] = {LRD_OK, LRD_MISS};
    uint64_t token;
    /* The thread's first list of keys has room for fewer than 200 keys. */
    for (int i = 0; i < 200; i++) {
        CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
        atomic_store(&common->token, token);
        for (int j = 0; j < 2; j++) {
            CHECK_EQ(pthread_create(&thread, NULL, thread_unlocks, &code[j]), 0);
            pthread_join(thread, NULL);
        }
        CHECK_CODE(lrd_unlock(store, KEY, token), LRD_MISS);
    }
    CHECK_OK(lock_now());
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_CODE(lrd_unlock(store, KEY, 0), LRD_MISS);
    CHECK_OK(lock_now());
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lrd_unlock(store, KEY, 0), LRD_MISS);
}

static void child_has_nothing(void *unused)
{
    (void)unused;
    CHECK_CODE(lrd_unlock(store, KEY, 0), LRD_MISS);
    CHECK_CODE(lrd_unlock(store, KEY, atomic_load(&common->token)), LRD_MISS);
    CHECK_CODE(lock_now(), LRD_HELD);
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lock_now(), LRD_HELD);
}

static void a_fork_does_not_inherit_reservations(void **state)
{
    (void)state;
    uint64_t token;
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    atomic_store(&common->token, token);
    CHECK_CHILD(run_in_child(child_has_nothing, NULL));
    CHECK_OK(lrd_unlock(store, KEY, token));
}

static void the_same_thread_again_is_refused_without_waiting(void **state)
{
    (void)state;
    uint64_t token = 0, start = real_ms();
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    CHECK(token != 0);
    CHECK_CODE(lrd_lock(store, KEY, 0, 60000, NULL), LRD_EDEADLK);
    CHECK(real_ms() - start < 30000);
    CHECK_OK(lrd_unlock(store, KEY, token));
}

static void entries_are_not_concerned(void **state)
{
    (void)state;
    CHECK_OK(put_value(store, "report:2024", 500, 1, LRD_SET, 0));
    CHECK_OK(lock_now());
    CHECK_OK(put_value(store, "report:2024", 600, 2, LRD_SET, 0));
    CHECK_OK(get_checked(store, "report:2024", NULL, NULL));
    CHECK_OK(lrd_delete(store, KEY));
    CHECK_CODE(lock_now(), LRD_EDEADLK);
}

static void keys_have_their_length_checked(void **state)
{
    (void)state;
    char *key = calloc(LRD_KEY_MAX + 1, 1);
    CHECK_CODE(lrd_lock(store, key, 0, 0, 0, NULL), LRD_EKEY);
    CHECK_CODE(lrd_lock(store, key, LRD_KEY_MAX + 1, 0, 0, NULL), LRD_EKEY);
    CHECK_CODE(lrd_unlock(store, key, 0, 0), LRD_EKEY);
    CHECK_CODE(lrd_unlock(store, key, LRD_KEY_MAX + 1, 0), LRD_EKEY);
    CHECK_OK(lrd_lock(store, key, LRD_KEY_MAX, 0, 0, NULL));
    CHECK_OK(lrd_unlock(store, key, LRD_KEY_MAX, 0));
    free(key);
}

/* ---- waiting ---- */

static void waiting_ends_in_time(void **state)
{
    (void)state;
    uint64_t waits[] = {0, 20, 120};
    pid_t child = start_child(child_holds, NULL);
    gate_wait(&common->ready);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t start = real_ms();
        wait_ms_for_key(waits[i]);
        CHECK_EQ(atomic_load(&common->code), LRD_HELD);
        CHECK(atomic_load(&common->at_ms) - start + 1 >= waits[i]);
        CHECK(atomic_load(&common->at_ms) - start < waits[i] + LATE_MS);
    }
    stop_child(child);
}

/* A wait sleeps in steps of 50 ms. Its last step must sleep only for the rest: a wait of 60 ms
 * takes less than 100 ms. A busy machine may be late, so try until one wait is in time. */
static void the_last_step_of_a_wait_is_a_part(void **state)
{
    (void)state;
    enum { WAIT_MS = 60, STEP_MS = 50, TRIES = 500 };
    pid_t child = start_child(child_holds, NULL);
    gate_wait(&common->ready);
    bool in_time = false;
    for (uint32_t i = 0; i < TRIES && !in_time; i++) {
        uint64_t start = real_ms();
        wait_ms_for_key(WAIT_MS);
        CHECK_EQ(atomic_load(&common->code), LRD_HELD);
        in_time = atomic_load(&common->at_ms) - start < 2 * STEP_MS - 5;
    }
    CHECK(in_time);
    stop_child(child);
}

static int compare_ms(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void child_reads(void *descriptor)
{
    char byte;
    atomic_store(&common->ready, 1);
    CHECK(read(*(int *)descriptor, &byte, 1) == 1);
    atomic_store(&common->at_ms, real_ms());
}

static uint64_t wake_ms(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    memset(common, 0, sizeof *common);
    pid_t child = start_child(child_reads, ends);
    gate_wait(&common->ready);
    sleep_ms(60);
    uint64_t start = real_ms();
    CHECK(write(ends[1], "x", 1) == 1);
    CHECK_CHILD(wait_child(child));
    close(ends[0]);
    close(ends[1]);
    return atomic_load(&common->at_ms) - start;
}

/* An unlock after 60 ms wakes the waiter at once. A waiter that only looks every 50 ms would be 40
 * ms late. wake_ms() tells how late a busy machine wakes any process. */
static void an_unlock_wakes_the_waiter(void **state)
{
    (void)state;
    uint64_t late[11], usual[11], patience = 60000;
    for (uint32_t i = 0; i < 11; i++) {
        usual[i] = wake_ms();
        memset(common, 0, sizeof *common);
        CHECK_OK(lock_now());
        pid_t child = start_child(child_waits, &patience);
        gate_wait(&common->ready);
        sleep_ms(60);
        uint64_t start = real_ms();
        CHECK_OK(lrd_unlock(store, KEY, 0));
        CHECK_CHILD(wait_child(child));
        CHECK_EQ(atomic_load(&common->code), LRD_OK);
        late[i] = atomic_load(&common->at_ms) - start;
    }
    qsort(late, 11, sizeof late[0], compare_ms);
    qsort(usual, 11, sizeof usual[0], compare_ms);
    CHECK(late[5] < 25 + 10 * usual[5] + usual[10]);
}

static void child_waits_and_unlocks(void *wait_ms)
{
    CHECK_OK(lrd_lock(store, KEY, 0, *(uint64_t *)wait_ms, NULL));
    CHECK_OK(lrd_unlock(store, KEY, 0));
}

static void all_waiters_get_their_turn(void **state)
{
    (void)state;
    uint64_t patience = 60000, start;
    pid_t child[8];
    CHECK_OK(lock_now());
    for (uint32_t i = 0; i < 8; i++)
        child[i] = start_child(child_waits_and_unlocks, &patience);
    sleep_ms(60);
    start = real_ms();
    CHECK_OK(lrd_unlock(store, KEY, 0));
    for (uint32_t i = 0; i < 8; i++)
        CHECK_CHILD(wait_child(child[i]));
    CHECK(real_ms() - start < 30000);
}

static void a_killed_waiter_is_not_missed(void **state)
{
    (void)state;
    uint64_t patience = 60000;
    pid_t killed, child;
    CHECK_OK(lock_now());
    killed = start_child(child_waits, &patience);
    gate_wait(&common->ready);
    sleep_ms(20);
    stop_child(killed);
    child = start_child(child_waits_and_unlocks, &patience);
    sleep_ms(20);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_CHILD(wait_child(child));
    CHECK_OK(lock_now());
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_EQ(keylocks_used(store), 0);
}

/* Count, at fail points, the children's sleeps and wake-ups, and the unlocks that pass the key to a
 * waiter. */
static void herd_hook(const char *name, void *unused)
{
    static bool slept;
    (void)unused;
    if (strcmp(name, "keylock_woken") == 0)
        atomic_fetch_add(&common->woken, 1);
    if (strcmp(name, "keylock_passing") == 0)
        atomic_fetch_add(&common->passed, 1);
    if (strcmp(name, "keylock_sleeps") == 0 && !slept) {
        slept = true;
        atomic_fetch_add(&common->sleepers, 1);
    }
}

static void wait_for_sleepers(uint32_t count)
{
    uint64_t end = real_ms() + 300000;
    while (atomic_load(&common->sleepers) < count && real_ms() < end)
        usleep(200);
    CHECK_EQ(atomic_load(&common->sleepers), count);
}

static void wait_for_sleep_or_death(pid_t child)
{
    siginfo_t ended = {0};
    while (atomic_load(&common->sleepers) == 0 && ended.si_pid == 0) {
        usleep(200);
        CHECK(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
    }
}

static void child_of_herd(void *unused)
{
    uint64_t token;
    (void)unused;
    CHECK_OK(lrd_lock(store, KEY, 0, 300000, &token));
    CHECK_EQ(common->inside++, 0);
    common->count++;
    usleep(300);
    CHECK_EQ(--common->inside, 0);
    CHECK_OK(lrd_unlock(store, KEY, token));
}

static void an_unlock_wakes_one_of_a_herd(void **state)
{
    (void)state;
    pid_t child[HERD];
    CHECK_OK(lock_now());
    failpoint_hook(herd_hook, NULL);
    for (uint32_t i = 0; i < HERD; i++)
        child[i] = start_child(child_of_herd, NULL);
    wait_for_sleepers(HERD);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    failpoint_hook(NULL, NULL);
    for (uint32_t i = 0; i < HERD; i++)
        CHECK_CHILD(wait_child(child[i]));
    CHECK_EQ(common->count, HERD);
    CHECK(atomic_load(&common->woken) > 0);
    CHECK(atomic_load(&common->woken) <= atomic_load(&common->passed));
    CHECK(atomic_load(&common->passed) <= HERD + 1);
    CHECK_EQ(keylocks_used(store), 0);
}

static void child_locks_and_passes(void *k)
{
    CHECK_OK(lock_now());
    gate_open(&common->ready);
    gate_wait(&common->go);
    failpoint_arm(*(uint64_t *)k);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    failpoint_disarm();
}

static void a_killed_waker_is_not_missed(void **state)
{
    (void)state;
    uint64_t patience = 300000, k = 1;
    for (bool fired = true; fired; k++) {
        memset(common, 0, sizeof *common);
        pid_t owner = start_child(child_locks_and_passes, &k);
        gate_wait(&common->ready);
        failpoint_hook(herd_hook, NULL);
        pid_t waiter = start_child(child_waits_and_unlocks, &patience);
        failpoint_hook(NULL, NULL);
        wait_for_sleepers(1);
        gate_open(&common->go);
        int status = wait_child(owner);
        fired = failpoint_fired();
        if (!fired)
            CHECK_CHILD(status);
        check_context("owner killed at pass %llu (%s)", (unsigned long long)k, failpoint_last());
        CHECK_CHILD(wait_child(waiter));
        CHECK_OK(lock_now());
        CHECK_OK(lrd_unlock(store, KEY, 0));
        CHECK_FSCK(store);
    }
    check_context("%s", "");
    CHECK(k >= 7); /* lock_taken, keylock_freed, keylock_kept, lock_release, keylock_passing */
}

static void child_waits_armed(void *k)
{
    failpoint_arm(*(uint64_t *)k);
    CHECK_OK(lrd_lock(store, KEY, 0, 300000, NULL));
    CHECK_OK(lrd_unlock(store, KEY, 0));
    failpoint_disarm();
}

static void a_waiter_killed_anywhere_is_not_missed(void **state)
{
    (void)state;
    uint64_t patience = 300000, k = 1;
    for (bool fired = true; fired; k++) {
        memset(common, 0, sizeof *common);
        CHECK_OK(lock_now());
        failpoint_hook(herd_hook, NULL);
        pid_t killed = start_child(child_waits_armed, &k);
        wait_for_sleep_or_death(killed); /* let the child pass all fail points of a wait */
        atomic_store(&common->sleepers, 0);
        pid_t waiter = start_child(child_waits_and_unlocks, &patience);
        failpoint_hook(NULL, NULL);
        wait_for_sleepers(1);
        usleep(1000 * (unsigned)(k % 4));
        CHECK_OK(lrd_unlock(store, KEY, 0));
        int status = wait_child(killed);
        fired = failpoint_fired();
        if (!fired)
            CHECK_CHILD(status);
        check_context("waiter killed at pass %llu (%s)", (unsigned long long)k, failpoint_last());
        CHECK_CHILD(wait_child(waiter));
        CHECK_FSCK(store);
    }
    check_context("%s", "");
    CHECK(k > 7);
}

/* ---- how a reservation ends ---- */

static void the_wrong_token_unlocks_nothing(void **state)
{
    (void)state;
    uint64_t first, second;
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &first));
    CHECK_CODE(lrd_unlock(store, KEY, first + 1), LRD_MISS);
    CHECK_EQ(code_of_another_process(), LRD_HELD);
    CHECK_OK(lrd_unlock(store, KEY, first));
    CHECK_CODE(lrd_unlock(store, KEY, first), LRD_MISS);
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &second));
    CHECK(second != first);
    CHECK_CODE(lrd_unlock(store, KEY, first), LRD_MISS);
    CHECK_OK(lrd_unlock(store, KEY, 0));
    CHECK_CODE(lrd_unlock(store, KEY, 0), LRD_MISS);
}

static void a_lease_ends_on_time(void **state)
{
    (void)state;
    uint64_t token;
    CHECK_OK(lrd_lock(store, KEY, 1000, 0, &token));
    atomic_fetch_add(test_time, 999);
    CHECK_EQ(code_of_another_process(), LRD_HELD);
    CHECK_CODE(lock_now(), LRD_EDEADLK);
    atomic_fetch_add(test_time, 1);
    CHECK_EQ(code_of_another_process(), LRD_OK);
    CHECK_CODE(lrd_unlock(store, KEY, token), LRD_MISS);
}

static void an_expired_lease_can_be_taken_again_by_its_owner(void **state)
{
    (void)state;
    uint64_t first, second;
    CHECK_OK(lrd_lock(store, KEY, 10, 0, &first));
    atomic_fetch_add(test_time, 10);
    CHECK_OK(lrd_lock(store, KEY, 10, 0, &second));
    CHECK(second != first);
    CHECK_CODE(lrd_unlock(store, KEY, first), LRD_MISS);
    CHECK_OK(lrd_unlock(store, KEY, second));
    CHECK_OK(lrd_lock(store, KEY, 10, 0, &first));
    atomic_fetch_add(test_time, 10);
    CHECK_CODE(lrd_unlock(store, KEY, first), LRD_MISS);
    CHECK_EQ(code_of_another_process(), LRD_OK);
}

static void an_endless_lease_is_no_lease(void **state)
{
    (void)state;
    CHECK_OK(lrd_lock(store, KEY, UINT64_MAX, 0, NULL));
    atomic_fetch_add(test_time, (uint64_t)1 << 38);
    CHECK_EQ(code_of_another_process(), LRD_HELD);
}

static void child_holds_with_lease(void *lease_ms)
{
    CHECK_OK(lrd_lock(store, KEY, *(uint64_t *)lease_ms, 0, NULL));
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void a_waiter_takes_over_when_the_lease_ends(void **state)
{
    (void)state;
    uint64_t lease = 150, start = real_ms();
    pid_t child = start_child(child_holds_with_lease, &lease);
    gate_wait(&common->ready);
    uint64_t held = real_ms();
    wait_ms_for_key(60000);
    CHECK_EQ(atomic_load(&common->code), LRD_OK);
    /* The clock of the store may be 10 ms late. */
    CHECK(atomic_load(&common->at_ms) - start + 10 >= lease);
    CHECK(atomic_load(&common->at_ms) - held < lease + LATE_MS);
    stop_child(child);
}

static void a_waiter_takes_over_from_a_killed_owner(void **state)
{
    (void)state;
    uint64_t patience = 60000;
    pid_t owner = start_child(child_holds, NULL);
    gate_wait(&common->ready);
    atomic_store(&common->ready, 0);
    pid_t waiter = start_child(child_waits, &patience);
    gate_wait(&common->ready);
    sleep_ms(100);
    CHECK_EQ(atomic_load(&common->done), 0);
    uint64_t killed = real_ms();
    stop_child(owner);
    CHECK_CHILD(wait_child(waiter));
    CHECK_EQ(atomic_load(&common->code), LRD_OK);
    CHECK(atomic_load(&common->at_ms) - killed < LATE_MS);
}

static void hook_stops_the_reaper(const char *name, void *at)
{
    if (strcmp(name, at) != 0)
        return;
    gate_open(&common->done);
    gate_wait(&common->go);
}

static void child_gives_back_dead_slots(void *at)
{
    lrd_stats stats;
    failpoint_hook(hook_stops_the_reaper, at);
    CHECK_OK(lrd_stats_get(store, &stats));
    failpoint_hook(NULL, NULL);
}

static void a_killed_owner_has_no_key_while_its_slot_is_given_back(void **state)
{
    (void)state;
    static const char *const points[] = {"slot_reaping", "slot_emptied", "slot_renamed"};
    for (int i = 0; i < 3; i++) {
        memset(common, 0, sizeof *common);
        pid_t owner = start_child(child_holds, NULL);
        gate_wait(&common->ready);
        CHECK_CODE(lock_now(), LRD_HELD);
        stop_child(owner);
        pid_t reaper = start_child(child_gives_back_dead_slots, (void *)(uintptr_t)points[i]);
        gate_wait(&common->done);
        check_context("stopped at %s", points[i]);
        CHECK_OK(lock_now());
        CHECK_OK(lrd_unlock(store, KEY, 0));
        gate_open(&common->go);
        CHECK_CHILD(wait_child(reaper));
        CHECK_FSCK(store);
    }
    check_context("%s", "");
}

static void a_stopped_owner_keeps_its_reservation(void **state)
{
    (void)state;
    pid_t owner = start_child(child_holds, NULL);
    gate_wait(&common->ready);
    kill(owner, SIGSTOP);
    wait_ms_for_key(120);
    CHECK_EQ(atomic_load(&common->code), LRD_HELD);
    stop_child(owner);
    wait_ms_for_key(60000);
    CHECK_EQ(atomic_load(&common->code), LRD_OK);
}

static void child_keeps_the_lock(void *unused)
{
    (void)unused;
    uint32_t shard = lrd__place_of(store, KEY).shard_index;
    CHECK_OK(lrd__shard_lock(store, NULL, shard));
    gate_open(&common->locked);
    gate_wait(&common->unlock);
    lrd__shard_unlock(store, shard);
}

static void unlock_in_vain(uint64_t token)
{
    pid_t locker = start_child(child_keeps_the_lock, NULL);
    gate_wait(&common->locked);
    CHECK_CODE(lrd_unlock(store, KEY, token), LRD_EBUSY);
    gate_open(&common->unlock);
    CHECK_CHILD(wait_child(locker));
    atomic_store(&common->locked, 0);
    atomic_store(&common->unlock, 0);
}

static void child_has_the_key(void *unused)
{
    (void)unused;
    CHECK_OK(lock_now());
}

static void child_has_not_the_key(void *unused)
{
    (void)unused;
    CHECK_CODE(lock_now(), LRD_HELD);
}

/* Hosts do not repeat a failed unlock, so a later call of the thread must unlock the key. */
static void an_unlock_that_found_the_shard_busy_is_done_by_a_later_call(void **state)
{
    (void)state;
    uint64_t token, later;
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(token);
    CHECK_OK(lrd_lock(store, "other", 5, 0, 0, NULL));
    CHECK_CHILD(run_in_child(child_has_the_key, NULL));
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(token);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_CHILD(run_in_child(child_has_the_key, NULL));
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(token);
    sleep_ms(2 * LRD__CHORES_MS);
    CHECK_OK(put_value(store, "written", 10, 1, LRD_SET, 0));
    CHECK_CHILD(run_in_child(child_has_the_key, NULL));
    /* A failed unlock counts as done: the reservation cannot be renewed, and lrd_locks_end() does
     * not count it. */
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(token);
    CHECK_CODE(lrd__keylock_renew(lrd__threads[store->id], KEY, token, 0), LRD_MISS);
    CHECK_EQ(lrd_locks_end(store), 1); /* only "other" was still reserved */
    CHECK_CHILD(run_in_child(child_has_the_key, NULL));
    CHECK_OK(lrd_lock(store, "other", 5, 0, 0, NULL));
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(token);
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &later));
    unlock_in_vain(later);
    CHECK_OK(lrd_unlock(store, KEY, later));
    CHECK_CODE(lrd_unlock(store, KEY, later), LRD_MISS);
    CHECK_OK(lrd_unlock(store, "other", 5, 0));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
}

static void an_unlock_with_an_old_token_that_found_the_shard_busy_ends_nothing(void **state)
{
    (void)state;
    uint64_t old, token;
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &old));
    CHECK_OK(lrd_unlock(store, KEY, old));
    CHECK_OK(lrd_lock(store, KEY, 0, 0, &token));
    unlock_in_vain(old);
    CHECK_OK(lrd_lock(store, "other", 5, 0, 0, NULL));
    CHECK_CHILD(run_in_child(child_has_not_the_key, NULL));
    CHECK_OK(lrd_unlock(store, KEY, token));
}

static void child_takes_all_twenty(void *unused)
{
    (void)unused;
    for (uint8_t key = 0; key < 20; key++)
        CHECK_OK(lrd_lock(store, &key, 1, 0, 0, NULL));
}

static void lock_twenty(void)
{
    for (uint8_t key = 0; key < 20; key++)
        CHECK_OK(lrd_lock(store, &key, 1, 0, 0, NULL));
}

static void the_end_of_a_request_unlocks_everything(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        CHECK_OK(lrd_request_begin(store));
        lock_twenty();
        CHECK_OK(lrd_request_end(store));
        CHECK_CHILD(run_in_child(child_takes_all_twenty, NULL));
    }
}

static void all_keys_are_unlocked_and_nothing_else_ends(void **state)
{
    (void)state;
    lrd_value value;
    CHECK_EQ(lrd_locks_end(store), 0);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(put_value(store, "held", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "held", 4, 0, &value));
    lock_twenty();
    CHECK_EQ(lrd_locks_end(store), 20);
    CHECK_EQ(lrd_locks_end(store), 0);
    CHECK_CHILD(run_in_child(child_takes_all_twenty, NULL));
    CHECK(value_valid(value.data, value.size, "held", 4));
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_request_end(store));
}

static void *thread_locks_twenty(void *unused)
{
    lock_twenty();
    return unused;
}

static void the_end_of_a_thread_unlocks_everything(void **state)
{
    (void)state;
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, thread_locks_twenty, NULL), 0);
    pthread_join(thread, NULL);
    lock_twenty();
    lrd_thread_leave(store);
    CHECK_CHILD(run_in_child(child_takes_all_twenty, NULL));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_HERD(name) cmocka_unit_test_setup_teardown(name, setup_herd, teardown)
#define TEST_CLOCK(name) cmocka_unit_test_setup_teardown(name, setup_clock, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_reserved_by_one_process_at_a_time),
        TEST(an_owner_sees_that_a_thread_with_keys_of_its_own_wants_its_key),
        TEST(other_keys_are_free),
        TEST(many_processes_exclude_each_other),
        TEST(another_thread_is_somebody_else),
        TEST(another_thread_ends_it_by_its_token),
        TEST(a_fork_does_not_inherit_reservations),
        TEST(the_same_thread_again_is_refused_without_waiting),
        TEST(entries_are_not_concerned),
        TEST(keys_have_their_length_checked),
        TEST(waiting_ends_in_time),
        TEST(an_unlock_wakes_the_waiter),
        TEST(all_waiters_get_their_turn),
        TEST(a_killed_waiter_is_not_missed),
        TEST_HERD(an_unlock_wakes_one_of_a_herd),
        TEST(a_killed_waker_is_not_missed),
        TEST(a_waiter_killed_anywhere_is_not_missed),
        TEST(the_wrong_token_unlocks_nothing),
        TEST_CLOCK(a_lease_ends_on_time),
        TEST_CLOCK(an_expired_lease_can_be_taken_again_by_its_owner),
        TEST_CLOCK(an_endless_lease_is_no_lease),
        TEST(a_waiter_takes_over_when_the_lease_ends),
        TEST(a_waiter_takes_over_from_a_killed_owner),
        TEST(a_killed_owner_has_no_key_while_its_slot_is_given_back),
        TEST(a_stopped_owner_keeps_its_reservation),
        TEST(an_unlock_that_found_the_shard_busy_is_done_by_a_later_call),
        TEST(an_unlock_with_an_old_token_that_found_the_shard_busy_ends_nothing),
        TEST(the_end_of_a_request_unlocks_everything),
        TEST(all_keys_are_unlocked_and_nothing_else_ends),
        TEST(the_end_of_a_thread_unlocks_everything),
        TEST(the_last_step_of_a_wait_is_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
