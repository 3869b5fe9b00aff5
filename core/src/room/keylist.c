/* keylist.c - a thread's private list of its key reservations (rows), and the functions that end
 * reservations. Read keylock.c first, and then begin at lrd__keylock_end_all(). */
#include "room/keylist.h"
#include "ground/error.h"
#include "ground/futex.h"
#include "ground/map.h"
#include "entries/keyrow.h"
#include "locks/lock.h"

#include <errno.h>
#include <sys/mman.h>

/* Maximum time (ms) between two checks of a key. Without these checks, a waiter would miss the
 * death of the key's owner and the end of its lease, because neither wakes a sleeper. */
#define KEYLOCK_STEP_MS 50u
#define KEYLOCK_KEEP_MS 1000u
#define KEYLIST_NONE UINT32_MAX /* stored in `place` of a row that is not in the list */

_Static_assert((LRD__KEYLOCK_CHUNKS + 256) * LRD__KEYLOCK_CHUNK < LRD__KEYLIST_LEFT,
               "bits of an entry");

/* ---- the list of a thread's rows ---- */

uint32_t *lrd__keylist_entry(lrd__keylist *list, uint32_t place)
{
    return place < LRD__KEYLIST_FEW ? &list->few[place] : &list->more[place - LRD__KEYLIST_FEW];
}

static uint32_t keylist_rows(const lrd__thread *self)
{
    return self->store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK;
}

void lrd__keylist_prepare(lrd__thread *self)
{
    lrd__keylist *list = &self->keylocks;
    if (list->free != 0 || list->top < LRD__KEYLIST_FEW || list->more != NULL)
        return;
    size_t bytes = keylist_rows(self) * sizeof *list->more;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    if (madvise(memory, bytes, MADV_DONTFORK) == 0)
        list->more = memory;
    else
        munmap(memory, bytes);
}

uint32_t lrd__keylist_add(lrd__thread *self, uint32_t link)
{
    lrd__keylist *list = &self->keylocks;
    uint32_t place = list->free - 1;
    uint32_t room = LRD__KEYLIST_FEW + (list->more != NULL ? keylist_rows(self) : 0);
    list->used++;
    if (list->free != 0)
        list->free = *lrd__keylist_entry(list, place) & ~LRD__KEYLIST_FREE;
    else if (list->top < room)
        place = list->top++;
    else
        return list->unlisted++, KEYLIST_NONE;
    *lrd__keylist_entry(list, place) = link;
    return place;
}

static void keylist_drop(lrd__keylist *list, uint32_t place, uint32_t link)
{
    if (place == KEYLIST_NONE && list->unlisted != 0) {
        list->unlisted--;
    } else if (place < list->top &&
               (*lrd__keylist_entry(list, place) & ~LRD__KEYLIST_LEFT) == link) {
        list->left -= (*lrd__keylist_entry(list, place) & LRD__KEYLIST_LEFT) != 0;
        *lrd__keylist_entry(list, place) = LRD__KEYLIST_FREE | list->free;
        list->free = place + 1;
    } else {
        return;
    }
    if (--list->used == 0)
        list->top = list->free = list->unlisted = list->left = 0;
}

bool lrd__keylist_is_left(lrd__keylist *list, uint32_t place, uint32_t link)
{
    return list->left != 0 && place < list->top &&
           *lrd__keylist_entry(list, place) == (link | LRD__KEYLIST_LEFT);
}

/* This function takes no lock, so the row of a marked entry may already belong to another thread.
 * Then lrd__keylock_end_left() only drops the entry from the list. */
void lrd__keylist_leave(lrd__thread *self, uint32_t shard, uint64_t hash_low, uint64_t hash_high,
                        uint64_t token)
{
    lrd__keylist *list = &self->keylocks;
    for (uint32_t place = 0; place < list->top; place++) {
        uint32_t *entry = lrd__keylist_entry(list, place);
        if ((*entry & (LRD__KEYLIST_FREE | LRD__KEYLIST_LEFT)) != 0 ||
            lrd__keyrow_shard(self->store, *entry) != shard)
            continue;
        const lrd__keylock *row = lrd__keyrow_at(self->store, *entry);
        if (row->place != place || row->hash_low != hash_low || row->hash_high != hash_high ||
            (token != 0 && row->token != token))
            continue;
        *entry |= LRD__KEYLIST_LEFT;
        list->left++;
    }
}

