/* queue.c - queues of messages, in stores of policy LRD_QUEUE: the public calls. Calls the arena for bodies,
 * queue_tree.c for order, queue_wait.c to sleep. queue_check.c has recovery and the checker's part. Read
 * queue_put() and queue_take() first: one message in, one message out.
 *
 * Why here and not beside the index: a body is a block of the arena, so it is built outside of locks, returned
 * without a copy, held by ledgers and freed as any value is. A queue lies in one shard, whose lock guards its
 * rows, trees and counts too, so each call takes one lock, and a death inside it is recovered with the shard.
 *
 * Invariants (shard lock)
 * - The rows are the truth: a row that is not free names a block, which is allocated and not retired; no two
 *   rows name the same, and the block's key says which row is its. Trees, counts and the list of free rows are
 *   derived from them.
 * - A row's word changes by one store, after all fields that its new state needs, and only ever along the
 *   arrows in larder.h. So whoever dies leaves each message as it was or as it was going to be: a push that
 *   did not return may have happened, an ack that returned has.
 * - Fields that are changed before the word mean nothing in the old state, or no harm: due and turn order a
 *   state's tree, which is made anew after a death; slot and incarnation count in reserved rows only.
 * - A generation is given out once for each use of a row, so an id names one message for ever.
 * - A reserved message is its owner's while (slot, incarnation) lives: robust leases tell, nothing else does.
 *   attempts was raised when it was popped, in the word, so one that comes back has it.
 */
#include "hold.h"
#include "queue.h"

#include <linux/futex.h>
#include <stdlib.h>

#define QUEUE_FILL_LOCKED 1024u /* bytes that are written under the lock, as in write.c */
#define QUEUE_ROWS_MOST 4096u   /* rows that get memory at once */
#define QUEUE_SWEEP 512u /* rows that a push which finds no room looks at, for expired messages */
#define QUEUE_FEW 32u    /* reserved messages whose owners each pop asks about */
/* Looks of a watcher between two for deaths that the kernel did not tell. */
#define QUEUE_BURY_EVERY 20u

#ifdef LRD_CONTROLS
bool lrd__control_publish_first, lrd__control_forget_owner;
static void queue_control_gap(void)
{
    for (volatile int i = 0; i < 3000; i++)
        ;
}
#endif

/* ---- names ----------------------------------------------------------------------------------- */

static int queue_policy(const lrd_store *store)
{
    return store->queues != NULL ? LRD_OK : lrd__fail(LRD_EPOLICY, "this is not a store of queues");
}

static int queue_of(lrd_store *store, lrd_queue number, lrd__queue **out)
{
    int rc = queue_policy(store);
    if (rc != LRD_OK)
        return rc;
    if (number >= lrd__queues_used(store))
        return lrd__fail(LRD_ENOQUEUE, "queue %u of %u", number, lrd__queues_used(store));
    *out = store->queues + number;
    return LRD_OK;
}

static bool queue_find(const lrd_store *store, const char *name, size_t name_len, lrd_queue *out)
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

/* The shard that has the fewest queues. */
static uint32_t queue_shard(const lrd_store *store)
{
    uint32_t count[LRD__QUEUE_SHARDS_MAX] = {0}, used = lrd__queues_used(store), best = 0;
    for (uint32_t i = 0; i < used; i++)
        count[store->queues[i].shard]++;
    for (uint32_t i = 1; i < store->geo.shards; i++)
        if (count[i] < count[best])
            best = i;
    return best;
}

/* Under the lock of shard 0. */
static int queue_make(lrd_store *store, const char *name, size_t name_len, lrd_queue *out)
{
    uint32_t number = lrd__queues_used(store);
    if (queue_find(store, name, name_len, out)) /* made meanwhile */
        return LRD_OK;
    if (number == LRD__QUEUES)
        return lrd__fail(LRD_ENOQUEUE, "%u queues exist", number);
    int rc = lrd__segment_commit_control(store, store->geo.queues_at + number * sizeof(lrd__queue),
                                         sizeof(lrd__queue));
    if (rc != LRD_OK)
        return rc;
    lrd__queue *queue = store->queues + number;
    memset(queue, 0, sizeof *queue);
    queue->shard = (uint16_t)queue_shard(store);
    queue->name_len = (uint16_t)name_len;
    memcpy(queue->name, name, name_len);
    atomic_store_explicit(&queue->state, LRD__QUEUE_USED, memory_order_relaxed);
    LRD__FAILPOINT("queue_named");
    /* Pairs with lrd__queues_used(): whoever sees the number sees the name. */
    atomic_store_explicit(&store->queue_shards->queues, number + 1, memory_order_release);
    LRD__FAILPOINT("queue_made");
    *out = number;
    return LRD_OK;
}

static int queue_lock_make(lrd_store *store, lrd__thread *self, const char *name, size_t name_len,
                           lrd_queue *out)
{
    int rc = lrd__shard_lock(store, self, 0);
    if (rc != LRD_OK)
        return rc;
    rc = queue_make(store, name, name_len, out);
    lrd__shard_unlock(store, 0);
    return rc;
}

