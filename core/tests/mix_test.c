/* mix_test.c - a full volatile store with values of mixed sizes must have more hits than an LRU
 * list of as many bytes. Seed and time are fixed, so each run gives the same numbers. */
#include "support.h"

#include "internal.h"

#include <math.h>
#include <stdlib.h>

#define MIB (1ull << 20)
#define OBJECTS 40000u
#define REQUESTS 400000u
#define NONE UINT32_MAX
#define OVERHEAD 34u /* bytes of an entry's header and key */

typedef struct recipe {
    const char *name;
    uint64_t bytes; /* size of the store */
    uint32_t least;
    /* Sizes span this number of powers of two. They are log-uniform if `rare` is 1. */
    double doublings;
    uint32_t shift; /* popularity changes after each `shift` requests; 0: never */
    double rare;    /* a higher number makes large values rarer */
    double more;    /* the store must have at least this many times the hits of LRU */
} recipe;

static uint32_t sizes[OBJECTS], item[OBJECTS], ids[REQUESTS];
/* LRU's list, a ring whose last element marks the end */
static uint32_t after[OBJECTS + 1], before[OBJECTS + 1];

static double unit(uint64_t *chance) { return (double)random_below(chance, 1u << 30) / (1u << 30); }

/* Draw a random rank, with a uniform logarithm, as in Zipf's law. */
static uint32_t draw_rank(uint64_t *chance)
{
    return (uint32_t)exp(unit(chance) * log(OBJECTS)) - 1;
}

static void make_trace(const recipe *r, uint64_t chance)
{
    for (uint32_t i = 0; i < OBJECTS; i++) {
        sizes[i] = (uint32_t)(r->least * exp2(pow(unit(&chance), r->rare) * r->doublings));
        item[i] = i;
    }
    for (uint32_t i = 0; i < REQUESTS; i++) {
        if (r->shift != 0 && i % r->shift == 0) {
            uint32_t rank = draw_rank(&chance), other = (uint32_t)random_below(&chance, OBJECTS);
            uint32_t id = item[rank];
            item[rank] = item[other];
            item[other] = id;
        }
        ids[i] = item[draw_rank(&chance)];
    }
}

static void lru_take(uint32_t id)
{
    after[before[id]] = after[id];
    before[after[id]] = before[id];
    after[id] = NONE;
}

static uint32_t lru_hits(uint64_t capacity)
{
    uint64_t taken = 0;
    uint32_t hits = 0;
    memset(after, 0xff, sizeof after);
    after[OBJECTS] = before[OBJECTS] = OBJECTS;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        uint32_t id = ids[i];
        if (after[id] != NONE) {
            hits++;
            lru_take(id);
        } else {
            for (taken += sizes[id] + OVERHEAD; taken > capacity;) {
                uint32_t victim = before[OBJECTS];
                taken -= sizes[victim] + OVERHEAD;
                lru_take(victim);
            }
        }
        after[id] = after[OBJECTS];
        before[id] = OBJECTS;
        before[after[OBJECTS]] = id;
        after[OBJECTS] = id;
    }
    return hits;
}

static uint64_t clock_of_the_request(void *arg) { return *(const uint64_t *)arg / 1000 + 1; }

static uint32_t store_hits(const recipe *r, uint64_t *live)
{
    static char bytes[1u << 20];
    uint64_t request = 0;
    lrd_options options = {
        .size = r->bytes, .slots = 16, .clock_ms = clock_of_the_request, .clock_arg = &request};
    lrd_store *store;
    lrd_value value;
    uint32_t hits = 0;
    CHECK_OK(lrd_open(&options, &store));
    for (uint32_t i = 0; i < REQUESTS; i++, request++) {
        uint32_t id = ids[i];
        int code = lrd_get(store, &id, sizeof id, LRD_GET_BORROW, &value);
        if (code == LRD_OK) {
            hits++;
            CHECK_EQ(value.size, sizes[id]);
            CHECK(memcmp(value.data, &id, sizeof id) == 0);
            continue;
        }
        CHECK_CODE(code, LRD_MISS);
        memcpy(bytes, &id, sizeof id);
        CHECK_OK(lrd_put(store, &id, sizeof id, bytes, sizes[id], NULL));
    }
    *live = stats_of(store).live_bytes;
    CHECK_FSCK(store);
    lrd_close(store);
    return hits;
}

