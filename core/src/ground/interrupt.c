/* interrupt.c - lets a signal end a wait, even if the signal arrives just before the sleep. Begin
 * reading at lrd_wait_flag().
 *
 * Signal handlers set a flag of the host, because the kernel restarts futex_waitv(2) after a
 * handler with SA_RESTART.
 *
 * Invariants
 * - A thread with a flag reads the flag before each sleep, and sleeps for at most
 *   LRD__INTERRUPT_STEP_MS without a lock. */
#include "ground/interrupt.h"
#include "larder_host.h"

_Thread_local bool *lrd__interrupt LRD__TLS;

void lrd_wait_flag(bool *flag) { lrd__interrupt = flag; }
