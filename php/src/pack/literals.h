/* literals.h - finds keys of unpacked arrays among the literals of the running program. A literal
 * takes no memory, and PHP compares it by address. */
#ifndef LARDER_PACK_LITERALS_H
#define LARDER_PACK_LITERALS_H

#include "php_larder.h"

/* number of failed look-ups after which the remaining keys of a value are not looked up */
#define LARDER_LITERAL_TRIES 16u
/* Look up a key of at least two bytes. *tries must not be 0. Returns an interned string if the key
 * is a literal. Otherwise returns a new string with its hash, and decrements *tries. */
zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries);

#endif
