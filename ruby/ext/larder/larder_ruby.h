/* larder_ruby.h - shared by the files of the extension. Read larder.c first.
 *
 * Rules for every call of the core
 * - No Ruby code runs, and no exception is raised, inside a call or while a reservation is open. So
 *   values are encoded before the call, stored by lrd_put() alone, and decoded after the call.
 * - A borrowed value is valid until this thread's next call of the core for this store, and needs
 *   no release. While a value is borrowed, only Ruby's constructors of Strings, Symbols, numbers
 *   and Arrays are called. They run no Ruby code, switch no thread and check for no interrupt. A
 *   constructor may start a garbage collection, which may free objects that hold values. These
 *   values are released later (larder_lease).
 * - All other constructors may run Ruby code: eql? of keys in a Hash, a file that defines an
 *   encoding, hooks of Marshal. So only values for which larder_decodes_plainly() is true are
 *   decoded while they are borrowed. All other values are first copied, or kept by a lease.
 * - A lease keeps a value unchanged while a block runs. If the block never ends (in an abandoned
 *   fiber), the lease ends some time after the collector has found it. */
#ifndef LARDER_RUBY_H
#define LARDER_RUBY_H

#include <ruby.h>
#include <ruby/encoding.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "larder_admin.h"
#include "larder_queue.h"
#include "larder_common.h"

/* The types of values in PHP's own layouts, which occur only in stores that PHP has made.
 * php_layout.c reads LARDER_PHP_ARRAY and LARDER_PHP_STRING. Values of all other types have the
 * layouts of larder_common.h. */
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
    LARDER_FORM_AUTO, /* packed (compressed) if memory is short; see lrd_pressed() */
    LARDER_FORM_READY,
    LARDER_FORM_PACKED
} larder_form;

typedef struct larder_cache {
    lrd_store *store; /* NULL if the store was not opened yet, or was closed and detached */
    larder_segment *segment;
    uint64_t ttl_ms;  /* default time to live of set() and fetch(); 0 means no limit */
    uint32_t flags;   /* default of set() */
    larder_form form; /* default of set() */
    /* true if PHP has made the store; its keys are plain bytes, never Marshal data */
    bool php;
    bool closed; /* true after close(); new calls are then refused */
    /* true if the cache was shareable when it was closed; other Ractors may still be in calls */
    bool shareable;
    /* The number of users: the Ruby object, each lease, and each waiting call. The last user that
     * leaves closes the store. */
    _Atomic uint32_t uses;
    /* The orphans: values whose lease another thread has ended. Only the thread that holds an
     * orphan can release it (leases.c). */
    struct larder_orphan *_Atomic orphans;
    uint32_t namespace_len;
    char namespace[256]; /* the namespace with its colon; cache.rb limits its length */
} larder_cache;

/* leases.c: if another thread ends the lease of a value, the value stays held, as an orphan.
 * larder_orphans_release() releases the orphans that the calling thread holds.
 * larder_orphans_forget() frees the records of all orphans, but releases no value: call it before
 * you close the store. */
void larder_orphans_release(larder_cache *cache);
void larder_orphans_forget(larder_cache *cache);

extern VALUE larder_module, larder_error, larder_closed_error, larder_full_error, larder_busy_error,
    larder_moved_error, larder_mismatch_error, larder_too_large_error, larder_entry_class,
    larder_view_class, larder_cache_class;
extern const rb_data_type_t larder_cache_type;

/* Return the cache of a Ruby object. Raises an exception if it was closed. Call this again after
 * Ruby code has run. */
larder_cache *larder_cache_of(VALUE self);
NORETURN(void larder_raise_closed(const larder_cache *cache));
static inline lrd_store *larder_store(larder_cache *cache)
{
    if (RB_UNLIKELY(cache->closed || cache->store == NULL))
        larder_raise_closed(cache);
    if (RB_UNLIKELY(atomic_load_explicit(&cache->orphans, memory_order_relaxed) != NULL))
        larder_orphans_release(cache);
    /* Other threads may have closed caches that this thread has used. Leave the stores of these
     * caches, so that they can be unmapped. */
    lrd_thread_leave_closed();
    return cache->store;
}
/* Add a user of the cache, so that the store stays open. larder_cache_leave() removes a user. */
void larder_cache_use(larder_cache *cache);
void larder_cache_leave(larder_cache *cache);
/* Raise the exception for a failure of the core. `key` is the key of the call, or Qnil. */
NORETURN(void larder_raise(larder_cache *cache, int rc, VALUE key));
/* Return `rc`, or raise the exception for `rc` if it is negative. */
static inline int larder_check(larder_cache *cache, int rc, VALUE key)
{
    if (RB_UNLIKELY(rc < 0))
        larder_raise(cache, rc, key);
    return rc;
}

