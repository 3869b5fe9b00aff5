/* queue_push.c - pushes messages: finds memory for a message's body, and a row. Begin reading at
 * queue_put(). The invariants are in queue.c. */
#include "ground/error.h"
#include "ground/copy.h"
#include "ground/interrupt.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/arena.h"
#include "entries/entry.h"
#include "entries/message_row.h"
#include "entries/message_tree.h"
#include "locks/lock.h"
#include "room/room.h"
#include "threads/thread.h"
#include "threads/build.h"
#include "queues/queue_wait.h"
#include "queues/queue_pop.h"

/* maximum size in bytes of a body that is written under the lock; see write_put_small() */
#define QUEUE_FILL_LOCKED 1024u
/* maximum number of rows that are committed and mapped in one step (64 KiB) */
#define QUEUE_ROWS_MOST 1024u
/* maximum number of batches of rows that a push searches for expired messages */
#define QUEUE_SLICES 1000u
/* replaces QUEUE_SLICES for a push to a queue that is at its capacity */
#define QUEUE_SLICES_FULL 64u

/* Return the number of shards that may have queues: the first ones, see lrd__queue_home(). */
static uint32_t queue_shards(const lrd_store *store)
{
    uint32_t queues = lrd__queues_used(store);
    return queues < store->geo.shards ? queues : store->geo.shards;
}

/* Map the committed rows of the group that contains `row` (QUEUE_ROWS_MOST rows) with one system
 * call. Call this when the process first uses the row. */
static void queue_rows_map(lrd_store *store, uint32_t shard, uint32_t row)
{
    uint32_t first = row & ~(QUEUE_ROWS_MOST - 1), end = first + QUEUE_ROWS_MOST;
    uint32_t high = store->queue_shards[shard].high;
    end = end < high ? end : high;
    uint64_t at = store->geo.messages_at +
                  ((uint64_t)shard * store->geo.messages_max + first) * sizeof(lrd__message);
    lrd__segment_map_control(store, at, (end - first) * sizeof(lrd__message));
    atomic_store_explicit(&store->rows_mapped[shard], end, memory_order_relaxed);
}

/* Find a free row, and commit its memory if necessary. Fails with LRD_ENOROOM if there is none. */
LRD__HOT static int queue_row(lrd_store *store, uint32_t shard, lrd__message **out)
{
    lrd__queue_shard *rows = store->queue_shards + shard;
    if (rows->free != 0) {
        *out = lrd__message_at(store, shard, rows->free);
        rows->free = (*out)->left;
        return LRD_OK;
    }
    if (rows->used == rows->high) {
        uint32_t more = (rows->high / 2 & ~(LRD__MESSAGES_STEP - 1)) + LRD__MESSAGES_STEP;
        more = more < QUEUE_ROWS_MOST ? more : QUEUE_ROWS_MOST;
        uint32_t left = store->geo.messages_max - rows->high;
        more = more < left ? more : left;
        if (more == 0)
            return lrd__fail(LRD_ENOROOM, "the shard has %u messages", rows->high);
        uint64_t first = (uint64_t)shard * store->geo.messages_max + rows->high;
        int rc = lrd__segment_commit_control(store,
                                             store->geo.messages_at + first * sizeof(lrd__message),
                                             more * sizeof(lrd__message));
        if (rc != LRD_OK)
            return rc;
        rows->high += more;
        LRD__FAILPOINT("queue_rows");
    }
    if (rows->used >= atomic_load_explicit(&store->rows_mapped[shard], memory_order_relaxed))
        queue_rows_map(store, shard, rows->used);
    *out = lrd__message_at(store, shard, ++rows->used);
    return LRD_OK;
}

static uint64_t queue_messages(const lrd__queue *queue)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof queue->tree / sizeof *queue->tree; i++)
        sum += queue->tree[i].count;
    return sum;
}

static bool queue_full(const lrd__queue *queue)
{
    return queue->capacity != 0 && queue_messages(queue) >= queue->capacity;
}

/* the state of a push: its arguments, and the block for its body */
typedef struct queue_push {
    lrd_queue number;
    lrd__queue *queue; /* NULL until queue_find_row() */
    const lrd_push *how;
    uint64_t start; /* time (ms) when the push began; set only if the push may wait */
    size_t size;
    uint8_t type;
    uint64_t offset;
    uint32_t entry;
    bool full;      /* true if the queue was at its capacity at the last check */
    bool may_retry; /* true if the push has LRD_PUSH_RETRY */
} queue_push;

