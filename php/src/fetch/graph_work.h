/* graph_work.h - rebuilding a graph: shared by graph.c, graph_resolve.c, graph_build.c,
 * graph_builtin.c and graph_spl.c. */
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
    zend_object head; /* the bytes with which each object begins */
    uint32_t slots;
    const larder_object_kind *kind;
    /* the form of objects of ext/spl; NULL: the class has none, or it is unknown here */
    const larder_spl_form *form;
    bool resident; /* as in larder_class */
    bool guards;
    /* the engine makes its objects in the usual way, from head and the defaults of the class */
    bool usual;
} larder_graph_found;

typedef struct larder_graph_work {
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored; /* the classes as they were stored */
    const larder_graph_node *nodes;
    const larder_graph_found **classes; /* the classes as they are in this request */
    void **built;                       /* each node: a zend_object, zend_array or zend_reference */
    /* slots of objects of PHP's own classes, until the objects may receive them */
    zval *late;
    size_t late_count; /* how many */
    /* the argument for each call of a hook; for Carbon a larder_date */
    zval *states;
    zend_object **called;       /* the object for each call */
    uint32_t calls;             /* how many */
    larder_constants constants; /* the resident constants */
    bool references;            /* the graph has references */
    bool separate;              /* an ArrayObject's array may be shared with another value */
    bool copy;                  /* the block is not held: the result must not point into it */
    /* the block was unpacked: its nodes may not fit their classes */
    bool unfolded;
    larder_copies *copies; /* the copies, if `copy`; NULL: not started, or finished */
} larder_graph_work;

/* ---- graph_resolve.c ---- */
/* Find the classes and cases, and make the objects that the engine makes. quiet: use only loaded
 * classes, so that no user code runs. Returns false if a class or case is missing or differs, or an
 * exception is set. */
bool larder_graph_resolve(larder_graph_work *work, bool quiet);
/* Return true if each node can be an object of the class that was found for it. In a block of
 * put/write.c this is always so; unpacked bytes may have been made up. */
bool larder_graph_fits(const larder_graph_work *work);
/* Find one class. Returns NULL if it is missing or differs, or an exception is set. */
const larder_graph_found *larder_graph_find_class(const larder_graph_class *stored);
/* Find the case of a name, as it is now. Returns NULL if it is missing, or, with `quiet`, if
 * finding it would run user code. */
zend_object *larder_graph_find_case(zend_class_entry *ce, zend_string *name, bool quiet);
/* Return the first node that must be built. */
static zend_always_inline uint32_t larder_graph_first(const larder_graph_work *work)
{
    return work->constants.first != NULL ? work->graph->first : 0;
}

/* ---- graph_build.c ---- */
/* Build all nodes, and register the objects with the engine. Returns false if there is no
 * memory. The engine has recorded that, and frees the nodes with the request. */
bool larder_graph_build(larder_graph_work *work);
/* Build a simple graph of one object. */
bool larder_graph_build_one(const larder_graph_found *class, const zval *stored, zval *result);
/* Replace the numbers of nodes in `count` values by the built nodes. */
void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride);

/* ---- graph_builtin.c ---- */
static zend_always_inline bool larder_graph_is_builtin(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_CONTENT || node->kind == LARDER_NODE_PERIOD;
}
/* Make the object of a node, complete except for its content. Returns false if that is impossible
 * here. */
bool larder_graph_make_builtin(larder_graph_work *work, uint32_t index);
/* Build the content of an object. */
void larder_graph_fill_builtin(larder_graph_work *work, zend_object *object,
                               const larder_graph_node *node);
/* Give the objects their content when all nodes are complete. Does not allocate. */
void larder_graph_finish_builtins(const larder_graph_work *work, const zval *late);

/* ---- graph_spl.c ---- */
static zend_always_inline bool larder_graph_is_spl(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_WRAP || node->kind == LARDER_NODE_LIST;
}
/* Allocate an object whose class has a form. */
zend_object *larder_graph_new_spl(const larder_graph_work *work, const larder_graph_node *node);
/* Build the content of an object; its slots exist already. */
void larder_graph_fill_spl(larder_graph_work *work, zend_object *object,
                           const larder_graph_node *node);
/* Give each array that is shared to one object alone, when all nodes are complete. May allocate. */
void larder_graph_separate_spl(const larder_graph_work *work);

#endif
