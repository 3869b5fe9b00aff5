/* queue.h - how a call finds and enters a queue. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* Find a queue by its number, and call lrd__enter(). After LRD_OK, the caller must call
 * lrd__leave(). */
int lrd__queue_enter(lrd_store *store, lrd_queue number, lrd__thread **self, lrd__queue **queue);
