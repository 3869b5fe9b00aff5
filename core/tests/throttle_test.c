/* throttle_test.c - rate limits. On a clock that stands still, tests know exactly which calls a
 * limit must admit. Killed processes must never make it admit more. */
#include "support.h"
#include "larder_coordination.h"

#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define MIB (1u << 20)
#define SECOND 1000000000ull
#define KEY "login:203.0.113.7", 17

static lrd_throttled ask(lrd_store *store, lrd_rate rate)
{
    lrd_throttled answer = {.remaining = 77, .retry_ns = 77, .reset_ns = 77};
    CHECK_OK(lrd_throttle(store, KEY, &rate, &answer));
    return answer;
}

static bool admits(lrd_store *store, lrd_rate rate) { return ask(store, rate).allowed; }

static void a_limit_admits_its_units_at_once_and_one_after_each_interval(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 5, .per_ns = 10 * SECOND, .cost = 1};
    for (uint64_t n = 1; n <= 5; n++) {
        lrd_throttled answer = ask(store, rate);
        CHECK(answer.allowed);
        CHECK_EQ(answer.remaining, 5 - n);
        CHECK_EQ(answer.retry_ns, 0);
        CHECK_EQ(answer.reset_ns, n * 2 * SECOND);
    }
    lrd_throttled refused = ask(store, rate);
    CHECK(!refused.allowed);
    CHECK_EQ(refused.remaining, 0);
    CHECK_EQ(refused.retry_ns, 2 * SECOND);
    CHECK_EQ(refused.reset_ns, 10 * SECOND);
    atomic_fetch_add(clock, 1999);
    CHECK(!admits(store, rate));
    atomic_fetch_add(clock, 1);
    CHECK(admits(store, rate));
    CHECK(!admits(store, rate));
    atomic_fetch_add(clock, 10000);
    for (int n = 0; n < 5; n++)
        CHECK(admits(store, rate));
    CHECK(!admits(store, rate));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void units_are_taken_together_or_not_at_all(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 10, .per_ns = 10 * SECOND, .cost = 7};
    CHECK_EQ(ask(store, rate).remaining, 3);
    lrd_throttled refused = ask(store, rate);
    CHECK(!refused.allowed);
    CHECK_EQ(refused.remaining, 3);
    CHECK_EQ(refused.retry_ns, 4 * SECOND);
    rate.cost = 3;
    CHECK(admits(store, rate));
    rate.cost = 0;
    for (int n = 0; n < 3; n++) {
        lrd_throttled look = ask(store, rate);
        CHECK(look.allowed);
        CHECK_EQ(look.remaining, 0);
        CHECK_EQ(look.reset_ns, 10 * SECOND);
    }
    lrd_close(store);
}

static void looking_makes_no_entry(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_throttled look = ask(store, (lrd_rate){.limit = 3, .per_ns = SECOND});
    CHECK(look.allowed);
    CHECK_EQ(look.remaining, 3);
    CHECK_EQ(look.reset_ns, 0);
    CHECK_CODE(lrd_has(store, KEY), LRD_MISS);
    lrd_close(store);
}

static void a_call_that_may_wait_is_told_how_long(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 1, .per_ns = 2 * SECOND, .cost = 1, .wait_ns = 4 * SECOND};
    for (uint64_t n = 0; n < 3; n++) {
        lrd_throttled answer = ask(store, rate);
        CHECK(answer.allowed);
        CHECK_EQ(answer.retry_ns, n * 2 * SECOND);
        CHECK_EQ(answer.remaining, 0);
    }
    lrd_throttled refused = ask(store, rate);
    CHECK(!refused.allowed);
    CHECK_EQ(refused.retry_ns, 6 * SECOND);
    lrd_close(store);
}

static void a_limit_that_is_in_use_does_not_expire(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 60, .per_ns = 60 * SECOND, .cost = 1};
    for (int n = 0; n < 60; n++)
        CHECK(admits(store, rate));
    /* The loop covers much more than the entry's first time to live. So the entry lives to the end
     * only if each call prolongs its time to live. */
    for (int second = 0; second < 2000; second++) {
        atomic_fetch_add(clock, 1000);
        CHECK(admits(store, rate));
        CHECK(!admits(store, rate));
    }
    CHECK_OK(lrd_has(store, KEY));
    atomic_fetch_add(clock, 1000000);
    CHECK_CODE(lrd_has(store, KEY), LRD_MISS);
    CHECK_EQ(ask(store, rate).remaining, 59);
    CHECK_FSCK(store);
    lrd_close(store);
}

