/* queue_failpoint_test.c - runs a script of all operations of queues again and again. The first run
 * is killed at its first fail point, the next one at its second fail point, and so on. After each
 * kill, a process that recovers the store is killed, too. Then a third process, the survivor,
 * accounts for every message. A pushed message that was not acknowledged must be there once, and an
 * acknowledged message must be gone.
 *
 * AddressSanitizer and musl try only every seventh fail point. Start reading at
 * kill_everywhere(). */
#include "support.h"

#include "internal.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define STRIDE 7 /* forks are slow with AddressSanitizer */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRIDE 7
#endif
#endif
#ifndef STRIDE
#define STRIDE 1
#endif

#define MIB (1u << 20)
#define MESSAGES 400
#define LARGE 1200000u

/* The script notes the state of a message here, before and after each change. The notes survive the
 * script. */
enum fate { NOT_YET, PUSHING, PUSHED, ENDING, ENDED };
typedef struct book {
    lrd_store *store;
    test_clock *clock;
    _Atomic uint32_t fate[MESSAGES], popped[MESSAGES];
    uint64_t ids[MESSAGES];
} book;

typedef struct body {
    uint32_t number, size;
    char rest[];
} body;

static void fill(const void *from, void *build, const void *data, size_t size)
{
    const body *head = from;
    (void)data;
    memcpy(build, head, sizeof *head);
    memset(((body *)build)->rest, (char)head->number, size - sizeof *head);
}

static uint32_t number_of(const lrd_message *m)
{
    const body *b = m->value.data;
    CHECK(m->value.size >= sizeof *b && b->number < MESSAGES && b->size == m->value.size);
    CHECK(b->size == sizeof *b || b->rest[b->size - sizeof *b - 1] == (char)b->number);
    return b->number;
}

/* ---- what the script does ---- */

static int put(book *b, lrd_queue q, uint32_t number, uint32_t size, lrd_push how)
{
    body head = {number, size};
    atomic_store(&b->fate[number], PUSHING);
    int rc = lrd_queue_push_fill(b->store, q, size, 1, &how, fill, &head, &b->ids[number]);
    atomic_store(&b->fate[number], rc == LRD_OK ? PUSHED : NOT_YET);
    return rc;
}
#define PUT(b, q, number, size, ...) CHECK_OK(put(b, q, number, size, (lrd_push){__VA_ARGS__}))

static uint32_t take(book *b, lrd_queue q, unsigned flags, lrd_message *m)
{
    CHECK_OK(lrd_queue_pop(b->store, q, flags, 0, 50000, m));
    uint32_t number = number_of(m);
    CHECK(m->attempts >= atomic_fetch_add(&b->popped[number], 1) + 1);
    return number;
}

static void ack(book *b, lrd_queue q, uint32_t number, const lrd_message *m)
{
    atomic_store(&b->fate[number], ENDING);
    CHECK_OK(lrd_queue_ack(b->store, q, m->id));
    atomic_store(&b->fate[number], ENDED);
}

