/* ledger.h - what ledger.c offers. */
#pragma once

#include "ground/clock.h"
#include "ground/word.h"
#include "memory/quota.h"
#include "memory/wide.h"

/* Clear the thread's ledger. [thread] */
void lrd__ledger_clear(lrd__thread *self);
/* List a block in the ledger before it is built. Fails with LRD_ESTATE if too many blocks are being
 * built. [thread, shard lock] */
LRD__HOT int lrd__ledger_reserve(lrd__thread *self, uint64_t offset, uint64_t bytes,
                                 uint32_t *entry);
/* Commit memory for at least `most` ledger entries, counting entry 0. Returns false if this fails.
 * [the slot's owner] */
bool lrd__ledger_grow(lrd__thread *self, uint32_t most) __attribute__((noinline, cold));
/* Read all ledgers, and set the held bit of each listed block of the shard. If `barrier` is false,
 * use the result only to choose victims. After LRD_EBARRIER or LRD_EBUSY, the caller must not free
 * any block. [locked] */
int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier);
/* True if a barrier has begun and ended since a block of the shard was last unlinked. A scan then
 * sees all listings of the unlinked blocks. [locked] */
bool lrd__ledger_passed(const lrd_store *store, uint32_t shard);
/* True if a barrier is worth its cost: this thread is alone, or has written enough bytes since its
 * last barrier. In the second case, resets the count of these bytes. */
bool lrd__barrier_due(lrd__thread *self);
/* Set the bits of all pages with listed blocks. The result is a guess, because no lock is held. */
void lrd__ledger_pages(lrd_store *store, uint64_t *bitmap);

/* Return one of the key's two cells in this thread's private cache. The cell has the number of the
 * ledger entry that probably lists the key's block. The caller may store another number. */
static inline uint16_t *lrd__ledger_cached(lrd__thread *self, uint64_t hash, uint64_t listing)
{
    uint16_t *one = &self->cache[(hash >> 32) % LRD__CACHED];
    uint64_t listed = self->holds[*one].listed;
    if (__builtin_expect(listed == listing || listed == 0, 1))
        return one;
    return &self->cache[(hash >> 42) % LRD__CACHED];
}

/* Count one more handle of a held value. A count of UINT32_MAX stays: it means that the handles of
 * this value are not counted. */
static inline void lrd__hold_again(lrd__hold *hold) { hold->count += hold->count != UINT32_MAX; }

/* Return the element of `near` that tells where a get last found the key at this address. */
static inline lrd__near *lrd__near_of(lrd__thread *self, const void *key)
{
    return self->near + ((uintptr_t)key >> 5 ^ (uintptr_t)key >> 3) % LRD__NEARS;
}

/* Prefetch the index lines and blocks of the last request's first keys. Always inlined: the
 * compiler may drop a call that only prefetches. */
static inline __attribute__((always_inline)) void lrd__near_expect(const lrd_store *store,
                                                                   const lrd__thread *self)
{
    for (uint32_t i = 0; i < LRD__EARLY; i++) {
        const lrd__near *near = self->near + self->early[i];
        /* prefetching NULL takes longer than prefetching a line */
        if (near->at == NULL)
            break;
        __builtin_prefetch((const void *)near->at);
        __builtin_prefetch(
            (const void *)((uintptr_t)store->data + (uintptr_t)lrd__word_offset(near->word)));
    }
}

/* Set `limit`: the fast path takes any ledger entry below `limit` without a check. The fast path
 * cannot reuse free entries, so `limit` is 0 while an entry below `top` is free. */
static inline void lrd__ledger_limit(lrd__thread *self)
{
    lrd__assert(!self->fast || self->usual != NULL);
    uint32_t limit = LRD__NARROW + 1 < self->clock_entry ? LRD__NARROW + 1 : self->clock_entry;
    self->limit = self->fast && self->free == 0 ? limit : 0;
}

/* Let the thread take LRD__CLOCK_ENTRIES more ledger entries before it checks the age of its
 * request again. */
static inline void lrd__ledger_young(lrd__thread *self)
{
    self->clock_entry = self->request_until != 0 ? self->top + LRD__CLOCK_ENTRIES : UINT32_MAX;
    lrd__ledger_limit(self);
}

/* Lower clock_entry if `top` has fallen far below it. Never raises clock_entry, so that a thread
 * which alternately takes and releases values still checks the age of its request. */
static inline void lrd__ledger_fallen(lrd__thread *self)
{
    if (self->request_until != 0 && self->clock_entry > self->top + LRD__CLOCK_ENTRIES)
        lrd__ledger_young(self);
}

/* Let the thread use the fast path (get.c) if the store permits it and all shards are known to be
 * vetted. Call this only while the request is young. */
static inline void lrd__ledger_fast(lrd__thread *self)
{
    self->fast = !self->store->fence && self->store->listed && self->usual != NULL;
    self->untidy |= self->top > 1; /* the next release then calls lrd__ledger_fallen() */
    lrd__ledger_young(self);
}

