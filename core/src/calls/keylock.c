/* keylock.c - reservations of keys: lrd_lock() and lrd_unlock(), for computing a value once. Read
 * keylock_attempt() first.
 *
 * A reservation is a row of its key's shard (keyrow.c): the 128-bit hash of the key, its owner
 * (slot and incarnation), and its end. It is independent of entries.
 *
 *                 take                           unlock, waiters set
 *   free row ------------> reserved, token != 0 ---------------------> kept: token 0, in its chain
 *      ^                       |        ^                                  |            |
 *      `-----------------------'        `----------------------------------'            |
 *      ^   unlock, no waiters               take: the waiter, or another thread         |
 *      `--------------------------------------------------------------------------------'
 *                          no sleeper, or not taken within KEYLOCK_KEEP_MS
 *
 * Invariants
 * - Rows are read and written under the shard's lock. The token is stored last when a row is taken,
 *   and cleared first when its reservation ends.
 * - A reservation whose lease has run out or whose owner is gone has ended, even while its row
 *   still has a token.
 * - To wait, a thread sets `waiters` and reads `turn` under the shard's lock, while the row is
 *   reserved. Then it sleeps on `turn`. The end of the reservation raises `turn` and wakes one
 *   waiter. A thread that takes the row leaves `waiters` set, because others may still sleep.
 * - If a thread has reserved keys and cannot get another key, it sets `waiters` of the other key's
 *   row, even if it does not sleep (lrd_lock_wanted()).
 * - Each thread has a private list of its rows, which is only a hint. So shard, slot, incarnation
 *   and place are compared under the shard's lock.
 * - If a thread cannot end a reservation because the shard is busy, the thread marks the
 *   reservation in its private list (LRD__KEYLIST_LEFT), and tries again in later calls. */
#include "calls/keylock.h"
#include "ground/error.h"
#include "ground/interrupt.h"
#include "ground/place.h"
#include "ground/lease.h"
#include "ground/map.h"
#include "entries/keyrow.h"
#include "locks/lock.h"
#include "room/keylist.h"
#include "threads/thread.h"

#include <sys/syscall.h>
#include <unistd.h>

/* seed of the hash that a lrd__keylock stores; the index uses another, independent hash */
#define KEYLOCK_SEED 0x6b65796c6f636b73ull

static XXH128_hash_t keylock_hash(const lrd_store *store, const void *key, size_t key_len)
{
    return XXH3_128bits_withSeed(key, key_len, store->seed ^ KEYLOCK_SEED);
}

/* ---- taking a row [locked] ---- */

/* Return the time at which a lease ends, or 0 if it never ends. */
static uint64_t keylock_until(uint64_t now, uint64_t lease_ms)
{
    uint64_t until;
    return lease_ms == 0 || __builtin_add_overflow(now, lease_ms, &until) ? 0 : until;
}

/* Reserve a row that is in the chain of its hash. Returns the token. */
static uint64_t keylock_take(lrd__thread *self, lrd__shard *shard, lrd__keylock *row,
                             uint64_t until)
{
    lrd__assert_thread(self);
    uint32_t link = lrd__keyrow_link_of(self->store, row);
    if (!lrd__keyrow_mine(self, row)) {
        row->place = lrd__keylist_add(self, link);
    } else if (lrd__keylist_is_left(&self->keylocks, row->place, link)) {
        *lrd__keylist_entry(&self->keylocks, row->place) = link;
        self->keylocks.left--;
    }
    /* `token` is 0 while the other fields change, so that recovery sees no reservation in a
     * half-written row. Compiler barriers are enough, because living threads look at the row only
     * under the shard's lock. */
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

/* ---- reserving ---- */

typedef struct keylock_request {
    lrd__place place;
    XXH128_hash_t hash;
    uint64_t lease_ms;
    bool polite;  /* true: do not take a row that is kept for a waiter */
    bool signals; /* true: a signal ends the wait */
    lrd__keyrow_search search;
    lrd__keylock_answer answer;
} keylock_request;

/* True if this thread has unlocked the row's key while the shard was too busy to end the
 * reservation. */
static bool keylock_is_left(lrd__thread *self, const lrd__keylock *row)
{
    return lrd__keyrow_mine(self, row) &&
           lrd__keylist_is_left(&self->keylocks, row->place, lrd__keyrow_link_of(self->store, row));
}

static int keylock_look(lrd__thread *self, keylock_request *request, bool may_wait)
{
    lrd__assert_thread(self);
    lrd_store *store = self->store;
    lrd__shard *shard = request->place.shard;
    uint64_t now = lrd__now(store), until;
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
        if (!lrd__keyrow_lease_over(row, now) && !keylock_is_left(self, row))
            return lrd__fail(LRD_EDEADLK, "unlock it first");
    } else if ((row->token != 0 && !lrd__keyrow_ended(store, row, now)) ||
               (row->token == 0 && request->polite && !lrd__keyrow_lease_over(row, now))) {
        request->answer = (lrd__keylock_answer){
            .row = row,
            .turn = atomic_load_explicit(&row->turn, memory_order_relaxed),
            .holder = row->slot,
            .kept = row->token == 0,
        };
        if (may_wait || self->keylocks.used != 0)
            row->waiters = 1;
        LRD__FAILPOINT("keylock_held");
        return LRD_HELD;
    }
    until = keylock_until(now, request->lease_ms);
    request->answer.token = keylock_take(self, shard, row, until);
    return LRD_OK;
}

