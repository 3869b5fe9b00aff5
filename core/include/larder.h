/* larder.h - a crash-proof shared-memory store of immutable blocks. The core's only public header.
 *
 * A store is one memory segment that unrelated processes and threads share. A read returns a
 * pointer into that segment: it copies nothing, takes no lock and writes no line that another
 * process reads or writes. A process may be killed at any instruction; what it had published stays,
 * what it had not published is given back.
 *
 * Conventions
 * - Functions that return int: LRD_OK (0) is success, a positive value is an answer that is not an
 *   error (LRD_MISS), a negative value is a failure after which nothing stored has changed, but
 *   that a volatile store may have evicted something. lrd_strerror() gives the general text,
 *   lrd_error_detail() what exactly was wrong this time.
 * - A function names the codes that are its own. Besides them: whatever takes a key, LRD_EKEY;
 *   whatever the store's policy does not allow, LRD_EPOLICY; what blocks, LRD_EBUSY; what writes or
 *   reserves, LRD_EMOVED and LRD_ETRUNCATED (see lrd_open()); what needs the thread's slot,
 *   LRD_ENOSLOT, and LRD_EREENTRY where it is called from inside a call on the same thread.
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

/* The general text of a code; "unknown code" for others. Static; never NULL. */
LRD_API const char *lrd_strerror(int code);
/* The name of a code, e.g. "LRD_EBUSY". Static; never NULL. */
LRD_API const char *lrd_error_name(int code);
/* The cause of this thread's last failure in detail (path, limit, both values).
 * "" where the code says it all. Valid until this thread's next failing call. */
LRD_API const char *lrd_error_detail(void);

/* ---- stores ---- */

typedef struct lrd_store lrd_store;

typedef enum lrd_policy {
    LRD_VOLATILE = 0,  /* overwrite, delete, TTL; evicts when full */
    LRD_PINNED = 1,    /* overwrite, delete, no TTL; refuses when full */
    LRD_IMMUTABLE = 2, /* add only, never removed; reads are not even listed; refuses when full */
    LRD_SESSION = 3,   /* overwrite, delete, TTL; drops what expired, then refuses */
    LRD_QUEUE = 4      /* no entries, but queues of messages: see lrd_queue_open() */
} lrd_policy;

