/* vetting.h - what vetting.c offers. */
#pragma once

#include "ground/private.h"

/* A thread has got its slot: may it read the usual way? fast and the limit are the caller's to
 * set. */
void lrd__vet_begin(lrd__thread *self);
/* For a thread whose usual is NULL, before it searches a shard without the lock: see to it that the
 * shard is vetted, or that one more is. LRD_EBUSY: somebody has had its lock for a second. */
int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t shard)
    __attribute__((noinline, cold));
/* Vet what is left, but for shards that are busy. */
void lrd__vet_all(lrd_store *store);
