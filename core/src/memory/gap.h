/* gap.h - what gap.c offers. */
#pragma once

#include "ground/private.h"

/* Return the gap where the last search for about this many units ended. */
lrd__gap *lrd__gap_of(lrd__shard *shard, uint64_t units);
/* Record that units of this run page, or the page itself, became free, so that the next search
 * begins at this page or below it. */
void lrd__gaps_lower(lrd__shard *shard, uint32_t page);
/* Return the number + 1 of the run page at which a search for `units` adjacent free units begins.
 * Returns 0 if the shard surely has no such units. */
uint32_t lrd__gap_start(const lrd_store *store, const lrd__shard *shard, const lrd__gap *gap,
                        uint64_t units);
/* Call this before a run page leaves the shard's list. In each gap that names this page, replaces
 * it by the preceding page in the list. */
void lrd__gaps_leave(lrd__shard *shard, const lrd__page *p, uint32_t page);
