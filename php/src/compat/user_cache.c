/* user_cache.c - the class UserCache\Cache, whose objects are pools (api/pool.h). The stub says
 * which methods come from Larder\Pool. */
#include "api/arguments.h"
#include "api/methods.h"
#include "api/pool.h"
#include "api/remember.h"
#include "compat/layer.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "compat/user_cache_arginfo.h"

static zend_class_entry *user_cache_class, *user_cache_status_class, *user_cache_pool_status_class,
    *user_cache_availability_class;

#define USER_CACHE_THIS() larder_pool_of(Z_OBJ_P(ZEND_THIS))

/* ---- the pools of this request ---- */

/* Return the table of this request's pools, from a static property of UserCache\Cache. If `change`
 * is true, the caller may change the table. */
static HashTable *user_cache_pools(bool change)
{
    zval *pools = zend_read_static_property(user_cache_class, ZEND_STRL("pools"), true);
    if (change)
        SEPARATE_ARRAY(pools);
    return Z_ARR_P(pools);
}

/* Parse and check the only argument, the name of a pool. Returns false if an exception is set. */
static bool user_cache_name(zend_string **name, INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(*name)
    ZEND_PARSE_PARAMETERS_END_EX(return false);
    if (!larder_pool_name_check(*name, 1))
        return false;
    if (memchr(ZSTR_VAL(*name), 0x1F, ZSTR_LEN(*name)) == NULL)
        return true;
    zend_argument_value_error(1, "must not contain the byte 0x1F");
    return false;
}

ZEND_METHOD(UserCache_Cache, hasPool)
{
    zend_string *name;
    if (!user_cache_name(&name, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_THROWS();
    RETURN_BOOL(zend_symtable_exists(user_cache_pools(false), name));
}

ZEND_METHOD(UserCache_Cache, getPool)
{
    zend_string *name;
    if (!user_cache_name(&name, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_THROWS();
    zval *pool = zend_symtable_find(user_cache_pools(false), name);
    if (pool != NULL)
        RETURN_COPY(pool);
    larder_pool_make(user_cache_class, name, true, return_value);
    Z_ADDREF_P(return_value);
    zend_symtable_update(user_cache_pools(true), name, return_value);
}

ZEND_METHOD(UserCache_Cache, getPools)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_ARR(zend_array_dup(user_cache_pools(false)));
}

ZEND_METHOD(UserCache_Cache, deletePool)
{
    zend_string *name;
    zval pool;
    if (!user_cache_name(&name, INTERNAL_FUNCTION_PARAM_PASSTHRU))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    larder_pool_make(user_cache_class, name, true, &pool);
    bool done = store == NULL || larder_pool_drop(larder_pool_of(Z_OBJ(pool)), store);
    zval_ptr_dtor(&pool);
    if (done)
        zend_symtable_del(user_cache_pools(true), name);
    RETURN_BOOL(done);
}

/* ---- CacheStatus and CachePoolStatus ---- */

static const char *user_cache_availability(const lrd_store *store)
{
    if (store != NULL)
        return "Available";
    if (!larder_configured.enabled || larder_configured.size[LARDER_VOLATILE] == 0)
        return "DisabledByIni";
    return larder_place_of(LARDER_VOLATILE)->store == NULL
               ? "UnavailableBySharedMemoryInitializationFailed"
               : "UnavailableByUnknownReason";
}

ZEND_METHOD(UserCache_Cache, getStatus)
{
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    lrd_stats stats = {0};
    lrd_info info = {.size = larder_configured.size[LARDER_VOLATILE]};
    if (store != NULL) {
        int rc;
        lrd_store_info(store, &info);
        LARDER_CALL(rc, lrd_stats_get(store, &stats));
        (void)rc;
    }
    uint64_t wasted = stats.dead_bytes + stats.retired_bytes, taken = stats.live_bytes + wasted;
    uint64_t numbers[] = {info.size,
                          store != NULL ? info.size : 0,
                          stats.live_bytes,
                          store != NULL && taken < info.size ? info.size - taken : 0,
                          wasted,
                          stats.entries,
                          info.entries_max,
                          stats.evicted,
                          stats.refused,
                          stats.slots_used,
                          stats.reaped_slots,
                          stats.hits,
                          stats.misses,
                          0};
    object_init_ex(return_value, user_cache_status_class);
    zend_object *object = Z_OBJ_P(return_value);
    ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, 0), zend_enum_get_case_cstr(user_cache_availability_class,
                                                                   user_cache_availability(store)));
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ZVAL_LONG(OBJ_PROP_NUM(object, i + 1), (zend_long)numbers[i]);
}

ZEND_METHOD(UserCache_Cache, getPoolStatus)
{
    larder_pool_numbers numbers;
    zval keys;
    ZEND_PARSE_PARAMETERS_NONE();
    array_init(&keys);
    larder_pool_count_all(USER_CACHE_THIS(), &keys, &numbers);
    object_init_ex(return_value, user_cache_pool_status_class);
    zend_object *object = Z_OBJ_P(return_value);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, 0), USER_CACHE_THIS()->name);
    ZVAL_LONG(OBJ_PROP_NUM(object, 1), (zend_long)numbers.entries);
    ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, 2), &keys);
    ZVAL_LONG(OBJ_PROP_NUM(object, 3), (zend_long)numbers.bytes);
    ZVAL_LONG(OBJ_PROP_NUM(object, 4), (zend_long)numbers.hits);
    ZVAL_LONG(OBJ_PROP_NUM(object, 5), (zend_long)numbers.misses);
}

