/* coordination.c - rate limits, and writes that happen only if the entry has not changed since it
 * was read.
 *
 * A version is a number that the core gives to each write. An int has no version, so the int itself
 * is compared. */
#include "api/arguments.h"
#include "api/coordination.h"
#include "api/info.h"
#include "api/pool.h"
#include "fetch/fetch.h"
#include "kinds/classes.h"
#include "put/put.h"
#include "stores/stores.h"
#include "stores/table.h"
#include "larder_coordination.h"
#include "zend_exceptions.h"

#define COORDINATION_NS 1e9
#define COORDINATION_SECONDS_MAX 1e9

typedef struct coordination_entry {
    /* NULL if the store is off, or if the entry's pool does not exist */
    lrd_store *store;
    /* the entry's key within `store`; NULL if the entry is in a pool and `store` is NULL */
    zend_string *key;
} coordination_entry;

/* Find the store and the key of an entry, in a pool or without one. If `make` is true and the pool
 * does not exist, create it. Returns false if an exception is set. */
static zend_always_inline bool coordination_open(larder_kind kind, larder_pool *pool,
                                                 zend_string *key, bool make,
                                                 coordination_entry *out)
{
    uint64_t generation;
    if (EXPECTED(pool == NULL)) {
        out->key = key;
        if (UNEXPECTED(!larder_key_check(key, 1)))
            return false;
        out->store = larder_store(kind);
        return true;
    }
    if (!larder_pool_key_check(pool, key, 1))
        return false;
    out->key = NULL;
    out->store = larder_store(kind);
    if (out->store == NULL)
        return true;
    if (make ? larder_pool_enter(pool, out->store)
             : larder_pool_find(pool, out->store, &generation) == LRD_OK)
        out->key = larder_pool_key(pool, key);
    else
        out->store = NULL;
    return true;
}

static zend_always_inline void coordination_close(larder_pool *pool, coordination_entry *entry)
{
    if (UNEXPECTED(pool != NULL) && entry->key != NULL)
        zend_string_release(entry->key);
}

/* ---- rate limits ---- */

/* Convert a time in seconds to nanoseconds. Returns false after a ValueError that names the
 * argument. */
static zend_never_inline bool coordination_seconds(const zval *seconds, uint32_t argument,
                                                   bool may_be_zero, uint64_t *out)
{
    double value = Z_TYPE_P(seconds) == IS_LONG ? (double)Z_LVAL_P(seconds) : Z_DVAL_P(seconds);
    if (!zend_finite(value) || value > COORDINATION_SECONDS_MAX || value < 0 ||
        (!may_be_zero && value == 0)) {
        zend_argument_value_error(argument, "must be a number of seconds %s and at most %d",
                                  may_be_zero ? "that is at least 0" : "that is greater than 0",
                                  (int)COORDINATION_SECONDS_MAX);
        return false;
    }
    *out = (uint64_t)(value * COORDINATION_NS + 0.5);
    if (*out == 0 && value > 0)
        *out = 1;
    return true;
}

/* Convert a time in seconds to nanoseconds, as coordination_seconds() does. Fast for an int above
 * 0. */
static zend_always_inline bool coordination_nanoseconds(const zval *seconds, uint32_t argument,
                                                        bool may_be_zero, uint64_t *out)
{
    if (EXPECTED(Z_TYPE_P(seconds) == IS_LONG) && EXPECTED(Z_LVAL_P(seconds) > 0) &&
        EXPECTED(Z_LVAL_P(seconds) <= (zend_long)COORDINATION_SECONDS_MAX)) {
        *out = (uint64_t)Z_LVAL_P(seconds) * (uint64_t)COORDINATION_NS;
        return true;
    }
    return coordination_seconds(seconds, argument, may_be_zero, out);
}

