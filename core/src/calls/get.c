/* get.c - the fast path of lrd_get(): the usual cases, in as few instructions as possible. The
 * general path, in read.c, handles all cases. Begin reading at lrd_get().
 *
 * Invariants
 * - The steps are those of read_candidate() and read_held(): list the block, load the index word
 *   again, and only then look at the block. Every unusual case undoes the listing and takes the
 *   general path.
 * - The remembered place of a key (lrd__near) is only a guess. The word in the index and the key in
 *   the block are checked.
 * - The fast path searches only vetted shards: those checked after an adoption (vet.c). Until a
 *   thread knows that all shards are vetted, its `limit` is 0 and its `usual` is NULL, so it lists
 *   no block here and reports no miss.
 * - This file calls no code that could call back into the core, so no guard against re-entry is
 *   needed. A thread that dies at any instruction leaves at most a listing. */
#include "ground/error.h"
#include "ground/place.h"
#include "memory/zone.h"
#include "memory/slot.h"
#include "threads/read.h"

LRD__HOT int lrd_has(lrd_store *store, const void *key, size_t key_len)
{
    lrd_value value;
    int rc = lrd_get(store, key, key_len, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value);
    if (rc == LRD_OK)
        lrd_release(store, &value);
    return rc;
}

#define GET_INLINE inline __attribute__((always_inline))
#define GET_FAST_FLAGS ((unsigned)LRD_GET_NO_COPY | LRD_GET_PLAIN)
/* True in a build for a control test, in which read.c has a deliberate fault. Such a build does not
 * use the fast path, because only the general path has the fault. */
#define GET_CONTROLLED (LRD__CONTROL(hand_out_first) || LRD__CONTROL(no_barrier))
#define GET_FAST_KEY 128u    /* maximum length of a key that the fast path handles */
#define GET_BLOCK_EXTRA 160u /* bytes that the fast path assumes for a block's header and key */
_Static_assert(GET_BLOCK_EXTRA <= LRD__ZONE_SLACK, "a block may be that much shorter");

static GET_INLINE uint64_t get_tail(const void *key, size_t key_len)
{
    return lrd__load64((const uint8_t *)key + key_len - 8);
}

/* True if the block has the key and lrd_clear() has not removed its entry. */
static GET_INLINE bool get_usual(const lrd_store *store, const lrd__block *block, const void *key,
                                 size_t key_len)
{
    return lrd__block_has_usual_key(block, key, key_len) && lrd__block_current(store, block);
}

static GET_INLINE bool get_expires(const lrd__block *block)
{
    return __builtin_expect(atomic_load_explicit(&block->expiry, memory_order_relaxed) != 0, 0);
}

static GET_INLINE void get_count(lrd__thread *self, _Atomic uint64_t *at)
{
    lrd__add(&self->slot->hits, 1);
    lrd__warm(lrd__word_freq(at));
}

static GET_INLINE void get_fill(const lrd__block *block, size_t key_len, uint64_t listing,
                                uint32_t entry, lrd_kind kind, lrd_value *out)
{
    out->data = (const uint8_t *)block + lrd__value_start_usual(key_len);
    out->size = block->size;
    out->block = listing;
    out->handle = entry;
    out->kind = (uint8_t)kind;
    out->type = block->type;
}

/* Count the hit and fill in *out. Ledger entry `entry` lists the block. */
static GET_INLINE int get_done(lrd__thread *self, _Atomic uint64_t *at, const lrd__block *block,
                               size_t key_len, uint64_t listing, uint32_t entry, lrd_kind kind,
                               lrd_value *out)
{
    get_count(self, at);
    get_fill(block, key_len, listing, entry, kind, out);
    return LRD_OK;
}

/* True if the key is missing. Call this after the key's home bucket `line` was searched in vain:
 * returns false if another bucket may have the key. Loads `next` after the words, because grow.c
 * stores `next` before it moves entries. */
