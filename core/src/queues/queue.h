/* queue_layout.h - what queue.c offers. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* The same, and lrd__enter(): where it is LRD_OK the caller has to leave. */
int lrd__queue_enter(lrd_store *store, lrd_queue number, lrd__thread **self, lrd__queue **queue);