/* Return true if this rate limit can have a sliding window. Otherwise throws a ValueError. */
static bool throttle_window(const lrd_rate *rate)
{
    if (rate->per_ns < LRD_RATE_SLIDING_NS_MIN)
        zend_argument_value_error(3, "must be at least 1 with $sliding");
    else if (rate->limit > LRD_RATE_SLIDING_MAX)
        zend_argument_value_error(2, "must be between 1 and %u with $sliding",
                                  LRD_RATE_SLIDING_MAX);
    else if (rate->wait_ns != 0)
        zend_argument_value_error(5, "must be 0 with $sliding");
    else
        return true;
    return false;
}

static zend_never_inline bool throttle_rate(zend_long limit, const zval *per, zend_long cost,
                                            const zval *wait, bool sliding, lrd_rate *out)
{
    out->wait_ns = 0;
    if (!coordination_nanoseconds(per, 3, false, &out->per_ns) ||
        (wait != NULL && !coordination_nanoseconds(wait, 5, true, &out->wait_ns)))
        return false;
    if (limit < 1 || (uint64_t)limit > out->per_ns) {
        zend_argument_value_error(
            2, "must be between 1 and %" PRIu64 ", one for each nanosecond of $per", out->per_ns);
        return false;
    }
    if (cost < 0 || cost > limit) {
        zend_argument_value_error(4, "must be between 0 and " ZEND_LONG_FMT ", the limit", limit);
        return false;
    }
    out->limit = (uint64_t)limit;
    out->cost = (uint64_t)cost;
    out->sliding = sliding;
    return EXPECTED(!sliding) || throttle_window(out);
}

/* Return the rate limit for these arguments, or NULL if an exception is set. Most calls have the
 * arguments of the previous call, and reuse that call's lrd_rate. */
static zend_always_inline const lrd_rate *
throttle_rate_of(zend_long limit, const zval *per, zend_long cost, const zval *wait, bool sliding)
{
    lrd_rate *rate = &LARDER_G(throttle_rate);
    if (EXPECTED(LARDER_G(throttle_rate_kept)) && EXPECTED(Z_TYPE_P(per) == IS_LONG) &&
        EXPECTED(Z_LVAL_P(per) == LARDER_G(throttle_seconds)) &&
        EXPECTED((uint64_t)limit == rate->limit) && EXPECTED((uint64_t)cost == rate->cost) &&
        EXPECTED(wait == NULL) && EXPECTED(sliding == rate->sliding))
        return rate;
    LARDER_G(throttle_rate_kept) = false;
    if (!throttle_rate(limit, per, cost, wait, sliding, rate))
        return NULL;
    if (Z_TYPE_P(per) == IS_LONG && wait == NULL) {
        LARDER_G(throttle_rate_kept) = true;
        LARDER_G(throttle_seconds) = Z_LVAL_P(per);
    }
    return rate;
}

static ZEND_COLD void throttle_failed(lrd_store *store, const zend_string *key, int rc)
{
    if (rc == LRD_ETYPE)
        larder_throw_about_key("The entry", key,
                               "is no rate limit with this $sliding and $per; use another key, "
                               "or delete it",
                               NULL);
    else
        larder_throw_about_key("throttle() of", key, "cannot be answered: ",
                               store == NULL ? "the store is off (info()->failure_reason)"
                                             : lrd_strerror(rc));
}

/* The handler dtor_obj: keep a dropped object for reuse. An object with other references or with
 * properties of its own is not kept. */
static void throttle_dropped(zend_object *object)
{
    if (LARDER_G(throttle) != NULL || GC_REFCOUNT(object) != 1 || object->properties != NULL ||
        (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED) != 0 || UNEXPECTED(!LARDER_G(throttles_kept)))
        return;
    GC_ADDREF(object);
    LARDER_G(throttle) = object;
}

/* Return a Throttle object: the dropped object that is kept for reuse, if there is one. Reuse makes
 * throttle() twice as fast. */
