/* keylock.c - reservations of keys: lrd_lock() and lrd_unlock(), for computing a value once.
 *
 * Owns the keylocks of the shards, and with them futex and waiters. A reservation is a row of its
 * key's shard: the 128-bit hash of the key, who owns it (slot and incarnation), and until when. It
 * says nothing about entries. Read keylock_attempt() first.
 *
 * Invariants
 * - Rows are read and written under the shard's lock. A row is in use if its token is not 0; the
 *   token is stored last when a row is taken and first when it is freed, so whoever dies in between
 *   leaves a free row, and recovery has nothing to do here.
 * - A row whose lease has run out or whose owner is gone has ended, though it still is in use: the
 *   next one who wants the key, or a row, takes it.
 * - Nobody sleeps on futex without having set waiters under the shard's lock, after looking at the
 *   rows. Who frees a row clears waiters, raises futex and wakes everybody, and whoever is still
 *   interested sets it again. A flag and not a count, because a count that a killed sleeper cannot
 *   lower drifts, and one that is reset meanwhile passes through a wrong 0 later. The worst that is
 *   left of a killed sleeper is one needless wake-up; of a killed waker, a sleep of KEYLOCK_STEP_MS.
 */
#include "place.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

#define KEYLOCK_SEED 0x6b65796c6f636b73ull /* apart from the hash that places the key */
/* The longest sleep: an owner's death and the end of a lease wake nobody. */
#define KEYLOCK_STEP_MS 50u

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

/* ---- rows [locked] --------------------------------------------------------------------------- */

static lrd__keylock *keylock_find(lrd__shard *shard, XXH128_hash_t hash)
{
    for (uint32_t i = 0; i < LRD__KEYLOCKS; i++) {
        lrd__keylock *row = &shard->keylocks[i];
        if (row->token != 0 && row->hash_low == hash.low64 && row->hash_high == hash.high64)
            return row;
    }
    return NULL;
}

static bool keylock_is_mine(const lrd__thread *self, const lrd__keylock *row)
{
    return row->slot == self->slot_index && row->incarnation == self->incarnation;
}

static bool keylock_ended(lrd_store *store, const lrd__keylock *row, uint64_t now)
{
    return (row->until != 0 && now >= row->until) ||
           !lrd__slot_alive(store, row->slot, row->incarnation);
}

/* A row that is free or has ended. Free ones first: looking whether an owner lives is slow. */
static lrd__keylock *keylock_vacant(lrd_store *store, lrd__shard *shard, uint64_t now)
{
    for (uint32_t i = 0; i < LRD__KEYLOCKS; i++)
        if (shard->keylocks[i].token == 0)
            return &shard->keylocks[i];
    for (uint32_t i = 0; i < LRD__KEYLOCKS; i++)
        if (keylock_ended(store, &shard->keylocks[i], now))
            return &shard->keylocks[i];
    return NULL;
}

static void keylock_take(lrd__thread *self, const lrd__place *place, lrd__keylock *row,
                         XXH128_hash_t hash, uint64_t until)
{
    /* The fences keep the compiler from moving stores across the token; a death keeps the order. */
    row->token = 0;
    atomic_signal_fence(memory_order_seq_cst);
    row->hash_low = hash.low64;
    row->hash_high = hash.high64;
    row->until = until;
    row->incarnation = self->incarnation;
    row->slot = self->slot_index;
    LRD__FAILPOINT("keylock_filled");
    atomic_signal_fence(memory_order_seq_cst);
    row->token = ++place->shard->token;
    LRD__FAILPOINT("keylock_taken");
    self->keylocks++;
    self->keylock_shards[place->shard_index / 64] |= (uint64_t)1 << place->shard_index % 64;
}

static void keylock_free(lrd__shard *shard, lrd__keylock *row)
{
    row->token = 0;
    LRD__FAILPOINT("keylock_freed");
    atomic_fetch_add_explicit(&shard->futex, 1, memory_order_relaxed);
}

