/* pace.h - the functions of pace.c. */
#pragma once

#include "ground/private.h"
#include "ground/queue_layout.h"

#define LRD__QUEUE_REST_MS 2u /* how long a consumer rests */
/* Note that a message of `size` bytes was popped. */
void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size);
/* Decide, when nothing is ready, how to wait. Returns true to rest before the next look; false to
 * sleep. now: ms. [locked] */
bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now);
