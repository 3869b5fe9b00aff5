/* pack_test.c - the packed form of a value: unpacking gives the packed bytes, damage is noticed,
 * and a change of form changes nothing else of the entry. */
#include "support.h"

#include "internal.h"

#include <signal.h>
#include <stdlib.h>

#define MIB (1u << 20)
#define LARGE 200000u

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Fill memory with bytes of one of four kinds: all equal, repeated, a text of few letters, or
 * random. */
static void fill(uint8_t *at, size_t size, uint64_t *seed)
{
    unsigned kind = (unsigned)next_random(seed) % 4;
    size_t period = 1 + next_random(seed) % 300;
    for (size_t i = 0; i < size; i++)
        at[i] = kind == 0                  ? 7
                : kind == 1 && i >= period ? at[i - period]
                : kind == 2                ? (uint8_t)('a' + next_random(seed) % 3)
                                           : (uint8_t)next_random(seed);
}

static void what_was_packed_is_unpacked_to_the_same_bytes(void **state)
{
    (void)state;
    uint64_t seed = test_seed(47);
    uint8_t *from = zeroed(1, LARGE), *packed = zeroed(1, lrd_pack_bound(LARGE)),
            *to = zeroed(1, LARGE);
    for (unsigned i = 0; i < 50000; i++) {
        size_t size = next_random(&seed) % (i % 1000 == 0 ? LARGE : i % 10 == 0 ? 5000 : 300);
        lrd_packed head;
        fill(from, size, &seed);
        size_t bytes = lrd_pack(packed, from, size, 3, size * 4,
                                i % 2 == 0 ? LRD_COMPRESS_SMALL : LRD_COMPRESS_QUICK);
        check_context("%zu bytes, packed %zu", size, bytes);
        CHECK(bytes <= lrd_pack_bound(size));
        CHECK_OK(lrd_packed_open(packed, bytes, &head));
        CHECK_EQ(head.raw, size);
        CHECK_EQ(head.type, 3);
        CHECK_EQ(head.ready, size * 4);
        memset(to, 0xaa, size < 64 ? 64 : size);
        CHECK_OK(lrd_unpack(&head, to));
        CHECK(memcmp(from, to, size) == 0);
        CHECK(!head.stays);
        lrd_pack_stay(packed, bytes);
        CHECK_OK(lrd_packed_open(packed, bytes, &head));
        CHECK(head.stays && head.raw == size && head.type == 3);
    }
    free(from);
    free(packed);
    free(to);
}

static void what_repeats_is_compressed_and_what_does_not_is_not(void **state)
{
    (void)state;
    uint8_t from[4096], packed[4096 + LRD_PACKED_HEAD];
    uint64_t seed = 1;
    lrd_packed head;
    memset(from, 'x', sizeof from);
    CHECK(lrd_pack(packed, from, sizeof from, 1, 0, LRD_COMPRESS_SMALL) < 64);
    CHECK_EQ(lrd_pack(packed, from, sizeof from, 1, 0, LRD_COMPRESS_NONE),
             sizeof from + LRD_PACKED_HEAD);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)next_random(&seed);
    CHECK_EQ(lrd_pack(packed, from, sizeof from, 1, 0, LRD_COMPRESS_SMALL),
             sizeof from + LRD_PACKED_HEAD);
    CHECK_OK(lrd_packed_open(packed, sizeof packed, &head));
    CHECK(!head.compressed);
    CHECK_EQ(lrd_pack(packed, from, 0, 1, UINT64_MAX, LRD_COMPRESS_SMALL), LRD_PACKED_HEAD);
    CHECK_OK(lrd_packed_open(packed, LRD_PACKED_HEAD, &head));
    CHECK_EQ(head.raw, 0);
    CHECK_EQ(head.ready, UINT32_MAX);
}

static void quick_compression_takes_a_little_more_memory(void **state)
{
    (void)state;
    char from[16384 + 1]; /* texts of 32 bytes, and the zero byte after the last one */
    size_t size = sizeof from - 1;
    uint8_t packed[sizeof from + LRD_PACKED_HEAD];
    uint64_t seed = 3;
    for (size_t i = 0; i < size; i += 32)
        snprintf(from + i, 33, "id:%06u;name:customer;sum:%04u",
                 (unsigned)(next_random(&seed) % 1000000), (unsigned)(next_random(&seed) % 10000));
    size_t small = lrd_pack(packed, from, size, 1, 0, LRD_COMPRESS_SMALL);
    size_t quick = lrd_pack(packed, from, size, 1, 0, LRD_COMPRESS_QUICK);
    check_context("small %zu, quick %zu", small, quick);
    CHECK(quick > small && quick < small + small / 2);
}

