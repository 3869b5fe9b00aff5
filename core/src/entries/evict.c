/* evict.c - chooses the entries that a full volatile store evicts, by S3-FIFO (two queues, and a
 * memory of evicted keys) for each order of a shard. An order is a size class, or all runs with
 * sizes between two successive powers of two. Owns the queues, their byte counts, and the ghost, a
 * table of recently evicted keys. Begin reading at lrd__evict_choose().
 *
 *   of each order:
 *   inserted --------> small (10 % of bytes) --- warm ---> main --- cold ---> victim
 *      \                  \--- cold ---> victim, remembered    ^ \
 *       \-- remembered by the ghost ---------------------------/   \--- warm ---> main, at its end
 *
 * Warm entries were used recently, cold ones were not. The queues are singly linked lists of index
 * slots (store->links). So a slot stays queued when its entry is removed or goes to another order,
 * until evict_sweep() visits it. A "live" slot is queued and has an entry.
 *
 * Invariants, whenever the shard's lock is free:
 * - if LRD__IN_SMALL is set in a slot's link, the slot is in the small queue of some order. If
 *   LRD__IN_MAIN is set, it is in a main queue. No slot is in two queues, or twice in one queue;
 * - every slot with a word is queued (in a store that evicts);
 * - small_bytes of an order is the total size of the order's blocks that have live slots in small
 *   queues of any order. main_bytes is the same for main queues. `count` and main_count are numbers
 *   of such slots, in all queues and in main queues;
 * - shard->swept is 0, or 1 + a slot of the queue that evict_sweep() is visiting;
 * - the numbers of pushes and pops, and the marks, serve to guess the age of a queue, so they may
 *   have any values;
 * - ghost entries are guesses, so they may have any content. */
#include "entries/evict.h"
#include "ground/word.h"
#include "memory/page.h"

#define EVICT_QUEUED (LRD__IN_SMALL | LRD__IN_MAIN)

enum {
    /* victims come from small while it has more than 1/10 of the bytes of its order */
    EVICT_SMALL_DIVISOR = 10,
    /* minimum use count of an entry that moves from small to main */
    EVICT_WARM = 2,
    /* number of slots that each call of evict_sweep() visits */
    EVICT_SWEEP = 2,
    /* A recovery visits the buckets in turn, and prefetches the links of the bucket that is
     * EVICT_BUCKETS buckets ahead. */
    EVICT_BUCKETS = 8,
    GHOST_SETS_MIN = 16
};
_Static_assert(EVICT_WARM <= LRD__FREQ_MAX, "no entry is counted as used more often");

/* ---- the place of a key in the ghost ---- */

static uint32_t *ghost_set(const lrd_store *store, uint32_t shard, uint32_t ghost_key)
{
    uint64_t set = (uint64_t)shard * store->geo.ghost_sets +
                   (ghost_key & (store->shards[shard].ghost_sets - 1));
    return store->ghost + set * LRD__GHOST_WAYS;
}

static uint32_t ghost_key_of(const lrd_store *store, uint32_t shard, uint64_t home, uint32_t tag)
{
    home = home << store->geo.shard_bits | shard;
    /* use only bits of the home bucket's number that stay the same while the index grows */
    home %= store->buckets_first;
    uint64_t mixed = ((uint64_t)tag << 32 | home) * 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(mixed >> 32);
}

uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint64_t word = lrd__slot_word(store, shard, slot);
    return ghost_key_of(store, shard, lrd__word_home(slot, word), lrd__word_tag(word));
}

void lrd__evict_expect(const lrd_store *store, const lrd__place *place)
{
    lrd__assert_locked(store, place->shard_index);
    if (place->shard->ghost_sets == 0)
        return;
    uint64_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    uint32_t key = ghost_key_of(store, place->shard_index, home, place->tag);
    lrd__prefetch_write(ghost_set(store, place->shard_index, key));
}

/* ---- queues ---- */

static uint32_t *evict_link(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return &store->links[lrd__slot_number(store, shard, slot)];
}

LRD__HOT uint32_t lrd__order_of(uint64_t bytes)
{
    uint32_t size_class = lrd__class_of(bytes), order = LRD__CLASSES;
    if (size_class != LRD__CLASS_RUN)
        return size_class;
    while (order + 1 < LRD__ORDERS && bytes > (uint64_t)2 * LRD__SMALL_MAX
                                                  << (order - LRD__CLASSES))
        order++;
    return order;
}

