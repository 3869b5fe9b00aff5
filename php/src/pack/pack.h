/* pack.h - the packed form of a PHP value: compressed bytes, which each fetch must decode. It is
 * used when memory is short. These can be packed: strings; arrays of scalars, strings and such
 * arrays; graphs (pack_graph.h). encode.c and fold.c write the packed form, decode.c and unfold.c
 * read it. The core adds a head and compresses the bytes (lrd_pack()). */
#ifndef LARDER_PACK_H
#define LARDER_PACK_H

#include "format/format.h"
#include "pack/list.h"

/* The bytes before compression. A string (LARDER_STRING) is just its own bytes. An array
 * (LARDER_ARRAY) is one value: one of the following bytes, and the parts that its comment names.
 * Numbers without a size have seven bits in each byte, the lowest first. A change needs a new
 * LARDER_CODEC.
 *
 * Some parts get a number when they occur for the first time, and are repeated by this number.
 * These are strings of at least two bytes, the list of keys of a LARDER_PACK_MAP, and the array
 * behind a LARDER_PACK_SHARED. The numbers of each of the three kinds begin at 0. */
enum {
    LARDER_PACK_INT = 0x00, /* + 0 .. 63 */
    LARDER_PACK_NULL = 0x40,
    LARDER_PACK_FALSE,
    LARDER_PACK_TRUE,
    LARDER_PACK_DOUBLE, /* 8 bytes */
    /* a float with at most two decimals: its hundredths as a number in zigzag form */
    LARDER_PACK_HUNDREDTHS,
    LARDER_PACK_INT8,    /* 1 byte: the int less 64 */
    LARDER_PACK_INT16,   /* 2 bytes, unsigned */
    LARDER_PACK_INT32,   /* 4 bytes, unsigned */
    LARDER_PACK_INT64,   /* 8 bytes */
    LARDER_PACK_MINUS8,  /* 1 byte: the int's complement */
    LARDER_PACK_MINUS32, /* 4 bytes: the int's complement */
    LARDER_PACK_STRING,  /* a string: its length, then its bytes */
    LARDER_PACK_SAME,    /* number of a string */
    LARDER_PACK_DECIMAL, /* a string of decimal digits: the number */
    LARDER_PACK_TIME,    /* a string of the form YYYY-MM-DD HH:MM:SS: 5 bytes */
    LARDER_PACK_EMPTY,   /* [] */
    /* an array with the keys 0, 1, ..: the number of elements, then the elements */
    LARDER_PACK_LIST,
    /* an array of unsigned ints: the number of elements, then 4 bytes for each */
    LARDER_PACK_INTS,
    /* an array with string keys: the number of elements, then all keys, then all values */
    LARDER_PACK_MAP,
    /* an array with the keys of an earlier one: the number of that list of keys, then the values */
    LARDER_PACK_ROW,
    /* another array: the number of elements, then the key and the value of each */
    LARDER_PACK_MIXED,
    LARDER_PACK_SHARED, /* an array that occurs again later: the array */
    LARDER_PACK_AGAIN,  /* an array that occurred before: its number */
    /* in a graph: the next node to which nothing has referred yet; see fold.c */
    LARDER_PACK_NEXT,
    /* in a graph: the number of a node, and its kind (a byte) if the node comes later */
    LARDER_PACK_NODE,
    LARDER_PACK_DEFAULT, /* a slot: LARDER_DEFAULT */
    LARDER_PACK_UNDEF, /* a slot of an object without a value: the field u2.extra of its zval, as a
                          number */
    /* this byte + the length of a string of 0 to 63 bytes; then its bytes */
    LARDER_PACK_SHORT = 0x80,
    LARDER_PACK_SAME_LOW = 0xc0 /* + 0 .. 63: number of a string */
};

/* arrays with more than this many levels are not packed */
#define LARDER_PACK_DEPTH 256u
/* a single string is packed only if it has at least this many bytes */
#define LARDER_PACK_STRING_MIN 128u
/* a list of at most this number of keys gets a number, by which later arrays refer to it */
#define LARDER_PACK_KEYS_MAX 64u
#define LARDER_PACK_DECIMAL_MAX 18u /* digits */
#define LARDER_PACK_TIME_LENGTH 19u

struct larder_scratch;

/* A packed value. It is valid until this thread packs another one. */
typedef struct larder_packed {
    void *data;
    size_t size;
} larder_packed;

/* Pack a string, or an array of scalars, strings and such arrays. Returns false if the value has
 * anything else in it, or too many levels, or if packing saves less than an eighth. Then there is
 * nothing to free. Runs no user code. */
bool larder_pack(const zval *value, larder_packed *out);
/* Pack the text of a serializer. type: the type of such a value. Returns false if packing saves too
 * little. */
bool larder_pack_text(const void *text, size_t size, uint8_t type, larder_packed *out);
/* Return memory in which the block of a graph can be written before it is packed. It belongs to
 * this thread. NULL: no memory. */
void *larder_pack_block(size_t size);
/* Pack the block of a graph. The block is that of an entry, or lies in the memory of
 * larder_pack_block(). Returns false in the same cases as larder_pack(). Runs no user code. */
bool larder_pack_graph(const void *block, size_t size, larder_packed *out);
/* Free large buffers at the end of a request. */
void larder_pack_shrink(struct larder_scratch *own);
/* Free the memory of a thread that ends. `own` may be NULL. */
void larder_pack_end(struct larder_scratch *own);

/* Unpack a string or an array into memory of the request. Returns false if it is damaged, or is a
 * graph. Runs no user code, and makes no call of the core that would end a borrow. */
bool larder_unpack(const lrd_packed *packed, zval *result);

/* Unpack the text of a serializer, or the bytes of a value that Ruby has stored, into memory of the
 * request. NULL: it is damaged, or there is no memory. */
zend_string *larder_unpack_text(const lrd_packed *packed);
/* Return true if values of this type are the text of a serializer. */
static inline bool larder_type_is_text(uint8_t type)
{
    return type == LARDER_SERIALIZED || type == LARDER_IGBINARY;
}

/* The unpacked block of a graph. It lies in memory of this thread, and is freed with the request at
 * the latest. This struct must not move, because it refers to its own list of strings. */
typedef struct larder_unfolded {
    char *block;
    size_t size;
    /* offsets of all pointers in the block, in bytes. The list is valid until this thread unpacks
     * another graph */
    const uint64_t *pointers;
    size_t pointers_used;
    /* the strings; without `moves` each is a string of the request, or an interned one */
    decode_list strings;
    bool moves;
} larder_unfolded;
/* Unpack a graph into a block. moves: make a complete block, and list its pointers, which
 * larder_fill_unfolded() needs. Otherwise the strings are strings of the request, and the values of
 * the block that refer to them are not counted as references. In this case, an array that occurs
 * several times has a reference count of LARDER_UNFOLDED_AGAIN. Returns false if the graph is
 * damaged; then there is nothing to free. Runs no user code, and makes no call of the core that
 * would end a borrow. */
#define LARDER_UNFOLDED_AGAIN 3u
bool larder_unfold(const lrd_packed *packed, bool moves, larder_unfolded *out);
void larder_unfolded_free(larder_unfolded *unfolded);
/* Write the unpacked block to its place in the store; lrd_put_fill() calls it. Only stores to
 * memory. */
void larder_fill_unfolded(const void *unfolded, void *build, const void *data, size_t size);

#endif