static uint64_t queue_body(uint64_t offset)
{
    return offset + lrd__value_start_usual(LRD__MESSAGE_KEY);
}

static uint64_t queue_bytes(const queue_push *push) { return queue_body(0) + push->size; }

/* Check that the queue accepts the body. Fails with LRD_ENOROOM if the queue is at its capacity or
 * exceeds its share of the memory. [locked] */
LRD__HOT static int queue_allowed(const lrd_store *store, lrd__thread *self, queue_push *push)
{
    const lrd__queue *queue = push->queue;
    uint64_t bytes = queue_bytes(push), taken = bytes;
    uint64_t mine = atomic_load_explicit(&queue->bytes, memory_order_relaxed);
    push->full = queue_full(queue);
    /* Clear the flag that an earlier push may have left. Only a search for room sets it. */
    self->scattered = false;
    if (push->full)
        return lrd__fail(LRD_ENOROOM, "the queue has %llu messages, its capacity is %llu",
                         (unsigned long long)queue_messages(queue),
                         (unsigned long long)queue->capacity);
    uint32_t shards = queue_shards(store);
    for (uint32_t i = 0; i < shards; i++)
        taken += atomic_load_explicit(&store->queue_shards[i].bytes, memory_order_relaxed);
    uint64_t left = taken < store->geo.size ? store->geo.size - taken : 0;
    if (mine + bytes > left * LRD__QUEUE_SHARE)
        return lrd__fail(LRD_ENOROOM, "the queue has %llu bytes, and %llu are left in the store",
                         (unsigned long long)mine, (unsigned long long)left);
    return LRD_OK;
}

/* Remove some messages that have expired at the time `now`, and return their number. If the queue
 * is at its capacity, searches only the queue's shard; otherwise all shards with queues. Releases
 * the lock of the queue's shard during the search. Sets *locked to false if it cannot take this
 * lock again afterwards. */
static uint64_t queue_tidy(lrd_store *store, lrd__thread *self, const lrd__queue *queue,
                           uint64_t now, uint32_t *slices, bool *locked)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    uint32_t own = queue->shard, i = 0, end = queue_shards(store);
    uint64_t dropped = 0;
    if (queue_full(queue)) {
        *slices = *slices < QUEUE_SLICES_FULL ? *slices : QUEUE_SLICES_FULL;
        i = own;
        end = own + 1;
    }
    while (i < end && !lrd__queue_overdue(store, i, now))
        i++;
    if (i == end || *slices == 0)
        return 0; /* the lock stays held */
    lrd__shard_unlock(store, own);
    for (; i < end; i++)
        while (dropped == 0 && *slices > 0 && lrd__queue_overdue(store, i, now)) {
            --*slices;
            if ((i == own ? lrd__shard_lock(store, self, i) : lrd__shard_try(store, self, i)) !=
                LRD_OK)
                break;
            lrd__entry_sync(store, i);
            dropped = lrd__queue_sweep(store, i, now);
            if (dropped != 0) {
                lrd__arena_reclaim(store, i, false);
                lrd__arena_trim(store, i);
            }
            lrd__shard_unlock(store, i);
        }
    *locked = lrd__shard_lock(store, self, own) == LRD_OK;
    if (*locked && dropped != 0)
        /* memory was freed, so allow the next search for room immediately */
        store->shards[own].full_until = 0;
    return dropped;
}

/* Reserve a block for the body. May release the lock for a while, and then checks again that the
 * queue accepts the body. *locked tells whether the lock is held. */
LRD__HOT static int queue_make_room(lrd_store *store, lrd__thread *self, queue_push *push,
                                    bool *locked)
{
    lrd__assert_thread(self);
    uint64_t turn = push->queue->turn;
    int rc = lrd__room_make(store, self, push->queue->shard, queue_bytes(push), &push->offset,
                            &push->entry, locked);
    if (rc != LRD_OK || __builtin_expect(push->queue->turn == turn, 1))
        return rc;
    rc = queue_allowed(store, self, push);
    if (rc != LRD_OK)
        lrd__write_cancel(self, push->entry);
    return rc;
}

/* Check that the queue accepts the body. If `reserved` is false, also reserve a block for the body.
 * Removes expired messages if there is no room. *locked tells whether the lock is held. */
