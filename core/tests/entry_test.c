/* entry_test.c - counters, times to live, clears, iteration and statistics. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>

#define MIB (1u << 20)

/* ---- counters ---- */

static void counters_start_at_initial_plus_step_and_add(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    int64_t result = 0;
    lrd_value value;
    lrd_entry entry;
    CHECK_CODE(lrd_counter_update(store, "n", 1, 5, &result), LRD_MISS);
    CHECK_OK(lrd_counter_add(store, "n", 1, 5, 100, 0, &result));
    CHECK_EQ(result, 105);
    CHECK_OK(lrd_counter_add(store, "n", 1, -6, 100, 0, &result));
    CHECK_EQ(result, 99);
    CHECK_OK(lrd_counter_update(store, "n", 1, -100, &result));
    CHECK_EQ(result, -1);
    CHECK_OK(lrd_counter_update(store, "n", 1, 0, &result));
    CHECK_EQ(result, -1);
    CHECK_OK(lrd_get(store, "n", 1, 0, &value));
    CHECK_EQ(value.type, LRD_TYPE_COUNTER);
    CHECK_EQ(value.size, sizeof(int64_t));
    CHECK_EQ(lrd_counter_value(&value), -1);
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_EQ(entry.version, 0);
    CHECK_OK(lrd_counter_update(store, "n", 1, 8, &result));
    CHECK_EQ(lrd_counter_value(&value), 7);
    CHECK_OK(lrd_release(store, &value));
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK_OK(lrd_counter_update(store, "n", 1, 1, &result));
    CHECK_OK(lrd_delete(store, "n", 1));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_counter_that_would_overflow_stays_as_it_is(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    int64_t result = 42;
    CHECK_OK(lrd_counter_add(store, "n", 1, INT64_MAX, 0, 0, &result));
    CHECK_EQ(result, INT64_MAX);
    result = 42;
    CHECK_CODE(lrd_counter_add(store, "n", 1, 1, 0, 0, &result), LRD_ERANGE);
    CHECK_CODE(lrd_counter_update(store, "n", 1, 1, &result), LRD_ERANGE);
    CHECK_EQ(result, 42);
    CHECK_OK(lrd_counter_update(store, "n", 1, 0, &result));
    CHECK_EQ(result, INT64_MAX);
    CHECK_OK(lrd_counter_update(store, "n", 1, INT64_MIN, &result));
    CHECK_EQ(result, -1);
    CHECK_CODE(lrd_counter_update(store, "n", 1, INT64_MIN, &result), LRD_ERANGE);
    CHECK_OK(lrd_counter_update(store, "n", 1, 0, &result));
    CHECK_EQ(result, -1);
    CHECK_CODE(lrd_counter_add(store, "m", 1, 1, INT64_MAX, 0, &result), LRD_ERANGE);
    CHECK_CODE(lrd_counter_add(store, "m", 1, -1, INT64_MIN, 0, &result), LRD_ERANGE);
    CHECK_CODE(lrd_has(store, "m", 1), LRD_MISS);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void a_swap_replaces_the_expected_value_only(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    int64_t result = 0;
    lrd_value value;
    CHECK_CODE(lrd_counter_swap(store, "n", 1, 0, 1), LRD_MISS);
    CHECK_CODE(lrd_has(store, "n", 1), LRD_MISS);
    CHECK_OK(lrd_counter_set(store, "n", 1, 5, 0));
    CHECK_CODE(lrd_counter_swap(store, "n", 1, 6, 7), LRD_STALE);
    CHECK_OK(lrd_counter_update(store, "n", 1, 0, &result));
    CHECK_EQ(result, 5);
    CHECK_OK(lrd_counter_swap(store, "n", 1, 5, INT64_MIN));
    CHECK_OK(lrd_get(store, "n", 1, 0, &value));
    CHECK_EQ(lrd_counter_value(&value), INT64_MIN);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_put(store, "key", 3, "12345678", 8, NULL));
    CHECK_CODE(lrd_counter_swap(store, "key", 3, 0, 1), LRD_ETYPE);
    CHECK_CODE(lrd_counter_swap(store, "", 0, 0, 1), LRD_EKEY);
    CHECK_OK(lrd_delete(store, "n", 1));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void counting_on_what_is_no_counter_is_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_SESSION, MIB, 0);
    int64_t result = 42;
    CHECK_OK(lrd_put(store, "key", 3, "12345678", 8, NULL));
    uint64_t before = content_of(store);
    CHECK_CODE(lrd_counter_add(store, "key", 3, 1, 0, 0, &result), LRD_ETYPE);
    CHECK_CODE(lrd_counter_update(store, "key", 3, 1, &result), LRD_ETYPE);
    CHECK_EQ(result, 42);
    CHECK_EQ(content_of(store), before);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void replace_refuses_a_counter_and_set_takes_its_place(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    int64_t result;
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 0, &result));
    CHECK_CODE(lrd_put(store, "n", 1, "a", 1, &(lrd_write){.mode = LRD_REPLACE}), LRD_ETYPE);
    CHECK_CODE(lrd_put(store, "n", 1, "a", 1, &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
               LRD_ETYPE);
    CHECK_CODE(lrd_put(store, "n", 1, "a", 1, &(lrd_write){.mode = LRD_ADD}), LRD_EXISTS);
    CHECK_OK(lrd_counter_update(store, "n", 1, 1, &result));
    CHECK_EQ(result, 2);
    CHECK_OK(lrd_put(store, "n", 1, "a", 1, NULL));
    CHECK_CODE(lrd_counter_update(store, "n", 1, 1, &result), LRD_ETYPE);
    CHECK_OK(lrd_delete(store, "n", 1));
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 10, 0, &result));
    CHECK_EQ(result, 11);
    lrd_close(store);
}

