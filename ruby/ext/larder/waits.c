/* waits.c - the reservation of a key, for fetch: the one call that waits, without the GVL. */
#include "larder_ruby.h"

#include <ruby/thread.h>

struct wait_call {
    larder_cache *cache;
    const char *key;
    size_t key_len;
    uint64_t lease_ms, wait_ms, token;
    int rc;
};

/* Without the GVL. */
static void *wait_lock(void *argument)
{
    struct wait_call *call = argument;
    call->rc = lrd_lock(call->cache->store, call->key, call->key_len, call->lease_ms, call->wait_ms,
                        &call->token);
    return NULL;
}

static VALUE wait_yield(VALUE unused) { return rb_yield_values(0); }

static VALUE wait_unlock(VALUE argument)
{
    struct wait_call *call = (struct wait_call *)argument;
    if (call->cache->store != NULL)
        lrd_unlock(call->cache->store, call->key, call->key_len, call->token);
    larder_cache_leave(call->cache);
    return Qnil;
}

/* reserve(key, wait_ms, lease_ms) { } - yields while this thread has the key's reservation, and returns :done; waits
 * up to wait_ms for it, deaf to interrupts, then returns :held. :mine when this thread has it already, :none when there
 * are too many. */
static VALUE cache_reserve(VALUE self, VALUE name, VALUE wait_ms, VALUE lease_ms)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    rb_need_block();
    larder_key_take(cache, name, &key);
    /* Other threads may change the key's String meanwhile. */
    VALUE own = rb_str_new(key.ptr, (long)key.len);
    LARDER_KEY_GUARD(key);
    struct wait_call call = {
        .cache = cache,
        .key = RSTRING_PTR(own),
        .key_len = key.len,
        .lease_ms = NUM2ULL(lease_ms),
        .wait_ms = NUM2ULL(wait_ms),
        .rc = LRD_HELD,
    };
    larder_store(cache);
    larder_cache_use(cache);
    /* The second form does not look for interrupts afterwards: the reservation would be lost. */
    if (call.wait_ms == 0)
        wait_lock(&call);
    else
        rb_thread_call_without_gvl2(wait_lock, &call, NULL, NULL);
    if (call.rc == LRD_OK) {
        rb_ensure(wait_yield, Qnil, wait_unlock, (VALUE)&call);
        RB_GC_GUARD(own);
        return ID2SYM(rb_intern("done"));
    }
    larder_cache_leave(cache);
    if (call.rc == LRD_HELD)
        return ID2SYM(rb_intern("held"));
    if (call.rc == LRD_EDEADLK)
        return ID2SYM(rb_intern("mine"));
    if (call.rc == LRD_ENOLOCKS || call.rc == LRD_EBUSY || call.rc == LRD_ENOSLOT ||
        call.rc == LRD_EMOVED || call.rc == LRD_ETRUNCATED)
        return ID2SYM(rb_intern("none"));
    larder_raise(cache, call.rc, name);
}

void larder_waits_define(VALUE class)
{
    rb_define_private_method(class, "reserve", cache_reserve, 3);
}
