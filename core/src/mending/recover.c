/* recover.c - rebuilds a shard from its index and the ledgers, after a writer died with the shard's
 * lock. Begin reading at lrd__recover_shard().
 *
 * Invariants
 * - Recovery relies on index words, owner words, run lengths and ledgers. It derives everything
 *   else from them.
 * - Readers continue meanwhile. So words that stay do not change, and no displacement count is ever
 *   lower than a reader needs.
 * - Recovery avoids reading blocks, because most of them are in no cache of a processor. It reads
 *   the block that `flux` names. It reads all blocks after lrd_clear(), and in a shard that has had
 *   packed values.
 * - If a word names a block that cannot exist, the shard is emptied: every word is dropped, but no
 *   held block is freed. An immutable store never uses the pages of an emptied shard again.
 * - A thread may die during a recovery: the lock becomes consistent last, so the next holder
 *   repeats all steps. */
#include "mending/recover.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/expiry.h"
#include "entries/form.h"
#include "entries/grow.h"
#include "entries/keyrow.h"
#include "mending/queue_check.h"

LRD__HOT void lrd__shard_format(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
    atomic_store_explicit(&shard->epoch, epoch, memory_order_release);
    shard->wheel_tick = (uint32_t)(lrd__now(store) >> LRD__TICK_BITS);
    LRD__FAILPOINT("shard_formatting");
    /* Store `homes` last. If this thread dies before, the next holder formats the shard again. No
     * doubling ends while `homes` is 0, so geo.buckets is the right number. Pairs with the acquire
     * loads of lrd__grow_end(). */
    atomic_store_explicit(&shard->homes, store->geo.buckets, memory_order_release);
    LRD__FAILPOINT("shard_formatted");
}

#define RECOVER_AHEAD 8 /* number of buckets by which the prefetch runs ahead */

/* ---- pages ---- */

/* Clear the mark of a page (lrd__page.drain) if the writer that it names is dead. A writer marks a
 * page while it empties the page. */
static void recover_drain(lrd_store *store, uint64_t page)
{
    _Atomic uint64_t *drain = &store->pages[page].drain;
    uint64_t mark = atomic_load_explicit(drain, memory_order_relaxed);
    if (!lrd__page_collected(store, NULL, mark))
        atomic_compare_exchange_strong_explicit(drain, &mark, 0, memory_order_seq_cst,
                                                memory_order_relaxed);
}

void lrd__recover_clear(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    shard->small_pages = shard->run_pages = shard->page_count = 0;
    memset(shard->class_bytes, 0, sizeof shard->class_bytes);
    memset(shard->avail, 0, sizeof shard->avail);
    memset(shard->gaps, 0, sizeof shard->gaps);
    shard->marked = 0;
    shard->waiting = 0;
    shard->unlinked = 1; /* the dead thread may just have unlinked a block */
    atomic_store_explicit(&shard->page_bytes, 0, memory_order_relaxed);
    for (uint64_t page = lrd__shard_page(store, index, 0); page < store->geo.pages_all;
         page = lrd__shard_page(store, index, page + 1)) {
        memset(store->bits + page, 0, sizeof *store->bits);
        store->pages[page].hint = 0;
        store->pages[page].avail = 0;
        store->pages[page].lane %= LRD__LANES;                 /* any lane is valid */
        store->pages[page].prev = store->pages[page].next = 0; /* lrd__page_link() expects 0 */
        store->pages[page].marked = store->pages[page].waits = 0;
        store->pages[page].anext = store->pages[page].aprev = 0;
        recover_drain(store, page);
    }
    LRD__FAILPOINT("recover_cleared");
}

/* List the shard's pages by address, and count their blocks. Give back free pages. */
static void recover_link(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    uint64_t retired_bytes = 0, high = lrd__pages_high(store);
    for (uint64_t page = store->geo.pages_all; page-- > 0;) {
        if (page >= high && page < store->geo.pages)
            page = high; /* the pages from `high` on were never claimed */
        uint32_t owner = lrd__page_owner(store, page);
        if (!lrd__owner_is(owner, index))
            continue;
        uint32_t used = 0, retired = 0, size_class = lrd__owner_class(owner);
        const lrd__bits *bits = store->bits + page;
        for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
            used += (uint32_t)__builtin_popcountll(bits->block[i].allocated);
            retired += (uint32_t)__builtin_popcountll(bits->block[i].retired);
        }
        atomic_store_explicit(&store->pages[page].used, (uint16_t)used, memory_order_relaxed);
        atomic_store_explicit(&store->pages[page].retired, (uint16_t)retired, memory_order_relaxed);
        lrd__page_link(store, index, (uint32_t)page, size_class);
        retired_bytes += (uint64_t)retired * lrd__class_size(size_class);
        if (used == 0)
            lrd__page_free(store, index, (uint32_t)page);
    }
    atomic_store_explicit(&shard->retired_bytes, retired_bytes, memory_order_relaxed);
    shard->reclaim_at = retired_bytes + lrd__batch_bytes(store);
    /* Reset the hints of free pages. The dead thread may have freed a page without lowering the
     * hints. */
    lrd__pages_hints_reset(store);
    LRD__FAILPOINT("recover_linked");
}

