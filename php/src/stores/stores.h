/* stores.h - opening stores, and what a request may use. */
#ifndef LARDER_STORES_STORES_H
#define LARDER_STORES_STORES_H

#include "stores/partition.h"

/* The place of the stores that this request uses. */
larder_place *larder_place_of(larder_kind kind);
void larder_stores_startup(void) ZEND_COLD;
/* The value ABI: all that the layout of values in this PHP's stores depends on. */
const char *larder_stores_abi(void);
/* When a request begins, before user code runs: an FPM worker's first one finds its pool's stores,
 * and a layer may load what it preloads. */
extern bool larder_stores_unsettled;
void larder_stores_settle(void) ZEND_COLD;
static zend_always_inline void larder_stores_request(void)
{
    if (UNEXPECTED(larder_stores_unsettled))
        larder_stores_settle();
}
/* The store for this request, which begins to use it; NULL when it is off. */
lrd_store *larder_activate(larder_kind kind) LARDER_HOT;
/* Why that is NULL; "". */
const char *larder_store_reason(larder_kind kind);
/* Every value of this request ends here. */
void larder_deactivate(void) LARDER_HOT;
/* Give back this thread's places in the stores, which stay mapped: an exit is no death. */
void larder_stores_leave(void) ZEND_COLD;
/* All that is open lies between these; nothing is: both are 0. Only ever apart from each other. */
extern uintptr_t larder_data_from, larder_data_to;
bool larder_contains_there(const void *pointer);
/* True if no store is open, so that no pointer need be asked about. */
static zend_always_inline bool larder_contains_none(void)
{
    return __atomic_load_n(&larder_data_to, __ATOMIC_RELAXED) == 0;
}
/* True if a pointer lies in the readable data of any store. Asked for every file that is
 * compiled. */
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
