/* immutable_cache.c - the functions and INI settings of immutable_cache. Read
 * larder_layer_immutable_cache first. */
#include "compat/immutable_cache/immutable_cache.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "stores/settings.h"
#include "php_ini.h"
#include "SAPI.h"
#include "zend_interfaces.h"
#include "compat/immutable_cache/immutable_cache_arginfo.h"

/* ---- settings ---- */

#define IMMUTABLE_SIZE (256u << 20)
#define IMMUTABLE_VERSION "6.1.0"

PHP_INI_BEGIN()
    PHP_INI_ENTRY("immutable_cache.enabled", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.enable_cli", NULL, PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.shm_size", "256M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.preload", NULL, PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.preload_path", NULL, PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.protect_memory", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.serializer", "default", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.entries_hint", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.shm_segments", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.mmap_file_mask", NULL, PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("immutable_cache.coredump_unmap", "0", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

larder_format larder_immutable_format LARDER_OF_WORKER;
/* true if immutable_cache.shm_size sets the store's size */
static bool immutable_by_shm_size LARDER_OF_WORKER;
/* the reason why the settings switch the cache off, or NULL */
static const char *immutable_off LARDER_OF_WORKER;

static void immutable_register_directives(int module_number)
{
    /* static, because PHP keeps pointers to the entries */
    static zend_ini_entry_def absent[sizeof ini_entries / sizeof *ini_entries];
    size_t count = 0;
    for (const zend_ini_entry_def *entry = ini_entries; entry->name != NULL; entry++)
        if (!zend_hash_str_exists(EG(ini_directives), entry->name, entry->name_length))
            absent[count++] = *entry;
    absent[count].name = NULL;
    zend_register_ini_entries(absent, module_number);
}

/* Read a setting from php.ini, -d or the FPM pool, but not from sections such as [PATH=]. Returns
 * NULL if it is not set. */
static const char *immutable_setting(const char *name)
{
    return zend_ini_string_ex(name, strlen(name), 1, NULL);
}

/* Return `fallback` if the setting is not set. PHP stores Off as an empty string, and an unset
 * value as NULL. */
static bool immutable_on(const char *name, bool fallback)
{
    return immutable_setting(name) == NULL ? fallback : zend_ini_long(name, strlen(name), 1) != 0;
}

/* Return the size of the store in bytes from immutable_cache.shm_size, or 0 if its value is bad. As
 * in the original extension, a number below 1M without a suffix is in megabytes. */
static uint64_t immutable_shm_size(void)
{
    static const char name[] = "immutable_cache.shm_size";
    const char *text = immutable_setting(name);
    if (text == NULL || *text == '\0')
        return IMMUTABLE_SIZE;
    zend_string *quantity = zend_string_init(text, strlen(text), 0), *wrong = NULL;
    zend_long size = zend_ini_parse_quantity(quantity, &wrong);
    zend_string_release(quantity);
    if (size < (zend_long)LRD_SIZE_MIN && text[strspn(text, " 0123456789")] == '\0')
        size *= (zend_long)LRD_SIZE_MIN;
    bool good = wrong == NULL && size >= (zend_long)LRD_SIZE_MIN && (uint64_t)size <= LRD_SIZE_MAX;
    if (wrong != NULL)
        zend_string_release(wrong);
    if (good)
        return (uint64_t)size;
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING,
                   "%s = \"%s\": must be a size from 1M to 1T; immutable_cache is off", name, text);
    return 0;
}

static void immutable_configure(larder_settings *settings)
{
    bool cli = strcmp(sapi_module.name, "cli") == 0;
    immutable_by_shm_size = settings->size[LARDER_IMMUTABLE] == 0;
    immutable_off = NULL;
    larder_immutable_format = larder_format_of("immutable_cache.serializer");
    if (!immutable_on("immutable_cache.enabled", true))
        immutable_off = "immutable_cache.enabled is 0";
    else if (cli && !immutable_on("immutable_cache.enable_cli", true))
        immutable_off = "immutable_cache.enable_cli is 0";
    else if (immutable_by_shm_size &&
             (settings->size[LARDER_IMMUTABLE] = immutable_shm_size()) == 0)
        immutable_off = "immutable_cache.shm_size is not a size from 1M to 1T";
    if (immutable_off != NULL)
        settings->size[LARDER_IMMUTABLE] = 0;
}

static void immutable_info(zend_module_entry *module)
{
    larder_layer_info("immutable_cache", IMMUTABLE_VERSION, LARDER_IMMUTABLE,
                      larder_configured.enabled ? immutable_off : NULL);
    display_ini_entries(module);
}

/* ---- adding ---- */

/* Return how many bytes of the store were never used. The used pages may add up to more than the
 * size of the store; then return 0. */
static uint64_t immutable_left(const lrd_info *info, const lrd_stats *stats)
{
    return stats->page_bytes < info->size ? info->size - stats->page_bytes : 0;
}

static void immutable_no_room(lrd_store *store, const char *directive)
{
    lrd_info info;
    lrd_stats stats = {0};
    int rc;
    /* lrd_error_detail() begins with the number of bytes that are needed */
    uint64_t wanted = strtoull(lrd_error_detail(), NULL, 10);
    lrd_store_info(store, &info);
    LARDER_CALL(rc, lrd_stats_get(store, &stats));
    (void)rc;
    uint64_t left = immutable_left(&info, &stats);
    if (wanted > left)
        php_error_docref(NULL, E_WARNING,
                         "The store is full: %" PRIu64 " bytes are needed and %" PRIu64
                         " of %" PRIu64 " are free, so %" PRIu64 " are missing; raise %s",
                         wanted, left, info.size, wanted - left, directive);
    else
        php_error_docref(NULL, E_WARNING,
                         "The store is full: %" PRIu64 " bytes are needed at one place and %" PRIu64
                         " of %" PRIu64 " are free here and there; raise %s",
                         wanted, left, info.size, directive);
}

/* Warn that an entry was not added. `rc` is the core's error code (< 0). */
static void immutable_complain(lrd_store *store, const zend_string *key, int rc)
{
    const char *directive =
        immutable_by_shm_size ? "immutable_cache.shm_size" : "larder.immutable_size";
    lrd_info info;
    switch (rc) {
    case LRD_ENOROOM:
        immutable_no_room(store, directive);
        break;
    case LRD_ENOINDEX:
        php_error_docref(NULL, E_WARNING,
                         "The store is full: its index has no place for a further entry; raise %s",
                         directive);
        break;
    case LRD_EINVAL: /* a warning about the value was raised already */
        break;
    case LRD_ESIZE:
        lrd_store_info(store, &info);
        php_error_docref(NULL, E_WARNING,
                         "The value is larger than half of the store, which takes %" PRIu64
                         " bytes at most; raise %s",
                         info.value_max, directive);
        break;
    case LRD_EKEY:
        php_error_docref(NULL, E_WARNING, "The key must be at most %u bytes long, %zu given",
                         LRD_KEY_MAX, ZSTR_LEN(key));
        break;
    default:
        php_error_docref(NULL, E_WARNING, "Not added: %s", lrd_strerror(rc));
    }
}

#define IMMUTABLE_RESOURCE "Cannot store resources in immutable_cache cache"

static int immutable_add_named(lrd_store *store, zend_string *name, zval *value,
                               const larder_blame *blame)
{
    int rc;
    LARDER_CALL(rc, lrd_has(store, ZSTR_VAL(name), ZSTR_LEN(name)));
    if (rc == LRD_OK)
        return LRD_EXISTS; /* return early, because measuring the value takes time */
    if (rc < 0)
        return rc;
    ZVAL_DEREF(value);
    if (UNEXPECTED(Z_TYPE_P(value) == IS_RESOURCE)) {
        php_error_docref(NULL, E_WARNING, "%s", IMMUTABLE_RESOURCE);
        return LRD_EINVAL;
    }
    larder_target to = {.store = store, .key = name, .mode = LRD_ADD};
    return larder_put_as(larder_immutable_format, &to, value, blame);
}

/* Add an entry. Returns LRD_EXISTS if the key has an entry. Returns LRD_EINVAL after a warning
 * about the value. An exception may be set. */
static int immutable_add(lrd_store *store, zend_string *key, zval *value, const larder_blame *blame)
{
    if (store == NULL)
        return LRD_MISS;
    zend_string *name = larder_layer_key(key);
    int rc = immutable_add_named(store, name, value, blame);
    zend_string_release(name);
    return rc;
}

/* Add all values of an array. An exception does not stop the loop. At the end, the last exception
 * is thrown; the earlier ones are its previous exceptions. */
static void immutable_add_all(lrd_store *store, HashTable *values, zval *failed)
{
    static const larder_blame blame = {
        .argument = 1, .root = "$key", .lenient = true, .resource = IMMUTABLE_RESOURCE};
    zend_string *name;
    zend_ulong index;
    zval *value, mark;
    zend_object *kept = NULL;
    bool complained = false;
    ZVAL_LONG(&mark, -1);
    array_init(failed);
    GC_TRY_ADDREF(values); /* serializing runs user code */
    ZEND_HASH_FOREACH_KEY_VAL(values, index, name, value)
        zend_string *key =
            name != NULL ? zend_string_copy(name) : zend_long_to_str((zend_long)index);
        int rc = immutable_add(store, key, value, &blame);
        if (rc < 0 && rc != LRD_EINVAL && !EG(exception) && !complained) {
            immutable_complain(store, key, rc);
            complained = true; /* warn about the first entry only */
        }
        if (rc != LRD_OK)
            zend_symtable_update(Z_ARR_P(failed), key, &mark);
        zend_string_release(key);
        if (!larder_layer_goes_on(&kept))
            break;
    ZEND_HASH_FOREACH_END();
    if (!(GC_FLAGS(values) & GC_IMMUTABLE) && GC_DELREF(values) == 0)
        zend_array_destroy(values);
    larder_layer_throw_kept(kept);
}

ZEND_FUNCTION(immutable_cache_add)
{
    zval *key, *value = NULL;
    static const larder_blame blame = {
        .argument = 2, .root = "$value", .lenient = true, .resource = IMMUTABLE_RESOURCE};
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(value)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_immutable_store();
    if (Z_TYPE_P(key) == IS_ARRAY) {
        immutable_add_all(store, Z_ARR_P(key), return_value);
        return;
    }
    if (Z_TYPE_P(key) != IS_STRING) {
        php_error_docref(
            NULL, E_WARNING,
            "immutable_cache_store expects key parameter to be a string or an array of "
            "key/value pairs.");
        RETURN_FALSE;
    }
    if (value == NULL)
        RETURN_FALSE;
    int rc = immutable_add(store, Z_STR_P(key), value, &blame);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (UNEXPECTED(rc < 0))
        immutable_complain(store, Z_STR_P(key), rc);
    RETURN_BOOL(rc == LRD_OK);
}

/* ---- reading ---- */

/* Set `found` to an array with those keys that have an entry. If `values` is true, the array maps
 * each key to the value of its entry, otherwise to true. */
static void immutable_find_all(lrd_store *store, HashTable *keys, bool values, zval *found)
{
    zval *element, value;
    array_init(found);
    ZEND_HASH_FOREACH_VAL(keys, element)
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) != IS_STRING) {
            php_error_docref(NULL, E_WARNING,
                             "immutable_cache_%s() expects a string or array of strings.",
                             values ? "fetch" : "exists");
            if (UNEXPECTED(EG(exception)))
                return;
            continue;
        }
        /* hooks may change the element */
        zend_string *key = zend_string_copy(Z_STR_P(element));
        ZVAL_TRUE(&value);
        if (values ? larder_layer_get(store, key, &value) : larder_layer_has(store, key))
            zend_symtable_update(Z_ARR_P(found), key, &value);
        zend_string_release(key);
        if (LARDER_MUST_STOP())
            return;
    ZEND_HASH_FOREACH_END();
}

