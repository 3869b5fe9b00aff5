/* larder_ruby.h - shared by the files of the extension. Read larder.c first.
 *
 * Rules for every call of the core
 * - No Ruby code runs, and nothing raises, between the call's begin and end, or while a
 *   reservation is open: values are encoded before the call, stored by lrd_put() alone, and
 *   decoded after the call.
 * - While a value is borrowed, only Ruby's constructors of Strings, Symbols, numbers and Arrays
 *   are called. They run no Ruby code, switch no thread and check for no interrupt, so no
 *   close() or read can come in between. An exception for lack of memory leaks nothing, because
 *   a borrowed value needs no release. It lasts until this thread's next call of the core for
 *   this store. Objects that the collector frees meanwhile are given back later (larder_lease).
 * - All other constructors may run Ruby code: rb_hash_aset() calls eql? of keys, which a program
 *   can redefine and a TracePoint can see; the lookup of an encoding may require a file; Marshal
 *   calls hooks. So larder_decodes_plainly() tells which values are decoded while they are
 *   borrowed. The others are copied first, or held by a lease, and the store may be closed
 *   afterwards.
 * - A lease ends with its block. If the block never ends (an abandoned fiber), the lease ends some
 *   time after the collector has found it. */
#ifndef LARDER_RUBY_H
#define LARDER_RUBY_H

#include <ruby.h>
#include <ruby/encoding.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "larder_admin.h"
#include "larder_queue.h"
#include "larder_common.h"

/* The types of PHP's own layouts, in stores that PHP has made; php_layout.c reads the first two.
 * All other layouts are those of larder_common.h, and an Integer of 64 bits is a counter of the
 * core. */
typedef enum larder_php_type {
    LARDER_PHP_ARRAY = 1,
    LARDER_PHP_STRING,
    LARDER_PHP_SERIALIZED,
    LARDER_PHP_OBJECTS
} larder_php_type;

struct larder_orphan;
typedef struct larder_segment larder_segment;

/* The form in which a value is stored. */
typedef enum larder_form {
    LARDER_FORM_AUTO, /* packed while entries are evicted */
    LARDER_FORM_READY,
    LARDER_FORM_PACKED
} larder_form;

typedef struct larder_cache {
    lrd_store *store; /* the open store; NULL: not opened, or closed and detached */
    larder_segment *segment;
    uint64_t ttl_ms;  /* default time to live of set() and fetch(); 0: no limit */
    uint32_t flags;   /* default of set() */
    larder_form form; /* default of set() */
    bool php;         /* PHP has made the segment, so keys are bytes */
    bool closed;      /* close() was called, so no call may begin */
    /* it was frozen when it was closed, so other Ractors may be in a call */
    bool shareable;
    /* number of users: the object, leases, waiting calls; the last one closes the store */
    _Atomic uint32_t uses;
    struct larder_orphan *_Atomic orphans; /* list of holds whose blocks never ended */
    uint32_t namespace_len;
    char namespace[256]; /* the namespace with its colon; cache.rb limits its length */
} larder_cache;

/* leases.c: release the holds of this thread whose blocks never ended / forget all of them. */
void larder_orphans_release(larder_cache *cache);
void larder_orphans_forget(larder_cache *cache);

extern VALUE larder_module, larder_error, larder_closed_error, larder_full_error, larder_busy_error,
    larder_moved_error, larder_mismatch_error, larder_too_large_error, larder_entry_class,
    larder_view_class, larder_cache_class;
extern const rb_data_type_t larder_cache_type;

/* Return the cache of a Ruby object; raises if its store was closed. Ruby code can close a store,
 * so call this again after Ruby code has run. */
