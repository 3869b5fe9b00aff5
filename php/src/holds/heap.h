/* heap.h - finds out which memory of PHP's heap is free, so that old pointers there keep no value
 * held. */
#ifndef LARDER_HEAP_H
#define LARDER_HEAP_H

#include "holds/holds.h"

/* if a heap has more chunks than this, none of its memory counts as free */
#define LARDER_HEAP_CHUNKS 1024u
#define LARDER_HEAP_STACKS 16u

typedef struct larder_unused {
    uintptr_t from, to;
} larder_unused;

typedef struct larder_heap {
    /* For each pointer to a held value, (upper half of the pointer & mask) == high. */
    uint32_t mask, high;
    uint32_t count, unused_count;
    size_t looked; /* bytes that were read */
    /* the addresses of the chunks, sorted; bit 0 is set if the whole chunk is free */
    uintptr_t chunks[LARDER_HEAP_CHUNKS];
    larder_unused unused[LARDER_HEAP_STACKS];
} larder_heap;

/* Find the free memory of the heap, and erase pointers to values in free slots. The result is valid
 * until memory is allocated or freed. Allocates at most once per process. */
void larder_heap_look(larder_heap *out, uint32_t mask, uint32_t high);
/* Return true if the word at `at` is certainly in free memory. */
bool larder_heap_is_free(const larder_heap *heap, uintptr_t at);

#endif
