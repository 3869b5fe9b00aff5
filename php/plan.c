/* plan.c - the measuring pass: walks an array, breadth first and without recursion, and decides
 * where each part of it will lie. Read larder_plan_array() first; build.c walks the same way.
 *
 * The scratch memory belongs to the thread, comes from malloc and outlives requests, so that a
 * bailout cannot leak it and storing does not touch the request's memory. */
#include "plan.h"

#define PLAN_KEEP_MAX                                                                              \
    (1u << 20) /* scratch memory above this is given back after the request; bytes */

static bool plan_grow(void **memory, size_t *room, size_t least, size_t element)
{
    size_t wanted = *room * 2 > least ? *room * 2 : least;
    if (wanted < 64)
        wanted = 64;
    void *grown = wanted <= SIZE_MAX / element ? realloc(*memory, wanted * element) : NULL;
    if (grown == NULL)
        return false;
    *memory = grown;
    *room = wanted;
    return true;
}

static bool plan_grow32(void **memory, uint32_t *room, size_t element)
{
    size_t wide = *room;
    if (*room >= LARDER_CELL_ARRAY / 2 || !plan_grow(memory, &wide, 0, element))
        return false;
    *room = (uint32_t)wide;
    return true;
}

static zend_always_inline bool plan_target(larder_plan *plan, size_t at)
{
    if (UNEXPECTED(plan->targets_used == plan->targets_room) &&
        !plan_grow((void **)&plan->targets, &plan->targets_room, 0, sizeof *plan->targets))
        return false;
    plan->targets[plan->targets_used++] = at;
    return true;
}

/* ---- the table of what is placed already ------------------------------------------------------ */

static zend_ulong plan_array_hash(const HashTable *array)
{
    return ((zend_ulong)(uintptr_t)array >> 4) * (zend_ulong)0x9e3779b97f4a7c15ull >> 16;
}

static zend_ulong plan_cell_hash(const larder_plan *plan, const larder_cell *cell)
{
    if (cell->index & LARDER_CELL_ARRAY)
        return plan_array_hash(plan->arrays[cell->index & ~LARDER_CELL_ARRAY].source);
    return ZSTR_H(plan->strings[cell->index].source);
}

static larder_cell *plan_vacant(larder_plan *plan, zend_ulong hash)
{
    uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
    while (plan->cells[i].stamp == plan->stamp)
        i = (i + 1) & mask;
    return plan->cells + i;
}

static bool plan_rehash(larder_plan *plan)
{
    larder_cell *old = plan->cells;
    uint32_t old_room = plan->cells_room, room = old_room != 0 ? old_room * 2 : 256;
    larder_cell *cells = calloc(room, sizeof *cells);
    if (cells == NULL)
        return false;
    plan->cells = cells;
    plan->cells_room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].stamp == plan->stamp)
            *plan_vacant(plan, plan_cell_hash(plan, old + i)) = old[i];
    free(old);
    return true;
}

static zend_always_inline bool plan_room_in_table(larder_plan *plan)
{
    return EXPECTED(plan->cells_used < plan->cells_room / 2) || plan_rehash(plan);
}

/* ---- strings and arrays ------------------------------------------------------------------------ */

static zend_always_inline larder_measured plan_string(larder_plan *plan, zend_string *string)
{
    zend_ulong hash = zend_string_hash_val(string);
    if (UNEXPECTED(!plan_room_in_table(plan)))
        return LARDER_NO_MEMORY;
    uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
    for (; plan->cells[i].stamp == plan->stamp; i = (i + 1) & mask) {
        if (plan->cells[i].index & LARDER_CELL_ARRAY)
            continue;
        const larder_planned_string *placed = plan->strings + plan->cells[i].index;
        if (placed->source == string ||
            (ZSTR_H(placed->source) == hash && zend_string_equal_content(placed->source, string)))
            return plan_target(plan, placed->at) ? LARDER_NATIVE : LARDER_NO_MEMORY;
    }
    if (UNEXPECTED(plan->strings_used == plan->strings_room) &&
        !plan_grow32((void **)&plan->strings, &plan->strings_room, sizeof *plan->strings))
        return LARDER_NO_MEMORY;
    if (UNEXPECTED(ZSTR_LEN(string) > plan->limit))
        return LARDER_TOO_LARGE;
    plan->cells[i] = (larder_cell){.stamp = plan->stamp, .index = plan->strings_used};
    plan->cells_used++;
    plan->strings[plan->strings_used++] =
        (larder_planned_string){.source = string, .at = plan->size};
    if (UNEXPECTED(!plan_target(plan, plan->size)))
        return LARDER_NO_MEMORY;
    plan->size += LARDER_STRING_SIZE(ZSTR_LEN(string));
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* Elements that will be stored. */
static uint32_t plan_count(const HashTable *array)
{
    if (array->nNumOfElements == 0)
        return 0;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED)
        return array->nNumUsed; /* the position is the key: holes stay */
    if (EXPECTED(!(HT_FLAGS(array) & HASH_FLAG_HAS_EMPTY_IND)))
        return array->nNumOfElements;
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        count += Z_TYPE_P(larder_element(&array->arData[i].val)) != IS_UNDEF;
    return count;
}

static uint32_t plan_table_size(uint32_t count)
{
    uint32_t size = HT_MIN_SIZE;
    while (size < count)
        size *= 2;
    return size;
}

