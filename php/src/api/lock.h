/* lock.h - lock() and unlock(). */
#ifndef LARDER_API_LOCK_H
#define LARDER_API_LOCK_H

#include "api/stack.h"

/* Lock or unlock a key for the running stack (larder_stack()). Both return the result of the core's
 * call. larder_unlock() also returns LRD_MISS if another stack or a call of remember() has locked
 * the key. */
int larder_lock(lrd_store *store, zend_string *key, uint64_t lease_ms);
int larder_unlock(lrd_store *store, zend_string *key);
/* Return true if a fiber or coroutine has a lock that it can still unlock. */
bool larder_lock_is_elsewhere(void);

/* The time until which a lock or a permit lasts. In a forked child, this time is over, because the
 * child does not inherit locks and permits. */
typedef struct larder_term {
    uint64_t until; /* a time of larder_boot_clock(), or UINT64_MAX if there is no lease */
    pid_t process;
} larder_term;
larder_term larder_term_of(uint64_t lease_ms);
bool larder_term_is_over(const larder_term *term);

/* Call this when a request begins. Forgets the locks of the previous request, which have ended with
 * it. */
static zend_always_inline void larder_lock_request(void)
{
    LARDER_G(main_stack) = larder_stack();
    LARDER_G(locks) = NULL;
    LARDER_G(permits_elsewhere) = NULL;
}
/* Forget the locks of fibers and coroutines. */
void larder_lock_forget(void);
void larder_lock_startup(void) ZEND_COLD;

#endif