static int keylock_attempt(lrd__thread *self, keylock_request *request, bool may_wait)
{
    lrd__assert_thread(self);
    int code;
    request->search = (lrd__keyrow_search){.left = self->store->geo.keylock_chunks};
    lrd__keylist_prepare(self);
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

/* Reserve a key, and wait for up to wait_ms if it is not free. Measures this time by the monotonic
 * clock, because the store's clock may stand still or jump. Returns LRD_INTR if a signal has ended
 * the wait. */
static int keylock_wait(lrd__thread *self, keylock_request *request, uint64_t wait_ms)
{
    lrd__assert_thread(self);
    uint64_t start = wait_ms != 0 ? lrd__clock_monotonic_ms() : 0;
    for (;;) {
        uint64_t waited = wait_ms != 0 ? lrd__clock_monotonic_ms() - start : 0;
        int code = keylock_attempt(self, request, waited < wait_ms);
        /* from the second attempt on, take the row even if it is kept for another waiter */
        request->polite = false;
        if ((code != LRD_HELD && code != LRD_EBUSY) || waited >= wait_ms)
            return code;
        if (request->signals && lrd__interrupted())
            return LRD_INTR;
        int slept;
        if (code == LRD_EBUSY) {
            slept = lrd__clock_nap(lrd__keylock_step(wait_ms - waited)) ? LRD_OK : LRD_INTR;
        } else {
            slept = lrd__keylock_sleep(request->answer.row, request->answer.turn, wait_ms - waited);
        }
        if (slept == LRD_INTR && request->signals)
            return lrd__interrupt_end();
        if (slept == LRD_MISS) {
            lrd__slot *holder = lrd__slot_at(self->store, request->answer.holder);
            lrd__lease_gone(&holder->owner, &holder->who);
        }
    }
}

int lrd_lock(lrd_store *store, const void *key, size_t key_len, uint64_t lease_ms, uint64_t wait_ms,
             uint64_t *token)
{
    lrd__thread *self;
    int code = lrd__key_check(key_len);
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
        *token = request.answer.token;
    return code;
}

int lrd__keylock_try(lrd__thread *self, const void *key, size_t key_len, uint64_t lease_ms,
                     lrd__keylock_kind kind, lrd__keylock_answer *out)
{
    keylock_request request = {
        .place = lrd__place_of(self->store, key, key_len),
        .hash = keylock_hash(self->store, key, key_len),
        .lease_ms = lease_ms,
        .polite = kind == LRD__KEYLOCK_POLITE,
    };
    int code = keylock_attempt(self, &request, kind == LRD__KEYLOCK_WAITS);
    *out = request.answer;
    return code;
}

int lrd__keylock_in_turn(lrd__thread *self, const void *key, size_t key_len, uint64_t lease_ms,
                         uint64_t wait_ms, uint64_t *token)
{
    keylock_request request = {
        .place = lrd__place_of(self->store, key, key_len),
        .hash = keylock_hash(self->store, key, key_len),
        .lease_ms = lease_ms,
        .polite = true,
        .signals = true,
    };
    int code = keylock_wait(self, &request, wait_ms);
    *token = request.answer.token;
    return code;
}

/* Lock the shard of a key, and set *row to the key's row, or to NULL. After LRD_OK, the caller must
 * unlock the shard. */
static int keylock_find(lrd__thread *self, const void *key, size_t key_len, lrd__place *place,
                        lrd__keylock **row)
{
    lrd_store *store = self->store;
    XXH128_hash_t hash = keylock_hash(store, key, key_len);
    *place = lrd__place_of(store, key, key_len);
    int code = lrd__shard_lock(store, self, place->shard_index);
    if (code == LRD_OK)
        *row = lrd__keyrow_find(store, place->shard, hash.low64, hash.high64);
    return code;
}

int lrd__keylock_held(lrd__thread *self, const void *key, size_t key_len, bool *held)
{
    lrd_store *store = self->store;
    lrd__place place;
    lrd__keylock *row;
    int code = keylock_find(self, key, key_len, &place, &row);
    if (code != LRD_OK)
        return code;
    *held = row != NULL && row->token != 0 && !lrd__keyrow_ended(store, row, lrd__now(store));
    lrd__shard_unlock(store, place.shard_index);
    return LRD_OK;
}

/* True if another thread wants the key of this thread's row. Returns false if the shard is busy. */
static bool keylock_is_wanted(lrd__thread *self, uint32_t link)
{
    lrd__assert_thread(self);
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
        uint32_t entry = *lrd__keylist_entry(&self->keylocks, place);
        if ((entry & (LRD__KEYLIST_FREE | LRD__KEYLIST_LEFT)) == 0)
            wanted = keylock_is_wanted(self, entry);
    }
    lrd__leave(self);
    return wanted;
}

