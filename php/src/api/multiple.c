/* multiple.c - getMultiple(), setMultiple(), deleteMultiple(). */
#include "api/arguments.h"
#include "api/methods.h"
#include "api/pool.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "stores/stores.h"
#include "stores/table.h"

#define MULTIPLE_ROUNDS 8

/* Return the key that an element of the argument contains; the caller must release it. Returns NULL
 * if an exception is set. */
static zend_string *multiple_key(const larder_pool *pool, zval *element)
{
    return pool != NULL ? larder_pool_key_of(pool, element, 1) : larder_key_of(element, 1);
}

void larder_fetch_group(lrd_store *store, zend_string *const *names, uint32_t count, zval *results)
{
    lrd_key keys[LARDER_GROUP];
    lrd_value values[LARDER_GROUP];
    size_t done;
    int rc;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (lrd_key){.key = ZSTR_VAL(names[i]), .key_len = ZSTR_LEN(names[i])};
        ZVAL_UNDEF(results + i);
    }
    if (store == NULL)
        return;
    LARDER_CALL(rc, lrd_get_many(store, keys, count, LRD_GET_NO_COPY, values, &done));
    /* begin with the last value, because the latest borrow is the cheapest to release */
    for (size_t i = done; i-- > 0 && !LARDER_MUST_STOP();) {
        if (values[i].kind == LRD_KIND_NONE)
            continue;
        if (!larder_take(store, values + i, results + i))
            ZVAL_UNDEF(results + i);
        else if (values[i].type == LRD_TYPE_COUNTER)
            LARDER_CALL(rc, lrd_release(store, values + i));
    }
    (void)rc;
    /* Fetch the remaining keys one by one. lrd_get_many() stops after a value that can only be
     * borrowed, and before a forbidden key. A forbidden key is a miss. */
    for (size_t i = done; i < count && !LARDER_MUST_STOP(); i++)
        if (larder_lookup(store, names[i], values + i) != LRD_OK ||
            !larder_take(store, values + i, results + i))
            ZVAL_UNDEF(results + i);
}

static void multiple_read_group(lrd_store *store, larder_pool *pool, zend_string *const *keys,
                                uint32_t count, HashTable *defaults, zval *fallback, zval *result)
{
    zval values[LARDER_GROUP];
    if (pool != NULL)
        larder_pool_fetch_group(pool, keys, count, values);
    else
        larder_fetch_group(store, keys, count, values);
    for (uint32_t i = 0; i < count; i++) {
        if (Z_TYPE(values[i]) == IS_UNDEF) {
            zval *other = defaults != NULL ? zend_symtable_find(defaults, keys[i]) : fallback;
            ZVAL_NULL(values + i);
            if (other != NULL)
                ZVAL_COPY_DEREF(values + i, other);
        }
        zend_symtable_update(Z_ARR_P(result), keys[i], values + i);
    }
}

void larder_read_multiple(larder_kind kind, larder_pool *pool, HashTable *keys, HashTable *defaults,
                          zval *fallback, zval *result)
{
    lrd_store *store = larder_store(kind);
    zend_string *group[LARDER_GROUP];
    zval *element;
    uint32_t count = 0, left = zend_hash_num_elements(keys);
    array_init_size(result, left);
    GC_TRY_ADDREF(keys); /* restoring values runs user code, which may release the array */
    ZEND_HASH_FOREACH_VAL(keys, element)
        group[count] = multiple_key(pool, element);
        if (group[count] == NULL)
            break;
        left--;
        if (++count < LARDER_GROUP && left != 0)
            continue;
        multiple_read_group(store, pool, group, count, defaults, fallback, result);
        while (count > 0)
            zend_string_release(group[--count]);
        if (LARDER_MUST_STOP())
            break;
    ZEND_HASH_FOREACH_END();
    while (count > 0) /* the loop has ended early */
        zend_string_release(group[--count]);
    if (!(GC_FLAGS(keys) & GC_IMMUTABLE) && GC_DELREF(keys) == 0)
        zend_array_destroy(keys);
}

void larder_get_multiple(larder_kind kind, larder_pool *pool, INTERNAL_FUNCTION_PARAMETERS)
{
    HashTable *keys, *defaults = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ARRAY_HT(keys)
        Z_PARAM_OPTIONAL
        Z_PARAM_ARRAY_HT_OR_NULL(defaults)
    ZEND_PARSE_PARAMETERS_END();
    larder_read_multiple(kind, pool, keys, defaults, NULL, return_value);
}

typedef struct multiple_item {
    zend_string *key;
    larder_blame blame;
    larder_encoded encoded;
    zval value;
} multiple_item;

static bool multiple_prepare(multiple_item *item, const larder_pool *pool, zend_string *key,
                             zend_ulong index, zval *value, bool *ran)
{
    item->blame = (larder_blame){
        .argument = 1, .root = "$values", .key = key, .index = index, .has_index = key == NULL};
    item->key = key != NULL ? zend_string_copy(key) : zend_long_to_str((zend_long)index);
    item->encoded = (larder_encoded){.text = NULL};
    ZVAL_COPY_DEREF(&item->value, value);
    return (pool != NULL ? larder_pool_keys_check(pool, item->key, 1)
                         : larder_keys_check(item->key, 1)) &&
           larder_encode_again(&item->value, &item->blame, &item->encoded, ran);
}

/* The hook of one value may change values that were encoded before. So after a round in which a
 * hook ran, encode all values again, in at most MULTIPLE_ROUNDS rounds. Returns false if an
 * exception is set. */