static const lrd_rate hourly = {.limit = 2, .per_ns = SECOND, .cost = 1, .wait_ns = 3600 * SECOND};

/* Another caller uses up the limit for the next hour, just before the first caller prolongs the
 * entry. */
static void wait_long_meanwhile(const char *name, void *store)
{
    if (strcmp(name, "throttle_prolong") != 0)
        return;
    failpoint_hook(NULL, NULL);
    for (int n = 0; n < 7200; n++)
        CHECK(admits(store, hourly));
}

/* A caller that may wait has reserved the units of the next hour, so the entry must live for longer
 * than an hour. A caller that may not wait must not shorten the entry's time to live. */
static void a_caller_that_does_not_wait_leaves_the_time_of_one_that_does(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 2, .per_ns = SECOND, .cost = 1};
    lrd_value value;
    lrd_entry entry;
    CHECK(admits(store, rate));
    CHECK_OK(lrd_touch(store, KEY, 1));
    failpoint_hook(wait_long_meanwhile, store);
    CHECK(!admits(store, rate));
    failpoint_hook(NULL, NULL);
    lrd_throttled used = ask(store, (lrd_rate){.limit = 2, .per_ns = SECOND});
    CHECK(used.reset_ns > 3600 * SECOND);
    CHECK_OK(lrd_get(store, KEY, LRD_GET_BORROW, &value));
    CHECK_OK(lrd_value_entry(store, &value, &entry));
    CHECK_OK(lrd_release(store, &value));
    CHECK(entry.ttl_ms > used.reset_ns / 1000000);
    atomic_fetch_add(clock, 1800000);
    CHECK(!admits(store, rate));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* A host may set a longer time to live than a limit needs, even one too long for nanoseconds. */
static void a_limit_keeps_a_longer_time_to_live(void **state)
{
    (void)state;
    static const uint64_t times[] = {0, 3600000, 300ull * 365 * 86400000, UINT64_MAX};
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_rate rate = {.limit = 100, .per_ns = SECOND, .cost = 1};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        lrd_value value;
        lrd_entry entry;
        CHECK(admits(store, rate));
        CHECK_OK(lrd_touch(store, KEY, times[i]));
        CHECK(admits(store, rate));
        CHECK_OK(lrd_get(store, KEY, LRD_GET_BORROW, &value));
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK_OK(lrd_release(store, &value));
        CHECK(times[i] == 0 ? entry.ttl_ms == 0 : entry.ttl_ms >= times[i] / 10 * 9);
    }
    lrd_close(store);
}

static void deleting_and_clearing_reset_a_limit(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_rate rate = {.limit = 1, .per_ns = 3600 * SECOND, .cost = 1};
    CHECK(admits(store, rate));
    CHECK(!admits(store, rate));
    CHECK_OK(lrd_delete(store, KEY));
    CHECK(admits(store, rate));
    CHECK_OK(lrd_clear(store));
    CHECK(admits(store, rate));
    CHECK(!admits(store, rate));
    lrd_close(store);
}

static void a_pinned_store_keeps_limits(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_PINNED, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 1, .per_ns = 3600 * SECOND, .cost = 1};
    CHECK(admits(store, rate));
    atomic_fetch_add(clock, 3599999);
    CHECK(!admits(store, rate));
    atomic_fetch_add(clock, 1);
    CHECK(admits(store, rate));
    lrd_close(store);
}

