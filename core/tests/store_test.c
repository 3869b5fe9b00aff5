/* store_test.c - the promises of every public function, with good and bad arguments. entry_test.c
 * tests entries over time, handle_test.c handles, policy_test.c full stores. */
#include "support.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STORES_MAX 32u /* maximum number of stores that a process can open */
#define MIB (1u << 20)

/* ---- error texts ---- */

static void every_code_has_a_name_and_a_text(void **state)
{
    (void)state;
#define ROW(name, value, text) {name, value, #name, text},
    static const struct {
        int code, value;
        const char *name, *text;
    } rows[] = {LRD_CODES(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(rows[i].code, rows[i].value);
        assert_string_equal(lrd_error_name(rows[i].code), rows[i].name);
        assert_string_equal(lrd_strerror(rows[i].code), rows[i].text);
    }
    assert_string_equal(lrd_strerror(-9999), "unknown code");
    assert_string_equal(lrd_strerror(9999), "unknown code");
    CHECK(lrd_error_name(-9999) != NULL);
}

static void a_failure_leaves_a_detail_that_names_the_offending_option(void **state)
{
    (void)state;
    lrd_options options = {.size = MIB, .slots = 15};
    lrd_store *store = NULL;
    CHECK_CODE(lrd_open(&options, &store), LRD_EINVAL);
    CHECK(store == NULL);
    CHECK(strstr(lrd_error_detail(), "slots") != NULL);
}

/* ---- opening ---- */

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    char long_abi[65];
    memset(long_abi, 'a', 64);
    long_abi[64] = '\0';
    const lrd_options bad[] = {
        {.size = 1},
        {.size = LRD_SIZE_MIN - 1},
        {.size = LRD_SIZE_MAX + 1},
        {.size = UINT64_MAX},
        {.size = MIB, .policy = (lrd_policy)(LRD_QUEUE + 1)},
        {.size = MIB, .policy = (lrd_policy)-1},
        {.size = MIB, .shards = 3},
        {.size = MIB, .shards = 512},
        {.size = MIB, .slots = 15},
        {.size = MIB, .slots = 4097},
        {.size = MIB, .base = 0x550000001000ull},
        {.size = MIB, .value_abi = long_abi},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lrd_store *store = NULL;
        int code = lrd_open(&bad[i], &store);
        if (code != LRD_EINVAL || store != NULL)
            check_failed(__FILE__, __LINE__, "bad options %zu gave %s", i, lrd_error_name(code));
        CHECK(lrd_error_detail()[0] != '\0');
    }
}

static void info_tells_what_was_asked_for(void **state)
{
    (void)state;
    lrd_options options = {
        .policy = LRD_SESSION, .size = 3 * MIB + 1, .entries_hint = 5000, .shards = 4, .slots = 17};
    lrd_store *store;
    lrd_info info;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    CHECK_EQ(info.policy, LRD_SESSION);
    CHECK_EQ(info.size, 3 * MIB + 65536);
    CHECK_EQ(info.shards, 4);
    CHECK_EQ(info.slots, 17);
    CHECK(info.entries_max >= 5000);
    CHECK(info.entries_max <= info.words);
    CHECK(info.value_max <= info.size / 2);
    CHECK(info.value_max >= info.size / 2 - 65536);
    CHECK(info.base != NULL);
    CHECK(info.created);
    CHECK_EQ((uintptr_t)info.base % (2 * MIB), 0);
    lrd_close(store);
}

