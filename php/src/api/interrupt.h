/* interrupt.h - what interrupt.c offers. */
#ifndef LARDER_API_INTERRUPT_H
#define LARDER_API_INTERRUPT_H

#include "php_larder.h"

/* Call this at module startup, before larder_statics_startup(). */
void larder_interrupt_startup(void) ZEND_COLD;

/* Call the handlers of signals that arrived, if pcntl_async_signals() is on, and end a request that
 * took too long. Call it between two sleeps, without a lock of the core. Returns true if user code
 * may have run, and perhaps thrown. */
bool larder_interrupt_run(void);

/* At the end of a request, pcntl drops signals whose handlers were not called. So clear
 * LARDER_G(signaled). */
static zend_always_inline void larder_interrupt_end_request(void) { LARDER_G(signaled) = false; }

#endif