static void every_changed_bit_and_every_cut_is_noticed(void **state)
{
    (void)state;
    uint8_t from[700], packed[700 + LRD_PACKED_HEAD];
    uint64_t seed = 5;
    lrd_packed head;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)("abcabd"[next_random(&seed) % 6]);
    size_t bytes = lrd_pack(packed, from, sizeof from, 1, 0, LRD_COMPRESS_SMALL);
    CHECK(bytes < sizeof from);
    for (size_t bit = 0; bit < bytes * 8; bit++) {
        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK_CODE(lrd_packed_open(packed, bytes, &head), LRD_EFORMAT);
        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < bytes; cut++)
        CHECK_CODE(lrd_packed_open(packed, cut, &head), LRD_EFORMAT);
    CHECK_OK(lrd_packed_open(packed, bytes, &head));
}

static void the_head_is_read_without_the_bytes(void **state)
{
    (void)state;
    uint8_t from[700] = {0}, packed[700 + LRD_PACKED_HEAD];
    lrd_packed head;
    size_t bytes = lrd_pack(packed, from, sizeof from, 9, 1234, LRD_COMPRESS_SMALL);
    packed[bytes - 1] ^= 1;
    CHECK_CODE(lrd_packed_open(packed, bytes, &head), LRD_EFORMAT);
    CHECK_OK(lrd_packed_look(packed, bytes, &head));
    CHECK(head.raw == sizeof from && head.type == 9 && head.ready == 1234 && head.compressed);
    CHECK_CODE(lrd_packed_look(packed, LRD_PACKED_HEAD - 1, &head), LRD_EFORMAT);
    CHECK(strstr(lrd_error_detail(), "no packed value") != NULL);
}

/* The checksum of the packed bytes is right, but the bytes cannot be unpacked. */
static void bytes_that_do_not_unpack_are_refused(void **state)
{
    (void)state;
    uint8_t from[700] = {0}, packed[700 + LRD_PACKED_HEAD], to[700];
    lrd_packed head, changed;
    size_t bytes = lrd_pack(packed, from, sizeof from, 1, 0, LRD_COMPRESS_SMALL);
    CHECK_OK(lrd_packed_open(packed, bytes, &head));
    CHECK(head.compressed);
    changed = head;
    changed.raw = sizeof from - 1;
    CHECK_CODE(lrd_unpack(&changed, to), LRD_EFORMAT);
    changed = head;
    changed.stored--;
    CHECK_CODE(lrd_unpack(&changed, to), LRD_EFORMAT);
    changed = head;
    changed.raw = UINT32_MAX;
    CHECK_CODE(lrd_unpack(&changed, to), LRD_EFORMAT);
    changed = head;
    changed.stored = UINT32_MAX;
    CHECK_CODE(lrd_unpack(&changed, to), LRD_EFORMAT);
    CHECK_OK(lrd_unpack(&head, to));
}

static int put_form(lrd_store *store, const char *key, const void *data, size_t size, uint8_t type,
                    lrd_mode mode, uint64_t ttl_ms, uint64_t version)
{
    lrd_write how = LRD_WRITE_INIT;
    how.type = type;
    how.mode = mode;
    how.ttl_ms = ttl_ms;
    how.version = version;
    return lrd_put(store, key, strlen(key), data, size, &how);
}

static lrd_store *packed_store(test_clock *clock, uint64_t ttl_ms, const uint8_t *from, size_t size)
{
    uint8_t packed[1000];
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    size_t bytes = lrd_pack(packed, from, size, 2, size, LRD_COMPRESS_SMALL);
    CHECK_OK(put_form(store, "k", packed, bytes, LRD_TYPE_PACKED, LRD_SET, ttl_ms, 0));
    return store;
}

