/* ledger.c - the hazard ledger: the blocks that a thread holds, the bounds on them, and the scan by
 * which a writer learns which blocks are held. Owns n, spare and ledger of a slot and their private
 * halves in lrd__thread. ledger.h has the part that every read runs. The reader's side of the
 * protocol is in read.c; read that beside lrd__ledger_scan().
 *
 *   reader                                    writer (shard lock held)
 *   w = load word (acquire)                   store word (release): the block is unlinked
 *   ledger[e] = block (release)               set its retired bit
 *   n = e + 1 (release)                       membarrier: every reader's stores so far are visible
 *   compiler barrier, or fence                read all ledgers (acquire)
 *   load word again: still w?                 free the retired blocks that no ledger lists
 *
 * One barrier serves many shards: it counts for all blocks that were unlinked before it began. See
 * lrd__ledger_passed().
 *
 * Invariants
 * - A block is listed before anything of it is read, and freed only if it was retired before the
 *   barrier and no ledger listed it after. So either the scan sees the listing, or the reader's
 *   second load sees that the word has changed.
 * - An entry is released by zeroing it (release: pairs with the scan's acquire, so the memory is
 *   not reused before the reader has finished with it). n is a high-water mark. Entries move only
 *   in lrd_holds_end(), which announces it like a move to another slot, and lowers n afterwards.
 * - The first entries have memory with their slot. The owner commits more before it raises room,
 *   and raises room before it lists anything there; n never exceeds room. So a scan, which reads
 *   entries below n, meets no hole of the file. Room stays with the slot for its next owner: a scan
 *   that loaded n before the slot was cleared may still read there.
 * - A hold that goes from one slot to another is listed in the second, then announced in
 *   header->handovers, and only then may it leave the first. A scan that saw neither listing sees
 *   the announcement.
 * - A scan reads a slot in order: spare, n, then the entries. So a hold that goes from spare to an
 *   entry of the same slot needs no announcement. A new value of spare is stored (release) after
 *   the entry and n, so a scan that loads it acquires both and meets the block in the entry. The
 *   scan cannot load a value older than the listing: the block was validated under that listing,
 *   hence listed before the barrier.
 * - All threads together hold at most half of the data. A quota is raised first and then summed, so
 *   that at least one of two racing threads sees the other. A quota is lowered after holds have
 *   ended, never below the need of the remaining ones.
 * - Holds bar at most LRD__ZONE_BARRED windows of the zone, in the same way. A thread that wants to
 *   hold a block there first records, in the upper bits of its quota, which windows that bars, and
 *   then looks at all other quotas. It looks at nothing if it holds something in the window
 *   already, or if the block is not in the zone. A thread that builds there records the window but
 *   does not look, so building gives no leave to hold. So one window can always be emptied,
 *   whatever is held: see room.c. After memory was refused and while the zone lacks memory, nothing
 *   is held there: see lrd__zone_hungry(). */
#include "memory/ledger.h"
#include "ground/error.h"
#include "memory/slot.h"
#include "memory/page.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEDGER_BARRIER_MIN ((uint64_t)16 << 10)
#define LEDGER_BARRIER_MORE ((uint64_t)8 << 10)
/* bytes written between two barriers of a thread, at most */
#define LEDGER_BARRIER ((uint64_t)4 << 20)
#define LEDGER_BARRIER_PART 32u /* that maximum is also this part of the store's size */
#define LEDGER_RESCANS 100
#define QUOTA_SLOT (LRD__QUOTA_UNITS / 4) /* one thread: a quarter */
#define QUOTA_ALL (LRD__QUOTA_UNITS / 2)  /* all together: half */

#define QUOTA_UNITS_MAX ((1u << LRD__QUOTA_BITS) - 1)

_Static_assert(LRD__QUOTA_BITS + LRD__ZONE_WINDOWS <= 16, "quotas are 16 bits");
_Static_assert(QUOTA_ALL <= QUOTA_UNITS_MAX, "a quota holds what a thread may ask for");

