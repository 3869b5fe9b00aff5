/* pool_lease.c - leases of keys, and pools that end if they are not prolonged, for programs that
 * must not return outdated values of another machine. Begin reading at larder_pool_lease().
 *
 * - A lease is the right to fill a key: an entry of the type LARDER_LEASE, which is a miss for
 *   readers.
 * - Every change of the entry breaks the lease: a write, a delete, a clear(), eviction, and expiry.
 * - A shard never gives the same version twice, and fill() replaces only the version in the token.
 * - The time to live of fill() counts from lease(), so that the value cannot outlive the data.
 * - The record of a pool from begin() has a time to live, which only prolong() extends. Without the
 *   record, no entry can be found. */
#include "api/arguments.h"
#include "api/pool.h"
#include "api/wait.h"
#include "fetch/fetch.h"
#include "format/format.h"
#include "put/put.h"
#include "stores/stores.h"

/* lease() returns these bytes as a string. */
typedef struct lease_token {
    uint64_t generation; /* generation of the pool */
    uint64_t version;    /* version of the lease's entry */
    uint64_t taken_ms;   /* time of larder_boot_clock() before the lease was taken */
} lease_token;

/* If writing a value takes longer than this time (ms), the value is removed. The value would live
 * too long, because its time to live was computed before the write. */
#define LEASE_LATE_MS 100u
/* maximum number of attempts to prolong a pool that other processes prolong, too */
#define LEASE_TRIES 8u

/* Set *version to the version of the key's lease. Returns LRD_MISS if the key has no lease. */
static int lease_version(lrd_store *store, const zend_string *key, uint64_t *version)
{
    uint8_t type;
    int rc = larder_pool_look(store, ZSTR_VAL(key), ZSTR_LEN(key), &type, version);
    return rc == LRD_OK && (type != LARDER_LEASE || *version == 0) ? LRD_MISS : rc;
}

/* Lease a key. Returns LRD_MISS if the pool does not exist. Returns LRD_EXISTS if the key has a
 * lease or a readable value, or if an exception is set. If another process replaces our lease at
 * once, the caller gets the token of the other lease. This is harmless, because the caller reads
 * the data only after this call. */
static int larder_pool_lease(larder_pool *pool, lrd_store *store, const zend_string *key,
                             uint64_t ttl_ms, lease_token *token)
{
    token->taken_ms = larder_boot_clock();
    int rc = larder_pool_find(pool, store, &token->generation);
    if (rc != LRD_OK)
        return rc;
    zend_string *full = larder_pool_key(pool, key);
    LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(full), ZSTR_LEN(full), NULL, 0,
                            &(lrd_write){.ttl_ms = ttl_ms, .mode = LRD_ADD, .type = LARDER_LEASE}));
    if (rc == LRD_EXISTS && larder_is_unreadable(store, full, &token->version))
        LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(full), ZSTR_LEN(full), NULL, 0,
                                &(lrd_write){.ttl_ms = ttl_ms,
                                             .version = token->version,
                                             .mode = LRD_REPLACE,
                                             .type = LARDER_LEASE}));
    if (rc == LRD_OK)
        rc = lease_version(store, full, &token->version);
    zend_string_release(full);
    return rc;
}

/* Store a value that expires ttl_ms milliseconds after the lease was taken, or never if ttl_ms is
 * 0. If this time has passed already, or if storing takes too long, returns LRD_STALE and leaves no
 * value. */
static int lease_put(larder_pool *pool, const zend_string *key, const larder_target *to,
                     zval *value, const larder_encoded *encoded, uint64_t ttl_ms,
                     const lease_token *token)
{
    larder_target now = *to;
    if (ttl_ms == 0)
        return larder_put_encoded(&now, value, encoded);
    uint64_t begun = larder_boot_clock(), gone = begun - token->taken_ms;
    if (gone >= ttl_ms)
        return LRD_STALE;
    now.ttl_ms = ttl_ms - gone;
    int rc = larder_put_encoded(&now, value, encoded);
    if (rc != LRD_OK || larder_boot_clock() - begun <= LEASE_LATE_MS)
        return rc;
    larder_pool_delete(pool, to->store, (zend_string *)(uintptr_t)key);
    return LRD_STALE;
}

