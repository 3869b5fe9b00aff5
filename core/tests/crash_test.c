/* crash_test.c - kills workers at random moments while they use several stores, and checks that
 * only their unfinished work is lost.
 *
 * crash_test [--seconds N] [--workers N] [--size MIB] [--control NAME]
 *
 * The parent opens a volatile store and a pinned one (in fence mode), forks workers, and replaces
 * each worker that it kills.
 * - Workers hold values and check later that they are unchanged.
 * - A worker also records its entries of the pinned store in memory that survives the worker.
 * - The last two workers open and close a named pinned store again and again.
 * - In growing(), workers fill new stores, whose indexes double.
 * - In adopting(), a named store is adopted, and the processes that vet its shards are killed.
 * - In race(), a reader and a writer race for one block, with membarrier and with fences.
 *
 * The last line of the output is:
 *
 * kills=N gets=N corrupt=0 hangs=0 leaks=0 recoveries=N
 *
 * Exit code: 0 all is well; 1 something was corrupt, hung, leaked or found by lrd_fsck(); 2 usage,
 * or nothing was tested. In a build with LRD_CONTROLS, --control breaks the core on purpose, and
 * the program must end with 1. Controls: ignore-ledger, hand-out-before-listing, no-barrier,
 * clear-first, mark-before-vetting, scan-first-entries, any-form (a value may be published in its
 * other form after a newer value has replaced it). */
#include "larder_admin.h"
#include "larder_host.h"

#include "internal.h"
#include "left.h"
#include "values.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define WORKERS_MAX 64
#define KEYS 3000
#define PINNED 48 /* keys of the pinned store that each worker owns */
#define HELD 10
#define HANG_MS 20000
/* exit code of a forked child that could not take over its parent's holds */
#define EXIT_LOST 75
/* In half of the races, the reader holds this number of values. The first part of its ledger has
 * room for fewer. */
#define RACE_DEEP 1100u
#define RACE_KEY "the key that both want"
#define RACE_SIZE 400
#define RACE_PARTS 16
#define RACE_GETS 20000
#define RACE_COLD (64u * MIB)
/* number of store instructions: about as many as fit in a processor's store buffer */
#define RACE_STORES 48
#define GROW_ITEMS 20000u /* entries to put into a growing store: its index doubles seven times */
#define GROW_SECONDS 60
#define ADOPT_STRIKES 8

/* A worker's record of one of its pinned entries. fact[turn] was published last. While `busy` is
 * set, the worker is publishing the other fact, and the store may already have it. */
typedef struct pinned_key {
    struct {
        uint32_t present, size;
        uint64_t seed;
    } fact[2];
    _Atomic uint32_t turn, busy;
} pinned_key;

typedef struct worker {
    _Alignas(64) _Atomic uint64_t progress;
    _Atomic uint64_t gets;
    /* the worker has put the keys 0 to grown - 1 into the growing store */
    _Atomic uint32_t grown;
    pinned_key pinned[PINNED];
} worker;

static struct shared {
    _Atomic uint64_t corrupt, children;
    _Atomic uint32_t messages, stop;
    worker workers[WORKERS_MAX];
} * shared;

static struct {
    unsigned seconds, workers;
    uint64_t size;
    const char *control;
} settings = {60, 6, 8, NULL};

static lrd_store *volatile_store, *pinned_store;
/* the store that workers use; if NULL, workers use the volatile and the pinned store */
static lrd_store *growing_store;
static char named_directory[64], named_path[80], adopted_path[80];
static bool adopting_now; /* if true, workers use the store at adopted_path */
static uint64_t chance;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Count an error, and print the first ones. */
__attribute__((format(printf, 1, 2))) static void corrupt(const char *format, ...)
{
    atomic_fetch_add(&shared->corrupt, 1);
    if (atomic_fetch_add(&shared->messages, 1) >= 20)
        return;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "corrupt: %s\n", text);
}

static bool forked; /* this is a worker's child */

/* Check a result: it must be LRD_OK, LRD_EBUSY, `one` or `other`. LRD_ENOSLOT is also allowed while
 * a killed process owns the lock of the slots. A forked child ends at LRD_ENOSLOT, because without
 * a slot it cannot take over its holds. */
static void allow(const char *what, int code, int one, int other)
{
    if (code == LRD_ENOSLOT && forked)
        _exit(EXIT_LOST);
    if (code == LRD_ENOSLOT && strstr(lrd_error_detail(), strerror(ETIMEDOUT)) != NULL)
        return;
    if (code != one && code != other && code != LRD_OK && code != LRD_EBUSY)
        corrupt("%s answered %s (%s)", what, lrd_error_name(code), lrd_error_detail());
}

/* ---- what a worker does to the volatile store ---- */

typedef struct hold {
    lrd_value value;
    uint64_t sum;
    char key[24];
} hold;

static hold held[HELD];
static worker *me;

static size_t any_size(void)
{
    uint64_t dice = random_below(&chance, 1000);
    if (dice < 700)
        return 16 + random_below(&chance, 1000);
    if (dice < 930)
        return 1000 + random_below(&chance, 8000);
    if (dice < 993)
        return 9000 + random_below(&chance, 30000);
    return 40000 + random_below(&chance, 160000);
}

static const char *any_key(void)
{
    static char key[24];
    uint64_t bound = random_below(&chance, 2) == 0 ? 100 : KEYS;
    snprintf(key, sizeof key, "key %u", (unsigned)random_below(&chance, bound));
    return key;
}

#define REFORM_MOST 300000u /* size of the largest value that a worker packs or unpacks */

