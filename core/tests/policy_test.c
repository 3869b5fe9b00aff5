/* policy_test.c - full stores. A volatile store evicts entries one by one. Other policies refuse
 * new values. All accept values again when there is room. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#define MIB (1u << 20)

/* Put "key FIRST", "key FIRST + 1" and so on until the store refuses one. Returns the number of
 * accepted values. */
static int fill(lrd_store *store, int first, size_t size, uint64_t ttl_ms, int refusal)
{
    char key[32];
    for (int i = first;; i++) {
        snprintf(key, sizeof key, "key %d", i);
        int code = put_value(store, key, size, (uint64_t)i, LRD_ADD, ttl_ms);
        if (code != LRD_OK) {
            CHECK_CODE(code, refusal);
            CHECK_CODE(lrd_has(store, key, strlen(key)), LRD_MISS);
            return i - first;
        }
        CHECK(i < first + 10000000);
    }
}

static void check_all(lrd_store *store, int first, int end)
{
    char key[32];
    uint64_t seed;
    for (int i = first; i < end; i++) {
        snprintf(key, sizeof key, "key %d", i);
        if (get_checked(store, key, NULL, &seed) != LRD_OK)
            check_failed(__FILE__, __LINE__, "\"%s\" is gone", key);
        CHECK_EQ(seed, i);
    }
}

/* ---- volatile ---- */

static void a_full_volatile_store_evicts_few_at_a_time_and_never_wipes(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    uint64_t chance = test_seed(11), most = 0, evicted = 0;
    char key[32];
    for (uint64_t i = 0; i < 150000; i++) {
        size_t size = 100 + random_below(&chance, 900);
        snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
        CHECK_OK(put_value(store, key, size, i, LRD_SET, 0));
        CHECK_OK(get_checked(store, key, NULL, NULL));
        lrd_stats stats = stats_of(store);
        CHECK(stats.evicted - evicted <= stats.entries / 20 + 1);
        evicted = stats.evicted;
        if (i < 50000)
            continue;
        /* Random sizes change the number of entries slowly. A drop by a third would be a defect. */
        most = stats.entries > most ? stats.entries : most;
        if (stats.entries * 3 < most * 2)
            check_failed(__FILE__, __LINE__, "of %llu entries %llu are live",
                         (unsigned long long)most, (unsigned long long)stats.entries);
    }
    lrd_stats stats = stats_of(store);
    CHECK(stats.evicted > 100000);
    CHECK_EQ(stats.entries, stats.inserts - stats.evicted);
    CHECK_EQ(stats.refused, 0);
    CHECK(stats.live_bytes >= 8 * MIB / 100 * 75);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_is_read_again_and_again_stays(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 0);
    char key[32];
    int lost = 0;
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "hot %d", i);
        CHECK_OK(put_value(store, key, 500, 1, LRD_SET, 0));
    }
    for (int i = 0; i < 60000; i++) {
        snprintf(key, sizeof key, "hot %d", i % 200);
        lost += get_checked(store, key, NULL, NULL) == LRD_MISS;
        snprintf(key, sizeof key, "cold %d", i);
        CHECK_OK(put_value(store, key, 500, 1, LRD_SET, 0));
    }
    CHECK(lost < 600);
    lrd_close(store);
}

static uint64_t uses_of(const lrd_store *store)
{
    uint64_t sum = 0;
    for (uint32_t shard = 0; shard < store->geo.shards; shard++)
        for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
            sum += atomic_load(lrd__index_word(store, shard, slot)) != 0
                       ? atomic_load(lrd__index_freq(store, shard, slot))
                       : 0;
    return sum;
}

/* All entries are warm. An insert passes over warm entries before it evicts one, and lowers the use
 * count of each entry that it passes. The insert has the shard's lock during this search, so it
 * must not pass over many entries. */
