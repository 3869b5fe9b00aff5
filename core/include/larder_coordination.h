/* larder_coordination.h - rate limits, semaphores, and watches (counters whose changes a thread can
 * wait for). The conventions are those of larder.h. */
#ifndef LARDER_COORDINATION_H
#define LARDER_COORDINATION_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rate limits ---- */

#define LRD_RATE_NS_MAX 1000000000000000000ull /* 31 years, in nanoseconds */

/* with `sliding`: the largest `limit`, and the smallest per_ns */
#define LRD_RATE_SLIDING_MAX 16383u
#define LRD_RATE_SLIDING_NS_MIN 1000000000ull

/* A rate limit of `limit` units per per_ns nanoseconds, by the generic cell rate algorithm (GCRA):
 * after a pause it admits `limit` units at once, then one every per_ns / limit nanoseconds. So in w
 * nanoseconds it admits at most limit + w * limit / per_ns units. The store's clock advances in
 * steps of 1 to 10 ms.
 *
 * With `sliding`, no period of per_ns nanoseconds admits more than `limit` units. A unit is
 * available again after per_ns to 1.04 * per_ns nanoseconds. */
typedef struct lrd_rate {
    uint64_t limit;  /* 1..per_ns */
    uint64_t per_ns; /* 1..LRD_RATE_NS_MAX */
    uint64_t cost;   /* units that this call wants, 0..limit; 0 only reads the state */
    /* 0..LRD_RATE_NS_MAX: a call that comes too early by at most this time is still admitted */
    uint64_t wait_ns;
    /* true to use a sliding window; wait_ns is then 0 */
    bool sliding;
} lrd_rate;

typedef struct lrd_throttled {
    uint64_t remaining; /* units that a further call could take now */
    /* time until this call would be admitted, or 0 */
    uint64_t retry_ns;
    uint64_t reset_ns; /* time until all units are available again */
    bool allowed;      /* true if the units were taken */
} lrd_throttled;

#define LRD_TYPE_WINDOW 249u /* type of the entry of a sliding window */

/* Take `cost` units if the limit admits the call, otherwise none. The limit's state is a counter
 * with this key. The counter's number is the time at which all units will be available, in
 * nanoseconds of the store's clock. (With `sliding`, the state is an entry of type
 * LRD_TYPE_WINDOW.) Deleting or evicting the entry resets the limit. All callers must give the same
 * `limit`, per_ns and `sliding`. About once every per_ns, a call creates or prolongs the entry;
 * that call may block.
 * Returns: LRD_OK if *out is filled; LRD_EINVAL; LRD_ETYPE if the key has another kind of value;
 * also the codes of lrd_put() if the call creates an entry. After a code below 0, nothing was
 * taken. */
LRD_API int lrd_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);

/* ---- semaphores ---- */

#define LRD_SEMAPHORE_NAME_MAX 1024u /* bytes */
#define LRD_SEMAPHORE_PERMITS_MAX 1024u

/* A permit that a thread owns. `number` is below the semaphore's number of permits. */
typedef struct lrd_permit {
    uint32_t number;
    uint64_t token;
} lrd_permit;

/* Acquire one of a semaphore's `permits` permits. All callers must give the same number of permits.
 * The acquired permit ends with lrd_semaphore_release(), after lease_ms (0: no limit), with
 * lrd_request_end(), or with its owner's death. Waiters get permits about in the order of their
 * arrival. Any store can have semaphores; they are independent of its entries. Each permit counts
 * as a reserved key (lrd_lock()). May block up to wait_ms.
 * Returns: LRD_OK if *out is the permit; LRD_HELD if others have all permits, even after wait_ms;
 * LRD_INTR if a signal ended the wait; LRD_EDEADLK if this thread has all permits; LRD_EINVAL,
 * LRD_ENOLOCKS. */
LRD_API int lrd_semaphore_acquire(lrd_store *store, const void *name, size_t name_len,
                                  uint32_t permits, uint64_t lease_ms, uint64_t wait_ms,
                                  lrd_permit *out);
/* Release a permit. Any thread of the process that acquired the permit may call this.
 * Returns: LRD_OK, also if the file was moved; LRD_MISS if the permit has ended; LRD_EBUSY as for
 * lrd_unlock(); LRD_ETRUNCATED. */
LRD_API int lrd_semaphore_release(lrd_store *store, const void *name, size_t name_len,
                                  const lrd_permit *permit);
/* Let a permit end lease_ms from now (0: no limit). Any thread of the process that acquired the
 * permit may call this.
 * Returns: LRD_OK, or LRD_MISS if the permit has ended. */
LRD_API int lrd_semaphore_renew(lrd_store *store, const void *name, size_t name_len,
                                const lrd_permit *permit, uint64_t lease_ms);
/* Set *count to the number of permits that have an owner.
 * Returns: LRD_OK. */
LRD_API int lrd_semaphore_count(lrd_store *store, const void *name, size_t name_len,
                                uint32_t permits, uint32_t *count);

/* ---- words to watch ---- */

/* A counter of a pinned store that a process reads without a call. Valid until lrd_close(), or
 * until a thread deletes the entry. */
typedef struct lrd_watch {
    const int64_t *word;
    const uint32_t *epoch;
    uint32_t seen;
} lrd_watch;

/* Find the counter of a key, or create one with the value 0. May block.
 * Returns: LRD_OK; LRD_EPOLICY if the store is not pinned; LRD_ETYPE if the entry is no counter;
 * also the codes of lrd_put() if the call creates the counter. */
LRD_API int lrd_watch_open(lrd_store *store, const void *key, size_t key_len, lrd_watch *out);
/* Write the counter's current number to *value.
 * Returns: true, or false if the store was cleared: then call lrd_watch_open() again. */
static inline bool lrd_watch_read(const lrd_watch *watch, int64_t *value)
{
    /* Acquire: pairs with the release store of the thread that last changed the counter. */
    *value = __atomic_load_n(watch->word, __ATOMIC_ACQUIRE);
    return __atomic_load_n(watch->epoch, __ATOMIC_ACQUIRE) == watch->seen;
}
/* Add 1 to the counter, and write the new number to *value. The first call after lrd_clear() sets
 * an odd number that is larger than all earlier ones. With `wake`, wakes all waiters. Blocks only
 * to create the counter.
 * Returns: LRD_OK, or another code of lrd_watch_open(). */
LRD_API int lrd_watch_raise(lrd_store *store, const void *key, size_t key_len, bool wake,
                            int64_t *value);
/* Sleep until the counter differs from `known`, for at most wait_ms. To announce a change of other
 * data, call lrd_watch_raise() with `wake` before and after the change. The counter is odd during
 * the change. If the program dies in the second call, waiters notice the change up to a second
 * late.
 * Returns: LRD_OK if *value is the new number; LRD_MISS if the time is over; LRD_INTR if a signal
 * ended the wait; LRD_STALE if the store was cleared. */
LRD_API int lrd_watch_wait(const lrd_watch *watch, int64_t known, uint64_t wait_ms, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
