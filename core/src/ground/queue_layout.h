/* queue_layout.h - the shared layout of queues.
 *
 *   queues[]          a row per named queue: its trees, counts, sleepers lock of the queue's shard
 *   queue_shards[]    a row per shard: which message rows are free lock of the shard
 *   messages[shard][] a row per message, 64 bytes; the body is a block of the arena
 *
 * Messages and tree nodes are named by link: number of the row within its shard + 1, 0: none.
 */
#pragma once

#include "ground/layout.h"

#define LRD__QUEUES 1024u            /* named queues of a store, at most */
#define LRD__QUEUE_SHARDS_MAX 16u    /* each has room for the rows of all messages */
#define LRD__MESSAGES_MAX (1u << 24) /* rows of a shard: the limit of an id's bits */
#define LRD__MESSAGES_STEP 64u       /* rows committed at once, at first */

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
    uint64_t listing;     /* of the block with the body */
    uint64_t turn;        /* age: lower goes first among equal priorities */
    uint64_t due;         /* delayed: ready from then on; reserved: until then (ms) */
    uint64_t incarnation; /* reserved: of the owner's slot */
    uint16_t slot;        /* reserved: index of the owner's slot */
    uint16_t queue;
    int32_t priority;
    /* links in the tree of its state; left: also in the list of free rows */
    uint32_t left, right, up;
    /* s of the store's clock since which it waits: its push, the end of its delay, or a kick. Only
     * statistics read it */
    uint32_t waits;
} lrd__message;
_Static_assert(sizeof(lrd__message) == 64, "layout: message");
_Static_assert(LRD__QUEUES <= UINT16_MAX, "the number of a queue has 16 bits");

/* A treap of message rows. Shard lock. Derived: recovery makes it anew from the rows' states. */
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
    /* The rest: lock of its shard. */
    _Alignas(64) lrd__tree tree[4]; /* by state - 1 */
    _Alignas(64) uint64_t turn;     /* last one given out */
    uint64_t capacity;              /* messages; 0: as many as memory permits */
    uint64_t looked;                /* ms of the last look for dead owners */
    _Atomic uint64_t bytes;         /* of blocks and rows. Statistics load */
    uint64_t watcher; /* incarnation of the sleeper that looks for dead owners; 0: none */
    uint32_t watcher_slot;
    uint32_t sleepers; /* flag: another consumer may sleep on arrivals */
    uint32_t sleeps;   /* raised by each consumer before it sleeps */
    uint32_t pushers;  /* flag: a producer may sleep on room */
    /* equal to sleeps: the watcher was woken since. The thread that woke it stores, without the
     * lock */
    _Atomic uint32_t awake;
    /* Statistics: anyone loads. */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint64_t acked, removed, redelivered;
    _Atomic uint64_t refused; /* fetch-add, without the lock */
    _Atomic uint64_t expired, returned;
    _Atomic uint64_t wakeups; /* as refused */
    /* Futexes: raised under the lock, slept on without it. */
    _Alignas(64) _Atomic uint32_t arrivals; /* of sleepers */
    _Atomic uint32_t watch;                 /* of the watcher */
    _Atomic uint32_t room;                  /* of pushers */
    uint32_t pad;
    /* The search for dead owners among many reserved messages, in parts. Lock of its shard. */
    uint64_t look_due, look_turn; /* messages up to this key were checked */
    uint64_t look_freed;          /* header->slots_freed when the current look began; 0: no look is
                                   * under way */
    uint64_t looked_freed;        /* header->slots_freed when the last complete look began */
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Shard lock. */
typedef struct lrd__queue_shard {
    uint32_t high;          /* rows below it are committed. Raised after the commit */
    uint32_t used;          /* rows from here on were never used */
    uint32_t free;          /* head of the free rows below: link */
    uint32_t hand;          /* row + 1 that the search for expired messages saw last; 0: begins */
    _Atomic uint64_t bytes; /* of all its queues. Pushers of other shards load */
    /* of shard 0: rows of queues[] that are in use. Stored (release) last */
    _Atomic uint32_t queues;
    uint32_t pad;
    /* ms: none of its messages that is not reserved expires before. A whole pass of hand raises it.
     * Pushers of other shards load */
    _Atomic uint64_t expires;
    uint64_t pass; /* earliest time among messages that the pass has seen or that came since it
                    * began */
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
