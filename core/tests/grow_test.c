/* grow_test.c - the index doubles while other work goes on. Every entry is found at each step.
 * Iterations and readers in other processes notice nothing. A writer that is killed at any point of
 * a doubling leaves a whole index. (With a sanitizer, only every seventh point is tried.)
 *
 * Start reading at put_until_doubled() and kill_everywhere(). */
#include "apart.h"
#include "support.h"

#include "internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
#define ENTRIES 20000u
#define STRIDE 7
#else
#define ENTRIES 100000u
#endif
#ifndef STRIDE
#define STRIDE 1 /* try every fail point; slow builds try each seventh */
#endif

#define MIB (1u << 20)
#define VALUE 20

/* The most work that a put does for growth. It splits up to 4 homes of its own shard at its
 * beginning, and 4 more if it finds no empty slot. It also splits up to 8 homes of another shard.
 * Each word that is moved may make another word move. */
#define PUT_SPLITS (2 * 4 + 8)
#define PUT_WORDS (PUT_SPLITS * LRD__PROBES * LRD__WAYS * 2 + 1)

static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_IMMUTABLE, LRD_SESSION};
#define POLICIES (sizeof policies / sizeof *policies)

static const char *key_name(const char *kind, uint32_t item)
{
    static char name[4][24];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(name[turn], sizeof name[turn], "%s %u", kind, item);
    return name[turn];
}

static lrd_store *store_of(lrd_policy policy, uint64_t size, uint32_t shards, uint64_t hint,
                           test_clock *clock)
{
    lrd_options options = {.policy = policy,
                           .size = size,
                           .shards = shards,
                           .entries_hint = hint,
                           .slots = 16,
                           .clock_ms = clock != NULL ? clock_read : NULL,
                           .clock_arg = clock};
    lrd_store *store = NULL;
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

static uint64_t mask_of(const lrd_store *store) { return atomic_load(&store->view->mask); }
static bool growing(const lrd_store *store)
{
    return atomic_load(&store->view->next) != mask_of(store);
}
static int doublings(const lrd_store *store) { return __builtin_popcountll(mask_of(store)) - 32; }
static uint64_t stage_of(const lrd_store *store)
{
    return mask_of(store) * 31 + atomic_load(&store->view->next) * 7 +
           atomic_load(&store->view->grown);
}

static int put_item(lrd_store *store, const char *kind, uint32_t item, uint64_t seed, uint64_t ttl)
{
    char bytes[VALUE];
    const char *key = key_name(kind, item);
    value_fill(bytes, sizeof bytes, key, strlen(key), seed);
    lrd_mode mode = store->geo.policy == LRD_IMMUTABLE ? LRD_ADD : LRD_SET;
    return lrd_put(store, key, strlen(key), bytes, sizeof bytes,
                   &(lrd_write){.ttl_ms = ttl, .mode = mode});
}

static void check_item(lrd_store *store, const char *kind, uint32_t item, uint64_t wanted)
{
    uint64_t seed = 0;
    const char *key = key_name(kind, item);
    int code = get_checked(store, key, NULL, &seed);
    if (code != LRD_OK || seed != wanted)
        check_failed(__FILE__, __LINE__, "\"%s\" gave %s, seed %llu, not %llu (of %u doublings%s)",
                     key, lrd_error_name(code), (unsigned long long)seed,
                     (unsigned long long)wanted, (unsigned)doublings(store),
                     growing(store) ? ", growing" : "");
}

static void check_items(lrd_store *store, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        check_item(store, "key", i, i);
    for (uint32_t i = 0; i < count; i += 7)
        CHECK_CODE(get_checked(store, key_name("no", i), NULL, NULL), LRD_MISS);
    CHECK_EQ(stats_of(store).entries, count);
}

/* Put items from number `from` on, until the index has doubled `times` times. Returns the number
 * after the last item. */
static uint32_t put_until_doubled(lrd_store *store, uint32_t from, int times)
{
    for (int first = doublings(store); doublings(store) < first + times; from++)
        CHECK_OK(put_item(store, "key", from, from, 0));
    return from;
}

/* Put items from number `from` on, until a doubling has begun. Returns the number after the last
 * item. */
static uint32_t put_until_growing(lrd_store *store, uint32_t from)
{
    for (; !growing(store); from++)
        CHECK_OK(put_item(store, "key", from, from, 0));
    return from;
}

/* ---- one process ---- */

static void grow_and_look(lrd_policy policy, uint32_t shards, uint64_t hint, uint32_t entries)
{
    lrd_store *store = store_of(policy, 64 * MIB, shards, hint, NULL);
    check_context("policy %d, %u shards, hint %llu", (int)policy, shards, (unsigned long long)hint);
    uint64_t stage = stage_of(store), random = 99;
    int first = doublings(store);
    for (uint32_t i = 0; i < entries; i++) {
        CHECK_OK(put_item(store, "key", i, i, 0));
        uint32_t any = (uint32_t)random_below(&random, i + 1);
        check_item(store, "key", i, i);
        check_item(store, "key", any, any);
        CHECK_CODE(get_checked(store, key_name("no", i), NULL, NULL), LRD_MISS);
        if (stage_of(store) == stage)
            continue;
        stage = stage_of(store);
        check_items(store, i + 1);
    }
    CHECK(hint != 0 || entries < shards * 400 || doublings(store) >= first + 2);
    check_items(store, entries);
    CHECK_FSCK(store);
    CHECK_EQ(stats_of(store).evicted, 0);
    lrd_close(store);
    check_context("%s", "");
}

static void every_key_is_found_after_every_step(void **state)
{
    (void)state;
    static const uint32_t shards[] = {1, 8, 64};
    for (size_t p = 0; p < POLICIES; p++)
        for (size_t s = 0; s < 3; s++)
            grow_and_look(policies[p], shards[s], 0, p == s ? ENTRIES : ENTRIES / 5);
    for (size_t s = 0; s < 3; s++) {
        grow_and_look(LRD_VOLATILE, shards[s], 1, ENTRIES / 5);
        grow_and_look(LRD_SESSION, shards[s], ENTRIES / 50, ENTRIES / 5);
        grow_and_look(LRD_PINNED, shards[s], (uint64_t)ENTRIES * 4, ENTRIES / 5);
    }
}

typedef struct fact {
    uint64_t seed, expiry; /* expiry 0: never */
    bool present, counter;
} fact;

static void check_fact(lrd_store *store, test_clock *clock, uint32_t k, const fact *f)
{
    lrd_value value;
    lrd_entry entry = {0};
    const char *key = key_name("key", k);
    int code = lrd_get(store, key, strlen(key), 0, &value);
    uint64_t now = clock_read(clock);
    bool live = f->present && (f->expiry == 0 || now < f->expiry);
    if (code != (live ? LRD_OK : LRD_MISS))
        check_failed(__FILE__, __LINE__, "\"%s\" gave %s", key, lrd_error_name(code));
    if (!live)
        return;
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_EQ(entry.ttl_ms, f->expiry != 0 ? f->expiry - now : 0);
    if (f->counter)
        CHECK_EQ(lrd_counter_value(&value), f->seed);
    else
        CHECK(value_valid(value.data, value.size, key, strlen(key)) &&
              value_seed(value.data, value.size) == f->seed);
    CHECK_OK(lrd_release(store, &value));
}

static void change_any(lrd_store *store, test_clock *clock, uint64_t *random, uint32_t k, fact *f)
{
    const char *key = key_name("key", k);
    bool expires = store->expires,
         live = f->present && (f->expiry == 0 || clock_read(clock) < f->expiry);
    uint64_t ttl = expires && random_below(random, 3) == 0 ? 1 + random_below(random, 200000) : 0;
    uint64_t expiry = ttl != 0 ? clock_read(clock) + ttl : 0;
    int64_t result;
    if (store->geo.policy == LRD_IMMUTABLE) {
        CHECK_CODE(put_item(store, "key", k, k, 0), live ? LRD_EXISTS : LRD_OK);
        *f = (fact){.seed = k, .present = true};
        return;
    }
    switch (random_below(random, 8)) {
    case 0:
        CHECK_CODE(lrd_delete(store, key, strlen(key)), live ? LRD_OK : LRD_MISS);
        f->present = false;
        break;
    case 1:
        if (expires) {
            CHECK_CODE(lrd_touch(store, key, strlen(key), ttl), live ? LRD_OK : LRD_MISS);
            f->expiry = expiry;
            f->present = live;
        }
        break;
    case 2:
        if (live && !f->counter)
            break;
        CHECK_OK(lrd_counter_add(store, key, strlen(key), 3, 100, ttl, &result));
        if (!live)
            *f = (fact){.seed = 100, .expiry = expiry, .present = true, .counter = true};
        f->seed += 3;
        CHECK_EQ(result, f->seed);
        break;
    default:
        *f = (fact){.seed = random_next(random), .expiry = expiry, .present = true};
        CHECK_OK(put_item(store, "key", k, f->seed, ttl));
    }
}

static void grow_by_a_book(lrd_policy policy, uint32_t shards)
{
    test_clock *clock = clock_new();
    lrd_store *store = store_of(policy, 32 * MIB, shards, 0, clock);
    uint32_t keys = ENTRIES / 4;
    fact *facts = calloc(keys, sizeof *facts);
    uint64_t random = 7 + shards, stage = stage_of(store);
    int first = doublings(store);
    check_context("policy %d, %u shards", (int)policy, shards);
    for (uint32_t step = 0; step < keys * 3; step++) {
        uint32_t k = (uint32_t)random_below(&random, step / 3 + 1);
        change_any(store, clock, &random, k, &facts[k]);
        check_fact(store, clock, k, &facts[k]);
        if (step % 64 == 0)
            atomic_fetch_add(clock, 100);
        if (stage_of(store) == stage)
            continue;
        stage = stage_of(store);
        for (k = 0; k < keys; k++)
            check_fact(store, clock, k, &facts[k]);
        CHECK_FSCK(store);
    }
    for (uint32_t k = 0; k < keys; k++)
        check_fact(store, clock, k, &facts[k]);
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK(doublings(store) >= first + 2);
    CHECK_FSCK(store);
    free(facts);
    lrd_close(store);
    check_context("%s", "");
}

static void changed_entries_stay_what_they_are(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++) {
        grow_by_a_book(policies[p], 1);
        grow_by_a_book(policies[p], 8);
    }
}

