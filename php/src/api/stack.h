/* stack.h - identifies the stack that this thread is running on. */
#ifndef LARDER_API_STACK_H
#define LARDER_API_STACK_H

#include "php_larder.h"

/* Return an address that identifies the stack of the main program, fiber or coroutine: the first
 * page of its VM stack. EG(active_fiber) is not enough, because Swoole does not set it for
 * coroutines. A new stack may get the address of one that has ended. */
static zend_always_inline const void *larder_stack(void)
{
    zend_vm_stack page = EG(vm_stack);
    while (UNEXPECTED(page->prev != NULL))
        page = page->prev;
    return page;
}

#endif