/* Return the unpacked bytes of a value. They are valid until the next call. */
static const void *unpacked(const lrd_value *value, size_t *size)
{
    static uint8_t bytes[REFORM_MOST];
    lrd_packed packed;
    *size = value->size;
    if (value->type != LRD_TYPE_PACKED)
        return value->data;
    if (lrd_packed_open(value->data, value->size, &packed) != LRD_OK || packed.raw > sizeof bytes ||
        lrd_unpack(&packed, bytes) != LRD_OK) {
        corrupt("a packed value of %zu bytes is damaged", value->size);
        packed.raw = 0;
    }
    *size = packed.raw;
    return bytes;
}

static void check_valid(const char *where, const lrd_value *value, const char *key)
{
    size_t size;
    if (value->type == LRD_TYPE_COUNTER)
        return;
    const void *data = unpacked(value, &size);
    if (!value_valid(data, size, key, strlen(key)))
        corrupt("%s: \"%s\" (%zu bytes, type %d) is not what was stored", where, key, value->size,
                value->type);
}

static void check_hold(const hold *h)
{
    if (h->value.kind != LRD_KIND_NONE && h->value.type != LRD_TYPE_COUNTER &&
        checksum(h->value.data, h->value.size) != h->sum)
        corrupt("\"%s\" (%zu bytes, kind %d) changed while it was held", h->key, h->value.size,
                h->value.kind);
}

static void let_go(hold *h)
{
    check_hold(h);
    int code = lrd_release(volatile_store, &h->value);
    if (code != LRD_OK)
        corrupt("release answered %s", lrd_error_name(code));
    h->value.kind = LRD_KIND_NONE;
}

static void work_get(void)
{
    hold *h = &held[random_below(&chance, HELD)];
    const char *key = any_key();
    let_go(h);
    int code = lrd_get(volatile_store, key, strlen(key), 0, &h->value);
    allow("get", code, LRD_MISS, LRD_OK);
    if (code != LRD_OK) {
        h->value.kind = LRD_KIND_NONE;
        return;
    }
    atomic_fetch_add_explicit(&me->gets, 1, memory_order_relaxed);
    snprintf(h->key, sizeof h->key, "%s", key);
    check_valid("get", &h->value, key);
    h->sum = checksum(h->value.data, h->value.size);
}

static void work_borrow(void)
{
    lrd_value value;
    const char *key = any_key();
    int code = lrd_get(volatile_store, key, strlen(key), LRD_GET_BORROW, &value);
    allow("borrow", code, LRD_MISS, LRD_OK);
    if (code != LRD_OK)
        return;
    atomic_fetch_add_explicit(&me->gets, 1, memory_order_relaxed);
    check_valid("borrow", &value, key);
    if (random_below(&chance, 2) == 0) {
        lrd_release(volatile_store, &value);
        return;
    }
    hold *h = &held[random_below(&chance, HELD)];
    lrd_value kept;
    char name[sizeof h->key];
    /* any_key() has only one buffer */
    snprintf(name, sizeof name, "%s", key);
    code = lrd_hold(volatile_store, &value, &kept);
    allow("hold", code, LRD_OK, LRD_OK);
    if (code != LRD_OK)
        return;
    lrd_get(volatile_store, "no such key", 11, LRD_GET_BORROW, &value);
    const char *other = any_key();
    if (lrd_get(volatile_store, other, strlen(other), LRD_GET_BORROW, &value) == LRD_OK)
        check_valid("borrow", &value, other);
    let_go(h);
    h->value = kept;
    snprintf(h->key, sizeof h->key, "%s", name);
    check_valid("hold", &h->value, name);
    h->sum = checksum(h->value.data, h->value.size);
}

static void work_put(void)
{
    lrd_reservation reservation;
    const char *key = any_key();
    size_t size = any_size();
    int code = lrd_reserve(volatile_store, key, strlen(key), size, 0, &reservation);
    allow("reserve", code, LRD_ENOROOM, LRD_OK);
    if (code != LRD_OK)
        return;
    value_fill(reservation.build, size, key, strlen(key), random_next(&chance));
    uint64_t dice = random_below(&chance, 20), ttl = 0;
    if (dice == 0) /* abandon the reservation */
        return;
    if (dice == 1) {
        allow("abort", lrd_abort(volatile_store, &reservation), LRD_OK, LRD_OK);
        return;
    }
    if (dice < 6)
        ttl = 1 + random_below(&chance, 2000);
    code = lrd_publish(volatile_store, &reservation, dice < 10 ? LRD_ADD : LRD_SET, ttl, 0);
    allow("publish", code, LRD_EXISTS, LRD_OK);
    if (code == LRD_EBUSY)
        lrd_abort(volatile_store, &reservation);
}

static void work_replace(void)
{
    static char bytes[40000];
    lrd_value value;
    lrd_entry entry;
    const char *key = any_key();
    if (lrd_get(volatile_store, key, strlen(key), LRD_GET_BORROW, &value) != LRD_OK)
        return;
    lrd_value_entry(volatile_store, &value, &entry);
    uint64_t version = entry.version;
    size_t size = any_size() % sizeof bytes;
    value_fill(bytes, size, key, strlen(key), random_next(&chance));
    int code = lrd_put(volatile_store, key, strlen(key), bytes, size,
                       &(lrd_write){.version = version, .mode = LRD_REPLACE});
    if (code != LRD_MISS && code != LRD_ENOROOM && code != LRD_ETYPE)
        allow("replace", code, LRD_STALE, LRD_OK);
}

/* Publish the value of a key in its other form, packed or unpacked. Another worker may replace the
 * value meanwhile. */