uint32_t lrd__keylock_release(lrd__thread *self, lrd__shard *shard, lrd__keylock *row)
{
    lrd_store *store = self->store;
    if (lrd__keyrow_mine(self, row))
        keylist_drop(&self->keylocks, row->place, lrd__keyrow_link_of(store, row));
    row->token = 0;
    atomic_signal_fence(memory_order_seq_cst);
    LRD__FAILPOINT("keylock_freed");
    if (row->waiters == 0) {
        lrd__keyrow_free(store, shard, row);
        return 0;
    }
    row->until = lrd__now(store) + KEYLOCK_KEEP_MS;
    uint32_t turn = lrd__keyrow_raise(row);
    LRD__FAILPOINT("keylock_kept");
    return turn != 0 ? turn : lrd__keyrow_raise(row);
}

/* ---- sleeping and waking ---- */

void lrd__keylock_pass(lrd__thread *self, uint32_t index, lrd__keylock *row, uint32_t turn)
{
    lrd__assert(index < self->store->geo.shards);
    lrd_store *store = self->store;
    LRD__FAILPOINT("keylock_passing");
    if (lrd__futex_wake(&row->turn, 1) > 0 || lrd__shard_try(store, self, index) != LRD_OK)
        return;
    if (lrd__keyrow_still_of(store, row, index) && row->token == 0 && row->waiters != 0 &&
        atomic_load_explicit(&row->turn, memory_order_relaxed) == turn)
        lrd__keyrow_free(store, store->shards + index, row);
    lrd__shard_unlock(store, index);
}

uint64_t lrd__keylock_step(uint64_t ms) { return ms < KEYLOCK_STEP_MS ? ms : KEYLOCK_STEP_MS; }

int lrd__keylock_sleep(lrd__keylock *row, uint32_t turn, uint64_t ms)
{
    LRD__FAILPOINT("keylock_sleeps");
    int error = lrd__futex_wait(&row->turn, turn, lrd__keylock_step(ms));
    if (error != 0)
        return error == EINTR ? LRD_INTR : error == ETIMEDOUT ? LRD_MISS : LRD_OK;
    LRD__FAILPOINT("keylock_woken");
    return LRD_OK;
}

/* ---- ending ---- */

/* End the reservation of a row if this thread still owns it. If another thread has taken the row,
 * only remove the row from this thread's list. Releases the lock of the row's shard. */
static void keylock_end_row(lrd__thread *self, lrd__keylock *row, uint32_t place, uint32_t index)
{
    lrd__assert_locked(self->store, index);
    lrd_store *store = self->store;
    uint32_t turn = 0;
    if (lrd__keyrow_still_of(store, row, index) && lrd__keyrow_mine(self, row) &&
        row->place == place)
        turn = lrd__keylock_release(self, store->shards + index, row);
    else if (place != KEYLIST_NONE)
        keylist_drop(&self->keylocks, place, lrd__keyrow_link_of(store, row));
    lrd__shard_unlock(store, index);
    if (turn != 0)
        lrd__keylock_pass(self, index, row, turn);
}

/* End this thread's reservations in this chunk that are missing from the thread's list. */
static int keylock_end_chunk(lrd__thread *self, uint32_t chunk, uint32_t index)
{
    lrd__assert(index < self->store->geo.shards);
    lrd_store *store = self->store;
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++) {
        int code = lrd__shard_lock(store, self, index);
        if (code != LRD_OK)
            return code;
        keylock_end_row(self, store->keylocks + (uint64_t)chunk * LRD__KEYLOCK_CHUNK + i,
                        KEYLIST_NONE, index);
    }
    return LRD_OK;
}

/* End this thread's reservations that are missing from its list. Returns false if some remain. */
static bool keylock_end_unlisted(lrd__thread *self)
{
    const lrd_store *store = self->store;
    uint64_t busy[4] = {0};
    bool all = true;
    for (uint32_t chunk = 0; chunk < store->geo.keylock_chunks; chunk++) {
        uint32_t index = lrd__keyrow_shard(store, chunk * LRD__KEYLOCK_CHUNK + 1);
        if (index >= store->geo.shards || (busy[index / 64] >> index % 64 & 1) != 0 ||
            keylock_end_chunk(self, chunk, index) == LRD_OK)
            continue;
        busy[index / 64] |= (uint64_t)1 << index % 64;
        all = false;
    }
    if (!all || self->keylocks.unlisted == 0)
        return self->keylocks.unlisted == 0;
    /* all reservations that were missing from the list have ended */
    self->keylocks.used -= self->keylocks.unlisted;
    self->keylocks.unlisted = 0;
    return true;
}

