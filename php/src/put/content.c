/* content.c - deduplication in an immutable store. Begin reading at larder_content_find().
 *
 * - For each content, the first value with this content gets an additional entry, a LARDER_ALIAS.
 *   This entry contains the address of the value; its key contains the hash of the content.
 * - The additional entry is stored after the value. If a process is killed in between, the next
 *   equal value is stored again, but nothing is damaged.
 * - Contents are compared in full. If another content has the same hash, the value is not
 *   deduplicated. */
#include "put/content.h"
#include "format/format.h"

/* maximum number of levels of an array that is deduplicated */
#define CONTENT_LEVELS 64u
#define CONTENT_SEED 0x9e3779b97f4a7c15ull

static zend_always_inline uint64_t content_mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * CONTENT_SEED;
    return sum ^ sum >> 29;
}

static bool content_hash(const HashTable *array, uint32_t level, uint64_t *sum);

/* Add a value to the hash. Returns false if the value cannot be deduplicated. */
static bool content_hash_value(const zval *value, uint32_t level, uint64_t *sum)
{
    if (Z_TYPE_P(value) == IS_INDIRECT)
        return false;
    if (Z_ISREF_P(value) && Z_REFCOUNT_P(value) == 1)
        value = Z_REFVAL_P(value);
    *sum = content_mix(*sum, Z_TYPE_P(value));
    switch (Z_TYPE_P(value)) {
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
        return true;
    case IS_LONG:
    case IS_DOUBLE: /* Z_LVAL_P() reads the bits of the double */
        *sum = content_mix(*sum, (uint64_t)Z_LVAL_P(value));
        return true;
    case IS_STRING:
        *sum = content_mix(*sum, zend_string_hash_val(Z_STR_P(value)));
        return true;
    case IS_ARRAY:
        return level < CONTENT_LEVELS && content_hash(Z_ARR_P(value), level + 1, sum);
    default:
        return false;
    }
}

static bool content_hash(const HashTable *array, uint32_t level, uint64_t *sum)
{
    zend_string *name;
    zend_ulong index;
    const zval *value;
    *sum = content_mix(*sum, zend_hash_num_elements(array));
    ZEND_HASH_FOREACH_KEY_VAL((HashTable *)(uintptr_t)array, index, name, value)
        *sum = content_mix(*sum, name != NULL ? ~zend_string_hash_val(name) : index);
        if (!content_hash_value(value, level, sum))
            return false;
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool content_equal_arrays(const HashTable *array, const HashTable *stored);

/* Return true if two values are equal. Doubles are compared bit for bit: 0.0 and -0.0 differ. */
static bool content_equal(const zval *value, const zval *stored)
{
    if (Z_ISREF_P(value))
        value = Z_REFVAL_P(value);
    if (Z_TYPE_P(value) != Z_TYPE_P(stored))
        return false;
    switch (Z_TYPE_P(value)) {
    case IS_LONG:
    case IS_DOUBLE:
        return Z_LVAL_P(value) == Z_LVAL_P(stored);
    case IS_STRING:
        return zend_string_equals(Z_STR_P(value), Z_STR_P(stored));
    case IS_ARRAY:
        return content_equal_arrays(Z_ARR_P(value), Z_ARR_P(stored));
    default:
        return Z_TYPE_P(value) <= IS_TRUE;
    }
}

/* Return the next element from position *at on, and its key. Returns NULL at the end. */
static const zval *content_next(const HashTable *array, uint32_t *at, zend_ulong *index,
                                const zend_string **name)
{
    while (*at < array->nNumUsed) {
        uint32_t i = (*at)++;
        bool packed = HT_FLAGS(array) & HASH_FLAG_PACKED;
        const zval *value = packed ? array->arPacked + i : &array->arData[i].val;
        if (Z_TYPE_P(value) == IS_UNDEF)
            continue;
        *name = packed ? NULL : array->arData[i].key;
        *index = packed ? i : array->arData[i].h;
        return value;
    }
    return NULL;
}

static bool content_equal_arrays(const HashTable *array, const HashTable *stored)
{
    uint32_t at = 0, stored_at = 0;
    zend_ulong index, stored_index;
    const zend_string *name, *stored_name;
    if (array == stored)
        return true;
    if (zend_hash_num_elements(array) != zend_hash_num_elements(stored))
        return false;
    for (;;) {
        const zval *value = content_next(array, &at, &index, &name);
        const zval *other = content_next(stored, &stored_at, &stored_index, &stored_name);
        if (value == NULL || other == NULL)
            return value == other;
        if ((name == NULL) != (stored_name == NULL) ||
            (name != NULL ? !zend_string_equals((zend_string *)(uintptr_t)name,
                                                (zend_string *)(uintptr_t)stored_name)
                          : index != stored_index) ||
            !content_equal(value, other))
            return false;
    }
}

static bool content_name(const zval *value, larder_content *content)
{
    uint64_t sum = CONTENT_SEED;
    content->known = content_hash_value(value, 0, &sum);
    memcpy(content->name, LARDER_OWN_KEY, LARDER_OWN_KEY_LENGTH);
    content->name[LARDER_OWN_KEY_LENGTH] = (char)Z_TYPE_P(value);
    memcpy(content->name + LARDER_OWN_KEY_LENGTH + 1, &sum, sizeof sum);
    return content->known;
}

const void *larder_content_find(lrd_store *store, const zval *value, larder_content *content)
{
    lrd_value said;
    const zend_refcounted *found = NULL;
    int rc;
    if (!content_name(value, content))
        return NULL;
    LARDER_CALL(rc, lrd_get(store, content->name, sizeof content->name,
                            LRD_GET_BORROW | LRD_GET_NO_COUNT, &said));
    if (rc != LRD_OK)
        return NULL;
    if (said.type == LARDER_ALIAS && said.size == sizeof found)
        memcpy(&found, said.data, sizeof found);
    LARDER_CALL(rc, lrd_release(store, &said));
    (void)rc;
    if (found == NULL || !lrd_contains(store, found) || GC_TYPE(found) != Z_TYPE_P(value))
        return NULL;
    zval stored;
    Z_COUNTED(stored) = (zend_refcounted *)(uintptr_t)found;
    Z_TYPE_INFO(stored) = Z_TYPE_P(value);
    return content_equal(value, &stored) ? found : NULL;
}

void larder_content_tell(lrd_store *store, const larder_content *content, const zend_string *key)
{
    lrd_value value;
    int rc;
    if (!content->known)
        return;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), LRD_GET_BORROW | LRD_GET_NO_COUNT,
                            &value));
    if (rc != LRD_OK)
        return;
    const void *stored = value.data;
    bool whole = value.type == LARDER_STRING || value.type == LARDER_ARRAY;
    LARDER_CALL(rc, lrd_release(store, &value));
    if (whole && lrd_contains(store, stored))
        LARDER_CALL(rc, lrd_put(store, content->name, sizeof content->name, &stored, sizeof stored,
                                &(lrd_write){.mode = LRD_ADD, .type = LARDER_ALIAS}));
    (void)rc;
}
