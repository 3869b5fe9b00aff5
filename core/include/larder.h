/* larder.h - a crash-proof shared-memory store of immutable blocks: what most programs need.
 * larder_host.h has more for hosts of languages, larder_queue.h queues of messages, larder_admin.h
 * statistics and checks. core/example.c is a program that uses it.
 *
 * A store is one memory segment that unrelated processes and threads share. A read returns a
 * pointer into that segment: it copies nothing, takes no lock and writes no line that another
 * process reads or writes. A process may be killed at any instruction; what it had published stays,
 * what it had not published is given back.
 *
 * The simplest use is lrd_open(), lrd_put(), lrd_get(), lrd_release(), lrd_close().
 *
 * What a read gives has one of three lifetimes (lrd_value.kind):
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
 * A held or borrowed value never changes, whatever others write: they write new blocks. Treat the
 * three alike: read what data points to, then lrd_release(), which does for each what it needs.
 *
 * Conventions
 * - Functions that return int: LRD_OK (0) is success, a positive value is an answer that is not an
 *   error (LRD_MISS), a negative value is a failure after which nothing stored has changed, but
 *   that a volatile store may have evicted something. lrd_strerror() gives the general text,
 *   lrd_error_detail() what exactly was wrong this time.
 * - "Returns:" names the codes that are a function's own. Besides them: whatever takes a key,
 *   LRD_EKEY; whatever the store's policy does not allow, LRD_EPOLICY; what blocks, LRD_EBUSY; what
 *   writes or reserves, LRD_EMOVED and LRD_ETRUNCATED (see lrd_open()); what needs the thread's
 *   slot, LRD_ENOSLOT, and LRD_EREENTRY where it is called from inside a call on the same thread.
 * - Structs that the caller fills: zero means default for every field. They may get further fields
 *   at their end. Their struct_size is 0, or their sizeof (LRD_OPTIONS_INIT and its like set it): a
 *   library that does not know all the fields of a larger one answers LRD_EINVAL. Structs that the
 *   library fills grow only with the number of the shared library.
 * - Keys are any bytes, 1..LRD_KEY_MAX long. Sizes are bytes. Times are milliseconds.
 * - Every function may be called by any thread of a process that opened the store, except from a
 *   signal handler, and none may be left by longjmp. Handles (lrd_value, lrd_reservation) belong to
 *   the thread that got them.
 * - "Never blocks" means: no lock is taken and no system call is made (the first call of a thread
 *   claims its slot and does both). "May block" is bounded: a shard's lock is waited for at most
 *   LRD_LOCK_WAIT_MS, then the answer is LRD_EBUSY; while many wait and take turns, or who has it
 *   waits for a processor, at most five seconds. A call that needs several locks, one after the
 *   other, may wait so long for each: a put of more than 1 KiB for its shard's twice, lrd_sweep()
 *   and what makes room for those of other shards.
 */
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

#define LRD_KEY_MAX 65535u        /* bytes */
#define LRD_ALIGN 16u             /* alignment of every value */
#define LRD_LOCK_WAIT_MS 100      /* bound of every wait for a shard */
#define LRD_HOLDS_MAX 1024u       /* blocks one thread can hold at once */
#define LRD_SIZE_MIN (1u << 20)   /* smallest data size of a store */
#define LRD_SIZE_MAX (1ull << 40) /* largest: 36 bits of 16-byte granules */

/* One table makes the codes and their texts. */
#define LRD_CODES(X)                                                                               \
    X(LRD_OK, 0, "success")                                                                        \
    X(LRD_MISS, 1, "no live entry has this key")                                                   \
    X(LRD_EXISTS, 2, "a live entry has this key already")                                          \
    X(LRD_STALE, 3, "the entry is no longer at the given version")                                 \
    X(LRD_HELD, 4, "the key is reserved by somebody else")                                         \
    X(LRD_END, 5, "the iteration is complete")                                                     \
    X(LRD_INTR, 6, "a signal ended the wait")                                                      \
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
    X(LRD_EADDR, -15, "the segment's address range cannot be had in this process")                 \
    X(LRD_EPERM, -16, "the segment file's owner, mode or type is not as required")                 \
    X(LRD_EFORMAT, -17, "not a larder segment, or damaged")                                        \
    X(LRD_EMISMATCH, -18, "the segment in use was made with other settings or by another build")   \
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

