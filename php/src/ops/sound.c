/* sound.c - checks the bytes of a value before it is shown, because an inspector may open a damaged
 * store. Begin reading at larder_value_sound().
 *
 * - All bytes of each string and array must lie in the value, and its header must be as expected.
 *   An array must not contain itself.
 * - A serialized text is not checked, because its decoder checks it. */
#include "format/format.h"
#include "ops/inspector.h"
#include "put/put.h"

#define SOUND_DEPTH 2048u /* maximum number of levels of arrays that are checked */

typedef struct sound_work {
    uintptr_t from, to; /* the value begins at `from` and ends before `to` */
    /* The visited arrays. A key is the address of an array with all bits inverted, so that a search
     * (holds/) does not take the key for a use of the array. The value is false while the array is
     * being checked. An array that is found again during its check contains itself. */
    HashTable arrays;
} sound_work;

/* Return true if all `size` bytes at `start` lie in the value, and `start` is a multiple of 8. */
static bool sound_lies(const sound_work *work, const void *start, size_t size)
{
    uintptr_t at = (uintptr_t)start;
    return at % 8 == 0 && at >= work->from && at <= work->to && size <= work->to - at;
}

static bool sound_string(const sound_work *work, const zend_string *string)
{
    uint32_t valid = IS_STR_VALID_UTF8 << GC_FLAGS_SHIFT;
    return sound_lies(work, string, ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(0))) &&
           (GC_TYPE_INFO(string) & ~valid) == (GC_STRING | IS_STR_INTERNED << GC_FLAGS_SHIFT) &&
           ZSTR_LEN(string) < work->to - (uintptr_t)ZSTR_VAL(string) &&
           ZSTR_VAL(string)[ZSTR_LEN(string)] == '\0';
}

/* Return true if the header of an array is valid, and all its elements lie in the value. */
static bool sound_table(const sound_work *work, const zend_array *array)
{
    if (!sound_lies(work, array, sizeof *array) ||
        GC_TYPE_INFO(array) != (GC_ARRAY | IS_ARRAY_IMMUTABLE << GC_FLAGS_SHIFT))
        return false;
    uint32_t used = array->nNumUsed, flags = HT_FLAGS(array);
    bool packed = (flags & HASH_FLAG_PACKED) != 0, none = (flags & HASH_FLAG_UNINITIALIZED) != 0;
    size_t element = packed ? sizeof(zval) : sizeof(Bucket);
    if (none != (used == 0) || used > (work->to - work->from) / element ||
        array->nNumOfElements > used || array->nInternalPointer > used ||
        array->nTableSize != larder_table_size(used) ||
        array->nTableMask != (packed || none ? HT_MIN_MASK : larder_table_mask(array->nTableSize)))
        return false;
    size_t hash = HT_HASH_SIZE(array->nTableMask);
    return (uintptr_t)array->arData == (uintptr_t)(array + 1) + hash &&
           sound_lies(work, array, sizeof *array + hash + used * element);
}

static bool sound_array(sound_work *work, zend_array *array, uint32_t depth);

/* Return true if a value is not damaged. `value` is in read-only memory, so do not change it. */
static bool sound_value(sound_work *work, const zval *value, uint32_t depth)
{
    switch (Z_TYPE_INFO_P(value)) {
    case IS_UNDEF:
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
    case IS_LONG:
    case IS_DOUBLE:
        return true;
    case IS_STRING:
        return sound_string(work, Z_STR_P(value));
    case IS_ARRAY:
        return sound_array(work, Z_ARR_P(value), depth + 1);
    default:
        return false;
    }
}

static bool sound_array(sound_work *work, zend_array *array, uint32_t depth)
{
    zval state, *known = zend_hash_index_find(&work->arrays, ~(zend_ulong)(uintptr_t)array);
    if (known != NULL)
        return Z_TYPE_P(known) == IS_TRUE;
    if (depth > SOUND_DEPTH)
        return true;
    if (!sound_table(work, array))
        return false;
    ZVAL_FALSE(&state);
    zend_hash_index_add_new(&work->arrays, ~(zend_ulong)(uintptr_t)array, &state);
    bool packed = (HT_FLAGS(array) & HASH_FLAG_PACKED) != 0;
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        const zend_string *key = packed ? NULL : array->arData[i].key;
        if ((key != NULL && !sound_string(work, key)) ||
            !sound_value(work, packed ? array->arPacked + i : &array->arData[i].val, depth))
            return false;
    }
    ZVAL_TRUE(&state);
    zend_hash_index_update(&work->arrays, ~(zend_ulong)(uintptr_t)array, &state);
    return true;
}

bool larder_value_sound(lrd_store *store, const lrd_value *value)
{
    lrd_info info;
    lrd_store_info(store, &info);
    sound_work work = {.from = (uintptr_t)value->data, .to = (uintptr_t)value->data + value->size};
    /* Values of an immutable store may point into other values, so addresses outside the block are
     * no error, and nothing is checked. */
    if (info.policy == LRD_IMMUTABLE)
        return true;
    if (value->type == LARDER_DOUBLE)
        return value->size >= sizeof(double);
    if (value->type == LARDER_STRING)
        return sound_string(&work, value->data);
    if (value->type != LARDER_ARRAY)
        return true;
    zend_hash_init(&work.arrays, 8, NULL, NULL, 0);
    bool sound = sound_array(&work, (zend_array *)(uintptr_t)value->data, 0);
    zend_hash_destroy(&work.arrays);
    return sound;
}
