/* php_larder.h - the globals of the extension, and the rules for calls of the core.
 *
 * Folders. Each folder uses only the folders above it in this list (tools/includes.php checks
 * this):
 *
 *   format   the layout of a value in its block (a piece of a store's memory)
 *   stores   settings; which store a process uses
 *   request  memory for facts that a request learns; tables of the engine that outlive requests
 *   kinds    classes of objects, and PHP's own classes: dates, lists, heaps
 *   holds    releasing values before a request ends
 *   pack     packing: a form of values that takes less memory
 *   fetch    from a block to a PHP value
 *   put      from a PHP value to a block
 *   statics  static properties that outlive requests
 *   api      methods and functions
 *   queue, files, session, ops, compat   features that use all of these
 *
 * Read larder.c first, then api/methods.c, fetch/fetch.c (a get) and put/put.c (a set).
 *
 * Rules
 * - lrd_put_fill() calls a function that writes the value. That function must not call the core,
 *   nor any Zend function that may allocate, because memory_limit may longjmp() out of any
 *   allocation.
 * - Do not call the core while another call of the core runs in the same thread.
 * - A value that is returned to PHP lies in a block that the request holds until
 *   post-deactivate. */
#ifndef PHP_LARDER_H
#define PHP_LARDER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "php.h"
#include "php_ini.h"
#include "larder_admin.h"
#include "larder_coordination.h"
#include "larder_queue.h"

#define PHP_LARDER_VERSION LRD_VERSION

extern zend_module_entry larder_module_entry;
#define phpext_larder_ptr &larder_module_entry
extern zend_class_entry *larder_exception_class; /* Larder\StoreException */
/* The class of the objects that throttle() returns. */
extern zend_class_entry *larder_throttle_class;

typedef enum larder_kind {
    LARDER_VOLATILE,
    LARDER_PINNED,
    /* the layer for immutable_cache; it frees no value, so its values may refer to one another */
    LARDER_IMMUTABLE,
    LARDER_APCU,     /* the layer for APCu (see compat/compat.c) */
    LARDER_SESSIONS, /* session.save_handler; its values are serialized bytes */
    LARDER_QUEUES,   /* the store of Larder\Queue */
    LARDER_KINDS
} larder_kind;

/* The maximum depth of a serialized value. PHP's serializer is recursive, so a deeper value could
 * overflow the stack. */
#define LARDER_SERIALIZE_DEPTH 4096u

struct larder_dates;
struct larder_files;
struct larder_literals;
struct larder_memory;
struct larder_partition;
struct larder_plan;
struct larder_remember;
struct larder_residents;
struct larder_site;
struct larder_spl;
struct larder_statics;

/* The facts that this request has learnt, in memory of request/memory.h. Unneeded pointers are
 * NULL. */
typedef struct larder_known {
    struct larder_classes *classes;
    struct larder_class *class_latest; /* result of the last larder_class_of() */
    /* maps each class of a stored graph to this request's class */
    struct larder_graph_memo *graphs;
    struct larder_zones *zones; /* time zones of dates */
    struct larder_carbons *carbons;
    struct larder_literals *literals; /* keys of unpacked arrays */
    /* the forms (see kinds/spl_layout.h) of classes that exist only in this request */
    struct larder_spl_form *forms;
    const struct larder_spl_form *form_latest; /* result of the last larder_spl_form_find() */
} larder_known;

/* Puts the fields that RINIT writes, and that a request's first get reads, into one cache line. */
#ifdef ZTS /* in ZTS builds, the engine places the globals, so they cannot be aligned */
#define LARDER_LINE
#else
#define LARDER_LINE _Alignas(64)
#endif

