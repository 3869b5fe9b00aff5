/* small.c - stores small values in the format of write.c, without a plan (see plan.h). Equal
 * strings and arrays are stored several times. The measuring walk and the writing walk visit the
 * parts in the same order. Begin reading at larder_small_measure(). */
#include "put/small.h"
#include "format/format.h"
#include "put/parts.h"
#include "put/string.h"

/* Limits of a small value: SMALL_ELEMENTS elements, SMALL_BYTES bytes, and SMALL_KEYED arrays with
 * keys. The last limit excludes lists of rows: the same keys would be stored for each row. */
#define SMALL_ELEMENTS 16u
#define SMALL_BYTES 1536u
#define SMALL_KEYED 2u

typedef struct small_sum {
    size_t size;
    uint32_t elements, keyed;
} small_sum;

/* ---- measure ---- */

static bool small_array(small_sum *sum, const HashTable *array);

static zend_always_inline bool small_string(small_sum *sum, zend_string *string)
{
    sum->size += LARDER_STRING_SIZE(ZSTR_LEN(string));
    if (UNEXPECTED(sum->size > SMALL_BYTES))
        return false;
    /* compute the hash now, because readers cannot write it into the block later */
    zend_string_hash_val(string);
    return true;
}

static zend_always_inline bool small_value(small_sum *sum, const zval *value)
{
    if (Z_TYPE_P(value) <= IS_DOUBLE)
        return true;
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING))
        return small_string(sum, Z_STR_P(value));
    return Z_TYPE_P(value) == IS_ARRAY && small_array(sum, Z_ARR_P(value));
}

/* Measure an array. Returns false if it must be stored in another way, for example because it is
 * too large. */
static bool small_array(small_sum *sum, const HashTable *array)
{
    uint32_t used = array->nNumUsed;
    if (used == 0 || used != array->nNumOfElements || used > SMALL_ELEMENTS - sum->elements)
        return false;
    sum->elements += used;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        sum->size += sizeof(zend_array) + HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval);
        for (const zval *value = array->arPacked, *end = value + used; value != end; value++)
            if (!small_value(sum, value))
                return false;
        return sum->size <= SMALL_BYTES;
    }
    if (++sum->keyed > SMALL_KEYED)
        return false;
    sum->size += sizeof(zend_array) + HT_HASH_SIZE(larder_table_mask(larder_table_size(used))) +
                 used * sizeof(Bucket);
    for (const Bucket *bucket = array->arData, *end = bucket + used; bucket != end; bucket++)
        if ((bucket->key != NULL && !small_string(sum, bucket->key)) ||
            !small_value(sum, &bucket->val))
            return false;
    return sum->size <= SMALL_BYTES;
}

/* For an object of a bare class (it has __unserialize(), but no __serialize()), set *sum to the
 * size of its properties. Returns false if the value is not small. */
static bool small_properties(small_sum *sum, const larder_parts *parts, const zend_object *object)
{
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    const zval *slot = object->properties_table;
    if (parts->list == NULL || slots > SMALL_ELEMENTS || object->properties != NULL ||
        object->handlers != zend_get_std_object_handlers())
        return false;
    sum->elements = slots;
    sum->keyed = 1;
    sum->size = sizeof(zend_array) + HT_HASH_SIZE(larder_table_mask(larder_table_size(slots))) +
                slots * sizeof(Bucket);
    for (uint32_t i = 0; i < slots; i++, slot++)
        if (Z_TYPE_P(slot) == IS_UNDEF || !small_value(sum, slot))
            return false;
    return sum->size <= SMALL_BYTES;
}

