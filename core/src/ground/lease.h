/* lease.h - what lease.c offers. */
#pragma once

#include "ground/mutex.h"

/* Try to take a lease. Returns LRD_OK if the caller has the lease now, else LRD_EBUSY. *died
 * becomes true if the last holder died, and false otherwise. If the last holder died, the data that
 * the lease protects is as that holder left it. */
int lrd__lease_try(lrd__mutex *lease, bool *died);
/* Wait for a lease for up to `ms` milliseconds. Returns 0 or ETIMEDOUT. Returns EOWNERDEAD if the
 * last holder died: the caller has the lease and must make it consistent. */
int lrd__lease_wait(lrd__mutex *lease, long ms);
/* Return true if /proc has shown for 2 s that the holder of a lease is gone, or is a zombie. The
 * lease is then marked, as the kernel marks a lock whose holder has died. Works even if the holder
 * died before it recorded itself in `who`. */
bool lrd__lease_gone(lrd__mutex *lease, lrd__who *who);
/* lrd__who_tid() returns the thread id, and lrd__who_started() the start time, from
 * lrd__who.thread. */
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record this thread as the holder. If `started` is 0, lrd__lease_gone() cannot notice the thread's
 * death while another thread has the same id. */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
/* Return the start time of a thread, as /proc reports it. Returns 0 if there is no such thread. */
uint64_t lrd__thread_started(int tid);
/* Return the start time of a thread, in clock ticks. Sets *state to the thread's state, a letter
 * described in proc(5), or to 0 if its file in /proc cannot be read. Returns 0 if the thread has
 * ended, or if the file cannot be read. */
uint64_t lrd__thread_look(int tid, char *state);
/* Return true if a thread runs, or waits only for a processor or for the kernel. */
bool lrd__thread_runs(int tid);
/* True if a lease or lock is free, or if its holder runs, or waits only for a processor or for the
 * kernel. Uses only the thread id in the lock, because a holder may be stopped before it records
 * itself elsewhere. */
bool lrd__lease_holder_runs(const lrd__mutex *lease);
/* Return how often the kernel has given this thread a processor, or 0 if the thread has one now or
 * waits for one, or if /proc does not tell. If two calls return the same number above 0, the thread
 * has executed no instruction in between. */
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
