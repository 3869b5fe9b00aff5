/* read.c - the reader's half: finds an entry without a lock, lists it, and hands out the pointer.
 * Stores only to the thread's own slot (and, while an entry is cold, to its frequency byte). get.c
 * has the usual cases of a get. Read read_find() first, beside the protocol at the top of ledger.c.
 *
 * Invariants
 * - Nothing of a block is read, not even its key, before the block is listed and its word, loaded
 *   again, has not changed.
 * - In an immutable store nothing published is ever freed, so nothing is listed.
 * - No word is looked at in a shard that is not vetted: a thread asks vet.c before each search,
 *   until it knows that all are (usual).
 */
#include "hold.h"
#include "place.h"

#include <stdlib.h>

/* Each kind of protection gets a search of its own, without the branches of the others. */
#define READ_INLINE inline __attribute__((always_inline))
#define READ_NO_ENTRY 0u /* handle of a value that needs no entry */

enum read_protection { READ_HOLD, READ_SPARE, READ_BARE };
enum {
    READ_FULL = LRD_END, /* the ledger has no entry to give */
    READ_AGAIN           /* what was searched may have moved meanwhile */
};

typedef struct read_found {
    uint64_t offset;
    uint64_t hash;  /* of the key */
    uint32_t entry; /* READ_HOLD: the ledger entry */
    bool fresh;     /* it was listed just now */
    _Atomic uint8_t *freq;
} read_found;

#ifdef LRD_CONTROLS
bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier;
bool lrd__control_no_zone, lrd__control_no_evict;

/* Widens the gap between the load of a word and the listing, which the broken order leaves open. */
static void read_control_gap(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}
#else
#define read_control_gap() ((void)0)
#endif

/* The listing must be visible before the word is loaded again. In membarrier mode the writer forces
 * that on us, and only the compiler has to be held back. */
static inline void read_barrier(const lrd_store *store)
{
    if (__builtin_expect(store->fence, 0))
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
}

/* Whether the block is listed and validated already, by an earlier get. */
static inline bool read_is_listed(lrd__thread *self, uint64_t hash, uint64_t listing,
                                  uint32_t *entry)
{
    *entry = *lrd__ledger_cached(self, hash, listing);
    return self->holds[*entry].listed == listing;
}

/* List the block for this read. Validation follows. */
static READ_INLINE int read_list(lrd__thread *self, enum read_protection protection,
                                 read_found *found)
{
    uint64_t listing = lrd__listing(found->offset);
    found->fresh = true;
    if (protection == READ_SPARE) {
        atomic_store_explicit(&self->slot->spare, listing, memory_order_release);
        return LRD_OK;
    }
    if (read_is_listed(self, found->hash, listing, &found->entry)) {
        found->fresh = false;
        return LRD_OK;
    }
    found->entry = lrd__ledger_list(self, listing, LRD__RESERVATION_ENTRIES);
    return found->entry != 0 ? LRD_OK : READ_FULL;
}

static READ_INLINE void read_unlist(lrd__thread *self, enum read_protection protection,
                                    const read_found *found)
{
    if (protection == READ_SPARE)
        atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    else if (protection == READ_HOLD && found->fresh)
        lrd__ledger_drop(self, found->entry);
}

/* One candidate word: protect the block behind it and compare the key. LRD_MISS: another key's. */
static READ_INLINE int read_candidate(lrd_store *store, lrd__thread *self, _Atomic uint64_t *word,
                                      uint64_t loaded, enum read_protection protection,
                                      const void *key, size_t key_len, read_found *found)
{
    uint64_t want = loaded >> 36;
    for (;;) {
        found->offset = lrd__word_offset(loaded);
        found->fresh = false;
        if (protection != READ_BARE) {
            if (LRD__CONTROL(hand_out_first))
                read_control_gap();
            int rc = read_list(self, protection, found);
            if (rc != LRD_OK)
                return rc;
            read_barrier(store);
            /* Pairs with the writer's store of the word, before its barrier and scan. */
            uint64_t again = atomic_load_explicit(word, memory_order_acquire);
            if (__builtin_expect(again != loaded, 0) && found->fresh &&
                !LRD__CONTROL(hand_out_first)) {
                read_unlist(self, protection, found);
                loaded = again;
                if (loaded >> 36 != want)
                    return LRD_MISS;
                continue;
            }
        }
        if (__builtin_expect(lrd__block_has_key(lrd__block_at(store, found->offset), key, key_len),
                             1))
            return LRD_OK;
        read_unlist(self, protection, found);
        return LRD_MISS;
    }
}

