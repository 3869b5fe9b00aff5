/* stores.c - opens stores, and decides which stores a request uses. Begin reading at
 * larder_stores_startup(), larder_stores_settle() and larder_activate().
 *
 * - Without larder.path and larder.scope, a store is anonymous. Its descriptor is made at start-up,
 *   so forked workers share it. The first worker that uses the store formats it.
 * - Otherwise a store is named: it is a file (stores/named.c). A process opens the file when it
 *   first uses the store, because the process may change its user before that.
 * - Under FPM, an anonymous store belongs to the pool (fpm.c). The master has no stores. A worker
 *   reads the settings of its pool.
 * - If a named store's file was removed, replaced or truncated, the next request opens the path
 *   again at its first use. The old mapping stays, because other threads may use it.
 * - If one process serves several sites, each may have its own stores (partition.c).
 * - While opcache preloads, the stores are off, because no request runs whose end would release
 *   values.
 * - If Larder is off, the server logs the reason once: at start-up, or at its first request if an
 *   embedding program may still switch Larder on. If an FPM pool switches Larder off, each of its
 *   workers logs the reason. */
#include "stores/stores.h"
#include "format/format.h"
#include "format/hash.h"
#include "stores/fpm.h"
#include "stores/log.h"
#include "stores/named.h"
#include "stores/partition.h"
#include "stores/settings.h"
#include "stores/table.h"
#include "SAPI.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* The search for a store's address begins here. All processes map a store at the same address. It
 * is below 0x555555554000, because position-independent programs lie from this address on. */
#define STORES_BASE 0x550000000000u
#define STORES_APART ((uint64_t)80 << 30)
#define STORES_BELOW (LARDER_KINDS - LARDER_SESSIONS) /* number of kinds below STORES_BASE */
/* A scope's stores lie at addresses computed from the scope and the kind. In rare cases, two stores
 * get the same address, and a process can use only one of them. */
#define STORES_SCOPES 0x6a0000000000u
#define STORES_SCOPE_PLACES 0x20000u
#define STORES_SCOPE_STEP ((uint64_t)128 << 20)
#define STORES_BEHIND ((size_t)256 << 10) /* see lrd_info.base */
#define STORES_RETRY_MS 2000

/* everything that determines the layout of values; "-wide" is added if larder_tables_narrow is
 * false */
#define STORES_ABI                                                                                 \
    "php" ZEND_TOSTR(ZEND_MODULE_API_NO) ZEND_BUILD_TS ZEND_BUILD_DEBUG                            \
        "," ZEND_TOSTR(SIZEOF_SIZE_T) ",codec" ZEND_TOSTR(LARDER_CODEC)

bool larder_stores_unsettled LARDER_OF_WORKER;
/* true if php.ini switches Larder off, so that FPM's master has made no descriptors */
static bool stores_unprepared;
/* true if the first request must log why Larder is off */
static atomic_bool stores_unsaid LARDER_OF_WORKER;
/* held while a thread opens a store */
static pthread_mutex_t stores_opening LARDER_OF_WORKER = PTHREAD_MUTEX_INITIALIZER;

const char *larder_stores_abi(void)
{
    return larder_tables_narrow ? STORES_ABI : STORES_ABI "-wide";
}

/* Return the open store of a place, or NULL. The acquire pairs with the release in
 * stores_open(). */
static lrd_store *stores_loaded(const larder_place *place)
{
    return __atomic_load_n(&place->store, __ATOMIC_ACQUIRE);
}

/* Write to PHP's error log. This may end the request. */
static void stores_log(const char *format, const char *first, const char *second)
{
    char text[1536];
    snprintf(text, sizeof text, format, first, second);
    larder_log(text);
}

static larder_place_text *stores_text(larder_place *place)
{
    if (place->text == NULL)
        place->text = pecalloc(1, sizeof *place->text, true);
    return place->text;
}

