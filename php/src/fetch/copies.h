/* copies.h - copies strings and arrays of a block that this request cannot hold. */
#ifndef LARDER_COPIES_H
#define LARDER_COPIES_H

#include "php_larder.h"

/* The state of copying values out of one block. Call larder_copies_begin(), then larder_copy_out()
 * for each value, then larder_copies_end(). Only the last call completes the copies of arrays; it
 * returns false if there was not enough memory. */
typedef struct larder_copies larder_copies;
/* Begin a copying operation. `unfolded` must be true for a block that larder_unfold() has unpacked
 * with `moves` false. */
larder_copies *larder_copies_begin(bool unfolded);
void larder_copy_out(larder_copies *copies, zval *value);
bool larder_copies_end(larder_copies *copies);
/* Return a copy of a key. If the block was unpacked, returns the key itself with one more
 * reference. The caller must release the result. */
zend_string *larder_copy_key(const larder_copies *copies, zend_string *key);
zend_string *larder_copy_string(const zend_string *string);

/* Copy an array and everything in it. Runs no user code and does not call the core, so a borrowed
 * block stays valid. Returns NULL if there is not enough memory. */
zend_array *larder_copy_deep(zend_array *array);

#endif
