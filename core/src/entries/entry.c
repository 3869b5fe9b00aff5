/* entry.c - inserts, replaces, removes and touches entries. All changes of the index go through
 * this file, so that counts, timers and eviction queues agree with the index. The caller has the
 * shard's lock.
 *
 * Invariants
 * - live_* count the entries of the shard's epoch, dead_* those of older epochs. lrd_clear() raises
 *   the header's epoch without a lock; the shard's next writer notices the change
 *   (lrd__entry_sync).
 * - A slot's timer has the tick of its block's expiry. While one of the two is changed, shard->flux
 *   names the slot, and recovery reads the time from the block.
 * - A timer gets a tick only after its memory is committed: the callers call lrd__timer_want()
 *   first. If there is no memory, a store that evicts sets no tick.
 * - A new block is published before the old one is retired. */
#include "entries/entry.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/index.h"
#include "entries/evict.h"
#include "entries/expiry.h"
#include "entries/form.h"

/* Add to the number of dead entries. To subtract n, pass -n (unsigned). */
static inline void entry_count_dead(lrd__shard *shard, uint32_t change)
{
    atomic_store_explicit(&shard->dead_entries, lrd__shard_dead(shard) + change,
                          memory_order_relaxed);
}

void lrd__entry_sync(lrd_store *store, uint32_t index)
{
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    uint32_t epoch = atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
    if (__builtin_expect(lrd__shard_epoch(shard) == epoch, 1))
        return;
    uint64_t entries = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&shard->live_bytes, memory_order_relaxed);
    entry_count_dead(shard, (uint32_t)entries);
    lrd__add(&shard->dead_bytes, bytes);
    atomic_store_explicit(&shard->live_entries, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->live_bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_entries, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&shard->packed_ready, 0, memory_order_relaxed);
    LRD__FAILPOINT("entry_synced");
    shard->sweep_bucket = 0;
    shard->full_until = 0;
    atomic_store_explicit(&shard->pressed_until, 0, memory_order_relaxed);
    /* Pairs with the acquire load in store_stats_shard(): a thread that loads the new epoch also
     * sees that the live entries of the old epoch count as dead. */
    atomic_store_explicit(&shard->epoch, epoch, memory_order_release);
}

/* Add an entry to the shard's counts, or subtract it if `sign` is -1. If the entry's epoch is not
 * the shard's, the entry counts as dead, otherwise as live. */
static inline void entry_count(lrd_store *store, lrd__shard *shard, uint64_t offset, uint64_t bytes,
                               int sign)
{
    lrd__assert_offset(store, offset);
    const lrd__block *block = lrd__block_window(store, offset);
    uint64_t change = sign > 0 ? bytes : -bytes;
    if (lrd__shard_dead(shard) != 0 && block->epoch != lrd__shard_epoch(shard)) {
        entry_count_dead(shard, (uint32_t)sign);
        lrd__add(&shard->dead_bytes, change);
        return;
    }
    lrd__add(&shard->live_entries, (uint64_t)(int64_t)sign);
    lrd__add(&shard->live_bytes, change);
    if (__builtin_expect(lrd__form_is_packed(block), 0))
        lrd__form_count(shard, block, bytes, sign);
}

/* Record in shard->flux that a slot's tick and its block's expiry may differ. `flux` is the slot's
 * number + 1, or 0. Compiler barriers are enough: only recovery depends on this order. */
static void entry_flux(lrd__shard *shard, uint32_t flux)
{
    if (LRD__CONTROL(no_flux))
        return;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&shard->flux, flux, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

/* Put a slot into the wheel at the tick of `expiry`, if its timer has memory. The caller stores the
 * expiry in the block. */
static inline void entry_set_tick(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t expiry)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert(shard < store->geo.shards);
    uint32_t tick = lrd__tick_of(expiry), none = 0;
    if (!store->expires || lrd__timer_tick(store, shard, slot) == tick ||
        !lrd__timer_ready(store, lrd__slot_number(store, shard, slot)))
        return;
    /* lrd__room_expire() does not advance the time of an empty wheel, so advance it now. */
    if (store->shards[shard].wheel_count == 0)
        lrd__wheel_due(store, shard, lrd__now(store), &none);
    lrd__wheel_set(store, shard, slot, tick);
}

