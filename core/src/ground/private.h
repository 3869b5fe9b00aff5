/* private.h - the structs in private memory, and helpers for all files of the core. layout.h has
 * the structs in shared memory.
 *
 * - [locked] functions need the shard's lock; [thread] functions need the calling thread's slot.
 * - A listing is an entry in a thread's ledger. It means that the thread uses a block.
 * - A thread with a lock does not allocate private memory, and calls nothing that may longjmp. The
 *   only function of the host that it calls is an lrd_fill. */
#pragma once

#include "ground/assert.h"
#include "ground/layout.h"

#include <string.h>
#include <sys/mman.h>

/* maximum size in bytes of the text that tells why a segment is refused */
#define LRD__WHY_MAX 384

#define LRD__STORES_MAX 32u
/* number of ledger entries that are kept for values being built */
#define LRD__RESERVATION_ENTRIES 16u
/* number of ledger entries up to which a thread needs no index; see memory/wide.h */
#define LRD__NARROW (LRD__LEDGER_FIRST - LRD__RESERVATION_ENTRIES)
/* if requests have a maximum age, a thread reads the clock each time it has taken this number of
 * new holds */
#define LRD__CLOCK_ENTRIES 16u
/* maximum number of forked children whose `guardian` a thread can hold */
#define LRD__GUARDS 32u
#define LRD__REQUEST_MS 60000u /* a request older than this (ms) gets no new holds */
/* time (ms) for which the store commits no memory after the file system was full */
#define LRD__MEMORY_MS 1000u

/* Marks functions that most writes, or every web worker, call. The compiler puts them side by side,
 * so a worker maps less code. */
#define LRD__HOT __attribute__((hot))
/* Marks a step of an LRD__HOT function, which is inlined into each caller. */
#define LRD__STEP inline __attribute__((always_inline, hot))
/* Marks variables that each worker process writes. They lie together, so that a worker copies only
 * one memory page for all of them. */
#define LRD__OF_WORKER __attribute__((section(".data.worker")))
/* The core is compiled as one file, so its inline functions may use static functions. Switch off
 * clang's warning about such uses. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* Marks thread-local variables that are accessed without a call. Not used with musl, whose dlopen()
 * cannot load a library with such variables. */
#ifdef __GLIBC__
#define LRD__TLS_STATIC __attribute__((tls_model("initial-exec")))
#else
#define LRD__TLS_STATIC
#endif
#define LRD__TLS LRD__TLS_STATIC __attribute__((visibility("hidden")))

/* missing in musl's headers */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* Fail points are beside each publishing write to shared memory. Tests kill a process there, or let
 * it sleep. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Switches that break the code on purpose. A control test turns one switch on and runs an ordinary
 * test, which must then fail. */
#ifdef LRD_CONTROLS
extern bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier,
    lrd__control_clear_first, lrd__control_mark_first, lrd__control_no_zone, lrd__control_no_evict,
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only,
    lrd__control_stamp_late, lrd__control_fill_late, lrd__control_any_form, lrd__control_count_torn,
    lrd__control_no_flux, lrd__control_no_recovery, lrd__control_scan_first;
/* Wait between two steps whose order a control test has reversed, so that the fault shows more
 * often. Tests that stop at each instruction need no wait, and set lrd__control_no_gap. */
extern bool lrd__control_no_gap;
static inline void lrd__control_gap(int rounds)
{
    for (volatile int i = lrd__control_no_gap ? rounds : 0; i < rounds; i++)
        ;
}
#define LRD__CONTROL(name) __builtin_expect(lrd__control_##name, 0)
#else
#define lrd__control_gap(rounds) ((void)0)
#define LRD__CONTROL(name) false
#endif

/* If *told is false, count a repair in shard->emptied and set *told. Call this before the repair
 * drops its first entry, so that the loss is counted even if the process dies. */
static inline void lrd__shard_lost(lrd__shard *shard, bool *told)
{
    if (!*told)
        atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    *told = true;
}

#define LRD__RESERVED ((uint64_t)1 << 63)
/* A thread's private data about one ledger entry. */
typedef struct lrd__hold {
    /* slot->ledger[entry], plus LRD__RESERVED if the block is being built */
    uint64_t listed;
    uint64_t bytes;  /* size in bytes that the quota counts */
    uint64_t serial; /* serial number of the open reservation, or 0 */
    /* Number of handles. UINT32_MAX means that handles are not counted, and that the block is held
     * until the request ends. */
    uint32_t count;
    uint32_t next; /* in a free entry: the next free entry, or 0 */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* Where a fast get found a key. The next get of the same string tries this place first, and checks
 * it. */
typedef struct lrd__near {
    _Atomic uint64_t *at; /* the key's index word */
    uint64_t word;        /* the index word's value */
    uint64_t tail;        /* the last eight bytes of the key */
    uint16_t entry;       /* the ledger entry that may list the block */
    uint8_t length;       /* length of the key in bytes; 0: unused */
} lrd__near;
_Static_assert(sizeof(lrd__near) == 32, "two to a cache line");
#define LRD__NEARS 128
/* A request records the places of the first LRD__EARLY keys that it finds. The next request
 * prefetches these places. */
#define LRD__EARLY 8u

/* A block that a get has just listed in the ledger, and the get's arguments. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* true if this get listed the block */
} lrd__spot;

