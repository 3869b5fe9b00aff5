/* grow.c - doubles the index in place, a few buckets with each write (extendible hashing). Owns
 * header->view (except the epoch) and the homes of the shards. Begin reading at lrd__grow().
 *
 *   buckets   0 ............ N ............ grown ....... 2N
 *             |              |                |
 *             `-- b -- split --> b + N        `- committed up to here
 *
 * A doubling adds one bit of the hash to the mask. The bit selects the entries of bucket b that
 * move to b + N. The tag in each word has this bit, so no block is read.
 *
 * Invariants
 * - mask is valid for all shards, next is the mask after the current doubling. The number of a
 *   shard's homes tells how much of the doubling the shard has done.
 * - grown is raised only after all buckets below its new value, and the overhang behind them, are
 *   committed.
 * - A word is stored in its new place (release) before it is cleared in the old one (release).
 *   Readers look at old places before new ones, and then check mask, next and grown (read.c). After
 *   a death in between, recovery clears the older word.
 * - Both words name the same block, so readers may use either. A move retires no block.
 * - Memory of buckets is never given back or used for another purpose. So the place that a thread
 *   remembers (lrd__near) is always a word of the index.
 * - Work is bounded. A write splits up to GROW_SPLITS homes, and up to WRITE_SPLITS homes of
 *   another shard. A sweep splits up to GROW_PUSH homes under one lock. */
#include "entries/grow.h"
#include "memory/page.h"
#include "entries/index.h"
#include "entries/evict.h"
#include "entries/expiry.h"
#include "entries/entry.h"

#define GROW_SPLITS 4u /* maximum number of home buckets that a write splits */
/* maximum number of home buckets that a sweep splits under one lock */
#define GROW_PUSH 256u
/* if a key's 16 buckets are full, at most this number of buckets is searched for an empty slot */
#define GROW_FAR 512u
/* largest number of buckets, over all shards, that are committed in one step */
#define GROW_STEP 4096u

static void grow_control_clear(lrd_store *store, uint32_t shard, uint32_t slot)
{
    _Atomic uint64_t *at = lrd__index_word(store, shard, slot);
    uint64_t word = atomic_load_explicit(at, memory_order_relaxed);
    atomic_store_explicit(at, 0, memory_order_release);
    lrd__control_gap(20000);
    atomic_store_explicit(at, word, memory_order_relaxed);
}

/* ---- moving ---- */

/* Record that two slots may name the same block. `moving` is 1 + the slot that the entry leaves, or
 * 0. Compiler barriers are enough: only a recovery, after this thread has died, depends on this
 * order. */
static void grow_moving(lrd__shard *shard, uint32_t moving)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&shard->moving, moving, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

/* Move an entry from slot `from` to the empty slot `to`, which is within reach of its `home`.
 * Returns false if no memory can be committed for the timer of slot `to`. */
static LRD__HOT bool grow_move(lrd_store *store, uint32_t shard, uint32_t from, uint32_t home,
                               uint32_t to)
{
    lrd__assert(from < lrd__shard_slots(store));
    lrd__assert(to < lrd__shard_slots(store));
    lrd__assert(home < lrd__shard_buckets(store));
    lrd__assert(shard < store->geo.shards);
    lrd__assert(lrd__slot_word(store, shard, from) != 0 && lrd__slot_word(store, shard, to) == 0);
    uint32_t tick = store->expires ? lrd__timer_tick(store, shard, from) : 0;
    if (tick != 0 && lrd__timer_commit(store, shard, to) != LRD_OK)
        return false;
    /* Set the timer before the word, because recovery takes the tick of each word from its
     * timer. */
    if (tick != 0)
        lrd__wheel_set(store, shard, to, tick);
    grow_moving(store->shards + shard, from + 1);
    if (LRD__CONTROL(clear_first))
        grow_control_clear(store, shard, from);
    lrd__index_copy(store, shard, from, home, to);
    if (store->evicts)
        lrd__evict_moved(store, shard, from, to);
    lrd__index_remove(store, shard, from);
    LRD__FAILPOINT("grow_moved");
    grow_moving(store->shards + shard, 0);
    if (tick != 0)
        lrd__wheel_set(store, shard, from, 0);
    return true;
}

/* Return the first slot of the buckets [first, bucket) that is empty, or whose entry can move to
 * `bucket`. */
static uint32_t grow_movable(const lrd_store *store, uint32_t shard, uint32_t first,
                             uint32_t bucket)
{
    lrd__assert(shard < store->geo.shards);
    uint32_t reach = bucket - LRD__OVERHANG;
    for (uint32_t slot = (reach > first ? reach : first) * LRD__WAYS; slot < bucket * LRD__WAYS;
         slot++)
        if (lrd__word_home(slot, lrd__slot_word(store, shard, slot)) >= reach)
            return slot;
    return LRD__NO_SLOT;
}