static GET_INLINE bool get_is_missing(const lrd_store *store, const lrd__thread *self,
                                      const lrd__bucket *line, uint64_t mask)
{
    return __builtin_expect(atomic_load_explicit(&line->displaced, memory_order_acquire) == 0 &&
                                atomic_load_explicit(&store->view->next, memory_order_acquire) ==
                                    mask &&
                                self->usual != NULL,
                            1);
}

/* Borrow a value. Call this only if no other call of this thread is under way. A signal handler may
 * run during a call, and a borrow in the handler would end that call's borrow. */
static __attribute__((noinline, flatten)) int get_borrow(lrd_store *store, lrd__thread *self,
                                                         const void *key, size_t key_len,
                                                         unsigned flags, lrd_value *out)
{
    uint64_t hash = lrd__hash(store, key, key_len), want = lrd__hash_mark(hash);
    uint64_t mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    lrd__bucket *bucket = store->buckets + lrd__bucket_at(store, hash, mask);
    uint32_t way = 0;
    uint64_t word = atomic_load_explicit(&bucket->word[0], memory_order_acquire);
    while (__builtin_expect(word >> 36 != want, 0)) {
        if (++way == LRD__WAYS) {
            if (!get_is_missing(store, self, bucket, mask))
                return lrd__read_general(store, key, key_len, flags, out);
            if (!(flags & LRD_GET_NO_COUNT))
                lrd__add(&self->usual->misses, 1);
            out->kind = LRD_KIND_NONE;
            return LRD_MISS;
        }
        word = atomic_load_explicit(&bucket->word[way], memory_order_acquire);
    }
    uint64_t listing = lrd__word_listing(word);
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(listing));
    uint64_t again = lrd__protect(self, true, 0, listing, &bucket->word[way], false);
    if (__builtin_expect(
            again != word || !get_usual(store, block, key, key_len) || get_expires(block), 0))
        return lrd__read_general(store, key, key_len, flags, out);
    if (!(flags & LRD_GET_NO_COUNT))
        get_count(self, &bucket->word[way]);
    get_fill(block, key_len, listing, LRD__NO_ENTRY, LRD_KIND_BORROWED, out);
    return LRD_OK;
}

/* Hold a validated block that ledger entry `top` lists. Returns false if the quota or the zone
 * (zone.c) does not allow the hold. */
static GET_INLINE bool get_hold(lrd__thread *self, const lrd__block *block, uint64_t listing)
{
    uint64_t bytes = block->size + GET_BLOCK_EXTRA, held = self->held_bytes + bytes;
    if (__builtin_expect(held > self->quota_bytes, 0))
        return false;
    if (lrd__zone_near(self, (uintptr_t)block, bytes) &&
        !lrd__zone_take(self, lrd__listing_offset(listing), bytes, false))
        return false;
    lrd__hold *hold = self->holds + self->top++;
    hold->listed = listing;
    hold->bytes = bytes;
    hold->count = 1;
    self->held_bytes = held;
    return true;
}

/* True if this get only borrows the block: ledger entry `top` lists the block until the thread
 * lists another block there. */
static GET_INLINE bool get_borrows(const lrd__thread *self, const lrd__block *block, unsigned flags)
{
    return (flags & LRD_GET_PLAIN) && block->type >= LRD_TYPE_PLAIN && self->top > LRD_PLAIN_HOLDS;
}

static GET_INLINE void get_undo(lrd__thread *self)
{
    atomic_store_explicit(&self->slot->ledger[self->top], 0, memory_order_release);
}

/* Finish the get of an entry with a time to live; self->spot has the arguments. Not inlined,
 * because the call of the clock would make every get save registers. */