static void a_change_of_form_keeps_version_age_and_time_to_live(void **state)
{
    (void)state;
    static const uint8_t bytes[500] = {1, 2, 3};
    test_clock *clock = clock_new();
    lrd_store *store = packed_store(clock, 5000, bytes, sizeof bytes);
    lrd_value value, held;
    lrd_entry before, after;
    CHECK_OK(lrd_get(store, "k", 1, 0, &held));
    CHECK_OK(lrd_value_entry(store, &held, &before));
    *clock += 1000;
    CHECK_CODE(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 7, before.version),
               LRD_EINVAL);
    CHECK_CODE(put_form(store, "none", bytes, sizeof bytes, 2, LRD_REFORM, 0, before.version),
               LRD_MISS);
    CHECK_CODE(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, before.version - 1),
               LRD_STALE);
    CHECK_OK(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, before.version));
    CHECK_EQ(stats_of(store).replaces, 0);
    CHECK_EQ(held.type, LRD_TYPE_PACKED);
    CHECK_OK(lrd_release(store, &held));
    CHECK_OK(lrd_get(store, "k", 1, 0, &value));
    CHECK_EQ(value.type, 2);
    CHECK(value.size == sizeof bytes && memcmp(value.data, bytes, sizeof bytes) == 0);
    CHECK_OK(lrd_value_entry(store, &value, &after));
    CHECK_EQ(after.version, before.version);
    CHECK_EQ(after.ttl_ms, 4000);
    CHECK_EQ(after.age_ms, 1000);
    CHECK_OK(lrd_release(store, &value));
    /* The last change of form has kept the version, so this write succeeds. The write changes the
     * version, so a change of form for the old version is refused. */
    CHECK_OK(put_form(store, "k", "new", 3, 2, LRD_REPLACE, 0, before.version));
    CHECK_EQ(stats_of(store).replaces, 1);
    CHECK_CODE(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, before.version),
               LRD_STALE);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_changed_form_expires_and_is_cleared_as_the_entry_would(void **state)
{
    (void)state;
    static const uint8_t bytes[500] = {1, 2, 3};
    test_clock *clock = clock_new();
    lrd_store *store = packed_store(clock, 5000, bytes, sizeof bytes);
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(store, "k", 1, 0, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, entry.version));
    *clock += 5001;
    CHECK_CODE(lrd_get(store, "k", 1, 0, &value), LRD_MISS);
    CHECK_CODE(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, entry.version),
               LRD_MISS);
    CHECK_OK(lrd_clear(store));
    CHECK_CODE(put_form(store, "k", bytes, sizeof bytes, 2, LRD_REFORM, 0, entry.version),
               LRD_MISS);
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct change {
    lrd_store *store;
    const void *bytes;
    size_t size;
    uint64_t version;
} change;

static void change_form(void *arg)
{
    const change *c = arg;
    CHECK_OK(put_form(c->store, "k", c->bytes, c->size, 2, LRD_REFORM, 0, c->version));
}

/* Check that the entry has the packed or the unpacked bytes, and that its version has not
 * changed. */
static void check_either_form(const change *c, const uint8_t *packed, size_t size)
{
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(c->store, "k", 1, 0, &value));
    CHECK_OK(lrd_value_entry(c->store, &value, &entry));
    CHECK_EQ(entry.version, c->version);
    if (value.type == LRD_TYPE_PACKED)
        CHECK(value.size == size && memcmp(value.data, packed, size) == 0);
    else
        CHECK(value.size == c->size && memcmp(value.data, c->bytes, c->size) == 0);
    CHECK_OK(lrd_release(c->store, &value));
}

static void who_dies_changing_a_form_leaves_one_form_or_the_other(void **state)
{
    (void)state;
    static const uint8_t bytes[3000] = {1, 2, 3};
    uint64_t deaths = 0;
    for (bool died = true; died;) {
        uint8_t packed[200];
        change c = {.store = store_new(LRD_VOLATILE, 4 * MIB, 1), .bytes = bytes};
        lrd_value value;
        lrd_entry entry;
        c.size = sizeof bytes;
        size_t size = lrd_pack(packed, bytes, sizeof bytes, 2, sizeof bytes, LRD_COMPRESS_SMALL);
        CHECK_OK(put_form(c.store, "k", packed, size, LRD_TYPE_PACKED, LRD_SET, 0, 0));
        CHECK_OK(lrd_get(c.store, "k", 1, 0, &value));
        CHECK_OK(lrd_value_entry(c.store, &value, &entry));
        CHECK_OK(lrd_release(c.store, &value));
        c.version = entry.version;
        failpoint_arm(deaths + 1);
        int status = run_in_child(change_form, &c);
        died = failpoint_fired();
        check_context("death %llu (%s)", (unsigned long long)deaths + 1, failpoint_last());
        failpoint_disarm();
        if (died)
            CHECK_KILLED(status, SIGKILL);
        else
            CHECK_CHILD(status);
        deaths += died;
        touch_all_shards(c.store);
        CHECK_FSCK(c.store);
        check_either_form(&c, packed, size);
        lrd_close(c.store);
    }
    CHECK(deaths >= 5);
}

