/* literals.h - keys of unpacked arrays that are literals of the running program. The program's own
 * string serves as the key. It takes no memory and no reference, and PHP compares it with the
 * literal by address alone. */
#ifndef LARDER_PACK_LITERALS_H
#define LARDER_PACK_LITERALS_H

#include "php_larder.h"

/* After this number of keys that are no literals, the other keys of a value are not looked up. */
#define LARDER_LITERAL_TRIES 16u
/* Look a key of at least two bytes up. Returns an interned string, or a new one; its hash is known.
 * *tries falls if the key is no literal; do not call this when *tries is 0. */
zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries);

#endif
