/* feed.h - what feed.c offers. */
#pragma once

#include "room/survey.h"

/* maximum number of windows that one search for a large value tries */
#define LRD__ROOM_WINDOWS 4u

/* Commit memory for the window [first, first + count), which `self` has collected. Call this when
 * the file system is full. Empties pages outside the zone to get the memory. `all` is a survey of
 * the whole store. The function sets the cost of each page that it tries to UINT64_MAX there. */
int lrd__room_feed_window(lrd_store *store, lrd__thread *self, lrd__region *all, uint64_t first,
                          uint64_t count);
/* Empty a page outside the zone with at least `bytes` bytes of memory, and give this memory back.
 * Does not wait for locks. Returns false on failure. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit memory for a few pages of the zone that got none because the file system was full. Empties
 * other pages to get this memory. [no lock is held] */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
