/* recovery_bench.c - how long the death of a lock holder delays the next writer of its shard. A
 * child is killed at a fail point while it replaces a value. Then this process writes the same key,
 * and so recovers the shard. The delay is the time of this write minus that of a normal write.
 *
 * The core is compiled into this file, with fail points. Exit code 1: a recovery was not counted, a
 * value was wrong, or a check of the store failed. Begin reading at trial(). */
#define LRD_FAILPOINTS
#include "../../core/core.c"

#include "bench.h"

#include <signal.h>
#include <sys/prctl.h>

#define TRIALS 60u
#define GOAL_MS 5.0

/* ---- dying ---- */

static uint32_t passed; /* number of fail points that were passed since this was set to 0 */
static uint32_t fatal;  /* number of the fail point at which this process kills itself; 0: none */

void lrd__failpoint(const char *name)
{
    (void)name;
    if (++passed == fatal)
        kill(getpid(), SIGKILL);
}

/* ---- trials ---- */

typedef struct recovery_case {
    const char *name;
    uint64_t size;
    uint32_t shards;
    size_t value_size;
    uint32_t holders; /* number of living processes that hold HOLDS values each */
    bool full;        /* fill the store until its index or its data is full */
} recovery_case;

#define HOLDS 100u
#define HOLDERS_MAX 100u

typedef struct recovery_bench {
    lrd_store *store;
    size_t value_size;
    uint32_t items;  /* keys 0 .. items - 1 were put; some were evicted again */
    uint32_t points; /* fail points of one replace */
    char *value;
    pid_t holder[HOLDERS_MAX];
    uint32_t holders;
    double warm[TRIALS], fresh[TRIALS]; /* microseconds of delay */
    uint32_t warm_count, fresh_count;
} recovery_bench;

static int put(recovery_bench *bench, uint32_t item)
{
    char key[BENCH_KEY_LEN];
    bench_key(key, 'r', item);
    bench_fill(bench->value, bench->value_size, bench_tag(item));
    return lrd_put(bench->store, key, sizeof key, bench->value, bench->value_size, NULL);
}

/* Return true if the key has the right value, or is missing because it was evicted. */
static bool reads_right(recovery_bench *bench, uint32_t item)
{
    char key[BENCH_KEY_LEN];
    lrd_value value;
    bench_key(key, 'r', item);
    if (lrd_get(bench->store, key, sizeof key, 0, &value) != LRD_OK)
        return true;
    bool right =
        value.size == bench->value_size && bench_right(value.data, value.size, bench_tag(item));
    return lrd_release(bench->store, &value) == LRD_OK && right;
}

static uint64_t recoveries(recovery_bench *bench)
{
    lrd_stats stats;
    lrd_stats_get(bench->store, &stats);
    return stats.recoveries;
}

/* Microseconds of one put. */
static double timed_put(recovery_bench *bench, uint32_t item)
{
    uint64_t start = bench_wall_ns();
    if (put(bench, item) != LRD_OK)
        bench_wrong(1);
    return (double)(bench_wall_ns() - start) / 1e3;
}

static double normal_put(recovery_bench *bench, uint32_t item)
{
    double each[9];
    for (unsigned i = 0; i < 9; i++)
        each[i] = timed_put(bench, item);
    return bench_median(each, 9);
}

