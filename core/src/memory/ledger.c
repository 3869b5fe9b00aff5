/* ledger.c - the ledger of a thread lists the blocks that the thread holds. A writer scans all
 * ledgers before it frees blocks (hazard pointers). Owns the fields `n`, `spare` and `ledger` of a
 * slot, and the private data about them in lrd__thread. Begin reading at lrd__protect() in ledger.h
 * and lrd__ledger_scan().
 *
 *   reader                                    writer (shard lock held)
 *   w = load word (acquire)                   store word (release): the block is unlinked
 *   ledger[e] = block (release)               set its retired bit
 *   n = e + 1 (release)                       membarrier: every reader's stores so far are visible
 *   compiler barrier, or fence                read all ledgers (acquire)
 *   load word again: still w?                 free the retired blocks that no ledger lists
 *
 * "Word" is an index word, which has the offset of a block. An entry is an element of a ledger. One
 * barrier covers all blocks, of all shards, that were unlinked before it began.
 *
 * Invariants
 * - A reader lists a block before it reads the block. A writer frees a block if it was retired
 *   before the barrier and no ledger lists it after the barrier.
 * - To release a block, a thread stores 0 in the entry that lists the block. This store (release)
 *   pairs with the scan's acquire load. Only lrd_holds_end() moves entries.
 * - The first entries' memory is committed together with their slot. For further entries the owner
 *   first commits memory, then raises `room`, and only then lists blocks. The slot's next owner
 *   does not lower `room`, because a scan may still read there.
 * - A writer leaves out the membarrier if it sees, after a full fence, that its own slot is the
 *   only claimed one. The fence pairs with the full fence in slot_take().
 * - To move a hold to another slot, list it there, then announce the move in header->handovers, and
 *   only then clear the first listing. A scan that saw neither listing sees the announcement.
 * - A scan reads a slot in order: spare, n, then the entries. So a hold may move from spare to an
 *   entry of the same slot without an announcement. */
#include "memory/ledger.h"
#include "memory/zone.h"
#include "ground/error.h"
#include "memory/slot.h"
#include "memory/page.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEDGER_BARRIER_MIN ((uint64_t)16 << 10)
#define LEDGER_BARRIER_MORE ((uint64_t)1 << 10)
/* upper limit of lrd__thread.barrier_at, the number of written bytes at which a barrier is due */
#define LEDGER_BARRIER ((uint64_t)4 << 20)
/* in a store below 128 MiB, barrier_at is at most 1/LEDGER_BARRIER_PART of the store's size */
#define LEDGER_BARRIER_PART 32u
#define LEDGER_RESCANS 100
/* lrd_store.alone can be true only if at most this number of slots was ever used */
#define LEDGER_FEW_SLOTS 16u

/* ---- the thread's own entries ---- */

bool lrd__ledger_grow(lrd__thread *self, uint32_t most)
{
    lrd_store *store = self->store;
    uint32_t room = self->room, next = room;
    if (most <= room)
        return true;
    while (next < most)
        next += LRD__LEDGER_STEP;
    uint32_t entries = lrd__slot_entries(self->slot_index);
    next = next < entries ? next : entries;
    if (next < most || lrd__memory_short(store))
        return false;
    int rc = lrd__segment_commit_ledger(store, self->slot_index, room, next);
    if (rc == LRD_ENOSPC)
        lrd__memory_note(store);
    if (rc != LRD_OK)
        return false;
    LRD__FAILPOINT("ledger_committed");
    atomic_store_explicit(&self->slot->room, next, memory_order_release);
    self->room = next;
    LRD__FAILPOINT("ledger_grown");
    return true;
}

__attribute__((hot)) void lrd__ledger_clear(lrd__thread *self)
{
    lrd__assert_thread(self);
    if (atomic_load_explicit(&self->slot->spare, memory_order_relaxed) != 0)
        atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    if (self->n == 1)
        return;
    atomic_store_explicit(&self->slot->n, 0, memory_order_release);
    memset(self->holds, 0, self->n * sizeof *self->holds);
    self->n = self->top = 1;
    self->free = self->freed = self->reservations = 0;
    self->untidy = self->is_wide = false;
    lrd__ledger_young(self);
    self->held_bytes = 0;
    lrd__quota_lower(self);
}

