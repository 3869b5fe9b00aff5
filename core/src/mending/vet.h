/* vet.h - what vet.c offers. */
#pragma once

#include "ground/private.h"

/* Vet a segment to which no other process is attached: create all locks and slots again, check
 * the owners of pages, and mark everything else as untrusted until it is used. */
void lrd__vet_segment(lrd_store *store);
/* Check every page, word and block of a shard, drop what is damaged, rebuild the rest. [locked] */
void lrd__vet_shard(lrd_store *store, uint32_t shard);
