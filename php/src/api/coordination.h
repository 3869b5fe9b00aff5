/* coordination.h - what coordination.c offers. */
#ifndef LARDER_API_COORDINATION_H
#define LARDER_API_COORDINATION_H

#include "php_larder.h"

/* Between these two calls, an answer of throttle() that the program has dropped is kept for
 * reuse. After the second one, only code of session handlers runs. */
void larder_throttle_request(void);
void larder_throttle_forget(void);
void larder_throttle_startup(void) ZEND_COLD;

#endif
