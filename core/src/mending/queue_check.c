/* queue_check.c - rebuilds queues after a death, and checks them in an adopted segment and for
 * lrd_fsck(). Begin reading at lrd__queue_mend(). The invariants are those of queue.c and
 * message_tree.c.
 *
 * All steps can be repeated after a death. Only lrd__queue_empty() and lrd__queue_distrust() change
 * rows, and only lrd__queue_commit_used() changes the shards' row numbers. */
#include "mending/queue_check.h"
#include "ground/map.h"
#include "memory/page.h"
#include "entries/message_row.h"
#include "entries/message_tree.h"

#include <stdio.h>

/* ---- after a death ---- */

bool lrd__queue_allocate(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    uint32_t used = store->queue_shards[shard].used;
    for (uint32_t link = 1; link <= used; link++) {
        const lrd__message *m = lrd__message_at(store, shard, link);
        if (lrd__message_state(m) != LRD__MESSAGE_FREE &&
            !lrd__recover_allocate(store, shard, m->listing))
            return false;
    }
    LRD__FAILPOINT("queue_allocated");
    return true;
}

void lrd__queue_empty(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    uint32_t used = store->queue_shards[shard].used;
    for (uint32_t link = 1; link <= used; link++) {
        lrd__message *m = lrd__message_at(store, shard, link);
        lrd__message_become(m, LRD__MESSAGE_FREE, 0, lrd__message_generation(m));
    }
}

/* Clear a queue's trees and counts. Sets the flags `sleepers` and `pushers`, so that the next
 * caller wakes sleeping threads: the dead thread may not have done so. */
static void check_reset(lrd__queue *queue)
{
    memset(queue->tree, 0, sizeof queue->tree);
    atomic_store_explicit(&queue->bytes, 0, memory_order_relaxed);
    queue->sleepers = queue->pushers = 1;
    queue->sleeps++;
    queue->looked = queue->look_freed = queue->looked_freed = 0;
}

void lrd__queue_mend(lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    lrd__queue_shard *rows = store->queue_shards + shard;
    uint32_t queues = lrd__queues_used(store);
    for (uint32_t i = 0; i < queues; i++)
        if (store->queues[i].shard == shard)
            check_reset(store->queues + i);
    atomic_store_explicit(&rows->bytes, 0, memory_order_relaxed);
    rows->free = 0;
    /* Restart the sweep for expired messages, because the dead thread may have skipped a row. */
    rows->hand = 0;
    atomic_store_explicit(&rows->expires, 0, memory_order_relaxed);
    LRD__FAILPOINT("queue_reset");
    for (uint32_t link = rows->used; link > 0; link--) {
        lrd__message *m = lrd__message_at(store, shard, link);
        if (lrd__message_state(m) == LRD__MESSAGE_FREE) {
            m->left = rows->free;
            rows->free = link;
            continue;
        }
        lrd__queue *queue = store->queues + m->queue;
        uint64_t bytes = lrd__block_bytes(store, lrd__message_offset(m)) + sizeof *m;
        lrd__tree_insert(store, queue, m);
        lrd__add(&queue->bytes, bytes);
        lrd__add(&rows->bytes, bytes);
    }
    LRD__FAILPOINT("queue_mended");
}

/* ---- a segment that was left ---- */

/* Commit the memory of a shard's message rows, and repair the shard's numbers `used` and `high`
 * (`used` <= `high`). If only `high` is impossible, it becomes `used`. If only `used` is
 * impossible, it becomes the last row with a message. If both numbers are impossible, the shard's
 * messages are lost. */
