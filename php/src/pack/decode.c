/* decode.c - turns packed (compressed) bytes into a PHP value; see pack.h. Begin reading at
 * larder_unpack().
 *
 * - If bytes were changed or forged, the functions return false, and never access memory beyond the
 *   bytes.
 * - After a failure, the incomplete value can be freed: elements that were not read are
 *   IS_UNDEF. */
#include "pack/decode.h"
#include "pack/scratch.h"
#include "php_larder.h"

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

/* Read a string in one of the rarer forms, after its first byte, `kind`. Returns a new reference,
 * or NULL if the bytes are damaged. */
static zend_never_inline zend_string *decode_rare_string(decode_work *work, uint8_t kind)
{
    uint64_t number;
    zend_string *string = NULL;
    switch (kind) {
    case LARDER_PACK_SAME:
        if (decode_number(work, &number) && number < work->strings.used)
            string = zend_string_copy(work->strings.at[number]);
        return string;
    case LARDER_PACK_STRING:
        if (!decode_number(work, &number) || number > decode_left(work) || number < 2)
            return NULL;
        string = zend_string_init((const char *)work->at, (size_t)number, 0);
        work->at += number;
        break;
    case LARDER_PACK_TIME:
        if (decode_fixed(work, 5, &number))
            string = decode_new_time(number);
        break;
    case LARDER_PACK_DECIMAL:
        /* larder_pack() never writes a single digit as a LARDER_PACK_DECIMAL */
        if (decode_number(work, &number) && number >= 10)
            string = decode_new_decimal(number);
        break;
    }
    if (EXPECTED(string != NULL))
        list_add(&work->strings, string);
    return string;
}

/* Read a string after its first byte, `kind`. Returns a new reference, or NULL if the bytes are
 * damaged. */
static zend_always_inline zend_string *decode_string(decode_work *work, uint8_t kind)
{
    if (EXPECTED(kind >= LARDER_PACK_SAME_LOW)) {
        size_t number = kind - (size_t)LARDER_PACK_SAME_LOW;
        return EXPECTED(number < work->strings.used) ? zend_string_copy(work->strings.at[number])
                                                     : NULL;
    }
    if (EXPECTED(kind >= LARDER_PACK_SHORT)) {
        size_t length = kind - (size_t)LARDER_PACK_SHORT;
        if (UNEXPECTED(length > decode_left(work)))
            return NULL;
        if (EXPECTED(length >= 2))
            return decode_short(work, &work->strings, length);
        work->at += length;
        return length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(work->at[-1]);
    }
    return decode_rare_string(work, kind);
}

/* ---- keys ---- */

/* Read a key after its first byte, `kind`, and compute its hash. Returns a new reference, or NULL
 * if the bytes are damaged. */
static zend_always_inline zend_string *decode_key(decode_work *work, uint8_t kind)
{
    zend_string *key;
    size_t length;
    if (decode_is_short(work, kind, &length)) {
        if (EXPECTED(work->key_tries != 0))
            return decode_literal(work, &work->strings, length);
        key = decode_short(work, &work->strings, length);
        ZSTR_H(key) = zend_hash_func(ZSTR_VAL(key), length);
        return key;
    }
    key = decode_string(work, kind);
    if (EXPECTED(key != NULL))
        zend_string_hash_val(key);
    return key;
}

/* ---- scalars ---- */

static zend_always_inline bool decode_hundredths(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number))
        return false;
    int64_t hundredths = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
    ZVAL_DOUBLE(result, (double)hundredths / 100.0);
    return true;
}

static bool decode_array(decode_work *work, uint8_t kind, zval *result);

static zend_never_inline bool decode_other(decode_work *work, uint8_t kind, zval *result)
{
    uint64_t bits;
    double value;
    zend_long number;
    zend_string *string;
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
            break;
        memcpy(&value, &bits, sizeof value);
        ZVAL_DOUBLE(result, value);
        return true;
    case LARDER_PACK_HUNDREDTHS:
        if (!decode_hundredths(work, result))
            break;
        return true;
    case LARDER_PACK_INT8:
    case LARDER_PACK_INT16:
    case LARDER_PACK_INT32:
    case LARDER_PACK_INT64:
    case LARDER_PACK_MINUS8:
    case LARDER_PACK_MINUS32:
        if (!decode_int(work, kind, &number))
            break;
        ZVAL_LONG(result, number);
        return true;
    case LARDER_PACK_STRING:
    case LARDER_PACK_SAME:
    case LARDER_PACK_DECIMAL:
    case LARDER_PACK_TIME:
        string = decode_rare_string(work, kind);
        if (string == NULL)
            break;
        ZVAL_STR(result, string);
        return true;
    case LARDER_PACK_EMPTY:
        ZVAL_EMPTY_ARRAY(result);
        return true;
    default:
        return decode_array(work, kind, result);
    }
    ZVAL_UNDEF(result);
    return false;
}

/* Decode one value. Leaves the field u2 of *result unchanged. If the bytes are damaged, returns
 * false, and *result is IS_UNDEF or an incomplete array. */