static uint64_t version_of(lrd_store *store, const char *key)
{
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_OK(lrd_release(store, &value));
    return entry.version;
}

static void a_version_is_deleted_once_and_no_other(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    int64_t result = 0;
    CHECK_CODE(lrd_delete_version(store, "key", 3, 1, 0), LRD_MISS);
    CHECK_OK(lrd_put(store, "key", 3, "old", 3, NULL));
    uint64_t old = version_of(store, "key");
    CHECK_OK(lrd_put(store, "key", 3, "new", 3, NULL));
    CHECK_CODE(lrd_delete_version(store, "key", 3, old, 0), LRD_STALE);
    CHECK_CODE(lrd_delete_version(store, "key", 3, 0, 0), LRD_STALE);
    CHECK_OK(lrd_has(store, "key", 3));
    CHECK_OK(lrd_delete_version(store, "key", 3, version_of(store, "key"), 0));
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_CODE(lrd_delete_version(store, "key", 3, old, 0), LRD_MISS);
    CHECK_OK(lrd_counter_set(store, "n", 1, 5, 0));
    CHECK_EQ(version_of(store, "n"), 0);
    CHECK_CODE(lrd_delete_version(store, "n", 1, 0, 4), LRD_STALE);
    CHECK_CODE(lrd_delete_version(store, "n", 1, 7, 5), LRD_STALE);
    CHECK_OK(lrd_counter_update(store, "n", 1, 1, &result));
    CHECK_CODE(lrd_delete_version(store, "n", 1, 0, 5), LRD_STALE);
    CHECK_OK(lrd_delete_version(store, "n", 1, 0, 6));
    CHECK_CODE(lrd_delete_version(store, "n", 1, 0, 6), LRD_MISS);
    CHECK_CODE(lrd_delete_version(store, "", 0, 1, 0), LRD_EKEY);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_small_value_is_taken_with_its_entry(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    bool types[256] = {[7] = true, [LRD_TYPE_COUNTER] = true};
    _Alignas(LRD_ALIGN) char room[8];
    lrd_value value;
    CHECK_CODE(lrd_take(store, "key", 3, types, room, sizeof room, &value), LRD_MISS);
    CHECK_OK(lrd_put(store, "key", 3, "token", 5, &(lrd_write){.type = 7}));
    CHECK_OK(lrd_take(store, "key", 3, types, room, sizeof room, &value));
    CHECK(value.data == room);
    CHECK_EQ(value.size, 5);
    CHECK_EQ(value.type, 7);
    CHECK(memcmp(room, "token", 5) == 0);
    CHECK_CODE(lrd_take(store, "key", 3, types, room, sizeof room, &value), LRD_MISS);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_OK(lrd_put(store, "key", 3, "token", 5, &(lrd_write){.type = 8}));
    CHECK_CODE(lrd_take(store, "key", 3, types, room, sizeof room, &value), LRD_EXISTS);
    CHECK_OK(lrd_put(store, "key", 3, "123456789", 9, &(lrd_write){.type = 7}));
    CHECK_CODE(lrd_take(store, "key", 3, types, room, sizeof room, &value), LRD_EXISTS);
    CHECK_OK(lrd_has(store, "key", 3));
    CHECK_OK(lrd_counter_set(store, "n", 1, -5, 0));
    CHECK_OK(lrd_take(store, "n", 1, types, room, sizeof room, &value));
    int64_t number;
    memcpy(&number, room, sizeof number);
    CHECK_EQ(number, -5);
    CHECK_EQ(value.type, LRD_TYPE_COUNTER);
    CHECK_CODE(lrd_take(store, "", 0, types, room, sizeof room, &value), LRD_EKEY);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- time to live ---- */

static uint64_t ttl_of(lrd_store *store, const char *key)
{
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_OK(lrd_release(store, &value));
    return entry.ttl_ms;
}

static void entries_expire_to_the_millisecond(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    const uint64_t ttls[] = {1, 2, 127, 128, 129, 1000, 8191, 8192, 60000, 600000, 40000000};
    for (size_t i = 0; i < sizeof ttls / sizeof *ttls; i++) {
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, ttls[i]));
        CHECK_OK(put_value(store, "for ever", 100, 1, LRD_SET, 0));
        CHECK_EQ(ttl_of(store, "key"), ttls[i]);
        CHECK_EQ(ttl_of(store, "for ever"), 0);
        atomic_fetch_add(clock, ttls[i] - 1);
        CHECK_OK(lrd_has(store, "key", 3));
        CHECK_EQ(ttl_of(store, "key"), 1);
        atomic_fetch_add(clock, 1);
        CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
        CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
        CHECK_OK(get_checked(store, "for ever", NULL, NULL));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_has_expired_is_gone_for_every_function(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, MIB, 0, clock);
    int64_t result;
    lrd_cursor cursor = {0};
    lrd_value value;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 500));
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 500, &result));
    uint64_t version = version_of(store, "key");
    atomic_fetch_add(clock, 500);
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK_CODE(lrd_counter_update(store, "n", 1, 1, &result), LRD_MISS);
    CHECK_CODE(lrd_touch(store, "key", 3, 1000), LRD_MISS);
    CHECK_CODE(
        lrd_put(store, "key", 3, "a", 1, &(lrd_write){.version = version, .mode = LRD_REPLACE}),
        LRD_MISS);
    CHECK_CODE(lrd_delete(store, "key", 3), LRD_MISS);
    CHECK_OK(put_value(store, "key", 100, 2, LRD_ADD, 0));
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 50, 0, &result));
    CHECK_EQ(result, 51);
    CHECK_EQ(stats_of(store).entries, 2);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void touch_sets_and_removes_the_time_to_live(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    CHECK_CODE(lrd_touch(store, "key", 3, 0), LRD_MISS);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 100));
    atomic_fetch_add(clock, 60);
    CHECK_OK(lrd_touch(store, "key", 3, 100));
    CHECK_EQ(ttl_of(store, "key"), 100);
    atomic_fetch_add(clock, 99);
    CHECK_EQ(ttl_of(store, "key"), 1);
    CHECK_OK(lrd_touch(store, "key", 3, 0));
    CHECK_EQ(ttl_of(store, "key"), 0);
    atomic_fetch_add(clock, 100000000);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_OK(lrd_touch(store, "key", 3, 10));
    atomic_fetch_add(clock, 10);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_time_to_live_near_the_end_of_time_is_for_ever_or_refused(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    const uint64_t ttls[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1000000, 1ull << 63,
                             1ull << 45};
    for (size_t i = 0; i < sizeof ttls / sizeof *ttls; i++) {
        int code = put_value(store, "key", 100, 1, LRD_SET, ttls[i]);
        CHECK(code == LRD_OK || code == LRD_EINVAL);
        if (code == LRD_OK)
            CHECK_OK(get_checked(store, "key", NULL, NULL));
        CHECK_OK(put_value(store, "touched", 100, 1, LRD_SET, 0));
        code = lrd_touch(store, "touched", 7, ttls[i]);
        CHECK(code == LRD_OK || code == LRD_EINVAL);
        CHECK_OK(get_checked(store, "touched", NULL, NULL));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_counter_keeps_its_time_to_live(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    int64_t result;
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 1000, &result));
    atomic_fetch_add(clock, 600);
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 1000, &result));
    CHECK_EQ(result, 2);
    CHECK_EQ(ttl_of(store, "n"), 400);
    atomic_fetch_add(clock, 400);
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 1000, &result));
    CHECK_EQ(result, 1);
    lrd_close(store);
}