LRD__HOT static int queue_admit(lrd_store *store, lrd__thread *self, queue_push *push,
                                bool reserved, bool *locked)
{
    uint32_t slices = QUEUE_SLICES;
    /* time of the first refusal; only messages that had expired by then are removed, so the loop
     * ends */
    uint64_t now = 0;
    for (;;) {
        int rc = queue_allowed(store, self, push);
        if (rc == LRD_OK && !reserved)
            rc = queue_make_room(store, self, push, locked);
        if (rc != LRD_ENOROOM || !*locked)
            return rc;
        now = now != 0 ? now : lrd__now(store);
        uint64_t dropped = queue_tidy(store, self, push->queue, now, &slices, locked);
        if (!*locked)
            return LRD_EBUSY;
        if (dropped == 0)
            return rc;
    }
}

static const lrd_push queue_push_default;

/* Prefetch the cache lines that a push changes. Call this before taking the lock. Other processors
 * wrote these lines last, so each is a cache miss. */
LRD__HOT static void queue_prefetch(const lrd_store *store, const lrd__queue *queue)
{
    lrd__prefetch_write(&store->gates[queue->shard].lock);
    lrd__prefetch_write(store->queue_shards + queue->shard);
    lrd__prefetch_write(&queue->tree[LRD__MESSAGE_READY - 1]);
    lrd__prefetch_write(&queue->turn);
    lrd__prefetch_write(&queue->pushed);
    lrd__prefetch_write(&store->shards[queue->shard].retired_bytes);
}

/* Check that the file is intact, and then find the queue's row. Check first: a load from a
 * truncated file raises SIGBUS. `coarse` is a time of the coarse clock. */
LRD__HOT static int queue_find_row(lrd_store *store, lrd__thread *self, queue_push *push,
                                   uint64_t coarse)
{
    int rc = lrd__write_chores(store, self, coarse);
    return rc == LRD_OK ? lrd__queue_of(store, push->number, &push->queue) : rc;
}

/* Lock the queue's shard, and reserve the body's block. After LRD_OK the lock is held, after an
 * error it is not. */
LRD__HOT static int queue_reserve_locked(lrd_store *store, lrd__thread *self, queue_push *push)
{
    lrd__assert_thread(self);
    bool locked = true;
    uint64_t coarse = lrd__clock_coarse();
    int rc = queue_find_row(store, self, push, coarse);
    if (rc != LRD_OK)
        return rc;
    queue_prefetch(store, push->queue);
    rc = lrd__queue_lock(store, self, push->queue, coarse);
    if (rc != LRD_OK)
        return rc;
    rc = queue_admit(store, self, push, false, &locked);
    if (rc == LRD_OK)
        return rc;
    if (locked)
        lrd__shard_unlock(store, push->queue->shard);
    return rc;
}

/* Write the header of the reserved block. queue_stamp() later adds the row's number. */
LRD__HOT static void queue_head(lrd_store *store, const queue_push *push)
{
    lrd__block *block = lrd__block_window(store, push->offset);
    atomic_store_explicit(&block->expiry, 0, memory_order_relaxed);
    block->version = 0;
    block->epoch = 0;
    block->size = (uint32_t)push->size;
    block->key_len = LRD__MESSAGE_KEY;
    block->type = push->type;
    memset((uint8_t *)block + LRD__BLOCK_KEY, 0, LRD__MESSAGE_KEY);
}

LRD__HOT static void queue_stamp(lrd_store *store, const queue_push *push, uint32_t link,
                                 uint64_t now)
{
    lrd__assert(link != 0 && link <= store->geo.messages_max);
    lrd__block *block = lrd__block_window(store, push->offset);
    uint64_t expiry = push->how->ttl_ms != 0 ? lrd__clock_sum(now, push->how->ttl_ms) : 0;
    atomic_store_explicit(&block->expiry, expiry, memory_order_relaxed);
    if (expiry != 0)
        lrd__queue_expires(store, push->queue->shard, expiry);
    block->epoch = lrd__shard_epoch(store->shards + push->queue->shard);
    lrd__message_key(push->queue->shard, link, (uint8_t *)block + LRD__BLOCK_KEY);
}

