/* gaps.c - keeps workers from copying pages that PHP has filled at start-up. Begin reading at
 * larder_gaps_take().
 *
 * The tables that PHP outgrows at start-up leave small gaps all over the heap. A worker's first
 * small blocks would lie in these gaps. Writing to them would copy pages that the worker shares
 * with the parent. So the parent allocates the gaps before it forks. */
#include "request/gaps.h"
#include "php_larder.h"
#include "SAPI.h"

#include <unistd.h>

/* Maximum size in bytes of a gap that is taken. Larger gaps do little harm, because many blocks fit
 * in each of them. */
#define GAPS_SIZE_MAX 1024u
/* Maximum number of gaps that are taken. When PHP has started, there are about 100 gaps. */
#define GAPS_MAX 1024u
/* Maximum number of taken gaps of one size. Without the limit, malloc() might cut up a larger
 * gap. */
#define GAPS_OF_SIZE_MAX 64u

static void *gaps_taken; /* the first of a list; each gap contains the address of the next one */

#ifdef __GLIBC__
/* Return the highest address of a class in glibc's heap, or 0. Our own classes are among the newest
 * blocks of the heap. So if malloc() returns a block below this address, the block has filled a
 * gap. */
static ZEND_COLD uintptr_t gaps_end(void)
{
    uintptr_t end = 0;
    uintptr_t heap_end = (uintptr_t)sbrk(0); /* a class above this address is not in the heap */
    zend_class_entry *entry;
    ZEND_HASH_FOREACH_PTR(CG(class_table), entry)
        if ((uintptr_t)entry > end && (uintptr_t)entry < heap_end)
            end = (uintptr_t)entry;
    ZEND_HASH_FOREACH_END();
    return end;
}
#endif

void larder_gaps_take(void)
{
#ifdef __GLIBC__
    uint32_t count = 0;
    uintptr_t end;
    if (strcmp(sapi_module.name, "cli") == 0) /* the command line rarely forks */
        return;
    end = gaps_end();
    /* the sizes of glibc's blocks differ by multiples of 16 bytes */
    for (size_t size = 24; size < GAPS_SIZE_MAX; size += 16) {
        uint32_t of_size = 0;
        void **gap;
        while ((gap = malloc(size)) != NULL && (uintptr_t)gap < end && count < GAPS_MAX &&
               of_size < GAPS_OF_SIZE_MAX) {
            *gap = gaps_taken;
            gaps_taken = gap;
            count++;
            of_size++;
        }
        free(gap);
    }
#endif
}

void larder_gaps_free(void)
{
    while (gaps_taken != NULL) {
        void **gap = gaps_taken;
        gaps_taken = *gap;
        free(gap);
    }
}