ZEND_FUNCTION(immutable_cache_fetch)
{
    zval *key, *success = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(success)
    ZEND_PARSE_PARAMETERS_END();
    bool found = true;
    if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
        found = larder_layer_get(larder_immutable_store(), Z_STR_P(key), return_value);
    } else if (Z_TYPE_P(key) == IS_ARRAY) {
        immutable_find_all(larder_immutable_store(), Z_ARR_P(key), true, return_value);
    } else {
        zend_string *temporary, *text = zval_try_get_tmp_string(key, &temporary);
        if (text == NULL)
            RETURN_THROWS();
        found = larder_layer_get(larder_immutable_store(), text, return_value);
        zend_tmp_string_release(temporary);
    }
    if (UNEXPECTED(!found))
        RETVAL_FALSE;
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (success != NULL)
        ZEND_TRY_ASSIGN_REF_BOOL(success, found);
}

ZEND_FUNCTION(immutable_cache_exists)
{
    zval *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(key)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_immutable_store();
    if (Z_TYPE_P(key) == IS_ARRAY) {
        immutable_find_all(store, Z_ARR_P(key), false, return_value);
        return;
    }
    zend_string *temporary, *text = zval_try_get_tmp_string(key, &temporary);
    if (text == NULL)
        RETURN_THROWS();
    RETVAL_BOOL(larder_layer_has(store, text));
    zend_tmp_string_release(temporary);
}

