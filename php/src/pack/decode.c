/* decode.c - turns the packed form into a value; see pack.h. Read larder_unpack() first. All
 * bytes are checked: changed or made-up bytes return false, and reach no other memory. If a part
 * cannot be read, the incomplete value can be freed: elements that were not read yet are
 * IS_UNDEF. */
#include "pack/decode.h"
#include "pack/scratch.h"
#include "php_larder.h"

static bool decode_value(decode_work *work, zval *result);

/* ---- strings ---- */

static zend_string *decode_new_time(uint64_t number)
{
    zend_string *string = zend_string_alloc(LARDER_PACK_TIME_LENGTH, 0);
    decode_time(number, ZSTR_VAL(string));
    ZSTR_VAL(string)[LARDER_PACK_TIME_LENGTH] = '\0';
    return string;
}

static zend_string *decode_new_decimal(uint64_t number)
{
    char text[DECODE_DECIMAL];
    const char *at = decode_decimal(number, text);
    return zend_string_init(at, (size_t)(text + DECODE_DECIMAL - at), 0);
}

/* Read a string whose first byte was read. Returns it with one more reference; NULL: it is no
 * string. */
static zend_always_inline zend_string *decode_string(decode_work *work, uint8_t kind)
{
    uint64_t number;
    zend_string *string;
    if (EXPECTED(kind >= LARDER_PACK_SAME_LOW)) {
        number = kind - (unsigned)LARDER_PACK_SAME_LOW;
    } else if (EXPECTED(kind >= LARDER_PACK_SHORT)) {
        size_t length = kind - (size_t)LARDER_PACK_SHORT;
        if (UNEXPECTED(length > decode_left(work)))
            return NULL;
        work->at += length;
        if (length < 2)
            return length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(work->at[-1]);
        string = zend_string_init((const char *)work->at - length, length, 0);
        list_add(&work->strings, string);
        return string;
    } else if (kind == LARDER_PACK_SAME) {
        if (!decode_number(work, &number))
            return NULL;
    } else if (kind == LARDER_PACK_STRING) {
        if (!decode_number(work, &number) || number > decode_left(work) || number < 2)
            return NULL;
        string = zend_string_init((const char *)work->at, (size_t)number, 0);
        work->at += number;
        list_add(&work->strings, string);
        return string;
    } else if (kind == LARDER_PACK_TIME || kind == LARDER_PACK_DECIMAL) {
        bool time = kind == LARDER_PACK_TIME;
        if (!(time ? decode_fixed(work, 5, &number) : decode_number(work, &number)))
            return NULL;
        if (!time && number < 10) /* which has no number */
            return NULL;
        string = time ? decode_new_time(number) : decode_new_decimal(number);
        list_add(&work->strings, string);
        return string;
    } else {
        return NULL;
    }
    return EXPECTED(number < work->strings.used) ? zend_string_copy(work->strings.at[number])
                                                 : NULL;
}

/* ---- arrays ---- */

static zend_always_inline void decode_set_used(zend_array *array, uint32_t count)
{
    array->nNumUsed = array->nNumOfElements = count;
}

static bool decode_list_of(decode_work *work, zval *result, uint32_t count)
{
    if (UNEXPECTED(count == 0))
        return false;
    zend_array *array = zend_new_array(count);
    ZVAL_ARR(result, array);
    zend_hash_real_init_packed(array);
    array->nNextFreeElement = count;
    for (uint32_t i = 0; i < count; i++) {
        bool good = decode_value(work, array->arPacked + i);
        decode_set_used(array, i + 1);
        if (UNEXPECTED(!good))
            return false;
    }
    return true;
}

static bool decode_ints(decode_work *work, zval *result, uint32_t count)
{
    if (count == 0 || decode_left(work) / sizeof(uint32_t) < count)
        return false;
    zend_array *array = zend_new_array(count);
    ZVAL_ARR(result, array);
    zend_hash_real_init_packed(array);
    array->nNextFreeElement = count;
    for (uint32_t i = 0; i < count; i++, work->at += sizeof(uint32_t)) {
        uint32_t number;
        memcpy(&number, work->at, sizeof number);
        ZVAL_LONG(array->arPacked + i, number);
    }
    decode_set_used(array, count);
    return true;
}

static bool decode_elements(decode_work *work, zend_array *array)
{
    for (uint32_t i = 0, count = array->nNumUsed; i < count; i++) {
        /* decode_value() stores only the value, so the chain in the zval stays */
        if (UNEXPECTED(!decode_value(work, &array->arData[i].val)))
            return false;
    }
    return true;
}

/* Create an array for count elements, still empty. */
static zend_always_inline zend_array *decode_new(uint32_t count)
{
    zend_array *array = zend_new_array(count);
    zend_hash_real_init_mixed(array);
    return array;
}

