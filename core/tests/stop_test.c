/* stop_test.c - a writer with a shard's lock is stopped, or gets no processor for long. No other
 * process may hang, and readers must notice nothing. All must work again when the writer is
 * continued or killed. */
#include "support.h"

#include "internal.h"
#include "larder_coordination.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
#define KEYS 50

typedef struct scene {
    lrd_store *store;
    /* the writer stops at the at-th fail point that it passes while a shard is locked */
    uint32_t at;
    uint32_t passed;
} scene;

static void stop_inside(const char *name, void *arg)
{
    scene *s = arg;
    (void)name;
    if (shard_locked(s->store) && ++s->passed == s->at)
        raise(SIGSTOP);
}

static void write_things(void *arg)
{
    scene *s = arg;
    failpoint_hook(stop_inside, s);
    CHECK_OK(put_value(s->store, "new", 1000, 1, LRD_SET, 60000));
    CHECK_OK(put_value(s->store, "key 1", 1000, 77, LRD_SET, 0));
    /* Use a long time to live, because the writer may be stopped here until the other processes are
     * done. */
    CHECK_OK(lrd_touch(s->store, "new", 3, 600000));
    CHECK_OK(put_value(s->store, "large", 100000, 1, LRD_SET, 0));
    CHECK_OK(lrd_delete(s->store, "large", 5));
    CHECK_OK(lrd_delete(s->store, "new", 3));
    failpoint_hook(NULL, NULL);
}

/* Start the writer. Returns true when it has stopped, false if it has ended before. */
static bool start_and_stop(scene *s, pid_t *writer)
{
    int status;
    *writer = start_child(write_things, s);
    CHECK(waitpid(*writer, &status, WUNTRACED) == *writer);
    if (WIFSTOPPED(status))
        return true;
    CHECK_CHILD(status);
    return false;
}

static void prepare(scene *s, lrd_store **store)
{
    char key[32];
    int64_t result;
    *store = s->store = store_new(LRD_VOLATILE, MIB, 1);
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(s->store, key, 1000, 1, LRD_SET, 0));
    }
    CHECK_OK(lrd_counter_add(s->store, "counter", 7, 1, 0, 0, &result));
}

static void check_bounded(uint64_t started) { CHECK(real_ms() - started < 600 * LRD_LOCK_WAIT_MS); }

static void wait_for_the_lock(void *store) { CHECK_CODE(lrd_delete(store, "key 2", 5), LRD_EBUSY); }

/* Three processes wait for the stopped writer's lock. Turns that they pass to each other must not
 * count as progress: each must give up as early as if it waited alone. */
static void check_a_crowd_is_told(lrd_store *store)
{
    enum { CROWD = 3 };
    pid_t children[CROWD];
    uint32_t passed = atomic_load(&store->gates[0].passed);
    for (int i = 0; i < CROWD; i++)
        children[i] = start_child(wait_for_the_lock, store);
    for (int i = 0; i < CROWD; i++)
        CHECK_CHILD(wait_child(children[i]));
    CHECK(atomic_load(&store->gates[0].passed) - passed < LRD_LOCK_WAIT_MS);
    CHECK_EQ(atomic_load(&store->gates[0].had), 0);
}

static void check_writers_are_told(lrd_store *store, lrd_reservation *reservation)
{
    uint64_t started = real_ms();
    uint32_t passed = atomic_load(&store->gates[0].passed);
    CHECK_CODE(lrd_delete(store, "key 2", 5), LRD_EBUSY);
    CHECK(real_ms() - started >= LRD_LOCK_WAIT_MS / 2);
    /* This thread waits alone, so it passes no turn to another thread. */
    CHECK(atomic_load(&store->gates[0].passed) - passed < LRD_LOCK_WAIT_MS / 3);
    check_bounded(started);
    started = real_ms();
    CHECK_CODE(lrd_touch(store, "key 2", 5, 1000), LRD_EBUSY);
    check_bounded(started);
    started = real_ms();
    CHECK_CODE(put_value(store, "key 2", 1000, 2, LRD_SET, 0), LRD_EBUSY);
    check_bounded(started);
    started = real_ms();
    CHECK_CODE(lrd_publish(store, reservation, LRD_SET, 0, 0), LRD_EBUSY);
    check_bounded(started);
    check_a_crowd_is_told(store);
    CHECK(reservation->handle != 0);
    CHECK(stats_of(store).busy >= 4);
}

