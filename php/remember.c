/* remember.c - compute once: the entry, or what a callback returns, which one process computes while
 * the others wait. No core lock is held while the callback runs, only the key's reservation, which
 * ends with unlock, exception, request or process. Read larder_remember() first. */
#include "fetch.h"
#include "zend_exceptions.h"

#define REMEMBER_WAIT_MS 10000u /* then a loser computes for itself */
#define REMEMBER_STEP_MS 100u   /* between looks at the clock, signals and the entry */

/* A call that is running; on the C stack. */
struct larder_remember {
    struct larder_remember *outer;
    zend_string *lock;
    lrd_store *store;
};

static bool remember_is_running(const larder_remember_call *call)
{
    for (const struct larder_remember *frame = LARDER_G(remember); frame != NULL;
         frame = frame->outer)
        if (frame->store == call->store && zend_string_equals(frame->lock, call->lock))
            return true;
    return false;
}

/* The entry, if it is there. *stale: it should be computed anew, by somebody. */
static bool remember_find(const larder_remember_call *call, zval *result, bool *stale)
{
    lrd_value value;
    *stale = false;
    if (larder_lookup(call->store, call->key, &value) != LRD_OK)
        return false;
    if (call->stale_ms != 0) {
        lrd_entry entry;
        *stale = lrd_value_entry(call->store, &value, &entry) == LRD_OK && entry.ttl_ms != 0 &&
                 entry.ttl_ms <= call->stale_ms;
    }
    return larder_take(call->store, &value, result);
}

/* Look once more for what was not there: the call was counted as a miss. */
static bool remember_find_again(const larder_remember_call *call, zval *result)
{
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_get(call->store, ZSTR_VAL(call->key), ZSTR_LEN(call->key),
                            LRD_GET_NO_COPY | LRD_GET_PLAIN | LRD_GET_NO_COUNT, &value));
    return rc == LRD_OK && larder_take_again(call->store, &value, result);
}

static void remember_compute(larder_remember_call *call, zval *result)
{
    static const larder_blame blame = {.argument = 0, .root = "$value"};
    struct larder_remember frame = {
        .outer = LARDER_G(remember), .lock = call->lock, .store = call->store};
    call->computed = true;
    LARDER_G(remember) = &frame;
    call->callback.retval = result;
    ZVAL_UNDEF(result);
    bool called = zend_call_function(&call->callback, &call->cache) == SUCCESS;
    LARDER_G(remember) = frame.outer;
    if (!called || EG(exception) || Z_TYPE_P(result) == IS_UNDEF)
        return;
    if (Z_ISREF_P(result))
        zend_unwrap_reference(result);
    if (call->store == NULL)
        return;
    /* No room, or busy: the caller gets the value all the same. */
    uint64_t life_ms = call->ttl_ms == 0 ? 0 : call->ttl_ms + call->stale_ms;
    larder_put(call->store, call->key, result, life_ms, LRD_SET, &blame);
}

/* Reserve the key, waiting up to REMEMBER_WAIT_MS while nobody has stored the entry. LRD_OK: ours;
 * LRD_EXISTS: *result has the entry; others: compute without a reservation. */
static int remember_reserve(const larder_remember_call *call, zval *result, uint64_t *token)
{
    for (unsigned waited = 0; waited < REMEMBER_WAIT_MS; waited += REMEMBER_STEP_MS) {
        int rc, unlocked;
        LARDER_CALL(rc, lrd_lock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), 0,
                                 waited == 0 ? 0 : REMEMBER_STEP_MS, token));
        if (rc != LRD_OK && rc != LRD_HELD)
            return rc;
        /* Whoever had the reservation may have stored the entry since we looked. */
        bool found = remember_find_again(call, result);
        if (rc == LRD_OK && (found || EG(exception)))
            LARDER_CALL(unlocked, lrd_unlock(call->store, ZSTR_VAL(call->lock),
                                             ZSTR_LEN(call->lock), *token));
        (void)unlocked;
        if (found)
            return LRD_EXISTS;
        if (rc == LRD_OK || EG(exception))
            return rc;
    }
    return LRD_HELD;
}

void larder_remember_run(larder_remember_call *call, zval *result)
{
    bool is_stale;
    uint64_t token = 0;
    if (call->store == NULL) {
        remember_compute(call, result);
        return;
    }
    bool found = remember_find(call, result, &is_stale);
    if ((found && !is_stale) || EG(exception))
        return;
    if (remember_is_running(call)) {
        if (found)
            return; /* the stale value will do */
        zend_throw_exception_ex(larder_exception_class, 0,
                                "remember() of key \"%s\" was called by its own $compute",
                                ZSTR_VAL(call->label));
        return;
    }
    zval stored;
    ZVAL_NULL(&stored);
    int rc;
    if (found) { /* stale: whoever gets the reservation computes, the others do not wait */
        LARDER_CALL(
            rc, lrd_lock(call->store, ZSTR_VAL(call->lock), ZSTR_LEN(call->lock), 0, 0, &token));
        if (rc != LRD_OK)
            return;
        zval_ptr_dtor(result);
    } else {
        rc = remember_reserve(call, &stored, &token);
        if (rc == LRD_EXISTS) {
            ZVAL_COPY_VALUE(result, &stored);
            return;
        }
        if (EG(exception))
            return;
    }
    remember_compute(call, result);
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
    zval *ttl = NULL, *stale = NULL;
    ZEND_PARSE_PARAMETERS_START(2, kind == LARDER_VOLATILE ? 4 : 2)
        Z_PARAM_STR(call.key)
        Z_PARAM_FUNC(call.callback, call.cache)
        Z_PARAM_OPTIONAL
        if (kind == LARDER_VOLATILE) {
            Z_PARAM_NUMBER(ttl)
            Z_PARAM_NUMBER(stale)
        }
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_key_check(call.key, 1) || !larder_milliseconds(ttl, 3, &call.ttl_ms) ||
        !larder_milliseconds(stale, 4, &call.stale_ms))
        RETURN_THROWS();
    call.store = larder_store(kind);
    call.lock = call.label = call.key;
    larder_remember_run(&call, return_value);
}