int lrd_queue_open(lrd_store *store, const char *name, size_t name_len, uint64_t capacity,
                   lrd_queue *out)
{
    lrd__thread *self;
    int rc = queue_policy(store);
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
    int rc = queue_policy(store);
    if (rc != LRD_OK)
        return rc;
    if (number >= lrd__queues_used(store))
        return LRD_END;
    *name = store->queues[number].name;
    *name_len = store->queues[number].name_len;
    return LRD_OK;
}

/* ---- what becomes of a message ------------------------------------------------------------------ */

static uint64_t queue_sum(uint64_t now, uint64_t ms)
{
    uint64_t sum;
    return __builtin_add_overflow(now, ms, &sum) ? UINT64_MAX : sum;
}

/* Give the message another state; its fields are set by now. */
static void queue_become(lrd_store *store, lrd__queue *queue, lrd__message *m, uint32_t state)
{
    LRD__FAILPOINT("queue_changes");
    lrd__message_become(m, state, lrd__message_attempts(m), lrd__message_generation(m));
    LRD__FAILPOINT("queue_changed");
    lrd__tree_insert(store, queue, m);
}

/* Ready again, with its place: it goes before what became ready after it. */
static void queue_return(lrd_store *store, lrd__queue *queue, lrd__message *m)
{
    lrd__tree_remove(store, queue, m);
    queue_become(store, queue, m, LRD__MESSAGE_READY);
}

static void queue_account(lrd_store *store, lrd__queue *queue, const lrd__message *m, bool add)
{
    uint64_t bytes = lrd__block_bytes(store, lrd__message_offset(m)) + sizeof *m;
    lrd__add(&queue->bytes, add ? bytes : -bytes);
    lrd__add(&store->queue_shards[queue->shard].bytes, add ? bytes : -bytes);
}

/* It is no more. */
static void queue_drop(lrd_store *store, lrd__queue *queue, lrd__message *m, lrd__wake *wake)
{
    lrd__queue_shard *rows = store->queue_shards + queue->shard;
    lrd__tree_remove(store, queue, m);
    queue_account(store, queue, m, false);
    LRD__FAILPOINT("queue_drops");
    lrd__message_become(m, LRD__MESSAGE_FREE, 0, lrd__message_generation(m));
    LRD__FAILPOINT("queue_dropped");
    lrd__arena_retire(store, queue->shard, lrd__message_offset(m));
    m->left = rows->free;
    rows->free = lrd__message_link(store, queue->shard, m);
    store->shards[queue->shard].full_until =
        0; /* a search for room that failed is worth repeating */
    lrd__wake_pusher(queue, wake);
}

static bool queue_expired(const lrd_store *store, const lrd__message *m, uint64_t now)
{
    uint64_t expiry = atomic_load_explicit(&lrd__block_at(store, lrd__message_offset(m))->expiry,
                                           memory_order_relaxed);
    return expiry != 0 && expiry <= now;
}

/* ---- whose time has come ---------------------------------------------------------------------- */

static void queue_due(lrd_store *store, lrd__queue *queue, uint32_t state, uint64_t now,
                      lrd__wake *wake)
{
    for (uint32_t link; (link = queue->tree[state - 1].first) != 0;) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        if (m->due > now)
            break;
        lrd__tree_remove(store, queue, m);
        if (state == LRD__MESSAGE_DELAYED)
            m->turn = ++queue->turn;
        else
            lrd__add(&queue->returned, 1);
        queue_become(store, queue, m, LRD__MESSAGE_READY);
        lrd__wake_one(queue, wake);
    }
}

/* Messages of dead owners are ready again. Each owner is asked about once. */
static void queue_look(lrd_store *store, lrd__thread *self, lrd__queue *queue, lrd__wake *wake)
{
    uint64_t known[64] = {0}, alive[64] = {0}; /* bits: 4096 slots */
    uint32_t next;
    if (LRD__CONTROL(forget_owner))
        return;
    for (uint32_t link = queue->tree[LRD__MESSAGE_RESERVED - 1].first; link != 0; link = next) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        uint64_t bit = (uint64_t)1 << m->slot % 64, *seen = &known[m->slot / 64 % 64];
        next = lrd__tree_next(store, queue->shard, link);
        if (m->slot == self->slot_index && m->incarnation == self->incarnation)
            continue;
        /* An owner of an earlier incarnation of the slot is gone, whoever has the slot now. */
        uint64_t now =
            atomic_load_explicit(&lrd__slot_at(store, m->slot)->incarnation, memory_order_acquire);
        if (now == m->incarnation && (*seen & bit) == 0) {
            *seen |= bit;
            if (lrd__slot_alive(store, m->slot, m->incarnation))
                alive[m->slot / 64 % 64] |= bit;
        }
        if (now == m->incarnation && (alive[m->slot / 64 % 64] & bit) != 0)
            continue;
        queue_return(store, queue, m);
        lrd__add(&queue->returned, 1);
        lrd__wake_one(queue, wake);
    }
}

/* Whether an owner may be dead: the kernel says so in the word of its lease. Only where few messages are
 * reserved, which is usual: then the message of a dead consumer goes before what the next one would pop. */
