/* resident.h - resident graphs: values with immutable objects that a worker builds once, keeps
 * between requests and returns at each fetch. */
#ifndef LARDER_RESIDENT_H
#define LARDER_RESIDENT_H

#include "php_larder.h"
#include "fetch/constants.h"
#include "format/format.h"

typedef enum larder_resident_answer {
    LARDER_RESIDENT_GIVEN, /* *result is set */
    /* a class or an enum case is missing or has changed, or an exception is set */
    LARDER_RESIDENT_MISS,
    LARDER_RESIDENT_NOT /* the worker cannot keep this graph, so build it as usual */
} larder_resident_answer;

/* Return the graph that an earlier fetch has built, or build it. May run user code on the first
 * fetch in a request. */
larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value,
                                             zval *result);

/* Fetch the value of a pinned static property, which the worker also keeps. It may be any graph of
 * plain objects, but none of PHP's own classes. Each request begins with the objects as they were
 * stored. */
larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result);
/* Return true if larder_resident_live() may accept a graph, as far as the stored value shows. */
bool larder_resident_lives(const lrd_store *store, const lrd_value *value);
/* Release the values that the program has written into objects of pinned statics. Not needed if all
 * memory of the request is freed at once. */
void larder_residents_let_go(void);

/* Return true if all fetches of this graph return the same objects, as far as the stored value and
 * the settings show. */
bool larder_resident_stored(const lrd_store *store, const lrd_value *value);

/* Return the constants of a graph (enum cases and constant arrays) that an earlier fetch has built,
 * or build them. May run user code on the first fetch in a request. LARDER_RESIDENT_NOT: build them
 * as usual. */
larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out);
/* Keep all graphs from being freed. Each call of larder_resident_lent() ends the effect of one call
 * of this function. Call both around the use of constants. */
void larder_resident_lend(void);
void larder_resident_lent(void);

/* the smallest number of constant arrays for which keeping them pays */
#define LARDER_CONSTANTS 16u

/* Return the number of graphs that this thread keeps, and the size of their memory in bytes. */
void larder_residents_usage(uint32_t *graphs, size_t *bytes);

/* Free the graphs that were returned in this request and are not in use any more. */
void larder_residents_unused(void);
/* End a request, before its values are released. */
void larder_residents_rest(void) LARDER_HOT;
/* Free the graphs of a store that this request does not use. */
void larder_residents_drop(const lrd_store *store);
/* Free the graphs of a thread that ends. `all` may be NULL. */
void larder_residents_end(struct larder_residents *all) ZEND_COLD;

#endif
