/* thread.c - claims, lends and ends a thread's slot, handles forks, and counts the threads of the
 * process that use a store. Begin reading at lrd__thread_claim(), then at slot_fork_prepare(). The
 * invariants are in slot.c. */
#include "threads/thread.h"
#include "ground/error.h"
#include "ground/clock.h"
#include "ground/lease.h"
#include "ground/identity.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/zone.h"
#include "locks/vetting.h"
#include "room/feed.h"
#include "room/keylist.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* time (ms) for which a parent reserves a slot for a forked child; afterwards, another thread may
 * take the slot */
#define SLOT_GUARD_MS 5000u
#define SLOT_CHILD_WAIT_MS 1000
/* maximum time (ms) to wait for slots_lock while another thread creates slots */
#define SLOT_WAIT_MS 5000u
/* Number of slots that a claim checks first. Searches of all slots are rare
 * (lrd__slots_look_due()). */
#define SLOT_NEAR 64u
/* maximum number of slots that a thread creates for other threads beside its own */
#define SLOT_CHUNK 16u
#define SLOT_REMEMBER_MS 50u /* time (ms) for which a process remembers that no slot is free */
/* time (ms) for which a process remembers that it has waited for slots_lock in vain */
#define SLOT_BUSY_MS 1000u
/* Maximum number of data pages that a thread empties so that one slot can be committed. One page
 * may not be enough, because another thread may take the freed memory first. */
#define SLOT_YIELDS 4
#define SLOT_LOST_EXIT 75 /* EX_TEMPFAIL of sysexits.h */

/* Protects slot_stores and the number of users of each store. Held during a fork. */
static pthread_mutex_t slot_process LRD__OF_WORKER = PTHREAD_MUTEX_INITIALIZER;
static lrd_store *slot_stores[LRD__STORES_MAX] LRD__OF_WORKER;
/* number of stores that this process has closed */
static _Atomic uint32_t slot_closes LRD__OF_WORKER;
/* value of slot_closes when this thread last ended its slots in all closed stores */
static _Thread_local uint32_t slot_closes_seen LRD__TLS_STATIC;
/* key of a thread-specific value whose destructor ends the slots of an exiting thread */
static pthread_key_t slot_key LRD__OF_WORKER;

/* the slots that a parent has prepared for its child before a fork, for each store */
static struct {
    lrd__thread *copy;
    /* true if the child gets no slot and must not use the store */
    bool denied;
} slot_forks[LRD__STORES_MAX] LRD__OF_WORKER;

/* ---- claiming ---- */

static int slot_commit(lrd_store *store, uint32_t index)
{
    int rc = lrd__segment_commit_slots(store, index, 1);
    /* if the file system is full, empty some data pages, and give their memory back to the file
     * system */
    for (int tries = 0; rc == LRD_ENOSPC && store->evicts && tries < SLOT_YIELDS; tries++) {
        lrd__memory_note(store);
        if (!lrd__room_yield(store, LRD__SLOT_FIRST))
            break;
        rc = lrd__segment_commit_slots(store, index, 1);
    }
    return rc;
}

/* Initialise one more slot, whose memory is committed. [slots_lock] */
static LRD__HOT void slot_extend(lrd_store *store, uint32_t index)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    /* the ledger need not be cleared, because the slot's `n` is 0 */
    memset(slot, 0, offsetof(lrd__slot, ledger));
    atomic_store_explicit(&slot->room, LRD__LEDGER_FIRST + 1, memory_order_relaxed);
    lrd__mutex_init(&slot->owner);
    lrd__mutex_init(&slot->guardian);
    LRD__FAILPOINT("slot_extended");
    /* seq_cst: quota_try() loads slots_high to know which quotas it adds up; it must know of this
     * slot before the slot's first owner stores a quota */
    atomic_store_explicit(&store->header->slots_high, index + 1, memory_order_seq_cst);
    LRD__FAILPOINT("slot_high");
}