static void mixed_sizes_have_more_hits_than_lru(void **state)
{
    (void)state;
    static const recipe recipes[] = {
        {"64 B to 64 KiB, shifting", 16 * MIB, 64, 10, 20, 1, 1.245},
        {"64 B to 64 KiB", 64 * MIB, 64, 10, 0, 1, 1.08},
        {"200 B to 100 KB, shifting", 32 * MIB, 200, 9, 20, 1, 1.18},
        {"4 to 64 KiB", 32 * MIB, 4096, 4, 20, 1, 1.02},
        {"500 B to 1 MB, mostly small", 16 * MIB, 500, 11, 0, 4, 1.64},
        {"9 KB to 600 KB, mostly small", 32 * MIB, 9000, 6, 0, 2.5, 1.245},
        {"9 to 16 KB", 32 * MIB, 8900, 0.9, 0, 1, 1.06},
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        const recipe *r = recipes + i;
        uint64_t live;
        make_trace(r, 1 + i);
        /* the seed decides which keys share a shard, and so which keys are evicted */
        lrd__test_hash_seed = 1 + i;
        uint32_t lru = lru_hits(r->bytes), hits = store_hits(r, &live);
        print_message("%s: %u of %u hits, LRU %u; %llu %% live\n", r->name, hits, REQUESTS, lru,
                      (unsigned long long)(live * 100 / r->bytes));
        if (hits < r->more * lru)
            check_failed(__FILE__, __LINE__, "%s: %u hits, LRU has %u", r->name, hits, lru);
        CHECK(live * 100 / r->bytes >= 85);
    }
    lrd__test_hash_seed = 0;
}

/* Six values are read after every 100 writes, and must stay. No other value has their sizes, so
 * each is alone in its page. Evicting it would free a whole page for values that are never read. */
static void what_is_read_stays_where_it_is_alone_in_its_size(void **state)
{
    (void)state;
    static const uint32_t hot[] = {9, 100, 460, 2500, 7000, 20000};
    static const uint32_t fillers[][2] = {{20, 300}, {20, 20}, {300, 300}};
    static char bytes[20000];
    uint64_t chance = test_seed(3);
    lrd_value value;
    char key[32];
    for (uint32_t mib = 4; mib <= 16; mib *= 2)
        for (uint32_t shards = 0; shards <= 2; shards++)
            for (size_t f = 0; f < sizeof fillers / sizeof *fillers; f++) {
                lrd__test_hash_seed = 1;
                lrd_store *store = store_new(LRD_VOLATILE, mib * MIB, shards);
                for (uint32_t h = 0; h < sizeof hot / sizeof *hot; h++)
                    CHECK_OK(lrd_put(store, &h, sizeof h, bytes, hot[h], NULL));
                uint64_t n = 0;
                for (uint64_t poured = 0; poured < 2 * mib * MIB; n++) {
                    uint64_t size =
                        fillers[f][0] + random_below(&chance, fillers[f][1] - fillers[f][0] + 1);
                    int len = snprintf(key, sizeof key, "filler %llu", (unsigned long long)n);
                    CHECK_OK(lrd_put(store, key, (size_t)len, bytes, size, NULL));
                    poured += size + OVERHEAD;
                    for (uint32_t h = 0; n % 100 == 0 && h < sizeof hot / sizeof *hot; h++)
                        if (lrd_get(store, &h, sizeof h, LRD_GET_BORROW, &value) != LRD_OK)
                            check_failed(__FILE__, __LINE__,
                                         "%u MiB, %u shards, fillers of %u to %u bytes: the value "
                                         "of %u bytes went after %llu writes",
                                         mib, shards, fillers[f][0], fillers[f][1], hot[h],
                                         (unsigned long long)n);
                }
                CHECK(stats_of(store).evicted > 0);
                lrd_close(store);
            }
    lrd__test_hash_seed = 0;
}

static const char zeros[210000];

static void put_named(lrd_store *store, const char *name, unsigned number, size_t size)
{
    char key[32];
    int len = snprintf(key, sizeof key, "%s %u", name, number);
    CHECK_OK(lrd_put(store, key, (size_t)len, zeros, size, NULL));
}

/* Values of 7500 bytes lie in pages of runs, and are no longer read. No larger run is left. Small
 * values that are read must be able to take the memory of these values. */
static void small_values_get_the_memory_of_unused_small_runs(void **state)
{
    (void)state;
    enum { HOT = 30000, READS = 400000 };
    uint64_t chance = test_seed(7);
    lrd_value value;
    char key[32];
    lrd__test_hash_seed = 1;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    unsigned large = 0, middle = 0, misses = 0;
    for (; lrd_pressed(store, "k", 1) == LRD_PRESSURE_NONE; large++)
        put_named(store, "large", large, 20000);
    for (unsigned i = 0; i < large; i++) {
        int len = snprintf(key, sizeof key, "large %u", i);
        if (i % 3 != 0)
            CHECK_OK(lrd_delete(store, key, (size_t)len));
    }
    for (; stats_of(store).evicted == 0; middle++)
        put_named(store, "middle", middle, 7500);
    for (unsigned i = 0; i < large; i += 3) {
        int len = snprintf(key, sizeof key, "large %u", i);
        (void)lrd_delete(store, key, (size_t)len);
    }
    for (unsigned i = 0; i < READS; i++) {
        int len = snprintf(key, sizeof key, "hot %u", (unsigned)random_below(&chance, HOT));
        if (lrd_get(store, key, (size_t)len, LRD_GET_BORROW, &value) == LRD_OK)
            continue;
        CHECK_OK(lrd_put(store, key, (size_t)len, zeros, 300, NULL));
        misses += i >= READS / 2;
    }
    lrd_stats stats = stats_of(store);
    print_message("%u of %u reads missed, %llu %% of the store are live\n", misses, READS / 2,
                  (unsigned long long)(stats.live_bytes * 100 / (16 * MIB)));
    CHECK(misses < READS / 2 / 10);
    CHECK_FSCK(store);
    lrd_close(store);
    lrd__test_hash_seed = 0;
}