/* ---- information ---- */

ZEND_FUNCTION(immutable_cache_enabled)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(larder_immutable_store() != NULL);
}

static void immutable_list(lrd_store *store, zval *list)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    array_init(list);
    while (!LARDER_OUT_OF_MEMORY() && larder_immutable_next(store, &cursor, &value, &entry)) {
        zval item;
        array_init(&item);
        add_assoc_stringl(&item, "info", entry.key, entry.key_len);
        add_assoc_double(&item, "num_hits", 0);
        add_assoc_long(&item, "creation_time", 0);
        add_assoc_long(&item, "access_time", 0);
        add_assoc_long(&item, "mem_size", (zend_long)value.size);
        add_next_index_zval(list, &item);
    }
}

ZEND_FUNCTION(immutable_cache_cache_info)
{
    bool limited = false;
    lrd_stats stats = {0};
    lrd_info info;
    int rc;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_immutable_store();
    if (store == NULL) {
        php_error_docref(NULL, E_WARNING,
                         "No immutable_cache info available.  Perhaps immutable_cache is not "
                         "enabled? Check immutable_cache.enabled in your ini file");
        RETURN_FALSE;
    }
    lrd_store_info(store, &info);
    LARDER_CALL(rc, lrd_stats_get(store, &stats));
    (void)rc;
    zend_long started = larder_immutable_started(store);
    uint64_t own = larder_immutable_own(store, stats.entries);
    array_init(return_value);
    add_assoc_long(return_value, "num_slots", (zend_long)info.words);
    add_assoc_long(return_value, "ttl", 0);
    add_assoc_double(return_value, "num_hits", (double)stats.hits);
    add_assoc_double(return_value, "num_misses", (double)stats.misses);
    add_assoc_double(return_value, "num_inserts", (double)(stats.inserts - own));
    add_assoc_long(return_value, "num_entries", (zend_long)(stats.entries - own));
    add_assoc_long(return_value, "start_time", started);
    add_assoc_double(return_value, "mem_size", (double)stats.live_bytes);
    add_assoc_string(return_value, "memory_type", "mmap");
    if (limited)
        return;
    zval list;
    immutable_list(store, &list);
    add_assoc_zval(return_value, "cache_list", &list);
    array_init(&list);
    add_assoc_zval(return_value, "deleted_list", &list);
    array_init(&list);
    add_assoc_zval(return_value, "slot_distribution", &list);
}

