/* hold.h - what hold.c offers. */
#pragma once

#include "ground/private.h"

/* Return the offset of the block of a value that points into the store. */
static inline uint64_t lrd__hold_offset(const lrd_value *value)
{
    return (value->block - 1) << LRD__GRANULE_BITS;
}
