/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached, except shards that can wait for their first
 * use. */
void lrd__vet_segment(lrd_store *store);
/* Drop the damaged data of a shard, and derive its other state from what remains. [locked] */
void lrd__vet_shard(lrd_store *store, uint32_t shard);