static lrd__order *evict_order(const lrd_store *store, uint32_t shard, uint64_t bytes)
{
    return &store->shards[shard].orders[lrd__order_of(bytes)];
}

static lrd__fifo *evict_fifo(lrd__order *order, uint32_t queue)
{
    return queue == LRD__IN_MAIN ? &order->main : &order->small;
}

static LRD__HOT void evict_push(const lrd_store *store, uint32_t shard_index, uint32_t slot,
                                lrd__order *order, uint32_t queue)
{
    lrd__fifo *fifo = evict_fifo(order, queue);
    uint32_t now = store->shards[shard_index].clock;

    *evict_link(store, shard_index, slot) = queue;
    LRD__FAILPOINT("evict_push");
    if (fifo->tail == 0) {
        fifo->head = slot + 1;
        /* this also corrects errors of the two counts (see lrd__evict_moved()) */
        fifo->mark[0] = fifo->mark[1] = fifo->out = fifo->in;
        fifo->at[0] = fifo->at[1] = now;
    } else {
        *evict_link(store, shard_index, fifo->tail - 1) = queue | (slot + 1);
    }
    fifo->tail = slot + 1;
    fifo->in++;
}

/* Return the age of a queue with this number of live slots: the number of entries that were
 * inserted into the shard since the queue's first live slot was pushed. Assumes that half of the
 * other slots lie in front of it. So a queue gets younger when entries are removed from its middle,
 * for example because their page was emptied. The age is an estimate, interpolated between two
 * pushes for which fifo->at[] has the shard's clock. */
static uint32_t evict_fifo_age(const lrd__fifo *fifo, uint32_t live, uint32_t now)
{
    uint32_t slots = fifo->in - fifo->out, others = slots > live ? slots - live : 0;
    uint32_t first = fifo->out + others / 2;
    bool late = (int32_t)(first - fifo->mark[1]) >= 0;
    uint32_t from = fifo->mark[late], to = late ? fifo->in : fifo->mark[1];
    uint32_t begin = fifo->at[late], end = late ? now : fifo->at[1];
    uint64_t span = to - from, passed = first - from;
    if (span == 0 || passed > span) /* the store is damaged */
        return now - end;
    return now - begin - (uint32_t)((uint64_t)(end - begin) * passed / span);
}

/* Prefetch for the next two evictions: the block and page of `slot`, and the word and link of the
 * slot behind it. */
static void evict_ahead(const lrd_store *store, uint32_t shard_index, uint32_t slot)
{
    uint64_t word = lrd__slot_word(store, shard_index, slot);
    uint32_t second = *evict_link(store, shard_index, slot) & LRD__LINK;
    if (second != 0) {
        lrd__prefetch_write(evict_link(store, shard_index, second - 1));
        lrd__prefetch_write(lrd__index_word(store, shard_index, second - 1));
    }
    if (word == 0)
        return;
    uint64_t offset = lrd__word_offset(word), page = lrd__page_of(store, offset);
    __builtin_prefetch(lrd__block_window(store, offset));
    if (!lrd__page_is_mini(store, page))
        __builtin_prefetch(store->run_len + (offset >> LRD__UNIT_BITS));
    lrd__prefetch_page(store, page);
    if (store->shards[shard_index].ghost_sets != 0)
        lrd__prefetch_write(
            ghost_set(store, shard_index, lrd__ghost_key(store, shard_index, slot)));
}

static LRD__HOT uint32_t evict_pop(const lrd_store *store, uint32_t shard_index, lrd__order *order,
                                   uint32_t queue)
{
    lrd__shard *shard = &store->shards[shard_index];
    lrd__fifo *fifo = evict_fifo(order, queue);
    uint32_t slot = fifo->head - 1;

    shard->swept = shard->swept == slot + 1 ? 0 : shard->swept;
    fifo->head = *evict_link(store, shard_index, slot) & LRD__LINK;
    LRD__FAILPOINT("evict_pop");
    if (fifo->head == 0)
        fifo->tail = 0;
    else
        evict_ahead(store, shard_index, fifo->head - 1);
    *evict_link(store, shard_index, slot) = 0;
    fifo->out++;
    if ((int32_t)(fifo->out - fifo->mark[1]) > 0) {
        fifo->mark[0] = fifo->mark[1];
        fifo->at[0] = fifo->at[1];
        fifo->mark[1] = fifo->in;
        fifo->at[1] = shard->clock;
    }
    return slot;
}

