/* stores.c - which stores there are, and what a request may use. Read larder_stores_startup(),
 * larder_stores_settle() and larder_activate() first.
 *
 * - Without larder.path and larder.scope a store is anonymous: its descriptor is made at start-up, before
 *   workers fork, so that they share it, and formatted by the first of them that uses it. A process that
 *   does not use Larder pays for two empty memfds, some microseconds.
 * - With one of them it is a file, opened by the process that first uses it, as the user it then
 *   runs as: <path>/larder-<uid>/<scope>-volatile (ops/named.c).
 * - Under FPM an anonymous store is the pool's (pools.c), never the master's: pools would share that.
 *   Its worker reads the settings again, because a pool has its own, and opens it at first use: what
 *   is not used costs nothing. The pool's first worker makes it, later ones find it.
 * - While opcache preloads there is no request to end a value's life: the stores are off. */
#include "php_larder.h"
#include "pools.h"
#include "ops/named.h"
#include "SAPI.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include <pthread.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

larder_place larder_places[LARDER_KINDS] = {
    [LARDER_VOLATILE] = {.name = "volatile", .fd = -1},
    [LARDER_PINNED] = {.name = "pinned", .fd = -1},
    [LARDER_IMMUTABLE] = {.name = "immutable", .fd = -1},
    [LARDER_APCU] = {.name = "apcu", .fd = -1},
};

static const lrd_policy stores_policy[LARDER_KINDS] = {
    [LARDER_VOLATILE] = LRD_VOLATILE,
    [LARDER_PINNED] = LRD_PINNED,
    [LARDER_IMMUTABLE] = LRD_IMMUTABLE,
    [LARDER_APCU] = LRD_VOLATILE,
};

/* Where the kinds of stores lie, unless something is there: apart, because processes create them in any order
 * and have to map what others created. Position-independent programs begin at 0x555555554000. */
#define STORES_BASE 0x550000000000u
#define STORES_APART ((uint64_t)80 << 30)
#define STORES_RETRY_MS 2000

/* What the layout of values depends on. */
#define STORES_ABI                                                                                 \
    "php" ZEND_TOSTR(ZEND_MODULE_API_NO) ZEND_BUILD_TS ZEND_BUILD_DEBUG                            \
        "," ZEND_TOSTR(SIZEOF_SIZE_T) ",codec" ZEND_TOSTR(LARDER_CODEC)

bool larder_stores_unsettled; /* a process of FPM before its first request; others never set it */
static pthread_mutex_t stores_opening =
    PTHREAD_MUTEX_INITIALIZER; /* threads open one after another */

const char *larder_stores_abi(void) { return STORES_ABI; }

/* The opener stores with release: first the store, then lazy. */
static lrd_store *stores_loaded(const larder_place *place)
{
    return __atomic_load_n(&place->store, __ATOMIC_ACQUIRE);
}

/* To PHP's error log; may end the request. */
static void stores_log(const char *format, const char *first, const char *second)
{
    char text[1024];
    snprintf(text, sizeof text, format, first, second);
    php_log_err_with_severity(text, LOG_WARNING);
}

/* fd: of the pool's memory; -1: by the place's path, or anonymous. */
static int stores_open(larder_kind kind, int fd)
{
    larder_place *place = larder_places + kind;
    lrd_options options = {
        .policy = stores_policy[kind],
        .size = larder_configured.size[kind],
        .entries_hint = larder_configured.entries_hint,
        .path = place->path[0] != '\0' ? place->path : NULL,
        .value_abi = larder_stores_abi(),
    };
    options.base_from = STORES_BASE + (uint64_t)kind * STORES_APART;
    options.keep_size = options.path != NULL && !larder_named_size_rules(kind);
    lrd_store *store = NULL;
    char remedy[256];
    int rc;
    LARDER_CALL(rc, fd >= 0 ? lrd_open_fd(fd, &options, &store) : lrd_open(&options, &store));
    if (rc == LRD_EMISMATCH && options.path != NULL && !options.keep_size) { /* in use: join it */
        options.keep_size = true;
        LARDER_CALL(rc, lrd_open(&options, &store));
    }
    if (rc == LRD_OK) {
        __atomic_store_n(&place->store, store, __ATOMIC_RELEASE);
        return rc;
    }
    larder_named_remedy(kind, rc, remedy, sizeof remedy);
    snprintf(place->reason, sizeof place->reason, "%s: %s%s%s%s", lrd_error_name(rc),
             lrd_strerror(rc), *lrd_error_detail() != '\0' ? ": " : "", lrd_error_detail(), remedy);
    return rc;
}

