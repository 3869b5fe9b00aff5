/* hold_test.c - a process holds values while others write, fork and die. A held value must not
 * change, and its memory must be free again when the holder ends. */
#include "support.h"

#include "internal.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define EXIT_LOST 75

static void get_held(lrd_store *store, const char *key, lrd_value *out)
{
    CHECK_OK(lrd_get(store, key, strlen(key), 0, out));
    CHECK_EQ(out->kind, LRD_KIND_HELD);
    CHECK(value_valid(out->data, out->size, key, strlen(key)));
}

/* Check that only this process has a slot, and that the memory of deleted entries and ended holds
 * is free. */
static void check_nothing_left(lrd_store *store)
{
    CHECK_OK(lrd_sweep(store, NULL));
    lrd_stats stats = stats_of(store);
    CHECK_EQ(stats.retired_bytes, 0);
    CHECK_EQ(stats.dead_bytes, 0);
    CHECK_EQ(stats.slots_used, 1);
    CHECK_EQ(allocated_bytes(store), stats.live_bytes);
    CHECK_FSCK(store);
}

static void churn(lrd_store *store, int rounds, uint64_t chance)
{
    char key[32];
    for (int i = 0; i < rounds; i++) {
        snprintf(key, sizeof key, "key %d", (int)random_below(&chance, 400));
        size_t size = random_below(&chance, 20) == 0 ? 10000 + random_below(&chance, 40000)
                                                     : 100 + random_below(&chance, 6000);
        if (random_below(&chance, 8) == 0) {
            int code = lrd_delete(store, key, strlen(key));
            CHECK(code == LRD_OK || code == LRD_MISS);
            continue;
        }
        int code = put_value(store, key, size, (uint64_t)i, LRD_SET, 0);
        if (code == LRD_ENOROOM) { /* only a pinned store refuses a value */
            code = lrd_delete(store, key, strlen(key));
            CHECK(code == LRD_OK || code == LRD_MISS);
            continue;
        }
        CHECK(code == LRD_OK || code == LRD_EBUSY);
    }
}

/* ---- holding while others write ---- */

typedef struct scene {
    lrd_store *store;
    gate ready[8], stop;
    _Atomic uint64_t held_bytes, holds;
    _Atomic uint32_t seed;
} scene;

static void hold_and_compare(void *arg)
{
    enum { HOLDS = 24 };
    scene *s = arg;
    lrd_value values[HOLDS];
    uint64_t sums[HOLDS];
    char key[32];
    uint32_t me = atomic_fetch_add(&s->seed, 1);
    uint64_t chance = me + 1;
    for (int i = 0; i < HOLDS;) {
        snprintf(key, sizeof key, "key %d", (int)random_below(&chance, 400));
        if (lrd_get(s->store, key, strlen(key), 0, &values[i]) != LRD_OK)
            continue;
        CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        sums[i] = checksum(values[i].data, values[i].size);
        i++;
    }
    gate_open(&s->ready[me]);
    bool last;
    do {
        last = atomic_load(&s->stop) != 0;
        for (int i = 0; i < HOLDS; i++)
            CHECK_EQ(checksum(values[i].data, values[i].size), sums[i]);
    } while (!last);
    for (int i = 0; i < HOLDS; i++)
        CHECK_OK(lrd_release(s->store, &values[i]));
}

static void write_until_stopped(void *arg)
{
    scene *s = arg;
    uint64_t chance = 1000 + atomic_load(&s->seed);
    while (atomic_load(&s->stop) == 0)
        churn(s->store, 1000, random_next(&chance));
}

static void hold_while_others_write(lrd_policy policy)
{
    scene *s = shared_memory(sizeof *s);
    s->store = store_new(policy, 4 * MIB, 0);
    churn(s->store, 3000, 5);
    pid_t holders[3], writer;
    for (int i = 0; i < 3; i++) {
        holders[i] = start_child(hold_and_compare, s);
        gate_wait(&s->ready[i]);
    }
    writer = start_child(write_until_stopped, s);
    churn(s->store, 60000, 6);
    CHECK_OK(lrd_clear(s->store));
    churn(s->store, 20000, 7);
    gate_open(&s->stop);
    CHECK_CHILD(wait_child(writer));
    for (int i = 0; i < 3; i++)
        CHECK_CHILD(wait_child(holders[i]));
    check_nothing_left(s->store);
    lrd_close(s->store);
}

/* ---- a host that keeps only used holds ---- */

enum { USES = 40 };
typedef struct use {
    const void *data;
    size_t size;
    uint64_t sum;
} use;

static void mark_used(lrd_held *held, size_t count, const use *used)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(!held[i].used && held[i].from < held[i].to);
        for (int j = 0; j < USES; j++)
            held[i].used |= (uintptr_t)used[j].data >= held[i].from &&
                            (uintptr_t)used[j].data + used[j].size <= held[i].to;
    }
}

/* Hold values until a get returns no hold. Then keep the values in `used`, end all other holds, and
 * begin again. lrd_holds_end() moves holds in the ledger, and a writer that scans the ledger
 * meanwhile must not miss them. */
static void use_some_of_much(void *arg)
{
    scene *s = arg;
    static lrd_held held[LRD_HOLDS_MAX];
    use used[USES] = {{NULL, 0, 0}};
    char key[32];
    uint64_t chance = 77, ends = 0;
    CHECK_OK(lrd_request_begin(s->store));
    gate_open(&s->ready[0]);
    while (atomic_load(&s->stop) == 0 || ends < 5) {
        lrd_value value;
        snprintf(key, sizeof key, "key %d", (int)random_below(&chance, 400));
        int rc = lrd_get(s->store, key, strlen(key), LRD_GET_NO_COPY, &value);
        if (rc == LRD_MISS)
            continue;
        CHECK_OK(rc);
        if (value.kind != LRD_KIND_HELD || random_below(&chance, 1000) == 0) {
            size_t count = lrd_holds(s->store, held, LRD_HOLDS_MAX);
            CHECK(count > 0 && count <= LRD_HOLDS_MAX);
            mark_used(held, count, used);
            size_t ended = lrd_holds_end(s->store, held, count);
            CHECK(lrd_holds(s->store, NULL, 0) == count - ended);
            CHECK(count - ended <= 2 * USES);
            ends++;
            continue;
        }
        use *place = used + random_below(&chance, USES);
        if (place->data != NULL)
            CHECK_EQ(checksum(place->data, place->size), place->sum);
        *place = (use){value.data, value.size, checksum(value.data, value.size)};
    }
    CHECK_OK(lrd_request_end(s->store));
}

