/* queue_bench.c - the cost of a queue: pushes and pops of small and large bodies, compared with
 * puts and gets of a store. Also the time until a waiting consumer has a message, compared with a
 * pipe. Medians of interleaved rounds; every body is compared.
 *
 * queue_bench [rounds] */
#include "larder_queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
#define N 20000
#define HANDOFFS 4000
#define POPS 8
#define POP_ROUNDS 25
#define ROUNDS_MAX 200

static const char text[] = "a short message, 32 bytes long..";
static lrd_store *queues, *cache;
static lrd_queue queue;

static void must(int code)
{
    if (code == LRD_OK)
        return;
    fprintf(stderr, "%s (%s)\n", lrd_strerror(code), lrd_error_detail());
    exit(1);
}

static uint64_t ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void same(const lrd_value *value, const void *body, size_t size)
{
    if (value->size == size && memcmp(value->data, body, size) == 0)
        return;
    fprintf(stderr, "a body is not as it was pushed\n");
    exit(1);
}

static double push_pop_ack(void)
{
    uint64_t start = ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < N; i++) {
        lrd_message m;
        must(lrd_queue_push(queues, queue, text, sizeof text, 1, NULL, NULL));
        must(lrd_queue_pop(queues, queue, 0, 0, 0, &m));
        same(&m.value, text, sizeof text);
        must(lrd_queue_ack(queues, queue, m.id));
        must(lrd_release(queues, &m.value));
    }
    return (double)(ns(CLOCK_PROCESS_CPUTIME_ID) - start) / N;
}

static double set_get_delete(void)
{
    uint64_t start = ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < N; i++) {
        lrd_value value;
        must(lrd_put(cache, "key", 3, text, sizeof text, &(lrd_write){.type = 1}));
        must(lrd_get(cache, "key", 3, 0, &value));
        same(&value, text, sizeof text);
        must(lrd_release(cache, &value));
        must(lrd_delete(cache, "key", 3));
    }
    return (double)(ns(CLOCK_PROCESS_CPUTIME_ID) - start) / N;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* Return the median time of a pop of a body of this size. All pushes come before the first pop, and
 * all comparisons after the last one. So nothing changes the processor's caches between two
 * pops. */
static double pop_of(size_t size)
{
    static char body[MIB];
    static double took[POP_ROUNDS * POPS];
    memset(body, 'b', size);
    for (int i = 0; i < POP_ROUNDS; i++) {
        lrd_message m[POPS];
        for (int k = 0; k < POPS; k++)
            must(lrd_queue_push(queues, queue, body, size, 1, NULL, NULL));
        for (int k = 0; k < POPS; k++) {
            uint64_t start = ns(CLOCK_MONOTONIC);
            must(lrd_queue_pop(queues, queue, 0, 0, 0, &m[k]));
            took[i * POPS + k] = (double)(ns(CLOCK_MONOTONIC) - start);
        }
        for (int k = 0; k < POPS; k++) {
            same(&m[k].value, body, size);
            must(lrd_queue_ack(queues, queue, m[k].id));
            must(lrd_release(queues, &m[k].value));
        }
    }
    return median(took, POP_ROUNDS * POPS);
}

/* Measure the microseconds from a push until a waiting consumer in another process has the
 * message. */
static void hand_off(bool by_pipe, double *p50, double *p99)
{
    static double took[HANDOFFS];
    int there[2], back[2];
    uint64_t sent, got;
    if (pipe(there) != 0 || pipe(back) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < HANDOFFS; i++) {
            lrd_message m;
            if (by_pipe) {
                if (read(there[0], &sent, sizeof sent) != sizeof sent)
                    _exit(1);
            } else {
                must(lrd_queue_pop(queues, queue, LRD_GET_BORROW, 60000, 0, &m));
                memcpy(&sent, m.value.data, sizeof sent);
            }
            got = ns(CLOCK_MONOTONIC) - sent;
            if (!by_pipe)
                must(lrd_queue_ack(queues, queue, m.id));
            if (write(back[1], &got, sizeof got) != sizeof got)
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < HANDOFFS; i++) {
        struct timespec pause = {0, 150000}; /* wait until the consumer sleeps */
        nanosleep(&pause, NULL);
        sent = ns(CLOCK_MONOTONIC);
        if (by_pipe) {
            if (write(there[1], &sent, sizeof sent) != sizeof sent)
                exit(1);
        } else {
            must(lrd_queue_push(queues, queue, &sent, sizeof sent, 1, NULL, NULL));
        }
        if (read(back[0], &got, sizeof got) != sizeof got)
            exit(1);
        took[i] = (double)got / 1e3;
    }
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
    *p50 = median(took, HANDOFFS);
    *p99 = took[HANDOFFS / 100 * 99];
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 15, few = 0;
    static double q[ROUNDS_MAX], c[ROUNDS_MAX], small[ROUNDS_MAX], large[ROUNDS_MAX];
    static double q50[ROUNDS_MAX], q99[ROUNDS_MAX], p50[ROUNDS_MAX], p99[ROUNDS_MAX];
    lrd_options options = {.policy = LRD_QUEUE, .size = 64 * MIB, .slots = 64};
    if (rounds == 0 || rounds > ROUNDS_MAX)
        return 2;
    must(lrd_open(&options, &queues));
    options.policy = LRD_VOLATILE;
    must(lrd_open(&options, &cache));
    must(lrd_queue_open(queues, "bench", 5, 0, &queue));
    push_pop_ack();
    set_get_delete();
    pop_of(MIB);
    for (size_t i = 0; i < rounds; i++) {
        q[i] = push_pop_ack();
        c[i] = set_get_delete();
        small[i] = pop_of(10 << 10);
        large[i] = pop_of(MIB);
        if (i % 5 == 0) {
            hand_off(false, &q50[few], &q99[few]);
            hand_off(true, &p50[few], &p99[few]);
            few++;
        }
    }
    double queue_ns = median(q, rounds), cache_ns = median(c, rounds);
    double small_ns = median(small, rounds), large_ns = median(large, rounds);
    printf("push + pop + ack   %7.0f ns\nset + get + delete %7.0f ns    queue to cache %.2fx\n",
           queue_ns, cache_ns, queue_ns / cache_ns);
    printf("pop of 10 KB       %7.0f ns; of 1 MB %7.0f ns    %.2fx\n", small_ns, large_ns,
           large_ns / small_ns);
    double a = median(q50, few), b = median(p50, few);
    printf("hand-off p50       %7.1f us; pipe %7.1f us    %.2fx\n", a, b, a / b);
    a = median(q99, few), b = median(p99, few);
    printf("hand-off p99       %7.1f us; pipe %7.1f us    %.2fx\n", a, b, a / b);
    lrd_close(cache);
    lrd_close(queues);
    return 0;
}
