/* queue_test.c - what lrd_queue_*() promises: order and states of messages, waits, messages of dead
 * owners, full queues, and adopted files. */
#include "support.h"

#include "internal.h"

#include <pthread.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static lrd_queue open_queue(lrd_store *store, const char *name)
{
    lrd_queue queue;
    CHECK_OK(lrd_queue_open(store, name, strlen(name), 0, &queue));
    return queue;
}

static uint64_t push(lrd_store *store, lrd_queue queue, const char *text, lrd_push how)
{
    uint64_t id = 0;
    CHECK_OK(lrd_queue_push(store, queue, text, strlen(text), 7, &how, &id));
    CHECK(id != 0);
    return id;
}
#define PUSH(store, queue, text, ...) push(store, queue, text, (lrd_push){__VA_ARGS__})

static bool body_is(const lrd_message *m, const char *text)
{
    return m->value.size == strlen(text) && memcmp(m->value.data, text, strlen(text)) == 0;
}

/* Pop a message and check its text. The message stays reserved. */
static lrd_message pop(lrd_store *store, lrd_queue queue, const char *text)
{
    lrd_message m;
    CHECK_OK(lrd_queue_pop(store, queue, 0, 0, 0, &m));
    if (!body_is(&m, text))
        check_failed(__FILE__, __LINE__, "popped \"%.*s\", not \"%s\"", (int)m.value.size,
                     (const char *)m.value.data, text);
    CHECK_EQ(m.value.type, 7);
    CHECK_EQ(m.state, LRD_MESSAGE_RESERVED);
    CHECK_OK(lrd_release(store, &m.value));
    return m;
}

static void pop_ack(lrd_store *store, lrd_queue queue, const char *text)
{
    lrd_message m = pop(store, queue, text);
    CHECK_OK(lrd_queue_ack(store, queue, m.id));
    CHECK_CODE(lrd_queue_ack(store, queue, m.id), LRD_MISS);
}

static void pop_nothing(lrd_store *store, lrd_queue queue)
{
    lrd_message m;
    CHECK_CODE(lrd_queue_pop(store, queue, 0, 0, 0, &m), LRD_MISS);
    CHECK_EQ(m.value.kind, LRD_KIND_NONE);
}

static lrd_queue_stats stats(lrd_store *store, lrd_queue queue)
{
    lrd_queue_stats s;
    CHECK_OK(lrd_queue_stats_get(store, queue, &s));
    return s;
}

/* Check that the store has no other live bytes than those of its queues. */
static void check_bytes(lrd_store *store)
{
    const char *name;
    size_t name_len;
    uint64_t bytes = 0, all = 0;
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    for (lrd_queue q = 0; lrd_queue_name(store, q, &name, &name_len) == LRD_OK; q++) {
        lrd_queue_stats s = stats(store, q);
        all += s.bytes;
        bytes += s.bytes - (s.ready + s.reserved + s.delayed + s.buried) * sizeof(lrd__message);
    }
    CHECK_EQ(allocated_bytes(store), bytes);
    CHECK_EQ(stats_of(store).live_bytes, all);
    CHECK_FSCK(store);
}

static void close_checked(lrd_store *store)
{
    check_bytes(store);
    lrd_close(store);
}

static uint64_t age_clock_ms = 1000000;
static uint64_t age_clock(void *arg)
{
    (void)arg;
    return age_clock_ms;
}

static void the_oldest_ready_message_has_an_age_whatever_its_priority(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    store->clock_ms = age_clock;
    lrd_queue q = open_queue(store, "work");
    lrd_message m;
    CHECK_EQ(stats(store, q).oldest_ms, 0);
    PUSH(store, q, "low", .priority = -1);
    age_clock_ms += 5000;
    PUSH(store, q, "delayed", .delay_ms = 60000);
    PUSH(store, q, "high", .priority = 1);
    age_clock_ms += 2000;
    CHECK_EQ(stats(store, q).oldest_ms, 7000);
    CHECK_OK(lrd_queue_pop(store, q, 0, 0, 0, &m)); /* this is the message "high" */
    CHECK_EQ(stats(store, q).oldest_ms, 7000);
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    m = pop(store, q, "low");
    CHECK_EQ(stats(store, q).oldest_ms, 0);
    CHECK_OK(lrd_queue_release(store, q, m.id, 0));
    age_clock_ms += 1000;
    CHECK_EQ(stats(store, q).oldest_ms, 8000);
    age_clock_ms += 59000;
    m = pop(store, q, "delayed");
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    m = pop(store, q, "low");
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    CHECK_EQ(stats(store, q).oldest_ms, 0);
    close_checked(store);
}

/* While a message is delayed or buried, it does not count as waiting. When it becomes ready, it
 * comes after the messages that are ready already. */
static void a_message_has_waited_since_its_delay_ended_or_it_was_kicked(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    store->clock_ms = age_clock;
    lrd_queue q = open_queue(store, "work");
    uint64_t kicked;
    PUSH(store, q, "delayed", .delay_ms = 3600000);
    PUSH(store, q, "buried");
    lrd_message m = pop(store, q, "buried");
    CHECK_OK(lrd_queue_bury(store, q, m.id));
    age_clock_ms += 3590000;
    PUSH(store, q, "new");
    age_clock_ms += 20000;
    CHECK_EQ(stats(store, q).oldest_ms, 20000);
    m = pop(store, q, "new");
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    CHECK_EQ(stats(store, q).oldest_ms, 10000);
    m = pop(store, q, "delayed");
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    CHECK_OK(lrd_queue_kick(store, q, 1, &kicked));
    CHECK_EQ(kicked, 1);
    age_clock_ms += 3000;
    CHECK_EQ(stats(store, q).oldest_ms, 3000);
    m = pop(store, q, "buried");
    CHECK_OK(lrd_queue_release(store, q, m.id, 0));
    age_clock_ms += 1000;
    /* a released message has its old place again, so it has waited for 4 s */
    CHECK_EQ(stats(store, q).oldest_ms, 4000);
    m = pop(store, q, "buried");
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    close_checked(store);
}

static void priority_goes_before_age(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "a");
    PUSH(store, q, "low", .priority = -2000000000);
    PUSH(store, q, "b");
    PUSH(store, q, "urgent", .priority = INT32_MAX);
    PUSH(store, q, "high", .priority = 1);
    PUSH(store, q, "c");
    CHECK_EQ(stats(store, q).ready, 6);
    CHECK_FSCK(store);
    lrd_message m = pop(store, q, "urgent");
    CHECK_EQ(m.priority, INT32_MAX);
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    pop_ack(store, q, "high");
    pop_ack(store, q, "a");
    pop_ack(store, q, "b");
    pop_ack(store, q, "c");
    pop_ack(store, q, "low");
    pop_nothing(store, q);
    lrd_queue_stats s = stats(store, q);
    CHECK_EQ(s.pushed, 6);
    CHECK_EQ(s.acked, 6);
    CHECK_EQ(s.bytes, 0);
    close_checked(store);
}

static void any_order_of_priorities_comes_out_sorted(void **state)
{
    (void)state;
    uint64_t chance = test_seed(18);
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    struct {
        int32_t priority;
        uint32_t number;
    } body, last = {INT32_MAX, 0};
    for (uint32_t i = 0; i < 5000; i++) {
        body.priority = (int32_t)random_below(&chance, 20) - 10;
        body.number = i;
        lrd_push how = {.priority = body.priority};
        CHECK_OK(lrd_queue_push(store, q, &body, sizeof body, 0, &how, NULL));
    }
    CHECK_FSCK(store);
    for (uint32_t i = 0; i < 5000; i++) {
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m));
        memcpy(&body, m.value.data, sizeof body);
        CHECK(body.priority < last.priority ||
              (body.priority == last.priority && (body.number > last.number || i == 0)));
        last.priority = body.priority;
        last.number = body.number;
        if (i % 3 != 0)
            CHECK_OK(lrd_queue_ack(store, q, m.id));
        if (i % 500 == 0)
            CHECK_FSCK(store);
    }
    close_checked(store);
}

static void what_comes_back_keeps_its_place(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "a");
    PUSH(store, q, "b");
    PUSH(store, q, "c");
    lrd_message a = pop(store, q, "a"), b = pop(store, q, "b");
    CHECK_EQ(a.attempts, 1);
    CHECK_OK(lrd_queue_release(store, q, b.id, 0));
    CHECK_OK(lrd_queue_release(store, q, a.id, 0));
    CHECK_CODE(lrd_queue_release(store, q, a.id, 0), LRD_MISS);
    CHECK_EQ(pop(store, q, "a").attempts, 2);
    CHECK_EQ(pop(store, q, "b").attempts, 2);
    CHECK_EQ(pop(store, q, "c").attempts, 1);
    CHECK_EQ(stats(store, q).redelivered, 2);
    CHECK_EQ(stats(store, q).reserved, 3);
    close_checked(store);
}

static void delays_ttl_and_time_to_run(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
    lrd_queue q = open_queue(store, "work");
    lrd_message m;
    PUSH(store, q, "later", .delay_ms = 1000);
    PUSH(store, q, "sooner", .delay_ms = 500, .priority = -1);
    PUSH(store, q, "short", .ttl_ms = 100);
    PUSH(store, q, "dies delayed", .delay_ms = 100, .ttl_ms = 50);
    CHECK_EQ(stats(store, q).delayed, 3);
    atomic_fetch_add(clock, 150);
    pop_nothing(store, q);
    CHECK_EQ(stats(store, q).expired, 2);
    atomic_fetch_add(clock, 349);
    pop_nothing(store, q);
    atomic_fetch_add(clock, 1);
    pop_ack(store, q, "sooner");
    atomic_fetch_add(clock, 500);
    CHECK_OK(lrd_queue_pop(store, q, 0, 0, 200, &m));
    CHECK(body_is(&m, "later"));
    atomic_fetch_add(clock, 150);
    CHECK_OK(lrd_queue_touch(store, q, m.id, 200));
    atomic_fetch_add(clock, 199);
    pop_nothing(store, q);
    atomic_fetch_add(clock, 1);
    /* The time to run is over, so this thread can pop its message again. */
    lrd_message again = pop(store, q, "later");
    CHECK_EQ(again.attempts, 2);
    CHECK_EQ(again.id, m.id);
    CHECK_EQ(stats(store, q).returned, 1);
    CHECK_OK(lrd_queue_release(store, q, m.id, 300));
    CHECK_EQ(stats(store, q).delayed, 1);
    atomic_fetch_add(clock, 300);
    pop_ack(store, q, "later");
    PUSH(store, q, "held", .ttl_ms = 100);
    m = pop(store, q, "held");
    atomic_fetch_add(clock, 200);
    CHECK_EQ(stats(store, q).reserved, 1);
    lrd_message seen;
    CHECK_OK(lrd_queue_peek(store, q, m.id, LRD_GET_BORROW, &seen));
    CHECK_OK(lrd_queue_release(store, q, m.id, 0));
    CHECK_CODE(lrd_queue_peek(store, q, m.id, LRD_GET_BORROW, &seen), LRD_MISS);
    pop_nothing(store, q);
    close_checked(store);
}

/* Messages become due in a queue that no process uses. The next call must put them into the order
 * in which they became due. */
static void what_was_due_before_goes_before(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
    lrd_queue q = open_queue(store, "work");
    lrd_reservation open;
    uint64_t count;
    PUSH(store, q, "late", .delay_ms = 1000);
    PUSH(store, q, "b", .delay_ms = 80);
    PUSH(store, q, "a", .delay_ms = 20);
    atomic_fetch_add(clock, 80);
    PUSH(store, q, "c");
    PUSH(store, q, "d", .delay_ms = 20);
    CHECK_OK(lrd_queue_reserve(store, q, 1, 7, NULL, &open));
    *(char *)open.build = 'e';
    atomic_fetch_add(clock, 20);
    CHECK_OK(lrd_queue_publish(store, q, &open, NULL, NULL));
    static const char *const order[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        pop_ack(store, q, order[i]);
    lrd_message e = pop(store, q, "e");
    CHECK_OK(lrd_queue_bury(store, q, e.id));
    PUSH(store, q, "f", .delay_ms = 20);
    atomic_fetch_add(clock, 20);
    CHECK_OK(lrd_queue_kick(store, q, 1, &count));
    pop_ack(store, q, "f");
    pop_ack(store, q, "e");
    pop_nothing(store, q);
    atomic_fetch_add(clock, 1000);
    pop_ack(store, q, "late");
    close_checked(store);
}

static void buried_until_kicked(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    static const char *const letters[] = {"a", "b", "c", "d", "e"};
    uint64_t count;
    for (int i = 0; i < 5; i++)
        PUSH(store, q, letters[i]);
    for (int i = 0; i < 4; i++) {
        lrd_message m = pop(store, q, letters[i]);
        CHECK_OK(lrd_queue_bury(store, q, m.id));
        CHECK_CODE(lrd_queue_ack(store, q, m.id), LRD_MISS);
    }
    CHECK_EQ(stats(store, q).buried, 4);
    CHECK_OK(lrd_queue_kick(store, q, 2, &count));
    CHECK_EQ(count, 2);
    pop_ack(store, q, "e");
    pop_ack(store, q, "a");
    pop_ack(store, q, "b");
    pop_nothing(store, q);
    CHECK_OK(lrd_queue_kick(store, q, 100, &count));
    CHECK_EQ(count, 2);
    pop_ack(store, q, "c");
    PUSH(store, q, "x");
    PUSH(store, q, "y", .delay_ms = 100000);
    lrd_message d = pop(store, q, "d");
    CHECK_OK(lrd_queue_clear(store, q, false, &count));
    CHECK_EQ(count, 2);
    CHECK_EQ(stats(store, q).removed, 2);
    CHECK_OK(lrd_queue_ack(store, q, d.id));
    close_checked(store);
}

static void a_clear_of_reserved_messages_ends_them(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work"), other = open_queue(store, "other");
    uint64_t count;
    PUSH(store, q, "held", .priority = 1);
    PUSH(store, q, "borrowed");
    PUSH(store, other, "stays");
    lrd_message held = pop(store, q, "held"), borrowed, m;
    CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &borrowed));
    for (int i = 0; i < 1500; i++) { /* lrd_queue_clear() unlocks after each 1000 messages */
        PUSH(store, q, "many");
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_NO_COPY, 0, 0, &m));
    }
    PUSH(store, q, "ready");
    PUSH(store, q, "delayed", .delay_ms = 100000);
    CHECK_OK(lrd_queue_clear(store, q, true, &count));
    CHECK_EQ(count, 1504);
    lrd_queue_stats now = stats(store, q);
    CHECK_EQ(now.ready + now.reserved + now.delayed + now.buried, 0);
    CHECK_EQ(now.bytes, 0);
    CHECK_EQ(now.removed, 1504);
    CHECK_EQ(stats(store, other).ready, 1);
    CHECK(body_is(&held, "held"));
    CHECK(body_is(&borrowed, "borrowed"));
    /* the new message has the row of a cleared message, and a new id */
    PUSH(store, q, "new");
    CHECK_CODE(lrd_queue_ack(store, q, held.id), LRD_MISS);
    CHECK_CODE(lrd_queue_release(store, q, borrowed.id, 0), LRD_MISS);
    CHECK_CODE(lrd_queue_bury(store, q, m.id), LRD_MISS);
    CHECK_CODE(lrd_queue_touch(store, q, held.id, 5), LRD_MISS);
    /* Leaving the store makes all messages ready that this thread has reserved. None may be
     * left. */
    lrd_thread_leave(store);
    pop_ack(store, q, "new");
    pop_nothing(store, q);
    close_checked(store);
}