static void the_checker_finds_a_damaged_packed_value(void **state)
{
    (void)state;
    static const uint8_t bytes[500] = {1, 2, 3};
    lrd_store *store = packed_store(clock_new(), 0, bytes, sizeof bytes);
    lrd_value value;
    CHECK_FSCK(store);
    CHECK_OK(lrd_get(store, "k", 1, 0, &value));
    uint8_t *at = store->window + ((const uint8_t *)value.data - store->data);
    at[value.size - 1] ^= 1;
    CHECK_EQ(lrd_fsck(store, NULL, NULL), 1);
    at[value.size - 1] ^= 1;
    CHECK_OK(lrd_release(store, &value));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void memory_is_short_in_a_store_that_evicts_from_seven_eighths_on(void **state)
{
    (void)state;
    char key[32];
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    for (unsigned i = 0; i < 300; i++) {
        bool is_short = stats_of(store).live_bytes > MIB - MIB / 8;
        CHECK_EQ(lrd_pressed(store, "k", 1), is_short);
        CHECK(!lrd_write_pressed(store));
        if (is_short)
            break;
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 4000, i, LRD_SET, 0));
    }
    CHECK(lrd_pressed(store, "k", 1));
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK_OK(lrd_delete(store, "key 0", 5));
    CHECK(!lrd_pressed(store, "k", 1));
    lrd_close(store);
}

static void memory_is_short_from_an_eviction_until_as_many_came_without_one(void **state)
{
    (void)state;
    char key[32];
    unsigned number = 0;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    while (stats_of(store).evicted == 0) {
        snprintf(key, sizeof key, "key %u", number++);
        CHECK_OK(put_value(store, key, 4000, number, LRD_SET, 0));
    }
    uint64_t left = stats_of(store).entries, evicted = stats_of(store).evicted;
    /* Delete entries to make room. Memory must still count as short, because an eviction was not
     * long ago. */
    for (unsigned i = 0; i < 60; i++) {
        snprintf(key, sizeof key, "key %u", number - 1 - i);
        CHECK(lrd_delete(store, key, strlen(key)) >= LRD_OK);
    }
    CHECK(stats_of(store).live_bytes < MIB - MIB / 8);
    CHECK(lrd_pressed(store, "k", 1));
    for (uint64_t i = 0; i <= left; i++) {
        snprintf(key, sizeof key, "key %u", number - 1 - (unsigned)i % 20);
        CHECK(lrd_delete(store, key, strlen(key)) >= LRD_OK);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_OK(put_value(store, key, 4000, number, LRD_SET, 0));
    }
    CHECK_EQ(stats_of(store).evicted, evicted);
    CHECK(!lrd_pressed(store, "k", 1));
    while (stats_of(store).evicted == evicted) {
        snprintf(key, sizeof key, "key %u", number++);
        CHECK_OK(put_value(store, key, 4000, number, LRD_SET, 0));
    }
    CHECK_OK(lrd_clear(store));
    CHECK_OK(put_value(store, "k", 100, 1, LRD_SET, 0));
    CHECK(!lrd_pressed(store, "k", 1));
    lrd_close(store);
}

static void put_numbered(lrd_store *store, unsigned number)
{
    char key[32];
    snprintf(key, sizeof key, "key %u", number);
    CHECK_OK(put_value(store, key, 4000, number, LRD_SET, 0));
}

static void fill_with_sevens(const void *from, void *build, const void *data, size_t size)
{
    (void)from, (void)data;
    memset(build, 7, size);
}

static void check_bytes(lrd_store *store, size_t size, uint8_t byte)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, "k", 1, 0, &value));
    CHECK_EQ(value.size, size);
    for (size_t i = 0; i < size; i++)
        CHECK_EQ(((const uint8_t *)value.data)[i], byte);
    CHECK_OK(lrd_release(store, &value));
}

/* lrd_put_ready() writes values of more than 2,048 bytes without the shard's lock, and smaller ones
 * with it. The sizes test both. */
static void a_ready_value_is_stored_unless_memory_is_short(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 2048, 2049, 5000};
    static const uint8_t old[10] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    static const lrd_write add = {.mode = LRD_ADD}, wrong = {.struct_size = sizeof(lrd_write) + 1};
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CHECK_OK(lrd_put_ready(store, "k", 1, sizes[i], fill_with_sevens, NULL, NULL));
        check_bytes(store, sizes[i], 7);
    }
    CHECK_CODE(lrd_put_ready(store, "k", 1, 3000, fill_with_sevens, NULL, &add), LRD_EXISTS);
    CHECK_CODE(lrd_put_ready(store, "k", 1, 10, fill_with_sevens, NULL, &wrong), LRD_EINVAL);
    CHECK_CODE(lrd_put_ready(store, "", 0, 10, fill_with_sevens, NULL, NULL), LRD_EKEY);
    CHECK_CODE(lrd_put_ready(store, "k", 1, 2 * MIB, fill_with_sevens, NULL, NULL), LRD_ESIZE);
    CHECK_OK(lrd_put(store, "k", 1, old, sizeof old, NULL));
    for (unsigned number = 0; lrd_pressed(store, "k", 1) == LRD_PRESSURE_NONE; number++)
        put_numbered(store, number);
    uint64_t entries = stats_of(store).entries;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK_CODE(lrd_put_ready(store, "k", 1, sizes[i], fill_with_sevens, NULL, NULL), LRD_SHORT);
    check_bytes(store, sizeof old, 9);
    CHECK_EQ(stats_of(store).entries, entries);
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Search all entries for values to pack. Returns the number of entries found. *uses is set to the
 * largest number of their uses. */