static zend_always_inline zend_object *throttle_object(void)
{
    zend_object *object = LARDER_G(throttle);
    if (EXPECTED(object != NULL)) {
        LARDER_G(throttle) = NULL;
        GC_DEL_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
        return object;
    }
    object = zend_objects_new(larder_throttle_class);
    object->handlers = &larder_dropped_handlers;
    GC_ADD_FLAGS(object, GC_NOT_COLLECTABLE); /* it cannot be part of a cycle */
    return object;
}

void larder_throttle_startup(void)
{
    larder_dropped_handlers = *zend_get_std_object_handlers();
    larder_dropped_handlers.dtor_obj = throttle_dropped;
}

void larder_throttle_free(void)
{
    zend_object *object = LARDER_G(throttle);
    LARDER_G(throttle) = NULL;
    OBJ_RELEASE(object); /* does not call dtor_obj, which was called before */
}

static void coordination_throttle(larder_kind kind, larder_pool *pool, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long limit, cost = 1;
    zval *per, *wait = NULL;
    coordination_entry entry;
    const lrd_rate *rate;
    lrd_throttled answer;
    bool sliding = false;
    int rc = LRD_ENOSLOT;
    ZEND_PARSE_PARAMETERS_START(3, 6)
        Z_PARAM_STR(key)
        Z_PARAM_LONG(limit)
        Z_PARAM_NUMBER(per)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(cost)
        Z_PARAM_NUMBER(wait)
        Z_PARAM_BOOL(sliding)
    ZEND_PARSE_PARAMETERS_END();
    rate = throttle_rate_of(limit, per, cost, wait, sliding);
    if (UNEXPECTED(rate == NULL) || !coordination_open(kind, pool, key, true, &entry))
        RETURN_THROWS();
    if (EXPECTED(entry.store != NULL))
        LARDER_CALL(
            rc, lrd_throttle(entry.store, ZSTR_VAL(entry.key), ZSTR_LEN(entry.key), rate, &answer));
    coordination_close(pool, &entry);
    if (UNEXPECTED(rc != LRD_OK)) {
        throttle_failed(entry.store, key, rc);
        RETURN_THROWS();
    }
    zend_object *object = throttle_object();
    ZVAL_OBJ(return_value, object);
    ZVAL_BOOL(OBJ_PROP_NUM(object, 0), answer.allowed);
    ZVAL_LONG(OBJ_PROP_NUM(object, 1), (zend_long)answer.remaining);
    ZVAL_DOUBLE(OBJ_PROP_NUM(object, 2),
                answer.retry_ns != 0 ? (double)(int64_t)answer.retry_ns / COORDINATION_NS : 0);
    ZVAL_DOUBLE(OBJ_PROP_NUM(object, 3), (double)(int64_t)answer.reset_ns / COORDINATION_NS);
}

/* ---- changes that depend on the value or version that was read ---- */

typedef struct coordination_seen {
    uint64_t version; /* 0 if the entry is an int; `number` is then this int */
    int64_t number;
} coordination_seen;

/* Fetch an entry, and record its version in *seen. Returns LRD_MISS if there is no entry, or if an
 * exception is set. */
static int coordination_fetch(const coordination_entry *entry, bool again, zval *result,
                              coordination_seen *seen)
{
    lrd_value value;
    lrd_entry facts;
    unsigned flags = LRD_GET_NO_COPY | (again ? LRD_GET_NO_COUNT : 0);
    int rc;
    LARDER_CALL(rc,
                lrd_get(entry->store, ZSTR_VAL(entry->key), ZSTR_LEN(entry->key), flags, &value));
    if (rc != LRD_OK)
        return LRD_MISS;
    LARDER_CALL(rc, lrd_value_entry(entry->store, &value, &facts));
    if (rc != LRD_OK) {
        larder_take_end(entry->store, &value);
        return LRD_MISS;
    }
    seen->version = facts.version;
    seen->number = 0;
    bool good = again ? larder_take_again(entry->store, &value, result)
                      : larder_take(entry->store, &value, result);
    if (!good)
        return LRD_MISS;
    if (seen->version == 0 && Z_TYPE_P(result) == IS_LONG)
        seen->number = Z_LVAL_P(result);
    return LRD_OK;
}

