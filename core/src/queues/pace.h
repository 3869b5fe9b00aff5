/* pace.h - when a consumer rests instead of sleeping until it is woken. */
#pragma once

#include "ground/private.h"
#include "ground/queue_layout.h"

#define LRD__QUEUE_REST_MS 2u /* time (ms) for which a consumer rests */
/* Count a message of `size` bytes that was popped. */
void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size);
/* Decide how to wait when no message is ready. Returns true to rest, or false to sleep until a
 * push. `now` is the time in ms. [locked] */
bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now);
