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
/* Map the segment that has this header: a private copy that identity.c has judged. store->geo is
 * set. alone: no other process uses the segment. Then a process that cannot use membarrier switches
 * the segment to fence mode. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Commit again the used parts, except the slots, of an abandoned segment's control mapping, because
 * the file system may no longer have memory for them. */
int lrd__mapping_commit_used(lrd_store *store);
#ifdef LRD_FAILPOINTS
/* The seed of the hash in segments that tests create. 0: a random one. */
extern uint64_t lrd__test_hash_seed;
#endif
