/* pace_test.c - how a consumer waits at a queue: whether it rests (pace.c), how long it sleeps, and
 * which consumers a push wakes (queue_wait.c). Most tests give the time as an argument. */
#include "support.h"

#include "internal.h"

#include <pthread.h>

enum { START = 100, SLEEPS = 16 };

/* Return a pace with `taken` messages and enough sleeps. The next lrd__pace_rests() decides whether
 * the consumer sleeps or rests. */
static lrd__pace nearly(const lrd__queue *queue, uint32_t taken)
{
    lrd__pace pace = {0};
    CHECK(!lrd__pace_rests(&pace, queue, START));
    CHECK(pace.queue == queue);
    CHECK_EQ(pace.since, START);
    for (unsigned i = 1; i < SLEEPS; i++)
        CHECK(!lrd__pace_rests(&pace, queue, START + i));
    for (uint32_t i = 0; i < taken; i++)
        lrd__pace_take(&pace, queue, 100);
    return pace;
}

static void a_consumer_that_is_often_woken_rests(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 160);
    /* 160 messages have come in 20 ms, so 16 are expected in a rest of 2 ms */
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, 16 * 16);
    CHECK_EQ(pace.mean, 16 * 16);
    CHECK_EQ(pace.since, START + 19);
    CHECK_EQ(pace.pauses, 0);
    CHECK_EQ(pace.taken, 0);
}

static void fewer_than_four_expected_messages_are_too_few(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 39);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, 0);
    CHECK_EQ(pace.taken, 0);
    pace = nearly(&queue, 40);
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
}

static void the_messages_of_a_rest_take_a_quarter_of_the_queue_at_most(void **state)
{
    (void)state;
    lrd__queue queue = {.capacity = 64};
    lrd__pace pace = nearly(&queue, 160);
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
    queue.capacity = 63;
    pace = nearly(&queue, 160);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, 0);
}

static void more_messages_are_expected_than_the_count_can_hold(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 0);
    pace.taken = 10000000;
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, UINT16_MAX * 16);
    CHECK_EQ(pace.mean, UINT16_MAX * 16);
}

static void another_queue_and_large_bodies_begin_anew(void **state)
{
    (void)state;
    lrd__queue queue = {0}, other = {0};
    lrd__pace pace = nearly(&queue, 100);
    lrd__pace_take(&pace, &other, 100);
    CHECK_EQ(pace.taken, 100);
    lrd__pace_take(&pace, &queue, 4096);
    CHECK_EQ(pace.taken, 101);
    CHECK(pace.queue == &queue);
    lrd__pace_take(&pace, &queue, 4097);
    CHECK(pace.queue == NULL);
    pace = nearly(&queue, 160);
    CHECK(!lrd__pace_rests(&pace, &other, START + 19));
    CHECK(pace.queue == &other);
    CHECK_EQ(pace.taken, 0);
    CHECK_EQ(pace.patience, SLEEPS);
}

/* Return the pace of a consumer that has begun to rest, and expects 16 messages in each rest. */
static lrd__pace resting(const lrd__queue *queue, uint32_t patience)
{
    lrd__pace pace = nearly(queue, 160);
    CHECK(lrd__pace_rests(&pace, queue, START + 19));
    pace.patience = patience;
    return pace;
}

static void rests_go_on_while_the_messages_come(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = resting(&queue, 64);
    for (unsigned rest = 1; rest <= 4; rest++) {
        pace.taken = 16;
        CHECK(lrd__pace_rests(&pace, &queue, START + 20 + rest));
        CHECK_EQ(pace.mean, 16 * 16);
        CHECK_EQ(pace.taken, 0);
        CHECK_EQ(pace.patience, rest < 4 ? 64 : SLEEPS);
    }
    pace.taken = 1000;
    CHECK(lrd__pace_rests(&pace, &queue, START + 30));
    CHECK_EQ(pace.mean, 2 * 16 * 16);
    CHECK_EQ(pace.since, START + 19);
}

