/* batch.c - Larder::Batch records operations. Its method run() later runs them all, one after
 * another. Most operations run without Ruby code.
 *
 * A note is the record of an operation. It contains a copy of the key and the value:
 *
 *   +-------------+-------------+-----------+--------------+-----------+----
 *   | batch_note  | the value's | its key's | up to 8 more | the next  |
 *   | of 16 bytes | bytes       | bytes     |              | note      |
 *   +-------------+-------------+-----------+--------------+-----------+----
 *
 * An operation with options, a block or a large value is recorded as a call of the cache's method,
 * with copies of its arguments. */
#include "larder_ruby.h"

#include <string.h>

typedef enum batch_operation {
    BATCH_GET,
    BATCH_SET,
    BATCH_DELETE,
    BATCH_KEY,
    BATCH_CALL /* any other call; `value_len` is its index in `calls` */
} batch_operation;

typedef struct batch_note {
    uint64_t value_len;
    uint32_t key_len;
    uint8_t operation;
    uint8_t type;
    uint8_t reserved[2];
} batch_note;
_Static_assert(sizeof(batch_note) == 16, "what follows is aligned to 8 bytes");

#define BATCH_AHEAD 16u /* the number of notes whose keys are prefetched together */
/* Maximum size in bytes of a String that a note contains. A longer String is recorded as a call
 * with a String#dup, which shares the bytes. */
#define BATCH_VALUE_MAX 4096u

typedef struct larder_batch {
    VALUE cache, calls;   /* `calls` is an Array of [name, arguments, keywords, block] */
    larder_cache *target; /* the C struct of `cache`; `cache` keeps it alive */
    char *notes;
    size_t used, room; /* bytes */
    long count;
    bool running; /* true from the beginning of run() on; further operations are then refused */
} larder_batch;

static void batch_mark(void *data)
{
    const larder_batch *batch = data;
    rb_gc_mark(batch->cache);
    rb_gc_mark(batch->calls);
}

static void batch_free(void *data)
{
    free(((larder_batch *)data)->notes);
    free(data);
}

static size_t batch_memsize(const void *data)
{
    return sizeof(larder_batch) + ((const larder_batch *)data)->room;
}

