/* ledger.c - the ledger of a thread lists the blocks that the thread holds. A writer scans all
 * ledgers before it frees blocks. (This technique is known as hazard pointers.) Owns the fields
 * `n`, `spare` and `ledger` of a slot, and the private data about them in lrd__thread. Begin
 * reading at lrd__protect() in ledger.h and lrd__ledger_scan().
 *
 *   reader                                    writer (shard lock held)
 *   w = load word (acquire)                   store word (release): the block is unlinked
 *   ledger[e] = block (release)               set its retired bit
 *   n = e + 1 (release)                       membarrier: every reader's stores so far are visible
 *   compiler barrier, or fence                read all ledgers (acquire)
 *   load word again: still w?                 free the retired blocks that no ledger lists
 *
 * "Word" is an index word, which has the offset of a block. In this file, an entry is an element of
 * a ledger. One barrier is enough for all blocks, of all shards, that were unlinked before it
 * began. See lrd__ledger_passed().
 *
 * Invariants
 * - A reader lists a block before it reads the block. A writer frees a block if it was retired
 *   before the barrier and no ledger lists it after the barrier. So either the scan sees the
 *   listing, or the reader's second load sees that the word has changed.
 * - To release a block, a thread stores 0 in the entry that lists the block. This store (release)
 *   pairs with the scan's acquire load, so no writer reuses the block before the thread has
 *   finished reading it. n is a high-water mark. Only lrd_holds_end() moves entries. It announces
 *   these moves like moves to another slot (see below), and then lowers n.
 * - The first entries' memory is committed together with their slot. For further entries the owner
 *   first commits memory, then raises `room`, and only then lists blocks in them. A scan reads only
 *   entries below `n`, so it never reads a hole of the file. The slot's next owner does not lower
 *   `room`, because a scan may still read there.
 * - A writer leaves out the membarrier if it sees, after a full fence, that its own slot is the
 *   only claimed one. To claim a slot, a thread stores `claimed` and then executes a full fence
 *   (slot_take()), before its first read. So either the writer sees the claim, or the new thread
 *   sees every word that was stored before the writer's fence.
 * - To move a hold to another slot, list it there, then announce the move in header->handovers, and
 *   only then clear the first listing. A scan that saw neither listing sees the announcement.
 * - A scan reads a slot in order: spare, n, then the entries. So a hold may move from spare to an
 *   entry of the same slot without an announcement: the entry and n are stored first, and then
 *   spare is overwritten (release). A scan that loads the old spare finds the block there. A scan
 *   that loads the new spare (acquire) finds the block in the entry. */
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
/* Upper limit of lrd__thread.barrier_at. A thread's next barrier is due when the thread has written
 * barrier_at bytes. */
#define LEDGER_BARRIER ((uint64_t)4 << 20)
/* in a store below 128 MiB, barrier_at is at most 1/LEDGER_BARRIER_PART of the store's size */
#define LEDGER_BARRIER_PART 32u
#define LEDGER_RESCANS 100
/* A scan reads all slots that were ever used. If they are at most this many, a scan is fast, so a
 * thread that is alone in the store reclaims often. */
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
        /* The quota is used up, but a write must not fail for this reason. So count the bytes
         * anyway. The thread's reads return copies until it holds less than its quota again. */
        self->held_bytes += bytes;
        self->holds[e].bytes = bytes;
        /* restore the flag, which tells that a read could not hold a value because of the limit */
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
    /* A get returns a copy for one of three reasons: the request is too old, the thread holds too
     * many values, or these values take too much memory. The third reason needs no counter: its
     * count is `copies` minus the other two counts. */
    if (lrd__request_is_old(self))
        lrd__add(&self->slot->copies_time, 1);
    else if (lrd__ledger_live(self) + LRD__RESERVATION_ENTRIES + 1 >= self->room)
        lrd__add(&self->slot->copies_number, 1);
}

/* ---- scans ---- */

/* Return true if this thread's slot is the only claimed slot. Call this after a full fence. If
 * another thread claims a slot after this check, that does no harm: see the invariants. */
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
    /* This fence pairs with the fence of a thread that claims a slot. In fence mode it also pairs
     * with the fences of readers, and makes their listings visible. In the other mode, the
     * membarrier below makes them visible. */
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

/* A writer that has unlinked a block executes a full fence, and then loads the number of the
 * barrier that began last (lrd__shard_unlock()). A barrier with a higher number begins later, so it
 * covers the block: when it has ended, each reader either has listed the block, or sees that the
 * index word has changed. */
LRD__HOT bool lrd__ledger_passed(const lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    const lrd__shard *s = store->shards + shard;
    if (LRD__CONTROL(no_barrier))
        return true;
    /* This acquire pairs with the release in ledger_barrier(), so the barrier with the number
     * barriers_done has ended. */
    return s->unlinked == 0 && atomic_load_explicit(&store->header->barriers_done,
                                                    memory_order_acquire) > s->unlinked_at;
}

LRD__HOT bool lrd__barrier_due(lrd__thread *self)
{
    if (atomic_load_explicit(&self->store->alone, memory_order_relaxed))
        /* a barrier of a thread that is alone in the store costs little, because it needs no system
         * call */
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

/* A scan may read 100,000 entries. So inline its functions: each kind of scan then has its own loop
 * without indirect calls. */
#define LEDGER_INLINE inline __attribute__((always_inline))

/* Call `mark` for every block that the slot lists. Returns the number of entries that were read. */
static LEDGER_INLINE uint64_t ledger_read(lrd_store *store, uint32_t index,
                                          void (*mark)(lrd_store *, uint64_t offset, void *),
                                          void *arg)
{
    lrd__assert(index < store->geo.slots);
    lrd__slot *slot = lrd__slot_at(store, index);
    /* Read `spare` before `n` and the entries (see the invariants). This acquire pairs with the
     * release that overwrites `spare`. */
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
    /* count each slot as one more entry, because reading even an idle slot takes time */
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
    /* Check the owner's shard first, because most listed blocks belong to other shards. */
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
        /* Scan again if a hold moved to another slot during this scan (see the invariants). The
         * load pairs with the increment that announces such a move. */
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
