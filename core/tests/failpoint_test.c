/* failpoint_test.c - runs a script of all operations again and again. The first run is killed at
 * its first fail point, the next one at its second fail point, and so on. After each kill, another
 * process begins to recover the store and is killed, too. Then a third process, the survivor, must
 * find the old or the new value of each entry, no error of lrd_fsck(), and no lost memory.
 *
 * AddressSanitizer and musl try only every seventh fail point. Start reading at
 * kill_everywhere(). */
#include "support.h"

#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define STRIDE 7 /* forks are slow with AddressSanitizer */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRIDE 7
#endif
#endif
#ifndef STRIDE
#define STRIDE 1
#endif

#define MIB (1u << 20)
#define KEYS 802
#define FILL_SIZE 1450

/* A state of a key, in a book that the script and the test share. The script sets `next` before
 * each change, and the survivor must find `now` or `next`. */
typedef struct fact {
    uint8_t present, counter;
    uint32_t size;
    uint64_t seed;   /* for a counter, its value */
    uint64_t expiry; /* 0: never */
} fact;

typedef struct book {
    lrd_store *store;
    test_clock *clock;
    bool evicts;
    _Atomic uint32_t step;
    fact now[KEYS], next[KEYS];
} book;

static const char *key_name(int k)
{
    static char name[4][16];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(name[turn], sizeof name[turn], "key %d", k);
    return name[turn];
}

/* ---- operations that keep the book ---- */

static void announce(book *b, int k, fact next)
{
    b->next[k] = next;
    atomic_fetch_add(&b->step, 1);
}
static void done(book *b, int k) { b->now[k] = b->next[k]; }
static void undone(book *b, int k) { b->next[k] = b->now[k]; }

static int do_put(book *b, int k, size_t size, uint64_t seed, lrd_mode mode, uint64_t ttl)
{
    announce(b, k,
             (fact){.present = 1,
                    .size = (uint32_t)size,
                    .seed = value_cut_seed(size, seed),
                    .expiry = ttl != 0 ? clock_read(b->clock) + ttl : 0});
    int code = put_value(b->store, key_name(k), size, seed, mode, ttl);
    if (code == LRD_OK)
        done(b, k);
    else
        undone(b, k);
    return code;
}

static int do_delete(book *b, int k)
{
    announce(b, k, (fact){0});
    int code = lrd_delete(b->store, key_name(k), strlen(key_name(k)));
    done(b, k);
    return code;
}

static void do_touch(book *b, int k, uint64_t ttl)
{
    fact next = b->now[k];
    next.expiry = ttl != 0 ? clock_read(b->clock) + ttl : 0;
    announce(b, k, next);
    CHECK_OK(lrd_touch(b->store, key_name(k), strlen(key_name(k)), ttl));
    done(b, k);
}

static void do_count(book *b, int k, int64_t step, uint64_t ttl)
{
    int64_t result;
    fact next = b->now[k];
    if (!next.present)
        next = (fact){.present = 1,
                      .counter = 1,
                      .seed = 100,
                      .expiry = ttl != 0 ? clock_read(b->clock) + ttl : 0};
    next.seed += (uint64_t)step;
    announce(b, k, next);
    CHECK_OK(lrd_counter_add(b->store, key_name(k), strlen(key_name(k)), step, 100, ttl, &result));
    CHECK_EQ(result, (int64_t)next.seed);
    done(b, k);
}

static void do_clear(book *b)
{
    memset(b->next, 0, sizeof b->next);
    atomic_fetch_add(&b->step, 1);
    CHECK_OK(lrd_clear(b->store));
    memcpy(b->now, b->next, sizeof b->now);
}

static void do_wait(book *b, uint64_t ms) { atomic_fetch_add(b->clock, ms); }

/* ---- scripts ---- */

static void child_of_script(void *arg)
{
    book *b = arg;
    size_t size;
    CHECK_OK(get_checked(b->store, key_name(0), &size, NULL));
    CHECK_OK(do_put(b, 30, 400, 30, LRD_SET, 0));
    CHECK_OK(lrd_request_end(b->store));
}