/* While no entry of a shard has a time to live, the shard's timing wheel stands still. The next put
 * with a time to live must set the wheel to the present time at once, instead of turning it through
 * a year. */
static void
what_expires_in_a_shard_where_nothing_did_for_long_is_removed_by_the_next_writes(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_options options = {.policy = LRD_VOLATILE, .size = MIB, .slots = 16, .shards = 1};
    options.clock_ms = clock_read;
    options.clock_arg = clock;
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    for (int year = 0; year < 3; year++) {
        CHECK_OK(put_value(store, "stays", 100, 1, LRD_SET, 0));
        atomic_fetch_add(clock, (uint64_t)365 * 24 * 3600 * 1000);
        CHECK_OK(put_value(store, "stays", 100, 2, LRD_SET, 0));
        CHECK_OK(put_value(store, "goes", 100, 3, LRD_SET, 1000));
        CHECK_EQ(store->shards->wheel_tick, lrd__now(store) >> LRD__TICK_BITS);
        CHECK_FSCK(store);
        atomic_fetch_add(clock, 2000);
        CHECK_OK(put_value(store, "stays", 100, 4, LRD_SET, 0));
        lrd_stats stats;
        CHECK_OK(lrd_stats_get(store, &stats));
        CHECK_EQ(stats.expired, year + 1);
        CHECK_EQ(stats.entries, 1);
    }
    lrd_close(store);
}

static void sweep_removes_what_expired_and_gives_its_memory_back(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, 4 * MIB, 0, clock);
    char key[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 1000, 1, LRD_SET, i % 2 == 0 ? 1000 : 0));
    }
    lrd_stats full = stats_of(store);
    CHECK_EQ(full.entries, 1000);
    atomic_fetch_add(clock, 2000);
    uint64_t freed = 0;
    CHECK_OK(lrd_sweep(store, &freed));
    lrd_stats swept = stats_of(store);
    CHECK_EQ(swept.entries, 500);
    CHECK_EQ(swept.live_bytes, full.live_bytes / 2);
    CHECK_EQ(swept.expired, 500);
    CHECK_EQ(swept.retired_bytes, 0);
    CHECK_EQ(swept.dead_bytes, 0);
    CHECK_EQ(freed, full.live_bytes / 2);
    CHECK_EQ(allocated_bytes(store), swept.live_bytes);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* While the timing wheel is empty, it stands still. The next timer must set it to the present
 * time. */
