/* hold.c - handles: holds borrowed values, releases values, and begins and ends a request. Begin
 * reading at lrd_release(). */
#include "ground/error.h"
#include "ground/place.h"
#include "memory/page.h"
#include "memory/zone.h"
#include "room/keylist.h"
#include "threads/thread.h"
#include "threads/read.h"

/* ---- ending holds that the host no longer needs ---- */

/* Return the address of a block's key, for lrd_held.from. The range must not begin at the block's
 * header: if the block is the first one, its header lies at the start of the data, and other
 * pointers of the host may point there. Only a pointer to this block can point to its key. */
static uintptr_t ledger_held_from(const lrd_store *store, uint64_t offset)
{
    lrd__assert_offset(store, offset);
    return (uintptr_t)lrd__block_key(lrd__block_at(store, offset));
}

size_t lrd_holds(lrd_store *store, lrd_held *out, size_t room)
{
    const lrd__thread *self = lrd__threads[store->id];
    size_t count = 0;
    if (lrd__segment_is_truncated(store))
        return 0;
    for (uint32_t entry = 1; self != NULL && entry < self->top; entry++) {
        uint64_t listed = self->holds[entry].listed;
        if (listed == 0 || (listed & LRD__RESERVED))
            continue;
        if (count < room) {
            uint64_t offset = lrd__listing_offset(listed);
            uintptr_t block = (uintptr_t)lrd__block_at(store, offset);
            out[count] = (lrd_held){.from = ledger_held_from(store, offset),
                                    .to = block + lrd__block_bytes(store, offset),
                                    .block = listed,
                                    .handle = entry,
                                    .type = lrd__block_at(store, offset)->type};
        }
        count++;
    }
    return count;
}

bool lrd_holds_limited(lrd_store *store, uint64_t *bytes)
{
    lrd__thread *self = lrd__threads[store->id];
    *bytes = self != NULL ? self->held_bytes : 0;
    if (self == NULL || !self->limited)
        return false;
    self->limited = false;
    /* If the limit caused a get to count a copy, subtract this copy again. */
    if (self->limited_copy)
        lrd__add(&self->slot->copies, (uint64_t)-1);
    self->limited_copy = false;
    return true;
}

LRD__HOT void lrd_holds_limit(lrd_store *store, uint64_t bytes)
{
    lrd__thread *self;
    if (lrd__enter(store, &self) != LRD_OK)
        return;
    self->holds_most = bytes;
    lrd__leave(self);
}

/* Move the remaining holds to the lowest ledger entries, so that new holds go above them. */
static void ledger_compact(lrd__thread *self)
{
    lrd__assert_thread(self);
    _Atomic uint64_t *ledger = self->slot->ledger;
    uint32_t to = 1, count = 0, old = self->top;
    for (uint32_t from = self->top - 1; from > to; from--) {
        lrd__hold *hold = self->holds + from;
        /* Do not move the ledger entry of a value under construction. The caller's lrd_reservation
         * has the number of this ledger entry. */
        if (hold->listed == 0 || (hold->listed & LRD__RESERVED))
            continue;
        while (to < from && self->holds[to].listed != 0)
            to++;
        if (to == from)
            break;
        atomic_store_explicit(&ledger[to], hold->listed, memory_order_release);
        self->holds[to] = *hold;
        hold->listed = 0;
        count++;
    }
    /* Announce the moves, so that a running scan begins again. Otherwise the scan could miss a
     * moved hold: it may have read the new ledger entry before the move, and may read the old one
     * only after it is cleared. */
    if (count != 0)
        atomic_fetch_add_explicit(&self->store->header->handovers, 1, memory_order_seq_cst);
    for (uint32_t entry = 1; entry < old && count != 0; entry++)
        if (self->holds[entry].listed == 0 &&
            atomic_load_explicit(&ledger[entry], memory_order_relaxed) != 0) {
            atomic_store_explicit(&ledger[entry], 0, memory_order_release);
            count--;
        }
    while (self->top > 1 && self->holds[self->top - 1].listed == 0)
        self->top--;
    self->free = self->freed = 0;
    for (uint32_t entry = self->top - 1; entry >= 1; entry--) {
        if (self->holds[entry].listed != 0)
            continue;
        self->holds[entry].next = self->free;
        self->free = entry;
        self->freed++;
    }
    /* Clear the ledger entry at the old top: it may list a block that a get with LRD_GET_PLAIN has
     * borrowed. */
    if (self->top < old && old < self->n)
        atomic_store_explicit(&ledger[old], 0, memory_order_release);
    /* Lower `n` last: a scan that loads the new `n` must see the moves and the new `handovers`. */
    if (self->n > self->top) {
        self->n = self->top;
        atomic_store_explicit(&self->slot->n, self->n, memory_order_release);
    }
    self->untidy = true;
    lrd__wide_anew(self);
    if (self->top == 1)
        lrd__ledger_idle(self);
}

