/* interrupt.h - what interrupt.c offers. */
#pragma once

#include "ground/private.h"

extern _Thread_local bool *lrd__interrupt LRD__TLS;

/* a waiting thread reads its flag at least this often (ms) */
#define LRD__INTERRUPT_STEP_MS 1000u

static inline bool lrd__interruptible(void) { return lrd__interrupt != NULL; }
/* Return true, and clear the flag, if the host has set it. Call this before each sleep, and after
 * an interrupted sleep. [no lock is held] */
static inline bool lrd__interrupted(void)
{
    return lrd__interruptible() && __atomic_load_n(lrd__interrupt, __ATOMIC_RELAXED) &&
           __atomic_exchange_n(lrd__interrupt, false, __ATOMIC_RELAXED);
}
/* Clear the flag, and return LRD_INTR. Call this after a signal has interrupted a sleep, which ends
 * the wait. */
static inline int lrd__interrupt_end(void)
{
    (void)lrd__interrupted();
    return LRD_INTR;
}
