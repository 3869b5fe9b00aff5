/* read.c - finds an entry without a lock, lists its block in the thread's ledger, and returns a
 * pointer to the value. A read stores only to the thread's own slot and to the entry's use count.
 * get.c has a fast path. Begin reading at lrd__read_find(), beside the table at the head of
 * ledger.c.
 *
 * Invariants
 * - A block, even its key, is read only after two steps: the thread has listed the block, and has
 *   then loaded its index word again and found it unchanged.
 * - In an immutable store, a published block is never freed, so reads list no blocks.
 * - Only vetted shards are searched (vet.c). A thread calls lrd__vet_for_read() before each search,
 *   until it knows that all shards are vetted: then its field `usual` is not NULL. */
#include "threads/read.h"
#include "ground/error.h"
#include "memory/zone.h"
#include "entries/index.h"
#include "locks/lock.h"
#include "locks/vetting.h"
#include "threads/thread.h"

/* Each kind of protection (lrd__read_protection) gets its own inlined copy of the search. */
#define READ_INLINE inline __attribute__((always_inline))

/* for control tests: length of the wait between two steps of a read; see lrd__control_gap() */
#define READ_CONTROL_GAP 100000

/* Load the index word again too early, before this thread lists the block. A processor may do so if
 * there is no barrier. This is a deliberate fault, which a control test must detect. */
static uint64_t read_control_early(_Atomic uint64_t *word)
{
    uint64_t again = atomic_load_explicit(word, memory_order_acquire);
    lrd__control_gap(READ_CONTROL_GAP);
    return again;
}

/* True if this thread already lists the block. Sets *entry to the ledger entry. */
static inline bool read_is_listed(lrd__thread *self, uint64_t hash, uint64_t listing,
                                  uint32_t *entry)
{
    lrd__assert_thread(self);
    uint16_t *cached = lrd__ledger_cached(self, hash, listing);
    *entry = *cached;
    if (self->holds[*entry].listed == listing)
        return true;
    if (__builtin_expect(!self->is_wide, 1))
        return false;
    *entry = lrd__wide_find(self, listing);
    if (*entry != 0)
        *cached = (uint16_t)*entry;
    return *entry != 0;
}

READ_INLINE bool lrd__read_enter(lrd__thread *self, lrd__read_found *found)
{
    lrd__assert_thread(self);
    uint64_t listing = lrd__listing(found->offset);
    found->fresh = !read_is_listed(self, found->hash, listing, &found->entry);
    if (found->fresh)
        found->entry = lrd__ledger_enter(self, listing, LRD__RESERVATION_ENTRIES);
    return found->entry != 0;
}

READ_INLINE void lrd__read_unlist(lrd__thread *self, enum lrd__read_protection protection,
                                  const lrd__read_found *found)
{
    lrd__assert_thread(self);
    if (protection == LRD__READ_SPARE)
        atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    else if (protection == LRD__READ_HOLD && found->fresh)
        lrd__ledger_drop(self, found->entry);
}

/* Protect the block that an index word names, and compare the block's key. The word has the tag of
 * the wanted key. Returns LRD_OK, READ_FULL, or LRD_MISS if the block has another key or the word
 * has changed. */
static READ_INLINE int read_candidate(lrd_store *store, lrd__thread *self, _Atomic uint64_t *word,
                                      uint64_t loaded, enum lrd__read_protection protection,
                                      const void *key, size_t key_len, lrd__read_found *found)
{
    lrd__assert_thread(self);
    uint64_t want = loaded >> 36;
    for (;;) {
        found->offset = lrd__word_offset(loaded);
        found->fresh = protection == LRD__READ_SPARE;
        if (protection == LRD__READ_HOLD && !lrd__read_enter(self, found))
            return READ_FULL;
        /* List the block, and load the index word again: a writer may have freed the block before
         * this thread listed it. */
        if (protection != LRD__READ_BARE && found->fresh) {
            if (LRD__CONTROL(hand_out_first))
                lrd__control_gap(READ_CONTROL_GAP);
            bool early = LRD__CONTROL(no_barrier) && !store->fence;
            uint64_t before = 0;
            if (early)
                before = read_control_early(word);
            uint64_t again = lrd__protect(self, protection == LRD__READ_SPARE, found->entry,
                                          lrd__listing(found->offset), word, store->fence);
            again = early ? before : again;
            if (__builtin_expect(again != loaded, 0) && !LRD__CONTROL(hand_out_first)) {
                lrd__read_unlist(self, protection, found);
                loaded = again;
                if (loaded >> 36 != want)
                    return LRD_MISS;
                continue;
            }
        }
        if (__builtin_expect(lrd__block_has_key(lrd__block_at(store, found->offset), key, key_len),
                             1))
            return LRD_OK;
        lrd__read_unlist(self, protection, found);
        return LRD_MISS;
    }
}

