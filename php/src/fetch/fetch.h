/* fetch.h - the hot part of a read: from what the core gave to a PHP value. */
#ifndef LARDER_FETCH_H
#define LARDER_FETCH_H

#include "php_larder.h"
#include "holds/holds.h"

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

/* The usual cases in line: what is shared, and ints. */
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
        ZVAL_LONG(result, lrd_counter_value(value)); /* held or not: that ends by itself */
        return true;
    }
    return larder_take_slow(store, value, result);
}

/* Fetch up to so many keys, their memory on its way at the same time; what is a miss, or failed with an exception, is
 * UNDEF. store may be NULL. */
#define LARDER_GROUP 16u
void larder_fetch_group(lrd_store *store, zend_string *const *names, uint32_t count, zval *results);

#endif
