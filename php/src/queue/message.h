/* message.h - Larder\Message. Only queue.c and message.c include this file. */
#ifndef LARDER_PHP_MESSAGE_H
#define LARDER_PHP_MESSAGE_H

#include "php_larder.h"

extern zend_class_entry *larder_message_class;
void larder_message_register(zend_class_entry *class) ZEND_COLD;

typedef enum larder_message_use {
    /* the object only shows the message, so its ack(), release() and bury() have no effect */
    LARDER_MESSAGE_SEEN,
    /* the message is reserved for the object until ack(), release() or bury() */
    LARDER_MESSAGE_RESERVED
} larder_message_use;

/* Make an object that has no message yet. */
zend_object *larder_message_new(void);
/* Fill `object` with a message of the core, release the message's value, and set *result to the
 * object. `run_ms` is its time to run (0: no limit). On failure, buries a reserved message, frees
 * the object, and returns false with an exception set. */
bool larder_message_make(zend_object *object, lrd_store *store, lrd_queue queue,
                         lrd_message *message, larder_message_use use, uint64_t run_ms,
                         zval *result);

#endif
