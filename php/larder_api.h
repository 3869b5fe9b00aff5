/* larder_api.h - functions for a program that embeds PHP (a host), or for a SAPI. Installed as
 * ext/larder/larder_api.h. larder.so exports them. After php_module_startup(), dlsym(RTLD_DEFAULT,
 * ...) finds them. If dlsym() finds none, larder.so is not loaded, and there is nothing to do.
 *
 * Larder is off where it does not know which tenants may share values: under Apache's module, the
 * embed SAPI and unknown SAPIs. There are two ways to switch it on. larder.sapi_optin in php.ini
 * names the SAPI. Or the host calls larder_opt_in(). By that it promises to keep tenants apart:
 * each process has one tenant, or each tenant has a partition. */
#ifndef LARDER_API_H
#define LARDER_API_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LARDER_API __attribute__((visibility("default")))

/* A set of stores. The entries of one partition do not exist in the others. */
typedef struct larder_partition larder_partition;

/* Switch Larder on, as far as php.ini allows. Call it before the first request, in one thread, and
 * before you fork workers that will share stores. */
LARDER_API void larder_opt_in(void);

/* Make a partition. This process shares the partition with the processes that it forks later. A
 * partition takes no memory until it is used, and lasts as long as the process. name: 1 to 64
 * letters, digits, '_', '-' and '.', for phpinfo(). Returns NULL for a bad name, if there are 255
 * partitions already, or if there is no memory or no descriptor. Any thread may call it, after
 * larder_opt_in() and before the workers are forked. A partition that was made while Larder was off
 * stays off. */
LARDER_API larder_partition *larder_partition_create(const char *name);

/* Choose the stores for all requests that this thread runs from now on. NULL: the stores of no
 * partition. Call it between requests, in a thread that PHP knows (ts_resource(0)). Returns false,
 * and changes nothing, if a request is using its stores. */
LARDER_API bool larder_partition_activate(larder_partition *partition);

#ifdef __cplusplus
}
#endif

#endif
