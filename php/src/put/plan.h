/* plan.h - the plan of a value: the offset of each of its parts in the block that will store it.
 * plan.c makes the plan, and write.c writes the block. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "put/planned.h"

/* Make the plan for an array or an object, and set *out to it. Runs no user code. The plan points
 * into the value, so the value must not change before it is written. The block may have at most
 * `limit` bytes. If an immutable store will contain the value, `reuse` is this store, and the block
 * may refer to strings and arrays in it; otherwise `reuse` is NULL. `states` has the results of the
 * objects' hooks, or is NULL if no hook was called. If hooks must be called first, this function
 * returns LARDER_HOOKS. The caller then calls larder_states_collect(), and this function again.
 * This may repeat, because a hook may create another object with hooks. */
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
