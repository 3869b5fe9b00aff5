/* coordination.c - rate limits, Larder::Permit and Larder::Broadcast. Methods that need no C are in
 * ruby/lib/larder/coordination.rb. Begin reading at broadcast_value().
 *
 * - A permit belongs to the native thread that acquires it. The Ruby object of a permit is
 *   allocated before the permit is acquired, so a failed allocation loses no permit.
 * - When a Ruby thread ends, its native thread may live on and run another Ruby thread. So the
 *   permits of a Ruby thread are released when it ends. If an exception or Thread#kill has ended
 *   the Ruby thread, they are released when the next Ruby thread begins on the native thread.
 * - A broadcast has the same format as in PHP: a value in a pinned store, and a counter, called its
 *   word. A publisher takes the word's lock, raises the word to an odd number, stores the value,
 *   and raises the word again. Readers keep a fetched value only if the word was the same even
 *   number before and after the fetch.
 * - A call that waits counts as a user of the cache (larder_cache_use()), so the store stays open
 *   until the call returns. */
#include "larder_ruby.h"

#include "larder_coordination.h"

#include <math.h>
#include <pthread.h>
#include <ruby/debug.h>
#include <ruby/ractor.h>
#include <ruby/thread.h>
#include <string.h>

#define COORDINATION_SECONDS_MAX 1e9
#define BROADCAST_PREFIX LRD_COMMON_RESERVED ":broadcast:"
/* maximum number of attempts to fetch the value while other processes publish */
#define BROADCAST_TRIES 8
#define BROADCAST_LOCK_MS 5000u /* the longest wait (ms) of publish() for other publishers */
#define BROADCAST_STEP_MS 100u  /* the time (ms) between two checks for interrupts in publish() */
#define COORDINATION_NAME_MAX 1024 /* the maximum length of a name with its namespace, in bytes */

static VALUE permit_class, throttle_class, broadcast_class;

/* Return a name with its cache's namespace, as a String that is hidden from Ruby code. */
static VALUE coordination_name(const larder_cache *cache, const char *prefix, size_t prefix_len,
                               VALUE name)
{
    if (RB_SYMBOL_P(name))
        name = rb_sym2str(name);
    if (!RB_TYPE_P(name, T_STRING))
        rb_raise(rb_eTypeError, "name must be a String or a Symbol, not %" PRIsVALUE,
                 rb_obj_class(name));
    long len = RSTRING_LEN(name), max = COORDINATION_NAME_MAX - (long)cache->namespace_len;
    if (len == 0 || len > max)
        rb_raise(rb_eArgError, "name must be 1 to %ld bytes long, not %ld", max, len);
    VALUE own = rb_str_new(prefix, (long)prefix_len);
    rb_str_cat(own, cache->namespace, cache->namespace_len);
    rb_str_cat(own, RSTRING_PTR(name), len);
    RB_GC_GUARD(name);
    return rb_obj_freeze(own);
}

/* ---- rate limits ---- */

/* Convert seconds to nanoseconds. */
static uint64_t throttle_nanoseconds(VALUE seconds, const char *name, bool may_be_zero)
{
    if (!RB_INTEGER_TYPE_P(seconds) && !RB_FLOAT_TYPE_P(seconds)) {
        if (!larder_is_seconds(seconds))
            rb_raise(rb_eTypeError, "%s must be a number of seconds, not %" PRIsVALUE, name,
                     rb_obj_class(seconds));
        seconds = rb_funcall(seconds, rb_intern("to_f"), 0);
    }
    double number = NUM2DBL(seconds);
    if (!isfinite(number) || number < 0 || (number == 0 && !may_be_zero) ||
        number > COORDINATION_SECONDS_MAX)
        rb_raise(rb_eArgError, "%s must be %s 0 and at most %d, not %" PRIsVALUE, name,
                 may_be_zero ? "at least" : "greater than", (int)COORDINATION_SECONDS_MAX,
                 rb_inspect(seconds));
    uint64_t result = (uint64_t)(number * 1e9 + 0.5);
    return result == 0 && number > 0 ? 1 : result;
}

