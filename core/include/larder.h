/* larder.h - a crash-proof shared-memory store of immutable blocks. Most programs need only this
 * header. The others are larder_host.h for language extensions, larder_queue.h for queues of
 * messages, larder_coordination.h for rate limits, and larder_admin.h for statistics and checks.
 * core/example.c is an example.
 *
 * A store is one memory segment that unrelated processes and threads share. A read returns a
 * pointer into that segment. It copies nothing, takes no lock and writes no cache line that another
 * process reads or writes. A process may be killed at any instruction: the entries that it has
 * published stay, and memory that it has not published yet is freed.
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
 * A held or borrowed value never changes. You use all three kinds alike: read the bytes at data,
 * then call lrd_release().
 *
 * Conventions
 * - Functions that return int return LRD_OK (0) on success, a positive value for an answer that is
 *   no error (LRD_MISS), and a negative value for a failure. A failed call changes no entry, but a
 *   volatile store may have evicted entries.
 * - "Returns:" names the codes of the function itself. In addition, functions that take a key may
 *   return LRD_EKEY. Functions that may block may return LRD_EBUSY. Functions that the store's
 *   policy forbids return LRD_EPOLICY. Functions that write or reserve may return LRD_EMOVED and
 *   LRD_ETRUNCATED (see lrd_open()). If a store's file was left over from processes that have
 *   ended, each part of the file must be checked once (see lrd_get()). If a system call for this
 *   check fails, the function that needs the part returns LRD_ESYS or LRD_ETRUNCATED. No data is
 *   lost by that: the next call checks the part again. Functions that need the thread's slot may
 *   return LRD_ENOSLOT. They return LRD_EREENTRY if they are called from inside another call of the
 *   library on the same thread.
 * - In structs that the caller fills, zero means the default for every field. Set struct_size to 0,
 *   or to the size of the struct, as LRD_OPTIONS_INIT and LRD_WRITE_INIT do. A library that is
 *   older than your struct returns LRD_EINVAL. Structs that the library fills grow only when the
 *   version number of the shared library changes.
 * - Keys are any bytes, 1..LRD_KEY_MAX long. Sizes are bytes. Times are milliseconds.
 * - Any thread of a process that opened the store may call every function, except from a signal
 *   handler. Do not leave a call by longjmp. A handle (lrd_value, lrd_reservation) belongs to the
 *   thread that received it.
 * - "Never blocks" means that the call takes no lock and makes no system call. (A thread's first
 *   call claims its slot and does both. At most once a second, a call also checks the file of a
 *   named store by system calls; see lrd_open().)
 * - "May block" means that a call waits for a shard's lock for at most LRD_LOCK_WAIT_MS, and then
 *   returns LRD_EBUSY. While many threads take the lock in turn, or while the lock's owner waits
 *   for a processor, the limit is five seconds. A call that needs several locks may wait that long
 *   for each. If a call has waited in vain because the owner is stopped, other calls of the same
 *   process do not wait for this lock: they return LRD_EBUSY immediately, until the owner runs
 *   again. So sleep before you try again. */
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
/* maximum number of blocks that one thread can hold at the same time. If more than 512 threads use
 * the store, some of the threads can hold only 1,024 */
#define LRD_HOLDS_MAX 32768u
#define LRD_SIZE_MIN (1u << 20) /* smallest data size of a store in bytes */
/* largest data size of a store in bytes: an index word names one of 2^36 granules of 16 bytes */
#define LRD_SIZE_MAX (1ull << 40)

/* The table of result codes: name, number, text. The enum lrd_code, lrd_strerror() and
 * lrd_error_name() are made from it. */
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

/* Returns: the general text of `code`, or "unknown code". The string is static; the result is never
 * NULL. */
LRD_API const char *lrd_strerror(int code);
/* Returns: the name of a code, e.g. "LRD_EBUSY". The string is static; the result is never NULL. */
LRD_API const char *lrd_error_name(int code);
/* Returns: the exact cause of this thread's last failure, or "" if the general text says
 * everything. Valid until this thread's next failing call. */
