/* fuzz_ops.c - libFuzzer target: compares a small store with a simple table after each operation.
 * At the end lrd_fsck() must find no error.
 * Input: a byte for policy and number of shards, one for the start of the clock, then operations: a
 * byte and its arguments. */
#include "larder_admin.h"
#include "larder_host.h"

#include "values.h"

#include <stdio.h>
#include <stdlib.h>

#define MIB (1u << 20)
#define KEYS 24
#define OPEN 4
#define HELD 8

typedef struct row {
    bool live, counter;
    uint8_t type;
    size_t size;
    uint64_t seed, expiry, version;
    int64_t count;
} row;

static struct {
    const uint8_t *next, *end;
    lrd_policy policy;
    lrd_store *store;
    uint64_t now, serial;
    uint64_t lost; /* entries that the table has, but a volatile store has evicted */
    row rows[KEYS];
    struct {
        lrd_value value;
        uint64_t sum;
    } held[HELD];
    struct {
        lrd_reservation reservation;
        uint32_t key;
        uint8_t type;
        uint64_t seed;
    } open[OPEN];
} f;

static uint64_t fuzz_clock(void *arg)
{
    (void)arg;
    return f.now;
}

static void report(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "fsck: %s\n", text);
}

static void require(bool condition, const char *what, int code)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s (%s)\n", what, lrd_error_name(code), lrd_error_detail());
    abort();
}

static uint64_t take(unsigned bytes)
{
    uint64_t value = 0;
    for (; bytes > 0; bytes--)
        value = value << 8 | (f.next < f.end ? *f.next++ : 0);
    return value;
}

static const char *key_of(uint32_t k, size_t *len)
{
    static char keys[KEYS][400];
    size_t length = 1 + (k * k * 5) % 350;
    memset(keys[k], 'a' + (int)(k % 3), length);
    keys[k][0] = (char)k;
    *len = length;
    return keys[k];
}

static bool live(const row *r) { return r->live && (r->expiry == 0 || f.now < r->expiry); }

static bool expires(void) { return f.policy == LRD_VOLATILE || f.policy == LRD_SESSION; }

/* Check a result: it must be if_live if the table has the row, and if_dead otherwise. A volatile
 * store may also give if_dead for a row of the table, because it has evicted the entry. */
static void agree(row *r, const char *what, int code, int if_live, int if_dead)
{
    if (live(r) && code != if_live && code == if_dead && f.policy == LRD_VOLATILE) {
        r->live = false;
        f.lost++;
    }
    require(code == (live(r) ? if_live : if_dead), what, code);
}

static void check_value(row *r, uint32_t k, const lrd_value *value)
{
    size_t len;
    const char *key = key_of(k, &len);
    if (r->counter) {
        require(value->type == LRD_TYPE_COUNTER && lrd_counter_value(value) == r->count,
                "a counter is wrong", 0);
        return;
    }
    require(value->type == r->type && value->size == r->size &&
                value_seed(value->data, value->size) == value_cut_seed(r->size, r->seed) &&
                value_valid(value->data, value->size, key, len),
            "a value is wrong", 0);
    lrd_entry entry;
    if (lrd_value_entry(f.store, value, &entry) == LRD_OK) {
        require(entry.key_len == len && memcmp(entry.key, key, len) == 0, "a key is wrong", 0);
        require(entry.ttl_ms == (r->expiry != 0 ? r->expiry - f.now : 0), "a ttl is wrong", 0);
        require(r->version == 0 || entry.version == r->version, "a version is wrong", 0);
        r->version = entry.version;
    }
}

static void let_go(unsigned i)
{
    lrd_value *value = &f.held[i].value;
    if (value->kind == LRD_KIND_NONE)
        return;
    require(value->type == LRD_TYPE_COUNTER || checksum(value->data, value->size) == f.held[i].sum,
            "a held value changed", 0);
    int code = lrd_release(f.store, value);
    require(code == LRD_OK, "release", code);
}

static void op_get(uint32_t k, unsigned flags, unsigned slot)
{
    size_t len;
    const char *key = key_of(k, &len);
    lrd_value value;
    int code = lrd_get(f.store, key, len, flags & 7, &value);
    agree(&f.rows[k], "get", code, LRD_OK, LRD_MISS);
    if (code != LRD_OK)
        return;
    check_value(&f.rows[k], k, &value);
    let_go(slot % HELD);
    f.held[slot % HELD].value.kind = LRD_KIND_NONE;
    if (value.kind == LRD_KIND_BORROWED)
        return;
    f.held[slot % HELD].value = value;
    f.held[slot % HELD].sum = checksum(value.data, value.size);
}

static size_t take_size(void)
{
    size_t size = take(2);
    return size << (size & 3); /* at most half of the store */
}

static bool refused(int code) { return code == LRD_ENOROOM || code == LRD_ENOINDEX; }