static void writes_remove_what_expired_after_years_without_any(void **state)
{
    (void)state;
    const uint64_t gaps[] = {0,
                             1,
                             130,
                             3600 * 1000,
                             300 * UINT64_C(24) * 3600 * 1000,
                             12 * UINT64_C(365) * 24 * 3600 * 1000};
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 1, clock);
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        atomic_fetch_add(clock, gaps[i]);
        CHECK_OK(put_value(store, "for ever", 100, 1, LRD_SET, 0));
        CHECK_OK(put_value(store, "timed", 100, 1, LRD_SET, 1000));
        CHECK_OK(put_value(store, "later", 100, 1, LRD_SET, 100000));
        atomic_fetch_add(clock, 999);
        CHECK_OK(put_value(store, "for ever", 100, 1, LRD_SET, 0));
        CHECK_EQ(stats_of(store).expired, 2 * i);
        CHECK_OK(lrd_has(store, "timed", 5));
        CHECK_FSCK(store);
        atomic_fetch_add(clock, 1 + 2 * 128); /* beyond the tick in which "timed" expires */
        for (int write = 0; write < 4; write++)
            CHECK_OK(put_value(store, "for ever", 100, 1, LRD_SET, 0));
        CHECK_EQ(stats_of(store).expired, 2 * i + 1);
        atomic_fetch_add(clock, 100000);
        for (int write = 0; write < 4; write++)
            CHECK_OK(put_value(store, "for ever", 100, 1, LRD_SET, 0));
        CHECK_EQ(stats_of(store).expired, 2 * i + 2);
        CHECK_EQ(stats_of(store).entries, 1);
    }
    lrd_close(store);
}

/* ---- clear, statistics, iteration ---- */

static void clear_removes_everything_at_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, 0);
    char key[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 500, 1, LRD_SET, 0));
    }
    lrd_value held;
    CHECK_OK(lrd_get(store, "key 7", 5, 0, &held));
    lrd_stats full = stats_of(store);
    CHECK_OK(lrd_clear(store));
    lrd_stats cleared = stats_of(store);
    CHECK_EQ(cleared.entries, 0);
    CHECK_EQ(cleared.live_bytes, 0);
    CHECK_EQ(cleared.dead_bytes, full.live_bytes);
    for (int i = 0; i < 2000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_CODE(lrd_has(store, key, strlen(key)), LRD_MISS);
        CHECK_CODE(get_checked(store, key, NULL, NULL), LRD_MISS);
    }
    lrd_cursor cursor = {0};
    lrd_value value;
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK_CODE(lrd_delete(store, "key 1", 5), LRD_MISS);
    CHECK_CODE(lrd_put(store, "key 2", 5, "a", 1, &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
               LRD_MISS);
    CHECK_OK(put_value(store, "key 1", 500, 2, LRD_ADD, 0));
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK(value_valid(held.data, held.size, "key 7", 5));
    CHECK_OK(lrd_release(store, &held));
    CHECK_FSCK(store);
    CHECK_OK(lrd_sweep(store, NULL));
    lrd_stats swept = stats_of(store);
    CHECK_EQ(swept.entries, 1);
    CHECK_EQ(swept.dead_bytes, 0);
    CHECK_EQ(swept.retired_bytes, 0);
    CHECK_EQ(allocated_bytes(store), swept.live_bytes);
    CHECK_OK(get_checked(store, "key 1", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void put_many(lrd_store *store, const char *prefix, int count, size_t size, uint64_t ttl_ms)
{
    char key[32];
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%s %d", prefix, i);
        CHECK_OK(put_value(store, key, size, 1, LRD_SET, ttl_ms));
    }
}

static void clear_often(lrd_store *store, uint32_t epoch)
{
    atomic_store(&store->header->view.epoch, epoch);
}

static void what_was_cleared_stays_away_when_epochs_begin_anew(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 4);
    put_many(store, "first", 500, 100, 0);
    CHECK_EQ(atomic_load(&store->header->view.epoch), 1);
    clear_often(store, UINT32_MAX);
    put_many(store, "last", 500, 100, 0);
    for (int round = 0; round < 5; round++) { /* epochs begin again at 2 */
        CHECK_OK(lrd_clear(store));
        CHECK(atomic_load(&store->header->view.epoch) - 1 < 10);
        CHECK_CODE(lrd_has(store, "first 7", 7), LRD_MISS);
        CHECK_CODE(lrd_has(store, "last 7", 6), LRD_MISS);
        CHECK_EQ(stats_of(store).entries, 0);
        CHECK_FSCK(store);
    }
    put_many(store, "second", 500, 100, 0);
    uint32_t second = atomic_load(&store->header->view.epoch);
    CHECK_OK(lrd_clear(store));
    CHECK_OK(put_value(store, "last", 100, 1, LRD_SET, 0)); /* the other shards see no write */
    clear_often(store, INT32_MAX);
    CHECK_OK(lrd_clear(store));
    clear_often(store, second);
    CHECK_CODE(lrd_has(store, "second 7", 8), LRD_MISS);
    CHECK_EQ(stats_of(store).entries, 0);
    lrd_close(store);
}

typedef struct locker {
    lrd_store *store;
    gate *locked, *ends;
} locker;

static void keep_a_lock(void *arg)
{
    locker *l = arg;
    CHECK_OK(put_value(l->store, "child", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd__shard_lock(l->store, lrd__threads[l->store->id], 0));
    gate_open(l->locked);
    gate_wait(l->ends);
    lrd__shard_unlock(l->store, 0);
}

/* Before a clear sets the epoch from UINT32_MAX to 2, the clear removes the dead entries of all
 * shards. If the clear cannot lock one of the shards, it must fail. */
static void epochs_do_not_begin_anew_beside_a_busy_shard(void **state)
{
    (void)state;
    gate *gates = shared_memory(2 * sizeof *gates);
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    locker l = {.store = store, .locked = gates, .ends = gates + 1};
    CHECK_OK(put_value(store, "first", 100, 1, LRD_SET, 0));
    clear_often(store, UINT32_MAX);
    pid_t child = start_child(keep_a_lock, &l);
    gate_wait(l.locked);
    CHECK_CODE(lrd_clear(store), LRD_EBUSY);
    CHECK_EQ(atomic_load(&store->header->view.epoch), UINT32_MAX);
    CHECK_CODE(lrd_has(store, "first", 5), LRD_MISS);
    gate_open(l.ends);
    CHECK_CHILD(wait_child(child));
    CHECK_OK(lrd_clear(store));
    CHECK_CODE(lrd_has(store, "first", 5), LRD_MISS);
    CHECK_CODE(lrd_has(store, "child", 5), LRD_MISS);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void cleared_memory_comes_back_to_writers_without_a_sweep(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    char key[32];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 300; i++) {
            snprintf(key, sizeof key, "key %d", i);
            CHECK_OK(put_value(store, key, 2000, (uint64_t)round, LRD_ADD, 0));
        }
        CHECK_EQ(stats_of(store).entries, 300);
        CHECK_OK(lrd_clear(store));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Return a store with a large index and a few cleared entries. */
static lrd_store *store_with_few_dead(lrd_policy policy, int entries, size_t size)
{
    lrd_options options = {
        .policy = policy, .size = 16 * MIB, .shards = 1, .slots = 16, .entries_hint = 200000};
    lrd_store *store = NULL;
    char key[32];
    CHECK_OK(lrd_open(&options, &store));
    for (int i = 0; i < entries; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, size, 1, LRD_SET, 0));
    }
    CHECK_OK(lrd_clear(store));
    return store;
}

static void a_put_after_a_clear_looks_at_a_part_of_the_index(void **state)
{
    (void)state;
    lrd_store *store = store_with_few_dead(LRD_VOLATILE, 5, 100);
    uint32_t buckets = lrd__shard_buckets(store), puts = 0, before = 0;
    CHECK(buckets > 20000);
    do {
        CHECK_OK(put_value(store, "new", 100, 1, LRD_SET, 0));
        CHECK(store->shards[0].sweep_bucket - before <= 2048);
        before = store->shards[0].sweep_bucket;
        puts++;
    } while (store->shards[0].dead_entries != 0);
    CHECK(puts > 5 && puts <= buckets / 1024 + 6);
    CHECK_EQ(stats_of(store).dead_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void few_cleared_entries_in_a_large_index_give_way(void **state)
{
    (void)state;
    lrd_store *store = store_with_few_dead(LRD_PINNED, 30, 500000);
    char key[32];
    for (int i = 0; i < 30; i++) {
        snprintf(key, sizeof key, "new %d", i);
        CHECK_OK(put_value(store, key, 500000, 1, LRD_SET, 0));
    }
    CHECK_FSCK(store);
    lrd_close(store);
    store = store_with_few_dead(LRD_PINNED, 30, 500000);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).dead_bytes, 0);
    CHECK_EQ(allocated_bytes(store), 0);
    lrd_close(store);
}

static void statistics_count_what_happened(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    CHECK_OK(put_value(store, "a", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "b", 100, 1, LRD_ADD, 0));
    CHECK_OK(put_value(store, "a", 100, 2, LRD_SET, 0));
    for (int i = 0; i < 3; i++)
        CHECK_OK(get_checked(store, "a", NULL, NULL));
    for (int i = 0; i < 5; i++)
        CHECK_CODE(get_checked(store, "c", NULL, NULL), LRD_MISS);
    CHECK_CODE(lrd_get(store, "c", 1, LRD_GET_NO_COUNT, &value), LRD_MISS);
    CHECK_OK(lrd_get(store, "a", 1, LRD_GET_NO_COUNT, &value));
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_has(store, "a", 1));
    CHECK_CODE(lrd_has(store, "c", 1), LRD_MISS);
    CHECK_OK(lrd_delete(store, "b", 1));
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.entries, 1);
    CHECK_EQ(stats.inserts, 2);
    CHECK_EQ(stats.replaces, 1);
    CHECK_EQ(stats.deletes, 1);
    CHECK_EQ(stats.hits, 3);
    CHECK_EQ(stats.misses, 5);
    CHECK_EQ(stats.evicted, 0);
    CHECK_EQ(stats.expired, 0);
    CHECK_EQ(stats.refused, 0);
    CHECK_EQ(stats.recoveries, 0);
    CHECK_EQ(stats.slots_used, 1);
    CHECK(stats.live_bytes >= 100);
    CHECK(stats.page_bytes >= stats.live_bytes);
    lrd_close(store);
}