static __attribute__((noinline, hot)) int get_timed(lrd_store *store, lrd__thread *self,
                                                    const void *key, lrd_value *out)
{
    const lrd__spot *spot = &self->spot;
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(spot->listing));
    uint32_t entry = spot->entry;
    lrd_kind kind = LRD_KIND_HELD;
    if (!lrd__block_live(store, block)) {
        if (spot->fresh)
            get_undo(self);
        lrd__add(&self->slot->misses, 1);
        out->kind = LRD_KIND_NONE;
        return LRD_MISS;
    }
    if (!spot->fresh) {
        lrd__hold_again(self->holds + entry);
    } else if (get_borrows(self, block, spot->flags)) {
        kind = LRD_KIND_BORROWED;
        entry = LRD__NO_ENTRY;
    } else if (!get_hold(self, block, spot->listing)) {
        get_undo(self);
        return lrd__read_general(store, key, spot->key_len, spot->flags, out);
    }
    return get_done(self, spot->at, block, spot->key_len, spot->listing, entry, kind, out);
}

/* one more result code of the functions below: the fast path cannot get this key from this word */
enum { GET_ELSEWHERE = LRD_END + 1 };

/* Get an entry with a time to live. Ledger entry `entry` lists the block; `fresh` is true if this
 * get has listed it. */
static GET_INLINE int get_timed_at(lrd_store *store, lrd__thread *self, _Atomic uint64_t *at,
                                   uint64_t listing, uint32_t entry, bool fresh, const void *key,
                                   size_t key_len, unsigned flags, lrd_value *out)
{
    self->spot = (lrd__spot){.at = at,
                             .listing = listing,
                             .entry = entry,
                             .key_len = (uint32_t)key_len,
                             .flags = flags,
                             .fresh = fresh};
    return get_timed(store, self, key, out);
}

/* Get a block that ledger entry `entry` lists already. `word` is its index word, loaded from
 * *at. */
static GET_INLINE int get_again(lrd_store *store, lrd__thread *self, _Atomic uint64_t *at,
                                uint64_t word, const void *key, size_t key_len, unsigned flags,
                                uint32_t entry, lrd_value *out)
{
    uint64_t listing = lrd__word_listing(word);
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(listing));
    if (__builtin_expect(!get_usual(store, block, key, key_len), 0))
        return GET_ELSEWHERE;
    if (get_expires(block))
        return get_timed_at(store, self, at, listing, entry, false, key, key_len, flags, out);
    lrd__hold_again(self->holds + entry);
    return get_done(self, at, block, key_len, listing, entry, LRD_KIND_HELD, out);
}

/* Find a block in a large ledger. Returns the number of the entry that lists the block. If no entry
 * lists it, returns `top`: the caller must list it there. Returns 0 if the caller must use the
 * general path. */
static __attribute__((noinline)) uint32_t get_wide(lrd__thread *self, uint64_t listing)
{
    if (!self->fast || self->free != 0 || self->top >= self->clock_entry ||
        self->top >= self->room - LRD__RESERVATION_ENTRIES)
        return 0;
    uint32_t entry = lrd__wide_find(self, listing);
    if (entry != 0)
        return entry;
    lrd__wide_note(self, listing, self->top);
    return self->top;
}

/* Call get_again() out of line, for a ledger entry that get_wide() has found. */
static __attribute__((noinline)) int get_again_wide(lrd_store *store, lrd__thread *self,
                                                    _Atomic uint64_t *at, uint64_t word,
                                                    const void *key, size_t key_len, unsigned flags,
                                                    uint32_t entry, lrd_value *out)
{
    return get_again(store, self, at, word, key, key_len, flags, entry, out);
}

/* Get a block that this thread does not hold yet. `word` is its index word, loaded from *at.
 * *cached receives the ledger entry. If the result is GET_ELSEWHERE, no ledger entry lists the
 * block. */
