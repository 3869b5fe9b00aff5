/* interrupt.h - what interrupt.c offers. */
#ifndef LARDER_API_INTERRUPT_H
#define LARDER_API_INTERRUPT_H

#include "php_larder.h"

/* Install the hooks of interrupt.c. Call this at module startup, before the start of statics. */
void larder_interrupt_startup(void) ZEND_COLD;

/* Do what the engine does between two instructions, if something has asked for it: call handlers
 * of signals that arrived (with pcntl_async_signals()), or end a request that took too long. Call
 * this between two sleeps of a wait. User code may run, so no lock of the core may be held. Returns
 * false if an exception is set. *ran becomes true if user code may have run. */
bool larder_interrupt_run(bool *ran);

/* Forget signals that no handler was called for. pcntl forgets them, too. */
static zend_always_inline void larder_interrupt_end_request(void) { LARDER_G(signaled) = false; }

#endif
