/* vet.c - vets (checks and repairs) a segment that was not in use, before a process relies on it.
 * Begin reading at lrd__vet_segment(), then read lrd__vet_shard().
 *
 *   adopting, alone          resets locks, slots, quotas and reservations; checks owner words and
 *                            the clock's offset; marks every shard as not vetted
 *   first lock of a shard    checks pages, words and blocks of that shard; recovers the shard;
 *                            marks it as vetted
 *   a reader                 makes sure that the shard of its key is vetted, and vets one other
 *                            shard
 *
 * Invariants
 * - The mark (lrd__gate.vetted) becomes 1 under the shard's lock, as the last step. Only an
 *   adoption sets it to 0. Vetting can be repeated: it drops damaged data, and derives the rest
 *   from what stays.
 * - While a shard is not vetted, other code relies only on its lock, its mark and its number of
 *   homes (grow.c). Statistics and counts of pages may be wrong.
 * - Owner words are checked before any thread attaches, so threads may claim free pages
 *   immediately. A word that names a page of another shard is dropped before its block is read.
 * - No ledger lists a block of a shard before the shard is vetted: ledgers are new after an
 *   adoption.
 * - An entry is dropped only if it is damaged, or if the file system has no room for memory that it
 *   has lost. If memory cannot be committed for another reason, the shard keeps the mark "not
 *   vetted".
 * - A thread may use the fast path (get.c) once it has seen the marks of all shards, or
 *   header->settled. Only an adoption resets them.
 * - An immutable store is vetted as a whole, and one damaged word drops all words: values may point
 *   into blocks of other entries. */
#include "mending/vet.h"
#include "ground/lease.h"
#include "memory/slot.h"
#include "memory/page.h"
#include "entries/expiry.h"
#include "entries/form.h"
#include "entries/entry.h"
#include "entries/grow.h"
#include "mending/queue_check.h"
#include "mending/recover.h"

#define VET_CLOCK 39u /* number of bits of a time (ms) of the store's clock; see larder.h */
/* Maximum number of bits of a token or a version. A number with more bits comes from damage. It is
 * not kept, because the numbers that follow it might wrap. */
#define VET_NUMBERS (VET_CLOCK + LRD__VERSION_CLOCK)

_Static_assert(VET_NUMBERS < 64, "a version does not wrap");

/* ---- words and blocks ---- */

/* True if this slot's word names a sound block of this shard, and the block's key belongs to the
 * word's home bucket. Reads only committed memory. */
static bool vet_block(const lrd_store *store, uint32_t index, uint32_t slot, uint64_t word)
{
    uint64_t offset = lrd__word_offset(word);
    if (!lrd__block_fits(store, index, offset, sizeof(lrd__block)))
        return false;
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_relaxed);
    const lrd__block *block = lrd__block_at(store, offset);
    uint64_t start = lrd__block_start(block), size = lrd__block_size(block);
    if (lrd__block_key_len(block) == 0 || size > store->geo.size / 2 || block->epoch == 0 ||
        block->epoch > epoch || block->version >> VET_NUMBERS != 0 ||
        lrd__block_is_long(block) != lrd__block_wants_long(lrd__block_key_len(block), size) ||
        (block->type == LRD_TYPE_COUNTER && size != sizeof(int64_t)) ||
        !lrd__block_fits(store, index, offset, start + size))
        return false;
    lrd__place place = lrd__place_of(store, lrd__block_key(block), lrd__block_key_len(block));
    uint32_t home = lrd__word_home(slot, word), homes = lrd__shard_homes(store->shards + index);
    return place.shard_index == index && place.tag == lrd__word_tag(word) &&
           (lrd__place_home(store, &place, homes) == home ||
            lrd__place_home(store, &place, homes + 1) == home);
}

/* Decide whether the index keeps the word of a sound block. The index keeps the word if no other
 * word has the key, no other block overlaps, and the timer has memory. Also raises the shard's
 * version, and sets `packs` and the tick. Returns LRD_OK to keep the word, LRD_MISS to drop it, or
 * the error of a call. */
