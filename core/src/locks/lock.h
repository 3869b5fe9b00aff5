/* lock.h - what lock.c offers. */
#pragma once

#include "ground/private.h"

/* Take the shard's lock, but do not wait. Returns LRD_EBUSY, without a detail, if the lock is taken
 * or the shard cannot be vetted. */
int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t shard);
/* Take the shard's lock. Vets the shard after an adoption, and recovers the shard if the previous
 * holder died. `self` is NULL if the thread has no slot. Returns LRD_EBUSY if the lock makes no
 * progress for LRD_LOCK_WAIT_MS (see lock.c). If lrd__shard_was_vain() is true, returns LRD_EBUSY
 * immediately, so sleep before you try again. Fails as lrd__vet_shard() does. */
LRD__HOT int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t shard);
/* True if a thread of this process has waited in vain for the shard's lock, and its stopped or
 * frozen holder has not run since. */
bool lrd__shard_was_vain(lrd_store *store, uint32_t shard);
LRD__HOT void lrd__shard_unlock(lrd_store *store, uint32_t shard);
