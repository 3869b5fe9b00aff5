/* fpm.c - gives each FPM pool its own memory, which other pools cannot reach. Begin reading at
 * larder_fpm_settle().
 *
 * FPM's master makes an empty memfd (a file in memory) for each pool and kind of store, and a table
 * of their owners. Before its first request, a worker closes all memfds of other pools, and unmaps
 * the table.
 *
 * - A worker recognizes its pool by the user and the listening socket. fpm_get_status() shortens
 *   the pool's name, and may be disabled.
 * - The memfds are made when the master first forks, so a preload script has none. They get high
 *   descriptor numbers, because accept() and select() need the low ones.
 * - After a reload the master is a new program, and the old memfds are closed (MFD_CLOEXEC). */
#include "stores/fpm.h"
#include "stores/log.h"
#include "stores/settings.h"
#include "stores/table.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* the lowest descriptor number of memfds, unless the limit of descriptors is lower */
#define FPM_FD_FROM 256
/* A worker looks once, in about 0.2 ms, for its pool's listening socket among the descriptors below
 * this number. */
#define FPM_SCAN_MAX 4096
#define FPM_WAIT_S 10 /* seconds to wait for a stopped worker that has the lock */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Claim i records which pool owns row i of `fpm_fds`. Written under the lock. */
typedef struct fpm_claim {
    _Atomic uint32_t used; /* written last; while it is 0, the other fields are not valid */
    uint32_t uid;
    uint64_t device, inode; /* the listening socket */
} fpm_claim;

typedef struct fpm_table {
    pthread_mutex_t lock; /* robust */
    fpm_claim claims[];
} fpm_table;

/* The state of this process. Only FPM processes use it, and they have one thread. */
static enum {
    FPM_NONE,   /* this process is not part of FPM */
    FPM_WANTED, /* this process is the master of FPM, and has not forked yet */
    FPM_READY,
    FPM_FAILED, /* the master could make no memfds */
    FPM_SETTLED /* this worker has looked for its pool; it may have found none */
} fpm_state LARDER_OF_WORKER;
static uint32_t fpm_wanted, fpm_made;
static int fpm_fds[LARDER_FPM_MAX][LARDER_KINDS]; /* only the master writes to this table */
static int fpm_own[LARDER_KINDS] LARDER_OF_WORKER = {[0 ... LARDER_KINDS - 1] = -1};
static fpm_table *fpm_claims LARDER_OF_WORKER;

/* Return true if FPM pools need memory for this kind of store. */
static bool fpm_has(int kind)
{
    const larder_store_row *row = larder_store_table + kind;
    return larder_configured.size[kind] != 0 ||
           (!row->of_layer && (!row->of_sessions || larder_built_above.sessions()));
}

static size_t fpm_table_size(void) { return sizeof(fpm_table) + fpm_wanted * sizeof(fpm_claim); }

/* ---- the master ---- */

int larder_fpm_memfd(int from)
{
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int low = memfd_create("larder", flags | MFD_NOEXEC_SEAL);
    if (low < 0 && errno == EINVAL)
        low = memfd_create("larder", flags);
    if (low < 0)
        return -1;
    int fd = fcntl(low, F_DUPFD_CLOEXEC, from);
    int error = errno;
    close(low);
    errno = error;
    return fd;
}

static LARDER_HOT void fpm_close(uint32_t pool)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (fpm_fds[pool][kind] >= 0)
            close(fpm_fds[pool][kind]);
}

static bool fpm_make_pool(uint32_t pool, int from)
{
    bool made = true;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        fpm_fds[pool][kind] = -1;
    for (int kind = 0; kind < LARDER_KINDS && made; kind++) {
        if (!fpm_has(kind))
            continue;
        fpm_fds[pool][kind] = larder_fpm_memfd(from);
        made = fpm_fds[pool][kind] >= 0;
    }
    if (!made) {
        int error = errno;
        fpm_close(pool);
        errno = error;
    }
    return made;
}

