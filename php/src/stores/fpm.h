/* fpm.h - the memory of this worker's FPM pool, for stores.c and phpinfo.c. */
#ifndef LARDER_FPM_H
#define LARDER_FPM_H

#include "php_larder.h"

/* Make an empty memfd. Returns its descriptor, at least `from`, or -1 and sets errno. */
int larder_fpm_memfd(int from) ZEND_COLD;

/* Prepare memory for `pools` pools. Call this in FPM's master at start-up, before the first
 * fork. */
void larder_fpm_startup(uint32_t pools);

/* Return true in a worker that has not called larder_fpm_settle() yet. The settings of such a
 * worker may still change. */
bool larder_fpm_worker(void) LARDER_HOT;

/* Give up the memory of all other FPM pools for good. If `wanted` is false, also give up the memory
 * of this worker's own pool. Call this once in a worker, before user code runs. Returns false if
 * the worker has no memory then; if `wanted` is true, `reason` says why. */
bool larder_fpm_settle(bool wanted, char *reason, size_t size) LARDER_HOT;

/* Return the descriptor of this pool's memory, which the caller then owns, or -1. */
int larder_fpm_take(larder_kind kind) LARDER_HOT;
/* Take back a descriptor that the caller could not use. */
void larder_fpm_put_back(larder_kind kind, int fd);

/* Write the name of the pool, from the title of the process, or "" if it is unknown. */
void larder_fpm_name(char *name, size_t size);

#endif
