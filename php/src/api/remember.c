/* remember.c - remember(): returns the value of an entry. If there is none, one process computes
 * it, under a lock of the key (lrd_lock()), while the others wait. Begin reading at
 * larder_remember_run().
 *
 * - If another thread waits for a key of this thread (larder_lock_wanted()), a call computes the
 *   value instead of waiting: the two threads might wait for each other for ever.
 * - A call that sleeps stops all fibers and coroutines of its thread. So it does not sleep while
 *   one of them computes a value.
 * - With larder_pause(), a call can wait for another fiber of its thread. All such waits must be
 *   for the same key: with two keys, two computations could wait for each other. */
#include "api/remember.h"
#include "api/arguments.h"
#include "api/interrupt.h"
#include "api/stack.h"
#include "api/wait.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "stores/stores.h"
#include "zend_exceptions.h"

/* time (ms) after which a call stops waiting, and computes the value itself */
#define REMEMBER_WAIT_MS 10000u
/* time (ms) between two checks of the clock, of signals and of the entry */
#define REMEMBER_STEP_MS 100u

/* A call that is running its callback, or waiting in the function of Larder\waitWith(). The calls
 * are on the heap, because fibers end in any order, and a fatal error abandons the stacks of
 * fibers. */
struct larder_remember {
    struct larder_remember *older, *newer;
    /* the stack that runs the call (larder_stack()) */
    const void *stack;
    zend_string *lock;
    lrd_store *store;
    bool reserved; /* this call has locked the key */
    bool unclean;  /* CG(unclean_shutdown) when the call began */
    bool is_waiting;
    /* the call waits for another fiber or coroutine of this thread */
    bool is_waiting_here;
};

typedef enum remember_running {
    REMEMBER_NOWHERE,
    /* on the running stack: the callback has called remember() for its own key */
    REMEMBER_HERE,
    /* on another stack, so the callback can end only after the running stack suspends */
    REMEMBER_ELSEWHERE
} remember_running;

/* Return true if `frame` is a running call for this lock. A fatal error leaves frames of calls that
 * have ended. It also changes CG(unclean_shutdown), so such a frame has another value in
 * `unclean`. */
static bool remember_is_of(const struct larder_remember *frame, const lrd_store *store,
                           const zend_string *lock)
{
    return frame->store == store && frame->unclean == CG(unclean_shutdown) &&
           zend_string_equals(frame->lock, lock);
}

bool larder_remember_has_reserved(const lrd_store *store, const zend_string *lock)
{
    for (const struct larder_remember *frame = LARDER_G(remember); frame != NULL;
         frame = frame->older)
        if (frame->reserved && remember_is_of(frame, store, lock))
            return true;
    return false;
}

static remember_running remember_find_running(const larder_remember_call *call)
{
    const void *stack = larder_stack();
    remember_running running = REMEMBER_NOWHERE;
    for (const struct larder_remember *frame = LARDER_G(remember); frame != NULL;
         frame = frame->older) {
        if (frame->is_waiting || !remember_is_of(frame, call->store, call->lock))
            continue;
        if (frame->stack == stack)
            return REMEMBER_HERE;
        running = REMEMBER_ELSEWHERE;
    }
    return running;
}

static bool remember_others_compute(void)
{
    const void *stack = larder_stack();
    for (const struct larder_remember *frame = LARDER_G(remember); frame != NULL;
         frame = frame->older)
        if (!frame->is_waiting && frame->stack != stack && frame->unclean == CG(unclean_shutdown))
            return true;
    return false;
}

/* Return true if this call may wait, because no deadlock of two computations is possible. */
static bool remember_may_wait(const larder_remember_call *call, remember_running running)
{
    if (!larder_wait_is_loop())
        return running == REMEMBER_NOWHERE && !remember_others_compute() && !larder_lock_wanted();
    for (const struct larder_remember *frame = LARDER_G(remember);
         frame != NULL && running == REMEMBER_ELSEWHERE; frame = frame->older)
        if (frame->is_waiting_here && !remember_is_of(frame, call->store, call->lock))
            return false;
    return !larder_lock_wanted();
}

