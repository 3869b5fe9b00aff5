/* model_test.c - compares a store with a simple table over millions of random operations. A
 * volatile store may evict entries, but no more than it reports, and must never return a wrong or
 * evicted value.
 *
 * LARDER_SEED=N repeats a run. Start reading at play(). */
#include "support.h"

#include <stdlib.h>

#define MIB (1u << 20)
#define SIZE (2 * MIB)
#define KEYS 4000u
#define OPERATIONS 2000000u
#define CHECK_EVERY 40000u
#define HELD 48u
#define LOCKS 12u

typedef struct row {
    bool live, counter;
    uint8_t type;
    size_t size;
    uint64_t seed;
    uint64_t expiry;       /* 0: never */
    uint64_t version;      /* 0 if the version is not known */
    uint64_t version_past; /* a lower bound: the real version must be higher */
    int64_t count;
    bool locked;
    uint64_t lock_until; /* 0 if the lock has no lease */
    uint64_t lock_token;
    char key[80];
    size_t key_len;
} row;

typedef struct held {
    lrd_value value;
    row *row;
    uint64_t sum;
} held;

typedef struct game {
    lrd_policy policy;
    lrd_store *store;
    test_clock *clock;
    uint64_t chance, serial, now;
    uint64_t lost;    /* number of entries that the table contains, but a get has not found */
    uint64_t refused; /* writes that returned LRD_ENOROOM */
    uint32_t locks;
    held held[HELD];
    uint32_t held_count;
    row rows[KEYS];
} game;

static void reset_rows(game *g)
{
    memset(g->rows, 0, sizeof g->rows);
    for (uint32_t i = 0; i < KEYS; i++) {
        row *r = &g->rows[i];
        int len = snprintf(r->key, sizeof r->key, "%0*u", 1 + (int)(i * 7 % 70), i);
        r->key_len = (size_t)len;
    }
}

static bool live(const game *g, const row *r)
{
    return r->live && (r->expiry == 0 || g->now < r->expiry);
}

static row *any_row(game *g)
{
    uint64_t bound = random_below(&g->chance, 3) == 0 ? KEYS : 1 + random_below(&g->chance, KEYS);
    return &g->rows[random_below(&g->chance, bound)];
}

static void wrong(const game *g, const char *what, const row *r, int got, int wanted)
{
    check_failed(__FILE__, __LINE__, "policy %d, operation %llu, %s \"%s\": %s instead of %s",
                 (int)g->policy, (unsigned long long)g->serial, what, r->key, lrd_error_name(got),
                 lrd_error_name(wanted));
}

/* Check the store's answer: it must be if_live if the table has the entry, and if_dead otherwise. A
 * volatile store may also give if_dead for an entry of the table, because it has evicted the
 * entry. */
static void agree(game *g, row *r, const char *what, int got, int if_live, int if_dead)
{
    int wanted = live(g, r) ? if_live : if_dead;
    if (got == wanted)
        return;
    if (g->policy == LRD_VOLATILE && live(g, r) && got == if_dead) {
        g->lost++;
        r->live = false;
        return;
    }
    wrong(g, what, r, got, wanted);
}

/* Return true if a write was refused for lack of room. Checks that the policy allows it, and that
 * the store is nearly full. */
static bool refused(game *g, const row *r, int code, size_t size)
{
    if (code != LRD_ENOROOM)
        return false;
    lrd_stats stats = stats_of(g->store);
    if (g->policy == LRD_VOLATILE || stats.page_bytes + 2 * size < SIZE / 2)
        wrong(g, "write", r, code, LRD_OK);
    g->refused++;
    return true;
}

