/* index.c - finds blocks by key. Owns the bucket words and the displacement counts. Begin reading
 * at lrd__index_find().
 *
 * Buckets are cache lines of seven words; those of all shards are interleaved. A key's entry may be
 * in any word of its home bucket, or of the shard's next 15 buckets. Behind the last home there are
 * 15 more buckets, so a search never wraps around.
 *
 * Invariants
 * - Insert, replace and delete each store one word (release). So a thread that loads the word
 *   (acquire) sees the whole block. A killed writer leaves the old word or the new one.
 * - An entry moves only for one of two reasons: its home is split, or it makes room for another
 *   entry (grow.c). A reader may miss an insert that happens during its search.
 * - A bucket's count `displaced` is at least the number of entries that have passed over it: their
 *   home is this bucket or an earlier one, and they lie in a later one. A reader stops at the first
 *   bucket whose count is 0. The count is raised before such an entry's word is stored, and lowered
 *   after the word was removed. A count of 255 does not change any more. */
#include "entries/index.h"
#include "ground/word.h"
#include "memory/page.h"

_Static_assert(LRD__PROBES == 16, "the word has four bits for the displacement");

static LRD__STEP uint32_t index_find_at(const lrd_store *store, const lrd__place *place,
                                        uint32_t home, const void *key, size_t key_len)
{
    lrd__assert(home < lrd__shard_buckets(store));
    lrd__assert(place->shard == store->shards + place->shard_index);
    for (uint32_t d = 0; d < LRD__PROBES; d++) {
        lrd__bucket *bucket = lrd__bucket_of(store, place->shard_index, home + d);
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint64_t word = atomic_load_explicit(&bucket->word[way], memory_order_relaxed);
            if (word >> 36 == (lrd__word_make(place->tag, d, 0) >> 36) &&
                lrd__block_has_key(lrd__block_window(store, lrd__word_offset(word)), key, key_len))
                return (home + d) * LRD__WAYS + way;
        }
        if (atomic_load_explicit(&bucket->displaced, memory_order_relaxed) == 0)
            break;
    }
    return LRD__NO_SLOT;
}

/* Search for the key at the home that it will have after the shard's next split. This split may be
 * half done, so the entry may have moved there already. */
static __attribute__((noinline)) LRD__HOT uint32_t index_find_next(const lrd_store *store,
                                                                   const lrd__place *place,
                                                                   uint32_t homes, uint32_t home,
                                                                   const void *key, size_t key_len)
{
    lrd__assert(home < lrd__shard_buckets(store));
    lrd__assert(place->shard == store->shards + place->shard_index);
    uint32_t next = lrd__place_home(store, place, homes + 1);
    return next != home ? index_find_at(store, place, next, key, key_len) : LRD__NO_SLOT;
}

uint32_t lrd__index_find(const lrd_store *store, const lrd__place *place, const void *key,
                         size_t key_len)
{
    lrd__assert_locked(store, place->shard_index);
    uint32_t homes = lrd__shard_homes(place->shard), home = lrd__place_home(store, place, homes);
    uint32_t slot = index_find_at(store, place, home, key, key_len);
    if (slot != LRD__NO_SLOT ||
        homes == atomic_load_explicit(&store->header->view.grown, memory_order_relaxed) >>
                     store->geo.shard_bits)
        return slot;
    return index_find_next(store, place, homes, home, key, key_len);
}

/* Prefer an empty slot that is in no eviction queue. In a queued slot, the new entry would take the
 * place of an older entry in the queue. */
uint32_t lrd__index_vacant_at(const lrd_store *store, uint32_t shard, uint32_t first, uint32_t home)
{
    lrd__assert_locked(store, shard);
    lrd__assert(home < lrd__shard_buckets(store));
    uint32_t queued = LRD__NO_SLOT, end = home + LRD__PROBES;
    bool evicts = atomic_load_explicit(&store->shards[shard].evicted, memory_order_relaxed) != 0;
    for (uint32_t b = first; b < end; b++) {
        lrd__bucket *bucket = lrd__bucket_of(store, shard, b);
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            if (atomic_load_explicit(&bucket->word[way], memory_order_relaxed) != 0)
                continue;
            uint32_t slot = b * LRD__WAYS + way;
            if (!store->evicts || store->links[lrd__slot_number(store, shard, slot)] == 0)
                return slot;
            if (queued == LRD__NO_SLOT) {
                queued = slot;
                uint32_t most = evicts ? b + 2 : b + 1;
                end = most < end ? most : end;
            }
        }
    }
    return queued;
}