/* Create all slots from slots_high up to this one. The spare slots come first. [slots_lock] */
static LRD__HOT int slot_extend_to(lrd_store *store, uint32_t index)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    int rc = LRD_OK;
    /* commit the slots together or, if there is no memory for all, one by one */
    bool ready = high < index && lrd__segment_commit_slots(store, high, index + 1 - high) == LRD_OK;
    for (; high <= index && rc == LRD_OK; high++) {
        if (!ready)
            rc = slot_commit(store, high);
        if (rc == LRD_OK)
            slot_extend(store, high);
    }
    return rc;
}

int lrd__slots_prepare(lrd_store *store)
{
    return slot_extend_to(store, lrd__slots_spare(&store->geo));
}

/* Find a slot in [first, end) without a living owner, and take its owner lease and its guardian
 * lease. First tries the slots that threads have given back, then all slots, including those of
 * dead owners. */
static LRD__HOT bool slot_find_among(lrd_store *store, uint32_t first, uint32_t end,
                                     uint32_t *index)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    for (int dead = 0; dead < 2; dead++)
        for (uint32_t i = first; i < end && i < high; i++) {
            lrd__slot *slot = lrd__slot_at(store, i);
            if ((dead == 0 && atomic_load_explicit(&slot->claimed, memory_order_acquire) != 0) ||
                !lrd__slot_seize(slot))
                continue;
            if (atomic_load_explicit(&slot->claimed, memory_order_relaxed) != 0)
                lrd__slot_count_death(store);
            *index = i;
            return true;
        }
    return false;
}

/* Find a slot that a thread has given back, among SLOT_NEAR slots from slots_hint on. Takes the
 * slot's owner lease and its guardian lease. */
static bool slot_find_near(lrd_store *store, uint32_t *index)
{
    uint32_t spare = lrd__slots_spare(&store->geo);
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    uint32_t hint = atomic_load_explicit(&store->header->slots_hint, memory_order_relaxed);
    uint32_t count = high > spare ? high - spare : 0;
    uint32_t from = hint >= spare && hint < high ? hint - spare : 0;
    for (uint32_t n = 0; n < count && n < SLOT_NEAR; n++) {
        uint32_t i = spare + (from + n) % count;
        lrd__slot *slot = lrd__slot_at(store, i);
        if (atomic_load_explicit(&slot->claimed, memory_order_acquire) != 0 ||
            !lrd__slot_seize(slot))
            continue;
        atomic_store_explicit(&store->header->slots_hint, i + 1, memory_order_relaxed);
        *index = i;
        return true;
    }
    return false;
}

/* Find a free slot that is not spare. Takes the slot's owner lease and its guardian lease. First
 * searches near slots_hint. If there are many slots, and more can be created, a search of all slots
 * must also be allowed by lrd__slots_look_due(). */
static LRD__HOT bool slot_find(lrd_store *store, uint32_t *index)
{
    uint32_t spare = lrd__slots_spare(&store->geo);
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    bool many = high > spare + SLOT_NEAR;
    if (slot_find_near(store, index))
        return true;
    if (many && high < store->geo.slots && !lrd__slots_look_due(store))
        return false;
    if (!slot_find_among(store, spare, store->geo.slots, index))
        return false;
    /* there may be more slots of dead threads, so let the next search check all slots */
    if (many)
        atomic_store_explicit(&store->header->slots_look_at, 0, memory_order_relaxed);
    return true;
}

/* Find a free slot that is not spare, or create one. If many slots exist, creates several.
 * [slots_lock] */
static int slot_make(lrd_store *store, uint32_t *index)
{
    if (slot_find(store, index))
        return LRD_OK;
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    uint32_t spare = lrd__slots_spare(&store->geo);
    high = high > spare ? high : spare;
    if (high >= store->geo.slots)
        return lrd__fail(LRD_ENOSLOT, "all %u slots are taken", store->geo.slots - spare);
    int rc = slot_extend_to(store, high);
    if (rc != LRD_OK)
        return rc;
    bool seized = lrd__slot_seize(lrd__slot_at(store, high));
    *index = high;
    atomic_store_explicit(&store->header->slots_hint, high + 1, memory_order_relaxed);
    uint32_t more = (high - spare) / 4 < SLOT_CHUNK ? (high - spare) / 4 : SLOT_CHUNK;
    for (; more > 0 && ++high < store->geo.slots && !lrd__memory_short(store) &&
           lrd__segment_commit_slots(store, high, 1) == LRD_OK;
         more--)
        slot_extend(store, high);
    /* claiming a slot needs no slots_lock, so another thread may have claimed the new slot; then
     * try again */
    return seized ? LRD_OK : slot_make(store, index);
}

