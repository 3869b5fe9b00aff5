/* build.h - what build.c offers. */
#pragma once

#include "ground/private.h"

#define LRD__CHORES_MS 16u /* time (ms) between two checks of the file and the clocks */
/* Check that the file was not truncated or moved. Call this before you use parts that may be gone.
 * On success, stores `coarse` (from lrd__clock_coarse()) in self->looked. Returns LRD_OK,
 * LRD_ETRUNCATED, LRD_EMOVED or LRD_ESYS. [no lock is held] */
int lrd__write_look(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* If the last call was some time ago, call lrd__write_look() and do other chores. `coarse` comes
 * from lrd__clock_coarse(). Returns a code of lrd__write_look(). [thread] */
int lrd__write_chores(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* End the reservation in a ledger entry, and stop listing its block. A block that was not published
 * stays retired. [thread] */
void lrd__write_cancel(lrd__thread *self, uint32_t entry);
/* True if the reservation is open in this thread. */
bool lrd__write_owns(const lrd__thread *self, const lrd_reservation *reservation);
/* Return the reason why the store refused a value, or LRD_REFUSALS if `code` is not a refusal. */
lrd_refusal lrd__write_refusal(const lrd__thread *self, int code);
/* If `code` is a refusal, count it. Needs no lock. `self` may be NULL. Returns `code`. */
__attribute__((noinline, cold)) int lrd__write_refused(lrd__shard *shard, const lrd__thread *self,
                                                       int code);
/* Like lrd__write_refused(), but computes the shard from the key. */
__attribute__((noinline, cold)) int lrd__write_refused_key(lrd_store *store, const void *key,
                                                           size_t key_len, int code);
/* End the reservation as lrd__write_cancel() does, and clear *reservation. */
LRD__HOT void lrd__write_close(lrd__thread *self, lrd_reservation *reservation);