/* Give an array its place. Its elements' turn comes later. */
static larder_measured plan_place(larder_plan *plan, const HashTable *array)
{
    if (UNEXPECTED(plan->arrays_used == plan->arrays_room) &&
        !plan_grow32((void **)&plan->arrays, &plan->arrays_room, sizeof *plan->arrays))
        return LARDER_NO_MEMORY;
    uint32_t used = plan_count(array), size = plan_table_size(used);
    plan->arrays[plan->arrays_used++] =
        (larder_planned_array){.source = array, .at = plan->size, .used = used, .size = size};
    plan->size += sizeof(zend_array);
    if (used == 0 || (HT_FLAGS(array) & HASH_FLAG_PACKED))
        plan->size += HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval);
    else
        plan->size += HT_HASH_SIZE(HT_SIZE_TO_MASK(size)) + used * sizeof(Bucket);
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* A value can only contain itself through a reference, and then some array is met twice. The two
 * together are left to the serializer; without references, or without sharing, nothing recurs. */
static larder_measured plan_array(larder_plan *plan, const HashTable *array)
{
    /* What is counted once does not occur again. */
    if (GC_REFCOUNT(array) > 1 || (GC_FLAGS(array) & GC_IMMUTABLE) || plan->arrays_used == 0) {
        zend_ulong hash = plan_array_hash(array);
        if (UNEXPECTED(!plan_room_in_table(plan)))
            return LARDER_NO_MEMORY;
        uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
        for (; plan->cells[i].stamp == plan->stamp; i = (i + 1) & mask) {
            uint32_t index = plan->cells[i].index & ~LARDER_CELL_ARRAY;
            if (index == plan->cells[i].index || plan->arrays[index].source != array)
                continue;
            plan->shared = plan->shared || plan->arrays[index].used != 0;
            return plan_target(plan, plan->arrays[index].at) ? LARDER_NATIVE : LARDER_NO_MEMORY;
        }
        plan->cells[i] =
            (larder_cell){.stamp = plan->stamp, .index = plan->arrays_used | LARDER_CELL_ARRAY};
        plan->cells_used++;
    }
    if (UNEXPECTED(!plan_target(plan, plan->size)))
        return LARDER_NO_MEMORY;
    return plan_place(plan, array);
}

static zend_always_inline larder_measured plan_value(larder_plan *plan, const zval *element)
{
    const zval *value = larder_element(element);
    if (Z_TYPE_P(value) <= IS_DOUBLE)
        return LARDER_NATIVE;
    if (Z_TYPE_P(value) == IS_STRING)
        return plan_string(plan, Z_STR_P(value));
    if (UNEXPECTED(Z_TYPE_P(value) != IS_ARRAY))
        return LARDER_SERIALIZE;
    plan->referred = plan->referred || Z_ISREF_P(element);
    larder_measured rc = plan_array(plan, Z_ARR_P(value));
    return UNEXPECTED(plan->shared && plan->referred) ? LARDER_SERIALIZE : rc;
}

/* Whether all elements are null, bool, int or float. */
static bool plan_is_plain(const HashTable *array)
{
    bool others = false;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        others |= Z_TYPE(array->arPacked[i]) > IS_DOUBLE;
    return !others;
}

static larder_measured plan_elements(larder_plan *plan, uint32_t index)
{
    const HashTable *array = plan->arrays[index].source;
    larder_measured rc;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        plan->arrays[index].plain = plan_is_plain(array);
        if (plan->arrays[index].plain)
            return LARDER_NATIVE;
        for (const zval *value = array->arPacked, *end = value + array->nNumUsed; value != end;
             value++)
            if (UNEXPECTED((rc = plan_value(plan, value)) != LARDER_NATIVE))
                return rc;
        return LARDER_NATIVE;
    }
    for (const Bucket *bucket = array->arData, *end = bucket + array->nNumUsed; bucket != end;
         bucket++) {
        if (UNEXPECTED(Z_TYPE_P(larder_element(&bucket->val)) == IS_UNDEF))
            continue;
        if (bucket->key != NULL &&
            UNEXPECTED((rc = plan_string(plan, bucket->key)) != LARDER_NATIVE))
            return rc;
        if (UNEXPECTED((rc = plan_value(plan, &bucket->val)) != LARDER_NATIVE))
            return rc;
    }
    return LARDER_NATIVE;
}

larder_measured larder_plan_array(const HashTable *array, size_t limit, larder_plan **out)
{
    larder_plan *plan = LARDER_G(plan);
    if (plan == NULL) {
        plan = LARDER_G(plan) = calloc(1, sizeof *plan);
        if (plan == NULL)
            return LARDER_NO_MEMORY;
    }
    *out = plan;
    plan->size = 0;
    plan->limit = limit;
    plan->arrays_used = plan->strings_used = plan->cells_used = 0;
    plan->targets_used = 0;
    if (++plan->stamp == 0) {
        memset(plan->cells, 0, plan->cells_room * sizeof *plan->cells);
        plan->stamp = 1;
    }
    plan->shared = plan->referred = false;
    larder_measured rc = plan_array(plan, array);
    plan->targets_used = 0; /* nothing refers to the root */
    for (uint32_t i = 0; rc == LARDER_NATIVE && i < plan->arrays_used; i++)
        if (plan->arrays[i].used != 0)
            rc = plan_elements(plan, i);
    return rc;
}

void larder_plan_free(void)
{
    larder_plan *plan = LARDER_G(plan);
    if (plan == NULL || plan->arrays_room * sizeof *plan->arrays +
                                plan->strings_room * sizeof *plan->strings +
                                plan->targets_room * sizeof *plan->targets +
                                plan->cells_room * sizeof *plan->cells <=
                            PLAN_KEEP_MAX)
        return;
    free(plan->arrays);
    free(plan->strings);
    free(plan->targets);
    free(plan->cells);
    free(plan);
    LARDER_G(plan) = NULL;
}
