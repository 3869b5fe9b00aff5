/* lock.h - lock() and unlock(). */
#ifndef LARDER_API_LOCK_H
#define LARDER_API_LOCK_H

#include "api/stack.h"

/* Reserve a key for the running stack, or end that reservation. Return the codes of lrd_lock()
 * and lrd_unlock(); also LRD_MISS if another stack of this thread, or remember(), has the
 * reservation. */
int larder_lock(lrd_store *store, zend_string *key, uint64_t lease_ms);
int larder_unlock(lrd_store *store, zend_string *key);

/* Note that a request begins: the reservations of the last one have ended. */
static zend_always_inline void larder_lock_request(void)
{
    LARDER_G(main_stack) = larder_stack();
    LARDER_G(locks) = NULL;
    LARDER_G(permits_elsewhere) = 0;
}
void larder_lock_forget(void);
void larder_lock_startup(void) ZEND_COLD;

#endif
