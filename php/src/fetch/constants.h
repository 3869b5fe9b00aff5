/* constants.h - the list of a graph's constants (enum cases and constant arrays) that a worker
 * keeps. */
#ifndef LARDER_FETCH_CONSTANTS_H
#define LARDER_FETCH_CONSTANTS_H

#include "php_larder.h"

/* An enum case or a constant array. */
typedef struct larder_constant {
    zend_refcounted_h *counted;
    uint32_t index; /* index of its node in the graph */
    /* number of references to the constant, except those from constant arrays */
    uint32_t uses;
} larder_constant;
typedef struct larder_constants {
    /* NULL if the worker keeps no constants, so that all nodes must be built */
    const larder_constant *first;
    uint32_t used;
} larder_constants;

#endif
