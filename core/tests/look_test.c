/* look_test.c - tools that inspect a store create none. They report ages, uses, threads and the
 * causes of refusals. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (1u << 20)

static char path[256], lock_path[300];

static int fresh_path(void **state)
{
    static unsigned number;
    (void)state;
    char name[32];
    snprintf(name, sizeof name, "look-%u", number++);
    snprintf(path, sizeof path, "%s", temp_path(name));
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    return 0;
}

static int look(lrd_store **store)
{
    lrd_options options = {.path = path, .open_only = true};
    return lrd_open(&options, store);
}

static lrd_store *make(lrd_options options)
{
    lrd_store *store = NULL;
    options.path = path;
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

static void looking_makes_nothing(void **state)
{
    (void)state;
    lrd_store *store = NULL;
    CHECK_CODE(look(&store), LRD_ESYS);
    CHECK(strstr(lrd_error_detail(), path) != NULL);
    CHECK(store == NULL);
    CHECK(access(path, F_OK) != 0);
    CHECK(access(lock_path, F_OK) != 0);
}

static void a_store_of_any_kind_is_opened_as_it_is(void **state)
{
    (void)state;
    lrd_info info;
    lrd_value value;
    lrd_store *store = NULL;
    lrd_store *made = make((lrd_options){
        .policy = LRD_PINNED, .size = 3 * MIB, .slots = 16, .shards = 2, .value_abi = "theirs"});
    CHECK_OK(lrd_put(made, "key", 3, "value", 5, &(lrd_write){.type = 7}));
    lrd_close(made);
    CHECK_OK(look(&store)); /* no process uses this store */
    lrd_store_info(store, &info);
    CHECK_EQ(info.policy, LRD_PINNED);
    CHECK_EQ(info.size, 3 * MIB);
    CHECK_EQ(info.created, false);
    CHECK(strcmp(info.value_abi, "theirs") == 0);
    CHECK_OK(lrd_get(store, "key", 3, LRD_GET_BORROW, &value));
    CHECK_EQ(value.type, 7);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Invert a byte of a store that no process uses. */
static void damage(off_t at)
{
    uint8_t byte = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 && pread(fd, &byte, 1, at) == 1);
    byte ^= 0xff;
    CHECK(pwrite(fd, &byte, 1, at) == 1);
    close(fd);
}

static void what_does_not_fit_is_named_and_left(void **state)
{
    (void)state;
    struct stat before, after;
    lrd_store *store = NULL;
    static const struct {
        off_t at;
        int code;
        const char *says;
    } cases[] = {{0, LRD_EFORMAT, "not a larder segment"},
                 {8, LRD_EMISMATCH, "layout version"},
                 {16, LRD_EFORMAT, "checksum"}};
    lrd_close(make((lrd_options){.size = MIB, .slots = 16}));
    CHECK_EQ(stat(path, &before), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        damage(cases[i].at);
        CHECK_CODE(look(&store), cases[i].code);
        CHECK(strstr(lrd_error_detail(), cases[i].says) != NULL);
        damage(cases[i].at);
        CHECK_EQ(stat(path, &after), 0);
        CHECK_EQ(before.st_ino, after.st_ino);
    }
    CHECK_OK(look(&store));
    lrd_close(store);
}

static void a_size_is_kept_where_it_may_be(void **state)
{
    (void)state;
    lrd_info info;
    lrd_value value;
    lrd_store *store = make((lrd_options){.size = 2 * MIB, .slots = 16});
    CHECK_OK(lrd_put(store, "key", 3, "value", 5, NULL));
    lrd_close(store);
    store = make((lrd_options){.size = 4 * MIB, .slots = 16, .accept_size = true});
    lrd_store_info(store, &info);
    CHECK_EQ(info.size, 2 * MIB);
    CHECK_OK(lrd_get(store, "key", 3, LRD_GET_BORROW, &value));
    lrd_close(store);
    store = make((lrd_options){.size = 4 * MIB, .slots = 16});
    lrd_store_info(store, &info);
    CHECK_EQ(info.size, 4 * MIB);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    lrd_close(store);
}

static uint64_t age_of(lrd_store *store, const char *key)
{
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    return entry.age_ms;
}

static void an_entry_knows_its_age_and_its_use(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store =
        make((lrd_options){.size = MIB, .slots = 16, .clock_ms = clock_read, .clock_arg = clock});
    lrd_value value;
    lrd_cursor cursor = {0};
    int64_t count;
    CHECK_OK(lrd_put(store, "old", 3, "x", 1, NULL));
    *clock += 5000;
    CHECK_OK(lrd_put(store, "new", 3, "x", 1, NULL));
    CHECK_OK(lrd_counter_add(store, "n", 1, 1, 0, 0, &count));
    *clock += 250;
    CHECK_EQ(age_of(store, "old"), 5250);
    CHECK_EQ(age_of(store, "new"), 250);
    CHECK_EQ(age_of(store, "n"), 0);
    for (int i = 0; i < 5; i++)
        CHECK_OK(lrd_get(store, "old", 3, LRD_GET_BORROW, &value));
    unsigned seen = 0;
    while (lrd_next(store, &cursor, &value) == LRD_OK) {
        lrd_entry entry;
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK_EQ(cursor.uses, memcmp(entry.key, "old", entry.key_len) == 0 ? 3 : 0);
        seen++;
    }
    CHECK_EQ(seen, 3);
    /* A write in the same millisecond gets a higher version, but its age is still 0. */
    CHECK_OK(lrd_put(store, "old", 3, "y", 1, NULL));
    CHECK_EQ(age_of(store, "old"), 0);
    lrd_close(store);
}

