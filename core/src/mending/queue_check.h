/* queue_check.h - queues in recovery, in adopted segments and in lrd_fsck(). */
#pragma once

#include "ground/private.h"

/* In an abandoned segment, commit the memory of all queues and message rows that are in use. Repair
 * each shard's two row numbers, and raise the number of queues if it is too low. Calls
 * lrd__shard_lost() if messages are lost. Errors: LRD_ENOSPC, LRD_ETRUNCATED, LRD_ESYS. */
int lrd__queue_commit_used(lrd_store *store);
/* Mark the body of each message as allocated. Returns false if a row names a block that cannot
 * exist. [locked] */
bool lrd__queue_allocate(lrd_store *store, uint32_t shard);
/* Drop all messages of the shard. [locked] */
void lrd__queue_empty(lrd_store *store, uint32_t shard);
/* Rebuild the trees, the counts and the list of free rows from the rows' states. [locked] */
void lrd__queue_mend(lrd_store *store, uint32_t shard);
/* Check the messages of a shard of an untrusted segment; for shard 0, also check all queues. Keeps
 * all queues, and the messages whose rows and blocks agree. Calls lrd__shard_lost() before it drops
 * a message or a queue's name. */
void lrd__queue_distrust(lrd_store *store, uint32_t shard, bool *told);
void lrd__queue_fsck(lrd_store *store, uint32_t shard, const lrd__queue_check *check);
