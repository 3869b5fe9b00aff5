/* statics.c - static state that outlives requests: when what happens. Nothing is hooked into the virtual machine: a class
 * that is linked has its slots moved into pages whose writes are noticed (attach.c, barrier.c), the values come from
 * the store (fill.c), and safe points, and the end of the request, publish what has changed (publish.c).
 *
 * Rules
 * - A slot is read by the engine where it lies, with the engine's own instructions. Classes without an attribute cost a
 *   call that looks at two fields.
 * - User code runs where it may: never while a class is compiled, but then at the end of the file.
 * - The value that a slot had when it was last looked at is held, so that a change of an array or a string has to write to
 *   the slot.
 * - The store has what was published, whatever happens to the process. */
#include "statics/statics.h"
#include "statics/internal.h"
#include "stores/settings.h"
#include "zend_observer.h"

#include <pthread.h>

static zend_op_array *(*statics_next_compile)(zend_file_handle *, int);
static zend_op_array *(*statics_next_compile_string)(zend_string *, const char *,
                                                     zend_compile_position);
static void (*statics_next_interrupt)(zend_execute_data *);

/* ---- frames ---------------------------------------------------------------------------------------------- */

void larder_frame_push(larder_frame *frame)
{
    frame->pushed = EG(current_execute_data) == NULL;
    if (!frame->pushed)
        return;
    memset(&frame->frame, 0, sizeof frame->frame);
    frame->frame.func = (zend_function *)&zend_pass_function;
    EG(current_execute_data) = &frame->frame;
}

void larder_frame_pop(larder_frame *frame)
{
    if (frame->pushed)
        EG(current_execute_data) = NULL;
}

/* ---- hooks ----------------------------------------------------------------------------------------------- */

static void statics_compiled(void)
{
    struct larder_statics *all = LARDER_G(statics);
    if (--LARDER_G(statics_compiling) == 0 && UNEXPECTED(all != NULL) && all->waits)
        larder_statics_fill(all);
}

static zend_op_array *statics_compile(zend_file_handle *handle, int type)
{
    LARDER_G(statics_compiling)++;
    zend_op_array *code = statics_next_compile(handle, type);
    statics_compiled();
    return code;
}

static zend_op_array *statics_compile_string(zend_string *source, const char *name,
                                             zend_compile_position position)
{
    LARDER_G(statics_compiling)++;
    zend_op_array *code = statics_next_compile_string(source, name, position);
    statics_compiled();
    return code;
}

static void statics_interrupt(zend_execute_data *frame)
{
    struct larder_statics *all = LARDER_G(statics);
    if (all != NULL && all->barrier.written)
        larder_statics_safe_point(all);
    if (statics_next_interrupt != NULL)
        statics_next_interrupt(frame);
}

/* In a forked child: its alarm is gone, so look at what waits at the next safe point. */
static void statics_forked(void)
{
#ifdef ZTS
    if (!TSRMLS_CACHE)
        return;
#endif
    struct larder_statics *all = LARDER_G(statics);
    if (all == NULL || all->first == NULL)
        return;
    all->barrier.written = 1;
    zend_atomic_bool_store_ex(all->barrier.interrupt, true);
}

/* After opcache has put its own in. */
static void statics_hook(void)
{
    statics_next_compile = zend_compile_file;
    zend_compile_file = statics_compile;
    statics_next_compile_string = zend_compile_string;
    zend_compile_string = statics_compile_string;
}

void larder_statics_startup(void)
{
    larder_statics_attributes();
    if (!larder_configured.enabled || !larder_configured.statics)
        return;
    zend_observer_class_linked_register(larder_statics_class);
    zend_observer_function_declared_register(larder_statics_function);
    statics_next_interrupt = zend_interrupt_function;
    zend_interrupt_function = statics_interrupt;
    larder_clock_startup(statics_forked);
}

/* ---- requests -------------------------------------------------------------------------------------------- */

void larder_statics_request(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    LARDER_G(statics_on) = larder_configured.enabled && larder_configured.statics;
    LARDER_G(statics_compiling) = 0;
    if (!LARDER_G(statics_on))
        return;
    pthread_once(&once, statics_hook);
    if (larder_statics_opcache)
        larder_statics_opcache_request();
    larder_statics_preloaded();
}

void larder_statics_end_request(void)
{
    struct larder_statics *all = LARDER_G(statics);
    if (all != NULL && all->first != NULL)
        larder_statics_finish(all);
}

void larder_statics_forget(void)
{
    struct larder_statics *all = LARDER_G(statics);
    LARDER_G(statics_on) = false;
    if (all == NULL || all->first == NULL)
        return;
    larder_alarm_stop(&all->alarm);
    for (larder_static *s = all->first, *next; s != NULL; s = next) {
        next = s->next;
        zend_string_release(s->label);
        zend_string_release(s->key);
        efree(s);
    }
    all->first = NULL;
    all->last = &all->first;
    all->waits = all->busy = all->flush = all->late = false;
    larder_barrier_empty(&all->barrier);
}

void larder_statics_end(struct larder_statics *all)
{
    if (all == NULL)
        return;
    larder_alarm_stop(&all->alarm);
    larder_barrier_end(&all->barrier);
    free(all);
}
