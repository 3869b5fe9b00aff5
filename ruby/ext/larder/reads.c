/* reads.c - get, take, entry, view, scan, statistics. Begin reading at read_value(). */
#include "larder_ruby.h"
#include "larder_coordination.h"
#include "larder_host.h"

#include <stdlib.h>
#include <string.h>

/* A value must not stay borrowed while its decoding runs Ruby code. So a value of at most this
 * number of bytes is copied before it is decoded. A larger value gets a lease. */
#define READ_COPY_MAX 8192
/* Maximum size in bytes of a copy on the stack. A larger value is copied into a String. */
#define READ_STACK_MAX 512

/* A value that was read. In the store, the flags lie in front of its bytes. Here, `flags` has the
 * flags, and `value` has only the bytes behind them. */
typedef struct read_block {
    larder_block value;
    uint32_t flags;
    VALUE copy; /* the String that contains the bytes, or Qnil if they are borrowed */
    /* true if the value was packed; the next fields are valid only then */
    bool is_packed;
    bool stays;               /* true if the program asked for the packed form */
    larder_block packed_from; /* the unpacked bytes, including the flags */
} read_block;

static VALUE read_copy(const char *data, size_t size)
{
    return rb_obj_hide(rb_str_new(data, (long)size));
}

static __attribute__((noinline)) void read_unpack(read_block *out)
{
    VALUE bytes = out->copy, unpacked;
    const lrd_value packed = {.data = out->value.data, .size = out->value.size};
    out->is_packed = larder_form_open(&packed, &out->value, &unpacked, &out->stays);
    RB_GC_GUARD(bytes);
    if (!NIL_P(unpacked))
        out->copy = unpacked;
    out->packed_from = out->value;
}

static void read_open(lrd_store *store, lrd_value *value, read_block *out)
{
    larder_block *block = &out->value;
    block->type = value->type;
    block->data = value->data;
    block->size = value->size;
    out->copy = Qnil;
    /* the core has made a private copy, because this thread had no slot: move it to a String */
    if (RB_UNLIKELY(value->kind == LRD_KIND_COPY)) {
        out->copy = read_copy(block->data, block->size);
        block->data = RSTRING_PTR(out->copy);
        lrd_release(store, value);
        /* values with PHP's own types contain pointers into the original bytes, so a copy is
         * unreadable */
        if (block->type < LRD_TYPE_PLAIN)
            block->type = 0;
    }
    out->is_packed = block->type == LRD_TYPE_PACKED;
    if (RB_UNLIKELY(out->is_packed))
        read_unpack(out);
    out->flags = larder_unwrap(&block->type, &block->data, &block->size);
    block->origin = block->data;
}

static VALUE read_held(larder_cache *cache, lrd_store *store, lrd_value *value, larder_block *block,
                       larder_symbols *symbols)
{
    larder_lease *held;
    VALUE lease = larder_lease_new(cache, &held);
    size_t at = (size_t)(block->data - (const char *)value->data);
    int rc = lrd_hold(store, value, &held->value);
    lrd_release(store, value);
    if (rc != LRD_OK) {
        larder_lease_end(lease);
        larder_raise(cache, rc, Qnil);
    }
    block->data = (const char *)held->value.data + at;
    return larder_lease_decode(lease, cache, block, symbols);
}

static __attribute__((noinline)) VALUE read_on_stack(const larder_cache *cache, lrd_store *store,
                                                     lrd_value *value, larder_block *block,
                                                     larder_symbols *symbols)
{
    _Alignas(8) char bytes[READ_STACK_MAX];
    memcpy(bytes, block->data, block->size);
    lrd_release(store, value);
    block->data = bytes;
    return larder_decode(cache, block, symbols);
}

/* Decode a value that must not stay borrowed, because its decoding may run Ruby code. */
static VALUE read_apart(larder_cache *cache, lrd_store *store, lrd_value *value, read_block *own,
                        larder_symbols *symbols)
{
    larder_block *block = &own->value;
    if (NIL_P(own->copy) && block->size > READ_COPY_MAX)
        return read_held(cache, store, value, block, symbols);
    if (NIL_P(own->copy) && block->type != LRD_COMMON_MARSHAL && block->size <= READ_STACK_MAX)
        return read_on_stack(cache, store, value, block, symbols);
    /* The value is already unpacked, into a hidden String that Ruby code cannot change. So decode
     * this copy without copying again. */
    if (own->is_packed && !NIL_P(own->copy)) {
        lrd_release(store, value);
        VALUE unpacked = larder_decode(cache, block, symbols);
        RB_GC_GUARD(own->copy);
        return unpacked;
    }
    VALUE copy = read_copy(block->data, block->size);
    RB_GC_GUARD(own->copy);
    lrd_release(store, value);
    block->data = RSTRING_PTR(copy);
    VALUE result = block->type == LRD_COMMON_MARSHAL ? larder_marshal_load(copy)
                                                     : larder_decode(cache, block, symbols);
    RB_GC_GUARD(copy);
    return result;
}

