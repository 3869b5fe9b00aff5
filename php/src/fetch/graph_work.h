/* graph_work.h - rebuilding a graph (a value with objects or references): shared by graph.c,
 * graph_resolve.c, graph_build.c, graph_builtin.c and graph_spl.c. */
#ifndef LARDER_GRAPH_WORK_H
#define LARDER_GRAPH_WORK_H

#include "fetch/constants.h"
#include "fetch/copies.h"
#include "format/format.h"
#include "kinds/spl_layout.h"

/* A class, and the data that every object of it needs. */
typedef struct larder_graph_found {
    zend_class_entry *ce;
    /* the function that allocates an object; NULL: use emalloc(size) */
    void *(*allocate)(void);
    size_t size;      /* bytes of an object */
    zend_object head; /* the first bytes of each object */
    uint32_t slots;
    const larder_object_kind *kind;
    /* how objects of this ext/spl class lie in memory; NULL: the class is not of ext/spl, or the
     * form is unknown */
    const larder_spl_form *form;
    bool resident; /* as in larder_class */
    bool guards;
    /* the engine creates objects in the usual way, so a copy of `head` and the defaults is
     * enough */
    bool usual;
} larder_graph_found;

typedef struct larder_graph_work {
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored; /* the classes as they were stored */
    const larder_graph_node *nodes;
    const larder_graph_found **classes; /* the classes as they are in this request */
    /* for each node: its zend_object, zend_array or zend_reference */
    void **built;
    /* slots of objects of PHP's own classes, put aside until all nodes are complete */
    zval *late;
    size_t late_count; /* number of these slots */
    /* for each call of a hook: its argument; for Carbon a larder_date */
    zval *states;
    zend_object **called;       /* for each call of a hook: its object */
    uint32_t calls;             /* number of these calls */
    larder_constants constants; /* the resident constants */
    bool references;            /* the graph has references */
    bool separate;              /* the array of an ArrayObject may have another owner, so copy it */
    bool copy;                  /* the block is not held, so the result must not point into it */
    /* the block was unpacked, so a node may not fit its class: check it */
    bool unfolded;
    bool moves; /* for an unpacked block: its strings lie in the block; see pack/pack.h */
    larder_copies *copies; /* the running work of copying if `copy` is set; else NULL */
} larder_graph_work;

/* ---- graph_resolve.c ---- */
/* Find the classes and enum cases, and let the engine create the objects that it makes itself.
 * quiet: use only classes that are loaded, so that no user code runs. Returns false if a class or a
 * case is missing or differs, or an exception is set. */
bool larder_graph_resolve(larder_graph_work *work, bool quiet);
/* Return true if each node fits the class that was found for it. A block of put/write.c always
 * fits; unpacked bytes may be forged. */
bool larder_graph_fits(const larder_graph_work *work);
/* Find one class. Returns NULL if it is missing or differs, or an exception is set. */
const larder_graph_found *larder_graph_find_class(const larder_graph_class *stored);
/* Find an enum case by its name. Returns NULL if the case is missing; with `quiet`, also if the
 * search would run user code. */
zend_object *larder_graph_find_case(zend_class_entry *ce, zend_string *name, bool quiet);
/* Return the index of the first node that must be built. The nodes before it are constants that the
 * worker has kept. */
static zend_always_inline uint32_t larder_graph_first(const larder_graph_work *work)
{
    return work->constants.first != NULL ? work->graph->first : 0;
}

/* ---- graph_build.c ---- */
/* Build all nodes, and register the objects with the engine. Returns false if memory is short; the
 * engine has noted that already, and frees the nodes with the request. */
bool larder_graph_build(larder_graph_work *work);
/* Build a simple graph of one object. */
bool larder_graph_build_one(const larder_graph_found *class, const zval *stored, zval *result);
/* Replace the numbers of nodes by the built nodes, in `count` values that are `stride` bytes
 * apart. */
void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride);

/* ---- graph_builtin.c ---- */
static zend_always_inline bool larder_graph_is_builtin(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_CONTENT || node->kind == LARDER_NODE_PERIOD;
}
/* Create the object of a node, without the values that are put aside. Returns false if that is
 * impossible here. */
bool larder_graph_make_builtin(larder_graph_work *work, uint32_t index);
/* Put aside the slots of an object, until all nodes are complete. */
void larder_graph_fill_builtin(larder_graph_work *work, zend_object *object,
                               const larder_graph_node *node);
/* Give the objects the values that were put aside. Does not allocate. */
void larder_graph_finish_builtins(const larder_graph_work *work, const zval *late);

/* ---- graph_spl.c ---- */
static zend_always_inline bool larder_graph_is_spl(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_WRAP || node->kind == LARDER_NODE_LIST;
}
/* Allocate an object of ext/spl whose layout in memory is known. */
zend_object *larder_graph_new_spl(const larder_graph_work *work, const larder_graph_node *node);
/* Fill the content of an object whose slots exist already. */
void larder_graph_fill_spl(larder_graph_work *work, zend_object *object,
                           const larder_graph_node *node);
/* When all nodes are complete, copy each array that several owners share, so that an object has it
 * alone. May allocate. */
void larder_graph_separate_spl(const larder_graph_work *work);

#endif
