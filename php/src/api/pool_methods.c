/* pool_methods.c - the methods of Larder\Pool. */
#include "api/arguments.h"
#include "api/info.h"
#include "api/methods.h"
#include "api/pool.h"
#include "api/remember.h"
#include "put/put.h"
#include "stores/stores.h"

#define POOL_THIS() larder_pool_of(Z_OBJ_P(ZEND_THIS))

/* Parse and check the only argument, a key, and find the store. Returns false if the method must
 * return at once: *return_value is false, or an exception is set. */
static bool pool_argument(lrd_store **store, zend_string **key, INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(*key)
    ZEND_PARSE_PARAMETERS_END_EX(return false);
    if (!larder_pool_key_check(POOL_THIS(), *key, 1))
        return false;
    *store = larder_store(LARDER_VOLATILE);
    if (*store != NULL)
        return true;
    RETVAL_FALSE;
    return false;
}

ZEND_METHOD(Larder_Pool, name)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STR_COPY(POOL_THIS()->name);
}

ZEND_METHOD(Larder_Pool, get)
{
    zend_string *key;
    zval *fallback = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(fallback)
    ZEND_PARSE_PARAMETERS_END();
    if (EXPECTED(larder_pool_fetch(POOL_THIS(), key, return_value)))
        return;
    if (UNEXPECTED(EG(exception)) || !larder_pool_key_check(POOL_THIS(), key, 1))
        RETURN_THROWS();
    if (fallback != NULL)
        RETURN_COPY(fallback);
}