static GET_INLINE int get_fresh(lrd_store *store, lrd__thread *self, _Atomic uint64_t *at,
                                uint64_t word, const void *key, size_t key_len, unsigned flags,
                                uint16_t *cached, lrd_value *out)
{
    uint64_t listing = lrd__word_listing(word);
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(listing));
    uint32_t entry = self->top;
    if (__builtin_expect(entry >= self->limit, 0)) {
        uint32_t wide = self->is_wide ? get_wide(self, listing) : 0;
        if (wide == 0) {
            /* only an immutable store may return a block that no ledger lists */
            if (store->listed || self->slot == NULL || !get_usual(store, block, key, key_len) ||
                get_expires(block))
                return GET_ELSEWHERE;
            return get_done(self, at, block, key_len, listing, LRD__NO_ENTRY, LRD_KIND_HELD, out);
        }
        if (wide != entry) {
            *cached = (uint16_t)wide;
            return get_again_wide(store, self, at, word, key, key_len, flags, wide, out);
        }
    }
    uint64_t again = lrd__protect(self, false, entry, listing, at, false);
    if (__builtin_expect(again != word || !get_usual(store, block, key, key_len), 0)) {
        get_undo(self);
        return GET_ELSEWHERE;
    }
    *cached = (uint16_t)entry;
    if (get_expires(block))
        return get_timed_at(store, self, at, listing, entry, true, key, key_len, flags, out);
    if (get_borrows(self, block, flags))
        return get_done(self, at, block, key_len, listing, LRD__NO_ENTRY, LRD_KIND_BORROWED, out);
    if (__builtin_expect(!get_hold(self, block, listing), 0)) {
        get_undo(self);
        return GET_ELSEWHERE;
    }
    return get_done(self, at, block, key_len, listing, entry, LRD_KIND_HELD, out);
}

/* Get the block that the index word at *at names. The ledger entry *cached probably lists it. */
static GET_INLINE int get_at(lrd_store *store, lrd__thread *self, _Atomic uint64_t *at,
                             uint64_t word, const void *key, size_t key_len, unsigned flags,
                             uint16_t *cached, lrd_value *out)
{
    return self->holds[*cached].listed == lrd__word_listing(word)
               ? get_again(store, self, at, word, key, key_len, flags, *cached, out)
               : get_fresh(store, self, at, word, key, key_len, flags, cached, out);
}

/* Get an entry from its home bucket. */
static __attribute__((noinline, flatten, hot)) int
get_hashed(lrd_store *store, const void *key, size_t key_len, unsigned flags, lrd_value *out)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect((flags & ~GET_FAST_FLAGS) != 0 || key_len - 1 >= GET_FAST_KEY ||
                             self == NULL || GET_CONTROLLED,
                         0)) {
        if ((flags & ~(unsigned)LRD_GET_NO_COUNT) == LRD_GET_BORROW && key_len - 1 < GET_FAST_KEY &&
            self != NULL && self->fast && self->ready != NULL && !GET_CONTROLLED)
            return get_borrow(store, self, key, key_len, flags, out);
        return lrd__read_general(store, key, key_len, flags, out);
    }
    uint64_t hash = lrd__hash(store, key, key_len), want = lrd__hash_mark(hash);
    uint64_t mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    lrd__bucket *line = store->buckets + lrd__bucket_at(store, hash, mask);
    uint32_t way = 0;
    uint64_t word = atomic_load_explicit(&line->word[0], memory_order_acquire);
    while (__builtin_expect(word >> 36 != want, 0)) {
        if (++way == LRD__WAYS) {
            if (!get_is_missing(store, self, line, mask))
                return lrd__read_general(store, key, key_len, flags, out);
            lrd__add(&self->usual->misses, 1);
            out->kind = LRD_KIND_NONE;
            return LRD_MISS;
        }
        word = atomic_load_explicit(&line->word[way], memory_order_acquire);
    }
    uint16_t *cached = lrd__ledger_cached(self, hash, lrd__word_listing(word));
    _Atomic uint64_t *at = &line->word[way];
    int rc = get_at(store, self, at, word, key, key_len, flags, cached, out);
    if (__builtin_expect(rc == GET_ELSEWHERE, 0))
        return lrd__read_general(store, key, key_len, flags, out);
    if (key_len >= sizeof(uint64_t))
        *lrd__near_of(self, key) = (lrd__near){.at = at,
                                               .word = word,
                                               .tail = get_tail(key, key_len),
                                               .entry = *cached,
                                               .length = (uint8_t)key_len};
    return rc;
}

