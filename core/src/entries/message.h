/* message.h - what message.c offers. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* The sleepers to wake: chosen under the lock, woken after it. */
typedef struct lrd__wake {
    bool sleepers, watcher, pusher;
    uint32_t sleeps;
} lrd__wake;
/* A message is ready: a consumer that is about to sleep must not. [locked] */
void lrd__wake_one(lrd__queue *queue, lrd__wake *wake);
/* Room has come back. [locked] */
void lrd__wake_pusher(lrd__queue *queue, lrd__wake *wake);

/* The queue of a number. LRD_EPOLICY, LRD_ENOQUEUE. */
int lrd__queue_of(lrd_store *store, lrd_queue number, lrd__queue **out);

/* Announce a message with this expiry that is not reserved, before it exists. [locked] */
void lrd__queue_expires(lrd_store *store, uint32_t shard, uint64_t expiry);
/* True if something in the shard may have expired by now. A guess without the lock. */
static inline bool lrd__queue_overdue(const lrd_store *store, uint32_t shard, uint64_t now)
{
    return atomic_load_explicit(&store->queue_shards[shard].expires, memory_order_relaxed) <= now;
}
/* Drop what had expired by `now` among the next rows of the shard; returns how many. While
 * lrd__queue_overdue() says so, another call goes on: with the same `now`, two passes over the rows
 * at most. [locked] */
uint64_t lrd__queue_sweep(lrd_store *store, uint32_t shard, uint64_t now);
/* now + ms, at most UINT64_MAX. */
uint64_t lrd__queue_sum(uint64_t now, uint64_t ms);
/* Give a message that is in no tree another state; its fields are set by now. [locked] */
void lrd__queue_become(lrd_store *store, lrd__queue *queue, lrd__message *m, uint32_t state);
/* Add what the message takes to the sums, or take it off. [locked] */
void lrd__queue_account(lrd_store *store, lrd__queue *queue, const lrd__message *m, bool add);
/* Remove the message. [locked] */
void lrd__queue_drop(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* A reserved message has no owner any more: it is ready again. [locked] */
void lrd__queue_return(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake);
/* True if the owner of a reserved message lives. [locked] */
bool lrd__queue_owned(lrd_store *store, const lrd__message *m);
/* now: 0 means that the clock is read if necessary. */
bool lrd__queue_expired(const lrd_store *store, const lrd__message *m, uint64_t now);
/* True if the slot's current owner reserved the message. False if an earlier owner did, which is
 * gone. */
bool lrd__queue_owner_current(const lrd_store *store, const lrd__message *m);
int lrd__queue_policy(const lrd_store *store);
