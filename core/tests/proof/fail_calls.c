/* fail_calls.c - makes each system call of the core fail, first once, then every time.
 *
 * fail_calls [--list]
 *
 * - The linker replaces the calls by wrappers (--wrap). A first run of each script records which
 *   calls come from which places of the core.
 * - A child runs the script again for each place and errno. In one run only the first call from the
 *   place fails, in another run every call from there.
 * - Each public call must succeed, or return an error that has a name. No signal may come, and
 *   nothing may hang.
 * - When calls work again, lrd_fsck() must find nothing, and every value must be right.
 *
 * Exit code: 0 all is well, 1 if something is bad or if many places were not reached. Start reading
 * at place_fail(). */
#include "../support.h"

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define PLACES 400
#define SCRIPT_SECONDS 60 /* a script that takes longer than this counts as hanging */

/* ---- wrappers ---- */

typedef struct place {
    uintptr_t at;
    char call[20];
    long command; /* the command of syscall(), madvise() or fcntl(), or 0 for other calls */
    uint32_t times;
} place;

static struct shared {
    place places[PLACES];
    uint32_t used;
    _Atomic uint32_t failed; /* number of calls that have failed on purpose in the present run */
    _Atomic uint32_t answers, errors;
} * shared;

static enum { QUIET, NOTING, FAILING } mode;
static place failing;
static bool for_ever;
static int failing_errno;

/* Record the call, or return true if it must fail. */
static bool call_fails(uintptr_t at, const char *call, long command)
{
    if (mode == NOTING) {
        uint32_t i = 0;
        while (i < shared->used &&
               (shared->places[i].at != at || shared->places[i].command != command))
            i++;
        if (i == shared->used && shared->used < PLACES) {
            place *p = &shared->places[shared->used++];
            p->at = at;
            p->command = command;
            p->times = 0;
            snprintf(p->call, sizeof p->call, "%s", call);
        }
        shared->places[i].times++;
        return false;
    }
    if (mode != FAILING || at != failing.at || command != failing.command)
        return false;
    if (atomic_fetch_add(&shared->failed, 1) > 0 && !for_ever)
        return false;
    errno = failing_errno;
    return true;
}

#define HERE ((uintptr_t)__builtin_return_address(0))
/* Define the wrapper of a call that returns -1 when it fails. */
#define WRAP(type, name, parameters, arguments, command)                                           \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return call_fails(HERE, #name, (long)(command)) ? (type)-1 : __real_##name arguments;      \
    }

WRAP(int, open, (const char *path, int flags, mode_t how), (path, flags, how), 0)
WRAP(int, fstat, (int fd, struct stat *file), (fd, file), 0)
WRAP(int, lstat, (const char *path, struct stat *file), (path, file), 0)
WRAP(int, stat, (const char *path, struct stat *file), (path, file), 0)
WRAP(int, fstatfs, (int fd, struct statfs *system), (fd, system), 0)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), 0)
WRAP(int, fallocate, (int fd, int how, off_t at, off_t size), (fd, how, at, size), 0)
WRAP(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset), 0)
WRAP(int, madvise, (void *at, size_t size, int advice), (at, size, advice), advice)
WRAP(int, mprotect, (void *at, size_t size, int protection), (at, size, protection), 0)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), 0)
WRAP(int, fcntl, (int fd, int command, void *argument), (fd, command, argument), command)
WRAP(int, linkat, (int from, const char *old, int to, const char *new, int flags),
     (from, old, to, new, flags), 0)
