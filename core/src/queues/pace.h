/* pace.h - decides how a consumer of an empty queue waits: it sleeps until a push wakes it, or
 * rests for a short fixed time. */
#pragma once

#include "ground/private.h"
#include "ground/queue_layout.h"

#define LRD__QUEUE_REST_MS 2u /* length of a rest in ms */
/* Record that this thread has popped a message of `size` bytes. */
void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size);
/* True if this thread should rest for LRD__QUEUE_REST_MS instead of sleeping until a push. `now` is
 * the time in ms. [locked] */
bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now);
