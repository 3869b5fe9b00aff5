/* file_cache.c - the settings of the file cache, and Larder\FileCache. */
#include "files/files.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "ext/standard/info.h"
#include "files/file_cache_arginfo.h"

#define FILE_CACHE_SIZE_DEFAULT ((size_t)1 << 20)

larder_files_settings larder_files_configured LARDER_OF_WORKER;
static zend_class_entry *file_cache_info_class;

static ZEND_COLD ZEND_INI_MH(file_cache_on_ttl)
{
    zend_long unused;
    if (larder_setting_number(new_value, 0, &unused))
        return SUCCESS;
    return larder_setting_refuse(entry, new_value, "a number of seconds, or 0 for no limit", stage);
}

static ZEND_COLD ZEND_INI_MH(file_cache_on_revalidate)
{
    zend_long unused;
    if (larder_setting_number(new_value, -1, &unused))
        return SUCCESS;
    return larder_setting_refuse(
        entry, new_value, "a number of milliseconds, 0 for each call, or -1 for never", stage);
}

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.file_cache", "0", PHP_INI_SYSTEM, larder_setting_switch)
    PHP_INI_ENTRY("larder.file_cache_ttl", "0", PHP_INI_SYSTEM, file_cache_on_ttl)
    PHP_INI_ENTRY("larder.file_cache_revalidate", "0", PHP_INI_SYSTEM, file_cache_on_revalidate)
    PHP_INI_ENTRY("larder.file_cache_max_size", "1M", PHP_INI_SYSTEM, larder_setting_bytes)
PHP_INI_END()

void larder_files_register(int module_number)
{
    zend_register_ini_entries(ini_entries, module_number);
    register_class_Larder_FileCache();
    file_cache_info_class = register_class_Larder_FileCacheInfo();
}

static uint64_t file_cache_ms(zend_long seconds)
{
    return seconds <= 0 ? 0 : seconds > 9000000000000 ? (uint64_t)9e15 : (uint64_t)seconds * 1000;
}

void larder_files_configure(void)
{
    larder_files_settings *settings = &larder_files_configured;
    const char *size = zend_ini_string_ex(ZEND_STRL("larder.file_cache_max_size"), 1, NULL);
    uint64_t bytes = FILE_CACHE_SIZE_DEFAULT;
    settings->enabled = zend_ini_long(ZEND_STRL("larder.file_cache"), 1) != 0;
    settings->ttl_ms = file_cache_ms(zend_ini_long(ZEND_STRL("larder.file_cache_ttl"), 1));
    settings->revalidate_ms = zend_ini_long(ZEND_STRL("larder.file_cache_revalidate"), 1);
    if (size != NULL)
        larder_setting_quantity(size, true, &bytes);
    settings->max_size = (size_t)bytes;
}

void larder_files_like_apc(zend_long seconds)
{
    if (larder_files_configured.enabled)
        return;
    larder_files_configured.enabled = true;
    larder_files_configured.ttl_ms = file_cache_ms(seconds);
    larder_files_configured.revalidate_ms = -1;
}

void larder_files_phpinfo(void)
{
    const larder_files_settings *settings = &larder_files_configured;
    char text[160] = "off";
    if (settings->enabled && settings->revalidate_ms < 0)
        snprintf(text, sizeof text, "on, never looks at a file again");
    else if (settings->enabled && settings->revalidate_ms == 0)
        snprintf(text, sizeof text, "on, looks at the file at each call");
    else if (settings->enabled)
        snprintf(text, sizeof text, "on, looks at a file every " ZEND_LONG_FMT " ms",
                 settings->revalidate_ms);
    php_info_print_table_row(2, "Cache behind file_get_contents()", text);
}

ZEND_METHOD(Larder_FileCache, __construct) {}
ZEND_METHOD(Larder_FileCacheInfo, __construct) {}

ZEND_METHOD(Larder_FileCache, invalidate)
{
    zend_string *path;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_PATH_STR(path)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    /* Always return false for a path that open_basedir forbids. Otherwise the result would tell
     * whether another program has read the file. */
    RETURN_BOOL(store != NULL && php_check_open_basedir_ex(ZSTR_VAL(path), 0) == 0 &&
                larder_files_drop(store, ZSTR_VAL(path), ZSTR_LEN(path)));
}

ZEND_METHOD(Larder_FileCache, info)
{
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    larder_files_uses uses = {0};
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    size_t size, bytes = 0;
    zend_long count = 0;
    int rc = store != NULL ? LRD_OK : LRD_END;
    while (rc == LRD_OK) {
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc == LRD_OK && lrd_value_entry(store, &value, &entry) == LRD_OK &&
            larder_files_entry(&entry, &value, &size)) {
            count++;
            bytes += size;
        }
    }
    if (store != NULL)
        larder_files_count(store, &uses);
    object_init_ex(return_value, file_cache_info_class);
    zend_object *object = Z_OBJ_P(return_value);
    ZVAL_BOOL(OBJ_PROP_NUM(object, 0), larder_files_configured.enabled && store != NULL);
    ZVAL_LONG(OBJ_PROP_NUM(object, 1), count);
    ZVAL_LONG(OBJ_PROP_NUM(object, 2), (zend_long)bytes);
    ZVAL_LONG(OBJ_PROP_NUM(object, 3), (zend_long)uses.hits);
    ZVAL_LONG(OBJ_PROP_NUM(object, 4), (zend_long)uses.misses);
    ZVAL_LONG(OBJ_PROP_NUM(object, 5), (zend_long)uses.revalidations);
}