/* Take slots_lock. Waits for SLOT_WAIT_MS, or for LRD_LOCK_WAIT_MS if the holder is stopped. */
static int slot_lock(lrd_store *store, int tid, uint64_t started)
{
    lrd__header *header = store->header;
    int rc;
    uint64_t until = lrd__clock_monotonic_ms() + SLOT_WAIT_MS;
    do {
        rc = lrd__lease_wait(&header->slots_lock, LRD_LOCK_WAIT_MS);
        if (rc == ETIMEDOUT && lrd__lease_gone(&header->slots_lock, &header->slots_holder))
            rc = lrd__mutex_try(&header->slots_lock);
    } while (rc == ETIMEDOUT && lrd__lease_holder_runs(&header->slots_lock) &&
             lrd__clock_monotonic_ms() < until);
    /* a dead holder leaves nothing to repair: slots_high changes by a single store */
    if (rc == EOWNERDEAD)
        rc = lrd__mutex_consistent(&header->slots_lock);
    if (rc != 0)
        return lrd__fail(LRD_EBUSY, "claiming a slot: %s", strerror(rc));
    lrd__who_set(&header->slots_holder, tid, started);
    return LRD_OK;
}

/* Claim a slot whose leases the caller has taken. Keeps only one of the two leases: for a child's
 * slot (`guardian`) the guardian lease, otherwise the owner lease. */
static LRD__HOT void slot_take(lrd_store *store, bool guardian, uint32_t index, int tid,
                               uint64_t started)
{
    lrd__slot *slot = lrd__slot_at(store, index);
    lrd__slot_clear(store, index, slot);
    lrd__who_set(guardian ? &slot->guard : &slot->who, tid, started);
    atomic_store_explicit(&slot->claimed, 1, memory_order_release);
    /* Pairs with a writer's fence before ledger_is_alone(): the writer sees this claim, or this
     * slot's owner sees all index words stored before that fence. */
    atomic_thread_fence(memory_order_seq_cst);
    LRD__FAILPOINT("slot_claimed");
    lrd__mutex_unlock(guardian ? &slot->owner : &slot->guardian);
}

/* Claim a slot for this thread or, if `guardian` is true, for a child that will be forked. Only the
 * creation of slots needs slots_lock. */
static LRD__HOT int slot_claim(lrd_store *store, bool guardian, uint32_t *index)
{
    int tid = (int)syscall(SYS_gettid), rc = LRD_OK;
    uint64_t started = lrd__thread_started(tid);
    if (!slot_find(store, index)) {
        rc = slot_lock(store, tid, started);
        if (rc != LRD_OK)
            return rc;
        rc = slot_make(store, index);
        lrd__mutex_unlock(&store->header->slots_lock);
    }
    if (rc != LRD_OK)
        return rc;
    slot_take(store, guardian, *index, tid, started);
    return LRD_OK;
}