static void reform(lrd_store *store, const char *key)
{
    static uint8_t packed[LRD_PACKED_HEAD + REFORM_MOST];
    lrd_value value;
    lrd_entry entry;
    size_t size;
    if (lrd_get(store, key, strlen(key), LRD_GET_BORROW, &value) != LRD_OK)
        return;
    lrd_value_entry(store, &value, &entry);
    if (value.type == LRD_TYPE_COUNTER || value.size > REFORM_MOST) {
        lrd_release(store, &value);
        return;
    }
    uint8_t type = value.type == LRD_TYPE_PACKED ? 0 : LRD_TYPE_PACKED;
    const void *data = unpacked(&value, &size);
    size_t bytes = lrd_pack(packed, data, size, 0, size, LRD_COMPRESS_SMALL);
    uint64_t version = entry.version;
    if (type == 0) { /* copy the bytes: `data` may point into the block, which is released below */
        memcpy(packed, data, size);
        bytes = size;
    }
    lrd_release(store, &value);
    if (settings.control != NULL)
        usleep(200);
    int code = lrd_put(store, key, strlen(key), packed, bytes,
                       &(lrd_write){.version = version, .mode = LRD_REFORM, .type = type});
    if (code != LRD_MISS && code != LRD_ENOROOM && code != LRD_ETYPE)
        allow("reform", code, LRD_STALE, LRD_OK);
}

/* Fork a child, which compares the inherited holds until a timer kills it. */
static void work_fork(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return;
    forked = true;
    struct itimerval timer = {.it_value.tv_usec = 100 + (long)random_below(&chance, 15000)};
    chance ^= (uint64_t)getpid() << 20;
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &timer, NULL);
    atomic_fetch_add(&shared->children, 1);
    for (;;) {
        for (int i = 0; i < HELD; i++)
            check_hold(&held[i]);
        if (random_below(&chance, 3) == 0)
            work_get();
        if (random_below(&chance, 3) == 0)
            work_put();
    }
}

static void work_rarely(void)
{
    switch (random_below(&chance, 60)) {
    case 0:
        allow("clear", lrd_clear(volatile_store), LRD_OK, LRD_OK);
        break;
    case 1:
    case 2:
        allow("sweep", lrd_sweep(volatile_store, NULL), LRD_OK, LRD_OK);
        break;
    case 3:
        for (int i = 0; i < HELD; i++)
            let_go(&held[i]);
        lrd_thread_leave(volatile_store);
        break;
    default:
        if (random_below(&chance, 3) == 0) {
            work_fork();
            break;
        }
        for (int i = 0; i < HELD; i++) {
            check_hold(&held[i]);
            if (held[i].value.kind == LRD_KIND_COPY)
                let_go(&held[i]);
            held[i].value.kind = LRD_KIND_NONE;
        }
        allow("request end", lrd_request_end(volatile_store), LRD_OK, LRD_EBUSY);
    }
}

static void work_count(void)
{
    char key[16];
    int64_t result;
    int len = snprintf(key, sizeof key, "n%u", (unsigned)random_below(&chance, 8));
    int code = lrd_counter_add(volatile_store, key, (size_t)len, 1, 0, 0, &result);
    allow("count", code, LRD_ENOROOM, LRD_OK);
    if (code == LRD_OK && result <= 0)
        corrupt("a counter that only grows is %lld", (long long)result);
}

/* Set a counter that all workers share. The lower half of its number is the inverse of the upper
 * half, so a get would notice a mixture of two numbers. */
static void work_set_counter(void)
{
    char key[24];
    lrd_value value;
    uint32_t half = (uint32_t)random_next(&chance);
    int len = snprintf(key, sizeof key, "set counter %u", (unsigned)random_below(&chance, 8));
    uint64_t ttl = random_below(&chance, 8) == 0 ? 50 : 0;
    int code = lrd_counter_set(volatile_store, key, (size_t)len,
                               (int64_t)((uint64_t)half << 32 | (uint32_t)~half), ttl);
    allow("counter set", code, LRD_ENOROOM, LRD_OK);
    code = lrd_get(volatile_store, key, (size_t)len, LRD_GET_PLAIN | LRD_GET_NO_COPY, &value);
    allow("plain get", code, LRD_MISS, LRD_OK);
    if (code != LRD_OK)
        return;
    uint64_t count = (uint64_t)lrd_counter_value(&value);
    if (value.type != LRD_TYPE_COUNTER || (uint32_t)(count >> 32) != (uint32_t)~count)
        corrupt("a counter that was set is %llx", (unsigned long long)count);
    lrd_release(volatile_store, &value);
}

static void work_lock(void)
{
    char key[16];
    uint64_t token;
    int len = snprintf(key, sizeof key, "lock %u", (unsigned)random_below(&chance, 8));
    int code = lrd_lock(volatile_store, key, (size_t)len, random_below(&chance, 2) * 50,
                        random_below(&chance, 2), &token);
    if (code != LRD_EDEADLK)
        allow("lock", code, LRD_HELD, LRD_ENOLOCKS);
    if (code == LRD_OK && random_below(&chance, 4) != 0)
        allow("unlock", lrd_unlock(volatile_store, key, (size_t)len, token), LRD_MISS, LRD_OK);
}

/* ---- the pinned store ---- */

static const char *pinned_name(const worker *w, uint32_t i)
{
    static char key[24];
    snprintf(key, sizeof key, "w%u k%u", (unsigned)(w - shared->workers), i);
    return key;
}

static bool pinned_matches(const pinned_key *p, uint32_t which, int code, const lrd_value *value)
{
    if (!p->fact[which].present)
        return code == LRD_MISS;
    size_t size = 0;
    const void *data = code == LRD_OK ? unpacked(value, &size) : NULL;
    return code == LRD_OK && size == p->fact[which].size &&
           value_seed(data, size) == value_cut_seed(size, p->fact[which].seed);
}

/* Compare an entry with its two facts in the book. `turn` names the fact that was published last.
 * If `busy` is set, a killed worker may have published the other fact. If the entry matches the
 * other fact, let `turn` name it. */
