/* php_larder.h - what the files of the extension share. Read larder.c first (the module's life), then
 * methods.c (the methods), plan.c and write.c (storing a value) and fetch.c (returning it).
 *
 * Rules
 * - No Zend function that may allocate is called while a value is written (the functions given to
 *   lrd_put_built()), and no core call runs inside another: memory_limit may longjmp out of any allocation.
 * - What is handed to PHP lies in a block that the request holds until post-deactivate.
 */
#ifndef PHP_LARDER_H
#define PHP_LARDER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "php.h"
#include "php_ini.h"
#include "larder.h"

#define PHP_LARDER_VERSION LRD_VERSION
#define LARDER_CODEC 7 /* version of the layout of values */

extern zend_module_entry larder_module_entry;
#define phpext_larder_ptr &larder_module_entry

typedef enum larder_kind {
    LARDER_VOLATILE,
    LARDER_PINNED,
    LARDER_IMMUTABLE, /* of the layer for immutable_cache; values may refer to one another's parts */
    LARDER_APCU,      /* of the layer for APCu */
    LARDER_SESSIONS,  /* of session.save_handler; bytes, whatever PHP's serializer made them */
    LARDER_QUEUES,    /* of Larder\Queue */
    LARDER_KINDS
} larder_kind;

/* How a value lies in its block. An int is a counter of the core (LRD_TYPE_COUNTER). Types from
 * LRD_TYPE_PLAIN on are read at once; the others are held as long as they are used. */
typedef enum larder_type {
    LARDER_ARRAY = 1,             /* a zend_array, immutable, then all it points to */
    LARDER_STRING,                /* a zend_string, interned */
    LARDER_SERIALIZED,            /* text of php_var_serialize() */
    LARDER_GRAPH,                 /* objects, and what they refer to; see plan.h */
    LARDER_ALIAS,                 /* the address of a string or an array of another entry */
    LARDER_IGBINARY,              /* bytes of igbinary_serialize() */
    LARDER_NULL = LRD_TYPE_PLAIN, /* nothing */
    LARDER_FALSE,                 /* nothing */
    LARDER_TRUE,                  /* nothing */
    LARDER_DOUBLE,                /* a double */
    LARDER_EMPTY_ARRAY,           /* nothing: [] that was never anything else */
    LARDER_SHORT,                 /* the bytes of a short string */
    LARDER_LEASE = 252,           /* no value of PHP's: the right to fill a key, see pool_lease.c */
    LARDER_FILE = 253,            /* no value of PHP's: a file's content, see files/files.c */
    LARDER_POOL = 254             /* no value of PHP's: a pool's record, see pool.c */
} larder_type;

/* Strings up to this long are copied out: cheaper than a hold is for everybody else. Bytes. */
#define LARDER_COPY_MAX 64u

/* Levels that PHP's serializer, which recurses, is given. */
#define LARDER_SERIALIZE_DEPTH 4096u

struct larder_carbons;
struct larder_classes;
struct larder_dates;
struct larder_files;
struct larder_graph_memo;
struct larder_partition;
struct larder_plan;
struct larder_push;
struct larder_remember;
struct larder_residents;
struct larder_spl;
struct larder_statics;

