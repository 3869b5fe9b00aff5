/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units. Usually evicts several rows, so that one barrier frees
 * room for several runs. Between rows, passes over at most *chances warm victims. Returns false if
 * no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
/* Return the rate (pages.h) of the row that lrd__room_take_rows() would evict first, divided by its
 * units. Returns UINT64_MAX if there is none. [locked] */
uint64_t lrd__room_rows_rate(lrd_store *store, uint32_t shard, uint64_t units);
