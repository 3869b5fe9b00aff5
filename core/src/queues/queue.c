/* queue.c - queues of messages, in stores of policy LRD_QUEUE: their names, and all public calls
 * except push and pop. Read queue_put() (queue_push.c) and queue_take() (queue_pop.c) first.
 *
 * The body of a message is a block, and is written, held and freed like a value. A queue belongs to
 * one shard, whose lock protects the queue's rows, trees and counts.
 *
 * Invariants (shard lock)
 * - A row that is not free names a block, which is allocated and not retired. No two rows name the
 *   same block, and the block's key names its row.
 * - A row's word changes by one store, after all fields that the new state needs are stored, and
 *   only along the arrows in larder_queue.h. So after a death each message is in its old or its new
 *   state.
 * - Some fields change before the word, but do no harm in the old state: `slot` and `incarnation`
 *   are used only while the row is reserved. `due` and `turn` only order a tree.
 * - Each use of a row gets a new generation, which is part of the message's id.
 * - No message of the shard expires before the shard's field `expires`. (Reserved messages do not
 *   expire.)
 * - A reserved message belongs to its owner until the owner dies or gives back its slot. The
 *   message names the slot and its incarnation.
 * - If many messages are reserved, their owners are checked in parts. A check begins after some
 *   slot was given back. When a check begins, `look_freed` is set to header->slots_freed. When the
 *   check is complete, `looked_freed` gets this value. `look_due` and `look_turn` belong to the
 *   message that was checked last. */
#include "queues/queue.h"
#include "ground/error.h"
#include "ground/map.h"
#include "entries/message_row.h"
#include "entries/message_tree.h"
#include "locks/lock.h"
#include "threads/thread.h"
#include "threads/read.h"
#include "queues/queue_wait.h"
#include "queues/queue_pop.h"

int lrd_queue_pop(lrd_store *store, lrd_queue number, unsigned flags, uint64_t wait_ms,
                  uint64_t run_ms, lrd_message *out)
{
    lrd__thread *self;
    lrd__queue *queue = NULL;
    out->value.kind = LRD_KIND_NONE;
    int rc = lrd__queue_enter(store, number, &self, &queue);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__queue_pop_wait(store, self, queue, flags, wait_ms, run_ms, out);
    if (rc == LRD_OK)
        rc = lrd__queue_given(self, flags, &out->value);
    lrd__leave(self);
    if (rc == LRD_ENOMEM)
        lrd_queue_release(store, number, out->id, 0);
    return rc;
}

/* ---- names ---- */

int lrd__queue_enter(lrd_store *store, lrd_queue number, lrd__thread **self, lrd__queue **queue)
{
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd__queue_of(store, number, queue);
    return rc == LRD_OK ? lrd__enter(store, self) : rc;
}