/* Memory that the processes forked later share, empty until one of them uses it. */
static bool stores_prepare(larder_place *place)
{
    struct stat file;
    if (place->store != NULL || place->fd >= 0)
        return true; /* the server starts a second time */
    place->fd = larder_pools_memfd(3);
    if (place->fd < 0 || fstat(place->fd, &file) != 0) {
        snprintf(place->reason, sizeof place->reason, "memfd_create: %s%s", strerror(errno),
                 errno == EMFILE || errno == ENFILE ? "" : "; set larder.scope, which uses a file");
        return false;
    }
    place->inode = file.st_ino;
    place->device = file.st_dev;
    return true;
}

/* The prepared memory; -1 where somebody closed it, and its number may be another file's by now. */
static int stores_prepared(larder_place *place)
{
    struct stat file;
    int fd = place->fd;
    place->fd = -1;
    if (fstat(fd, &file) == 0 && file.st_ino == place->inode && file.st_dev == place->device)
        return fd;
    snprintf(place->reason, sizeof place->reason, "descriptor %d was closed", fd);
    return -1;
}

/* Where the settings in force put a store; opens nothing. True: it is to be an anonymous one. */
static bool stores_locate(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    char path[sizeof place->path], reason[256] = "";
    bool good = larder_settings_path(kind, path, sizeof path, reason, sizeof reason);
    place->reason[0] = '\0';
    place->lazy = false;
    if (larder_configured.reason[0] != '\0' || !good)
        snprintf(place->reason, sizeof place->reason, "%s",
                 good ? larder_configured.reason : reason);
    else if (!larder_configured.enabled)
        snprintf(place->reason, sizeof place->reason, "larder.enable%s is 0",
                 strcmp(sapi_module.name, "cli") == 0 ? " or larder.enable_cli" : "");
    else if (larder_configured.wrong[kind][0] != '\0')
        snprintf(place->reason, sizeof place->reason, "%s", larder_configured.wrong[kind]);
    else if (larder_configured.size[kind] == 0)
        snprintf(place->reason, sizeof place->reason, "larder.%s_size is 0", place->name);
    else if (path[0] != '\0')
        place->lazy = true; /* by the user that the process runs as later */
    else
        return true;
    return false;
}

void larder_stores_startup(void)
{
    bool fpm = strcmp(sapi_module.name, "fpm-fcgi") == 0;
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        larder_place *place = larder_places + kind;
        if (!stores_locate((larder_kind)kind) || fpm)
            continue;
        place->lazy = stores_prepare(place);
        if (!place->lazy)
            zend_error(E_CORE_WARNING, "Larder: the %s store is off: %s", place->name,
                       place->reason);
    }
    if (fpm) { /* also where they are off: a pool may switch its own on */
        larder_stores_unsettled = true;
        larder_pools_startup(larder_configured.pools);
    }
}

void larder_stores_settle(void)
{
    char reason[sizeof larder_configured.reason];
    bool anonymous[LARDER_KINDS], wanted = false, log = larder_pools_worker();
    if (php_during_module_startup())
        return; /* the master preloads */
    larder_stores_unsettled = false;
    larder_settings_read();
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        anonymous[kind] = stores_locate((larder_kind)kind);
        wanted = wanted || anonymous[kind];
    }
    bool found = larder_pools_settle(wanted, reason, sizeof reason);
    if (wanted && larder_configured.pools_reason[0] != '\0')
        snprintf(reason, sizeof reason, "%s", larder_configured.pools_reason);
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        larder_place *place = larder_places + kind;
        place->lazy = place->lazy || (anonymous[kind] && found);
        place->pool = anonymous[kind] && found;
        if (anonymous[kind] && !found)
            snprintf(place->reason, sizeof place->reason, "%s", reason);
    }
    if (larder_configured.reason[0] != '\0')
        snprintf(reason, sizeof reason, "%s", larder_configured.reason);
    if (log && reason[0] != '\0')
        stores_log("Larder is off in this worker: %s%s", reason, "");
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (log && reason[0] == '\0' && larder_configured.wrong[kind][0] != '\0')
            stores_log("Larder: the %s store is off in this worker: %s", larder_places[kind].name,
                       larder_configured.wrong[kind]);
}