/* Publish the finished block as a message of the queue. [locked] */
LRD__HOT static int queue_put(lrd_store *store, const queue_push *push, uint64_t *id,
                              lrd__wake *wake)
{
    lrd__queue *queue = push->queue;
    lrd__message *m;
    uint64_t delay = push->how->delay_ms;
    uint64_t now = lrd__now(store);
    int rc = queue_row(store, queue->shard, &m);
    if (rc != LRD_OK)
        return rc;
    uint32_t link = lrd__message_link(store, queue->shard, m);
    uint32_t state = delay != 0 ? LRD__MESSAGE_DELAYED : LRD__MESSAGE_READY;
    uint64_t generation = (lrd__message_generation(m) + 1) & LRD__MESSAGE_GENERATION;
    generation += generation == 0; /* skip the generation 0, so that no id is 0 */
    queue_stamp(store, push, link, now);
    if (LRD__CONTROL(publish_first)) {
        lrd__message_become(m, state, 0, generation);
        lrd__control_gap(3000);
    }
    m->listing = lrd__listing(push->offset);
    m->queue = (uint16_t)(queue - store->queues);
    m->priority = push->how->priority;
    m->turn = ++queue->turn;
    m->due = delay != 0 ? lrd__clock_sum(now, delay) : 0;
    m->waits = (uint32_t)(now / 1000);
    LRD__FAILPOINT("queue_filled");
    lrd__arena_revive(store, queue->shard, push->offset);
    lrd__message_become(m, state, 0, generation);
    LRD__FAILPOINT("queue_pushed");
    lrd__tree_insert(store, queue, m);
    lrd__queue_account(store, queue, m, true);
    lrd__add(&queue->pushed, 1);
    if (id != NULL)
        *id = lrd__message_id(link, m);
    if (state == LRD__MESSAGE_READY)
        lrd__wake_one(queue, wake);
    return LRD_OK;
}

LRD__HOT static int queue_push_check(lrd_store *store, queue_push *push)
{
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd__queue_policy(store);
    if (rc != LRD_OK)
        return rc;
    if (push->how == NULL)
        push->how = &queue_push_default;
    if (push->how->struct_size > sizeof *push->how)
        return lrd__fail(LRD_EINVAL, "an lrd_push of %u bytes, this library knows %zu",
                         push->how->struct_size, sizeof *push->how);
    /* a caller that was compiled with an older header may have a struct without `flags` */
    if (push->how->struct_size == 0 || push->how->struct_size > offsetof(lrd_push, flags))
        push->may_retry = (push->how->flags & LRD_PUSH_RETRY) != 0;
    if (push->how->wait_ms != 0)
        push->start = lrd__clock_monotonic_ms();
    if (push->type == LRD_TYPE_COUNTER && push->size != sizeof(int64_t))
        return lrd__fail(LRD_EINVAL, "a counter has %zu bytes, not %zu", sizeof(int64_t),
                         push->size);
    if (push->size > store->geo.size / 2 || push->size > UINT32_MAX)
        return lrd__fail(LRD_ESIZE, "%zu bytes, at most %llu", push->size,
                         (unsigned long long)store->geo.size / 2);
    return LRD_OK;
}

/* Count a push that failed with `code`, and return `code`. If the queue was at its capacity, the
 * push does not count as a refused write of the store. [no lock is held] */
static __attribute__((noinline, cold)) int queue_failed(lrd_store *store, const queue_push *push,
                                                        int code)
{
    uint32_t shard = push->queue != NULL ? push->queue->shard : 0;
    if (push->may_retry && (code == LRD_ENOROOM || code == LRD_EBUSY))
        return code;
    if (code == LRD_ENOROOM)
        atomic_fetch_add_explicit(&push->queue->refused, 1, memory_order_relaxed);
    if (code == LRD_ENOROOM && push->full)
        return code;
    return lrd__write_refused(store->shards + shard, lrd__threads[store->id], code);
}

/* Wait for room. Returns LRD_OK if the caller must try again, LRD_ENOROOM if no time is left, or
 * LRD_INTR. Checks the capacity before the sleep: a consumer may have made room before `pushers`
 * was set. */
static int queue_wait_room(lrd_store *store, lrd__thread *self, const queue_push *push)
{
    lrd__assert_thread(self);
    uint64_t waited = lrd__clock_monotonic_ms() - push->start;
    if (waited >= push->how->wait_ms)
        return LRD_ENOROOM;
    if (lrd__interrupted())
        return LRD_INTR;
    uint64_t left = push->how->wait_ms - waited;
    LRD__FAILPOINT("queue_refused");
    int rc = lrd__shard_lock(store, self, push->queue->shard);
    if (rc == LRD_EBUSY) {
        lrd__clock_nap(lrd__queue_step(left));
        return LRD_OK;
    }
    if (rc != LRD_OK)
        return rc;
    bool has_room = push->full && !queue_full(push->queue);
    uint32_t turn = has_room ? 0 : lrd__room_sleep_begin(push->queue);
    lrd__shard_unlock(store, push->queue->shard);
    return has_room ? LRD_OK : lrd__room_sleep(push->queue, turn, left);
}