/* Decode a value that was just borrowed. If `counts` is true, calls larder_form_read() for a packed
 * value. Returns Qundef if the value cannot be read. Decoding may run Ruby code, which may close
 * the store, so call read_end() afterwards. */
static VALUE read_value(larder_cache *cache, lrd_store *store, lrd_value *value, read_block *block,
                        bool counts, larder_symbols *symbols)
{
    read_open(store, value, block);
    if (RB_UNLIKELY(block->is_packed && counts))
        larder_form_read(cache, store, value, &block->packed_from, block->stays);
    if (!larder_decodes_plainly(block->value.type))
        return read_apart(cache, store, value, block, symbols);
    VALUE result = larder_decode(cache, &block->value, symbols);
    RB_GC_GUARD(block->copy);
    return result;
}

/* Release a value if it is still borrowed. Decoding ends the borrow before it runs any Ruby code.
 * So if the value is still borrowed, no Ruby code has run that could have closed the store. */
static inline void read_end(lrd_store *store, lrd_value *value)
{
    if (RB_LIKELY(value->kind == LRD_KIND_BORROWED))
        lrd_release(store, value);
}

VALUE larder_fetch(larder_cache *cache, lrd_store *store, const char *key, size_t key_len,
                   lrd_value *borrowed, larder_symbols *symbols, int *rc)
{
    read_block block;
    *rc = lrd_get(store, key, key_len, LRD_GET_BORROW, borrowed);
    if (RB_UNLIKELY(*rc != LRD_OK)) {
        borrowed->kind = LRD_KIND_NONE;
        if (*rc < 0)
            larder_raise(cache, *rc, rb_str_new(key, (long)key_len));
        return Qnil;
    }
    VALUE result = read_value(cache, store, borrowed, &block, true, symbols);
    if (RB_LIKELY(result != Qundef))
        return result;
    /* Ruby code may have closed the store, and cache->store is then NULL */
    if (RB_LIKELY(cache->store != NULL))
        lrd_count_miss(cache->store);
    *rc = LRD_MISS;
    return Qnil;
}

/* @overload get(key, default = nil) */
static VALUE cache_get(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 1, 2);
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    lrd_value borrowed;
    int rc;
    larder_key_take(cache, argv[0], &key);
    lrd_store *store = larder_store(cache);
    VALUE result = larder_fetch(cache, store, key.ptr, key.len, &borrowed, NULL, &rc);
    LARDER_KEY_GUARD(key);
    read_end(store, &borrowed);
    return rc == LRD_OK || argc == 1 ? result : argv[1];
}

/* @overload [](key) */
static VALUE cache_aref(VALUE self, VALUE key) { return cache_get(1, &key, self); }

static VALUE cache_has_key(VALUE self, VALUE name)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    larder_key_take(cache, name, &key);
    int rc = lrd_has(larder_store(cache), key.ptr, key.len);
    LARDER_KEY_GUARD(key);
    return larder_check(cache, rc, name) == LRD_OK ? Qtrue : Qfalse;
}

static VALUE read_seconds(uint64_t milliseconds)
{
    return milliseconds == 0 ? Qnil : DBL2NUM((double)milliseconds / 1000);
}

/* Borrow the value of a key. Returns LRD_MISS if there is none. Raises for any failure. */
static int read_borrow(larder_cache *cache, VALUE name, unsigned flags, lrd_store **store,
                       lrd_value *value)
{
    larder_key key;
    larder_key_take(cache, name, &key);
    *store = larder_store(cache);
    int rc = lrd_get(*store, key.ptr, key.len, LRD_GET_BORROW | flags, value);
    LARDER_KEY_GUARD(key);
    return larder_check(cache, rc, name);
}