ZEND_BEGIN_MODULE_GLOBALS(larder)
    /* this request's stores; NULL if off or not opened yet */
    LARDER_LINE lrd_store *active[LARDER_KINDS];
    /* the partition of these stores (stores/partition.h), or NULL if not chosen yet */
    struct larder_partition *partition;
    /* The address of the value that larder_take_again() is fetching, or NULL. If this fetch fails,
     * it does not count as a miss. */
    const void *uncounted;

    bool inside; /* true while this thread is in a call of the core; see larder_enter() */
    /* the partition that the embedding program has set for this thread, or NULL */
    struct larder_partition *host_partition;
    /* True if the environment had a scope when the request began. `site` is the partition of this
     * scope, or NULL if there are too many partitions. */
    bool site_has_scope;
    struct larder_partition *site;
    /* the stores of this worker's other sites in the current PHP request, or NULL */
    struct larder_site *sites;
    /* the running calls of remember(); the innermost one comes first */
    struct larder_remember *remember;
    /* the stack of the main program; fibers and coroutines have other stacks (see api/lock.h) */
    const void *main_stack;
    /* True if this thread has replaced opcache_compile_file() (request/guard.c) in its copy of the
     * internal functions. */
    bool guarded;
    bool boundary_open; /* true between RINIT and RSHUTDOWN; see api/boundary.c */
    bool boundary_said; /* true if Larder has logged that a request ended with keys still locked */
    HashTable *locks;   /* the locks of fibers and coroutines (api/lock.c), or NULL */
    /* the permits that fibers and coroutines have acquired (api/semaphore.c) */
    struct larder_permit *permits_elsewhere;
    /* the function that the program gave to Larder\waitWith(), or NULL */
    zval *waiter;
    struct larder_pausing *pausing; /* the running calls of `waiter`; see api/wait.c */
    /* true after this request's larder_immutable_prepare() */
    bool immutable_prepared;
    /* true if this request has used a store, or walked through a value to store it */
    bool used;
    struct larder_plan *plan; /* scratch memory for storing (put/plan.c); outlives requests */
    /* The memory that `known` points into (request/memory.h). This struct outlives requests. */
    struct larder_memory *memory;
    larder_known known;
    struct larder_dates *dates; /* facts about dates in this version of PHP; see kinds/dates.c */
    /* the layout of objects of ext/spl in memory; see kinds/spl_layout.c */
    struct larder_spl *spl;
    /* The graphs of objects that the worker keeps (fetch/resident.c), or NULL. Outlives
     * requests. */
    struct larder_residents *residents;
    /* the number of running fetches that use graphs of `residents`; graphs may be freed only while
     * it is 0 */
    uint32_t residents_lent;
    /* what this thread knows about files (files/files.c); outlives requests */
    struct larder_files *files;
    /* this thread's static properties and variables that outlive requests, or NULL */
    struct larder_statics *statics;
    uint32_t statics_compiling; /* the number of running calls of zend_compile_file */
    bool statics_on;            /* true if Larder handles the static properties of this request */
    /* a random generator by which fetch/fetch.c samples the reads of packed values */
    uint32_t packed_random;
    bool signals_async; /* true if the request has called pcntl_async_signals(true) */
    /* Number of running calls in which pcntl may run PHP signal handlers. pcntl blocks all signals
     * while a handler runs; see statics/signals.c. */
    uint32_t signals_blocked;
    bool signaled;   /* true if a signal waits for its handler; see api/interrupt.c */
    void *holds_own; /* scratch memory of holds/collect.c, or NULL */
    /* The process that has mapped `holds_own`. In a forked child this memory is not mapped. */
    pid_t holds_own_of;
    void *holds_heap; /* PHP's heap for this thread, if holds/memory.c knows it */
    /* one bit for each kind of store: 1 if larder_holds_between_requests() has limited the values
     * that this thread may hold in the store */
    uint32_t holds_worker;
    /* A worker with at least this number of holds searches for unused values between requests. */
    size_t holds_at;
    struct larder_scratch *scratch; /* the memory of pack/scratch.c, or NULL */
    lrd_fall fall;
    /* Searches for unused values pause until this is 0. Each copy of a value subtracts the cost of
     * the copy. See COLLECT_WAIT_PART in holds/collect.c. */
    size_t holds_wait;
    /* the length of the last pause, as a multiple of the shortest pause */
    uint32_t holds_waits;
    /* the number of bytes that the last search has read, or 0 */
    size_t holds_looked;
    /* this thread's own limit of held bytes for each store, or 0; see holds/collect.c */
    uint64_t holds_limit[LARDER_KINDS];
    /* the Throttle object that is kept for reuse, or NULL; see api/coordination.c */
    zend_object *throttle;
    bool throttles_kept;
    /* the rate of the last throttle(); valid if `throttle_rate_kept`; see api/coordination.c */
    bool throttle_rate_kept;
    lrd_rate throttle_rate;
    zend_long throttle_seconds;
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)
#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Marks code that every request or worker runs. The linker puts it apart from ZEND_COLD code. */
#define LARDER_HOT __attribute__((hot))
/* Marks variables that each worker writes after the fork. The first write to a page after the fork
 * copies the page, so these variables lie side by side in few pages. */