/* Add a frame for this call. memory_limit may end the request here. */
static struct larder_remember *remember_enter(const larder_remember_call *call, bool reserved)
{
    struct larder_remember *frame = emalloc(sizeof *frame);
    *frame = (struct larder_remember){.older = LARDER_G(remember),
                                      .stack = larder_stack(),
                                      .lock = zend_string_copy(call->lock),
                                      .store = call->store,
                                      .reserved = reserved,
                                      .unclean = CG(unclean_shutdown)};
    if (frame->older != NULL)
        frame->older->newer = frame;
    LARDER_G(remember) = frame;
    return frame;
}

static void remember_leave(struct larder_remember *frame)
{
    if (frame->older != NULL)
        frame->older->newer = frame->newer;
    *(frame->newer != NULL ? &frame->newer->older : &LARDER_G(remember)) = frame->older;
    zend_string_release(frame->lock);
    efree(frame);
}

/* Return true if one process should compute the value again. */
static bool remember_is_stale(const larder_remember_call *call, const lrd_value *value)
{
    lrd_entry entry;
    return call->stale_ms != 0 && lrd_value_entry(call->store, value, &entry) == LRD_OK &&
           entry.ttl_ms != 0 && entry.ttl_ms <= call->stale_ms;
}

static bool remember_find(const larder_remember_call *call, zval *result, bool *stale)
{
    lrd_value value;
    *stale = false;
    if (larder_lookup(call->store, call->key, &value) != LRD_OK)
        return false;
    *stale = remember_is_stale(call, &value);
    return larder_take(call->store, &value, result);
}

/* Look up the value without counting a hit or a miss. Returns false if there is no entry, or, with
 * `fresh`, if the entry is stale. */
static bool remember_find_again(const larder_remember_call *call, bool fresh, zval *result)
{
    lrd_value value;
    int rc = larder_lookup_again(call->store, call->key, &value);
    if (rc == LRD_OK && fresh && remember_is_stale(call, &value)) {
        larder_take_end(call->store, &value);
        return false;
    }
    return rc == LRD_OK && larder_take_again(call->store, &value, result);
}

static void remember_compute(larder_remember_call *call, bool reserved, zval *result)
{
    static const larder_blame blame = {.argument = 0, .root = "$value"};
    struct larder_remember *frame = remember_enter(call, reserved);
    call->computed = true;
    call->callback.retval = result;
    ZVAL_UNDEF(result);
    bool called = zend_call_function(&call->callback, &call->cache) == SUCCESS;
    remember_leave(frame);
    if (!called || EG(exception) || Z_TYPE_P(result) == IS_UNDEF)
        return;
    if (Z_ISREF_P(result))
        zend_unwrap_reference(result);
    if (call->store == NULL)
        return;
    /* if the store has no room or the shard is busy, the caller still gets the value */
    larder_target to = {.store = call->store,
                        .key = call->key,
                        .ttl_ms = call->ttl_ms == 0 ? 0 : call->ttl_ms + call->stale_ms,
                        .mode = LRD_SET,
                        .form = call->form};
    larder_put(&to, result, &blame);
}

/* Wait in the program's function (Larder\waitWith()), if there is one. Returns false if the thread
 * did not wait. In this case, the caller must sleep. */
static bool remember_pause(const larder_remember_call *call, remember_running running,
                           uint32_t *pause_ms, uint64_t left_ms)
{
    if (!larder_wait_is_loop())
        return false;
    struct larder_remember *frame = remember_enter(call, false);
    frame->is_waiting = true;
    frame->is_waiting_here = running == REMEMBER_ELSEWHERE;
    bool has_waited = larder_pause(pause_ms, left_ms);
    remember_leave(frame);
    return has_waited;
}

/* Lock the key, or wait up to REMEMBER_WAIT_MS for the value. Returns LRD_OK if the key is locked,
 * LRD_EXISTS if `*result` has the value. After any other result without an exception, the caller
 * computes the value without the lock. */