static void a_sliding_window_admits_its_units_once(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_VOLATILE, 4 * MIB, 1, clock);
    lrd_rate rate = {.limit = 5, .per_ns = 32 * SECOND, .cost = 2, .sliding = true};
    lrd_throttled look = ask(store, (lrd_rate){.limit = 5, .per_ns = 32 * SECOND, .sliding = true});
    CHECK(look.allowed);
    CHECK_EQ(look.remaining, 5);
    CHECK_EQ(look.reset_ns, 0);
    CHECK_CODE(lrd_has(store, KEY), LRD_MISS);
    /* begin at a full second, because a sliding window of 32 seconds consists of parts of one
     * second */
    uint64_t start = atomic_load(clock) / 1000 * 1000 + 1000;
    atomic_store(clock, start);
    lrd_throttled answer = ask(store, rate);
    CHECK(answer.allowed);
    CHECK_EQ(answer.remaining, 3);
    CHECK_EQ(answer.retry_ns, 0);
    CHECK_EQ(answer.reset_ns, 33 * SECOND);
    atomic_store(clock, start + 10000);
    CHECK_EQ(ask(store, rate).remaining, 1);
    answer = ask(store, rate);
    CHECK(!answer.allowed);
    CHECK_EQ(answer.remaining, 1);
    CHECK_EQ(answer.retry_ns, 23 * SECOND);
    CHECK_EQ(answer.reset_ns, 33 * SECOND);
    atomic_store(clock, start + 32999);
    CHECK(!admits(store, rate));
    atomic_store(clock, start + 33000);
    CHECK_EQ(ask(store, rate).remaining, 1);
    CHECK(!admits(store, rate));
    rate.cost = 1;
    CHECK(admits(store, rate));
    CHECK_EQ(ask(store, rate).retry_ns, 10 * SECOND);
    rate.cost = 5; /* this call needs all units, so all must leave the window */
    CHECK_EQ(ask(store, rate).retry_ns, 33 * SECOND);
    atomic_store(clock, start + 66000);
    CHECK(admits(store, rate));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Ask at random times, and compare the answers with a list of admitted units. The store counts the
 * window of 10 s in parts of 312.5 ms, so units may count for up to 312.5 ms too long. */
