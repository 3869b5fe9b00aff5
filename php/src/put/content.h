/* content.h - deduplication in an immutable store, which never frees memory: equal strings and
 * arrays of all processes are stored once. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* The first bytes of the keys of Larder's own entries in the immutable store. No key of a program
 * begins with them: the layer puts another NUL before keys that begin with a NUL. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* The smallest size, in bytes, of a value that is deduplicated. For a smaller value it would not
 * pay, because the entry that it adds takes about 80 bytes. */
#define LARDER_CONTENT_MIN 256u

/* The key under which a value can be found by its content: the value's kind and its hash. */
typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* the value can be found by its content */
} larder_content;

/* Find an equal string or array that the store already has. Returns its address; NULL if none is
 * known. An array is found only if it contains nothing but scalars, strings and arrays of these.
 * The two values are compared in full, not only by their hashes. *content: set to the key of the
 * value, for larder_content_tell(). Runs no user code. Computes the hashes of strings, and keeps
 * them in the strings. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record which entry has a value that was just stored, so that larder_content_find() finds it for
 * later equal values. key: the key of this entry. If there is no record, a later value is stored a
 * second time, which does no harm. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

/* Return true if an entry is one of Larder's own, by its key in the store. */
static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