static bool small_object(larder_small *small, small_sum *sum, zend_object *object,
                         const larder_states *states)
{
    larder_class *class = larder_class_of(object->ce);
    if (class == NULL || class->kind != LARDER_CLASS_STATE ||
        class->builtin != LARDER_BUILTIN_NONE || class->bare != (states == NULL) ||
        class->names_classes || larder_is_lazy(object))
        return false;
    if (class->parts == NULL && (class->parts = larder_parts_make(object->ce, class->bare)) == NULL)
        return false;
    small->class = class;
    if (class->bare) {
        small->array = class->parts->list;
        small->slots = object->properties_table;
        return small_properties(sum, class->parts, object);
    }
    const larder_state *state = larder_states_find(states, object);
    if (state == NULL || Z_TYPE(state->value) != IS_ARRAY)
        return false;
    small->array = Z_ARR(state->value);
    return small_array(sum, small->array);
}

/* bytes that small_write_object() writes */
#define SMALL_GRAPH                                                                                \
    (sizeof(zval) + sizeof(larder_graph_class) + sizeof(larder_graph_node) + sizeof(uint64_t) +    \
     sizeof(larder_graph))

bool larder_small_measure(larder_small *small, const zval *value, const larder_states *states)
{
    small_sum sum = {.size = 0};
    small->slots = NULL;
    small->class = NULL;
    if (Z_TYPE_P(value) == IS_ARRAY) {
        small->array = Z_ARR_P(value);
        if (!small_array(&sum, small->array))
            return false;
        small->size = sum.size;
        return true;
    }
    if (Z_TYPE_P(value) != IS_OBJECT || !small_object(small, &sum, Z_OBJ_P(value), states))
        return false;
    small->size = small->class->parts->size + sum.size + SMALL_GRAPH;
    return true;
}

/* ---- write ---- */

typedef struct small_work {
    char *build;
    const char *data; /* the address at which readers see `build` */
    size_t at;        /* offset of the next byte to write */
} small_work;

static const void *small_write_array(small_work *work, const HashTable *source, const zval *slots,
                                     size_t keys);

static zend_always_inline const void *small_write_string(small_work *work,
                                                         const zend_string *source)
{
    size_t at = work->at;
    work->at = at + LARDER_STRING_SIZE(ZSTR_LEN(source));
    larder_build_string(source, work->build + at);
    return work->data + at;
}

static zend_always_inline void small_write_value(small_work *work, const zval *source, zval *value)
{
    uint32_t type = Z_TYPE_P(source);
    Z_TYPE_INFO_P(value) = type;
    if (type <= IS_DOUBLE)
        /* null, false and true have no value: write 0 over old bytes */
        Z_LVAL_P(value) = UNEXPECTED(type < IS_LONG) ? 0 : Z_LVAL_P(source);
    else
        Z_PTR_P(value) =
            (void *)(uintptr_t)(type == IS_STRING
                                    ? small_write_string(work, Z_STR_P(source))
                                    : small_write_array(work, Z_ARR_P(source), NULL, 0));
}

/* Write an array, and return the address at which readers find it. If `slots` is NULL, `source` has
 * the keys and the values. Otherwise, only the keys come from `source`: their strings are in the
 * block already, from the offset `keys` on, and `slots` has the values. */
