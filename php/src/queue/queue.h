/* queue.h - queues: the functions for larder.c. */
#ifndef LARDER_PHP_QUEUE_H
#define LARDER_PHP_QUEUE_H

#include "php_larder.h"

void larder_queue_register(void);
void larder_queue_phpinfo(lrd_store *store);

#endif