/* Zero means default for every field. */
typedef struct lrd_options {
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
 * for every file that is mapped. */
LRD_API int lrd_open(const lrd_options *options, lrd_store **out);

/* The same on an open, empty or already formatted memfd (or file) that the caller inherited, for
 * hosts that prepare descriptors before they know the size. The descriptor is duplicated. */
LRD_API int lrd_open_fd(int fd, const lrd_options *options, lrd_store **out);

/* Detach. Ends every handle of the calling thread; other threads of the process that use the store
 * give back their slots when they leave or end, and the last one unmaps. The pointer is invalid
 * afterwards. Stored entries stay for the other processes. */
LRD_API void lrd_close(lrd_store *store);

/* Give back the calling thread's slot (all its handles end). A thread that ends does it by itself;
 * one that goes idle for long may do it to free the slot. */
LRD_API void lrd_thread_leave(lrd_store *store);

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
LRD_API void lrd_store_info(const lrd_store *store, lrd_info *out);
/* value_max alone, which a caller may ask for with each value. */
LRD_API uint64_t lrd_value_max(const lrd_store *store);
/* "", or a sentence that the host should log: the store was made by this process where there is
 * less memory than its size, so it will hold less. (A size that the machine or the cgroup can never
 * have is LRD_ENOSPC.) Valid until lrd_close(). */
LRD_API const char *lrd_store_warning(const lrd_store *store);

/* ---- reading ---- */

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

/* What is borrowed and not released bars its memory until the thread borrows something else, or its
 * request ends. Misses, holds and writes leave that so: who may not read again soon releases it. */
enum {
    LRD_GET_BORROW = 1, /* do not hold: borrow (cheapest for values that are copied at once) */
    /* past the bounds give a borrowed value instead of a copy (for values with pointers inside,
     * which only the host can copy) */
    LRD_GET_NO_COPY = 2,
    LRD_GET_NO_COUNT = 4, /* count neither a hit nor a miss, and do not warm the entry */
    /* For hosts that copy values of the types from LRD_TYPE_PLAIN on at once, do not know the type
     * beforehand, and end handles with the request only: such a value is borrowed, but held while
     * fewer than LRD_PLAIN_HOLDS values are, because a held one is cheaper to get again. */
    LRD_GET_PLAIN = 8
};
#define LRD_PLAIN_HOLDS 32u
#define LRD_TYPE_PLAIN 128u

/* Look up a key. LRD_OK: *out is filled; LRD_MISS: no live entry. Never blocks, with one exception:
 * the first look-ups in a part of a named store that was adopted check that part, which takes a
 * lock for some milliseconds; LRD_EBUSY when somebody else has not finished that within a second.
 * The value is held (LRD_KIND_HELD) unless a bound is reached. For one thread: LRD_HOLDS_MAX blocks
 * or a quarter of the data (one block is always allowed). For all threads together: half of the
 * data and, in a volatile store, two of the four parts of its last eighth, so that writers find
 * room. Or the request is older than a minute (lrd_request_begin). Past a bound *out is a private
 * copy: correct, only slower. flags: LRD_GET_* or 0. Errors: LRD_EKEY, LRD_ENOMEM, LRD_EREENTRY. A
 * thread that finds no free slot reads under the shard's lock and gets a copy (may block,
 * LRD_EBUSY), or LRD_ENOSLOT with LRD_GET_NO_COPY. */
LRD_API int lrd_get(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                    lrd_value *out);

typedef struct lrd_key {
    const void *key;
    size_t key_len; /* bytes */
} lrd_key;

/* Look up count keys as lrd_get() would, one after the other, with a prefetch of 16 at once: of use
 * where the keys are known together and their entries are not in the processor's caches. LRD_OK:
 * the first *done keys were looked up, each out[i] is filled, with LRD_KIND_NONE for a miss; *done
 * is count, or less right after a value that is borrowed (LRD_GET_NO_COPY past a bound), because
 * the next look-up ends it: use it and call again for the rest. Below 0: the error of the look-up
 * of key *done; those before are filled. All that is held is the caller's to release; in reverse
 * order is cheapest. LRD_GET_PLAIN has no effect, LRD_GET_BORROW is LRD_EINVAL. count may be 0;
 * keys may repeat. */
LRD_API int lrd_get_many(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags,
                         lrd_value *out, size_t *done);

#define LRD_PREFETCH_WRITE 1u /* for writes: also what a writer of the entry needs */

/* Prefetch the index's words and the entries of keys that the next calls are about. A hint, which
 * changes nothing: of use for some 16 keys that are read, written or deleted one by one, where
 * lrd_get_many() does not fit. Never blocks. */
LRD_API void lrd_prefetch(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags);

/* Count a miss instead of the hit: the host cannot use the value of this thread's last
 * lrd_get(). */
LRD_API void lrd_count_miss(lrd_store *store);

/* LRD_OK when a live entry has the key, else LRD_MISS. Counts nothing. Never blocks, but as
 * lrd_get(). */
LRD_API int lrd_has(lrd_store *store, const void *key, size_t key_len);

/* A further handle on a value that is held: by this thread, or by another thread of this process
 * that keeps holding it until this returns. Each handle is released by the thread that owns it.
 * LRD_ESTATE when *value is not held; past a bound *out is a copy. Never blocks. */
LRD_API int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out);

/* End one handle: the memory may be reused from now on. *value becomes LRD_KIND_NONE; a value of
 * that kind is ignored. LRD_ESTATE for a handle this thread does not have. Never blocks. */
LRD_API int lrd_release(lrd_store *store, lrd_value *value);

/* Request boundaries, for hosts that have them. begin: holds taken from now on are limited to a
 * minute after it (later reads get copies). LRD_EMOVED, LRD_ETRUNCATED: it has not begun, see
 * lrd_open(). end: every handle of the thread ends at once, open reservations are aborted, key
 * reservations are unlocked; O(1) unless there are some. Copies are not freed. LRD_EBUSY: all that
 * has ended, but for some keys, because a writer is stopped in their shard's lock. The thread's
 * next call of lrd_request_begin(), lrd_request_end(), lrd_lock() or lrd_unlock() unlocks them once
 * the lock can be had, whatever it answers itself. */
LRD_API int lrd_request_begin(lrd_store *store);
LRD_API int lrd_request_end(lrd_store *store);

/* A value that this thread holds; for hosts whose requests do not end, and that can find out which
 * held values are still used. Values that are being built are not among them. */
