/* fsck.c - lrd_fsck(): checks the invariants (docs/invariants.md) that can be seen in a store at
 * rest. Locks one shard at a time, passes reports to the caller after unlocking, and repairs
 * nothing. Begin reading at fsck_shard(). */
#include "ground/error.h"
#include "memory/page.h"
#include "entries/index.h"
#include "entries/evict.h"
#include "entries/expiry.h"
#include "entries/form.h"
#include "entries/entry.h"
#include "entries/grow.h"
#include "entries/keyrow.h"
#include "mending/queue_check.h"
#include "locks/lock.h"
#include "threads/thread.h"

#include <stdarg.h>
#include <stdio.h>

/* maximum number of a shard's violations that are reported as texts; others are only counted */
#define FSCK_TEXTS 32u
#define FSCK_TEXT_BYTES 160u

typedef struct fsck_run {
    lrd_store *store;
    uint32_t shard;
    uint64_t violations;
    uint32_t texts;
    char text[FSCK_TEXTS][FSCK_TEXT_BYTES];
    /* for each page, a bit for each block: set if the index or a message names the block */
    lrd__bits *seen;
    /* for each index slot: bit 0 if it is in an eviction queue, bit 1 if in the wheel */
    uint8_t *queued;
    uint8_t *listed; /* for each row of key reservations: 1 if the row is in a list */
    uint32_t slots;  /* index slots of the shard */
    uint64_t live, dead, live_bytes, dead_bytes;
    uint64_t packed, packed_bytes, packed_ready; /* sums over the live packed entries */
    /* sums over the shard's entries for each order (evict.c); `small` and `main` are not used */
    lrd__order orders[LRD__ORDERS];
    uint64_t class_bytes[LRD__CLASSES];
    uint64_t waits; /* number of pages that are marked as having retired blocks */
} fsck_run;

__attribute__((format(printf, 2, 3))) static void fsck_wrong(fsck_run *run, const char *format, ...)
{
    run->violations++;
    if (run->texts == FSCK_TEXTS)
        return;
    char *text = run->text[run->texts++];
    int length = snprintf(text, FSCK_TEXT_BYTES, "shard %u: ", run->shard);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, FSCK_TEXT_BYTES - (size_t)length, format, args);
    va_end(args);
}

#define FSCK_SAME(run, what, is, should)                                                           \
    do {                                                                                           \
        if ((is) != (should))                                                                      \
            fsck_wrong((run), "%s is %llu, should be %llu", (what), (unsigned long long)(is),      \
                       (unsigned long long)(should));                                              \
    } while (0)