/* Get a key at a remembered place, whose block this thread does not hold yet. */
static __attribute__((noinline, hot)) int get_near(lrd_store *store, lrd__thread *self,
                                                   lrd__near *near, const void *key, unsigned flags,
                                                   lrd_value *out)
{
    size_t key_len = near->length;
    int rc = get_fresh(store, self, near->at, near->word, key, key_len, flags, &near->entry, out);
    if (__builtin_expect(rc == GET_ELSEWHERE, 0))
        return get_hashed(store, key, key_len, flags, out);
    if (near->entry - 1u < LRD__EARLY)
        self->early[near->entry - 1u] = (uint8_t)(near - self->near);
    return rc;
}

/* Get a key at a remembered place, whose block this thread holds. */
static __attribute__((noinline, hot)) int get_held_near(lrd_store *store, lrd__thread *self,
                                                        lrd__near *near, const void *key,
                                                        unsigned flags, lrd_value *out)
{
    int rc =
        get_again(store, self, near->at, near->word, key, near->length, flags, near->entry, out);
    return __builtin_expect(rc != GET_ELSEWHERE, 1)
               ? rc
               : get_hashed(store, key, near->length, flags, out);
}

/* Choose the path of a get. Each thread remembers where it found a key, by the address of the key's
 * string. If the remembered place still has the key, the get needs no search. Each path is a
 * separate function; if they were inlined, lrd_get() would have to save registers. */
__attribute__((hot)) int lrd_get(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                                 lrd_value *out)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect((flags & ~GET_FAST_FLAGS) != 0 || self == NULL || key_len == 0, 0))
        return get_hashed(store, key, key_len, flags, out);
    lrd__near *near = lrd__near_of(self, key);
    if (near->length != key_len || near->tail != get_tail(key, key_len) ||
        atomic_load_explicit(near->at, memory_order_acquire) != near->word)
        return get_hashed(store, key, key_len, flags, out);
    return self->holds[near->entry].listed == lrd__word_listing(near->word)
               ? get_held_near(store, self, near, key, flags, out)
               : get_near(store, self, near, key, flags, out);
}

/* ---- many at once ---- */

#define GET_GROUP 16u /* number of keys whose memory is prefetched together */

/* the guessed place of a key */
typedef struct get_guess {
    uint64_t hash;
    /* first word of the key's home bucket; after get_many_blocks(): the word with the key's tag, or
     * NULL */
    _Atomic uint64_t *at;
} get_guess;

/* Prefetch the home bucket of each key. Reads no shared memory except the mask. */
static __attribute__((noinline, flatten, hot)) void
get_many_hash(const lrd_store *store, const lrd_key *keys, size_t count, get_guess *guesses)
{
    uint64_t mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(keys[i].key);
    for (size_t i = 0; i < count; i++) {
        lrd__bucket *line = NULL;
        if (keys[i].key_len - 1 < GET_FAST_KEY) {
            guesses[i].hash = lrd__hash(store, keys[i].key, keys[i].key_len);
            line = store->buckets + lrd__bucket_at(store, guesses[i].hash, mask);
            __builtin_prefetch(line);
        }
        guesses[i].at = line != NULL ? line->word : NULL;
    }
}

/* number of cache lines that are prefetched of each block: its header and a short value */
#define GET_LINES 3u

/* For each key: find the index word that has the key's tag, and prefetch the first cache lines of
 * the block that the word names. */
static inline void get_many_blocks(const lrd_store *store, size_t count, get_guess *guesses,
                                   unsigned lines)
{
    for (get_guess *guess = guesses; guess < guesses + count; guess++) {
        _Atomic uint64_t *at = guess->at;
        guess->at = NULL;
        for (uint32_t way = 0; at != NULL && way < LRD__WAYS; way++, at++) {
            uint64_t word = atomic_load_explicit(at, memory_order_relaxed);
            if (word >> 36 != lrd__hash_mark(guess->hash))
                continue;
            const uint8_t *block = store->data + lrd__word_offset(word);
            for (unsigned line = 0; line < lines; line++)
                __builtin_prefetch(block + line * sizeof(lrd__bucket));
            guess->at = at;
            break;
        }
    }
}

