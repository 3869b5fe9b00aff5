/* queue_pop.c - pops messages. Before a pop, due messages and messages of dead owners become ready.
 * Begin reading at queue_take(). The invariants are in queue.c. */
#include "queues/queue_pop.h"
#include "ground/error.h"
#include "ground/interrupt.h"
#include "ground/lease.h"
#include "ground/map.h"
#include "memory/slot.h"
#include "entries/message_row.h"
#include "entries/message_tree.h"
#include "locks/lock.h"
#include "threads/read.h"
#include "queues/queue_wait.h"

#include <linux/futex.h>

/* a pop reads the owners' leases only if at most this number of messages is reserved */
#define QUEUE_FEW 32u
/* Every QUEUE_BURY_EVERY sleeps, a watcher also calls lrd__slots_bury(). This finds dead threads
 * whose leases the kernel has not marked. */
#define QUEUE_BURY_EVERY 20u

/* ---- due messages ---- */

/* True if the first message in this state is due: its delay or its time to run is over. */
static bool queue_is_due(const lrd_store *store, const lrd__queue *queue, uint32_t state,
                         uint64_t now)
{
    lrd__assert(queue->shard < store->geo.shards);
    uint32_t link = queue->tree[state - 1].first;
    return link != 0 && lrd__message_at(store, queue->shard, link)->due <= now;
}

/* Make up to *left due messages of one state ready, and subtract their number from *left. */
static void queue_due(lrd_store *store, lrd__queue *queue, uint32_t state, uint64_t now,
                      uint32_t *left, lrd__wake *wake)
{
    lrd__assert(queue->shard < store->geo.shards);
    for (; *left > 0 && queue_is_due(store, queue, state, now); --*left) {
        lrd__message *m = lrd__message_at(store, queue->shard, queue->tree[state - 1].first);
        lrd__tree_remove(store, queue, m);
        if (state == LRD__MESSAGE_DELAYED) {
            m->turn = ++queue->turn;
            m->waits = (uint32_t)(m->due / 1000);
        } else {
            lrd__add(&queue->returned, 1);
        }
        lrd__queue_become(store, queue, m, LRD__MESSAGE_READY);
        lrd__wake_one(queue, wake);
    }
}

/* Make ready all delayed messages that are due at `now`. Releases the lock between two batches.
 * After LRD_OK, the lock is held. */
static int queue_settle(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    int rc = LRD_OK;
    while (rc == LRD_OK && queue_is_due(store, queue, LRD__MESSAGE_DELAYED, now)) {
        uint32_t left = LRD__QUEUE_BATCH;
        lrd__wake wake = {0};
        queue_due(store, queue, LRD__MESSAGE_DELAYED, now, &left, &wake);
        lrd__shard_unlock(store, queue->shard);
        lrd__wake_send(self, queue, &wake);
        rc = lrd__shard_lock(store, self, queue->shard);
    }
    return rc;
}

LRD__HOT int lrd__queue_lock(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                             uint64_t coarse)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc == LRD_OK && __builtin_expect(queue->tree[LRD__MESSAGE_DELAYED - 1].first != 0, 0))
        rc = queue_settle(store, self, queue, lrd__now_of(store, coarse));
    return rc;
}

/* number of 64-bit words of a bitmap with one bit for each slot */
#define QUEUE_SLOT_WORDS ((LRD__SLOTS_MAX + LRD__SLOTS_SPARE + 63) / 64)
_Static_assert(QUEUE_SLOT_WORDS * 64 >= LRD__SLOTS_MAX + LRD__SLOTS_SPARE, "a bit for each slot");
_Static_assert(LRD__SLOTS_MAX + LRD__SLOTS_SPARE <= UINT16_MAX, "a message names any slot");

/* Make the reserved messages of dead owners ready, if all reserved messages fit into one batch.
 * Checks each owner only once. */
static void queue_look_all(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint32_t *left,
                           lrd__wake *wake)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    uint64_t known[QUEUE_SLOT_WORDS] = {0}, alive[QUEUE_SLOT_WORDS] = {0}; /* one bit per slot */
    uint32_t next, mine = self->slot_index;
    lrd__assert(mine < store->geo.slots);
    known[mine / 64] = alive[mine / 64] = (uint64_t)1 << mine % 64;
    for (uint32_t link = queue->tree[LRD__MESSAGE_RESERVED - 1].first; *left > 0 && link != 0;
         link = next) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        lrd__assert(m->slot < store->geo.slots);
        uint64_t bit = (uint64_t)1 << m->slot % 64, *seen = &known[m->slot / 64];
        next = lrd__tree_next(store, queue->shard, link);
        LRD__FAILPOINT("queue_looks");
        bool current = lrd__queue_owner_current(store, m);
        if (current && (*seen & bit) == 0) {
            *seen |= bit;
            if (lrd__slot_owner_lives(store, m->slot, m->incarnation))
                alive[m->slot / 64] |= bit;
        }
        if (current && (alive[m->slot / 64] & bit) != 0)
            continue;
        lrd__queue_return(store, queue, m, wake);
        --*left;
    }
}

