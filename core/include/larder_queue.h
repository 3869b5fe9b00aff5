/* larder_queue.h - queues of messages. Open a store of policy LRD_QUEUE with lrd_open() first. */
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
 * - Delivery is at least once: a message stays until it is acknowledged or removed, or expires.
 * - Higher priorities go first; within a priority, the message that was ready first. A message that
 *   becomes ready again usually keeps its place.
 * - A reserved message belongs to the thread that popped it, until that thread gives back its slot
 *   or dies.
 * - Calls take the lock of the queue's shard and may block (LRD_EBUSY). They return LRD_EPOLICY in
 *   a store of another policy, and LRD_ENOQUEUE if no queue has the number. */

#define LRD_QUEUE_NAME_MAX 200u /* bytes */
typedef uint32_t lrd_queue;     /* number of a queue, equal in every process */

/* Find the queue with this name (1..LRD_QUEUE_NAME_MAX bytes), or create it. A `capacity` above 0
 * becomes the queue's maximum number of messages. A new queue with a `capacity` of 0 is limited
 * only by memory. A queue cannot grow while its memory is more than three times the store's free
 * memory. Returns: LRD_OK, LRD_EINVAL, LRD_ENOQUEUE (there are 1,024 queues), LRD_ENOSPC,
 * LRD_ETRUNCATED. */
LRD_API int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                           lrd_queue *out);
/* Find the name of a queue. The name is not 0-terminated. Queues are numbered from 0 without gaps.
 * Never blocks.
 * Returns: LRD_OK; LRD_END if no queue has this number; LRD_ETRUNCATED. */
LRD_API int lrd_queue_name(const lrd_store *store, lrd_queue queue, const char **name,
                           size_t *name_len);

typedef struct lrd_push {
    uint64_t delay_ms; /* time from the push until the message is ready */
    /* Time after which the message expires; 0 for never. A reserved message does not expire. */
    uint64_t ttl_ms;
    uint64_t wait_ms; /* longest wait for room */
    int32_t priority;
    uint32_t struct_size;
    unsigned flags; /* LRD_PUSH_RETRY or 0 */
} lrd_push;
/* Set this flag if you will repeat the push after LRD_ENOROOM or LRD_EBUSY. Such a failure is then
 * not counted as a refused push. Do not set the flag for the last attempt. */
#define LRD_PUSH_RETRY 1u
#define LRD_PUSH_INIT                                                                              \
    {                                                                                              \
        .struct_size = sizeof(lrd_push)                                                            \
    }

/* Push a message with a body of `size` bytes, written by fill() (see lrd_put_fill()) or copied from
 * `data`. *id receives the message's number in this queue, unless `id` is NULL. `how` may be NULL
 * for all defaults.
 * Returns: LRD_OK; LRD_ENOROOM if the queue or the store is full, even after wait_ms; LRD_INTR if a
 * signal ended the wait and nothing is pushed; other errors of lrd_put(). */
LRD_API int lrd_queue_push_fill(lrd_store *store, lrd_queue queue, size_t size, uint8_t type,
                                const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id);
LRD_API int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size,
                           uint8_t type, const lrd_push *how, uint64_t *id);
/* Push in two steps, like lrd_reserve() and lrd_publish(); lrd_abort() ends the reservation. If the
 * queue is full at the publish, waits for up to how->wait_ms, and then returns LRD_ENOROOM.
 * Returns: a code of lrd_queue_push(). After LRD_EBUSY from lrd_queue_publish(), the reservation
 * stays open; any other code of lrd_queue_publish() ends it. */
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
    /* the body, like a value of lrd_get(); lrd_release() does not remove the message */
    lrd_value value;
    uint64_t id;
    uint32_t attempts; /* number of pops, including this one */
    int32_t priority;
    lrd_message_state state;
} lrd_message;

