/* delay_test.c - processes write, read and hold values in one small store, and sleep or die at fail
 * points.
 *
 * delay_test [--seconds N] [--control NAME]
 *
 * In crash_test, the survivors of a kill go on at once. In delay_test, other processes make many
 * calls between two steps of a process:
 * - Workers sleep at fail points, up to a few milliseconds, or are killed and replaced. At an
 *   eighth of the fail points, chosen anew in each round, they sleep much more often.
 * - A round takes half a second. It draws the store's size (4 to 16 MiB), policy, barrier, file and
 *   the threads of a worker.
 * - A value begins with a stamp, from which its other bytes follow (values.h). A reader thus
 *   notices overlapping blocks and changed holds.
 * - Half of the keys have one writer each, whose stamps rise. A reader must get the value published
 *   last, or a newer one whose write has begun. In a store that does not evict, it must not miss
 *   the key.
 * - At the end of a round, a sweep and lrd_fsck() check the rest.
 *
 * The last line of the output is:
 *
 * rounds=N kills=N gets=N puts=N delays=N corrupt=0 hangs=0 leaks=0 recoveries=N
 *
 * Exit code: 0 all is well; 1 something was corrupt, hung, leaked or found by lrd_fsck(); 2 usage,
 * or nothing was tested. --control breaks the core on purpose and must end with 1. Controls:
 * ignore-ledger; claim-free-only (a run is built in a page that another shard claimed after the
 * page was found free). LARDER_SEED=N repeats the round that printed this seed. */
#include "larder_admin.h"
#include "larder_host.h"

#include "internal.h"
#include "left.h"
#include "values.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define WORKERS 5
#define THREADS 3 /* maximum number of threads of a worker */
#define HELD 24
#define OWNED 24 /* keys that one thread writes */
#define SIZES 3
#define ROUND_MS 500
#define HANG_MS 35000 /* a worker may wait 30 s while other processes adopt the store */

/* The stamps of one key: `begun` of the last write that has begun, `done` of the last write that
 * was published. The stamp of a put is even, that of a delete is odd. Stamps survive the death of
 * the writer. */
typedef struct stamps {
    _Atomic uint64_t begun, done;
} stamps;

typedef struct worker { /* a thread */
    _Alignas(64) _Atomic uint64_t progress;
    _Atomic uint64_t gets, puts, delays;
    stamps owned[OWNED];
} worker;

static struct shared {
    _Atomic uint64_t corrupt;
    _Atomic uint32_t stop;
    worker workers[WORKERS * THREADS];
} * shared;

static struct {
    uint64_t seed;
    lrd_options options; /* if a path is set, each worker opens the store, else all inherit it */
    unsigned threads;
    unsigned keys; /* number of keys that all workers write */
    size_t most, sizes[SIZES];
    /* A worker sleeps at each `often`-th pass of a chosen fail point, on average. At other fail
     * points, it sleeps at each `delay`-th pass. */
    uint32_t delay, often;
    uint32_t death; /* of `death` passes of fail points, one kills the worker */
} around;

typedef struct a_key {
    char text[24];
    size_t len;
    stamps *owned; /* NULL if all workers may write the key */
} a_key;

typedef struct hold {
    lrd_value value;
    uint64_t stamp;
    a_key key;
} hold;

static const char *control;
static lrd_store *store;
static _Thread_local worker *me; /* NULL in the parent */
static _Thread_local uint64_t chance = 1;
static _Thread_local hold held[HELD];
static _Thread_local char *bytes; /* room for a value */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t below(uint64_t bound) { return random_below(&chance, bound); }

static bool stopped(void) { return atomic_load_explicit(&shared->stop, memory_order_relaxed) != 0; }

