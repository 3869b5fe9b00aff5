/* room.h - what room.c offers. */
#pragma once

#include "ground/private.h"

/* Where this shard has done its part: help another one, or end the growing. No lock is held. */
void lrd__grow_help(lrd_store *store, lrd__thread *self, uint32_t shard);

/* As lrd__arena_try, but gives up whatever the policy allows. May release and retake the lock.
 * LRD_ENOROOM, LRD_ENOSPC, LRD_ETRUNCATED, LRD_ENOMEM, LRD_EBUSY (the lock is then not held:
 * *locked). */
LRD__HOT int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry, bool *locked);
/* Give the memory of a page of data, at least so many bytes, back to the file system, evicting what
 * lies there. Takes shards' locks, waits for none. False: all that has memory, and is not of the
 * zone, is held, or others are there. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* The file system is full: see to it, a few pages at a time, that the zone has its memory, taking
 * that of others. No lock is held. */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