LRD__HOT static bool queue_find(const lrd_store *store, const char *name, size_t name_len,
                                lrd_queue *out)
{
    uint32_t used = lrd__queues_used(store);
    for (uint32_t i = 0; i < used; i++)
        if (store->queues[i].name_len == name_len &&
            memcmp(store->queues[i].name, name, name_len) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* Create a queue, or return the one that another thread has created meanwhile. [lock of shard 0] */
static int queue_make(lrd_store *store, const char *name, size_t name_len, lrd_queue *out)
{
    uint32_t number = lrd__queues_used(store);
    if (queue_find(store, name, name_len, out))
        return LRD_OK;
    if (number == LRD__QUEUES)
        return lrd__fail(LRD_ENOQUEUE, "%u queues exist", number);
    int rc = lrd__segment_commit_control(store, store->geo.queues_at + number * sizeof(lrd__queue),
                                         sizeof(lrd__queue));
    if (rc != LRD_OK)
        return rc;
    lrd__queue *queue = store->queues + number;
    memset(queue, 0, sizeof *queue);
    queue->shard = lrd__queue_home(store, number);
    queue->name_len = (uint16_t)name_len;
    memcpy(queue->name, name, name_len);
    atomic_store_explicit(&queue->state, LRD__QUEUE_USED, memory_order_relaxed);
    LRD__FAILPOINT("queue_named");
    /* pairs with lrd__queues_used(): a thread that sees the new number sees the name, too */
    atomic_store_explicit(&store->queue_shards->queues, number + 1, memory_order_release);
    LRD__FAILPOINT("queue_made");
    *out = number;
    return LRD_OK;
}

static int queue_lock_make(lrd_store *store, lrd__thread *self, const char *name, size_t name_len,
                           lrd_queue *out)
{
    lrd__assert_thread(self);
    int rc = lrd__shard_lock(store, self, 0);
    if (rc != LRD_OK)
        return rc;
    rc = queue_make(store, name, name_len, out);
    lrd__shard_unlock(store, 0);
    return rc;
}

LRD__HOT int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                            lrd_queue *out)
{
    lrd__thread *self;
    int rc = lrd__queue_policy(store);
    if (rc == LRD_OK)
        rc = lrd__segment_look(store);
    if (rc != LRD_OK)
        return rc;
    if (name_len - 1 >= LRD_QUEUE_NAME_MAX)
        return lrd__fail(LRD_EINVAL, "a queue's name has 1 to %u bytes, not %zu",
                         LRD_QUEUE_NAME_MAX, name_len);
    bool found = queue_find(store, name, name_len, out);
    if (found && (capacity == 0 || store->queues[*out].capacity == capacity))
        return LRD_OK;
    rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    if (!found)
        rc = queue_lock_make(store, self, name, name_len, out);
    if (rc == LRD_OK && capacity != 0) {
        lrd__queue *queue = store->queues + *out;
        rc = lrd__shard_lock(store, self, queue->shard);
        if (rc == LRD_OK) {
            queue->capacity = capacity;
            lrd__shard_unlock(store, queue->shard);
        }
    }
    lrd__leave(self);
    return rc;
}

int lrd_queue_name(const lrd_store *store, lrd_queue number, const char **name, size_t *name_len)
{
    int rc = lrd__queue_policy(store);
    if (rc != LRD_OK)
        return rc;
    if (lrd__segment_is_truncated(store))
        return LRD_ETRUNCATED;
    if (number >= lrd__queues_used(store))
        return LRD_END;
    *name = store->queues[number].name;
    *name_len = store->queues[number].name_len;
    return LRD_OK;
}

/* ---- calls of the owner ---- */

/* a call about one message */
typedef struct queue_call {
    lrd_store *store;
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake;
    bool locked; /* true if the lock of the queue's shard is held */
} queue_call;

static bool queue_mine(const lrd__thread *self, const lrd__message *m)
{
    lrd__assert(m->queue < LRD__QUEUES && m >= self->store->messages);
    lrd__assert_thread(self);
    return lrd__message_state(m) == LRD__MESSAGE_RESERVED && m->slot == self->slot_index &&
           m->incarnation == self->incarnation;
}

/* True if a reserved message's time to run is over, or if its owner is dead. */
static bool queue_left(lrd_store *store, const lrd__thread *self, const lrd__message *m)
{
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert_thread(self);
    if (lrd__message_state(m) != LRD__MESSAGE_RESERVED)
        return false;
    if (m->due != UINT64_MAX && m->due <= lrd__now(store))
        return true;
    return !queue_mine(self, m) && !lrd__queue_owned(store, m);
}

/* Begin a call: lock the shard and find the message with this id. Makes the message ready if its
 * owner is late or dead. After LRD_OK or LRD_MISS the shard is locked. */
static int queue_begin(queue_call *call, lrd_store *store, lrd_queue number, uint64_t id)
{
    uint32_t link = (uint32_t)(id & (LRD__MESSAGES_MAX - 1)) + 1;
    *call = (queue_call){.store = store};
    int rc = lrd__queue_enter(store, number, &call->self, &call->queue);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__shard_lock(store, call->self, call->queue->shard);
    if (rc != LRD_OK) {
        lrd__leave(call->self);
        return rc;
    }
    call->locked = true;
    if (link > store->queue_shards[call->queue->shard].used)
        return LRD_MISS;
    lrd__message *m = call->m = lrd__message_at(store, call->queue->shard, link);
    bool found = lrd__message_state(m) != LRD__MESSAGE_FREE && m->queue == number &&
                 lrd__message_generation(m) == id >> 24;
    if (found && queue_left(store, call->self, m))
        lrd__queue_return(store, call->queue, m, &call->wake);
    return found ? LRD_OK : LRD_MISS;
}

/* Call queue_begin(), but return LRD_MISS if this thread has not reserved the message. */
static int queue_begin_mine(queue_call *call, lrd_store *store, lrd_queue number, uint64_t id)
{
    int rc = queue_begin(call, store, number, id);
    return rc == LRD_OK && !queue_mine(call->self, call->m) ? LRD_MISS : rc;
}

static void queue_unlock(queue_call *call)
{
    lrd__shard_unlock(call->store, call->queue->shard);
    lrd__wake_send(call->self, call->queue, &call->wake);
}

/* End a call, and return `rc`. Also allowed after queue_begin() has failed. */
static int queue_end(queue_call *call, int rc)
{
    if (call->locked) {
        queue_unlock(call);
        lrd__leave(call->self);
    }
    return rc;
}

int lrd_queue_ack(lrd_store *store, lrd_queue number, uint64_t id)
{
    queue_call call;
    int rc = queue_begin_mine(&call, store, number, id);
    if (rc == LRD_OK) {
        lrd__add(&call.queue->acked, 1);
        lrd__queue_drop(store, call.queue, call.m, &call.wake);
    }
    return queue_end(&call, rc);
}

int lrd_queue_release(lrd_store *store, lrd_queue number, uint64_t id, uint64_t delay_ms)
{
    queue_call call;
    int rc = queue_begin_mine(&call, store, number, id);
    if (rc == LRD_OK) {
        lrd__tree_remove(store, call.queue, call.m);
        if (delay_ms != 0)
            call.m->due = lrd__clock_sum(lrd__now(store), delay_ms);
        lrd__queue_become(store, call.queue, call.m,
                          delay_ms != 0 ? LRD__MESSAGE_DELAYED : LRD__MESSAGE_READY);
        if (delay_ms == 0)
            lrd__wake_one(call.queue, &call.wake);
    }
    return queue_end(&call, rc);
}

int lrd_queue_bury(lrd_store *store, lrd_queue number, uint64_t id)
{
    queue_call call;
    int rc = queue_begin_mine(&call, store, number, id);
    if (rc == LRD_OK) {
        lrd__tree_remove(store, call.queue, call.m);
        call.m->turn = ++call.queue->turn;
        lrd__queue_become(store, call.queue, call.m, LRD__MESSAGE_BURIED);
    }
    return queue_end(&call, rc);
}

int lrd_queue_touch(lrd_store *store, lrd_queue number, uint64_t id, uint64_t run_ms)
{
    queue_call call;
    int rc = queue_begin_mine(&call, store, number, id);
    if (rc == LRD_OK) {
        lrd__tree_remove(store, call.queue, call.m);
        call.m->due = run_ms != 0 ? lrd__clock_sum(lrd__now(store), run_ms) : UINT64_MAX;
        LRD__FAILPOINT("queue_touched");
        lrd__tree_insert(store, call.queue, call.m);
    }
    return queue_end(&call, rc);
}

/* ---- calls of any thread ---- */

/* True if the message has expired. A reserved message does not expire. */
static bool queue_gone(const lrd_store *store, const lrd__message *m, uint64_t now)
{
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    return lrd__message_state(m) != LRD__MESSAGE_RESERVED && lrd__queue_expired(store, m, now);
}

/* maximum number of batches in which a call searches for expired messages: two passes over the
 * rows */
#define QUEUE_EXPIRE_PARTS (2 * LRD__MESSAGES_MAX / LRD__QUEUE_SWEEP)

/* Remove the expired messages of the queue's shard, one batch of rows under each lock. */
static int queue_expire(lrd_store *store, lrd__thread *self, const lrd__queue *queue)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    uint64_t now = lrd__now(store);
    uint32_t left = QUEUE_EXPIRE_PARTS;
    while (left-- > 0 && lrd__queue_overdue(store, queue->shard, now)) {
        int rc = lrd__shard_lock(store, self, queue->shard);
        if (rc != LRD_OK)
            return rc;
        lrd__queue_sweep(store, queue->shard, now);
        lrd__shard_unlock(store, queue->shard);
    }
    return LRD_OK;
}

