/* php_packed.c - reads strings and flat arrays that PHP has packed (php/src/pack/pack.h). All other
 * packed values are unreadable. Begin reading at larder_php_packed(). */
#include "larder_ruby.h"
#include "larder_host.h"

#include <stdio.h>
#include <string.h>

/* The first byte of a value, as in PHP (LARDER_PACK_* in pack.h). A byte below 0x40 is an int with
 * that value. */
enum {
    PACKED_NULL = 0x40,
    PACKED_FALSE,
    PACKED_TRUE,
    PACKED_DOUBLE,
    PACKED_HUNDREDTHS,
    PACKED_INT8,
    PACKED_INT16,
    PACKED_INT32,
    PACKED_INT64,
    PACKED_MINUS8,
    PACKED_MINUS32,
    PACKED_STRING,
    PACKED_SAME,
    PACKED_DECIMAL,
    PACKED_TIME,
    PACKED_EMPTY,
    PACKED_LIST,
    PACKED_INTS,
    PACKED_MAP,
    PACKED_ROW,
    PACKED_MIXED,
    PACKED_SHORT = 0x80,
    PACKED_SAME_LOW = 0xc0
};

typedef struct packed_reader {
    const uint8_t *at, *end;
    /* the strings read so far; a repeated string is stored as its index in this Array */
    VALUE strings;
} packed_reader;

static bool packed_number(packed_reader *reader, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
        uint8_t byte = *reader->at++;
        *number |= (uint64_t)(byte & 127u) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool packed_fixed(packed_reader *reader, size_t bytes, uint64_t *number)
{
    if ((size_t)(reader->end - reader->at) < bytes)
        return false;
    *number = 0;
    memcpy(number, reader->at, bytes);
    reader->at += bytes;
    return true;
}

/* Read a string that did not occur before. A string of at least two bytes gets the next number, and
 * later elements refer to the string by this number. */
static VALUE packed_new(packed_reader *reader, const char *data, size_t size)
{
    VALUE string = larder_php_bytes(data, size);
    if (size >= 2)
        rb_ary_push(reader->strings, string);
    return string;
}

static VALUE packed_bytes(packed_reader *reader, uint64_t size)
{
    if (size > (size_t)(reader->end - reader->at))
        return Qundef;
    reader->at += size;
    return packed_new(reader, (const char *)reader->at - size, (size_t)size);
}

static VALUE packed_same(const packed_reader *reader, uint64_t number)
{
    if (number >= (uint64_t)RARRAY_LEN(reader->strings))
        return Qundef;
    /* Return a copy, because the caller may change the String. */
    return rb_str_dup(rb_ary_entry(reader->strings, (long)number));
}

static VALUE packed_time(packed_reader *reader, uint64_t number)
{
    char text[64];
    unsigned second = number % 60, minute = number / 60 % 60, hour = number / 3600 % 24;
    uint64_t days = number / 86400;
    int length =
        snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u", (unsigned)(days / 416 % 10000),
                 (unsigned)(days / 32 % 13), (unsigned)(days % 32), hour, minute, second);
    return packed_new(reader, text, (size_t)length);
}

static VALUE packed_decimal(packed_reader *reader, uint64_t number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return packed_new(reader, text, (size_t)length);
}

static VALUE packed_integer(uint64_t number) { return LL2NUM((int64_t)number); }

