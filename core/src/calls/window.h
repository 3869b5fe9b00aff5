/* window.h - what window.c offers. */
#pragma once

#include "larder_coordination.h"

/* Do the work of lrd_throttle() for a rate with a sliding window. The caller has checked the
 * arguments, except the bounds that apply only to windows. */
int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);
