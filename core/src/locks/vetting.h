/* vetting.h - what vetting.c offers. */
#pragma once

#include "ground/private.h"

/* Prepare a thread with a new slot for the fast path of reads. The thread may use the fast path if
 * all shards are vetted. After this call, the caller must set `fast` and `limit`. */
void lrd__vet_begin(lrd__thread *self);
/* Make sure that the shard is vetted. A thread whose `usual` is NULL must call this before it
 * searches the shard without the lock. Returns LRD_EBUSY if it cannot get the lock in time, or an
 * error of lrd__vet_shard(). */
int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t shard)
    __attribute__((noinline, cold));
/* Vet all shards that are not vetted yet, except those whose lock is taken. */
void lrd__vet_all(lrd_store *store);
