/* list.h - a list for unpacking a value. Each item has an index. */
#ifndef LARDER_PACK_LIST_H
#define LARDER_PACK_LIST_H

#include "php_larder.h"

/* Up to DECODE_FIRST items are in the array `first`, so a short list needs no allocation. */
#define DECODE_FIRST 64u
typedef struct decode_list {
    void **at;
    uint32_t used, room;
    void *first[DECODE_FIRST];
} decode_list;

static inline void list_begin(decode_list *list)
{
    list->at = list->first;
    list->used = 0;
    list->room = DECODE_FIRST;
}

static zend_never_inline ZEND_ATTRIBUTE_UNUSED void list_grow(decode_list *list)
{
    void **at = safe_emalloc(list->room, 4 * sizeof *at, 0);
    memcpy(at, list->at, list->used * sizeof *at);
    if (list->at != list->first)
        efree(list->at);
    list->at = at;
    list->room *= 4;
}

static zend_always_inline void list_add(decode_list *list, void *thing)
{
    if (UNEXPECTED(list->used == list->room))
        list_grow(list);
    list->at[list->used++] = thing;
}

static inline void list_end(decode_list *list)
{
    if (list->at != list->first)
        efree(list->at);
}

#endif
