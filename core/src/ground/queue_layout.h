/* queue_layout.h - the structs of queues in shared memory.
 *
 *   array               one row for each   a row contains                 protected by the lock of
 *   queues[]            named queue        trees, counts, sleepers        the queue's shard
 *   queue_shards[]      shard              list of free message rows      the shard
 *   messages[shard][]   message            64 bytes; the body is a        the shard
 *                                          block of the arena
 *
 * A link to a row is its index within the shard, plus 1. A link of 0 means that there is no row. */
#pragma once

#include "ground/layout.h"

#define LRD__QUEUES 1024u /* maximum number of named queues of a store */
/* maximum number of shards of a store of queues, each with rows for all messages */
#define LRD__QUEUE_SHARDS_MAX 16u
/* maximum number of rows of a shard; limited by the bits of a message's id */
#define LRD__MESSAGES_MAX (1u << 24)
#define LRD__MESSAGES_STEP 64u /* number of rows that are committed at a time */

enum {
    LRD__MESSAGE_FREE = 0,
    LRD__MESSAGE_READY = LRD_MESSAGE_READY,
    LRD__MESSAGE_RESERVED = LRD_MESSAGE_RESERVED,
    LRD__MESSAGE_DELAYED = LRD_MESSAGE_DELAYED,
    LRD__MESSAGE_BURIED = LRD_MESSAGE_BURIED
};

/* A message. `word` has the state (3 bits), the number of attempts (21 bits) and the generation (40
 * bits), so that one atomic store changes all. The other fields depend on the state. */
typedef struct lrd__message {
    uint64_t word;
    uint64_t listing; /* listing of the block with the body */
    /* Order among messages of equal priority: the lower number comes first. */
    uint64_t turn;
    /* Time (ms) at which a delayed message becomes ready, or a reservation ends. */
    uint64_t due;
    uint64_t incarnation; /* if reserved: incarnation of the owner's slot */
    uint16_t slot;        /* if reserved: index of the owner's slot */
    uint16_t queue;
    int32_t priority;
    /* links in the queue's tree of this state; `left` also links free rows */
    uint32_t left, right, up;
    /* Time (s) at which the message became ready; for statistics. */
    uint32_t waits;
} lrd__message;
_Static_assert(sizeof(lrd__message) == 64, "layout: message");
_Static_assert(LRD__QUEUES <= UINT16_MAX, "the number of a queue has 16 bits");

/* A treap of message rows. Recovery rebuilds the treap from the states of the rows. */
typedef struct lrd__tree {
    uint32_t root, first, last, count;
} lrd__tree;

/* value of lrd__queue.state in a queue with a name; the queue's name and shard then never change */
#define LRD__QUEUE_USED 0x51554555u
typedef struct lrd__queue {
    /* LRD__QUEUE_USED if the queue has a name. Stored after name and shard, under the lock of shard
     * 0. Only an adoption reads it (queue_check.c). Other code reads lrd__queue_shard.queues. */
    _Atomic uint32_t state;
    uint16_t shard;
    uint16_t name_len;
    char name[LRD_QUEUE_NAME_MAX];
    /* The lock of the queue's shard protects the fields below. */
    _Alignas(64) lrd__tree tree[4]; /* one tree for each state, at index state - 1 */
    _Alignas(64) uint64_t turn;     /* highest lrd__message.turn so far */
    uint64_t capacity;              /* maximum number of messages; 0 for no limit */
    uint64_t looked;                /* time (ms) of the last search for dead owners */
    /* total size in bytes of blocks and rows; statistics load it without the lock */
    _Atomic uint64_t bytes;
    /* Incarnation of the watcher's slot, or 0. The watcher is a sleeping consumer that looks for
     * dead owners. */
    uint64_t watcher;
    uint32_t watcher_slot;
    uint32_t sleepers; /* 1 if a consumer other than the watcher may sleep on `arrivals` */
    uint32_t sleeps;   /* how often consumers have slept; increased before each sleep */
    uint32_t pushers;  /* 1 if a producer may be sleeping on `room` */
    /* value of `sleeps` when the watcher was last woken; stored without the lock */
    _Atomic uint32_t awake;
    /* statistics, which any thread may load */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint64_t acked, removed, redelivered;
    /* refused pushes; increased by fetch-add, without the lock */
    _Atomic uint64_t refused;
    _Atomic uint64_t expired, returned;
    _Atomic uint64_t wakeups; /* number of wake-ups; increased by fetch-add, without the lock */
    /* Futex words, increased under the lock. */
    _Alignas(64) _Atomic uint32_t arrivals; /* consumers except the watcher sleep on it */
    _Atomic uint32_t watch;                 /* the watcher sleeps on it; see queue_wait.c */
    _Atomic uint32_t room;                  /* producers sleep on it */
    uint32_t pad;
    /* The state of a search for dead owners, which is done in parts. */
    /* `due` and `turn` of the message whose owner was checked last */
    uint64_t look_due, look_turn;
    /* value of header->slots_freed when the current search began; 0 if no search is under way */
    uint64_t look_freed;
    /* value of header->slots_freed when the last complete search for dead owners began */
    uint64_t looked_freed;
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Protected by the shard's lock. */
typedef struct lrd__queue_shard {
    /* number of committed rows, increased after the commit */
    uint32_t high;
    uint32_t used; /* only rows below this number were ever used */
    uint32_t free; /* first freed row, as row + 1, or 0 */
    /* row + 1 at which the search for expired messages goes on; 0 for the first row */
    uint32_t hand;
    /* total size in bytes of the shard's queues; other shards' producers load it without the
     * lock */
    _Atomic uint64_t bytes;
    /* Shard 0: number of used rows of queues[]. Increased (release) after the row is complete. */
    _Atomic uint32_t queues;
    uint32_t pad;
    /* Lower bound (ms) of the expiries of all messages that are not reserved. A complete search for
     * expired messages raises the bound. Other shards' producers load it without the lock. */
    _Atomic uint64_t expires;
    /* Earliest expiry that the current search has seen so far, or that a push during this search
     * has added. */
    uint64_t pass;
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
