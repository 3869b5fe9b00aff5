/* ledger_test.c - ledgers that list more blocks than fit in their first memory: they grow, their
 * index finds listed blocks, they survive the death of their owners, and quotas are lowered
 * again. */
#include "support.h"

#include "memory/ledger.h"
#include "memory/slot.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define MIB (1u << 20)

enum { MANY = 5000, BYTES = 200 };

static const char *many_key(char *text, unsigned i)
{
    snprintf(text, 32, "key %u", i);
    return text;
}

static void put_all(lrd_store *store, unsigned count, uint64_t seed)
{
    char key[32];
    for (unsigned i = 0; i < count; i++)
        CHECK_OK(put_value(store, many_key(key, i), BYTES, seed + i, LRD_SET, 0));
}

static void hold_all(lrd_store *store, unsigned count, lrd_value *values)
{
    char key[32];
    for (unsigned i = 0; i < count; i++) {
        many_key(key, i);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &values[i]));
        CHECK_EQ(values[i].kind, LRD_KIND_HELD);
    }
}

static void check_all(const lrd_value *values, unsigned count, uint64_t seed)
{
    char key[32];
    for (unsigned i = 0; i < count; i++) {
        many_key(key, i);
        CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        CHECK_EQ(value_seed(values[i].data, values[i].size), seed + i);
    }
}

