/* room.h - what room.c offers. */
#pragma once

#include "ground/private.h"

/* Help another shard to grow its index, or publish the new mask, once this shard has done its
 * part. No lock is held. */
void lrd__grow_help(lrd_store *store, lrd__thread *self, uint32_t shard);

/* Allocate a block as lrd__arena_try() does, but evict and drop entries, as far as the policy
 * allows, to make room. May release and retake the lock. LRD_ENOROOM, LRD_ENOSPC,
 * LRD_ETRUNCATED, LRD_ENOMEM, LRD_EBUSY (the lock is then not held: *locked). */
LRD__HOT int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry, bool *locked);
/* Give the memory of a page of data, of at least `bytes` bytes, back to the file system, and evict
 * the entries there. Takes shards' locks, but waits for none. Returns false if every page outside
 * the zone that has memory is held, or in use by other threads. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit the zone's memory after the file system was full, a few pages at a time, by taking the
 * memory of other pages. No lock is held. */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
