/* larder_host.h - for language extensions (hosts): requests, long-held values, writing in place,
 * and packed forms of values. */
#ifndef LARDER_HOST_H
#define LARDER_HOST_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- opening ---- */

/* Like lrd_open(), but use the memfd or file that is open as `fd`. The file must be empty, or
 * contain a store already. The store uses a duplicate of `fd`.
 * Returns: a code of lrd_open(); LRD_EINVAL if `fd` is negative or `options` has a path. */
LRD_API int lrd_open_fd(int fd, const lrd_options *options, lrd_store **out);

/* ---- reading ---- */

enum { /* more flags of lrd_get() */
       /* If a bound of lrd_get() forbids holding the value, borrow it instead of copying it. Use
        * this flag for values with inner pointers, which only the host can copy. */
       LRD_GET_NO_COPY = 2,
       /* Borrow the value if its type is at least LRD_TYPE_PLAIN and this thread holds at least
        * LRD_PLAIN_HOLDS values; otherwise hold it. This flag is for hosts that copy such values
        * immediately. */
       LRD_GET_PLAIN = 8
};
#define LRD_PLAIN_HOLDS 32u
#define LRD_TYPE_PLAIN 128u

#define LRD_PREFETCH_WRITE 1u /* also prefetch the lines that a write of the entry needs */

/* Prefetch the index words and entries of about 16 keys, which the next calls read, write or
 * delete. Never blocks. */
LRD_API void lrd_prefetch(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags);

/* Count this thread's last lrd_get() as a miss instead of a hit: the host cannot use the value. */
LRD_API void lrd_count_miss(lrd_store *store);

/* Returns: true if `pointer` points into the readable data of the store. */
LRD_API bool lrd_contains(const lrd_store *store, const void *pointer);

/* ---- requests ---- */

/* Begin a request. In the request's first minute, reads hold values. Later reads return copies.
 * Returns: LRD_OK; LRD_EMOVED or LRD_ETRUNCATED (see lrd_open()), and then no request has begun. */
LRD_API int lrd_request_begin(lrd_store *store);
/* End a request: end every handle of the thread, abort open reservations, and unlock key
 * reservations. Copies are not freed.
 * Returns: LRD_OK; LRD_EBUSY if keys of a busy shard stay locked. The thread's next
 * lrd_request_begin(), lrd_lock(), lrd_unlock(), lrd_semaphore_acquire(), write or sweep then tries
 * again. */
LRD_API int lrd_request_end(lrd_store *store);
/* Unlock every key that this thread has locked. For hosts that serve many requests after one
 * lrd_request_begin().
 * Returns: the number of keys that were unlocked. */
LRD_API size_t lrd_locks_end(lrd_store *store);

/* ---- waits ---- */

/* Set a flag for this thread; NULL, the default, removes it. When a signal handler stores true in
 * *flag, this thread's wait in lrd_queue_pop(), lrd_queue_push(), lrd_semaphore_acquire() or
 * lrd_watch_wait() returns LRD_INTR within a second, and *flag is false again. If *flag is true
 * when a call begins, the call does not wait. Without a flag, a wait may miss a signal that arrives
 * just before its sleep, or that has SA_RESTART. Never blocks. */
LRD_API void lrd_wait_flag(bool *flag);

/* ---- values that are held beyond calls ---- */

/* Describes a value that this thread holds; values under construction are left out. A host whose
 * requests do not end calls lrd_holds_end() to release values that it no longer uses. */
typedef struct lrd_held {
    /* Addresses of the key's start and the value's end. A pointer that equals `to` may belong to
     * this value, too. */
    uintptr_t from, to;
    uint64_t block;  /* private */
    uint32_t handle; /* private */
    bool used;       /* false at first */
    uint8_t type;    /* as in lrd_value */
} lrd_held;
/* Describe at most `room` held values in *out. Never blocks.
 * Returns: the number of all held values, or 0 if the file was truncated. */
LRD_API size_t lrd_holds(lrd_store *store, lrd_held *out, size_t room);
/* For each element with used == false, release every handle that this thread has on the value. Do
 * not dereference these values afterwards. Other values stay held, but lrd_release() may return
 * LRD_ESTATE for their old handles. Ignores values of other stores and borrowed values. Reads may
 * then hold values for another minute; see lrd_request_begin(). Never blocks.
 * Returns: the number of released values; 0 if the file was truncated. */
LRD_API size_t lrd_holds_end(lrd_store *store, const lrd_held *holds, size_t count);
/* Limit the bytes that this thread holds. Above the limit, lrd_get() returns copies. The thread may
 * always hold one value, even a larger one. 0 removes the limit. Never blocks. */