static void zero_means_default_for_every_option(void **state)
{
    (void)state;
    lrd_options options = {.policy = LRD_VOLATILE};
    lrd_store *store;
    lrd_info info;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    CHECK_EQ(info.policy, LRD_VOLATILE);
    CHECK_EQ(info.size, 64 * MIB);
    CHECK_EQ(info.shards, 4);
    CHECK_EQ(info.slots, 4096);
    CHECK(info.entries_max >= 64 * MIB / 64);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

static void two_stores_are_open_at_once_and_do_not_mix(void **state)
{
    (void)state;
    lrd_store *one = store_new(LRD_VOLATILE, MIB, 0), *two = store_new(LRD_VOLATILE, MIB, 0);
    uint64_t seed;
    CHECK_OK(put_value(one, "key", 100, 1, LRD_SET, 0));
    CHECK_CODE(get_checked(two, "key", NULL, NULL), LRD_MISS);
    CHECK_OK(put_value(two, "key", 100, 2, LRD_SET, 0));
    CHECK_OK(get_checked(one, "key", NULL, &seed));
    CHECK_EQ(seed, 1);
    lrd_close(one);
    CHECK_OK(get_checked(two, "key", NULL, &seed));
    CHECK_EQ(seed, 2);
    lrd_close(two);
}

static void an_inherited_descriptor_opens_to_the_same_store(void **state)
{
    (void)state;
    int fd = memfd_create("larder-test", MFD_CLOEXEC);
    CHECK(fd >= 0);
    lrd_options options = {.policy = LRD_VOLATILE, .size = MIB, .slots = 16};
    lrd_store *store;
    lrd_info info;
    CHECK_OK(lrd_open_fd(fd, &options, &store));
    lrd_store_info(store, &info);
    CHECK(info.created);
    CHECK_OK(put_value(store, "key", 100, 7, LRD_SET, 0));
    lrd_close(store);
    CHECK_OK(lrd_open_fd(fd, &options, &store));
    lrd_store_info(store, &info);
    CHECK(!info.created);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
    close(fd);
}

/* ---- keys and sizes ---- */

static void call_all_with_key(lrd_store *store, const void *key, size_t key_len, int wanted)
{
    lrd_value value;
    lrd_reservation reservation;
    int64_t result;
    CHECK_CODE(lrd_get(store, key, key_len, 0, &value), wanted);
    CHECK_CODE(lrd_get(store, key, key_len, LRD_GET_BORROW, &value), wanted);
    CHECK_CODE(lrd_has(store, key, key_len), wanted);
    CHECK_CODE(lrd_reserve(store, key, key_len, 1, 0, &reservation), wanted);
    CHECK_CODE(lrd_put(store, key, key_len, "x", 1, NULL), wanted);
    CHECK_CODE(lrd_put(store, key, key_len, "x", 1, &(lrd_write){.mode = LRD_ADD}), wanted);
    CHECK_CODE(
        lrd_put(store, key, key_len, "x", 1, &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
        wanted);
    CHECK_CODE(lrd_delete(store, key, key_len), wanted);
    CHECK_CODE(lrd_touch(store, key, key_len, 0), wanted);
    CHECK_CODE(lrd_counter_add(store, key, key_len, 1, 0, 0, &result), wanted);
    CHECK_CODE(lrd_counter_update(store, key, key_len, 1, &result), wanted);
    CHECK_CODE(lrd_lock(store, key, key_len, 0, 0, NULL), wanted);
    CHECK_CODE(lrd_unlock(store, key, key_len, 0), wanted);
}

static void keys_of_no_bytes_or_more_than_65535_are_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    static char key[LRD_KEY_MAX + 2];
    memset(key, 'k', sizeof key);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    uint64_t before = content_of(store);
    call_all_with_key(store, key, 0, LRD_EKEY);
    call_all_with_key(store, key, LRD_KEY_MAX + 1, LRD_EKEY);
    call_all_with_key(store, key, SIZE_MAX, LRD_EKEY);
    CHECK_EQ(content_of(store), before);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void keys_are_any_bytes_and_compared_whole(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    static char longest[LRD_KEY_MAX];
    memset(longest, 'k', sizeof longest);
    const struct {
        const char *bytes;
        size_t len;
    } keys[] = {{"", 1},
                {"a", 1},
                {"a\0", 2},
                {"a\0b", 3},
                {"a\0c", 3},
                {"\xff\xfe", 2},
                {longest, 65},
                {longest, 1000},
                {longest, LRD_KEY_MAX - 1},
                {longest, 64},
                {longest, LRD_KEY_MAX}};
    size_t count = sizeof keys / sizeof *keys;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(lrd_put(store, keys[i].bytes, keys[i].len, &i, sizeof i,
                         &(lrd_write){.mode = LRD_ADD}));
    for (size_t i = 0; i < count; i++) {
        lrd_value value;
        lrd_entry entry;
        CHECK_OK(lrd_get(store, keys[i].bytes, keys[i].len, 0, &value));
        assert_memory_equal(value.data, &i, sizeof i);
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK_EQ(entry.key_len, keys[i].len);
        assert_memory_equal(entry.key, keys[i].bytes, entry.key_len);
        CHECK_OK(lrd_release(store, &value));
    }
    CHECK_EQ(stats_of(store).entries, count);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void values_larger_than_the_bound_or_near_size_max_are_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 2 * MIB, 0);
    lrd_info info;
    lrd_store_info(store, &info);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    uint64_t before = content_of(store);
    const size_t sizes[] = {(size_t)info.value_max + 1,
                            2 * MIB,
                            3 * MIB,
                            SIZE_MAX,
                            SIZE_MAX - 1,
                            SIZE_MAX - 15,
                            SIZE_MAX - 16,
                            SIZE_MAX - 31,
                            SIZE_MAX - 32,
                            SIZE_MAX - 33,
                            SIZE_MAX - 64,
                            SIZE_MAX / 2,
                            1ull << 36,
                            1ull << 40,
                            1ull << 32};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lrd_reservation reservation;
        CHECK_CODE(lrd_reserve(store, "key", 3, sizes[i], 0, &reservation), LRD_ESIZE);
        CHECK_CODE(lrd_abort(store, &reservation), LRD_ESTATE);
        CHECK_CODE(lrd_put(store, "key", 3, "", sizes[i], NULL), LRD_ESIZE);
    }
    CHECK_EQ(content_of(store), before);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_value_as_large_as_the_bound_fits(void **state)
{
    (void)state;
    for (int policy = LRD_VOLATILE; policy <= LRD_SESSION; policy++) {
        lrd_store *store = store_new((lrd_policy)policy, 2 * MIB, 0);
        lrd_info info;
        size_t size;
        lrd_store_info(store, &info);
        CHECK_OK(put_value(store, "key", (size_t)info.value_max, 9, LRD_ADD, 0));
        CHECK_OK(get_checked(store, "key", &size, NULL));
        CHECK_EQ(size, info.value_max);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void values_of_every_size_come_back_aligned_and_whole(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    for (size_t size = 0; size < 300000; size = size < 300 ? size + 1 : size * 9 / 8 + 3) {
        lrd_value value;
        CHECK_OK(put_value(store, "the key", size, size, LRD_SET, 0));
        CHECK_OK(lrd_get(store, "the key", 7, 0, &value));
        CHECK_EQ(value.size, size);
        CHECK_EQ(value.kind, LRD_KIND_HELD);
        CHECK_EQ((uintptr_t)value.data % LRD_ALIGN, 0);
        CHECK(value_valid(value.data, size, "the key", 7));
        CHECK_EQ(value_seed(value.data, size), value_cut_seed(size, size));
        CHECK(lrd_contains(store, value.data));
        CHECK_OK(lrd_release(store, &value));
        CHECK_EQ(value.kind, LRD_KIND_NONE);
    }
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct fill_calls {
    uint32_t count;
} fill_calls;

/* Fill the value with addresses: each word gets the address at which readers will find it. */
static void fill_addresses(const void *from, void *build, const void *data, size_t size)
{
    ((fill_calls *)(uintptr_t)from)->count++;
    for (size_t i = 0; i < size / sizeof(uintptr_t); i++)
        ((uintptr_t *)build)[i] = (uintptr_t)data + i * sizeof(uintptr_t);
}

static void a_value_may_be_built_with_its_own_addresses(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 8, 256, 1016, 1024, 1032, 4096, 100000};
    lrd_store *store = store_new(LRD_VOLATILE, 2 * MIB, 0);
    fill_calls calls = {0};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lrd_value value;
        CHECK_OK(lrd_put_fill(store, "key", 3, sizes[i], fill_addresses, &calls,
                              &(lrd_write){.type = 7}));
        CHECK_EQ(calls.count, i + 1);
        CHECK_OK(lrd_get(store, "key", 3, 0, &value));
        CHECK_EQ(value.size, sizes[i]);
        CHECK_EQ(value.type, 7);
        for (size_t word = 0; word < sizes[i] / sizeof(uintptr_t); word++)
            CHECK_EQ(((const uintptr_t *)value.data)[word],
                     (uintptr_t)value.data + word * sizeof(uintptr_t));
        CHECK_OK(lrd_release(store, &value));
    }
    calls.count = 0;
    for (size_t size = 8; size <= 8192; size *= 1024)
        CHECK_CODE(lrd_put_fill(store, "key", 3, size, fill_addresses, &calls,
                                &(lrd_write){.mode = LRD_ADD}),
                   LRD_EXISTS);
    CHECK_CODE(lrd_put_fill(store, "key", 3, 2 * MIB, fill_addresses, &calls, NULL), LRD_ESIZE);
    CHECK_EQ(calls.count, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void structs_with_fields_of_a_later_version_are_refused(void **state)
{
    (void)state;
    lrd_options options = LRD_OPTIONS_INIT;
    lrd_write how = LRD_WRITE_INIT;
    lrd_push push = LRD_PUSH_INIT;
    lrd_store *store;
    lrd_queue queue;
    options.size = MIB;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(lrd_put(store, "key", 3, "a", 1, &how));
    how.struct_size = sizeof how + 1;
    CHECK_CODE(lrd_put(store, "key", 3, "b", 1, &how), LRD_EINVAL);
    CHECK(strstr(lrd_error_detail(), "lrd_write") != NULL);
    CHECK_OK(lrd_get(store, "key", 3, 0, &(lrd_value){0}));
    lrd_close(store);

    options.policy = LRD_QUEUE;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(lrd_queue_open(store, "work", 4, 0, &queue));
    CHECK_OK(lrd_queue_push(store, queue, "a", 1, 0, &push, NULL));
    push.struct_size = sizeof push + 1;
    CHECK_CODE(lrd_queue_push(store, queue, "b", 1, 0, &push, NULL), LRD_EINVAL);
    lrd_close(store);

    options.struct_size = sizeof options + 1;
    CHECK_CODE(lrd_open(&options, &store), LRD_EINVAL);
    CHECK(store == NULL);
}

static void the_type_byte_comes_back(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    for (unsigned type = 0; type < LRD_TYPE_COUNTER; type++) {
        lrd_value value;
        CHECK_OK(lrd_put(store, "key", 3, "abc", 3, &(lrd_write){.type = (uint8_t)type}));
        CHECK_OK(lrd_get(store, "key", 3, 0, &value));
        CHECK_EQ(value.type, type);
        CHECK_OK(lrd_release(store, &value));
    }
    lrd_close(store);
}

static void contains_is_true_for_addresses_in_the_data_only(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_info info;
    lrd_store_info(store, &info);
    const char *base = info.base;
    CHECK(lrd_contains(store, base));
    CHECK(lrd_contains(store, base + info.size - 1));
    CHECK(!lrd_contains(store, base + info.size + 256 * 1024));
    CHECK(!lrd_contains(store, base - 1));
    CHECK(!lrd_contains(store, &info));
    CHECK(!lrd_contains(store, NULL));
    CHECK(!lrd_contains(store, store));
    lrd_close(store);
}

/* ---- modes ---- */

static void add_refuses_a_key_that_has_a_live_entry(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    uint64_t seed;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_ADD, 0));
    uint64_t before = content_of(store);
    CHECK_CODE(put_value(store, "key", 100, 2, LRD_ADD, 0), LRD_EXISTS);
    CHECK_EQ(content_of(store), before);
    CHECK_OK(get_checked(store, "key", NULL, &seed));
    CHECK_EQ(seed, 1);
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_OK(put_value(store, "key", 100, 3, LRD_ADD, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
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

/* A small value is written to the store before the conditions of the write are checked. If a
 * condition then refuses the write, the value's memory must be free again. */
static void a_write_that_is_refused_leaves_no_memory_behind(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 700, 1024, 5000};
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    char *key = calloc(1, LRD_KEY_MAX), value[5000] = "";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t len = 3; len <= LRD_KEY_MAX; len += LRD_KEY_MAX - 3) {
            CHECK_OK(lrd_put(store, key, len, value, sizes[i], NULL));
            CHECK_OK(lrd_sweep(store, NULL));
            uint64_t before = allocated_bytes(store), epoch = content_of(store);
            for (int refused = 0; refused < 100; refused++) {
                CHECK_CODE(lrd_put(store, key, len, value, sizes[i],
                                   &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
                           LRD_STALE);
                CHECK_CODE(lrd_put(store, key, len - 1, value, sizes[i],
                                   &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
                           LRD_MISS);
            }
            CHECK_FSCK(store);
            CHECK_OK(lrd_sweep(store, NULL));
            CHECK_EQ(allocated_bytes(store), before);
            CHECK_EQ(content_of(store), epoch);
        }
    CHECK_EQ(stats_of(store).evicted, 0);
    free(key);
    lrd_close(store);
}

/* A store's size does not include its mini pages, so a full store has more allocated bytes than its
 * size. The size includes the descriptions of messages, which lie in no page, so a queue has more
 * live bytes than allocated bytes. */
static void what_is_used_is_claimed_and_no_more_than_the_size(void **state)
{
    (void)state;
    lrd_stats stats;
    lrd_queue queue;
    uint64_t id;
    char key[32];
    static const char value[100] = "";
    lrd_store *store = store_new(LRD_PINNED, MIB, 4);
    int rc = LRD_OK;
    for (int i = 0; rc == LRD_OK; i++)
        rc = lrd_put(store, key, (size_t)snprintf(key, sizeof key, "key %d", i), value,
                     sizeof value, NULL);
    CHECK_CODE(rc, LRD_ENOROOM);
    CHECK(allocated_bytes(store) > MIB);
    stats = stats_of(store);
    CHECK_EQ(stats.live_bytes, MIB);
    CHECK_EQ(stats.page_bytes, MIB);
    lrd_close(store);

    store = store_new(LRD_QUEUE, MIB, 1);
    CHECK_OK(lrd_queue_open(store, "queue", 5, 0, &queue));
    for (int i = 0; i < 100; i++)
        CHECK_OK(lrd_queue_push(store, queue, value, 1, 0, NULL, &id));
    stats = stats_of(store);
    CHECK(stats.live_bytes > allocated_bytes(store));
    CHECK_EQ(stats.page_bytes, stats.live_bytes);
    lrd_close(store);
}

static void replace_wants_the_version_that_is_there(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_SESSION, MIB, 0);
    CHECK_CODE(lrd_put(store, "key", 3, "a", 1, &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
               LRD_MISS);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_OK(lrd_put(store, "key", 3, "a", 1, NULL));
    uint64_t first = version_of(store, "key");
    CHECK(first > 0);
    uint64_t before = content_of(store);
    CHECK_CODE(
        lrd_put(store, "key", 3, "b", 1, &(lrd_write){.version = first + 1, .mode = LRD_REPLACE}),
        LRD_STALE);
    CHECK_CODE(lrd_put(store, "key", 3, "b", 1, &(lrd_write){.mode = LRD_REPLACE}), LRD_STALE);
    CHECK_EQ(content_of(store), before);
    CHECK_OK(lrd_put(store, "key", 3, "b", 1, &(lrd_write){.version = first, .mode = LRD_REPLACE}));
    uint64_t second = version_of(store, "key");
    CHECK(second > first);
    CHECK_CODE(
        lrd_put(store, "key", 3, "c", 1, &(lrd_write){.version = first, .mode = LRD_REPLACE}),
        LRD_STALE);
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_CODE(
        lrd_put(store, "key", 3, "c", 1, &(lrd_write){.version = second, .mode = LRD_REPLACE}),
        LRD_MISS);
    CHECK_OK(lrd_put(store, "key", 3, "a", 1, NULL));
    CHECK(version_of(store, "key") > second);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void an_unknown_mode_is_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    CHECK_CODE(lrd_put(store, "key", 3, "a", 1, &(lrd_write){.mode = (lrd_mode)4}), LRD_EINVAL);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void delete_removes_once_and_misses_then(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    CHECK_CODE(lrd_delete(store, "key", 3), LRD_MISS);
    CHECK_OK(put_value(store, "key", 5000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "kez", 5000, 1, LRD_SET, 0));
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    CHECK_CODE(lrd_delete(store, "key", 3), LRD_MISS);
    CHECK_OK(lrd_has(store, "kez", 3));
    CHECK_EQ(stats_of(store).entries, 1);
    lrd_close(store);
}

/* ---- calls that a policy refuses ---- */

static void stores_without_ttl_refuse_one(void **state)
{
    (void)state;
    for (int policy = LRD_PINNED; policy <= LRD_IMMUTABLE; policy++) {
        lrd_store *store = store_new((lrd_policy)policy, MIB, 0);
        lrd_reservation reservation;
        int64_t result;
        CHECK_OK(put_value(store, "old", 100, 1, LRD_ADD, 0));
        uint64_t before = content_of(store);
        CHECK_CODE(lrd_put(store, "key", 3, "a", 1, &(lrd_write){.ttl_ms = 1000, .mode = LRD_ADD}),
                   LRD_EPOLICY);
        CHECK_OK(lrd_reserve(store, "key", 3, 1, 0, &reservation));
        CHECK_CODE(lrd_publish(store, &reservation, LRD_ADD, 1000, 0), LRD_EPOLICY);
        CHECK_CODE(lrd_abort(store, &reservation), LRD_ESTATE);
        CHECK_CODE(lrd_touch(store, "old", 3, 1000), LRD_EPOLICY);
        CHECK_CODE(lrd_counter_add(store, "n", 1, 1, 0, 1000, &result), LRD_EPOLICY);
        CHECK_EQ(content_of(store), before);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void an_immutable_store_only_adds(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_IMMUTABLE, MIB, 0);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_ADD, 0));
    uint64_t before = content_of(store);
    CHECK_CODE(put_value(store, "key", 100, 2, LRD_ADD, 0), LRD_EXISTS);
    CHECK_CODE(put_value(store, "key", 100, 2, LRD_SET, 0), LRD_EPOLICY);
    CHECK_CODE(lrd_put(store, "key", 3, "x", 1, &(lrd_write){.version = 1, .mode = LRD_REPLACE}),
               LRD_EPOLICY);
    CHECK_CODE(lrd_delete(store, "key", 3), LRD_EPOLICY);
    CHECK_CODE(lrd_clear(store), LRD_EPOLICY);
    CHECK_EQ(content_of(store), before);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void counters_have_8_bytes_and_none_is_in_an_immutable_store(void **state)
{
    (void)state;
    int64_t sum, number = 5;
    lrd_value value = {.data = &number, .size = 4, .type = LRD_TYPE_COUNTER};
    CHECK_EQ(lrd_counter_value(&value), 0);
    value.size = 8;
    CHECK_EQ(lrd_counter_value(&value), 5);
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_CODE(lrd_put(store, "n", 1, "1234567", 7, &(lrd_write){.type = LRD_TYPE_COUNTER}),
               LRD_EINVAL);
    CHECK(strstr(lrd_error_detail(), "a counter has 8 bytes, not 7") != NULL);
    CHECK_OK(lrd_put(store, "n", 1, &number, 8, &(lrd_write){.type = LRD_TYPE_COUNTER}));
    CHECK_OK(lrd_counter_add(store, "n", 1, 2, 0, 0, &sum));
    CHECK_EQ(sum, 7);
    lrd_close(store);
    store = store_new(LRD_IMMUTABLE, MIB, 1);
    CHECK_CODE(lrd_counter_add(store, "n", 1, 2, 0, 0, &sum), LRD_EPOLICY);
    CHECK_CODE(lrd_counter_update(store, "n", 1, 2, &sum), LRD_EPOLICY);
    lrd_close(store);
}

static void a_value_of_an_immutable_store_is_held_again_without_a_list(void **state)
{
    (void)state;
    lrd_value value, again;
    lrd_store *store = store_new(LRD_IMMUTABLE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_ADD, 0));
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    CHECK_OK(lrd_hold(store, &value, &again));
    CHECK(again.data == value.data && again.kind == LRD_KIND_HELD);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_release(store, &again));
    CHECK_EQ(lrd_holds(store, NULL, 0), 0);
    lrd_close(store);
}

/* The clock is always below 2^39 ms, so an entry with this time to live never expires. */
static void the_longest_time_to_live_does_not_wrap(void **state)
{
    (void)state;
    lrd_value value;
    lrd_entry entry;
    lrd_store *store = store_new(LRD_SESSION, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, UINT64_MAX));
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK(entry.ttl_ms > 1ull << 60);
    CHECK_OK(lrd_put_held(store, &value, 1000));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK(entry.ttl_ms <= 1000);
    CHECK_OK(lrd_put_held(store, &value, UINT64_MAX));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK(entry.ttl_ms > 1ull << 60);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_thread_without_a_slot_has_counted_and_holds_nothing(void **state)
{
    (void)state;
    uint64_t bytes = 1;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    lrd_count_miss(store);
    lrd_count_unpack(store);
    CHECK_EQ(lrd_holds(store, NULL, 0), 0);
    CHECK(!lrd_holds_limited(store, &bytes));
    CHECK_EQ(bytes, 0);
    CHECK_EQ(lrd_locks_end(store), 0);
    CHECK_OK(lrd_request_end(store));
    lrd_stats stats = stats_of(store);
    CHECK(stats.misses == 0 && stats.unpacks == 0 && stats.slots_used == 0);
    CHECK(!lrd_pressed(store, "", 0));
    CHECK_EQ(lrd_value_uses(store, &(lrd_value){.kind = LRD_KIND_COPY}), 0);
    lrd_close(store);
    lrd_close(NULL);
}

static void a_process_opens_32_stores_at_most(void **state)
{
    (void)state;
    lrd_store *stores[STORES_MAX + 1];
    lrd_options options = {.size = MIB, .slots = 16};
    unsigned open = 0;
    int code;
    while ((code = lrd_open(&options, &stores[open])) == LRD_OK) {
        open++;
        CHECK(open <= STORES_MAX);
    }
    CHECK_CODE(code, LRD_EINVAL);
    CHECK(strstr(lrd_error_detail(), "32 stores are open in this process") != NULL);
    CHECK_EQ(open, STORES_MAX);
    lrd_close(stores[7]);
    CHECK_OK(lrd_open(&options, &stores[7]));
    while (open > 0)
        lrd_close(stores[--open]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_name_and_a_text),
        cmocka_unit_test(a_failure_leaves_a_detail_that_names_the_offending_option),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(info_tells_what_was_asked_for),
        cmocka_unit_test(zero_means_default_for_every_option),
        cmocka_unit_test(two_stores_are_open_at_once_and_do_not_mix),
        cmocka_unit_test(an_inherited_descriptor_opens_to_the_same_store),
        cmocka_unit_test(keys_of_no_bytes_or_more_than_65535_are_refused),
        cmocka_unit_test(keys_are_any_bytes_and_compared_whole),
        cmocka_unit_test(values_larger_than_the_bound_or_near_size_max_are_refused),
        cmocka_unit_test(a_value_as_large_as_the_bound_fits),
        cmocka_unit_test(values_of_every_size_come_back_aligned_and_whole),
        cmocka_unit_test(a_value_may_be_built_with_its_own_addresses),
        cmocka_unit_test(structs_with_fields_of_a_later_version_are_refused),
        cmocka_unit_test(the_type_byte_comes_back),
        cmocka_unit_test(contains_is_true_for_addresses_in_the_data_only),
        cmocka_unit_test(add_refuses_a_key_that_has_a_live_entry),
        cmocka_unit_test(a_write_that_is_refused_leaves_no_memory_behind),
        cmocka_unit_test(what_is_used_is_claimed_and_no_more_than_the_size),
        cmocka_unit_test(replace_wants_the_version_that_is_there),
        cmocka_unit_test(an_unknown_mode_is_refused),
        cmocka_unit_test(delete_removes_once_and_misses_then),
        cmocka_unit_test(stores_without_ttl_refuse_one),
        cmocka_unit_test(an_immutable_store_only_adds),
        cmocka_unit_test(counters_have_8_bytes_and_none_is_in_an_immutable_store),
        cmocka_unit_test(a_value_of_an_immutable_store_is_held_again_without_a_list),
        cmocka_unit_test(the_longest_time_to_live_does_not_wrap),
        cmocka_unit_test(a_thread_without_a_slot_has_counted_and_holds_nothing),
        cmocka_unit_test(a_process_opens_32_stores_at_most),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
