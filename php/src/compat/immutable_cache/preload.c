/* preload.c - loads the folders in immutable_cache.preload and .preload_path into a store. Begin
 * reading at larder_immutable_prepare().
 *
 * - One process loads the files, under the lock of preload_mark, while the others wait. At the end,
 *   it stores the entry preload_mark, so that no process loads the folders again.
 * - If the process dies before that, the next one loads the missing entries.
 * - No user code runs. Errors go to PHP's log, because the script of the first request did not
 *   cause them. */
#include "compat/immutable_cache/immutable_cache.h"
#include "api/lock.h"
#include "api/wait.h"
#include "compat/preload.h"
#include "put/content.h"
#include "stores/log.h"
#include "stores/stores.h"
#include "SAPI.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>

/* maximum time (ms) to wait while another process loads the files; then PHP uses the store as it
 * is */
#define PRELOAD_WAIT_MS 10000u
#define PRELOAD_STEP_MS 100u
#define PRELOAD_SUFFIX ".data"

static const char *const preload_directives[] = {"immutable_cache.preload",
                                                 "immutable_cache.preload_path"};

/* key of an entry that contains the time at which the files were loaded */
static const char preload_mark[] = LARDER_OWN_KEY "started";
#define PRELOAD_MARK_LENGTH (sizeof preload_mark - 1)

static void preload_log(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int used = snprintf(text, sizeof text, "Larder: immutable_cache.preload_path: ");
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    larder_log(text);
}

static void preload_file(lrd_store *store, const char *folder, const char *name)
{
    char path[MAXPATHLEN];
    zval value;
    size_t wrong_at;
    const char *wrong;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        preload_log("%s/%s: its path is too long", folder, name);
        return;
    }
    zend_string *text = larder_preload_read(path, &wrong);
    if (text == NULL) {
        preload_log("%s: %s", path, wrong);
        return;
    }
    if (larder_preload_parse(text, &value, &wrong_at)) {
        zend_string *key = zend_string_init(name, strlen(name) - strlen(PRELOAD_SUFFIX), 0);
        int rc = larder_preload_add(larder_immutable_format, store, key, text, &value);
        if (rc < 0)
            preload_log("%s: not stored: %s", path, lrd_strerror(rc));
        zend_string_release(key);
        /* the engine itself reports that memory_limit was exceeded */
    } else if (!LARDER_OUT_OF_MEMORY()) {
        preload_log("%s: not the text of one serialized value (wrong at byte %zu of %zu)", path,
                    wrong_at, ZSTR_LEN(text));
    }
    zval_ptr_dtor(&value);
    zend_string_release(text);
}

static int preload_wanted(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(PRELOAD_SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, PRELOAD_SUFFIX) == 0;
}

/* Load the files of the folder that a directive names. Returns false if memory_limit was
 * exceeded. */
static bool preload_folder(lrd_store *store, const char *directive)
{
    const char *folder = zend_ini_string_ex(directive, strlen(directive), 1, NULL);
    if (folder == NULL || *folder == '\0')
        return true;
    struct dirent **names = NULL;
    int count = scandir(folder, &names, preload_wanted, alphasort);
    bool good = true;
    if (count < 0)
        preload_log("%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (good)
            preload_file(store, folder, names[i]->d_name);
        good = good && !LARDER_OUT_OF_MEMORY();
        free(names[i]);
    }
    free(names);
    return good;
}

/* ---- loading the files once ---- */

