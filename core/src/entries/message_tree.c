/* message_tree.c - keeps the messages of one state in order, in a treap (Seidel and Aragon 1996).
 * Fields of the message rows link the tree; see queue_layout.h. Begin reading at
 * lrd__tree_insert().
 *
 * Invariants (shard lock)
 * - The rows of a tree are sorted: ready messages by falling priority, then turn; reserved and
 *   delayed messages by due, then turn; buried messages by turn. No two rows of a queue have the
 *   same turn.
 * - A row's weight is a hash of the link to the row (its index in the shard, plus 1). No row has a
 *   greater weight than its parent, so the depth is logarithmic.
 * - `first` and `last` are the first and last row in order.
 * - If a thread dies in this file, some links may be wrong. A recovery builds all links again from
 *   the rows' states. */
#include "entries/message_tree.h"
#include "entries/message_row.h"

uint32_t lrd__tree_weight(uint32_t link)
{
    uint32_t h = link * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x85ebca77u;
    return h ^ h >> 13;
}

LRD__HOT bool lrd__tree_before(const lrd__message *a, const lrd__message *b)
{
    switch (lrd__message_state(a)) {
    case LRD__MESSAGE_READY:
        return a->priority != b->priority ? a->priority > b->priority : a->turn < b->turn;
    case LRD__MESSAGE_BURIED:
        return a->turn < b->turn;
    default:
        return a->due != b->due ? a->due < b->due : a->turn < b->turn;
    }
}

/* Put row `other` (0: none) in the place of row `link`. */
static void tree_replace(lrd__message *rows, lrd__tree *tree, uint32_t link, uint32_t other)
{
    uint32_t up = rows[link - 1].up;
    if (up == 0)
        tree->root = other;
    else if (rows[up - 1].left == link)
        rows[up - 1].left = other;
    else
        rows[up - 1].right = other;
    if (other != 0)
        rows[other - 1].up = up;
}

/* Move a row above its parent. */
LRD__HOT static void tree_rotate(lrd__message *rows, lrd__tree *tree, uint32_t link)
{
    lrd__message *m = rows + link - 1;
    uint32_t up = m->up, inner;
    tree_replace(rows, tree, up, link);
    if (rows[up - 1].left == link) {
        inner = m->right;
        rows[up - 1].left = inner;
        m->right = up;
    } else {
        inner = m->left;
        rows[up - 1].right = inner;
        m->left = up;
    }
    if (inner != 0)
        rows[inner - 1].up = up;
    rows[up - 1].up = link;
}

/* Return the row after row `link`, or before it if `back` is true. Returns 0 if there is none. */
static inline uint32_t tree_step(const lrd__message *rows, uint32_t link, bool back)
{
    uint32_t up, at = back ? rows[link - 1].left : rows[link - 1].right;
    if (at != 0) {
        for (link = at; link != 0; link = back ? rows[link - 1].right : rows[link - 1].left)
            at = link;
        return at;
    }
    for (; (up = rows[link - 1].up) != 0; link = up)
        if ((back ? rows[up - 1].left : rows[up - 1].right) != link)
            return up;
    return 0;
}

uint32_t lrd__tree_next(const lrd_store *store, uint32_t shard, uint32_t link)
{
    lrd__assert_locked(store, shard);
    lrd__assert(link != 0 && link <= store->geo.messages_max);
    return tree_step(lrd__messages_of(store, shard), link, false);
}

uint32_t lrd__tree_after(const lrd_store *store, const lrd__queue *queue, const lrd__message *key)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(queue->shard < store->geo.shards);
    const lrd__message *rows = lrd__messages_of(store, queue->shard);
    uint32_t at = queue->tree[lrd__message_state(key) - 1].root, found = 0;
    while (at != 0) {
        bool behind = lrd__tree_before(key, rows + at - 1);
        found = behind ? at : found;
        at = behind ? rows[at - 1].left : rows[at - 1].right;
    }
    return found;
}

/* Insert the row as a leaf, at its place in the tree's order. */
LRD__HOT static void tree_attach(lrd__message *rows, lrd__tree *tree, uint32_t link)
{
    lrd__message *m = rows + link - 1;
    uint32_t at = tree->root;
    if (at == 0) {
        tree->root = tree->first = tree->last = link;
    } else if (lrd__tree_before(rows + tree->last - 1, m)) {
        m->up = tree->last;
        rows[tree->last - 1].right = link;
        tree->last = link;
    } else if (lrd__tree_before(m, rows + tree->first - 1)) {
        m->up = tree->first;
        rows[tree->first - 1].left = link;
        tree->first = link;
    } else {
        uint32_t *child = NULL;
        for (; at != 0; at = *child) {
            m->up = at;
            child = lrd__tree_before(m, rows + at - 1) ? &rows[at - 1].left : &rows[at - 1].right;
        }
        *child = link;
    }
}

LRD__HOT void lrd__tree_insert(const lrd_store *store, lrd__queue *queue, lrd__message *m)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    lrd__message *rows = lrd__messages_of(store, queue->shard);
    lrd__tree *tree = lrd__message_tree(queue, m);
    uint32_t link = lrd__message_link(store, queue->shard, m), weight = lrd__tree_weight(link);
    m->left = m->right = m->up = 0;
    tree_attach(rows, tree, link);
    LRD__FAILPOINT("tree_attached");
    while (m->up != 0 && lrd__tree_weight(m->up) < weight)
        tree_rotate(rows, tree, link);
    tree->count++;
}

void lrd__tree_remove(const lrd_store *store, lrd__queue *queue, lrd__message *m)
{
    lrd__assert_locked(store, queue->shard);
    lrd__assert(m->queue < LRD__QUEUES && m >= store->messages);
    lrd__assert(queue->shard < store->geo.shards);
    lrd__message *rows = lrd__messages_of(store, queue->shard);
    lrd__tree *tree = lrd__message_tree(queue, m);
    uint32_t link = lrd__message_link(store, queue->shard, m);
    if (tree->first == link)
        tree->first = tree_step(rows, link, false);
    if (tree->last == link)
        tree->last = tree_step(rows, link, true);
    while (m->left != 0 && m->right != 0)
        tree_rotate(rows, tree,
                    lrd__tree_weight(m->left) > lrd__tree_weight(m->right) ? m->left : m->right);
    tree_replace(rows, tree, link, m->left != 0 ? m->left : m->right);
    LRD__FAILPOINT("tree_removed");
    tree->count--;
}
