/* larder_queue.h - queues of messages, in a store of policy LRD_QUEUE (larder.h opens it). */
#ifndef LARDER_QUEUE_H
#define LARDER_QUEUE_H

#include "larder_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A store of policy LRD_QUEUE has named queues of messages instead of entries. A message is ready,
 * reserved (a worker handles it), delayed or buried (put aside):
 *
 *   push --> ready <------ release, time to run is over, death of the owner ----.
 *     |        ^  `-- pop ---------------------------------------------> reserved --> ack: gone
 *     |        | kick, its time has come         release with a delay,     |
 *     `--> delayed, buried <------------------- bury ----------------------'
 *
 * Delivery is at least once: a pushed message stays until it is acknowledged or removed, or
 * expires. An acknowledged message is never delivered again. Higher priorities go first. Within a
 * priority the message that was ready first goes first. A message that becomes ready again keeps
 * its place, or goes last if its owner was killed inside lrd_queue_bury(). A reserved message
 * belongs to the thread that popped it. If that thread gives back its slot or dies, the message is
 * ready again at once. A queue belongs to one shard: calls take that shard's lock and may block
 * (LRD_EBUSY). All calls return LRD_EPOLICY in a store of another policy, and LRD_ENOQUEUE if no
 * queue has the number. */

#define LRD_QUEUE_NAME_MAX 200u /* bytes */
typedef uint32_t lrd_queue;     /* number of a queue; the same in every process of the store */

/* Find the queue of this name (1..LRD_QUEUE_NAME_MAX bytes), or create it. `capacity` becomes the
 * largest number of messages in the queue. If `capacity` is 0, the capacity does not change, and a
 * new queue has no limit except memory. One queue may use at most three times the memory that all
 * queues leave free, so that some is left for the others.
 * Returns: LRD_OK, LRD_EINVAL, LRD_ENOQUEUE (there are 1,024 queues already), LRD_ENOSPC,
 * LRD_ETRUNCATED. */
LRD_API int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                           lrd_queue *out);
/* Find the name of a queue. It is not 0-terminated. Never blocks.
 * Returns: LRD_OK; LRD_END if no queue has this number or a higher one. */
LRD_API int lrd_queue_name(const lrd_store *store, lrd_queue queue, const char **name,
                           size_t *name_len);

typedef struct lrd_push {
    uint64_t delay_ms; /* time until the message is ready */
    /* time after which the message expires; 0: never. A reserved message does not expire */
    uint64_t ttl_ms;
    uint64_t wait_ms; /* longest wait for room if the queue or the store is full */
    int32_t priority;
    uint32_t struct_size;
} lrd_push;
#define LRD_PUSH_INIT                                                                              \
    {                                                                                              \
        .struct_size = sizeof(lrd_push)                                                            \
    }

/* Push a message. Its body has `size` bytes, which fill() writes (as in lrd_put_fill()) or the call
 * copies from `data`. *id (may be NULL) receives the number of the message in this queue. `how` may
 * be NULL: all defaults.
 * Returns: LRD_OK; LRD_ENOROOM: full, even after wait_ms and after removing expired messages of all
 * queues; LRD_INTR: a signal ended the wait, and nothing is pushed. Other errors as lrd_put(). */
LRD_API int lrd_queue_push_fill(lrd_store *store, lrd_queue queue, size_t size, uint8_t type,
                                const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id);
LRD_API int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size,
                           uint8_t type, const lrd_push *how, uint64_t *id);
/* Push in two steps, like lrd_reserve() and lrd_publish(); lrd_abort() gives up. If other threads
 * fill the queue between the steps, lrd_queue_publish() waits for room, or returns LRD_ENOROOM.
 * Returns: as lrd_queue_push(). lrd_queue_publish() ends the reservation unless it returns
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
    lrd_value value; /* the body, as from lrd_get(); releasing it does not end the message */
    uint64_t id;
    uint32_t attempts; /* number of times that the message was popped, including this pop */
    int32_t priority;
    lrd_message_state state;
} lrd_message;

/* Reserve the first ready message for this thread. After run_ms (0: no limit) the message is ready
 * again. flags: LRD_GET_BORROW, LRD_GET_NO_COPY, LRD_GET_PLAIN.
 * Returns: LRD_OK; LRD_MISS: no message within wait_ms (0: do not wait); LRD_INTR: a signal
 * ended the wait. */
LRD_API int lrd_queue_pop(lrd_store *store, lrd_queue queue, unsigned flags, uint64_t wait_ms,
                          uint64_t run_ms, lrd_message *out);
/* Look at a message without reserving it: the one with this id in any state, or, if id is 0, the
 * one that would be popped next.
 * Returns: LRD_OK, LRD_MISS. */
LRD_API int lrd_queue_peek(lrd_store *store, lrd_queue queue, uint64_t id, unsigned flags,
                           lrd_message *out);
/* Look at the first message from position *cursor on, and move the cursor behind this message.
 * Start with 0. The order is arbitrary.
 * Returns: LRD_OK; LRD_END after the last message. */
LRD_API int lrd_queue_next(lrd_store *store, lrd_queue queue, uint64_t *cursor, unsigned flags,
                           lrd_message *out);

/* Calls of the thread that has reserved a message. lrd_queue_ack() removes the message.
 * lrd_queue_release() makes it ready again after delay_ms. lrd_queue_bury() puts it aside.
 * lrd_queue_touch() starts its time to run again.
 * Returns: LRD_OK; LRD_MISS: this thread has not reserved the message, or its time to run is
 * over. */
LRD_API int lrd_queue_ack(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_release(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t delay_ms);
LRD_API int lrd_queue_bury(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_touch(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t run_ms);
/* Calls that any thread may make.
 *
 * lrd_queue_remove() removes the message with this id. lrd_queue_kick() makes at most `most` buried
 * messages ready, the oldest first. lrd_queue_clear() removes all messages that exist when the call
 * begins, reserved messages only if `reserved` is true.
 *
 * The owner of a removed message then gets LRD_MISS, but can still read the body. *count (may be
 * NULL) receives the number of messages that the call made ready or removed.
 * Returns: LRD_OK; lrd_queue_remove(): LRD_MISS if no message has this id, or if another thread has
 * reserved it. */
LRD_API int lrd_queue_remove(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_kick(lrd_store *store, lrd_queue queue, uint64_t most, uint64_t *count);
LRD_API int lrd_queue_clear(lrd_store *store, lrd_queue queue, bool reserved, uint64_t *count);

typedef struct lrd_queue_stats {
    uint64_t ready, reserved, delayed, buried; /* messages now */
    uint64_t bytes;                            /* bytes of shared memory that the messages take */
    uint64_t capacity;                         /* as given to lrd_queue_open() */
    uint64_t pushed, acked;                    /* so far */
    uint64_t removed;                          /* by remove and clear */
    uint64_t redelivered;                      /* pops of a message that had been popped before */
    /* messages that became ready again because their owner died or took too long */
    uint64_t returned;
    uint64_t expired;
    uint64_t refused; /* pushes that found no room, even after waiting. Each counts once */
    uint64_t wakeups; /* system calls that woke a waiting thread */
    /* time since the oldest ready message became ready (by its push, the end of its delay, or a
     * kick), in whole seconds. 0: no message is ready */
    uint64_t oldest_ms;
} lrd_queue_stats;
/* Returns: LRD_OK; *out is filled. */
LRD_API int lrd_queue_stats_get(lrd_store *store, lrd_queue queue, lrd_queue_stats *out);

#ifdef __cplusplus
}
#endif
#endif
