/* ledger.h - what ledger.c offers. */
#pragma once

#include "ground/word.h"
#include "memory/quota.h"
#include "memory/wide.h"

/* End all entries of the thread at once. [thread] */
void lrd__ledger_clear(lrd__thread *self);
/* List a block before it is built. LRD_ESTATE: too many blocks are being built. [thread, shard
 * lock] */
LRD__HOT int lrd__ledger_reserve(lrd__thread *self, uint64_t offset, uint64_t bytes,
                                 uint32_t *entry);
/* Commit memory for more entries of the ledger: for at least `most`, entry 0 included. Returns
 * false if no memory is available, or the ledger has its maximum. [the slot's owner] */
bool lrd__ledger_grow(lrd__thread *self, uint32_t most) __attribute__((noinline, cold));
/* Mark (held bits) every block of the shard's pages that some ledger lists. barrier: force every
 * reader's listing to be visible first; without it the result is a guess for choosing victims.
 * LRD_EBARRIER, LRD_EBUSY: nothing may be freed. [locked] */
int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier);
/* Return true if every reader's listing of the shard's retired blocks is visible already: a barrier
 * of any thread began and ended since the last block was unlinked. [locked] */
bool lrd__ledger_passed(const lrd_store *store, uint32_t shard);
/* Return true if the thread may make a barrier; the count of bytes then starts again. A thread
 * writes 4 MiB between two barriers; less at first, and in a small store a part of its size. */
bool lrd__barrier_due(lrd__thread *self);
/* Set bit p of the bitmap for every page p that a listed block touches. The result is a guess,
 * because no lock is held. */
void lrd__ledger_pages(lrd_store *store, uint64_t *bitmap);

/* Return a block in the form that a ledger entry has. */
static inline uint64_t lrd__listing(uint64_t offset) { return (offset >> LRD__GRANULE_BITS) + 1; }

/* Return the place where the private cache remembers which entry lists the block of a key, or
 * may remember it from now on. Two cells are possible, so that keys which share one do not list
 * each other's blocks again and again. The key's hash selects the cell, because it is known
 * before the word: a store to an address that is known late would hold up the loads of the next
 * call. A cell may be out of date: the entry's own listing decides. */
static inline uint16_t *lrd__ledger_cached(lrd__thread *self, uint64_t hash, uint64_t listing)
{
    uint16_t *one = &self->cache[(hash >> 32) % LRD__CACHED];
    uint64_t listed = self->holds[*one].listed;
    if (__builtin_expect(listed == listing || listed == 0, 1))
        return one;
    return &self->cache[(hash >> 42) % LRD__CACHED];
}

/* Count one more handle. */
static inline void lrd__hold_again(lrd__hold *hold) { hold->count += hold->count != UINT32_MAX; }

/* Return the cell that remembers where a key at this address was found last. */
static inline lrd__near *lrd__near_of(lrd__thread *self, const void *key)
{
    return self->near + ((uintptr_t)key >> 5 ^ (uintptr_t)key >> 3) % LRD__NEARS;
}

/* Prefetch the index lines and the blocks of the keys with which the last request began, because
 * the next one often begins with the same. A hint: nothing is read that was not listed yet. */
/* always inlined: the compiler may drop calls of a function that only prefetches */
static inline __attribute__((always_inline)) void lrd__near_expect(const lrd_store *store,
                                                                   const lrd__thread *self)
{
    for (uint32_t i = 0; i < LRD__EARLY; i++) {
        const lrd__near *near = self->near + self->early[i];
        /* A prefetch of an address that no page table maps takes longer than a prefetch of a
         * line. */
        if (near->at == NULL)
            break;
        __builtin_prefetch((const void *)near->at);
        __builtin_prefetch(
            (const void *)((uintptr_t)store->data + (uintptr_t)lrd__word_offset(near->word)));
    }
}

/* Set how far the fast path may take entries at top. It may do so only while no entry below top
 * is free, and leaves the entries that are reserved for building. In a request with a limit of
 * age, it takes at most LRD__CLOCK_ENTRIES entries before the general path reads the clock
 * again. */
static inline void lrd__ledger_limit(lrd__thread *self)
{
    uint32_t limit = LRD__NARROW + 1;
    if (self->request_until != 0 && self->top + LRD__CLOCK_ENTRIES < limit)
        limit = self->top + LRD__CLOCK_ENTRIES;
    self->limit = self->fast && self->free == 0 ? limit : 0;
}

/* Reset the thread's lists and lower the quota, once nothing is held any more. */
static inline void lrd__ledger_idle(lrd__thread *self)
{
    self->top = 1;
    self->free = self->freed = 0;
    self->untidy = self->is_wide = false;
    if (self->quota_bytes > self->quota_keep || self->zone != 0)
        lrd__quota_lower(self);
    lrd__ledger_limit(self);
}