static lrd__thread *slot_thread_map(void)
{
    lrd__thread *self =
        mmap(NULL, sizeof *self, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return self != MAP_FAILED ? self : NULL;
}

static lrd__thread *slot_thread_new(void)
{
    lrd__thread *self = slot_thread_map();
    if (self == NULL)
        return NULL;
    /* Let the kernel wipe this memory in a forked child. If the kernel cannot do this,
     * slot_thread_wipe() does it in the child. */
    madvise(self, sizeof *self, MADV_WIPEONFORK);
    /* Map the first pages now, so that the thread's first calls cause no page faults. */
    madvise(self, LRD__ALIGN_UP(offsetof(lrd__thread, holds), LRD__PART), MADV_POPULATE_WRITE);
    return self;
}

static LRD__HOT void slot_adopt(lrd__thread *self, lrd_store *store, uint32_t index)
{
    self->store = store;
    self->n = self->n != 0 ? self->n : 1;
    self->top = self->top != 0 ? self->top : 1;
    self->slot_index = index;
    self->tid = lrd__who_tid(&lrd__slot_at(store, index)->who);
    self->started = lrd__who_started(&lrd__slot_at(store, index)->who);
    self->incarnation =
        atomic_load_explicit(&lrd__slot_at(store, index)->incarnation, memory_order_relaxed);
    self->quota_keep = store->geo.size / LRD__QUOTA_UNITS * LRD__QUOTA_KEEP;
    uint64_t zone = lrd__zone_first(store) << LRD__PAGE_BITS;
    self->zone_at = store->evicts ? (uintptr_t)store->data + (uintptr_t)zone : UINTPTR_MAX;
    self->zone_span = store->evicts ? (uintptr_t)(store->geo.size - zone) + LRD__ZONE_SLACK : 0;
    self->slot = self->ready = lrd__slot_at(store, index);
    self->room = atomic_load_explicit(&self->slot->room, memory_order_relaxed);
    self->is_wide = false;
    lrd__vet_begin(self);
    self->fast = false; /* in the copy for a child, `fast` still has the parent's value */
    if (lrd__request_may_hold(self))
        lrd__ledger_fast(self);
}

/* Return this thread's private struct for the store, and create the struct if necessary. Returns
 * NULL if this thread cannot have a slot. */
static lrd__thread *slot_admit(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (store->barred) {
        lrd__fail(LRD_ENOSLOT, "no slot was free for this child when it was forked");
        return NULL;
    }
    if (!lrd__process_sound()) {
        lrd__fail(LRD_ENOSLOT, "a raw clone(2) of a process cannot use robust locks; use fork()");
        return NULL;
    }
    if (!store->fence && lrd__ledger_register_barrier() != LRD_OK)
        return NULL;
    if (self == NULL)
        self = slot_thread_new();
    if (self == NULL) {
        lrd__fail(LRD_ENOSLOT, "no private memory for a thread's slot");
        return NULL;
    }
    lrd__threads[store->id] = self;
    pthread_setspecific(slot_key, self);
    return self;
}

/* Record the slot of this thread, and count the thread as a user of the store. */
static void slot_begin(lrd__thread *self, lrd_store *store, uint32_t index)
{
    pthread_mutex_lock(&slot_process);
    atomic_fetch_add_explicit(&store->users, 1, memory_order_relaxed);
    pthread_mutex_unlock(&slot_process);
    slot_adopt(self, store, index);
}

int lrd__thread_claim(lrd_store *store, lrd__thread **out)
{
    uint32_t index;
    /* if the file was truncated, its slots may be lost, so check the file first */
    int rc = store->watched ? lrd__segment_check_unlocked(store) : LRD_OK;
    if (rc == LRD_ETRUNCATED)
        return rc;
    /* A search costs several system calls. Skip it if a search has failed recently and no slot was
     * freed since. */
    uint64_t freed = atomic_load_explicit(&store->header->slots_freed, memory_order_relaxed);
    if (!store->barred &&
        atomic_load_explicit(&store->no_slot_freed, memory_order_relaxed) == freed &&
        atomic_load_explicit(&store->no_slot_until, memory_order_relaxed) > lrd__clock_coarse()) {
        return lrd__fail(
            LRD_ENOSLOT,
            "a moment ago no slot could be claimed: none of %u was free, there was no room "
            "for one, or a process that is stopped was making one",
            store->geo.slots - lrd__slots_spare(&store->geo));
    }
    lrd__thread *self = slot_admit(store);
    if (self == NULL)
        return LRD_ENOSLOT;
    rc = slot_claim(store, false, &index);
    if (rc == LRD_ENOSLOT || rc == LRD_ENOSPC || rc == LRD_EBUSY) {
        uint64_t ms = rc == LRD_EBUSY ? SLOT_BUSY_MS : SLOT_REMEMBER_MS;
        atomic_store_explicit(&store->no_slot_freed, freed, memory_order_relaxed);
        atomic_store_explicit(&store->no_slot_until, lrd__clock_coarse() + ms,
                              memory_order_relaxed);
    }
    if (rc != LRD_OK)
        return rc == LRD_ETRUNCATED ? rc : LRD_ENOSLOT;
    slot_begin(self, store, index);
    *out = self;
    return LRD_OK;
}

/* Return a number that changes when a spare slot changes its owner. */
static uint64_t slot_spare_uses(const lrd_store *store)
{
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    uint64_t uses = 0;
    for (uint32_t i = 0; i < lrd__slots_spare(&store->geo) && i < high; i++)
        uses += atomic_load_explicit(&lrd__slot_at(store, i)->incarnation, memory_order_relaxed);
    return uses;
}

int lrd__thread_lend(lrd_store *store)
{
    uint32_t index;
    if (!store->evicts ||
        atomic_load_explicit(&store->header->slots_high, memory_order_acquire) == 0)
        return LRD_ENOSLOT; /* no spare slots have been created */
    lrd__thread *self = slot_admit(store);
    if (self == NULL)
        return LRD_ENOSLOT;
    uint64_t until = lrd__clock_monotonic_ms() + LRD_LOCK_WAIT_MS, uses = slot_spare_uses(store);
    while (!slot_find_among(store, 0, lrd__slots_spare(&store->geo), &index)) {
        /* Check whether any spare slot has changed its owner during the wait. If none has, all
         * owners may be stopped, so no thread of this process waits for a spare slot during the
         * next SLOT_REMEMBER_MS. */
        bool waited = lrd__clock_monotonic_ms() >= until;
        if (waited) {
            lrd__slots_bury(store);
            if (slot_spare_uses(store) == uses)
                atomic_store_explicit(&store->no_spare_until,
                                      lrd__clock_coarse() + SLOT_REMEMBER_MS, memory_order_relaxed);
        }
        if (waited || atomic_load_explicit(&store->no_spare_until, memory_order_relaxed) >
                          lrd__clock_coarse())
            return lrd__fail(LRD_EBUSY, "no slot is free, and the spare ones are in use");
        lrd__clock_nap(1);
    }
    int tid = (int)syscall(SYS_gettid);
    slot_take(store, false, index, tid, lrd__thread_started(tid));
    slot_begin(self, store, index);
    return LRD_OK;
}

/* ---- ending ---- */

/* Subtract one user from store->users. The user is a thread or, if `closes` is true, the opener of
 * the store. The last user unmaps the store. This function holds the lock slot_process, because a
 * fork before the unmapping would leave the child with a mapping that no code ends. */
static LRD__HOT void slot_user_leaves(lrd_store *store, bool closes)
{
    pthread_mutex_lock(&slot_process);
    if (closes) {
        atomic_store_explicit(&store->is_closed, true, memory_order_relaxed);
        /* pairs with the acquire in lrd__thread_leave_closed() */
        atomic_fetch_add_explicit(&slot_closes, 1, memory_order_release);
    }
    if (atomic_fetch_sub_explicit(&store->users, 1, memory_order_acq_rel) == 1) {
        slot_stores[store->id] = NULL;
        LRD__FAILPOINT("slot_unmap");
        lrd__segment_unmap(store);
        free(store);
    }
    pthread_mutex_unlock(&slot_process);
}

static void slot_guard_drop(lrd__thread *self, uint32_t i)
{
    lrd__mutex_unlock(&lrd__slot_at(self->store, self->guard_slot[i])->guardian);
    self->guarded--;
    self->guard_slot[i] = self->guard_slot[self->guarded];
    self->guard_until[i] = self->guard_until[self->guarded];
}

void lrd__guards_check(lrd__thread *self)
{
    for (uint32_t i = self->guarded; i-- > 0;) {
        lrd__slot *slot = lrd__slot_at(self->store, self->guard_slot[i]);
        /* Stop guarding the child's slot if `who` has a tid (the child has taken the owner lease),
         * or if the slot is not claimed (the child has ended). The acquire pairs with the child's
         * release of the tid. */
        if (lrd__who_tid(&slot->who) != 0 ||
            atomic_load_explicit(&slot->claimed, memory_order_acquire) == 0 ||
            lrd__clock_monotonic_ms() >= self->guard_until[i])
            slot_guard_drop(self, i);
    }
}

LRD__HOT void lrd__thread_end(lrd__thread *self)
{
    lrd_store *store = self->store;
    if (self->slot != NULL) {
        /* check the file before anything is stored to the slot */
        (void)lrd__segment_look_now(store);
        lrd__keylock_leave(self);
        if (lrd__segment_lost(store) != LRD__LOST_LEASES) {
            while (self->guarded > 0)
                slot_guard_drop(self, self->guarded - 1);
            lrd__slot_clear(store, self->slot_index, self->slot);
            /* The kernel follows the list of an ending thread's locks, so take this lock off the
             * list before the segment is unmapped. */
            lrd__mutex_unlock(&self->slot->owner);
        }
        self->slot = NULL;
        lrd__threads[store->id] = NULL;
        munmap(self, sizeof *self);
        slot_user_leaves(store, false);
    }
}

void lrd__thread_leave_closed(void)
{
    uint32_t closes = atomic_load_explicit(&slot_closes, memory_order_acquire);
    bool is_whole = true;
    if (__builtin_expect(slot_closes_seen == closes, 1))
        return;
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++) {
        lrd__thread *self = lrd__threads[id];
        if (self == NULL || self->slot == NULL ||
            !atomic_load_explicit(&self->store->is_closed, memory_order_relaxed))
            continue;
        if (self->ready == NULL) /* the thread is inside a call on this store */
            is_whole = false;
        else
            lrd__thread_end(self);
    }
    if (is_whole)
        slot_closes_seen = closes;
}

