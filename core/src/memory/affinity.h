/* affinity.h - what affinity.c offers. */
#pragma once

#include "ground/private.h"

/* If lrd__thread.astray is at least this number, the thread claims a page for its own lane. */
#define LRD__ASTRAY 64u

/* Return a writer's lane. Neighbouring slots use different lanes. Once every page is in use, all
 * writers share lane 0, because shared pages fill better. If `self` is NULL, returns lane 0. */
static inline uint32_t lrd__lane_of(const lrd__shard *shard, const lrd__thread *self)
{
    return self != NULL && shard->one_lane == 0 ? self->slot_index % LRD__LANES : 0;
}

/* Return the number + 1 of a page that has room and belongs to another lane. Returns 0 if there is
 * no such page, or if the thread should claim a page for its own lane. */
__attribute__((noinline)) uint32_t lrd__lane_other(lrd_store *store, lrd__thread *self,
                                                   uint32_t shard, uint32_t lane,
                                                   uint32_t size_class);
/* Find a free run that this thread has allocated before, and that no other thread has allocated
 * since then. Tries the oldest runs first, because they are most likely free. If the shard has
 * given back some pages of the run, the caller must claim them again. */
bool lrd__own_run_find(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t units,
                       uint64_t *first);
/* Remember that this thread has allocated a run. */
void lrd__own_run_note(lrd__thread *self, uint32_t shard, uint64_t first, uint64_t units);
