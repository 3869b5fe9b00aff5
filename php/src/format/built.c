/* built.c - makes the number that a writer stores in larder_graph.built: the time, or the thread's
 * last number plus 1, so that each graph of a thread gets another number. */
#include "php_larder.h"
#include "format/format.h"

uint64_t larder_built_now(void)
{
    ZEND_TLS uint64_t last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return last = time > last ? time : last + 1;
}
