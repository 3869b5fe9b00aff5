/* memory.h - memory for what a request learns about classes, time zones and layouts. The memory is
 * freed when the request ends. */
#ifndef LARDER_REQUEST_MEMORY_H
#define LARDER_REQUEST_MEMORY_H

#include "php_larder.h"

/* Allocate zeroed bytes, aligned for any type, until the request ends. memory_limit does not count
 * the bytes. Returns NULL if there is no memory. */
void *larder_request_alloc(size_t size) LARDER_HOT;
/* Free all of this memory at the end of a request, and clear LARDER_G(known), which points into
 * it. */
void larder_request_forget(void) LARDER_HOT;
/* Free the memory of a thread that ends. `memory` may be NULL. */
void larder_request_end(struct larder_memory *memory) ZEND_COLD;

/* Fill memory like memset(), even if it is freed next. */
static inline void larder_overwrite(void *memory, int with, size_t size)
{
    memset(memory, with, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Erase and free memory from malloc(). An address of a value in freed memory would keep the value
 * held (see holds/). */
static inline void larder_erase_free(void *memory, size_t size)
{
    if (memory == NULL)
        return;
    larder_overwrite(memory, 0, size);
    free(memory);
}

#endif