/* Take the slot behind slot `before` out of the queue. `number` is fifo->out plus the number of
 * slots in front of the taken slot. */
static void evict_unlink(const lrd_store *store, uint32_t shard_index, lrd__fifo *fifo,
                         uint32_t before, uint32_t number)
{
    uint32_t *link = evict_link(store, shard_index, before);
    uint32_t *taken = evict_link(store, shard_index, (*link & LRD__LINK) - 1);

    *link = (*link & EVICT_QUEUED) | (*taken & LRD__LINK);
    LRD__FAILPOINT("evict_unlink");
    if ((*link & LRD__LINK) == 0)
        fifo->tail = before + 1;
    *taken = 0;
    fifo->in--;
    for (int i = 0; i < 2; i++)
        fifo->mark[i] -= (int32_t)(fifo->mark[i] - number) > 0;
}

static void evict_add(lrd__order *order, uint32_t queue, uint64_t bytes)
{
    order->count++;
    if (queue == LRD__IN_MAIN) {
        order->main_bytes += bytes;
        order->main_count++;
    } else {
        order->small_bytes += bytes;
    }
}

static void evict_subtract(lrd__order *order, uint32_t queue, uint64_t bytes)
{
    order->count--;
    if (queue == LRD__IN_MAIN) {
        order->main_bytes -= bytes;
        order->main_count--;
    } else {
        order->small_bytes -= bytes;
    }
}

static uint64_t evict_bytes(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint64_t word = lrd__slot_word(store, shard, slot);
    return lrd__block_bytes(store, lrd__word_offset(word));
}

static void evict_set_freq(const lrd_store *store, uint32_t shard, uint32_t slot, uint8_t freq)
{
    atomic_store_explicit(lrd__index_freq(store, shard, slot), freq, memory_order_relaxed);
}

/* Visit the next slot of the shard's queues. Drop a slot without an entry, and move a slot of
 * another order to the queue where it belongs. */
static LRD__HOT void evict_sweep_step(const lrd_store *store, uint32_t shard_index)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t number = shard->sweeps % (2 * LRD__ORDERS), before = shard->swept;
    lrd__order *order = &shard->orders[number / 2];
    uint32_t queue = number % 2 != 0 ? LRD__IN_MAIN : LRD__IN_SMALL;
    lrd__fifo *fifo = evict_fifo(order, queue);
    uint32_t next =
        before != 0 ? *evict_link(store, shard_index, before - 1) & LRD__LINK : fifo->head;

    if (next == 0) {
        shard->swept = 0;
        shard->sweeps = number + 1;
        return;
    }
    uint64_t word = lrd__slot_word(store, shard_index, next - 1);
    lrd__order *own =
        word != 0 ? evict_order(store, shard_index, lrd__block_bytes(store, lrd__word_offset(word)))
                  : NULL;
    shard->passed = before != 0 ? shard->passed : fifo->out;
    if (own == order) {
        shard->swept = next;
        shard->passed++;
        return;
    }
    if (before != 0)
        evict_unlink(store, shard_index, fifo, before - 1, shard->passed);
    else
        evict_pop(store, shard_index, order, queue);
    if (own != NULL)
        evict_push(store, shard_index, next - 1, own, queue);
}

static LRD__STEP void evict_sweep(const lrd_store *store, uint32_t shard_index)
{
    for (uint32_t i = 0; i < EVICT_SWEEP; i++)
        evict_sweep_step(store, shard_index);
}

/* ---- the ghost ---- */

/* The stamp of an eviction is ghost_seq >> ghost_shift(). The ghost is a set-associative table of
 * evicted keys. Its element is 0, or a key's fingerprint (16 bits, never 0) and the stamp of its
 * eviction (16 bits). */
