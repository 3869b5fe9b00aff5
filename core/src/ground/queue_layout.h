/* queue_layout.h - the structs of queues in shared memory.
 *
 *   array               one row for each   with                           protected by the lock of
 *   queues[]            named queue        trees, counts, sleepers        the queue's shard
 *   queue_shards[]      shard              list of free message rows      the shard
 *   messages[shard][]   message            64 bytes; the body is a        the shard
 *                                          block of the arena
 *
 * A link to a row is its index within the shard, plus 1. A link of 0 means that there is no row. */
#pragma once

#include "ground/layout.h"

#define LRD__QUEUES 1024u /* maximum number of named queues of a store */
/* Maximum number of shards of a store of queues. One shard may get all messages, so each shard has
 * rows for all of them. */
#define LRD__QUEUE_SHARDS_MAX 16u
/* maximum number of rows of a shard; the id of a message has bits for no more rows */
#define LRD__MESSAGES_MAX (1u << 24)
#define LRD__MESSAGES_STEP 64u /* number of rows that are committed at a time */

enum {
    LRD__MESSAGE_FREE = 0,
    LRD__MESSAGE_READY = LRD_MESSAGE_READY,
    LRD__MESSAGE_RESERVED = LRD_MESSAGE_RESERVED,
    LRD__MESSAGE_DELAYED = LRD_MESSAGE_DELAYED,
    LRD__MESSAGE_BURIED = LRD_MESSAGE_BURIED
};

/* A message. `word` consists of the state (3 bits), the number of attempts (21 bits) and the
 * generation (40 bits). One atomic store changes all three. The state decides which other fields
 * are valid. */
typedef struct lrd__message {
    uint64_t word;
    uint64_t listing; /* listing of the block that contains the body */
    /* Sequence number. Among messages of equal priority, the message with the lower number comes
     * first. */
    uint64_t turn;
    /* Delayed message: time (ms) at which it becomes ready. Reserved message: time (ms) at which
     * its reservation ends. */
    uint64_t due;
    uint64_t incarnation; /* in a reserved message: incarnation of the owner's slot */
    uint16_t slot;        /* in a reserved message: index of the owner's slot */
    uint16_t queue;
    int32_t priority;
    /* links in the tree of the queue's messages that have the same state; `left` also links free
     * rows */
    uint32_t left, right, up;
    /* Time (s of the store's clock) at which the message was pushed or kicked, or at which its
     * delay ended. For statistics. */
    uint32_t waits;
} lrd__message;
_Static_assert(sizeof(lrd__message) == 64, "layout: message");
_Static_assert(LRD__QUEUES <= UINT16_MAX, "the number of a queue has 16 bits");

/* A tree (treap) of message rows. Recovery builds it again from the states of the rows. */
typedef struct lrd__tree {
    uint32_t root, first, last, count;
} lrd__tree;

/* The value of `state` in a named queue. Once `state` has this value, the queue's name and shard
 * never change. */
#define LRD__QUEUE_USED 0x51554555u
typedef struct lrd__queue {
    /* Stored after name and shard, under the lock of shard 0. Only the check after an adoption
     * reads this field (queue_check.c). Other threads learn from lrd__queue_shard.queues that the
     * queue exists. */
    _Atomic uint32_t state;
    uint16_t shard;
    uint16_t name_len;
    char name[LRD_QUEUE_NAME_MAX];
    /* The lock of the queue's shard protects the fields below. */
    _Alignas(64) lrd__tree tree[4]; /* one tree for each state; the index is the state - 1 */
    _Alignas(64) uint64_t turn;     /* the highest lrd__message.turn given so far */
    uint64_t capacity;              /* maximum number of messages; 0 if only memory limits it */
    uint64_t looked;                /* time (ms) of the last search for dead owners */
    /* total size in bytes of the queue's blocks and rows; statistics load it without the lock */
    _Atomic uint64_t bytes;
    /* Incarnation of the slot of the watcher; 0 if there is none. The watcher is a sleeping
     * consumer that also looks for dead owners. */
    uint64_t watcher;
    uint32_t watcher_slot;
    uint32_t sleepers; /* 1 if a consumer that is not the watcher may be sleeping on `arrivals` */
    uint32_t sleeps;   /* how often consumers have slept so far; increased before each sleep */
    uint32_t pushers;  /* 1 if a producer may be sleeping on `room` */
    /* Value of `sleeps` when the watcher was last woken. The thread that wakes the watcher stores
     * this, without the lock. */
    _Atomic uint32_t awake;
    /* statistics, which any thread may load */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint64_t acked, removed, redelivered;
    /* number of refused pushes; increased by fetch-add, without the lock */
    _Atomic uint64_t refused;
    _Atomic uint64_t expired, returned;
    _Atomic uint64_t wakeups; /* number of wake-ups; increased by fetch-add, without the lock */
    /* Futex words. They are increased under the lock. Threads sleep on them without the lock. */
    _Alignas(64) _Atomic uint32_t arrivals; /* consumers sleep on this word, except the watcher */
    _Atomic uint32_t watch;                 /* the watcher sleeps on this word; see queue_wait.c */
    _Atomic uint32_t room;                  /* producers sleep on this word */
    uint32_t pad;
    /* The state of the search for dead owners, which is done in parts if many messages are
     * reserved. */
    uint64_t look_due, look_turn; /* `due` and `turn` of the message whose owner was checked most
                                   * recently */
    /* value of header->slots_freed when the current search began; 0 if no search is under way */
    uint64_t look_freed;
    /* value of header->slots_freed when the last complete search for dead owners began */
    uint64_t looked_freed;
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Protected by the shard's lock. */
typedef struct lrd__queue_shard {
    /* rows with lower numbers are committed; increased after more rows were committed */
    uint32_t high;
    uint32_t used; /* only rows below this number were ever used */
    uint32_t free; /* first row of the list of freed rows, as row + 1; 0 if there is none */
    /* row + 1 at which the search for expired messages stopped; 0 if the next search begins with
     * the first row */
    uint32_t hand;
    /* total size in bytes of all queues of the shard; producers of other shards load it without
     * this shard's lock */
    _Atomic uint64_t bytes;
    /* In shard 0: number of used rows of queues[]. Increased (release) after the new row is
     * complete. */
    _Atomic uint32_t queues;
    uint32_t pad;
    /* No message of the shard expires before this time (ms). A message does not expire while it is
     * reserved. A search for expired messages that has reached the last row (see `hand`) stores a
     * later time here. Producers of other shards load this field without the lock. */
    _Atomic uint64_t expires;
    /* Earliest expiry of the messages that the current search has seen, or that were pushed after
     * the search began. */
    uint64_t pass;
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
