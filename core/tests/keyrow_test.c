/* keyrow_test.c - rows of key reservations: how many there are, which shards own them, and what
 * happens to them after deaths, in an adopted file and on a full file system. */
#include "apart.h"
#include "support.h"
#include "larder_coordination.h"

#include "internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "report:2024", 11
#define SIZE (4u << 20)
#define MANY 100000u
#define LIMIT 131072u /* at least this number of keys can be reserved at once */

typedef struct sharing {
    gate ready, go;
    uint32_t count, deaths;
} sharing;

static lrd_store *store;
static test_clock *test_time;
static sharing *common;

static int open_store(uint32_t shards, test_clock *clock)
{
    store = store_with_clock(LRD_VOLATILE, SIZE, shards, clock);
    common = shared_memory(sizeof *common);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    return open_store(1, NULL);
}

static int setup_clock(void **state)
{
    (void)state;
    test_time = clock_new();
    return open_store(1, test_time);
}

static int setup_shards(void **state)
{
    (void)state;
    return open_store(16, NULL);
}

static int setup_shards_clock(void **state)
{
    (void)state;
    test_time = clock_new();
    return open_store(16, test_time);
}

static int teardown(void **state)
{
    (void)state;
    CHECK_FSCK(store);
    lrd_close(store);
    return 0;
}

static int lock_now(void) { return lrd_lock(store, KEY, 0, 0, NULL); }

static int lock_number(uint32_t key, uint64_t lease_ms)
{
    return lrd_lock(store, &key, sizeof key, lease_ms, 0, NULL);
}

static int unlock_number(uint32_t key) { return lrd_unlock(store, &key, sizeof key, 0); }

static uint32_t chunks_used(void) { return atomic_load(&store->header->keylock_chunks); }

/* ---- the thread's list ---- */

static void child_sees_key_held(void *unused)
{
    (void)unused;
    gate_wait(&common->go);
    CHECK_OK(lock_now());
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void child_takes_key(void *unused)
{
    (void)unused;
    CHECK_OK(lock_now());
}

static void the_end_of_a_request_leaves_what_others_took_over(void **state)
{
    (void)state;
    CHECK_OK(lrd_lock(store, KEY, 10, 0, NULL));
    CHECK_OK(lock_number(1, 0));
    atomic_fetch_add(test_time, 10);
    pid_t other = start_child(child_sees_key_held, NULL);
    gate_open(&common->go);
    gate_wait(&common->ready);
    CHECK_CODE(lock_now(), LRD_HELD);
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lock_now(), LRD_HELD);
    stop_child(other);
    /* In each round, this thread's lease of KEY ends, and a child takes over the key's row. In the
     * next round this thread reserves KEY again, while its list still has the row of the last
     * round. */
    for (uint32_t i = 0; i < 40; i++) {
        CHECK_OK(lrd_lock(store, KEY, 10, 0, NULL));
        CHECK_OK(lock_number(2, 10));
        atomic_fetch_add(test_time, 10);
        CHECK_CHILD(run_in_child(child_takes_key, NULL));
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
}

static void in_any_order(bool few)
{
    uint32_t keys = few ? 10 : 1000;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t key = 0; key < keys; key++)
            CHECK_OK(lock_number(key, 0));
        for (uint32_t i = 0; i < keys / 2; i++)
            CHECK_OK(unlock_number(i * 7 % keys));
        CHECK_EQ(keylocks_used(store), keys - keys / 2);
        for (uint32_t i = 0; i < keys / 2; i++)
            CHECK_OK(lock_number(i * 7 % keys, 0));
        CHECK_EQ(lrd__threads[store->id]->keylocks.used, keys);
        CHECK_FSCK(store);
        for (uint32_t i = 0; i < keys && round != 1; i++)
            CHECK_OK(unlock_number((i * 7 + 3) % keys));
        CHECK_OK(lrd_request_end(store));
        CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
        CHECK_EQ(lrd__threads[store->id]->keylocks.top, 0);
        CHECK_EQ(keylocks_used(store), 0);
    }
}

