/* larder.c - Larder::Cache: opening, closing, errors. Methods that need no C are in
 * ruby/lib/larder/cache.rb. Read larder_ruby.h first. */
#include "larder_ruby.h"

#include <string.h>

VALUE larder_module, larder_error, larder_closed_error, larder_full_error, larder_busy_error,
    larder_moved_error, larder_mismatch_error, larder_too_large_error, larder_entry_class,
    larder_view_class, larder_cache_class;

/* ---- life ---- */

void larder_cache_use(larder_cache *cache)
{
    atomic_fetch_add_explicit(&cache->uses, 1, memory_order_relaxed);
}

/* Detach the store of a closed cache if no thread is in a call. A short call keeps the GVL, which
 * this thread has now, so no other thread is in a short call. Long calls are counted in `uses`. If
 * the cache is shareable, its store stays, because threads of other Ractors may be in a short
 * call. */
static void cache_settle(larder_cache *cache)
{
    if (!cache->closed || cache->shareable || cache->store == NULL ||
        atomic_load_explicit(&cache->uses, memory_order_acquire) != 1)
        return;
    cache->store = NULL;
    larder_orphans_forget(cache);
    larder_segment_close(cache->segment);
}

void larder_cache_leave(larder_cache *cache)
{
    /* acq_rel: the last user frees the cache, and must first see all changes of earlier users */
    if (atomic_fetch_sub_explicit(&cache->uses, 1, memory_order_acq_rel) != 1) {
        cache_settle(cache);
        return;
    }
    larder_orphans_forget(cache);
    if (cache->store != NULL)
        larder_segment_close(cache->segment);
    free(cache);
}

static void cache_free(void *cache) { larder_cache_leave(cache); }

static size_t cache_memsize(const void *cache) { return sizeof(larder_cache); }

/* Without RUBY_TYPED_FREE_IMMEDIATELY, Ruby calls cache_free() after the garbage collection. No
 * value is in use then, so cache_free() may close the store. */