static void script(book *b)
{
    lrd_queue q, other;
    lrd_message m, held;
    lrd_reservation open;
    uint64_t count;
    CHECK_OK(lrd_queue_open(b->store, "work", 4, 0, &q));
    CHECK_OK(lrd_queue_open(b->store, "other", 5, 200, &other));
    for (uint32_t n = 0; n < 20; n++)
        PUT(b, q, n, 8 + n * 40, .priority = (int32_t)(n % 3));
    PUT(b, q, 20, 30000, .delay_ms = 700);
    PUT(b, other, 21, LARGE);
    PUT(b, other, 22, 8, .ttl_ms = 1000000, .priority = 1);
    uint32_t n = take(b, q, 0, &held);
    ack(b, q, n, &held);
    n = take(b, q, LRD_GET_BORROW, &m);
    CHECK_OK(lrd_queue_release(b->store, q, m.id, 0));
    n = take(b, q, LRD_GET_BORROW, &m);
    CHECK_OK(lrd_queue_touch(b->store, q, m.id, 9000));
    CHECK_OK(lrd_queue_release(b->store, q, m.id, 400));
    n = take(b, q, LRD_GET_BORROW, &m);
    CHECK_OK(lrd_queue_bury(b->store, q, m.id));
    n = take(b, other, LRD_GET_BORROW, &m);
    ack(b, other, n, &m);
    n = take(b, other, 0, &m);
    CHECK_EQ(n, 21);
    ack(b, other, n, &m);
    atomic_fetch_add(b->clock, 1000);
    PUT(b, q, 23, 8);
    for (int i = 0; i < 4; i++)
        take(b, q, LRD_GET_BORROW, &m);
    CHECK_OK(lrd_queue_kick(b->store, q, 9, &count));
    CHECK_EQ(count, 1);
    CHECK_OK(lrd_release(b->store, &held.value));
    CHECK_OK(lrd_queue_reserve(b->store, q, 60000, 1, NULL, &open));
    CHECK_OK(lrd_abort(b->store, &open));
    for (n = 30; n < 50; n++) {
        PUT(b, other, n, 3000);
        if (n % 2 == 0) {
            uint32_t number = take(b, other, LRD_GET_BORROW, &m);
            ack(b, other, number, &m);
        }
    }
    atomic_store(&b->fate[19], ENDING);
    (void)lrd_queue_remove(b->store, q, b->ids[19]);
    lrd_thread_leave(b->store);
    n = take(b, q, LRD_GET_BORROW, &m);
    ack(b, q, n, &m);
    take(b, q, LRD_GET_BORROW, &m);
    atomic_fetch_add(b->clock, 50000);
    CHECK_CODE(lrd_queue_ack(b->store, q, m.id), LRD_MISS);
    CHECK_CODE(lrd_queue_pop(b->store, other, 0, 3, 0, &m), LRD_OK);
    (void)number_of(&m);
    lrd_queue empty;
    CHECK_OK(lrd_queue_open(b->store, "empty", 5, 1, &empty));
    /* the consumer sleeps, and becomes the watcher */
    CHECK_CODE(lrd_queue_pop(b->store, empty, 0, 2, 0, &m), LRD_MISS);
    CHECK_OK(lrd_queue_reserve(b->store, empty, 60000, 1, NULL, &open));
    PUT(b, empty, 60, 8);
    CHECK_CODE(lrd_queue_publish(b->store, empty, &open, NULL, NULL), LRD_ENOROOM);
    CHECK_CODE(put(b, empty, 61, 8, (lrd_push){.wait_ms = 2}), LRD_ENOROOM);
    lrd_queue cleared;
    CHECK_OK(lrd_queue_open(b->store, "cleared", 7, 0, &cleared));
    PUT(b, cleared, 62, 3000);
    PUT(b, cleared, 63, 8);
    CHECK_EQ(take(b, cleared, LRD_GET_BORROW, &m), 62);
    for (n = 62; n < 64; n++)
        atomic_store(&b->fate[n], ENDING);
    CHECK_OK(lrd_queue_clear(b->store, cleared, true, &count));
    CHECK_EQ(count, 2);
    for (n = 62; n < 64; n++)
        atomic_store(&b->fate[n], ENDED);
    CHECK_OK(lrd_sweep(b->store, NULL));
    lrd_close(b->store);
}

static void script_when_full(book *b)
{
    lrd_queue q, other;
    lrd_message m;
    uint32_t n = 0, last;
    CHECK_OK(lrd_queue_open(b->store, "work", 4, 0, &q));
    CHECK_OK(lrd_queue_open(b->store, "other", 5, 0, &other));
    while (put(b, q, n, 20000, (lrd_push){.ttl_ms = n % 4 == 0 ? 0 : 500000}) == LRD_OK)
        n++;
    CHECK(n > 20);
    last = n;
    for (; n < last + 8; n++)
        PUT(b, other, n, 1500);
    for (int i = 0; i < 8; i++) {
        uint32_t number = take(b, q, LRD_GET_BORROW, &m);
        ack(b, q, number, &m);
    }
    /* these messages reuse the memory of large ones that were acknowledged */
    for (; n < last + 20; n++)
        PUT(b, other, n, 700);
    while (put(b, q, n, 20000, (lrd_push){0}) == LRD_OK)
        n++;
    for (uint32_t i = 0; i < last; i++)
        if (i % 4 != 0 && atomic_load(&b->fate[i]) == PUSHED)
            atomic_store(&b->fate[i], ENDING);
    atomic_fetch_add(b->clock, 500000);
    /* The memory of expired messages must be available to both shards. */
    for (last = n + 8; n < last; n++)
        PUT(b, n % 2 ? q : other, n, 20000);
    CHECK_OK(lrd_sweep(b->store, NULL));
}

/* ---- what the survivor finds ---- */