/* ---- quotas ---- */

static uint64_t quota_unit(const lrd__thread *self)
{
    return self->store->geo.size / LRD__QUOTA_UNITS;
}

/* Free what dead owners held. It counts until a thread notices, and none does if all only read. The
 * call looks at every slot, so one process of all does it once in a while. Returns false if it is
 * not due. */
bool lrd__quota_notice(lrd_store *store)
{
    if (!lrd__slots_look_due(store))
        return false;
    lrd__slots_notice(store);
    return true;
}

/* Return the word of a quota: its units, and the windows of the zone. */
static uint16_t quota_word(const lrd__thread *self, uint64_t units)
{
    return (uint16_t)(units | self->zone << LRD__QUOTA_BITS);
}

/* Try to raise the thread's quota. alone: the thread holds nothing else, and one block is always
 * allowed. Then the units that idle threads keep do not count against it, and its own are recorded
 * only as far as they fit. */
static bool quota_try(lrd__thread *self, uint64_t units, bool alone)
{
    lrd_store *store = self->store;
    _Atomic uint16_t *quota = &store->quotas[self->slot_index];
    uint64_t others = 0, kept = 0;
    /* seq_cst here and in the loads, including that of slots_high: if two threads raise at once,
     * one sees the other, even if its slot was made at this moment. */
    uint16_t before =
        atomic_exchange_explicit(quota, quota_word(self, units), memory_order_seq_cst);
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_seq_cst);
    for (uint32_t i = 0; i < high; i++) {
        uint64_t taken =
            atomic_load_explicit(&store->quotas[i], memory_order_seq_cst) & QUOTA_UNITS_MAX;
        bool idle = taken <= LRD__QUOTA_KEEP;
        others += i == self->slot_index || idle ? 0 : taken;
        kept += i == self->slot_index || !idle ? 0 : taken;
    }
    uint64_t room = QUOTA_ALL > others + kept ? QUOTA_ALL - others - kept : 0;
    if (units <= (alone ? room + kept : room)) {
        if (units > room)
            atomic_store_explicit(quota, quota_word(self, room), memory_order_release);
        self->quota_bytes = units * quota_unit(self);
        return true;
    }
    atomic_store_explicit(quota, before, memory_order_release);
    return false;
}

uint32_t lrd__zone_windows(const lrd_store *store, uint64_t offset, uint64_t bytes)
{
    lrd__assert_offset(store, offset);
    uint64_t first = lrd__zone_first(store), pages = lrd__zone_pages(store);
    uint64_t from = lrd__page_of(store, offset), to = lrd__page_of(store, offset + bytes - 1);
    uint32_t windows = 0;
    for (uint64_t p = from > first ? from : first; p <= to && p < store->geo.pages; p += pages)
        windows |= 1u << (p - first) / pages;
    if (to >= first && to < store->geo.pages)
        windows |= 1u << (to - first) / pages;
    return windows;
}

/* Return whether the holds of all threads bar no more of the zone than they may. */
static bool zone_allowed(const lrd_store *store)
{
    uint32_t all = 0;
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_seq_cst);
    for (uint32_t i = 0; i < high; i++)
        all |= atomic_load_explicit(&store->quotas[i], memory_order_seq_cst) >> LRD__QUOTA_BITS;
    return __builtin_popcount(all) <= (int)LRD__ZONE_BARRED;
}