static void overwrite_and_delete(void *store)
{
    char key[32];
    for (uint64_t seed = MANY; seed < 4 * MANY; seed += MANY)
        put_all(store, MANY, seed);
    for (unsigned i = 0; i < MANY; i++) {
        many_key(key, i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_OK(lrd_sweep(store, NULL));
}

static void thousands_of_holds_stay_while_others_overwrite_and_delete(void **state)
{
    (void)state;
    static lrd_value values[MANY];
    lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 2);
    put_all(store, MANY, 0);
    for (int again = 0; again < 3; again++) {
        hold_all(store, MANY, values);
        CHECK_EQ(lrd_holds(store, NULL, 0), MANY); /* nothing is listed twice */
    }
    CHECK_EQ(stats_of(store).copies, 0);
    CHECK_CHILD(run_in_child(overwrite_and_delete, store));
    check_all(values, MANY, 0);
    CHECK_FSCK(store);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void what_is_listed_is_found_whatever_was_let_go(void **state)
{
    (void)state;
    static lrd_value values[MANY], again[MANY];
    static lrd_held held[MANY];
    lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 2);
    put_all(store, MANY, 0);
    hold_all(store, MANY, values);
    for (unsigned i = 0; i < MANY; i += 3)
        CHECK_OK(lrd_release(store, &values[i]));
    hold_all(store, MANY, again);
    CHECK_EQ(lrd_holds(store, NULL, 0), MANY);
    CHECK_EQ(lrd_holds(store, held, MANY), MANY);
    for (unsigned i = 0; i < MANY; i++)
        held[i].used = i % 2 == 0;
    CHECK_EQ(lrd_holds_end(store, held, MANY), MANY / 2);
    /* Entries have moved down, and scans read only up to n. */
    lrd__thread *self = lrd__threads[store->id];
    CHECK_EQ(self->n, MANY / 2 + 1);
    CHECK_EQ(atomic_load(&self->slot->n), MANY / 2 + 1);
    hold_all(store, MANY, values);
    CHECK_EQ(lrd_holds(store, NULL, 0), MANY);
    CHECK_CHILD(run_in_child(overwrite_and_delete, store));
    check_all(values, MANY, 0);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(lrd_holds(store, NULL, 0), 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_child_inherits_thousands_of_holds(void **state)
{
    (void)state;
    static lrd_value values[MANY];
    lrd_store *store = store_new(LRD_PINNED, 64 * MIB, 2);
    gate *ended = shared_memory(sizeof *ended);
    put_all(store, MANY, 0);
    hold_all(store, MANY, values);
    pid_t child = fork();
    if (child == 0) {
        gate_wait(ended);
        check_all(values, MANY, 0);
        bool listed = lrd_holds(store, NULL, 0) == MANY;
        hold_all(store, 1, values); /* a value was written meanwhile, so one more block is held */
        _exit(listed && lrd_holds(store, NULL, 0) == MANY + 1 ? 0 : 1);
    }
    CHECK_OK(lrd_request_end(store));
    put_all(store, MANY, MANY);
    put_all(store, MANY, 2 * MANY);
    gate_open(ended);
    CHECK_CHILD(wait_child(child));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void hold_and_stay(void *store)
{
    static lrd_value values[MANY];
    hold_all(store, MANY, values);
}

static unsigned grown_times;
static void die_when_grown(const char *name, void *arg)
{
    const char *wanted = arg;
    if (strcmp(name, wanted) == 0 && ++grown_times == 2)
        kill(getpid(), SIGKILL);
}

static void an_owner_that_dies_while_its_ledger_grows_leaves_nothing_held(void **state)
{
    (void)state;
    static char names[][32] = {"ledger_committed", "ledger_grown"};
    for (unsigned i = 0; i < 2; i++) {
        lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 2);
        put_all(store, MANY, 0);
        failpoint_hook(die_when_grown, names[i]);
        grown_times = 0;
        CHECK_KILLED(run_in_child(hold_and_stay, store), SIGKILL);
        failpoint_hook(NULL, NULL);
        CHECK_FSCK(store);
        put_all(store, MANY, MANY);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        put_all(store, MANY, 0);
        /* The next owner of the slot uses the room that the last owner left. */
        CHECK_CHILD(run_in_child(hold_and_stay, store));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void the_checker_finds_a_ledger_that_has_no_memory(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(store, "key", BYTES, 1, LRD_SET, 0));
    lrd__slot *slot = lrd__threads[store->id]->slot;
    uint32_t room = atomic_exchange(&slot->room, LRD_HOLDS_MAX + 2);
    CHECK(lrd_fsck(store, NULL, NULL) > 0);
    atomic_store(&slot->room, 3);
    CHECK(lrd_fsck(store, NULL, NULL) > 0);
    atomic_store(&slot->room, room);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_quota_comes_down_when_a_part_of_what_is_held_ends(void **state)
{
    (void)state;
    static lrd_value values[MANY];
    lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 2);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    put_all(store, MANY, 0);
    hold_all(store, MANY, values);
    CHECK(stats_of(store).held_quota >= MANY * BYTES);
    for (unsigned i = 0; i + 10 < MANY; i++)
        CHECK_OK(lrd_release(store, &values[i]));
    CHECK(stats_of(store).held_quota <= 8 * unit);
    for (unsigned i = MANY - 10; i < MANY; i++)
        CHECK_OK(lrd_release(store, &values[i]));
    CHECK_EQ(stats_of(store).held_quota, unit * LRD__QUOTA_KEEP);
    lrd_close(store);
}

typedef struct crowd {
    lrd_store *store;
    pthread_barrier_t here, over;
} crowd;

static void *take_a_slot(void *arg)
{
    crowd *c = arg;
    CHECK_OK(get_checked(c->store, "key 0", NULL, NULL));
    pthread_barrier_wait(&c->here);
    pthread_barrier_wait(&c->over);
    return NULL;
}

/* This thread comes when all slots with ledgers that can grow are taken. */
static void *hold_in_a_narrow_slot(void *arg)
{
    lrd_store *store = arg;
    enum { COUNT = 2 * LRD__LEDGER_FIRST };
    static lrd_value values[COUNT];
    unsigned held = 0;
    char key[32];
    for (unsigned i = 0; i < COUNT; i++) {
        many_key(key, i);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &values[i]));
        held += values[i].kind == LRD_KIND_HELD;
    }
    CHECK(lrd__threads[store->id]->slot_index >= LRD__SLOTS_WIDE);
    CHECK(held <= LRD__LEDGER_FIRST && held + 32 >= LRD__LEDGER_FIRST);
    check_all(values, COUNT, 1);
    for (unsigned i = 0; i < COUNT; i++)
        CHECK_OK(lrd_release(store, &values[i]));
    return NULL;
}

static void a_slot_behind_the_wide_ones_copies_what_its_ledger_cannot_list(void **state)
{
    (void)state;
    pthread_t threads[LRD__SLOTS_WIDE], last;
    crowd c;
    CHECK_OK(lrd_open(&(lrd_options){.size = 16 * MIB, .slots = 1024}, &c.store));
    put_all(c.store, 2 * LRD__LEDGER_FIRST, 1);
    CHECK_EQ(pthread_barrier_init(&c.here, NULL, LRD__SLOTS_WIDE + 1), 0);
    CHECK_EQ(pthread_barrier_init(&c.over, NULL, LRD__SLOTS_WIDE + 1), 0);
    for (unsigned i = 0; i < LRD__SLOTS_WIDE; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, take_a_slot, &c), 0);
    pthread_barrier_wait(&c.here);
    CHECK_EQ(pthread_create(&last, NULL, hold_in_a_narrow_slot, c.store), 0);
    CHECK_EQ(pthread_join(last, NULL), 0);
    CHECK_FSCK(c.store);
    pthread_barrier_wait(&c.over);
    for (unsigned i = 0; i < LRD__SLOTS_WIDE; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    lrd_close(c.store);
}

/* Overwrite a few values again and again. Returns the number of barriers. */
static uint64_t overwrite_few(lrd_store *store)
{
    uint64_t before = atomic_load(&store->header->barriers_begun);
    char key[32];
    for (unsigned i = 0; i < 2000; i++)
        CHECK_OK(put_value(store, many_key(key, i % 32), 3000, i, LRD_SET, 0));
    return atomic_load(&store->header->barriers_begun) - before;
}

/* Claim a slot and hold nothing, like a worker between two requests. */
static void *idle_in_a_slot(void *arg)
{
    crowd *c = arg;
    CHECK_OK(get_checked(c->store, "key 0", NULL, NULL));
    CHECK_OK(lrd_request_end(c->store));
    pthread_barrier_wait(&c->here);
    pthread_barrier_wait(&c->over);
    return NULL;
}

/* A scan looks at each slot, so it takes long if there are many, even if no ledger lists a
 * block. */
static void a_writer_beside_many_idle_threads_scans_less_often(void **state)
{
    (void)state;
    enum { IDLE = 300 };
    pthread_t threads[IDLE];
    lrd_options options = {.size = 64 * MIB, .slots = 1024, .shards = 1};
    lrd_store *few;
    crowd c;
    CHECK_OK(lrd_open(&options, &few));
    CHECK_OK(lrd_open(&options, &c.store));
    CHECK_OK(put_value(c.store, "key 0", BYTES, 1, LRD_SET, 0));
    CHECK_EQ(pthread_barrier_init(&c.here, NULL, IDLE + 1), 0);
    CHECK_EQ(pthread_barrier_init(&c.over, NULL, IDLE + 1), 0);
    for (unsigned i = 0; i < IDLE; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, idle_in_a_slot, &c), 0);
    pthread_barrier_wait(&c.here);
    uint64_t alone = overwrite_few(few), beside = overwrite_few(c.store);
    CHECK(beside < alone / 3 * 2);
    pthread_barrier_wait(&c.over);
    for (unsigned i = 0; i < IDLE; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    lrd_close(few);
    lrd_close(c.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_holds_stay_while_others_overwrite_and_delete),
        cmocka_unit_test(what_is_listed_is_found_whatever_was_let_go),
        cmocka_unit_test(a_child_inherits_thousands_of_holds),
        cmocka_unit_test(an_owner_that_dies_while_its_ledger_grows_leaves_nothing_held),
        cmocka_unit_test(the_checker_finds_a_ledger_that_has_no_memory),
        cmocka_unit_test(a_slot_behind_the_wide_ones_copies_what_its_ledger_cannot_list),
        cmocka_unit_test(a_writer_beside_many_idle_threads_scans_less_often),
        cmocka_unit_test(a_quota_comes_down_when_a_part_of_what_is_held_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
