/* queue_layout.h - the shared layout of queues.
 *
 *                       a row for each    with                       guarded by the lock of
 *   queues[]            named queue       trees, counts, sleepers    the queue's shard
 *   queue_shards[]      shard             the free message rows      the shard
 *   messages[shard][]   message           64 bytes; the body is a    the shard
 *                                         block of the arena
 *
 * Messages and tree nodes are named by link: number of the row within its shard + 1, 0: none.
 */
#pragma once

#include "ground/layout.h"

#define LRD__QUEUES 1024u /* the most named queues of a store */
/* the most shards of a store of queues; each has room for the rows of all messages */
#define LRD__QUEUE_SHARDS_MAX 16u
#define LRD__MESSAGES_MAX (1u << 24) /* the most rows of a shard; more would not fit an id */
#define LRD__MESSAGES_STEP 64u       /* rows that are committed at a time */

enum {
    LRD__MESSAGE_FREE = 0,
    LRD__MESSAGE_READY = LRD_MESSAGE_READY,
    LRD__MESSAGE_RESERVED = LRD_MESSAGE_RESERVED,
    LRD__MESSAGE_DELAYED = LRD_MESSAGE_DELAYED,
    LRD__MESSAGE_BURIED = LRD_MESSAGE_BURIED
};

/* A message. word: {state 3, attempts 21, generation 40} changes by one store, and decides which of
 * the other fields count. All are read and written under the shard's lock. */
typedef struct lrd__message {
    uint64_t word;
    uint64_t listing; /* listing of the block with the body */
    /* sequence number: of messages with equal priority, the lower one goes first */
    uint64_t turn;
    /* delayed: the message is ready from this ms on; reserved: its time to run ends at this ms */
    uint64_t due;
    uint64_t incarnation; /* reserved: incarnation of the owner's slot */
    uint16_t slot;        /* reserved: index of the owner's slot */
    uint16_t queue;
    int32_t priority;
    /* links in the tree of its state; left: also in the list of free rows */
    uint32_t left, right, up;
    /* since this second of the store's clock the message waits: its push, the end of its delay, or
     * a kick. Only statistics read it */
    uint32_t waits;
} lrd__message;
_Static_assert(sizeof(lrd__message) == 64, "layout: message");
_Static_assert(LRD__QUEUES <= UINT16_MAX, "the number of a queue has 16 bits");

/* A treap of message rows. Shard lock. It is derived data: recovery builds it again from the rows'
 * states. */
typedef struct lrd__tree {
    uint32_t root, first, last, count;
} lrd__tree;

/* A named queue. Name and shard never change once state says LRD__QUEUE_USED. */
#define LRD__QUEUE_USED 0x51554555u
typedef struct lrd__queue {
    /* stored (release) last, under the lock of shard 0; anyone loads (acquire) */
    _Atomic uint32_t state;
    uint16_t shard;
    uint16_t name_len;
    char name[LRD_QUEUE_NAME_MAX];
    /* The fields below: lock of the queue's shard. */
    _Alignas(64) lrd__tree tree[4]; /* by state - 1 */
    _Alignas(64) uint64_t turn;     /* last one given out */
    uint64_t capacity;              /* the most messages; 0: as many as memory permits */
    uint64_t looked;                /* the last look for dead owners was at this ms */
    _Atomic uint64_t bytes;         /* bytes of blocks and rows. Statistics load */
    uint64_t watcher; /* incarnation of the sleeper that looks for dead owners; 0: none */
    uint32_t watcher_slot;
    uint32_t sleepers; /* flag: another consumer may sleep on arrivals */
    uint32_t sleeps;   /* number of sleeps: each consumer raises it before it sleeps */
    uint32_t pushers;  /* flag: a producer may sleep on room */
    /* equal to sleeps if the watcher was woken since. The thread that woke it stores, without the
     * lock */
    _Atomic uint32_t awake;
    /* Statistics: anyone loads. */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint64_t acked, removed, redelivered;
    _Atomic uint64_t refused; /* number of refused pushes: fetch-add, without the lock */
    _Atomic uint64_t expired, returned;
    _Atomic uint64_t wakeups; /* as refused */
    /* Futexes: raised under the lock, and slept on without it. */
    _Alignas(64) _Atomic uint32_t arrivals; /* of sleepers */
    _Atomic uint32_t watch;                 /* of the watcher */
    _Atomic uint32_t room;                  /* of pushers */
    uint32_t pad;
    /* The search for dead owners among many reserved messages, which goes on in parts. Lock of its
     * shard. */
    uint64_t look_due, look_turn; /* messages up to this key have been checked */
    /* value of header->slots_freed when the current search began; 0: there is none */
    uint64_t look_freed;
    /* value of header->slots_freed when the last complete search began */
    uint64_t looked_freed;
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Shard lock. */
typedef struct lrd__queue_shard {
    uint32_t high; /* rows below this one are committed. Raised after the commit */
    uint32_t used; /* rows from this one on were never used */
    uint32_t free; /* the first free row below `used`: a link */
    /* row + 1 that the search for expired messages saw last; 0: it begins */
    uint32_t hand;
    _Atomic uint64_t bytes; /* bytes of all queues of the shard. Pushers of other shards load */
    /* of shard 0: rows of queues[] that are in use. Stored (release) last */
    _Atomic uint32_t queues;
    uint32_t pad;
    /* no message that is not reserved expires before this ms. A whole pass of hand raises it.
     * Pushers of other shards load */
    _Atomic uint64_t expires;
    /* earliest expiry among messages that the pass has seen, or that came since it began */
    uint64_t pass;
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
