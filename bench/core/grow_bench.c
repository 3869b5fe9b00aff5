/* grow_bench.c - the cost of a growing index.
 *
 * grow_bench [--entries N]
 *
 * - First table: bytes of the memfd's memory per entry, without the slots of threads. Also the
 *   share of the data that is live when the store first evicts or refuses.
 * - Second table: the time of a put at 10,000 entries, 100,000 and so on up to N (default
 *   1,000,000; 10,000,000 take 0.8 GiB of memory). A second process reads meanwhile. Its times
 *   during doublings and between doublings are listed separately.
 *
 * Exit code 1: some value was wrong or was not found. Begin reading at grow_decades(). */
#include "bench.h"
#include "internal.h"

#include <signal.h>
#include <sys/prctl.h>

#define KEY_LEN 20u
#define MEMORY_SIZE ((uint64_t)64 << 20)
#define FIRST_ENTRIES 10000u
#define GOAL_BYTES 90.0 /* goal for an entry with a key of 20 bytes and a value of 16 */
#define GOAL_LIVE 0.9
/* Results of layout version 1, whose index did not grow: bytes per entry, and the live share of the
 * data when the index was full. */
#define LAYOUT_1_BYTES 132.6
#define LAYOUT_1_LIVE 0.19

static void grow_key(char *out, uint64_t item)
{
    static const char digits[] = "0123456789abcdef";
    memcpy(out, "key:", 4);
    for (int i = 19; i >= 4; i--, item >>= 4)
        out[i] = digits[item & 15];
}

static int grow_put(lrd_store *store, uint64_t item, char *value, size_t size)
{
    char key[KEY_LEN];
    grow_key(key, item);
    bench_fill(value, size, bench_tag(item));
    return lrd_put(store, key, KEY_LEN, value, size, NULL);
}

/* Get an item. Returns LRD_OK or LRD_MISS, and counts a wrong value. */
static int grow_get(lrd_store *store, uint64_t item, size_t size)
{
    char key[KEY_LEN];
    lrd_value value;
    grow_key(key, item);
    int code = lrd_get(store, key, KEY_LEN, 0, &value);
    if (code != LRD_OK)
        return code;
    bench_wrong(value.size != size || !bench_right(value.data, size, bench_tag(item)));
    bench_wrong(lrd_release(store, &value) != LRD_OK);
    return code;
}

static lrd_store *grow_open(int fd, lrd_policy policy, uint64_t size)
{
    lrd_options options = {.policy = policy, .size = size};
    lrd_store *store;
    int code = lrd_open_fd(fd, &options, &store);
    if (code != LRD_OK)
        bench_die("lrd_open_fd: %s: %s", lrd_strerror(code), lrd_error_detail());
    return store;
}