static uint64_t throttle_units(VALUE units, const char *name, uint64_t min, uint64_t max)
{
    uint64_t result;
    if (!RB_INTEGER_TYPE_P(units))
        rb_raise(rb_eTypeError, "%s must be an Integer, not %" PRIsVALUE, name,
                 rb_obj_class(units));
    int sign = rb_integer_pack(units, &result, 1, sizeof result, 0, INTEGER_PACK_NATIVE_BYTE_ORDER);
    if (sign < 0 || sign > 1 || result < min || result > max)
        rb_raise(rb_eArgError, "%s must be in %" PRIu64 "..%" PRIu64 ", not %" PRIsVALUE, name, min,
                 max, units);
    return result;
}

enum {
    THROTTLE_LIMIT,
    THROTTLE_PER,
    THROTTLE_COST,
    THROTTLE_WAIT,
    THROTTLE_SLIDING,
    THROTTLE_KEYWORDS
};
static ID throttle_keywords[THROTTLE_KEYWORDS];

/* Raise an exception if a sliding window does not allow the values of this rate limit. */
static void throttle_window(const lrd_rate *rate)
{
    if (rate->per_ns < LRD_RATE_SLIDING_NS_MIN)
        rb_raise(rb_eArgError, "per must be at least 1 with sliding");
    if (rate->limit > LRD_RATE_SLIDING_MAX)
        rb_raise(rb_eArgError, "limit must be in 1..%u with sliding, not %" PRIu64,
                 LRD_RATE_SLIDING_MAX, rate->limit);
    if (rate->wait_ns != 0)
        rb_raise(rb_eArgError, "wait must be 0 with sliding");
}

/* @overload throttle(key, limit:, per:, cost: 1, wait: 0, sliding: false) */
static VALUE cache_throttle(int argc, VALUE *argv, VALUE self)
{
    larder_cache *cache = larder_cache_of(self);
    VALUE name, options, given[THROTTLE_KEYWORDS];
    larder_key key;
    lrd_rate rate = {.cost = 1};
    lrd_throttled answer;
    rb_scan_args(argc, argv, "1:", &name, &options);
    /* Refuse nil: callers that pass nil by mistake would share one limit. */
    if (NIL_P(name))
        rb_raise(rb_eTypeError, "key must be an object that names what is limited, not nil");
    if (NIL_P(options))
        options = rb_hash_new();
    rb_get_kwargs(options, throttle_keywords, 2, THROTTLE_KEYWORDS - 2, given);
    rate.per_ns = throttle_nanoseconds(given[THROTTLE_PER], "per", false);
    rate.limit = throttle_units(given[THROTTLE_LIMIT], "limit", 1, rate.per_ns);
    if (given[THROTTLE_COST] != Qundef)
        rate.cost = throttle_units(given[THROTTLE_COST], "cost", 0, rate.limit);
    if (given[THROTTLE_WAIT] != Qundef)
        rate.wait_ns = throttle_nanoseconds(given[THROTTLE_WAIT], "wait", true);
    rate.sliding = given[THROTTLE_SLIDING] != Qundef && RTEST(given[THROTTLE_SLIDING]);
    if (rate.sliding)
        throttle_window(&rate);
    larder_key_take(cache, name, &key);
    int rc = lrd_throttle(larder_store(cache), key.ptr, key.len, &rate, &answer);
    LARDER_KEY_GUARD(key);
    if (rc == LRD_ETYPE)
        rb_raise(rb_eTypeError,
                 "the value of key %" PRIsVALUE
                 " is no rate limit with this per and sliding: use another key, or delete it",
                 rb_str_substr(rb_inspect(name), 0, 80));
    larder_check(cache, rc, name);
    return rb_struct_new(throttle_class, answer.allowed ? Qtrue : Qfalse, ULL2NUM(answer.remaining),
                         DBL2NUM((double)answer.retry_ns / 1e9),
                         DBL2NUM((double)answer.reset_ns / 1e9));
}

