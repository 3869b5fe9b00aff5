/* larder_api.h - functions for a program that embeds PHP (a host), or for a SAPI. The file is
 * installed as ext/larder/larder_api.h, and larder.so exports the functions. After
 * php_module_startup(), look them up by dlsym(RTLD_DEFAULT, ...). If dlsym() finds none, larder.so
 * is not loaded.
 *
 * Under Apache's module, the embed SAPI and unknown SAPIs, Larder is off, because it does not know
 * which tenants may share values there. To switch it on, set larder.sapi_optin in php.ini, or call
 * larder_opt_in(). With this call, a host promises to keep tenants apart: each process has one
 * tenant, or each tenant has a partition. */
#ifndef LARDER_API_H
#define LARDER_API_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LARDER_API __attribute__((visibility("default")))

/* A partition: stores for one tenant, apart from the stores of all other partitions. */
typedef struct larder_partition larder_partition;

/* Switch Larder on, unless php.ini switches it off. Call this before the first request, in one
 * thread, and before you fork workers. */
LARDER_API void larder_opt_in(void);

/* Make a partition, which this process shares with the processes that it forks later. A partition
 * takes no memory until it is used, and lasts as long as the process. `name` has 1 to 64 letters,
 * digits, '_', '-' and '.'. Returns NULL if the name is invalid, if there are 255 partitions, or if
 * there is no memory or no descriptor. Any thread may call this function, after larder_opt_in() and
 * before the workers are forked. A partition that is made while Larder is off stays off. */
LARDER_API larder_partition *larder_partition_create(const char *name);

/* Choose the partition for all requests that this thread runs from now on. With NULL, they use no
 * partition. Call this between requests, in a thread that PHP knows (ts_resource(0)). Returns
 * false, and changes nothing, if a request is using stores. */
LARDER_API bool larder_partition_activate(larder_partition *partition);

#ifdef __cplusplus
}
#endif

#endif