/* The oldest small value is held, so it cannot be evicted. Large values that are never read must
 * not take the memory of small values that are read. */
static void a_held_value_costs_no_small_values_that_are_read(void **state)
{
    (void)state;
    enum { HOT = 2048, LARGE = 6000 };
    uint64_t chance = test_seed(9);
    lrd_value value, held;
    lrd__test_hash_seed = 1;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    for (uint32_t i = 0; i < HOT; i++)
        CHECK_OK(lrd_put(store, &i, sizeof i, zeros, 1000, NULL));
    CHECK_OK(lrd_put(store, "held", 4, zeros, 7000, NULL));
    CHECK_OK(lrd_get(store, "held", 4, 0, &held));
    unsigned misses = 0;
    for (unsigned k = 0; k < LARGE; k++) {
        for (unsigned j = 0; j < 50; j++) {
            uint32_t i = (uint32_t)random_below(&chance, HOT);
            if (lrd_get(store, &i, sizeof i, LRD_GET_BORROW, &value) == LRD_OK)
                continue;
            misses++;
            CHECK_OK(lrd_put(store, &i, sizeof i, zeros, 1000, NULL));
        }
        put_named(store, "large", k, 100000);
    }
    print_message("%u misses\n", misses);
    CHECK(misses < HOT / 20);
    CHECK_OK(lrd_release(store, &held));
    lrd_close(store);
    lrd__test_hash_seed = 0;
}

/* Fill the store with small values, and get each once. Then get large values at random, and put
 * each that misses. A large value has from `size` to 1.4 * `size` bytes. Together they have half of
 * the store's size, and each is wanted at least 15 times on average. Return the share of misses, in
 * percent, in the last half of the gets of large values. */
static double misses_after_small_values(uint64_t store_size, uint64_t size)
{
    uint64_t chance = 11, small = store_size / 300, count = store_size / 2 / (size * 12 / 10);
    uint64_t reads = 15 * count > 50000 ? 15 * count : 50000;
    lrd_value value;
    char key[32];
    unsigned misses = 0;
    lrd__test_hash_seed = 1;
    lrd_store *store = store_new(LRD_VOLATILE, store_size, 0);
    for (unsigned i = 0; i < small; i++) {
        put_named(store, "small", i, 100 + random_below(&chance, 900));
        int len = snprintf(key, sizeof key, "small %u", i);
        CHECK_OK(lrd_get(store, key, (size_t)len, LRD_GET_BORROW, &value));
    }
    for (unsigned i = 0; i < reads; i++) {
        unsigned n = (unsigned)random_below(&chance, count);
        int len = snprintf(key, sizeof key, "large %u", n);
        if (lrd_get(store, key, (size_t)len, LRD_GET_BORROW, &value) == LRD_OK)
            continue;
        put_named(store, "large", n, size + size * (n * 37 % 100) / 250);
        misses += i >= reads / 2;
    }
    CHECK_FSCK(store);
    lrd_close(store);
    lrd__test_hash_seed = 0;
    return 100.0 * misses / (double)(reads / 2);
}

/* Values that are read get the memory of small values that are no longer read, whatever their
 * size. */
static void values_that_are_read_get_the_memory_of_small_ones(void **state)
{
    (void)state;
    static const uint32_t sizes_read[] = {1500, 4000, 12000, 30000, 70000, 150000};
    for (uint64_t mib = 16; mib <= 64; mib *= 4)
        for (size_t i = 0; i < sizeof sizes_read / sizeof *sizes_read; i++) {
            double misses = misses_after_small_values(mib * MIB, sizes_read[i]);
            print_message("%u MiB, %u bytes: %.2f %% misses\n", (unsigned)mib, sizes_read[i],
                          misses);
            CHECK(misses < 10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_sizes_have_more_hits_than_lru),
        cmocka_unit_test(what_is_read_stays_where_it_is_alone_in_its_size),
        cmocka_unit_test(values_that_are_read_get_the_memory_of_small_ones),
        cmocka_unit_test(small_values_get_the_memory_of_unused_small_runs),
        cmocka_unit_test(a_held_value_costs_no_small_values_that_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
