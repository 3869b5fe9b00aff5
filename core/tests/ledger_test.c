/* ledger_test.c - a thread's ledger grows beyond its first memory, and is cleaned up after the
 * thread's death. Quotas rise and fall within their bounds, and held blocks occupy at most half of
 * the zone's windows. */
#include "support.h"

#include "ground/clock.h"
#include "locks/lock.h"
#include "memory/ledger.h"
#include "memory/slot.h"
#include "memory/zone.h"

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
        CHECK_EQ(lrd_holds(store, NULL, 0), MANY); /* no value is listed twice */
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
        hold_all(store, 1, values); /* the parent has replaced this value, so a new block is held */
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
        /* The slot's next owner uses the memory of the dead owner's grown ledger. */
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

/* Hold many values in a slot whose ledger cannot grow: all slots with larger ledgers are taken. */
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

/* A scan reads the ledger of every idle thread, so a writer beside many threads must scan less
 * often. */
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

static bool alone_after_a_scan(lrd_store *store)
{
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    CHECK_OK(lrd__ledger_scan(store, 0, true));
    lrd__shard_unlock(store, 0);
    return atomic_load(&store->alone);
}

/* A scan reads all slots that were ever used, including slots that were given back. With up to 16
 * such slots, the only thread counts as alone. With more slots it does not, although no other
 * thread is there. */
static void a_thread_is_alone_beside_slots_that_were_given_back(void **state)
{
    (void)state;
    static const unsigned others[] = {1, 8, 16};
    static const bool alone[] = {true, true, false};
    pthread_t threads[16];
    crowd c = {.store = store_new(LRD_VOLATILE, 16 * MIB, 1)};
    CHECK_OK(put_value(c.store, "key 0", BYTES, 1, LRD_SET, 0));
    CHECK(alone_after_a_scan(c.store));
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(pthread_barrier_init(&c.here, NULL, others[i] + 1), 0);
        CHECK_EQ(pthread_barrier_init(&c.over, NULL, others[i] + 1), 0);
        for (unsigned t = 0; t < others[i]; t++)
            CHECK_EQ(pthread_create(&threads[t], NULL, idle_in_a_slot, &c), 0);
        pthread_barrier_wait(&c.here);
        CHECK(!alone_after_a_scan(c.store));
        pthread_barrier_wait(&c.over);
        for (unsigned t = 0; t < others[i]; t++)
            CHECK_EQ(pthread_join(threads[t], NULL), 0);
        CHECK(atomic_load(&c.store->header->slots_high) > others[i]);
        CHECK_EQ(alone_after_a_scan(c.store), alone[i]);
    }
    CHECK_OK(lrd_request_end(c.store));
    /* with up to 16 slots, a thread counts as alone */
    atomic_store(&c.store->header->slots_high, 16);
    CHECK(alone_after_a_scan(c.store));
    CHECK_EQ(atomic_load(&c.store->scanned), 16);
    atomic_store(&c.store->header->slots_high, 17);
    CHECK(!alone_after_a_scan(c.store));
    CHECK_EQ(atomic_load(&c.store->scanned), 17);
    CHECK_FSCK(c.store);
    lrd_close(c.store);
}

