/* scratch.c - see scratch.h. */
#include "pack/scratch.h"
#include "php_larder.h"
#include "request/memory.h"

/* maximum size in bytes of a buffer that is kept for the next request */
#define SCRATCH_KEPT (256u << 10)

struct larder_scratch *larder_scratch(void)
{
    struct larder_scratch *own = LARDER_G(scratch);
    if (EXPECTED(own != NULL))
        return own;
    own = calloc(1, sizeof *own);
    return LARDER_G(scratch) = own;
}

char *larder_scratch_block(size_t bytes)
{
    struct larder_scratch *own = larder_scratch();
    scratch_block *block = own != NULL ? malloc(sizeof *block + bytes) : NULL;
    if (block == NULL)
        return NULL;
    block->from = &own->blocks;
    block->next = own->blocks;
    if (block->next != NULL)
        block->next->from = &block->next;
    own->blocks = block;
    return block->data;
}

void larder_scratch_free_block(char *data)
{
    scratch_block *block = (scratch_block *)(void *)(data - offsetof(scratch_block, data));
    *block->from = block->next;
    if (block->next != NULL)
        block->next->from = block->from;
    free(block);
}

static void scratch_free_blocks(struct larder_scratch *own)
{
    while (own->blocks != NULL)
        larder_scratch_free_block(own->blocks->data);
}

static void scratch_shrink(scratch_buffer *buffer)
{
    if (buffer->room <= SCRATCH_KEPT)
        return;
    free(buffer->at);
    *buffer = (scratch_buffer){.at = NULL};
}

static size_t names_size(const encode_names *names)
{
    return (names->mask + (size_t)1) * sizeof *names->at;
}

void larder_names_free(encode_names *names)
{
    larder_erase_free(names->at, names_size(names));
    names->at = NULL;
}

static void names_shrink(encode_names *names)
{
    if (names_size(names) > SCRATCH_KEPT)
        larder_names_free(names);
}

static void names_erase(encode_names *names)
{
    if (names->at == NULL || names->base + names->used == 1)
        return; /* the table is empty */
    larder_overwrite(names->at, 0, names_size(names));
    names->base = 1;
    names->used = 0;
}

void larder_pack_erase(void)
{
    if (LARDER_G(scratch) == NULL)
        return;
    names_erase(&LARDER_G(scratch)->strings);
    names_erase(&LARDER_G(scratch)->arrays);
}

void larder_pack_shrink(struct larder_scratch *own)
{
    scratch_free_blocks(own);
    scratch_shrink(&own->bytes);
    scratch_shrink(&own->packed);
    scratch_shrink(&own->block);
    scratch_shrink(&own->nodes);
    scratch_shrink(&own->raw);
    scratch_shrink(&own->pointers);
    names_shrink(&own->strings);
    names_shrink(&own->arrays);
}

LARDER_HOT void larder_pack_end(struct larder_scratch *own)
{
    if (own == NULL)
        return;
    scratch_free_blocks(own);
    free(own->bytes.at);
    free(own->packed.at);
    free(own->block.at);
    free(own->nodes.at);
    free(own->raw.at);
    free(own->pointers.at);
    free(own->strings.at);
    free(own->arrays.at);
    free(own);
}