/* Kill a child at a fail point of a put. */
static void kill_a_writer(recovery_bench *bench, uint32_t item, uint32_t point)
{
    int status;
    pid_t child = fork();
    if (child < 0)
        bench_die("no child");
    if (child == 0) {
        passed = 0;
        fatal = point;
        put(bench, item);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        bench_die("the child outlived fail point %u", point);
}

/* Time a put in a new process, which has not mapped any page of the segment yet. */
static void fresh_put(recovery_bench *bench, uint32_t item, double *delay)
{
    double *shared = bench_shared(sizeof *shared);
    pid_t child = fork();
    int status;
    if (child == 0) {
        shared[0] = timed_put(bench, item);
        shared[0] -= normal_put(bench, item);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        bench_die("the fresh process failed");
    *delay = shared[0];
    munmap(shared, sizeof *shared);
}

/* Kill a writer at a fail point. If it died while it had the lock, time the next write. */
static void trial(recovery_bench *bench, uint32_t number)
{
    uint32_t item = bench->items - 1 - number * 7 % 1000, point = number % bench->points + 1;
    bool fresh = number / bench->points % 2 != 0;
    double delay;
    put(bench, item);
    uint64_t before = recoveries(bench);
    kill_a_writer(bench, item, point);
    if (fresh) {
        fresh_put(bench, item, &delay);
    } else {
        delay = timed_put(bench, item);
        delay -= normal_put(bench, item);
    }
    uint64_t counted = recoveries(bench) - before;
    bench_wrong(counted > 1 || !reads_right(bench, item));
    if (counted == 0)
        return; /* the writer died without the lock */
    if (fresh && bench->fresh_count < TRIALS)
        bench->fresh[bench->fresh_count++] = delay;
    if (!fresh && bench->warm_count < TRIALS)
        bench->warm[bench->warm_count++] = delay;
}

/* ---- set up ---- */

/* Start processes that hold values. A recovery reads all ledgers, so these holds make it slower. */
static void start_holders(recovery_bench *bench, uint32_t count)
{
    _Atomic uint32_t *ready = bench_shared(sizeof *ready);
    for (bench->holders = 0; bench->holders < count; bench->holders++) {
        pid_t child = fork();
        if (child < 0)
            bench_die("no holder");
        bench->holder[bench->holders] = child;
        if (child != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (uint32_t i = 0; i < HOLDS; i++) {
            char key[BENCH_KEY_LEN];
            lrd_value value;
            bench_key(key, 'r', bench->items - 1 - i - bench->holders * HOLDS);
            lrd_get(bench->store, key, sizeof key, 0, &value);
        }
        atomic_fetch_add(ready, 1);
        for (;;)
            pause();
    }
    while (atomic_load(ready) < count)
        usleep(1000);
    munmap((void *)ready, sizeof *ready);
}

static void end_holders(recovery_bench *bench)
{
    for (uint32_t i = 0; i < bench->holders; i++) {
        kill(bench->holder[i], SIGKILL);
        waitpid(bench->holder[i], NULL, 0);
    }
}

static void open_and_fill(recovery_bench *bench, const recovery_case *one)
{
    lrd_options options = {.size = one->size, .shards = one->shards};
    lrd_info info;
    int code = lrd_open(&options, &bench->store);
    if (code != LRD_OK)
        bench_die("lrd_open: %s: %s", lrd_strerror(code), lrd_error_detail());
    lrd_store_info(bench->store, &info);
    bench->value_size = one->value_size;
    bench->value = bench_alloc(1, one->value_size);
    uint64_t fitting = one->size / (one->value_size + 80);
    bench->items =
        (uint32_t)(fitting < info.entries_max && !one->full ? fitting : info.entries_max);
    for (uint32_t item = 0; item < bench->items; item++) {
        if (put(bench, item) != LRD_OK)
            bench_die("filling failed at item %u", item);
    }
    passed = 0;
    put(bench, bench->items - 1);
    bench->points = passed;
    if (bench->points == 0)
        bench_die("the core passed no fail point");
}

static void report_violation(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s\n", text);
}

/* Return the median delay in ms of puts by this process, which had used the store before the writer
 * was killed. */
static double run_case(bench_report *report, const recovery_case *one)
{
    static recovery_bench bench;
    lrd_stats stats;
    memset(&bench, 0, sizeof bench);
    open_and_fill(&bench, one);
    start_holders(&bench, one->holders);
    for (uint32_t i = 0; i < 40 * bench.points && bench.fresh_count < TRIALS; i++)
        trial(&bench, i);
    double normal = normal_put(&bench, bench.items - 1);
    lrd_stats_get(bench.store, &stats);
    int violations = lrd_fsck(bench.store, report_violation, NULL);
    bench_wrong(violations != 0 || stats.emptied_shards != 0 || bench.warm_count == 0);
    for (uint32_t item = 0; item < bench.items; item += 97)
        bench_wrong(!reads_right(&bench, item));
    end_holders(&bench);
    double warm = bench_median(bench.warm, bench.warm_count);
    double fresh = bench_median(bench.fresh, bench.fresh_count);
    double worst = bench.warm_count ? bench.warm[bench.warm_count - 1] : (double)NAN;
    bench_row(report, one->name,
              (double[]){(double)stats.entries, normal, warm, worst, fresh,
                         (double)stats.recoveries, violations});
    lrd_close(bench.store);
    free(bench.value);
    return warm / 1e3;
}

int main(void)
{
    static const char *const columns[] = {"entries",  "write us",   "recover us", "worst us",
                                          "fresh us", "recoveries", "violations", NULL};
    static const recovery_case cases[] = {
        {"64 MiB, 8 shards, 100 B", 64u << 20, 8, 100, 0, false},
        {"64 MiB, 8 shards, full of 16 B", 64u << 20, 8, 16, 0, true},
        {"64 MiB, 8 shards, 1000 B", 64u << 20, 8, 1000, 0, false},
        {"64 MiB, 8 shards, 10,000 B", 64u << 20, 8, 10000, 0, false},
        {"64 MiB, 8 shards, 100 B, 100 holders", 64u << 20, 8, 100, HOLDERS_MAX, false},
        {"64 MiB, 1 shard, 100 B", 64u << 20, 1, 100, 0, false},
        {"1 GiB, 64 shards, 100 B", 1u << 30, 64, 100, 0, false},
    };
    bench_report report;
    bench_open(&report, "recovery");
    printf("median delay of the write after a SIGKILL inside the shard's lock, less a normal "
           "write; fresh: in a process that had not yet touched the segment\n");
    bench_section(&report, "store", columns);
    double goal = run_case(&report, &cases[0]);
    for (size_t i = 1; i < sizeof cases / sizeof *cases; i++)
        run_case(&report, &cases[i]);
    printf("\n  goal: 64 MiB in 8 shards within %.1f ms: %.3f ms, %s\n", GOAL_MS, goal,
           goal < GOAL_MS ? "met" : "NOT MET");
    return bench_close(&report);
}