static int check_row_numbers(lrd_store *store, uint32_t shard)
{
    lrd__queue_shard *rows = store->queue_shards + shard;
    uint32_t most = store->geo.messages_max;
    uint64_t at = store->geo.messages_at + (uint64_t)shard * most * sizeof(lrd__message);
    uint32_t high = rows->high <= most ? rows->high : 0, used = rows->used <= most ? rows->used : 0;
    bool told = rows->high <= most || rows->used <= most;
    if (!told)
        lrd__shard_lost(store->shards + shard, &told);
    /* If `used` > `high`, one of the two numbers is damaged. If both are possible, and all rows
     * between them are zero, `used` is the damaged one. Otherwise raise `high` to `used`. */
    bool both = rows->high <= most && rows->used <= most;
    if (used > high && !(both && lrd__map_is_zero(store, at + high * sizeof(lrd__message),
                                                  at + used * sizeof(lrd__message))))
        high = used;
    int rc =
        high == 0 ? LRD_OK : lrd__segment_commit_control(store, at, high * sizeof(lrd__message));
    if (rc != LRD_OK)
        return rc;
    used = used < high ? used : high;
    /* A message above `used` shows that `used` is damaged. */
    for (uint32_t link = high; link > used; link--)
        if (lrd__message_state(lrd__message_at(store, shard, link)) != LRD__MESSAGE_FREE)
            used = link;
    rows->high = high;
    rows->used = used;
    return LRD_OK;
}

int lrd__queue_commit_used(lrd_store *store)
{
    _Atomic uint32_t *queues = &store->queue_shards->queues;
    if (atomic_load_explicit(queues, memory_order_relaxed) > LRD__QUEUES)
        /* damaged; check_queues() finds the right number */
        atomic_store_explicit(queues, LRD__QUEUES, memory_order_relaxed);
    uint32_t used = lrd__queues_used(store);
    uint64_t bytes = used * sizeof(lrd__queue), at = store->geo.queues_at;
    int rc = bytes != 0 ? lrd__segment_commit_control(store, at, bytes) : LRD_OK;
    /* A queue in the next row shows that the count is damaged. Commit the row before the read: a
     * full file system makes reads of uncommitted memory fail. */
    while (rc == LRD_OK && used < LRD__QUEUES &&
           lrd__segment_commit_control(store, at + used * sizeof(lrd__queue), sizeof(lrd__queue)) ==
               LRD_OK &&
           atomic_load_explicit(&store->queues[used].state, memory_order_relaxed) ==
               LRD__QUEUE_USED)
        atomic_store_explicit(queues, ++used, memory_order_relaxed);
    for (uint32_t i = 0; i < store->geo.shards && rc == LRD_OK; i++)
        rc = check_row_numbers(store, i);
    return rc;
}

/* True if the queue's state or the queue's name says that the queue exists. If they disagree, one
 * of them is damaged. */
static bool check_queue_made(const lrd__queue *queue)
{
    return atomic_load_explicit(&queue->state, memory_order_relaxed) == LRD__QUEUE_USED ||
           queue->name_len != 0;
}

static bool check_name_taken(const lrd_store *store, const lrd__queue *queue, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (store->queues + i != queue && store->queues[i].name_len == queue->name_len &&
            memcmp(store->queues[i].name, queue->name, queue->name_len) == 0)
            return true;
    return false;
}

/* Keep the queue's name if it is plausible and no earlier queue has it. Otherwise choose a new
 * name. */
static void check_name(const lrd_store *store, uint32_t number, uint32_t used, bool *told)
{
    lrd__queue *queue = store->queues + number;
    if (queue->name_len - 1u >= LRD_QUEUE_NAME_MAX)
        for (queue->name_len = LRD_QUEUE_NAME_MAX;
             queue->name_len != 0 && queue->name[queue->name_len - 1] == 0;)
            queue->name_len--;
    if (queue->name_len != 0 && !check_name_taken(store, queue, number))
        return;
    lrd__shard_lost(store->shards, told);
    uint32_t suffix = number;
    do {
        memset(queue->name, 0, sizeof queue->name);
        queue->name_len = (uint16_t)snprintf(queue->name, sizeof queue->name, "damaged-%u", suffix);
        suffix += LRD__QUEUES;
    } while (check_name_taken(store, queue, used));
}

/* Repair each queue's name and shard. Keep damaged queues, because messages refer to them by
 * number. */