int lrd_queue_remove(lrd_store *store, lrd_queue number, uint64_t id)
{
    queue_call call;
    int rc = queue_begin(&call, store, number, id);
    if (rc == LRD_OK &&
        (queue_gone(store, call.m, lrd__now(store)) ||
         (lrd__message_state(call.m) == LRD__MESSAGE_RESERVED && !queue_mine(call.self, call.m))))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__add(&call.queue->removed, 1);
        lrd__queue_drop(store, call.queue, call.m, &call.wake);
    }
    return queue_end(&call, rc);
}

/* maximum number of messages that one part of a call handles under the lock */
#define QUEUE_PART 1000u

static int queue_kick_part(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t most,
                           uint64_t *count)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    lrd__wake wake = {0};
    uint32_t link, done = 0;
    int rc = lrd__queue_lock(store, self, queue, lrd__clock_coarse());
    if (rc != LRD_OK)
        return rc;
    uint32_t now = (uint32_t)(lrd__now(store) / 1000);
    for (; done < QUEUE_PART && *count < most &&
           (link = queue->tree[LRD__MESSAGE_BURIED - 1].first) != 0;
         done++, ++*count) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        lrd__tree_remove(store, queue, m);
        m->turn = ++queue->turn;
        m->waits = now;
        lrd__queue_become(store, queue, m, LRD__MESSAGE_READY);
        lrd__wake_one(queue, &wake);
    }
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return done < QUEUE_PART ? LRD_END : LRD_OK;
}

