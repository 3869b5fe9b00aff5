/* copy.h - what copy.c offers. */
#pragma once

#include "ground/private.h"

/* size in bytes above which a copy may bypass the processor's caches */
#define LRD__COPY_AROUND 8192u

/* True if the block of this thread's last reservation is probably not in any processor cache. */
extern _Thread_local bool lrd__copy_cold LRD__TLS;
/* An lrd_fill function that copies `size` bytes. */
void lrd__copy_fill(const void *from, void *build, const void *data, size_t size);
