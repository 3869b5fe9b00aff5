/* support.c - helpers of the tests, see support.h. The private directory and the counters of fail
 * points are set up before main(), so that children share them. */
#include "support.h"

#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- checks ---- */

static pid_t test_pid;

static void fail_here(const char *file, int line)
{
    if (getpid() == test_pid && (pid_t)syscall(SYS_gettid) == test_pid)
        _fail(file, line);
    _exit(EXIT_CHECK_FAILED);
}

static char context[128];

void check_context(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
}

void check_failed(const char *file, int line, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: %s%s%s\n", file, line, text, context[0] != '\0' ? ", " : "", context);
    fail_here(file, line);
}

void check_equal(const char *file, int line, const char *what, long long got, long long wanted)
{
    if (got != wanted)
        check_failed(file, line, "%s is %lld, not %lld", what, got, wanted);
}

void check_code(const char *file, int line, const char *what, int got, int wanted)
{
    if (got != wanted)
        check_failed(file, line, "%s gave %s (%s), not %s", what, lrd_error_name(got),
                     got < 0 ? lrd_error_detail() : lrd_strerror(got), lrd_error_name(wanted));
}

static void print_violation(void *arg, const char *text)
{
    int *printed = arg;
    if ((*printed)++ < 20)
        fprintf(stderr, "fsck: %s\n", text);
}

void check_fsck(const char *file, int line, lrd_store *store)
{
    int printed = 0;
    int found = lrd_fsck(store, print_violation, &printed);
    if (found < 0)
        check_failed(file, line, "lrd_fsck gave %s (%s)", lrd_error_name(found),
                     lrd_error_detail());
    if (found > 0 || printed > 0)
        check_failed(file, line, "lrd_fsck found %d violations and reported %d", found, printed);
}

void skip_test(const char *reason)
{
    fprintf(stderr, "skipped: %s\n", reason);
    skip();
}

/* ---- clock, chance, memory ---- */

void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        abort();
    }
    return memory;
}

void *zeroed(size_t count, size_t size)
{
    size_t bytes = LRD__ALIGN_UP(count * size, 64);
    void *memory = aligned_alloc(64, bytes);
    CHECK(memory != NULL);
    return memset(memory, 0, bytes);
}

test_clock *clock_new(void)
{
    test_clock *clock = shared_memory(sizeof *clock);
    atomic_store(clock, 1000000);
    return clock;
}

uint64_t clock_read(void *clock) { return atomic_load((test_clock *)clock); }

