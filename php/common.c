/* common.c - reads what Ruby has stored: strings, symbols (as strings), and flat arrays and hashes, see
 * ruby/ext/larder/larder_ruby.h for the types and their encoding. null, booleans, ints and floats are stored alike by
 * both. Read larder_common_take() first.
 *
 * Lengths are not believed: what does not fit its block is not taken. */
#include "common.h"

typedef enum common_type {
    COMMON_UTF8 = 160, /* bytes, by their encoding */
    COMMON_BINARY,
    COMMON_ASCII,
    COMMON_ENCODED, /* a byte, so many bytes of the encoding's name, then the string's */
    COMMON_SYMBOL,
    COMMON_ARRAY, /* a count, then tagged values */
    COMMON_HASH,  /* a count, then twice as many */
    COMMON_MARSHAL,
    COMMON_FLAGGED /* uint32_t flags, a type, then as that says */
} common_type;

typedef enum common_tag {
    COMMON_TAG_NULL,
    COMMON_TAG_FALSE,
    COMMON_TAG_TRUE,
    COMMON_TAG_INT,
    COMMON_TAG_DOUBLE,
    COMMON_TAG_UTF8, /* this and the others: length, bytes */
    COMMON_TAG_BINARY,
    COMMON_TAG_ASCII,
    COMMON_TAG_SYMBOL
} common_tag;

typedef struct common_reader {
    const char *at, *end;
} common_reader;

static bool common_read_varint(common_reader *reader, uint64_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = (uint8_t)*reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = number;
            return true;
        }
    }
    return false;
}

static bool common_read_simple(common_reader *reader, zval *result)
{
    uint64_t number;
    if (reader->at == reader->end)
        return false;
    switch ((common_tag)(uint8_t)*reader->at++) {
    case COMMON_TAG_NULL:
        ZVAL_NULL(result);
        return true;
    case COMMON_TAG_FALSE:
        ZVAL_FALSE(result);
        return true;
    case COMMON_TAG_TRUE:
        ZVAL_TRUE(result);
        return true;
    case COMMON_TAG_INT: /* zigzag */
        if (!common_read_varint(reader, &number))
            return false;
        ZVAL_LONG(result, (zend_long)(number >> 1 ^ (~(number & 1) + 1)));
        return true;
    case COMMON_TAG_DOUBLE: {
        double real;
        if ((size_t)(reader->end - reader->at) < sizeof real)
            return false;
        memcpy(&real, reader->at, sizeof real);
        reader->at += sizeof real;
        ZVAL_DOUBLE(result, real);
        return true;
    }
    case COMMON_TAG_UTF8:
    case COMMON_TAG_BINARY:
    case COMMON_TAG_ASCII:
    case COMMON_TAG_SYMBOL:
        if (!common_read_varint(reader, &number) || number > (uint64_t)(reader->end - reader->at))
            return false;
        ZVAL_STR(result, zend_string_init_fast(reader->at, (size_t)number));
        reader->at += number;
        return true;
    default:
        return false;
    }
}

/* Under a key of Ruby's, as PHP takes keys: a string of digits is a number. False: PHP has no such keys. */
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

static bool common_read_element(common_reader *reader, zend_array *array, bool hash)
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

static bool common_read_array(common_reader reader, bool hash, zval *result)
{
    uint64_t count;
    /* Each element takes a byte at least, so a false count cannot ask for much memory. */
    if (!common_read_varint(&reader, &count) ||
        count > (uint64_t)(reader.end - reader.at) / (hash ? 2 : 1) || count >= HT_MAX_SIZE)
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
    common_reader reader = {.at = data, .end = data + size};
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
    case COMMON_UTF8:
    case COMMON_BINARY:
    case COMMON_ASCII:
    case COMMON_SYMBOL:
        return common_read_bytes(data, size, result);
    case COMMON_ENCODED:
        if (size == 0 || (size_t)(uint8_t)data[0] + 1 > size)
            return false;
        return common_read_bytes(data + 1 + (uint8_t)data[0], size - 1 - (uint8_t)data[0], result);
    case COMMON_ARRAY:
    case COMMON_HASH:
        return common_read_array(reader, type == COMMON_HASH, result);
    default:
        return false;
    }
}

bool larder_common_take(const lrd_value *value, zval *result)
{
    const char *data = value->data;
    const size_t head = sizeof(uint32_t) + 1;
    if (value->type != COMMON_FLAGGED)
        return common_read(value->type, data, value->size, result);
    return value->size >= head &&
           common_read((uint8_t)data[sizeof(uint32_t)], data + head, value->size - head, result);
}
