/* holds.h - requests that do not end: letting go of values that nothing points to any more. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Let go of what this thread holds and nothing in this process points to. False: that cannot be
 * found out here, and all stays held. Leaves what was borrowed as it is. */
bool larder_holds_collect(void);
/* A value of so many bytes, borrowed because of a bound, is about to be copied. True: something was
 * let go, so that it can perhaps be held. Collects only as often as it pays. */
bool larder_holds_make_room(lrd_store *store, size_t bytes);
/* This process may never end its request: it collects before it holds much of this store. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* at the end of a thread: LARDER_G(holds_own); NULL: nothing */
void larder_holds_end(void *own) ZEND_COLD;
#ifdef LRD_POISON
/* Debugging: with LARDER_COLLECT=always in the environment, collect before every look-up. Three
 * more do so and go wrong, which tests have to notice: =blind does not look at stacks that have a
 * guard page, as those of fibers have; =bold takes all small pieces of PHP's heap for free; =hasty
 * lets resident graphs go that PHP refers to. */
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
/* Set `used` of each block that something in memory of this process alone points into: every such
 * page is read, and the stack that is in use from `frames` upwards. held: by ascending address. The
 * `own_size` bytes at `own`, whole pages, are scratch memory, at least LARDER_MEMORY_SCRATCH of
 * them from *scratch on, and are not looked at. *looked: bytes read. False: not all of it can be
 * read; nothing is known then. Allocates nothing but what larder_heap_look() does. */
typedef struct larder_memory {
    lrd_held *held;
    size_t count;
    const void *frames;
    char *own, *scratch;
    size_t own_size;
    size_t looked;
} larder_memory;
#define LARDER_MEMORY_SCRATCH ((size_t)656 << 10)
bool larder_memory_mark(larder_memory *memory);
/* Whether this process can be searched, as far as that can be told in a moment. */
bool larder_memory_may_mark(void);
/* Whether this process has a thread of our own, which does not end, maps and unmaps nothing, and
 * never has a value: any other one keeps the memory from being read. */
void larder_memory_own_thread(bool there);

#endif