/* Check the owners of one batch of reserved messages, and make the messages of dead owners ready.
 * Returns true if all reserved messages were checked since the last slot became free. */
static bool queue_look_part(lrd_store *store, lrd__queue *queue, lrd__look *look, uint32_t *left,
                            lrd__wake *wake)
{
    lrd__assert(queue->shard < store->geo.shards);
    _Atomic uint64_t *freed = &store->header->slots_freed;
    if (look->freed == 0) {
        lrd__slots_notice(store);
        /* pairs with the release in lrd__slot_clear() */
        look->freed = atomic_load_explicit(freed, memory_order_acquire);
    }
    if (queue->looked_freed >= look->freed)
        return true;
    if (queue->look_freed == 0) {
        queue->look_due = queue->look_turn = 0;
        queue->look_freed = atomic_load_explicit(freed, memory_order_acquire);
    }
    lrd__message key = {.word = (uint64_t)LRD__MESSAGE_RESERVED << 61,
                        .due = queue->look_due,
                        .turn = queue->look_turn};
    uint32_t next, link = lrd__tree_after(store, queue, &key);
    for (; *left > 0 && link != 0; link = next, --*left) {
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        next = lrd__tree_next(store, queue->shard, link);
        LRD__FAILPOINT("queue_looks");
        queue->look_due = m->due;
        queue->look_turn = m->turn;
        if (!lrd__queue_owner_current(store, m))
            lrd__queue_return(store, queue, m, wake);
    }
    if (link != 0)
        return false;
    queue->looked_freed = queue->look_freed;
    queue->look_freed = 0;
    LRD__FAILPOINT("queue_looked");
    return queue->looked_freed >= look->freed;
}

/* True if the owner of some reserved message may be dead: its lease is marked, or its slot has
 * another owner. If more than QUEUE_FEW messages are reserved, returns false without a check, which
 * would take too long. */
static bool queue_suspects(const lrd_store *store, const lrd__queue *queue)
{
    lrd__assert(queue->shard < store->geo.shards);
    const lrd__tree *reserved = &queue->tree[LRD__MESSAGE_RESERVED - 1];
    if (reserved->count > QUEUE_FEW)
        return false;
    for (uint32_t link = reserved->first; link != 0;
         link = lrd__tree_next(store, queue->shard, link)) {
        const lrd__message *m = lrd__message_at(store, queue->shard, link);
        lrd__slot *slot = lrd__slot_at(store, m->slot);
        uint32_t word = atomic_load_explicit(&slot->owner.word, memory_order_acquire);
        if ((word & FUTEX_TID_MASK) != (uint32_t)lrd__who_tid(&slot->who) ||
            (word & (uint32_t)FUTEX_OWNER_DIED) != 0 ||
            atomic_load_explicit(&slot->incarnation, memory_order_acquire) != m->incarnation)
            return true;
    }
    return false;
}

bool lrd__queue_refresh(lrd_store *store, lrd__thread *self, lrd__queue *queue, uint64_t now,
                        lrd__look *look, lrd__wake *wake)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    const lrd__tree *reserved = &queue->tree[LRD__MESSAGE_RESERVED - 1];
    uint32_t left = LRD__QUEUE_BATCH;
    bool whole = true;
    queue_due(store, queue, LRD__MESSAGE_DELAYED, now, &left, wake);
    queue_due(store, queue, LRD__MESSAGE_RESERVED, now, &left, wake);
    if (!look->at_once && now < queue->looked + LRD__QUEUE_LOOK_MS && !queue_suspects(store, queue))
        return left == 0;
    if (reserved->count > LRD__QUEUE_BATCH && !LRD__CONTROL(forget_owner))
        whole = queue_look_part(store, queue, look, &left, wake);
    else if (reserved->count != 0 && !LRD__CONTROL(forget_owner))
        queue_look_all(store, self, queue, &left, wake);
    whole = whole && left != 0;
    /* the value 0 makes the next call continue a search that is not complete */
    queue->looked = whole ? now : 0;
    return !whole;
}

/* ---- reading bodies ---- */

/* True if the thread may hold a body. Like lrd__read_may_hold(), counts the block's header and key
 * towards the quota. (lrd__read_may_hold() itself must not be called under a lock.) [locked] */