WRAP(int, unlink, (const char *path), (path), 0)
WRAP(int, fchmod, (int fd, mode_t how), (fd, how), 0)
WRAP(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), 0)
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), 0)
WRAP(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), 0)
WRAP(int, clock_gettime, (clockid_t id, struct timespec *time), (id, time), id)
WRAP(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), 0)
WRAP(int, fstatvfs, (int fd, struct statvfs *system), (fd, system), 0)
WRAP(int, ioctl, (int fd, unsigned long request, void *argument), (fd, request, argument), 0)
WRAP(int, sysinfo, (struct sysinfo * machine), (machine), 0)
WRAP(int, getrlimit, (int resource, struct rlimit *limit), (resource, limit), 0)
WRAP(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags), 0)
WRAP(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), 0)
WRAP(long, syscall, (long number, long a, long b, long c, long d, long e, long f),
     (number, a, b, c, d, e, f), number)

/* Define the wrapper of a call that returns NULL when it fails. */
#define WRAP_MEMORY(name, parameters, arguments)                                                   \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        return call_fails(HERE, #name, 0) ? NULL : __real_##name arguments;                        \
    }

WRAP_MEMORY(malloc, (size_t size), (size))
WRAP_MEMORY(calloc, (size_t count, size_t size), (count, size))
WRAP_MEMORY(aligned_alloc, (size_t align, size_t size), (align, size))
WRAP_MEMORY(strdup, (const char *text), (text))

/* ---- scripts ---- */

static lrd_store *store;
static const char *path;

/* Check that a code has a name, and return it. LRD_ESYS must also have a detail, which names the
 * failed call. */
static int answer(const char *what, int code)
{
    atomic_fetch_add(&shared->answers, 1);
    if (strcmp(lrd_error_name(code), "unknown code") == 0 || lrd_error_name(code)[0] == '\0')
        check_failed(__FILE__, __LINE__, "%s answered %d, which has no name", what, code);
    if (code < 0)
        atomic_fetch_add(&shared->errors, 1);
    if (code == LRD_ESYS && lrd_error_detail()[0] == '\0')
        check_failed(__FILE__, __LINE__, "%s failed and does not say why", what);
    return code;
}
#define ANSWER(call) answer(#call, (call))

static void open_store(lrd_policy policy, const char *name)
{
    lrd_options options = {
        .policy = policy, .size = 2 * MIB, .shards = 2, .slots = 16, .path = name};
    store = NULL;
    (void)ANSWER(lrd_open(&options, &store));
}

static void put_some(int from, int to, size_t size)
{
    static char bytes[1500000];
    for (int k = from; k < to; k++) {
        char key[16];
        int len = snprintf(key, sizeof key, "k%d", k);
        value_fill(bytes, size, key, (size_t)len, (uint64_t)k);
        (void)ANSWER(lrd_put(store, key, (size_t)len, bytes, size,
                             &(lrd_write){.ttl_ms = k % 5 == 0 && store->expires ? 50000 : 0}));
    }
}

static void get_some(int from, int to, unsigned flags)
{
    for (int k = from; k < to; k++) {
        char key[16];
        lrd_value value;
        int len = snprintf(key, sizeof key, "k%d", k);
        if (ANSWER(lrd_get(store, key, (size_t)len, flags, &value)) != LRD_OK)
            continue;
        if (!value_valid(value.data, value.size, key, (size_t)len))
            check_failed(__FILE__, __LINE__, "the value of \"%s\" is damaged", key);
        (void)ANSWER(lrd_release(store, &value));
    }
}