static unsigned entries_to_pack(lrd_store *store, lrd_pressure pressure, unsigned *uses)
{
    lrd_fall fall = {0};
    lrd_value value;
    unsigned found = 0;
    CHECK(lrd_fall_due(&fall, store));
    *uses = 0;
    for (int rc = LRD_OK; rc != LRD_END;) {
        rc = lrd_fall_next(&fall, store, &value);
        if (rc != LRD_OK)
            continue;
        CHECK_EQ(fall.pressure, pressure);
        *uses = *uses < fall.cursor.uses ? fall.cursor.uses : *uses;
        found++;
    }
    return found;
}

static void use_numbered(lrd_store *store, unsigned number, unsigned times)
{
    lrd_value value;
    char key[32];
    snprintf(key, sizeof key, "key %u", number);
    while (times-- > 0) {
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
        CHECK_OK(lrd_release(store, &value));
    }
}

/* While enough memory is free, no value is packed. If memory is short, but nothing was evicted,
 * values that were used recently stay ready. */
static void the_search_skips_used_entries(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    unsigned number = 0, uses;
    for (; number < 100; number++)
        put_numbered(store, number);
    CHECK_EQ(lrd_pressed(store, "k", 1), LRD_PRESSURE_NONE);
    CHECK_EQ(entries_to_pack(store, LRD_PRESSURE_NONE, &uses), 0);
    while (lrd_pressed(store, "k", 1) == LRD_PRESSURE_NONE)
        put_numbered(store, number++);
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK_EQ(entries_to_pack(store, LRD_PRESSURE_SHORT, &uses), number);
    use_numbered(store, 7, 1);
    use_numbered(store, 9, 3);
    CHECK_EQ(entries_to_pack(store, LRD_PRESSURE_SHORT, &uses), number - 2);
    CHECK_EQ(uses, 0);
    lrd_close(store);
}

/* The pressure is higher if evicted keys come back than if new keys come. */
static void the_pressure_tells_whether_evicted_keys_come_back(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    unsigned number = 0, uses;
    for (; number < 2000; number++)
        put_numbered(store, number);
    /* the table of evicted keys mistakes a few new keys for evicted ones */
    CHECK(stats_of(store).ghost_hits < 2000 / 64);
    CHECK_EQ(lrd_pressed(store, "k", 1), LRD_PRESSURE_EVICTS);
    use_numbered(store, number - 1, LRD_USES_OFTEN - 1);
    CHECK(entries_to_pack(store, LRD_PRESSURE_EVICTS, &uses) > 200);
    CHECK_EQ(uses, 0);
    CHECK(lrd_rises(store, "k", 1, LRD_SAMPLE_SHORT) && !lrd_rises(store, "k", 1, LRD_SAMPLE_NONE));
    for (unsigned i = 0; lrd_pressed(store, "k", 1) != LRD_PRESSURE_MISSED; i++) {
        CHECK(i < 1000);
        put_numbered(store, number - 300 - i);
    }
    CHECK(stats_of(store).ghost_hits > 2000 / 64);
    put_numbered(store, number);
    put_numbered(store, number + 1);
    use_numbered(store, number, LRD_USES_OFTEN - 1);
    use_numbered(store, number + 1, LRD_USES_OFTEN);
    unsigned found = entries_to_pack(store, LRD_PRESSURE_MISSED, &uses);
    CHECK_EQ(uses, LRD_USES_OFTEN - 1);
    use_numbered(store, number, 1);
    CHECK_EQ(entries_to_pack(store, LRD_PRESSURE_MISSED, &uses), found - 1);
    CHECK(lrd_rises(store, "k", 1, 0) && !lrd_rises(store, "k", 1, LRD_SAMPLE_SHORT));
    lrd_close(store);
}

/* Simulate writes, until `tries` of them have tried to pack an entry and found none. Returns the
 * number of writes that did not try, because no try was due. */
static unsigned try_in_vain(lrd_fall *fall, const lrd_store *store, unsigned tries)
{
    unsigned rests = 0;
    for (unsigned i = 0; i < tries;) {
        if (lrd_fall_due(fall, store)) {
            lrd_fall_tried(fall, false);
            i++;
        } else {
            rests++;
        }
    }
    return rests;
}

