/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached. In most stores, each shard is vetted only at
 * its first use, by lrd__vet_shard(). Fails with LRD_ESYS or LRD_ETRUNCATED if memory cannot be
 * committed; the caller may then call this function again later. A full file system does not count
 * as a failure. */
int lrd__vet_segment(lrd_store *store);
/* Drop the damaged data of a shard, and compute the shard's other fields again from the data that
 * is left. Fails like lrd__vet_segment(). After a failure, the shard does not count as vetted.
 * [locked] */
int lrd__vet_shard(lrd_store *store, uint32_t shard);
