/* pressure_test.c - a volatile store that is full in every way at once must not refuse a value for
 * which it can make room.
 *
 * pressure_test [--seconds N] [--control NAME]
 *
 * - A round takes about two seconds. It has a store of 8 to 64 MiB, in a memfd or on a file system
 *   that is too small for the store.
 * - At first the store is filled with values of all sizes, or with small values, which fill the
 *   index before the memory. Then writers put values of 1 byte to 1/32 of the data.
 * - Holders (processes of 1 to 1,000 threads in all) hold as many values as possible, some for
 *   ever.
 * - Processes are killed one by one.
 *
 * The last line of the output is:
 *
 * rounds=N puts=N refused=N busy=N kills=N evicted=N short=N corrupt=N
 *
 * refused: failed puts; LRD_EBUSY does not count. Exit code: 0 if no put was refused and lrd_fsck()
 * found nothing, 1 otherwise, 2 usage. With --control the core is broken on purpose, in a build
 * with LRD_CONTROLS, and the program must end with 1. Controls: no-zone (held values may lie
 * anywhere), no-evict (a full file system is an error; 77 if a file system cannot be mounted). */
#include "larder_admin.h"

#include "apart.h"
#include "internal.h"
#include "values.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define WRITERS 3
#define HOLDERS 4
#define CHILDREN (WRITERS + HOLDERS)
#define THREADS_MAX 1000u
#define ROUND_MS 2000u
#define KILL_MS 40u
/* A control runs for at least this number of rounds, which a fast machine does in 60 seconds. */
#define CONTROL_ROUNDS 30u
#define STACK (96u << 10)

static struct shared {
    _Atomic uint64_t puts, refused, busy, corrupt, held, copies;
    _Atomic uint32_t said;
} * shared;

static struct {
    lrd_store *store;
    uint64_t size;
    uint32_t threads;
    uint32_t keys;
    size_t most; /* bytes of the largest value */
    const char *directory;
    /* true for the control that needs a full file system in each round */
    bool short_always;
} around;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_ms(unsigned ms)
{
    struct timespec pause = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static size_t key_make(char key[24], uint32_t number)
{
    return (size_t)snprintf(key, 24, "pressure:%u", number);
}

/* Return a random size of at most `most` bytes. Its upper bound is a random power of two or `most`,
 * so small sizes are frequent. */
static size_t random_size(uint64_t *chance, size_t most)
{
    size_t bound = (size_t)2 << random_below(chance, 40);
    return 1 + random_below(chance, bound < most ? bound : most);
}

/* ---- children ---- */

static void complain(int code, size_t size)
{
    if (atomic_fetch_add(&shared->said, 1) < 5)
        fprintf(stderr, "%zu bytes of %llu: %s: %s\n", size, (unsigned long long)around.size,
                lrd_error_name(code), lrd_error_detail());
}

static void put_one(uint64_t *chance, char *buffer)
{
    char key[24];
    size_t key_len = key_make(key, (uint32_t)random_below(chance, around.keys));
    size_t size = random_size(chance, around.most);
    uint64_t ttl = random_below(chance, 4) == 0 ? 1 + random_below(chance, 3000) : 0;
    value_fill(buffer, size, key, key_len, random_next(chance));
    int rc = lrd_put(around.store, key, key_len, buffer, size, &(lrd_write){.ttl_ms = ttl});
    atomic_fetch_add(&shared->puts, 1);
    if (rc == LRD_EBUSY) {
        atomic_fetch_add(&shared->busy, 1);
    } else if (rc != LRD_OK) {
        atomic_fetch_add(&shared->refused, 1);
        complain(rc, size);
    }
}

static void write_on(uint64_t chance)
{
    char *buffer = malloc(around.most);
    for (;;)
        put_one(&chance, buffer);
}

/* Hold values for a while or for ever. Before a release, check that the value has not changed. */
static void *hold_on(void *arg)
{
    uint64_t chance = (uint64_t)(uintptr_t)arg;
    lrd_value *held = malloc(1024 * sizeof *held);
    uint32_t *numbers = malloc(1024 * sizeof *numbers);
    char key[24];
    for (;;) {
        uint32_t count = 0, wanted = 1 + (uint32_t)random_below(&chance, 1 + 2000 / around.threads);
        for (uint32_t i = 0; i < 4 * wanted && count < wanted && count < 1000; i++) {
            numbers[count] = (uint32_t)random_below(&chance, around.keys);
            size_t key_len = key_make(key, numbers[count]);
            if (lrd_get(around.store, key, key_len, 0, held + count) != LRD_OK)
                continue;
            atomic_fetch_add(held[count].kind == LRD_KIND_HELD ? &shared->held : &shared->copies,
                             1);
            count++;
        }
        if (random_below(&chance, 3) == 0)
            for (;;)
                pause();
        wait_ms(50 + (unsigned)random_below(&chance, 400));
        for (uint32_t i = 0; i < count; i++) {
            size_t key_len = key_make(key, numbers[i]);
            if (!value_valid(held[i].data, held[i].size, key, key_len))
                atomic_fetch_add(&shared->corrupt, 1);
            lrd_release(around.store, held + i);
        }
    }
    return NULL;
}

static pid_t start(unsigned number, uint64_t seed)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    if (number < WRITERS)
        write_on(seed);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (uint32_t i = 1; i < around.threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, hold_on, (void *)(uintptr_t)(seed + i * 7919)) != 0)
            break;
    }
    hold_on((void *)(uintptr_t)seed);
    _exit(0);
}

/* ---- rounds ---- */