/* Record why the store of this place is off. */
static ZEND_COLD __attribute__((format(printf, 2, 3))) void stores_refuse(larder_place *place,
                                                                          const char *format, ...)
{
    larder_place_text *text = stores_text(place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->reason, sizeof text->reason, format, arguments);
    va_end(arguments);
    place->reason = text->reason;
}

uintptr_t larder_data_from LARDER_OF_WORKER, larder_data_to LARDER_OF_WORKER;

/* Add a new store to the range from larder_data_from to larder_data_to. Call this before any other
 * code gets a pointer into the store. The caller holds stores_opening. */
static void stores_extend(uintptr_t base, size_t size)
{
    uintptr_t from = larder_data_from, to = larder_data_to;
    if (to == 0 || base < from)
        __atomic_store_n(&larder_data_from, base, __ATOMIC_RELAXED);
    if (base + size > to)
        __atomic_store_n(&larder_data_to, base + size, __ATOMIC_RELAXED);
}

#ifdef ZTS
/* The stores that this process has given up. Other threads may still use them. */
static lrd_store *stores_left[32];
static _Atomic unsigned stores_left_count;

static void stores_leave(lrd_store *store)
{
    unsigned count = atomic_load_explicit(&stores_left_count, memory_order_relaxed);
    lrd_thread_leave(store);
    if (count == sizeof stores_left / sizeof *stores_left)
        return;
    stores_left[count] = store;
    atomic_store_explicit(&stores_left_count, count + 1, memory_order_release);
}

/* Return a random number by which the address of a store varies. A store that is opened again needs
 * another address, because its old mapping still occupies the old one. */
#define STORES_VARIED 8u
static uint64_t stores_vary(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_nsec * LARDER_HASH_FACTOR >> 40) % STORES_VARIED;
}
#else
#define STORES_VARIED 1u
static uint64_t stores_vary(void) { return 0; }
static void stores_leave(lrd_store *store) { lrd_close(store); }
#endif

/* Return the address at which the core begins to search for a store's address. The caches lie above
 * STORES_BASE. Sessions and queues lie below it, because the executable may begin soon after the
 * caches. */
static uint64_t stores_base(const struct larder_partition *partition, larder_kind kind)
{
    if (partition->number == 0 || partition->host) {
        uint64_t place = partition->number % 48;
        uint64_t base =
            kind < LARDER_SESSIONS
                ? STORES_BASE + (place * LARDER_SESSIONS + kind) * STORES_APART
                : STORES_BASE -
                      (place * STORES_BELOW + (uint64_t)(kind - LARDER_APCU)) * STORES_APART;
        return base + stores_vary() * (STORES_APART / STORES_VARIED);
    }
    uint64_t hash = zend_inline_hash_func(partition->scope, strlen(partition->scope)) + kind +
                    stores_vary() * LARDER_KINDS;
    return STORES_SCOPES +
           (hash * LARDER_HASH_FACTOR >> 40) % STORES_SCOPE_PLACES * STORES_SCOPE_STEP;
}

/* Return by how many bytes the partition's open stores together may still grow. */
static uint64_t stores_beside(const struct larder_partition *partition)
{
    uint64_t bytes = 0;
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        lrd_store *store = stores_loaded(partition->places + kind);
        lrd_stats stats;
        lrd_info info;
        if (store == NULL || lrd_stats_get(store, &stats) != LRD_OK)
            continue;
        lrd_store_info(store, &info);
        bytes += info.size > stats.page_bytes ? info.size - stats.page_bytes : 0;
    }
    return bytes;
}

/* Open the named store at the place's path or, if `fd` is not -1, the anonymous store with this
 * descriptor. */
