/* operations.c - the operations that kill_everywhere.c kills (see operations.h). Most are one
 * public call. Keys, sizes and seeds are fixed, so that each run executes the same instructions. */
#include "operations.h"

#include "internal.h"
#include "larder_coordination.h"
#include "larder_host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define FULL_KEYS 900

lrd_store *S;
test_clock *the_clock;
const char *the_path;

#define NAMES 3400
static struct {
    char text[12];
    uint8_t length;
} names[NAMES];

const char *key_of(int k) { return names[k].text; }
#define KEY(k) names[k].text, names[k].length

/* The values that operations store. */
static struct {
    int k;
    size_t size;
    uint64_t seed;
    char *bytes;
} ready[] = {
    {30, 300, 1, NULL},   {4, 340, 2, NULL},    {4, 900, 3, NULL},     {30, 8000, 4, NULL},
    {30, 30000, 5, NULL}, {16, 40000, 6, NULL}, {17, 200000, 7, NULL}, {30, 300, 8, NULL},
    {4, 300, 9, NULL},    {30, 5000, 10, NULL}, {4, 200, 11, NULL},    {30, 200, 21, NULL},
    {5, 800, 22, NULL},   {30, 1300, 23, NULL}, {30, 4000, 24, NULL},  {30, 32000, 25, NULL},
    {30, 1300, 30, NULL}, {31, 1300, 31, NULL}, {32, 1300, 32, NULL},  {33, 1300, 33, NULL},
    {34, 1300, 34, NULL}, {35, 1300, 35, NULL}};
#define READY (sizeof ready / sizeof *ready)

void values_make(void)
{
    for (int k = 0; k < NAMES; k++)
        names[k].length = (uint8_t)snprintf(names[k].text, sizeof names[k].text, "key %d", k);
    for (size_t i = 0; i < READY; i++) {
        ready[i].bytes = malloc(ready[i].size);
        CHECK(ready[i].bytes != NULL);
        value_fill(ready[i].bytes, ready[i].size, KEY(ready[i].k), ready[i].seed);
    }
}

static const char *value_of(int k, size_t size, uint64_t seed)
{
    static char bytes[300000];
    for (size_t i = 0; i < READY; i++)
        if (ready[i].k == k && ready[i].size == size && ready[i].seed == seed)
            return ready[i].bytes;
    value_fill(bytes, size, KEY(k), seed);
    return bytes;
}

static int put(int k, size_t size, uint64_t seed, lrd_mode mode, uint64_t ttl)
{
    return lrd_put(S, KEY(k), value_of(k, size, seed), size,
                   &(lrd_write){.mode = mode, .ttl_ms = ttl});
}

static void wait_ms(uint64_t ms) { atomic_fetch_add(the_clock, ms); }

/* ---- stores ---- */

lrd_options world_options(world w)
{
    lrd_options options = {.policy = LRD_SESSION,
                           .size = 2 * MIB,
                           .entries_hint = 600,
                           .shards = 2,
                           .slots = 16,
                           .clock_ms = clock_read,
                           .clock_arg = the_clock};
    if (w == FULL) {
        options.policy = LRD_VOLATILE;
        options.size = MIB;
        options.entries_hint = 2000;
    } else if (w == GROWING) {
        options.entries_hint = 0;
    } else if (w == PINNED) {
        options.policy = LRD_PINNED;
    } else if (w == QUEUES) {
        options.policy = LRD_QUEUE;
    } else if (w == NAMED || w == DAMAGED || w == ABSENT) {
        options.path = the_path;
        /* use the core's own clock (the time since boot), which is right in every process that
         * adopts the file */
        options.clock_ms = NULL;
        options.clock_arg = NULL;
    }
    return options;
}

static void build_entries(void)
{
    for (int k = 0; k < 16; k++)
        CHECK_OK(put(k, (size_t)(k * 90), (uint64_t)k + 1, LRD_SET,
                     k == 9 && S->clock_ms != NULL && S->expires ? 500 : 0));
    CHECK_OK(put(16, 20000, 16, LRD_SET, 0));
    CHECK_OK(put(17, 70000, 17, LRD_SET, 0));
    CHECK_OK(lrd_counter_set(S, KEY(18), 4294967290, 0));
    CHECK_OK(lrd_counter_set(S, KEY(19), 2000, 0));
}

static lrd_queue work_queue, other_queue;

static int push(int number, size_t size, lrd_push how)
{
    static char body[40000];
    memset(body, number, size);
    return lrd_queue_push(S, work_queue, body, size, 1, &how, NULL);
}

static void build_queues(void)
{
    CHECK_OK(lrd_queue_open(S, "work", 4, 0, &work_queue));
    CHECK_OK(lrd_queue_open(S, "other", 5, 0, &other_queue));
    for (int n = 1; n < 10; n++)
        CHECK_OK(push(n, (size_t)n * 70, (lrd_push){.priority = n % 3}));
    CHECK_OK(push(10, 20000, (lrd_push){.priority = -1}));
    CHECK_OK(push(11, 50, (lrd_push){.delay_ms = 1000}));
    CHECK_OK(push(12, 50, (lrd_push){.ttl_ms = 2000, .priority = -2}));
    lrd_message m;
    CHECK_OK(lrd_queue_pop(S, work_queue, LRD_GET_BORROW, 0, 0, &m));
    CHECK_OK(lrd_queue_bury(S, work_queue, m.id));
}

