/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units. Then evict more rows until a small part of the order's
 * bytes is evicted, so that one barrier serves several runs. The caller has already passed over
 * warm victims for the first row. This function does so for each further row, for at most *chances
 * victims in all. Returns false if no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
