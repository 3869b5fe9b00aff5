/* queue_pop.h - popping messages from a queue, refreshing a queue, and returning the bodies of
 * messages. */
#pragma once

#include "entries/message.h"

/* Lock the queue's shard for a caller that makes messages ready. Delayed messages that were due at
 * `coarse`, a time of the coarse clock, become ready first. After LRD_OK the lock is held. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
/* How one call searches for dead owners of reserved messages. */
typedef struct lrd__look {
    bool at_once; /* true to search even if the last search was a moment ago */
    /* 0 at first; then header->slots_freed after the slots of dead threads were freed */
    uint64_t freed;
} lrd__look;
/* Make one batch of due messages ready. If look->at_once is true, if the last search was long ago,
 * or if the kernel has marked a death, also search for dead owners of reserved messages. Returns
 * true if more messages may be left; then the caller calls again with the same `look`. [locked] */
bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake);
/* Return the first ready message that has not expired. Drops expired messages before it, up to one
 * batch. `now` is the time, or 0 if the caller has not read the clock. If the result is NULL, *more
 * is true if later batches may have a message. [locked] */
lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake);
/* Hold or borrow the body of a message. [locked, thread] */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out);
/* If the body is borrowed and the caller cannot use a borrowed body, copy it. Call this without the
 * lock. Returns LRD_OK or LRD_ENOMEM. */
int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value);
/* Pop a message. If none is ready, wait for up to wait_ms of the monotonic clock, because the
 * store's clock may stop or jump. */
int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out);
