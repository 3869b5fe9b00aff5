/* constants.h - the constant part of a graph, which a worker may keep: resident.c keeps it, and
 * graph_build.c uses it. */
#ifndef LARDER_FETCH_CONSTANTS_H
#define LARDER_FETCH_CONSTANTS_H

#include "php_larder.h"

/* An enum case or a constant array, as this request uses it. The variable part of the graph refers
 * to it. */
typedef struct larder_constant {
    zend_refcounted_h *counted;
    uint32_t index; /* index of its node in the graph */
    uint32_t uses;  /* how often the variable part refers to it */
} larder_constant;
typedef struct larder_constants {
    const larder_constant *first; /* NULL: no constants are kept, so all nodes must be built */
    uint32_t used;
} larder_constants;

#endif
