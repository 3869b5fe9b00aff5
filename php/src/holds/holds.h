/* holds.h - releases values that a long-running request holds but no longer uses. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Release each held value of this thread to which this process has no pointer. Borrowed values stay
 * borrowed. Returns false if a search is impossible. */
bool larder_holds_collect(void);
/* Call this if a get cannot hold `value` because this thread holds too much already. It tries to
 * release unused values, or to raise this thread's limit. If it returns false, the caller must copy
 * the value. */
bool larder_holds_make_room(lrd_store *store, const lrd_value *value);
/* Set the first limit of the bytes that this thread may hold in one store. A get that would exceed
 * the limit first searches for unused values. Call this for a request that may never end. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* Return how many values this thread holds in all stores. */
size_t larder_holds_count(void);
/* Call this when a worker has finished one of its requests, and PHP's own request goes on. Releases
 * unused values if a search is worth its cost. */
void larder_holds_between_requests(void);
/* Free the memory that the functions of this file keep for a thread. Call this when the thread
 * ends. */
void larder_holds_end(zend_larder_globals *globals) ZEND_COLD;
#ifdef LRD_POISON
/* For debugging: if the environment variable LARDER_COLLECT is "always", each look-up begins with a
 * search. Each of three other values has this effect, too, but also breaks the search on purpose,
 * so that a test must fail:
 * - blind: stacks with a guard page are not searched.
 * - bold: all small allocations of PHP's heap count as free.
 * - hasty: resident graphs (see fetch/resident.h) are freed even if PHP still refers to them. */
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
/* Search the private memory of this process, except the stack below `frames`, for pointers into the
 * blocks in `held`. For each block with such a pointer, set `used`. `held` must be sorted by
 * address. Both `held` and `scratch` (LARDER_MEMORY_SCRATCH bytes) must be in shared memory, which
 * is not searched. `looked` receives the number of bytes read. Returns false if some memory cannot
 * be read; then ignore `used`. Allocates only through larder_heap_look(). */
typedef struct larder_memory {
    lrd_held *held;
    size_t count;
    const void *frames;
    char *scratch;
    size_t looked;
} larder_memory;
#define LARDER_MEMORY_SCRATCH ((size_t)784 << 10)
bool larder_memory_mark(larder_memory *memory);
/* Check quickly whether this process can be searched. Even if this function returns true, a search
 * may still fail. */
bool larder_memory_may_mark(void);
/* Record whether Larder runs its clock thread in this process. A search may ignore the clock
 * thread, because this thread never maps or unmaps memory, and has no PHP values. */
void larder_memory_own_thread(bool there);
/* Forget the heap of a thread that ends. `heap` is LARDER_G(holds_heap) of that thread. */
void larder_memory_end(void *heap) ZEND_COLD;

#endif