LRD_API const char *lrd_error_detail(void);

/* ---- stores ---- */

typedef struct lrd_store lrd_store;

typedef enum lrd_policy {
    LRD_VOLATILE = 0, /* allows overwrite, delete and TTL; evicts entries when full */
    LRD_PINNED = 1,   /* allows overwrite and delete, but no TTL; refuses writes when full */
    /* Entries are added but never changed or removed, so reads need no ledger. Refuses writes when
     * full. */
    LRD_IMMUTABLE = 2,
    /* Allows overwrite, delete and TTL. When full, removes expired entries, and refuses writes if
     * there are none. */
    LRD_SESSION = 3,
    LRD_QUEUE = 4 /* has no entries, only queues of messages (larder_queue.h) */
} lrd_policy;

typedef struct lrd_options {
    uint32_t struct_size;
    lrd_policy policy; /* default LRD_VOLATILE */
    /* Size of the data in bytes, LRD_SIZE_MIN..LRD_SIZE_MAX. It is rounded up to a multiple of 64
     * KiB. The default is the size of the existing segment. If there is none, the default is 64
     * MiB. */
    uint64_t size;
    /* Number of entries that the index of a new store can take before it must grow. The default 0
     * makes a small index. The index grows by itself. */
    uint64_t entries_hint;
    /* number of shards, a power of two from 1 to 256. The default depends on the size: it is 4 for
     * a store of 64 MiB, for example */
    uint32_t shards;
    /* number of threads that can use the store at the same time, from 16 to 4096. The default is
     * 4096 */
    uint32_t slots;
    /* Address at which every process maps the data, a multiple of 2 MiB. By default, the creator of
     * the store takes the first free address from `base_from` on. */
    uint64_t base;
    /* Address at which the search for a free address starts, a multiple of 2 MiB. The default is
     * 0x550000000000. If a process opens two stores, their addresses must not overlap. But the
     * process that creates a store sees only its own addresses. So if different processes create
     * the stores, give each store its own `base_from`. If the processor has fewer than 47 address
     * bits, `base_from` is translated to a lower address. */
    uint64_t base_from;
    /* Path of the file of a named store. NULL makes an anonymous store (memfd) for this process and
     * the processes that it forks later. */
    const char *path;
    /* Name of the layout of the host's values, up to 63 bytes. The default is "". All users of a
     * store must give the same name. */
    const char *value_abi;
    /* True to create the store in fence mode: each read executes a full fence (about 5 ns), and no
     * process needs membarrier(2). If false, the store uses fence mode only if the machine has no
     * membarrier. */
    bool fence;
    /* For tools. If true, lrd_open() accepts any policy, size and value_abi of an existing segment,
     * but never creates, replaces or removes one. */
    bool open_only;
    bool accept_size; /* true to accept an existing segment of another size */
    /* true to accept an existing segment with another value_abi; see lrd_info.value_abi */
    bool accept_abi;
    /* A clock for tests. It returns milliseconds, less than 2^39. The default clock is the time
     * since boot. */
    uint64_t (*clock_ms)(void *clock_arg);
    void *clock_arg;
    /* Bytes of memory that other stores of this program may still need. lrd_store_warning()
     * subtracts them from the available memory. */
    uint64_t reserve_for_others;
} lrd_options;
#define LRD_OPTIONS_INIT                                                                           \
    {                                                                                              \
        .struct_size = sizeof(lrd_options)                                                         \
    }