static uint64_t fsck_load(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

/* ---- index ---- */

/* Mark a block in `seen`. Returns false if the block is marked already, or if its place or size is
 * wrong for this shard. */
static bool fsck_see(fsck_run *run, uint64_t offset, uint64_t bytes)
{
    const lrd_store *store = run->store;
    uint64_t page = lrd__page_of(store, offset);
    uint32_t owner = page < store->geo.pages_all ? lrd__page_owner(store, page) : 0;
    if (!lrd__owner_is(owner, run->shard))
        return false;
    uint32_t size = lrd__class_size(lrd__owner_class(owner));
    uint32_t within = (uint32_t)(offset - lrd__page_start(store, page));
    if (within % size != 0 ||
        within / size >= lrd__page_blocks(store, page, lrd__owner_class(owner)))
        return false;
    if (lrd__owner_class(owner) != LRD__CLASS_RUN) {
        uint64_t *word = &run->seen[page].block[within / size / 64].allocated;
        uint64_t bit = 1ull << within / size % 64;
        bool twice = *word & bit;
        *word |= bit;
        return !twice && bytes <= size && within + size <= lrd__page_committed(store, page);
    }
    uint64_t first = offset >> LRD__UNIT_BITS, units = lrd__run_units(store, first);
    for (; page * LRD__PAGE_UNITS < first + units; page++) {
        uint64_t mask = lrd__unit_mask(page, first, units);
        if (lrd__page_owner(store, page) != owner || (run->seen[page].block[0].allocated & mask) ||
            (lrd__bare_units(store, page) & mask))
            return false;
        run->seen[page].block[0].allocated |= mask;
    }
    return bytes <= units << LRD__UNIT_BITS;
}

/* Check the checksum of a packed value. */
static void fsck_packed(fsck_run *run, uint32_t slot, const lrd__block *block)
{
    lrd_packed packed;
    if (block->type == LRD_TYPE_PACKED &&
        lrd_packed_open((const uint8_t *)block + lrd__block_start(block), lrd__block_size(block),
                        &packed) != LRD_OK)
        fsck_wrong(run, "slot %u has a packed value that is damaged", slot);
}

static void fsck_count(fsck_run *run, uint32_t slot, const lrd__block *block, uint64_t bytes)
{
    const lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    bool current = block->epoch == lrd__shard_epoch(shard);
    *(current ? &run->live : &run->dead) += 1;
    *(current ? &run->live_bytes : &run->dead_bytes) += bytes;
    if (current && lrd__form_is_packed(block)) {
        run->packed++;
        run->packed_bytes += bytes;
        run->packed_ready += lrd__form_ready(block, bytes);
    }
    uint64_t number = lrd__slot_number(store, run->shard, slot);
    if (store->evicts) {
        uint32_t flags = store->links[number] & (LRD__IN_SMALL | LRD__IN_MAIN);
        lrd__order *order = run->orders + lrd__order_of(bytes);
        order->count++;
        if (flags == LRD__IN_SMALL) {
            order->small_bytes += bytes;
        } else if (flags == LRD__IN_MAIN) {
            order->main_bytes += bytes;
            order->main_count++;
        } else {
            fsck_wrong(run, "slot %u has an entry and queue flags %u", slot, flags);
        }
    }
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    bool untimed = store->shards[run->shard].untimed != 0 && store->evicts &&
                   lrd__timer_tick(store, run->shard, slot) == 0;
    if (store->expires && !untimed)
        FSCK_SAME(run, "the tick of an entry", lrd__timer_tick(store, run->shard, slot),
                  lrd__tick_of(expiry));
    else if (!store->expires)
        FSCK_SAME(run, "the expiry of an entry", expiry, 0u);
}

static void fsck_word(fsck_run *run, uint32_t slot, uint64_t word)
{
    const lrd_store *store = run->store;
    uint64_t offset = lrd__word_offset(word);
    if (offset >= store->geo.data_size) {
        fsck_wrong(run, "slot %u points outside of the data", slot);
        return;
    }
    const lrd__block *block = lrd__block_at(store, offset);
    const uint8_t *key = lrd__block_key(block);
    size_t key_len = lrd__block_key_len(block);
    uint64_t start = lrd__block_start(block), bytes;
    if (key_len == 0 || __builtin_add_overflow(start, lrd__block_size(block), &bytes) ||
        bytes > store->geo.data_size - offset || !fsck_see(run, offset, bytes)) {
        fsck_wrong(
            run, "slot %u: its block at %llu does not fit its page or its memory, or is another's",
            slot, (unsigned long long)offset);
        return;
    }
    lrd__place place = lrd__place_of(store, key, key_len);
    uint32_t home = lrd__word_home(slot, word), homes = lrd__shard_homes(place.shard);
    if (place.shard_index != run->shard || place.tag != lrd__word_tag(word) ||
        (home != lrd__place_home(store, &place, homes) &&
         home != lrd__place_home(store, &place, homes + 1)))
        fsck_wrong(run, "slot %u: its key belongs elsewhere", slot);
    else if (lrd__index_find(store, &place, key, key_len) != slot)
        fsck_wrong(run, "slot %u: its key is found in another slot, or not at all", slot);
    fsck_packed(run, slot, block);
    fsck_count(run, slot, block, lrd__block_bytes(store, offset));
}

static void fsck_index(fsck_run *run)
{
    lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    uint32_t buckets = lrd__shard_buckets(store);
    for (uint32_t slot = 0; slot < buckets * LRD__WAYS; slot++) {
        uint64_t word = lrd__slot_word(store, run->shard, slot);
        if (word != 0)
            fsck_word(run, slot, word);
        else if (store->expires)
            FSCK_SAME(run, "the tick of an empty slot", lrd__timer_tick(store, run->shard, slot),
                      0u);
    }
    for (uint32_t b = 0; b < buckets; b++) {
        uint32_t passed = 0;
        for (uint32_t d = 1; d < LRD__PROBES && b + d < buckets; d++)
            for (uint32_t way = 0; way < LRD__WAYS; way++) {
                uint32_t slot = (b + d) * LRD__WAYS + way;
                uint64_t word = lrd__slot_word(store, run->shard, slot);
                passed += word != 0 && lrd__word_displacement(word) >= d;
            }
        uint8_t count = atomic_load_explicit(&lrd__bucket_of(store, run->shard, b)->displaced,
                                             memory_order_relaxed);
        if (count != UINT8_MAX)
            FSCK_SAME(run, "a displacement count", count, passed);
    }
    FSCK_SAME(run, "live_entries", fsck_load(&shard->live_entries), run->live);
    FSCK_SAME(run, "dead_entries", lrd__shard_dead(shard), run->dead);
    FSCK_SAME(run, "live_bytes", fsck_load(&shard->live_bytes), run->live_bytes);
    FSCK_SAME(run, "dead_bytes", fsck_load(&shard->dead_bytes), run->dead_bytes);
    FSCK_SAME(run, "packed_entries", fsck_load(&shard->packed_entries), run->packed);
    FSCK_SAME(run, "packed_bytes", fsck_load(&shard->packed_bytes), run->packed_bytes);
    FSCK_SAME(run, "packed_ready", fsck_load(&shard->packed_ready), run->packed_ready);
    if (run->packed != 0 && fsck_load(&shard->packs) == 0)
        fsck_wrong(run, "packed values in a shard that counts none");
    uint32_t homes = lrd__shard_homes(shard);
    if (homes < store->geo.buckets || homes + LRD__OVERHANG > buckets)
        fsck_wrong(run, "%u homes of %u buckets", homes, buckets);
    FSCK_SAME(run, "moving", atomic_load_explicit(&shard->moving, memory_order_relaxed), 0u);
    FSCK_SAME(run, "flux", atomic_load_explicit(&shard->flux, memory_order_relaxed), 0u);
}

/* ---- pages ---- */

static void fsck_page(fsck_run *run, uint32_t page, uint32_t owner, uint64_t *retired_bytes)
{
    const lrd_store *store = run->store;
    const lrd__bits *bits = store->bits + page;
    const lrd__page *p = store->pages + page;
    uint32_t used = 0, retired = 0, size_class = lrd__owner_class(owner);
    uint64_t held = 0;
    if (size_class > LRD__CLASS_RUN) {
        fsck_wrong(run, "page %u has class %u", page, size_class);
        return;
    }
    if (lrd__page_committed(store, page) > lrd__page_bytes(store, page))
        fsck_wrong(run, "page %u has %llu bytes of memory", page,
                   (unsigned long long)lrd__page_committed(store, page));
    for (uint32_t i = 0; i < LRD__PAGE_WORDS; i++) {
        used += (uint32_t)__builtin_popcountll(bits->block[i].allocated);
        retired += (uint32_t)__builtin_popcountll(bits->block[i].retired);
        held |= bits->held[i];
        if (bits->block[i].retired & ~bits->block[i].allocated)
            fsck_wrong(run, "page %u: retired blocks that are not allocated", page);
        if ((bits->block[i].allocated & ~bits->block[i].retired) !=
            run->seen[page].block[i].allocated)
            fsck_wrong(run, "page %u: live bits %llx, the index names %llx (word %u)", page,
                       (unsigned long long)(bits->block[i].allocated & ~bits->block[i].retired),
                       (unsigned long long)run->seen[page].block[i].allocated, i);
        if (i < p->hint && size_class != LRD__CLASS_RUN && bits->block[i].allocated != UINT64_MAX &&
            i < lrd__page_blocks(store, page, size_class) / 64)
            fsck_wrong(run, "page %u: a free block below its hint", page);
    }
    FSCK_SAME(run, "used of a page", atomic_load_explicit(&p->used, memory_order_relaxed), used);
    if (retired != 0 && !p->waits)
        fsck_wrong(run, "page %u has retired blocks, and no batch will look there", page);
    run->waits += p->waits;
    if ((held != 0 && !p->marked) || (p->marked && !store->shards[run->shard].marked))
        fsck_wrong(run, "page %u has held bits that no scan will clear", page);
    FSCK_SAME(run, "retired of a page", atomic_load_explicit(&p->retired, memory_order_relaxed),
              retired);
    if (size_class != LRD__CLASS_RUN)
        FSCK_SAME(run, "a page's being listed as having room", p->avail,
                  used < lrd__page_blocks(store, page, size_class));
    *retired_bytes += (uint64_t)retired * lrd__class_size(size_class);
}

/* Follow one list of pages. Check that each page belongs to the shard and the size class, and links
 * back. Returns the number of pages. */
static uint32_t fsck_page_list(fsck_run *run, uint32_t head, bool avail, uint32_t lane,
                               uint32_t size_class)
{
    const lrd_store *store = run->store;
    uint32_t count = 0, before = 0;
    for (uint32_t link = head; link != 0 && count <= store->geo.pages_all; count++) {
        if (link > store->geo.pages_all) {
            fsck_wrong(run, "a page list leads to page %u", link - 1);
            break;
        }
        const lrd__page *p = store->pages + link - 1;
        uint32_t owner = lrd__page_owner(store, link - 1), c = lrd__owner_class(owner);
        bool fits = avail || size_class == LRD__CLASS_RUN ? c == size_class : c < LRD__CLASSES;
        if (!lrd__owner_is(owner, run->shard) || !fits)
            fsck_wrong(run, "page %u is in a list of class %u, but is %x", link - 1, size_class,
                       owner);
        if (avail && p->lane != lane)
            fsck_wrong(run, "page %u of lane %u is in a list of lane %u", link - 1, p->lane, lane);
        if ((avail ? p->aprev : p->prev) != before)
            fsck_wrong(run, "page %u is not linked back", link - 1);
        if (size_class == LRD__CLASS_RUN && link <= before)
            fsck_wrong(run, "run page %u is out of order", link - 1);
        before = link;
        link = avail ? p->anext : p->next;
    }
    if (count > store->geo.pages_all)
        fsck_wrong(run, "a page list is a ring");
    return count;
}

/* Check gap->from. A search for gap->units free units begins at the page that lrd__gap_start()
 * computes from it, so no free row of this length may begin at an earlier page. */
static void fsck_gap(fsck_run *run, const lrd__gap *gap)
{
    const lrd_store *store = run->store;
    uint64_t length = 0, expected = 0, neighbours = gap->units / LRD__PAGE_UNITS + 1;
    for (uint32_t link = store->shards[run->shard].run_pages; gap->units != 0 && link > expected;
         link = store->pages[link - 1].next) {
        uint64_t page = link - 1;
        length = page == expected ? length : 0;
        expected = page + 1;
        for (uint64_t unit = 0; unit < LRD__PAGE_UNITS; unit++) {
            bool free = (store->bits[page].block[0].allocated >> unit & 1) == 0;
            length = free ? length + 1 : 0;
            if (length == gap->units &&
                (page * LRD__PAGE_UNITS + unit + 1 - length) / LRD__PAGE_UNITS + 1 + neighbours <
                    gap->from)
                fsck_wrong(run, "%u units are free at page %llu, but sought from page %u on",
                           gap->units, (unsigned long long)page, gap->from - 1);
        }
    }
}

static void fsck_pages(fsck_run *run)
{
    const lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    uint64_t retired_bytes = 0;
    uint64_t page_bytes = 0;
    uint32_t pages = 0, with_room = 0, available = 0;
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (!lrd__owner_is(owner, run->shard))
            continue;
        fsck_page(run, (uint32_t)page, owner, &retired_bytes);
        pages++;
        page_bytes += lrd__page_bytes(store, page);
        if (lrd__owner_class(owner) >= LRD__CLASSES)
            continue;
        run->class_bytes[lrd__owner_class(owner)] += lrd__page_bytes(store, page);
        with_room += store->pages[page].avail;
    }
    for (uint32_t lane = 0; lane < LRD__LANES; lane++)
        for (uint32_t c = 0; c < LRD__CLASSES; c++)
            available += fsck_page_list(run, shard->avail[lane][c], true, lane, c);
    FSCK_SAME(run, "pages listed as having room", available, with_room);
    FSCK_SAME(run, "pages in the lists",
              fsck_page_list(run, shard->small_pages, false, 0, 0) +
                  fsck_page_list(run, shard->run_pages, false, 0, LRD__CLASS_RUN),
              pages);
    uint64_t waiting = 0;
    for (uint32_t link = shard->waiting; link != 0 && link <= store->geo.pages_all &&
                                         store->pages[link - 1].waits && waiting <= run->waits;
         link = store->pages[link - 1].waiting)
        waiting++;
    FSCK_SAME(run, "pages in the waiting list", waiting, run->waits);
    for (uint32_t i = 0; i < LRD__GAPS; i++)
        fsck_gap(run, shard->gaps + i);
    FSCK_SAME(run, "page_count", shard->page_count, pages);
    FSCK_SAME(run, "page_bytes", fsck_load(&shard->page_bytes), page_bytes);
    for (uint32_t c = 0; c < LRD__CLASSES; c++)
        FSCK_SAME(run, "class_bytes", shard->class_bytes[c], run->class_bytes[c]);
    FSCK_SAME(run, "retired_bytes", fsck_load(&shard->retired_bytes), retired_bytes);
    if (shard->unlinked_at > fsck_load(&store->header->barriers_begun))
        fsck_wrong(run, "unlinked_at is %llu", (unsigned long long)shard->unlinked_at);
    if (shard->reclaim_step > lrd__batch_most(store))
        fsck_wrong(run, "reclaim_step is %llu", (unsigned long long)shard->reclaim_step);
}