/* True if the thread's request is too old for new holds. */
static inline bool lrd__request_is_old(const lrd__thread *self)
{
    return self->request_until != 0 && lrd__clock_monotonic_ms() > self->request_until;
}

/* Check the age of the thread's request. If it is too old for new holds, leave the fast path until
 * a request begins or ends, and return false. */
static inline bool lrd__request_may_hold(lrd__thread *self)
{
    if (__builtin_expect(self->request_until == 0, 1))
        return true;
    if (lrd__request_is_old(self)) {
        self->fast = false;
        self->limit = 0;
        return false;
    }
    self->untidy = true;
    lrd__ledger_young(self);
    return true;
}

/* Reset the bookkeeping of the ledger and lower the quota, after the thread's last hold has
 * ended. */
static inline void lrd__ledger_idle(lrd__thread *self)
{
    self->top = 1;
    self->free = self->freed = 0;
    self->untidy = self->is_wide = false;
    if (self->quota_bytes > self->quota_keep || self->zone != 0)
        lrd__quota_lower(self);
    lrd__ledger_young(self);
}

/* Store the listing of a block in a ledger entry, then raise `n`. ledger.c explains this order. */
static inline __attribute__((always_inline)) void
lrd__ledger_store(lrd__thread *self, uint32_t entry, uint64_t listing)
{
    atomic_store_explicit(&self->slot->ledger[entry], listing, memory_order_release);
    if (entry >= self->n) {
        self->n = entry + 1;
        atomic_store_explicit(&self->slot->n, entry + 1, memory_order_release);
    }
}

/* Take a free ledger entry, in which the caller then lists the block. Returns 0 if fewer than
 * `keep` entries would remain free. */
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

/* Count a get that returns a copy instead of a held value, and count the reason. */
void lrd__ledger_count_copy(lrd__thread *self) __attribute__((noinline, cold));

/* Take a free ledger entry and list a block in it. Returns 0 if fewer than `keep` entries would
 * remain free. */
static inline uint32_t lrd__ledger_list(lrd__thread *self, uint64_t listing, uint32_t keep)
{
    uint32_t entry = lrd__ledger_enter(self, listing, keep);
    if (entry != 0)
        lrd__ledger_store(self, entry, listing);
    return entry;
}

/* Protect a block for reading: list it (in the spare entry if `spare`), then load its index word
 * again. The caller may read the block only if the word has not changed. `fence` is true in fence
 * mode; otherwise the writer's membarrier() makes the listing visible. */
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
    /* Pairs with a writer's store of the word. The writer stores the word before its barrier and
     * its scan. */
    return atomic_load_explicit(word, memory_order_acquire);
}

/* Lower the quota after a hold has ended, if the thread needs only a small part of it. `is_idle` is
 * true after the last hold. */
static inline void lrd__ledger_less(lrd__thread *self, bool is_idle)
{
    if (is_idle) {
        lrd__ledger_idle(self);
        return;
    }
    lrd__ledger_fallen(self);
    if (self->held_bytes < (self->quota_bytes + self->quota_inherited) / LRD__QUOTA_SLACK &&
        self->quota_bytes > self->quota_keep)
        lrd__quota_shrink(self);
}

/* Store 0 in a ledger entry, and clear the thread's private data about this entry. */
LRD__HOT static inline void lrd__ledger_drop(lrd__thread *self, uint32_t entry)
{
    lrd__hold *hold = self->holds + entry;
    /* pairs with the acquire load of a scan: the block is reused only after this thread's last
     * read */
    atomic_store_explicit(&self->slot->ledger[entry], 0, memory_order_release);
    self->held_bytes -= hold->bytes;
    hold->listed = 0;
    if (__builtin_expect(entry + 1 == self->top, 1)) {
        /* Clear the entry at `top`, too. It counts as free, but a get with LRD_GET_PLAIN may have
         * listed a block there. */
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

/* Count the bytes of a new hold in `entry`. Returns false, and changes nothing, if the quota cannot
 * grow enough. */
static inline bool lrd__quota_take(lrd__thread *self, uint32_t entry, uint64_t bytes)
{
    uint64_t total = self->held_bytes + bytes;
    if (__builtin_expect(total > self->quota_bytes, 0) && !lrd__quota_raise(self, total))
        return false;
    self->held_bytes = total;
    self->holds[entry].bytes = bytes;
    return true;
}

/* Increment the use count of an entry after a hit. Racing threads may lose an increment. */
static inline void lrd__warm(_Atomic uint8_t *freq)
{
    uint8_t count = atomic_load_explicit(freq, memory_order_relaxed);
    if (__builtin_expect(count < LRD__FREQ_MAX, 0))
        atomic_store_explicit(freq, (uint8_t)(count + 1), memory_order_relaxed);
}
