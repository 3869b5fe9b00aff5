/* constants.h - the list of a graph's constants (enum cases and constant arrays) that a worker
 * keeps. */
#ifndef LARDER_FETCH_CONSTANTS_H
#define LARDER_FETCH_CONSTANTS_H

#include "php_larder.h"

/* A constant: an enum case or a constant array. `counted` is the address of the constant in this
 * request. */
typedef struct larder_constant {
    zend_refcounted_h *counted;
    uint32_t index; /* index of the constant's node in the graph */
    /* number of references to the constant; references in other constants do not count */
    uint32_t uses;
} larder_constant;
typedef struct larder_constants {
    /* The array of constants. If the worker keeps no constants, this is NULL, and all nodes must be
     * built. */
    const larder_constant *first;
    uint32_t used;
} larder_constants;

#endif