LRD_API void lrd_holds_limit(lrd_store *store, uint64_t bytes);
/* Write the number of bytes that the thread holds to *bytes.
 * Returns: true if, since the last call, the limit has prevented a read from holding a value. */
LRD_API bool lrd_holds_limited(lrd_store *store, uint64_t *bytes);

/* ---- writing ---- */

/* Writes a value of `size` bytes at `build`. Readers will find it at `data`. May run under a lock:
 * it must not fail, and may call only lrd_copy() of the core. */
typedef void (*lrd_fill)(const void *from, void *build, const void *data, size_t size);
/* Reserve room, let fill(from, ..) write a value, and publish it. Locks the shard only once for a
 * small value.
 * Returns: a code of lrd_put(). */
LRD_API int lrd_put_fill(lrd_store *store, const void *key, size_t key_len, size_t size,
                         lrd_fill fill, const void *from, const lrd_write *how);
/* Like memcpy(), for code that writes a value. Bypasses the processor's caches if `size` is over 8
 * KiB and this thread's last reserved block is probably not cached. */
LRD_API void lrd_copy(void *to, const void *from, size_t size);
/* Give the entry of a held value a new time to live, as if the value were stored again. May block.
 * Returns: LRD_OK; LRD_STALE if the entry has another value or is gone; LRD_ESTATE if *value is not
 * held. */
LRD_API int lrd_put_held(lrd_store *store, const lrd_value *value, uint64_t ttl_ms);

/* ---- forms of a value ---- */

/* The packed form of a value (type LRD_TYPE_PACKED) takes less memory than the ready form, but each
 * read must unpack it. The functions from lrd_pack_bound() to lrd_unpack() use no store, do not
 * block and do not allocate. */
#define LRD_TYPE_PACKED 250u
/* size in bytes of the head before the stored bytes */
#define LRD_PACKED_HEAD 16u
typedef struct lrd_packed {
    /* the stored bytes, compressed or as the host wrote them */
    const uint8_t *bytes;
    size_t stored;   /* size of the stored bytes */
    bool compressed; /* true if the stored bytes are an LZ4 block */
    uint32_t raw;    /* number of bytes given to lrd_pack() */
    uint32_t ready;  /* bytes of the value in ready form, at most 2^32 - 1 */
    uint8_t type;    /* type of the value in ready form */
    bool stays;      /* true after lrd_pack_stay() */
} lrd_packed;
/* Returns: the largest number of bytes that lrd_pack() writes for `size` bytes, at most 2^31. */
LRD_API size_t lrd_pack_bound(size_t size);
typedef enum lrd_compression {
    LRD_COMPRESS_NONE = 0,
    LRD_COMPRESS_SMALL, /* fewest bytes */
    LRD_COMPRESS_QUICK  /* up to twice as fast, and a text becomes about a tenth larger */
} lrd_compression;
/* Pack `size` bytes into `to`, which has lrd_pack_bound() bytes. `ready` is the size of the ready
 * form. Copies the bytes if compression saves less than a sixteenth.
 * Returns: the number of bytes written. */
LRD_API size_t lrd_pack(void *to, const void *from, size_t size, uint8_t type, uint64_t ready,
                        lrd_compression compression);
/* Mark a value that lrd_pack() has written: hosts that read it do not store it in ready form
 * again. */
LRD_API void lrd_pack_stay(void *packed, size_t size);
/* Describe a packed value in *out. lrd_packed_open() also checks the checksum over the whole value.
 * Returns: LRD_OK, or LRD_EFORMAT if the value is not packed, or is damaged. */
LRD_API int lrd_packed_look(const void *data, size_t size, lrd_packed *out);
LRD_API int lrd_packed_open(const void *data, size_t size, lrd_packed *out);
/* Write the bytes that were given to lrd_pack() to `to`, which has room for packed->raw bytes.
 * Returns: LRD_OK, or LRD_EFORMAT if the value is damaged. */
LRD_API int lrd_unpack(const lrd_packed *packed, void *to);
typedef enum lrd_pressure {
    LRD_PRESSURE_NONE = 0, /* enough memory is free */
    LRD_PRESSURE_SHORT,    /* memory is short, but hardly any entry was evicted */
    LRD_PRESSURE_EVICTS,   /* memory is short, and entries are evicted */
    LRD_PRESSURE_MISSED    /* memory is short, and evicted keys are often stored again */
} lrd_pressure;