/* ---- semaphores ---- */

/* A permit has its own copy of the name, because the collector might free a String before
 * permit_free() needs it. */
typedef struct permit {
    larder_cache *cache; /* NULL after the permit was released */
    lrd_permit core;
    VALUE thread;     /* the Ruby thread that has acquired the permit; see permits_mark() */
    pthread_t native; /* the native thread that has acquired the permit */
    /* links of the list `permits`; `link` is NULL while this permit is not in the list */
    struct permit *next, **link;
    uint32_t name_len;
    char name[COORDINATION_NAME_MAX];
} permit;

/* All permits that have owners, in all threads. With permits_mutex locked, call no function of
 * Ruby: a garbage collection frees permits, and locks permits_mutex. */
static pthread_mutex_t permits_mutex = PTHREAD_MUTEX_INITIALIZER;
static permit *permits;
/* Copies of permits that could not be released yet, linked by `next`. Each copy is a user of its
 * cache, and keeps the cache open. */
static permit *permits_left;
static rb_ractor_local_key_t permits_watching; /* the TracePoint of each Ractor */

/* Fork handlers: a child must not inherit a mutex that another Ractor's thread has locked. */
static void permits_fork_prepare(void) { pthread_mutex_lock(&permits_mutex); }

static void permits_fork_end(void) { pthread_mutex_unlock(&permits_mutex); }

static void permit_list(permit *self)
{
    self->native = pthread_self();
    pthread_mutex_lock(&permits_mutex);
    self->next = permits;
    self->link = &permits;
    if (permits != NULL)
        permits->link = &self->next;
    permits = self;
    pthread_mutex_unlock(&permits_mutex);
}

/* Move the permit from `self` to `*out`. Call this with permits_mutex locked. Returns false if the
 * permit has ended. Otherwise the caller must release `*out`, and must not use `self`, because
 * another thread may free it. */
static bool permit_take(permit *self, permit *out)
{
    if (self->cache == NULL)
        return false;
    *out = *self;
    self->cache = NULL;
    if (self->link != NULL) {
        *self->link = self->next;
        if (self->next != NULL)
            self->next->link = self->link;
        self->link = NULL;
    }
    return true;
}

/* Release a permit that permit_take() has taken. Returns false if the permit had ended before. Also
 * returns false if a stopped process has the shard's lock; permits_end_left() tries again later. */
static bool permit_end_taken(const permit *taken)
{
    larder_cache *cache = taken->cache;
    int rc = LRD_MISS;
    if (cache->store != NULL)
        rc = lrd_semaphore_release(cache->store, taken->name, taken->name_len, &taken->core);
    permit *left = rc == LRD_EBUSY ? malloc(sizeof *left) : NULL;
    if (left == NULL) {
        larder_cache_leave(cache);
        return rc == LRD_OK;
    }
    *left = *taken;
    pthread_mutex_lock(&permits_mutex);
    left->next = permits_left;
    permits_left = left;
    pthread_mutex_unlock(&permits_mutex);
    return false;
}

/* Try again to release the permits in permits_left. Otherwise, each of them would stay taken until
 * its native thread ends. */
static void permits_end_left(void)
{
    pthread_mutex_lock(&permits_mutex);
    permit *left = permits_left;
    permits_left = NULL;
    pthread_mutex_unlock(&permits_mutex);
    while (left != NULL) {
        permit *next = left->next;
        permit_end_taken(left);
        free(left);
        left = next;
    }
}

/* Release the permit. Returns false if the permit had ended before. */
static bool permit_end(permit *self)
{
    permit taken;
    pthread_mutex_lock(&permits_mutex);
    bool mine = permit_take(self, &taken);
    pthread_mutex_unlock(&permits_mutex);
    return mine && permit_end_taken(&taken);
}

