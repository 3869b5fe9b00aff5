/* fragment_test.c - puts and deletes some 2 million values of changing sizes. Live bytes must fill
 * the data all the time, and the store must make room for large values by evictions. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>

#define MIB (1u << 20)
#define SIZE (16ull * MIB)

typedef struct mixture {
    const char *name;
    size_t least, most; /* drawn log-uniformly */
} mixture;

static const mixture small = {"small", 32, 400};
static const mixture medium = {"medium", 200, 8000};
static const mixture large = {"large", 4000, 60000};
static const mixture all = {"all", 32, 65536 - 100};

static size_t draw(const mixture *m, uint64_t *chance)
{
    size_t low = m->least;
    while (low * 2 <= m->most && random_below(chance, 2) == 0)
        low *= 2;
    size_t high = low * 2 < m->most ? low * 2 : m->most;
    return low + random_below(chance, high - low + 1);
}

static uint64_t next_key;

/* Put values of the mixture until `bytes` bytes were put. Returns the number of operations. */
static uint64_t pour(lrd_store *store, const mixture *m, uint64_t bytes, uint64_t *chance)
{
    static char value[65536];
    uint64_t operations = 0;
    for (uint64_t poured = 0; poured < bytes; operations++) {
        char key[32];
        uint64_t id =
            random_below(chance, 4) != 0 ? next_key++ : random_below(chance, next_key + 1);
        int len = snprintf(key, sizeof key, "%llu", (unsigned long long)id);
        size_t size = draw(m, chance);
        if (random_below(chance, 16) == 0) {
            int code = lrd_delete(store, key, (size_t)len);
            CHECK(code == LRD_OK || code == LRD_MISS);
            continue;
        }
        CHECK_OK(lrd_put(store, key, (size_t)len, value, size, NULL));
        poured += size;
    }
    return operations;
}

static unsigned live_percent(lrd_store *store)
{
    return (unsigned)(stats_of(store).live_bytes * 100 / SIZE);
}

