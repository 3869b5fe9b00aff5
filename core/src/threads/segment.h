/* segment.h - what segment.c offers. */
#pragma once

#include "ground/private.h"

#ifdef LRD_FAILPOINTS
extern uint64_t lrd__segment_wait_ms; /* maximum time (ms) to wait for another opener */
#endif

/* Map the segment that the options name into *store (zeroed by the caller). Creates the segment if
 * necessary. */
int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options);
