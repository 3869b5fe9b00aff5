/* graph.h - rebuilding a graph: shared by graph.c, graph_resolve.c, graph_build.c, graph_builtin.c
 * and graph_spl.c. */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "fetch/copies.h"
#include "fetch/fetch.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/spl_layout.h"

/* A class, and what every object of it needs. */
typedef struct larder_graph_found {
    zend_class_entry *ce;
    void *(*allocate)(void); /* an object; NULL: emalloc(size) */
    size_t size;             /* of an object, bytes */
    zend_object head;        /* what each begins with */
    uint32_t slots;
    const larder_object_kind *kind;
    const larder_spl_form *form; /* of objects of ext/spl; NULL: none, or unknown here */
    bool resident;               /* as in larder_class */
    bool guards;
    /* the engine makes its objects as it makes most: of head, and of what the class says */
    bool usual;
} larder_graph_found;

typedef struct larder_graph_work {
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored; /* the classes as they were */
    const larder_graph_node *nodes;
    const larder_graph_found **classes; /* the classes as they are */
    void **built;                       /* each node: a zend_object, zend_array or zend_reference */
    zval *late;                         /* slots of builtins, until these can have them */
    size_t late_count;                  /* how many */
    zval *states;               /* for each call of a hook: its argument; of Carbon a larder_date */
    zend_object **called;       /* its object */
    uint32_t calls;             /* how many */
    larder_constants constants; /* those that are resident */
    bool references;            /* there are some */
    bool separate;              /* an ArrayObject's array may not be its own */
    bool copy;                  /* the block is not held: nothing may point into it */
    larder_copies *copies;      /* then; NULL: not begun, or done */
} larder_graph_work;

/* ---- graph_resolve.c ---- */
/* Find the classes and cases, and make the objects that the engine makes. quiet: only from what is
 * loaded already, so that no user code runs. False: something is not there or differs, or an
 * exception is set. */
bool larder_graph_resolve(larder_graph_work *work, bool quiet);
/* One class. NULL: it is not there or differs, or an exception is set. */
const larder_graph_found *larder_graph_find_class(const larder_graph_class *stored);
/* The case of a name, as it is now. NULL and quiet: as above. */
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
/* Replace the nodes in count values by the built ones. */
void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride);

/* ---- graph_builtin.c ---- */
static zend_always_inline bool larder_graph_is_builtin(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_CONTENT || node->kind == LARDER_NODE_PERIOD;
}
/* Make the object of a node, complete but for what lies in it. False: it cannot be had here. */
bool larder_graph_make_builtin(larder_graph_work *work, uint32_t index);
/* Build what lies in it. */
void larder_graph_fill_builtin(larder_graph_work *work, zend_object *object,
                               const larder_graph_node *node);
/* When all nodes are complete: give the objects what lies in them. Does not allocate. */
void larder_graph_finish_builtins(const larder_graph_work *work, const zval *late);

/* ---- graph_spl.c ---- */
static zend_always_inline bool larder_graph_is_spl(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_WRAP || node->kind == LARDER_NODE_LIST;
}
/* Memory for an object whose class has a form. */
zend_object *larder_graph_new_spl(const larder_graph_work *work, const larder_graph_node *node);
/* Build what lies in it; its slots are there. */
void larder_graph_fill_spl(larder_graph_work *work, zend_object *object,
                           const larder_graph_node *node);
/* When all nodes are complete: give each array to one object alone. May allocate. */
void larder_graph_separate_spl(const larder_graph_work *work);

/* Take a graph, like larder_take(). The value does not change. */
bool larder_graph_fetch(lrd_store *store, lrd_value *value, zval *result);
/* A graph that is no entry, so that no key finds it: nothing of the result lies in its block. What
 * is held is to stay so until this returns. What is not is looked up again by `again`, which holds
 * nothing, when user code has run. Counts no miss. */
typedef int larder_graph_again(void *context, lrd_store *store, lrd_value *value);
bool larder_graph_copy(lrd_store *store, lrd_value *value, larder_graph_again *again, void *context,
                       zval *result);

#endif
