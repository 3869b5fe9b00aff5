/* recover.c - rebuilds a shard from its index and the ledgers after a writer died in it, and a whole
 * segment when its first process attaches. Read lrd__recover_shard() first.
 *
 * Invariants
 * - Index words, owner words, run lengths and ledgers are the truth; everything else is derived:
 *   bitmaps, page lists, queues, wheel, counts, displacement counts.
 * - Readers go on meanwhile: no word that stays changes, and no displacement count is ever lower
 *   than what a reader needs.
 * - Blocks are not touched (they may be cold), but for the one named in flux, and unless the store
 *   was cleared before: then each block's epoch has to be seen.
 * - A shard whose words contradict the pages is emptied: every word goes, nothing that is held is
 *   freed. In an immutable store, whose readers list nothing, its pages are never used again.
 * - Values of an immutable store may refer to blocks of other entries, because none is ever freed. So when its
 *   first process finds one word that is not sound, it keeps none.
 * - Dying in here is harmless: the lock becomes consistent last, and every step may be repeated.
 */
#include "place.h"

static uint64_t recover_word(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return atomic_load_explicit(lrd__index_word(store, shard, slot), memory_order_relaxed);
}

/* ---- pages ------------------------------------------------------------------------------------------ */

/* Forget lists, bitmaps and counts of the shard's pages. */
static void recover_clear(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    shard->small_pages = shard->run_pages = shard->page_count = 0;
    memset(shard->avail, 0, sizeof shard->avail);
    atomic_store_explicit(&shard->page_bytes, 0, memory_order_relaxed);
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner == 0 || lrd__owner_shard(owner) != index)
            continue;
        memset(store->bits + page, 0, sizeof *store->bits);
        store->pages[page].hint = 0;
        store->pages[page].avail = 0;
        store->pages[page].prev = store->pages[page].next = 0; /* lrd__page_link() asks */
        store->pages[page].marked = 0;
        store->pages[page].anext = store->pages[page].aprev = 0;
        atomic_store_explicit(&store->pages[page].drain, 0, memory_order_relaxed);
    }
    LRD__FAILPOINT("recover_cleared");
}

/* Link the shard's pages by address, with their counts, and let go of those that are free. */
static void recover_link(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    uint64_t retired_bytes = 0;
    for (uint64_t page = store->geo.pages_all; page-- > 0;) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner == 0 || lrd__owner_shard(owner) != index)
            continue;
        uint32_t used = 0, retired = 0, size_class = lrd__owner_class(owner);
        const lrd__bits *bits = store->bits + page;
        for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
            used += (uint32_t)__builtin_popcountll(bits->allocated[i]);
            retired += (uint32_t)__builtin_popcountll(bits->retired[i]);
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
    /* Who died may have freed a page without lowering the hint. */
    lrd__pages_hint_lower(store, 0);
    LRD__FAILPOINT("recover_linked");
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

/* Set the allocated bits of an indexed block. False: the word contradicts the pages. */
static bool recover_allocate(lrd_store *store, uint32_t index, uint64_t word)
{
    uint64_t offset = lrd__word_offset(word), page = lrd__page_of(store, offset);
    if (page >= store->geo.pages_all)
        return false;
    uint32_t owner = lrd__page_owner(store, page);
    uint32_t size_class = lrd__owner_class(owner);
    if (owner == 0 || lrd__owner_shard(owner) != index || size_class > LRD__CLASS_RUN)
        return false;
    uint32_t within = (uint32_t)(offset - lrd__page_start(store, page));
    if (size_class != LRD__CLASS_RUN) {
        uint32_t size = lrd__class_size(size_class), number = within / size;
        uint64_t bit = 1ull << number % 64, *bits = &store->bits[page].allocated[number / 64];
        if (within % size != 0 || number >= lrd__page_blocks(store, page, size_class) ||
            (*bits & bit))
            return false;
        *bits |= bit;
        return true;
    }
    uint64_t first = offset >> LRD__UNIT_BITS;
    uint64_t units = atomic_load_explicit(&store->run_len[first], memory_order_relaxed);
    if (within % LRD__UNIT != 0 || units == 0 || units > store->geo.pages * LRD__PAGE_UNITS - first)
        return false;
    for (uint64_t p = page; p * LRD__PAGE_UNITS < first + units; p++) {
        uint64_t mask = lrd__unit_mask(p, first, units);
        if (lrd__page_owner(store, p) != owner || (store->bits[p].allocated[0] & mask) != 0)
            return false;
        store->bits[p].allocated[0] |= mask;
    }
    return true;
}