static bool queue_suspects(const lrd_store *store, const lrd__queue *queue)
{
    const lrd__tree *reserved = &queue->tree[LRD__MESSAGE_RESERVED - 1];
    if (reserved->count > QUEUE_FEW)
        return false;
    for (uint32_t link = reserved->first; link != 0;
         link = lrd__tree_next(store, queue->shard, link)) {
        const lrd__message *m = lrd__message_at(store, queue->shard, link);
        lrd__slot *slot = lrd__slot_at(store, m->slot);
        int word = __atomic_load_n(&slot->owner.__data.__lock, __ATOMIC_ACQUIRE);
        if ((word & FUTEX_TID_MASK) == 0 || (word & (int)FUTEX_OWNER_DIED) != 0 ||
            atomic_load_explicit(&slot->incarnation, memory_order_acquire) != m->incarnation)
            return true;
    }
    return false;
}

static void queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                          bool look, lrd__wake *wake)
{
    queue_due(store, queue, LRD__MESSAGE_DELAYED, now, wake);
    queue_due(store, queue, LRD__MESSAGE_RESERVED, now, wake);
    if (!look && now < queue->looked + LRD__QUEUE_LOOK_MS && !queue_suspects(store, queue))
        return;
    queue->looked = now;
    queue_look(store, self, queue, wake);
}

/* ---- pushing ---------------------------------------------------------------------------------- */

/* A row with memory that no message has. LRD_ENOROOM. */
static int queue_row(lrd_store *store, uint32_t shard, lrd__message **out)
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

/* Drop what has expired among the next rows of the shard. */
static bool queue_sweep(lrd_store *store, uint32_t shard, uint64_t now, lrd__wake *wake)
{
    lrd__queue_shard *rows = store->queue_shards + shard;
    bool found = false;
    for (uint32_t i = 0; i < QUEUE_SWEEP && i < rows->used; i++) {
        rows->hand = rows->hand < rows->used ? rows->hand + 1 : 1;
        lrd__message *m = lrd__message_at(store, shard, rows->hand);
        uint32_t state = lrd__message_state(m);
        if (state == LRD__MESSAGE_FREE || state == LRD__MESSAGE_RESERVED ||
            !queue_expired(store, m, now))
            continue;
        lrd__add(&store->queues[m->queue].expired, 1);
        queue_drop(store, store->queues + m->queue, m, wake);
        found = true;
    }
    return found;
}

/* Whether the queue may have so many bytes more. */
static int queue_allowed(const lrd_store *store, const lrd__queue *queue, uint64_t bytes)
{
    uint64_t taken = bytes, mine = atomic_load_explicit(&queue->bytes, memory_order_relaxed);
    if (queue->capacity != 0 && queue_messages(queue) >= queue->capacity)
        return lrd__fail(LRD_ENOROOM, "the queue has %llu messages, its capacity is %llu",
                         (unsigned long long)queue_messages(queue),
                         (unsigned long long)queue->capacity);
    for (uint32_t i = 0; i < store->geo.shards; i++)
        taken += atomic_load_explicit(&store->queue_shards[i].bytes, memory_order_relaxed);
    uint64_t left = taken < store->geo.size ? store->geo.size - taken : 0;
    if (mine + bytes > left * LRD__QUEUE_SHARE)
        return lrd__fail(LRD_ENOROOM, "the queue has %llu bytes, and %llu are left in the store",
                         (unsigned long long)mine, (unsigned long long)left);
    return LRD_OK;
}

/* Room for a body, listed and retired as lrd__arena_try() leaves it. Under the lock, which is held unless
 * *locked says otherwise. */
static int queue_room(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t bytes,
                      uint64_t *offset, uint32_t *entry, bool *locked, lrd__wake *wake)
{
    int rc = queue_allowed(store, queue, bytes);
    if (rc == LRD_OK)
        rc = lrd__room_make(store, self, queue->shard, bytes, offset, entry, locked);
    if (rc != LRD_ENOROOM || !*locked || !queue_sweep(store, queue->shard, lrd__now(store), wake))
        return rc;
    rc = queue_allowed(store, queue, bytes);
    return rc == LRD_OK ? lrd__room_make(store, self, queue->shard, bytes, offset, entry, locked)
                        : rc;
}

/* A push as it goes on: what is wanted, and the block that was reserved for it. */
typedef struct queue_push {
    lrd__queue *queue;
    const lrd_push *how;
    size_t size;
    uint8_t type;
    uint64_t offset;
    uint32_t entry;
} queue_push;

static const lrd_push queue_push_default;

static uint64_t queue_body(uint64_t offset)
{
    return offset + lrd__value_start_usual(LRD__MESSAGE_KEY);
}

/* Reserve under the lock; on LRD_OK it is still held. */
static int queue_reserve_locked(lrd_store *store, lrd__thread *self, queue_push *push,
                                lrd__wake *wake)
{
    uint64_t bytes = queue_body(0) + push->size;
    bool locked = true;
    int rc = lrd__write_chores(store, self);
    if (rc == LRD_OK)
        rc = lrd__shard_lock(store, self, push->queue->shard);
    if (rc != LRD_OK)
        return rc;
    rc = queue_room(store, self, push->queue, bytes, &push->offset, &push->entry, &locked, wake);
    if (rc == LRD_OK)
        return rc;
    if (rc == LRD_ENOROOM)
        lrd__add(&push->queue->refused, 1);
    if (locked)
        lrd__shard_unlock(store, push->queue->shard);
    return rc;
}