static void a_clear_while_the_index_grows_removes_all(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++)
        for (int round = 0; round < 3; round++) {
            lrd_store *store = store_of(policies[p], 32 * MIB, 8, 0, NULL);
            uint32_t count = put_until_doubled(store, 0, 3 + round);
            count = put_until_growing(store, count);
            for (int i = 0; i < round; i++, count++)
                CHECK_OK(put_item(store, "key", count, count, 0));
            if (policies[p] == LRD_IMMUTABLE) {
                CHECK_CODE(lrd_clear(store), LRD_EPOLICY);
                check_items(store, count);
                lrd_close(store);
                continue;
            }
            CHECK_OK(lrd_clear(store));
            for (uint32_t i = 0; i < count; i++)
                CHECK_CODE(get_checked(store, key_name("key", i), NULL, NULL), LRD_MISS);
            CHECK_FSCK(store);
            for (uint32_t i = 0; i < 4 * count; i++) {
                CHECK_OK(put_item(store, "key", i, i, 0));
                if (i == count / 2)
                    CHECK_FSCK(store);
            }
            check_items(store, 4 * count);
            CHECK_OK(lrd_sweep(store, NULL));
            CHECK_EQ(stats_of(store).dead_bytes, 0);
            CHECK_FSCK(store);
            lrd_close(store);
        }
}