static void check_readers_notice_nothing(lrd_store *store)
{
    uint64_t started = real_ms(), waits = atomic_load(&store->shards[0].busy);
    char key[32];
    int64_t result;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < KEYS; i++) {
            snprintf(key, sizeof key, "key %d", i);
            CHECK_OK(lrd_has(store, key, strlen(key)));
            CHECK_OK(get_checked(store, key, NULL, NULL));
        }
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS);
    CHECK_OK(lrd_counter_update(store, "counter", 7, 1, &result));
    content_of(store); /* calls lrd_next() for each entry */
    CHECK_EQ(atomic_load(&store->shards[0].busy), waits);
    /* Waiting in each call would have taken three times as long. */
    CHECK(real_ms() - started < 600 * LRD_LOCK_WAIT_MS);
}

static void stop_a_writer(int signal)
{
    uint32_t stops = 0;
    for (uint32_t at = 1;; at += 1 + at / 4) {
        lrd_store *store;
        scene s = {.at = at};
        lrd_reservation reservation;
        pid_t writer;
        int status;
        prepare(&s, &store);
        CHECK_OK(lrd_reserve(store, "reserved", 8, 1000, 0, &reservation));
        value_fill(reservation.build, 1000, "reserved", 8, 1);
        if (!start_and_stop(&s, &writer)) {
            lrd_close(store);
            break;
        }
        stops++;
        check_readers_notice_nothing(store);
        check_writers_are_told(store, &reservation);
        check_readers_notice_nothing(store);
        kill(writer, signal);
        CHECK(waitpid(writer, &status, 0) == writer);
        if (signal == SIGCONT)
            CHECK_CHILD(status);
        else
            CHECK_KILLED(status, SIGKILL);
        CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
        CHECK_OK(get_checked(store, "reserved", NULL, NULL));
        CHECK_OK(lrd_delete(store, "key 2", 5));
        CHECK_OK(put_value(store, "key 3", 1000, 2, LRD_SET, 0));
        for (int i = 0; i < KEYS; i++) {
            char key[32];
            snprintf(key, sizeof key, "key %d", i);
            CHECK_CODE(get_checked(store, key, NULL, NULL), i == 2 ? LRD_MISS : LRD_OK);
        }
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).recoveries, signal == SIGKILL);
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
    CHECK(stops >= 5);
}

static void a_writer_stopped_in_the_lock_delays_writers_only_and_goes_on(void **state)
{
    (void)state;
    stop_a_writer(SIGCONT);
}

static void a_writer_stopped_in_the_lock_and_then_killed_is_recovered_from(void **state)
{
    (void)state;
    stop_a_writer(SIGKILL);
}

static void lock_and_stop(void *arg)
{
    CHECK_OK(lrd__shard_lock(arg, NULL, 0));
    raise(SIGSTOP);
    lrd__shard_unlock(arg, 0);
}

static pid_t start_stopped(lrd_store *store)
{
    int status;
    pid_t child = start_child(lock_and_stop, store);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    return child;
}

static void go_on(pid_t child)
{
    int status;
    kill(child, SIGCONT);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_CHILD(status);
}

typedef struct reserving {
    lrd_store *store;
    const char *key;
    int code;
} reserving;

static void reserve(void *arg)
{
    const reserving *r = arg;
    CHECK_CODE(lrd_lock(r->store, r->key, strlen(r->key), 0, 0, NULL), r->code);
}

static void check_others_get(lrd_store *store, const char *key, int code)
{
    reserving r = {store, key, code};
    CHECK_CHILD(run_in_child(reserve, &r));
}

/* Make one of four calls, each of which must unlock the keys that an earlier request could not
 * unlock. */
static void end_what_is_left(lrd_store *store, int by, const char *key)
{
    if (by == 0)
        CHECK_OK(lrd_request_begin(store));
    else if (by == 1)
        CHECK_OK(lrd_lock(store, "any", 3, 0, 0, NULL));
    else if (by == 2)
        CHECK_CODE(lrd_unlock(store, "any", 3, 0), LRD_MISS);
    else
        CHECK_OK(lrd_lock(store, key, strlen(key), 0, 0, NULL)); /* must not return LRD_EDEADLK */
}