/* What the reserved block says of itself; the rest when its row is known. Its memory is committed by now. */
static void queue_head(lrd_store *store, const queue_push *push)
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

static void queue_stamp(lrd_store *store, const queue_push *push, uint32_t link, uint64_t now)
{
    lrd__block *block = lrd__block_window(store, push->offset);
    atomic_store_explicit(&block->expiry,
                          push->how->ttl_ms != 0 ? queue_sum(now, push->how->ttl_ms) : 0,
                          memory_order_relaxed);
    block->epoch = lrd__shard_epoch(store->shards + push->queue->shard);
    lrd__message_key(push->queue->shard, link, (uint8_t *)block + LRD__BLOCK_KEY);
}

/* The block is built: make it a message. Under the lock. */
static int queue_put(lrd_store *store, const queue_push *push, uint64_t *id, lrd__wake *wake)
{
    lrd__queue *queue = push->queue;
    lrd__message *m;
    uint64_t delay = push->how->delay_ms;
    uint64_t now = delay != 0 || push->how->ttl_ms != 0 ? lrd__now(store) : 0;
    int rc = queue_row(store, queue->shard, &m);
    if (rc != LRD_OK)
        return rc;
    uint32_t link = lrd__message_link(store, queue->shard, m);
    uint32_t state = delay != 0 ? LRD__MESSAGE_DELAYED : LRD__MESSAGE_READY;
    uint64_t generation = (lrd__message_generation(m) + 1) & LRD__MESSAGE_GENERATION;
    generation += generation == 0; /* no id is 0 */
    queue_stamp(store, push, link, now);
#ifdef LRD_CONTROLS
    if (LRD__CONTROL(publish_first)) {
        lrd__message_become(m, state, 0, generation);
        queue_control_gap();
    }
#endif
    m->listing = lrd__listing(push->offset);
    m->queue = (uint16_t)(queue - store->queues);
    m->priority = push->how->priority;
    m->turn = ++queue->turn;
    m->due = delay != 0 ? queue_sum(now, delay) : 0;
    LRD__FAILPOINT("queue_filled");
    lrd__arena_revive(store, queue->shard, push->offset);
    lrd__message_become(m, state, 0, generation);
    LRD__FAILPOINT("queue_pushed");
    lrd__tree_insert(store, queue, m);
    queue_account(store, queue, m, true);
    lrd__add(&queue->pushed, 1);
    if (id != NULL)
        *id = lrd__message_id(link, m);
    if (state == LRD__MESSAGE_READY)
        lrd__wake_one(queue, wake);
    return LRD_OK;
}

static int queue_push_check(lrd_store *store, lrd_queue number, queue_push *push)
{
    int rc = queue_of(store, number, &push->queue);
    if (rc != LRD_OK)
        return rc;
    if (push->how == NULL)
        push->how = &queue_push_default;
    if (push->type == LRD_TYPE_COUNTER && push->size != sizeof(int64_t))
        return lrd__fail(LRD_EINVAL, "a counter has %zu bytes, not %zu", sizeof(int64_t),
                         push->size);
    if (push->size > store->geo.size / 2 || push->size > UINT32_MAX)
        return lrd__fail(LRD_ESIZE, "%zu bytes, at most %llu", push->size,
                         (unsigned long long)store->geo.size / 2);
    return LRD_OK;
}

/* Wait for room. LRD_OK: try again; LRD_ENOROOM: the time is over; LRD_INTR. */
static int queue_wait_room(lrd_store *store, lrd__thread *self, const queue_push *push,
                           uint64_t start)
{
    uint64_t waited = lrd__clock_monotonic_ms() - start;
    if (waited >= push->how->wait_ms)
        return LRD_ENOROOM;
    int rc = lrd__shard_lock(store, self, push->queue->shard);
    if (rc != LRD_OK)
        return rc == LRD_EBUSY ? LRD_OK : rc;
    uint32_t turn = lrd__room_sleep_begin(push->queue);
    lrd__shard_unlock(store, push->queue->shard);
    return lrd__room_sleep(push->queue, turn, push->how->wait_ms - waited);
}

/* Reserve, waiting as long as is wanted. On LRD_OK the lock is held. */
static int queue_reserve(lrd_store *store, lrd__thread *self, queue_push *push, lrd__wake *wake)
{
    uint64_t start = push->how->wait_ms != 0 ? lrd__clock_monotonic_ms() : 0;
    for (;;) {
        int rc = queue_reserve_locked(store, self, push, wake);
        if ((rc != LRD_ENOROOM && rc != LRD_EBUSY) || push->how->wait_ms == 0)
            return rc;
        int code = queue_wait_room(store, self, push, start);
        if (code != LRD_OK)
            return code == LRD_ENOROOM ? rc : code;
    }
}

static int queue_push_small(lrd_store *store, lrd__thread *self, queue_push *push, lrd_fill fill,
                            const void *from, uint64_t *id)
{
    lrd__wake wake = {0};
    int rc = queue_reserve(store, self, push, &wake);
    if (rc == LRD_OK) {
        queue_head(store, push);
        fill(from, store->window + queue_body(push->offset), store->data + queue_body(push->offset),
             push->size);
        rc = queue_put(store, push, id, &wake);
        lrd__write_cancel(self, push->entry);
        lrd__shard_unlock(store, push->queue->shard);
    }
    lrd__wake_send(self, push->queue, &wake);
    return rc;
}