ZEND_BEGIN_MODULE_GLOBALS(larder)
    lrd_store *active[LARDER_KINDS];         /* in use by this request; NULL: not yet, or off */
    struct larder_partition *partition;      /* whose stores they are; NULL: not asked yet */
    struct larder_partition *host_partition; /* the host's for this thread; NULL: none */
    bool immutable_prepared; /* the layer's store was, as far as this request knows */
    bool
        used; /* this request has something to forget: it asked for a store, or looked at a value to store */
    struct larder_plan *plan;           /* scratch memory of plan.c, outlives requests */
    struct larder_classes *classes;     /* what this request knows of classes; outlives requests */
    struct larder_graph_memo *memo;     /* classes that it found for graphs; outlives requests */
    struct larder_dates *dates;         /* what this request knows of dates; outlives requests */
    struct larder_spl *spl;             /* how objects of ext/spl lie in memory */
    struct larder_carbons *carbons;     /* what this request knows of Carbon; outlives requests */
    struct larder_residents *residents; /* graphs that outlive requests; NULL: none yet */
    struct larder_remember *remember;   /* the remember() calls that are running, innermost first */
    struct larder_files *files;         /* what this thread knows of files; outlives requests */
    struct larder_push *push;           /* what a larder_put() with LARDER_PUSH goes to */
    struct larder_statics *statics;     /* see statics/; outlives requests; NULL: none yet */
    uint32_t statics_compiling;         /* so many calls of zend_compile_file are running */
    bool statics_on;                    /* statics are taken over, in this request */
    bool living;                        /* what is stored may live in the workers, see resident.c */
    const void *uncounted; /* the lrd_value of larder_take_again(), for comparison alone */
    uint64_t replaced;     /* the version that LRD_REPLACE asks for */
    void *holds_own;       /* scratch memory of holds/collect.c; NULL: none yet */
    uint32_t holds_wait,
        holds_waited; /* copies before holds are collected again; see holds/collect.c */
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)
#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* PHP's signal handlers may longjmp; the core must not be left that way. Around every core call. */
#define LARDER_CALL(rc, call)                                                                      \
    do {                                                                                           \
        HANDLE_BLOCK_INTERRUPTIONS();                                                              \
        (rc) = (call);                                                                             \
        HANDLE_UNBLOCK_INTERRUPTIONS();                                                            \
    } while (0)

/* Newer releases do not longjmp out of an allocation past memory_limit: they record it, go on up to a hard
 * limit, which ends the process, and bail out at the next chance. Loops that allocate ask in between. */
#ifdef ZEND_HAS_OOM
#define LARDER_OUT_OF_MEMORY() ZEND_HAS_OOM()
#else
#define LARDER_OUT_OF_MEMORY() false
#endif
/* Whether a loop over what a user has given or what is stored has to stop. */
#define LARDER_MUST_STOP() (UNEXPECTED(EG(exception) != NULL) || UNEXPECTED(LARDER_OUT_OF_MEMORY()))

/* ---- settings.c: the INI directives --------------------------------------------------------- */
#define LARDER_REASON_MAX 256
typedef struct larder_settings {
    bool enabled;
    bool shared_sapi; /* PHP's server keeps nobody apart: larder.scope does, request by request */
    uint64_t size[LARDER_KINDS]; /* bytes; 0: that store is off */
    uint64_t entries_hint;
    uint64_t resident_size;         /* bytes of a thread's private memory; 0: off */
    bool statics;                   /* attributes of static properties work */
    uint64_t statics_interval;      /* nanoseconds between publications of one of them */
    uint32_t compat;                /* layers that were asked for, see compat/compat.c */
    uint32_t pools;                 /* how many FPM pools get stores; 0: bad value */
    char reason[LARDER_REASON_MAX]; /* why a bad value switched all off; "" */
    char wrong[LARDER_KINDS][LARDER_REASON_MAX]; /* ... switched that store off; "" */
    char pools_reason[LARDER_REASON_MAX]; /* ... switched off the stores of FPM's pools; "" */
    char sapi_reason[160];                /* why it is off under this SAPI; "" */
} larder_settings;
extern larder_settings larder_configured;
void larder_settings_register(int module_number);
/* Read and check all; a bad value switches off what it is about, and is reported (E_CORE_WARNING)
 * at start-up. */
void larder_settings_read(void);
/* For directives that are checked when they are set: digits, and a suffix of K, M, G or T where one may be given. */
bool larder_setting_quantity(const char *text, bool suffix, uint64_t *out);
/* A whole number that is not below the least one. */
bool larder_setting_number(const zend_string *value, zend_long least, zend_long *out);
/* Refuse a value of such a directive with a warning; the one before stays. Returns FAILURE. */
zend_result larder_setting_refuse(const zend_ini_entry *entry, const zend_string *value,
                                  const char *wanted, int stage);
ZEND_INI_MH(larder_setting_switch); /* 0 or 1 */
ZEND_INI_MH(larder_setting_bytes);  /* a quantity above 0 */
extern bool larder_host_opted_in;   /* see larder_api.h */
/* The file of a named store, or "" for anonymous ones. scope: NULL: the configured one. False and a reason when the setting
 * is bad. */
bool larder_settings_path(larder_kind kind, const char *scope, char *path, size_t size,
                          char *reason, size_t reason_size);