static zend_always_inline bool decode_value(decode_work *work, zval *result)
{
    zend_string *string;
    if (UNEXPECTED(work->at == work->end)) {
        ZVAL_UNDEF(result);
        return false;
    }
    uint8_t kind = *work->at++;
    if (kind < LARDER_PACK_NULL) {
        ZVAL_LONG(result, kind);
        return true;
    }
    if (kind < LARDER_PACK_SHORT)
        return decode_other(work, kind, result);
    string = decode_string(work, kind);
    if (UNEXPECTED(string == NULL)) {
        ZVAL_UNDEF(result);
        return false;
    }
    ZVAL_STR(result, string);
    return true;
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
        if (UNEXPECTED(!decode_value(work, array->arPacked + i))) {
            decode_set_used(array, i + 1);
            return false;
        }
    }
    decode_set_used(array, count);
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

static zend_always_inline bool decode_elements(decode_work *work, zend_array *array, uint32_t count)
{
    Bucket *bucket = array->arData, *end = bucket + count;
    for (; bucket != end; bucket++) {
        /* decode_value() leaves u2, which links the hash chain, unchanged */
        if (UNEXPECTED(!decode_value(work, &bucket->val))) {
            while (++bucket != end)
                ZVAL_UNDEF(&bucket->val);
            return false;
        }
    }
    return true;
}

static bool decode_map(decode_work *work, zval *result, uint32_t count)
{
    if (UNEXPECTED(count == 0))
        return false;
    zend_array *array = zend_new_array(count);
    zend_hash_real_init_mixed(array);
    ZVAL_ARR(result, array);
    bool literals = true;
    for (uint32_t i = 0; i < count; i++) {
        zend_string *key = NULL;
        if (EXPECTED(work->at < work->end)) {
            uint8_t kind = *work->at++;
            key = decode_key(work, kind);
        }
        if (UNEXPECTED(key == NULL)) {
            HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
            return false;
        }
        Bucket *bucket = array->arData + i;
        bucket->h = ZSTR_H(key);
        bucket->key = key;
        ZVAL_UNDEF(&bucket->val);
        larder_hash_chain(array->arData, array->nTableMask, i);
        literals &= ZSTR_IS_INTERNED(key) != 0;
        decode_set_used(array, i + 1);
    }
    if (!literals)
        HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
    if (count <= LARDER_PACK_KEYS_MAX)
        list_add(&work->shapes, array);
    return decode_elements(work, array, count);
}

/* Make an array with the keys and the hash part of `first`. */
static zend_always_inline zend_array *decode_new_row(const zend_array *first)
{
    zend_array *array = emalloc(sizeof *array);
    uint32_t count = first->nNumUsed, mask = first->nTableMask;
    char *data;
    GC_SET_REFCOUNT(array, 1);
    GC_TYPE_INFO(array) = GC_ARRAY;
    HT_FLAGS(array) = HT_FLAGS(first);
    array->nTableMask = mask;
    array->nTableSize = first->nTableSize;
    array->nInternalPointer = 0;
    array->nNextFreeElement = ZEND_LONG_MIN;
    array->pDestructor = ZVAL_PTR_DTOR;
    /* emalloc() is faster for a constant size */
    if (EXPECTED(first->nTableSize == HT_MIN_SIZE)) {
        mask = HT_SIZE_TO_MASK(HT_MIN_SIZE);
        data = emalloc(HT_SIZE_EX(HT_MIN_SIZE, HT_SIZE_TO_MASK(HT_MIN_SIZE)));
    } else {
        data = emalloc(HT_SIZE_EX(first->nTableSize, mask));
    }
    memcpy(data, HT_GET_DATA_ADDR(first), HT_HASH_SIZE(mask) + count * sizeof(Bucket));
    HT_SET_DATA_ADDR(array, data);
    decode_set_used(array, count);
    if (UNEXPECTED(!(HT_FLAGS(array) & HASH_FLAG_STATIC_KEYS)))
        for (uint32_t i = 0; i < count; i++)
            zend_string_addref(array->arData[i].key);
    return array;
}

static bool decode_row(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number) || number >= work->shapes.used)
        return false;
    const zend_array *first = work->shapes.at[number];
    uint32_t count = first->nNumUsed;
    if (count > decode_left(work))
        return false;
    zend_array *array = decode_new_row(first);
    ZVAL_ARR(result, array);
    return decode_elements(work, array, count);
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
        if (!decode_int(work, kind, &index) && (key = decode_key(work, kind)) == NULL)
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

static bool decode_again(decode_work *work, zval *result)
{
    uint64_t number;
    if (!decode_number(work, &number) || number >= work->shared.used ||
        /* an array that is still being read would contain itself */
        work->shared.at[number] == NULL)
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

/* Read an array after its first byte, `kind`. Returns false if the bytes are damaged. */
static bool decode_array(decode_work *work, uint8_t kind, zval *result)
{
    uint32_t count;
    bool good;
    ZVAL_UNDEF(result);
    if (kind == LARDER_PACK_AGAIN)
        return decode_again(work, result);
    /* An array may be inside a LARDER_PACK_SHARED, and then counts as two levels here. So the limit
     * is twice the limit of levels. */
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

/* Decode a value that takes exactly `size` bytes. Returns false if the bytes are damaged. */
static bool decode_bytes(const uint8_t *from, size_t size, zval *result)
{
    decode_work work;
    work.at = from;
    work.end = from + size;
    work.depth = 0;
    work.key_tries = LARDER_LITERAL_TRIES;
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
