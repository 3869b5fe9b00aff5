/* message.h - what message.c offers. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* The sleeping threads that the caller must wake. They are chosen under the shard's lock, and woken
 * after the caller has released it. */
typedef struct lrd__wake {
    bool sleepers, watcher, pusher;
    uint32_t sleeps;
} lrd__wake;
/* Choose a sleeping consumer to wake, and raise the futex words, so that no consumer goes to sleep
 * now. [locked] */
void lrd__wake_one(lrd__queue *queue, lrd__wake *wake);
/* Choose a sleeping producer to wake, because the queue may have room now. [locked] */
void lrd__wake_pusher(lrd__queue *queue, lrd__wake *wake);

/* Find the queue with this number. Returns LRD_OK, LRD_EPOLICY or LRD_ENOQUEUE. */
int lrd__queue_of(lrd_store *store, lrd_queue number, lrd__queue **out);

/* Lower the shard's field `expires` to `expiry` if the field is higher. Call this before a message
 * with this expiry is created or stops being reserved. [locked] */
void lrd__queue_expires(lrd_store *store, uint32_t shard, uint64_t expiry);
/* largest number of rows that lrd__queue_sweep() searches */
#define LRD__QUEUE_SWEEP 512u
/* Guess, without the lock, whether some message of the shard has expired. */
static inline bool lrd__queue_overdue(const lrd_store *store, uint32_t shard, uint64_t now)
{
    return atomic_load_explicit(&store->queue_shards[shard].expires, memory_order_relaxed) <= now;
}
/* Remove messages that have expired at `now` from the next rows of the shard, and return their
 * number. To remove all, repeat this while lrd__queue_overdue() is true. [locked] */
uint64_t lrd__queue_sweep(lrd_store *store, uint32_t shard, uint64_t now);
/* Change the state of a message that is in no tree, and insert it into the new state's tree. Set
 * its other fields first. [locked] */
void lrd__queue_become(lrd_store *store, lrd__queue *queue, lrd__message *m, uint32_t state);
/* Add the bytes of the message to the sums of its queue and shard, or subtract them. [locked] */
void lrd__queue_account(lrd_store *store, lrd__queue *queue, const lrd__message *m, bool add);
/* Remove the message from its tree, free its row, and retire its body. [locked] */
void lrd__queue_drop(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* Make a reserved message ready again, after its time to run is over or its owner is gone.
 * [locked] */
void lrd__queue_return(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* True if the thread that reserved the message lives. [locked] */
bool lrd__queue_owned(lrd_store *store, const lrd__message *m);
/* True if the message has expired. If `now` is 0, reads the clock if necessary. */
bool lrd__queue_expired(const lrd_store *store, const lrd__message *m, uint64_t now);
/* True if the thread that reserved the message is still the owner of its slot. */
bool lrd__queue_owner_current(const lrd_store *store, const lrd__message *m);
int lrd__queue_policy(const lrd_store *store);
