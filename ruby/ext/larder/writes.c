/* writes.c - set, delete, counters, times to live, sweep. Begin reading at cache_set(). */
#include "larder_ruby.h"

#include <math.h>

#define WRITE_TTL_MAX ((double)((uint64_t)1 << 38)) /* milliseconds: 8 years */

bool larder_is_seconds(VALUE object)
{
    VALUE numeric = rb_cNumeric;
    VALUE number = rb_check_funcall(object, rb_intern("is_a?"), 1, &numeric);
    return number != Qundef && RTEST(number) && RTEST(rb_funcall(object, rb_intern("real?"), 0));
}

uint64_t larder_milliseconds(VALUE seconds, const char *name)
{
    if (NIL_P(seconds))
        return 0;
    if (RB_FIXNUM_P(seconds) && FIX2LONG(seconds) > 0 && FIX2LONG(seconds) < 1 << 27)
        return (uint64_t)FIX2LONG(seconds) * 1000;
    double number;
    if (RB_INTEGER_TYPE_P(seconds) || RB_FLOAT_TYPE_P(seconds)) {
        number = NUM2DBL(seconds);
    } else {
        if (!larder_is_seconds(seconds))
            rb_raise(rb_eTypeError, "%s must be a number of seconds or nil, not %" PRIsVALUE, name,
                     rb_obj_class(seconds));
        number = NUM2DBL(rb_funcall(seconds, rb_intern("to_f"), 0));
    }
    number = ceil(number * 1000);
    if (!(number > 0))
        rb_raise(rb_eArgError, "%s must be greater than 0, not %" PRIsVALUE, name,
                 rb_inspect(seconds));
    return number >= WRITE_TTL_MAX ? (uint64_t)WRITE_TTL_MAX - 1 : (uint64_t)number;
}

enum {
    SET_TTL,
    SET_EXPIRES,
    SET_NX,
    SET_XX,
    SET_CAS,
    SET_KEEPTTL,
    SET_FLAGS,
    SET_FORM,
    SET_KEYWORDS
};
static ID set_keywords[SET_KEYWORDS];

/* The options of set(). */
typedef struct write_call {
    larder_cache *cache;
    const larder_key *key;
    const larder_encoded *value;
    uint64_t ttl_ms, version;
    larder_form form;
    bool nx, xx, cas, keepttl;
    /* true if the new value would already be expired; set() then only removes the old entry */
    bool past;
} write_call;

static uint64_t set_unsigned(VALUE number, const char *name, uint64_t max)
{
    uint64_t result;
    if (!RB_INTEGER_TYPE_P(number))
        rb_raise(rb_eTypeError, "%s must be an Integer, not %" PRIsVALUE, name,
                 rb_obj_class(number));
    int sign =
        rb_integer_pack(number, &result, 1, sizeof result, 0, INTEGER_PACK_NATIVE_BYTE_ORDER);
    if (sign < 0 || sign > 1 || result > max)
        rb_raise(rb_eArgError, "%s must be in 0..%" PRIu64 ", not %" PRIsVALUE, name, max, number);
    return result;
}

/* Set the time to live so that the entry expires at a Time. */
static void set_expires(write_call *call, VALUE expires)
{
    VALUE now = rb_funcall(rb_cTime, rb_intern("now"), 0);
    if (!rb_obj_is_kind_of(expires, rb_cTime)) {
        if (!rb_respond_to(expires, rb_intern("to_time")))
            rb_raise(rb_eTypeError, "expires must be a Time, not %" PRIsVALUE,
                     rb_obj_class(expires));
        expires = rb_funcall(expires, rb_intern("to_time"), 0);
    }
    VALUE left = rb_funcall(expires, '-', 1, now);
    call->past = NUM2DBL(left) <= 0;
    if (!call->past)
        call->ttl_ms = larder_milliseconds(left, "expires");
}