/* ---- queues and wheel ---- */

static void fsck_queue(fsck_run *run, uint32_t head, uint32_t tail, uint32_t flag, uint32_t swept)
{
    const lrd_store *store = run->store;
    uint32_t count = 0, last = 0, next;
    bool found = swept == 0;
    for (uint32_t link = head; link != 0; link = next & LRD__LINK, count++) {
        if (link > run->slots || count >= run->slots) {
            fsck_wrong(run, "a queue leads to slot %u after %u", link - 1, count);
            return;
        }
        next = store->links[lrd__slot_number(store, run->shard, link - 1)];
        if ((next & (LRD__IN_SMALL | LRD__IN_MAIN)) != flag || (run->queued[link - 1] & 1))
            fsck_wrong(run, "slot %u is in queue %x with link %x", link - 1, flag, next);
        run->queued[link - 1] |= 1;
        found = found || link == swept;
        last = link;
    }
    FSCK_SAME(run, "the tail of a queue", tail, last);
    if (!found)
        fsck_wrong(run, "the sweep goes on after slot %u, which is not in its queue", swept - 1);
}

static void fsck_queues(fsck_run *run)
{
    const lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    uint32_t sweeps = shard->sweeps % (2 * LRD__ORDERS);
    for (uint32_t i = 0; i < LRD__ORDERS; i++) {
        const lrd__order *order = shard->orders + i, *sums = run->orders + i;
        fsck_queue(run, order->small.head, order->small.tail, LRD__IN_SMALL,
                   sweeps == 2 * i ? shard->swept : 0);
        fsck_queue(run, order->main.head, order->main.tail, LRD__IN_MAIN,
                   sweeps == 2 * i + 1 ? shard->swept : 0);
        FSCK_SAME(run, "small_bytes", order->small_bytes, sums->small_bytes);
        FSCK_SAME(run, "main_bytes", order->main_bytes, sums->main_bytes);
        FSCK_SAME(run, "main_count", order->main_count, sums->main_count);
        FSCK_SAME(run, "count", order->count, sums->count);
    }
    for (uint32_t slot = 0; slot < run->slots; slot++) {
        uint32_t link = store->links[lrd__slot_number(store, run->shard, slot)];
        if ((link != 0) != (run->queued[slot] & 1))
            fsck_wrong(run, "slot %u has link %x, but is in no queue", slot, link);
    }
}

