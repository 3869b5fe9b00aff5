/* handle_test.c - values that threads of one process hold, borrow, copy or reserve: when a handle
 * is valid, what ends it, and what a get returns beyond the bounds. hold_test.c has several
 * processes. */
#include "support.h"

#include "internal.h"

#include <pthread.h>
#include <stdlib.h>

#define MIB (1u << 20)

static void get_value(lrd_store *store, const char *key, unsigned flags, int kind, lrd_value *out)
{
    CHECK_OK(lrd_get(store, key, strlen(key), flags, out));
    CHECK_EQ(out->kind, kind);
    CHECK(value_valid(out->data, out->size, key, strlen(key)));
}

static void overwrite_everything(lrd_store *store)
{
    char key[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "filler %d", i);
        CHECK_OK(put_value(store, key, 900, (uint64_t)i, LRD_SET, 0));
    }
}

/* ---- holds ---- */

static void a_held_value_outlives_its_entry(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value replaced, deleted, evicted, cleared;
    CHECK_OK(put_value(store, "replaced", 3000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "deleted", 3000, 2, LRD_SET, 0));
    CHECK_OK(put_value(store, "evicted", 3000, 3, LRD_SET, 0));
    get_value(store, "replaced", 0, LRD_KIND_HELD, &replaced);
    get_value(store, "deleted", 0, LRD_KIND_HELD, &deleted);
    get_value(store, "evicted", 0, LRD_KIND_HELD, &evicted);
    CHECK_OK(put_value(store, "replaced", 3000, 9, LRD_SET, 0));
    CHECK_OK(lrd_delete(store, "deleted", 7));
    overwrite_everything(store);
    CHECK_OK(put_value(store, "cleared", 3000, 4, LRD_SET, 0));
    get_value(store, "cleared", 0, LRD_KIND_HELD, &cleared);
    CHECK_OK(lrd_clear(store));
    overwrite_everything(store);
    lrd_value *values[] = {&replaced, &deleted, &evicted, &cleared};
    const char *keys[] = {"replaced", "deleted", "evicted", "cleared"};
    for (uint64_t i = 0; i < 4; i++) {
        CHECK(value_valid(values[i]->data, values[i]->size, keys[i], strlen(keys[i])));
        CHECK_EQ(value_seed(values[i]->data, values[i]->size), i + 1);
        CHECK_OK(lrd_release(store, values[i]));
    }
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void each_handle_is_released_for_itself(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_value first, second, third;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &first);
    get_value(store, "key", 0, LRD_KIND_HELD, &second);
    CHECK_OK(lrd_hold(store, &first, &third));
    CHECK_EQ(third.kind, LRD_KIND_HELD);
    CHECK(first.data == second.data && second.data == third.data);
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_OK(lrd_release(store, &first));
    CHECK_OK(lrd_release(store, &third));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(stats_of(store).retired_bytes > 3000);
    CHECK(value_valid(second.data, second.size, "key", 3));
    CHECK_OK(lrd_release(store, &second));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(allocated_bytes(store), 0);
    lrd_close(store);
}

static void a_released_handle_is_not_released_again(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_value value, stale, none;
    memset(&none, 0, sizeof none);
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    stale = value;
    CHECK_OK(lrd_release(store, &value));
    CHECK_EQ(value.kind, LRD_KIND_NONE);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_release(store, &none));
    CHECK_CODE(lrd_release(store, &stale), LRD_ESTATE);
    stale.handle = 12345;
    CHECK_CODE(lrd_release(store, &stale), LRD_ESTATE);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_borrowed_value_can_be_held(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value borrowed, held;
    lrd_entry entry;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_value(store, "key", LRD_GET_BORROW, LRD_KIND_BORROWED, &borrowed);
    CHECK_OK(lrd_value_entry(store, &borrowed, &entry));
    CHECK_EQ(entry.key_len, 3);
    get_value(store, "key", LRD_GET_BORROW, LRD_KIND_BORROWED, &borrowed);
    CHECK_OK(lrd_hold(store, &borrowed, &held));
    CHECK_EQ(held.kind, LRD_KIND_HELD);
    CHECK_OK(lrd_delete(store, "key", 3));
    overwrite_everything(store);
    CHECK(value_valid(held.data, held.size, "key", 3));
    CHECK_EQ(value_seed(held.data, held.size), 1);
    CHECK_OK(lrd_release(store, &held));
    lrd_cursor cursor = {0};
    CHECK_OK(lrd_next(store, &cursor, &borrowed));
    CHECK_OK(lrd_hold(store, &borrowed, &held));
    CHECK_EQ(held.kind, LRD_KIND_HELD);
    CHECK_OK(lrd_value_entry(store, &held, &entry));
    CHECK(value_valid(held.data, held.size, entry.key, entry.key_len));
    CHECK_OK(lrd_release(store, &held));
    lrd_close(store);
}

