/* few.h - stores values that have few parts: objects, and arrays that repeat keys or contain
 * objects. One walk over the value gives each part its place in the block, so these values need no
 * plan (see plan.h). */
#ifndef LARDER_PUT_FEW_H
#define LARDER_PUT_FEW_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* A value that few.c stores has at most LARDER_FEW_ELEMENTS elements of arrays and slots of objects
 * together, LARDER_FEW_NODES nodes (objects, references, and arrays that contain one), and objects
 * of LARDER_FEW_CLASSES classes. */
#define LARDER_FEW_ELEMENTS 64u
/* The most targets of such a value. A target tells where a part lies that the value refers to. Each
 * element has at most three targets: for its key, for an object or a reference, and for the array
 * or string inside that. The whole value has at most two, because it has no key. */
#define LARDER_FEW_TARGETS (3 * LARDER_FEW_ELEMENTS + 2)
#define LARDER_FEW_NODES 16u
#define LARDER_FEW_CLASSES 4u

/* The result of larder_few_measure(). It points into the measured value, so that value must not
 * change until it is written. Most of this struct stays uninitialised, because most values use only
 * a small part of it. */
typedef struct larder_few {
    const zval *value;
    const larder_states *states;
    size_t size;                             /* bytes of the block */
    uint32_t targets, nodes, classes, calls; /* how many there are of each */
    bool simple, cyclic, made, added;        /* the flags LARDER_GRAPH_SIMPLE and so on */
    larder_class *class[LARDER_FEW_CLASSES]; /* the classes of the objects */
    uint32_t class_at[LARDER_FEW_CLASSES];   /* offset of each class's data */
    /* The targets, in the order of the walk. The target of a string, of an empty array, or of an
     * array that was met before is its place in the block, in words of 8 bytes. The target of a
     * node that was met before is its number. The target of a node, or of an array with several
     * owners, that is met for the first time is FEW_NEW. Other arrays have no target. */
    uint16_t target[LARDER_FEW_TARGETS];
    /* the nodes, in the form that they have in the block */
    larder_graph_node node[LARDER_FEW_NODES];
    uint32_t call[LARDER_FEW_NODES]; /* numbers of the nodes whose hooks a fetch calls */
} larder_few;

/* Measure an array or an object. states: the result of larder_states_collect(); NULL: no hook was
 * called. Returns false if the value has too many parts, or a part that only a plan can handle.
 * Runs no user code. */
LARDER_HOT bool larder_few_measure(larder_few *few, const zval *value, const larder_states *states);
/* Return true if a measured value contains objects or references. */
static zend_always_inline bool larder_few_is_graph(const larder_few *few)
{
    return few->nodes != 0;
}
/* Write a measured value into its block. lrd_put_fill() calls this function, which does nothing but
 * write to the block. */
LARDER_HOT void larder_fill_few(const void *few, void *build, const void *data, size_t size);

#endif