/* Look for the key's block within reach of a home bucket, and protect it. LRD_OK, LRD_MISS,
 * READ_FULL. */
static READ_INLINE int read_find_at(lrd_store *store, lrd__thread *self, const void *key,
                                    size_t key_len, enum read_protection protection, uint64_t home,
                                    read_found *found)
{
    uint64_t want = lrd__hash_mark(found->hash);
    lrd__bucket *bucket = store->buckets + home;
    for (uint32_t d = 0; d < LRD__PROBES; d++, want++) {
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            /* Pairs with the release store of the publisher: the block was built before. */
            uint64_t word = atomic_load_explicit(&bucket->word[way], memory_order_acquire);
            if (__builtin_expect(word >> 36 != want, 1))
                continue;
            int rc = read_candidate(store, self, &bucket->word[way], word, protection, key, key_len,
                                    found);
            if (rc == LRD_MISS)
                continue;
            found->freq = &bucket->freq[way];
            return rc;
        }
        if (atomic_load_explicit(&bucket->displaced, memory_order_acquire) == 0)
            return LRD_MISS;
        bucket += store->geo.shards;
    }
    return LRD_MISS;
}

/* The index grows, and the key was not at its old home: it may have moved to the new one, or may
 * have been about to. Returns LRD_END where the search has to start again. */
static __attribute__((noinline)) int read_find_new(lrd_store *store, lrd__thread *self,
                                                   const void *key, size_t key_len,
                                                   enum read_protection protection, uint64_t mask,
                                                   read_found *found)
{
    const lrd__view *view = store->view;
    uint64_t next = atomic_load_explicit(&view->next, memory_order_acquire);
    uint32_t grown = atomic_load_explicit(&view->grown, memory_order_acquire);
    uint64_t home = lrd__bucket_at(store, found->hash, next);
    int rc = LRD_MISS;
    if (next != (mask << 1 | 1))
        return READ_AGAIN;
    if (home != lrd__bucket_at(store, found->hash, mask) && home < grown)
        rc = read_find_at(store, self, key, key_len, protection, home, found);
    if (rc != LRD_MISS)
        return rc;
    /* Loaded after the words, as next in lrd_get(). */
    bool same = atomic_load_explicit(&view->next, memory_order_acquire) == next &&
                atomic_load_explicit(&view->mask, memory_order_acquire) == mask &&
                (home < grown || home >= atomic_load_explicit(&view->grown, memory_order_acquire));
    return same ? LRD_MISS : READ_AGAIN;
}

/* Find the key's block, live or not, and protect it. LRD_OK, LRD_MISS, READ_FULL; LRD_EBUSY: nobody
 * has vetted its shard, and somebody has its lock. */
static READ_INLINE int read_find(lrd_store *store, lrd__thread *self, const void *key,
                                 size_t key_len, enum read_protection protection, read_found *found)
{
    found->hash = lrd__hash(store, key, key_len);
    if (__builtin_expect(self->usual == NULL, 0)) {
        uint64_t home = lrd__bucket_at(store, found->hash, LRD__MASK_FIRST);
        int rc = lrd__vet_for_read(store, self, (uint32_t)home & (store->geo.shards - 1));
        if (rc != LRD_OK)
            return rc;
    }
    for (;;) {
        uint64_t mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
        int rc = read_find_at(store, self, key, key_len, protection,
                              lrd__bucket_at(store, found->hash, mask), found);
        /* next is loaded after the words: a miss is final if nothing can have moved. Pairs with
         * grow.c. */
        if (__builtin_expect(rc != LRD_MISS || atomic_load_explicit(&store->view->next,
                                                                    memory_order_acquire) == mask,
                             1))
            return rc;
        rc = read_find_new(store, self, key, key_len, protection, mask, found);
        if (rc != READ_AGAIN)
            return rc;
    }
}

