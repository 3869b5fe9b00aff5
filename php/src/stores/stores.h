/* stores.h - opens stores, and decides which stores a request uses. */
#ifndef LARDER_STORES_STORES_H
#define LARDER_STORES_STORES_H

#include "stores/partition.h"

/* Return the place of a store in the partition of this request. */
larder_place *larder_place_of(larder_kind kind);
void larder_stores_startup(void) ZEND_COLD;
/* Return the value ABI: a text that describes how values lie in the stores of this PHP. */
const char *larder_stores_abi(void);
/* True if the first request must call larder_stores_settle(). That function finds the FPM pool,
 * logs errors, and preloads entries. */
extern bool larder_stores_unsettled;
void larder_stores_settle(void) ZEND_COLD;
/* Call this when a request begins, before user code runs. */
static zend_always_inline void larder_stores_request(void)
{
    if (UNEXPECTED(larder_stores_unsettled))
        larder_stores_settle();
    if (UNEXPECTED(larder_configured.shared_sapi))
        larder_partition_begin();
}
/* Begin the next request of a worker, and change to the stores of its site. */
void larder_stores_next_request(void);
/* Return a store, and record that this request uses it. Returns NULL if the store is off. */
lrd_store *larder_activate(larder_kind kind) LARDER_HOT;
/* Return why larder_activate() returns NULL, or "". */
const char *larder_store_reason(larder_kind kind);
/* Release all values of this request in all stores. */
void larder_deactivate(void) LARDER_HOT;
/* Leave the stores when this thread ends. Otherwise the thread would count as killed. The stores
 * stay mapped. */
void larder_stores_leave(void) ZEND_COLD;
/* A range of addresses that includes all open stores. It only grows. Both are 0 if no store was
 * opened. */
extern uintptr_t larder_data_from, larder_data_to;
bool larder_contains_there(const void *pointer);
/* Return true if no store was opened. */
static zend_always_inline bool larder_contains_none(void)
{
    return __atomic_load_n(&larder_data_to, __ATOMIC_RELAXED) == 0;
}
/* Return true if a pointer lies in the data of a store. Must be fast: called for every compiled
 * file. */
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