/* Damage the index word of key k: the changed word names a place inside the key's block, not the
 * block's first byte. */
static void damage(int k)
{
    lrd_value value;
    unsigned found = 0;
    CHECK_OK(lrd_get(S, KEY(k), LRD_GET_BORROW, &value));
    uint64_t at = (uint64_t)((const char *)value.data - (const char *)S->data);
    CHECK_OK(lrd_release(S, &value));
    for (uint32_t shard = 0; shard < S->geo.shards; shard++)
        for (uint32_t slot = 0; slot < lrd__shard_slots(S); slot++) {
            _Atomic uint64_t *word = lrd__index_word(S, shard, slot);
            uint64_t is = atomic_load_explicit(word, memory_order_relaxed);
            if (is == 0 || at - lrd__word_offset(is) >= 64)
                continue;
            atomic_store_explicit(word, is + 1, memory_order_relaxed);
            CHECK_EQ(lrd__word_offset(is + 1) % 16, 0);
            found++;
        }
    CHECK_EQ(found, 1);
}

void world_build(world w)
{
    lrd_options options = world_options(w);
    CHECK_OK(lrd_open(&options, &S));
    if (w != NAMED && w != DAMAGED)
        S->seed = S->header->seed = 20240607;
    if (w == QUEUES) {
        build_queues();
    } else if (w == FULL) {
        for (int k = 100; k < 100 + FULL_KEYS; k++)
            CHECK_OK(put(k, 1300, (uint64_t)k, LRD_SET, 0));
        for (int k = 0; k < 16; k++)
            CHECK_OK(put(k, 1300, (uint64_t)k, LRD_SET, 0));
    } else if (w == GROWING) {
        int k = 0;
        for (; S->header->view.mask == S->header->view.next && k < 3000; k++)
            CHECK_OK(put(k, 30, (uint64_t)k, LRD_SET, 0));
        CHECK(k < 3000);
    } else {
        build_entries();
    }
    if (w == DAMAGED)
        damage(7);
}

/* ---- preparations ---- */

static lrd_value held, again, borrowed, many[8];
static lrd_reservation open_one;
static uint64_t version_of_4;
static lrd_message message;

static void check_value(const lrd_value *value, int k)
{
    CHECK(value_valid(value->data, value->size, KEY(k)));
}

static void use(void)
{
    CHECK_OK(lrd_get(S, KEY(1), LRD_GET_BORROW, &borrowed));
    CHECK_OK(lrd_release(S, &borrowed));
}

static void use_full(void)
{
    CHECK(lrd_get(S, KEY(1), LRD_GET_BORROW, &borrowed) >= 0);
    lrd_release(S, &borrowed);
}

static void nothing(void) {}

static void holding(void)
{
    CHECK_OK(lrd_get(S, KEY(5), 0, &held));
    check_value(&held, 5);
}

static int held_key = 5;

void check_held(void)
{
    if (held.kind != LRD_KIND_NONE)
        check_value(&held, held_key);
}

static void reserved_small(void)
{
    CHECK_OK(lrd_reserve(S, KEY(30), 500, 1, &open_one));
    value_fill(open_one.build, 500, KEY(30), 30);
}

static void reserved_over(void)
{
    CHECK_OK(lrd_reserve(S, KEY(4), 30000, 1, &open_one));
    value_fill(open_one.build, 30000, KEY(4), 31);
}

static void know_version(void)
{
    lrd_entry entry;
    CHECK_OK(lrd_get(S, KEY(4), LRD_GET_BORROW, &borrowed));
    CHECK_OK(lrd_value_entry(S, &borrowed, &entry));
    version_of_4 = entry.version;
    CHECK_OK(lrd_release(S, &borrowed));
}

static void busy_request(void)
{
    CHECK_OK(lrd_request_begin(S));
    holding();
    CHECK_OK(lrd_get(S, KEY(16), 0, &again));
    reserved_small();
    CHECK_OK(lrd_lock(S, "one", 3, 0, 0, NULL));
    CHECK_OK(lrd_lock(S, "two", 3, 1000, 0, NULL));
}

static void locked_one(void) { CHECK_OK(lrd_lock(S, "one", 3, 0, 0, NULL)); }

static void expired(void)
{
    use();
    wait_ms(900);
}

static void cleared(void)
{
    use();
    CHECK_OK(lrd_clear(S));
}

static void somebody_died(void)
{
    use();
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        busy_request();
        raise(SIGKILL);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status));
}

/* ---- entries ---- */