static void permit_free(void *self)
{
    permit_end(self);
    free(self);
}

static size_t permit_memsize(const void *self)
{
    (void)self;
    return sizeof(permit);
}

/* Without RUBY_TYPED_FREE_IMMEDIATELY, Ruby calls permit_free() after the garbage collection. So
 * permit_free() may call the core. */
static const rb_data_type_t permit_type = {
    .wrap_struct_name = "Larder::Permit",
    .function = {.dfree = permit_free, .dsize = permit_memsize},
};

/* Mark the Ruby threads of all permits in the list, so that the collector neither frees nor moves
 * them. A mark function of each permit would not suffice: a garbage permit is in the list until
 * permit_free(), but Ruby does not mark it. */
static void permits_mark(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&permits_mutex);
    for (const permit *listed = permits; listed != NULL; listed = listed->next)
        rb_gc_mark(listed->thread);
    pthread_mutex_unlock(&permits_mutex);
}

/* The type of a hidden object that is never freed. It has no write barriers, so every garbage
 * collection, even a minor one, calls permits_mark(). */
static const rb_data_type_t permits_type = {
    .wrap_struct_name = "Larder::Permits",
    .function = {.dmark = permits_mark, .dfree = RUBY_NEVER_FREE},
};

/* Return a Ruby thread other than `current` that has acquired a permit on this native thread, or 0
 * if there is none. The caller must keep the result on its stack, so that the object is not
 * collected. */
static VALUE permits_find_earlier(VALUE current)
{
    pthread_mutex_lock(&permits_mutex);
    const permit *found = permits;
    while (found != NULL &&
           (found->thread == current || !pthread_equal(found->native, pthread_self())))
        found = found->next;
    VALUE thread = found != NULL ? found->thread : 0;
    pthread_mutex_unlock(&permits_mutex);
    return thread;
}

/* Take a permit of `thread` from the list. Returns false if the list has none. */
static bool permits_take_of(VALUE thread, permit *out)
{
    pthread_mutex_lock(&permits_mutex);
    permit *found = permits;
    while (found != NULL && found->thread != thread)
        found = found->next;
    bool taken = found != NULL && permit_take(found, out);
    pthread_mutex_unlock(&permits_mutex);
    return taken;
}

static void permits_end_of(VALUE thread)
{
    permit taken;
    while (permits_take_of(thread, &taken))
        permit_end_taken(&taken);
}

/* Ruby calls permits_thread() when a Ruby thread begins or ends. When a thread ends, release its
 * permits. Ruby reports no end if an exception or Thread#kill has ended the thread. So when a
 * thread begins, release the permits of dead threads that ran on this native thread. */
static void permits_thread(VALUE event, void *unused)
{
    VALUE current = rb_thread_current();
    VALUE thread;
    (void)unused;
    if (rb_tracearg_event_flag(rb_tracearg_from_tracepoint(event)) == RUBY_EVENT_THREAD_END) {
        permits_end_of(current);
        return;
    }
    while ((thread = permits_find_earlier(current)) != 0) {
        if (RTEST(rb_funcall(thread, rb_intern("alive?"), 0)))
            return; /* alive: Ruby has moved it to another native thread */
        permits_end_of(thread);
        RB_GC_GUARD(thread);
    }
}

/* Make Ruby call permits_thread() whenever a thread of this Ractor begins or ends. */
static void permits_watch(void)
{
    if (!NIL_P(rb_ractor_local_storage_value(permits_watching)))
        return;
    VALUE watching =
        rb_tracepoint_new(0, RUBY_EVENT_THREAD_BEGIN | RUBY_EVENT_THREAD_END, permits_thread, NULL);
    rb_tracepoint_enable(watching);
    rb_ractor_local_storage_value_set(permits_watching, watching);
}

static permit *permit_of(VALUE self) { return rb_check_typeddata(self, &permit_type); }