static void each_removal_counts_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    for (unsigned i = 1; i < 4; i++) {
        CHECK_OK(lrd_queue_remove(store, q, PUSH(store, q, "a")));
        CHECK_EQ(stats(store, q).removed, i);
    }
    close_checked(store);
}

static void rows_are_mapped_many_at_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    CHECK_EQ(atomic_load(&store->rows_mapped[0]), 0);
    PUSH(store, q, "a");
    CHECK_EQ(atomic_load(&store->rows_mapped[0]), store->queue_shards[0].high);
    CHECK(store->queue_shards[0].high > 0);
    close_checked(store);
}

static void a_large_body_is_built_where_it_is_read(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 16 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    static const size_t sizes[] = {100, 100000, 3 * MIB};
    for (unsigned i = 0; i < 3; i++) {
        lrd_reservation r;
        CHECK_OK(lrd_queue_reserve(store, q, sizes[i], 7, NULL, &r));
        memset(r.build, 'a' + (int)i, sizes[i]);
        CHECK_EQ(((const char *)r.data)[0], 'a' + (int)i);
        CHECK_EQ(((const char *)r.data)[sizes[i] - 1], 'a' + (int)i);
        CHECK_OK(lrd_queue_publish(store, q, &r, NULL, NULL));
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, 0, 0, 0, &m));
        CHECK_EQ(m.value.size, sizes[i]);
        CHECK_EQ(((const char *)m.value.data)[sizes[i] - 1], 'a' + (int)i);
        CHECK_OK(lrd_release(store, &m.value));
        CHECK_OK(lrd_queue_ack(store, q, m.id));
    }
    close_checked(store);
}

static void after_a_death_each_flag_of_a_sleeper_is_set(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "a");
    lrd__queue *queue = store->queues + q;
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    CHECK_EQ(queue->sleepers, 0);
    CHECK_EQ(queue->pushers, 0);
    uint32_t sleeps = queue->sleeps;
    lrd__queue_mend(store, 0);
    CHECK_EQ(queue->sleepers, 1);
    CHECK_EQ(queue->pushers, 1);
    CHECK_EQ(queue->sleeps, sleeps + 1);
    lrd__shard_unlock(store, 0);
    pop_ack(store, q, "a");
    close_checked(store);
}

typedef struct opening {
    lrd_store *store;
    uint64_t capacity;
} opening;

static void *open_the_known_queue(void *arg)
{
    opening *o = arg;
    lrd_queue q;
    CHECK_OK(lrd_queue_open(o->store, "work", 4, o->capacity, &q));
    CHECK(lrd__threads[o->store->id] == NULL);
    return NULL;
}

static void who_opens_a_known_queue_needs_no_slot(void **state)
{
    (void)state;
    opening o = {.store = store_new(LRD_QUEUE, 4 * MIB, 1)};
    lrd_queue q;
    CHECK_OK(lrd_queue_open(o.store, "work", 4, 5, &q));
    for (o.capacity = 0; o.capacity < 6; o.capacity += 5) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, open_the_known_queue, &o), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    CHECK_EQ(stats(o.store, q).capacity, 5);
    close_checked(o.store);
}

typedef struct crowd {
    lrd_store *store;
    lrd_queue queue;
    pthread_barrier_t here, over;
} crowd;

static void *reserve_and_stay(void *arg)
{
    crowd *c = arg;
    lrd_message m;
    CHECK_OK(lrd_queue_pop(c->store, c->queue, 0, 0, 0, &m));
    CHECK_OK(lrd_release(c->store, &m.value));
    pthread_barrier_wait(&c->here);
    pthread_barrier_wait(&c->over);
    return NULL;
}

/* The search for dead owners needs one bit for each slot. The bits of 150 owners fill more than one
 * word. */
static void each_of_many_owners_keeps_its_message(void **state)
{
    (void)state;
    enum { OWNERS = 150 };
    pthread_t threads[OWNERS];
    crowd c;
    lrd_options options = {.policy = LRD_QUEUE, .size = 4 * MIB, .shards = 1, .slots = 256};
    CHECK_OK(lrd_open(&options, &c.store));
    c.queue = open_queue(c.store, "work");
    CHECK_EQ(pthread_barrier_init(&c.here, NULL, OWNERS + 1), 0);
    CHECK_EQ(pthread_barrier_init(&c.over, NULL, OWNERS + 1), 0);
    for (unsigned i = 0; i < OWNERS; i++) {
        PUSH(c.store, c.queue, "a");
        CHECK_EQ(pthread_create(&threads[i], NULL, reserve_and_stay, &c), 0);
    }
    pthread_barrier_wait(&c.here);
    for (unsigned i = 0; i < 3; i++) {
        pop_nothing(c.store, c.queue);
        CHECK_EQ(stats(c.store, c.queue).reserved, OWNERS);
        CHECK_EQ(stats(c.store, c.queue).returned, 0);
    }
    pthread_barrier_wait(&c.over);
    for (unsigned i = 0; i < OWNERS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    pop_ack(c.store, c.queue, "a"); /* the message is ready again, because its owner has ended */
    close_checked(c.store);
}

static void looking_changes_nothing(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work"), other = open_queue(store, "other");
    lrd_message m;
    uint64_t a = PUSH(store, q, "a"), cursor = 0;
    uint64_t b = PUSH(store, q, "b", .delay_ms = 100000, .priority = 3);
    PUSH(store, other, "not this");
    CHECK_OK(lrd_queue_peek(store, q, 0, 0, &m));
    CHECK(body_is(&m, "a"));
    CHECK_EQ(m.id, a);
    CHECK_EQ(m.attempts, 0);
    CHECK_EQ(m.state, LRD_MESSAGE_READY);
    CHECK_CODE(lrd_queue_ack(store, q, m.id), LRD_MISS);
    CHECK_OK(lrd_queue_peek(store, q, b, 0, &m));
    CHECK_EQ(m.state, LRD_MESSAGE_DELAYED);
    CHECK_EQ(m.priority, 3);
    CHECK_CODE(lrd_queue_peek(store, q, a + 77, 0, &m), LRD_MISS);
    CHECK_CODE(lrd_queue_peek(store, other, a, 0, &m),
               store->queues[q].shard == store->queues[other].shard ? LRD_MISS : LRD_OK);
    int seen = 0;
    while (lrd_queue_next(store, q, &cursor, LRD_GET_BORROW, &m) == LRD_OK)
        seen += body_is(&m, "a") + 10 * body_is(&m, "b");
    CHECK_EQ(seen, 11);
    CHECK_OK(lrd_queue_remove(store, q, b));
    CHECK_CODE(lrd_queue_remove(store, q, b), LRD_MISS);
    pop_ack(store, q, "a");
    close_checked(store);
}

static void ids_are_never_given_twice(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    uint64_t first = PUSH(store, q, "a"), last = first;
    for (int i = 0; i < 1000; i++) {
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m));
        CHECK_EQ(m.id, last);
        CHECK_OK(lrd_queue_ack(store, q, m.id));
        uint64_t id = PUSH(store, q, "a");
        CHECK(id > last); /* the row is reused, with another generation */
        last = id;
    }
    CHECK_CODE(lrd_queue_peek(store, q, first, LRD_GET_BORROW, &(lrd_message){.id = 0}), LRD_MISS);
    close_checked(store);
}

static void bodies_are_not_copied_and_outlive_their_message(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 8 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    size_t size = MIB;
    lrd_reservation reservation;
    lrd_message m;
    CHECK_OK(lrd_queue_reserve(store, q, size, 9, NULL, &reservation));
    memset(reservation.build, 'x', size);
    uint64_t id;
    CHECK_OK(lrd_queue_publish(store, q, &reservation, NULL, &id));
    CHECK_OK(lrd_queue_pop(store, q, 0, 0, 0, &m));
    CHECK_EQ(m.id, id);
    CHECK_EQ(m.value.kind, LRD_KIND_HELD);
    CHECK_EQ(m.value.size, size);
    CHECK(lrd_contains(store, m.value.data));
    CHECK_OK(lrd_queue_ack(store, q, id));
    for (int i = 0; i < 40; i++) {
        CHECK_OK(lrd_queue_reserve(store, q, size, 9, NULL, &reservation));
        memset(reservation.build, 'y', size);
        CHECK_OK(lrd_queue_publish(store, q, &reservation, NULL, NULL));
        lrd_message other;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &other));
        CHECK_OK(lrd_queue_ack(store, q, other.id));
    }
    const char *bytes = m.value.data;
    CHECK(bytes[0] == 'x' && bytes[size / 2] == 'x' && bytes[size - 1] == 'x');
    CHECK_OK(lrd_release(store, &m.value));
    CHECK_OK(lrd_queue_reserve(store, q, size, 9, NULL, &reservation));
    CHECK_OK(lrd_abort(store, &reservation));
    /* the request ends while this reservation is open */
    CHECK_OK(lrd_queue_reserve(store, q, size, 9, NULL, &reservation));
    CHECK_OK(lrd_request_end(store));
    close_checked(store);
}

typedef struct helper {
    lrd_store *store;
    lrd_queue queue;
    gate ready, go;
    _Atomic uint32_t count, doomed;
    uint32_t limit;
    uint64_t wait_ms, id;
} helper;

static helper *helper_new(lrd_store *store, lrd_queue queue)
{
    helper *h = shared_memory(sizeof *h);
    h->store = store;
    h->queue = queue;
    return h;
}

static void remove_in_vain(void *arg)
{
    const helper *h = arg;
    CHECK_CODE(lrd_queue_remove(h->store, h->queue, h->id), LRD_MISS);
}

static void time_to_run_ends_by_itself(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
    lrd_queue q = open_queue(store, "work");
    static int (*const calls[])(lrd_store *, lrd_queue, uint64_t) = {lrd_queue_ack, lrd_queue_bury};
    lrd_message m;
    PUSH(store, q, "a");
    for (int i = 0; i < 4; i++) {
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 200, &m));
        CHECK_EQ(m.attempts, i + 1);
        atomic_fetch_add(clock, 199);
        CHECK_OK(lrd_queue_touch(store, q, m.id, 200));
        atomic_fetch_add(clock, 200);
        CHECK_CODE(i < 2    ? calls[i](store, q, m.id)
                   : i == 2 ? lrd_queue_touch(store, q, m.id, 200)
                            : lrd_queue_release(store, q, m.id, 1000),
                   LRD_MISS);
        CHECK_FSCK(store);
        CHECK_EQ(stats(store, q).returned, i + 1);
        CHECK_EQ(stats(store, q).ready, 1);
    }
    CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 200, &m));
    helper *h = helper_new(store, q);
    h->id = m.id;
    atomic_fetch_add(clock, 199);
    CHECK_CHILD(run_in_child(remove_in_vain, h));
    atomic_fetch_add(clock, 1);
    CHECK_OK(lrd_queue_remove(store, q, m.id));
    close_checked(store);
}

static void what_is_free_is_counted_without_messages(void **state)
{
    (void)state;
    static char body[64 << 10];
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 4);
    int rc = LRD_OK;
    bool searched = false;
    /* Each queue may use a share of the memory that the queues before it have left. */
    for (char name[8] = "a"; name[0] <= 'h'; name[0]++) {
        lrd_queue q = open_queue(store, name);
        while ((rc = lrd_queue_push(store, q, body, sizeof body, 0, NULL, NULL)) == LRD_OK)
            ;
        CHECK_EQ(rc, LRD_ENOROOM);
        searched = searched || strstr(lrd_error_detail(), "bytes wanted") != NULL;
        CHECK(strstr(lrd_error_detail(), "4194304 of 4194304 are free") == NULL);
    }
    CHECK(searched);
    close_checked(store);
}

static void a_full_queue_leaves_room_for_others(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 4);
    lrd_queue q = open_queue(store, "much"), other = open_queue(store, "other");
    char body[1000] = "x";
    uint64_t pushed = 0;
    int rc;
    while ((rc = lrd_queue_push(store, q, body, sizeof body, 0, NULL, NULL)) == LRD_OK)
        pushed++;
    CHECK_EQ(rc, LRD_ENOROOM);
    CHECK(pushed > 4 * MIB / sizeof body / 2);
    CHECK_EQ(stats(store, q).refused, 1);
    for (int i = 0; i < 200; i++)
        CHECK_OK(lrd_queue_push(store, other, body, sizeof body, 0, NULL, NULL));
    CHECK_FSCK(store);
    for (uint64_t i = 0; i < pushed; i++) {
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m));
        CHECK_OK(lrd_queue_ack(store, q, m.id));
        CHECK_OK(lrd_queue_push(store, other, body, 10, 0, NULL, NULL));
    }
    lrd_queue small;
    CHECK_OK(lrd_queue_open(store, "small", 5, 3, &small));
    for (int i = 0; i < 3; i++)
        PUSH(store, small, "x");
    CHECK_CODE(lrd_queue_push(store, small, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(stats(store, small).capacity, 3);
    pop_ack(store, small, "x");
    PUSH(store, small, "x");
    close_checked(store);
}

/* Push two messages in the state `wanted`. The first one expires in 100 ms. Returns the id of the
 * first one. */
static uint64_t two_of_a_state(lrd_store *store, lrd_queue q, lrd_message_state wanted)
{
    uint64_t ids[2], delay = wanted == LRD_MESSAGE_DELAYED ? 10000 : 0;
    ids[0] = PUSH(store, q, "short", .ttl_ms = 100, .delay_ms = delay);
    ids[1] = PUSH(store, q, "stays", .delay_ms = delay);
    for (int i = 0; i < 2 && wanted == LRD_MESSAGE_BURIED; i++) {
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m));
        CHECK_OK(lrd_queue_bury(store, q, m.id));
    }
    return ids[0];
}

static void what_expired_is_in_no_count(void **state)
{
    (void)state;
    static const lrd_message_state states[] = {LRD_MESSAGE_READY, LRD_MESSAGE_DELAYED,
                                               LRD_MESSAGE_BURIED};
    for (int way = 0; way < 4; way++) {
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            test_clock *clock = clock_new();
            lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
            lrd_queue q = open_queue(store, "work");
            uint64_t count = 77, id = two_of_a_state(store, q, states[i]);
            atomic_fetch_add(clock, 150);
            if (way == 0)
                CHECK_CODE(lrd_queue_remove(store, q, id), LRD_MISS);
            if (way == 1) {
                CHECK_OK(lrd_queue_kick(store, q, 10, &count));
                CHECK_EQ(count, states[i] == LRD_MESSAGE_BURIED ? 1 : 0);
            }
            if (way == 2) {
                CHECK_OK(lrd_queue_clear(store, q, false, &count));
                CHECK_EQ(count, 1);
            }
            lrd_queue_stats now = stats(store, q);
            CHECK_EQ(now.ready + now.delayed + now.buried, way == 2 ? 0 : 1);
            CHECK_EQ(now.expired, 1);
            CHECK_EQ(now.removed, way == 2 ? 1 : 0);
            close_checked(store);
        }
    }
}

