/* methods.c - the methods of VolatileCache and PinnedCache. CACHE_METHODS() defines each method for
 * both classes, with a common body. */
#include "api/methods.h"
#include "api/arguments.h"
#include "api/info.h"
#include "api/lock.h"
#include "api/pool.h"
#include "api/remember.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "statics/statics.h"
#include "stores/stores.h"
#include "stores/table.h"

/* Return true if a write has succeeded. Warns about a value larger than half of the store. */
static bool cache_written(larder_kind kind, int rc)
{
    if (EXPECTED(rc == LRD_OK))
        return true;
    if (rc == LRD_ESIZE)
        php_error_docref(NULL, E_WARNING, "The value is larger than half of the store; raise %s",
                         larder_store_table[kind].size_name);
    return false;
}

static zend_always_inline void cache_get(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zval *fallback = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(fallback)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_store(kind);
    if (EXPECTED(store != NULL)) {
        if (EXPECTED(larder_fetch(store, key, return_value)))
            return;
        if (UNEXPECTED(EG(exception)))
            RETURN_THROWS();
    }
    if (!larder_key_check(key, 1))
        RETURN_THROWS();
    if (fallback != NULL)
        RETURN_COPY(fallback);
}

/* set() and add(). */
static zend_always_inline void cache_store(larder_kind kind, lrd_mode mode,
                                           INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_string *name = NULL;
    zval *value, *ttl = NULL;
    uint64_t ttl_ms = 0;
    larder_form form;
    static const larder_blame blame = {.argument = 2, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(2, larder_arguments_max(execute_data))
        Z_PARAM_STR(key)
        Z_PARAM_ZVAL(value)
        Z_PARAM_OPTIONAL
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
            Z_PARAM_STR_OR_NULL(name)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (UNEXPECTED(!larder_key_check(key, 1)) ||
        UNEXPECTED(!larder_milliseconds(ttl, 3, &ttl_ms)) ||
        UNEXPECTED(!larder_form_check(name, 4, &form)))
        RETURN_THROWS();
    lrd_store *store = larder_store(kind);
    if (UNEXPECTED(store == NULL)) {
        larder_encoded encoded; /* refuse values that cannot be stored, even if the store is off */
        larder_encode(value, &blame, &encoded);
        larder_encoded_free(&encoded);
        RETURN_FALSE;
    }
    larder_target to = {.store = store, .key = key, .ttl_ms = ttl_ms, .mode = mode, .form = form};
    int rc = larder_put(&to, value, &blame);
    while (mode == LRD_ADD && UNEXPECTED(larder_put_over(&to, rc)))
        rc = larder_put(&to, value, &blame);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    RETURN_BOOL(cache_written(kind, rc));
}

/* Parse and check the only argument, a key, and find the store. Returns false if the method must
 * return at once: *return_value is false, or an exception is set. */
static zend_always_inline bool cache_key(larder_kind kind, lrd_store **store, zend_string **key,
                                         INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(*key)
    ZEND_PARSE_PARAMETERS_END_EX(return false);
    if (UNEXPECTED(!larder_key_check(*key, 1)))
        return false;
    *store = larder_store(kind);
    if (EXPECTED(*store != NULL))
        return true;
    RETVAL_FALSE;
    return false;
}

static void cache_has(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    lrd_store *store;
    zend_string *key;
    if (cache_key(kind, &store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_BOOL(larder_has(store, key));
}

static void cache_delete(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    lrd_store *store;
    zend_string *key;
    int rc;
    if (!cache_key(kind, &store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        return;
    LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(key), ZSTR_LEN(key)));
    bool statics = larder_statics_delete(store, key);
    RETURN_BOOL(rc == LRD_OK || statics);
}

static void cache_unlock(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    lrd_store *store;
    zend_string *key;
    if (!cache_key(kind, &store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        return;
    RETURN_BOOL(larder_unlock(store, key) == LRD_OK);
}

static void cache_clear(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    int rc;
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(kind);
    if (store == NULL)
        RETURN_FALSE;
    larder_statics_flush();
    LARDER_CALL(rc, lrd_clear(store));
    RETURN_BOOL(rc == LRD_OK);
}

static void cache_lock(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zval *lease = NULL;
    uint64_t lease_ms = 0;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(lease)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1) || !larder_milliseconds(lease, 2, &lease_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(kind);
    if (store == NULL)
        RETURN_FALSE;
    RETURN_BOOL(larder_lock(store, key, lease_ms) == LRD_OK);
}

static void cache_count(larder_kind kind, bool down, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long step = 1;
    zval *ttl = NULL;
    uint64_t ttl_ms = 0;
    int64_t sum;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, kind == LARDER_VOLATILE ? 3 : 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1) || !larder_milliseconds(ttl, 3, &ttl_ms))
        RETURN_THROWS();
    if (down && step == ZEND_LONG_MIN) {
        zend_argument_value_error(2, "must be greater than " ZEND_LONG_FMT, ZEND_LONG_MIN);
        RETURN_THROWS();
    }
    lrd_store *store = larder_store(kind);
    if (store == NULL)
        RETURN_FALSE;
    LARDER_CALL(rc, lrd_counter_add(store, ZSTR_VAL(key), ZSTR_LEN(key), down ? -step : step, 0,
                                    ttl_ms, &sum));
    if (rc != LRD_OK)
        RETURN_FALSE;
    RETURN_LONG(sum);
}

static void cache_touch(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zval *ttl;
    uint64_t ttl_ms;
    int rc;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(key)
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1) || !larder_milliseconds(ttl, 2, &ttl_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(kind);
    if (store == NULL)
        RETURN_FALSE;
    LARDER_CALL(rc, lrd_touch(store, ZSTR_VAL(key), ZSTR_LEN(key), ttl_ms));
    RETURN_BOOL(rc == LRD_OK);
}

void larder_cache_type_method(larder_kind kind, zend_class_entry *type,
                              INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key, *class_name = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR_OR_NULL(class_name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1))
        RETURN_THROWS();
    if (class_name == NULL) {
        larder_store_type(larder_store(kind), key, type, return_value);
        return;
    }
    zend_string *entry = larder_static_entry(kind, key, class_name);
    if (EG(exception) == NULL)
        larder_store_type(entry != NULL ? larder_store(kind) : NULL, entry, type, return_value);
    if (entry != NULL)
        zend_string_release(entry);
}

void larder_cache_info_method(larder_kind kind, zend_class_entry *class,
                              INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();
    larder_statics_flush();
    larder_cache_info(kind, class, return_value);
}

static void cache_key_info(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key, *class_name = NULL, *label = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR_OR_NULL(class_name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1))
        RETURN_THROWS();
    if (class_name != NULL) {
        label =
            strpprintf(0, "%s::$%s", ZSTR_VAL(class_name), ZSTR_VAL(key) + (*ZSTR_VAL(key) == '$'));
        key = larder_static_entry(kind, key, class_name);
    }
    if (key != NULL && EG(exception) == NULL)
        larder_key_info(larder_store(kind), key, label != NULL ? label : key, return_value);
    if (label != NULL) {
        zend_string_release(label);
        if (key != NULL)
            zend_string_release(key);
    }
}

static void cache_keys(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *prefix = NULL;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();
    larder_keys(larder_store(kind), prefix != NULL ? prefix : ZSTR_EMPTY_ALLOC(), return_value);
}

ZEND_METHOD(Larder_VolatileCache, pool)
{
    zend_string *name, *form_name = NULL;
    larder_form form;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR_OR_NULL(form_name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_name_check(name, 1) || !larder_form_check(form_name, 2, &form))
        RETURN_THROWS();
    larder_pool_make(NULL, name, false, return_value);
    larder_pool_of(Z_OBJ_P(return_value))->form = form;
}

#define CACHE_NO_INSTANCES(class)                                                                  \
    ZEND_METHOD(Larder_##class, __construct) {}

#define CACHE_METHOD(class, name, body, ...)                                                       \
    ZEND_METHOD(Larder_##class, name) { body(__VA_ARGS__, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

#define CACHE_METHODS(class, kind)                                                                 \
    CACHE_NO_INSTANCES(class)                                                                      \
    LARDER_HOT CACHE_METHOD(class, get, cache_get, kind)                                           \
        CACHE_METHOD(class, getMultiple, larder_get_multiple, kind,                                \
                     NULL) CACHE_METHOD(class, set, cache_store, kind, LRD_SET)                    \
            CACHE_METHOD(class, setMultiple, larder_set_multiple, kind) CACHE_METHOD(              \
                class, add, cache_store, kind, LRD_ADD) CACHE_METHOD(class, has, cache_has, kind)  \
                CACHE_METHOD(class, delete, cache_delete, kind)                                    \
                    CACHE_METHOD(class, deleteMultiple, larder_delete_multiple, kind, NULL,        \
                                 false) CACHE_METHOD(class, clear, cache_clear, kind)              \
                        CACHE_METHOD(class, increment, cache_count, kind, false)                   \
                            CACHE_METHOD(class, decrement, cache_count, kind,                      \
                                         true) CACHE_METHOD(class, lock, cache_lock, kind)         \
                                CACHE_METHOD(class, unlock, cache_unlock, kind)                    \
                                    CACHE_METHOD(class, remember, larder_remember, kind)           \
                                        CACHE_METHOD(class, getCacheStoreType,                     \
                                                     larder_cache_type_method, kind, NULL)         \
                                            CACHE_METHOD(class, info, larder_cache_info_method,    \
                                                         kind, NULL)                               \
                                                CACHE_METHOD(class, keyInfo, cache_key_info, kind) \
                                                    CACHE_METHOD(class, keys, cache_keys, kind)

CACHE_METHODS(VolatileCache, LARDER_VOLATILE)
CACHE_METHOD(VolatileCache, touch, cache_touch, LARDER_VOLATILE)
CACHE_METHODS(PinnedCache, LARDER_PINNED)
CACHE_NO_INSTANCES(StaticCacheInfo)
CACHE_NO_INSTANCES(KeyInfo)
CACHE_NO_INSTANCES(Pool)
CACHE_NO_INSTANCES(PoolInfo)