/* ---- bounds ---- */

static void past_the_bound_of_holds_a_get_gives_a_copy(void **state)
{
    (void)state;
    enum { COUNT = LRD_HOLDS_MAX + 10 };
    lrd_store *store = store_new(LRD_PINNED, 96 * MIB, 0); /* a quarter may be held */
    static lrd_value values[COUNT];
    char key[32];
    unsigned bound = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 200, i, LRD_SET, 0));
    }
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &values[i]));
        CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        CHECK_EQ((uintptr_t)values[i].data % LRD_ALIGN, 0);
        if (values[i].kind == LRD_KIND_HELD) {
            CHECK_EQ(bound, i);
            bound++;
        } else {
            CHECK_EQ(values[i].kind, LRD_KIND_COPY);
        }
        CHECK_EQ(lrd_contains(store, values[i].data), values[i].kind == LRD_KIND_HELD);
    }
    /* The ledger keeps some entries free for reservations. */
    CHECK(bound <= LRD_HOLDS_MAX);
    CHECK(bound >= LRD_HOLDS_MAX - 32);
    CHECK_EQ(stats_of(store).copies, COUNT - bound);
    CHECK_EQ(stats_of(store).copies_by[LRD_COPY_NUMBER], COUNT - bound);
    char beyond[32];
    snprintf(beyond, sizeof beyond, "key %d", COUNT - 4);
    lrd_value value, *copy = &values[COUNT - 1];
    lrd_entry entry;
    CHECK_CODE(lrd_value_entry(store, copy, &entry), LRD_ESTATE);
    CHECK_CODE(lrd_hold(store, copy, &value), LRD_ESTATE);
    get_value(store, beyond, LRD_GET_NO_COPY, LRD_KIND_BORROWED, &value);
    CHECK(lrd_contains(store, value.data));
    CHECK_EQ(stats_of(store).copies, COUNT - bound + 1); /* the host makes this copy */
    get_value(store, beyond, LRD_GET_BORROW, LRD_KIND_BORROWED, &value);
    CHECK_EQ(stats_of(store).copies, COUNT - bound + 1);
    CHECK_OK(put_value(store, "still", 5000, 1, LRD_SET, 0));
    snprintf(key, sizeof key, "key %d", COUNT - 1);
    CHECK_OK(lrd_delete(store, key, strlen(key)));
    CHECK(value_valid(copy->data, copy->size, key, strlen(key)));
    CHECK_OK(lrd_release(store, &values[77]));
    get_value(store, beyond, 0, LRD_KIND_HELD, &value);
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %u", i);
        if (i != 77)
            CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        CHECK_OK(lrd_release(store, &values[i]));
        CHECK_EQ(values[i].kind, LRD_KIND_NONE);
    }
    CHECK_OK(lrd_release(store, &value));
    lrd_close(store);
}

static void past_a_quarter_of_the_data_a_get_gives_a_copy(void **state)
{
    (void)state;
    enum { COUNT = 30, SIZE = 100000 };
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, 0);
    lrd_value values[COUNT];
    char key[32];
    uint64_t held = 0;
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, SIZE, 1, LRD_SET, 0));
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &values[i]));
        CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        held += values[i].kind == LRD_KIND_HELD ? SIZE : 0;
    }
    CHECK(held <= MIB);
    CHECK(held >= MIB - 3 * SIZE);
    CHECK_EQ(values[COUNT - 1].kind, LRD_KIND_COPY);
    for (int i = 0; i < COUNT; i++)
        CHECK_OK(lrd_release(store, &values[i]));
    lrd_close(store);
}

static void one_value_of_any_size_can_always_be_held(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, 0);
    lrd_info info;
    lrd_value large, small;
    lrd_store_info(store, &info);
    CHECK_OK(put_value(store, "small", 1000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "large", (size_t)info.value_max, 1, LRD_SET, 0));
    get_value(store, "large", 0, LRD_KIND_HELD, &large);
    get_value(store, "small", 0, LRD_KIND_COPY, &small);
    CHECK_OK(lrd_release(store, &large));
    CHECK_OK(lrd_release(store, &small));
    get_value(store, "small", 0, LRD_KIND_HELD, &small);
    CHECK_OK(lrd_release(store, &small));
    lrd_close(store);
}