#define LRD__CACHED 1024
#define LRD__WIDE 65536u /* number of cells in the index of a large ledger; a power of two */
_Static_assert(LRD_HOLDS_MAX <= UINT16_MAX && LRD__WIDE >= 2 * LRD_HOLDS_MAX,
               "entries are 16 bits, and half of the cells stay free");

#define LRD__KEYLIST_FEW 16u
/* The rows of a thread's key reservations; see keylock.c. */
typedef struct lrd__keylist {
    /* An upper bound of the number of reservations; 0 if and only if there are none. */
    uint32_t used;
    /* number of reservations that are missing from the list, because the list could get no
     * memory */
    uint32_t unlisted;
    /* number of reservations that must still be ended, because their shards were busy */
    uint32_t left;
    uint32_t top;  /* the elements from this index on are unused */
    uint32_t free; /* first free element before `top`, as index + 1; 0 if there is none */
    /* the elements from LRD__KEYLIST_FEW on, or NULL; a forked child does not get this memory */
    uint32_t *more;
    /* an element is a row + 1 */
    uint32_t few[LRD__KEYLIST_FEW];
} lrd__keylist;

/* How often a consumer of a queue sleeps, and how many messages arrive during its rests. A rest is
 * a short sleep that pushes do not end. See pace.c. */
typedef struct lrd__pace {
    /* the queue that this struct describes, or NULL */
    const struct lrd__queue *queue;
    uint64_t since; /* time (ms) when counting began */
    /* While the consumer rests: number of consecutive rests. Otherwise: number of sleeps since
     * counting began. */
    uint32_t pauses;
    /* While the consumer rests: number of messages taken since the latest rest began. Otherwise:
     * number of messages taken since counting began. */
    uint32_t taken;
    uint32_t patience; /* number of ordinary sleeps before a rest */
    /* While the consumer rests: 16 times the number of messages expected per rest. Otherwise 0. */
    uint32_t expected;
    /* moving average of the messages per rest, times 16 */
    uint32_t mean;
} lrd__pace;

#define LRD__OWN_SETS 8u
#define LRD__OWN_RUNS 8u
/* A run that a thread has allocated before, and prefers if its units are free. */
typedef struct lrd__own_run {
    uint32_t first, units; /* units: 0 if the element is unused */
} lrd__own_run;

