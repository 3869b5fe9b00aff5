/* alike.c - stores objects of one class whose __serialize() returns arrays of scalars and strings.
 * The format is that of few.c. Begin reading at larder_alike_call().
 *
 * - The returned arrays usually come from one array literal, so they have the same keys. Then only
 *   the first array is written in full. Each later one is written as a copy of the previous one,
 *   with other values.
 * - This file owns a reference to each result, so no hook can change another hook's result.
 * - Each result is measured immediately after its hook. */
#include "put/alike.h"
#include "format/format.h"
#include "put/parts.h"
#include "put/string.h"
#include "request/serializer.h"

/* Limits of a value: ALIKE_ELEMENTS elements in all results, ALIKE_BYTES bytes of the block, and
 * ALIKE_TEXT bytes of strings. Strings are limited because equal ones may be stored several
 * times. */
#define ALIKE_ELEMENTS 64u
#define ALIKE_BYTES 4096u
#define ALIKE_TEXT 1024u

/* ---- find ---- */

/* Return true if no object occurs twice. An object with one owner cannot occur twice. */
static bool alike_are_different(const zval *value, uint32_t count, size_t step)
{
    const zend_object *several[LARDER_ALIKE_OBJECTS];
    uint32_t used = 0;
    for (; count != 0; count--, value = (const zval *)(const void *)((const char *)value + step)) {
        if (Z_REFCOUNT_P(value) == 1)
            continue;
        for (uint32_t i = 0; i < used; i++)
            if (several[i] == Z_OBJ_P(value))
                return false;
        several[used++] = Z_OBJ_P(value);
    }
    return true;
}

static zend_always_inline bool alike_are_objects(const zval *value, uint32_t count, size_t step,
                                                 const zend_class_entry *ce)
{
    for (; count != 0; count--, value = (const zval *)(const void *)((const char *)value + step))
        if (Z_TYPE_P(value) != IS_OBJECT || Z_OBJCE_P(value) != ce ||
            larder_is_lazy(Z_OBJ_P(value)))
            return false;
    return true;
}

static zend_always_inline bool alike_is_packed(const HashTable *array)
{
    return HT_FLAGS(array) & HASH_FLAG_PACKED;
}

/* Return the first element; *step receives the distance in bytes to the next. */
static zend_always_inline const zval *alike_first(const HashTable *array, size_t *step)
{
    *step = alike_is_packed(array) ? sizeof(zval) : sizeof(Bucket);
    return alike_is_packed(array) ? array->arPacked : &array->arData->val;
}

bool larder_alike_find(larder_alike *alike, const zval *value)
{
    const zval *first = value;
    uint32_t count = 1;
    size_t step = 0;
    alike->called = 0;
    if (Z_TYPE_P(value) == IS_ARRAY) {
        const HashTable *array = Z_ARR_P(value);
        count = array->nNumUsed;
        if (count == 0 || count > LARDER_ALIKE_OBJECTS || count != array->nNumOfElements)
            return false;
        first = alike_first(array, &step);
    }
    if (Z_TYPE_P(first) != IS_OBJECT)
        return false;
    zend_class_entry *ce = Z_OBJCE_P(first);
    larder_class *class = larder_class_of(ce);
    if (class == NULL || class->kind != LARDER_CLASS_STATE || class->bare ||
        class->builtin != LARDER_BUILTIN_NONE || ce->__serialize->type != ZEND_USER_FUNCTION ||
        !alike_are_objects(first, count, step, ce) ||
        (count > 1 && !alike_are_different(first, count, step)))
        return false;
    alike->value = value;
    alike->class = class;
    alike->objects = count;
    alike->elements = 0;
    alike->size = alike->text = 0;
    return true;
}

/* ---- measure ---- */

static zend_always_inline void alike_string(larder_alike *alike, zend_string *string)
{
    /* compute the hash now, because readers cannot write it into the block later */
    zend_string_hash_val(string);
    alike->text += LARDER_STRING_SIZE(ZSTR_LEN(string));
}

