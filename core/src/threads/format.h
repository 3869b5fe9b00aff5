/* format.h - what format.c offers. */
#pragma once

#include "ground/identity.h"

/* The options of one call of lrd_open(), and facts about the caller. */
typedef struct lrd__request {
    const lrd_options *options;
    lrd__geometry geo; /* geometry of the segment if this call creates one */
    lrd__identity self;
} lrd__request;

/* Format an empty file as a segment, and map it. If the result is LRD_OK, the segment's state is
 * LRD__STATE_READY. */
int lrd__mapping_create(lrd_store *store, const lrd__request *request);
/* Map an existing segment. `header` is a private copy of its header, which identity.c has checked.
 * The caller has set store->geo. `alone` is true if no other process uses the segment. A process
 * without membarrier(2) needs a segment in fence mode. Such a process switches the segment to fence
 * mode if `alone` is true and open_only is false. Otherwise this function fails with
 * LRD_EBARRIER. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Prepare the control mapping of an abandoned segment: clear its unused parts, and commit the used
 * parts again, because the file system may have lost their memory. Does not commit the slots. */
int lrd__mapping_commit_used(lrd_store *store);
#ifdef LRD_FAILPOINTS
/* The seed of the hash in segments that tests create. If it is 0, the seed is random. */
extern uint64_t lrd__test_hash_seed;
#endif
