/* larder_host.h - for language extensions (hosts), in addition to larder.h: flags for hosts that
 * copy values themselves, requests, values that stay held, and writing in place. */
#ifndef LARDER_HOST_H
#define LARDER_HOST_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- opening ---- */

/* Open a store as lrd_open() does, but in a memfd or file that this process already has open. The
 * file may be empty or formatted. The store uses a duplicate of `fd`.
 * Returns: a code of lrd_open(); LRD_EINVAL if `fd` is negative or `options` has a path. */
LRD_API int lrd_open_fd(int fd, const lrd_options *options, lrd_store **out);

/* ---- reading ---- */

enum { /* flags of lrd_get(), in addition to those of larder.h */
       /* If a bound of lrd_get() is reached, return a borrowed value instead of a copy. Use this
        * flag for values with inner pointers, because only the host can copy them. */
       LRD_GET_NO_COPY = 2,
       /* Borrow the value if its type is at least LRD_TYPE_PLAIN and this thread holds at least
        * LRD_PLAIN_HOLDS values. Otherwise hold it. This flag is for hosts that copy values of such
        * types immediately, but do not know the type before the call. */
       LRD_GET_PLAIN = 8
};
#define LRD_PLAIN_HOLDS 32u
#define LRD_TYPE_PLAIN 128u

#define LRD_PREFETCH_WRITE 1u /* also prefetch the lines that a write of the entry needs */

/* Prefetch the index words and the entries of keys that the next calls will use. Pass about 16 keys
 * at a time, and then read, write or delete them one by one. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_prefetch(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags);

/* Count this thread's last lrd_get() as a miss instead of a hit, because the host cannot use the
 * value.
 * Returns: nothing. */
LRD_API void lrd_count_miss(lrd_store *store);

/* Returns: true if `pointer` points into the readable data of the store. */
LRD_API bool lrd_contains(const lrd_store *store, const void *pointer);

/* ---- requests ---- */

/* Begin a request. Reads hold values only in the first minute of a request; later reads return
 * copies.
 * Returns: LRD_OK. LRD_EMOVED or LRD_ETRUNCATED if the store's file was moved or truncated (see
 * lrd_open()); the request has then not begun. */
LRD_API int lrd_request_begin(lrd_store *store);
/* End a request: end every handle of the thread, abort open reservations, and unlock key
 * reservations. Copies are not freed.
 * Returns: LRD_OK; LRD_EBUSY if some keys stay locked because their shard is busy. Once the shard
 * is free, the thread unlocks these keys in its next lrd_request_begin(), lrd_lock(), lrd_unlock(),
 * lrd_semaphore_acquire(), write or sweep. */
LRD_API int lrd_request_end(lrd_store *store);
/* Unlock every key that this thread has locked, and change nothing else. This is for hosts that
 * serve many requests between lrd_request_begin() and lrd_request_end().
 * Returns: the number of keys that were unlocked. */
LRD_API size_t lrd_locks_end(lrd_store *store);

/* ---- waits ---- */

/* Set a flag for this thread. The host's signal handlers can store true in *flag to end a wait of
 * the thread in lrd_queue_pop(), lrd_queue_push(), lrd_semaphore_acquire() or lrd_watch_wait().
 * Without a flag, a signal may fail to end a wait: if it arrives just before the thread sleeps, or
 * if its handler was installed with SA_RESTART. After a handler has stored true in *flag, the wait
 * returns LRD_INTR within a second, and *flag is false again. If *flag is true when a call begins,
 * the call does not wait. NULL, the default, removes the flag. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_wait_flag(bool *flag);

/* ---- values that are held beyond calls ---- */

/* A value that this thread holds. A host whose requests do not end can list its held values, and
 * release the unused ones with lrd_holds_end(). Values under construction are not listed. */
typedef struct lrd_held {
    /* Start and end address of the key and the value. A pointer that equals `to` may belong to this
     * value, too, because it may point one past the end. */
    uintptr_t from, to;
    uint64_t block;  /* private */
    uint32_t handle; /* private */
    bool used;       /* false at first */
    uint8_t type;    /* as in lrd_value */
} lrd_held;
/* Describe at most `room` held values in *out. Never blocks.
 * Returns: the number of all held values, or 0 if the file was truncated. */
LRD_API size_t lrd_holds(lrd_store *store, lrd_held *out, size_t room);
/* For each element with used == false, release every handle that this thread has on the value. You
 * must not dereference the value afterwards. All other values stay held until the request ends or a
 * later call of this function releases them. But do not use their old handles: lrd_release() may
 * return LRD_ESTATE for them. Ignores elements that describe values of other stores or borrowed
 * values. After this call, reads may hold values for another minute; see lrd_request_begin(). Never
 * blocks.
 * Returns: the number of values that were released. 0 if the file was truncated. */
