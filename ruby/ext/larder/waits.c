/* waits.c - helpers of Cache#fetch. reserve() locks a key, and may wait for it without the GVL. If
 * reservation_wanted? is true, another thread waits for a key of this thread. Then fetch must not
 * wait for another key: the threads could wait for each other. */
#include "larder_ruby.h"

#include <ruby/thread.h>

struct wait_call {
    larder_cache *cache;
    const char *key;
    size_t key_len;
    uint64_t lease_ms, wait_ms, token;
    int rc;
};

/* Lock the key, without the GVL. */
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

/* reserve(key, wait_ms, lease_ms) { } - locks the key, calls the block, and unlocks the key.
 * Returns :done, or does not call the block and returns:
 * - :held if another thread still has the lock after wait_ms (no interrupt ends the wait earlier),
 * - :mine if this thread itself has locked the key,
 * - :none if the key cannot be locked, for example because the store has no room for another
 *   lock. */
static VALUE cache_reserve(VALUE self, VALUE name, VALUE wait_ms, VALUE lease_ms)
{
    larder_cache *cache = larder_cache_of(self);
    larder_key key;
    rb_need_block();
    larder_key_take(cache, name, &key);
    /* Copy the key, because other threads may change the String during the wait. */
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
    /* Use rb_thread_call_without_gvl2(), which does not check for interrupts after the wait. The
     * exception of an interrupt would leave the key locked. */
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

/* reservation_wanted? - returns true if another thread waits for a key that this thread has
 * locked. */
static VALUE cache_is_reservation_wanted(VALUE self)
{
    const larder_cache *cache = larder_cache_of(self);
    return cache->store != NULL && lrd_lock_wanted(cache->store) ? Qtrue : Qfalse;
}

struct noted_call {
    VALUE list, note;
};

static VALUE noted_end(VALUE argument)
{
    const struct noted_call *call = (const struct noted_call *)argument;
    /* Search for the note, because other fibers may have added notes behind it. */
    for (long i = RARRAY_LEN(call->list); i-- > 0;) {
        if (RARRAY_AREF(call->list, i) == call->note) {
            rb_ary_delete_at(call->list, i);
            break;
        }
    }
    return Qnil;
}

/* noted(list, note) { } - adds the note to `list`, runs the block, removes the note, and returns
 * the block's result. This method is in C, because an exception from another thread could end an
 * `ensure` clause in Ruby before the clause removes the note. */
static VALUE cache_noted(VALUE self, VALUE list, VALUE note)
{
    (void)self;
    struct noted_call call = {list, note};
    rb_need_block();
    Check_Type(list, T_ARRAY);
    rb_ary_push(list, note);
    VALUE result = rb_ensure(wait_yield, Qnil, noted_end, (VALUE)&call);
    RB_GC_GUARD(list);
    RB_GC_GUARD(note);
    return result;
}

void larder_waits_define(VALUE class)
{
    rb_define_private_method(class, "noted", cache_noted, 2);
    rb_define_private_method(class, "reserve", cache_reserve, 3);
    rb_define_protected_method(class, "reservation_wanted?", cache_is_reservation_wanted, 0);
}