static void live_bytes_fill_the_arena_whatever_the_sizes(void **state)
{
    (void)state;
    const mixture *mixtures[] = {&small, &medium, &large, &all};
    uint64_t chance = test_seed(21);
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
        lrd_options options = {.size = SIZE, .entries_hint = SIZE / 64, .slots = 16};
        lrd_store *store;
        CHECK_OK(lrd_open(&options, &store));
        pour(store, mixtures[i], 2 * SIZE, &chance);
        unsigned least = 100;
        for (int round = 0; round < 8; round++) {
            pour(store, mixtures[i], SIZE / 4, &chance);
            unsigned percent = live_percent(store);
            least = percent < least ? percent : least;
        }
        print_message("%s: at least %u %% live\n", mixtures[i]->name, least);
        CHECK(least >= 80);
        CHECK(stats_of(store).evicted > 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* An evicted value is rarely as large as the new value, so a piece of its memory stays free. These
 * pieces must not grow to a large part of the store. */
static void values_of_a_few_pages_fill_the_arena(void **state)
{
    (void)state;
    enum { LEAST = 65 << 10, MOST = 120 << 10, STORE = 64 };
    static char value[MOST];
    lrd_store *store = store_new(LRD_VOLATILE, (uint64_t)STORE * MIB, 8);
    uint64_t chance = 5, poured = 0;
    for (int i = 0; poured < 4ull * STORE * MIB; i++) {
        char key[32];
        int len = snprintf(key, sizeof key, "%d", i);
        size_t size = LEAST + random_below(&chance, MOST - LEAST + 1);
        CHECK_OK(lrd_put(store, key, (size_t)len, value, size, NULL));
        poured += size;
    }
    unsigned percent = (unsigned)(stats_of(store).live_bytes * 100 / (STORE * MIB));
    print_message("%u %% live\n", percent);
    CHECK(percent >= 87);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void shifting_sizes_do_not_wear_the_arena_out(void **state)
{
    (void)state;
    const mixture *shifts[] = {&small, &large, &medium, &small, &all, &large, &small};
    enum { SHIFTS = sizeof shifts / sizeof *shifts };
    lrd_options options = {.size = SIZE, .entries_hint = SIZE / 64, .slots = 16};
    lrd_store *store;
    uint64_t chance = test_seed(22), operations = 0;
    unsigned first[SHIFTS] = {0}, last = 100;
    CHECK_OK(lrd_open(&options, &store));
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SHIFTS; i++) {
            operations += pour(store, shifts[i], SIZE, &chance);
            unsigned least = 100;
            for (int part = 0; part < 4; part++) {
                operations += pour(store, shifts[i], SIZE / 4, &chance);
                last = live_percent(store);
                least = last < least ? last : least;
            }
            if (least < 80)
                check_failed(__FILE__, __LINE__, "round %d, %s: only %u %% live", round,
                             shifts[i]->name, least);
            print_message("round %d, %s: at least %u %% live\n", round, shifts[i]->name, least);
            if (round == 0)
                continue;
            if (round == 1)
                first[i] = least;
            else if (least + 8 < first[i]) /* the percentage varies by 5, so 8 is a real loss */
                check_failed(__FILE__, __LINE__, "%s: from %u to %u %% live", shifts[i]->name,
                             first[i], least);
        }
    print_message("%llu operations, %u %% live at the end\n", (unsigned long long)operations, last);
    CHECK(operations >= 2000000);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_large_value_costs_what_lies_in_its_place(void **state)
{
    (void)state;
    const mixture *mixtures[] = {&small, &medium, &all};
    uint64_t chance = test_seed(23);
    static char value[SIZE / 8];
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
        lrd_options options = {.size = SIZE, .entries_hint = SIZE / 64, .slots = 16};
        lrd_store *store;
        CHECK_OK(lrd_open(&options, &store));
        pour(store, mixtures[i], 3 * SIZE, &chance);
        for (int round = 0; round < 4; round++) {
            lrd_stats before = stats_of(store);
            CHECK_OK(lrd_put(store, "large", 5, value, sizeof value - 100,
                             &(lrd_write){.mode = LRD_ADD}));
            lrd_stats after = stats_of(store);
            uint64_t kept = after.live_bytes - sizeof value;
            unsigned lost = (unsigned)((before.live_bytes - kept) * 100 / before.live_bytes);
            print_message("%s: an eighth of the store cost %u %% of the live bytes\n",
                          mixtures[i]->name, lost);
            CHECK(lost <= 20);
            CHECK_OK(lrd_delete(store, "large", 5));
            pour(store, mixtures[i], SIZE / 2, &chance);
        }
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* The first blocks of a store lie in mini pages. When all other pages are full, every shard must be
 * able to use free mini pages. */
static void what_was_stored_first_makes_room_for_what_comes_last(void **state)
{
    (void)state;
    char key[32];
    for (uint32_t shards = 1; shards <= 4; shards *= 4) {
        lrd_store *store = store_new(LRD_PINNED, 4 * MIB, shards);
        int first = 2000, stored = 0, more = 0, failed = 0;
        for (; failed < 2000; stored++) {
            snprintf(key, sizeof key, "%d", stored);
            failed += put_value(store, key, 30, 1, LRD_SET, 0) != LRD_OK;
        }
        unsigned removed = 0;
        for (int i = 0; i < first; i++) {
            snprintf(key, sizeof key, "%d", i);
            removed += lrd_delete(store, key, strlen(key)) == LRD_OK;
        }
        CHECK_EQ(removed, first);
        CHECK_OK(lrd_sweep(store, NULL));
        for (int i = 0; i < 5 * first; i++) {
            snprintf(key, sizeof key, "n%d", i);
            more += put_value(store, key, 30, 1, LRD_SET, 0) == LRD_OK;
        }
        print_message("%u shards: %d of %d found room\n", shards, more, first);
        CHECK(more >= first - first / 50);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static size_t key_of_shard(const lrd_store *store, uint32_t shard, char key[32])
{
    static int number;
    for (;;) {
        size_t len = (size_t)snprintf(key, 32, "shard %d", number++);
        if (lrd__place_of(store, key, len).shard_index == shard)
            return len;
    }
}

/* Shard 0 keeps replacing one value. Shard 1 must get the pages of shard 0's deleted values without
 * evictions. */
static void pages_of_large_values_that_went_are_for_others(void **state)
{
    (void)state;
    static char value[100000], keys[160][32];
    size_t lens[160], count = 0;
    lrd_store *store = store_new(LRD_VOLATILE, SIZE, 2);
    char key[32], hot[32];
    size_t hot_len = key_of_shard(store, 0, hot);
    for (; count * sizeof value < SIZE * 85 / 100; count++) {
        lens[count] = key_of_shard(store, 0, keys[count]);
        CHECK_OK(lrd_put(store, keys[count], lens[count], value, sizeof value, NULL));
    }
    for (size_t i = 0; i < count; i++)
        CHECK_OK(lrd_delete(store, keys[i], lens[i]));
    uint64_t before = stats_of(store).evicted, kept = 0;
    CHECK_EQ(before, 0);
    for (int i = 0; kept < SIZE * 3 / 4; i++, kept += 1100) {
        if (i % 10 == 0)
            CHECK_OK(lrd_put(store, hot, hot_len, value, sizeof value, NULL));
        size_t len = key_of_shard(store, 1, key);
        CHECK_OK(lrd_put(store, key, len, value, 1000, NULL));
    }
    print_message("%u %% live, %llu evicted\n", live_percent(store),
                  (unsigned long long)(stats_of(store).evicted - before));
    CHECK_EQ(stats_of(store).evicted, before);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_is_used_stays_while_sizes_shift(void **state)
{
    (void)state;
    enum { KEYS = 48, EACH = 8 };
    const mixture *mixtures[] = {&small, &medium, &large, &small, &all, &medium};
    static char value[65536];
    uint64_t chance = test_seed(31), reads = 0, lost = 0;
    lrd_options options = {.size = SIZE, .slots = 16};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    pour(store, &all, 2 * SIZE, &chance);
    for (size_t phase = 0; phase < sizeof mixtures / sizeof *mixtures; phase++)
        for (uint64_t poured = 0; poured < SIZE; poured += mixtures[phase]->most) {
            pour(store, mixtures[phase], mixtures[phase]->most, &chance);
            for (int i = 0; i < EACH; i++, reads++) {
                char key[16];
                uint64_t id = random_below(&chance, KEYS);
                size_t len = (size_t)snprintf(key, sizeof key, "hot %llu", (unsigned long long)id);
                if (lrd_has(store, key, len) == LRD_MISS) {
                    lost++;
                    CHECK_OK(lrd_put(store, key, len, value, 8 << id % 12, NULL));
                }
                lrd_value got;
                CHECK_OK(lrd_get(store, key, len, 0, &got));
                CHECK_EQ(got.size, 8 << id % 12);
                CHECK_OK(lrd_release(store, &got));
            }
        }
    lost -= KEYS; /* the first read of each key finds nothing */
    print_message("%llu of %llu reads found nothing\n", (unsigned long long)lost,
                  (unsigned long long)reads);
    CHECK(lost <= reads / 200);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Every value takes the smallest block that fits. The rest at the end of a page must be small. */
static void a_page_is_cut_into_blocks_with_little_left_over(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes <= LRD__SMALL_MAX; bytes++) {
        uint32_t c = lrd__class_of(bytes);
        if (c >= LRD__CLASSES || lrd__class_size(c) < bytes ||
            (c > 0 && lrd__class_size(c - 1) >= bytes))
            check_failed(__FILE__, __LINE__, "%u bytes are of class %u", bytes, c);
    }
    CHECK_EQ(lrd__class_of(LRD__SMALL_MAX + 1), LRD__CLASS_RUN);
    for (uint32_t c = 0; c < LRD__CLASSES; c++) {
        uint64_t size = lrd__class_size(c);
        check_context("blocks of %llu bytes", (unsigned long long)size);
        CHECK_EQ(size % (1u << LRD__GRANULE_BITS), 0);
        CHECK(LRD__PAGE % size <= LRD__PAGE / 28);
        CHECK(c == 0 || LRD__PAGE / size < LRD__PAGE / lrd__class_size(c - 1));
    }
    check_context("%s", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_cut_into_blocks_with_little_left_over),
        cmocka_unit_test(live_bytes_fill_the_arena_whatever_the_sizes),
        cmocka_unit_test(values_of_a_few_pages_fill_the_arena),
        cmocka_unit_test(shifting_sizes_do_not_wear_the_arena_out),
        cmocka_unit_test(a_large_value_costs_what_lies_in_its_place),
        cmocka_unit_test(what_was_stored_first_makes_room_for_what_comes_last),
        cmocka_unit_test(pages_of_large_values_that_went_are_for_others),
        cmocka_unit_test(what_is_used_stays_while_sizes_shift),
    };
    /* the seed decides which keys share a shard, and so how full each shard gets */
    lrd__test_hash_seed = 21;
    return cmocka_run_group_tests_name("fragment", tests, NULL, NULL);
}