static void fsck_wheel(fsck_run *run)
{
    const lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    uint32_t count = 0;
    for (uint32_t list = 0; list < LRD__WHEEL_LEVELS * LRD__WHEEL_SLOTS; list++)
        for (uint32_t link = shard->wheel[list / LRD__WHEEL_SLOTS][list % LRD__WHEEL_SLOTS];
             link != 0;
             link = store->timers[lrd__slot_number(store, run->shard, link - 1)].next, count++) {
            if (link > run->slots || count >= run->slots ||
                !lrd__timer_ready(store, lrd__slot_number(store, run->shard, link - 1))) {
                fsck_wrong(run, "the wheel leads to slot %u after %u", link - 1, count);
                return;
            }
            if (run->queued[link - 1] & 2)
                fsck_wrong(run, "slot %u is in the wheel twice", link - 1);
            run->queued[link - 1] |= 2;
        }
    FSCK_SAME(run, "wheel_count", shard->wheel_count, count);
    for (uint32_t slot = 0; slot < run->slots; slot++) {
        uint64_t number = lrd__slot_number(store, run->shard, slot);
        if (!lrd__timer_ready(store, number))
            continue;
        const lrd__timer *timer = &store->timers[number];
        if ((timer->tick != 0) != (run->queued[slot] >> 1 & 1) ||
            (timer->tick != 0) != (timer->prev != 0))
            fsck_wrong(run, "slot %u: tick %u, link back %x, in the wheel %d", slot, timer->tick,
                       timer->prev, run->queued[slot] >> 1 & 1);
    }
}