uint64_t real_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void sleep_ms(unsigned ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

bool kernel_populates(void)
{
/* the same condition as in map.c */
#if defined(MADV_POPULATE_WRITE) && !defined(LRD_SINGLE_ALIAS)
    int fd = memfd_create("empty", MFD_CLOEXEC);
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(fd >= 0 && at != MAP_FAILED);
    bool does = madvise(at, 4096, MADV_POPULATE_WRITE) != 0 && errno == EFAULT;
    munmap(at, 4096);
    close(fd);
    return does;
#else
    return false;
#endif
}

uint64_t test_seed(uint64_t standard)
{
    const char *text = getenv("LARDER_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : standard;
    if (seed == 0)
        seed = 1;
    fprintf(stderr, "LARDER_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* ---- stores ---- */

lrd_store *store_with_clock(lrd_policy policy, uint64_t size, uint32_t shards, test_clock *clock)
{
    lrd_options options = {.policy = policy, .size = size, .shards = shards, .slots = 64};
    lrd_store *store = NULL;
    if (clock != NULL) {
        options.clock_ms = clock_read;
        options.clock_arg = clock;
    }
    CHECK_OK(lrd_open(&options, &store));
    return store;
}

lrd_store *store_new(lrd_policy policy, uint64_t size, uint32_t shards)
{
    return store_with_clock(policy, size, shards, NULL);
}

lrd_store *store_open_named(const lrd_options *options, bool created)
{
    lrd_store *store = NULL;
    lrd_info info;
    CHECK_OK(lrd_open(options, &store));
    lrd_store_info(store, &info);
    CHECK_EQ(info.created, created);
    return store;
}

static char temp_directory[64];

static void temp_remove(void)
{
    if (temp_directory[0] == '\0' || getpid() != test_pid)
        return;
    DIR *directory = opendir(temp_directory);
    if (directory == NULL)
        return;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(temp_directory);
}

const char *temp_path(const char *name)
{
    static char path[256];
    if (temp_directory[0] == '\0') {
        char template[] = "/dev/shm/larder-test-XXXXXX";
        if (mkdtemp(template) == NULL) {
            perror(template);
            abort();
        }
        memcpy(temp_directory, template, sizeof template);
        atexit(temp_remove);
    }
    snprintf(path, sizeof path, "%s/%s", temp_directory, name);
    return path;
}

lrd_stats stats_of(lrd_store *store)
{
    lrd_stats stats;
    CHECK_OK(lrd_stats_get(store, &stats));
    return stats;
}

void touch_all_shards(lrd_store *store)
{
    for (uint32_t shard = 0; shard < store->geo.shards; shard++) {
        CHECK_OK(lrd__shard_lock(store, NULL, shard));
        lrd__shard_unlock(store, shard);
    }
}

uint64_t content_of(lrd_store *store)
{
    lrd_stats stats = stats_of(store);
    uint64_t facts[4] = {stats.entries, stats.live_bytes, stats.dead_bytes, 0};
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    int code;
    while ((code = lrd_next(store, &cursor, &value)) == LRD_OK) {
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        facts[3] += checksum(entry.key, entry.key_len) * 3 ^ checksum(value.data, value.size) ^
                    checksum(&entry.version, 8) ^ value.type;
    }
    CHECK_CODE(code, LRD_END);
    return checksum(facts, sizeof facts);
}

uint64_t allocated_bytes(const lrd_store *store)
{
    uint64_t bytes = 0;
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner != 0 && owner != LRD__OWNER_LOST)
            bytes += (uint64_t)lrd__class_size(lrd__owner_class(owner)) * store->pages[page].used;
    }
    return bytes;
}

uint32_t keylocks_used(const lrd_store *store)
{
    uint32_t used = 0;
    for (uint32_t chunk = 0; chunk < store->geo.keylock_chunks; chunk++)
        for (uint32_t i = 0; store->keylock_owners[chunk] != 0 && i < LRD__KEYLOCK_CHUNK; i++) {
            const lrd__keylock *row = store->keylocks + chunk * LRD__KEYLOCK_CHUNK + i;
            used += row->token != 0 || row->waiters != 0;
        }
    return used;
}

/* ---- values ---- */

int put_value(lrd_store *store, const char *key, size_t size, uint64_t seed, lrd_mode mode,
              uint64_t ttl_ms)
{
    lrd_reservation reservation;
    size_t key_len = strlen(key);
    int code = lrd_reserve(store, key, key_len, size, 0, &reservation);
    if (code != LRD_OK)
        return code;
    value_fill(reservation.build, size, key, key_len, seed);
    code = lrd_publish(store, &reservation, mode, ttl_ms, 0);
    if (code == LRD_EBUSY)
        CHECK_OK(lrd_abort(store, &reservation));
    return code;
}

int get_checked(lrd_store *store, const char *key, size_t *size, uint64_t *seed)
{
    lrd_value value;
    size_t key_len = strlen(key);
    int code = lrd_get(store, key, key_len, 0, &value);
    if (code != LRD_OK)
        return code;
    if (!value_valid(value.data, value.size, key, key_len))
        check_failed(__FILE__, __LINE__, "the value of \"%s\" (%zu bytes) is damaged", key,
                     value.size);
    if (size != NULL)
        *size = value.size;
    if (seed != NULL)
        *seed = value_seed(value.data, value.size);
    CHECK_OK(lrd_release(store, &value));
    return LRD_OK;
}

/* ---- processes ---- */

pid_t start_child(child_fn fn, void *arg)
{
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        abort();
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_CHECK_FAILED);
        fn(arg);
        _exit(0);
    }
    return pid;
}

int wait_child(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) {
            perror("waitpid");
            abort();
        }
    return status;
}

int run_in_child(child_fn fn, void *arg) { return wait_child(start_child(fn, arg)); }

void stop_child(pid_t pid)
{
    kill(pid, SIGKILL);
    wait_child(pid);
}