static void what_expired_makes_room(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 2 * MIB, 1, clock);
    lrd_queue q = open_queue(store, "work");
    char body[1000] = "x";
    lrd_push how = {.ttl_ms = 100};
    PUSH(store, q, "first in line, and stays", .priority = 9);
    while (lrd_queue_push(store, q, body, sizeof body, 0, &how, NULL) == LRD_OK)
        continue;
    atomic_fetch_add(clock, 200);
    for (int i = 0; i < 100; i++)
        CHECK_OK(lrd_queue_push(store, q, body, sizeof body, 0, &how, NULL));
    CHECK(stats(store, q).expired > 0);
    close_checked(store);
}

/* The expired messages of the full queue come after thousands of others. The push must search until
 * it finds them. */
static void a_push_searches_until_it_finds_what_expired(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 1, clock);
    lrd_queue q;
    CHECK_OK(lrd_queue_open(store, "work", 4, 5000, &q));
    for (int i = 0; i < 4000; i++)
        PUSH(store, q, "stays");
    for (int i = 0; i < 1000; i++)
        PUSH(store, q, "goes", .ttl_ms = 100);
    CHECK_CODE(lrd_queue_push(store, q, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    atomic_fetch_add(clock, 200);
    for (int i = 0; i < 1000; i++)
        PUSH(store, q, "new");
    CHECK_CODE(lrd_queue_push(store, q, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(stats(store, q).expired, 1000);
    close_checked(store);
}

/* Pretend that the machine slept for 100 s, which the release with a delay of 50 s does not notice.
 * The pop must notice it, and get the message. */
static void delays_go_on_in_suspend(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 2 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "delayed");
    lrd_message m = pop(store, q, "delayed");
    atomic_fetch_sub(&store->header->clock_offset, 100000);
    CHECK_OK(lrd_queue_release(store, q, m.id, 50000));
    pop_ack(store, q, "delayed");
    close_checked(store);
}

/* Counts the work that is done while a shard is locked:
 * - `now` and `looks`: the numbers of changed and of examined messages since the last lock
 * - `most` and `most_looks`: the largest numbers for one lock
 * - `all_looks`: the number of examined messages for all locks */
typedef struct lock_work {
    uint32_t now, most, looks, most_looks, all_looks;
} lock_work;

static void count_lock_work(const char *name, void *arg)
{
    lock_work *work = arg;
    if (strcmp(name, "lock_taken") == 0)
        work->now = work->looks = 0;
    bool looks = strcmp(name, "queue_looks") == 0 || strcmp(name, "queue_lists") == 0;
    work->looks += looks;
    work->all_looks += looks;
    work->most_looks = work->looks > work->most_looks ? work->looks : work->most_looks;
    work->now += strcmp(name, "queue_changed") == 0 || strcmp(name, "queue_dropped") == 0;
    work->most = work->now > work->most ? work->now : work->most;
}

static void reserve_all(void *arg)
{
    lrd_store *store = arg;
    lrd_message m;
    while (lrd_queue_pop(store, 0, LRD_GET_BORROW, 0, 0, &m) == LRD_OK)
        continue;
}

/* Many messages become due, expire or lose their owner at once. Other processes must be able to get
 * the lock between batches. */
static void what_time_brings_is_done_in_batches(void **state)
{
    (void)state;
    enum { MESSAGES = 5 * LRD__QUEUE_BATCH };
    static const lrd_push kinds[] = {{.delay_ms = 100}, {.ttl_ms = 100}, {.delay_ms = 0}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        test_clock *clock = clock_new();
        lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 1, clock);
        lrd_queue q = open_queue(store, "work");
        lock_work work = {0};
        lrd_message m;
        bool expired = kinds[kind].ttl_ms != 0;
        for (int i = 0; i < MESSAGES; i++)
            push(store, q, "body", kinds[kind]);
        if (kind == 2)
            CHECK_CHILD(run_in_child(reserve_all, store));
        *clock += 1000;
        failpoint_hook(count_lock_work, &work);
        CHECK_CODE(lrd_queue_peek(store, q, 0, LRD_GET_BORROW, &m), expired ? LRD_MISS : LRD_OK);
        CHECK_EQ(stats(store, q).ready, expired ? 0 : MESSAGES);
        for (int i = 0; i < MESSAGES; i++)
            CHECK_CODE(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m),
                       expired ? LRD_MISS : LRD_OK);
        pop_nothing(store, q);
        failpoint_hook(NULL, NULL);
        CHECK(work.most != 0 && work.most <= LRD__QUEUE_BATCH + 1);
        close_checked(store);
    }
}

static void a_push_lets_many_go_before_in_batches(void **state)
{
    (void)state;
    enum { MESSAGES = 3 * LRD__QUEUE_BATCH };
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 1, clock);
    lrd_queue q = open_queue(store, "work");
    lock_work work = {0};
    for (int i = 0; i < MESSAGES; i++)
        PUSH(store, q, "due", .delay_ms = 100);
    *clock += 100;
    failpoint_hook(count_lock_work, &work);
    PUSH(store, q, "pushed");
    failpoint_hook(NULL, NULL);
    CHECK_EQ(work.most, LRD__QUEUE_BATCH);
    for (int i = 0; i < MESSAGES; i++)
        pop_ack(store, q, "due");
    pop_ack(store, q, "pushed");
    close_checked(store);
}

/* Call fn and count the messages that it looks at. Their number must be from `least` to `most`.
 * Each time that fn takes the lock, it may look at two batches at most. */
static void check_looks(void (*fn)(lrd_store *, lrd_queue), lrd_store *store, lrd_queue q,
                        uint32_t least, uint32_t most)
{
    lock_work work = {0};
    failpoint_hook(count_lock_work, &work);
    fn(store, q);
    failpoint_hook(NULL, NULL);
    CHECK(work.most_looks <= 2 * LRD__QUEUE_BATCH);
    CHECK(work.all_looks >= least && work.all_looks <= most);
}

static void look_at_stats(lrd_store *store, lrd_queue q) { (void)stats(store, q); }

static void list_nothing(lrd_store *store, lrd_queue q)
{
    uint64_t cursor = 0;
    lrd_message m;
    CHECK_CODE(lrd_queue_next(store, q, &cursor, LRD_GET_BORROW, &m), LRD_END);
}

enum { MANY = 5 * LRD__QUEUE_BATCH };

static lrd_queue reserve_many(lrd_store *store, uint64_t *last)
{
    lrd_message m;
    lrd_queue q = open_queue(store, "work");
    for (int i = 0; i < MANY; i++)
        PUSH(store, q, "body");
    for (int i = 0; i < MANY; i++)
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, i % 3 ? 0 : 1000000, &m));
    *last = PUSH(store, q, "last");
    return q;
}

static void pop_one(void *arg)
{
    lrd_message m;
    CHECK_OK(lrd_queue_pop(arg, 0, LRD_GET_BORROW, 0, 0, &m));
}

/* The due messages use up the first batch under the lock, so a dead owner's message becomes ready
 * in the second batch. */
static void a_batch_that_is_used_up_leaves_dead_owners_to_the_next(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 1, clock);
    lrd_queue q = open_queue(store, "work");
    lrd__queue *queue = store->queues + q;
    lrd__look look = {.at_once = true};
    lrd__wake wake = {0};
    PUSH(store, q, "of the dead");
    CHECK_CHILD(run_in_child(pop_one, store));
    for (unsigned i = 0; i < LRD__QUEUE_BATCH; i++)
        PUSH(store, q, "due", .delay_ms = 100);
    *clock += 100;
    lrd__thread *self = lrd__threads[store->id];
    CHECK_OK(lrd__shard_lock(store, self, queue->shard));
    CHECK(lrd__queue_refresh(store, self, queue, *clock, &look, &wake));
    CHECK_EQ(queue->tree[LRD__MESSAGE_DELAYED - 1].count, 0);
    CHECK_EQ(queue->tree[LRD__MESSAGE_RESERVED - 1].count, 1);
    CHECK_EQ(queue->looked, 0);
    CHECK(!lrd__queue_refresh(store, self, queue, *clock, &look, &wake));
    CHECK_EQ(queue->tree[LRD__MESSAGE_RESERVED - 1].count, 0);
    CHECK_EQ(queue->looked, *clock);
    lrd__shard_unlock(store, queue->shard);
    close_checked(store);
}

/* This thread has reserved many messages. A child pops the last message and exits. The message must
 * become ready without a search of all messages. If `late` is true, a search of all messages is
 * due: the child begins this search, and this thread must complete it and then search once more. */
static void look_in_parts(bool late)
{
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 8 * MIB, 1, clock);
    uint64_t last;
    lrd_queue q = reserve_many(store, &last), other = open_queue(store, "other");
    lrd_message m;
    const uint32_t again = late ? MANY + 1 : 0;
    CHECK_CHILD(run_in_child(pop_one, store));
    CHECK_OK(lrd_queue_peek(store, q, last, LRD_GET_BORROW, &m));
    CHECK_EQ(m.state, LRD_MESSAGE_READY);
    check_looks(pop_nothing, store, other, 0, 0);
    for (int i = 0; i < 3; i++) {
        *clock += late ? LRD__QUEUE_LOOK_MS : 0;
        CHECK_CHILD(run_in_child(pop_one, store));
        CHECK_EQ(pop(store, q, "last").attempts, 2u * (unsigned)i + 3);
        check_looks(pop_nothing, store, q, again, again);
        check_looks(pop_nothing, store, q, 0, 0);
        check_looks(look_at_stats, store, q, 0, 0);
        CHECK_OK(lrd_queue_release(store, q, last, 0));
    }
    CHECK_CHILD(run_in_child(pop_one, store));
    check_looks(look_at_stats, store, q, MANY, 2 * MANY + 2);
    CHECK_EQ(stats(store, q).ready, 1);
    CHECK_EQ(stats(store, q).returned, 5);
    check_looks(list_nothing, store, other, MANY + 1, MANY + 1);
    lrd_thread_leave(store);
    CHECK_EQ(stats(store, q).ready, MANY + 1);
    close_checked(store);
}

static void many_reserved_messages_are_looked_at_in_parts(void **state)
{
    (void)state;
    look_in_parts(false);
    look_in_parts(true);
}

typedef struct doomed {
    lrd_store *store;
    uint64_t k; /* the fail point at which the child is killed, or 0 */
} doomed;

static void pop_doomed(void *arg)
{
    const doomed *d = arg;
    failpoint_arm(d->k);
    pop_one(d->store);
}

/* A child pops a message and exits. A second child looks for dead owners, and is killed at a fail
 * point. This thread must then get the message. */
static void who_looks_at_many_may_be_killed(void **state)
{
    (void)state;
    enum { POINTS = 60 };
    lrd_store *store = store_new(LRD_QUEUE, 8 * MIB, 1);
    uint64_t last, passes = 0;
    uint32_t killed = 0;
    lrd_queue q = reserve_many(store, &last);
    for (uint32_t i = 0; i <= POINTS; i++) {
        doomed d = {store, i == 0 ? 0 : 1 + passes * (i - 1) / POINTS};
        CHECK_CHILD(run_in_child(pop_one, store));
        int status = run_in_child(pop_doomed, &d);
        passes = i == 0 ? failpoint_count() : passes;
        killed += WIFSIGNALED(status);
        check_context("after a kill at point %llu (%s)", (unsigned long long)d.k, failpoint_last());
        CHECK_EQ(pop(store, q, "last").id, last);
        CHECK_EQ(stats(store, q).reserved, MANY + 1);
        CHECK_OK(lrd_queue_release(store, q, last, 0));
        CHECK_FSCK(store);
    }
    /* pop_doomed() looks at all messages, and passes a fail point at each. On a busy machine,
     * pop_one() may have looked at the first batch already, so a batch may be missing. */
    CHECK(passes > MANY - LRD__QUEUE_BATCH && killed > POINTS / 2);
    lrd_thread_leave(store);
    close_checked(store);
}

static gate *reaper_stopped, *reaper_goes;

static void hook_stops_the_reaper(const char *name, void *at)
{
    if (strcmp(name, at) != 0)
        return;
    gate_open(reaper_stopped);
    gate_wait(reaper_goes);
}

static void give_back_dead_slots(void *store) { (void)stats_of(store); }

static void a_dead_owner_has_no_message_while_its_slot_is_given_back(void **state)
{
    (void)state;
    static char points[][16] = {"slot_reaping", "slot_emptied", "slot_renamed"};
    for (int i = 0; i < 3; i++) {
        lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
        lrd_queue q;
        CHECK_OK(lrd_queue_open(store, "jobs", 4, 0, &q));
        PUSH(store, q, "first", .priority = 1);
        PUSH(store, q, "second", .priority = 0);
        reaper_stopped = shared_memory(sizeof *reaper_stopped);
        reaper_goes = shared_memory(sizeof *reaper_goes);
        CHECK_CHILD(run_in_child(pop_one, store));
        failpoint_hook(hook_stops_the_reaper, points[i]);
        pid_t reaper = start_child(give_back_dead_slots, store);
        failpoint_hook(NULL, NULL);
        gate_wait(reaper_stopped);
        check_context("stopped at %s", points[i]);
        pop_ack(store, q, "first");
        pop_ack(store, q, "second");
        gate_open(reaper_goes);
        CHECK_CHILD(wait_child(reaper));
        lrd_thread_leave(store);
        close_checked(store);
    }
    check_context("%s", "");
}

/* Fill the queue with messages that expire in 100 ms, and move the clock to this time. Half of the
 * messages are delayed or buried. Returns the number of messages. */
static uint64_t fill_with_short(lrd_store *store, lrd_queue q, size_t size, test_clock *clock)
{
    static char body[70000];
    uint64_t pushed = 0;
    lrd_push how = {.ttl_ms = 100};
    while (lrd_queue_push(store, q, body, size, 0, &how, NULL) == LRD_OK) {
        how.delay_ms = ++pushed % 4 == 0 ? 1000000 : 0;
        lrd_message m;
        if (pushed % 4 != 2)
            continue;
        CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m));
        CHECK_OK(lrd_queue_bury(store, q, m.id));
    }
    CHECK_OK(lrd_request_end(store));
    atomic_fetch_add(clock, 100);
    return pushed;
}

/* Messages expire in a queue that no process uses. A push to a queue of another shard must reuse
 * the memory of these messages. */
static void what_expired_in_another_shard_makes_room(void **state)
{
    (void)state;
    static char body[300000];
    static const size_t sizes[] = {100, 9000, 70000, sizeof body};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_clock *clock = clock_new();
        lock_work work = {0};
        lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 4, clock);
        lrd_queue logs = open_queue(store, "logs"), mail = open_queue(store, "mail");
        CHECK(store->queues[logs].shard != store->queues[mail].shard);
        uint64_t gone = fill_with_short(store, logs, i < 3 ? sizes[i] : 1000, clock), pushed = 0;
        failpoint_hook(count_lock_work, &work);
        while (lrd_queue_push(store, mail, body, sizes[i], 0, NULL, NULL) == LRD_OK)
            pushed++;
        failpoint_hook(NULL, NULL);
        CHECK(work.most <= LRD__QUEUE_BATCH);
        CHECK(stats(store, mail).bytes > 2 * MIB);
        CHECK_EQ(stats(store, logs).expired, gone);
        CHECK_EQ(stats(store, logs).bytes, 0);
        CHECK_EQ(stats(store, mail).ready, pushed);
        close_checked(store);
    }
}

/* After a failed search for room, the shard pauses its searches. A push that drops expired messages
 * of any shard must end the pause. */