static void reservations_end_in_any_order(void **state)
{
    (void)state;
    in_any_order(true);
    in_any_order(false);
}

static void child_of_many(void *unused)
{
    (void)unused;
    CHECK_CODE(lock_number(50, 0), LRD_HELD);
    for (uint32_t key = 1000; key < 1100; key++)
        CHECK_OK(lock_number(key, 0));
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lock_number(50, 0), LRD_HELD);
    CHECK_EQ(keylocks_used(store), 100);
}

static void a_fork_leaves_a_long_list_to_the_parent(void **state)
{
    (void)state;
    lrd_value held;
    for (uint32_t key = 0; key < 100; key++)
        CHECK_OK(lock_number(key, 0));
    CHECK_CHILD(run_in_child(child_of_many, NULL));
    /* A child that inherits a hold gets its slot at the fork. */
    CHECK_OK(put_value(store, "held", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "held", 4, 0, &held));
    CHECK_CHILD(run_in_child(child_of_many, NULL));
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(keylocks_used(store), 0);
}

static void child_without_memory(void *unused)
{
    struct rlimit limit, none = {0};
    (void)unused;
    CHECK_OK(lock_number(0, 0));
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    none.rlim_max = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    for (uint32_t key = 1; key < 200; key++)
        CHECK_OK(lock_number(key, 0));
    CHECK_EQ(lrd__threads[store->id]->keylocks.unlisted, 200 - LRD__KEYLIST_FEW);
    for (uint32_t key = 0; key < 50; key++)
        CHECK_OK(unlock_number(key));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 150);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
    CHECK_EQ(keylocks_used(store), 0);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void a_list_that_cannot_grow_loses_nothing(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(child_without_memory, NULL));
}

static void stop_with_the_lock(const char *name, void *unused)
{
    (void)name, (void)unused;
    if (shard_locked(store))
        raise(SIGSTOP);
}

static void child_stops_with_the_lock(void *unused)
{
    (void)unused;
    gate_wait(&common->go);
    failpoint_hook(stop_with_the_lock, NULL);
    (void)put_value(store, "stopped", 100, 1, LRD_SET, 0);
}

/* Reserve 100 keys while the process can get no memory. The thread's list of reserved keys cannot
 * grow, so most of these keys are not in it. */
static void lock_unlisted(uint64_t lease_ms)
{
    struct rlimit limit, none = {0};
    CHECK_OK(lock_number(0, 0));
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    none.rlim_max = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    for (uint32_t key = 1; key < 100; key++)
        CHECK_OK(lock_number(key, lease_ms));
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK_EQ(lrd__threads[store->id]->keylocks.unlisted, 100 - LRD__KEYLIST_FEW);
}

static void child_ends_beside_a_stopped_writer(void *unused)
{
    int status;
    pid_t writer = start_child(child_stops_with_the_lock, unused);
    lock_unlisted(0);
    gate_open(&common->go);
    CHECK(waitpid(writer, &status, WUNTRACED) == writer && WIFSTOPPED(status));
    CHECK_CODE(lrd_request_end(store), LRD_EBUSY);
    CHECK(strstr(lrd_error_detail(), "100 keys are still reserved") != NULL);
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 100);
    stop_child(writer);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
    CHECK_EQ(keylocks_used(store), 0);
}

static void rows_in_no_list_end_once_their_shard_is_free(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(child_ends_beside_a_stopped_writer, NULL));
}

static void child_waits_for_50(void *unused)
{
    uint32_t key = 50;
    (void)unused;
    gate_wait(&common->go);
    gate_open(&common->ready);
    CHECK_OK(lrd_lock(store, &key, sizeof key, 0, 60000, NULL));
}

