/* affinity.h - what affinity.c offers. */
#pragma once

#include "ground/private.h"

/* from this value of lrd__thread.astray on, the thread claims a page for its own lane */
#define LRD__ASTRAY 64u

/* Return a writer's lane: neighbouring slots use different lanes. Returns lane 0 if `self` is NULL,
 * or once every page is in use. */
static inline uint32_t lrd__lane_of(const lrd__shard *shard, const lrd__thread *self)
{
    return self != NULL && shard->one_lane == 0 ? self->slot_index % LRD__LANES : 0;
}

/* Return the number + 1 of another lane's page that has room, or 0 if the thread should claim a
 * page for its own lane. */
__attribute__((noinline)) uint32_t lrd__lane_other(lrd_store *store, lrd__thread *self,
                                                   uint32_t shard, uint32_t lane,
                                                   uint32_t size_class);
/* Find a free run that this thread was the last to allocate. If the shard has given back some pages
 * of the run, the caller must claim them. */
bool lrd__own_run_find(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                       uint64_t *first);
/* Remember that this thread has allocated a run. */
void lrd__own_run_note(lrd__thread *self, uint32_t shard, uint64_t first, uint64_t units);
