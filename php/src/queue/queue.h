/* queue.h - what queue/ offers the rest of the extension. */
#ifndef LARDER_PHP_QUEUE_H
#define LARDER_PHP_QUEUE_H

#include "php_larder.h"

/* A mode of larder_put(): the value becomes a message of LARDER_G(push). No mode of the core. */
#define LARDER_PUSH ((lrd_mode)100)

/* Where put.c puts such a value. */
typedef struct larder_push {
    lrd_queue queue;
    lrd_push how;
    uint64_t id; /* out */
} larder_push;
int larder_push_built(lrd_store *store, size_t size, uint8_t type, lrd_fill fill, const void *from);

void larder_queue_register(void) ZEND_COLD;
void larder_queue_phpinfo(lrd_store *store);

#endif
