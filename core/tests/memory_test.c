/* memory_test.c - stores larger than the memory of the machine, file system or cgroup. A size that
 * the machine can never have is refused. A size that fits in part is accepted with a warning, and
 * works. */
#include "apart.h"
#include "support.h"

#include "internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static const char *path;

static void check_refused(uint64_t size, const char *named)
{
    lrd_options options = {.size = size, .path = named};
    lrd_store *store = (lrd_store *)1;
    char wanted[40];
    snprintf(wanted, sizeof wanted, "store of %llu MiB", (unsigned long long)(size / MIB));
    CHECK_CODE(lrd_open(&options, &store), LRD_ENOSPC);
    CHECK(store == NULL);
    if (strstr(lrd_error_detail(), wanted) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" does not name %s", lrd_error_detail(), wanted);
    CHECK(strstr(lrd_error_detail(), "this machine has") != NULL ||
          strstr(lrd_error_detail(), "of this cgroup") != NULL);
    CHECK(named == NULL || access(named, F_OK) != 0);
}

static void a_size_that_the_machine_can_never_have_is_refused(void **state)
{
    (void)state;
    path = temp_path("memory");
    lrd__test_memory = 1000ull * MIB;
    for (int named = 0; named < 2; named++) {
        check_refused(200ull << 30, named ? path : NULL);
        CHECK(strstr(lrd_error_detail(), "1000 MiB") != NULL);
        check_refused(1ull << 40, named ? path : NULL);
        check_refused(1001ull * MIB, named ? path : NULL);
    }
    lrd_options options = {.size = 900ull * MIB, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK(stats_of(store).page_bytes == 0);
    lrd_close(store);
    unlink(path);
    lrd__test_memory = 0;
}

/* Mount a file system for the test's files. Returns the folder. */
static const char *mount_apart(const char *options)
{
    static char directory[256];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = 0;
    if (!apart_tmpfs(directory, options))
        _exit(EXIT_CANNOT);
    return directory;
}

typedef struct small_system {
    const char *mount; /* mount options of its file system */
    uint64_t size;     /* size of the store; 0: the default */
    const char *says;
    unsigned puts;
} small_system;

static void open_on_a_small_file_system(void *arg)
{
    const small_system *small = arg;
    char key[32];
    mount_apart(small->mount);
    lrd_options options = {.size = small->size, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    if (strstr(lrd_store_warning(store), small->says) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", lrd_store_warning(store),
                     small->says);
    for (unsigned i = 0; i < small->puts; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 100 + i % 3000, i, LRD_SET, i % 2 * 60000));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    CHECK(stats_of(store).evicted > 0);
    CHECK(stats_of(store).memory_short > 0);
    CHECK_EQ(stats_of(store).refused, 0);
    CHECK(stats_of(store).live_bytes > (small->size != 0 ? 4 * MIB : 40 * MIB));
    CHECK_FSCK(store);
    lrd_close(store);
    /* only the process that creates the store gets the warning */
    CHECK_OK(lrd_open(&options, &store));
    CHECK_EQ(lrd_store_warning(store)[0], 0);
    lrd_close(store);
}

/* The second case has a store of the default size (0) on a file system of 64 MiB, as in /dev/shm of
 * a container. */
static void a_file_system_that_is_too_small_is_warned_of_and_used(void **state)
{
    (void)state;
    static const small_system systems[] = {
        {"size=10m", 16 * MIB, "a store of 16 MiB on a file system of 10 MiB, of which ", 40000},
        {"size=64m", 0, "a store of 64 MiB on a file system of 64 MiB, of which ", 80000},
    };
    path = temp_path("memory");
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        CHECK_CHILD_OR_SKIP(run_in_child(open_on_a_small_file_system, (void *)&systems[i]),
                            "no right to mount");
    }
}

/* ---- a full file system ---- */

