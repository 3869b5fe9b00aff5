/* open_bench.c - what opening costs: CPU time of a fresh process for the two stores that a PHP process opens, beside
 * what any store would need (a memfd, fallocate of 256 KiB and three mmaps, twice), and how creation grows with the
 * size. Each measurement has a process of its own; the cases take turns. Read measure() first. */
#include "bench.h"
#include "larder.h"

#include <fcntl.h>

#define MIB ((uint64_t)1 << 20)
#define ROUNDS 41u

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

/* The first value of a process, which claims a slot; it must be there. */
static void first_value(lrd_store *store)
{
    lrd_value value;
    if (lrd_put(store, "first", 5, "value", 5, 0, LRD_SET, 0, 0) != LRD_OK ||
        lrd_get(store, "first", 5, 0, &value) != LRD_OK || memcmp(value.data, "value", 5) != 0)
        bench_wrong(1);
}

/* size 0: bare. In a process of its own, whose page tables know nothing. */
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
    return bench_close(&report);
}