static inline void read_fill(const lrd_store *store, uint64_t offset, uint32_t handle,
                             lrd_kind kind, lrd_value *out)
{
    const lrd__block *block = lrd__block_at(store, offset);
    out->data = (const uint8_t *)block + lrd__block_start(block);
    out->size = lrd__block_size(block);
    out->block = lrd__listing(offset);
    out->handle = handle;
    out->kind = (uint8_t)kind;
    out->type = block->type;
}

static void *read_copy_out(const lrd_value *value)
{
    void *copy = malloc(value->size != 0 ? value->size : 1);
    if (copy == NULL) {
        lrd__fail(LRD_ENOMEM, "a private copy of %zu bytes", value->size);
        return NULL;
    }
    return memcpy(copy, value->data, value->size);
}

/* A value that may not be held, or is to be borrowed: borrow it, and copy it where that is for want
 * of a hold and the caller will not. */
static __attribute__((noinline)) int read_unheld(lrd_store *store, lrd__thread *self,
                                                 const void *key, size_t key_len, unsigned flags,
                                                 read_found *found, lrd_value *out)
{
    int rc = read_find(store, self, key, key_len, READ_SPARE, found);
    if (rc != LRD_OK)
        return rc;
    if (!lrd__block_live(store, lrd__block_at(store, found->offset))) {
        read_unlist(self, READ_SPARE, found);
        return LRD_MISS;
    }
    read_fill(store, found->offset, READ_NO_ENTRY, LRD_KIND_BORROWED, out);
    if ((flags & LRD_GET_BORROW) || ((flags & LRD_GET_PLAIN) && out->type >= LRD_TYPE_PLAIN))
        return LRD_OK;
    lrd__add(&self->slot->copies, 1);
    if (flags & LRD_GET_NO_COPY)
        return LRD_OK;
    void *data = read_copy_out(out);
    read_unlist(self, READ_SPARE, found);
    if (data == NULL) {
        out->kind = LRD_KIND_NONE;
        return LRD_ENOMEM;
    }
    out->data = data;
    out->kind = LRD_KIND_COPY;
    return LRD_OK;
}

/* An immutable store: nothing has to be protected. */
static __attribute__((noinline)) int read_bare(lrd_store *store, lrd__thread *self, const void *key,
                                               size_t key_len, read_found *found, lrd_value *out)
{
    int rc = read_find(store, self, key, key_len, READ_BARE, found);
    if (rc == LRD_OK && !lrd__block_live(store, lrd__block_at(store, found->offset)))
        rc = LRD_MISS;
    if (rc == LRD_OK)
        read_fill(store, found->offset, READ_NO_ENTRY, LRD_KIND_HELD, out);
    return rc;
}

static READ_INLINE bool read_may_hold(lrd__thread *self, uint32_t entry, const lrd__block *block)
{
    uint64_t bytes = lrd__block_start(block) + lrd__block_size(block);
    uint64_t offset = (uint64_t)((const uint8_t *)block - self->store->data);
    if (__builtin_expect(self->request_until != 0, 0) &&
        lrd__clock_monotonic_ms() > self->request_until) {
        self->fast = false;
        self->limit = 0;
        return false;
    }
    return (!lrd__zone_near(self, (uintptr_t)block, bytes) ||
            lrd__zone_take(self, offset, bytes, false)) &&
           (lrd__quota_take(self, entry, bytes) ||
            (lrd__quota_notice(self->store) && lrd__quota_take(self, entry, bytes)));
}

/* Find and hold. READ_FULL: a bound says no, nothing is listed. */
static READ_INLINE int read_held(lrd_store *store, lrd__thread *self, const void *key,
                                 size_t key_len, unsigned flags, read_found *found, lrd_value *out)
{
    int rc = read_find(store, self, key, key_len, READ_HOLD, found);
    if (__builtin_expect(rc != LRD_OK, 0))
        return rc;
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (__builtin_expect(!lrd__block_live(store, block), 0)) {
        read_unlist(self, READ_HOLD, found);
        return LRD_MISS;
    }
    if (found->fresh) {
        bool borrow = (flags & LRD_GET_PLAIN) && block->type >= LRD_TYPE_PLAIN &&
                      lrd__ledger_live(self) > LRD_PLAIN_HOLDS;
        if (__builtin_expect(borrow || !read_may_hold(self, found->entry, block), 0)) {
            read_unlist(self, READ_HOLD, found);
            return READ_FULL;
        }
        *lrd__ledger_cached(self, found->hash, lrd__listing(found->offset)) =
            (uint16_t)found->entry;
        self->holds[found->entry].count = 0;
    }
    lrd__hold_again(self->holds + found->entry);
    read_fill(store, found->offset, found->entry, LRD_KIND_HELD, out);
    return LRD_OK;
}

