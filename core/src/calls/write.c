/* write.c - the calls that write: reserve, publish, put, delete, take, touch, clear.
 *
 * Invariants
 * - A value of more than 2 KiB is built outside of any lock. A smaller value may be written under
 *   the lock, by an lrd_fill function. The function must only write the value.
 * - A call that does not return LRD_OK has changed no entry, except by eviction.
 * - Entries that lrd_clear() has hidden leave the index before their epoch is used again.
 *   lrd_clear() itself only changes the epoch. */
#include "calls/write.h"
#include "ground/error.h"
#include "ground/copy.h"
#include "ground/futex.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/index.h"
#include "entries/evict.h"
#include "entries/expiry.h"
#include "entries/form.h"
#include "entries/entry.h"
#include "entries/grow.h"
#include "locks/lock.h"
#include "room/order.h"
#include "room/room.h"
#include "threads/thread.h"
#include "threads/build.h"

#include <limits.h>

#define WRITE_WHEEL_BUDGET 8u /* maximum number of steps of the timing wheel in each write */
/* maximum number of steps of the timing wheel in a write that finds the index full */
#define WRITE_WHEEL_FULL 4096u
#define WRITE_FILL_LOCKED 2048u /* maximum size in bytes of values written under the lock */
/* number of further attempts of a write if the file system is full */
#define WRITE_TRIES 4
/* maximum number of home buckets that a write splits for another shard */
#define WRITE_SPLITS 8u

static int write_type_check(uint8_t type, size_t size)
{
    if (type == LRD_TYPE_COUNTER && size != sizeof(int64_t))
        return lrd__fail(LRD_EINVAL, "a counter has %zu bytes, not %zu", sizeof(int64_t), size);
    return LRD_OK;
}

static int write_entries_check(const lrd_store *store)
{
    if (store->queues != NULL)
        return lrd__fail(LRD_EPOLICY, "a store of queues has no entries");
    return LRD_OK;
}

LRD__HOT void lrd__write_help_grow(lrd_store *store, lrd__thread *self, uint32_t shard)
{
    uint32_t other = lrd__grow_end(store, shard + 1);
    if (other >= store->geo.shards || lrd__shard_try(store, self, other) != LRD_OK)
        return;
    lrd__entry_sync(store, other);
    bool done = lrd__grow_some(store, other, WRITE_SPLITS);
    lrd__shard_unlock(store, other);
    if (done)
        lrd__grow_end(store, other);
}

/* Return the size of the block for a key and a value, or 0 if the value is too large. */
static uint64_t write_block_bytes(const lrd_store *store, size_t key_len, size_t size)
{
    uint64_t bytes;
    if (__builtin_add_overflow((uint64_t)size, lrd__value_start(key_len, size), &bytes) ||
        size > store->geo.size / 2)
        return 0;
    return bytes;
}

int lrd_refusal_of(lrd_store *store, int code)
{
    lrd_refusal cause = lrd__write_refusal(lrd__threads[store->id], code);
    return cause != LRD_REFUSALS ? (int)cause : -1;
}

/* Lock the key's shard, and do a write's chores: split a few buckets of a growing index, and remove
 * a few expired or dead entries. */
static LRD__STEP int write_begin(lrd_store *store, lrd__thread *self, const lrd__place *place)
{
    lrd__assert(place->shard == store->shards + place->shard_index);
    lrd__assert_thread(self);
    uint32_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    lrd__prefetch_write(lrd__bucket_of(store, place->shard_index, home));
    int rc = lrd__shard_lock(store, self, place->shard_index);
    if (rc != LRD_OK)
        return rc;
    lrd__entry_sync(store, place->shard_index);
    if (lrd__grow_pending(store))
        lrd__grow(store, place->shard_index, false);
    lrd__room_expire(store, place->shard_index, WRITE_WHEEL_BUDGET);
    if (lrd__shard_dead(place->shard) != 0)
        lrd__room_sweep_dead(store, place->shard_index, 1);
    return LRD_OK;
}

/* ---- reserve ---- */

/* Find room for a value. Call lrd__write_chores() first. After LRD_OK, the shard of *place is
 * locked. If `entry` is not NULL, *entry is the ledger entry that lists the block. */
static LRD__STEP int write_room(lrd_store *store, lrd__thread *self, const lrd__place *place,
                                size_t key_len, size_t size, uint64_t *offset, uint32_t *entry)
{
    lrd__assert_thread(self);
    uint64_t bytes = write_block_bytes(store, key_len, size);
    bool locked = true;
    if (bytes == 0)
        return lrd__fail(LRD_ESIZE, "%zu bytes, at most %llu", size,
                         (unsigned long long)store->geo.size / 2);
    int rc = write_begin(store, self, place);
    if (rc != LRD_OK)
        return rc;
    self->written += key_len + size;
    rc = lrd__room_make(store, self, place->shard_index, bytes, offset, entry, &locked);
    if (__builtin_expect(rc != LRD_OK, 0) && locked)
        lrd__shard_unlock(store, place->shard_index);
    return rc;
}

