/* queue.h - the shared layout of queues, and what the queue's files share with each other and with
 * recovery.
 *
 *   queues[]          a row per named queue: its trees, counts, sleepers lock of the queue's shard
 *   queue_shards[]    a row per shard: which message rows are free lock of the shard
 *   messages[shard][] a row per message, 64 bytes; the body is a block of the arena
 *
 * Messages and tree nodes are named by link: number of the row within its shard + 1, 0: none.
 */
#ifndef LRD_QUEUE_H
#define LRD_QUEUE_H

#include "internal.h"

#define LRD__QUEUES 1024u            /* named queues of a store, at most */
#define LRD__QUEUE_SHARDS_MAX 16u    /* each has room for the rows of all messages */
#define LRD__MESSAGES_MAX (1u << 24) /* rows of a shard: what an id has bits for */
#define LRD__MESSAGES_STEP 64u       /* rows that get memory at once, at first */
#define LRD__QUEUE_LOOK_MS 50u       /* how often dead owners are looked for */
#define LRD__QUEUE_REST_MS 2u        /* how long a consumer rests */
#define LRD__QUEUE_BATCH 1024u       /* messages that change, or are looked at, under one lock */
/* a queue may have so many times the memory that is left: three quarters, if alone */
#define LRD__QUEUE_SHARE 3u

enum {
    LRD__MESSAGE_FREE = 0,
    LRD__MESSAGE_READY = LRD_MESSAGE_READY,
    LRD__MESSAGE_RESERVED = LRD_MESSAGE_RESERVED,
    LRD__MESSAGE_DELAYED = LRD_MESSAGE_DELAYED,
    LRD__MESSAGE_BURIED = LRD_MESSAGE_BURIED
};

/* A message. word: {state 3, attempts 21, generation 40} is what it is, changed by one store; which
 * of the other fields count depends on it. All are read and written under the shard's lock. */
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
    uint32_t pad;
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
    uint64_t capacity;              /* messages; 0: as many as memory has */
    uint64_t looked;                /* ms of the last look for dead owners */
    _Atomic uint64_t bytes;         /* of blocks and rows. Statistics load */
    uint64_t watcher; /* incarnation of who looks for dead owners while it sleeps; 0: nobody */
    uint32_t watcher_slot;
    uint32_t sleepers; /* flag: somebody else may sleep on arrivals */
    uint32_t sleeps;   /* raised by whoever is going to sleep */
    uint32_t pushers;  /* flag: somebody may sleep on room */
    /* = sleeps: the watcher was woken since. Whoever woke it stores, without the lock */
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
    /* Looking for dead owners among many reserved messages, in parts. Lock of its shard. */
    uint64_t look_due, look_turn; /* those up to this key were looked at ... */
    uint64_t look_freed;   /* ... since header->slots_freed was this; 0: no look is under way */
    uint64_t looked_freed; /* what it was when the last whole look began */
} lrd__queue;
_Static_assert(sizeof(lrd__queue) == 512, "layout: queue");

/* A shard's message rows. Shard lock. */
typedef struct lrd__queue_shard {
    uint32_t high;          /* rows below it have memory. Raised after it was committed */
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
    uint64_t pass; /* the same of what the pass has seen, and of what came since it began */
    uint64_t pad2[2];
} lrd__queue_shard;
_Static_assert(sizeof(lrd__queue_shard) == 64, "layout: queue shard");
_Static_assert(sizeof((lrd_store *)0)->rows_mapped / sizeof(uint32_t) == LRD__QUEUE_SHARDS_MAX,
               "a number of rows for each shard");

/* ---- words, rows ---- */

#define LRD__MESSAGE_ATTEMPTS ((1u << 21) - 1)
#define LRD__MESSAGE_GENERATION (((uint64_t)1 << 40) - 1)
static inline uint32_t lrd__message_state(const lrd__message *m)
{
    return (uint32_t)(m->word >> 61);
}
static inline uint32_t lrd__message_attempts(const lrd__message *m)
{
    return (uint32_t)(m->word >> 40) & LRD__MESSAGE_ATTEMPTS;
}
static inline uint64_t lrd__message_generation(const lrd__message *m)
{
    return m->word & LRD__MESSAGE_GENERATION;
}
/* The one store that changes what a message is. Volatile: whoever dies after it has stored all
 * before it, because only the compiler could have moved those. */