/* Returns: the general text of a code; "unknown code" for others. Static; never NULL. */
LRD_API const char *lrd_strerror(int code);
/* Returns: the name of a code, e.g. "LRD_EBUSY". Static; never NULL. */
LRD_API const char *lrd_error_name(int code);
/* Returns: the cause of this thread's last failure in detail (path, limit, both values); "" where
 * the code says it all. Valid until this thread's next failing call. */
LRD_API const char *lrd_error_detail(void);

/* ---- stores ---- */

typedef struct lrd_store lrd_store;

typedef enum lrd_policy {
    LRD_VOLATILE = 0,  /* overwrite, delete, TTL; evicts when full */
    LRD_PINNED = 1,    /* overwrite, delete, no TTL; refuses when full */
    LRD_IMMUTABLE = 2, /* add only, never removed; reads are not even listed; refuses when full */
    LRD_SESSION = 3,   /* overwrite, delete, TTL; drops what expired, then refuses */
    LRD_QUEUE = 4      /* no entries, but queues of messages: larder_queue.h */
} lrd_policy;

typedef struct lrd_options {
    uint32_t struct_size;
    lrd_policy policy; /* default LRD_VOLATILE */
    /* bytes of data, LRD_SIZE_MIN..LRD_SIZE_MAX, rounded up to 64 KiB; default 64 MiB, or whatever
     * an existing segment has */
    uint64_t size;
    /* entries that the index has room for at first; it grows by itself. Default 0: it begins
     * small */
    uint64_t entries_hint;
    uint32_t shards; /* 1..256, power of two; default by size: 8 at 64 MiB */
    uint32_t slots;  /* threads that can use the store at once, 16..4096; default 4096 */
    /* address of the data in every process, a multiple of 2 MiB; default base_from, or the next
     * free place above it when the store is created */
    uint64_t base;
    /* where to look for a free place, a multiple of 2 MiB; default 0x550000000000. Give each store
     * its own if processes create several in any order: every process must find free the place that
     * another has chosen. Where addresses have fewer than 47 bits, it stands for a place in the
     * middle of them */
    uint64_t base_from;
    /* file of a named store; NULL: anonymous (memfd), shared with the processes forked later */
    const char *path;
    /* up to 63 bytes: what the values' layout depends on. A segment of another ABI is not used.
     * Default "" */
    const char *value_abi;
    /* create in fence mode: reads pay a full fence (some 5 ns), nobody needs membarrier(2).
     * Default: only where membarrier is missing */
    bool fence;
    /* open what exists and leave it so: nothing is made, made anew or removed. It may have any
     * policy, size and value_abi. For tools that look at a store */
    bool open_only;
    bool accept_size; /* an existing segment may have another size, which lrd_info has */
    /* an existing segment may have another value_abi, which lrd_info has: for a host that knows the
     * layouts of others */
    bool accept_abi;
    /* the clock, for tests: milliseconds below 2^39; default: boot time */
    uint64_t (*clock_ms)(void *clock_arg);
    void *clock_arg;
    /* bytes that other stores of this host may still take, for lrd_store_warning() */
    uint64_t reserve_for_others;
} lrd_options;
#define LRD_OPTIONS_INIT                                                                           \
    {                                                                                              \
        .struct_size = sizeof(lrd_options)                                                         \
    }