LRD_API size_t lrd_holds_end(lrd_store *store, const lrd_held *holds, size_t count);
/* Limit the number of bytes that this thread may hold. One value is always allowed. This limit is a
 * further bound of lrd_get(). After a get has reached the limit, lrd_holds_limited() returns true.
 * The limit lasts until the next call of this function; 0 removes it. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_holds_limit(lrd_store *store, uint64_t bytes);
/* Write the number of bytes that the thread holds to *bytes.
 * Returns: true if, since the last call of this function, the limit has prevented a read from
 * holding a value. */
LRD_API bool lrd_holds_limited(lrd_store *store, uint64_t *bytes);

/* ---- writing ---- */

/* A function that writes a value of `size` bytes at `build`. `data` is the address at which readers
 * will find the value. The function may run under a lock. So it must only write the value, must not
 * fail, and may call no function of the core except lrd_copy(). */
typedef void (*lrd_fill)(const void *from, void *build, const void *data, size_t size);
/* Put a value that fill(from, ..) writes: reserve room, call fill(), and publish. Locks the shard
 * only once if the value is small.
 * Returns: a code of lrd_put(). */
LRD_API int lrd_put_fill(lrd_store *store, const void *key, size_t key_len, size_t size,
                         lrd_fill fill, const void *from, const lrd_write *how);
/* Copy as memcpy() does, for code that writes a value. The copy bypasses the processor's caches if
 * `size` is over 8 KiB and this thread's last reserved block is probably not in a cache.
 * Returns: nothing. */
LRD_API void lrd_copy(void *to, const void *from, size_t size);
/* Give the entry of a held value a new time to live, as if the value were stored again, but copy
 * nothing. May block.
 * Returns: LRD_OK; LRD_STALE if the entry has another value or is gone; LRD_ESTATE if *value is not
 * held. */
LRD_API int lrd_put_held(lrd_store *store, const lrd_value *value, uint64_t ttl_ms);

/* ---- forms of a value ---- */

/* A value may be stored in a packed form (type LRD_TYPE_PACKED). The packed form takes less memory
 * than the ready form, but each read must unpack it. The functions from lrd_pack_bound() to
 * lrd_unpack() use no store, do not block and do not allocate. */
#define LRD_TYPE_PACKED 250u
/* size in bytes of the head, which comes before the stored bytes */
#define LRD_PACKED_HEAD 16u
typedef struct lrd_packed {
    /* the stored bytes inside the packed value, either compressed or as the host wrote them */
    const uint8_t *bytes;
    size_t stored;   /* size of the stored bytes */
    bool compressed; /* true if the stored bytes are an LZ4 block */
    uint32_t raw;    /* number of bytes that the host gave to lrd_pack() */
    uint32_t ready;  /* bytes that the value takes in ready form, at most 2^32 - 1 */
    uint8_t type;    /* type of the value in ready form */
    bool stays;      /* true if lrd_pack_stay() has marked the value */
} lrd_packed;
/* Returns: the largest number of bytes that lrd_pack() may write for `size` bytes. `size` is at
 * most 2^31. */
LRD_API size_t lrd_pack_bound(size_t size);
/* Pack `size` bytes. `to` has room for lrd_pack_bound() bytes. `ready` is the number of bytes that
 * the value takes in ready form. If `compress` is true, compress the bytes, unless that saves less
 * than a sixteenth. If it is false, only copy them, which costs less processor time.
 * Returns: the number of bytes written. */
LRD_API size_t lrd_pack(void *to, const void *from, size_t size, uint8_t type, uint64_t ready,
                        bool compress);
/* Mark a packed value, so that a host that reads it does not store it again in ready form. `packed`
 * is a value that lrd_pack() has written, and `size` its size.
 * Returns: nothing. */
LRD_API void lrd_pack_stay(void *packed, size_t size);
/* Describe a packed value in *out. lrd_packed_open() also checks the checksum over the whole value.
 * lrd_packed_look() reads and checks only the head.
 * Returns: LRD_OK, or LRD_EFORMAT if the value is not packed, or is damaged. */
LRD_API int lrd_packed_look(const void *data, size_t size, lrd_packed *out);
LRD_API int lrd_packed_open(const void *data, size_t size, lrd_packed *out);
/* Unpack a value: write the bytes that were given to lrd_pack() to the buffer `to`, which must have
 * room for packed->raw bytes.
 * Returns: LRD_OK, or LRD_EFORMAT if the value is damaged. */
LRD_API int lrd_unpack(const lrd_packed *packed, void *to);
typedef enum lrd_pressure {
    LRD_PRESSURE_NONE = 0, /* enough memory is free */
    LRD_PRESSURE_SHORT,    /* memory is short */
    LRD_PRESSURE_MISSED    /* memory is short, and evicted keys are often stored again */
} lrd_pressure;

/* A value with fewer recent uses than this (see lrd_value_uses()) does not count as read often.
 * Under LRD_PRESSURE_MISSED the hosts pack ready values that are not read often. */
