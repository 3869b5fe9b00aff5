/* feed.h - what feed.c offers. */
#pragma once

#include "room/survey.h"

/* at most this many windows are tried for a large value */
#define LRD__ROOM_WINDOWS 4u

/* Call this if the file system is full. Commits memory for a window that `self` has collected:
 * empties other pages outside the zone and gives their memory back, until the commit succeeds.
 * `all` contains the cost of emptying each page. For each page that this function tries, it sets
 * the cost to UINT64_MAX. */
int lrd__room_feed_window(lrd_store *store, lrd__thread *self, lrd__region *all, uint64_t first,
                          uint64_t count);
/* Evict the entries of a page of data, and give the page's memory back to the file system. Chooses
 * a page outside the zone that has at least `bytes` bytes of memory. Tries to take the locks of
 * shards, but does not wait for them. Returns false if no such page could be emptied, for example
 * because threads hold its values. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* Commit pages of the zone that could not be committed because the file system was full. Empties
 * other pages to free memory for them. Each call handles only a few pages. [no lock is held] */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
