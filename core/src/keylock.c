/* keylock.c - reservations of keys: lrd_lock() and lrd_unlock(), for computing a value once.
 *
 * A reservation is a row of its key's shard (keyrow.c): the 128-bit hash of the key, who owns it
 * (slot and incarnation), and until when. It says nothing about entries. Read keylock_attempt()
 * first, then keylock_look(), which notices that an owner is dead.
 *
 *                 take                           unlock, waiters set
 *   free row ------------> reserved, token != 0 ---------------------> kept: token 0, in its chain
 *      ^                       |        ^                                  |            |
 *      `-----------------------'        `----------------------------------'            |
 *      ^   unlock, no waiters               take: the waiter, or anybody else           |
 *      `--------------------------------------------------------------------------------'
 *                          nobody slept, or none took it within KEYLOCK_KEEP_MS
 *
 * Invariants
 * - Rows are read and written under the shard's lock. The token is stored last when a row is taken
 *   and first when it ends, so whoever dies in between leaves a row without a reservation.
 * - A row whose lease has run out or whose owner is gone has ended, though it still has a token:
 *   the next one who wants the key, or a row, takes it.
 * - Nobody sleeps on turn without having set waiters and read turn under the shard's lock, while
 *   the row was somebody's. Who ends the reservation raises turn and wakes one. Whoever takes the
 *   row leaves waiters as it is, since others may sleep on; it is a flag and not a count, because a
 *   count that a killed sleeper cannot lower drifts. Who wakes nobody learns by that that nobody
 *   sleeps, and frees the row. Whoever gives up looks once more, so a wake-up is lost only when the
 *   waiter or the waker is killed. Then the others sleep at most one KEYLOCK_STEP_MS longer.
 * - Who asks for a key in vain and has reserved others sets waiters, too, though it does not sleep.
 *   So of threads that have what the next one wants, each sees that it is waited for
 *   (lrd_lock_wanted()) as soon as all have asked.
 * - A thread's list of rows is its own memory and a hint: a row may have ended, by another thread's
 *   call or its lease, and be somebody else's, of another shard's, or its own once more. So shard,
 *   slot, incarnation and place are compared under the shard's lock. The list grows before the lock
 *   is taken; where it cannot, all rows are searched when the request ends.
 */
#include "keyrow.h"
#include "place.h"

#include <errno.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

#define KEYLOCK_SEED 0x6b65796c6f636b73ull /* apart from the hash that places the key */
/* The longest sleep: an owner's death and the end of a lease wake nobody. */
#define KEYLOCK_STEP_MS 50u
#define KEYLOCK_KEEP_MS 1000u
#define KEYLIST_FREE 0x80000000u /* of an entry: it is free; below, the next free entry + 1 */
#define KEYLIST_LEFT 0x40000000u /* of an entry: its request has ended, the row could not be */
#define KEYLIST_NONE UINT32_MAX  /* place of a row that is in no list */

_Static_assert((LRD__KEYLOCK_CHUNKS + 256) * LRD__KEYLOCK_CHUNK < KEYLIST_LEFT, "bits of an entry");

static XXH128_hash_t keylock_hash(const lrd_store *store, const void *key, size_t key_len)
{
    return XXH3_128bits_withSeed(key, key_len, store->seed ^ KEYLOCK_SEED);
}

static int keylock_check_key(size_t key_len)
{
    if (key_len == 0 || key_len > LRD_KEY_MAX)
        return lrd__fail(LRD_EKEY, "the key is %zu bytes long", key_len);
    return LRD_OK;
}

/* ---- the rows that a thread has ---- */

static uint32_t *keylist_entry(lrd__keylist *list, uint32_t place)
{
    return place < LRD__KEYLIST_FEW ? &list->few[place] : &list->more[place - LRD__KEYLIST_FEW];
}

static uint32_t keylist_rows(const lrd__thread *self)
{
    return self->store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK;
}

/* Have room for one more, if it can be had. Address space for all rows: pages come as they are
 * used. */
static void keylist_prepare(lrd__thread *self)
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

