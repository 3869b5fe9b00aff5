/* gap.h - what gap.c offers. */
#pragma once

#include "ground/private.h"

/* Return the gap for runs of this length: the place where the last search for about `units` free
 * units ended. */
lrd__gap *lrd__gap_of(lrd__shard *shard, uint64_t units);
/* Lower the gaps that are above this run page. Call this when units of the page become free, or
 * when the page joins the shard's list. */
void lrd__gaps_lower(lrd__shard *shard, uint32_t page);
/* Return the number + 1 of the page where a search for a run of `units` free units begins, or 0 if
 * the shard surely has no such run. */
uint32_t lrd__gap_start(const lrd_store *store, const lrd__shard *shard, const lrd__gap *gap,
                        uint64_t units);
/* Call this before a run page leaves the shard's list. Gaps at this page move to the preceding page
 * in the list. */
void lrd__gaps_leave(lrd__shard *shard, const lrd__page *p, uint32_t page);
