/* values.h - random numbers, and values whose bytes depend on key, size and seed, so that a reader
 * can check a value without knowing its writer. A value begins with its seed: 8 bytes, or one byte
 * in values below 16 bytes. */
#ifndef LRD_TESTS_VALUES_H
#define LRD_TESTS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Return a random number (xorshift64*). *state must not be 0. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

/* Return a random number from 0 to bound - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (random_next(state) >> 11) % bound;
}

static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static inline uint64_t checksum(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t sum = mix(size + 1);
    for (; size >= 8; size -= 8, byte += 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
        sum ^= sum >> 29;
    }
    for (; size > 0; size--, byte++)
        sum = mix(sum ^ *byte);
    return sum;
}

static inline size_t seed_room(size_t size) { return size >= 16 ? 8 : size > 0 ? 1 : 0; }

static inline uint64_t value_cut_seed(size_t size, uint64_t seed)
{
    switch (seed_room(size)) {
    case 8:
        return seed;
    case 1:
        return seed & 0xff;
    default:
        return 0;
    }
}

/* Return the seed of a value, or its lowest byte if the value is too short for all of it. */
static inline uint64_t value_seed(const void *data, size_t size)
{
    uint64_t seed = 0;
    memcpy(&seed, data, seed_room(size));
    return seed;
}

static inline void value_fill(void *out, size_t size, const void *key, size_t key_len,
                              uint64_t seed)
{
    unsigned char *byte = out;
    size_t room = seed_room(size);
    seed = value_cut_seed(size, seed);
    memcpy(byte, &seed, room);
    uint64_t stream = mix(checksum(key, key_len) ^ mix(seed ^ (uint64_t)size << 40));
    for (size_t at = room; at < size; at += 8) {
        stream += 0x9e3779b97f4a7c15ull;
        uint64_t word = stream ^ stream >> 31;
        memcpy(byte + at, &word, size - at < 8 ? size - at : 8);
    }
}

static inline bool value_valid(const void *data, size_t size, const void *key, size_t key_len)
{
    const unsigned char *byte = data;
    size_t room = seed_room(size);
    uint64_t seed = value_seed(data, size);
    uint64_t stream = mix(checksum(key, key_len) ^ mix(seed ^ (uint64_t)size << 40));
    for (size_t at = room; at < size; at += 8) {
        stream += 0x9e3779b97f4a7c15ull;
        uint64_t word = stream ^ stream >> 31;
        if (memcmp(byte + at, &word, size - at < 8 ? size - at : 8) != 0)
            return false;
    }
    return true;
}

#endif