static void an_insert_among_warm_entries_passes_over_few_of_them(void **state)
{
    (void)state;
    /* An insert makes at most three searches: two to choose a queue of entries, and one to choose
     * victims in this queue. */
    enum { SIZE = 60, PASSED = 3 * 1024 * LRD__FREQ_MAX };
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 1);
    uint64_t most = 0;
    char key[32];
    int count = 0;
    for (; stats_of(store).evicted == 0; count++) {
        snprintf(key, sizeof key, "key %d", count);
        CHECK_OK(put_value(store, key, SIZE, 1, LRD_SET, 0));
    }
    for (int i = 0; i < count * (int)LRD__FREQ_MAX; i++) {
        snprintf(key, sizeof key, "key %d", i % count);
        get_checked(store, key, NULL, NULL);
    }
    CHECK(uses_of(store) > (uint64_t)count * 5 / 2);
    for (int i = 0; i < 3000; i++) {
        uint64_t before = uses_of(store), evicted = stats_of(store).evicted;
        snprintf(key, sizeof key, "new %d", i);
        CHECK_OK(put_value(store, key, SIZE, 1, LRD_SET, 0));
        evicted = stats_of(store).evicted - evicted;
        uint64_t passed = before - uses_of(store);
        passed -= passed < evicted * LRD__FREQ_MAX ? passed : evicted * LRD__FREQ_MAX;
        most = passed > most ? passed : most;
    }
    print_message("an insert took at most %llu uses from %d entries\n", (unsigned long long)most,
                  count);
    CHECK(most <= PASSED);
    lrd_close(store);
}

/* Some runs have damaged keys and cannot be evicted. A put must not try for ever. */
static void a_damaged_run_does_not_hang_a_put(void **state)
{
    (void)state;
    enum { SIZE = 60000, DAMAGED = 100, COUNT = 400 }; /* the store has room for 139 values */
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 1);
    lrd_value value;
    char key[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, SIZE, 1, LRD_SET, 0));
        if (i >= DAMAGED)
            continue;
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_BORROW, &value));
        uint64_t start = (uint64_t)((const uint8_t *)value.data - store->data) -
                         lrd__value_start_usual(strlen(key));
        CHECK_OK(lrd_release(store, &value));
        store->window[start + LRD__BLOCK_KEY] = 'K';
    }
    CHECK(stats_of(store).evicted >= COUNT - 139);
    lrd_close(store);
}

/* A deleted entry's index slot stays in the queue of the entry's size. If a new entry of another
 * size takes this slot, it must be evicted as early as its neighbours. */
