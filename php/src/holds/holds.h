/* holds.h - endless requests: releasing values to which nothing points any more. */
#ifndef LARDER_HOLDS_H
#define LARDER_HOLDS_H

#include "php_larder.h"

/* ---- collect.c ---- */
/* Release the values that this thread holds and to which nothing in this process points. Returns
 * false if that cannot be determined; then all values stay held. Borrowed values stay borrowed. */
bool larder_holds_collect(void);
/* Try to avoid the copy of a value of `bytes` bytes that is borrowed because of a bound. Returns
 * true if values were released, so that it can perhaps be held. Collects only as often as it
 * pays. */
bool larder_holds_make_room(lrd_store *store, size_t bytes);
/* Make this process, which may never end its request, collect before it holds much of this
 * store. */
void larder_holds_limit(larder_kind kind, lrd_store *store);
/* Called at the end of a thread, with LARDER_G(holds_own); NULL: do nothing. */
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
/* Set `used` of each block into which a word of this process's private memory points. Reads
 * every page of that memory, and the stack in use from `frames` upwards. held: sorted by
 * address. The `own_size` bytes at `own`, whole pages, are not searched; from *scratch on, at
 * least LARDER_MEMORY_SCRATCH of them are scratch memory. *looked: number of bytes read. Returns
 * false if not all of the memory can be read; then nothing is known. Allocates nothing except
 * through larder_heap_look(). */
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
/* Return true if this process can be searched, as far as a quick check tells. */
bool larder_memory_may_mark(void);
/* Record if this process has a thread of Larder's own. Such a thread does not end, maps and
 * unmaps no memory, and never has a value. With any other thread, a search is impossible. */
void larder_memory_own_thread(bool there);

#endif