/* Create an anonymous store, or open the named store at options->path. If the file does not exist,
 * create it. If the file exists and has the settings of *options, open it with its contents. If its
 * settings differ, replace the file. But if a process uses the file, return LRD_EMISMATCH, and let
 * lrd_error_detail() name the difference. The file has mode 0600 and must belong to the caller;
 * symbolic links are refused. May block while another process creates the file. Call lrd_close() to
 * end the use of *out.
 *
 * If the file of a named store is removed, renamed or replaced, all calls that would change the
 * store's data return LRD_EMOVED and change nothing. lrd_lock(), lrd_sweep() and
 * lrd_request_begin() return LRD_EMOVED, too. All these calls check the name at most once a
 * second, so for up to a second after the move they may still succeed: their changes are then in
 * the old file. After one call has returned LRD_EMOVED, writes of the thread and of other threads
 * may still succeed for some 20 milliseconds, because a write does not ask for the result of the
 * check more often. lrd_unlock() and lrd_semaphore_release() still work, because other users of the
 * file may wait for the key or permit. Held values stay valid, and reads, iteration, statistics and
 * lrd_fsck() still work. Release your held values, close the store, and open it again. If you open
 * the new store before you close the old one, the two stores must have been created with different
 * values of `base_from`.
 *
 * Calls return LRD_ETRUNCATED if the file was made shorter or was overwritten. After that, calls
 * that read find no entry. An access to lost data raises SIGBUS if no call has noticed the loss
 * yet. Calls that check the file notice the loss within a second. These calls do not check the
 * file, so they may raise SIGBUS until another call has noticed the loss: lrd_get(),
 * lrd_get_many(), lrd_has(), lrd_prefetch(), lrd_hold(), lrd_release(), lrd_holds_limited(),
 * lrd_count_miss() and lrd_count_unpack(). SIGBUS can come at any time if you use a watch, or a
 * value that you held before the loss. This is also true in lrd_value_entry(), lrd_value_uses(),
 * lrd_watch_read() and lrd_watch_wait().
 *
 * Returns: LRD_OK, LRD_EINVAL, LRD_ENOMEM, LRD_ENOSPC, LRD_EADDR, LRD_EPERM, LRD_EFORMAT,
 * LRD_EMISMATCH, LRD_ENAMESPACE, LRD_EBARRIER, LRD_EFILESIZE, LRD_ESYS (also with open_only if the
 * file does not exist). */
LRD_API int lrd_open(const lrd_options *options, lrd_store **out);

/* Detach this process from the store. Ends every handle of the calling thread. The store stays
 * mapped until the other threads of the process have ended or called lrd_thread_leave(). Do not use
 * `store` afterwards. If `store` is NULL, nothing happens.
 * Returns: nothing. */
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
    uint8_t type;     /* type that the writer has chosen for the value */
} lrd_value;

enum {
    /* Borrow the value instead of holding it. If you copy the value immediately after the call,
     * this is the cheapest way. */
    LRD_GET_BORROW = 1,
    /* count no hit and no miss, and no use of the entry: the get then does not delay the entry's
     * eviction */
    LRD_GET_NO_COUNT = 4
    /* larder_host.h has the flags LRD_GET_NO_COPY (2) and LRD_GET_PLAIN (8) */
};

/* Look up a key. `flags` is 0 or consists of LRD_GET_* flags. Never blocks, with one exception: if
 * the file of the store was left over from processes that have ended, each part of the store must
 * be checked once. The first look-up in a part takes the part's lock and checks the part, which
 * takes some milliseconds.
 *
 * The value is held (LRD_KIND_HELD) if none of these bounds is reached. One thread may hold at most
 * LRD_HOLDS_MAX blocks, and at most a quarter of the data (but always one block). All threads
 * together may hold half of the data. The last eighth of a volatile store has four parts, and
 * threads may hold blocks in only two of them. If a thread's request (lrd_request_begin()) is older
 * than a minute, the thread cannot hold further values.
 *
 * If a bound is reached, *out is a private copy, which the caller uses like a held value. A thread
 * that gets no slot must read under the shard's lock, so its call may block. The thread gets a
 * copy, or with LRD_GET_NO_COPY the code LRD_ENOSLOT.
 *
 * Read a borrowed value only until the thread's next call on the store. Its memory stays in use
 * until you release the value, borrow another value, or end the request.
 *
 * Returns: LRD_OK if *out is filled; LRD_MISS if there is no live entry; LRD_EBUSY if another
 * thread did not finish the check of a part of the store within a second; LRD_ENOMEM. */
