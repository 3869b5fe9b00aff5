/* assert.h - assertions of the core. With LRD_ASSERTIONS, a failed assertion aborts the process. */
#pragma once

#include "ground/layout.h"

#ifdef LRD_ASSERTIONS
_Noreturn void lrd__assert_failed(const char *condition, const char *file, int line)
    __attribute__((noinline, cold));
#define lrd__assert(condition)                                                                     \
    (__builtin_expect(!!(condition), 1) ? (void)0                                                  \
                                        : lrd__assert_failed(#condition, __FILE__, __LINE__))
/* Record that the calling thread has taken the shard's lock. The thread must have no other lock of
 * this store. */
void lrd__assert_take(const lrd_store *store, uint32_t shard);
void lrd__assert_drop(const lrd_store *store, uint32_t shard);
void lrd__assert_alone(const lrd_store *store);
bool lrd__assert_holds(const lrd_store *store, uint32_t shard);
#else
#define lrd__assert(condition) ((void)sizeof(!(condition)))
#define lrd__assert_take(store, shard) ((void)0)
#define lrd__assert_drop(store, shard) ((void)0)
#define lrd__assert_alone(store) ((void)0)
bool lrd__assert_holds(const lrd_store *store, uint32_t shard); /* never called */
#endif

/* Assert that the thread has the lock of this shard, or is the store's only user. */
#define lrd__assert_locked(store, shard) lrd__assert(lrd__assert_holds(store, shard))