static void what_is_used_stays_while_the_rest_is_let_go(void **state)
{
    (void)state;
    scene *s = shared_memory(sizeof *s);
    s->store = store_new(LRD_VOLATILE, 4 * MIB, 0);
    churn(s->store, 3000, 5);
    pid_t user = start_child(use_some_of_much, s);
    gate_wait(&s->ready[0]);
    churn(s->store, 100000, 6);
    gate_open(&s->stop);
    CHECK_CHILD(wait_child(user));
    check_nothing_left(s->store);
    lrd_close(s->store);
}

static void hold_much_and_keep_one(void *arg)
{
    enum { VALUES = 60 };
    scene *s = arg;
    static lrd_held held[VALUES];
    lrd_value value;
    char key[32];
    CHECK_OK(lrd_request_begin(s->store));
    for (int i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "much %d", i);
        CHECK_OK(lrd_get(s->store, key, strlen(key), LRD_GET_NO_COPY, &value));
    }
    size_t count = lrd_holds(s->store, held, VALUES);
    CHECK(count >= 50);
    held[0].used = true;
    CHECK_EQ(lrd_holds_end(s->store, held, count), count - 1);
    gate_open(&s->ready[atomic_fetch_add(&s->seed, 1)]);
    gate_wait(&s->stop);
    CHECK_OK(lrd_request_end(s->store));
}

/* Two other processes have held many values, and released all but one each. They must give back the
 * quota that they do not need, so that this process can hold values. */
static void letting_go_of_most_lowers_the_quota(void **state)
{
    (void)state;
    scene *s = shared_memory(sizeof *s);
    s->store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    lrd_value value;
    char key[32];
    for (int i = 0; i < 60; i++) {
        snprintf(key, sizeof key, "much %d", i);
        CHECK_OK(put_value(s->store, key, 32000, (uint64_t)i, LRD_SET, 0));
    }
    pid_t holders[2];
    for (int i = 0; i < 2; i++) {
        holders[i] = start_child(hold_much_and_keep_one, s);
        gate_wait(&s->ready[i]);
    }
    CHECK_OK(lrd_request_begin(s->store));
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "much %d", i);
        CHECK_OK(lrd_get(s->store, key, strlen(key), LRD_GET_NO_COPY, &value));
        CHECK_EQ(value.kind, LRD_KIND_HELD);
    }
    CHECK_OK(lrd_request_end(s->store));
    gate_open(&s->stop);
    for (int i = 0; i < 2; i++)
        CHECK_CHILD(wait_child(holders[i]));
    check_nothing_left(s->store);
    lrd_close(s->store);
}

static void a_limit_of_the_hosts_own_comes_before_the_share(void **state)
{
    (void)state;
    enum { VALUES = 60, LIMIT = 10 * 33000 };
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    static lrd_held held[VALUES];
    lrd_value value, again;
    uint64_t bytes;
    uint32_t count = 0;
    char key[32];
    for (int i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "much %d", i);
        CHECK_OK(put_value(store, key, 32000, (uint64_t)i, LRD_SET, 0));
    }
    CHECK_OK(put_value(store, "large", 200000, 0, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    lrd_holds_limit(store, LIMIT);
    CHECK(!lrd_holds_limited(store, &bytes));
    CHECK_EQ(bytes, 0);
    do {
        snprintf(key, sizeof key, "much %u", count);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &value));
        count += value.kind == LRD_KIND_HELD;
    } while (value.kind == LRD_KIND_HELD && count < VALUES);
    CHECK_EQ(count, 10);
    CHECK_EQ(value.kind, LRD_KIND_BORROWED);
    CHECK(lrd_holds_limited(store, &bytes));
    CHECK(bytes > 10 * 32000 && bytes <= LIMIT);
    CHECK(!lrd_holds_limited(store, &bytes)); /* a limit that was reached is reported once */
    lrd_holds_limit(store, 2 * LIMIT);
    CHECK_OK(lrd_hold(store, &value, &again));
    CHECK_EQ(again.kind, LRD_KIND_HELD);
    lrd_holds_limit(store, LIMIT);
    CHECK_EQ(lrd_holds(store, held, VALUES), 11);
    CHECK_EQ(lrd_holds_end(store, held, 11), 11);
    CHECK_OK(lrd_get(store, "much 40", 7, LRD_GET_NO_COPY, &value));
    CHECK_EQ(value.kind, LRD_KIND_HELD);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_request_begin(store));
    lrd_holds_limit(store, 100000);
    CHECK_OK(lrd_get(store, "large", 5, LRD_GET_NO_COPY, &value));
    CHECK_EQ(value.kind, LRD_KIND_HELD);
    lrd_holds_limit(store, 0);
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "much %d", i);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &value));
        CHECK_EQ(value.kind, LRD_KIND_HELD);
    }
    CHECK(!lrd_holds_limited(store, &bytes));
    CHECK_OK(lrd_request_end(store));
    check_nothing_left(store);
    lrd_close(store);
}

static void letting_go_leaves_others_alone(void **state)
{
    (void)state;
    lrd_store *one = store_new(LRD_VOLATILE, MIB, 0), *other = store_new(LRD_VOLATILE, MIB, 0);
    lrd_held held[8];
    lrd_value values[3], elsewhere;
    lrd_reservation reservation;
    CHECK_OK(put_value(other, "else", 100, 9, LRD_SET, 0));
    get_held(other, "else", &elsewhere);
    for (int i = 0; i < 3; i++) {
        char key[2] = {(char)('a' + i), 0};
        CHECK_OK(put_value(one, key, 1000, (uint64_t)i, LRD_SET, 0));
        get_held(one, key, &values[i]);
    }
    CHECK_OK(lrd_reserve(one, "new", 3, 100, 0, &reservation));
    CHECK_EQ(lrd_holds(one, held, 8), 3);
    CHECK_EQ(lrd_holds(one, NULL, 0), 3);
    CHECK_EQ(lrd_holds_end(other, held, 3), 0);
    CHECK_EQ(lrd_holds(other, NULL, 0), 1);
    held[2].used = true;
    CHECK_OK(lrd_clear(one));
    CHECK_OK(lrd_sweep(one, NULL));
    uint64_t retired = stats_of(one).retired_bytes;
    CHECK_EQ(lrd_holds_end(one, held, 3), 2);
    CHECK_OK(lrd_sweep(one, NULL));
    CHECK(stats_of(one).retired_bytes + 2000 <= retired);
    CHECK(value_valid(values[2].data, values[2].size, "c", 1));
    CHECK(lrd_release(one, &values[0]) != LRD_OK);
    memset(reservation.build, 0, reservation.size);
    CHECK_OK(lrd_publish(one, &reservation, LRD_SET, 0, 0));
    CHECK_OK(lrd_request_end(one));
    check_nothing_left(one);
    CHECK(value_valid(elsewhere.data, elsewhere.size, "else", 4));
    CHECK_OK(lrd_release(other, &elsewhere));
    lrd_close(one);
    lrd_close(other);
}

