/* resident.h - immutable graphs that a worker keeps between requests. */
#ifndef LARDER_RESIDENT_H
#define LARDER_RESIDENT_H

#include "php_larder.h"
#include "fetch/constants.h"
#include "format/format.h"

typedef enum larder_resident_answer {
    LARDER_RESIDENT_GIVEN, /* *result is set */
    /* a class or a case is missing or has changed, or an exception is set */
    LARDER_RESIDENT_MISS,
    LARDER_RESIDENT_NOT /* the graph must be rebuilt */
} larder_resident_answer;

/* Return the graph that an earlier fetch built, or build it. May run user code on the first fetch
 * of this request. */
larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value,
                                             zval *result);

/* Fetch the graph of a pinned static: any graph of plain objects, without objects of PHP's own
 * classes. Each request begins with the objects as they were stored. */
larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result);
/* Return true if larder_resident_live() can take a graph, as far as the entry shows. */
bool larder_resident_lives(const lrd_store *store, const lrd_value *value);
/* Free the values that were written into graphs of pinned statics, unless memory simply ends
 * with the request. */
void larder_residents_let_go(void);

/* Return true if all fetches of this graph return the same objects, as far as the entry and the
 * settings show. */
bool larder_resident_stored(const lrd_store *store, const lrd_value *value);

/* Return the constants that an earlier fetch built, or build them. May run user code on the
 * first fetch of this request. LARDER_RESIDENT_NOT: each fetch must build the constants itself. */
larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out);
/* Keep all graphs from being freed until the last lend ends. Call it around the use of
 * constants. */
void larder_resident_lend(void);
void larder_resident_lent(void);

#define LARDER_CONSTANTS 16u /* residence pays from this number of constant arrays on */

/* Return this thread's number of graphs, and the bytes of their private memory. */
void larder_residents_usage(uint32_t *graphs, size_t *bytes);

/* Free the graphs that were given to this request and are not used any more. */
void larder_residents_unused(void);
/* Called at the end of a request, before values end. */
void larder_residents_rest(void) LARDER_HOT;
/* Drop the graphs of a store that this request does not use. */
void larder_residents_drop(const lrd_store *store);
/* Called at the end of a thread; NULL: do nothing. */
void larder_residents_end(struct larder_residents *all) ZEND_COLD;

#endif
