/* rows.h - what rows.c offers. */
#pragma once

#include "ground/private.h"

/* Evict at least one row of `units` units, and usually more, so that one barrier serves several
 * runs. Before the first row, the caller has passed over warm victims. For the other rows, this
 * function passes over at most *chances of them. Returns false if no row is possible. */
bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances);