static int stores_open(struct larder_partition *partition, larder_kind kind, int fd)
{
    const larder_store_row *row = larder_store_table + kind;
    larder_place *place = partition->places + kind;
    lrd_options options = {
        .policy = row->policy,
        .size = larder_configured.size[kind],
        .entries_hint = larder_configured.entries_hint,
        .path = place->path[0] != '\0' ? place->path : NULL,
        .value_abi = row->value_abi != NULL ? row->value_abi : larder_stores_abi(),
    };
    options.base_from = stores_base(partition, kind);
    options.reserve_for_others = stores_beside(partition);
    options.accept_size = options.path != NULL && !larder_named_size_rules(kind);
    lrd_store *store = NULL;
    char remedy[256];
    int rc;
    LARDER_CALL(rc, fd >= 0 ? lrd_open_fd(fd, &options, &store) : lrd_open(&options, &store));
    /* A store in use keeps its size. Accept this size, even if the settings give another one. */
    if (rc == LRD_EMISMATCH && options.path != NULL && !options.accept_size) {
        options.accept_size = true;
        LARDER_CALL(rc, lrd_open(&options, &store));
    }
    if (rc == LRD_OK) {
        lrd_info info;
        lrd_store_info(store, &info);
        stores_extend((uintptr_t)info.base, info.size + STORES_BEHIND);
        __atomic_store_n(&place->store, store, __ATOMIC_RELEASE);
        return rc;
    }
    larder_named_remedy(kind, place->path, rc, remedy, sizeof remedy);
    stores_refuse(place, "%s: %s%s%s%s", lrd_error_name(rc), lrd_strerror(rc),
                  *lrd_error_detail() != '\0' ? ": " : "", lrd_error_detail(), remedy);
    return rc;
}

/* Make the empty memory of an anonymous store for forked processes. */
static bool stores_prepare(larder_place *place)
{
    struct stat file;
    if (place->store != NULL || place->fd >= 0)
        /* PHP starts again in this process, and the memory from its first start is still there */
        return true;
    place->fd = larder_fpm_memfd(3);
    if (place->fd < 0 || fstat(place->fd, &file) != 0) {
        stores_refuse(place, "memfd_create: %s%s", strerror(errno),
                      errno == EMFILE || errno == ENFILE ? ""
                                                         : "; set larder.scope, which uses a file");
        return false;
    }
    place->inode = file.st_ino;
    place->device = file.st_dev;
    return true;
}

/* Return the descriptor of the prepared memory, or -1 if other code has closed it, or reused its
 * number. */
static int stores_prepared(larder_place *place)
{
    struct stat file;
    int fd = place->fd;
    if (fd < 0)
        return -1; /* an earlier call has recorded the reason */
    place->fd = -1;
    if (fstat(fd, &file) == 0 && file.st_ino == place->inode && file.st_dev == place->device)
        return fd;
    stores_refuse(place, "descriptor %d was closed", fd);
    return -1;
}

/* Write the path of a store's file, or "" if it is anonymous. Returns false, and a reason, if a
 * setting is bad. */
static ZEND_COLD bool stores_path(const struct larder_partition *partition, larder_kind kind,
                                  char *path, size_t size, char *reason, size_t reason_size)
{
    path[0] = '\0';
    return partition->host ||
           larder_settings_path(kind, partition->number != 0 ? partition->scope : NULL, path, size,
                                reason, reason_size);
}

/* Keep an open store when the server reads the settings again, because PHP may use its values.
 * Warns if the store does not match the new settings. */
static ZEND_COLD void stores_keep(struct larder_partition *partition, larder_kind kind)
{
    const larder_store_row *row = larder_store_table + kind;
    larder_place *place = partition->places + kind;
    char path[sizeof place->text->path], reason[256] = "";
    lrd_info info;
    const char *changed = NULL;
    lrd_store_info(stores_loaded(place), &info);
    if (larder_configured.sapi_reason[0] != '\0')
        return; /* an embedding program may still switch Larder on */
    if (!larder_configured.enabled || larder_configured.size[kind] == 0)
        changed = "it is switched off";
    else if (!stores_path(partition, kind, path, sizeof path, reason, sizeof reason) ||
             strcmp(path, place->path) != 0)
        changed = "larder.path or larder.scope has changed";
    else if (path[0] == '\0' && (larder_configured.size[kind] + 65535) / 65536 * 65536 != info.size)
        changed = "its size has changed";
    if (changed != NULL)
        zend_error(E_CORE_WARNING,
                   "Larder: the %s store stays as it is, though %s: restart the server", row->name,
                   changed);
}