static void tries_that_pack_nothing_are_followed_by_pauses(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1), *other = store_new(LRD_VOLATILE, MIB, 1);
    lrd_fall fall = {0};
    lrd_value value;
    CHECK_EQ(lrd_fall_due(&fall, store), 8);
    CHECK_EQ(try_in_vain(&fall, store, 2), 0);
    CHECK_EQ(lrd_fall_due(&fall, store), 4);
    lrd_fall_tried(&fall, true);
    CHECK_EQ(lrd_fall_due(&fall, store), 8);
    CHECK_EQ(try_in_vain(&fall, store, 32), 0);
    CHECK_EQ(try_in_vain(&fall, store, 32), 32 / 8);
    CHECK_EQ(try_in_vain(&fall, store, 1), 64 / 8);
    CHECK(lrd_fall_due(&fall, store));
    lrd_fall_tried(&fall, true);
    CHECK_EQ(try_in_vain(&fall, store, 32), 0);
    CHECK(!lrd_fall_due(&fall, store));
    CHECK_EQ(try_in_vain(&fall, other, 32), 0);
    fall = (lrd_fall){.store = store, .vain = 32 * 1000 - 1};
    CHECK_EQ(try_in_vain(&fall, store, 2), 1024); /* the longest pause is 1024 writes */
    for (unsigned i = 0; lrd_pressed(store, "k", 1) == LRD_PRESSURE_NONE; i++) {
        put_numbered(store, i);
        use_numbered(store, i, i != 0);
    }
    fall = (lrd_fall){0};
    /* After the last entry, the search begins at the first one again. Only one entry is unused. */
    for (unsigned i = 0; i < 5; i++) {
        int rc = LRD_MISS;
        for (CHECK(lrd_fall_due(&fall, store)); rc == LRD_MISS;)
            rc = lrd_fall_next(&fall, store, &value);
        CHECK_EQ(rc, i % 2 == 0 ? LRD_OK : LRD_END);
    }
    lrd_close(other);
    lrd_close(store);
}

static void memory_is_short_in_a_pinned_store_from_the_half_on(void **state)
{
    (void)state;
    char key[32];
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    for (unsigned i = 0; i < 100; i++) {
        CHECK(!lrd_pressed(store, "k", 1));
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 4000, i, LRD_SET, 0));
    }
    for (unsigned i = 100; i < 200; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 4000, i, LRD_SET, 0));
    }
    CHECK(lrd_pressed(store, "k", 1));
    CHECK(!lrd_write_pressed(store));
    CHECK_OK(lrd_clear(store));
    CHECK_OK(put_value(store, "k", 100, 1, LRD_SET, 0));
    CHECK(!lrd_pressed(store, "k", 1));
    lrd_close(store);
}

static void uses_count_to_three(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    lrd_value value;
    CHECK_OK(put_value(store, "k", 100, 1, LRD_SET, 0));
    for (unsigned i = 1; i <= 5; i++) {
        CHECK_OK(lrd_get(store, "k", 1, 0, &value));
        CHECK_EQ(lrd_value_uses(store, &value), i < 3 ? i : 3);
        if (i == 5)
            CHECK_OK(lrd_delete(store, "k", 1));
        if (i == 5)
            CHECK_EQ(lrd_value_uses(store, &value), 0);
        CHECK_OK(lrd_release(store, &value));
    }
    CHECK_EQ(lrd_value_uses(store, &value), 0);
    lrd_close(store);
}

/* Put a packed value of `size` bytes that claims to need `ready` bytes when it is ready. Returns
 * its packed size. */
static size_t put_packed(lrd_store *store, const char *key, size_t size, uint64_t ready)
{
    uint8_t from[2000], packed[2000 + LRD_PACKED_HEAD];
    for (size_t i = 0; i < size; i++)
        from[i] = (uint8_t)(i * i * 7 >> 3);
    size_t bytes = lrd_pack(packed, from, size, 2, ready, LRD_COMPRESS_SMALL);
    CHECK_OK(put_form(store, key, packed, bytes, LRD_TYPE_PACKED, LRD_SET, 0, 0));
    return bytes;
}

static uint64_t version_of(lrd_store *store, const char *key)
{
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COUNT, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_OK(lrd_release(store, &value));
    return entry.version;
}

static void check_packed(lrd_store *store, uint64_t entries, uint64_t ready)
{
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.packed_entries, entries);
    CHECK_EQ(stats.packed_ready, ready);
    CHECK((stats.packed_bytes == 0) == (entries == 0));
    CHECK_FSCK(store);
}

