/* many_test.c - lrd_get_many() gives the same answers as single gets. lrd_prefetch() changes
 * nothing. */
#include "support.h"

#include <stdlib.h>

#define MIB (1u << 20)
#define KEYS 100u

static const char *key_text(char text[32], unsigned i)
{
    snprintf(text, 32, "many:%u", i);
    return text;
}

/* Make `count` keys for the numbers 0, step, 2 * step and so on, with their bytes in `texts`. */
static void keys_make(char (*texts)[32], lrd_key *keys, unsigned count, unsigned step)
{
    for (unsigned i = 0; i < count; i++) {
        key_text(texts[i], i * step % (2 * KEYS));
        keys[i] = (lrd_key){.key = texts[i], .key_len = strlen(texts[i])};
    }
}

static lrd_store *filled_store(lrd_policy policy)
{
    char text[32];
    lrd_store *store = store_new(policy, 8 * MIB, 0);
    for (unsigned i = 0; i < KEYS; i++)
        CHECK_OK(put_value(store, key_text(text, i), 40 + i * 7, i,
                           policy == LRD_IMMUTABLE ? LRD_ADD : LRD_SET, 0));
    return store;
}

/* Check the results of lrd_get_many() in a store that has the numbers below KEYS. */
static void check_values(const lrd_key *keys, const lrd_value *values, unsigned count,
                         unsigned step)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned number = i * step % (2 * KEYS);
        check_context("key %u of %u", i, count);
        CHECK_EQ(values[i].kind != LRD_KIND_NONE, number < KEYS);
        if (number >= KEYS)
            continue;
        CHECK(value_valid(values[i].data, values[i].size, keys[i].key, keys[i].key_len));
        CHECK_EQ(value_seed(values[i].data, values[i].size), number);
    }
    check_context("%s", "all");
}