static void reservations_that_a_stopped_writer_kept_end_with_the_next_call(void **state)
{
    (void)state;
    for (int by = 0; by < 4; by++) {
        lrd_store *store = store_new(LRD_VOLATILE, MIB, 2);
        char kept[16], ended[16], later[16];
        for (unsigned i = 0, n = 0; n < 3; i++) {
            char *key = n == 0 ? kept : n == 1 ? ended : later;
            snprintf(key, sizeof kept, "key %u", i);
            n += lrd__place_of(store, key, strlen(key)).shard_index == (n == 0 ? 0 : 1);
        }
        CHECK_OK(lrd_lock(store, kept, strlen(kept), 0, 0, NULL));
        CHECK_OK(lrd_lock(store, ended, strlen(ended), 0, 0, NULL));
        pid_t stopped = start_stopped(store);
        CHECK_CODE(lrd_request_end(store), LRD_EBUSY);
        check_others_get(store, ended, LRD_OK);
        CHECK_OK(lrd_lock(store, later, strlen(later), 0, 0, NULL));
        CHECK_CODE(lrd_unlock(store, kept, strlen(kept), 0), LRD_EBUSY);
        go_on(stopped);
        check_others_get(store, kept, LRD_HELD);
        end_what_is_left(store, by, kept);
        check_others_get(store, kept, by == 3 ? LRD_HELD : LRD_OK);
        check_others_get(store, later, LRD_HELD);
        CHECK_OK(lrd_request_end(store));
        check_others_get(store, kept, LRD_OK);
        check_others_get(store, later, LRD_OK);
        CHECK_EQ(lrd__threads[store->id]->keylocks.used, 0);
        CHECK_EQ(lrd__threads[store->id]->keylocks.left, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* A process that has given up on a shard avoids the shard for a moment. Extend this moment until
 * the test ends it, because slow machines need longer. */
static void let_the_moment_last(const char *name, void *arg)
{
    lrd_store *store = arg;
    (void)name;
    if (atomic_load(&store->stalled) != 0)
        atomic_store(&store->stalled_until, UINT64_MAX);
}

/* A large value needs a window, and each window has values of the stopped shard. The put must wait
 * for the shard once, not for each page. */
static void a_stopped_shard_is_waited_for_once_by_who_wants_a_window(void **state)
{
    (void)state;
    enum { VALUES = 15000, WRITES = 3 };
    lrd_store *store = store_new(LRD_VOLATILE, 32 * MIB, 8);
    char key[32], *large = calloc(1, 900000);
    int writes = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 3000, i, LRD_SET, 0));
    }
    pid_t stopped = start_stopped(store);
    failpoint_hook(let_the_moment_last, store);
    for (unsigned i = 0; writes < WRITES; i++) {
        snprintf(key, sizeof key, "large %u", i);
        if (lrd__place_of(store, key, strlen(key)).shard_index == 0)
            continue;
        /* let the put try the shard again */
        atomic_store(&store->stalled, 0);
        uint64_t waits = atomic_load(&store->shards[0].busy);
        int rc = lrd_put(store, key, strlen(key), large, 900000, NULL);
        CHECK(rc == LRD_OK || rc == LRD_EBUSY);
        /* The put may search twice: a part of the store, and then all of it. It may wait only
         * once. */
        CHECK(atomic_load(&store->shards[0].busy) - waits <= 1);
        /* The first put has given up on the stopped shard, so the next put skips this shard. The
         * next put must not report that the store is full. */
        if (rc == LRD_EBUSY) {
            rc = lrd_put(store, key, strlen(key), large, 900000, NULL);
            CHECK(rc == LRD_OK || rc == LRD_EBUSY);
        }
        CHECK(atomic_load(&store->shards[0].busy) - waits <= 2);
        writes++;
    }
    failpoint_hook(NULL, NULL);
    go_on(stopped);
    CHECK_OK(lrd_put(store, "large", 5, large, 900000, NULL));
    CHECK_FSCK(store);
    free(large);
    lrd_close(store);
}

/* A put has waited for the shard without success. For a moment, other puts must avoid the shard
 * instead of waiting as long. */
