/* leases.c - leases: they keep values unchanged while Ruby code runs.
 *
 * Only the thread that holds a value can release it, when the block of the lease ends. But another
 * native thread may end the lease:
 * - Ruby 3.3 can move a Ruby thread to another native thread during the block.
 * - If the fiber of the block was abandoned, the collector ends the lease in any thread.
 *
 * The value then becomes an orphan, which the cache records. The thread that holds the value
 * releases it in its next call. */
#include "larder_ruby.h"

static _Atomic uint64_t lease_threads;
static _Thread_local uint64_t lease_thread; /* 0 if the thread has no number yet */

static uint64_t lease_current_thread(void)
{
    if (lease_thread == 0)
        lease_thread = atomic_fetch_add_explicit(&lease_threads, 1, memory_order_relaxed) + 1;
    return lease_thread;
}

static void orphans_push(larder_cache *cache, larder_lease *lease)
{
    lease->next = atomic_load_explicit(&cache->orphans, memory_order_relaxed);
    /* This release pairs with the acquire of the exchange in larder_orphans_release(). */
    while (!atomic_compare_exchange_weak_explicit(&cache->orphans, &lease->next, lease,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

void larder_orphans_release(larder_cache *cache)
{
    uint64_t self = lease_current_thread();
    larder_lease *lease = atomic_exchange_explicit(&cache->orphans, NULL, memory_order_acquire);
    while (lease != NULL) {
        larder_lease *next = lease->next;
        if (lease->thread == self) {
            lrd_release(cache->store, &lease->value);
            free(lease);
        } else {
            orphans_push(cache, lease);
        }
        lease = next;
    }
}

void larder_orphans_forget(larder_cache *cache)
{
    larder_lease *lease = atomic_exchange_explicit(&cache->orphans, NULL, memory_order_acquire);
    while (lease != NULL) {
        larder_lease *next = lease->next;
        free(lease);
        lease = next;
    }
}

/* End a lease. Returns false if the value stays held for now, as an orphan. */
static bool lease_close(larder_lease *lease)
{
    larder_cache *cache = lease->cache;
    if (!lease->open)
        return true;
    lease->open = false;
    bool over = true;
    if (lease->value.kind == LRD_KIND_COPY || lease->thread == lease_current_thread()) {
        if (cache->store != NULL)
            lrd_release(cache->store, &lease->value);
    } else if (lease->value.kind == LRD_KIND_HELD) {
        orphans_push(cache, lease);
        over = false;
    }
    larder_cache_leave(cache);
    return over;
}

static void lease_free(void *lease)
{
    if (lease != NULL && lease_close(lease))
        free(lease);
}

/* Without RUBY_TYPED_FREE_IMMEDIATELY, Ruby calls lease_free() after the garbage collection. So
 * lease_free() may call the core. */
static const rb_data_type_t lease_type = {
    .wrap_struct_name = "Larder::Lease",
    .function = {.dfree = lease_free},
};

VALUE larder_lease_new(larder_cache *cache, larder_lease **out)
{
    VALUE object = TypedData_Wrap_Struct(0, &lease_type, NULL); /* hidden: it has no class */
    larder_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL)
        rb_raise(rb_eNoMemError, "no memory for a lease");
    RTYPEDDATA_DATA(object) = lease;
    lease->cache = cache;
    lease->thread = lease_current_thread();
    lease->open = true;
    larder_cache_use(cache);
    *out = lease;
    return object;
}

void larder_lease_end(VALUE object)
{
    larder_lease *lease = RTYPEDDATA_DATA(object);
    if (lease == NULL)
        return;
    RTYPEDDATA_DATA(object) = NULL;
    if (lease_close(lease))
        free(lease);
}

struct lease_value {
    const larder_cache *cache;
    const larder_block *block;
    larder_symbols *symbols;
};

static VALUE lease_decode(VALUE argument)
{
    const struct lease_value *value = (const struct lease_value *)argument;
    return larder_decode(value->cache, value->block, value->symbols);
}

static VALUE lease_decode_end(VALUE lease)
{
    larder_lease_end(lease);
    return Qnil;
}

VALUE larder_lease_decode(VALUE lease, const larder_cache *cache, const larder_block *block,
                          larder_symbols *symbols)
{
    struct lease_value value = {.cache = cache, .block = block, .symbols = symbols};
    return rb_ensure(lease_decode, (VALUE)&value, lease_decode_end, lease);
}