struct lrd_store {
    /* read on every get */
    uint8_t *data; /* read-only mapping of the data, at header->base */
    lrd__bucket *buckets;
    const lrd__view *view; /* equal to &header->view */
    lrd__header *header;
    uint64_t seed;
    uint64_t buckets_first; /* number of buckets of all shards in a new store */
    uint32_t id;            /* index in lrd__threads */
    /* listed: false in an immutable store, whose reads list no blocks in the ledger */
    bool fence, listed;
    bool evicts, expires;
    /* True in a forked child that must not use the store, for example for lack of a slot. */
    bool barred;
    /* True if another program may change the file: it has a name, or is not sealed. */
    bool watched;
    /* Gets do not read the fields below. */
    bool created;
    /* value of header->slots_freed when this process last found no free slot */
    _Atomic uint64_t no_slot_freed;
    /* Time (coarse monotonic ms) until which this process does not search for a free slot again. */
    _Atomic uint64_t no_slot_until;
    /* time (coarse monotonic ms) until which this process does not search for a spare slot */
    _Atomic uint64_t no_spare_until;
    /* Number of index buckets that lrd__evict_cool() has visited in all shards. It tells the next
     * call where to begin. */
    _Atomic uint64_t cooled;
    /* time (monotonic ms) until which searches for room avoid the shard in `stalled` */
    _Atomic uint64_t stalled_until;
    /* number of further calls of lrd__room_take_worse() that do not search */
    _Atomic uint32_t windows_skip;
    /* Number + 1 of a shard whose lock a search for room did not get in time, or 0. */
    _Atomic uint32_t stalled;
    /* For each shard: 0, or a record of a stopped holder for which this process has waited in vain.
     * The lower LRD__TID_BITS bits of the record are the holder's thread id. The other bits tell
     * how often the kernel had given that thread a processor. When this number has changed, the
     * holder has run again, and the record is ignored (lock.c). */
    _Atomic uint64_t vain[LRD__SHARDS_MAX];
    /* number of ledger entries and slots that the latest scan has read */
    _Atomic uint32_t scanned;
    /* A hint: true if, at the last barrier, only one thread had a slot and few slots had ever been
     * used. */
    _Atomic bool alone;
    /* time (monotonic ms) until which this process does not try to commit the zone */
    _Atomic uint64_t feed_at;
    /* number of threads with a slot, plus 1 while the store is open */
    _Atomic uint32_t users;
    _Atomic bool is_closed; /* true after lrd_close(); stored under slot_process (thread.c) */
    uint8_t *window;        /* the window: a read-write mapping of the data */
    uint8_t *control;
    lrd__gate *gates;   /* one for each shard */
    lrd__shard *shards; /* one for each shard */
    _Atomic uint16_t *quotas;
    /* for each page: 0 if free, otherwise LRD__OWNED | shard << 8 | class */
    _Atomic uint32_t *owners;
    lrd__page *pages;
    lrd__bits *bits;
    /* For each unit: length in units of the run that begins there, or 0. Stored under the shard's
     * lock before any thread can list the run. */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* for each index slot: its link in an eviction queue; see LRD__LINK */
    /* For each LRD__TIMER_CHUNK buckets: 1 if their timers are committed. The committing thread
     * stores it (release). */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* one for each index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* owner of each chunk of reservation rows; see keyrow.c */
    /* For each shard: its LRD__KEYLOCK_HEADS hash chains, as row + 1, or 0. Protected by the
     * shard's lock. */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    /* a store of queues has these (queue_layout.h); otherwise NULL */
    struct lrd__queue_shard *queue_shards;
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* device and inode of the file, as in the header */
    /* time (monotonic ms) of the file's next check; UINT64_MAX for never */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* result of the last check: LRD_OK, LRD_EMOVED or LRD_ETRUNCATED */
    /* Device and inode of the root directory when the store was opened. Do not use `path` if the
     * process has another root directory now. */
    uint64_t root_device, root_inode;
    /* the part of the control mapping that is private memory now (enum lrd__lost) */
    _Atomic uint32_t lost;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* For each page: a bitmap of the parts that this process has mapped. A hint; a fork clears it.
     * NULL until needed. */
    _Atomic(_Atomic uint16_t *) mapped;
    /* mapped_minis: a bit for each mini page that this process has mapped; rows_mapped: number of
     * message rows of each shard that this process has mapped. A forked child inherits wrong
     * values, but they only cause page faults. */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    /* size in bytes of the aligned parts that a commit covers; see map.c */
    uint64_t folio;
    /* true if the file system lacked room for the whole new segment */
    bool scarce;
    /* Why opening this store has replaced an earlier file, or "". */
    char replaced[LRD__WHY_MAX];
    /* what lrd_store_warning() returns */
    char warning[1280];
};

/* The private data of a thread with a slot. The kernel clears it in a forked child
 * (MADV_WIPEONFORK), and fork handlers restore it. If they do not run, `slot` is NULL, so the child
 * claims a new slot. */
