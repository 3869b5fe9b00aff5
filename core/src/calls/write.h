/* write.h - what write.c offers. */
#pragma once

#include "ground/private.h"

/* Help another shard to grow its index, and publish the new mask after the last one. [no lock is
 * held] */
void lrd__write_help_grow(lrd_store *store, lrd__thread *self, uint32_t shard);
int lrd__write_mode_check(const lrd_store *store, lrd_mode mode, uint64_t ttl_ms);