static int stores_open_place(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    char reason[256] = "";
    if (!place->pool &&
        (!larder_settings_path(kind, place->path, sizeof place->path, reason, sizeof reason) ||
         (place->path[0] != '\0' && !larder_named_folder(place->path, sizeof place->path,
                                                         place->reason, sizeof place->reason)))) {
        if (reason[0] != '\0')
            snprintf(place->reason, sizeof place->reason, "%s", reason);
        return LRD_EINVAL;
    }
    int fd = -1;
    if (place->path[0] == '\0') {
        fd = place->pool ? larder_pools_take(kind) : stores_prepared(place);
        if (fd < 0 && place->pool)
            snprintf(
                place->reason, sizeof place->reason,
                "FPM has prepared no memory for it: set it up in php.ini, not only in the pool");
        if (fd < 0)
            return LRD_ESYS;
    }
    int rc = stores_open(kind, fd);
    if (fd >= 0 && rc == LRD_OK)
        close(fd); /* the store has its own */
    else if (fd >= 0 && place->pool)
        larder_pools_put_back(kind, fd);
    else if (fd >= 0)
        place->fd = fd;
    return rc;
}

static uint64_t stores_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A store that could not be opened is tried again: whoever was in the way may have gone. Said when it is
 * on again, or off for another reason, not each time. */
static bool stores_retry_due(const larder_place *place)
{
    uint64_t at = __atomic_load_n(&place->retry_at, __ATOMIC_RELAXED);
    return at != 0 && stores_loaded(place) == NULL && stores_clock_ms() >= at;
}

static void stores_open_lazily(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    char notice[sizeof place->path + 512] = "", before[sizeof place->reason];
    lrd_info info;
    int rc = LRD_OK;
    bool again = false;
    pthread_mutex_lock(&stores_opening);
    if (place->lazy || stores_retry_due(place)) {
        again = place->retry_at != 0;
        memcpy(before, place->reason, sizeof before);
        rc = stores_open_place(kind);
        __atomic_store_n(&place->retry_at, rc == LRD_OK ? 0 : stores_clock_ms() + STORES_RETRY_MS,
                         __ATOMIC_RELAXED);
        place->failures += rc != LRD_OK;
        if (rc == LRD_OK)
            place->reason[0] = '\0';
        if (rc == LRD_OK && place->path[0] != '\0') {
            lrd_store_info(place->store, &info);
            larder_named_notice(kind, &info, notice, sizeof notice);
        }
        __atomic_store_n(&place->lazy, false, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&stores_opening); /* logging may end the request */
    if (rc != LRD_OK && (!again || strcmp(before, place->reason) != 0))
        stores_log("Larder: the %s store is off: %s", place->name, place->reason);
    else if (rc == LRD_OK && again)
        stores_log("Larder: the %s store is on again%s", place->name, "");
    if (rc == LRD_OK && notice[0] != '\0')
        stores_log("Larder: %s%s", notice, "");
}

lrd_store *larder_activate(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    int rc;
    if (CG(compiler_options) & ZEND_COMPILE_PRELOAD)
        return NULL;
    if (__atomic_load_n(&place->lazy, __ATOMIC_ACQUIRE) || stores_retry_due(place))
        stores_open_lazily(kind);
    lrd_store *store = stores_loaded(place);
    if (store == NULL)
        return NULL;
    LARDER_CALL(rc, lrd_request_begin(store));
    /* Without a slot a read would give copies of blocks that nobody holds. */
    if (rc == LRD_OK)
        LARDER_G(active)[kind] = store;
    return LARDER_G(active)[kind];
}

void larder_deactivate(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        int rc;
        lrd_store *store = LARDER_G(active)[kind];
        if (store == NULL)
            continue;
        LARDER_CALL(rc, lrd_request_end(store));
        (void)rc;
        LARDER_G(active)[kind] = NULL;
    }
}

void larder_stores_leave(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        lrd_store *store = stores_loaded(larder_places + kind);
        if (store != NULL)
            lrd_thread_leave(store);
    }
}

bool larder_contains(const void *pointer)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        const lrd_store *store = stores_loaded(larder_places + kind);
        if (store != NULL && lrd_contains(store, pointer))
            return true;
    }
    return false;
}