static bool anyone_waits(void)
{
    for (uint32_t link = 1; link <= chunks_used() * LRD__KEYLOCK_CHUNK; link++)
        if (lrd__keyrow_at(store, link)->waiters != 0)
            return true;
    return false;
}

static void child_ends_what_is_waited_for(void *unused)
{
    pid_t waiter = start_child(child_waits_for_50, unused);
    lock_unlisted(0);
    gate_open(&common->go);
    gate_wait(&common->ready);
    while (!anyone_waits())
        sleep_ms(1);
    CHECK_OK(lrd_request_end(store));
    CHECK_CHILD(wait_child(waiter));
}

static void the_end_of_a_row_in_no_list_wakes_its_waiter(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(child_ends_what_is_waited_for, NULL));
}

static void child_takes_50_to_59(void *unused)
{
    (void)unused;
    gate_wait(&common->go);
    for (uint32_t key = 50; key < 60; key++)
        CHECK_OK(lock_number(key, 0));
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void child_ends_what_others_took_over(void *unused)
{
    pid_t other = start_child(child_takes_50_to_59, unused);
    lock_unlisted(10);
    atomic_fetch_add(test_time, 20);
    gate_open(&common->go);
    gate_wait(&common->ready);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
    CHECK_EQ(lrd__threads[store->id]->keylocks.unlisted, 0);
    CHECK_EQ(keylocks_used(store), 10);
    CHECK_CODE(lock_number(55, 0), LRD_HELD);
    CHECK_OK(lock_number(60, 0));
    stop_child(other);
}

static void rows_in_no_list_that_others_took_over_are_theirs(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(child_ends_what_others_took_over, NULL));
}

/* The end of the request finds the shard busy, so it cannot unlock the keys. The thread's next call
 * about keys must unlock them. */
static void child_locks_after_a_busy_end(void *unused)
{
    int status;
    lrd_permit permit;
    pid_t writer = start_child(child_stops_with_the_lock, unused);
    for (uint32_t key = 0; key < 5; key++)
        CHECK_OK(lock_number(key, 0));
    gate_open(&common->go);
    CHECK(waitpid(writer, &status, WUNTRACED) == writer && WIFSTOPPED(status));
    CHECK_CODE(lrd_request_end(store), LRD_EBUSY);
    CHECK_EQ(lrd__threads[store->id]->keylocks.left, 5);
    stop_child(writer);
    CHECK_OK(lrd_semaphore_acquire(store, "permits", 7, 3, 0, 0, &permit));
    CHECK_EQ(lrd__threads[store->id]->keylocks.left, 0);
    CHECK_EQ(keylocks_used(store), 1);
}

static void an_acquire_unlocks_what_a_busy_shard_kept(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(child_locks_after_a_busy_end, NULL));
}

/* ---- the rows ---- */

static void child_takes_all(void *unused)
{
    (void)unused;
    for (uint32_t key = 0; key < MANY; key++)
        CHECK_OK(lock_number(key, 0));
}

static void child_gets_none(void *unused)
{
    (void)unused;
    for (uint32_t key = 0; key < MANY; key += 17)
        CHECK_CODE(lock_number(key, 0), LRD_HELD);
}

static void a_hundred_thousand_keys_are_reserved_at_once(void **state)
{
    (void)state;
    child_takes_all(NULL);
    CHECK_EQ(keylocks_used(store), MANY);
    CHECK_FSCK(store);
    uint32_t chunks = chunks_used();
    CHECK_CHILD(run_in_child(child_gets_none, NULL));
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(keylocks_used(store), 0);
    CHECK_CHILD(run_in_child(child_takes_all, NULL));
    child_takes_all(NULL); /* uses the rows of the dead child */
    CHECK_EQ(keylocks_used(store), MANY);
    CHECK_EQ(chunks_used(), chunks);
}

static uint32_t shard_of(uint32_t key)
{
    return lrd__place_of(store, &key, sizeof key).shard_index;
}

