/* queue_pop.h - the functions of queue_pop.c. */
#pragma once

#include "entries/message.h"

/* Lock the queue's shard to make messages ready. Delayed messages that were due when the coarse
 * clock showed `coarse` become ready, and go before them. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
/* The way in which a call looks for dead owners. */
typedef struct lrd__look {
    bool at_once; /* search even if the last search was a moment ago */
    /* value of header->slots_freed when the call first searched, after it had released dead slots;
     * 0: not yet */
    uint64_t freed;
} lrd__look;
/* Make due messages ready, and those of dead owners if look->at_once, if the last look was long
 * ago, or if the kernel marked a death. Returns true if there may be more than a batch: the same
 * call then continues with the same look. [locked] */
bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake);
/* Return the first message that is ready and has not expired; NULL: none, or (*more is set) none in
 * a batch. now: as for lrd__queue_refresh(). [locked] */
lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake);
/* Hold or borrow the body of a message. [locked, thread] */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out);
/* Turn a borrow that the caller cannot use into a copy, after the lock. LRD_ENOMEM. */
int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value);
/* Pop, and wait for at most wait_ms of the monotonic clock, because the store's clock may stand
 * still, or jump. The clock is read only if no message was ready. */
int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out);
