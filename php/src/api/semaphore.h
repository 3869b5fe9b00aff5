/* semaphore.h - Larder\Semaphore. */
#ifndef LARDER_API_SEMAPHORE_H
#define LARDER_API_SEMAPHORE_H

#include "php_larder.h"

/* Register Larder\Semaphore and all other classes of api/semaphore.stub.php. */
void larder_semaphore_register(void) ZEND_COLD;
/* Return true if a fiber or coroutine has acquired a permit that is still valid. */
bool larder_semaphore_is_elsewhere(void);

#endif