/* Reserve room. Sets *place even if it fails. After LRD_OK, the shard of *place is locked. */
LRD__HOT static int write_reserve_locked(lrd_store *store, lrd__thread *self, const void *key,
                                         size_t key_len, size_t size, lrd__place *place,
                                         lrd_reservation *out)
{
    uint64_t start = lrd__value_start(key_len, size), offset;
    uint32_t entry;
    *place = lrd__place_of(store, key, key_len);
    int rc = lrd__write_chores(store, self, lrd__clock_coarse());
    if (rc == LRD_OK)
        rc = write_room(store, self, place, key_len, size, &offset, &entry);
    if (rc != LRD_OK)
        return rc;
    /* no index word names the block, so only this thread uses it */
    out->build = store->window + offset + start;
    out->data = store->data + offset + start;
    out->size = size;
    out->serial = self->holds[entry].serial;
    out->handle = entry;
    /* Let lrd_copy() bypass the caches if they probably do not contain the block: the shard has
     * evicted entries, and the key is new. */
    if (start + size > LRD__COPY_AROUND)
        lrd__copy_cold = store->evicts &&
                         atomic_load_explicit(&place->shard->evicted, memory_order_relaxed) != 0 &&
                         lrd__index_find(store, place, key, key_len) == LRD__NO_SLOT;
    return LRD_OK;
}

/* Write the header of a block under construction, whose memory is committed. */
LRD__HOT static void write_head(lrd_store *store, uint64_t offset, const void *key, size_t key_len,
                                uint8_t type, uint64_t size)
{
    lrd__assert_offset(store, offset);
    lrd__block *block = lrd__block_window(store, offset);
    uint8_t *start = (uint8_t *)block;
    atomic_store_explicit(&block->expiry, 0, memory_order_relaxed);
    block->version = 0;
    block->epoch = 0;
    block->type = type;
    if (!lrd__block_wants_long(key_len, size)) {
        block->size = (uint32_t)size;
        block->key_len = (uint8_t)key_len;
        memcpy(start + LRD__BLOCK_KEY, key, key_len);
        return;
    }
    block->size = 0;
    block->key_len = 0;
    block->long_key_len = (uint16_t)key_len;
    block->long_pad = 0;
    memcpy(start + LRD__BLOCK_LONG_SIZE, &size, sizeof size);
    memcpy(start + LRD__BLOCK_LONG_KEY, key, key_len);
}

/* If a large part of the reserved run was never touched, map and clear this part with one system
 * call. This is faster than a page fault for each page. */
static inline int write_populate(lrd_store *store, lrd__thread *self, uint64_t from, uint64_t bytes)
{
    lrd__assert_thread(self);
    uint64_t bare = self->bare;
    self->bare = UINT64_MAX;
    if (__builtin_expect(bare - from < bytes && from + bytes - bare >= 2 * LRD__PART, 0))
        return lrd__segment_populate(store, bare, from + bytes - bare);
    return LRD_OK;
}

LRD__HOT static int write_reserve(lrd_store *store, lrd__thread *self, const void *key,
                                  size_t key_len, size_t size, uint8_t type, lrd_reservation *out)
{
    lrd__place place;
    uint64_t start = lrd__value_start(key_len, size), bytes = start + size, offset;
    for (int tries = 0;; tries++) {
        int rc = write_reserve_locked(store, self, key, key_len, size, &place, out);
        if (rc != LRD_OK)
            return lrd__write_refused(place.shard, self, rc);
        lrd__shard_unlock(store, place.shard_index);
        offset = (uint64_t)((const uint8_t *)out->data - store->data) - start;
        rc = bytes > LRD__COMMIT_LOCKED ? lrd__arena_commit(store, offset, bytes)
                                        : write_populate(store, self, offset, bytes);
        if (rc == LRD_OK)
            break;
        /* if the file system is full, try again: the next attempts use only committed memory */
        lrd__write_cancel(self, out->handle);
        if (rc != LRD_ENOSPC || tries == WRITE_TRIES)
            return lrd__write_refused(place.shard, self, rc);
    }
    lrd__segment_touch(store, offset, bytes);
    write_head(store, offset, key, key_len, type, size);
    return LRD_OK;
}

/* Reserve room as lrd_reserve() does, without counting LRD_ENOSLOT and LRD_EREENTRY as refused
 * writes. */
LRD__HOT static int write_open(lrd_store *store, const void *key, size_t key_len, size_t size,
                               uint8_t type, lrd_reservation *out)
{
    lrd__thread *self = NULL;
    memset(out, 0, sizeof *out);
    int rc = lrd__key_check(key_len);
    if (rc != LRD_OK)
        return rc;
    rc = write_type_check(type, size);
    if (rc == LRD_OK)
        /* refuse a store of queues, which would mistake the new block for the body of a message */
        rc = write_entries_check(store);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = write_reserve(store, self, key, key_len, size, type, out);
    lrd__leave(self);
    return rc;
}

