/* coordination.h - what coordination.c offers. */
#ifndef LARDER_API_COORDINATION_H
#define LARDER_API_COORDINATION_H

#include "php_larder.h"

/* Begin and end the time in which Throttle objects that the program has dropped are kept for
 * reuse. At the end, only session handlers can still run user code. */
void larder_throttle_request(void);
void larder_throttle_forget(void);
void larder_throttle_startup(void) ZEND_COLD;

#endif