/* Decide where a store's memory will be. Returns true if the store will be anonymous. */
static ZEND_COLD bool stores_locate(struct larder_partition *partition, larder_kind kind)
{
    const larder_store_row *row = larder_store_table + kind;
    larder_place *place = partition->places + kind;
    char path[sizeof place->text->path], reason[256] = "";
    bool good = stores_path(partition, kind, path, sizeof path, reason, sizeof reason);
    if (stores_loaded(place) != NULL) {
        stores_keep(partition, kind);
        return false;
    }
    place->reason = "";
    place->lazy = false;
    if (larder_configured.sapi_reason[0] != '\0')
        stores_refuse(place, "%s", larder_configured.sapi_reason);
    else if (larder_configured.reason[0] != '\0' || !good)
        stores_refuse(place, "%s", good ? larder_configured.reason : reason);
    else if (!larder_configured.enabled)
        place->reason = strcmp(sapi_module.name, "cli") == 0
                            ? "larder.enable or larder.enable_cli is 0"
                            : "larder.enable is 0";
    else if (larder_configured.wrong[kind][0] != '\0')
        stores_refuse(place, "%s", larder_configured.wrong[kind]);
    else if (row->of_sessions && !larder_built_above.sessions())
        place->reason = "this PHP has no session extension";
    else if (larder_configured.size[kind] == 0)
        place->reason = row->size_zero;
    else if (path[0] != '\0')
        place->lazy = true;
    else
        return true;
    return false;
}

/* Return true if this process serves many requests, unlike CGI. */
static bool stores_serve(void)
{
    static const char *const others[] = {"cli", "phpdbg", "cgi-fcgi"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(sapi_module.name, others[i]) == 0)
            return false;
    return true;
}

/* Log why Larder is off, if no warning has shown the reason. */
static ZEND_COLD void stores_say_off(void)
{
    const char *reason = larder_configured.sapi_reason;
    if (reason[0] == '\0' && !larder_configured.enabled && larder_configured.reason[0] == '\0')
        reason = "larder.enable is 0";
    if (reason[0] != '\0')
        stores_log("Larder is off: %s%s", reason, "");
}

static ZEND_COLD void stores_say_off_once(void)
{
    stores_unsaid = false;
    if (!stores_serve())
        return;
    if (!larder_configured.shared_sapi || strcmp(sapi_module.name, "apache2handler") == 0)
        stores_say_off();
    /* Do not log yet, because an embedding program may still switch Larder on. The first request
     * logs. */
    else if (!larder_configured.enabled) {
        stores_unsaid = true;
        larder_stores_unsettled = true;
    }
}

void larder_stores_startup(void)
{
    bool fpm = strcmp(sapi_module.name, "fpm-fcgi") == 0;
    /* If a server has started PHP before in this process, the places may contain open stores. So
     * clear only places that were never set. */
    if (larder_partition_default.places[0].path == NULL)
        larder_places_clear(larder_partition_default.places);
    larder_named_startup();
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        larder_place *place = larder_partition_default.places + kind;
        if (!stores_locate(&larder_partition_default, (larder_kind)kind) || fpm)
            continue;
        place->lazy = stores_prepare(place);
        if (!place->lazy)
            zend_error(E_CORE_WARNING, "Larder: the %s store is off: %s",
                       larder_store_table[kind].name, place->reason);
    }
    if (fpm) { /* prepare even stores that are off, because a pool may switch them on */
        larder_stores_unsettled = true;
        stores_unprepared = !larder_configured.enabled;
        larder_fpm_startup(stores_unprepared ? 0 : larder_configured.pools);
    }
    larder_stores_unsettled = larder_stores_unsettled || larder_built_above.preloads();
    stores_say_off_once();
}