static uint32_t ghost_shift(const lrd__shard *shard)
{
    uint32_t shift = 0;
    while (shard->ghost_sets >> shift > 1024)
        shift++;
    return shift;
}

/* Make the ghost large enough for the shard's entries. If no memory can be committed, keeps a
 * smaller ghost. Returns false if the shard then has no ghost. */
static bool ghost_ready(lrd_store *store, uint32_t shard_index)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint64_t entries = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    uint32_t sets = shard->ghost_sets != 0 ? shard->ghost_sets : GHOST_SETS_MIN;

    if (shard->ghost_sets != 0 && entries <= (uint64_t)2 * LRD__GHOST_WAYS * sets)
        return true;
    while (sets < store->geo.ghost_sets && entries > (uint64_t)LRD__GHOST_WAYS * sets)
        sets *= 2;
    sets = sets < store->geo.ghost_sets ? sets : store->geo.ghost_sets;
    uint64_t from = (uint64_t)shard_index * store->geo.ghost_sets * LRD__GHOST_WAYS;
    uint64_t bytes = (uint64_t)sets * LRD__GHOST_WAYS * sizeof(uint32_t);
    if (sets == shard->ghost_sets ||
        lrd__segment_commit_control(store, store->geo.ghost_at + from * sizeof(uint32_t), bytes) !=
            LRD_OK)
        return shard->ghost_sets != 0;
    shard->ghost_sets = 0;
    memset(store->ghost + from, 0, bytes);
    shard->ghost_seq = 0;
    shard->ghost_sets = sets;
    return true;
}

static uint32_t ghost_fingerprint(uint32_t ghost_key)
{
    uint32_t fingerprint = ghost_key & 0xffff0000u;
    return fingerprint != 0 ? fingerprint : 0x10000u;
}

/* Return the age of an element of the ghost, in stamps. */
static uint32_t ghost_age(uint32_t entry, uint32_t stamp) { return (stamp - entry) & 0xffffu; }

/* Remove the key from the ghost. Returns true if the key was evicted recently. If the shard has n
 * live entries, "recently" means within its last 0.9 * n evictions. */
static bool ghost_recall(const lrd_store *store, uint32_t shard_index, uint32_t ghost_key)
{
    lrd__shard *shard = &store->shards[shard_index];
    if (shard->ghost_sets == 0)
        return false;
    uint32_t *set = ghost_set(store, shard_index, ghost_key);
    uint32_t shift = ghost_shift(shard);
    uint32_t stamp = shard->ghost_seq >> shift;
    uint64_t live = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    uint64_t span = (live - live / EVICT_SMALL_DIVISOR) >> shift;

    for (uint32_t way = 0; way < LRD__GHOST_WAYS; way++) {
        uint32_t entry = set[way];
        if ((entry & 0xffff0000u) != ghost_fingerprint(ghost_key))
            continue;
        set[way] = 0;
        return ghost_age(entry, stamp) <= span;
    }
    return false;
}

void lrd__evict_remember(lrd_store *store, uint32_t shard_index, uint32_t ghost_key)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    if (!ghost_ready(store, shard_index))
        return;
    uint32_t *set = ghost_set(store, shard_index, ghost_key);
    uint32_t stamp = ++shard->ghost_seq >> ghost_shift(shard);
    uint32_t fingerprint = ghost_fingerprint(ghost_key);
    uint32_t oldest = 0, oldest_age = 0;

    for (uint32_t way = 0; way < LRD__GHOST_WAYS; way++) {
        uint32_t age = ghost_age(set[way], stamp);
        if (set[way] == 0 || (set[way] & 0xffff0000u) == fingerprint) {
            oldest = way;
            break;
        }
        if (age >= oldest_age) {
            oldest = way;
            oldest_age = age;
        }
    }
    set[oldest] = fingerprint | (stamp & 0xffffu);
}

/* ---- what happens to entries ---- */

