/* keylist.h - what keylist.c offers. */
#pragma once

#include "ground/private.h"

/* End all reservations of the thread. Returns LRD_EBUSY if some remain because a shard is busy. */
int lrd__keylock_end_all(lrd__thread *self);
/* Try again to end the reservations that an earlier call could not end. Does not wait for busy
 * shards. */
void lrd__keylock_end_left(lrd__thread *self) __attribute__((noinline, cold));
/* End all reservations of the thread, and free its list. */
void lrd__keylock_leave(lrd__thread *self);
/* Make other shards give back a few chunks that have no reservations. Skips busy shards. [no lock
 * is held] */
void lrd__keyrow_collect(lrd__thread *self, uint32_t shard);
/* flag of a free entry; the other bits are the number of the next free entry + 1 */
#define LRD__KEYLIST_FREE 0x80000000u
/* Flag of a list entry: the entry's reservation could not be ended, because its shard was busy. A
 * later call tries to end it again. */
#define LRD__KEYLIST_LEFT 0x40000000u
uint32_t *lrd__keylist_entry(lrd__keylist *list, uint32_t place);
/* Make room in the list for one more entry. If memory runs out, lrd__keylist_add() cannot add the
 * next row. */
void lrd__keylist_prepare(lrd__thread *self);
/* Add a row to the list. Returns its place, or KEYLIST_NONE if there is no room for it. */
uint32_t lrd__keylist_add(lrd__thread *self, uint32_t link);
/* True if the entry at `place` refers to this row, and has LRD__KEYLIST_LEFT. */
bool lrd__keylist_is_left(lrd__keylist *list, uint32_t place, uint32_t link);
/* Set LRD__KEYLIST_LEFT in the entry of this thread's reservation of a key. The reservation must
 * have this token; 0 allows any token. */
void lrd__keylist_leave(lrd__thread *self, uint32_t shard, uint64_t hash_low, uint64_t hash_high,
                        uint64_t token) __attribute__((noinline, cold));
/* End a reservation. If no thread waits for the key, frees the row and returns 0. Otherwise keeps
 * the row, and returns its `turn`. The caller then unlocks the shard, and passes this number to
 * lrd__keylock_pass(). [locked] */
uint32_t lrd__keylock_release(lrd__thread *self, lrd__shard *shard, lrd__keylock *row);
/* Wake one waiter of a row that lrd__keylock_release() has kept. If no waiter sleeps, free the row.
 * A waiter that is about to sleep then notices the new turn, and checks the key again. */
void lrd__keylock_pass(lrd__thread *self, uint32_t index, lrd__keylock *row, uint32_t turn);
/* Return the time (ms) that a waiter with `ms` left may sleep before it checks the key again. */
uint64_t lrd__keylock_step(uint64_t ms);
/* Sleep while row->turn equals `turn`, for at most lrd__keylock_step(ms). Returns LRD_OK if the
 * caller must check the key again, LRD_MISS (timeout) or LRD_INTR (signal). */
int lrd__keylock_sleep(lrd__keylock *row, uint32_t turn, uint64_t ms);
