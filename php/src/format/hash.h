/* hash.h - multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, 6.4) with the
 * factor 2^64 / golden ratio. */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include <stdint.h>

#define LARDER_HASH_FACTOR 0x9e3779b97f4a7c15ull

static inline uint32_t larder_hash_address(const void *address)
{
    return (uint32_t)((uintptr_t)address * LARDER_HASH_FACTOR >> 32);
}

#endif
