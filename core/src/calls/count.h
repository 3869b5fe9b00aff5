/* count.h - what count.c offers. */
#pragma once

#include "ground/private.h"

/* Store a number in a counter. Returns LRD_MISS if there is no live counter with this key, or if
 * the counter has a time to live. */
LRD__HOT int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value);
