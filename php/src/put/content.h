/* content.h - deduplication in an immutable store: if several processes store equal strings or
 * arrays, there is only one copy. Immutable stores never free memory, so the copy stays valid. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* The keys of Larder's own entries begin with this. No key of a program begins with it: if a
 * program's key begins with a NUL, larder_layer_key() puts another NUL in front. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* Minimum size in bytes of a value that is deduplicated. Deduplication adds an entry of about 80
 * bytes, so it would not pay for smaller values. */
#define LARDER_CONTENT_MIN 256u

/* The key that finds a value by its content. It contains the value's type and its hash. */
typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* false if the value cannot be deduplicated */
} larder_content;

/* Find a string or array in the store that equals `value`. Returns its address, or NULL. The result
 * is always NULL if `value` contains an object, or a PHP reference with several owners. *content
 * receives the key for larder_content_tell(). Runs no user code. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record that the value of the entry `key` has this content, so that larder_content_find() finds
 * the value. If this fails, the only effect is that an equal value is stored again. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

/* Return true if this is the key of one of Larder's own entries, not of a program's entry. */
static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