static void drain(book *b, lrd_queue q, uint32_t *seen)
{
    lrd_message m;
    CHECK_OK(lrd_queue_kick(b->store, q, 1000, NULL));
    int rc;
    while ((rc = lrd_queue_pop(b->store, q, LRD_GET_BORROW, 0, 0, &m)) == LRD_OK) {
        uint32_t number = number_of(&m);
        seen[number]++;
        CHECK(m.attempts > atomic_load(&b->popped[number]));
        CHECK_OK(lrd_queue_ack(b->store, q, m.id));
    }
    CHECK_EQ(rc, LRD_MISS);
}

static void check_survivor(book *b)
{
    static uint32_t seen[MESSAGES];
    memset(seen, 0, sizeof seen);
    touch_all_shards(b->store);
    CHECK_FSCK(b->store);
    /* End all delays and times to run, but no time to live. */
    atomic_fetch_add(b->clock, 100000);
    const char *name;
    size_t name_len;
    lrd_queue q = 0;
    for (; lrd_queue_name(b->store, q, &name, &name_len) == LRD_OK; q++)
        drain(b, q, seen);
    for (uint32_t n = 0; n < MESSAGES; n++) {
        uint32_t fate = atomic_load(&b->fate[n]);
        if (fate == PUSHED                     ? seen[n] != 1
            : fate == ENDED || fate == NOT_YET ? seen[n] != 0
                                               : seen[n] > 1)
            check_failed(__FILE__, __LINE__, "message %u, fate %u, was seen %u times", n, fate,
                         seen[n]);
    }
    CHECK_FSCK(b->store);
    CHECK_OK(lrd_request_end(b->store));
    CHECK_OK(lrd_sweep(b->store, NULL));
    CHECK_EQ(allocated_bytes(b->store), 0);
    CHECK_EQ(stats_of(b->store).emptied_shards, 0);
    /* The store still works. */
    CHECK_OK(lrd_queue_open(b->store, "work", 4, 0, &q));
    CHECK_OK(lrd_queue_push(b->store, q, "x", 1, 0, NULL, NULL));
    lrd_message m;
    CHECK_OK(lrd_queue_pop(b->store, q, LRD_GET_BORROW, 0, 0, &m));
    CHECK_OK(lrd_queue_ack(b->store, q, m.id));
}

/* ---- the loop ---- */

typedef struct attempt {
    book *b;
    void (*run)(book *b);
    uint64_t k;
} attempt;

static void run_armed(void *arg)
{
    attempt *a = arg;
    failpoint_arm(a->k);
    a->run(a->b);
    failpoint_disarm();
}

static void recover(book *b)
{
    touch_all_shards(b->store);
    CHECK_OK(lrd_sweep(b->store, NULL));
}

static void kill_everywhere(const char *name, void (*run)(book *b), uint64_t size)
{
    book *b = shared_memory(sizeof *b);
    uint64_t k = 0, deaths = 0, recoverers = 0;
    b->clock = clock_new();
    for (bool killed = true; killed; deaths += killed) {
        k += k == 0 ? 1 : STRIDE;
        memset((void *)b->fate, 0, sizeof b->fate);
        memset((void *)b->popped, 0, sizeof b->popped);
        b->store = store_with_clock(LRD_QUEUE, size, 2, b->clock);
        attempt first = {b, run, k}, second = {b, recover, 1 + k * 7 % 61};
        int status = run_in_child(run_armed, &first);
        killed = failpoint_fired();
        if (!killed)
            CHECK_CHILD(status);
        check_context("%s, killed at pass %llu (%s)", name, (unsigned long long)k,
                      failpoint_last());
        status = run_in_child(run_armed, &second);
        if (failpoint_fired())
            recoverers++;
        else
            CHECK_CHILD(status);
        failpoint_disarm();
        check_survivor(b);
        lrd_close(b->store);
    }
    check_context("%s", "");
    print_message("%s: killed at %llu points, %llu recoverers too\n", name,
                  (unsigned long long)deaths, (unsigned long long)recoverers);
    CHECK(deaths > 500 / STRIDE);
    CHECK(recoverers > deaths / 20);
}

static void everything_can_be_killed_anywhere(void **state)
{
    (void)state;
    kill_everywhere("everything", script, 8 * MIB);
}

static void a_full_store_can_be_killed_anywhere(void **state)
{
    (void)state;
    kill_everywhere("full", script_when_full, 2 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_can_be_killed_anywhere),
        cmocka_unit_test(a_full_store_can_be_killed_anywhere),
    };
    return cmocka_run_group_tests_name("queue_failpoint", tests, NULL, NULL);
}