larder_cache *larder_cache_of(VALUE self);
NORETURN(void larder_raise_closed(const larder_cache *cache));
static inline lrd_store *larder_store(larder_cache *cache)
{
    if (RB_UNLIKELY(cache->closed || cache->store == NULL))
        larder_raise_closed(cache);
    if (RB_UNLIKELY(atomic_load_explicit(&cache->orphans, memory_order_relaxed) != NULL))
        larder_orphans_release(cache);
    return cache->store;
}
/* Count one more user, which keeps the store open; larder_cache_leave() counts one less. */
void larder_cache_use(larder_cache *cache);
void larder_cache_leave(larder_cache *cache);
/* Raise the exception for a failure of the core. key: the key of the call; Qnil: none. */
NORETURN(void larder_raise(larder_cache *cache, int rc, VALUE key));
/* Return rc, or raise if it is negative. */
static inline int larder_check(larder_cache *cache, int rc, VALUE key)
{
    if (RB_UNLIKELY(rc < 0))
        larder_raise(cache, rc, key);
    return rc;
}

/* segments.c: open a store, or join one that this process has open. If that fails, reason may
 * say more than the code. abi: for a new store; NULL: Ruby's. *php: set if PHP has made the
 * store. */
int larder_segment_open(const char *path, uint64_t size, bool pinned, const char *abi,
                        larder_segment **out, lrd_store **store, bool *php, char *reason,
                        size_t reason_size);
void larder_segment_close(larder_segment *segment);

/* keys.c: a key. Its bytes at `ptr` are valid until the frame of the larder_key ends. */
typedef struct larder_key {
    const char *ptr;
    size_t len;
    VALUE string; /* the object that owns the bytes */
    char buffer[256];
} larder_key;
void larder_key_take(const larder_cache *cache, VALUE key, larder_key *out);
/* Return true if a stored key, without a namespace, belongs to the extensions themselves. */
bool larder_key_reserved(const char *ptr, size_t len);
/* Take the key from bytes that larder_key_object() returned. */
void larder_key_take_stored(const larder_cache *cache, VALUE text, larder_key *out);
/* Return true if taking the key runs Ruby code. */
bool larder_key_runs(const larder_cache *cache, VALUE key);
/* Return the object for a stored key without its namespace. *loads: true: it is Marshal's text
 * and must be loaded; false: it is a String; nil: it is a key of another namespace, and not a
 * String there. */
VALUE larder_key_object(const larder_cache *cache, const char *ptr, size_t len, VALUE *loads);
#define LARDER_KEY_GUARD(key) RB_GC_GUARD((key).string)

/* codec.c: encoding may run Ruby code, and happens before the core is called. */
typedef struct larder_encoded {
    const void *ptr;
    size_t len;
    uint8_t type;
    VALUE keep; /* the object that owns the bytes */
    union {
        char buffer[512];
        int64_t number;
        double real;
    } own;
} larder_encoded;
void larder_encode(VALUE value, uint32_t flags, larder_encoded *out);
/* Encode the value, then take the key. The encoded bytes do not change, even if making the key
 * changes the value. */
void larder_encode_with_key(const larder_cache *cache, VALUE value, uint32_t flags,
                            larder_encoded *out, VALUE name, larder_key *key);
/* Return an unchanging copy of a typed value, without Marshal: a frozen String, another Array or
 * Hash. Qundef: the value is none of these. Runs no Ruby code. */
VALUE larder_own(VALUE value);
/* The last Symbols that were read, so that a reader of many values with equal Symbols finds them
 * fast. It lies on the stack, where the collector sees the Symbols. Zeroed at first. */
#define LARDER_SYMBOLS 16u
#define LARDER_SYMBOL_MAX 23u /* bytes */
typedef struct larder_symbols {
    struct {
        VALUE symbol; /* 0: none */
        uint8_t len;
        char bytes[LARDER_SYMBOL_MAX];
    } cells[LARDER_SYMBOLS];
} larder_symbols;
/* The bytes of a value. */
typedef struct larder_block {
    uint8_t type;
    const char *data;
    size_t size;
    /* the place of the bytes in the store, for the pointers in them; equal to data, unless they are
     * a copy */
    const char *origin;
} larder_block;
/* Return true if larder_decode() runs no Ruby code for values of this type, so that they may be
 * borrowed. */
