/* build.c - the writing pass: fills a reserved block with finished Zend structures, as plan.c laid
 * them out. Stores to the block only, so it cannot fail or be interrupted. Every header field is
 * written, never copied: the originals carry flags that are of their process alone. */
#include "plan.h"

void larder_build_string(const zend_string *source, char *build)
{
    zend_string *string = (zend_string *)(void *)build;
    /* Not permanent: PCRE would keep a permanent string as a key beyond the request. */
    uint32_t flags = IS_STR_INTERNED | (GC_FLAGS(source) & IS_STR_VALID_UTF8);
    GC_SET_REFCOUNT(string, 2);
    GC_TYPE_INFO(string) = GC_STRING | (flags << GC_FLAGS_SHIFT);
    ZSTR_H(string) = ZSTR_H(source);
    ZSTR_LEN(string) = ZSTR_LEN(source);
    memcpy(ZSTR_VAL(string), ZSTR_VAL(source), ZSTR_LEN(source) + 1);
}

/* One element. *target: the next offset of a string or array. */
static zend_always_inline void build_value(const zval *source, zval *value, const char *data,
                                           const size_t **target)
{
    source = larder_element(source);
    uint32_t type = Z_TYPE_P(source);
    if (EXPECTED(type <= IS_DOUBLE)) {
        value->value = source->value;
    } else {
        /* Interned and immutable: neither is counted. */
        value->value.counted = (zend_refcounted *)(uintptr_t)(data + *(*target)++);
    }
    Z_TYPE_INFO_P(value) = type;
}

static void build_packed(const larder_planned_array *planned, zval *values, const char *data,
                         const size_t **target)
{
    const HashTable *source = planned->source;
    if (planned->plain) {
        memcpy(values, source->arPacked, source->nNumUsed * sizeof *values);
        return;
    }
    for (uint32_t i = 0; i < source->nNumUsed; i++) {
        build_value(source->arPacked + i, values + i, data, target);
        values[i].u2.next = 0;
    }
}

/* The elements of a hash, without holes; *position is the internal pointer. */
static void build_hash(const larder_planned_array *planned, uint32_t *hash, Bucket *buckets,
                       const char *data, const size_t **target, uint32_t *position)
{
    const HashTable *source = planned->source;
    uint32_t mask = HT_SIZE_TO_MASK(planned->size), index = 0, current = *position;
    bool positioned = false;
    /* The chains are those of the source if every element keeps its number. */
    bool same = source->nTableMask == mask && source->nNumUsed == planned->used;
    size_t hash_size = HT_HASH_SIZE(mask);
    if (same)
        memcpy(hash, (const char *)source->arData - hash_size, hash_size);
    else
        memset(hash, 0xff, hash_size);
    for (uint32_t i = 0; i < source->nNumUsed; i++) {
        const Bucket *from = source->arData + i;
        Bucket *to = buckets + index;
        if (UNEXPECTED(Z_TYPE_P(larder_element(&from->val)) == IS_UNDEF))
            continue;
        if (!positioned && i >= current) {
            *position = index;
            positioned = true;
        }
        to->h = from->h;
        to->key = from->key == NULL ? NULL : (zend_string *)(uintptr_t)(data + *(*target)++);
        build_value(&from->val, &to->val, data, target);
        if (same) {
            Z_NEXT(to->val) = Z_NEXT(from->val);
        } else {
            uint32_t *chain = (uint32_t *)buckets + (int32_t)((uint32_t)to->h | mask);
            Z_NEXT(to->val) = *chain;
            *chain = HT_IDX_TO_HASH(index);
        }
        index++;
    }
    if (!positioned)
        *position = index;
}

static void build_array(const larder_planned_array *planned, char *build, const char *data,
                        const size_t **target)
{
    const HashTable *source = planned->source;
    zend_array *array = (zend_array *)(void *)(build + planned->at);
    char *body = build + planned->at + sizeof *array;
    bool packed = planned->used != 0 && (HT_FLAGS(source) & HASH_FLAG_PACKED);
    uint32_t flags = HASH_FLAG_STATIC_KEYS, mask = HT_MIN_MASK;
    /* As a copy by the engine would have it. */
    uint32_t position = source->nInternalPointer < source->nNumUsed ? source->nInternalPointer : 0;
    if (packed)
        flags |= HASH_FLAG_PACKED;
    else if (planned->used == 0)
        flags = HASH_FLAG_UNINITIALIZED;
    else
        mask = HT_SIZE_TO_MASK(planned->size);
    if (packed || planned->used == 0) {
        memset(body, 0xff, HT_HASH_SIZE(mask)); /* HT_INVALID_IDX */
        if (packed)
            build_packed(planned, (zval *)(void *)(body + HT_HASH_SIZE(mask)), data, target);
        else
            position = 0;
    } else {
        build_hash(planned, (uint32_t *)(void *)body, (Bucket *)(void *)(body + HT_HASH_SIZE(mask)),
                   data, target, &position);
    }
    GC_SET_REFCOUNT(array, 2);
    GC_TYPE_INFO(array) = GC_ARRAY | (IS_ARRAY_IMMUTABLE << GC_FLAGS_SHIFT);
    HT_FLAGS(array) = flags;
    array->nTableMask = mask;
    array->arData = (Bucket *)(uintptr_t)(data + planned->at + sizeof *array + HT_HASH_SIZE(mask));
    array->nNumUsed = planned->used;
    array->nNumOfElements = packed ? source->nNumOfElements : planned->used;
    array->nTableSize = planned->size;
    array->nInternalPointer = position;
    array->nNextFreeElement = source->nNextFreeElement;
    array->pDestructor = NULL;
}

void larder_build_array(const larder_plan *plan, char *build, const char *data)
{
    const size_t *target = plan->targets;
    for (uint32_t i = 0; i < plan->arrays_used; i++)
        build_array(plan->arrays + i, build, data, &target);
    for (uint32_t i = 0; i < plan->strings_used; i++)
        larder_build_string(plan->strings[i].source, build + plan->strings[i].at);
}
