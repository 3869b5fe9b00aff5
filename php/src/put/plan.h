/* plan.h - the plan of a value: the offset of each part in its block. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "put/planned.h"

/* Make the plan for an array or an object, whose block may have at most `limit` bytes. The value
 * must not change before it is written. Runs no user code.
 * - `reuse`: NULL, or the immutable store that will contain the value; the block may refer to its
 *   values.
 * - `states`: the results of the hooks, or NULL.
 * - After LARDER_HOOKS, call larder_states_collect(), then this function again, perhaps several
 *   times. */
LARDER_HOT larder_measured larder_plan_value(const zval *value, const larder_states *states,
                                             size_t limit, const lrd_store *reuse,
                                             larder_plan **out);
LARDER_HOT void larder_plan_done(void);
/* Number the nodes of a graph, and choose their offsets. plan->order[n] becomes the index of node
 * n; for an array, with the flag LARDER_ORDER_ARRAY. The caller must have made room. */
LARDER_HOT void larder_plan_order(larder_plan *plan);
#define LARDER_ORDER_ARRAY 0x80000000u
/* Write the nodes with hooks to plan->visited, in the order of unserialize(), after
 * larder_plan_order(). Returns false if there is no memory. */
LARDER_HOT bool larder_plan_calls(larder_plan *plan);
/* Write a planned value into its block. Must not allocate: lrd_put_fill() may hold a lock. */
LARDER_HOT void larder_fill_plan(const void *plan, void *build, const void *data, size_t size);

#endif
