/* fpm.h - the memory of this worker's FPM pool, for stores.c and phpinfo.c. */
#ifndef LARDER_FPM_H
#define LARDER_FPM_H

#include "php_larder.h"

/* An empty memfd for a store, numbered from or above; -1 and errno. */
int larder_fpm_memfd(int from) ZEND_COLD;

/* In the FPM master, at start-up: prepare memory for that many pools before the first fork. */
void larder_fpm_startup(uint32_t pools);

/* True if this is a worker that has not settled yet: one that can be told why a store is off. */
bool larder_fpm_worker(void);

/* In a worker, once, before it runs user code. Find the memory of its pool if it is wanted, and
 * give up all the rest for good. False: there is none, for the reason given (if it was wanted). */
bool larder_fpm_settle(bool wanted, char *reason, size_t size);

/* The descriptor of this pool's memory; the caller's from now on. -1: none, or taken already. */
int larder_fpm_take(larder_kind kind);
/* To be taken again: it could not be used. */
void larder_fpm_put_back(larder_kind kind, int fd);

/* The name of the pool as the process title has it, for people; "" when it cannot be told. */
void larder_fpm_name(char *name, size_t size);

#endif
