/* small.h - stores small values without a plan (see plan.h). A small value is an array of few
 * scalars and strings, or an object whose state is such an array. */
#ifndef LARDER_PUT_SMALL_H
#define LARDER_PUT_SMALL_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* The measured value must not change before it is written. */
typedef struct larder_small {
    const HashTable *array; /* the value, or the object's state */
    /* the values of a bare object's properties, whose keys are in `array`; otherwise NULL */
    const zval *slots;
    const larder_class *class; /* the class of the object; NULL for an array */
    size_t size;               /* bytes of the block */
} larder_small;

/* Measure a value. `states` has the results of hooks, or is NULL. Returns false if the value must
 * be stored in another way. Runs no user code. */
LARDER_HOT bool larder_small_measure(larder_small *small, const zval *value,
                                     const larder_states *states);
/* Write a measured value into its block. Must not allocate: lrd_put_fill() may hold a lock. */
LARDER_HOT void larder_fill_small(const void *small, void *build, const void *data, size_t size);

#endif
