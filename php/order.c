/* order.c - numbers the nodes of a graph: what lies in a node before the node itself, where there is no cycle.
 *
 * A fetch goes through the nodes by number. So it finds what a node needs built already, fills each in the moment
 * it allocates it, and reads the block from its beginning to its end. PHP frees a graph in the same order, and
 * gives out first what was freed last: the next fetch goes through the same memory in one sweep. A tree of 8,000
 * objects is rebuilt and freed in 60 % of the time that it takes breadth first.
 *
 * The walk of plan.c visits what it found last first, so its order backwards is the one that is wanted: a tree in
 * post-order. An array is visited when so many nodes have been (larder_planned_array.after). */
#include "plan.h"

/* Whether the arrays in an array are constant. They were looked at already, but for what was found elsewhere before:
 * that is taken for one that is not. */
static bool order_is_constant_inside(const larder_plan *plan, uint32_t index)
{
    const larder_planned_array *array = plan->arrays + index;
    for (uint32_t i = array->target; i < array->end; i++) {
        size_t target = plan->targets[i];
        uint32_t inner = (uint32_t)target;
        if ((target & LARDER_TARGET_KIND) == LARDER_TARGET_ARRAY &&
            plan->arrays[inner].node != LARDER_NOWHERE &&
            (inner < index || plan->arrays[inner].varies))
            return false;
    }
    return true;
}

static zend_always_inline void order_number(larder_plan *plan, uint32_t index, uint32_t *number)
{
    plan->order[*number] = index;
    plan->nodes[index].number = (*number)++;
}

static zend_always_inline void order_place(larder_plan *plan, larder_planned_node *node)
{
    node->at = plan->size;
    plan->size += node->size;
}

static zend_always_inline larder_planned_array *order_array(const larder_plan *plan, uint32_t node)
{
    return plan->arrays + plan->nodes[node].source.array;
}

/* Cases and constant arrays come before all others: they are passed over where they are there already. */
static void order_constants(larder_plan *plan, uint32_t *number)
{
    for (uint32_t i = plan->visited_used; i-- != 0;) {
        larder_planned_node *node = plan->nodes + plan->visited[i];
        if (node->kind != LARDER_NODE_CASE)
            continue;
        order_number(plan, plan->visited[i], number);
        order_place(plan, node);
    }
    for (uint32_t node = plan->nodes_used; node-- != plan->visited_used;) {
        larder_planned_array *array = order_array(plan, node);
        array->varies =
            array->varies ||
            (array->deep && !order_is_constant_inside(plan, plan->nodes[node].source.array));
        if (array->varies)
            continue;
        plan->constants++;
        order_number(plan, node, number);
    }
    plan->first = *number;
}

void larder_plan_order(larder_plan *plan)
{
    uint32_t number = 0, array = plan->nodes_used; /* the arrays are the last nodes */
    bool cases = plan->cases;
    plan->constants = plan->first = 0;
    if (UNEXPECTED(cases))
        order_constants(plan, &number);
    for (uint32_t visited = plan->visited_used;; visited--) {
        for (; array != plan->visited_used && order_array(plan, array - 1)->after == visited;
             array--)
            if (!cases || order_array(plan, array - 1)->varies)
                order_number(plan, array - 1, &number);
        if (visited == 0)
            return;
        larder_planned_node *node = plan->nodes + plan->visited[visited - 1];
        if (UNEXPECTED(node->kind == LARDER_NODE_CASE))
            continue;
        order_number(plan, plan->visited[visited - 1], &number);
        order_place(plan, node);
    }
}
