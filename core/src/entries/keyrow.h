/* keyrow.h - what keyrow.c offers. */
#pragma once

#include "ground/private.h"

/* Rebuild the lists of a shard's rows after a thread died with the shard's lock. [locked] */
void lrd__keyrow_mend(lrd_store *store, uint32_t shard);

/* a result of lrd__keyrow_vacant(): the caller must release the shard's lock, take it again, and
 * call lrd__keyrow_vacant() again */
#define LRD__KEYROW_MORE 100
/* a result of lrd__keyrow_vacant(): the caller must release the shard's lock, call
 * lrd__keyrow_collect(), take the lock again, and call lrd__keyrow_vacant() again */
#define LRD__KEYROW_OTHERS 101
#define LRD__CHUNK_READY 0x8000u

/* Return a chunk's owner word: 0 (free), or the shard's number + 1, with the bit LRD__CHUNK_READY
 * if the rows were wiped. */
static inline uint16_t lrd__chunk_owner(const lrd_store *store, uint32_t chunk)
{
    return atomic_load_explicit(&store->keylock_owners[chunk], memory_order_acquire);
}
static inline bool lrd__chunk_of(uint16_t owner, uint32_t shard)
{
    return (owner & ~LRD__CHUNK_READY) == shard + 1;
}

/* Return row number `link` - 1. */
static inline lrd__keylock *lrd__keyrow_at(const lrd_store *store, uint32_t link)
{
    return store->keylocks + link - 1;
}
static inline uint32_t lrd__keyrow_link_of(const lrd_store *store, const lrd__keylock *row)
{
    return (uint32_t)(row - store->keylocks) + 1;
}
/* Return the shard of a row, or an impossible number if the row's chunk is free. */
static inline uint32_t lrd__keyrow_shard(const lrd_store *store, uint32_t link)
{
    uint16_t owner = lrd__chunk_owner(store, (link - 1) / LRD__KEYLOCK_CHUNK);
    return (owner & ~LRD__CHUNK_READY) - 1u;
}
/* True if the row's chunk still belongs to the shard: another shard may have taken the chunk before
 * this thread got the lock. [locked] */
static inline bool lrd__keyrow_still_of(const lrd_store *store, const lrd__keylock *row,
                                        uint32_t shard)
{
    lrd__assert_locked(store, shard);
    return lrd__keyrow_shard(store, lrd__keyrow_link_of(store, row)) == shard;
}
/* Return the heads of a shard's hash chains. They have memory only if keylock_ready is set. */
static inline uint32_t *lrd__keyrow_heads(const lrd_store *store, uint32_t shard)
{
    return store->keylock_heads + (uint64_t)shard * LRD__KEYLOCK_HEADS;
}
static inline uint32_t *lrd__keyrow_head(const lrd_store *store, const lrd__shard *shard,
                                         uint64_t hash_low)
{
    return lrd__keyrow_heads(store, (uint32_t)(shard - store->shards)) +
           hash_low % LRD__KEYLOCK_HEADS;
}
static inline bool lrd__keyrow_mine(const lrd__thread *self, const lrd__keylock *row)
{
    return row->token != 0 && row->slot == self->slot_index &&
           row->incarnation == self->incarnation;
}
static inline bool lrd__keyrow_lease_over(const lrd__keylock *row, uint64_t now)
{
    return row->until != 0 && now >= row->until;
}
/* Raise the turn of a row, so that no thread goes to sleep on the old turn. Returns the new turn.
 * [locked] */
static inline uint32_t lrd__keyrow_raise(lrd__keylock *row)
{
    uint32_t turn = atomic_load_explicit(&row->turn, memory_order_relaxed) + 1;
    atomic_store_explicit(&row->turn, turn, memory_order_relaxed);
    return turn;
}

/* Return the row of a key, or NULL. The row may be reserved, or only kept for a waiter. [locked] */
lrd__keylock *lrd__keyrow_find(const lrd_store *store, lrd__shard *shard, uint64_t hash_low,
                               uint64_t hash_high);
/* Put a row that is in no list into the chain of its hash. [locked] */
void lrd__keyrow_link(lrd_store *store, lrd__shard *shard, lrd__keylock *row);
/* Take a row out of its chain and make it free. [locked] */
void lrd__keyrow_free(lrd_store *store, lrd__shard *shard, lrd__keylock *row);
/* True if the row's lease is over, its owner is gone, or its waiter did not come in time.
 * [locked] */
bool lrd__keyrow_ended(lrd_store *store, const lrd__keylock *row, uint64_t now);
/* the progress of a search for a row, which may take several locks in turn */
typedef struct lrd__keyrow_search {
    /* number of chunks that are still to be searched; geo.keylock_chunks at first */
    uint32_t left;
    bool collected; /* true if this search has made other shards give back chunks */
} lrd__keyrow_search;
/* Take a row out of the shard's free list, and fill this list first if it is empty. Returns LRD_OK,
 * LRD_ENOLOCKS, LRD_ETRUNCATED, LRD_ESYS, LRD__KEYROW_MORE or LRD__KEYROW_OTHERS. [locked] */
int lrd__keyrow_vacant(lrd__thread *self, uint32_t shard, uint64_t now, lrd__keyrow_search *search,
                       lrd__keylock **row);
/* Free those rows of a chunk whose reservations have ended. Returns their number. */
uint32_t lrd__chunk_sweep(lrd__thread *self, lrd__shard *shard, uint32_t chunk, uint64_t now);
/* True if no row of this chunk is in use. These rows count as unused: rows whose reservation has
 * ended, and rows kept for a waiter that did not come in time. [locked] */
bool lrd__chunk_idle(lrd__thread *self, uint32_t chunk, uint64_t now);
/* Make a chunk free. All its rows must be in the shard's free list. If the thread dies during this
 * call, lrd__keyrow_mend() rebuilds the lists. [locked] */
void lrd__chunk_give(lrd_store *store, uint32_t chunk, uint32_t index);