/* types of values that can be restored without user code, and so can be read and removed in one
 * step */
static const bool take_types[256] = {
    [LARDER_STRING] = true, [LARDER_NULL] = true,     [LARDER_FALSE] = true,
    [LARDER_TRUE] = true,   [LARDER_DOUBLE] = true,   [LARDER_EMPTY_ARRAY] = true,
    [LARDER_SHORT] = true,  [LRD_TYPE_COUNTER] = true};
#define TAKE_ROOM 512u /* maximum size (bytes) of a value that is copied under the shard's lock */

/* Take (fetch and remove) a small value in one step. Returns LRD_EXISTS, and removes nothing, if
 * the value is larger than TAKE_ROOM, or if its type is not in take_types. */
static zend_always_inline int coordination_take_small(const coordination_entry *entry, zval *result)
{
    _Alignas(LRD_ALIGN) union {
        zend_string string;
        int64_t number;
        char bytes[TAKE_ROOM];
    } buffer;
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_take(entry->store, ZSTR_VAL(entry->key), ZSTR_LEN(entry->key), take_types,
                             &buffer, sizeof buffer, &value));
    if (rc != LRD_OK)
        return rc;
    if (value.type == LRD_TYPE_COUNTER)
        ZVAL_LONG(result, value.size == sizeof buffer.number ? buffer.number : 0);
    else if (UNEXPECTED(!larder_take_plain(&value, result)))
        return LRD_MISS; /* the value was damaged */
    return LRD_OK;
}

static void coordination_take(larder_kind kind, larder_pool *pool, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zval *fallback = NULL;
    coordination_entry entry;
    coordination_seen seen;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(fallback)
    ZEND_PARSE_PARAMETERS_END();
    if (!coordination_open(kind, pool, key, false, &entry))
        RETURN_THROWS();
    if (EXPECTED(entry.store != NULL))
        rc = coordination_take_small(&entry, return_value);
    for (bool again = false; rc == LRD_EXISTS || again; again = true) {
        rc = coordination_fetch(&entry, again, return_value, &seen);
        if (rc != LRD_OK)
            break;
        LARDER_CALL(rc, lrd_delete_version(entry.store, ZSTR_VAL(entry.key), ZSTR_LEN(entry.key),
                                           seen.version, seen.number));
        if (EXPECTED(rc == LRD_OK))
            break;
        /* after LRD_STALE, another process has changed the value, so try again */
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        if (rc != LRD_STALE || LARDER_MUST_STOP())
            break;
    }
    coordination_close(pool, &entry);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (rc != LRD_OK && fallback != NULL)
        RETURN_COPY(fallback);
}

static void coordination_get_versioned(larder_kind kind, larder_pool *pool,
                                       INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    coordination_entry entry;
    coordination_seen seen;
    zval value, version;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!coordination_open(kind, pool, key, false, &entry))
        RETURN_THROWS();
    bool found = entry.store != NULL && coordination_fetch(&entry, false, &value, &seen) == LRD_OK;
    coordination_close(pool, &entry);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (!found)
        RETURN_NULL();
    ZVAL_LONG(&version, (zend_long)seen.version);
    RETURN_ARR(zend_new_pair(&value, &version));
}

/* Returns false after a ValueError. */
static bool coordination_version(zend_long version, uint32_t argument)
{
    if (EXPECTED(version > 0))
        return true;
    zend_argument_value_error(argument, "must be greater than 0, as getVersioned() returned it; an "
                                        "int has no version, see compareAndSet()");
    return false;
}

