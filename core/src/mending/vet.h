/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached. In most stores, the shards are left to
 * lrd__vet_shard(), which vets each at its first use. Fails with LRD_ESYS or LRD_ETRUNCATED if
 * memory cannot be committed for a reason other than a full file system. In this case, call it
 * again later. */
int lrd__vet_segment(lrd_store *store);
/* Drop the damaged data of a shard, and derive its other state from what remains. Fails as
 * lrd__vet_segment() does: the shard then stays not vetted. [locked] */
int lrd__vet_shard(lrd_store *store, uint32_t shard);
