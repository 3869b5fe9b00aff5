/* stores.h - opening stores, and what a request may use. */
#ifndef LARDER_STORES_STORES_H
#define LARDER_STORES_STORES_H

#include "stores/partition.h"

/* Return the place of the stores that this request uses. */
larder_place *larder_place_of(larder_kind kind);
void larder_stores_startup(void) ZEND_COLD;
/* The value ABI: a text for everything on which the layout of values in this PHP's stores
 * depends. */
const char *larder_stores_abi(void);
/* Call this when a request begins, before user code runs. The first request of an FPM worker finds
 * its pool's stores, and a layer may load its preloaded entries. */
extern bool larder_stores_unsettled;
void larder_stores_settle(void) ZEND_COLD;
static zend_always_inline void larder_stores_request(void)
{
    if (UNEXPECTED(larder_stores_unsettled))
        larder_stores_settle();
}
/* Return the store of this request, and record that the request uses it; NULL if it is off. */
lrd_store *larder_activate(larder_kind kind) LARDER_HOT;
/* Why that is NULL; "". */
const char *larder_store_reason(larder_kind kind);
/* End every value of this request. */
void larder_deactivate(void) LARDER_HOT;
/* Give back this thread's slots in the stores, which stay mapped, so that an exit does not count as
 * a death. */
void larder_stores_leave(void) ZEND_COLD;
/* All open stores lie between these two addresses; both are 0 if no store is open. The range only
 * grows. */
extern uintptr_t larder_data_from, larder_data_to;
bool larder_contains_there(const void *pointer);
/* True if no store is open, so that no pointer can lie in a store. */
static zend_always_inline bool larder_contains_none(void)
{
    return __atomic_load_n(&larder_data_to, __ATOMIC_RELAXED) == 0;
}
/* True if a pointer lies in the readable data of any store. Called for every compiled file. */
static zend_always_inline bool larder_contains(const void *pointer)
{
    uintptr_t from = __atomic_load_n(&larder_data_from, __ATOMIC_RELAXED);
    return UNEXPECTED((uintptr_t)pointer - from <
                      __atomic_load_n(&larder_data_to, __ATOMIC_RELAXED) - from) &&
           larder_contains_there(pointer);
}
static zend_always_inline lrd_store *larder_store(larder_kind kind)
{
    lrd_store *store = LARDER_G(active)[kind];
    return EXPECTED(store != NULL) ? store : larder_activate(kind);
}

#endif