#define LARDER_OF_WORKER __attribute__((section(".data.worker")))

/* Signals
 *
 * A signal handler may interrupt the core at any instruction. HANDLE_BLOCK_INTERRUPTIONS() cannot
 * defer it: the queue has pointers into the frame of a handler that has returned.
 *
 * Most handlers only set a flag, or end the process. But LiteSpeed's handler for SIGTERM ends the
 * request, Apache's handler calls exit(), phpdbg's handler may bail out, and with FFI, a program
 * can install any handler. So each thread has a mark, LARDER_G(inside):
 *
 * - larder_enter() sets the mark, and larder_leave() clears it. All calls of the core, and all
 *   changes to tables of Larder that outlive requests, are between these two calls. While the mark
 *   is set, no user code runs, and no call of the engine's allocator may end the request.
 * - If larder_enter() finds the mark set, a signal handler has interrupted a call or a change. So
 *   the core is not called, and the result is LRD_EREENTRY. A process that ends with the mark set
 *   does not touch Larder's tables.
 * - If a request ends with the mark set, the process ends (larder.c), so that other processes take
 *   over its locks.
 *
 * Only a handler on this thread sees the mark, so a compiler barrier is enough. */
static zend_always_inline bool larder_enter(void)
{
    if (UNEXPECTED(LARDER_G(inside)))
        return false;
    LARDER_G(inside) = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

static zend_always_inline void larder_leave(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    LARDER_G(inside) = false;
}

/* Call the core, or set `rc` to LRD_EREENTRY if a call of the core is running. Call the core only
 * by this macro. */
#define LARDER_CALL(rc, call)                                                                      \
    do {                                                                                           \
        if (EXPECTED(larder_enter())) {                                                            \
            (rc) = (call);                                                                         \
            larder_leave();                                                                        \
        } else {                                                                                   \
            (rc) = LRD_EREENTRY;                                                                   \
        }                                                                                          \
    } while (0)

/* True if memory_limit was exceeded. In newer versions of PHP, the engine bails out after the
 * allocation, so check this in loops that allocate. */
#ifdef ZEND_HAS_OOM
#define LARDER_OUT_OF_MEMORY() ZEND_HAS_OOM()
#else
#define LARDER_OUT_OF_MEMORY() false
#endif
/* true if a loop over values must stop, because of an exception or memory_limit */
#define LARDER_MUST_STOP() (UNEXPECTED(EG(exception) != NULL) || UNEXPECTED(LARDER_OUT_OF_MEMORY()))

/* True if the object is lazy (PHP 8.4 and later) and not initialised yet, or is a lazy proxy. */
static zend_always_inline bool larder_is_lazy(zend_object *object)
{
#if PHP_VERSION_ID >= 80400
    return UNEXPECTED(zend_object_is_lazy(object));
#else
    (void)object;
    return false;
#endif
}

void larder_phpinfo(void); /* phpinfo.c */

#endif