static void check_value(game *g, row *r, const lrd_value *value)
{
    bool right =
        r->counter ? value->type == LRD_TYPE_COUNTER && value->size == 8 &&
                         lrd_counter_value(value) == r->count
                   : value->type == r->type && value->size == r->size &&
                         value_seed(value->data, value->size) == value_cut_seed(r->size, r->seed) &&
                         value_valid(value->data, value->size, r->key, r->key_len);
    if (!right)
        check_failed(__FILE__, __LINE__, "policy %d, operation %llu: the value of \"%s\" is wrong",
                     (int)g->policy, (unsigned long long)g->serial, r->key);
    if (value->kind == LRD_KIND_COPY)
        return;
    lrd_entry entry;
    CHECK_OK(lrd_value_entry(g->store, value, &entry));
    CHECK_EQ(entry.key_len, r->key_len);
    CHECK(memcmp(entry.key, r->key, r->key_len) == 0);
    CHECK_EQ(entry.ttl_ms, r->expiry == 0 ? 0 : r->expiry - g->now);
    if (r->counter) {
        CHECK_EQ(entry.version, 0);
        return;
    }
    CHECK(r->version == 0 ? entry.version > r->version_past : entry.version == r->version);
    r->version = r->version_past = entry.version;
}

/* ---- holds ---- */

static void release_one(game *g, uint32_t i)
{
    held *h = &g->held[i];
    if (!h->row->counter || h->value.type != LRD_TYPE_COUNTER)
        CHECK_EQ(checksum(h->value.data, h->value.size), h->sum);
    CHECK_OK(lrd_release(g->store, &h->value));
    g->held[i] = g->held[--g->held_count];
}

static void play_get(game *g)
{
    static const unsigned flags[] = {0,
                                     0,
                                     LRD_GET_NO_COUNT,
                                     LRD_GET_BORROW,
                                     LRD_GET_NO_COPY,
                                     LRD_GET_PLAIN,
                                     LRD_GET_PLAIN | LRD_GET_NO_COPY};
    row *r = any_row(g);
    lrd_value value;
    unsigned flag = flags[random_below(&g->chance, 7)];
    int code = lrd_get(g->store, r->key, r->key_len, flag, &value);
    agree(g, r, "get", code, LRD_OK, LRD_MISS);
    if (code != LRD_OK)
        return;
    check_value(g, r, &value);
    if (value.kind == LRD_KIND_BORROWED || value.type == LRD_TYPE_COUNTER ||
        random_below(&g->chance, 8) != 0) {
        if (value.kind != LRD_KIND_BORROWED)
            CHECK_OK(lrd_release(g->store, &value));
        return;
    }
    if (g->held_count == HELD)
        release_one(g, (uint32_t)random_below(&g->chance, HELD));
    g->held[g->held_count++] =
        (held){.value = value, .row = r, .sum = checksum(value.data, value.size)};
}

static void play_has(game *g)
{
    row *r = any_row(g);
    agree(g, r, "has", lrd_has(g->store, r->key, r->key_len), LRD_OK, LRD_MISS);
}

static void play_release(game *g)
{
    if (g->held_count > 0)
        release_one(g, (uint32_t)random_below(&g->chance, g->held_count));
}

/* ---- writes ---- */

static size_t any_size(game *g)
{
    switch (random_below(&g->chance, 100)) {
    case 0:
        return random_below(&g->chance, 100000);
    case 1:
    case 2:
        return random_below(&g->chance, 20000);
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        return random_below(&g->chance, 4000);
    default:
        return random_below(&g->chance, 500);
    }
}

static uint64_t any_ttl(game *g)
{
    if (g->policy == LRD_PINNED || g->policy == LRD_IMMUTABLE || random_below(&g->chance, 2) == 0)
        return 0;
    return 1 + random_below(&g->chance, random_below(&g->chance, 4) == 0 ? 500000 : 2000);
}

static void stored(row *r, size_t size, uint64_t seed, uint8_t type, uint64_t expiry)
{
    r->live = true;
    r->counter = false;
    r->size = size;
    r->seed = seed;
    r->type = type;
    r->expiry = expiry;
    r->version = 0;
}

/* Compute the two right answers of a write: *if_live if the table has a live entry for the key,
 * *if_dead if it has none. */
static void write_answers(const game *g, const row *r, lrd_mode mode, uint64_t version,
                          int *if_live, int *if_dead)
{
    *if_live = *if_dead = LRD_OK;
    if (mode == LRD_ADD)
        *if_live = LRD_EXISTS;
    if (mode == LRD_REPLACE) {
        *if_dead = LRD_MISS;
        *if_live = r->counter ? LRD_ETYPE : version == r->version ? LRD_OK : LRD_STALE;
    }
    if (g->policy == LRD_IMMUTABLE && mode != LRD_ADD)
        *if_live = *if_dead = LRD_EPOLICY;
}

