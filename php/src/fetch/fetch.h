/* fetch.h - turns values that the core has found into PHP values. */
#ifndef LARDER_FETCH_H
#define LARDER_FETCH_H

#include "format/format.h"
#include "holds/holds.h"

/* Turn a value that was found with LRD_GET_NO_COPY into a PHP value. Returns false if an exception
 * is set. If this process cannot restore the value, counts a miss and returns false. */
bool larder_take(lrd_store *store, lrd_value *value, zval *result);
/* Like larder_take(), for a value found with LRD_GET_NO_COUNT: never counts a miss. */
bool larder_take_again(lrd_store *store, lrd_value *value, zval *result);
/* Return true if a fetch of the key would return a value or throw. Runs user code, and drops its
 * exceptions. Counts neither a hit nor a miss. */
bool larder_has(lrd_store *store, const zend_string *key);
/* If an exception is set, drop it and return true. An exception that ends the program stays set,
 * and the result is false. */
bool larder_hook_threw(void);
/* Return true, and set *version, if this process cannot restore the entry of the key. Runs user
 * code. If the user code throws, returns false, and the exception stays set. */
bool larder_is_unreadable(lrd_store *store, const zend_string *key, uint64_t *version);
/* Copy a value to *result if it is null, a bool, a float, an empty array or a short string. Returns
 * false for other types. The stored bytes must stay valid during the call. */
bool larder_take_plain(const lrd_value *value, zval *result);
bool larder_take_slow(lrd_store *store, lrd_value *value, zval *result);
/* Hold a value although this thread has reached its limit of held values: release values that are
 * no longer used. Returns false if the caller must copy the value. */
bool larder_take_hold(lrd_store *store, lrd_value *value);
/* Release a borrowed value after it was copied. Otherwise the value's block stays in memory until
 * this thread reads another value. */
void larder_take_end(lrd_store *store, lrd_value *value);

static zend_always_inline int larder_lookup(lrd_store *store, zend_string *key, lrd_value *value)
{
    int rc;
#ifdef LRD_POISON
    larder_holds_stress();
#endif
    LARDER_CALL(
        rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), LRD_GET_NO_COPY | LRD_GET_PLAIN, value));
    return rc;
}

/* Look a key up again. Counts neither a hit nor a miss. */
static zend_always_inline int larder_lookup_again(lrd_store *store, const zend_string *key,
                                                  lrd_value *value)
{
    int rc;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key),
                            LRD_GET_NO_COPY | LRD_GET_PLAIN | LRD_GET_NO_COUNT, value));
    return rc;
}

static zend_always_inline bool larder_take_fast(lrd_store *store, lrd_value *value, zval *result)
{
    if (EXPECTED(value->kind == LRD_KIND_HELD)) {
        if (value->type == LARDER_ARRAY) {
            Z_ARR_P(result) = (zend_array *)(uintptr_t)value->data;
            Z_TYPE_INFO_P(result) = IS_ARRAY; /* immutable, so not counted */
            return true;
        }
        if (value->type == LARDER_STRING) {
            ZVAL_INTERNED_STR(result, (zend_string *)(uintptr_t)value->data);
            return true;
        }
    }
    if (value->type == LRD_TYPE_COUNTER) {
        /* lrd_counter_value(), inlined */
        ZVAL_LONG(result, __atomic_load_n((const int64_t *)value->data, __ATOMIC_ACQUIRE));
        /* a held value stays until the request ends */
        if (UNEXPECTED(value->kind != LRD_KIND_HELD))
            larder_take_end(store, value);
        return true;
    }
    return larder_take_slow(store, value, result);
}

/* Fetch the value of a key. Returns false on a miss, or if an exception is set. */
static zend_always_inline bool larder_fetch(lrd_store *store, zend_string *key, zval *result)
{
    lrd_value value;
    return EXPECTED(larder_lookup(store, key, &value) == LRD_OK) &&
           EXPECTED(larder_take_fast(store, &value, result));
}

/* Fetch a graph that is not the value of an entry, such as the body of a message. The result does
 * not point into the block. If the block is held, it must stay held. If it is only borrowed, user
 * code may end the borrow; then this function calls `again` to look the value up again. Counts no
 * miss. */
typedef int larder_graph_again(void *context, lrd_store *store, lrd_value *value);
bool larder_graph_copy(lrd_store *store, lrd_value *value, larder_graph_again *again, void *context,
                       zval *result);

/* Fetch up to LARDER_GROUP keys. The result is UNDEF for a missing key, for all keys after an
 * exception, and if `store` is NULL. */
#define LARDER_GROUP 16u
void larder_fetch_group(lrd_store *store, zend_string *const *names, uint32_t count, zval *results);

#endif
