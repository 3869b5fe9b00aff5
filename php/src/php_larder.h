/* php_larder.h - the globals of the extension, and the rules for calls of the core.
 *
 * Folders, in the order in which they build on one another (tools/includes.php keeps it so):
 *   format   the layout of a value in its block
 *   stores   settings; which store a process uses
 *   request  memory for the knowledge of a request; engine tables that outlive it
 *   kinds    classes of objects, and PHP's own classes: dates, lists, heaps
 *   holds    releasing values before a request ends
 *   pack     the form of a value that takes less memory
 *   fetch    from a block to a value of PHP
 *   put      from a value of PHP to a block
 *   statics  static properties that outlive requests
 *   api      methods and functions
 *   queue, files, session, ops, compat   the features built on all that
 * Read larder.c first (the module's life), then api/methods.c, fetch/fetch.c (a get) and put/put.c
 * (a set).
 *
 * Rules
 * - No Zend function that may allocate is called while a value is written (the functions given to
 *   lrd_put_fill()), and no core call runs inside another: memory_limit may longjmp out of any
 *   allocation.
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
    /* the store of the layer for immutable_cache; its values may refer to one another's parts */
    LARDER_IMMUTABLE,
    LARDER_APCU,     /* the store of the layer for APCu */
    LARDER_SESSIONS, /* the store of session.save_handler: serialized bytes */
    LARDER_QUEUES,   /* of Larder\Queue */
    LARDER_KINDS
} larder_kind;

/* The most levels of a value that goes through PHP's serializer, which is recursive. */
#define LARDER_SERIALIZE_DEPTH 4096u

struct larder_dates;
struct larder_files;
struct larder_memory;
struct larder_keys;
struct larder_partition;
struct larder_plan;
struct larder_remember;
struct larder_residents;
struct larder_spl;
struct larder_statics;

/* The knowledge of this request, in its memory (request/memory.h). A field that is NULL is not
 * needed yet. */
typedef struct larder_known {
    struct larder_classes *classes;
    struct larder_graph_memo *graphs; /* classes that were found for graphs */
    struct larder_zones *zones;       /* of dates */
    struct larder_carbons *carbons;
    struct larder_keys *keys; /* of unpacked arrays */
    /* aliases of classes that end with the request */
    struct larder_spl_form *forms;
    const struct larder_spl_form *form_latest; /* the form that was found last */
} larder_known;

/* The state of a round through a store's entries; see put/fall.c. */
typedef struct larder_fall {
    lrd_store *store;  /* the store of this round; it is only compared. NULL: none yet */
    lrd_cursor cursor; /* the next entry */
    uint32_t rest;     /* writes that do nothing */
    bool changed;      /* this round has changed an entry */
} larder_fall;

/* These fields lie in one cache line: the first get of a request reads them, and RINIT has just
 * stored to them. */
#ifdef ZTS /* the engine aligns globals as it likes */
#define LARDER_LINE
#else
#define LARDER_LINE _Alignas(64)
#endif