static void play_write(game *g)
{
    static char bytes[100000];
    row *r = any_row(g);
    size_t size = any_size(g);
    uint64_t ttl = any_ttl(g), seed = random_next(&g->chance);
    uint8_t type = (uint8_t)random_below(&g->chance, LRD_TYPE_PACKED);
    lrd_mode mode = (lrd_mode)random_below(&g->chance, 3);
    uint64_t version = r->version != 0 ? r->version : UINT64_MAX;
    int code, if_live, if_dead;
    if (mode == LRD_REPLACE && random_below(&g->chance, 4) == 0)
        version = version / 2;
    if (random_below(&g->chance, 2) == 0) {
        value_fill(bytes, size, r->key, r->key_len, seed);
        code = lrd_put(g->store, r->key, r->key_len, bytes, size,
                       &(lrd_write){.ttl_ms = ttl, .version = version, .mode = mode, .type = type});
        if (refused(g, r, code, size))
            return;
    } else {
        lrd_reservation reservation;
        code = lrd_reserve(g->store, r->key, r->key_len, size, type, &reservation);
        if (refused(g, r, code, size))
            return;
        CHECK_OK(code);
        value_fill(reservation.build, size, r->key, r->key_len, seed);
        if (random_below(&g->chance, 10) == 0) {
            CHECK_OK(lrd_abort(g->store, &reservation));
            return;
        }
        code = lrd_publish(g->store, &reservation, mode, ttl, version);
    }
    write_answers(g, r, mode, version, &if_live, &if_dead);
    agree(g, r, "write", code, if_live, if_dead);
    if (code == LRD_OK)
        stored(r, size, seed, type, ttl != 0 ? g->now + ttl : 0);
}

static void play_delete(game *g)
{
    row *r = any_row(g);
    int code = lrd_delete(g->store, r->key, r->key_len);
    if (g->policy == LRD_IMMUTABLE) {
        CHECK_CODE(code, LRD_EPOLICY);
        return;
    }
    agree(g, r, "delete", code, LRD_OK, LRD_MISS);
    r->live = false;
}

static void play_touch(game *g)
{
    row *r = any_row(g);
    uint64_t ttl = any_ttl(g);
    if (g->policy == LRD_PINNED || g->policy == LRD_IMMUTABLE)
        return;
    int code = lrd_touch(g->store, r->key, r->key_len, ttl);
    agree(g, r, "touch", code, LRD_OK, LRD_MISS);
    if (code == LRD_OK)
        r->expiry = ttl != 0 ? g->now + ttl : 0;
}

static void play_count(game *g)
{
    row *r = any_row(g);
    int64_t result = 0, step = (int64_t)random_below(&g->chance, 1000) - 500;
    bool overflow = false;
    if (g->policy == LRD_IMMUTABLE)
        return;
    if (random_below(&g->chance, 50) == 0)
        step = INT64_MAX - 5;
    int64_t sum = 0;
    if (r->counter)
        overflow = __builtin_add_overflow(r->count, step, &sum);
    int if_live = !r->counter ? LRD_ETYPE : overflow ? LRD_ERANGE : LRD_OK;
    if (random_below(&g->chance, 2) == 0) {
        int code = lrd_counter_update(g->store, r->key, r->key_len, step, &result);
        agree(g, r, "counter update", code, if_live, LRD_MISS);
        if (code == LRD_OK) {
            CHECK_EQ(result, sum);
            r->count = sum;
        }
        return;
    }
    uint64_t ttl = any_ttl(g);
    if (random_below(&g->chance, 3) == 0) {
        int code = lrd_counter_set(g->store, r->key, r->key_len, step, ttl);
        if (!refused(g, r, code, 64)) {
            CHECK_OK(code);
            r->live = r->counter = true;
            r->count = step;
            r->expiry = ttl != 0 ? g->now + ttl : 0;
        }
        return;
    }
    int code = lrd_counter_add(g->store, r->key, r->key_len, step, 7, ttl, &result);
    if (refused(g, r, code, 64))
        return;
    bool overflow_new = __builtin_add_overflow(step, 7, &(int64_t){0});
    int if_dead = overflow_new ? LRD_ERANGE : LRD_OK;
    if (code == LRD_OK && live(g, r) && if_live == LRD_OK && result == sum) {
        r->count = sum;
        return;
    }
    if (code == LRD_OK && live(g, r) && g->policy == LRD_VOLATILE) {
        g->lost++; /* the entry was evicted, and the counter began again */
        r->live = false;
    }
    agree(g, r, "counter add", code, if_live, if_dead);
    if (code != LRD_OK)
        return;
    CHECK_EQ(result, step + 7);
    r->live = r->counter = true;
    r->count = result;
    r->expiry = ttl != 0 ? g->now + ttl : 0;
}