void lrd__evict_inserted(lrd_store *store, uint32_t shard_index, uint32_t slot, uint32_t ghost_key,
                         uint64_t bytes)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t queue = *evict_link(store, shard_index, slot) & EVICT_QUEUED;
    bool known = ghost_recall(store, shard_index, ghost_key);
    lrd__order *order = evict_order(store, shard_index, bytes);
    uint8_t freq = 0;

    shard->clock++;

    if (known)
        lrd__add(&shard->ghost_hits, 1);
    if (queue == 0) {
        queue = known ? LRD__IN_MAIN : LRD__IN_SMALL;
        evict_push(store, shard_index, slot, order, queue);
    } else {
        /* The slot stays in its queue. If the ghost knows the key and the queue is small, make the
         * entry warm, so that it will move to main. */
        freq = known && queue == LRD__IN_SMALL ? EVICT_WARM : 0;
        evict_sweep(store, shard_index);
    }
    evict_set_freq(store, shard_index, slot, freq);
    evict_add(order, queue, bytes);
}

void lrd__evict_resized(lrd_store *store, uint32_t shard_index, uint32_t slot, uint64_t old_bytes,
                        uint64_t new_bytes)
{
    lrd__assert_locked(store, shard_index);
    uint32_t queue = *evict_link(store, shard_index, slot) & EVICT_QUEUED;

    if (queue == 0)
        return;
    lrd__order *from = evict_order(store, shard_index, old_bytes);
    lrd__order *to = evict_order(store, shard_index, new_bytes);
    evict_subtract(from, queue, old_bytes);
    evict_add(to, queue, new_bytes);
    if (from != to)
        evict_sweep(store, shard_index);
}

LRD__HOT void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes)
{
    lrd__assert_locked(store, shard);
    uint32_t queue = *evict_link(store, shard, slot) & EVICT_QUEUED;

    if (queue == 0)
        return;
    evict_subtract(evict_order(store, shard, bytes), queue, bytes);
    evict_sweep(store, shard);
}

/* Return the eviction queue that ends with this slot, or NULL if there is none. `queue` selects the
 * kind: the small or the main queues. */
static lrd__fifo *evict_ends_with(lrd__shard *shard, uint32_t slot, uint32_t queue)
{
    for (uint32_t i = 0; i < LRD__ORDERS; i++)
        if (evict_fifo(shard->orders + i, queue)->tail == slot + 1)
            return evict_fifo(shard->orders + i, queue);
    return NULL;
}

/* Count a slot that was inserted into the middle of a queue. mark[1] divides the queue into two
 * parts. The part that has the new slot is unknown, so assume the longer one. */
static void evict_count_in(lrd__fifo *fifo)
{
    fifo->mark[1] += fifo->mark[1] - fifo->out >= fifo->in - fifo->mark[1];
    fifo->in++;
}

LRD__HOT void lrd__evict_moved(lrd_store *store, uint32_t shard_index, uint32_t from, uint32_t to)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t *link = evict_link(store, shard_index, from);
    uint32_t *other = evict_link(store, shard_index, to);
    uint32_t queue = *link & EVICT_QUEUED;
    uint64_t bytes = evict_bytes(store, shard_index, to);
    lrd__order *order = evict_order(store, shard_index, bytes);

    /* slot `to` is still queued for an earlier entry, so it keeps its place and its queue */
    if (*other & EVICT_QUEUED) {
        evict_subtract(order, queue, bytes);
        evict_add(order, *other & EVICT_QUEUED, bytes);
        return;
    }
    if (queue != 0)
        /* If slot `from` lies in the queue of another order, this counts in the wrong queue. */
        evict_count_in(evict_fifo(order, queue));
    lrd__fifo *last =
        (*link & LRD__LINK) == 0 && queue != 0 ? evict_ends_with(shard, from, queue) : NULL;
    *other = *link;
    LRD__FAILPOINT("evict_moving");
    *link = queue | (to + 1);
    if (last != NULL)
        last->tail = to + 1;
}

/* ---- victims ---- */

/* Return the queue from which the next victim comes, or 0 if both are empty. */
static uint32_t evict_turn(const lrd__order *order)
{
    uint64_t total = order->small_bytes + order->main_bytes;

    if (order->small.head != 0 &&
        (order->main.head == 0 || order->small_bytes > total / EVICT_SMALL_DIVISOR))
        return LRD__IN_SMALL;
    return order->main.head != 0 ? LRD__IN_MAIN : 0;
}

/* Return the slot of the next victim, and set *queue and *bytes. Drops slots without an entry, and
 * moves slots of another order to their own queue. The passes are limited, because a damaged queue
 * may be a ring. */
