/* partition.c - partitions: sets of stores that a process keeps apart. Begin reading at
 * larder_partition_now().
 *
 * - Some SAPIs run requests of different sites in one process (larder_settings.shared_sapi). There,
 *   larder.scope separates the sites. The server sets it by php_admin_value.
 * - FrankenPHP has no php_admin_value for a site, so there the environment variable LARDER_SCOPE
 *   sets the scope. Other SAPIs ignore it, because a site's files may change the environment.
 * - LARDER_SCOPE is read at a request's first use of a store. It is also recorded when the request
 *   begins, because FrankenPHP has removed it when shutdown functions run.
 * - A worker of FrankenPHP changes its stores with the site (larder_stores_next_request()).
 * - A program that embeds PHP makes and selects partitions itself (host.c). Their number is
 *   limited, and they last as long as the process. */
#include "stores/partition.h"
#include "php_ini.h"
#include "SAPI.h"

#include <pthread.h>
#include <stdatomic.h>

/* The default partition. larder_stores_startup() initialises its array `places`. */
struct larder_partition larder_partition_default;

void larder_places_clear(larder_place places[LARDER_KINDS])
{
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        places[kind] = (larder_place){.fd = -1, .path = "", .reason = ""};
}

static pthread_mutex_t partition_adding = PTHREAD_MUTEX_INITIALIZER;

/* Find a partition by its scope. Needs no lock, because partitions are only added at the end, and
 * never removed. */
static struct larder_partition *partition_find(const char *scope)
{
    struct larder_partition *partition = &larder_partition_default;
    while ((partition = atomic_load_explicit(&partition->next, memory_order_acquire)) != NULL)
        if (!partition->host && strcmp(partition->scope, scope) == 0)
            return partition;
    return NULL;
}

/* Add a partition. The caller must hold the lock. Returns NULL if there are too many partitions, or
 * if no memory or no descriptor is left. */
static struct larder_partition *partition_new(const char *scope, bool host)
{
    struct larder_partition *last = &larder_partition_default, *next;
    while ((next = atomic_load_explicit(&last->next, memory_order_relaxed)) != NULL)
        last = next;
    struct larder_partition *partition =
        last->number + 1 < LARDER_PARTITIONS_MAX ? calloc(1, sizeof *partition) : NULL;
    if (partition == NULL)
        return NULL;
    partition->host = host;
    partition->number = last->number + 1;
    snprintf(partition->scope, sizeof partition->scope, "%s", scope);
    larder_places_clear(partition->places);
    if (larder_stores_locate(partition)) /* pairs with the acquire in partition_find() */
        atomic_store_explicit(&last->next, partition, memory_order_release);
    else {
        for (int kind = 0; kind < LARDER_KINDS; kind++)
            free(partition->places[kind].text);
        free(partition);
        partition = NULL;
    }
    return partition;
}

struct larder_partition *larder_partition_add(const char *scope, bool host)
{
    pthread_mutex_lock(&partition_adding);
    struct larder_partition *partition = partition_new(scope, host);
    pthread_mutex_unlock(&partition_adding);
    return partition;
}

static struct larder_partition *partition_of_scope(const char *scope)
{
    struct larder_partition *partition = partition_find(scope);
    if (partition != NULL)
        return partition;
    pthread_mutex_lock(&partition_adding);
    partition = partition_find(scope);
    if (partition == NULL)
        partition = partition_new(scope, false);
    pthread_mutex_unlock(&partition_adding);
    return partition;
}

static const char *partition_scope_of_site(void)
{
    static const char name[] = "LARDER_SCOPE";
    if (strcmp(sapi_module.name, "frankenphp") != 0 || sapi_module.getenv == NULL)
        return NULL;
    return sapi_module.getenv(name, sizeof name - 1);
}

/* Return the scope of this request. If the request has no scope, or if its scope equals the one in
 * php.ini, return NULL. */
static const char *partition_scope(void)
{
    static const char name[] = "larder.scope";
    const char *own = zend_ini_string_ex(name, sizeof name - 1, 0, NULL);
    const char *initial = zend_ini_string_ex(name, sizeof name - 1, 1, NULL);
    if (own == NULL || *own == '\0' || (initial != NULL && strcmp(own, initial) == 0))
        own = partition_scope_of_site();
    if (own == NULL || *own == '\0' || (initial != NULL && strcmp(own, initial) == 0))
        return NULL;
    /* If the scope is too long, return a text that is no site's scope. Do not cut the scope
     * instead: its first LARDER_SCOPE_MAX bytes could be the scope of another site. */
    return strlen(own) <= LARDER_SCOPE_MAX ? own : "(too long)";
}

void larder_partition_begin(void)
{
    const char *scope = partition_scope_of_site() != NULL ? partition_scope() : NULL;
    LARDER_G(site_has_scope) = scope != NULL;
    LARDER_G(site) = scope != NULL ? partition_of_scope(scope) : NULL;
}

struct larder_partition *larder_partition_chosen(void)
{
    if (LARDER_G(host_partition) != NULL)
        return LARDER_G(host_partition);
    const char *scope = larder_configured.shared_sapi ? partition_scope() : NULL;
    if (scope != NULL)
        return partition_of_scope(scope);
    return LARDER_G(site_has_scope) ? LARDER_G(site) : &larder_partition_default;
}
