/* opcache.c - the classes of RFC "OPcache Static Cache" under their own names. Nearly every method is
 * Larder's own (see the stub); only what returns an object of a class of the RFC is written here. */
#include "layer.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "opcache_arginfo.h"

static zend_class_entry *opcache_type_class, *opcache_info_class;

static void opcache_store_type(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key, *class_name = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR_OR_NULL(class_name)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(key, 1))
        RETURN_THROWS();
    larder_store_type(class_name == NULL ? larder_store(kind) : NULL, key, opcache_type_class,
                      return_value);
}

ZEND_METHOD(OPcache_VolatileCache, getCacheStoreType)
{
    opcache_store_type(LARDER_VOLATILE, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(OPcache_PinnedCache, getCacheStoreType)
{
    opcache_store_type(LARDER_PINNED, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(OPcache_VolatileCache, info)
{
    ZEND_PARSE_PARAMETERS_NONE();
    larder_cache_info(LARDER_VOLATILE, opcache_info_class, return_value);
}

ZEND_METHOD(OPcache_PinnedCache, info)
{
    ZEND_PARSE_PARAMETERS_NONE();
    larder_cache_info(LARDER_PINNED, opcache_info_class, return_value);
}

/* The RFC's classes belong to an extension that is built into PHP, which registers before us. */
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
}

const larder_layer larder_layer_opcache = {
    .name = "opcache", .present = opcache_present, .startup = opcache_startup};
