/* content.h - deduplication in an immutable store, which never frees memory: equal strings and
 * arrays of all processes are stored once. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* The first bytes of the keys of Larder's own entries in the immutable store. No key of a program
 * begins with them: if a program's key begins with a NUL, larder_layer_key() puts another NUL in
 * front of it. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* Minimum size in bytes of a value that is deduplicated. For a smaller value, deduplication would
 * not pay, because it adds an entry of about 80 bytes. */
#define LARDER_CONTENT_MIN 256u

/* The key by which a value can be found by its content. It contains the value's type and the hash
 * of its content. */
typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* true if the store has an entry with this key */
} larder_content;

/* Find a string or array in the store that equals `value`. Returns its address, or NULL if none is
 * known. An array is not found if it contains, at any level, an object, or a reference that has
 * several owners. *content receives the key for larder_content_tell(). Runs no user code. Computes
 * the hashes of strings, and keeps them in the strings. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record that the value that was just stored is in the entry `key`, so that larder_content_find()
 * finds it. If recording fails, an equal value is stored again later, which does no harm. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

/* Return true if this is the key of one of Larder's own entries, not of a program's entry. */
static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