/* Compare two strings whose hashes are known. */
static zend_always_inline bool alike_equals(const zend_string *one, const zend_string *other)
{
    return one == other || (ZSTR_H(one) == ZSTR_H(other) && zend_string_equal_content(one, other));
}

/* Return true if two arrays have the same keys in the same order. Strings are compared by
 * address. */
static zend_always_inline bool alike_has_keys_of(const HashTable *array, const HashTable *like)
{
    uint32_t used = array->nNumUsed;
    if (used != like->nNumUsed || alike_is_packed(array) != alike_is_packed(like))
        return false;
    if (alike_is_packed(array))
        return true;
    for (const Bucket *one = array->arData, *other = like->arData; used != 0;
         used--, one++, other++)
        if (one->key != other->key || one->h != other->h)
            return false;
    return true;
}

/* Return the size in bytes of a stored array, without the parts to which it refers. */
static zend_always_inline size_t alike_array_size(const HashTable *array)
{
    uint32_t used = array->nNumUsed;
    return used == 0 || alike_is_packed(array)
               ? sizeof(zend_array) + HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval)
               : sizeof(zend_array) + HT_HASH_SIZE(larder_table_mask(larder_table_size(used))) +
                     used * sizeof(Bucket);
}

/* Add the size of an array and its contents. `like` is the previous result's array at the same
 * place, or NULL. Returns false if the value cannot be stored here. */
static bool alike_array(larder_alike *alike, const HashTable *array, const HashTable *like)
{
    uint32_t used = array->nNumUsed;
    if (array == like)
        return true;
    if (used != array->nNumOfElements || used > ALIKE_ELEMENTS - alike->elements)
        return false;
    alike->elements += used;
    alike->size += alike_array_size(array);
    if (used == 0)
        return true;
    size_t step;
    const zval *value = alike_first(array, &step), *model = NULL;
    if (like != NULL && alike_has_keys_of(array, like))
        model = alike_first(like, &step);
    else if (!alike_is_packed(array))
        for (const Bucket *bucket = array->arData, *end = bucket + used; bucket != end; bucket++)
            if (bucket->key != NULL)
                alike_string(alike, bucket->key);
    for (size_t at = 0; used != 0; used--, at += step) {
        const zval *from = (const zval *)(const void *)((const char *)value + at);
        const zval *other =
            model != NULL ? (const zval *)(const void *)((const char *)model + at) : NULL;
        if (Z_TYPE_P(from) <= IS_DOUBLE)
            continue;
        bool same = other != NULL && Z_TYPE_P(other) == Z_TYPE_P(from);
        if (Z_TYPE_P(from) == IS_STRING) {
            zend_string_hash_val(Z_STR_P(from));
            if (!same || !alike_equals(Z_STR_P(from), Z_STR_P(other)))
                alike_string(alike, Z_STR_P(from));
        } else if (Z_TYPE_P(from) != IS_ARRAY ||
                   !alike_array(alike, Z_ARR_P(from), same ? Z_ARR_P(other) : NULL)) {
            return false;
        }
    }
    return alike->text <= ALIKE_TEXT && alike->size <= ALIKE_BYTES;
}

/* Refuse a class with an alias in the type of a property: only a plan can store aliases. */
static bool alike_alias(void *context, const zend_string *name, const zend_class_entry *ce)
{
    (void)context, (void)name, (void)ce;
    return false;
}

static zend_always_inline size_t alike_tables(uint32_t objects, uint32_t nodes)
{
    return sizeof(larder_graph_class) + nodes * sizeof(larder_graph_node) +
           ZEND_MM_ALIGNED_SIZE_EX(objects * sizeof(uint32_t), 8) + sizeof(larder_graph);
}

/* Finish measuring: add the sizes of all parts other than the results of the hooks. Returns false
 * if the value must be stored in another way. */
