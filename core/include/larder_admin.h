/* larder_admin.h - for tools and hosts that watch a store: why writes are refused, statistics,
 * users, sweeping, checking. */
#ifndef LARDER_ADMIN_H
#define LARDER_ADMIN_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table of causes for which a write is refused: constant, word, text. */
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
/* lrd_refusal_name() returns the word of a cause, such as "file_system". lrd_refusal_text() returns
 * the text of a cause, to be printed after "The store refuses values: ". Both return "" for an
 * unknown cause. Static. */
LRD_API const char *lrd_refusal_name(int cause);
LRD_API const char *lrd_refusal_text(int cause);
/* Returns: the cause (LRD_REFUSED_*) for which this thread's last write failed with `code`; -1 if
 * `code` does not mean that a write was refused. */
LRD_API int lrd_refusal_of(lrd_store *store, int code);
/* Mark this cause as reported for the store, so that only one process logs it, and only once.
 * Returns: true if no thread had marked this cause before. */
LRD_API bool lrd_refusal_is_news(lrd_store *store, int cause);

/* Why a get returned a copy: the thread holds as much memory as it may, has held values for longer
 * than a request may, or holds as many values as it may. */
typedef enum lrd_copy_cause {
    LRD_COPY_MEMORY,
    LRD_COPY_TIME,
    LRD_COPY_NUMBER,
    LRD_COPY_CAUSES
} lrd_copy_cause;
/* Returns: the word of a cause ("memory", "time", "number"); "" for another number. Static. */
LRD_API const char *lrd_copy_name(int cause);

typedef struct lrd_stats {
    uint64_t entries; /* live entries; expired ones count until they are swept */
    /* bytes of the blocks of live entries; in a store of queues, bytes of messages and their
     * descriptions */
    uint64_t live_bytes;
    /* bytes of blocks whose entries were cleared or have expired, but are not swept yet */
    uint64_t dead_bytes;
    /* bytes of blocks that are neither free nor used by an entry: blocks of removed entries that
     * threads may still hold, and values under construction */
    uint64_t retired_bytes;
    uint64_t page_bytes; /* bytes of 64 KiB pages that shards have taken; at most the size */
    uint64_t held_quota; /* bytes of data that threads have permission to hold at the moment */
    uint64_t hits, misses, inserts, replaces, deletes, expired, evicted, ghost_hits;
    /* calls that could not store a value: no room, a full index or file system, a value that is too
     * large, a busy shard, no slot, or a queue whose memory is full. Each call counts once. Wrong
     * arguments, unmet conditions of the mode and queues at their capacity do not count */
    uint64_t refused;
    uint64_t refused_by[LRD_REFUSALS]; /* refused calls by cause */
    /* how often the file system had no memory left. After each such failure, a volatile store
     * evicts entries and does not ask for memory for a second */
    uint64_t memory_short;
    /* average time between the write of an entry and its eviction, for recent evictions */
    uint64_t evicted_age_ms;
    /* gets that returned a copy because a bound was reached. The core made the copy, or the host
     * (LRD_GET_NO_COPY) */
    uint64_t copies;
    /* threads that ended without giving back their slot, so most of them were killed. A death
     * counts once, when a call notices it: usually lrd_stats_get(), at the latest lrd_sweep() */
    uint64_t deaths;
    uint64_t recoveries;   /* shards rebuilt after a thread died inside the shard's lock */
    uint64_t reaped_slots; /* slots of dead owners that were given back */
    /* how often a repair dropped entries of a shard, messages of a queue, or a queue's name,
     * because memory was damaged. A repair drops only damaged parts, or everything in the shard. If
     * a process dies while it counts a loss, that loss may count twice */
    uint64_t emptied_shards;
    uint64_t busy; /* calls that did not get a shard's lock in time */
    uint64_t slots_used;
    uint64_t age_ms; /* age of the store; time in which the machine was suspended counts, too */
    /* packed values (larder_host.h):
     * - packs: values that were stored in packed form
     * - falls: ready values that were replaced by their packed form
     * - rises: packed values that became ready again
     * - unpacks: gets that had to unpack a value */
    uint64_t packs, falls, rises, unpacks;
    /* number of live packed entries, bytes of their blocks, and bytes that their values would take
     * in ready form */
    uint64_t packed_entries, packed_bytes, packed_ready;
    uint64_t copies_by[LRD_COPY_CAUSES]; /* copies by cause; together they are `copies` */
} lrd_stats;
/* Sum up the numbers of all threads and shards. Waits for no lock, so the numbers are not all of
 * the same instant. First gives back the slots of dead threads and releases their values, so every
 * death that the kernel knows of is counted.
 * Returns: LRD_OK; *out is filled. */
LRD_API int lrd_stats_get(lrd_store *store, lrd_stats *out);

#define LRD_USERS_MAX 4100u /* largest number of threads that lrd_users() may report */
/* A thread that uses the store. */
typedef struct lrd_user {
    int32_t thread;                /* the thread's id, in the PID namespace of the store's users */
    uint64_t hits, misses, copies; /* counts of this thread and of earlier threads in its slot */
    uint64_t held_quota; /* bytes of data that the thread has permission to hold at the moment */
} lrd_user;
/* Call report() for each thread that uses the store. Waits for no lock, so a thread that comes or
 * goes meanwhile may be missed.
 * Returns: the number of threads. */
LRD_API int lrd_users(lrd_store *store, void (*report)(void *arg, const lrd_user *user), void *arg);

/* Remove entries and messages that were cleared, or that expired more than an eighth of a second
 * ago, and free blocks that no thread holds. Works in parts, under one shard's lock at a time.
 * *freed (may be NULL) receives the number of freed bytes.
 * Returns: LRD_OK; LRD_EBUSY: some shard was busy; all others were swept. */
LRD_API int lrd_sweep(lrd_store *store, uint64_t *freed);

/* Check every invariant, one shard at a time under its lock, and report each violation as a text.
 * report() runs outside of locks, but must call no function of the core and must return. `report`
 * may be NULL.
 * Returns: the number of violations, or a negative code: LRD_EBUSY if some shard was busy
 * (violations in the other shards are reported). */
LRD_API int lrd_fsck(lrd_store *store, void (*report)(void *arg, const char *text), void *arg);

#ifdef __cplusplus
}
#endif
#endif