static void pinned_check(worker *w, uint32_t i)
{
    pinned_key *p = &w->pinned[i];
    const char *key = pinned_name(w, i);
    lrd_value value;
    uint32_t turn = atomic_load(&p->turn) & 1;
    int code = lrd_get(pinned_store, key, strlen(key), 0, &value);
    allow("pinned get", code, LRD_MISS, LRD_OK);
    if (code < 0)
        return;
    if (code == LRD_OK)
        check_valid("pinned get", &value, key);
    if (!pinned_matches(p, turn, code, &value)) {
        if (atomic_load(&p->busy) != 0 && pinned_matches(p, 1 - turn, code, &value))
            atomic_store(&p->turn, 1 - turn);
        else
            corrupt("pinned \"%s\" (%s) is not as it was published", key, lrd_error_name(code));
    }
    atomic_store(&p->busy, 0);
    atomic_fetch_add_explicit(&w->gets, 1, memory_order_relaxed);
    lrd_release(pinned_store, &value);
}

static void pinned_write(worker *w, uint32_t i)
{
    static char bytes[60000];
    pinned_key *p = &w->pinned[i];
    const char *key = pinned_name(w, i);
    uint32_t turn = atomic_load(&p->turn) & 1, next = 1 - turn;
    size_t size = any_size() % sizeof bytes;
    int code;
    p->fact[next].present = random_below(&chance, 5) != 0;
    p->fact[next].size = (uint32_t)size;
    p->fact[next].seed = random_next(&chance);
    atomic_store(&p->busy, 1);
    if (p->fact[next].present) {
        value_fill(bytes, size, key, strlen(key), p->fact[next].seed);
        code = lrd_put(pinned_store, key, strlen(key), bytes, size, NULL);
        allow("pinned put", code, LRD_ENOROOM, LRD_OK);
    } else {
        code = lrd_delete(pinned_store, key, strlen(key));
        allow("pinned delete", code, LRD_MISS, LRD_OK);
    }
    if (code >= LRD_OK)
        atomic_store(&p->turn, next);
    atomic_store(&p->busy, 0);
}

static void work_pinned(void)
{
    static lrd_value kept;
    static char kept_key[24];
    uint32_t i = (uint32_t)random_below(&chance, PINNED);
    switch (random_below(&chance, 6)) {
    case 0:
    case 1:
        pinned_write(me, i);
        break;
    case 5: /* a key of any worker */
        reform(pinned_store,
               pinned_name(&shared->workers[random_below(&chance, settings.workers)], i));
        break;
    case 2:
        if (kept.kind != LRD_KIND_NONE)
            check_valid("pinned hold", &kept, kept_key);
        lrd_release(pinned_store, &kept);
        snprintf(kept_key, sizeof kept_key, "%s",
                 pinned_name(&shared->workers[random_below(&chance, settings.workers)], i));
        /* The get misses if the key is a visitor's, because visitors use another store. */
        if (lrd_get(pinned_store, kept_key, strlen(kept_key), 0, &kept) == LRD_OK)
            check_valid("pinned get", &kept, kept_key);
        break;
    default:
        pinned_check(me, i);
    }
}

/* ---- the named store ---- */

static bool is_visitor(unsigned index)
{
    return settings.workers >= 4 && index >= settings.workers - 2;
}

static int open_named(lrd_store **out)
{
    lrd_options options = {
        .policy = LRD_PINNED, .size = settings.size * MIB, .slots = 64, .path = named_path};
    return lrd_open(&options, out);
}

/* Visit the named store. Entries that a killed process has published must still be there. */
static void visit(worker *w)
{
    int code = open_named(&pinned_store);
    if (code != LRD_OK) {
        corrupt("open: %s (%s)", lrd_error_name(code), lrd_error_detail());
        return;
    }
    for (uint64_t i = random_below(&chance, 200); i > 0; i--) {
        uint32_t key = (uint32_t)random_below(&chance, PINNED);
        if (random_below(&chance, 3) == 0)
            pinned_write(w, key);
        else
            pinned_check(w, key);
        atomic_fetch_add_explicit(&w->progress, 1, memory_order_relaxed);
    }
    lrd_close(pinned_store);
}

/* ---- a store that grows ---- */

static const char *grown_name(unsigned w, uint32_t i)
{
    static char key[24];
    snprintf(key, sizeof key, "g%u %u", w, i);
    return key;
}

static void grown_check(unsigned w, uint32_t i)
{
    lrd_value value;
    const char *key = grown_name(w, i);
    int code = lrd_get(growing_store, key, strlen(key),
                       random_below(&chance, 4) == 0 ? LRD_GET_BORROW : 0, &value);
    if (code != LRD_OK) {
        corrupt("growing (policy %u): \"%s\" was put, and gave %s", growing_store->geo.policy, key,
                lrd_error_name(code));
        return;
    }
    check_valid("growing", &value, key);
    lrd_release(growing_store, &value);
}

static void grown_put(unsigned w, uint32_t i)
{
    static char bytes[24000];
    const char *key = grown_name(w, i);
    size_t size = 16 + random_below(&chance, 64);
    if (adopting_now && random_below(&chance, 64) == 0)
        size = 18000 + random_below(&chance, sizeof bytes - 18000);
    uint64_t ttl =
        growing_store->geo.policy != LRD_PINNED && random_below(&chance, 3) == 0 ? 3600000 : 0;
    value_fill(bytes, size, key, strlen(key), random_next(&chance));
    int code = lrd_put(growing_store, key, strlen(key), bytes, size, &(lrd_write){.ttl_ms = ttl});
    allow("growing put", code, LRD_OK, LRD_OK);
    if (code == LRD_OK && i == atomic_load(&me->grown))
        atomic_store(&me->grown, i + 1);
}

