/* memory.h - memory for facts that a request keeps until it ends: about classes, zones, layouts.
 * All of it is freed at once when the request is over, so its users need not free it, and it may
 * point to other memory that ends with the request. */
#ifndef LARDER_REQUEST_MEMORY_H
#define LARDER_REQUEST_MEMORY_H

#include "php_larder.h"

/* Allocate zeroed bytes, aligned for any type, until the request is over. They come from malloc
 * and belong to the thread, so nothing longjmps. NULL: no memory. */
void *larder_request_alloc(size_t size) LARDER_HOT;
/* Free all of it, and forget LARDER_G(known), which points into it. Keeps some pages for the next
 * request. */
void larder_request_forget(void) LARDER_HOT;
void larder_request_end(struct larder_memory *memory) ZEND_COLD; /* of a thread; NULL: nothing */

/* Overwrite memory that is freed next, like memset(), but in a way that the compiler does not
 * drop as dead stores. */
static inline void larder_overwrite(void *memory, int with, size_t size)
{
    memset(memory, with, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Free memory of malloc() that contains addresses of values. Erases it first, so that a search for
 * held values (holds/) does not find them. */
static inline void larder_erase_free(void *memory, size_t size)
{
    if (memory == NULL)
        return;
    larder_overwrite(memory, 0, size);
    free(memory);
}

#endif
