/* keylist.h - what keylist.c offers. */
#pragma once

#include "ground/private.h"

/* End all reservations of the thread. Returns LRD_EBUSY if reservations in a busy shard remain
 * until the next call of this function. */
int lrd__keylock_end_all(lrd__thread *self);
/* Try again to end the reservations that lrd_request_end() or lrd_unlock() could not end. Waits for
 * no shard. */
void lrd__keylock_end_left(lrd__thread *self) __attribute__((noinline, cold));
/* End all reservations of the thread, and free its list. */
void lrd__keylock_leave(lrd__thread *self);
/* Make other shards give back a few chunks whose rows are all free. Then any shard may claim these
 * chunks. Does not wait for busy shards. [no lock is held] */
void lrd__keyrow_collect(lrd__thread *self, uint32_t shard);
/* the entry is free; its other bits are the number of the next free entry + 1 */
#define LRD__KEYLIST_FREE 0x80000000u
/* set if a reservation must end, because of an unlock or the end of its request, but its shard was
 * busy; a later call ends it */
#define LRD__KEYLIST_LEFT 0x40000000u
uint32_t *lrd__keylist_entry(lrd__keylist *list, uint32_t place);
/* Make room for one more entry, if there is memory. Reserves addresses for entries of all rows;
 * memory is allocated only as entries are used. */
void lrd__keylist_prepare(lrd__thread *self);
/* Add an entry. Returns its place, or KEYLIST_NONE if there is no memory. */
uint32_t lrd__keylist_add(lrd__thread *self, uint32_t link);
/* Return true if the entry at `place` refers to this row, and is marked as left. */
bool lrd__keylist_is_left(lrd__keylist *list, uint32_t place, uint32_t link);
/* Mark this thread's reservation of a key for a later call, which then ends it. It could not be
 * ended now, because its shard is busy. `token` is the reservation's token, or 0 if any token will
 * do. Does nothing if the list has no such reservation. */
void lrd__keylist_leave(lrd__thread *self, uint32_t shard, uint64_t hash_low, uint64_t hash_high,
                        uint64_t token) __attribute__((noinline, cold));
/* End a reservation of this process. If no thread waits for the key, frees the row and returns 0.
 * Otherwise keeps the row for a waiter, and returns row->turn. The caller then releases the shard's
 * lock, which the waiter needs, and passes the result to lrd__keylock_pass(). */
uint32_t lrd__keylock_release(lrd__thread *self, lrd__shard *shard, lrd__keylock *row);
/* Wake one waiter of a row that lrd__keylock_release() has kept. If no waiter sleeps, free the row.
 * A waiter that has not yet gone to sleep needs no wake-up: it sees that row->turn was raised, and
 * looks for the key again. */
void lrd__keylock_pass(lrd__thread *self, uint32_t index, lrd__keylock *row, uint32_t turn);
/* Return the smaller of `ms` and the time (ms) after which a sleeping waiter must look again. */
uint64_t lrd__keylock_step(uint64_t ms);
/* Sleep while row->turn equals `turn`, which was read under the lock, for at most `ms`
 * milliseconds. Returns LRD_OK if the caller must look again, LRD_MISS if the whole time has
 * passed, or LRD_INTR if a signal came. */
int lrd__keylock_sleep(lrd__keylock *row, uint32_t turn, uint64_t ms);
