/* opcache.c - the attributes and opcache_reset() as the RFC "OPcache Static Cache" defines them */
#include "statics/internal.h"
#include "statics/statics.h"
#include "stores/stores.h"
#include "zend_enum.h"
#include "statics/opcache_arginfo.h"

bool larder_statics_opcache;
static zend_class_entry *opcache_strategy_class;
static zif_handler opcache_next_reset;

ZEND_METHOD(OPcache_VolatileStatic, __construct)
{
    larder_static_construct(opcache_strategy_class, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void larder_statics_opcache_startup(void)
{
    larder_statics_opcache = true;
    opcache_strategy_class = register_class_OPcache_CacheStrategy();
    larder_statics_register(register_class_OPcache_VolatileStatic());
    larder_statics_register(register_class_OPcache_PinnedStatic());
}

/* After PHP's opcache_reset(), empty the volatile and the pinned store, as the RFC demands. */
static ZEND_NAMED_FUNCTION(opcache_reset)
{
    larder_statics_flush();
    opcache_next_reset(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    for (int kind = LARDER_VOLATILE; kind <= LARDER_PINNED; kind++) {
        lrd_store *store = larder_store((larder_kind)kind);
        int rc = LRD_OK;
        if (store != NULL)
            LARDER_CALL(rc, lrd_clear(store));
        (void)rc;
    }
}

void larder_statics_opcache_request(void)
{
    /* each thread has its own table of functions */
    ZEND_TLS bool done;
    if (done)
        return;
    done = true;
    zend_function *function =
        zend_hash_str_find_ptr(CG(function_table), ZEND_STRL("opcache_reset"));
    if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION)
        return;
    if (function->internal_function.handler != opcache_reset)
        opcache_next_reset = function->internal_function.handler;
    function->internal_function.handler = opcache_reset;
}