static bool alike_finish(larder_alike *alike)
{
    larder_class *class = alike->class;
    uint32_t objects = alike->objects, nodes = objects;
    if (class->parts == NULL && (class->parts = larder_parts_make(class->ce, false)) == NULL)
        return false;
    /* a hook may have made a class alias, which changes what the declared types mean */
    if (class->names_classes && !larder_class_aliases(class, alike_alias, NULL))
        return false;
    if (Z_TYPE_P(alike->value) == IS_ARRAY) {
        const HashTable *array = Z_ARR_P(alike->value);
        ZEND_ASSERT(array->nNumUsed == objects && array->nNumOfElements == objects);
        nodes++;
        alike->size += alike_array_size(array);
        if (!alike_is_packed(array))
            for (uint32_t i = 0; i < objects; i++)
                if (array->arData[i].key != NULL)
                    alike_string(alike, array->arData[i].key);
    }
    alike->size +=
        class->parts->size + alike->text + objects * sizeof(zval) + alike_tables(objects, nodes);
    return alike->text <= ALIKE_TEXT && alike->size <= ALIKE_BYTES;
}

static zend_always_inline zend_object *alike_object(const larder_alike *alike, uint32_t number)
{
    size_t step;
    if (Z_TYPE_P(alike->value) == IS_OBJECT)
        return Z_OBJ_P(alike->value);
    const zval *first = alike_first(Z_ARR_P(alike->value), &step);
    return Z_OBJ_P((const zval *)(const void *)((const char *)first + number * step));
}

bool larder_alike_call(larder_alike *alike)
{
    const HashTable *like = NULL;
    bool good = true;
    larder_serializer_lock();
    while (good && alike->called < alike->objects) {
        zval state;
        good = larder_states_call(alike_object(alike, alike->called), &state);
        if (UNEXPECTED(!good))
            break;
        alike->state[alike->called++] = Z_ARR(state);
        good = alike_array(alike, Z_ARR(state), like);
        like = Z_ARR(state);
    }
    larder_serializer_unlock();
    return good && alike_finish(alike);
}

void larder_alike_hand(larder_alike *alike, larder_states *states)
{
    for (uint32_t i = 0; i < alike->called; i++)
        larder_states_add(states, alike_object(alike, i), alike->state[i]);
    alike->called = 0;
}

/* Free the results. zend_array_release() does not report the arrays to the cycle collector. That is
 * safe, because these arrays cannot be part of a cycle. */
void larder_alike_free(larder_alike *alike)
{
    for (uint32_t i = 0; i < alike->called; i++)
        zend_array_release(alike->state[i]);
}

/* ---- write ---- */

typedef struct alike_work {
    char *build;
    const char *data; /* the address at which readers see `build` */
    size_t at;        /* offset of the next byte to write */
} alike_work;

static const void *alike_write_array(alike_work *work, const HashTable *source,
                                     const HashTable *like, const void *stored);

static zend_always_inline void *alike_write_string(alike_work *work, const zend_string *source)
{
    size_t at = work->at;
    work->at = at + LARDER_STRING_SIZE(ZSTR_LEN(source));
    larder_build_string(source, work->build + at);
    return (void *)(uintptr_t)(work->data + at);
}

/* Write an element to *value. `like` is the element at the same place of the previous result, or
 * NULL. If `like` is not NULL, *value already has the stored form of `like`. */
static zend_always_inline void alike_write_value(alike_work *work, const zval *from,
                                                 const zval *like, zval *value)
{
    uint32_t type = Z_TYPE_P(from);
    if (type <= IS_DOUBLE) {
        /* null, false and true have no value: write 0 over old bytes */
        Z_LVAL_P(value) = UNEXPECTED(type < IS_LONG) ? 0 : Z_LVAL_P(from);
        Z_TYPE_INFO_P(value) = type;
        return;
    }
    bool same = like != NULL && Z_TYPE_P(like) == type;
    if (type == IS_ARRAY)
        Z_PTR_P(value) = (void *)(uintptr_t)alike_write_array(
            work, Z_ARR_P(from), same ? Z_ARR_P(like) : NULL, same ? Z_PTR_P(value) : NULL);
    else if (!same || !alike_equals(Z_STR_P(from), Z_STR_P(like)))
        Z_PTR_P(value) = alike_write_string(work, Z_STR_P(from));
    Z_TYPE_INFO_P(value) = type;
}