/* The place of a new entry, or KEYLIST_NONE. */
static uint32_t keylist_add(lrd__thread *self, uint32_t link)
{
    lrd__keylist *list = &self->keylocks;
    uint32_t place = list->free - 1;
    uint32_t room = LRD__KEYLIST_FEW + (list->more != NULL ? keylist_rows(self) : 0);
    list->used++;
    if (list->free != 0)
        list->free = *keylist_entry(list, place) & ~KEYLIST_FREE;
    else if (list->top < room)
        place = list->top++;
    else
        return list->unlisted++, KEYLIST_NONE;
    *keylist_entry(list, place) = link;
    return place;
}

static void keylist_drop(lrd__keylist *list, uint32_t place, uint32_t link)
{
    if (place == KEYLIST_NONE && list->unlisted != 0) {
        list->unlisted--;
    } else if (place < list->top && (*keylist_entry(list, place) & ~KEYLIST_LEFT) == link) {
        list->left -= (*keylist_entry(list, place) & KEYLIST_LEFT) != 0;
        *keylist_entry(list, place) = KEYLIST_FREE | list->free;
        list->free = place + 1;
    } else {
        return;
    }
    if (--list->used == 0)
        list->top = list->free = list->unlisted = list->left = 0;
}

/* Whether an entry says that a row is of a request that has ended. */
static bool keylist_is_left(lrd__keylist *list, uint32_t place, uint32_t link)
{
    return list->left != 0 && place < list->top &&
           *keylist_entry(list, place) == (link | KEYLIST_LEFT);
}

/* ---- taking and ending a row [locked] ---- */

/* row: in the chain of its hash already, if it has that. */
static uint64_t keylock_take(lrd__thread *self, lrd__shard *shard, lrd__keylock *row,
                             uint64_t until)
{
    uint32_t link = lrd__keyrow_link_of(self->store, row);
    if (!lrd__keyrow_mine(self, row)) {
        row->place = keylist_add(self, link);
    } else if (keylist_is_left(&self->keylocks, row->place, link)) {
        *keylist_entry(&self->keylocks, row->place) = link;
        self->keylocks.left--;
    }
    /* The fences keep the compiler from moving stores across the token; a death keeps the order. */
    row->token = 0;
    atomic_signal_fence(memory_order_seq_cst);
    row->until = until;
    row->incarnation = self->incarnation;
    row->slot = self->slot_index;
    LRD__FAILPOINT("keylock_filled");
    atomic_signal_fence(memory_order_seq_cst);
    row->token = ++shard->token;
    LRD__FAILPOINT("keylock_taken");
    return row->token;
}

/* End a reservation of this process. Returns the turn with which the row is kept for a waiter,
 * which the caller wakes (keylock_pass) after it has released the lock, or they would queue up
 * there; 0: none. */
static uint32_t keylock_release(lrd__thread *self, lrd__shard *shard, lrd__keylock *row)
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

/* Wake one waiter of a row that is kept. Where nobody slept, the row is free: whoever is about to
 * sleep sees that turn was raised, and looks for the key again. */
static void keylock_pass(lrd__thread *self, uint32_t index, lrd__keylock *row, uint32_t turn)
{
    lrd_store *store = self->store;
    LRD__FAILPOINT("keylock_passing");
    if (lrd__keyrow_wake(row, 1) > 0 || lrd__shard_try(store, self, index) != LRD_OK)
        return;
    if (lrd__keyrow_still_of(store, row, index) && row->token == 0 && row->waiters != 0 &&
        atomic_load_explicit(&row->turn, memory_order_relaxed) == turn)
        lrd__keyrow_free(store, store->shards + index, row);
    lrd__shard_unlock(store, index);
}

static struct timespec keylock_step(uint64_t ms)
{
    return (struct timespec){.tv_nsec =
                                 (long)(ms < KEYLOCK_STEP_MS ? ms : KEYLOCK_STEP_MS) * 1000000};
}

/* Returns at once if turn is no longer what it was under the lock. True: the whole time has gone
 * by. */
