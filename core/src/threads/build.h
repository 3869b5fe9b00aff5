/* build.h - what build.c offers. */
#pragma once

#include "ground/private.h"

/* Now and then: the file's size and the offset of the clock. coarse: what lrd__clock_coarse() says.
 * LRD_ETRUNCATED, LRD_ESYS. [thread] */
int lrd__write_chores(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* End the reservation of a ledger entry, whose block is published, or retired and in no ledger.
 * [thread] */
void lrd__write_cancel(lrd__thread *self, uint32_t entry);
/* A call that was to store something in the shard ends with this code: count it, if it is a
 * refusal. Returns the code. */
int lrd__write_failed(lrd_store *store, uint32_t shard, int code);
/* True if the reservation is open in this thread. */
bool lrd__write_owns(const lrd__thread *self, const lrd_reservation *reservation);
/* Why the store could not take a value; LRD_REFUSALS: it was asked wrongly, or the mode forbade
 * it. */
lrd_refusal lrd__write_refusal(const lrd__thread *self, int code);
/* A call that was to store something ends with this code, which is not LRD_OK: each refusal is
 * counted here, and once. With or without the lock, hence fetch-add. self may be NULL. Returns the
 * code. */
__attribute__((noinline, cold)) int lrd__write_refused(lrd__shard *shard, const lrd__thread *self,
                                                       int code);
/* The reservation is over. */
LRD__HOT void lrd__write_close(lrd__thread *self, lrd_reservation *reservation);
