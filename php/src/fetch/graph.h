/* graph.h - fetching a graph (a value with objects or references). For the usual calls see
 * fetch.h. */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "format/format.h"

/* Return true if the graph is just one plain object, as many values are. */
static zend_always_inline bool larder_graph_is_one(const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    return EXPECTED(value->kind == LRD_KIND_HELD) && graph->nodes == 1 &&
           (graph->flags & (LARDER_GRAPH_SIMPLE | LARDER_GRAPH_RESIDENT)) == LARDER_GRAPH_SIMPLE;
}

/* The functions below return false if the graph cannot be fetched here, or an exception is set.
 * They count no miss. */
/* Fetch a graph of one plain object. */
bool larder_graph_fetch_one(const lrd_value *value, zval *result);
/* Fetch a graph whose block stays held until this returns. copy: the result must not point into
 * the block. */
bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result);
/* Fetch a graph whose block is not held. Runs user code only after the last read of the block, so
 * it loads no classes: it returns false if a class or an enum case is missing. Then call
 * larder_graph_load(). */
bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result);
/* Load the classes and enum cases that a graph needs. Copies their names first: autoloaders may use
 * the cache, and then the block may be freed. */
bool larder_graph_load(const lrd_value *value);
/* Fetch a graph that was unpacked into memory of this request, with or without `moves`
 * (pack/pack.h). The result has no pointers into this memory. */
bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, bool moves, zval *result);

#endif