static bool queue_may_hold(lrd__thread *self, uint32_t entry, const lrd__block *block,
                           unsigned flags)
{
    lrd__assert_thread(self);
    if ((flags & LRD_GET_PLAIN) && block->type >= LRD_TYPE_PLAIN &&
        lrd__ledger_live(self) > LRD_PLAIN_HOLDS)
        return false;
    return lrd__request_may_hold(self) &&
           lrd__quota_take(self, entry, lrd__block_start(block) + lrd__block_size(block));
}

/* List the message's body in this thread's ledger, and describe the message in *out. This needs no
 * barrier, because no other thread can retire the body while this thread has the shard's lock. */
void lrd__queue_give(lrd_store *store, lrd__thread *self, uint32_t link, lrd__message *m,
                     unsigned flags, lrd_message *out)
{
    lrd__assert_thread(self);
    lrd__assert(link != 0 && link <= store->geo.messages_max);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
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
    if (entry != 0 && queue_may_hold(self, entry, block, flags)) {
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

int lrd__queue_given(lrd__thread *self, unsigned flags, lrd_value *value)
{
    lrd__assert_thread(self);
    if (value->kind != LRD_KIND_BORROWED || (flags & LRD_GET_BORROW) ||
        ((flags & LRD_GET_PLAIN) && value->type >= LRD_TYPE_PLAIN)) {
        self->limited_now = false;
        return LRD_OK;
    }
    lrd__ledger_count_copy(self);
    if (flags & LRD_GET_NO_COPY)
        return LRD_OK;
    void *copy = lrd__read_copy_out(value);
    atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    value->kind = copy != NULL ? LRD_KIND_COPY : LRD_KIND_NONE;
    value->data = copy;
    return copy != NULL ? LRD_OK : LRD_ENOMEM;
}

/* ---- popping ---- */

lrd__message *lrd__queue_first(lrd_store *store, lrd__queue *queue, uint64_t now, bool *more,
                               lrd__wake *wake)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(queue->shard < store->geo.shards);
    uint32_t link, left = LRD__QUEUE_BATCH;
    for (; (link = queue->tree[LRD__MESSAGE_READY - 1].first) != 0; left--) {
        if (left == 0) {
            *more = true;
            break;
        }
        lrd__message *m = lrd__message_at(store, queue->shard, link);
        if (!lrd__queue_expired(store, m, now))
            return m;
        lrd__add(&queue->expired, 1);
        lrd__queue_drop(store, queue, m, wake);
    }
    return NULL;
}

/* Find the first ready message. Before that, make messages ready that are due, or whose owners are
 * dead. Leaves *now unchanged if the clock is not needed, because reading it costs cache
 * misses. */
static lrd__message *queue_find_ready(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                                      uint64_t *now, lrd__look *look, bool *more, lrd__wake *wake)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    const lrd__tree *tree = queue->tree;
    *more = look->at_once = false;
    if (tree[LRD__MESSAGE_DELAYED - 1].count != 0 || tree[LRD__MESSAGE_RESERVED - 1].count != 0) {
        *now = lrd__now(store);
        *more = lrd__queue_refresh(store, self, queue, *now, look, wake);
    }
    lrd__message *m = lrd__queue_first(store, queue, *now, more, wake);
    if (m != NULL || *more)
        return m;
    /* the clock's offset is out of date if the machine was suspended since the last push */
    lrd__clock_refresh(store);
    *now = lrd__now(store);
    look->at_once = true;
    *more = lrd__queue_refresh(store, self, queue, *now, look, wake);
    return lrd__queue_first(store, queue, *now, more, wake);
}

/* a result of queue_take(): the caller must release the lock and call again */
enum { QUEUE_MORE = LRD_END + 1 };

static void queue_prefetch_body(const lrd_store *store, const lrd__message *m)
{
    __builtin_prefetch(lrd__block_at(store, lrd__message_offset(m)));
}