static void rests_end_when_too_few_messages_come(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = resting(&queue, 64);
    pace.taken = 4;
    CHECK(lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.mean, 13 * 16);
    pace = resting(&queue, 64);
    pace.taken = 3;
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    /* The consumer rests no more, because the last rest has brought too few messages. Before the
     * next rest, it must sleep more often than before this one. */
    CHECK_EQ(pace.patience, 2 * 64);
    CHECK_EQ(pace.expected, 0);
    CHECK_EQ(pace.pauses, 0);
    CHECK_EQ(pace.taken, 0);
    CHECK_EQ(pace.since, START + 20);
    pace = resting(&queue, 1024);
    pace.taken = 3;
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.patience, 1024);
    pace = resting(&queue, 64);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.patience, 64);
}

/* ---- sleeping and waking ---- */

enum { NOW = 1000000 };

typedef struct waiting {
    lrd_store *store;
    lrd_queue number;
    lrd__queue *queue;
    lrd__thread *self;
    test_clock *clock;
} waiting;

static waiting waiting_new(void)
{
    waiting w = {.clock = clock_new()};
    atomic_store(w.clock, NOW);
    w.store = store_with_clock(LRD_QUEUE, 4 * 1024 * 1024, 1, w.clock);
    CHECK_OK(lrd_queue_open(w.store, "work", 4, 0, &w.number));
    w.queue = w.store->queues + w.number;
    w.self = lrd__threads[w.store->id];
    return w;
}

/* Begin a sleep at `now`. `looked` is the time of the previous look at the queue. */
static lrd__sleep sleep_begin_late(const waiting *w, uint64_t now, uint64_t looked)
{
    lrd__sleep sleep = {0};
    w->queue->looked = now;
    CHECK_OK(lrd__shard_lock(w->store, w->self, w->queue->shard));
    lrd__sleep_begin(w->self, w->queue, now, looked, &sleep);
    lrd__shard_unlock(w->store, w->queue->shard);
    return sleep;
}

static lrd__sleep sleep_begin(const waiting *w, uint64_t now)
{
    return sleep_begin_late(w, now, now);
}

static lrd__wake sleep_end(const waiting *w)
{
    lrd__wake wake = {0};
    CHECK_OK(lrd__shard_lock(w->store, w->self, w->queue->shard));
    lrd__sleep_end(w->self, w->queue, &wake);
    lrd__shard_unlock(w->store, w->queue->shard);
    return wake;
}

static void the_first_sleeper_watches_until_something_is_due(void **state)
{
    (void)state;
    waiting w = waiting_new();
    lrd_message m;
    atomic_store(&w.queue->watch, 77);
    lrd__sleep sleep = sleep_begin(&w, NOW);
    CHECK(sleep.watches);
    CHECK_EQ(sleep.most, 50);
    CHECK_EQ(sleep.turn, 77);
    CHECK_EQ(w.queue->sleeps, 1);
    CHECK_EQ(w.queue->sleepers, 0);
    CHECK_EQ(w.queue->watcher, w.self->incarnation);
    CHECK_EQ(w.queue->watcher_slot, w.self->slot_index);
    CHECK_OK(lrd_queue_push(w.store, w.number, "body", 4, 0, &(lrd_push){.delay_ms = 20}, NULL));
    CHECK_EQ(sleep_begin(&w, NOW).most, 20);
    CHECK_EQ(sleep_begin(&w, NOW + 19).most, 1);
    CHECK_EQ(sleep_begin(&w, NOW + 20).most, 1);
    CHECK_EQ(sleep_begin(&w, NOW + 100).most, 1);
    CHECK_EQ(w.queue->sleeps, 5);
    CHECK_OK(lrd_queue_push(w.store, w.number, "work", 4, 0, &(lrd_push){0}, NULL));
    CHECK_OK(lrd_queue_pop(w.store, w.number, 0, 0, 7, &m));
    CHECK_EQ(sleep_begin(&w, NOW).most, 7);
    CHECK_OK(lrd_release(w.store, &m.value));
    lrd_close(w.store);
}

typedef struct other {
    waiting *w;
    pthread_barrier_t here, over;
    uint32_t slot;
    uint64_t incarnation;
} other;