static lrd_store *open_apart(const char *mount_options, uint64_t size)
{
    mount_apart(mount_options);
    lrd_options options = {.size = size, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

static void run_apart(void (*fn)(void *))
{
    path = temp_path("memory");
    CHECK_CHILD_OR_SKIP(run_in_child(fn, NULL), "no right to mount");
}

static int fill_system(void)
{
    char filler[256];
    snprintf(filler, sizeof filler, "%s.filler", path);
    int fd = open(filler, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    for (off_t at = 0; fallocate(fd, 0, at, 4096) == 0; at += 4096)
        continue;
    return fd;
}

static void forget_shortage(const char *name, void *store)
{
    if (strcmp(name, "arena_trimmed") == 0)
        atomic_store(&((lrd_store *)store)->header->memory_until, 0);
}

static void put_runs_while_shortage_ends(void *unused)
{
    (void)unused;
    lrd_store *store = open_apart("size=10m", 16 * MIB);
    char key[32];
    unsigned i = 0;
    for (; stats_of(store).memory_short == 0; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 20000, i, LRD_SET, 0));
    }
    failpoint_hook(forget_shortage, store);
    for (unsigned end = i + 500; i < end; i++) {
        snprintf(key, sizeof key, "key %u", i);
        atomic_store(&store->header->memory_until, 0);
        CHECK_OK(put_value(store, key, 20000 + i % 3 * 20000, i, LRD_SET, 0));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    failpoint_hook(NULL, NULL);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* A writer searches for committed memory while memory is short, and the shortage ends during the
 * search. The writer must not write to uncommitted memory, which would end it by SIGBUS. */
static void a_shortage_may_end_at_any_time(void **state)
{
    (void)state;
    run_apart(put_runs_while_shortage_ends);
}

/* Only one free page has memory. A search that prefers pages with memory must find this page,
 * although it lies far behind many free pages without memory. */
static void what_has_memory_is_found_behind_what_has_none(void **state)
{
    (void)state;
    enum { HAS = 400 };
    lrd_store *store = store_new(LRD_VOLATILE, 32 * MIB, 1);
    lrd__thread *self = NULL;
    uint64_t offset;
    uint32_t entry;
    CHECK_OK(lrd__pages_describe(store, store->geo.pages));
    CHECK_OK(lrd__arena_commit(store, (uint64_t)HAS << LRD__PAGE_BITS, LRD__PAGE));
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK_OK(lrd__enter(store, &self));
    CHECK_OK(lrd__shard_lock(store, self, 0));
    CHECK_OK(lrd__arena_try(store, self, 0, 5000, &offset, &entry));
    CHECK_EQ(lrd__page_of(store, offset), HAS);
    lrd__shard_unlock(store, 0);
    lrd__leave(self);
    lrd_close(store);
}

static void *write_without_memory(void *arg)
{
    lrd_store *store = arg;
    lrd_value value;
    char key[32], data[300] = "";
    for (unsigned i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "late %u", i % 50);
        CHECK_OK(lrd_put(store, key, strlen(key), data, 10 + i, NULL));
        CHECK_EQ(stats_of(store).slots_used, 1);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
        CHECK_EQ(value.kind, LRD_KIND_COPY);
        CHECK_EQ(value.size, 10 + i);
        CHECK_OK(lrd_release(store, &value));
    }
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    CHECK_EQ(value.kind, LRD_KIND_COPY);
    CHECK_OK(lrd_release(store, &value));
    CHECK_OK(lrd_delete(store, "late 0", 6));
    CHECK_CODE(lrd_get(store, "late 0", 6, 0, &value), LRD_MISS);
    return NULL;
}

static void *write_with_a_slot(void *arg)
{
    lrd_store *store = arg;
    CHECK_OK(put_value(store, "late", 100, 1, LRD_SET, 0));
    CHECK_EQ(stats_of(store).slots_used, 2);
    return NULL;
}

static void write_beside_who_holds_all(void *unused)
{
    (void)unused;
    lrd_store *store = open_apart("size=8m", 4 * MIB);
    lrd_value value;
    pthread_t thread;
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    CHECK_EQ(value.kind, LRD_KIND_HELD);
    int fd = fill_system();
    CHECK_EQ(pthread_create(&thread, NULL, write_without_memory, store), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(stats_of(store).refused, 0);
    CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_EQ(ftruncate(fd, 0), 0);
    sleep_ms(100);
    CHECK_EQ(pthread_create(&thread, NULL, write_with_a_slot, store), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_FSCK(store);
    close(fd);
    lrd_close(store);
}

static void a_thread_without_memory_for_a_slot_writes_with_a_spare_one(void **state)
{
    (void)state;
    run_apart(write_beside_who_holds_all);
}

static void put_large_where_all_else_is_held(void *unused)
{
    (void)unused;
    enum { VALUES = 10 };
    lrd_store *store = open_apart("size=20m", 16 * MIB);
    lrd_value held[VALUES];
    char key[32];
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 60000, i, LRD_SET, 0));
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &held[i]));
        CHECK_EQ(held[i].kind, LRD_KIND_HELD);
    }
    close(fill_system());
    for (unsigned i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "large %u", i);
        CHECK_OK(put_value(store, key, 16 * MIB / 32, i, LRD_SET, 0));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK(value_valid(held[i].data, held[i].size, key, strlen(key)));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The zone must be committed when the store is created, because later all other memory may be
 * held. */
static void where_the_file_system_is_too_small_the_zone_has_its_memory_at_once(void **state)
{
    (void)state;
    run_apart(put_large_where_all_else_is_held);
}

typedef struct collector {
    lrd_store *store;
    gate marked, done;
    uint64_t mark;
} collector;

