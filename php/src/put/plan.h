/* plan.h - the plan of a value: the offset of each of its parts in the block that will store it.
 * plan.c makes the plan, and write.c writes the block. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "put/planned.h"

/* Make the plan for an array or an object, and set *out to it. `states` has the results of the
 * objects' hooks, or is NULL if no hook was called. The block may have at most `limit` bytes.
 * `reuse` is the immutable store that will contain the value, so the block may refer to strings and
 * arrays in this store. For any other store, `reuse` is NULL. Returns LARDER_HOOKS if the caller
 * must call larder_states_collect(), and then this function again. This may happen again if a hook
 * has created another object with hooks. The plan points into the value, so the value must not
 * change before it is written. Runs no user code. The plan's memory comes from malloc(). */
LARDER_HOT larder_measured larder_plan_value(const zval *value, const larder_states *states,
                                             size_t limit, const lrd_store *reuse,
                                             larder_plan **out);
/* Release the temporary values that belong to the plan. Call this after the value was stored, or if
 * it will not be stored. */
LARDER_HOT void larder_plan_done(void);
/* Give each node of a graph its number, and its offset in the block. A node is an object, a
 * reference, or an array that contains a node. Afterwards, plan->order[n] is the index of the node
 * with number n: in plan->nodes for an object or a reference, in plan->arrays for an array. The
 * index of an array has the flag LARDER_ORDER_ARRAY. The caller must have made room in
 * plan->order. */
LARDER_HOT void larder_plan_order(larder_plan *plan);
#define LARDER_ORDER_ARRAY 0x80000000u
/* Write a planned value into its block. lrd_put_fill() calls this function and may hold a lock
 * meanwhile, so the function only writes. */
LARDER_HOT void larder_fill_plan(const void *plan, void *build, const void *data, size_t size);

#endif