static uint32_t key_of_shard(uint32_t key, uint32_t shard)
{
    while (shard_of(key) != shard)
        key++;
    return key;
}

/* Reserve the keys 0, 1, ... until no row is left. Each shard's first key gets the lease
 * `short_ms`. Returns the refused key. */
static uint32_t fill(uint64_t lease_ms, uint64_t short_ms)
{
    bool seen[16] = {0};
    uint32_t key = 0;
    int code;
    while ((code = lock_number(key, seen[shard_of(key)] ? lease_ms : short_ms)) == LRD_OK) {
        seen[shard_of(key)] = true;
        key++;
    }
    CHECK_CODE(code, LRD_ENOLOCKS);
    CHECK(key >= LIMIT);
    return key;
}

static void child_fills_the_table(void *unused)
{
    (void)unused;
    common->count = fill(0, 0);
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void a_full_table_is_an_error_at_once(void **state)
{
    (void)state;
    pid_t child = start_child(child_fills_the_table, NULL);
    gate_wait(&common->ready);
    uint64_t start = real_ms();
    uint32_t refused = common->count;
    CHECK_CODE(lrd_lock(store, &refused, sizeof refused, 0, 60000, NULL), LRD_ENOLOCKS);
    CHECK(strstr(lrd_error_detail(), "the limit is 132096 keys") != NULL);
    CHECK(real_ms() - start < 30000);
    stop_child(child);
    for (uint32_t key = 0; key < refused; key++)
        CHECK_OK(lock_number(key, 0));
    CHECK_CODE(lock_number(refused, 0), LRD_ENOLOCKS);
    CHECK_OK(unlock_number(key_of_shard(1000, shard_of(refused))));
    CHECK_OK(lock_number(refused, 0));
}

static void expired_rows_are_used_again(void **state)
{
    (void)state;
    uint32_t refused = fill(500, 5), next = key_of_shard(refused + 1, shard_of(refused));
    atomic_fetch_add(test_time, 5);
    CHECK_OK(lock_number(refused, 0));
    CHECK_CODE(lock_number(next, 0), LRD_ENOLOCKS);
}

/* No key is unlocked, but the leases of the keys end. The rows of these keys must be reused long
 * before all rows are in use. */
static void forgotten_rows_do_not_add_up(void **state)
{
    (void)state;
    for (uint32_t key = 0; key < 20000; key++) {
        CHECK_OK(lock_number(key, 50));
        atomic_fetch_add(test_time, 1);
    }
    CHECK(chunks_used() <= 4);
}

/* ---- chunks that change hands ---- */

static void chunks_without_reservations_go_to_other_shards(void **state)
{
    (void)state;
    uint32_t key = 0;
    while (lock_number(key = key_of_shard(key, 0), 0) == LRD_OK)
        key++;
    CHECK(chunks_used() >= LIMIT / LRD__KEYLOCK_CHUNK);
    CHECK_CODE(lock_number(key_of_shard(0, 1), 0), LRD_ENOLOCKS);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(keylocks_used(store), 0);
    child_takes_all(NULL);
    CHECK_FSCK(store);
    CHECK_EQ(keylocks_used(store), MANY);
    CHECK_OK(lrd_request_end(store));
}

/* Let this process believe that the store has this number of chunks. Leave the store first, because
 * the size of this thread's list of keys depends on the number of chunks. */
static void few_chunks(uint32_t chunks)
{
    lrd_thread_leave(store);
    store->geo.keylock_chunks = chunks;
}

static void child_waits_in_shard_0(void *unused)
{
    (void)unused;
    uint32_t key = key_of_shard(0, 0);
    gate_open(&common->ready);
    CHECK_OK(lrd_lock(store, &key, sizeof key, 0, 10000, NULL));
    gate_wait(&common->go);
}

static void child_takes_the_chunk(void *unused)
{
    (void)unused;
    uint32_t key = key_of_shard(0, 1);
    CHECK_OK(lock_number(key, 0));
    gate_open(&common->ready);
    for (;;)
        pause();
}

static void rows_that_went_to_another_shard_are_left_alone(void **state)
{
    (void)state;
    uint32_t mine = key_of_shard(0, 0), other = key_of_shard(0, 1), first = LRD__KEYLOCK_CHUNK;
    /* This process's reservations in shard 0 expire. A child then needs a chunk of rows for shard
     * 1, and gets one from shard 0. When this process unlocks its expired keys, it must leave the
     * rows of this chunk alone. */
    for (uint32_t chunks = 1; chunks <= 2; chunks++) {
        few_chunks(chunks);
        memset(&common->ready, 0, sizeof common->ready);
        for (uint32_t i = 0, key = mine; i < chunks * first; i++, key = key_of_shard(key + 1, 0))
            CHECK_OK(lock_number(key, 10));
        atomic_fetch_add(test_time, 5);
        CHECK_CODE(lock_number(other, 0), LRD_ENOLOCKS);
        atomic_fetch_add(test_time, 5);
        pid_t child = start_child(child_takes_the_chunk, NULL);
        gate_wait(&common->ready);
        CHECK_EQ(lrd__keyrow_shard(store, 1), 1);
        if (chunks == 2)
            CHECK(lrd__keyrow_shard(store, 1 + LRD__KEYLOCK_CHUNK) >= store->geo.shards);
        CHECK_OK(lrd_request_end(store));
        CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
        CHECK_CODE(lock_number(other, 0), LRD_HELD);
        CHECK_EQ(keylocks_used(store), 1);
        CHECK_FSCK(store);
        stop_child(child);
    }
    few_chunks(LRD__KEYLOCK_CHUNKS + store->geo.shards);
}

static bool sleeps(pid_t pid)
{
    char name[32], text[256] = "";
    snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, text, sizeof text - 1) > 0);
    close(file);
    const char *state = strrchr(text, ')');
    return state != NULL && state[1] == ' ' && state[2] == 'S';
}