/* Create an anonymous store, or open the named one at options->path, creating it when there is
 * none. A named segment left by processes that are gone is adopted if its settings fit, else made
 * anew; one that is in use and differs is refused with LRD_EMISMATCH and a detail that names the
 * difference. The file has mode 0600 and must belong to the caller; symbolic links are refused. On
 * LRD_OK *out is the caller's until lrd_close(). May block on the file's lock while another process
 * creates it.
 *
 * A named store whose file is removed, renamed or replaced goes on for who has it open, but those
 * who open the name from then on have another one. So calls that write or count, lrd_lock(),
 * lrd_sweep() and lrd_request_begin() look at the name, at most once a second, and answer
 * LRD_EMOVED: nothing has changed, what is held stays valid, and gets go on. Close the store when
 * nothing is held any more, and open it again; a process that keeps the old one while it opens the
 * new one needs another base_from than the old one's creator had. LRD_ETRUNCATED is the same for a
 * file that was made shorter or overwritten. What is gone from it can be neither read nor held any
 * longer: until somebody has looked, and in values that were held before, touching it is SIGBUS, as
 * for every file that is mapped.
 *
 * Returns: LRD_OK, LRD_EINVAL, LRD_ENOMEM, LRD_ENOSPC, LRD_EADDR, LRD_EPERM, LRD_EFORMAT,
 * LRD_EMISMATCH, LRD_ENAMESPACE, LRD_EBARRIER, LRD_EFILESIZE, LRD_ESYS (also with
 * open_only when there is none). */
LRD_API int lrd_open(const lrd_options *options, lrd_store **out);

/* Detach. Ends every handle of the calling thread; other threads of the process that use the store
 * give back their slots when they leave or end, and the last one unmaps. The pointer is invalid
 * afterwards; NULL is ignored. Stored entries stay for the other processes.
 * Returns: nothing. */
LRD_API void lrd_close(lrd_store *store);

/* ---- get and put ---- */

typedef enum lrd_kind {
    LRD_KIND_NONE = 0,
    LRD_KIND_HELD,     /* points into the store; unchanged until lrd_release() */
    LRD_KIND_BORROWED, /* points into the store; unchanged until this thread's next lrd_* call */
    LRD_KIND_COPY      /* a private copy; lrd_release() frees it */
} lrd_kind;

typedef struct lrd_value {
    const void *data; /* LRD_ALIGN-aligned */
    size_t size;      /* bytes */
    uint64_t block;   /* private */
    uint32_t handle;  /* private */
    uint8_t kind;     /* lrd_kind */
    uint8_t type;     /* as given to lrd_reserve() */
} lrd_value;

enum {
    LRD_GET_BORROW = 1,  /* do not hold: borrow (cheapest for values that are copied at once) */
    LRD_GET_NO_COUNT = 4 /* count neither a hit nor a miss, and do not warm the entry */
    /* larder_host.h has LRD_GET_NO_COPY (2) and LRD_GET_PLAIN (8) */
};

/* Look up a key. Never blocks, with one exception: the first look-ups in a part of a named store
 * that was adopted check that part, which takes a lock for some milliseconds.
 * The value is held (LRD_KIND_HELD) unless a bound is reached. For one thread: LRD_HOLDS_MAX blocks
 * or a quarter of the data (one block is always allowed). For all threads together: half of the
 * data and, in a volatile store, two of the four parts of its last eighth, so that writers find
 * room. Or the request is older than a minute (lrd_request_begin()). Past a bound *out is a private
 * copy: correct, only slower. A thread that finds no free slot reads under the shard's lock and
 * gets a copy (may block), or LRD_ENOSLOT with LRD_GET_NO_COPY.
 * What is borrowed and not released bars its memory until the thread borrows something else, or its
 * request ends. Misses, holds and writes leave that so: who may not read again soon releases it.
 * flags: LRD_GET_* or 0.
 * Returns: LRD_OK, *out is filled; LRD_MISS, no live entry; LRD_EBUSY, somebody else has not
 * finished checking that part within a second; LRD_ENOMEM. */
LRD_API int lrd_get(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                    lrd_value *out);

/* End one handle: the memory may be reused from now on. *value becomes LRD_KIND_NONE; a value of
 * that kind is ignored. Never blocks.
 * Returns: LRD_OK; LRD_ESTATE for a handle that this thread does not have. */
LRD_API int lrd_release(lrd_store *store, lrd_value *value);