LRD_API int lrd_get(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                    lrd_value *out);

/* End one handle, and set value->kind to LRD_KIND_NONE. If the kind is LRD_KIND_NONE already,
 * nothing happens. A block without handles may be reused. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if this thread does not have the handle. */
LRD_API int lrd_release(lrd_store *store, lrd_value *value);

/* Check whether an entry exists, without counting a hit or a miss. Blocks only in the cases in
 * which lrd_get() would block.
 * Returns: LRD_OK if a live entry has the key, else LRD_MISS. */
LRD_API int lrd_has(lrd_store *store, const void *key, size_t key_len);

typedef enum lrd_mode {
    LRD_SET = 0, /* insert or replace */
    LRD_ADD = 1, /* insert; returns LRD_EXISTS if a live entry has the key */
    /* Replace the entry if its version is lrd_write.version. Otherwise the call returns LRD_STALE,
     * LRD_MISS (no entry) or LRD_ETYPE (the entry is a counter). */
    LRD_REPLACE = 2,
    /* Like LRD_REPLACE, but the new value is another form of the old one. The entry keeps its
     * version, age and time to live; ttl_ms must be 0. Does not count as a replacement. */
    LRD_REFORM = 3
} lrd_mode;

/* How a value is written. */
typedef struct lrd_write {
    /* time to live, or 0 for no limit; if the policy has no TTL, every other value makes the call
     * return LRD_EPOLICY */
    uint64_t ttl_ms;
    uint64_t version; /* expected version of the entry; only for LRD_REPLACE and LRD_REFORM */
    lrd_mode mode;
    uint16_t struct_size;
    /* type of the value, chosen by the host, 0..248; readers find it in lrd_value.type */
    uint8_t type;
} lrd_write;
#define LRD_WRITE_INIT                                                                             \
    {                                                                                              \
        .struct_size = sizeof(lrd_write)                                                           \
    }

/* Copy `size` bytes into the store. NULL for `how` means the default of each field of lrd_write.
 * For a value of up to 1/32 of its size, a volatile store always makes room by evicting other
 * entries, even while many values are held, or its index or file system is full. If other threads
 * are building values that take all the room, the call waits for these threads: up to
 * LRD_LOCK_WAIT_MS, or up to five seconds while some of them are running. May block.
 * Returns: LRD_OK; LRD_EXISTS with LRD_ADD; LRD_STALE, LRD_MISS, LRD_ETYPE with LRD_REPLACE;
 * LRD_EINVAL, LRD_ESIZE, LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_ENOMEM; LRD_ESTATE if this
 * thread holds or builds LRD_HOLDS_MAX values. A volatile store does not return LRD_ENOSLOT. */
LRD_API int lrd_put(lrd_store *store, const void *key, size_t key_len, const void *data,
                    size_t size, const lrd_write *how);

/* Remove the entry. Threads that hold the value can still read it. May block.
 * Returns: LRD_OK; LRD_MISS if no live entry has the key. A volatile store does not return
 * LRD_ENOSLOT. */
LRD_API int lrd_delete(lrd_store *store, const void *key, size_t key_len);
/* Remove the entry if it has this version (see lrd_value_entry()). A counter has version 0, and is
 * removed if its value is `number`. If another thread increments the counter at that moment, the
 * increment may be lost. May block.
 * Returns: LRD_OK; LRD_STALE if the entry has changed; LRD_MISS if no live entry has the key. If
 * several callers pass the same version, only one of them gets LRD_OK. */
LRD_API int lrd_delete_version(lrd_store *store, const void *key, size_t key_len, uint64_t version,
                               int64_t number);