uint64_t sleeps_of(pid_t pid)
{
    char path[40], line[128];
    unsigned long long count = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        sscanf(line, "voluntary_ctxt_switches: %llu", &count);
    fclose(file);
    return count;
}

void check_child(const char *file, int line, int status)
{
    if (WIFSIGNALED(status))
        check_failed(file, line, "the child died by signal %d", WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        check_failed(file, line, "the child ended with status 0x%x", (unsigned)status);
}

void check_child_or_skip(const char *file, int line, int status, const char *why)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT)
        skip_test(why);
    check_child(file, line, status);
}

void check_killed(const char *file, int line, int status, int signal)
{
    if (!WIFSIGNALED(status) || WTERMSIG(status) != signal)
        check_failed(file, line, "the child ended with status 0x%x, not by signal %d",
                     (unsigned)status, signal);
}

void gate_open(gate *g) { atomic_store(g, 1); }

void gate_wait(gate *g)
{
    uint64_t end = real_ms() + 300000;
    while (atomic_load(g) == 0) {
        if (real_ms() > end)
            check_failed(__FILE__, __LINE__, "nobody opened the gate within 300 s");
        usleep(50);
    }
}

/* ---- fail points ---- */

static struct {
    _Atomic uint64_t passes, target;
    _Atomic uint32_t fired;
    char last[64];
} * points; /* in memory that children share */

static _Atomic bool points_counted; /* this process counts the points that it passes */
static void (*points_hook)(const char *name, void *arg);
static void *points_hook_arg;

void lrd__failpoint(const char *name);
void lrd__failpoint(const char *name)
{
    if (points_hook != NULL)
        points_hook(name, points_hook_arg);
    if (!atomic_load_explicit(&points_counted, memory_order_relaxed))
        return;
    if (atomic_fetch_add(&points->passes, 1) + 1 != atomic_load(&points->target))
        return;
    snprintf(points->last, sizeof points->last, "%s", name);
    atomic_store(&points->fired, 1);
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

void failpoint_arm(uint64_t k)
{
    atomic_store(&points->passes, 0);
    atomic_store(&points->target, k);
    atomic_store(&points->fired, 0);
    points->last[0] = '\0';
    atomic_store(&points_counted, true);
}

void failpoint_disarm(void)
{
    atomic_store(&points_counted, false);
    atomic_store(&points->target, 0);
}

uint64_t failpoint_count(void) { return atomic_load(&points->passes); }
bool failpoint_fired(void) { return atomic_load(&points->fired) != 0; }
const char *failpoint_last(void) { return points->last; }

static bool signal_flag;
static void signal_came(int number)
{
    (void)number;
    signal_flag = true;
}

static void signal_if_at(const char *name, void *point)
{
    if (strcmp(name, point) != 0)
        return;
    failpoint_hook(NULL, NULL);
    raise(SIGUSR1);
}

void signal_at(const char *point, bool ends_waits)
{
    struct sigaction action = {.sa_handler = signal_came};
    signal_flag = false;
    sigaction(SIGUSR1, &action, NULL);
    lrd_wait_flag(ends_waits ? &signal_flag : NULL);
    failpoint_hook(point != NULL ? signal_if_at : NULL, (void *)(uintptr_t)point);
}

void failpoint_hook(void (*fn)(const char *name, void *arg), void *arg)
{
    points_hook = NULL;
    points_hook_arg = arg;
    points_hook = fn;
}

bool shard_locked(const lrd_store *store)
{
    /* Only read the owner: an attempt to take the lock could clear the mark of a dead owner. */
    uint32_t self = (uint32_t)syscall(SYS_gettid);
    for (uint32_t shard = 0; shard < store->geo.shards; shard++) {
        if (lrd__mutex_owner(&store->gates[shard].lock) == self)
            return true;
    }
    return false;
}

__attribute__((constructor)) static void support_start(void)
{
    test_pid = getpid();
    points = shared_memory(sizeof *points);
    /* run one test function: `make test NAME=FILE:FUNCTION` */
    const char *only = getenv("LARDER_TEST");
    if (only != NULL && only[0] != '\0')
        cmocka_set_test_filter(only);
}
