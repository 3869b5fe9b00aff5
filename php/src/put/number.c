/* number.c - gives the nodes of a graph (objects, references, and arrays that contain a node) their
 * numbers, in post-order: the nodes inside a node get lower numbers than that node, unless there is
 * a cycle. A fetch builds the nodes in this order, so it can fill a node as soon as the node is
 * allocated. Begin reading at larder_plan_order().
 *
 * The walk of plan.c always continues with the node that it found last. So if we read the list of
 * visited nodes backwards, we get a post-order. Arrays are not in this list. The place of an
 * array in the order follows from larder_planned_array.after, the number of nodes that the walk
 * visited before the array. */
#include "format/format.h"
#include "put/plan.h"
#include "put/plan_table.h"

/* Return true if all arrays inside the array `index` are known to be constant. Returns false if one
 * of them has a lower index, because order_constants() begins with the highest index, and has not
 * examined that array yet. */
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

/* Give the lowest numbers to enum cases, and the next numbers to constant arrays. The only nodes in
 * a constant array are enum cases and constant arrays. A worker may keep these nodes. */
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

/* set in a part on the stack after the walk has entered the part: the walk leaves it next */
#define CALLS_LEAVE 0x40000000u

/* Push the arrays and nodes to which the targets from `target` to `end` refer, the first one last.
 * Skips enum cases, arrays without nodes, and parts that the walk has met already. Returns false if
 * there is no memory. */
static bool calls_push(larder_plan *plan, const size_t *target, const size_t *end, uint32_t *used)
{
    while (end != target) {
        size_t kind = *--end & LARDER_TARGET_KIND;
        uint32_t part = (uint32_t)*end;
        if (kind == LARDER_TARGET_ARRAY) {
            if (plan->arrays[part].node == LARDER_NOWHERE || plan->arrays[part].left)
                continue;
            part |= LARDER_ORDER_ARRAY;
        } else if (kind != LARDER_TARGET_NODE || plan->nodes[part].entered ||
                   plan->nodes[part].kind == LARDER_NODE_CASE) {
            continue;
        }
        ZEND_ASSERT(!(part & CALLS_LEAVE));
        if (UNEXPECTED(!plan_orders(plan, (size_t)*used + 1)))
            return false;
        plan->order[(*used)++] = part;
    }
    return true;
}

/* Enter the array or node on top of the stack. The walk enters an array again if it meets the array
 * inside itself, because serialize() writes the array again, too. Returns false if there is no
 * memory. */
static bool calls_enter(larder_plan *plan, uint32_t part, uint32_t *used)
{
    uint32_t target, end;
    if (part & LARDER_ORDER_ARRAY) {
        const larder_planned_array *array = plan->arrays + (part & ~LARDER_ORDER_ARRAY);
        target = array->target;
        end = array->end;
    } else {
        larder_planned_node *node = plan->nodes + part;
        node->entered = true;
        target = node->target;
        end = node->end;
    }
    plan->order[*used - 1] |= CALLS_LEAVE;
    return calls_push(plan, plan->targets + target, plan->targets + end, used);
}

/* The walk goes through the value in the order of serialize(), and lists a node when it leaves it.
 * The stack of the walk lies in plan->order, behind the numbered nodes. */
bool larder_plan_calls(larder_plan *plan)
{
    uint32_t used = plan->order_used, calls = 0;
    bool good = calls_push(plan, &plan->root, &plan->root + 1, &used);
    while (good && used != plan->order_used) {
        uint32_t part = plan->order[used - 1] & ~CALLS_LEAVE;
        bool leaves = plan->order[used - 1] & CALLS_LEAVE, array = part & LARDER_ORDER_ARRAY;
        if (!leaves &&
            !(array ? plan->arrays[part & ~LARDER_ORDER_ARRAY].left : plan->nodes[part].entered)) {
            good = calls_enter(plan, part, &used);
            continue;
        }
        used--;
        if (array)
            plan->arrays[part & ~LARDER_ORDER_ARRAY].left = true;
        else if (leaves && larder_node_is_called(plan->nodes + part))
            plan->visited[calls++] = part;
    }
    ZEND_ASSERT(!good || calls == plan->calls);
    return good;
}
