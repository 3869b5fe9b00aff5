/* larder.h - a crash-proof shared-memory store of immutable blocks. Most programs need only this
 * header. Others: larder_host.h (language extensions), larder_queue.h (queues of messages),
 * larder_coordination.h (rate limits, semaphores), larder_admin.h (statistics, checks). See
 * core/example.c.
 *
 * A store is one memory segment that unrelated processes and threads share. A read returns a
 * pointer into the segment: it copies nothing, takes no lock and writes no shared cache line. A
 * process may be killed at any instruction: its published entries stay, and its unpublished memory
 * is freed.
 *
 * The simplest use is lrd_open(), lrd_put(), lrd_get(), lrd_release(), lrd_close().
 *
 * A value that you read has one of three lifetimes (lrd_value.kind):
 *
 *   kind      | data points to | valid until                     | given by
 *   ----------+----------------+---------------------------------+--------------------------------
 *   HELD      | the store      | lrd_release(), the thread's end | lrd_get(), lrd_hold()
 *             |                | (or lrd_request_end())          |
 *   BORROWED  | the store      | the thread's next lrd_* call    | lrd_get() with LRD_GET_BORROW,
 *             |                | on the same store               | lrd_next()
 *   COPY      | private memory | lrd_release(), which frees it   | lrd_get() past a bound, or by a
 *             |                |                                 | thread without a slot
 *
 * A held or borrowed value never changes. Use all three kinds alike: read the bytes at data, then
 * call lrd_release().
 *
 * Conventions
 * - Functions that return int return LRD_OK (0), a positive value for an answer that is no error
 *   (LRD_MISS), or a negative value for a failure. A failed call changes no entry, but a volatile
 *   store may have evicted entries.
 * - "Returns:" names the codes of the function itself. In addition:
 *   LRD_EKEY                  functions that take a key
 *   LRD_EBUSY                 functions that may block
 *   LRD_EPOLICY               functions that the store's policy forbids
 *   LRD_EMOVED,               functions that write or reserve; see lrd_open()
 *     LRD_ETRUNCATED
 *   LRD_ESYS,                 functions that need an unchecked part of a file (see lrd_get()), if a
 *     LRD_ETRUNCATED          system call fails. No data is lost: the next call checks it again
 *   LRD_ENOSLOT               functions that need the thread's slot
 *   LRD_EREENTRY              functions that need the slot, called inside another call
 * - In structs that the caller fills, zero means the default for every field. Set struct_size to 0,
 *   or to the size of the struct, as LRD_OPTIONS_INIT and LRD_WRITE_INIT do. A library that is
 *   older than your struct returns LRD_EINVAL. Structs that the library fills grow only with the
 *   version number of the shared library.
 * - Keys are any bytes, 1..LRD_KEY_MAX long. Sizes are bytes. Times are milliseconds.
 * - Any thread of a process that opened the store may call every function, except from a signal
 *   handler. Do not leave a call by longjmp. A handle (lrd_value, lrd_reservation) belongs to the
 *   thread that received it.
 * - "Never blocks": the call takes no lock and makes no system call, except when a thread's first
 *   call claims its slot, and once a second to check the file of a named store.
 * - "May block": the call waits for a shard's lock for at most LRD_LOCK_WAIT_MS, and then returns
 *   LRD_EBUSY. The limit is five seconds while threads take the lock in turn, or its owner waits
 *   for a processor. It applies to each lock that a call needs. After a call has waited in vain for
 *   a stopped owner, calls of its process return LRD_EBUSY immediately until the owner runs again.
 *   So sleep before you try again. */
#ifndef LARDER_H
#define LARDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LRD_API __attribute__((visibility("default")))
#define LRD_VERSION "0.1.0"

#define LRD_KEY_MAX 65535u   /* bytes */
#define LRD_ALIGN 16u        /* alignment of every value */
#define LRD_LOCK_WAIT_MS 100 /* longest wait in milliseconds for a shard's lock */
/* maximum number of blocks that one thread holds; if more than 512 threads use the store, some can
 * hold only 1,024 */
#define LRD_HOLDS_MAX 32768u
#define LRD_SIZE_MIN (1u << 20) /* smallest data size of a store in bytes */
/* largest data size of a store in bytes */
#define LRD_SIZE_MAX (1ull << 40)

