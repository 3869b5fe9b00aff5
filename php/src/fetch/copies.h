/* copies.h - copies strings and arrays of a block that this request cannot hold. Such a block may
 * be freed soon. */
#ifndef LARDER_COPIES_H
#define LARDER_COPIES_H

#include "php_larder.h"

/* The state while values of one block are copied. Call larder_copies_begin(), then
 * larder_copy_out() for each value, then larder_copies_end(). larder_copies_end() copies the
 * elements of the arrays, frees the state, and returns false if there was not enough memory. */
typedef struct larder_copies larder_copies;
/* Set `unfolded` if the block was unpacked with `moves` false; see pack/pack.h. */
larder_copies *larder_copies_begin(bool unfolded);
void larder_copy_out(larder_copies *copies, zval *value);
bool larder_copies_end(larder_copies *copies);
/* Copy the key of an element. If the block was unpacked, returns the key itself with one more
 * reference. The caller must release the result. */
zend_string *larder_copy_key(const larder_copies *copies, zend_string *key);
zend_string *larder_copy_string(const zend_string *string);

/* Copy an array with all its parts. Runs no user code and does not call the core, so a borrowed
 * block stays valid. Returns NULL if there is not enough memory. */
zend_array *larder_copy_deep(zend_array *array);

#endif
