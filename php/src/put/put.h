/* put.h - storing a value, and the errors about values that cannot be stored. */
#ifndef LARDER_PUT_PUT_H
#define LARDER_PUT_PUT_H

#include "php_larder.h"

/* How an argument is named in errors: "Argument #2 ($value) ", or "" for a returned value. */
typedef struct larder_blame {
    uint32_t argument; /* its number; 0: what the callback of remember() returned */
    const char *root;  /* "$value" */
    zend_string *key;  /* of $values in setMultiple(); NULL */
    zend_ulong index;  /* where key is NULL and has_index */
    bool has_index;
    bool property; /* no argument: root is a static's name, as in "Foo::$bar" */
    bool lenient;  /* leave what cannot be serialized to the serializer; refuse deep nesting only */
    /* warn with this of a resource that no object nor reference comes before; NULL: do not */
    const char *resource;
} larder_blame;
struct larder_states;
/* Look for what PHP's serializer does not take, or would empty: a heap. Throws a TypeError that
 * names the path to it, or a ValueError when the value is nested too deeply, or warns of a
 * resource. True: there is none. states: what hooks said, as far as they were called; what others
 * will say is not looked at. */
bool larder_serializable(zval *value, const struct larder_states *states,
                         const larder_blame *blame);
/* The same for a value that need not go through a serializer: a heap is no error, nor are more
 * levels than a serializer takes, and *heap says if there is one of these. */
bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap);
/* The text of PHP's serializer, of a value that was looked at. NULL: an exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- put.c ---- */
/* A message that a value becomes. */
typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* out */
} larder_push;

/* Where a value goes: to an entry of a store, or, where there is a message, to a queue in it. */
typedef struct larder_target {
    lrd_store *store;
    zend_string *key; /* of an entry, as the next ones */
    uint64_t ttl_ms;
    uint64_t version; /* that LRD_REPLACE replaces */
    lrd_mode mode;
    bool living;          /* of a pinned static: it may live in the workers, see fetch/resident.c */
    larder_push *message; /* NULL: an entry */
} larder_target;

/* Store a value. LRD_*; LRD_EINVAL with an exception set, or a warning said, when it cannot be
 * stored. Runs user code (of objects) before anything is reserved. */
LARDER_HOT int larder_put(const larder_target *to, zval *value, const larder_blame *blame);
/* Publish a value of strings and arrays again, ready, whose entry has this version and is packed.
 * Best effort. Runs no user code. */
void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value);
/* The next target where LRD_ADD to this one said LRD_EXISTS, but the entry cannot be restored here:
 * to readers it is a miss, so it gives way, unless somebody changed it meanwhile. False: the entry
 * stays. Runs user code; what its hooks throw is forgotten. */
bool larder_put_over(larder_target *to, int rc);
/* The same in two steps, for setMultiple(): first all user code, then the write. What the first
 * step gives is freed in any case. False: an exception is set. */
typedef struct larder_encoded {
    zend_string *text;            /* for what has to go through PHP's serializer */
    struct larder_states *states; /* for objects with hooks */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Other user code ran since: bring *out up to date. *ran becomes true where that took user code. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded);
void larder_encoded_free(larder_encoded *encoded);
void larder_plan_erase(void); /* forget the addresses of what was planned; no plan is in use */
void larder_plan_free(void) LARDER_HOT; /* at the end of a request: give back what is large */
/* at the end of a thread; NULL: nothing */
void larder_plan_end(struct larder_plan *plan) ZEND_COLD;

#endif
