/* alike.h - stores objects of one class with __serialize(), if the results contain only scalars,
 * strings, and arrays of these. */
#ifndef LARDER_PUT_ALIKE_H
#define LARDER_PUT_ALIKE_H

#include "kinds/classes.h"
#include "put/hooks.h"

#define LARDER_ALIKE_OBJECTS 16u /* maximum number of objects */

/* The value and the results of its hooks. Most fields stay uninitialised. */
typedef struct larder_alike {
    const zval *value; /* an object, or an array of objects */
    larder_class *class;
    uint32_t objects;  /* number of objects in the value */
    uint32_t called;   /* number of objects whose hooks were called */
    uint32_t elements; /* number of elements of all arrays that the hooks have returned */
    size_t size;       /* bytes of the block */
    size_t text;       /* bytes of the strings in the block, without the name of the class */
    zend_array *state[LARDER_ALIKE_OBJECTS]; /* the results */
} larder_alike;

/* Return true if the value consists of objects of one class with __serialize(), and none occurs
 * twice. Until larder_alike_free() or larder_alike_hand(), the caller must own a reference to the
 * value. */
LARDER_HOT bool larder_alike_find(larder_alike *alike, const zval *value);
/* Call the hook of each object, and measure the results. Returns false if the value must be stored
 * in another way, or if an exception is set. If it returns false without an exception, call
 * larder_alike_hand(), so that no hook is called twice. */
LARDER_HOT bool larder_alike_call(larder_alike *alike);
/* Move the results of the called hooks to `states`, which must be empty. */
void larder_alike_hand(larder_alike *alike, larder_states *states);
/* Free the results. Runs no user code. */
LARDER_HOT void larder_alike_free(larder_alike *alike);
/* Write a measured value into its block. Must not allocate: lrd_put_fill() may hold a lock. */
LARDER_HOT void larder_fill_alike(const void *alike, void *build, const void *data, size_t size);

#endif