/* Look whether an entry is there; counts nothing. Never blocks, but as lrd_get().
 * Returns: LRD_OK when a live entry has the key, else LRD_MISS. */
LRD_API int lrd_has(lrd_store *store, const void *key, size_t key_len);

typedef enum lrd_mode {
    LRD_SET = 0,    /* insert or replace */
    LRD_ADD = 1,    /* insert; LRD_EXISTS when a live entry has the key */
    LRD_REPLACE = 2 /* replace the entry if its version is the given one, else LRD_STALE;
                       LRD_MISS when there is none, LRD_ETYPE when it is a counter */
} lrd_mode;

/* How a value is written. */
typedef struct lrd_write {
    uint64_t ttl_ms;  /* 0: for ever; LRD_EPOLICY where the policy has no time to live */
    uint64_t version; /* for LRD_REPLACE only */
    lrd_mode mode;
    uint16_t struct_size;
    uint8_t type; /* the host's own, 0..255; lrd_value.type says it to readers */
} lrd_write;
#define LRD_WRITE_INIT                                                                             \
    {                                                                                              \
        .struct_size = sizeof(lrd_write)                                                           \
    }

/* Store size bytes that are copied. how: NULL is all defaults. A volatile store has room for every
 * value of up to 1/32 of its size, whatever is held and however full its index and file system are:
 * it evicts. May block.
 * Returns: LRD_OK; LRD_EXISTS (LRD_ADD); LRD_STALE, LRD_MISS, LRD_ETYPE (LRD_REPLACE); LRD_EINVAL,
 * LRD_ESIZE, LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_ENOMEM; LRD_ESTATE: LRD_HOLDS_MAX values
 * are held or being built already. LRD_ENOSLOT not in a volatile store. */
LRD_API int lrd_put(lrd_store *store, const void *key, size_t key_len, const void *data,
                    size_t size, const lrd_write *how);

/* Remove the entry. Who holds the value keeps it. May block.
 * Returns: LRD_OK; LRD_MISS when there is none. LRD_ENOSLOT not in a volatile store. */
LRD_API int lrd_delete(lrd_store *store, const void *key, size_t key_len);
/* Remove the entry if it still has this version, as lrd_value_entry() says it. version 0: if it is
 * a counter with this number; an increment at that very moment is lost. May block.
 * Returns: LRD_OK, to one of several callers who read one version; LRD_STALE when the entry has
 * changed; LRD_MISS when there is none. */
LRD_API int lrd_delete_version(lrd_store *store, const void *key, size_t key_len, uint64_t version,
                               int64_t number);
/* Set the time to live from now on, 0: for ever. May block.
 * Returns: LRD_OK; LRD_MISS when there is no live entry. */
LRD_API int lrd_touch(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms);
/* Remove all entries, in O(1): a new epoch begins. Memory comes back as writers need it; who holds
 * a value keeps it. Takes no lock.
 * Returns: LRD_OK. */
LRD_API int lrd_clear(lrd_store *store);

/* ---- counters ---- */

/* Entries of type LRD_TYPE_COUNTER whose value is one int64_t. A counter that is unchanged after a
 * failure is so after LRD_ERANGE (it would overflow) and LRD_ETYPE (the entry is none), too. */
#define LRD_TYPE_COUNTER 255u
/* Add step, atomically, and keep the time to live: does not block. Where there is no live entry,
 * one is added with the value initial + step and ttl_ms (may block). *result gets the new value.
 * Returns: LRD_OK, LRD_ERANGE, LRD_ETYPE; where an entry is added, as lrd_put(). */
LRD_API int lrd_counter_add(lrd_store *store, const void *key, size_t key_len, int64_t step,
                            int64_t initial, uint64_t ttl_ms, int64_t *result);
/* Add only where a live counter exists. Never blocks.
 * Returns: LRD_OK, LRD_MISS, LRD_ERANGE, LRD_ETYPE. */
