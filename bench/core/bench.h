/* bench.h - shared by the benchmarks of the core: clocks, pinning, medians, keys, values that can
 * be checked, Zipf traces, and runs beside a second process. Header only, so that each benchmark is
 * one file.
 *
 * A benchmark opens a report, runs jobs with bench_time() or bench_compare(), prints rows, and
 * returns the result of bench_close(): 1 if a value was wrong, else 0. Results go to a table, and
 * to a JSON file under build/bench/. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BENCH_ROUNDS_MAX 64u
#define BENCH_COLUMNS_MAX 8u
#define BENCH_KEY_LEN 28u /* bytes of every key made by bench_key() */

/* ---- failing ---- */

/* Stop with a message, because the measurement is impossible. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void bench_die(const char *format,
                                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* Return memory that is zero, and that processes forked later share. */
static inline void *bench_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        bench_die("no memory for %zu shared bytes", size);
    return memory;
}

static inline void *bench_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        bench_die("no memory for %zu times %zu bytes", count, size);
    return memory;
}

/* ---- clocks and processors ---- */

static inline uint64_t bench_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline uint64_t bench_wall_ns(void) { return bench_clock(CLOCK_MONOTONIC); }
static inline uint64_t bench_cpu_ns(void) { return bench_clock(CLOCK_THREAD_CPUTIME_ID); }

/* Return the number of a processor that this process may use: the first one if `which` is 0, and so
 * on. Returns -1 if there are fewer. */
static inline int bench_processor(int which)
{
    static cpu_set_t allowed;
    static bool known;
    if (!known)
        known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    for (int cpu = 0; known && cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed) && which-- == 0)
            return cpu;
    }
    return -1;
}

static inline void bench_pin(int which)
{
    cpu_set_t set;
    int cpu = bench_processor(which);
    CPU_ZERO(&set);
    if (cpu >= 0)
        CPU_SET((size_t)cpu, &set);
    if (cpu < 0 || sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "not pinned to processor %d\n", which);
}

/* ---- numbers ---- */

static inline int bench_order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sort the values, and return their median. */
static inline double bench_median(double *values, size_t count)
{
    if (count == 0)
        return (double)NAN;
    qsort(values, count, sizeof *values, bench_order);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static inline uint64_t bench_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
static inline uint64_t bench_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ull;
    return bench_mix(*state);
}
/* Return a number from 0 to bound - 1, almost evenly distributed. */
static inline uint32_t bench_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((bench_random(state) >> 32) * bound >> 32);
}

/* ---- Zipf ---- */

/* Draws items. The probability of item i is in proportion to 1 / rank(i)^skew. Ranks are shuffled,
 * so popular items are not neighbours in memory. */
typedef struct bench_zipf {
    double *cumulative; /* by rank */
    uint32_t *item;     /* by rank */
    uint32_t count;
} bench_zipf;

static inline void bench_zipf_make(bench_zipf *zipf, uint32_t count, double skew, uint64_t seed)
{
    double sum = 0;
    zipf->count = count;
    zipf->cumulative = bench_alloc(count, sizeof *zipf->cumulative);
    zipf->item = bench_alloc(count, sizeof *zipf->item);
    for (uint32_t rank = 0; rank < count; rank++) {
        sum += 1 / pow(rank + 1.0, skew);
        zipf->cumulative[rank] = sum;
        zipf->item[rank] = rank;
    }
    for (uint32_t rank = count; rank-- > 1;) {
        uint32_t other = bench_below(&seed, rank + 1), item = zipf->item[rank];
        zipf->item[rank] = zipf->item[other];
        zipf->item[other] = item;
    }
}

