/* holds.h - for requests without end: releases values that the request holds but does not use any
 * more. A held value is not freed. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Release the values that this thread holds, if nothing in this process points to them. Returns
 * false if that cannot be found out; all values then stay held. Borrowed values stay borrowed. */
bool larder_holds_collect(void);
/* Try to avoid a copy of a value that may not be held, because the request holds too much.
 * Returns true if a hold may succeed now, because other values were released or a limit was raised.
 * Searches only as often as it pays. */
bool larder_holds_make_room(lrd_store *store, const lrd_value *value);
/* Let this process search before it holds much of this store, because its request may never end. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* Return how many values this thread holds, in all stores. */
size_t larder_holds_count(void);
/* Called between two requests of a worker, within one request of PHP's. Releases unused values if
 * that pays, and lets this thread search before it holds much of a store. */
void larder_holds_between_requests(void);
/* Called at the end of a thread. */
void larder_holds_end(zend_larder_globals *globals) ZEND_COLD;
#ifdef LRD_POISON
/* For debugging: with LARDER_COLLECT=always in the environment, search before every look-up. Three
 * more modes make an error that tests must notice. The mode =blind does not search stacks with a
 * guard page, such as those of fibers. The mode =bold treats all small pieces of PHP's heap as
 * free. The mode =hasty frees resident graphs (see fetch/resident.h) to which PHP refers. */
typedef enum larder_holds_mode {
    LARDER_HOLDS_UNKNOWN,
    LARDER_HOLDS_USUAL,
    LARDER_HOLDS_ALWAYS,
    LARDER_HOLDS_BLIND,
    LARDER_HOLDS_BOLD,
    LARDER_HOLDS_HASTY
} larder_holds_mode;
larder_holds_mode larder_holds_stressed(void);
void larder_holds_stress(void);
#endif

/* ---- memory.c ---- */
/* Search the private memory of this process, and set `used` for each held block that a word points
 * into. Reads every page of that memory, and the stack from `frames` upwards. `held` is sorted by
 * address. `held` and `scratch`, which has LARDER_MEMORY_SCRATCH bytes, lie in shared memory, which
 * is not searched. Sets `looked` to the number of bytes that were read. Returns false if some
 * memory cannot be read; nothing is known then. Allocates only through larder_heap_look(). */
typedef struct larder_memory {
    lrd_held *held;
    size_t count;
    const void *frames;
    char *scratch;
    size_t looked;
} larder_memory;
#define LARDER_MEMORY_SCRATCH ((size_t)784 << 10)
bool larder_memory_mark(larder_memory *memory);
/* Return true if this process can perhaps be searched, after a quick check. */
bool larder_memory_may_mark(void);
/* Record whether this process has a thread of Larder's own. Such a thread does not end, does not
 * map or unmap memory, and never has a value. */
void larder_memory_own_thread(bool there);
/* Forget the heap of a thread that ends: its LARDER_G(holds_heap). */
void larder_memory_end(void *heap) ZEND_COLD;

#endif
