/* copy.h - what copy.c offers. */
#pragma once

#include "ground/private.h"

/* Guess if the thread's last reservation is large, for a new key, and in memory of an evicted
 * value. */
extern _Thread_local bool lrd__copy_cold LRD__TLS;
/* An lrd_fill function that copies. */
void lrd__copy_fill(const void *from, void *build, const void *data, size_t size);
