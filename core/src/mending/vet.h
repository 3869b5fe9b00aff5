/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached. Most stores leave the shards to
 * lrd__vet_shard(). Fails with LRD_ESYS or LRD_ETRUNCATED if memory cannot be committed, unless the
 * file system is full. Call it again later. */
int lrd__vet_segment(lrd_store *store);
/* Drop a shard's damaged data, and derive the rest. Fails as lrd__vet_segment() does; the shard
 * then stays not vetted. [locked] */
int lrd__vet_shard(lrd_store *store, uint32_t shard);
