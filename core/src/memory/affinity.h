/* affinity.h - what affinity.c offers. */
#pragma once

#include "ground/private.h"

/* if its lane had no room this often, a writer prefers to claim a page */
#define LRD__ASTRAY 64u

/* A writer's lane, from its slot number, so that neighbouring slots use different lanes. Once
 * every page is in use, all writers share lane 0: memory is scarce then, and pages of several
 * lanes become empty more rarely. */
static inline uint32_t lrd__lane_of(const lrd__shard *shard, const lrd__thread *self)
{
    return self != NULL && shard->one_lane == 0 ? self->slot_index % LRD__LANES : 0;
}

/* Return a page with room of another lane. 0: there is no such page, or this lane has often had
 * no room and should claim one. */
__attribute__((noinline)) uint32_t lrd__lane_other(lrd_store *store, lrd__thread *self,
                                                   uint32_t shard, uint32_t lane,
                                                   uint32_t size_class);
/* Find a free run that this thread was the last to allocate; the oldest first, because it is
 * most likely free. Pages that the shard gave back must be claimed again. So each of several
 * writers reuses its own memory, which need not come from another processor's caches. The
 * remembered runs are hints and are checked. */
bool lrd__own_run_find(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                       uint64_t *first);
/* Note that this thread has allocated a run. */
void lrd__own_run_note(lrd__thread *self, uint32_t shard, uint64_t first, uint64_t units);