static void iteration_sees_each_live_entry_once(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 8 * MIB, 0, clock);
    enum { COUNT = 5000 };
    static unsigned char seen[COUNT];
    memset(seen, 0, sizeof seen);
    char key[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(put_value(store, key, 20, (uint64_t)i, LRD_SET, i % 5 == 0 ? 100 : 0));
    }
    for (int i = 0; i < COUNT; i += 3) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    atomic_fetch_add(clock, 100);
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    int code;
    while ((code = lrd_next(store, &cursor, &value)) == LRD_OK) {
        CHECK_EQ(value.kind, LRD_KIND_BORROWED);
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK(value_valid(value.data, value.size, entry.key, entry.key_len));
        char text[32] = {0};
        CHECK(entry.key_len < sizeof text);
        memcpy(text, entry.key, entry.key_len);
        unsigned long i = strtoul(text, NULL, 10);
        CHECK(i < COUNT && seen[i] == 0);
        seen[i] = 1;
    }
    CHECK_CODE(code, LRD_END);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(seen[i], i % 3 != 0 && i % 5 != 0);
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    lrd_close(store);
}

static void iteration_in_short_steps_passes_few_places_and_sees_each_entry_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 0);
    enum { GONE = 10000, STAYING = 5, MOST = 4 };
    char key[32];
    for (int i = 0; i < GONE; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(put_value(store, key, 20, 1, LRD_SET, 0));
    }
    for (int i = STAYING; i < GONE; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    lrd_cursor cursor = {.most = MOST};
    lrd_value value;
    int code, steps = 0, seen = 0;
    while ((code = lrd_next(store, &cursor, &value)) != LRD_END) {
        CHECK(code == LRD_OK || code == LRD_MISS);
        if (code == LRD_MISS)
            CHECK_EQ(value.kind, LRD_KIND_NONE);
        seen += code == LRD_OK;
        steps++;
    }
    CHECK_EQ(seen, STAYING);
    CHECK(steps > GONE / 8 / MOST / 2); /* the iteration visits more than GONE / 8 buckets */
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void iteration_goes_on_while_entries_come_and_go(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 0);
    enum { STAYING = 1000 };
    static unsigned char seen[STAYING];
    memset(seen, 0, sizeof seen);
    char key[32];
    for (int i = 0; i < STAYING; i++) {
        snprintf(key, sizeof key, "stays %d", i);
        CHECK_OK(put_value(store, key, 20, 1, LRD_SET, 0));
    }
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    unsigned step = 0;
    while (lrd_next(store, &cursor, &value) == LRD_OK) {
        int i = -1;
        char text[32] = {0};
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK(entry.key_len < sizeof text);
        memcpy(text, entry.key, entry.key_len);
        if (sscanf(text, "stays %d", &i) == 1) {
            CHECK(i >= 0 && i < STAYING && seen[i] == 0);
            seen[i] = 1;
            CHECK_OK(put_value(store, text, 3000 + step % 100, step, LRD_SET, 0));
        }
        snprintf(key, sizeof key, "comes %u", step % 500);
        if (lrd_delete(store, key, strlen(key)) == LRD_MISS)
            CHECK_OK(put_value(store, key, 50, step, LRD_SET, 0));
        CHECK(++step < 100000);
    }
    for (int i = 0; i < STAYING; i++)
        CHECK_EQ(seen[i], 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- re-entry ---- */

static lrd_store *reentered;
static _Atomic int reentry_code;
static uint64_t reentering_clock(void *arg)
{
    (void)arg;
    if (reentered != NULL) {
        lrd_store *store = reentered;
        lrd_value value;
        reentered = NULL;
        reentry_code = lrd_get(store, "key", 3, 0, &value);
        reentered = store;
    }
    return 1000000;
}

static void a_call_from_inside_a_call_is_refused(void **state)
{
    (void)state;
    lrd_options options = {.size = MIB, .slots = 16, .clock_ms = reentering_clock};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 1000));
    reentry_code = LRD_OK;
    reentered = store;
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 1000));
    reentered = NULL;
    CHECK_EQ(reentry_code, LRD_EREENTRY);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- a clear while a writer publishes, after its search for the key ---- */