static bool multiple_settle(multiple_item *items, uint32_t count)
{
    bool ran = true;
    for (int round = 0; ran && round < MULTIPLE_ROUNDS; round++) {
        ran = false;
        for (multiple_item *item = items; item < items + count; item++)
            if (!larder_encode_again(&item->value, &item->blame, &item->encoded, &ran))
                return false;
    }
    return true;
}

#define MULTIPLE_AHEAD 16u /* the number of keys whose memory is prefetched together */

static void multiple_prefetch(lrd_store *store, const multiple_item *items, uint32_t count)
{
    lrd_key keys[MULTIPLE_AHEAD];
    count = count < MULTIPLE_AHEAD ? count : MULTIPLE_AHEAD;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (lrd_key){ZSTR_VAL(items[i].key), ZSTR_LEN(items[i].key)};
    lrd_prefetch(store, keys, count, LRD_PREFETCH_WRITE);
}

/* Write the prepared entries. */
static bool multiple_write(larder_kind kind, lrd_store *store, larder_pool *pool,
                           multiple_item *item, uint64_t ttl_ms, larder_form form)
{
    zend_string *key =
        pool != NULL ? larder_pool_key(pool, item->key) : zend_string_copy(item->key);
    larder_target to = {
        .store = store, .key = key, .ttl_ms = ttl_ms, .mode = LRD_SET, .form = form};
    int rc = larder_put_encoded(&to, &item->value, &item->encoded);
    zend_string_release(key);
    if (rc == LRD_ESIZE)
        php_error_docref(NULL, E_WARNING, "A value is larger than half of the store; raise %s",
                         larder_store_table[kind].size_name);
    return rc == LRD_OK;
}

bool larder_write_multiple(larder_kind kind, larder_pool *pool, HashTable *values, uint64_t ttl_ms,
                           larder_form form)
{
    zval *value;
    zend_string *key;
    zend_ulong index;
    uint32_t count = 0;
    bool good = true, all = true, ran = false;
    if (zend_hash_num_elements(values) == 0)
        return true;
    /* Before the first write, run all code that may throw. Hold the array meanwhile, because hooks
     * may release it. */
    multiple_item *items = safe_emalloc(zend_hash_num_elements(values), sizeof *items, 0);
    GC_TRY_ADDREF(values);
    ZEND_HASH_FOREACH_KEY_VAL(values, index, key, value)
        good = multiple_prepare(items + count++, pool, key, index, value, &ran) &&
               !LARDER_OUT_OF_MEMORY();
        if (!good)
            break;
    ZEND_HASH_FOREACH_END();
    if (UNEXPECTED(ran) && good)
        good = multiple_settle(items, count);
    lrd_store *store = good ? larder_store(kind) : NULL;
    if (store != NULL && pool != NULL && !larder_pool_enter(pool, store))
        store = NULL;
    for (uint32_t i = 0; i < count; i++) {
        multiple_item *item = items + i;
        /* in a pool, item->key is only a part of the entry's key */
        if (store != NULL && pool == NULL && i % MULTIPLE_AHEAD == 0)
            multiple_prefetch(store, item, count - i);
        if (store != NULL)
            all = multiple_write(kind, store, pool, item, ttl_ms, form) && all;
        zend_string_release(item->key);
        larder_encoded_free(&item->encoded);
        zval_ptr_dtor(&item->value);
    }
    efree(items);
    if (pool != NULL && store != NULL)
        pool->stores += count;
    if (!(GC_FLAGS(values) & GC_IMMUTABLE) && GC_DELREF(values) == 0)
        zend_array_destroy(values);
    return good && all && store != NULL;
}

void larder_set_multiple(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    HashTable *values;
    zend_string *name = NULL;
    zval *ttl = NULL;
    uint64_t ttl_ms;
    larder_form form;
    ZEND_PARSE_PARAMETERS_START(1, larder_arguments_max(execute_data))
        Z_PARAM_ARRAY_HT(values)
        Z_PARAM_OPTIONAL
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
            Z_PARAM_STR_OR_NULL(name)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(ttl, 2, &ttl_ms) || !larder_form_check(name, 3, &form))
        RETURN_THROWS();
    RETVAL_BOOL(larder_write_multiple(kind, NULL, values, ttl_ms, form));
}

void larder_delete_multiple(larder_kind kind, larder_pool *pool, bool lenient,
                            INTERNAL_FUNCTION_PARAMETERS)
{
    HashTable *keys;
    zval *element;
    bool all = true;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ARRAY_HT(keys)
    ZEND_PARSE_PARAMETERS_END();
    ZEND_HASH_FOREACH_VAL(keys, element) /* check all keys before any is deleted */
        zend_string *key = multiple_key(pool, element);
        if (key == NULL)
            RETURN_THROWS();
        zend_string_release(key);
    ZEND_HASH_FOREACH_END();
    lrd_store *store = larder_store(kind);
    if (store == NULL)
        RETURN_BOOL(lenient);
    ZEND_HASH_FOREACH_VAL(keys, element)
        int rc;
        zend_string *key = multiple_key(pool, element);
        if (pool != NULL)
            rc = larder_pool_delete(pool, store, key);
        else
            LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(key), ZSTR_LEN(key)));
        zend_string_release(key);
        all = all && (rc == LRD_OK || (lenient && rc == LRD_MISS));
    ZEND_HASH_FOREACH_END();
    RETURN_BOOL(all);
}
