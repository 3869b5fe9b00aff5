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

/* Which arrays have no nodes in them but cases and such arrays. What is found later mostly lies in what was found
 * before, so one round is enough as a rule, and one to see that it was. */
static void order_find_constants(larder_plan *plan)
{
    bool changed;
    for (uint32_t i = 0; i < plan->arrays_used; i++)
        /* The array of added properties becomes an object's own. */
        plan->arrays[i].constant = plan->arrays[i].node != LARDER_NOWHERE && !plan->arrays[i].added;
    do {
        changed = false;
        for (uint32_t i = plan->arrays_used; i-- != 0;) {
            larder_planned_array *array = plan->arrays + i;
            for (uint32_t at = array->target; array->constant && at < array->end; at++) {
                size_t target = plan->targets[at], kind = target & LARDER_TARGET_KIND;
                if (kind == LARDER_TARGET_NODE)
                    array->constant = plan->nodes[(uint32_t)target].kind == LARDER_NODE_CASE;
                else if (kind == LARDER_TARGET_ARRAY)
                    array->constant = plan->arrays[(uint32_t)target].node == LARDER_NOWHERE ||
                                      plan->arrays[(uint32_t)target].constant;
                changed |= !array->constant;
            }
        }
    } while (changed);
}

/* How often everything is in them. */
static void order_count_constants(larder_plan *plan)
{
    for (uint32_t i = 0; i < plan->arrays_used; i++) {
        const larder_planned_array *array = plan->arrays + i;
        plan->constants += array->constant;
        for (uint32_t at = array->target; array->constant && at < array->end; at++) {
            size_t target = plan->targets[at], kind = target & LARDER_TARGET_KIND;
            uint32_t node = (uint32_t)target;
            if (kind == LARDER_TARGET_ARRAY)
                node = plan->arrays[node].node;
            if ((kind == LARDER_TARGET_ARRAY || kind == LARDER_TARGET_NODE) &&
                node != LARDER_NOWHERE)
                plan->nodes[node].inside++;
        }
    }
}

static zend_always_inline void order_number(larder_plan *plan, uint32_t index, uint32_t *number)
{
    plan->order[*number] = index;
    plan->nodes[index].number = (*number)++;
}

void larder_plan_order(larder_plan *plan)
{
    uint32_t number = 0, array = plan->arrays_used;
    for (uint32_t visited = plan->visited_used;; visited--) {
        for (; array != 0 && plan->arrays[array - 1].after == visited; array--)
            if (plan->arrays[array - 1].node != LARDER_NOWHERE)
                order_number(plan, plan->arrays[array - 1].node, &number);
        if (visited == 0)
            break;
        larder_planned_node *node = plan->nodes + plan->visited[visited - 1];
        order_number(plan, plan->visited[visited - 1], &number);
        node->at = plan->size;
        plan->size += node->size;
    }
    plan->constants = 0;
    if (UNEXPECTED(plan->cases)) {
        order_find_constants(plan);
        order_count_constants(plan);
    }
}
