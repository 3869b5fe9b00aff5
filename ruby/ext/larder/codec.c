/* codec.c - turns values into bytes, and bytes into values. Begin reading at larder_encode() and
 * larder_decode().
 *
 * - Typed values are written without Marshal: nil, true, false, Integers of 64 bits, Floats,
 *   Strings with their encoding, Symbols, and Arrays and Hashes of typed values. PHP can read most
 *   typed values.
 * - Marshal encodes all values that the typed form cannot express completely: see codec_is_plain()
 *   and codec_hash_is_plain().
 * - The bytes of a block are checked. A length beyond the block, or an unknown tag or encoding,
 *   makes the value unreadable. */
#include "larder_ruby.h"

#include <ruby/version.h>
#include <string.h>

/* ---- writing ---- */

/* The bytes that were written so far. If the buffer is too small, the bytes move to a hidden
 * String. */
typedef struct codec_writer {
    char *at, *end, *begin;
    VALUE string;
} codec_writer;

static void codec_grow(codec_writer *writer, size_t wanted)
{
    size_t used = (size_t)(writer->at - writer->begin);
    size_t room = (used + wanted) * 2;
    VALUE string = rb_str_buf_new((long)room);
    rb_obj_hide(string);
    memcpy(RSTRING_PTR(string), writer->begin, used);
    writer->string = string;
    writer->begin = RSTRING_PTR(string);
    writer->at = writer->begin + used;
    writer->end = writer->begin + room;
}

static inline void codec_room(codec_writer *writer, size_t wanted)
{
    if (RB_UNLIKELY((size_t)(writer->end - writer->at) < wanted))
        codec_grow(writer, wanted);
}

#define VARINT_MAX 10

static inline void codec_write_varint(codec_writer *writer, uint64_t number)
{
    while (number >= 0x80) {
        *writer->at++ = (char)(number | 0x80);
        number >>= 7;
    }
    *writer->at++ = (char)number;
}

static void codec_write_bytes(codec_writer *writer, lrd_common_tag tag, VALUE string)
{
    size_t len = (size_t)RSTRING_LEN(string);
    codec_room(writer, 1 + VARINT_MAX + len);
    *writer->at++ = (char)tag;
    codec_write_varint(writer, len);
    memcpy(writer->at, RSTRING_PTR(string), len);
    writer->at += len;
}

/* Return true if a value has instance variables. Count them in Ruby 4.0 and later, which have no
 * flag for this. */
static inline bool codec_has_variables(VALUE value)
{
#if RUBY_API_VERSION_MAJOR >= 4
    return rb_ivar_count(value) != 0;
#else
    return RB_FL_TEST_RAW(value, RUBY_FL_EXIVAR) != 0;
#endif
}

/* Return true if the class of a value is exactly `class`, and the value has no instance
 * variables. */
static inline bool codec_is_plain(VALUE value, VALUE class)
{
    return RBASIC_CLASS(value) == class && !codec_has_variables(value);
}

/* Return true if a Symbol survives encoding: the bytes of its name, read as UTF-8, must give the
 * same Symbol. A name in US-ASCII may contain bytes above 127. */
static inline bool codec_symbol_is_plain(VALUE name)
{
    int encoding = rb_enc_get_index(name);
    return encoding == rb_utf8_encindex() ||
           (encoding == rb_usascii_encindex() && rb_enc_str_coderange(name) == ENC_CODERANGE_7BIT);
}

