/* segment.h - what segment.c offers. */
#pragma once

#include "ground/private.h"

#ifdef LRD_FAILPOINTS
/* maximum time (ms) to wait while another process opens the store */
extern uint64_t lrd__segment_wait_ms;
#endif

/* Open the segment that the options name, or create it, and map it. Fills *store; the caller has
 * set all of *store to zero. */
int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options);
