/* graph.h - fetches graphs (values with objects or references). Most callers use fetch.h
 * instead. */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "format/format.h"

/* Return true if a fetch only builds one plain object, and the block is held. */
static zend_always_inline bool larder_graph_is_one(const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    return EXPECTED(value->kind == LRD_KIND_HELD) && graph->nodes == 1 &&
           (graph->flags & (LARDER_GRAPH_SIMPLE | LARDER_GRAPH_RESIDENT)) == LARDER_GRAPH_SIMPLE;
}

/* The functions below do not count misses. They return false on failure, or if an exception is
 * set. */
/* Fetch a graph for which larder_graph_is_one() is true. */
bool larder_graph_fetch_one(const lrd_value *value, zval *result);
/* Fetch a graph whose block is held during the whole call. If `copy` is true, the result does not
 * point into the block. */
bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result);
/* Fetch a graph whose block is not held, without user code. Returns false if a class or an enum
 * case must be loaded by larder_graph_load(). */
bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result);
/* Load the classes and enum cases that a graph needs. Returns false if one of them is missing, or
 * if an exception is set. Runs autoloaders, which may end the borrow of the block, so look up the
 * value again. */
bool larder_graph_load(const lrd_value *value);
/* Build a graph that larder_unfold() has unpacked. The result does not point into the unpacked
 * block. */
bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, bool moves, zval *result);

#endif