static void *collect_all(void *arg)
{
    collector *c = arg;
    CHECK_CODE(lrd_has(c->store, "none", 4), LRD_MISS); /* claims a slot */
    c->mark = lrd__drain_mark(lrd__threads[c->store->id]);
    for (uint64_t p = 0; p < lrd__pages_high(c->store); p++)
        atomic_store(&c->store->pages[p].drain, c->mark);
    gate_open(&c->marked);
    gate_wait(&c->done);
    return NULL;
}

static void put_where_all_is_collected(void *unused)
{
    (void)unused;
    enum { VALUES = 10 };
    static collector c;
    pthread_t thread;
    char key[32];
    char large[3 * 65536] = "";
    /* On this file system, the new store's zone gets no memory. */
    c.store = open_apart("size=128m", 4 * MIB);
    CHECK(!c.store->scarce);
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(c.store, key, 60000, i, LRD_SET, 0));
    }
    CHECK_EQ(pthread_create(&thread, NULL, collect_all, &c), 0);
    gate_wait(&c.marked);
    close(fill_system());
    CHECK(lrd_put(c.store, "large", 5, large, sizeof large, NULL) < 0);
    for (uint64_t p = 0; p < lrd__pages_high(c.store); p++)
        CHECK_EQ(atomic_load(&c.store->pages[p].drain), c.mark);
    gate_open(&c.done);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    sleep_ms(20); /* a failed search is not repeated for some milliseconds */
    CHECK_OK(lrd_put(c.store, "large", 5, large, sizeof large, NULL));
    CHECK_FSCK(c.store);
    lrd_close(c.store);
}

/* Two writers must not collect the same page. Otherwise the first writer could give the page to a
 * new owner, and the second writer could release the page's memory while the new owner uses it. */
static void a_page_is_collected_by_one_writer_at_a_time(void **state)
{
    (void)state;
    run_apart(put_where_all_is_collected);
}

enum { RUNS = 3000, RUN_HOLDERS = 4 };

typedef struct run_holder {
    lrd_store *store;
    unsigned first;
    int told;
} run_holder;

/* Hold every RUN_HOLDERS-th run, beginning with the newest. */
static void hold_runs(void *arg)
{
    const run_holder *holder = arg;
    char key[32];
    for (int i = RUNS - 1 - (int)holder->first; i >= 0; i -= RUN_HOLDERS) {
        lrd_value value;
        snprintf(key, sizeof key, "run %d", i);
        lrd_get(holder->store, key, strlen(key), 0, &value);
    }
    CHECK_EQ(write(holder->told, "x", 1), 1);
    for (;;)
        pause();
}

static void put_large_among_runs(void *unused)
{
    (void)unused;
    lrd_store *store;
    char key[32], *large = calloc(1, 900000);
    pid_t holders[RUN_HOLDERS];
    int told[2], parts = 0;
    mount_apart("size=160m");
    lrd_options options = {.size = 32 * MIB, .shards = 64, .slots = 16, .path = path};
    CHECK_OK(lrd_open(&options, &store));
    CHECK(!store->scarce);
    for (unsigned i = 0; i < RUNS; i++) {
        snprintf(key, sizeof key, "run %u", i);
        CHECK_OK(lrd_put(store, key, strlen(key), large, 40000, NULL));
    }
    for (uint64_t p = 0; p < store->geo.pages; p++)
        parts += store->pages[p].committed != 0 && store->pages[p].committed < LRD__PAGE_PARTS;
    CHECK(parts > 0);
    close(fill_system());
    CHECK_EQ(pipe(told), 0);
    for (unsigned i = 0; i < RUN_HOLDERS; i++) {
        static run_holder holder;
        holder = (run_holder){store, i, told[1]};
        holders[i] = start_child(hold_runs, &holder);
        CHECK_EQ(read(told[0], key, 1), 1);
    }
    for (unsigned i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "large %u", i);
        CHECK_OK(lrd_put(store, key, strlen(key), large, 900000, NULL));
    }
    for (unsigned i = 0; i < RUN_HOLDERS; i++) {
        kill(holders[i], SIGKILL);
        waitpid(holders[i], NULL, 0);
    }
    for (unsigned i = 0; i < 1000 && store->header->zone_fed == 0; i++) {
        /* If an attempt takes long, the core delays the next attempt. Make the next one due now. */
        atomic_store(&store->feed_at, 0);
        CHECK_OK(lrd_put(store, "small", 5, large, 10, NULL));
        /* a write calls lrd__room_feed_zone() at most once in 16 ms (LRD__CHORES_MS) */
        sleep_ms(10);
    }
    CHECK_EQ(store->header->zone_fed, 1);
    CHECK_FSCK(store);
    free(large);
    lrd_close(store);
}

/* The runs of a store leave partly committed pages. A large value and the zone must get the memory
 * of several such pages. */
static void pages_with_some_memory_give_it_to_a_window(void **state)
{
    (void)state;
    run_apart(put_large_among_runs);
}

