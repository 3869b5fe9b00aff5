/* stack.h - identifies the stack that this thread is running on. */
#ifndef LARDER_API_STACK_H
#define LARDER_API_STACK_H

#include "php_larder.h"

/* Return an address that identifies the running main program, fiber or coroutine: the first page of
 * its stack. We do not use EG(active_fiber), because Swoole's coroutines do not set it. A new stack
 * may get the address of a stack that has ended. */
static zend_always_inline const void *larder_stack(void)
{
    zend_vm_stack page = EG(vm_stack);
    while (UNEXPECTED(page->prev != NULL))
        page = page->prev;
    return page;
}

#endif
