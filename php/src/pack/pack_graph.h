/* pack_graph.h - the packed form of a graph (a value with objects or references); see pack.h. The
 * bytes before compression are, in this order:
 *
 *   counts of classes, nodes and calls, `first`, `flags`: as in larder_graph
 *   for each class: kind (a byte), slots, fingerprint (8 bytes), name (a string)
 *   for each node: a byte (its larder_node_kind, and flags like LARDER_PACK_ADDED); the number of
 *     its uses, unless it is 1; for an object, the number of its class; then the parts that a node
 *     of this kind has, in this order: content, number of elements and flags of a larder_list,
 *     slots, elements, array
 *   the root
 *   for each call: the number of its node minus the number of the previous call's node
 *
 * In a graph, each string gets an index, and so does each array that is neither a node nor empty.
 * So a graph needs no LARDER_PACK_SHARED. */
#ifndef LARDER_PACK_GRAPH_H
#define LARDER_PACK_GRAPH_H

#include "pack/pack.h"

/* Flags in the first byte of a node; its low four bits are the node's kind. */
#define LARDER_PACK_KIND 0x0fu
#define LARDER_PACK_ADDED 0x10u
#define LARDER_PACK_DEFAULTS 0x20u
#define LARDER_PACK_CONSTANT 0x40u
/* set if the number of uses follows; otherwise the node has one use */
#define LARDER_PACK_USES 0x80u

static zend_always_inline size_t larder_content_size(uint8_t kind)
{
    return kind == LARDER_NODE_PERIOD ? sizeof(larder_period) : sizeof(larder_date);
}

/* Return how many of an object's slots are stored behind the object's content. The object has
 * `slots` slots in total. The engine makes the others from the content, which is a larder_period or
 * a larder_date. */
static zend_always_inline uint32_t larder_content_slots(uint8_t kind, uint32_t slots)
{
    uint32_t made = kind == LARDER_NODE_PERIOD ? LARDER_PERIOD_SLOTS : 0;
    return kind == LARDER_NODE_CARBON || slots < made ? 0 : slots - made;
}

#endif
