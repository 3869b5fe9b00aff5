/* fetch.h - the hot part of a read: turns the core's answer into a PHP value. */
#ifndef LARDER_FETCH_H
#define LARDER_FETCH_H

#include "format/format.h"
#include "holds/holds.h"

/* Turn the answer of lrd_get(.., LRD_GET_NO_COPY, ..) into a PHP value. Returns false if that is
 * impossible (a miss), or an exception is set. */
bool larder_take(lrd_store *store, lrd_value *value, zval *result);
/* Take the value of a look-up with LRD_GET_NO_COUNT: a value that does not fit its classes is
 * not counted as a miss. */
bool larder_take_again(lrd_store *store, lrd_value *value, zval *result);
/* Return true if a fetch of the key would not be a miss: its entry can be restored here, or its
 * hooks throw; the exception is dropped. Restores objects to find that out, which runs user
 * code. Counts nothing. */
bool larder_has(lrd_store *store, const zend_string *key);
/* Return true if user code has thrown, and drop the exception, except one that ends the program. */
bool larder_hook_threw(void);
/* Return true if the key has an entry that cannot be restored here, so that readers get a miss;
 * *version is the version of the entry. Runs user code, like larder_has(). If that throws, it
 * returns false and the exception stays set. */
bool larder_is_unreadable(lrd_store *store, const zend_string *key, uint64_t *version);
/* Make a PHP value of a type that is always copied: null, a bool, a float, an empty array, or a
 * string. The bytes belong to the caller, or are protected. Returns false for all other types. */
bool larder_take_plain(const lrd_value *value, zval *result);
/* Take a value in all cases that larder_take_fast() does not handle. */
bool larder_take_slow(lrd_store *store, lrd_value *value, zval *result);
/* Hold a borrowed value after a bound has refused it: first release unused holds. Returns false if
 * the value must be copied. */
bool larder_take_hold(lrd_store *store, lrd_value *value);
/* End a value that was copied. A borrowed value would pin its block until the thread borrows
 * another one, which may take long. */
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

/* Take the usual cases inline: shared values and ints. */
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
        if (UNEXPECTED(value->kind != LRD_KIND_HELD)) /* a held value ends with the request */
            larder_take_end(store, value);
        return true;
    }
    return larder_take_slow(store, value, result);
}

/* Look up a key and take its value. Returns false on a miss, or if an exception is set. */
static zend_always_inline bool larder_fetch(lrd_store *store, zend_string *key, zval *result)
{
    lrd_value value;
    return EXPECTED(larder_lookup(store, key, &value) == LRD_OK) &&
           EXPECTED(larder_take_fast(store, &value, result));
}

/* Fetch a graph that is not the value of an entry. The result is a full copy, without pointers
 * into the block. A held block must stay held until this returns. If the block is not held, the
 * function `again`, which holds nothing, looks it up again after user code has run. Counts no
 * miss. */
typedef int larder_graph_again(void *context, lrd_store *store, lrd_value *value);
bool larder_graph_copy(lrd_store *store, lrd_value *value, larder_graph_again *again, void *context,
                       zval *result);

/* Fetch up to LARDER_GROUP keys, prefetching their memory in parallel. A result is UNDEF if it is a
 * miss or failed with an exception. store may be NULL. */
#define LARDER_GROUP 16u
void larder_fetch_group(lrd_store *store, zend_string *const *names, uint32_t count, zval *results);

#endif
