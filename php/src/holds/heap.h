/* heap.h - finds out which memory of PHP's heap is free, so that old pointers in it keep no
 * value. */
#ifndef LARDER_HEAP_H
#define LARDER_HEAP_H

#include "holds/holds.h"

/* in a heap with more chunks than this, no memory counts as free */
#define LARDER_HEAP_CHUNKS 1024u
#define LARDER_HEAP_STACKS 16u

typedef struct larder_unused {
    uintptr_t from, to;
} larder_unused;

typedef struct larder_heap {
    /* The upper half of each pointer to a held value is equal to `high` in the bits of `mask`. */
    uint32_t mask, high;
    uint32_t count, unused_count;
    size_t looked; /* bytes that were read */
    /* sorted by address; bit 0 is set if all of the chunk is free */
    uintptr_t chunks[LARDER_HEAP_CHUNKS];
    larder_unused unused[LARDER_HEAP_STACKS];
} larder_heap;

/* Find the free memory, and erase pointers to values in free slots. larder_heap_is_free() may be
 * used until memory is allocated or freed. May allocate memory once in the life of the process. */
void larder_heap_look(larder_heap *out, uint32_t mask, uint32_t high);
/* Return true if the word at this address is certainly in free memory. */
bool larder_heap_is_free(const larder_heap *heap, uintptr_t at);

#endif