static int queue_reserve_large(lrd_store *store, lrd__thread *self, queue_push *push,
                               lrd_reservation *out)
{
    lrd__wake wake = {0};
    int rc = queue_reserve(store, self, push, &wake);
    if (rc == LRD_OK)
        lrd__shard_unlock(store, push->queue->shard);
    lrd__wake_send(self, push->queue, &wake);
    if (rc != LRD_OK)
        return rc;
    uint64_t bytes = queue_body(0) + push->size;
    if (bytes > LRD__COMMIT_LOCKED)
        rc = lrd__arena_commit(store, push->offset, bytes);
    if (rc != LRD_OK) {
        lrd__write_cancel(self, push->entry);
        return rc;
    }
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

int lrd_queue_reserve(lrd_store *store, lrd_queue number, size_t size, uint8_t type,
                      const lrd_push *how, lrd_reservation *out)
{
    lrd__thread *self;
    queue_push push = {.how = how, .size = size, .type = type};
    memset(out, 0, sizeof *out);
    int rc = queue_push_check(store, number, &push);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = queue_reserve_large(store, self, &push, out);
    lrd__leave(self);
    return rc;
}

static int queue_publish(lrd_store *store, lrd__thread *self, queue_push *push,
                         lrd_reservation *reservation, uint64_t *id)
{
    lrd__wake wake = {0};
    uint64_t listed =
        atomic_load_explicit(&self->slot->ledger[reservation->handle], memory_order_relaxed);
    push->offset = (listed - 1) << LRD__GRANULE_BITS;
    uint32_t owner = lrd__page_owner(store, lrd__page_of(store, push->offset));
    if (lrd__owner_shard(owner) != push->queue->shard) {
        lrd__write_cancel(self, reservation->handle);
        return lrd__fail(LRD_EINVAL, "the reservation was made for another queue");
    }
    int rc = lrd__shard_lock(store, self, push->queue->shard);
    if (rc != LRD_OK)
        return rc;
    rc = queue_put(store, push, id, &wake);
    lrd__write_cancel(self, reservation->handle);
    lrd__shard_unlock(store, push->queue->shard);
    memset(reservation, 0, sizeof *reservation);
    lrd__wake_send(self, push->queue, &wake);
    return rc;
}

int lrd_queue_publish(lrd_store *store, lrd_queue number, lrd_reservation *reservation,
                      const lrd_push *how, uint64_t *id)
{
    lrd__thread *self = lrd__threads[store->id];
    queue_push push = {.how = how};
    int rc = queue_push_check(store, number, &push);
    if (rc != LRD_OK)
        return rc;
    if (self == NULL || self->slot == NULL || !lrd__write_owns(self, reservation))
        return lrd__fail(LRD_ESTATE, "the reservation is not open in this thread");
    rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = queue_publish(store, self, &push, reservation, id);
    lrd__leave(self);
    return rc;
}

int lrd_queue_push_built(lrd_store *store, lrd_queue number, size_t size, uint8_t type,
                         const lrd_push *how, lrd_fill fill, const void *from, uint64_t *id)
{
    lrd__thread *self;
    lrd_reservation reservation;
    queue_push push = {.how = how, .size = size, .type = type};
    int rc = queue_push_check(store, number, &push);
    if (rc != LRD_OK)
        return rc;
    if (size <= QUEUE_FILL_LOCKED) {
        rc = lrd__enter(store, &self);
        if (rc != LRD_OK)
            return rc;
        rc = queue_push_small(store, self, &push, fill, from, id);
        lrd__leave(self);
        return rc;
    }
    rc = lrd_queue_reserve(store, number, size, type, how, &reservation);
    if (rc != LRD_OK)
        return rc;
    fill(from, reservation.build, reservation.data, size);
    rc = lrd_queue_publish(store, number, &reservation, how, id);
    if (rc == LRD_EBUSY)
        lrd_abort(store, &reservation);
    return rc;
}

static void queue_copy(const void *from, void *build, const void *data, size_t size)
{
    (void)data;
    if (size != 0)
        memcpy(build, from, size);
}

int lrd_queue_push(lrd_store *store, lrd_queue queue, const void *data, size_t size, uint8_t type,
                   const lrd_push *how, uint64_t *id)
{
    return lrd_queue_push_built(store, queue, size, type, how, queue_copy, data, id);
}

/* ---- reading bodies ----------------------------------------------------------------------------- */

static bool queue_may_hold(lrd__thread *self, uint32_t entry, const lrd_value *value,
                           unsigned flags)
{
    if ((flags & LRD_GET_PLAIN) && value->type >= LRD_TYPE_PLAIN &&
        lrd__ledger_live(self) > LRD_PLAIN_HOLDS)
        return false;
    if (self->request_until != 0 && lrd__clock_monotonic_ms() > self->request_until)
        return false;
    return lrd__quota_take(self, entry, value->size);
}

/* Hold, or borrow, the body. The lock keeps the block from being retired, so no barrier is needed; the
 * listing keeps it from being freed once the lock is gone. */
static void queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                       unsigned flags, lrd_message *out)
{
    const lrd__block *block = lrd__block_at(store, lrd__message_offset(m));
    uint32_t entry = 0;
    out->value = (lrd_value){.data = (const uint8_t *)block + lrd__block_start(block),
                             .size = lrd__block_size(block),
                             .block = m->listing,
                             .type = block->type};
    out->id = lrd__message_id(link, m);
    out->attempts = lrd__message_attempts(m);
    out->priority = m->priority;
    out->state = (lrd_message_state)lrd__message_state(m);
    if (!(flags & LRD_GET_BORROW))
        entry = lrd__ledger_list(self, m->listing, LRD__RESERVATION_ENTRIES);
    if (entry != 0 && queue_may_hold(self, entry, &out->value, flags)) {
        self->holds[entry].count = 1;
        out->value.handle = entry;
        out->value.kind = LRD_KIND_HELD;
        return;
    }
    if (entry != 0)
        lrd__ledger_drop(self, entry);
    atomic_store_explicit(&self->slot->spare, m->listing, memory_order_release);
    out->value.kind = LRD_KIND_BORROWED;
}

