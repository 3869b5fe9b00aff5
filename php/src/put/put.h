/* put.h - storing a value, and the errors about values that cannot be stored. */
#ifndef LARDER_PUT_PUT_H
#define LARDER_PUT_PUT_H

#include "php_larder.h"
#include "stores/settings.h"

/* Tells an error message how to name the value, for example "Argument #2 ($value)". */
typedef struct larder_blame {
    /* number of the argument; 0: the return value of the callback of remember() */
    uint32_t argument;
    const char *root; /* "$value" */
    zend_string *key; /* key of the value in $values of setMultiple(); else NULL */
    zend_ulong index; /* a numeric key in $values; valid if `key` is NULL and has_index is set */
    bool has_index;
    /* root is the name of a static property, such as "Foo::$bar", not of an argument */
    bool property;
    /* check only how deep the value is; values that cannot be serialized are left to the
     * serializer */
    bool lenient;
    /* text of a warning for a resource outside of objects and references; NULL: do not warn */
    const char *resource;
} larder_blame;
struct larder_states;
/* Look for parts that PHP's serializer refuses, and for heaps (SplHeap), whose elements it would
 * lose. If there is such a part, throws a TypeError that names the path to the first one. If the
 * value is nested too deeply, throws a ValueError. For a resource, warns instead of throwing if
 * blame->resource has a text. Returns true if nothing was found. states: the answers of the hooks
 * that were called already; the answers of other hooks are not checked. */
bool larder_serializable(zval *value, const struct larder_states *states,
                         const larder_blame *blame);
/* Look for parts that cannot be stored, in a value that is stored without a serializer. Heaps and
 * deep nesting are no errors here. *heap: set if the value contains a heap, or is too deep for a
 * serializer. */
bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap);
/* Serialize a value that larder_serializable() has checked. NULL: an exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- put.c ---- */
/* How a value is pushed to a queue. */
typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* set by the push: the id of the message */
} larder_push;

/* The place where a value is stored: an entry of a store, or a message of a queue if `message` is
 * set. */
typedef struct larder_target {
    lrd_store *store;
    zend_string *key; /* key, ttl_ms, version and mode are those of an entry */
    uint64_t ttl_ms;
    uint64_t version; /* the version that the entry must have for LRD_REPLACE */
    lrd_mode mode;
    /* ready or packed (compressed), if the caller chose; LARDER_FORM_UNSET: as larder.form says */
    larder_form form;
    /* the value of a pinned static property, of which workers may keep a built copy: see
     * fetch/resident.c */
    bool living;
    larder_push *message; /* NULL: an entry */
} larder_target;

/* Store a value. Returns LRD_*. If the value cannot be stored, it throws or warns, and returns
 * LRD_EINVAL. Runs the user code of objects before it reserves memory in the store. */
LARDER_HOT int larder_put(const larder_target *to, zval *value, const larder_blame *blame);
/* Store the text of a serializer as a value of this type. It is packed (compressed) if
 * larder_target.form asks for it. Returns LRD_*. Runs no user code. */
int larder_put_text(const larder_target *to, const zend_string *text, uint8_t type);
/* Replace a packed value by its ready form, which readers need not unpack. Only for strings and
 * arrays. If the entry has another version by now, or there is a failure, the entry stays as it is.
 * Runs no user code. */
void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value);
/* After a write of mode LRD_ADD has returned `rc`, decide whether to write again. An entry that
 * this process cannot restore is a miss for its readers, so LRD_ADD should not fail because of it.
 * If rc is LRD_EXISTS because of such an entry, set to->mode to LRD_REPLACE, for the entry's
 * version only. If that write returns LRD_MISS because the entry has changed or gone, set LRD_ADD
 * again. Returns true if the caller must write again with the changed `to`. Runs hooks, whose
 * exceptions are dropped. */
bool larder_put_over(larder_target *to, int rc);
/* A value between the two steps of setMultiple(). The first step runs the user code of all values;
 * the second one writes them. Free this struct in any case, with larder_encoded_free(). */
typedef struct larder_encoded {
    zend_string *text;            /* text of PHP's serializer, if the value needs it */
    struct larder_states *states; /* for objects with hooks */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Encode a value again if user code has run since larder_encode(). *ran: set to true if this call
 * runs user code itself. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded);
void larder_encoded_free(larder_encoded *encoded);
/* Erase the addresses of values in this thread's memory for plans. No plan may be in use. */
void larder_plan_erase(void);
/* Free this thread's memory for plans if it is large. Called at the end of a request. */
void larder_plan_free(void) LARDER_HOT;
/* Free a thread's memory for plans. `plan` may be NULL. */
void larder_plan_end(struct larder_plan *plan) ZEND_COLD;

#endif
