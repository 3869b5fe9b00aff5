/* literals.h - finds keys of unpacked arrays among the literals of the running program. If a
 * literal has the bytes of a key, the array uses the literal itself. That takes no new memory, and
 * PHP compares literals by address. */
#ifndef LARDER_PACK_LITERALS_H
#define LARDER_PACK_LITERALS_H

#include "php_larder.h"

/* Maximum number of failed look-ups in one value. After that many failures, the keys that remain in
 * the value are not looked up. */
#define LARDER_LITERAL_TRIES 16u
/* Return the string with these bytes, of which there must be at least two. If PHP has an interned
 * string with these bytes, returns the interned string. Otherwise, returns a new string with its
 * hash, and decrements *tries, which must not be 0. */
zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries);

#endif
