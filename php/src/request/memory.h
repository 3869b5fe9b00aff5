/* memory.h - memory for what a request finds out and knows until it ends: of classes, zones,
 * layouts. All of it goes at once when the request is over, so who keeps something there neither
 * marks nor frees it, and what it pointed to may end with the request, too. */
#ifndef LARDER_REQUEST_MEMORY_H
#define LARDER_REQUEST_MEMORY_H

#include "php_larder.h"

/* So many bytes of zeros, aligned for anything, until the request is over. They come from malloc
 * and belong to the thread: nothing longjmps. NULL: no memory. */
void *larder_request_alloc(size_t size) LARDER_HOT;
/* Give all of it back and forget LARDER_G(known), which points there. Some pages are kept for the
 * next request. */
void larder_request_forget(void) LARDER_HOT;
void larder_request_end(struct larder_memory *memory) ZEND_COLD; /* of a thread; NULL: nothing */

/* As memset(), where the memory is freed next: the compiler must not take the stores for dead and
 * drop them. */
static inline void larder_overwrite(void *memory, int with, size_t size)
{
    memset(memory, with, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Free memory of malloc's that has addresses of values in it: they are erased, so that a search for
 * held values (holds/) does not find them. */
static inline void larder_erase_free(void *memory, size_t size)
{
    if (memory == NULL)
        return;
    larder_overwrite(memory, 0, size);
    free(memory);
}

#endif