bool larder_decodes_plainly(uint8_t type);
/* Decode a value. symbols: NULL, or the symbols of earlier values. Makes no call of the core.
 * Returns Qundef if the value cannot be read here. */
VALUE larder_decode(const larder_cache *cache, const larder_block *block, larder_symbols *symbols);
/* Take the flags off. */
uint32_t larder_unwrap(uint8_t *type, const char **data, size_t *size);

/* Return a String of PHP, which has no encoding, as UTF-8 if it is valid UTF-8. */
VALUE larder_php_bytes(const char *data, size_t size);

/* php_layout.c: decode a String in PHP's own layout, in a store that PHP has made. */
VALUE larder_php_string(const larder_cache *cache, const char *data, size_t size);
/* Find the bytes of such a string, and their number. Returns false if the value is no string. */
bool larder_php_string_bytes(const larder_cache *cache, const char **data, size_t *size);
VALUE larder_php_array(const larder_cache *cache, const larder_block *block);
/* Decode the packed form of a string or an array; the bytes may be a copy. */
VALUE larder_php_packed(const larder_cache *cache, const larder_block *block);

/* forms.c: do lrd_put() in the form that the value should have. how->type is not used. */
int larder_form_put(const larder_cache *cache, lrd_store *store, const lrd_key *key,
                    const larder_block *value, larder_form form, const lrd_write *how);
/* Take a form from a Symbol, or raise. */
larder_form larder_form_of(VALUE form);
/* Unpack a packed value into *block. *copy owns the bytes, unless the type is one of PHP's own:
 * then *block stays packed, and *copy is Qnil. *stays: it was stored packed on request. Returns
 * false if it is damaged; the type of *block is 0 then. Makes no call of the core. */
bool larder_form_open(const lrd_value *value, larder_block *block, VALUE *copy, bool *stays);
/* After a get of a packed value: count it, and make the value ready if it is read often. *block has
 * its bytes. It may release the value. */
void larder_form_read(const larder_cache *cache, lrd_store *store, lrd_value *value,
                      const larder_block *block, bool stays);

/* leases.c: make a lease before the get of its value. It ends with larder_lease_end(). */
typedef struct larder_orphan {
    struct larder_orphan *next;
    larder_cache *cache;
    lrd_value value;
    uint64_t thread; /* the thread that owns the hold */
    bool open;
} larder_lease;
VALUE larder_lease_new(larder_cache *cache, larder_lease **out);
void larder_lease_end(VALUE lease);
/* Decode a value under the lease, and end the lease. */
VALUE larder_lease_decode(VALUE lease, const larder_cache *cache, const larder_block *block,
                          larder_symbols *symbols);

/* reads.c: return the value of a key; Qnil and *rc LRD_MISS if there is none that can be read.
 * Raises for failures, and when loading the value raises. Release *borrowed at some time; the next
 * call may overwrite it. */
VALUE larder_fetch(larder_cache *cache, lrd_store *store, const char *key, size_t key_len,
                   lrd_value *borrowed, larder_symbols *symbols, int *rc);

/* views.c: yield a view of bytes that the lease keeps, or, unless Qnil, a String, and end the
 * lease. */
VALUE larder_view_yield(VALUE lease, VALUE string, const char *data, size_t size);

/* Define the methods of reads.c, views.c, writes.c, waits.c, batch.c, coordination.c. */
void larder_views_define(void);
void larder_batch_define(void);
void larder_reads_define(VALUE cache_class);
void larder_writes_define(VALUE cache_class);
void larder_waits_define(VALUE cache_class);
void larder_coordination_define(VALUE cache_class);
/* Return the result of Cache#seconds? for an object. */
bool larder_is_seconds(VALUE object);
/* Convert a time to live in seconds from a Ruby number; name: the argument's name. nil: 0. */
uint64_t larder_milliseconds(VALUE seconds, const char *name);

#endif
