/* gap.h - what gap.c offers. */
#pragma once

#include "ground/private.h"

/* Return the gap for runs of about `units` units. */
lrd__gap *lrd__gap_of(lrd__shard *shard, uint64_t units);
/* Move each gap that is above this run page down to this page. Call this after units of the page
 * became free, or the page joined the list of run pages. gap.c explains gaps. */
void lrd__gaps_lower(lrd__shard *shard, uint32_t page);
/* Return the number + 1 of the page where a search for `units` free units begins. Returns 0 if the
 * shard has no run of that many free units. */
uint32_t lrd__gap_start(const lrd_store *store, const lrd__shard *shard, const lrd__gap *gap,
                        uint64_t units);
/* If a gap is at this page, move the gap to the preceding page in the shard's list of run pages.
 * Call this before the page leaves the list. */
void lrd__gaps_leave(lrd__shard *shard, const lrd__page *p, uint32_t page);