static void put_new(void) { CHECK_OK(put(30, 300, 1, LRD_SET, 0)); }
static void put_over(void) { CHECK_OK(put(4, 340, 2, LRD_SET, 0)); }
static void put_other_class(void) { CHECK_OK(put(4, 900, 3, LRD_SET, 700)); }
static void put_page(void) { CHECK_OK(put(30, 8000, 4, LRD_SET, 0)); }
static void put_run(void) { CHECK_OK(put(30, 30000, 5, LRD_SET, 0)); }
static void put_run_over(void) { CHECK_OK(put(16, 40000, 6, LRD_SET, 0)); }
static void put_past_caches(void) { CHECK_OK(put(17, 200000, 7, LRD_SET, 0)); }
static void put_add(void) { CHECK_OK(put(30, 300, 8, LRD_ADD, 600)); }
static void put_exists(void) { CHECK_CODE(put(4, 300, 9, LRD_ADD, 0), LRD_EXISTS); }

static void fill_bytes(const void *from, void *build, const void *data, size_t size)
{
    (void)data;
    memcpy(build, from, size);
}

static void put_fill(void)
{
    CHECK_OK(lrd_put_fill(S, KEY(30), 5000, fill_bytes, value_of(30, 5000, 10),
                          &(lrd_write){.type = 3}));
}

static void replace(uint64_t version, int code)
{
    CHECK_CODE(lrd_put(S, KEY(4), value_of(4, 200, 11), 200,
                       &(lrd_write){.mode = LRD_REPLACE, .version = version}),
               code);
}
static void put_replace(void) { replace(version_of_4, LRD_OK); }
static void put_stale(void) { replace(version_of_4 + 1, LRD_STALE); }

/* Publish the same value in another form. The put succeeds only if the entry's version is still
 * version_of_4. */
static void put_reform(void)
{
    CHECK_OK(lrd_put(S, KEY(4), value_of(4, 200, 11), 200,
                     &(lrd_write){.mode = LRD_REFORM, .version = version_of_4}));
}

static void reserve_small(void) { CHECK_OK(lrd_reserve(S, KEY(30), 500, 1, &open_one)); }
static void reserve_run(void) { CHECK_OK(lrd_reserve(S, KEY(30), 90000, 1, &open_one)); }
static void publish_new(void) { CHECK_OK(lrd_publish(S, &open_one, LRD_SET, 0, 0)); }
static void publish_over(void) { CHECK_OK(lrd_publish(S, &open_one, LRD_SET, 900, 0)); }
static void cancel(void) { CHECK_OK(lrd_abort(S, &open_one)); }
static void delete_small(void) { CHECK_OK(lrd_delete(S, KEY(4))); }
static void delete_run(void) { CHECK_OK(lrd_delete(S, KEY(17))); }
static void delete_missing(void) { CHECK_CODE(lrd_delete(S, KEY(40)), LRD_MISS); }
static void delete_version(void) { CHECK_OK(lrd_delete_version(S, KEY(4), version_of_4, 0)); }

static void delete_number(void) { CHECK_OK(lrd_delete_version(S, KEY(19), 0, 2000)); }

static _Alignas(LRD_ALIGN) char taken[1024];
static bool all_types[256];
static void take_copy(int k, int code)
{
    lrd_value value;
    memset(all_types, true, sizeof all_types);
    CHECK_CODE(lrd_take(S, KEY(k), all_types, taken, sizeof taken, &value), code);
    if (code == LRD_OK && value.type == LRD_TYPE_COUNTER)
        CHECK_EQ(lrd_counter_value(&value), 2000);
    else if (code == LRD_OK)
        check_value(&value, k);
}
static void take(void) { take_copy(4, LRD_OK); }
static void take_counter(void) { take_copy(19, LRD_OK); }
static void take_too_large(void) { take_copy(16, LRD_EXISTS); }
static void take_missing(void) { take_copy(40, LRD_MISS); }

/* Hold the value of key 4, and delete the entry if it still has this value. */
static void take_held(void)
{
    lrd_entry entry;
    CHECK_OK(lrd_get(S, KEY(4), 0, &held));
    CHECK_OK(lrd_value_entry(S, &held, &entry));
    CHECK_OK(lrd_delete_version(S, KEY(4), entry.version, 0));
    check_value(&held, 4);
    CHECK_OK(lrd_release(S, &held));
}

static void compare_and_set(void)
{
    lrd_entry entry;
    CHECK_OK(lrd_get(S, KEY(4), LRD_GET_BORROW, &borrowed));
    CHECK(borrowed.size == 360 && memcmp(borrowed.data, value_of(4, 360, 5), 360) == 0);
    CHECK_OK(lrd_value_entry(S, &borrowed, &entry));
    replace(entry.version, LRD_OK);
}

/* ---- packed forms ---- */

static char packed[4096];
static size_t packed_size;

static void pack(int k, size_t size, uint64_t seed)
{
    CHECK(lrd_pack_bound(size) <= sizeof packed);
    packed_size = lrd_pack(packed, value_of(k, size, seed), size, 0, size, LRD_COMPRESS_SMALL);
}
static void put_packed(int k, lrd_mode mode, uint64_t version)
{
    CHECK_OK(lrd_put(S, KEY(k), packed, packed_size,
                     &(lrd_write){.type = LRD_TYPE_PACKED, .mode = mode, .version = version}));
}
static void packed_new(void)
{
    use();
    pack(30, 1300, 23);
}
static void put_packed_new(void) { put_packed(30, LRD_SET, 0); }

