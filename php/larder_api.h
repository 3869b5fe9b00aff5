/* larder_api.h - functions for a program that embeds PHP, or a SAPI. Installed as
 * ext/larder/larder_api.h. The functions are exported by larder.so: PHP loads extensions so that
 * dlsym(RTLD_DEFAULT, ...) finds them, after php_module_startup(). Without larder.so there are
 * none, and nothing has to be done.
 *
 * Larder is off where it does not know the boundary between those who may share values and those
 * who may not: under Apache's module, the embed SAPI and SAPIs that it does not know, unless
 * larder.sapi_optin in php.ini names the SAPI, or the host says by larder_opt_in() that it keeps
 * them apart itself: each process has one tenant, or each tenant has a partition. */
#ifndef LARDER_API_H
#define LARDER_API_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LARDER_API __attribute__((visibility("default")))

/* Stores of its own: what is stored in one partition is not there in another. */
typedef struct larder_partition larder_partition;

/* Switch Larder on, as far as php.ini does. Before the first request, in one thread, and before
 * workers are forked that are to share stores. */
LARDER_API void larder_opt_in(void);

/* Make a partition, whose memory is shared by this process and those that it forks later. It takes
 * none until it is used, and lasts as long as the process. name: 1 to 64 letters, digits, '_', '-'
 * and '.', for phpinfo(). NULL: a bad name, 255 partitions already, or no memory or descriptors.
 * Any thread, after larder_opt_in() and before the workers are forked: a partition stays as it was
 * made, so one that was made while Larder was off is off. */
LARDER_API larder_partition *larder_partition_create(const char *name);

/* Which stores requests use that this thread runs from now on; NULL: those of no partition. Between
 * requests, in a thread that PHP knows (ts_resource(0)). False: a request is using its stores, so
 * nothing changes. */
LARDER_API bool larder_partition_activate(larder_partition *partition);

#ifdef __cplusplus
}
#endif

#endif
