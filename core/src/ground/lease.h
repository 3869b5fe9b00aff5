/* lease.h - what lease.c offers. */
#pragma once

#include "ground/mutex.h"

/* Try to take a lease, even from a dead holder. Does not change lrd__who.thread. Returns LRD_OK or
 * LRD_EBUSY. */
int lrd__lease_try(lrd__mutex *lease, lrd__who *who);
/* Wait for a lease for up to `ms` milliseconds. Returns 0 or ETIMEDOUT; EOWNERDEAD if the caller
 * now has a dead holder's lease, and must make it consistent. */
int lrd__lease_wait(lrd__mutex *lease, long ms);
/* Return true if /proc has shown for 2 s that the lease's holder is gone. Then also marks the
 * lease, as the kernel does when a holder dies. `who` may be out of date. */
bool lrd__lease_gone(lrd__mutex *lease, lrd__who *who);
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record the thread `tid` as the holder. If `started` is 0, lrd__lease_gone() cannot distinguish
 * this thread from a later one with the same id. */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
/* Like lrd__thread_look(), but without the state. */
uint64_t lrd__thread_started(int tid);
/* Return a thread's start time in clock ticks; 0 if the thread has ended, or /proc cannot be read.
 * Sets *state to the letter of the thread's state (proc(5)), or to 0. */
uint64_t lrd__thread_look(int tid, char *state);
/* Return true if a thread runs, waits for a processor, or waits for the kernel. */
bool lrd__thread_runs(int tid);
/* True if a lease or lock is free, or lrd__thread_runs() is true for its holder. Reads the holder's
 * id from the lock's word, which is always current. */
bool lrd__lease_holder_runs(const lrd__mutex *lease);
/* Return how often the kernel has given this thread a processor; 0 if the thread is ready to run,
 * or /proc cannot be read. If two calls return the same number above 0, the thread has executed
 * nothing between the calls. */
uint64_t lrd__thread_stays(int tid);

/* Let the other hardware thread of this core run for some cycles of a spin loop. */
static inline void lrd__lease_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}
