/* order.c - numbers the nodes of a graph: what lies in a node before the node itself, where there is no cycle.
 *
 * A fetch goes through the nodes by number. So it finds what a node needs built already, fills each in the moment
 * it allocates it, and reads the block from its beginning to its end. PHP frees a graph in the same order, and
 * gives memory out in the reverse one: the next fetch has it again in one sweep. A tree of 8,000 objects is
 * rebuilt and freed in half the time that it takes breadth first.
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

static void order_find_constants(larder_plan *plan)
{
    for (uint32_t index = plan->arrays_used; index-- != 0;) {
        larder_planned_array *array = plan->arrays + index;
        if (array->node == LARDER_NOWHERE || array->varies)
            continue;
        array->varies = array->deep && !order_is_constant_inside(plan, index);
        plan->constants += !array->varies;
    }
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

/* Cases and constant arrays come before all others: they are passed over where they are there already. */
static void order_constants_first(larder_plan *plan, uint32_t *number)
{
    order_find_constants(plan);
    for (uint32_t i = plan->visited_used; i-- != 0;) {
        larder_planned_node *node = plan->nodes + plan->visited[i];
        if (node->kind != LARDER_NODE_CASE)
            continue;
        order_number(plan, plan->visited[i], number);
        order_place(plan, node);
    }
    for (uint32_t i = plan->arrays_used; i-- != 0;)
        if (plan->arrays[i].node != LARDER_NOWHERE && !plan->arrays[i].varies)
            order_number(plan, plan->arrays[i].node, number);
    plan->first = *number;
}

void larder_plan_order(larder_plan *plan)
{
    uint32_t number = 0, array = plan->arrays_used;
    bool cases = plan->cases;
    plan->constants = plan->first = 0;
    if (UNEXPECTED(cases))
        order_constants_first(plan, &number);
    for (uint32_t visited = plan->visited_used;; visited--) {
        for (; array != 0 && plan->arrays[array - 1].after == visited; array--)
            if (plan->arrays[array - 1].node != LARDER_NOWHERE &&
                (!cases || plan->arrays[array - 1].varies))
                order_number(plan, plan->arrays[array - 1].node, &number);
        if (visited == 0)
            return;
        larder_planned_node *node = plan->nodes + plan->visited[visited - 1];
        if (UNEXPECTED(node->kind == LARDER_NODE_CASE))
            continue;
        order_number(plan, plan->visited[visited - 1], &number);
        order_place(plan, node);
    }
}