/* ---- ending ---- */

/* True if a living thread of this process owns the reservation. A forked child is another
 * process. */
static bool keylock_is_of_process(const lrd_store *store, const lrd__keylock *row)
{
    int32_t tid = lrd__who_tid(&lrd__slot_at(store, row->slot)->who);
    return tid != 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

static bool keylock_may_end(const lrd__thread *self, const lrd__keylock *row, uint64_t token)
{
    lrd__assert_thread(self);
    if (token == 0)
        return lrd__keyrow_mine(self, row);
    return token == row->token &&
           (lrd__keyrow_mine(self, row) || keylock_is_of_process(self->store, row));
}

int lrd__keylock_end(lrd__thread *self, const void *key, size_t key_len, uint64_t token)
{
    lrd_store *store = self->store;
    lrd__place place;
    lrd__keylock *row;
    uint32_t turn = 0;
    int code = keylock_find(self, key, key_len, &place, &row);
    if (code == LRD_EBUSY) {
        /* most callers do not repeat a failed unlock, so let a later call end the reservation */
        XXH128_hash_t hash = keylock_hash(store, key, key_len);
        lrd__keylist_leave(self, place.shard_index, hash.low64, hash.high64, token);
    }
    if (code != LRD_OK)
        return code;
    code = LRD_MISS;
    if (row != NULL && keylock_may_end(self, row, token)) {
        if (row->until == 0 || !lrd__keyrow_lease_over(row, lrd__now(store)))
            code = LRD_OK;
        turn = lrd__keylock_release(self, place.shard, row);
    }
    lrd__shard_unlock(store, place.shard_index);
    if (turn != 0)
        lrd__keylock_pass(self, place.shard_index, row, turn);
    return code;
}

int lrd__keylock_renew(lrd__thread *self, const void *key, size_t key_len, uint64_t token,
                       uint64_t lease_ms)
{
    lrd_store *store = self->store;
    lrd__place place;
    lrd__keylock *row;
    int code = keylock_find(self, key, key_len, &place, &row);
    if (code != LRD_OK)
        return code;
    uint64_t now = lrd__now(store);
    code = LRD_MISS;
    /* prolong only a reservation that has not ended; for an ended one, return LRD_MISS */
    if (row != NULL && token != 0 && keylock_may_end(self, row, token) &&
        !keylock_is_left(self, row) && !lrd__keyrow_lease_over(row, now)) {
        row->until = keylock_until(now, lease_ms);
        code = LRD_OK;
    }
    lrd__shard_unlock(store, place.shard_index);
    return code;
}

int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token)
{
    lrd__thread *self;
    int code = lrd__key_check(key_len);
    /* If the file was moved, end the reservation nevertheless, because processes that still use the
     * moved file may wait for the key. */
    if (code == LRD_OK && lrd__segment_is_truncated(store))
        return LRD_ETRUNCATED;
    if (code == LRD_OK)
        code = lrd__enter(store, &self);
    if (code != LRD_OK)
        return code;
    code = lrd__keylock_end(self, key, key_len, token);
    /* Call lrd__keylock_end_left() last. It may also end this key's reservation, and
     * lrd__keylock_end() would then return LRD_MISS. */
    if (self->keylocks.left != 0 && code != LRD_EBUSY)
        lrd__keylock_end_left(self);
    lrd__leave(self);
    return code;
}
