/* coordination.h - what coordination.c offers. */
#ifndef LARDER_API_COORDINATION_H
#define LARDER_API_COORDINATION_H

#include "php_larder.h"

/* An answer of throttle() that the program has dropped is kept between these two calls, to be used
 * again. Code of session handlers runs after the second one. */
void larder_throttle_request(void);
void larder_throttle_forget(void);
void larder_throttle_startup(void) ZEND_COLD;

#endif
