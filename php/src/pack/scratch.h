/* scratch.h - the memory that a thread keeps for packing and unpacking. It comes from malloc(), so
 * that memory_limit cannot end a write, and is kept for the next value. */
#ifndef LARDER_PACK_SCRATCH_H
#define LARDER_PACK_SCRATCH_H

#include "pack/pack.h"

/* A string, or an array, that has a number. */
typedef struct encode_name {
    const void *thing;
    uint32_t hash;
    /* if this is below encode_names.base, the entry is of an earlier value, and free */
    uint32_t number;
} encode_name;

typedef struct encode_names {
    encode_name *at;
    uint32_t mask; /* entries - 1 */
    uint32_t base; /* the number of this value's first name; at least 1 */
    uint32_t used; /* names of this value */
} encode_names;

typedef struct scratch_buffer {
    void *at;
    size_t room;
} scratch_buffer;

/* An unpacked block, which is freed after it was read, or with the request. */
typedef struct scratch_block {
    struct scratch_block *next, **from;
    _Alignas(8) char data[];
} scratch_block;

struct larder_scratch {
    scratch_buffer bytes;    /* what is encoded */
    scratch_buffer packed;   /* the packed value */
    scratch_buffer block;    /* the block of a graph before it is folded */
    scratch_buffer nodes;    /* notes of fold.c and unfold.c about nodes */
    scratch_buffer raw;      /* what was compressed */
    scratch_buffer pointers; /* larder_unfolded.pointers */
    encode_names strings, arrays;
    scratch_block *blocks;
};

/* Return the memory of this thread. NULL: no memory. */
struct larder_scratch *larder_scratch(void);
/* Return a buffer with room for the given bytes. Its former content is lost. NULL: no memory. */
static inline void *scratch_room(scratch_buffer *buffer, size_t bytes)
{
    if (EXPECTED(buffer->room >= bytes))
        return buffer->at;
    free(buffer->at);
    buffer->at = malloc(bytes + bytes / 4);
    buffer->room = buffer->at != NULL ? bytes + bytes / 4 : 0;
    return buffer->at;
}
/* Return a buffer for an unpacked block. NULL: no memory. */
char *larder_scratch_block(size_t bytes);
void larder_scratch_free_block(char *data);

#endif
