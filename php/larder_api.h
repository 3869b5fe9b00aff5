/* larder_api.h - functions for a program that embeds PHP (a host), or for a SAPI. The file is
 * installed as ext/larder/larder_api.h, and larder.so exports the functions. After
 * php_module_startup(), look them up by dlsym(RTLD_DEFAULT, ...). If dlsym() finds none, larder.so
 * is not loaded, and the host need not call them.
 *
 * Larder is off where it does not know which tenants may share values: under Apache's module, the
 * embed SAPI and unknown SAPIs. There are two ways to switch it on. The first is to name the SAPI
 * in the setting larder.sapi_optin of php.ini. The second is to call larder_opt_in(). A host that
 * calls it promises to keep tenants apart: each process has one tenant, or each tenant has a
 * partition. */
#ifndef LARDER_API_H
#define LARDER_API_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LARDER_API __attribute__((visibility("default")))

/* A partition: stores for one tenant. An entry in the stores of one partition does not exist in the
 * stores of another. */
typedef struct larder_partition larder_partition;

/* Switch Larder on, unless php.ini switches it off. Call this function before the first request, in
 * one thread, and before you fork workers that will share stores. */
LARDER_API void larder_opt_in(void);

/* Make a partition. This process shares the partition with the processes that it forks later. A
 * partition takes no memory until it is used, and lasts as long as the process. `name` has 1 to 64
 * letters, digits, '_', '-' and '.'; phpinfo() shows it. Returns NULL if the name is invalid, if
 * there are 255 partitions, or if there is no memory or no descriptor. Any thread may call this
 * function, after larder_opt_in() and before the workers are forked. A partition that is made while
 * Larder is off stays off. */
LARDER_API larder_partition *larder_partition_create(const char *name);

/* Choose the partition for all requests that this thread runs from now on. NULL chooses the stores
 * that belong to no partition. Call this function between requests, in a thread that PHP knows
 * (ts_resource(0)). Returns false, and changes nothing, if a request is using stores. */
LARDER_API bool larder_partition_activate(larder_partition *partition);

#ifdef __cplusplus
}
#endif

#endif
