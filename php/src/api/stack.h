/* stack.h - identifies the running stack of this thread. */
#ifndef LARDER_API_STACK_H
#define LARDER_API_STACK_H

#include "php_larder.h"

/* Return the running stack: that of the main program, of a fiber or of a coroutine. Swoole
 * switches EG(vm_stack) as fibers do, but leaves EG(active_fiber) NULL, so the first page of the
 * stack tells them apart. Only compare the pointer: the page of a stack that has ended may
 * belong to the next stack. */
static zend_always_inline const void *larder_stack(void)
{
    zend_vm_stack page = EG(vm_stack);
    while (UNEXPECTED(page->prev != NULL))
        page = page->prev;
    return page;
}

#endif