/* What is listed and not indexed is retired. Where the scan fails, everything that may be a block
 * and is not indexed counts as retired: freed later, by a scan that works. */
static void recover_retire(lrd_store *store, uint32_t index)
{
    bool scanned = false;
    for (int tries = 0; tries < 3 && !scanned; tries++)
        scanned = lrd__ledger_scan(store, index, true) == LRD_OK;
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner == 0 || lrd__owner_shard(owner) != index)
            continue;
        lrd__bits *bits = store->bits + page;
        uint32_t blocks = lrd__page_blocks(store, page, lrd__owner_class(owner));
        for (uint32_t i = 0; i * 64 < blocks; i++) {
            uint64_t all = blocks - i * 64 >= 64 ? UINT64_MAX : (1ull << (blocks - i * 64)) - 1;
            uint64_t held = (scanned ? bits->held[i] : all) & all;
            bits->retired[i] = held & ~bits->allocated[i];
            bits->allocated[i] |= held;
        }
    }
    LRD__FAILPOINT("recover_retired");
}

/* ---- entries ---------------------------------------------------------------------------------------- */

/* The count of a bucket: entries further on whose probe passed it. Written once, with its new value,
 * because readers rely on it meanwhile. From the last bucket down, with the entries that are further on
 * than their homes counted by home. */
static void recover_displaced(lrd_store *store, uint32_t index)
{
    uint32_t buckets = lrd__shard_buckets(store), passed = 0, by_home[LRD__PROBES] = {0};
    for (uint32_t b = buckets; b-- > 0;) {
        passed -= by_home[(b + 1) % LRD__PROBES];
        by_home[(b + 1) % LRD__PROBES] = 0;
        atomic_store_explicit(&lrd__bucket_of(store, index, b)->displaced,
                              (uint8_t)(passed < UINT8_MAX ? passed : UINT8_MAX),
                              memory_order_release);
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint64_t word = recover_word(store, index, b * LRD__WAYS + way);
            if (word == 0 || lrd__word_displacement(word) == 0)
                continue;
            by_home[(b - lrd__word_displacement(word)) % LRD__PROBES]++;
            passed++;
        }
    }
}

/* Count one entry, queue it, put it into the wheel. */
static void recover_entry(lrd_store *store, uint32_t index, uint32_t slot, uint64_t word)
{
    lrd__shard *shard = store->shards + index;
    uint64_t offset = lrd__word_offset(word), bytes = lrd__block_bytes(store, offset);
    uint32_t epoch = lrd__shard_epoch(shard);
    bool dead = epoch > 1 && lrd__block_at(store, offset)->epoch != epoch;
    _Atomic uint64_t *sum = dead ? &shard->dead_bytes : &shard->live_bytes;
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + bytes,
                          memory_order_relaxed);
    if (dead)
        shard->dead_entries++;
    else
        atomic_store_explicit(&shard->live_entries,
                              atomic_load_explicit(&shard->live_entries, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    if (store->evicts)
        lrd__evict_recover(store, index, slot, bytes);
    if (store->expires) {
        uint32_t tick = lrd__timer_tick(store, index, slot);
        if (slot + 1 == atomic_load_explicit(&shard->flux,
                                             memory_order_relaxed)) /* its tick was being changed */
            tick = lrd__tick_of(
                atomic_load_explicit(&lrd__block_at(store, offset)->expiry, memory_order_relaxed));
        LRD__FAILPOINT("recover_entry");
        /* Never without its tick, which no other place but the block has: who dies here is followed
         * by another recovery. The slot is in no list of the new wheel. Who set a tick had made sure
         * that its timer has memory. */
        if (lrd__timer_ready(store, lrd__slot_number(store, index, slot)))
            lrd__wheel_set(store, index, slot, tick);
    }
}

static void recover_entries(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
    atomic_store_explicit(&shard->epoch, epoch, memory_order_relaxed);
    shard->dead_entries = shard->sweep_bucket = 0;
    shard->full_until = 0;
    atomic_store_explicit(&shard->live_entries, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->live_bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->dead_bytes, 0, memory_order_relaxed);
    if (store->evicts)
        lrd__evict_reset(store, index);
    if (store->expires)
        lrd__wheel_reset(store, index, lrd__now(store));
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t word = recover_word(store, index, slot);
        uint64_t number = lrd__slot_number(store, index, slot);
        if (word != 0)
            recover_entry(store, index, slot, word);
        else if (store->expires && lrd__timer_ready(store, number))
            store->timers[number].tick = 0;
    }
    atomic_store_explicit(&shard->flux, 0, memory_order_relaxed);
    LRD__FAILPOINT("recover_entries");
}