LRD__HOT int lrd_reserve(lrd_store *store, const void *key, size_t key_len, size_t size,
                         uint8_t type, lrd_reservation *out)
{
    int rc = write_open(store, key, key_len, size, type, out);
    return __builtin_expect(rc == LRD_ENOSLOT, 0) ? lrd__write_refused_key(store, key, key_len, rc)
                                                  : rc;
}

/* ---- publish ---- */

/* Check whether the mode allows publishing the value; `slot` is the key's slot, or LRD__NO_SLOT.
 * Returns LRD_OK, or the code that lrd_put() returns. */
static inline int write_allowed(const lrd_store *store, const lrd__place *place, uint32_t slot,
                                lrd_mode mode, uint64_t version)
{
    lrd__assert(place->shard == store->shards + place->shard_index);
    if (__builtin_expect(mode == LRD_SET, 1))
        return LRD_OK;
    const lrd__block *block = NULL;
    if (slot != LRD__NO_SLOT)
        block = lrd__block_window(store, lrd__slot_offset(store, place->shard_index, slot));
    bool found = block != NULL && lrd__block_live_here(store, place->shard, block);
    if (mode == LRD_ADD)
        return found ? LRD_EXISTS : LRD_OK;
    if (!found)
        return LRD_MISS;
    if (block->type == LRD_TYPE_COUNTER)
        return lrd__fail(LRD_ETYPE, "a counter has no version");
    if (LRD__CONTROL(any_form) && mode == LRD_REFORM)
        return LRD_OK;
    return block->version == version ? LRD_OK : LRD_STALE;
}

/* True if the entry in slot `a` has a lower use count than the entry in slot `b`. If the counts are
 * equal, true if the entry in slot `a` is older. The age of a counter is 0. */
static bool write_is_colder(const lrd_store *store, uint32_t index, uint32_t a, uint32_t b)
{
    uint8_t uses = atomic_load_explicit(lrd__index_freq(store, index, a), memory_order_relaxed);
    uint8_t other = atomic_load_explicit(lrd__index_freq(store, index, b), memory_order_relaxed);
    if (uses != other)
        return uses < other;
    return lrd__block_age(store, lrd__block_window(store, lrd__slot_offset(store, index, a))) >
           lrd__block_age(store, lrd__block_window(store, lrd__slot_offset(store, index, b)));
}

/* Find an index slot for a new key. If none is free and the policy evicts, evict a cold entry. */
static uint32_t write_vacancy(lrd_store *store, const lrd__place *place)
{
    lrd__assert(place->shard == store->shards + place->shard_index);
    uint32_t index = place->shard_index;
    lrd__grow(store, index, true);
    uint32_t slot = lrd__index_vacant(store, place);
    if (slot != LRD__NO_SLOT)
        return slot;
    uint32_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    slot = lrd__grow_make_room(store, index, home);
    if (slot != LRD__NO_SLOT)
        return slot;
    lrd__room_sweep_dead(store, index, lrd__batch_bytes(store));
    lrd__room_expire(store, index, WRITE_WHEEL_FULL);
    slot = lrd__index_vacant(store, place);
    if (slot != LRD__NO_SLOT || !store->evicts)
        return slot;
    /* All 16 buckets that the key may use are full, so evict the least used entry of the home
     * bucket. Among equally used entries, take the oldest. */
    uint32_t coldest = home * LRD__WAYS;
    for (uint32_t way = 1; way < LRD__WAYS; way++)
        if (write_is_colder(store, index, home * LRD__WAYS + way, coldest))
            coldest = home * LRD__WAYS + way;
    lrd__room_evict_early(store, index, coldest);
    return coldest;
}

/* Set version, epoch and expiry of a block. If ttl_ms is 0, the block never expires, and `now` need
 * not be exact. */
LRD__HOT static void write_stamp(lrd_store *store, lrd__shard *shard, uint64_t offset,
                                 uint64_t ttl_ms, uint64_t now)
{
    lrd__assert_offset(store, offset);
    lrd__block *block = lrd__block_window(store, offset);
    uint64_t expiry = ttl_ms != 0 ? lrd__clock_sum(now, ttl_ms) : 0;
    atomic_store_explicit(&block->expiry, expiry, memory_order_relaxed);
    block->epoch = lrd__shard_epoch(shard);
    block->version = 0;
    if (block->type == LRD_TYPE_COUNTER)
        return;
    /* The upper bits of a version are the time of the write, for the entry's age. The lower bits
     * make the version unique in the shard. */
    uint64_t at = now << LRD__VERSION_CLOCK;
    shard->version = at > shard->version ? at : shard->version + 1;
    block->version = shard->version;
}