static void a_shard_that_was_waited_for_in_vain_is_left_out_for_a_moment(void **state)
{
    (void)state;
    enum { VALUES = 15000, WRITES = 30 };
    const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED};
    char key[32], *large = calloc(1, 900000);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        lrd_store *store = store_new(policies[p], 32 * MIB, 8);
        for (unsigned i = 0; i < VALUES; i++) {
            snprintf(key, sizeof key, "key %u", i);
            lrd_put(store, key, strlen(key), large, 3000, NULL);
        }
        pid_t stopped = start_stopped(store);
        sleep_ms(20); /* the core forgets failed searches in the meantime */
        uint64_t waits = atomic_load(&store->shards[0].busy);
        failpoint_hook(let_the_moment_last, store);
        for (unsigned i = 0, written = 0; written < WRITES; i++) {
            snprintf(key, sizeof key, "large %u", i);
            if (lrd__place_of(store, key, strlen(key)).shard_index == 0)
                continue;
            lrd_put(store, key, strlen(key), large, 900000, NULL);
            written++;
        }
        failpoint_hook(NULL, NULL);
        CHECK_EQ(atomic_load(&store->stalled), 1);
        CHECK_EQ(atomic_load(&store->shards[0].busy), waits + 1);
        go_on(stopped);
        sleep_ms(20);
        lrd_put(store, key, strlen(key), large, 900000, NULL);
        /* A put to the volatile store may find room without the stalled shard. Then this shard
         * still counts as stalled. */
        if (policies[p] == LRD_PINNED)
            CHECK_EQ(atomic_load(&store->stalled), 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
    free(large);
}

/* The zone has lost memory, so each write commits some pages of the zone. Some of these pages
 * belong to the stopped process's shard. A write must not wait for this shard. */
static void a_stopped_shard_is_not_waited_for_by_who_feeds_the_zone(void **state)
{
    (void)state;
    enum { VALUES = 15000 };
    lrd_store *store = store_new(LRD_VOLATILE, 32 * MIB, 8);
    char key[32];
    unsigned bare = 0, i = 0;
    for (; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 3000, i, LRD_SET, 0));
    }
    pid_t stopped = start_stopped(store);
    for (uint64_t page = lrd__zone_first(store); page < store->geo.pages; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner != 0 && lrd__owner_shard(owner) == 0 && store->pages[page].committed == 16) {
            store->pages[page].committed = 15;
            bare++;
        }
    }
    CHECK(bare >= 4);
    atomic_store(&store->header->zone_fed, 0);
    atomic_store(&store->header->memory_short, 1);
    for (; lrd__place_of(store, key, strlen(key)).shard_index == 0; i++)
        snprintf(key, sizeof key, "key %u", i);
    sleep_ms(20); /* a write calls lrd__room_feed_zone() at most once in 16 ms (LRD__CHORES_MS) */
    uint64_t waits = atomic_load(&store->shards[0].busy);
    CHECK_OK(put_value(store, key, 3000, i, LRD_SET, 0));
    CHECK_EQ(atomic_load(&store->shards[0].busy), waits);
    for (uint64_t page = lrd__zone_first(store); page < store->geo.pages; page++)
        if (store->pages[page].committed == 15)
            store->pages[page].committed = 16;
    go_on(stopped);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void take_long_over_a_page(const char *name, void *arg)
{
    if (strcmp(name, "room_marked") != 0)
        return;
    ++*(unsigned *)arg;
    sleep_ms(50);
}

/* In a large store, it takes long to commit pages of the zone. When one write has committed some of
 * them, the next writes must commit none for a while. */
static void who_feeds_the_zone_lets_writes_pass_before_it_goes_on(void **state)
{
    (void)state;
    enum { VALUES = 15000 };
    lrd_store *store = store_new(LRD_VOLATILE, 32 * MIB, 8);
    char key[32];
    unsigned marked = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 3000, i, LRD_SET, 0));
    }
    uint64_t first = lrd__zone_first(store);
    CHECK(store->geo.pages - first > 20);
    for (uint64_t page = first; page < store->geo.pages; page++)
        if (store->pages[page].committed == 16)
            store->pages[page].committed = 15;
    atomic_store(&store->header->zone_fed, 0);
    atomic_store(&store->header->memory_short, 1);
    sleep_ms(20); /* a write calls lrd__room_feed_zone() at most once in 16 ms (LRD__CHORES_MS) */
    failpoint_hook(take_long_over_a_page, &marked);
    CHECK_OK(put_value(store, "first", 100, 1, LRD_SET, 0));
    unsigned once = marked;
    CHECK(once > 0);
    CHECK(atomic_load(&store->feed_at) > real_ms());
    atomic_store(&store->feed_at, UINT64_MAX);
    for (int i = 0; i < 5; i++) {
        sleep_ms(20);
        CHECK_OK(put_value(store, "next", 100, 1, LRD_SET, 0));
    }
    CHECK_EQ(marked, once);
    atomic_store(&store->feed_at, 0);
    sleep_ms(20);
    CHECK_OK(put_value(store, "last", 100, 1, LRD_SET, 0));
    CHECK(marked > once);
    failpoint_hook(NULL, NULL);
    for (uint64_t page = first; page < store->geo.pages; page++)
        if (store->pages[page].committed == 15)
            store->pages[page].committed = 16;
    CHECK_FSCK(store);
    lrd_close(store);
}