static void packed_entries_are_counted_with_their_bytes_in_both_forms(void **state)
{
    (void)state;
    static const uint8_t bytes[1500] = {1, 2, 3};
    uint8_t packed[1600];
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    CHECK_OK(put_value(store, "ready", 900, 1, LRD_SET, 0));
    check_packed(store, 0, 0);
    put_packed(store, "a", 300, 1000);
    put_packed(store, "b", 1900, 5000);
    check_packed(store, 2, 6000);
    put_packed(store, "a", 310, 1100); /* both packed values have the same size class */
    check_packed(store, 2, 6100);
    CHECK_EQ(stats_of(store).packs, 3);
    CHECK_EQ(stats_of(store).falls, 0);
    CHECK_OK(put_form(store, "b", bytes, sizeof bytes, 2, LRD_REFORM, 0, version_of(store, "b")));
    check_packed(store, 1, 1100);
    size_t size = lrd_pack(packed, bytes, sizeof bytes, 2, 4000, LRD_COMPRESS_SMALL);
    CHECK_OK(
        put_form(store, "b", packed, size, LRD_TYPE_PACKED, LRD_REFORM, 0, version_of(store, "b")));
    check_packed(store, 2, 5100);
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.packs, 4);
    CHECK_EQ(stats.falls, 1);
    CHECK_EQ(stats.rises, 1);
    CHECK_CODE(put_form(store, "b", packed, size, LRD_TYPE_PACKED, LRD_ADD, 0, 0), LRD_EXISTS);
    CHECK_CODE(put_form(store, "b", packed, size, LRD_TYPE_PACKED, LRD_REFORM, 0, 1), LRD_STALE);
    CHECK_EQ(stats_of(store).packs, 4);
    CHECK_OK(put_value(store, "a", 100, 1, LRD_SET, 0));
    check_packed(store, 1, 4000);
    CHECK_OK(lrd_delete(store, "b", 1));
    check_packed(store, 0, 0);
    lrd_count_unpack(store);
    lrd_count_unpack(store);
    CHECK_EQ(stats_of(store).unpacks, 2);
    lrd_close(store);
}

static void the_checker_counts_the_packed_entries_of_each_shard_apart(void **state)
{
    (void)state;
    enum { KEYS = 64 };
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 4);
    char key[16];
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %u", i);
        put_packed(store, key, 300, 1000);
    }
    for (uint32_t i = 0; i < store->geo.shards; i++)
        CHECK(atomic_load(&store->shards[i].packed_entries) != 0);
    check_packed(store, KEYS, KEYS * 1000);
    lrd_close(store);
}

static void packed_entries_of_a_cleared_store_are_not_counted(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    put_packed(store, "a", 300, 1000);
    put_packed(store, "b", 300, 1000);
    CHECK_OK(lrd_clear(store));
    CHECK_EQ(stats_of(store).packed_entries, 0);
    put_packed(store, "a", 300, 700); /* the entry from before the clear is still in the index */
    check_packed(store, 1, 700);
    CHECK_OK(lrd_sweep(store, NULL));
    check_packed(store, 1, 700);
    CHECK_OK(lrd_delete(store, "a", 1));
    check_packed(store, 0, 0);
    lrd_close(store);
}

static void put_packed_again(void *store) { put_packed(store, "a", 400, 2000); }

static void a_recovery_counts_the_packed_entries_anew(void **state)
{
    (void)state;
    uint64_t deaths = 0;
    for (bool died = true; died;) {
        lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
        put_packed(store, "b", 300, 1000);
        if (deaths % 2 == 0)
            put_packed(store, "a", 300, 500);
        failpoint_arm(deaths / 2 + 1);
        int status = run_in_child(put_packed_again, store);
        died = failpoint_fired();
        check_context("death %llu (%s)", (unsigned long long)deaths / 2 + 1, failpoint_last());
        failpoint_disarm();
        if (died)
            CHECK_KILLED(status, SIGKILL);
        else
            CHECK_CHILD(status);
        touch_all_shards(store);
        CHECK_FSCK(store);
        lrd_stats stats = stats_of(store);
        CHECK(stats.packed_ready == 1000 || stats.packed_ready == 1500 ||
              stats.packed_ready == 3000);
        CHECK_EQ(stats.packed_entries, stats.entries);
        lrd_close(store);
        deaths++;
    }
    CHECK(deaths >= 10);
}