static inline uint32_t bench_zipf_draw(const bench_zipf *zipf, uint64_t *state)
{
    double total = zipf->cumulative[zipf->count - 1];
    double wanted = (double)(bench_random(state) >> 11) * 0x1p-53 * total;
    uint32_t low = 0, high = zipf->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (zipf->cumulative[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return zipf->item[low];
}

/* Return items that were drawn in advance, so that measured times do not include the drawing. */
static inline uint32_t *bench_zipf_trace(uint32_t items, double skew, size_t length, uint64_t seed)
{
    bench_zipf zipf;
    uint32_t *trace = bench_alloc(length, sizeof *trace);
    bench_zipf_make(&zipf, items, skew, 1);
    for (size_t i = 0; i < length; i++)
        trace[i] = bench_zipf_draw(&zipf, &seed);
    free(zipf.cumulative);
    free(zipf.item);
    return trace;
}

/* ---- keys and values ---- */

/* Make a key of exactly BENCH_KEY_LEN bytes, without a zero at the end. Keys of different families
 * differ. */
static inline void bench_key(char *out, char family, uint64_t number)
{
    static const char pattern[] = "app:user:x:profile:000000000";
    _Static_assert(sizeof pattern == BENCH_KEY_LEN + 1, "key length");
    memcpy(out, pattern, BENCH_KEY_LEN);
    out[9] = family;
    for (char *digit = out + BENCH_KEY_LEN; number != 0 && digit[-1] != ':'; number /= 10)
        *--digit = (char)('0' + number % 10);
}

/* Make `count` keys, BENCH_KEY_STRIDE bytes apart. */
#define BENCH_KEY_STRIDE 32u
static inline char *bench_keys(char family, uint32_t count)
{
    char *keys = bench_alloc(count, BENCH_KEY_STRIDE);
    for (uint32_t i = 0; i < count; i++)
        bench_key(keys + (size_t)i * BENCH_KEY_STRIDE, family, i);
    return keys;
}

/* Return the first eight bytes of an item's value (the tag). */
static inline uint64_t bench_tag(uint64_t item) { return (item + 1) * 0x9e3779b97f4a7c15ull; }

/* Return the last eight bytes of a value with this tag. */
static inline uint64_t bench_tail(uint64_t tag, size_t size) { return ~tag ^ size; }

/* Make a value of at least 16 bytes: the tag, filling, the tail. */
static inline void bench_fill(void *value, size_t size, uint64_t tag)
{
    uint64_t tail = bench_tail(tag, size);
    memset(value, (int)(tag & 0xff), size);
    memcpy(value, &tag, sizeof tag);
    memcpy((char *)value + size - sizeof tail, &tail, sizeof tail);
}

/* Return true if the first and the last bytes of a value belong to this tag. */
static inline bool bench_right(const void *value, size_t size, uint64_t tag)
{
    uint64_t head, tail;
    memcpy(&head, value, sizeof head);
    memcpy(&tail, (const char *)value + size - sizeof tail, sizeof tail);
    return head == tag && tail == bench_tail(tag, size);
}

/* ---- jobs ---- */

/* Run `ops` operations. Returns the number of wrong results. `who` is 1 in the second process, else
 * 0. */
typedef uint64_t bench_run(void *arg, uint64_t ops, uint32_t who);

typedef struct bench_job {
    const char *name;
    bench_run *run;
    void *arg;
    uint64_t ops; /* per round */
} bench_job;

/* The results of a job in CPU nanoseconds per operation. The results are medians over all rounds,
 * except `best`. */
typedef struct bench_times {
    double one; /* alone */
    /* Two processes run the job at once, on different processors: the mean of their times. NAN if
     * it was not measured. */
    double two;
    double ratio; /* median of `two` divided by `one` in each round */
    double best;  /* the shortest time of `one` in any round */
} bench_times;

/* Shared memory through which the processes of a benchmark communicate. */
typedef struct bench_board {
    _Atomic uint64_t wrong; /* operations of all processes that returned a wrong value */
    _Alignas(64) _Atomic uint32_t running, stop;
    uint64_t peer_ops, peer_ns; /* the second process writes these before it answers */
} bench_board;

static inline bench_board *bench_the_board(void)
{
    static bench_board *board;
    if (board == NULL)
        board = bench_shared(sizeof *board);
    return board;
}

static inline void bench_wrong(uint64_t count)
{
    if (count != 0)
        atomic_fetch_add_explicit(&bench_the_board()->wrong, count, memory_order_relaxed);
}

/* Return the CPU nanoseconds per operation of one run. */
static inline double bench_once(const bench_job *job)
{
    uint64_t start = bench_cpu_ns();
    bench_wrong(job->run(job->arg, job->ops, 0));
    return (double)(bench_cpu_ns() - start) / (double)job->ops;
}

/* Run the job once, unmeasured, to load its data into the processor's caches. */
static inline void bench_warm(const bench_job *job)
{
    bench_wrong(job->run(job->arg, job->ops, 0));
}

/* Return the median of CPU nanoseconds per operation, in one process. */
static inline double bench_time(const bench_job *job, unsigned rounds)
{
    double each[BENCH_ROUNDS_MAX] = {0};
    rounds = rounds < BENCH_ROUNDS_MAX ? rounds : BENCH_ROUNDS_MAX;
    bench_warm(job);
    for (unsigned round = 0; round < rounds; round++)
        each[round] = bench_once(job);
    return bench_median(each, rounds);
}

/* The second process. It repeats a job until it is told to stop. */
typedef struct bench_peer {
    pid_t pid;
    int command, answer; /* pipes */
} bench_peer;

static inline void bench_peer_serve(const bench_job *jobs, int command, int answer)
{
    bench_board *board = bench_the_board();
    uint8_t number;
    bench_pin(1);
    while (read(command, &number, 1) == 1) {
        const bench_job *job = &jobs[number];
        uint64_t batch = job->ops / 16 + 1, ops = 0, start = bench_cpu_ns();
        do {
            bench_wrong(job->run(job->arg, batch, 1));
            ops += batch;
            atomic_store_explicit(&board->running, 1, memory_order_release);
        } while (atomic_load_explicit(&board->stop, memory_order_acquire) == 0);
        board->peer_ns = bench_cpu_ns() - start;
        board->peer_ops = ops;
        if (write(answer, &number, 1) != 1)
            break;
    }
    _exit(0);
}

static inline void bench_peer_start(bench_peer *peer, const bench_job *jobs)
{
    int command[2], answer[2];
    if (pipe(command) != 0 || pipe(answer) != 0)
        bench_die("no pipe for the second process");
    bench_the_board();
    fflush(NULL);
    peer->pid = fork();
    if (peer->pid < 0)
        bench_die("no second process");
    if (peer->pid == 0) {
        close(command[1]);
        close(answer[0]);
        bench_peer_serve(jobs, command[0], answer[1]);
    }
    close(command[0]);
    close(answer[1]);
    peer->command = command[1];
    peer->answer = answer[0];
}

static inline void bench_peer_end(bench_peer *peer)
{
    int status = 0;
    close(peer->command);
    close(peer->answer);
    if (waitpid(peer->pid, &status, 0) != peer->pid || status != 0)
        bench_die("the second process ended with status %d", status);
}

/* Run the job in both processes at once. Returns the mean of their times per operation. */
static inline double bench_both(const bench_peer *peer, const bench_job *jobs, size_t number)
{
    bench_board *board = bench_the_board();
    uint8_t byte = (uint8_t)number;
    atomic_store(&board->running, 0);
    atomic_store(&board->stop, 0);
    if (write(peer->command, &byte, 1) != 1)
        bench_die("the second process is gone");
    while (atomic_load_explicit(&board->running, memory_order_acquire) == 0) {
        if (waitpid(peer->pid, NULL, WNOHANG) == peer->pid)
            bench_die("the second process died");
    }
    double own = bench_once(&jobs[number]);
    atomic_store(&board->stop, 1);
    if (read(peer->answer, &byte, 1) != 1)
        bench_die("the second process is gone");
    return (own + (double)board->peer_ns / (double)board->peer_ops) / 2;
}

/* Time all jobs in several rounds. In each, a job runs alone, and then beside the second
 * process. */
static inline void bench_compare(const bench_job *jobs, size_t count, unsigned rounds,
                                 bench_times *out)
{
    double(*one)[BENCH_ROUNDS_MAX] = bench_alloc(count, sizeof *one);
    double(*two)[BENCH_ROUNDS_MAX] = bench_alloc(count, sizeof *two);
    double(*ratio)[BENCH_ROUNDS_MAX] = bench_alloc(count, sizeof *ratio);
    bool paired = bench_processor(1) >= 0;
    bench_peer peer = {0};
    rounds = rounds < BENCH_ROUNDS_MAX ? rounds : BENCH_ROUNDS_MAX;
    if (paired)
        bench_peer_start(&peer, jobs);
    bench_pin(0);
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            bench_warm(&jobs[i]);
            one[i][round] = bench_once(&jobs[i]);
            two[i][round] = paired ? bench_both(&peer, jobs, i) : (double)NAN;
            ratio[i][round] = two[i][round] / one[i][round];
        }
    }
    if (paired)
        bench_peer_end(&peer);
    for (size_t i = 0; i < count; i++) {
        out[i].one = bench_median(one[i], rounds);
        out[i].two = bench_median(two[i], rounds);
        out[i].ratio = bench_median(ratio[i], rounds);
        out[i].best = one[i][0]; /* sorted by now */
    }
    free(one);
    free(two);
    free(ratio);
}

