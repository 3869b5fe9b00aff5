/* format.h - what format.c offers. */
#pragma once

#include "ground/identity.h"

/* One call of lrd_open(): its options and facts about the caller. */
typedef struct lrd__request {
    const lrd_options *options;
    lrd__geometry geo; /* of a new segment */
    lrd__identity self;
} lrd__request;

/* Format an empty file as a segment, and map it. On LRD_OK the segment's state is READY. */
int lrd__mapping_create(lrd_store *store, const lrd__request *request);
/* Map the segment that has this header (a judged copy); store->geo is set. alone: no other process
 * uses the segment. If this process cannot use membarrier, it then switches the segment to fence
 * mode. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Commit the used parts of the control mapping of an abandoned segment, except the slots: the file
 * system may not have their memory any more. */
int lrd__mapping_commit_used(lrd_store *store);
#ifdef LRD_FAILPOINTS
/* The seed of the hash in segments that tests create. 0: a random one. */
extern uint64_t lrd__test_hash_seed;
#endif