/* ---- key reservations ---- */

/* Mark row number `link` - 1 as listed, and return it. If another shard or list has the row, report
 * a violation and return NULL. */
static const lrd__keylock *fsck_keylock_row(fsck_run *run, uint32_t link)
{
    const lrd_store *store = run->store;
    uint32_t chunk = (link - 1) / LRD__KEYLOCK_CHUNK;
    if (chunk >= store->geo.keylock_chunks ||
        !lrd__chunk_of(lrd__chunk_owner(store, chunk), run->shard) || run->listed[link - 1]) {
        fsck_wrong(run, "reservation row %u is another shard's, or in two lists", link - 1);
        return NULL;
    }
    run->listed[link - 1] = 1;
    return lrd__keyrow_at(store, link);
}

static void fsck_keylock_chain(fsck_run *run, uint32_t head)
{
    const lrd_store *store = run->store;
    lrd__shard *shard = store->shards + run->shard;
    uint32_t before = 0, first = lrd__keyrow_heads(store, run->shard)[head];
    for (uint32_t link = first; link != 0;) {
        const lrd__keylock *row = fsck_keylock_row(run, link);
        if (row == NULL)
            return;
        if (row->prev != before || row->hash_low % LRD__KEYLOCK_HEADS != head)
            fsck_wrong(run, "reservation row %u is in the wrong chain, or not linked back",
                       link - 1);
        if (row->token == 0 && row->waiters == 0)
            fsck_wrong(run, "reservation row %u is in a chain and free", link - 1);
        if (row->token > shard->token || (row->token != 0 && row->slot >= store->geo.slots))
            fsck_wrong(run, "reservation row %u has token %llu of %llu and slot %u", link - 1,
                       (unsigned long long)row->token, (unsigned long long)shard->token, row->slot);
        if (lrd__keyrow_find(store, shard, row->hash_low, row->hash_high) != row)
            fsck_wrong(run, "reservation row %u has a key that another row has", link - 1);
        before = link;
        link = row->next;
    }
}