LRD__HOT int lrd__ledger_reserve(lrd__thread *self, uint64_t offset, uint64_t bytes,
                                 uint32_t *entry)
{
    lrd__assert_thread(self);
    lrd__assert_offset(self->store, offset);
    uint32_t e = lrd__ledger_list(self, lrd__listing(offset), 0);
    if (e == 0)
        return lrd__fail(LRD_ESTATE, "this thread has %u values held or being built",
                         lrd__slot_entries(self->slot_index) - 1);
    bool limited = self->limited;
    if (!lrd__quota_take(self, e, bytes)) {
        /* A write must not fail because of the quota. Reads return copies until the thread holds
         * less again. */
        self->held_bytes += bytes;
        self->holds[e].bytes = bytes;
        /* lrd__quota_take() may have set `limited`, so restore it. `limited` may become true only
         * when a read could not hold a value, and this is a write. */
        self->limited = limited;
        self->limited_now = false;
    }
    if (lrd__zone_near(self, (uintptr_t)self->store->data + offset, bytes))
        lrd__zone_take(self, offset, bytes, true);
    self->holds[e].listed |= LRD__RESERVED; /* a reservation, not a handle */
    self->holds[e].serial = ++self->serial;
    self->reservations++;
    *entry = e;
    LRD__FAILPOINT("ledger_reserved");
    return LRD_OK;
}

void lrd__ledger_count_copy(lrd__thread *self)
{
    lrd__assert_thread(self);
    lrd__add(&self->slot->copies, 1);
    self->limited_copy |= self->limited_now;
    self->limited_now = false;
    /* Count the copy by its cause, too. The cause LRD_COPY_MEMORY has no field: it gets all copies
     * that the two other fields do not count. */
    if (lrd__request_is_old(self))
        lrd__add(&self->slot->copies_time, 1);
    else if (lrd__ledger_live(self) + LRD__RESERVATION_ENTRIES + 1 >= self->room)
        lrd__add(&self->slot->copies_number, 1);
}

/* ---- scans ---- */

/* True if this thread's slot is the only claimed slot. Call this after a full fence. */
static bool ledger_is_alone(const lrd_store *store)
{
    const lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL)
        return false;
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    for (uint32_t i = 0; i < high; i++)
        if (i != self->slot_index &&
            atomic_load_explicit(&lrd__slot_at(store, i)->claimed, memory_order_acquire) != 0)
            return false;
    return true;
}

static LRD__HOT int ledger_barrier(lrd_store *store)
{
    lrd__header *header = store->header;
    uint64_t number =
        atomic_fetch_add_explicit(&header->barriers_begun, 1, memory_order_seq_cst) + 1;
    LRD__FAILPOINT("barrier_begun");
    /* Pairs with the fence of a thread that claims a slot: ledger_is_alone() sees the claim, or the
     * claiming thread sees all index words stored before this fence. In fence mode, also pairs with
     * the fence of a reader: a later scan sees the reader's listing, or the reader sees that the
     * index word has changed. */
    atomic_thread_fence(memory_order_seq_cst);
    bool alone = ledger_is_alone(store);
    bool few = atomic_load_explicit(&header->slots_high, memory_order_relaxed) <= LEDGER_FEW_SLOTS;
    atomic_store_explicit(&store->alone, alone && few, memory_order_relaxed);
    if (!store->fence && !alone &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0)
        return lrd__fail(LRD_EBARRIER, "membarrier(2): %s", strerror(errno));
    uint64_t done = atomic_load_explicit(&header->barriers_done, memory_order_relaxed);
    while (done < number &&
           !atomic_compare_exchange_weak_explicit(&header->barriers_done, &done, number,
                                                  memory_order_release, memory_order_relaxed))
        continue;
    LRD__FAILPOINT("barrier_done");
    return LRD_OK;
}

/* After a writer has unlinked a block, it stores the number of the last barrier that has begun in
 * unlinked_at (lrd__shard_unlock()). A barrier with a higher number began later, so it covers the
 * block. */
LRD__HOT bool lrd__ledger_passed(const lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    const lrd__shard *s = store->shards + shard;
    if (LRD__CONTROL(no_barrier))
        return true;
    /* Pairs with the release in ledger_barrier(), which raises barriers_done after a barrier has
     * ended. */
    return s->unlinked == 0 && atomic_load_explicit(&store->header->barriers_done,
                                                    memory_order_acquire) > s->unlinked_at;
}

LRD__HOT bool lrd__barrier_due(lrd__thread *self)
{
    if (atomic_load_explicit(&self->store->alone, memory_order_relaxed))
        /* This thread is alone in the store, so its barrier needs no system call. */
        return true;
    if (self->written < self->barrier_at)
        return false;
    self->written = 0;
    uint64_t next = self->barrier_at + self->barrier_at / 32 + LEDGER_BARRIER_MORE;
    uint64_t most = self->store->geo.size / LEDGER_BARRIER_PART;
    most = most < LEDGER_BARRIER ? most : LEDGER_BARRIER;
    next = self->barrier_at == 0 ? LEDGER_BARRIER_MIN : next;
    self->barrier_at = next < most ? next : most;
    return true;
}

