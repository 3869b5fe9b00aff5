/* put.h - stores values, and reports values that cannot be stored. */
#ifndef LARDER_PUT_PUT_H
#define LARDER_PUT_PUT_H

#include "php_larder.h"
#include "stores/settings.h"

/* How an error message names the value that cannot be stored, for example "Argument #2
 * ($value)". */
typedef struct larder_blame {
    /* number of the argument; 0 for the result of the callback of remember() */
    uint32_t argument;
    const char *root; /* "$value" */
    zend_string *key; /* the key of the value in $values of setMultiple(), otherwise NULL */
    zend_ulong index; /* a numeric key in $values; used if `key` is NULL and `has_index` is true */
    bool has_index;
    /* true if `root` names a static property, such as "Foo::$bar"; false if it names an argument */
    bool property;
    /* true if only the number of levels has to be checked, because the serializer itself refuses
     * parts that it cannot serialize */
    bool lenient;
    /* Text of the warning about a resource; NULL for no warning. If the walk has met an object or a
     * reference before the resource, it does not warn. */
    const char *resource;
} larder_blame;
struct larder_states;
/* Return true if PHP's serializer can store the value. Otherwise throws, and returns false. Too
 * many levels cause a ValueError. A part that cannot be stored causes a TypeError with the path to
 * the part; a resource may cause the warning blame->resource instead. An SplHeap can be stored only
 * if it is empty, because the serializer would lose its elements. `states` has the results of the
 * hooks that were called. An object whose hook was not called is not checked. */
bool larder_serializable(zval *value, const struct larder_states *states,
                         const larder_blame *blame);
/* Check a value before it is stored as the text of a serializer. If a part cannot be stored, throws
 * or warns, and returns false. Sets *heap if the caller must store the value with larder_put()
 * instead, because the value contains an SplHeap with elements, or has too many levels. */
bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap);
/* Serialize a value that larder_serializable() has checked. Returns NULL if an exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- put.c ---- */
/* How a value is pushed to a queue. */
typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* the id of the message; set by the push */
} larder_push;

/* Where a value is stored: as `message` in a queue, or, if `message` is NULL, as an entry of a
 * store. */
typedef struct larder_target {
    lrd_store *store;
    /* key, ttl_ms, version and mode are used only for an entry, not for a message */
    zend_string *key;
    uint64_t ttl_ms;
    uint64_t version; /* for LRD_REPLACE: the version that the entry must have */
    lrd_mode mode;
    /* the form that the caller has demanded, ready or packed (compressed); LARDER_FORM_UNSET means
     * that larder.form decides */
    larder_form form;
    /* true for the value of a pinned static property; a worker may keep the built value (see
     * fetch/resident.c) */
    bool living;
    larder_push *message; /* the message; NULL for an entry */
} larder_target;

/* Store a value. Returns LRD_*. If the value cannot be stored, throws or warns, and returns
 * LRD_EINVAL. Hooks run before memory in the store is reserved. */
LARDER_HOT int larder_put(const larder_target *to, zval *value, const larder_blame *blame);
/* Store the text of a serializer, possibly packed (compressed). Returns LRD_*. Runs no user
 * code. */
int larder_put_text(const larder_target *to, const zend_string *text, uint8_t type);
/* Replace a packed string or array by its ready form, `value`. Changes nothing if the entry no
 * longer has this version, or if the write fails. Runs no user code. */
void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value);
/* Return true if the caller of a write with LRD_ADD must try again. `rc` is the result of the
 * previous attempt. If the entry exists, but this process cannot restore it, changes `to` so that
 * the next attempt replaces this version of the entry (LRD_REPLACE). If the replacement fails
 * because this version is gone (LRD_MISS), changes `to` back to LRD_ADD. Runs hooks, and drops
 * their exceptions. */
bool larder_put_over(larder_target *to, int rc);
/* A value between the two steps of setMultiple(). The first step runs the user code of all values,
 * and the second step writes the values. Free this struct with larder_encoded_free(), even if
 * larder_encode() has failed. */
typedef struct larder_encoded {
    zend_string *text;            /* the text of PHP's serializer, if the value needs it */
    struct larder_states *states; /* the results of hooks, if the value has objects with hooks */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Encode a value again if user code has run since larder_encode(). If this call runs user code,
 * *ran becomes true. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded);
void larder_encoded_free(larder_encoded *encoded);
/* Erase the addresses of values from the memory in which this thread makes plans. No plan may be in
 * use. */
void larder_plan_erase(void);
/* Free this thread's memory for plans if it is large. Call this at the end of a request. */
void larder_plan_free(void) LARDER_HOT;
/* Free `plan`, the memory in which a thread made its plans. Call this when the thread ends. `plan`
 * may be NULL. */
void larder_plan_end(struct larder_plan *plan) ZEND_COLD;

#endif
