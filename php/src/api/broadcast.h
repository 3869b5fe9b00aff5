/* broadcast.h - functions that register the classes of broadcast.c and semaphore.c. */
#ifndef LARDER_API_BROADCAST_H
#define LARDER_API_BROADCAST_H

#include "php_larder.h"

void larder_broadcast_register(zend_class_entry *broadcast) ZEND_COLD;
/* Register Larder\Semaphore and all other classes of api/semaphore.stub.php. */
void larder_semaphore_register(void) ZEND_COLD;

#endif