static void held_values_stay_while_others_evict_replace_and_delete(void **state)
{
    (void)state;
    hold_while_others_write(LRD_VOLATILE);
}

/* lrd_holds_limited() subtracts copies that the host's limit caused. A write or a borrowing get
 * counts no copy, so no copy may be subtracted for it. */
static void a_limit_takes_back_only_copies_that_it_counted(void **state)
{
    (void)state;
    enum { VALUES = 11, SIZE = 32000, LIMIT = 10 * 33000 };
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    static const char value[SIZE];
    lrd_value found, copy;
    uint64_t bytes;
    char key[32];
    for (int i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "plain %d", i);
        CHECK_OK(lrd_put(store, key, strlen(key), value, SIZE,
                         &(lrd_write){.type = LRD_TYPE_PLAIN + 1}));
    }
    CHECK_OK(lrd_request_begin(store));
    lrd_holds_limit(store, LIMIT);
    for (int i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "plain %d", i);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_PLAIN | LRD_GET_NO_COPY, &found));
        CHECK_EQ(found.kind, i < VALUES - 1 ? LRD_KIND_HELD : LRD_KIND_BORROWED);
    }
    CHECK(lrd_holds_limited(store, &bytes));
    CHECK_EQ(stats_of(store).copies, 0);
    CHECK_OK(lrd_put(store, "written", 7, value, SIZE, NULL));
    CHECK(!lrd_holds_limited(store, &bytes));
    CHECK_EQ(stats_of(store).copies, 0);
    CHECK_OK(lrd_get(store, "written", 7, LRD_GET_PLAIN | LRD_GET_NO_COPY, &found));
    CHECK_EQ(found.kind, LRD_KIND_BORROWED);
    CHECK_EQ(stats_of(store).copies, 1);
    CHECK(lrd_holds_limited(store, &bytes));
    CHECK_EQ(stats_of(store).copies, 0);
    /* lrd_hold() makes a copy because of the limit. lrd_holds_limited() must not subtract a copy
     * that was made. */
    CHECK_OK(lrd_get(store, "written", 7, LRD_GET_BORROW, &found));
    CHECK_OK(lrd_hold(store, &found, &copy));
    CHECK_EQ(copy.kind, LRD_KIND_COPY);
    CHECK_OK(lrd_release(store, &copy));
    CHECK_EQ(stats_of(store).copies, 1);
    CHECK(lrd_holds_limited(store, &bytes));
    CHECK_EQ(stats_of(store).copies, 1);
    /* lrd_get() counts a copy because the request is too old. lrd_holds_limited() must not subtract
     * this copy, because the limit did not cause it. */
    CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_PLAIN | LRD_GET_NO_COPY, &found));
    CHECK_EQ(found.kind, LRD_KIND_BORROWED);
    lrd__threads[store->id]->request_until = 1;
    CHECK_OK(lrd_get(store, "written", 7, LRD_GET_NO_COPY, &found));
    CHECK_EQ(found.kind, LRD_KIND_BORROWED);
    CHECK_EQ(stats_of(store).copies_by[LRD_COPY_TIME], 1);
    CHECK(lrd_holds_limited(store, &bytes));
    CHECK_EQ(stats_of(store).copies, 2);
    CHECK_OK(lrd_request_end(store));
    lrd_close(store);
}

static void held_values_stay_in_a_pinned_store_near_full(void **state)
{
    (void)state;
    hold_while_others_write(LRD_PINNED);
}

static void memory_is_reused_once_the_holder_lets_go_or_dies(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    enum { MOST = MIB / 20 * 9 };
    lrd_value value;
    for (int round = 0; round < 30; round++) {
        CHECK_OK(put_value(store, "key", MOST, 1, LRD_SET, 0));
        scene *s = NULL;
        pid_t child = 0;
        if (round % 2 == 0) {
            get_held(store, "key", &value);
        } else {
            s = shared_memory(sizeof *s);
            s->store = store;
            child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                get_held(store, "key", &value);
                gate_open(&s->ready[0]);
                for (;;)
                    pause();
            }
            gate_wait(&s->ready[0]);
        }
        CHECK_OK(lrd_delete(store, "key", 3));
        CHECK_OK(put_value(store, "key", MOST, 1, LRD_SET, 0));
        CHECK_CODE(put_value(store, "other", 300000, 1, LRD_SET, 0), LRD_ENOROOM);
        if (child != 0)
            stop_child(child);
        else
            CHECK_OK(lrd_release(store, &value));
        sleep_ms(5); /* wait until the failed search for room is forgotten (2 ms) */
        CHECK_OK(put_value(store, "other", 300000, 1, LRD_SET, 0));
        CHECK_OK(lrd_delete(store, "key", 3));
        CHECK_OK(lrd_delete(store, "other", 5));
        check_nothing_left(store);
    }
    lrd_close(store);
}

/* ---- writes through a held pointer ---- */

static void write_through_the_pointer(void *arg)
{
    lrd_value value;
    signal(SIGSEGV, SIG_DFL);
    CHECK_OK(lrd_get(arg, "key", 3, 0, &value));
    *(volatile char *)(uintptr_t)value.data = 'x';
}

static void a_stray_write_faults_in_the_offender_and_harms_nobody(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_held(store, "key", &value);
    uint64_t before = content_of(store);
    CHECK_KILLED(run_in_child(write_through_the_pointer, store), SIGSEGV);
    CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_EQ(content_of(store), before);
    CHECK_OK(put_value(store, "key", 3000, 2, LRD_SET, 0));
    CHECK_OK(lrd_release(store, &value));
    check_nothing_left(store);
    lrd_close(store);
}

/* ---- bounds on the holds of all threads together ---- */

