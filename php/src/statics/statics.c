/* statics.c - static properties and variables that outlive requests: the order of events. Begin
 * reading at larder_statics_request().
 *
 * - When a class is linked, its statics move into pages whose writes are noticed (attach.c,
 *   barrier.c), and get their stored values (fill.c).
 * - Changes are published at safe points, where the engine calls zend_interrupt_function, and at
 *   the end of the request (publish.c).
 * - The engine reads a static in place, with its own instructions.
 * - Without threads, the engine reports classes and functions to Larder only after an attribute was
 *   compiled (seen.c).
 * - User code never runs while a class is compiled, only after the class's file is compiled.
 * - Larder keeps a reference to the value that it last saw in a static. So before the engine
 *   changes an array or a string, it makes a copy, and the static gets the copy's address. */
#include "statics/statics.h"
#include "statics/internal.h"
#include "statics/seen.h"
#include "stores/settings.h"
#include "zend_extensions.h"
#include "zend_observer.h"

#include <pthread.h>

static zend_op_array *(*statics_next_compile)(zend_file_handle *, int);
static zend_op_array *(*statics_next_compile_string)(zend_string *, const char *,
                                                     zend_compile_position);
static void (*statics_next_interrupt)(zend_execute_data *);

static bool statics_observing; /* true if the engine reports classes and functions to Larder */

/* ---- frames ---- */

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

/* ---- hooks ---- */

static void statics_observe(void)
{
    if (statics_observing)
        return;
    statics_observing = true;
    zend_observer_class_linked_register(larder_statics_class);
    zend_observer_function_declared_register(larder_statics_function);
}

void larder_statics_saw(zend_string *class)
{
    larder_seen_mark(class);
    if (larder_configured.enabled && larder_configured.statics)
        statics_observe();
}

/* Begin to observe once any process has compiled code with an attribute. Opcache may give that code
 * to this process. */
static void statics_catch_up(void)
{
    if (EXPECTED(statics_observing) || !larder_seen_any())
        return;
    statics_observe();
    larder_statics_preloaded();
}

static void statics_compiled(void)
{
    statics_catch_up();
    struct larder_statics *all = LARDER_G(statics);
    if (--LARDER_G(statics_compiling) == 0 && UNEXPECTED(all != NULL) && all->waits)
        larder_statics_fill(all);
}

static LARDER_HOT zend_op_array *statics_compile(zend_file_handle *handle, int type)
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

static void statics_pass_on(void *frame) { statics_next_interrupt(frame); }

static void statics_interrupt(zend_execute_data *frame)
{
    struct larder_statics *all = LARDER_G(statics);
    bool ours = all != NULL && all->barrier.written;
    if (ours)
        larder_statics_safe_point(all);
    if (statics_next_interrupt == NULL || (ours && larder_signals_wait()))
        return;
    if (EG(exception) == NULL)
        larder_signals_call(statics_pass_on, frame);
    /* While an exception is set, signal handlers cannot run, so try again later. EG(vm_interrupt)
     * cannot be used for this: the engine would call this function again immediately. */
    else if (ours)
        larder_alarm_set(&all->alarm, larder_clock_now() + LARDER_STATICS_LATER);
}

/* In a forked child, ask for a safe point, because the child does not inherit alarms. */
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

/* Return true if PHP may run code from a process that does not share `larder_seen`. */
static bool statics_is_code_foreign(void)
{
    const char *files =
        zend_ini_string_ex("opcache.file_cache", sizeof "opcache.file_cache" - 1, 0, NULL);
    if (files != NULL && *files != '\0')
        return true;
    for (zend_llist_element *e = zend_extensions.head; e != NULL; e = e->next)
        if (strcmp(((zend_extension *)(void *)e->data)->name, "Zend OPcache") != 0)
            return true;
    return false;
}

/* Install the hooks, after those of opcache. */
static ZEND_COLD void statics_hook(void)
{
    if (statics_is_code_foreign())
        larder_seen_everything();
    statics_next_compile = zend_compile_file;
    zend_compile_file = statics_compile;
    statics_next_compile_string = zend_compile_string;
    zend_compile_string = statics_compile_string;
}

static void statics_all_started(void)
{
    statics_next_interrupt = zend_interrupt_function;
    zend_interrupt_function = statics_interrupt;
    larder_statics_jit();
}

void larder_statics_startup(void)
{
    larder_statics_attributes();
    if (!larder_configured.enabled || !larder_configured.statics)
        return;
    larder_seen_startup();
#ifdef ZTS
    /* observe now: later, other threads may read the engine's lists of observers */
    statics_observe();
#else
    /* opcache may have code with attributes that we did not record */
    if (php_get_module_initialized()) {
        larder_seen_everything();
        statics_observe();
    }
#endif
    larder_signals_startup(statics_all_started);
    larder_clock_startup(statics_forked);
}

/* ---- requests ---- */

void larder_statics_request(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ZEND_TLS bool hooked;
    LARDER_G(statics_on) = larder_configured.enabled && larder_configured.statics;
    LARDER_G(statics_compiling) = 0;
    if (!LARDER_G(statics_on))
        return;
    if (UNEXPECTED(!hooked)) {
        pthread_once(&once, statics_hook);
        hooked = true;
    }
    if (larder_statics_opcache)
        larder_statics_opcache_request();
    if (!larder_seen_any())
        return;
    statics_observe();
    if (!__atomic_load_n(&larder_statics_none_preloaded, __ATOMIC_RELAXED))
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
    larder_signals_end_request();
    if (all == NULL)
        return;
    zend_hash_clean(&all->classes);
    if (all->first == NULL)
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
    zend_hash_destroy(&all->classes);
    free(all);
}