static bool keylock_sleep(lrd__keylock *row, uint32_t turn, uint64_t ms)
{
    struct timespec time = keylock_step(ms);
    LRD__FAILPOINT("keylock_sleeps");
    if (syscall(SYS_futex, &row->turn, FUTEX_WAIT, turn, &time, NULL, 0) != 0)
        return errno == ETIMEDOUT;
    LRD__FAILPOINT("keylock_woken");
    return false;
}

/* ---- reserving ---- */

typedef struct keylock_request {
    lrd__place place;
    XXH128_hash_t hash;
    uint64_t lease_ms;
    lrd__keyrow_search search;
    uint64_t token; /* out, with LRD_OK */
    /* out, with LRD_HELD: */
    lrd__keylock *row;
    uint32_t turn;
    uint32_t holder; /* index of the owner's slot */
} keylock_request;

static int keylock_look(lrd__thread *self, keylock_request *request, bool may_wait)
{
    lrd_store *store = self->store;
    lrd__shard *shard = request->place.shard;
    uint64_t now = lrd__now(store), until = 0;
    lrd__keylock *row = lrd__keyrow_find(store, shard, request->hash.low64, request->hash.high64);

    if (row == NULL) {
        int code =
            lrd__keyrow_vacant(self, request->place.shard_index, now, &request->search, &row);
        if (code != LRD_OK)
            return code;
        row->hash_low = request->hash.low64;
        row->hash_high = request->hash.high64;
        lrd__keyrow_link(store, shard, row);
    } else if (lrd__keyrow_mine(self, row)) {
        if (!lrd__keyrow_lease_over(row, now) &&
            !keylist_is_left(&self->keylocks, row->place, lrd__keyrow_link_of(store, row)))
            return lrd__fail(LRD_EDEADLK, "unlock it first");
    } else if (row->token != 0 && !lrd__keyrow_ended(store, row, now)) {
        request->holder = row->slot;
        request->row = row;
        request->turn = atomic_load_explicit(&row->turn, memory_order_relaxed);
        if (may_wait || self->keylocks.used != 0)
            row->waiters = 1;
        LRD__FAILPOINT("keylock_held");
        return LRD_HELD;
    }
    if (request->lease_ms != 0 && __builtin_add_overflow(now, request->lease_ms, &until))
        until = 0;
    request->token = keylock_take(self, shard, row, until);
    return LRD_OK;
}

static int keylock_attempt(lrd__thread *self, keylock_request *request, bool may_wait)
{
    int code;
    request->search = (lrd__keyrow_search){.left = self->store->geo.keylock_chunks};
    keylist_prepare(self);
    do {
        code = lrd__shard_lock(self->store, self, request->place.shard_index);
        if (code != LRD_OK)
            return code;
        code = keylock_look(self, request, may_wait);
        lrd__shard_unlock(self->store, request->place.shard_index);
        if (code == LRD__KEYROW_OTHERS)
            lrd__keyrow_collect(self, request->place.shard_index);
    } while (code == LRD__KEYROW_MORE || code == LRD__KEYROW_OTHERS);
    return code;
}

/* Measured by the monotonic clock: the store's may stand still, or jump. A busy shard is waited for
 * like a held key, since its lock may be free again long before the caller's patience ends. */
static int keylock_wait(lrd__thread *self, keylock_request *request, uint64_t wait_ms)
{
    uint64_t start = wait_ms != 0 ? lrd__clock_monotonic_ms() : 0;
    for (;;) {
        uint64_t waited = wait_ms != 0 ? lrd__clock_monotonic_ms() - start : 0;
        int code = keylock_attempt(self, request, waited < wait_ms);
        if ((code != LRD_HELD && code != LRD_EBUSY) || waited >= wait_ms)
            return code;
        if (code == LRD_EBUSY) {
            struct timespec nap = keylock_step(wait_ms - waited);
            nanosleep(&nap, NULL);
        } else if (keylock_sleep(request->row, request->turn, wait_ms - waited)) {
            lrd__slot *holder = lrd__slot_at(self->store, request->holder);
            lrd__lease_gone(&holder->owner, &holder->who);
        }
    }
}

