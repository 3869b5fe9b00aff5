/* recover.h - what recover.c offers. */
#pragma once

#include "ground/private.h"

/* Rebuild a shard from its index and the ledgers, after a thread died with its lock. [locked] */
void lrd__recover_shard(lrd_store *store, uint32_t shard);
/* Reset the lists, bitmaps and counts of the shard's pages. [locked] */
void lrd__recover_clear(lrd_store *store, uint32_t shard);
/* Format a shard at its first use. [locked] */
void lrd__shard_format(lrd_store *store, uint32_t shard);