/* Read a key, or a value that is not an array. Returns Qundef if the bytes are neither. */
static VALUE packed_simple(packed_reader *reader)
{
    uint64_t number;
    double real;
    if (reader->at == reader->end)
        return Qundef;
    uint8_t kind = *reader->at++;
    if (kind < PACKED_NULL)
        return packed_integer(kind);
    if (kind >= PACKED_SAME_LOW)
        return packed_same(reader, kind - (unsigned)PACKED_SAME_LOW);
    if (kind >= PACKED_SHORT)
        return packed_bytes(reader, kind - (unsigned)PACKED_SHORT);
    switch (kind) {
    case PACKED_NULL:
        return Qnil;
    case PACKED_FALSE:
        return Qfalse;
    case PACKED_TRUE:
        return Qtrue;
    case PACKED_DOUBLE:
        if (!packed_fixed(reader, sizeof number, &number))
            return Qundef;
        memcpy(&real, &number, sizeof real);
        return DBL2NUM(real);
    case PACKED_HUNDREDTHS:
        if (!packed_number(reader, &number))
            return Qundef;
        return DBL2NUM((double)((int64_t)(number >> 1) ^ -(int64_t)(number & 1)) / 100.0);
    case PACKED_INT8:
        return packed_fixed(reader, 1, &number) ? packed_integer(number + 64) : Qundef;
    case PACKED_INT16:
        return packed_fixed(reader, 2, &number) ? packed_integer(number) : Qundef;
    case PACKED_INT32:
        return packed_fixed(reader, 4, &number) ? packed_integer(number) : Qundef;
    case PACKED_INT64:
        return packed_fixed(reader, 8, &number) ? packed_integer(number) : Qundef;
    case PACKED_MINUS8:
        return packed_fixed(reader, 1, &number) ? packed_integer(~number) : Qundef;
    case PACKED_MINUS32:
        return packed_fixed(reader, 4, &number) ? packed_integer(~number) : Qundef;
    case PACKED_STRING:
        return packed_number(reader, &number) ? packed_bytes(reader, number) : Qundef;
    case PACKED_SAME:
        return packed_number(reader, &number) ? packed_same(reader, number) : Qundef;
    case PACKED_TIME:
        return packed_fixed(reader, 5, &number) ? packed_time(reader, number) : Qundef;
    case PACKED_DECIMAL:
        return packed_number(reader, &number) ? packed_decimal(reader, number) : Qundef;
    default:
        return Qundef;
    }
}

static VALUE packed_list(packed_reader *reader, uint64_t count, bool ints)
{
    VALUE result = rb_ary_new();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number;
        VALUE value = !ints                              ? packed_simple(reader)
                      : packed_fixed(reader, 4, &number) ? packed_integer(number)
                                                         : Qundef;
        if (value == Qundef)
            return Qundef;
        rb_ary_push(result, value);
    }
    return result;
}

/* Read an array of `count` elements. `keys` is an Array of all keys, or Qnil if each key precedes
 * its value. Returns an Array if the keys are 0, 1, 2, ..., and a Hash otherwise. */
static VALUE packed_hash(packed_reader *reader, uint64_t count, VALUE keys)
{
    VALUE result = rb_hash_new();
    bool list = true;
    for (uint64_t i = 0; i < count; i++) {
        VALUE key = NIL_P(keys) ? packed_simple(reader) : rb_ary_entry(keys, (long)i);
        if (key == Qundef || !(RB_INTEGER_TYPE_P(key) || RB_TYPE_P(key, T_STRING)))
            return Qundef;
        VALUE value = packed_simple(reader);
        if (value == Qundef)
            return Qundef;
        list = list && key == ULL2NUM(i);
        rb_hash_aset(result, key, value);
    }
    return list ? rb_funcall(result, rb_intern("values"), 0) : result;
}

static VALUE packed_array(packed_reader *reader)
{
    uint64_t count;
    if (reader->at == reader->end)
        return Qundef;
    uint8_t kind = *reader->at++;
    /* each element takes at least one byte, so a larger count is wrong */
    if (!packed_number(reader, &count) || count > (uint64_t)(reader->end - reader->at))
        return Qundef;
    switch (kind) {
    case PACKED_LIST:
    case PACKED_INTS:
        return packed_list(reader, count, kind == PACKED_INTS);
    case PACKED_MAP: {
        VALUE keys = packed_list(reader, count, false);
        return keys == Qundef ? Qundef : packed_hash(reader, count, keys);
    }
    case PACKED_MIXED:
        return packed_hash(reader, count, Qnil);
    default:
        return Qundef;
    }
}

VALUE larder_php_packed(const larder_cache *cache, const larder_block *block)
{
    lrd_packed packed;
    if (!cache->php || lrd_packed_open(block->data, block->size, &packed) != LRD_OK)
        return Qundef;
    VALUE raw = rb_str_buf_new((long)packed.raw);
    if (lrd_unpack(&packed, RSTRING_PTR(raw)) != LRD_OK)
        return Qundef;
    rb_str_set_len(raw, (long)packed.raw);
    VALUE result = Qundef;
    if (packed.type == LARDER_PHP_STRING) {
        result = larder_php_bytes(RSTRING_PTR(raw), packed.raw);
    } else if (packed.type == LARDER_PHP_ARRAY) {
        const uint8_t *at = (const uint8_t *)RSTRING_PTR(raw);
        packed_reader reader = {.at = at, .end = at + packed.raw, .strings = rb_ary_new()};
        result = packed_array(&reader);
        if (reader.at != reader.end)
            result = Qundef;
        RB_GC_GUARD(reader.strings);
    }
    RB_GC_GUARD(raw);
    return result;
}
