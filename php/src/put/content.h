/* content.h - deduplication in an immutable store: equal strings or arrays of several processes
 * share one copy. */
#ifndef LARDER_CONTENT_H
#define LARDER_CONTENT_H

#include "php_larder.h"

/* The keys of Larder's own entries begin with this prefix. A program cannot make such a key: if its
 * key begins with NUL, larder_layer_key() adds another NUL in front. */
#define LARDER_OWN_KEY "\0larder\0"
#define LARDER_OWN_KEY_LENGTH (sizeof LARDER_OWN_KEY - 1)

/* Minimum size in bytes of a value that is deduplicated. Deduplication costs an additional entry of
 * about 80 bytes, which leads from the content to the value. */
#define LARDER_CONTENT_MIN 256u

typedef struct larder_content {
    char name[LARDER_OWN_KEY_LENGTH + 1 + 8];
    bool known; /* false if the value cannot be deduplicated */
} larder_content;

/* Return the address of an equal string or array in the store, or NULL. Values with objects or
 * shared PHP references are not found. Sets *content for larder_content_tell(). Runs no user
 * code. */
const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content);
/* Record that the value of the entry `key` has this content. May fail. */
void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key);

static zend_always_inline bool larder_is_own(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= LARDER_OWN_KEY_LENGTH &&
           memcmp(key, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH) == 0;
}

#endif