/* Hold values until a get returns a copy, or for 4,000 gets. */
static void hold_all_you_may(void *arg)
{
    scene *s = arg;
    char key[32];
    lrd_value value;
    uint64_t chance = (uint64_t)getpid();
    for (int i = 0; i < 4000; i++) {
        snprintf(key, sizeof key, "key %d", (int)random_below(&chance, 400));
        if (lrd_get(s->store, key, strlen(key), 0, &value) != LRD_OK)
            continue;
        CHECK(value_valid(value.data, value.size, key, strlen(key)));
        if (value.kind == LRD_KIND_COPY) {
            CHECK_OK(lrd_release(s->store, &value));
            break;
        }
        atomic_fetch_add(&s->holds, 1);
    }
    gate_open(&s->ready[0]);
    gate_wait(&s->stop);
}

/* Hold the value of the key, and check that this thread then occupies exactly the windows of the
 * value's block. Does this only if the block ends less than 32 bytes before the end of a window.
 * Otherwise, or if the key is missing, returns false. */
static bool get_at_an_edge(lrd_store *store, const char *key, uint64_t size)
{
    lrd__thread *self = lrd__threads[store->id];
    lrd__place place = lrd__place_of(store, key, strlen(key));
    CHECK_OK(lrd__shard_lock(store, self, 0));
    uint32_t slot = lrd__index_find(store, &place, key, strlen(key));
    uint64_t offset = slot != LRD__NO_SLOT ? lrd__slot_offset(store, 0, slot) : 0;
    lrd__shard_unlock(store, 0);
    uint32_t windows = lrd__zone_windows(store, offset, size + 160);
    if (slot == LRD__NO_SLOT || windows == lrd__zone_windows(store, offset + 32, size + 160))
        return false;
    lrd_value value;
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
    CHECK_EQ(value.kind, LRD_KIND_HELD);
    CHECK_EQ(self->zone_held, windows);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(self->zone_held, 0);
    return true;
}

/* Few blocks end just below a window, so try several sizes and hash seeds. */
static void a_get_bars_the_windows_of_its_block(void **state)
{
    (void)state;
    enum { KEYS = 30000, STORES = 40, ROUNDS = 10, EDGES = 3 };
    unsigned edges = 0, rounds = 0;
    char key[16];
    lrd_store *store = NULL;
    for (; rounds < STORES * ROUNDS && edges < EDGES; rounds++) {
        if (rounds % ROUNDS == 0) {
            lrd_close(store);
            lrd__test_hash_seed = rounds + 1;
            store = store_new(LRD_VOLATILE, 4 * MIB, 1);
        }
        for (unsigned i = 0; i < KEYS; i++) {
            snprintf(key, sizeof key, "key %u", i);
            CHECK_OK(put_value(store, key, 16 + (i + rounds) % 300, i, LRD_SET, 0));
        }
        for (unsigned i = 0; i < KEYS; i++) {
            snprintf(key, sizeof key, "key %u", i);
            edges += get_at_an_edge(store, key, 16 + (i + rounds) % 300);
        }
    }
    lrd_close(store);
    lrd__test_hash_seed = 0;
    print_message("%u blocks end just below a window, after %u rounds\n", edges, rounds);
    CHECK(edges >= EDGES);
}

/* ---- slots ---- */

static void put_and_wait(void *arg)
{
    scene *s = arg;
    CHECK_OK(put_value(s->store, "lasting", 100, 1, LRD_SET, 0));
    gate_open(&s->ready[0]);
    pause(); /* pause() does not use the processor, as gate_wait() would */
}

static void put_and_go(void *arg)
{
    scene *s = arg;
    CHECK_OK(put_value(s->store, "passing", 100, 1, LRD_SET, 0));
    lrd_thread_leave(s->store);
}

static void put_and_die(void *arg)
{
    scene *s = arg;
    CHECK_OK(put_value(s->store, "passing", 100, 1, LRD_SET, 0));
    raise(SIGKILL);
}

/* A thread that claims a slot looks at only a few of many slots. Slots that their threads gave back
 * must be reused at once, and slots of dead threads after a while. */
static void slots_are_used_again_among_many(void **state)
{
    (void)state;
    enum { LASTING = 90, PASSING = 300 };
    scene *s = shared_memory(sizeof *s);
    pid_t children[LASTING];
    lrd_options options = {.size = 8 * MIB, .slots = 1000};
    CHECK_OK(lrd_open(&options, &s->store));
    CHECK_OK(put_value(s->store, "first", 100, 1, LRD_SET, 0));
    for (int i = 0; i < LASTING; i++) {
        atomic_store(&s->ready[0], 0);
        children[i] = start_child(put_and_wait, s);
        gate_wait(&s->ready[0]);
    }
    CHECK_EQ(stats_of(s->store).slots_used, LASTING + 1);
    uint32_t high = atomic_load(&s->store->header->slots_high);
    for (int i = 0; i < PASSING; i++)
        CHECK_CHILD(run_in_child(put_and_go, s));
    uint32_t now = atomic_load(&s->store->header->slots_high);
    print_message("%d that came and left: %u slots more than the %u before\n", PASSING, now - high,
                  high);
    for (int i = 0; i < PASSING; i++)
        CHECK_KILLED(run_in_child(put_and_die, s), SIGKILL);
    uint32_t more = atomic_load(&s->store->header->slots_high) - now;
    print_message("%d that died: %u slots more\n", PASSING, more);
    for (int i = 0; i < LASTING; i++)
        stop_child(children[i]);
    CHECK(now <= high + 20); /* at most one batch of slots was added */
    CHECK(more < PASSING - 50);
    CHECK_FSCK(s->store);
    CHECK_OK(put_value(s->store, "first", 100, 2, LRD_SET, 0));
    CHECK_FSCK(s->store);
    lrd_close(s->store);
}

