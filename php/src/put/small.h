/* small.h - stores small values without a plan: arrays of few scalars and strings, and an object
 * whose state is such an array. */
#ifndef LARDER_PUT_SMALL_H
#define LARDER_PUT_SMALL_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* A small value that was measured. It refers to the value, which must not change before it is
 * written. */
typedef struct larder_small {
    const HashTable *array;    /* the value, or the object's state */
    const zval *slots;         /* of a bare object: the values of `array`, else NULL */
    const larder_class *class; /* the object's class; NULL: the value is an array */
    size_t size;               /* bytes of the block */
} larder_small;

/* Measure an array or an object. states: the result of larder_states_collect(), or NULL. Returns
 * false if the value is not small, or only a plan shows if it can be stored. Runs no user code. */
LARDER_HOT bool larder_small_measure(larder_small *small, const zval *value,
                                     const larder_states *states);
/* Write the measured value, for lrd_put_fill(). Only stores to memory. */
LARDER_HOT void larder_fill_small(const void *small, void *build, const void *data, size_t size);

#endif