static void fsck_keylocks(fsck_run *run)
{
    const lrd_store *store = run->store;
    const lrd__shard *shard = store->shards + run->shard;
    uint64_t rows = (uint64_t)store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK, owned = 0, listed = 0;
    memset(run->listed, 0, rows);
    for (uint32_t chunk = 0; chunk < store->geo.keylock_chunks; chunk++) {
        uint16_t owner = lrd__chunk_owner(store, chunk);
        if (!lrd__chunk_of(owner, run->shard))
            continue;
        owned += LRD__KEYLOCK_CHUNK;
        if ((owner & LRD__CHUNK_READY) == 0)
            fsck_wrong(run, "chunk %u of reservation rows was not wiped", chunk);
    }
    for (uint32_t head = 0; head < LRD__KEYLOCK_HEADS && shard->keylock_ready != 0; head++)
        fsck_keylock_chain(run, head);
    uint32_t before = 0;
    for (uint32_t link = shard->keylock_free; link != 0;) {
        const lrd__keylock *row = fsck_keylock_row(run, link);
        if (row == NULL)
            break;
        if (row->prev != before)
            fsck_wrong(run, "reservation row %u is free, and not linked back", link - 1);
        if (row->token != 0 || row->waiters != 0)
            fsck_wrong(run, "reservation row %u is in the free list and used", link - 1);
        before = link;
        link = row->next;
    }
    for (uint64_t row = 0; row < rows; row++)
        listed += run->listed[row];
    FSCK_SAME(run, "reservation rows in lists", listed, owned);
}

