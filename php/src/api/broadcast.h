/* broadcast.h - Larder\Broadcast. */
#ifndef LARDER_API_BROADCAST_H
#define LARDER_API_BROADCAST_H

#include "php_larder.h"

void larder_broadcast_register(zend_class_entry *broadcast) ZEND_COLD;

#endif
