/* embed_coroutines.c - a program with coroutines like those of Swoole: each has its own PHP stack,
 * and EG(active_fiber) is NULL. The script calls resume(Closure) to start or continue a closure,
 * which runs until it calls pause() or ends.
 *   embed_coroutines MODULE SCRIPT      MODULE: the path of larder.so; fails unless the script
 *                                       returns true
 * Begin reading at coroutine_main(). */
#include "php.h"
#include "php_embed.h"
#include "php_main.h"

#include <stdlib.h>
#include <ucontext.h>

#define COROUTINES 16
#define STACK_BYTES ((size_t)256 << 10)

/* The state that Swoole saves and restores (PHPCoroutine::save_vm_stack()). */
typedef struct php_state {
    JMP_BUF *bailout;
    zend_vm_stack stack;
    zval *top, *end;
    size_t page_size;
    zend_execute_data *execute_data;
} php_state;

typedef struct coroutine {
    ucontext_t here, resumer;
    php_state own, resumers;
    zval closure; /* IS_UNDEF: free */
    void *memory;
    bool ended;
} coroutine;

static coroutine coroutines[COROUTINES];
static coroutine *running;

static void state_save(php_state *state)
{
    *state = (php_state){EG(bailout),      EG(vm_stack),           EG(vm_stack_top),
                         EG(vm_stack_end), EG(vm_stack_page_size), EG(current_execute_data)};
}

static void state_restore(const php_state *state)
{
    EG(bailout) = state->bailout;
    EG(vm_stack) = state->stack;
    EG(vm_stack_top) = state->top;
    EG(vm_stack_end) = state->end;
    EG(vm_stack_page_size) = state->page_size;
    EG(current_execute_data) = state->execute_data;
}

static void coroutine_main(void)
{
    static const zend_internal_function function = {.type = ZEND_INTERNAL_FUNCTION};
    coroutine *self = running;
    zval result;
    EG(vm_stack) = zend_vm_stack_new_page(ZEND_CALL_FRAME_SLOT * sizeof(zval) + 8192, NULL);
    EG(vm_stack_page_size) = 8192;
    EG(vm_stack_top) = EG(vm_stack)->top + ZEND_CALL_FRAME_SLOT;
    EG(vm_stack_end) = EG(vm_stack)->end;
    EG(current_execute_data) = (zend_execute_data *)EG(vm_stack_top);
    memset(EG(current_execute_data), 0, sizeof(zend_execute_data));
    EG(current_execute_data)->func = (zend_function *)(uintptr_t)&function;
    EG(vm_stack_top) += ZEND_CALL_FRAME_SLOT;
    ZVAL_UNDEF(&result);
    call_user_function(NULL, NULL, &self->closure, &result, 0, NULL);
    zval_ptr_dtor(&result);
    zend_vm_stack_destroy();
    self->ended = true;
    swapcontext(&self->here, &self->resumer);
}

/* Prepare a coroutine. It begins to run in coroutine_main() when it is resumed for the first
 * time. */
static void coroutine_begin(coroutine *self, zval *closure)
{
    self->memory = malloc(STACK_BYTES);
    if (self->memory == NULL)
        abort();
    ZVAL_COPY(&self->closure, closure);
    self->ended = false;
    getcontext(&self->here);
    self->here.uc_stack.ss_sp = self->memory;
    self->here.uc_stack.ss_size = STACK_BYTES;
    makecontext(&self->here, coroutine_main, 0);
    state_save(&self->own);
}

static coroutine *coroutine_of(zval *closure)
{
    coroutine *unused = NULL;
    for (int i = 0; i < COROUTINES; i++) {
        if (Z_TYPE(coroutines[i].closure) == IS_UNDEF)
            unused = coroutines + i;
        else if (Z_OBJ(coroutines[i].closure) == Z_OBJ_P(closure))
            return coroutines + i;
    }
    if (unused == NULL)
        abort();
    coroutine_begin(unused, closure);
    return unused;
}

/* Run a coroutine until it calls pause() or ends. Returns true if it has called pause(). */
static ZEND_FUNCTION(resume)
{
    zval *closure;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_OBJECT(closure)
    ZEND_PARSE_PARAMETERS_END();
    coroutine *self = coroutine_of(closure), *before = running;
    state_save(&self->resumers);
    state_restore(&self->own);
    running = self;
    swapcontext(&self->resumer, &self->here);
    running = before;
    state_restore(&self->resumers);
    RETVAL_BOOL(!self->ended);
    if (self->ended) {
        free(self->memory);
        zval_ptr_dtor(&self->closure);
        ZVAL_UNDEF(&self->closure);
    }
}

static ZEND_FUNCTION(pause)
{
    ZEND_PARSE_PARAMETERS_NONE();
    coroutine *self = running;
    state_save(&self->own);
    swapcontext(&self->here, &self->resumer);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_resume, 0, 0, 1)
ZEND_ARG_INFO(0, coroutine)
ZEND_END_ARG_INFO
() ZEND_BEGIN_ARG_INFO_EX(arginfo_pause, 0, 0, 0)
ZEND_END_ARG_INFO
()

    static const zend_function_entry functions[] = {ZEND_FE(resume, arginfo_resume)
                                                        ZEND_FE(pause, arginfo_pause) ZEND_FE_END};

int main(int argc, char **argv)
{
    char ini[4096], script[4096];
    volatile int status = 1;
    if (argc != 3)
        return 2;
    snprintf(ini, sizeof ini, "extension=%s\nlarder.sapi_optin=embed\ndisplay_errors=1\n", argv[1]);
    snprintf(script, sizeof script, "require '%s'", argv[2]);
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.php_ini_ignore = 1;
    php_embed_module.additional_functions = functions;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = ini;
    if (php_embed_module.startup(&php_embed_module) == FAILURE || php_request_startup() == FAILURE)
        return 2;
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
    zend_first_try
    {
        zval result;
        ZVAL_FALSE(&result);
        if (zend_eval_string_ex(script, &result, "host", true) == SUCCESS && zend_is_true(&result))
            status = 0;
    }
    zend_end_try();
    php_request_shutdown(NULL);
    php_module_shutdown();
    sapi_shutdown();
    tsrm_shutdown();
    return status;
}
