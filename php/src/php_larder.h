/* php_larder.h - the globals of the extension, and the rules for calls of the core.
 *
 * Folders. Each uses only those above it (tools/includes.php checks this):
 *   format   the layout of a value in its block, the piece of a store's memory that contains it
 *   stores   settings; which store a process uses
 *   request  memory for what a request learns; tables of the engine that outlive it
 *   kinds    classes of objects, and PHP's own classes: dates, lists, heaps
 *   holds    releasing values before a request ends
 *   pack     packing: a form of values that takes less memory
 *   fetch    from a block to a PHP value
 *   put      from a PHP value to a block
 *   statics  static properties that outlive requests
 *   api      methods and functions
 *   queue, files, session, ops, compat   features that use all of these
 * Read larder.c first (the life of the module), then api/methods.c, fetch/fetch.c (a get) and
 * put/put.c (a set).
 *
 * Rules
 * - While a value is written (by a function given to lrd_put_fill()), no Zend function is called
 *   that may allocate. No call of the core runs inside another one. The reason: memory_limit may
 *   longjmp() out of any allocation.
 * - A value that is returned to PHP lies in a block that the request holds until post-deactivate,
 *   so that the block is not freed before. */
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
    /* store of the layer for immutable_cache; it frees nothing, so values may refer to one
     * another */
    LARDER_IMMUTABLE,
    LARDER_APCU,     /* the store of the layer for APCu */
    LARDER_SESSIONS, /* store of session.save_handler, for serialized bytes */
    LARDER_QUEUES,   /* of Larder\Queue */
    LARDER_KINDS
} larder_kind;

/* The most levels of a value that is given to PHP's serializer, which is recursive. */
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

/* The facts that this request has learnt; in memory of request/memory.h. NULL: not needed yet. */
typedef struct larder_known {
    struct larder_classes *classes;
    struct larder_graph_memo *graphs; /* classes of stored graphs that were found */
    struct larder_zones *zones;       /* time zones of dates */
    struct larder_carbons *carbons;
    struct larder_literals *literals; /* keys of unpacked arrays */
    /* forms (see kinds/spl_layout.h) of classes that end with the request */
    struct larder_spl_form *forms;
    const struct larder_spl_form *form_latest; /* the form that was found last */
} larder_known;

/* How far a round through the entries of a store has come; see put/fall.c. */
typedef struct larder_fall {
    lrd_store *store;  /* the store of this round, only to compare its address; NULL: none yet */
    lrd_cursor cursor; /* the next entry */
    uint32_t rest;     /* how many of the next writes look at no entry */
    bool changed;      /* an entry was packed in this round */
} larder_fall;

/* The first fields lie in one cache line. The first get of a request reads them, and RINIT has just
 * written to them. */
#ifdef ZTS /* in ZTS the engine decides where globals lie */
#define LARDER_LINE
#else
#define LARDER_LINE _Alignas(64)
#endif