static void op_reserve(uint32_t k, unsigned slot)
{
    size_t len, size = take_size();
    const char *key = key_of(k, &len);
    if (f.open[slot].reservation.handle != 0) {
        int code = lrd_abort(f.store, &f.open[slot].reservation);
        require(code == LRD_OK, "abort", code);
    }
    f.open[slot].key = k;
    f.open[slot].type = (uint8_t)(size % LRD_TYPE_PACKED);
    f.open[slot].seed = ++f.serial;
    int code = lrd_reserve(f.store, key, len, size, f.open[slot].type, &f.open[slot].reservation);
    require(code == LRD_OK || refused(code), "reserve", code);
    if (code == LRD_OK)
        value_fill(f.open[slot].reservation.build, size, key, len, f.serial);
}

static void op_publish(unsigned slot, unsigned how, uint64_t ttl)
{
    lrd_reservation *reservation = &f.open[slot].reservation;
    row *r = &f.rows[f.open[slot].key];
    lrd_mode mode = (lrd_mode)(how % 3);
    if (!expires())
        ttl = 0;
    uint64_t version = r->version + (how >> 2 & 1);
    size_t size = reservation->size;
    if (reservation->handle == 0) {
        int code = lrd_publish(f.store, reservation, mode, ttl, version);
        require(code == LRD_ESTATE, "publish without reservation", code);
        return;
    }
    int code = lrd_publish(f.store, reservation, mode, ttl, version);
    require(reservation->handle == 0, "a reservation stays open", code);
    if (refused(code))
        return;
    int if_live = LRD_OK, if_dead = LRD_OK;
    if (f.policy == LRD_IMMUTABLE && mode != LRD_ADD)
        if_live = if_dead = LRD_EPOLICY;
    else if (mode == LRD_ADD)
        if_live = LRD_EXISTS;
    else if (mode == LRD_REPLACE) {
        if_dead = LRD_MISS;
        if_live = r->counter ? LRD_ETYPE : LRD_STALE;
        if (!r->counter && (r->version != 0 || version == 0))
            if_live = version == r->version && version != 0 ? LRD_OK : LRD_STALE;
        if (!r->counter && r->version == 0 && code == LRD_OK)
            /* The table does not know the version. The publish has succeeded, so the fuzzer has
             * guessed the version. */
            if_live = LRD_OK;
    }
    agree(r, "publish", code, if_live, if_dead);
    if (code == LRD_OK)
        *r = (row){.live = true,
                   .type = f.open[slot].type,
                   .size = size,
                   .seed = f.open[slot].seed,
                   .expiry = ttl != 0 ? f.now + ttl : 0};
}

static void op_put(uint32_t k, unsigned how, uint64_t ttl)
{
    op_reserve(k, 0);
    if (f.open[0].reservation.handle != 0)
        op_publish(0, how, ttl);
}

static void op_delete(uint32_t k)
{
    size_t len;
    const char *key = key_of(k, &len);
    int code = lrd_delete(f.store, key, len);
    if (f.policy == LRD_IMMUTABLE) {
        require(code == LRD_EPOLICY, "delete", code);
        return;
    }
    agree(&f.rows[k], "delete", code, LRD_OK, LRD_MISS);
    f.rows[k].live = false;
}

static void op_touch(uint32_t k, uint64_t ttl)
{
    size_t len;
    const char *key = key_of(k, &len);
    int code = lrd_touch(f.store, key, len, ttl);
    if (!expires()) {
        require(code == LRD_EPOLICY, "touch", code);
        return;
    }
    agree(&f.rows[k], "touch", code, LRD_OK, LRD_MISS);
    if (code == LRD_OK)
        f.rows[k].expiry = ttl != 0 ? f.now + ttl : 0;
}

static void op_count(uint32_t k, int64_t step, uint64_t ttl)
{
    size_t len;
    const char *key = key_of(k, &len);
    row *r = &f.rows[k];
    int64_t result = 0, sum = 0;
    bool overflow = __builtin_add_overflow(r->count, step, &sum);
    if (!expires())
        ttl = 0;
    if (f.policy == LRD_IMMUTABLE)
        return;
    if (step % 5 == 0) {
        int set = lrd_counter_set(f.store, key, len, step, ttl);
        if (refused(set))
            return;
        require(set == LRD_OK, "counter set", set);
        *r = (row){
            .live = true, .counter = true, .count = step, .expiry = ttl != 0 ? f.now + ttl : 0};
        return;
    }
    int if_live = !r->counter ? LRD_ETYPE : overflow ? LRD_ERANGE : LRD_OK;
    int code = lrd_counter_update(f.store, key, len, step, &result);
    agree(r, "counter update", code, if_live, LRD_MISS);
    if (code == LRD_OK) {
        require(result == sum, "counter update", code);
        r->count = sum;
    }
    if (code != LRD_MISS)
        return;
    code = lrd_counter_add(f.store, key, len, step, 3, ttl, &result);
    if (refused(code))
        return;
    overflow = __builtin_add_overflow(step, 3, &sum);
    require(code == (overflow ? LRD_ERANGE : LRD_OK), "counter add", code);
    if (code != LRD_OK)
        return;
    require(result == sum, "counter add", code);
    *r = (row){.live = true, .counter = true, .count = sum, .expiry = ttl != 0 ? f.now + ttl : 0};
}

