/* build.h - what build.c offers. */
#pragma once

#include "ground/private.h"

/* the writes of a thread check the file and the clocks at most once in this time (ms) */
#define LRD__CHORES_MS 16u
/* Check that the file was not truncated or moved, before using parts that may be lost. On success,
 * stores `coarse` (from lrd__clock_coarse()) in self->looked. Returns LRD_OK, LRD_ETRUNCATED,
 * LRD_EMOVED or LRD_ESYS. [no lock is held] */
int lrd__write_look(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* Call lrd__write_look() and do other chores if LRD__CHORES_MS have passed since the last time.
 * `coarse` comes from lrd__clock_coarse(). Returns a code of lrd__write_look(). [thread] */
int lrd__write_chores(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* End the reservation in a ledger entry, and clear this entry. A block that was not published stays
 * retired. [thread] */
void lrd__write_cancel(lrd__thread *self, uint32_t entry);
/* True if this thread has begun this reservation, and has not ended it yet. */
bool lrd__write_owns(const lrd__thread *self, const lrd_reservation *reservation);
/* Return the cause of a refusal, or LRD_REFUSALS if the error `code` of a write is not a
 * refusal. */
lrd_refusal lrd__write_refusal(const lrd__thread *self, int code);
/* Count `code` if it is a refusal, and return it. Needs no lock. `self` may be NULL. */
__attribute__((noinline, cold)) int lrd__write_refused(lrd__shard *shard, const lrd__thread *self,
                                                       int code);
/* Call lrd__write_refused() for the key's shard. */
__attribute__((noinline, cold)) int lrd__write_refused_key(lrd_store *store, const void *key,
                                                           size_t key_len, int code);
/* End the reservation as lrd__write_cancel() does, and clear *reservation. */
LRD__HOT void lrd__write_close(lrd__thread *self, lrd_reservation *reservation);