static READ_INLINE int read_value(lrd_store *store, lrd__thread *self, const void *key,
                                  size_t key_len, unsigned flags, read_found *found, lrd_value *out)
{
    if (__builtin_expect(!store->listed, 0))
        return read_bare(store, self, key, key_len, found, out);
    if (flags & LRD_GET_BORROW)
        return read_unheld(store, self, key, key_len, LRD_GET_BORROW, found, out);
    int rc = read_held(store, self, key, key_len, flags, found, out);
    if (__builtin_expect(rc == READ_FULL, 0))
        rc = read_unheld(store, self, key, key_len, flags, found, out);
    return rc;
}

/* For a thread that got no slot: copy under the shard's lock. */
static int read_locked(lrd_store *store, const void *key, size_t key_len, lrd_value *out)
{
    lrd__place place = lrd__place_of(store, key, key_len);
    void *room = NULL;
    size_t room_size = 0;
    for (;;) {
        int rc = lrd__shard_lock(store, NULL, place.shard_index);
        if (rc != LRD_OK) {
            free(room);
            return rc;
        }
        uint32_t slot = lrd__index_find(store, &place, key, key_len);
        uint64_t offset =
            slot != LRD__NO_SLOT ? lrd__slot_offset(store, place.shard_index, slot) : 0;
        if (slot == LRD__NO_SLOT || !lrd__block_live(store, lrd__block_at(store, offset))) {
            lrd__shard_unlock(store, place.shard_index);
            free(room);
            return LRD_MISS;
        }
        read_fill(store, offset, READ_NO_ENTRY, LRD_KIND_COPY, out);
        if (room != NULL && out->size <= room_size) {
            memcpy(room, out->data, out->size);
            lrd__shard_unlock(store, place.shard_index);
            out->data = room;
            return LRD_OK;
        }
        lrd__shard_unlock(store, place.shard_index); /* no allocation under a lock */
        free(room);
        room_size = out->size != 0 ? out->size : 1;
        room = malloc(room_size);
        out->kind = LRD_KIND_NONE;
        if (room == NULL)
            return lrd__fail(LRD_ENOMEM, "a private copy of %zu bytes", room_size);
    }
}

static __attribute__((noinline, cold)) int read_refused(lrd_store *store, const void *key,
                                                        size_t key_len, unsigned flags, int rc,
                                                        lrd_value *out)
{
    if (key_len - 1 >= LRD_KEY_MAX)
        return lrd__fail(LRD_EKEY, "key_len is %zu", key_len);
    /* A copy of pointers into a block that nobody holds would be of no use. */
    return rc == LRD_ENOSLOT && !(flags & LRD_GET_NO_COPY) ? read_locked(store, key, key_len, out)
                                                           : rc;
}

/* Every case of lrd_get(). */
int lrd__read_general(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                      lrd_value *out)
{
    lrd__thread *self;
    read_found found;
    out->kind = LRD_KIND_NONE;
    int rc = key_len - 1 < LRD_KEY_MAX ? lrd__enter(store, &self) : LRD_EKEY;
    if (rc != LRD_OK)
        return read_refused(store, key, key_len, flags, rc, out);
    rc = read_value(store, self, key, key_len, flags, &found, out);
    if (!(flags & LRD_GET_NO_COUNT)) {
        lrd__add(rc == LRD_OK ? &self->slot->hits : &self->slot->misses, 1);
        if (rc == LRD_OK && store->evicts)
            lrd__warm(found.freq);
    }
    lrd__leave(self);
    return rc;
}

void lrd_count_miss(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL)
        return;
    lrd__add(&self->slot->hits, (uint64_t)-1);
    lrd__add(&self->slot->misses, 1);
}

int lrd_has(lrd_store *store, const void *key, size_t key_len)
{
    lrd_value value;
    int rc = lrd_get(store, key, key_len, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value);
    if (rc == LRD_OK)
        lrd_release(store, &value);
    return rc;
}

