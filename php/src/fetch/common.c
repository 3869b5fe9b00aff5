/* common.c - reads values that Ruby has stored: strings, symbols, and flat arrays and hashes; see
 * core/include/larder_common.h. fetch.c reads null, bools, ints and floats, which both languages
 * store alike. Begin reading at larder_common_take(). */
#include "fetch/common.h"
#include "format/format.h"
#include "larder_common.h"

_Static_assert((int)LARDER_NULL == LRD_COMMON_NULL && (int)LARDER_SHORT == LRD_COMMON_BYTES,
               "the values that both store alike");

static bool common_read_simple(lrd_common_reader *reader, zval *result)
{
    uint64_t number;
    if (reader->at == reader->end)
        return false;
    switch ((lrd_common_tag)(uint8_t)*reader->at++) {
    case LRD_TAG_NULL:
        ZVAL_NULL(result);
        return true;
    case LRD_TAG_FALSE:
        ZVAL_FALSE(result);
        return true;
    case LRD_TAG_TRUE:
        ZVAL_TRUE(result);
        return true;
    case LRD_TAG_INT:
        if (!lrd_common_varint(reader, &number))
            return false;
        ZVAL_LONG(result, (zend_long)lrd_common_signed(number));
        return true;
    case LRD_TAG_DOUBLE: {
        double real;
        if ((size_t)(reader->end - reader->at) < sizeof real)
            return false;
        memcpy(&real, reader->at, sizeof real);
        reader->at += sizeof real;
        ZVAL_DOUBLE(result, real);
        return true;
    }
    case LRD_TAG_UTF8:
    case LRD_TAG_BINARY:
    case LRD_TAG_ASCII:
    case LRD_TAG_SYMBOL:
        if (!lrd_common_varint(reader, &number) || number > (uint64_t)(reader->end - reader->at))
            return false;
        ZVAL_STR(result, zend_string_init_fast(reader->at, (size_t)number));
        reader->at += number;
        return true;
    default:
        return false;
    }
}

/* Add an element to an array. Returns false if PHP does not allow the type of the key. */
static bool common_add(zend_array *array, const zval *key, zval *value)
{
    if (Z_TYPE_P(key) == IS_LONG)
        zend_hash_index_update(array, (zend_ulong)Z_LVAL_P(key), value);
    else if (Z_TYPE_P(key) == IS_STRING)
        zend_symtable_update(array, Z_STR_P(key), value);
    else
        return false;
    return true;
}

static bool common_read_element(lrd_common_reader *reader, zend_array *array, bool hash)
{
    zval key, value;
    ZVAL_UNDEF(&key);
    bool good = (!hash || common_read_simple(reader, &key)) && common_read_simple(reader, &value);
    if (good) {
        good = hash ? common_add(array, &key, &value)
                    : zend_hash_next_index_insert(array, &value) != NULL;
        if (!good)
            zval_ptr_dtor_nogc(&value);
    }
    zval_ptr_dtor_nogc(&key);
    return good;
}

static bool common_read_array(lrd_common_reader reader, bool hash, zval *result)
{
    uint64_t count;
    if (!lrd_common_count(&reader, hash ? 2 : 1, &count) || count >= HT_MAX_SIZE)
        return false;
    array_init_size(result, (uint32_t)count);
    for (; count != 0; count--)
        if (!common_read_element(&reader, Z_ARR_P(result), hash)) {
            zval_ptr_dtor(result);
            return false;
        }
    return true;
}

static bool common_read_bytes(const char *data, size_t size, zval *result)
{
    ZVAL_STR(result, zend_string_init_fast(data, size));
    return true;
}

static bool common_read(uint8_t type, const char *data, size_t size, zval *result)
{
    lrd_common_reader reader = {.at = data, .end = data + size};
    switch (type) {
    case LARDER_NULL:
        ZVAL_NULL(result);
        return true;
    case LARDER_FALSE:
    case LARDER_TRUE:
        ZVAL_BOOL(result, type == LARDER_TRUE);
        return true;
    case LRD_TYPE_COUNTER:
    case LARDER_DOUBLE:
        if (size != 8)
            return false;
        memcpy(&result->value, data, 8);
        Z_TYPE_INFO_P(result) = type == LARDER_DOUBLE ? IS_DOUBLE : IS_LONG;
        return true;
    case LARDER_EMPTY_ARRAY:
        ZVAL_EMPTY_ARRAY(result);
        return true;
    case LRD_COMMON_UTF8:
    case LRD_COMMON_BINARY:
    case LRD_COMMON_ASCII:
    case LRD_COMMON_SYMBOL:
        return common_read_bytes(data, size, result);
    case LRD_COMMON_ENCODED:
        if (size == 0 || (size_t)(uint8_t)data[0] + 1 > size)
            return false;
        return common_read_bytes(data + 1 + (uint8_t)data[0], size - 1 - (uint8_t)data[0], result);
    case LRD_COMMON_ARRAY:
    case LRD_COMMON_HASH:
        return common_read_array(reader, type == LRD_COMMON_HASH, result);
    default:
        return false;
    }
}

bool larder_common_take(const lrd_value *value, zval *result)
{
    const char *data = value->data;
    const size_t head = sizeof(uint32_t) + 1;
    if (value->type != LRD_COMMON_FLAGGED)
        return common_read(value->type, data, value->size, result);
    return value->size >= head &&
           common_read((uint8_t)data[sizeof(uint32_t)], data + head, value->size - head, result);
}