typedef struct lrd_held {
    uintptr_t from, to; /* of its key and value; a pointer to `to` may be one past the end */
    uint64_t block;     /* private */
    uint32_t handle;    /* private */
    bool used;          /* false at first */
} lrd_held;
/* Returns how many there are; fills in the first `room` of them. Never blocks. */
LRD_API size_t lrd_holds(lrd_store *store, lrd_held *out, size_t room);
/* End all handles of each of these values that is not used: nobody may look at it any more. The
 * others stay held until the request ends or a later call of this; handles from before cannot
 * release them (LRD_ESTATE). Values of other stores are left alone, and so are those that lrd_get()
 * borrowed because of a bound. The values that stay count as if a request had just begun with them:
 * see lrd_request_begin(). Returns the number of values that were let go. Never blocks. */
LRD_API size_t lrd_holds_end(lrd_store *store, const lrd_held *holds, size_t count);
/* For those hosts: of the store this thread may hold a quarter, and while it waits, others may not.
 * After this it may hold so many bytes, and always one value; then lrd_get() says that a bound was
 * reached, so that the host searches before it holds much. 0: its whole share, as at first. The
 * limit lasts until the next call. Never blocks. */
LRD_API void lrd_holds_limit(lrd_store *store, uint64_t bytes);
/* True if this limit has refused to let a value be held since the last call: that counts as no copy
 * then. *bytes: what the thread holds now. */
LRD_API bool lrd_holds_limited(lrd_store *store, uint64_t *bytes);

/* About a value that is held or borrowed (not a copy): its key, its version (0 for a counter) and
 * the milliseconds it has to live (0: for ever). LRD_ESTATE: it is a copy. Never blocks. */
typedef struct lrd_entry {
    const void *key; /* in the store; valid as long as the value */
    size_t key_len;
    uint64_t version;
    uint64_t ttl_ms;
    uint64_t age_ms; /* since it was written; 0 for a counter, which does not know */
} lrd_entry;
LRD_API int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out);

/* True if a pointer lies in the readable data of the store. */
LRD_API bool lrd_contains(const lrd_store *store, const void *pointer);

/* ---- writing ---- */

typedef struct lrd_reservation {
    void *build;      /* write the value here, size bytes ... */
    const void *data; /* ... which everybody will read here: for pointers inside the value */
    size_t size;
    uint64_t serial; /* private */
    uint32_t handle; /* private; 0: none */
} lrd_reservation;

typedef enum lrd_mode {
    LRD_SET = 0,    /* insert or replace */
    LRD_ADD = 1,    /* insert; LRD_EXISTS when a live entry has the key */
    LRD_REPLACE = 2 /* replace the entry if its version is the given one, else LRD_STALE;
                       LRD_MISS when there is none, LRD_ETYPE when it is a counter */
} lrd_mode;

/* Reserve room for a value of size bytes (0 is allowed) under a key, to be built outside any lock
 * and then published or aborted by the same thread. type is the host's own (0..255). A volatile
 * store has room for every value of up to 1/32 of its size, whatever is held and however full its
 * index and file system are: it evicts. A key of more than 400 bytes counts as a part of its value
 * there. Only large values that others are building can be in the way: they are waited for, 100 ms
 * at most, so publish or abort soon. Old content is readable until the publish; room for both is
 * needed. LRD_EPOLICY (in a store of queues, which has lrd_queue_reserve()), LRD_ESIZE,
 * LRD_ENOROOM, LRD_ENOINDEX, LRD_ENOSPC, LRD_EBUSY, LRD_ENOSLOT (not from lrd_put() and
 * lrd_delete() in a volatile store), LRD_ESTATE (LRD_HOLDS_MAX values are held or being built
 * already), LRD_ENOMEM (no private memory to look through the pages of a full store). May block and
 * may evict, also when it fails in the end. */
LRD_API int lrd_reserve(lrd_store *store, const void *key, size_t key_len, size_t size,
                        uint8_t type, lrd_reservation *out);

/* Make the value visible: one store, after which every process reads it. ttl_ms 0 means for ever
 * (LRD_EPOLICY where the policy has no TTL). version is used by LRD_REPLACE only. Unless the
 * answer is LRD_EBUSY (then the reservation stays open: try again or abort) the reservation is
 * over, and aborted where the answer is not LRD_OK. May block. */
LRD_API int lrd_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                        uint64_t ttl_ms, uint64_t version);
/* Give the room back. LRD_ESTATE if there is nothing open. Never blocks. */
LRD_API int lrd_abort(lrd_store *store, lrd_reservation *reservation);