static void forty_idle_processes_that_hold_all_they_may_stop_nobody(void **state)
{
    (void)state;
    enum { PROCESSES = 40 };
    scene *s = shared_memory(sizeof *s);
    pid_t children[PROCESSES];
    s->store = store_new(LRD_VOLATILE, 8 * MIB, 0);
    for (uint64_t round = 0; round < 5; round++)
        churn(s->store, 2000, round + 1);
    for (int i = 0; i < PROCESSES; i++) {
        atomic_store(&s->ready[0], 0);
        children[i] = start_child(hold_all_you_may, s);
        gate_wait(&s->ready[0]);
        churn(s->store, 500, (uint64_t)i + 100);
    }
    CHECK(atomic_load(&s->holds) >= PROCESSES);
    lrd_stats stats = stats_of(s->store);
    /* The quotas may add up to half of the data, plus the minimum quota of each process. */
    CHECK(stats.held_quota <= 4 * MIB + (PROCESSES + 1) * (8 * MIB / 4096));
    CHECK(stats.held_quota >= 3 * MIB);
    CHECK_EQ(stats.slots_used, PROCESSES + 1);
    CHECK(stats.retired_bytes <= 5 * MIB);
    uint64_t refused = stats.refused;
    char key[32];
    lrd_value values[50];
    int copies = 0;
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "steady %d", i);
        CHECK_OK(put_value(s->store, key, 3000, (uint64_t)i, LRD_SET, 0));
        CHECK_OK(get_checked(s->store, key, NULL, NULL));
    }
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "steady %d", 4990 - i);
        CHECK_OK(lrd_get(s->store, key, strlen(key), 0, &values[i]));
        copies += values[i].kind == LRD_KIND_COPY;
    }
    CHECK(copies > 0);
    stats = stats_of(s->store);
    CHECK_EQ(stats.refused, refused);
    /* Half of the data is held, with gaps between the held blocks. In measurements, live entries
     * filled 30 to 41 % of the store. */
    CHECK(stats.live_bytes >= 8 * MIB / 100 * 25);
    CHECK_FSCK(s->store);
    for (int i = 0; i < 50; i++)
        CHECK_OK(lrd_release(s->store, &values[i]));
    for (int i = 0; i < PROCESSES; i++)
        stop_child(children[i]);
    check_nothing_left(s->store);
    lrd_close(s->store);
}

/* ---- forks ---- */

typedef struct family {
    lrd_store *store;
    lrd_value value, second;
    gate child_ready, overwritten;
} family;

static void use_what_the_parent_held(void *arg)
{
    family *f = arg;
    gate_open(&f->child_ready);
    gate_wait(&f->overwritten);
    lrd_value value = f->value, second = f->second, more;
    CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_EQ(value_seed(value.data, value.size), 1);
    CHECK_OK(lrd_hold(f->store, &value, &more));
    CHECK_OK(lrd_release(f->store, &value));
    CHECK_OK(lrd_release(f->store, &second));
    CHECK(value_valid(more.data, more.size, "key", 3));
    CHECK_OK(lrd_release(f->store, &more));
    CHECK_OK(put_value(f->store, "child", 1000, 5, LRD_SET, 0));
}

static void a_child_keeps_what_its_parent_held_at_the_fork(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
        family *f = shared_memory(sizeof *f);
        f->store = store;
        CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
        get_held(store, "key", &f->value);
        get_held(store, "key", &f->second);
        lrd_value value = f->value, second = f->second;
        pid_t child = start_child(use_what_the_parent_held, f);
        if (round % 2 == 0) /* In the other rounds, the parent does not wait for the child. */
            gate_wait(&f->child_ready);
        CHECK_OK(lrd_release(store, &value));
        CHECK_OK(lrd_release(store, &second));
        CHECK_OK(lrd_delete(store, "key", 3));
        for (int i = 0; i < 2000; i++) {
            char key[32];
            snprintf(key, sizeof key, "filler %d", i);
            CHECK_OK(put_value(store, key, 2900, 9, LRD_SET, 0));
        }
        gate_open(&f->overwritten);
        CHECK_CHILD(wait_child(child));
        CHECK_OK(get_checked(store, "child", NULL, NULL));
        check_nothing_left(store);
        lrd_close(store);
    }
}

/* To see whether a slot has an owner, a process takes the slot's lease `owner`. Stop the process
 * while it has the lease of the child's slot. */
static void stop_with_the_lease_of_a_child(const char *name, void *arg)
{
    const lrd_store *store = arg;
    (void)name;
    for (uint32_t i = 0; i < atomic_load(&store->header->slots_high); i++) {
        lrd__slot *slot = lrd__slot_at(store, i);
        if (lrd__who_tid(&slot->who) == 0 && lrd__mutex_owner(&slot->owner) == (uint32_t)getpid())
            raise(SIGSTOP);
    }
}

static void look_for_the_dead(void *arg)
{
    lrd_store *store = arg;
    failpoint_hook(stop_with_the_lease_of_a_child, store);
    lrd__slots_notice(store);
    failpoint_hook(NULL, NULL);
}

/* State of a process that looks for dead owners between the preparation of a child's slot and the
 * start of the child. */
typedef struct onlooker {
    lrd_store *store;
    pid_t pid;
} onlooker;

static void let_somebody_look(const char *name, void *arg)
{
    onlooker *o = arg;
    int status;
    if (strcmp(name, "fork_copied") != 0)
        return;
    failpoint_hook(NULL, NULL);
    o->pid = _Fork(); /* _Fork() calls no fork handlers */
    if (o->pid == 0) {
        look_for_the_dead(o->store);
        _exit(0);
    }
    CHECK(waitpid(o->pid, &status, WUNTRACED) == o->pid);
}

static void a_child_does_not_need_who_was_stopped_while_looking_at_its_slot(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    family *f = shared_memory(sizeof *f);
    onlooker o = {.store = store};
    f->store = store;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_held(store, "key", &f->value);
    get_held(store, "key", &f->second);
    lrd_value value = f->value, second = f->second;
    gate_open(&f->overwritten);
    failpoint_hook(let_somebody_look, &o);
    int status = run_in_child(use_what_the_parent_held, f);
    CHECK(o.pid > 0);
    kill(o.pid, SIGKILL);
    waitpid(o.pid, NULL, 0);
    CHECK_CHILD(status);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_release(store, &second));
    lrd_close(store);
}

static void be_a_parent(void *arg)
{
    family *f = arg;
    lrd_value value = f->value, second = f->second;
    pid_t grandchild = start_child(use_what_the_parent_held, f);
    CHECK_OK(lrd_release(f->store, &value));
    CHECK_OK(lrd_release(f->store, &second));
    CHECK_CHILD(wait_child(grandchild));
}

static void a_grandchild_keeps_it_too(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    family *f = shared_memory(sizeof *f);
    f->store = store;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_held(store, "key", &f->value);
    get_held(store, "key", &f->second);
    pid_t child = start_child(be_a_parent, f);
    gate_wait(&f->child_ready);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(stats_of(store).retired_bytes >= 3000);
    gate_open(&f->overwritten);
    CHECK_CHILD(wait_child(child));
    check_nothing_left(store);
    lrd_close(store);
}

typedef struct handover {
    lrd_store *store;
    gate holding, ready, free_slot, scanning, moved, checked;
    uint32_t slots; /* number of slots whose ledger the scanner has read */
} handover;

static void keep_what_was_held(void *arg)
{
    handover *h = arg;
    gate_wait(&h->checked);
    CHECK_OK(lrd_request_end(h->store));
}

/* The forked child takes over a hold while another process scans the ledgers and has already read
 * the child's slot. */
