/* number.c - gives the nodes of a graph (objects, references, and arrays that contain a node) their
 * numbers, in post-order: the nodes inside a node get lower numbers than that node, unless there is
 * a cycle. Begin reading at larder_plan_order().
 *
 * A fetch builds the nodes in the order of their numbers. In post-order, it builds the nodes to
 * which a node refers before that node. So a node can be filled as soon as it is allocated, and the
 * block is read from beginning to end. PHP frees a graph in the same order, and its allocator
 * reuses the last freed block first. So the next fetch gets the blocks in reverse order, and runs
 * through memory in one direction. Building and freeing a tree of 8,000 objects takes 40 % less
 * time than with breadth-first numbers.
 *
 * The walk of plan.c keeps the nodes that it must still visit on a stack, so it next visits the
 * node that it found last. Read backwards, its list of visited nodes is in post-order. Arrays are
 * not on the stack. The number of an array follows from larder_planned_array.after, the number of
 * nodes that the walk visits before the array. */
#include "format/format.h"
#include "put/plan.h"

/* Return true if all arrays inside the array `index` are known to be constant (see
 * order_constants()). The caller examines the arrays from the highest index to the lowest, so
 * nothing is known about an array with a lower index. */
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

static zend_always_inline void order_node(larder_plan *plan, uint32_t index)
{
    larder_planned_node *node = plan->nodes + index;
    node->number = plan->order_used;
    plan->order[plan->order_used++] = index;
    node->at = plan->size;
    plan->size += node->size;
}

static zend_always_inline void order_array(larder_plan *plan, uint32_t index)
{
    plan->arrays[index].node = plan->order_used;
    plan->order[plan->order_used++] = index | LARDER_ORDER_ARRAY;
}

/* Give the lowest numbers to enum cases, and the next ones to constant arrays. A constant array
 * contains no nodes other than enum cases and constant arrays. If a worker keeps the nodes with
 * these numbers, a fetch builds only the other nodes. */
static void order_constants(larder_plan *plan)
{
    for (uint32_t i = plan->visited_used; i-- != 0;)
        if (plan->nodes[plan->visited[i]].kind == LARDER_NODE_CASE)
            order_node(plan, plan->visited[i]);
    plan->first = plan->order_used;
    for (uint32_t i = plan->arrays_used; i-- != 0;) {
        larder_planned_array *array = plan->arrays + i;
        if (array->node == LARDER_NOWHERE)
            continue;
        array->varies = array->varies || (array->deep && !order_is_constant_inside(plan, i));
        if (!array->varies)
            order_array(plan, i);
    }
    plan->constants = plan->order_used - plan->first;
    plan->first = plan->order_used;
}

void larder_plan_order(larder_plan *plan)
{
    uint32_t index = plan->arrays_used;
    bool cases = plan->cases;
    plan->constants = plan->first = plan->order_used = 0;
    if (UNEXPECTED(cases))
        order_constants(plan);
    for (uint32_t visited = plan->visited_used;; visited--) {
        for (; index != 0 && plan->arrays[index - 1].after == visited; index--) {
            const larder_planned_array *array = plan->arrays + index - 1;
            if (array->node != LARDER_NOWHERE && (!cases || array->varies))
                order_array(plan, index - 1);
        }
        if (visited == 0)
            return;
        uint32_t node = plan->visited[visited - 1];
        if (!cases || plan->nodes[node].kind != LARDER_NODE_CASE)
            order_node(plan, node);
    }
}