static VALUE set_given(const VALUE *given, int index)
{
    return given[index] == Qundef ? Qnil : given[index];
}

static void set_options(write_call *call, VALUE options, uint32_t *flags)
{
    VALUE given[SET_KEYWORDS];
    rb_get_kwargs(options, set_keywords, 0, SET_KEYWORDS, given);
    if (given[SET_TTL] != Qundef)
        call->ttl_ms = larder_milliseconds(given[SET_TTL], "ttl");
    if (!NIL_P(set_given(given, SET_EXPIRES))) {
        if (!NIL_P(set_given(given, SET_TTL)))
            rb_raise(rb_eArgError, "ttl and expires exclude each other");
        set_expires(call, given[SET_EXPIRES]);
    }
    call->nx = RTEST(set_given(given, SET_NX));
    call->xx = RTEST(set_given(given, SET_XX));
    call->keepttl = RTEST(set_given(given, SET_KEEPTTL));
    call->cas = !NIL_P(set_given(given, SET_CAS));
    if (call->nx + call->xx + call->cas > 1)
        rb_raise(rb_eArgError, "nx, xx and cas exclude each other");
    if (call->cas)
        call->version = set_unsigned(given[SET_CAS], "cas", UINT64_MAX);
    if (!NIL_P(set_given(given, SET_FLAGS)))
        *flags = (uint32_t)set_unsigned(given[SET_FLAGS], "flags", UINT32_MAX);
    if (!NIL_P(set_given(given, SET_FORM)))
        call->form = larder_form_of(given[SET_FORM]);
}

static int set_put(const write_call *call, lrd_store *store, lrd_mode mode, uint64_t ttl_ms,
                   uint64_t version)
{
    const lrd_key key = {call->key->ptr, call->key->len};
    const larder_block value = {
        .type = call->value->type, .data = call->value->ptr, .size = call->value->len};
    return larder_form_put(call->cache, store, &key, &value, call->form,
                           &(lrd_write){.ttl_ms = ttl_ms, .version = version, .mode = mode});
}

static bool set_is_pinned(const lrd_store *store)
{
    lrd_info info;
    lrd_store_info(store, &info);
    return info.policy == LRD_PINNED;
}

/* Replace the value of a counter in place, if it is `expected`. */
static int set_swap(const write_call *call, lrd_store *store, int64_t expected)
{
    int64_t wanted = *(const int64_t *)call->value->ptr;
    int rc = lrd_counter_swap(store, call->key->ptr, call->key->len, expected, wanted);
    if (rc == LRD_OK && !call->keepttl && !set_is_pinned(store))
        rc = lrd_touch(store, call->key->ptr, call->key->len, call->ttl_ms);
    return rc;
}

/* Read an entry, and replace it unless its version has changed. A counter has no version, so
 * replacing it overwrites increments that came after the read. */
static int set_over(const write_call *call, lrd_store *store)
{
    lrd_value old;
    lrd_entry entry;
    int rc =
        lrd_get(store, call->key->ptr, call->key->len, LRD_GET_BORROW | LRD_GET_NO_COUNT, &old);
    if (rc == LRD_MISS && call->keepttl && !call->xx) {
        rc = set_put(call, store, LRD_ADD, call->ttl_ms, 0);
        return rc == LRD_EXISTS ? LRD_STALE : rc;
    }
    if (rc != LRD_OK)
        return rc;
    if (old.kind == LRD_KIND_COPY) {
        lrd_release(store, &old);
        return LRD_ENOSLOT;
    }
    rc = lrd_value_entry(store, &old, &entry);
    int64_t number = old.type == LRD_TYPE_COUNTER ? lrd_counter_value(&old) : 0;
    lrd_release(store, &old);
    if (rc != LRD_OK)
        return rc;
    uint64_t ttl_ms = call->keepttl ? entry.ttl_ms : call->ttl_ms;
    if (old.type != LRD_TYPE_COUNTER) {
        rc = set_put(call, store, LRD_REPLACE, ttl_ms, entry.version);
        return rc == LRD_MISS || rc == LRD_ETYPE ? LRD_STALE : rc;
    }
    if (call->value->type != LRD_TYPE_COUNTER)
        return set_put(call, store, LRD_SET, ttl_ms, 0);
    rc = set_swap(call, store, number);
    return rc == LRD_MISS || rc == LRD_ETYPE ? LRD_STALE : rc;
}