/* ---- queues ---- */

/* Report that the number `what` of a queue is `is`, but should be `should`. */
static void fsck_queue_wrong(void *run, const char *what, uint64_t is, uint64_t should)
{
    fsck_wrong(run, "%s is %llu, should be %llu", what, (unsigned long long)is,
               (unsigned long long)should);
}

static bool fsck_queue_see(void *run, uint64_t offset, uint64_t bytes)
{
    return fsck_see(run, offset, bytes);
}

/* ---- a store ---- */

static void fsck_shard(fsck_run *run)
{
    lrd__entry_sync(run->store, run->shard);
    memset(run->seen, 0, run->store->geo.pages_all * sizeof *run->seen);
    run->slots = lrd__shard_slots(run->store);
    memset(run->queued, 0, run->slots);
    run->live = run->dead = run->live_bytes = run->dead_bytes = 0;
    run->packed = run->packed_bytes = run->packed_ready = 0;
    run->waits = 0;
    memset(run->orders, 0, sizeof run->orders);
    memset(run->class_bytes, 0, sizeof run->class_bytes);
    fsck_index(run);
    /* check message queues first: they mark the bodies, and the check of pages needs these marks */
    if (run->store->queues != NULL)
        lrd__queue_fsck(run->store, run->shard,
                        &(lrd__queue_check){run, fsck_queue_wrong, fsck_queue_see});
    fsck_pages(run);
    if (run->store->evicts)
        fsck_queues(run);
    if (run->store->expires)
        fsck_wheel(run);
    fsck_keylocks(run);
}

static void fsck_report(fsck_run *run, void (*report)(void *, const char *), void *arg)
{
    for (uint32_t i = 0; i < run->texts && report != NULL; i++)
        report(arg, run->text[i]);
    run->texts = 0;
}

static void fsck_chunks(fsck_run *run)
{
    const lrd_store *store = run->store;
    uint32_t high = atomic_load_explicit(&store->header->keylock_chunks, memory_order_relaxed);
    if (high > store->geo.keylock_chunks)
        fsck_wrong(run, "%u chunks of reservation rows of %u", high, store->geo.keylock_chunks);
    for (uint32_t chunk = 0; chunk < store->geo.keylock_chunks; chunk++) {
        uint16_t owner = lrd__chunk_owner(store, chunk);
        if (owner != 0 && (owner & ~LRD__CHUNK_READY) - 1u >= store->geo.shards)
            fsck_wrong(run, "chunk %u of reservation rows has owner %x", chunk, owner);
    }
}