/* Return the value of a property. If the property has no value, throw an Error: the program has
 * created the object with Reflection. */
static void user_cache_get(zend_object *object, uint32_t slot, zval *return_value)
{
    const zval *value = OBJ_PROP_NUM(object, slot);
    if (EXPECTED(Z_TYPE_P(value) != IS_UNDEF))
        RETURN_COPY(value);
    zend_throw_error(NULL, "This %s has no values; only UserCache\\Cache returns one with values",
                     ZSTR_VAL(object->ce->name));
}

#define USER_CACHE_GETTER(class, name, slot)                                                       \
    ZEND_METHOD(UserCache_##class, name)                                                           \
    {                                                                                              \
        ZEND_PARSE_PARAMETERS_NONE();                                                              \
        user_cache_get(Z_OBJ_P(ZEND_THIS), slot, return_value);                                    \
    }

USER_CACHE_GETTER(CacheStatus, getAvailability, 0)
USER_CACHE_GETTER(CacheStatus, getConfiguredMemory, 1)
USER_CACHE_GETTER(CacheStatus, getSharedMemorySize, 2)
USER_CACHE_GETTER(CacheStatus, getUsedMemory, 3)
USER_CACHE_GETTER(CacheStatus, getFreeMemory, 4)
USER_CACHE_GETTER(CacheStatus, getWastedMemory, 5)
USER_CACHE_GETTER(CacheStatus, getEntryCount, 6)
USER_CACHE_GETTER(CacheStatus, getEntryCapacity, 7)
USER_CACHE_GETTER(CacheStatus, getEvictionCount, 8)
USER_CACHE_GETTER(CacheStatus, getStoreFailureCount, 9)
USER_CACHE_GETTER(CacheStatus, getGraphPinSlotsInUse, 10)
USER_CACHE_GETTER(CacheStatus, getDeadPinOwnersReclaimed, 11)
USER_CACHE_GETTER(CacheStatus, getHitCount, 12)
USER_CACHE_GETTER(CacheStatus, getMissCount, 13)
USER_CACHE_GETTER(CacheStatus, getExpungeCount, 14)
USER_CACHE_GETTER(CachePoolStatus, getPoolName, 0)
USER_CACHE_GETTER(CachePoolStatus, getEntryCount, 1)
USER_CACHE_GETTER(CachePoolStatus, getEntryKeys, 2)
USER_CACHE_GETTER(CachePoolStatus, getUsedMemory, 3)
USER_CACHE_GETTER(CachePoolStatus, getHitCount, 4)
USER_CACHE_GETTER(CachePoolStatus, getMissCount, 5)

/* private and empty, because only this file creates objects */
ZEND_METHOD(UserCache_Cache, __construct) {}
ZEND_METHOD(UserCache_CacheStatus, __construct) {}
ZEND_METHOD(UserCache_CachePoolStatus, __construct) {}

/* ---- methods that differ from Larder\Pool's ---- */

ZEND_METHOD(UserCache_Cache, fetchMultiple)
{
    HashTable *keys;
    zval *fallback = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ARRAY_HT(keys)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(fallback)
    ZEND_PARSE_PARAMETERS_END();
    larder_read_multiple(LARDER_VOLATILE, USER_CACHE_THIS(), keys, NULL, fallback, return_value);
}

ZEND_METHOD(UserCache_Cache, delete)
{
    zend_string *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(USER_CACHE_THIS(), key, 1))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store == NULL || larder_pool_delete(USER_CACHE_THIS(), store, key) >= 0);
}

