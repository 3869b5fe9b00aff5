/* few.h - stores values that have few parts: objects, and arrays that repeat keys or contain
 * objects. One walk over the value gives each part its place in the block, so these values need no
 * plan (see plan.h). */
#ifndef LARDER_PUT_FEW_H
#define LARDER_PUT_FEW_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* The limits of a value that few.c stores. ELEMENTS: elements of arrays and collections, and slots
 * of objects, together. NODES: objects, references, and arrays that contain one. CASES: different
 * enum cases, which do not count as nodes here. CLASSES: classes of objects and enums. */
#define LARDER_FEW_ELEMENTS 64u
/* The most targets of such a value. A target tells where a part lies that the value refers to. Each
 * element has at most three targets: for its key, for an object or a reference, and for the array
 * or string inside that. The whole value has at most two, because it has no key. */
#define LARDER_FEW_TARGETS (3 * LARDER_FEW_ELEMENTS + 2)
#define LARDER_FEW_NODES 16u
#define LARDER_FEW_CLASSES 4u
#define LARDER_FEW_CASES 4u

/* The result of larder_few_measure(). It points into the measured value, so that value must not
 * change until it is written. Most of this struct stays uninitialised, because most values use only
 * a small part of it. */
typedef struct larder_few {
    const zval *value;
    const larder_states *states;
    size_t size;                                    /* bytes of the block */
    uint32_t targets, nodes, cases, classes, calls; /* how many there are of each */
    bool simple, cyclic, made, added;               /* the flags LARDER_GRAPH_SIMPLE and so on */
    bool resident;  /* the objects are immutable, so a worker may keep them: see fetch/resident.h */
    uint64_t built; /* larder_graph.built; the caller sets it */
    larder_class *class[LARDER_FEW_CLASSES]; /* the classes of the objects */
    uint32_t class_at[LARDER_FEW_CLASSES];   /* offset of each class's data */
    /* The targets, in the order of the walk. The target of a string, of an empty array, or of an
     * array that was met before is its place in the block, in words of 8 bytes. The target of a
     * node or an enum case that was met before is its index in `node` or `enum_case`. The target of
     * a node, an enum case, or an array with several owners, that is met for the first time is
     * FEW_NEW. Other arrays have no target. */
    uint16_t target[LARDER_FEW_TARGETS];
    /* the enum cases and the nodes, in the form that they have in the block, where the enum cases
     * lie before the nodes */
    larder_graph_node enum_case[LARDER_FEW_CASES], node[LARDER_FEW_NODES];
    uint32_t call[LARDER_FEW_NODES]; /* indexes of the nodes whose hooks a fetch calls */
} larder_few;

/* Measure an array or an object. states: the result of larder_states_collect(); NULL: no hook was
 * called. Returns false if the value has too many parts, or a part that only a plan can handle.
 * Runs no user code. */
LARDER_HOT bool larder_few_measure(larder_few *few, const zval *value, const larder_states *states);
/* Return true if a measured value contains objects or references. */
static zend_always_inline bool larder_few_is_graph(const larder_few *few)
{
    return few->nodes + few->cases != 0;
}
/* Write a measured value into its block. lrd_put_fill() calls this function, which does nothing but
 * write to the block. */
LARDER_HOT void larder_fill_few(const void *few, void *build, const void *data, size_t size);

#endif