/* Check the parts that no shard owns: owner words and slots. */
static void fsck_segment(fsck_run *run)
{
    const lrd_store *store = run->store;
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner != 0 && !(owner == LRD__OWNER_LOST && !store->listed) &&
            (!(owner & LRD__OWNED) || lrd__owner_shard(owner) >= store->geo.shards ||
             lrd__owner_class(owner) > LRD__CLASS_RUN))
            fsck_wrong(run, "page %llu has owner %x", (unsigned long long)page, owner);
    }
    fsck_chunks(run);
    if (!lrd__pages_sound(store->header, &store->geo))
        fsck_wrong(run, "%u pages of %llu are described",
                   atomic_load_explicit(&store->header->pages_high, memory_order_relaxed),
                   (unsigned long long)store->geo.pages);
    if (!lrd__grow_sound(&store->header->view, &store->geo))
        fsck_wrong(run, "the index cannot have grown to %u buckets", lrd__shard_buckets(store));
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    if (high > store->geo.slots)
        fsck_wrong(run, "%u slots of %u were claimed", high, store->geo.slots);
    for (uint32_t i = 0; i < high && i < store->geo.slots; i++) {
        const lrd__slot *slot = lrd__slot_at(store, i);
        uint64_t n = fsck_load(&slot->n);
        uint32_t room = atomic_load_explicit(&slot->room, memory_order_acquire);
        if (room <= LRD__LEDGER_FIRST || room > lrd__slot_entries(i))
            fsck_wrong(run, "slot %u has memory for %u blocks", i, room);
        if (n > room)
            fsck_wrong(run, "slot %u lists %llu blocks of %u", i, (unsigned long long)n, room);
        for (uint64_t k = 1; k < n && k < room && k < lrd__slot_entries(i); k++)
            if (fsck_load(&slot->ledger[k]) > store->geo.data_size >> LRD__GRANULE_BITS)
                fsck_wrong(run, "slot %u lists something outside of the data", i);
    }
}

int lrd_fsck(lrd_store *store, void (*report)(void *arg, const char *text), void *arg)
{
    lrd__thread *self = NULL;
    if (lrd__segment_is_truncated(store))
        return LRD_ETRUNCATED;
    fsck_run *run = calloc(1, sizeof *run);
    if (run != NULL) {
        run->store = store;
        run->seen = malloc(store->geo.pages_all * sizeof *run->seen);
        /* allocate for the largest index, because it may grow during the check */
        run->queued = malloc(((size_t)store->geo.homes_max + LRD__OVERHANG) * LRD__WAYS);
        run->listed = malloc((size_t)store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK);
    }
    int rc = run == NULL || run->seen == NULL || run->queued == NULL || run->listed == NULL
                 ? lrd__fail(LRD_ENOMEM, "private copies of the bitmaps")
                 : lrd__enter(store, &self);
    if (rc != LRD_OK)
        goto done;
    for (run->shard = 0; run->shard < store->geo.shards; run->shard++) {
        int code = lrd__shard_lock(store, self, run->shard);
        /* continue after a busy shard, but return the code of the first one */
        rc = rc != LRD_OK ? rc : code;
        if (code != LRD_OK)
            continue;
        fsck_shard(run);
        lrd__shard_unlock(store, run->shard);
        fsck_report(run, report, arg);
    }
    lrd__leave(self);
    fsck_segment(run);
    fsck_report(run, report, arg);
    if (rc == LRD_OK)
        rc = run->violations < INT32_MAX ? (int)run->violations : INT32_MAX;
done:
    if (run != NULL) {
        free(run->seen);
        free(run->queued);
        free(run->listed);
    }
    free(run);
    return rc;
}