static VALUE cache_entry(VALUE self, VALUE name)
{
    larder_cache *cache = larder_cache_of(self);
    lrd_store *store;
    lrd_value value;
    lrd_entry entry = {0};
    if (read_borrow(cache, name, 0, &store, &value) != LRD_OK)
        return Qnil;
    /* without a slot, this thread has got a private copy, which has no version */
    if (value.kind == LRD_KIND_COPY) {
        lrd_release(store, &value);
        larder_raise(cache, LRD_ENOSLOT, name);
    }
    larder_check(cache, lrd_value_entry(store, &value, &entry), name);
    read_block block;
    bool is_packed = value.type == LRD_TYPE_PACKED;
    VALUE object = read_value(cache, store, &value, &block, true, NULL);
    read_end(store, &value);
    if (object == Qundef)
        return Qnil;
    return rb_struct_new(larder_entry_class, name, object, read_seconds(entry.ttl_ms),
                         ULL2NUM(entry.version), UINT2NUM(block.flags),
                         ID2SYM(rb_intern(is_packed ? "packed" : "ready")));
}

/* ---- reasons for unreadable values ---- */

static const char *read_reason(uint8_t type)
{
    switch (type) {
    case LARDER_PHP_ARRAY:
        return "it is an array of PHP's that is not flat, or of an unknown layout";
    case LARDER_PHP_STRING:
        return "it is a string of PHP's of an unknown layout";
    case LARDER_PHP_SERIALIZED:
        return "PHP has serialized it";
    case LARDER_PHP_OBJECTS:
        return "it is an object of PHP's";
    case LRD_TYPE_WINDOW:
        return "it is a rate limit with a sliding window";
    default:
        return "it is damaged, or of a type that is not known";
    }
}

/* reason_for(key) - returns why a value is unreadable, or nil. Raises if loading the value
 * raises. */
static VALUE cache_reason_for(VALUE self, VALUE name)
{
    larder_cache *cache = larder_cache_of(self);
    lrd_store *store;
    lrd_value value;
    if (read_borrow(cache, name, LRD_GET_NO_COUNT, &store, &value) != LRD_OK)
        return Qnil;
    uint8_t type = value.type;
    lrd_packed packed;
    if (type == LRD_TYPE_PACKED && lrd_packed_look(value.data, value.size, &packed) == LRD_OK)
        type = packed.type;
    read_block block;
    bool readable = read_value(cache, store, &value, &block, false, NULL) != Qundef;
    read_end(store, &value);
    return readable ? Qnil : rb_utf8_str_new_cstr(read_reason(type));
}

/* get_raw(key) - returns the stored bytes of a value, for tests. */
static VALUE cache_get_raw(VALUE self, VALUE name)
{
    lrd_store *store;
    lrd_value value;
    if (read_borrow(larder_cache_of(self), name, 0, &store, &value) != LRD_OK)
        return Qnil;
    VALUE bytes = rb_str_new(value.data, (long)value.size);
    lrd_release(store, &value);
    return bytes;
}

/* ---- take ---- */

/* @overload take(key, default = nil) */
static VALUE cache_take(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 1, 2);
    larder_cache *cache = larder_cache_of(self);
    VALUE otherwise = argc == 2 ? argv[1] : Qnil;
    larder_key key;
    larder_key_take(cache, argv[0], &key);
    /* Copy the key, because Ruby code may change the String that contains it. */
    VALUE own = read_copy(key.ptr, key.len);
    LARDER_KEY_GUARD(key);
    for (unsigned flags = LRD_GET_BORROW;; flags |= LRD_GET_NO_COUNT) {
        lrd_store *store = larder_store(cache);
        lrd_value value;
        lrd_entry entry = {0};
        read_block block;
        int rc = lrd_get(store, RSTRING_PTR(own), (size_t)RSTRING_LEN(own), flags, &value);
        if (larder_check(cache, rc, argv[0]) != LRD_OK)
            return otherwise;
        if (value.kind == LRD_KIND_COPY) { /* a copy has no version */
            lrd_release(store, &value);
            larder_raise(cache, LRD_ENOSLOT, argv[0]);
        }
        larder_check(cache, lrd_value_entry(store, &value, &entry), argv[0]);
        bool counter = value.type == LRD_TYPE_COUNTER;
        int64_t number = counter ? lrd_counter_value(&value) : 0;
        VALUE object = read_value(cache, store, &value, &block, false, NULL);
        read_end(store, &value);
        if (object == Qundef)
            return otherwise;
        rc = lrd_delete_version(larder_store(cache), RSTRING_PTR(own), (size_t)RSTRING_LEN(own),
                                entry.version, number);
        RB_GC_GUARD(own);
        if (rc == LRD_STALE)
            continue;
        if (larder_check(cache, rc, argv[0]) != LRD_OK)
            return otherwise;
        return counter ? LL2NUM(number) : object;
    }
}

