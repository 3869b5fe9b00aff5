/* holds.h - endless requests: releasing values to which nothing points any more. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Release the values that this thread holds and to which nothing in this process points. Returns
 * false if that cannot be found out here; all stay held then. Borrowed values stay as they are. */
bool larder_holds_collect(void);
/* Try to make room before a value of `bytes` bytes, borrowed because of a bound, is copied. Returns
 * true if values were released, so that it can perhaps be held. Collects only as often as it
 * pays. */
bool larder_holds_make_room(lrd_store *store, size_t bytes);
/* Make this process, which may never end its request, collect before it holds much of this
 * store. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* at the end of a thread: LARDER_G(holds_own); NULL: nothing */
void larder_holds_end(void *own) ZEND_COLD;
#ifdef LRD_POISON
/* Debugging: with LARDER_COLLECT=always in the environment, collect before every look-up. Three
 * more modes collect wrongly, which tests must notice. The mode =blind does not look at stacks that
 * have a guard page, as those of fibers do. The mode =bold treats all small pieces of PHP's heap as
 * free. The mode =hasty frees resident graphs that PHP refers to. */
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
/* Set `used` of each block that a word in memory of this process alone points into. Reads every
 * such page, and the stack in use from `frames` upwards. held: by ascending address. The `own_size`
 * bytes at `own`, whole pages, are not looked at; from *scratch on, at least LARDER_MEMORY_SCRATCH
 * of them are scratch memory. *looked: bytes read. Returns false if not all of it can be read;
 * nothing is known then. Allocates nothing except through larder_heap_look(). */
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
/* Return whether this process can be searched, as far as a quick look tells. */
bool larder_memory_may_mark(void);
/* Record if this process has a thread of Larder's own. Such a thread does not end, maps and unmaps
 * nothing, and never has a value. Any other thread makes a search impossible. */
void larder_memory_own_thread(bool there);

#endif