static void a_write_says_if_memory_was_short_where_it_went(void **state)
{
    (void)state;
    char key[32];
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    for (unsigned i = 0; stats_of(store).evicted == 0; i++) {
        CHECK(!lrd_write_pressed(store));
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, i % 2 != 0 ? 4000 : 400, i, LRD_SET, 0));
    }
    CHECK(lrd_write_pressed(store));
    CHECK(!lrd_write_pressed(store));
    CHECK_OK(put_value(store, "small", 20, 1, LRD_SET, 0));
    CHECK(lrd_write_pressed(store));
    CHECK_CODE(put_value(store, "small", 20, 1, LRD_ADD, 0), LRD_EXISTS);
    CHECK(!lrd_write_pressed(store));
    lrd_close(store);
}

/* Return true if the home bucket of the key lists this block. */
static bool is_at_home(const lrd_store *store, const char *key, uint64_t listing)
{
    lrd__place place = lrd__place_of(store, key, strlen(key));
    uint32_t home = lrd__place_home(store, &place, lrd__shard_homes(place.shard));
    const lrd__bucket *bucket = lrd__bucket_of(store, place.shard_index, home);
    for (uint32_t way = 0; way < LRD__WAYS; way++)
        if (lrd__word_listing(atomic_load(&bucket->word[way])) == listing)
            return true;
    return false;
}

static void uses_are_counted_wherever_the_entry_lies(void **state)
{
    (void)state;
    char key[32];
    uint64_t displaced = 0;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 20, i, LRD_SET, 0));
    }
    CHECK_EQ(stats_of(store).evicted, 0);
    for (unsigned i = 0; i < 20000; i++) {
        lrd_value value;
        int length = snprintf(key, sizeof key, "key %u", i);
        for (unsigned j = 1; j <= 3; j++) {
            CHECK_OK(lrd_get(store, key, (size_t)length, 0, &value));
            CHECK_EQ(lrd_value_uses(store, &value), j);
            CHECK_OK(lrd_release(store, &value));
        }
        displaced += !is_at_home(store, key, value.block);
    }
    CHECK(displaced > 0);
    lrd_close(store);
}

/* lrd_pressed() may check the file, but not more than once in LRD__CHORES_MS. */
static void asking_about_memory_looks_at_the_file_seldom(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd__thread *self = lrd__threads[store->id];
    bool watched = store->watched, seen = false;
    store->watched = true;
    while (!seen) {
        uint64_t before = lrd__clock_coarse() - 1;
        self->looked = before;
        CHECK(!lrd_pressed(store, "key", 3));
        /* If `seen` is false, the call came too late to prove anything. Then try again. */
        seen = lrd__clock_coarse() - before < LRD__CHORES_MS;
        CHECK(!seen || self->looked == before);
    }
    store->watched = watched;
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_is_unpacked_to_the_same_bytes),
        cmocka_unit_test(what_repeats_is_compressed_and_what_does_not_is_not),
        cmocka_unit_test(quick_compression_takes_a_little_more_memory),
        cmocka_unit_test(every_changed_bit_and_every_cut_is_noticed),
        cmocka_unit_test(the_head_is_read_without_the_bytes),
        cmocka_unit_test(bytes_that_do_not_unpack_are_refused),
        cmocka_unit_test(a_change_of_form_keeps_version_age_and_time_to_live),
        cmocka_unit_test(a_changed_form_expires_and_is_cleared_as_the_entry_would),
        cmocka_unit_test(who_dies_changing_a_form_leaves_one_form_or_the_other),
        cmocka_unit_test(the_checker_finds_a_damaged_packed_value),
        cmocka_unit_test(memory_is_short_in_a_store_that_evicts_from_seven_eighths_on),
        cmocka_unit_test(memory_is_short_from_an_eviction_until_as_many_came_without_one),
        cmocka_unit_test(a_ready_value_is_stored_unless_memory_is_short),
        cmocka_unit_test(the_search_skips_used_entries),
        cmocka_unit_test(the_pressure_tells_whether_evicted_keys_come_back),
        cmocka_unit_test(tries_that_pack_nothing_are_followed_by_pauses),
        cmocka_unit_test(memory_is_short_in_a_pinned_store_from_the_half_on),
        cmocka_unit_test(uses_count_to_three),
        cmocka_unit_test(uses_are_counted_wherever_the_entry_lies),
        cmocka_unit_test(packed_entries_are_counted_with_their_bytes_in_both_forms),
        cmocka_unit_test(the_checker_counts_the_packed_entries_of_each_shard_apart),
        cmocka_unit_test(packed_entries_of_a_cleared_store_are_not_counted),
        cmocka_unit_test(a_recovery_counts_the_packed_entries_anew),
        cmocka_unit_test(a_write_says_if_memory_was_short_where_it_went),
        cmocka_unit_test(asking_about_memory_looks_at_the_file_seldom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
