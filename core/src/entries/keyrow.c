/* keyrow.c - finds the rows of key reservations (keylock.c), and gives a shard more of them, in
 * chunks. Owns the area of rows, its owner words, and each shard's chains, keylock_ready,
 * keylock_free and keylock_hand. Read lrd__keyrow_vacant() first, then lrd__keyrow_collect().
 *
 *   owner words   | shard 3 | shard 0 | shard 3 |   0   |   0  ...      2 bytes a chunk
 *   rows          | 64 rows | 64 rows | 64 rows |  (no memory yet) ...  4 KiB a chunk
 *
 * Invariants
 * - A chunk belongs to one shard, or is free. It is committed before its owner word is stored, and
 *   its rows are wiped before the word says that they are ready.
 * - A chunk becomes free under its shard's lock, after its rows have left the lists. A row's word
 *   `turn` is raised, but never reset, so a futex wait on an old value returns immediately.
 * - The chains of a shard are committed, and empty, before it takes its first chunk.
 * - header->keylock_chunks is a hint: the chunks below this number probably have owners.
 * - Under the shard's lock each row of a ready chunk is in exactly one list: the chain of its hash
 *   or the free list. Only the row that is being taken is in no list.
 * - Before a shard takes another chunk, it searches one of its own chunks for ended
 *   reservations. */
#include "entries/keyrow.h"
#include "ground/error.h"
#include "ground/futex.h"
#include "ground/map.h"
#include "memory/slot.h"

#include <limits.h>

#define KEYROW_HEADS_BYTES (LRD__KEYLOCK_HEADS * sizeof(uint32_t))
/* if no chunk is free, one call of lrd__keyrow_vacant() searches at most this number of the shard's
 * chunks */
#define KEYROW_SLICE 64u
/* if the sweep of a chunk frees at least this number of rows, the shard takes no further chunk */
#define KEYROW_ENOUGH 16u

/* ---- lists [locked] ---- */

lrd__keylock *lrd__keyrow_find(const lrd_store *store, lrd__shard *shard, uint64_t hash_low,
                               uint64_t hash_high)
{
    lrd__assert_locked(store, (uint32_t)(shard - store->shards));
    if (shard->keylock_ready == 0)
        return NULL;
    for (uint32_t link = *lrd__keyrow_head(store, shard, hash_low); link != 0;) {
        lrd__keylock *row = lrd__keyrow_at(store, link);
        if (row->hash_low == hash_low && row->hash_high == hash_high)
            return row;
        link = row->next;
    }
    return NULL;
}

void lrd__keyrow_link(lrd_store *store, lrd__shard *shard, lrd__keylock *row)
{
    lrd__assert_locked(store, (uint32_t)(shard - store->shards));
    uint32_t *head = lrd__keyrow_head(store, shard, row->hash_low);
    row->prev = 0;
    row->next = *head;
    *head = lrd__keyrow_link_of(store, row);
    LRD__FAILPOINT("keyrow_headed");
    if (row->next != 0)
        lrd__keyrow_at(store, row->next)->prev = *head;
}

static void keyrow_push(lrd_store *store, lrd__shard *shard, lrd__keylock *row)
{
    row->waiters = 0;
    row->prev = 0;
    row->next = shard->keylock_free;
    shard->keylock_free = lrd__keyrow_link_of(store, row);
    if (row->next != 0)
        lrd__keyrow_at(store, row->next)->prev = shard->keylock_free;
}

static void keyrow_unlink(lrd_store *store, uint32_t *head, const lrd__keylock *row)
{
    *(row->prev != 0 ? &lrd__keyrow_at(store, row->prev)->next : head) = row->next;
    LRD__FAILPOINT("keyrow_unlinked");
    if (row->next != 0)
        lrd__keyrow_at(store, row->next)->prev = row->prev;
}

void lrd__keyrow_free(lrd_store *store, lrd__shard *shard, lrd__keylock *row)
{
    lrd__assert_locked(store, (uint32_t)(shard - store->shards));
    keyrow_unlink(store, lrd__keyrow_head(store, shard, row->hash_low), row);
    keyrow_push(store, shard, row);
}

/* ---- chunks [locked] ---- */

static lrd__keylock *keyrow_chunk_row(const lrd_store *store, uint32_t chunk, uint32_t i)
{
    return store->keylocks + (uint64_t)chunk * LRD__KEYLOCK_CHUNK + i;
}

/* Wipe the rows of a chunk that this shard has just taken. The field `turn` is not wiped but
 * raised, because a thread may be about to sleep on its old value. */
static void keyrow_chunk_wipe(lrd_store *store, uint32_t chunk, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++) {
        lrd__keylock *row = keyrow_chunk_row(store, chunk, i);
        lrd__keyrow_raise(row);
        row->hash_low = row->hash_high = row->token = row->until = row->incarnation = 0;
        row->slot = row->waiters = row->next = row->prev = row->place = 0;
    }
    LRD__FAILPOINT("keyrow_wiped");
    /* release: a recovery in another process that sees this word also sees the wiped rows */
    atomic_store_explicit(&store->keylock_owners[chunk], (uint16_t)((index + 1) | LRD__CHUNK_READY),
                          memory_order_release);
}