static const void *small_write_array(small_work *work, const HashTable *source, const zval *slots,
                                     size_t keys)
{
    size_t at = work->at;
    zend_array *array = (zend_array *)(void *)(work->build + at);
    uint32_t *hash = (uint32_t *)(void *)(array + 1);
    uint32_t used = source->nNumUsed, size = larder_table_size(used), mask = HT_MIN_MASK;
    bool packed = HT_FLAGS(source) & HASH_FLAG_PACKED;
    if (!packed)
        mask = larder_table_mask(size);
    at += sizeof *array + HT_HASH_SIZE(mask);
    larder_array_header(array, HASH_FLAG_STATIC_KEYS | (packed ? HASH_FLAG_PACKED : 0), mask, size,
                        used, (uintptr_t)(work->data + at));
    if (packed) {
        zval *value = (zval *)(void *)(work->build + at);
        work->at = at + used * sizeof *value;
        hash[0] = hash[1] = HT_INVALID_IDX;
        array->nNextFreeElement = (zend_long)used;
        for (const zval *from = source->arPacked, *end = from + used; from != end;
             from++, value++) {
            small_write_value(work, from, value);
            value->u2.next = 0;
        }
        return work->data + ((char *)array - work->build);
    }
    Bucket *buckets = (Bucket *)(void *)(work->build + at);
    const Bucket *from = source->arData;
    zend_long next = ZEND_LONG_MIN;
    work->at = at + used * sizeof *buckets;
    larder_hash_clear(hash, mask);
    for (uint32_t i = 0; i < used; i++, from++) {
        Bucket *bucket = buckets + i;
        bucket->h = from->h;
        if (UNEXPECTED(from->key == NULL)) {
            bucket->key = NULL;
            next = larder_next_key(next, (zend_long)from->h);
        } else if (slots != NULL) {
            bucket->key = (zend_string *)(uintptr_t)(work->data + keys);
            keys += LARDER_STRING_SIZE(ZSTR_LEN(from->key));
        } else {
            bucket->key = (zend_string *)(uintptr_t)small_write_string(work, from->key);
        }
        small_write_value(work, slots != NULL ? slots + i : &from->val, &bucket->val);
        larder_hash_chain(buckets, mask, i);
    }
    array->nNextFreeElement = next;
    return work->data + ((char *)array - work->build);
}

/* Write the end of an object's block. `state` is the address at which readers find the object's
 * state. */
static void small_write_object(small_work *work, const larder_class *class, const void *state)
{
    zval *value = (zval *)(void *)(work->build + work->at);
    larder_graph_class *stored = (larder_graph_class *)(void *)(value + 1);
    larder_graph_node *node = (larder_graph_node *)(void *)(stored + 1);
    uint64_t *calls = (uint64_t *)(void *)(node + 1);
    larder_graph *graph = (larder_graph *)(void *)(calls + 1);
    Z_PTR_P(value) = (void *)(uintptr_t)state;
    Z_TYPE_INFO_P(value) = IS_ARRAY;
    value->u2.extra = 0;
    *stored = (larder_graph_class){
        .name = (zend_string *)(uintptr_t)work->data,
        .lower =
            (zend_string *)(uintptr_t)(work->data + LARDER_STRING_SIZE(ZSTR_LEN(class->ce->name))),
        .fingerprint = class->fingerprint,
        .slots = (uint32_t) class->ce->default_properties_count,
        .kind = LARDER_CLASS_STATE,
    };
    *node = (larder_graph_node){.at = work->at, .uses = 1, .kind = LARDER_NODE_STATE};
    *calls = 0; /* the only call is for node 0 */
    graph->classes = graph->nodes = graph->calls = 1;
    graph->cases = graph->first = 0;
    graph->flags = LARDER_GRAPH_MADE;
    graph->classes_at = (uint64_t)((char *)stored - work->build);
    graph->nodes_at = (uint64_t)((char *)node - work->build);
    graph->calls_at = (uint64_t)((char *)calls - work->build);
    graph->built = 0;
    larder_node_set(&graph->root, 0, LARDER_NODE_STATE);
    graph->root.u2.extra = 0;
}

void larder_fill_small(const void *from, void *build, const void *data, size_t size)
{
    const larder_small *small = from;
    small_work work = {.build = build, .data = data};
    if (small->class == NULL) {
        small_write_array(&work, small->array, NULL, 0);
        ZEND_ASSERT(work.at == size);
        return;
    }
    const larder_parts *parts = small->class->parts;
    memcpy(build, parts->strings, parts->size);
    work.at = parts->size;
    const void *state = small_write_array(&work, small->array, small->slots, parts->keys_at);
    ZEND_ASSERT(work.at + SMALL_GRAPH == size);
    small_write_object(&work, small->class, state);
}
