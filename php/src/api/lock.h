/* lock.h - lock() and unlock(), and what a thread must know before it waits for a key that others
 * have reserved. */
#ifndef LARDER_API_LOCK_H
#define LARDER_API_LOCK_H

#include "api/stack.h"

/* Reserve a key for the stack that runs, or end that reservation. Results as of lrd_lock() and
 * lrd_unlock(); LRD_MISS too, where another stack of this thread or remember() has reserved the
 * key. */
int larder_lock(lrd_store *store, zend_string *key, uint64_t lease_ms);
int larder_unlock(lrd_store *store, zend_string *key);

/* True if another thread waits for a key that this thread has reserved in any store of this
 * request. Then this thread must not wait for another computation, which may wait for its own. */
bool larder_lock_wanted(void);

/* A request begins; its values have ended. */
static zend_always_inline void larder_lock_request(void)
{
    LARDER_G(main_stack) = larder_stack();
    LARDER_G(locks) = NULL;
    LARDER_G(permits_elsewhere) = 0;
}
void larder_lock_forget(void);

#endif
