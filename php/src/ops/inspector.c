/* inspector.c - Larder\Inspector: opens an existing store without changing it, and returns facts
 * and statistics. entries.c walks over the entries. Begin reading at METHOD(open).
 *
 * - If this process uses the store itself, an Inspector shares the process's mapping. Otherwise,
 *   all Inspectors of the store share one mapping, and the last Inspector closes it.
 * - If an Inspector has returned a value of a store, the store stays open, because the value may
 *   live as long as the process.
 * - open_basedir must allow each path that a program passes to open(), and each path that path()
 *   computes. */
#include "ops/inspector.h"
#include "api/arguments.h"
#include "api/info.h"
#include "fetch/fetch.h"
#include "fetch/resident.h"
#include "stores/named.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "stores/table.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"
#include "ops/inspector_arginfo.h"

#include <pthread.h>
#include <sys/stat.h>

static zend_class_entry *inspector_class;
static zend_object_handlers inspector_handlers;

/* ---- files that this process has open ---- */

typedef struct inspector_opened {
    struct inspector_opened *next;
    lrd_store *store;
    dev_t device;
    ino_t inode;
    uint32_t users; /* number of Inspectors that use the store */
    /* true if an Inspector has returned a value, so that the store stays open */
    bool taken;
} inspector_opened;

/* The stores that were opened for Inspectors. inspector_lock protects the list and its elements. */
static inspector_opened *inspector_files;
static pthread_mutex_t inspector_lock = PTHREAD_MUTEX_INITIALIZER;

/* Find a file in inspector_files, or return NULL. The caller holds the lock. */
static inspector_opened *inspector_find(const struct stat *file)
{
    inspector_opened *opened = inspector_files;
    while (opened != NULL && (opened->device != file->st_dev || opened->inode != file->st_ino))
        opened = opened->next;
    return opened;
}

/* Open the store of a file. If an Inspector has opened the same file already, share its store, and
 * increment `users`. The caller holds the lock. */
static int inspector_map_locked(const char *path, inspector_opened **found)
{
    struct stat file, now;
    lrd_store *store;
    lrd_options options = {.path = path, .open_only = true};
    bool there = lstat(path, &file) == 0;
    inspector_opened *opened = there ? inspector_find(&file) : NULL;
    if (opened != NULL) {
        opened->users++;
        *found = opened;
        return LRD_OK;
    }
    int rc = lrd_open(&options, &store);
    if (rc != LRD_OK)
        return rc;
    opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        lrd_close(store);
        return LRD_ENOMEM;
    }
    /* Another file may have been moved to this path during lrd_open(). Then it is not known which
     * of the two files is open, so do not share the store with other Inspectors. */
    bool known =
        there && lstat(path, &now) == 0 && now.st_dev == file.st_dev && now.st_ino == file.st_ino;
    *opened = (inspector_opened){.next = inspector_files,
                                 .store = store,
                                 .device = known ? file.st_dev : 0,
                                 .inode = known ? file.st_ino : 0,
                                 .users = 1};
    inspector_files = *found = opened;
    return LRD_OK;
}

static int inspector_map(const char *path, inspector_opened **found)
{
    pthread_mutex_lock(&inspector_lock);
    int rc = inspector_map_locked(path, found);
    pthread_mutex_unlock(&inspector_lock);
    return rc;
}

static void inspector_unmap(inspector_opened *opened)
{
    inspector_opened **at = &inspector_files;
    if (!larder_enter())
        return; /* A signal handler has interrupted a call of the core, so leave the store open. */
    pthread_mutex_lock(&inspector_lock);
    if (--opened->users == 0 && !opened->taken) {
        while (*at != opened)
            at = &(*at)->next;
        *at = opened->next;
        lrd_close(opened->store);
        free(opened);
    }
    pthread_mutex_unlock(&inspector_lock);
    larder_leave();
}

/* ---- the PHP object ---- */