static void grow(unsigned index)
{
    uint32_t own = atomic_load(&me->grown);
    unsigned other = (unsigned)random_below(&chance, settings.workers);
    uint32_t known = atomic_load(&shared->workers[other].grown);
    if (own < GROW_ITEMS / settings.workers && random_below(&chance, 2) == 0)
        grown_put(index, own);
    else if (own > 0 && random_below(&chance, 8) == 0)
        grown_put(index, (uint32_t)random_below(&chance, own));
    for (int i = 0; i < 2 && known > 0; i++)
        grown_check(other, (uint32_t)random_below(&chance, known));
    /* A worker may have been killed after it put its next entry, but before it counted this entry.
     * So the key `own` may exist, but the key after it must not. */
    const char *key = grown_name(index, own + 1);
    if (own == atomic_load(&me->grown) && lrd_has(growing_store, key, strlen(key)) != LRD_MISS)
        corrupt("growing: \"%s\" was not put, and is there", key);
    if (random_below(&chance, 32) == 0)
        allow("growing: request end", lrd_request_end(growing_store), LRD_OK, LRD_OK);
    atomic_fetch_add_explicit(&me->gets, 2, memory_order_relaxed);
}

/* ---- a store that is adopted ---- */

static int open_adopted(void)
{
    lrd_options options = {
        .policy = LRD_PINNED, .size = 16 * MIB, .shards = 8, .slots = 512, .path = adopted_path};
    int code = lrd_open(&options, &growing_store);
    if (code != LRD_OK)
        corrupt("open: %s (%s)", lrd_error_name(code), lrd_error_detail());
    return code;
}

static void adopt(unsigned index)
{
    if (open_adopted() != LRD_OK)
        return;
    for (uint64_t i = random_below(&chance, 400); i > 0; i--) {
        grow(index);
        atomic_fetch_add_explicit(&me->progress, 1, memory_order_relaxed);
    }
    lrd_close(growing_store);
    growing_store = NULL;
}

/* ---- workers ---- */

static void work(void)
{
    uint64_t dice = random_below(&chance, 1000);
    if (dice < 330)
        work_get();
    else if (dice < 380)
        work_borrow();
    else if (dice < 580)
        work_put();
    else if (dice < 610)
        work_replace();
    else if (dice < 640)
        reform(volatile_store, any_key());
    else if (dice < 680) {
        const char *key = any_key();
        allow("delete", lrd_delete(volatile_store, key, strlen(key)), LRD_MISS, LRD_OK);
    } else if (dice < 710) {
        const char *key = any_key();
        int code = lrd_touch(volatile_store, key, strlen(key), random_below(&chance, 2) * 500);
        allow("touch", code, LRD_MISS, LRD_OK);
    } else if (dice < 735)
        work_count();
    else if (dice < 750)
        work_set_counter();
    else if (dice < 780)
        work_lock();
    else if (dice < 985)
        work_pinned();
    else
        work_rarely();
}

__attribute__((noreturn)) static void worker_main(unsigned index)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    me = &shared->workers[index];
    chance = ((uint64_t)getpid() << 32 ^ now_ms()) | 1;
    while (adopting_now)
        adopt(index);
    while (growing_store != NULL) {
        grow(index);
        atomic_fetch_add_explicit(&me->progress, 1, memory_order_relaxed);
    }
    while (is_visitor(index) && atomic_load_explicit(&shared->stop, memory_order_relaxed) == 0)
        visit(me);
    /* The killed predecessor may have left a write unfinished. Find out whether the write took
     * effect. */
    for (uint32_t i = 0; i < PINNED; i++)
        if (atomic_load(&me->pinned[i].busy) != 0)
            pinned_check(me, i);
    while (atomic_load_explicit(&shared->stop, memory_order_relaxed) == 0) {
        work();
        atomic_fetch_add_explicit(&me->progress, 1, memory_order_relaxed);
    }
    _exit(0);
}

/* ---- the parent ---- */

static pid_t pids[WORKERS_MAX];  /* 0: to be started */
static bool killed[WORKERS_MAX]; /* killed, but its end was not collected yet */
static uint64_t kills, hangs, leaks, violations;
static uint64_t lost; /* forked children that ended because they could not get their slot */

static void start(unsigned i)
{
    pid_t pid = fork();
    if (pid == 0)
        worker_main(i);
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    pids[i] = pid;
    killed[i] = false;
}

static void kill_worker(unsigned i)
{
    if (pids[i] != 0)
        kill(pids[i], SIGKILL);
    killed[i] = true;
}

static void collect(unsigned i, int status)
{
    pids[i] = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && killed[i])
        kills++;
    else
        corrupt("a worker ended by itself with status 0x%x", (unsigned)status);
}

static void reap(bool block)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, block ? 0 : WNOHANG)) > 0) {
        unsigned i = 0;
        while (i < settings.workers && pids[i] != pid)
            i++;
        if (i < settings.workers)
            collect(i, status);
        else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LOST)
            lost++;
        else if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM)
            corrupt("a forked child ended with status 0x%x", (unsigned)status);
    }
}

/* Kill each worker that has made no progress for long, and count it as hanging. */
static void watch(void)
{
    static uint64_t seen[WORKERS_MAX], since[WORKERS_MAX];
    uint64_t now = now_ms();
    for (unsigned i = 0; i < settings.workers; i++) {
        uint64_t progress = atomic_load(&shared->workers[i].progress);
        if (progress != seen[i] || since[i] == 0) {
            seen[i] = progress;
            since[i] = now;
        } else if (now - since[i] > HANG_MS && pids[i] != 0) {
            fprintf(stderr, "worker %u hangs\n", i);
            hangs++;
            since[i] = now;
            kill_worker(i);
        }
    }
}

static void report(void *arg, const char *text)
{
    fprintf(stderr, "fsck: %s: %s\n", (const char *)arg, text);
}

static void check_store(lrd_store *store, const char *name)
{
    char label[16];
    snprintf(label, sizeof label, "%s", name);
    int found = lrd_fsck(store, report, label);
    if (found > 0)
        violations += (uint64_t)found;
}

