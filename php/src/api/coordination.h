/* coordination.h - what coordination.c offers. */
#ifndef LARDER_API_COORDINATION_H
#define LARDER_API_COORDINATION_H

#include "php_larder.h"

/* Call this when a request begins. Until larder_throttle_forget(), a dropped Throttle object is
 * kept for reuse. */
static zend_always_inline void larder_throttle_request(void)
{
    LARDER_G(throttle) = NULL;
    LARDER_G(throttles_kept) = true;
}
void larder_throttle_free(void); /* free the Throttle object that is kept for reuse */
static zend_always_inline void larder_throttle_forget(void)
{
    LARDER_G(throttles_kept) = false;
    if (UNEXPECTED(LARDER_G(throttle) != NULL))
        larder_throttle_free();
}
void larder_throttle_startup(void) ZEND_COLD;

#endif