/* ---- blocks ---- */

/* Mark as retired each block that a ledger lists and no index word names. If the ledgers cannot be
 * scanned, any unnamed block may be held, so mark all unnamed blocks. A later scan frees them. */
static void recover_retire(lrd_store *store, uint32_t index)
{
    bool scanned = false;
    for (int tries = 0; tries < 3 && !scanned; tries++)
        scanned = lrd__ledger_scan(store, index, true) == LRD_OK;
    /* Let the next scan clear `held` bits that a failed scan may have left. */
    store->shards[index].marked = 1;
    for (uint64_t page = lrd__shard_page(store, index, 0); page < store->geo.pages_all;
         page = lrd__shard_page(store, index, page + 1)) {
        uint32_t owner = lrd__page_owner(store, page);
        lrd__bits *bits = store->bits + page;
        uint32_t blocks = lrd__page_blocks(store, page, lrd__owner_class(owner));
        for (uint32_t i = 0; i * 64 < blocks; i++) {
            uint64_t held = lrd__block_mask(blocks, i) & (scanned ? bits->held[i] : UINT64_MAX);
            bits->block[i].retired = held & ~bits->block[i].allocated;
            bits->block[i].allocated |= held;
        }
    }
    LRD__FAILPOINT("recover_retired");
}

/* ---- words ---- */

typedef struct recover_sum {
    uint64_t entries, bytes, dead_entries, dead_bytes;
    uint64_t packed_entries, packed_bytes, packed_ready;
} recover_sum;

/* Load the words of a bucket. Returns a mask of the used words. The caller loops over the bits of
 * the mask, because the processor cannot predict a branch on each word. */
static uint32_t recover_load(lrd__bucket *bucket, uint64_t words[LRD__WAYS])
{
    uint32_t used = 0;
    for (uint32_t way = 0; way < LRD__WAYS; way++) {
        words[way] = atomic_load_explicit(&bucket->word[way], memory_order_relaxed);
        used |= (uint32_t)(words[way] != 0) << way;
    }
    return used;
}

/* Set a bucket's displacement count. Store only the final value, because readers use it. */
static void recover_displaced(lrd__bucket *bucket, uint32_t passed)
{
    uint8_t displaced = (uint8_t)(passed < UINT8_MAX ? passed : UINT8_MAX);
    if (atomic_load_explicit(&bucket->displaced, memory_order_relaxed) != displaced)
        atomic_store_explicit(&bucket->displaced, displaced, memory_order_release);
}

/* Mark a bucket's blocks as allocated, add them to *sum, and queue their slots for eviction.
 * Returns false if a word names a block that cannot exist. */
static bool recover_bucket(lrd_store *store, uint32_t index, uint32_t b, uint32_t used,
                           const uint64_t words[LRD__WAYS], recover_sum *sum)
{
    const lrd__shard *shard = store->shards + index;
    uint32_t epoch = lrd__shard_epoch(shard);
    bool packs = atomic_load_explicit(&shard->packs, memory_order_relaxed) != 0;
    uint64_t bytes = 0;
    for (uint32_t rest = used; rest != 0; rest &= rest - 1) {
        uint64_t word = words[__builtin_ctz(rest)], one = lrd__recover_allocate(store, index, word);
        if (one == 0)
            return false;
        bytes += one;
        const lrd__block *block = lrd__block_at(store, lrd__word_offset(word));
        if (epoch > 1 && block->epoch != epoch) {
            sum->dead_entries++;
            sum->dead_bytes += one;
        } else if (packs && lrd__form_is_packed(block)) {
            sum->packed_entries++;
            sum->packed_bytes += one;
            sum->packed_ready += lrd__form_ready(block, one);
        }
        LRD__FAILPOINT("recover_entry");
    }
    sum->entries += (uint32_t)__builtin_popcount(used);
    sum->bytes += bytes;
    if (store->evicts)
        lrd__evict_recover(store, index, b, used);
    return true;
}

/* Rebuild everything that follows from the index words. Visits the buckets from the last to the
 * first. For each home bucket, `by_home` has the number of its displaced entries in the buckets
 * after bucket `b`. `passed` is the sum of by_home for all homes up to `b`, which is the
 * displacement count of bucket `b`. Returns false if a word names a block that cannot exist. */
