/* copies.c - copies strings and arrays out of a block that does not last as long as the result.
 * Either the request cannot hold the block, or it has unpacked the block into its own memory. Begin
 * reading at larder_copy_deep(). */
#include "fetch/copies.h"
#include "pack/pack.h"
#include "request/moves.h"

/* Number of cells in the table of copied strings. The address of a string selects its cell; a new
 * string replaces the cell's old one. */
#define COPY_STRINGS 64u

/* The state of one copying operation. holds/collect.c searches even freed memory for addresses of
 * values in use, so `made` and `strings` contain complements (~) of addresses.
 * - `arrays`: copies whose elements still point into the block
 * - `made`: maps each array to its copy
 * - `strings`: copied keys, which similar arrays share */
#define COPY_NAME(original) (~(uintptr_t)(original))
struct larder_copies {
    zend_array **arrays;
    uint32_t used, room;
    HashTable made;
    bool unfolded;
    /* not used for an unpacked block */
    struct {
        uintptr_t original; /* COPY_NAME(); 0: none */
        zend_string *copy;  /* owned by the copied arrays */
    } strings[COPY_STRINGS];
};

zend_string *larder_copy_string(const zend_string *string)
{
    zend_string *copy = zend_string_init_fast(ZSTR_VAL(string), ZSTR_LEN(string));
    if (!ZSTR_IS_INTERNED(copy)) {
        ZSTR_H(copy) = ZSTR_H(string);
        GC_ADD_FLAGS(copy, GC_FLAGS(string) & IS_STR_VALID_UTF8);
    }
    return copy;
}

static zend_string *copies_string(larder_copies *copies, const zend_string *string)
{
    size_t place = ((uintptr_t)string >> 5 ^ (uintptr_t)string >> 3) % COPY_STRINGS;
    if (EXPECTED(copies->strings[place].original == COPY_NAME(string)))
        return zend_string_copy(copies->strings[place].copy);
    copies->strings[place].original = COPY_NAME(string);
    return copies->strings[place].copy = larder_copy_string(string);
}

/* Copy an array, without the strings and arrays in it. larder_copies_end() later replaces the
 * strings and arrays in the copy by copies. */
static zend_array *copies_array(larder_copies *copies, zend_array *array)
{
    zend_array *copy = zend_hash_index_find_ptr(&copies->made, COPY_NAME(array));
    if (copy != NULL) {
        GC_ADDREF(copy);
        return copy;
    }
    copy = zend_array_dup(array);
    zend_hash_index_add_new_ptr(&copies->made, COPY_NAME(array), copy);
    LARDER_MOVE_REQUEST(copies->arrays, copies->room * sizeof *copies->arrays);
    if (copies->used == copies->room) {
        copies->room = copies->room != 0 ? copies->room * 2 : 16;
        copies->arrays = safe_erealloc(copies->arrays, copies->room, sizeof *copies->arrays, 0);
    }
    copies->arrays[copies->used++] = copy;
    return copy;
}

/* ---- an unpacked block: its strings belong to the request, so they are not copied ---- */

static zend_array *copies_unfolded(larder_copies *copies, const zend_array *array);

/* Set the value and the type of *to, not its other fields. */
static zend_always_inline void copies_unfolded_value(larder_copies *copies, zval *to,
                                                     const zval *from)
{
    if (Z_TYPE_P(from) == IS_STRING)
        ZVAL_STR_COPY(to, Z_STR_P(from));
    else if (Z_TYPE_P(from) == IS_ARRAY)
        ZVAL_ARR(to, copies_unfolded(copies, Z_ARR_P(from)));
    else
        ZVAL_COPY_VALUE(to, from);
}

static void copies_unfolded_list(larder_copies *copies, zend_array *array, const zend_array *from)
{
    char *memory = EXPECTED(from->nTableSize == HT_MIN_SIZE)
                       ? emalloc(HT_PACKED_SIZE_EX(HT_MIN_SIZE, HT_MIN_MASK))
                       : emalloc(HT_PACKED_SIZE_EX(from->nTableSize, HT_MIN_MASK));
    memset(memory, 0xff, HT_HASH_SIZE(HT_MIN_MASK)); /* HT_INVALID_IDX */
    array->arPacked = (zval *)(void *)(memory + HT_HASH_SIZE(HT_MIN_MASK));
    for (uint32_t i = 0; i < from->nNumUsed && !LARDER_OUT_OF_MEMORY(); i++) {
        copies_unfolded_value(copies, array->arPacked + i, from->arPacked + i);
        array->nNumUsed = array->nNumOfElements = i + 1;
    }
}