/* Record the windows of the zone (zone.c) that this thread's remaining holds occupy. All other
 * windows are no longer recorded. */
static void ledger_unbar(lrd__thread *self)
{
    lrd__assert_thread(self);
    uint32_t windows = 0;
    if (self->zone_held == 0)
        return;
    for (uint32_t entry = 1; entry < self->top; entry++) {
        uint64_t listed = self->holds[entry].listed;
        uint64_t offset = lrd__listing_offset(listed);
        if (listed != 0 && !(listed & LRD__RESERVED))
            windows |=
                lrd__zone_windows(self->store, offset, lrd__block_bytes(self->store, offset));
    }
    lrd__zone_rebar(self, windows & self->zone_held);
}

size_t lrd_holds_end(lrd_store *store, const lrd_held *holds, size_t count)
{
    lrd__thread *self;
    size_t ended = 0;
    if (lrd__segment_is_truncated(store) || lrd__enter(store, &self) != LRD_OK)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const lrd_held *held = holds + i;
        uint64_t offset = lrd__listing_offset(held->block);
        if (held->used || held->handle == 0 || held->handle >= self->top ||
            self->holds[held->handle].listed != held->block ||
            ledger_held_from(store, offset) != held->from)
            continue; /* the block is in another store, or this thread no longer holds it */
        /* release: pairs with the acquire load of a scan, so the block is reused only after this
         * thread's last read */
        atomic_store_explicit(&self->slot->ledger[held->handle], 0, memory_order_release);
        self->held_bytes -= self->holds[held->handle].bytes;
        self->holds[held->handle].listed = 0;
        ended++;
    }
    if (ended != 0) {
        ledger_compact(self);
        ledger_unbar(self);
        if (self->top > 1)
            lrd__quota_shrink(self);
    }
    if (self->request_until != 0) {
        self->request_until = lrd__clock_monotonic_ms() + LRD__REQUEST_MS;
        lrd__ledger_fast(self);
    } else {
        lrd__ledger_limit(self);
    }
    lrd__leave(self);
    return ended;
}

void lrd_count_unpack(lrd_store *store)
{
    const lrd__thread *self = lrd__threads[store->id];
    if (self != NULL && self->slot != NULL)
        lrd__add(&self->slot->unpacks, 1);
}

void lrd_count_miss(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL)
        return;
    lrd__add(&self->slot->hits, (uint64_t)-1);
    lrd__add(&self->slot->misses, 1);
}

/* ---- handles ---- */

/* True if this thread has the handle: the ledger entry with the handle's number lists the block. */
static inline bool read_owns(const lrd__thread *self, const lrd_value *value)
{
    return value->handle <= LRD_HOLDS_MAX && self->holds[value->handle].listed == value->block;
}

/* True if this thread's spare ledger entry lists the value. */
static bool read_is_spare(const lrd__thread *self, const lrd_value *value)
{
    lrd__assert_thread(self);
    return value->kind == LRD_KIND_BORROWED &&
           atomic_load_explicit(&self->slot->spare, memory_order_relaxed) == value->block;
}

/* Hold or copy a block. Until this function returns, another slot or this thread's spare ledger
 * entry lists the block, so it is not freed. */
static int read_hold_other(lrd_store *store, lrd__thread *self, const lrd_value *value,
                           lrd_value *out)
{
    lrd__assert_thread(self);
    const lrd__block *listed = lrd__block_at(store, lrd__listing_offset(value->block));
    lrd__read_found found = {
        .offset = lrd__listing_offset(value->block),
        .hash = lrd__hash(store, lrd__block_key(listed), lrd__block_key_len(listed))};
    bool is_listed = lrd__read_enter(self, &found);
    if (is_listed) {
        /* the earlier listing protects the block, so the index word need not be loaded again */
        if (found.fresh)
            lrd__ledger_store(self, found.entry, lrd__listing(found.offset));
        /* The hold moves from another slot to this one. Announce the move while both slots list the
         * block, so that a running scan begins again. A move from this thread's spare entry needs
         * no announcement. */
        if (!read_is_spare(self, value))
            atomic_fetch_add_explicit(&store->header->handovers, 1, memory_order_seq_cst);
        if (!found.fresh ||
            lrd__read_may_hold(self, found.entry, lrd__block_at(store, found.offset))) {
            *lrd__ledger_cached(self, found.hash, lrd__listing(found.offset)) =
                (uint16_t)found.entry;
            if (found.fresh)
                self->holds[found.entry].count = 0;
            lrd__hold_again(self->holds + found.entry);
            lrd__read_fill(store, found.offset, found.entry, LRD_KIND_HELD, out);
            return LRD_OK;
        }
    }
    out->data = lrd__read_copy_out(value);
    /* Copy before clearing the listing: a value borrowed at ledger entry `top` has no other
     * listing. */
    if (is_listed)
        lrd__read_unlist(self, LRD__READ_HOLD, &found);
    if (out->data == NULL) {
        out->kind = LRD_KIND_NONE;
        return LRD_ENOMEM;
    }
    /* Clear limited_now. Otherwise this copy would be counted as one that the limit has caused, and
     * lrd_holds_limited() would subtract it. */
    self->limited_now = false;
    lrd__ledger_count_copy(self);
    out->kind = LRD_KIND_COPY;
    return LRD_OK;
}