/* Writes a value of size bytes at build; data is where everybody will read it. Does nothing else:
 * it may run under a lock, so it calls no function of the core but lrd_copy(), none of a host, and
 * cannot fail. */
typedef void (*lrd_fill)(const void *from, void *build, const void *data, size_t size);
/* Reserve, fill(from, ..), publish: one lock instead of two where the value is small. */
LRD_API int lrd_put_fill(lrd_store *store, const void *key, size_t key_len, size_t size,
                         uint8_t type, lrd_mode mode, uint64_t ttl_ms, uint64_t version,
                         lrd_fill fill, const void *from);
/* For who writes a value: as memcpy(), but more than 8 KiB go past the processor's caches where the
 * room that the thread reserved last was in none of them, as far as is known. Any thread may call
 * it with any memory. */
LRD_API void lrd_copy(void *to, const void *from, size_t size);
/* The same with bytes that are copied. */
LRD_API int lrd_put(lrd_store *store, const void *key, size_t key_len, const void *data,
                    size_t size, uint8_t type, lrd_mode mode, uint64_t ttl_ms, uint64_t version);

/* Remove the entry; LRD_MISS when there is none. Who holds the value keeps it. May block. */
LRD_API int lrd_delete(lrd_store *store, const void *key, size_t key_len);
/* Remove the entry if it still has this version, as lrd_value_entry() says it. version 0: if it is
 * a counter with this number; an increment at that very moment is lost. LRD_STALE when the entry
 * has changed, LRD_MISS when there is none. Of several callers who read one version, one gets
 * LRD_OK. May block. */
LRD_API int lrd_delete_version(lrd_store *store, const void *key, size_t key_len, uint64_t version,
                               int64_t number);
/* Set the time to live from now on, 0: for ever. LRD_MISS when there is no live entry. May
 * block. */
LRD_API int lrd_touch(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms);
/* As lrd_put() of a held value under its own key, without a copy: where the entry still has exactly
 * this value, only its time to live is set. LRD_STALE: it has another by now, or is gone.
 * LRD_ESTATE when *value is not held. May block. */
LRD_API int lrd_put_held(lrd_store *store, const lrd_value *value, uint64_t ttl_ms);
/* Remove all entries, in O(1): a new epoch begins. Memory comes back as writers need it; who holds
 * a value keeps it. Takes no lock. */
LRD_API int lrd_clear(lrd_store *store);

/* Counters: entries of type LRD_TYPE_COUNTER whose value is one int64_t. An add is atomic, keeps
 * the time to live and does not block; where there is no live entry, one is added with the value
 * initial + step and ttl_ms (may block). *result gets the new value. LRD_ERANGE, LRD_ETYPE leave it
 * unchanged. lrd_counter_value() reads a value obtained by lrd_get(); 0 where that is no
 * counter. */
#define LRD_TYPE_COUNTER 255u
LRD_API int lrd_counter_add(lrd_store *store, const void *key, size_t key_len, int64_t step,
                            int64_t initial, uint64_t ttl_ms, int64_t *result);
/* Add only where a live counter exists: LRD_MISS otherwise. Never blocks. */
LRD_API int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                               int64_t *result);
/* Replace the value of a live counter if it is the expected one: LRD_STALE when it is another,
 * LRD_MISS, LRD_ETYPE. Atomic; keeps the time to live. Never blocks. */
LRD_API int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                             int64_t wanted);
/* Set a counter, adding it where there is none; whatever else has the key is replaced. One atomic
 * store where a counter without time to live is there and ttl_ms is 0; else as lrd_put(). */
LRD_API int lrd_counter_set(lrd_store *store, const void *key, size_t key_len, int64_t value,
                            uint64_t ttl_ms);
LRD_API int64_t lrd_counter_value(const lrd_value *value);

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

/* The next live entry, borrowed (lrd_hold() it to keep it); LRD_END after the last. LRD_EBUSY as
 * lrd_get(): go on with the same cursor. */
LRD_API int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out);

/* ---- key reservations (compute once) ---- */

/* Reserve a key for this thread, whether an entry has it or not; entries stay readable and
 * writable. It ends with lrd_unlock(), after lease_ms (0: no lease), with lrd_request_end(), or
 * with the death of its owner, whichever comes first. wait_ms 0 does not wait. LRD_HELD: somebody
 * else has it (still); LRD_EDEADLK: this thread has it; LRD_ENOLOCKS: 131,072 keys are reserved, or
 * there is no memory for more. *token (may be NULL) is needed by lrd_unlock(). May block up to
 * wait_ms. */