static void copies_unfolded_hash(larder_copies *copies, zend_array *array, const zend_array *from)
{
    size_t hash = HT_HASH_SIZE(from->nTableMask);
    char *memory = emalloc(HT_SIZE_EX(from->nTableSize, from->nTableMask));
    memcpy(memory, HT_GET_DATA_ADDR(from), hash);
    array->arData = (Bucket *)(void *)(memory + hash);
    for (uint32_t i = 0; i < from->nNumUsed && !LARDER_OUT_OF_MEMORY(); i++) {
        const Bucket *stored = from->arData + i;
        Bucket *bucket = array->arData + i;
        bucket->h = stored->h;
        bucket->key = stored->key;
        if (EXPECTED(bucket->key != NULL) && UNEXPECTED(!ZSTR_IS_INTERNED(bucket->key))) {
            GC_ADDREF(bucket->key);
            HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
        }
        Z_NEXT(bucket->val) = Z_NEXT(stored->val);
        copies_unfolded_value(copies, &bucket->val, &stored->val);
        array->nNumUsed = array->nNumOfElements = i + 1;
    }
}

/* Copy an array of an unpacked block. The recursion is not deep, because unpacking limits the
 * number of levels. */
static zend_array *copies_unfolded(larder_copies *copies, const zend_array *from)
{
    bool again = GC_REFCOUNT(from) == LARDER_UNFOLDED_AGAIN;
    zend_array *array =
        UNEXPECTED(again) ? zend_hash_index_find_ptr(&copies->made, COPY_NAME(from)) : NULL;
    if (UNEXPECTED(array != NULL)) {
        GC_ADDREF(array);
        return array;
    }
    if (UNEXPECTED(from->nNumUsed == 0)) {
        array = zend_new_array(0);
    } else {
        array = emalloc(sizeof *array);
        *array = *from;
        GC_SET_REFCOUNT(array, 1);
        GC_TYPE_INFO(array) = GC_ARRAY;
        array->pDestructor = ZVAL_PTR_DTOR;
        array->nNumUsed = array->nNumOfElements = 0;
        if (HT_FLAGS(from) & HASH_FLAG_PACKED)
            copies_unfolded_list(copies, array, from);
        else
            copies_unfolded_hash(copies, array, from);
    }
    if (UNEXPECTED(again))
        zend_hash_index_add_new_ptr(&copies->made, COPY_NAME(from), array);
    return array;
}

/* ---- any block ---- */

zend_string *larder_copy_key(const larder_copies *copies, zend_string *key)
{
    return EXPECTED(copies->unfolded) ? zend_string_copy(key) : larder_copy_string(key);
}

void larder_copy_out(larder_copies *copies, zval *value)
{
    if (EXPECTED(copies->unfolded)) {
        copies_unfolded_value(copies, value, value);
        return;
    }
    if (Z_TYPE_P(value) == IS_STRING)
        ZVAL_STR(value, copies_string(copies, Z_STR_P(value)));
    else if (Z_TYPE_P(value) == IS_ARRAY)
        ZVAL_ARR(value, copies_array(copies, Z_ARR_P(value)));
}

static void copies_elements(larder_copies *copies, zend_array *array)
{
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        for (uint32_t i = 0; i < array->nNumUsed; i++)
            larder_copy_out(copies, array->arPacked + i);
        return;
    }
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        Bucket *bucket = array->arData + i;
        if (bucket->key != NULL) {
            bucket->key = copies_string(copies, bucket->key);
            HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
        }
        larder_copy_out(copies, &bucket->val);
    }
}

larder_copies *larder_copies_begin(bool unfolded)
{
    size_t size = EXPECTED(unfolded) ? offsetof(larder_copies, strings) : sizeof(larder_copies);
    larder_copies *copies = ecalloc(1, size);
    copies->unfolded = unfolded;
    zend_hash_init(&copies->made, 8, NULL, NULL, 0);
    return copies;
}

bool larder_copies_end(larder_copies *copies)
{
    bool good = !LARDER_OUT_OF_MEMORY();
    for (uint32_t i = 0; good && i < copies->used; i++) {
        copies_elements(copies, copies->arrays[i]);
        good = !LARDER_OUT_OF_MEMORY();
    }
    if (copies->arrays != NULL)
        efree(copies->arrays);
    zend_hash_destroy(&copies->made);
    efree(copies);
    return good;
}

zend_array *larder_copy_deep(zend_array *array)
{
    larder_copies *copies = larder_copies_begin(false);
    zend_array *copy = copies_array(copies, array);
    return larder_copies_end(copies) ? copy : NULL;
}
