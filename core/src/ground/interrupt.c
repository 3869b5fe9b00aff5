/* interrupt.c - lets a signal end a wait whenever it arrives: lrd_wait_flag().
 *
 * A signal that arrives during a sleep ends the sleep (EINTR). But a signal may also arrive just
 * before, while the thread checks whether it must sleep. Then the handler runs before the sleep
 * begins, and the signal does not end the sleep. Also, if the handler was installed with
 * SA_RESTART, as those of pcntl_signal() are, the kernel restarts futex_waitv(2) after the handler.
 * So the handler sets a flag of the host.
 *
 * Invariants
 * - A thread with a flag reads the flag before each sleep, and sleeps for at most
 *   LRD__INTERRUPT_STEP_MS. So an interrupted wait ends within this time, whenever the signal
 *   arrives. No lock is held, and the host is not called. */
#include "ground/interrupt.h"
#include "larder_host.h"

_Thread_local bool *lrd__interrupt LRD__TLS;

void lrd_wait_flag(bool *flag) { lrd__interrupt = flag; }