/* At the first call in an FPM worker, find its pool. The call comes from the first request, or
 * earlier if upload progress needs a session. */
static LARDER_HOT void stores_settle_pool(void)
{
    static bool settled LARDER_OF_WORKER;
    if (settled || strcmp(sapi_module.name, "fpm-fcgi") != 0 || php_during_module_startup())
        return; /* the master runs the preload script, and has no pool */
    settled = true;
    char reason[sizeof larder_configured.reason];
    bool anonymous[LARDER_KINDS], wanted = false, log = larder_fpm_worker() || stores_unprepared;
    larder_settings_read();
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        anonymous[kind] = stores_locate(&larder_partition_default, (larder_kind)kind);
        wanted = wanted || anonymous[kind];
    }
    bool found = larder_fpm_settle(wanted, reason, sizeof reason);
    if (wanted && stores_unprepared)
        snprintf(reason, sizeof reason,
                 "larder.enable is 0 in php.ini, so FPM has prepared no memory for its pools");
    if (wanted && larder_configured.fpm_reason[0] != '\0')
        snprintf(reason, sizeof reason, "%s", larder_configured.fpm_reason);
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        larder_place *place = larder_partition_default.places + kind;
        place->lazy = place->lazy || (anonymous[kind] && found);
        place->pool = anonymous[kind] && found;
        if (anonymous[kind] && !found)
            stores_refuse(place, "%s", reason);
    }
    if (larder_configured.reason[0] != '\0')
        snprintf(reason, sizeof reason, "%s", larder_configured.reason);
    if (log && !stores_unprepared && !larder_configured.enabled && reason[0] == '\0')
        snprintf(reason, sizeof reason, "larder.enable is 0");
    if (log && reason[0] != '\0')
        stores_log("Larder is off in this worker: %s%s", reason, "");
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (log && reason[0] == '\0' && larder_configured.wrong[kind][0] != '\0')
            stores_log("Larder: the %s store is off in this worker: %s",
                       larder_store_table[kind].name, larder_configured.wrong[kind]);
    for (uint32_t i = 0; log && i < larder_configured.lesser_count; i++)
        stores_log("Larder: %s%s", larder_configured.lesser[i], "");
}

void larder_stores_settle(void)
{
    if (php_during_module_startup())
        return; /* this is not a request: opcache runs the preload script */
    larder_stores_unsettled = false;
    stores_settle_pool();
    if (atomic_exchange_explicit(&stores_unsaid, false, memory_order_relaxed))
        stores_say_off();
    larder_built_above.preload();
}