static void use_entries(void)
{
    int64_t sum;
    lrd_stats stats;
    lrd_value held = {0};
    lrd_reservation open;
    (void)ANSWER(lrd_request_begin(store));
    put_some(0, 40, 300);
    put_some(40, 44, 30000);
    put_some(44, 45, 900000);
    get_some(0, 45, 0);
    get_some(0, 45, LRD_GET_BORROW);
    (void)ANSWER(lrd_get(store, "k41", 3, 0, &held));
    put_some(40, 44, 20000);
    (void)ANSWER(lrd_counter_add(store, "n", 1, 1, 0, 0, &sum));
    (void)ANSWER(lrd_counter_add(store, "n", 1, 1, 0, 0, &sum));
    (void)ANSWER(lrd_lock(store, "key", 3, 0, 0, NULL));
    pid_t pid = fork();
    if (pid == 0) {
        (void)ANSWER(lrd_lock(store, "key", 3, 0, 3, NULL));
        get_some(0, 3, 0);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) == EXIT_CHECK_FAILED)
        check_failed(__FILE__, __LINE__, "the forked child ended with status 0x%x",
                     (unsigned)status);
    (void)ANSWER(lrd_unlock(store, "key", 3, 0));
    if (ANSWER(lrd_reserve(store, "open", 4, 1200000, 0, &open)) == LRD_OK)
        (void)ANSWER(lrd_abort(store, &open));
    for (int k = 100; k < 900; k++)
        put_some(k, k + 1, 40); /* make the index grow */
    (void)ANSWER(lrd_clear(store));
    put_some(0, 300, 3000);
    (void)ANSWER(lrd_sweep(store, NULL));
    (void)ANSWER(lrd_stats_get(store, &stats));
    (void)ANSWER(lrd_request_end(store));
    lrd_thread_leave(store);
    put_some(0, 3, 200);
}

static void script_volatile(void)
{
    open_store(LRD_VOLATILE, NULL);
    if (store != NULL)
        use_entries();
}

static void script_session(void)
{
    open_store(LRD_SESSION, NULL);
    if (store != NULL)
        use_entries();
}

static void script_named(void)
{
    open_store(LRD_SESSION, path); /* creates the file */
    if (store != NULL) {
        put_some(0, 20, 300);
        lrd_close(store);
    }
    open_store(LRD_SESSION, path); /* adopts the file */
    if (store != NULL) {
        get_some(0, 20, 0);
        use_entries();
        lrd_close(store);
    }
    open_store(LRD_VOLATILE, path); /* the file does not fit these options, so it is replaced */
    if (store != NULL)
        put_some(0, 20, 300);
}

static void script_queues(void)
{
    lrd_queue q;
    lrd_message m;
    open_store(LRD_QUEUE, NULL);
    if (store == NULL || ANSWER(lrd_queue_open(store, "work", 4, 0, &q)) != LRD_OK)
        return;
    static char body[40000];
    for (int i = 0; i < 30; i++)
        (void)ANSWER(lrd_queue_push(store, q, body, i % 7 == 0 ? sizeof body : 200, 1,
                                    &(lrd_push){.delay_ms = i % 5 == 0 ? 2 : 0}, NULL));
    for (int i = 0; i < 20; i++)
        if (ANSWER(lrd_queue_pop(store, q, 0, 0, 5000, &m)) == LRD_OK) {
            (void)ANSWER(lrd_queue_ack(store, q, m.id));
            (void)ANSWER(lrd_release(store, &m.value));
        }
    /* The last pop finds no message, so this also covers waiting. */
    while (ANSWER(lrd_queue_pop(store, q, LRD_GET_BORROW, 3, 0, &m)) == LRD_OK)
        (void)ANSWER(lrd_queue_ack(store, q, m.id));
    (void)ANSWER(lrd_sweep(store, NULL));
}

/* Open a store in a file descriptor of the caller. The file is empty in the first round, and has a
 * store in the second. */
static void script_descriptor(void)
{
    lrd_options options = {.policy = LRD_PINNED, .size = 2 * MIB, .shards = 2, .slots = 16};
    int fd = __real_memfd_create("file", MFD_CLOEXEC);
    for (int round = 0; round < 2; round++) {
        store = NULL;
        if (ANSWER(lrd_open_fd(fd, &options, &store)) != LRD_OK)
            continue;
        put_some(0, 20, 300);
        get_some(0, 20, 0);
        if (round == 0)
            lrd_close(store);
    }
    close(fd);
}