static void hold_and_hand_over(void *arg)
{
    handover *h = arg;
    lrd_value value;
    get_held(h->store, "key", &value);
    gate_open(&h->holding);
    gate_wait(&h->scanning);
    pid_t child = start_child(keep_what_was_held, h);
    CHECK_OK(lrd_release(h->store, &value));
    gate_open(&h->moved);
    CHECK_CHILD(wait_child(child));
}

static void wait_in_the_scan(const char *name, void *arg)
{
    handover *h = arg;
    if (strcmp(name, "ledger_read") != 0 || ++h->slots != 2)
        return;
    gate_open(&h->scanning);
    gate_wait(&h->moved);
}

static void scan_meanwhile(void *arg)
{
    handover *h = arg;
    CHECK_OK(lrd_delete(h->store, "key", 3)); /* this call claims the third slot */
    gate_open(&h->ready);
    gate_wait(&h->free_slot);
    failpoint_hook(wait_in_the_scan, h);
    CHECK_OK(lrd_sweep(h->store, NULL));
    failpoint_hook(NULL, NULL);
    CHECK_EQ(h->slots > 2, 1);
}

static void a_hold_that_moves_past_a_scan_is_seen(void **state)
{
    (void)state;
    handover *h = shared_memory(sizeof *h);
    h->store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(h->store, "key", 3000, 1, LRD_SET, 0)); /* claims the first slot */
    pid_t holder = start_child(hold_and_hand_over, h);
    gate_wait(&h->holding);
    pid_t scanner = start_child(scan_meanwhile, h);
    gate_wait(&h->ready);
    lrd_thread_leave(h->store);
    gate_open(&h->free_slot);
    CHECK_CHILD(wait_child(scanner));
    CHECK(stats_of(h->store).retired_bytes >= 3000);
    CHECK(allocated_bytes(h->store) >= 3000);
    gate_open(&h->checked);
    CHECK_CHILD(wait_child(holder));
    check_nothing_left(h->store);
    lrd_close(h->store);
}

/* After _Fork(), the C library knows the child's thread id, so the child may use the store. The
 * child inherits no handles. */
static int start_afresh(lrd_store *store, lrd_value *value, lrd_reservation *reservation)
{
    lrd_value own;
    CHECK_CODE(lrd_release(store, value), LRD_ESTATE);
    CHECK_CODE(lrd_publish(store, reservation, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_abort(store, reservation), LRD_ESTATE);
    CHECK_CODE(lrd_unlock(store, "locked", 6, 0), LRD_MISS);
    CHECK_CODE(lrd_lock(store, "locked", 6, 0, 0, NULL), LRD_HELD);
    get_held(store, "key", &own);
    CHECK_OK(put_value(store, "child", 3000, 1, LRD_SET, 0));
    return 0;
}

/* After a raw clone(2), the C library reports the parent's thread id in the child. A lock with this
 * id would never count as dead, so the core must refuse all calls of the child. */
static int be_refused(lrd_store *store, lrd_value *value, lrd_reservation *reservation)
{
    lrd_value own;
    lrd_reservation other;
    const int answers[] = {
        lrd_release(store, value),         lrd_get(store, "key", 3, 0, &own),
        lrd_has(store, "key", 3),          lrd_publish(store, reservation, LRD_SET, 0, 0),
        lrd_abort(store, reservation),     lrd_reserve(store, "child", 5, 100, 0, &other),
        lrd_delete(store, "key", 3),       lrd_lock(store, "locked", 6, 0, 0, NULL),
        lrd_unlock(store, "locked", 6, 0),
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != LRD_ENOSLOT && answers[i] != LRD_ESTATE) {
            fprintf(stderr, "answer %zu is %s\n", i, lrd_error_name(answers[i]));
            wrong++;
        }
    lrd_thread_leave(store);
    lrd_close(store);
    return wrong == 0 ? 0 : EXIT_CHECK_FAILED;
}

static void a_child_that_skipped_the_fork_handlers_inherits_nothing_and_does_no_harm(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    for (int round = 0; round < 20; round++) {
        lrd_value value;
        lrd_reservation reservation;
        CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
        get_held(store, "key", &value);
        CHECK_OK(lrd_reserve(store, "reserved", 8, 100, 0, &reservation));
        CHECK_OK(lrd_lock(store, "locked", 6, 0, 0, NULL));
        pid_t child =
            round % 2 == 0 ? _Fork() : (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        CHECK(child >= 0);
        if (child == 0)
            syscall(SYS_exit_group, round % 2 == 0 ? start_afresh(store, &value, &reservation)
                                                   : be_refused(store, &value, &reservation));
        CHECK_CHILD(wait_child(child));
        CHECK(value_valid(value.data, value.size, "key", 3));
        CHECK_OK(lrd_release(store, &value));
        CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
        CHECK_OK(lrd_unlock(store, "locked", 6, 0));
        CHECK_OK(lrd_has(store, "reserved", 8));
        CHECK_OK(lrd_delete(store, "key", 3));
        check_nothing_left(store);
    }
    lrd_close(store);
}

static void child_of_many(void *arg)
{
    lrd_store *store = arg;
    uint64_t chance = (uint64_t)getpid();
    int code = get_checked(store, "key", NULL, NULL);
    CHECK(code == LRD_OK);
    lrd_value value;
    get_held(store, "key", &value);
    if (random_below(&chance, 3) == 0)
        kill(getpid(), SIGKILL);
    CHECK_OK(put_value(store, "child", 500, 1, LRD_SET, 0));
}

static void many_forks_leak_no_slot(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0); /* 64 slots */
    lrd_value value;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_held(store, "key", &value);
    for (int i = 0; i < 1000; i++) {
        int status = run_in_child(child_of_many, store);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            CHECK_CHILD(status);
    }
    CHECK_OK(lrd_release(store, &value));
    check_nothing_left(store);
    lrd_close(store);
}

static void a_child_killed_at_once_leaves_nothing(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_value value;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_held(store, "key", &value);
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            for (;;)
                pause();
        if (i % 2 == 0)
            usleep((unsigned)i * 10);
        stop_child(child);
    }
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_OK(lrd_release(store, &value));
    /* If a child dies before it has taken over its slot, the slot stays with the parent for some
     * seconds. */
    for (int i = 0; i < 600 && stats_of(store).slots_used > 1; i++) {
        sleep_ms(100);
        CHECK_OK(lrd_sweep(store, NULL));
    }
    check_nothing_left(store);
    CHECK_EQ(allocated_bytes(store), 0);
    lrd_close(store);
}

/* ---- threads ---- */