/* ---- views ---- */

/* Find the bytes of a Ruby or PHP string. Returns false for other values, and for bytes that cannot
 * be viewed in place. */
static bool view_is_lent(const larder_cache *cache, larder_block *block)
{
    if (block->type == LARDER_PHP_STRING)
        return larder_php_string_bytes(cache, &block->data, &block->size);
    return block->type == LRD_COMMON_UTF8 || block->type == LRD_COMMON_BINARY ||
           block->type == LRD_COMMON_ASCII || block->type == LRD_COMMON_BYTES;
}

/* Unpack a packed value into a String, and let `*block` refer to its bytes. Returns Qnil if the
 * value is not packed, or if it has one of PHP's own types but is not a string. */
static VALUE view_unpack(const larder_cache *cache, const lrd_value *value, larder_block *block)
{
    VALUE string = Qnil;
    bool stays;
    if (block->type != LRD_TYPE_PACKED || !larder_form_open(value, block, &string, &stays))
        return Qnil;
    if (block->type == LRD_TYPE_PACKED) { /* the value has one of PHP's own types */
        string = larder_php_packed(cache, block);
        if (string == Qundef || !RB_TYPE_P(string, T_STRING))
            return Qnil;
        rb_obj_hide(string);
        block->type = LRD_COMMON_BYTES;
        block->data = RSTRING_PTR(string);
        block->size = (size_t)RSTRING_LEN(string);
    }
    return string;
}

/* view(key) { |view| } - yields a view of the bytes of a String in shared memory. */
static VALUE cache_view(VALUE self, VALUE name)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    larder_lease *held;
    rb_need_block();
    larder_key_take(cache, name, &key);
    VALUE lease = larder_lease_new(cache, &held);
    int rc = lrd_get(larder_store(cache), key.ptr, key.len, 0, &held->value);
    LARDER_KEY_GUARD(key);
    if (rc != LRD_OK) {
        larder_lease_end(lease);
        larder_check(cache, rc, name);
        return Qnil;
    }
    larder_block block = {
        .type = held->value.type, .data = held->value.data, .size = held->value.size};
    VALUE string = view_unpack(cache, &held->value, &block);
    larder_unwrap(&block.type, &block.data, &block.size);
    if (!view_is_lent(cache, &block)) {
        larder_lease_end(lease);
        rb_raise(rb_eTypeError,
                 "view lends the bytes of Strings in UTF-8, US-ASCII or BINARY; key %" PRIsVALUE
                 " has something else",
                 rb_str_substr(rb_inspect(name), 0, 80));
    }
    if (!NIL_P(string)) /* the view uses the unpacked String, and no longer the held value */
        larder_lease_end(lease);
    return larder_view_yield(lease, string, block.data, block.size);
}

/* ---- iteration ---- */

#define SCAN_ENTRIES 128
#define SCAN_BYTES (256u << 10)

/* Decode the values that scan() has copied to the hidden Array `result`, with four elements for
 * each entry (cache_scan()). If the fourth element is a number, it is the type of the value, and
 * the third one contains its bytes. Replaces the third element by the decoded value, and the fourth
 * by false. Removes entries with unreadable values. */
static void scan_decode(const larder_cache *cache, VALUE result, const char *const *origins,
                        larder_symbols *symbols)
{
    long kept = 1, len = RARRAY_LEN(result);
    rb_obj_hide(result);
    for (long at = 1; at < len; at += 4) {
        VALUE object = rb_ary_entry(result, at + 2), loads = rb_ary_entry(result, at + 3);
        if (RB_FIXNUM_P(loads)) {
            VALUE copy = object;
            larder_block block = {.type = (uint8_t)FIX2INT(loads),
                                  .data = RSTRING_PTR(copy),
                                  .size = (size_t)RSTRING_LEN(copy),
                                  .origin = origins[at / 4]};
            object = larder_decode(cache, &block, symbols);
            RB_GC_GUARD(copy);
            loads = Qfalse;
            if (object == Qundef)
                continue;
        }
        rb_ary_store(result, kept++, rb_ary_entry(result, at));
        rb_ary_store(result, kept++, rb_ary_entry(result, at + 1));
        rb_ary_store(result, kept++, object);
        rb_ary_store(result, kept++, loads);
    }
    rb_obj_reveal(result, rb_cArray);
    while (RARRAY_LEN(result) > kept)
        rb_ary_pop(result);
}