/* Replace the entry if it has the version `call->version`. If `call->keepttl` is true, the new
 * entry keeps the time to live of the old one. */
static int set_version(const write_call *call, lrd_store *store)
{
    lrd_value old;
    lrd_entry entry;
    if (!call->keepttl)
        return set_put(call, store, LRD_REPLACE, call->ttl_ms, call->version);
    int rc =
        lrd_get(store, call->key->ptr, call->key->len, LRD_GET_BORROW | LRD_GET_NO_COUNT, &old);
    if (rc != LRD_OK)
        return rc;
    bool copy = old.kind == LRD_KIND_COPY;
    rc = copy ? LRD_ENOSLOT : lrd_value_entry(store, &old, &entry);
    lrd_release(store, &old);
    return rc != LRD_OK ? rc : set_put(call, store, LRD_REPLACE, entry.ttl_ms, call->version);
}

static int set_store(const write_call *call, lrd_store *store)
{
    int rc;
    if (call->past) {
        if (call->nx || call->cas)
            return LRD_MISS;
        rc = lrd_delete(store, call->key->ptr, call->key->len);
        return rc == LRD_MISS && !call->xx ? LRD_OK : rc;
    }
    if (call->nx)
        return set_put(call, store, LRD_ADD, call->ttl_ms, 0);
    if (call->cas)
        return set_version(call, store);
    if (call->xx || call->keepttl) {
        /* Check now: lrd_touch() would refuse the time to live in a pinned store only after the
         * value was replaced. */
        if (call->ttl_ms != 0 && set_is_pinned(store))
            return LRD_EPOLICY;
        do
            rc = set_over(call, store);
        while (rc == LRD_STALE);
        return rc;
    }
    if (call->value->type == LRD_TYPE_COUNTER)
        return lrd_counter_set(store, call->key->ptr, call->key->len,
                               *(const int64_t *)call->value->ptr, call->ttl_ms);
    return set_put(call, store, LRD_SET, call->ttl_ms, 0);
}

/* @overload set(key, value, ttl:, expires:, nx:, xx:, cas:, keepttl:, flags:, form:) */
static VALUE cache_set(int argc, VALUE *argv, VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    larder_encoded encoded;
    write_call call = {.cache = cache,
                       .key = &key,
                       .value = &encoded,
                       .ttl_ms = cache->ttl_ms,
                       .form = cache->form};
    uint32_t flags = cache->flags;
    VALUE name, value, options = Qnil;
    if (RB_LIKELY(argc == 2 && !rb_keyword_given_p())) {
        name = argv[0];
        value = argv[1];
    } else {
        rb_scan_args(argc, argv, "2:", &name, &value, &options);
        if (!NIL_P(options))
            set_options(&call, options, &flags);
    }
    larder_encode_with_key(cache, value, flags, &encoded, name, &key);
    int rc = set_store(&call, larder_store(cache));
    LARDER_KEY_GUARD(key);
    RB_GC_GUARD(encoded.keep);
    if (rc == LRD_EPOLICY)
        rb_raise(rb_eArgError, "ttl: entries of a pinned cache have no time to live");
    if (rc == LRD_ETYPE && call.cas)
        rb_raise(rb_eTypeError,
                 "cas: the entry is an Integer, which has no version; see compare_and_set");
    return larder_check(cache, rc, name) == LRD_OK ? Qtrue : Qfalse;
}

