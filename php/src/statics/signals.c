/* signals.c - signal handlers written in PHP (pcntl_signal()).
 *
 * - pcntl calls handlers with all signals blocked, and a fault while SIGSEGV is blocked ends the
 *   process. So no page is protected while a handler runs; the next safe point compares values.
 * - pcntl calls handlers whenever zend_interrupt_function runs. So while pcntl_async_signals() is
 *   off, Larder does not pass its own interrupts on to pcntl. */
#include "statics/internal.h"

/* true if the program has installed a signal handler in this process or in an ancestor */
static bool signals_handled;
static void (*signals_next_ticks)(int);
static zend_result (*signals_next_startup)(void);
static void (*signals_ready)(void);

void larder_signals_call(larder_signals_function function, void *argument)
{
    struct larder_statics *all = LARDER_G(statics);
    if (EXPECTED(!signals_handled)) {
        function(argument);
        return;
    }
    if (all != NULL)
        larder_barrier_lift(&all->barrier);
    /* if a fatal error skips the decrement, larder_signals_end_request() resets the count */
    LARDER_G(signals_blocked)++;
    function(argument);
    LARDER_G(signals_blocked)--;
    all = LARDER_G(statics);
    if (all != NULL && all->first != NULL)
        larder_statics_safe_point(all);
}

bool larder_signals_wait(void) { return signals_handled && !LARDER_G(signals_async); }

void larder_signals_end_request(void)
{
    LARDER_G(signals_async) = false;
    if (EXPECTED(LARDER_G(signals_blocked) == 0))
        return;
    LARDER_G(signals_blocked) = 0;
    larder_barrier_unblock();
}

/* ---- functions of pcntl ---- */

typedef struct signals_arguments {
    zend_execute_data *frame;
    zval *result;
} signals_arguments;

static zif_handler signals_next_signal, signals_next_dispatch, signals_next_async,
    signals_next_mask;

static ZEND_NAMED_FUNCTION(signals_signal)
{
    signals_handled = true;
    signals_next_signal(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void signals_dispatch_now(void *arguments)
{
    signals_arguments *call = arguments;
    signals_next_dispatch(call->frame, call->result);
}

static ZEND_NAMED_FUNCTION(signals_dispatch)
{
    larder_signals_call(signals_dispatch_now, &(signals_arguments){execute_data, return_value});
}

static ZEND_NAMED_FUNCTION(signals_async)
{
    signals_next_async(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (ZEND_NUM_ARGS() == 0 || EG(exception) != NULL)
        return;
    const zval *wanted = ZEND_CALL_ARG(execute_data, 1);
    if (Z_TYPE_P(wanted) != IS_NULL)
        LARDER_G(signals_async) = zend_is_true(ZEND_CALL_ARG(execute_data, 1));
}

/* Let PHP change the mask of blocked signals, and then unblock SIGSEGV. While SIGSEGV is blocked, a
 * write to the protected page of a static would end the process. */
static ZEND_NAMED_FUNCTION(signals_mask)
{
    signals_next_mask(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    larder_barrier_unblock();
}

static void signals_ticks_now(void *count) { signals_next_ticks(*(int *)count); }
static void signals_ticks(int count) { larder_signals_call(signals_ticks_now, &count); }

static void signals_watch(const char *name, zif_handler watch, zif_handler *next)
{
    zend_function *function = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));
    if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION)
        return;
    *next = function->internal_function.handler;
    function->internal_function.handler = watch;
}

/* Install the hook of ticks. This must be after pcntl has started, and before opcache starts,
 * because opcache copies the hook into compiled code. */
static zend_result signals_started(void)
{
    if (signals_next_startup != NULL && signals_next_startup() != SUCCESS)
        return FAILURE;
    signals_next_ticks = zend_ticks_function;
    zend_ticks_function = signals_ticks;
    signals_ready();
    return SUCCESS;
}

void larder_signals_startup(void (*ready)(void))
{
    signals_watch("pcntl_signal", signals_signal, &signals_next_signal);
    signals_watch("pcntl_signal_dispatch", signals_dispatch, &signals_next_dispatch);
    signals_watch("pcntl_async_signals", signals_async, &signals_next_async);
    signals_watch("pcntl_sigprocmask", signals_mask, &signals_next_mask);
    signals_ready = ready;
    signals_next_startup = zend_post_startup_cb;
    zend_post_startup_cb = signals_started;
}
