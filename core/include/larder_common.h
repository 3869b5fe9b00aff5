/* larder_common.h - values that PHP and Ruby (the hosts) can both read: types of blocks, and the
 * encoding of arrays. A change here needs a new value_abi in each of these hosts.
 *
 * An array is the number of its elements, then the elements. A hash is the number of its pairs,
 * then the pairs. An element is a tag, then the tag's bytes. Numbers and lengths are varints
 * (LEB128: 7 bits a byte, the lowest first). */
#ifndef LRD_COMMON_H
#define LRD_COMMON_H

#include <stdbool.h>
#include <stdint.h>

/* Keys with this prefix belong to the PHP extension's own records. */
#define LRD_COMMON_RESERVED "\0lrd"

typedef enum lrd_common_type {
    LRD_COMMON_NULL = 128,  /* no bytes */
    LRD_COMMON_FALSE,       /* no bytes */
    LRD_COMMON_TRUE,        /* no bytes */
    LRD_COMMON_DOUBLE,      /* a double */
    LRD_COMMON_EMPTY_ARRAY, /* no bytes */
    LRD_COMMON_BYTES,       /* a string of unknown encoding */
    /* LRD_COMMON_UTF8, _BINARY and _ASCII: the bytes of a string in this encoding */
    LRD_COMMON_UTF8 = 160,
    LRD_COMMON_BINARY,
    LRD_COMMON_ASCII,
    LRD_COMMON_ENCODED, /* a length byte, the encoding's name, then the string's bytes */
    LRD_COMMON_SYMBOL,  /* the bytes of a symbol's name, in UTF-8 */
    LRD_COMMON_ARRAY,
    LRD_COMMON_HASH,
    LRD_COMMON_MARSHAL, /* the format Marshal 4.8, which only Ruby reads */
    LRD_COMMON_FLAGGED  /* uint32_t flags, a type (1 byte), then the bytes of that type */
} lrd_common_type;

typedef enum lrd_common_tag {
    LRD_TAG_NULL,
    LRD_TAG_FALSE,
    LRD_TAG_TRUE,
    LRD_TAG_INT,    /* a varint with the sign in its lowest bit (zigzag) */
    LRD_TAG_DOUBLE, /* 8 bytes */
    LRD_TAG_UTF8,   /* LRD_TAG_UTF8 to LRD_TAG_SYMBOL: a length, then bytes */
    LRD_TAG_BINARY,
    LRD_TAG_ASCII,
    LRD_TAG_SYMBOL
} lrd_common_tag;

/* the unread bytes of a block */
typedef struct lrd_common_reader {
    const char *at, *end;
} lrd_common_reader;

/* Read a varint. Returns false if it does not end inside the block, or has more than 64 bits. */
static inline bool lrd_common_varint(lrd_common_reader *reader, uint64_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = (uint8_t)*reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = number;
            return true;
        }
    }
    return false;
}

static inline int64_t lrd_common_signed(uint64_t zigzag)
{
    return (int64_t)(zigzag >> 1 ^ (~(zigzag & 1) + 1));
}

/* Read the number of elements, of at least `each` bytes, of an array or a hash. Returns false if
 * the block is too short for them. */
static inline bool lrd_common_count(lrd_common_reader *reader, uint64_t each, uint64_t *count)
{
    return lrd_common_varint(reader, count) &&
           *count <= (uint64_t)(reader->end - reader->at) / each;
}

#endif