/* The table of result codes: name, number, text. */
#define LRD_CODES(X)                                                                               \
    X(LRD_OK, 0, "success")                                                                        \
    X(LRD_MISS, 1, "no live entry has this key")                                                   \
    X(LRD_EXISTS, 2, "a live entry has this key already")                                          \
    X(LRD_STALE, 3, "the entry is no longer at the given version")                                 \
    X(LRD_HELD, 4, "the key is reserved by somebody else")                                         \
    X(LRD_END, 5, "the iteration is complete")                                                     \
    X(LRD_INTR, 6, "a signal ended the wait")                                                      \
    X(LRD_SHORT, 7, "memory is short for the ready form of a value")                               \
    X(LRD_EINVAL, -1, "invalid argument")                                                          \
    X(LRD_EKEY, -2, "a key must be 1 to 65535 bytes long")                                         \
    X(LRD_ESIZE, -3, "the value is larger than half of the store")                                 \
    X(LRD_ENOROOM, -4, "no room: the store is full and may not evict; raise its size")             \
    X(LRD_ENOINDEX, -5, "no room near the place of the key in the index")                          \
    X(LRD_EBUSY, -6, "a writer holds the shard and did not finish in time; try again")             \
    X(LRD_ENOSLOT, -7, "all slots are taken: raise slots or run fewer threads")                    \
    X(LRD_EPOLICY, -8, "the store's policy does not allow this operation")                         \
    X(LRD_ETYPE, -9, "the entry is not a counter (or is one, where that is refused)")              \
    X(LRD_ERANGE, -10, "the counter would overflow")                                               \
    X(LRD_ESTATE, -11, "the handle is not in a state that allows this call")                       \
    X(LRD_EREENTRY, -12, "called from inside a call on the same thread")                           \
    X(LRD_ENOMEM, -13, "out of private memory")                                                    \
    X(LRD_ENOSPC, -14, "no space on the file system of the segment; free some or choose another")  \
    X(LRD_EADDR, -15, "the segment's address range is not available in this process")              \
    X(LRD_EPERM, -16, "the segment file's owner, mode or type is not as required")                 \
    X(LRD_EFORMAT, -17, "not a larder segment, or damaged")                                        \
    X(LRD_EMISMATCH, -18, "the segment was made with other settings or by another build")          \
    X(LRD_ENAMESPACE, -19, "the segment is in use in another PID or time namespace")               \
    X(LRD_ETRUNCATED, -20,                                                                         \
      "the segment file was truncated or overwritten; its users must close and open it again")     \
    X(LRD_EBARRIER, -21, "this process cannot use membarrier, which the segment relies on")        \
    X(LRD_EDEADLK, -22, "this thread holds the key's reservation already")                         \
    X(LRD_ENOLOCKS, -23, "too many keys are reserved at once")                                     \
    X(LRD_ESYS, -24, "a system call failed")                                                       \
    X(LRD_ENOQUEUE, -25, "there is no such queue, or there are too many")                          \
    X(LRD_EMOVED, -26,                                                                             \
      "the segment file was removed or replaced; close the store and open it again")               \
    X(LRD_EFILESIZE, -27,                                                                          \
      "this process may not make files of the segment's size; raise the limit (ulimit -f)")

#define LRD_CODE_ENUM(name, value, text) name = (value),
typedef enum lrd_code { LRD_CODES(LRD_CODE_ENUM) } lrd_code;
#undef LRD_CODE_ENUM

/* Returns: the general text of `code`, or "unknown code"; static. */
LRD_API const char *lrd_strerror(int code);
/* Returns: the name of a code, e.g. "LRD_EBUSY"; static. */
LRD_API const char *lrd_error_name(int code);
/* Returns: the exact cause of this thread's last failure, or "". Valid until this thread's next
 * failing call. */
LRD_API const char *lrd_error_detail(void);

/* ---- stores ---- */

typedef struct lrd_store lrd_store;

typedef enum lrd_policy {
    LRD_VOLATILE = 0, /* allows overwrite, delete and TTL; evicts entries when full */
    LRD_PINNED = 1,   /* allows overwrite and delete, but no TTL; refuses writes when full */
    /* Allows no overwrite and no delete, so reads need no ledger. Refuses writes when full. */
    LRD_IMMUTABLE = 2,
    /* Allows overwrite, delete and TTL. When full, removes expired entries, and then refuses
     * writes. */
    LRD_SESSION = 3,
    LRD_QUEUE = 4 /* has no entries, only queues of messages (larder_queue.h) */
} lrd_policy;

