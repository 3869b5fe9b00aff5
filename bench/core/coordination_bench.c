/* coordination_bench.c - the cost of coordination: a rate limit compared with an increment, a take
 * with a delete, a semaphore with a lock. All jobs run in the same interleaved rounds. Exit code 1:
 * some answer was wrong. */
#include "bench.h"
#include "larder_coordination.h"

#define ROUNDS 15u
#define OPS 400000u
#define SECOND 1000000000ull

static uint64_t increment(void *store, uint64_t ops, uint32_t who)
{
    uint64_t wrong = 0;
    int64_t now;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_counter_add(store, "hits", 4, 1, 0, 3600000, &now) != LRD_OK;
    return wrong;
}

static uint64_t throttle(lrd_store *store, const char *key, lrd_rate rate, uint64_t ops,
                         bool allowed)
{
    uint64_t wrong = 0;
    lrd_throttled answer;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_throttle(store, key, 4, &rate, &answer) != LRD_OK || answer.allowed != allowed;
    return wrong;
}

static uint64_t throttle_admits(void *store, uint64_t ops, uint32_t who)
{
    (void)who;
    return throttle(store, "free", (lrd_rate){.limit = SECOND, .per_ns = SECOND, .cost = 1}, ops,
                    true);
}

static uint64_t throttle_refuses(void *store, uint64_t ops, uint32_t who)
{
    (void)who;
    return throttle(store, "full", (lrd_rate){.limit = 1, .per_ns = 3600 * SECOND, .cost = 1}, ops,
                    false);
}

/* Increment a counter without lrd_counter_add(): get its value, then compare and swap. */
static uint64_t compare_and_set(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    lrd_value value;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        wrong += lrd_get(store, "plain", 5, LRD_GET_BORROW, &value) != LRD_OK;
        int64_t now = lrd_counter_value(&value);
        wrong += lrd_counter_swap(store, "plain", 5, now, now + 1) != LRD_OK;
    }
    return wrong;
}

static uint64_t compare_only(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_counter_swap(store, "swap", 4, (int64_t)(i & 1), (int64_t)(~i & 1)) != LRD_OK;
    return wrong + (lrd_counter_set(store, "swap", 4, 0, 0) != LRD_OK);
}

static uint64_t increment_plain(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    int64_t now;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_counter_add(store, "plain", 5, 1, 0, 0, &now) != LRD_OK;
    return wrong;
}

/* Put a value, and delete it with lrd_delete(). take() deletes it with lrd_take(). */
static uint64_t delete (void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        wrong += lrd_put(store, "token", 5, "0123456789", 10, NULL) != LRD_OK;
        wrong += lrd_delete(store, "token", 5) != LRD_OK;
    }
    return wrong;
}

static uint64_t take(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    lrd_value value;
    lrd_entry entry;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        wrong += lrd_put(store, "token", 5, "0123456789", 10, NULL) != LRD_OK;
        wrong += lrd_get(store, "token", 5, 0, &value) != LRD_OK ||
                 lrd_value_entry(store, &value, &entry) != LRD_OK;
        wrong += lrd_delete_version(store, "token", 5, entry.version, 0) != LRD_OK;
        wrong += lrd_release(store, &value) != LRD_OK;
    }
    return wrong;
}

static uint64_t take_small(void *arg, uint64_t ops, uint32_t who)
{
    static const bool types[256] = {[0] = true};
    _Alignas(LRD_ALIGN) char room[512];
    lrd_store *store = arg;
    uint64_t wrong = 0;
    lrd_value value;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        wrong += lrd_put(store, "token", 5, "0123456789", 10, NULL) != LRD_OK;
        wrong += lrd_take(store, "token", 5, types, room, sizeof room, &value) != LRD_OK ||
                 value.size != 10;
    }
    return wrong;
}

static uint64_t lock(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0, token;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_lock(store, "lock", 4, 0, 0, &token) != LRD_OK ||
                 lrd_unlock(store, "lock", 4, token) != LRD_OK;
    return wrong;
}

static uint64_t semaphore(void *arg, uint64_t ops, uint32_t who)
{
    lrd_store *store = arg;
    uint64_t wrong = 0;
    lrd_permit permit;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += lrd_semaphore_acquire(store, "pool", 4, 8, 0, 0, &permit) != LRD_OK ||
                 lrd_semaphore_release(store, "pool", 4, &permit) != LRD_OK;
    return wrong;
}

typedef struct row {
    const char *name;
    uint64_t (*run)(void *store, uint64_t ops, uint32_t who);
    size_t base; /* index of the row that this row is compared with */
} row;

static const row rows[] = {
    {"increment of a counter with a time to live", increment, 0},
    {"throttle, admitted", throttle_admits, 0},
    {"throttle, refused", throttle_refuses, 0},
    {"increment", increment_plain, 3},
    {"compare-and-set", compare_only, 3},
    {"get and compare-and-set", compare_and_set, 3},
    {"put and delete", delete, 6},
    {"put and take of a small value", take_small, 6},
    {"put and take, of what was got", take, 6},
    {"lock and unlock", lock, 9},
    {"acquire and release one of 8 permits", semaphore, 9},
};
#define ROWS (sizeof rows / sizeof *rows)

int main(void)
{
    static const char *const columns[] = {"ns", "times", NULL};
    lrd_options options = {.size = 16u << 20};
    lrd_store *store;
    bench_report report;
    double ns[ROWS][ROUNDS], times[ROWS][ROUNDS];
    bench_open(&report, "coordination");
    if (lrd_open(&options, &store) != LRD_OK)
        bench_die("no store");
    lrd_throttled first;
    if (lrd_throttle(store, "full", 4, &(lrd_rate){.limit = 1, .per_ns = 3600 * SECOND, .cost = 1},
                     &first) != LRD_OK)
        bench_die("no limit");
    if (lrd_counter_set(store, "swap", 4, 0, 0) != LRD_OK ||
        lrd_counter_set(store, "plain", 5, 0, 0) != LRD_OK)
        bench_die("no counter");
    bench_section(&report, "CPU, median; times the row it is compared with", columns);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ROWS; i++) {
            bench_job job = {.run = rows[i].run, .arg = store, .ops = OPS};
            ns[i][round] = bench_once(&job);
            times[i][round] = ns[i][round] / ns[rows[i].base][round];
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        double median[2] = {bench_median(ns[i], ROUNDS), bench_median(times[i], ROUNDS)};
        bench_row(&report, rows[i].name, median);
    }
    lrd_close(store);
    return bench_close(&report);
}