/* Store the value of a key that lease() has leased. Returns LRD_STALE or LRD_MISS if the lease was
 * broken, or if ttl_ms milliseconds have passed since lease(). */
static int larder_pool_fill(larder_pool *pool, lrd_store *store, const zend_string *key,
                            zval *value, const lease_token *token, uint64_t ttl_ms,
                            const larder_blame *blame)
{
    larder_encoded encoded;
    uint64_t generation;
    int rc = LRD_EINVAL;
    /* Encode before the checks, because encoding runs user code, which may break the lease. */
    if (larder_encode(value, blame, &encoded)) {
        rc = larder_pool_find(pool, store, &generation);
        if (rc == LRD_OK && generation != token->generation)
            rc = LRD_STALE;
    }
    if (rc == LRD_OK) {
        larder_target to = {.store = store,
                            .key = larder_pool_key(pool, key),
                            .version = token->version,
                            .mode = LRD_REPLACE,
                            .form = pool->form};
        rc = lease_put(pool, key, &to, value, &encoded, ttl_ms, token);
        zend_string_release(to.key);
    }
    larder_encoded_free(&encoded);
    return rc;
}

/* Make a pool end after `ttl_ms` milliseconds if it still has this generation. If it has another
 * generation or is gone, sets *ended to true. */
static int lease_prolong(const larder_pool *pool, lrd_store *store, uint64_t generation,
                         uint64_t ttl_ms, bool *ended)
{
    lrd_value value;
    int rc, released;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record),
                            LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    *ended = rc != LRD_OK || larder_pool_generation(&value) != generation;
    if (rc != LRD_OK)
        return rc;
    rc = *ended ? LRD_STALE : larder_pool_renew(pool, store, &value, ttl_ms);
    LARDER_CALL(released, lrd_release(store, &value));
    (void)released;
    return rc;
}

/* Let the pool end in ttl_ms milliseconds. Tries again if another process has replaced the pool's
 * record meanwhile. */
static int larder_pool_prolong(const larder_pool *pool, lrd_store *store, uint64_t generation,
                               uint64_t ttl_ms)
{
    bool ended;
    int rc = LRD_STALE;
    for (unsigned i = 0; i < LEASE_TRIES; i++) {
        rc = lease_prolong(pool, store, generation, ttl_ms, &ended);
        if (ended || rc != LRD_STALE)
            break;
    }
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
    lease_token token;
    uint64_t ttl_ms = 10000;
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
    int rc = larder_pool_lease(POOL_THIS(), store, key, ttl_ms, &token);
    if (EG(exception))
        RETURN_THROWS();
    if (rc == LRD_OK)
        RETURN_STRINGL((const char *)&token, sizeof token);
}

ZEND_METHOD(Larder_Pool, fill)
{
    zend_string *key, *lease;
    zval *value, *ttl = NULL;
    lease_token token;
    uint64_t ttl_ms;
    static const larder_blame blame = {.argument = 2, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(3, 4)
        Z_PARAM_STR(key)
        Z_PARAM_ZVAL(value)
        Z_PARAM_STR(lease)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_pool_key_check(POOL_THIS(), key, 1) ||
        !lease_token_check(lease, sizeof token, 3, "lease") ||
        !larder_milliseconds(ttl, 4, &ttl_ms))
        RETURN_THROWS();
    memcpy(&token, ZSTR_VAL(lease), sizeof token);
    lrd_store *store = larder_store(LARDER_VOLATILE);
    RETVAL_FALSE;
    if (store == NULL)
        return;
    int rc = larder_pool_fill(POOL_THIS(), store, key, value, &token, ttl_ms, &blame);
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
