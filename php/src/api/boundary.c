/* boundary.c - Larder\endRequest() and beginRequest(), for workers that handle many requests within
 * one PHP request. Begin reading at boundary().
 *
 * - Variables of a worker outlive its requests, so only values that a search (holds/collect.c) does
 *   not find are released.
 * - At the end of a worker's request, its locks end. But no lock ends while remember() runs, or
 *   while a fiber or coroutine has a lock or permit.
 * - After each request of a worker, FrankenPHP calls only sapi_deactivate() and sapi_activate(), so
 *   we have hooks in both. In an ordinary request, these hooks do nothing. */
#include "api/boundary.h"
#include "api/lock.h"
#include "api/remember.h"
#include "api/semaphore.h"
#include "holds/holds.h"
#include "statics/statics.h"
#include "stores/stores.h"

#include "SAPI.h"

static size_t boundary_end_locks(void)
{
    static const larder_kind kinds[] = {LARDER_VOLATILE, LARDER_PINNED};
    size_t all = 0;
    if (LARDER_G(remember) != NULL || larder_stack() != LARDER_G(main_stack) ||
        larder_lock_is_elsewhere() || larder_semaphore_is_elsewhere())
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t ended = 0;
        lrd_store *store = LARDER_G(active)[kinds[i]];
        if (store != NULL)
            LARDER_CALL(ended, lrd_locks_end(store));
        all += ended;
    }
    larder_lock_forget();
    return all;
}

/* End the locks of a worker's request, and release the values that it does not use any more.
 * Returns the number of locks that the request had not unlocked. */
static size_t boundary(void)
{
    size_t locks;
    if (!LARDER_G(used) || LARDER_G(inside))
        return 0;
    locks = boundary_end_locks();
    if (locks != 0 && PG(log_errors) && !LARDER_G(boundary_said)) {
        char text[160];
        LARDER_G(boundary_said) = true;
        snprintf(
            text, sizeof text,
            "Larder: a worker's request has ended with %zu key%s locked, which %s unlocked now. "
            "This is logged once per thread",
            locks, locks == 1 ? "" : "s", locks == 1 ? "is" : "are");
        php_log_err(text);
    }
    larder_holds_between_requests();
    return locks;
}

ZEND_FUNCTION(Larder_endRequest)
{
    ZEND_PARSE_PARAMETERS_NONE();
    larder_statics_end_worker_request();
    RETURN_LONG((zend_long)boundary());
}

ZEND_FUNCTION(Larder_beginRequest)
{
    ZEND_PARSE_PARAMETERS_NONE();
    larder_statics_begin_worker_request();
}

/* ---- the hooks ---- */

static int (*boundary_next_activate)(void);
static int (*boundary_next_deactivate)(void);

static int boundary_activate(void)
{
    int result = boundary_next_activate != NULL ? boundary_next_activate() : SUCCESS;
#ifdef ZTS
    if (!TSRMLS_CACHE) /* this thread has not begun a PHP request yet */
        return result;
#endif
    if (LARDER_G(boundary_open)) {
        larder_stores_next_request();
        larder_statics_begin_worker_request();
    }
    return result;
}

static int boundary_deactivate(void)
{
    if (LARDER_G(boundary_open)) {
        larder_statics_end_worker_request();
        boundary();
    }
    return boundary_next_deactivate != NULL ? boundary_next_deactivate() : SUCCESS;
}

void larder_boundary_startup(void)
{
    if (strcmp(sapi_module.name, "fpm-fcgi") == 0)
        return;
    boundary_next_activate = sapi_module.activate;
    boundary_next_deactivate = sapi_module.deactivate;
    sapi_module.activate = boundary_activate;
    sapi_module.deactivate = boundary_deactivate;
}

void larder_boundary_shutdown(void)
{
    if (sapi_module.activate == boundary_activate)
        sapi_module.activate = boundary_next_activate;
    if (sapi_module.deactivate == boundary_deactivate)
        sapi_module.deactivate = boundary_next_deactivate;
}
