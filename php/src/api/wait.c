/* wait.c - how a thread waits for other processes: asleep in the core or, if the program has called
 * Larder\waitWith(), by a function of the program, which lets other fibers or coroutines run.
 * Read larder_wait_goes_on() first.
 *
 * - Between two calls of the program's function the core is asked without sleeping. The pauses grow
 *   from 1 ms to PAUSE_MAX_MS: a short wait ends soon, and an idle queue costs little.
 * - The function runs outside of the core, without a lock of it. It may do all that a program may:
 *   suspend its fiber, throw, or call Larder\waitWith(). So nothing of it is used after it has
 *   returned. */
#include "api/wait.h"

#define PAUSE_MAX_MS 20u

uint64_t larder_wait_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool larder_pause(uint32_t *pause_ms, uint64_t left_ms)
{
    zval callable, seconds, result;
    *pause_ms = *pause_ms == 0 ? 1 : MIN(2 * *pause_ms, PAUSE_MAX_MS);
    ZVAL_COPY(&callable, LARDER_G(waiter));
    ZVAL_DOUBLE(&seconds, (double)MIN(*pause_ms, left_ms) / 1000);
    ZVAL_UNDEF(&result);
    bool called = call_user_function(NULL, NULL, &callable, &result, 1, &seconds) == SUCCESS;
    zval_ptr_dtor(&callable);
    bool has_waited = called && !EG(exception) && Z_TYPE(result) != IS_FALSE;
    zval_ptr_dtor(&result);
    return has_waited;
}

bool larder_wait_goes_on(larder_wait *wait)
{
    if (!wait->begun) {
        wait->begun = true;
        wait->is_last = wait->wait_ms == 0 || !larder_wait_is_loop();
        wait->sleep_ms = wait->is_last ? wait->wait_ms : 0;
        return true;
    }
    if (wait->is_last)
        return false;
    uint64_t now = larder_wait_clock();
    if (wait->until == 0)
        wait->until = now + wait->wait_ms < now ? UINT64_MAX : now + wait->wait_ms;
    if (now >= wait->until || EG(exception))
        return false;
    if (!larder_wait_is_loop() || !larder_pause(&wait->pause_ms, wait->until - now)) {
        wait->is_last = true;
        wait->sleep_ms = wait->until - now;
    }
    return !EG(exception);
}

void larder_wait_forget(void)
{
    zval *waiter = LARDER_G(waiter);
    if (EXPECTED(waiter == NULL))
        return;
    LARDER_G(waiter) = NULL;
    zval_ptr_dtor(waiter);
    efree(waiter);
}

ZEND_FUNCTION(Larder_waitWith)
{
    zend_fcall_info callback;
    zend_fcall_info_cache cache;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_FUNC_OR_NULL(callback, cache)
    ZEND_PARSE_PARAMETERS_END();
    zval *waiter = NULL;
    if (ZEND_FCI_INITIALIZED(callback)) {
        waiter = emalloc(sizeof *waiter);
        ZVAL_COPY(waiter, &callback.function_name);
    }
    larder_wait_forget();
    LARDER_G(waiter) = waiter;
    LARDER_G(used) = true;
}
