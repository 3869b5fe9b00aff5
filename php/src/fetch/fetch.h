/* fetch.h - the hot part of a read: from what the core gave to a PHP value. */
#ifndef LARDER_FETCH_H
#define LARDER_FETCH_H

#include "format/format.h"
#include "holds/holds.h"

/* Turn what lrd_get(.., LRD_GET_NO_COPY, ..) gave into a PHP value. False: it cannot be had (a
 * miss), or an exception is set. */
bool larder_take(lrd_store *store, lrd_value *value, zval *result);
/* Take the value of a look-up with LRD_GET_NO_COUNT: a value that does not fit its classes is
 * not counted as a miss. */
bool larder_take_again(lrd_store *store, lrd_value *value, zval *result);
/* True if a fetch of the key is no miss: the key has an entry, and it can be restored here or its
 * hooks throw, which is forgotten. Restores objects to find that out, which runs user code. Counts
 * nothing. */
bool larder_has(lrd_store *store, const zend_string *key);
/* True if user code has thrown: forget what it threw. Not that the program ends, which stays. */
bool larder_hook_threw(void);
/* True if the key has an entry that cannot be restored here, so that readers get a miss; *version
 * is the entry's. Runs user code as larder_has() does: false, too, where it throws, and the
 * exception stays set. */
bool larder_is_unreadable(lrd_store *store, const zend_string *key, uint64_t *version);
/* Everything but the cases that larder_take_fast() does in line. */
bool larder_take_slow(lrd_store *store, lrd_value *value, zval *result);
/* A bound said no: let go of what is not used any more, and hold what is borrowed. False: it has to
 * be copied. */
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
            Z_TYPE_INFO_P(result) = IS_ARRAY; /* immutable: not counted */
            return true;
        }
        if (value->type == LARDER_STRING) {
            ZVAL_INTERNED_STR(result, (zend_string *)(uintptr_t)value->data);
            return true;
        }
    }
    if (value->type == LRD_TYPE_COUNTER) {
        /* lrd_counter_value(), in line */
        ZVAL_LONG(result, __atomic_load_n((const int64_t *)value->data, __ATOMIC_ACQUIRE));
        if (UNEXPECTED(value->kind != LRD_KIND_HELD)) /* else the request ends it */
            larder_take_end(store, value);
        return true;
    }
    return larder_take_slow(store, value, result);
}

/* Look a key up and take its value. False: a miss, or an exception is set. */
static zend_always_inline bool larder_fetch(lrd_store *store, zend_string *key, zval *result)
{
    lrd_value value;
    return EXPECTED(larder_lookup(store, key, &value) == LRD_OK) &&
           EXPECTED(larder_take_fast(store, &value, result));
}

/* Fetch up to so many keys, their memory on its way at the same time; what is a miss, or failed
 * with an exception, is UNDEF. store may be NULL. */
#define LARDER_GROUP 16u
void larder_fetch_group(lrd_store *store, zend_string *const *names, uint32_t count, zval *results);

#endif