/* ---- handles ---- */

/* Offset of the block of a value that points into the store. */
static inline uint64_t read_offset(const lrd_value *value)
{
    return (value->block - 1) << LRD__GRANULE_BITS;
}

/* Whether the handle is one of this thread's. */
static inline bool read_owns(const lrd__thread *self, const lrd_value *value)
{
    return value->handle <= LRD_HOLDS_MAX && self->holds[value->handle].listed == value->block;
}

/* Whether a value is what this thread's spare entry protects: a borrow that was validated there. */
static bool read_is_spare(const lrd__thread *self, const lrd_value *value)
{
    return value->kind == LRD_KIND_BORROWED &&
           atomic_load_explicit(&self->slot->spare, memory_order_relaxed) == value->block;
}

/* List what another slot (or our spare entry) lists, so that it may let go. */
static int read_hold_other(lrd_store *store, lrd__thread *self, const lrd_value *value,
                           lrd_value *out)
{
    const lrd__block *listed = lrd__block_at(store, read_offset(value));
    read_found found = {.offset = read_offset(value),
                        .hash =
                            lrd__hash(store, lrd__block_key(listed), lrd__block_key_len(listed))};
    int rc = read_list(self, READ_HOLD, &found);
    if (rc == LRD_OK) {
        /* After the listing and before the other may drop it: see lrd__ledger_scan(). Not where it
         * comes from spare, which a scan reads before the entries: see the invariants of
         * ledger.c. */
        if (!read_is_spare(self, value))
            atomic_fetch_add_explicit(&store->header->handovers, 1, memory_order_seq_cst);
        if (!found.fresh || read_may_hold(self, found.entry, lrd__block_at(store, found.offset))) {
            *lrd__ledger_cached(self, found.hash, lrd__listing(found.offset)) =
                (uint16_t)found.entry;
            if (found.fresh)
                self->holds[found.entry].count = 0;
            lrd__hold_again(self->holds + found.entry);
            read_fill(store, found.offset, found.entry, LRD_KIND_HELD, out);
            return LRD_OK;
        }
    }
    out->data = read_copy_out(value);
    /* Only now: a borrow left at top has no listing but this one. */
    if (rc == LRD_OK)
        read_unlist(self, READ_HOLD, &found);
    if (out->data == NULL) {
        out->kind = LRD_KIND_NONE;
        return LRD_ENOMEM;
    }
    lrd__add(&self->slot->copies, 1);
    out->kind = LRD_KIND_COPY;
    return LRD_OK;
}

int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out)
{
    lrd__thread *self;
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return lrd__fail(LRD_ESTATE, "value is not held or borrowed (kind %d)", value->kind);
    *out = *value;
    if (value->kind == LRD_KIND_HELD && value->handle == READ_NO_ENTRY)
        return LRD_OK; /* an immutable store */
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK) {
        out->kind = LRD_KIND_NONE;
        return rc;
    }
    if (value->kind == LRD_KIND_HELD && read_owns(self, value))
        lrd__hold_again(self->holds + value->handle);
    else
        rc = read_hold_other(store, self, value, out);
    lrd__leave(self);
    return rc;
}

static __attribute__((noinline)) int read_release(lrd_store *store, lrd__thread *self,
                                                  lrd_value *value)
{
    lrd_kind kind = (lrd_kind)value->kind;
    if (kind == LRD_KIND_HELD && value->handle != READ_NO_ENTRY)
        return lrd__fail(LRD_ESTATE, "the handle is not one of this thread's");
    if (kind == LRD_KIND_COPY) {
        free((void *)(uintptr_t)value->data);
    } else if (kind == LRD_KIND_BORROWED && self != NULL && self->slot != NULL) {
        if (atomic_load_explicit(&self->slot->spare, memory_order_relaxed) == value->block)
            atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
        /* or what a get with LRD_GET_PLAIN left at top */
        if (self->top <= LRD_HOLDS_MAX &&
            atomic_load_explicit(&self->slot->ledger[self->top], memory_order_relaxed) ==
                value->block)
            atomic_store_explicit(&self->slot->ledger[self->top], 0, memory_order_release);
    }
    (void)store;
    value->kind = LRD_KIND_NONE;
    return LRD_OK;
}