static bool decode_map(decode_work *work, zval *result, uint32_t count)
{
    if (UNEXPECTED(count == 0))
        return false;
    zend_array *array = decode_new(count);
    ZVAL_ARR(result, array);
    for (uint32_t i = 0; i < count; i++) {
        zend_string *key = NULL;
        if (EXPECTED(work->at < work->end)) {
            uint8_t kind = *work->at++;
            key = decode_string(work, kind);
        }
        if (UNEXPECTED(key == NULL))
            return false;
        Bucket *bucket = array->arData + i;
        bucket->h = zend_string_hash_val(key);
        bucket->key = key;
        ZVAL_UNDEF(&bucket->val);
        uint32_t chain = (uint32_t)bucket->h | array->nTableMask;
        Z_NEXT(bucket->val) = HT_HASH(array, chain);
        HT_HASH(array, chain) = HT_IDX_TO_HASH(i);
        if (!ZSTR_IS_INTERNED(key))
            HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
        decode_set_used(array, i + 1);
    }
    if (count <= LARDER_PACK_KEYS_MAX)
        list_add(&work->shapes, array);
    return decode_elements(work, array);
}

/* Decode an array with the keys, and the hash part, of another array. */
static bool decode_row(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number) || number >= work->shapes.used)
        return false;
    const zend_array *first = work->shapes.at[number];
    uint32_t count = first->nNumUsed;
    if (count > decode_left(work))
        return false;
    zend_array *array = decode_new(count);
    ZVAL_ARR(result, array);
    memcpy(HT_GET_DATA_ADDR(array), HT_GET_DATA_ADDR(first), HT_HASH_SIZE(first->nTableMask));
    HT_FLAGS(array) = HT_FLAGS(first);
    for (uint32_t i = 0; i < count; i++) {
        const Bucket *from = first->arData + i;
        Bucket *to = array->arData + i;
        to->h = from->h;
        to->key = zend_string_copy(from->key);
        ZVAL_UNDEF(&to->val);
        Z_NEXT(to->val) = Z_NEXT(from->val);
    }
    decode_set_used(array, count);
    return decode_elements(work, array);
}

static bool decode_mixed(decode_work *work, zval *result, uint32_t count)
{
    if (UNEXPECTED(count == 0))
        return false;
    zend_array *array = zend_new_array(count);
    ZVAL_ARR(result, array);
    for (uint32_t i = 0; i < count && work->at < work->end; i++) {
        uint8_t kind = *work->at++;
        zend_string *key = NULL;
        zend_long index = 0;
        zval value;
        if (!decode_int(work, kind, &index) && (key = decode_string(work, kind)) == NULL)
            return false;
        bool good = decode_value(work, &value);
        if (good)
            good = key != NULL ? zend_hash_add(array, key, &value) != NULL
                               : zend_hash_index_add(array, (zend_ulong)index, &value) != NULL;
        if (UNEXPECTED(!good))
            zval_ptr_dtor_nogc(&value);
        if (key != NULL)
            zend_string_release(key);
        if (UNEXPECTED(!good))
            return false;
    }
    return array->nNumOfElements == count;
}

/* Read an array that occurred before. */
static bool decode_again(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number) || number >= work->shared.used ||
        work->shared.at[number] == NULL) /* the array would contain itself */
        return false;
    zend_array *array = work->shared.at[number];
    GC_ADDREF(array);
    ZVAL_ARR(result, array);
    return true;
}

static bool decode_shared(decode_work *work, zval *result)
{
    uint32_t number = work->shared.used;
    list_add(&work->shared, NULL);
    if (!decode_value(work, result) || Z_TYPE_P(result) != IS_ARRAY || !Z_REFCOUNTED_P(result))
        return false;
    work->shared.at[number] = Z_ARR_P(result);
    return true;
}

/* Read an array whose first byte was read. Returns false if it is no array, or damaged. */
static zend_never_inline bool decode_array(decode_work *work, uint8_t kind, zval *result)
{
    uint32_t count;
    bool good;
    ZVAL_UNDEF(result);
    if (kind == LARDER_PACK_AGAIN)
        return decode_again(work, result);
    /* twice the levels, because each level may have a LARDER_PACK_SHARED, too */
    if (UNEXPECTED(work->depth == 2 * LARDER_PACK_DEPTH))
        return false;
    work->depth++;
    if (kind == LARDER_PACK_SHARED)
        good = decode_shared(work, result);
    else if (kind == LARDER_PACK_ROW)
        good = decode_row(work, result);
    else if (!decode_count(work, &count))
        good = false;
    else if (kind == LARDER_PACK_LIST)
        good = decode_list_of(work, result, count);
    else if (kind == LARDER_PACK_INTS)
        good = decode_ints(work, result, count);
    else if (kind == LARDER_PACK_MAP)
        good = decode_map(work, result, count);
    else
        good = kind == LARDER_PACK_MIXED && decode_mixed(work, result, count);
    work->depth--;
    return good && !LARDER_OUT_OF_MEMORY();
}

