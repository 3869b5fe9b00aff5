/* room_bench.c - the cost of making room in a full store. It must not depend on the number of slots
 * that are or were claimed, on the values that other threads hold, or on the size of the store.
 * Compared jobs take turns, and every value is read back. Exit code 1: some value was wrong. */
#include "bench.h"
#include "larder_admin.h"

#include <pthread.h>

#define ROUNDS 9u
#define MIB ((uint64_t)1 << 20)

typedef struct room_bench {
    lrd_store *store;
    size_t size;   /* size of each value */
    char *value;   /* the bytes that puts store */
    uint64_t next; /* number of the next key */
} room_bench;

/* Insert new keys. One in 16 is read back. */
static uint64_t insert(void *arg, uint64_t ops, uint32_t who)
{
    room_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        char key[BENCH_KEY_LEN];
        lrd_value value;
        uint64_t item = bench->next++, tag = bench_tag(item), tail = bench_tail(tag, bench->size);
        bench_key(key, 'r', item);
        memcpy(bench->value, &tag, sizeof tag);
        memcpy(bench->value + bench->size - sizeof tail, &tail, sizeof tail);
        wrong +=
            lrd_put(bench->store, key, BENCH_KEY_LEN, bench->value, bench->size, NULL) != LRD_OK;
        if (i % 16 != 0)
            continue;
        if (lrd_get(bench->store, key, BENCH_KEY_LEN, LRD_GET_BORROW, &value) != LRD_OK) {
            wrong++;
            continue;
        }
        wrong += value.size != bench->size || !bench_right(value.data, value.size, tag);
        lrd_release(bench->store, &value);
    }
    return wrong;
}

/* Open a store and put until it has been full for a while. */
static void fill(room_bench *bench, uint64_t bytes, size_t size)
{
    lrd_options options = {.size = bytes};
    lrd_stats stats;
    *bench = (room_bench){.size = size, .value = bench_alloc(1, size)};
    if (lrd_open(&options, &bench->store) != LRD_OK)
        bench_die("lrd_open: %s", lrd_error_detail());
    uint64_t steps = bytes / size / 8 + 1;
    do {
        bench_wrong(insert(bench, steps, 0));
        if (lrd_stats_get(bench->store, &stats) != LRD_OK)
            bench_die("lrd_stats_get: %s", lrd_error_detail());
    } while (stats.evicted * size < bytes / 4);
}

static void empty(room_bench *bench)
{
    lrd_close(bench->store);
    free(bench->value);
}

/* Time two jobs in turns. Print the ratio of the second job's cost to the first job's. */
static void compare(bench_report *report, const char *name, const bench_job jobs[2], double unit)
{
    double each[2][ROUNDS], ratios[ROUNDS];
    for (unsigned i = 0; i < 2; i++)
        bench_warm(jobs + i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 2; i++)
            each[i][round] = bench_once(jobs + i) / unit;
        ratios[round] = each[1][round] / each[0][round];
    }
    double row[3] = {bench_median(each[0], ROUNDS), bench_median(each[1], ROUNDS),
                     bench_median(ratios, ROUNDS)};
    bench_row(report, name, row);
}

/* ---- slots ---- */

/* Threads that each claim a slot, and then stay or leave. */
typedef struct crowd {
    lrd_store *store;
    uint64_t newest; /* number of the newest key in the store */
    uint32_t holds;  /* number of values that each thread holds */
    _Atomic uint32_t numbers, missing;
    pthread_barrier_t ready, leave;
} crowd;

static void *crowd_member(void *arg)
{
    crowd *crowd = arg;
    uint32_t number = atomic_fetch_add(&crowd->numbers, 1);
    lrd_value value;
    char key[BENCH_KEY_LEN];
    lrd_has(crowd->store, "x", 1);
    for (uint32_t i = 0; i < crowd->holds; i++) {
        bench_key(key, 'r', crowd->newest - number * crowd->holds - i);
        if (lrd_get(crowd->store, key, BENCH_KEY_LEN, 0, &value) != LRD_OK ||
            value.kind == LRD_KIND_NONE)
            atomic_fetch_add(&crowd->missing, 1);
    }
    pthread_barrier_wait(&crowd->ready);
    pthread_barrier_wait(&crowd->leave);
    lrd_thread_leave(crowd->store);
    return NULL;
}

static void crowd_end(crowd *crowd, const pthread_t *threads, uint32_t count)
{
    pthread_barrier_wait(&crowd->leave);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void with_crowd(bench_report *report, const char *name, uint32_t count, uint32_t holds,
                       bool leaves)
{
    room_bench alone, crowded;
    pthread_t *threads = bench_alloc(count, sizeof *threads);
    pthread_attr_t attributes;
    fill(&alone, 64 * MIB, 16);
    fill(&crowded, 64 * MIB, 16);
    crowd crowd = {.store = crowded.store, .newest = crowded.next - 1, .holds = holds};
    pthread_barrier_init(&crowd.ready, NULL, count + 1);
    pthread_barrier_init(&crowd.leave, NULL, count + 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    for (uint32_t i = 0; i < count; i++)
        if (pthread_create(threads + i, &attributes, crowd_member, &crowd) != 0)
            bench_die("no thread %u", i);
    pthread_barrier_wait(&crowd.ready);
    bench_wrong(crowd.missing);
    if (leaves)
        crowd_end(&crowd, threads, count);
    const bench_job jobs[2] = {{"alone", insert, &alone, 100000}, {name, insert, &crowded, 100000}};
    compare(report, name, jobs, 1);
    if (!leaves)
        crowd_end(&crowd, threads, count);
    pthread_barrier_destroy(&crowd.ready);
    pthread_barrier_destroy(&crowd.leave);
    pthread_attr_destroy(&attributes);
    free(threads);
    empty(&alone);
    empty(&crowded);
}

/* ---- sizes ---- */

static void by_size(bench_report *report, const char *name, size_t size, uint64_t large)
{
    room_bench stores[2];
    fill(stores, 64 * MIB, size);
    fill(stores + 1, large, size);
    uint64_t ops = 64 * MIB / size;
    const bench_job jobs[2] = {{"64 MiB", insert, stores, ops}, {name, insert, stores + 1, ops}};
    compare(report, name, jobs, 1000);
    empty(stores);
    empty(stores + 1);
}

int main(int argc, char **argv)
{
    static const char *const slots[] = {"alone, ns", "with them, ns", "ratio", NULL};
    static const char *const sizes[] = {"64 MiB, us", "2 GiB, us", "ratio", NULL};
    bench_report report;
    uint64_t large = argc > 1 ? strtoull(argv[1], NULL, 10) * MIB : 2048 * MIB;
    bench_open(&report, "room");
    bench_section(&report, "insert of 16 bytes into a full store (CPU)", slots);
    with_crowd(&report, "1,000 slots claimed", 1000, 0, false);
    with_crowd(&report, "3,000 threads came and left", 3000, 0, true);
    with_crowd(&report, "60 threads hold 200 values each", 60, 200, false);
    bench_section(&report, "insert into a full store, by its size (CPU)", sizes);
    by_size(&report, "values of 16 KiB", 16384, large);
    by_size(&report, "values of 100 KB", 100000, large);
    return bench_close(&report);
}
