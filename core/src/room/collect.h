/* collect.h - what collect.c offers. */
#pragma once

#include "ground/private.h"

/* Mark a page as collected by `self`, and empty it. After LRD_OK, the page is free, and only `self`
 * may claim it. */
int lrd__room_collect_page(lrd_store *store, lrd__thread *self, uint32_t page);
void lrd__room_unmark(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t count);