static inline void lrd__message_become(lrd__message *m, uint32_t state, uint32_t attempts,
                                       uint64_t generation)
{
    atomic_signal_fence(memory_order_seq_cst);
    *(volatile uint64_t *)&m->word = (uint64_t)state << 61 | (uint64_t)attempts << 40 | generation;
    atomic_signal_fence(memory_order_seq_cst);
}
static inline lrd__message *lrd__messages_of(const lrd_store *store, uint32_t shard)
{
    return store->messages + (uint64_t)shard * store->geo.messages_max;
}
static inline lrd__message *lrd__message_at(const lrd_store *store, uint32_t shard, uint32_t link)
{
    return lrd__messages_of(store, shard) + link - 1;
}
static inline uint32_t lrd__message_link(const lrd_store *store, uint32_t shard,
                                         const lrd__message *m)
{
    return (uint32_t)(m - lrd__messages_of(store, shard)) + 1;
}
static inline uint64_t lrd__message_offset(const lrd__message *m)
{
    return (m->listing - 1) << LRD__GRANULE_BITS;
}
static inline uint64_t lrd__message_id(uint32_t link, const lrd__message *m)
{
    return lrd__message_generation(m) << 24 | (link - 1);
}
/* When it expires (ms); 0: never. It never changes. */
static inline uint64_t lrd__message_expiry(const lrd_store *store, const lrd__message *m)
{
    return atomic_load_explicit(&lrd__block_at(store, lrd__message_offset(m))->expiry,
                                memory_order_relaxed);
}
/* The key of a body's block: whose it is. */
#define LRD__MESSAGE_KEY 6u
static inline void lrd__message_key(uint32_t shard, uint32_t link, uint8_t key[LRD__MESSAGE_KEY])
{
    uint16_t number = (uint16_t)shard;
    memcpy(key, &number, sizeof number);
    memcpy(key + sizeof number, &link, sizeof link);
}
static inline lrd__tree *lrd__message_tree(lrd__queue *queue, const lrd__message *m)
{
    return &queue->tree[lrd__message_state(m) - 1];
}
/* The shard of a queue's number: they take turns, and no queue ever goes. */
static inline uint16_t lrd__queue_home(const lrd_store *store, uint32_t number)
{
    return (uint16_t)(number & (store->geo.shards - 1));
}
static inline uint32_t lrd__queues_used(const lrd_store *store)
{
    return atomic_load_explicit(&store->queue_shards->queues, memory_order_acquire);
}

/* ---- queue_tree.c ---- */
/* Put a row into the tree of its state / take it out. By priority and turn (ready), due and turn
 * (reserved, delayed), turn (buried). [locked] */
void lrd__tree_insert(const lrd_store *store, lrd__queue *queue, lrd__message *m);
void lrd__tree_remove(const lrd_store *store, lrd__queue *queue, lrd__message *m);
/* The next row in order; 0: none. [locked] */
uint32_t lrd__tree_next(const lrd_store *store, uint32_t shard, uint32_t link);
/* The first row in order behind this key, a row that need not be in the tree; 0: none. [locked] */
uint32_t lrd__tree_after(const lrd_store *store, const lrd__queue *queue, const lrd__message *key);
/* True if a goes before b, both in the same state. */
bool lrd__tree_before(const lrd__message *a, const lrd__message *b);
/* The weight that keeps the tree balanced: a row's is at most its parent's. */
uint32_t lrd__tree_weight(uint32_t link);

/* ---- queue_wait.c ---- */
/* Whom to wake, decided under the lock and done after it. */
typedef struct lrd__wake {
    bool sleepers, watcher, pusher;
    uint32_t sleeps;
} lrd__wake;
/* A message is ready: see that whoever is about to sleep does not. [locked] */
void lrd__wake_one(lrd__queue *queue, lrd__wake *wake);
/* Room has come back. [locked] */
void lrd__wake_pusher(lrd__queue *queue, lrd__wake *wake);
/* Wake them. No lock is held. */
void lrd__wake_send(lrd__thread *self, lrd__queue *queue, const lrd__wake *wake);

