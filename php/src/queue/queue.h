/* queue.h - the functions of queues that larder.c calls. */
#ifndef LARDER_PHP_QUEUE_H
#define LARDER_PHP_QUEUE_H

#include "php_larder.h"

void larder_queue_register(void) ZEND_COLD;
void larder_queue_phpinfo(lrd_store *store);

#endif
