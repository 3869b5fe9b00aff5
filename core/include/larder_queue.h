/* larder_queue.h - queues of messages, in a store of policy LRD_QUEUE (larder.h opens it). */
#ifndef LARDER_QUEUE_H
#define LARDER_QUEUE_H

#include "larder_host.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * for the others.
 * Returns: LRD_OK, LRD_EINVAL, LRD_ENOQUEUE (there are 1,024), LRD_ENOSPC, LRD_ETRUNCATED. */
LRD_API int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                           lrd_queue *out);
/* Name of a queue, not 0-terminated. Never blocks.
 * Returns: LRD_OK; LRD_END when there is none of that number nor above. */
LRD_API int lrd_queue_name(const lrd_store *store, lrd_queue queue, const char **name,
                           size_t *name_len);

typedef struct lrd_push {
    uint64_t delay_ms; /* not ready before */
    /* dropped when it was not acknowledged after so long and is not reserved; 0: never */
    uint64_t ttl_ms;
    uint64_t wait_ms; /* for room, when the queue or the store is full */
    int32_t priority;
    uint32_t struct_size;
} lrd_push;
#define LRD_PUSH_INIT                                                                              \
    {                                                                                              \
        .struct_size = sizeof(lrd_push)                                                            \
    }

/* Push a body of size bytes that fill() writes (as lrd_put_fill()) or that is copied. *id (may be
 * NULL) names the message in this queue. how: NULL is all defaults.
 * Returns: LRD_OK; LRD_ENOROOM: full, also after wait_ms, and nothing that has expired, in whatever
 * queue, makes room; LRD_INTR: a signal came while it waited, nothing is pushed. Other errors as
 * lrd_put(). */
LRD_API int lrd_queue_push_fill(lrd_store *store, lrd_queue queue, size_t size, uint8_t type,
                                const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id);
LRD_API int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size,
                           uint8_t type, const lrd_push *how, uint64_t *id);
/* The same in two steps, as lrd_reserve() and lrd_publish(); lrd_abort() gives up. Others may have
 * filled the queue meanwhile: then publish waits, too, or answers LRD_ENOROOM.
 * Returns: as lrd_queue_push(). The reservation is over after publish unless the answer is
 * LRD_EBUSY. */
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
 * is ready again. flags: LRD_GET_BORROW, LRD_GET_NO_COPY, LRD_GET_PLAIN.
 * Returns: LRD_OK; LRD_MISS: none within wait_ms (0: at once); LRD_INTR: a signal came while it
 * waited. */
LRD_API int lrd_queue_pop(lrd_store *store, lrd_queue queue, unsigned flags, uint64_t wait_ms,
                          uint64_t run_ms, lrd_message *out);
/* Look without reserving: at the message with this id in whatever state, or (id 0) at the one that
 * would be popped next.
 * Returns: LRD_OK, LRD_MISS. */
LRD_API int lrd_queue_peek(lrd_store *store, lrd_queue queue, uint64_t id, unsigned flags,
                           lrd_message *out);
/* The same for the first message from *cursor on, 0 at first, in no order.
 * Returns: LRD_OK; LRD_END after the last. */
LRD_API int lrd_queue_next(lrd_store *store, lrd_queue queue, uint64_t *cursor, unsigned flags,
                           lrd_message *out);

/* Calls of a reserved message's owner. release: ready again, after delay_ms. touch: its time to run
 * begins anew.
 * Returns: LRD_OK; LRD_MISS: it is not, or no longer, reserved by this thread, or its time to run
 * is over, whoever has noticed. */
LRD_API int lrd_queue_ack(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_release(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t delay_ms);
LRD_API int lrd_queue_bury(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_touch(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t run_ms);
/* Calls of anybody. kick: make at most so many buried messages ready, the oldest first. clear:
 * remove all that are there when it begins, those that are reserved only where `reserved` says so:
 * their owner's calls then answer LRD_MISS, and a body that was given stays as it is. *count (may
 * be NULL): how many.
 * Returns: LRD_OK; remove: LRD_MISS when there is none of that id, or somebody else has reserved
 * it. */
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
/* Returns: LRD_OK; *out is filled. */
LRD_API int lrd_queue_stats_get(lrd_store *store, lrd_queue queue, lrd_queue_stats *out);

#ifdef __cplusplus
}
#endif
#endif