/* After the lock: a borrow that the caller cannot use becomes a copy. */
static int queue_given(lrd__thread *self, unsigned flags, lrd_value *value)
{
    if (value->kind != LRD_KIND_BORROWED || (flags & (LRD_GET_BORROW | LRD_GET_NO_COPY)) ||
        ((flags & LRD_GET_PLAIN) && value->type >= LRD_TYPE_PLAIN))
        return LRD_OK;
    void *copy = malloc(value->size != 0 ? value->size : 1);
    if (copy != NULL)
        memcpy(copy, value->data, value->size);
    atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    lrd__add(&self->slot->copies, 1);
    value->kind = copy != NULL ? LRD_KIND_COPY : LRD_KIND_NONE;
    value->data = copy;
    return copy != NULL ? LRD_OK
                        : lrd__fail(LRD_ENOMEM, "a private copy of %zu bytes", value->size);
}

/* ---- popping ------------------------------------------------------------------------------------ */

/* The first message that is ready and has not expired; NULL: none. */
static lrd__message *queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, lrd__wake *wake)
{
    for (uint32_t link; (link = queue->tree[LRD__MESSAGE_READY - 1].first) != 0;) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        if (!queue_expired(store, m, now))
            return m;
        lrd__add(&queue->expired, 1);
        queue_drop(store, queue, m, wake);
    }
    return NULL;
}

/* Reserve the first message. Under the lock. LRD_MISS. */
static int queue_take(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                      uint64_t run_ms, bool look, lrd_message *out, lrd__wake *wake)
{
    uint64_t now = lrd__now(store);
    queue_refresh(store, self, queue, now, look, wake);
    lrd__message *m = queue_first(store, queue, now, wake);
    if (m == NULL)
        return LRD_MISS;
    uint32_t attempts = lrd__message_attempts(m);
    if (attempts != 0)
        lrd__add(&queue->redelivered, 1);
    attempts += attempts != LRD__MESSAGE_ATTEMPTS;
    lrd__tree_remove(store, queue, m);
    m->slot = (uint16_t)self->slot_index;
    m->incarnation = self->incarnation;
    m->due = run_ms != 0 ? queue_sum(now, run_ms) : UINT64_MAX;
    LRD__FAILPOINT("queue_takes");
    lrd__message_become(m, LRD__MESSAGE_RESERVED, attempts, lrd__message_generation(m));
    LRD__FAILPOINT("queue_taken");
    lrd__tree_insert(store, queue, m);
    queue_give(store, self, lrd__message_link(store, queue->shard, m), m, flags, out);
    if (queue->tree[LRD__MESSAGE_READY - 1].count != 0)
        lrd__wake_one(queue, wake);
    return LRD_OK;
}

/* One look under the lock; where nothing is ready and the caller waits, it is a sleeper then. */
static int queue_attempt(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                         uint64_t run_ms, bool look, lrd__sleep *sleep, lrd_message *out)
{
    lrd__wake wake = {0};
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    rc = queue_take(store, self, queue, flags, run_ms, look, out, &wake);
    if (rc == LRD_MISS && sleep != NULL)
        lrd__sleep_begin(self, queue, lrd__now(store), sleep);
    else
        lrd__sleep_end(self, queue, &wake);
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return rc;
}

/* Time is that of the monotonic clock: the store's may stand still, or jump. */
static int queue_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                      uint64_t wait_ms, uint64_t run_ms, lrd_message *out)
{
    uint64_t start = lrd__clock_monotonic_ms();
    lrd__sleep sleep = {0};
    for (uint32_t looks = 1;; looks++) {
        uint64_t waited = lrd__clock_monotonic_ms() - start;
        bool last = waited >= wait_ms;
        int rc = queue_attempt(store, self, queue, flags, run_ms, true, last ? NULL : &sleep, out);
        if (rc == LRD_EBUSY && !last) {
            struct timespec nap = {.tv_nsec = 1000000};
            nanosleep(&nap, NULL);
            continue;
        }
        if (rc != LRD_MISS || last)
            return rc;
        rc = lrd__sleep_now(queue, &sleep, wait_ms - waited);
        if (sleep.watches && looks % QUEUE_BURY_EVERY == 0)
            lrd__slots_bury(store);
        if (rc == LRD_OK)
            continue;
        /* Once more, and without being a sleeper: a message may have come together with the signal. */
        int code = queue_attempt(store, self, queue, flags, run_ms, true, NULL, out);
        return code == LRD_MISS ? rc : code;
    }
}