static void op_iterate(void)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    bool seen[KEYS] = {false};
    int code;
    while ((code = lrd_next(f.store, &cursor, &value)) == LRD_OK) {
        lrd_value_entry(f.store, &value, &entry);
        uint32_t k = *(const uint8_t *)entry.key;
        require(k < KEYS && !seen[k] && live(&f.rows[k]), "iteration", code);
        seen[k] = true;
        check_value(&f.rows[k], k, &value);
    }
    require(code == LRD_END, "iteration", code);
    for (uint32_t k = 0; k < KEYS; k++)
        if (live(&f.rows[k]) && !seen[k])
            agree(&f.rows[k], "iteration", LRD_MISS, LRD_OK, LRD_MISS);
}

static void forget_handles(void)
{
    for (unsigned i = 0; i < HELD; i++)
        if (f.held[i].value.kind == LRD_KIND_COPY)
            let_go(i);
    memset(f.held, 0, sizeof f.held);
    memset(f.open, 0, sizeof f.open);
}

static void op_rarely(unsigned which)
{
    int code = LRD_OK;
    switch (which % 6) {
    case 0:
        code = lrd_clear(f.store);
        if (f.policy != LRD_IMMUTABLE)
            memset(f.rows, 0, sizeof f.rows);
        else
            code = code == LRD_EPOLICY ? LRD_OK : LRD_ESTATE;
        break;
    case 1:
        code = lrd_sweep(f.store, NULL);
        break;
    case 2:
        forget_handles();
        code = lrd_request_end(f.store);
        break;
    case 3:
        forget_handles();
        lrd_thread_leave(f.store);
        break;
    case 4:
        op_iterate();
        break;
    default:
        code = lrd_fsck(f.store, report, NULL);
    }
    require(code == LRD_OK, "rare operation", code);
}

static void op_lock(uint32_t k, unsigned how)
{
    size_t len;
    const char *key = key_of(k, &len);
    int code =
        how & 1 ? lrd_unlock(f.store, key, len, 0) : lrd_lock(f.store, key, len, how >> 1, 0, NULL);
    require(code == LRD_OK || code == LRD_MISS || code == LRD_EDEADLK || code == LRD_ENOLOCKS,
            "lock", code);
}

static void operate(void)
{
    unsigned op = (unsigned)take(1);
    uint32_t k = (uint32_t)take(1) % KEYS;
    unsigned slot = op >> 4;
    switch (op & 15) {
    case 0:
    case 1:
    case 2:
        op_put(k, (unsigned)take(1), take(1) * 40);
        break;
    case 3:
        op_put(k, LRD_SET, 0);
        break;
    case 4:
        op_reserve(k, slot % OPEN);
        break;
    case 5:
        op_publish(slot % OPEN, k, take(1) * 20);
        break;
    case 6:
    case 7:
        op_get(k, 0, slot);
        break;
    case 8:
        op_get(k, slot, slot);
        break;
    case 9:
        let_go(slot % HELD);
        break;
    case 10:
        op_delete(k);
        break;
    case 11:
        op_touch(k, take(1) * 30);
        break;
    case 12:
        op_count(k, slot == 15 ? INT64_MAX - (int64_t)take(1) : (int64_t)slot - 7, take(1) * 30);
        break;
    case 13:
        f.now += take(1) << slot;
        break;
    case 14:
        op_lock(k, slot);
        break;
    default:
        op_rarely(k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memset(&f, 0, sizeof f);
    f.next = data;
    f.end = data + size;
    unsigned first = (unsigned)take(1);
    f.policy = (lrd_policy)(first & 3);
    f.now = 1 + take(1) * 1000;
    lrd_options options = {.policy = f.policy,
                           .size = MIB,
                           .entries_hint = 64,
                           .shards = 1u << (first >> 2 & 1),
                           .slots = 16,
                           .clock_ms = fuzz_clock};
    int code = lrd_open(&options, &f.store);
    require(code == LRD_OK, "open", code);
    while (f.next < f.end)
        operate();
    op_iterate();
    for (unsigned i = 0; i < HELD; i++)
        let_go(i);
    code = lrd_request_end(f.store);
    require(code == LRD_OK, "request end", code);
    code = lrd_fsck(f.store, report, NULL);
    require(code == 0, "fsck", code);
    code = lrd_sweep(f.store, NULL);
    require(code == LRD_OK, "sweep", code);
    lrd_stats stats;
    lrd_stats_get(f.store, &stats);
    require(stats.retired_bytes == 0 && stats.dead_bytes == 0 && f.lost <= stats.evicted,
            "what is left after the sweep", 0);
    code = lrd_fsck(f.store, report, NULL);
    require(code == 0, "fsck after the sweep", code);
    lrd_close(f.store);
    return 0;
}