static int stores_open_place(struct larder_partition *partition, larder_kind kind)
{
    larder_place *place = partition->places + kind;
    char path[sizeof place->text->path] = "", reason[sizeof place->text->reason] = "";
    bool good =
        place->pool ||
        (stores_path(partition, kind, path, sizeof path, reason, sizeof reason) &&
         (path[0] == '\0' || larder_named_folder(path, sizeof path, reason, sizeof reason)));
    place->path = path[0] == '\0' ? "" : memcpy(stores_text(place)->path, path, sizeof path);
    if (!good) {
        if (reason[0] != '\0')
            stores_refuse(place, "%s", reason);
        return LRD_EINVAL;
    }
    int fd = -1;
    if (place->path[0] == '\0') {
        fd = place->pool ? larder_fpm_take(kind) : stores_prepared(place);
        if (fd < 0 && place->pool)
            stores_refuse(
                place,
                "FPM has prepared no memory for it: set it up in php.ini, not only in the pool");
        if (fd < 0)
            return LRD_ESYS;
    }
    int rc = stores_open(partition, kind, fd);
    if (fd >= 0 && rc == LRD_OK)
        close(fd); /* the open store uses a duplicate of this descriptor */
    else if (fd >= 0 && place->pool)
        larder_fpm_put_back(kind, fd);
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

/* Return true if it is time to try again to open a store. */
static bool stores_retry_due(const larder_place *place)
{
    uint64_t at = __atomic_load_n(&place->retry_at, __ATOMIC_RELAXED);
    return at != 0 && stores_loaded(place) == NULL && stores_clock_ms() >= at;
}

static LARDER_HOT void stores_open_lazily(struct larder_partition *partition, larder_kind kind)
{
    larder_place *place = partition->places + kind;
    char notice[sizeof place->text->path + 512] = "", warning[1280] = "";
    char before[sizeof place->text->reason];
    const char *name = larder_store_table[kind].name;
    lrd_info info;
    int rc = LRD_OK;
    bool again = false;
    pthread_mutex_lock(&stores_opening);
    if (place->lazy || stores_retry_due(place)) {
        again = place->retry_at != 0;
        snprintf(before, sizeof before, "%s", place->reason);
        rc = stores_open_place(partition, kind);
        __atomic_store_n(&place->retry_at, rc == LRD_OK ? 0 : stores_clock_ms() + STORES_RETRY_MS,
                         __ATOMIC_RELAXED);
        place->failures += rc != LRD_OK;
        if (rc == LRD_OK)
            place->reason = "";
        if (rc == LRD_OK && place->path[0] != '\0') {
            lrd_store_info(place->store, &info);
            larder_named_notice(kind, place->path, &info, notice, sizeof notice);
        }
        if (rc == LRD_OK)
            snprintf(warning, sizeof warning, "%s", lrd_store_warning(place->store));
        __atomic_store_n(&place->lazy, false, __ATOMIC_RELEASE);
    }
    /* unlock before logging, which may end the request */
    pthread_mutex_unlock(&stores_opening);
    if (rc != LRD_OK && (!again || strcmp(before, place->reason) != 0))
        stores_log("Larder: the %s store is off: %s", name, place->reason);
    else if (rc == LRD_OK && again)
        stores_log("Larder: the %s store is on again%s", name, "");
    if (rc == LRD_OK && notice[0] != '\0')
        stores_log("Larder: %s%s", notice, "");
    if (warning[0] != '\0' && PG(log_errors))
        stores_log("Larder: the %s store: %s", name, warning);
}

static LARDER_HOT struct larder_partition *stores_partition(void)
{
    if (LARDER_G(partition) == NULL) {
        LARDER_G(used) = true;
        if (UNEXPECTED(larder_stores_unsettled))
            stores_settle_pool();
        LARDER_G(partition) = larder_partition_now();
    }
    return LARDER_G(partition);
}

larder_place *larder_place_of(larder_kind kind)
{
    static larder_place none = {.fd = -1, .path = "", .reason = "there are too many larder.scope"};
    struct larder_partition *partition = stores_partition();
    return partition != NULL ? partition->places + kind : &none;
}

bool larder_stores_locate(struct larder_partition *partition)
{
    bool good = true;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (stores_locate(partition, (larder_kind)kind))
            good =
                good && (partition->places[kind].lazy = stores_prepare(partition->places + kind));
    for (int kind = 0; kind < LARDER_KINDS && !good; kind++)
        if (partition->places[kind].fd >= 0)
            close(partition->places[kind].fd);
    return good;
}

/* Give up a store whose file was removed, replaced or truncated. The next access opens the path
 * again. */
static ZEND_COLD void stores_moved(larder_place *place, larder_kind kind, lrd_store *store)
{
    char why[512];
    snprintf(why, sizeof why, "%s", lrd_error_detail());
    larder_built_above.left(store);
    pthread_mutex_lock(&stores_opening);
    bool first = stores_loaded(place) == store;
    if (first) {
        __atomic_store_n(&place->store, NULL, __ATOMIC_RELEASE);
        __atomic_store_n(&place->prepared, false, __ATOMIC_RELEASE);
        __atomic_store_n(&place->lazy, true, __ATOMIC_RELEASE);
        if (larder_enter()) {
            stores_leave(store);
            larder_leave();
        }
    }
    /* unlock before logging, which may end the request */
    pthread_mutex_unlock(&stores_opening);
    if (first && PG(log_errors))
        stores_log("Larder: the %s store is opened again: %s", larder_store_table[kind].name, why);
}

/* Record and log why this thread cannot use an open store. Logs no error code twice in a row. */
static ZEND_COLD void stores_unusable(larder_place *place, larder_kind kind, int rc)
{
    const char *name = lrd_error_name(rc);
    char remedy[256];
    pthread_mutex_lock(&stores_opening);
    bool said = place->text != NULL && strncmp(place->text->reason, name, strlen(name)) == 0;
    larder_named_remedy(kind, place->path, rc, remedy, sizeof remedy);
    stores_refuse(place, "%s: %s%s%s%s", name, lrd_strerror(rc),
                  *lrd_error_detail() != '\0' ? ": " : "", lrd_error_detail(), remedy);
    /* unlock before logging, which may end the request */
    pthread_mutex_unlock(&stores_opening);
    if (!said)
        stores_log("Larder: this process cannot use the %s store: %s",
                   larder_store_table[kind].name, place->reason);
}

lrd_store *larder_activate(larder_kind kind)
{
    int rc;
    LARDER_G(used) = true;
    if (CG(compiler_options) & ZEND_COMPILE_PRELOAD)
        return NULL;
    if (UNEXPECTED(LARDER_G(inside)))
        /* a signal handler has called this function, and the interrupted call may hold
         * stores_opening */
        return NULL;
    struct larder_partition *partition = stores_partition();
    if (partition == NULL)
        return NULL;
    larder_place *place = partition->places + kind;
    if (UNEXPECTED(__atomic_load_n(&place->lazy, __ATOMIC_ACQUIRE)) ||
        (UNEXPECTED(__atomic_load_n(&place->retry_at, __ATOMIC_RELAXED) != 0) &&
         stores_retry_due(place)))
        stores_open_lazily(partition, kind);
    lrd_store *store = stores_loaded(place);
    if (store == NULL)
        return NULL;
    LARDER_CALL(rc, lrd_request_begin(store));
    if (UNEXPECTED(rc == LRD_EMOVED || rc == LRD_ETRUNCATED) && place->path[0] != '\0') {
        stores_moved(place, kind, store);
        stores_open_lazily(partition, kind);
        store = stores_loaded(place);
        if (store == NULL)
            return NULL;
        LARDER_CALL(rc, lrd_request_begin(store));
    }
    /* Do not use the store. Usually it has no free slot for this thread, and only a slot keeps the
     * values that the thread reads from being freed. */
    if (UNEXPECTED(rc != LRD_OK)) {
        stores_unusable(place, kind, rc);
        return NULL;
    }
    place->reason = "";
    LARDER_G(active)[kind] = store;
    if (UNEXPECTED(larder_configured.endless))
        larder_built_above.endless(kind, store);
    return store;
}

/* Tell the stores of one partition that the request ends. */
static zend_always_inline void stores_end(struct larder_partition *partition,
                                          lrd_store *active[LARDER_KINDS])
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        int rc;
        lrd_store *store = active[kind];
        if (store == NULL)
            continue;
        LARDER_CALL(rc, lrd_request_end(store));
        (void)rc;
#ifdef ZTS
        if (UNEXPECTED(stores_loaded(partition->places + kind) != store))
            /* another thread has replaced this store, so this thread must leave it */
            lrd_thread_leave(store);
#else
        (void)partition;
#endif
        active[kind] = NULL;
    }
}