static void new_entries_do_not_wait_in_the_queue_of_another_size(void **state)
{
    (void)state;
    enum { SMALL = 20000, LARGE = 12000, OLD = 6000 };
    lrd__test_hash_seed = 1; /* the seed decides which index slots the keys get */
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    char key[32];
    int old = 0;
    for (int i = 0; i < SMALL; i++) {
        snprintf(key, sizeof key, "small %d", i);
        CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
    }
    for (int i = 0; i < SMALL; i++) {
        snprintf(key, sizeof key, "small %d", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    for (int i = 0; i < LARGE; i++) {
        snprintf(key, sizeof key, "large %d", i);
        CHECK_OK(put_value(store, key, 3000, 1, LRD_SET, 0));
    }
    CHECK(stats_of(store).entries < LARGE - OLD);
    for (int i = 0; i < OLD; i++) {
        snprintf(key, sizeof key, "large %d", i);
        old += get_checked(store, key, NULL, NULL) == LRD_OK;
    }
    print_message("%d of the first %d large entries are left\n", old, OLD);
    CHECK(old <= OLD / 100);
    lrd_close(store);
    lrd__test_hash_seed = 0;
}

static void a_value_of_half_the_store_fits_a_full_volatile_store(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 0);
    lrd_info info;
    char key[32];
    lrd_store_info(store, &info);
    for (int i = 0; i < 20000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 300, 1, LRD_SET, 0));
    }
    for (int i = 0; i < 10; i++) {
        CHECK_OK(put_value(store, "large", (size_t)info.value_max, (uint64_t)i, LRD_SET, 0));
        CHECK_OK(get_checked(store, "large", NULL, NULL));
        CHECK_OK(lrd_delete(store, "large", 5));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void write_without_private_memory(void *arg)
{
    lrd_store *store = arg;
    struct rlimit limit;
    /* without `static`, the compiler could remove the calls of malloc() */
    static void *taken;
    CHECK_OK(put_value(store, "slot", 100, 1, LRD_SET, 0));
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    for (size_t size = MIB; size >= 16; size /= 2)
        for (void *more; (more = malloc(size)) != NULL; taken = more)
            *(void **)more = taken;
    int small = put_value(store, "small", 100, 1, LRD_SET, 0);
    int large = put_value(store, "large", 200000, 1, LRD_SET, 0);
    while (taken != NULL) {
        void *next = *(void **)taken;
        free(taken);
        taken = next;
    }
    CHECK_OK(small);
    /* there is room in the store, but no private memory to build the value */
    CHECK_CODE(large, LRD_ENOMEM);
    limit.rlim_cur = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK_OK(put_value(store, "large", 200000, 1, LRD_SET, 0));
    CHECK_EQ(stats_of(store).refused_by[LRD_REFUSED_SYSTEM], 1);
}

typedef struct builder {
    lrd_store *store;
    gate *built;
    bool sleeps;
    int ends[2]; /* a pipe */
} builder;

/* Reserve all memory of the store. If `sleeps` is true, sleep until the parent writes to the pipe.
 * Otherwise run for longer than LRD_LOCK_WAIT_MS. Then end all reservations. */
static void build_everywhere(void *arg)
{
    enum { MOST = 400, SIZE = 60000, MS = 8 * LRD_LOCK_WAIT_MS };
    const builder *b = arg;
    lrd_reservation open[MOST];
    int count = 0;
    while (count < MOST && lrd_reserve(b->store, "open", 4, SIZE, 0, &open[count]) == LRD_OK)
        count++;
    CHECK(count > 100 && count < MOST);
    gate_open(b->built);
    char byte;
    if (b->sleeps)
        CHECK_EQ(read(b->ends[0], &byte, 1), 1);
    for (uint64_t end = real_ms() + MS; !b->sleeps && real_ms() < end;)
        continue;
    while (count > 0)
        CHECK_OK(lrd_abort(b->store, &open[--count]));
}

static long voluntary_switches(void)
{
    struct rusage used;
    CHECK_EQ(getrusage(RUSAGE_THREAD, &used), 0);
    return used.ru_nvcsw;
}

/* A builder has reserved all memory. While the builder runs, a put waits for it. While the builder
 * sleeps, the put pauses about 50 times, for LRD_LOCK_WAIT_MS in all, and is then refused. */
static void a_put_waits_for_builders_that_run(void **state)
{
    (void)state;
    static char value[MIB / 8];
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        builder b = {.store = store_new(LRD_VOLATILE, 8 * MIB, 0),
                     .built = shared_memory(sizeof *b.built),
                     .sleeps = sleeps != 0};
        CHECK_EQ(pipe(b.ends), 0);
        pid_t child = start_child(build_everywhere, &b);
        gate_wait(b.built);
        sleep_ms(10); /* wait until a failed search is no longer remembered (2 ms) */
        while (sleeps && lrd__thread_runs(child))
            sleep_ms(1);
        long before = voluntary_switches();
        CHECK_CODE(lrd_put(b.store, "key", 3, value, sizeof value, NULL),
                   sleeps ? LRD_ENOROOM : LRD_OK);
        CHECK(!sleeps || voluntary_switches() - before < 150);
        CHECK_EQ(write(b.ends[1], "x", 1), 1);
        close(b.ends[0]);
        close(b.ends[1]);
        CHECK_CHILD(wait_child(child));
        CHECK_FSCK(b.store);
        lrd_close(b.store);
    }
}

