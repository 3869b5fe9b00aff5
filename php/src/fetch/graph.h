/* graph.h - fetching a graph of objects. For the usual calls see fetch.h. */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "format/format.h"

/* Return true if the graph is one plain object, as many entries are. */
static zend_always_inline bool larder_graph_is_one(const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    return EXPECTED(value->kind == LRD_KIND_HELD) && graph->nodes == 1 &&
           (graph->flags & (LARDER_GRAPH_SIMPLE | LARDER_GRAPH_RESIDENT)) == LARDER_GRAPH_SIMPLE;
}

/* These return false if it is impossible, or an exception is set. They count no miss. */
/* Fetch a graph of one plain object. */
bool larder_graph_fetch_one(const lrd_value *value, zval *result);
/* Fetch a graph whose block stays held until this returns. copy: nothing of the result lies in the
 * block. */
bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result);
/* Fetch a graph whose block may not be held. Runs user code only after the last look at the
 * block. Also returns false if a class or a case is not loaded: larder_graph_load() loads them. */
bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result);
/* Load the classes, and make the cases, that a graph needs. Its names are copied first, because
 * autoloaders may use the cache, and then the block is gone. */
bool larder_graph_load(const lrd_value *value);
/* Fetch a graph that was unpacked into memory of this request: nothing of the result lies in its
 * block. */
bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, zval *result);

#endif