/* How a thread is going to sleep. */
typedef struct lrd__sleep {
    bool rests; /* it is no sleeper: nobody has to wake it */
    bool watches;
    uint32_t turn; /* of its futex */
    uint64_t most; /* ms */
} lrd__sleep;
/* Become a sleeper, the watcher where there is none who lives. [locked] */
void lrd__sleep_begin(lrd__thread *self, lrd__queue *queue, uint64_t now, lrd__sleep *sleep);
/* LRD_OK: look again; LRD_INTR: a signal came. No lock is held. */
int lrd__sleep_now(lrd__queue *queue, const lrd__sleep *sleep, uint64_t ms);
/* Whoever watched does not any more: let a sleeper take over. [locked] */
void lrd__sleep_end(lrd__thread *self, lrd__queue *queue, lrd__wake *wake);
/* A message of so many bytes was popped. */
void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size);
/* Nothing is ready: whether to rest before the next look, and not to sleep. now: ms. [locked] */
bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now);
/* The same for who waits for room. */
uint32_t lrd__room_sleep_begin(lrd__queue *queue);
int lrd__room_sleep(lrd__queue *queue, uint32_t turn, uint64_t ms);

/* ---- queue.c ---- */
/* The queue of a number. LRD_EPOLICY, LRD_ENOQUEUE. */
int lrd__queue_of(lrd_store *store, lrd_queue number, lrd__queue **out);
/* The same, and lrd__enter(): where it is LRD_OK the caller has to leave. */
int lrd__queue_enter(lrd_store *store, lrd_queue number, lrd__thread **self, lrd__queue **queue);

/* ---- queue_push.c ---- */
/* A message with this expiry is going to be there, and not reserved. [locked] */
void lrd__queue_expires(lrd_store *store, uint32_t shard, uint64_t expiry);
/* True if something in the shard may have expired by now. A guess without the lock. */
static inline bool lrd__queue_overdue(const lrd_store *store, uint32_t shard, uint64_t now)
{
    return atomic_load_explicit(&store->queue_shards[shard].expires, memory_order_relaxed) <= now;
}
/* Drop what had expired by `now` among the next rows of the shard; returns how many. While
 * lrd__queue_overdue() says so, another call goes on: with the same `now`, two passes over the rows
 * at most. [locked] */
uint64_t lrd__queue_sweep(lrd_store *store, uint32_t shard, uint64_t now);

/* ---- queue_pop.c ---- */
/* Lock the queue's shard to make messages ready: delayed ones that were due when the coarse clock
 * showed this are, and go before them. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
/* now + ms, at most UINT64_MAX. */
uint64_t lrd__queue_sum(uint64_t now, uint64_t ms);
/* Give a message that is in no tree another state; its fields are set by now. [locked] */
void lrd__queue_become(lrd_store *store, lrd__queue *queue, lrd__message *m, uint32_t state);
/* Add what the message takes to the sums, or take it off. [locked] */
void lrd__queue_account(lrd_store *store, lrd__queue *queue, const lrd__message *m, bool add);
/* The message is no more. [locked] */
void lrd__queue_drop(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* A reserved message has no owner any more: it is ready again. [locked] */
void lrd__queue_return(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* Whether the owner of a reserved message lives. [locked] */
bool lrd__queue_owned(lrd_store *store, const lrd__message *m);
/* now: 0 is read from the clock where it matters. */
bool lrd__queue_expired(const lrd_store *store, const lrd__message *m, uint64_t now);
/* How a call looks for dead owners. */
typedef struct lrd__look {
    bool at_once; /* also where that was done a moment ago */
    /* header->slots_freed when the call first did, having given back dead slots; 0: not yet */
    uint64_t freed;
} lrd__look;
/* Messages whose time has come are ready, those of dead owners too: look->at_once, or when that was
 * last done long ago, or where the kernel says so. True: there may be more of them than a batch;
 * the same call goes on with the same look. [locked] */
bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake);
/* The first message that is ready and has not expired; NULL: none, or (*more is set) none in a
 * batch. now as above. [locked] */
lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake);
/* Hold, or borrow, the body. [locked, thread] */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out);
/* After the lock: a borrow that the caller cannot use becomes a copy. LRD_ENOMEM. */
int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value);

#endif
