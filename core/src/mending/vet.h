/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached. In most stores, the shards are left to
 * lrd__vet_shard(), which vets each at its first use. */
void lrd__vet_segment(lrd_store *store);
/* Drop the damaged data of a shard, and derive its other state from what remains. [locked] */
void lrd__vet_shard(lrd_store *store, uint32_t shard);