/* Reserve the first ready message for this thread. After run_ms (0: no limit) the message is ready
 * again. `flags`: LRD_GET_BORROW, LRD_GET_NO_COPY and LRD_GET_PLAIN.
 * Returns: LRD_OK; LRD_MISS if no message is ready within wait_ms (0: do not wait); LRD_INTR if a
 * signal ended the wait; LRD_ENOMEM if there is no memory for a copy of the body. After LRD_ENOMEM,
 * the message with out->id is usually ready again. But if the lock was busy, the message stays
 * reserved until lrd_queue_release(). */
LRD_API int lrd_queue_pop(lrd_store *store, lrd_queue queue, unsigned flags, uint64_t wait_ms,
                          uint64_t run_ms, lrd_message *out);
/* Look at the message with this id, whatever its state. If `id` is 0, look at the message that
 * would be popped next. Does not reserve the message.
 * Returns: LRD_OK, LRD_MISS. */
LRD_API int lrd_queue_peek(lrd_store *store, lrd_queue queue, uint64_t id, unsigned flags,
                           lrd_message *out);
/* Look at the first message from position *cursor on, and move *cursor behind this message. Begin
 * with *cursor == 0. Repeated calls return each message once, in no particular order.
 * Returns: LRD_OK; LRD_END after the last message. */
LRD_API int lrd_queue_next(lrd_store *store, lrd_queue queue, uint64_t *cursor, unsigned flags,
                           lrd_message *out);

/* For the thread that has reserved the message:
 * - lrd_queue_ack() removes the message.
 * - lrd_queue_release() makes it ready again after delay_ms.
 * - lrd_queue_bury() buries it until lrd_queue_kick().
 * - lrd_queue_touch() restarts the message's time to run, which is then run_ms.
 *
 * Returns: LRD_OK; LRD_MISS if this thread has not reserved the message, or its time to run is
 * over. */
LRD_API int lrd_queue_ack(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_release(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t delay_ms);
LRD_API int lrd_queue_bury(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_touch(lrd_store *store, lrd_queue queue, uint64_t id, uint64_t run_ms);
/* For any thread:
 * - lrd_queue_remove() removes the message with this id.
 * - lrd_queue_kick() makes up to `most` buried messages ready, the oldest first.
 * - lrd_queue_clear() removes all messages that exist when it begins. It removes reserved messages
 *   only if `reserved` is true.
 *
 * A thread that has reserved a removed message can still read the body; its calls with the id
 * return LRD_MISS. *count receives the number of messages made ready or removed, unless `count` is
 * NULL.
 * Returns: LRD_OK; LRD_MISS from lrd_queue_remove() if no message has this id, or another thread
 * has reserved it. */
LRD_API int lrd_queue_remove(lrd_store *store, lrd_queue queue, uint64_t id);
LRD_API int lrd_queue_kick(lrd_store *store, lrd_queue queue, uint64_t most, uint64_t *count);
LRD_API int lrd_queue_clear(lrd_store *store, lrd_queue queue, bool reserved, uint64_t *count);

typedef struct lrd_queue_stats {
    uint64_t ready, reserved, delayed, buried; /* numbers of messages */
    uint64_t bytes;                            /* bytes of shared memory of the messages */
    uint64_t capacity;                         /* capacity given to lrd_queue_open() */
    /* pushes and acknowledgements since the queue was created */
    uint64_t pushed, acked;
    /* messages removed by lrd_queue_remove() and lrd_queue_clear() */
    uint64_t removed;
    uint64_t redelivered; /* pops of messages that had been popped before */
    /* messages that became ready again after their owner's death or their time to run */
    uint64_t returned;
    uint64_t expired;
    /* pushes that found no room, even after a wait */
    uint64_t refused;
    uint64_t wakeups; /* system calls that woke a waiting thread */
    /* Milliseconds, in steps of a second, since the oldest ready message became ready; or 0. */
    uint64_t oldest_ms;
} lrd_queue_stats;
/* Write the statistics of a queue to *out.
 * Returns: LRD_OK. */
LRD_API int lrd_queue_stats_get(lrd_store *store, lrd_queue queue, lrd_queue_stats *out);

#ifdef __cplusplus
}
#endif
#endif