static zend_object *inspector_create(zend_class_entry *class)
{
    larder_inspector *inspector = zend_object_alloc(sizeof *inspector, class);
    inspector->store = NULL;
    inspector->opened = NULL;
    inspector->own = false;
    zend_object_std_init(&inspector->std, class);
    object_properties_init(&inspector->std, class);
    inspector->std.handlers = &inspector_handlers;
    return &inspector->std;
}

static void inspector_free(zend_object *object)
{
    larder_inspector *inspector = larder_inspector_of(object);
    if (inspector->opened != NULL)
        inspector_unmap(inspector->opened);
    zend_object_std_dtor(object);
}

void larder_inspector_register(void)
{
    inspector_class = register_class_Larder_Inspector();
    inspector_class->create_object = inspector_create;
    memcpy(&inspector_handlers, &std_object_handlers, sizeof inspector_handlers);
    inspector_handlers.offset = offsetof(larder_inspector, std);
    inspector_handlers.free_obj = inspector_free;
    inspector_handlers.clone_obj = NULL;
}

/* Make an Inspector. If `own` is true, this process uses the store itself, as the kind `kind`. */
static void inspector_make(zval *result, lrd_store *store, bool own, larder_kind kind)
{
    lrd_info info;
    object_init_ex(result, inspector_class);
    larder_inspector *inspector = larder_inspector_of(Z_OBJ_P(result));
    lrd_store_info(store, &info);
    inspector->store = store;
    inspector->policy = info.policy;
    inspector->kind = kind;
    inspector->own = own;
}

/* ---- choosing a store: own(), open(), path() ---- */

static bool inspector_kind(zend_string *name, larder_kind *kind)
{
    for (int i = 0; i < LARDER_KINDS; i++)
        if (zend_string_equals_cstr(name, larder_store_table[i].name,
                                    strlen(larder_store_table[i].name))) {
            *kind = (larder_kind)i;
            return true;
        }
    smart_str names = {0};
    for (int i = 0; i < LARDER_KINDS; i++)
        smart_str_append_printf(&names, "%s\"%s\"",
                                i == 0                  ? ""
                                : i == LARDER_KINDS - 1 ? " or "
                                                        : ", ",
                                larder_store_table[i].name);
    smart_str_0(&names);
    zend_argument_value_error(1, "must be %s", ZSTR_VAL(names.s));
    smart_str_free(&names);
    return false;
}

PHP_METHOD(Larder_Inspector, __construct) {}

PHP_METHOD(Larder_Inspector, own)
{
    zend_string *name;
    larder_kind kind;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!inspector_kind(name, &kind))
        RETURN_THROWS();
    lrd_store *store = larder_store(kind);
    if (store == NULL) {
        const char *reason = larder_place_of(kind)->reason;
        zend_throw_exception_ex(larder_exception_class, 0, "the %s store is off: %s",
                                larder_store_table[kind].name,
                                reason[0] != '\0' ? reason : "not usable here");
        RETURN_THROWS();
    }
    inspector_make(return_value, store, true, kind);
}

/* Return true if open_basedir allows the path. Otherwise throws an exception. */
static bool inspector_allowed(const char *path)
{
    if (php_check_open_basedir_ex(path, 0) == 0)
        return true;
    if (!EG(exception))
        zend_throw_exception_ex(larder_exception_class, 0,
                                "%s: open_basedir does not allow this path; allowed: %s", path,
                                PG(open_basedir));
    return false;
}

/* If the file `path` contains a store that this process uses for its requests, return that store.
 * Otherwise return NULL. A process must not map a file twice. */
static lrd_store *inspector_own(const char *path, larder_kind *kind)
{
    struct stat file, own;
    bool there = stat(path, &file) == 0;
    for (int i = 0; i < LARDER_KINDS; i++) {
        const larder_place *place = larder_place_of((larder_kind)i);
        *kind = (larder_kind)i;
        if (place->store != NULL && place->path[0] != '\0' &&
            (strcmp(place->path, path) == 0 ||
             (there && stat(place->path, &own) == 0 && own.st_dev == file.st_dev &&
              own.st_ino == file.st_ino)))
            return larder_store((larder_kind)i);
    }
    return NULL;
}