/* Prepare the packed form of key 4's value, and note the entry's version. */
static void packed_form(void)
{
    know_version();
    pack(4, 360, 5);
}
static void form_pack(void) { put_packed(4, LRD_REFORM, version_of_4); }
static void packed_is_stored(void)
{
    packed_form();
    form_pack();
}
static void form_unpack(void)
{
    static char raw[4096];
    lrd_packed head;
    CHECK_OK(lrd_get(S, KEY(4), LRD_GET_BORROW, &borrowed));
    CHECK_OK(lrd_packed_open(borrowed.data, borrowed.size, &head));
    CHECK_OK(lrd_unpack(&head, raw));
    CHECK_OK(lrd_put(S, KEY(4), raw, head.raw,
                     &(lrd_write){.mode = LRD_REFORM, .version = version_of_4}));
}

static int64_t sum;
static void count_new(void) { CHECK_OK(lrd_counter_add(S, KEY(31), 5, 100, 0, &sum)); }
static void count_more(void) { CHECK_OK(lrd_counter_add(S, KEY(18), 7, 0, 0, &sum)); }
static void count_update(void) { CHECK_OK(lrd_counter_update(S, KEY(18), 300, &sum)); }
static void count_swap(void) { CHECK_OK(lrd_counter_swap(S, KEY(19), 2000, 1ll << 40)); }
static void count_set(void) { CHECK_OK(lrd_counter_set(S, KEY(18), -1, 0)); }
static void count_set_over(void) { CHECK_OK(lrd_counter_set(S, KEY(4), 77, 0)); }
static void touch(void) { CHECK_OK(lrd_touch(S, KEY(4), 5000)); }
static void touch_forever(void) { CHECK_OK(lrd_touch(S, KEY(9), 0)); }
static void clear(void) { CHECK_OK(lrd_clear(S)); }
static void put_held(void) { CHECK_OK(lrd_put_held(S, &held, 800)); }

static void get_held(void)
{
    CHECK_OK(lrd_get(S, KEY(5), 0, &held));
    check_value(&held, 5);
}
static void get_borrowed(void)
{
    CHECK_OK(lrd_get(S, KEY(5), LRD_GET_BORROW, &borrowed));
    check_value(&borrowed, 5);
}
static void get_missing(void) { CHECK_CODE(lrd_get(S, KEY(40), 0, &again), LRD_MISS); }
static void hold_again(void) { CHECK_OK(lrd_hold(S, &held, &again)); }
static void release(void) { CHECK_OK(lrd_release(S, &held)); }
static void hold_two(void)
{
    holding();
    CHECK_OK(lrd_get(S, KEY(6), 0, &again));
}
static void end_one(void)
{
    lrd_held all[8];
    size_t count = lrd_holds(S, all, 8);
    CHECK_EQ(count, 2);
    for (size_t i = 0; i < count; i++)
        all[i].used = (uintptr_t)held.data - all[i].from < all[i].to - all[i].from;
    CHECK_EQ(lrd_holds_end(S, all, count), 1);
}
static void has(void) { CHECK_OK(lrd_has(S, KEY(5))); }

static void get_many(void)
{
    lrd_key keys[8];
    size_t done;
    for (int k = 0; k < 8; k++)
        keys[k] = (lrd_key){KEY(k)};
    CHECK_OK(lrd_get_many(S, keys, 8, 0, many, &done));
    CHECK_EQ(done, 8);
}

static void iterate(void)
{
    lrd_cursor cursor = {0};
    for (int i = 0; i < 6; i++)
        CHECK_OK(lrd_next(S, &cursor, &borrowed));
}

static void request_begin(void) { CHECK_OK(lrd_request_begin(S)); }
static void request_end(void) { CHECK_OK(lrd_request_end(S)); }
static void leave(void) { lrd_thread_leave(S); }
static void close_store(void) { lrd_close(S); }

static void notice(void)
{
    lrd_stats stats;
    CHECK_OK(lrd_stats_get(S, &stats));
}
static void sweep(void) { CHECK_OK(lrd_sweep(S, NULL)); }
static void check_all(void) { CHECK_EQ(lrd_fsck(S, NULL, NULL), 0); }

static void lock_key(void) { CHECK_OK(lrd_lock(S, "three", 5, 0, 0, NULL)); }
static void lease_key(void) { CHECK_OK(lrd_lock(S, "three", 5, 400, 0, NULL)); }
static void unlock_key(void) { CHECK_OK(lrd_unlock(S, "one", 3, 0)); }