/* Open stores on file systems of all sizes. A store that opens must have memory for a slot. */
static void open_on_all_sizes(void *unused)
{
    (void)unused;
    char options[32];
    unsigned opened = 0, refused = 0;
    const char *directory = mount_apart("");
    for (unsigned kib = 100; kib <= 1400; kib += 4) {
        lrd_options wanted = {.size = MIB, .path = path};
        lrd_store *store;
        snprintf(options, sizeof options, "size=%uk", kib);
        CHECK_EQ(mount("tmpfs", directory, "tmpfs", 0, options), 0);
        int rc = lrd_open(&wanted, &store);
        if (rc == LRD_OK) {
            CHECK(store->scarce);
            CHECK_OK(put_value(store, "key", 100, kib, LRD_SET, 0));
            CHECK_OK(get_checked(store, "key", NULL, NULL));
            lrd_close(store);
            opened++;
        } else {
            CHECK_CODE(rc, LRD_ENOSPC);
            CHECK(opened == 0);
            refused++;
        }
        CHECK_EQ(umount2(directory, MNT_DETACH), 0);
    }
    CHECK(opened > 0 && refused > 0);
}

static void what_can_be_opened_can_be_written_to(void **state)
{
    (void)state;
    run_apart(open_on_all_sizes);
}

static void write_where_no_slot_was_ever_made(void *unused)
{
    (void)unused;
    lrd_store *store = open_apart("size=128m", 4 * MIB);
    close(fill_system());
    CHECK_CODE(lrd_put(store, "key", 3, "value", 5, NULL), LRD_ENOSLOT);
    CHECK_EQ(store->no_spare_until, 0);
    lrd_close(store);
}

static void a_spare_slot_is_not_waited_for_where_there_is_none(void **state)
{
    (void)state;
    run_apart(write_where_no_slot_was_ever_made);
}

typedef struct borrower {
    lrd_store *store;
    gate had, done;
} borrower;

static void *keep_spare_slot(void *arg)
{
    borrower *b = arg;
    CHECK_OK(lrd__thread_lend(b->store));
    gate_open(&b->had);
    gate_wait(&b->done);
    lrd__thread_end(lrd__threads[b->store->id]);
    return NULL;
}

static void *write_without_any(void *arg)
{
    lrd_store *store = arg;
    CHECK_CODE(lrd_put(store, "late", 4, "value", 5, NULL), LRD_EBUSY);
    /* The first call has waited without success. The process remembers the failure for a while, so
     * that its other calls do not wait. */
    CHECK(atomic_load(&store->no_spare_until) != 0);
    atomic_store(&store->no_spare_until, UINT64_MAX);
    CHECK_CODE(lrd_put(store, "late", 4, "value", 5, NULL), LRD_EBUSY);
    CHECK_CODE(lrd_delete(store, "late", 4), LRD_EBUSY);
    CHECK_EQ(atomic_load(&store->no_spare_until), UINT64_MAX);
    return NULL;
}

typedef struct unlucky {
    lrd_store *store;
    _Atomic bool told;
} unlucky;

static void *write_without_luck(void *arg)
{
    unlucky *u = arg;
    CHECK_CODE(lrd_put(u->store, "late", 4, "value", 5, NULL), LRD_EBUSY);
    atomic_store(&u->told, true);
    return NULL;
}

/* A write fails for lack of a spare slot, although other processes keep giving spare slots back.
 * Other threads must not learn from this failure: they must still wait for a slot. */
static void check_bad_luck_is_not_shared(lrd_store *store)
{
    bool shared = true;
    for (uint64_t end = real_ms() + 60000; shared && real_ms() < end;) {
        unlucky u = {.store = store};
        pthread_t thread;
        atomic_store(&store->no_spare_until, 0);
        CHECK_EQ(pthread_create(&thread, NULL, write_without_luck, &u), 0);
        while (!atomic_load(&u.told)) {
            sleep_ms(2);
            atomic_fetch_add(&lrd__slot_at(store, 0)->incarnation, 1);
        }
        CHECK_EQ(pthread_join(thread, NULL), 0);
        /* On a slow machine, the write may miss that the slot has changed its owner. It then
         * records for all threads of this process that no spare slot becomes free (no_spare_until).
         * In this case, try again. */
        shared = atomic_load(&store->no_spare_until) != 0;
    }
    CHECK(!shared);
}

static void *write_with_a_spare_one(void *arg)
{
    CHECK_OK(lrd_put(arg, "late", 4, "value", 5, NULL));
    return NULL;
}

