/* message.h - Larder\Message, shared by queue.c and message.c only. */
#ifndef LARDER_PHP_MESSAGE_H
#define LARDER_PHP_MESSAGE_H

#include "queue/queue.h"

extern zend_class_entry *larder_message_class;
void larder_message_register(zend_class_entry *class);

/* Make an object of what the core gave, whose value ends here. reserved: the object has to end the message. False: an
 * exception is set, and a reserved message is buried, so that it does not come back for ever. */
bool larder_message_make(lrd_store *store, lrd_queue queue, lrd_message *message, bool reserved,
                         zval *result);

#endif
