/* scratch.h - the buffers of a thread for packing and unpacking. They come from malloc(), so
 * memory_limit cannot end a request during a write. */
#ifndef LARDER_PACK_SCRATCH_H
#define LARDER_PACK_SCRATCH_H

#include "pack/pack.h"

/* An entry of an encode_names table: a string or an array of the value that is being packed. */
typedef struct encode_name {
    const void *thing;
    uint32_t hash;
    /* If the index is below encode_names.base, the entry belongs to an earlier value, and is
     * free. */
    uint32_t index;
} encode_name;

typedef struct encode_names {
    encode_name *at;
    uint32_t mask; /* number of entries in the table, minus 1 */
    uint32_t base; /* the first index for the current value; at least 1 */
    uint32_t used; /* number of indexes that the current value has used */
    /* number of table entries that the current value has used; some indexes have no entry */
    uint32_t filled;
} encode_names;

typedef struct scratch_buffer {
    void *at;
    size_t room;
} scratch_buffer;

/* A block that was unpacked. Its reader frees it; after a bailout, the end of the request frees
 * it. */
typedef struct scratch_block {
    struct scratch_block *next, **from;
    _Alignas(8) char data[];
} scratch_block;

struct larder_scratch {
    scratch_buffer bytes;    /* the encoded bytes, before compression */
    scratch_buffer packed;   /* the packed value */
    scratch_buffer block;    /* the block of a graph that will be packed */
    scratch_buffer nodes;    /* data about nodes, for fold.c and unfold.c */
    scratch_buffer raw;      /* the decompressed bytes */
    scratch_buffer pointers; /* larder_unfolded.pointers */
    encode_names strings, arrays;
    scratch_block *blocks;
};

/* Erase a table, then free it. Without the erasure, the search for values in use (holds/) would
 * find addresses in the freed memory. */
void larder_names_free(encode_names *names);

/* Return the buffers of this thread, or NULL if there is no memory. */
struct larder_scratch *larder_scratch(void);
/* Return a buffer of at least `bytes` bytes, whose content is undefined. Returns NULL if there is
 * no memory. */
static inline void *scratch_room(scratch_buffer *buffer, size_t bytes)
{
    if (EXPECTED(buffer->room >= bytes))
        return buffer->at;
    free(buffer->at);
    buffer->at = malloc(bytes + bytes / 4);
    buffer->room = buffer->at != NULL ? bytes + bytes / 4 : 0;
    return buffer->at;
}
/* Allocate a block for unpacking. Returns NULL if there is no memory. */
char *larder_scratch_block(size_t bytes);
void larder_scratch_free_block(char *data);

#endif