bool larder_settings_scope_good(const char *scope);
/* The same for a folder and a scope that no setting says. */
bool larder_settings_path_of(const char *folder, const char *scope, larder_kind kind, char *path,
                             size_t size, char *reason, size_t reason_size);

/* ---- stores.c: opening, and what a request may use ------------------------------------------- */
typedef struct larder_place {
    const char *name;       /* "volatile", "pinned" */
    lrd_store *store;       /* NULL: off, or not opened yet */
    bool lazy;              /* to be opened at first use, by the process that uses it */
    bool pool;              /* in the memory of this worker's FPM pool */
    uint32_t failures;      /* openings that failed */
    uint64_t retry_at;      /* milliseconds: when opening is tried again; 0: it has not failed */
    int fd;                 /* of an anonymous store that is not open yet; -1: none */
    uint64_t device, inode; /* of fd */
    bool
        prepared; /* what a layer does once for a store was done by this process; any thread stores (release) */
    char path[512];   /* of a named store; "" */
    char reason[768]; /* why it is off; "" */
} larder_place;
/* The place of the stores that this request uses. */
larder_place *larder_place_of(larder_kind kind);
void larder_stores_startup(void);
/* Where a new partition's stores lie; opens nothing. False: there are no descriptors. */
bool larder_stores_locate(struct larder_partition *partition);
/* What the layout of values in this PHP's stores depends on. */
const char *larder_stores_abi(void);
/* When a request begins, before user code runs: an FPM worker's first one finds its pool's stores, and a layer may load
 * what it preloads. */
extern bool larder_stores_unsettled;
void larder_stores_settle(void) ZEND_COLD;
static zend_always_inline void larder_stores_request(void)
{
    if (UNEXPECTED(larder_stores_unsettled))
        larder_stores_settle();
}
/* The store for this request, which begins to use it; NULL when it is off. */
lrd_store *larder_activate(larder_kind kind) ZEND_COLD;
/* Every value of this request ends here. */
void larder_deactivate(void);
/* Give back this thread's places in the stores, which stay mapped: an exit is no death. */
void larder_stores_leave(void);
/* All that is open lies between these; nothing is: both are 0. Only ever apart from each other. */
extern uintptr_t larder_data_from, larder_data_to;
bool larder_contains_there(const void *pointer);
/* Whether a pointer lies in the readable data of any store. Asked for every file that is compiled. */
static zend_always_inline bool larder_contains(const void *pointer)
{
    uintptr_t from = __atomic_load_n(&larder_data_from, __ATOMIC_RELAXED);
    return UNEXPECTED((uintptr_t)pointer - from <
                      __atomic_load_n(&larder_data_to, __ATOMIC_RELAXED) - from) &&
           larder_contains_there(pointer);
}
static zend_always_inline lrd_store *larder_store(larder_kind kind)
{
    lrd_store *store = LARDER_G(active)[kind];
    return EXPECTED(store != NULL) ? store : larder_activate(kind);
}

/* ---- guard.c: engine tables that outlive a request -------------------------------------------- */
void larder_guard_install(void); /* at the first request, after opcache has put its hooks in */
void larder_guard_clean(void);   /* before the values of a request end */

/* ---- unserializable.c: what cannot be stored ----------------------------------------------------------- */
/* How an argument is named in errors: "Argument #2 ($value) ", or "" for a returned value. */
typedef struct larder_blame {
    uint32_t argument; /* its number; 0: what the callback of remember() returned */
    const char *root;  /* "$value" */
    zend_string *key;  /* of $values in setMultiple(); NULL */
    zend_ulong index;  /* where key is NULL and has_index */
    bool has_index;
    bool property; /* no argument: root is a static's name, as in "Foo::$bar" */
    bool lenient;  /* leave what cannot be serialized to the serializer; refuse deep nesting only */
    const char *
        resource; /* warn with this of a resource that no object nor reference comes before; NULL: do not */
} larder_blame;
/* Look for what no serializer takes. Throws a TypeError that names the path to it, or a ValueError
 * when the value is nested too deeply, or warns of a resource. True: there is none. *heap, where that is not NULL:
 * whether there is a heap (heaps.h) with something in it. */
bool larder_serializable(zval *value, const larder_blame *blame, bool *heap);
/* The text of PHP's serializer, of a value that was looked at. NULL: an exception is set. */
zend_string *larder_serialize(zval *value);