static int remember_reserve(const larder_remember_call *call, zval *result, uint64_t *token)
{
    uint64_t step = 0, until = 0;
    uint32_t pause_ms = 0;
    for (;;) {
        int rc, unlocked;
        LARDER_CALL(
            rc, lrd_lock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), 0, step, token));
        /* LRD_EDEADLK: this thread has locked the key already, in another fiber or with lock(). */
        remember_running running = rc == LRD_OK ? REMEMBER_NOWHERE : remember_find_running(call);
        if (rc != LRD_OK && rc != LRD_HELD && running != REMEMBER_ELSEWHERE)
            return rc;
        /* the previous owner of the lock may have stored the entry */
        bool found = remember_find_again(call, false, result);
        if (rc == LRD_OK && (found || EG(exception)))
            LARDER_CALL(unlocked, lrd_unlock(call->store, ZSTR_VAL(call->lock),
                                             ZSTR_LEN(call->lock), *token));
        (void)unlocked;
        if (found)
            return LRD_EXISTS;
        if (rc == LRD_OK || EG(exception) || !remember_may_wait(call, running))
            return rc;
        uint64_t now = larder_wait_clock();
        if (until == 0)
            until = now + REMEMBER_WAIT_MS;
        if (now >= until)
            return rc;
        larder_interrupt_run();
        if (EG(exception))
            return rc;
        step = 0;
        if (!remember_pause(call, running, &pause_ms, until - now)) {
            if (EG(exception) || running == REMEMBER_ELSEWHERE || remember_others_compute())
                return rc;
            step = MIN(until - now, REMEMBER_STEP_MS);
        }
    }
}

/* Lock the key of a stale entry, without waiting. Returns LRD_OK if the caller must compute a new
 * value, or LRD_EXISTS if *result has a new value already. After any other result, another process
 * computes the value. */
static int remember_reserve_stale(const larder_remember_call *call, zval *result, uint64_t *token)
{
    int rc, unlocked;
    LARDER_CALL(rc, lrd_lock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), 0, 0, token));
    if (rc != LRD_OK)
        return rc;
    /* the previous owner of the lock may have stored a value */
    bool found = remember_find_again(call, true, result);
    if (!found)
        ZVAL_NULL(result);
    if (!found && !EG(exception))
        return LRD_OK;
    LARDER_CALL(unlocked,
                lrd_unlock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), *token));
    (void)unlocked;
    return LRD_EXISTS;
}

void larder_remember_run(larder_remember_call *call, zval *result)
{
    bool is_stale;
    uint64_t token = 0;
    if (call->store == NULL) {
        remember_compute(call, false, result);
        return;
    }
    bool found = remember_find(call, result, &is_stale);
    if ((found && !is_stale) || EG(exception))
        return;
    remember_running running = remember_find_running(call);
    if (running != REMEMBER_NOWHERE && found)
        return; /* return the stale value */
    if (running == REMEMBER_HERE) {
        larder_throw_about_key("remember() of key", call->label, "was called by its own $compute",
                               NULL);
        return;
    }
    zval stored;
    ZVAL_NULL(&stored);
    int rc = found ? remember_reserve_stale(call, &stored, &token)
                   : remember_reserve(call, &stored, &token);
    if (found && rc != LRD_OK && rc != LRD_EXISTS)
        return; /* another process computes a new value */
    if (!found && rc != LRD_EXISTS && EG(exception))
        return;
    if (found)
        zval_ptr_dtor(result);
    if (rc == LRD_EXISTS) {
        ZVAL_COPY_VALUE(result, &stored);
        return;
    }
    remember_compute(call, rc == LRD_OK, result);
    if (rc == LRD_OK)
        LARDER_CALL(rc, lrd_unlock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), token));
    if (EG(exception)) {
        zval_ptr_dtor(result);
        ZVAL_NULL(result);
    }
}

void larder_remember(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS)
{
    larder_remember_call call = {0};
    zend_string *name = NULL;
    zval *ttl = NULL, *stale = NULL;
    ZEND_PARSE_PARAMETERS_START(2, kind == LARDER_VOLATILE ? 5 : 2)
        Z_PARAM_STR(call.key)
        Z_PARAM_FUNC(call.callback, call.cache)
        Z_PARAM_OPTIONAL
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
            Z_PARAM_NUMBER(stale)
            Z_PARAM_STR_OR_NULL(name)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(call.key, 1) || !larder_milliseconds(ttl, 3, &call.ttl_ms) ||
        !larder_milliseconds(stale, 4, &call.stale_ms) || !larder_form_check(name, 5, &call.form))
        RETURN_THROWS();
    call.store = larder_store(kind);
    call.lock = call.label = call.key;
    larder_remember_run(&call, return_value);
}