PHP_METHOD(Larder_Inspector, open)
{
    zend_string *path;
    larder_kind kind;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_PATH_STR(path)
    ZEND_PARSE_PARAMETERS_END();
    if (!inspector_allowed(ZSTR_VAL(path)))
        RETURN_THROWS();
    lrd_store *store = inspector_own(ZSTR_VAL(path), &kind);
    if (store != NULL) {
        inspector_make(return_value, store, true, kind);
        return;
    }
    inspector_opened *opened = NULL;
    LARDER_CALL(rc, inspector_map(ZSTR_VAL(path), &opened));
    if (opened == NULL) {
        zend_throw_exception_ex(larder_exception_class, rc, "%s: %s: %s", lrd_error_name(rc),
                                lrd_strerror(rc), lrd_error_detail());
        RETURN_THROWS();
    }
    inspector_make(return_value, opened->store, false, LARDER_VOLATILE);
    larder_inspector_of(Z_OBJ_P(return_value))->opened = opened;
}

PHP_METHOD(Larder_Inspector, path)
{
    zend_string *name, *scope, *folder = NULL;
    larder_kind kind;
    char path[512], reason[LARDER_REASON_MAX] = "";
    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_STR(scope)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR(folder)
    ZEND_PARSE_PARAMETERS_END();
    if (!inspector_kind(name, &kind))
        RETURN_THROWS();
    if (!larder_settings_path_of(folder != NULL ? ZSTR_VAL(folder) : "/dev/shm", ZSTR_VAL(scope),
                                 kind, path, sizeof path, reason, sizeof reason)) {
        zend_throw_exception(larder_exception_class, reason, 0);
        RETURN_THROWS();
    }
    /* The user may have replaced the folder of their stores since the last call, so search for the
     * file again. */
    if (!inspector_allowed(path))
        RETURN_THROWS();
    larder_named_find(path, sizeof path);
    RETURN_STRING(path);
}

static larder_inspector *inspector_this(zval *object)
{
    larder_inspector *inspector = larder_inspector_of(Z_OBJ_P(object));
    if (inspector->store == NULL)
        zend_throw_error(NULL, "The Inspector was not made by own() or open()");
    return inspector->store != NULL ? inspector : NULL;
}

/* Return the Inspector. Throws and returns NULL for queues, which have no entries. */
static larder_inspector *inspector_with_entries(zval *object)
{
    larder_inspector *inspector = inspector_this(object);
    if (inspector == NULL || inspector->policy != LRD_QUEUE)
        return inspector;
    zend_throw_exception(larder_exception_class,
                         "the store has queues, not entries: ask Larder\\Queue", 0);
    return NULL;
}

/* ---- statistics and lists of entries ---- */

static const char *const inspector_policies[] = {
    [LRD_VOLATILE] = "volatile", [LRD_PINNED] = "pinned", [LRD_IMMUTABLE] = "immutable",
    [LRD_SESSION] = "session",   [LRD_QUEUE] = "queue",
};

/* Return true if this PHP can read the values. Every PHP can read sessions. */
static bool inspector_readable(const larder_inspector *inspector, const lrd_info *info)
{
    const char *abi = info->policy == LRD_SESSION ? larder_store_table[LARDER_SESSIONS].value_abi
                                                  : larder_stores_abi();
    return inspector->own || strcmp(info->value_abi, abi) == 0;
}

/* Return a count as an int of PHP. In a damaged file, a count may have any value. */
static zend_long inspector_long(uint64_t number)
{
    return number > (uint64_t)ZEND_LONG_MAX ? ZEND_LONG_MAX : (zend_long)number;
}