static uint32_t evict_look(lrd_store *store, uint32_t shard_index, lrd__order *order,
                           uint32_t *queue, uint64_t *bytes)
{
    for (uint64_t passes = lrd__shard_slots(store) + 1; passes > 0; passes--) {
        *queue = evict_turn(order);
        if (*queue == 0)
            break;
        uint32_t slot = evict_fifo(order, *queue)->head - 1;
        if (lrd__slot_word(store, shard_index, slot) == 0) {
            evict_pop(store, shard_index, order, *queue);
            continue;
        }
        *bytes = evict_bytes(store, shard_index, slot);
        lrd__order *own = evict_order(store, shard_index, *bytes);
        if (own == order)
            return slot;
        evict_pop(store, shard_index, order, *queue);
        LRD__FAILPOINT("evict_strayed");
        evict_push(store, shard_index, slot, own, *queue);
    }
    return LRD__NO_SLOT;
}

uint32_t lrd__evict_heat(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert_locked(store, shard);
    uint32_t freq = lrd__freq(lrd__index_freq(store, shard, slot));
    bool is_small = (*evict_link(store, shard, slot) & LRD__IN_SMALL) != 0;
    return is_small && freq < EVICT_WARM ? 0 : freq;
}

/* If the slot at the head of a queue is warm, move it to the end of main, lower its use count, and
 * return true. */
static bool evict_spare(const lrd_store *store, uint32_t shard_index, uint32_t slot,
                        lrd__order *order, uint32_t queue, uint64_t bytes)
{
    uint8_t freq = lrd__freq(lrd__index_freq(store, shard_index, slot));

    if (freq < (queue == LRD__IN_MAIN ? 1 : EVICT_WARM))
        return false;
    evict_pop(store, shard_index, order, queue);
    evict_subtract(order, queue, bytes);
    evict_add(order, LRD__IN_MAIN, bytes);
    /* A promoted entry keeps a use count of 1 if main was empty. Such an entry is often alone in
     * its page. With a use count of 0, its page would be the cheapest one to empty. */
    if (queue == LRD__IN_SMALL)
        freq = order->main.head == 0 ? 2 : 1;
    evict_set_freq(store, shard_index, slot, freq - 1);
    evict_push(store, shard_index, slot, order, LRD__IN_MAIN);
    return true;
}

uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard_index, uint32_t order_index,
                           uint32_t *chances, bool *from_small)
{
    lrd__assert_locked(store, shard_index);
    lrd__order *order = &store->shards[shard_index].orders[order_index];
    uint32_t queue, slot;
    uint64_t bytes;

    for (;; --*chances) {
        slot = evict_look(store, shard_index, order, &queue, &bytes);
        if (slot == LRD__NO_SLOT)
            return slot;
        if (*chances == 0 || !evict_spare(store, shard_index, slot, order, queue, bytes))
            break;
    }
    evict_pop(store, shard_index, order, queue);
    evict_subtract(order, queue, bytes);
    *from_small = queue == LRD__IN_SMALL;
    return slot;
}

uint32_t lrd__evict_next(lrd_store *store, uint32_t shard_index, uint32_t order_index)
{
    lrd__assert_locked(store, shard_index);
    lrd__order *order = &store->shards[shard_index].orders[order_index];
    uint32_t queue;
    uint64_t bytes;
    return evict_look(store, shard_index, order, &queue, &bytes);
}

uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert_locked(store, shard);
    uint32_t link = *evict_link(store, shard, slot) & LRD__LINK;
    return link != 0 && link <= lrd__shard_slots(store) ? link - 1 : LRD__NO_SLOT;
}

bool lrd__evict_spares_next(lrd_store *store, uint32_t shard_index, uint32_t order_index)
{
    lrd__assert_locked(store, shard_index);
    lrd__order *order = &store->shards[shard_index].orders[order_index];
    uint32_t queue;
    uint64_t bytes;
    uint32_t slot = evict_look(store, shard_index, order, &queue, &bytes);
    return slot != LRD__NO_SLOT && evict_spare(store, shard_index, slot, order, queue, bytes);
}