bool lrd__zone_take(lrd__thread *self, uint64_t offset, uint64_t bytes, bool must)
{
    lrd__assert_offset(self->store, offset);
    lrd_store *store = self->store;
    uint32_t before = self->zone, windows = lrd__zone_windows(store, offset, bytes);
    uint32_t wanted = before | windows;
    /* The windows that holds leave free have no memory then, and the windows with memory may be all
     * that can be emptied. */
    if (!must && lrd__zone_hungry(store) && !LRD__CONTROL(no_zone))
        return false;
    /* A window that was only built in has not passed the check. */
    if ((windows & ~(must ? before : self->zone_held)) == 0 || LRD__CONTROL(no_zone))
        return true;
    _Atomic uint16_t *quota = &store->quotas[self->slot_index];
    uint16_t units = atomic_load_explicit(quota, memory_order_relaxed) & QUOTA_UNITS_MAX;
    self->zone = wanted;
    /* seq_cst as in quota_try(): if two threads record windows at once, one sees the other. */
    atomic_store_explicit(quota, quota_word(self, units), memory_order_seq_cst);
    self->untidy = true;
    if (must)
        return true;
    if (zone_allowed(store) || (lrd__quota_notice(store) && zone_allowed(store))) {
        self->zone_held |= windows;
        return true;
    }
    self->zone = before;
    atomic_store_explicit(quota, quota_word(self, units), memory_order_release);
    return false;
}

LRD__HOT void lrd__quota_lower(lrd__thread *self)
{
    if (self->quota_bytes <= self->quota_keep && self->zone == 0)
        return;
    if (self->quota_bytes <= self->quota_keep) {
        uint16_t units =
            atomic_load_explicit(&self->store->quotas[self->slot_index], memory_order_relaxed) &
            QUOTA_UNITS_MAX;
        self->zone = self->zone_held = 0;
        atomic_store_explicit(&self->store->quotas[self->slot_index], units, memory_order_release);
        return;
    }
    self->zone = self->zone_held = 0;
    self->quota_bytes = self->quota_keep;
    atomic_store_explicit(&self->store->quotas[self->slot_index], LRD__QUOTA_KEEP,
                          memory_order_release);
}

