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

/* The functions below return false if the fetch is impossible, or an exception is set. They count
 * no miss. */
/* Fetch a graph of one plain object. */
bool larder_graph_fetch_one(const lrd_value *value, zval *result);
/* Fetch a graph whose block stays held until this returns. copy: the result must not point into
 * the block. */
bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result);
/* Fetch a graph whose block may not be held. Runs user code only after the last read of the
 * block. Also returns false if a class or a case is not loaded: larder_graph_load() loads them. */
bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result);
/* Load the classes, and make the cases, that a graph needs. Copies the names first, because
 * autoloaders may use the cache, which may end the borrow of the block. */
bool larder_graph_load(const lrd_value *value);
/* Fetch a graph that was unpacked into memory of this request: the result must not point into its
 * block. */
bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, zval *result);

#endif