static void who_drops_what_expired_searches_again(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 4, clock);
    lrd_queue logs = open_queue(store, "logs"), mail = open_queue(store, "mail");
    lrd__shard *shard = store->shards + store->queues[mail].shard;
    CHECK(store->queues[logs].shard != store->queues[mail].shard);
    fill_with_short(store, logs, 1000, clock);
    while (stats(store, logs).expired == 0) {
        shard->full_until = UINT64_MAX;
        shard->full_bytes = 0;
        shard->full_deletes = atomic_load(&store->header->deletes);
        PUSH(store, mail, "body");
    }
    CHECK_EQ(shard->full_until, 0);
    close_checked(store);
}

static void a_sweep_drops_what_expired(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lock_work work = {0};
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
    lrd_queue first = open_queue(store, "first"), second = open_queue(store, "second");
    PUSH(store, first, "reserved", .ttl_ms = 50);
    lrd_message m = pop(store, first, "reserved");
    PUSH(store, second, "later", .ttl_ms = 200);
    uint64_t gone = fill_with_short(store, first, 100, clock), freed = 0;
    CHECK(gone > 4 * LRD__QUEUE_BATCH);
    failpoint_hook(count_lock_work, &work);
    CHECK_OK(lrd_sweep(store, &freed));
    failpoint_hook(NULL, NULL);
    CHECK(work.most <= LRD__QUEUE_BATCH);
    CHECK(freed > gone * 100);
    CHECK_EQ(stats(store, first).expired, gone);
    CHECK_EQ(stats(store, first).reserved, 1);
    CHECK_EQ(stats(store, second).ready, 1);
    CHECK_FSCK(store);
    /* The only message is reserved, so nothing can expire now. After a release, the message can
     * expire again. */
    const lrd__queue_shard *rows = store->queue_shards + store->queues[first].shard;
    CHECK(atomic_load(&rows->expires) == UINT64_MAX && rows->hand == 0);
    CHECK_OK(lrd_queue_release(store, first, m.id, 1000000));
    CHECK_FSCK(store);
    atomic_fetch_add(clock, 100);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats(store, first).expired, gone + 1);
    CHECK_EQ(stats(store, second).expired, 1);
    CHECK_EQ(stats_of(store).live_bytes, 0);
    close_checked(store);
}

/* A push to a full queue searches only if a message can have expired. */
static void a_full_queue_is_searched_where_something_can_have_expired(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 1, clock);
    const lrd__queue_shard *rows = store->queue_shards;
    lrd_queue full, other = open_queue(store, "other");
    CHECK_OK(lrd_queue_open(store, "full", 4, 700, &full));
    for (int i = 0; i < 700; i++)
        PUSH(store, full, "stays");
    CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK(rows->expires == UINT64_MAX && rows->hand == 0);
    for (int i = 0; i < 10; i++)
        CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(rows->hand, 0);

    /* A push to the full queue searches only when a message can have expired: after 100 ms and
     * after 500 ms. These two messages lie in another queue of the shard. */
    PUSH(store, other, "late", .ttl_ms = 500);
    PUSH(store, other, "early", .ttl_ms = 100);
    atomic_fetch_add(clock, 99);
    CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(rows->hand, 0);
    atomic_fetch_add(clock, 1);
    CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(stats(store, other).expired, 1);
    CHECK_EQ(rows->hand, 0);
    CHECK_EQ(lrd_fsck(store, NULL, NULL), LRD_OK);
    atomic_fetch_add(clock, 399);
    CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(rows->hand, 0);
    atomic_fetch_add(clock, 1);
    CHECK_CODE(lrd_queue_push(store, full, "x", 1, 0, NULL, NULL), LRD_ENOROOM);
    CHECK_EQ(stats(store, other).expired, 2);
    CHECK_EQ(rows->hand, 0);
    close_checked(store);
}

static void queues_have_their_names(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 4);
    char long_name[LRD_QUEUE_NAME_MAX + 1];
    const char *name;
    size_t name_len;
    lrd_queue q, again;
    memset(long_name, 'n', sizeof long_name);
    CHECK_OK(lrd_queue_open(store, long_name, LRD_QUEUE_NAME_MAX, 0, &q));
    CHECK_OK(lrd_queue_open(store, long_name, LRD_QUEUE_NAME_MAX, 0, &again));
    CHECK_EQ(q, again);
    CHECK_CODE(lrd_queue_open(store, long_name, sizeof long_name, 0, &q), LRD_EINVAL);
    CHECK_CODE(lrd_queue_open(store, "", 0, 0, &q), LRD_EINVAL);
    CHECK_OK(lrd_queue_open(store, "a\0b", 3, 0, &q));
    CHECK_OK(lrd_queue_name(store, q, &name, &name_len));
    CHECK(name_len == 3 && memcmp(name, "a\0b", 3) == 0);
    CHECK_CODE(lrd_queue_name(store, q + 1, &name, &name_len), LRD_END);
    CHECK_CODE(lrd_queue_push(store, q + 1, "x", 1, 0, NULL, NULL), LRD_ENOQUEUE);
    for (uint32_t i = lrd__queues_used(store); i < LRD__QUEUES; i++) {
        char text[16];
        snprintf(text, sizeof text, "q%u", i);
        CHECK_OK(lrd_queue_open(store, text, strlen(text), 0, &q));
    }
    CHECK_CODE(lrd_queue_open(store, "one more", 8, 0, &q), LRD_ENOQUEUE);
    q = 0;
    CHECK_CODE(lrd_queue_open(store, "one more", 8, 5, &q), LRD_ENOQUEUE);
    close_checked(store);

    store = store_new(LRD_VOLATILE, 4 * MIB, 4);
    CHECK_CODE(lrd_queue_open(store, "q", 1, 0, &q), LRD_EPOLICY);
    CHECK_CODE(lrd_queue_push(store, 0, "x", 1, 0, NULL, NULL), LRD_EPOLICY);
    lrd_close(store);
    store = store_new(LRD_QUEUE, 4 * MIB, 4);
    CHECK_CODE(lrd_put(store, "k", 1, "v", 1, NULL), LRD_EPOLICY);
    CHECK_CODE(lrd_clear(store), LRD_EPOLICY);
    q = open_queue(store, "q");
    CHECK_CODE(lrd_queue_push(store, q, "x", 3 * MIB, 0, NULL, NULL), LRD_ESIZE);
    lrd_close(store);
}

/* ---- owners and sleepers ---- */

static void pop_and_stay(void *arg)
{
    helper *h = arg;
    lrd_message m;
    CHECK_OK(lrd_queue_pop(h->store, h->queue, 0, 0, 0, &m));
    gate_open(&h->ready);
    gate_wait(&h->go);
}

static void dead_owners_give_back_at_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "a");
    PUSH(store, q, "b");
    helper *h = helper_new(store, q);
    pid_t child = start_child(pop_and_stay, h);
    gate_wait(&h->ready);
    CHECK_EQ(stats(store, q).reserved, 1);
    lrd_message b = pop(store, q, "b");
    pop_nothing(store, q);
    stop_child(child);
    CHECK_EQ(pop(store, q, "a").attempts, 2);
    CHECK_EQ(stats(store, q).returned, 1);
    CHECK_OK(lrd_queue_release(store, q, b.id, 0));
    /* The message is also ready again if its owner exits, or gives up its slot. */
    atomic_store(&h->go, 1);
    CHECK_CHILD(run_in_child(pop_and_stay, h));
    CHECK_EQ(pop(store, q, "b").attempts, 3);
    lrd_thread_leave(store);
    CHECK_EQ(pop(store, q, "a").attempts, 3);
    CHECK_EQ(pop(store, q, "b").attempts, 4);
    close_checked(store);
}

static void pop_and_die(void *arg)
{
    lrd_message m;
    const helper *h = arg;
    CHECK_OK(lrd_queue_pop(h->store, h->queue, 0, 0, 0, &m));
    raise(SIGKILL);
}

static void a_dead_owners_message_is_anybodys_to_remove(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    helper *h = helper_new(store, q);
    uint64_t id = PUSH(store, q, "a");
    CHECK(WIFSIGNALED(run_in_child(pop_and_die, h)));
    CHECK_OK(lrd_queue_remove(store, q, id));
    CHECK_EQ(stats(store, q).returned, 1);
    /* This thread cannot acknowledge the message, because another process has reserved it. The
     * attempt notices that this process is dead, and makes the message ready. When a living process
     * has reserved the message, this thread must not be able to remove it. */
    id = PUSH(store, q, "b");
    CHECK(WIFSIGNALED(run_in_child(pop_and_die, h)));
    CHECK_CODE(lrd_queue_ack(store, q, id), LRD_MISS);
    CHECK_EQ(store->queues[q].tree[LRD__MESSAGE_READY - 1].count, 1);
    pid_t child = start_child(pop_and_stay, h);
    gate_wait(&h->ready);
    CHECK_CODE(lrd_queue_remove(store, q, id), LRD_MISS);
    stop_child(child);
    CHECK_OK(lrd_queue_remove(store, q, id));
    close_checked(store);
}

static void pop_and_count(void *arg)
{
    helper *h = arg;
    lrd_message m;
    for (;;) {
        int rc = lrd_queue_pop(h->store, h->queue, LRD_GET_BORROW, h->wait_ms, 0, &m);
        CHECK_OK(rc);
        if (m.value.size == 4 && memcmp(m.value.data, "stop", 4) == 0) {
            CHECK_OK(lrd_queue_ack(h->store, h->queue, m.id));
            return;
        }
        CHECK_OK(lrd_queue_ack(h->store, h->queue, m.id));
        atomic_fetch_add(&h->count, 1);
    }
}

static uint32_t sleepers_of(const helper *h)
{
    const lrd__queue *queue = h->store->queues + h->queue;
    return __atomic_load_n(&queue->sleeps, __ATOMIC_RELAXED);
}

static void a_push_wakes_one_of_many(void **state)
{
    (void)state;
    enum { CONSUMERS = 16, MESSAGES = 300 };
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    helper *h = helper_new(store, q);
    pid_t children[CONSUMERS];
    h->wait_ms = 300000;
    for (int i = 0; i < CONSUMERS; i++)
        children[i] = start_child(pop_and_count, h);
    while (sleepers_of(h) < CONSUMERS)
        sleep_ms(1);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        PUSH(store, q, "work");
        while (atomic_load(&h->count) <= i)
            sched_yield();
    }
    /* A message wakes one consumer. A second wake-up may be needed if another consumer becomes the
     * watcher. */
    lrd_queue_stats s = stats(store, q);
    CHECK(s.wakeups <= 3 * MESSAGES);
    for (int i = 0; i < CONSUMERS; i++)
        PUSH(store, q, "stop");
    for (int i = 0; i < CONSUMERS; i++)
        CHECK_CHILD(wait_child(children[i]));
    CHECK_EQ(stats(store, q).acked, MESSAGES + CONSUMERS);
    close_checked(store);
}

