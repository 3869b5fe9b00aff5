/* resident_table.c - finds resident graphs (see resident.c), and frees the least recently used. */
#include "fetch/resident_table.h"
#include "holds/holds.h"
#include "request/memory.h"
#include "request/moves.h"
#include "stores/settings.h"

#define RESIDENT_ROOM 256u /* initial number of chains in each of the two hash tables */
/* Maximum number of graphs of one key that one request may have. Without this limit, an endless
 * request would collect a graph for each new value of the key. */
#define RESIDENT_GENERATIONS 16u

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
    /* holds/collect.c also searches freed memory, so erase the graph's pointers */
#ifdef LRD_POISON
    larder_overwrite(r, 0xa5, r->size);
#else
    larder_overwrite(r, 0, sizeof *r);
#endif
    free(r);
}

/* ---- unused graphs ---- */

/* Return true if PHP does not use this table of properties, and the table contains nothing with a
 * destructor. */
static bool resident_table_unused(HashTable *table)
{
    const zval *value;
    if (GC_REFCOUNT(table) != 1 || HT_HAS_ITERATORS(table))
        return false;
    ZEND_HASH_FOREACH_VAL(table, value)
        if (Z_TYPE_P(value) > IS_STRING && Z_TYPE_P(value) != IS_INDIRECT)
            return false;
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool resident_object_unused(const zend_object *object)
{
    return GC_REFCOUNT(object) == RESIDENT_COUNT &&
           !(OBJ_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED) &&
           (object->properties == NULL || resident_table_unused(object->properties));
}

/* Return true if the program does not use the graph, so it can be freed. The graph of a pinned
 * static always counts as used. */
static bool resident_unused(const resident *r)
{
    if (r->living)
        return false;
#ifdef LRD_POISON
    if (larder_holds_stressed() == LARDER_HOLDS_HASTY)
        return true;
#endif
    for (uint32_t i = 0; i < r->classes_used; i++)
        for (uint32_t j = 0; j < r->classes[i].count; j++) {
            const char *at = r->classes[i].objects + (size_t)j * r->classes[i].size;
            if (!resident_object_unused((const zend_object *)(const void *)at))
                return false;
        }
    for (const char *at = r->arrays; at < r->key;) {
        const zend_array *array = (const zend_array *)(const void *)at;
        if (GC_REFCOUNT(array) != RESIDENT_COUNT)
            return false;
        at += resident_array_size(array);
    }
    return true;
}

void larder_resident_free_tables(const resident *r)
{
    for (uint32_t i = 0; i < r->classes_used; i++)
        for (uint32_t j = 0; j < r->classes[i].count; j++) {
            char *at = r->classes[i].objects + (size_t)j * r->classes[i].size;
            zend_object *object = (zend_object *)(void *)at;
            if (object->properties != NULL)
                zend_array_release(object->properties);
        }
}

/* Free an unused graph during a request. Runs no user code. */
static void resident_forget(struct larder_residents *all, resident *r)
{
    larder_resident_free_tables(r);
    for (uint32_t i = 0; i < r->cases_used; i++) {
        zend_object *object = r->cases[i].object;
        GC_SET_REFCOUNT(object, GC_REFCOUNT(object) - r->cases[i].uses);
    }
    larder_overwrite(r->live, 0, (size_t)(r->key - r->live));
    larder_resident_free(all, r);
}

uint32_t larder_resident_free_unused(struct larder_residents *all)
{
    uint32_t count = 0;
    resident **link = &all->given;
    while (LARDER_G(residents_lent) == 0 && *link != NULL) {
        resident *r = *link;
        if (!resident_unused(r)) {
            link = &r->given;
            continue;
        }
        *link = r->given;
        resident_forget(all, r);
        count++;
    }
    return count;
}

/* Free the key's outdated graphs that this request has not returned. If RESIDENT_GENERATIONS or
 * more of the key's graphs remain, also frees the unused graphs of all keys. In this case, returns
 * false if no graph was unused. */
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
    return generations < RESIDENT_GENERATIONS || larder_resident_free_unused(all) != 0;
}

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
