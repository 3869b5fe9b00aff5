/* stack.h - identifies the stack that this thread is running on. */
#ifndef LARDER_API_STACK_H
#define LARDER_API_STACK_H

#include "php_larder.h"

/* Return the stack of the main program, fiber or coroutine that is running, as the address of its
 * first page. EG(active_fiber) is not enough, because it is NULL in Swoole's coroutines. The
 * pointer is only good for comparisons: when a stack has ended, the next one may get the same
 * page. */
static zend_always_inline const void *larder_stack(void)
{
    zend_vm_stack page = EG(vm_stack);
    while (UNEXPECTED(page->prev != NULL))
        page = page->prev;
    return page;
}

#endif