static void write_where_all_spare_slots_are_had(void *unused)
{
    (void)unused;
    static borrower borrowers[LRD__SLOTS_SPARE];
    pthread_t threads[LRD__SLOTS_SPARE], thread;
    lrd_value value;
    lrd_store *store = open_apart("size=8m", 4 * MIB);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    close(fill_system());
    for (unsigned i = 0; i < LRD__SLOTS_SPARE; i++) {
        borrowers[i].store = store;
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_spare_slot, &borrowers[i]), 0);
        gate_wait(&borrowers[i].had);
    }
    check_bad_luck_is_not_shared(store);
    CHECK_EQ(pthread_create(&thread, NULL, write_without_any, store), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    for (unsigned i = 0; i < LRD__SLOTS_SPARE; i++) {
        gate_open(&borrowers[i].done);
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    CHECK_EQ(pthread_create(&thread, NULL, write_with_a_spare_one, store), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The process's first call waits for a spare slot without success. For a short time after this
 * call, none of its threads may wait again. */
static void spare_slots_that_others_keep_are_waited_for_once(void **state)
{
    (void)state;
    run_apart(write_where_all_spare_slots_are_had);
}

static void put_beside_what_was_read_last(void *unused)
{
    (void)unused;
    enum { ROUNDS = 2000, KEYS = 1000 };
    lrd_store *store = open_apart("size=1072k", 64 * MIB);
    lrd_value value = {.kind = LRD_KIND_NONE};
    char key[32];
    unsigned refused = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        snprintf(key, sizeof key, "key %u", i % KEYS);
        refused += put_value(store, key, 1000, i, LRD_SET, 0) != LRD_OK;
        if (value.kind != LRD_KIND_NONE)
            CHECK_OK(lrd_release(store, &value));
        snprintf(key, sizeof key, "key %u", i * 7 % KEYS);
        if (lrd_get(store, key, strlen(key), 0, &value) != LRD_OK)
            value.kind = LRD_KIND_NONE;
        else
            CHECK(value_valid(value.data, value.size, key, strlen(key)));
    }
    CHECK_EQ(refused, 0);
    /* The value is larger than all memory, so the puts must not wait. */
    struct rusage before, after;
    CHECK_EQ(getrusage(RUSAGE_THREAD, &before), 0);
    for (unsigned i = 0; i < 50; i++) {
        CHECK_CODE(put_value(store, "large", 200000, i, LRD_SET, 0), LRD_ENOSPC);
        sleep_ms(3); /* a failed search is not repeated for 2 ms */
    }
    CHECK_EQ(getrusage(RUSAGE_THREAD, &after), 0);
    CHECK(after.ru_nvcsw - before.ru_nvcsw < 2 * 50);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void where_one_page_has_memory_what_is_held_in_it_bars_no_write(void **state)
{
    (void)state;
    run_apart(put_beside_what_was_read_last);
}

/* ---- cgroups ---- */

static bool write_text(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return good;
}

static uint64_t read_number(const char *file)
{
    char text[64] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strtoull(text, NULL, 10);
}

/* the files of a cgroup, in version 2 and in version 1 */
static const struct {
    const char *root, *limit, *used;
} groups[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current"},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
};
static char group_path[2][64];
#define GROUP_LIMIT (256ull * MIB)

/* Move this process into a cgroup with a memory limit. Returns false if the system forbids it. */
static bool enter_group(int version, char *used, size_t size)
{
    char file[128], text[32];
    if (mkdir(group_path[version], 0755) != 0)
        return false;
    snprintf(file, sizeof file, "%s/%s", group_path[version], groups[version].limit);
    snprintf(text, sizeof text, "%llu", GROUP_LIMIT);
    if (access(file, F_OK) != 0 || !write_text(file, text))
        return false;
    snprintf(file, sizeof file, "%s/cgroup.procs", group_path[version]);
    snprintf(text, sizeof text, "%d", (int)getpid());
    snprintf(used, size, "%s/%s", group_path[version], groups[version].used);
    return write_text(file, text);
}

static void one_sentence(uint64_t size, const char *named, const char *limit)
{
    check_refused(size, named);
    CHECK(strstr(lrd_error_detail(), limit) != NULL);
    CHECK(strchr(lrd_error_detail(), '\n') == NULL && strstr(lrd_error_detail(), ". ") == NULL);
}

static bool is_warned_of(uint64_t size, uint64_t beside)
{
    lrd_options options = {.size = size, .reserve_for_others = beside};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    bool warned = strstr(lrd_store_warning(store), "limit of this cgroup") != NULL;
    if (!warned)
        CHECK_EQ(lrd_store_warning(store)[0], 0);
    lrd_close(store);
    return warned;
}

static void open_in_a_limited_group(void *unused)
{
    char used[128];
    lrd_store *store;
    (void)unused;
    if (!enter_group(0, used, sizeof used) && !enter_group(1, used, sizeof used))
        _exit(EXIT_CANNOT);
    uint64_t before = read_number(used);
    for (int named = 0; named < 2; named++) {
        one_sentence(200ull << 30, named ? path : NULL, " MiB");
        one_sentence(1ull << 40, named ? path : NULL, " MiB");
        one_sentence(300ull * MIB, named ? path : NULL, "limit of this cgroup, 256 MiB");
    }
    CHECK(read_number(used) < before + 2 * MIB);
    /* the store also has an index, so it needs more than 256 MiB */
    CHECK(is_warned_of(240 * MIB, 0));
    CHECK(!is_warned_of(100 * MIB, 0));
    CHECK(!is_warned_of(100 * MIB, 100 * MIB));
    CHECK(is_warned_of(100 * MIB, 150 * MIB));
    lrd_options options = {.size = 32 * MIB, .path = path};
    CHECK_OK(lrd_open(&options, &store));
    for (unsigned i = 0; i < 2000; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 30000, i, LRD_SET, 0));
    }
    CHECK_EQ(stats_of(store).refused, 0);
    CHECK(read_number(used) < GROUP_LIMIT);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_real_cgroup_is_heeded(void **state)
{
    (void)state;
    path = temp_path("memory");
    for (int version = 0; version < 2; version++)
        snprintf(group_path[version], sizeof group_path[version], "%s/larder-test-%d",
                 groups[version].root, (int)getpid());
    int status = run_in_child(open_in_a_limited_group, NULL);
    unlink(path);
    for (int version = 0; version < 2; version++)
        rmdir(group_path[version]);
    CHECK_CHILD_OR_SKIP(status, "no right to make a cgroup with a limit of memory");
}

/* Imitate cgroups of version 2, for machines that have version 1. */
static void open_with_files_as_groups(void *unused)
{
    char groups_text[4096] = "", *line = groups_text;
    (void)unused;
    int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, groups_text, sizeof groups_text - 1) > 0);
    close(fd);
    while (line != NULL && strncmp(line, "0::", 3) != 0)
        line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL;
    if (line == NULL || !apart_tmpfs("/sys/fs/cgroup", "size=1m"))
        _exit(EXIT_CANNOT);
    CHECK(write_text("/sys/fs/cgroup/memory.max", "314572800\n"));
    lrd_options options = {.size = 8 * MIB};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
    one_sentence(400ull * MIB, NULL, "limit of this cgroup, 300 MiB");
    CHECK(!is_warned_of(200 * MIB, 0));
    CHECK(write_text("/sys/fs/cgroup/memory.current", "209715200\n"));
    CHECK(is_warned_of(200 * MIB, 0));
    CHECK(write_text("/sys/fs/cgroup/memory.stat",
                     "anon 1\ninactive_file 100000000\nactive_file 50000000\n"));
    /* File pages count as free memory, because the kernel can drop them. */
    CHECK(!is_warned_of(200 * MIB, 0));
    CHECK(write_text("/sys/fs/cgroup/memory.max", "max\n       "));
    options.size = 400ull * MIB;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
}

