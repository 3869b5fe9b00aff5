/* few.h - stores objects, and arrays with objects or with several arrays, without a plan (see
 * plan.h). */
#ifndef LARDER_PUT_FEW_H
#define LARDER_PUT_FEW_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* maximum number of array elements, elements of collections, and slots, in total */
#define LARDER_FEW_ELEMENTS 128u
/* Maximum number of targets (see larder_few.target): an element needs one for its key, one for a
 * reference, and one for the string in the reference. */
#define LARDER_FEW_TARGETS (3 * LARDER_FEW_ELEMENTS + 2)
/* Maximum number of nodes: objects, references, and arrays with nodes. Enum cases do not count. */
#define LARDER_FEW_NODES 16u
#define LARDER_FEW_CLASSES 4u
#define LARDER_FEW_CASES 4u
/* maximum size of a value in bytes, without the tables of the graph (see few_tables()) */
#define LARDER_FEW_BYTES 8192u

/* The result of larder_few_measure(). The value must not change before larder_fill_few(). Most
 * fields stay uninitialised. */
typedef struct larder_few {
    const zval *value;
    const larder_states *states;
    size_t size; /* bytes of the block */
    /* the lengths of the arrays below */
    uint32_t targets, nodes, cases, classes, calls;
    /* the flags LARDER_GRAPH_SIMPLE, _CYCLIC, _MADE and _ADDED of the graph */
    bool simple, cyclic, made, added;
    /* all objects are immutable, so a worker may keep them (see fetch/resident.h) */
    bool resident;
    /* set by the caller of larder_few_measure(), for larder_graph.built */
    uint64_t built;
    larder_class *class[LARDER_FEW_CLASSES]; /* the classes of the objects */
    /* for each class: the offset of its data in the block */
    uint32_t class_at[LARDER_FEW_CLASSES];
    /* The targets, in the order of the walk:
     * - a string, an empty array, or a later occurrence of an array: its offset in words of 8 bytes
     * - a later occurrence of a node or an enum case: its index in `node` or `enum_case`
     * - the first occurrence of a node, an enum case, or an array with several owners: FEW_NEW
     * Other arrays have no target. */
    uint16_t target[LARDER_FEW_TARGETS];
    /* as in the block: first the enum cases, then all other nodes */
    larder_graph_node enum_case[LARDER_FEW_CASES], node[LARDER_FEW_NODES];
    /* indexes of the nodes whose hooks a fetch calls, in the order of the calls */
    uint32_t call[LARDER_FEW_NODES];
} larder_few;

/* Measure a value. `states` has the results of all hooks, or is NULL. Returns false if the value
 * needs a plan. Runs no user code. */
LARDER_HOT bool larder_few_measure(larder_few *few, const zval *value, const larder_states *states);

static zend_always_inline bool larder_few_is_graph(const larder_few *few)
{
    return few->nodes + few->cases != 0;
}
/* Write a measured value into its block. Must not allocate: lrd_put_fill() may hold a lock. */
LARDER_HOT void larder_fill_few(const void *few, void *build, const void *data, size_t size);

#endif