static void check_queues(lrd_store *store, bool *told)
{
    uint32_t used = lrd__queues_used(store);
    while (used > 0 && !check_queue_made(store->queues + used - 1))
        used--; /* the stored number was too large */
    for (uint32_t i = 0; i < used; i++) {
        lrd__queue *queue = store->queues + i;
        check_name(store, i, used, told);
        queue->shard = lrd__queue_home(store, i);
        queue->turn = 0;
        queue->watcher = 0;
        atomic_store_explicit(&queue->state, LRD__QUEUE_USED, memory_order_relaxed);
    }
    atomic_store_explicit(&store->queue_shards->queues, used, memory_order_relaxed);
}

/* Return the size of a row's block; 0 if the block cannot belong to the row. Reads only committed
 * memory. */
static uint64_t check_body(const lrd_store *store, uint32_t shard, uint32_t link,
                           const lrd__message *m)
{
    uint8_t key[LRD__MESSAGE_KEY];
    uint64_t offset = lrd__message_offset(m);
    if (m->listing - 1 >= store->geo.data_size >> LRD__GRANULE_BITS ||
        !lrd__block_fits(store, shard, offset, sizeof(lrd__block) + LRD__MESSAGE_KEY))
        return 0;
    const lrd__block *block = lrd__block_at(store, offset);
    uint64_t bytes = lrd__value_start_usual(LRD__MESSAGE_KEY) + block->size;
    lrd__message_key(shard, link, key);
    if (block->key_len != LRD__MESSAGE_KEY ||
        (block->type == LRD_TYPE_COUNTER && block->size != sizeof(int64_t)) ||
        memcmp(lrd__block_key(block), key, sizeof key) != 0 || block->size > store->geo.size / 2 ||
        !lrd__block_fits(store, shard, offset, bytes))
        return 0;
    return bytes;
}

/* True if a row of an untrusted segment may stay: the row agrees with its block. If so, marks the
 * block as allocated. */
static bool check_message_sound(lrd_store *store, uint32_t shard, uint32_t link,
                                const lrd__message *m)
{
    if (lrd__message_state(m) > LRD__MESSAGE_BURIED || lrd__message_generation(m) == 0 ||
        m->queue >= lrd__queues_used(store) || store->queues[m->queue].shard != shard)
        return false;
    uint64_t bytes = check_body(store, shard, link, m);
    return bytes != 0 && lrd__run_found(store, lrd__message_offset(m), bytes) &&
           lrd__recover_allocate(store, shard, m->listing);
}

/* Merge two lists of rows into one, in the order of their turns. The field `left` links the rows of
 * a list. Among equal turns, rows of `a` come first. */
static uint32_t check_merge(lrd__message *rows, uint32_t a, uint32_t b)
{
    uint32_t head = 0, *end = &head;
    while (a != 0 && b != 0) {
        uint32_t *first = rows[b - 1].turn < rows[a - 1].turn ? &b : &a;
        *end = *first;
        end = &rows[*first - 1].left;
        *first = *end;
    }
    *end = a != 0 ? a : b;
    return head;
}

/* Give new turns to all messages of a shard, in their order, because turns may be equal or too
 * large. This is a merge sort: lists[i] is empty or has 2^i messages. All row numbers in lists[i +
 * 1] are lower than those in lists[i]. */
static void check_turns(lrd_store *store, uint32_t shard)
{
    lrd__message *rows = lrd__messages_of(store, shard);
    uint32_t used = store->queue_shards[shard].used, all = 0, i, lists[32] = {0};
    for (uint32_t link = 1; link <= used; link++) {
        if (lrd__message_state(rows + link - 1) == LRD__MESSAGE_FREE)
            continue;
        uint32_t list = link;
        rows[link - 1].left = 0;
        for (i = 0; lists[i] != 0; i++) {
            list = check_merge(rows, lists[i], list);
            lists[i] = 0;
        }
        lists[i] = list;
    }
    for (i = 0; i < sizeof lists / sizeof *lists; i++)
        all = check_merge(rows, lists[i], all);
    for (; all != 0; all = rows[all - 1].left) {
        rows[all - 1].turn = ++store->queues[rows[all - 1].queue].turn;
        LRD__FAILPOINT("queue_turn");
    }
}