/* Copy version, epoch and expiry from the old block, which has the same value in another form. */
static void write_restamp(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset)
{
    lrd__block *block = lrd__block_window(store, offset);
    const lrd__block *old =
        lrd__block_window(store, lrd__slot_offset(store, place->shard_index, slot));
    block->version = old->version;
    block->epoch = old->epoch;
    atomic_store_explicit(&block->expiry, atomic_load_explicit(&old->expiry, memory_order_relaxed),
                          memory_order_relaxed);
}

/* Publish the block at `offset` under its key. If `listed`, the block was reserved: it is in the
 * ledger and marked retired. [locked] */
LRD__HOT static int write_publish(lrd_store *store, const lrd__place *place, uint64_t offset,
                                  bool listed, lrd_mode mode, uint64_t ttl_ms, uint64_t version,
                                  uint64_t now)
{
    lrd__assert_offset(store, offset);
    lrd__assert(place->shard == store->shards + place->shard_index);
    const lrd__block *block = lrd__block_window(store, offset);
    /* Adopt the store's epoch. After an lrd_clear(), the old entry then counts as dead, and the new
     * entry gets the new epoch. */
    lrd__entry_sync(store, place->shard_index);
    LRD__FAILPOINT("write_synced");
    uint32_t slot = lrd__index_find(store, place, lrd__block_key(block), lrd__block_key_len(block));
    int rc = write_allowed(store, place, slot, mode, version);
    if (rc != LRD_OK)
        return rc;
    bool replaces = slot != LRD__NO_SLOT;
    if (!replaces) {
        if (store->evicts)
            lrd__evict_expect(store, place);
        slot = write_vacancy(store, place);
    }
    if (slot == LRD__NO_SLOT)
        rc = lrd__fail(LRD_ENOINDEX, "no room near the place of the key in shard %u",
                       place->shard_index);
    else if (ttl_ms != 0)
        rc = lrd__timer_want(store, place->shard_index, slot);
    if (rc != LRD_OK)
        return rc;
    if (mode == LRD_REFORM)
        write_restamp(store, place, slot, offset);
    else if (!LRD__CONTROL(stamp_late))
        write_stamp(store, place->shard, offset, ttl_ms, now);
    if (listed)
        lrd__arena_revive(store, place->shard_index, offset);
    lrd__form_publish(place->shard, block, mode == LRD_REFORM);
    if (!replaces) {
        lrd__entry_insert(store, place, slot, offset);
    } else {
        lrd__entry_replace(store, place, slot, offset);
        if (mode != LRD_REFORM) /* a change of form does not count as a write by the program */
            lrd__add(&place->shard->replaces, 1);
    }
    if (LRD__CONTROL(stamp_late) && mode != LRD_REFORM)
        write_stamp(store, place->shard, offset, ttl_ms, now);
    return LRD_OK;
}

LRD__HOT inline int lrd__write_mode_check(const lrd_store *store, lrd_mode mode, uint64_t ttl_ms)
{
    if (mode != LRD_SET && mode != LRD_ADD && mode != LRD_REPLACE && mode != LRD_REFORM)
        return lrd__fail(LRD_EINVAL, "mode %d", (int)mode);
    int rc = write_entries_check(store);
    if (rc != LRD_OK)
        return rc;
    if (!store->listed && mode != LRD_ADD)
        return lrd__fail(LRD_EPOLICY, "an immutable store only takes LRD_ADD");
    if (ttl_ms != 0 && !store->expires)
        return lrd__fail(LRD_EPOLICY, "this store's entries have no time to live");
    if (ttl_ms != 0 && mode == LRD_REFORM)
        return lrd__fail(LRD_EINVAL, "LRD_REFORM keeps the time to live, ttl_ms is %llu",
                         (unsigned long long)ttl_ms);
    return LRD_OK;
}

LRD__HOT static int write_publish_open(lrd_store *store, lrd__thread *self,
                                       lrd_reservation *reservation, lrd_mode mode, uint64_t ttl_ms,
                                       uint64_t version)
{
    int rc = lrd__write_mode_check(store, mode, ttl_ms);
    if (rc == LRD_OK) {
        /* Building may have taken long, so check the file and the clocks again. If the check fails,
         * the block's key must not be read. The key's shard is then unknown, so the first shard
         * counts the refusal. */
        rc = lrd__write_chores(store, self, lrd__clock_coarse());
        if (rc != LRD_OK)
            lrd__write_refused(store->shards, self, rc);
    }
    if (rc == LRD_OK) {
        uint64_t listed =
            atomic_load_explicit(&self->slot->ledger[reservation->handle], memory_order_relaxed);
        uint64_t offset = lrd__listing_offset(listed);
        /* read the block through store->window: it was written there, so its page is mapped */
        const lrd__block *block = lrd__block_window(store, offset);
        lrd__place place = lrd__place_of(store, lrd__block_key(block), lrd__block_key_len(block));
        rc = write_begin(store, self, &place);
        if (rc == LRD_OK) {
            rc = write_publish(store, &place, offset, true, mode, ttl_ms, version, lrd__now(store));
            self->pressed = rc == LRD_OK && lrd__form_is_pressed(place.shard);
            lrd__write_close(self, reservation);
            lrd__shard_unlock(store, place.shard_index);
            if (lrd__grow_pending(store))
                lrd__write_help_grow(store, self, place.shard_index);
            return rc == LRD_OK ? rc : lrd__write_refused(place.shard, self, rc);
        }
        lrd__write_refused(place.shard, self, rc);
        if (rc == LRD_EBUSY)
            return rc;
    }
    lrd__write_close(self, reservation);
    return rc;
}

