/* small.h - stores small values without a plan (see plan.h). A small value is an array of few
 * scalars and strings, or an object whose state is such an array. The state is the array from
 * __serialize(), or an array of the object's properties. */
#ifndef LARDER_PUT_SMALL_H
#define LARDER_PUT_SMALL_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* The result of larder_small_measure(). It points into the measured value, so the value must not
 * change before it is written. */
typedef struct larder_small {
    const HashTable *array; /* the value, or the object's state */
    /* For an object of a bare class (with __unserialize() but no __serialize()), `array` has only
     * the keys, and `slots` has the values. Otherwise `slots` is NULL. */
    const zval *slots;
    const larder_class *class; /* the class of the object; NULL if the value is an array */
    size_t size;               /* bytes of the block */
} larder_small;

/* Measure an array or an object. `states` is the result of larder_states_collect(), or NULL if no
 * hook was called. Returns false if the value is not small, or if it is too complex to be stored
 * without a plan. Runs no user code. */
LARDER_HOT bool larder_small_measure(larder_small *small, const zval *value,
                                     const larder_states *states);
/* Write a measured value into its block. lrd_put_fill() calls this function and may hold a lock
 * meanwhile, so the function only writes. */
LARDER_HOT void larder_fill_small(const void *small, void *build, const void *data, size_t size);

#endif