/* renew_lease(ms) - gives the permit a new lease. Returns false if the permit has ended. */
static VALUE permit_renew_lease(VALUE self, VALUE lease_ms)
{
    const permit *own = permit_of(self);
    uint64_t ms = NUM2ULL(lease_ms);
    /* Read own->cache under the lock of the list of permits. If the thread that acquired the permit
     * has ended, another Ractor may be ending the permit now. */
    pthread_mutex_lock(&permits_mutex);
    larder_cache *cache = own->cache;
    if (cache != NULL)
        larder_cache_use(cache);
    pthread_mutex_unlock(&permits_mutex);
    if (cache == NULL)
        return Qfalse;
    int rc = LRD_MISS;
    if (cache->store != NULL)
        rc = lrd_semaphore_renew(cache->store, own->name, own->name_len, &own->core, ms);
    larder_cache_leave(cache);
    return larder_check(NULL, rc, Qnil) == LRD_OK ? Qtrue : Qfalse;
}

static VALUE permit_release(VALUE self)
{
    permits_end_left();
    return permit_end(permit_of(self)) ? Qtrue : Qfalse;
}

static VALUE permit_ensure(VALUE self)
{
    permit_end(permit_of(self));
    return Qnil;
}

static VALUE permit_check_interrupts(VALUE unused)
{
    (void)unused;
    rb_thread_check_ints();
    return Qnil;
}

/* Return a new permit. If another thread has sent an exception meanwhile, release the permit and
 * raise the exception, because the caller would never see the permit. */
static VALUE permit_hand_over(VALUE self)
{
    int state = 0;
    rb_protect(permit_check_interrupts, Qnil, &state);
    if (state != 0) {
        permit_end(permit_of(self));
        rb_jump_tag(state);
    }
    return self;
}

struct permit_call {
    permit *permit;
    lrd_store *store;
    uint32_t permits;
    uint64_t lease_ms, wait_ms;
    int rc;
};

static void *permit_acquire(void *argument)
{
    struct permit_call *call = argument;
    permit *self = call->permit;
    call->rc = lrd_semaphore_acquire(call->store, self->name, self->name_len, call->permits,
                                     call->lease_ms, call->wait_ms, &self->core);
    return NULL;
}

/* acquire_permit(name, permits, lease_ms, wait_ms) - returns a Permit; false if none became free,
 * or an interrupt has ended the wait; nil if this thread itself has all permits. With a block,
 * yields the permit, releases it when the block ends, and returns the block's result. No Ruby code
 * runs between the acquisition and rb_ensure(), because an exception from another thread, such as
 * Timeout's, would leave the permit to the garbage collector. */
static VALUE cache_acquire_permit(VALUE self, VALUE name, VALUE permits, VALUE lease_ms,
                                  VALUE wait_ms)
{
    larder_cache *cache = larder_cache_of(self);
    permit *made = calloc(1, sizeof *made);
    if (made == NULL)
        rb_raise(rb_eNoMemError, "no memory for a permit");
    VALUE object = TypedData_Wrap_Struct(permit_class, &permit_type, made);
    VALUE own = coordination_name(cache, "", 0, name);
    made->thread = rb_thread_current();
    permits_watch();
    struct permit_call call = {.permit = made,
                               .permits = NUM2UINT(permits),
                               .lease_ms = NUM2ULL(lease_ms),
                               .wait_ms = NUM2ULL(wait_ms),
                               .rc = LRD_HELD};
    made->name_len = (uint32_t)RSTRING_LEN(own);
    memcpy(made->name, RSTRING_PTR(own), made->name_len);
    call.store = larder_store(cache);
    permits_end_left();
    larder_cache_use(cache);
    /* Use rb_thread_call_without_gvl2(), which does not check for interrupts after the wait. The
     * exception of an interrupt would lose the permit. A signal just before the wait does not end
     * the wait, so wait_ms must be short. */
    if (call.wait_ms == 0)
        permit_acquire(&call);
    else
        rb_thread_call_without_gvl2(permit_acquire, &call, RUBY_UBF_IO, NULL);
    if (call.rc == LRD_OK) {
        made->cache = cache; /* this native thread owns the permit now */
        permit_list(made);
        if (rb_block_given_p())
            return rb_ensure(rb_yield, object, permit_ensure, object);
        return permit_hand_over(object);
    }
    larder_cache_leave(cache);
    RB_GC_GUARD(object);
    if (call.rc == LRD_HELD || call.rc == LRD_INTR || call.rc == LRD_EBUSY)
        return Qfalse;
    if (call.rc != LRD_EDEADLK)
        larder_raise(cache, call.rc, Qnil);
    return Qnil;
}

