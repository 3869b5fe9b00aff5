/* few.h - stores values of few parts without a plan: objects, and arrays that repeat keys or
 * contain objects. */
#ifndef LARDER_PUT_FEW_H
#define LARDER_PUT_FEW_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* limits of a value: its elements and slots in all, its nodes, and its classes */
#define LARDER_FEW_ELEMENTS 64u
/* An element has at most three targets: its key, an object or a reference, and the array or string
 * in that. The value itself has two. */
#define LARDER_FEW_TARGETS (3 * LARDER_FEW_ELEMENTS + 2)
#define LARDER_FEW_NODES 16u
#define LARDER_FEW_CLASSES 4u

/* A value that was measured. It refers to the value, which must not change before it is
 * written. Most of it is not initialised, because most values need little of it. */
typedef struct larder_few {
    const zval *value;
    const larder_states *states;
    size_t size;                             /* bytes of the block */
    uint32_t targets, nodes, classes, calls; /* numbers of each */
    bool simple, cyclic, made, added;        /* as the flags of larder_graph */
    larder_class *class[LARDER_FEW_CLASSES]; /* the classes of the objects */
    uint32_t class_at[LARDER_FEW_CLASSES];   /* where the data of each class lies */
    /* Targets in the order of the walk. A string, and an array that occurs again or is empty, has
     * its place in words of 8 bytes. A node that has a number already has that. Another part that
     * may occur again has FEW_NEW. */
    uint16_t target[LARDER_FEW_TARGETS];
    larder_graph_node node[LARDER_FEW_NODES]; /* as they are written */
    uint32_t call[LARDER_FEW_NODES];          /* the nodes whose hooks a fetch calls */
} larder_few;

/* Measure an array or an object. states: the result of larder_states_collect(), or NULL. Returns
 * false if the value has more parts, or only a plan shows if it can be stored. Runs no user code.
 */
LARDER_HOT bool larder_few_measure(larder_few *few, const zval *value, const larder_states *states);
/* Return true if a measured value contains objects or references. */
static zend_always_inline bool larder_few_is_graph(const larder_few *few)
{
    return few->nodes != 0;
}
/* Write the measured value, for lrd_put_fill(). Only stores to memory. */
LARDER_HOT void larder_fill_few(const void *few, void *build, const void *data, size_t size);

#endif