LRD_API int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                               int64_t *result);
/* Replace the value of a live counter if it is the expected one. Atomic; keeps the time to live.
 * Never blocks.
 * Returns: LRD_OK; LRD_STALE when it is another; LRD_MISS, LRD_ETYPE. */
LRD_API int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                             int64_t wanted);
/* Set a counter, adding it where there is none; whatever else has the key is replaced. One atomic
 * store where a counter without time to live is there and ttl_ms is 0.
 * Returns: LRD_OK; else as lrd_put(). */
LRD_API int lrd_counter_set(lrd_store *store, const void *key, size_t key_len, int64_t value,
                            uint64_t ttl_ms);
/* Returns: the number of a value that lrd_get() gave; 0 where that is no counter. */
LRD_API int64_t lrd_counter_value(const lrd_value *value);

/* ---- more about reading ---- */

/* A further handle on a value that is held: by this thread, or by another thread of this process
 * that keeps holding it until this returns. Each handle is released by the thread that owns it.
 * Never blocks.
 * Returns: LRD_OK, past a bound *out is a copy; LRD_ESTATE when *value is not held. */
LRD_API int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out);

/* About a value that is held or borrowed (not a copy): its key, its version (0 for a counter) and
 * the milliseconds it has to live (0: for ever). */
typedef struct lrd_entry {
    const void *key; /* in the store; valid as long as the value */
    size_t key_len;
    uint64_t version;
    uint64_t ttl_ms;
    uint64_t age_ms; /* since it was written; 0 for a counter, which does not know */
} lrd_entry;
/* Fill in *out. Never blocks.
 * Returns: LRD_OK; LRD_ESTATE: the value is a copy. */
LRD_API int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out);

typedef struct lrd_key {
    const void *key;
    size_t key_len; /* bytes */
} lrd_key;

/* Look up count keys as lrd_get() would, one after the other, with a prefetch of 16 at once: of use
 * where the keys are known together and their entries are not in the processor's caches. All that
 * is held is the caller's to release; in reverse order is cheapest. LRD_GET_PLAIN has no effect.
 * count may be 0; keys may repeat.
 * Returns: LRD_OK, the first *done keys were looked up, each out[i] is filled, with LRD_KIND_NONE
 * for a miss; *done is count, or less right after a value that is borrowed (LRD_GET_NO_COPY past a
 * bound), because the next look-up ends it: use it and call again for the rest. LRD_EINVAL with
 * LRD_GET_BORROW. Below 0: the error of the look-up of key *done; those before are filled. */
LRD_API int lrd_get_many(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags,
                         lrd_value *out, size_t *done);

/* ---- iteration ---- */

/* Zero it to start. No lock is held between (or during) calls; an entry that lives through the
 * whole iteration is seen exactly once, one that comes or goes meanwhile at most once per life. */
typedef struct lrd_cursor { /* private */
    uint64_t mask, home, hash;
    bool inside;
    /* to be read: how often the entry given last was used since eviction looked at it, 0 to 3,
     * where 3 is often */
    uint8_t uses;
} lrd_cursor;

/* Go to the next live entry, which is borrowed (lrd_hold() it to keep it).
 * Returns: LRD_OK; LRD_END after the last; LRD_EBUSY as lrd_get(): go on with the same cursor. */
LRD_API int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out);

/* ---- writing in two steps ---- */

typedef struct lrd_reservation {
    void *build;      /* write the value here, size bytes ... */
    const void *data; /* ... which everybody will read here: for pointers inside the value */
    size_t size;
    uint64_t serial; /* private */
    uint32_t handle; /* private; 0: none */
} lrd_reservation;

/* Reserve room for a value of size bytes (0 is allowed) under a key, to be built outside any lock
 * and then published or aborted by the same thread. A key of more than 400 bytes counts as a part
 * of its value in what a volatile store has room for. Only large values that others are building
 * can be in the way: they are waited for, 100 ms at most, so publish or abort soon. Old content is
 * readable until the publish; room for both is needed. May block and may evict, also when it fails
 * in the end.
 * Returns: LRD_OK; LRD_EPOLICY in a store of queues, which has lrd_queue_reserve(); LRD_ESIZE,
 * LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_EBUSY, LRD_ENOSLOT; LRD_ESTATE: LRD_HOLDS_MAX values
 * are held or being built already; LRD_ENOMEM: no private memory to look through the pages of a
 * full store. */
