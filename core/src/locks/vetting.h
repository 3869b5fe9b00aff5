/* vetting.h - what vetting.c offers. */
#pragma once

#include "ground/private.h"

/* Decide if a thread that has just got its slot may use the fast path of reads: only if all shards
 * are vetted. The caller sets `fast` and the limit. */
void lrd__vet_begin(lrd__thread *self);
/* Make sure that the shard is vetted. If it is already, try to vet another one. A thread whose
 * `usual` is NULL calls this before it searches a shard without the lock. Returns LRD_EBUSY if
 * another thread has had the shard's lock for a second. */
int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t shard)
    __attribute__((noinline, cold));
/* Vet the remaining shards, except busy ones. */
void lrd__vet_all(lrd_store *store);