static void a_search_without_private_memory_says_so(void **state)
{
    (void)state;
    if (SANITIZED)
        skip_test("a sanitizer's malloc() does not fail");
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    char key[32];
    for (int i = 0; i < 60000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
    }
    CHECK_CHILD(run_in_child(write_without_private_memory, store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* This thread first holds a value in each page in which it may hold one. Then it reserves a value
 * that takes 1/32 of the store together with its long key. The reservation must succeed. */
static void a_long_key_counts_as_a_part_of_its_value(void **state)
{
    (void)state;
    static const size_t keys[] = {1, 100, 400, 401, 1000, 4000, 60000};
    static char long_key[LRD_KEY_MAX];
    char key[32];
    lrd_value value;
    /* The largest allowed value has 1/32 of the store's size. With the three sizes, this is a bit
     * less than a page, one page, and a bit more than a page. */
    for (uint64_t size = 31 * 65536; size <= 33 * 65536; size += 65536) {
        lrd_store *store = store_new(LRD_VOLATILE, size, 1);
        size = store->geo.size;
        uint64_t share = size / 32, first = lrd__zone_first(store), held = 0;
        bool seen[64] = {0};
        for (int i = 0; i < 40000; i++) {
            snprintf(key, sizeof key, "key %d", i);
            CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
        }
        for (int i = 0; i < 40000; i++) {
            snprintf(key, sizeof key, "key %d", i);
            if (lrd_get(store, key, strlen(key), LRD_GET_BORROW, &value) != LRD_OK)
                continue;
            uint64_t page = lrd__page_of(store, (value.block - 1) << LRD__GRANULE_BITS);
            if (page >= store->geo.pages || seen[page])
                continue;
            CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &value));
            seen[page] = value.kind == LRD_KIND_HELD;
            held += seen[page] && page < first;
        }
        CHECK(held >= first / 2);
        memset(long_key, 'K', sizeof long_key);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            size_t most = keys[i] <= 400 ? share : share > keys[i] ? share - keys[i] : 0;
            CHECK_OK(lrd_put(store, long_key, keys[i], long_key, 0, NULL));
            lrd_reservation building;
            CHECK_OK(lrd_reserve(store, long_key, keys[i], most, 0, &building));
            CHECK_OK(lrd_abort(store, &building));
        }
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static int put_large(lrd_store *store, const char *name, int number)
{
    static char value[100 << 10];
    char key[32];
    snprintf(key, sizeof key, "%s %d", name, number);
    return lrd_put(store, key, strlen(key), value, sizeof value, NULL);
}

/* Each value needs two neighbouring pages. At the store's beginning, no two free pages are
 * neighbours. At the store's end there are neighbouring free pages, which a put must find before it
 * evicts a value. */
static void what_is_free_far_up_is_found_before_others_go(void **state)
{
    (void)state;
    enum { SIZE = 64, ALONE = 200, EVERY = 10 };
    lrd_store *store = store_new(LRD_VOLATILE, (uint64_t)SIZE * MIB, 8);
    int keys = 0, deleted = 0;
    lrd_value value;
    char key[32];
    for (uint32_t page = 0; page < ALONE; page += EVERY)
        atomic_store(&store->owners[page], LRD__OWNER_LOST);
    while (stats_of(store).evicted == 0)
        CHECK_OK(put_large(store, "key", keys++));
    for (int i = 0; i < keys; i++) {
        snprintf(key, sizeof key, "key %d", i);
        if (lrd_get(store, key, strlen(key), 0, &value) != LRD_OK)
            continue;
        uint64_t offset = (uint64_t)((const uint8_t *)value.data - store->data);
        CHECK_OK(lrd_request_end(store));
        if (offset >= store->geo.size / 2) {
            CHECK_OK(lrd_delete(store, key, strlen(key)));
            deleted++;
        }
    }
    CHECK_OK(lrd_sweep(store, NULL));
    for (uint32_t page = 0; page < ALONE; page += EVERY)
        atomic_store(&store->owners[page], 0);
    lrd__pages_hint_lower(store, 0);
    uint64_t evicted = stats_of(store).evicted;
    for (int i = 0; i < deleted * 9 / 10; i++)
        CHECK_OK(put_large(store, "other", i));
    CHECK(stats_of(store).evicted - evicted < (uint64_t)deleted / 10);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void small_values_fill_a_volatile_store(void **state)
{
    (void)state;
    lrd_options options = {.size = 2 * MIB, .entries_hint = 1000, .slots = 16};
    lrd_store *store;
    lrd_info info;
    char key[32];
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    for (int i = 0; i < 50000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 16, (uint64_t)i, LRD_SET, 0));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    lrd_stats stats = stats_of(store);
    CHECK(stats.entries <= info.entries_max);
    CHECK(stats.live_bytes > 2 * MIB * 9 / 10);
    CHECK(stats.evicted > 0 && stats.evicted < 50000 - 2 * MIB * 9 / 10 / 64);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Put "key 0", "key 1" and so on, each with a value of 5,300 bytes. Stop when the store evicts an
 * entry, or after `most` puts. Returns the number of puts before the eviction. */
static int put_until_one_is_evicted(lrd_store *store, int most)
{
    char key[32];
    for (int i = 0; i < most; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 5300, (uint64_t)i, LRD_SET, 0));
        if (stats_of(store).evicted != 0)
            return i;
    }
    return most;
}

static void larger_free_blocks_are_taken_before_the_first_entry_is_evicted(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 1);
    int fit = put_until_one_is_evicted(store, INT32_MAX), other = 0;
    char key[32];
    lrd_close(store);
    store = store_new(LRD_VOLATILE, 8 * MIB, 1);
    CHECK_EQ(put_until_one_is_evicted(store, fit), fit);
    for (int i = 0; i < fit; i += 3) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    for (; other < fit / 4; other++) {
        snprintf(key, sizeof key, "other %d", other);
        CHECK_OK(put_value(store, key, 4100, (uint64_t)other, LRD_SET, 0));
        CHECK_EQ(stats_of(store).evicted, 0);
    }
    CHECK(lrd_write_pressed(store));
    CHECK_EQ(lrd_pressed(store, key, strlen(key)), LRD_PRESSURE_SHORT);
    for (int i = 0; i < fit; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_CODE(lrd_has(store, key, strlen(key)), i % 3 == 0 ? LRD_MISS : LRD_OK);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- pinned, immutable, session ---- */

static void a_full_pinned_store_refuses_and_keeps_everything(void **state)
{
    (void)state;
    const size_t sizes[] = {40, 300, 1000, 5000, 20000, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        lrd_options options = {
            .policy = LRD_PINNED, .size = 4 * MIB, .entries_hint = 60000, .slots = 16};
        lrd_store *store;
        char key[32];
        CHECK_OK(lrd_open(&options, &store));
        int count = fill(store, 0, sizes[s], 0, LRD_ENOROOM);
        if ((uint64_t)count * (sizes[s] + 40) < 4 * MIB / 100 * 80)
            check_failed(__FILE__, __LINE__, "only %d values of %zu bytes fit", count, sizes[s]);
        CHECK(stats_of(store).refused > 0);
        CHECK_EQ(stats_of(store).entries, count);
        uint64_t before = content_of(store);
        CHECK_CODE(put_value(store, "one more", sizes[s], 1, LRD_SET, 0), LRD_ENOROOM);
        CHECK_CODE(put_value(store, "large", MIB, 1, LRD_SET, 0), LRD_ENOROOM);
        CHECK_EQ(content_of(store), before);
        check_all(store, 0, count);
        CHECK_FSCK(store);
        for (int i = 0; i < count; i += 10) {
            snprintf(key, sizeof key, "key %d", i);
            CHECK_OK(lrd_delete(store, key, strlen(key)));
        }
        int again = 0;
        for (int i = 0; i < count; i += 10) {
            snprintf(key, sizeof key, "key %d", i);
            again += put_value(store, key, sizes[s], (uint64_t)i, LRD_ADD, 0) == LRD_OK;
        }
        CHECK_EQ(again, (count + 9) / 10);
        check_all(store, 0, count);
        CHECK_EQ(stats_of(store).evicted, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void an_emptied_pinned_store_takes_other_sizes(void **state)
{
    (void)state;
    lrd_options options = {
        .policy = LRD_PINNED, .size = 4 * MIB, .entries_hint = 60000, .slots = 16};
    lrd_store *store;
    lrd_info info;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    const size_t sizes[] = {300, 5000, 100000, 1500, 12000, (size_t)info.value_max, 700};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char key[32];
        int count = fill(store, 0, sizes[s], 0, LRD_ENOROOM);
        if ((uint64_t)count * (sizes[s] + 40) < MIB * 2)
            check_failed(__FILE__, __LINE__, "only %d values of %zu bytes fit", count, sizes[s]);
        check_all(store, 0, count);
        for (int i = 0; i < count; i++) {
            snprintf(key, sizeof key, "key %d", i);
            CHECK_OK(lrd_delete(store, key, strlen(key)));
        }
        CHECK_EQ(stats_of(store).entries, 0);
        CHECK_EQ(stats_of(store).live_bytes, 0);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* All values of shard 0 were deleted, and nothing writes to shard 0 any more. A write to shard 1
 * must get the empty pages of shard 0 at once. */
static void what_one_shard_gave_up_is_room_for_another_at_once(void **state)
{
    (void)state;
    const lrd_policy policies[] = {LRD_PINNED, LRD_SESSION};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        lrd_store *store = store_new(policies[p], MIB, 2);
        char key[32];
        int keys = 0, shard, code = LRD_OK;
        for (; code == LRD_OK; keys++) {
            snprintf(key, sizeof key, "key %d", keys);
            if (lrd__place_of(store, key, strlen(key)).shard_index == 0)
                code = put_value(store, key, 3000, 1, LRD_SET, 0);
        }
        CHECK_CODE(code, LRD_ENOROOM);
        for (int i = 0; i < keys; i++) {
            snprintf(key, sizeof key, "key %d", i);
            lrd_delete(store, key, strlen(key));
        }
        do {
            snprintf(key, sizeof key, "key %d", keys++);
            shard = (int)lrd__place_of(store, key, strlen(key)).shard_index;
        } while (shard == 0);
        CHECK_OK(put_value(store, key, 3000, 1, LRD_SET, 0));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void small_values_fill_a_pinned_store(void **state)
{
    (void)state;
    lrd_options options = {
        .policy = LRD_PINNED, .size = 2 * MIB, .entries_hint = 1000, .slots = 16};
    lrd_store *store;
    lrd_info info;
    char key[32];
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    int count = fill(store, 0, 16, 0, LRD_ENOROOM);
    CHECK(count >= (int)(2 * MIB / 64 * 97 / 100));
    CHECK(count <= (int)info.entries_max);
    check_all(store, 0, count);
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_EQ(fill(store, 0, 16, 0, LRD_ENOROOM), count);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Without evictions, values of 8 to 16 KiB are runs, because size classes would waste more
 * memory. */
static void values_of_13_kb_fill_a_pinned_store(void **state)
{
    (void)state;
    /* a value takes 13 units as a run, and 16 units as a block of a size class */
    enum { SIZE = 13250, UNITS = 13 };
    lrd_store *store = store_new(LRD_PINNED, 16 * MIB, 1);
    int count = fill(store, 0, SIZE, 0, LRD_ENOROOM);
    CHECK(count >= 16 * (int)MIB / (UNITS * 1024) * 97 / 100);
    check_all(store, 0, count);
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct reader {
    lrd_store *store;
    int count;
} reader;

static void read_all(void *arg)
{
    reader *r = arg;
    check_all(r->store, 0, r->count);
}

static void a_full_immutable_store_refuses_and_keeps_everything(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_IMMUTABLE, 4 * MIB, 0);
    reader r = {store, fill(store, 0, 700, 0, LRD_ENOROOM)};
    CHECK((uint64_t)r.count * 740 > 4 * MIB / 100 * 80);
    check_all(store, 0, r.count);
    CHECK_CHILD(run_in_child(read_all, &r));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).entries, r.count);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_full_session_store_drops_what_expired_and_then_refuses(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, 4 * MIB, 0, clock);
    enum { LONG = 2000 };
    char key[32];
    for (int i = 0; i < LONG; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 700, (uint64_t)i, LRD_ADD, 1000000));
    }
    int brief = fill(store, LONG, 700, 1000, LRD_ENOROOM);
    CHECK(brief > LONG);
    check_all(store, 0, LONG + brief);
    atomic_fetch_add(clock, 1500);
    int again = fill(store, LONG, 700, 1000, LRD_ENOROOM);
    CHECK(again >= brief - brief / 50);
    check_all(store, 0, LONG + again);
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.evicted, 0);
    /* Each expired entry was removed, or replaced by a put of its key. */
    CHECK(stats.expired + stats.replaces >= (uint64_t)brief - (uint64_t)brief / 50);
    CHECK_FSCK(store);
    atomic_fetch_add(clock, 1000000);
    CHECK_EQ(fill(store, 0, 700, 0, LRD_ENOROOM), LONG + brief);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_is_dead_makes_room_for_the_largest_value_at_once(void **state)
{
    (void)state;
    for (int policy = LRD_VOLATILE; policy <= LRD_SESSION; policy++) {
        if (policy == LRD_IMMUTABLE)
            continue;
        bool expires = policy != LRD_PINNED;
        for (int way = 0; way < (expires ? 2 : 1); way++) {
            test_clock *clock = clock_new();
            lrd_store *store = store_with_clock((lrd_policy)policy, 4 * MIB, 8, clock);
            lrd_info info;
            char key[32];
            lrd_store_info(store, &info);
            for (int i = 0; i < 6000; i++) {
                snprintf(key, sizeof key, "key %d", i);
                int code = put_value(store, key, 500, 1, LRD_SET, expires ? 60000 : 0);
                CHECK(code == LRD_OK || (policy != LRD_VOLATILE && code == LRD_ENOROOM));
            }
            if (way == 0)
                CHECK_OK(lrd_clear(store));
            else
                atomic_fetch_add(clock, 100000000);
            CHECK_OK(put_value(store, "large", (size_t)info.value_max, 1, LRD_ADD, 0));
            CHECK_OK(get_checked(store, "large", NULL, NULL));
            CHECK_FSCK(store);
            lrd_close(store);
        }
    }
}

static void replacing_in_a_full_store_keeps_the_old_value_when_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 2 * MIB, 0);
    uint64_t seed;
    int count = fill(store, 0, 50000, 0, LRD_ENOROOM), refused = 0;
    for (int i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        int code = put_value(store, key, 60000, 7, LRD_SET, 0);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
        refused += code == LRD_ENOROOM;
        CHECK_OK(get_checked(store, key, NULL, &seed));
        CHECK_EQ(seed, code == LRD_OK ? 7 : i);
    }
    CHECK(refused > 0);
    CHECK_EQ(stats_of(store).entries, count);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- an index that cannot grow ---- */

static lrd_store *store_without_growth(lrd_policy policy)
{
    lrd_store *store = store_new(policy, MIB, 1);
    CHECK_OK(lrd_counter_set(store, "first", 5, 1, 0)); /* this call formats the shard */
    /* Pretend that a commit has failed. The index then does not grow. */
    store->shards[0].grow_at = UINT64_MAX;
    return store;
}

static void a_volatile_store_evicts_near_the_key_where_the_index_is_full(void **state)
{
    (void)state;
    lrd_store *store = store_without_growth(LRD_VOLATILE);
    char key[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 20, (uint64_t)i, LRD_SET, 0));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    lrd_stats stats = stats_of(store);
    CHECK(stats.entries <= lrd__shard_slots(store));
    CHECK(stats.entries > lrd__shard_slots(store) / 2);
    CHECK_EQ(stats.evicted, stats.inserts - stats.entries);
    CHECK_EQ(stats.refused, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The index is full, so a put evicts an entry of the same bucket. The average age of evictions must
 * include this entry, and the store must remember its key. */
static void what_a_full_index_evicts_is_remembered(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 1, clock);
    char key[32];
    CHECK_OK(put_value(store, "first", 20, 1, LRD_SET, 0));
    /* Pretend that a commit has failed. The index then does not grow. */
    store->shards[0].grow_at = UINT64_MAX;
    for (int i = 0; stats_of(store).evicted < 50; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 20, 1, LRD_SET, 0));
        atomic_fetch_add(clock, 1);
    }
    CHECK(stats_of(store).evicted_age_ms != 0);
    CHECK_EQ(stats_of(store).ghost_hits, 0);
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 20, 1, LRD_SET, 0));
    }
    CHECK(stats_of(store).ghost_hits > 10);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Among equally cold entries, the oldest one is evicted. */