/* minimum result of lrd_value_uses() for a value that counts as read often */
#define LRD_USES_OFTEN 3u
/* One in n reads of a packed value checks whether the value is read often. If so, the host stores
 * the value in ready form. These are the numbers n for the pressures; LRD_SAMPLE_SHORT is also for
 * LRD_PRESSURE_EVICTS. Each number is a multiple of the one before. Under LRD_PRESSURE_MISSED,
 * checks are rare, because ready values take more memory and so cost hits. */
#define LRD_SAMPLE_NONE 8u
#define LRD_SAMPLE_SHORT 64u
#define LRD_SAMPLE_MISSED 256u

/* Guess whether memory is short for this key's shard. Memory is short if live entries take more
 * than half of the shard's part of the store (7/8 in a store that evicts). It is also short after
 * the shard has evicted an entry, or has used a larger block to avoid an eviction. This lasts for n
 * inserts, if the shard had n entries at that moment. Never blocks.
 * Returns: an lrd_pressure. */
LRD_API lrd_pressure lrd_pressed(lrd_store *store, const void *key, size_t key_len);
/* Store a value like lrd_put_fill(), but only if memory is not short (see lrd_pressed()). Cheaper
 * than calling both functions.
 * Returns: a code of lrd_put(); LRD_SHORT if memory is short. Then nothing was stored, and the
 * caller should pack the value. */
LRD_API int lrd_put_ready(lrd_store *store, const void *key, size_t key_len, size_t size,
                          lrd_fill fill, const void *from, const lrd_write *how);
/* Decide whether a packed value that is read often is stored ready again. `chance` is a random
 * multiple of LRD_SAMPLE_NONE. Do not take it from a counter: if a program reads its keys in a
 * fixed order, a counter would never choose most of the keys. Never blocks.
 * Returns: true if the caller should store the value ready. */
static inline bool lrd_rises(lrd_store *store, const void *key, size_t key_len, uint32_t chance)
{
    if (chance % LRD_SAMPLE_MISSED == 0)
        return true;
    lrd_pressure pressure = lrd_pressed(store, key, key_len);
    return pressure == LRD_PRESSURE_NONE ||
           (pressure != LRD_PRESSURE_MISSED && chance % LRD_SAMPLE_SHORT == 0);
}
/* A thread's search for ready values to pack; zeros at first. While memory is short, each write
 * examines a few further entries, and packs at most one. */
typedef struct lrd_fall {
    const lrd_store *store; /* only compared, never dereferenced */
    lrd_cursor cursor;      /* the next entry */
    uint32_t rest;          /* number of writes before the next try */
    uint32_t vain;          /* number of tries in a row without a packed value */
    lrd_pressure pressure;  /* public: of the last returned entry's shard */
} lrd_fall;
/* Ask whether this write should try to pack a value. If so, examine entries with lrd_fall_next(),
 * and then call lrd_fall_tried(). Never blocks.
 * Returns: the maximum number of entries to examine, at most 8. The number falls while tries pack
 * nothing. It is 0 for some writes after many such tries. */
LRD_API unsigned lrd_fall_due(lrd_fall *fall, const lrd_store *store);
/* Go to the next entry, like lrd_next(). Skips entries that were used recently. Under
 * LRD_PRESSURE_MISSED, skips only entries that were used often (LRD_USES_OFTEN). Also skips the
 * entries of shards whose memory is not short. *out is borrowed, and may be packed already. After
 * LRD_END, begins again.
 * Returns: the result of lrd_next(). If it is not LRD_OK, the try is over. */
LRD_API int lrd_fall_next(lrd_fall *fall, lrd_store *store, lrd_value *out);
/* End a try. `packed` is true if a value was packed. Never blocks. */
LRD_API void lrd_fall_tried(lrd_fall *fall, bool packed);
/* Guess whether memory was short (see lrd_pressed()) in this thread's last lrd_put(),
 * lrd_put_fill() or lrd_publish(). Costs two loads. Never blocks.
 * Returns: true if memory was short. Further calls return false until the next write. */
LRD_API bool lrd_write_pressed(lrd_store *store);
/* Count a get that had to unpack its value, for lrd_stats. Never blocks. */
LRD_API void lrd_count_unpack(lrd_store *store);
/* Read the use count of a value that this thread holds or borrows. Each use raises it, and eviction
 * lowers it. Never blocks.
 * Returns: 0 to 3; 0 if the entry is gone. */
LRD_API unsigned lrd_value_uses(const lrd_store *store, const lrd_value *value);

#ifdef __cplusplus
}
#endif
#endif
