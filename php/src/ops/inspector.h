/* inspector.h - the object Larder\Inspector, which inspector.c and entries.c share. */
#ifndef LARDER_INSPECTOR_H
#define LARDER_INSPECTOR_H

#include "php_larder.h"

typedef struct larder_inspector {
    lrd_store *store;
    /* the store that was opened only for Inspectors; NULL if `own` is true */
    struct inspector_opened *opened;
    larder_kind kind; /* kind of the store; valid if `own` is true */
    uint32_t policy;  /* a value of lrd_policy */
    /* true if the process uses this store for its own requests */
    bool own;
    zend_object std;
} larder_inspector;

static inline larder_inspector *larder_inspector_of(zend_object *object)
{
    return (larder_inspector *)((char *)object - offsetof(larder_inspector, std));
}

void larder_inspector_register(void) ZEND_COLD;

/* Return true if the strings and arrays in a value are not damaged (see sound.c). Objects are not
 * checked. */
bool larder_value_sound(lrd_store *store, const lrd_value *value) ZEND_COLD;

/* entries.c */
typedef enum larder_order {
    LARDER_ORDER_NONE,
    LARDER_ORDER_SIZE,
    LARDER_ORDER_USES,
    LARDER_ORDER_AGE,
    LARDER_ORDER_TTL,
    LARDER_ORDER_KEY
} larder_order;
/* List at most `limit` entries (0: all) of the pool, or of all pools if `pool` is NULL. */
void larder_inspect_entries(const larder_inspector *inspector, const zend_string *prefix,
                            larder_order order, uint64_t limit, const zend_string *pool,
                            zval *result);
/* List only keys, in no particular order. With `named`, the pool's name and a slash precede each
 * key. */
void larder_inspect_keys(const larder_inspector *inspector, const zend_string *prefix,
                         uint64_t limit, const zend_string *pool, bool named, zval *result);
void larder_inspect_totals(const larder_inspector *inspector, const zend_string *prefix,
                           zval *result);
/* Delete all entries that belong to no pool, and whose key begins with the prefix. In a store of
 * sessions, deletes the sessions whose save path begins with the prefix. Returns the number of
 * deleted entries or sessions. */
uint64_t larder_inspect_clear(const larder_inspector *inspector, const zend_string *prefix);
/* Delete the session whose key has this hash. Waits up to a second for its lock. Returns false if
 * there is no such session, or an exception is set. */
bool larder_inspect_end_session(const larder_inspector *inspector, const zend_string *hash);

#endif
