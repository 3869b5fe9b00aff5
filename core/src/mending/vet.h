/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment that no other process has attached: create all locks and slots again, check the
 * owners of pages, and mark every shard as not vetted yet. */
void lrd__vet_segment(lrd_store *store);
/* Check every page, word and block of a shard. Drop damaged data. Compute counts, lists and queues
 * again from the data that remains. [locked] */
void lrd__vet_shard(lrd_store *store, uint32_t shard);