static void a_sweep_ends_a_doubling(void **state)
{
    (void)state;
    for (uint32_t shards = 1; shards <= 8; shards *= 8) {
        lrd_store *store = store_of(LRD_VOLATILE, 64 * MIB, shards, 0, NULL);
        uint32_t count = put_until_doubled(store, 0, 4);
        count = put_until_growing(store, count);
        int before = doublings(store);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK(!growing(store));
        CHECK_EQ(doublings(store), before + 1);
        check_items(store, count);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* ---- work per put ---- */

static struct {
    uint64_t splits, words;
} work;

static void count_work(const char *name, void *arg)
{
    (void)arg;
    work.splits += strcmp(name, "grow_homes") == 0;
    work.words += strcmp(name, "index_copied") == 0;
}

static void a_put_moves_a_bounded_number_of_words(void **state)
{
    (void)state;
    static const uint32_t shards[] = {1, 8, 64};
    for (size_t s = 0; s < 3; s++) {
        lrd_store *store = store_of(LRD_VOLATILE, 64 * MIB, shards[s], 0, NULL);
        uint64_t most_splits = 0, most_words = 0, all = 0;
        failpoint_hook(count_work, NULL);
        for (uint32_t i = 0; i < ENTRIES; i++) {
            work.splits = work.words = 0;
            CHECK_OK(put_item(store, "key", i, i, 0));
            most_splits = work.splits > most_splits ? work.splits : most_splits;
            most_words = work.words > most_words ? work.words : most_words;
            all += work.words;
        }
        failpoint_hook(NULL, NULL);
        print_message("%u shards: at most %llu homes and %llu words (bound: %u and %u) with a put, "
                      "%.2f words on average\n",
                      shards[s], (unsigned long long)most_splits, (unsigned long long)most_words,
                      PUT_SPLITS, PUT_WORDS, (double)all / ENTRIES);
        CHECK(most_splits > 0 && most_splits <= PUT_SPLITS);
        CHECK(most_words <= PUT_WORDS);
        CHECK(all <= 2 * (uint64_t)ENTRIES); /* a doubling moves about half of the entries */
        lrd_close(store);
    }
}

/* ---- other processes ---- */

typedef struct scene {
    lrd_store *store;
    _Atomic uint32_t allowed, put; /* items that the writer may put, and that it has put */
    _Atomic uint32_t stop;
    _Atomic uint64_t reads[2];
    _Atomic uint64_t counted;
} scene;

static scene *scene_new(lrd_policy policy, uint32_t shards)
{
    scene *s = shared_memory(sizeof *s);
    s->store = store_of(policy, 64 * MIB, shards, 0, NULL);
    return s;
}

static void wait_for(_Atomic uint32_t *number, uint32_t wanted)
{
    uint64_t end = real_ms() + 300000;
    while (atomic_load(number) < wanted) {
        if (real_ms() > end)
            check_failed(__FILE__, __LINE__, "%u of %u after 300 s", atomic_load(number), wanted);
        usleep(50);
    }
}

static void write_as_allowed(void *arg)
{
    scene *s = arg;
    uint64_t end = real_ms() + 300000;
    while (atomic_load(&s->stop) == 0 && real_ms() < end) {
        uint32_t put = atomic_load(&s->put);
        if (put >= atomic_load(&s->allowed)) {
            usleep(20);
            continue;
        }
        CHECK_OK(put_item(s->store, "new", put, put, 0));
        if (s->store->listed && put % 3 == 0) /* replace an older item */
            CHECK_OK(put_item(s->store, "new", put / 2, put / 2, 0));
        if (s->store->listed && put % 16 == 15) {
            const char *key = key_name("gone", put);
            CHECK_OK(put_item(s->store, "gone", put, put, 0));
            CHECK_OK(lrd_delete(s->store, key, strlen(key)));
        }
        atomic_store(&s->put, put + 1);
    }
}

static void iterate(scene *s, uint32_t stable, uint32_t most)
{
    uint8_t *seen = calloc(stable + most, 1);
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    uint32_t count = 0, number;
    char kind[8];
    int code;
    while ((code = lrd_next(s->store, &cursor, &value)) == LRD_OK) {
        char name[32] = "";
        CHECK_OK(lrd_value_entry(s->store, &value, &entry));
        CHECK(entry.key_len < sizeof name);
        memcpy(name, entry.key, entry.key_len);
        CHECK(value_valid(value.data, value.size, name, entry.key_len));
        CHECK_EQ(sscanf(name, "%7s %u", kind, &number), 2);
        if (strcmp(kind, "gone") == 0)
            continue;
        bool is_new = strcmp(kind, "new") == 0;
        CHECK(number < (is_new ? most : stable));
        if (seen[number + (is_new ? stable : 0)]++ != 0)
            check_failed(__FILE__, __LINE__, "\"%s\" came twice", name);
        count++;
        uint32_t allowed = count < stable ? (uint32_t)((uint64_t)most * count / stable) : most;
        atomic_store(&s->allowed, allowed);
        /* wait for the writer only now and then, so that it mostly writes while this thread
         * iterates */
        if (count % 64 == 0)
            wait_for(&s->put, allowed);
    }
    CHECK_CODE(code, LRD_END);
    for (uint32_t i = 0; i < stable; i++)
        if (seen[i] != 1)
            check_failed(__FILE__, __LINE__, "\"key %u\" came %u times", i, seen[i]);
    free(seen);
}

static void an_iteration_gives_each_entry_once_while_the_index_grows(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++)
        for (uint32_t shards = 1; shards <= (STRIDE == 1 ? 64 : 8); shards *= 8) {
            scene *s = scene_new(policies[p], shards);
            uint32_t stable = ENTRIES / 100;
            check_context("policy %d, %u shards", (int)policies[p], shards);
            for (uint32_t i = 0; i < stable; i++)
                CHECK_OK(put_item(s->store, "key", i, i, 0));
            int before = doublings(s->store);
            pid_t writer = start_child(write_as_allowed, s);
            iterate(s, stable, ENTRIES / 3);
            CHECK(doublings(s->store) >= before + 3);
            atomic_store(&s->stop, 1);
            CHECK_CHILD(wait_child(writer));
            CHECK_FSCK(s->store);
            lrd_close(s->store);
        }
    check_context("%s", "");
}

#define HOT 700u

/* Read the hot keys until the test stops. No get may find an older value than this reader has
 * seen. */
static void read_hot(scene *s, int reader)
{
    static uint64_t last[HOT];
    /* The core remembers places of keys by their address (lrd__near), so keep each key at one
     * address. */
    static char keys[HOT][24];
    uint64_t random = 5;
    for (uint32_t k = 0; k < HOT; k++)
        snprintf(keys[k], sizeof keys[k], "hot %u", k);
    while (atomic_load(&s->stop) == 0) {
        uint32_t k = (uint32_t)random_below(&random, HOT);
        const char *key = reader == 0 ? keys[k] : key_name("hot", k);
        unsigned flags = random_below(&random, 4) == 0 ? LRD_GET_BORROW : 0;
        lrd_value value;
        int code = lrd_get(s->store, key, strlen(key), flags, &value);
        if (code != LRD_OK)
            check_failed(__FILE__, __LINE__, "\"%s\" gave %s", key, lrd_error_name(code));
        if (!value_valid(value.data, value.size, key, strlen(key)))
            check_failed(__FILE__, __LINE__, "\"%s\" is damaged", key);
        uint64_t seed = value_seed(value.data, value.size);
        if (seed < last[k])
            check_failed(__FILE__, __LINE__, "\"%s\" is an older one again", key);
        last[k] = seed;
        CHECK_OK(lrd_release(s->store, &value));
        const char *counter = key_name("count", k % 16);
        int64_t result;
        if (s->store->listed && k % 4 == 0) {
            CHECK_OK(lrd_counter_update(s->store, counter, strlen(counter), 1, &result));
            atomic_fetch_add(&s->counted, 1);
        }
        CHECK_CODE(lrd_has(s->store, "nobody", 6), LRD_MISS);
        if (random_below(&random, 64) == 0)
            CHECK_OK(lrd_request_end(s->store));
        atomic_fetch_add(&s->reads[reader], 1);
    }
}

static void read_first(void *arg) { read_hot(arg, 0); }
static void read_second(void *arg) { read_hot(arg, 1); }

/* Wait until each reader has made `more` reads. */
static void let_both_read(scene *s, uint64_t more)
{
    uint64_t end = real_ms() + 300000, first = atomic_load(&s->reads[0]) + more,
             second = atomic_load(&s->reads[1]) + more;
    while (atomic_load(&s->reads[0]) < first || atomic_load(&s->reads[1]) < second) {
        if (real_ms() > end)
            check_failed(__FILE__, __LINE__, "the readers are gone");
        usleep(20);
    }
}

static void grow_beside_readers(lrd_policy policy, uint32_t shards)
{
    scene *s = scene_new(policy, shards);
    int64_t result, sum = 0;
    check_context("policy %d, %u shards", (int)policy, shards);
    for (uint32_t k = 0; k < HOT; k++)
        CHECK_OK(put_item(s->store, "hot", k, 0, 0));
    for (uint32_t k = 0; k < 16 && s->store->listed; k++)
        CHECK_OK(lrd_counter_add(s->store, key_name("count", k), strlen(key_name("count", k)), 0, 0,
                                 0, &result));
    pid_t readers[] = {start_child(read_first, s), start_child(read_second, s)};
    int before = doublings(s->store);
    for (uint32_t i = 0; i < ENTRIES / 2; i++) {
        CHECK_OK(put_item(s->store, "key", i, i, 0));
        if (s->store->listed && i % 8 == 0)
            CHECK_OK(put_item(s->store, "hot", i / 8 % HOT, i, 0));
        if (growing(s->store) ? i % 16 == 0 : i % 1024 == 0)
            let_both_read(s, 8);
    }
    CHECK(doublings(s->store) >= before + 4);
    atomic_store(&s->stop, 1);
    CHECK_CHILD(wait_child(readers[0]));
    CHECK_CHILD(wait_child(readers[1]));
    for (uint32_t k = 0; k < 16 && s->store->listed; k++) {
        CHECK_OK(lrd_counter_update(s->store, key_name("count", k), strlen(key_name("count", k)), 0,
                                    &result));
        sum += result;
    }
    CHECK_EQ(sum, atomic_load(&s->counted));
    for (uint32_t i = 0; i < ENTRIES / 2; i++)
        check_item(s->store, "key", i, i);
    CHECK_FSCK(s->store);
    lrd_close(s->store);
    check_context("%s", "");
}

static void readers_of_other_processes_miss_nothing(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++) {
        grow_beside_readers(policies[p], 1);
        grow_beside_readers(policies[p], 8);
    }
}