static bool fpm_make_table(void)
{
    pthread_mutexattr_t attributes;
    void *memory =
        mmap(NULL, fpm_table_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    fpm_claims = memory;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    errno = pthread_mutex_init(&fpm_claims->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (errno == 0)
        return true;
    munmap(memory, fpm_table_size());
    fpm_claims = NULL;
    return false;
}

/* Make the memfds of all pools, but leave half of the descriptors to FPM. If there are too few
 * memfds, logs the reason. */
static void fpm_make(void)
{
    struct rlimit limit;
    rlim_t numbers = 1024;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        numbers = limit.rlim_cur;
    rlim_t half = numbers / 2;
    int from = half < FPM_FD_FROM ? (int)half : FPM_FD_FROM;
    uint32_t room = fpm_wanted;
    uint32_t kinds = 0;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        kinds += fpm_has(kind);
    if (room > half / kinds)
        room = (uint32_t)(half / kinds);
    if (!fpm_make_table())
        room = 0;
    else
        /* The message below prints errno, which is not set if the loop ends because `room` is too
         * small. */
        errno = EMFILE;
    while (fpm_made < room && fpm_make_pool(fpm_made, from))
        fpm_made++;
    if (fpm_made < fpm_wanted) {
        char text[256];
        snprintf(text, sizeof text,
                 "Larder: larder.pools = %u, but memory can be prepared for %u pool%s only (%s); "
                 "the others will be without stores",
                 fpm_wanted, fpm_made, fpm_made == 1 ? "" : "s", strerror(errno));
        larder_log(text);
    }
    fpm_state = fpm_made > 0 ? FPM_READY : FPM_FAILED;
}

static void fpm_before_fork(void)
{
    if (fpm_state == FPM_WANTED && !php_during_module_startup())
        fpm_make();
}

void larder_fpm_startup(uint32_t pools)
{
    if (fpm_state != FPM_NONE || pools == 0)
        return;
    fpm_wanted = pools;
    fpm_state = pthread_atfork(fpm_before_fork, NULL, NULL) == 0 ? FPM_WANTED : FPM_FAILED;
}

/* ---- workers ---- */

bool larder_fpm_worker(void) { return fpm_state == FPM_READY || fpm_state == FPM_FAILED; }

/* Count the sockets on which this process listens, up to 2. If there is one, `*socket` describes
 * it. /proc may be missing, so try all descriptors below FPM_SCAN_MAX. */
static LARDER_HOT int fpm_listener(struct stat *socket)
{
    struct stat found;
    int count = 0;
    for (int fd = 0; fd < FPM_SCAN_MAX; fd++) {
        int listens = 0;
        socklen_t size = sizeof listens;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
            fstat(fd, &found) != 0)
            continue;
        if (count == 1 && found.st_dev == socket->st_dev && found.st_ino == socket->st_ino)
            continue;
        *socket = found;
        if (++count > 1)
            break;
    }
    return count;
}

/* Return the index of the claim of the pool with this socket, or -1 if there is none. With
 * `claims`, make a missing claim; this fails only if other pools have taken all memfds. The caller
 * must then hold the lock. A claim that is in use never changes. */
static LARDER_HOT int fpm_find(const struct stat *socket, bool claims)
{
    uint32_t uid = (uint32_t)geteuid();
    for (uint32_t i = 0; i < fpm_made; i++) {
        fpm_claim *claim = fpm_claims->claims + i;
        if (atomic_load_explicit(&claim->used, memory_order_acquire) == 0) {
            if (!claims)
                return -1;
            claim->uid = uid;
            claim->device = socket->st_dev;
            claim->inode = socket->st_ino;
            atomic_store_explicit(&claim->used, 1, memory_order_release);
            return (int)i;
        }
        if (claim->uid == uid && claim->device == socket->st_dev && claim->inode == socket->st_ino)
            return (int)i;
    }
    return -1;
}

/* Take the lock of the table. Returns 0 or an errno. Tries repeatedly, because musl cannot lock a
 * mutex with a time limit on the monotonic clock. */
static LARDER_HOT int fpm_lock(void)
{
    struct timespec now, pause = {0, 1000000};
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t until = now.tv_sec + FPM_WAIT_S;
    int rc;
    while ((rc = pthread_mutex_trylock(&fpm_claims->lock)) == EBUSY && now.tv_sec < until) {
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    /* If the lock's owner has died, its unfinished claim is not marked as used, so only the lock
     * needs repair. */
    return rc == EOWNERDEAD ? pthread_mutex_consistent(&fpm_claims->lock) : rc;
}

static LARDER_HOT int fpm_claim_own(char *reason, size_t size)
{
    struct stat socket = {0};
    int sockets = fpm_listener(&socket);
    if (sockets != 1) {
        /* When FPM ends a worker, it closes the listening socket, even if the worker has already
         * accepted its first request. */
        snprintf(reason, size, "the pool of this worker cannot be told: %s",
                 sockets == 0 ? "it has no listening socket; FPM closes it when it reloads or ends"
                              : "it has several listening sockets, and one is required");
        return -1;
    }
    /* The owner of the lock may be stopped. So look for an existing claim without the lock, and
     * take the lock only to make a new claim. */
    int pool = fpm_find(&socket, false);
    if (pool >= 0)
        return pool;
    int rc = fpm_lock();
    if (rc != 0) {
        snprintf(reason, size, "the table of pools cannot be locked: %s", strerror(rc));
        return -1;
    }
    pool = fpm_find(&socket, true);
    pthread_mutex_unlock(&fpm_claims->lock);
    if (pool < 0)
        snprintf(
            reason, size,
            "larder.pools = %u, and other pools have taken all %u that could be prepared; raise "
            "it in php.ini and reload FPM",
            fpm_wanted, fpm_made);
    return pool;
}

bool larder_fpm_settle(bool wanted, char *reason, size_t size)
{
    int own = -1;
    reason[0] = '\0';
    if (wanted && fpm_state == FPM_READY)
        own = fpm_claim_own(reason, size);
    else if (wanted)
        snprintf(reason, size, "%s",
                 fpm_state == FPM_FAILED ? "FPM could not make memory for its pools at its start"
                                         : "this process is not a worker of an FPM pool");
    if (fpm_state == FPM_READY) {
        for (int kind = 0; kind < LARDER_KINDS && own >= 0; kind++)
            fpm_own[kind] = fpm_fds[own][kind];
        for (uint32_t pool = 0; pool < fpm_made; pool++)
            if ((int)pool != own)
                fpm_close(pool);
    }
    if (fpm_claims != NULL)
        munmap(fpm_claims, fpm_table_size());
    fpm_claims = NULL;
    fpm_state = FPM_SETTLED;
    return own >= 0;
}

int larder_fpm_take(larder_kind kind)
{
    int fd = fpm_own[kind];
    fpm_own[kind] = -1;
    return fd;
}

void larder_fpm_put_back(larder_kind kind, int fd) { fpm_own[kind] = fd; }

void larder_fpm_name(char *name, size_t size)
{
    static const char title[] = "php-fpm: pool ";
    char text[256] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    bool titled = strncmp(text, title, sizeof title - 1) == 0;
    snprintf(name, size, "%s", titled ? text + sizeof title - 1 : "");
    for (char *end = name + strlen(name); end > name && end[-1] == ' ';)
        *--end = '\0'; /* remove the spaces that pad the title */
}
