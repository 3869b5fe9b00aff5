/* resident.h - resident graphs: values with immutable objects. A worker builds such a graph once,
 * and returns the same objects at each fetch. */
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

/* Fetch a graph that the worker keeps or can keep. The first fetch of a graph in a request may run
 * user code. */
larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value,
                                             zval *result);

/* Return the value of a pinned static property. The program may write to the objects in this value;
 * they are restored for the next request. Objects of PHP's own classes are not allowed. */
larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result);
/* Return true if the value, the settings and the loaded classes allow larder_resident_live() to
 * keep the graph. */
bool larder_resident_lives(const lrd_store *store, const lrd_value *value);
/* Release the values that the program has stored in objects of pinned statics. Does nothing if the
 * engine frees all memory of the request in one step. */
void larder_residents_let_go(void);

/* Return true if all fetches of the value return the same objects. This depends only on the value
 * and the settings. */
bool larder_resident_stored(const lrd_store *store, const lrd_value *value);

/* Set *out to the constants (enum cases and constant arrays) that the worker keeps. The first call
 * for a graph in a request may run user code. After LARDER_RESIDENT_NOT, the caller must build the
 * constants. */
larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out);
/* Call larder_resident_lend() before each use of constants, and larder_resident_lent() after it. In
 * between, no graph is freed. Pairs of calls may be nested. */
void larder_resident_lend(void);
void larder_resident_lent(void);

/* if a graph has fewer constant arrays than this number, a worker does not keep them */
#define LARDER_CONSTANTS 16u

/* Set *graphs to the number and *bytes to the total size of the graphs that this thread keeps. */
void larder_residents_usage(uint32_t *graphs, size_t *bytes);

/* Free returned graphs that PHP does not use any more. */
void larder_residents_unused(void);
/* At the end of a request, restore or free the graphs that the request has used. Call this while
 * the request still holds its values. */
void larder_residents_rest(void) LARDER_HOT;
/* Free the graphs of a store. This request must not have used them. */
void larder_residents_drop(const lrd_store *store);
/* Free all graphs of a thread that ends. `all` may be NULL. */
void larder_residents_end(struct larder_residents *all) ZEND_COLD;

#endif