static uint64_t token;
static void lock_with_token(void) { CHECK_OK(lrd_lock(S, "one", 3, 700, 0, &token)); }
static void unlock_by_token(void) { CHECK_OK(lrd_unlock(S, "one", 3, token)); }
static void lease_is_over(void)
{
    lock_with_token();
    wait_ms(900);
}
static void lock_after_lease(void)
{
    uint64_t old = token;
    lock_with_token();
    CHECK(token != old);
    CHECK_CODE(lrd_unlock(S, "one", 3, old), LRD_MISS);
}
static void unlock_all(void) { CHECK_EQ(lrd_locks_end(S), 2); }
static void lock_wanted(void) { CHECK(!lrd_lock_wanted(S)); }

/* Store a missing value like a host: reserve the key, put the value, unlock the key. */
static void fill_miss(void)
{
    CHECK_OK(lrd_lock(S, "three", 5, 400, 0, NULL));
    CHECK_OK(put(30, 200, 21, LRD_SET, 0));
    CHECK_OK(lrd_unlock(S, "three", 5, 0));
}

/* ---- limits and semaphores ---- */

static void throttle(uint64_t cost, bool allowed)
{
    lrd_throttled out;
    lrd_rate rate = {.limit = 10, .per_ns = 1000000000, .cost = cost};
    CHECK_OK(lrd_throttle(S, KEY(32), &rate, &out));
    CHECK_EQ(out.allowed, allowed);
}
static void throttled(void) { throttle(4, true); }
static void throttle_new(void) { throttle(4, true); }
static void throttle_more(void) { throttle(5, true); }
static void throttle_refused(void) { throttle(7, false); }
static void throttle_look(void) { throttle(0, true); }
static void throttle_later(void)
{
    throttled();
    wait_ms(3000); /* the limit is unused again, and its entry has expired */
}

static lrd_permit permit;
static void acquire(void) { CHECK_OK(lrd_semaphore_acquire(S, "one", 3, 3, 0, 0, &permit)); }
static void acquire_lease(void)
{
    CHECK_OK(lrd_semaphore_acquire(S, "one", 3, 3, 400, 0, &permit));
}
static void acquired(void)
{
    acquire();
    acquire();
}
static void release_permit(void) { CHECK_OK(lrd_semaphore_release(S, "one", 3, &permit)); }
static void count_permits(void)
{
    uint32_t count;
    CHECK_OK(lrd_semaphore_count(S, "one", 3, 3, &count));
    CHECK_EQ(count, 2);
}

static void renew_permit(void) { CHECK_OK(lrd_semaphore_renew(S, "one", 3, &permit, 900)); }
static void owner_of_permits_died(void)
{
    use();
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        acquired();
        acquire();
        raise(SIGKILL);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status));
}
static void permits_lease_is_over(void)
{
    acquire_lease();
    wait_ms(900);
}
static void release_late(void)
{
    CHECK_CODE(lrd_semaphore_release(S, "one", 3, &permit), LRD_MISS);
}

/* ---- watches in a pinned store ---- */

static lrd_watch watched;
static int64_t watched_number;
static void watch_open(void) { CHECK_OK(lrd_watch_open(S, KEY(33), &watched)); }
static void watch_open_again(void) { CHECK_OK(lrd_watch_open(S, KEY(19), &watched)); }
static void watch_use(void)
{
    use();
    watch_open_again();
}
static void watch_raise(void)
{
    CHECK_OK(lrd_watch_raise(S, KEY(19), true, &watched_number));
    CHECK_EQ(watched_number, 2001);
}
static void watch_wait(void)
{
    CHECK_CODE(lrd_watch_wait(&watched, 2000, 1, &watched_number), LRD_MISS);
    CHECK_CODE(lrd_watch_wait(&watched, 1999, 1, &watched_number), LRD_OK);
}
static void watch_cleared(void)
{
    CHECK_OK(lrd_clear(S));
    CHECK_CODE(lrd_watch_wait(&watched, 2000, 0, &watched_number), LRD_STALE);
}

static void session_write(void)
{
    CHECK_OK(lrd_lock(S, "one", 3, 60000, 0, NULL));
    CHECK_OK(lrd_get(S, KEY(5), LRD_GET_BORROW, &borrowed));
    CHECK_OK(put(5, 800, 22, LRD_SET, 1440000));
    CHECK_OK(lrd_unlock(S, "one", 3, 0));
}

/* ---- readers, and writers that reuse their blocks ---- */

/* Get key k and keep the hold. The value may be gone. */
static void read_value(int k)
{
    held_key = k;
    int code = lrd_get(S, KEY(k), 0, &held);
    CHECK(code == LRD_OK || code == LRD_MISS);
}
static void read_5(void) { read_value(5); }
static void read_late(void) { read_value(1200); }

/* Hold many values, so that the next hold is beyond the first part of the ledger. */
static void hold_many(void)
{
    for (int k = 0; k < 1201; k++)
        if (lrd_has(S, KEY(k)) != LRD_OK)
            CHECK_OK(put(k, 30, (uint64_t)k, LRD_SET, 0));
    for (int k = 0; k < 1100; k++)
        CHECK_OK(lrd_get(S, KEY(k), 0, &again));
}

void reuse_free(int k)
{
    int code = lrd_delete(S, KEY(k));
    CHECK(code == LRD_OK || code == LRD_MISS || code == LRD_EBUSY);
    (void)lrd_sweep(S, NULL);
}