/* Read an Integer that is not a Fixnum. Returns false if it does not fit into 64 bits. */
static bool codec_number(VALUE value, int64_t *number)
{
    if (!RB_TYPE_P(value, T_BIGNUM))
        return false;
    /* `sign` is 1 or -1 if the magnitude fits into 64 bits. It can still be too large for an
     * int64_t, and then *number has the wrong sign. */
    int sign = rb_integer_pack(value, number, 1, sizeof *number, 0,
                               INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
    return sign == (*number < 0 ? -1 : 1);
}

static void codec_write_number(codec_writer *writer, int64_t number)
{
    *writer->at++ = LRD_TAG_INT;
    codec_write_varint(writer, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

/* Write a value that is not an Array or a Hash. Returns false if only Marshal can write it. */
static bool codec_write_simple(codec_writer *writer, VALUE value)
{
    int64_t number;
    codec_room(writer, 1 + VARINT_MAX);
    if (NIL_P(value)) {
        *writer->at++ = LRD_TAG_NULL;
    } else if (RB_FIXNUM_P(value)) {
        codec_write_number(writer, FIX2LONG(value));
    } else if (value == Qfalse || value == Qtrue) {
        *writer->at++ = value == Qtrue ? LRD_TAG_TRUE : LRD_TAG_FALSE;
    } else if (RB_SYMBOL_P(value)) {
        VALUE name = rb_sym2str(value);
        if (!codec_symbol_is_plain(name))
            return false;
        codec_write_bytes(writer, LRD_TAG_SYMBOL, name);
    } else if (RB_FLOAT_TYPE_P(value)) {
        double real = RFLOAT_VALUE(value);
        *writer->at++ = LRD_TAG_DOUBLE;
        memcpy(writer->at, &real, sizeof real);
        writer->at += sizeof real;
    } else if (RB_TYPE_P(value, T_STRING) && codec_is_plain(value, rb_cString)) {
        int encoding = rb_enc_get_index(value);
        if (encoding == rb_utf8_encindex())
            codec_write_bytes(writer, LRD_TAG_UTF8, value);
        else if (encoding == rb_ascii8bit_encindex())
            codec_write_bytes(writer, LRD_TAG_BINARY, value);
        else if (encoding == rb_usascii_encindex())
            codec_write_bytes(writer, LRD_TAG_ASCII, value);
        else
            return false;
    } else if (codec_number(value, &number)) {
        codec_write_number(writer, number);
    } else {
        return false;
    }
    return true;
}

static bool codec_write_array(codec_writer *writer, VALUE array)
{
    codec_room(writer, VARINT_MAX);
    codec_write_varint(writer, (uint64_t)RARRAY_LEN(array));
    for (long i = 0; i < RARRAY_LEN(array); i++)
        if (!codec_write_simple(writer, RARRAY_AREF(array, i)))
            return false;
    return true;
}

struct codec_pairs {
    codec_writer *writer;
    bool good;
};

static int codec_write_pair(VALUE key, VALUE value, VALUE argument)
{
    struct codec_pairs *pairs = (struct codec_pairs *)argument;
    pairs->good =
        codec_write_simple(pairs->writer, key) && codec_write_simple(pairs->writer, value);
    return pairs->good ? ST_CONTINUE : ST_STOP;
}

#ifdef HAVE_RB_HASH_COMPARE_BY_ID_P
VALUE rb_hash_compare_by_id_p(VALUE hash);
#endif

/* Return true if the Hash can be written without Marshal. It must have no default, no comparison by
 * identity and no flag of Hash.ruby2_keywords_hash?. */
static bool codec_hash_is_plain(VALUE hash)
{
    if (!codec_is_plain(hash, rb_cHash) ||
        RTEST(rb_funcallv(rb_cHash, rb_intern("ruby2_keywords_hash?"), 1, &hash)))
        return false;
#ifdef HAVE_RB_HASH_COMPARE_BY_ID_P
    if (RTEST(rb_hash_compare_by_id_p(hash)))
        return false;
#else
    if (RTEST(rb_funcallv(hash, rb_intern("compare_by_identity?"), 0, NULL)))
        return false;
#endif
    return NIL_P(rb_funcallv(hash, rb_intern("default"), 0, NULL)) &&
           NIL_P(rb_funcallv(hash, rb_intern("default_proc"), 0, NULL));
}

static bool codec_write_hash(codec_writer *writer, VALUE hash)
{
    struct codec_pairs pairs = {.writer = writer, .good = true};
    codec_room(writer, VARINT_MAX);
    codec_write_varint(writer, (uint64_t)RHASH_SIZE(hash));
    rb_hash_foreach(hash, codec_write_pair, (VALUE)&pairs);
    return pairs.good;
}

static void codec_encode_bytes(VALUE string, uint8_t type, larder_encoded *out)
{
    out->type = type;
    out->ptr = RSTRING_PTR(string);
    out->len = (size_t)RSTRING_LEN(string);
    out->keep = string;
}

static bool codec_encode_string(VALUE string, larder_encoded *out)
{
    int encoding = rb_enc_get_index(string);
    if (!codec_is_plain(string, rb_cString))
        return false;
    if (encoding == rb_utf8_encindex()) {
        codec_encode_bytes(string, LRD_COMMON_UTF8, out);
    } else if (encoding == rb_ascii8bit_encindex()) {
        codec_encode_bytes(string, LRD_COMMON_BINARY, out);
    } else if (encoding == rb_usascii_encindex()) {
        codec_encode_bytes(string, LRD_COMMON_ASCII, out);
    } else {
        const char *name = rb_enc_name(rb_enc_from_index(encoding));
        size_t len = strlen(name);
        if (len > UINT8_MAX || rb_enc_dummy_p(rb_enc_from_index(encoding)))
            return false;
        VALUE whole = rb_str_buf_new((long)(1 + len) + RSTRING_LEN(string));
        rb_obj_hide(whole);
        char head = (char)len;
        rb_str_buf_cat(whole, &head, 1);
        rb_str_buf_cat(whole, name, (long)len);
        rb_str_buf_cat(whole, RSTRING_PTR(string), RSTRING_LEN(string));
        codec_encode_bytes(whole, LRD_COMMON_ENCODED, out);
    }
    return true;
}

static bool codec_encode_list(VALUE value, larder_encoded *out)
{
    codec_writer writer = {.begin = out->own.buffer,
                           .at = out->own.buffer,
                           .end = out->own.buffer + sizeof out->own.buffer,
                           .string = Qnil};
    bool array = RB_TYPE_P(value, T_ARRAY);
    if (array ? !codec_is_plain(value, rb_cArray) || !codec_write_array(&writer, value)
              : !codec_hash_is_plain(value) || !codec_write_hash(&writer, value))
        return false;
    out->type = array ? LRD_COMMON_ARRAY : LRD_COMMON_HASH;
    out->ptr = writer.begin;
    out->len = (size_t)(writer.at - writer.begin);
    out->keep = writer.string;
    return true;
}

static bool codec_encode_typed(VALUE value, larder_encoded *out)
{
    out->ptr = &out->own;
    out->len = 0;
    out->keep = value;
    if (RB_SPECIAL_CONST_P(value) && !RB_FIXNUM_P(value) && !RB_SYMBOL_P(value) &&
        !RB_FLONUM_P(value)) {
        out->type = NIL_P(value)     ? LRD_COMMON_NULL
                    : value == Qtrue ? LRD_COMMON_TRUE
                                     : LRD_COMMON_FALSE;
        return true;
    }
    if (RB_FIXNUM_P(value)) {
        out->own.number = FIX2LONG(value);
    } else if (RB_TYPE_P(value, T_BIGNUM)) {
        if (!codec_number(value, &out->own.number))
            return false;
    } else if (RB_FLOAT_TYPE_P(value)) {
        out->own.real = RFLOAT_VALUE(value);
        out->type = LRD_COMMON_DOUBLE;
        out->len = sizeof(double);
        return true;
    } else if (RB_SYMBOL_P(value)) {
        VALUE name = rb_sym2str(value);
        if (!codec_symbol_is_plain(name))
            return false;
        codec_encode_bytes(name, LRD_COMMON_SYMBOL, out);
        return true;
    } else if (RB_TYPE_P(value, T_STRING)) {
        return codec_encode_string(value, out);
    } else if (RB_TYPE_P(value, T_ARRAY) || RB_TYPE_P(value, T_HASH)) {
        if (RB_TYPE_P(value, T_ARRAY) && RARRAY_LEN(value) == 0 &&
            codec_is_plain(value, rb_cArray)) {
            out->type = LRD_COMMON_EMPTY_ARRAY;
            return true;
        }
        return codec_encode_list(value, out);
    } else {
        return false;
    }
    out->type = LRD_TYPE_COUNTER;
    out->len = sizeof(int64_t);
    return true;
}

/* Add flags to an encoded value: put the flags and the type of the value before its bytes. The new
 * type of the value is LRD_COMMON_FLAGGED. */
static void codec_wrap(uint32_t flags, larder_encoded *out)
{
    VALUE whole = rb_str_buf_new((long)(sizeof flags + 1 + out->len));
    rb_obj_hide(whole);
    char *at = RSTRING_PTR(whole);
    memcpy(at, &flags, sizeof flags);
    at[sizeof flags] = (char)out->type;
    memcpy(at + sizeof flags + 1, out->ptr, out->len);
    RB_GC_GUARD(out->keep);
    out->type = LRD_COMMON_FLAGGED;
    out->ptr = at;
    out->len += sizeof flags + 1;
    out->keep = whole;
}

void larder_encode(VALUE value, uint32_t flags, larder_encoded *out)
{
    /* Hide the String: making the key may run Ruby code, which could find it with ObjectSpace and
     * change it. */
    if (!codec_encode_typed(value, out))
        codec_encode_bytes(rb_obj_hide(rb_marshal_dump(value, Qnil)), LRD_COMMON_MARSHAL, out);
    if (flags != 0)
        codec_wrap(flags, out);
}

void larder_encode_with_key(const larder_cache *cache, VALUE value, uint32_t flags,
                            larder_encoded *out, VALUE name, larder_key *key)
{
    larder_encode(value, flags, out);
    if (RB_UNLIKELY(out->keep == value && RB_TYPE_P(value, T_STRING) &&
                    larder_key_runs(cache, name))) {
        out->keep = rb_str_new_frozen(value);
        out->ptr = RSTRING_PTR(out->keep);
    }
    larder_key_take(cache, name, key);
}

static VALUE codec_own_simple(VALUE value)
{
    if (RB_SPECIAL_CONST_P(value) || RB_SYMBOL_P(value) || RB_INTEGER_TYPE_P(value) ||
        RB_FLOAT_TYPE_P(value))
        return value;
    if (RB_TYPE_P(value, T_STRING) && codec_is_plain(value, rb_cString))
        return rb_str_new_frozen(value);
    return Qundef;
}

struct codec_owned {
    VALUE hash;
    bool good;
};

static int codec_own_pair(VALUE key, VALUE value, VALUE argument)
{
    struct codec_owned *owned = (struct codec_owned *)argument;
    VALUE own_key = codec_own_simple(key), own = codec_own_simple(value);
    owned->good = own_key != Qundef && own != Qundef;
    if (!owned->good)
        return ST_STOP;
    rb_hash_aset(owned->hash, own_key, own);
    return ST_CONTINUE;
}

VALUE larder_own(VALUE value)
{
    VALUE simple = codec_own_simple(value);
    if (simple != Qundef)
        return simple;
    if (RB_TYPE_P(value, T_ARRAY) && codec_is_plain(value, rb_cArray)) {
        VALUE array = rb_ary_new_capa(RARRAY_LEN(value));
        for (long i = 0; i < RARRAY_LEN(value); i++) {
            VALUE own = codec_own_simple(RARRAY_AREF(value, i));
            if (own == Qundef)
                return Qundef;
            rb_ary_push(array, own);
        }
        return array;
    }
    if (RB_TYPE_P(value, T_HASH) && codec_hash_is_plain(value)) {
        struct codec_owned owned = {rb_hash_new(), true};
        rb_hash_foreach(value, codec_own_pair, (VALUE)&owned);
        return owned.good ? owned.hash : Qundef;
    }
    return Qundef;
}

/* ---- reading ---- */

typedef struct codec_reader {
    lrd_common_reader bytes;
    larder_symbols *symbols;
} codec_reader;

/* Return true if the bytes are valid UTF-8, as the name of a Symbol must be. */
static bool codec_is_utf8(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (RB_UNLIKELY((uint8_t)data[i] >= 0x80))
            return rb_enc_str_coderange(rb_utf8_str_new(data, (long)size)) != ENC_CODERANGE_BROKEN;
    return true;
}

static VALUE codec_symbol(const char *data, size_t size)
{
    if (!codec_is_utf8(data, size))
        return Qundef;
    /* Search for an existing Symbol first, because the search allocates no memory. */
    VALUE symbol = rb_check_symbol_cstr(data, (long)size, rb_utf8_encoding());
    return NIL_P(symbol) ? rb_str_intern(rb_utf8_str_new(data, (long)size)) : symbol;
}

static VALUE codec_known_symbol(larder_symbols *symbols, const char *data, size_t size)
{
    if (symbols == NULL || size - 1 >= LARDER_SYMBOL_MAX)
        return codec_symbol(data, size);
    unsigned place =
        ((uint8_t)data[0] * 7u + (uint8_t)data[size - 1] + (unsigned)size) % LARDER_SYMBOLS;
    if (symbols->cells[place].len == size && memcmp(symbols->cells[place].bytes, data, size) == 0)
        return symbols->cells[place].symbol;
    VALUE symbol = codec_symbol(data, size);
    if (symbol != Qundef) {
        symbols->cells[place].symbol = symbol;
        symbols->cells[place].len = (uint8_t)size;
        memcpy(symbols->cells[place].bytes, data, size);
    }
    return symbol;
}

/* Make a String in US-ASCII. Ruby's constructor does not check that all bytes are below 128. */
static VALUE codec_ascii(const char *data, size_t size)
{
    return rb_enc_str_new(data, (long)size, rb_usascii_encoding());
}

static VALUE codec_read_bytes(codec_reader *reader, lrd_common_tag tag)
{
    uint64_t len;
    if (!lrd_common_varint(&reader->bytes, &len) ||
        len > (uint64_t)(reader->bytes.end - reader->bytes.at))
        return Qundef;
    const char *data = reader->bytes.at;
    reader->bytes.at += len;
    switch (tag) {
    case LRD_TAG_UTF8:
        return rb_utf8_str_new(data, (long)len);
    case LRD_TAG_ASCII:
        return codec_ascii(data, len);
    case LRD_TAG_SYMBOL:
        return codec_known_symbol(reader->symbols, data, len);
    default:
        return rb_str_new(data, (long)len);
    }
}

static VALUE codec_read_simple(codec_reader *reader)
{
    uint64_t number;
    double real;
    if (reader->bytes.at == reader->bytes.end)
        return Qundef;
    lrd_common_tag tag = (lrd_common_tag)(uint8_t)*reader->bytes.at++;
    switch (tag) {
    case LRD_TAG_NULL:
        return Qnil;
    case LRD_TAG_FALSE:
        return Qfalse;
    case LRD_TAG_TRUE:
        return Qtrue;
    case LRD_TAG_INT:
        if (!lrd_common_varint(&reader->bytes, &number))
            return Qundef;
        return LL2NUM(lrd_common_signed(number));
    case LRD_TAG_DOUBLE:
        if ((size_t)(reader->bytes.end - reader->bytes.at) < sizeof real)
            return Qundef;
        memcpy(&real, reader->bytes.at, sizeof real);
        reader->bytes.at += sizeof real;
        return DBL2NUM(real);
    case LRD_TAG_UTF8:
    case LRD_TAG_BINARY:
    case LRD_TAG_ASCII:
    case LRD_TAG_SYMBOL:
        return codec_read_bytes(reader, tag);
    default:
        return Qundef;
    }
}

static VALUE codec_read_array(codec_reader reader)
{
    uint64_t count;
    if (!lrd_common_count(&reader.bytes, 1, &count))
        return Qundef;
    VALUE array = rb_ary_new_capa((long)count);
    for (; count != 0; count--) {
        VALUE element = codec_read_simple(&reader);
        if (element == Qundef)
            return Qundef;
        rb_ary_push(array, element);
    }
    return reader.bytes.at == reader.bytes.end ? array : Qundef;
}

static VALUE codec_read_hash(codec_reader reader)
{
    uint64_t count;
    if (!lrd_common_count(&reader.bytes, 2, &count))
        return Qundef;
#ifdef HAVE_RB_HASH_NEW_CAPA
    VALUE hash = rb_hash_new_capa((long)count);
#else
    VALUE hash = rb_hash_new();
#endif
    for (; count != 0; count--) {
        VALUE key = codec_read_simple(&reader);
        VALUE value = key == Qundef ? Qundef : codec_read_simple(&reader);
        if (value == Qundef)
            return Qundef;
        rb_hash_aset(hash, key, value);
    }
    return reader.bytes.at == reader.bytes.end ? hash : Qundef;
}

static VALUE codec_read_encoded(const char *data, size_t size)
{
    char name[UINT8_MAX + 1];
    size_t len = size != 0 ? (uint8_t)data[0] : SIZE_MAX;
    if (len >= size)
        return Qundef;
    memcpy(name, data + 1, len);
    name[len] = '\0';
    VALUE string = rb_str_new(data + 1 + len, (long)(size - 1 - len));
    /* rb_enc_find_index() may load a file that defines the encoding, and so run Ruby code. */
    int encoding = rb_enc_find_index(name);
    if (encoding < 0)
        return Qundef;
    rb_enc_associate_index(string, encoding);
    return string;
}

VALUE larder_php_bytes(const char *data, size_t size)
{
    VALUE string = rb_utf8_str_new(data, (long)size);
    if (rb_enc_str_coderange(string) == ENC_CODERANGE_BROKEN)
        rb_enc_associate_index(string, rb_ascii8bit_encindex());
    return string;
}

/* Handle the ArgumentError `error` of rb_marshal_load(). If a class is missing, load the Marshal
 * data by Marshal.load. Otherwise raise the error again. */
static VALUE codec_load_missing(VALUE text, VALUE error)
{
    static const char missing[] = "undefined class/module";
    VALUE message = rb_obj_as_string(error);
    if (RSTRING_LEN(message) < (long)sizeof missing - 1 ||
        memcmp(RSTRING_PTR(message), missing, sizeof missing - 1) != 0)
        rb_exc_raise(error);
    RB_GC_GUARD(message);
    /* pass a copy, because Ruby code behind Marshal.load may keep the String */
    return rb_funcall(rb_path2class("Marshal"), rb_intern("load"), 1,
                      rb_str_new(RSTRING_PTR(text), RSTRING_LEN(text)));
}

VALUE larder_marshal_load(VALUE text)
{
    /* If a class is missing, call Marshal.load, which the program may have replaced by a method
     * that can load the class. */
    return rb_rescue2(rb_marshal_load, text, codec_load_missing, text, rb_eArgError, (VALUE)0);
}

/* Load a value from Marshal data, which must neither move nor change during the call. */
static VALUE codec_load(const char *data, size_t size)
{
    /* Hide the String, even from ObjectSpace, because its bytes are valid only during this call.
     * Marshal copies what it uses. */
    VALUE text = rb_str_new_static(data, (long)size);
    rb_obj_hide(text);
    VALUE result = larder_marshal_load(text);
    RB_GC_GUARD(text);
    return result;
}

bool larder_decodes_plainly(uint8_t type)
{
    switch (type) {
    case LRD_COMMON_HASH:
    case LRD_COMMON_ENCODED:
    case LRD_COMMON_MARSHAL:
    case LARDER_PHP_ARRAY:
    case LRD_TYPE_PACKED:
        return false;
    default:
        return true;
    }
}

VALUE larder_decode(const larder_cache *cache, const larder_block *block, larder_symbols *symbols)
{
    const char *data = block->data;
    size_t size = block->size;
    codec_reader reader = {.bytes = {.at = data, .end = data + size}, .symbols = symbols};
    double real;
    switch (block->type) {
    case LRD_COMMON_NULL:
        return Qnil;
    case LRD_COMMON_FALSE:
        return Qfalse;
    case LRD_COMMON_TRUE:
        return Qtrue;
    case LRD_TYPE_COUNTER: {
        int64_t number;
        if (size != sizeof number)
            return Qundef;
        /* Aligned bytes may be a counter in the store itself, which another thread may change
         * now. */
        if ((uintptr_t)data % sizeof number == 0)
            __atomic_load((const int64_t *)(const void *)data, &number, __ATOMIC_RELAXED);
        else
            memcpy(&number, data, sizeof number);
        return LL2NUM(number);
    }
    case LRD_COMMON_DOUBLE:
        if (size != sizeof real)
            return Qundef;
        memcpy(&real, data, sizeof real);
        return DBL2NUM(real);
    case LRD_COMMON_EMPTY_ARRAY:
        return rb_ary_new();
    case LRD_COMMON_BYTES:
        return larder_php_bytes(data, size);
    case LARDER_PHP_STRING:
        return larder_php_string(cache, data, size);
    case LARDER_PHP_ARRAY:
        return larder_php_array(cache, block);
    case LRD_TYPE_PACKED:
        return larder_php_packed(cache, block);
    case LRD_COMMON_UTF8:
        return rb_utf8_str_new(data, (long)size);
    case LRD_COMMON_BINARY:
        return rb_str_new(data, (long)size);
    case LRD_COMMON_ASCII:
        return codec_ascii(data, size);
    case LRD_COMMON_ENCODED:
        return codec_read_encoded(data, size);
    case LRD_COMMON_SYMBOL:
        return codec_symbol(data, size);
    case LRD_COMMON_ARRAY:
        return codec_read_array(reader);
    case LRD_COMMON_HASH:
        return codec_read_hash(reader);
    case LRD_COMMON_MARSHAL:
        return codec_load(data, size);
    default:
        return Qundef;
    }
}

uint32_t larder_unwrap(uint8_t *type, const char **data, size_t *size)
{
    uint32_t flags = 0;
    if (*type != LRD_COMMON_FLAGGED)
        return 0;
    if (*size < sizeof flags + 1) {
        *type = 0; /* unreadable */
        return 0;
    }
    memcpy(&flags, *data, sizeof flags);
    *type = (uint8_t)(*data)[sizeof flags];
    *data += sizeof flags + 1;
    *size -= sizeof flags + 1;
    if (*type == LRD_COMMON_FLAGGED)
        *type = 0;
    return flags;
}