LRD__HOT int lrd_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                         uint64_t ttl_ms, uint64_t version)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL || !lrd__write_owns(self, reservation))
        return lrd__fail(LRD_ESTATE, "the reservation is not open in this thread");
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = write_publish_open(store, self, reservation, mode, ttl_ms, version);
    lrd__leave(self);
    return rc;
}

/* the arguments of lrd_put_fill() and lrd_put_ready() */
typedef struct write_order {
    const void *key, *from;
    lrd_fill fill;
    size_t key_len, size;
    const lrd_write *how; /* not NULL */
    bool ready;           /* true for lrd_put_ready() */
} write_order;

/* Put a small value under one lock. No ledger lists the block: if this thread dies before the index
 * names it, recovery frees it. */
LRD__HOT static int write_put_small(lrd_store *store, lrd__thread *self, const write_order *order)
{
    lrd__place place = lrd__place_of(store, order->key, order->key_len);
    uint64_t start = lrd__value_start(order->key_len, order->size), offset;
    uint64_t coarse = lrd__clock_coarse();
    int rc = lrd__write_chores(store, self, coarse);
    if (rc == LRD_OK && order->ready && lrd__form_pressure(store, place.shard) != LRD_PRESSURE_NONE)
        return LRD_SHORT;
    if (rc == LRD_OK)
        rc = write_room(store, self, &place, order->key_len, order->size, &offset, NULL);
    if (rc != LRD_OK)
        return lrd__write_refused(place.shard, self, rc);
    lrd__segment_touch(store, offset, start + order->size);
    write_head(store, offset, order->key, order->key_len, order->how->type, order->size);
    if (!LRD__CONTROL(fill_late))
        order->fill(order->from, store->window + offset + start, store->data + offset + start,
                    order->size);
    rc = write_publish(store, &place, offset, false, order->how->mode, order->how->ttl_ms,
                       order->how->version,
                       order->how->ttl_ms != 0 ? lrd__now(store) : lrd__now_of(store, coarse));
    if (LRD__CONTROL(fill_late))
        order->fill(order->from, store->window + offset + start, store->data + offset + start,
                    order->size);
    if (rc != LRD_OK)
        lrd__arena_retire(store, place.shard_index, offset);
    self->pressed = rc == LRD_OK && lrd__form_is_pressed(place.shard);
    LRD__FAILPOINT("write_closed");
    lrd__shard_unlock(store, place.shard_index);
    if (lrd__grow_pending(store))
        lrd__write_help_grow(store, self, place.shard_index);
    return rc == LRD_OK ? rc : lrd__write_refused(place.shard, self, rc);
}

/* Put a value as lrd_put_fill() does, but return LRD_ENOSLOT without counting a refused write. */
LRD__HOT static int write_put(lrd_store *store, const write_order *order)
{
    lrd_reservation reservation;
    lrd__thread *self = NULL;
    int rc = lrd__key_check(order->key_len);
    if (rc == LRD_OK)
        rc = write_type_check(order->how->type, order->size);
    if (rc == LRD_OK)
        rc = lrd__write_mode_check(store, order->how->mode, order->how->ttl_ms);
    if (rc == LRD_OK && order->how->mode == LRD_ADD &&
        lrd_has(store, order->key, order->key_len) == LRD_OK)
        /* return before room is made, so that no entries are evicted for a value that is not
         * stored */
        return LRD_EXISTS;
    if (rc != LRD_OK)
        return rc;
    if (order->ready && order->size > WRITE_FILL_LOCKED &&
        lrd_pressed(store, order->key, order->key_len) != LRD_PRESSURE_NONE)
        return LRD_SHORT;
    if (order->size <= WRITE_FILL_LOCKED) {
        rc = lrd__enter(store, &self);
        if (rc != LRD_OK)
            return rc;
        rc = write_put_small(store, self, order);
        lrd__leave(self);
        return rc;
    }
    rc = write_open(store, order->key, order->key_len, order->size, order->how->type, &reservation);
    if (rc != LRD_OK)
        return rc;
    order->fill(order->from, reservation.build, reservation.data, order->size);
    rc =
        lrd_publish(store, &reservation, order->how->mode, order->how->ttl_ms, order->how->version);
    if (rc == LRD_EBUSY)
        lrd_abort(store, &reservation);
    return rc;
}