static void *be_there(void *arg)
{
    other *o = arg;
    lrd_queue_stats s;
    CHECK_OK(lrd_queue_push(o->w->store, o->w->number, "x", 1, 0, &(lrd_push){0}, NULL));
    CHECK_OK(lrd_queue_stats_get(o->w->store, o->w->number, &s));
    o->slot = lrd__threads[o->w->store->id]->slot_index;
    o->incarnation = lrd__threads[o->w->store->id]->incarnation;
    pthread_barrier_wait(&o->here);
    pthread_barrier_wait(&o->over);
    return NULL;
}

static void beside_a_living_watcher_others_only_sleep(void **state)
{
    (void)state;
    waiting w = waiting_new();
    other o = {.w = &w};
    pthread_t thread;
    CHECK_EQ(pthread_barrier_init(&o.here, NULL, 2), 0);
    CHECK_EQ(pthread_barrier_init(&o.over, NULL, 2), 0);
    CHECK_EQ(pthread_create(&thread, NULL, be_there, &o), 0);
    pthread_barrier_wait(&o.here);
    /* The two threads must differ in their slot numbers only. */
    CHECK_EQ(o.incarnation, w.self->incarnation);
    CHECK(o.slot != w.self->slot_index);
    w.queue->watcher = o.incarnation;
    w.queue->watcher_slot = o.slot;
    atomic_store(&w.queue->arrivals, 55);
    lrd__sleep sleep = sleep_begin_late(&w, NOW, NOW - 200);
    CHECK(!sleep.watches);
    CHECK_EQ(sleep.most, 1000);
    CHECK_EQ(sleep.turn, 55);
    CHECK_EQ(w.queue->sleepers, 1);
    CHECK_EQ(w.queue->watcher_slot, o.slot);
    uint32_t arrivals = atomic_load(&w.queue->arrivals);
    CHECK(!sleep_end(&w).sleepers);
    CHECK_EQ(w.queue->watcher, o.incarnation);
    CHECK_EQ(atomic_load(&w.queue->arrivals), arrivals);
    CHECK(!sleep_begin_late(&w, NOW, 0).watches); /* the time of the last look is not known */
    /* the watcher has not looked at the queue for more than 200 ms */
    sleep = sleep_begin_late(&w, NOW, NOW - 201);
    CHECK(sleep.watches);
    CHECK_EQ(w.queue->watcher_slot, w.self->slot_index);
    CHECK(sleep_begin(&w, NOW).watches);
    lrd__wake wake = sleep_end(&w);
    CHECK(wake.sleepers);
    CHECK_EQ(w.queue->watcher, 0);
    CHECK_EQ(atomic_load(&w.queue->arrivals), arrivals + 1);
    w.queue->sleepers = 0;
    CHECK(sleep_begin(&w, NOW).watches);
    CHECK(!sleep_end(&w).sleepers);
    CHECK_EQ(atomic_load(&w.queue->arrivals), arrivals + 1);
    /* no thread has this incarnation, so the watcher is dead */
    w.queue->watcher = o.incarnation + 1;
    w.queue->watcher_slot = o.slot;
    CHECK(sleep_begin(&w, NOW).watches);
    sleep_end(&w);
    pthread_barrier_wait(&o.over);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    lrd_close(w.store);
}

static void a_wake_up_without_a_sleeper_clears_the_flags(void **state)
{
    (void)state;
    waiting w = waiting_new();
    uint64_t wakeups = atomic_load(&w.queue->wakeups);
    w.queue->sleepers = 1;
    w.queue->sleeps = 9;
    /* no thread has this incarnation, so the watcher is dead */
    w.queue->watcher = w.self->incarnation + 1;
    w.queue->watcher_slot = w.self->slot_index;
    lrd__wake_send(w.self, w.queue, &(lrd__wake){.sleepers = true, .sleeps = 8});
    /* This wake-up was chosen after 8 sleeps. A 9th sleep has begun since, so the wake-up must not
     * clear `sleepers` and `watcher`. */
    CHECK_EQ(w.queue->sleepers, 1);
    CHECK(w.queue->watcher != 0);
    lrd__wake_send(w.self, w.queue, &(lrd__wake){.sleeps = 9});
    lrd__wake_send(w.self, w.queue, &(lrd__wake){.pusher = true, .sleeps = 9});
    CHECK_EQ(w.queue->sleepers, 1);
    lrd__wake_send(w.self, w.queue, &(lrd__wake){.sleepers = true, .sleeps = 9});
    CHECK_EQ(w.queue->sleepers, 0);
    CHECK_EQ(w.queue->watcher, 0);
    w.queue->sleepers = 1;
    w.queue->watcher = w.self->incarnation;
    lrd__wake_send(w.self, w.queue, &(lrd__wake){.watcher = true, .sleeps = 9});
    CHECK_EQ(w.queue->sleepers, 0);
    CHECK_EQ(w.queue->watcher, w.self->incarnation); /* the watcher is alive */
    CHECK_EQ(atomic_load(&w.queue->wakeups), wakeups);
    CHECK_EQ(atomic_load(&w.queue->awake), 0);
    w.queue->watcher = 0;
    lrd_close(w.store);
}

