/* room.h - what room.c offers. */
#pragma once

#include "ground/private.h"

/* Help another shard to grow its index. If all shards have then split their homes, publish the new
 * mask. [no lock is held] */
void lrd__grow_help(lrd_store *store, lrd__thread *self, uint32_t shard);

/* Allocate a block like lrd__arena_try(), but make room first if necessary, by evicting and
 * dropping entries as far as the policy allows. May release the lock and take it again. Sets
 * *locked to true if the lock is held on return. Fails with LRD_ENOROOM, LRD_ENOSPC,
 * LRD_ETRUNCATED, LRD_ENOMEM or LRD_EBUSY. */
LRD__HOT int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry, bool *locked);
/* Evict the entries of a page of data, and give the page's memory back to the file system. Chooses
 * a page outside the zone that has at least `bytes` bytes of memory. Tries to take the locks of
 * shards, but does not wait for them. Returns false if no such page could be emptied, for example
 * because threads hold its values. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit pages of the zone that could not be committed because the file system was full. Empties
 * other pages to free memory for them. Each call handles only a few pages. [no lock is held] */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