/* @overload []=(key, value) */
static VALUE cache_aset(VALUE self, VALUE key, VALUE value)
{
    VALUE argv[2] = {key, value};
    cache_set(2, argv, self);
    return value;
}

static VALUE cache_delete(VALUE self, VALUE name)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    larder_key_take(cache, name, &key);
    int rc = lrd_delete(larder_store(cache), key.ptr, key.len);
    LARDER_KEY_GUARD(key);
    return larder_check(cache, rc, name) == LRD_OK ? Qtrue : Qfalse;
}

/* delete_stored(text) - deletes an entry by the text of its key, which scan() has returned. Works
 * even if the key cannot be loaded. */
static VALUE cache_delete_stored(VALUE self, VALUE text)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    larder_key_take_stored(cache, text, &key);
    int rc = lrd_delete(larder_store(cache), key.ptr, key.len);
    LARDER_KEY_GUARD(key);
    return larder_check(cache, rc, text) == LRD_OK ? Qtrue : Qfalse;
}

/* ---- counters ---- */

static int64_t write_number(VALUE number, const char *name)
{
    if (!RB_INTEGER_TYPE_P(number))
        rb_raise(rb_eTypeError, "%s must be an Integer, not %" PRIsVALUE, name,
                 rb_obj_class(number));
    int64_t result;
    int sign = rb_integer_pack(number, &result, 1, sizeof result, 0,
                               INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
    if (sign < -1 || sign > 1 || (sign != 0 && (sign < 0) != (result < 0)))
        rb_raise(rb_eRangeError, "%s is too big for 64 bits", name);
    return result;
}

static VALUE counter_add(int argc, VALUE *argv, VALUE self, bool down)
{
    static ID keywords[2]; /* threads may write here at once: all write the same IDs */
    larder_cache *cache = larder_cache_of(self);
    VALUE name, by, options, given[2] = {Qundef, Qundef};
    larder_key key;
    rb_scan_args(argc, argv, "11:", &name, &by, &options);
    int64_t step = argc < 2 || NIL_P(by) ? 1 : write_number(by, "by"), initial = 0, result;
    uint64_t ttl_ms = cache->ttl_ms;
    if (!NIL_P(options)) {
        keywords[0] = rb_intern("initial");
        keywords[1] = rb_intern("ttl");
        rb_get_kwargs(options, keywords, 0, 2, given);
    }
    if (given[0] != Qundef)
        initial = write_number(given[0], "initial");
    if (given[1] != Qundef)
        ttl_ms = larder_milliseconds(given[1], "ttl");
    if (down && step == INT64_MIN)
        rb_raise(rb_eRangeError, "by is too small to be negated");
    larder_key_take(cache, name, &key);
    int rc = lrd_counter_add(larder_store(cache), key.ptr, key.len, down ? -step : step, initial,
                             ttl_ms, &result);
    LARDER_KEY_GUARD(key);
    if (rc == LRD_ETYPE)
        rb_raise(rb_eTypeError, "the value of key %" PRIsVALUE " is no Integer of 64 bits",
                 rb_str_substr(rb_inspect(name), 0, 80));
    if (rc == LRD_EPOLICY)
        rb_raise(rb_eArgError, "ttl: entries of a pinned cache have no time to live");
    larder_check(cache, rc, name);
    return LL2NUM(result);
}

/* @overload increment(key, by = 1, initial: 0, ttl: nil) */
static VALUE cache_increment(int argc, VALUE *argv, VALUE self)
{
    return counter_add(argc, argv, self, false);
}

/* @overload decrement(key, by = 1, initial: 0, ttl: nil) */
static VALUE cache_decrement(int argc, VALUE *argv, VALUE self)
{
    return counter_add(argc, argv, self, true);
}

/* @overload compare_and_set(key, expected, wanted) */
static VALUE cache_compare_and_set(VALUE self, VALUE name, VALUE expected, VALUE wanted)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    int64_t from = write_number(expected, "expected"), to = write_number(wanted, "wanted");
    larder_key_take(cache, name, &key);
    int rc = lrd_counter_swap(larder_store(cache), key.ptr, key.len, from, to);
    LARDER_KEY_GUARD(key);
    return larder_check(cache, rc == LRD_ETYPE ? LRD_STALE : rc, name) == LRD_OK ? Qtrue : Qfalse;
}