static void many_handles_on_one_value_cost_one_hold(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static lrd_value values[COUNT];
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    CHECK_OK(put_value(store, "key", 100000, 1, LRD_SET, 0));
    for (int i = 0; i < COUNT; i++)
        get_value(store, "key", 0, LRD_KIND_HELD, &values[i]);
    CHECK_OK(lrd_delete(store, "key", 3));
    for (int i = 0; i < COUNT; i++) {
        if (i % 1000 == 999)
            overwrite_everything(store);
        CHECK(i % 100 != 0 || value_valid(values[i].data, values[i].size, "key", 3));
        CHECK_OK(lrd_release(store, &values[i]));
    }
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void an_immutable_store_has_no_bounds(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static lrd_value values[COUNT];
    lrd_store *store = store_new(LRD_IMMUTABLE, 4 * MIB, 0);
    char key[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 800, 1, LRD_ADD, 0));
        get_value(store, key, 0, LRD_KIND_HELD, &values[i]);
    }
    CHECK_EQ(stats_of(store).copies, 0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK(value_valid(values[i].data, values[i].size, key, strlen(key)));
        CHECK_OK(lrd_release(store, &values[i]));
    }
    lrd_close(store);
}

/* ---- requests ---- */

static void request_end_ends_every_handle(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_value held[20], again;
    lrd_reservation reservation;
    char key[32];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 1000, 1, LRD_SET, 0));
        get_value(store, key, 0, LRD_KIND_HELD, &held[i]);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_OK(lrd_reserve(store, "reserved", 8, 1000, 0, &reservation));
    CHECK_OK(lrd_lock(store, "locked", 6, 0, 0, NULL));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(stats_of(store).retired_bytes >= 21000);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(allocated_bytes(store), 0);
    CHECK_CODE(lrd_publish(store, &reservation, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_has(store, "reserved", 8), LRD_MISS);
    CHECK_CODE(lrd_unlock(store, "locked", 6, 0), LRD_MISS);
    for (int i = 0; i < 20; i++)
        CHECK_CODE(lrd_release(store, &held[i]), LRD_ESTATE);
    CHECK_OK(put_value(store, "key", 1000, 1, LRD_SET, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &again);
    CHECK_OK(lrd_release(store, &again));
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Make the thread's request `ms` ms older. A test cannot set the clock that requests use. */
static void age_request(const lrd_store *store, uint64_t ms)
{
    CHECK(lrd__threads[store->id]->request_until > ms);
    lrd__threads[store->id]->request_until -= ms;
}

static void an_expired_value_that_is_held_has_a_millisecond_to_live(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, MIB, 1, clock);
    lrd_value value;
    lrd_entry entry;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 500));
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    for (uint64_t ms = 0; ms < 1000; ms += 499) {
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        /* 0 would mean that the entry never expires */
        CHECK_EQ(entry.ttl_ms, ms < 500 ? 500 - ms : 1);
        atomic_fetch_add(clock, 499);
    }
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_OK(lrd_release(store, &value));
    lrd_close(store);
}