static void add(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Count an error, and print the first ones. */
__attribute__((format(printf, 1, 2))) static void corrupt(const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (atomic_fetch_add(&shared->corrupt, 1) < 20)
        fprintf(stderr, "corrupt: %s\n", text);
}

void lrd__failpoint(const char *name);
void lrd__failpoint(const char *name)
{
    if (me == NULL)
        return;
    if (below(around.death) == 0)
        kill(getpid(), SIGKILL);
    bool chosen = (checksum(name, strlen(name)) ^ around.seed) % 8 == 0;
    if (below(chosen ? around.often : around.delay) != 0)
        return;
    add(&me->delays);
    uint64_t dice = below(32);
    if (dice < 12)
        sched_yield();
    else
        usleep((useconds_t)below(dice < 31 ? 50 : 3000));
}

/* ---- keys and stamps ---- */

static a_key any_key(worker *owner)
{
    a_key key = {.owned = NULL};
    unsigned i = (unsigned)below(OWNED), whose = (unsigned)(owner - shared->workers);
    if (below(2) == 0) {
        key.owned = owner->owned + i;
        key.len = (size_t)snprintf(key.text, sizeof key.text, "of %u: %u", whose, i);
    } else {
        i = (unsigned)below(below(4) == 0 ? 1 + around.keys / 32 : around.keys);
        key.len = (size_t)snprintf(key.text, sizeof key.text, "everybody's: %u", i);
    }
    return key;
}

static uint64_t begin_write(const a_key *key, bool deletes)
{
    if (key->owned == NULL)
        return random_next(&chance);
    uint64_t stamp = (atomic_load(&key->owned->begun) & ~1ull) + 2 + deletes;
    atomic_store(&key->owned->begun, stamp);
    return stamp;
}

static void end_write(const a_key *key, uint64_t stamp, int code)
{
    if (key->owned != NULL && code >= LRD_OK)
        atomic_store(&key->owned->done, stamp);
}

static bool is_whole(const hold *h)
{
    return value_valid(h->value.data, h->value.size, h->key.text, h->key.len);
}

/* Check the result of a get of a key with one writer. The caller loaded `done` before the get. */
static void check_stamp(const hold *h, uint64_t done, int code)
{
    uint64_t begun = atomic_load(&h->key.owned->begun);
    if (code == LRD_OK && (h->stamp < done || h->stamp > begun))
        corrupt("\"%s\" has stamp %llu; %llu was published, and %llu begun", h->key.text,
                (unsigned long long)h->stamp, (unsigned long long)done, (unsigned long long)begun);
    bool there = done == begun && done != 0 && done % 2 == 0;
    if (code == LRD_MISS && there && around.options.policy != LRD_VOLATILE)
        corrupt("\"%s\" is gone, and nobody deleted it", h->key.text);
}

/* ---- what a worker does ---- */

/* Check the code of a call. LRD_EBUSY is allowed, because another worker may sleep while it has the
 * lock. LRD_ENOROOM is allowed in stores that do not evict. */
static void allow(const char *what, int code, int other)
{
    bool full = code == LRD_ENOROOM && around.options.policy != LRD_VOLATILE;
    if (code != LRD_OK && code != other && code != LRD_EBUSY && !full)
        corrupt("%s answered %s (%s)", what, lrd_error_name(code), lrd_error_detail());
}

static void check_hold(const hold *h)
{
    if (h->value.kind != LRD_KIND_NONE &&
        (!is_whole(h) || value_seed(h->value.data, h->value.size) != h->stamp))
        corrupt("\"%s\" (%zu bytes, kind %d) changed while it was held", h->key.text, h->value.size,
                h->value.kind);
}

static void let_go(hold *h)
{
    check_hold(h);
    int code = lrd_release(store, &h->value);
    if (code != LRD_OK)
        corrupt("release answered %s", lrd_error_name(code));
    h->value.kind = LRD_KIND_NONE;
}

static void let_all_go(void)
{
    for (int i = 0; i < HELD; i++)
        let_go(&held[i]);
    allow("request end", lrd_request_end(store), LRD_OK);
}

static void work_get(void)
{
    hold *h = &held[below(HELD)];
    let_go(h);
    h->key = any_key(shared->workers + below(WORKERS * around.threads));
    unsigned flags = below(4) == 0 ? LRD_GET_BORROW : below(8) == 0 ? LRD_GET_NO_COPY : 0;
    uint64_t done = h->key.owned != NULL ? atomic_load(&h->key.owned->done) : 0;
    int code = lrd_get(store, h->key.text, h->key.len, flags, &h->value);
    allow("get", code, LRD_MISS);
    add(&me->gets);
    if (code != LRD_OK)
        h->value.kind = LRD_KIND_NONE;
    else if (!is_whole(h))
        corrupt("\"%s\" (%zu bytes, kind %d) is not what was stored", h->key.text, h->value.size,
                h->value.kind);
    if (code == LRD_OK)
        h->stamp = value_seed(h->value.data, h->value.size);
    if (h->key.owned != NULL)
        check_stamp(h, done, code);
    if (h->value.kind == LRD_KIND_BORROWED || below(3) == 0)
        let_go(h);
}

/* Return a random size. Each power of two is about equally likely. */
static size_t random_size(void)
{
    size_t size = below((size_t)32 << below(16));
    return 20 + size % (around.most - 20);
}

static uint64_t any_ttl(const a_key *key)
{
    bool expires = around.options.policy != LRD_PINNED && key->owned == NULL;
    return expires && below(4) == 0 ? 1 + below(300) : 0;
}

static int reserve_and_publish(const a_key *key, size_t size, uint64_t stamp, uint64_t ttl)
{
    lrd_reservation reservation;
    int code = lrd_reserve(store, key->text, key->len, size, 0, &reservation);
    if (code != LRD_OK)
        return code;
    value_fill(reservation.build, size, key->text, key->len, stamp);
    if (below(20) == 0) {
        let_all_go(); /* ends the request, and this ends the reservation */
        return LRD_EBUSY;
    }
    code = below(20) == 0 ? LRD_EBUSY : lrd_publish(store, &reservation, LRD_SET, ttl, 0);
    if (code == LRD_EBUSY)
        allow("abort", lrd_abort(store, &reservation), LRD_OK);
    return code;
}

static void work_put(void)
{
    a_key key = any_key(me);
    size_t size = below(4) == 0 ? random_size() : around.sizes[below(SIZES)];
    uint64_t stamp = begin_write(&key, false), ttl = any_ttl(&key);
    int code;
    if (below(4) == 0) {
        code = reserve_and_publish(&key, size, stamp, ttl);
    } else {
        lrd_mode mode = key.owned == NULL && below(8) == 0 ? LRD_ADD : LRD_SET;
        value_fill(bytes, size, key.text, key.len, stamp);
        code = lrd_put(store, key.text, key.len, bytes, size,
                       &(lrd_write){.ttl_ms = ttl, .mode = mode});
    }
    allow("put", code, LRD_EXISTS);
    end_write(&key, stamp, code);
    add(&me->puts);
}

/* Publish the unchanged bytes of a value in another form. A newer value of the key must stay. */
static void work_reform(void)
{
    lrd_value value;
    lrd_entry entry;
    a_key key = any_key(shared->workers + below(WORKERS * around.threads));
    if (lrd_get(store, key.text, key.len, LRD_GET_BORROW, &value) != LRD_OK)
        return;
    lrd_value_entry(store, &value, &entry);
    size_t size = value.size;
    uint8_t type = value.type == 0;
    uint64_t version = entry.version;
    memcpy(bytes, value.data, size);
    allow("release", lrd_release(store, &value), LRD_OK);
    int code = lrd_put(store, key.text, key.len, bytes, size,
                       &(lrd_write){.version = version, .mode = LRD_REFORM, .type = type});
    if (code != LRD_MISS)
        allow("reform", code, LRD_STALE);
}

static void work_delete(void)
{
    a_key key = any_key(me);
    uint64_t stamp = begin_write(&key, true);
    int code = lrd_delete(store, key.text, key.len);
    allow("delete", code, LRD_MISS);
    end_write(&key, stamp, code);
}

static void work_rarely(void)
{
    hold *h = &held[below(HELD)];
    uint64_t dice = below(24);
    if (dice == 0 && around.options.policy == LRD_VOLATILE) {
        allow("clear", lrd_clear(store), LRD_OK);
    } else if (dice < 3) {
        allow("sweep", lrd_sweep(store, NULL), LRD_OK);
    } else if (dice < 6) {
        let_all_go();
        if (dice == 3)
            lrd_thread_leave(store);
    } else if (h->value.kind == LRD_KIND_HELD && h->key.owned == NULL) {
        allow("put held", lrd_put_held(store, &h->value, any_ttl(&h->key)), LRD_STALE);
    }
}

static void work(void)
{
    uint64_t dice = below(1000);
    if (dice < 450)
        work_get();
    else if (dice < 880)
        work_put();
    else if (dice < 930)
        work_delete();
    else if (dice < 960)
        work_reform();
    else if (dice < 990)
        check_hold(&held[below(HELD)]);
    else
        work_rarely();
    add(&me->progress);
}

static bool open_store(void)
{
    int code = lrd_open(&around.options, &store);
    if (code != LRD_OK)
        corrupt("open: %s (%s)", lrd_error_name(code), lrd_error_detail());
    return code == LRD_OK;
}

static void *work_on(void *arg)
{
    bool opens = around.options.path != NULL;
    me = arg;
    chance = (mix((uint64_t)getpid() << 32 ^ now_ms()) + (uint64_t)(me - shared->workers)) | 1;
    bytes = malloc(around.most);
    while (!stopped() && (!opens || open_store())) {
        for (uint64_t left = opens ? below(1000) : UINT64_MAX; left > 0 && !stopped(); left--)
            work();
        let_all_go();
        if (opens)
            lrd_close(store);
    }
    free(bytes);
    return NULL;
}

/* ---- the parent ---- */

static pid_t pids[WORKERS]; /* 0: none */
static uint64_t kills, hangs, leaks, recoveries;

static uint64_t wrong(void) { return atomic_load(&shared->corrupt) + hangs + leaks; }
static bool caught(void) { return control != NULL && wrong() != 0; }

static void start(unsigned i)
{
    worker *first = shared->workers + i * around.threads;
    pthread_t threads[THREADS];
    pid_t parent = getpid();
    pids[i] = fork();
    if (pids[i] < 0) {
        perror("fork");
        exit(2);
    }
    if (pids[i] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (unsigned t = 1; t < around.threads; t++)
        pthread_create(threads + t, NULL, work_on, first + t);
    work_on(first);
    for (unsigned t = 1; t < around.threads; t++)
        pthread_join(threads[t], NULL);
    _exit(0);
}

static void kill_all(void)
{
    for (unsigned i = 0; i < WORKERS; i++)
        if (pids[i] != 0)
            kill(pids[i], SIGKILL);
}

/* Replace dead workers until the round ends. Kill a process that has a thread without progress for
 * HANG_MS. Returns true while any worker lives. */
static bool replace(void)
{
    static uint64_t seen[WORKERS * THREADS], since[WORKERS * THREADS];
    bool alive = false;
    usleep(1000);
    for (unsigned i = 0; i < WORKERS; i++) {
        int status;
        if (pids[i] != 0 && waitpid(pids[i], &status, WNOHANG) == pids[i]) {
            pids[i] = 0;
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
                kills++;
            else if (!stopped() || status != 0)
                corrupt("a worker ended with status 0x%x", (unsigned)status);
        }
        bool starts = pids[i] == 0 && !stopped();
        if (starts)
            start(i);
        alive |= pids[i] != 0;
        for (unsigned k = i * around.threads; k < (i + 1) * around.threads; k++) {
            uint64_t progress = atomic_load(&shared->workers[k].progress);
            if (starts || pids[i] == 0 || progress != seen[k]) {
                seen[k] = progress;
                since[k] = now_ms();
            } else if (now_ms() - since[k] > HANG_MS) {
                fprintf(stderr, "worker %u hangs\n", k);
                hangs++;
                kill(pids[i], SIGKILL);
            }
        }
    }
    return alive;
}

static void report(void *arg, const char *text)
{
    (void)arg;
    corrupt("fsck: %s", text);
}

/* End the program if the checks after a round take too long: a damaged list may be a ring. */
static void settle_hangs(int signal)
{
    static const char text[] = "the last sweep or lrd_fsck() hangs\n";
    (void)signal;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

/* Check that the memory held by the ended workers is free again. */
static void settle(void)
{
    lrd_stats stats;
    signal(SIGALRM, settle_hangs);
    alarm(6 * HANG_MS / 1000);
    if (lrd_sweep(store, NULL) != LRD_OK || lrd_sweep(store, NULL) != LRD_OK)
        corrupt("the last sweep failed: %s", lrd_error_detail());
    if (lrd_fsck(store, report, NULL) < 0)
        corrupt("fsck: %s", lrd_error_detail());
    lrd_stats_get(store, &stats);
    recoveries += stats.recoveries;
    leaks += left_behind(store, "delay", &stats);
    alarm(0);
}

static void choose(uint64_t seed, const char *path)
{
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_VOLATILE, LRD_VOLATILE,
                                          LRD_VOLATILE, LRD_SESSION,  LRD_PINNED};
    static const uint32_t delays[] = {20, 60, 300, 3000};
    static const uint32_t deaths[] = {3000, 30000, 300000, UINT32_MAX};
    around.seed = chance = seed;
    around.options = (lrd_options){.policy = policies[below(6)],
                                   .size = (4ull << below(3)) * MIB,
                                   .shards = 1u << below(4),
                                   .slots = 256,
                                   .fence = below(4) == 0,
                                   .path = below(4) == 0 ? path : NULL};
    around.threads = around.options.path == NULL && below(4) == 0 ? THREADS : 1;
    around.keys = 16u << below(8);
    around.most = around.options.size / 32 - 100;
    bool large = below(2) == 0;
    for (int i = 0; i < SIZES; i++)
        around.sizes[i] = large ? around.most - below(around.most / 8 * 7) : random_size();
    around.delay = delays[below(4)];
    around.often = below(2) == 0 ? 4 : 16;
    around.death = deaths[below(4)];
}

static void run_round(const char *path)
{
    bool opened = around.options.path == NULL;
    if (opened && !open_store())
        return;
    uint64_t before = wrong(), end = now_ms() + ROUND_MS;
    for (unsigned i = 0; i < WORKERS * THREADS; i++)
        memset(shared->workers[i].owned, 0, sizeof shared->workers[i].owned);
    atomic_store(&shared->stop, 0);
    while (now_ms() < end && !caught()) {
        replace();
        if (!opened && below(50) == 0)
            kill_all();
    }
    atomic_store(&shared->stop, 1);
    if (caught()) /* do not wait for workers: they may loop in broken data */
        kill_all();
    while (replace())
        continue;
    if (!caught() && !opened)
        opened = open_store();
    if (!caught())
        settle();
    if (wrong() != before)
        fprintf(stderr, "in a round with LARDER_SEED=%llu\n", (unsigned long long)around.seed);
    if (opened)
        lrd_close(store);
    unlink(path);
}

static bool set_control(const char *name)
{
    if (strcmp(name, "claim-free-only") == 0)
        return lrd__control_claim_free_only = true;
    if (strcmp(name, "ignore-ledger") == 0)
        return lrd__control_ignore_ledger = true;
    return false;
}

int main(int argc, char **argv)
{
    char directory[] = "/dev/shm/larder-delay-XXXXXX", path[64], lock[80];
    const char *given = getenv("LARDER_SEED");
    uint64_t seconds = 60, rounds = 0, gets = 0, puts = 0, delays = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--control") == 0)
            control = argv[i + 1];
        else
            seconds = strcmp(argv[i], "--seconds") == 0 ? strtoull(argv[i + 1], NULL, 10) : 0;
    if (argc % 2 == 0 || seconds == 0 || (control != NULL && !set_control(control))) {
        fprintf(stderr,
                "usage: delay_test [--seconds N] [--control claim-free-only|ignore-ledger]\n");
        return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(directory) == NULL) {
        perror("delay_test");
        return 2;
    }
    snprintf(path, sizeof path, "%s/store", directory);
    snprintf(lock, sizeof lock, "%s.lock", path);
    for (uint64_t end = now_ms() + seconds * 1000; now_ms() < end && !caught(); rounds++) {
        choose(given != NULL ? strtoull(given, NULL, 0) : mix(now_ms() + rounds) | 1, path);
        run_round(path);
    }
    unlink(lock);
    rmdir(directory);
    for (unsigned i = 0; i < WORKERS * THREADS; i++) {
        gets += shared->workers[i].gets;
        puts += shared->workers[i].puts;
        delays += shared->workers[i].delays;
    }
    printf("rounds=%llu kills=%llu gets=%llu puts=%llu delays=%llu corrupt=%llu hangs=%llu "
           "leaks=%llu recoveries=%llu\n",
           (unsigned long long)rounds, (unsigned long long)kills, (unsigned long long)gets,
           (unsigned long long)puts, (unsigned long long)delays,
           (unsigned long long)shared->corrupt, (unsigned long long)hangs,
           (unsigned long long)leaks, (unsigned long long)recoveries);
    if (wrong() != 0)
        return 1;
    /* Without a kill or a recovery nothing was tested. This is allowed if LARDER_SEED is set: all
     * rounds then have the settings of this seed, and with these perhaps no worker dies. */
    return control == NULL && given == NULL && (kills == 0 || recoveries == 0) ? 2 : 0;
}
