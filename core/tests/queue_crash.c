/* queue_crash.c - kills producers and consumers of queues at random, and accounts for every
 * message.
 *
 * queue_crash [--seconds N] [--workers N] [--size MIB] [--control NAME]
 *
 * - N producers and N consumers share a store of queues. A parent kills one after the other at
 *   random moments, and replaces each at once.
 * - Producers and consumers note the fate of each message in the book, an array in shared memory.
 * - At the end the remaining messages are popped. Every pushed message must have been handled, and
 *   an acknowledged message must not come again.
 * - The first queue has one consumer, which must see the messages of each producer in order.
 *
 * The last line of the output is:
 *
 * kills=N pushed=N acked=N unsure=N lost=0 corrupt=0 recoveries=N
 *
 * unsure: messages whose producer or consumer was killed before it could note the result. Exit
 * code: 0 all is well; 1 something was lost, corrupt or found by lrd_fsck(); 2 usage, or nothing
 * was tested. With --control the core is broken on purpose, in a build with LRD_CONTROLS, and the
 * program must end with 1. Controls: publish-first, forget-owner. */
#include "larder_admin.h"
#include "larder_queue.h"

#include "internal.h"
#include "values.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define WORKERS_MAX 32
#define MESSAGES (1u << 21) /* largest number of messages of one producer */
#define QUEUES 3
#define BACKLOG 2000 /* if more messages are ready than this, a producer pauses */
#define HANG_MS 20000
#define LARGE 40000u

enum fate { UNKNOWN, PUSHING, PUSHED, ACKING, ACKED };

static struct shared {
    _Atomic uint64_t corrupt, acks, pushes;
    _Atomic uint32_t messages, stop, drained;
    _Atomic uint64_t progress[2 * WORKERS_MAX];
    _Atomic uint32_t next[WORKERS_MAX]; /* next message of each producer */
    /* for each producer and priority, the last number that the first queue's consumer has seen */
    _Atomic uint32_t last[WORKERS_MAX][2];
    _Atomic uint8_t fate[WORKERS_MAX][MESSAGES];
} * shared;

static struct {
    unsigned seconds, workers;
    uint64_t size;
    const char *control;
} settings = {60, 8, 16, NULL};

static lrd_store *store;
static lrd_queue queues[QUEUES];
static uint64_t chance, kills;

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t now_ms(void) { return now_us() / 1000; }

__attribute__((format(printf, 1, 2))) static void corrupt(const char *format, ...)
{
    atomic_fetch_add(&shared->corrupt, 1);
    if (atomic_fetch_add(&shared->messages, 1) >= 20)
        return;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "corrupt: %s\n", text);
}

/* ---- messages ---- */

typedef struct body {
    uint32_t producer, number, size, priority;
    uint64_t sum;
    uint8_t rest[];
} body;

static uint64_t body_sum(const body *b)
{
    return checksum(b->rest, b->size - sizeof *b) ^ mix(b->producer * 4294967296ull + b->number);
}

typedef struct order {
    uint32_t producer, number, priority;
} order;

static void fill(const void *from, void *build, const void *data, size_t size)
{
    const order *o = from;
    body *b = build;
    (void)data;
    *b = (body){.producer = o->producer,
                .number = o->number,
                .size = (uint32_t)size,
                .priority = o->priority};
    memset(b->rest, (int)o->number & 0xff, size - sizeof *b);
    b->sum = body_sum(b);
}

/* ---- producers ---- */

