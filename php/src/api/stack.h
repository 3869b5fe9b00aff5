/* stack.h - identifies the stack that this thread is running on. */
#ifndef LARDER_API_STACK_H
#define LARDER_API_STACK_H

#include "php_larder.h"

/* Return the first page of the stack of the main program, fiber or coroutine. Swoole does not set
 * EG(active_fiber). A new stack may get the address of an ended one. */
static zend_always_inline const void *larder_stack(void)
{
    zend_vm_stack page = EG(vm_stack);
    while (UNEXPECTED(page->prev != NULL))
        page = page->prev;
    return page;
}

#endif
