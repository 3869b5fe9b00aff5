/* copy_test.c - lrd_copy() copies like memcpy(), and chooses rightly between copies through the
 * processor's caches and past them. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>

#define MIB (1u << 20)
#define LARGE 40000u
#define AROUND 128u /* bytes before and after the copied range, which must not change */

static void fill_random(uint8_t *at, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[i] = (uint8_t)(seed >> 56);
    }
}

static void every_size_and_alignment_is_copied_and_nothing_else(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, LRD__COPY_AROUND, LRD__COPY_AROUND + 1};
    uint8_t *from = zeroed(1, LARGE), *to = zeroed(1, LARGE), *wanted = zeroed(1, LARGE);
    for (int cold = 0; cold <= 1; cold++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes * 64; i++) {
            size_t size = sizes[i / 64] + (i / 64 > 3 ? i % 64 : 0), at = AROUND + i % 64;
            size_t source = i * 7 % 64;
            lrd__copy_cold = cold != 0;
            check_context("%zu bytes from %zu to %zu, cold %d", size, source, at, cold);
            fill_random(from, LARGE, i + 1);
            fill_random(to, LARGE, i + 100000);
            memcpy(wanted, to, LARGE);
            memcpy(wanted + at, from + source, size);
            lrd_copy(to + at, from + source, size);
            CHECK(memcmp(to, wanted, LARGE) == 0);
        }
    free(from);
    free(to);
    free(wanted);
}

static void only_new_keys_of_a_store_that_evicts_are_cold(void **state)
{
    (void)state;
    char key[32];
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    unsigned number = 0;
    while (stats_of(store).evicted == 0) {
        snprintf(key, sizeof key, "cold:%u", number++);
        CHECK_OK(put_value(store, key, LARGE, number, LRD_SET, 0));
        CHECK(!lrd__copy_cold || stats_of(store).evicted != 0);
    }
    snprintf(key, sizeof key, "cold:%u", number);
    CHECK_OK(put_value(store, key, LARGE, number, LRD_SET, 0));
    CHECK(lrd__copy_cold);
    CHECK_OK(put_value(store, key, LARGE, number + 1, LRD_SET, 0));
    CHECK(!lrd__copy_cold);
    size_t size;
    uint64_t seed;
    CHECK_OK(get_checked(store, key, &size, &seed));
    CHECK_EQ(seed, number + 1);
    lrd_close(store);
    store = store_new(LRD_PINNED, 4 * MIB, 1);
    lrd__copy_cold = true;
    CHECK_OK(put_value(store, "cold", LARGE, 1, LRD_SET, 0));
    CHECK(!lrd__copy_cold);
    lrd_close(store);
}

/* ---- a reader in another process sees whole values ---- */

#define VALUES 200u
#define ROUNDS 20u

static void read_all(void *arg)
{
    lrd_store *store = arg;
    char key[32];
    unsigned found = 0;
    for (unsigned round = 0; round < 50 * ROUNDS; round++) {
        size_t size;
        uint64_t seed;
        snprintf(key, sizeof key, "read:%u", round % VALUES);
        int rc = get_checked(store, key, &size, &seed); /* checks every byte */
        if (rc == LRD_OK)
            found++;
        else
            CHECK_CODE(rc, LRD_MISS);
    }
    CHECK(found > 0);
}

static void what_was_copied_around_is_published_whole(void **state)
{
    (void)state;
    char key[32];
    uint64_t cold = 0;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 2);
    uint8_t *value = zeroed(1, LARGE);
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "read:%u", i);
        CHECK_OK(put_value(store, key, LARGE, i, LRD_SET, 0));
    }
    pid_t reader = start_child(read_all, store);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < VALUES; i++) {
            snprintf(key, sizeof key, "read:%u", i);
            size_t size = LRD__COPY_AROUND + i * 100;
            value_fill(value, size, key, strlen(key), round * VALUES + i);
            CHECK_OK(lrd_put(store, key, strlen(key), value, size, NULL));
            cold += lrd__copy_cold;
        }
    CHECK(cold > VALUES);
    CHECK_CHILD(wait_child(reader));
    CHECK_FSCK(store);
    free(value);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_alignment_is_copied_and_nothing_else),
        cmocka_unit_test(only_new_keys_of_a_store_that_evicts_are_cold),
        cmocka_unit_test(what_was_copied_around_is_published_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
