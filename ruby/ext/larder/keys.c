/* keys.c - the bytes of a key.
 *
 * - The key of a String or a Symbol is its bytes, in any encoding. So :a and "a" are the same key.
 * - The key of any other object is its Marshal data, which begins with MARSHAL_HEAD.
 * - Some Strings are stored as Marshal data, too: an empty String, a String that begins with
 *   MARSHAL_HEAD or "\0lrd", and a String that contains a colon followed by MARSHAL_HEAD.
 * - So no program can forge Marshal data with a String. A stored key that begins with MARSHAL_HEAD
 *   (after the cache's namespace) is therefore safe to load.
 * - A namespace never contains MARSHAL_HEAD (cache.rb). So if a stored key contains a colon
 *   followed by MARSHAL_HEAD, the key belongs to another namespace.
 * - A store that PHP has made may contain keys of any bytes, so Marshal loads no key of such a
 *   store. There, a key must be a String or a Symbol. It must not be empty or begin with "\0lrd".
 * - Stored keys that begin with "\0lrd" belong to the extensions. Iterations do not show them. */
#include "larder_ruby.h"

#include <string.h>

#define MARSHAL_HEAD "\x04\x08"
#define MARSHAL_HEAD_LEN 2

static bool key_is_marshal(const char *ptr, size_t len)
{
    return len >= MARSHAL_HEAD_LEN && memcmp(ptr, MARSHAL_HEAD, MARSHAL_HEAD_LEN) == 0;
}

/* Return true if MARSHAL_HEAD follows a colon in these bytes. */
static bool key_hides_marshal(const char *ptr, size_t len)
{
    const char *end = ptr + len, *at = ptr;
    while ((at = memchr(at, MARSHAL_HEAD[0], (size_t)(end - at))) != NULL) {
        if (at != ptr && at[-1] == ':' && key_is_marshal(at, (size_t)(end - at)))
            return true;
        at++;
    }
    return false;
}

bool larder_key_reserved(const char *ptr, size_t len)
{
    const size_t head = sizeof LRD_COMMON_RESERVED - 1;
    return len >= head && memcmp(ptr, LRD_COMMON_RESERVED, head) == 0;
}

/* Write the Marshal data of an Integer of 31 bits. */
static size_t key_write_small(char *out, long number)
{
    size_t len = MARSHAL_HEAD_LEN;
    memcpy(out, MARSHAL_HEAD, MARSHAL_HEAD_LEN);
    out[len++] = 'i';
    if (number == 0) {
        out[len++] = 0;
    } else if (0 < number && number < 123) {
        out[len++] = (char)(number + 5);
    } else if (-124 < number && number < 0) {
        out[len++] = (char)(number - 5);
    } else {
        size_t at = len++;
        long rest = number;
        int bytes = 0;
        do {
            out[len++] = (char)(rest & 0xff);
            rest >>= 8;
            bytes++;
        } while (rest != 0 && rest != -1);
        out[at] = (char)(number > 0 ? bytes : -bytes);
    }
    return len;
}

static void key_from_string(const larder_cache *cache, VALUE string, larder_key *out)
{
    const char *ptr = RSTRING_PTR(string);
    size_t len = (size_t)RSTRING_LEN(string), space = cache->namespace_len;
    out->string = string;
    out->ptr = ptr;
    out->len = len;
    if (space == 0)
        return;
    char *whole = out->buffer;
    if (space + len > sizeof out->buffer) {
        out->string = rb_str_buf_new((long)(space + len));
        whole = RSTRING_PTR(out->string);
    }
    memcpy(whole, cache->namespace, space);
    memcpy(whole + space, ptr, len);
    out->ptr = whole;
    out->len = space + len;
}

/* Return the Marshal data of a key. Raises in a store of PHP, whose keys cannot be Marshal data. */
static VALUE key_dump(const larder_cache *cache, VALUE key)
{
    if (cache->php && RB_TYPE_P(key, T_STRING) && RSTRING_LEN(key) != 0)
        rb_raise(rb_eArgError, "key must not begin with \"\\0lrd\", which is reserved");
    if (cache->php)
        rb_raise(rb_eTypeError,
                 "key must be a String that is not empty, or a Symbol, in a store of PHP's, not "
                 "%" PRIsVALUE,
                 rb_obj_class(key));
    VALUE text = rb_funcall(larder_module, rb_intern("dump_key"), 1, key);
    StringValue(text);
    return text;
}

static inline bool key_string_is_dumped(const larder_cache *cache, VALUE key)
{
    const char *ptr = RSTRING_PTR(key);
    size_t len = (size_t)RSTRING_LEN(key);
    return RB_UNLIKELY(len == 0 || larder_key_reserved(ptr, len) ||
                       (!cache->php && (key_is_marshal(ptr, len) || key_hides_marshal(ptr, len))));
}

bool larder_key_runs(const larder_cache *cache, VALUE key)
{
    return !RB_SYMBOL_P(key) && (!RB_TYPE_P(key, T_STRING) || key_string_is_dumped(cache, key));
}

void larder_key_take(const larder_cache *cache, VALUE key, larder_key *out)
{
    if (RB_SYMBOL_P(key))
        key = rb_sym2str(key);
    if (RB_TYPE_P(key, T_STRING)) {
        if (key_string_is_dumped(cache, key))
            key = key_dump(cache, key);
        key_from_string(cache, key, out);
        return;
    }
    if (!cache->php && (RB_FIXNUM_P(key) || NIL_P(key) || key == Qtrue || key == Qfalse)) {
        long number = RB_FIXNUM_P(key) ? FIX2LONG(key) : 0;
        if (number >= -(1L << 30) && number < 1L << 30) {
            char *at = out->buffer + cache->namespace_len;
            /* The Marshal data of a small Integer, nil, true or false takes at most 16 bytes. */
            if (cache->namespace_len + 16 <= sizeof out->buffer) {
                memcpy(out->buffer, cache->namespace, cache->namespace_len);
                size_t len = MARSHAL_HEAD_LEN + 1;
                if (RB_FIXNUM_P(key)) {
                    len = key_write_small(at, number);
                } else {
                    memcpy(at, MARSHAL_HEAD, MARSHAL_HEAD_LEN);
                    at[MARSHAL_HEAD_LEN] = NIL_P(key) ? '0' : key == Qtrue ? 'T' : 'F';
                }
                out->ptr = out->buffer;
                out->len = cache->namespace_len + len;
                out->string = Qnil;
                return;
            }
        }
    }
    key_from_string(cache, key_dump(cache, key), out);
}

void larder_key_take_stored(const larder_cache *cache, VALUE text, larder_key *out)
{
    StringValue(text);
    key_from_string(cache, text, out);
}

VALUE larder_key_object(const larder_cache *cache, const char *ptr, size_t len, VALUE *loads)
{
    ptr += cache->namespace_len;
    len -= cache->namespace_len;
    *loads = cache->php                    ? Qfalse
             : key_is_marshal(ptr, len)    ? Qtrue
             : key_hides_marshal(ptr, len) ? Qnil
                                           : Qfalse;
    if (*loads == Qtrue)
        return rb_str_new(ptr, (long)len);
    VALUE string = rb_utf8_str_new(ptr, (long)len);
    if (rb_enc_str_coderange(string) == ENC_CODERANGE_BROKEN)
        rb_enc_associate_index(string, rb_ascii8bit_encindex());
    return string;
}
