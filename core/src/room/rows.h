/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units. Then evict more rows until a small part of the order's
 * bytes is evicted, so that one barrier serves several runs. Before each further row, passes over
 * warm next victims, at most *chances in all. The caller has already done this for the first row.
 * Returns false if no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
