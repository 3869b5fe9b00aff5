/* liveness_test.c - progress that must not depend on other processes: memory is freed while holds
 * move, a full index evicts a held entry, and a sweep passes a busy shard. */
#include "support.h"

#include "internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB (1u << 20)
#define LEDGER_RESCANS 100u /* must be the number in ledger.c */

static char bytes[4096];

static int put_bytes(lrd_store *store, const char *key, size_t size)
{
    return lrd_put(store, key, strlen(key), bytes, size, NULL);
}

/* ---- holds that move while ledgers are scanned ---- */

/* A thread that makes one move at the test's request, and reports when it is done. */
typedef struct mover {
    lrd_store *store;
    void (*move)(struct mover *);
    const char *point;     /* the fail point of the scan at which the thread moves */
    uint32_t slots, after; /* the thread moves when the scan has passed `after` slots */
    lrd_value borrowed, held;
    _Atomic uint32_t asked, done;
    _Atomic bool ended;
} mover;

static void *move_when_asked(void *arg)
{
    mover *m = arg;
    for (;;) {
        while (m->asked == m->done)
            sched_yield();
        if (m->ended)
            return NULL;
        m->move(m);
        m->done++;
    }
}

static void ask(mover *m)
{
    m->asked++;
    while (m->asked != m->done)
        sched_yield();
}

static void ask_at_the_point(const char *name, void *arg)
{
    mover *m = arg;
    if (strcmp(name, m->point) == 0 && m->slots++ >= m->after)
        ask(m);
}

static void borrow_hold_release(mover *m)
{
    CHECK_OK(lrd_get(m->store, "other", 5, LRD_GET_BORROW, &m->borrowed));
    CHECK_OK(lrd_hold(m->store, &m->borrowed, &m->held));
    CHECK_OK(lrd_release(m->store, &m->held));
}

static void borrow_key(mover *m)
{
    CHECK_OK(lrd_get(m->store, "key", 3, LRD_GET_BORROW, &m->borrowed));
    CHECK_EQ(m->borrowed.kind, LRD_KIND_BORROWED);
}

/* Hold the borrowed value, then borrow another value. The hold moves the value from the ledger's
 * spare entry to another entry. Does nothing if this thread already has a hold. */
static void hold_it_and_borrow_another(mover *m)
{
    lrd_value other;
    if (m->held.kind != LRD_KIND_NONE)
        return;
    CHECK_OK(lrd_hold(m->store, &m->borrowed, &m->held));
    CHECK_EQ(m->held.kind, LRD_KIND_HELD);
    CHECK_OK(lrd_get(m->store, "other", 5, LRD_GET_BORROW, &other));
}

static void start_mover(mover *m, lrd_store *store, pthread_t *thread)
{
    *m = (mover){.store = store};
    CHECK_OK(put_bytes(store, "key", 3000));
    CHECK_OK(put_bytes(store, "other", 100));
    CHECK_EQ(pthread_create(thread, NULL, move_when_asked, m), 0);
}

static void end_mover(mover *m, pthread_t thread)
{
    m->ended = true;
    m->asked++;
    pthread_join(thread, NULL);
}

static void hold_other(mover *m)
{
    CHECK_OK(lrd_get(m->store, "other", 5, 0, &m->held));
    CHECK_EQ(m->held.kind, LRD_KIND_HELD);
}

static void release_held(mover *m) { CHECK_OK(lrd_release(m->store, &m->held)); }

/* A scan of ledgers starts again if a hold was handed over meanwhile. Pretend handovers, until the
 * scan gives up. Then ask the mover to release its hold. */
static void move_until_given_up(const char *name, void *arg)
{
    mover *m = arg;
    if (strcmp(name, "ledger_read") != 0 || m->after == 0)
        return;
    atomic_fetch_add(&m->store->header->handovers, 1);
    if (++m->slots < m->after)
        return;
    m->after = 0;
    ask(m);
}