static void coordination_replace_if(larder_kind kind, larder_pool *pool,
                                    INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zval *value, *ttl = NULL;
    zend_long version;
    uint64_t ttl_ms;
    coordination_entry entry;
    static const larder_blame blame = {.argument = 2, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(3, kind == LARDER_VOLATILE ? 4 : 3)
        Z_PARAM_STR(key)
        Z_PARAM_ZVAL(value)
        Z_PARAM_LONG(version)
        Z_PARAM_OPTIONAL
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (!coordination_version(version, 3) || !larder_milliseconds(ttl, 4, &ttl_ms) ||
        !coordination_open(kind, pool, key, false, &entry))
        RETURN_THROWS();
    if (entry.store == NULL) {
        larder_encoded encoded; /* refuse values that cannot be stored, even if the store is off */
        larder_encode(value, &blame, &encoded);
        larder_encoded_free(&encoded);
        RETURN_FALSE;
    }
    larder_target to = {.store = entry.store,
                        .key = entry.key,
                        .ttl_ms = ttl_ms,
                        .mode = LRD_REPLACE,
                        .form = pool != NULL ? pool->form : LARDER_FORM_UNSET,
                        .version = (uint64_t)version};
    int rc = larder_put(&to, value, &blame);
    coordination_close(pool, &entry);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (rc == LRD_ESIZE)
        php_error_docref(NULL, E_WARNING, "The value is larger than half of the store; raise %s",
                         larder_store_table[kind].size_name);
    RETURN_BOOL(rc == LRD_OK);
}

static void coordination_delete_if(larder_kind kind, larder_pool *pool,
                                   INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long version;
    coordination_entry entry;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(key)
        Z_PARAM_LONG(version)
    ZEND_PARSE_PARAMETERS_END();
    if (!coordination_version(version, 2) || !coordination_open(kind, pool, key, false, &entry))
        RETURN_THROWS();
    if (entry.store != NULL)
        LARDER_CALL(rc, lrd_delete_version(entry.store, ZSTR_VAL(entry.key), ZSTR_LEN(entry.key),
                                           (uint64_t)version, 0));
    coordination_close(pool, &entry);
    RETURN_BOOL(rc == LRD_OK);
}

static void coordination_compare_and_set(larder_kind kind, larder_pool *pool,
                                         INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long expected, value;
    coordination_entry entry;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(3, 3)
        Z_PARAM_STR(key)
        Z_PARAM_LONG(expected)
        Z_PARAM_LONG(value)
    ZEND_PARSE_PARAMETERS_END();
    if (!coordination_open(kind, pool, key, false, &entry))
        RETURN_THROWS();
    if (entry.store != NULL)
        LARDER_CALL(rc, lrd_counter_swap(entry.store, ZSTR_VAL(entry.key), ZSTR_LEN(entry.key),
                                         expected, value));
    coordination_close(pool, &entry);
    RETURN_BOOL(rc == LRD_OK);
}

/* private, so that only throttle() makes objects */
ZEND_METHOD(Larder_Throttle, __construct) {}

#define COORDINATION_METHOD(class, name, body, kind, pool)                                         \
    ZEND_METHOD(Larder_##class, name) { body(kind, pool, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

#define COORDINATION_METHODS(class, kind, pool)                                                    \
    COORDINATION_METHOD(class, throttle, coordination_throttle, kind, pool)                        \
    COORDINATION_METHOD(class, take, coordination_take, kind, pool)                                \
    COORDINATION_METHOD(class, getVersioned, coordination_get_versioned, kind, pool)               \
    COORDINATION_METHOD(class, replaceIf, coordination_replace_if, kind, pool)                     \
    COORDINATION_METHOD(class, deleteIf, coordination_delete_if, kind, pool)                       \
    COORDINATION_METHOD(class, compareAndSet, coordination_compare_and_set, kind, pool)

COORDINATION_METHODS(VolatileCache, LARDER_VOLATILE, NULL)
COORDINATION_METHODS(PinnedCache, LARDER_PINNED, NULL)
COORDINATION_METHODS(Pool, LARDER_VOLATILE, larder_pool_of(Z_OBJ_P(ZEND_THIS)))
