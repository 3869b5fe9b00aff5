/* queue.h - what queue/ offers the rest of the extension. */
#ifndef LARDER_PHP_QUEUE_H
#define LARDER_PHP_QUEUE_H

#include "php_larder.h"

void larder_queue_register(void);
void larder_queue_phpinfo(lrd_store *store);

#endif
