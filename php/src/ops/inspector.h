/* inspector.h - Larder\Inspector: its object, shared by inspector.c and entries.c. */
#ifndef LARDER_INSPECTOR_H
#define LARDER_INSPECTOR_H

#include "php_larder.h"

typedef struct larder_inspector {
    lrd_store *store;
    /* a store that is not the process's own; the Inspectors of one file share it */
    struct inspector_opened *opened;
    larder_kind kind; /* of an own store */
    uint32_t policy;  /* LRD_VOLATILE, ... */
    /* the kind of a store of this process; else the store was opened here */
    bool own;
    zend_object std;
} larder_inspector;

static inline larder_inspector *larder_inspector_of(zend_object *object)
{
    return (larder_inspector *)((char *)object - offsetof(larder_inspector, std));
}

void larder_inspector_register(void) ZEND_COLD;

/* sound.c: return false if a value of strings and arrays is damaged. Values with objects are not
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
/* pool: NULL for entries of all pools and of none. limit 0: all. */
void larder_inspect_entries(const larder_inspector *inspector, const zend_string *prefix,
                            larder_order order, uint64_t limit, const zend_string *pool,
                            zval *result);
/* List only keys, in no order, which takes a tenth of the memory. named: put the name of its
 * pool and a slash before each key. */
void larder_inspect_keys(const larder_inspector *inspector, const zend_string *prefix,
                         uint64_t limit, const zend_string *pool, bool named, zval *result);
void larder_inspect_totals(const larder_inspector *inspector, const zend_string *prefix,
                           zval *result);
/* Delete the entries whose keys begin with the prefix and that are in no pool, or the sessions
 * whose save path begins with it. */
uint64_t larder_inspect_clear(const larder_inspector *inspector, const zend_string *prefix);
/* Delete an entry. Returns false if there is none, or an exception is set. Waits a second for a
 * request that has the session open and would write it. */
bool larder_inspect_end_session(const larder_inspector *inspector, const zend_string *hash);

#endif