/* In a full session store, a put looks for expired entries in all shards, again and again until it
 * finds none. The put must wait for the stopped shard only once. */
static void a_stopped_shard_is_waited_for_once_by_who_looks_for_what_expired(void **state)
{
    (void)state;
    enum { VALUES = 120000 };
    lrd_store *store = store_new(LRD_SESSION, 16 * MIB, 4);
    char key[32], *large = calloc(1, 7 * MIB);
    unsigned i = 0;
    for (int rc = LRD_OK; i < VALUES && rc == LRD_OK; i++) {
        snprintf(key, sizeof key, "key %u", i);
        rc = lrd_put(store, key, strlen(key), large, 90, &(lrd_write){.ttl_ms = 1500});
    }
    CHECK(i > VALUES / 4);
    sleep_ms(2000);
    pid_t stopped = start_stopped(store);
    for (i = 0; lrd__place_of(store, key, strlen(key)).shard_index == 0; i++)
        snprintf(key, sizeof key, "large %u", i);
    uint64_t waits = atomic_load(&store->shards[0].busy);
    failpoint_hook(let_the_moment_last, store);
    int rc = lrd_put(store, key, strlen(key), large, 7 * MIB, NULL);
    failpoint_hook(NULL, NULL);
    CHECK(rc == LRD_OK || rc == LRD_ENOROOM);
    CHECK(atomic_load(&store->shards[0].busy) - waits <= 1);
    go_on(stopped);
    sleep_ms(5); /* wait until the failed search is forgotten (2 ms) */
    CHECK_OK(lrd_put(store, key, strlen(key), large, 7 * MIB, NULL));
    CHECK_FSCK(store);
    free(large);
    lrd_close(store);
}

static void build_and_stop(void *arg)
{
    lrd_reservation reservation;
    CHECK_OK(lrd_reserve(arg, "key 1", 5, 50000, 0, &reservation));
    memset(reservation.build, 'x', 20000);
    raise(SIGSTOP);
    memset(reservation.build, 'x', 50000);
    CHECK_OK(lrd_publish(arg, &reservation, LRD_SET, 0, 0));
}

static void a_builder_stopped_outside_the_lock_delays_nobody(void **state)
{
    (void)state;
    scene s = {0};
    lrd_store *store;
    lrd_value value;
    int status;
    prepare(&s, &store);
    pid_t builder = start_child(build_and_stop, store);
    CHECK(waitpid(builder, &status, WUNTRACED) == builder && WIFSTOPPED(status));
    uint64_t started = real_ms();
    for (int i = 0; i < 20000; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 700, (uint64_t)i, LRD_SET, 0));
    }
    CHECK(real_ms() - started < 100000);
    CHECK_EQ(stats_of(store).busy, 0);
    kill(builder, SIGCONT);
    CHECK_CHILD(wait_child(builder));
    CHECK_OK(lrd_get(store, "key 1", 5, 0, &value));
    CHECK_EQ(value.size, 50000);
    for (size_t i = 0; i < value.size; i++)
        CHECK_EQ(((const char *)value.data)[i], 'x');
    CHECK_OK(lrd_release(store, &value));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void read_and_stop(void *arg)
{
    lrd_value value;
    CHECK_OK(lrd_get(arg, "key 1", 5, 0, &value));
    uint64_t sum = checksum(value.data, value.size);
    raise(SIGSTOP);
    CHECK_EQ(checksum(value.data, value.size), sum);
    CHECK_OK(lrd_release(arg, &value));
}