/* ---- report ---- */

typedef struct bench_report {
    FILE *json; /* NULL if the file in build/bench could not be opened */
    const char *section;
    const char *columns[BENCH_COLUMNS_MAX];
    size_t count;
    bool rows;
} bench_report;

/* Start the report, in build/bench/NAME.json below the working directory. */
static inline void bench_open(bench_report *report, const char *name)
{
    char path[256];
    memset(report, 0, sizeof *report);
    bench_pin(0);
    mkdir("build", 0777);
    mkdir("build/bench", 0777);
    snprintf(path, sizeof path, "build/bench/%s.json", name);
    report->json = fopen(path, "w");
    if (report->json == NULL)
        fprintf(stderr, "%s cannot be written; the figures go to the screen only\n", path);
    else
        fprintf(report->json, "{\"bench\": \"%s\", \"rows\": [", name);
}

/* Begin a table. `columns` ends with NULL. Its strings must stay valid until the next table. */
static inline void bench_section(bench_report *report, const char *title,
                                 const char *const *columns)
{
    report->section = title;
    report->count = 0;
    while (report->count < BENCH_COLUMNS_MAX && columns[report->count] != NULL) {
        report->columns[report->count] = columns[report->count];
        report->count++;
    }
    printf("\n%-46s", title);
    for (size_t i = 0; i < report->count; i++)
        printf(" %12s", report->columns[i]);
    putchar('\n');
}