/* ---- a shard ------------------------------------------------------------------------------------------ */

/* Unlink everything. What is held stays allocated as retired. Pages are lost before the first word
 * goes: a recovery that follows a death in here would free them, with blocks whose readers list
 * nothing. Words that remain then contradict their pages, so that one empties the shard, too. */
static void recover_empty(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    uint32_t slots = lrd__shard_slots(store);
    if (!store->listed)
        for (uint64_t page = 0; page < store->geo.pages_all; page++) {
            uint32_t owner = lrd__page_owner(store, page);
            if (owner != 0 && lrd__owner_shard(owner) == index)
                atomic_store_explicit(&store->owners[page], LRD__OWNER_LOST, memory_order_release);
        }
    atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (recover_word(store, index, slot) == 0)
            continue;
        atomic_store_explicit(lrd__index_word(store, index, slot), 0, memory_order_release);
        LRD__FAILPOINT("recover_emptied");
    }
    recover_clear(store, index);
}

static bool recover_bits(lrd_store *store, uint32_t index)
{
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t word = recover_word(store, index, slot);
        if (word != 0 && !recover_allocate(store, index, word))
            return false;
    }
    LRD__FAILPOINT("recover_allocated");
    return true;
}

void lrd__recover_shard(lrd_store *store, uint32_t index)
{
    lrd__keyrow_mend(store, index);
    lrd__grow_mend(store, index); /* before anything looks at a block that has two words */
    recover_clear(store, index);
    if (!recover_bits(store, index))
        recover_empty(store, index);
    recover_retire(store, index);
    recover_link(store, index);
    recover_displaced(store, index);
    recover_entries(store, index);
}

/* ---- a segment ------------------------------------------------------------------------------------------ */

/* Whether the block behind a word of a file that nobody vouches for is what the word says. */
static bool recover_block_sound(const lrd_store *store, uint32_t index, uint32_t slot,
                                uint64_t word)
{
    uint64_t offset = lrd__word_offset(word), page = lrd__page_of(store, offset);
    if (page >= store->geo.pages_all)
        return false;
    uint32_t owner = lrd__page_owner(store, page);
    uint64_t within = offset - lrd__page_start(store, page);
    if (owner == 0 || lrd__owner_shard(owner) != index ||
        within % lrd__class_size(lrd__owner_class(owner)) != 0)
        return false;
    bool run = lrd__owner_class(owner) == LRD__CLASS_RUN;
    uint64_t room = run ? store->geo.size - offset : lrd__class_size(lrd__owner_class(owner));
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_relaxed);
    const lrd__block *block = lrd__block_at(store, offset);
    uint64_t start = lrd__block_start(block), size = lrd__block_size(block);
    if (lrd__block_key_len(block) == 0 || start > room || size > room - start ||
        size > store->geo.size / 2 || block->epoch == 0 || block->epoch > epoch ||
        lrd__block_is_long(block) != lrd__block_wants_long(lrd__block_key_len(block), size) ||
        (block->type == LRD_TYPE_COUNTER && size != sizeof(int64_t)) ||
        within + lrd__class_size(lrd__owner_class(owner)) > lrd__page_bytes(store, page))
        return false;
    /* Only pages that have this owner are known to be there: before anything in them is read. */
    for (uint64_t p = page + 1; run && p << LRD__PAGE_BITS < offset + start + size; p++)
        if (lrd__page_owner(store, p) != owner)
            return false;
    lrd__place place = lrd__place_of(store, lrd__block_key(block), lrd__block_key_len(block));
    uint32_t home = lrd__word_home(slot, word), homes = lrd__shard_homes(store->shards + index);
    return place.shard_index == index && place.tag == lrd__word_tag(word) &&
           (lrd__place_home(store, &place, homes) == home ||
            lrd__place_home(store, &place, homes + 1) == home);
}