/* List a block in an entry: the reader's side of the protocol at the head of ledger.c. */
static inline __attribute__((always_inline)) void
lrd__ledger_store(lrd__thread *self, uint32_t entry, uint64_t listing)
{
    atomic_store_explicit(&self->slot->ledger[entry], listing, memory_order_release);
    if (entry >= self->n) { /* true for the first listings after the end of a request */
        self->n = entry + 1;
        atomic_store_explicit(&self->slot->n, entry + 1, memory_order_release);
    }
}

/* Take a free entry, in which the caller lists a block next. Returns 0 if only `keep` entries
 * are left. */
static inline uint32_t lrd__ledger_enter(lrd__thread *self, uint64_t listing, uint32_t keep)
{
    uint32_t entry = self->free;
    if (__builtin_expect(lrd__ledger_live(self) + keep + 1 >= self->room, 0) &&
        !lrd__ledger_grow(self, self->room + 1))
        return 0;
    if (entry == 0) {
        entry = self->top++;
    } else {
        self->free = self->holds[entry].next;
        self->freed--;
    }
    lrd__ledger_limit(self);
    self->holds[entry].listed = listing;
    self->holds[entry].bytes = 0;
    if (__builtin_expect(self->top > LRD__NARROW + 1, 0))
        lrd__wide_list(self, listing, entry);
    return entry;
}

/* Take a free entry and list a block there. Returns 0 if only `keep` entries are left. */
static inline uint32_t lrd__ledger_list(lrd__thread *self, uint64_t listing, uint32_t keep)
{
    uint32_t entry = lrd__ledger_enter(self, listing, keep);
    if (entry != 0)
        lrd__ledger_store(self, entry, listing);
    return entry;
}

/* Protect a block for reading: list it, make the listing visible, and load the word that names it
 * again. All readers come here, so list, barrier and reload stand in this order in one place. If
 * the word is the same, the block may be read, because each scan that could free it sees the
 * listing. With spare, list it as the slot's spare, which the next borrow overwrites, and not in
 * the entry. In fence mode the store works without membarrier(), so the reader needs a full fence.
 * Otherwise the writer's membarrier() makes the listing visible. */
static inline __attribute__((always_inline)) uint64_t lrd__protect(lrd__thread *self, bool spare,
                                                                   uint32_t entry, uint64_t listing,
                                                                   _Atomic uint64_t *word,
                                                                   bool fence)
{
    if (spare)
        atomic_store_explicit(&self->slot->spare, listing, memory_order_release);
    else
        lrd__ledger_store(self, entry, listing);
    if (__builtin_expect(fence, 0))
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
    /* Pairs with the writer's store of the word, before its barrier and scan. */
    return atomic_load_explicit(word, memory_order_acquire);
}

/* Lower the quota after a hold has ended. is_idle: it was the last hold. */
static inline void lrd__ledger_less(lrd__thread *self, bool is_idle)
{
    if (is_idle)
        lrd__ledger_idle(self);
    else if (self->held_bytes < self->quota_bytes / LRD__QUOTA_SLACK &&
             self->quota_bytes > self->quota_keep)
        lrd__quota_shrink(self);
}

/* Zero an entry in place and forget it. */
LRD__HOT static inline void lrd__ledger_drop(lrd__thread *self, uint32_t entry)
{
    lrd__hold *hold = self->holds + entry;
    /* Pairs with the acquire load of a scan: the block was read before. */
    atomic_store_explicit(&self->slot->ledger[entry], 0, memory_order_release);
    self->held_bytes -= hold->bytes;
    hold->listed = 0;
    if (__builtin_expect(entry + 1 == self->top, 1)) {
        /* Clear a listing that LRD_GET_PLAIN left above: it would be out of reach. */
        if (self->top < self->n &&
            atomic_load_explicit(&self->slot->ledger[self->top], memory_order_relaxed) != 0)
            atomic_store_explicit(&self->slot->ledger[self->top], 0, memory_order_release);
        self->top = entry;
        if (__builtin_expect(self->untidy, 0))
            lrd__ledger_less(self, entry == self->freed + 1);
        return;
    }
    hold->next = self->free;
    self->free = entry;
    self->freed++;
    self->limit = 0;
    self->untidy = true;
    lrd__ledger_less(self, lrd__ledger_live(self) == 0);
}

/* Charge bytes to an entry that was just taken. Returns false, and does nothing, if that exceeds
 * the bounds. */
static inline bool lrd__quota_take(lrd__thread *self, uint32_t entry, uint64_t bytes)
{
    uint64_t total = self->held_bytes + bytes;
    if (__builtin_expect(total > self->quota_bytes, 0) && !lrd__quota_raise(self, total))
        return false;
    self->held_bytes = total;
    self->holds[entry].bytes = bytes;
    return true;
}

/* Raise the frequency of an entry after a hit. No order is needed: updates may be lost, and a hot
 * entry is not stored to. */
static inline void lrd__warm(_Atomic uint8_t *freq)
{
    uint8_t count = atomic_load_explicit(freq, memory_order_relaxed);
    if (__builtin_expect(count < LRD__FREQ_MAX, 0))
        atomic_store_explicit(freq, (uint8_t)(count + 1), memory_order_relaxed);
}