#define LRD_USES_OFTEN 3u
/* At about one in this number of reads of packed values, a host checks whether the value is read
 * often. If it is, the host stores the value ready again. Under LRD_PRESSURE_MISSED the memory of a
 * ready value costs hits, so checks are rare. Each number is a multiple of the number before it. */
#define LRD_SAMPLE_NONE 8u
#define LRD_SAMPLE_SHORT 64u
#define LRD_SAMPLE_MISSED 256u

/* Guess whether memory is short for this key's shard. Memory is short if live entries take more
 * than half of the shard's part of the store (7/8 in a store that evicts). Memory also counts as
 * short after the shard has evicted an entry, or has used a larger block than necessary to avoid an
 * eviction. If the shard had n entries at that time, this lasts for its next n inserts. Never
 * blocks.
 * Returns: an lrd_pressure. */
LRD_API lrd_pressure lrd_pressed(lrd_store *store, const void *key, size_t key_len);
/* Put a value as lrd_put_fill() does, unless memory is short for its key's shard (see
 * lrd_pressed()). Costs less than lrd_pressed() and lrd_put_fill() together.
 * Returns: a code of lrd_put(), or LRD_SHORT if memory is short. After LRD_SHORT nothing is stored,
 * and the caller should put the value in packed form. */
LRD_API int lrd_put_ready(lrd_store *store, const void *key, size_t key_len, size_t size,
                          lrd_fill fill, const void *from, const lrd_write *how);
/* Decide whether a packed value that is read often is stored ready again. `chance` is a random
 * number, and the caller has checked that it is a multiple of LRD_SAMPLE_NONE. Do not pass the
 * value of a counter instead: if a program reads its keys in a fixed order, the counter would never
 * choose most of them. Never blocks.
 * Returns: true if the caller should store the value ready. */
static inline bool lrd_rises(lrd_store *store, const void *key, size_t key_len, uint32_t chance)
{
    if (chance % LRD_SAMPLE_MISSED == 0)
        return true;
    lrd_pressure pressure = lrd_pressed(store, key, key_len);
    return pressure == LRD_PRESSURE_NONE ||
           (pressure == LRD_PRESSURE_SHORT && chance % LRD_SAMPLE_SHORT == 0);
}
/* Decide whether a ready value with `uses` recent uses is packed. Never blocks.
 * Returns: true if the caller should pack the value. */
static inline bool lrd_falls(lrd_store *store, const void *key, size_t key_len, unsigned uses)
{
    lrd_pressure pressure =
        uses < LRD_USES_OFTEN ? lrd_pressed(store, key, key_len) : LRD_PRESSURE_NONE;
    return pressure == LRD_PRESSURE_MISSED || (pressure == LRD_PRESSURE_SHORT && uses == 0);
}

/* A thread's search for ready values to pack. While memory is short, each write examines at most
 * LRD_FALL_LOOKS entries and packs at most one of them. The next write goes on with the entries
 * after these. Fill the struct with zeros before the first use. */
#define LRD_FALL_LOOKS 8u
typedef struct lrd_fall {
    const lrd_store *store; /* only compared, never dereferenced */
    lrd_cursor cursor;      /* the next entry */
    uint32_t rest;          /* number of writes until entries are examined again */
    uint32_t vain;          /* number of tries in a row that have packed nothing */
} lrd_fall;
/* Begin a try to pack a value: examine entries with lrd_fall_next(), then end the try with
 * lrd_fall_tried(). Never blocks.
 * Returns: true if this write should examine entries. false if it should examine none, because
 * earlier tries have packed nothing. */
LRD_API bool lrd_fall_due(lrd_fall *fall, const lrd_store *store);
/* Go to the next entry, like lrd_next(). *out is borrowed. After LRD_END, the next call goes to the
 * first entry.
 * Returns: the result of lrd_next(). If the result is not LRD_OK, the try is over. */
LRD_API int lrd_fall_next(lrd_fall *fall, lrd_store *store, lrd_value *out);
/* End a try. `packed` is true if a value was packed. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_fall_tried(lrd_fall *fall, bool packed);
/* Guess whether memory was short in this thread's last lrd_put(), lrd_put_fill() or lrd_publish():
 * whether the shard of its key has lately evicted entries, or used larger blocks to avoid evictions
 * (see lrd_pressed()). Costs only two loads. Never blocks.
 * Returns: true if memory was short. Further calls return false until the next write. */
LRD_API bool lrd_write_pressed(lrd_store *store);
/* Count a get that had to unpack its value, for lrd_stats. Never blocks.
 * Returns: nothing. */
LRD_API void lrd_count_unpack(lrd_store *store);
/* Read the use count of a value that this thread holds or borrows. Never blocks.
 * Returns: the use count of the value's entry, from 0 to 3, or 0 if the entry is gone. Each use
 * raises the count, and eviction lowers it. */
LRD_API unsigned lrd_value_uses(const lrd_store *store, const lrd_value *value);

#ifdef __cplusplus
}
#endif
#endif