static void a_stopped_reader_delays_nobody_and_keeps_its_value(void **state)
{
    (void)state;
    scene s = {0};
    lrd_store *store;
    int status;
    prepare(&s, &store);
    pid_t reader = start_child(read_and_stop, store);
    CHECK(waitpid(reader, &status, WUNTRACED) == reader && WIFSTOPPED(status));
    for (int i = 0; i < 20000; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 960, (uint64_t)i, LRD_SET, 0));
    }
    CHECK_EQ(stats_of(store).busy, 0);
    kill(reader, SIGCONT);
    CHECK_CHILD(wait_child(reader));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void set_turn(lrd_store *store, uint32_t who, int64_t over_ms)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t over =
        (uint64_t)((int64_t)now.tv_sec * 1000000000 + now.tv_nsec - over_ms * 1000000) >> 16;
    atomic_store(&store->gates[0].turn, over << 32 | who);
}

/* A turn was never ended. The clock of turns has wrapped in the meantime, so the turn seems to end
 * in the future. */
static void a_turn_of_long_ago_keeps_nobody_out(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    for (uint32_t who = 1; who <= 2; who++) {
        set_turn(store, who, -(int64_t)(0x70000000ull * 65536 / 1000000));
        CHECK_OK(put_value(store, "key", 100, who + 1, LRD_SET, 0));
        CHECK_OK(lrd_delete(store, "key", 3));
    }
    lrd_close(store);
}

static void count_sleeps(const char *name, void *sleeps)
{
    *(int *)sleeps += strcmp(name, "lock_sleep") == 0;
}

/* A turn is over, but no thread has removed it from the gate. A put must take the lock without a
 * sleep. */
static void a_turn_that_is_over_keeps_nobody_out(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    int sleeps = 0;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    set_turn(store, 60, 2);
    failpoint_hook(count_sleeps, &sleeps);
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 0));
    failpoint_hook(NULL, NULL);
    CHECK_EQ(sleeps, 0);
    CHECK_EQ(atomic_load(&store->gates[0].turn), 0);
    lrd_close(store);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Return true if the kernel counts how often a thread gets a processor. Some kernels have no file
 * schedstat in /proc, or write zeros to it. */
static bool slices_are_counted(lrd_store *store)
{
    pid_t stopped = start_stopped(store);
    bool counted = lrd__thread_stays(stopped) != 0;
    go_on(stopped);
    return counted;
}

/* A stopped process has the lock of the only shard. This process may wait for the lock only in its
 * first call. */