static void slot_thread_exit(void *unused)
{
    (void)unused;
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++) {
        if (lrd__threads[id] != NULL)
            lrd__thread_end(lrd__threads[id]);
        /* the thread has a private struct for this store, but no slot */
        if (lrd__threads[id] != NULL)
            munmap(lrd__threads[id], sizeof *lrd__threads[id]);
        lrd__threads[id] = NULL;
    }
}

/* ---- forks ---- */

/* Return the listing in the ledger entry at `top`, or 0. A get with LRD_GET_PLAIN may have borrowed
 * a block with this entry. */
static uint64_t slot_borrowed(const lrd__thread *self)
{
    return self->top < self->n
               ? atomic_load_explicit(&self->slot->ledger[self->top], memory_order_relaxed)
               : 0;
}

/* Copy only the used parts of a thread's private struct, because most of it was never touched. */
static void slot_thread_copy(lrd__thread *to, const lrd__thread *from)
{
    memcpy(to, from, offsetof(lrd__thread, holds));
    memcpy(to->holds, from->holds, from->n * sizeof *from->holds);
    /* the child builds a new index of its ledger when it needs one */
    to->is_wide = false;
}

/* Zero a thread's private struct. Unlike memset(), MADV_DONTNEED allocates no memory. */
static void slot_thread_wipe(lrd__thread *self)
{
    if (madvise(self, sizeof *self, MADV_DONTNEED) != 0)
        memset(self, 0, sizeof *self);
}

