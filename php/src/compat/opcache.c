/* opcache.c - methods of the RFC "OPcache Static Cache" that return the RFC's classes. The other
 * methods are Larder's own. */
#include "api/methods.h"
#include "compat/layer.h"
#include "statics/statics.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "compat/opcache_arginfo.h"

static zend_class_entry *opcache_type_class, *opcache_info_class;

#define OPCACHE_METHODS(class, kind)                                                               \
    ZEND_METHOD(OPcache_##class, getCacheStoreType)                                                \
    {                                                                                              \
        larder_cache_type_method(kind, opcache_type_class, INTERNAL_FUNCTION_PARAM_PASSTHRU);      \
    }                                                                                              \
    ZEND_METHOD(OPcache_##class, info)                                                             \
    {                                                                                              \
        larder_cache_info_method(kind, opcache_info_class, INTERNAL_FUNCTION_PARAM_PASSTHRU);      \
    }

OPCACHE_METHODS(VolatileCache, LARDER_VOLATILE)
OPCACHE_METHODS(PinnedCache, LARDER_PINNED)

/* Return true if another extension has registered the RFC's classes. */
static bool opcache_present(void)
{
    static const char class[] = "opcache\\volatilecache";
    return zend_hash_str_exists(CG(class_table), class, sizeof class - 1);
}

static void opcache_startup(int module_number)
{
    opcache_type_class = register_class_OPcache_CacheStoreType();
    register_class_OPcache_StaticCacheException(zend_ce_exception);
    opcache_info_class = register_class_OPcache_StaticCacheInfo();
    register_class_OPcache_VolatileCache();
    register_class_OPcache_PinnedCache();
    larder_statics_opcache_startup();
}

const larder_layer larder_layer_opcache = {
    .name = "opcache", .present = opcache_present, .startup = opcache_startup};