static void a_stopped_shard_is_waited_for_once_by_a_process(void **state)
{
    (void)state;
    enum { MANY = 64, LIMIT_MS = MANY * LRD_LOCK_WAIT_MS / 2 };
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    char key[16];
    lrd_permit permit;
    if (!slices_are_counted(store)) {
        lrd_close(store);
        skip();
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "lock %d", i);
        CHECK_OK(lrd_lock(store, key, strlen(key), 0, 0, NULL));
    }
    pid_t stopped = start_stopped(store);
    CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_EBUSY);
    uint64_t begin = now_ms();
    CHECK_CODE(lrd_semaphore_acquire(store, "many", 4, MANY, 0, 0, &permit), LRD_EBUSY);
    CHECK(now_ms() - begin < LIMIT_MS);
    begin = now_ms();
    CHECK(!lrd_lock_wanted(store));
    CHECK(now_ms() - begin < LIMIT_MS);
    begin = now_ms();
    for (int i = 0; i < MANY; i++)
        CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_EBUSY);
    CHECK(now_ms() - begin < LIMIT_MS);
    begin = now_ms();
    CHECK_CODE(lrd_semaphore_acquire(store, "many", 4, MANY, 0, 300, &permit), LRD_EBUSY);
    CHECK(now_ms() - begin >= 300 && now_ms() - begin < LIMIT_MS);
    go_on(stopped);
    CHECK_OK(lrd_semaphore_acquire(store, "many", 4, MANY, 0, 0, &permit));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_EQ(lrd_locks_end(store), MANY + 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void lock_stop_and_work(void *arg)
{
    CHECK_OK(lrd__shard_lock(arg, NULL, 0));
    raise(SIGSTOP);
    for (uint64_t end = now_ms() + 50; now_ms() < end;)
        ;
    lrd__shard_unlock(arg, 0);
}

/* The child is stopped while it has the lock, so the first put gives up. When the child is
 * continued, the next put must wait for the lock again. */
static void a_holder_that_goes_on_is_waited_for_again(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    for (int round = 0; round < 10; round++) {
        int status;
        pid_t child = start_child(lock_stop_and_work, store);
        CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
        CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_EBUSY);
        CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_EBUSY);
        kill(child, SIGCONT);
        CHECK(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_CHILD(status);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static int sleep_two_seconds(void *unused)
{
    (void)unused;
    sleep_ms(2000);
    return 0;
}

/* Take the lock, and wait in the kernel for two seconds, as for a slow disk. */
static void lock_and_wait_for_the_kernel(void *arg)
{
    static _Alignas(16) char stack[64 << 10];
    CHECK_OK(lrd__shard_lock(arg, NULL, 0));
    pid_t child = clone(sleep_two_seconds, stack + sizeof stack, CLONE_VFORK | SIGCHLD, NULL);
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    lrd__shard_unlock(arg, 0);
}

/* The child waits in the kernel while it has the lock. A thread without a slot waits for the lock
 * for 100 ms, and gives up. The put of this thread must still wait for the lock, because a wait in
 * the kernel does not prove that the child is stopped. */
static void a_holder_that_waits_for_the_kernel_is_waited_for(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    pid_t child = start_child(lock_and_wait_for_the_kernel, store);
    for (char letter = 0; letter != 'D'; sleep_ms(1)) {
        uint32_t holder = lrd__mutex_owner(&store->gates[0].lock);
        if (holder != 0)
            lrd__thread_look((int)holder, &letter);
    }
    if (lrd__shard_lock(store, NULL, 0) == LRD_OK)
        lrd__shard_unlock(store, 0);
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 0));
    CHECK_CHILD(wait_child(child));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void stop_while_slots_are_made(void *arg)
{
    lrd_store *store = arg;
    CHECK_OK(lrd__lease_wait(&store->header->slots_lock, 1000));
    raise(SIGSTOP);
    lrd__mutex_unlock(&store->header->slots_lock);
}

/* Make calls from a thread without a slot, while a stopped process has the lock for slots. No call
 * may wait long. */
static void call_without_a_slot(void *arg)
{
    lrd_store *store = arg;
    lrd_value value;
    uint64_t begin = now_ms();
    for (int i = 0; i < 5; i++) {
        CHECK_OK(lrd_get(store, "key", 3, 0, &value));
        CHECK_EQ(value.kind, LRD_KIND_COPY);
        CHECK_OK(lrd_release(store, &value));
        CHECK_OK(lrd_put(store, "other", 5, "value", 5, NULL));
        CHECK_CODE(lrd_lock(store, "key", 3, 0, 0, NULL), LRD_ENOSLOT);
    }
    CHECK(now_ms() - begin < 4000);
}

static void a_process_stopped_while_it_makes_slots_delays_nobody_for_long(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    int status;
    pid_t stopped = start_child(stop_while_slots_are_made, store);
    CHECK(waitpid(stopped, &status, WUNTRACED) == stopped && WIFSTOPPED(status));
    CHECK_CHILD(run_in_child(call_without_a_slot, store));
    go_on(stopped);
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_stopped_in_the_lock_delays_writers_only_and_goes_on),
        cmocka_unit_test(a_writer_stopped_in_the_lock_and_then_killed_is_recovered_from),
        cmocka_unit_test(reservations_that_a_stopped_writer_kept_end_with_the_next_call),
        cmocka_unit_test(a_stopped_shard_is_waited_for_once_by_who_wants_a_window),
        cmocka_unit_test(a_shard_that_was_waited_for_in_vain_is_left_out_for_a_moment),
        cmocka_unit_test(a_stopped_shard_is_not_waited_for_by_who_feeds_the_zone),
        cmocka_unit_test(who_feeds_the_zone_lets_writes_pass_before_it_goes_on),
        cmocka_unit_test(a_stopped_shard_is_waited_for_once_by_who_looks_for_what_expired),
        cmocka_unit_test(a_builder_stopped_outside_the_lock_delays_nobody),
        cmocka_unit_test(a_stopped_reader_delays_nobody_and_keeps_its_value),
        cmocka_unit_test(a_turn_of_long_ago_keeps_nobody_out),
        cmocka_unit_test(a_turn_that_is_over_keeps_nobody_out),
        cmocka_unit_test(a_stopped_shard_is_waited_for_once_by_a_process),
        cmocka_unit_test(a_holder_that_goes_on_is_waited_for_again),
        cmocka_unit_test(a_holder_that_waits_for_the_kernel_is_waited_for),
        cmocka_unit_test(a_process_stopped_while_it_makes_slots_delays_nobody_for_long),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
