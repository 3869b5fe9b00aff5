/* copies.h - copies strings and arrays of a block that may not be held, and so may be freed
 * soon. */
#ifndef LARDER_COPIES_H
#define LARDER_COPIES_H

#include "php_larder.h"

/* Copies several values of one block. An array that occurs several times is copied once.
 * larder_copy_out() copies one value; larder_copies_end() then copies the elements of all arrays.
 * larder_copies_end() returns false if there was not enough memory. */
typedef struct larder_copies larder_copies;
/* unfolded: the block was unpacked without `moves`; see pack/pack.h */
larder_copies *larder_copies_begin(bool unfolded);
void larder_copy_out(larder_copies *copies, zval *value);
bool larder_copies_end(larder_copies *copies);
/* Copy the key of an element. Returns it with one more reference. */
zend_string *larder_copy_key(const larder_copies *copies, zend_string *key);
zend_string *larder_copy_string(const zend_string *string);

/* Copy an array with all its parts. Runs no user code and does not call the core, so a borrowed
 * block stays valid meanwhile. NULL: no memory; the parts copied so far are freed with the
 * request. */
zend_array *larder_copy_deep(zend_array *array);

#endif
