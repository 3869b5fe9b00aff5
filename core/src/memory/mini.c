/* mini.c - claims mini pages: pages of 4 KiB, behind the data, for a shard's first blocks of each
 * size class. */
#include "memory/mini.h"

/* In a store of less than MINI_STORE bytes, mini pages are only for blocks of up to
 * MINI_SMALL_BLOCK bytes. */
#define MINI_STORE ((uint64_t)16 << 20)
#define MINI_SMALL_BLOCK 1024u

LRD__HOT uint64_t lrd__mini_claim(lrd_store *store, const lrd__thread *self, uint32_t shard,
                                  uint32_t size_class, bool last)
{
    lrd__assert(shard < store->geo.shards);
    lrd__assert(size_class <= LRD__CLASS_RUN);
    uint64_t share = LRD__MINIS / store->geo.shards;
    lrd__header *header = store->header;
    /* pairs with the release in lrd__pages_hint_lower(), after the page has lost its owner */
    uint32_t freed = atomic_load_explicit(&header->minis_freed, memory_order_acquire);
    uint32_t most = store->geo.size < MINI_STORE ? MINI_SMALL_BLOCK : LRD__MINI_BLOCK;
    if (lrd__class_size(size_class) > most ||
        (!last && store->shards[shard].page_count >= (share > 2 ? share : 2)) ||
        atomic_load_explicit(&header->minis_none, memory_order_relaxed) == freed + 1)
        return store->geo.pages_all;
    uint32_t parts = lrd__parts_wanted(store, size_class);
    for (uint64_t page = store->geo.pages; page < store->geo.pages_all; page++)
        if (lrd__parts_of(store, page) >= parts &&
            lrd__claim_one(store, self, shard, (uint32_t)page, size_class)) {
            lrd__page_link(store, shard, (uint32_t)page, size_class);
            LRD__FAILPOINT("pages_linked");
            return page;
        }
    if (parts == 0)
        atomic_store_explicit(&header->minis_none, freed + 1, memory_order_relaxed);
    return store->geo.pages_all;
}