void lrd__queue_distrust(lrd_store *store, uint32_t shard, bool *told)
{
    uint32_t used = store->queue_shards[shard].used;
    if (shard == 0)
        check_queues(store, told);
    for (uint32_t link = 1; link <= used; link++) {
        lrd__message *m = lrd__message_at(store, shard, link);
        uint32_t state = lrd__message_state(m);
        if (state == LRD__MESSAGE_FREE)
            continue;
        if (!check_message_sound(store, shard, link, m)) {
            lrd__shard_lost(store->shards + shard, told);
            lrd__message_become(m, LRD__MESSAGE_FREE, 0, lrd__message_generation(m));
            continue;
        }
        /* No owner lives after an adoption, so make the message ready. Otherwise a new thread could
         * pass for the owner, because incarnations begin at 0 again. */
        if (state == LRD__MESSAGE_RESERVED) {
            lrd__message_become(m, LRD__MESSAGE_READY, lrd__message_attempts(m),
                                lrd__message_generation(m));
            lrd__add(&store->queues[m->queue].returned, 1);
        }
    }
    check_turns(store, shard);
}

/* ---- the checker ---- */

/* True if each child in a tree is a row of the same tree, and names its parent. If so, every walk
 * from the root ends. */
static bool check_links(const lrd_store *store, uint32_t shard, const lrd__queue_check *check)
{
    const lrd__message *rows = lrd__messages_of(store, shard);
    uint32_t wrong = 0, used = store->queue_shards[shard].used;
    for (uint32_t link = 1; link <= used; link++) {
        const lrd__message *m = rows + link - 1;
        const uint32_t children[] = {m->left, m->right != m->left ? m->right : 0};
        for (uint32_t i = 0; i < 2 && lrd__message_state(m) != LRD__MESSAGE_FREE; i++) {
            const lrd__message *child = rows + children[i] - 1;
            if (children[i] == 0 ||
                (children[i] <= used && child->up == link && child->queue == m->queue &&
                 lrd__message_state(child) == lrd__message_state(m)))
                continue;
            check->wrong(check->run, "child of message", link, children[i]);
            wrong++;
        }
    }
    return wrong == 0;
}

static void check_node(const lrd_store *store, const lrd__queue *queue, uint32_t link,
                       uint32_t before, const lrd__queue_check *check)
{
    const lrd__message *rows = lrd__messages_of(store, queue->shard), *m = rows + link - 1;
    if (before != 0 && !lrd__tree_before(rows + before - 1, m))
        check->wrong(check->run, "order of a queue, at message", link, 0);
    if (m->up != 0 && lrd__tree_weight(link) > lrd__tree_weight(m->up))
        check->wrong(check->run, "weight of message", link, m->up);
    if (m->turn > queue->turn)
        check->wrong(check->run, "turn of a message", m->turn, queue->turn);
}

/* Check a tree whose links check_links() has checked. Returns its number of messages. */
static uint32_t check_tree(const lrd_store *store, const lrd__queue *queue, uint32_t state,
                           const lrd__queue_check *check)
{
    const lrd__tree *tree = &queue->tree[state - 1];
    const lrd__message *rows = lrd__messages_of(store, queue->shard), *root = rows + tree->root - 1;
    uint32_t link = tree->root, count = 0, before = 0;
    if (link != 0 && (link > store->queue_shards[queue->shard].used || root->up != 0 ||
                      lrd__message_state(root) != state || store->queues + root->queue != queue)) {
        check->wrong(check->run, "the root of a queue's tree", link, 0);
        return 0;
    }
    while (link != 0 && rows[link - 1].left != 0)
        link = rows[link - 1].left;
    if (tree->first != link)
        check->wrong(check->run, "the first message of a tree", tree->first, link);
    for (; link != 0; count++) {
        check_node(store, queue, link, before, check);
        before = link;
        link = lrd__tree_next(store, queue->shard, link);
    }
    if (tree->last != before)
        check->wrong(check->run, "the last message of a tree", tree->last, before);
    if (tree->count != count)
        check->wrong(check->run, "the messages of a tree", tree->count, count);
    return count;
}

