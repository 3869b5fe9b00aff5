/* literals.h - finds keys of unpacked arrays that are literals of the running program. The
 * literal's own zend_string becomes the key. So the key takes no memory, its references are not
 * counted, and PHP compares it with the literal by address alone. */
#ifndef LARDER_PACK_LITERALS_H
#define LARDER_PACK_LITERALS_H

#include "php_larder.h"

/* number of failed look-ups after which no more keys of a value are looked up */
#define LARDER_LITERAL_TRIES 16u
/* Look up a key of at least two bytes. Returns an interned string, or a new string with its hash.
 * If the key is no literal, decrements *tries. The caller must not pass *tries == 0. */
zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries);

#endif