/* permits_held(name, permits) - returns the number of permits that have owners. */
static VALUE cache_permits_held(VALUE self, VALUE name, VALUE permits)
{
    larder_cache *cache = larder_cache_of(self);
    uint32_t count = 0;
    VALUE own = coordination_name(cache, "", 0, name);
    int rc = lrd_semaphore_count(larder_store(cache), RSTRING_PTR(own), (size_t)RSTRING_LEN(own),
                                 NUM2UINT(permits), &count);
    RB_GC_GUARD(own);
    larder_check(cache, rc, Qnil);
    return UINT2NUM(count);
}

/* ---- broadcasts ---- */

typedef struct broadcast {
    VALUE cache, key, word_key;
    VALUE value; /* the last fetched value */
    /* the store in which `watch` is open, or NULL (see broadcast_word()) */
    lrd_store *store;
    lrd_watch watch;
    /* the version number of `value`, or -1 if unknown */
    int64_t seen;
} broadcast;

static void broadcast_mark(void *data)
{
    const broadcast *self = data;
    rb_gc_mark(self->cache);
    rb_gc_mark(self->key);
    rb_gc_mark(self->word_key);
    rb_gc_mark(self->value);
}

static size_t broadcast_memsize(const void *self)
{
    (void)self;
    return sizeof(broadcast);
}

