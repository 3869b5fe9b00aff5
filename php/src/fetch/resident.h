/* resident.h - resident graphs: values with immutable objects, which a worker builds once, keeps
 * between requests, and returns at each fetch. */
#ifndef LARDER_RESIDENT_H
#define LARDER_RESIDENT_H

#include "php_larder.h"
#include "fetch/constants.h"
#include "format/format.h"

typedef enum larder_resident_answer {
    LARDER_RESIDENT_GIVEN, /* *result is set */
    /* a class or an enum case is missing or has changed, or an exception is set */
    LARDER_RESIDENT_MISS,
    LARDER_RESIDENT_NOT /* the worker cannot keep this graph, so the caller must build it */
} larder_resident_answer;

/* Return a resident graph. If the worker does not keep the graph yet, build it first. The first
 * fetch of a graph in a request may run user code. */
larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value,
                                             zval *result);

/* Return the value of a pinned static property. The program may write to the objects in it, but the
 * next request finds them as they were stored. The value must not contain objects of PHP's own
 * classes. */
larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result);
/* Return true if larder_resident_live() may be able to keep the graph. The answer depends on the
 * stored value, the settings and the classes that are loaded. */
bool larder_resident_lives(const lrd_store *store, const lrd_value *value);
/* Release the values that the program has stored in objects of pinned statics. This is not
 * necessary if the engine frees all memory of the request in one step. */
void larder_residents_let_go(void);

/* Return true if all fetches of this graph return the same objects. The answer depends on the
 * stored value and the settings. */
bool larder_resident_stored(const lrd_store *store, const lrd_value *value);

/* Set *out to the constants (enum cases and constant arrays) of a graph. The worker builds them
 * once, and keeps them. The first call for a graph in a request may run user code. If the worker
 * cannot keep the constants, returns LARDER_RESIDENT_NOT; the caller then builds them itself. */
larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out);
/* Call larder_resident_lend() before using constants, and larder_resident_lent() afterwards.
 * Between the two, no graph is freed. Pairs of these calls may be nested. */
void larder_resident_lend(void);
void larder_resident_lent(void);

/* If a graph has fewer constant arrays than this, a worker does not keep them. */
#define LARDER_CONSTANTS 16u

/* Return the number of graphs that this thread keeps, and their total size in bytes. */
void larder_residents_usage(uint32_t *graphs, size_t *bytes);

/* Free those graphs that this request has returned and PHP does not use any more. */
void larder_residents_unused(void);
/* At the end of a request, restore or free the graphs that the request has used. Call this before
 * the request's held values are released. */
void larder_residents_rest(void) LARDER_HOT;
/* Free the graphs of a store. This request must not have used them. */
void larder_residents_drop(const lrd_store *store);
/* Free all graphs of a thread that ends. `all` may be NULL. */
void larder_residents_end(struct larder_residents *all) ZEND_COLD;

#endif