/* Keep a word with a sound block if no other has its key or place; note what else the block knows. */
static bool recover_keep(lrd_store *store, uint32_t index, uint32_t slot, uint64_t word)
{
    lrd__shard *shard = store->shards + index;
    uint64_t offset = lrd__word_offset(word);
    lrd__block *block = lrd__block_window(store, offset);
    uint64_t bytes = lrd__block_start(block) + lrd__block_size(block);
    uint32_t owner = lrd__page_owner(store, lrd__page_of(store, offset));
    if (lrd__owner_class(owner) == LRD__CLASS_RUN)
        lrd__run_mark(store, offset >> LRD__UNIT_BITS, (bytes + LRD__UNIT - 1) >> LRD__UNIT_BITS);
    if (lrd__entry_of_block(store, index, offset) != slot || !recover_allocate(store, index, word))
        return false;
    if (block->version > shard->version)
        shard->version = block->version;
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    if (!store->expires) {
        atomic_store_explicit(&block->expiry, 0, memory_order_relaxed);
        return true;
    }
    if (expiry != 0 && lrd__timer_commit(store, index, slot) != LRD_OK)
        return false;
    if (lrd__timer_ready(store, lrd__slot_number(store, index, slot)))
        store->timers[lrd__slot_number(store, index, slot)].tick = lrd__tick_of(expiry);
    return true;
}

/* Drop all words of all shards but the bad one, which the caller drops last: who dies before leaves it to the next. */
static void recover_condemn(const lrd_store *store, uint32_t index, uint32_t bad)
{
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        for (uint32_t slot = 0; slot < slots; slot++) {
            if ((i == index && slot == bad) || recover_word(store, i, slot) == 0)
                continue;
            atomic_store_explicit(lrd__index_word(store, i, slot), 0, memory_order_release);
            LRD__FAILPOINT("recover_condemned");
        }
        atomic_fetch_add_explicit(&store->shards[i].emptied, 1, memory_order_relaxed);
    }
}

/* Drop the words whose blocks are not sound, then those that repeat a key or a place: a look-up may
 * meet any word, so all must be sound before the first. */
static void recover_distrust(lrd_store *store, uint32_t index)
{
    uint32_t buckets = lrd__shard_buckets(store);
    lrd__grow_mend(store, index);
    recover_clear(store, index);
    for (uint32_t b = 0; b < buckets; b++) /* so that look-ups below see everything */
        atomic_store_explicit(&lrd__bucket_of(store, index, b)->displaced, UINT8_MAX,
                              memory_order_relaxed);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t slot = 0; slot < buckets * LRD__WAYS; slot++) {
            uint64_t word = recover_word(store, index, slot);
            if (word == 0 || (pass == 0 ? recover_block_sound(store, index, slot, word)
                                        : recover_keep(store, index, slot, word)))
                continue;
            if (!store->listed)
                recover_condemn(store, index, slot);
            atomic_store_explicit(lrd__index_word(store, index, slot), 0, memory_order_release);
        }
}