/* Put a value in a thread that gets no slot: lend it a spare slot for this call. */
static __attribute__((noinline, cold)) int write_put_lent(lrd_store *store,
                                                          const write_order *order)
{
    int rc = lrd__thread_lend(store);
    if (rc != LRD_OK)
        return lrd__write_refused_key(store, order->key, order->key_len, rc);
    rc = write_put(store, order);
    lrd__thread_end(lrd__threads[store->id]);
    return rc;
}

static LRD__STEP int write_put_order(lrd_store *store, write_order *order)
{
    static const lrd_write defaults = {.mode = LRD_SET};
    if (order->how == NULL)
        order->how = &defaults;
    if (order->how->struct_size > sizeof *order->how)
        return lrd__fail(LRD_EINVAL, "an lrd_write of %u bytes, this library knows %zu",
                         order->how->struct_size, sizeof *order->how);
    int rc = write_put(store, order);
    return __builtin_expect(rc != LRD_ENOSLOT, 1) ? rc : write_put_lent(store, order);
}

LRD__HOT int lrd_put_fill(lrd_store *store, const void *key, size_t key_len, size_t size,
                          lrd_fill fill, const void *from, const lrd_write *how)
{
    return write_put_order(
        store,
        &(write_order){
            .key = key, .from = from, .fill = fill, .key_len = key_len, .size = size, .how = how});
}

LRD__HOT int lrd_put_ready(lrd_store *store, const void *key, size_t key_len, size_t size,
                           lrd_fill fill, const void *from, const lrd_write *how)
{
    return write_put_order(store, &(write_order){.key = key,
                                                 .from = from,
                                                 .fill = fill,
                                                 .key_len = key_len,
                                                 .size = size,
                                                 .how = how,
                                                 .ready = true});
}

LRD__HOT int lrd_put(lrd_store *store, const void *key, size_t key_len, const void *data,
                     size_t size, const lrd_write *how)
{
    return lrd_put_fill(store, key, key_len, size, lrd__copy_fill, data, how);
}

LRD__HOT lrd_pressure lrd_pressed(lrd_store *store, const void *key, size_t key_len)
{
    lrd__thread *self = lrd__threads[store->id];
    /* a thread without `self` has not checked the file yet, so do not read the file */
    if (key_len == 0 || self == NULL)
        return LRD_PRESSURE_NONE;
    uint64_t now = store->watched ? lrd__clock_coarse() : 0;
    if (store->watched && now - self->looked >= LRD__CHORES_MS &&
        lrd__write_look(store, self, now) != LRD_OK)
        return LRD_PRESSURE_NONE;
    return lrd__form_pressure(store, lrd__place_of(store, key, key_len).shard);
}

LRD__HOT bool lrd_write_pressed(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    bool pressed = self != NULL && self->pressed;
    if (__builtin_expect(pressed, 0))
        self->pressed = false;
    return pressed;
}

/* ---- delete, touch, clear ---- */

/* Lock the key's shard, and find the entry. After LRD_OK and LRD_MISS, the shard is locked. After
 * LRD_MISS, *slot may have an expired or cleared entry. */
static LRD__HOT int write_find(lrd_store *store, lrd__thread *self, const void *key, size_t key_len,
                               lrd__place *place, uint32_t *slot)
{
    lrd__assert_thread(self);
    *place = lrd__place_of(store, key, key_len);
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = write_begin(store, self, place);
    if (rc != LRD_OK)
        return rc;
    *slot = lrd__index_find(store, place, key, key_len);
    if (*slot == LRD__NO_SLOT)
        return LRD_MISS;
    const lrd__block *block =
        lrd__block_window(store, lrd__slot_offset(store, place->shard_index, *slot));
    return lrd__block_live_here(store, place->shard, block) ? LRD_OK : LRD_MISS;
}

/* the state that an entry must have for lrd_delete_version() */
typedef struct write_expected {
    uint64_t version; /* the entry's version, or 0 for a counter with the value `number` */
    int64_t number;
} write_expected;

/* True if the entry in the slot has the expected state. [locked] */
static bool write_has(const lrd_store *store, const lrd__place *place, uint32_t slot,
                      const write_expected *expected)
{
    lrd__assert(place->shard == store->shards + place->shard_index);
    uint64_t offset = lrd__slot_offset(store, place->shard_index, slot);
    const lrd__block *block = lrd__block_window(store, offset);
    if (block->type != LRD_TYPE_COUNTER)
        return expected->version != 0 && block->version == expected->version;
    if (expected->version != 0 || lrd__block_size(block) != sizeof(int64_t))
        return false;
    /* acquire: pairs with the release store of the thread that last changed the counter */
    const _Atomic int64_t *counter = lrd__block_value(store, offset);
    return atomic_load_explicit(counter, memory_order_acquire) == expected->number;
}

/* the arguments of lrd_take(): the wanted types, and the buffer for the value */
typedef struct write_taking {
    const bool *types;
    void *buffer;
    size_t room;
    lrd_value *out;
} write_taking;

/* Copy the value of the slot's entry to the buffer. Returns LRD_EXISTS if the value is too large or
 * of an unwanted type. */