void reuse_take(int other, int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        int code = put(other + i, size, (uint64_t)i, LRD_SET, 0);
        CHECK(code == LRD_OK || code == LRD_EBUSY);
    }
}

const reader readers[] = {
    {{"a reader", SESSION, use, read_5, SAMPLE}, 5, 36, 40, 450},
    {{"a reader of many", GROWING, hold_many, read_late, 0}, 1200, 1300, 300, 30}};
const unsigned reader_count = sizeof readers / sizeof *readers;

static void hand_over(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return;
    check_held();
    CHECK_OK(lrd_request_end(S));
    _exit(0);
}

/* ---- a full store ---- */

static void evict_one(void) { CHECK_OK(put(30, 1300, 23, LRD_SET, 0)); }
static void evict_pages(void) { CHECK_OK(put(30, 4000, 24, LRD_SET, 0)); }
static void evict_window(void) { CHECK_OK(put(30, 32000, 25, LRD_SET, 0)); }
static void evict_many(void)
{
    for (int k = 30; k < 36; k++)
        CHECK_OK(put(k, 1300, (uint64_t)k, LRD_SET, 0));
}

/* ---- growing ---- */

static int grown_key(void)
{
    int k = 0;
    while (lrd_has(S, KEY(k)) == LRD_OK)
        k++;
    return k;
}
static int next_key;
static void know_next(void) { next_key = grown_key(); }
static void grow_step(void) { CHECK_OK(put(next_key, 30, 26, LRD_SET, 0)); }
static void grow_steps(void)
{
    for (int i = 0; i < 3; i++)
        CHECK_OK(put(next_key + i, 30, 27, LRD_SET, 0));
}

/* ---- queues ---- */

