/* scan_bench.c - how much slower a writer is when other processes hold values: inserts into a full
 * store, while each of 60 idle processes holds no value, 1,000 different values, or 5,000.
 *
 * scan_bench [PROCESSES]
 *
 * Prints the CPU time of an insert, and its ratio to the time without holds: medians of five. */
#include "larder_admin.h"
#include "larder_host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE ((uint64_t)256 << 20)
#define BYTES 150
#define INSERTS 200000
#define ROUNDS 5
#define PROCESSES_MAX 200

static void put(lrd_store *store, unsigned long i)
{
    char key[32], bytes[BYTES] = {0};
    size_t length = (size_t)snprintf(key, sizeof key, "key %lu", i);
    int code = lrd_put(store, key, length, bytes, sizeof bytes, NULL);
    if (code != LRD_OK) {
        fprintf(stderr, "put: %s\n", lrd_error_name(code));
        exit(1);
    }
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static pid_t hold(lrd_store *store, unsigned long first, unsigned count)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        unsigned held = 0;
        for (unsigned i = 0; i < count; i++) {
            lrd_value value;
            char key[32];
            size_t length = (size_t)snprintf(key, sizeof key, "key %lu", first + i);
            held += lrd_get(store, key, length, LRD_GET_NO_COPY, &value) == LRD_OK &&
                    value.kind == LRD_KIND_HELD;
        }
        if (held < count)
            fprintf(stderr, "only %u of %u are held\n", held, count);
        close(ready[0]);
        close(ready[1]);
        pause();
        _exit(0);
    }
    close(ready[1]);
    (void)!read(ready[0], &byte, 1);
    close(ready[0]);
    return child;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

int main(int argc, char **argv)
{
    static const unsigned counts[] = {0, 1000, 5000};
    unsigned processes = argc > 1 ? (unsigned)atoi(argv[1]) : 60;
    double base = 0;
    lrd_options options = {.policy = LRD_VOLATILE, .size = SIZE};
    lrd_store *store;
    if (processes > PROCESSES_MAX || lrd_open(&options, &store) != LRD_OK)
        return 2;
    unsigned long next = 0;
    while (next < SIZE / BYTES)
        put(store, next++);
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        pid_t children[PROCESSES_MAX];
        double took[ROUNDS];
        for (unsigned p = 0; p < processes; p++) /* hold some of the newest values */
            children[p] = hold(store, next - (p + 1UL) * counts[c], counts[c]);
        for (int round = 0; round < ROUNDS; round++) {
            double before = cpu_ns();
            for (unsigned i = 0; i < INSERTS; i++)
                put(store, next++);
            took[round] = (cpu_ns() - before) / INSERTS;
        }
        qsort(took, ROUNDS, sizeof *took, compare);
        base = c == 0 ? took[ROUNDS / 2] : base;
        printf("%u processes hold %u values each: %.0f ns an insert (x %.2f)\n", processes,
               counts[c], took[ROUNDS / 2], took[ROUNDS / 2] / base);
        for (unsigned p = 0; p < processes; p++) {
            kill(children[p], SIGKILL);
            waitpid(children[p], NULL, 0);
        }
    }
    lrd_close(store);
    return 0;
}
