/* fuzz_queue.c - libFuzzer target: makes calls on two queues, and compares each message with a
 * model. After each input lrd_fsck() must find no error, every message must come out in order, and
 * no byte may be left. */
#include "larder_admin.h"
#include "larder_queue.h"

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 64
#define BODY_MAX 9000u

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct message {
    lrd_message_state state;
    uint64_t id, due, order;
    int32_t priority;
    uint32_t size, attempts, queue;
    bool used;
} message;

static lrd_store *store;
static lrd_queue queues[2];
static uint64_t now, order;
static message model[MESSAGES];

static uint64_t clock_ms(void *arg)
{
    (void)arg;
    return now;
}

static void report(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "fsck: %s\n", text);
}

static void prepare(void)
{
    lrd_options options = {
        .policy = LRD_QUEUE, .size = 1 << 20, .slots = 16, .shards = 2, .clock_ms = clock_ms};
    now = 1000;
    CHECK(lrd_open(&options, &store) == LRD_OK);
    CHECK(lrd_queue_open(store, "a", 1, 0, &queues[0]) == LRD_OK);
    CHECK(lrd_queue_open(store, "b", 1, 0, &queues[1]) == LRD_OK);
}

/* In the model, make delayed messages ready if their delay is over, and reserved messages if their
 * time to run is over. The delayed messages become ready in the order of their times. */
static void settle(uint32_t queue)
{
    for (;;) {
        message *next = NULL;
        for (message *m = model; m < model + MESSAGES; m++)
            if (m->used && m->queue == queue && m->state == LRD_MESSAGE_DELAYED && m->due <= now &&
                (next == NULL || m->due < next->due ||
                 (m->due == next->due && m->order < next->order)))
                next = m;
        if (next == NULL)
            break;
        next->state = LRD_MESSAGE_READY;
        next->order = ++order;
    }
    for (message *m = model; m < model + MESSAGES; m++)
        if (m->used && m->queue == queue && m->state == LRD_MESSAGE_RESERVED && m->due <= now)
            m->state = LRD_MESSAGE_READY;
}

static message *first(uint32_t queue)
{
    message *best = NULL;
    settle(queue);
    for (message *m = model; m < model + MESSAGES; m++)
        if (m->used && m->queue == queue && m->state == LRD_MESSAGE_READY &&
            (best == NULL || m->priority > best->priority ||
             (m->priority == best->priority && m->order < best->order)))
            best = m;
    return best;
}

static void push(uint32_t queue, uint8_t a, uint8_t b)
{
    static char body[BODY_MAX];
    message *m = model;
    while (m < model + MESSAGES && m->used)
        m++;
    if (m == model + MESSAGES)
        return;
    lrd_push how = {.priority = a % 5 - 2, .delay_ms = a > 200 ? b : 0};
    m->size = (uint32_t)b * (a % 36) % BODY_MAX;
    int rc = lrd_queue_push(store, queues[queue], body, m->size, 3, &how, &m->id);
    CHECK(rc == LRD_OK || rc == LRD_ENOROOM);
    if (rc != LRD_OK)
        return;
    m->used = true;
    m->queue = queue;
    m->priority = how.priority;
    m->order = ++order;
    m->attempts = 0;
    m->state = how.delay_ms != 0 ? LRD_MESSAGE_DELAYED : LRD_MESSAGE_READY;
    m->due = now + how.delay_ms;
}

static void pop(uint32_t queue, uint8_t a)
{
    message *m = first(queue);
    lrd_message got;
    int rc = lrd_queue_pop(store, queues[queue], LRD_GET_BORROW, 0, a, &got);
    CHECK(rc == (m != NULL ? LRD_OK : LRD_MISS));
    if (m == NULL)
        return;
    m->attempts++;
    CHECK(got.id == m->id && got.value.size == m->size && got.priority == m->priority &&
          got.attempts == m->attempts);
    m->state = LRD_MESSAGE_RESERVED;
    m->due = a != 0 ? now + a : UINT64_MAX;
}

