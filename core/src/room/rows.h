/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units, and more rows until a small part of the bytes of the
 * order is evicted, so that one barrier serves several runs. The caller has passed over warm next
 * victims before the first row. Before each further row, this function passes over warm next
 * victims itself: over at most *chances entries in all. Returns false if no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
