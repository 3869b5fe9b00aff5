/* igbinary.h - calls the extension igbinary, through its PHP functions: its C functions change
 * between releases. */
#ifndef LARDER_IGBINARY_H
#define LARDER_IGBINARY_H

#include "php_larder.h"

/* Return the PHP function of igbinary with this name, or NULL if igbinary is not loaded. */
zend_function *larder_igbinary_function(const char *name);
/* Fetch a value that igbinary has serialized; see larder_take(). */
bool larder_igbinary_take(lrd_store *store, lrd_value *value, zval *result);
/* Unserialize a text with igbinary, and release the text. Runs user code. */
bool larder_igbinary_restore(zend_string *text, zval *result);

#endif