static void *end_with_holds(void *arg)
{
    lrd_value value;
    lrd_reservation reservation;
    get_held(arg, "key", &value);
    get_held(arg, "key", &value);
    CHECK_OK(lrd_reserve(arg, "reserved", 8, 1000, 0, &reservation));
    CHECK_OK(lrd_lock(arg, "locked", 6, 0, 0, NULL));
    return NULL;
}

static void a_thread_that_ends_lets_go_of_everything(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
        CHECK_EQ(pthread_create(&thread, NULL, end_with_holds, store), 0);
        pthread_join(thread, NULL);
        CHECK_OK(lrd_lock(store, "locked", 6, 0, 0, NULL));
        CHECK_OK(lrd_unlock(store, "locked", 6, 0));
        CHECK_OK(lrd_delete(store, "key", 3));
        if (i % 20 == 0)
            check_nothing_left(store);
    }
    check_nothing_left(store);
    CHECK_EQ(allocated_bytes(store), 0);
    lrd_close(store);
}

/* ---- what is borrowed ---- */

static void what_is_borrowed_bars_its_memory_until_another_is(void **state)
{
    (void)state;
    for (int end = 0; end < 3; end++) {
        lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
        lrd_value value, other;
        CHECK_OK(put_value(store, "big", 4000000, 1, LRD_SET, 0));
        CHECK_OK(put_value(store, "small", 100, 1, LRD_SET, 0));
        CHECK_OK(lrd_get(store, "big", 3, LRD_GET_BORROW, &value));
        CHECK_OK(lrd_delete(store, "big", 3));
        for (int i = 0; i < 10; i++) {
            CHECK_OK(put_value(store, "new", 100, 1, LRD_SET, 0));
            CHECK_OK(lrd_get(store, "small", 5, 0, &other));
            CHECK_OK(lrd_release(store, &other));
            CHECK_CODE(lrd_get(store, "none", 4, LRD_GET_BORROW, &other), LRD_MISS);
            CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS);
        }
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK(stats_of(store).retired_bytes > 4000000);
        if (end == 0)
            CHECK_OK(lrd_release(store, &value));
        else if (end == 1)
            CHECK_OK(lrd_get(store, "small", 5, LRD_GET_BORROW, &other));
        else
            CHECK_OK(lrd_request_end(store));
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        lrd_close(store);
    }
}

/* ---- readers without a writer ---- */

static void hold_much_and_die(void *arg)
{
    scene *s = arg;
    uint32_t me = atomic_fetch_add(&s->seed, 1);
    lrd_value value;
    char key[32];
    for (uint32_t i = 0; i < 40; i++) {
        snprintf(key, sizeof key, "key %u", me * 40 + i);
        CHECK_OK(lrd_get(s->store, key, strlen(key), 0, &value));
        atomic_fetch_add(&s->holds, value.kind == LRD_KIND_HELD);
    }
    gate_open(&s->ready[me]);
    gate_wait(&s->stop);
    kill(getpid(), SIGKILL);
}

/* Two processes use up the quota and die. All other processes only read, so no writer notices the
 * deaths. The readers must notice them. */
static void what_the_dead_held_makes_no_copies_where_all_read(void **state)
{
    (void)state;
    scene *s = shared_memory(sizeof *s);
    s->store = store_new(LRD_PINNED, 8 * MIB, 1);
    char key[32];
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(s->store, key, 60000, i, LRD_SET, 0));
    }
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = start_child(hold_much_and_die, s);
        gate_wait(&s->ready[i]);
    }
    CHECK(atomic_load(&s->holds) < 80);
    gate_open(&s->stop);
    for (int i = 0; i < 2; i++)
        CHECK_KILLED(wait_child(children[i]), SIGKILL);
    atomic_store(&s->store->header->slots_look_at, 0);
    lrd_value values[10];
    for (uint32_t i = 0; i < 10; i++) {
        snprintf(key, sizeof key, "key %u", i);
        get_held(s->store, key, values + i);
    }
    for (uint32_t i = 10; i-- > 0;)
        CHECK_OK(lrd_release(s->store, values + i));
    lrd_close(s->store);
}

/* Occupy a window of the zone for this thread. Returns false if no more windows may be occupied. */
static bool take_window(lrd_store *store, uint32_t window)
{
    uint64_t page = lrd__zone_first(store) + window * lrd__zone_pages(store);
    return lrd__zone_take(lrd__threads[store->id], page << LRD__PAGE_BITS, 1000, false);
}

static void bar_the_zone_and_die(void *store)
{
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS); /* this call claims a slot */
    for (uint32_t window = 0; window < LRD__ZONE_OCCUPIED; window++)
        CHECK(take_window(store, window));
    CHECK(!take_window(store, LRD__ZONE_OCCUPIED));
    kill(getpid(), SIGKILL);
}

static void windows_that_the_dead_occupied_are_had_where_all_read(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 8 * MIB, 1);
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS);
    CHECK_KILLED(run_in_child(bar_the_zone_and_die, store), SIGKILL);
    atomic_store(&store->header->slots_look_at, 0);
    CHECK(take_window(store, LRD__ZONE_OCCUPIED));
    lrd_close(store);
}

/* ---- slots ---- */

static void a_first_slot_without_an_owner_is_given_back(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS);
    lrd__slot *slot = lrd__slot_at(store, 0);
    CHECK_EQ(atomic_load(&slot->claimed), 0); /* slot 0 is a spare slot */
    uint64_t reaped = atomic_load(&store->header->reaped);
    atomic_store(&slot->claimed, 1); /* pretend that a thread has claimed the slot and died */
    lrd__slots_notice(store);
    CHECK_EQ(atomic_load(&slot->claimed), 0);
    CHECK_EQ(atomic_load(&store->header->reaped), reaped + 1);
    lrd_close(store);
}

typedef struct claim_job {
    lrd__slot *slot;
    gate taken, seen;
} claim_job;

static void *take_a_lease(void *arg)
{
    claim_job *job = arg;
    CHECK_OK(lrd__lease_try(&job->slot->owner, &job->slot->who));
    gate_open(&job->taken);
    gate_wait(&job->seen);
    lrd__mutex_unlock(&job->slot->owner);
    return NULL;
}

