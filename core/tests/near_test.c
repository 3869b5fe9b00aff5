/* near_test.c - gets that skip the hash, because the thread has used the key at the same address
 * before. Also: values that a get may borrow because of their type, times to live, counters that
 * were set, and keys at the end of readable memory. */
#include "support.h"

#include "internal.h"

#include <unistd.h>

#define MIB (1u << 20)

static void put(lrd_store *store, const char *key, uint64_t seed, uint8_t type, uint64_t ttl)
{
    char bytes[300];
    value_fill(bytes, sizeof bytes, key, strlen(key), seed);
    CHECK_OK(lrd_put(store, key, strlen(key), bytes, sizeof bytes,
                     &(lrd_write){.ttl_ms = ttl, .type = type}));
}

/* Get the key, and check its value's seed. The value stays held or borrowed. */
static lrd_value expect(lrd_store *store, const char *key, unsigned flags, uint64_t seed)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, key, strlen(key), flags, &value));
    CHECK(value_valid(value.data, value.size, key, strlen(key)));
    CHECK_EQ(value_seed(value.data, value.size), seed);
    return value;
}

static void expect_miss(lrd_store *store, const char *key)
{
    lrd_value value;
    CHECK_CODE(lrd_get(store, key, strlen(key), 0, &value), LRD_MISS);
    CHECK_EQ(value.kind, LRD_KIND_NONE);
}