LRD_API int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms,
                     uint64_t wait_ms, uint64_t *token);
/* LRD_OK, or LRD_MISS when there is no reservation of the key with this token (any more). Any
 * thread of the process that has reserved may call it. token 0: whichever reservation of the key
 * this thread has. */
LRD_API int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token);
/* True if another thread waits for a key that this thread has reserved, or has asked for one in
 * vain while it had reserved others itself. A thread that would wait for a key had better not,
 * then: the other one may wait for it until both give up. Ask after lrd_lock() has answered
 * LRD_HELD, and again every now and then. May block as lrd_lock() without a wait. */
LRD_API bool lrd_lock_wanted(lrd_store *store);

/* ---- queues ---- */

/* A store of policy LRD_QUEUE has named queues of messages instead of entries. A message is ready,
 * reserved (somebody handles it), delayed or buried (put aside):
 *
 *   push --> ready <------ release, time to run is over, death of the owner ----.
 *     |        ^  `-- pop ---------------------------------------------> reserved --> ack: gone
 *     |        | kick, its time has come         release with a delay,     |
 *     `--> delayed, buried <------------------- bury ----------------------'
 *
 * Delivery is at least once: a message that was pushed stays until it was acknowledged or removed,
 * or has expired; one that was acknowledged is never seen again. Higher priorities go first, within
 * one the message that was ready first; one that comes back keeps its place. A reserved message
 * belongs to the thread that popped it; when that gives back its slot or dies, the message is ready
 * again at once. A queue lies in one shard: calls take that shard's lock and may block (LRD_EBUSY).
 * All of them answer LRD_EPOLICY in a store of another policy and LRD_ENOQUEUE for a number that is
 * no queue's. */

#define LRD_QUEUE_NAME_MAX 200u /* bytes */
typedef uint32_t lrd_queue;     /* number of a queue; the same in every process of the store */

/* Find the queue of this name (1..LRD_QUEUE_NAME_MAX bytes), making it where there is none.
 * capacity: the most messages it takes from now on; 0: no change, and no limit but memory for a new
 * one. A queue may have three times as much memory as all of them leave free, so that there is some
 * for the others. LRD_EINVAL, LRD_ENOQUEUE (there are 1,024), LRD_ENOSPC, LRD_ETRUNCATED. */
LRD_API int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                           lrd_queue *out);
/* Name of a queue, not 0-terminated; LRD_END when there is none of that number nor above. Never
 * blocks. */
LRD_API int lrd_queue_name(const lrd_store *store, lrd_queue queue, const char **name,
                           size_t *name_len);

/* Zero means default for every field. */
typedef struct lrd_push {
    uint64_t delay_ms; /* not ready before */
    /* dropped when it was not acknowledged after so long and is not reserved; 0: never */
    uint64_t ttl_ms;
    uint64_t wait_ms; /* for room, when the queue or the store is full */
    int32_t priority;
} lrd_push;

/* Push a body of size bytes that fill() writes (as lrd_put_fill()) or that is copied. *id (may be
 * NULL) names the message in this queue. LRD_ENOROOM: full, also after wait_ms, and nothing that
 * has expired, in whatever queue, makes room; LRD_INTR: a signal came while it waited, nothing is
 * pushed. Other errors as lrd_put(). */
LRD_API int lrd_queue_push_fill(lrd_store *store, lrd_queue queue, size_t size, uint8_t type,
                                const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id);
LRD_API int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size,
                           uint8_t type, const lrd_push *how, uint64_t *id);
/* The same in two steps, as lrd_reserve() and lrd_publish(); lrd_abort() gives up. Others may have
 * filled the queue meanwhile: then publish waits, too, or answers LRD_ENOROOM. The reservation is
 * over after publish unless the answer is LRD_EBUSY. */
LRD_API int lrd_queue_reserve(lrd_store *store, lrd_queue queue, size_t size, uint8_t type,
                              const lrd_push *how, lrd_reservation *out);
LRD_API int lrd_queue_publish(lrd_store *store, lrd_queue queue, lrd_reservation *reservation,
                              const lrd_push *how, uint64_t *id);

