/* window.h - what window.c offers. */
#ifndef LRD__CALLS_WINDOW_H
#define LRD__CALLS_WINDOW_H

#include "larder_coordination.h"

/* Do the work of lrd_throttle() for a rate with a sliding window. The caller has checked the
 * arguments, except the bounds that apply only to windows. clock() returns nanoseconds. */
int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         int64_t (*clock)(const lrd_store *store), lrd_throttled *out);

#endif