/* Hopscotch hashing (Herlihy, Shavit and Tzafrir, DISC 2008). Entries move only to higher buckets,
 * because readers search in this direction. */
uint32_t lrd__grow_make_room(lrd_store *store, uint32_t shard, uint32_t home)
{
    lrd__assert_locked(store, shard);
    lrd__assert(home < lrd__shard_buckets(store));
    uint32_t end = home + GROW_FAR, buckets = lrd__shard_homes(store->shards + shard);
    end = end < buckets + LRD__OVERHANG ? end : buckets + LRD__OVERHANG;
    uint32_t slot = lrd__index_vacant_at(store, shard, home, end - LRD__PROBES);
    while (slot != LRD__NO_SLOT && slot / LRD__WAYS >= home + LRD__PROBES) {
        uint32_t from = grow_movable(store, shard, home, slot / LRD__WAYS);
        if (from == LRD__NO_SLOT)
            return LRD__NO_SLOT;
        uint64_t word = lrd__slot_word(store, shard, from);
        if (word != 0 && !grow_move(store, shard, from, lrd__word_home(from, word), slot))
            return LRD__NO_SLOT;
        slot = from;
    }
    return slot;
}

/* ---- splitting ---- */

/* Split the shard's next home bucket. Returns false if some entries could not be moved; a later
 * call tries again. */
static bool grow_split(lrd_store *store, uint32_t index, uint64_t mask)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    uint32_t home = lrd__shard_homes(shard), old = (uint32_t)lrd__grow_homes(&store->geo, mask),
             source = home - old;
    uint32_t bit = (uint32_t)__builtin_popcountll(mask) - 32;
    for (uint32_t d = 0; d < LRD__PROBES; d++)
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint32_t from = (source + d) * LRD__WAYS + way, to = from + old * LRD__WAYS;
            uint64_t word = lrd__slot_word(store, index, from);
            if (word == 0 || lrd__word_displacement(word) != d || !(lrd__word_tag(word) >> bit & 1))
                continue;
            if (lrd__slot_word(store, index, to) != 0)
                to = lrd__index_vacant_at(store, index, home, home);
            if (to == LRD__NO_SLOT)
                to = lrd__grow_make_room(store, index, home);
            if (to == LRD__NO_SLOT || !grow_move(store, index, from, home, to))
                return false;
        }
    LRD__FAILPOINT("grow_split");
    /* pairs with the acquire loads of lrd__grow_end() */
    atomic_store_explicit(&shard->homes, home + 1, memory_order_release);
    LRD__FAILPOINT("grow_homes");
    return true;
}

/* Commit one more step of buckets. Returns false if all are committed, if there is no memory, or if
 * it is too early to try again. */
static bool grow_extend(lrd_store *store, lrd__shard *shard, uint32_t grown, uint32_t wanted)
{
    uint32_t step = GROW_STEP > store->geo.shards ? GROW_STEP : store->geo.shards;
    uint32_t more = wanted - grown < step ? wanted : grown + step;
    uint64_t entries = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    if (grown >= wanted || entries < shard->grow_at)
        return false;
    if (lrd__segment_commit_index(store, grown, more) != LRD_OK) {
        /* memory may become free later, so try again when the shard has more entries */
        shard->grow_at = entries + entries / 16 + 1;
        return false;
    }
    LRD__FAILPOINT("grow_committed");
    /* pairs with the acquire loads of readers and of other writers */
    atomic_compare_exchange_strong_explicit(&store->header->view.grown, &grown, more,
                                            memory_order_acq_rel, memory_order_relaxed);
    LRD__FAILPOINT("grow_extended");
    return true;
}

LRD__HOT bool lrd__grow_some(lrd_store *store, uint32_t index, uint32_t splits)
{
    lrd__assert(index < store->geo.shards);
    lrd__view *view = &store->header->view;
    lrd__shard *shard = store->shards + index;
    for (;;) {
        uint32_t grown = atomic_load_explicit(&view->grown, memory_order_acquire);
        uint64_t next = atomic_load_explicit(&view->next, memory_order_acquire);
        /* Load `mask` after `next`. Both then belong to one doubling: no thread can end the
         * doubling to `next` while this shard still has homes to split. */
        uint64_t mask = atomic_load_explicit(&view->mask, memory_order_acquire);
        uint32_t homes = lrd__shard_homes(shard),
                 wanted = (uint32_t)lrd__grow_homes(&store->geo, next);
        if (homes >= wanted)
            return true;
        if (splits == 0)
            return false;
        if (homes >= grown >> store->geo.shard_bits) {
            if (!grow_extend(store, shard, grown, wanted << store->geo.shard_bits))
                return false;
        } else if (!grow_split(store, index, mask)) {
            return false;
        } else {
            splits--;
        }
    }
}

/* ---- beginning and ending ---- */