static uint64_t cpu_us(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    CHECK_EQ(clock_getcpuclockid(pid, &clock), 0);
    CHECK_EQ(clock_gettime(clock, &used), 0);
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/* A wait has steps of LRD__QUEUE_LOOK_MS. The last step must be no longer than the rest of the
 * wait. A busy machine makes waits longer, so try until one is short enough. */
static void the_last_step_of_a_wait_is_a_part(void **state)
{
    (void)state;
    enum { WAIT_MS = LRD__QUEUE_LOOK_MS + 10, TRIES = 500 };
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    bool in_time = false;
    for (unsigned i = 0; i < TRIES && !in_time; i++) {
        lrd_message m;
        uint64_t start = real_ms();
        CHECK_CODE(lrd_queue_pop(store, q, 0, WAIT_MS, 0, &m), LRD_MISS);
        uint64_t waited = real_ms() - start;
        CHECK(waited + 1 >= WAIT_MS);
        in_time = waited < 2 * LRD__QUEUE_LOOK_MS - 5;
    }
    CHECK(in_time);
    close_checked(store);
}

/* One of the sleeping consumers is the watcher, and checks the queue 20 times a second. The others
 * check it once a second. All together may use some milliseconds of processor time in a second. */
static void waiting_consumers_use_no_processor(void **state)
{
    (void)state;
    enum { CONSUMERS = 64 };
    lrd_options options = {.policy = LRD_QUEUE, .size = 4 * MIB, .slots = 128};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd_queue q = open_queue(store, "work");
    helper *h = helper_new(store, q);
    pid_t children[CONSUMERS];
    uint64_t used = 0, slept = 0, woke = 0;
    struct timespec start, end;
    h->wait_ms = 300000;
    for (int i = 0; i < CONSUMERS; i++)
        children[i] = start_child(pop_and_count, h);
    while (sleepers_of(h) < CONSUMERS)
        sleep_ms(1);
    sleep_ms(100);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < CONSUMERS; i++) {
        used -= cpu_us(children[i]);
        slept -= sleeps_of(children[i]);
    }
    sleep_ms(2000);
    for (int i = 0; i < CONSUMERS; i++) {
        used += cpu_us(children[i]);
        slept += sleeps_of(children[i]);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("64 consumers: %.2f ms of a processor and %.1f wake-ups in a second\n",
           (double)used / seconds / 1e3, (double)slept / seconds);
    CHECK((double)used < seconds * 1e6 * 0.05);
    CHECK((double)slept < seconds * 2 * (CONSUMERS + 20) + CONSUMERS);

    PUSH(store, q, "work");
    while (atomic_load(&h->count) == 0)
        sleep_ms(1);
    woke = stats(store, q).wakeups;
    /* One consumer gets the message. Another one may be woken to become the watcher. */
    CHECK(woke == 1 || woke == 2);
    for (int i = 0; i < CONSUMERS; i++)
        PUSH(store, q, "stop");
    for (int i = 0; i < CONSUMERS; i++)
        CHECK_CHILD(wait_child(children[i]));
    CHECK_EQ(atomic_load(&h->count), 1);
    close_checked(store);
}

/* When the watcher and a message's owner are killed, a sleeper must become the watcher and pop the
 * message. */
static void sleepers_notice_dead_owners(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    helper *h = helper_new(store, q), *owner = helper_new(store, q);
    PUSH(store, q, "work");
    pid_t child = start_child(pop_and_stay, owner);
    gate_wait(&owner->ready);
    h->wait_ms = 300000;
    pid_t watcher = start_child(pop_and_count, h);
    while (store->queues[q].watcher == 0)
        sleep_ms(1);
    pid_t sleeper = start_child(pop_and_count, h);
    while (__atomic_load_n(&store->queues[q].sleepers, __ATOMIC_RELAXED) == 0)
        sleep_ms(1);
    stop_child(watcher);
    stop_child(child);
    while (atomic_load(&h->count) == 0)
        sleep_ms(1);
    PUSH(store, q, "stop");
    CHECK_CHILD(wait_child(sleeper));
    CHECK_EQ(stats(store, q).returned, 1);
    close_checked(store);
}

/* The watcher of a queue is stopped. Another sleeper must become the watcher, and pop the delayed
 * message when it is due. */
static void a_stopped_watcher_is_replaced(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    const lrd__queue *queue = store->queues + q;
    helper *h = helper_new(store, q);
    h->wait_ms = 300000;
    pid_t watcher = start_child(pop_and_count, h);
    while (__atomic_load_n(&queue->watcher, __ATOMIC_RELAXED) == 0)
        sleep_ms(1);
    uint32_t slot = __atomic_load_n(&queue->watcher_slot, __ATOMIC_RELAXED);
    pid_t sleeper = start_child(pop_and_count, h);
    while (__atomic_load_n(&queue->sleepers, __ATOMIC_RELAXED) == 0)
        sleep_ms(1);
    int status;
    CHECK_EQ(kill(watcher, SIGSTOP), 0);
    CHECK_EQ(waitpid(watcher, &status, WUNTRACED), watcher);
    uint64_t until = real_ms() + 20000;
    while (__atomic_load_n(&queue->watcher_slot, __ATOMIC_RELAXED) == slot && real_ms() < until)
        sleep_ms(1);
    CHECK(__atomic_load_n(&queue->watcher_slot, __ATOMIC_RELAXED) != slot);
    PUSH(store, q, "work", .delay_ms = 10);
    while (atomic_load(&h->count) == 0)
        sleep_ms(1);
    CHECK_EQ(kill(watcher, SIGCONT), 0);
    for (int i = 0; i < 2; i++)
        PUSH(store, q, "stop");
    CHECK_CHILD(wait_child(watcher));
    CHECK_CHILD(wait_child(sleeper));
    close_checked(store);
}

/* Kill the first process that is woken after `doomed` was set. */
static void die_when_woken(const char *name, void *arg)
{
    helper *h = arg;
    if (strcmp(name, "queue_woken") == 0 && atomic_exchange(&h->doomed, 0) != 0)
        raise(SIGKILL);
}

static void pop_and_count_doomed(void *arg)
{
    failpoint_hook(die_when_woken, arg);
    pop_and_count(arg);
}

/* A push wakes a consumer, which dies before it pops. Another consumer must get the message without
 * a further push. */
static void a_wake_up_may_die_with_its_sleeper(void **state)
{
    (void)state;
    enum { CONSUMERS = 3 };
    for (int watched = 0; watched < 2; watched++) {
        lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
        lrd_queue q = open_queue(store, "work");
        helper *h = helper_new(store, q);
        pid_t watcher, children[CONSUMERS];
        h->wait_ms = 300000;
        watcher = start_child(pop_and_count, h);
        while (__atomic_load_n(&store->queues[q].watcher, __ATOMIC_RELAXED) == 0)
            sleep_ms(1);
        for (int i = 0; i < CONSUMERS; i++)
            children[i] = start_child(pop_and_count_doomed, h);
        while (__atomic_load_n(&store->queues[q].sleepers, __ATOMIC_RELAXED) == 0)
            sleep_ms(1);
        if (!watched)
            stop_child(watcher);
        atomic_store(&h->doomed, 1);
        PUSH(store, q, "work");
        while (atomic_load(&h->count) == 0)
            sleep_ms(1);
        while (atomic_load(&h->doomed) != 0) /* sleepers look at the queue once a second */
            sleep_ms(1);
        for (int i = 0; i < CONSUMERS + watched - 1; i++)
            PUSH(store, q, "stop");
        if (watched)
            CHECK_CHILD(wait_child(watcher));
        int killed = 0;
        for (int i = 0; i < CONSUMERS; i++)
            killed += wait_child(children[i]) != 0;
        CHECK_EQ(killed, 1);
        CHECK_EQ(stats(store, q).acked, CONSUMERS + watched);
        close_checked(store);
    }
}

static void stay_when_woken(const char *name, void *arg)
{
    const helper *h = arg;
    while (strcmp(name, "queue_woken") == 0 && atomic_load(&h->doomed) != 0)
        sleep_ms(1);
}

static void pop_and_count_later(void *arg)
{
    failpoint_hook(stay_when_woken, arg);
    pop_and_count(arg);
}

/* A push has woken the only consumer, which does not run yet. Further pushes must not wake it
 * again. */
static void who_was_woken_is_not_woken_again(void **state)
{
    (void)state;
    enum { MORE = 9 };
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    const lrd__queue *queue = store->queues + q;
    helper *h = helper_new(store, q);
    uint32_t pushed = 0, turn;
    h->wait_ms = 300000;
    pid_t child = start_child(pop_and_count_later, h);
    while (sleepers_of(h) == 0)
        sleep_ms(1);
    for (bool woken = false; !woken;) {
        atomic_store(&h->doomed, 0);
        while (atomic_load(&h->count) != pushed)
            sleep_ms(1);
        uint64_t before = stats(store, q).wakeups;
        atomic_store(&h->doomed, 1);
        sleep_ms(1);
        PUSH(store, q, "work");
        pushed++;
        woken = stats(store, q).wakeups != before;
    }
    turn = atomic_load(&queue->watch);
    for (int i = 0; i < MORE; i++, pushed++)
        PUSH(store, q, "work");
    CHECK_EQ(atomic_load(&queue->watch), turn);
    atomic_store(&h->doomed, 0);
    while (atomic_load(&h->count) != pushed)
        sleep_ms(1);
    PUSH(store, q, "stop");
    CHECK_CHILD(wait_child(child));
    close_checked(store);
}

/* ---- resting ---- */

/* Let a consumer pause `pauses` times, for `each` microseconds. In each pause, `brings` messages
 * arrive. Returns how many pauses are rests; the others are sleeps. */
static uint32_t rests_of(lrd__pace *pace, const lrd__queue *queue, uint64_t *us, uint32_t pauses,
                         uint32_t brings, uint32_t each)
{
    uint32_t rests = 0;
    for (uint32_t i = 0; i < pauses; i++) {
        rests += lrd__pace_rests(pace, queue, *us / 1000);
        *us += each;
        for (uint32_t n = 0; n < brings; n++)
            lrd__pace_take(pace, queue, 30);
    }
    return rests;
}

static void consumers_rest_where_it_pays(void **state)
{
    (void)state;
    lrd__queue queue = {.capacity = 0}, other = {.capacity = 0};
    lrd__pace pace = {.queue = NULL};
    uint64_t us = 5000000;
    /* one message comes in 600 us, too few for a rest */
    CHECK_EQ(rests_of(&pace, &queue, &us, 1 + 50 * 16, 1, 600), 0);
    CHECK_EQ(rests_of(&pace, &queue, &us, 15, 1, 100), 0);
    CHECK_EQ(rests_of(&pace, &queue, &us, 100, 15, 2000), 100);
    CHECK(rests_of(&pace, &queue, &us, 20, 6, 2000) < 10);
    CHECK(rests_of(&pace, &queue, &us, 100, 6, 2000) > 50);
    CHECK(rests_of(&pace, &queue, &us, 100, 0, 200000) < 4);
    /* A consumer does not rest if bodies are long, if it uses two queues in turn, or if the queue
     * could become full in a rest. */
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(rests_of(&pace, &queue, &us, 10, 1, 100), 0);
        lrd__pace_take(&pace, &queue, 5000);
    }
    for (int i = 0; i < 100; i++)
        CHECK_EQ(rests_of(&pace, i % 2 ? &queue : &other, &us, 10, 1, 100), 0);
    queue.capacity = 30;
    CHECK_EQ(rests_of(&pace, &queue, &us, 1000, 1, 100), 0);
    queue.capacity = 90;
    CHECK(rests_of(&pace, &queue, &us, 1000, 20, 2000) > 0);
}

/* The producer waits for the answer to each message, so a rest only delays the answer. */
static void consumers_hardly_rest_where_it_slows(void **state)
{
    (void)state;
    lrd__queue queue = {.capacity = 0};
    lrd__pace pace = {.queue = NULL};
    uint32_t rests = 0;
    bool rested = false;
    uint64_t us = 0;
    for (int i = 0; i < 100000; i++) {
        us += rested ? 2000 : 50;
        lrd__pace_take(&pace, &queue, 30);
        rested = lrd__pace_rests(&pace, &queue, us / 1000);
        rests += rested;
    }
    CHECK(rests > 3);
    CHECK(rests < 120);
}

/* Make this consumer rest in every wait: it expects almost no messages. */
static void rest_always(lrd_store *store, lrd_queue q)
{
    lrd__threads[store->id]->pace =
        (lrd__pace){.queue = store->queues + q, .expected = 1, .patience = 16};
}

static void pop_and_count_rested(void *arg)
{
    helper *h = arg;
    lrd_message m;
    do {
        rest_always(h->store, h->queue);
        CHECK_OK(lrd_queue_pop(h->store, h->queue, LRD_GET_BORROW, h->wait_ms, 0, &m));
        CHECK_OK(lrd_queue_ack(h->store, h->queue, m.id));
    } while (atomic_fetch_add(&h->count, 1) + 1 != h->limit);
}

static void who_rests_is_not_woken(void **state)
{
    (void)state;
    enum { MESSAGES = 40 };
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    helper *h = helper_new(store, q);
    h->wait_ms = 300000;
    h->limit = MESSAGES;
    pid_t child = start_child(pop_and_count_rested, h);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        PUSH(store, q, "work");
        while (atomic_load(&h->count) <= i)
            sleep_ms(1);
    }
    CHECK_CHILD(wait_child(child));
    CHECK_EQ(stats(store, q).wakeups, 0);
    CHECK_EQ(sleepers_of(h), 0);
    /* A consumer is killed while it rests. Another consumer must still get the next message. */
    h->limit = 1000000;
    child = start_child(pop_and_count_rested, h);
    PUSH(store, q, "work");
    while (atomic_load(&h->count) != MESSAGES + 1)
        sleep_ms(1);
    stop_child(child);
    pid_t other = start_child(pop_and_count, h);
    PUSH(store, q, "work");
    while (atomic_load(&h->count) != MESSAGES + 2)
        sleep_ms(1);
    PUSH(store, q, "stop");
    CHECK_CHILD(wait_child(other));
    close_checked(store);
}

static void on_alarm(int signal) { (void)signal; }

static void signals_end_a_wait(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work");
    lrd_message m;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_interval = {0, 5000}, .it_value = {0, 5000}},
                     none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK_CODE(lrd_queue_pop(store, q, 0, 300000, 0, &m), LRD_INTR);
    for (int i = 0; i < 50; i++) {
        rest_always(store, q);
        CHECK_CODE(lrd_queue_pop(store, q, 0, 300000, 0, &m), LRD_INTR);
    }
    lrd_queue small;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &small));
    PUSH(store, small, "x");
    lrd_push how = {.wait_ms = 300000};
    CHECK_CODE(lrd_queue_push(store, small, "y", 1, 0, &how, NULL), LRD_INTR);
    setitimer(ITIMER_REAL, &none, NULL);
    CHECK_EQ(stats(store, small).ready, 1);
    close_checked(store);
}

/* A signal just before a sleep ends the wait if the host has given a wait flag. Without a flag, the
 * wait lasts its full time. */
static void a_signal_just_before_a_sleep_ends_the_wait(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "work"), small;
    lrd_message m;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &small));
    PUSH(store, small, "x");
    lrd_push how = {.wait_ms = 60000};
    signal_at("queue_sleeps", true);
    CHECK_CODE(lrd_queue_pop(store, q, 0, 60000, 0, &m), LRD_INTR);
    signal_at("queue_sleeps", true);
    CHECK_CODE(lrd_queue_push(store, small, "y", 1, 0, &how, NULL), LRD_INTR);
    /* A signal ends one wait only. If a message arrives together with the signal, the pop returns
     * the message. */
    CHECK_CODE(lrd_queue_pop(store, q, 0, 20, 0, &m), LRD_MISS);
    signal_at("queue_sleeps", true);
    PUSH(store, q, "z");
    CHECK_OK(lrd_queue_pop(store, q, 0, 60000, 0, &m));
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    /* A signal that came before the call ends the first wait after it. */
    raise(SIGUSR1);
    CHECK_CODE(lrd_queue_pop(store, q, 0, 0, 0, &m), LRD_MISS);
    CHECK_CODE(lrd_queue_pop(store, q, 0, 60000, 0, &m), LRD_INTR);
    signal_at("queue_sleeps", false);
    CHECK_CODE(lrd_queue_pop(store, q, 0, 200, 0, &m), LRD_MISS);
    signal_at(NULL, false);
    close_checked(store);
}

static void push_when_there_is_room(void *arg)
{
    helper *h = arg;
    lrd_push how = {.wait_ms = 300000};
    gate_open(&h->ready);
    CHECK_OK(lrd_queue_push(h->store, h->queue, "second", 6, 7, &how, NULL));
}

static void a_push_may_wait_for_room(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q;
    lrd_message m;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &q));
    PUSH(store, q, "first");
    lrd_push how = {.wait_ms = 20};
    CHECK_CODE(lrd_queue_push(store, q, "x", 1, 7, &how, NULL), LRD_ENOROOM);
    helper *h = helper_new(store, q);
    pid_t child = start_child(push_when_there_is_room, h);
    gate_wait(&h->ready);
    sleep_ms(20);
    pop_ack(store, q, "first");
    CHECK_OK(lrd_queue_pop(store, q, 0, 300000, 0, &m));
    CHECK(body_is(&m, "second"));
    CHECK_CHILD(wait_child(child));
    close_checked(store);
}

/* Stop where the push has found the queue full, until the test continues it. Also counts sleeps. */
static void wait_where_refused(const char *name, void *arg)
{
    helper *h = arg;
    if (strcmp(name, "queue_refused") == 0) {
        gate_open(&h->ready);
        gate_wait(&h->go);
    }
    if (strcmp(name, "queue_sleeps") == 0)
        atomic_fetch_add(&h->count, 1);
}

static void push_counting_sleeps(void *arg)
{
    const helper *h = arg;
    lrd_push how = {.wait_ms = 300000};
    failpoint_hook(wait_where_refused, arg);
    CHECK_OK(lrd_queue_push(h->store, h->queue, "second", 6, 7, &how, NULL));
}

/* A push finds the queue full. Before the push sleeps, a consumer acknowledges a message, and wakes
 * no producer. The push must see the free place, and not sleep. */
static void a_push_does_not_sleep_where_room_was_made(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &q));
    PUSH(store, q, "first");
    helper *h = helper_new(store, q);
    pid_t child = start_child(push_counting_sleeps, h);
    gate_wait(&h->ready);
    pop_ack(store, q, "first");
    gate_open(&h->go);
    CHECK_CHILD(wait_child(child));
    CHECK_EQ(atomic_load(&h->count), 0);
    pop_ack(store, q, "second");
    close_checked(store);
}

static void open_reservations_do_not_exceed_the_capacity(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q, other = open_queue(store, "other");
    lrd_reservation open[40];
    CHECK_OK(lrd_queue_open(store, "two", 3, 2, &q));
    for (int i = 0; i < 5; i++)
        CHECK_OK(lrd_queue_reserve(store, q, 2000, 1, NULL, &open[i]));
    for (int i = 0; i < 5; i++) {
        CHECK_CODE(lrd_queue_publish(store, q, &open[i], NULL, NULL), i < 2 ? LRD_OK : LRD_ENOROOM);
        CHECK_CODE(lrd_abort(store, &open[i]), LRD_ESTATE);
    }
    CHECK_EQ(stats(store, q).ready, 2);
    CHECK_EQ(stats(store, q).refused, 3);
    /* A queue without a capacity may use its share of the memory. */
    int n = 0, published = 0;
    while (n < 40 && lrd_queue_reserve(store, other, 100000, 1, NULL, &open[n]) == LRD_OK)
        n++;
    CHECK(n > 32);
    for (int i = 0; i < n; i++) {
        int rc = lrd_queue_publish(store, other, &open[i], NULL, NULL);
        CHECK(rc == LRD_OK || rc == LRD_ENOROOM);
        published += rc == LRD_OK;
    }
    CHECK(published > 20 && published < n);
    CHECK_EQ(stats(store, other).ready, published);
    CHECK(stats(store, other).bytes <= 3 * (4 * MIB - stats_of(store).live_bytes));
    close_checked(store);
}