static void another_key_at_the_same_address_is_another_key(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    static const char *const keys[] = {
        "a common.ending", "b common.ending", "a common-ending", "common.ending", "no", "on",
        "c common.ending"};
    char key[64];
    for (uint64_t i = 0; i < 6; i++)
        put(store, keys[i], i, 1, 0);
    for (unsigned round = 0; round < 1000; round++) {
        uint64_t i = round * 2654435761u >> 7 & 7;
        if (i == 7)
            CHECK_OK(lrd_request_end(store));
        snprintf(key, sizeof key, "%s", keys[i % 7]);
        if (i == 6)
            expect_miss(store, key);
        else
            expect(store, key, 0, i % 7);
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_happened_to_the_entry_meanwhile_is_seen(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    static const char key[] = "configuration";
    for (unsigned hold = 0; hold < 2; hold++) {
        for (uint64_t seed = 1; seed < 50; seed++) {
            put(store, key, seed, 1, 0);
            lrd_value value = expect(store, key, 0, seed), again = expect(store, key, 0, seed);
            CHECK(value.data == again.data);
            if (!hold)
                CHECK_OK(lrd_request_end(store));
            if (seed % 5 == 0) {
                CHECK_OK(lrd_delete(store, key, strlen(key)));
                expect_miss(store, key);
            } else if (seed % 5 == 1) {
                CHECK_OK(lrd_clear(store));
                expect_miss(store, key);
            }
            if (hold)
                CHECK(value_valid(value.data, value.size, key, strlen(key)));
        }
        CHECK_OK(lrd_request_end(store));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The store has one shard, and values have one size. So the second key gets the block and the index
 * cell of the first one. */
static void a_block_that_was_reused_for_another_key_is_not_mistaken(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    static const char mine[] = "one key or other", theirs[] = "the key or other";
    for (uint64_t seed = 0; seed < 200; seed++) {
        put(store, mine, seed, 1, 0);
        expect(store, mine, 0, seed);
        CHECK_OK(lrd_request_end(store));
        CHECK_OK(lrd_delete(store, mine, strlen(mine)));
        CHECK_OK(lrd_sweep(store, NULL));
        put(store, theirs, seed, 1, 0);
        expect_miss(store, mine);
        expect(store, theirs, 0, seed);
        CHECK_OK(lrd_delete(store, theirs, strlen(theirs)));
        CHECK_OK(lrd_request_end(store));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The key begins where readable memory begins, or ends where readable memory ends. A read before or
 * after the key's bytes would crash. */
static void no_call_reads_beside_the_key(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory + page, 'k', page);
    CHECK_EQ(mprotect(memory, page, PROT_NONE), 0);
    CHECK_EQ(mprotect(memory + 2 * page, page, PROT_NONE), 0);
    for (size_t length = 1; length <= 150; length++) {
        char *keys[] = {memory + page, memory + 2 * page - length};
        for (unsigned i = 0; i < 2; i++) {
            lrd_value value;
            CHECK_OK(lrd_put(store, keys[i], length, "value", 5, &(lrd_write){.type = 1}));
            for (unsigned again = 0; again < 3; again++)
                CHECK_OK(lrd_get(store, keys[i], length, 0, &value));
            CHECK_OK(lrd_request_end(store));
            CHECK_OK(lrd_get(store, keys[i], length, 0, &value));
            CHECK_OK(lrd_has(store, keys[i], length));
            CHECK_OK(lrd_delete(store, keys[i], length));
            CHECK_CODE(lrd_get(store, keys[i], length, 0, &value), LRD_MISS);
        }
    }
    CHECK_EQ(munmap(memory, 3 * page), 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_time_to_live_runs_out_for_a_key_that_is_near(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    static const char key[] = "session of somebody";
    for (unsigned round = 0; round < 20; round++) {
        lrd_entry entry;
        put(store, key, round, 1, 100);
        lrd_value value = expect(store, key, 0, round);
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK_EQ(entry.ttl_ms, 100);
        *clock += 99;
        if (round % 2 == 0)
            CHECK_OK(lrd_request_end(store));
        expect(store, key, round % 3 == 0 ? LRD_GET_PLAIN : 0, round);
        *clock += 1;
        expect_miss(store, key);
        expect_miss(store, key);
        CHECK_OK(lrd_request_end(store));
        expect_miss(store, key);
    }
    put(store, key, 77, 1, 0);
    expect(store, key, 0, 77);
    CHECK_OK(lrd_touch(store, key, strlen(key), 10));
    expect(store, key, 0, 77);
    *clock += 10;
    expect_miss(store, key);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void plain_types_are_held_while_few_and_borrowed_then(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 0);
    char keys[100][32];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(keys[i], sizeof keys[i], "plain value %u", i);
        put(store, keys[i], i, i % 2 == 0 ? LRD_TYPE_PLAIN : LRD_TYPE_PLAIN + 9, 0);
    }
    put(store, "a list of things", 5, LRD_TYPE_PLAIN - 1, 0);
    char lengthy[300];
    memset(lengthy, 'k', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = 0;
    put(store, lengthy, 6, LRD_TYPE_PLAIN, 0);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 100; i++) {
            lrd_value value = expect(store, keys[i], LRD_GET_PLAIN, i);
            CHECK_EQ(value.kind, i < LRD_PLAIN_HOLDS ? LRD_KIND_HELD : LRD_KIND_BORROWED);
            if (value.kind == LRD_KIND_BORROWED && i % 3 == 0)
                CHECK_OK(lrd_release(store, &value));
        }
        CHECK_EQ(expect(store, "a list of things", LRD_GET_PLAIN, 5).kind, LRD_KIND_HELD);
        CHECK_EQ(expect(store, lengthy, LRD_GET_PLAIN, 6).kind, LRD_KIND_BORROWED);
        CHECK_EQ(expect(store, keys[99], 0, 99).kind, LRD_KIND_HELD);
        CHECK_OK(lrd_request_end(store));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct overwriter {
    lrd_store *store;
    const char *key;
} overwriter;

static void overwrite(void *arg)
{
    const overwriter *other = arg;
    for (unsigned i = 0; i < 2000; i++) {
        put(other->store, other->key, 1000 + i, LRD_TYPE_PLAIN, 0);
        if (i % 100 == 0)
            CHECK_OK(lrd_sweep(other->store, NULL));
    }
    /* End the inherited borrow: under qemu-user the core does not notice deaths of owners. */
    CHECK_OK(lrd_request_end(other->store));
}

/* Until the thread's next call, no writer may reuse the block. */
static void a_plain_borrow_lasts_until_the_next_call(void **state)
{
    (void)state;
    enum { KEYS = LRD_PLAIN_HOLDS + 8 };
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    char keys[KEYS][32];
    lrd_value value = {0};
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "plain value %u", i);
        put(store, keys[i], i, LRD_TYPE_PLAIN, 0);
    }
    for (unsigned i = 0; i < KEYS; i++)
        value = expect(store, keys[i], LRD_GET_PLAIN, i);
    CHECK_EQ(value.kind, LRD_KIND_BORROWED);
    overwriter other = {store, keys[KEYS - 1]};
    CHECK_CHILD(run_in_child(overwrite, &other));
    CHECK(value_valid(value.data, value.size, keys[KEYS - 1], strlen(keys[KEYS - 1])));
    CHECK_EQ(value_seed(value.data, value.size), KEYS - 1);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* A thread that holds as many values as it may gets a copy from lrd_hold(). No writer may reuse the
 * block before the copy is made. */
static void a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy(void **state)
{
    (void)state;
    enum { FILL = LRD_HOLDS_MAX };
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 1);
    static const char key[] = "plain and busy";
    char fill[32];
    lrd_value value, copy;
    unsigned copies = 0;
    put(store, key, 1, LRD_TYPE_PLAIN, 0);
    for (unsigned i = 0; i < FILL; i++) {
        snprintf(fill, sizeof fill, "filler %u", i);
        put(store, fill, i, 1, 0);
        CHECK_OK(lrd_get(store, fill, strlen(fill), LRD_GET_NO_COPY, &value));
    }
    overwriter other = {store, key};
    for (unsigned round = 0; round < 5; round++) {
        pid_t child = start_child(overwrite, &other);
        for (unsigned i = 0; i < 20000; i++) {
            CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_PLAIN | LRD_GET_NO_COPY, &value));
            CHECK_EQ(value.kind, LRD_KIND_BORROWED);
            CHECK_OK(lrd_hold(store, &value, &copy));
            CHECK(value_valid(copy.data, copy.size, key, strlen(key)));
            copies += copy.kind == LRD_KIND_COPY;
            CHECK_OK(lrd_release(store, &copy));
        }
        CHECK_CHILD(wait_child(child));
    }
    CHECK(copies > 0);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_plain_borrows_left_listed_ends_with_the_next_release(void **state)
{
    (void)state;
    enum { KEYS = 2 * LRD_PLAIN_HOLDS };
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    lrd_value held[KEYS], value;
    char key[32];
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "a value that is held %u", i);
        put(store, key, i, 1, 0);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &held[i]));
    }
    for (unsigned i = KEYS; i-- > 0;) {
        snprintf(key, sizeof key, "a plain value %u", i);
        put(store, key, i, LRD_TYPE_PLAIN, 0);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_PLAIN, &value));
        CHECK_OK(lrd_delete(store, key, strlen(key)));
        CHECK_OK(lrd_release(store, &held[i]));
        CHECK_OK(lrd_release(store, &value));
    }
    CHECK_OK(lrd_clear(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(allocated_bytes(store), 0);
    lrd_close(store);
}

typedef struct borrower {
    lrd_store *store;
    lrd_value value;
    gate *overwritten;
} borrower;

static void look_at_borrowed(void *arg)
{
    borrower *b = arg;
    gate_wait(b->overwritten);
    CHECK(value_valid(b->value.data, b->value.size, "plain value 0", 13));
    CHECK_EQ(value_seed(b->value.data, b->value.size), 0);
}

static void a_forked_child_has_the_plain_borrow_too(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    char key[32];
    borrower b = {.store = store, .overwritten = shared_memory(sizeof(gate))};
    for (unsigned i = 0; i <= LRD_PLAIN_HOLDS; i++) {
        snprintf(key, sizeof key, "plain value %u", i);
        put(store, key, i, LRD_TYPE_PLAIN, 0);
    }
    for (unsigned i = LRD_PLAIN_HOLDS + 1; i-- > 0;) {
        snprintf(key, sizeof key, "plain value %u", i);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_PLAIN, &b.value));
    }
    CHECK_EQ(b.value.kind, LRD_KIND_BORROWED);
    pid_t child = start_child(look_at_borrowed, &b);
    CHECK_OK(lrd_request_end(store));
    overwriter other = {store, "plain value 0"};
    overwrite(&other);
    gate_open(b.overwritten);
    CHECK_CHILD(wait_child(child));
    lrd_close(store);
}

