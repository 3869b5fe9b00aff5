/* count.h - what count.c offers. */
#pragma once

#include "ground/private.h"

/* Set a live counter that has no time to live. Returns LRD_MISS if there is no such counter. */
LRD__HOT int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value);