typedef struct lrd_options {
    uint32_t struct_size;
    lrd_policy policy; /* default LRD_VOLATILE */
    /* Size of the data in bytes, LRD_SIZE_MIN..LRD_SIZE_MAX, rounded up to a multiple of 64 KiB.
     * The default is the existing segment's size, or 64 MiB for a new one. */
    uint64_t size;
    /* Number of entries for which a new store's index has room before it grows. The default makes a
     * small index. */
    uint64_t entries_hint;
    /* number of shards, a power of two from 1 to 256; the default depends on the size (4 for 64
     * MiB) */
    uint32_t shards;
    /* number of threads that can use the store at the same time, 16 to 4096; the default is 4096 */
    uint32_t slots;
    /* Address at which every process maps the data, a multiple of 2 MiB. By default, the creator
     * takes the first free address from `base_from` on. */
    uint64_t base;
    /* Address at which the search for a free address starts, a multiple of 2 MiB; by default
     * 0x550000000000. The stores that one process opens must not overlap. But the process that
     * creates a store sees only which of its own addresses are free. So give stores of different
     * creators different values. If the processor has fewer than 47 address bits, the value is
     * translated to a lower address. */
    uint64_t base_from;
    /* Path of the file of a named store. NULL makes an anonymous store (memfd) for this process and
     * its later children. */
    const char *path;
    /* Name of the layout of the host's values, up to 63 bytes; equal for all users. The default is
     * "". */
    const char *value_abi;
    /* True to create the store in fence mode: each read executes a full fence (about 5 ns) instead
     * of relying on membarrier(2). Without membarrier, stores always use fence mode. */
    bool fence;
    /* For tools: accept any policy, size and value_abi, but never create, replace or remove a
     * segment. */
    bool open_only;
    bool accept_size; /* true to accept an existing segment of another size */
    /* true to accept an existing segment with another value_abi; see lrd_info */
    bool accept_abi;
    /* A clock for tests, in milliseconds, less than 2^39. The default is the time since boot. */
    uint64_t (*clock_ms)(void *clock_arg);
    void *clock_arg;
    /* Bytes of memory that the program's other stores may need, for lrd_store_warning(). */
    uint64_t reserve_for_others;
} lrd_options;
#define LRD_OPTIONS_INIT                                                                           \
    {                                                                                              \
        .struct_size = sizeof(lrd_options)                                                         \
    }

/* Create an anonymous store, or open the named store at options->path:
 * - If the file does not exist, create it.
 * - If the file has the settings of *options, open it with its contents.
 * - If its settings differ, replace it. But if a process uses it, return LRD_EMISMATCH;
 *   lrd_error_detail() names the difference.
 *
 * The file has mode 0600 and must belong to the caller; symbolic links are refused. May block while
 * another process creates the file. End the use of *out with lrd_close().
 *
 * If the file of a named store is removed, renamed or replaced, calls that would change its data
 * return LRD_EMOVED and change nothing. lrd_lock(), lrd_sweep() and lrd_request_begin() return it,
 * too. For up to a second after the move, calls may still succeed and change the old file. Writes
 * may do so for some 20 milliseconds after the first LRD_EMOVED. Held values stay valid. Reads,
 * iteration, statistics, lrd_fsck(), lrd_unlock() and lrd_semaphore_release() still work. Release
 * your values, close the store, and open it again. To open the new store before you close the old
 * one, create both with different values of `base_from`.
 *
 * If the file was made shorter or was overwritten, calls return LRD_ETRUNCATED, and reads find no
 * entry. An access to lost data raises SIGBUS until a call has noticed the loss. Calls that check
 * the file notice it within a second. These calls do not check the file: lrd_get(), lrd_get_many(),
 * lrd_has(), lrd_prefetch(), lrd_hold(), lrd_release(), lrd_holds_limited(), lrd_count_miss(),
 * lrd_count_unpack(). Values held before the loss, and watches, can raise SIGBUS at any time, also
 * in lrd_value_entry(), lrd_value_uses(), lrd_watch_read() and lrd_watch_wait().
 *
 * Returns: LRD_OK, LRD_EINVAL, LRD_ENOMEM, LRD_ENOSPC, LRD_EADDR, LRD_EPERM, LRD_EFORMAT,
 * LRD_EMISMATCH, LRD_ENAMESPACE, LRD_EBARRIER, LRD_EFILESIZE, LRD_ESYS (also with open_only if the
 * file does not exist). */