/* Kill one worker, and replace all workers that have ended. */
static void strike(void)
{
    usleep((useconds_t)random_below(&chance, 4000));
    unsigned i = (unsigned)random_below(&chance, settings.workers);
    if (i < 2 && settings.workers > 2 && random_below(&chance, 20) != 0)
        i = 2 + (unsigned)random_below(&chance, settings.workers - 2);
    kill_worker(i);
    reap(false);
    for (unsigned k = 0; k < settings.workers; k++)
        if (pids[k] == 0)
            start(k);
    watch();
}

static void kill_all(void)
{
    for (unsigned i = 0; i < settings.workers; i++)
        kill_worker(i);
    reap(true); /* also waits for the children of workers, which a timer ends */
}

static bool control_caught(void)
{
    return settings.control != NULL && atomic_load(&shared->corrupt) > 0;
}

static void chaos(unsigned seconds)
{
    uint64_t end = now_ms() + seconds * 1000ull, next_check = now_ms() + 500;
    for (unsigned i = 0; i < settings.workers; i++)
        start(i);
    while (now_ms() < end && !control_caught()) {
        strike();
        if (now_ms() > next_check && settings.control == NULL) {
            check_store(volatile_store, "volatile");
            check_store(pinned_store, "pinned");
            next_check = now_ms() + 500;
        }
    }
    kill_all();
}

/* Check that the memory held by dead workers is free again. */
static uint64_t settle(lrd_store *store, const char *name)
{
    lrd_stats stats;
    if (lrd_sweep(store, NULL) != LRD_OK || lrd_sweep(store, NULL) != LRD_OK)
        corrupt("%s: the last sweep failed: %s", name, lrd_error_detail());
    lrd_stats_get(store, &stats);
    leaks += left_behind(store, name, &stats);
    check_store(store, name);
    if (store == growing_store)
        return stats.recoveries;
    fprintf(stderr,
            "%s: %llu entries, %llu evicted, %llu expired, %llu copies, %llu busy, %llu reaped, "
            "%llu recoveries\n",
            name, (unsigned long long)stats.entries, (unsigned long long)stats.evicted,
            (unsigned long long)stats.expired, (unsigned long long)stats.copies,
            (unsigned long long)stats.busy, (unsigned long long)stats.reaped_slots,
            (unsigned long long)stats.recoveries);
    return stats.recoveries;
}

static void check_books(void)
{
    lrd_store *forked = pinned_store, *named;
    if (open_named(&named) != LRD_OK) {
        corrupt("open: %s", lrd_error_detail());
        return;
    }
    for (unsigned w = 0; w < settings.workers; w++) {
        pinned_store = is_visitor(w) ? named : forked;
        for (uint32_t i = 0; i < PINNED; i++)
            pinned_check(&shared->workers[w], i);
    }
    settle(named, "named");
    lrd_close(named);
    pinned_store = forked;
}

/* ---- growing ---- */

static uint32_t grown_doublings(void)
{
    return (uint32_t)__builtin_popcountll(atomic_load(&growing_store->view->mask)) - 32;
}

static bool grown_full(void)
{
    for (unsigned w = 0; w < settings.workers; w++)
        if (atomic_load(&shared->workers[w].grown) < GROW_ITEMS / settings.workers)
            return false;
    return true;
}

static void check_grown(void)
{
    for (unsigned w = 0; w < settings.workers; w++)
        for (uint32_t i = 0; i < atomic_load(&shared->workers[w].grown); i++)
            grown_check(w, i);
}

static uint32_t grow_once(lrd_policy policy, uint64_t end, uint64_t *recoveries)
{
    lrd_options options = {.policy = policy, .size = 8 * MIB, .shards = 2, .slots = 512};
    if (lrd_open(&options, &growing_store) != LRD_OK) {
        fprintf(stderr, "open: %s\n", lrd_error_detail());
        exit(2);
    }
    uint64_t begun = now_ms();
    for (unsigned w = 0; w < settings.workers; w++)
        atomic_store(&shared->workers[w].grown, 0);
    for (unsigned w = 0; w < settings.workers; w++)
        start(w);
    while (!grown_full() && now_ms() < end && !control_caught()) {
        strike();
        if (now_ms() - begun > GROW_SECONDS * 1000) {
            fprintf(stderr, "a store that grows is not full after %d s\n", GROW_SECONDS);
            hangs++;
            break;
        }
    }
    kill_all();
    if (settings.control == NULL)
        *recoveries += settle(growing_store, "growing");
    check_grown();
    uint32_t doubled = grown_doublings();
    lrd_close(growing_store);
    growing_store = NULL;
    return doubled;
}

static uint64_t growing(unsigned seconds)
{
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_SESSION};
    uint64_t end = now_ms() + seconds * 1000ull, recoveries = 0, doubled = 0, before = kills;
    uint64_t late = end + (settings.control == NULL ? GROW_SECONDS * 1000ull : 0);
    unsigned rounds = 0, often = 0;
    while ((now_ms() < end || (often == 0 && now_ms() < late)) && !control_caught()) {
        uint32_t times =
            grow_once(policies[rounds++ % 3], now_ms() < end ? end : late, &recoveries);
        doubled += times;
        often += times >= 3;
    }
    fprintf(stderr, "growing: %u stores, %llu doublings, %llu kills, %llu recoveries\n", rounds,
            (unsigned long long)doubled, (unsigned long long)(kills - before),
            (unsigned long long)recoveries);
    if (often == 0 && settings.control == NULL) {
        fprintf(stderr, "growing: no index doubled three times\n");
        exit(2);
    }
    return recoveries;
}

/* ---- adopting ---- */

