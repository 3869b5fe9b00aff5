/* fpm.h - the memory of this worker's FPM pool, for stores.c and phpinfo.c. */
#ifndef LARDER_FPM_H
#define LARDER_FPM_H

#include "php_larder.h"

/* Make an empty memfd for a store. Returns its descriptor, whose number is at least `from`. If this
 * fails, returns -1 and sets errno. */
int larder_fpm_memfd(int from) ZEND_COLD;

/* Prepare memory for `pools` pools. Call this in FPM's master at start-up, before the first
 * fork. */
void larder_fpm_startup(uint32_t pools);

/* Return true in a worker that has not called larder_fpm_settle() yet. The settings of such a
 * worker may still change. */
bool larder_fpm_worker(void) LARDER_HOT;

/* Give up the memory of the other pools. If `wanted` is false, also give up the memory of this
 * worker's own pool. The worker cannot get the memory back. Call this once in a worker, before user
 * code runs. Returns false if the worker has no memory; if `wanted` is true, also writes a
 * reason. */
bool larder_fpm_settle(bool wanted, char *reason, size_t size) LARDER_HOT;

/* Return the descriptor of this pool's memory, which the caller then owns, or -1 if the pool has no
 * such memory. */
int larder_fpm_take(larder_kind kind) LARDER_HOT;
/* Take back a descriptor that the caller could not use. larder_fpm_take() can return it again. */
void larder_fpm_put_back(larder_kind kind, int fd);

/* Write the name of the pool, from the title of the process, or "" if it is unknown. */
void larder_fpm_name(char *name, size_t size);

#endif
