/* interrupt.c - ends a wait when a signal arrives that the program handles with pcntl_signal().
 * Begin reading at interrupt_handler().
 *
 * - pcntl's C function only notes the signal. If a call of the core begins to sleep afterwards, the
 *   noted signal does not end the sleep.
 * - So interrupt_handler() runs in place of pcntl's function. It sets LARDER_G(signaled), which the
 *   core checks before each sleep (lrd_wait_flag()), and then calls pcntl's function.
 * - LARDER_G(signaled) is cleared when it has ended a wait. It is also cleared before pcntl calls
 *   the program's handlers, because another signal may arrive while they run.
 * - EG(vm_interrupt) cannot replace LARDER_G(signaled): statics/ and other extensions also set it,
 *   and pcntl sets it only after pcntl_async_signals(). */
#include "api/interrupt.h"
#include "larder_host.h"

#include <signal.h>

typedef void (*interrupt_action)(int number, siginfo_t *info, void *context);

static interrupt_action interrupt_next_handler;
static zif_handler interrupt_next_signal, interrupt_next_dispatch;
static void (*interrupt_next)(zend_execute_data *);
static void (*interrupt_next_ticks)(int);
static zend_result (*interrupt_next_startup)(void);

static void interrupt_handler(int number, siginfo_t *info, void *context)
{
#ifdef ZTS
    /* a thread that does not run PHP has no flag */
    if (TSRMLS_CACHE)
#endif
        LARDER_G(signaled) = true;
    interrupt_next_handler(number, info, context);
}

/* Install our handler of a signal in front of pcntl's handler. Does nothing if the program has
 * chosen SIG_DFL or SIG_IGN for the signal. */
static void interrupt_install(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    zend_sigaction(number, NULL, &action);
    if ((action.sa_flags & SA_SIGINFO) == 0 || action.sa_handler == SIG_DFL ||
        action.sa_handler == SIG_IGN || action.sa_sigaction == interrupt_handler)
        return;
    /* pcntl has one handler for all signals, so one variable is enough */
    interrupt_next_handler = action.sa_sigaction;
    action.sa_sigaction = interrupt_handler;
    zend_sigaction(number, &action, NULL);
    lrd_wait_flag(&LARDER_G(signaled));
}

static ZEND_NAMED_FUNCTION(interrupt_signal)
{
    interrupt_next_signal(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (Z_TYPE_P(return_value) == IS_TRUE && EG(exception) == NULL)
        interrupt_install((int)zval_get_long(ZEND_CALL_ARG(execute_data, 1)));
}

static ZEND_NAMED_FUNCTION(interrupt_dispatch)
{
    LARDER_G(signaled) = false;
    interrupt_next_dispatch(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void interrupt_ticks(int count)
{
    LARDER_G(signaled) = false;
    interrupt_next_ticks(count);
}

static void interrupt_engine(zend_execute_data *frame)
{
    LARDER_G(signaled) = false;
    interrupt_next(frame);
}

/* Install our hooks in front of pcntl's. pcntl installs its hooks when its module starts, so this
 * function runs after all modules have started. */
static zend_result interrupt_started(void)
{
    if (interrupt_next_startup != NULL && interrupt_next_startup() != SUCCESS)
        return FAILURE;
    interrupt_next_ticks = zend_ticks_function;
    zend_ticks_function = interrupt_ticks;
    interrupt_next = zend_interrupt_function;
    if (interrupt_next != NULL)
        zend_interrupt_function = interrupt_engine;
    return SUCCESS;
}

static zif_handler interrupt_hook(const char *name, zif_handler hook)
{
    zend_function *function = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));
    if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION)
        return NULL;
    zif_handler next = function->internal_function.handler;
    function->internal_function.handler = hook;
    return next;
}

void larder_interrupt_startup(void)
{
    interrupt_next_signal = interrupt_hook("pcntl_signal", interrupt_signal);
    interrupt_next_dispatch = interrupt_hook("pcntl_signal_dispatch", interrupt_dispatch);
    if (interrupt_next_signal == NULL)
        return;
    interrupt_next_startup = zend_post_startup_cb;
    zend_post_startup_cb = interrupt_started;
}

bool larder_interrupt_run(void)
{
    if (EXPECTED(!zend_atomic_bool_load(&EG(vm_interrupt))) || EG(exception) != NULL ||
        EG(current_execute_data) == NULL)
        return false;
    zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
    if (zend_atomic_bool_load(&EG(timed_out)))
        zend_timeout();
    else if (zend_interrupt_function != NULL)
        zend_interrupt_function(EG(current_execute_data));
    return true;
}
