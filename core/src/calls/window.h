/* window.h - what window.c offers, and constants of all rate limits. */
#pragma once

#include "larder_coordination.h"

#define LRD__RATE_NS_PER_MS 1000000u
/* an entry lives this number of ms longer than its limit needs, so it is seldom prolonged */
#define LRD__RATE_SPARE_MS 10000u
/* result of an attempt to take units: the entry would expire too early */
#define LRD__RATE_PROLONG 100

/* Do the work of lrd_throttle() for a sliding window. This function checks the limits that only
 * sliding windows have; the caller has checked all other arguments. */
int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);
