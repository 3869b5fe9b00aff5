/* window.h - what window.c offers. */
#ifndef LRD__CALLS_WINDOW_H
#define LRD__CALLS_WINDOW_H

#include "larder_coordination.h"

/* Do lrd_throttle() with a sliding window. The caller has checked the arguments, except the bounds
 * that only a window has. clock() returns nanoseconds. */
int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         int64_t (*clock)(const lrd_store *store), lrd_throttled *out);

#endif