LRD_API int lrd_open(const lrd_options *options, lrd_store **out);

/* Detach this process from the store, and end every handle of the calling thread. The store stays
 * mapped until the process's other threads have ended or called lrd_thread_leave(). Do not use
 * `store` afterwards. NULL is allowed. */
LRD_API void lrd_close(lrd_store *store);

/* ---- get and put ---- */

typedef enum lrd_kind {
    LRD_KIND_NONE = 0,
    LRD_KIND_HELD, /* points into the store; unchanged until lrd_release() */
    /* points into the store; unchanged until this thread's next lrd_* call on the store */
    LRD_KIND_BORROWED,
    LRD_KIND_COPY /* a private copy; lrd_release() frees it */
} lrd_kind;

typedef struct lrd_value {
    const void *data; /* LRD_ALIGN-aligned */
    size_t size;      /* bytes */
    uint64_t block;   /* private */
    uint32_t handle;  /* private */
    uint8_t kind;     /* lrd_kind */
    uint8_t type;     /* type that the writer has chosen */
} lrd_value;

enum {
    /* Borrow the value instead of holding it: cheapest if you copy it immediately. */
    LRD_GET_BORROW = 1,
    /* count no hit, no miss and no use, so that the get does not delay the entry's eviction */
    LRD_GET_NO_COUNT = 4
    /* more flags: LRD_GET_NO_COPY (2) and LRD_GET_PLAIN (8) in larder_host.h */
};

/* Look up a key. `flags`: LRD_GET_* flags, or 0. Never blocks, with one exception: in a file that
 * was left over from processes that have ended, the first look-up in each shard takes the shard's
 * lock and checks the shard for some milliseconds.
 *
 * The value is held (LRD_KIND_HELD), unless one of these bounds is reached:
 * - One thread holds at most LRD_HOLDS_MAX blocks, and a quarter of the data (but always one
 *   block).
 * - All threads together hold at most half of the data, and blocks in at most two of the four parts
 *   of a volatile store's last eighth.
 * - A request (lrd_request_begin()) that is older than a minute holds no further values.
 *
 * At a bound, *out is a private copy. A thread that gets no slot reads under the shard's lock, so
 * it may block; it gets a copy, or LRD_ENOSLOT with LRD_GET_NO_COPY.
 *
 * Read a borrowed value only until the thread's next call on the store. Its memory stays in use
 * until you release it, borrow another value, or end the request.
 *
 * Returns: LRD_OK if *out is filled; LRD_MISS if there is no live entry; LRD_EBUSY if another
 * thread did not finish the check of a shard within a second; LRD_ENOMEM. */
LRD_API int lrd_get(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                    lrd_value *out);

/* End one handle, and set value->kind to LRD_KIND_NONE. Does nothing if the kind is LRD_KIND_NONE
 * already. A block without handles may be reused. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if this thread does not have the handle. */
LRD_API int lrd_release(lrd_store *store, lrd_value *value);

/* Check whether an entry exists, without counting a hit or a miss. Blocks only when lrd_get()
 * would.
 * Returns: LRD_OK if a live entry has the key, else LRD_MISS. */
LRD_API int lrd_has(lrd_store *store, const void *key, size_t key_len);

typedef enum lrd_mode {
    LRD_SET = 0, /* insert or replace */
    LRD_ADD = 1, /* insert; returns LRD_EXISTS if a live entry has the key */
    /* Replace the entry if its version is lrd_write.version. Otherwise returns LRD_STALE, LRD_MISS
     * (no entry) or LRD_ETYPE (a counter). */
    LRD_REPLACE = 2,
    /* Like LRD_REPLACE, but the new value is the old value in another form. Version, age and time
     * to live stay; ttl_ms must be 0. Not counted as a replacement. */
    LRD_REFORM = 3
} lrd_mode;