/* Copy the thread's holds to the child's slot, except values under construction. */
static void slot_copy_holds(lrd__thread *self, lrd__thread *child)
{
    lrd__slot *to = child->slot;
    for (uint32_t i = 1; i < self->n; i++) {
        bool built = self->holds[i].serial != 0;
        uint64_t listed = built || i >= self->top ? 0 : self->holds[i].listed;
        atomic_store_explicit(&to->ledger[i], listed, memory_order_relaxed);
        if (built) {
            child->holds[i].serial = 0;
            lrd__ledger_drop(child, i);
        }
    }
    /* The parent may have borrowed a block, which its ledger lists at the parent's `top`. Copy this
     * listing to the child's `top`, which may be lower, because a release in the child clears the
     * entry there. */
    uint64_t borrowed = slot_borrowed(self);
    if (borrowed != 0)
        atomic_store_explicit(&to->ledger[child->top], borrowed, memory_order_relaxed);
    /* Give the child a quota that covers all its holds. The sum of all quotas may then exceed its
     * limit (see quota.c). */
    uint64_t unit = self->store->geo.size / LRD__QUOTA_UNITS;
    uint64_t units = (child->held_bytes + unit - 1) / unit;
    units = units < LRD__QUOTA_MOST ? units : LRD__QUOTA_MOST;
    child->untidy = true;
    child->zone = child->zone_held;
    child->quota_bytes = units > LRD__QUOTA_KEEP ? child->quota_keep + 1 : units * unit;
    child->quota_inherited = units * unit - child->quota_bytes;
    atomic_store_explicit(&self->store->quotas[child->slot_index], lrd__quota_word(child, units),
                          memory_order_release);
    uint64_t spare = atomic_load_explicit(&self->slot->spare, memory_order_relaxed);
    atomic_store_explicit(&to->spare, spare, memory_order_relaxed);
    atomic_store_explicit(&to->n, self->n, memory_order_release);
    LRD__FAILPOINT("fork_copied");
    /* announce the copied holds (see lrd__ledger_scan()) before the parent can release its own */
    atomic_fetch_add_explicit(&self->store->header->handovers, 1, memory_order_seq_cst);
}

