/* queue_check.h - queues in recovery, in adopted segments and in lrd_fsck(). */
#pragma once

#include "ground/private.h"

/* Commit all used queues and message rows of an abandoned segment. Also repair the stored numbers
 * of used queues and of used rows. Calls lrd__shard_lost() if messages are lost. Errors:
 * LRD_ENOSPC, LRD_ETRUNCATED, LRD_ESYS. */
int lrd__queue_commit_used(lrd_store *store);
/* Mark the body of each message as allocated. Returns false if a row names a block that cannot
 * exist. [locked] */
bool lrd__queue_allocate(lrd_store *store, uint32_t shard);
/* Drop all messages of the shard. [locked] */
void lrd__queue_empty(lrd_store *store, uint32_t shard);
/* Rebuild trees, counts and the list of free rows from the rows' states. [locked] */
void lrd__queue_mend(lrd_store *store, uint32_t shard);
/* In a shard that is not trusted, drop each message whose row and block disagree. For shard 0, also
 * repair all queues. Calls lrd__shard_lost() before it drops a message or the name of a queue. */
void lrd__queue_distrust(lrd_store *store, uint32_t shard, bool *told);
void lrd__queue_fsck(lrd_store *store, uint32_t shard, const lrd__queue_check *check);