static int grow_memfd(void)
{
    int fd = memfd_create("grow-bench", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        bench_die("no memfd");
    return fd;
}

/* ---- memory ---- */

static void memory_row(bench_report *report, lrd_policy policy, size_t size)
{
    static const char *const names[] = {"volatile", "pinned", "immutable", "session"};
    int fd = grow_memfd();
    lrd_store *store = grow_open(fd, policy, MEMORY_SIZE);
    char *value = bench_alloc(1, size), name[64];
    uint64_t put = 0, found = 0;
    lrd_stats stats = {0};
    int code = LRD_OK;
    for (; code == LRD_OK && stats.evicted == 0; put++) {
        code = grow_put(store, put, value, size);
        if (put % 64 == 0)
            lrd_stats_get(store, &stats);
    }
    if (code != LRD_OK && (code != LRD_ENOROOM || policy == LRD_VOLATILE))
        bench_die("lrd_put: %s", lrd_error_name(code));
    struct stat status;
    if (fstat(fd, &status) != 0)
        bench_die("no memfd");
    lrd_stats_get(store, &stats);
    for (uint64_t item = 0; item < put; item++)
        found += grow_get(store, item, size) == LRD_OK;
    bench_wrong(found != stats.entries);
    double entries = (double)stats.entries;
    double memory = (double)status.st_blocks * 512 - (double)(stats.slots_used * LRD__SLOT_FIRST);
    bool small = size == 16;
    snprintf(name, sizeof name, "%s, 20 + %zu B", names[policy], size);
    bench_row(report, name,
              (double[]){entries, (double)stats.live_bytes / (double)MEMORY_SIZE, GOAL_LIVE,
                         small ? LAYOUT_1_LIVE : (double)NAN, memory / entries,
                         small ? GOAL_BYTES : (double)NAN, small ? LAYOUT_1_BYTES : (double)NAN});
    free(value);
    lrd_close(store);
    close(fd);
}

static void memory_rows(bench_report *report)
{
    static const char *const columns[] = {"entries", "live",      "goal >=",    "layout 1",
                                          "B/entry", "goal <= B", "layout 1 B", NULL};
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_SESSION};
    static const size_t sizes[] = {16, 100, 1000, 16000};
    bench_section(report, "full for the first time, 64 MiB", columns);
    for (size_t p = 0; p < 3; p++)
        for (size_t s = 0; s < 4; s++)
            memory_row(report, policies[p], sizes[s]);
}

/* ---- times ---- */

/* A histogram of times, with 32 steps for each doubling of nanoseconds. */
#define TIMES_SUB 32u
#define TIMES (TIMES_SUB * 40)
typedef struct grow_times {
    _Atomic uint64_t count[TIMES];
    _Atomic uint64_t most;
} grow_times;

static void times_add(grow_times *times, uint64_t ns)
{
    uint32_t shift = ns < TIMES_SUB ? 0 : (uint32_t)(63 - __builtin_clzll(ns)) - 5;
    uint64_t at = shift * TIMES_SUB + (ns >> shift);
    lrd__add(&times->count[at < TIMES ? at : TIMES - 1], 1);
    if (ns > atomic_load_explicit(&times->most, memory_order_relaxed))
        atomic_store_explicit(&times->most, ns, memory_order_relaxed);
}

static double times_count(grow_times *times)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < TIMES; i++)
        all += atomic_load(&times->count[i]);
    return (double)all;
}

static double times_part(grow_times *times, double part)
{
    double wanted = times_count(times) * part, sum = 0;
    for (uint32_t i = 0; i < TIMES; i++) {
        sum += (double)atomic_load(&times->count[i]);
        if (sum > 0 && sum >= wanted) {
            uint32_t shift = i < 2 * TIMES_SUB ? 0 : i / TIMES_SUB - 1;
            return (double)((uint64_t)(i - shift * TIMES_SUB) << shift);
        }
    }
    return (double)NAN;
}

/* ---- growth ---- */

#define DECADES 8u

typedef struct grow_board {
    lrd_store *store;
    _Atomic uint64_t put; /* all items with lower numbers were put */
    _Atomic uint32_t decade, stop;
    grow_times puts[DECADES], settled[DECADES], growing[DECADES];
} grow_board;

static bool grow_is_growing(const lrd_store *store)
{
    return atomic_load(&store->view->mask) != atomic_load(&store->view->next);
}

/* Time gets of items that were put. Leaves out a get if a growth of the index began or ended during
 * it. A miss is an error. */
static void grow_read(grow_board *board)
{
    uint64_t random = 3;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(1);
    while (atomic_load_explicit(&board->stop, memory_order_relaxed) == 0) {
        uint32_t decade = atomic_load_explicit(&board->decade, memory_order_relaxed);
        uint64_t known = atomic_load_explicit(&board->put, memory_order_acquire);
        bool growing = grow_is_growing(board->store);
        uint64_t item = bench_below(&random, (uint32_t)known), began = bench_wall_ns();
        int code = grow_get(board->store, item, 16);
        uint64_t ended = bench_wall_ns();
        bench_wrong(code != LRD_OK);
        if (growing == grow_is_growing(board->store) &&
            decade == atomic_load_explicit(&board->decade, memory_order_relaxed))
            times_add(growing ? &board->growing[decade] : &board->settled[decade], ended - began);
    }
    _exit(0);
}