/* The states in the order in which lrd_queue_clear() clears them. Some calls leave out the last
 * state. Each part of a call begins again with the first state, because messages may change their
 * states between two parts. */
static const uint32_t queue_states[] = {LRD__MESSAGE_READY, LRD__MESSAGE_DELAYED,
                                        LRD__MESSAGE_BURIED, LRD__MESSAGE_RESERVED};
#define QUEUE_STATES (sizeof queue_states / sizeof *queue_states)

/* Remove up to QUEUE_PART messages in one of the first `states` states of queue_states. Returns
 * LRD_END after the last part. */
static int queue_clear_part(lrd_store *store, lrd__thread *self, lrd__queue *queue, size_t states,
                            uint64_t most, uint64_t *count)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    lrd__wake wake = {0};
    uint32_t done = 0;
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    for (size_t i = 0; i < states; i++) {
        const lrd__tree *tree = &queue->tree[queue_states[i] - 1];
        for (; tree->first != 0 && done < QUEUE_PART && *count < most; done++, ++*count) {
            lrd__queue_drop(store, queue, lrd__message_at(store, queue->shard, tree->first), &wake);
            lrd__add(&queue->removed, 1);
        }
    }
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return done < QUEUE_PART ? LRD_END : LRD_OK;
}

/* Clear up to `most` messages in one of the first `states` states of queue_states. If `states` is
 * 0, kick up to `most` buried messages instead. */