/* When the producer publishes, the queue is full, but the message in it has expired. */
static void publishing_drops_what_expired(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_QUEUE, 4 * MIB, 2, clock);
    lrd_queue q;
    lrd_reservation open;
    CHECK_OK(lrd_queue_open(store, "one", 3, 1, &q));
    CHECK_OK(lrd_queue_reserve(store, q, 2000, 1, NULL, &open));
    PUSH(store, q, "short", .ttl_ms = 100);
    atomic_fetch_add(clock, 100);
    CHECK_OK(lrd_queue_publish(store, q, &open, NULL, NULL));
    CHECK_EQ(stats(store, q).expired, 1);
    CHECK_EQ(stats(store, q).ready, 1);
    close_checked(store);
}

static void fill_slowly(const void *from, void *build, const void *data, size_t size)
{
    helper *h = *(helper *const *)from;
    (void)data;
    memset(build, 'l', size);
    gate_open(&h->ready);
    gate_wait(&h->go);
}

static void push_large_slowly(void *arg)
{
    helper *h = arg;
    lrd_push how = {.wait_ms = 300000}, brief = {.wait_ms = 20};
    CHECK_OK(lrd_queue_push_fill(h->store, h->queue, 20000, 7, &how, fill_slowly, &h, NULL));
    CHECK_CODE(lrd_queue_push_fill(h->store, h->queue, 20000, 7, &brief, fill_slowly, &h, NULL),
               LRD_ENOROOM);
}

/* While a push that may wait writes its body, another push fills the queue. The push that may wait
 * must then wait again. */
static void a_push_goes_on_waiting_when_others_were_faster(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q;
    lrd_message m;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &q));
    helper *h = helper_new(store, q);
    pid_t child = start_child(push_large_slowly, h);
    gate_wait(&h->ready);
    PUSH(store, q, "first");
    gate_open(&h->go);
    sleep_ms(20);
    CHECK_EQ(stats(store, q).ready, 1);
    pop_ack(store, q, "first");
    CHECK_OK(lrd_queue_pop(store, q, 0, 300000, 0, &m));
    CHECK_EQ(m.value.size, 20000);
    CHECK_OK(lrd_release(store, &m.value));
    /* the child's second push is refused, because this message is still reserved */
    CHECK_CHILD(wait_child(child));
    CHECK_OK(lrd_queue_ack(store, q, m.id));
    close_checked(store);
}

static void a_reservation_is_over_when_publishing_fails(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q = open_queue(store, "q"), other = open_queue(store, "other");
    static const struct {
        uint32_t queue;
        int code;
    } wrong[] = {{1, LRD_EINVAL}, {2, LRD_ENOQUEUE}, {UINT32_MAX, LRD_ENOQUEUE}};
    CHECK(q == 0 && other == 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lrd_reservation open;
        CHECK_OK(lrd_queue_reserve(store, q, 5000, 1, NULL, &open));
        lrd_reservation copy = open;
        CHECK_CODE(lrd_queue_publish(store, wrong[i].queue, &open, NULL, NULL), wrong[i].code);
        CHECK_CODE(lrd_abort(store, &open), LRD_ESTATE);
        CHECK_CODE(lrd_queue_publish(store, q, &copy, NULL, NULL), LRD_ESTATE);
        /* A closed reservation gives LRD_ESTATE, whatever else is wrong. */
        CHECK_CODE(lrd_queue_publish(store, wrong[i].queue, &open, NULL, NULL), LRD_ESTATE);
    }
    CHECK_EQ(lrd__threads[store->id]->reservations, 0);
    close_checked(store);
}

static void a_push_that_is_refused_counts_once(void **state)
{
    (void)state;
    static char body[2000];
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 2);
    lrd_queue q, other = open_queue(store, "other");
    lrd_message m;
    CHECK_OK(lrd_queue_open(store, "small", 5, 1, &q));
    for (uint64_t size = 1; size <= sizeof body; size += sizeof body - 1) {
        uint64_t before = stats(store, q).refused;
        PUSH(store, q, "first");
        lrd_push how = {.wait_ms = 200};
        CHECK_CODE(lrd_queue_push(store, q, body, size, 1, &how, NULL), LRD_ENOROOM);
        CHECK_EQ(stats(store, q).refused, before + 1);
        /* a push that waits and then succeeds does not count as refused */
        helper *h = helper_new(store, q);
        pid_t child = start_child(push_when_there_is_room, h);
        gate_wait(&h->ready);
        sleep_ms(200);
        pop_ack(store, q, "first");
        CHECK_OK(lrd_queue_pop(store, q, 0, 300000, 0, &m));
        CHECK_OK(lrd_release(store, &m.value));
        CHECK_OK(lrd_queue_ack(store, q, m.id));
        CHECK_CHILD(wait_child(child));
        CHECK_EQ(stats(store, q).refused, before + 1);
    }
    /* With LRD_PUSH_RETRY, the caller will try again, so a refusal does not count. */
    uint64_t before = stats(store, q).refused;
    lrd_push again = {.struct_size = sizeof again, .flags = LRD_PUSH_RETRY};
    PUSH(store, q, "first");
    for (uint64_t size = 1; size <= sizeof body; size += sizeof body - 1) {
        lrd_reservation none;
        CHECK_CODE(lrd_queue_push(store, q, body, size, 1, &again, NULL), LRD_ENOROOM);
        CHECK_CODE(lrd_queue_reserve(store, q, size, 1, &again, &none), LRD_ENOROOM);
        CHECK_EQ(stats(store, q).refused, before);
        /* In an older header, lrd_push has no `flags`. A caller that was compiled with that header
         * cannot set LRD_PUSH_RETRY, so its refusals count. */
        again.struct_size = offsetof(lrd_push, flags);
        CHECK_CODE(lrd_queue_push(store, q, body, size, 1, &again, NULL), LRD_ENOROOM);
        CHECK_EQ(stats(store, q).refused, ++before);
        again.struct_size = sizeof again;
    }
    pop_ack(store, q, "first");
    /* The store counts refusals for lack of memory, not those for a queue's capacity. */
    CHECK_EQ(stats_of(store).refused, 0);
    while (lrd_queue_push(store, other, body, sizeof body, 1, NULL, NULL) == LRD_OK)
        continue;
    lrd_push how = {.wait_ms = 100};
    CHECK_CODE(lrd_queue_push(store, other, body, 1000, 1, &again, NULL), LRD_ENOROOM);
    CHECK_CODE(lrd_queue_push(store, other, body, 1000, 1, &how, NULL), LRD_ENOROOM);
    CHECK_EQ(lrd_refusal_of(store, LRD_ENOROOM), LRD_REFUSED_FULL);
    CHECK_EQ(stats(store, other).refused, 2);
    CHECK_EQ(stats_of(store).refused, 2);
    CHECK_EQ(stats_of(store).refused_by[LRD_REFUSED_FULL], 2);
    CHECK_CODE(lrd_queue_push(store, other, body, 3 * MIB, 1, NULL, NULL), LRD_ESIZE);
    CHECK_EQ(stats_of(store).refused_by[LRD_REFUSED_SIZE], 1);
    CHECK_EQ(stats(store, other).refused, 2);
    lrd_reservation none = {0};
    CHECK_CODE(lrd_queue_publish(store, other, &none, NULL, NULL), LRD_ESTATE);
    CHECK_CODE(lrd_queue_push(store, 99, body, 1, 1, NULL, NULL), LRD_ENOQUEUE);
    CHECK_CODE(lrd_queue_push(store, other, body, 1, LRD_TYPE_COUNTER, NULL, NULL), LRD_EINVAL);
    CHECK_EQ(stats_of(store).refused, 3);
    close_checked(store);
}

static void a_store_of_queues_reserves_no_entries(void **state)
{
    (void)state;
    static char value[5000];
    static const size_t sizes[] = {0, 10, sizeof value};
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lrd_reservation open;
        CHECK_CODE(lrd_reserve(store, "key", 3, sizes[i], 1, &open), LRD_EPOLICY);
        CHECK_CODE(lrd_queue_publish(store, q, &open, NULL, NULL), LRD_ESTATE);
        CHECK_CODE(
            lrd_put(store, "key", 3, value, sizes[i], &(lrd_write){.mode = LRD_ADD, .type = 1}),
            LRD_EPOLICY);
    }
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    pop_nothing(store, q);
    close_checked(store);
}

/* ---- files that no process has open any more ---- */