/* Check the rows that have messages. Returns their number, and adds their bytes to *bytes. */
static uint32_t check_rows(const lrd_store *store, uint32_t shard, uint64_t *bytes,
                           const lrd__queue_check *check)
{
    uint32_t count = 0, used = store->queue_shards[shard].used;
    uint64_t expires =
        atomic_load_explicit(&store->queue_shards[shard].expires, memory_order_relaxed);
    for (uint32_t link = 1; link <= used; link++) {
        const lrd__message *m = lrd__message_at(store, shard, link);
        if (lrd__message_state(m) == LRD__MESSAGE_FREE)
            continue;
        count++;
        uint64_t body = check_body(store, shard, link, m);
        if (body == 0 || !check->see(check->run, lrd__message_offset(m), body))
            check->wrong(check->run, "the block of a message", m->listing, 0);
        else
            *bytes += lrd__block_bytes(store, lrd__message_offset(m)) + sizeof *m;
        bool reserved = lrd__message_state(m) == LRD__MESSAGE_RESERVED;
        uint64_t expiry = body != 0 && !reserved ? lrd__message_expiry(store, m) : 0;
        if (expiry != 0 && expiry < expires)
            check->wrong(check->run, "expiry of a message", expiry, expires);
        if (reserved && m->slot >= store->geo.slots)
            check->wrong(check->run, "slot of a reserved message", m->slot, store->geo.slots);
    }
    return count;
}

static uint32_t check_free(const lrd_store *store, uint32_t shard, const lrd__queue_check *check)
{
    const lrd__queue_shard *rows = store->queue_shards + shard;
    uint32_t count = 0;
    for (uint32_t link = rows->free; link != 0; count++) {
        if (link > rows->used || count == rows->used ||
            lrd__message_state(lrd__message_at(store, shard, link)) != LRD__MESSAGE_FREE) {
            check->wrong(check->run, "the list of free messages leads to", link, 0);
            break;
        }
        link = lrd__message_at(store, shard, link)->left;
    }
    return count;
}

void lrd__queue_fsck(lrd_store *store, uint32_t shard, const lrd__queue_check *check)
{
    const lrd__queue_shard *rows = store->queue_shards + shard;
    uint64_t bytes = 0, sum = 0;
    uint64_t freed = atomic_load_explicit(&store->header->slots_freed, memory_order_relaxed);
    uint32_t queues = lrd__queues_used(store), listed = 0;
    if (rows->used > rows->high || rows->high > store->geo.messages_max || queues > LRD__QUEUES) {
        check->wrong(check->run, "message rows", rows->used, rows->high);
        return;
    }
    uint32_t count = check_rows(store, shard, &bytes, check);
    bool linked = check_links(store, shard, check);
    for (uint32_t i = 0; i < queues; i++) {
        const lrd__queue *queue = store->queues + i;
        if (queue->shard >= store->geo.shards)
            check->wrong(check->run, "shard of a queue", queue->shard, store->geo.shards);
        if (queue->shard != shard)
            continue;
        uint64_t looked =
            queue->look_freed > queue->looked_freed ? queue->look_freed : queue->looked_freed;
        if (looked > freed)
            check->wrong(check->run, "slots freed before a look at a queue", looked, freed);
        for (uint32_t state = LRD__MESSAGE_READY; linked && state <= LRD__MESSAGE_BURIED; state++)
            listed += check_tree(store, queue, state, check);
        sum += atomic_load_explicit(&queue->bytes, memory_order_relaxed);
    }
    uint32_t free = check_free(store, shard, check);
    if (linked && listed != count)
        check->wrong(check->run, "messages in trees", listed, count);
    if (free + count != rows->used)
        check->wrong(check->run, "free message rows", free, rows->used - count);
    if (sum != bytes)
        check->wrong(check->run, "bytes of the shard's queues", sum, bytes);
    if (atomic_load_explicit(&rows->bytes, memory_order_relaxed) != bytes)
        check->wrong(check->run, "bytes of a shard's messages",
                     atomic_load_explicit(&rows->bytes, memory_order_relaxed), bytes);
}
