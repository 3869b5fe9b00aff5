/* assert.h - conditions at a line of the core, and the locks that the calling thread must have.
 * They are checked if LRD_ASSERTIONS is defined, as in all tests, and end the process if they fail.
 * Else they compile to nothing. */
#pragma once

#include "ground/layout.h"

#ifdef LRD_ASSERTIONS
_Noreturn void lrd__assert_failed(const char *condition, const char *file, int line)
    __attribute__((noinline, cold));
#define lrd__assert(condition)                                                                     \
    (__builtin_expect(!!(condition), 1) ? (void)0                                                  \
                                        : lrd__assert_failed(#condition, __FILE__, __LINE__))
/* Note that the thread has, or no longer has, the shard's lock / that no other thread uses the
 * store (NULL: others do). */
void lrd__assert_take(const lrd_store *store, uint32_t shard);
void lrd__assert_drop(const lrd_store *store, uint32_t shard);
void lrd__assert_alone(const lrd_store *store);
bool lrd__assert_holds(const lrd_store *store, uint32_t shard);
bool lrd__assert_holds_any(const lrd_store *store);
#else
#define lrd__assert(condition) ((void)sizeof(!(condition)))
#define lrd__assert_take(store, shard) ((void)0)
#define lrd__assert_drop(store, shard) ((void)0)
#define lrd__assert_alone(store) ((void)0)
bool lrd__assert_holds(const lrd_store *store, uint32_t shard); /* never called */
bool lrd__assert_holds_any(const lrd_store *store);
#endif

/* Assert that the thread has the lock of this shard, or the store for itself. */
#define lrd__assert_locked(store, shard) lrd__assert(lrd__assert_holds(store, shard))
/* Assert that the thread has no shard's lock, so it may wait, or take one. */
#define lrd__assert_unlocked(store) lrd__assert(!lrd__assert_holds_any(store))