static zend_always_inline bool decode_hundredths(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number))
        return false;
    int64_t hundredths = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
    ZVAL_DOUBLE(result, (double)hundredths / 100.0);
    return true;
}

/* Decode anything except an int or a string. */
static bool decode_other(decode_work *work, uint8_t kind, zval *result)
{
    uint64_t bits;
    double value;
    switch (kind) {
    case LARDER_PACK_NULL:
        ZVAL_NULL(result);
        return true;
    case LARDER_PACK_FALSE:
        ZVAL_FALSE(result);
        return true;
    case LARDER_PACK_TRUE:
        ZVAL_TRUE(result);
        return true;
    case LARDER_PACK_DOUBLE:
        if (!decode_fixed(work, sizeof bits, &bits))
            return false;
        memcpy(&value, &bits, sizeof value);
        ZVAL_DOUBLE(result, value);
        return true;
    case LARDER_PACK_HUNDREDTHS:
        return decode_hundredths(work, result);
    case LARDER_PACK_EMPTY:
        ZVAL_EMPTY_ARRAY(result);
        return true;
    default:
        return decode_array(work, kind, result);
    }
}

/* Decode a value. Stores only the value and the type of *result. Returns false with IS_UNDEF, or
 * with an incomplete array. */
static bool decode_value(decode_work *work, zval *result)
{
    zend_long number;
    zend_string *string = NULL;
    ZVAL_UNDEF(result);
    if (UNEXPECTED(work->at == work->end))
        return false;
    uint8_t kind = *work->at++;
    if (kind >= LARDER_PACK_SHORT || (kind >= LARDER_PACK_STRING && kind <= LARDER_PACK_TIME)) {
        string = decode_string(work, kind);
        if (UNEXPECTED(string == NULL))
            return false;
        if (ZSTR_IS_INTERNED(string))
            ZVAL_INTERNED_STR(result, string);
        else
            ZVAL_NEW_STR(result, string);
        return true;
    }
    if (kind < LARDER_PACK_NULL || (kind >= LARDER_PACK_INT8 && kind <= LARDER_PACK_MINUS32)) {
        if (UNEXPECTED(!decode_int(work, kind, &number)))
            return false;
        ZVAL_LONG(result, number);
        return true;
    }
    return decode_other(work, kind, result);
}

/* Read a value that takes up all of the bytes. */
static bool decode_bytes(const uint8_t *from, size_t size, zval *result)
{
    decode_work work;
    work.at = from;
    work.end = from + size;
    work.depth = 0;
    list_begin(&work.strings);
    list_begin(&work.shapes);
    list_begin(&work.shared);
    bool good = decode_value(&work, result) && work.at == work.end;
    list_end(&work.shared);
    list_end(&work.shapes);
    list_end(&work.strings);
    if (UNEXPECTED(!good))
        zval_ptr_dtor_nogc(result);
    return good;
}

static zend_string *decode_whole_string(const lrd_packed *packed)
{
    zend_string *string = zend_string_alloc(packed->raw, 0);
    if (LARDER_OUT_OF_MEMORY() || lrd_unpack(packed, ZSTR_VAL(string)) != LRD_OK) {
        zend_string_efree(string);
        return NULL;
    }
    ZSTR_VAL(string)[packed->raw] = '\0';
    return string;
}

zend_string *larder_unpack_text(const lrd_packed *packed)
{
    return larder_type_is_text(packed->type) || packed->type >= LRD_TYPE_PLAIN
               ? decode_whole_string(packed)
               : NULL;
}

const uint8_t *larder_unpacked(const lrd_packed *packed)
{
    if (!packed->compressed)
        return packed->bytes;
    struct larder_scratch *own = larder_scratch();
    uint8_t *bytes = own != NULL ? scratch_room(&own->raw, packed->raw) : NULL;
    return bytes != NULL && lrd_unpack(packed, bytes) == LRD_OK ? bytes : NULL;
}

bool larder_unpack(const lrd_packed *packed, zval *result)
{
    if (packed->type == LARDER_STRING) {
        zend_string *string = decode_whole_string(packed);
        if (string != NULL)
            ZVAL_NEW_STR(result, string);
        return string != NULL;
    }
    if (packed->type != LARDER_ARRAY)
        return false;
    const uint8_t *bytes = larder_unpacked(packed);
    return bytes != NULL && decode_bytes(bytes, packed->raw, result);
}
