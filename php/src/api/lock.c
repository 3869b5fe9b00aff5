/* lock.c - lock() and unlock(). A lock belongs to the fiber or coroutine that took it, although the
 * core knows only threads. Begin reading at larder_lock().
 *
 * - LARDER_G(locks) has an entry for each lock that a fiber or coroutine took. The address of its
 *   stack identifies the owner. When a lock ends without unlock(), its entry stays without effect.
 * - A new fiber may get the stack of an ended one. So when a fiber ends, we set `stack` to NULL in
 *   the entries of its locks.
 * - We do not notice the end of a Swoole coroutine. So a later coroutine with the same stack may
 *   unlock the lock of an ended one. */
#include "api/lock.h"
#include "api/remember.h"
#include "api/wait.h"

#include "zend_fibers.h"
#include "zend_observer.h"

#include <unistd.h>

typedef struct lock_owner {
    const void *stack; /* NULL after the fiber has ended */
    const zend_fiber_context *fiber;
    uint64_t token;
    larder_term term;
} lock_owner;

larder_term larder_term_of(uint64_t lease_ms)
{
    uint64_t until;
    if (lease_ms == 0 || __builtin_add_overflow(larder_boot_clock(), lease_ms, &until))
        until = UINT64_MAX;
    return (larder_term){.until = until, .process = getpid()};
}

bool larder_term_is_over(const larder_term *term)
{
    return term->process != getpid() || larder_boot_clock() >= term->until;
}

static void lock_owner_free(zval *owner) { efree(Z_PTR_P(owner)); }

/* Return the key of a lock in LARDER_G(locks): the store's address, then the lock's key. */
static zend_string *lock_name(const lrd_store *store, const zend_string *key)
{
    return zend_string_concat2((const char *)&store, sizeof store, ZSTR_VAL(key), ZSTR_LEN(key));
}

static ZEND_COLD void lock_note(const lrd_store *store, const zend_string *key, const void *stack,
                                uint64_t token, uint64_t lease_ms)
{
    lock_owner owner = {.stack = stack,
                        .fiber = EG(current_fiber_context),
                        .token = token,
                        .term = larder_term_of(lease_ms)};
    zend_string *name = lock_name(store, key);
    if (LARDER_G(locks) == NULL) {
        ALLOC_HASHTABLE(LARDER_G(locks));
        zend_hash_init(LARDER_G(locks), 8, NULL, lock_owner_free, false);
    }
    zend_hash_update_mem(LARDER_G(locks), name, &owner, sizeof owner);
    zend_string_release(name);
}

/* Copy a lock's entry in LARDER_G(locks) to *out. Removes the entry if its owner is `stack`, or if
 * `stack` is NULL. Returns false if there is no entry. */
static ZEND_COLD bool lock_take_out(const lrd_store *store, const zend_string *key,
                                    const void *stack, lock_owner *out)
{
    zend_string *name = lock_name(store, key);
    const lock_owner *owner = zend_hash_find_ptr(LARDER_G(locks), name);
    bool found = owner != NULL;
    if (found)
        *out = *owner;
    if (found && (stack == NULL || owner->stack == stack))
        zend_hash_del(LARDER_G(locks), name);
    zend_string_release(name);
    return found;
}

int larder_lock(lrd_store *store, zend_string *key, uint64_t lease_ms)
{
    int rc;
    uint64_t token = 0;
    lock_owner before;
    LARDER_CALL(rc, lrd_lock(store, ZSTR_VAL(key), ZSTR_LEN(key), lease_ms, 0, &token));
    if (rc != LRD_OK)
        return rc;
    const void *stack = larder_stack();
    if (UNEXPECTED(stack != LARDER_G(main_stack)))
        lock_note(store, key, stack, token, lease_ms);
    else if (UNEXPECTED(LARDER_G(locks) != NULL)) /* forget an earlier lock whose lease has ended */
        lock_take_out(store, key, NULL, &before);
    return rc;
}

int larder_unlock(lrd_store *store, zend_string *key)
{
    int rc;
    const void *stack = larder_stack();
    lock_owner owner = {.stack = LARDER_G(main_stack)};
    if (larder_remember_has_reserved(store, key))
        return LRD_MISS;
    if (UNEXPECTED(LARDER_G(locks) != NULL))
        lock_take_out(store, key, stack, &owner);
    if (UNEXPECTED(owner.stack != stack))
        return LRD_MISS;
    LARDER_CALL(rc, lrd_unlock(store, ZSTR_VAL(key), ZSTR_LEN(key), owner.token));
    return rc;
}

bool larder_lock_is_elsewhere(void)
{
    const lock_owner *owner;
    if (EXPECTED(LARDER_G(locks) == NULL))
        return false;
    ZEND_HASH_FOREACH_PTR(LARDER_G(locks), owner)
        if (owner->stack != NULL && !larder_term_is_over(&owner->term))
            return true;
    ZEND_HASH_FOREACH_END();
    return false;
}

/* Forget the stack of a fiber that ends. */
static void lock_fiber_ended(zend_fiber_context *fiber)
{
    lock_owner *owner;
    if (EXPECTED(LARDER_G(locks) == NULL))
        return;
    ZEND_HASH_FOREACH_PTR(LARDER_G(locks), owner)
        if (owner->fiber == fiber) {
            owner->fiber = NULL;
            owner->stack = NULL;
        }
    ZEND_HASH_FOREACH_END();
}

void larder_lock_startup(void) { zend_observer_fiber_destroy_register(lock_fiber_ended); }

void larder_lock_forget(void)
{
    if (EXPECTED(LARDER_G(locks) == NULL))
        return;
    zend_hash_destroy(LARDER_G(locks));
    FREE_HASHTABLE(LARDER_G(locks));
    LARDER_G(locks) = NULL;
}
