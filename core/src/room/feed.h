/* feed.h - what feed.c offers. */
#pragma once

#include "room/survey.h"

/* maximum number of windows that one search for a large value tries */
#define LRD__ROOM_WINDOWS 4u

/* The file system is full: commit memory for a window that `self` has collected. To get this
 * memory, the function empties pages outside the zone, and gives their memory back. `all` is a
 * survey of the whole store. For each page that the function has tried to empty, it sets the cost
 * in `all` to UINT64_MAX. */
int lrd__room_feed_window(lrd_store *store, lrd__thread *self, lrd__region *all, uint64_t first,
                          uint64_t count);
/* Empty a page that lies outside the zone and has at least `bytes` bytes of memory, and give this
 * memory back to the file system. Does not wait for locks. Returns false if it could not empty such
 * a page. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit memory for a few pages of the zone that got none because the file system was full. To get
 * this memory, empties pages outside the zone. [no lock is held] */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