typedef struct lrd_write {
    /* time to live, or 0 for no limit; LRD_EPOLICY if the policy has no TTL */
    uint64_t ttl_ms;
    uint64_t version; /* expected version, for LRD_REPLACE and LRD_REFORM */
    lrd_mode mode;
    uint16_t struct_size;
    /* type of the value, chosen by the host, 0..248; see lrd_value.type */
    uint8_t type;
} lrd_write;
#define LRD_WRITE_INIT                                                                             \
    {                                                                                              \
        .struct_size = sizeof(lrd_write)                                                           \
    }

/* Copy `size` bytes into the store. `how` may be NULL for all defaults. A volatile store always
 * makes room for up to 1/32 of its size by evicting. If values under construction take all the
 * room, the call waits until their threads finish. It waits for up to LRD_LOCK_WAIT_MS, or for up
 * to five seconds if some of these threads are running. May block.
 * Returns: LRD_OK; LRD_EXISTS with LRD_ADD; LRD_STALE, LRD_MISS, LRD_ETYPE with LRD_REPLACE;
 * LRD_EINVAL, LRD_ESIZE, LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_ENOMEM; LRD_ESTATE if this
 * thread holds or builds LRD_HOLDS_MAX values. A volatile store never returns LRD_ENOSLOT. */
LRD_API int lrd_put(lrd_store *store, const void *key, size_t key_len, const void *data,
                    size_t size, const lrd_write *how);

/* Remove the entry. Its holders can still read the value. May block.
 * Returns: LRD_OK; LRD_MISS if no live entry has the key. A volatile store never returns
 * LRD_ENOSLOT. */
LRD_API int lrd_delete(lrd_store *store, const void *key, size_t key_len);
/* Remove the entry if it has this version (see lrd_value_entry()). A counter has version 0, and is
 * removed if its value is `number`; a concurrent increment may be lost. May block.
 * Returns: LRD_OK, for only one of several callers with the same version; LRD_STALE if the entry
 * has changed; LRD_MISS if no live entry has the key. */
LRD_API int lrd_delete_version(lrd_store *store, const void *key, size_t key_len, uint64_t version,
                               int64_t number);
/* Copy a small value to `buffer` and remove its entry, in one step. `buffer` is LRD_ALIGN-aligned
 * and has `room` bytes. A concurrent increment of a counter may be lost. Counts a hit or a miss;
 * counts nothing if it returns LRD_EXISTS. May block.
 * Returns: LRD_OK if the entry was removed. *out then describes the value in `buffer`, which needs
 * no release. If several callers take an entry at once, only one gets LRD_OK. LRD_EXISTS, with the
 * entry unchanged, if the value is larger than `room`, or if types[] is false for the type of the
 * value. LRD_MISS if no live entry has the key. A volatile store never returns LRD_ENOSLOT. */
LRD_API int lrd_take(lrd_store *store, const void *key, size_t key_len, const bool types[256],
                     void *buffer, size_t room, lrd_value *out);
/* Let the entry expire ttl_ms from now, or never if ttl_ms is 0. May block.
 * Returns: LRD_OK; LRD_MISS if no live entry has the key. */
LRD_API int lrd_touch(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms);
/* Remove all entries in one step, in a time that does not depend on their number. Later writes free
 * the memory. Holders can still read their values. Takes no lock, with one exception: one call in
 * 2^31 locks one shard after the other, and frees the memory of the entries that earlier calls have
 * removed.
 * Returns: LRD_OK. A call that takes locks may return LRD_EBUSY or LRD_ENOSLOT, and removes
 * nothing. */
LRD_API int lrd_clear(lrd_store *store);

/* ---- counters ---- */

/* A counter is an entry of type LRD_TYPE_COUNTER whose value is one int64_t. Calls return
 * LRD_ERANGE on an overflow, and LRD_ETYPE if the entry is no counter. */
#define LRD_TYPE_COUNTER 255u
/* Add `step` to a counter atomically. Never blocks, and keeps the time to live. But if the key has
 * no live entry, creates a counter with the value `initial` + `step` and the time to live ttl_ms,
 * and may block. *result receives the new value.
 * Returns: LRD_OK, LRD_ERANGE, LRD_ETYPE; also the codes of lrd_put() if the call creates an
 * entry. */
LRD_API int lrd_counter_add(lrd_store *store, const void *key, size_t key_len, int64_t step,
                            int64_t initial, uint64_t ttl_ms, int64_t *result);