static int vet_keep(lrd_store *store, uint32_t index, uint32_t slot, uint64_t word)
{
    lrd__shard *shard = store->shards + index;
    uint64_t offset = lrd__word_offset(word);
    lrd__block *block = lrd__block_window(store, offset);
    uint64_t bytes = lrd__block_start(block) + lrd__block_size(block);
    if (!lrd__run_found(store, offset, bytes) ||
        lrd__entry_of_block(store, index, offset) != slot ||
        !lrd__recover_allocate(store, index, word))
        return LRD_MISS;
    if (block->version > shard->version)
        shard->version = block->version;
    if (lrd__form_is_packed(block) &&
        atomic_load_explicit(&shard->packs, memory_order_relaxed) == 0)
        /* recovery counts packed values only in shards with `packs` set */
        atomic_store_explicit(&shard->packs, 1, memory_order_relaxed);
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    if (!store->expires) {
        atomic_store_explicit(&block->expiry, 0, memory_order_relaxed);
        return LRD_OK;
    }
    int rc = expiry != 0 ? lrd__timer_want(store, index, slot) : LRD_OK;
    if (rc != LRD_OK)
        return rc == LRD_ENOSPC ? LRD_MISS : rc;
    if (lrd__timer_ready(store, lrd__slot_number(store, index, slot)))
        store->timers[lrd__slot_number(store, index, slot)].tick = lrd__tick_of(expiry);
    return LRD_OK;
}

/* Drop the words of all shards, but not the bad word in slot `bad` of shard `index`. The caller
 * drops this word last: if the caller dies before that, the next thread finds the bad word and
 * begins again. */
static void vet_condemn(const lrd_store *store, uint32_t index, uint32_t bad)
{
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        bool told = i == index;
        for (uint32_t slot = 0; slot < slots; slot++) {
            if ((i == index && slot == bad) || lrd__slot_word(store, i, slot) == 0)
                continue;
            lrd__shard_lost(store->shards + i, &told);
            atomic_store_explicit(lrd__index_word(store, i, slot), 0, memory_order_release);
            LRD__FAILPOINT("vet_condemned");
        }
    }
}

/* Drop bad words in two passes. The first pass drops words with damaged blocks, so that the second
 * pass can read the block of any word. If two words have the same key or memory, the second pass
 * drops one of them. */
static int vet_words(lrd_store *store, uint32_t index, bool *told)
{
    uint32_t buckets = lrd__shard_buckets(store);
    /* set the displacement counts to their maximum, so that the look-ups below search all
     * buckets */
    for (uint32_t b = 0; b < buckets; b++)
        atomic_store_explicit(&lrd__bucket_of(store, index, b)->displaced, UINT8_MAX,
                              memory_order_relaxed);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t slot = 0; slot < buckets * LRD__WAYS; slot++) {
            uint64_t word = lrd__slot_word(store, index, slot);
            if (word == 0 || (pass == 0 && vet_block(store, index, slot, word)))
                continue;
            int rc = pass == 0 ? LRD_MISS : vet_keep(store, index, slot, word);
            if (rc == LRD_OK)
                continue;
            if (rc != LRD_MISS)
                return rc;
            lrd__shard_lost(store->shards + index, told);
            if (!store->listed)
                vet_condemn(store, index, slot);
            atomic_store_explicit(lrd__index_word(store, index, slot), 0, memory_order_release);
            LRD__FAILPOINT("vet_dropped");
        }
    return LRD_OK;
}

/* ---- pages ---- */

/* Reset a page's counts by atomic stores, because other threads may read them. Also clear the drain
 * mark: the slot that it names may have a new owner. */
static void vet_page_reset(lrd__page *page)
{
    atomic_store_explicit(&page->drain, 0, memory_order_seq_cst);
    atomic_store_explicit(&page->used, 0, memory_order_relaxed);
    atomic_store_explicit(&page->retired, 0, memory_order_relaxed);
    page->next = page->prev = page->anext = page->aprev = 0;
    page->hint = 0;
    page->avail = page->marked = 0;
}

/* Commit the memory of the shard's pages again, because the file system may have lost it. If the
 * file system has no space for a page, the page becomes free, and the words of its blocks are
 * dropped later. */