static void change(uint32_t queue, uint8_t op, uint8_t a, uint8_t b)
{
    message *m = &model[a % MESSAGES];
    uint64_t id = m->used ? m->id : (uint64_t)a << 24 | b;
    bool there = m->used && m->queue == queue, mine = there && m->state == LRD_MESSAGE_RESERVED;
    int rc;
    /* skip a message of another queue: a message of this queue may have the same id */
    if (m->used && !there)
        return;
    switch (op) {
    case 2:
        rc = lrd_queue_ack(store, queues[queue], id);
        m->used = m->used && !mine;
        break;
    case 3:
        rc = lrd_queue_release(store, queues[queue], id, b % 3 == 0 ? b : 0);
        if (mine) {
            m->state = b % 3 == 0 && b != 0 ? LRD_MESSAGE_DELAYED : LRD_MESSAGE_READY;
            m->due = now + b;
        }
        break;
    case 4:
        rc = lrd_queue_bury(store, queues[queue], id);
        if (mine) {
            m->state = LRD_MESSAGE_BURIED;
            m->order = ++order;
        }
        break;
    case 5:
        rc = lrd_queue_touch(store, queues[queue], id, b);
        if (mine)
            m->due = b != 0 ? now + b : UINT64_MAX;
        break;
    default:
        rc = lrd_queue_remove(store, queues[queue], id);
        mine = there;
        m->used = m->used && !there;
    }
    if (m->used || there)
        CHECK(rc == (mine ? LRD_OK : LRD_MISS));
}

static void kick(uint32_t queue, uint8_t most)
{
    uint64_t count, kicked = 0;
    settle(queue);
    CHECK(lrd_queue_kick(store, queues[queue], most, &count) == LRD_OK);
    for (; kicked < most; kicked++) {
        message *oldest = NULL;
        for (message *m = model; m < model + MESSAGES; m++)
            if (m->used && m->queue == queue && m->state == LRD_MESSAGE_BURIED &&
                (oldest == NULL || m->order < oldest->order))
                oldest = m;
        if (oldest == NULL)
            break;
        oldest->state = LRD_MESSAGE_READY;
        oldest->order = ++order;
    }
    CHECK(count == kicked);
}

static void drain(uint32_t queue)
{
    kick(queue, 255);
    now += 1000;
    lrd_thread_leave(store); /* this ends the reservations that have no time limit */
    for (message *m = model; m < model + MESSAGES; m++)
        if (m->used && m->state == LRD_MESSAGE_RESERVED)
            m->due = now;
    while (first(queue) != NULL) {
        message *m = first(queue);
        lrd_message got;
        CHECK(lrd_queue_pop(store, queues[queue], LRD_GET_BORROW, 0, 0, &got) == LRD_OK);
        CHECK(got.id == m->id);
        CHECK(lrd_queue_ack(store, queues[queue], got.id) == LRD_OK);
        m->used = false;
    }
    lrd_queue_stats stats;
    CHECK(lrd_queue_stats_get(store, queues[queue], &stats) == LRD_OK);
    CHECK(stats.ready + stats.reserved + stats.delayed + stats.buried + stats.bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (store == NULL)
        prepare();
    for (size_t i = 0; i + 3 < size; i += 4) {
        uint32_t queue = data[i] >> 7;
        uint8_t op = data[i] % 10, a = data[i + 1], b = data[i + 2];
        settle(queue);
        if (op == 0 || op == 9)
            push(queue, a, b);
        else if (op == 1)
            pop(queue, a);
        else if (op == 7)
            kick(queue, a % 4);
        else if (op == 8)
            now += b;
        else
            change(queue, op, a, b);
    }
    CHECK(lrd_fsck(store, report, NULL) == 0);
    drain(0);
    drain(1);
    CHECK(lrd_fsck(store, report, NULL) == 0);
    return 0;
}