static int write_take(const lrd_store *store, const lrd__place *place, uint32_t slot,
                      const write_taking *taking)
{
    lrd__assert(place->shard == store->shards + place->shard_index);
    uint64_t offset = lrd__slot_offset(store, place->shard_index, slot);
    const lrd__block *block = lrd__block_window(store, offset);
    size_t size = lrd__block_size(block);
    const void *data = lrd__block_value(store, offset);
    if (!taking->types[block->type] || size > taking->room)
        return LRD_EXISTS;
    if (block->type == LRD_TYPE_COUNTER && size == sizeof(int64_t)) {
        /* acquire: pairs with the release store of the thread that last changed the counter */
        int64_t number = atomic_load_explicit((const _Atomic int64_t *)data, memory_order_acquire);
        memcpy(taking->buffer, &number, sizeof number);
    } else {
        memcpy(taking->buffer, data, size);
    }
    *taking->out = (lrd_value){
        .data = taking->buffer, .size = size, .kind = LRD_KIND_NONE, .type = block->type};
    return LRD_OK;
}

/* Remove an entry. If `expected` is not NULL, the entry must have this state. If `taking` is not
 * NULL, copy the value first; if it cannot be copied, the entry stays. */
static LRD__HOT int write_delete(lrd_store *store, const void *key, size_t key_len,
                                 const write_expected *expected, const write_taking *taking)
{
    lrd__thread *self;
    lrd__place place;
    uint32_t slot = LRD__NO_SLOT;
    int rc = lrd__key_check(key_len);
    if (rc != LRD_OK)
        return rc;
    if (!store->listed)
        return lrd__fail(LRD_EPOLICY, "nothing is removed from an immutable store");
    rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = write_find(store, self, key, key_len, &place, &slot);
    if (rc == LRD_OK && expected != NULL && !write_has(store, &place, slot, expected)) {
        rc = LRD_STALE;
    } else if (rc == LRD_OK && taking != NULL &&
               write_take(store, &place, slot, taking) != LRD_OK) {
        rc = LRD_EXISTS;
    } else if (rc >= LRD_OK && slot != LRD__NO_SLOT) {
        bool dead = lrd__entry_is_dead(store, place.shard_index, slot);
        lrd__entry_remove(store, place.shard_index, slot);
        if (!dead)
            lrd__add(rc == LRD_OK ? &place.shard->deletes : &place.shard->expired, 1);
        if (!store->evicts)
            atomic_fetch_add_explicit(&store->header->deletes, 1, memory_order_relaxed);
    }
    if (rc >= LRD_OK)
        lrd__shard_unlock(store, place.shard_index);
    if (taking != NULL && (rc == LRD_OK || rc == LRD_MISS))
        lrd__add(rc == LRD_OK ? &self->slot->hits : &self->slot->misses, 1);
    lrd__leave(self);
    return rc;
}

static int write_delete_lent(lrd_store *store, const void *key, size_t key_len,
                             const write_expected *expected, const write_taking *taking)
{
    int rc = write_delete(store, key, key_len, expected, taking);
    if (__builtin_expect(rc != LRD_ENOSLOT, 1))
        return rc;
    rc = lrd__thread_lend(store);
    if (rc != LRD_OK)
        return rc;
    rc = write_delete(store, key, key_len, expected, taking);
    lrd__thread_end(lrd__threads[store->id]);
    return rc;
}

LRD__HOT int lrd_delete(lrd_store *store, const void *key, size_t key_len)
{
    return write_delete_lent(store, key, key_len, NULL, NULL);
}

int lrd_delete_version(lrd_store *store, const void *key, size_t key_len, uint64_t version,
                       int64_t number)
{
    write_expected expected = {.version = version, .number = number};
    return write_delete_lent(store, key, key_len, &expected, NULL);
}

int lrd_take(lrd_store *store, const void *key, size_t key_len, const bool types[256], void *buffer,
             size_t room, lrd_value *out)
{
    write_taking taking = {.types = types, .buffer = buffer, .room = room, .out = out};
    out->kind = LRD_KIND_NONE;
    return write_delete_lent(store, key, key_len, NULL, &taking);
}

/* True if the entry in the slot lives at least until `expiry`. [locked] */
static bool write_outlives(const lrd_store *store, uint32_t shard, uint32_t slot, uint64_t expiry)
{
    const lrd__block *block = lrd__block_window(store, lrd__slot_offset(store, shard, slot));
    uint64_t is = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return is == 0 || (expiry != 0 && is >= expiry);
}

/* Set the expiry of a live entry (ttl_ms 0: never). If `prolongs`, does not shorten the entry's
 * life. `only` is the offset that the entry's block must have, or UINT64_MAX for any. Returns
 * LRD_STALE if the block has another offset. */
