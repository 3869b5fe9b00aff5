/* plan_table.h - the growing tables of a plan, for plan.c, plan_memory.c and number.c. */
#ifndef LARDER_PLAN_TABLE_H
#define LARDER_PLAN_TABLE_H

#include "put/planned.h"
#include "request/moves.h"

/* plan_memory.c: create an empty plan for at most `limit` bytes. Returns NULL if there is no
 * memory. */
LARDER_HOT larder_plan *larder_plan_begin(size_t limit, const lrd_store *reuse);
/* Double the room for elements of `element` bytes. Returns false if there is no memory. */
LARDER_HOT bool larder_plan_grow(void **memory, uint32_t *room, size_t element);
LARDER_HOT bool larder_plan_grow_nodes(larder_plan *plan);
LARDER_HOT bool larder_plan_rehash(larder_plan *plan);
/* Allocate at most LARDER_PLANNED_PAGE bytes, until the value is stored. Returns NULL if there is
 * no memory. */
void *larder_plan_keep(larder_plan *plan, size_t size);

/* Make room for `count` elements in plan->order. Returns false if there is no memory. */
static zend_always_inline bool plan_orders(larder_plan *plan, size_t count)
{
    LARDER_MOVE(plan->order, plan->order_room * sizeof *plan->order);
    while (UNEXPECTED(plan->order_room < count))
        if (!larder_plan_grow((void **)&plan->order, &plan->order_room, sizeof *plan->order))
            return false;
    return true;
}

/* Make room for `count` more targets. Returns false if there is no memory. */
static zend_always_inline bool plan_targets(larder_plan *plan, size_t count)
{
    LARDER_MOVE(plan->targets, plan->targets_room * sizeof *plan->targets);
    while (UNEXPECTED(plan->targets_room - plan->targets_used < count))
        if (!larder_plan_grow((void **)&plan->targets, &plan->targets_room, sizeof *plan->targets))
            return false;
    return true;
}

static zend_always_inline larder_measured plan_target(larder_plan *plan, size_t target)
{
    plan->targets[plan->targets_used++] = target;
    return LARDER_NATIVE;
}

/* Return true if a string or an array is in the immutable store that will contain the value. */
static zend_always_inline bool plan_is_there(const larder_plan *plan, const void *address)
{
    return UNEXPECTED((uintptr_t)address - plan->reuse < plan->reuse_size);
}

static zend_always_inline larder_measured plan_target_shared(larder_plan *plan, const void *address)
{
    return plan_target(plan, (size_t)(uintptr_t)address | LARDER_TARGET_SHARED);
}

/* ---- the table of strings, arrays and nodes that have a place in the block ---- */

static zend_always_inline zend_ulong plan_address_hash(const void *address)
{
    return (zend_ulong)(uintptr_t)address >> 4;
}

/* Return the index of the cell where a search begins. The multiplier is random, so an attacker
 * cannot choose strings whose searches begin at the same cell. */
static zend_always_inline uint32_t plan_home(const larder_plan *plan, zend_ulong hash)
{
    return (uint32_t)(hash * plan->multiplier >> plan->shift);
}

/* Return the cell of `source`, an array or a node, or the vacant cell where the search ended. */
static zend_always_inline larder_cell *plan_find(const larder_plan *plan, zend_ulong hash,
                                                 const void *source)
{
    uint32_t mask = plan->cells_room - 1, i = plan_home(plan, hash);
    while (plan->cells[i].stamp == plan->stamp && plan->cells[i].source != source)
        i = (i + 1) & mask;
    return plan->cells + i;
}

/* Count a used cell, or a string without a cell (see LARDER_SAME_HASH). At most half of the cells
 * are used. Returns false if there is no memory. */
static zend_always_inline bool plan_take(larder_plan *plan)
{
    return EXPECTED(++plan->cells_used < plan->cells_room / 2) || larder_plan_rehash(plan);
}

/* Fill a vacant cell. Returns false if there is no memory. */
static zend_always_inline bool plan_fill(larder_plan *plan, larder_cell *cell, const void *source,
                                         uint32_t index)
{
    *cell = (larder_cell){.source = source, .stamp = plan->stamp, .index = index};
    LARDER_MOVE(plan->cells, plan->cells_room * sizeof *plan->cells);
    LARDER_MOVE(plan->strings, plan->cells_room / 2 * sizeof *plan->strings);
    return plan_take(plan);
}

#endif
