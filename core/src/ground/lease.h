/* lease.h - what lease.c offers. */
#pragma once

#include "ground/private.h"

int lrd__mutex_init(pthread_mutex_t *mutex); /* robust, process-shared */
/* LRD_OK: now ours (or recovered from a dead owner: *died is set, contents are untouched). */
int lrd__lease_try(pthread_mutex_t *lease, bool *died);
/* Wait for a lease at most ms: 0, EOWNERDEAD (not yet consistent) or ETIMEDOUT. */
int lrd__lease_wait(pthread_mutex_t *lease, long ms);
/* True if the recorded holder of a lease was shown gone for 2 s; then it is marked dead. */
bool lrd__lease_gone(pthread_mutex_t *lease, lrd__who *who);
/* The two halves of lrd__who.thread. */
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record this thread as holder. started 0: its death will not be told by lrd__lease_gone(). */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
/* Start time of a thread as /proc has it; 0: no such thread. */
uint64_t lrd__thread_started(int tid);
/* False if the C library has a wrong id of this thread (after a raw clone), so that robust locks
 * would carry the id of another thread. */
bool lrd__process_sound(void);
/* When a thread started, in clock ticks, and what it does: a letter of proc(5). 0: it has ended, or
 * cannot be looked at. */
uint64_t lrd__thread_look(int tid, char *state);

/* Let the other thread of this core have it for some cycles. */
static inline void lrd__lease_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}