LRD_API int lrd_reserve(lrd_store *store, const void *key, size_t key_len, size_t size,
                        uint8_t type, lrd_reservation *out);

/* Make the value visible: one store, after which every process reads it. ttl_ms 0 means for ever.
 * version is used by LRD_REPLACE only. May block.
 * Returns: LRD_OK and what lrd_put() says of the modes; LRD_ESTATE if there is nothing open. Unless
 * the answer is LRD_EBUSY (then the reservation stays open: try again or abort) the reservation is
 * over, and aborted where the answer is not LRD_OK. */
LRD_API int lrd_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                        uint64_t ttl_ms, uint64_t version);
/* Give the room back. Never blocks.
 * Returns: LRD_OK; LRD_ESTATE if there is nothing open. */
LRD_API int lrd_abort(lrd_store *store, lrd_reservation *reservation);

/* ---- key reservations (compute once) ---- */

/* Reserve a key for this thread, whether an entry has it or not; entries stay readable and
 * writable. It ends with lrd_unlock(), after lease_ms (0: no lease), with lrd_request_end(), or
 * with the death of its owner, whichever comes first. wait_ms 0 does not wait. *token (may be NULL)
 * is needed by lrd_unlock(). May block up to wait_ms.
 * Returns: LRD_OK; LRD_HELD: somebody else has it (still); LRD_EDEADLK: this thread has it;
 * LRD_ENOLOCKS: 131,072 keys are reserved, or there is no memory for more. */
LRD_API int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms,
                     uint64_t wait_ms, uint64_t *token);
/* Any thread of the process that has reserved may call it. token 0: whichever reservation of the
 * key this thread has.
 * Returns: LRD_OK, or LRD_MISS when there is no reservation of the key with this token (any
 * more). */
LRD_API int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token);
/* A thread that would wait for a key had better not where this is true: the other one may wait for
 * it until both give up. Ask after lrd_lock() has answered LRD_HELD, and again every now and then.
 * May block as lrd_lock() without a wait.
 * Returns: true if another thread waits for a key that this thread has reserved, or has asked for
 * one in vain while it had reserved others itself. */
LRD_API bool lrd_lock_wanted(lrd_store *store);

/* ---- facts ---- */

/* Facts that do not change. */
typedef struct lrd_info {
    lrd_policy policy;
    uint64_t size;        /* bytes of data */
    uint64_t control;     /* bytes of control mapping, which get memory as they are used */
    uint64_t words;       /* index words when it has grown as far as it can */
    uint64_t entries_max; /* entries that fit if all are as small as can be */
    uint64_t value_max;   /* bytes of the largest value */
    uint32_t shards, slots;
    const void *base; /* data is readable from here on in every process: size bytes and 256 KiB */
    const char *value_abi; /* of the segment; valid until lrd_close() */
    bool fence;
    bool created; /* this lrd_open() made the segment */
} lrd_info;
/* Returns: nothing; *out is filled. */
LRD_API void lrd_store_info(const lrd_store *store, lrd_info *out);
/* Returns: value_max alone, which a caller may ask for with each value. */
LRD_API uint64_t lrd_value_max(const lrd_store *store);
/* Returns: "", or a sentence that the host should log: the store was made by this process where
 * there is less memory than its size, so it will hold less. (A size that the machine or the cgroup
 * can never have is LRD_ENOSPC.) Valid until lrd_close(). */
LRD_API const char *lrd_store_warning(const lrd_store *store);

/* Give back the calling thread's slot (all its handles end). A thread that ends does it by itself;
 * one that goes idle for long may do it to free the slot.
 * Returns: nothing. */
LRD_API void lrd_thread_leave(lrd_store *store);

#ifdef __cplusplus
}
#endif
#endif