static lrd_store *open_shards(const char *path, uint32_t shards)
{
    lrd_options options = {
        .policy = LRD_QUEUE, .size = 8 * MIB, .slots = 64, .shards = shards, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

static lrd_store *open_named(const char *path) { return open_shards(path, 0); }

static void a_named_store_keeps_its_messages(void **state)
{
    (void)state;
    const char *path = temp_path("queues");
    lrd_store *store = open_named(path);
    lrd_queue q = open_queue(store, "work"), other = open_queue(store, "other");
    char *large = calloc(1, 3 * MIB);
    memset(large, 'l', 3 * MIB);
    PUSH(store, q, "a");
    PUSH(store, q, "b", .priority = 5);
    PUSH(store, q, "late", .delay_ms = 10000000);
    CHECK_OK(lrd_queue_push(store, other, large, 3 * MIB, 7, NULL, NULL));
    PUSH(store, other, "second");
    CHECK_EQ(pop(store, q, "b").attempts, 1);
    lrd_close(store);

    store = open_named(path);
    CHECK_FSCK(store);
    q = open_queue(store, "work");
    other = open_queue(store, "other");
    CHECK_EQ(pop(store, q, "b").attempts, 2);
    pop_ack(store, q, "a");
    pop_nothing(store, q);
    CHECK_EQ(stats(store, q).delayed, 1);
    lrd_message m;
    CHECK_OK(lrd_queue_pop(store, other, 0, 0, 0, &m));
    CHECK(m.value.size == 3 * MIB && memcmp(m.value.data, large, 3 * MIB) == 0);
    CHECK_OK(lrd_release(store, &m.value));
    CHECK_OK(lrd_queue_ack(store, other, m.id));
    pop_ack(store, other, "second");
    uint64_t after = PUSH(store, other, "after");
    CHECK(after != m.id);
    close_checked(store);
    free(large);
}

static void pop_alone_and_die(void *path)
{
    lrd_store *store = open_named(path);
    pop(store, open_queue(store, "work"), "a");
    raise(SIGKILL);
}

/* The file's only user dies with a reserved message. The adopter must count the message as
 * returned. */
static void a_message_of_the_last_user_counts_as_returned(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", temp_path("alone"));
    lrd_store *store = open_named(path);
    PUSH(store, open_queue(store, "work"), "a");
    PUSH(store, open_queue(store, "work"), "b");
    lrd_close(store);
    for (uint64_t deaths = 1; deaths <= 3; deaths++) {
        CHECK(WIFSIGNALED(run_in_child(pop_alone_and_die, path)));
        store = open_named(path);
        lrd_queue q = open_queue(store, "work");
        CHECK_EQ(stats(store, q).ready, 2);
        CHECK_EQ(stats(store, q).returned, deaths);
        CHECK_EQ(lrd_fsck(store, NULL, NULL), 0);
        lrd_close(store);
    }
    store = open_named(path);
    CHECK_EQ(pop(store, open_queue(store, "work"), "a").attempts, 4);
    close_checked(store);
}

/* Pop and acknowledge all messages. Writes their bodies, of one byte each, to text. */
static void drain(lrd_store *store, lrd_queue q, char *text)
{
    lrd_message m;
    while (lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &m) == LRD_OK) {
        *text++ = *(const char *)m.value.data;
        CHECK_OK(lrd_queue_ack(store, q, m.id));
    }
    *text = 0;
    CHECK_OK(lrd_request_end(store));
}

/* Check that `text` has the same letters as `letters`, each once. The letter of the damaged
 * message, `damaged`, may be anywhere; the other letters must be in order. */
static void check_drained(const char *text, const char *letters, char damaged)
{
    const char *at = strchr(text, damaged);
    char rest[16];
    CHECK(at != NULL && strlen(text) == strlen(letters));
    snprintf(rest, sizeof rest, "%.*s%s", (int)(at - text), text, at + 1);
    for (at = rest; *letters != 0; letters++)
        if (*letters != damaged)
            CHECK_EQ(*at++, *letters);
}

/* A message's turn is its place in the order of its queue. A flipped bit gives a message the turn
 * of another message, or a very large turn. */
static void a_damaged_turn_loses_no_message(void **state)
{
    (void)state;
    const char *path = temp_path("turns");
    for (uint32_t i = 0; i < 6 * 64; i++) {
        check_context("bit %u of message %u", i % 64, i / 64);
        lrd_store *store = open_shards(path, 1);
        lrd_queue q = open_queue(store, "work");
        char text[16], damaged = (char)('a' + i / 64);
        for (char c = 'a'; c <= 'f'; c++)
            CHECK_OK(lrd_queue_push(store, q, &c, 1, 0, NULL, NULL));
        lrd__messages_of(store, 0)[i / 64].turn ^= 1ull << i % 64;
        lrd_close(store);
        store = open_shards(path, 1);
        CHECK_FSCK(store);
        CHECK_OK(lrd_queue_push(store, q, "x", 1, 0, NULL, NULL));
        CHECK_OK(lrd_queue_push(store, q, "y", 1, 0, NULL, NULL));
        lrd_close(store);
        store = open_shards(path, 1);
        CHECK_FSCK(store);
        drain(store, q, text);
        check_drained(text, "abcdefxy", damaged);
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

/* A damaged message claims to belong to the other queue. In that queue, another message has the
 * same turn (place in the order). */
static void turns_of_another_queue_lose_no_message(void **state)
{
    (void)state;
    const char *path = temp_path("moved");
    for (uint32_t i = 0; i < 8; i++) {
        lrd_store *store = open_shards(path, 1);
        lrd_queue q[2] = {open_queue(store, "work"), open_queue(store, "other")};
        lrd_message m;
        for (uint32_t k = 0; k < 8; k++)
            PUSH(store, q[k % 2], "message", .priority = i < 4 ? 0 : (int32_t)k);
        lrd__messages_of(store, 0)[i].queue ^= 1;
        lrd_close(store);
        store = open_shards(path, 1);
        CHECK_FSCK(store);
        for (uint32_t k = 0; k < 2; k++) {
            while (lrd_queue_pop(store, q[k], LRD_GET_BORROW, 0, 0, &m) == LRD_OK)
                CHECK_FSCK(store);
            PUSH(store, q[k], "message");
        }
        CHECK_EQ(stats(store, q[0]).reserved + stats(store, q[1]).reserved, 8);
        lrd_thread_leave(store);
        CHECK_EQ(stats(store, q[0]).ready + stats(store, q[1]).ready, 10);
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

static void check_queue_kept(lrd_store *store, lrd_queue q, const char *first)
{
    char text[16];
    drain(store, q, text);
    CHECK(strlen(text) == 3 && text[0] == *first && text[1] == *first && text[2] == *first);
}

/* A bit in the row of a queue is flipped. The queue may lose its name, but no queue may lose a
 * message. */
static void a_damaged_row_of_a_queue_loses_no_message(void **state)
{
    (void)state;
    const char *path = temp_path("rows");
    enum { FIRST = offsetof(lrd__queue, state), END = offsetof(lrd__queue, name) + 6 };
    for (uint32_t i = 0; i < 3 * 8 * (END - FIRST); i++) {
        static const char *const names[] = {"a-1", "b-2", "a-3"};
        uint32_t damaged = i % 3, at = FIRST + i / 3 / 8, bit = i / 3 % 8;
        check_context("bit %u of byte %u of queue %u", bit, at, damaged);
        lrd_store *store = open_shards(path, 2);
        for (lrd_queue q = 0; q < 3; q++)
            for (int k = 0; k < 3; k++)
                CHECK_OK(lrd_queue_push(store, open_queue(store, names[q]), names[q] + 2, 1, 0,
                                        NULL, NULL));
        ((uint8_t *)(store->queues + damaged))[at] ^= (uint8_t)(1u << bit);
        lrd_close(store);
        store = open_shards(path, 2);
        CHECK_FSCK(store);
        CHECK_EQ(lrd__queues_used(store), 3);
        for (lrd_queue q = 0; q < 3; q++) {
            const char *name;
            size_t len;
            CHECK_OK(lrd_queue_name(store, q, &name, &len));
            lrd_queue found;
            CHECK_OK(lrd_queue_open(store, name, len, 0, &found));
            CHECK_EQ(found, q);
            check_queue_kept(store, q, names[q] + 2);
        }
        if (at < offsetof(lrd__queue, name_len))
            for (lrd_queue q = 0; q < 3; q++)
                CHECK_EQ(open_queue(store, names[q]), q);
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

/* A copy of the file may have holes where rows lie. The adopter must commit memory for these
 * rows. */
static void rows_in_holes_get_memory(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
    lrd_queue q = open_queue(store, "work");
    PUSH(store, q, "body");
    off_t from = (off_t)store->geo.messages_at;
    off_t bytes = (off_t)(store->queue_shards->high * sizeof(lrd__message));
    CHECK(bytes > 0);
    CHECK_EQ(fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, 65536), 0);
    if (lseek(store->fd, from, SEEK_HOLE) != from)
        skip_test("this file system makes no hole of that size");
    CHECK_OK(lrd__queue_commit_used(store));
    CHECK(lseek(store->fd, from, SEEK_HOLE) >= from + bytes);
    lrd_close(store);
}

static void a_damaged_number_of_queues_makes_none_and_loses_none(void **state)
{
    (void)state;
    const char *path = temp_path("number");
    for (uint32_t bit = 0; bit < 32; bit++) {
        check_context("bit %u", bit);
        lrd_store *store = open_shards(path, 2);
        lrd_queue q = open_queue(store, "a"), other = open_queue(store, "b");
        PUSH(store, q, "a");
        PUSH(store, other, "b");
        atomic_fetch_xor(&store->queue_shards->queues, 1u << bit);
        lrd_close(store);
        store = open_shards(path, 2);
        CHECK_FSCK(store);
        CHECK_EQ(lrd__queues_used(store), 2);
        pop_ack(store, q, "a");
        pop_ack(store, other, "b");
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

static void lost_messages_and_names_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *path = temp_path("counted");
        lrd_store *store = open_shards(path, 2);
        lrd_queue q = open_queue(store, "a");
        open_queue(store, "c");
        PUSH(store, q, "a");
        PUSH(store, q, "b");
        if (i == 1)
            lrd__messages_of(store, 0)[1].listing = 0;
        else if (i == 2)
            store->queues[1].name[0] = 'a';
        lrd_close(store);
        store = open_shards(path, 2);
        CHECK_FSCK(store);
        CHECK_EQ(stats_of(store).emptied_shards, i != 0);
        CHECK_EQ(stats(store, q).ready, i == 1 ? 1 : 2);
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

static void adopt_doomed(void *arg)
{
    failpoint_arm(*(const uint64_t *)arg);
    lrd_close(open_shards(temp_path("ordered"), 1));
}

static void who_adopts_queues_may_be_killed(void **state)
{
    (void)state;
    const char *path = temp_path("ordered");
    uint32_t killed = 0;
    for (uint64_t k = 1; k == 1 || killed == k - 1; k++) {
        lrd_store *store = open_shards(path, 1);
        lrd_queue q = open_queue(store, "work");
        char text[16];
        for (char c = 'a'; c <= 'f'; c++)
            CHECK_OK(lrd_queue_push(store, q, &c, 1, 0, NULL, NULL));
        lrd__messages_of(store, 0)[3].turn = 2;
        lrd_close(store);
        killed += WIFSIGNALED(run_in_child(adopt_doomed, &k));
        check_context("after a kill at point %llu (%s)", (unsigned long long)k, failpoint_last());
        store = open_shards(path, 1);
        CHECK_FSCK(store);
        drain(store, q, text);
        check_drained(text, "abcdef", 'd');
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
    CHECK(killed > 20);
}

static void times_without_an_end_do_not_wrap(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_QUEUE, MIB, 1);
    lrd_queue queue = open_queue(store, "work");
    lrd_message m;
    PUSH(store, queue, "late", .delay_ms = UINT64_MAX);
    pop_nothing(store, queue);
    CHECK_EQ(stats(store, queue).delayed, 1);
    PUSH(store, queue, "lasting", .ttl_ms = UINT64_MAX);
    CHECK_OK(lrd_queue_pop(store, queue, LRD_GET_BORROW, 0, UINT64_MAX, &m));
    CHECK(body_is(&m, "lasting"));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats(store, queue).reserved, 1);
    CHECK_OK(lrd_queue_touch(store, queue, m.id, UINT64_MAX));
    pop_nothing(store, queue);
    CHECK_OK(lrd_queue_release(store, queue, m.id, UINT64_MAX));
    pop_nothing(store, queue);
    CHECK_EQ(stats(store, queue).delayed, 2);
    CHECK_EQ(stats(store, queue).expired, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- bodies beyond the bounds ---- */

static lrd_store *store_of_bodies(lrd_queue *queue, int messages, uint8_t type)
{
    lrd_store *store = store_new(LRD_QUEUE, MIB, 1);
    *queue = open_queue(store, "work");
    for (int i = 0; i < messages; i++)
        CHECK_OK(lrd_queue_push(store, *queue, "body", 4, type, NULL, NULL));
    return store;
}

static lrd_kind pop_kind(lrd_store *store, lrd_queue queue, unsigned flags)
{
    lrd_message m;
    CHECK_OK(lrd_queue_pop(store, queue, flags, 0, 0, &m));
    CHECK(body_is(&m, "body"));
    lrd_kind kind = (lrd_kind)m.value.kind;
    if (kind != LRD_KIND_HELD)
        CHECK_OK(lrd_release(store, &m.value));
    return kind;
}

static void a_request_older_than_a_minute_pops_copies(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_store *store = store_of_bodies(&queue, 6, 200);
    CHECK_OK(lrd_request_begin(store));
    CHECK_EQ(pop_kind(store, queue, 0), LRD_KIND_HELD);
    /* pretend that the request is too old to hold more values */
    lrd__threads[store->id]->request_until = 1;
    CHECK_EQ(pop_kind(store, queue, 0), LRD_KIND_COPY);
    CHECK_EQ(stats_of(store).copies, 1);
    CHECK_EQ(pop_kind(store, queue, LRD_GET_BORROW), LRD_KIND_BORROWED);
    CHECK_EQ(stats_of(store).copies, 1);
    CHECK_EQ(pop_kind(store, queue, LRD_GET_NO_COPY), LRD_KIND_BORROWED);
    /* with LRD_GET_NO_COPY the host makes the copy, and the core counts this copy */
    CHECK_EQ(stats_of(store).copies, 2);
    CHECK_EQ(pop_kind(store, queue, LRD_GET_PLAIN), LRD_KIND_BORROWED);
    CHECK_EQ(stats_of(store).copies, 2);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(pop_kind(store, queue, 0), LRD_KIND_HELD);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Empty bodies have no bytes, but their blocks have headers. A consumer that holds many empty
 * bodies must still reach its bound, a quarter of the data. Pops must work beyond the bound,
 * too. */
static void empty_bodies_that_are_held_are_bounded(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_store *store = store_of_bodies(&queue, 0, 200);
    lrd_message m;
    uint64_t held = 0, bytes;
    do {
        CHECK_OK(lrd_queue_push(store, queue, "", 0, 200, NULL, NULL));
        CHECK_OK(lrd_queue_pop(store, queue, 0, 0, 0, &m));
        CHECK_OK(lrd_queue_ack(store, queue, m.id));
        held += m.value.kind == LRD_KIND_HELD;
    } while (m.value.kind == LRD_KIND_HELD);
    CHECK_OK(lrd_release(store, &m.value));
    CHECK(held > 1000);
    (void)lrd_holds_limited(store, &bytes);
    CHECK(bytes >= held * sizeof(lrd__block));
    CHECK(bytes <= MIB / 4);
    CHECK_OK(lrd_request_end(store));
    close_checked(store);
}

static void many_plain_bodies_are_borrowed(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_store *store = store_of_bodies(&queue, 50, LRD_TYPE_PLAIN);
    unsigned held = 0;
    CHECK_OK(lrd_request_begin(store));
    while (pop_kind(store, queue, LRD_GET_PLAIN) == LRD_KIND_HELD)
        held++;
    CHECK_EQ(held, LRD_PLAIN_HOLDS);
    CHECK_EQ(pop_kind(store, queue, 0), LRD_KIND_HELD);
    CHECK_EQ(stats_of(store).copies, 0);
    lrd_close(store);
    store = store_of_bodies(&queue, 50, LRD_TYPE_PLAIN - 1);
    for (int i = 0; i < 50; i++)
        CHECK_EQ(pop_kind(store, queue, LRD_GET_PLAIN), LRD_KIND_HELD);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void bodies_that_cannot_be_are_refused(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_store *store = store_of_bodies(&queue, 0, 0);
    lrd_reservation unknown = {.handle = 7, .serial = 9};
    CHECK_CODE(lrd_queue_push(store, queue, "1234567", 7, LRD_TYPE_COUNTER, NULL, NULL),
               LRD_EINVAL);
    CHECK_CODE(lrd_queue_push(store, queue, "", MIB / 2 + 1, 1, NULL, NULL), LRD_ESIZE);
    CHECK_CODE(lrd_queue_push(store, queue, "", (size_t)UINT32_MAX + 1, 1, NULL, NULL), LRD_ESIZE);
    CHECK_CODE(lrd_queue_publish(store, queue, &unknown, NULL, NULL), LRD_ESTATE);
    CHECK_EQ(stats(store, queue).ready, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- a shard that contradicts itself ---- */

static void die_with_the_lock(const char *name, void *store)
{
    (void)name;
    if (shard_locked(store))
        raise(SIGKILL);
}

static void push_and_die(void *store)
{
    failpoint_hook(die_with_the_lock, store);
    (void)lrd_queue_push(store, 0, "dying", 5, 1, NULL, NULL);
}

/* A row that refers to a page without an owner is damaged. The recovery drops all messages of the
 * shard. */
static void a_row_in_a_page_of_no_shard_empties_the_shard(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_store *store = store_of_bodies(&queue, 20, 1);
    uint64_t page = 0;
    while (lrd__page_owner(store, page) != 0)
        page++;
    lrd__message_at(store, 0, 5)->listing = lrd__listing(lrd__page_start(store, page));
    CHECK_KILLED(run_in_child(push_and_die, store), SIGKILL);
    touch_all_shards(store);
    CHECK_EQ(stats_of(store).emptied_shards, 1);
    CHECK_EQ(stats(store, queue).ready, 0);
    CHECK_FSCK(store);
    for (int i = 0; i < 30; i++)
        PUSH(store, queue, "again");
    pop_ack(store, queue, "again");
    CHECK_EQ(stats(store, queue).ready, 29);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- damage that an adopter finds ---- */

static void state_that_is_none(lrd_store *store)
{
    lrd__message *m = lrd__message_at(store, 0, 2);
    lrd__message_become(m, LRD__MESSAGE_BURIED + 1, 0, lrd__message_generation(m));
}
static void generation_of_none(lrd_store *store)
{
    lrd__message_become(lrd__message_at(store, 0, 2), LRD__MESSAGE_READY, 0, 0);
}
static void queue_that_is_none(lrd_store *store) { lrd__message_at(store, 0, 2)->queue = 1000; }
static void queue_of_another_shard(lrd_store *store) { lrd__message_at(store, 0, 2)->queue = 1; }
static void body_in_a_page_of_the_other_shard(lrd_store *store)
{
    lrd__message_at(store, 0, 2)->listing = lrd__message_at(store, 1, 1)->listing;
}
static void body_of_a_counter(lrd_store *store)
{
    lrd__block_window(store, lrd__message_offset(lrd__message_at(store, 0, 2)))->type =
        LRD_TYPE_COUNTER;
}
static void body_of_two(lrd_store *store)
{
    lrd__message_at(store, 0, 2)->listing = lrd__message_at(store, 0, 1)->listing;
}
static void rows_without_memory(lrd_store *store)
{
    store->queue_shards[0].used = store->queue_shards[0].high + 5;
}

static void one_damaged_row_is_dropped(void **state)
{
    (void)state;
    static const struct {
        void (*damage)(lrd_store *store);
        unsigned lost;
    } cases[] = {{state_that_is_none, 1},
                 {generation_of_none, 1},
                 {queue_that_is_none, 1},
                 {queue_of_another_shard, 1},
                 {body_in_a_page_of_the_other_shard, 1},
                 {body_of_a_counter, 1},
                 {body_of_two, 1},
                 {rows_without_memory, 0}};
    const char *path = temp_path("one row");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_context("case %zu", i);
        lrd_store *store = open_shards(path, 2);
        lrd_queue q = open_queue(store, "first"), other = open_queue(store, "second");
        for (int k = 0; k < 10; k++) {
            PUSH(store, q, "body");
            PUSH(store, other, "other");
        }
        cases[i].damage(store);
        lrd_close(store);
        store = open_shards(path, 2);
        CHECK_FSCK(store);
        CHECK_EQ(stats(store, q).ready, 10 - cases[i].lost);
        CHECK_EQ(stats(store, other).ready, 10);
        CHECK_EQ(stats_of(store).emptied_shards, cases[i].lost);
        for (unsigned k = cases[i].lost; k < 10; k++)
            pop_ack(store, q, "body");
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
    check_context("%s", "");
}

/* Each shard stores two numbers in the file: how many rows have memory (high), and how many were
 * ever used (used). If one number is damaged, the adopter uses the other one and finds all
 * messages. If both numbers are impossible, the adopter counts the loss. */
static void damaged_numbers_of_rows_lose_no_message_uncounted(void **state)
{
    (void)state;
    enum { MESSAGES = 100 };
    const char *path = temp_path("row numbers");
    for (uint32_t i = 0; i < 2 * 32 + 2; i++) {
        lrd_store *store = open_shards(path, 2);
        lrd_queue q = open_queue(store, "first"), other = open_queue(store, "second");
        for (int k = 0; k < MESSAGES; k++) {
            PUSH(store, q, "body");
            PUSH(store, other, "other");
        }
        lrd__queue_shard *rows = store->queue_shards + store->queues[q].shard;
        bool lost = i == 2 * 32;
        check_context("case %u", i);
        if (i < 32)
            rows->used ^= 1u << i;
        else if (i < 2 * 32)
            rows->high ^= 1u << (i - 32);
        else if (lost)
            rows->used = rows->high = store->geo.messages_max + 1;
        else
            rows->used = 0;
        lrd_close(store);
        store = open_shards(path, 2);
        CHECK_FSCK(store);
        CHECK_EQ(stats(store, q).ready, lost ? 0 : MESSAGES);
        CHECK_EQ(stats(store, other).ready, MESSAGES);
        CHECK_EQ(stats_of(store).emptied_shards, lost);
        PUSH(store, q, "after");
        for (int k = 0; !lost && k < MESSAGES; k++)
            pop_ack(store, q, "body");
        pop_ack(store, q, "after");
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
    check_context("%s", "");
}

/* One body lies within another body's run. The adopter drops the message with the higher row. */
static void of_two_bodies_in_one_run_one_is_kept(void **state)
{
    (void)state;
    const char *path = temp_path("one run");
    static char body[20000];
    for (uint32_t outer = 1; outer <= 2; outer++) {
        lrd_store *store = open_shards(path, 1);
        lrd_queue q = open_queue(store, "work");
        for (uint32_t link = 1; link <= 2; link++)
            CHECK_OK(lrd_queue_push(store, q, body, link == outer ? 20000 : 9000, 7, NULL, NULL));
        PUSH(store, q, "sound");
        uint64_t at = lrd__message_offset(lrd__message_at(store, 0, outer)) + 4 * LRD__UNIT;
        lrd__message *inner = lrd__message_at(store, 0, 3 - outer);
        memcpy(store->window + at, store->window + lrd__message_offset(inner), 9100);
        inner->listing = lrd__listing(at);
        lrd_close(store);
        store = open_shards(path, 1);
        CHECK_FSCK(store);
        CHECK_EQ(stats_of(store).emptied_shards, 1);
        CHECK_EQ(stats(store, q).ready, 2);
        lrd_message m;
        CHECK_OK(lrd_queue_pop(store, q, 0, 0, 0, &m));
        CHECK_EQ(m.value.size, outer == 1 ? 20000 : 9000);
        CHECK_OK(lrd_release(store, &m.value));
        CHECK_OK(lrd_queue_ack(store, q, m.id));
        pop_ack(store, q, "sound");
        close_checked(store);
        CHECK_EQ(unlink(path), 0);
    }
}

/* A queue's name is damaged. The first choice of a new name is the name of another queue. */
static void a_lost_name_is_replaced_by_a_free_one(void **state)
{
    (void)state;
    const char *path = temp_path("lost name");
    const char *name;
    size_t len;
    lrd_store *store = open_shards(path, 2);
    open_queue(store, "damaged-1");
    lrd_queue lost = open_queue(store, "lost");
    PUSH(store, lost, "body");
    memset(store->queues[lost].name, 0, sizeof store->queues[lost].name);
    store->queues[lost].name_len = 5000;
    lrd_close(store);
    store = open_shards(path, 2);
    CHECK_FSCK(store);
    CHECK_OK(lrd_queue_name(store, lost, &name, &len));
    CHECK(len == 12 && memcmp(name, "damaged-1025", len) == 0);
    pop_ack(store, lost, "body");
    CHECK_EQ(stats_of(store).emptied_shards, 1);
    close_checked(store);
    CHECK_EQ(unlink(path), 0);
}

static void a_number_of_queues_without_any_is_none(void **state)
{
    (void)state;
    const char *path = temp_path("no queue");
    lrd_store *store = open_shards(path, 2);
    atomic_store(&store->queue_shards->queues, 3);
    lrd_close(store);
    store = open_shards(path, 2);
    CHECK_EQ(lrd__queues_used(store), 0);
    CHECK_EQ(open_queue(store, "first"), 0);
    close_checked(store);
    CHECK_EQ(unlink(path), 0);
}

static lrd__message *row_with_grandchild(lrd_store *store)
{
    lrd__message *rows = lrd__messages_of(store, 0), *m = rows;
    while (lrd__message_state(m) == LRD__MESSAGE_FREE || m->right == 0 ||
           rows[m->right - 1].left == 0)
        m++;
    return m;
}

static lrd__message *right_of(lrd_store *store, const lrd__message *m)
{
    return lrd__message_at(store, 0, m->right);
}

static void child_of_itself(lrd_store *store)
{
    lrd__message *m = row_with_grandchild(store);
    right_of(store, m)->left = m->right;
}
static void child_and_parent_of_itself(lrd_store *store)
{
    lrd__message *m = row_with_grandchild(store);
    right_of(store, m)->left = right_of(store, m)->up = m->right;
}
static void child_outside(lrd_store *store)
{
    right_of(store, row_with_grandchild(store))->left = INT32_MAX;
}
static void child_of_two(lrd_store *store)
{
    lrd__message *m = row_with_grandchild(store);
    m->left = right_of(store, m)->left;
}
static void parent_outside(lrd_store *store)
{
    right_of(store, row_with_grandchild(store))->up = INT32_MAX;
}
static void child_in_another_state(lrd_store *store)
{
    lrd__message *m = right_of(store, row_with_grandchild(store));
    lrd__message_become(m, LRD__MESSAGE_BURIED, 0, lrd__message_generation(m));
}
static lrd__tree *ready_tree(lrd_store *store) { return store->queues->tree; }
static void root_in_an_empty_tree(lrd_store *store) { ready_tree(store)[2].root = 7; }
static void root_of_another_tree(lrd_store *store)
{
    ready_tree(store)[2].root = ready_tree(store)->root;
}
static void root_outside(lrd_store *store) { ready_tree(store)->root = INT32_MAX; }
static void root_is_free(lrd_store *store)
{
    ready_tree(store)->root = store->queue_shards->free;
    lrd__message *m = lrd__message_at(store, 0, store->queue_shards->free);
    m->up = 0;
    m->right = INT32_MAX;
}
static void no_root(lrd_store *store) { ready_tree(store)->root = 0; }
static void wrong_first(lrd_store *store) { ready_tree(store)->first = ready_tree(store)->root; }
static void wrong_last(lrd_store *store) { ready_tree(store)->last = INT32_MAX; }
static void wrong_count(lrd_store *store) { ready_tree(store)->count++; }
static void no_block(lrd_store *store) { row_with_grandchild(store)->listing = 0; }
static void parent_of_itself(lrd_store *store)
{
    lrd__message *m = row_with_grandchild(store);
    right_of(store, m)->up = m->right;
}
static void the_same_turn(lrd_store *store)
{
    lrd__message *m = row_with_grandchild(store), *child = right_of(store, m);
    child->priority = m->priority;
    child->turn = m->turn;
}

static void find_damage(void *arg)
{
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(300);
    CHECK(lrd_fsck(arg, NULL, NULL) > 0);
}

static void the_checker_finds_damaged_links(void **state)
{
    (void)state;
    static void (*const damages[])(lrd_store *) = {child_of_itself,
                                                   child_and_parent_of_itself,
                                                   child_outside,
                                                   child_of_two,
                                                   parent_outside,
                                                   child_in_another_state,
                                                   no_root,
                                                   root_in_an_empty_tree,
                                                   root_of_another_tree,
                                                   root_outside,
                                                   root_is_free,
                                                   wrong_first,
                                                   wrong_last,
                                                   wrong_count,
                                                   the_same_turn,
                                                   no_block,
                                                   parent_of_itself};
    for (uint32_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        check_context("damage %u", i);
        lrd_store *store = store_new(LRD_QUEUE, 4 * MIB, 1);
        lrd_queue q = open_queue(store, "work");
        for (int k = 0; k < 30; k++)
            PUSH(store, q, "message", .priority = k * 7 % 5);
        pop_ack(store, q, "message");
        CHECK_FSCK(store);
        damages[i](store);
        CHECK_CHILD(run_in_child(find_damage, store));
        lrd_close(store);
    }
}

/* Random bytes of an unused file are overwritten. The next process must open a consistent store. */
static void damaged_rows_are_dropped(void **state)
{
    (void)state;
    uint64_t chance = test_seed(1818);
    const char *path = temp_path("damaged");
    for (int round = 0; round < 150; round++) {
        lrd_store *store = open_named(path);
        lrd_queue q = open_queue(store, "work"), other = open_queue(store, "other");
        char body[3000];
        memset(body, 'b', sizeof body);
        for (int i = 0; i < 30; i++) {
            lrd_push how = {.priority = i % 3, .delay_ms = i % 7 == 0 ? 1000000 : 0};
            CHECK_OK(lrd_queue_push(store, i % 2 ? q : other, body, random_below(&chance, 3000), 7,
                                    &how, NULL));
        }
        CHECK_OK(lrd_queue_push(store, q, body, sizeof body, 7, NULL, NULL));
        for (int i = 0; i < 20; i++) {
            uint8_t *area = i % 3 == 0 ? (uint8_t *)lrd__messages_of(store, store->queues[q].shard)
                            : i % 3 == 1 ? (uint8_t *)store->queues
                                         : (uint8_t *)store->queue_shards;
            uint64_t size = i % 3 == 0   ? 30 * sizeof(lrd__message)
                            : i % 3 == 1 ? 2 * sizeof(lrd__queue)
                                         : store->geo.shards * sizeof(lrd__queue_shard);
            if (random_below(&chance, 3) == 0)
                area[random_below(&chance, size)] = (uint8_t)random_below(&chance, 256);
        }
        lrd_close(store);
        store = open_named(path);
        CHECK_FSCK(store);
        q = open_queue(store, "work");
        lrd_message m;
        int rc;
        while ((rc = lrd_queue_pop(store, q, 0, 0, 0, &m)) == LRD_OK) {
            CHECK(m.value.size <= sizeof body && memcmp(m.value.data, body, m.value.size) == 0);
            CHECK_OK(lrd_release(store, &m.value));
            CHECK_OK(lrd_queue_ack(store, q, m.id));
        }
        CHECK_EQ(rc, LRD_MISS);
        CHECK_OK(lrd_queue_clear(store, open_queue(store, "other"), false, NULL));
        CHECK_OK(lrd_queue_clear(store, q, true, NULL));
        CHECK_FSCK(store);
        lrd_close(store);
        if (round % 10 == 9)
            CHECK_EQ(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priority_goes_before_age),
        cmocka_unit_test(the_oldest_ready_message_has_an_age_whatever_its_priority),
        cmocka_unit_test(a_message_has_waited_since_its_delay_ended_or_it_was_kicked),
        cmocka_unit_test(any_order_of_priorities_comes_out_sorted),
        cmocka_unit_test(what_comes_back_keeps_its_place),
        cmocka_unit_test(delays_ttl_and_time_to_run),
        cmocka_unit_test(time_to_run_ends_by_itself),
        cmocka_unit_test(what_was_due_before_goes_before),
        cmocka_unit_test(buried_until_kicked),
        cmocka_unit_test(a_clear_of_reserved_messages_ends_them),
        cmocka_unit_test(each_removal_counts_once),
        cmocka_unit_test(rows_are_mapped_many_at_once),
        cmocka_unit_test(a_large_body_is_built_where_it_is_read),
        cmocka_unit_test(after_a_death_each_flag_of_a_sleeper_is_set),
        cmocka_unit_test(who_opens_a_known_queue_needs_no_slot),
        cmocka_unit_test(each_of_many_owners_keeps_its_message),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(ids_are_never_given_twice),
        cmocka_unit_test(bodies_are_not_copied_and_outlive_their_message),
        cmocka_unit_test(what_is_free_is_counted_without_messages),
        cmocka_unit_test(a_full_queue_leaves_room_for_others),
        cmocka_unit_test(what_expired_is_in_no_count),
        cmocka_unit_test(what_expired_makes_room),
        cmocka_unit_test(a_push_searches_until_it_finds_what_expired),
        cmocka_unit_test(what_expired_in_another_shard_makes_room),
        cmocka_unit_test(a_sweep_drops_what_expired),
        cmocka_unit_test(delays_go_on_in_suspend),
        cmocka_unit_test(what_time_brings_is_done_in_batches),
        cmocka_unit_test(a_push_lets_many_go_before_in_batches),
        cmocka_unit_test(many_reserved_messages_are_looked_at_in_parts),
        cmocka_unit_test(who_looks_at_many_may_be_killed),
        cmocka_unit_test(a_dead_owner_has_no_message_while_its_slot_is_given_back),
        cmocka_unit_test(a_full_queue_is_searched_where_something_can_have_expired),
        cmocka_unit_test(queues_have_their_names),
        cmocka_unit_test(dead_owners_give_back_at_once),
        cmocka_unit_test(a_dead_owners_message_is_anybodys_to_remove),
        cmocka_unit_test(a_push_wakes_one_of_many),
        cmocka_unit_test(waiting_consumers_use_no_processor),
        cmocka_unit_test(sleepers_notice_dead_owners),
        cmocka_unit_test(a_stopped_watcher_is_replaced),
        cmocka_unit_test(a_wake_up_may_die_with_its_sleeper),
        cmocka_unit_test(who_was_woken_is_not_woken_again),
        cmocka_unit_test(consumers_rest_where_it_pays),
        cmocka_unit_test(consumers_hardly_rest_where_it_slows),
        cmocka_unit_test(who_rests_is_not_woken),
        cmocka_unit_test(signals_end_a_wait),
        cmocka_unit_test(a_signal_just_before_a_sleep_ends_the_wait),
        cmocka_unit_test(a_push_may_wait_for_room),
        cmocka_unit_test(a_push_does_not_sleep_where_room_was_made),
        cmocka_unit_test(open_reservations_do_not_exceed_the_capacity),
        cmocka_unit_test(publishing_drops_what_expired),
        cmocka_unit_test(a_push_goes_on_waiting_when_others_were_faster),
        cmocka_unit_test(a_reservation_is_over_when_publishing_fails),
        cmocka_unit_test(a_push_that_is_refused_counts_once),
        cmocka_unit_test(a_store_of_queues_reserves_no_entries),
        cmocka_unit_test(a_named_store_keeps_its_messages),
        cmocka_unit_test(a_message_of_the_last_user_counts_as_returned),
        cmocka_unit_test(a_damaged_turn_loses_no_message),
        cmocka_unit_test(turns_of_another_queue_lose_no_message),
        cmocka_unit_test(a_damaged_row_of_a_queue_loses_no_message),
        cmocka_unit_test(a_damaged_number_of_queues_makes_none_and_loses_none),
        cmocka_unit_test(lost_messages_and_names_are_counted),
        cmocka_unit_test(who_adopts_queues_may_be_killed),
        cmocka_unit_test(the_checker_finds_damaged_links),
        cmocka_unit_test(damaged_rows_are_dropped),
        cmocka_unit_test(times_without_an_end_do_not_wrap),
        cmocka_unit_test(a_request_older_than_a_minute_pops_copies),
        cmocka_unit_test(empty_bodies_that_are_held_are_bounded),
        cmocka_unit_test(many_plain_bodies_are_borrowed),
        cmocka_unit_test(bodies_that_cannot_be_are_refused),
        cmocka_unit_test(a_row_in_a_page_of_no_shard_empties_the_shard),
        cmocka_unit_test(one_damaged_row_is_dropped),
        cmocka_unit_test(damaged_numbers_of_rows_lose_no_message_uncounted),
        cmocka_unit_test(of_two_bodies_in_one_run_one_is_kept),
        cmocka_unit_test(a_lost_name_is_replaced_by_a_free_one),
        cmocka_unit_test(a_number_of_queues_without_any_is_none),
        cmocka_unit_test(the_last_step_of_a_wait_is_a_part),
        cmocka_unit_test(a_batch_that_is_used_up_leaves_dead_owners_to_the_next),
        cmocka_unit_test(who_drops_what_expired_searches_again),
        cmocka_unit_test(rows_in_holes_get_memory),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