/* segments.c: open a store, or join a store that is open in this process.
 * - `abi` is the ABI of a new store; NULL stands for Ruby's.
 * - If `look` is true, only an existing store is opened, and none is replaced.
 * - `*php` becomes true if PHP has made the store.
 * - `reason` receives a text: after a failure, it may explain the error code; after a success, it
 *   is a warning for the program, or "". */
int larder_segment_open(const char *path, uint64_t size, bool pinned, const char *abi, bool look,
                        larder_segment **out, lrd_store **store, bool *php, char *reason,
                        size_t reason_size);
void larder_segment_close(larder_segment *segment);
/* Register the fork handlers. */
void larder_segments_begin(void);

/* keys.c: the bytes of a key, at `ptr`, valid while this struct is on the stack. */
typedef struct larder_key {
    const char *ptr;
    size_t len;
    VALUE string; /* the object that contains the bytes */
    char buffer[256];
} larder_key;
void larder_key_take(const larder_cache *cache, VALUE key, larder_key *out);
/* Return true if this stored key belongs to the extensions. The caller has removed the
 * namespace. */
bool larder_key_reserved(const char *ptr, size_t len);
/* Make a key from a text that larder_key_object() has returned. */
void larder_key_take_stored(const larder_cache *cache, VALUE text, larder_key *out);
/* Return true if larder_key_take() may run Ruby code for this key. */
bool larder_key_runs(const larder_cache *cache, VALUE key);
/* Return the text of a stored key, without its namespace. `*loads` becomes Qtrue if Marshal must
 * load the key from the text, Qfalse if the text is the key, and Qnil if the text is Marshal data
 * of a cache with another namespace. */
VALUE larder_key_object(const larder_cache *cache, const char *ptr, size_t len, VALUE *loads);
#define LARDER_KEY_GUARD(key) RB_GC_GUARD((key).string)

/* codec.c: an encoded value. Encode before a call of the core, because encoding may run Ruby
 * code. */
typedef struct larder_encoded {
    const void *ptr;
    size_t len;
    uint8_t type;
    VALUE keep; /* the object that contains the bytes */
    union {
        char buffer[512];
        int64_t number;
        double real;
    } own;
} larder_encoded;
void larder_encode(VALUE value, uint32_t flags, larder_encoded *out);
/* Encode the value, and then make the key. The key's Ruby code may change the value, but not the
 * encoded bytes. */
void larder_encode_with_key(const larder_cache *cache, VALUE value, uint32_t flags,
                            larder_encoded *out, VALUE name, larder_key *key);
/* Return a copy of a value: a frozen String, or a new Array or Hash. Returns Qundef if only Marshal
 * can copy it. Runs no Ruby code. */
VALUE larder_own(VALUE value);
/* A small table of the most recently read Symbols, so that reading them again is faster. The struct
 * must be on the stack, where the collector sees the Symbols. Fill it with zeros before the first
 * use. */
#define LARDER_SYMBOLS 16u
#define LARDER_SYMBOL_MAX 23u /* bytes */
typedef struct larder_symbols {
    struct {
        VALUE symbol; /* 0 if the cell is empty */
        uint8_t len;
        char bytes[LARDER_SYMBOL_MAX];
    } cells[LARDER_SYMBOLS];
} larder_symbols;
/* The bytes of a value. */
typedef struct larder_block {
    uint8_t type;
    const char *data;
    size_t size;
    /* The address of the bytes in the store. The pointers in a copy also refer to this address. */
    const char *origin;
} larder_block;
/* Return true if larder_decode() runs no Ruby code for this type, so that the value may stay
 * borrowed meanwhile. */