/* Add `step` to a live counter. *result receives the new value. Never blocks.
 * Returns: LRD_OK, LRD_MISS, LRD_ERANGE, LRD_ETYPE. */
LRD_API int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                               int64_t *result);
/* If a live counter is `expected`, set it to `wanted`, atomically. Keeps the time to live. Never
 * blocks.
 * Returns: LRD_OK; LRD_STALE if the counter has another value; LRD_MISS, LRD_ETYPE. */
LRD_API int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                             int64_t wanted);
/* Set a counter. Creates it, or replaces an entry of another type, if necessary. One atomic write
 * if the counter has no time to live and ttl_ms is 0.
 * Returns: LRD_OK, or another code of lrd_put(). */
LRD_API int lrd_counter_set(lrd_store *store, const void *key, size_t key_len, int64_t value,
                            uint64_t ttl_ms);
/* Returns: the number of a counter that lrd_get() has read; 0 if the value is no counter. */
LRD_API int64_t lrd_counter_value(const lrd_value *value);

/* ---- more about reading ---- */

/* Give this thread a new handle of a held value. The value stays until both handles are released.
 * If the old handle belongs to another thread of the process, that thread must keep it during the
 * call. Never blocks.
 * Returns: LRD_OK (*out is a private copy if a bound of lrd_get() is reached); LRD_ESTATE if *value
 * is not held. */
LRD_API int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out);

/* Facts about a held or borrowed value. */
typedef struct lrd_entry {
    const void *key; /* points into the store; valid while the value is valid */
    size_t key_len;
    uint64_t version;
    uint64_t ttl_ms;
    /* Milliseconds since the value was written; 0 for a counter. */
    uint64_t age_ms;
} lrd_entry;
/* Describe a value in *out: version 0 for a counter, ttl_ms 0 for no limit. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if the value is a copy. */
LRD_API int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out);

typedef struct lrd_key {
    const void *key;
    size_t key_len; /* bytes */
} lrd_key;

/* Look up `count` keys like lrd_get(), but prefetch 16 at a time. Release each held value; it is
 * cheapest to release the last one first. Keys may repeat. LRD_GET_PLAIN has no effect.
 * Returns: LRD_OK if the first *done elements of `out` are filled; a missing key has LRD_KIND_NONE.
 * With LRD_GET_NO_COPY, the call stops after the first value that it had to borrow because of a
 * bound (*done < count). Use this value, and call again for the rest. LRD_EINVAL for
 * LRD_GET_BORROW. Any other code below 0 belongs to keys[*done]; the elements before it are
 * filled. */
LRD_API int lrd_get_many(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags,
                         lrd_value *out, size_t *done);

/* ---- iteration ---- */

/* The state of an iteration; zeros start one. An entry that exists during the whole iteration is
 * returned exactly once. Any other entry is returned at most once. */
typedef struct lrd_cursor { /* private */
    uint64_t mask, home, hash;
    bool inside;
    /* public: recent uses of the last returned entry, 0 to 3, as from lrd_value_uses() */
    uint8_t uses;
    /* public: lrd_next() returns LRD_MISS after it has visited this number of index buckets without
     * an entry; 0 for no limit */
    uint32_t most;
} lrd_cursor;

/* Go to the next live entry. *out is borrowed; lrd_hold() keeps the value.
 * Returns: LRD_OK; LRD_END after the last entry, or if the file was truncated; LRD_MISS after
 * cursor->most index buckets without an entry; LRD_EBUSY as from lrd_get(). After LRD_MISS or
 * LRD_EBUSY, call again with the same cursor. */
LRD_API int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out);

/* ---- writing in two steps ---- */

typedef struct lrd_reservation {
    void *build; /* write the `size` bytes of the value here */
    /* address at which readers will see the value, for pointers inside it */
    const void *data;
    size_t size;
    uint64_t serial; /* private */
    uint32_t handle; /* private; 0: none */
} lrd_reservation;

/* Reserve room for a value of `size` bytes (0 is allowed). Then write the value without a lock, and
 * soon publish or abort it in the same thread. Makes room and waits like lrd_put(). A key of more
 * than 400 bytes counts as part of the value. The old value stays readable until the publish, so
 * the store needs room for both. May block, and may evict entries even if it fails.
 * Returns: LRD_OK; LRD_ESIZE, LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_EBUSY, LRD_ENOSLOT,
 * LRD_ENOMEM. LRD_EPOLICY in a store of queues: see lrd_queue_reserve(). LRD_ESTATE if this thread
 * holds or builds LRD_HOLDS_MAX values. */