/* Copy a small value to `buffer` and remove its entry, in one step. `buffer` is LRD_ALIGN-aligned
 * and has room for `room` bytes. If the entry is a counter and another thread increments it at that
 * moment, the increment may be lost. Counts a hit or a miss, but not if it returns LRD_EXISTS. May
 * block.
 * Returns: LRD_OK if the entry was removed. *out then describes the value in `buffer`, and needs
 * no release. If several callers take an entry at the same time, only one of them gets LRD_OK.
 * LRD_EXISTS if the value is larger than `room`, or if types[] is false for the value's type;
 * the entry then stays. LRD_MISS if no live entry has the key. A volatile store does not return
 * LRD_ENOSLOT. */
LRD_API int lrd_take(lrd_store *store, const void *key, size_t key_len, const bool types[256],
                     void *buffer, size_t room, lrd_value *out);
/* Let the entry expire ttl_ms from now, or never if ttl_ms is 0. May block.
 * Returns: LRD_OK; LRD_MISS if no live entry has the key. */
LRD_API int lrd_touch(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms);
/* Remove all entries in one step, in a time that does not depend on their number. Later writes free
 * the memory when they need it. Threads that hold a value can still read it. Takes no lock. But one
 * in 2^31 calls takes locks, and frees the memory of all entries that earlier calls removed, shard
 * by shard.
 * Returns: LRD_OK. A call that takes locks may fail with LRD_EBUSY or LRD_ENOSLOT, and then removes
 * nothing. */
LRD_API int lrd_clear(lrd_store *store);

/* ---- counters ---- */

/* A counter is an entry of type LRD_TYPE_COUNTER whose value is one int64_t. Calls return
 * LRD_ERANGE if the counter would overflow, and LRD_ETYPE if the entry is not a counter. */
#define LRD_TYPE_COUNTER 255u
/* Add `step` to a counter atomically. This never blocks, and keeps the time to live. If there is no
 * live entry, create a counter with the value `initial` + `step` and the time to live ttl_ms (this
 * may block). Write the new value to *result.
 * Returns: LRD_OK, LRD_ERANGE, LRD_ETYPE; also the codes of lrd_put() if the call creates an
 * entry. */
LRD_API int lrd_counter_add(lrd_store *store, const void *key, size_t key_len, int64_t step,
                            int64_t initial, uint64_t ttl_ms, int64_t *result);
/* Add `step` to a live counter, and write the new value to *result. Never creates a counter, and
 * never blocks.
 * Returns: LRD_OK, LRD_MISS, LRD_ERANGE, LRD_ETYPE. */
LRD_API int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                               int64_t *result);
/* If a live counter has the value `expected`, set it to `wanted`, in one atomic step. Keeps the
 * time to live. Never blocks.
 * Returns: LRD_OK; LRD_STALE if the counter has another value; LRD_MISS, LRD_ETYPE. */
LRD_API int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                             int64_t wanted);
/* Set a counter. Creates the counter if no live entry has the key, and replaces an entry of another
 * type. The call is a single atomic write if the counter has no time to live and ttl_ms is 0.
 * Returns: LRD_OK, or another code of lrd_put(). */
LRD_API int lrd_counter_set(lrd_store *store, const void *key, size_t key_len, int64_t value,
                            uint64_t ttl_ms);
/* Returns: the number of a counter that lrd_get() has read, or 0 if the value is not a counter. */
LRD_API int64_t lrd_counter_value(const lrd_value *value);

/* ---- more about reading ---- */

/* Give this thread a new handle of a held value. The value stays until the old and the new handle
 * are both released. The old handle may belong to another thread of the process; its owner must not
 * release it before this call returns. Never blocks.
 * Returns: LRD_OK (*out is a private copy if a bound of lrd_get() is reached); LRD_ESTATE if
 * *value is not held. */
LRD_API int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out);

/* Facts about a held or borrowed value: its key, its version (0 for a counter), and its remaining
 * time to live in milliseconds (0 for no limit). */
