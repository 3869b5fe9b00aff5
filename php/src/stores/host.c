/* host.c - functions for a program that embeds PHP, called a host (see larder_api.h) */
#include "stores/partition.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "larder_api.h"

void larder_opt_in(void)
{
    larder_host_opted_in = true;
    if (zend_hash_str_exists(&module_registry, ZEND_STRL("larder")) &&
        larder_configured.pools != 0) { /* the settings were read at start-up */
        larder_settings_read();
        larder_stores_startup();
    }
}

larder_partition *larder_partition_create(const char *name)
{
    if (name == NULL || *name == '\0' || !larder_settings_scope_good(name))
        return NULL;
    return larder_partition_add(name, true);
}

bool larder_partition_activate(larder_partition *partition)
{
#if defined(COMPILE_DL_LARDER) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL)
            return false;
    LARDER_G(host_partition) = partition;
    LARDER_G(partition) = NULL;
    return true;
}
