/* message.c - changes the state of a message and the sums of its queue and shard. The caller has
 * the shard's lock. Begin reading at lrd__queue_become(). */
#include "entries/message.h"
#include "ground/error.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/message_row.h"
#include "entries/message_tree.h"

static void wait_raise(_Atomic uint32_t *word)
{
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

LRD__HOT void lrd__wake_one(lrd__queue *queue, lrd__wake *wake)
{
    if (queue->sleepers == 0 &&
        (queue->watcher == 0 ||
         atomic_load_explicit(&queue->awake, memory_order_relaxed) == queue->sleeps))
        return;
    wake->sleepers = queue->sleepers != 0;
    wake->watcher = queue->watcher != 0;
    wake->sleeps = queue->sleeps;
    wait_raise(&queue->arrivals);
    wait_raise(&queue->watch);
    LRD__FAILPOINT("queue_raised");
}

void lrd__wake_pusher(lrd__queue *queue, lrd__wake *wake)
{
    if (queue->pushers == 0)
        return;
    wake->pusher = true;
    /* Wake one producer. The other sleeping producers wake up by themselves every 50 ms, and set
     * `pushers` again. */
    queue->pushers = 0;
    wait_raise(&queue->room);
}

static void queue_expires_set(lrd__queue_shard *rows, uint64_t expiry)
{
    /* relaxed is enough, because lrd__queue_overdue() only guesses */
    atomic_store_explicit(&rows->expires, expiry, memory_order_relaxed);
}

void lrd__queue_expires(lrd_store *store, uint32_t shard, uint64_t expiry)
{
    lrd__assert_locked(store, shard);
    lrd__queue_shard *rows = store->queue_shards + shard;
    if (!lrd__queue_overdue(store, shard, expiry))
        queue_expires_set(rows, expiry);
    rows->pass = expiry < rows->pass ? expiry : rows->pass;
}

/* If no message can have expired yet, this function reads no row. It wakes no producers, because
 * sleeping producers wake up by themselves every 50 ms. */
uint64_t lrd__queue_sweep(lrd_store *store, uint32_t shard, uint64_t now)
{
    lrd__assert_locked(store, shard);
    lrd__queue_shard *rows = store->queue_shards + shard;
    uint64_t found = 0;
    lrd__wake wake = {0};
    for (uint32_t i = 0; i < LRD__QUEUE_SWEEP && lrd__queue_overdue(store, shard, now); i++) {
        if (rows->hand == 0)
            rows->pass = UINT64_MAX;
        if (rows->hand >= rows->used) {
            queue_expires_set(rows, rows->pass);
            rows->hand = 0;
            continue;
        }
        lrd__message *m = lrd__message_at(store, shard, ++rows->hand);
        uint32_t state = lrd__message_state(m);
        if (state == LRD__MESSAGE_FREE || state == LRD__MESSAGE_RESERVED)
            /* skip a reserved message, which cannot expire; when it stops being reserved,
             * lrd__queue_become() calls lrd__queue_expires() */
            continue;
        uint64_t expiry = lrd__message_expiry(store, m);
        if (expiry > now) {
            rows->pass = expiry < rows->pass ? expiry : rows->pass;
        } else if (expiry != 0) {
            lrd__add(&store->queues[m->queue].expired, 1);
            lrd__queue_drop(store, store->queues + m->queue, m, &wake);
            found++;
        }
    }
    return found;
}

/* A reserved message does not expire, so the shard's field `expires` may be higher than the
 * message's expiry. When the message stops being reserved, lrd__queue_expires() lowers the
 * field. */
void lrd__queue_become(lrd_store *store, lrd__queue *queue, lrd__message *m, uint32_t state)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    if (lrd__message_state(m) == LRD__MESSAGE_RESERVED && lrd__message_expiry(store, m) != 0)
        lrd__queue_expires(store, queue->shard, lrd__message_expiry(store, m));
    LRD__FAILPOINT("queue_changes");
    lrd__message_become(m, state, lrd__message_attempts(m), lrd__message_generation(m));
    LRD__FAILPOINT("queue_changed");
    lrd__tree_insert(store, queue, m);
}

LRD__HOT void lrd__queue_account(lrd_store *store, lrd__queue *queue, const lrd__message *m,
                                 bool add)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    uint64_t bytes = lrd__block_bytes(store, lrd__message_offset(m)) + sizeof *m;
    lrd__add(&queue->bytes, add ? bytes : -bytes);
    lrd__add(&store->queue_shards[queue->shard].bytes, add ? bytes : -bytes);
}

void lrd__queue_drop(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    lrd__queue_shard *rows = store->queue_shards + queue->shard;
    lrd__tree_remove(store, queue, m);
    lrd__queue_account(store, queue, m, false);
    LRD__FAILPOINT("queue_drops");
    lrd__message_become(m, LRD__MESSAGE_FREE, 0, lrd__message_generation(m));
    LRD__FAILPOINT("queue_dropped");
    lrd__arena_retire(store, queue->shard, lrd__message_offset(m));
    m->left = rows->free;
    rows->free = lrd__message_link(store, queue->shard, m);
    /* the dropped body gives back memory, so let writers search for room immediately */
    store->shards[queue->shard].full_until = 0;
    lrd__wake_pusher(queue, wake);
}

bool lrd__queue_expired(const lrd_store *store, const lrd__message *m, uint64_t now)
{
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    uint64_t expiry = lrd__message_expiry(store, m);
    return expiry != 0 && expiry <= (now != 0 ? now : lrd__now(store));
}

void lrd__queue_return(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    lrd__tree_remove(store, queue, m);
    lrd__queue_become(store, queue, m, LRD__MESSAGE_READY); /* the message keeps its place */
    lrd__add(&queue->returned, 1);
    lrd__wake_one(queue, wake);
}

bool lrd__queue_owner_current(const lrd_store *store, const lrd__message *m)
{
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    return atomic_load_explicit(&lrd__slot_at(store, m->slot)->incarnation, memory_order_acquire) ==
           m->incarnation;
}

bool lrd__queue_owned(lrd_store *store, const lrd__message *m)
{
    lrd__assert_locked(store,
                       (uint32_t)((uint64_t)(m - store->messages) / store->geo.messages_max));
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    return (lrd__queue_owner_current(store, m) &&
            lrd__slot_owner_lives(store, m->slot, m->incarnation)) ||
           LRD__CONTROL(forget_owner);
}

int lrd__queue_policy(const lrd_store *store)
{
    return store->queues != NULL ? LRD_OK : lrd__fail(LRD_EPOLICY, "this is not a store of queues");
}

LRD__HOT int lrd__queue_of(lrd_store *store, lrd_queue number, lrd__queue **out)
{
    int rc = lrd__queue_policy(store);
    if (rc != LRD_OK)
        return rc;
    if (number >= lrd__queues_used(store))
        return lrd__fail(LRD_ENOQUEUE, "queue %u of %u", number, lrd__queues_used(store));
    *out = store->queues + number;
    return LRD_OK;
}