typedef struct lrd_entry {
    const void *key; /* points into the store; valid while the value is valid */
    size_t key_len;
    uint64_t version;
    uint64_t ttl_ms;
    /* Milliseconds since the value was written. It is 0 for a counter, because the time of the last
     * write is not recorded. */
    uint64_t age_ms;
} lrd_entry;
/* Describe a value in *out. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if the value is a copy. */
LRD_API int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out);

typedef struct lrd_key {
    const void *key;
    size_t key_len; /* bytes */
} lrd_key;

/* Look up `count` keys as lrd_get() does, but prefetch the memory of 16 keys at a time. Release
 * each held value; it is cheapest to release the last one first. LRD_GET_PLAIN has no effect.
 * `count` may be 0; keys may repeat.
 * Returns: LRD_OK if the first *done elements of `out` are filled; the element of a missing key has
 * LRD_KIND_NONE. With LRD_GET_NO_COPY, a bound may force the call to borrow a value. The call then
 * stops, and *done may be less than `count`: use the borrowed value, and call again for the
 * remaining keys. LRD_EINVAL if `flags` has LRD_GET_BORROW. Every other code below 0 is the error
 * of keys[*done]; the elements of earlier keys are filled. */
LRD_API int lrd_get_many(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags,
                         lrd_value *out, size_t *done);

/* ---- iteration ---- */

/* The state of an iteration. Fill it with zeros to start. An entry that exists during the whole
 * iteration is returned exactly once. An entry that exists only for a part of the iteration is
 * returned at most once. */
typedef struct lrd_cursor { /* private */
    uint64_t mask, home, hash;
    bool inside;
    /* public: the number of recent uses of the last returned entry, from 0 to 3, as
     * lrd_value_uses() returns it */
    uint8_t uses;
    /* public: lrd_next() returns LRD_MISS when it has searched this number of index buckets and
     * found no entry; 0 for no limit */
    uint32_t most;
} lrd_cursor;

/* Go to the next live entry. *out is borrowed; call lrd_hold() to keep the value.
 * Returns: LRD_OK; LRD_END after the last entry, or if the file was truncated; LRD_MISS if the call
 * has searched cursor->most index buckets and found no entry; LRD_EBUSY in the cases in which
 * lrd_get() returns it. After LRD_MISS or LRD_EBUSY, call again with the same cursor. */
LRD_API int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out);

/* ---- writing in two steps ---- */

typedef struct lrd_reservation {
    void *build; /* write the `size` bytes of the value here */
    /* address at which readers will see the value; use it to compute pointers inside the value */
    const void *data;
    size_t size;
    uint64_t serial; /* private */
    uint32_t handle; /* private; 0: none */
} lrd_reservation;

/* Reserve room for a value of `size` bytes (0 is allowed). Then write the value; this needs no
 * lock. Publish or abort the reservation soon, in the same thread. lrd_reserve() makes room, and
 * waits for other threads, as lrd_put() does. A key of more than 400 bytes counts as part of the
 * value. The entry's old value stays readable until the publish, so the store needs room for both
 * values. May block, and may evict entries even if it fails in the end.
 * Returns: LRD_OK; LRD_ESIZE, LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_EBUSY, LRD_ENOSLOT,
 * LRD_ENOMEM. LRD_EPOLICY in a store of queues: use lrd_queue_reserve() there. LRD_ESTATE if this
 * thread holds or builds LRD_HOLDS_MAX values. */
LRD_API int lrd_reserve(lrd_store *store, const void *key, size_t key_len, size_t size,
                        uint8_t type, lrd_reservation *out);

/* Make the value visible to every process, in one atomic step. If ttl_ms is 0, the entry never
 * expires. Only LRD_REPLACE and LRD_REFORM use `version`. May block.
 * Returns: LRD_OK, or a code that lrd_put() returns for this mode; LRD_ESTATE if the reservation is
 * not open. After LRD_EBUSY the reservation stays open: try again or abort it. Every other code
 * ends the reservation. */
