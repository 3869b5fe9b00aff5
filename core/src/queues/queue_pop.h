/* queue_pop.h - what other files need from queue_pop.c: refreshing a queue, and returning
 * bodies. */
#pragma once

#include "entries/message.h"

/* Lock the queue's shard in order to make messages ready. First makes ready the delayed messages
 * that were due when the coarse clock showed `coarse`, so that these come before the messages of
 * the caller. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
/* How a call looks for dead owners of messages. */
typedef struct lrd__look {
    bool at_once; /* true: search even if the last search was a moment ago */
    /* value of header->slots_freed when the call began to look, after the call had reaped dead
     * slots; 0 before the look begins */
    uint64_t freed;
} lrd__look;
/* Make due messages ready. Also make messages of dead owners ready, if look->at_once is set, if the
 * last look was long ago, or if the kernel marked a death. Returns true if one batch may not have
 * been enough: then call again with this `look`. [locked] */
bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake);
/* Return the first message that is ready and has not expired. Returns NULL if there is none; if
 * *more is set, later batches may have one. `now` is the time, as for lrd__queue_expired().
 * [locked] */
lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake);
/* Hold or borrow the body of a message. [locked, thread] */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out);
/* If the caller cannot use a borrowed body, copy the body. Must be called after the lock is
 * released. Returns LRD_OK or LRD_ENOMEM. */
int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value);
/* Pop a message, and wait for at most wait_ms if none is ready. The wait uses the monotonic clock,
 * because the store's clock may stand still or jump. No clock is read if a message was ready. */
int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out);
