/* pack.h - the packed form of a PHP value: compressed bytes, which each fetch must decode.
 *
 * - Strings, arrays without objects and references, and graphs (pack_graph.h) can be packed.
 * - encode.c and fold.c write the packed form; decode.c and unfold.c read it. The core may compress
 *   it (lrd_pack()). */
#ifndef LARDER_PACK_H
#define LARDER_PACK_H

#include "format/format.h"
#include "pack/list.h"

/* The bytes of a packed value before compression. A change needs a new LARDER_CODEC.
 *
 * - A string is not encoded. Each value in an array or a graph begins with one of these bytes,
 *   whose comment lists what follows.
 * - A number without a given size is written in bytes of seven bits, the lowest bits first.
 * - Strings of at least two bytes, the list of keys of a LARDER_PACK_MAP, and the array in a
 *   LARDER_PACK_SHARED get indexes: each kind has its own, from 0. */
enum {
    LARDER_PACK_INT = 0x00, /* this byte plus n: the int n, from 0 to 63 */
    LARDER_PACK_NULL = 0x40,
    LARDER_PACK_FALSE,
    LARDER_PACK_TRUE,
    LARDER_PACK_DOUBLE, /* 8 bytes */
    /* a float with at most two decimals: 100 times the float, as a number in zigzag form */
    LARDER_PACK_HUNDREDTHS,
    LARDER_PACK_INT8,    /* 1 byte: the int minus 64 */
    LARDER_PACK_INT16,   /* 2 bytes, unsigned */
    LARDER_PACK_INT32,   /* 4 bytes, unsigned */
    LARDER_PACK_INT64,   /* 8 bytes */
    LARDER_PACK_MINUS8,  /* 1 byte: the int's complement */
    LARDER_PACK_MINUS32, /* 4 bytes: the int's complement */
    LARDER_PACK_STRING,  /* a string: its length, then its bytes */
    LARDER_PACK_SAME,    /* an earlier string: its index */
    LARDER_PACK_DECIMAL, /* a string of decimal digits: its value, as a number */
    /* a string of the form YYYY-MM-DD HH:MM:SS: the time as a number of 5 bytes */
    LARDER_PACK_TIME,
    LARDER_PACK_EMPTY, /* [] */
    /* an array with the keys 0, 1, ..: the number of elements, then the elements */
    LARDER_PACK_LIST,
    /* an array of unsigned ints: the number of elements, then 4 bytes for each */
    LARDER_PACK_INTS,
    /* an array with string keys: the number of elements, then all keys, then all values */
    LARDER_PACK_MAP,
    /* an array with an earlier list of keys: the index of that list, then the values */
    LARDER_PACK_ROW,
    /* an array of any other form: the number of elements, then the key and the value of each */
    LARDER_PACK_MIXED,
    /* an array that may occur again later: the array, written as a value */
    LARDER_PACK_SHARED,
    /* an array that was written before as a LARDER_PACK_SHARED: its index */
    LARDER_PACK_AGAIN,
    /* in a graph: the next child from the stack (see fold.c) */
    LARDER_PACK_NEXT,
    /* in a graph: the index of a node; then its kind (a byte), unless the node was written
     * before */
    LARDER_PACK_NODE,
    LARDER_PACK_DEFAULT, /* a slot with the type LARDER_DEFAULT */
    LARDER_PACK_UNDEF,   /* a slot without a value: the field u2.extra of its zval, as a number */
    LARDER_PACK_SHORT = 0x80,   /* this byte plus n: a string of n bytes, 0 to 63; then its bytes */
    LARDER_PACK_SAME_LOW = 0xc0 /* this byte plus n: the earlier string with the index n, 0 to 63 */
};

/* maximum number of levels of a packed array */
#define LARDER_PACK_DEPTH 256u
/* minimum length in bytes of a string that is packed when it is the whole value */
#define LARDER_PACK_STRING_MIN 128u
/* maximum length of a list of keys that gets an index; longer lists are written each time */
#define LARDER_PACK_KEYS_MAX 64u
#define LARDER_PACK_DECIMAL_MAX 18u /* digits */
#define LARDER_PACK_TIME_LENGTH 19u

struct larder_scratch;

/* A packed value. Valid until this thread packs another value. */
typedef struct larder_packed {
    void *data;
    size_t size;
} larder_packed;