/* Commit the heads of a shard's hash chains, and make the chains empty. Call this before the shard
 * takes its first chunk of rows. */
static int keyrow_prepare(lrd_store *store, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    if (shard->keylock_ready != 0)
        return LRD_OK;
    int code = lrd__segment_commit_control(
        store, store->geo.keylock_heads_at + index * KEYROW_HEADS_BYTES, KEYROW_HEADS_BYTES);
    if (code != LRD_OK)
        return code;
    memset(lrd__keyrow_heads(store, index), 0, KEYROW_HEADS_BYTES);
    LRD__FAILPOINT("keyrow_prepared");
    shard->keylock_ready = 1;
    return LRD_OK;
}

/* Take a free chunk for the shard, and put its rows into the shard's free list. Returns
 * LRD_ENOLOCKS if all chunks are in use, or the code of a failed commit. */
static int keyrow_chunk_get(lrd_store *store, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    _Atomic uint32_t *high = &store->header->keylock_chunks;
    uint32_t most = store->geo.keylock_chunks;
    uint64_t bytes = LRD__KEYLOCK_CHUNK * sizeof(lrd__keylock);
    int prepared = keyrow_prepare(store, index);
    if (prepared != LRD_OK)
        return prepared;
    uint32_t from = atomic_load_explicit(high, memory_order_relaxed);
    int failed = LRD_OK;
    from = from < most ? from : 0;
    for (uint32_t n = 0; n < most; n++) {
        uint32_t chunk = from + n < most ? from + n : from + n - most;
        uint16_t nobody = 0;
        if (lrd__chunk_owner(store, chunk) != 0)
            continue;
        int code =
            lrd__segment_commit_control(store, store->geo.keylocks_at + chunk * bytes, bytes);
        if (code != LRD_OK && chunk < from)
            return code;
        /* The file system is full. Continue with the chunks below the hint
         * (header->keylock_chunks), because they may have memory already. */
        if (code != LRD_OK) {
            failed = code;
            n = most - from - 1;
            continue;
        }
        LRD__FAILPOINT("keyrow_committed");
        if (!atomic_compare_exchange_strong_explicit(&store->keylock_owners[chunk], &nobody,
                                                     (uint16_t)(index + 1), memory_order_acq_rel,
                                                     memory_order_relaxed))
            continue;
        LRD__FAILPOINT("keyrow_owned");
        keyrow_chunk_wipe(store, chunk, index);
        for (uint32_t i = LRD__KEYLOCK_CHUNK; i-- > 0;)
            keyrow_push(store, store->shards + index, keyrow_chunk_row(store, chunk, i));
        LRD__FAILPOINT("keyrow_ready");
        /* raise the hint (relaxed): probably all chunks up to this one have owners */
        uint32_t seen = atomic_load_explicit(high, memory_order_relaxed);
        while (seen <= chunk &&
               !atomic_compare_exchange_weak_explicit(high, &seen, chunk + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
            continue;
        LRD__FAILPOINT("keyrow_counted");
        return LRD_OK;
    }
    if (failed != LRD_OK)
        return failed;
    return lrd__fail(LRD_ENOLOCKS, "the limit is %u keys in all shards", most * LRD__KEYLOCK_CHUNK);
}

bool lrd__keyrow_ended(lrd_store *store, const lrd__keylock *row, uint64_t now)
{
    lrd__assert_locked(store, lrd__keyrow_shard(store, lrd__keyrow_link_of(store, row)));
    return lrd__keyrow_lease_over(row, now) ||
           (row->token != 0 && !lrd__slot_owner_lives(store, row->slot, row->incarnation));
}

static bool keyrow_used(const lrd__keylock *row) { return row->token != 0 || row->waiters != 0; }

/* True if a row's reservation has ended. The calling thread lives, so its own reservation can end
 * only with the lease. */
static bool keyrow_over(lrd__thread *self, const lrd__keylock *row, uint64_t now)
{
    return lrd__keyrow_mine(self, row) ? lrd__keyrow_lease_over(row, now)
                                       : lrd__keyrow_ended(self->store, row, now);
}

uint32_t lrd__chunk_sweep(lrd__thread *self, lrd__shard *shard, uint32_t chunk, uint64_t now)
{
    lrd_store *store = self->store;
    uint32_t freed = 0;
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++) {
        lrd__keylock *row = keyrow_chunk_row(store, chunk, i);
        if (!keyrow_used(row) || !keyrow_over(self, row, now))
            continue;
        row->token = 0;
        atomic_signal_fence(memory_order_seq_cst);
        LRD__FAILPOINT("keyrow_swept");
        /* the row will get another key, so wake the threads that wait for the present one */
        if (row->waiters != 0) {
            lrd__keyrow_raise(row);
            lrd__futex_wake(&row->turn, INT_MAX);
        }
        lrd__keyrow_free(store, shard, row);
        freed++;
    }
    return freed;
}

/* Search the shard's chunks for rows with ended reservations, and free these rows. Ends after the
 * first chunk in which a row was freed, after `chunks` chunks of this shard, or after *left chunks
 * of any shards. Returns the number of freed rows. */
static uint32_t keyrow_sweep(lrd__thread *self, uint32_t index, uint64_t now, uint32_t chunks,
                             uint32_t *left)
{
    lrd__assert(index < self->store->geo.shards);
    lrd_store *store = self->store;
    lrd__shard *shard = store->shards + index;
    uint32_t freed = 0;
    while (freed == 0 && chunks > 0 && *left > 0) {
        uint32_t chunk = shard->keylock_hand + 1;
        shard->keylock_hand = chunk = chunk < store->geo.keylock_chunks ? chunk : 0;
        --*left;
        if (!lrd__chunk_of(lrd__chunk_owner(store, chunk), index))
            continue;
        chunks--;
        freed = lrd__chunk_sweep(self, shard, chunk, now);
    }
    return freed;
}

/* ---- chunks of other shards ---- */

bool lrd__chunk_idle(lrd__thread *self, uint32_t chunk, uint64_t now)
{
    lrd__assert_locked(self->store,
                       (lrd__chunk_owner(self->store, chunk) & ~LRD__CHUNK_READY) - 1u);
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++) {
        const lrd__keylock *row = keyrow_chunk_row(self->store, chunk, i);
        if (keyrow_used(row) && !keyrow_over(self, row, now))
            return false;
    }
    return true;
}