typedef struct sleeper {
    waiting *w;
    lrd__sleep sleep;
    gate woken;
} sleeper;

static void *sleep_here(void *arg)
{
    sleeper *s = arg;
    while (lrd__sleep_now(s->w->queue, &s->sleep, 600000) != LRD_OK)
        ;
    atomic_store(&s->woken, 1);
    return NULL;
}

static void a_push_wakes_a_sleeper_else_the_watcher(void **state)
{
    (void)state;
    waiting w = waiting_new();
    for (unsigned watches = 0; watches < 2; watches++) {
        sleeper s = {.w = &w, .sleep = {.watches = watches != 0, .most = 600000}};
        pthread_t thread;
        uint64_t before = atomic_load(&w.queue->wakeups);
        atomic_store(&w.queue->awake, 0);
        CHECK_EQ(pthread_create(&thread, NULL, sleep_here, &s), 0);
        w.queue->sleeps = 42;
        for (unsigned i = 0; i < 100000 && atomic_load(&w.queue->wakeups) == before; i++) {
            lrd__wake_send(w.self, w.queue,
                           &(lrd__wake){.sleepers = true, .watcher = true, .sleeps = 42});
            sleep_ms(1);
        }
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK_EQ(atomic_load(&s.woken), 1);
        CHECK_EQ(atomic_load(&w.queue->wakeups), before + 1);
        CHECK_EQ(atomic_load(&w.queue->awake), watches ? 42 : 0);
    }
    lrd_close(w.store);
}

static void a_sleep_lasts_as_long_as_it_may(void **state)
{
    (void)state;
    waiting w = waiting_new();
    lrd__sleep sleep = {.most = 1000, .turn = atomic_load(&w.queue->arrivals)};
    uint64_t before = real_ms();
    while (lrd__sleep_now(w.queue, &sleep, 600000) != LRD_OK)
        ;
    CHECK(real_ms() - before >= 999);
    sleep.turn++;
    CHECK_OK(lrd__sleep_now(w.queue, &sleep, 600000));
    before = real_ms();
    uint32_t turn = lrd__room_sleep_begin(w.queue);
    CHECK_EQ(w.queue->pushers, 1);
    while (lrd__room_sleep(w.queue, turn, 30) != LRD_OK)
        ;
    CHECK(real_ms() - before >= 29);
    lrd_close(w.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_consumer_that_is_often_woken_rests),
        cmocka_unit_test(fewer_than_four_expected_messages_are_too_few),
        cmocka_unit_test(the_messages_of_a_rest_take_a_quarter_of_the_queue_at_most),
        cmocka_unit_test(more_messages_are_expected_than_the_count_can_hold),
        cmocka_unit_test(another_queue_and_large_bodies_begin_anew),
        cmocka_unit_test(rests_go_on_while_the_messages_come),
        cmocka_unit_test(rests_end_when_too_few_messages_come),
        cmocka_unit_test(the_first_sleeper_watches_until_something_is_due),
        cmocka_unit_test(beside_a_living_watcher_others_only_sleep),
        cmocka_unit_test(a_wake_up_without_a_sleeper_clears_the_flags),
        cmocka_unit_test(a_push_wakes_a_sleeper_else_the_watcher),
        cmocka_unit_test(a_sleep_lasts_as_long_as_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