static void use_queue(void)
{
    CHECK_OK(lrd_queue_open(S, "work", 4, 0, &work_queue));
    CHECK_OK(lrd_queue_peek(S, work_queue, 0, LRD_GET_BORROW, &message));
}
static void popped(void)
{
    use_queue();
    CHECK_OK(lrd_queue_pop(S, work_queue, 0, 0, 50000, &message));
}
static void popper_died(void)
{
    use_queue();
    pid_t pid = fork();
    if (pid == 0) {
        popped();
        raise(SIGKILL);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
}
static void delays_over(void)
{
    use_queue();
    wait_ms(1500);
}
static void messages_expired(void)
{
    use_queue();
    wait_ms(3000);
}
static void queue_reserved(void)
{
    use_queue();
    CHECK_OK(lrd_queue_reserve(S, work_queue, 9000, 1, NULL, &open_one));
    memset(open_one.build, 30, 9000);
}
static void queue_open(void) { CHECK_OK(lrd_queue_open(S, "third", 5, 9, &other_queue)); }
static void queue_push(void) { CHECK_OK(push(30, 300, (lrd_push){.priority = 1})); }
static void queue_push_large(void) { CHECK_OK(push(30, 30000, (lrd_push){0})); }
static void queue_push_later(void) { CHECK_OK(push(30, 60, (lrd_push){.delay_ms = 99})); }
static void queue_reserve(void)
{
    CHECK_OK(lrd_queue_reserve(S, work_queue, 9000, 1, NULL, &open_one));
}
static void queue_publish(void)
{
    CHECK_OK(lrd_queue_publish(S, work_queue, &open_one, NULL, NULL));
}
static void queue_pop(void) { CHECK_OK(lrd_queue_pop(S, work_queue, 0, 0, 50000, &message)); }
static void queue_pop_empty(void)
{
    CHECK_CODE(lrd_queue_pop(S, other_queue, 0, 1, 0, &message), LRD_MISS);
}
static void fill_body(const void *from, void *build, const void *data, size_t size)
{
    (void)data;
    memset(build, *(const unsigned char *)from, size);
}
static void queue_push_fill(void)
{
    static const unsigned char number = 31;
    CHECK_OK(lrd_queue_push_fill(S, work_queue, 700, 1, &(lrd_push){.priority = 1}, fill_body,
                                 &number, NULL));
}
static void queue_peek(void) { CHECK_OK(lrd_queue_peek(S, work_queue, 0, 0, &message)); }
static void queue_ack(void) { CHECK_OK(lrd_queue_ack(S, work_queue, message.id)); }
static void queue_release(void) { CHECK_OK(lrd_queue_release(S, work_queue, message.id, 0)); }
static void queue_release_later(void)
{
    CHECK_OK(lrd_queue_release(S, work_queue, message.id, 70));
}
static void queue_bury(void) { CHECK_OK(lrd_queue_bury(S, work_queue, message.id)); }
static void queue_touch(void) { CHECK_OK(lrd_queue_touch(S, work_queue, message.id, 9000)); }
static void queue_kick(void) { CHECK_OK(lrd_queue_kick(S, work_queue, 5, NULL)); }
static void queue_remove(void) { CHECK_OK(lrd_queue_remove(S, work_queue, message.id)); }
static void queue_clear(void) { CHECK_OK(lrd_queue_clear(S, work_queue, true, NULL)); }
static void queue_next(void)
{
    uint64_t cursor = 0;
    for (int i = 0; i < 5; i++)
        CHECK_OK(lrd_queue_next(S, work_queue, &cursor, LRD_GET_BORROW, &message));
}

/* ---- recovery ---- */

static void recover(void) { touch_all_shards(S); }

/* ---- opening ---- */

static void open_named(void)
{
    lrd_options options = world_options(NAMED);
    CHECK_OK(lrd_open(&options, &S));
}
static void vet(void)
{
    CHECK_OK(lrd_get(S, KEY(5), LRD_GET_BORROW, &borrowed));
    check_value(&borrowed, 5);
    CHECK_OK(lrd_get(S, KEY(6), LRD_GET_BORROW, &borrowed));
    touch_all_shards(S);
}

const operation operations[] = {
    {"put: new", SESSION, use, put_new, SAMPLE},
    {"put: over", SESSION, use, put_over, SAMPLE},
    {"put: over, another class, with a time to live", SESSION, use, put_other_class, 0},
    {"put: of a page", SESSION, use, put_page, 0},
    {"put: a run", SESSION, use, put_run, SAMPLE},
    {"put: over a run", SESSION, use, put_run_over, 0},
    {"put: past the caches", SESSION, use, put_past_caches, 0},
    {"put: over what the thread holds", SESSION, holding, put_held, HOLDS},
    {"put: built in place", SESSION, use, put_fill, 0},
    {"add: new", SESSION, use, put_add, 0},
    {"add: exists", SESSION, use, put_exists, 0},
    {"replace: by version", SESSION, know_version, put_replace, SAMPLE},
    {"replace: stale", SESSION, know_version, put_stale, 0},
    {"put: another form", SESSION, know_version, put_reform, 0},
    {"reserve: small", SESSION, use, reserve_small, 0},
    {"reserve: a run", SESSION, use, reserve_run, SAMPLE},
    {"publish: new", SESSION, reserved_small, publish_new, SAMPLE},
    {"publish: over", SESSION, reserved_over, publish_over, 0},
    {"cancel", SESSION, reserved_small, cancel, 0},
    {"delete: small", SESSION, use, delete_small, SAMPLE},
    {"delete: a run", SESSION, use, delete_run, 0},
    {"delete: missing", SESSION, use, delete_missing, 0},
    {"delete: by version", SESSION, know_version, delete_version, 0},
    {"delete: a counter by its number", SESSION, use, delete_number, 0},
    {"take", SESSION, use, take, SAMPLE},
    {"take: a counter", SESSION, use, take_counter, 0},
    {"take: too large", SESSION, use, take_too_large, 0},
    {"take: missing", SESSION, use, take_missing, 0},
    {"take: hold, then delete by version", SESSION, use, take_held, 0},
    {"compare and set", SESSION, use, compare_and_set, 0},
    {"put: packed", SESSION, packed_new, put_packed_new, 0},
    {"form: pack", SESSION, packed_form, form_pack, SAMPLE},
    {"form: unpack", SESSION, packed_is_stored, form_unpack, 0},
    {"count: new", SESSION, use, count_new, 0},
    {"count: more", SESSION, use, count_more, SAMPLE},
    {"count: update", SESSION, use, count_update, 0},
    {"count: swap", SESSION, use, count_swap, 0},
    {"count: set", SESSION, use, count_set, 0},
    {"count: set over a value", SESSION, use, count_set_over, 0},
    {"touch: a time to live", SESSION, use, touch, SAMPLE},
    {"touch: for ever", SESSION, use, touch_forever, 0},
    {"clear", SESSION, use, clear, SAMPLE},
    {"clear: then a put", SESSION, cleared, put_new, 0},
    {"get: held", SESSION, use, get_held, SAMPLE | HOLDS},
    {"get: borrowed", SESSION, use, get_borrowed, 0},
    {"get: missing", SESSION, use, get_missing, 0},
    {"get: many", SESSION, use, get_many, 0},
    {"has", SESSION, use, has, 0},
    {"hold: again", SESSION, holding, hold_again, 0},
    {"release", SESSION, holding, release, SAMPLE},
    {"release: all that is not used", SESSION, hold_two, end_one, HOLDS},
    {"iterate", SESSION, use, iterate, 0},
    {"request: begin", SESSION, use, request_begin, 0},
    {"request: end", SESSION, busy_request, request_end, SAMPLE | PARTS},
    {"fork: hand over", SESSION, holding, hand_over, FORKS},
    {"slot: claim", SESSION, nothing, get_held, SAMPLE},
    {"slot: leave", SESSION, busy_request, leave, PARTS},
    {"slot: reap", SESSION, somebody_died, notice, SAMPLE},
    {"close", SESSION, busy_request, close_store, PARTS},
    {"expire: by a write", SESSION, expired, put_new, PARTS},
    {"expire: by a sweep", SESSION, expired, sweep, 0},
    {"sweep: what was cleared", SESSION, cleared, sweep, SAMPLE},
    {"check", SESSION, use, check_all, 0},
    {"key: lock", SESSION, use, lock_key, SAMPLE},
    {"key: lease", SESSION, use, lease_key, 0},
    {"key: unlock", SESSION, locked_one, unlock_key, SAMPLE},
    {"key: lock, for a token", SESSION, use, lock_with_token, 0},
    {"key: unlock, by its token", SESSION, lock_with_token, unlock_by_token, 0},
    {"key: lock after a lease", SESSION, lease_is_over, lock_after_lease, 0},
    {"key: unlock all", SESSION, busy_request, unlock_all, 0},
    {"key: does anybody wait", SESSION, locked_one, lock_wanted, 0},
    {"key: lease, fill, unlock", SESSION, use, fill_miss, 0},
    {"key: lock of a dead owner", SESSION, somebody_died, session_write, 0},
    {"session: write", SESSION, use, session_write, 0},
    {"throttle: new", SESSION, use, throttle_new, 0},
    {"throttle: more", SESSION, throttled, throttle_more, 0},
    {"throttle: refused", SESSION, throttled, throttle_refused, 0},
    {"throttle: look", SESSION, throttled, throttle_look, 0},
    {"throttle: after its time", SESSION, throttle_later, throttle_more, 0},
    {"semaphore: acquire", SESSION, use, acquire, 0},
    {"semaphore: acquire another", SESSION, acquired, acquire_lease, 0},
    {"semaphore: release", SESSION, acquired, release_permit, 0},
    {"semaphore: count", SESSION, acquired, count_permits, 0},
    {"semaphore: renew", SESSION, acquired, renew_permit, 0},
    {"semaphore: acquire what a dead owner had", SESSION, owner_of_permits_died, acquire, PARTS},
    {"semaphore: release after a lease", SESSION, permits_lease_is_over, release_late, 0},
    {"evict: from the queue", FULL, use_full, evict_one, SAMPLE | EVICTS},
    {"evict: pages", FULL, use_full, evict_pages, EVICTS},
    {"evict: a window", FULL, use_full, evict_window, EVICTS},
    {"evict: several", FULL, use_full, evict_many, EVICTS | PARTS},
    {"grow: a step", GROWING, know_next, grow_step, SAMPLE},
    {"grow: steps", GROWING, know_next, grow_steps, PARTS},
    {"pinned: put", PINNED, use, put_new, 0},
    {"pinned: clear", PINNED, watch_use, watch_cleared, 0},
    {"watch: open", PINNED, use, watch_open, 0},
    {"watch: open again", PINNED, use, watch_open_again, 0},
    {"watch: raise", PINNED, watch_use, watch_raise, SAMPLE},
    {"watch: wait", PINNED, watch_use, watch_wait, 0},
    {"queue: open", QUEUES, use_queue, queue_open, 0},
    {"queue: push", QUEUES, use_queue, queue_push, SAMPLE},
    {"queue: push large", QUEUES, use_queue, queue_push_large, 0},
    {"queue: push delayed", QUEUES, use_queue, queue_push_later, 0},
    {"queue: push, built in place", QUEUES, use_queue, queue_push_fill, 0},
    {"queue: reserve", QUEUES, use_queue, queue_reserve, 0},
    {"queue: publish", QUEUES, queue_reserved, queue_publish, 0},
    {"queue: cancel", QUEUES, queue_reserved, cancel, 0},
    {"queue: pop", QUEUES, use_queue, queue_pop, SAMPLE},
    {"queue: pop of a dead owner's", QUEUES, popper_died, queue_pop, 0},
    {"queue: pop when delays are over", QUEUES, delays_over, queue_pop, PARTS},
    {"queue: pop, waiting in vain", QUEUES, use_queue, queue_pop_empty, 0},
    {"queue: peek", QUEUES, use_queue, queue_peek, 0},
    {"queue: ack", QUEUES, popped, queue_ack, SAMPLE},
    {"queue: release", QUEUES, popped, queue_release, 0},
    {"queue: release later", QUEUES, popped, queue_release_later, 0},
    {"queue: bury", QUEUES, popped, queue_bury, 0},
    {"queue: touch", QUEUES, popped, queue_touch, 0},
    {"queue: kick", QUEUES, use_queue, queue_kick, 0},
    {"queue: remove", QUEUES, use_queue, queue_remove, 0},
    {"queue: clear", QUEUES, popped, queue_clear, PARTS},
    {"queue: sweep", QUEUES, messages_expired, sweep, PARTS},
    {"queue: next", QUEUES, use_queue, queue_next, 0},
    {"open: adopt", NAMED, nothing, open_named, BY_NAME},
    {"open: create", ABSENT, nothing, open_named, BY_NAME | OPENS},
    {"open: vet", NAMED, open_named, vet, BY_NAME},
    {"open: vet what is damaged", DAMAGED, open_named, vet, BY_NAME | EMPTIES},
    {"recover", SESSION, nothing, recover, SAMPLE | PARTS},
};
const unsigned operation_count = sizeof operations / sizeof *operations;