static int write_touch(lrd_store *store, const void *key, size_t key_len, uint64_t only,
                       uint64_t ttl_ms, bool prolongs)
{
    lrd__thread *self;
    lrd__place place;
    uint32_t slot = LRD__NO_SLOT;
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = write_find(store, self, key, key_len, &place, &slot);
    bool found = rc >= LRD_OK;
    uint64_t expiry = ttl_ms != 0 ? lrd__clock_sum(lrd__now(store), ttl_ms) : 0;
    if (rc == LRD_OK && only != UINT64_MAX &&
        lrd__slot_offset(store, place.shard_index, slot) != only)
        rc = LRD_STALE;
    bool sets = rc == LRD_OK && store->expires &&
                !(prolongs && write_outlives(store, place.shard_index, slot, expiry));
    if (sets && expiry != 0)
        rc = lrd__timer_want(store, place.shard_index, slot);
    if (sets && rc == LRD_OK)
        lrd__entry_touch(store, place.shard_index, slot, expiry);
    if (found)
        lrd__shard_unlock(store, place.shard_index);
    lrd__leave(self);
    return rc;
}

int lrd_touch(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms)
{
    int rc = lrd__key_check(key_len);
    if (rc == LRD_OK && !store->expires)
        rc = lrd__fail(LRD_EPOLICY, "this store's entries have no time to live");
    return rc == LRD_OK ? write_touch(store, key, key_len, UINT64_MAX, ttl_ms, false) : rc;
}

int lrd__write_prolong(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms)
{
    return write_touch(store, key, key_len, UINT64_MAX, ttl_ms, true);
}

int lrd_put_held(lrd_store *store, const lrd_value *value, uint64_t ttl_ms)
{
    uint64_t offset = lrd__listing_offset(value->block);
    if (value->kind != LRD_KIND_HELD)
        return lrd__fail(LRD_ESTATE, "value is not held (kind %d)", value->kind);
    int rc = lrd__write_mode_check(store, LRD_SET, ttl_ms);
    if (rc == LRD_OK)
        rc = lrd__segment_look(store); /* check the file before the block is read */
    if (rc != LRD_OK)
        return rc;
    /* the block does not change, because this thread holds it */
    const lrd__block *block = lrd__block_at(store, offset);
    rc =
        write_touch(store, lrd__block_key(block), lrd__block_key_len(block), offset, ttl_ms, false);
    return rc == LRD_MISS ? LRD_STALE : rc;
}

/* Remove the dead entries of all shards. If a shard's epoch differs from `epoch`, another thread
 * has cleared the store again: skip the rest of this shard. */
static int write_sweep_all(lrd_store *store, lrd__thread *self, uint32_t epoch)
{
    for (uint32_t i = 0; i < store->geo.shards; i++)
        for (bool more = true; more;) {
            int rc = lrd__shard_lock(store, self, i);
            if (rc != LRD_OK)
                return rc;
            lrd__entry_sync(store, i);
            lrd__room_sweep_dead(store, i, lrd__batch_bytes(store));
            more = lrd__room_sweeps(store, i) && lrd__shard_epoch(store->shards + i) == epoch;
            lrd__shard_unlock(store, i);
        }
    return LRD_OK;
}

/* Remove all dead entries. Epoch numbers repeat after 2^32 clears, and a dead entry would live
 * again in a later epoch with the same number. So lrd_clear() calls this twice in 2^32 clears. */
static __attribute__((noinline, cold)) int write_sweep_epochs(lrd_store *store, uint32_t epoch)
{
    lrd__thread *self;
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    rc = write_sweep_all(store, self, epoch);
    lrd__leave(self);
    return rc;
}

/* Return the epoch after `epoch`. Leaves out 0, which no entry has (see vet.c), and 1, which tells
 * recovery that the store was never cleared. */
static uint32_t write_next_epoch(uint32_t epoch) { return epoch != UINT32_MAX ? epoch + 1 : 2; }

int lrd_clear(lrd_store *store)
{
    if (!store->listed)
        return lrd__fail(LRD_EPOLICY, "nothing is removed from an immutable store");
    if (store->queues != NULL)
        return lrd__fail(LRD_EPOLICY, "queues are cleared one by one");
    int rc = lrd__segment_look(store);
    if (rc != LRD_OK)
        return rc;
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
    do {
        if (__builtin_expect((epoch & INT32_MAX) == INT32_MAX, 0))
            rc = write_sweep_epochs(store, epoch);
        if (rc != LRD_OK)
            return rc;
        /* pairs with the acquire loads of readers, which then treat earlier entries as misses */
    } while (!atomic_compare_exchange_weak_explicit(&store->header->view.epoch, &epoch,
                                                    write_next_epoch(epoch), memory_order_seq_cst,
                                                    memory_order_acquire));
    atomic_fetch_add_explicit(&store->header->deletes, 1, memory_order_relaxed);
    LRD__FAILPOINT("write_cleared");
    /* Wake the threads that sleep on the epoch in lrd_watch_wait(). A store that evicts or expires
     * entries has no watches. */
    if (!store->evicts && !store->expires)
        lrd__futex_wake(&store->header->view.epoch, INT_MAX);
    return LRD_OK;
}