static const rb_data_type_t batch_type = {
    .wrap_struct_name = "Larder::Batch",
    .function = {.dmark = batch_mark, .dfree = batch_free, .dsize = batch_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE batch_allocate(VALUE class)
{
    larder_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        rb_raise(rb_eNoMemError, "no memory for a Larder::Batch");
    batch->cache = batch->calls = Qnil;
    return TypedData_Wrap_Struct(class, &batch_type, batch);
}

static inline void batch_check(const larder_batch *batch)
{
    if (RB_UNLIKELY(batch->running || batch->target == NULL))
        rb_raise(larder_error, "the batch has been run");
}

static inline larder_batch *batch_of(VALUE self)
{
    larder_batch *batch = rb_check_typeddata(self, &batch_type);
    batch_check(batch);
    return batch;
}

static VALUE batch_initialize(VALUE self, VALUE cache)
{
    larder_batch *batch = rb_check_typeddata(self, &batch_type);
    /* A batch keeps its first cache, because the operations that it has noted are for that
     * cache. */
    if (batch->target != NULL)
        rb_raise(larder_error, "the batch has a cache");
    batch->target = larder_cache_of(cache);
    batch->cache = cache;
    batch->calls = rb_ary_new();
    return self;
}

static void batch_grow(larder_batch *batch, size_t bytes)
{
    size_t room = (batch->used + bytes) * 2 + 4096;
    char *notes = realloc(batch->notes, room);
    if (notes == NULL)
        rb_raise(rb_eNoMemError, "no memory for a Larder::Batch");
    batch->notes = notes;
    batch->room = room;
}

static inline char *batch_room(larder_batch *batch, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (RB_UNLIKELY(batch->room - batch->used < bytes))
        batch_grow(batch, bytes);
    char *at = batch->notes + batch->used;
    batch->used += bytes;
    batch->count++;
    return at;
}

static void batch_note_taken(larder_batch *batch, batch_operation operation, VALUE name,
                             const larder_key *key, const larder_encoded *value)
{
    size_t value_len = value != NULL ? value->len : 0;
    if (RB_UNLIKELY(key->len > LRD_KEY_MAX))
        rb_raise(rb_eArgError, "%s (key %" PRIsVALUE ")", lrd_strerror(LRD_EKEY),
                 rb_str_substr(rb_inspect(name), 0, 80));
    batch_check(batch); /* making the key may have run the batch */
    char *at = batch_room(batch, sizeof(batch_note) + value_len + key->len);
    batch_note note = {.value_len = value_len,
                       .key_len = (uint32_t)key->len,
                       .operation = (uint8_t)operation,
                       .type = value != NULL ? value->type : 0};
    memcpy(at, &note, sizeof note);
    if (value_len != 0)
        memcpy(at + sizeof note, value->ptr, value_len);
    memcpy(at + sizeof note + value_len, key->ptr, key->len);
}

static void batch_note_key(larder_batch *batch, batch_operation operation, VALUE name)
{
    larder_key key;
    larder_key_take(batch->target, name, &key);
    batch_note_taken(batch, operation, name, &key, NULL);
    LARDER_KEY_GUARD(key);
}

/* @api private: note(name, arguments, keywords, block) - records a call. batch.rb passes copies of
 * the arguments. */
static VALUE batch_note_call(VALUE self, VALUE name, VALUE arguments, VALUE keywords, VALUE block)
{
    larder_batch *batch = batch_of(self);
    batch_note note = {.value_len = (uint64_t)RARRAY_LEN(batch->calls), .operation = BATCH_CALL};
    rb_ary_push(batch->calls, rb_ary_new_from_args(4, name, arguments, keywords, block));
    memcpy(batch_room(batch, sizeof note), &note, sizeof note);
    return self;
}

/* own(object) { } - returns a copy of the object, or the result of the block if only Marshal can
 * copy it. */
static VALUE batch_own(VALUE self, VALUE object)
{
    (void)self;
    VALUE own = larder_own(object);
    return own != Qundef ? own : rb_yield(object);
}

static VALUE batch_call_with(VALUE self, const char *name, int argc, const VALUE *argv)
{
    VALUE keywords = Qnil;
    if (argc > 1 && rb_keyword_given_p()) {
        keywords = rb_hash_dup(argv[argc - 1]);
        argc--;
    }
    return rb_funcall(self, rb_intern("call"), 4, ID2SYM(rb_intern(name)),
                      rb_ary_new_from_values(argc, argv), keywords, Qnil);
}

static VALUE batch_get(int argc, VALUE *argv, VALUE self)
{
    if (argc != 1)
        return batch_call_with(self, "get", argc, argv);
    batch_note_key(batch_of(self), BATCH_GET, argv[0]);
    return self;
}

static VALUE batch_set(int argc, VALUE *argv, VALUE self)
{
    larder_encoded encoded;
    larder_key key;
    larder_batch *batch = batch_of(self);
    if (argc != 2 || rb_keyword_given_p() ||
        (RB_TYPE_P(argv[1], T_STRING) && RSTRING_LEN(argv[1]) > BATCH_VALUE_MAX))
        return batch_call_with(self, "set", argc, argv);
    larder_encode_with_key(batch->target, argv[1], batch->target->flags, &encoded, argv[0], &key);
    batch_note_taken(batch, BATCH_SET, argv[0], &key, &encoded);
    LARDER_KEY_GUARD(key);
    RB_GC_GUARD(encoded.keep);
    return self;
}

static VALUE batch_delete(VALUE self, VALUE key)
{
    batch_note_key(batch_of(self), BATCH_DELETE, key);
    return self;
}

static VALUE batch_has_key(VALUE self, VALUE key)
{
    batch_note_key(batch_of(self), BATCH_KEY, key);
    return self;
}

static VALUE batch_size(VALUE self)
{
    return LONG2NUM(((larder_batch *)rb_check_typeddata(self, &batch_type))->count);
}

static VALUE batch_run_call(larder_batch *batch, uint64_t index)
{
    VALUE call = rb_ary_entry(batch->calls, (long)index);
    VALUE arguments = rb_ary_entry(call, 1), keywords = rb_ary_entry(call, 2);
    bool given = !NIL_P(keywords) && RHASH_SIZE(keywords) != 0;
    if (given) {
        arguments = rb_ary_dup(arguments);
        rb_ary_push(arguments, keywords);
    }
    VALUE result =
        rb_funcall_with_block_kw(batch->cache, rb_to_id(rb_ary_entry(call, 0)),
                                 (int)RARRAY_LEN(arguments), RARRAY_CONST_PTR(arguments),
                                 rb_ary_entry(call, 3), given ? RB_PASS_KEYWORDS : RB_NO_KEYWORDS);
    RB_GC_GUARD(arguments);
    return result;
}

static VALUE batch_run_note(larder_cache *cache, const batch_note *note, const char *value,
                            const char *key, lrd_value *borrowed, larder_symbols *symbols)
{
    lrd_store *store = larder_store(cache);
    int rc;
    switch ((batch_operation)note->operation) {
    case BATCH_GET: {
        VALUE found = larder_fetch(cache, store, key, note->key_len, borrowed, symbols, &rc);
        return rc == LRD_OK ? found : Qnil;
    }
    case BATCH_SET:
        rc = note->type == LRD_TYPE_COUNTER
                 ? lrd_counter_set(store, key, note->key_len, *(const int64_t *)(const void *)value,
                                   cache->ttl_ms)
                 : larder_form_put(
                       cache, store, &(lrd_key){key, note->key_len},
                       &(larder_block){.type = note->type, .data = value, .size = note->value_len},
                       cache->form, &(lrd_write){.ttl_ms = cache->ttl_ms});
        break;
    case BATCH_DELETE:
        rc = lrd_delete(store, key, note->key_len);
        break;
    default:
        rc = lrd_has(store, key, note->key_len);
    }
    if (rc < 0)
        larder_raise(cache, rc, rb_str_new(key, note->key_len));
    return rc == LRD_OK ? Qtrue : Qfalse;
}

static inline size_t batch_note_bytes(const batch_note *note)
{
    uint64_t value_len = note->operation == BATCH_CALL ? 0 : note->value_len;
    return (sizeof *note + value_len + note->key_len + 7) & ~(size_t)7;
}

/* Prefetch the entries for the next BATCH_AHEAD notes (recorded operations). Returns the offset of
 * the first note after them. */
static size_t batch_prefetch(const larder_batch *batch, lrd_store *store, size_t at)
{
    lrd_key keys[BATCH_AHEAD];
    size_t count = 0;
    unsigned flags = LRD_PREFETCH_WRITE;
    for (uint32_t i = 0; i < BATCH_AHEAD && at < batch->used; i++) {
        batch_note note;
        memcpy(&note, batch->notes + at, sizeof note);
        if (note.operation != BATCH_CALL)
            keys[count++] =
                (lrd_key){batch->notes + at + sizeof note + note.value_len, note.key_len};
        if (note.operation == BATCH_GET)
            flags = 0;
        at += batch_note_bytes(&note);
    }
    lrd_prefetch(store, keys, count, flags);
    return at;
}

static void batch_release(const larder_cache *cache, lrd_value *borrowed)
{
    if (borrowed->kind == LRD_KIND_BORROWED && cache->store != NULL)
        lrd_release(cache->store, borrowed);
    borrowed->kind = LRD_KIND_NONE;
}

static VALUE batch_run(VALUE self)
{
    larder_batch *batch = batch_of(self);
    larder_cache *cache = batch->target;
    VALUE results = rb_ary_new_capa(batch->count);
    larder_symbols symbols = {0};
    lrd_value borrowed = {.kind = LRD_KIND_NONE}; /* the last borrowed value */
    batch->running = true;
    for (size_t at = 0, ahead = 0; at < batch->used;) {
        batch_note note;
        const char *bytes = batch->notes + at + sizeof note;
        if (at == ahead)
            ahead = batch_prefetch(batch, larder_store(cache), at);
        memcpy(&note, batch->notes + at, sizeof note);
        if (note.operation == BATCH_CALL) {
            /* release first, because this call may close the store */
            batch_release(cache, &borrowed);
            rb_ary_push(results, batch_run_call(batch, note.value_len));
        } else {
            rb_ary_push(results, batch_run_note(cache, &note, bytes, bytes + note.value_len,
                                                &borrowed, &symbols));
        }
        at += batch_note_bytes(&note);
    }
    batch_release(cache, &borrowed);
    RB_GC_GUARD(self);
    return results;
}

void larder_batch_define(void)
{
    VALUE class = rb_define_class_under(larder_module, "Batch", rb_cObject);
    rb_gc_register_mark_object(class);
    rb_define_alloc_func(class, batch_allocate);
    rb_define_method(class, "initialize", batch_initialize, 1);
    rb_define_method(class, "get", batch_get, -1);
    rb_define_method(class, "[]", batch_get, -1);
    rb_define_method(class, "set", batch_set, -1);
    rb_define_method(class, "[]=", batch_set, -1);
    rb_define_method(class, "delete", batch_delete, 1);
    rb_define_method(class, "key?", batch_has_key, 1);
    rb_define_method(class, "size", batch_size, 0);
    rb_define_method(class, "run", batch_run, 0);
    rb_define_private_method(class, "note", batch_note_call, 4);
    rb_define_private_method(class, "own", batch_own, 1);
}