static void copies_outlive_the_request(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value copy;
    CHECK_OK(put_value(store, "key", 1000, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    age_request(store, 61000);
    get_value(store, "key", 0, LRD_KIND_COPY, &copy);
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_delete(store, "key", 3));
    overwrite_everything(store);
    CHECK(value_valid(copy.data, copy.size, "key", 3));
    CHECK_OK(lrd_release(store, &copy));
    lrd_close(store);
}

static void a_request_older_than_a_minute_gets_copies(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value early, late;
    CHECK_OK(put_value(store, "early", 1000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "late", 1000, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    age_request(store, 50000);
    get_value(store, "early", 0, LRD_KIND_HELD, &early);
    age_request(store, 11000);
    get_value(store, "late", 0, LRD_KIND_COPY, &late);
    CHECK_OK(lrd_release(store, &late));
    get_value(store, "late", LRD_GET_NO_COPY, LRD_KIND_BORROWED, &late);
    CHECK_EQ(stats_of(store).copies, 2);
    CHECK_EQ(stats_of(store).copies_by[LRD_COPY_TIME], 2);
    CHECK_OK(lrd_delete(store, "early", 5));
    overwrite_everything(store);
    CHECK(value_valid(early.data, early.size, "early", 5));
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(put_value(store, "late", 1000, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    get_value(store, "late", 0, LRD_KIND_HELD, &late);
    CHECK_OK(lrd_request_end(store));
    lrd_close(store);
}

static void a_request_after_one_that_lasted_too_long_is_as_fast_as_any(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    CHECK_OK(put_value(store, "key", 1000, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    const lrd__thread *self = lrd__threads[store->id];
    CHECK(self->fast && self->limit != 0);
    age_request(store, 61000);
    get_value(store, "key", 0, LRD_KIND_COPY, &value);
    CHECK_OK(lrd_release(store, &value));
    CHECK(!self->fast && self->limit == 0);
    CHECK_OK(lrd_request_begin(store));
    CHECK(self->fast && self->limit != 0);
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    CHECK_OK(lrd_request_end(store));
    lrd_close(store);
}

enum { AGED = 4000 };

/* Return a store with "key 0" to "key 3999", each in its home bucket, where the fast path of a get
 * looks. */
static lrd_store *store_of_many(void)
{
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 0);
    char key[32];
    for (unsigned i = 0; i < 20 * AGED; i++) {
        snprintf(key, sizeof key, "filler %u", i % (10 * AGED));
        if (i < 10 * AGED)
            CHECK_OK(put_value(store, key, 20, i, LRD_SET, 0));
        else
            CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    for (unsigned i = 0; i < AGED; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 20, i, LRD_SET, 0));
    }
    return store;
}

static unsigned hold_some(lrd_store *store, unsigned from, unsigned to, lrd_value *values)
{
    unsigned held = 0;
    char key[32];
    for (unsigned i = from; i < to; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &values[i]));
        held += values[i].kind == LRD_KIND_HELD;
    }
    return held;
}

/* Check that the thread's request is too old to hold new values. The thread checks the age of its
 * request only after every LRD__CLOCK_ENTRIES holds, so a few more holds may succeed. The next
 * request may hold again. */
static void check_is_too_old(lrd_store *store, unsigned from, lrd_value *values)
{
    CHECK(hold_some(store, from, from + 200, values) <= LRD__CLOCK_ENTRIES);
    CHECK_EQ(hold_some(store, from + 200, from + 400, values), 0);
    CHECK_OK(lrd_request_end(store));
    CHECK_EQ(hold_some(store, from, from + 400, values), 400);
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_request_with_a_large_ledger_gets_old_after_holds_ended(void **state)
{
    (void)state;
    static lrd_value values[AGED];
    static lrd_held held[AGED];
    lrd_store *store = store_of_many();
    CHECK_OK(lrd_request_begin(store));
    CHECK_EQ(hold_some(store, 0, 3000, values), 3000);
    CHECK_EQ(lrd_holds(store, held, AGED), 3000);
    for (unsigned i = 0; i < 1500; i++)
        held[i].used = true;
    CHECK_EQ(lrd_holds_end(store, held, 3000), 1500);
    age_request(store, 61000);
    check_is_too_old(store, 3000, values);
}

static void a_request_with_an_older_large_ledger_gets_old(void **state)
{
    (void)state;
    static lrd_value values[AGED];
    lrd_store *store = store_of_many();
    CHECK_EQ(hold_some(store, 0, 1500, values), 1500);
    CHECK_OK(lrd_request_begin(store));
    age_request(store, 61000);
    check_is_too_old(store, 1500, values);
}

static void a_request_that_has_released_most_gets_old(void **state)
{
    (void)state;
    static lrd_value values[AGED];
    for (unsigned many = 800; many <= 3000; many += 2200) {
        lrd_store *store = store_of_many();
        CHECK_OK(lrd_request_begin(store));
        CHECK_EQ(hold_some(store, 0, many, values), many);
        for (unsigned i = many; i-- > many / 2;)
            CHECK_OK(lrd_release(store, &values[i]));
        age_request(store, 61000);
        check_is_too_old(store, 3000, values);
    }
}

static void a_request_that_writes_gets_old(void **state)
{
    (void)state;
    static lrd_value values[AGED];
    lrd_store *store = store_of_many();
    unsigned held = 0;
    CHECK_OK(lrd_request_begin(store));
    age_request(store, 61000);
    for (unsigned i = 0; i < 20; i++) {
        held += hold_some(store, i * 10, i * 10 + 10, values);
        CHECK_OK(put_value(store, "large", 20000, i, LRD_SET, 0));
    }
    CHECK(held <= LRD__CLOCK_ENTRIES);
    check_is_too_old(store, 200, values);
}

/* ---- reservations ---- */

static void what_is_built_is_read_at_the_same_address(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_reservation reservation;
    lrd_value value;
    CHECK_OK(lrd_reserve(store, "key", 3, 5000, 42, &reservation));
    CHECK_EQ(reservation.size, 5000);
    CHECK_EQ((uintptr_t)reservation.data % LRD_ALIGN, 0);
    CHECK(lrd_contains(store, reservation.data));
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    value_fill(reservation.build, 5000, "key", 3, 1);
    CHECK(value_valid(reservation.data, 5000, "key", 3));
    const void *data = reservation.data;
    CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    CHECK(value.data == data);
    CHECK_EQ(value.type, 42);
    CHECK_OK(lrd_release(store, &value));
    lrd_close(store);
}

static void a_reservation_is_published_or_aborted_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_reservation reservation, none, stale;
    memset(&none, 0, sizeof none);
    CHECK_CODE(lrd_publish(store, &none, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_abort(store, &none), LRD_ESTATE);
    CHECK_OK(lrd_reserve(store, "key", 3, 100, 0, &reservation));
    stale = reservation;
    CHECK_OK(lrd_abort(store, &reservation));
    CHECK_CODE(lrd_abort(store, &reservation), LRD_ESTATE);
    CHECK_CODE(lrd_publish(store, &reservation, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_abort(store, &stale), LRD_ESTATE);
    CHECK_CODE(lrd_publish(store, &stale, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_OK(lrd_reserve(store, "key", 3, 100, 0, &reservation));
    CHECK_CODE(lrd_publish(store, &stale, LRD_SET, 0, 0), LRD_ESTATE);
    stale = reservation;
    memset(reservation.build, 'x', 100);
    CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
    CHECK_CODE(lrd_publish(store, &reservation, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_publish(store, &stale, LRD_SET, 0, 0), LRD_ESTATE);
    CHECK_CODE(lrd_abort(store, &stale), LRD_ESTATE);
    CHECK_OK(lrd_has(store, "key", 3));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(allocated_bytes(store), stats_of(store).live_bytes);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void reservations_of_one_key_are_published_in_any_order(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 0);
    lrd_reservation reservations[8];
    for (int i = 0; i < 8; i++) {
        CHECK_OK(lrd_reserve(store, "key", 3, 1000, (uint8_t)i, &reservations[i]));
        value_fill(reservations[i].build, 1000, "key", 3, (uint64_t)i);
    }
    for (int i = 7; i >= 0; i--) {
        uint64_t seed;
        if (i == 3) {
            CHECK_OK(lrd_abort(store, &reservations[i]));
            continue;
        }
        CHECK_OK(lrd_publish(store, &reservations[i], LRD_SET, 0, 0));
        CHECK_OK(get_checked(store, "key", NULL, &seed));
        CHECK_EQ(seed, i);
    }
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void more_reservations_than_a_thread_can_have_are_refused(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 0);
    static lrd_reservation reservations[LRD_HOLDS_MAX + 1];
    char key[32];
    for (unsigned i = 0; i < LRD_HOLDS_MAX; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(lrd_reserve(store, key, strlen(key), 50, 0, &reservations[i]));
    }
    CHECK_CODE(lrd_reserve(store, "key", 3, 50, 0, &reservations[LRD_HOLDS_MAX]), LRD_ESTATE);
    CHECK_OK(lrd_abort(store, &reservations[500]));
    CHECK_OK(lrd_reserve(store, "key", 3, 50, 0, &reservations[500]));
    CHECK_OK(lrd_publish(store, &reservations[500], LRD_SET, 0, 0));
    CHECK_OK(lrd_request_end(store));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- threads ---- */

typedef struct job {
    lrd_store *store;
    const lrd_value *given;
    lrd_reservation *reservation;
    lrd_value value;
    void *arg;
    gate started, go_on;
} job;

static void *take_over(void *arg)
{
    job *j = arg;
    lrd_value own, foreign = *j->given;
    CHECK_CODE(lrd_release(j->store, &foreign), LRD_ESTATE);
    CHECK_OK(lrd_hold(j->store, j->given, &own));
    CHECK_EQ(own.kind, LRD_KIND_HELD);
    CHECK(own.data == j->given->data);
    gate_open(&j->started);
    gate_wait(&j->go_on);
    CHECK(value_valid(own.data, own.size, "key", 3));
    CHECK_EQ(value_seed(own.data, own.size), 1);
    CHECK_OK(lrd_release(j->store, &own));
    return NULL;
}

static void a_value_handed_to_another_thread_stays_when_the_giver_lets_go(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    pthread_t thread;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    job j = {.store = store, .given = &value};
    CHECK_EQ(pthread_create(&thread, NULL, take_over, &j), 0);
    gate_wait(&j.started);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_delete(store, "key", 3));
    overwrite_everything(store);
    gate_open(&j.go_on);
    pthread_join(thread, NULL);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void *use_foreign_reservation(void *arg)
{
    job *j = arg;
    lrd_reservation copy = *j->reservation;
    CHECK_CODE(lrd_publish(j->store, &copy, LRD_SET, 0, 0), LRD_ESTATE);
    copy = *j->reservation;
    CHECK_CODE(lrd_abort(j->store, &copy), LRD_ESTATE);
    return NULL;
}

static void a_reservation_belongs_to_its_thread(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_reservation reservation;
    pthread_t thread;
    CHECK_OK(lrd_reserve(store, "key", 3, 100, 0, &reservation));
    job j = {.store = store, .reservation = &reservation};
    CHECK_EQ(pthread_create(&thread, NULL, use_foreign_reservation, &j), 0);
    pthread_join(thread, NULL);
    CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_thread_that_leaves_gives_its_slot_and_handles_back(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    CHECK_EQ(stats_of(store).slots_used, 0);
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    CHECK_EQ(stats_of(store).slots_used, 1);
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    lrd_thread_leave(store);
    CHECK_EQ(stats_of(store).slots_used, 0);
    CHECK_CODE(lrd_release(store, &value), LRD_ESTATE);
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    CHECK_OK(lrd_delete(store, "key", 3));
    lrd_thread_leave(store);
    lrd_thread_leave(store);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

/* lrd_counter_set() gets the counter with LRD_GET_PLAIN. If the thread holds many values, this get
 * lists the counter's block in the ledger. lrd_counter_set() must remove the block from the ledger
 * again. */
static void a_counter_that_was_set_is_not_listed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    char key[16];
    for (unsigned i = 0; i < 2 * LRD_PLAIN_HOLDS; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
        get_value(store, key, 0, LRD_KIND_HELD, &value);
    }
    CHECK_OK(lrd_counter_set(store, "counter", 7, 1, 0));
    CHECK_OK(lrd_counter_set(store, "counter", 7, 2, 0));
    const lrd__thread *self = lrd__threads[store->id];
    CHECK_EQ(self->slot->spare, 0);
    CHECK_EQ(self->slot->ledger[self->top], 0);
    lrd_close(store);
}

static void *keep_slot(void *arg)
{
    job *j = arg;
    CHECK_OK(lrd_has(j->store, "key", 3));
    gate_open(&j->started);
    gate_wait(&j->go_on);
    return NULL;
}

static void use_without_a_free_slot(lrd_policy policy)
{
    enum { SLOTS = 16 };
    lrd_options options = {.policy = policy, .size = MIB, .slots = SLOTS};
    lrd_store *store;
    lrd_value value;
    lrd_reservation reservation;
    static char data[3000];
    static job jobs[SLOTS];
    pthread_t threads[SLOTS];
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    lrd_thread_leave(store);
    for (int i = 0; i < SLOTS; i++) {
        memset(&jobs[i], 0, sizeof jobs[i]);
        jobs[i].store = store;
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_slot, &jobs[i]), 0);
        gate_wait(&jobs[i].started);
    }
    CHECK_EQ(stats_of(store).slots_used, SLOTS);
    get_value(store, "key", 0, LRD_KIND_COPY, &value);
    CHECK_OK(lrd_release(store, &value));
    CHECK_CODE(lrd_get(store, "none", 4, 0, &value), LRD_MISS);
    CHECK_CODE(lrd_reserve(store, "key", 3, 10, 0, &reservation), LRD_ENOSLOT);
    CHECK(lrd_error_detail()[0] != '\0');
    if (policy == LRD_VOLATILE) { /* a volatile store has spare slots for threads without a slot */
        CHECK_OK(lrd_put(store, "key", 3, data, sizeof data, NULL));
        CHECK_OK(lrd_delete(store, "key", 3));
        CHECK_EQ(stats_of(store).refused, 1);
    } else {
        CHECK_CODE(lrd_put(store, "key", 3, data, sizeof data, NULL), LRD_ENOSLOT);
        CHECK_CODE(lrd_delete(store, "key", 3), LRD_ENOSLOT);
        CHECK_EQ(stats_of(store).refused, 2);
    }
    CHECK_EQ(stats_of(store).slots_used, SLOTS);
    for (int i = 0; i < SLOTS; i++) {
        gate_open(&jobs[i].go_on);
        pthread_join(threads[i], NULL);
    }
    CHECK_OK(put_value(store, "key", 3000, 3, LRD_SET, 0));
    get_value(store, "key", 0, LRD_KIND_HELD, &value);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void without_a_free_slot_reads_are_copies_and_writes_are_refused(void **state)
{
    (void)state;
    use_without_a_free_slot(LRD_VOLATILE);
    use_without_a_free_slot(LRD_PINNED);
}

static long address_space(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    return pages;
}

static void *read_once(void *arg)
{
    lrd_store *store = arg;
    lrd_value value;
    atomic_store(&store->no_slot_until, 0);
    get_value(store, "key", 0, LRD_KIND_COPY, &value);
    CHECK_OK(lrd_release(store, &value));
    return NULL;
}

static void threads_that_get_no_slot_leave_no_memory_behind(void **state)
{
    (void)state;
    enum { SLOTS = 16, THREADS = 40 };
    lrd_options options = {.policy = LRD_PINNED, .size = MIB, .slots = SLOTS};
    lrd_store *store;
    static job jobs[SLOTS];
    pthread_t threads[SLOTS], thread;
    long before = 0;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    lrd_thread_leave(store);
    for (int i = 0; i < SLOTS; i++) {
        jobs[i] = (job){.store = store};
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_slot, &jobs[i]), 0);
        gate_wait(&jobs[i].started);
    }
    for (int i = 0; i < THREADS; i++) {
        /* Measure from here: the C library keeps memory of the first ended threads. */
        if (i == 2)
            before = address_space();
        CHECK_EQ(pthread_create(&thread, NULL, read_once, store), 0);
        pthread_join(thread, NULL);
    }
    CHECK(address_space() - before < THREADS);
    for (int i = 0; i < SLOTS; i++) {
        gate_open(&jobs[i].go_on);
        pthread_join(threads[i], NULL);
    }
    lrd_close(store);
}

static void *stay_after_close(void *arg)
{
    job *j = arg;
    lrd_value value;
    get_value(j->store, "key", 0, LRD_KIND_HELD, &value);
    gate_open(&j->started);
    gate_wait(&j->go_on);
    CHECK(value_valid(value.data, value.size, "key", 3)); /* the store is still mapped */
    return NULL;
}

static void a_store_stays_mapped_until_the_last_thread_that_uses_it_ends(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    job j = {.store = store};
    pthread_t thread;
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    CHECK_EQ(pthread_create(&thread, NULL, stay_after_close, &j), 0);
    gate_wait(&j.started);
    lrd_close(store);
    gate_open(&j.go_on);
    pthread_join(thread, NULL);
}

/* ---- threads that stay in a closed store ---- */

typedef struct closable {
    char path[256];
    const char *base; /* where the store was mapped, and will be mapped again */
} closable;

static bool is_mapped(const void *address)
{
    char line[512];
    unsigned long start, end;
    bool mapped = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            mapped = mapped || (start <= (uintptr_t)address && (uintptr_t)address < end);
    fclose(maps);
    return mapped;
}

static lrd_store *open_closable(closable *file)
{
    lrd_info info;
    lrd_options options = {.policy = LRD_VOLATILE, .size = MIB, .path = file->path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    file->base = info.base;
    return store;
}

static lrd_store *closable_new(closable *file)
{
    snprintf(file->path, sizeof file->path, "%s", temp_path("closed"));
    lrd_store *store = open_closable(file);
    CHECK_OK(put_value(store, "key", 3000, 1, LRD_SET, 0));
    return store;
}

static void use_again(void *arg)
{
    closable *file = arg;
    CHECK(!is_mapped(file->base));
    lrd_store *store = open_closable(file);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
    CHECK(!is_mapped(file->base));
}

/* The parent has closed the store, but another thread of the parent still has a slot in it, so the
 * store stays mapped in the parent. A child must not inherit the mapping, and can open the store
 * again. */
static void a_child_leaves_a_store_that_its_parent_has_closed(void **state)
{
    (void)state;
    closable file;
    job j = {.store = closable_new(&file)};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, stay_after_close, &j), 0);
    gate_wait(&j.started);
    lrd_close(j.store);
    CHECK(is_mapped(file.base));
    CHECK_CHILD(run_in_child(use_again, &file));
    gate_open(&j.go_on);
    pthread_join(thread, NULL);
    CHECK(!is_mapped(file.base));
}

typedef struct leaver {
    gate unmaps;
    _Atomic bool ends;
} leaver;

/* Stop the closed store's last thread just before it unmaps the store. The thread goes on when the
 * test's forked child has ended, or after 300 ms. */
static void wait_before_unmap(const char *name, void *arg)
{
    leaver *l = arg;
    if (strcmp(name, "slot_unmap") != 0)
        return;
    failpoint_hook(NULL, NULL);
    gate_open(&l->unmaps);
    for (int ms = 0; ms < 300 && !atomic_load(&l->ends); ms++)
        lrd__clock_nap(1);
}

/* A child forked during an unmap must not find half of the mapping. */
static void a_child_inherits_no_store_that_a_thread_is_unmapping(void **state)
{
    (void)state;
    closable file;
    job j = {.store = closable_new(&file)};
    leaver l = {.ends = false};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, stay_after_close, &j), 0);
    gate_wait(&j.started);
    lrd_close(j.store);
    failpoint_hook(wait_before_unmap, &l);
    gate_open(&j.go_on);
    gate_wait(&l.unmaps);
    CHECK_CHILD(run_in_child(use_again, &file));
    atomic_store(&l.ends, true);
    pthread_join(thread, NULL);
    CHECK(!is_mapped(file.base));
}

static void end_request_and_use_again(void *arg)
{
    job *j = arg;
    CHECK(is_mapped(j->value.data));
    CHECK(value_valid(j->value.data, j->value.size, "key", 3));
    lrd_thread_leave(j->store);
    use_again(j->arg);
}

/* Hold a value until another thread has closed the store. Then fork. */
static void *fork_after_close(void *arg)
{
    job *j = arg;
    get_value(j->store, "key", 0, LRD_KIND_HELD, &j->value);
    gate_open(&j->started);
    gate_wait(&j->go_on);
    CHECK_CHILD(run_in_child(end_request_and_use_again, j));
    lrd_thread_leave(j->store);
    return NULL;
}

static void a_child_with_a_value_of_a_closed_store_leaves_it_later(void **state)
{
    (void)state;
    closable file;
    job j = {.store = closable_new(&file), .arg = &file};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, fork_after_close, &j), 0);
    gate_wait(&j.started);
    lrd_close(j.store);
    gate_open(&j.go_on);
    pthread_join(thread, NULL);
    CHECK(!is_mapped(file.base));
}

static void leave_inside(const void *from, void *build, const void *at, size_t size)
{
    (void)at;
    job *j = *(job *const *)from;
    gate_open(&j->started);
    gate_wait(&j->go_on);
    /* this thread makes a call on the store, so it must not leave the store */
    lrd_thread_leave_closed();
    memset(build, 'v', size);
}

/* Stay in j->store until another thread has closed it. lrd_thread_leave_closed() must then not
 * leave the open store `other`. */
static void *leave_when_closed(void *arg)
{
    job *j = arg;
    closable *file = j->arg;
    lrd_store *other = store_new(LRD_VOLATILE, MIB, 0);
    CHECK_OK(put_value(other, "key", 3000, 1, LRD_SET, 0));
    get_value(other, "key", 0, LRD_KIND_HELD, &j->value);
    lrd_thread_leave_closed(); /* nothing is closed yet */
    if (j->given != NULL)
        CHECK_OK(lrd_put_fill(j->store, "filled", 6, 100, leave_inside, &j, NULL));
    else
        stay_after_close(j);
    CHECK(is_mapped(file->base));
    lrd_thread_leave_closed();
    CHECK(!is_mapped(file->base));
    CHECK(value_valid(j->value.data, j->value.size, "key", 3));
    lrd_thread_leave_closed();
    CHECK_OK(lrd_release(other, &j->value));
    use_again(file);
    lrd_close(other);
    return NULL;
}

static void a_thread_leaves_the_stores_that_others_have_closed(void **state)
{
    (void)state;
    closable file;
    lrd_value none;
    for (int inside = 0; inside < 2; inside++) {
        job j = {.store = closable_new(&file), .given = inside ? &none : NULL, .arg = &file};
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, leave_when_closed, &j), 0);
        gate_wait(&j.started);
        lrd_close(j.store);
        gate_open(&j.go_on);
        pthread_join(thread, NULL);
    }
}

