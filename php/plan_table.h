/* plan_table.h - the tables of a plan, which grow: what its elements refer to, and what is placed already. Only
 * for plan.c; in line, because each element comes by. */
#ifndef LARDER_PLAN_TABLE_H
#define LARDER_PLAN_TABLE_H

#include "plan.h"

static zend_never_inline bool plan_grow(void **memory, uint32_t *room, size_t element)
{
    if (*room > LARDER_INDEX_MAX / 2)
        return false;
    uint32_t wanted = *room != 0 ? *room * 2 : 64;
    void *grown = realloc(*memory, wanted * element);
    if (grown == NULL)
        return false;
    *memory = grown;
    *room = wanted;
    return true;
}

static zend_never_inline bool plan_grow_nodes(larder_plan *plan)
{
    uint32_t visited = plan->nodes_room;
    return plan_grow((void **)&plan->visited, &visited, sizeof *plan->visited) &&
           plan_grow((void **)&plan->nodes, &plan->nodes_room, sizeof *plan->nodes);
}

/* Room for so many nodes in the list of their order. */
static zend_always_inline bool plan_orders(larder_plan *plan, size_t count)
{
    while (UNEXPECTED(plan->order_room < count))
        if (!plan_grow((void **)&plan->order, &plan->order_room, sizeof *plan->order))
            return false;
    return true;
}

/* Room for so many targets: asked for once for the elements of an array or the slots of an object. */
static zend_always_inline bool plan_targets(larder_plan *plan, size_t count)
{
    while (UNEXPECTED(plan->targets_room - plan->targets_used < count))
        if (!plan_grow((void **)&plan->targets, &plan->targets_room, sizeof *plan->targets))
            return false;
    return true;
}

static zend_always_inline larder_measured plan_target(larder_plan *plan, size_t target)
{
    plan->targets[plan->targets_used++] = target;
    return LARDER_NATIVE;
}

/* Whether it lies in the store that the plan is for: a string with its hash, or an array with no node. */
static zend_always_inline bool plan_is_there(const larder_plan *plan, const void *address)
{
    return UNEXPECTED((uintptr_t)address - plan->reuse < plan->reuse_size);
}

static larder_measured plan_target_shared(larder_plan *plan, const void *address)
{
    return plan_target(plan, (size_t)(uintptr_t)address | LARDER_TARGET_SHARED);
}

/* ---- the table of what is placed already ------------------------------------------------------ */

static zend_always_inline zend_ulong plan_address_hash(const void *address)
{
    return (zend_ulong)(uintptr_t)address >> 4;
}

/* Hashes of similar strings are neighbours: spread them. */
static zend_always_inline uint32_t plan_home(const larder_plan *plan, zend_ulong hash)
{
    return (uint32_t)(hash * (zend_ulong)0x9e3779b97f4a7c15ull >> 32) & (plan->cells_room - 1);
}

/* The cell of an array or a node, or where it belongs: then it is of another plan. */
static zend_always_inline larder_cell *plan_find(const larder_plan *plan, zend_ulong hash,
                                                 const void *source)
{
    uint32_t mask = plan->cells_room - 1, i = plan_home(plan, hash);
    while (plan->cells[i].stamp == plan->stamp && plan->cells[i].source != source)
        i = (i + 1) & mask;
    return plan->cells + i;
}

/* Twice the cells. There is room for half as many strings, so that storing one need not look. */
static zend_never_inline bool plan_rehash(larder_plan *plan)
{
    larder_cell *old = plan->cells;
    uint32_t old_room = plan->cells_room, room = old_room != 0 ? old_room * 2 : 256;
    if (room > LARDER_INDEX_MAX)
        return false;
    larder_planned_string *strings =
        realloc(plan->strings, (size_t)room / 2 * sizeof *plan->strings);
    if (strings == NULL)
        return false;
    plan->strings = strings;
    larder_cell *cells = calloc(room, sizeof *cells);
    if (cells == NULL)
        return false;
    plan->cells = cells;
    plan->cells_room = room;
    for (const larder_cell *cell = old; cell < old + old_room; cell++)
        if (cell->stamp == plan->stamp)
            *plan_find(plan,
                       cell->index & LARDER_CELL_ADDRESS
                           ? plan_address_hash(cell->source)
                           : ZSTR_H((const zend_string *)cell->source),
                       cell->source) = *cell;
    free(old);
    return true;
}

/* Fill a vacant cell. There is always one left, and many: searching need not look at how many. */
static zend_always_inline bool plan_fill(larder_plan *plan, larder_cell *cell, const void *source,
                                         uint32_t index)
{
    *cell = (larder_cell){.source = source, .stamp = plan->stamp, .index = index};
    return EXPECTED(++plan->cells_used < plan->cells_room / 2) || plan_rehash(plan);
}

#endif
