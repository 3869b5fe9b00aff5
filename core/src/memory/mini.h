/* mini.h - what mini.c offers. */
#pragma once

#include "memory/claim.h"

/* Claim a free mini page for a small shard: without mini pages, it would need 64 KiB for the first
 * block of each class. If `last` is true, also claims one for a larger shard that finds no other
 * page. Returns geo.pages_all if no mini page is free. */
uint64_t lrd__mini_claim(lrd_store *store, const lrd__thread *self, uint32_t shard,
                         uint32_t size_class, bool last);
