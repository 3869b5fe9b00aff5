/* memory.h - memory for facts that a request learns about classes, time zones and layouts. It is
 * freed all at once when the request ends, so it may contain pointers to other memory of the
 * request. */
#ifndef LARDER_REQUEST_MEMORY_H
#define LARDER_REQUEST_MEMORY_H

#include "php_larder.h"

/* Allocate zeroed bytes, aligned for any type, that last until the request ends. They come from
 * malloc(), so memory_limit never ends the request here. Returns NULL if there is not enough
 * memory. */
void *larder_request_alloc(size_t size) LARDER_HOT;
/* At the end of a request, free all memory from larder_request_alloc(), and clear LARDER_G(known),
 * which points into that memory. */
void larder_request_forget(void) LARDER_HOT;
/* Free the memory of a thread that ends. `memory` may be NULL. */
void larder_request_end(struct larder_memory *memory) ZEND_COLD;

/* Fill memory like memset(). The compiler cannot drop the writes, even if the memory is freed
 * next. */
static inline void larder_overwrite(void *memory, int with, size_t size)
{
    memset(memory, with, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Erase and free memory from malloc() that may contain addresses of values. The search for values
 * in use (holds/) also reads freed memory. An address there would keep a value held. */
static inline void larder_erase_free(void *memory, size_t size)
{
    if (memory == NULL)
        return;
    larder_overwrite(memory, 0, size);
    free(memory);
}

#endif