static void any_sliding_window_admits_at_most_the_limit(void **state)
{
    (void)state;
    enum { CALLS = 20000, MOST = 100 };
    static struct {
        uint64_t at, units;
    } taken[CALLS];
    for (int pinned = 0; pinned < 2; pinned++) {
        test_clock *clock = clock_new();
        lrd_store *store = store_with_clock(pinned ? LRD_PINNED : LRD_VOLATILE, 4 * MIB, 1, clock);
        unsigned chance = (unsigned)test_seed(51);
        uint32_t count = 0, from = 0, full = 0;
        for (int n = 0; n < CALLS; n++) {
            lrd_rate rate = {.limit = MOST, .per_ns = 10 * SECOND, .sliding = true};
            rate.cost = 1 + (unsigned)rand_r(&chance) % 8;
            unsigned step = (unsigned)rand_r(&chance) % 1000;
            atomic_fetch_add(clock, step < 5 ? 30000 : step % 300);
            uint64_t at = atomic_load(clock), sum = 0, long_sum = 0;
            bool allowed = admits(store, rate);
            while (from < count && taken[from].at + 10320 < at)
                from++;
            for (uint32_t i = from; i < count; i++) {
                sum += taken[i].at + 10000 >= at ? taken[i].units : 0;
                long_sum += taken[i].units;
            }
            CHECK(!allowed || sum + rate.cost <= MOST);
            CHECK(allowed || long_sum + rate.cost > MOST);
            full += !allowed;
            if (allowed) {
                taken[count].at = at;
                taken[count++].units = rate.cost;
            }
        }
        CHECK(full > CALLS / 10 && count > CALLS / 10);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void what_makes_no_sense_is_refused_by_name(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_throttled answer;
    const struct {
        lrd_rate rate;
        const char *name;
    } wrong[] = {
        {{.limit = 0, .per_ns = SECOND, .cost = 0}, "limit is 0"},
        {{.limit = 11, .per_ns = 10, .cost = 1}, "limit is 11"},
        {{.limit = 1, .per_ns = 0, .cost = 1}, "per_ns is 0"},
        {{.limit = 1, .per_ns = LRD_RATE_NS_MAX + 1, .cost = 1}, "per_ns is"},
        {{.limit = 5, .per_ns = SECOND, .cost = 6}, "cost is 6, not 0 to 5"},
        {{.limit = 5, .per_ns = SECOND, .cost = 1, .wait_ns = LRD_RATE_NS_MAX + 1}, "wait_ns is"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_CODE(lrd_throttle(store, KEY, &wrong[i].rate, &answer), LRD_EINVAL);
        CHECK(strncmp(lrd_error_detail(), wrong[i].name, strlen(wrong[i].name)) == 0);
    }
    const struct {
        lrd_rate rate;
        const char *name;
    } no_window[] = {
        {{.limit = 1, .per_ns = SECOND - 1, .cost = 1}, "per_ns is 999999999"},
        {{.limit = 16384, .per_ns = SECOND, .cost = 1}, "limit is 16384, not 1 to 16383"},
        {{.limit = 1, .per_ns = SECOND, .cost = 1, .wait_ns = 1}, "wait_ns is 1, not 0"},
    };
    for (size_t i = 0; i < sizeof no_window / sizeof *no_window; i++) {
        lrd_rate rate = no_window[i].rate;
        rate.sliding = true;
        CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_EINVAL);
        CHECK(strncmp(lrd_error_detail(), no_window[i].name, strlen(no_window[i].name)) == 0);
    }
    lrd_rate rate = {.limit = 1, .per_ns = SECOND, .cost = 1};
    CHECK_OK(lrd_throttle(store, KEY, &rate, &answer));
    rate.sliding = true;
    CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_ETYPE);
    CHECK_OK(lrd_delete(store, KEY));
    CHECK_OK(lrd_throttle(store, KEY, &rate, &answer));
    /* An entry of another window length cannot be used for this rate. */
    rate.per_ns = 2 * SECOND;
    CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_ETYPE);
    rate.per_ns = SECOND;
    rate.sliding = false;
    CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_ETYPE);
    CHECK_CODE(lrd_throttle(store, "", 0, &rate, &answer), LRD_EKEY);
    CHECK_OK(lrd_put(store, KEY, "text", 4, NULL));
    CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_ETYPE);
    lrd_close(store);
    store = store_new(LRD_IMMUTABLE, 4 * MIB, 1);
    CHECK_CODE(lrd_throttle(store, KEY, &rate, &answer), LRD_EPOLICY);
    lrd_close(store);
}

static void the_largest_rates_do_not_overflow(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    lrd_rate rate = {.limit = LRD_RATE_NS_MAX,
                     .per_ns = LRD_RATE_NS_MAX,
                     .cost = LRD_RATE_NS_MAX,
                     .wait_ns = LRD_RATE_NS_MAX};
    CHECK(admits(store, rate));
    CHECK(admits(store, rate));
    CHECK(!admits(store, rate));
    rate = (lrd_rate){.limit = 3, .per_ns = LRD_RATE_NS_MAX, .cost = 1};
    CHECK_OK(lrd_counter_set(store, KEY, INT64_MAX, 0));
    CHECK(!admits(store, rate));
    CHECK_OK(lrd_counter_set(store, KEY, INT64_MIN, 0));
    CHECK(admits(store, rate));
    lrd_close(store);
}

/* ---- processes ---- */

#define WORKERS 8u
#define LOG 40000u

static const lrd_rate steady = {.limit = 40, .per_ns = SECOND / 10, .cost = 1};
static const lrd_rate sliding = {.limit = 400, .per_ns = SECOND, .cost = 1, .sliding = true};

typedef struct admission {
    uint64_t before, after; /* times before and after the call; 0 if the call was not recorded */
} admission;

typedef struct sharing {
    lrd_store *store;
    test_clock *clock; /* NULL for the clock of the kernel */
    lrd_rate rate;
    _Atomic uint32_t used, stop;
    admission log[LOG];
} sharing;

