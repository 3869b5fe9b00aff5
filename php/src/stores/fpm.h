/* fpm.h - the memory of this worker's FPM pool, for stores.c and phpinfo.c. */
#ifndef LARDER_FPM_H
#define LARDER_FPM_H

#include "php_larder.h"

/* Make an empty memfd (a file in memory) for a store. Returns its descriptor, which is at least
 * `from`, or -1 with errno set. */
int larder_fpm_memfd(int from) ZEND_COLD;

/* Prepare memory for `pools` pools. Call this in FPM's master at start-up, before the first
 * fork. */
void larder_fpm_startup(uint32_t pools);

/* Return true in a worker that has not called larder_fpm_settle() yet. The settings of such a
 * worker may still change. */
bool larder_fpm_worker(void) LARDER_HOT;

/* Find the memory of this worker's pool if `wanted` is true. Give up the memory of all other pools
 * for good. Call this once in a worker, before it runs user code. Returns false if the worker has
 * no memory. If `wanted` is true, `reason` then receives the reason for this. */
bool larder_fpm_settle(bool wanted, char *reason, size_t size) LARDER_HOT;

/* Return the descriptor of this pool's memory, which the caller then owns. Returns -1 if there is
 * none, or if it was taken before. */
int larder_fpm_take(larder_kind kind) LARDER_HOT;
/* Take back a descriptor that the caller could not use. larder_fpm_take() can return it again. */
void larder_fpm_put_back(larder_kind kind, int fd);

/* Write the name of the pool, for messages. It comes from the title of the process. Writes "" if
 * the name is unknown. */
void larder_fpm_name(char *name, size_t size);

#endif
