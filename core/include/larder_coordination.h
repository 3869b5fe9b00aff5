/* larder_coordination.h - limits that processes of one machine share through a store. The
 * conventions are those of larder.h. */
#ifndef LARDER_COORDINATION_H
#define LARDER_COORDINATION_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rate limits ---- */

#define LRD_RATE_NS_MAX 1000000000000000000ull /* 31 years, in nanoseconds */

/* limit units per per_ns nanoseconds, by the generic cell rate algorithm (GCRA): an unused limit
 * admits `limit` units at once; one unit comes back every per_ns / limit nanoseconds. So a
 * window of w nanoseconds never admits more than limit + w * limit / per_ns units, for any
 * number of processes, killed ones included. The time is that of the store's clock, which the
 * kernel moves at each timer interrupt (every 1 to 10 ms). */
typedef struct lrd_rate {
    uint64_t limit;   /* 1..per_ns */
    uint64_t per_ns;  /* 1..LRD_RATE_NS_MAX */
    uint64_t cost;    /* units that this call wants, 0..limit; 0 only looks */
    uint64_t wait_ns; /* also admit what becomes due within this time; 0..LRD_RATE_NS_MAX */
} lrd_rate;

typedef struct lrd_throttled {
    uint64_t remaining; /* units that another call could have at once */
    uint64_t retry_ns;  /* until this call is due: 0 if it is now */
    uint64_t reset_ns;  /* until the limit is unused again */
    bool allowed;       /* the units were taken */
} lrd_throttled;

/* Take cost units of a limit, or none. The state is a counter: the time, in nanoseconds of the
 * store's clock, at which the limit is unused again. It lives at least that long, unless a volatile
 * store evicts it, which begins the limit anew; a pinned store keeps it until it is deleted.
 * lrd_delete() resets a limit. Callers that share a key use the same limit and per_ns. One
 * compare-and-swap in the usual case, without a lock; may block where the entry is made or its time
 * to live is prolonged, about once every per_ns.
 * Returns: LRD_OK, *out is filled, allowed or not; LRD_EINVAL; LRD_ETYPE: the key has a value that
 * is no counter; where an entry is made, as lrd_put(). Below 0 nothing was taken. */
LRD_API int lrd_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);

#ifdef __cplusplus
}
#endif
#endif
