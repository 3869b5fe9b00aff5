/* encode.h - writes the bytes of a packed value. */
#ifndef LARDER_PACK_ENCODE_H
#define LARDER_PACK_ENCODE_H

#include "pack/pack.h"
#include "pack/scratch.h"

/* size of the table of lists of keys, which does not grow; a power of two */
#define ENCODE_SHAPES 64u
#define ENCODE_NUMBER_MAX 10 /* maximum length in bytes of an encoded number */

typedef struct encode_shape {
    const HashTable *array; /* the first array with these keys; NULL if the entry is free */
    uint32_t index;
} encode_shape;

typedef struct encode_work {
    uint8_t *start, *at, *end;
    bool failed; /* there was no memory, so the bytes must not be used */
    bool empty;  /* the value contains an empty array */
    /* size in bytes of the ready value: exact for a graph, an estimate for other values */
    uint64_t ready;
    struct encode_fold *fold; /* the graph that is being packed, or NULL */
    encode_names *strings, *arrays;
    /* the latest result of encode_shape_of() */
    const HashTable *latest;
    uint32_t latest_index;
    uint32_t shapes_used, depth;
    encode_shape shapes[ENCODE_SHAPES];
    /* a count for each key of each shape; see encode_column(). Each is at most 2 * ENCODE_NOVEL. */
    uint8_t novel[ENCODE_SHAPES][LARDER_PACK_KEYS_MAX];
} encode_work;

/* ---- bytes ---- */

bool larder_encode_grow(encode_work *work, size_t bytes);

/* Make room for `bytes` bytes. Returns false if there is no memory. */
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

/* Write `kind`, then a number. The caller must have made room. */
static zend_always_inline void encode_counted(encode_work *work, uint8_t kind, uint64_t number)
{
    *work->at++ = kind;
    encode_number(work, number);
}

/* Write `kind`, then the lowest `bytes` bytes of a number, the lowest first. */
static zend_always_inline void encode_fixed(encode_work *work, uint8_t kind, uint64_t number,
                                            size_t bytes)
{
    *work->at++ = kind;
    memcpy(work->at, &number, bytes);
    work->at += bytes;
}

/* ---- encode.c ---- */
/* Write a value. Returns false if the value cannot be packed, or there is no memory. */
bool larder_encode_value(encode_work *work, const zval *value);
/* Write a string. Returns false if there is no memory. */
bool larder_encode_string(encode_work *work, const zend_string *string);
/* Write an array, which must not be empty. The array gets no index, so later values cannot refer to
 * it. */
bool larder_encode_array(encode_work *work, const HashTable *array);

/* ---- fold.c ---- */
/* Write a reference to a node. Returns false if `value` does not refer to a node. */
bool larder_fold_node(encode_work *work, const zval *value);
bool larder_fold(encode_work *work, struct larder_scratch *own, const void *data, size_t size);

#endif
