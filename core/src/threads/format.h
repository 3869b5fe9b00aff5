/* format.h - what format.c offers. */
#pragma once

#include "ground/identity.h"

/* A call of lrd_open(): its options and its caller. */
typedef struct lrd__request {
    const lrd_options *options;
    lrd__geometry geo; /* of a new segment */
    lrd__identity self;
} lrd__request;

/* Format an empty file as a segment and map it. Its state is READY when this returns LRD_OK. */
int lrd__mapping_create(lrd_store *store, const lrd__request *request);
/* Map the segment with this header (a judged copy); store->geo is set. alone: the caller has the
 * exclusive lock. Then the segment gets fence mode if this process cannot use another one. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Commit the used parts of the control mapping of an abandoned segment, except the slots:
 * nothing in the segment proves that the file system still has these pages. */
int lrd__mapping_commit_used(lrd_store *store);
#ifdef LRD_FAILPOINTS
/* The seed of the hash in segments that tests create. 0: a random one. */
extern uint64_t lrd__test_hash_seed;
#endif
