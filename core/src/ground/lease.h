/* lease.h - what lease.c offers. */
#pragma once

#include "ground/mutex.h"

/* LRD_OK: the caller owns the lease. *died is set if its owner had died; contents are untouched. */
int lrd__lease_try(lrd__mutex *lease, bool *died);
/* Wait for a lease at most ms: 0, EOWNERDEAD (not yet consistent) or ETIMEDOUT. */
int lrd__lease_wait(lrd__mutex *lease, long ms);
/* True if the holder of a lease, recorded or not yet, was shown gone for 2 s; then it is
 * marked dead. */
bool lrd__lease_gone(lrd__mutex *lease, lrd__who *who);
/* The two parts of lrd__who.thread. */
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record this thread as holder. started 0: lrd__lease_gone() tells of its death only when no thread
 * has its id. */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
/* Start time of a thread as /proc has it; 0: no such thread. */
uint64_t lrd__thread_started(int tid);
/* Return the start time of a thread, in clock ticks, and its state: a letter of proc(5). 0: it has
 * ended, or cannot be read. */
uint64_t lrd__thread_look(int tid, char *state);

/* Leave the processor to the other hardware thread of this core for some cycles. */
static inline void lrd__lease_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}
