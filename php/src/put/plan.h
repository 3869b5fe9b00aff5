/* plan.h - the plan of a value: the place of each of its parts in the block of memory that will
 * store it. plan.c makes the plan, and write.c writes the block. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "put/planned.h"

/* Make the plan for an array or an object. states: the result of larder_states_collect(). It may be
 * NULL, because most values have no hooks; LARDER_HOOKS then means that larder_states_collect() is
 * needed. With states, LARDER_HOOKS means that a hook has created another object with hooks. reuse:
 * the immutable store that the value is for, whose strings and arrays the value may refer to; NULL
 * for other stores. The plan refers to the value, so the value must not change before it is
 * written. Runs no user code. The plan's memory comes from malloc. */
LARDER_HOT larder_measured larder_plan_value(const zval *value, const larder_states *states,
                                             size_t limit, const lrd_store *reuse,
                                             larder_plan **out);
/* Release the values that were created for the plan. Call it when the value is stored, or will not
 * be stored. */
LARDER_HOT void larder_plan_done(void);
/* Give each node of a graph its number and its place. (A node is an object, a reference, or an
 * array that contains one.) Afterwards plan->order lists the nodes by number: an object or
 * reference by its number in the plan, an array by its number with LARDER_ORDER_ARRAY. There is
 * room in plan->order. */
LARDER_HOT void larder_plan_order(larder_plan *plan);
#define LARDER_ORDER_ARRAY 0x80000000u
/* Write the planned value; lrd_put_fill() calls it. Only stores to memory. */
LARDER_HOT void larder_fill_plan(const void *plan, void *build, const void *data, size_t size);

#endif