int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms, uint64_t wait_ms,
             uint64_t *token)
{
    lrd__thread *self;
    int code = keylock_check_key(key_len);
    if (code == LRD_OK)
        code = lrd__segment_look(store);
    if (code == LRD_OK)
        code = lrd__enter(store, &self);
    if (code != LRD_OK)
        return code;
    keylock_request request = {
        .place = lrd__place_of(store, key, key_len),
        .hash = keylock_hash(store, key, key_len),
        .lease_ms = lease_ms,
    };
    if (self->keylocks.left != 0)
        lrd__keylock_end_left(self);
    code = keylock_wait(self, &request, wait_ms);
    lrd__leave(self);
    if (code == LRD_OK && token != NULL)
        *token = request.token;
    return code;
}

/* A row that has ended and was taken anew is not ours: its slot or incarnation differs. */
static bool keylock_is_wanted(lrd__thread *self, uint32_t link)
{
    lrd_store *store = self->store;
    uint32_t index = lrd__keyrow_shard(store, link);
    if (index >= store->geo.shards || lrd__shard_lock(store, self, index) != LRD_OK)
        return false;
    const lrd__keylock *row = lrd__keyrow_at(store, link);
    bool wanted =
        lrd__keyrow_still_of(store, row, index) && lrd__keyrow_mine(self, row) && row->waiters != 0;
    lrd__shard_unlock(store, index);
    return wanted;
}

bool lrd_lock_wanted(lrd_store *store)
{
    lrd__thread *self;
    bool wanted = false;
    if (lrd__segment_look(store) != LRD_OK || lrd__enter(store, &self) != LRD_OK)
        return false;
    for (uint32_t place = 0; place < self->keylocks.top && !wanted; place++) {
        uint32_t entry = *keylist_entry(&self->keylocks, place);
        if ((entry & (KEYLIST_FREE | KEYLIST_LEFT)) == 0)
            wanted = keylock_is_wanted(self, entry);
    }
    lrd__leave(self);
    return wanted;
}

/* ---- ending ---- */

/* A thread of this process, so no parent's. Where it has ended, its reservation has, too. */
static bool keylock_is_of_process(const lrd_store *store, const lrd__keylock *row)
{
    int32_t tid = lrd__who_tid(&lrd__slot_at(store, row->slot)->who);
    return tid != 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

static bool keylock_may_end(const lrd__thread *self, const lrd__keylock *row, uint64_t token)
{
    if (token == 0)
        return lrd__keyrow_mine(self, row);
    return token == row->token &&
           (lrd__keyrow_mine(self, row) || keylock_is_of_process(self->store, row));
}

int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token)
{
    lrd__thread *self;
    int code = keylock_check_key(key_len);
    if (code == LRD_OK)
        code = lrd__enter(store, &self);
    if (code != LRD_OK)
        return code;
    lrd__place place = lrd__place_of(store, key, key_len);
    XXH128_hash_t hash = keylock_hash(store, key, key_len);
    lrd__keylock *row = NULL;
    uint32_t turn = 0;
    if (self->keylocks.left != 0)
        lrd__keylock_end_left(self);
    code = lrd__shard_lock(store, self, place.shard_index);
    if (code == LRD_OK) {
        row = lrd__keyrow_find(store, place.shard, hash.low64, hash.high64);
        code = LRD_MISS;
        if (row != NULL && keylock_may_end(self, row, token)) {
            if (row->until == 0 || !lrd__keyrow_lease_over(row, lrd__now(store)))
                code = LRD_OK;
            turn = keylock_release(self, place.shard, row);
        }
        lrd__shard_unlock(store, place.shard_index);
    }
    if (turn != 0)
        keylock_pass(self, place.shard_index, row, turn);
    lrd__leave(self);
    return code;
}

