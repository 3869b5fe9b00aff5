/* immutable_cache_preload.c - what happens when a store is used for the first time: immutable_cache.preload_path is
 * loaded, by one process while the others wait. Read larder_immutable_prepare() first.
 *
 * A store is formatted by the process that first uses it, and the values may have objects whose classes
 * only a request knows: so this is done in the first request that uses it. An entry of our own says that it
 * was done. Who dies doing it leaves its reservation to the next, which skips what is there already. What is wrong with
 * a file goes to PHP's log: the script that happened to be first has nothing to do with it. */
#include "immutable_cache.h"
#include "ext/standard/php_var.h"
#include "zend_exceptions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define PRELOAD_WAIT_MS 10000u /* for another process; then on without what it loads */
#define PRELOAD_STEP_MS 100u
#define PRELOAD_SUFFIX ".data"

/* The entry: its value is the time. */
static const char preload_mark[] = "\0larder\0started";
#define PRELOAD_MARK_LENGTH (sizeof preload_mark - 1)

bool larder_immutable_prepared;

static void preload_log(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int used = snprintf(text, sizeof text, "Larder: immutable_cache.preload_path: ");
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    php_log_err_with_severity(text, LOG_WARNING);
}

/* The bytes of a file; NULL, logged. Nothing that may bail out runs while it is open. */
static zend_string *preload_read(const char *path)
{
    struct stat file;
    size_t used = 0;
    ssize_t got = 0;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
        preload_log("%s: not a file that can be read", path);
        return NULL;
    }
    zend_string *text = zend_string_alloc((size_t)file.st_size, 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < ZSTR_LEN(text) &&
           (got = read(fd, ZSTR_VAL(text) + used, ZSTR_LEN(text) - used)) > 0)
        used += (size_t)got;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (fd < 0 || got < 0) {
        preload_log("%s: %s", path, strerror(error));
        zend_string_release(text);
        return NULL;
    }
    ZSTR_LEN(text) = used;
    ZSTR_VAL(text)[used] = '\0';
    return text;
}

/* False: logged. */
static bool preload_unserialize(const char *path, const zend_string *text, zval *value)
{
    const unsigned char *start = (const unsigned char *)ZSTR_VAL(text), *at = start;
    const unsigned char *end = start + ZSTR_LEN(text);
    php_unserialize_data_t data;
    PHP_VAR_UNSERIALIZE_INIT(data);
    zval *root = var_tmp_var(&data);
    bool good = php_var_unserialize(root, &at, end, &data);
    ZVAL_COPY(value, root);
    PHP_VAR_UNSERIALIZE_DESTROY(data);
    while (good && at < end && memchr(" \t\r\n", *at, 4) != NULL)
        at++;
    if (EG(exception)) {
        preload_log("%s: %s was thrown", path, ZSTR_VAL(EG(exception)->ce->name));
        zend_clear_exception();
        good = false;
    } else if (LARDER_OUT_OF_MEMORY()) {
        good = false; /* the engine says so */
    } else if (!good || at < end) {
        good = false;
        preload_log("%s: not the text of one serialized value (wrong at byte %zu of %zu)", path,
                    (size_t)(at - start), ZSTR_LEN(text));
    }
    if (!good)
        zval_ptr_dtor(value);
    return good;
}

static void preload_file(lrd_store *store, const char *folder, const char *name)
{
    static const larder_blame blame = {.argument = 1, .root = "$value"};
    char path[MAXPATHLEN];
    zval value;
    zend_string *text, *key = zend_string_init(name, strlen(name) - strlen(PRELOAD_SUFFIX), 0);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        preload_log("%s/%s: its path is too long", folder, name);
    else if ((text = preload_read(path)) != NULL) {
        if (preload_unserialize(path, text, &value)) {
            int rc = larder_put(store, key, &value, 0, LRD_ADD, &blame);
            if (EG(exception))
                zend_clear_exception();
            if (rc < 0)
                preload_log("%s: not stored: %s", path, lrd_strerror(rc));
            zval_ptr_dtor(&value);
        }
        zend_string_release(text);
    }
    zend_string_release(key);
}

static int preload_wanted(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(PRELOAD_SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, PRELOAD_SUFFIX) == 0;
}

/* False: past memory_limit. */
static bool preload_folder(lrd_store *store, const char *folder)
{
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

/* ---- once ------------------------------------------------------------------------------------------------ */

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
    static const char name[] = "immutable_cache.preload_path";
    const char *folder = zend_ini_string_ex(name, strlen(name), 1, NULL);
    uint64_t token = 0;
    int64_t now = (int64_t)time(NULL);
    int rc = LRD_HELD;
    for (unsigned waited = 0; rc == LRD_HELD && waited < PRELOAD_WAIT_MS;
         waited += PRELOAD_STEP_MS) {
        if (larder_immutable_started(store) != 0)
            return;
        LARDER_CALL(rc, lrd_lock(store, preload_mark, PRELOAD_MARK_LENGTH, 0,
                                 waited == 0 ? 0 : PRELOAD_STEP_MS, &token));
    }
    if (rc != LRD_OK)
        return;
    if (larder_immutable_started(store) == 0 &&
        (folder == NULL || *folder == '\0' || preload_folder(store, folder))) {
        LARDER_CALL(rc, lrd_put(store, preload_mark, PRELOAD_MARK_LENGTH, &now, sizeof now,
                                LRD_TYPE_COUNTER, LRD_ADD, 0, 0));
    }
    LARDER_CALL(rc, lrd_unlock(store, preload_mark, PRELOAD_MARK_LENGTH, token));
    (void)rc;
}

/* False: it bailed out. */
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
    ZEND_TLS bool running; /* code that the values' classes run may come here */
    lrd_store *store = larder_store(LARDER_IMMUTABLE);
    if (store == NULL || running || __atomic_load_n(&larder_immutable_prepared, __ATOMIC_ACQUIRE))
        return store;
    running = true;
    bool survived = preload_survived(store);
    running = false;
    __atomic_store_n(&larder_immutable_prepared, true, __ATOMIC_RELEASE);
    if (!survived)
        zend_bailout(); /* past memory_limit or a timeout: the next process tries again, this one does not */
    return store;
}

bool larder_immutable_next(lrd_store *store, lrd_cursor *cursor, lrd_value *value, lrd_entry *entry)
{
    for (;;) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, cursor, value));
        if (rc != LRD_OK)
            return false;
        if (lrd_value_entry(store, value, entry) == LRD_OK &&
            (entry->key_len != PRELOAD_MARK_LENGTH ||
             memcmp(entry->key, preload_mark, PRELOAD_MARK_LENGTH) != 0))
            return true;
    }
}