static void play_clear(game *g)
{
    if (g->policy == LRD_IMMUTABLE)
        return;
    CHECK_OK(lrd_clear(g->store));
    for (uint32_t i = 0; i < KEYS; i++)
        g->rows[i].live = false;
}

/* ---- key reservations ---- */

static void play_lock(game *g)
{
    row *r = &g->rows[random_below(&g->chance, 40)];
    bool locked = r->locked && (r->lock_until == 0 || g->now < r->lock_until);
    if (random_below(&g->chance, 2) == 0) {
        uint64_t lease = random_below(&g->chance, 2) * (1 + random_below(&g->chance, 3000)), token;
        if (!locked && g->locks == LOCKS)
            return;
        int code = lrd_lock(g->store, r->key, r->key_len, lease, 0, &token);
        if (code != (locked ? LRD_EDEADLK : LRD_OK))
            wrong(g, "lock", r, code, locked ? LRD_EDEADLK : LRD_OK);
        if (locked)
            return;
        g->locks += !r->locked;
        r->locked = true;
        r->lock_until = lease != 0 ? g->now + lease : 0;
        r->lock_token = token;
        return;
    }
    uint64_t token = random_below(&g->chance, 3) == 0 ? 0 : r->lock_token;
    bool right = true;
    if (token != 0 && random_below(&g->chance, 3) == 0) {
        token++;
        right = false;
    }
    int code = lrd_unlock(g->store, r->key, r->key_len, token);
    int wanted = locked && right ? LRD_OK : LRD_MISS;
    if (code != wanted)
        wrong(g, "unlock", r, code, wanted);
    if (r->locked && right) {
        r->locked = false;
        g->locks--;
    }
}

static void play_request_end(game *g)
{
    while (g->held_count > 0)
        if (g->held[0].value.kind == LRD_KIND_COPY)
            release_one(g, 0);
        else
            g->held[0] = g->held[--g->held_count];
    if (random_below(&g->chance, 4) == 0)
        lrd_thread_leave(g->store);
    else
        CHECK_OK(lrd_request_end(g->store));
    for (uint32_t i = 0; i < KEYS; i++)
        g->rows[i].locked = false;
    g->locks = 0;
}

/* ---- checks of the whole store ---- */

static uint64_t just_expired(const game *g)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        const row *r = &g->rows[i];
        count += r->live && r->expiry != 0 && g->now >= r->expiry && g->now < r->expiry + 256;
    }
    return count;
}

/* Iterate over the store, and check that it has exactly the entries and values of the table. */
static void check_everything(game *g)
{
    static unsigned char seen[KEYS];
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    uint64_t count = 0;
    int code;
    memset(seen, 0, sizeof seen);
    while ((code = lrd_next(g->store, &cursor, &value)) == LRD_OK) {
        char text[80] = {0};
        CHECK_OK(lrd_value_entry(g->store, &value, &entry));
        CHECK(entry.key_len < sizeof text);
        memcpy(text, entry.key, entry.key_len);
        unsigned long i = strtoul(text, NULL, 10);
        CHECK(i < KEYS && seen[i] == 0);
        seen[i] = 1;
        if (!live(g, &g->rows[i]))
            wrong(g, "iteration", &g->rows[i], LRD_OK, LRD_MISS);
        check_value(g, &g->rows[i], &value);
        count++;
    }
    CHECK_CODE(code, LRD_END);
    for (uint32_t i = 0; i < KEYS; i++)
        if (live(g, &g->rows[i]) && !seen[i])
            agree(g, &g->rows[i], "iteration", LRD_MISS, LRD_OK, LRD_MISS);
    CHECK_FSCK(g->store);
    CHECK_OK(lrd_sweep(g->store, NULL));
    CHECK_FSCK(g->store);
    lrd_stats stats = stats_of(g->store);
    /* A sweep knows the time in steps of 128 ms, so it may miss entries that have just expired. */
    CHECK(stats.entries >= count && stats.entries <= count + just_expired(g));
    CHECK_EQ(stats.dead_bytes, 0);
    CHECK_EQ(allocated_bytes(g->store), stats.live_bytes + stats.retired_bytes);
    CHECK(g->lost <= stats.evicted);
    if (g->held_count == 0)
        CHECK_EQ(stats.retired_bytes, 0);
}

