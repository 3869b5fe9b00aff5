/* heap.h - which memory of PHP's heap is free. */
#ifndef LARDER_HEAP_H
#define LARDER_HEAP_H

#include "holds/holds.h"

#define LARDER_HEAP_CHUNKS 1024u /* with more chunks no memory counts as free */
#define LARDER_HEAP_STACKS 16u

typedef struct larder_unused {
    uintptr_t from, to;
} larder_unused;

typedef struct larder_heap {
    /* the common bits of the upper halves of pointers to values */
    uint32_t mask, high;
    uint32_t count, unused_count;
    size_t looked;                        /* bytes that were read */
    uintptr_t chunks[LARDER_HEAP_CHUNKS]; /* ascending; bit 0 marks a chunk that is wholly free */
    larder_unused unused[LARDER_HEAP_STACKS];
} larder_heap;

/* Find out what is free now, and erase such pointers in free slots. The answers of
 * larder_heap_is_free() hold until something is allocated or a function called. May allocate once
 * in the life of the process. */
void larder_heap_look(larder_heap *out, uint32_t mask, uint32_t high);
/* True if the word at this address is in free memory. False if that is unknown. */
bool larder_heap_is_free(const larder_heap *heap, uintptr_t at);

#endif
