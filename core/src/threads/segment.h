/* segment.h - what segment.c offers. */
#pragma once

#include "ground/private.h"

/* Map the segment that the options name into *store (zeroed by the caller). Creates the segment if
 * necessary. The first process to attach calls lrd__vet_segment() before the store is used. */
int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options);