/* scan(place, values) - returns some entries as [next place, key, load key?, value, load value?,
 * key, ...]. Begins at `place`, or at the first entry if `place` is nil. The next place is nil
 * after the last entry. A true "load key?" or "load value?" says that Marshal must load the text
 * (larder_key_object()). If `values` is false, all values are nil. */
static VALUE cache_scan(VALUE self, VALUE place, VALUE values)
{
    larder_cache *cache = larder_cache_of(self);
    lrd_store *store = larder_store(cache);
    lrd_cursor cursor = {0};
    if (RB_TYPE_P(place, T_STRING) && RSTRING_LEN(place) == (long)sizeof cursor)
        memcpy(&cursor, RSTRING_PTR(place), sizeof cursor);
    VALUE result = rb_ary_new_capa(1 + 4 * SCAN_ENTRIES);
    rb_ary_push(result, Qnil);
    larder_symbols symbols = {0};
    const char *origins[SCAN_ENTRIES];
    size_t bytes = 0;
    int rc = LRD_OK;
    lrd_value value = {.kind = LRD_KIND_NONE};
    for (int entries = 0; entries < SCAN_ENTRIES && bytes <= SCAN_BYTES; entries++) {
        lrd_entry entry;
        rc = lrd_next(store, &cursor, &value);
        if (rc == LRD_OK)
            rc = lrd_value_entry(store, &value, &entry);
        if (rc != LRD_OK)
            break;
        if (entry.key_len < cache->namespace_len ||
            memcmp(entry.key, cache->namespace, cache->namespace_len) != 0 ||
            larder_key_reserved(entry.key, entry.key_len))
            continue;
        VALUE loads, object = Qnil, loads_value = Qfalse;
        VALUE name = larder_key_object(cache, entry.key, entry.key_len, &loads);
        bytes += entry.key_len;
        if (RTEST(values)) {
            read_block block;
            read_open(store, &value, &block);
            const larder_block *found = &block.value;
            bytes += found->size;
            if (larder_decodes_plainly(found->type)) {
                object = larder_decode(cache, found, &symbols);
            } else if (found->type == LRD_COMMON_MARSHAL) {
                object = rb_str_new(found->data, (long)found->size);
                loads_value = Qtrue;
            } else {
                object = read_copy(found->data, found->size);
                loads_value = INT2FIX(found->type);
                origins[RARRAY_LEN(result) / 4] = found->origin;
            }
            RB_GC_GUARD(block.copy);
            if (object == Qundef)
                continue;
        }
        rb_ary_push(result, name);
        rb_ary_push(result, loads);
        rb_ary_push(result, object);
        rb_ary_push(result, loads_value);
    }
    lrd_release(store, &value);
    if (rc != LRD_OK && rc != LRD_END)
        larder_raise(cache, rc, Qnil);
    if (rc == LRD_OK)
        rb_ary_store(result, 0, rb_str_new((const char *)&cursor, sizeof cursor));
    scan_decode(cache, result, origins, &symbols);
    return result;
}

/* ---- facts ---- */

#define STATS_FIELD(name)                                                                          \
    {                                                                                              \
#name, offsetof(lrd_stats, name)                                                           \
    }
static const struct {
    const char *name;
    size_t offset; /* of an uint64_t */
} stats_fields[] = {
    STATS_FIELD(entries),        STATS_FIELD(live_bytes),     STATS_FIELD(dead_bytes),
    STATS_FIELD(retired_bytes),  STATS_FIELD(page_bytes),     STATS_FIELD(held_quota),
    STATS_FIELD(hits),           STATS_FIELD(misses),         STATS_FIELD(inserts),
    STATS_FIELD(replaces),       STATS_FIELD(deletes),        STATS_FIELD(expired),
    STATS_FIELD(evicted),        STATS_FIELD(ghost_hits),     STATS_FIELD(refused),
    STATS_FIELD(copies),         STATS_FIELD(recoveries),     STATS_FIELD(reaped_slots),
    STATS_FIELD(deaths),         STATS_FIELD(emptied_shards), STATS_FIELD(busy),
    STATS_FIELD(slots_used),     STATS_FIELD(packs),          STATS_FIELD(falls),
    STATS_FIELD(rises),          STATS_FIELD(unpacks),        STATS_FIELD(packed_entries),
    STATS_FIELD(packed_bytes),   STATS_FIELD(packed_ready),   STATS_FIELD(age_ms),
    STATS_FIELD(evicted_age_ms), STATS_FIELD(memory_short),
};

