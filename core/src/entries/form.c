/* form.c - helps a host to choose the form of a stored value: ready, which is read in place, or
 * packed (pack.c), which takes less memory. Counts the packed entries of a shard.
 *
 * Invariants
 * - A change of form (LRD_REFORM) publishes a block like any other write. Version, age and time to
 *   live do not change.
 * - packed_entries, packed_bytes and packed_ready of a shard count its live entries whose blocks
 *   are packed. While the shard's `packs` is 0 no entry is packed.
 * - Memory counts as short until the shard's number of inserts reaches pressed_until. This is a
 *   guess, so pressed_until may have any value.
 * - For new values, memory also counts as short when live entries take much of the shard's part of
 *   the store. */
#include "entries/form.h"
#include "ground/place.h"

uint64_t lrd__form_ready(const lrd__block *block, uint64_t bytes)
{
    uint64_t start = lrd__block_start(block);
    uint32_t ready;
    if (lrd__block_size(block) < LRD_PACKED_HEAD || bytes < LRD_PACKED_HEAD ||
        start > bytes - LRD_PACKED_HEAD)
        return 0;
    memcpy(&ready, (const uint8_t *)block + start + LRD__PACKED_READY_AT, sizeof ready);
    return ready;
}

void lrd__form_count(lrd__shard *shard, const lrd__block *block, uint64_t bytes, int sign)
{
    uint64_t ready = lrd__form_ready(block, bytes);
    lrd__add(&shard->packed_entries, (uint64_t)(int64_t)sign);
    lrd__add(&shard->packed_bytes, sign > 0 ? bytes : -bytes);
    lrd__add(&shard->packed_ready, sign > 0 ? ready : -ready);
}

LRD__HOT void lrd__form_publish(lrd__shard *shard, const lrd__block *block, bool reform)
{
    if (!lrd__form_is_packed(block)) {
        if (__builtin_expect(reform, 0))
            lrd__add(&shard->rises, 1);
        return;
    }
    lrd__add(&shard->packs, 1);
    if (reform)
        lrd__add(&shard->falls, 1);
    /* Raise `packs` before the block is published, because recovery counts no packed blocks while
     * `packs` is 0. A compiler barrier is enough for a recovery. */
    atomic_signal_fence(memory_order_seq_cst);
    LRD__FAILPOINT("form_packed");
}

void lrd__form_pressed(lrd__shard *shard)
{
    atomic_store_explicit(&shard->pressed_until,
                          atomic_load_explicit(&shard->inserts, memory_order_relaxed) +
                              atomic_load_explicit(&shard->live_entries, memory_order_relaxed),
                          memory_order_relaxed);
}

unsigned lrd_value_uses(const lrd_store *store, const lrd_value *value)
{
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return 0;
    const lrd__block *block = lrd__block_at(store, lrd__listing_offset(value->block));
    lrd__place place = lrd__place_of(store, lrd__block_key(block), lrd__block_key_len(block));
    uint32_t home = lrd__place_home(store, &place, lrd__shard_homes(place.shard));
    for (uint32_t d = 0; d < LRD__PROBES; d++) {
        const lrd__bucket *bucket = lrd__bucket_of(store, place.shard_index, home + d);
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint64_t word = atomic_load_explicit(&bucket->word[way], memory_order_relaxed);
            if (word != 0 && lrd__word_listing(word) == value->block)
                return lrd__freq(&bucket->freq[way]);
        }
        if (atomic_load_explicit(&bucket->displaced, memory_order_relaxed) == 0)
            break;
    }
    return 0; /* the entry is gone, or another thread is moving it */
}
