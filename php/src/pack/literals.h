/* literals.h - finds keys of unpacked arrays among the literals of the running program. A literal
 * takes no memory, and PHP compares it by address. */
#ifndef LARDER_PACK_LITERALS_H
#define LARDER_PACK_LITERALS_H

#include "php_larder.h"

/* maximum number of failed look-ups for one value; its remaining keys are not looked up */
#define LARDER_LITERAL_TRIES 16u
/* Return the string with these bytes, of which there must be at least two. If PHP has an interned
 * string with these bytes, returns the interned string. Otherwise, returns a new string with its
 * hash, and decrements *tries, which must not be 0. */
zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries);

#endif
