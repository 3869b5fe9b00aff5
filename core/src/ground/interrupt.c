/* interrupt.c - lets a signal end a wait, whenever the signal arrives. Begin reading at
 * lrd_wait_flag().
 *
 * A signal that arrives just before a sleep does not end the sleep. And the kernel restarts
 * futex_waitv(2) after a handler with SA_RESTART, like those of pcntl_signal(). So the handler sets
 * a flag of the host, and waiting threads read the flag.
 *
 * Invariants
 * - A thread with a flag reads the flag before each sleep, and sleeps for at most
 *   LRD__INTERRUPT_STEP_MS. So an interrupted wait ends within this time. The thread has no lock
 *   while it sleeps. */
#include "ground/interrupt.h"
#include "larder_host.h"

_Thread_local bool *lrd__interrupt LRD__TLS;

void lrd_wait_flag(bool *flag) { lrd__interrupt = flag; }