LRD_API int lrd_reserve(lrd_store *store, const void *key, size_t key_len, size_t size,
                        uint8_t type, lrd_reservation *out);

/* Make the value visible to every process, in one atomic step. If ttl_ms is 0, the entry never
 * expires. `version` is for LRD_REPLACE and LRD_REFORM. May block.
 * Returns: LRD_OK, or a code that lrd_put() returns for this mode; LRD_ESTATE if the reservation is
 * not open. LRD_EBUSY leaves the reservation open: try again or abort it. Every other code ends
 * it. */
LRD_API int lrd_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                        uint64_t ttl_ms, uint64_t version);
/* Give the reserved room back. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if the reservation is not open. */
LRD_API int lrd_abort(lrd_store *store, lrd_reservation *reservation);

/* ---- key reservations (compute once) ---- */

/* Reserve a key for this thread, whether the key has an entry or not. Entries stay readable and
 * writable. The reservation ends with lrd_unlock(), after lease_ms (0: no limit), with
 * lrd_request_end(), or with its owner's death. Unless `token` is NULL, *token receives the token
 * for lrd_unlock(). May block up to wait_ms.
 * Returns: LRD_OK; LRD_HELD if another thread has reserved the key; LRD_EDEADLK if this thread has;
 * LRD_ENOLOCKS if 131,072 keys are reserved, or if there is no memory for more reservations. */
LRD_API int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms,
                     uint64_t wait_ms, uint64_t *token);
/* End the reservation with this token. Any thread of the process that made the reservation may call
 * this. Token 0 means this thread's own reservation of the key.
 * Returns: LRD_OK, also if the file was moved; LRD_MISS if no reservation of the key has this
 * token; LRD_ETRUNCATED; LRD_EBUSY if the shard's lock was not available in time. After LRD_EBUSY,
 * a later call of the reserving thread ends the reservation automatically; any other thread must
 * call again. */
LRD_API int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token);
/* Check for a possible deadlock, after LRD_HELD from lrd_lock() and while you wait. May block as
 * lrd_lock() does with wait_ms 0.
 * Returns: true if another thread may need a key that this thread has reserved. Then stop waiting.
 * A thread may need a key if it waits for the key, or if it has reserved other keys and got
 * LRD_HELD for the key. */
LRD_API bool lrd_lock_wanted(lrd_store *store);

/* ---- facts ---- */

/* The constant facts about a store. */
typedef struct lrd_info {
    lrd_policy policy;
    uint64_t size; /* bytes of data */
    /* size in bytes of index and bookkeeping, before the data; only used parts take memory */
    uint64_t control;
    /* maximum number of entries of the fully grown index */
    uint64_t words;
    /* maximum number of entries, if all have the smallest size */
    uint64_t entries_max;
    uint64_t value_max; /* size in bytes of the largest possible value */
    uint32_t shards, slots;
    /* Address of the data, equal in every process. You can read up to 256 KiB beyond the data. */
    const void *base;
    const char *value_abi; /* valid until lrd_close() */
    bool fence;
    bool created; /* true if this lrd_open() created the segment */
} lrd_info;
/* Describe the store in *out. value_abi may be "" if the file was truncated. */
LRD_API void lrd_store_info(const lrd_store *store, lrd_info *out);
/* Returns: lrd_info.value_max, without the cost of lrd_store_info(). */
LRD_API uint64_t lrd_value_max(const lrd_store *store);
/* Returns: a text that the host should log, or "". The text says why this lrd_open() has replaced
 * an unused file, or that the new store is larger than the available memory. Valid until
 * lrd_close(). */
LRD_API const char *lrd_store_warning(const lrd_store *store);

/* Give back the calling thread's slot and end all its handles, for example before a long idle
 * time. */
LRD_API void lrd_thread_leave(lrd_store *store);
/* Give back the calling thread's slots, and end its handles, in stores that the process has closed.
 * The last thread that leaves such a store unmaps it. Cheap: a host may call it often. */
LRD_API void lrd_thread_leave_closed(void);

#ifdef __cplusplus
}
#endif
#endif
