/* larder.c - the module: what happens when PHP starts, when a request begins, and when it ends.
 *
 * User code may run during and after RSHUTDOWN (header callbacks, session handlers, destructors),
 * so values are released in post-deactivate. */
#include "api/boundary.h"
#include "api/coordination.h"
#include "api/info.h"
#include "api/interrupt.h"
#include "api/lock.h"
#include "api/semaphore.h"
#include "api/wait.h"
#include "compat/compat.h"
#include "fetch/resident.h"
#include "files/files.h"
#include "holds/holds.h"
#include "pack/pack.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "kinds/dates.h"
#include "kinds/spl_layout.h"
#include "ops/inspector.h"
#include "put/put.h"
#include "queue/queue.h"
#include "request/gaps.h"
#include "request/guard.h"
#include "request/memory.h"
#include "session/session.h"
#include "statics/statics.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "php_ini.h"
#include "ext/standard/info.h"

#include <unistd.h>

ZEND_DECLARE_MODULE_GLOBALS(larder)

/* stores/ calls functions of other folders through larder_built_above */
static ZEND_COLD void larder_configure(larder_settings *settings)
{
    larder_files_configure();
    larder_compat_configure(settings);
}

static void larder_forget_unused(void)
{
    larder_residents_unused();
    larder_plan_erase();
    larder_pack_erase();
}

const larder_above larder_built_above = {
    .sessions = larder_session_present,
    .layers = larder_compat_parse,
    .configure = larder_configure,
    .preloads = larder_compat_preloads,
    .preload = larder_compat_preload,
    .left = larder_residents_drop,
    .endless = larder_holds_limit,
    .ready = larder_put_ready,
    .unused = larder_forget_unused,
};

static ZEND_COLD PHP_GINIT_FUNCTION(larder)
{
#if defined(COMPILE_DL_LARDER) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(larder_globals, 0, sizeof *larder_globals);
}

static ZEND_COLD PHP_GSHUTDOWN_FUNCTION(larder)
{
    lrd_wait_flag(NULL);
    if (larder_globals->inside)
        /* A signal handler has interrupted a call of the core and called exit(), so the thread's
         * data may be inconsistent. */
        return;
    larder_statics_end(larder_globals->statics);
    larder_plan_end(larder_globals->plan);
    larder_request_end(larder_globals->memory);
    larder_residents_end(larder_globals->residents);
    larder_dates_end(larder_globals->dates);
    larder_spl_end(larder_globals->spl);
    larder_files_end(larder_globals->files);
    larder_holds_end(larder_globals);
    larder_pack_end(larder_globals->scratch);
}

static ZEND_COLD PHP_MINIT_FUNCTION(larder)
{
    /* PHP unloads a module of dl() at the end of a request, but still uses values in our stores
     * after that, until post-deactivate. */
    if (type != MODULE_PERSISTENT) {
        php_error_docref(NULL, E_WARNING, "larder cannot be loaded by dl(), only by php.ini");
        return FAILURE;
    }
    larder_settings_register(module_number);
    larder_files_register(module_number);
    larder_settings_read();
    larder_info_register();
    larder_inspector_register();
    larder_session_startup(module_number);
    larder_files_startup();
    larder_semaphore_register();
    larder_queue_register();
    larder_compat_startup(larder_configured.compat, module_number);
    larder_compat_configure(&larder_configured);
    larder_settings_say_refusals();
    larder_tables_startup();
    larder_stores_startup();
    larder_interrupt_startup();
    larder_statics_startup();
    larder_boundary_startup();
    larder_lock_startup();
    larder_throttle_startup();
    larder_gaps_take();
    return SUCCESS;
}

/* The stores stay mapped: modules that are shut down later may use array keys in them. */
static ZEND_COLD PHP_MSHUTDOWN_FUNCTION(larder)
{
    /* If a call of the core was interrupted, do not leave the stores, because this call may still
     * hold locks. Other processes take over the locks when this process has ended. */
    if (!LARDER_G(inside))
        larder_stores_leave();
    larder_boundary_shutdown();
    larder_compat_shutdown();
    larder_gaps_free();
    UNREGISTER_INI_ENTRIES();
    return SUCCESS;
}

static LARDER_HOT PHP_RINIT_FUNCTION(larder)
{
#if defined(COMPILE_DL_LARDER) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    larder_stores_request();
    larder_guard_install();
    larder_statics_request();
    LARDER_G(remember) = NULL;
    LARDER_G(waiter) = NULL;
    LARDER_G(pausing) = NULL;
    larder_lock_request();
    larder_throttle_request();
    LARDER_G(boundary_open) = true;
    LARDER_G(uncounted) = NULL;
    return SUCCESS;
}

static LARDER_HOT PHP_RSHUTDOWN_FUNCTION(larder)
{
    LARDER_G(boundary_open) = false;
    larder_wait_end_request();
    larder_interrupt_end_request();
    larder_throttle_forget();
    larder_statics_end_request();
    if (UNEXPECTED(LARDER_G(scratch) != NULL))
        larder_pack_shrink(LARDER_G(scratch));
    return SUCCESS;
}

/* End the process. A signal handler has interrupted a call of the core, and will never return to
 * it. The interrupted call may hold locks. */
static ZEND_COLD ZEND_NORETURN void larder_end_process(void)
{
    php_log_err("Larder: a signal handler has left a call of the store; the process ends, so that "
                "others can go on. Let the handler return instead");
    _exit(255);
}

static LARDER_HOT zend_result larder_post_deactivate(void)
{
    if (UNEXPECTED(LARDER_G(inside)))
        larder_end_process();
    larder_statics_forget();
    if (EXPECTED(!LARDER_G(used)))
        return SUCCESS;
    LARDER_G(used) = false;
    larder_residents_rest();
    larder_files_rest();
    larder_guard_clean();
    larder_lock_forget();
    larder_deactivate();
    larder_plan_free();
    larder_request_forget();
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(larder)
{
    larder_phpinfo();
    DISPLAY_INI_ENTRIES();
}

/* makes PHP start ext/session before Larder, and shut it down after Larder */
static const zend_module_dep larder_needs[] = {ZEND_MOD_OPTIONAL("session") ZEND_MOD_END};

zend_module_entry larder_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    NULL,
    larder_needs,
    "larder",
    NULL,
    PHP_MINIT(larder),
    PHP_MSHUTDOWN(larder),
    PHP_RINIT(larder),
    PHP_RSHUTDOWN(larder),
    PHP_MINFO(larder),
    PHP_LARDER_VERSION,
    PHP_MODULE_GLOBALS(larder),
    PHP_GINIT(larder),
    PHP_GSHUTDOWN(larder),
    larder_post_deactivate,
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_LARDER
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
ZEND_COLD ZEND_GET_MODULE(larder)
#endif