int lrd_queue_pop(lrd_store *store, lrd_queue number, unsigned flags, uint64_t wait_ms,
                  uint64_t run_ms, lrd_message *out)
{
    lrd__thread *self;
    lrd__queue *queue;
    out->value.kind = LRD_KIND_NONE;
    int rc = queue_of(store, number, &queue);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = queue_attempt(store, self, queue, flags, run_ms, false, NULL, out);
    if (rc == LRD_MISS) /* nothing is ready: then what dead owners had counts at once */
        rc = queue_wait(store, self, queue, flags, wait_ms, run_ms, out);
    if (rc == LRD_OK)
        rc = queue_given(self, flags, &out->value);
    lrd__leave(self);
    if (rc == LRD_ENOMEM)
        lrd_queue_release(store, number, out->id, 0);
    return rc;
}

/* ---- what the owner does --------------------------------------------------------------------------- */

/* Begin a call about one message: lock, and find it. Locked where LRD_OK or LRD_MISS is the answer. */
static int queue_begin(lrd_store *store, lrd_queue number, uint64_t id, lrd__thread **self,
                       lrd__queue **queue, lrd__message **m)
{
    uint32_t link = (uint32_t)(id & (LRD__MESSAGES_MAX - 1)) + 1;
    int rc = queue_of(store, number, queue);
    if (rc == LRD_OK)
        rc = lrd__enter(store, self);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__shard_lock(store, *self, (*queue)->shard);
    if (rc != LRD_OK) {
        lrd__leave(*self);
        return rc;
    }
    if (link > store->queue_shards[(*queue)->shard].used)
        return LRD_MISS;
    *m = lrd__message_at(store, (*queue)->shard, link);
    bool found = lrd__message_state(*m) != LRD__MESSAGE_FREE && (*m)->queue == number &&
                 lrd__message_generation(*m) == id >> 24;
    return found ? LRD_OK : LRD_MISS;
}

static void queue_end(lrd_store *store, lrd__thread *self, lrd__queue *queue, const lrd__wake *wake)
{
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, wake);
    lrd__leave(self);
}

static bool queue_mine(const lrd__thread *self, const lrd__message *m)
{
    return lrd__message_state(m) == LRD__MESSAGE_RESERVED && m->slot == self->slot_index &&
           m->incarnation == self->incarnation;
}

int lrd_queue_ack(lrd_store *store, lrd_queue number, uint64_t id)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake = {0};
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    if (rc == LRD_OK && !queue_mine(self, m))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__add(&queue->acked, 1);
        queue_drop(store, queue, m, &wake);
    }
    queue_end(store, self, queue, &wake);
    return rc;
}

int lrd_queue_release(lrd_store *store, lrd_queue number, uint64_t id, uint64_t delay_ms)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake = {0};
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    if (rc == LRD_OK && !queue_mine(self, m))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__tree_remove(store, queue, m);
        if (delay_ms != 0)
            m->due = queue_sum(lrd__now(store), delay_ms);
        queue_become(store, queue, m, delay_ms != 0 ? LRD__MESSAGE_DELAYED : LRD__MESSAGE_READY);
        if (delay_ms == 0)
            lrd__wake_one(queue, &wake);
    }
    queue_end(store, self, queue, &wake);
    return rc;
}

int lrd_queue_bury(lrd_store *store, lrd_queue number, uint64_t id)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake = {0};
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    if (rc == LRD_OK && !queue_mine(self, m))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__tree_remove(store, queue, m);
        m->turn = ++queue->turn;
        queue_become(store, queue, m, LRD__MESSAGE_BURIED);
    }
    queue_end(store, self, queue, &wake);
    return rc;
}

int lrd_queue_touch(lrd_store *store, lrd_queue number, uint64_t id, uint64_t run_ms)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake = {0};
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    if (rc == LRD_OK && !queue_mine(self, m))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__tree_remove(store, queue, m);
        m->due = run_ms != 0 ? queue_sum(lrd__now(store), run_ms) : UINT64_MAX;
        LRD__FAILPOINT("queue_touched");
        lrd__tree_insert(store, queue, m);
    }
    queue_end(store, self, queue, &wake);
    return rc;
}

/* ---- what anybody does ------------------------------------------------------------------------------ */

int lrd_queue_remove(lrd_store *store, lrd_queue number, uint64_t id)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m;
    lrd__wake wake = {0};
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    if (rc == LRD_OK && lrd__message_state(m) == LRD__MESSAGE_RESERVED && !queue_mine(self, m))
        rc = LRD_MISS;
    if (rc == LRD_OK) {
        lrd__add(&queue->removed, 1);
        queue_drop(store, queue, m, &wake);
    }
    queue_end(store, self, queue, &wake);
    return rc;
}

/* In parts, so that the lock is held briefly. Returns LRD_OK when there is no more. */
#define QUEUE_PART 1000u