typedef struct releaser {
    lrd_store *store;
    lrd_value value;
    gate *begins, *released, *ends;
} releaser;

static void release_what_was_borrowed(void *arg)
{
    releaser *r = arg;
    gate_wait(r->begins);
    CHECK(value_valid(r->value.data, r->value.size, "borrowed", 8));
    CHECK_OK(lrd_release(r->store, &r->value));
    gate_open(r->released);
    gate_wait(r->ends);
}

/* A child inherits no reservation. So the child's ledger lists the inherited borrow at another
 * place than the parent's ledger does. */
static void a_forked_child_releases_a_plain_borrow_above_a_reservation(void **state)
{
    (void)state;
    enum { HELD = LRD_PLAIN_HOLDS + 1 };
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    gate *gates = shared_memory(3 * sizeof *gates);
    releaser r = {.store = store, .begins = gates, .released = gates + 1, .ends = gates + 2};
    lrd_reservation open;
    char key[32];
    for (unsigned i = 0; i < HELD; i++) {
        snprintf(key, sizeof key, "a value that is held %u", i);
        put(store, key, i, 1, 0);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &r.value));
    }
    put(store, "borrowed", 1, LRD_TYPE_PLAIN, 0);
    CHECK_OK(lrd_reserve(store, "built", 5, 100, 1, &open));
    CHECK_OK(lrd_get(store, "borrowed", 8, LRD_GET_PLAIN, &r.value));
    CHECK_EQ(r.value.kind, LRD_KIND_BORROWED);
    pid_t child = start_child(release_what_was_borrowed, &r);
    CHECK_OK(lrd_release(store, &r.value));
    CHECK_OK(lrd_abort(store, &open));
    CHECK_OK(lrd_delete(store, "borrowed", 8));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(stats_of(store).retired_bytes != 0);
    gate_open(r.begins);
    gate_wait(r.released);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    gate_open(r.ends);
    CHECK_CHILD(wait_child(child));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Each key is read at three addresses in turn. A read at another address must not list the key's
 * block in the ledger again. Otherwise the ledger would become full, and lrd_get() would return
 * copies. */