int lrd_release(lrd_store *store, lrd_value *value)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect(value->kind != LRD_KIND_HELD || self == NULL || !read_owns(self, value),
                         0))
        return read_release(store, self, value);
    lrd__hold *hold = self->holds + value->handle;
    if (hold->count != UINT32_MAX && --hold->count == 0)
        lrd__ledger_drop(self, value->handle);
    value->kind = LRD_KIND_NONE;
    return LRD_OK;
}

__attribute__((hot)) int lrd_request_begin(lrd_store *store)
{
    lrd__thread *self;
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    /* Nobody may have written since the machine slept. Requests of one tick look once. */
    uint64_t now = lrd__clock_coarse();
    if (now != self->begun)
        lrd__clock_refresh(store);
    self->begun = now;
    self->request_until = now + LRD__REQUEST_MS;
    if (__builtin_expect(self->keylocks.left != 0, 0))
        lrd__keylock_end_left(self);
    lrd__near_expect(store, self);
    lrd__ledger_limit(self);
    lrd__leave(self);
    return LRD_OK;
}

__attribute__((hot)) int lrd_request_end(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL)
        return LRD_OK;
    if (self->ready == NULL)
        return LRD_EREENTRY;
    (void)lrd__segment_look(store); /* before the slot is stored to */
    lrd__ledger_clear(self);
    self->request_until = 0;
    self->fast = !store->fence && store->listed && self->usual != NULL;
    lrd__ledger_limit(self);
    int rc = LRD_OK;
    if (self->keylocks.used != 0 && lrd__segment_lost(store) == LRD__LOST_NOTHING)
        rc = lrd__keylock_end_all(self);
    if (self->guarded != 0)
        lrd__guards_check(self);
    return rc;
}

int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out)
{
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return lrd__fail(LRD_ESTATE, "value is not held or borrowed (kind %d)", value->kind);
    const lrd__block *block = lrd__block_at(store, read_offset(value));
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    uint64_t now = expiry != 0 ? lrd__now(store) : 0;
    out->key = lrd__block_key(block);
    out->key_len = lrd__block_key_len(block);
    out->version = block->version;
    out->age_ms = lrd__block_age(store, block);
    out->ttl_ms = expiry == 0 ? 0 : expiry > now ? expiry - now : 1;
    return LRD_OK;
}

bool lrd_contains(const lrd_store *store, const void *pointer)
{
    return (uintptr_t)pointer - (uintptr_t)store->data < store->geo.data_size;
}

/* ---- counters, where they exist ---- */

int64_t lrd_counter_value(const lrd_value *value)
{
    if (value->size != sizeof(int64_t))
        return 0;
    /* Pairs with the release of whoever counted: what was stored before is seen. */
    return atomic_load_explicit((const _Atomic int64_t *)value->data, memory_order_acquire);
}

/* Find the value of the live counter in a block that is protected: whoever changes it here changes
 * the entry as it was found. */
static int read_counter(lrd_store *store, const read_found *found, _Atomic int64_t **out)
{
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (!lrd__block_live(store, block))
        return LRD_MISS;
    if (block->type != LRD_TYPE_COUNTER || lrd__block_size(block) != sizeof(int64_t))
        return lrd__fail(LRD_ETYPE, "the entry is of type %d", block->type);
    *out = (_Atomic int64_t *)(void *)(store->window + found->offset + lrd__block_start(block));
    return LRD_OK;
}

static int read_add(_Atomic int64_t *counter, int64_t step, int64_t *result)
{
    int64_t sum, value = atomic_load_explicit(counter, memory_order_relaxed);
    do {
        if (__builtin_add_overflow(value, step, &sum))
            return lrd__fail(LRD_ERANGE, "%lld + %lld", (long long)value, (long long)step);
    } while (!atomic_compare_exchange_weak_explicit(counter, &value, sum, memory_order_acq_rel,
                                                    memory_order_relaxed));
    LRD__FAILPOINT("counter_added");
    *result = sum;
    return LRD_OK;
}

