/* info.c - APCu's functions that report the state of the cache. A number that Larder does not keep
 * is 0. */
#include "compat/apcu/apcu.h"

static zend_long apcu_seconds(uint64_t milliseconds)
{
    return (zend_long)(milliseconds / 1000 + (milliseconds % 1000 != 0));
}

bool apcu_look(lrd_store *store, zend_string *key, lrd_value *value, zend_long *left)
{
    lrd_entry entry;
    int rc;
    zend_string *name = larder_layer_key(key);
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(name), ZSTR_LEN(name),
                            LRD_GET_NO_COPY | LRD_GET_PLAIN | LRD_GET_NO_COUNT, value));
    zend_string_release(name);
    if (rc != LRD_OK)
        return false;
    *left = lrd_value_entry(store, value, &entry) == LRD_OK ? apcu_seconds(entry.ttl_ms) : 0;
    return true;
}

PHP_FUNCTION(apcu_enabled)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(apcu_use() != NULL);
}

PHP_FUNCTION(apcu_key_info)
{
    static const char *const zeros[] = {"hits", "access_time", "mtime", "creation_time",
                                        "deletion_time"};
    zend_string *key;
    lrd_value value;
    zend_long left;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_use();
    if (store == NULL || !apcu_look(store, key, &value, &left))
        RETURN_NULL();
    LARDER_CALL(rc, lrd_release(store, &value));
    (void)rc;
    array_init(return_value);
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        add_assoc_long(return_value, zeros[i], 0);
    add_assoc_long(return_value, "ttl", left);
    add_assoc_long(return_value, "refs", 0);
}

/* Return the store, and set *stats and *info. If the store is off, raises a warning and returns
 * NULL. */
static lrd_store *apcu_state(const char *warning, lrd_stats *stats, lrd_info *info)
{
    lrd_store *store = apcu_use();
    int rc;
    if (store == NULL) {
        php_error_docref(NULL, E_WARNING, "%s", warning);
        return NULL;
    }
    lrd_store_info(store, info);
    memset(stats, 0, sizeof *stats);
    LARDER_CALL(rc, lrd_stats_get(store, stats));
    (void)rc;
    return store;
}

static void apcu_list_entry(zval *list, const lrd_entry *entry, size_t size)
{
    zval item;
    const char *key = entry->key;
    bool escaped = key[0] == '\0';
    array_init(&item);
    add_assoc_stringl(&item, "info", key + escaped, entry->key_len - escaped);
    add_assoc_long(&item, "ttl", apcu_seconds(entry->ttl_ms));
    add_assoc_double(&item, "num_hits", 0);
    add_assoc_long(&item, "mtime", 0);
    add_assoc_long(&item, "creation_time", 0);
    add_assoc_long(&item, "deletion_time", 0);
    add_assoc_long(&item, "access_time", 0);
    add_assoc_long(&item, "ref_count", 0);
    add_assoc_long(&item, "mem_size", (zend_long)(entry->key_len + size));
    add_next_index_zval(list, &item);
}

static void apcu_list(lrd_store *store, zval *list)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    array_init(list);
    while (!LARDER_OUT_OF_MEMORY()) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK)
            return;
        if (lrd_value_entry(store, &value, &entry) == LRD_OK)
            apcu_list_entry(list, &entry, value.size);
    }
}

PHP_FUNCTION(apcu_cache_info)
{
    bool limited = false;
    lrd_stats stats;
    lrd_info info;
    zval list;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_state("No APC info available.  Perhaps APC is not enabled? Check "
                                  "apc.enabled in your ini file",
                                  &stats, &info);
    if (store == NULL)
        RETURN_FALSE;
    array_init(return_value);
    add_assoc_long(return_value, "num_slots", (zend_long)info.words);
    add_assoc_long(return_value, "ttl", zend_ini_long("apc.ttl", strlen("apc.ttl"), 0));
    add_assoc_double(return_value, "num_hits", (double)stats.hits);
    add_assoc_double(return_value, "num_misses", (double)stats.misses);
    add_assoc_double(return_value, "num_inserts", (double)(stats.inserts + stats.replaces));
    add_assoc_long(return_value, "num_entries", (zend_long)stats.entries);
    add_assoc_double(return_value, "expunges", (double)stats.evicted);
    add_assoc_long(return_value, "start_time", apcu_start_time);
    add_assoc_double(return_value, "mem_size", (double)stats.live_bytes);
    add_assoc_string(return_value, "memory_type", "mmap");
    if (limited)
        return;
    apcu_list(store, &list);
    add_assoc_zval(return_value, "cache_list", &list);
    array_init(&list);
    add_assoc_zval(return_value, "deleted_list", &list);
    array_init(&list);
    add_assoc_zval(return_value, "slot_distribution", &list);
}

PHP_FUNCTION(apcu_sma_info)
{
    bool limited = false;
    lrd_stats stats;
    lrd_info info;
    zval block, blocks, segments;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();
    if (apcu_state("No APC SMA info available.  Perhaps APC is disabled via apc.enabled?", &stats,
                   &info) == NULL)
        RETURN_FALSE;
    uint64_t used = stats.live_bytes + stats.dead_bytes + stats.retired_bytes;
    uint64_t left = used < info.size ? info.size - used : 0;
    array_init(return_value);
    add_assoc_long(return_value, "num_seg", 1);
    add_assoc_double(return_value, "seg_size", (double)info.size);
    add_assoc_double(return_value, "avail_mem", (double)left);
    if (limited)
        return;
    array_init(&block);
    add_assoc_long(&block, "size", (zend_long)left);
    add_assoc_long(&block, "offset", (zend_long)(info.size - left));
    array_init(&blocks);
    add_next_index_zval(&blocks, &block);
    array_init(&segments);
    add_next_index_zval(&segments, &blocks);
    add_assoc_zval(return_value, "block_lists", &segments);
}
