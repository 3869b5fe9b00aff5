/* larder_admin.h - care of a store: why writes are refused, statistics, users, sweeping, checking.
 */
#ifndef LARDER_ADMIN_H
#define LARDER_ADMIN_H

#include "larder.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/* Returns: a word ("file_system"), and what to say of it after "The store refuses values: "; "" for
 * another number. Static. */
LRD_API const char *lrd_refusal_name(int cause);
LRD_API const char *lrd_refusal_text(int cause);
/* Returns: the cause of this thread's last write, which was refused with the code; -1 where the
 * code is no refusal. */
LRD_API int lrd_refusal_of(lrd_store *store, int code);
/* From now on somebody has reported this cause for the store. So of all processes one writes it to
 * its log, once in the life of the store.
 * Returns: true if nobody had yet. */
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
 * kernel knows of.
 * Returns: LRD_OK; *out is filled. */
LRD_API int lrd_stats_get(lrd_store *store, lrd_stats *out);

/* A thread that uses the store. */
typedef struct lrd_user {
    int32_t thread;                /* its id, in the PID namespace of the store's users */
    uint64_t hits, misses, copies; /* by this thread, and those that had its slot before */
    uint64_t held_quota;           /* bytes of data that it may hold by quota now */
} lrd_user;
/* Report each of them. Waits for no lock: who comes or goes meanwhile may be missed.
 * Returns: how many. */
LRD_API int lrd_users(lrd_store *store, void (*report)(void *arg, const lrd_user *user), void *arg);

/* Remove what was cleared, or expired more than an eighth of a second ago, messages too, and free
 * what nobody holds; in parts, one shard lock at a time. *freed (may be NULL) gets the bytes
 * that came back.
 * Returns: LRD_OK; LRD_EBUSY: some shard was busy; all others were swept. */
LRD_API int lrd_sweep(lrd_store *store, uint64_t *freed);

/* Check every invariant, one shard at a time under its lock. Each violation is reported as a text.
 * report() is called outside of locks, but calls no function of the core and returns. May be NULL.
 * Returns: the number of violations, or a negative code: LRD_EBUSY when some shard was busy (what
 * is wrong in the others is reported). */
LRD_API int lrd_fsck(lrd_store *store, void (*report)(void *arg, const char *text), void *arg);

#ifdef __cplusplus
}
#endif
#endif
