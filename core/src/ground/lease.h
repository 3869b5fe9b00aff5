/* lease.h - what lease.c offers. */
#pragma once

#include "ground/mutex.h"

/* Try to take a lease, even if its holder died. Does not change lrd__who.thread, so this field
 * still describes an earlier holder. Returns LRD_OK or LRD_EBUSY. */
int lrd__lease_try(lrd__mutex *lease, lrd__who *who);
/* Wait for a lease for up to `ms` milliseconds. Returns 0 or ETIMEDOUT. Returns EOWNERDEAD if the
 * previous holder died: the caller now has the lease, and must make it consistent. */
int lrd__lease_wait(lrd__mutex *lease, long ms);
/* Return true, and mark the lease, if /proc has shown for 2 s that its holder is gone. Works even
 * if the holder died before it recorded itself in `who`. */
bool lrd__lease_gone(lrd__mutex *lease, lrd__who *who);
/* lrd__who_tid() returns the thread id in lrd__who.thread, lrd__who_started() the start time. */
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record the thread `tid` as the holder. If `started` is 0 and this thread dies, lrd__lease_gone()
 * cannot distinguish it from a later thread with the same id. */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
/* Return the start time of a thread, as /proc reports it. Returns 0 if there is no such thread. */
uint64_t lrd__thread_started(int tid);
/* Return a thread's start time in clock ticks. Returns 0 if the thread has ended, or if /proc
 * cannot be read. Sets *state to the letter of the thread's state (proc(5)), or to 0. */
uint64_t lrd__thread_look(int tid, char *state);
/* Return true if a thread runs, waits for a processor, or waits for the kernel. Returns false if
 * the thread is stopped or sleeps. */
bool lrd__thread_runs(int tid);
/* True if a lease or lock is free, or if lrd__thread_runs() is true for its holder. Reads the
 * holder's id from the lock's word, because a holder may be stopped before it records itself in
 * lrd__who. */
bool lrd__lease_holder_runs(const lrd__mutex *lease);
/* Return how often the kernel has given this thread a processor. Returns 0 if the thread runs, if
 * it waits for a processor, or if /proc cannot be read. If two calls return equal numbers above 0,
 * the thread has executed nothing in between. */
uint64_t lrd__thread_stays(int tid);

/* Called in each round of a spin loop: lets the other hardware thread of this core run for some
 * cycles. */
static inline void lrd__lease_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}