static int vet_pages(lrd_store *store, uint32_t index)
{
    for (uint64_t page = lrd__shard_page(store, index, 0); page < store->geo.pages_all;
         page = lrd__shard_page(store, index, page + 1)) {
        uint32_t owner = lrd__page_owner(store, page);
        lrd__page *p = store->pages + page;
        uint64_t bytes = lrd__page_committed(store, page), most = lrd__page_bytes(store, page);
        bytes = bytes < most ? bytes : most;
        vet_page_reset(p);
        int rc =
            bytes != 0 ? lrd__segment_commit(store, lrd__page_start(store, page), bytes) : LRD_OK;
        if (rc != LRD_OK && rc != LRD_ENOSPC)
            return rc;
        if (rc != LRD_OK) {
            atomic_store_explicit(&p->committed, 0, memory_order_relaxed);
            /* Pairs with the compare-and-swap of the page's next claim. */
            atomic_store_explicit(&store->owners[page], 0, memory_order_release);
            lrd__pages_hint_lower(store, (uint32_t)page);
            continue;
        }
        atomic_store_explicit(&p->committed, (uint8_t)(bytes >> LRD__PART_BITS),
                              memory_order_release);
        LRD__FAILPOINT("vet_page");
        if (lrd__owner_class(owner) == LRD__CLASS_RUN)
            memset((void *)(store->run_len + page * LRD__PAGE_UNITS), 0,
                   LRD__PAGE_UNITS * sizeof *store->run_len);
    }
    LRD__FAILPOINT("vet_paged");
    return LRD_OK;
}

static bool vet_owner_sound(const lrd_store *store, uint64_t page, uint32_t owner)
{
    uint32_t size_class = lrd__owner_class(owner);
    if (owner == LRD__OWNER_LOST)
        return !store->listed;
    if (!(owner & LRD__OWNED) || lrd__owner_shard(owner) >= store->geo.shards ||
        size_class > LRD__CLASS_RUN)
        return false;
    return !lrd__page_is_mini(store, page) ||
           (size_class != LRD__CLASS_RUN && lrd__class_size(size_class) <= LRD__MINI_BLOCK);
}

/* Free pages with implausible owner words, and clear all drain marks. Reset the descriptions of
 * free pages, because vet_pages() does not visit free pages. */
static void vet_owners(lrd_store *store)
{
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        if (page >= lrd__pages_high(store) && !lrd__page_is_mini(store, page))
            continue;
        uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
        if (owner != 0 && vet_owner_sound(store, page, owner)) {
            /* Most pages have no mark. Do not write to them, because a write would dirty the page's
             * cache line. */
            if (atomic_load_explicit(&store->pages[page].drain, memory_order_relaxed) != 0)
                atomic_store_explicit(&store->pages[page].drain, 0, memory_order_relaxed);
            continue;
        }
        vet_page_reset(store->pages + page);
        atomic_store_explicit(&store->pages[page].committed, 0, memory_order_relaxed);
        if (owner != 0)
            atomic_store_explicit(&store->owners[page], 0, memory_order_relaxed);
    }
}

/* ---- a shard ---- */

/* Drop everything damaged in a shard. Returns LRD_OK, or the error of a failed call. */
static int vet_distrust(lrd_store *store, uint32_t index)
{
    int rc = vet_pages(store, index);
    if (rc != LRD_OK)
        return rc;
    lrd__grow_mend(store, index);
    lrd__recover_clear(store, index);
    bool told = false;
    rc = vet_words(store, index, &told);
    if (rc == LRD_OK && store->queues != NULL)
        lrd__queue_distrust(store, index, &told);
    return rc;
}

static void vet_done(lrd_store *store, uint32_t index)
{
    LRD__FAILPOINT("vet_recovered");
    /* Pairs with the acquire load in lrd__shard_vetted(). */
    atomic_store_explicit(&store->gates[index].vetted, 1, memory_order_release);
    LRD__FAILPOINT("vet_done");
}