static int queue_in_parts(lrd_store *store, lrd_queue number, uint64_t most, size_t states,
                          uint64_t *count)
{
    lrd__thread *self;
    lrd__queue *queue = NULL;
    uint64_t done = 0;
    int rc = lrd__queue_enter(store, number, &self, &queue);
    if (rc != LRD_OK)
        return rc;
    if (states == 0)
        rc = queue_expire(store, self, queue);
    while (rc == LRD_OK)
        rc = states != 0 ? queue_clear_part(store, self, queue, states, most, &done)
                         : queue_kick_part(store, self, queue, most, &done);
    lrd__leave(self);
    if (count != NULL)
        *count = done;
    return rc == LRD_END ? LRD_OK : rc;
}

int lrd_queue_kick(lrd_store *store, lrd_queue queue, uint64_t most, uint64_t *count)
{
    return queue_in_parts(store, queue, most, 0, count);
}

/* Remove at most the number of messages that the queue has when the call begins. So the call ends
 * even while other threads push. */
int lrd_queue_clear(lrd_store *store, lrd_queue queue, bool reserved, uint64_t *count)
{
    lrd_queue_stats stats;
    int rc = lrd_queue_stats_get(store, queue, &stats);
    if (rc != LRD_OK)
        return rc;
    uint64_t most = stats.ready + stats.delayed + stats.buried + (reserved ? stats.reserved : 0);
    return queue_in_parts(store, queue, most, reserved ? QUEUE_STATES : QUEUE_STATES - 1, count);
}

/* ---- looking ---- */

int lrd_queue_peek(lrd_store *store, lrd_queue number, uint64_t id, unsigned flags,
                   lrd_message *out)
{
    queue_call call;
    out->value.kind = LRD_KIND_NONE;
    lrd__look look = {.at_once = true};
    bool more;
    int rc;
    do {
        rc = queue_begin(&call, store, number, id);
        if (!call.locked)
            return rc;
        uint64_t now = lrd__now(store);
        more = lrd__queue_refresh(store, call.self, call.queue, now, &look, &call.wake);
        if (id == 0) {
            call.m = lrd__queue_first(store, call.queue, now, &more, &call.wake);
            rc = call.m != NULL ? LRD_OK : LRD_MISS;
        } else if (rc == LRD_OK && queue_gone(store, call.m, now)) {
            rc = LRD_MISS;
        }
        /* Repeat if further messages may become due and can change the result. If no message was
         * found, a ready one may appear. If the message was found by its id, its state may
         * change. */
        more = more && rc == (id == 0 ? LRD_MISS : LRD_OK);
        if (more)
            queue_end(&call, rc);
    } while (more);
    if (rc == LRD_OK)
        lrd__queue_give(store, call.self, lrd__message_link(store, call.queue->shard, call.m),
                        call.m, flags, out);
    queue_unlock(&call);
    if (rc == LRD_OK)
        rc = lrd__queue_given(call.self, flags, &out->value);
    lrd__leave(call.self);
    return rc;
}

/* Search the shard's next LRD__QUEUE_BATCH rows, and return the queue's first message in them.
 * Returns LRD_MISS if these rows have no message of the queue, or LRD_END after the shard's last
 * row. [locked] */
static int queue_next_part(lrd_store *store, lrd__thread *self, lrd_queue number, uint64_t *cursor,
                           unsigned flags, lrd_message *out)
{
    lrd__assert_thread(self);
    uint32_t shard = store->queues[number].shard;
    uint64_t used = store->queue_shards[shard].used, now = lrd__now(store);
    for (uint32_t i = 0; i < LRD__QUEUE_BATCH && *cursor < used; i++) {
        lrd__message *m = lrd__message_at(store, shard, (uint32_t)++ * cursor);
        LRD__FAILPOINT("queue_lists");
        if (lrd__message_state(m) == LRD__MESSAGE_FREE || m->queue != number ||
            queue_gone(store, m, now))
            continue;
        lrd__queue_give(store, self, (uint32_t)*cursor, m, flags, out);
        return LRD_OK;
    }
    return *cursor < used ? LRD_MISS : LRD_END;
}

