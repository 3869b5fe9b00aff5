/* window.h - what window.c offers, and constants of all rate limits. */
#pragma once

#include "larder_coordination.h"

#define LRD__RATE_NS_PER_MS 1000000u
/* An entry gets this much more time to live (ms) than its limit needs. So calls seldom have to
 * prolong the entry. */
#define LRD__RATE_SPARE_MS 10000u
#define LRD__RATE_PROLONG 100 /* answer of an attempt: the entry would expire too early */

/* Do the work of lrd_throttle() for a rate with a sliding window. The caller has checked the
 * arguments, except the bounds that apply only to windows. */
int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out);
