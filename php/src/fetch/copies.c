/* copies.c - copies of strings and arrays from a block that may not be held, so it may be freed
 * soon. Read larder_copy_deep() first. */
#include "fetch/copies.h"
#include "request/moves.h"

/* cells in which a repeated string finds its copy; another string may replace it there */
#define COPY_STRINGS 64u

/* The work of copying: `arrays` has copied arrays whose elements still point into the block, and
 * `made` finds the copy of an array. Rows of a table repeat the strings of their keys; `strings`
 * avoids most repeated copies.
 *
 * The tables contain the complement of an original's address. The search for held values
 * (holds/collect.c) looks for plain addresses, also in freed memory, and would keep the values that
 * it finds here. */
#define COPY_NAME(original) (~(uintptr_t)(original))
struct larder_copies {
    zend_array **arrays;
    uint32_t used, room;
    HashTable made;
    struct {
        uintptr_t original; /* COPY_NAME(); 0: none */
        zend_string *copy;  /* the copy; a copied array refers to it, so it is not freed */
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

/* Copy the array itself. Its strings and arrays are copied later, in larder_copies_end(). */
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

void larder_copy_out(larder_copies *copies, zval *value)
{
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

larder_copies *larder_copies_begin(void)
{
    larder_copies *copies = ecalloc(1, sizeof *copies);
    zend_hash_init(&copies->made, 8, NULL, NULL, 0);
    return copies;
}

bool larder_copies_end(larder_copies *copies)
{
    bool good = true;
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
    larder_copies *copies = larder_copies_begin();
    zend_array *copy = copies_array(copies, array);
    return larder_copies_end(copies) ? copy : NULL;
}