static void produce_one(unsigned me)
{
    uint32_t number = atomic_load(&shared->next[me]);
    if (number == MESSAGES) {
        usleep(10000);
        return;
    }
    order o = {me, number, number % 2};
    unsigned which = number % 8 == 0 ? 0 : 1 + number % (QUEUES - 1);
    uint64_t dice = random_below(&chance, 100);
    size_t size = sizeof(body) + (dice < 90   ? random_below(&chance, 200)
                                  : dice < 99 ? random_below(&chance, 3000)
                                              : random_below(&chance, LARGE));
    lrd_push how = {.priority = which == 0 ? 0 : (int32_t)o.priority,
                    .wait_ms = 2000,
                    .delay_ms = which != 0 && dice == 5 ? 20 : 0};
    _Atomic uint8_t *fate = &shared->fate[me][number];
    atomic_store(fate, PUSHING);
    int rc = lrd_queue_push_fill(store, queues[which], size, 1, &how, fill, &o, NULL);
    uint8_t pushing = PUSHING;
    if (rc == LRD_OK) {
        atomic_compare_exchange_strong(fate, &pushing, PUSHED);
        atomic_fetch_add(&shared->pushes, 1);
    } else if (rc != LRD_ENOROOM && rc != LRD_EBUSY && rc != LRD_INTR && rc != LRD_ENOSLOT) {
        corrupt("push answered %s (%s)", lrd_error_name(rc), lrd_error_detail());
    }
    if (rc != LRD_OK && atomic_load(fate) != PUSHING)
        corrupt("a push that failed was handled");
    atomic_store(&shared->next[me], number + 1);
}

static void produce(unsigned me)
{
    /* A killed producer may or may not have pushed its last message, so its successor begins with
     * the next number. */
    uint32_t number = atomic_load(&shared->next[me]);
    if (number < MESSAGES && atomic_load(&shared->fate[me][number]) != UNKNOWN)
        atomic_store(&shared->next[me], number + 1);
    while (!atomic_load(&shared->stop)) {
        lrd_queue_stats stats;
        produce_one(me);
        atomic_fetch_add(&shared->progress[me], 1);
        if (random_below(&chance, 64) == 0 &&
            lrd_queue_stats_get(store, queues[random_below(&chance, QUEUES)], &stats) == LRD_OK &&
            stats.ready > BACKLOG)
            usleep(2000);
    }
}

/* ---- consumers ---- */

/* In the first queue, which has one consumer, the numbers of a producer's messages must rise. Only
 * the message popped last may come again. */
static void check_order(const body *b, uint32_t attempts)
{
    _Atomic uint32_t *last = &shared->last[b->producer][b->priority];
    uint32_t before = atomic_load(last);
    if (attempts == 1 ? b->number + 1 <= before : b->number + 1 < before)
        corrupt("message %u of producer %u, attempt %u, came after %u", b->number, b->producer,
                attempts, before - 1);
    atomic_store(last, b->number + 1);
}

static void handle(lrd_queue q, lrd_message *m, bool ordered)
{
    const body *b = m->value.data;
    if (m->value.size < sizeof *b || b->size != m->value.size || b->producer >= settings.workers ||
        b->number >= MESSAGES || b->sum != body_sum(b)) {
        corrupt("a body of %zu bytes is not as it was pushed", m->value.size);
        return;
    }
    _Atomic uint8_t *fate = &shared->fate[b->producer][b->number];
    uint8_t before = atomic_load(fate);
    if (before == ACKED || before == UNKNOWN)
        corrupt("message %u of producer %u was %s", b->number, b->producer,
                before == ACKED ? "acknowledged already" : "never pushed");
    if (before == ACKING && m->attempts < 2)
        corrupt("message %u of producer %u came twice", b->number, b->producer);
    if (ordered)
        check_order(b, m->attempts);
    uint64_t dice = random_below(&chance, 200);
    if (!ordered && dice == 0) {
        lrd_queue_release(store, q, m->id, random_below(&chance, 30));
        return;
    }
    if (!ordered && dice == 1) {
        lrd_queue_bury(store, q, m->id);
        return;
    }
    atomic_store(fate, ACKING);
    int rc;
    while ((rc = lrd_queue_ack(store, q, m->id)) == LRD_EBUSY)
        continue;
    if (rc != LRD_OK) {
        corrupt("ack of message %u of producer %u answered %s", b->number, b->producer,
                lrd_error_name(rc));
        return;
    }
    atomic_store(fate, ACKED);
    atomic_fetch_add(&shared->acks, 1);
}

