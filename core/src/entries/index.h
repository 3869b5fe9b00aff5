/* index.h - what index.c offers. */
#pragma once

#include "ground/place.h"

/* Return the slot whose entry has the key, or LRD__NO_SLOT. The entry may be expired or cleared.
 * [locked] */
LRD__HOT uint32_t lrd__index_find(const lrd_store *store, const lrd__place *place, const void *key,
                                  size_t key_len);
/* Return an empty slot for the key, or LRD__NO_SLOT if all its 16 buckets are full. [locked] */
LRD__HOT uint32_t lrd__index_vacant(const lrd_store *store, const lrd__place *place);
/* Change one index word: insert stores a block's word in an empty slot, replace stores it over the
 * word of an older block with the same key, and remove empties a slot. The caller retires blocks
 * and keeps counts. [locked] */
LRD__HOT void lrd__index_insert(lrd_store *store, const lrd__place *place, uint32_t slot,
                                uint64_t offset);
LRD__HOT void lrd__index_replace(_Atomic uint64_t *at, uint64_t word, uint64_t offset);
void lrd__index_remove(lrd_store *store, uint32_t shard, uint32_t slot);
/* Copy the word of slot `from` to the empty slot `to`, within reach of `home`, the entry's new
 * home. The caller then empties `from`. */
void lrd__index_copy(lrd_store *store, uint32_t shard, uint32_t from, uint32_t home, uint32_t to);
/* Return an empty slot in the buckets [first, home + LRD__PROBES), or LRD__NO_SLOT. [locked] */
LRD__HOT uint32_t lrd__index_vacant_at(const lrd_store *store, uint32_t shard, uint32_t first,
                                       uint32_t home);