int lrd_hold(lrd_store *store, const lrd_value *value, lrd_value *out)
{
    lrd__thread *self;
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return lrd__fail(LRD_ESTATE, "value is not held or borrowed (kind %d)", value->kind);
    *out = *value;
    if (value->kind == LRD_KIND_HELD && value->handle == LRD__NO_ENTRY)
        return LRD_OK; /* values of an immutable store need no listing */
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

static __attribute__((noinline, hot)) int read_release(lrd__thread *self, lrd_value *value)
{
    lrd_kind kind = (lrd_kind)value->kind;
    if (kind == LRD_KIND_HELD && value->handle != LRD__NO_ENTRY)
        return lrd__fail(LRD_ESTATE, "the handle is not one of this thread's");
    if (kind == LRD_KIND_COPY) {
        free((void *)(uintptr_t)value->data);
    } else if (kind == LRD_KIND_BORROWED && self != NULL && self->slot != NULL) {
        if (atomic_load_explicit(&self->slot->spare, memory_order_relaxed) == value->block)
            atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
        /* a get with LRD_GET_PLAIN may have listed this block at `top`: clear this listing, too */
        if (self->top < self->room && atomic_load_explicit(&self->slot->ledger[self->top],
                                                           memory_order_relaxed) == value->block)
            atomic_store_explicit(&self->slot->ledger[self->top], 0, memory_order_release);
    }
    value->kind = LRD_KIND_NONE;
    return LRD_OK;
}

LRD__HOT int lrd_release(lrd_store *store, lrd_value *value)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect(value->kind != LRD_KIND_HELD || self == NULL || !read_owns(self, value),
                         0))
        return read_release(self, value);
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
    /* The machine may have been suspended since the last write, so correct the clock's offset. Once
     * per tick of the coarse clock is enough. */
    uint64_t now = lrd__clock_coarse();
    if (now != self->begun)
        lrd__clock_refresh(store);
    self->begun = now;
    self->request_until = now + LRD__REQUEST_MS;
    if (__builtin_expect(self->keylocks.left != 0, 0))
        lrd__keylock_end_left(self);
    lrd__near_expect(store, self);
    /* Turn on the fast path. An earlier request may have turned it off, because it lasted longer
     * than LRD__REQUEST_MS. */
    lrd__ledger_fast(self);
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
    (void)lrd__segment_look(store); /* check the file before the first write to the slot */
    lrd__ledger_clear(self);
    self->request_until = 0;
    lrd__ledger_fast(self);
    int rc = LRD_OK;
    if (self->keylocks.used != 0 && lrd__segment_lost(store) == LRD__LOST_NOTHING)
        rc = lrd__keylock_end_all(self);
    if (self->guarded != 0)
        lrd__guards_check(self);
    return rc;
}

size_t lrd_locks_end(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL || self->keylocks.used == 0)
        return 0;
    (void)lrd__segment_look(store); /* check the file before the first use of a shard */
    if (lrd__enter(store, &self) != LRD_OK)
        return 0;
    if (self->keylocks.left != 0)
        /* End the reservations that the host has unlocked but whose shards were busy. They do not
         * count in the result. */
        lrd__keylock_end_left(self);
    uint32_t before = self->keylocks.used;
    if (lrd__segment_lost(store) == LRD__LOST_NOTHING)
        (void)lrd__keylock_end_all(self);
    lrd__leave(self);
    return before - self->keylocks.used;
}

LRD__HOT int lrd_value_entry(lrd_store *store, const lrd_value *value, lrd_entry *out)
{
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return lrd__fail(LRD_ESTATE, "value is not held or borrowed (kind %d)", value->kind);
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(value->block));
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    uint64_t now = expiry != 0 ? lrd__now(store) : 0;
    out->key = lrd__block_key(block);
    out->key_len = lrd__block_key_len(block);
    out->version = block->version;
    out->age_ms = lrd__block_age(store, block);
    out->ttl_ms = expiry == 0 ? 0 : expiry > now ? expiry - now : 1;
    return LRD_OK;
}

LRD__HOT bool lrd_contains(const lrd_store *store, const void *pointer)
{
    return (uintptr_t)pointer - (uintptr_t)store->data < store->geo.data_size;
}
