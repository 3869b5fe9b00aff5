/* queue_layout.h - the shared layout of queues.
 *
 *                       a row for each    with                       guarded by the lock of
 *   queues[]            named queue       trees, counts, sleepers    the queue's shard
 *   queue_shards[]      shard             the free message rows      the shard
 *   messages[shard][]   message           64 bytes; the body is a    the shard
 *                                         block of the arena
 *
 * A link to a message or a tree node is the number of its row within the shard + 1; 0: none. */
#pragma once

#include "ground/layout.h"

#define LRD__QUEUES 1024u /* largest number of named queues of a store */
/* largest number of shards of a store of queues; each has rows for all messages */
#define LRD__QUEUE_SHARDS_MAX 16u
/* largest number of rows of a shard; an id has no bits for more */
#define LRD__MESSAGES_MAX (1u << 24)
#define LRD__MESSAGES_STEP 64u /* number of rows that are committed at a time */

enum {
    LRD__MESSAGE_FREE = 0,
    LRD__MESSAGE_READY = LRD_MESSAGE_READY,
    LRD__MESSAGE_RESERVED = LRD_MESSAGE_RESERVED,
    LRD__MESSAGE_DELAYED = LRD_MESSAGE_DELAYED,
    LRD__MESSAGE_BURIED = LRD_MESSAGE_BURIED
};

/* A message. `word` has three fields: state (3 bits), attempts (21) and generation (40). One write
 * changes all three. The state decides which of the other members are valid. Protected by the
 * shard's lock. */
typedef struct lrd__message {
    uint64_t word;
    uint64_t listing; /* listing of the block with the body */
    /* sequence number: of messages with equal priority, the lower one goes first */
    uint64_t turn;
    /* of a delayed message: time (ms) from which on it is ready. Of a reserved message: time (ms)
     * at which its time to run ends */
    uint64_t due;
    uint64_t incarnation; /* of a reserved message: incarnation of the owner's slot */
    uint16_t slot;        /* of a reserved message: index of the owner's slot */
    uint16_t queue;
    int32_t priority;
    /* links in the tree of messages in the same state; `left` also links the free rows */
    uint32_t left, right, up;
    /* second of the store's clock since which the message waits: that of its push, of the end of
     * its delay, or of a kick. Only statistics read it */
    uint32_t waits;
} lrd__message;
_Static_assert(sizeof(lrd__message) == 64, "layout: message");
_Static_assert(LRD__QUEUES <= UINT16_MAX, "the number of a queue has 16 bits");

/* A tree (treap) of message rows. Protected by the shard's lock. Recovery builds the tree again
 * from the states of the rows. */
typedef struct lrd__tree {
    uint32_t root, first, last, count;
} lrd__tree;

/* A named queue. After `state` became LRD__QUEUE_USED, its name and shard never change. */
#define LRD__QUEUE_USED 0x51554555u
typedef struct lrd__queue {
    /* Stored (release) last, under the lock of shard 0. So a thread that loads LRD__QUEUE_USED
     * (acquire) finds the other fields complete. */
    _Atomic uint32_t state;
    uint16_t shard;
    uint16_t name_len;
    char name[LRD_QUEUE_NAME_MAX];
    /* The lock of the queue's shard protects the fields below. */
    _Alignas(64) lrd__tree tree[4]; /* index: state - 1 */
    _Alignas(64) uint64_t turn;     /* the last turn that was given out */
    uint64_t capacity;              /* largest number of messages; 0: no limit except memory */
    uint64_t looked;                /* time (ms) at which dead owners were last looked for */
    _Atomic uint64_t bytes;         /* bytes of the queue's blocks and rows. Statistics load it */
    /* The watcher is a sleeping consumer that also wakes to look for dead owners. This is the
     * incarnation of its slot; 0: there is no watcher. */
    uint64_t watcher;
    uint32_t watcher_slot;
    uint32_t sleepers; /* 1 if a consumer other than the watcher may sleep on `arrivals` */
    uint32_t sleeps;   /* number of sleeps of consumers: raised before each sleep */
    uint32_t pushers;  /* 1 if a producer may sleep on `room` */
    /* equal to `sleeps` if the watcher was woken since the last sleep. The thread that wakes the
     * watcher stores it, without the lock */
    _Atomic uint32_t awake;
    /* statistics, which any thread may load */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint64_t acked, removed, redelivered;
    _Atomic uint64_t refused; /* number of refused pushes: fetch-add, without the lock */
    _Atomic uint64_t expired, returned;
    _Atomic uint64_t wakeups; /* number of wake-ups: fetch-add, without the lock */
    /* Futexes. They are raised under the lock; threads sleep on them without the lock. */
    _Alignas(64) _Atomic uint32_t arrivals; /* sleepers sleep on it */
    _Atomic uint32_t watch;                 /* the watcher sleeps on it */
    _Atomic uint32_t room;                  /* pushers sleep on it */
    uint32_t pad;
    /* The search for dead owners among many reserved messages is done in parts. The lock of the
     * queue's shard protects the fields below. */
    uint64_t look_due, look_turn; /* due and turn of the last message checked */
    /* value of header->slots_freed when the current search began; 0: no search is under way */
    uint64_t look_freed;
    /* value of header->slots_freed when the last complete search began */
    uint64_t looked_freed;
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Protected by the shard's lock. */
typedef struct lrd__queue_shard {
    uint32_t high; /* rows below this one are committed. Raised after the commit */
    uint32_t used; /* rows from this one on were never used */
    uint32_t free; /* link to the first free row below `used` */
    /* row + 1 at which the search for expired messages stopped; 0: the search begins anew */
    uint32_t hand;
    /* bytes of all queues of the shard. Producers in other shards load it */
    _Atomic uint64_t bytes;
    /* in shard 0: number of queues[] rows in use. Stored (release) last */
    _Atomic uint32_t queues;
    uint32_t pad;
    /* no message expires before this time (ms), except reserved ones. The search by `hand` raises
     * it when it has passed all rows. Producers in other shards load it */
    _Atomic uint64_t expires;
    /* earliest expiry among the messages that the search by `hand` has seen so far, or that were
     * pushed since this search began */
    uint64_t pass;
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
