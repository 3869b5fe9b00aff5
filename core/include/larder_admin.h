/* larder_admin.h - for tools and hosts that watch a store: refused writes, statistics, users,
 * sweeping, checking. */
#ifndef LARDER_ADMIN_H
#define LARDER_ADMIN_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* causes for which a write is refused: constant, word, text */
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
/* lrd_refusal_name() returns the word for a cause of refusals. lrd_refusal_text() returns the text
 * for a message, after "The store refuses values: ". Both return a static string, or "" for an
 * unknown cause. */
LRD_API const char *lrd_refusal_name(int cause);
LRD_API const char *lrd_refusal_text(int cause);
/* Returns: the cause (LRD_REFUSED_*) for which this thread's last write failed with `code`; -1 if
 * `code` does not stand for a refused write. */
LRD_API int lrd_refusal_of(lrd_store *store, int code);
/* Mark this cause as reported for the store, so that processes log it only once.
 * Returns: true if no thread had marked this cause before. */
LRD_API bool lrd_refusal_is_news(lrd_store *store, int cause);

/* Why a get returned a copy: the thread holds too many bytes (LRD_COPY_MEMORY) or values
 * (LRD_COPY_NUMBER), or its request is too old (LRD_COPY_TIME). */
typedef enum lrd_copy_cause {
    LRD_COPY_MEMORY,
    LRD_COPY_TIME,
    LRD_COPY_NUMBER,
    LRD_COPY_CAUSES
} lrd_copy_cause;
/* Returns: the word of a cause ("memory", "time", "number"), or "" for an unknown cause. The string
 * is static. */
LRD_API const char *lrd_copy_name(int cause);

typedef struct lrd_stats {
    uint64_t entries; /* live entries, including expired ones that no sweep has removed */
    /* Bytes of the blocks of live entries. In a store of queues: bytes of the messages' blocks and
     * rows. At most page_bytes. */
    uint64_t live_bytes;
    /* bytes of blocks of cleared entries that were not swept yet */
    uint64_t dead_bytes;
    /* bytes of blocks under construction, and of removed blocks that threads may still hold */
    uint64_t retired_bytes;
    /* bytes of the pages that shards have taken; at least live_bytes, at most the store's size */
    uint64_t page_bytes;
    uint64_t held_quota; /* bytes of data that threads may hold at the moment */
    uint64_t hits, misses, inserts, replaces, deletes, expired, evicted, ghost_hits;
    /* Calls that could not store a value, for a cause in LRD_REFUSAL_CAUSES. Not counted: wrong
     * arguments, modes that do not allow the write (LRD_ADD of an existing entry), and pushes to a
     * queue at its capacity. */
    uint64_t refused;
    uint64_t refused_by[LRD_REFUSALS]; /* `refused` by cause */
    /* how often the store needed memory while the file system was full */
    uint64_t memory_short;
    /* average age in milliseconds of recently evicted entries */
    uint64_t evicted_age_ms;
    /* Gets that did not hold the value, because a bound of lrd_get() was reached. They returned a
     * copy or, with LRD_GET_NO_COPY, a borrowed value. */
    uint64_t copies;
    /* Threads that ended without giving back their slot, usually killed. lrd_stats_get() notices
     * most deaths, lrd_sweep() all. */
    uint64_t deaths;
    /* how often a shard was rebuilt, after a thread had died with its lock */
    uint64_t recoveries;
    uint64_t reaped_slots; /* slots given back after their owner's death */
    /* Number of repairs that dropped damaged data, or a whole shard. A repair that is interrupted
     * by a death may count twice. */
    uint64_t emptied_shards;
    uint64_t busy; /* calls that did not get a shard's lock in time */
    uint64_t slots_used;
    /* age of the store in milliseconds, including suspension of the machine */
    uint64_t age_ms;
    /* packed values (larder_host.h):
     * - packs: values stored in packed form
     * - falls: ready values replaced by their packed form
     * - rises: packed values that became ready again
     * - unpacks: gets that had to unpack a value */
    uint64_t packs, falls, rises, unpacks;
    /* number of live packed entries; bytes of their blocks; bytes of their values in ready form */
    uint64_t packed_entries, packed_bytes, packed_ready;
    uint64_t copies_by[LRD_COPY_CAUSES]; /* `copies` by cause */
} lrd_stats;
/* Add up the counts of all threads and shards in *out, after giving back dead threads' slots. Waits
 * for no lock, so the counts are from slightly different times.
 * Returns: LRD_OK; LRD_ETRUNCATED, with all counts 0, if the file was truncated. */
LRD_API int lrd_stats_get(lrd_store *store, lrd_stats *out);
/* Ask whether the index has at most `most` entries, including cleared ones whose memory no write
 * has freed. Never blocks. Always fast, because it checks no shards of a file that was left over
 * (see lrd_get()).
 * Returns: true if the index has at most `most` entries; false if it has more, if a shard is
 * unchecked, or if the file was truncated. */
LRD_API bool lrd_entries_few(const lrd_store *store, uint64_t most);

#define LRD_USERS_MAX 4100u /* maximum number of threads that lrd_users() reports */
typedef struct lrd_user {
    int32_t thread; /* thread id, in the PID namespace of the store's users */
    /* counts of all threads that have had this slot */
    uint64_t hits, misses, copies;
    uint64_t held_quota; /* bytes of data that the thread may hold at the moment */
} lrd_user;
/* Call report() for each thread that uses the store. Waits for no lock, so it may miss threads that
 * begin or end their use meanwhile.
 * Returns: the number of threads, or LRD_ETRUNCATED. */
LRD_API int lrd_users(lrd_store *store, void (*report)(void *arg, const lrd_user *user), void *arg);

/* Remove cleared entries, and entries and messages that expired more than 1/8 second ago, and free
 * blocks that no thread holds. Locks one shard at a time. *freed receives the freed bytes, unless
 * `freed` is NULL.
 * Returns: LRD_OK; LRD_EBUSY if a shard was busy (the others were swept). */
LRD_API int lrd_sweep(lrd_store *store, uint64_t *freed);

/* Check every invariant, one shard at a time under its lock, and report each violation as a text.
 * report() runs without a lock, and must not call the core or longjmp. `report` may be NULL.
 * Returns: the number of violations; LRD_EBUSY if a shard was busy (the others were checked);
 * LRD_ETRUNCATED; LRD_ENOMEM. */
LRD_API int lrd_fsck(lrd_store *store, void (*report)(void *arg, const char *text), void *arg);

#ifdef __cplusplus
}
#endif
#endif
