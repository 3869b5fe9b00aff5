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

/* A store is full of small values that are no longer read. Then 100 values of 80 KB are read in
 * random order. They need half of the store, and must get it from the small values. */
static void large_values_get_the_memory_of_unused_small_ones(void **state)
{
    (void)state;
    enum { LARGE = 100, BYTES = 80000, ROUNDS = 80, LAST = 20 };
    static char bytes[BYTES];
    uint64_t chance = test_seed(5);
    lrd_value value;
    char key[32];
    lrd__test_hash_seed = 1;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 0);
    for (unsigned i = 0; i < 40000; i++) {
        int len = snprintf(key, sizeof key, "small %u", i);
        CHECK_OK(lrd_put(store, key, (size_t)len, bytes, 300 + i % 7 * 100, NULL));
        if (i >= 100) { /* each small value is read twice soon after it was stored */
            len = snprintf(key, sizeof key, "small %u", i - i % 2 * 50);
            for (unsigned k = 0; k < 2; k++)
                (void)lrd_get(store, key, (size_t)len, LRD_GET_BORROW, &value);
        }
    }
    CHECK(stats_of(store).evicted > 0);
    unsigned misses = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (uint32_t n = 0; n < LARGE; n++) {
            uint32_t i = (uint32_t)random_below(&chance, LARGE);
            if (lrd_get(store, &i, sizeof i, LRD_GET_BORROW, &value) == LRD_OK)
                continue;
            CHECK_OK(lrd_put(store, &i, sizeof i, bytes, BYTES, NULL));
            misses += round >= ROUNDS - LAST;
        }
    print_message("%u of %u reads missed in the last rounds\n", misses, LAST * LARGE);
    CHECK(misses < LAST * LARGE / 10);
    CHECK_FSCK(store);
    lrd_close(store);
    lrd__test_hash_seed = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_sizes_have_more_hits_than_lru),
        cmocka_unit_test(what_is_read_stays_where_it_is_alone_in_its_size),
        cmocka_unit_test(large_values_get_the_memory_of_unused_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
