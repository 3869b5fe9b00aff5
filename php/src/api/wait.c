/* wait.c - how a thread waits for other processes: it sleeps in the core, or calls the program's
 * function (Larder\waitWith()), which lets other fibers or coroutines run. Begin reading at
 * larder_wait_goes_on().
 *
 * - The function may suspend its fiber, throw, or install another function, so larder_pause() holds
 *   a reference to the closure.
 * - While the engine does not allow a switch of fibers, the thread sleeps in the core.
 * - If the function itself waits for another process, the thread sleeps in the core.
 *   LARDER_G(pausing) lists the stacks on which the function runs. The list is on the heap, because
 *   a fatal error abandons the stacks. */
#include "api/wait.h"
#include "api/stack.h"
#include "zend_fibers.h"

#define PAUSE_MAX_MS 20u

/* A running call of the function that the program has passed to waitWith(). */
struct larder_pausing {
    struct larder_pausing *older, *newer;
    const void *stack; /* larder_stack() */
    bool unclean;      /* CG(unclean_shutdown) when the call began */
};

static uint64_t wait_clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t larder_wait_clock(void) { return wait_clock_of(CLOCK_MONOTONIC); }

uint64_t larder_boot_clock(void) { return wait_clock_of(CLOCK_BOOTTIME); }

void larder_busy_pause(void)
{
    struct timespec pause = {0, LRD_LOCK_WAIT_MS * 1000000L};
    nanosleep(&pause, NULL);
}

static bool pause_is_within(void)
{
    const void *stack = larder_stack();
    for (const struct larder_pausing *each = LARDER_G(pausing); each != NULL; each = each->older)
        if (each->stack == stack && each->unclean == CG(unclean_shutdown))
            return true;
    return false;
}

static struct larder_pausing *pause_enter(void)
{
    struct larder_pausing *each = emalloc(sizeof *each);
    *each = (struct larder_pausing){
        .older = LARDER_G(pausing), .stack = larder_stack(), .unclean = CG(unclean_shutdown)};
    if (each->older != NULL)
        each->older->newer = each;
    LARDER_G(pausing) = each;
    return each;
}

static void pause_leave(struct larder_pausing *each)
{
    if (each->older != NULL)
        each->older->newer = each->newer;
    *(each->newer != NULL ? &each->newer->older : &LARDER_G(pausing)) = each->older;
    efree(each);
}

bool larder_pause(uint32_t *pause_ms, uint64_t left_ms)
{
    zval callable, seconds, result;
    if (zend_fiber_switch_blocked() || pause_is_within())
        return false;
    *pause_ms = *pause_ms == 0 ? 1 : MIN(2 * *pause_ms, PAUSE_MAX_MS);
    ZVAL_COPY(&callable, LARDER_G(waiter));
    ZVAL_DOUBLE(&seconds, (double)MIN(*pause_ms, left_ms) / 1000);
    ZVAL_UNDEF(&result);
    struct larder_pausing *each = pause_enter();
    bool called = call_user_function(NULL, NULL, &callable, &result, 1, &seconds) == SUCCESS;
    pause_leave(each);
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
    if (EG(exception))
        return false;
    if (now >= wait->until) {
        wait->is_last = true;
        wait->sleep_ms = 0;
    } else if (!larder_wait_is_loop() || !larder_pause(&wait->pause_ms, wait->until - now)) {
        wait->is_last = true;
        wait->sleep_ms = wait->until - now;
    }
    return !EG(exception);
}

/* Install the program's function for waiting. Destroy the old function last, because this may run
 * user code that calls waitWith(). */
static void wait_set(zval *waiter)
{
    zval *before = LARDER_G(waiter);
    LARDER_G(waiter) = waiter;
    if (before == NULL)
        return;
    zval_ptr_dtor(before);
    efree(before);
}

void larder_wait_forget(void) { wait_set(NULL); }

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
    LARDER_G(used) = true;
    wait_set(waiter);
}

bool larder_lock_wanted(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        bool wanted = false;
        if (LARDER_G(active)[kind] != NULL)
            LARDER_CALL(wanted, lrd_lock_wanted(LARDER_G(active)[kind]));
        if (wanted)
            return true;
    }
    return false;
}