LRD_API int lrd_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                        uint64_t ttl_ms, uint64_t version);
/* Give the reserved room back. Never blocks.
 * Returns: LRD_OK, or LRD_ESTATE if the reservation is not open. */
LRD_API int lrd_abort(lrd_store *store, lrd_reservation *reservation);

/* ---- key reservations (compute once) ---- */

/* Reserve a key for this thread, whether an entry with this key exists or not. Entries stay
 * readable and writable. The reservation ends with lrd_unlock(), after lease_ms (0 means no limit),
 * with lrd_request_end(), or with the death of its owner. Pass *token to lrd_unlock(); `token` may
 * be NULL. May block up to wait_ms.
 * Returns: LRD_OK; LRD_HELD if another thread has reserved the key; LRD_EDEADLK if this thread has
 * reserved it; LRD_ENOLOCKS if 131,072 keys are reserved, or if there is no memory for more. */
LRD_API int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms,
                     uint64_t wait_ms, uint64_t *token);
/* End the reservation with this token. Any thread of the process that made the reservation may call
 * this. If `token` is 0, the call ends this thread's own reservation of the key.
 * Returns: LRD_OK; LRD_MISS if no reservation of the key has this token; LRD_EBUSY if the shard's
 * lock was not available in time; LRD_ETRUNCATED if the file was truncated. If the file was moved,
 * the call still works. If the thread that made the reservation gets LRD_EBUSY, one of its later
 * calls ends the reservation automatically. A different thread that gets LRD_EBUSY must call
 * lrd_unlock() again. */
LRD_API int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token);
/* Check for a possible deadlock, after lrd_lock() has returned LRD_HELD and at intervals while you
 * wait. Stop waiting if the result is true. May block as long as lrd_lock() with wait_ms 0.
 * Returns: true if another thread wants a key that this thread has reserved: the other thread
 * either waits for that key, or it got LRD_HELD for that key and has reserved keys of its own. */
LRD_API bool lrd_lock_wanted(lrd_store *store);

/* ---- facts ---- */

/* The constant facts about a store. */
typedef struct lrd_info {
    lrd_policy policy;
    uint64_t size; /* bytes of data */
    /* size in bytes of the index and the bookkeeping, which lie before the data. Only the used
     * parts of them take memory */
    uint64_t control;
    /* number of entries that the index can take after it has grown to its largest size */
    uint64_t words;
    /* largest number of entries that the store can have, if all have the smallest size */
    uint64_t entries_max;
    uint64_t value_max; /* size in bytes of the largest value that can be stored */
    uint32_t shards, slots;
    /* Address of the data, equal in every process. You can read up to 256 KiB beyond the `size`
     * bytes of data without a fault. */
    const void *base;
    const char *value_abi; /* value_abi of the segment; valid until lrd_close() */
    bool fence;
    bool created; /* true if this lrd_open() created the segment */
} lrd_info;
/* Describe the store in *out. If the file was truncated, value_abi may be "".
 * Returns: nothing. */
LRD_API void lrd_store_info(const lrd_store *store, lrd_info *out);
/* Returns: lrd_info.value_max. Cheap enough to call for each value. */
LRD_API uint64_t lrd_value_max(const lrd_store *store);
/* Returns: a text that the host should log, or "". The text says that this lrd_open() has replaced
 * a file that no process used, and why; or that the new store is larger than the available memory.
 * Valid until lrd_close(). */
LRD_API const char *lrd_store_warning(const lrd_store *store);

/* Give back the calling thread's slot and end all its handles. Call this if the thread will be idle
 * for long.
 * Returns: nothing. */
LRD_API void lrd_thread_leave(lrd_store *store);
/* Give back the calling thread's slots in stores that the process has closed, and end all its
 * handles there. The last thread that leaves such a store unmaps it. This call is cheap, so a host
 * can make it at the start of each of its own calls if other threads may close stores. */
LRD_API void lrd_thread_leave_closed(void);

#ifdef __cplusplus
}
#endif
#endif
