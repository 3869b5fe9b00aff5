/* fpm.h - the memory of this worker's FPM pool, for stores.c and phpinfo.c. */
#ifndef LARDER_FPM_H
#define LARDER_FPM_H

#include "php_larder.h"

/* Make an empty memfd for a store, with a number of at least `above`. Returns -1 and sets errno if
 * that fails. */
int larder_fpm_memfd(int from) ZEND_COLD;

/* Prepare memory for that number of pools, in the FPM master, at start-up, before the first
 * fork. */
void larder_fpm_startup(uint32_t pools);

/* True if this is a worker that has not settled yet, so its settings may still change. */
bool larder_fpm_worker(void);

/* Find the memory of this worker's pool if it is wanted, and give up all other memory for good.
 * Call it once in a worker, before it runs user code. Returns false if there is no memory; if it
 * was wanted, *reason says why. */
bool larder_fpm_settle(bool wanted, char *reason, size_t size);

/* Take the descriptor of this pool's memory, which then belongs to the caller. -1: there is none,
 * or it was taken already. */
int larder_fpm_take(larder_kind kind);
/* Give the descriptor back, because it could not be used. It can be taken again. */
void larder_fpm_put_back(larder_kind kind, int fd);

/* Return the name of the pool in the process title, for messages; "" if it is unknown. */
void larder_fpm_name(char *name, size_t size);

#endif