/* Set `flux` to the slot, and put the slot into the wheel. The caller then publishes the block's
 * word, and clears `flux`. */
static inline void entry_announce(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t offset)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert_offset(store, offset);
    lrd__assert(shard < store->geo.shards);
    entry_flux(store->shards + shard, slot + 1);
    LRD__FAILPOINT("entry_flux");
    /* Read through store->window: the read-only address may not be mapped yet. */
    const lrd__block *block = lrd__block_window(store, offset);
    entry_set_tick(store, shard, slot, atomic_load_explicit(&block->expiry, memory_order_relaxed));
    LRD__FAILPOINT("entry_ticked");
}

void lrd__entry_insert(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert_offset(store, offset);
    lrd__assert(place->shard == store->shards + place->shard_index);
    lrd__shard *shard = place->shard;
    uint32_t index = place->shard_index;
    uint64_t bytes = lrd__block_bytes(store, offset);
    entry_announce(store, index, slot, offset);
    lrd__index_insert(store, place, slot, offset);
    entry_flux(shard, 0);
    entry_count(store, shard, offset, bytes, 1);
    LRD__FAILPOINT("entry_counted");
    if (store->evicts)
        lrd__evict_inserted(store, index, slot,
                            shard->ghost_sets != 0 ? lrd__ghost_key(store, index, slot) : 0, bytes);
    lrd__add(&shard->inserts, 1);
}

/* True if both blocks are small and of the same size class. */
static inline bool entry_alike(const lrd_store *store, uint64_t offset, uint64_t other)
{
    lrd__assert_offset(store, offset);
    uint32_t owner =
        atomic_load_explicit(&store->owners[lrd__page_of(store, offset)], memory_order_relaxed);
    return owner == atomic_load_explicit(&store->owners[lrd__page_of(store, other)],
                                         memory_order_relaxed) &&
           lrd__owner_class(owner) != LRD__CLASS_RUN;
}

LRD__STEP void lrd__entry_replace(lrd_store *store, const lrd__place *place, uint32_t slot,
                                  uint64_t offset)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert_offset(store, offset);
    lrd__assert(place->shard == store->shards + place->shard_index);
    lrd__shard *shard = place->shard;
    uint32_t index = place->shard_index;
    _Atomic uint64_t *at = lrd__index_word(store, index, slot);
    uint64_t word = atomic_load_explicit(at, memory_order_relaxed), old = lrd__word_offset(word);
    entry_announce(store, index, slot, offset);
    lrd__index_replace(at, word, offset);
    entry_flux(shard, 0);
    if (lrd__form_is_packed(lrd__block_window(store, offset)) ||
        lrd__form_is_packed(lrd__block_window(store, old)) || !entry_alike(store, offset, old) ||
        lrd__shard_dead(shard) != 0) {
        uint64_t bytes = lrd__block_bytes(store, offset), old_bytes = lrd__block_bytes(store, old);
        entry_count(store, shard, offset, bytes, 1);
        entry_count(store, shard, old, old_bytes, -1);
        LRD__FAILPOINT("entry_counted");
        if (store->evicts)
            lrd__evict_resized(store, index, slot, old_bytes, bytes);
    }
    lrd__arena_retire(store, index, old);
}

LRD__HOT void lrd__entry_remove(lrd_store *store, uint32_t index, uint32_t slot)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    uint64_t offset = lrd__slot_offset(store, index, slot);
    uint64_t bytes = lrd__block_bytes(store, offset);
    if (store->evicts)
        lrd__evict_removed(store, index, slot, bytes);
    LRD__FAILPOINT("entry_dequeued");
    lrd__index_remove(store, index, slot);
    entry_count(store, shard, offset, bytes, -1);
    LRD__FAILPOINT("entry_counted");
    entry_set_tick(store, index, slot, 0);
    lrd__arena_retire(store, index, offset);
}

