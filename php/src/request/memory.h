/* memory.h - memory for facts that a request learns and keeps until it ends: about classes, time
 * zones, layouts. It is freed all at once when the request is over. So nothing in it is freed
 * before, and it may point to other memory of the request. */
#ifndef LARDER_REQUEST_MEMORY_H
#define LARDER_REQUEST_MEMORY_H

#include "php_larder.h"

/* Allocate zeroed bytes, aligned for any type, that last until the request is over. They come from
 * malloc(), so this never ends the request by longjmp(). NULL: no memory. */
void *larder_request_alloc(size_t size) LARDER_HOT;
/* Free all of this memory, and clear LARDER_G(known), which points into it. Some pages are kept for
 * the next request. */
void larder_request_forget(void) LARDER_HOT;
void larder_request_end(struct larder_memory *memory) ZEND_COLD; /* of a thread; accepts NULL */

/* Fill memory like memset(), with writes that the compiler cannot drop, even if the memory is freed
 * next. */
static inline void larder_overwrite(void *memory, int with, size_t size)
{
    memset(memory, with, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Free memory from malloc() that contains addresses of values. It is erased first, so that the
 * search for values in use (holds/) does not find them. */
static inline void larder_erase_free(void *memory, size_t size)
{
    if (memory == NULL)
        return;
    larder_overwrite(memory, 0, size);
    free(memory);
}

#endif
