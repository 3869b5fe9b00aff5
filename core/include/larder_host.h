/* larder_host.h - what hosts of languages need besides larder.h: flags for hosts that copy values
 * themselves, requests, values held while somebody may still use them, and writing in place. */
#ifndef LARDER_HOST_H
#define LARDER_HOST_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- opening ---- */

/* lrd_open() on an open, empty or already formatted memfd (or file) that the caller inherited, for
 * hosts that prepare descriptors before they know the size. The descriptor is duplicated.
 * Returns: as lrd_open(); LRD_EINVAL where fd is negative or options have a path. */
LRD_API int lrd_open_fd(int fd, const lrd_options *options, lrd_store **out);

/* ---- reading ---- */

enum { /* flags of lrd_get(), with those of larder.h */
       /* past the bounds give a borrowed value instead of a copy (for values with pointers inside,
        * which only the host can copy) */
       LRD_GET_NO_COPY = 2,
       /* For hosts that copy values of the types from LRD_TYPE_PLAIN on at once, do not know the
        * type beforehand, and end handles with the request only: such a value is borrowed, but held
        * while fewer than LRD_PLAIN_HOLDS values are, because a held one is cheaper to get again.
        */
       LRD_GET_PLAIN = 8
};
#define LRD_PLAIN_HOLDS 32u
#define LRD_TYPE_PLAIN 128u

#define LRD_PREFETCH_WRITE 1u /* for writes: also what a writer of the entry needs */

/* Prefetch the index's words and the entries of keys that the next calls are about. A hint, which
 * changes nothing: of use for some 16 keys that are read, written or deleted one by one, where
 * lrd_get_many() does not fit. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_prefetch(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags);

/* Count a miss instead of the hit: the host cannot use the value of this thread's last lrd_get().
 * Returns: nothing. */
LRD_API void lrd_count_miss(lrd_store *store);

/* Returns: true if a pointer lies in the readable data of the store. */
LRD_API bool lrd_contains(const lrd_store *store, const void *pointer);

/* ---- requests ---- */

/* A request begins: holds taken from now on are limited to a minute after it (later reads get
 * copies).
 * Returns: LRD_OK; LRD_EMOVED, LRD_ETRUNCATED: it has not begun, see lrd_open(). */
LRD_API int lrd_request_begin(lrd_store *store);
/* A request ends: every handle of the thread ends at once, open reservations are aborted, key
 * reservations are unlocked; O(1) unless there are some. Copies are not freed.
 * Returns: LRD_OK; LRD_EBUSY: all that has ended, but for some keys, because a writer is stopped in
 * their shard's lock. The thread's next call of lrd_request_begin(), lrd_request_end(), lrd_lock()
 * or lrd_unlock() unlocks them once the lock can be had, whatever it answers itself. */
LRD_API int lrd_request_end(lrd_store *store);

/* ---- values that are held beyond calls ---- */

/* A value that this thread holds; for hosts whose requests do not end, and that can find out which
 * held values are still used. Values that are being built are not among them. */
typedef struct lrd_held {
    uintptr_t from, to; /* of its key and value; a pointer to `to` may be one past the end */
    uint64_t block;     /* private */
    uint32_t handle;    /* private */
    bool used;          /* false at first */
} lrd_held;
/* Fill in the first `room` of them. Never blocks.
 * Returns: how many there are. */
LRD_API size_t lrd_holds(lrd_store *store, lrd_held *out, size_t room);
/* End all handles of each of these values that is not used: nobody may look at it any more. The
 * others stay held until the request ends or a later call of this; handles from before cannot
 * release them (LRD_ESTATE). Values of other stores are left alone, and so are those that lrd_get()
 * borrowed because of a bound. The values that stay count as if a request had just begun with them:
 * see lrd_request_begin(). Never blocks.
 * Returns: the number of values that were let go. */
LRD_API size_t lrd_holds_end(lrd_store *store, const lrd_held *holds, size_t count);
/* For those hosts: of the store this thread may hold a quarter, and while it waits, others may not.
 * After this it may hold so many bytes, and always one value; then lrd_get() says that a bound was
 * reached, so that the host searches before it holds much. 0: its whole share, as at first. The
 * limit lasts until the next call. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_holds_limit(lrd_store *store, uint64_t bytes);
/* *bytes: what the thread holds now.
 * Returns: true if this limit has refused to let a value be held since the last call: that counts
 * as no copy then. */
LRD_API bool lrd_holds_limited(lrd_store *store, uint64_t *bytes);

/* ---- writing ---- */

/* Writes a value of size bytes at build; data is where everybody will read it. Does nothing else:
 * it may run under a lock, so it calls no function of the core but lrd_copy(), none of a host, and
 * cannot fail. */
typedef void (*lrd_fill)(const void *from, void *build, const void *data, size_t size);
/* Reserve, fill(from, ..), publish: one lock instead of two where the value is small.
 * Returns: as lrd_put(). */
LRD_API int lrd_put_fill(lrd_store *store, const void *key, size_t key_len, size_t size,
                         lrd_fill fill, const void *from, const lrd_write *how);
/* For who writes a value: as memcpy(), but more than 8 KiB go past the processor's caches where the
 * room that the thread reserved last was in none of them, as far as is known. Any thread may call
 * it with any memory.
 * Returns: nothing. */
LRD_API void lrd_copy(void *to, const void *from, size_t size);
/* As lrd_put() of a held value under its own key, without a copy: where the entry still has exactly
 * this value, only its time to live is set. May block.
 * Returns: LRD_OK; LRD_STALE: it has another by now, or is gone; LRD_ESTATE when *value is not
 * held. */
LRD_API int lrd_put_held(lrd_store *store, const lrd_value *value, uint64_t ttl_ms);

#ifdef __cplusplus
}
#endif
#endif