static void script_of_everything(void *arg)
{
    book *b = arg;
    lrd_store *store = b->store;
    lrd_value held, again;
    lrd_reservation open;
    int64_t result;

    CHECK_OK(do_put(b, 20, 300, 1, LRD_SET, 0)); /* claims a slot */
    CHECK_OK(do_put(b, 20, 900, 2, LRD_SET, 5000));
    CHECK_OK(do_put(b, 20, 40, 3, LRD_SET, 0));
    CHECK_OK(do_put(b, 21, 300, 4, LRD_ADD, 700));
    CHECK_CODE(do_put(b, 21, 300, 5, LRD_ADD, 0), LRD_EXISTS);
    CHECK_OK(do_delete(b, 20));
    CHECK_CODE(do_delete(b, 20), LRD_MISS);
    do_touch(b, 21, 90000);
    do_touch(b, 21, 0);
    do_touch(b, 1, 600);
    do_count(b, 22, 5, 0);
    do_count(b, 22, 6, 0);
    do_count(b, 23, 7, 400);
    announce(b, 22, (fact){.present = 1, .counter = 1, .seed = 121});
    CHECK_OK(lrd_counter_update(store, key_name(22), strlen(key_name(22)), 10, &result));
    done(b, 22);

    CHECK_OK(do_put(b, 24, 100000, 6, LRD_SET, 0));
    CHECK_OK(do_put(b, 24, 150000, 7, LRD_SET, 0));
    CHECK_OK(do_put(b, 25, 70000, 8, LRD_ADD, 0));
    CHECK_OK(do_delete(b, 24));

    CHECK_OK(lrd_reserve(store, "aborted", 7, 500, 0, &open));
    CHECK_OK(lrd_abort(store, &open));
    CHECK_OK(lrd_reserve(store, "left open", 9, 90000, 0, &open));
    memset(open.build, 'x', open.size);

    CHECK_OK(lrd_get(store, key_name(0), strlen(key_name(0)), 0, &held));
    CHECK_OK(lrd_hold(store, &held, &again));
    CHECK_OK(do_put(b, 0, 2000, 9, LRD_SET, 0));
    CHECK_OK(lrd_release(store, &held));
    CHECK_OK(lrd_release(store, &again));
    CHECK_OK(lrd_get(store, key_name(2), strlen(key_name(2)), 0, &held));

    CHECK_OK(lrd_lock(store, "one", 3, 0, 0, NULL));
    CHECK_OK(lrd_lock(store, "two", 3, 1000, 0, NULL));
    CHECK_OK(lrd_unlock(store, "one", 3, 0));

    do_wait(b, 800);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_OK(do_put(b, 26, 200, 10, LRD_SET, 100));

    int status = run_in_child(child_of_script, b);
    if (failpoint_fired())
        _exit(0);
    CHECK_CHILD(status);

    CHECK_OK(lrd_request_end(store));
    lrd_thread_leave(store);
    CHECK_OK(do_put(b, 27, 4000, 11, LRD_SET, 0));
    CHECK_OK(lrd_get(store, key_name(27), strlen(key_name(27)), 0, &held));
    do_clear(b);
    CHECK_OK(do_put(b, 28, 4000, 12, LRD_SET, 0));
    CHECK_OK(do_put(b, 3, 64, 13, LRD_SET, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    do_clear(b);
    for (int k = 40; k < 60; k++) /* the first puts after a clear also remove cleared entries */
        CHECK_OK(do_put(b, k, 20000, (uint64_t)k, LRD_SET, 0));
    lrd_close(store);
}

static void script_when_full(void *arg)
{
    book *b = arg;
    for (int k = 700; k < 712; k++)
        CHECK_OK(do_put(b, k, FILL_SIZE, (uint64_t)k, LRD_SET, k % 3 == 0 ? 500 : 0));
    for (int k = 730; k < 740; k++) /* another size class, so emptied pages get a new owner */
        CHECK_OK(do_put(b, k, 3500, (uint64_t)k, LRD_SET, 0));
    CHECK_OK(do_put(b, 800, 60000, 1, LRD_SET, 0));
    CHECK_OK(do_put(b, 801, 250000, 2, LRD_SET, 0));
    CHECK_OK(do_put(b, 800, 100000, 3, LRD_SET, 0));
    CHECK(do_delete(b, 801) >= LRD_OK);
    /* these values are small blocks, in the pages of the large value that was deleted */
    for (int k = 750; k < 758; k++)
        CHECK_OK(do_put(b, k, 100, (uint64_t)k, LRD_SET, 0));
    do_wait(b, 1000);
    for (int k = 770; k < 778; k++)
        CHECK_OK(do_put(b, k, FILL_SIZE, (uint64_t)k, LRD_SET, 0));
    CHECK_OK(lrd_sweep(b->store, NULL));
}

static void script_when_refused(void *arg)
{
    book *b = arg;
    int refused = 0;
    for (int k = 700; k < 710; k++)
        refused += do_put(b, k, FILL_SIZE, (uint64_t)k, LRD_SET, 0) == LRD_ENOROOM;
    refused += do_put(b, 800, 100000, 1, LRD_SET, 0) == LRD_ENOROOM;
    CHECK(refused > 5);
    for (int k = 0; k < 300; k += 10)
        CHECK(do_delete(b, k) >= LRD_OK);
    for (int k = 710; k < 725; k++)
        CHECK_OK(do_put(b, k, FILL_SIZE, (uint64_t)k, LRD_SET, 0));
    do_clear(b);
    CHECK_OK(do_put(b, 800, 300000, 2, LRD_SET, 0));
    for (int k = 0; k < 20; k++)
        CHECK_OK(do_put(b, k, 5000, (uint64_t)k, LRD_SET, 0));
}

/* ---- what the survivor finds ---- */

static bool matches(book *b, const fact *f, int code, const lrd_value *value, uint64_t ttl)
{
    uint64_t now = clock_read(b->clock);
    if (!f->present || (f->expiry != 0 && now >= f->expiry))
        return code == LRD_MISS;
    if (code != LRD_OK || ttl != (f->expiry != 0 ? f->expiry - now : 0))
        return false;
    if (f->counter)
        return value->type == LRD_TYPE_COUNTER && lrd_counter_value(value) == (int64_t)f->seed;
    return value->size == f->size && value_seed(value->data, value->size) == f->seed;
}

static void check_contents(book *b)
{
    uint32_t old = 0, new = 0;
    uint64_t unheld = ((LRD__ZONE_OCCUPIED - 1) * lrd__zone_pages(b->store)) << LRD__PAGE_BITS;
    for (int k = 0; k < KEYS; k++) {
        const char *key = key_name(k);
        lrd_value value;
        lrd_entry entry = {0};
        int code = lrd_get(b->store, key, strlen(key), 0, &value);
        CHECK(code == LRD_OK || code == LRD_MISS);
        /* If a large value touches more windows than holds may occupy (zone.c), lrd_get() copies
         * the value. LRD_GET_BORROW can still borrow the value. */
        if (code == LRD_OK && value.kind == LRD_KIND_COPY && value.size > unheld) {
            CHECK_OK(lrd_release(b->store, &value));
            code = lrd_get(b->store, key, strlen(key), LRD_GET_BORROW, &value);
            CHECK(code == LRD_OK && value.kind == LRD_KIND_BORROWED);
        } else if (code == LRD_OK) {
            CHECK_EQ(value.kind, LRD_KIND_HELD);
        }
        if (code == LRD_OK) {
            CHECK_OK(lrd_value_entry(b->store, &value, &entry));
            CHECK(value.type == LRD_TYPE_COUNTER ||
                  value_valid(value.data, value.size, key, strlen(key)));
        }
        bool is_now = matches(b, &b->now[k], code, &value, entry.ttl_ms);
        bool is_next = matches(b, &b->next[k], code, &value, entry.ttl_ms);
        old += is_now && !is_next;
        new += is_next && !is_now;
        if (!is_now && !is_next && !(b->evicts && code == LRD_MISS))
            check_failed(__FILE__, __LINE__, "\"%s\" (%s) is neither as before nor as after", key,
                         lrd_error_name(code));
        if (code == LRD_OK)
            CHECK_OK(lrd_release(b->store, &value));
    }
    CHECK(b->evicts || old == 0 || new == 0);
}

static void check_survivor(book *b)
{
    lrd_store *store = b->store;
    touch_all_shards(store);
    CHECK_FSCK(store);
    /* Make this process look for dead owners. Until then, a dead process's quota counts, and
     * lrd_get() copies large values. */
    (void)stats_of(store);
    check_contents(b);
    CHECK_OK(lrd_sweep(store, NULL));
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.retired_bytes, 0);
    CHECK_EQ(stats.dead_bytes, 0);
    CHECK_EQ(stats.emptied_shards, 0);
    CHECK_EQ(stats.slots_used, 1);
    CHECK_EQ(allocated_bytes(store), stats.live_bytes);
    CHECK_FSCK(store);
    check_contents(b);
    /* The store still works. */
    int code = put_value(store, "survivor", 300, 1, LRD_SET, 0);
    CHECK_CODE(get_checked(store, "survivor", NULL, NULL), code == LRD_OK ? LRD_OK : LRD_MISS);
    CHECK(code == LRD_OK || (code == LRD_ENOROOM && !b->evicts && stats.live_bytes > MIB / 2));
    CHECK_OK(lrd_lock(store, "one", 3, 0, 0, NULL));
    CHECK_OK(lrd_lock(store, "two", 3, 0, 0, NULL));
    CHECK_FSCK(store);
}

/* ---- the loop ---- */

typedef struct plan {
    const char *name;
    lrd_policy policy;
    void (*script)(void *book);
    uint64_t size;
    int fill; /* the keys below this number get a value of FILL_SIZE before the script */
} plan;

static void prepare(book *b, const plan *p)
{
    lrd_options options = {.policy = p->policy,
                           .size = p->size,
                           .entries_hint = 4 * KEYS,
                           .shards = 2,
                           .slots = 16,
                           .clock_ms = clock_read,
                           .clock_arg = b->clock};
    memset(b->now, 0, sizeof b->now);
    memset(b->next, 0, sizeof b->next);
    b->evicts = p->policy == LRD_VOLATILE;
    CHECK_OK(lrd_open(&options, &b->store));
    /* With a fixed hash seed, each run passes the same fail points in the same order. */
    b->store->seed = b->store->header->seed = 20240607;
    for (int k = 0; k < 12; k++)
        CHECK_OK(do_put(b, k, (size_t)(k * k * 150), (uint64_t)k, LRD_SET, 0));
    for (int k = 12; k < p->fill; k++)
        if (k < 20 || k >= 60) /* the script itself puts the keys 20 to 59 */
            do_put(b, k, FILL_SIZE, (uint64_t)k, LRD_SET, 0);
}

static void recover_and_sweep(void *arg)
{
    book *b = arg;
    touch_all_shards(b->store);
    CHECK_OK(lrd_sweep(b->store, NULL));
}

typedef struct attempt {
    book *book;
    void (*script)(void *book);
    uint64_t k;
} attempt;

static void run_armed(void *arg)
{
    attempt *a = arg;
    failpoint_arm(a->k);
    a->script(a->book);
    failpoint_disarm();
}

static int run_to_the_end(attempt *a)
{
    int status = run_in_child(run_armed, a);
    while (wait(NULL) > 0) /* wait also for children of the script, which this process inherits */
        continue;
    return status;
}

static void kill_everywhere(const plan *p)
{
    static book *b;
    if (b == NULL)
        b = shared_memory(sizeof *b);
    uint64_t started = real_ms(), k = 0, recoverers = 0, deaths = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    b->clock = clock_new();
    for (bool killed = true; killed; deaths += killed) {
        k += k == 0 ? 1 : STRIDE;
        prepare(b, p);
        attempt script = {b, p->script, k};
        int status = run_to_the_end(&script);
        killed = failpoint_fired();
        if (!killed)
            CHECK_CHILD(status);
        check_context("%s, killed at pass %llu (%s)", p->name, (unsigned long long)k,
                      failpoint_last());
        attempt recovery = {b, recover_and_sweep, 1 + k * 7 % 61};
        status = run_to_the_end(&recovery);
        if (failpoint_fired())
            recoverers++;
        else
            CHECK_CHILD(status);
        check_survivor(b);
        lrd_close(b->store);
    }
    check_context("%s", "");
    print_message("%s: killed at %llu points, %llu recoverers too, %llu ms\n", p->name,
                  (unsigned long long)deaths, (unsigned long long)recoverers,
                  (unsigned long long)(real_ms() - started));
    CHECK(deaths > 500 / STRIDE);
    CHECK(recoverers > deaths / 10);
}

static void every_operation_can_be_killed_anywhere(void **state)
{
    (void)state;
    kill_everywhere(&(plan){"everything", LRD_SESSION, script_of_everything, 2 * MIB, 0});
}

static void every_operation_can_be_killed_anywhere_in_a_volatile_store(void **state)
{
    (void)state;
    kill_everywhere(&(plan){"volatile", LRD_VOLATILE, script_of_everything, 2 * MIB, 0});
}

static void evicting_and_taking_pages_can_be_killed_anywhere(void **state)
{
    (void)state;
    kill_everywhere(&(plan){"full", LRD_VOLATILE, script_when_full, MIB, 700});
}

static void refusing_can_be_killed_anywhere(void **state)
{
    (void)state;
    kill_everywhere(&(plan){"refused", LRD_SESSION, script_when_refused, MIB, 700});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_can_be_killed_anywhere),
        cmocka_unit_test(every_operation_can_be_killed_anywhere_in_a_volatile_store),
        cmocka_unit_test(evicting_and_taking_pages_can_be_killed_anywhere),
        cmocka_unit_test(refusing_can_be_killed_anywhere),
    };
    return cmocka_run_group_tests_name("failpoint", tests, NULL, NULL);
}