static void grow_decades(bench_report *report, uint64_t entries)
{
    static const char *const columns[] = {"put p50",     "put p99",   "put max",
                                          "get p50",     "get p99",   "growing p50",
                                          "growing p99", "p99 ratio", NULL};
    grow_board *board = bench_shared(sizeof *board);
    int fd = grow_memfd();
    char value[16];
    uint64_t item = 0, limit = FIRST_ENTRIES;
    uint64_t size = entries * 72 > ((uint64_t)64 << 20) ? entries * 72 : (uint64_t)64 << 20;
    board->store = grow_open(fd, LRD_VOLATILE, size);
    for (; item < FIRST_ENTRIES; item++)
        bench_wrong(grow_put(board->store, item, value, sizeof value) != LRD_OK);
    atomic_store(&board->put, item);
    fflush(NULL);
    pid_t reader = fork();
    if (reader == 0)
        grow_read(board);
    bench_pin(0);
    bench_section(report, "growing beside a reader, ns (p99 ratio: goal <= 2)", columns);
    for (uint32_t decade = 0; item < entries && decade < DECADES; decade++) {
        atomic_store(&board->decade, decade);
        limit = limit * 10 < entries ? limit * 10 : entries;
        for (; item < limit; item++) {
            uint64_t began = bench_wall_ns();
            int code = grow_put(board->store, item, value, sizeof value);
            times_add(&board->puts[decade], bench_wall_ns() - began);
            bench_wrong(code != LRD_OK);
            if (item % 64 == 63)
                atomic_store_explicit(&board->put, item + 1, memory_order_release);
        }
        grow_times *puts = &board->puts[decade], *settled = &board->settled[decade],
                   *growing = &board->growing[decade];
        char name[64];
        snprintf(name, sizeof name, "to %llu (%.0f gets, %.0f while growing)",
                 (unsigned long long)limit, times_count(settled), times_count(growing));
        bench_row(report, name,
                  (double[]){times_part(puts, 0.5), times_part(puts, 0.99), (double)puts->most,
                             times_part(settled, 0.5), times_part(settled, 0.99),
                             times_part(growing, 0.5), times_part(growing, 0.99),
                             times_part(growing, 0.99) / times_part(settled, 0.99)});
    }
    atomic_store(&board->stop, 1);
    int status;
    waitpid(reader, &status, 0);
    bench_wrong(status != 0);
    for (uint64_t i = 0; i < entries; i++)
        bench_wrong(grow_get(board->store, i, sizeof value) != LRD_OK);
    struct stat file;
    lrd_stats stats;
    lrd_stats_get(board->store, &stats);
    bench_wrong(fstat(fd, &file) != 0 || stats.entries != entries || stats.evicted != 0);
    printf("  %llu entries take %.1f MiB, %.1f bytes each\n", (unsigned long long)entries,
           (double)file.st_blocks / 2048, (double)file.st_blocks * 512 / (double)entries);
    lrd_close(board->store);
    close(fd);
}

int main(int argc, char **argv)
{
    bench_report report;
    uint64_t entries = 1000000;
    if (argc == 3 && strcmp(argv[1], "--entries") == 0)
        entries = strtoull(argv[2], NULL, 10);
    if ((argc != 1 && argc != 3) || entries <= FIRST_ENTRIES || entries > 100000000) {
        fprintf(stderr, "usage: grow_bench [--entries N], more than %u\n", FIRST_ENTRIES);
        return 2;
    }
    bench_open(&report, "grow");
    memory_rows(&report);
    grow_decades(&report, entries);
    return bench_close(&report);
}