static void play_time(game *g)
{
    uint64_t step = random_below(&g->chance, 100);
    g->now = atomic_fetch_add(g->clock, step) + step;
}

static void play(game *g)
{
    uint64_t dice = random_below(&g->chance, 1000);
    g->serial++;
    if (dice < 340)
        play_get(g);
    else if (dice < 380)
        play_has(g);
    else if (dice < 640)
        play_write(g);
    else if (dice < 740)
        play_delete(g);
    else if (dice < 790)
        play_touch(g);
    else if (dice < 850)
        play_count(g);
    else if (dice < 900)
        play_lock(g);
    else if (dice < 960)
        play_release(g);
    else if (dice < 998)
        play_time(g);
    else if (dice < 999)
        play_request_end(g);
    else if (random_below(&g->chance, 60) == 0)
        play_clear(g);
    else if (random_below(&g->chance, 50) == 0)
        CHECK_OK(lrd_sweep(g->store, NULL));
}

static void start(game *g)
{
    lrd_options options = {.policy = g->policy,
                           .size = SIZE,
                           .entries_hint = 3 * KEYS,
                           .slots = 16,
                           .clock_ms = clock_read,
                           .clock_arg = g->clock};
    CHECK_OK(lrd_open(&options, &g->store));
    reset_rows(g);
    g->held_count = g->locks = 0;
    g->lost = 0;
}

static void agree_for_millions_of_operations(lrd_policy policy)
{
    static game g;
    memset(&g, 0, sizeof g);
    g.policy = policy;
    g.clock = clock_new();
    g.now = clock_read(g.clock);
    g.chance = test_seed(20240607 + (uint64_t)policy);
    start(&g);
    /* An immutable store that is full never has room again. So replace it by a new store more
     * often. */
    uint32_t life = policy == LRD_IMMUTABLE ? 50000 : OPERATIONS;
    uint64_t evicted = 0;
    for (uint32_t i = 1; i <= OPERATIONS; i++) {
        play(&g);
        if (i % CHECK_EVERY == 0)
            check_everything(&g);
        if (i % life == 0 || i == OPERATIONS) {
            play_request_end(&g);
            check_everything(&g);
            evicted += stats_of(g.store).evicted;
            lrd_close(g.store);
            if (i < OPERATIONS)
                start(&g);
        }
    }
    print_message("%llu evicted, %llu refused\n", (unsigned long long)evicted,
                  (unsigned long long)g.refused);
    CHECK(policy == LRD_VOLATILE ? evicted > 5000 : g.refused > 1000);
}

static void a_volatile_store_agrees_with_a_table(void **state)
{
    (void)state;
    agree_for_millions_of_operations(LRD_VOLATILE);
}
static void a_pinned_store_agrees_with_a_table(void **state)
{
    (void)state;
    agree_for_millions_of_operations(LRD_PINNED);
}
static void an_immutable_store_agrees_with_a_table(void **state)
{
    (void)state;
    agree_for_millions_of_operations(LRD_IMMUTABLE);
}
static void a_session_store_agrees_with_a_table(void **state)
{
    (void)state;
    agree_for_millions_of_operations(LRD_SESSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_volatile_store_agrees_with_a_table),
        cmocka_unit_test(a_pinned_store_agrees_with_a_table),
        cmocka_unit_test(an_immutable_store_agrees_with_a_table),
        cmocka_unit_test(a_session_store_agrees_with_a_table),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