/* Pop the first ready message, and reserve it. Returns LRD_OK, LRD_MISS or QUEUE_MORE. [locked] */
static int queue_take(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                      uint64_t run_ms, lrd__look *look, lrd_message *out, lrd__wake *wake)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    uint64_t now = run_ms != 0 ? lrd__now(store) : 0;
    bool more;
    lrd__message *m = queue_find_ready(store, self, queue, &now, look, &more, wake);
    if (m == NULL)
        return more ? QUEUE_MORE : LRD_MISS;
    queue_prefetch_body(store, m);
    uint32_t attempts = lrd__message_attempts(m);
    if (attempts != 0)
        lrd__add(&queue->redelivered, 1);
    attempts += attempts != LRD__MESSAGE_ATTEMPTS;
    lrd__tree_remove(store, queue, m);
    /* prefetch the body of the next message, which this consumer will soon pop */
    uint32_t next = queue->tree[LRD__MESSAGE_READY - 1].first;
    if (next != 0)
        queue_prefetch_body(store, lrd__message_at(store, queue->shard, next));
    m->slot = (uint16_t)self->slot_index;
    m->incarnation = self->incarnation;
    m->due = run_ms != 0 ? lrd__clock_sum(now, run_ms) : UINT64_MAX;
    LRD__FAILPOINT("queue_takes");
    lrd__message_become(m, LRD__MESSAGE_RESERVED, attempts, lrd__message_generation(m));
    LRD__FAILPOINT("queue_taken");
    lrd__tree_insert(store, queue, m);
    lrd__queue_give(store, self, lrd__message_link(store, queue->shard, m), m, flags, out);
    if (queue->tree[LRD__MESSAGE_READY - 1].count != 0)
        lrd__wake_one(queue, wake);
    return LRD_OK;
}

/* Try once to pop a message. If none is ready and `sleep` is not NULL, prepare the sleep under the
 * lock. */
static int queue_attempt_once(lrd_store *store, lrd__thread *self, lrd__queue *queue,
                              unsigned flags, uint64_t run_ms, lrd__look *look, lrd__sleep *sleep,
                              lrd_message *out)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    lrd__wake wake = {0};
    int rc = lrd__shard_lock(store, self, queue->shard);
    if (rc != LRD_OK)
        return rc;
    /* read queue->looked before queue_take(), which may change it */
    uint64_t looked = queue->looked;
    rc = queue_take(store, self, queue, flags, run_ms, look, out, &wake);
    if (rc == LRD_OK)
        lrd__pace_take(&self->pace, queue, out->value.size);
    bool waits = rc == LRD_MISS && sleep != NULL;
    if (waits)
        *sleep = (lrd__sleep){
            .rests = lrd__pace_rests(&self->pace, queue, lrd__clock_monotonic_ms()),
            .most = LRD__QUEUE_REST_MS,
        };
    if (waits && !sleep->rests)
        lrd__sleep_begin(self, queue, lrd__now(store), looked, sleep);
    else
        lrd__sleep_end(self, queue, &wake);
    lrd__shard_unlock(store, queue->shard);
    lrd__wake_send(self, queue, &wake);
    return rc;
}

static int queue_attempt(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                         uint64_t run_ms, lrd__sleep *sleep, lrd_message *out)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    lrd__look look = {0};
    int rc;
    do
        rc = queue_attempt_once(store, self, queue, flags, run_ms, &look, sleep, out);
    while (rc == QUEUE_MORE);
    return rc;
}

int lrd__queue_pop_wait(lrd_store *store, lrd__thread *self, lrd__queue *queue, unsigned flags,
                        uint64_t wait_ms, uint64_t run_ms, lrd_message *out)
{
    lrd__assert(queue->shard < store->geo.shards);
    lrd__assert_thread(self);
    uint64_t start = 0;
    lrd__sleep sleep = {0};
    for (uint32_t looks = 1;; looks++) {
        int rc =
            queue_attempt(store, self, queue, flags, run_ms, wait_ms != 0 ? &sleep : NULL, out);
        if (rc != LRD_MISS && rc != LRD_EBUSY)
            return rc;
        /* Check the file. If it was replaced, other processes push into the new file, not into this
         * queue. */
        int moved = lrd__segment_look(store);
        if (lrd__segment_lost(store) != LRD__LOST_NOTHING)
            return moved;
        if (wait_ms == 0)
            return rc == LRD_MISS && moved != LRD_OK ? moved : rc;
        uint64_t now = lrd__clock_monotonic_ms();
        start = start != 0 ? start : now;
        if (now - start >= wait_ms || moved != LRD_OK) {
            wait_ms = 0; /* try once more, without sleeping */
            continue;
        }
        bool interrupted = lrd__interrupted();
        if (rc == LRD_EBUSY && !interrupted) {
            lrd__clock_nap(lrd__queue_step(wait_ms - (now - start)));
            continue;
        }
        rc = interrupted ? LRD_INTR : lrd__sleep_now(queue, &sleep, wait_ms - (now - start));
        if (sleep.watches && looks % QUEUE_BURY_EVERY == 0)
            lrd__slots_bury(store);
        if (rc == LRD_OK)
            continue;
        /* a message may have arrived together with the signal */
        int code = queue_attempt(store, self, queue, flags, run_ms, NULL, out);
        return code == LRD_MISS ? rc : code;
    }
}
