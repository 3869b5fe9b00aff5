/* small.h - stores small values without a plan (see plan.h): arrays of few scalars and strings, and
 * an object whose state is such an array. The state is the answer of __serialize(), or an array of
 * the object's properties. */
#ifndef LARDER_PUT_SMALL_H
#define LARDER_PUT_SMALL_H

#include "kinds/classes.h"
#include "put/hooks.h"

/* The result of larder_small_measure(). It points into the measured value, so that value must not
 * change until it is written. */
typedef struct larder_small {
    const HashTable *array; /* the value, or the object's state */
    /* NULL, or for an object of a bare class (with __unserialize() but no __serialize()): the
     * values, because `array` has only the keys */
    const zval *slots;
    const larder_class *class; /* the object's class; NULL: the value is an array */
    size_t size;               /* bytes of the block */
} larder_small;

/* Measure an array or an object. states: the result of larder_states_collect(); NULL: no hook was
 * called. Returns false if the value is not small, or only a plan can handle it. Runs no user
 * code. */
LARDER_HOT bool larder_small_measure(larder_small *small, const zval *value,
                                     const larder_states *states);
/* Write a measured value into its block. lrd_put_fill() calls this function, which does nothing but
 * write to the block. */
LARDER_HOT void larder_fill_small(const void *small, void *build, const void *data, size_t size);

#endif
