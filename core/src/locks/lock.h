/* lock.h - what lock.c offers. */
#pragma once

#include "ground/private.h"

/* Take the shard's lock like lrd__shard_lock(), but return LRD_EBUSY at once, without a detail, if
 * another thread has it. */
int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t shard);
/* Take the shard's lock. Checks the shard if it is not vetted yet after an adoption, and recovers
 * it if its last holder died. Returns LRD_EBUSY after LRD_LOCK_WAIT_MS. self may be NULL (a thread
 * without a slot). */
LRD__HOT int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t shard);
LRD__HOT void lrd__shard_unlock(lrd_store *store, uint32_t shard);