/* Print a line of the table. `values` has a number for each column; NAN stands for an empty
 * cell. */
static inline void bench_row(bench_report *report, const char *name, const double *values)
{
    printf("  %-44s", name);
    for (size_t i = 0; i < report->count; i++) {
        double size = fabs(values[i]);
        int places = values[i] == floor(values[i]) ? 0 : size < 10 ? 2 : size < 1000 ? 1 : 0;
        if (isnan(values[i]))
            printf(" %12s", "-");
        else
            printf(" %12.*f", places, values[i]);
    }
    putchar('\n');
    fflush(stdout);
    if (report->json == NULL)
        return;
    fprintf(report->json, "%s\n  {\"section\": \"%s\", \"name\": \"%s\"", report->rows ? "," : "",
            report->section, name);
    for (size_t i = 0; i < report->count; i++) {
        if (isfinite(values[i]))
            fprintf(report->json, ", \"%s\": %.6g", report->columns[i], values[i]);
    }
    fputc('}', report->json);
    report->rows = true;
}

/* End the report. Returns the exit code: 1 if any operation returned a wrong value, else 0. */
static inline int bench_close(bench_report *report)
{
    uint64_t wrong = atomic_load(&bench_the_board()->wrong);
    if (report->json != NULL) {
        fprintf(report->json, "\n], \"wrong\": %llu}\n", (unsigned long long)wrong);
        fclose(report->json);
    }
    printf("\nwrong values: %llu\n", (unsigned long long)wrong);
    return wrong != 0;
}

#endif
