/* content.h - deduplication in an immutable store: equal strings and arrays of all processes are
 * stored once. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* Entries of Larder's own in the immutable store have keys that begin so. No program's key does:
 * the layer puts a NUL before those that begin with one. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* A value that takes less is stored again: what would say where it lies takes some 80 bytes itself.
 * Bytes. */
#define LARDER_CONTENT_MIN 256u

/* The name of a content: its kind and its hash. */
typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* it has one */
} larder_content;

/* Where an equal string, or array of scalars, strings and such arrays, lies in the store; NULL:
 * nowhere that is known. Compared in full. Runs no user code; hashes of strings are kept in
 * them. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record the key of a stored value, so that a later equal value finds it. Without this only
 * memory is lost. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

/* True if an entry is Larder's own; keys of the store. */
static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