static void every_number_of_keys_is_answered_as_by_single_gets(void **state)
{
    (void)state;
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_IMMUTABLE, LRD_SESSION};
    char texts[70][32];
    lrd_key keys[70];
    lrd_value values[70];
    size_t done;
    for (unsigned p = 0; p < 4; p++) {
        lrd_store *store = filled_store(policies[p]);
        for (unsigned count = 0; count <= 70; count++) {
            /* with a step of 100, all keys have the number 0 or 100 */
            unsigned step = count % 2 != 0 ? 77 : 100;
            lrd_stats before = stats_of(store);
            keys_make(texts, keys, count, step);
            CHECK_OK(lrd_get_many(store, keys, count, 0, values, &done));
            CHECK_EQ(done, count);
            check_values(keys, values, count, step);
            lrd_stats after = stats_of(store);
            CHECK_EQ(after.hits + after.misses - before.hits - before.misses, count);
            for (unsigned i = count; i-- > 0;)
                CHECK_OK(lrd_release(store, values + i));
        }
        CHECK_OK(lrd_request_end(store));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void all_stay_held_together(void **state)
{
    (void)state;
    char texts[64][32], text[32];
    lrd_key keys[64];
    lrd_value values[64];
    size_t done;
    lrd_store *store = filled_store(LRD_VOLATILE);
    keys_make(texts, keys, 64, 1);
    CHECK_OK(lrd_get_many(store, keys, 64, LRD_GET_PLAIN, values, &done));
    CHECK_EQ(done, 64);
    for (unsigned round = 0; round < 20; round++)
        for (unsigned i = 0; i < KEYS; i++)
            CHECK_OK(put_value(store, key_text(text, i), 40 + i * 7, 1000 + round, LRD_SET, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    check_values(keys, values, 64, 1);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* This thread holds as many values as it may. lrd_get_many() then returns copies. With
 * LRD_GET_NO_COPY, it returns a single borrowed value in each call. */
static void past_a_bound_it_stops_at_a_borrow(void **state)
{
    (void)state;
    char texts[64][32];
    lrd_key keys[64];
    lrd_value values[64], held[LRD_HOLDS_MAX];
    size_t done, holds = 0;
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    for (unsigned i = 0; i < 2 * KEYS; i++) {
        char text[32];
        CHECK_OK(put_value(store, key_text(text, i), 40, i, LRD_SET, 0));
    }
    for (unsigned i = 0; holds < LRD_HOLDS_MAX; i++) {
        CHECK_OK(put_value(store, "held", 40, i, LRD_SET, 0));
        CHECK_OK(lrd_get(store, "held", 4, LRD_GET_NO_COPY, held + holds));
        if (held[holds].kind != LRD_KIND_HELD)
            break;
        holds++;
    }
    CHECK(holds > 900);
    keys_make(texts, keys, 64, 3);
    for (size_t at = 0; at < 64; at += done) {
        CHECK_OK(lrd_get_many(store, keys + at, 64 - at, LRD_GET_NO_COPY, values + at, &done));
        CHECK_EQ(done, 1);
        CHECK_EQ(values[at].kind, LRD_KIND_BORROWED);
        CHECK(value_valid(values[at].data, values[at].size, keys[at].key, keys[at].key_len));
    }
    CHECK_OK(lrd_get_many(store, keys, 64, 0, values, &done));
    CHECK_EQ(done, 64);
    for (unsigned i = 0; i < 64; i++) {
        CHECK_EQ(values[i].kind, LRD_KIND_COPY);
        CHECK(value_valid(values[i].data, values[i].size, keys[i].key, keys[i].key_len));
        CHECK_OK(lrd_release(store, values + i));
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_wrong_key_ends_it_and_says_which(void **state)
{
    (void)state;
    char texts[20][32];
    static char long_key[LRD_KEY_MAX + 1], usual[300];
    lrd_key keys[20];
    lrd_value values[20];
    size_t done = 99;
    lrd_store *store = filled_store(LRD_VOLATILE);
    keys_make(texts, keys, 20, 1);
    keys[18].key_len = 0;
    CHECK_CODE(lrd_get_many(store, keys, 20, 0, values, &done), LRD_EKEY);
    CHECK_EQ(done, 18);
    check_values(keys, values, 18, 1);
    keys[3] = (lrd_key){.key = long_key, .key_len = sizeof long_key};
    CHECK_CODE(lrd_get_many(store, keys, 20, 0, values, &done), LRD_EKEY);
    CHECK_EQ(done, 3);
    CHECK_CODE(lrd_get_many(store, keys, 20, LRD_GET_BORROW, values, &done), LRD_EINVAL);
    CHECK_EQ(done, 0);
    /* These keys are too long for the fast path. Their entries' headers have different forms. */
    memset(usual, 'k', sizeof usual);
    for (unsigned i = 0; i < 2; i++) {
        keys[i] = (lrd_key){.key = usual, .key_len = i == 0 ? 200 : 300};
        CHECK_OK(lrd_put(store, usual, keys[i].key_len, &i, sizeof i, NULL));
    }
    CHECK_OK(lrd_get_many(store, keys, 2, 0, values, &done));
    for (unsigned i = 0; i < 2; i++)
        CHECK(values[i].size == sizeof i && memcmp(values[i].data, &i, sizeof i) == 0);
    CHECK_OK(lrd_request_end(store));
    lrd_close(store);
}

static void what_is_not_usual_is_found_too(void **state)
{
    (void)state;
    char texts[70][32], text[32];
    lrd_key keys[70];
    lrd_value values[70];
    size_t done;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 8 * MIB, 0, clock);
    for (unsigned i = 0; i < KEYS; i++)
        CHECK_OK(put_value(store, key_text(text, i), 50, i, LRD_SET, i % 2 != 0 ? 1000 : 0));
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "other:%u", i);
        CHECK_OK(put_value(store, text, 50, i, LRD_SET, 0));
    }
    lrd_thread_leave(store);
    keys_make(texts, keys, 70, 1);
    CHECK_OK(lrd_get_many(store, keys, 70, 0, values, &done));
    check_values(keys, values, 70, 1);
    CHECK_OK(lrd_request_end(store));
    *clock += 2000;
    CHECK_OK(lrd_get_many(store, keys, 70, 0, values, &done));
    for (unsigned i = 0; i < 70; i++)
        CHECK_EQ(values[i].kind, i % 2 != 0 ? LRD_KIND_NONE : LRD_KIND_HELD);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void asking_ahead_changes_nothing(void **state)
{
    (void)state;
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_IMMUTABLE, LRD_SESSION,
                                          LRD_QUEUE};
    static const unsigned flags[] = {0, LRD_PREFETCH_WRITE};
    char texts[40][32], *edge = malloc(LRD_KEY_MAX);
    lrd_key keys[42];
    lrd_value value;
    memset(edge, 'e', LRD_KEY_MAX);
    keys_make(texts, keys, 40, 77);
    keys[40] = (lrd_key){.key = edge, .key_len = LRD_KEY_MAX};
    keys[41] = (lrd_key){.key = edge, .key_len = 0};
    for (unsigned p = 0; p < 5; p++) {
        bool entries = policies[p] != LRD_QUEUE;
        lrd_store *store = entries ? filled_store(policies[p]) : store_new(LRD_QUEUE, 4 * MIB, 2);
        lrd_stats before = stats_of(store);
        for (unsigned f = 0; f < 2; f++)
            for (unsigned count = 0; count <= 42; count++)
                lrd_prefetch(store, keys, count, flags[f]);
        lrd_stats after = stats_of(store);
        after.age_ms = before.age_ms; /* only the age may differ */
        CHECK_EQ(memcmp(&before, &after, sizeof before), 0);
        for (unsigned i = 0; entries && i < 40; i++) {
            CHECK_EQ(lrd_get(store, keys[i].key, keys[i].key_len, 0, &value),
                     i * 77 % (2 * KEYS) < KEYS ? LRD_OK : LRD_MISS);
            if (value.kind != LRD_KIND_NONE)
                CHECK(value_valid(value.data, value.size, keys[i].key, keys[i].key_len));
            CHECK_OK(lrd_release(store, &value));
        }
        CHECK_FSCK(store);
        lrd_close(store);
    }
    free(edge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_keys_is_answered_as_by_single_gets),
        cmocka_unit_test(all_stay_held_together),
        cmocka_unit_test(past_a_bound_it_stops_at_a_borrow),
        cmocka_unit_test(a_wrong_key_ends_it_and_says_which),
        cmocka_unit_test(what_is_not_usual_is_found_too),
        cmocka_unit_test(asking_ahead_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