static int read_swap(_Atomic int64_t *counter, int64_t expected, int64_t wanted)
{
    /* As every change of a counter: what was stored before is seen by who meets the new value. */
    bool swapped = atomic_compare_exchange_strong_explicit(
        counter, &expected, wanted, memory_order_acq_rel, memory_order_acquire);
    LRD__FAILPOINT("counter_swapped");
    return swapped ? LRD_OK : LRD_STALE;
}

/* result: add first to the counter; NULL: replace first by second. */
static int read_change(lrd_store *store, const void *key, size_t key_len, int64_t first,
                       int64_t second, int64_t *result)
{
    lrd__thread *self;
    read_found found;
    _Atomic int64_t *counter;
    if (key_len - 1 >= LRD_KEY_MAX)
        return lrd__fail(LRD_EKEY, "key_len is %zu", key_len);
    if (!store->listed)
        return lrd__fail(LRD_EPOLICY, "counters in an immutable store");
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = read_find(store, self, key, key_len, READ_SPARE, &found);
    if (rc == LRD_OK) {
        rc = read_counter(store, &found, &counter);
        if (rc == LRD_OK)
            rc = result != NULL ? read_add(counter, first, result)
                                : read_swap(counter, first, second);
        if (rc >= LRD_OK && rc != LRD_MISS && store->evicts)
            lrd__warm(found.freq); /* who only counts uses it, too */
        read_unlist(self, READ_SPARE, &found);
    }
    lrd__leave(self);
    return rc;
}

int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                       int64_t *result)
{
    return read_change(store, key, key_len, step, 0, result);
}

int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                     int64_t wanted)
{
    return read_change(store, key, key_len, expected, wanted, NULL);
}

int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value)
{
    lrd_value found;
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd_get(store, key, key_len, LRD_GET_PLAIN | LRD_GET_NO_COPY, &found);
    if (rc != LRD_OK && rc != LRD_MISS)
        return rc;
    /* Nobody asked for it: undo the count. */
    lrd__slot *slot = lrd__threads[store->id]->slot;
    lrd__add(rc == LRD_OK ? &slot->hits : &slot->misses, (uint64_t)-1);
    if (rc != LRD_OK)
        return rc;
    const lrd__block *block = lrd__block_at(store, read_offset(&found));
    bool fits = found.type == LRD_TYPE_COUNTER && found.size == sizeof value &&
                atomic_load_explicit(&block->expiry, memory_order_relaxed) == 0;
    if (fits) {
        lrd__segment_touch(store, read_offset(&found), sizeof(lrd__block));
        _Atomic int64_t *counter = (_Atomic int64_t *)(void *)(store->window + read_offset(&found) +
                                                               lrd__block_start(block));
        atomic_store_explicit(counter, value, memory_order_release); /* with lrd_counter_value() */
        LRD__FAILPOINT("counter_stored");
    }
    lrd_release(store, &found);
    return fits ? LRD_OK : LRD_MISS;
}

/* ---- iteration ---- */

/* The order: homes as they were when the iteration began; of a home's entries, which may have moved
 * to homes split off it since, by tag and hash, which do not change. So a place among them is a
 * place for good, whatever moves. */

/* An entry that may be the next one. */
typedef struct next_candidate {
    _Atomic uint64_t *at;
    uint64_t word, hash;
    uint32_t tag;
    bool hashed; /* hash is known: its block was looked at */
} next_candidate;

/* Protect the block of a candidate and learn the hash of its key. False: the word has changed. */
static bool next_look(lrd_store *store, lrd__thread *self, next_candidate *candidate)
{
    read_found found = {.offset = lrd__word_offset(candidate->word)};
    if (store->listed) {
        read_list(self, READ_SPARE, &found);
        read_barrier(store);
        if (atomic_load_explicit(candidate->at, memory_order_acquire) != candidate->word)
            return false;
    }
    const lrd__block *block = lrd__block_at(store, found.offset);
    candidate->hash = lrd__hash(store, lrd__block_key(block), lrd__block_key_len(block));
    candidate->hashed = true;
    return true;
}

/* Take a word into account: is it behind the cursor, and before the best so far? False: it has
 * changed. */