/* True if more than 0.6 of the shard's index is in use, and the index may still double. */
static bool grow_wanted(const lrd_store *store, const lrd__shard *shard)
{
    uint64_t entries =
        atomic_load_explicit(&shard->live_entries, memory_order_relaxed) + lrd__shard_dead(shard);
    uint32_t homes = lrd__shard_homes(shard);
    return homes < store->geo.homes_max && entries * 5 >= (uint64_t)homes * LRD__WAYS * 3;
}

static void grow_begin(lrd_store *store)
{
    lrd__view *view = &store->header->view;
    uint64_t mask = atomic_load_explicit(&view->mask, memory_order_acquire), known = mask;
    /* does nothing if another thread has begun a doubling */
    atomic_compare_exchange_strong_explicit(&view->next, &known, mask << 1 | 1,
                                            memory_order_acq_rel, memory_order_relaxed);
    LRD__FAILPOINT("grow_begun");
}

LRD__HOT uint32_t lrd__grow_end(lrd_store *store, uint32_t from)
{
    lrd__view *view = &store->header->view;
    uint64_t mask = atomic_load_explicit(&view->mask, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&view->next, memory_order_acquire);
    if (mask == next)
        return store->geo.shards;
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        uint32_t shard = (from + i) & (store->geo.shards - 1);
        /* pairs with the release in grow_split(): the moved entries are visible in their new
         * places */
        if (atomic_load_explicit(&store->shards[shard].homes, memory_order_acquire) <
            lrd__grow_homes(&store->geo, next))
            return shard;
    }
    atomic_compare_exchange_strong_explicit(&view->mask, &mask, next, memory_order_acq_rel,
                                            memory_order_relaxed);
    LRD__FAILPOINT("grow_ended");
    return store->geo.shards;
}

void lrd__grow(lrd_store *store, uint32_t index, bool inserts)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    if (!lrd__grow_pending(store) && !(inserts && grow_wanted(store, shard)))
        return;
    if (!lrd__grow_some(store, index, GROW_SPLITS) || !inserts || !grow_wanted(store, shard))
        return;
    /* Remove the dead entries of a cleared store first. Without them, the index may have enough
     * room. */
    if (lrd__shard_dead(shard) != 0)
        lrd__room_sweep_dead(store, index, lrd__batch_bytes(store));
    if (grow_wanted(store, shard))
        grow_begin(store);
}

bool lrd__grow_push(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    uint32_t homes = lrd__shard_homes(store->shards + index);
    return !lrd__grow_some(store, index, GROW_PUSH) &&
           lrd__shard_homes(store->shards + index) != homes;
}

/* ---- after a death ---- */

/* True if a slot within reach of `home`, other than slot `but`, names the block of `word`. */
static bool grow_named(lrd_store *store, uint32_t index, uint64_t word, uint32_t home, uint32_t but)
{
    lrd__assert(home < lrd__shard_buckets(store));
    lrd__assert(index < store->geo.shards);
    for (uint32_t slot = home * LRD__WAYS; slot < (home + LRD__PROBES) * LRD__WAYS; slot++)
        if (slot != but &&
            lrd__word_listing(lrd__slot_word(store, index, slot)) == lrd__word_listing(word))
            return true;
    return false;
}

void lrd__grow_mend(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    uint32_t moving = atomic_load_explicit(&shard->moving, memory_order_relaxed), from = moving - 1;
    uint32_t homes = lrd__shard_homes(shard);
    uint32_t most = lrd__shard_buckets(store) - LRD__OVERHANG;
    if (moving == 0)
        return;
    /* in a damaged file, `moving` and the slot's word may have any value */
    uint64_t word =
        from / LRD__WAYS < most + LRD__OVERHANG ? lrd__slot_word(store, index, from) : 0;
    uint32_t home = word != 0 ? lrd__word_home(from, word) : 0;
    if (word != 0 && home < most &&
        (grow_named(store, index, word, home, from) ||
         (homes < most && grow_named(store, index, word, homes, from))))
        atomic_store_explicit(lrd__index_word(store, index, from), 0, memory_order_release);
    LRD__FAILPOINT("grow_mended");
    atomic_store_explicit(&shard->moving, 0, memory_order_relaxed);
}

bool lrd__grow_sound(const lrd__view *view, const lrd__geometry *geo)
{
    uint64_t mask = atomic_load_explicit(&view->mask, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&view->next, memory_order_acquire);
    uint32_t grown = atomic_load_explicit(&view->grown, memory_order_acquire);
    if ((mask & (mask + 1)) != 0 || mask < LRD__MASK_FIRST ||
        mask >> 32 >= (uint64_t)1 << LRD__TAG_HASHED || (next != mask && next != (mask << 1 | 1)))
        return false;
    uint64_t least = lrd__grow_homes(geo, mask) << geo->shard_bits;
    uint64_t most = lrd__grow_homes(geo, next) << geo->shard_bits;
    return most <= (uint64_t)geo->homes_max << geo->shard_bits && grown >= least && grown <= most &&
           (grown & (geo->shards - 1)) == 0;
}