static void clear_often(void *arg)
{
    scene *s = arg;
    while (atomic_load(&s->stop) == 0) {
        CHECK_OK(lrd_clear(s->store));
        atomic_fetch_add(&s->reads[0], 1);
        usleep(300);
    }
}

static void clears_of_another_process_remove_all_or_nothing(void **state)
{
    (void)state;
    scene *s = scene_new(LRD_SESSION, 8);
    pid_t child = start_child(clear_often, s);
    uint32_t i = 0;
    for (; i < ENTRIES || atomic_load(&s->reads[0]) < 20; i++) {
        CHECK_OK(put_item(s->store, "key", i, i, i % 5 == 0 ? 100000 : 0));
        uint64_t seed = i;
        int code = get_checked(s->store, key_name("key", i), NULL, &seed);
        CHECK((code == LRD_OK || code == LRD_MISS) && seed == i);
    }
    atomic_store(&s->stop, 1);
    CHECK_CHILD(wait_child(child));
    CHECK_FSCK(s->store);
    CHECK_OK(lrd_clear(s->store));
    for (uint32_t k = 0; k < i; k += 3)
        CHECK_CODE(get_checked(s->store, key_name("key", k), NULL, NULL), LRD_MISS);
    uint32_t count = put_until_doubled(s->store, 0, 1);
    check_items(s->store, count);
    CHECK_FSCK(s->store);
    lrd_close(s->store);
}

/* ---- a full file system ---- */

static int filler = -1;
static lrd_store *stalling;