static void slot_fork_prepare_one(lrd__thread *self, uint32_t id)
{
    uint32_t index;
    bool spare = atomic_load_explicit(&self->slot->spare, memory_order_relaxed) != 0 ||
                 slot_borrowed(self) != 0;
    lrd__guards_check(self);
    if (lrd__ledger_live(self) == self->reservations && !spare)
        return;
    while (self->guarded == LRD__GUARDS) {
        lrd__clock_nap(1);
        lrd__guards_check(self);
    }
    lrd__thread *copy = slot_thread_map();
    bool claimed = copy != NULL && slot_claim(self->store, true, &index) == LRD_OK;
    if (claimed) {
        slot_thread_copy(copy, self);
        slot_adopt(copy, self->store, index);
    }
    if (!claimed || !lrd__ledger_grow(copy, self->n)) {
        if (claimed) {
            lrd__slot_clear(self->store, index, copy->slot);
            lrd__mutex_unlock(&copy->slot->guardian);
        }
        if (copy != NULL)
            munmap(copy, sizeof *copy);
        slot_forks[id].denied = true;
        return;
    }
    copy->reservations = copy->guarded = 0;
    copy->keylocks = (lrd__keylist){0};
    slot_copy_holds(self, copy);
    slot_forks[id].copy = copy;
    self->guard_slot[self->guarded] = index;
    self->guard_until[self->guarded++] = lrd__clock_monotonic_ms() + SLOT_GUARD_MS;
}

static void slot_fork_prepare(void)
{
    pthread_mutex_lock(&slot_process);
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++)
        if (slot_stores[id] != NULL && lrd__threads[id] != NULL && lrd__threads[id]->slot != NULL)
            slot_fork_prepare_one(lrd__threads[id], id);
}

/* After a fork: free the copies that slot_fork_prepare() has made for the child, and release
 * slot_process. */
static void slot_fork_done(void)
{
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++) {
        if (slot_forks[id].copy != NULL)
            munmap(slot_forks[id].copy, sizeof *slot_forks[id].copy);
        slot_forks[id].copy = NULL;
        slot_forks[id].denied = false;
    }
    pthread_mutex_unlock(&slot_process);
}

/* Take over the slot that the parent has prepared for this child. Returns false if the child has
 * lost it; see SLOT_GUARD_MS. */
static bool slot_take_over(lrd__thread *self, const lrd__thread *copy)
{
    int rc = lrd__lease_wait(&copy->slot->owner, SLOT_CHILD_WAIT_MS);
    if (rc == EOWNERDEAD)
        rc = lrd__mutex_consistent(&copy->slot->owner);
    if (rc != 0)
        return false;
    if (atomic_load_explicit(&copy->slot->incarnation, memory_order_acquire) != copy->incarnation) {
        lrd__mutex_unlock(&copy->slot->owner);
        return false;
    }
    slot_thread_copy(self, copy);
    self->tid = (int)syscall(SYS_gettid);
    self->started = lrd__thread_started(self->tid);
    lrd__who_set(&self->slot->who, self->tid, self->started);
    LRD__FAILPOINT("fork_taken_over");
    return true;
}

