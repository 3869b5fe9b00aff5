/* content.h - deduplication in an immutable store: equal strings and arrays of all processes are
 * stored once. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* The prefix of the keys of Larder's own entries in the immutable store. No key of a program begins
 * with it: the layer puts a NUL before keys that begin with a NUL. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* The fewest bytes of a value that is deduplicated. The entry that records its place takes about
 * 80 bytes itself. */
#define LARDER_CONTENT_MIN 256u

/* The key of a content: its kind and its hash. */
typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* the value has a content */
} larder_content;

/* Return the place of an equal string or array in the store; NULL if none is known. The array has
 * scalars, strings and such arrays. Values are compared in full. Runs no user code; the hashes of
 * strings are kept in them. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record the key of a stored value, so that a later equal value finds it. Without this record only
 * memory is lost. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

/* Return true if an entry is Larder's own. The key is that in the store. */
static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
