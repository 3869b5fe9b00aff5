/* format.h - what format.c offers. */
#pragma once

#include "ground/identity.h"

/* the options of one call of lrd_open(), and facts about the caller */
typedef struct lrd__request {
    const lrd_options *options;
    lrd__geometry geo; /* geometry of the segment if this call creates one */
    lrd__identity self;
} lrd__request;

/* Format an empty file as a segment, and map it. After LRD_OK, its state is LRD__STATE_READY. */
int lrd__mapping_create(lrd_store *store, const lrd__request *request);
/* Map an existing segment. `header` is a private copy of its checked header. The caller has set
 * store->geo. `alone` is true if no other process uses the segment. If this process lacks
 * membarrier(2), the segment must be in fence mode. Turning fence mode on requires that `alone` is
 * true and open_only is not set. Without these, a segment in the other mode causes LRD_EBARRIER. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Clear the unused parts of an abandoned segment, and commit its used parts again: the file system
 * may have lost their memory. Does not touch the slots. */
int lrd__mapping_commit_used(lrd_store *store);
#ifdef LRD_FAILPOINTS
/* seed of the hash in segments that tests create; 0: a random seed */
extern uint64_t lrd__test_hash_seed;
#endif
