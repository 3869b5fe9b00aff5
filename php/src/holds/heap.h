/* heap.h - which memory of PHP's heap is free. */
#ifndef LARDER_HEAP_H
#define LARDER_HEAP_H

#include "holds/holds.h"

/* if the heap has more chunks, no memory counts as free */
#define LARDER_HEAP_CHUNKS 1024u
#define LARDER_HEAP_STACKS 16u

typedef struct larder_unused {
    uintptr_t from, to;
} larder_unused;

typedef struct larder_heap {
    /* the bits that the upper halves of all pointers to values have in common */
    uint32_t mask, high;
    uint32_t count, unused_count;
    size_t looked; /* bytes that were read */
    /* sorted by address; bit 0 marks a chunk that is wholly free */
    uintptr_t chunks[LARDER_HEAP_CHUNKS];
    larder_unused unused[LARDER_HEAP_STACKS];
} larder_heap;

/* Find the free memory, and erase pointers to values in free slots. The answers of
 * larder_heap_is_free() are valid until memory is allocated or a function is called. May
 * allocate once in the life of the process. */
void larder_heap_look(larder_heap *out, uint32_t mask, uint32_t high);
/* Return true if the word at this address is in free memory; false also if that is unknown. */
bool larder_heap_is_free(const larder_heap *heap, uintptr_t at);

#endif