/* Inline the functions of a scan, so that each kind of scan has its own loop. A scan may read
 * 100,000 entries, so calls in its loop would be slow. */
#define LEDGER_INLINE inline __attribute__((always_inline))

/* Call `mark` for every block that the slot lists. Returns the number of entries that were read. */
static LEDGER_INLINE uint64_t ledger_read(lrd_store *store, uint32_t index,
                                          void (*mark)(lrd_store *, uint64_t offset, void *),
                                          void *arg)
{
    lrd__assert(index < store->geo.slots);
    lrd__slot *slot = lrd__slot_at(store, index);
    /* Read `spare` before `n` and the entries (see the invariants). Pairs with the release that
     * overwrites `spare`. */
    uint64_t listed = atomic_load_explicit(&slot->spare, memory_order_acquire);
    LRD__FAILPOINT("ledger_spare");
    uint64_t n = atomic_load_explicit(&slot->n, memory_order_acquire);
    if (n <= 1 && listed == 0)
        return 0;
    uint64_t incarnation = atomic_load_explicit(&slot->incarnation, memory_order_acquire);
    if (!lrd__slot_alive(store, index, incarnation) &&
        atomic_load_explicit(&slot->claimed, memory_order_acquire) == 0)
        return 0;
    uint32_t entries = lrd__slot_entries(index);
    for (uint64_t i = 1;; i++) { /* the spare entry first, then the ledger */
        if (listed - 1 < store->geo.data_size >> LRD__GRANULE_BITS)
            mark(store, lrd__listing_offset(listed), arg);
        if (i >= n || i >= entries || (LRD__CONTROL(scan_first) && i > LRD__LEDGER_FIRST))
            break;
        listed = atomic_load_explicit(&slot->ledger[i], memory_order_acquire);
    }
    return n;
}

static LEDGER_INLINE void ledger_read_all(lrd_store *store,
                                          void (*mark)(lrd_store *, uint64_t, void *), void *arg)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    /* each slot counts as one more entry, because reading an idle slot takes time too */
    uint64_t entries = high;
    for (uint32_t i = 0; i < high; i++) {
        LRD__FAILPOINT("ledger_read");
        if (atomic_load_explicit(&lrd__slot_at(store, i)->claimed, memory_order_acquire) != 0)
            entries += ledger_read(store, i, mark, arg);
    }
    atomic_store_explicit(&store->scanned, (uint32_t)entries, memory_order_relaxed);
}

static LEDGER_INLINE void ledger_mark_held(lrd_store *store, uint64_t offset, void *shard)
{
    lrd__assert_offset(store, offset);
    uint32_t owner = lrd__page_owner(store, lrd__page_of(store, offset));
    /* most listed blocks belong to other shards */
    if (lrd__owner_is(owner, *(uint32_t *)shard))
        lrd__arena_mark(store, *(uint32_t *)shard, offset);
}

LRD__HOT int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier)
{
    lrd__assert_locked(store, shard);
    lrd__arena_unmark_all(store, shard);
    if (LRD__CONTROL(ignore_ledger))
        return LRD_OK;
    int rc = barrier && !LRD__CONTROL(no_barrier) ? ledger_barrier(store) : LRD_OK;
    if (rc != LRD_OK)
        return rc;
    for (int i = 0; i < LEDGER_RESCANS; i++) {
        /* Scan again if a hold moved to another slot meanwhile. Pairs with the increment that
         * announces the move. */
        uint64_t before = atomic_load_explicit(&store->header->handovers, memory_order_seq_cst);
        ledger_read_all(store, ledger_mark_held, &shard);
        if (atomic_load_explicit(&store->header->handovers, memory_order_seq_cst) == before)
            return LRD_OK;
    }
    return lrd__fail(LRD_EBUSY, "holds keep moving between slots");
}

static LEDGER_INLINE void ledger_mark_page(lrd_store *store, uint64_t offset, void *arg)
{
    lrd__assert_offset(store, offset);
    uint64_t *bitmap = arg;
    uint64_t length = 1;
    uint32_t owner = lrd__page_owner(store, lrd__page_of(store, offset));
    if (owner != 0 && lrd__owner_class(owner) == LRD__CLASS_RUN)
        length = lrd__run_units(store, offset >> LRD__UNIT_BITS) << LRD__UNIT_BITS;
    uint64_t last = (offset + length - 1) >> LRD__PAGE_BITS;
    for (uint64_t p = offset >> LRD__PAGE_BITS; p <= last && p < store->geo.pages; p++)
        bitmap[p / 64] |= 1ull << p % 64;
}

void lrd__ledger_pages(lrd_store *store, uint64_t *bitmap)
{
    ledger_read_all(store, ledger_mark_page, bitmap);
}