static void refusals_and_evictions_have_causes_and_an_age(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    char key[16], bytes[4000] = {0};
    lrd_stats stats;
    lrd_store *store = make((lrd_options){.policy = LRD_PINNED, .size = MIB, .slots = 16});
    CHECK_CODE(lrd_put(store, "k", 1, bytes, 2 * MIB, NULL), LRD_ESIZE);
    unsigned full = 0;
    for (int i = 0; i < 400; i++) {
        snprintf(key, sizeof key, "%d", i);
        full += lrd_put(store, key, strlen(key), bytes, sizeof bytes, NULL) == LRD_ENOROOM;
    }
    CHECK_OK(lrd_stats_get(store, &stats));
    CHECK(full > 0);
    CHECK_EQ(stats.refused, full + 1);
    CHECK_EQ(stats.refused_by[LRD_REFUSED_FULL], full);
    CHECK_EQ(stats.refused_by[LRD_REFUSED_SIZE], 1);
    lrd_close(store);
    unlink(path);

    store =
        make((lrd_options){.size = MIB, .slots = 16, .clock_ms = clock_read, .clock_arg = clock});
    for (int i = 0; i < 4000; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(lrd_put(store, key, strlen(key), bytes, sizeof bytes, NULL));
        *clock += 10;
    }
    CHECK_OK(lrd_stats_get(store, &stats));
    CHECK(stats.evicted > 3000);
    /* About 250 entries fit. One is written every 10 ms. */
    CHECK(stats.evicted_age_ms > 200 && stats.evicted_age_ms < 5000);
    lrd_close(store);
}

static void causes_have_words_and_are_news_once(void **state)
{
    (void)state;
    CHECK(strcmp(lrd_refusal_name(LRD_REFUSED_FILE_SYSTEM), "file_system") == 0);
    CHECK(strcmp(lrd_refusal_name(LRD_REFUSALS), "") == 0);
    CHECK(strcmp(lrd_refusal_text(-1), "") == 0);
    for (int a = 0; a < (int)LRD_REFUSALS; a++) {
        CHECK(lrd_refusal_text(a)[0] != '\0');
        for (int b = 0; b < a; b++) {
            CHECK(strcmp(lrd_refusal_name(a), lrd_refusal_name(b)) != 0);
            CHECK(strcmp(lrd_refusal_text(a), lrd_refusal_text(b)) != 0);
        }
    }
    lrd_store *store = make((lrd_options){.policy = LRD_PINNED, .size = MIB, .slots = 16});
    for (int cause = 0; cause < (int)LRD_REFUSALS; cause++) {
        CHECK(lrd_refusal_is_news(store, cause));
        CHECK(!lrd_refusal_is_news(store, cause));
    }
    CHECK(!lrd_refusal_is_news(store, -1));
    CHECK(!lrd_refusal_is_news(store, LRD_REFUSALS));
    CHECK_EQ(lrd_refusal_of(store, LRD_OK), -1);
    CHECK_EQ(lrd_refusal_of(store, LRD_ESIZE), LRD_REFUSED_SIZE);
    CHECK_EQ(lrd_refusal_of(store, LRD_ENOINDEX), LRD_REFUSED_INDEX);
    lrd_close(store);
}

static void counts_outlive_all_users(void **state)
{
    (void)state;
    lrd_stats stats;
    lrd_value value;
    for (uint64_t i = 1; i <= 3; i++) {
        lrd_store *store = make((lrd_options){.size = MIB, .slots = 16});
        CHECK_OK(lrd_put(store, "key", 3, "x", 1, NULL));
        CHECK_OK(lrd_get(store, "key", 3, LRD_GET_BORROW, &value));
        CHECK_CODE(lrd_get(store, "none", 4, LRD_GET_BORROW, &value), LRD_MISS);
        CHECK_OK(lrd_stats_get(store, &stats));
        CHECK_EQ(stats.hits, i);
        CHECK_EQ(stats.misses, i);
        lrd_close(store);
    }
}

static void count_user(void *arg, const lrd_user *user)
{
    uint64_t *hits = arg;
    CHECK_EQ(user->thread, getpid());
    *hits += user->hits;
}

static void threads_are_listed(void **state)
{
    (void)state;
    uint64_t hits = 0;
    lrd_value value;
    lrd_store *store = make((lrd_options){.size = MIB, .slots = 16});
    CHECK_OK(lrd_put(store, "key", 3, "x", 1, NULL));
    for (int i = 0; i < 3; i++)
        CHECK_OK(lrd_get(store, "key", 3, LRD_GET_BORROW, &value));
    CHECK_EQ(lrd_users(store, count_user, &hits), 1);
    CHECK_EQ(hits, 3);
    lrd_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_path)
    const struct CMUnitTest tests[] = {
        TEST(looking_makes_nothing),
        TEST(a_store_of_any_kind_is_opened_as_it_is),
        TEST(what_does_not_fit_is_named_and_left),
        TEST(a_size_is_kept_where_it_may_be),
        TEST(an_entry_knows_its_age_and_its_use),
        TEST(refusals_and_evictions_have_causes_and_an_age),
        TEST(causes_have_words_and_are_news_once),
        TEST(counts_outlive_all_users),
        TEST(threads_are_listed),
    };
#undef TEST
    return cmocka_run_group_tests_name("looking", tests, NULL, NULL);
}