uint32_t lrd__index_vacant(const lrd_store *store, const lrd__place *place)
{
    lrd__assert_locked(store, place->shard_index);
    uint32_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    return lrd__index_vacant_at(store, place->shard_index, home, home);
}

/* Add `change` to the displacement counts of an entry's home bucket and of all buckets between it
 * and the bucket that has the entry. */
static void index_displace(lrd_store *store, uint32_t shard, uint32_t home, uint32_t displacement,
                           int change)
{
    lrd__assert(home < lrd__shard_buckets(store));
    lrd__assert(shard < store->geo.shards);
    for (uint32_t d = 0; d < displacement; d++) {
        lrd__bucket *bucket = lrd__bucket_of(store, shard, home + d);
        uint8_t count = atomic_load_explicit(&bucket->displaced, memory_order_relaxed);
        if (count != UINT8_MAX)
            atomic_store_explicit(&bucket->displaced, (uint8_t)(count + change),
                                  memory_order_release);
    }
}

void lrd__index_insert(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset)
{
    lrd__assert_locked(store, place->shard_index);
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert_offset(store, offset);
    uint32_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    uint32_t displacement = slot / LRD__WAYS - home;
    index_displace(store, place->shard_index, home, displacement, 1);
    LRD__FAILPOINT("index_displaced");
    atomic_store_explicit(lrd__index_freq(store, place->shard_index, slot), 0,
                          memory_order_relaxed);
    /* pairs with the acquire loads of readers, which then see the whole block */
    atomic_store_explicit(lrd__index_word(store, place->shard_index, slot),
                          lrd__word_make(place->tag, displacement, offset), memory_order_release);
    LRD__FAILPOINT("index_inserted");
}

LRD__STEP void lrd__index_replace(_Atomic uint64_t *at, uint64_t word, uint64_t offset)
{
    /* pairs with the acquire loads of readers, which then see the whole block */
    atomic_store_explicit(at,
                          lrd__word_make(lrd__word_tag(word), lrd__word_displacement(word), offset),
                          memory_order_release);
    LRD__FAILPOINT("index_replaced");
}

LRD__HOT void lrd__index_remove(lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert_locked(store, shard);
    lrd__assert(slot < lrd__shard_slots(store));
    _Atomic uint64_t *at = lrd__index_word(store, shard, slot);
    uint64_t word = atomic_load_explicit(at, memory_order_relaxed);
    atomic_store_explicit(at, 0, memory_order_release);
    LRD__FAILPOINT("index_removed");
    index_displace(store, shard, lrd__word_home(slot, word), lrd__word_displacement(word), -1);
    LRD__FAILPOINT("index_lowered");
}

LRD__HOT void lrd__index_copy(lrd_store *store, uint32_t shard, uint32_t from, uint32_t home,
                              uint32_t to)
{
    lrd__assert_locked(store, shard);
    lrd__assert(from < lrd__shard_slots(store));
    lrd__assert(to < lrd__shard_slots(store));
    lrd__assert(home < lrd__shard_buckets(store));
    uint64_t word = lrd__slot_word(store, shard, from);
    uint32_t displacement = to / LRD__WAYS - home;
    uint8_t freq = atomic_load_explicit(lrd__index_freq(store, shard, from), memory_order_relaxed);
    index_displace(store, shard, home, displacement, 1);
    LRD__FAILPOINT("index_copying");
    atomic_store_explicit(lrd__index_freq(store, shard, to), freq, memory_order_relaxed);
    /* pairs with the acquire loads of readers, which look at the old home before the new one */
    atomic_store_explicit(lrd__index_word(store, shard, to),
                          lrd__word_make(lrd__word_tag(word), displacement, lrd__word_offset(word)),
                          memory_order_release);
    LRD__FAILPOINT("index_copied");
}