static void the_first_block_of_a_store_is_seen_where_it_is_the_only_one_listed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key 0", BYTES, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_end(store));
    lrd__slot *slot = lrd__slot_at(store, lrd__threads[store->id]->slot_index);
    uint64_t pages = 0;
    lrd__ledger_pages(store, &pages);
    CHECK_EQ(pages, 0);
    /* list the block at granule 0: an entry of the ledger is the granule's number plus 1 */
    atomic_store(&slot->spare, 1);
    lrd__ledger_pages(store, &pages);
    CHECK_EQ(pages, 1);
    pages = 0;
    atomic_store(&slot->spare, (store->geo.data_size >> LRD__GRANULE_BITS) + 1);
    lrd__ledger_pages(store, &pages);
    CHECK_EQ(pages, 0);
    atomic_store(&slot->spare, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_copy_counts_by_its_cause(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key 0", BYTES, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_end(store));
    lrd__thread *self = lrd__threads[store->id];
    self->request_until = 1; /* the request is too old to hold more values */
    lrd__ledger_count_copy(self);
    CHECK_EQ(atomic_load(&self->slot->copies), 1);
    CHECK_EQ(atomic_load(&self->slot->copies_time), 1);
    self->request_until = UINT64_MAX;
    lrd__ledger_count_copy(self);
    self->request_until = 0;
    lrd__ledger_count_copy(self);
    CHECK_EQ(atomic_load(&self->slot->copies), 3);
    CHECK_EQ(atomic_load(&self->slot->copies_time), 1);
    CHECK_EQ(atomic_load(&self->slot->copies_number), 0);
    lrd_close(store);
}

static void *put_and_leave(void *store)
{
    CHECK_OK(put_value(store, "key 0", BYTES, 1, LRD_SET, 0));
    return (void *)(uintptr_t)(lrd__threads[((lrd_store *)store)->id]->slot_index);
}

static void the_first_slot_counts_when_it_becomes_free(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    for (unsigned i = 0; i < 3; i++) {
        pthread_t thread;
        void *index;
        uint32_t freed = atomic_load(&store->header->slots_freed);
        CHECK_EQ(pthread_create(&thread, NULL, put_and_leave, store), 0);
        CHECK_EQ(pthread_join(thread, &index), 0);
        CHECK_EQ((uintptr_t)index, lrd__slots_spare(&store->geo));
        CHECK(atomic_load(&store->header->slots_freed) > freed);
        CHECK_EQ(atomic_load(&store->header->slots_hint), (uintptr_t)index);
    }
    lrd_close(store);
}

static void a_barrier_covers_what_was_unlinked_before_it_began(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    CHECK_OK(put_value(store, "key 0", BYTES, 1, LRD_SET, 0));
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    CHECK_OK(lrd__ledger_scan(store, 0, true));
    uint64_t done = atomic_load(&store->header->barriers_done);
    lrd__shard *shard = store->shards;
    uint64_t at = shard->unlinked_at;
    for (uint32_t unlinked = 0; unlinked < 2; unlinked++)
        for (uint64_t before = 0; before < 2; before++) {
            shard->unlinked = unlinked;
            shard->unlinked_at = done - before;
            CHECK_EQ(lrd__ledger_passed(store, 0), unlinked == 0 && before == 1);
        }
    shard->unlinked = 0;
    shard->unlinked_at = at;
    lrd__shard_unlock(store, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_writer_beside_others_waits_longer_from_barrier_to_barrier(void **state)
{
    (void)state;
    static const uint64_t parts[] = {4, 32, 128, 256}; /* MiB */
    for (unsigned i = 0; i < 4; i++) {
        lrd_store *store = store_new(LRD_VOLATILE, parts[i] * MIB, 1);
        CHECK_OK(put_value(store, "key 0", BYTES, 1, LRD_SET, 0));
        lrd__thread *self = lrd__threads[store->id];
        uint64_t most = (parts[i] < 128 ? parts[i] : 128) * MIB / 32, due = 0;
        self->barrier_at = 0;
        for (unsigned barriers = 0; barriers < 400; barriers++) {
            if (due != 0) {
                self->written = due - 1;
                CHECK(!lrd__barrier_due(self));
                CHECK_EQ(self->written, due - 1);
            }
            self->written = due;
            CHECK(lrd__barrier_due(self));
            CHECK_EQ(self->written, 0);
            due = due == 0 ? 16384 : due + due / 32 + 1024;
            due = due < most ? due : most;
            CHECK_EQ(self->barrier_at, due);
        }
        CHECK_EQ(self->barrier_at, most);
        atomic_store(&store->alone, true);
        /* a lone thread may make a barrier early, because it costs little */
        CHECK(lrd__barrier_due(self));
        lrd_close(store);
    }
}

/* ---- quotas by themselves ---- */

static lrd__thread *quota_thread(lrd_store **store, lrd_policy policy)
{
    *store = store_new(policy, 32 * MIB, 1);
    CHECK_OK(put_value(*store, "key", BYTES, 1, LRD_SET, 0));
    return lrd__threads[(*store)->id];
}

static _Atomic uint16_t *quota_of(const lrd__thread *self)
{
    return &self->store->quotas[self->slot_index];
}

static void quota_reset(lrd__thread *self)
{
    self->top = 1;
    self->held_bytes = self->quota_bytes = 0;
    self->quota_keep = 0;
    self->zone = self->zone_held = 0;
    self->holds_most = 0;
    self->limited = false;
    self->reservations = 0;
    atomic_store(quota_of(self), 0);
}

static void a_quota_is_doubled_within_its_bounds(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    quota_reset(self);
    self->top = 5; /* several holds */
    self->quota_bytes = 10 * unit;
    self->untidy = false;
    CHECK(lrd__quota_raise(self, 11 * unit));
    CHECK_EQ(self->quota_bytes, 20 * unit);
    CHECK_EQ(atomic_load(quota_of(self)), 20);
    CHECK(self->untidy);
    CHECK(lrd__quota_raise(self, 50 * unit + 1)); /* doubling the quota would not be enough */
    CHECK_EQ(self->quota_bytes, 51 * unit);
    self->quota_bytes = 600 * unit;
    CHECK(lrd__quota_raise(self, 601 * unit));
    CHECK_EQ(self->quota_bytes, 1024 * unit); /* the maximum is a quarter of the data */
    CHECK_EQ(atomic_load(quota_of(self)), 1024);
    CHECK(lrd__quota_raise(self, 1024 * unit));
    CHECK(!lrd__quota_raise(self, 1024 * unit + 1));
    self->top = 2; /* now the thread holds only one value, which may be larger than the maximum */
    CHECK(lrd__quota_raise(self, 1024 * unit + 1));
    CHECK_EQ(self->quota_bytes, 1025 * unit);
    CHECK(lrd__quota_raise(self, 3000 * unit));
    CHECK_EQ(self->quota_bytes, 3000 * unit);
    CHECK_EQ(atomic_load(quota_of(self)), 2048);
    quota_reset(self);
    lrd_close(store);
}

static void a_thread_keeps_its_own_limit(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    quota_reset(self);
    self->top = 5;
    self->quota_bytes = 10 * unit;
    self->holds_most = 15 * unit;
    CHECK(lrd__quota_raise(self, 11 * unit));
    CHECK_EQ(self->quota_bytes, 15 * unit);
    CHECK(lrd__quota_raise(self, 15 * unit));
    CHECK(!self->limited);
    CHECK(!lrd__quota_raise(self, 15 * unit + 1));
    CHECK(self->limited);
    self->limited = false;
    self->top = 2;
    /* A thread that holds a single value has no limit. */
    CHECK(lrd__quota_raise(self, 16 * unit));
    CHECK(!self->limited);
    quota_reset(self);
    lrd_close(store);
}

static void all_quotas_together_have_a_bound(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    uint32_t high = atomic_load(&store->header->slots_high);
    _Atomic uint16_t *others = store->quotas + high;
    CHECK(high + 3 <= store->geo.slots);
    quota_reset(self);
    self->top = 5;
    atomic_store(&store->header->slots_high, high + 2);
    /* a quota of 2000 units in the lower bits, and windows of the zone in the upper bits */
    atomic_store(&others[0], 2000 | 3 << LRD__QUOTA_BITS);
    atomic_store(&others[1], LRD__QUOTA_KEEP); /* an idle thread's slot */
    atomic_store(&others[2], 40);
    atomic_store(quota_of(self), 7);
    CHECK(!lrd__quota_raise(self, 48 * unit));
    CHECK_EQ(atomic_load(quota_of(self)), 7);
    CHECK_EQ(self->quota_bytes, 0);
    CHECK(lrd__quota_raise(self, 47 * unit));
    CHECK_EQ(atomic_load(quota_of(self)), 47);
    CHECK_EQ(self->quota_bytes, 47 * unit);
    /* Others may hold all remaining units. A thread that holds one value may still raise its
     * quota. */
    self->top = 2;
    CHECK(lrd__quota_raise(self, 48 * unit));
    CHECK_EQ(atomic_load(quota_of(self)), 48);
    CHECK_EQ(self->quota_bytes, 48 * unit);
    CHECK(!lrd__quota_raise(self, 49 * unit));
    atomic_store(&others[0], 2048);
    CHECK(!lrd__quota_raise(self, 50 * unit));
    for (unsigned i = 0; i < 3; i++)
        atomic_store(&others[i], 0);
    atomic_store(&store->header->slots_high, high);
    quota_reset(self);
    CHECK_FSCK(store);
    lrd_close(store);
}

enum { HOLDERS = 100, BIG = 400 << 10 };

typedef struct holders {
    lrd_store *store;
    pthread_barrier_t idle, held;
    pthread_mutex_t turn;
    unsigned count;
} holders;

static void *hold_a_first_value(void *arg)
{
    holders *h = arg;
    lrd_value value;
    CHECK_OK(lrd_get(h->store, "small", 5, LRD_GET_NO_COPY, &value));
    CHECK_OK(lrd_request_end(h->store));
    pthread_barrier_wait(&h->idle);
    pthread_mutex_lock(&h->turn);
    CHECK_OK(lrd_get(h->store, "big", 3, LRD_GET_NO_COPY, &value));
    h->count += value.kind == LRD_KIND_HELD;
    pthread_mutex_unlock(&h->turn);
    pthread_barrier_wait(&h->held);
    return NULL;
}

/* Each idle thread keeps a quota of one unit. The first values of all threads together must stay
 * within the bound. */
static void first_holds_of_many_idle_threads_stay_in_the_bound(void **state)
{
    (void)state;
    pthread_t threads[HOLDERS];
    holders h = {.turn = PTHREAD_MUTEX_INITIALIZER};
    CHECK_OK(
        lrd_open(&(lrd_options){.size = 32 * MIB, .policy = LRD_PINNED, .slots = 128}, &h.store));
    CHECK_OK(put_value(h.store, "small", 20000, 1, LRD_SET, 0));
    CHECK_OK(put_value(h.store, "big", BIG, 1, LRD_SET, 0));
    CHECK_EQ(pthread_barrier_init(&h.idle, NULL, HOLDERS), 0);
    CHECK_EQ(pthread_barrier_init(&h.held, NULL, HOLDERS), 0);
    for (unsigned i = 0; i < HOLDERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, hold_a_first_value, &h), 0);
    for (unsigned i = 0; i < HOLDERS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    print_message("%u of %d threads hold %d KiB\n", h.count, HOLDERS, BIG >> 10);
    CHECK(h.count * BIG <= 16 * MIB);
    CHECK(h.count * BIG > 15 * MIB);
    lrd_close(h.store);
}

static void a_quota_shrinks_to_twice_what_is_held(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    quota_reset(self);
    self->quota_bytes = 100 * unit;
    self->held_bytes = unit;
    self->zone = 2;
    lrd__quota_shrink(self);
    CHECK_EQ(self->quota_bytes, 2 * unit);
    CHECK_EQ(atomic_load(quota_of(self)), 2 | 2 << LRD__QUOTA_BITS);
    self->quota_bytes = 100 * unit;
    self->held_bytes = unit + 1;
    self->zone = 0;
    lrd__quota_shrink(self);
    CHECK_EQ(self->quota_bytes, 3 * unit);
    CHECK_EQ(atomic_load(quota_of(self)), 3);
    self->held_bytes = unit + unit / 2; /* twice these bytes are the whole quota */
    atomic_store(quota_of(self), 77);
    lrd__quota_shrink(self);
    CHECK_EQ(atomic_load(quota_of(self)), 77);
    self->held_bytes = 0;
    self->quota_keep = 2 * unit;
    lrd__quota_shrink(self);
    CHECK_EQ(self->quota_bytes, 2 * unit);
    CHECK_EQ(atomic_load(quota_of(self)), 2);
    quota_reset(self);
    lrd_close(store);
}

static void an_idle_thread_gives_back_its_quota_and_its_zone(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    uint64_t unit = 32 * MIB / LRD__QUOTA_UNITS;
    quota_reset(self);
    self->quota_keep = self->quota_bytes = unit;
    atomic_store(quota_of(self), 33);
    lrd__quota_lower(self);
    CHECK_EQ(atomic_load(quota_of(self)), 33);
    self->zone = self->zone_held = 3;
    atomic_store(quota_of(self), 5 | 3 << LRD__QUOTA_BITS);
    lrd__quota_lower(self);
    CHECK_EQ(self->zone, 0);
    CHECK_EQ(self->zone_held, 0);
    CHECK_EQ(self->quota_bytes, unit);
    CHECK_EQ(atomic_load(quota_of(self)), 5);
    self->zone = self->zone_held = 3;
    self->quota_bytes = 9 * unit;
    lrd__quota_lower(self);
    CHECK_EQ(self->zone, 0);
    CHECK_EQ(self->zone_held, 0);
    CHECK_EQ(self->quota_bytes, unit);
    CHECK_EQ(atomic_load(quota_of(self)), LRD__QUOTA_KEEP);
    quota_reset(self);
    lrd_close(store);
}

static void die_with_a_quota(void *store)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, "key", 3, LRD_GET_NO_COPY, &value));
    CHECK(atomic_load(quota_of(lrd__threads[((lrd_store *)store)->id])) != 0);
    kill(getpid(), SIGKILL);
}