ZEND_METHOD(UserCache_Cache, deleteMultiple)
{
    larder_delete_multiple(LARDER_VOLATILE, USER_CACHE_THIS(), true,
                           INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(UserCache_Cache, clear)
{
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store == NULL || larder_pool_clear(USER_CACHE_THIS(), store));
}

static void user_cache_count(bool down, INTERNAL_FUNCTION_PARAMETERS)
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
    if (!larder_pool_key_check(USER_CACHE_THIS(), key, 1))
        RETURN_THROWS();
    if (step < 0) {
        zend_argument_value_error(2, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    if (!larder_milliseconds(ttl, 3, &ttl_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store == NULL)
        RETURN_NULL();
    int rc = larder_pool_count(USER_CACHE_THIS(), store, key, down ? -step : step, ttl_ms, &sum);
    if (rc == LRD_OK)
        RETURN_LONG(sum);
    if (rc == LRD_ETYPE)
        zend_value_error("The entry \"%s\" is not an int", ZSTR_VAL(key));
    else if (rc == LRD_ERANGE)
        zend_throw_error(zend_ce_arithmetic_error,
                         "The sum of entry \"%s\" would leave the range of int", ZSTR_VAL(key));
}

ZEND_METHOD(UserCache_Cache, increment)
{
    user_cache_count(false, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(UserCache_Cache, decrement)
{
    user_cache_count(true, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(UserCache_Cache, remember)
{
    larder_remember_call call = {0};
    zend_string *key;
    zval *ttl = NULL, argument;
    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(key)
        Z_PARAM_FUNC(call.callback, call.cache)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(USER_CACHE_THIS(), key, 1) ||
        !larder_milliseconds(ttl, 3, &call.ttl_ms))
        RETURN_THROWS();
    ZVAL_STR(&argument, key);
    call.callback.params = &argument;
    call.callback.param_count = 1;
    larder_pool_remember(USER_CACHE_THIS(), key, &call, return_value);
}

/* ---- the layer ---- */

static bool user_cache_present(void)
{
    static const char class[] = "usercache\\cache";
    return zend_hash_str_exists(CG(class_table), class, sizeof class - 1);
}

static void user_cache_startup(int module_number)
{
    user_cache_availability_class = register_class_UserCache_CacheAvailability();
    user_cache_status_class = register_class_UserCache_CacheStatus();
    user_cache_pool_status_class = register_class_UserCache_CachePoolStatus();
    user_cache_class = register_class_UserCache_Cache();
    larder_pool_class(user_cache_class);
}

static void user_cache_info(zend_module_entry *module)
{
    (void)module;
    larder_layer_info("user_cache", PHP_LARDER_VERSION, LARDER_VOLATILE, NULL);
}

const larder_layer larder_layer_user_cache = {
    .name = "user_cache",
    .module = "user_cache",
    .version = PHP_LARDER_VERSION,
    .present = user_cache_present,
    .startup = user_cache_startup,
    .info = user_cache_info,
};
