/* grow.h - what grow.c offers. */
#pragma once

#include "ground/private.h"

/* Return the number of home buckets that a shard has with this mask. */
static inline uint64_t lrd__grow_homes(const lrd__geometry *geo, uint64_t mask)
{
    return (uint64_t)geo->buckets << (__builtin_popcountll(mask) - 32);
}
/* Do this write's part of growing: split a few home buckets. If `inserts` is true and the index is
 * too full for one more entry, also begin to grow. Takes no lock of another shard. [locked] */
LRD__HOT void lrd__grow(lrd_store *store, uint32_t shard, bool inserts);
/* Call this if all slots within reach of a home are in use. Empties one of them: its entry moves to
 * a slot that is further from the entry's own home. Returns the empty slot, or LRD__NO_SLOT if no
 * entry can be moved. [locked] */
uint32_t lrd__grow_make_room(lrd_store *store, uint32_t shard, uint32_t home);
/* Return true if an index doubling has begun and is not done, which is rare. Relaxed order is
 * enough: a write that reads an old value leaves the work to the next write. */
static inline bool lrd__grow_pending(const lrd_store *store)
{
    const lrd__view *view = &store->header->view;
    return __builtin_expect(atomic_load_explicit(&view->mask, memory_order_relaxed) !=
                                atomic_load_explicit(&view->next, memory_order_relaxed),
                            0);
}
/* For a sweep: continue to grow the shard's index, in larger steps than a write. Returns false if
 * the shard is done, or if this call made no progress. [locked] */
bool lrd__grow_push(lrd_store *store, uint32_t shard);
/* Repair the index after a writer died while it split a bucket. If two words refer to the same
 * block, removes one of these words. [locked] */
void lrd__grow_mend(lrd_store *store, uint32_t shard);
/* Check the values of the view. Returns false if an intact store cannot have these values. Call
 * this only while no other process is attached, or for a private copy of the view. */
bool lrd__grow_sound(const lrd__view *view, const lrd__geometry *geo);
/* Split up to `splits` home buckets. Returns true if the shard has split all its homes. */
bool lrd__grow_some(lrd_store *store, uint32_t index, uint32_t splits);
/* End a doubling of the index: publish the new mask, if all shards have split all their homes.
 * Returns geo.shards if no doubling is under way any more. Otherwise returns a shard that has homes
 * to split: the first one from shard `from` on. */
uint32_t lrd__grow_end(lrd_store *store, uint32_t from);