static int queue_kick_part(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t most,
                           uint64_t *count)
{
    lrd__wake wake = {0};
    uint32_t link, done = 0;
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    for (; done < QUEUE_PART && *count < most &&
           (link = queue->tree[LRD__MESSAGE_BURIED - 1].first) != 0;
         done++, ++*count) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        lrd__tree_remove(store, queue, m);
        m->turn = ++queue->turn;
        queue_become(store, queue, m, LRD__MESSAGE_READY);
        lrd__wake_one(queue, &wake);
    }
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return done < QUEUE_PART ? LRD_END : LRD_OK;
}

static int queue_clear_part(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t most,
                            uint64_t *count)
{
    static const uint32_t states[] = {LRD__MESSAGE_READY, LRD__MESSAGE_DELAYED,
                                      LRD__MESSAGE_BURIED};
    lrd__wake wake = {0};
    uint32_t done = 0;
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const lrd__tree *tree = &queue->tree[states[i] - 1];
        for (; tree->first != 0 && done < QUEUE_PART && *count < most; done++, ++*count) {
            queue_drop(store, queue, lrd__message_at(store, queue->shard, tree->first), &wake);
            lrd__add(&queue->removed, 1);
        }
    }
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return done < QUEUE_PART ? LRD_END : LRD_OK;
}

static int queue_in_parts(lrd_store *store, lrd_queue number, uint64_t most, uint64_t *count,
                          int (*part)(lrd_store *, lrd__thread *, lrd__queue *, uint64_t,
                                      uint64_t *))
{
    lrd__thread *self;
    lrd__queue *queue;
    uint64_t done = 0;
    int rc = queue_of(store, number, &queue);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    while (rc == LRD_OK)
        rc = part(store, self, queue, most, &done);
    lrd__leave(self);
    if (count != NULL)
        *count = done;
    return rc == LRD_END ? LRD_OK : rc;
}

int lrd_queue_kick(lrd_store *store, lrd_queue queue, uint64_t most, uint64_t *count)
{
    return queue_in_parts(store, queue, most, count, queue_kick_part);
}

/* Not what is pushed meanwhile: at most as many as there were at first. */
int lrd_queue_clear(lrd_store *store, lrd_queue queue, uint64_t *count)
{
    lrd_queue_stats stats;
    int rc = lrd_queue_stats_get(store, queue, &stats);
    return rc == LRD_OK ? queue_in_parts(store, queue, stats.ready + stats.delayed + stats.buried,
                                         count, queue_clear_part)
                        : rc;
}

/* ---- looking ----------------------------------------------------------------------------------------- */

int lrd_queue_peek(lrd_store *store, lrd_queue number, uint64_t id, unsigned flags,
                   lrd_message *out)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__message *m = NULL;
    lrd__wake wake = {0};
    out->value.kind = LRD_KIND_NONE;
    int rc = queue_begin(store, number, id, &self, &queue, &m);
    if (rc < LRD_OK)
        return rc;
    uint64_t now = lrd__now(store);
    queue_refresh(store, self, queue, now, true, &wake);
    if (id == 0) {
        m = queue_first(store, queue, now, &wake);
        rc = m != NULL ? LRD_OK : LRD_MISS;
    }
    if (rc == LRD_OK)
        queue_give(store, self, lrd__message_link(store, queue->shard, m), m, flags, out);
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    if (rc == LRD_OK)
        rc = queue_given(self, flags, &out->value);
    lrd__leave(self);
    return rc;
}

int lrd_queue_next(lrd_store *store, lrd_queue number, uint64_t *cursor, unsigned flags,
                   lrd_message *out)
{
    lrd__thread *self;
    lrd__queue *queue;
    out->value.kind = LRD_KIND_NONE;
    int rc = queue_of(store, number, &queue);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__shard_lock(store, self, queue->shard);
    if (rc == LRD_OK) {
        lrd__message *m = NULL;
        uint64_t used = store->queue_shards[queue->shard].used, now = lrd__now(store);
        bool found = false;
        while (!found && *cursor < used) {
            m = lrd__message_at(store, queue->shard, (uint32_t)++ * cursor);
            found =
                lrd__message_state(m) != LRD__MESSAGE_FREE && m->queue == number &&
                (lrd__message_state(m) == LRD__MESSAGE_RESERVED || !queue_expired(store, m, now));
        }
        if (found)
            queue_give(store, self, (uint32_t)*cursor, m, flags, out);
        lrd__shard_unlock(store, queue->shard);
        rc = found ? queue_given(self, flags, &out->value) : LRD_END;
    }
    lrd__leave(self);
    return rc;
}

int lrd_queue_stats_get(lrd_store *store, lrd_queue number, lrd_queue_stats *out)
{
    lrd__thread *self;
    lrd__queue *queue;
    lrd__wake wake = {0};
    memset(out, 0, sizeof *out);
    int rc = queue_of(store, number, &queue);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__shard_lock(store, self, queue->shard);
    if (rc == LRD_OK) {
        queue_refresh(store, self, queue, lrd__now(store), true, &wake);
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
        lrd__shard_unlock(store, queue->shard);
        lrd__wake_send(self, queue, &wake);
    }
    lrd__leave(self);
    return rc;
}
