/* write.h - what write.c offers. */
#pragma once

#include "ground/private.h"

/* If the index is growing, split a few home buckets of another shard. After the last bucket of the
 * doubling, publish the new mask. [no lock is held] */
void lrd__write_help_grow(lrd_store *store, lrd__thread *self, uint32_t shard);
int lrd__write_mode_check(const lrd_store *store, lrd_mode mode, uint64_t ttl_ms);
/* Let a live entry live for at least ttl_ms from now; never shortens its life. The caller has
 * checked the key. Returns a code of lrd_touch(). */
int lrd__write_prolong(lrd_store *store, const void *key, size_t key_len, uint64_t ttl_ms);