static void inspector_numbers(zval *result, const lrd_info *info, const lrd_stats *stats)
{
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {
        {"size", info->size},
        {"used", stats->live_bytes},
        {"claimed", stats->page_bytes},
        {"retired", stats->retired_bytes + stats->dead_bytes},
        {"held", stats->held_quota},
        {"entries", stats->entries},
        {"entry_limit", info->entries_max},
        {"value_limit", info->value_max},
        {"hits", stats->hits},
        {"misses", stats->misses},
        {"inserts", stats->inserts},
        {"replaces", stats->replaces},
        {"deletes", stats->deletes},
        {"evicted", stats->evicted},
        {"expired", stats->expired},
        {"ghost_hits", stats->ghost_hits},
        {"refused", stats->refused},
        {"copies", stats->copies},
        {"packs", stats->packs},
        {"falls", stats->falls},
        {"rises", stats->rises},
        {"unpacks", stats->unpacks},
        {"packed_entries", stats->packed_entries},
        {"packed_bytes", stats->packed_bytes},
        {"packed_ready", stats->packed_ready},
        {"deaths", stats->deaths},
        {"recoveries", stats->recoveries},
        {"repairs", stats->emptied_shards},
        {"memory_short", stats->memory_short},
        {"busy", stats->busy},
        {"threads", stats->slots_used},
        {"thread_limit", info->slots},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_assoc_long(result, numbers[i].name, inspector_long(numbers[i].number));
    zval causes;
    array_init(&causes);
    for (int cause = 0; cause < (int)LRD_REFUSALS; cause++)
        add_assoc_long(&causes, lrd_refusal_name(cause), inspector_long(stats->refused_by[cause]));
    add_assoc_zval(result, "refusal_causes", &causes);
    array_init(&causes);
    for (int cause = 0; cause < (int)LRD_COPY_CAUSES; cause++)
        add_assoc_long(&causes, lrd_copy_name(cause), inspector_long(stats->copies_by[cause]));
    add_assoc_zval(result, "copy_causes", &causes);
    add_assoc_double(result, "evicted_age", (double)stats->evicted_age_ms / 1000);
    add_assoc_double(result, "uptime", (double)stats->age_ms / 1000);
}

PHP_METHOD(Larder_Inspector, stats)
{
    lrd_info info;
    lrd_stats stats;
    uint32_t graphs;
    size_t bytes;
    int rc;
    ZEND_PARSE_PARAMETERS_NONE();
    const larder_inspector *inspector = inspector_this(ZEND_THIS);
    if (inspector == NULL)
        RETURN_THROWS();
    const larder_place *place = inspector->own ? larder_place_of(inspector->kind) : NULL;
    lrd_store_info(inspector->store, &info);
    LARDER_CALL(rc, lrd_stats_get(inspector->store, &stats));
    (void)rc;
    larder_residents_usage(&graphs, &bytes);
    array_init(return_value);
    add_assoc_string(return_value, "name",
                     place != NULL ? larder_store_table[inspector->kind].name : "");
    add_assoc_string(return_value, "path", place != NULL ? place->path : "");
    add_assoc_string(return_value, "policy", inspector_policies[info.policy]);
    add_assoc_string(return_value, "abi", info.value_abi);
    add_assoc_bool(return_value, "readable", inspector_readable(inspector, &info));
    add_assoc_bool(return_value, "fence", info.fence);
    inspector_numbers(return_value, &info, &stats);
    add_assoc_long(return_value, "resident_graphs", place != NULL ? (zend_long)graphs : 0);
    add_assoc_long(return_value, "resident_bytes", place != NULL ? (zend_long)bytes : 0);
    add_assoc_long(return_value, "failures", place != NULL ? (zend_long)place->failures : 0);
}

static larder_order inspector_order(const zend_string *name)
{
    static const char *const names[] = {"", "size", "uses", "age", "ttl", "key"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], ZSTR_VAL(name)) == 0)
            return (larder_order)i;
    zend_argument_value_error(2, "must be \"\", \"size\", \"uses\", \"age\", \"ttl\" or \"key\"");
    return LARDER_ORDER_NONE;
}