/* Kill workers one by one, and then all. In the next round, the first worker adopts the store, and
 * the others vet its shards. Every fourth round, the parent checks all entries. */
static uint64_t adopting(unsigned seconds)
{
    uint64_t end = now_ms() + seconds * 1000ull, recoveries = 0, before = kills;
    unsigned rounds = 0;
    for (unsigned w = 0; w < settings.workers; w++)
        atomic_store(&shared->workers[w].grown, 0);
    while ((now_ms() < end || rounds == 0) && !control_caught()) {
        adopting_now = true;
        for (unsigned w = 0; w < settings.workers; w++)
            start(w);
        for (uint64_t i = random_below(&chance, ADOPT_STRIKES) + 1; i > 0; i--)
            strike();
        kill_all();
        adopting_now = false;
        if (rounds++ % 4 != 0 && settings.control == NULL)
            continue;
        if (open_adopted() != LRD_OK)
            break;
        check_grown();
        if (settings.control == NULL)
            recoveries = settle(growing_store, "adopted");
        lrd_close(growing_store);
        growing_store = NULL;
    }
    fprintf(stderr, "adopting: %u times, %llu kills, %llu recoveries\n", rounds,
            (unsigned long long)(kills - before), (unsigned long long)recoveries);
    return recoveries;
}

/* ---- the race ---- */

/* Open a store in which only one block is free. A writer of one key then reuses each replaced block
 * at once. */
static lrd_store *race_store(bool fence, uint64_t size)
{
    lrd_options options = {
        .policy = LRD_PINNED, .size = size, .shards = 1, .slots = 16, .fence = fence};
    lrd_store *store;
    char bytes[RACE_SIZE], key[32];
    if (lrd_open(&options, &store) != LRD_OK) {
        fprintf(stderr, "open: %s\n", lrd_error_detail());
        exit(2);
    }
    value_fill(bytes, sizeof bytes, RACE_KEY, strlen(RACE_KEY), 1);
    lrd_put(store, RACE_KEY, strlen(RACE_KEY), bytes, sizeof bytes, NULL);
    for (int i = 0;; i++) {
        snprintf(key, sizeof key, "another key, no %7d", i);
        if (lrd_put(store, key, strlen(key), bytes, sizeof bytes, &(lrd_write){.mode = LRD_ADD}) !=
            LRD_OK)
            break;
    }
    lrd_delete(store, "another key, no       7", 23);
    return store;
}