/* Wait for room if *rc is LRD_ENOROOM or LRD_EBUSY and the push may wait. Returns true if the
 * caller must try again. [no lock is held] */
LRD__HOT static bool queue_again(lrd_store *store, lrd__thread *self, const queue_push *push,
                                 int *rc)
{
    lrd__assert_thread(self);
    if ((*rc != LRD_ENOROOM && *rc != LRD_EBUSY) || push->how->wait_ms == 0)
        return false;
    int code = queue_wait_room(store, self, push);
    if (code != LRD_OK && code != LRD_ENOROOM)
        *rc = code;
    return code == LRD_OK;
}

/* Lock the queue's shard and reserve the body's block. May wait. After LRD_OK the lock is held. */
LRD__HOT static int queue_reserve(lrd_store *store, lrd__thread *self, queue_push *push)
{
    lrd__assert_thread(self);
    int rc;
    do
        rc = queue_reserve_locked(store, self, push);
    while (queue_again(store, self, push, &rc));
    return rc;
}

LRD__HOT static int queue_push_small(lrd_store *store, lrd__thread *self, queue_push *push,
                                     lrd_fill fill, const void *from, uint64_t *id)
{
    lrd__assert_thread(self);
    lrd__wake wake = {0};
    int rc = queue_reserve(store, self, push);
    if (rc == LRD_OK) {
        lrd__segment_touch(store, push->offset, queue_bytes(push));
        queue_head(store, push);
        fill(from, store->window + queue_body(push->offset), store->data + queue_body(push->offset),
             push->size);
        rc = queue_put(store, push, id, &wake);
        lrd__write_cancel(self, push->entry);
        lrd__shard_unlock(store, push->queue->shard);
        lrd__wake_send(self, push->queue, &wake);
    }
    return rc;
}

static int queue_reserve_large(lrd_store *store, lrd__thread *self, queue_push *push,
                               lrd_reservation *out)
{
    lrd__assert_thread(self);
    int rc = queue_reserve(store, self, push);
    if (rc != LRD_OK)
        return rc;
    lrd__shard_unlock(store, push->queue->shard);
    uint64_t bytes = queue_bytes(push);
    if (bytes > LRD__COMMIT_LOCKED)
        rc = lrd__arena_commit(store, push->offset, bytes);
    if (rc != LRD_OK) {
        lrd__write_cancel(self, push->entry);
        return rc;
    }
    lrd__segment_touch(store, push->offset, bytes);
    /* write the body through the caches, because a consumer will soon read it */
    lrd__copy_cold = false;
    queue_head(store, push);
    *out = (lrd_reservation){
        .build = store->window + queue_body(push->offset),
        .data = store->data + queue_body(push->offset),
        .size = push->size,
        .serial = self->holds[push->entry].serial,
        .handle = push->entry,
    };
    return LRD_OK;
}

/* Open a reservation for a push. The caller has checked the push's arguments. */
static int queue_reserve_open(lrd_store *store, queue_push *push, lrd_reservation *out)
{
    lrd__thread *self;
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = queue_reserve_large(store, self, push, out);
    lrd__leave(self);
    return rc;
}

int lrd_queue_reserve(lrd_store *store, lrd_queue number, size_t size, uint8_t type,
                      const lrd_push *how, lrd_reservation *out)
{
    queue_push push = {.number = number, .how = how, .size = size, .type = type};
    memset(out, 0, sizeof *out);
    int rc = queue_push_check(store, &push);
    if (rc == LRD_OK)
        rc = queue_reserve_open(store, &push, out);
    return rc == LRD_OK ? rc : queue_failed(store, &push, rc);
}

/* Lock the queue's shard, and publish a reservation. Fails with LRD_ENOROOM if other threads have
 * filled the queue meanwhile. */
