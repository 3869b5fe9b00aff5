/* holds.h - releases values that a long-running request holds but no longer uses. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Search this process's memory for pointers to the values that the thread holds, and release each
 * value without a pointer. Borrowed values stay. Returns false if a search is impossible. */
bool larder_holds_collect(void);
/* Call this if the thread would exceed its limits by holding `value` as well. Returns true if
 * enough other values were released. If it returns false, the caller must copy `value`. */
bool larder_holds_make_room(lrd_store *store, const lrd_value *value);
/* Limit the bytes that this thread may hold in a store. Call this for a request that may never
 * end. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* Return how many values this thread holds in all stores. */
size_t larder_holds_count(void);
/* Call this between two requests of a worker whose PHP request goes on. Releases unused values if a
 * search is worth its cost. */
void larder_holds_between_requests(void);
/* Free a thread's memory when it ends. */
void larder_holds_end(zend_larder_globals *globals) ZEND_COLD;
#ifdef LRD_POISON
/* For debugging. With LARDER_COLLECT=always in the environment, each look-up begins with a search.
 * The other values also break the search, so that tests fail:
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
/* The arguments and results of larder_memory_mark(). This function searches the process's private
 * memory for pointers into the blocks of `held`. `held` must be sorted by address. The stack below
 * `frames` is not searched. Sets `used` for each block with a pointer, and `looked` to the number
 * of bytes read. `held` and `scratch` (LARDER_MEMORY_SCRATCH bytes) must be in shared memory.
 * Returns false if the search fails, so that `used` is not valid. Allocates only through
 * larder_heap_look(). */
typedef struct larder_memory {
    lrd_held *held;
    size_t count;
    const void *frames;
    char *scratch;
    size_t looked;
} larder_memory;
#define LARDER_MEMORY_SCRATCH ((size_t)784 << 10)
bool larder_memory_mark(larder_memory *memory);
/* Return false if a search would fail for a reason that is cheap to check. */
bool larder_memory_may_mark(void);
/* Record whether Larder's clock thread runs in this process. A search ignores this thread, because
 * the thread maps no memory, and has no PHP values. */
void larder_memory_own_thread(bool there);
/* Forget the heap of a thread that ends: its LARDER_G(holds_heap). */
void larder_memory_end(void *heap) ZEND_COLD;

#endif