PHP_METHOD(Larder_Inspector, entries)
{
    zend_string *prefix = NULL, *order = NULL, *pool = NULL;
    zend_long limit = 0;
    ZEND_PARSE_PARAMETERS_START(0, 4)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
        Z_PARAM_STR(order)
        Z_PARAM_LONG(limit)
        Z_PARAM_STR_OR_NULL(pool)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    larder_order by =
        order != NULL && inspector != NULL ? inspector_order(order) : LARDER_ORDER_NONE;
    if (!EG(exception) && limit < 0)
        zend_argument_value_error(3, "must be greater than or equal to 0");
    if (EG(exception))
        RETURN_THROWS();
    larder_inspect_entries(inspector, prefix != NULL ? prefix : ZSTR_EMPTY_ALLOC(), by,
                           (uint64_t)limit, pool, return_value);
}

PHP_METHOD(Larder_Inspector, keys)
{
    zend_string *prefix = NULL, *pool = NULL;
    zend_long limit = 0;
    bool named = false;
    ZEND_PARSE_PARAMETERS_START(0, 4)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
        Z_PARAM_LONG(limit)
        Z_PARAM_STR_OR_NULL(pool)
        Z_PARAM_BOOL(named)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    if (inspector != NULL && limit < 0)
        zend_argument_value_error(2, "must be greater than or equal to 0");
    if (EG(exception))
        RETURN_THROWS();
    larder_inspect_keys(inspector, prefix != NULL ? prefix : ZSTR_EMPTY_ALLOC(), (uint64_t)limit,
                        pool, named, return_value);
}

PHP_METHOD(Larder_Inspector, totals)
{
    zend_string *prefix = NULL;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    if (inspector == NULL)
        RETURN_THROWS();
    larder_inspect_totals(inspector, prefix != NULL ? prefix : ZSTR_EMPTY_ALLOC(), return_value);
}

/* ---- reading and removing entries: value(), delete(), clear() ---- */

