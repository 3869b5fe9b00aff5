/* queue_pop.h - popping messages, refreshing a queue, and returning the bodies of messages. */
#pragma once

#include "entries/message.h"

/* Lock the queue's shard, and make due delayed messages ready. So they come before messages that
 * the caller makes ready afterwards. `coarse` is a time of the coarse clock. After LRD_OK the lock
 * is held. */
LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse);
/* the progress of one call's search for dead owners of reserved messages */
typedef struct lrd__look {
    bool at_once; /* true: search even if the last search was a moment ago */
    /* value of header->slots_freed just after this search has reaped dead threads; 0 before the
     * reaping */
    uint64_t freed;
} lrd__look;
/* Make one batch of due messages ready. Also search for dead owners, if look->at_once is set, the
 * last search was long ago, or the kernel has marked a death. Returns true if the caller should
 * call again with this `look`. [locked] */
bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake);
/* Return the first ready message that has not expired. Drops the expired messages that come before
 * it. After dropping LRD__QUEUE_BATCH messages without finding one, returns NULL and sets *more to
 * true. `now` is the time, or 0 if the clock was not read. [locked] */
lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake);
/* Hold or borrow the body of a message. [locked, thread] */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out);
/* Replace a borrowed body by a private copy, unless `flags` accept a borrow. Returns LRD_OK or
 * LRD_ENOMEM. [no lock is held] */
int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value);
/* Pop a message. If none is ready, wait for up to wait_ms of the monotonic clock. */
int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out);