static void die_with_the_lock(void *store)
{
    CHECK_OK(lrd__shard_lock(store, NULL, 0));
    raise(SIGKILL);
}

/* Holds move during a recovery, so the recovery's scan of the ledgers fails. The recovery then
 * marks all blocks without an index word as held, even blocks that no thread holds. A later scan
 * must clear these marks and free the blocks. */
static void what_a_recovery_took_for_held_is_looked_at_again(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    pthread_t thread;
    mover m;
    start_mover(&m, store, &thread);
    m.move = hold_other;
    ask(&m);
    CHECK_KILLED(run_in_child(die_with_the_lock, store), SIGKILL);
    m.move = release_held;
    m.slots = 0;
    m.after = LEDGER_RESCANS * atomic_load(&store->header->slots_high);
    failpoint_hook(move_until_given_up, &m);
    CHECK_OK(lrd_delete(store, "key", 3));
    failpoint_hook(NULL, NULL);
    CHECK_EQ(m.after, 0);
    CHECK_FSCK(store);
    CHECK_OK(lrd_delete(store, "other", 5));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    end_mover(&m, thread);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void memory_comes_back_while_somebody_holds_what_he_borrowed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    pthread_t thread;
    mover m;
    uint64_t freed = 0;
    start_mover(&m, store, &thread);
    m.move = borrow_hold_release;
    m.point = "ledger_read";
    CHECK_OK(lrd_delete(store, "key", 3));
    failpoint_hook(ask_at_the_point, &m);
    CHECK_OK(lrd_sweep(store, &freed));
    failpoint_hook(NULL, NULL);
    CHECK(m.done > 0);
    CHECK(freed >= 3000);
    end_mover(&m, thread);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_borrow_that_is_held_in_the_midst_of_a_scan_is_seen(void **state)
{
    (void)state;
    static const char *const points[] = {"ledger_read", "ledger_spare"};
    for (int i = 0; i < 2; i++) {
        lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
        pthread_t thread;
        mover m;
        start_mover(&m, store, &thread);
        m.move = borrow_key;
        ask(&m);
        CHECK_OK(lrd_delete(store, "key", 3));
        m.move = hold_it_and_borrow_another;
        m.point = points[i];
        m.after = 1; /* the mover's slot comes after the slot of this thread */
        failpoint_hook(ask_at_the_point, &m);
        CHECK_OK(lrd_sweep(store, NULL));
        failpoint_hook(NULL, NULL);
        CHECK_EQ(m.held.kind, LRD_KIND_HELD);
        CHECK(stats_of(store).retired_bytes >= 3000);
        CHECK_EQ(memcmp(m.held.data, bytes, 3000), 0);
        end_mover(&m, thread);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void put_numbered(lrd_store *store, const char *name, int number, size_t size)
{
    static char value[20000];
    char key[32];
    snprintf(key, sizeof key, "%s %d", name, number);
    CHECK_OK(lrd_put(store, key, strlen(key), value, size, NULL));
}

/* The last scan found the values held. After the scan, their holds have ended, and nothing was
 * retired. A put must scan again and free them, before it evicts live entries. */
static void what_is_held_no_longer_goes_before_what_lives(void **state)
{
    (void)state;
    enum { SIZE = 20000, MOST = 400 };
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    static lrd_value held[MOST];
    char key[32];
    int keys = 0, count = 0;
    while (stats_of(store).evicted == 0)
        put_numbered(store, "key", keys++, SIZE);
    for (int i = keys - 1; i >= 0 && count < MOST; i--) {
        snprintf(key, sizeof key, "key %d", i);
        if (lrd_get(store, key, strlen(key), 0, &held[count]) != LRD_OK)
            continue;
        /* Skip values that the get has copied. It copies a value that lies in the zone, and every
         * value if the quota of holds is used up. */
        if (held[count].kind != LRD_KIND_HELD) {
            CHECK_OK(lrd_release(store, &held[count]));
            continue;
        }
        CHECK_OK(lrd_delete(store, key, strlen(key)));
        count++;
    }
    CHECK(count > 50);
    for (int i = 0; i < keys; i++)
        put_numbered(store, "other", i, SIZE);
    CHECK(stats_of(store).retired_bytes >= (uint64_t)count * SIZE);
    uint64_t evicted = stats_of(store).evicted;
    CHECK_OK(lrd_request_end(store));
    for (int i = 0; i < count / 2; i++)
        put_numbered(store, "more", i, SIZE);
    CHECK_EQ(stats_of(store).evicted, evicted);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- a full index ---- */

static void held_entries_give_way_in_a_full_index(void **state)
{
    (void)state;
    enum { HELD = 900 };
    lrd_options options = {.size = 4 * MIB, .shards = 1, .slots = 64, .entries_hint = 4000};
    lrd_store *store;
    static lrd_value held[HELD];
    char key[32];
    int count = 0, keys = 0;
    CHECK_OK(lrd_open(&options, &store));
    while (stats_of(store).evicted == 0) {
        snprintf(key, sizeof key, "key %d", keys++);
        CHECK_OK(put_bytes(store, key, 16));
    }
    for (int i = 0; i < keys && count < HELD; i++) {
        snprintf(key, sizeof key, "key %d", i);
        if (lrd_get(store, key, strlen(key), LRD_GET_NO_COUNT, &held[count]) == LRD_OK)
            count++;
    }
    CHECK_EQ(count, HELD);
    for (int i = 0; i < 3 * keys; i++) {
        snprintf(key, sizeof key, "new %d", i);
        CHECK_OK(put_bytes(store, key, 16));
        CHECK_OK(lrd_has(store, key, strlen(key)));
    }
    CHECK_EQ(stats_of(store).refused, 0);
    for (int i = 0; i < count; i++) {
        CHECK_EQ(held[i].size, 16);
        CHECK_EQ(memcmp(held[i].data, bytes, 16), 0);
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- a busy shard ---- */

typedef struct stopper {
    lrd_store *store;
    gate locked, go;
} stopper;

static void hold_the_first_lock(void *arg)
{
    stopper *s = arg;
    lrd__thread *self = NULL;
    CHECK_OK(lrd__enter(s->store, &self));
    CHECK_OK(lrd__shard_lock(s->store, self, 0));
    gate_open(&s->locked);
    gate_wait(&s->go);
    lrd__shard_unlock(s->store, 0);
    lrd__leave(self);
}

static void a_sweep_goes_on_past_a_busy_shard_and_says_so(void **state)
{
    (void)state;
    enum { SHARDS = 4, KEYS = 400 };
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, MIB, SHARDS, clock);
    stopper *s = shared_memory(sizeof *s);
    char key[32];
    uint64_t freed = 0, in_first = 0;
    s->store = store;
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(lrd_put(store, key, strlen(key), bytes, 100, &(lrd_write){.ttl_ms = 1000}));
        in_first += lrd__place_of(store, key, strlen(key)).shard_index == 0;
    }
    CHECK(in_first > 0 && in_first < KEYS);
    *clock += 60000;
    pid_t child = start_child(hold_the_first_lock, s);
    gate_wait(&s->locked);
    CHECK_CODE(lrd_sweep(store, &freed), LRD_EBUSY);
    CHECK_EQ(stats_of(store).entries, in_first);
    CHECK(freed >= (KEYS - in_first) * 100);
    CHECK_CODE(lrd_fsck(store, NULL, NULL), LRD_EBUSY);
    gate_open(&s->go);
    CHECK_CHILD(wait_child(child));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).entries, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- uses of counters ---- */

static _Atomic uint8_t *freq_of(lrd_store *store, const char *key)
{
    lrd__place place = lrd__place_of(store, key, strlen(key));
    lrd__assert_alone(store);
    uint32_t slot = lrd__index_find(store, &place, key, strlen(key));
    lrd__assert_alone(NULL);
    CHECK(slot != LRD__NO_SLOT);
    return lrd__index_freq(store, place.shard_index, slot);
}

static void a_counter_is_warmed_by_counting(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    int64_t value = 0;
    CHECK_OK(lrd_counter_add(store, "add", 3, 1, 0, 0, &value));
    CHECK_EQ(*freq_of(store, "add"), 0);
    for (int i = 1; i < 6; i++) {
        CHECK_OK(lrd_counter_add(store, "add", 3, 1, 0, 0, &value));
        CHECK_EQ(*freq_of(store, "add"), i < (int)LRD__FREQ_MAX ? i : (int)LRD__FREQ_MAX);
    }
    CHECK_OK(lrd_counter_set(store, "swap", 4, 0, 0));
    CHECK_OK(lrd_counter_swap(store, "swap", 4, 0, 1));
    CHECK_EQ(*freq_of(store, "swap"), 1);
    CHECK_CODE(lrd_counter_swap(store, "swap", 4, 0, 1), LRD_STALE);
    CHECK_EQ(*freq_of(store, "swap"), 2); /* each further try also counts as a use */
    lrd_close(store);
}

static void a_counter_in_use_outlives_what_is_not(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    int64_t value = 0, counted = 0;
    char key[32];
    for (int i = 0; i < 30000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_bytes(store, key, 1000));
        if (i % 10 == 0) {
            CHECK_OK(lrd_counter_add(store, "counter", 7, 1, 0, 0, &value));
            CHECK_EQ(value, ++counted);
        }
    }
    CHECK(stats_of(store).evicted > 20000);
    lrd_close(store);
}

/* ---- one key, many writers ---- */

typedef struct crowd {
    gate begin;
    _Atomic uint64_t puts, busy, idle;
} crowd;

static void write_hot(lrd_store *store, crowd *c)
{
    char value[1000] = {0};
    uint64_t puts = 0, busy = 0;
    gate_wait(&c->begin);
    for (uint64_t until = lrd__clock_monotonic_ms() + 1500; lrd__clock_monotonic_ms() < until;) {
        int code = lrd_put(store, "hot", 3, value, sizeof value, NULL);
        CHECK(code == LRD_OK || code == LRD_EBUSY);
        code == LRD_OK ? puts++ : busy++;
    }
    atomic_fetch_add(&c->puts, puts);
    atomic_fetch_add(&c->busy, busy);
    atomic_fetch_add(&c->idle, puts == 0);
    _exit(0);
}

/* A free mutex goes to the first thread that asks. Without turns, some writers of a crowded key
 * would starve. On a busy machine a writer may miss its turn, so rounds are repeated. */
static void many_writers_of_one_key_are_all_served(void **state)
{
    (void)state;
    enum { WRITERS = 48, ROUNDS = 60 };
    lrd_store *store = store_new(LRD_VOLATILE, 4u << 20, 1);
    bool served = false;
    for (int round = 0; round < ROUNDS && !served; round++) {
        crowd *c = shared_memory(sizeof *c);
        pid_t children[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            children[i] = fork();
            CHECK(children[i] >= 0);
            if (children[i] == 0)
                write_hot(store, c);
        }
        gate_open(&c->begin);
        for (int i = 0; i < WRITERS; i++)
            CHECK_EQ(wait_child(children[i]), 0);
        CHECK(atomic_load(&c->puts) != 0);
        served = atomic_load(&c->busy) == 0 && atomic_load(&c->idle) == 0;
    }
    CHECK(served);
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct thinker {
    lrd_store *store;
    gate *begin;
    int puts;
} thinker;

static void *write_and_think(void *arg)
{
    const thinker *t = arg;
    gate_wait(t->begin);
    for (int i = 0; i < t->puts; i++) {
        int code = lrd_put(t->store, "hot", 3, "1", 1, NULL);
        CHECK(code == LRD_OK || code == LRD_EBUSY);
        usleep(1000);
    }
    return NULL;
}

/* At first all writers wait for the lock, so they get turns. Later each writer sleeps a millisecond
 * after each put, and the lock is mostly free. Then turns must end, or writers would wait for the
 * turns of sleeping writers. */
static void turns_end_where_the_lock_is_mostly_free(void **state)
{
    (void)state;
    enum { WRITERS = 24, PUTS = 50 };
    lrd_store *store = store_new(LRD_VOLATILE, 4u << 20, 1);
    gate *begin = shared_memory(sizeof *begin);
    thinker thinker = {store, begin, PUTS};
    pthread_t threads[WRITERS];
    lrd__thread *self = NULL;
    CHECK_OK(lrd_put(store, "hot", 3, "1", 1, NULL));
    for (int i = 0; i < WRITERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, write_and_think, &thinker), 0);
    CHECK_OK(lrd__enter(store, &self));
    CHECK_OK(lrd__shard_lock(store, self, 0));
    gate_open(begin);
    while (atomic_load(&store->gates[0].passed) < 4)
        usleep(1000);
    uint32_t passed = atomic_load(&store->gates[0].passed);
    lrd__shard_unlock(store, 0);
    lrd__leave(self);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    CHECK(atomic_load(&store->gates[0].passed) - passed < WRITERS * PUTS / 4);
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct late_writer {
    lrd_store *store;
    size_t size; /* size of its value */
} late_writer;

static void *add_late(void *arg)
{
    const late_writer *w = arg;
    static const char value[2000] = "";
    int rc = LRD_EBUSY;
    while (rc == LRD_EBUSY) /* a slow machine's wait may end before the lock is released */
        rc = lrd_put(w->store, "key", 3, value, w->size,
                     &(lrd_write){.ttl_ms = 60000, .mode = LRD_ADD});
    CHECK_OK(rc);
    lrd_thread_leave(w->store);
    return NULL;
}

/* The time to live must not begin with the call, which waits 70 ms for the lock. */
static void a_time_to_live_begins_when_the_value_is_there(void **state)
{
    (void)state;
    for (size_t size = 2; size <= 2000; size += 1998) {
        late_writer w = {.store = store_new(LRD_VOLATILE, MIB, 1), .size = size};
        struct timespec held = {0, 70 * 1000000};
        pthread_t thread;
        CHECK_OK(lrd__shard_lock(w.store, NULL, 0));
        CHECK_EQ(pthread_create(&thread, NULL, add_late, &w), 0);
        nanosleep(&held, NULL);
        uint64_t before = lrd__now(w.store);
        lrd__shard_unlock(w.store, 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        lrd__place place = lrd__place_of(w.store, "key", 3);
        lrd__assert_alone(w.store);
        uint32_t slot = lrd__index_find(w.store, &place, "key", 3);
        lrd__assert_alone(NULL);
        CHECK(slot != LRD__NO_SLOT);
        const lrd__block *block =
            lrd__block_window(w.store, lrd__slot_offset(w.store, place.shard_index, slot));
        CHECK(atomic_load(&block->expiry) >= before + 60000);
        lrd_close(w.store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_writers_of_one_key_are_all_served),
        cmocka_unit_test(turns_end_where_the_lock_is_mostly_free),
        cmocka_unit_test(memory_comes_back_while_somebody_holds_what_he_borrowed),
        cmocka_unit_test(a_borrow_that_is_held_in_the_midst_of_a_scan_is_seen),
        cmocka_unit_test(what_a_recovery_took_for_held_is_looked_at_again),
        cmocka_unit_test(what_is_held_no_longer_goes_before_what_lives),
        cmocka_unit_test(held_entries_give_way_in_a_full_index),
        cmocka_unit_test(a_sweep_goes_on_past_a_busy_shard_and_says_so),
        cmocka_unit_test(a_counter_is_warmed_by_counting),
        cmocka_unit_test(a_counter_in_use_outlives_what_is_not),
        cmocka_unit_test(a_time_to_live_begins_when_the_value_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