/* End the reservations in the list whose entries have the flag `only` (0: all). If `lock` fails,
 * the shard's entries get LRD__KEYLIST_LEFT. */
static LRD__HOT void keylock_end_entries(lrd__thread *self, uint32_t only,
                                         int (*lock)(lrd_store *, lrd__thread *, uint32_t))
{
    lrd__keylist *list = &self->keylocks;
    uint64_t busy[4] = {0};
    for (uint32_t place = 0; place < list->top; place++) {
        uint32_t *entry = lrd__keylist_entry(list, place), link = *entry & ~LRD__KEYLIST_LEFT;
        if ((*entry & LRD__KEYLIST_FREE) != 0 || (*entry & only) != only)
            continue;
        uint32_t index = lrd__keyrow_shard(self->store, link);
        /* a row that belongs to no shard is not reserved */
        if (index >= self->store->geo.shards) {
            keylist_drop(list, place, link);
        } else if ((busy[index / 64] >> index % 64 & 1) == 0 &&
                   lock(self->store, self, index) == LRD_OK) {
            keylock_end_row(self, lrd__keyrow_at(self->store, link), place, index);
        } else {
            busy[index / 64] |= (uint64_t)1 << index % 64;
            list->left += (*entry & LRD__KEYLIST_LEFT) == 0;
            *entry = link | LRD__KEYLIST_LEFT;
        }
    }
}

/* If a shard is busy, this function waits for its lock only once. It then skips the shard's other
 * rows. */
LRD__HOT int lrd__keylock_end_all(lrd__thread *self)
{
    const lrd__keylist *list = &self->keylocks;
    bool all = list->unlisted == 0 || keylock_end_unlisted(self);
    keylock_end_entries(self, 0, lrd__shard_lock);
    if (all && list->left == 0)
        return LRD_OK;
    return lrd__fail(LRD_EBUSY, "%u keys are still reserved, as their shard is busy", list->used);
}

/* End only the reservations that an earlier call could not end (LRD__KEYLIST_LEFT). The current
 * request may still need the thread's other reservations. */
void lrd__keylock_end_left(lrd__thread *self)
{
    if (lrd__segment_lost(self->store) == LRD__LOST_NOTHING)
        keylock_end_entries(self, LRD__KEYLIST_LEFT, lrd__shard_try);
}

LRD__HOT void lrd__keylock_leave(lrd__thread *self)
{
    if (lrd__segment_lost(self->store) == LRD__LOST_NOTHING)
        (void)lrd__keylock_end_all(self);
    if (self->keylocks.more != NULL)
        munmap(self->keylocks.more, keylist_rows(self) * sizeof *self->keylocks.more);
    self->keylocks.more = NULL;
}

/* maximum number of chunks that one call takes from other shards */
#define KEYROW_COLLECT 16u

void lrd__keyrow_collect(lrd__thread *self, uint32_t index)
{
    lrd__assert(index < self->store->geo.shards);
    lrd_store *store = self->store;
    uint64_t now = lrd__now(store);
    uint32_t given = 0;
    for (uint32_t chunk = 0; chunk < store->geo.keylock_chunks && given < KEYROW_COLLECT; chunk++) {
        uint32_t other = lrd__keyrow_shard(store, chunk * LRD__KEYLOCK_CHUNK + 1);
        if (other >= store->geo.shards || other == index ||
            lrd__shard_try(store, self, other) != LRD_OK)
            continue;
        if (lrd__chunk_of(lrd__chunk_owner(store, chunk), other) &&
            lrd__chunk_idle(self, chunk, now)) {
            lrd__chunk_sweep(self, store->shards + other, chunk, now);
            lrd__chunk_give(store, chunk, other);
            given++;
        }
        lrd__shard_unlock(store, other);
    }
}