static void consume(unsigned me)
{
    bool ordered = me == 0;
    for (uint32_t i = 0;; i++) {
        lrd_queue q = ordered ? queues[0] : queues[1 + (me + i) % (QUEUES - 1)];
        lrd_message m;
        /* Each pop from the first queue may wait, so its consumer often sleeps and is woken. */
        bool waits = (ordered || random_below(&chance, 8) == 0) && !atomic_load(&shared->stop);
        uint64_t wait = waits ? random_below(&chance, 50) : 0;
        int rc =
            lrd_queue_pop(store, q, random_below(&chance, 2) ? LRD_GET_BORROW : 0, wait, 0, &m);
        atomic_fetch_add(&shared->progress[WORKERS_MAX + me], 1);
        if (rc == LRD_OK) {
            handle(q, &m, ordered);
            lrd_release(store, &m.value);
        } else if (rc != LRD_MISS && rc != LRD_EBUSY && rc != LRD_ENOSLOT) {
            corrupt("pop answered %s (%s)", lrd_error_name(rc), lrd_error_detail());
        }
        if (random_below(&chance, 500) == 0)
            lrd_queue_kick(store, q, 10, NULL);
        if (rc == LRD_MISS && !waits)
            usleep(200);
        if (atomic_load(&shared->drained))
            return;
    }
}

/* ---- the parent ---- */

static pid_t workers[2 * WORKERS_MAX];

static void spawn(unsigned w)
{
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    if (pid != 0) {
        workers[w] = pid;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    chance = mix(now_ms() * 1000003 + w + (uint64_t)getpid()) | 1;
    if (w < settings.workers)
        produce(w);
    else
        consume(w - settings.workers);
    _exit(0);
}

static void end(unsigned w)
{
    kill(workers[w], SIGKILL);
    waitpid(workers[w], NULL, 0);
}

/* Kill workers at random moments, about 10,000 a minute. After a slow kill, the next one follows at
 * once. */
static void chaos(void)
{
    uint64_t until = now_ms() + settings.seconds * 1000u, at = now_us();
    while (now_ms() < until) {
        unsigned w = (unsigned)random_below(&chance, 2 * settings.workers);
        uint64_t now = now_us();
        at += random_below(&chance, 9000);
        if (at > now)
            usleep((useconds_t)(at - now));
        else
            at = now;
        end(w);
        kills++;
        spawn(w);
    }
}

static void print_violation(void *arg, const char *text)
{
    (void)arg;
    corrupt("fsck: %s", text);
}

/* Stop producers, and let consumers empty the queues without kills. Returns the number of messages
 * that remain. */
static uint64_t drain(void)
{
    uint64_t left = 1, acks = 0, moved = now_ms();
    atomic_store(&shared->stop, 1);
    for (unsigned w = 0; w < settings.workers; w++)
        waitpid(workers[w], NULL, 0);
    while (left != 0 && now_ms() - moved < HANG_MS) {
        usleep(20000);
        left = 0;
        for (unsigned q = 0; q < QUEUES; q++) {
            lrd_queue_stats stats = {0};
            lrd_queue_kick(store, queues[q], UINT64_MAX, NULL);
            if (lrd_queue_stats_get(store, queues[q], &stats) != LRD_OK)
                left++;
            left += stats.ready + stats.reserved + stats.delayed + stats.buried;
        }
        if (atomic_load(&shared->acks) != acks)
            moved = now_ms();
        acks = atomic_load(&shared->acks);
    }
    atomic_store(&shared->drained, 1);
    for (unsigned w = settings.workers; w < 2 * settings.workers; w++)
        waitpid(workers[w], NULL, 0);
    return left;
}

static uint64_t account(uint64_t *unsure)
{
    uint64_t lost = 0;
    for (unsigned p = 0; p < settings.workers; p++)
        for (uint32_t n = 0; n < MESSAGES; n++) {
            uint8_t fate = atomic_load(&shared->fate[p][n]);
            if (fate == UNKNOWN && n >= atomic_load(&shared->next[p]))
                break;
            lost += fate == PUSHED;
            *unsure += fate == PUSHING || fate == ACKING;
        }
    return lost;
}

/* ---- main ---- */

static bool set_control(const char *name)
{
#ifdef LRD_CONTROLS
    if (strcmp(name, "publish-first") == 0)
        lrd__control_publish_first = true;
    else if (strcmp(name, "forget-owner") == 0)
        lrd__control_forget_owner = true;
    else
        return false;
    return true;
#else
    (void)name;
    return false;
#endif
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        char *rest = "";
        unsigned long number = strtoul(argv[i + 1], &rest, 10);
        if (strcmp(argv[i], "--control") == 0)
            settings.control = argv[i + 1];
        else if (*rest != '\0' || number == 0 || number > 100000)
            return false;
        else if (strcmp(argv[i], "--seconds") == 0)
            settings.seconds = (unsigned)number;
        else if (strcmp(argv[i], "--workers") == 0 && number <= WORKERS_MAX)
            settings.workers = (unsigned)number;
        else if (strcmp(argv[i], "--size") == 0)
            settings.size = number;
        else
            return false;
    }
    return argc % 2 == 1 && (settings.control == NULL || set_control(settings.control));
}