static void script_copies(void)
{
    lrd_queue q;
    lrd_message m;
    lrd_value borrowed, again;
    open_store(LRD_SESSION, NULL);
    if (store == NULL)
        return;
    put_some(0, 30, 3000);
    lrd_holds_limit(store, 5000);
    get_some(0, 30, 0);
    if (ANSWER(lrd_get(store, "k7", 2, LRD_GET_BORROW, &borrowed)) == LRD_OK &&
        ANSWER(lrd_hold(store, &borrowed, &again)) == LRD_OK)
        (void)ANSWER(lrd_release(store, &again));
    lrd_close(store);
    open_store(LRD_QUEUE, NULL);
    if (store == NULL || ANSWER(lrd_queue_open(store, "work", 4, 0, &q)) != LRD_OK ||
        ANSWER(lrd_request_begin(store)) != LRD_OK)
        return;
    /* pretend that the request is too old to hold more values */
    lrd__threads[store->id]->request_until = 1;
    for (int i = 0; i < 3; i++)
        (void)ANSWER(lrd_queue_push(store, q, "a body", 6, 1, NULL, NULL));
    for (int i = 0; i < 3; i++)
        if (ANSWER(lrd_queue_pop(store, q, 0, 0, 0, &m)) == LRD_OK) {
            /* Usually the pop copies the body, because the request is too old. If the clock fails,
             * the request has no age, and the pop holds the body. */
            if (memcmp(m.value.data, "a body", 6) != 0)
                check_failed(__FILE__, __LINE__, "the body of a message is damaged");
            (void)ANSWER(lrd_queue_ack(store, q, m.id));
            (void)ANSWER(lrd_release(store, &m.value));
        }
    (void)ANSWER(lrd_queue_peek(store, q, 0, 0, &m));
}

static void script_check(void)
{
    open_store(LRD_VOLATILE, NULL);
    if (store == NULL)
        return;
    put_some(0, 30, 300);
    if (ANSWER(lrd_fsck(store, NULL, NULL)) > 0)
        check_failed(__FILE__, __LINE__, "lrd_fsck() found something");
}

static const struct {
    const char *name;
    void (*run)(void);
} scripts[] = {
    {"volatile", script_volatile}, {"session", script_session},       {"named", script_named},
    {"queues", script_queues},     {"descriptor", script_descriptor}, {"copies", script_copies},
    {"check", script_check}};
#define SCRIPTS (sizeof scripts / sizeof *scripts)

/* ---- places of calls ---- */

static void remove_named(void)
{
    char lock[300];
    snprintf(lock, sizeof lock, "%s.lock", path);
    __real_unlink(path);
    __real_unlink(lock);
}

static void run_script(void *arg)
{
    unsigned script = *(unsigned *)arg;
    int wanted = mode;
    alarm(SCRIPT_SECONDS);
    mode = wanted;
    scripts[script].run();
    mode = QUIET;
    if (store == NULL)
        return;
    int found = lrd_fsck(store, NULL, NULL);
    if (found != 0)
        CHECK_FSCK(store);
    if (store->queues == NULL) { /* a store that could not be filled may have no value */
        get_some(0, 45, 0);
        int code = put_value(store, "after", 100, 1, LRD_SET, 0);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
    }
}

static const char *errno_text(int number) { return strerror(number); }