/* Return the time of the store's clock. With a finer clock, a window could seem up to a tick too
 * short. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* the clock of the store */
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void work(void *arg)
{
    sharing *common = arg;
    lrd_rate rate = common->rate;
    while (!atomic_load(&common->stop)) {
        lrd_throttled answer;
        uint64_t before = now_ns();
        int rc = lrd_throttle(common->store, KEY, &rate, &answer);
        CHECK(rc == LRD_OK || rc == LRD_EBUSY);
        if (rc != LRD_OK || !answer.allowed)
            continue;
        uint64_t after = now_ns();
        uint32_t place = atomic_fetch_add(&common->used, 1);
        if (place >= LOG) /* The log is full. The call still counts in `used`. */
            continue;
        common->log[place].before = before;
        common->log[place].after = after;
    }
}

static int by_before(const void *a, const void *b)
{
    uint64_t x = ((const admission *)a)->before, y = ((const admission *)b)->before;
    return (x > y) - (x < y);
}

/* Copy the recorded admissions to `sorted`, in the order of their times `before`. Returns the
 * number of admissions. */
static uint32_t sort_log(const sharing *common, admission *sorted)
{
    uint32_t used = atomic_load(&common->used), count = 0;
    used = used < LOG ? used : LOG;
    for (uint32_t i = 0; i < used; i++)
        if (common->log[i].before != 0 && common->log[i].after != 0)
            sorted[count++] = common->log[i];
    CHECK(count > common->rate.limit);
    qsort(sorted, count, sizeof *sorted, by_before);
    return count;
}

/* Check each period that begins with the start of a call, and ends with the end of this or a later
 * call. GCRA, the rule of a steady limit, must be able to admit all calls within the period. */
static bool check_steady(const sharing *common)
{
    static admission sorted[LOG];
    uint32_t count = sort_log(common, sorted), limit = (uint32_t)common->rate.limit;
    for (uint32_t from = 0; from < count; from++) {
        /* Put the end times of the calls from `from` on into `ends`, sorted. No period can have
         * more calls than `ends` has elements. */
        uint32_t inside = 0;
        uint64_t ends[4 * 40];
        for (uint32_t i = from; i < count && inside < sizeof ends / sizeof *ends; i++) {
            uint32_t at = inside++;
            for (; at > 0 && ends[at - 1] > sorted[i].after; at--)
                ends[at] = ends[at - 1];
            ends[at] = sorted[i].after;
        }
        for (uint32_t n = 0; n < inside; n++) {
            uint64_t length = ends[n] - sorted[from].before;
            check_context("window of %llu ns from call %u", (unsigned long long)length, from);
            CHECK(n + 1 <= limit + length / (common->rate.per_ns / limit));
        }
    }
    check_context("%s", "");
    return true;
}

/* Check that no period of the window's length has more calls than the limit. Returns true if some
 * such period has exactly as many calls as the limit. */
static bool check_window(const sharing *common)
{
    static admission sorted[LOG];
    uint32_t count = sort_log(common, sorted), full = 0;
    for (uint32_t from = 0; from < count; from++) {
        uint64_t end = sorted[from].before + common->rate.per_ns;
        uint32_t inside = 0;
        for (uint32_t i = from; i < count && sorted[i].before <= end; i++)
            inside += sorted[i].after <= end;
        check_context("%u calls in a window from call %u", inside, from);
        CHECK(inside <= common->rate.limit);
        full += inside == common->rate.limit;
    }
    check_context("%s", "");
    return full > 0;
}

static bool work_and_be_killed(const lrd_rate *rate, bool (*check)(const sharing *))
{
    sharing *common = shared_memory(sizeof *common);
    pid_t pids[WORKERS];
    unsigned chance = (unsigned)test_seed(51);
    common->store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    common->rate = *rate;
    for (uint32_t i = 0; i < WORKERS; i++)
        pids[i] = start_child(work, common);
    const char *given = getenv("LARDER_THROTTLE_SECONDS"); /* for longer runs, up to 90 */
    uint64_t until = now_ns() + (given != NULL ? strtoull(given, NULL, 10) : 2) * SECOND;
    int kills = 0;
    for (; kills < 100 || now_ns() < until; kills++) {
        uint32_t victim = (uint32_t)rand_r(&chance) % WORKERS;
        sleep_ms(1 + (unsigned)rand_r(&chance) % 20);
        stop_child(pids[victim]);
        pids[victim] = start_child(work, common);
    }
    atomic_store(&common->stop, 1);
    for (uint32_t i = 0; i < WORKERS; i++)
        CHECK_CHILD(wait_child(pids[i]));
    print_message("%u admissions, %d kills\n", atomic_load(&common->used), kills);
    bool is_full = check(common);
    touch_all_shards(common->store);
    CHECK_FSCK(common->store);
    lrd_close(common->store);
    return is_full;
}

