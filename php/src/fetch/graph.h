/* graph.h - fetches graphs (values with objects or references). Most callers use fetch.h instead of
 * this file. */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "format/format.h"

/* Return true if the graph is held, and is just one plain object that the worker does not keep.
 * This is a frequent case. */
static zend_always_inline bool larder_graph_is_one(const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    return EXPECTED(value->kind == LRD_KIND_HELD) && graph->nodes == 1 &&
           (graph->flags & (LARDER_GRAPH_SIMPLE | LARDER_GRAPH_RESIDENT)) == LARDER_GRAPH_SIMPLE;
}

/* The functions below return false if this process cannot fetch the graph, or if an exception is
 * set. They do not count a miss in these cases. */
/* Fetch a graph for which larder_graph_is_one() is true. */
bool larder_graph_fetch_one(const lrd_value *value, zval *result);
/* Fetch a graph whose block stays held until this function returns. If `copy` is true, the result
 * does not point into the block. */
bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result);
/* Fetch a graph whose block is not held. User code must not run before the last read of the block,
 * so this function loads no classes. Returns false if a class or an enum case is not loaded; then
 * call larder_graph_load(). */
bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result);
/* Load the classes and enum cases that a graph needs. Copies their names first, because an
 * autoloader may use the cache, after which the block may be freed. */
bool larder_graph_load(const lrd_value *value);
/* Fetch a graph that larder_unfold() has unpacked into memory of this request. `moves` is the value
 * that was passed to larder_unfold(). The result has no pointers into this memory. */
bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, bool moves, zval *result);

#endif