/* Bar this child from using the store: even a read of an inherited value faults. */
static void slot_bar(lrd_store *store, lrd__thread *self)
{
    store->barred = true;
    mprotect(store->data, store->geo.data_size, PROT_NONE);
    if (self == NULL || self->slot == NULL)
        return;
    lrd__slot *slot = self->slot;
    lrd__slot_clear(store, self->slot_index, slot);
    lrd__mutex_unlock(&slot->owner);
    slot_thread_wipe(self);
    atomic_store_explicit(&store->users, 1, memory_order_relaxed);
}

/* True if this process and the store's users are in different time namespaces. Returns false if
 * /proc is missing. */
static bool slot_in_other_time(const lrd_store *store)
{
    uint64_t now = lrd__time_namespace();
    return now != 0 &&
           now != atomic_load_explicit(&store->header->time_namespace, memory_order_relaxed);
}

/* Unmap a store in a forked child. The parent had closed the store, and the child holds no values
 * in it. */
static void slot_drop_closed(lrd_store *store, lrd__thread *self)
{
    slot_stores[store->id] = NULL;
    lrd__threads[store->id] = NULL;
    if (self != NULL)
        munmap(self, sizeof *self);
    lrd__segment_unmap(store);
    free(store);
}

static void slot_fork_child(void)
{
    lrd__robust_child();
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++) {
        lrd_store *store = slot_stores[id];
        lrd__thread *self = lrd__threads[id], *copy = slot_forks[id].copy;
        if (self != NULL)
            slot_thread_wipe(self);
        /* threads of the parent, which do not exist in the child, may have kept a closed store
         * mapped */
        bool closed =
            store != NULL && atomic_load_explicit(&store->is_closed, memory_order_relaxed);
        if (closed && copy == NULL && !slot_forks[id].denied) {
            slot_drop_closed(store, self);
            continue;
        }
        uint32_t opened = !closed;
        if (store != NULL)
            atomic_store_explicit(&store->users, opened, memory_order_relaxed);
        if (store != NULL && self != NULL && copy != NULL) {
            if (!slot_take_over(self, copy))
                /* no slot protects the inherited values any more, so end the child */
                _exit(SLOT_LOST_EXIT);
            atomic_store_explicit(&store->users, opened + 1, memory_order_relaxed);
        }
        /* Bar a child in another PID namespace, where thread ids are ambiguous, or in another time
         * namespace, where clocks differ. */
        if (store != NULL &&
            (slot_forks[id].denied || getppid() == 0 || slot_in_other_time(store) ||
             (!store->fence && lrd__ledger_register_barrier() != LRD_OK)))
            slot_bar(store, self);
    }
    slot_fork_done();
}

/* ---- the process ---- */

/* 0, or the error number if slot_process_init() has failed */
static int slot_process_state LRD__OF_WORKER;

static LRD__HOT void slot_process_init(void)
{
    slot_process_state = pthread_key_create(&slot_key, slot_thread_exit);
    if (slot_process_state == 0)
        slot_process_state = pthread_atfork(slot_fork_prepare, slot_fork_done, slot_fork_child);
}

LRD__HOT int lrd__process_join(lrd_store *store)
{
    static pthread_once_t once LRD__OF_WORKER = PTHREAD_ONCE_INIT;
    pthread_once(&once, slot_process_init);
    if (slot_process_state != 0)
        return lrd__fail(LRD_ESYS, "fork handlers: %s", strerror(slot_process_state));
    pthread_mutex_lock(&slot_process);
    for (uint32_t id = 0; id < LRD__STORES_MAX; id++)
        if (slot_stores[id] == NULL) {
            slot_stores[id] = store;
            store->id = id;
            atomic_store_explicit(&store->users, 1, memory_order_relaxed);
            pthread_mutex_unlock(&slot_process);
            return LRD_OK;
        }
    pthread_mutex_unlock(&slot_process);
    return lrd__fail(LRD_EINVAL, "%u stores are open in this process", LRD__STORES_MAX);
}

void lrd__process_leave(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self != NULL)
        lrd__thread_end(self);
    slot_user_leaves(store, true);
}