static bool next_compare(lrd_store *store, lrd__thread *self, const lrd_cursor *cursor,
                         next_candidate candidate, next_candidate *best)
{
    uint32_t last = lrd__hash_mark(cursor->hash) >> 4;
    if ((cursor->inside && candidate.tag < last) || (best->at != NULL && candidate.tag > best->tag))
        return true;
    bool same_as_last = cursor->inside && candidate.tag == last;
    bool same_as_best = best->at != NULL && candidate.tag == best->tag;
    if ((same_as_last || same_as_best) && !next_look(store, self, &candidate))
        return false;
    if (same_as_last && candidate.hash <= cursor->hash)
        return true;
    if (same_as_best) {
        if (!best->hashed && !next_look(store, self, best))
            return false;
        if (candidate.hash >= best->hash)
            return true;
    }
    *best = candidate;
    return true;
}

/* The next entry of the cursor's home, protected. LRD_OK, LRD_MISS: no more, READ_AGAIN: it was
 * moving. */
static int next_of_home(lrd_store *store, lrd__thread *self, const lrd_cursor *cursor,
                        next_candidate *best)
{
    uint64_t homes = lrd__bucket_at(store, cursor->mask, cursor->mask) + 1; /* when it began */
    uint32_t grown = atomic_load_explicit(&store->view->grown, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&store->view->next, memory_order_acquire);
    *best = (next_candidate){.at = NULL};
    for (uint64_t home = cursor->home; home < grown; home += homes) {
        lrd__bucket *bucket = store->buckets + home;
        for (uint32_t d = 0; d < LRD__PROBES; d++, bucket += store->geo.shards) {
            for (uint32_t way = 0; way < LRD__WAYS; way++) {
                next_candidate candidate = {.at = &bucket->word[way]};
                candidate.word = atomic_load_explicit(candidate.at, memory_order_acquire);
                candidate.tag = lrd__word_tag(candidate.word);
                if (candidate.word != 0 && lrd__word_displacement(candidate.word) == d &&
                    !next_compare(store, self, cursor, candidate, best))
                    return READ_AGAIN;
            }
            if (atomic_load_explicit(&bucket->displaced, memory_order_acquire) == 0)
                break;
        }
    }
    /* What moved meanwhile moved to where was not looked at, or will be seen by these. */
    if (atomic_load_explicit(&store->view->grown, memory_order_acquire) != grown ||
        atomic_load_explicit(&store->view->next, memory_order_acquire) != next)
        return READ_AGAIN;
    if (best->at == NULL)
        return LRD_MISS;
    return next_look(store, self, best) ? LRD_OK : READ_AGAIN;
}

/* The frequency beside a word of the index. */
static uint8_t next_uses(const _Atomic uint64_t *at)
{
    uintptr_t line = (uintptr_t)at & ~(uintptr_t)(sizeof(lrd__bucket) - 1);
    const lrd__bucket *bucket = (const lrd__bucket *)line;
    uint8_t freq = atomic_load_explicit(&bucket->freq[at - bucket->word], memory_order_relaxed);
    return freq < LRD__FREQ_MAX ? freq : LRD__FREQ_MAX;
}

int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out)
{
    lrd__thread *self;
    next_candidate best;
    out->kind = LRD_KIND_NONE;
    if (lrd__segment_lost(store) != LRD__LOST_NOTHING)
        return LRD_END;
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    if (cursor->mask == 0)
        cursor->mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    uint64_t homes = lrd__bucket_at(store, cursor->mask, cursor->mask) + 1;
    while (cursor->home < homes) {
        if (self->usual == NULL &&
            (rc = lrd__vet_for_read(store, self,
                                    (uint32_t)cursor->home & (store->geo.shards - 1))) != LRD_OK) {
            lrd__leave(self);
            return rc;
        }
        rc = next_of_home(store, self, cursor, &best);
        if (rc == LRD_MISS) {
            cursor->home++;
            cursor->inside = false;
        }
        if (rc != LRD_OK)
            continue;
        cursor->inside = true;
        cursor->hash = best.hash;
        uint64_t offset = lrd__word_offset(best.word);
        if (lrd__block_live(store, lrd__block_at(store, offset))) {
            read_fill(store, offset, READ_NO_ENTRY,
                      store->listed ? LRD_KIND_BORROWED : LRD_KIND_HELD, out);
            cursor->uses = next_uses(best.at);
            lrd__leave(self);
            return LRD_OK;
        }
    }
    atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    lrd__leave(self);
    return LRD_END;
}