/* Owner words that can be, and file system pages behind what they own. */
static void recover_owners(lrd_store *store)
{
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        if (page >= lrd__pages_high(store) && !lrd__page_is_mini(store, page))
            continue;
        uint32_t owner = atomic_load_explicit(&store->owners[page], memory_order_relaxed);
        bool sound =
            owner == 0 || (!store->listed && owner == LRD__OWNER_LOST) ||
            ((owner & LRD__OWNED) && lrd__owner_shard(owner) < store->geo.shards &&
             lrd__owner_class(owner) <= LRD__CLASS_RUN &&
             !(lrd__page_is_mini(store, page) &&
               lrd__class_size(lrd__owner_class(owner)) > LRD__MINI_BLOCK) &&
             !(lrd__page_is_mini(store, page) && lrd__owner_class(owner) == LRD__CLASS_RUN));
        store->pages[page] = (lrd__page){.committed = 0};
        if (owner != 0 && sound)
            sound = lrd__segment_commit(store, lrd__page_start(store, page),
                                        lrd__page_bytes(store, page)) == LRD_OK;
        if (owner != 0 && sound)
            store->pages[page].committed =
                (uint8_t)(lrd__page_bytes(store, page) >> LRD__PART_BITS);
        if (!sound)
            atomic_store_explicit(&store->owners[page], 0, memory_order_relaxed);
    }
}

/* A lock, no reservations, no memory of what was going on. */
static int recover_shard_reset(lrd_store *store, uint32_t index)
{
    lrd__shard *shard = store->shards + index;
    memset(&shard->lock, 0, sizeof shard->lock);
    lrd__who_set(&shard->holder, 0, 0);
    atomic_store_explicit(&shard->flux, 0, memory_order_relaxed);
    shard->grow_at = 0;
    if (shard->token >> 62 != 0) /* cannot be, and must not wrap */
        shard->token = 0;
    shard->timed = 1;
    uint32_t homes = atomic_load_explicit(&shard->homes, memory_order_relaxed);
    uint64_t mask = atomic_load_explicit(&store->header->view.mask, memory_order_relaxed);
    uint32_t least = store->geo.buckets << (__builtin_popcountll(mask) - 32);
    if (homes < least || homes > lrd__shard_buckets(store) - LRD__OVERHANG)
        atomic_store_explicit(&shard->homes, least, memory_order_relaxed);
    shard->rotor = 0;
    shard->full_until = 0;
    return lrd__mutex_init(&shard->lock);
}

int lrd__recover_segment(lrd_store *store)
{
    lrd__header *header = store->header;
    memset((void *)store->quotas, 0, store->geo.slots * sizeof *store->quotas);
    /* Rows of reservations are nobody's, and wiped by who gets them. */
    memset((void *)store->keylock_owners, 0,
           store->geo.keylock_chunks * sizeof *store->keylock_owners);
    atomic_store_explicit(&header->keylock_chunks, 0, memory_order_relaxed);
    lrd__slots_keep_counts(store);
    atomic_store_explicit(&header->slots_high, 0, memory_order_relaxed);
    memset(&header->slots_lock, 0, sizeof header->slots_lock);
    lrd__who_set(&header->slots_holder, 0, 0);
    int rc = lrd__mutex_init(&header->slots_lock);
    if (rc != LRD_OK)
        return rc;
    if (atomic_load_explicit(&header->view.epoch, memory_order_relaxed) == 0)
        atomic_store_explicit(&header->view.epoch, 1, memory_order_relaxed);
    memset((void *)store->run_len, 0,
           lrd__pages_high(store) * LRD__PAGE_UNITS * sizeof *store->run_len);
    recover_owners(store);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        rc = recover_shard_reset(store, i);
        if (rc != LRD_OK)
            return rc;
        recover_distrust(store, i);
    }
    /* After all of them: distrusting one may have emptied the others. */
    for (uint32_t i = 0; i < store->geo.shards; i++)
        lrd__recover_shard(store, i);
    return LRD_OK;
}