int lrd__vet_shard(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    if (LRD__CONTROL(mark_first)) {
        vet_done(store, index);
        (void)vet_pages(store, index);
        lrd__control_gap(300000);
    }
    int rc = vet_distrust(store, index);
    if (rc != LRD_OK)
        return rc;
    lrd__recover_shard(store, index);
    vet_done(store, index);
    return LRD_OK;
}

/* ---- a segment ---- */

/* Reset what former users left in a shard. Replace impossible numbers. */
static void vet_shard_reset(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    lrd__gate *gate = store->gates + index;
    atomic_store_explicit(&gate->vetted, 0, memory_order_relaxed);
    lrd__mutex_init(&gate->lock);
    lrd__who_set(&gate->holder, 0, 0);
    atomic_store_explicit(&gate->turn, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->flux, 0, memory_order_relaxed);
    shard->grow_at = 0;
    shard->keylock_ready = 0;
    if (shard->token >> VET_NUMBERS != 0)
        shard->token = 0;
    if (shard->version >> VET_NUMBERS != 0)
        shard->version = 0;
    shard->timed = 1;
    uint32_t homes = atomic_load_explicit(&shard->homes, memory_order_relaxed);
    uint64_t mask = atomic_load_explicit(&store->header->view.mask, memory_order_relaxed);
    uint32_t least = (uint32_t)lrd__grow_homes(&store->geo, mask);
    if (homes < least || homes > lrd__shard_buckets(store) - LRD__OVERHANG)
        atomic_store_explicit(&shard->homes, least, memory_order_relaxed);
    if (shard->reclaim_step > lrd__batch_most(store))
        shard->reclaim_step = 0;
    shard->rotor = 0;
    shard->full_until = 0;
    shard->unlinked_at = 0; /* vet_threads_reset() has reset the barriers */
    shard->unlinked = 1;
}

/* Reset the state that threads share. Slots are initialised when they are claimed. */
static void vet_threads_reset(lrd_store *store)
{
    lrd__header *header = store->header;
    memset((void *)store->quotas, 0, store->geo.slots * sizeof *store->quotas);
    /* No chunk of rows belongs to a shard any more, so all key reservations end. The rows
     * themselves need no change: a shard wipes them when it takes a chunk. */
    memset((void *)store->keylock_owners, 0,
           store->geo.keylock_chunks * sizeof *store->keylock_owners);
    atomic_store_explicit(&header->keylock_chunks, 0, memory_order_relaxed);
    lrd__slots_keep_counts(store);
    /* Reset the numbers of barriers: if barriers_done were too large, writers would free blocks in
     * use. */
    atomic_store_explicit(&header->barriers_begun, 0, memory_order_relaxed);
    atomic_store_explicit(&header->barriers_done, 0, memory_order_relaxed);
    /* Reset this monotonic time. If it is from before a reboot, it may lie far in the future. */
    atomic_store_explicit(&header->memory_until, 0, memory_order_relaxed);
    lrd__mutex_init(&header->slots_lock);
    lrd__who_set(&header->slots_holder, 0, 0);
}

int lrd__vet_segment(lrd_store *store)
{
    lrd__header *header = store->header;
    atomic_store_explicit(&header->settled, 0, memory_order_relaxed);
    vet_threads_reset(store);
    for (uint32_t i = 0; i < store->geo.shards; i++)
        vet_shard_reset(store, i);
    lrd__clock_judge(store);
    if (atomic_load_explicit(&header->view.epoch, memory_order_relaxed) == 0)
        atomic_store_explicit(&header->view.epoch, 1, memory_order_relaxed);
    vet_owners(store);
    lrd__pages_hints_reset(store);
    LRD__FAILPOINT("vet_adopted");
    if (store->listed && store->queues == NULL)
        return LRD_OK; /* each shard is vetted at its first use */
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        int rc = vet_distrust(store, i);
        if (rc != LRD_OK)
            return rc;
    }
    /* Recover the shards only after all were checked: in an immutable store, damage in one shard
     * empties all shards. */
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        lrd__recover_shard(store, i);
        vet_done(store, i);
    }
    atomic_store_explicit(&header->settled, 1, memory_order_release);
    return LRD_OK;
}
