/* mini.h - what mini.c offers. */
#pragma once

#include "memory/claim.h"

/* Claim a free mini page for a shard, or return geo.pages_all. A shard that has enough pages gets a
 * mini page only if `last` is true, which means that the caller has found no other page. */
uint64_t lrd__mini_claim(lrd_store *store, const lrd__thread *self, uint32_t shard,
                         uint32_t size_class, bool last);