ZEND_BEGIN_MODULE_GLOBALS(larder)
    /* the stores that this request uses; NULL: not opened yet, or off */
    LARDER_LINE lrd_store *active[LARDER_KINDS];
    struct larder_partition *partition; /* the owner of these stores; NULL: not looked up yet */
    /* the lrd_value that the running larder_take_again() takes, for which no miss is counted. It is
     * only compared. NULL: none */
    const void *uncounted;

    bool inside; /* this thread is in a call of the core; see LARDER_CALL() */
    /* the partition that the host has set for this thread; NULL: none */
    struct larder_partition *host_partition;
    struct larder_remember *remember; /* the remember() calls that are running, innermost first */
    /* the thread's own stack, not that of a fiber or a coroutine; see api/lock.h */
    const void *main_stack;
    bool boundary_open; /* true between RINIT and RSHUTDOWN: see api/boundary.c */
    bool boundary_said; /* that locks were forgotten */
    HashTable *locks;   /* keys that fibers and coroutines have reserved; NULL: none yet */
    /* number of permits that fibers and coroutines have acquired */
    size_t permits_elsewhere;
    zval *waiter;                   /* the program's function of Larder\waitWith(); NULL: none */
    struct larder_pausing *pausing; /* the running calls of that function: see api/wait.c */
    bool immutable_prepared; /* as far as this request knows, the layer's store is prepared */
    /* this request has data to clear, because it asked for a store, or walked a value to store */
    bool used;
    struct larder_plan *plan; /* scratch memory of plan.c; it outlives requests */
    /* memory for the knowledge of a request; it outlives requests */
    struct larder_memory *memory;
    larder_known known;
    struct larder_dates *dates; /* facts about the engine's intervals: kinds/dates.c */
    struct larder_spl *spl;     /* the memory layout of objects of ext/spl */
    /* resident graphs, which outlive requests; NULL: none yet */
    struct larder_residents *residents;
    /* number of fetches that are using constants of those graphs */
    uint32_t residents_lent;
    struct larder_files *files; /* this thread's knowledge of files; it outlives requests */
    /* state of statics/; it outlives requests; NULL: none yet */
    struct larder_statics *statics;
    uint32_t statics_compiling; /* number of running calls of zend_compile_file */
    bool statics_on;            /* the statics of this request were taken over */
    /* changed by each read of a packed value; see fetch/fetch.c */
    uint32_t packed_random;
    bool signals_async;             /* this request has switched on pcntl_async_signals() */
    uint32_t signals_blocked;       /* number of running calls of signal handlers */
    void *holds_own;                /* scratch memory of holds/collect.c; NULL: none yet */
    struct larder_scratch *scratch; /* memory of pack/scratch.c; NULL: none yet */
    larder_fall fall;
    /* number of copies before holds are collected again; see holds/collect.c */
    uint32_t holds_wait, holds_waited;
    uint64_t holds_limit[LARDER_KINDS]; /* bytes; 0: none; see there */
    /* an answer of throttle() that can be used again; see api/coordination.c */
    zend_object *throttle;
    bool throttles_kept;
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)
#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Put code of every request side by side, and code of most requests that store, and code that
 * runs only when PHP starts and ends (ZEND_COLD). Then a process touches fewer pages of code. */
#define LARDER_HOT __attribute__((hot))

/* Signals
 *
 * A handler may interrupt the core at any instruction, and nothing is deferred. The engine's
 * HANDLE_BLOCK_INTERRUPTIONS() cannot be used: it queues pointers into the frame of a handler
 * that has returned, and crashes if a second signal arrives while it unblocks. The handlers of
 * the engine, of pcntl, FPM and the servers of PHP neither return to PHP code nor leave by
 * longjmp. Each sets a flag that the program checks later, or ends the process, which may happen
 * at any instruction anyway. Other handlers do more. LiteSpeed's SIGTERM ends the request,
 * Apache's calls exit(), phpdbg asks for commands and may bail out, and a program can make a
 * handler with FFI. So each thread marks that it is inside:
 *
 * - Call larder_enter() before any work that must not be interrupted halfway: each call of the
 *   core, and changes of Larder's own tables that outlive a request. Call larder_leave() after
 *   it. Between them no user code runs and nothing is allocated from the engine.
 * - If the mark is set already, a handler runs above the call, or has left it. Then calls of the
 *   core return LRD_EREENTRY, and the end of the process leaves Larder's tables alone.
 * - A request that ends with the mark set ends the process (larder.c). It may hold a lock, which
 *   other processes take over from a process that is gone, but never from one that lives.
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

/* Return whether memory_limit was exceeded. Newer releases do not longjmp out of such an
 * allocation: they record it, continue up to a hard limit, which ends the process, and bail out at
 * the next chance. Loops that allocate ask in between. */
#ifdef ZEND_HAS_OOM
#define LARDER_OUT_OF_MEMORY() ZEND_HAS_OOM()
#else
#define LARDER_OUT_OF_MEMORY() false
#endif
/* True if a loop over values of a program, or over stored values, must stop. */
#define LARDER_MUST_STOP() (UNEXPECTED(EG(exception) != NULL) || UNEXPECTED(LARDER_OUT_OF_MEMORY()))

void larder_phpinfo(void); /* phpinfo.c */

#endif
