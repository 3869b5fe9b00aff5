/* put.h - storing a value, and the errors about values that cannot be stored. */
#ifndef LARDER_PUT_PUT_H
#define LARDER_PUT_PUT_H

#include "php_larder.h"
#include "stores/settings.h"

/* The name of an argument in errors: "Argument #2 ($value) ", or "" for a returned value. */
typedef struct larder_blame {
    /* number of the argument; 0: the return value of the callback of remember() */
    uint32_t argument;
    const char *root; /* "$value" */
    zend_string *key; /* its key in $values of setMultiple(); else NULL */
    zend_ulong index; /* its index, valid if key is NULL and has_index */
    bool has_index;
    bool property; /* root is the name of a static, as in "Foo::$bar", and not an argument */
    /* check only the nesting, and leave values that cannot be serialized to the serializer */
    bool lenient;
    /* the warning for a resource that does not lie in an object or reference; NULL: none */
    const char *resource;
} larder_blame;
struct larder_states;
/* Look for values that PHP's serializer refuses, and for heaps, which it would empty. Throws a
 * TypeError that names the path to the first one, or a ValueError when the value is nested too
 * deeply, or warns of a resource if blame->resource has a text. Returns true if nothing was found.
 * states: the answers of the hooks that were called; answers of other hooks are not checked. */
bool larder_serializable(zval *value, const struct larder_states *states,
                         const larder_blame *blame);
/* Look for values that cannot be stored, in a value that needs no serializer. Heaps, and more
 * levels than a serializer takes, are no errors here; *heap is set if the value has them. */
bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap);
/* Return the text of PHP's serializer for a value that was checked. NULL: an exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- put.c ---- */
/* The packed bytes or the text that were made from a value. */
typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* out */
} larder_push;

/* The target of a value: an entry of a store, or, if `message` is set, a queue in it. */
typedef struct larder_target {
    lrd_store *store;
    zend_string *key; /* fields of an entry, like those below */
    uint64_t ttl_ms;
    uint64_t version; /* the version that LRD_REPLACE replaces */
    lrd_mode mode;
    larder_form form; /* the wanted form; LARDER_FORM_UNSET: that of larder.form */
    /* the value of a pinned static, which may live in the workers: see fetch/resident.c */
    bool living;
    larder_push *message; /* NULL: an entry */
} larder_target;

/* Store a value. Returns LRD_*; LRD_EINVAL with an exception set, or a warning raised, if it cannot
 * be stored. Runs user code (of objects) before anything is reserved. */
LARDER_HOT int larder_put(const larder_target *to, zval *value, const larder_blame *blame);
/* Store the text of a serializer as a value of that type, packed if that form is wanted. Returns
 * LRD_*. Runs no user code. */
int larder_put_text(const larder_target *to, const zend_string *text, uint8_t type);
/* Publish a packed value of strings and arrays again, in its ready form, if its entry still has
 * this version. A failure has no effect. Runs no user code. */
void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value);
/* After LRD_EXISTS, remove an entry that cannot be restored here, so that another LRD_ADD may
 * succeed: for readers it is a miss. An entry that changed meanwhile stays. Returns false if the
 * entry stays. Runs user code, and drops what its hooks throw. */
bool larder_put_over(larder_target *to, int rc);
/* A value between the two steps of setMultiple(): first all user code runs, then the writes follow.
 * The result of the first step must be freed in any case. */
typedef struct larder_encoded {
    zend_string *text;            /* the text of a value that needs PHP's serializer */
    struct larder_states *states; /* for objects with hooks */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Encode a value again if other user code ran since. *ran is set if that took user code. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded);
void larder_encoded_free(larder_encoded *encoded);
/* Erase the addresses of planned values. No plan may be in use. */
void larder_plan_erase(void);
void larder_plan_free(void) LARDER_HOT; /* Free large buffers, at the end of a request. */
/* Free the memory, at the end of a thread; NULL: do nothing. */
void larder_plan_end(struct larder_plan *plan) ZEND_COLD;

#endif