/* ---- plan.c, write.c: storing ------------------------------------------------------------------ */
/* Store a value. LRD_*; LRD_EINVAL with an exception set, or a warning said, when it cannot be stored. Runs user code
 * (of objects) before anything is reserved. */
int larder_put(lrd_store *store, zend_string *key, zval *value, uint64_t ttl_ms, lrd_mode mode,
               const larder_blame *blame);
/* The same in two steps, for setMultiple(): first all user code, then the write. What the first step
 * gives is freed in any case. False: an exception is set. */
typedef struct larder_encoded {
    zend_string *text;            /* for what has to go through PHP's serializer */
    struct larder_states *states; /* for objects with hooks */
} larder_encoded;
bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out);
/* Other user code ran since: bring *out up to date. *ran becomes true where that took user code. */
bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran);
int larder_put_encoded(lrd_store *store, zend_string *key, zval *value,
                       const larder_encoded *encoded, uint64_t ttl_ms, lrd_mode mode);
void larder_encoded_free(larder_encoded *encoded);
void larder_plan_free(void); /* at the end of a request: give back what is large */
void larder_plan_end(struct larder_plan *plan); /* at the end of a thread; NULL: nothing */

/* ---- classes.c --------------------------------------------------------------------------------- */
void larder_classes_forget(void);                        /* at the end of a request */
void larder_classes_end(struct larder_classes *classes); /* at the end of a thread; NULL: nothing */

/* ---- resident.c ----------------------------------------------------------------------------------- */
void larder_residents_rest(void); /* at the end of a request, before values end */
void larder_residents_end(struct larder_residents *all); /* at the end of a thread; NULL: nothing */

/* ---- dates.c ----------------------------------------------------------------------------------- */
void larder_dates_forget(void);                    /* at the end of a request */
void larder_dates_end(struct larder_dates *dates); /* at the end of a thread; NULL: nothing */

/* ---- carbon.c ---------------------------------------------------------------------------------- */
void larder_carbons_forget(void);                        /* at the end of a request */
void larder_carbons_end(struct larder_carbons *carbons); /* at the end of a thread; NULL: nothing */

/* ---- graph_resolve.c --------------------------------------------------------------------------- */
void larder_graph_forget(void);                        /* at the end of a request */
void larder_graph_end(struct larder_graph_memo *memo); /* at the end of a thread; NULL: nothing */

/* ---- spl_layout.c ------------------------------------------------------------------------------ */
void larder_spl_forget(void);                /* at the end of a request */
void larder_spl_end(struct larder_spl *spl); /* at the end of a thread; NULL: nothing */

/* ---- fetch.c: returning ------------------------------------------------------------------------ */
/* Turn what lrd_get(.., LRD_GET_NO_COPY, ..) gave into a PHP value. False: it cannot be had (a miss),
 * or an exception is set. */
bool larder_take(lrd_store *store, lrd_value *value, zval *result);
/* The same for a look-up with LRD_GET_NO_COUNT: a value that does not fit its classes is not counted as a miss. */
bool larder_take_again(lrd_store *store, lrd_value *value, zval *result);
/* Everything but the cases that larder_take_fast() does in line. */
bool larder_take_slow(lrd_store *store, lrd_value *value, zval *result);

/* Copies of strings and arrays of a block that may not be held: one of each array, however often it is
 * used. An array's elements are copied at the end, which tells whether there was memory for all. */
typedef struct larder_copies larder_copies;
larder_copies *larder_copies_begin(void);
void larder_copy_out(larder_copies *copies, zval *value);
bool larder_copies_end(larder_copies *copies);
zend_string *larder_copy_string(const zend_string *string);

/* ---- graph.c: returning objects ------------------------------------------------------------------ */
/* The same as larder_take() for a graph. The value stays as it is. */
bool larder_graph_fetch(lrd_store *store, lrd_value *value, zval *result);