static void the_limit_of_a_cgroup_above_counts(void **state)
{
    (void)state;
    path = temp_path("memory");
    CHECK_CHILD_OR_SKIP(run_in_child(open_with_files_as_groups, NULL),
                        "no right to mount, or no cgroups");
}

static long long blocks_of(const char *name)
{
    struct stat file;
    CHECK(stat(name, &file) == 0);
    return (long long)file.st_blocks * 512;
}

static void put_runs(lrd_store *store, unsigned count, size_t size, uint64_t seed)
{
    for (unsigned i = 0; i < count; i++) {
        char key[16];
        snprintf(key, sizeof key, "run %u", i);
        CHECK_OK(put_value(store, key, size, seed + i, LRD_SET, 0));
    }
}

static void check_runs(lrd_store *store, unsigned count, size_t size, uint64_t seed)
{
    for (unsigned i = 0; i < count; i++) {
        char key[16];
        size_t had;
        uint64_t with;
        snprintf(key, sizeof key, "run %u", i);
        CHECK_OK(get_checked(store, key, &had, &with));
        CHECK_EQ(had, size);
        CHECK_EQ(with, seed + i);
    }
}

/* A new store must reuse the memory of replaced values, because new memory is more expensive. */
static void what_is_replaced_walks_through_little_memory(void **state)
{
    (void)state;
    enum { VALUES = 32, SIZE = 24000, TIMES = 8 };
    const char *name = temp_path("replaced");
    lrd_options options = {.size = 64 * MIB, .slots = 16, .path = name};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    put_runs(store, VALUES, SIZE, 1);
    long long before = blocks_of(name);
    for (uint64_t i = 1; i <= TIMES; i++)
        put_runs(store, VALUES, SIZE, 100 * i);
    long long taken = blocks_of(name) - before;
    print_message("%d times %d values of %d bytes again: %lld bytes\n", TIMES, VALUES, SIZE, taken);
    CHECK(taken < 2LL * VALUES * SIZE);
    check_runs(store, VALUES, SIZE, 100 * TIMES);
    CHECK_FSCK(store);
    lrd_close(store);
}