ZEND_BEGIN_MODULE_GLOBALS(larder)
    /* the stores that this request uses; NULL: not opened yet, or off */
    LARDER_LINE lrd_store *active[LARDER_KINDS];
    /* owner of these stores (stores/partition.h); NULL: not looked up yet */
    struct larder_partition *partition;
    /* the value that larder_take_again() is taking, for which no miss is counted; only its address
     * is compared. NULL: none */
    const void *uncounted;

    bool inside; /* this thread is in a call of the core; see LARDER_CALL() */
    /* the partition that the server has set for this thread; NULL: none */
    struct larder_partition *host_partition;
    /* true: the site's environment had a scope when the request began, and `site` is its partition,
     * or NULL if there are too many; see stores/partition.c */
    bool site_has_scope;
    struct larder_partition *site;
    /* stores of other sites that this worker has used in its PHP request; NULL: none */
    struct larder_site *sites;
    struct larder_remember *remember; /* the running calls of remember(), innermost first */
    /* identifies the thread's own stack, as opposed to that of a fiber or a coroutine; see
     * api/lock.h */
    const void *main_stack;
    bool boundary_open; /* true between RINIT and RSHUTDOWN: see api/boundary.c */
    bool boundary_said; /* the log has said that locks were forgotten */
    HashTable *locks;   /* locks of fibers and coroutines (api/lock.c); NULL: none yet */
    /* number of semaphore permits that fibers and coroutines have */
    size_t permits_elsewhere;
    /* the function that the program gave to Larder\waitWith(); NULL: none */
    zval *waiter;
    struct larder_pausing *pausing; /* the running calls of `waiter`: see api/wait.c */
    bool immutable_prepared; /* the immutable store is prepared, as far as this request knows */
    /* this request has data to clear at its end, because it has used a store, or walked a value to
     * store it */
    bool used;
    struct larder_plan *plan; /* scratch memory for storing (put/plan.c); it outlives requests */
    /* memory for `known`; it outlives requests */
    struct larder_memory *memory;
    larder_known known;
    struct larder_dates *dates; /* facts about dates in this version of PHP: kinds/dates.c */
    struct larder_spl *spl;     /* how objects of ext/spl lie in memory: kinds/spl_layout.c */
    /* graphs of objects that the worker keeps (fetch/resident.c); they outlive requests; NULL: none
     * yet */
    struct larder_residents *residents;
    /* number of fetches that are using parts of `residents` */
    uint32_t residents_lent;
    /* what this thread knows about files (files/files.c); it outlives requests */
    struct larder_files *files;
    /* static properties that outlive requests; NULL: none yet */
    struct larder_statics *statics;
    uint32_t statics_compiling; /* number of running calls of zend_compile_file */
    bool statics_on;            /* Larder handles the static properties of this request */
    /* state of a random generator for reads of packed values; see fetch/fetch.c */
    uint32_t packed_random;
    bool signals_async;       /* the request has called pcntl_async_signals(true) */
    uint32_t signals_blocked; /* number of running calls of signal handlers */
    void *holds_own;          /* scratch memory of holds/collect.c; NULL: none yet */
    /* the process that made holds_own, which a forked child does not inherit */
    pid_t holds_own_of;
    void *holds_heap; /* this thread's heap of PHP, if holds/memory.c has noted it */
    /* the stores (bits of kinds) for which this thread of a worker has its own limit of held values
     */
    uint32_t holds_worker;
    size_t holds_at; /* from this number of holds on, a worker searches between two requests */
    struct larder_scratch *scratch; /* memory of pack/scratch.c; NULL: none yet */
    larder_fall fall;
    size_t holds_wait;    /* cost to wait for before the next search; see holds/collect.c */
    uint32_t holds_waits; /* the number of parts of the last such cost */
    size_t holds_looked;  /* number of bytes that the last search read; 0: none yet */
    uint64_t holds_limit[LARDER_KINDS]; /* own limits of held bytes; 0: none; see holds/collect.c */
    /* a result object of throttle() that can be used again; see api/coordination.c */
    zend_object *throttle;
    bool throttles_kept;
    /* the rate of the last throttle(), if throttle_rate_kept; see api/coordination.c */
    bool throttle_rate_kept;
    lrd_rate throttle_rate;
    zend_long throttle_seconds;
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)
#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Marks code that every request or every worker runs. The linker puts such code side by side, apart
 * from code that runs only when PHP starts or ends (ZEND_COLD). So a process touches fewer pages of
 * code. */
#define LARDER_HOT __attribute__((hot))
/* Marks variables that each worker writes after the fork. The linker puts them side by side. So
 * each worker gets its own copy of one page for them, and shares the rest with the other workers.
 */
#define LARDER_OF_WORKER __attribute__((section(".data.worker")))

/* Signals
 *
 * A signal handler may interrupt the core at any instruction, and nothing defers it. The engine's
 * HANDLE_BLOCK_INTERRUPTIONS() cannot be used: it queues pointers into the frame of a handler that
 * has returned, and crashes if a second signal comes while it unblocks.
 *
 * The handlers of the engine, pcntl, FPM and most servers do no harm. They set a flag that the
 * program checks later, or they end the process. A process may end at any instruction anyway. Other
 * handlers do more. LiteSpeed's handler for SIGTERM ends the request, Apache's handler calls
 * exit(), and phpdbg's handler asks for commands and may bail out. A program can make a handler
 * with FFI. So each thread has a mark, LARDER_G(inside):
 *
 * - Work that must not be interrupted halfway calls larder_enter(), which sets the mark, and at the
 *   end larder_leave(), which clears it. Such work is each call of the core, and each change of a
 *   table of Larder that outlives requests. While the mark is set, no user code runs, and the
 *   engine's allocator is not used.
 * - If the mark is set already, a handler has interrupted such work, or a handler has left such
 * work by longjmp(). Calls of the core then return LRD_EREENTRY. If the process ends then, it does
 * not touch Larder's tables.
 * - If a request ends with the mark set, the process ends (larder.c). The process may hold a lock,
 *   and other processes can take over the lock only after it has ended.
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

/* Wrap every core call. */
#define LARDER_CALL(rc, call)                                                                      \
    do {                                                                                           \
        if (EXPECTED(larder_enter())) {                                                            \
            (rc) = (call);                                                                         \
            larder_leave();                                                                        \
        } else {                                                                                   \
            (rc) = LRD_EREENTRY;                                                                   \
        }                                                                                          \
    } while (0)

/* Return true if memory_limit was exceeded. Newer versions of PHP do not longjmp() out of an
 * allocation that exceeds it. They note the excess, continue up to a hard limit that ends the
 * process, and bail out at the next opportunity. So loops that allocate check this. */
#ifdef ZEND_HAS_OOM
#define LARDER_OUT_OF_MEMORY() ZEND_HAS_OOM()
#else
#define LARDER_OUT_OF_MEMORY() false
#endif
/* True if a loop over a program's values, or over stored values, must stop. */
#define LARDER_MUST_STOP() (UNEXPECTED(EG(exception) != NULL) || UNEXPECTED(LARDER_OUT_OF_MEMORY()))

void larder_phpinfo(void); /* phpinfo.c */

#endif