static void processes_that_are_killed_never_make_a_limit_admit_more(void **state)
{
    (void)state;
    CHECK(work_and_be_killed(&steady, check_steady));
}

static void processes_that_are_killed_never_make_a_window_admit_more(void **state)
{
    (void)state;
    /* If a process is killed before it records its last call, possibly no window of the record is
     * full. Then repeat the run. */
    bool is_full = false;
    for (int i = 0; i < 20 && !is_full; i++)
        is_full = work_and_be_killed(&sliding, check_window);
    CHECK(is_full);
}

static void ask_twenty_times(void *arg)
{
    sharing *common = arg;
    for (int n = 0; n < 20; n++) {
        lrd_throttled answer;
        CHECK_OK(lrd_throttle(common->store, KEY, &common->rate, &answer));
        if (answer.allowed)
            atomic_fetch_add(&common->used, 1);
        /* move the clock, so that the next call falls into a later part of the window */
        if (common->clock != NULL)
            atomic_fetch_add(common->clock, 60000);
    }
}

static void kill_anywhere(bool is_sliding)
{
    sharing *common = shared_memory(sizeof *common);
    bool fired = true;
    common->rate = (lrd_rate){.limit = 10, .per_ns = 3600 * SECOND, .cost = 1};
    common->rate.sliding = is_sliding;
    for (uint64_t k = 1; fired; k++) {
        common->clock = is_sliding ? clock_new() : NULL;
        common->store = is_sliding ? store_with_clock(LRD_VOLATILE, 4 * MIB, 1, common->clock)
                                   : store_new(LRD_VOLATILE, 4 * MIB, 1);
        atomic_store(&common->used, 0);
        failpoint_arm(k);
        run_in_child(ask_twenty_times, common);
        fired = failpoint_fired();
        failpoint_disarm();
        check_context("pass %llu (%s)", (unsigned long long)k, failpoint_last());
        CHECK_CHILD(run_in_child(ask_twenty_times, common));
        uint32_t admitted = atomic_load(&common->used);
        CHECK(admitted == 10 || (fired && admitted == 9));
        touch_all_shards(common->store);
        CHECK_FSCK(common->store);
        lrd_close(common->store);
    }
    check_context("%s", "");
}

static void a_process_killed_anywhere_takes_at_most_its_unit(void **state)
{
    (void)state;
    kill_anywhere(false);
}

static void a_process_killed_anywhere_in_a_window_takes_at_most_its_unit(void **state)
{
    (void)state;
    kill_anywhere(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_admits_its_units_at_once_and_one_after_each_interval),
        cmocka_unit_test(units_are_taken_together_or_not_at_all),
        cmocka_unit_test(looking_makes_no_entry),
        cmocka_unit_test(a_call_that_may_wait_is_told_how_long),
        cmocka_unit_test(a_limit_that_is_in_use_does_not_expire),
        cmocka_unit_test(a_caller_that_does_not_wait_leaves_the_time_of_one_that_does),
        cmocka_unit_test(a_limit_keeps_a_longer_time_to_live),
        cmocka_unit_test(deleting_and_clearing_reset_a_limit),
        cmocka_unit_test(a_pinned_store_keeps_limits),
        cmocka_unit_test(a_sliding_window_admits_its_units_once),
        cmocka_unit_test(any_sliding_window_admits_at_most_the_limit),
        cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
        cmocka_unit_test(the_largest_rates_do_not_overflow),
        cmocka_unit_test(processes_that_are_killed_never_make_a_limit_admit_more),
        cmocka_unit_test(processes_that_are_killed_never_make_a_window_admit_more),
        cmocka_unit_test(a_process_killed_anywhere_takes_at_most_its_unit),
        cmocka_unit_test(a_process_killed_anywhere_in_a_window_takes_at_most_its_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