/* Return 1 + evict_fifo_age() of an order's queue, or 0 if the queue is empty. */
static uint32_t evict_queue_age(const lrd__order *order, uint32_t queue, uint32_t now)
{
    bool is_main = queue == LRD__IN_MAIN;
    const lrd__fifo *fifo = is_main ? &order->main : &order->small;
    uint32_t live = is_main ? order->main_count : order->count - order->main_count;
    return fifo->head != 0 ? evict_fifo_age(fifo, live, now) + 1 : 0;
}

uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard_index, uint32_t order_index)
{
    lrd__assert_locked(store, shard_index);
    const lrd__shard *shard = &store->shards[shard_index];
    const lrd__order *order = &shard->orders[order_index];
    uint32_t queue = order->main.head != 0 ? LRD__IN_MAIN : LRD__IN_SMALL;
    return evict_queue_age(order, queue, shard->clock);
}

uint32_t lrd__evict_oldest(const lrd_store *store, uint32_t shard_index, uint32_t order_index)
{
    const lrd__shard *shard = &store->shards[shard_index];
    uint32_t age = lrd__evict_age(store, shard_index, order_index);
    uint32_t other = evict_queue_age(&shard->orders[order_index], LRD__IN_SMALL, shard->clock);
    return age > other ? age : other;
}

void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small)
{
    lrd__assert_locked(store, shard);
    uint32_t queue = to_small ? LRD__IN_SMALL : LRD__IN_MAIN;
    uint64_t bytes = evict_bytes(store, shard, slot);
    lrd__order *order = evict_order(store, shard, bytes);

    evict_push(store, shard, slot, order, queue);
    evict_add(order, queue, bytes);
}

static bool evict_is_run(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint64_t word = lrd__slot_word(store, shard, slot);
    return word != 0 && lrd__block_bytes(store, lrd__word_offset(word)) > LRD__SMALL_MAX;
}

void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages)
{
    lrd__assert_locked(store, shard);
    uint64_t buckets = lrd__shard_buckets(store), all = store->geo.pages / store->geo.shards;
    uint64_t some = buckets * pages / (all != 0 ? all : 1) + 1;
    uint64_t from = atomic_fetch_add_explicit(&store->cooled, some, memory_order_relaxed);
    for (uint64_t i = 0; i < some && i < buckets; i++)
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint32_t slot = (uint32_t)((from + i) % buckets) * LRD__WAYS + way;
            uint8_t freq = lrd__freq(lrd__index_freq(store, shard, slot));
            if (freq != 0 && evict_is_run(store, shard, slot))
                evict_set_freq(store, shard, slot, freq - 1);
        }
}

/* ---- recovery ---- */

void lrd__evict_reset(lrd_store *store, uint32_t shard_index)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];

    memset(shard->orders, 0, sizeof shard->orders);
    shard->ghost_sets = shard->ghost_seq = shard->sweeps = shard->swept = 0;
}

/* Put the bucket's slots into the main queues. Slots of this call go in front of the slots that
 * earlier calls have put there. The use counts do not change. */
void lrd__evict_recover(lrd_store *store, uint32_t shard_index, uint32_t bucket, uint32_t used)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t first = bucket * LRD__WAYS;
    uint32_t *links = evict_link(store, shard_index, first);

    lrd__prefetch_write(links - ((uint64_t)EVICT_BUCKETS << store->geo.shard_bits) * LRD__WAYS);
    /* Read before writing: a read fault maps many pages together, a write fault only one. */
    (void)*(volatile uint32_t *)links;
    for (uint32_t way = LRD__WAYS; way-- > 0;) {
        if ((used >> way & 1) == 0) {
            links[way] = 0;
            continue;
        }
        uint64_t bytes = evict_bytes(store, shard_index, first + way);
        lrd__order *order = evict_order(store, shard_index, bytes);
        lrd__fifo *fifo = &order->main;
        if (fifo->head == 0) {
            fifo->tail = first + way + 1;
            fifo->at[0] = fifo->at[1] = shard->clock;
        }
        links[way] = LRD__IN_MAIN | fifo->head;
        fifo->head = first + way + 1;
        /* nothing records when the entry was queued, so count it as queued now */
        fifo->mark[1] = ++fifo->in;
        evict_add(order, LRD__IN_MAIN, bytes);
    }
    LRD__FAILPOINT("evict_recover");
}
