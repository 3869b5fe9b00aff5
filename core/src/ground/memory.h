/* memory.h - what memory.c offers. */
#pragma once

#include "ground/private.h"

/* Check that the memory for a segment of this size can exist, before the segment is created.
 * Returns LRD_ENOSPC if not; sets store->warning if it may get scarce. */
int lrd__memory_judge(lrd_store *store, uint64_t beside);
/* Set store->folio, the part of the file that is committed as a whole. LRD_ESYS: the file system
 * cannot promise that a write to a mapped page finds room. */
int lrd__memory_folio(lrd_store *store);
#ifdef LRD_FAILPOINTS
extern uint64_t lrd__test_memory;
extern bool lrd__test_disk;
#endif
