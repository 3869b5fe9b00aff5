/* vetting.h - what vetting.c offers. */
#pragma once

#include "ground/private.h"

/* If all shards are vetted, let a thread that has just got its slot use the fast path of reads. The
 * caller must then set the fields `fast` and `limit`. */
void lrd__vet_begin(lrd__thread *self);
/* Make sure that the shard is vetted. A thread whose `usual` is NULL must call this before it
 * searches the shard without the lock. Returns LRD_EBUSY if the shard is not vetted and this thread
 * cannot get its lock in time, or an error of lrd__vet_shard(). */
int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t shard)
    __attribute__((noinline, cold));
/* Vet all shards that are not vetted yet, except shards whose lock another thread has. */
void lrd__vet_all(lrd_store *store);
