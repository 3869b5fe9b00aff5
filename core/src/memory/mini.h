/* mini.h - what mini.c offers. */
#pragma once

#include "memory/claim.h"

/* Claim a free mini page for a small shard. (Without mini pages, a small shard would need a page of
 * 64 KiB for the first block of each class.) If `last` is true, even a larger shard may get a mini
 * page, because no other page was found. Returns geo.pages_all if the shard gets no mini page. */
uint64_t lrd__mini_claim(lrd_store *store, const lrd__thread *self, uint32_t shard,
                         uint32_t size_class, bool last);
