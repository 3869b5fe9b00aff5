/* count_test.c - statistics count each refused write once, whatever the reason, and each death
 * once, wherever it happened. */
#include "apart.h"
#include "support.h"

#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static char bytes[2 * MIB];

static int put_bytes(lrd_store *store, const char *key, size_t size)
{
    return lrd_put(store, key, strlen(key), bytes, size, NULL);
}

/* ---- refusals ---- */

/* Put new keys until `count` puts were refused. Returns the number of puts. */
static int refuse_some(lrd_store *store, size_t size, int code, int count)
{
    uint64_t before = stats_of(store).refused;
    int keys = 0;
    char key[32];
    for (int refused = 0; refused < count; keys++) {
        snprintf(key, sizeof key, "%zu bytes %d", size, keys);
        int rc = put_bytes(store, key, size);
        if (rc != LRD_OK)
            CHECK_CODE(rc, code);
        refused += rc != LRD_OK;
        CHECK_EQ(stats_of(store).refused, before + (uint64_t)refused);
    }
    return keys;
}

static void each_write_that_finds_no_room_counts_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 1000, 5000, 100000};
    for (int i = 0; i < 4; i++) {
        lrd_store *store = store_new(LRD_PINNED, MIB, 1);
        refuse_some(store, sizes[i], LRD_ENOROOM, 20);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void refuse_and_count(lrd_store *store, int rc, int code, uint64_t *counted)
{
    CHECK_CODE(rc, code);
    CHECK_EQ(stats_of(store).refused, ++*counted);
}

static void each_other_refusal_counts_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    static lrd_reservation open[LRD_HOLDS_MAX + 1];
    uint64_t counted = 0, version = 7;
    int64_t value;
    refuse_and_count(store, put_bytes(store, "large", 8 * MIB + 1), LRD_ESIZE, &counted);
    refuse_and_count(store, lrd_reserve(store, "large", 5, 16 * MIB, 0, &open[0]), LRD_ESIZE,
                     &counted);
    for (uint32_t i = 0; i < LRD_HOLDS_MAX; i++)
        CHECK_OK(lrd_reserve(store, "open", 4, 1, 0, &open[i]));
    refuse_and_count(store, lrd_reserve(store, "open", 4, 1, 0, &open[LRD_HOLDS_MAX]), LRD_ESTATE,
                     &counted);
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lrd_put(store, "", 0, "x", 1, NULL), LRD_EKEY);
    CHECK_CODE(lrd_put(store, "key", 3, "x", 1, &(lrd_write){.mode = (lrd_mode)9}), LRD_EINVAL);
    CHECK_CODE(
        lrd_put(store, "key", 3, "x", 1, &(lrd_write){.version = version, .mode = LRD_REPLACE}),
        LRD_MISS);
    CHECK_OK(put_bytes(store, "key", 1));
    CHECK_CODE(lrd_put(store, "key", 3, "x", 1, &(lrd_write){.mode = LRD_ADD}), LRD_EXISTS);
    CHECK_CODE(lrd_put(store, "key", 3, "x", 1, &(lrd_write){.mode = LRD_REPLACE}), LRD_STALE);
    CHECK_CODE(lrd_counter_add(store, "key", 3, 1, 0, 0, &value), LRD_ETYPE);
    CHECK_CODE(lrd_counter_add(store, "new", 3, INT64_MAX, 1, 0, &value), LRD_ERANGE);
    CHECK_EQ(stats_of(store).refused, counted);
    lrd_close(store);
}

typedef struct stopper {
    lrd_store *store;
    gate locked, go;
} stopper;

static void hold_the_lock(void *arg)
{
    stopper *s = arg;
    CHECK_OK(lrd__shard_lock(s->store, NULL, 0));
    gate_open(&s->locked);
    gate_wait(&s->go);
    lrd__shard_unlock(s->store, 0);
}