int lrd_queue_next(lrd_store *store, lrd_queue number, uint64_t *cursor, unsigned flags,
                   lrd_message *out)
{
    lrd__thread *self;
    lrd__queue *queue = NULL;
    out->value.kind = LRD_KIND_NONE;
    int rc = lrd__queue_enter(store, number, &self, &queue);
    if (rc != LRD_OK)
        return rc;
    do {
        rc = lrd__shard_lock(store, self, queue->shard);
        if (rc != LRD_OK)
            break;
        rc = queue_next_part(store, self, number, cursor, flags, out);
        lrd__shard_unlock(store, queue->shard);
    } while (rc == LRD_MISS);
    if (rc == LRD_OK)
        rc = lrd__queue_given(self, flags, &out->value);
    lrd__leave(self);
    return rc;
}

/* maximum number of priorities that queue_oldest() examines */
#define QUEUE_PRIORITIES 64
/* Return the time (ms) for which the oldest ready message has waited, or 0. Looks at the first
 * message of each priority, which is the priority's oldest. [locked] */
static uint64_t queue_oldest(const lrd_store *store, const lrd__queue *queue)
{
    lrd__assert_locked(store, queue->shard);
    uint32_t link = queue->tree[LRD__MESSAGE_READY - 1].first;
    uint64_t since = UINT64_MAX, now = lrd__now(store);
    for (int i = 0; i < QUEUE_PRIORITIES && link != 0; i++) {
        lrd__message key = *lrd__message_at(store, queue->shard, link);
        since = key.waits < since ? key.waits : since;
        key.turn = UINT64_MAX; /* this key sorts after all messages of its priority */
        link = lrd__tree_after(store, queue, &key);
    }
    return since != UINT64_MAX && since * 1000 < now ? now - since * 1000 : 0;
}

/* Make one batch of due messages ready, and then read the statistics. If *more is true afterwards,
 * the caller must call again. */
static int queue_stats_part(lrd_store *store, lrd__thread *self, lrd__queue *queue, lrd__look *look,
                            lrd_queue_stats *out, bool *more)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__wake wake = {0};
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    *more = lrd__queue_refresh(store, self, queue, lrd__now(store), look, &wake);
#define QUEUE_STAT(name) out->name = atomic_load_explicit(&queue->name, memory_order_relaxed)
    QUEUE_STAT(bytes);
    QUEUE_STAT(pushed);
    QUEUE_STAT(acked);
    QUEUE_STAT(removed);
    QUEUE_STAT(redelivered);
    QUEUE_STAT(returned);
    QUEUE_STAT(expired);
    QUEUE_STAT(refused);
    QUEUE_STAT(wakeups);
#undef QUEUE_STAT
    out->ready = queue->tree[LRD__MESSAGE_READY - 1].count;
    out->reserved = queue->tree[LRD__MESSAGE_RESERVED - 1].count;
    out->delayed = queue->tree[LRD__MESSAGE_DELAYED - 1].count;
    out->buried = queue->tree[LRD__MESSAGE_BURIED - 1].count;
    out->capacity = queue->capacity;
    out->oldest_ms = queue_oldest(store, queue);
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return LRD_OK;
}

int lrd_queue_stats_get(lrd_store *store, lrd_queue number, lrd_queue_stats *out)
{
    lrd__thread *self;
    lrd__queue *queue = NULL;
    lrd__look look = {.at_once = true};
    bool more = true;
    memset(out, 0, sizeof *out);
    int rc = lrd__queue_enter(store, number, &self, &queue);
    if (rc != LRD_OK)
        return rc;
    rc = queue_expire(store, self, queue);
    while (rc == LRD_OK && more)
        rc = queue_stats_part(store, self, queue, &look, out, &more);
    lrd__leave(self);
    return rc;
}