static void a_slot_that_is_being_claimed_is_left_alone(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_CODE(lrd_has(store, "none", 4), LRD_MISS);
    claim_job job = {.slot = lrd__slot_at(store, 1)};
    pthread_t thread;
    CHECK_EQ(atomic_load(&job.slot->claimed), 0);
    atomic_store(&job.slot->claimed, 1);
    CHECK_EQ(pthread_create(&thread, NULL, take_a_lease, &job), 0);
    gate_wait(&job.taken);
    lrd__slots_notice(store);
    CHECK_EQ(atomic_load(&job.slot->claimed), 1);
    CHECK_OK(lrd__lease_try(&job.slot->guardian, &job.slot->guard));
    lrd__mutex_unlock(&job.slot->guardian);
    gate_open(&job.seen);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    lrd__slots_notice(store);
    CHECK_EQ(atomic_load(&job.slot->claimed), 0);
    lrd_close(store);
}

/* ---- ledgers that cannot grow ---- */

static unsigned hold_many(lrd_store *store, unsigned count)
{
    unsigned held = 0;
    lrd_value value;
    char key[16];
    for (unsigned i = 0; i < count; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
        CHECK(value_valid(value.data, value.size, key, strlen(key)));
        held += value.kind == LRD_KIND_HELD;
        if (value.kind != LRD_KIND_HELD)
            CHECK_OK(lrd_release(store, &value));
    }
    return held;
}

static void a_ledger_without_memory_bounds_the_holds(void **state)
{
    (void)state;
    char key[16];
    lrd_store *store = store_new(LRD_SESSION, 8 * MIB, 1);
    for (unsigned i = 0; i < 1500; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 20, i, LRD_SET, 0));
    }
    /* pretend that the file system is full */
    atomic_store(&store->header->memory_until, UINT64_MAX);
    unsigned held = hold_many(store, 1500);
    CHECK(held > LRD__LEDGER_FIRST / 2 && held <= LRD__LEDGER_FIRST);
    CHECK_OK(lrd_request_end(store));
    atomic_store(&store->header->memory_until, 0);
    CHECK_EQ(hold_many(store, 1500), 1500);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- children that take over late ---- */

/* Stop a new child before the core's fork handler runs. The handlers of a child run in the order in
 * which they were registered, and this one is registered before main(). */
static bool stops_children;
static void stop_first(void)
{
    if (stops_children)
        raise(SIGSTOP);
}
__attribute__((constructor)) static void stop_before_the_core(void)
{
    pthread_atfork(NULL, NULL, stop_first);
}

static void read_what_was_inherited(void *value)
{
    const lrd_value *held = value;
    CHECK(value_valid(held->data, held->size, "held", 4));
}

/* After a fork, a parent protects the inherited values for five seconds, for at most LRD__GUARDS
 * children at a time. A child that takes over its values later must end. */
static void a_child_that_takes_over_too_late_ends(void **state)
{
    (void)state;
    pid_t pids[LRD__GUARDS + 1];
    lrd_value held;
    lrd_store *store = store_new(LRD_SESSION, 4 * MIB, 1);
    CHECK_OK(put_value(store, "held", 1000, 1, LRD_SET, 0));
    get_held(store, "held", &held);
    uint64_t started = real_ms();
    stops_children = true;
    for (unsigned i = 0; i < LRD__GUARDS; i++)
        pids[i] = start_child(read_what_was_inherited, &held);
    CHECK(lrd__threads[store->id]->guarded == LRD__GUARDS || real_ms() - started >= 5000);
    /* this fork waits for five seconds */
    pids[LRD__GUARDS] = start_child(read_what_was_inherited, &held);
    stops_children = false;
    CHECK(real_ms() - started >= 5000);
    lrd__guards_check(lrd__threads[store->id]);
    unsigned late = LRD__GUARDS + 1 - lrd__threads[store->id]->guarded;
    CHECK(late >= 1);
    CHECK_EQ(stats_of(store).slots_used, LRD__GUARDS + 2 - late);
    unsigned ended = 0;
    for (unsigned i = 0; i <= LRD__GUARDS; i++) {
        int status;
        CHECK_EQ(waitpid(pids[i], &status, WUNTRACED), pids[i]);
        CHECK(WIFSTOPPED(status));
        CHECK_EQ(kill(pids[i], SIGCONT), 0);
        status = wait_child(pids[i]);
        CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == EXIT_LOST));
        ended += WEXITSTATUS(status) == EXIT_LOST;
    }
    CHECK_EQ(ended, late);
    CHECK(value_valid(held.data, held.size, "held", 4));
    CHECK_OK(lrd_request_end(store));
    check_nothing_left(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_values_stay_while_others_evict_replace_and_delete),
        cmocka_unit_test(what_is_used_stays_while_the_rest_is_let_go),
        cmocka_unit_test(letting_go_leaves_others_alone),
        cmocka_unit_test(letting_go_of_most_lowers_the_quota),
        cmocka_unit_test(a_limit_of_the_hosts_own_comes_before_the_share),
        cmocka_unit_test(a_limit_takes_back_only_copies_that_it_counted),
        cmocka_unit_test(held_values_stay_in_a_pinned_store_near_full),
        cmocka_unit_test(memory_is_reused_once_the_holder_lets_go_or_dies),
        cmocka_unit_test(a_stray_write_faults_in_the_offender_and_harms_nobody),
        cmocka_unit_test(slots_are_used_again_among_many),
        cmocka_unit_test(forty_idle_processes_that_hold_all_they_may_stop_nobody),
        cmocka_unit_test(a_child_keeps_what_its_parent_held_at_the_fork),
        cmocka_unit_test(a_child_does_not_need_who_was_stopped_while_looking_at_its_slot),
        cmocka_unit_test(a_grandchild_keeps_it_too),
        cmocka_unit_test(a_child_that_skipped_the_fork_handlers_inherits_nothing_and_does_no_harm),
        cmocka_unit_test(a_hold_that_moves_past_a_scan_is_seen),
        cmocka_unit_test(many_forks_leak_no_slot),
        cmocka_unit_test(a_child_killed_at_once_leaves_nothing),
        cmocka_unit_test(a_thread_that_ends_lets_go_of_everything),
        cmocka_unit_test(a_ledger_without_memory_bounds_the_holds),
        cmocka_unit_test(a_child_that_takes_over_too_late_ends),
        cmocka_unit_test(what_is_borrowed_bars_its_memory_until_another_is),
        cmocka_unit_test(what_the_dead_held_makes_no_copies_where_all_read),
        cmocka_unit_test(windows_that_the_dead_occupied_are_had_where_all_read),
        cmocka_unit_test(a_first_slot_without_an_owner_is_given_back),
        cmocka_unit_test(a_slot_that_is_being_claimed_is_left_alone),
        cmocka_unit_test(a_get_bars_the_windows_of_its_block),
    };
    return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
