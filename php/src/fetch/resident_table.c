/* resident_table.c - the table of a worker's resident graphs: by the address of the value, by its
 * key, and by the last use. The rules are in resident.c. */
#include "fetch/resident_table.h"
#include "request/memory.h"
#include "request/moves.h"
#include "stores/settings.h"

#define RESIDENT_ROOM 256u       /* of the table, at first */
#define RESIDENT_GENERATIONS 16u /* of one key in one request: where requests do not end */

static resident **resident_by_key(struct larder_residents *all, uint64_t hash)
{
    return all->places + all->room + (hash & (all->room - 1));
}

void larder_resident_newest(struct larder_residents *all, resident *r)
{
    r->newer = NULL;
    r->older = all->newest;
    *(r->older != NULL ? &r->older->newer : &all->oldest) = r;
    all->newest = r;
}

void larder_resident_unlink(struct larder_residents *all, resident *r)
{
    *(r->newer != NULL ? &r->newer->older : &all->newest) = r->older;
    *(r->older != NULL ? &r->older->newer : &all->oldest) = r->newer;
}

void larder_resident_insert(struct larder_residents *all, resident *r)
{
    LARDER_MOVE(all->places, all->room * 2 * sizeof *all->places);
    resident **data = resident_by_data(all, r->data), **key = resident_by_key(all, r->hash);
    r->next = *data;
    r->next_key = *key;
    *data = *key = r;
}

/* The first table, or one of twice the room. False: there is no memory for it. */
bool larder_resident_grow(struct larder_residents *all)
{
    uint32_t room = all->room != 0 ? all->room * 2 : RESIDENT_ROOM;
    resident **places = calloc(room, 2 * sizeof *places);
    if (places == NULL)
        return false;
    free(all->places);
    all->places = places;
    all->room = room;
    for (resident *r = all->newest; r != NULL; r = r->older)
        larder_resident_insert(all, r);
    return true;
}

void larder_resident_free(struct larder_residents *all, resident *r)
{
    resident **link = resident_by_data(all, r->data);
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    link = resident_by_key(all, r->hash);
    while (*link != r)
        link = &(*link)->next_key;
    *link = r->next_key;
    larder_resident_unlink(all, r);
    all->bytes -= r->size;
    all->graphs--;
    /* It names its block; so do its objects: see resident_forget(). */
#ifdef LRD_POISON
    larder_overwrite(r, 0xa5, r->size);
#else
    larder_overwrite(r, 0, sizeof *r);
#endif
    free(r);
}

/* Free earlier values of the key. False: too many of them were given to this request. */
bool larder_resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash)
{
    uint32_t generations = 0;
    for (resident *r = *resident_by_key(all, hash), *next; r != NULL; r = next) {
        next = r->next_key;
        if (r->hash != hash || r->store != store || r->key_len != entry->key_len ||
            memcmp(r->key, entry->key, r->key_len) != 0)
            continue;
        if (r->request == all->request)
            generations++;
        else
            larder_resident_free(all, r);
    }
    /* perhaps of this key */
    return generations < RESIDENT_GENERATIONS || larder_resident_free_unused(all) != 0;
}

/* Graphs that were not given for long make room. */
bool larder_resident_room(struct larder_residents *all, size_t size)
{
    uint64_t limit = larder_configured.resident_size;
    while (size <= limit && all->bytes > limit - size) {
        if (all->oldest == NULL || all->oldest->request + RESIDENT_REST >= all->request)
            return false;
        larder_resident_free(all, all->oldest);
    }
    return size <= limit;
}
