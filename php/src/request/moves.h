/* moves.h - for test builds (LARDER_MOVE_TABLES): moves a table whenever it might grow, so that a
 * test finds old pointers. */
#ifndef LARDER_MOVES_H
#define LARDER_MOVES_H

#include "request/memory.h"

#ifdef LARDER_MOVE_TABLES
/* a table of more than this number of bytes is moved only when it grows, to save time */
#define LARDER_MOVES_MAX 65536u
/* the maximum number of bytes that larder_moved_known() moves in the life of a thread */
#define LARDER_MOVES_KNOWN (64u << 20)

static inline void *larder_moved(void *table, size_t size)
{
    void *moved = table != NULL && size <= LARDER_MOVES_MAX ? malloc(size) : NULL;
    if (moved == NULL)
        return table;
    memcpy(moved, table, size);
    larder_overwrite(table, 0xa5, size);
    free(table);
    return moved;
}

/* Move a table that was allocated with emalloc(). */
static inline void *larder_moved_request(void *table, size_t size)
{
    if (table == NULL || size > LARDER_MOVES_MAX)
        return table;
    void *moved = emalloc(size);
    memcpy(moved, table, size);
    larder_overwrite(table, 0xa5, size);
    efree(table);
    return moved;
}

/* Move a table that was allocated with larder_request_alloc(). The old memory stays allocated until
 * the request ends, so a thread moves at most LARDER_MOVES_KNOWN bytes. */
static inline void *larder_moved_known(void *table, size_t size)
{
    static _Thread_local size_t moved_bytes;
    void *moved = table != NULL && size <= LARDER_MOVES_MAX && moved_bytes < LARDER_MOVES_KNOWN
                      ? larder_request_alloc(size)
                      : NULL;
    if (moved == NULL)
        return table;
    moved_bytes += size;
    memcpy(moved, table, size);
    larder_overwrite(table, 0xa5, size);
    return moved;
}

#define LARDER_MOVE(table, size) ((table) = larder_moved((table), (size)))
#define LARDER_MOVE_KNOWN(table, size) ((table) = larder_moved_known((table), (size)))
#define LARDER_MOVE_REQUEST(table, size) ((table) = larder_moved_request((table), (size)))
#else
#define LARDER_MOVE(table, size) ((void)0)
#define LARDER_MOVE_KNOWN(table, size) ((void)0)
#define LARDER_MOVE_REQUEST(table, size) ((void)0)
#endif

#endif