/* A shard keeps its chunk while a process waits for a row in it, and while the owner of a row
 * lives. */
static void a_chunk_stays_while_somebody_waits(void **state)
{
    (void)state;
    few_chunks(1);
    CHECK_OK(lock_number(key_of_shard(0, 0), 0));
    pid_t child = start_child(child_waits_in_shard_0, NULL);
    gate_wait(&common->ready);
    while (keylocks_used(store) == 0 || store->keylocks[0].waiters == 0 || !sleeps(child))
        sleep_ms(1);
    /* Unlock while the child sleeps. If the unlock woke no process, it would clear the row's
     * `waiters`, and the chunk could go to shard 1. */
    CHECK_OK(unlock_number(key_of_shard(0, 0)));
    CHECK_CODE(lock_number(key_of_shard(0, 1), 0), LRD_ENOLOCKS);
    while (store->keylocks[0].token == 0)
        sleep_ms(1);
    CHECK_CODE(lock_number(key_of_shard(0, 1), 0), LRD_ENOLOCKS);
    stop_child(child);
    CHECK_OK(lock_number(key_of_shard(0, 1), 0));
    CHECK_FSCK(store);
    CHECK_OK(lrd_request_end(store));
    few_chunks(LRD__KEYLOCK_CHUNKS + store->geo.shards);
}

/* ---- deaths ---- */

static void open_again(void)
{
    lrd_close(store);
    store = store_new(LRD_VOLATILE, SIZE, 1);
}

static void child_locks_and_unlocks(void *k)
{
    failpoint_arm(*(uint64_t *)k);
    CHECK_OK(lock_now());
    CHECK_OK(lrd_unlock(store, KEY, 0));
    failpoint_disarm();
}

static void child_recovers(void *k)
{
    failpoint_arm(*(uint64_t *)k);
    touch_all_shards(store);
    failpoint_disarm();
}