/* One of the sites that a worker serves. The worker's variables may contain values of each site, so
 * all values stay held until the PHP request ends. */
struct larder_site {
    struct larder_site *next;
    struct larder_partition *partition;
    /* The stores that the site's requests have used, or NULL while they are in LARDER_G(active). */
    lrd_store *active[LARDER_KINDS];
};

static struct larder_site *stores_site(const struct larder_partition *partition)
{
    struct larder_site *site = LARDER_G(sites);
    while (site != NULL && site->partition != partition)
        site = site->next;
    return site;
}

/* Record the stores of the site that the worker leaves. */
static void stores_leave_site(struct larder_partition *partition)
{
    struct larder_site *site = stores_site(partition);
    if (site == NULL) {
        site = pecalloc(1, sizeof *site, 1);
        site->partition = partition;
        site->next = LARDER_G(sites);
        LARDER_G(sites) = site;
    }
    memcpy(site->active, LARDER_G(active), sizeof site->active);
    memset(LARDER_G(active), 0, sizeof LARDER_G(active));
}

static ZEND_COLD void stores_change_site(struct larder_partition *to)
{
    if (LARDER_G(partition) != NULL)
        stores_leave_site(LARDER_G(partition));
    LARDER_G(partition) = to; /* NULL if there are too many partitions */
    LARDER_G(immutable_prepared) = false;
    LARDER_G(holds_worker) = 0;
    struct larder_site *site = to != NULL ? stores_site(to) : NULL;
    if (site == NULL)
        return;
    /* The PHP request goes on, so its variables may still contain values that were held during an
     * earlier request of this site. Continue to use the stores of these values. */
    memcpy(LARDER_G(active), site->active, sizeof site->active);
    memset(site->active, 0, sizeof site->active);
}