static void a_long_request_lists_each_value_about_once(void **state)
{
    (void)state;
    enum { KEYS = 200, ROUNDS = 64 };
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, 0);
    char keys[3][32];
    lrd_value value;
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(keys[0], sizeof keys[0], "one of the values %u", i);
        put(store, keys[0], i, 1, 0);
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < KEYS; i++) {
            char *key = keys[(round + i) % 3];
            snprintf(key, sizeof keys[0], "one of the values %u", i);
            CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
            CHECK_EQ(value.kind, LRD_KIND_HELD);
        }
    CHECK_OK(lrd_request_end(store));
    lrd_close(store);
}

static void a_hit_that_is_of_no_use_can_be_counted_as_a_miss(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    /* this thread has had no hit that lrd_count_miss() could turn into a miss */
    lrd_count_miss(store);
    put(store, "key", 1, 1, 0);
    expect(store, "key", 0, 1);
    expect(store, "key", 0, 1);
    lrd_count_miss(store);
    CHECK_EQ(stats_of(store).hits, 1);
    CHECK_EQ(stats_of(store).misses, 1);
    lrd_close(store);
}

static void a_held_value_is_put_back_without_a_copy(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    static const char key[] = "a configuration";
    lrd_value copy;
    put(store, key, 1, 1, 50);
    lrd_value held = expect(store, key, 0, 1);
    CHECK_OK(lrd_put_held(store, &held, 0));
    *clock += 1000;
    lrd_value again = expect(store, key, 0, 1);
    CHECK(again.data == held.data);
    CHECK_EQ(stats_of(store).replaces, 0);
    CHECK_OK(lrd_put_held(store, &held, 10));
    *clock += 10;
    expect_miss(store, key);
    CHECK_CODE(lrd_put_held(store, &held, 0), LRD_STALE);
    put(store, key, 2, 1, 0);
    CHECK_CODE(lrd_put_held(store, &held, 5), LRD_STALE);
    *clock += 5;
    expect(store, key, 0, 2);
    CHECK_OK(lrd_delete(store, key, strlen(key)));
    CHECK_CODE(lrd_put_held(store, &held, 0), LRD_STALE);
    expect_miss(store, key);
    put(store, key, 3, 1, 0);
    CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_BORROW, &copy));
    CHECK_CODE(lrd_put_held(store, &copy, 0), LRD_ESTATE);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
    store = store_new(LRD_PINNED, MIB, 0);
    put(store, key, 1, 1, 0);
    held = expect(store, key, 0, 1);
    CHECK_OK(lrd_put_held(store, &held, 0));
    CHECK_CODE(lrd_put_held(store, &held, 1), LRD_EPOLICY);
    lrd_close(store);
}

/* ---- counters that are set ---- */

static int64_t count_of(lrd_store *store, const char *key)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
    CHECK_EQ(value.type, LRD_TYPE_COUNTER);
    int64_t count = lrd_counter_value(&value);
    CHECK_OK(lrd_release(store, &value));
    return count;
}