static bool recover_words(lrd_store *store, uint32_t index, recover_sum *sum)
{
    uint32_t passed = 0, by_home[LRD__PROBES] = {0};
    uint64_t words[LRD__WAYS];
    *sum = (recover_sum){0};
    if (store->evicts)
        lrd__evict_reset(store, index);
    for (uint32_t b = lrd__shard_buckets(store); b-- > 0;) {
        lrd__bucket *bucket = lrd__bucket_of(store, index, b);
        __builtin_prefetch(bucket - ((uint64_t)RECOVER_AHEAD << store->geo.shard_bits));
        passed -= by_home[(b + 1) % LRD__PROBES];
        by_home[(b + 1) % LRD__PROBES] = 0;
        uint32_t used = recover_load(bucket, words);
        recover_displaced(bucket, passed);
        if (!recover_bucket(store, index, b, used, words, sum))
            return false;
        for (uint32_t rest = used; rest != 0; rest &= rest - 1) {
            uint32_t displacement = lrd__word_displacement(words[__builtin_ctz(rest)]);
            by_home[(b - displacement) % LRD__PROBES] += displacement != 0;
            passed += displacement != 0;
        }
    }
    LRD__FAILPOINT("recover_allocated");
    return true;
}

/* ---- entries ---- */

/* Put a slot into the new timing wheel. If `flux` names the slot, its timer may be wrong, so use
 * the block's expiry. */
static void recover_timer(lrd_store *store, uint32_t index, uint32_t slot, uint64_t word)
{
    const lrd__shard *shard = store->shards + index;
    uint64_t number = lrd__slot_number(store, index, slot);
    uint32_t tick = word != 0 ? store->timers[number].tick : 0;
    if (word != 0 && slot + 1 == atomic_load_explicit(&shard->flux, memory_order_relaxed))
        tick = lrd__tick_of(atomic_load_explicit(
            &lrd__block_at(store, lrd__word_offset(word))->expiry, memory_order_relaxed));
    if (tick == 0) {
        store->timers[number].tick = 0;
        return;
    }
    LRD__FAILPOINT("recover_timer");
    lrd__wheel_set(store, index, slot, tick);
}

static void recover_timers(lrd_store *store, uint32_t index)
{
    const lrd__shard *shard = store->shards + index;
    lrd__wheel_reset(store, index, lrd__now(store));
    if (shard->timed == 0 && atomic_load_explicit(&shard->flux, memory_order_relaxed) == 0)
        return;
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t first = 0; first < slots; first += LRD__WAYS) {
        if (!lrd__timer_ready(store, lrd__slot_number(store, index, first)))
            continue;
        for (uint32_t slot = first; slot < first + LRD__WAYS; slot++)
            recover_timer(store, index, slot, lrd__slot_word(store, index, slot));
    }
}

static void recover_counts(lrd_store *store, uint32_t index, const recover_sum *sum)
{
    lrd__shard *shard = store->shards + index;
    shard->sweep_bucket = 0;
    shard->full_until = 0;
    if (store->expires)
        recover_timers(store, index);
    atomic_store_explicit(&shard->dead_entries, (uint32_t)sum->dead_entries, memory_order_relaxed);
    atomic_store_explicit(&shard->live_entries, sum->entries - sum->dead_entries,
                          memory_order_relaxed);
    atomic_store_explicit(&shard->live_bytes, sum->bytes - sum->dead_bytes, memory_order_relaxed);
    atomic_store_explicit(&shard->dead_bytes, sum->dead_bytes, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_entries, sum->packed_entries, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_bytes, sum->packed_bytes, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_ready, sum->packed_ready, memory_order_relaxed);
    atomic_store_explicit(&shard->flux, 0, memory_order_relaxed);
    LRD__FAILPOINT("recover_entries");
}

/* ---- a shard ---- */

/* Unlink all entries of the shard. In an immutable store, any block may still be in use, so first
 * mark the shard's pages as lost. If this thread dies here, the next recovery empties the shard,
 * too. */
static void recover_empty(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    uint32_t slots = lrd__shard_slots(store);
    if (!store->listed)
        for (uint64_t page = lrd__shard_page(store, index, 0); page < store->geo.pages_all;
             page = lrd__shard_page(store, index, page + 1))
            atomic_store_explicit(&store->owners[page], LRD__OWNER_LOST, memory_order_release);
    atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (lrd__slot_word(store, index, slot) == 0)
            continue;
        atomic_store_explicit(lrd__index_word(store, index, slot), 0, memory_order_release);
        LRD__FAILPOINT("recover_emptied");
    }
    if (store->queues != NULL)
        lrd__queue_empty(store, index);
    lrd__recover_clear(store, index);
}

void lrd__recover_shard(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    lrd__keyrow_mend(store, index);
    /* If the move of an entry was interrupted, two index words name the entry's block: remove one
     * of them. */
    lrd__grow_mend(store, index);
    lrd__recover_clear(store, index);
    recover_sum sum;
    atomic_store_explicit(&store->shards[index].epoch,
                          atomic_load_explicit(&store->header->view.epoch, memory_order_acquire),
                          memory_order_relaxed);
    if (!recover_words(store, index, &sum) ||
        (store->queues != NULL && !lrd__queue_allocate(store, index))) {
        recover_empty(store, index);
        recover_words(store, index, &sum); /* compute the counts of the empty shard */
    }
    recover_retire(store, index);
    recover_link(store, index);
    recover_counts(store, index, &sum);
    if (store->queues != NULL)
        lrd__queue_mend(store, index);
}