/* Mount a tmpfs of this size over the directory. Returns false if not permitted. */
static bool mount_small(uint64_t bytes)
{
    char limit[40];
    snprintf(limit, sizeof limit, "size=%lluk", (unsigned long long)bytes >> 10);
    return apart_tmpfs(around.directory, limit);
}

static void report(void *violations, const char *text)
{
    fprintf(stderr, "fsck: %s\n", text);
    ++*(uint64_t *)violations;
}

static bool open_store(uint64_t *chance, bool *mounted)
{
    static const uint32_t threads[] = {1, 4, 25, THREADS_MAX / HOLDERS};
    char path[256];
    lrd_options options = {.size = (uint64_t)(8u << random_below(chance, 4)) * MIB, .slots = 1200};
    around.threads = around.short_always ? 1 : threads[random_below(chance, 4)];
    around.size = options.size;
    /* Leave memory for all slots: this program does not test a lack of slots. */
    uint64_t slots = lrd__slot_begin(around.threads * HOLDERS + 40);
    if (around.short_always)
        *mounted = mount_small(lrd__slot_begin(CHILDREN + 1) + options.size / 2);
    else
        *mounted =
            random_below(chance, 3) != 0 && mount_small(slots + 2 * MIB + options.size / 2 +
                                                        random_below(chance, options.size / 2));
    snprintf(path, sizeof path, "%s/store", around.directory);
    if (*mounted)
        options.path = path;
    int rc = lrd_open(&options, &around.store);
    if (rc != LRD_OK)
        fprintf(stderr, "lrd_open: %s: %s\n", lrd_error_name(rc), lrd_error_detail());
    return rc == LRD_OK;
}

static void fill_store(uint64_t *chance)
{
    char *buffer = malloc(around.most), key[24];
    /* Many small values fill the index before they fill the memory. */
    bool small = !around.short_always && around.size <= 16 * MIB && random_below(chance, 2) == 0;
    around.keys = small ? (uint32_t)(around.size / 40) : (uint32_t)(around.size / 8000);
    for (uint32_t i = 0; i < around.keys; i++) {
        if (!small) {
            put_one(chance, buffer);
            continue;
        }
        size_t key_len = key_make(key, i);
        value_fill(buffer, 9, key, key_len, i);
        if (lrd_put(around.store, key, key_len, buffer, 9, NULL) != LRD_OK)
            atomic_fetch_add(&shared->refused, 1);
    }
    free(buffer);
}

static uint64_t kill_some(uint64_t *chance)
{
    pid_t children[CHILDREN];
    uint64_t kills = 0, end = now_ms() + ROUND_MS;
    for (unsigned i = 0; i < CHILDREN; i++)
        children[i] = start(i, random_next(chance) | 1);
    for (; now_ms() < end; kills++) {
        unsigned victim = (unsigned)random_below(chance, CHILDREN);
        wait_ms(KILL_MS);
        kill(children[victim], SIGKILL);
        waitpid(children[victim], NULL, 0);
        children[victim] = start(victim, random_next(chance) | 1);
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    return kills;
}

static bool set_control(const char *name)
{
#ifdef LRD_CONTROLS
    if (strcmp(name, "no-zone") == 0)
        return lrd__control_no_zone = true;
    if (strcmp(name, "no-evict") == 0)
        return lrd__control_no_evict = true;
#endif
    (void)name;
    return false;
}

int main(int argc, char **argv)
{
    unsigned seconds = 60, rounds = 0;
    char directory[] = "/dev/shm/larder-pressure-XXXXXX";
    const char *control = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--control") == 0)
            control = argv[i + 1];
        else
            argc = 0;
    }
    if (argc % 2 != 1 || seconds == 0 || (control != NULL && !set_control(control))) {
        fprintf(stderr, "usage: pressure_test [--seconds N] [--control NAME]\n");
        return 2;
    }
    const char *given = getenv("LARDER_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : now_ms() | 1, chance = seed;
    printf("LARDER_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(directory) == NULL)
        return 2;
    around.directory = directory;
    if (control != NULL && strcmp(control, "no-evict") == 0) {
        if (!mount_small(MIB)) {
            rmdir(directory);
            printf("a file system cannot be mounted here\n");
            return 77;
        }
        umount(directory);
        around.short_always = true;
    }
    uint64_t kills = 0, evicted = 0, memory_short = 0, violations = 0;
    uint64_t end = now_ms() + seconds * 1000ull;
    for (; now_ms() < end || (control != NULL && rounds < CONTROL_ROUNDS); rounds++) {
        bool mounted;
        lrd_stats stats;
        if (!open_store(&chance, &mounted))
            return 1;
        around.most = around.size / 32;
        fill_store(&chance);
        kills += kill_some(&chance);
        lrd_sweep(around.store, NULL);
        if (lrd_fsck(around.store, report, &violations) < 0)
            violations++;
        lrd_stats_get(around.store, &stats);
        evicted += stats.evicted;
        memory_short += stats.memory_short;
        lrd_close(around.store);
        if (mounted)
            umount(directory);
        if (control != NULL && atomic_load(&shared->refused) > 0)
            break;
    }
    rmdir(directory);
    printf(
        "rounds=%u puts=%llu refused=%llu busy=%llu kills=%llu evicted=%llu short=%llu held=%llu "
        "copies=%llu corrupt=%llu\n",
        rounds, (unsigned long long)shared->puts, (unsigned long long)shared->refused,
        (unsigned long long)shared->busy, (unsigned long long)kills, (unsigned long long)evicted,
        (unsigned long long)memory_short, (unsigned long long)shared->held,
        (unsigned long long)shared->copies, (unsigned long long)(shared->corrupt + violations));
    return shared->refused != 0 || shared->corrupt + violations != 0;
}
