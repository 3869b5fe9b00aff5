/* pack.c - the packed form of a value: a head, and the host's bytes, which may be compressed.
 * Accesses no store. Begin reading at lrd_pack().
 *
 *   +0 version 1  +1 method 1  +2 type 1  +3 flags 1  +4 sum 4  +8 raw 4  +12 ready 4  +16 bytes
 *
 * The number after each name is its size in bytes. `sum` is a checksum of everything else. Method
 * 1: the bytes are a block of LZ4.
 *
 * Invariants
 * - Even with damaged input, this file reads only the given bytes and writes only the caller's
 *   memory.
 * - Unpacking a value gives the bytes that were packed. The checksum misses about one in 2^32
 *   damaged values. */
#include "ground/error.h"
#include "ground/layout.h"
#include "ground/lz4.h"
#include "larder_host.h"

#include <string.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

#define PACK_VERSION 1u
#define PACK_SUM_AT 4u
#define PACK_RAW_AT 8u
enum { PACK_PLAIN = 0, PACK_LZ4 = 1 };
#define PACK_STAYS 1u /* flag that lrd_pack_stay() sets */

/* minimum number of bytes for which compression can pay */
#define PACK_TRY 96u
#define PACK_PAYS 16u /* compression must save at least 1/16 of the bytes */
#define PACK_QUICK 8  /* LZ4's acceleration for LRD_COMPRESS_QUICK */
static inline uint32_t pack_load32(const uint8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline void pack_store32(uint8_t *to, uint32_t word) { memcpy(to, &word, sizeof word); }

static uint32_t pack_sum(const uint8_t *data, size_t size)
{
    return (uint32_t)XXH3_64bits_withSeed(data + PACK_RAW_AT, size - PACK_RAW_AT,
                                          pack_load32(data));
}

size_t lrd_pack_bound(size_t size) { return LRD_PACKED_HEAD + size; }

size_t lrd_pack(void *to, const void *from, size_t size, uint8_t type, uint64_t ready,
                lrd_compression compression)
{
    uint8_t *head = to;
    size_t stored = 0, pays = size - size / PACK_PAYS;
    head[0] = PACK_VERSION;
    head[2] = type;
    head[3] = 0;
    if (compression != LRD_COMPRESS_NONE && size >= PACK_TRY && size <= LZ4_MAX_INPUT_SIZE)
        stored =
            (size_t)LZ4_compress_fast(from, (char *)head + LRD_PACKED_HEAD, (int)size, (int)pays,
                                      compression == LRD_COMPRESS_QUICK ? PACK_QUICK : 1);
    head[1] = stored != 0 ? PACK_LZ4 : PACK_PLAIN;
    if (stored == 0) {
        memcpy(head + LRD_PACKED_HEAD, from, size);
        stored = size;
    }
    pack_store32(head + PACK_RAW_AT, (uint32_t)size);
    pack_store32(head + LRD__PACKED_READY_AT, ready < UINT32_MAX ? (uint32_t)ready : UINT32_MAX);
    pack_store32(head + PACK_SUM_AT, pack_sum(head, LRD_PACKED_HEAD + stored));
    return LRD_PACKED_HEAD + stored;
}

void lrd_pack_stay(void *packed, size_t size)
{
    uint8_t *head = packed;
    head[3] = PACK_STAYS;
    pack_store32(head + PACK_SUM_AT, pack_sum(head, size));
}

static bool pack_head(const uint8_t *data, size_t size, lrd_packed *out)
{
    if (size < LRD_PACKED_HEAD || data[0] != PACK_VERSION || data[1] > PACK_LZ4 ||
        data[3] > PACK_STAYS)
        return false;
    out->bytes = data + LRD_PACKED_HEAD;
    out->stored = size - LRD_PACKED_HEAD;
    out->raw = pack_load32(data + PACK_RAW_AT);
    out->ready = pack_load32(data + LRD__PACKED_READY_AT);
    out->type = data[2];
    out->compressed = data[1] == PACK_LZ4;
    out->stays = data[3] == PACK_STAYS;
    /* LZ4 expands one byte to at most 255 bytes */
    return out->compressed ? out->raw / 255 <= out->stored : out->raw == out->stored;
}

int lrd_packed_look(const void *data, size_t size, lrd_packed *out)
{
    return pack_head(data, size, out) ? LRD_OK : lrd__fail(LRD_EFORMAT, "no packed value");
}

int lrd_packed_open(const void *data, size_t size, lrd_packed *out)
{
    if (!pack_head(data, size, out))
        return lrd__fail(LRD_EFORMAT, "no packed value");
    if (pack_load32((const uint8_t *)data + PACK_SUM_AT) != pack_sum(data, size))
        return lrd__fail(LRD_EFORMAT, "the sum of a packed value is wrong");
    return LRD_OK;
}

int lrd_unpack(const lrd_packed *packed, void *to)
{
    if (!packed->compressed)
        memcpy(to, packed->bytes, packed->raw);
    else if (packed->raw > LZ4_MAX_INPUT_SIZE || packed->stored > LZ4_MAX_INPUT_SIZE ||
             LZ4_decompress_safe((const char *)packed->bytes, to, (int)packed->stored,
                                 (int)packed->raw) != (int)packed->raw)
        return lrd__fail(LRD_EFORMAT, "the bytes of a packed value are damaged");
    return LRD_OK;
}