static lrd_store *cleared;

static void clear_at_the_look(const char *name, void *arg)
{
    int *clears = arg;
    if (strcmp(name, "write_synced") != 0 || *clears == 0)
        return;
    --*clears;
    CHECK_OK(lrd_clear(cleared));
}

static void a_clear_in_the_midst_of_an_add_does_not_make_room_for_it(void **state)
{
    (void)state;
    int clears = 0;
    lrd_reservation reservation;
    cleared = store_new(LRD_VOLATILE, MIB, 1);
    failpoint_hook(clear_at_the_look, &clears);
    for (int i = 0; i < 10; i++) {
        CHECK_OK(put_value(cleared, "key", 100, 1, LRD_SET, 0));
        CHECK_OK(lrd_reserve(cleared, "key", 3, 100, 0, &reservation));
        clears = 1;
        int code = lrd_publish(cleared, &reservation, LRD_ADD, 0, 0);
        CHECK_EQ(clears, 0);
        /* The add must end as if it had run before the clear. After LRD_OK, the caller would expect
         * the value to be stored. */
        CHECK_CODE(code, LRD_EXISTS);
        CHECK_CODE(lrd_has(cleared, "key", 3), LRD_MISS);
    }
    failpoint_hook(NULL, NULL);
    CHECK_FSCK(cleared);
    lrd_close(cleared);
}

/* ---- how a shard sweeps after a clear ---- */

