/* mini.h - what mini.c offers. */
#pragma once

#include "memory/claim.h"

/* Claim a free mini page for a shard. A shard that already has enough pages gets none, unless
 * `last` is true because the caller has found no other page. Returns geo.pages_all if the shard
 * gets no mini page. */
uint64_t lrd__mini_claim(lrd_store *store, const lrd__thread *self, uint32_t shard,
                         uint32_t size_class, bool last);