/* The entry at a place of the thread's list, whose shard's lock is had already: it is let go. */
static void keylock_end_listed(lrd__thread *self, uint32_t place, uint32_t link, uint32_t index)
{
    lrd__keylock *row = lrd__keyrow_at(self->store, link);
    uint32_t turn = 0;
    if (lrd__keyrow_still_of(self->store, row, index) && lrd__keyrow_mine(self, row) &&
        row->place == place)
        turn = keylock_release(self, self->store->shards + index, row);
    else /* its lease ended, and others took it */
        keylist_drop(&self->keylocks, place, link);
    lrd__shard_unlock(self->store, index);
    if (turn != 0)
        keylock_pass(self, index, row, turn);
}

/* Those in a chunk that are in no list, one lock for each: this is rare. */
static int keylock_end_chunk(lrd__thread *self, uint32_t chunk, uint32_t index)
{
    lrd_store *store = self->store;
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++) {
        lrd__keylock *row = store->keylocks + (uint64_t)chunk * LRD__KEYLOCK_CHUNK + i;
        uint32_t turn = 0;
        int code = lrd__shard_lock(store, self, index);
        if (code != LRD_OK)
            return code;
        if (lrd__keyrow_still_of(store, row, index) && lrd__keyrow_mine(self, row) &&
            row->place == KEYLIST_NONE)
            turn = keylock_release(self, store->shards + index, row);
        lrd__shard_unlock(store, index);
        if (turn != 0)
            keylock_pass(self, index, row, turn);
    }
    return LRD_OK;
}

/* False: some stay. */
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
    self->keylocks.used -= self->keylocks.unlisted; /* they had ended */
    self->keylocks.unlisted = 0;
    return true;
}

/* All entries, or those that are left. lock: of shards. One that is busy is asked for once, and its
 * entries are left. */
static void keylock_end_entries(lrd__thread *self, uint32_t only,
                                int (*lock)(lrd_store *, lrd__thread *, uint32_t))
{
    lrd__keylist *list = &self->keylocks;
    uint64_t busy[4] = {0};
    for (uint32_t place = 0; place < list->top; place++) {
        uint32_t *entry = keylist_entry(list, place), link = *entry & ~KEYLIST_LEFT;
        if ((*entry & KEYLIST_FREE) != 0 || (*entry & only) != only)
            continue;
        uint32_t index = lrd__keyrow_shard(self->store, link);
        if (index >= self->store->geo.shards) { /* nobody's any more: nor ours, then */
            keylist_drop(list, place, link);
        } else if ((busy[index / 64] >> index % 64 & 1) == 0 &&
                   lock(self->store, self, index) == LRD_OK) {
            keylock_end_listed(self, place, link, index);
        } else {
            busy[index / 64] |= (uint64_t)1 << index % 64;
            list->left += (*entry & KEYLIST_LEFT) == 0;
            *entry = link | KEYLIST_LEFT;
        }
    }
}

/* A busy shard is waited for once. */
int lrd__keylock_end_all(lrd__thread *self)
{
    const lrd__keylist *list = &self->keylocks;
    bool all = list->unlisted == 0 || keylock_end_unlisted(self);
    keylock_end_entries(self, 0, lrd__shard_lock);
    if (all && list->left == 0)
        return LRD_OK;
    return lrd__fail(LRD_EBUSY, "%u keys are still reserved, as their shard is busy", list->used);
}

/* What no entry has is left to the next end of a request: a thread cannot tell of which one it
 * is. */
void lrd__keylock_end_left(lrd__thread *self)
{
    if (lrd__segment_lost(self->store) == LRD__LOST_NOTHING)
        keylock_end_entries(self, KEYLIST_LEFT, lrd__shard_try);
}

void lrd__keylock_leave(lrd__thread *self)
{
    if (lrd__segment_lost(self->store) == LRD__LOST_NOTHING)
        (void)lrd__keylock_end_all(self);
    if (self->keylocks.more != NULL)
        munmap(self->keylocks.more, keylist_rows(self) * sizeof *self->keylocks.more);
    self->keylocks.more = NULL;
}