void lrd__entry_touch(lrd_store *store, uint32_t index, uint32_t slot, uint64_t expiry)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert(index < store->geo.shards);
    lrd__shard *shard = store->shards + index;
    lrd__block *block = lrd__block_window(store, lrd__slot_offset(store, index, slot));
    entry_flux(shard, slot + 1);
    LRD__FAILPOINT("entry_flux");
    atomic_store_explicit(&block->expiry, expiry, memory_order_relaxed);
    LRD__FAILPOINT("entry_touched");
    entry_set_tick(store, index, slot, expiry);
    entry_flux(shard, 0);
}

LRD__HOT bool lrd__entry_is_dead(const lrd_store *store, uint32_t index, uint32_t slot)
{
    lrd__assert_locked(store, index);
    uint64_t offset = lrd__slot_offset(store, index, slot);
    return lrd__block_window(store, offset)->epoch != lrd__shard_epoch(store->shards + index);
}

uint32_t lrd__entry_of_block(const lrd_store *store, uint32_t shard, uint64_t offset)
{
    lrd__assert_locked(store, shard);
    lrd__assert_offset(store, offset);
    const lrd__block *block = lrd__block_window(store, offset);
    const uint8_t *key = lrd__block_key(block);
    size_t key_len = lrd__block_key_len(block);
    lrd__place place = lrd__place_of(store, key, key_len);
    if (place.shard_index != shard)
        return LRD__NO_SLOT;
    uint32_t slot = lrd__index_find(store, &place, key, key_len);
    if (slot == LRD__NO_SLOT || lrd__slot_offset(store, shard, slot) != offset)
        return LRD__NO_SLOT;
    return slot;
}

/* In one call, lrd__room_sweep_dead() reads up to ROOM_SWEEP buckets, or 1/ROOM_SWEEPS of a large
 * shard's buckets. */
#define ROOM_SWEEP 1024u
#define ROOM_SWEEPS 256u

uint64_t lrd__shard_retired(const lrd_store *store, uint32_t shard)
{
    lrd__assert(shard < store->geo.shards);
    return atomic_load_explicit(&store->shards[shard].retired_bytes, memory_order_relaxed);
}

/* ---- dead and expired entries ---- */

bool lrd__room_sweeps(const lrd_store *store, uint32_t index)
{
    lrd__assert_locked(store, index);
    const lrd__shard *shard = store->shards + index;
    return lrd__shard_dead(shard) > 0 && shard->sweep_bucket < lrd__shard_buckets(store);
}

uint64_t lrd__room_sweep_dead(lrd_store *store, uint32_t index, uint64_t bytes)
{
    lrd__assert_locked(store, index);
    lrd__shard *shard = store->shards + index;
    uint64_t before = lrd__shard_retired(store, index);
    uint32_t most = lrd__shard_buckets(store) / ROOM_SWEEPS;
    most = most > ROOM_SWEEP ? most : ROOM_SWEEP;
    for (uint32_t looked = 0; looked < most && lrd__room_sweeps(store, index) &&
                              lrd__shard_retired(store, index) - before < bytes;
         looked++) {
        uint32_t slot = shard->sweep_bucket * LRD__WAYS;
        for (uint32_t way = 0; way < LRD__WAYS; way++, slot++) {
            if (lrd__slot_word(store, index, slot) != 0 && lrd__entry_is_dead(store, index, slot))
                lrd__entry_remove(store, index, slot);
        }
        shard->sweep_bucket++;
    }
    return lrd__shard_retired(store, index) - before;
}

uint64_t lrd__room_expire_now(lrd_store *store, uint32_t index, uint32_t budget)
{
    lrd__assert_locked(store, index);
    uint64_t before = lrd__shard_retired(store, index), now = lrd__now(store);
    uint32_t slot;
    while ((slot = lrd__wheel_due(store, index, now, &budget)) != LRD__NO_SLOT) {
        const lrd__block *block = lrd__block_window(store, lrd__slot_offset(store, index, slot));
        uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
        if (expiry == 0 || expiry > now) {
            lrd__wheel_set(store, index, slot, lrd__tick_of(expiry));
            continue;
        }
        bool dead = lrd__entry_is_dead(store, index, slot);
        lrd__entry_remove(store, index, slot);
        if (!dead)
            lrd__add(&store->shards[index].expired, 1);
    }
    return lrd__shard_retired(store, index) - before;
}
