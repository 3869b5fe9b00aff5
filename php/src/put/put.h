/* put.h - stores values, and reports values that cannot be stored. */
#ifndef LARDER_PUT_PUT_H
#define LARDER_PUT_PUT_H

#include "php_larder.h"
#include "stores/settings.h"

/* How an error message names the value, for example "Argument #2 ($value)". */
typedef struct larder_blame {
    /* number of the argument; 0 for the result of the callback of remember() */
    uint32_t argument;
    const char *root; /* "$value" */
    zend_string *key; /* key of the value in $values of setMultiple(), otherwise NULL */
    zend_ulong index; /* numeric key in $values, if `key` is NULL and `has_index` is true */
    bool has_index;
    /* true if `root` names a static property, such as "Foo::$bar", not an argument */
    bool property;
    /* True if only the number of levels is checked. PHP's serializer refuses all other parts
     * itself. */
    bool lenient;
    /* Text of the warning about a resource, or NULL. A resource that comes after an object or a
     * reference causes no warning. */
    const char *resource;
} larder_blame;
struct larder_states;
/* Return true if PHP's serializer can store the value. Otherwise throws, and returns false.
 * - Too many levels cause a ValueError.
 * - Any other part that cannot be stored, such as an SplHeap with elements, causes a TypeError with
 *   its path.
 * - A resource may cause the warning blame->resource instead.
 * - `states` has the results of the hooks. An object whose hook was not called is not checked. */
bool larder_serializable(zval *value, const struct larder_states *states,
                         const larder_blame *blame);
/* Check a value before it is stored as text. If a part cannot be stored, throws or warns, and
 * returns false. *heap becomes true if the value has too many levels or an SplHeap with elements.
 * In this case the caller must store the value by larder_put(), not as text. */
bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap);
/* Serialize a value with PHP's serializer, after larder_serializable(). Returns NULL if an
 * exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- put.c ---- */

typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* set by the push */
} larder_push;

/* The place where a value is stored. If `message` is NULL, the value becomes an entry; otherwise it
 * becomes a message of a queue. */
typedef struct larder_target {
    lrd_store *store;
    /* key, ttl_ms, version and mode are used only for an entry */
    zend_string *key;
    uint64_t ttl_ms;
    uint64_t version; /* for LRD_REPLACE: the version that the entry must have */
    lrd_mode mode;
    /* the form that the caller demands; LARDER_FORM_UNSET means that larder.form decides */
    larder_form form;
    /* True if this is the value of a pinned static property. A worker may keep such a value (see
     * fetch/resident.h). */
    bool living;
    larder_push *message; /* NULL for an entry */
} larder_target;

/* Store a value. Returns LRD_*; after an exception or a warning, LRD_EINVAL. Hooks run before
 * memory in the store is reserved. */
LARDER_HOT int larder_put(const larder_target *to, zval *value, const larder_blame *blame);
/* Store the text of a serializer, perhaps packed. Returns LRD_*. Runs no user code. */
int larder_put_text(const larder_target *to, const zend_string *text, uint8_t type);
/* Replace a packed string or array by its ready form, `value`, if the entry still has this version.
 * Runs no user code. */
void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value);
/* Decide whether to try a write again, and prepare `to` for it. `rc` is the result of a write that
 * began with LRD_ADD. Runs hooks, and drops their exceptions.
 * - LRD_ADD has failed, and this process cannot restore the existing entry: changes `to` to
 *   LRD_REPLACE, and returns true.
 * - LRD_REPLACE has then failed with LRD_MISS: changes `to` back to LRD_ADD, and returns true.
 * - Otherwise returns false. */
bool larder_put_over(larder_target *to, int rc);
/* A value that is prepared for storing. setMultiple() prepares all values before it writes the
 * first one, because only preparing runs user code. Free this even if larder_encode() has
 * failed. */
typedef struct larder_encoded {
    zend_string *text;            /* the text of PHP's serializer, or NULL */
    struct larder_states *states; /* the results of hooks, or NULL */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Encode a value again if user code has run since larder_encode(). *ran becomes true if this call
 * runs user code. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded);
void larder_encoded_free(larder_encoded *encoded);
/* Erase the addresses of values from this thread's memory for plans. No plan may be in use. */
void larder_plan_erase(void);
/* At the end of a request, free this thread's memory for plans if it is large. */
void larder_plan_free(void) LARDER_HOT;
/* Free `plan`, the memory for plans of a thread that ends. `plan` may be NULL. */
void larder_plan_end(struct larder_plan *plan) ZEND_COLD;

#endif
