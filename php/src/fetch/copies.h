/* copies.h - private copies of strings and arrays of a block that may not be held. */
#ifndef LARDER_COPIES_H
#define LARDER_COPIES_H

#include "php_larder.h"

/* Copies of strings and arrays of a block that may not be held: one copy of each array, however
 * often it is used. The elements of arrays are copied by the last call, which tells if there was
 * enough memory. */
typedef struct larder_copies larder_copies;
larder_copies *larder_copies_begin(void);
void larder_copy_out(larder_copies *copies, zval *value);
bool larder_copies_end(larder_copies *copies);
zend_string *larder_copy_string(const zend_string *string);

/* Copy an array. Runs no user code and makes no core call, so a borrowed block stays valid until
 * it returns. NULL: there is no memory, and the copied parts are freed with the request. */
zend_array *larder_copy_deep(zend_array *array);

#endif