typedef enum lrd_message_state {
    LRD_MESSAGE_READY = 1,
    LRD_MESSAGE_RESERVED = 2,
    LRD_MESSAGE_DELAYED = 3,
    LRD_MESSAGE_BURIED = 4
} lrd_message_state;

typedef struct lrd_message {
    lrd_value value; /* the body, as lrd_get() gives values; its end does not end the message's */
    uint64_t id;
    uint32_t attempts; /* how often it was popped, this time included */
    int32_t priority;
    lrd_message_state state;
} lrd_message;

/* Reserve the first ready message for this thread, for run_ms (0: without a limit), after which it
 * is ready again. LRD_MISS: none within wait_ms (0: at once); LRD_INTR: a signal came while it
 * waited. flags: LRD_GET_BORROW, LRD_GET_NO_COPY, LRD_GET_PLAIN. */
LRD_API int lrd_queue_pop(lrd_store *store, lrd_queue queue, unsigned flags, uint64_t wait_ms,
                          uint64_t run_ms, lrd_message *out);
/* Look without reserving: at the message with this id in whatever state, or (id 0) at the one that
 * would be popped next. LRD_MISS. */
LRD_API int lrd_queue_peek(lrd_store *store, lrd_queue queue, uint64_t id, unsigned flags,
                           lrd_message *out);
/* The same for the first message from *cursor on, 0 at first, in no order. LRD_END after the
 * last. */
LRD_API int lrd_queue_next(lrd_store *store, lrd_queue queue, uint64_t *cursor, unsigned flags,
                           lrd_message *out);

/* Calls of a reserved message's owner. LRD_MISS: it is not, or no longer, reserved by this thread,
 * or its time to run is over, whoever has noticed. release: ready again, after delay_ms. touch: its
 * time to run begins anew. */
