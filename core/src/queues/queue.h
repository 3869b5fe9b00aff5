/* queue.h - how calls enter a queue. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* Find the queue and call lrd__enter(). After LRD_OK the caller must call lrd__leave(). */
int lrd__queue_enter(lrd_store *store, lrd_queue number, lrd__thread **self, lrd__queue **queue);