/* If the last child was killed at its fail point `k`, kill several recoverers, and recover the
 * store in this process. Returns true if the last child was killed. */
static bool died_and_recovered(int status, uint64_t k)
{
    bool fired = failpoint_fired();
    check_context("killed at pass %llu (%s)", (unsigned long long)k, failpoint_last());
    if (fired)
        CHECK_KILLED(status, SIGKILL);
    else
        CHECK_CHILD(status);
    for (uint64_t r = 1 + k % 5; fired && r < 100; r += 1 + k % 7) {
        status = run_in_child(child_recovers, &r);
        if (!failpoint_fired())
            break;
    }
    touch_all_shards(store);
    CHECK_FSCK(store);
    return fired;
}

static void death_at_any_point_leaves_the_key_free(void **state)
{
    (void)state;
    uint64_t k = 1;
    for (bool fired = true; fired; k++) {
        open_again();
        fired = died_and_recovered(run_in_child(child_locks_and_unlocks, &k), k);
        CHECK_OK(lrd_lock(store, KEY, 0, 5000, NULL));
        CHECK_OK(lrd_unlock(store, KEY, 0));
        CHECK_EQ(keylocks_used(store), 0);
        /* No row was lost. */
        for (uint32_t key = 0; key < LRD__KEYLOCK_CHUNK; key++)
            CHECK_OK(lock_number(key, 0));
        CHECK(chunks_used() <= 1);
        CHECK_FSCK(store);
    }
    check_context("%s", "");
    CHECK(k > 12);
}

static void child_makes_a_chunk_change_hands(void *k)
{
    uint32_t to = lrd__keyrow_shard(store, 1) == 0 ? 1 : 0;
    failpoint_arm(*(uint64_t *)k);
    CHECK_OK(lock_number(key_of_shard(0, to), 0));
    failpoint_disarm();
}

static void giving_back_chunks_can_be_killed_anywhere(void **state)
{
    (void)state;
    few_chunks(2);
    uint64_t k = 1;
    for (bool fired = true; fired; k++) {
        for (uint32_t i = 0, key = 0; i < 2 * LRD__KEYLOCK_CHUNK; i++, key++)
            CHECK_OK(lock_number(key = key_of_shard(key, (uint32_t)k % 2), 0));
        CHECK_OK(lrd_request_end(store));
        fired = died_and_recovered(run_in_child(child_makes_a_chunk_change_hands, &k), k);
        /* No row was lost, and none belongs to two shards. */
        for (uint32_t shard = 0; shard < 2; shard++)
            for (uint32_t i = 0, key = 0; i < LRD__KEYLOCK_CHUNK; i++, key++)
                CHECK_OK(lock_number(key = key_of_shard(key, shard), 0));
        CHECK_EQ(keylocks_used(store), 2 * LRD__KEYLOCK_CHUNK);
        CHECK_CODE(lock_number(1000000, 0), LRD_ENOLOCKS);
        CHECK_FSCK(store);
        CHECK_OK(lrd_request_end(store));
    }
    check_context("%s", "");
    CHECK(k > 12);
    few_chunks(LRD__KEYLOCK_CHUNKS + store->geo.shards);
}

/* Find four keys whose rows are in the same chain, and write them to `keys`. */
static void keys_of_a_chain(uint32_t keys[4])
{
    uint32_t found = 0, wanted = 0;
    for (uint32_t key = 0; found < 4; key++) {
        CHECK_OK(lock_number(key, 0));
        uint32_t head = 0;
        for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++)
            if (store->keylocks[i].token != 0)
                head = (uint32_t)(store->keylocks[i].hash_low % LRD__KEYLOCK_HEADS);
        CHECK_OK(unlock_number(key));
        if (found == 0)
            wanted = head;
        if (head == wanted)
            keys[found++] = key;
    }
}

