/* thread.h - what thread.c offers. */
#pragma once

#include "memory/slot.h"

/* Claim a slot for the thread. *out receives the thread's private struct for this store. Fails with
 * LRD_ENOSLOT if no slot is free, or with LRD_ETRUNCATED. */
int lrd__thread_claim(lrd_store *store, lrd__thread **out) __attribute__((noinline, cold));
/* Lend a spare slot to a thread without a slot, until lrd__thread_end(). Returns LRD_ENOSLOT if
 * there are none, or LRD_EBUSY if all stayed in use for LRD_LOCK_WAIT_MS. */
int lrd__thread_lend(lrd_store *store) __attribute__((noinline, cold));
void lrd__thread_end(lrd__thread *self);
/* See lrd_thread_leave_closed(). */
void lrd__thread_leave_closed(void);
/* Create the spare slots and one ordinary slot, while no other process uses the segment. Fails with
 * LRD_ENOSPC. */
int lrd__slots_prepare(lrd_store *store);
/* Release the guardian lease of each forked child that has taken over its slot, or that has not
 * done so within SLOT_GUARD_MS. */
void lrd__guards_check(lrd__thread *self);
/* lrd__process_join() registers the fork handlers and the thread destructor, and chooses the
 * store's index in lrd__threads. lrd__process_leave() ends this thread's slot, and subtracts the
 * opener of the store from store->users. */
int lrd__process_join(lrd_store *store);
void lrd__process_leave(lrd_store *store);

/* Call this at the beginning of a public function that uses the thread's slot, and lrd__leave() at
 * its end. Fails with LRD_EREENTRY if the thread is inside such a function already, or with an
 * error of lrd__thread_claim(). */
static inline int lrd__enter(lrd_store *store, lrd__thread **out)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect(self == NULL || self->ready == NULL, 0)) {
        if (self != NULL && self->slot != NULL)
            return LRD_EREENTRY;
        int rc = lrd__thread_claim(store, &self);
        if (rc != LRD_OK)
            return rc;
    }
    self->ready = NULL;
    *out = self;
    return LRD_OK;
}
static inline void lrd__leave(lrd__thread *self) { self->ready = self->slot; }
