/* number.c - numbers the nodes of a graph in post-order, so that a fetch can fill a node as soon as
 * it is allocated. Begin reading at larder_plan_order().
 *
 * - The walk of plan.c continues with the node that it found last, so the reversed list of visited
 *   nodes is a post-order.
 * - Arrays are not in this list; larder_planned_array.after says where an array belongs. */
#include "format/format.h"
#include "put/plan.h"
#include "put/plan_table.h"

/* Return true if all arrays inside the array `index` are known to be constant. The caller goes from
 * the highest index down, so an inner array with a lower index was not examined yet, and counts as
 * not constant. */
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

/* Give the lowest numbers to enum cases, and the next numbers to constant arrays, because a worker
 * may keep both. The only nodes in a constant array are enum cases and constant arrays. */
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

/* ---- calls ---- */

/* Return what the walk must enter for a target: the index of its node, or the index of its array
 * with LARDER_ORDER_ARRAY. Returns LARDER_NOWHERE if there is nothing to enter. Like serialize(),
 * the walk enters an array again if the array contains itself. */
static zend_always_inline uint32_t calls_part(const larder_plan *plan, size_t target)
{
    uint32_t part = (uint32_t)target;
    size_t kind = target & LARDER_TARGET_KIND;
    if (kind == LARDER_TARGET_ARRAY) {
        const larder_planned_array *array = plan->arrays + part;
        return array->node == LARDER_NOWHERE || array->next == array->end
                   ? LARDER_NOWHERE
                   : part | LARDER_ORDER_ARRAY;
    }
    return kind != LARDER_TARGET_NODE || plan->nodes[part].next != LARDER_NOWHERE ||
                   plan->nodes[part].kind == LARDER_NODE_CASE
               ? LARDER_NOWHERE
               : part;
}

/* Return the first part, from *next on, that the walk must enter, or LARDER_NOWHERE. *next stays at
 * this part, because the walk may enter an array again. */
static zend_always_inline uint32_t calls_inner(const larder_plan *plan, uint32_t *next,
                                               uint32_t end)
{
    for (; *next != end; ++*next) {
        uint32_t part = calls_part(plan, plan->targets[*next]);
        if (part != LARDER_NOWHERE)
            return part;
    }
    return LARDER_NOWHERE;
}

/* Walk through the parts in the order of serialize(). When the walk leaves a node with a hook,
 * append the node to plan->visited. Returns false if there is no memory.
 *
 * - The stack of parts (see calls_part()) is in plan->order, behind the numbered nodes.
 * - If an array is on the stack several times, its entries share one `next`, so the walk does not
 *   examine an element again. */
static bool calls_walk(larder_plan *plan)
{
    uint32_t used = plan->order_used, calls = 0, part = calls_part(plan, plan->root);
    while (part != LARDER_NOWHERE || used != plan->order_used) {
        if (part != LARDER_NOWHERE) {
            if (UNEXPECTED(!plan_orders(plan, (size_t)used + 1)))
                return false;
            if (!(part & LARDER_ORDER_ARRAY))
                plan->nodes[part].next = plan->nodes[part].target;
            plan->order[used++] = part;
        }
        part = plan->order[used - 1];
        if (part & LARDER_ORDER_ARRAY) {
            larder_planned_array *array = plan->arrays + (part & ~LARDER_ORDER_ARRAY);
            part = calls_inner(plan, &array->next, array->end);
            used -= part == LARDER_NOWHERE;
            continue;
        }
        larder_planned_node *node = plan->nodes + part;
        uint32_t inner = calls_inner(plan, &node->next, node->end);
        if (inner == LARDER_NOWHERE) {
            used--;
            if (larder_node_is_called(node))
                plan->visited[calls++] = part;
        }
        part = inner;
    }
    ZEND_ASSERT(calls == plan->calls);
    return true;
}

bool larder_plan_calls(larder_plan *plan)
{
    uint32_t calls = 0;
    if (plan->calls > 1 && (plan->mixed || plan->again || plan->shared))
        return calls_walk(plan);
    /* calls_walk() would list the nodes in the order of their numbers, so use this order without a
     * walk */
    for (uint32_t i = 0; calls != plan->calls; i++)
        if (!(plan->order[i] & LARDER_ORDER_ARRAY) &&
            larder_node_is_called(plan->nodes + plan->order[i]))
            plan->visited[calls++] = plan->order[i];
    return true;
}