static void child_tears_a_chain(void *arg)
{
    const uint32_t *keys = arg;
    for (uint32_t i = 0; i < 4; i++)
        CHECK_OK(lock_number(keys[i], 0));
    failpoint_arm(common->count);
    CHECK_OK(unlock_number(keys[1])); /* its row is in the middle of the chain */
    CHECK_OK(unlock_number(keys[3])); /* its row is the head of the chain */
    CHECK_OK(lock_number(keys[1], 0));
    CHECK_OK(lrd_request_end(store));
    failpoint_disarm();
}

static void torn_chains_are_mended(void **state)
{
    (void)state;
    uint32_t keys[4];
    keys_of_a_chain(keys);
    lrd_thread_leave(store);
    for (uint32_t k = 1, fired = 1; fired; k++) {
        common->count = k;
        fired = died_and_recovered(run_in_child(child_tears_a_chain, keys), k);
        for (uint32_t i = 0; i < 4; i++)
            CHECK_OK(lock_number(keys[i], 0));
        CHECK_EQ(keylocks_used(store), 4);
        CHECK_OK(lrd_request_end(store));
        CHECK_EQ(keylocks_used(store), 0);
        lrd_thread_leave(store);
        CHECK(!fired || k < 500);
        common->deaths = k;
    }
    check_context("%s", "");
    CHECK(common->deaths > 15);
}

/* ---- files that the last process has closed ---- */

static lrd_store *open_named(void)
{
    lrd_store *opened;
    lrd_options options = {.size = SIZE, .shards = 4, .slots = 64, .path = temp_path("keys")};
    CHECK_OK(lrd_open(&options, &opened));
    return opened;
}

static void scribble(uint32_t how)
{
    uint8_t *rows = (uint8_t *)store->keylocks, *owners = (uint8_t *)store->keylock_owners;
    uint32_t chunks = store->geo.keylock_chunks;
    const uint16_t owner[] = {0xffff, 0x8001, 0x0001, 0x8004, 0x7fff};
    memset(rows, how % 2 != 0 ? 0xff : 0x5a, (size_t)LRD__KEYLOCK_CHUNK * sizeof(lrd__keylock));
    for (uint32_t i = 0; i < chunks; i++)
        memcpy(owners + 2 * (size_t)i, &owner[how % 5], 2);
    atomic_store(&store->header->keylock_chunks, how % 3 == 0 ? UINT32_MAX : chunks);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        lrd__shard *shard = store->shards + i;
        memset(lrd__keyrow_heads(store, (uint32_t)(shard - store->shards)), 0xff,
               LRD__KEYLOCK_HEADS * sizeof(uint32_t));
        shard->keylock_free = shard->keylock_hand = UINT32_MAX - how;
        shard->token = UINT64_MAX - how;
    }
}

static void what_a_file_says_of_reservations_is_not_believed(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 10; how++) {
        lrd_close(store);
        store = open_named();
        for (uint32_t key = 0; key < 200; key++)
            CHECK_OK(lock_number(key, 0));
        scribble(how);
        if (how >= 5) /* also punch a hole where the rows are */
            CHECK_EQ(fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                               (off_t)store->geo.keylocks_at, 1 << 20),
                     0);
        lrd__threads[store->id]->keylocks = (lrd__keylist){0};
        lrd_close(store);
        store = open_named();
        CHECK(!store->created);
        CHECK_FSCK(store);
        CHECK_EQ(keylocks_used(store), 0);
        CHECK_OK(lock_number(0, 0));
        CHECK_FSCK(store); /* rows that were not wiped would be both free and in use */
        for (uint32_t key = 1; key < 2000; key++)
            CHECK_OK(lock_number(key, 0));
        CHECK_FSCK(store);
        CHECK_EQ(keylocks_used(store), 2000);
        CHECK_OK(lrd_request_end(store));
        unlink(temp_path("keys"));
    }
}

