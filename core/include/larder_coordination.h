/* larder_coordination.h - rate limits, semaphores and counters to wait for. The processes of one
 * machine share them through a store. The conventions are those of larder.h. */
#ifndef LARDER_COORDINATION_H
#define LARDER_COORDINATION_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rate limits ---- */

#define LRD_RATE_NS_MAX 1000000000000000000ull /* 31 years, in nanoseconds */

/* The largest `limit` and the smallest per_ns of an lrd_rate with `sliding`. */
#define LRD_RATE_SLIDING_MAX 16383u
#define LRD_RATE_SLIDING_NS_MIN 1000000000ull

/* A rate limit of `limit` units per per_ns nanoseconds. By default it follows the generic cell rate
 * algorithm (GCRA): an unused limit admits `limit` units at once, then one more every per_ns /
 * limit nanoseconds. So a period of w nanoseconds never admits more than limit + w * limit / per_ns
 * units, for any number of processes, killed ones included. Time is the store's clock, which
 * advances every 1 to 10 ms.
 *
 * With `sliding`, no period of per_ns nanoseconds admits more than `limit` units. A unit can be
 * taken again per_ns to 1.04 * per_ns after it was taken. */
typedef struct lrd_rate {
    uint64_t limit;  /* 1..per_ns */
    uint64_t per_ns; /* 1..LRD_RATE_NS_MAX */
    uint64_t cost;   /* units that this call wants, 0..limit; 0 only reads the state */
    /* also admit a call that is too early by at most this time; 0..LRD_RATE_NS_MAX */
    uint64_t wait_ns;
    /* use a sliding window. Then limit is at most LRD_RATE_SLIDING_MAX, per_ns at least
     * LRD_RATE_SLIDING_NS_MIN, and wait_ns 0 */
    bool sliding;
} lrd_rate;

typedef struct lrd_throttled {
    uint64_t remaining; /* units that another call could take now */
    uint64_t retry_ns;  /* time until this call would be admitted; 0: now */
    uint64_t reset_ns;  /* time until all units are available again */
    bool allowed;       /* the units were taken */
} lrd_throttled;

#define LRD_TYPE_WINDOW 249u /* type of the entry of a sliding window */

/* Take `cost` units of a limit if it admits them all, else none. The state of the limit is a
 * counter with this key. Its value is the time, in nanoseconds of the store's clock, at which all
 * units are available again. (With `sliding`, the state is an entry of type LRD_TYPE_WINDOW.) A
 * volatile store may evict this entry, which resets the limit; a pinned store keeps it.
 * lrd_delete() resets a limit. Callers that share a key must give the same `limit`, per_ns and
 * `sliding`. Usually the call is one compare-and-swap without a lock. It may block if it creates
 * the entry or prolongs its time to live, about once every per_ns.
 * Returns: LRD_OK, *out is filled, and out->allowed tells whether the units were taken; LRD_EINVAL;
 * LRD_ETYPE: the key has a value of another kind. If an entry is created, also the codes of
 * lrd_put(). A call that returns a code below 0 took nothing. */
LRD_API int lrd_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);

/* ---- semaphores ---- */

#define LRD_SEMAPHORE_NAME_MAX 1024u /* bytes */
#define LRD_SEMAPHORE_PERMITS_MAX 1024u

/* A permit that a thread owns: its number among the permits, and the token that releases it. */
typedef struct lrd_permit {
    uint32_t number;
    uint64_t token;
} lrd_permit;

/* Acquire one of the permits of a semaphore. At most `permits` owners have one at a time; all
 * callers that use a name must give the same number. A permit ends with lrd_semaphore_release(),
 * after lease_ms (0: no limit), with lrd_request_end(), or with the death of its owner. With
 * wait_ms 0 the call does not wait; waiters get permits in turn. Any store can have semaphores,
 * which are separate from its entries. Each permit in use counts as a reserved key (lrd_lock()).
 * May block up to wait_ms.
 * Returns: LRD_OK, *out is the permit; LRD_HELD: other owners have all permits, even after wait_ms;
 * LRD_INTR: a signal ended the wait; LRD_EDEADLK: this thread has all permits; LRD_EINVAL,
 * LRD_ENOLOCKS. */
LRD_API int lrd_semaphore_acquire(lrd_store *store, const void *name, size_t name_len,
                                  uint32_t permits, uint64_t lease_ms, uint64_t wait_ms,
                                  lrd_permit *out);
/* Release a permit. Any thread of the process that acquired the permit may call this.
 * Returns: LRD_OK, or LRD_MISS if the permit had ended before. */
LRD_API int lrd_semaphore_release(lrd_store *store, const void *name, size_t name_len,
                                  const lrd_permit *permit);
/* Let a permit end lease_ms from now (0: no limit). Any thread of the process that acquired the
 * permit may call this.
 * Returns: LRD_OK, or LRD_MISS if the permit had ended before. */
LRD_API int lrd_semaphore_renew(lrd_store *store, const void *name, size_t name_len,
                                const lrd_permit *permit, uint64_t lease_ms);
/* Count the permits that have owners.
 * Returns: LRD_OK, *count is filled. */
LRD_API int lrd_semaphore_count(lrd_store *store, const void *name, size_t name_len,
                                uint32_t permits, uint32_t *count);

/* ---- words to watch ---- */

/* A counter in a pinned store that this process reads often. Valid until lrd_close(), if no thread
 * deletes the entry. */
typedef struct lrd_watch {
    const int64_t *word;
    const uint32_t *epoch;
    uint32_t seen;
} lrd_watch;

/* Find the counter of a key. If there is none, create it with the value 0. May block.
 * Returns: LRD_OK; LRD_EPOLICY if the store is not pinned; LRD_ETYPE: the entry is no counter. If
 * it creates the counter, also the codes of lrd_put(). */
LRD_API int lrd_watch_open(lrd_store *store, const void *key, size_t key_len, lrd_watch *out);
/* Read the counter: two loads, no call.
 * Returns: true, *value is its number; false: the store was cleared, so open the counter again. */
static inline bool lrd_watch_read(const lrd_watch *watch, int64_t *value)
{
    /* Pairs with the release store of a thread that changes the counter. So everything that this
     * thread stored before the change is visible. */
    *value = __atomic_load_n(watch->word, __ATOMIC_ACQUIRE);
    return __atomic_load_n(watch->epoch, __ATOMIC_ACQUIRE) == watch->seen;
}
/* Add 1 to the counter. If `wake` is true, also wake all waiters. Does not block if the counter
 * exists.
 * Returns: LRD_OK, *value is the sum; other codes as lrd_watch_open(). */
LRD_API int lrd_watch_raise(lrd_store *store, const void *key, size_t key_len, bool wake,
                            int64_t *value);
/* Sleep until the counter differs from `known`, for at most wait_ms. Programs use the counter to
 * announce a change of other data: they call lrd_watch_raise() with `wake` before the change and
 * after it, so the counter is odd during the change. If a program is killed in the second of these
 * calls, waiters may wake up to a second late.
 * Returns: LRD_OK, *value is the number; LRD_MISS: the time is over; LRD_INTR: a signal ended the
 * wait; LRD_STALE: the store was cleared. */
LRD_API int lrd_watch_wait(const lrd_watch *watch, int64_t known, uint64_t wait_ms, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