static bool prepare(void)
{
    static const char *const names[QUEUES] = {"ordered", "one", "two"};
    lrd_options options = {
        .policy = LRD_QUEUE, .size = settings.size * MIB, .shards = 2, .slots = 256};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good = shared != MAP_FAILED && lrd_open(&options, &store) == LRD_OK;
    for (unsigned q = 0; good && q < QUEUES; q++)
        good = lrd_queue_open(store, names[q], strlen(names[q]), 0, &queues[q]) == LRD_OK;
    if (!good)
        fprintf(stderr, "queue_crash: %s\n", lrd_error_detail());
    return good;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: queue_crash [--seconds N] [--workers N] [--size MIB] "
                        "[--control publish-first|forget-owner]\n");
        return 2;
    }
    if (!prepare())
        return 2;
    chance = mix(now_ms()) | 1;
    for (unsigned w = 0; w < 2 * settings.workers; w++)
        spawn(w);
    chaos();
    uint64_t chaotic = now_ms();
    uint64_t unsure = 0, left = drain(), lost = account(&unsure);
    fprintf(stderr, "drained in %llu ms\n", (unsigned long long)(now_ms() - chaotic));
    if (left != 0)
        corrupt("%llu messages are left", (unsigned long long)left);
    uint64_t freed;
    lrd_request_end(store);
    lrd_sweep(store, &freed);
    lrd_fsck(store, print_violation, NULL);
    lrd_stats stats;
    lrd_stats_get(store, &stats);
    if (left == 0 && stats.page_bytes - stats.retired_bytes > 0 && stats.retired_bytes != 0)
        corrupt("%llu bytes are retired", (unsigned long long)stats.retired_bytes);
    if (unsure > kills)
        corrupt("%llu messages are unsure, after %llu kills", (unsigned long long)unsure,
                (unsigned long long)kills);
    uint64_t wrong = atomic_load(&shared->corrupt);
    printf("kills=%llu pushed=%llu acked=%llu unsure=%llu lost=%llu corrupt=%llu recoveries=%llu\n",
           (unsigned long long)kills, (unsigned long long)atomic_load(&shared->pushes),
           (unsigned long long)atomic_load(&shared->acks), (unsigned long long)unsure,
           (unsigned long long)lost, (unsigned long long)wrong,
           (unsigned long long)stats.recoveries);
    if (wrong + lost > 0)
        return 1;
    return kills == 0 || atomic_load(&shared->acks) == 0 ? 2 : 0;
}
