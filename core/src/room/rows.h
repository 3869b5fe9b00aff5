/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units. Then evict more rows, until a small part of the bytes of
 * the order is evicted: one barrier can then serve several runs. Before each row except the first,
 * passes over warm next victims, at most *chances in all. Before the first row, the caller has done
 * this. Returns false if no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
