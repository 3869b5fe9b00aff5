/* inspector.h - Larder\Inspector: its object, shared by inspector.c and entries.c. */
#ifndef LARDER_INSPECTOR_H
#define LARDER_INSPECTOR_H

#include "php_larder.h"

typedef struct larder_inspector {
    lrd_store *store;
    /* a store that was opened for Inspectors, which share it; NULL: the process's own store */
    struct inspector_opened *opened;
    larder_kind kind; /* kind of the store; valid if `own` is set */
    uint32_t policy;  /* LRD_VOLATILE, ... */
    /* the process uses this store anyway */
    bool own;
    zend_object std;
} larder_inspector;

static inline larder_inspector *larder_inspector_of(zend_object *object)
{
    return (larder_inspector *)((char *)object - offsetof(larder_inspector, std));
}

void larder_inspector_register(void) ZEND_COLD;

/* in sound.c: return true if a value of strings and arrays is not damaged. Values with objects are
 * not checked. */
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
/* List at most `limit` entries; 0: all. `pool`: only entries of this pool; NULL: entries of all
 * pools, and entries without a pool. */
void larder_inspect_entries(const larder_inspector *inspector, const zend_string *prefix,
                            larder_order order, uint64_t limit, const zend_string *pool,
                            zval *result);
/* List only keys, in no order. This takes a tenth of the memory. named: write the pool's name and a
 * slash before each key. */
void larder_inspect_keys(const larder_inspector *inspector, const zend_string *prefix,
                         uint64_t limit, const zend_string *pool, bool named, zval *result);
void larder_inspect_totals(const larder_inspector *inspector, const zend_string *prefix,
                           zval *result);
/* Delete the entries without a pool whose keys begin with the prefix. In a store of sessions,
 * delete the sessions whose save path begins with the prefix. */
uint64_t larder_inspect_clear(const larder_inspector *inspector, const zend_string *prefix);
/* Delete a session by its hash. Returns false if there is none, or an exception is set. Waits up to
 * a second for a request that has locked the session. */
bool larder_inspect_end_session(const larder_inspector *inspector, const zend_string *hash);

#endif
