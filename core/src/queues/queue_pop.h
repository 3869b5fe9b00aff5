/* queue_pop.h - what queue_pop.c offers. */
#pragma once

#include "entries/message.h"

/* Lock the queue's shard to make messages ready: delayed ones that were due when the coarse clock
 * showed this are, and go before them. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
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
/* Time is that of the monotonic clock: the store's may stand still, or jump. It is read when there
 * was nothing. */
int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out);