/* ---- statics/ -------------------------------------------------------------------------------------- */
void larder_statics_startup(void);     /* settings were read */
void larder_statics_request(void);     /* after larder_guard_install() */
void larder_statics_end_request(void); /* publishes; user code may still run after it */
void larder_statics_forget(void);      /* when all values of a request end */
void larder_statics_end(struct larder_statics *all); /* at the end of a thread; NULL: nothing */
/* Publish what has changed so far, before somebody asks for it. May throw. */
void larder_statics_flush(void);
/* Delete the statics of a class. Whether there were any. May autoload, and throw. */
bool larder_statics_delete(lrd_store *store, zend_string *class_name);
/* The key of a static's entry, which the caller releases. NULL: there is none, or an exception is set. May autoload. */
zend_string *larder_static_entry(larder_kind kind, zend_string *property, zend_string *class_name);
/* The attributes by the names of the layer for opcache. */
extern bool larder_statics_opcache;
void larder_statics_opcache_startup(void);
void larder_statics_opcache_request(void);
void larder_statics_register(zend_class_entry *attribute);
void larder_static_construct(zend_class_entry *strategy_class, INTERNAL_FUNCTION_PARAMETERS);

/* ---- arguments.c: arguments -------------------------------------------------------------------------- */
/* Keys that begin with it are ours (pool.c): refused wherever something is written or asked for, and a get
 * finds nothing there that it may return, so that a hit need not look. */
#define LARDER_RESERVED "\0lrd"
static zend_always_inline bool larder_key_reserved(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= sizeof LARDER_RESERVED - 1 &&
           memcmp(key, LARDER_RESERVED, sizeof LARDER_RESERVED - 1) == 0;
}
bool larder_key_check(const zend_string *key, uint32_t argument);
/* A time in seconds as milliseconds; throws a ValueError. 0 stays 0, less than 1 ms becomes 1 ms. */
bool larder_milliseconds(const zval *seconds, uint32_t argument, uint64_t *milliseconds);
/* An element of an array of keys as a string that the caller releases; throws. */
zend_string *larder_key_of(zval *element, uint32_t argument);

/* ---- info.c --------------------------------------------------------------------------------------- */
void larder_info_register(void);
/* The enum and the class of the result; NULL: Larder's own. A class has Larder's properties or the first of
 * them. */
void larder_store_type(lrd_store *store, zend_string *key, zend_class_entry *type, zval *result);
void larder_cache_info(larder_kind kind, zend_class_entry *class, zval *result);
/* label: what the result calls the key. */
void larder_key_info(lrd_store *store, zend_string *key, zend_string *label, zval *result);
void larder_keys(lrd_store *store, zend_string *prefix, zval *result);
void larder_phpinfo(void);
extern zend_class_entry *larder_exception_class;

/* ---- methods.c: bodies of methods that others have, too ---------------------------------------------- */
/* The class of the result; NULL: Larder's own. */
void larder_cache_type_method(larder_kind kind, zend_class_entry *type,
                              INTERNAL_FUNCTION_PARAMETERS);
void larder_cache_info_method(larder_kind kind, zend_class_entry *class,
                              INTERNAL_FUNCTION_PARAMETERS);

/* ---- multiple.c, remember.c: the same, of a pool, or where that is NULL of a store ------------------ */
struct larder_pool;
void larder_get_multiple(larder_kind kind, struct larder_pool *pool, INTERNAL_FUNCTION_PARAMETERS);
void larder_set_multiple(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS);
/* Lenient: what is not there, or cannot be, counts as deleted. */
void larder_delete_multiple(larder_kind kind, struct larder_pool *pool, bool lenient,
                            INTERNAL_FUNCTION_PARAMETERS);
void larder_remember(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS);

/* What is missing is what defaults has for it or, where that is NULL, fallback; NULL: null. Throws. */
void larder_read_multiple(larder_kind kind, struct larder_pool *pool, HashTable *keys,
                          HashTable *defaults, zval *fallback, zval *result);
/* True: all were stored; else an exception may be set. */
bool larder_write_multiple(larder_kind kind, struct larder_pool *pool, HashTable *values,
                           uint64_t ttl_ms);

typedef struct larder_remember_call {
    lrd_store *store;   /* NULL: just compute */
    zend_string *key;   /* of the entry */
    zend_string *lock;  /* what is reserved meanwhile */
    zend_string *label; /* the key as the caller knows it */
    uint64_t ttl_ms, stale_ms;
    zend_fcall_info callback;
    zend_fcall_info_cache cache;
    bool computed; /* gets: it was not there */
} larder_remember_call;
void larder_remember_run(larder_remember_call *call, zval *result);

#endif
