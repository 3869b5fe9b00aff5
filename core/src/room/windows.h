/* windows.h - what windows.c offers. */
#pragma once

#include "ground/private.h"

/* Record that a search for room has waited in vain for a shard's lock. For ROOM_STALLED_MS,
 * searches of this process do not wait for this lock. */
void lrd__room_note_stalled(lrd_store *store, uint32_t shard);
/* lrd__room_note_stalled() has recorded a shard. Return its number + 1 if another thread still
 * holds its lock. Returns 0 if the lock is free again, or if no shard is recorded. */
uint32_t lrd__room_stalled(lrd_store *store, lrd__thread *self);
/* Empty `count` neighbouring pages, and claim them for this shard. Releases the shard's lock
 * meanwhile; if it cannot take the lock again, sets *locked to false and returns the error.
 * Otherwise returns LRD_OK, LRD_ENOROOM, or LRD_ENOMEM. Sets *busy to true if the lock of some
 * shard was not available. */
int lrd__room_take_window(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                          uint32_t size_class, bool *locked, bool *busy);
/* Do the same for run pages, but only with a window whose pages have rates (pages.h) that sum up to
 * less than `most`. After a search in vain, returns LRD_ENOROOM for some time without a search. */
int lrd__room_take_worse(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t count,
                         uint64_t most, bool *locked, bool *busy);
