/* copy.h - what copy.c offers. */
#pragma once

#include "ground/private.h"

/* a larger value may be written around the processor's caches */
#define LRD__COPY_AROUND 8192u

/* True if the block of the thread's last reservation is probably in no cache. */
extern _Thread_local bool lrd__copy_cold LRD__TLS;
/* An lrd_fill function that copies `size` bytes. */
void lrd__copy_fill(const void *from, void *build, const void *data, size_t size);