ZEND_FUNCTION(immutable_cache_key_info)
{
    zend_string *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_layer_has(larder_immutable_store(), key))
        RETURN_NULL();
    array_init(return_value);
    add_assoc_long(return_value, "hits", 0);
    add_assoc_long(return_value, "access_time", 0);
    add_assoc_long(return_value, "creation_time", 0);
}

ZEND_FUNCTION(immutable_cache_sma_info)
{
    bool limited = false;
    lrd_stats stats = {0};
    lrd_info info;
    int rc;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_immutable_store();
    if (store == NULL) {
        php_error_docref(NULL, E_WARNING,
                         "No immutable_cache SMA info available.  Perhaps immutable_cache is "
                         "disabled via immutable_cache.enabled?");
        RETURN_FALSE;
    }
    lrd_store_info(store, &info);
    LARDER_CALL(rc, lrd_stats_get(store, &stats));
    (void)rc;
    zend_long left = (zend_long)immutable_left(&info, &stats);
    array_init(return_value);
    add_assoc_long(return_value, "num_seg", 1);
    add_assoc_long(return_value, "seg_size", (zend_long)info.size);
    add_assoc_long(return_value, "avail_mem", left);
    if (limited)
        return;
    zval blocks, list, block;
    array_init(&blocks);
    array_init(&list);
    array_init(&block);
    add_assoc_long(&block, "size", left);
    add_assoc_long(&block, "offset", (zend_long)info.size - left);
    add_next_index_zval(&list, &block);
    add_next_index_zval(&blocks, &list);
    add_assoc_zval(return_value, "block_lists", &blocks);
}

/* ---- the layer ---- */

static void immutable_startup(int module_number)
{
    immutable_register_directives(module_number);
    larder_immutable_iterator_register(register_class_ImmutableCacheIterator(zend_ce_iterator),
                                       module_number);
}

const larder_layer larder_layer_immutable_cache = {
    .name = "immutable_cache",
    .module = "immutable_cache",
    .version = IMMUTABLE_VERSION,
    .functions = ext_functions,
    .startup = immutable_startup,
    .info = immutable_info,
    .configure = immutable_configure,
    .preloads = larder_immutable_preloads,
    .preload = larder_immutable_preload,
};