/* Search for the key in the buckets from its home on, and protect its block. Returns LRD_OK,
 * LRD_MISS or READ_FULL. */
static READ_INLINE int read_find_at(lrd_store *store, lrd__thread *self, const void *key,
                                    size_t key_len, enum lrd__read_protection protection,
                                    uint64_t home, lrd__read_found *found)
{
    lrd__assert_thread(self);
    uint64_t want = lrd__hash_mark(found->hash);
    lrd__bucket *bucket = store->buckets + home;
    for (uint32_t d = 0; d < LRD__PROBES; d++, want++) {
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            /* acquire: pairs with the release store that published the word, so the block is
             * complete */
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

/* Search for the key at its new home, after a miss at its old home in a growing index. If this
 * returns LRD__READ_AGAIN, the caller must begin the search again. */
static __attribute__((noinline)) LRD__HOT int read_find_new(lrd_store *store, lrd__thread *self,
                                                            const void *key, size_t key_len,
                                                            enum lrd__read_protection protection,
                                                            uint64_t mask, lrd__read_found *found)
{
    lrd__assert_thread(self);
    const lrd__view *view = store->view;
    uint64_t next = atomic_load_explicit(&view->next, memory_order_acquire);
    uint32_t grown = atomic_load_explicit(&view->grown, memory_order_acquire);
    uint64_t home = lrd__bucket_at(store, found->hash, next);
    int rc = LRD_MISS;
    if (next != (mask << 1 | 1))
        return LRD__READ_AGAIN;
    if (home != lrd__bucket_at(store, found->hash, mask) && home < grown)
        rc = read_find_at(store, self, key, key_len, protection, home, found);
    if (rc != LRD_MISS)
        return rc;
    /* if `next`, `mask` or `grown` has changed, the entry may have moved during this search */
    bool same = atomic_load_explicit(&view->next, memory_order_acquire) == next &&
                atomic_load_explicit(&view->mask, memory_order_acquire) == mask &&
                (home < grown || home >= atomic_load_explicit(&view->grown, memory_order_acquire));
    return same ? LRD_MISS : LRD__READ_AGAIN;
}

READ_INLINE int lrd__read_find(lrd_store *store, lrd__thread *self, const void *key, size_t key_len,
                               enum lrd__read_protection protection, lrd__read_found *found)
{
    lrd__assert_thread(self);
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
        /* Load `next` after the index words: if it equals `mask`, no entry has moved, so a miss is
         * final. Pairs with the stores in grow.c. */
        if (__builtin_expect(rc != LRD_MISS || atomic_load_explicit(&store->view->next,
                                                                    memory_order_acquire) == mask,
                             1))
            return rc;
        rc = read_find_new(store, self, key, key_len, protection, mask, found);
        if (rc != LRD__READ_AGAIN)
            return rc;
    }
}

void *lrd__read_copy_out(const lrd_value *value)
{
    void *copy = malloc(value->size != 0 ? value->size : 1);
    if (copy == NULL) {
        lrd__fail(LRD_ENOMEM, "a private copy of %zu bytes", value->size);
        return NULL;
    }
    return memcpy(copy, value->data, value->size);
}

/* Do a get that must not hold the value. Borrows the value if `flags` allow that, otherwise returns
 * a copy. */
static __attribute__((noinline, hot)) int read_unheld(lrd_store *store, lrd__thread *self,
                                                      const void *key, size_t key_len,
                                                      unsigned flags, lrd__read_found *found,
                                                      lrd_value *out)
{
    lrd__assert_thread(self);
    int rc = lrd__read_find(store, self, key, key_len, LRD__READ_SPARE, found);
    if (rc != LRD_OK)
        return rc;
    if (!lrd__block_live(store, lrd__block_at(store, found->offset))) {
        lrd__read_unlist(self, LRD__READ_SPARE, found);
        return LRD_MISS;
    }
    lrd__read_fill(store, found->offset, LRD__NO_ENTRY, LRD_KIND_BORROWED, out);
    if ((flags & LRD_GET_BORROW) || ((flags & LRD_GET_PLAIN) && out->type >= LRD_TYPE_PLAIN)) {
        self->limited_now = false;
        return LRD_OK;
    }
    lrd__ledger_count_copy(self);
    if (flags & LRD_GET_NO_COPY)
        return LRD_OK;
    void *data = lrd__read_copy_out(out);
    lrd__read_unlist(self, LRD__READ_SPARE, found);
    if (data == NULL) {
        out->kind = LRD_KIND_NONE;
        return LRD_ENOMEM;
    }
    out->data = data;
    out->kind = LRD_KIND_COPY;
    return LRD_OK;
}

/* Read from an immutable store, whose blocks are never freed and need no protection. */
static __attribute__((noinline)) int read_bare(lrd_store *store, lrd__thread *self, const void *key,
                                               size_t key_len, lrd__read_found *found,
                                               lrd_value *out)
{
    lrd__assert_thread(self);
    int rc = lrd__read_find(store, self, key, key_len, LRD__READ_BARE, found);
    if (rc == LRD_OK && !lrd__block_live(store, lrd__block_at(store, found->offset)))
        rc = LRD_MISS;
    if (rc == LRD_OK)
        lrd__read_fill(store, found->offset, LRD__NO_ENTRY, LRD_KIND_HELD, out);
    return rc;
}

READ_INLINE bool lrd__read_may_hold(lrd__thread *self, uint32_t entry, const lrd__block *block)
{
    lrd__assert(entry <= LRD_HOLDS_MAX);
    lrd__assert_thread(self);
    uint64_t bytes = lrd__block_start(block) + lrd__block_size(block);
    uint64_t offset = (uint64_t)((const uint8_t *)block - self->store->data);
    if (!lrd__request_may_hold(self))
        return false;
    /* Take the quota first, and then the windows of the zone. If the zone refuses, the caller drops
     * the ledger entry and so gives the quota back. In the other order, the windows would stay
     * taken. */
    return (lrd__quota_take(self, entry, bytes) ||
            (lrd__quota_notice(self->store) && lrd__quota_take(self, entry, bytes))) &&
           (!lrd__zone_near(self, (uintptr_t)block, bytes) ||
            lrd__zone_take(self, offset, bytes, false));
}

/* Find the value and hold it. Returns READ_FULL if the thread may not hold the value, or if a
 * borrow is enough. After READ_FULL, no ledger entry lists the block. */
static READ_INLINE int read_held(lrd_store *store, lrd__thread *self, const void *key,
                                 size_t key_len, unsigned flags, lrd__read_found *found,
                                 lrd_value *out)
{
    lrd__assert_thread(self);
    int rc = lrd__read_find(store, self, key, key_len, LRD__READ_HOLD, found);
    if (__builtin_expect(rc != LRD_OK, 0))
        return rc;
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (__builtin_expect(!lrd__block_live(store, block), 0)) {
        lrd__read_unlist(self, LRD__READ_HOLD, found);
        return LRD_MISS;
    }
    if (found->fresh) {
        bool borrow = (flags & LRD_GET_PLAIN) && block->type >= LRD_TYPE_PLAIN &&
                      lrd__ledger_live(self) > LRD_PLAIN_HOLDS;
        if (__builtin_expect(borrow || !lrd__read_may_hold(self, found->entry, block), 0)) {
            lrd__read_unlist(self, LRD__READ_HOLD, found);
            return READ_FULL;
        }
        *lrd__ledger_cached(self, found->hash, lrd__listing(found->offset)) =
            (uint16_t)found->entry;
        self->holds[found->entry].count = 0;
    }
    lrd__hold_again(self->holds + found->entry);
    lrd__read_fill(store, found->offset, found->entry, LRD_KIND_HELD, out);
    return LRD_OK;
}

static READ_INLINE int read_value(lrd_store *store, lrd__thread *self, const void *key,
                                  size_t key_len, unsigned flags, lrd__read_found *found,
                                  lrd_value *out)
{
    lrd__assert_thread(self);
    if (__builtin_expect(!store->listed, 0))
        return read_bare(store, self, key, key_len, found, out);
    if (flags & LRD_GET_BORROW)
        return read_unheld(store, self, key, key_len, LRD_GET_BORROW, found, out);
    int rc = read_held(store, self, key, key_len, flags, found, out);
    if (__builtin_expect(rc == READ_FULL, 0))
        rc = read_unheld(store, self, key, key_len, flags, found, out);
    return rc;
}

/* Do a get for a thread without a slot: copy the value under the shard's lock. */
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
        lrd__read_fill(store, offset, LRD__NO_ENTRY, LRD_KIND_COPY, out);
        if (room != NULL && out->size <= room_size) {
            memcpy(room, out->data, out->size);
            lrd__shard_unlock(store, place.shard_index);
            out->data = room;
            return LRD_OK;
        }
        lrd__shard_unlock(store, place.shard_index); /* release the lock before allocating memory */
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
    if (rc == LRD_EKEY)
        return rc;
    /* A value may contain pointers into its own block. A copy of the value does not protect this
     * block. So a get with LRD_GET_NO_COPY gets no copy. */
    bool is_copied = rc == LRD_ENOSLOT || rc == LRD_ETRUNCATED;
    return is_copied && !(flags & LRD_GET_NO_COPY) ? read_locked(store, key, key_len, out) : rc;
}

LRD__HOT int lrd__read_general(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                               lrd_value *out)
{
    lrd__thread *self;
    lrd__read_found found;
    out->kind = LRD_KIND_NONE;
    int rc = lrd__key_check(key_len);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
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
