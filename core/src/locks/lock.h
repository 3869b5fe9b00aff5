/* lock.h - what lock.c offers. */
#pragma once

#include "ground/private.h"

/* Take the shard's lock as lrd__shard_lock() does, but do not wait. If another thread has the lock,
 * or if the shard cannot be vetted, returns LRD_EBUSY without setting an error detail. */
int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t shard);
/* Take the shard's lock. Vets the shard if it was not vetted since the last adoption, and recovers
 * it if the previous holder died. Returns LRD_EBUSY if there was no progress for LRD_LOCK_WAIT_MS
 * (see lock.c), or immediately if lrd__shard_was_vain() is true. So a caller that tries again must
 * sleep in between. Fails as lrd__vet_shard() does if the shard cannot be vetted. `self` is NULL if
 * the thread has no slot. */
LRD__HOT int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t shard);
/* True if a thread of this process has given up waiting for the shard's lock because the holder was
 * stopped or frozen, and the holder has not run since then. */
bool lrd__shard_was_vain(lrd_store *store, uint32_t shard);
LRD__HOT void lrd__shard_unlock(lrd_store *store, uint32_t shard);