/* Whether somebody is to be woken, after the shard's lock was released (or they queue up there). */
static bool keylock_take_waiters(lrd__shard *shard)
{
    if (atomic_load_explicit(&shard->waiters, memory_order_relaxed) == 0)
        return false;
    atomic_store_explicit(&shard->waiters, 0, memory_order_relaxed);
    LRD__FAILPOINT("keylock_waiters");
    return true;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Returns at once if futex is no longer what it was before the rows were looked at. */
static void keylock_sleep(lrd__shard *shard, uint32_t seen, uint64_t ms)
{
    struct timespec time = {.tv_nsec =
                                (long)(ms < KEYLOCK_STEP_MS ? ms : KEYLOCK_STEP_MS) * 1000000};
    syscall(SYS_futex, &shard->futex, FUTEX_WAIT, seen, &time, NULL, 0);
}

static void keylock_wake(lrd__shard *shard)
{
    syscall(SYS_futex, &shard->futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- reserving ------------------------------------------------------------------------------- */

typedef struct keylock_request {
    lrd__place place;
    XXH128_hash_t hash;
    uint64_t lease_ms;
    uint64_t token;  /* out, with LRD_OK */
    uint32_t holder; /* out, with LRD_HELD: index of the owner's slot */
} keylock_request;

static int keylock_look(lrd__thread *self, keylock_request *request, bool may_wait)
{
    lrd_store *store = self->store;
    lrd__shard *shard = request->place.shard;
    uint64_t now = lrd__now(store);
    lrd__keylock *row = keylock_find(shard, request->hash);

    if (row != NULL && !keylock_ended(store, row, now)) {
        if (keylock_is_mine(self, row))
            return lrd__fail(LRD_EDEADLK, "unlock it first");
        request->holder = row->slot;
        if (may_wait)
            atomic_store_explicit(&shard->waiters, 1, memory_order_relaxed);
        return LRD_HELD;
    }
    if (row == NULL)
        row = keylock_vacant(store, shard, now);
    if (row == NULL)
        return lrd__fail(LRD_ENOLOCKS, "the limit is %u in a shard, and there are %u shards",
                         LRD__KEYLOCKS, store->geo.shards);
    uint64_t until = 0;
    if (request->lease_ms != 0 && __builtin_add_overflow(now, request->lease_ms, &until))
        until = 0;
    keylock_take(self, &request->place, row, request->hash, until);
    request->token = row->token;
    return LRD_OK;
}

static int keylock_attempt(lrd__thread *self, keylock_request *request, bool may_wait)
{
    int code = lrd__shard_lock(self->store, self, request->place.shard_index);
    if (code != LRD_OK)
        return code;
    code = keylock_look(self, request, may_wait);
    lrd__shard_unlock(self->store, request->place.shard_index);
    return code;
}

/* Measured by the monotonic clock: the store's may stand still, or jump. A busy shard is waited for
 * like a held key, since its lock may be free again long before the caller's patience ends. */
static int keylock_wait(lrd__thread *self, keylock_request *request, uint64_t wait_ms)
{
    lrd__shard *shard = request->place.shard;
    uint64_t start = lrd__clock_monotonic_ms();

    for (;;) {
        uint32_t seen = atomic_load_explicit(&shard->futex, memory_order_relaxed);
        uint64_t waited = lrd__clock_monotonic_ms() - start;
        int code = keylock_attempt(self, request, waited < wait_ms);
        if ((code != LRD_HELD && code != LRD_EBUSY) || waited >= wait_ms)
            return code;
        keylock_sleep(shard, seen, wait_ms - waited);
        if (code == LRD_HELD) {
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
        code = lrd__enter(store, &self);
    if (code != LRD_OK)
        return code;
    keylock_request request = {
        .place = lrd__place_of(store, key, key_len),
        .hash = keylock_hash(store, key, key_len),
        .lease_ms = lease_ms,
    };
    code = keylock_wait(self, &request, wait_ms);
    lrd__leave(self);
    if (code == LRD_OK && token != NULL)
        *token = request.token;
    return code;
}

/* ---- ending ---------------------------------------------------------------------------------- */

int lrd_unlock(lrd_store *store, const void *key, size_t key_len, uint64_t token)
{
    lrd__thread *self;
    int code = keylock_check_key(key_len);
    if (code == LRD_OK)
        code = lrd__enter(store, &self);
    if (code != LRD_OK)
        return code;
    lrd__place place = lrd__place_of(store, key, key_len);
    bool wake = false;
    code = lrd__shard_lock(store, self, place.shard_index);
    if (code == LRD_OK) {
        lrd__keylock *row = keylock_find(place.shard, keylock_hash(store, key, key_len));
        code = LRD_MISS;
        if (row != NULL && keylock_is_mine(self, row) && (token == 0 || token == row->token)) {
            if (!keylock_ended(store, row, lrd__now(store)))
                code = LRD_OK;
            keylock_free(place.shard, row);
            self->keylocks--;
            wake = keylock_take_waiters(place.shard);
        }
        lrd__shard_unlock(store, place.shard_index);
    }
    if (wake)
        keylock_wake(place.shard);
    lrd__leave(self);
    return code;
}

static int keylock_end_shard(lrd__thread *self, uint32_t index)
{
    lrd__shard *shard = &self->store->shards[index];
    bool wake = false;
    int code = lrd__shard_lock(self->store, self, index);
    if (code != LRD_OK)
        return code;
    for (uint32_t i = 0; i < LRD__KEYLOCKS; i++) {
        lrd__keylock *row = &shard->keylocks[i];
        if (row->token == 0 || !keylock_is_mine(self, row))
            continue;
        keylock_free(shard, row);
        wake = keylock_take_waiters(shard) || wake;
    }
    lrd__shard_unlock(self->store, index);
    if (wake)
        keylock_wake(shard);
    return LRD_OK;
}

/* Reservations in a shard that is busy stay until the next end, their leases, or the thread's. */
void lrd__keylock_end_all(lrd__thread *self)
{
    bool all = true;
    if (self->keylocks == 0)
        return;
    for (uint32_t index = 0; index < self->store->geo.shards; index++) {
        uint64_t *shards = &self->keylock_shards[index / 64], bit = (uint64_t)1 << index % 64;
        if ((*shards & bit) == 0)
            continue;
        if (keylock_end_shard(self, index) == LRD_OK)
            *shards &= ~bit;
        else
            all = false;
    }
    if (all)
        self->keylocks = 0;
}