void larder_stores_next_request(void)
{
    if (EXPECTED(!larder_configured.shared_sapi))
        return;
    larder_partition_begin();
    if (LARDER_G(partition) == NULL && LARDER_G(sites) == NULL)
        return; /* no store has been used */
    struct larder_partition *partition = larder_partition_now();
    if (UNEXPECTED(partition != LARDER_G(partition)))
        stores_change_site(partition);
}

static ZEND_COLD void stores_end_sites(void)
{
    struct larder_site *site;
    while ((site = LARDER_G(sites)) != NULL) {
        LARDER_G(sites) = site->next;
        stores_end(site->partition, site->active);
        pefree(site, 1);
    }
}

void larder_deactivate(void)
{
    stores_end(LARDER_G(partition), LARDER_G(active));
    if (UNEXPECTED(LARDER_G(sites) != NULL))
        stores_end_sites();
    LARDER_G(partition) = NULL;
    LARDER_G(immutable_prepared) = false;
}

const char *larder_store_reason(larder_kind kind)
{
    return CG(compiler_options) & ZEND_COMPILE_PRELOAD
               ? "opcache preloads: stores are opened when that is done"
           : LARDER_G(inside) ? lrd_strerror(LRD_EREENTRY)
                              : larder_place_of(kind)->reason;
}

/* Return the partition after `partition`, or the first one if `partition` is NULL. */
static struct larder_partition *stores_next(struct larder_partition *partition)
{
    return partition == NULL ? &larder_partition_default
                             : atomic_load_explicit(&partition->next, memory_order_acquire);
}

void larder_stores_leave(void)
{
    for (struct larder_partition *p = NULL; (p = stores_next(p)) != NULL;)
        for (int kind = 0; kind < LARDER_KINDS; kind++) {
            lrd_store *store = stores_loaded(p->places + kind);
            if (store != NULL)
                lrd_thread_leave(store);
        }
}

bool larder_contains_there(const void *pointer)
{
    for (struct larder_partition *p = NULL; (p = stores_next(p)) != NULL;)
        for (int kind = 0; kind < LARDER_KINDS; kind++) {
            const lrd_store *store = stores_loaded(p->places + kind);
            if (store != NULL && lrd_contains(store, pointer))
                return true;
        }
#ifdef ZTS
    for (unsigned i = atomic_load_explicit(&stores_left_count, memory_order_acquire); i-- > 0;)
        if (lrd_contains(stores_left[i], pointer))
            return true;
#endif
    return false;
}