#define ERRORS 5
/* the errors that each call can return */
static const struct {
    const char *call;
    int errors[ERRORS];
} kinds[] = {{"open", {EMFILE, EACCES, EOPNOTSUPP, ENOENT, 0}},
             {"fstat", {EIO, 0}},
             {"lstat", {EACCES, ENOENT, 0}},
             {"stat", {EACCES, 0}},
             {"fstatfs", {EIO, 0}},
             {"ftruncate", {ENOSPC, EFBIG, 0}},
             {"fallocate", {ENOSPC, EIO, EINTR}},
             {"mmap", {ENOMEM, 0}},
             {"madvise", {ENOMEM, EINVAL, 0}},
             {"mprotect", {ENOMEM, 0}},
             {"memfd_create", {EMFILE, 0}},
             {"fcntl", {ENOLCK, EINTR, EAGAIN, 0}},
             {"linkat", {ENOSPC, EEXIST, 0}},
             {"unlink", {EACCES, 0}},
             {"fchmod", {EPERM, 0}},
             {"pread", {EIO, 0}},
             {"pwrite", {ENOSPC, 0}},
             {"read", {EIO, 0}},
             {"clock_gettime", {EINVAL, 0}},
             {"lseek", {EINVAL, 0}},
             {"fstatvfs", {EIO, 0}},
             {"ioctl", {EOPNOTSUPP, 0}},
             {"sysinfo", {EFAULT, 0}},
             {"getrlimit", {EINVAL, 0}},
             {"getrandom", {EINTR, EIO, 0}},
             {"nanosleep", {EINTR, 0}},
             {"malloc", {ENOMEM, 0}},
             {"calloc", {ENOMEM, 0}},
             {"aligned_alloc", {ENOMEM, 0}},
             {"strdup", {ENOMEM, 0}},
             {"syscall", {EPERM, EINTR, 0}}};

static unsigned bad, runs, unreached;

static void place_fail(unsigned script, const place *p)
{
    const int *errors = NULL;
    if (strcmp(p->call, "syscall") == 0 && p->command == SYS_gettid) /* this call cannot fail */
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].call, p->call) == 0)
            errors = kinds[i].errors;
    CHECK(errors != NULL);
    for (int e = 0; e < ERRORS && errors[e] != 0; e++)
        for (int ever = 0; ever < 2; ever++) {
            /* The core repeats a call that was interrupted (EINTR), and waits for other openers
             * (EAGAIN). If these errors came each time, the core would repeat the call for ever. */
            if ((errors[e] == EINTR || errors[e] == EAGAIN) && ever)
                continue;
            mode = FAILING;
            failing = *p;
            failing_errno = errors[e];
            for_ever = ever;
            atomic_store(&shared->failed, 0);
            remove_named();
            int status = run_in_child(run_script, &script);
            mode = QUIET;
            runs++;
            /* Count the runs that did not make the call. */
            unreached += atomic_load(&shared->failed) == 0;
            if (status == 0)
                continue;
            bad++;
            fprintf(stderr, "bad: %s (%ld) at %#lx fails with %s %s in script \"%s\": %s %d\n",
                    p->call, p->command, (unsigned long)p->at - 1, errno_text(errors[e]),
                    ever ? "for ever" : "once", scripts[script].name,
                    WIFSIGNALED(status) ? "signal" : "exit code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
}

int main(int argc, char **argv)
{
    shared = shared_memory(sizeof *shared);
    path = strdup(temp_path("named"));
    CHECK(path != NULL);
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    unsigned places = 0;
    for (unsigned s = 0; s < SCRIPTS; s++) {
        static place all[PLACES];
        shared->used = 0;
        remove_named();
        mode = NOTING;
        int status = run_in_child(run_script, &s);
        mode = QUIET;
        if (status != 0) {
            fprintf(stderr, "bad: script \"%s\" ends with status 0x%x\n", scripts[s].name,
                    (unsigned)status);
            return 1;
        }
        uint32_t used = shared->used;
        memcpy(all, shared->places, sizeof all);
        places += used;
        for (uint32_t i = 0; i < used; i++) {
            if (list)
                printf("%s\t%s\t%ld\t%#lx\t%u\n", scripts[s].name, all[i].call, all[i].command,
                       (unsigned long)all[i].at - 1, all[i].times);
            else
                place_fail(s, &all[i]);
        }
    }
    remove_named();
    if (!list)
        printf("places=%u runs=%u unreached=%u answers=%u errors=%u bad=%u\n", places, runs,
               unreached, atomic_load(&shared->answers), atomic_load(&shared->errors), bad);
    return bad != 0 || unreached > runs / 20 ? 1 : 0;
}
