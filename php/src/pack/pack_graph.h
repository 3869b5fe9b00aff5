/* pack_graph.h - the packed form of a graph; see pack.h. fold.c writes it, unfold.c reads it.
 *
 *   numbers of classes, nodes and calls, first, flags     as in larder_graph
 *   of each class: its kind (a byte), slots, fingerprint (8 bytes), name (a string)
 *   of each node: a byte (larder_node_kind, LARDER_PACK_ADDED, ...), its uses if they are not 1,
 *     the number of its class if it is an object, and its content, the number of elements and flags
 *     of a larder_list, its slots, its elements, or its array
 *   the root
 *   of each call: the number of its node less that of the call before
 *
 * In a graph all strings have numbers. So have all arrays that are not nodes, without a
 * LARDER_PACK_SHARED before them. */
#ifndef LARDER_PACK_GRAPH_H
#define LARDER_PACK_GRAPH_H

#include "pack/pack.h"

/* Flags in the byte of a node; its low four bits are the kind. */
#define LARDER_PACK_KIND 0x0fu
#define LARDER_PACK_ADDED 0x10u
#define LARDER_PACK_DEFAULTS 0x20u
#define LARDER_PACK_CONSTANT 0x40u
#define LARDER_PACK_USES 0x80u /* the number of its uses follows, because it is not 1 */

/* Return the number of bytes of a node's content; the node's kind has one. */
static zend_always_inline size_t larder_content_size(uint8_t kind)
{
    return kind == LARDER_NODE_PERIOD ? sizeof(larder_period) : sizeof(larder_date);
}

/* Return the number of slots that are stored behind a node's content. */
static zend_always_inline uint32_t larder_content_slots(uint8_t kind, uint32_t slots)
{
    uint32_t made = kind == LARDER_NODE_PERIOD ? LARDER_PERIOD_SLOTS : 0;
    return kind == LARDER_NODE_CARBON || slots < made ? 0 : slots - made;
}

#endif