static void alike_write_keys(alike_work *work, const HashTable *source, zend_array *array)
{
    uint32_t used = source->nNumUsed, size = larder_table_size(used);
    uint32_t packed = HT_FLAGS(source) & HASH_FLAG_PACKED;
    uint32_t mask = packed ? HT_MIN_MASK : larder_table_mask(size);
    uint32_t *hash = (uint32_t *)(void *)(array + 1);
    larder_array_header(array, HASH_FLAG_STATIC_KEYS | packed, mask, size, used, 0);
    larder_hash_clear(hash, mask);
    if (packed) {
        zval *value = (zval *)(void *)(hash + 2);
        for (uint32_t i = 0; i < used; i++)
            value[i].u2.next = 0;
        array->nNextFreeElement = (zend_long)used;
        return;
    }
    Bucket *buckets = (Bucket *)(void *)((char *)hash + HT_HASH_SIZE(mask));
    const Bucket *from = source->arData;
    zend_long next = ZEND_LONG_MIN;
    for (uint32_t i = 0; i < used; i++, from++) {
        buckets[i].h = from->h;
        if (UNEXPECTED(from->key == NULL))
            next = larder_next_key(next, (zend_long)from->h);
        buckets[i].key = from->key != NULL ? alike_write_string(work, from->key) : NULL;
        larder_hash_chain(buckets, mask, i);
    }
    array->nNextFreeElement = next;
}

/* Write header and keys of an array of `size` bytes. If an array with the same keys was written
 * before, `stored` is the address at which readers see the earlier array. Otherwise `stored` is
 * NULL. */
static zend_always_inline zend_array *alike_write_head(alike_work *work, const HashTable *source,
                                                       size_t size, const void *stored)
{
    zend_array *array = (zend_array *)(void *)(work->build + work->at);
    const char *data = work->data + work->at;
    work->at += size;
    if (stored != NULL)
        memcpy(array, work->build + ((const char *)stored - work->data), size);
    else
        alike_write_keys(work, source, array);
    size_t elements = source->nNumUsed * (alike_is_packed(source) ? sizeof(zval) : sizeof(Bucket));
    array->arData = (Bucket *)(uintptr_t)(data + size - elements);
    return array;
}

static const void *alike_write_empty(alike_work *work)
{
    zend_array *array = (zend_array *)(void *)(work->build + work->at);
    uint32_t *hash = (uint32_t *)(void *)(array + 1);
    work->at += sizeof *array + HT_HASH_SIZE(HT_MIN_MASK);
    larder_array_header(array, HASH_FLAG_UNINITIALIZED, HT_MIN_MASK, larder_table_size(0), 0,
                        (uintptr_t)(work->data + work->at));
    larder_hash_clear(hash, HT_MIN_MASK);
    array->nNextFreeElement = zend_empty_array.nNextFreeElement;
    return work->data + ((char *)array - work->build);
}

/* Write an array, and return the address at which readers see it. `like` is the array at the same
 * place of the previous result, or NULL. `stored` is the address at which readers see the stored
 * form of `like`. */
static const void *alike_write_array(alike_work *work, const HashTable *source,
                                     const HashTable *like, const void *stored)
{
    uint32_t used = source->nNumUsed;
    size_t size = alike_array_size(source), step;
    if (source == like)
        return stored;
    if (used == 0)
        return alike_write_empty(work);
    const zval *from = alike_first(source, &step), *model = NULL;
    if (like != NULL && alike_has_keys_of(source, like))
        model = alike_first(like, &step);
    zend_array *array = alike_write_head(work, source, size, model != NULL ? stored : NULL);
    char *value = (char *)array + size - used * step;
    for (size_t at = 0; used != 0; used--, at += step)
        alike_write_value(work, (const zval *)(const void *)((const char *)from + at),
                          model != NULL ? (const zval *)(const void *)((const char *)model + at)
                                        : NULL,
                          (zval *)(void *)(value + at));
    return work->data + ((char *)array - work->build);
}