static void many_stores_are_opened_and_closed(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        lrd_store *store = store_new((lrd_policy)(round % 4), MIB, 0);
        CHECK_OK(put_value(store, "key", 3000, 1, LRD_ADD, 0));
        CHECK_OK(get_checked(store, "key", NULL, NULL));
        lrd_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_value_outlives_its_entry),
        cmocka_unit_test(each_handle_is_released_for_itself),
        cmocka_unit_test(a_released_handle_is_not_released_again),
        cmocka_unit_test(a_borrowed_value_can_be_held),
        cmocka_unit_test(past_the_bound_of_holds_a_get_gives_a_copy),
        cmocka_unit_test(past_a_quarter_of_the_data_a_get_gives_a_copy),
        cmocka_unit_test(one_value_of_any_size_can_always_be_held),
        cmocka_unit_test(many_handles_on_one_value_cost_one_hold),
        cmocka_unit_test(an_immutable_store_has_no_bounds),
        cmocka_unit_test(request_end_ends_every_handle),
        cmocka_unit_test(an_expired_value_that_is_held_has_a_millisecond_to_live),
        cmocka_unit_test(copies_outlive_the_request),
        cmocka_unit_test(a_request_older_than_a_minute_gets_copies),
        cmocka_unit_test(a_request_after_one_that_lasted_too_long_is_as_fast_as_any),
        cmocka_unit_test(a_request_with_a_large_ledger_gets_old_after_holds_ended),
        cmocka_unit_test(a_request_with_an_older_large_ledger_gets_old),
        cmocka_unit_test(a_request_that_has_released_most_gets_old),
        cmocka_unit_test(a_request_that_writes_gets_old),
        cmocka_unit_test(what_is_built_is_read_at_the_same_address),
        cmocka_unit_test(a_reservation_is_published_or_aborted_once),
        cmocka_unit_test(reservations_of_one_key_are_published_in_any_order),
        cmocka_unit_test(more_reservations_than_a_thread_can_have_are_refused),
        cmocka_unit_test(a_value_handed_to_another_thread_stays_when_the_giver_lets_go),
        cmocka_unit_test(a_reservation_belongs_to_its_thread),
        cmocka_unit_test(a_thread_that_leaves_gives_its_slot_and_handles_back),
        cmocka_unit_test(a_counter_that_was_set_is_not_listed),
        cmocka_unit_test(without_a_free_slot_reads_are_copies_and_writes_are_refused),
        cmocka_unit_test(threads_that_get_no_slot_leave_no_memory_behind),
        cmocka_unit_test(a_store_stays_mapped_until_the_last_thread_that_uses_it_ends),
        cmocka_unit_test(a_child_leaves_a_store_that_its_parent_has_closed),
        cmocka_unit_test(a_child_inherits_no_store_that_a_thread_is_unmapping),
        cmocka_unit_test(a_child_with_a_value_of_a_closed_store_leaves_it_later),
        cmocka_unit_test(a_thread_leaves_the_stores_that_others_have_closed),
        cmocka_unit_test(many_stores_are_opened_and_closed),
    };
    return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}