PHP_METHOD(Larder_Inspector, value)
{
    zend_string *key;
    zval *found = NULL;
    lrd_value value;
    lrd_info info;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(found)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    if (inspector == NULL || !larder_key_check(key, 1))
        RETURN_THROWS();
    if (inspector->policy == LRD_SESSION) {
        zend_throw_exception(larder_exception_class,
                             "the content of a session is not shown: only its own site may read it",
                             0);
        RETURN_THROWS();
    }
    lrd_store_info(inspector->store, &info);
    if (!inspector_readable(inspector, &info)) {
        zend_throw_exception_ex(larder_exception_class, 0,
                                "the values are of \"%s\", which this PHP (\"%s\") cannot read",
                                info.value_abi, larder_stores_abi());
        RETURN_THROWS();
    }
    LARDER_CALL(rc, lrd_get(inspector->store, ZSTR_VAL(key), ZSTR_LEN(key),
                            LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    bool there = rc == LRD_OK;
    if (there && !larder_value_sound(inspector->store, &value)) {
        larder_take_end(inspector->store, &value);
        zend_throw_exception(larder_exception_class, "the value is damaged", 0);
        RETURN_THROWS();
    }
    if (there && inspector->opened != NULL) {
        pthread_mutex_lock(&inspector_lock);
        inspector->opened->taken = true;
        pthread_mutex_unlock(&inspector_lock);
    }
    there = there && larder_take_again(inspector->store, &value, return_value);
    if (found != NULL)
        ZEND_TRY_ASSIGN_REF_BOOL(found, there);
}

PHP_METHOD(Larder_Inspector, delete)
{
    zend_string *key;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    if (inspector == NULL || !larder_key_check(key, 1))
        RETURN_THROWS();
    if (inspector->policy == LRD_SESSION)
        RETURN_BOOL(larder_inspect_end_session(inspector, key));
    LARDER_CALL(rc, lrd_delete(inspector->store, ZSTR_VAL(key), ZSTR_LEN(key)));
    if (rc < 0) {
        zend_throw_exception_ex(larder_exception_class, rc, "%s %s", lrd_strerror(rc),
                                lrd_error_detail());
        RETURN_THROWS();
    }
    RETURN_BOOL(rc == LRD_OK);
}

PHP_METHOD(Larder_Inspector, clear)
{
    zend_string *prefix = NULL;
    lrd_stats stats;
    int rc;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();
    const larder_inspector *inspector = inspector_with_entries(ZEND_THIS);
    if (inspector == NULL)
        RETURN_THROWS();
    if (inspector->policy == LRD_SESSION && prefix == NULL)
        /* A request that uses a session must learn that the session was deleted. So end each
         * session by larder_session_end(), which leaves a mark; lrd_clear() would leave none. The
         * empty prefix selects all sessions. */
        prefix = ZSTR_EMPTY_ALLOC();
    if (prefix != NULL && (ZSTR_LEN(prefix) != 0 || inspector->policy == LRD_SESSION))
        RETURN_LONG((zend_long)larder_inspect_clear(inspector, prefix));
    LARDER_CALL(rc, lrd_stats_get(inspector->store, &stats));
    LARDER_CALL(rc, lrd_clear(inspector->store));
    if (rc != LRD_OK) {
        zend_throw_exception_ex(larder_exception_class, rc, "%s %s", lrd_strerror(rc),
                                lrd_error_detail());
        RETURN_THROWS();
    }
    RETURN_LONG((zend_long)stats.entries);
}

/* ---- fsck() and threads() ---- */

#define INSPECTOR_TEXTS 100 /* maximum number of violations that fsck() returns */

typedef struct inspector_texts {
    uint32_t count;
    char text[INSPECTOR_TEXTS][256];
} inspector_texts;

/* Record a violation for lrd_fsck(). Allocates nothing, because a bailout would interrupt
 * lrd_fsck(). */
static void inspector_violation(void *arg, const char *text)
{
    inspector_texts *texts = arg;
    if (texts->count < INSPECTOR_TEXTS)
        snprintf(texts->text[texts->count++], sizeof texts->text[0], "%s", text);
}

PHP_METHOD(Larder_Inspector, fsck)
{
    int rc;
    ZEND_PARSE_PARAMETERS_NONE();
    const larder_inspector *inspector = inspector_this(ZEND_THIS);
    if (inspector == NULL)
        RETURN_THROWS();
    inspector_texts *texts = emalloc(sizeof *texts);
    texts->count = 0;
    LARDER_CALL(rc, lrd_fsck(inspector->store, inspector_violation, texts));
    array_init(return_value);
    for (uint32_t i = 0; i < texts->count; i++)
        add_next_index_string(return_value, texts->text[i]);
    efree(texts);
    if (rc < 0)
        zend_throw_exception_ex(larder_exception_class, rc, "%s %s", lrd_strerror(rc),
                                lrd_error_detail());
}

typedef struct inspector_users {
    uint32_t count;
    lrd_user user[LRD_USERS_MAX];
} inspector_users;

static void inspector_user(void *arg, const lrd_user *user)
{
    inspector_users *users = arg;
    if (users->count < sizeof users->user / sizeof *users->user)
        users->user[users->count++] = *user;
}

PHP_METHOD(Larder_Inspector, threads)
{
    int rc;
    ZEND_PARSE_PARAMETERS_NONE();
    const larder_inspector *inspector = inspector_this(ZEND_THIS);
    if (inspector == NULL)
        RETURN_THROWS();
    inspector_users *users = emalloc(sizeof *users);
    users->count = 0;
    LARDER_CALL(rc, lrd_users(inspector->store, inspector_user, users));
    (void)rc;
    array_init(return_value);
    for (uint32_t i = 0; i < users->count; i++) {
        zval one;
        array_init(&one);
        add_assoc_long(&one, "thread", users->user[i].thread);
        add_assoc_long(&one, "hits", (zend_long)users->user[i].hits);
        add_assoc_long(&one, "misses", (zend_long)users->user[i].misses);
        add_assoc_long(&one, "copies", (zend_long)users->user[i].copies);
        add_assoc_long(&one, "held", (zend_long)users->user[i].held_quota);
        add_next_index_zval(return_value, &one);
    }
    efree(users);
}