static void the_quota_of_a_dead_thread_is_noticed(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_PINNED);
    CHECK_KILLED(run_in_child(die_with_a_quota, store), SIGKILL);
    uint32_t dead = 0;
    while (dead == self->slot_index || atomic_load(&store->quotas[dead]) == 0)
        CHECK(++dead < store->geo.slots);
    atomic_store(&store->header->slots_look_at, 0); /* the search for dead owners is due */
    CHECK(lrd__quota_notice(store));
    CHECK_EQ(atomic_load(&store->quotas[dead]), 0);
    CHECK_EQ(stats_of(store).reaped_slots, 1);
    /* If this process was stopped for 90 ms, the look was due: try again. */
    bool due = true;
    for (unsigned i = 0; i < 1000 && due; i++) {
        atomic_store(&store->header->slots_look_at, lrd__clock_coarse() + 90);
        due = lrd__quota_notice(store);
    }
    CHECK(!due);
    /* Set the time of the next search for dead owners further ahead than the core ever sets it. The
     * search must then count as due. */
    atomic_store(&store->header->slots_look_at, lrd__clock_coarse() + 100000);
    CHECK(lrd__quota_notice(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- the zone by itself ---- */

static void a_block_bars_the_windows_that_it_touches(void **state)
{
    (void)state;
    lrd_store *store;
    quota_thread(&store, LRD_VOLATILE);
    uint64_t pages = lrd__zone_pages(store), first = lrd__zone_first(store) << LRD__PAGE_BITS;
    uint64_t window = pages << LRD__PAGE_BITS, end = store->geo.size;
    CHECK_EQ(pages, 17); /* a little more than 1/32 of the data */
    CHECK_EQ(first + LRD__ZONE_WINDOWS * window, end);
    CHECK_EQ(lrd__zone_windows(store, 0, 1000), 0);
    CHECK_EQ(lrd__zone_windows(store, first - 1024, 1024), 0);
    CHECK_EQ(lrd__zone_windows(store, first - 1024, 1025), 1);
    CHECK_EQ(lrd__zone_windows(store, first, 1), 1);
    CHECK_EQ(lrd__zone_windows(store, first + window - 1024, 1024), 1);
    CHECK_EQ(lrd__zone_windows(store, first + window - 1024, 2048), 3);
    CHECK_EQ(lrd__zone_windows(store, first + window - 1024, window + 1024), 3);
    CHECK_EQ(lrd__zone_windows(store, first + window - 1024, window + 2048), 7);
    CHECK_EQ(lrd__zone_windows(store, first + window, window), 2);
    CHECK_EQ(lrd__zone_windows(store, first - 1024, end - first + 1024), 15);
    CHECK_EQ(lrd__zone_windows(store, end - 1024, 1024), 8);
    CHECK_EQ(lrd__zone_windows(store, end, 1024), 0); /* a mini page begins at `end` */
    lrd_close(store);
}

static uint64_t offset_of(const lrd_store *store, const void *data)
{
    return (uint64_t)((const uint8_t *)data - store->data) &
           ~(((uint64_t)1 << LRD__GRANULE_BITS) - 1);
}

static void what_is_held_or_built_in_the_zone_bars_its_windows(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    char key[32];
    unsigned held = 0, built = 0;
    for (unsigned i = 0; i < 60000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        lrd_reservation reservation;
        CHECK_OK(lrd_reserve(store, key, strlen(key), 8, 1, &reservation));
        lrd__thread *self = lrd__threads[store->id];
        uint64_t offset = offset_of(store, reservation.data);
        uint32_t windows = lrd__zone_windows(store, offset, 16);
        CHECK_EQ(self->zone & windows, windows);
        built += windows != 0;
        memset(reservation.build, 1, 8);
        CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
        uint64_t last = store->geo.data_size - 64, below = offset > 128 ? offset - 128 : 0;
        uint64_t above = offset + 128 < last ? offset + 128 : last;
        if (lrd__zone_windows(store, below, 16) == windows &&
            lrd__zone_windows(store, above, 16) == windows)
            continue;
        lrd_value value;
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
        CHECK_EQ(value.kind, LRD_KIND_HELD);
        CHECK_EQ(self->zone & windows, windows);
        held++;
        CHECK_OK(lrd_release(store, &value));
        CHECK_OK(lrd_request_end(store));
    }
    CHECK(held > 1 && built > 100);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Write values until one lies in the zone. Sets key to its key, and returns the bits of its
 * windows. */
static uint32_t put_into_the_zone(lrd_store *store, char key[32])
{
    for (unsigned i = 0;; i++) {
        lrd_reservation reservation;
        snprintf(key, 32, "key %u", i);
        CHECK_OK(lrd_reserve(store, key, strlen(key), 8000, 1, &reservation));
        uint32_t windows = lrd__zone_windows(store, offset_of(store, reservation.data), 8000);
        memset(reservation.build, 1, 8000);
        CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
        if (windows != 0)
            return windows;
    }
}

static void a_hold_that_the_quota_refuses_occupies_no_window(void **state)
{
    (void)state;
    char key[32];
    lrd_value small, large;
    lrd_store *store = store_new(LRD_VOLATILE, 4 * MIB, 1);
    CHECK_OK(put_value(store, "small", 100, 1, LRD_SET, 0));
    uint32_t windows = put_into_the_zone(store, key);
    CHECK_OK(put_value(store, "small", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_end(store));
    lrd__thread *self = lrd__threads[store->id];
    CHECK_OK(lrd_get(store, "small", 5, 0, &small));
    CHECK_EQ(small.kind, LRD_KIND_HELD);
    uint32_t high = atomic_load(&store->header->slots_high), before = self->zone;
    CHECK((before & windows) == 0);
    uint64_t bytes = self->held_bytes;
    atomic_store(&store->quotas[high], LRD__QUOTA_UNITS / 2);
    atomic_store(&store->header->slots_high, high + 1);
    atomic_store(&store->header->slots_look_at, UINT64_MAX); /* never search for dead owners */
    for (int i = 0; i < 2; i++) {
        CHECK_OK(lrd_get(store, key, strlen(key), i == 0 ? 0 : LRD_GET_BORROW, &large));
        if (i == 1) {
            lrd_value copy;
            CHECK_OK(lrd_hold(store, &large, &copy));
            large = copy;
        }
        CHECK_EQ(large.kind, LRD_KIND_COPY);
        CHECK_OK(lrd_release(store, &large));
        CHECK_EQ(self->zone, before);
        CHECK_EQ(self->zone_held, before);
        CHECK_EQ(atomic_load(quota_of(self)) >> LRD__QUOTA_BITS, before);
        CHECK_EQ(self->held_bytes, bytes);
    }
    atomic_store(&store->quotas[high], 0);
    atomic_store(&store->header->slots_high, high);
    /* The bytes of a value that the zone refuses must not stay in the quota. */
    uint32_t all = (1u << LRD__ZONE_WINDOWS) - 1;
    atomic_store(&store->quotas[high], (uint16_t)((all & ~windows) << LRD__QUOTA_BITS));
    atomic_store(&store->header->slots_high, high + 1);
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &large));
    CHECK_EQ(large.kind, LRD_KIND_COPY);
    CHECK_OK(lrd_release(store, &large));
    CHECK_EQ(self->held_bytes, bytes);
    atomic_store(&store->quotas[high], 0);
    atomic_store(&store->header->slots_high, high);
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &large));
    CHECK_EQ(large.kind, LRD_KIND_HELD);
    CHECK_EQ(self->zone_held, before | windows);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void half_of_the_windows_may_be_occupied(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_VOLATILE);
    uint64_t first = lrd__zone_first(store) << LRD__PAGE_BITS;
    uint64_t window = lrd__zone_pages(store) << LRD__PAGE_BITS;
    uint32_t high = atomic_load(&store->header->slots_high);
    quota_reset(self);
    self->untidy = false;
    atomic_store(quota_of(self), 9);
    atomic_store(&store->header->slots_look_at, UINT64_MAX); /* never search for dead owners */
    /* slot `high` is not in use, so its windows do not count */
    atomic_store(&store->quotas[high], 12 << LRD__QUOTA_BITS);
    CHECK(lrd__zone_take(self, 0, 1000, false)); /* offset 0 is not in the zone */
    CHECK(!self->untidy);
    CHECK(lrd__zone_take(self, first, 1000, false));
    CHECK_EQ(self->zone, 1);
    CHECK_EQ(self->zone_held, 1);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 1 << LRD__QUOTA_BITS);
    CHECK(self->untidy);
    CHECK(lrd__zone_take(self, first + window, 1000, true)); /* true: to build a block */
    CHECK_EQ(self->zone, 3);
    CHECK_EQ(self->zone_held, 1);
    atomic_store(quota_of(self), 9); /* any write of the quota would replace this number */
    CHECK(lrd__zone_take(self, first + window, 1000, true));
    CHECK(lrd__zone_take(self, first, 1000, false));
    CHECK_EQ(atomic_load(quota_of(self)), 9);
    CHECK(lrd__zone_take(self, first + window, 1000, false));
    CHECK_EQ(self->zone_held, 3);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 3 << LRD__QUOTA_BITS);
    CHECK(!lrd__zone_take(self, first + 2 * window, 1000, false));
    CHECK_EQ(self->zone, 3);
    CHECK_EQ(self->zone_held, 3);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 3 << LRD__QUOTA_BITS);
    CHECK(lrd__zone_take(self, first + 2 * window, 1000, true));
    CHECK_EQ(self->zone, 7);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 7 << LRD__QUOTA_BITS);
    self->reservations = 1;
    lrd__zone_built(self);
    CHECK_EQ(self->zone, 7);
    self->reservations = 0;
    lrd__zone_built(self);
    CHECK_EQ(self->zone, 3);
    CHECK_EQ(self->zone_held, 3);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 3 << LRD__QUOTA_BITS);
    atomic_store(quota_of(self), 9);
    lrd__zone_rebar(self, 3);
    CHECK_EQ(atomic_load(quota_of(self)), 9);
    lrd__zone_rebar(self, 2);
    CHECK_EQ(self->zone, 2);
    CHECK_EQ(self->zone_held, 2);
    CHECK_EQ(atomic_load(quota_of(self)), 9 | 2 << LRD__QUOTA_BITS);
    /* Another thread occupies half of the windows, which is the bound. So this thread may take no
     * further window, but may use its own again. */
    atomic_store(&store->header->slots_high, high + 1);
    CHECK(!lrd__zone_take(self, first, 1000, false));
    CHECK_EQ(self->zone, 2);
    CHECK(lrd__zone_take(self, first + window, 1000, false));
    atomic_store(&store->header->slots_high, high);
    atomic_store(&store->quotas[high], 0);
    /* While the file system is full, no thread may hold a block in the uncommitted zone. */
    atomic_store(&store->header->memory_short, 1);
    CHECK(!lrd__zone_take(self, first + window, 1000, false));
    atomic_store(&store->header->zone_fed, 1);
    CHECK(lrd__zone_take(self, first + window, 1000, false));
    quota_reset(self);
    lrd_close(store);
}