/* ---- care ---- */

/* @overload touch(key, ttl: ) */
static VALUE cache_touch(int argc, VALUE *argv, VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    VALUE name, options, given = Qundef;
    larder_key key;
    uint64_t ttl_ms = cache->ttl_ms;
    rb_scan_args(argc, argv, "1:", &name, &options);
    if (!NIL_P(options))
        rb_get_kwargs(options, set_keywords + SET_TTL, 0, 1, &given);
    if (given != Qundef)
        ttl_ms = larder_milliseconds(given, "ttl");
    larder_key_take(cache, name, &key);
    lrd_store *store = larder_store(cache);
    /* Entries of a pinned cache have no time to live, so only check that the entry exists. */
    int rc = ttl_ms == 0 && set_is_pinned(store) ? lrd_has(store, key.ptr, key.len)
                                                 : lrd_touch(store, key.ptr, key.len, ttl_ms);
    LARDER_KEY_GUARD(key);
    if (rc == LRD_EPOLICY)
        rb_raise(rb_eArgError, "ttl: entries of a pinned cache have no time to live");
    return larder_check(cache, rc, name) == LRD_OK ? Qtrue : Qfalse;
}

static VALUE cache_clear_all(VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    larder_check(cache, lrd_clear(larder_store(cache)), Qnil);
    return Qnil;
}

static VALUE cache_sweep(VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    uint64_t freed = 0;
    larder_check(cache, lrd_sweep(larder_store(cache), &freed), Qnil);
    return ULL2NUM(freed);
}

/* set_raw(key, type, bytes) - stores bytes as a value of the type `type`, for tests of readers. */
static VALUE cache_set_raw(VALUE self, VALUE name, VALUE type, VALUE bytes)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    StringValue(bytes);
    larder_key_take(cache, name, &key);
    int rc = lrd_put(larder_store(cache), key.ptr, key.len, RSTRING_PTR(bytes),
                     (size_t)RSTRING_LEN(bytes), &(lrd_write){.type = (uint8_t)NUM2UINT(type)});
    LARDER_KEY_GUARD(key);
    RB_GC_GUARD(bytes);
    larder_check(cache, rc, name);
    return Qnil;
}

void larder_writes_define(VALUE class)
{
    set_keywords[SET_TTL] = rb_intern("ttl");
    set_keywords[SET_EXPIRES] = rb_intern("expires");
    set_keywords[SET_NX] = rb_intern("nx");
    set_keywords[SET_XX] = rb_intern("xx");
    set_keywords[SET_CAS] = rb_intern("cas");
    set_keywords[SET_KEEPTTL] = rb_intern("keepttl");
    set_keywords[SET_FLAGS] = rb_intern("flags");
    set_keywords[SET_FORM] = rb_intern("form");
    rb_define_method(class, "set", cache_set, -1);
    rb_define_method(class, "[]=", cache_aset, 2);
    rb_define_method(class, "delete", cache_delete, 1);
    rb_define_method(class, "increment", cache_increment, -1);
    rb_define_method(class, "decrement", cache_decrement, -1);
    rb_define_method(class, "compare_and_set", cache_compare_and_set, 3);
    rb_define_method(class, "touch", cache_touch, -1);
    rb_define_private_method(class, "set_raw", cache_set_raw, 3);
    rb_define_private_method(class, "delete_stored", cache_delete_stored, 1);
    rb_define_private_method(class, "clear_all", cache_clear_all, 0);
    rb_define_method(class, "sweep", cache_sweep, 0);
}
