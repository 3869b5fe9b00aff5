/* encode.h - writes the bytes of a packed value. encode.c uses it for strings and arrays, fold.c
 * for the block of a graph. */
#ifndef LARDER_PACK_ENCODE_H
#define LARDER_PACK_ENCODE_H

#include "pack/pack.h"
#include "pack/scratch.h"

/* size of the table of lists of keys, which does not grow; a power of two */
#define ENCODE_SHAPES 64u
#define ENCODE_NUMBER_MAX 10 /* a number takes at most this many bytes */

typedef struct encode_shape {
    const HashTable *array; /* the first array with these keys; NULL: the entry is free */
    uint32_t number;
} encode_shape;

typedef struct encode_work {
    uint8_t *start, *at, *end;
    bool failed; /* memory was short, so the bytes are not used */
    bool empty;  /* a [] occurred */
    /* size of the value when it is not packed, in bytes: exact for a graph, nearly right for
     * others */
    uint64_t ready;
    struct encode_fold *fold; /* the graph; NULL: none */
    encode_names *strings, *arrays;
    /* the last array whose list of keys was looked up, and the number of that list */
    const HashTable *latest;
    uint32_t latest_number;
    uint32_t shapes_used, depth;
    encode_shape shapes[ENCODE_SHAPES];
} encode_work;

/* ---- bytes ---- */

bool larder_encode_grow(encode_work *work, size_t bytes);

/* Make room for `bytes` more bytes. Returns false if there is no memory. */
static zend_always_inline bool encode_room(encode_work *work, size_t bytes)
{
    return EXPECTED((size_t)(work->end - work->at) >= bytes) || larder_encode_grow(work, bytes);
}

static zend_always_inline void encode_number(encode_work *work, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        *work->at++ = (uint8_t)(number | 128);
    *work->at++ = (uint8_t)number;
}

/* Write a byte and a number. There is room for both. */
static zend_always_inline void encode_counted(encode_work *work, uint8_t kind, uint64_t number)
{
    *work->at++ = kind;
    encode_number(work, number);
}

/* Write the byte `kind`, then the lowest `bytes` bytes of a number, the lowest first. */
static zend_always_inline void encode_fixed(encode_work *work, uint8_t kind, uint64_t number,
                                            size_t bytes)
{
    *work->at++ = kind;
    memcpy(work->at, &number, bytes);
    work->at += bytes;
}

/* ---- encode.c ---- */
/* Write one value. Returns false if it cannot be packed, or there is no memory. */
bool larder_encode_value(encode_work *work, const zval *value);
/* Write a string, or the number of an equal string that was written before. Returns false if there
 * is no memory. */
bool larder_encode_string(encode_work *work, const zend_string *string);
/* Write an array with elements. The array gets no number by which later values could refer to it.
 */
bool larder_encode_array(encode_work *work, const HashTable *array);

/* ---- fold.c ---- */
/* Write a node of a graph (an object, a reference, or an array with one) that stands for a
 * value. */
bool larder_fold_node(encode_work *work, const zval *value);
/* Write the block of a graph in packed form. */
bool larder_fold(encode_work *work, struct larder_scratch *own, const void *data, size_t size);

#endif