static void die_with_two_windows(void *store)
{
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd__thread *self = lrd__threads[((lrd_store *)store)->id];
    self->zone = 12;
    atomic_store(quota_of(self), lrd__quota_word(self, 1));
    kill(getpid(), SIGKILL);
}

static void the_windows_of_a_dead_thread_are_noticed(void **state)
{
    (void)state;
    lrd_store *store;
    lrd__thread *self = quota_thread(&store, LRD_VOLATILE);
    uint64_t first = lrd__zone_first(store) << LRD__PAGE_BITS;
    CHECK_KILLED(run_in_child(die_with_two_windows, store), SIGKILL);
    quota_reset(self);
    atomic_store(&store->header->slots_look_at, 0); /* the search for dead owners is due */
    CHECK(lrd__zone_take(self, first, 1000, false));
    CHECK_EQ(self->zone_held, 1);
    CHECK_EQ(stats_of(store).reaped_slots, 1);
    quota_reset(self);
    CHECK_FSCK(store);
    lrd_close(store);
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
        cmocka_unit_test(a_thread_is_alone_beside_slots_that_were_given_back),
        cmocka_unit_test(the_first_block_of_a_store_is_seen_where_it_is_the_only_one_listed),
        cmocka_unit_test(a_copy_counts_by_its_cause),
        cmocka_unit_test(the_first_slot_counts_when_it_becomes_free),
        cmocka_unit_test(a_barrier_covers_what_was_unlinked_before_it_began),
        cmocka_unit_test(a_writer_beside_others_waits_longer_from_barrier_to_barrier),
        cmocka_unit_test(a_quota_comes_down_when_a_part_of_what_is_held_ends),
        cmocka_unit_test(a_quota_is_doubled_within_its_bounds),
        cmocka_unit_test(a_thread_keeps_its_own_limit),
        cmocka_unit_test(all_quotas_together_have_a_bound),
        cmocka_unit_test(first_holds_of_many_idle_threads_stay_in_the_bound),
        cmocka_unit_test(a_quota_shrinks_to_twice_what_is_held),
        cmocka_unit_test(an_idle_thread_gives_back_its_quota_and_its_zone),
        cmocka_unit_test(the_quota_of_a_dead_thread_is_noticed),
        cmocka_unit_test(a_block_bars_the_windows_that_it_touches),
        cmocka_unit_test(what_is_held_or_built_in_the_zone_bars_its_windows),
        cmocka_unit_test(a_hold_that_the_quota_refuses_occupies_no_window),
        cmocka_unit_test(half_of_the_windows_may_be_occupied),
        cmocka_unit_test(the_windows_of_a_dead_thread_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