/* Get one key of a group, from the guessed place if its word still has the key's tag. */
static inline int get_one_of_many(lrd_store *store, lrd__thread *self, const lrd_key *key,
                                  const get_guess *guess, unsigned flags, lrd_value *out)
{
    _Atomic uint64_t *at = guess->at;
    uint64_t word;
    int rc = GET_ELSEWHERE;
    if (__builtin_expect(
            (flags & ~GET_FAST_FLAGS) != 0 || at == NULL || self == NULL || GET_CONTROLLED, 0))
        return get_hashed(store, key->key, key->key_len, flags, out);
    word = atomic_load_explicit(at, memory_order_acquire);
    if (__builtin_expect(word >> 36 == lrd__hash_mark(guess->hash), 1)) {
        uint16_t *cached = lrd__ledger_cached(self, guess->hash, lrd__word_listing(word));
        rc = get_at(store, self, at, word, key->key, key->key_len, flags, cached, out);
    }
    return __builtin_expect(rc != GET_ELSEWHERE, 1)
               ? rc
               : lrd__read_general(store, key->key, key->key_len, flags, out);
}

LRD__HOT int lrd_get_many(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags,
                          lrd_value *out, size_t *done)
{
    get_guess guesses[GET_GROUP];
    *done = 0;
    if (flags & LRD_GET_BORROW)
        return lrd__fail(LRD_EINVAL, "LRD_GET_BORROW: a borrow ends with the next look-up");
    /* LRD_GET_PLAIN may borrow a value, and the next get of the group would end the borrow */
    flags &= ~(unsigned)LRD_GET_PLAIN;
    for (size_t first = 0; first < count; first += GET_GROUP) {
        size_t group = count - first < GET_GROUP ? count - first : GET_GROUP;
        get_many_hash(store, keys + first, group, guesses);
        get_many_blocks(store, group, guesses, GET_LINES);
        lrd__thread *self = lrd__threads[store->id];
        for (size_t i = first; i < first + group; i++) {
            int rc = get_one_of_many(store, self, keys + i, guesses + (i - first), flags, out + i);
            if (rc < LRD_OK)
                return rc;
            *done = i + 1;
            if (out[i].kind == LRD_KIND_BORROWED)
                return LRD_OK;
        }
    }
    return LRD_OK;
}

/* Prefetch the eviction link (store->links) of each key's entry, which a writer needs. */
static void get_ahead_links(const lrd_store *store, size_t count, const get_guess *guesses)
{
    for (const get_guess *guess = guesses; guess < guesses + count; guess++) {
        if (guess->at == NULL)
            continue;
        size_t bytes = (size_t)((const uint8_t *)guess->at - (const uint8_t *)store->buckets);
        size_t way = bytes % sizeof(lrd__bucket) / sizeof *guess->at;
        __builtin_prefetch(store->links + bytes / sizeof(lrd__bucket) * LRD__WAYS + way, 1);
    }
}

void lrd_prefetch(lrd_store *store, const lrd_key *keys, size_t count, unsigned flags)
{
    get_guess guesses[GET_GROUP];
    /* a write needs only the first cache line of each block */
    bool writes = (flags & LRD_PREFETCH_WRITE) != 0;
    for (size_t first = 0; first < count; first += GET_GROUP) {
        size_t group = count - first < GET_GROUP ? count - first : GET_GROUP;
        get_many_hash(store, keys + first, group, guesses);
        get_many_blocks(store, group, guesses, writes ? 1 : GET_LINES);
        if (writes && store->evicts)
            get_ahead_links(store, group, guesses);
    }
}