void lrd__chunk_give(lrd_store *store, uint32_t chunk, uint32_t index)
{
    lrd__assert_locked(store, index);
    _Atomic uint32_t *high = &store->header->keylock_chunks;
    for (uint32_t i = 0; i < LRD__KEYLOCK_CHUNK; i++)
        keyrow_unlink(store, &store->shards[index].keylock_free, keyrow_chunk_row(store, chunk, i));
    LRD__FAILPOINT("keyrow_pulled");
    /* pairs with the compare-and-swap in keyrow_chunk_get(), which then sees our stores to these
     * rows */
    atomic_store_explicit(&store->keylock_owners[chunk], 0, memory_order_release);
    LRD__FAILPOINT("keyrow_given");
    uint32_t seen = atomic_load_explicit(high, memory_order_relaxed);
    while (seen > chunk && !atomic_compare_exchange_weak_explicit(
                               high, &seen, chunk, memory_order_relaxed, memory_order_relaxed))
        continue;
    LRD__FAILPOINT("keyrow_lowered");
}

/* ---- a row [locked] ---- */

int lrd__keyrow_vacant(lrd__thread *self, uint32_t index, uint64_t now, lrd__keyrow_search *search,
                       lrd__keylock **row)
{
    lrd__assert_locked(self->store, index);
    lrd_store *store = self->store;
    lrd__shard *shard = store->shards + index;
    if (shard->keylock_free == 0) {
        uint32_t round = store->geo.keylock_chunks, all = round;
        uint32_t freed = keyrow_sweep(self, index, now, 1, &round);
        int code = freed < KEYROW_ENOUGH ? keyrow_chunk_get(store, index) : LRD_OK;
        if (code != LRD_OK && code != LRD_ENOLOCKS && code != LRD_ENOSPC)
            return code;
        if (shard->keylock_free == 0 && !search->collected && shard->keylock_ready != 0) {
            search->collected = true;
            return LRD__KEYROW_OTHERS;
        }
        if (shard->keylock_free == 0)
            keyrow_sweep(self, index, now, KEYROW_SLICE, &search->left);
        if (shard->keylock_free == 0 && search->left > 0)
            return LRD__KEYROW_MORE;
        if (shard->keylock_free == 0 && code == LRD_ENOSPC)
            return lrd__fail(LRD_ENOLOCKS,
                             "the limit is %u keys in all shards, but the file system is full",
                             all * LRD__KEYLOCK_CHUNK);
        if (shard->keylock_free == 0)
            return code;
    }
    *row = lrd__keyrow_at(store, shard->keylock_free);
    keyrow_unlink(store, &shard->keylock_free, *row);
    return LRD_OK;
}

/* ---- after a death [locked] ---- */

/* A row without a token becomes free, even if it was kept for a waiter. */
void lrd__keyrow_mend(lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    if (shard->keylock_ready != 0)
        memset(lrd__keyrow_heads(store, index), 0, KEYROW_HEADS_BYTES);
    shard->keylock_free = 0;
    if (shard->keylock_hand >= store->geo.keylock_chunks)
        shard->keylock_hand = 0;
    for (uint32_t chunk = store->geo.keylock_chunks; chunk-- > 0;) {
        uint16_t owner = lrd__chunk_owner(store, chunk);
        if (!lrd__chunk_of(owner, index))
            continue;
        if ((owner & LRD__CHUNK_READY) == 0)
            keyrow_chunk_wipe(store, chunk, index);
        for (uint32_t i = LRD__KEYLOCK_CHUNK; i-- > 0;) {
            lrd__keylock *row = keyrow_chunk_row(store, chunk, i);
            if (row->token != 0)
                lrd__keyrow_link(store, shard, row);
            else
                keyrow_push(store, shard, row);
        }
    }
    LRD__FAILPOINT("keyrow_mended");
}