ZEND_METHOD(Larder_Pool, getMultiple)
{
    larder_get_multiple(LARDER_VOLATILE, POOL_THIS(), INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Set *form to the form with this name, or to the pool's form if `name` is NULL. Returns false
 * after a ValueError. */
static bool pool_form(const larder_pool *pool, const zend_string *name, uint32_t argument,
                      larder_form *form)
{
    bool good = larder_form_check(name, argument, form);
    if (name == NULL)
        *form = pool->form;
    return good;
}

/* set() and add(). */
static void pool_store(lrd_mode mode, INTERNAL_FUNCTION_PARAMETERS)
{
    larder_pool *pool = POOL_THIS();
    zend_string *key;
    zend_string *name = NULL;
    zval *value, *ttl = NULL;
    uint64_t ttl_ms;
    larder_form form;
    static const larder_blame blame = {.argument = 2, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(2, larder_arguments_max(execute_data))
        Z_PARAM_STR(key)
        Z_PARAM_ZVAL(value)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(pool, key, 1) || !larder_milliseconds(ttl, 3, &ttl_ms) ||
        !pool_form(pool, name, 4, &form))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store == NULL || !larder_pool_enter(pool, store)) {
        larder_encoded encoded; /* refuse values that cannot be stored, even if the store is off */
        larder_encode(value, &blame, &encoded);
        larder_encoded_free(&encoded);
        RETURN_FALSE;
    }
    int rc = larder_pool_put(pool, store, key, value, ttl_ms, mode, form, &blame);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (rc == LRD_ESIZE)
        php_error_docref(NULL, E_WARNING,
                         "The value is larger than half of the store; raise "
                         "larder.volatile_size");
    RETURN_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Pool, set) { pool_store(LRD_SET, INTERNAL_FUNCTION_PARAM_PASSTHRU); }
ZEND_METHOD(Larder_Pool, add) { pool_store(LRD_ADD, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

ZEND_METHOD(Larder_Pool, setMultiple)
{
    HashTable *values;
    zend_string *name = NULL;
    zval *ttl = NULL;
    uint64_t ttl_ms;
    larder_form form;
    ZEND_PARSE_PARAMETERS_START(1, larder_arguments_max(execute_data))
        Z_PARAM_ARRAY_HT(values)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(ttl, 2, &ttl_ms) || !pool_form(POOL_THIS(), name, 3, &form))
        RETURN_THROWS();
    RETVAL_BOOL(larder_write_multiple(LARDER_VOLATILE, POOL_THIS(), values, ttl_ms, form));
}

ZEND_METHOD(Larder_Pool, has)
{
    lrd_store *store;
    zend_string *key;
    if (pool_argument(&store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_BOOL(larder_pool_can_read(POOL_THIS(), store, key));
}

ZEND_METHOD(Larder_Pool, delete)
{
    lrd_store *store;
    zend_string *key;
    if (pool_argument(&store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_BOOL(larder_pool_delete(POOL_THIS(), store, key) == LRD_OK);
}

ZEND_METHOD(Larder_Pool, deleteMultiple)
{
    larder_delete_multiple(LARDER_VOLATILE, POOL_THIS(), false, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(Larder_Pool, clear)
{
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store != NULL && larder_pool_clear(POOL_THIS(), store));
}

ZEND_METHOD(Larder_Pool, keyInfo)
{
    lrd_store *store;
    zend_string *key;
    bool found = pool_argument(&store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU) &&
                 larder_pool_has(POOL_THIS(), key);
    RETVAL_NULL();
    if (!found)
        return;
    zend_string *whole = larder_pool_key(POOL_THIS(), key);
    larder_key_info(store, whole, key, return_value);
    zend_string_release(whole);
}

ZEND_METHOD(Larder_Pool, touch)
{
    zend_string *key;
    zval *ttl;
    uint64_t ttl_ms;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(key)
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) || !larder_milliseconds(ttl, 2, &ttl_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store != NULL && larder_pool_touch(POOL_THIS(), store, key, ttl_ms) == LRD_OK);
}

static void pool_method_count(bool down, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long step = 1;
    zval *ttl = NULL;
    uint64_t ttl_ms;
    int64_t sum;
    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) || !larder_milliseconds(ttl, 3, &ttl_ms))
        RETURN_THROWS();
    if (down && step == ZEND_LONG_MIN) {
        zend_argument_value_error(2, "must be greater than " ZEND_LONG_FMT, ZEND_LONG_MIN);
        RETURN_THROWS();
    }
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store == NULL ||
        larder_pool_count(POOL_THIS(), store, key, down ? -step : step, ttl_ms, &sum) != LRD_OK)
        RETURN_FALSE;
    RETURN_LONG(sum);
}

ZEND_METHOD(Larder_Pool, increment) { pool_method_count(false, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

ZEND_METHOD(Larder_Pool, decrement) { pool_method_count(true, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

ZEND_METHOD(Larder_Pool, lock)
{
    zend_string *key;
    zval *lease = NULL;
    uint64_t lease_ms;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(lease)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) || !larder_milliseconds(lease, 2, &lease_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store != NULL && larder_pool_lock(POOL_THIS(), store, key, lease_ms) == LRD_OK);
}

ZEND_METHOD(Larder_Pool, unlock)
{
    lrd_store *store;
    zend_string *key;
    if (pool_argument(&store, &key, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_BOOL(larder_pool_unlock(POOL_THIS(), store, key) == LRD_OK);
}

ZEND_METHOD(Larder_Pool, remember)
{
    larder_remember_call call = {0};
    zend_string *key;
    zend_string *name = NULL;
    zval *ttl = NULL, *stale = NULL;
    ZEND_PARSE_PARAMETERS_START(2, 5)
        Z_PARAM_STR(key)
        Z_PARAM_FUNC(call.callback, call.cache)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_NUMBER(stale)
        Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) || !larder_milliseconds(ttl, 3, &call.ttl_ms) ||
        !larder_milliseconds(stale, 4, &call.stale_ms) ||
        !pool_form(POOL_THIS(), name, 5, &call.form))
        RETURN_THROWS();
    larder_pool_remember(POOL_THIS(), key, &call, return_value);
}

ZEND_METHOD(Larder_Pool, info)
{
    larder_pool_numbers numbers;
    ZEND_PARSE_PARAMETERS_NONE();
    larder_pool_count_all(POOL_THIS(), NULL, &numbers);
    object_init_ex(return_value, larder_pool_info_class);
    zend_object *object = Z_OBJ_P(return_value);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, 0), POOL_THIS()->name);
    ZVAL_LONG(OBJ_PROP_NUM(object, 1), (zend_long)numbers.entries);
    ZVAL_LONG(OBJ_PROP_NUM(object, 2), (zend_long)numbers.bytes);
    ZVAL_LONG(OBJ_PROP_NUM(object, 3), (zend_long)numbers.hits);
    ZVAL_LONG(OBJ_PROP_NUM(object, 4), (zend_long)numbers.misses);
    ZVAL_LONG(OBJ_PROP_NUM(object, 5), (zend_long)numbers.stores);
}
