/* count.h - what count.c offers. */
#pragma once

#include "ground/private.h"

/* Store into a live counter without time to live; LRD_MISS: there is none. */
LRD__HOT int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value);