bool lrd__quota_raise(lrd__thread *self, uint64_t total)
{
    uint64_t unit = quota_unit(self), need = (total + unit - 1) / unit;
    bool alone = lrd__ledger_live(self) <= 1;
    if (alone && need > QUOTA_ALL) /* a block may be half of the store plus its header */
        need = QUOTA_ALL;
    if (need > QUOTA_SLOT && !alone)
        return false;
    if (self->holds_most != 0 && total > self->holds_most && !alone) {
        self->limited = true;
        return false;
    }
    /* Doubling the quota makes summing rare. */
    uint64_t ample = self->quota_bytes / unit * 2;
    ample = ample < QUOTA_SLOT ? ample : QUOTA_SLOT;
    if (self->holds_most != 0 && ample > self->holds_most / unit)
        ample = self->holds_most / unit;
    if (!(ample > need && quota_try(self, ample, alone)) && !quota_try(self, need, alone))
        return false;
    if (self->quota_bytes < total)
        self->quota_bytes = total;
    self->untidy = true;
    return true;
}

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
    lrd__ledger_limit(self);
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
    if (!lrd__quota_take(self, e, bytes)) {
        self->held_bytes += bytes; /* writers go on; later reads become copies */
        self->holds[e].bytes = bytes;
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

/* ---- giving back quotas and windows ---- */

void lrd__zone_rebar(lrd__thread *self, uint32_t windows)
{
    _Atomic uint16_t *quota = &self->store->quotas[self->slot_index];
    uint16_t units = atomic_load_explicit(quota, memory_order_relaxed) & QUOTA_UNITS_MAX;
    self->zone_held = windows;
    if (self->zone == windows || self->reservations != 0)
        return;
    self->zone = windows;
    atomic_store_explicit(quota, quota_word(self, units), memory_order_release);
}

void lrd__zone_built(lrd__thread *self) { lrd__zone_rebar(self, self->zone_held); }

void lrd__ledger_lower_quota(lrd__thread *self)
{
    uint64_t unit = quota_unit(self), ample = (2 * self->held_bytes + unit - 1) / unit * unit;
    uint64_t fits = ample > self->quota_keep ? ample : self->quota_keep;
    if (fits >= self->quota_bytes)
        return;
    self->quota_bytes = fits;
    /* Pairs with the loads in quota_try() of other threads: they may count the old value, which is
     * larger. */
    atomic_store_explicit(&self->store->quotas[self->slot_index], quota_word(self, fits / unit),
                          memory_order_release);
}

/* ---- scans ---- */

static int ledger_barrier(const lrd_store *store)
{
    lrd__header *header = store->header;
    uint64_t number =
        atomic_fetch_add_explicit(&header->barriers_begun, 1, memory_order_seq_cst) + 1;
    LRD__FAILPOINT("barrier_begun");
    /* In fence mode the readers' own fences pair with this one; otherwise the barrier below
     * suffices. */
    atomic_thread_fence(memory_order_seq_cst);
    if (!store->fence && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0)
        return lrd__fail(LRD_EBARRIER, "membarrier(2): %s", strerror(errno));
    uint64_t done = atomic_load_explicit(&header->barriers_done, memory_order_relaxed);
    while (done < number &&
           !atomic_compare_exchange_weak_explicit(&header->barriers_done, &done, number,
                                                  memory_order_release, memory_order_relaxed))
        continue;
    LRD__FAILPOINT("barrier_done");
    return LRD_OK;
}

/* The writer that unlinked a block stored its word and then loaded the number of the last barrier
 * that had begun, with a full fence between the two (lrd__shard_unlock()). A barrier with a higher
 * number began later, when every processor could see the new word. So a reader that had not listed
 * its block when that barrier passed its processor loads the changed word. */
bool lrd__ledger_passed(const lrd_store *store, uint32_t shard)
{
    lrd__assert_locked(store, shard);
    const lrd__shard *s = store->shards + shard;
    if (LRD__CONTROL(no_barrier))
        return true;
    /* Pairs with the release in ledger_barrier(): that barrier is over. */
    return s->unlinked == 0 && atomic_load_explicit(&store->header->barriers_done,
                                                    memory_order_acquire) > s->unlinked_at;
}

bool lrd__barrier_due(lrd__thread *self)
{
    if (self->written < self->barrier_at)
        return false;
    self->written = 0;
    uint64_t next = self->barrier_at + self->barrier_at / 16 + LEDGER_BARRIER_MORE;
    uint64_t most = self->store->geo.size / LEDGER_BARRIER_PART;
    most = most < LEDGER_BARRIER ? most : LEDGER_BARRIER;
    next = self->barrier_at == 0 ? LEDGER_BARRIER_MIN : next;
    self->barrier_at = next < most ? next : most;
    return true;
}

/* Inlined, so that each kind of scan has a loop of its own without a call for each entry, of which
 * there may be 100,000s. */
#define LEDGER_INLINE inline __attribute__((always_inline))

/* Call mark for every block that the slot lists. Returns how many entries were read. */
static LEDGER_INLINE uint64_t ledger_read(lrd_store *store, uint32_t index,
                                          void (*mark)(lrd_store *, uint64_t offset, void *),
                                          void *arg)
{
    lrd__assert(index < store->geo.slots);
    lrd__slot *slot = lrd__slot_at(store, index);
    /* Read in the order in which a hold may move within a slot: see the invariants. The load of
     * spare pairs with the next store to it (release) by a thread that listed the same block in an
     * entry before. */
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
            mark(store, (listed - 1) << LRD__GRANULE_BITS, arg);
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
    uint64_t entries = 0;
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
    /* Most of the blocks are other shards'. */
    if (owner != 0 && lrd__owner_shard(owner) == *(uint32_t *)shard)
        lrd__arena_mark(store, *(uint32_t *)shard, offset);
}

int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier)
{
    lrd__assert_locked(store, shard);
    lrd__arena_unmark_all(store, shard);
    if (LRD__CONTROL(ignore_ledger))
        return LRD_OK;
    int rc = barrier && !LRD__CONTROL(no_barrier) ? ledger_barrier(store) : LRD_OK;
    if (rc != LRD_OK)
        return rc;
    for (int i = 0; i < LEDGER_RESCANS; i++) {
        /* Pairs with the raise in a handover: see the invariants. A repeated scan only adds
         * marks. */
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