static void after_a_clear_a_shard_begins_anew(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    lrd__shard *shard = store->shards;
    for (unsigned i = 0; i < 3; i++)
        CHECK_OK(put_value(store, (const char *[]){"a", "b", "c"}[i], 100, i, LRD_SET, 0));
    uint64_t bytes = atomic_load(&shard->live_bytes);
    CHECK_OK(lrd_clear(store));
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    atomic_store(&shard->pressed_until, 77);
    atomic_store(&shard->packed_entries, 5);
    atomic_store(&shard->packed_bytes, 5);
    atomic_store(&shard->packed_ready, 5);
    shard->full_until = 77;
    shard->sweep_bucket = 7;
    lrd__entry_sync(store, 0);
    CHECK_EQ(shard->dead_entries, 3);
    CHECK_EQ(atomic_load(&shard->dead_bytes), bytes);
    CHECK_EQ(atomic_load(&shard->live_entries), 0);
    CHECK_EQ(atomic_load(&shard->live_bytes), 0);
    CHECK_EQ(atomic_load(&shard->pressed_until), 0);
    CHECK_EQ(atomic_load(&shard->packed_entries), 0);
    CHECK_EQ(atomic_load(&shard->packed_bytes), 0);
    CHECK_EQ(atomic_load(&shard->packed_ready), 0);
    CHECK_EQ(shard->full_until, 0);
    CHECK_EQ(shard->sweep_bucket, 0);
    lrd__shard_unlock(store, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void dead_entries_are_swept_part_by_part(void **state)
{
    (void)state;
    lrd_options options = {.size = 64 * MIB, .shards = 1, .entries_hint = 100000};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd__shard *shard = store->shards;
    CHECK_OK(put_value(store, "a", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_clear(store));
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    CHECK(!lrd__room_sweeps(store, 0)); /* nothing is dead yet */
    lrd__entry_sync(store, 0);
    uint32_t buckets = lrd__shard_buckets(store),
             most = buckets / 256 > 1024 ? buckets / 256 : 1024;
    CHECK(most < buckets);
    /* Count more dead entries than there are. Otherwise a sweep would stop when it has found the
     * last one. */
    shard->dead_entries += 5;
    CHECK(lrd__room_sweeps(store, 0));
    uint64_t freed = lrd__room_sweep_dead(store, 0, UINT64_MAX);
    CHECK_EQ(shard->sweep_bucket, most);
    while (lrd__room_sweeps(store, 0))
        freed += lrd__room_sweep_dead(store, 0, UINT64_MAX);
    CHECK_EQ(freed, lrd__shard_retired(store, 0));
    CHECK(freed > 0);
    CHECK_EQ(shard->sweep_bucket, buckets);
    CHECK_EQ(shard->dead_entries, 5);
    CHECK(!lrd__room_sweeps(store, 0)); /* each bucket was looked at */
    shard->dead_entries = 0;
    lrd__shard_unlock(store, 0);
    for (char key = 'b'; key < 'g'; key++) {
        CHECK_OK(put_value(store, (char[]){key, 0}, 100, 1, LRD_SET, 0)); /* as large as "a" */
        CHECK_OK(lrd_clear(store));
        CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
        lrd__entry_sync(store, 0);
        uint32_t slot = 0;
        while (*lrd__index_word(store, 0, slot) == 0)
            slot++;
        shard->dead_entries++;
        while (lrd__room_sweep_dead(store, 0, freed) == 0)
            CHECK(lrd__room_sweeps(store, 0));
        CHECK_EQ(shard->sweep_bucket, slot / LRD__WAYS + 1);
        shard->dead_entries--;
        lrd__shard_unlock(store, 0);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_expires_counts_its_bytes(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 1, clock);
    CHECK_OK(put_value(store, "a", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "b", 300, 1, LRD_SET, 1000));
    CHECK_OK(lrd_delete(store, "a", 1));
    atomic_fetch_add(clock, 100000);
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    uint64_t before = lrd__shard_retired(store, 0);
    CHECK(before > 0);
    uint64_t bytes = lrd__room_expire_now(store, 0, 1000000);
    CHECK(bytes >= 300);
    CHECK_EQ(lrd__shard_retired(store, 0), before + bytes);
    lrd__shard_unlock(store, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_was_cleared_counts_neither_as_expired_nor_as_evicted(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 1, clock);
    char key[32];
    put_many(store, "key", 100, 100, 0);
    CHECK_OK(lrd_clear(store));
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_CODE(lrd_delete(store, key, strlen(key)), LRD_MISS);
    }
    CHECK_EQ(stats_of(store).expired, 0);
    CHECK_EQ(stats_of(store).deletes, 0);
    put_many(store, "timed", 100, 100, 1000);
    CHECK_OK(lrd_clear(store));
    atomic_fetch_add(clock, 100000);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).expired, 0);
    CHECK_FSCK(store);
    lrd_close(store);
    store = store_with_clock(LRD_VOLATILE, 4 * MIB, 4, clock);
    put_many(store, "short", 2500, 1000, 0);
    CHECK_EQ(stats_of(store).evicted, 0);
    atomic_fetch_add(clock, 100000);
    CHECK_OK(lrd_clear(store));
    CHECK_OK(put_value(store, "large", 2 * MIB - 100, 1, LRD_SET, 0));
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK_EQ(stats_of(store).evicted_age_ms, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void asking_for_an_entry_leaves_nothing_listed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "a", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_has(store, "a", 1));
    CHECK_EQ(atomic_load(&lrd__threads[store->id]->slot->spare), 0);
    CHECK_CODE(lrd_has(store, "b", 1), LRD_MISS);
    CHECK_OK(lrd_delete(store, "a", 1));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void half_of_the_data_is_the_largest_value(void **state)
{
    (void)state;
    static char value[MIB / 2 + 1];
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    lrd_write how = {.type = 1};
    CHECK_CODE(lrd_put(store, "a", 1, value, MIB / 2 + 1, &how), LRD_ESIZE);
    CHECK_OK(lrd_put(store, "a", 1, value, MIB / 2, &how));
    CHECK_FSCK(store);
    lrd_close(store);
    lrd_queue queue;
    store = store_new(LRD_QUEUE, MIB, 1);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_CODE(lrd_queue_push(store, queue, value, MIB / 2 + 1, 1, NULL, NULL), LRD_ESIZE);
    CHECK_OK(lrd_queue_push(store, queue, value, MIB / 2, 1, NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void no_entry_is_found_beyond_the_reach_of_its_home(void **state)
{
    (void)state;
    lrd_options options = {.policy = LRD_PINNED, .size = 4 * MIB, .shards = 1, .slots = 16};
    options.entries_hint = 10000;
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_CODE(lrd_delete(store, "none", 4), LRD_MISS);
    uint32_t homes = lrd__shard_homes(store->shards), home, tag, n = 0;
    char key[16];
    do { /* find a key whose home has LRD__PROBES buckets after it */
        CHECK(n < 10000);
        snprintf(key, sizeof key, "key %u", n++);
        lrd__place place = lrd__place_of(store, key, strlen(key));
        home = lrd__place_home(store, &place, homes);
        tag = place.tag;
    } while (home + LRD__PROBES >= homes || tag + 1 == 1u << 24);
    CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
    _Atomic uint64_t *near = lrd__index_word(store, 0, home * LRD__WAYS);
    _Atomic uint64_t *far = lrd__index_word(store, 0, (home + LRD__PROBES) * LRD__WAYS);
    uint64_t word = atomic_load(near);
    CHECK(word != 0 && lrd__word_tag(word) == tag && lrd__word_displacement(word) == 0);
    for (uint32_t d = 0; d < LRD__PROBES; d++)
        atomic_store(&lrd__bucket_of(store, 0, home + d)->displaced, 1);
    atomic_store(near, 0);
    atomic_store(far, lrd__word_make(tag + 1, 0, lrd__word_offset(word)));
    CHECK_CODE(get_checked(store, key, NULL, NULL), LRD_MISS);
    atomic_store(far, 0);
    atomic_store(near, word);
    for (uint32_t d = 0; d < LRD__PROBES; d++)
        atomic_store(&lrd__bucket_of(store, 0, home + d)->displaced, 0);
    CHECK_OK(get_checked(store, key, NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The memory of a new block may hold an older block's header. A reader must not take the new block
 * for the older entry. */
static void a_reserved_block_has_no_expiry_version_or_epoch(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 20000};
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_reservation reservation;
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t n = 0; n < 2000; n++) /* write to all memory at least once */
            CHECK_OK(put_value(store, "old", sizes[i], n, LRD_SET, 60000));
        CHECK_OK(lrd_reserve(store, "new", 3, sizes[i], 0, &reservation));
        const lrd__block *block =
            (const void *)((const char *)reservation.data - lrd__value_start(3, sizes[i]));
        CHECK_EQ(atomic_load(&block->expiry), 0);
        CHECK_EQ(block->version, 0);
        CHECK_EQ(block->epoch, 0);
        CHECK_OK(lrd_abort(store, &reservation));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_start_at_initial_plus_step_and_add),
        cmocka_unit_test(a_counter_that_would_overflow_stays_as_it_is),
        cmocka_unit_test(a_swap_replaces_the_expected_value_only),
        cmocka_unit_test(a_version_is_deleted_once_and_no_other),
        cmocka_unit_test(a_small_value_is_taken_with_its_entry),
        cmocka_unit_test(counting_on_what_is_no_counter_is_refused),
        cmocka_unit_test(replace_refuses_a_counter_and_set_takes_its_place),
        cmocka_unit_test(entries_expire_to_the_millisecond),
        cmocka_unit_test(what_has_expired_is_gone_for_every_function),
        cmocka_unit_test(touch_sets_and_removes_the_time_to_live),
        cmocka_unit_test(a_time_to_live_near_the_end_of_time_is_for_ever_or_refused),
        cmocka_unit_test(a_counter_keeps_its_time_to_live),
        cmocka_unit_test(
            what_expires_in_a_shard_where_nothing_did_for_long_is_removed_by_the_next_writes),
        cmocka_unit_test(sweep_removes_what_expired_and_gives_its_memory_back),
        cmocka_unit_test(writes_remove_what_expired_after_years_without_any),
        cmocka_unit_test(clear_removes_everything_at_once),
        cmocka_unit_test(what_was_cleared_stays_away_when_epochs_begin_anew),
        cmocka_unit_test(epochs_do_not_begin_anew_beside_a_busy_shard),
        cmocka_unit_test(cleared_memory_comes_back_to_writers_without_a_sweep),
        cmocka_unit_test(a_put_after_a_clear_looks_at_a_part_of_the_index),
        cmocka_unit_test(few_cleared_entries_in_a_large_index_give_way),
        cmocka_unit_test(statistics_count_what_happened),
        cmocka_unit_test(iteration_sees_each_live_entry_once),
        cmocka_unit_test(iteration_in_short_steps_passes_few_places_and_sees_each_entry_once),
        cmocka_unit_test(iteration_goes_on_while_entries_come_and_go),
        cmocka_unit_test(a_call_from_inside_a_call_is_refused),
        cmocka_unit_test(a_clear_in_the_midst_of_an_add_does_not_make_room_for_it),
        cmocka_unit_test(after_a_clear_a_shard_begins_anew),
        cmocka_unit_test(dead_entries_are_swept_part_by_part),
        cmocka_unit_test(what_expires_counts_its_bytes),
        cmocka_unit_test(what_was_cleared_counts_neither_as_expired_nor_as_evicted),
        cmocka_unit_test(asking_for_an_entry_leaves_nothing_listed),
        cmocka_unit_test(half_of_the_data_is_the_largest_value),
        cmocka_unit_test(no_entry_is_found_beyond_the_reach_of_its_home),
        cmocka_unit_test(a_reserved_block_has_no_expiry_version_or_epoch),
    };
    return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