static long faults_so_far(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_minflt;
}

/* Return true if one page fault maps several pages for writing. */
static bool kernel_maps_around(void)
{
    enum { BYTES = 64 << 10 };
    static const uint8_t zeros[BYTES];
    int fd = memfd_create("around", 0);
    CHECK(fd >= 0 && pwrite(fd, zeros, BYTES, 0) == BYTES);
    uint8_t *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(at != MAP_FAILED);
    long before = faults_so_far();
    (void)*(volatile uint8_t *)at;
    for (size_t i = 0; i < BYTES; i += 4096)
        ((volatile uint8_t *)at)[i] = 1;
    long faults = faults_so_far() - before;
    munmap(at, BYTES);
    close(fd);
    return faults <= 4;
}

static size_t pages_not_mapped(const void *memory, size_t bytes)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE), missing = 0;
    uint64_t entry, first = (uintptr_t)memory / size, last = ((uintptr_t)memory + bytes - 1) / size;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    for (uint64_t page = first; page <= last; page++) {
        CHECK(pread(fd, &entry, sizeof entry, (off_t)(page * sizeof entry)) == sizeof entry);
        missing += entry >> 63 == 0;
    }
    close(fd);
    return missing;
}

/* A value may begin in the page where the previous value ends. All pages of the value must be
 * mapped before the value is written. */
static void a_value_in_new_memory_is_mapped_at_once(void **state)
{
    (void)state;
    enum { VALUES = 64, SIZE = 23000 };
    lrd_options options = {.size = 64 * MIB, .slots = 16, .shards = 1};
    lrd_store *store;
    size_t missing = 0;
    if (!kernel_populates() || access("/proc/self/pagemap", R_OK) != 0)
        skip_test("this kernel maps a page at each fault, or does not tell");
    CHECK_OK(lrd_open(&options, &store));
    for (unsigned i = 0; i < VALUES; i++) {
        lrd_reservation reservation;
        char key[16];
        int length = snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(lrd_reserve(store, key, (size_t)length, SIZE, 1, &reservation));
        missing += pages_not_mapped(reservation.build, SIZE);
        memset(reservation.build, 1, SIZE);
        CHECK_OK(lrd_publish(store, &reservation, LRD_SET, 0, 0));
    }
    print_message("%d values of %d bytes: %zu pages not mapped\n", VALUES, SIZE, missing);
    CHECK(missing == 0);
    lrd_close(store);
}

enum { SMALL_VALUES = 3000, SMALL_SIZE = 1000, SMALL_PARTS = SMALL_VALUES * 1056 / 4096 };

