/* message.h - Larder\Message, shared by queue.c and message.c only. */
#ifndef LARDER_PHP_MESSAGE_H
#define LARDER_PHP_MESSAGE_H

#include "php_larder.h"

extern zend_class_entry *larder_message_class;
void larder_message_register(zend_class_entry *class) ZEND_COLD;

typedef enum larder_message_use {
    LARDER_MESSAGE_SEEN,    /* another process may have the message, so the object never ends it */
    LARDER_MESSAGE_RESERVED /* the object must end the message */
} larder_message_use;

/* An object without a message. */
zend_object *larder_message_new(void);
/* Give a message of the core to an object, and release the message's value. *result: the object.
 * run_ms: the time to run of a reserved message; 0: no limit. Returns false if an exception is set.
 * The object is then freed, and a reserved message is buried, so that it does not come back again
 * and again. */
bool larder_message_make(zend_object *object, lrd_store *store, lrd_queue queue,
                         lrd_message *message, larder_message_use use, uint64_t run_ms,
                         zval *result);

#endif