static const rb_data_type_t broadcast_type = {
    .wrap_struct_name = "Larder::Broadcast",
    .function = {.dmark = broadcast_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = broadcast_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static broadcast *broadcast_of(VALUE self) { return rb_check_typeddata(self, &broadcast_type); }

/* Return the broadcast's word: the counter in the store that is the version of its value. Raises if
 * the cache is closed, or has no room for the counter. */
static int64_t broadcast_word(broadcast *self)
{
    larder_cache *cache = larder_cache_of(self->cache);
    lrd_store *store = larder_store(cache);
    int64_t word;
    if (RB_LIKELY(self->store == store) && RB_LIKELY(lrd_watch_read(&self->watch, &word)))
        return word;
    self->store = NULL;
    self->seen = -1;
    do
        larder_check(cache,
                     lrd_watch_open(store, RSTRING_PTR(self->word_key),
                                    (size_t)RSTRING_LEN(self->word_key), &self->watch),
                     Qnil);
    while (!lrd_watch_read(&self->watch, &word));
    self->store = store;
    return word;
}

/* Fetch the value from the store. May run Ruby code that uses this broadcast. */
static __attribute__((noinline)) VALUE broadcast_fetch(VALUE object, broadcast *self)
{
    VALUE value = Qnil;
    for (int tries = 0; tries < BROADCAST_TRIES; tries++) {
        larder_cache *cache = larder_cache_of(self->cache);
        lrd_value borrowed;
        int rc;
        int64_t before = broadcast_word(self);
        lrd_store *store = larder_store(cache);
        value = larder_fetch(cache, store, RSTRING_PTR(self->key), (size_t)RSTRING_LEN(self->key),
                             &borrowed, NULL, &rc);
        if (borrowed.kind == LRD_KIND_BORROWED)
            lrd_release(store, &borrowed);
        value = rb_ractor_make_shareable(value);
        if (broadcast_word(self) != before)
            continue;
        if (before % 2 == 0) {
            RB_OBJ_WRITE(object, &self->value, value);
            self->seen = before;
        }
        break;
    }
    return value;
}

static VALUE broadcast_value(VALUE object)
{
    broadcast *self = broadcast_of(object);
    if (RB_LIKELY(broadcast_word(self) == self->seen))
        return self->value;
    return broadcast_fetch(object, self);
}

static VALUE broadcast_version(VALUE object)
{
    return LL2NUM(broadcast_word(broadcast_of(object)) / 2);
}

struct publish_call {
    lrd_store *store;
    const char *key, *word_key, *bytes;
    size_t key_len, word_key_len, len;
    uint8_t type;
    int64_t word;
    bool locked;
    int rc;
};

static uint64_t publish_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Raise the broadcast's word (its counter) to the next odd number, or to the next even number if
 * `odd` is false. */
static int publish_raise(struct publish_call *call, bool odd)
{
    int rc;
    do
        rc = lrd_watch_raise(call->store, call->word_key, call->word_key_len, true, &call->word);
    while (rc == LRD_OK && (call->word % 2 != 0) != odd);
    return rc;
}

static void *publish_run(void *argument)
{
    struct publish_call *call = argument;
    uint64_t token;
    call->rc =
        lrd_lock(call->store, call->word_key, call->word_key_len, 0, BROADCAST_STEP_MS, &token);
    if (call->rc != LRD_OK)
        return NULL;
    call->locked = true;
    call->rc = publish_raise(call, true);
    if (call->rc == LRD_OK)
        call->rc = lrd_put(call->store, call->key, call->key_len, call->bytes, call->len,
                           &(lrd_write){.type = call->type});
    int end = publish_raise(call, false);
    lrd_unlock(call->store, call->word_key, call->word_key_len, token);
    if (call->rc == LRD_OK)
        call->rc = end;
    return NULL;
}

static VALUE broadcast_publish(VALUE object, VALUE value)
{
    broadcast *self = broadcast_of(object);
    larder_encoded encoded;
    larder_encode(value, 0, &encoded);
    /* Copy the bytes, because other threads may change the value during the wait. */
    VALUE bytes = rb_str_new(encoded.ptr, (long)encoded.len);
    RB_GC_GUARD(encoded.keep);
    larder_cache *cache = larder_cache_of(self->cache);
    struct publish_call call = {.key = RSTRING_PTR(self->key),
                                .key_len = (size_t)RSTRING_LEN(self->key),
                                .word_key = RSTRING_PTR(self->word_key),
                                .word_key_len = (size_t)RSTRING_LEN(self->word_key),
                                .bytes = RSTRING_PTR(bytes),
                                .len = encoded.len,
                                .type = encoded.type,
                                .rc = LRD_INTR};
    uint64_t until = publish_clock_ms() + BROADCAST_LOCK_MS;
    for (;;) {
        call.store = larder_store(cache);
        call.rc = LRD_INTR; /* the result if an interrupt prevents publish_run() */
        larder_cache_use(cache);
        rb_thread_call_without_gvl2(publish_run, &call, NULL, NULL);
        larder_cache_leave(cache);
        bool again = call.rc == LRD_INTR || (!call.locked && publish_clock_ms() < until &&
                                             (call.rc == LRD_HELD || call.rc == LRD_EBUSY));
        if (!again)
            break;
        rb_thread_check_ints();
    }
    RB_GC_GUARD(bytes);
    RB_GC_GUARD(object);
    if (call.rc == LRD_HELD || call.rc == LRD_EDEADLK)
        rb_raise(larder_busy_error, "other publishers have the broadcast for %u seconds",
                 BROADCAST_LOCK_MS / 1000);
    larder_check(cache, call.rc, Qnil);
    return LL2NUM(call.word / 2);
}

struct wait_word {
    lrd_watch watch;
    int64_t known, word;
    uint64_t wait_ms;
};

static void *wait_word_run(void *argument)
{
    struct wait_word *call = argument;
    lrd_watch_wait(&call->watch, call->known, call->wait_ms, &call->word);
    return NULL;
}

/* wait_version(version, ms) - sleeps until the version differs from `version`, or an interrupt
 * arrives. Returns true if the two versions differ. */
static VALUE broadcast_wait_version(VALUE object, VALUE version, VALUE ms)
{
    broadcast *self = broadcast_of(object);
    int64_t known = NUM2LL(version);
    struct wait_word call = {.wait_ms = NUM2ULL(ms)};
    larder_cache *cache = larder_cache_of(self->cache);
    call.known = broadcast_word(self);
    call.watch = self->watch;
    if (call.known / 2 == known && call.wait_ms != 0) {
        larder_cache_use(cache);
        rb_thread_call_without_gvl2(wait_word_run, &call, RUBY_UBF_IO, NULL);
        larder_cache_leave(cache);
    }
    RB_GC_GUARD(object);
    return broadcast_word(self) / 2 != known ? Qtrue : Qfalse;
}

/* open_broadcast(name) */
static VALUE cache_open_broadcast(VALUE cache_object, VALUE name)
{
    const larder_cache *cache = larder_cache_of(cache_object);
    broadcast *self;
    VALUE object = TypedData_Make_Struct(broadcast_class, broadcast, &broadcast_type, self);
    self->seen = -1;
    self->value = Qnil;
    self->key = self->word_key = Qnil;
    RB_OBJ_WRITE(object, &self->cache, cache_object);
    VALUE key = coordination_name(cache, BROADCAST_PREFIX "=", sizeof BROADCAST_PREFIX, name);
    RB_OBJ_WRITE(object, &self->key, key);
    key = coordination_name(cache, BROADCAST_PREFIX "#", sizeof BROADCAST_PREFIX, name);
    RB_OBJ_WRITE(object, &self->word_key, key);
    broadcast_word(self);
    return object;
}

static VALUE coordination_class(const char *name)
{
    VALUE class = rb_const_get(larder_module, rb_intern(name));
    rb_gc_register_mark_object(class);
    return class;
}

void larder_coordination_define(VALUE cache)
{
    static const char *const keywords[THROTTLE_KEYWORDS] = {"limit", "per", "cost", "wait",
                                                            "sliding"};
    for (int i = 0; i < THROTTLE_KEYWORDS; i++)
        throttle_keywords[i] = rb_intern(keywords[i]);
    throttle_class = coordination_class("Throttle");
    permit_class = coordination_class("Permit");
    permits_watching = rb_ractor_local_storage_value_newkey();
    rb_gc_register_mark_object(TypedData_Wrap_Struct(0, &permits_type, &permits)); /* hidden */
    pthread_atfork(permits_fork_prepare, permits_fork_end, permits_fork_end);
    broadcast_class = coordination_class("Broadcast");
    rb_undef_alloc_func(permit_class);
    rb_undef_alloc_func(broadcast_class);
    rb_define_method(cache, "throttle", cache_throttle, -1);
    rb_define_private_method(cache, "acquire_permit", cache_acquire_permit, 4);
    rb_define_private_method(cache, "permits_held", cache_permits_held, 2);
    rb_define_private_method(cache, "open_broadcast", cache_open_broadcast, 1);
    rb_define_method(permit_class, "release", permit_release, 0);
    rb_define_private_method(permit_class, "renew_lease", permit_renew_lease, 1);
    rb_define_method(broadcast_class, "value", broadcast_value, 0);
    rb_define_method(broadcast_class, "version", broadcast_version, 0);
    rb_define_method(broadcast_class, "publish", broadcast_publish, 1);
    rb_define_private_method(broadcast_class, "wait_version", broadcast_wait_version, 2);
}