/* Put SMALL_VALUES small values and check them. Returns the number of page faults. */
static long faults_of_small_values(lrd_store *store, uint64_t tag)
{
    char key[32];
    CHECK_OK(put_value(store, "first", SMALL_SIZE, 1, LRD_SET, 0));
    long before = faults_so_far();
    for (unsigned i = 0; i < SMALL_VALUES; i++) {
        snprintf(key, sizeof key, "small %u", i);
        CHECK_OK(put_value(store, key, SMALL_SIZE, tag + i, LRD_SET, 0));
    }
    long faults = faults_so_far() - before;
    for (unsigned i = 0; i < SMALL_VALUES; i++) {
        snprintf(key, sizeof key, "small %u", i);
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    return faults;
}

static void store_small_values_in_a_child(void *store)
{
    long faults = faults_of_small_values(store, 2);
    print_message("%d values in %d parts, in a child: %ld faults\n", SMALL_VALUES, SMALL_PARTS,
                  faults);
    CHECK(faults < SMALL_PARTS / 2);
}

/* Nothing is mapped in the child yet. The child reuses memory that its parent has used, and must
 * map several parts of this memory with one fault. */
static void small_values_are_mapped_with_what_lies_around(void **state)
{
    (void)state;
    lrd_options options = {.size = 64 * MIB, .slots = 16, .shards = 1};
    lrd_store *store;
    if (!kernel_maps_around())
        skip_test("this kernel maps one page at a fault");
    CHECK_OK(lrd_open(&options, &store));
    for (uint64_t tag = 1; tag < 4; tag++)
        faults_of_small_values(store, tag);
    CHECK_CHILD(run_in_child(store_small_values_in_a_child, store));
    CHECK_FSCK(store);
    lrd_close(store);
}

enum { COUNTERS = 20000, COUNTERS_PARTS = COUNTERS * 64 / 4096 };

static void set_counters_in_a_child(void *store)
{
    char key[32];
    lrd_value value;
    CHECK_OK(lrd_counter_set(store, "first", 5, 1, 0));
    /* Read all counters first, so that the index and the values are mapped for reading. After that,
     * only writes cause page faults. */
    for (unsigned i = 0; i < COUNTERS; i++) {
        int length = snprintf(key, sizeof key, "counter %u", i);
        CHECK_OK(lrd_get(store, key, (size_t)length, 0, &value));
        CHECK(lrd_counter_value(&value) == (int64_t)i);
        CHECK_OK(lrd_release(store, &value));
    }
    long before = faults_so_far();
    for (unsigned i = 0; i < COUNTERS; i++) {
        int length = snprintf(key, sizeof key, "counter %u", i);
        CHECK_OK(lrd_counter_set(store, key, (size_t)length, i + 1, 0));
    }
    long faults = faults_so_far() - before;
    print_message("%d counters in %d parts: %ld faults\n", COUNTERS, COUNTERS_PARTS, faults);
    CHECK(faults < COUNTERS_PARTS / 2);
    CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
    CHECK(lrd_counter_value(&value) == COUNTERS);
    CHECK_OK(lrd_release(store, &value));
}

/* Counters are written in place, through another mapping than the one for reads. */
static void counters_are_mapped_with_what_lies_around(void **state)
{
    (void)state;
    lrd_options options = {.size = 64 * MIB, .slots = 16, .shards = 1};
    lrd_store *store;
    char key[32];
    if (!kernel_maps_around())
        skip_test("this kernel maps one page at a fault");
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(lrd_counter_set(store, "first", 5, 0, 0));
    for (unsigned i = 0; i < COUNTERS; i++) {
        int length = snprintf(key, sizeof key, "counter %u", i);
        CHECK_OK(lrd_counter_set(store, key, (size_t)length, i, 0));
    }
    CHECK_CHILD(run_in_child(set_counters_in_a_child, store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* A run page is committed only up to the end of its last value. An adopter and lrd_fsck() must
 * handle such a page. */
static void runs_take_memory_for_what_lies_there(void **state)
{
    (void)state;
    const char *name = temp_path("runs");
    lrd_options options = {.size = 64 * MIB, .slots = 16, .path = name};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    put_runs(store, 1, 18000, 1); /* the first put also commits the index and a slot */
    long long before = blocks_of(name);
    put_runs(store, 8, 18000, 1);
    long long taken = blocks_of(name) - before;
    print_message("8 values of 18,000 bytes: %lld bytes\n", taken);
    CHECK(taken < 8 * 24 * 1024);
    const size_t sizes[] = {9000,   18000,  24576,          30001,  65536,
                            100000, 300000, 1 * MIB - 5000, 2 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put_runs(store, 7, sizes[i], 100 * i);
        check_runs(store, 7, sizes[i], 100 * i);
        CHECK_FSCK(store);
        lrd_close(store);
        CHECK_OK(lrd_open(&options, &store));
        check_runs(store, 7, sizes[i], 100 * i);
        CHECK_FSCK(store);
    }
    lrd_close(store);
}

static void put_above_the_limit_of_files(void *store)
{
    struct rlimit limit = {4 * MIB, 4 * MIB};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    put_runs(store, 20, 200000, 1);
    check_runs(store, 20, 200000, 1);
}

static void a_process_that_may_not_write_large_files_stores_large_values(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 0);
    CHECK_CHILD(run_in_child(put_above_the_limit_of_files, store));
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_the_machine_can_never_have_is_refused),
        cmocka_unit_test(a_file_system_that_is_too_small_is_warned_of_and_used),
        cmocka_unit_test(a_shortage_may_end_at_any_time),
        cmocka_unit_test(what_has_memory_is_found_behind_what_has_none),
        cmocka_unit_test(a_thread_without_memory_for_a_slot_writes_with_a_spare_one),
        cmocka_unit_test(where_the_file_system_is_too_small_the_zone_has_its_memory_at_once),
        cmocka_unit_test(a_page_is_collected_by_one_writer_at_a_time),
        cmocka_unit_test(pages_with_some_memory_give_it_to_a_window),
        cmocka_unit_test(what_can_be_opened_can_be_written_to),
        cmocka_unit_test(a_spare_slot_is_not_waited_for_where_there_is_none),
        cmocka_unit_test(spare_slots_that_others_keep_are_waited_for_once),
        cmocka_unit_test(what_is_replaced_walks_through_little_memory),
        cmocka_unit_test(a_value_in_new_memory_is_mapped_at_once),
        cmocka_unit_test(small_values_are_mapped_with_what_lies_around),
        cmocka_unit_test(counters_are_mapped_with_what_lies_around),
        cmocka_unit_test(runs_take_memory_for_what_lies_there),
        cmocka_unit_test(a_process_that_may_not_write_large_files_stores_large_values),
        cmocka_unit_test(where_one_page_has_memory_what_is_held_in_it_bars_no_write),
        cmocka_unit_test(a_real_cgroup_is_heeded),
        cmocka_unit_test(the_limit_of_a_cgroup_above_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