static void alike_write_list(alike_work *work, const HashTable *source)
{
    size_t size = alike_array_size(source), step;
    (void)alike_first(source, &step);
    zend_array *array = alike_write_head(work, source, size, NULL);
    char *value = (char *)array + size - source->nNumUsed * step;
    for (uint32_t i = 0; i < source->nNumUsed; i++, value += step)
        larder_node_set((zval *)(void *)value, i, LARDER_NODE_STATE);
}

/* Write the classes, nodes and calls of a graph behind its states. `state` has the offset of each
 * object's state. If the value is an array of objects, `list` is the offset of this array. */
static void alike_write_graph(const alike_work *work, const larder_alike *alike,
                              const uint32_t *state, size_t list, size_t size)
{
    bool listed = Z_TYPE_P(alike->value) == IS_ARRAY;
    uint32_t objects = alike->objects, nodes = objects + listed;
    const zend_class_entry *ce = alike->class->ce;
    larder_graph_class *class = (larder_graph_class *)(void *)(work->build + work->at);
    larder_graph_node *node = (larder_graph_node *)(void *)(class + 1);
    uint32_t *calls = (uint32_t *)(void *)(node + nodes);
    larder_graph *graph = (larder_graph *)(void *)(calls + objects + objects % 2);
    ZEND_ASSERT((char *)(graph + 1) == work->build + size);
    (void)size;
    *class = (larder_graph_class){
        .name = (zend_string *)(uintptr_t)work->data,
        .lower = (zend_string *)(uintptr_t)(work->data + LARDER_STRING_SIZE(ZSTR_LEN(ce->name))),
        .fingerprint = alike->class->fingerprint,
        .slots = (uint32_t)ce->default_properties_count,
        .kind = LARDER_CLASS_STATE,
    };
    /* clear the 4 bytes of padding, which may contain old data */
    if (objects % 2 != 0)
        calls[objects] = 0;
    for (uint32_t i = 0; i < objects; i++) {
        node[i] = (larder_graph_node){.at = state[i], .uses = 1, .kind = LARDER_NODE_STATE};
        calls[i] = i;
    }
    if (listed)
        node[objects] = (larder_graph_node){.at = list, .uses = 1, .kind = LARDER_NODE_ARRAY};
    *graph = (larder_graph){
        .classes = 1,
        .nodes = nodes,
        .calls = objects,
        .flags = LARDER_GRAPH_MADE,
        .classes_at = (uint64_t)((char *)class - work->build),
        .nodes_at = (uint64_t)((char *)node - work->build),
        .calls_at = (uint64_t)((char *)calls - work->build),
    };
    larder_node_set(&graph->root, nodes - 1, listed ? LARDER_NODE_ARRAY : LARDER_NODE_STATE);
    graph->root.u2.extra = 0;
}

void larder_fill_alike(const void *from, void *build, const void *data, size_t size)
{
    const larder_alike *alike = from;
    const larder_parts *parts = alike->class->parts;
    alike_work work = {.build = build, .data = data, .at = parts->size};
    uint32_t state[LARDER_ALIKE_OBJECTS];
    memcpy(build, parts->strings, parts->size);
    if (Z_TYPE_P(alike->value) == IS_ARRAY)
        alike_write_list(&work, Z_ARR_P(alike->value));
    const HashTable *like = NULL;
    const void *stored = NULL;
    for (uint32_t i = 0; i < alike->objects; i++) {
        zval *value = (zval *)(void *)(work.build + work.at);
        state[i] = (uint32_t)work.at;
        work.at += sizeof *value;
        stored = alike_write_array(&work, alike->state[i], like, stored);
        like = alike->state[i];
        Z_PTR_P(value) = (void *)(uintptr_t)stored;
        Z_TYPE_INFO_P(value) = IS_ARRAY;
        value->u2.extra = 0;
    }
    alike_write_graph(&work, alike, state, parts->size, size);
}