/* Fill the file system when a doubling has committed new buckets, but not yet the timers of these
 * buckets. So the timers get no memory. */
static void fill_when_extended(const char *name, void *arg)
{
    (void)arg;
    if (strcmp(name, "grow_extended") != 0 || filler >= 0 ||
        atomic_load(&stalling->view->grown) <= LRD__TIMER_CHUNK)
        return;
    filler = open(temp_path("filler"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    for (off_t at = 0; fallocate(filler, 0, at, 4096) == 0; at += 4096)
        continue;
}

static lrd_store *open_on_small_tmpfs(lrd_policy policy)
{
    if (!apart_tmpfs_of(temp_path("stalled"), "size=8m"))
        _exit(EXIT_CANNOT);
    lrd_options options = {
        .policy = policy, .size = 4 * MIB, .shards = 1, .slots = 16, .path = temp_path("stalled")};
    lrd_store *store = NULL;
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

static void check_stalled(lrd_store *store, uint32_t count)
{
    CHECK(growing(store));
    CHECK_FSCK(store);
    for (uint32_t i = 0; i < count; i++) {
        const char *key = key_name("key", i);
        check_item(store, "key", i, i);
        CHECK_CODE(lrd_put(store, key, strlen(key), "x", 1, &(lrd_write){.mode = LRD_ADD}),
                   LRD_EXISTS);
        if (i % 5 != 0)
            continue;
        CHECK_OK(lrd_delete(store, key, strlen(key)));
        CHECK_CODE(get_checked(store, key, NULL, NULL), LRD_MISS);
        CHECK_CODE(lrd_delete(store, key, strlen(key)), LRD_MISS);
        CHECK_OK(put_item(store, "key", i, i, 0));
        check_item(store, "key", i, i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_FSCK(store);
}

static uint32_t words_of_home(const lrd_store *store, uint32_t home)
{
    uint32_t words = 0;
    for (uint32_t slot = home * LRD__WAYS; slot < (home + LRD__PROBES) * LRD__WAYS; slot++) {
        uint64_t word = atomic_load(lrd__index_word(store, 0, slot));
        words += word != 0 && lrd__word_home(slot, word) == home;
    }
    return words;
}

#define EXIT_UNLUCKY 79 /* the seed made the split stop between two homes */

/* Let a split stop in the middle of a home. On the full file system, the new home's timers get no
 * memory, so the split cannot move entries with a time to live there. */
static void stall(lrd_policy policy, uint64_t seed)
{
    lrd_store *store = stalling = open_on_small_tmpfs(policy);
    uint32_t count = 0;
    store->seed = store->header->seed = seed; /* the seed decides which entries a home has */
    store->header->zone_fed = 1;              /* the core then evicts nothing to fill the zone */
    /* Commit memory now for the puts after the file system has become full. */
    for (uint32_t i = 0; i < 20; i++)
        CHECK_OK(put_value(store, key_name("large", i), 60000, i, LRD_SET, 0));
    for (uint32_t i = 0; i < 20; i++)
        CHECK_OK(lrd_delete(store, key_name("large", i), strlen(key_name("large", i))));
    CHECK_OK(lrd_sweep(store, NULL));
    failpoint_hook(fill_when_extended, NULL);
    for (; filler < 0; count++)
        CHECK_OK(put_item(store, "key", count, count, count % 2 == 0 ? 1000000 : 0));
    failpoint_hook(NULL, NULL);
    for (uint32_t i = 1; i < 129; i += 2)
        CHECK_OK(put_item(store, "key", i, i, 0));
    if (words_of_home(store, lrd__shard_homes(store->shards)) == 0)
        _exit(EXIT_UNLUCKY);
    check_stalled(store, count);
    close(filler);
    CHECK_OK(unlink(temp_path("filler")));
    store->header->memory_until = 0; /* let the core ask for memory again at once */
    for (uint32_t i = 0; growing(store); i++)
        CHECK_OK(put_item(store, "more", i, i, 0));
    for (uint32_t i = 0; i < count; i++)
        if (i % 5 != 0)
            check_item(store, "key", i, i);
        else
            CHECK_CODE(get_checked(store, key_name("key", i), NULL, NULL), LRD_MISS);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void stall_volatile(void *seed) { stall(LRD_VOLATILE, *(uint64_t *)seed); }
static void stall_session(void *seed) { stall(LRD_SESSION, *(uint64_t *)seed); }

static void a_stalled_split_hides_nothing(void **state)
{
    (void)state;
    temp_path("stalled"); /* this process creates the folder, so it also removes the folder */
    child_fn cases[] = {stall_volatile, stall_session};
    for (int i = 0; i < 2; i++) {
        uint64_t seed = 20240607;
        int status = run_in_child(cases[i], &seed);
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT)
            skip_test("no right to mount");
        for (int tries = 0; tries < 50 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNLUCKY;
             tries++) {
            seed++;
            status = run_in_child(cases[i], &seed);
        }
        CHECK_CHILD(status);
    }
}

/* ---- killed writers ---- */

/* Killed processes put items KILL_FIRST to KILL_LAST. The index of two shards, with 27 homes each,
 * doubles during these puts. */
#define KILL_FIRST 205u
#define KILL_LAST 250u
#define CLOCK_TTL 500000u

static const char *const points[] = {
    "index_copying", "index_copied", "grow_moved", "grow_split",   "grow_homes", "grow_committed",
    "grow_extended", "grow_begun",   "grow_ended", "evict_moving", "wheel_link", "grow_mended"};
#define POINTS (sizeof points / sizeof *points)
static uint32_t killed_at[POINTS];

static void note_point(void)
{
    for (size_t i = 0; i < POINTS; i++)
        killed_at[i] += strcmp(failpoint_last(), points[i]) == 0;
}

typedef struct attempt {
    lrd_store *store;
    test_clock *clock;
    _Atomic uint32_t put; /* the items below `put` are stored, and item `put` may be stored */
    uint64_t k;
} attempt;

static uint64_t ttl_of(const lrd_store *store, uint32_t item)
{
    return store->expires && item % 3 == 0 ? CLOCK_TTL : 0;
}

static void grow_armed(void *arg)
{
    attempt *a = arg;
    failpoint_arm(a->k);
    for (uint32_t i = KILL_FIRST; i < KILL_LAST; i++) {
        CHECK_OK(put_item(a->store, "key", i, i, ttl_of(a->store, i)));
        atomic_store(&a->put, i + 1);
    }
    failpoint_disarm();
}

static void recover_armed(void *arg)
{
    attempt *a = arg;
    failpoint_arm(a->k);
    touch_all_shards(a->store);
    failpoint_disarm();
}

static void check_survivor(attempt *a)
{
    lrd_store *store = a->store;
    uint32_t put = atomic_load(&a->put);
    touch_all_shards(store);
    CHECK_FSCK(store);
    for (uint32_t i = 0; i < put; i++)
        check_item(store, "key", i, i);
    CHECK(stats_of(store).entries - put <= 1); /* the killed writer may have stored one more item */
    for (uint32_t i = put; i < 2 * KILL_LAST; i++) {
        int code = put_item(store, "key", i, i, ttl_of(store, i));
        /* an immutable store may have item `put` already */
        CHECK(code == LRD_OK || (code == LRD_EXISTS && i == put));
        if (i == put)
            CHECK_FSCK(store);
    }
    check_items(store, 2 * KILL_LAST);
    CHECK_FSCK(store);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(allocated_bytes(store), stats_of(store).live_bytes);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    atomic_fetch_add(a->clock, CLOCK_TTL);
    for (uint32_t i = 0; i < 2 * KILL_LAST; i++)
        CHECK_CODE(get_checked(store, key_name("key", i), NULL, NULL),
                   ttl_of(store, i) != 0 ? LRD_MISS : LRD_OK);
    atomic_fetch_add(a->clock, 1000);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).expired, store->expires ? (2 * KILL_LAST + 2) / 3 : 0);
    CHECK_FSCK(store);
}

static void kill_everywhere(lrd_policy policy)
{
    attempt *a = shared_memory(sizeof *a);
    uint32_t deaths = 0, recoverers = 0;
    a->clock = clock_new();
    for (uint64_t k = 1;; k += STRIDE) {
        a->store = store_of(policy, MIB, 2, 0, a->clock);
        /* With a fixed hash seed, each run passes the same fail points in the same order. */
        a->store->seed = a->store->header->seed = 20240607;
        for (uint32_t i = 0; i < KILL_FIRST; i++)
            CHECK_OK(put_item(a->store, "key", i, i, ttl_of(a->store, i)));
        CHECK(doublings(a->store) == 0 && !growing(a->store));
        atomic_store(&a->put, KILL_FIRST);
        a->k = k;
        int status = run_in_child(grow_armed, a);
        bool killed = failpoint_fired();
        check_context("policy %d, killed at pass %llu (%s)", (int)policy, (unsigned long long)k,
                      failpoint_last());
        note_point();
        if (!killed)
            CHECK_CHILD(status);
        deaths += killed;
        /* Kill up to three recoverers, each a little later than the one before. */
        a->k = 1 + k % 5;
        for (int n = 0; killed && n < 3; n++, a->k += 1 + k * 7 % 61) {
            status = run_in_child(recover_armed, a);
            if (!failpoint_fired()) {
                CHECK_CHILD(status);
                break;
            }
            note_point();
            recoverers++;
        }
        if (!killed)
            CHECK(doublings(a->store) >= 1 && !growing(a->store));
        check_survivor(a);
        lrd_close(a->store);
        if (!killed)
            break;
    }
    check_context("%s", "");
    print_message("policy %d: killed at %u points, %u recoverers too\n", (int)policy, deaths,
                  recoverers);
    CHECK(deaths > 400 / STRIDE && recoverers > deaths / 4);
}

static void who_grows_the_index_can_be_killed_anywhere(void **state)
{
    (void)state;
    memset(killed_at, 0, sizeof killed_at);
    for (size_t p = 0; p < POLICIES; p++)
        kill_everywhere(policies[p]);
    for (size_t i = 0; i < POINTS && STRIDE == 1; i++)
        if (killed_at[i] == 0)
            check_failed(__FILE__, __LINE__, "nobody was killed at %s", points[i]);
}

/* ---- named stores ---- */

static lrd_store *open_named(lrd_policy policy, bool created)
{
    lrd_options options = {
        .policy = policy, .size = 4 * MIB, .shards = 2, .slots = 16, .path = temp_path("grown")};
    return store_open_named(&options, created);
}

typedef struct leaving {
    lrd_policy policy;
    const char *point;
    uint32_t passes;
    _Atomic uint32_t put;
} leaving;

static void die_at_point(const char *name, void *arg)
{
    leaving *l = arg;
    if (strcmp(name, l->point) == 0 && l->passes-- == 0)
        raise(SIGKILL);
}

static void grow_and_leave(void *arg)
{
    leaving *l = arg;
    lrd_store *store = open_named(l->policy, true);
    for (uint32_t i = 0; i < 900; i++)
        CHECK_OK(put_item(store, "key", i, i, ttl_of(store, i)));
    failpoint_hook(die_at_point, l);
    for (uint32_t i = 900; i < 10000; i++) {
        atomic_store(&l->put, i);
        CHECK_OK(put_item(store, "key", i, i, ttl_of(store, i)));
    }
}

/* Kill a child in the middle of a doubling. Returns the number of entries that the child has
 * certainly put. The put during which it was killed may have stored one more. */
static uint32_t leave_growing(lrd_policy policy, const char *point, uint32_t passes)
{
    leaving *l = shared_memory(sizeof *l);
    *l = (leaving){.policy = policy, .point = point, .passes = passes};
    unlink(temp_path("grown"));
    CHECK_KILLED(run_in_child(grow_and_leave, l), SIGKILL);
    return atomic_load(&l->put);
}

static void a_store_left_in_the_middle_of_a_doubling_is_adopted_whole(void **state)
{
    (void)state;
    static const char *const left_at[] = {"grow_begun", "grow_extended", "index_copied",
                                          "grow_moved", "grow_split",    "grow_homes"};
    for (size_t p = 0; p < POLICIES; p++)
        for (size_t i = 0; i < sizeof left_at / sizeof *left_at; i++)
            for (uint32_t passes = 0; passes < (i < 2 ? 1 : 60); passes += 1 + passes) {
                uint32_t count = leave_growing(policies[p], left_at[i], passes);
                check_context("policy %d, left at %s (%u)", (int)policies[p], left_at[i], passes);
                lrd_store *store = open_named(policies[p], false);
                CHECK(growing(store));
                CHECK_FSCK(store);
                CHECK(stats_of(store).entries - count <= 1);
                for (uint32_t k = 0; k < count; k++)
                    check_item(store, "key", k, k);
                for (uint32_t k = 0; k < count; k++)
                    CHECK_OK(put_item(store, "more", k, k, 0));
                for (uint32_t k = 0; k < count; k++) {
                    check_item(store, "key", k, k);
                    check_item(store, "more", k, k);
                }
                CHECK_FSCK(store);
                lrd_close(store);
            }
    check_context("%s", "");
}

/* ---- damage ---- */

static void check_serves(lrd_store *store, uint32_t count)
{
    CHECK_FSCK(store);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t seed = i;
        int code = get_checked(store, key_name("key", i), NULL, &seed);
        CHECK(seed == i && (code == LRD_OK || code == LRD_MISS));
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        int code = put_item(store, "key", i, i, ttl_of(store, i));
        CHECK(code == LRD_OK || (code == LRD_EXISTS && store->geo.policy == LRD_IMMUTABLE));
    }
    check_items(store, 2 * count);
    CHECK_FSCK(store);
}

static void a_damaged_view_is_made_anew(void **state)
{
    (void)state;
    for (int damage = 0; damage < 12; damage++) {
        uint32_t count = leave_growing(policies[damage % 4], "grow_homes", 9);
        lrd_store *store = open_named(policies[damage % 4], false);
        lrd__view *view = &store->header->view;
        uint64_t mask = atomic_load(&view->mask), next = atomic_load(&view->next);
        uint64_t masks[][3] = {{0, next, 0},
                               {mask >> 1, next, 0},
                               {mask ^ 4, next, 0},
                               {next << 1 | 1, next, 0},
                               {UINT64_MAX, UINT64_MAX, 0},
                               {mask, next << 1 | 1, 0},
                               {mask, mask >> 1, 0},
                               {mask, 0, 0},
                               {mask, next, UINT32_MAX},
                               {mask, next, 1},
                               {mask, next, atomic_load(&view->grown) * 4},
                               {mask, next, atomic_load(&view->grown) / 4}};
        check_context("damage %d", damage);
        atomic_store(&view->mask, masks[damage][0]);
        atomic_store(&view->next, masks[damage][1]);
        if (masks[damage][2] != 0)
            atomic_store(&view->grown, (uint32_t)masks[damage][2]);
        lrd_close(store);
        store = open_named(policies[damage % 4], true);
        CHECK_EQ(stats_of(store).entries, 0);
        check_serves(store, count);
        lrd_close(store);
    }
    check_context("%s", "");
}

/* The view tells how far a doubling is. The damaged view says that the doubling has ended, or that
 * none has begun. An adopter must believe the view, and drop the entries that do not fit. */
static void a_view_that_could_be_true_drops_what_does_not_fit(void **state)
{
    (void)state;
    for (int damage = 0; damage < 4; damage++) {
        lrd_policy policy = damage % 2 == 0 ? LRD_VOLATILE : LRD_SESSION;
        uint32_t count = leave_growing(policy, "grow_homes", 20);
        lrd_store *store = open_named(policy, false);
        lrd__view *view = &store->header->view;
        check_context("damage %d", damage);
        if (damage < 2) {
            atomic_store(&view->mask, atomic_load(&view->next));
        } else {
            atomic_store(&view->next, atomic_load(&view->mask));
            atomic_store(&view->grown, store->geo.buckets * 2 << doublings(store));
        }
        lrd_close(store);
        store = open_named(policy, false);
        check_serves(store, count);
        lrd_close(store);
    }
    check_context("%s", "");
}

static void damaged_homes_drop_what_does_not_fit(void **state)
{
    (void)state;
    for (int damage = 0; damage < 24; damage++) {
        lrd_policy policy = policies[damage % 4];
        uint32_t count = leave_growing(policy, "grow_homes", 30);
        lrd_store *store = open_named(policy, false);
        uint32_t homes = lrd__shard_homes(store->shards);
        const uint32_t values[] = {0, 1, homes - 1, homes + 1, homes / 2, UINT32_MAX};
        check_context("damage %d", damage);
        atomic_store(&store->shards[0].homes, values[damage / 4]);
        lrd_close(store);
        store = open_named(policy, false);
        /* An immutable store may lose all entries, other stores only those of shard 0. */
        if (policy != LRD_IMMUTABLE)
            CHECK(stats_of(store).entries >= count / 3);
        check_serves(store, count);
        lrd_close(store);
    }
    check_context("%s", "");
}

static void a_damaged_mark_of_a_move_drops_nothing(void **state)
{
    (void)state;
    uint64_t random = test_seed(31);
    for (int damage = 0; damage < 40; damage++) {
        lrd_policy policy = policies[damage % 4];
        uint32_t count = leave_growing(policy, damage < 20 ? "grow_homes" : "index_copied", 30);
        lrd_store *store = open_named(policy, false);
        for (uint32_t shard = 0; shard < 2; shard++)
            atomic_store(&store->shards[shard].moving,
                         (uint32_t)(damage % 5 == 0
                                        ? random_next(&random)
                                        : 1 + random_below(&random, lrd__shard_slots(store))));
        lrd_close(store);
        store = open_named(policy, false);
        for (uint32_t i = 0; i < count; i++)
            check_item(store, "key", i, i);
        check_serves(store, count);
        lrd_close(store);
    }
}

/* All buckets in which a new entry may lie are full. Their entries are as far from their homes as
 * allowed, so none of them can move to the empty bucket behind these buckets. */
static void an_empty_slot_that_nothing_reaches_is_no_room(void **state)
{
    (void)state;
    enum { HOME = 20, FULL = HOME + LRD__PROBES };
    lrd_store *store = store_of(LRD_PINNED, 4 * MIB, 1, 10000, NULL);
    CHECK_OK(put_item(store, "key", 0, 0, 0)); /* this call claims a slot */
    CHECK_OK(lrd_delete(store, "key 0", 5));
    CHECK(lrd__shard_homes(store->shards) > FULL + LRD__PROBES);
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    for (uint32_t slot = HOME * LRD__WAYS; slot < FULL * LRD__WAYS; slot++)
        atomic_store(lrd__index_word(store, 0, slot), lrd__word_make(1, LRD__PROBES - 1, 64));
    CHECK_EQ(lrd__grow_make_room(store, 0, HOME), LRD__NO_SLOT);
    for (uint32_t slot = HOME * LRD__WAYS; slot < FULL * LRD__WAYS; slot++)
        atomic_store(lrd__index_word(store, 0, slot), 0);
    lrd__shard_unlock(store, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The nearest empty slot, in bucket FULL, is in a queue, so lrd__index_vacant_at() returns one in
 * the next bucket. No entry can move that far. lrd__grow_make_room() must go back to the slot in
 * bucket FULL, to which an entry can move. */
static void an_empty_slot_in_a_queue_moves_nearer_without_an_entry(void **state)
{
    (void)state;
    enum { HOME = 20, FULL = HOME + LRD__PROBES, MOVABLE = (HOME + 1) * LRD__WAYS };
    lrd_store *store = store_of(LRD_VOLATILE, 4 * MIB, 1, 10000, NULL);
    CHECK_OK(put_item(store, "key", 0, 0, 0));
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    uint32_t slot = 0, queued = FULL * LRD__WAYS;
    while (lrd__slot_word(store, 0, slot) == 0)
        slot++;
    uint64_t offset = lrd__slot_offset(store, 0, slot);
    for (slot = HOME * LRD__WAYS; slot < (FULL + 1) * LRD__WAYS; slot++)
        atomic_store(lrd__index_word(store, 0, slot), lrd__word_make(1, LRD__PROBES - 1, offset));
    atomic_store(lrd__index_word(store, 0, MOVABLE), lrd__word_make(1, 0, offset));
    store->links[lrd__slot_number(store, 0, MOVABLE)] = LRD__IN_SMALL;
    atomic_store(lrd__index_word(store, 0, queued), 0);
    store->links[lrd__slot_number(store, 0, queued)] = LRD__IN_SMALL;
    atomic_store(&store->shards[0].evicted, 1);
    CHECK_EQ(lrd__index_vacant_at(store, 0, HOME, FULL) / LRD__WAYS, FULL + 1);
    CHECK_EQ(lrd__grow_make_room(store, 0, HOME), MOVABLE);
    CHECK_EQ(lrd__slot_word(store, 0, MOVABLE), 0);
    CHECK_EQ(lrd__slot_word(store, 0, queued),
             lrd__word_make(1, FULL - MOVABLE / LRD__WAYS, offset));
    lrd__shard_unlock(store, 0);
    lrd_close(store);
}

static void look_at_the_mark(const char *name, void *arg)
{
    const lrd_store *store = ((void **)arg)[0];
    if (strcmp(name, "grow_moved") == 0) {
        CHECK(atomic_load(&store->shards[0].moving) != 0);
        ++*(unsigned *)((void **)arg)[1];
    }
}

static void the_index_grows_in_time_and_marks_what_moves(void **state)
{
    (void)state;
    lrd_store *store = store_of(LRD_PINNED, 4 * MIB, 1, 0, NULL);
    uint32_t item = 0;
    unsigned moved = 0;
    CHECK_OK(put_item(store, "key", item, item, 0));
    uint32_t places = lrd__shard_homes(store->shards) * LRD__WAYS;
    failpoint_hook(look_at_the_mark, (void *[]){store, &moved});
    for (item++; !growing(store) && doublings(store) == 0; item++) {
        CHECK(item * 5 < places * 3 + 5);
        CHECK_OK(put_item(store, "key", item, item, 0));
    }
    CHECK(item * 5 >= places * 3);
    while (moved == 0) {
        CHECK_OK(put_item(store, "key", item, item, 0));
        item++;
    }
    failpoint_hook(NULL, NULL);
    CHECK_EQ(atomic_load(&store->shards[0].moving), 0);
    check_items(store, item);
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_found_after_every_step),
        cmocka_unit_test(changed_entries_stay_what_they_are),
        cmocka_unit_test(a_clear_while_the_index_grows_removes_all),
        cmocka_unit_test(a_sweep_ends_a_doubling),
        cmocka_unit_test(a_put_moves_a_bounded_number_of_words),
        cmocka_unit_test(an_iteration_gives_each_entry_once_while_the_index_grows),
        cmocka_unit_test(readers_of_other_processes_miss_nothing),
        cmocka_unit_test(clears_of_another_process_remove_all_or_nothing),
        cmocka_unit_test(a_stalled_split_hides_nothing),
        cmocka_unit_test(who_grows_the_index_can_be_killed_anywhere),
        cmocka_unit_test(a_store_left_in_the_middle_of_a_doubling_is_adopted_whole),
        cmocka_unit_test(a_damaged_view_is_made_anew),
        cmocka_unit_test(a_view_that_could_be_true_drops_what_does_not_fit),
        cmocka_unit_test(damaged_homes_drop_what_does_not_fit),
        cmocka_unit_test(a_damaged_mark_of_a_move_drops_nothing),
        cmocka_unit_test(the_index_grows_in_time_and_marks_what_moves),
        cmocka_unit_test(an_empty_slot_that_nothing_reaches_is_no_room),
        cmocka_unit_test(an_empty_slot_in_a_queue_moves_nearer_without_an_entry),
    };
    return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
