/* order.c - numbers the nodes of a graph: what lies in a node before the node itself, where there is no cycle.
 *
 * A fetch goes through the nodes by number. So it finds what a node needs built already, fills each in the moment
 * it allocates it, and reads the block from its beginning to its end. PHP frees a graph in the same order, and
 * gives memory out in the reverse one: the next fetch has it again in one sweep. A tree of 8,000 objects is
 * rebuilt and freed in half the time that it takes breadth first.
 *
 * Depth first, without recursion: each node knows the one it was entered from, and which of its targets is next. */
#include "plan.h"

/* The node that a target is; LARDER_NOWHERE: none. */
static zend_always_inline uint32_t order_node(const larder_plan *plan, size_t target)
{
    size_t kind = target & LARDER_TARGET_KIND;
    if (kind == LARDER_TARGET_NODE)
        return (uint32_t)target;
    return kind == LARDER_TARGET_ARRAY ? plan->arrays[(uint32_t)target].node : LARDER_NOWHERE;
}

/* The next node in this one that has no number and will not get one by itself; LARDER_NOWHERE: no more. */
static zend_always_inline uint32_t order_next(const larder_plan *plan, larder_planned_node *node)
{
    while (node->cursor != node->end) {
        uint32_t next = order_node(plan, plan->targets[node->cursor++]);
        if (next != LARDER_NOWHERE && plan->nodes[next].number == LARDER_NOWHERE)
            return next;
    }
    return LARDER_NOWHERE;
}

void larder_plan_order(larder_plan *plan)
{
    uint32_t number = 0, index = order_node(plan, plan->root), from = LARDER_NOWHERE;
    do {
        larder_planned_node *node = plan->nodes + index;
        if (node->number == LARDER_NOWHERE) {
            node->number = LARDER_SOMEWHERE;
            node->from = from;
            node->cursor = node->target;
        }
        uint32_t next = order_next(plan, node);
        if (next != LARDER_NOWHERE) {
            from = index;
            index = next;
            continue;
        }
        node->number = number++;
        if (node->kind != LARDER_NODE_ARRAY) { /* these have their place */
            node->at = plan->size;
            plan->size += node->size;
        }
        index = node->from;
    } while (index != LARDER_NOWHERE);
}