static void run_on(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

__attribute__((noreturn)) static void race_write(lrd_store *store)
{
    char bytes[RACE_SIZE];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    run_on(1);
    for (uint64_t seed = 1;; seed++) {
        store->shards[0].full_until = 0;
        value_fill(bytes, sizeof bytes, RACE_KEY, strlen(RACE_KEY), seed);
        int code = lrd_put(store, RACE_KEY, strlen(RACE_KEY), bytes, sizeof bytes, NULL);
        if (code != LRD_ENOROOM)
            allow("race put", code, LRD_OK, LRD_OK);
    }
}

/* Fill the processor's store buffer with stores to uncached lines. Without a barrier, the reader's
 * ledger entry then becomes visible late. */
static void fill_store_buffer(char *cold)
{
    for (int i = 0; i < RACE_STORES; i++)
        *(volatile char *)(cold + random_next(&chance) % RACE_COLD) = (char)i;
}

static void race_read(lrd_store *store, char *cold)
{
    lrd_value value;
    if (cold != NULL)
        fill_store_buffer(cold);
    int code = lrd_get(store, RACE_KEY, strlen(RACE_KEY), 0, &value);
    if (code != LRD_OK) {
        corrupt("race: the key that is only replaced: %s", lrd_error_name(code));
        return;
    }
    uint64_t seed = value.size == RACE_SIZE ? value_seed(value.data, value.size) : 0;
    bool right = value.size == RACE_SIZE;
    for (int i = 0; i < (cold != NULL ? 12 : 3) && right; i++)
        right = value_valid(value.data, RACE_SIZE, RACE_KEY, strlen(RACE_KEY)) &&
                value_seed(value.data, RACE_SIZE) == seed;
    if (!right)
        corrupt("race: the value changed while it was held");
    lrd_release(store, &value);
    me->gets++;
}

static char *race_cold(void)
{
    char *cold = mmap(NULL, RACE_COLD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cold == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    madvise(cold, RACE_COLD, MADV_HUGEPAGE);
    memset(cold, 1, RACE_COLD);
    return cold;
}

static void race_hold(lrd_store *store)
{
    lrd_value value;
    char key[32];
    for (unsigned i = 0; i < RACE_DEEP; i++) {
        snprintf(key, sizeof key, "another key, no %7u", i + 100);
        int code = lrd_get(store, key, strlen(key), LRD_GET_NO_COPY, &value);
        if (code != LRD_OK || value.kind != LRD_KIND_HELD)
            corrupt("race: %s cannot be held: %s", key, lrd_error_name(code));
    }
}

static void race_once(unsigned ms, bool fence, bool deep)
{
    static char *cold; /* shared by all races, because filling it takes longer than a race */
    if (cold == NULL)
        cold = race_cold();
    lrd_store *store = race_store(fence, deep ? 4 * MIB : MIB);
    pid_t writer = fork();
    if (writer == 0)
        race_write(store);
    me = &shared->workers[0];
    run_on(0);
    if (deep)
        race_hold(store);
    uint64_t end = now_ms() + ms, gets = me->gets;
    /* On a busy machine the loop may make few gets until `end`. So a control goes on until it has
     * made RACE_GETS. */
    while ((now_ms() < end || (settings.control != NULL && me->gets - gets < RACE_GETS)) &&
           !(settings.control != NULL && atomic_load(&shared->corrupt) > 0))
        for (int i = 0; i < 2000; i++)
            race_read(store, i < 1000 ? cold : NULL);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    lrd_stats stats;
    lrd_stats_get(store, &stats);
    fprintf(stderr, "race%s: %llu gets, %llu replaces, %llu refused\n",
            fence ? " (fence mode)" : "", (unsigned long long)(me->gets - gets),
            (unsigned long long)stats.replaces, (unsigned long long)stats.refused);
    check_store(store, "race");
    lrd_close(store);
}

/* Race in several stores. The stores' hash seeds put the key at different places of the index. The
 * places vary the time that a reader needs between listing the block and reading its index word
 * again. */
static void race(unsigned ms, bool fence)
{
    for (unsigned part = 0; part < RACE_PARTS; part++)
        if (settings.control == NULL || atomic_load(&shared->corrupt) == 0)
            race_once(ms / RACE_PARTS, fence, part % 2 == 1);
}

/* ---- main ---- */

static bool set_control(const char *name)
{
#ifdef LRD_CONTROLS
    if (strcmp(name, "ignore-ledger") == 0)
        lrd__control_ignore_ledger = true;
    else if (strcmp(name, "hand-out-before-listing") == 0)
        lrd__control_hand_out_first = true;
    else if (strcmp(name, "no-barrier") == 0)
        lrd__control_no_barrier = true;
    else if (strcmp(name, "clear-first") == 0)
        lrd__control_clear_first = true;
    else if (strcmp(name, "mark-before-vetting") == 0)
        lrd__control_mark_first = true;
    else if (strcmp(name, "scan-first-entries") == 0)
        lrd__control_scan_first = true;
    else if (strcmp(name, "any-form") == 0)
        lrd__control_any_form = true;
    else
        return false;
    return true;
#else
    (void)name;
    return false;
#endif
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        char *end = "";
        unsigned long number = strtoul(argv[i + 1], &end, 10);
        if (strcmp(argv[i], "--control") == 0)
            settings.control = argv[i + 1];
        else if (*end != '\0' || number == 0 || number > 100000)
            return false;
        else if (strcmp(argv[i], "--seconds") == 0)
            settings.seconds = (unsigned)number;
        else if (strcmp(argv[i], "--workers") == 0 && number <= WORKERS_MAX)
            settings.workers = (unsigned)number;
        else if (strcmp(argv[i], "--size") == 0)
            settings.size = number;
        else
            return false;
    }
    return argc % 2 == 1 && (settings.control == NULL || set_control(settings.control));
}

static void open_stores(void)
{
    snprintf(named_directory, sizeof named_directory, "/dev/shm/larder-crash-XXXXXX");
    if (mkdtemp(named_directory) == NULL) {
        perror(named_directory);
        exit(2);
    }
    snprintf(named_path, sizeof named_path, "%s/store", named_directory);
    snprintf(adopted_path, sizeof adopted_path, "%s/adopted", named_directory);
    lrd_options options = {.policy = LRD_VOLATILE, .size = settings.size * MIB, .slots = 512};
    int code = lrd_open(&options, &volatile_store);
    options.policy = LRD_PINNED;
    options.fence = true;
    if (code == LRD_OK)
        code = lrd_open(&options, &pinned_store);
    if (code == LRD_OK)
        return;
    fprintf(stderr, "open: %s\n", lrd_error_detail());
    exit(2);
}

static void remove_one(const char *path)
{
    char lock[96];
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(lock);
    unlink(path);
}

static void remove_named(void)
{
    remove_one(named_path);
    remove_one(adopted_path);
    rmdir(named_directory);
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: crash_test [--seconds N] [--workers N] [--size MIB] [--control "
                        "ignore-ledger|hand-out-before-listing|no-barrier|clear-first|"
                        "mark-before-vetting]\n");
        return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    chance = now_ms() * 2654435761u | 1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    open_stores();
    uint64_t recoveries = 0, gets = 0;
    const char *control = settings.control != NULL ? settings.control : "";
    bool grows = strcmp(control, "clear-first") == 0, all = settings.control == NULL;
    bool adopts = strcmp(control, "mark-before-vetting") == 0, chaotic = all;
    chaotic |= strcmp(control, "ignore-ledger") == 0 || strcmp(control, "any-form") == 0;
    bool racing = !chaotic && !grows && !adopts;
    unsigned race_ms = settings.seconds * 100 < 3000 ? settings.seconds * 100 : 3000;
    if (all || grows)
        recoveries += growing(all ? (settings.seconds + 3) / 4 : settings.seconds);
    if (all || adopts)
        recoveries += adopting(all ? (settings.seconds + 3) / 4 : settings.seconds);
    if (chaotic) {
        chaos(all ? settings.seconds - settings.seconds / 2 : settings.seconds);
        recoveries += settle(volatile_store, "volatile") + settle(pinned_store, "pinned");
        check_books();
    }
    if (racing || chaotic)
        race(racing ? settings.seconds * 1000 : race_ms, false);
    if (chaotic)
        race(race_ms / 2, true);
    for (unsigned w = 0; w < settings.workers; w++)
        gets += atomic_load(&shared->workers[w].gets);
    remove_named();
    uint64_t wrong = atomic_load(&shared->corrupt);
    fprintf(stderr, "%llu forked children, %llu lost their slots, %llu violations\n",
            (unsigned long long)atomic_load(&shared->children), (unsigned long long)lost,
            (unsigned long long)violations);
    printf("kills=%llu gets=%llu corrupt=%llu hangs=%llu leaks=%llu recoveries=%llu\n",
           (unsigned long long)kills, (unsigned long long)gets, (unsigned long long)wrong,
           (unsigned long long)hangs, (unsigned long long)leaks, (unsigned long long)recoveries);
    if (wrong + hangs + leaks + violations > 0)
        return 1;
    return settings.control == NULL && (kills == 0 || recoveries == 0) ? 2 : 0;
}