static void stats_set(VALUE hash, const char *prefix, const char *name, uint64_t number)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", prefix, name);
    rb_hash_aset(hash, ID2SYM(rb_intern(text)), ULL2NUM(number));
}

static VALUE cache_stats(VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    lrd_store *store = larder_store(cache);
    lrd_stats stats;
    lrd_info info;
    larder_check(cache, lrd_stats_get(store, &stats), Qnil);
    lrd_store_info(store, &info);
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < sizeof stats_fields / sizeof *stats_fields; i++) {
        uint64_t number;
        memcpy(&number, (const char *)&stats + stats_fields[i].offset, sizeof number);
        stats_set(hash, "", stats_fields[i].name, number);
    }
    for (int cause = 0; cause < (int)LRD_REFUSALS; cause++)
        stats_set(hash, "refused_", lrd_refusal_name(cause), stats.refused_by[cause]);
    for (int cause = 0; cause < (int)LRD_COPY_CAUSES; cause++)
        stats_set(hash, "copies_", lrd_copy_name(cause), stats.copies_by[cause]);
    rb_hash_aset(hash, ID2SYM(rb_intern("size")), ULL2NUM(info.size));
    rb_hash_aset(hash, ID2SYM(rb_intern("entries_max")), ULL2NUM(info.entries_max));
    rb_hash_aset(hash, ID2SYM(rb_intern("value_max")), ULL2NUM(info.value_max));
    rb_hash_aset(hash, ID2SYM(rb_intern("shared")), Qtrue);
    return hash;
}

static VALUE cache_is_pinned(VALUE self)
{
    lrd_info info;
    lrd_store_info(larder_store(larder_cache_of(self)), &info);
    return info.policy == LRD_PINNED ? Qtrue : Qfalse;
}

/* texts that lrd_fsck() has reported, each followed by a zero byte */
typedef struct fsck_texts {
    larder_cache *cache;
    char *data;
    size_t size;
} fsck_texts;

/* Keep a text that lrd_fsck() reports. If there is no memory for the text, drops it. Must not call
 * functions of Ruby. */
static void fsck_report(void *arg, const char *text)
{
    fsck_texts *texts = arg;
    size_t size = strlen(text) + 1;
    char *data = realloc(texts->data, texts->size + size);
    if (data == NULL)
        return;
    memcpy(data + texts->size, text, size);
    texts->data = data;
    texts->size += size;
}

static VALUE fsck_run(VALUE arg)
{
    fsck_texts *texts = (fsck_texts *)arg;
    VALUE list = rb_ary_new();
    int rc = lrd_fsck(larder_store(texts->cache), fsck_report, texts);
    for (size_t at = 0; at < texts->size; at += strlen(texts->data + at) + 1)
        rb_ary_push(list, rb_utf8_str_new_cstr(texts->data + at));
    larder_check(texts->cache, rc, Qnil);
    return list;
}

static VALUE fsck_end(VALUE arg)
{
    free(((fsck_texts *)arg)->data);
    return Qnil;
}

/* Return the texts about violated invariants, as an Array. */
static VALUE cache_fsck(VALUE self)
{
    fsck_texts texts = {.cache = larder_cache_of(self)};
    return rb_ensure(fsck_run, (VALUE)&texts, fsck_end, (VALUE)&texts);
}

void larder_reads_define(VALUE class)
{
    rb_define_method(class, "get", cache_get, -1);
    rb_define_method(class, "[]", cache_aref, 1);
    rb_define_method(class, "key?", cache_has_key, 1);
    rb_define_method(class, "entry", cache_entry, 1);
    rb_define_method(class, "take", cache_take, -1);
    rb_define_method(class, "view", cache_view, 1);
    rb_define_private_method(class, "reason_for", cache_reason_for, 1);
    rb_define_private_method(class, "get_raw", cache_get_raw, 1);
    rb_define_private_method(class, "scan", cache_scan, 2);
    rb_define_method(class, "stats", cache_stats, 0);
    rb_define_method(class, "pinned?", cache_is_pinned, 0);
    rb_define_method(class, "fsck", cache_fsck, 0);
}
