/* form.c - what a host asks to choose the form in which it stores a value: ready to be read in
 * place, or packed (pack.c), which takes less memory.
 *
 * Invariants
 * - A change of form is a publication like any other (LRD_REFORM): the entry has the one block or
 *   the other. Its version, age and time to live are those of the value, whatever its form.
 * - Pressure is a guess: any value of shard->pressed_until is legal. It counts inserts, not time:
 *   it ends when as many entries came as there are, and nothing had to go for them.
 */
#include "entries/form.h"
#include "ground/place.h"

void lrd__form_evicted(lrd__shard *shard)
{
    atomic_store_explicit(&shard->pressed_until,
                          atomic_load_explicit(&shard->inserts, memory_order_relaxed) +
                              atomic_load_explicit(&shard->live_entries, memory_order_relaxed),
                          memory_order_relaxed);
}

bool lrd_pressed(const lrd_store *store, const void *key, size_t key_len)
{
    if (!store->evicts || key_len == 0)
        return false;
    const lrd__shard *shard = lrd__place_of(store, key, key_len).shard;
    return atomic_load_explicit(&shard->inserts, memory_order_relaxed) <
           atomic_load_explicit(&shard->pressed_until, memory_order_relaxed);
}

unsigned lrd_value_uses(const lrd_store *store, const lrd_value *value)
{
    if (value->kind != LRD_KIND_HELD && value->kind != LRD_KIND_BORROWED)
        return 0;
    const lrd__block *block = lrd__block_at(store, (value->block - 1) << LRD__GRANULE_BITS);
    uint64_t hash = lrd__hash(store, lrd__block_key(block), lrd__block_key_len(block));
    uint64_t mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    const lrd__bucket *bucket = store->buckets + lrd__bucket_at(store, hash, mask);
    for (uint32_t way = 0; way < LRD__WAYS; way++) {
        uint64_t word = atomic_load_explicit(&bucket->word[way], memory_order_relaxed);
        if (word == 0 || lrd__word_listing(word) != value->block)
            continue;
        uint8_t freq = atomic_load_explicit(&bucket->freq[way], memory_order_relaxed);
        return freq < LRD__FREQ_MAX ? freq : LRD__FREQ_MAX;
    }
    return 0; /* gone, or not in its home bucket, as few are */
}
