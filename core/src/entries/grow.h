/* grow.h - what grow.c offers. */
#pragma once

#include "ground/private.h"

static inline uint64_t lrd__grow_homes(const lrd__geometry *geo, uint64_t mask)
{
    return (uint64_t)geo->buckets << (__builtin_popcountll(mask) - 32);
}
/* Split a few home buckets in a write. If `inserts` is true, also begin to double an index that is
 * too full. [locked] */
LRD__HOT void lrd__grow(lrd_store *store, uint32_t shard, bool inserts);
/* Empty a slot within reach of a full home, by moving its entry further away. Returns the slot, or
 * LRD__NO_SLOT. [locked] */
uint32_t lrd__grow_make_room(lrd_store *store, uint32_t shard, uint32_t home);
/* True if a doubling is under way. Relaxed loads are enough. If this thread sees old values, a
 * later write notices the doubling. */
static inline bool lrd__grow_pending(const lrd_store *store)
{
    const lrd__view *view = &store->header->view;
    return __builtin_expect(atomic_load_explicit(&view->mask, memory_order_relaxed) !=
                                atomic_load_explicit(&view->next, memory_order_relaxed),
                            0);
}
/* Split homes of the shard, for a sweep. Returns true if the caller should call again: the call
 * made progress, and homes are left. [locked] */
bool lrd__grow_push(lrd_store *store, uint32_t shard);
/* Repair the index after a writer died while it moved an entry: if two words name the block, clear
 * the old one. [locked] */
void lrd__grow_mend(lrd_store *store, uint32_t shard);
/* True if an intact store can have this view. Pass a private copy, or call this only while no other
 * process is attached. */
bool lrd__grow_sound(const lrd__view *view, const lrd__geometry *geo);
/* Split up to `splits` home buckets of the shard. Returns true if no home is left to split. */
bool lrd__grow_some(lrd_store *store, uint32_t index, uint32_t splits);
/* If all shards have split all their homes, publish the new mask and return geo.shards. Otherwise,
 * return the number of a shard with homes to split. The search for this shard begins at `from`. */
uint32_t lrd__grow_end(lrd_store *store, uint32_t from);
