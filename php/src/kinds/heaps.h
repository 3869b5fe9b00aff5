/* heaps.h - objects of SplMinHeap, SplMaxHeap, SplPriorityQueue and their subclasses: PHP's serializer drops what lies
 * in them, so they are stored as if they had hooks that say it. */
#ifndef LARDER_HEAPS_H
#define LARDER_HEAPS_H

#include "php_larder.h"

/* True if objects of the class are such, and its own hooks leave them alone. Not where PHP has hooks for them. */
bool larder_heap_is(const zend_class_entry *ce);
/* The content of one, as __serialize() would say it: its flags, its elements in the order of the heap, its properties.
 * Runs no user code. False: an exception is set. */
bool larder_heap_state(zend_object *object, zval *state);
/* Make a new object be what it was. May call its compare(). May set an exception. */
void larder_heap_restore(zend_object *object, const zval *state);
/* True if there is something in it. */
bool larder_heap_is_filled(zend_object *object);

#endif