/* How much to compress after encoding. Encoding alone makes most arrays and graphs much smaller.
 * Compressing the encoded bytes takes as long as encoding. */
typedef enum larder_effort {
    /* Decide by a sample for two sorts of values: for long texts, and for arrays and graphs that
     * encoding has made less than half as large. These are compressed only if the sample shrinks
     * much. All other values are compressed. Uses LZ4's fast method (LRD_COMPRESS_QUICK),
     * except for strings. */
    LARDER_PACK_QUICK,
    /* Like LARDER_PACK_QUICK, but uses the fast method only for texts of a serializer. */
    LARDER_PACK_THOROUGH,
    LARDER_PACK_SMALL /* compress every value */
} larder_effort;
/* Return the effort for a value that is packed because memory is short. */
static inline larder_effort larder_effort_under(lrd_pressure pressure)
{
    return pressure == LRD_PRESSURE_SHORT ? LARDER_PACK_QUICK : LARDER_PACK_THOROUGH;
}
/* Pack a string, or an array that contains only scalars, strings and arrays. A string is always
 * compressed. The caller must not free *out. Runs no user code. Returns false:
 * - if the value contains anything else, or has too many levels
 * - if packing saves less than an eighth */
bool larder_pack(const zval *value, larder_effort effort, larder_packed *out);
/* Pack the text of a serializer. `type` is the type of the entry. Returns false if packing saves
 * too little. */
bool larder_pack_text(const void *text, size_t size, uint8_t type, larder_effort effort,
                      larder_packed *out);
/* Return a buffer of this thread for larder_pack_graph(), or NULL if there is no memory. */
void *larder_pack_block(size_t size);
/* Pack a graph. `block` is in an entry or from larder_pack_block(). Returns false under the same
 * conditions as larder_pack(). Runs no user code. */
bool larder_pack_graph(const void *block, size_t size, larder_effort effort, larder_packed *out);
/* Erase the addresses of values from this thread's buffers. Do not call this while the thread packs
 * a value. */
void larder_pack_erase(void);
/* Free the large buffers in `own` at the end of a request. */
void larder_pack_shrink(struct larder_scratch *own);
/* Free `own` (or NULL) at the end of its thread. */
void larder_pack_end(struct larder_scratch *own);

/* Unpack into memory of the request. Returns false if the value is damaged, or is a graph. Runs no
 * user code. Values that this thread has borrowed stay valid. */
bool larder_unpack(const lrd_packed *packed, zval *result);

/* Unpack a text, or a value that Ruby has stored. Returns NULL if the bytes are damaged, or there
 * is no memory. */
zend_string *larder_unpack_text(const lrd_packed *packed);

static inline bool larder_type_is_text(uint8_t type)
{
    return type == LARDER_SERIALIZED || type == LARDER_IGBINARY;
}

/* The unpacked block of a graph, until larder_unfolded_free() or the end of the request. Do not
 * move this struct: it points to its own list. */
typedef struct larder_unfolded {
    char *block;
    size_t size;
    /* offsets in bytes of all pointers in the block; valid until this thread unpacks another
     * graph */
    const uint64_t *pointers;
    size_t pointers_used;
    /* the graph's strings, interned or in memory of the request; not used if `moves` is true */
    decode_list strings;
    bool moves;
} larder_unfolded;
/* Unpack a graph into a block. Returns false if the graph is damaged; then there is nothing to
 * free. Runs no user code. Values that this thread has borrowed stay valid.
 * - If `moves` is true, the block contains the graph's strings, and `out->pointers` lists the
 *   pointers in the block, for larder_fill_unfolded().
 * - If `moves` is false, the strings are in memory of the request, and out->strings owns them. An
 *   array that occurs several times gets the reference count LARDER_UNFOLDED_AGAIN. */
#define LARDER_UNFOLDED_AGAIN 3u
bool larder_unfold(const lrd_packed *packed, bool moves, larder_unfolded *out);
void larder_unfolded_free(larder_unfolded *unfolded);
/* Write the unpacked block into the memory of an entry. Must not allocate: lrd_put_fill() may hold
 * a lock. */
void larder_fill_unfolded(const void *unfolded, void *build, const void *data, size_t size);

#endif
