/* pack.h - the packed form of a value of PHP, used when memory is short: bytes that each fetch
 * decodes. Strings, arrays of null, bool, int, float, strings and such arrays, and graphs
 * (pack_graph.h). encode.c and fold.c write it, decode.c and unfold.c read it; the core adds the
 * head and compresses (lrd_pack()). */
#ifndef LARDER_PACK_H
#define LARDER_PACK_H

#include "format/format.h"

/* For a string (LARDER_STRING), the packed bytes are its own bytes. For an array (LARDER_ARRAY),
 * they are one value. A value is one of these bytes, followed by its parts. Numbers without a
 * size have seven bits a byte, the lowest first. A change needs a new LARDER_CODEC.
 *
 * Strings of at least two bytes, lists of keys of a LARDER_PACK_MAP, and arrays behind
 * LARDER_PACK_SHARED get numbers at their first occurrence, each kind from 0 on. */
enum {
    LARDER_PACK_INT = 0x00, /* + 0 .. 63 */
    LARDER_PACK_NULL = 0x40,
    LARDER_PACK_FALSE,
    LARDER_PACK_TRUE,
    LARDER_PACK_DOUBLE,     /* 8 bytes */
    LARDER_PACK_HUNDREDTHS, /* a double: a number, the double's hundredths in zigzag form */
    LARDER_PACK_INT8,       /* 1 byte: the int less 64 */
    LARDER_PACK_INT16,      /* 2 bytes, unsigned */
    LARDER_PACK_INT32,      /* 4 bytes, unsigned */
    LARDER_PACK_INT64,      /* 8 bytes */
    LARDER_PACK_MINUS8,     /* 1 byte: the int's complement */
    LARDER_PACK_MINUS32,    /* 4 bytes: the same */
    LARDER_PACK_STRING,     /* a string: number of bytes, then the bytes */
    LARDER_PACK_SAME,       /* number of a string */
    LARDER_PACK_DECIMAL,    /* a string whose text is a number: the number */
    LARDER_PACK_TIME,       /* a string YYYY-MM-DD HH:MM:SS: 5 bytes */
    LARDER_PACK_EMPTY,      /* [] */
    /* an array: number of elements, then the elements; the keys are 0, 1, .. */
    LARDER_PACK_LIST,
    /* an array: number of elements, then 4 bytes for each: unsigned ints */
    LARDER_PACK_INTS,
    /* an array: number of elements, then their keys (all strings), then their values */
    LARDER_PACK_MAP,
    /* an array: the number of an earlier list of keys, then the values */
    LARDER_PACK_ROW,
    /* an array: number of elements, then a key and a value for each */
    LARDER_PACK_MIXED,
    LARDER_PACK_SHARED, /* the array behind this byte occurs again */
    LARDER_PACK_AGAIN,  /* an array that occurred before: its number */
    LARDER_PACK_NEXT,   /* in a graph: the next node that has no parent yet */
    /* in a graph: number of a node; for a later node, also its kind (a byte) */
    LARDER_PACK_NODE,
    LARDER_PACK_DEFAULT, /* a slot: LARDER_DEFAULT */
    LARDER_PACK_UNDEF,   /* a slot without a value: its u2.extra as a number */
    /* this byte + length, for strings of 0 .. 63 bytes; then the bytes */
    LARDER_PACK_SHORT = 0x80,
    LARDER_PACK_SAME_LOW = 0xc0 /* + 0 .. 63: number of a string */
};

/* the most levels of arrays; deeper arrays are not packed */
#define LARDER_PACK_DEPTH 256u
/* the fewest bytes of a string that is packed by itself */
#define LARDER_PACK_STRING_MIN 128u
/* the fewest keys of a list of keys that gets a number */
#define LARDER_PACK_KEYS_MAX 64u
#define LARDER_PACK_DECIMAL_MAX 18u /* digits */
#define LARDER_PACK_TIME_LENGTH 19u

struct larder_scratch;

/* The packed form of a value, valid until this thread packs the next one. */
typedef struct larder_packed {
    void *data;
    size_t size;
} larder_packed;

/* Pack a string or an array. Returns false if it contains anything else, has too many levels, or
 * saves less than an eighth; then there is nothing to free. Runs no user code. */
bool larder_pack(const zval *value, larder_packed *out);
/* Pack the text of a serializer, as a value of that type. Returns false in the same cases as
 * larder_pack(). */
bool larder_pack_text(const void *text, size_t size, uint8_t type, larder_packed *out);
/* Return memory of this thread for the block of a graph; NULL: there is no memory. */
void *larder_pack_block(size_t size);
/* Pack the block of a graph: a new one at its own address, or that of an entry. Returns false in
 * the same cases as larder_pack(). Runs no user code. */
bool larder_pack_graph(const void *block, size_t size, larder_packed *out);
/* Keep less memory, at the end of a request. */
void larder_pack_request_end(void);
/* Free LARDER_G(scratch), at the end of a thread; NULL: do nothing. */
void larder_pack_end(struct larder_scratch *own);

/* Unpack a string or an array into memory of the request. Returns false if it is damaged, or a
 * graph. Runs no user code and makes no call of the core that ends a borrow. */
bool larder_unpack(const lrd_packed *packed, zval *result);

/* Unpack the text of a serializer, or the bytes of another language's value, into memory of the
 * request. Returns NULL if they are damaged, or there is no
 * memory. */
zend_string *larder_unpack_text(const lrd_packed *packed);
/* Return true if a value of that type is the text of a serializer. */
static inline bool larder_type_is_text(uint8_t type)
{
    return type == LARDER_SERIALIZED || type == LARDER_IGBINARY;
}

/* The block of a graph, in memory of this thread, which is freed with the request at the latest. */
typedef struct larder_unfolded {
    char *block;
    size_t size;
    /* offsets of the pointers in the block, in bytes. The list lies in memory of the thread, and
     * is valid until it unpacks the next graph */
    const uint64_t *pointers;
    size_t pointers_used;
} larder_unfolded;
/* Unpack a graph into a block. moves: note the pointers, for larder_fill_unfolded(). Returns false
 * if it is damaged; then there is nothing to free. Runs no user code and makes no call of the core
 * that ends a borrow. */
bool larder_unfold(const lrd_packed *packed, bool moves, larder_unfolded *out);
void larder_unfolded_free(larder_unfolded *unfolded);
/* Write the unpacked block for lrd_put_fill(). Only stores to memory. */
void larder_fill_unfolded(const void *unfolded, void *build, const void *data, size_t size);

#endif