bool larder_decodes_plainly(uint8_t type);
/* Decode a value. `symbols` may be NULL. Returns Qundef if the value cannot be read. Does not call
 * the core. */
VALUE larder_decode(const larder_cache *cache, const larder_block *block, larder_symbols *symbols);
/* Load a value from the Marshal data in the String `text`, which may be hidden. If a class is
 * missing, calls Marshal.load, which the program may have replaced. Active Support's replacement,
 * for example, loads the file of the class. */
VALUE larder_marshal_load(VALUE text);
/* Return the flags of a flagged value, and set `*data`, `*size` and `*type` to the value without
 * the flags. */
uint32_t larder_unwrap(uint8_t *type, const char **data, size_t *size);

/* Return a String for bytes of PHP: in UTF-8 if they are valid UTF-8, and binary otherwise. */
VALUE larder_php_bytes(const char *data, size_t size);

/* php_layout.c: decode a string in PHP's own layout, from a store that PHP has made. */
VALUE larder_php_string(const larder_cache *cache, const char *data, size_t size);
/* Find the bytes of a string in PHP's own layout. Returns false if there is none. */
bool larder_php_string_bytes(const larder_cache *cache, const char **data, size_t *size);
VALUE larder_php_array(const larder_cache *cache, const larder_block *block);
/* Decode a string or an array that PHP has packed. `block` may be a copy. */
VALUE larder_php_packed(const larder_cache *cache, const larder_block *block);

/* forms.c: store a value like lrd_put(), in the given form. LARDER_FORM_AUTO packs while memory is
 * short. how->type is ignored. */
int larder_form_put(const larder_cache *cache, lrd_store *store, const lrd_key *key,
                    const larder_block *value, larder_form form, const lrd_write *how);
/* Return the form that a Symbol names: :auto, :ready or :packed. Raises for all other objects. */
larder_form larder_form_of(VALUE form);
bool larder_form_open(const lrd_value *value, larder_block *block, VALUE *copy, bool *stays);
/* Count a read of a packed value, whose unpacked bytes are in `*block`. If the value is read often,
 * stores it unpacked and releases `*value`. */
void larder_form_read(const larder_cache *cache, lrd_store *store, lrd_value *value,
                      const larder_block *block, bool stays);

/* leases.c: a lease keeps a value held. Make the lease before you get the value, and end it with
 * larder_lease_end(). */
typedef struct larder_orphan {
    struct larder_orphan *next;
    larder_cache *cache;
    lrd_value value;
    uint64_t thread; /* the number of the thread that holds the value */
    bool open;
} larder_lease;
VALUE larder_lease_new(larder_cache *cache, larder_lease **out);
void larder_lease_end(VALUE lease);
/* Decode the value that a lease keeps, and end the lease. */
VALUE larder_lease_decode(VALUE lease, const larder_cache *cache, const larder_block *block,
                          larder_symbols *symbols);

/* reads.c: return the value of a key. If there is none, or it cannot be decoded, returns Qnil and
 * sets `*rc` to LRD_MISS. Raises an exception if the store fails, or if loading the value raises
 * one. Each call ends the borrow of the previous call and overwrites `*borrowed`. So after several
 * calls, release `*borrowed` once. */
VALUE larder_fetch(larder_cache *cache, lrd_store *store, const char *key, size_t key_len,
                   lrd_value *borrowed, larder_symbols *symbols, int *rc);

/* views.c: yield a view of the `size` bytes at `data`, then end the lease. The bytes belong to
 * `string` or, if `string` is Qnil, to the value that the lease keeps. */
VALUE larder_view_yield(VALUE lease, VALUE string, const char *data, size_t size);

void larder_views_define(void);
void larder_batch_define(void);
void larder_reads_define(VALUE cache_class);
void larder_writes_define(VALUE cache_class);
void larder_waits_define(VALUE cache_class);
void larder_coordination_define(VALUE cache_class);
/* Return true if Cache#seconds? accepts an object as a number of seconds. */
bool larder_is_seconds(VALUE object);
/* Convert a time to live from seconds to milliseconds; nil becomes 0. `name` is the argument's name
 * for errors. */
uint64_t larder_milliseconds(VALUE seconds, const char *name);

#endif
