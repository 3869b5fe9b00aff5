/* grow.h - what grow.c offers. */
#pragma once

#include "ground/private.h"

/* Return the number of homes that a shard has with this mask. */
static inline uint64_t lrd__grow_homes(const lrd__geometry *geo, uint64_t mask)
{
    return (uint64_t)geo->buckets << (__builtin_popcountll(mask) - 32);
}
/* Do this write's part of growing: begin to grow if the index is too full for one more entry
 * (inserts), and split a bounded number of home buckets. Takes no other lock. [locked] */
LRD__HOT void lrd__grow(lrd_store *store, uint32_t shard, bool inserts);
/* Empty a slot within reach of a home whose reach is full, by moving an entry further away from
 * its own. LRD__NO_SLOT: no entry can be moved. [locked] */
uint32_t lrd__grow_make_room(lrd_store *store, uint32_t shard, uint32_t home);
/* Return true if the growing has work to do, which is rare. Relaxed: a write that reads an old
 * value leaves the work to the next. */
static inline bool lrd__grow_pending(const lrd_store *store)
{
    const lrd__view *view = &store->header->view;
    return __builtin_expect(atomic_load_explicit(&view->mask, memory_order_relaxed) !=
                                atomic_load_explicit(&view->next, memory_order_relaxed),
                            0);
}
/* Continue to grow in larger pieces, for a sweep, which writes nothing. Returns false if the
 * shard is done, or if there is no memory. [locked] */
bool lrd__grow_push(lrd_store *store, uint32_t shard);
/* Mend the index after a death while splitting: no block is in two words afterwards. [locked] */
void lrd__grow_mend(lrd_store *store, uint32_t shard);
/* Return true if the view can be the state of a store. No other process is attached, or the view is
 * a private copy. */
bool lrd__grow_sound(const lrd__view *view, const lrd__geometry *geo);
/* Split up to `splits` homes. Returns true if the shard has done its part. */
bool lrd__grow_some(lrd_store *store, uint32_t index, uint32_t splits);
/* Publish the new mask if all shards have done their part. Returns the first shard that has not,
 * or geo.shards. */
uint32_t lrd__grow_end(lrd_store *store, uint32_t from);
