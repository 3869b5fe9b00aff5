/* pool_lease.c - leases of keys, and pools that last only as long as they are prolonged. Both keep
 * a copy of another machine's data true. Read larder_pool_lease() first.
 *
 * - A lease is an entry of type LARDER_LEASE without a value, so it is a miss for readers. Every
 *   change or end of an entry breaks it: a write, a delete, a clear of the pool or the store,
 *   eviction, and expiry. A value that is a miss here, because a class is gone or has changed, is
 *   replaced by a lease.
 * - Its token is the pool's generation and the entry's version, which the shard never gives twice.
 *   fill() replaces just this entry, so a value is stored only if nothing broke the lease since it
 *   was taken.
 * - A pool with begin() has a record with a time to live, which only prolong() extends. When the
 *   record expires, all entries of the pool are unreachable at once. A read pays nothing for that,
 *   because it reads the record anyway. */
#include "api/arguments.h"
#include "api/pool.h"
#include "fetch/fetch.h"
#include "format/format.h"
#include "put/put.h"
#include "stores/stores.h"

#define LEASE_TOKEN (2 * sizeof(uint64_t)) /* bytes */

/* Get the version of the lease that a key has. LRD_MISS: it has no lease. */
static int lease_version(lrd_store *store, const zend_string *key, uint64_t *version)
{
    uint8_t type;
    int rc = larder_pool_look(store, ZSTR_VAL(key), ZSTR_LEN(key), &type, version);
    return rc == LRD_OK && (type != LARDER_LEASE || *version == 0) ? LRD_MISS : rc;
}

/* Take a lease. LRD_OK; LRD_EXISTS: the key has a value or a lease, or an exception is set;
 * LRD_MISS: there is no such pool. A lease that another process takes between the calls is good
 * enough: data that is read from now on is no older than it. */
static int larder_pool_lease(larder_pool *pool, lrd_store *store, const zend_string *key,
                             uint64_t ttl_ms, uint64_t token[2])
{
    int rc = larder_pool_find(pool, store, &token[0]);
    if (rc != LRD_OK)
        return rc;
    zend_string *full = larder_pool_key(pool, key);
    LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(full), ZSTR_LEN(full), NULL, 0,
                            &(lrd_write){.ttl_ms = ttl_ms, .mode = LRD_ADD, .type = LARDER_LEASE}));
    if (rc == LRD_EXISTS && larder_is_unreadable(store, full, &token[1]))
        LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(full), ZSTR_LEN(full), NULL, 0,
                                &(lrd_write){.ttl_ms = ttl_ms,
                                             .version = token[1],
                                             .mode = LRD_REPLACE,
                                             .type = LARDER_LEASE}));
    if (rc == LRD_OK)
        rc = lease_version(store, full, &token[1]);
    zend_string_release(full);
    return rc;
}

/* Store a value if the lease still holds. LRD_STALE or LRD_MISS: it does not hold any more. */
static int larder_pool_fill(larder_pool *pool, lrd_store *store, const zend_string *key,
                            zval *value, const uint64_t token[2], uint64_t ttl_ms,
                            const larder_blame *blame)
{
    larder_encoded encoded;
    uint64_t generation;
    int rc = LRD_EINVAL;
    /* this runs user code, so do it before anything is read */
    if (larder_encode(value, blame, &encoded)) {
        rc = larder_pool_find(pool, store, &generation);
        if (rc == LRD_OK && generation != token[0])
            rc = LRD_STALE;
    }
    if (rc == LRD_OK) {
        larder_target to = {.store = store,
                            .key = larder_pool_key(pool, key),
                            .ttl_ms = ttl_ms,
                            .version = token[1],
                            .mode = LRD_REPLACE,
                            .form = pool->form};
        rc = larder_put_encoded(&to, value, &encoded);
        zend_string_release(to.key);
    }
    larder_encoded_free(&encoded);
    return rc;
}