typedef struct lrd__thread {
    /* Remembers where earlier gets have found their keys. The address of a key's string selects the
     * key's element. The array fills one memory page. */
    _Alignas(64) lrd__near near[LRD__NEARS];
    struct lrd_store *store;
    /* `slot`, or NULL until this thread knows that all shards are vetted (vet.c). With NULL,
     * lrd_get() takes the general path. */
    lrd__slot *usual;
    /* Number of shards that this thread knows to be vetted, in the order of vetting.c. */
    uint32_t vet_seen;
    uint32_t slot_index;
    int32_t tid; /* the thread's id, as in slot->who */
    uint64_t started;
    uint32_t reservations; /* number of open reservations */
    /* number of forked children whose `guardian` this thread holds */
    uint32_t guarded;
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial; /* serial number of the latest reservation */
    /* time (ms) when a write last checked the file and the clocks */
    uint64_t checked;
    /* time (ms) when a write or lrd_pressed() last found the file intact */
    uint64_t looked;
    /* Quota in bytes that the thread keeps without holds, so that its next hold need not raise
     * it. */
    uint64_t quota_keep;
    /* In a forked child: the part (bytes) of the slot's quota that covers the holds copied from the
     * parent. New holds may not use this part. */
    uint64_t quota_inherited;
    /* bytes of keys and values written since the last barrier */
    uint64_t written;
    /* value of `written` at which the next barrier is due */
    uint64_t barrier_at;
    /* measures how often another thread had the lock that this thread wanted; see lock.c */
    uint32_t crowded;
    /* measures how often there was no room in the thread's lane; see affinity.c */
    uint32_t astray;
    uint64_t holds_most; /* limit in bytes, set by lrd_holds_limit(); 0 for none */
    /* true if holds_most has prevented a hold since the last lrd_holds_limited() */
    bool limited;
    /* true if a get was counted as a copy because of holds_most */
    bool limited_copy;
    /* true if holds_most has prevented the latest attempt to hold */
    bool limited_now;
    /* windows of the zone that this thread's quota records; see zone.c */
    uint32_t zone;
    /* Windows of `zone` in which lrd__zone_take() allows further holds without a check. */
    uint32_t zone_held;
    /* Offset of the last range that was committed for the newest reserved run; no thread has
     * touched it yet. UINT64_MAX if there is none. */
    uint64_t bare;
    /* true if the last search for room found no run of free units that was long enough */
    bool scattered;
    /* true if memory was short in the last written shard; see lrd_write_pressed() */
    bool pressed;
    /* slots of the forked children that this thread guards: `guarded` elements */
    uint32_t guard_slot[LRD__GUARDS];
    /* For each guarded child: time (monotonic ms) by which this thread releases `guardian`. */
    uint64_t guard_until[LRD__GUARDS];
    lrd__pace pace;
    lrd__spot spot; /* arguments that lrd_get() passes to get_timed() */
    uint32_t room;  /* equal to slot->room */
    /* Before a hold in this ledger entry or a later one, the thread must check the request's age;
     * see lrd__request_may_hold(). UINT32_MAX without a maximum age. */
    uint32_t clock_entry;
    uint32_t wide_noted; /* number of used cells of `wide` */
    /* Indexed by bits of a key's hash: the ledger entry that may list the key's block; see
     * lrd__ledger_cached(). */
    uint16_t cache[LRD__CACHED];
    /* for each set of shards: allocated runs, the newest last; see affinity.c */
    lrd__own_run own_runs[LRD__OWN_SETS][LRD__OWN_RUNS];

    /* Every get uses the fields below. They begin a cache line, in the memory page of the fields
     * above. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready; /* `slot`, or NULL while the thread is inside a call */
    uint32_t top;     /* ledger entries from this one on are unused */
    /* the fast path may use ledger entries below this number; see ledger.h */
    uint32_t limit;
    uint32_t n;     /* equal to slot->n; at least `top` */
    uint32_t free;  /* first free ledger entry before `top`, or 0 */
    uint32_t freed; /* number of free ledger entries before `top` */
    /* true if lrd_get() may list a block without fence and without further checks */
    bool fast;
    /* True if a release must also look for free ledger entries before `top`, or lower the quota. */
    bool untidy;
    bool is_wide;         /* true if `wide` is in use */
    uint64_t held_bytes;  /* sum of holds[].bytes */
    uint64_t quota_bytes; /* bytes that the slot's quota allows this thread to hold */
    /* Bounds of the zone. A block whose end is between zone_at and zone_at + zone_span may be in
     * the zone; see lrd__zone_near(). */
    uintptr_t zone_at;
    uintptr_t zone_span;
    /* time (ms) until which the request may get new holds; 0 for no limit */
    uint64_t request_until;
    uint64_t begun; /* time (coarse ms) of the last lrd_request_begin() */
    /* For each early ledger entry: the index in `near` of its key; see lrd__near_expect(). */
    uint8_t early[LRD__EARLY];
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* The index of a large ledger (wide.h). It takes no memory until it is used. */
    uint32_t wide[LRD__WIDE];
} lrd__thread;
/* Every thread writes to the fields before `holds`, and to its first holds. The assertion keeps
 * these in two pages of memory. A fork handler copies only the fields before `holds`, and the holds
 * in use. */
_Static_assert(offsetof(lrd__thread, store) == LRD__PART &&
                   offsetof(lrd__thread, holds) + 16 * sizeof(lrd__hold) < 2 * LRD__PART,
               "a thread needs two pages of memory");
/* The first two gets of a request read only three cache lines of this struct. */
_Static_assert((offsetof(lrd__thread, holds) + sizeof(lrd__hold)) % 64 == 0,
               "entries 1 and 2 lie in a line");

#define LRD__OWNED 0x80000000u

#define LRD__NO_SLOT UINT32_MAX

/* Add to a number that only this thread stores. To subtract n, pass -n. */
static inline void lrd__add(_Atomic uint64_t *sum, uint64_t change)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* Return the shard's epoch. [locked] */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}
/* Return the number of cleared entries that are still in the shard's index. */
static inline uint32_t lrd__shard_dead(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->dead_entries, memory_order_relaxed);
}
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
/* Owner word for the pages of a shard that has lost its entries, in an immutable store. No shard
 * may use such a page again, because threads may still read blocks in it. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
/* minimum number of retired bytes before a shard reclaims */
#define LRD__RECLAIM_MIN 4096u
/* maximum size in bytes of a block that is committed under the shard's lock */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* The functions that lrd__queue_fsck() calls. `wrong` reports a violation. `see` records that the
 * block at `offset` is in use; it returns false if no block can be there. [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