const rb_data_type_t larder_cache_type = {
    .wrap_struct_name = "Larder::Cache",
    .function = {.dfree = cache_free, .dsize = cache_memsize},
    .flags = RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE cache_allocate(VALUE class)
{
    larder_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        rb_raise(rb_eNoMemError, "no memory for a Larder::Cache");
    atomic_init(&cache->uses, 1);
    return TypedData_Wrap_Struct(class, &larder_cache_type, cache);
}

larder_cache *larder_cache_of(VALUE self) { return rb_check_typeddata(self, &larder_cache_type); }

void larder_raise_closed(const larder_cache *cache)
{
    rb_raise(larder_closed_error,
             cache->closed ? "the cache is closed" : "the cache was not opened");
}

/* ---- errors ---- */

static VALUE error_class(int rc)
{
    switch (rc) {
    case LRD_EKEY:
    case LRD_EINVAL:
    case LRD_EPOLICY:
        return rb_eArgError;
    case LRD_ESIZE:
        return larder_too_large_error;
    case LRD_ETYPE:
        return rb_eTypeError;
    case LRD_ERANGE:
        return rb_eRangeError;
    case LRD_ENOMEM:
        return rb_eNoMemError;
    case LRD_ENOROOM:
    case LRD_ENOINDEX:
    case LRD_ENOSPC:
    case LRD_EFILESIZE:
        return larder_full_error;
    case LRD_EBUSY:
    case LRD_ENOSLOT:
    case LRD_ENOLOCKS:
        return larder_busy_error;
    case LRD_EMOVED:
    case LRD_ETRUNCATED:
        return larder_moved_error;
    default:
        return larder_error;
    }
}

void larder_raise(larder_cache *cache, int rc, VALUE key)
{
    char detail[512];
    snprintf(detail, sizeof detail, "%s", lrd_error_detail());
    /* make the text UTF-8, so that a program can append a path or a key */
    VALUE text = rb_enc_sprintf(rb_utf8_encoding(), "%s", lrd_strerror(rc));
    if (detail[0] != '\0')
        rb_str_catf(text, ": %s", detail);
    if (!NIL_P(key))
        rb_str_catf(text, " (key %" PRIsVALUE ")", rb_str_substr(rb_inspect(key), 0, 80));
    rb_exc_raise(rb_exc_new_str(error_class(rc), text));
}

/* ---- opening ---- */

static void cache_take_namespace(larder_cache *cache, VALUE namespace)
{
    if (NIL_P(namespace))
        return;
    StringValue(namespace);
    size_t len = (size_t)RSTRING_LEN(namespace);
    if (len >= sizeof cache->namespace)
        rb_raise(rb_eArgError, "namespace is too long");
    memcpy(cache->namespace, RSTRING_PTR(namespace), len);
    cache->namespace[len] = ':';
    cache->namespace_len = (uint32_t)len + 1;
}

/* To open a store, a process needs a free store number, free addresses and memory. They become free
 * when Ruby collects an unused cache, or 3 seconds after a thread has ended. cache_open() tries
 * OPEN_TRIES times. */
#define OPEN_TRIES 50
#define OPEN_WAIT_MS 100

/* Open a cache. The caller (cache.rb) has checked the arguments. */
static VALUE cache_open(VALUE self, VALUE path, VALUE size, VALUE pinned, VALUE namespace,
                        VALUE ttl_ms, VALUE flags, VALUE form, VALUE abi, VALUE look)
{
    larder_cache *cache = larder_cache_of(self);
    char reason[1280];
    int rc;
    if (cache->store != NULL)
        rb_raise(larder_error, "the cache is open already");
    uint64_t bytes = NIL_P(size) ? 0 : NUM2ULL(size);
    const char *file = NIL_P(path) ? NULL : StringValueCStr(path);
    const char *layout = NIL_P(abi) ? NULL : StringValueCStr(abi);
    cache->ttl_ms = NUM2ULL(ttl_ms);
    cache->flags = NUM2UINT(flags);
    cache->form = larder_form_of(form);
    cache_take_namespace(cache, namespace);
    for (int tries = 0;; tries++) {
        rc = larder_segment_open(file, bytes, RTEST(pinned), layout, RTEST(look), &cache->segment,
                                 &cache->store, &cache->php, reason, sizeof reason);
        if (tries == OPEN_TRIES || (rc != LRD_EINVAL && rc != LRD_EADDR && rc != LRD_ENOMEM))
            break;
        if (tries == 0)
            rb_gc();
        else
            rb_thread_wait_for((struct timeval){.tv_usec = OPEN_WAIT_MS * 1000});
    }
    RB_GC_GUARD(path);
    RB_GC_GUARD(abi);
    if (rc != LRD_OK)
        rb_enc_raise(rb_utf8_encoding(), rc == LRD_EMISMATCH ? larder_mismatch_error : larder_error,
                     "%s%s%s", lrd_strerror(rc), reason[0] != '\0' ? ": " : "", reason);
    if (reason[0] != '\0')
        rb_warn("Larder: %s", reason);
    return self;
}

static VALUE cache_close(VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    cache->shareable = cache->shareable || RB_OBJ_FROZEN(self);
    cache->closed = true;
    cache_settle(cache);
    return Qnil;
}

static VALUE cache_is_closed(VALUE self)
{
    const larder_cache *cache = larder_cache_of(self);
    return cache->closed || cache->store == NULL ? Qtrue : Qfalse;
}

static VALUE cache_initialize_copy(VALUE self, VALUE other)
{
    rb_raise(rb_eTypeError, "can't copy a Larder::Cache; several names may refer to one");
}

static VALUE class_under(const char *name, VALUE super)
{
    VALUE class = rb_define_class_under(larder_module, name, super);
    rb_gc_register_mark_object(class);
    return class;
}

RUBY_FUNC_EXPORTED void Init_larder(void)
{
    rb_ext_ractor_safe(true);
    larder_segments_begin();
    larder_module = rb_define_module("Larder");
    rb_gc_register_mark_object(larder_module);
    larder_error = class_under("Error", rb_eStandardError);
    larder_closed_error = class_under("ClosedError", larder_error);
    larder_full_error = class_under("FullError", larder_error);
    larder_busy_error = class_under("BusyError", larder_error);
    larder_moved_error = class_under("MovedError", larder_error);
    larder_mismatch_error = class_under("MismatchError", larder_error);
    larder_too_large_error = class_under("TooLargeError", rb_eArgError);
    larder_entry_class = rb_const_get(larder_module, rb_intern("Entry"));
    rb_gc_register_mark_object(larder_entry_class);
    larder_view_class = rb_const_get(larder_module, rb_intern("View"));
    rb_gc_register_mark_object(larder_view_class);
    larder_cache_class = class_under("Cache", rb_cObject);
    rb_define_alloc_func(larder_cache_class, cache_allocate);
    rb_define_private_method(larder_cache_class, "open_store", cache_open, 9);
    rb_define_private_method(larder_cache_class, "initialize_copy", cache_initialize_copy, 1);
    rb_define_method(larder_cache_class, "close", cache_close, 0);
    rb_define_method(larder_cache_class, "closed?", cache_is_closed, 0);
    larder_reads_define(larder_cache_class);
    larder_views_define();
    larder_writes_define(larder_cache_class);
    larder_waits_define(larder_cache_class);
    larder_batch_define();
    larder_coordination_define(larder_cache_class);
}