LRD_API int lrd_queue_ack(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_release(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t delay_ms);
LRD_API int lrd_queue_bury(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_touch(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t run_ms);
/* Calls of anybody. remove: LRD_MISS when there is none of that id, or somebody else has reserved
 * it. kick: make at most so many buried messages ready, the oldest first. clear: remove all that
 * are there when it begins, those that are reserved only where `reserved` says so: their owner's
 * calls then answer LRD_MISS, and a body that was given stays as it is. *count (may be NULL): how
 * many. */
LRD_API int lrd_queue_remove(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_kick(lrd_store *store, lrd_queue queue, uint64_t most, uint64_t *count);
LRD_API int lrd_queue_clear(lrd_store *store, lrd_queue queue, bool reserved, uint64_t *count);

typedef struct lrd_queue_stats {
    uint64_t ready, reserved, delayed, buried; /* messages now */
    uint64_t bytes;                            /* of shared memory that they take */
    uint64_t capacity;                         /* as given to lrd_queue_open() */
    uint64_t pushed, acked;                    /* so far */
    uint64_t removed;                          /* by remove and clear */
    uint64_t redelivered;                      /* pops of a message that had been popped before */
    /* messages that were ready again because their owner died or took too long */
    uint64_t returned;
    uint64_t expired;
    uint64_t refused; /* pushes that found no room, also after they waited. Each counts once */
    uint64_t wakeups; /* system calls that woke somebody */
} lrd_queue_stats;
LRD_API int lrd_queue_stats_get(lrd_store *store, lrd_queue queue, lrd_queue_stats *out);

/* ---- care ---- */

/* Why a write was refused. One table makes the causes and their texts. */
#define LRD_REFUSAL_CAUSES(X)                                                                      \
    X(LRD_REFUSED_FULL, "full", "it is full of values that it may not remove: raise its size")     \
    X(LRD_REFUSED_SCATTERED, "scattered",                                                          \
      "it has room, but not in one piece: raise its size, or store large values first")            \
    X(LRD_REFUSED_INDEX, "index", "its index has no room near the place of the key")               \
    X(LRD_REFUSED_FILE_SYSTEM, "file_system",                                                      \
      "its file system is full: make it larger, or free some of it")                               \
    X(LRD_REFUSED_SIZE, "size", "a value is larger than half of it: raise its size")               \
    X(LRD_REFUSED_BUSY, "busy", "a writer was stopped, or took too long, in the same shard")       \
    X(LRD_REFUSED_SLOT, "slot", "more threads use it than it has slots: raise their number")       \
    X(LRD_REFUSED_HOLDS, "holds", "a thread holds or builds as many values as it can at once")     \
    X(LRD_REFUSED_SYSTEM, "system", "a system call failed, or private memory ran out")
#define LRD_REFUSAL_ENUM(name, word, text) name,
typedef enum lrd_refusal { LRD_REFUSAL_CAUSES(LRD_REFUSAL_ENUM) LRD_REFUSALS } lrd_refusal;
#undef LRD_REFUSAL_ENUM
/* A word ("file_system"), and what to say of it after "The store refuses values: ". "" for another
 * number. Static. */
LRD_API const char *lrd_refusal_name(int cause);
LRD_API const char *lrd_refusal_text(int cause);
/* The cause of this thread's last write, which was refused with the code; -1 where the code is no
 * refusal. */
LRD_API int lrd_refusal_of(lrd_store *store, int code);
/* True if nobody has reported this cause for the store yet; from now on somebody has. So of all
 * processes one writes it to its log, once in the life of the store. */
LRD_API bool lrd_refusal_is_news(lrd_store *store, int cause);

typedef struct lrd_stats {
    uint64_t entries;       /* live ones; expired ones count until they are swept */
    uint64_t live_bytes;    /* of blocks of live entries; of messages, with their rows */
    uint64_t dead_bytes;    /* cleared or expired, not yet swept */
    uint64_t retired_bytes; /* unlinked or reserved, not yet free */
    uint64_t page_bytes;    /* in pages that belong to a shard; at most the size */
    uint64_t held_quota;    /* bytes of data that threads may hold by quota now */
    uint64_t hits, misses, inserts, replaces, deletes, expired, evicted, ghost_hits;
    /* calls that were to store a value and could not, for whatever reason but a wrong argument or
     * the mode: no room, a full index or file system, a value that is too large, a busy shard, no
     * slot. Each such call counts once. Pushes, too, but where the queue has its capacity */
    uint64_t refused;
    uint64_t refused_by[LRD_REFUSALS]; /* the same by cause */
    /* how often the file system had no more memory; then a volatile store evicts, and nobody asks
     * again for a second */
    uint64_t memory_short;
    uint64_t evicted_age_ms; /* of entries evicted lately, on average: since they were written */
    uint64_t copies; /* gets past a bound, which the core copies, or the host (LRD_GET_NO_COPY) */
    /* threads that ended with a slot and without giving it back, so mostly killed; each counts
     * once, when it is noticed: mostly by this call, at the latest by lrd_sweep() */
    uint64_t deaths;
    uint64_t recoveries; /* shards that were rebuilt: of the deaths, those inside a shard's lock */
    uint64_t reaped_slots; /* slots that dead owners left and that were given back */
    /* times that entries of a shard, or messages or the name of a queue, were lost because its
     * memory was damaged: those that were not sound, or all */
    uint64_t emptied_shards;
    uint64_t busy; /* calls that did not get a shard's lock in time */
    uint64_t slots_used;
} lrd_stats;
/* Sums over slots and shards; waits for no lock, so the numbers are near in time, not exact. Gives
 * back the slots of threads that died, and what they held, so that every death is counted that the
 * kernel knows of. */
LRD_API int lrd_stats_get(lrd_store *store, lrd_stats *out);

/* A thread that uses the store. */
typedef struct lrd_user {
    int32_t thread;                /* its id, in the PID namespace of the store's users */
    uint64_t hits, misses, copies; /* by this thread, and those that had its slot before */
    uint64_t held_quota;           /* bytes of data that it may hold by quota now */
} lrd_user;
/* Report each of them; returns how many. Waits for no lock: who comes or goes meanwhile may be
 * missed. */
LRD_API int lrd_users(lrd_store *store, void (*report)(void *arg, const lrd_user *user), void *arg);

/* Remove what was cleared, or expired more than an eighth of a second ago, messages too, and free
 * what nobody holds; in parts, one shard lock at a time. LRD_EBUSY: some shard was busy; all others
 * were swept. *freed (may be NULL) gets the bytes that came back. */
LRD_API int lrd_sweep(lrd_store *store, uint64_t *freed);

/* Check every invariant, one shard at a time under its lock. Each violation is reported as a text.
 * report() is called outside of locks, but calls no function of the core and returns. May be NULL.
 * Returns the number of violations, or a negative code: LRD_EBUSY when some shard was busy (what is
 * wrong in the others is reported). */
LRD_API int lrd_fsck(lrd_store *store, void (*report)(void *arg, const char *text), void *arg);

#ifdef __cplusplus
}
#endif
#endif
