/* constants.h - the constant part of a graph, kept by resident.c for graph_build.c. */
#ifndef LARDER_FETCH_CONSTANTS_H
#define LARDER_FETCH_CONSTANTS_H

#include "php_larder.h"

/* The constant part of a graph in this request: its cases, and those arrays that the variable part
 * refers to. */
typedef struct larder_constant {
    zend_refcounted_h *counted;
    uint32_t index; /* the number of its node */
    uint32_t uses;  /* how often the variable part refers to it */
} larder_constant;
typedef struct larder_constants {
    const larder_constant *first; /* NULL: nothing is resident, so everything must be built */
    uint32_t used;
} larder_constants;

#endif
