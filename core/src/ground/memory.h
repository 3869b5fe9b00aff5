/* memory.h - what memory.c offers. */
#pragma once

#include "ground/private.h"

/* Check that the machine and the cgroup have enough memory for this segment, before the segment is
 * created. Returns LRD_ENOSPC if they do not; sets store->warning if memory may become scarce.
 * `beside`: bytes that other stores of the program may still use. */
int lrd__memory_judge(lrd_store *store, uint64_t beside);
/* Set store->folio, the part of the file that is committed as a whole. Fails with LRD_ESYS if the
 * file system cannot promise that a write to a mapped page finds room. */
int lrd__memory_folio(lrd_store *store);
#ifdef LRD_FAILPOINTS
extern uint64_t lrd__test_memory;
extern bool lrd__test_disk;
#endif
