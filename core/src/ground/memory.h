/* memory.h - what memory.c offers. */
#pragma once

#include "ground/private.h"

/* Check whether the machine and the cgroup have enough memory for a new segment. `beside`: number
 * of bytes that the program's other stores may use. Returns LRD_OK or LRD_ENOSPC. Sets
 * store->warning if memory may become scarce. */
int lrd__memory_judge(lrd_store *store, uint64_t beside);
/* Set store->folio. Fails with LRD_ESYS if the file system cannot promise room for mapped pages. */
int lrd__memory_folio(lrd_store *store);
#ifdef LRD_FAILPOINTS
extern uint64_t lrd__test_memory;
extern bool lrd__test_disk;
#endif