/* Make the pool last ttl_ms from now on, if it still has this generation. */
static int larder_pool_prolong(const larder_pool *pool, lrd_store *store, uint64_t generation,
                               uint64_t ttl_ms)
{
    lrd_value value;
    int rc, released;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record),
                            LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return rc;
    rc = LRD_STALE;
    if (value.kind == LRD_KIND_HELD && larder_pool_generation(&value) == generation)
        LARDER_CALL(rc, lrd_put_held(store, &value, ttl_ms));
    LARDER_CALL(released, lrd_release(store, &value));
    (void)released;
    return rc;
}

/* ---- methods ---- */

#define POOL_THIS() larder_pool_of(Z_OBJ_P(ZEND_THIS))

static bool lease_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds)
{
    if (!larder_milliseconds(seconds, argument, milliseconds))
        return false;
    if (*milliseconds == 0)
        zend_argument_value_error(argument, "must be greater than 0");
    return *milliseconds != 0;
}

static bool lease_token_check(const zend_string *token, size_t bytes, uint32_t argument,
                              const char *method)
{
    if (ZSTR_LEN(token) == bytes)
        return true;
    zend_argument_value_error(argument, "must be what %s() returned", method);
    return false;
}

ZEND_METHOD(Larder_Pool, lease)
{
    zend_string *key;
    zval *seconds = NULL;
    uint64_t ttl_ms = 10000, token[2];
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(seconds)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) ||
        (seconds != NULL && !lease_milliseconds(seconds, 2, &ttl_ms)))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store == NULL)
        return;
    int rc = larder_pool_lease(POOL_THIS(), store, key, ttl_ms, token);
    if (EG(exception))
        RETURN_THROWS();
    if (rc == LRD_OK)
        RETURN_STRINGL((const char *)token, LEASE_TOKEN);
}

ZEND_METHOD(Larder_Pool, fill)
{
    zend_string *key, *lease;
    zval *value, *ttl = NULL;
    uint64_t ttl_ms, token[2];
    static const larder_blame blame = {.argument = 2, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(3, 4)
        Z_PARAM_STR(key)
        Z_PARAM_ZVAL(value)
        Z_PARAM_STR(lease)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) ||
        !lease_token_check(lease, LEASE_TOKEN, 3, "lease") || !larder_milliseconds(ttl, 4, &ttl_ms))
        RETURN_THROWS();
    memcpy(token, ZSTR_VAL(lease), LEASE_TOKEN);
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETVAL_FALSE;
    if (store == NULL)
        return;
    int rc = larder_pool_fill(POOL_THIS(), store, key, value, token, ttl_ms, &blame);
    if (EG(exception))
        RETURN_THROWS();
    RETVAL_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Pool, begin)
{
    zval *seconds;
    uint64_t ttl_ms, generation;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_NUMBER(seconds)
    ZEND_PARSE_PARAMETERS_END();
    if (!lease_milliseconds(seconds, 1, &ttl_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store != NULL && larder_pool_begin(POOL_THIS(), store, ttl_ms, &generation) == LRD_OK)
        RETURN_STRINGL((const char *)&generation, sizeof generation);
}

ZEND_METHOD(Larder_Pool, prolong)
{
    zend_string *token;
    zval *seconds;
    uint64_t ttl_ms, generation;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(token)
        Z_PARAM_NUMBER(seconds)
    ZEND_PARSE_PARAMETERS_END();
    if (!lease_token_check(token, sizeof generation, 1, "begin") ||
        !lease_milliseconds(seconds, 2, &ttl_ms))
        RETURN_THROWS();
    memcpy(&generation, ZSTR_VAL(token), sizeof generation);
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store != NULL &&
                larder_pool_prolong(POOL_THIS(), store, generation, ttl_ms) == LRD_OK);
}

ZEND_METHOD(Larder_Pool, invalidate)
{
    zend_string *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETURN_BOOL(store == NULL || larder_pool_delete(POOL_THIS(), store, key) >= LRD_OK);
}