static off_t fill_file_system(int fd)
{
    off_t at = 0;
    while (fallocate(fd, 0, at, 4096) == 0)
        at += 4096;
    return at;
}

static void child_on_a_full_file_system(void *unused)
{
    (void)unused;
    if (!apart_tmpfs_of(temp_path("keys"), "size=4m"))
        _exit(EXIT_CANNOT);
    store = open_named();
    CHECK_CODE(lock_now(), LRD_OK); /* claims a slot */
    CHECK_OK(lrd_unlock(store, KEY, 0));
    uint32_t shard = lrd__place_of(store, KEY).shard_index, other = (shard + 1) % 4, taken = 0;
    int fd = open(temp_path("filler"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    off_t end = fill_file_system(fd);
    uint32_t key = key_of_shard(0, shard), first = key;
    CHECK_OK(lock_number(first, 0)); /* makes the shard keep its chunk */
    CHECK_CODE(lock_number(key_of_shard(0, other), 0), LRD_ENOLOCKS);
    CHECK(strstr(lrd_error_detail(), "the file system is full") != NULL);
    CHECK_OK(unlock_number(first));
    for (; lock_number(key, 0) == LRD_OK; key = key_of_shard(key + 1, shard))
        taken++;
    CHECK_EQ(taken, LRD__KEYLOCK_CHUNK);
    CHECK_CODE(lock_number(key, 0), LRD_ENOLOCKS);
    CHECK_OK(unlock_number(first));
    CHECK_OK(lock_number(key, 0));
    CHECK_FSCK(store);
    /* Make room for three pages: two chunks, and the chains of the other shard. */
    CHECK_EQ(ftruncate(fd, end - 12288), 0);
    CHECK_OK(lock_number(first, 0));
    CHECK_OK(lock_number(key_of_shard(0, other), 0));
    CHECK_FSCK(store);
    lrd_close(store);
    close(fd);
}

static void a_full_file_system_refuses_and_recovers(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(child_on_a_full_file_system, NULL), "no right to mount");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_CLOCK(name) cmocka_unit_test_setup_teardown(name, setup_clock, teardown)
#define TEST_SHARDS(name) cmocka_unit_test_setup_teardown(name, setup_shards, teardown)
#define TEST_SHARDS_CLOCK(name) cmocka_unit_test_setup_teardown(name, setup_shards_clock, teardown)
    const struct CMUnitTest tests[] = {
        TEST_CLOCK(the_end_of_a_request_leaves_what_others_took_over),
        TEST(reservations_end_in_any_order),
        TEST(a_fork_leaves_a_long_list_to_the_parent),
        TEST(a_list_that_cannot_grow_loses_nothing),
        TEST(rows_in_no_list_end_once_their_shard_is_free),
        TEST(the_end_of_a_row_in_no_list_wakes_its_waiter),
        TEST_CLOCK(rows_in_no_list_that_others_took_over_are_theirs),
        TEST(an_acquire_unlocks_what_a_busy_shard_kept),
        TEST_SHARDS(a_hundred_thousand_keys_are_reserved_at_once),
        TEST_SHARDS(a_full_table_is_an_error_at_once),
        TEST_SHARDS_CLOCK(expired_rows_are_used_again),
        TEST_CLOCK(forgotten_rows_do_not_add_up),
        TEST_SHARDS(chunks_without_reservations_go_to_other_shards),
        TEST_SHARDS_CLOCK(rows_that_went_to_another_shard_are_left_alone),
        TEST_SHARDS(a_chunk_stays_while_somebody_waits),
        TEST(death_at_any_point_leaves_the_key_free),
        TEST_SHARDS(giving_back_chunks_can_be_killed_anywhere),
        TEST(torn_chains_are_mended),
        TEST(what_a_file_says_of_reservations_is_not_believed),
        TEST(a_full_file_system_refuses_and_recovers),
    };
    return cmocka_run_group_tests_name("keyrow", tests, NULL, NULL);
}