static void a_write_that_meets_a_busy_shard_counts_once(void **state)
{
    (void)state;
    stopper *s = shared_memory(sizeof *s);
    lrd_store *store = s->store = store_new(LRD_VOLATILE, MIB, 1);
    lrd_reservation open;
    uint64_t counted = 0;
    CHECK_OK(lrd_reserve(store, "open", 4, 1, 0, &open));
    *(char *)open.build = 'x';
    pid_t child = start_child(hold_the_lock, s);
    gate_wait(&s->locked);
    refuse_and_count(store, put_bytes(store, "key", 100), LRD_EBUSY, &counted);
    refuse_and_count(store, put_bytes(store, "key", 5000), LRD_EBUSY, &counted);
    refuse_and_count(store, lrd_publish(store, &open, LRD_SET, 0, 0), LRD_EBUSY, &counted);
    gate_open(&s->go);
    CHECK_CHILD(wait_child(child));
    CHECK_OK(lrd_publish(store, &open, LRD_SET, 0, 0));
    CHECK_EQ(stats_of(store).refused, counted);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void fill_a_small_file_system(void *path)
{
    if (!apart_tmpfs_of(path, "size=4m"))
        _exit(EXIT_CANNOT);
    lrd_options options = {
        .policy = LRD_PINNED, .size = 16 * MIB, .shards = 1, .slots = 16, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    refuse_some(store, 500, LRD_ENOSPC, 3);
    refuse_some(store, 5000, LRD_ENOSPC, 3);
    refuse_some(store, MIB + MIB / 2, LRD_ENOSPC, 3);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_write_that_finds_the_file_system_full_counts_once(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", temp_path("store"));
    CHECK_CHILD_OR_SKIP(run_in_child(fill_a_small_file_system, path), "no right to mount");
}

/* ---- deaths ---- */

static void die_elsewhere(void *store)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    kill(getpid(), SIGKILL);
}

static void die_at_a_lock(const char *name, void *arg)
{
    if (strcmp(name, arg) == 0)
        kill(getpid(), SIGKILL);
}

static void die_inside_a_write(void *store)
{
    failpoint_hook(die_at_a_lock, "entry_counted");
    put_bytes(store, "key", 200);
}

static void die_recovering(void *store)
{
    failpoint_hook(die_at_a_lock, "recover_linked");
    put_bytes(store, "key", 200);
}

static void leave_in_order(void *store)
{
    CHECK_OK(put_bytes(store, "key", 300));
    lrd_thread_leave(store);
}

static void each_death_counts_once(void **state)
{
    (void)state;
    static const struct {
        child_fn fn;
        int deaths, inside;
    } steps[] = {{leave_in_order, 0, 0},     {die_elsewhere, 1, 0},  {die_inside_a_write, 1, 1},
                 {leave_in_order, 0, 0},     {die_elsewhere, 1, 0},  {die_elsewhere, 1, 0},
                 {die_inside_a_write, 1, 1}, {die_recovering, 1, 1}, {leave_in_order, 0, 0}};
    /* In the second round, a sweep frees the dead process's slot before the next process starts. */
    for (int sweeps = 0; sweeps < 2; sweeps++) {
        lrd_store *store = store_new(LRD_PINNED, MIB, 1);
        uint64_t deaths = 0, inside = 0;
        CHECK_OK(put_bytes(store, "key", 100));
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            int status = run_in_child(steps[i].fn, store);
            if (steps[i].deaths != 0)
                CHECK_KILLED(status, SIGKILL);
            else
                CHECK_CHILD(status);
            deaths += (uint64_t)steps[i].deaths;
            inside += (uint64_t)steps[i].inside;
            if (sweeps != 0 && steps[i].fn != die_inside_a_write)
                CHECK_OK(lrd_sweep(store, NULL));
        }
        CHECK_OK(lrd_sweep(store, NULL));
        lrd_stats stats = stats_of(store);
        CHECK_EQ(stats.deaths, deaths);
        CHECK_EQ(stats.reaped_slots, deaths);
        CHECK_EQ(stats.recoveries, inside);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void use_and_leave(void *path)
{
    lrd_options options = {.size = MIB, .shards = 4, .slots = 16, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_EQ(stats_of(store).deaths, 0);
    CHECK_EQ(stats_of(store).recoveries, 0);
    CHECK_OK(put_bytes(store, "key", 100));
    lrd_close(store);
}

static void taking_over_a_file_is_no_death(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", temp_path("adopted"));
    for (int i = 0; i < 3; i++)
        CHECK_CHILD(run_in_child(use_and_leave, path));
}

static void the_counts_of_threads_are_kept_in_the_header(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 1 << 20, 0);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    uint32_t high = atomic_load(&store->header->slots_high);
    CHECK_EQ(high, 1);
    for (uint32_t i = 0; i <= high; i++) {
        lrd__slot *slot = lrd__slot_at(store, i);
        atomic_store(&slot->hits, i == high ? 1000 : 11);
        atomic_store(&slot->misses, i == high ? 1000 : 12);
        atomic_store(&slot->copies, i == high ? 1000 : 13);
        atomic_store(&slot->unpacks, i == high ? 1000 : 14);
        atomic_store(&slot->copies_time, i == high ? 1000 : 3);
        atomic_store(&slot->copies_number, i == high ? 1000 : 4);
    }
    lrd__slots_keep_counts(store);
    CHECK_EQ(atomic_load(&store->header->slots_high), 0);
    CHECK_EQ(atomic_load(&store->header->hits), 11);
    CHECK_EQ(atomic_load(&store->header->misses), 12);
    CHECK_EQ(atomic_load(&store->header->copies), 13);
    CHECK_EQ(atomic_load(&store->header->unpacks), 14);
    CHECK_EQ(atomic_load(&store->header->copies_time), 3);
    CHECK_EQ(atomic_load(&store->header->copies_number), 4);
    atomic_store(&store->header->slots_high, high);
    lrd_stats stats = stats_of(store);
    /* 13 in the slot (set above), and 13 that lrd__slots_keep_counts() has added to the header */
    CHECK_EQ(stats.copies, 26);
    CHECK_EQ(stats.copies_by[LRD_COPY_MEMORY], 12);
    CHECK_EQ(stats.copies_by[LRD_COPY_TIME], 6);
    CHECK_EQ(stats.copies_by[LRD_COPY_NUMBER], 8);
    CHECK(strcmp(lrd_copy_name(LRD_COPY_MEMORY), "memory") == 0);
    CHECK(strcmp(lrd_copy_name(LRD_COPY_CAUSES), "") == 0);
    memset((void *)lrd__slot_at(store, high), 0, sizeof(lrd__slot));
    atomic_store(&store->header->slots_high, UINT32_MAX);
    lrd__slots_keep_counts(store);
    CHECK_EQ(atomic_load(&store->header->slots_high), 0);
    CHECK_EQ(atomic_load(&store->header->hits), 22);
    CHECK_EQ(atomic_load(&store->header->unpacks), 28);
    int fd = store->fd;
    store->fd = -1;
    atomic_store(&store->header->slots_high, high);
    lrd__slots_keep_counts(store);
    store->fd = fd;
    CHECK_EQ(atomic_load(&store->header->slots_high), 0);
    CHECK_EQ(atomic_load(&store->header->hits), 22);
    atomic_store(&store->header->slots_high, high);
    lrd_close(store);
}

static void *miss_twice(void *store)
{
    lrd_value value;
    for (int i = 0; i < 2; i++)
        CHECK_CODE(lrd_get(store, "other", 5, 0, &value), LRD_MISS);
    return NULL;
}

static void the_counts_of_threads_are_kept_once_though_adopters_are_killed(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", temp_path("killed"));
    lrd_options options = {.size = MIB, .shards = 4, .slots = 16, .path = path};
    for (uint64_t k = 1;; k++) {
        lrd_store *store;
        pthread_t thread;
        unlink(path);
        CHECK_OK(lrd_open(&options, &store));
        miss_twice(store); /* this takes a slot */
        CHECK_EQ(pthread_create(&thread, NULL, miss_twice, store), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK_EQ(stats_of(store).misses, 4);
        lrd_close(store);
        failpoint_arm(k);
        int status = run_in_child(use_and_leave, path);
        bool killed = failpoint_fired();
        failpoint_disarm();
        CHECK_OK(lrd_open(&options, &store));
        CHECK_EQ(stats_of(store).misses, 4);
        lrd_close(store);
        if (!killed) {
            CHECK_CHILD(status);
            CHECK(k > 2);
            return;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_write_that_finds_no_room_counts_once),
        cmocka_unit_test(each_other_refusal_counts_once),
        cmocka_unit_test(a_write_that_meets_a_busy_shard_counts_once),
        cmocka_unit_test(a_write_that_finds_the_file_system_full_counts_once),
        cmocka_unit_test(each_death_counts_once),
        cmocka_unit_test(taking_over_a_file_is_no_death),
        cmocka_unit_test(the_counts_of_threads_are_kept_in_the_header),
        cmocka_unit_test(the_counts_of_threads_are_kept_once_though_adopters_are_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
