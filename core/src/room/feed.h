/* feed.h - what feed.c offers. */
#pragma once

#include "room/survey.h"

/* at most this many windows are tried for a large value */
#define LRD__ROOM_WINDOWS 4u

/* Commit memory for a window that `self` has collected, when the file system is full. To get this
 * memory, empties other pages outside the zone. `all` is a survey of the whole store. Sets the cost
 * in `all` to UINT64_MAX for each page that was tried. */
int lrd__room_feed_window(lrd_store *store, lrd__thread *self, lrd__region *all, uint64_t first,
                          uint64_t count);
/* Empty a page that lies outside the zone and has at least `bytes` bytes of memory, and give this
 * memory back to the file system. Waits for no lock. Returns false if no such page could be
 * emptied. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit a few pages of the zone that have no memory because the file system was full. Empties
 * other pages to free memory for them. [no lock is held] */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