static void a_counter_is_set_in_place(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    static const char key[] = "visits of today";
    lrd_value held;
    int64_t sum;
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 42, 0));
    CHECK_EQ(stats_of(store).misses, 0);
    CHECK_EQ(count_of(store, key), 42);
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &held));
    uint64_t hits = stats_of(store).hits;
    CHECK_OK(lrd_counter_set(store, key, strlen(key), INT64_MIN, 0));
    CHECK_EQ(stats_of(store).hits, hits);
    CHECK_EQ(lrd_counter_value(&held), INT64_MIN);
    CHECK_EQ(stats_of(store).replaces, 0);
    CHECK_OK(lrd_counter_add(store, key, strlen(key), 7, 0, 0, &sum));
    CHECK_EQ(sum, INT64_MIN + 7);
    CHECK_OK(lrd_release(store, &held));
    put(store, key, 3, 1, 0);
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 5, 0));
    CHECK_EQ(count_of(store, key), 5);
    CHECK_OK(lrd_clear(store));
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 6, 0));
    CHECK_EQ(count_of(store, key), 6);
    CHECK_CODE(lrd_counter_set(store, "", 0, 6, 0), LRD_EKEY);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void setting_a_counter_sets_its_time_to_live(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, MIB, 0, clock);
    static const char key[] = "visits of today";
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 1, 0));
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 2, 50));
    *clock += 49;
    CHECK_EQ(count_of(store, key), 2);
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 3, 0));
    *clock += 1000;
    CHECK_EQ(count_of(store, key), 3);
    CHECK_OK(lrd_touch(store, key, strlen(key), 50));
    *clock += 50;
    CHECK_OK(lrd_counter_set(store, key, strlen(key), 4, 0));
    *clock += 1000;
    CHECK_EQ(count_of(store, key), 4);
    CHECK_FSCK(store);
    lrd_close(store);
    store = store_new(LRD_PINNED, MIB, 0);
    CHECK_CODE(lrd_counter_set(store, key, strlen(key), 4, 50), LRD_EPOLICY);
    lrd_close(store);
    store = store_new(LRD_IMMUTABLE, MIB, 0);
    CHECK_CODE(lrd_counter_set(store, key, strlen(key), 4, 0), LRD_EPOLICY);
    lrd_close(store);
}

/* The core remembers which keys a request reads first, and prefetches them in the next request. A
 * prefetch must not list a block in the ledger, or count a use. Here the last request prefetches
 * entries that a clear has removed. */
static void what_a_request_begins_with_is_remembered(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 0);
    /* at these addresses, no two keys share an element of `near` */
    static _Alignas(1024) char keys[LRD__EARLY + 4][64];
    for (uint64_t i = 0; i < LRD__EARLY + 4; i++) {
        snprintf(keys[i], sizeof keys[i], "remembered %u", (unsigned)i);
        put(store, keys[i], i, 1, 0);
    }
    const lrd__thread *self = lrd__threads[store->id];
    for (unsigned round = 0; round < 4; round++) {
        CHECK_OK(lrd_request_begin(store));
        CHECK_EQ(self->top, 1);
        for (uint64_t i = LRD__EARLY + 4; i-- != 0;)
            expect(store, keys[i], 0, i);
        CHECK_OK(lrd_request_end(store));
    }
    for (uint64_t i = 0; i < LRD__EARLY; i++)
        CHECK(self->near + self->early[i] ==
              lrd__near_of((lrd__thread *)self, keys[LRD__EARLY + 3 - i]));
    CHECK_OK(lrd_clear(store));
    CHECK_OK(lrd_request_begin(store));
    CHECK_EQ(self->top, 1);
    for (uint64_t i = 0; i < LRD__EARLY + 4; i++)
        expect_miss(store, keys[i]);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_key_at_the_same_address_is_another_key),
        cmocka_unit_test(what_happened_to_the_entry_meanwhile_is_seen),
        cmocka_unit_test(a_block_that_was_reused_for_another_key_is_not_mistaken),
        cmocka_unit_test(a_time_to_live_runs_out_for_a_key_that_is_near),
        cmocka_unit_test(plain_types_are_held_while_few_and_borrowed_then),
        cmocka_unit_test(a_plain_borrow_lasts_until_the_next_call),
        cmocka_unit_test(a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy),
        cmocka_unit_test(what_plain_borrows_left_listed_ends_with_the_next_release),
        cmocka_unit_test(a_forked_child_has_the_plain_borrow_too),
        cmocka_unit_test(a_forked_child_releases_a_plain_borrow_above_a_reservation),
        cmocka_unit_test(a_long_request_lists_each_value_about_once),
        cmocka_unit_test(a_hit_that_is_of_no_use_can_be_counted_as_a_miss),
        cmocka_unit_test(a_held_value_is_put_back_without_a_copy),
        cmocka_unit_test(a_counter_is_set_in_place),
        cmocka_unit_test(setting_a_counter_sets_its_time_to_live),
        cmocka_unit_test(what_a_request_begins_with_is_remembered),
        cmocka_unit_test(no_call_reads_beside_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