static void what_was_just_written_stays_where_the_index_is_full(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 1, clock);
    char key[32];
    CHECK_OK(put_value(store, "first", 20, 1, LRD_SET, 0));
    store->shards[0].grow_at = UINT64_MAX; /* the index cannot grow, as after a failed commit */
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 20, 1, LRD_SET, 0));
        atomic_fetch_add(clock, 1);
    }
    int found = 0;
    for (int i = 2900; i < 3000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        found += lrd_has(store, key, strlen(key)) == LRD_OK;
    }
    CHECK(found >= 90);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void other_stores_refuse_where_the_index_is_full(void **state)
{
    (void)state;
    lrd_store *store = store_without_growth(LRD_PINNED);
    int count = fill(store, 0, 20, 0, LRD_ENOINDEX);
    CHECK(strstr(lrd_error_detail(), "no room near the place of the key in shard 0") != NULL);
    CHECK_EQ(lrd_refusal_of(store, LRD_ENOINDEX), LRD_REFUSED_INDEX);
    CHECK_OK(lrd_sweep(store, NULL));
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.refused, 1);
    CHECK_EQ(stats.refused_by[LRD_REFUSED_INDEX], 1);
    CHECK_EQ(stats.entries, count + 1);
    CHECK_EQ(allocated_bytes(store), stats.live_bytes);
    check_all(store, 0, count);
    CHECK_OK(put_value(store, "key 0", 30, 0, LRD_SET, 0));
    store->shards[0].grow_at = 0;
    int gone = 0;
    for (int i = count; i < count + 100; i++) {
        char key[32], old[32];
        snprintf(key, sizeof key, "key %d", i);
        int rc = put_value(store, key, 20, (uint64_t)i, LRD_ADD, 0);
        /* If the cells after the last home are full, the index cannot grow until an entry is
         * deleted. */
        while (rc == LRD_ENOINDEX && gone < count) {
            CHECK_OK(lrd_delete(store, old, (size_t)snprintf(old, sizeof old, "key %d", gone++)));
            rc = put_value(store, key, 20, (uint64_t)i, LRD_ADD, 0);
        }
        CHECK_OK(rc);
    }
    CHECK(gone < count);
    check_all(store, gone, count + 100);
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_volatile_store_evicts_few_at_a_time_and_never_wipes),
        cmocka_unit_test(what_is_read_again_and_again_stays),
        cmocka_unit_test(an_insert_among_warm_entries_passes_over_few_of_them),
        cmocka_unit_test(a_damaged_run_does_not_hang_a_put),
        cmocka_unit_test(new_entries_do_not_wait_in_the_queue_of_another_size),
        cmocka_unit_test(a_value_of_half_the_store_fits_a_full_volatile_store),
        cmocka_unit_test(a_put_waits_for_builders_that_run),
        cmocka_unit_test(a_search_without_private_memory_says_so),
        cmocka_unit_test(a_long_key_counts_as_a_part_of_its_value),
        cmocka_unit_test(what_is_free_far_up_is_found_before_others_go),
        cmocka_unit_test(small_values_fill_a_volatile_store),
        cmocka_unit_test(larger_free_blocks_are_taken_before_the_first_entry_is_evicted),
        cmocka_unit_test(a_full_pinned_store_refuses_and_keeps_everything),
        cmocka_unit_test(an_emptied_pinned_store_takes_other_sizes),
        cmocka_unit_test(what_one_shard_gave_up_is_room_for_another_at_once),
        cmocka_unit_test(small_values_fill_a_pinned_store),
        cmocka_unit_test(values_of_13_kb_fill_a_pinned_store),
        cmocka_unit_test(a_full_immutable_store_refuses_and_keeps_everything),
        cmocka_unit_test(a_full_session_store_drops_what_expired_and_then_refuses),
        cmocka_unit_test(what_is_dead_makes_room_for_the_largest_value_at_once),
        cmocka_unit_test(replacing_in_a_full_store_keeps_the_old_value_when_refused),
        cmocka_unit_test(a_volatile_store_evicts_near_the_key_where_the_index_is_full),
        cmocka_unit_test(what_a_full_index_evicts_is_remembered),
        cmocka_unit_test(what_was_just_written_stays_where_the_index_is_full),
        cmocka_unit_test(other_stores_refuse_where_the_index_is_full),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
