/* resident.h - immutable graphs that a worker keeps between requests. */
#ifndef LARDER_RESIDENT_H
#define LARDER_RESIDENT_H

#include "php_larder.h"
#include "format/format.h"

typedef enum larder_resident_answer {
    LARDER_RESIDENT_GIVEN, /* *result has it */
    /* a class or a case is not there, or not what it was, or an exception is set */
    LARDER_RESIDENT_MISS,
    LARDER_RESIDENT_NOT /* it has to be rebuilt */
} larder_resident_answer;

/* Give the graph as it was built by an earlier fetch, or build it. May run user code, if it is the
 * first fetch of this request. */
larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value,
                                             zval *result);

/* The same for a pinned static: any graph of plain objects that nothing of PHP's own is in. Each
 * request begins with the objects as they were stored. */
larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result);
/* True if a graph is one of those, as far as the entry says. */
bool larder_resident_lives(const lrd_store *store, const lrd_value *value);
/* Where memory does not simply end with the request: free what was written into those. */
void larder_residents_let_go(void);

/* True if fetches of this graph give the same objects, as far as the entry and the settings say. */
bool larder_resident_stored(const lrd_store *store, const lrd_value *value);

/* The constant part of a graph, for this request: its cases, and the arrays that stand in what is
 * not constant. */
typedef struct larder_constant {
    zend_refcounted_h *counted;
    uint32_t index; /* of its node */
    uint32_t uses;  /* in what is not constant */
} larder_constant;
typedef struct larder_constants {
    const larder_constant *first; /* NULL: everything must be built */
    uint32_t used;
} larder_constants;
/* Have it, as earlier fetches built it, or build it. May run user code, if it is the first fetch of
 * this request. LARDER_RESIDENT_NOT: it has to be built by each fetch. */
larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out);
/* Until the last of these ends, no graph is freed. Around the use of constants. */
void larder_resident_lend(void);
void larder_resident_lent(void);

#define LARDER_CONSTANTS 16u /* so many constant arrays are worth the effort */

/* Of this thread: how many graphs, and bytes of private memory. */
void larder_residents_usage(uint32_t *graphs, size_t *bytes);

void larder_residents_unused(void); /* free what this request was given and does not use any more */
void larder_residents_rest(void) LARDER_HOT; /* at the end of a request, before values end */
/* a store that this request does not use is left */
void larder_residents_drop(const lrd_store *store);
/* at the end of a thread; NULL: nothing */
void larder_residents_end(struct larder_residents *all) ZEND_COLD;

#endif
