/* graph_work.h - the state of rebuilding one graph (a value with objects or references). */
#ifndef LARDER_GRAPH_WORK_H
#define LARDER_GRAPH_WORK_H

#include "fetch/constants.h"
#include "fetch/copies.h"
#include "format/format.h"
#include "kinds/spl_layout.h"

/* A class of this request, and the data to create its objects. */
typedef struct larder_graph_found {
    zend_class_entry *ce;
    /* the allocator of the class's objects; NULL means emalloc(size) */
    void *(*allocate)(void);
    size_t size;      /* bytes of an object */
    zend_object head; /* the first bytes of an object, up to its slots */
    uint32_t slots;
    const larder_object_kind *kind;
    /* memory layout of objects of an ext/spl class; NULL if unknown, or for other classes */
    const larder_spl_form *form;
    bool resident; /* as in larder_class */
    bool guards;
    /* true if an object can be created by copying `head` and the class's defaults */
    bool usual;
} larder_graph_found;

typedef struct larder_graph_work {
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored; /* the stored classes of the graph */
    const larder_graph_node *nodes;
    const larder_graph_found **classes; /* for each stored class, the class in this request */
    /* for each node: its zend_object, zend_array or zend_reference; NULL if not built yet */
    void **built;
    /* values for slots that are filled last; see graph_builtin.c */
    zval *late;
    size_t late_count; /* number of values in `late` */
    /* the arguments of the hook calls, one for each call; for a Carbon object, a larder_date */
    zval *states;
    zend_object **called;       /* for each hook call: its object */
    uint32_t calls;             /* number of these calls */
    larder_constants constants; /* the resident constants */
    bool references;            /* the graph contains PHP references */
    /* true if an ArrayObject may share its array with another owner */
    bool separate;
    bool copy; /* the result must not point into the block */
    /* the block was unpacked and may be forged, so check that each node fits its class */
    bool unfolded;
    /* the unpacked block contains the graph's strings (larder_unfolded.moves) */
    bool moves;
    larder_copies *copies; /* NULL unless `copy` is true */
} larder_graph_work;

/* ---- graph_resolve.c ---- */
/* Find the classes and enum cases of a graph, and create the objects that only the engine can
 * create. If `quiet` is true, no user code runs. Returns false if a class or an enum case is
 * missing or has changed, or if an exception is set. */
bool larder_graph_resolve(larder_graph_work *work, bool quiet);
/* Return true if each node of an unpacked block, which may be forged, fits its class. */
bool larder_graph_fits(const larder_graph_work *work);
/* Find the class of this request for a stored class. Returns NULL if the class is missing or has
 * changed, or if an exception is set. */
const larder_graph_found *larder_graph_find_class(const larder_graph_class *stored);
/* Find an enum case. Returns NULL if the case is missing, or if `quiet` is true and the search
 * would run user code. */
zend_object *larder_graph_find_case(zend_class_entry *ce, zend_string *name, bool quiet);
/* Return the index of the first node to build. The nodes before it are constants that the worker
 * keeps. */
static zend_always_inline uint32_t larder_graph_first(const larder_graph_work *work)
{
    return work->constants.first != NULL ? work->graph->first : 0;
}

/* ---- graph_build.c ---- */
/* Build the graph from its block. Returns false if memory ran out; the request then frees the
 * nodes. */
bool larder_graph_build(larder_graph_work *work);
/* Build the only node of a graph for which larder_graph_is_one() is true. */
bool larder_graph_build_one(const larder_graph_found *class, const zval *stored, zval *result);
/* Replace the numbers of nodes in `count` values, `stride` bytes apart, by the built nodes. */
void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride);

/* ---- graph_builtin.c ---- */
static zend_always_inline bool larder_graph_is_builtin(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_CONTENT || node->kind == LARDER_NODE_PERIOD;
}
/* Create an object, without slots that may refer to other nodes. Returns false if this PHP cannot
 * create it. */
bool larder_graph_make_builtin(larder_graph_work *work, uint32_t index);
/* Collect in work->late the values of the slots that larder_graph_make_builtin() has left out. */
void larder_graph_fill_builtin(larder_graph_work *work, zend_object *object,
                               const larder_graph_node *node);
/* Move the values that larder_graph_fill_builtin() has kept in `late` to their slots. Does not
 * allocate. */
void larder_graph_finish_builtins(const larder_graph_work *work, const zval *late);

/* ---- graph_spl.c ---- */
static zend_always_inline bool larder_graph_is_spl(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_WRAP || node->kind == LARDER_NODE_LIST;
}
zend_object *larder_graph_new_spl(const larder_graph_work *work, const larder_graph_node *node);
/* Fill in the array or the elements of an ext/spl object. The object's slots must be filled
 * already. */
void larder_graph_fill_spl(larder_graph_work *work, zend_object *object,
                           const larder_graph_node *node);
/* If several ArrayObjects share an array, give each of them a copy. Call this when all nodes are
 * complete. May allocate. */
void larder_graph_separate_spl(const larder_graph_work *work);

#endif
