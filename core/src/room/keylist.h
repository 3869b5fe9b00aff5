/* keylist.h - what keylist.c offers. */
#pragma once

#include "ground/private.h"

/* End those of the thread. LRD_EBUSY: those in a shard that is busy stay, until they are ended
 * again. */
int lrd__keylock_end_all(lrd__thread *self);
/* Try again with what lrd_request_end() could not end. Waits for no shard. */
void lrd__keylock_end_left(lrd__thread *self) __attribute__((noinline, cold));
/* The same, and free what the thread has for them. */
void lrd__keylock_leave(lrd__thread *self);
/* Let chunks of other shards whose rows nobody has be nobody's, a few of them. Waits for no shard.
 * No lock is held. */
void lrd__keyrow_collect(lrd__thread *self, uint32_t shard);
#define LRD__KEYLIST_FREE                                                                          \
    0x80000000u /* of an entry: it is free; below, the next free entry + 1                         \
                 */
#define LRD__KEYLIST_LEFT                                                                          \
    0x40000000u /* of an entry: its request has ended, the row could not be                        \
                 */
uint32_t *lrd__keylist_entry(lrd__keylist *list, uint32_t place);
/* Have room for one more, if it can be had. Address space for all rows: pages come as they are
 * used. */
void lrd__keylist_prepare(lrd__thread *self);
/* The place of a new entry, or KEYLIST_NONE. */
uint32_t lrd__keylist_add(lrd__thread *self, uint32_t link);
/* Whether an entry says that a row is of a request that has ended. */
bool lrd__keylist_is_left(lrd__keylist *list, uint32_t place, uint32_t link);
/* End a reservation of this process. Returns the turn with which the row is kept for a waiter,
 * which the caller wakes (lrd__keylock_pass) after it has released the lock, or they would queue up
 * there; 0: none. */
uint32_t lrd__keylock_release(lrd__thread *self, lrd__shard *shard, lrd__keylock *row);
/* Wake one waiter of a row that is kept. Where nobody slept, the row is free: whoever is about to
 * sleep sees that turn was raised, and looks for the key again. */
void lrd__keylock_pass(lrd__thread *self, uint32_t index, lrd__keylock *row, uint32_t turn);
struct timespec lrd__keylock_step(uint64_t ms);
/* Returns at once if turn is no longer what it was under the lock. True: the whole time has gone
 * by. */
bool lrd__keylock_sleep(lrd__keylock *row, uint32_t turn, uint64_t ms);