static int queue_publish_locked(lrd_store *store, lrd__thread *self, queue_push *push, uint64_t *id,
                                lrd__wake *wake)
{
    lrd__assert_thread(self);
    bool locked = true;
    uint64_t coarse = lrd__clock_coarse();
    /* building or waiting may have taken long, so check the file and the clocks again */
    int rc = queue_find_row(store, self, push, coarse);
    if (rc != LRD_OK)
        return rc;
    push->offset = lrd__listing_offset(
        atomic_load_explicit(&self->slot->ledger[push->entry], memory_order_relaxed));
    uint32_t owner = lrd__page_owner(store, lrd__page_of(store, push->offset));
    if (lrd__owner_shard(owner) != push->queue->shard)
        rc = lrd__fail(LRD_EINVAL, "the reservation was made for another queue");
    else
        rc = lrd__queue_lock(store, self, push->queue, coarse);
    if (rc != LRD_OK)
        return rc;
    rc = queue_admit(store, self, push, true, &locked);
    if (rc == LRD_OK)
        rc = queue_put(store, push, id, wake);
    if (rc == LRD_OK)
        lrd__write_cancel(self, push->entry);
    if (locked)
        lrd__shard_unlock(store, push->queue->shard);
    return rc;
}

/* Publish an open reservation. Waits for room as long as the push's arguments allow. */
static int queue_publish(lrd_store *store, lrd__thread *self, queue_push *push, uint64_t *id)
{
    lrd__assert_thread(self);
    lrd__wake wake = {0};
    int rc;
    do
        rc = queue_publish_locked(store, self, push, id, &wake);
    while (queue_again(store, self, push, &rc));
    if (rc == LRD_OK)
        lrd__wake_send(self, push->queue, &wake);
    return rc;
}

/* Publish an open reservation. If earlier checks have failed (`rc`), cancel it instead. The
 * reservation stays open if the result is LRD_EBUSY, or if this thread cannot enter the store. */
static int queue_publish_open(lrd_store *store, queue_push *push, lrd_reservation *reservation,
                              int rc, uint64_t *id)
{
    lrd__thread *self;
    int entered = lrd__enter(store, &self);
    if (entered != LRD_OK)
        return entered;
    push->entry = reservation->handle;
    push->size = reservation->size;
    if (rc == LRD_OK)
        rc = queue_publish(store, self, push, id);
    if (rc != LRD_OK && rc != LRD_EBUSY)
        lrd__write_cancel(self, push->entry);
    if (rc != LRD_EBUSY)
        memset(reservation, 0, sizeof *reservation);
    lrd__leave(self);
    return rc;
}

int lrd_queue_publish(lrd_store *store, lrd_queue number, lrd_reservation *reservation,
                      const lrd_push *how, uint64_t *id)
{
    const lrd__thread *self = lrd__threads[store->id];
    queue_push push = {.number = number, .how = how};
    if (self == NULL || self->slot == NULL || !lrd__write_owns(self, reservation))
        return lrd__fail(LRD_ESTATE, "the reservation is not open in this thread");
    int rc = queue_push_check(store, &push);
    rc = queue_publish_open(store, &push, reservation, rc, id);
    return rc == LRD_OK ? rc : queue_failed(store, &push, rc);
}

/* Push a body of more than QUEUE_FILL_LOCKED bytes. The caller has checked the push's arguments. */
static int queue_push_large(lrd_store *store, queue_push *push, lrd_fill fill, const void *from,
                            uint64_t *id)
{
    lrd_reservation reservation;
    int rc = queue_reserve_open(store, push, &reservation);
    if (rc != LRD_OK)
        return rc;
    fill(from, reservation.build, reservation.data, push->size);
    rc = queue_publish_open(store, push, &reservation, lrd__segment_look(store), id);
    if (rc == LRD_EBUSY)
        lrd_abort(store, &reservation);
    return rc;
}

LRD__HOT int lrd_queue_push_fill(lrd_store *store, lrd_queue number, size_t size, uint8_t type,
                                 const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id)
{
    lrd__thread *self;
    queue_push push = {.number = number, .how = how, .size = size, .type = type};
    int rc = queue_push_check(store, &push);
    if (rc == LRD_OK && size > QUEUE_FILL_LOCKED) {
        rc = queue_push_large(store, &push, fill, from, id);
    } else if (rc == LRD_OK) {
        rc = lrd__enter(store, &self);
        if (rc == LRD_OK) {
            rc = queue_push_small(store, self, &push, fill, from, id);
            lrd__leave(self);
        }
    }
    return rc == LRD_OK ? rc : queue_failed(store, &push, rc);
}

LRD__HOT int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size,
                            uint8_t type, const lrd_push *how, uint64_t *id)
{
    return lrd_queue_push_fill(store, queue, size, type, how, lrd__copy_fill, data, id);
}