zend_long larder_immutable_started(lrd_store *store)
{
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_get(store, preload_mark, PRELOAD_MARK_LENGTH,
                            LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    return rc == LRD_OK && value.type == LRD_TYPE_COUNTER ? (zend_long)lrd_counter_value(&value)
                                                          : 0;
}

static zend_never_inline void preload_once(lrd_store *store)
{
    uint64_t token = 0;
    int64_t now = (int64_t)time(NULL);
    int rc = LRD_HELD;
    uint64_t until = larder_wait_clock() + PRELOAD_WAIT_MS;
    for (uint64_t step = 0; rc == LRD_HELD; step = PRELOAD_STEP_MS) {
        if (larder_immutable_started(store) != 0 || (step != 0 && larder_wait_clock() >= until))
            return;
        LARDER_CALL(rc, lrd_lock(store, preload_mark, PRELOAD_MARK_LENGTH, 0, step, &token));
    }
    if (rc != LRD_OK)
        return;
    if (larder_immutable_started(store) == 0 && preload_folder(store, preload_directives[0]) &&
        preload_folder(store, preload_directives[1])) {
        LARDER_CALL(rc, lrd_put(store, preload_mark, PRELOAD_MARK_LENGTH, &now, sizeof now,
                                &(lrd_write){.mode = LRD_ADD, .type = LRD_TYPE_COUNTER}));
    }
    LARDER_CALL(rc, lrd_unlock(store, preload_mark, PRELOAD_MARK_LENGTH, token));
    (void)rc;
}

/* Call preload_once(). Returns false if the engine bailed out. */
static zend_never_inline bool preload_survived(lrd_store *store)
{
    volatile bool survived = true;
    zend_try { preload_once(store); }
    zend_catch { survived = false; }
    zend_end_try();
    return survived;
}

lrd_store *larder_immutable_prepare(void)
{
    lrd_store *store = larder_store(LARDER_IMMUTABLE);
    larder_place *place = larder_place_of(LARDER_IMMUTABLE);
    if (store == NULL)
        return NULL;
    bool survived = true;
    if (!__atomic_load_n(&place->prepared, __ATOMIC_ACQUIRE)) {
        survived = preload_survived(store);
        __atomic_store_n(&place->prepared, true, __ATOMIC_RELEASE);
    }
    LARDER_G(immutable_prepared) = true;
    if (!survived)
        /* a limit was exceeded; the next process will load the files again */
        zend_bailout();
    return store;
}

bool larder_immutable_preloads(void)
{
    if (strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0)
        /* most programs on the command line do not use this layer */
        return false;
    for (size_t i = 0; i < sizeof preload_directives / sizeof *preload_directives; i++) {
        const char *folder =
            zend_ini_string_ex(preload_directives[i], strlen(preload_directives[i]), 1, NULL);
        if (folder != NULL && *folder != '\0')
            return true;
    }
    return false;
}

void larder_immutable_preload(void)
{
    if (!larder_immutable_preloads())
        return;
    /* Lift memory_limit during the preload, because these files must not count against the limit
     * of the script that happens to run first. */
    zend_set_memory_limit(SIZE_MAX >> 1);
    larder_immutable_prepare();
    if (zend_set_memory_limit((size_t)PG(memory_limit)) != SUCCESS) {
        zend_mm_gc(zend_mm_get_heap());
        zend_set_memory_limit((size_t)PG(memory_limit));
    }
}

bool larder_immutable_next(lrd_store *store, lrd_cursor *cursor, lrd_value *value, lrd_entry *entry)
{
    for (;;) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, cursor, value));
        if (rc != LRD_OK)
            return false;
        if (lrd_value_entry(store, value, entry) != LRD_OK ||
            larder_is_own(entry->key, entry->key_len))
            continue;
        bool escaped = *(const char *)entry->key == '\0';
        entry->key = (const char *)entry->key + escaped;
        entry->key_len -= escaped;
        return true;
    }
}

/* Walks over the store only if `entries` has changed since the previous call. */
uint64_t larder_immutable_own(lrd_store *store, uint64_t entries)
{
    ZEND_TLS lrd_store *counted;
    ZEND_TLS uint64_t of, own;
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    if (counted == store && of == entries)
        return own;
    for (own = 0, counted = store, of = entries;;) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK)
            break;
        own += lrd_value_entry(store, &value, &entry) == LRD_OK &&
               larder_is_own(entry.key, entry.key_len);
    }
    /* limit the result, because other processes may have added entries during the count */
    own = own < entries ? own : entries;
    return own;
}
