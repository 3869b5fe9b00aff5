/* plan.h - the plan of a value: the place of each of its parts in the block. plan.c makes the plan,
 * and write.c follows it. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "put/planned.h"

/* Make the plan for an array or an object. states: the result of larder_states_collect(). In the
 * first call it is NULL; the result then tells what is missing, as far as that shows without
 * calling hooks. With states, LARDER_HOOKS means that a hook has added another object with
 * hooks. reuse: the immutable store that the value is for; NULL for other stores. The plan
 * refers to the value, so the value must not change before it is built. Runs no user code; its
 * memory comes from malloc. */
LARDER_HOT larder_measured larder_plan_value(const zval *value, const larder_states *states,
                                             size_t limit, const lrd_store *reuse,
                                             larder_plan **out);
/* Release the values that planning obtained, when the value is stored, or will not be stored. */
LARDER_HOT void larder_plan_done(void);
/* Give each node of a graph its number, and its place. Afterwards plan->order lists all of them
 * by number: objects and references by their number in the plan, arrays with LARDER_ORDER_ARRAY.
 * There is room in plan->order. */
LARDER_HOT void larder_plan_order(larder_plan *plan);
#define LARDER_ORDER_ARRAY 0x80000000u
/* Write the planned value, for lrd_put_fill(). Only stores to memory. */
LARDER_HOT void larder_fill_plan(const void *plan, void *build, const void *data, size_t size);

#endif
