/* open_bench.c - the CPU time in which a new process opens the two stores of a PHP process.
 * - For comparison, a process does only what any store needs: a memfd, fallocate of 256 KiB and
 *   three mmaps, twice.
 * - Further rows create stores of several sizes, and adopt a store that no process uses. An
 *   adoption counts and checks the entries.
 * - Each measurement runs in its own process, and the cases take turns.
 *
 * Begin reading at measure(). */
#include "bench.h"
#include "larder_admin.h"
#include "larder_host.h"

#include <fcntl.h>

#define MIB ((uint64_t)1 << 20)
#define ROUNDS 41u
#define ADOPTED_VALUE 1000u /* bytes */
#define ADOPTED_SHARE 5000u /* one entry of the adopted store for this number of bytes */
#define ADOPTED_ROUNDS 5u

typedef struct answer {
    double open_us, first_us, committed_kib;
} answer;

static void open_bare(void)
{
    int fd = memfd_create("bare", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(64 * MIB)) != 0 || fallocate(fd, 0, 0, 256 << 10) != 0)
        bench_die("a bare memfd");
    for (int i = 0; i < 3; i++)
        if (mmap(NULL, 64 * MIB, i == 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
            MAP_FAILED)
            bench_die("a bare mapping");
}

static lrd_store *open_store(lrd_policy policy, uint64_t size, double *committed)
{
    lrd_store *store;
    struct stat status;
    int fd = memfd_create("store", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    lrd_options options = {.policy = policy, .size = size};
    if (fd < 0 || lrd_open_fd(fd, &options, &store) != LRD_OK)
        bench_die("lrd_open_fd: %s", lrd_error_detail());
    if (fstat(fd, &status) == 0)
        *committed += (double)status.st_blocks / 2;
    return store;
}

/* Put and get the first value of this process. The first call also claims a slot. */
static void first_value(lrd_store *store)
{
    lrd_value value;
    if (lrd_put(store, "first", 5, "value", 5, NULL) != LRD_OK ||
        lrd_get(store, "first", 5, 0, &value) != LRD_OK || memcmp(value.data, "value", 5) != 0)
        bench_wrong(1);
}

/* Measure an opening in a new process, whose page tables do not refer to the store yet. If `size`
 * is 0, measure only the comparison. */
static answer measure(uint64_t size, bool both)
{
    answer *shared = bench_shared(sizeof *shared), result;
    pid_t child = fork();
    if (child == 0) {
        uint64_t start = bench_cpu_ns();
        lrd_store *stores[2] = {NULL, NULL};
        if (size == 0) {
            open_bare();
            open_bare();
        } else {
            stores[0] = open_store(LRD_VOLATILE, size, &shared->committed_kib);
            if (both)
                stores[1] = open_store(LRD_PINNED, size, &shared->committed_kib);
        }
        shared->open_us = (double)(bench_cpu_ns() - start) / 1000;
        start = bench_cpu_ns();
        if (stores[0] != NULL)
            first_value(stores[0]);
        shared->first_us = (double)(bench_cpu_ns() - start) / 1000;
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        bench_die("a measuring process failed");
    result = *shared;
    munmap(shared, sizeof *shared);
    return result;
}

/* ---- adopting ---- */

static char adopted_path[64];

static lrd_store *open_named(uint64_t size)
{
    lrd_store *store;
    lrd_options options = {.policy = LRD_PINNED, .size = size, .path = adopted_path};
    if (lrd_open(&options, &store) != LRD_OK)
        bench_die("lrd_open: %s", lrd_error_detail());
    return store;
}

/* Make a value: a number at its beginning, and then equal bytes. */
static void adopted_value(char value[ADOPTED_VALUE], uint64_t number)
{
    memset(value, 'v', ADOPTED_VALUE);
    memcpy(value, &number, sizeof number);
}

static void adopted_fill(uint64_t size)
{
    char key[24], value[ADOPTED_VALUE];
    lrd_store *store = open_named(size);
    for (uint64_t i = 0; i < size / ADOPTED_SHARE; i++) {
        int length = snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
        adopted_value(value, i);
        if (lrd_put(store, key, (size_t)length, value, sizeof value,
                    &(lrd_write){.mode = LRD_ADD}) != LRD_OK)
            bench_die("lrd_put: %s", lrd_error_detail());
    }
    lrd_close(store);
}

/* Measure three times of the adopted store: us[0] for opening it, us[1] for the first get, us[2]
 * for opening it and getting each entry once. */
static void adopt_once(uint64_t size, double *us)
{
    char key[24], value[ADOPTED_VALUE];
    lrd_value found;
    uint64_t start = bench_cpu_ns();
    lrd_store *store = open_named(size);
    us[0] = (double)(bench_cpu_ns() - start) / 1000;
    for (uint64_t i = 0; i < size / ADOPTED_SHARE; i++) {
        int length = snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
        adopted_value(value, i);
        bench_wrong(lrd_get(store, key, (size_t)length, LRD_GET_BORROW, &found) != LRD_OK ||
                    found.size != sizeof value || memcmp(found.data, value, sizeof value) != 0);
        if (i == 0)
            us[1] = (double)(bench_cpu_ns() - start) / 1000 - us[0];
    }
    us[2] = (double)(bench_cpu_ns() - start) / 1000;
    lrd_stats stats;
    lrd_stats_get(store, &stats);
    bench_wrong(stats.entries != size / ADOPTED_SHARE);
    lrd_close(store);
}

static void adopting(bench_report *report)
{
    static const uint64_t sizes[] = {64 * MIB, 1024 * MIB};
    static const char *const columns[] = {"entries", "open us", "first get us", "get all us", NULL};
    double us[3] = {0}, all[3][ADOPTED_ROUNDS];
    char lock[80], name[32];
    bench_section(report, "adopting", columns);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        snprintf(adopted_path, sizeof adopted_path, "/dev/shm/larder-open-bench-%d", (int)getpid());
        adopted_fill(sizes[s]);
        for (uint32_t round = 0; round < ADOPTED_ROUNDS; round++) {
            adopt_once(sizes[s], us);
            for (int i = 0; i < 3; i++)
                all[i][round] = us[i];
        }
        snprintf(lock, sizeof lock, "%s.lock", adopted_path);
        unlink(adopted_path);
        unlink(lock);
        snprintf(name, sizeof name, "%llu MiB", (unsigned long long)(sizes[s] / MIB));
        bench_row(
            report, name,
            (double[]){(double)(sizes[s] / ADOPTED_SHARE), bench_median(all[0], ADOPTED_ROUNDS),
                       bench_median(all[1], ADOPTED_ROUNDS), bench_median(all[2], ADOPTED_ROUNDS)});
    }
}

int main(void)
{
    static const struct {
        const char *name;
        uint64_t size;
        bool both;
    } cases[] = {
        {"bare memfd, twice", 0, true},          {"both stores, 64 MiB", 64 * MIB, true},
        {"one store, 64 MiB", 64 * MIB, false},  {"one store, 1 GiB", 1024 * MIB, false},
        {"one store, 8 GiB", 8192 * MIB, false},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    static const char *const columns[] = {"open us", "first put+get us", "committed KiB",
                                          "open/bare", NULL};
    static double open_us[CASES][ROUNDS], first_us[CASES][ROUNDS];
    double committed[CASES] = {0}, bare = 0;
    bench_report report;
    bench_open(&report, "open");
    printf("CPU time of a fresh process, medians of %u, interleaved\n", ROUNDS);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < CASES; i++) {
            answer one = measure(cases[i].size, cases[i].both);
            open_us[i][round] = one.open_us;
            first_us[i][round] = one.first_us;
            committed[i] = one.committed_kib;
        }
    bench_section(&report, "opening", columns);
    for (uint32_t i = 0; i < CASES; i++) {
        double open = bench_median(open_us[i], ROUNDS);
        bare = i == 0 ? open : bare;
        bench_row(&report, cases[i].name,
                  (double[]){open, bench_median(first_us[i], ROUNDS), committed[i], open / bare});
    }
    adopting(&report);
    return bench_close(&report);
}
