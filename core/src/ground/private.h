/* private.h - the structs in private memory, and helpers for all files of the core. layout.h has
 * the structs in shared memory.
 *
 * Functions marked [locked] need the shard's lock. Functions marked [thread] need the calling
 * thread's slot. A listing is an entry in a thread's ledger, and means that the thread uses a
 * block. While a thread holds a lock, the core does not allocate private memory, and calls no
 * function that may longjmp. It then calls no function of the host except an lrd_fill function. */
#pragma once

#include "ground/assert.h"
#include "ground/layout.h"

#include <string.h>
#include <sys/mman.h>

/* maximum size in bytes of the reason for a refusal, without the file's name */
#define LRD__WHY_MAX 384

#define LRD__STORES_MAX 32u
/* number of ledger entries that are kept free for values that are being built */
#define LRD__RESERVATION_ENTRIES 16u
/* up to this number of ledger entries, a thread finds its entries without an index; see
 * memory/wide.h */
#define LRD__NARROW (LRD__LEDGER_FIRST - LRD__RESERVATION_ENTRIES)
/* If requests have a maximum age, a thread reads the clock again after this number of new holds. */
#define LRD__CLOCK_ENTRIES 16u
/* maximum number of forked children for which a thread can hold the lease `guardian` */
#define LRD__GUARDS 32u
#define LRD__REQUEST_MS 60000u /* a request older than this (ms) gets no new holds */
/* time (ms) for which the store commits no new memory after the file system was found full */
#define LRD__MEMORY_MS 1000u

/* Marks functions that are called by most writes, or by every worker of a web application. The
 * compiler puts them side by side, so that a worker maps and loads less code. */
#define LRD__HOT __attribute__((hot))
/* Marks a step of an LRD__HOT function. The compiler inlines it into each caller. */
#define LRD__STEP inline __attribute__((always_inline, hot))
/* Marks variables that each worker writes. The linker puts them side by side, so a worker's writes
 * make the kernel copy only one page. */
#define LRD__OF_WORKER __attribute__((section(".data.worker")))
/* Let inline functions with external linkage use static functions. This is safe, because the whole
 * core is compiled as one file. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* Marks a thread-local variable that is accessed without a call (TLS model initial-exec). musl's
 * dlopen() cannot load this model. */
#ifdef __GLIBC__
#define LRD__TLS_STATIC __attribute__((tls_model("initial-exec")))
#else
#define LRD__TLS_STATIC
#endif
#define LRD__TLS LRD__TLS_STATIC __attribute__((visibility("hidden")))

/* arguments of madvise() that are missing in musl's headers */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* There is a fail point beside each write to shared memory that publishes something. Tests kill a
 * process at a fail point, or let it sleep there. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Switches that break the code on purpose. A control turns on one of these switches and runs a
 * test, which must then fail. */
#ifdef LRD_CONTROLS
extern bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier,
    lrd__control_clear_first, lrd__control_mark_first, lrd__control_no_zone, lrd__control_no_evict,
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only,
    lrd__control_stamp_late, lrd__control_fill_late, lrd__control_any_form, lrd__control_count_torn,
    lrd__control_no_flux, lrd__control_no_recovery, lrd__control_scan_first;
/* A control test can reverse the order of two steps. Wait between these steps, so that other
 * threads see the state in between. Tests that stop at each instruction set lrd__control_no_gap,
 * because they need no wait. */
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

/* Count a repair in shard->emptied. *told is true after the first call, so further calls of the
 * same repair count nothing. Call this before the repair drops its first entry: the loss is then
 * counted even if the process dies. A repair that is begun again counts once more. */
static inline void lrd__shard_lost(lrd__shard *shard, bool *told)
{
    if (!*told)
        atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    *told = true;
}

#define LRD__RESERVED ((uint64_t)1 << 63)
/* A thread's private data about one ledger entry. */
typedef struct lrd__hold {
    /* equal to slot->ledger[entry], plus the flag LRD__RESERVED if the block is being built */
    uint64_t listed;
    uint64_t bytes;  /* size in bytes of the block, as counted in the thread's quota */
    uint64_t serial; /* serial number of the open reservation; 0 if there is none */
    /* Number of handles. If it is UINT32_MAX, handles are not counted, and the block stays held
     * until the request ends. */
    uint32_t count;
    uint32_t next; /* in a free entry: the next free entry; 0 if there is none */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* The place where a fast get found a key. The next get of the same string tries this place first,
 * and checks it. */
typedef struct lrd__near {
    _Atomic uint64_t *at; /* address of the key's index word */
    uint64_t word;        /* the value of the index word */
    uint64_t tail;        /* the last eight bytes of the key */
    uint16_t entry;       /* the ledger entry that may list the block */
    uint8_t length;       /* length of the key in bytes; 0 if this element is unused */
} lrd__near;
_Static_assert(sizeof(lrd__near) == 32, "two to a cache line");
#define LRD__NEARS 128
/* A thread remembers where it found the first LRD__EARLY keys of a request. When its next request
 * begins, it prefetches these places. */
#define LRD__EARLY 8u

/* A value that a get has just listed in the ledger, and the arguments of the get. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* listed by this get */
} lrd__spot;

#define LRD__CACHED 1024
#define LRD__WIDE 65536u /* number of cells in the index of a large ledger; a power of two */
_Static_assert(LRD_HOLDS_MAX <= UINT16_MAX && LRD__WIDE >= 2 * LRD_HOLDS_MAX,
               "entries are 16 bits, and half of the cells stay free");

/* The list of a thread's key reservations. It contains the rows of the reservations; see
 * keylock.c. */
#define LRD__KEYLIST_FEW 16u
typedef struct lrd__keylist {
    /* An upper bound of the number of reservations. It is 0 if and only if there are no
     * reservations. */
    uint32_t used;
    /* number of reservations that the list does not contain, because memory was short */
    uint32_t unlisted;
    /* Number of reservations that must end, but could not be released because their shards were
     * busy. */
    uint32_t left;
    uint32_t top;  /* the elements from this index on are unused */
    uint32_t free; /* first free element before `top`, as index + 1; 0 if there is none */
    /* the elements from index LRD__KEYLIST_FEW on, or NULL; a forked child does not get this
     * memory */
    uint32_t *more;
    /* the first elements of the list; an element is the number of a reservation's row, plus 1 */
    uint32_t few[LRD__KEYLIST_FEW];
} lrd__keylist;

/* How often a consumer of a queue is woken, and how many messages arrive while the consumer rests.
 * A resting consumer sleeps for a moment, and pushes do not wake it. See pace.c. */
typedef struct lrd__pace {
    /* the queue that the numbers below describe; NULL if there is none */
    const struct lrd__queue *queue;
    uint64_t since; /* time (ms) when counting began */
    /* If `expected` is 0: number of sleeps since counting began. Otherwise: number of consecutive
     * rests. */
    uint32_t pauses;
    /* If `expected` is 0: number of messages taken since counting began. Otherwise: number of
     * messages taken since the latest rest began. */
    uint32_t taken;
    uint32_t patience; /* number of ordinary sleeps that must come before a rest */
    /* 16 times the number of messages that the consumer expects during a rest; 0 if the consumer
     * does not rest */
    uint32_t expected;
    /* moving average of the number of messages that arrive during one rest, times 16 */
    uint32_t mean;
} lrd__pace;

/* The units of a run (a large block) that a thread has allocated before. If these units are free,
 * the thread prefers them for its next run. */
#define LRD__OWN_SETS 8u
#define LRD__OWN_RUNS 8u
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
    uint64_t buckets_first; /* number of buckets of all shards together in a new store */
    uint32_t id;            /* index in lrd__threads */
    /* fence: true in fence mode. listed: true if reads list blocks in the ledger; false in an
     * immutable store. */
    bool fence, listed;
    bool evicts, expires;
    /* True in a forked child that cannot use the store safely, for example because its parent found
     * no slot for it. The child must not read from the store. */
    bool barred;
    /* True if another program may change the file: it has a name, or is not sealed. See look_at. */
    bool watched;
    /* Gets do not read the fields below. */
    bool created;
    /* value of header->slots_freed when this process last found no free slot */
    _Atomic uint64_t no_slot_freed;
    /* Until this time (coarse monotonic ms), this process does not search for a free slot, because
     * the last search has failed. */
    _Atomic uint64_t no_slot_until;
    /* until this time (coarse monotonic ms), this process does not search for a spare slot */
    _Atomic uint64_t no_spare_until;
    /* number of buckets, in all shards together, in which lrd__evict_cool() has lowered the use
     * counts */
    _Atomic uint64_t cooled;
    /* until this time (monotonic ms), this process's searches for room avoid the shard in
     * `stalled` */
    _Atomic uint64_t stalled_until;
    /* If a search for room could not get the lock of a shard in time: the shard's number + 1;
     * otherwise 0. Searches avoid this shard. */
    _Atomic uint32_t stalled;
    /* For each shard: 0, or a description of a stopped or frozen holder of the shard's lock, for
     * which a thread of this process has waited in vain. The lower LRD__TID_BITS bits are the
     * holder's thread id. The upper bits tell how often the kernel had given the holder a processor
     * (lock.c). If the holder has run since then, the value is ignored. */
    _Atomic uint64_t vain[LRD__SHARDS_MAX];
    /* number of ledger entries plus number of slots that this process's latest scan has read */
    _Atomic uint32_t scanned;
    /* True if, at the last barrier, only one thread had a slot, and few slots had ever been used. A
     * hint that decides how often blocks are reclaimed. */
    _Atomic bool alone;
    /* until this time (monotonic ms), this process does not try to commit the zone */
    _Atomic uint64_t feed_at;
    /* number of this process's threads that have a slot, plus 1 while the store is open */
    _Atomic uint32_t users;
    _Atomic bool is_closed; /* true after lrd_close(); stored under slot_process (thread.c) */
    uint8_t *window;        /* the window: a read-write mapping of the data */
    uint8_t *control;
    lrd__gate *gates;   /* one for each shard */
    lrd__shard *shards; /* one for each shard */
    _Atomic uint16_t *quotas;
    /* for each page: 0 if it is free, otherwise LRD__OWNED | shard << 8 | class */
    _Atomic uint32_t *owners;
    lrd__page *pages;
    lrd__bits *bits;
    /* For each unit: the length in units of the run that begins there, or 0. Stored under the
     * shard's lock before any thread can list the run. */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* for each index slot: its link in an eviction queue; see LRD__LINK */
    /* For each group of LRD__TIMER_CHUNK buckets: 1 if their timers are committed. The committing
     * thread stores it (release). */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* one for each index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* owner of each chunk of rows; see keyrow.c */
    /* For each shard: the heads of its LRD__KEYLOCK_HEADS hash chains of reservation rows, as row +
     * 1, or 0. Protected by the shard's lock. */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    /* the three arrays of a store of queues (see queue_layout.h); NULL in other stores */
    struct lrd__queue_shard *queue_shards;
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* device and inode of the file, as in the header */
    /* time (monotonic ms) of the next check of the file; UINT64_MAX if the file is never checked */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* result of the last check: LRD_OK, LRD_EMOVED or LRD_ETRUNCATED */
    /* Device and inode of "/" when the store was opened. If the process has another root now,
     * `path` may lead to another file and must not be used. */
    uint64_t root_device, root_inode;
    /* which part of the control mapping was lost, and is now zeroed private memory (enum
     * lrd__lost) */
    _Atomic uint32_t lost;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* For each page of the data: a bitmap of the parts that this process has mapped in the window.
     * A hint: any thread sets bits, and a fork clears them. NULL until needed. */
    _Atomic(_Atomic uint16_t *) mapped;
    /* Memory that this process has mapped: a bit for each mini page, and for each shard the number
     * of message rows. A forked child inherits these values but not the mappings. This does no
     * harm: the child gets page faults instead. */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    /* Each commit covers whole folios: aligned parts of the file that have this size in bytes; see
     * map.c. */
    uint64_t folio;
    /* true if the file system had too little room for the whole segment when the segment was
     * created */
    bool scarce;
    /* If opening this store has replaced an earlier file of the same name: the reason. Otherwise
     * "". */
    char replaced[LRD__WHY_MAX];
    /* what lrd_store_warning() returns */
    char warning[1280];
};

/* The private data of a thread that has a slot. In a forked child, the kernel clears this memory
 * (MADV_WIPEONFORK), and our fork handlers restore it. If the handlers do not run, `slot` is NULL,
 * so the child claims a new slot. */
typedef struct lrd__thread {
    /* The address of a key's string selects an element, which tells where the key's word probably
     * is. The array fills one memory page, so the other fields begin on a new page. */
    _Alignas(64) lrd__near near[LRD__NEARS];
    struct lrd_store *store;
    /* Equal to `slot` once this thread knows that all shards are vetted (vet.c). Before that, it is
     * NULL, and lrd_get() takes the general path. */
    lrd__slot *usual;
    /* Number of shards that this thread knows to be vetted. The thread goes through the shards in
     * the order of vetting.c. */
    uint32_t vet_seen;
    uint32_t slot_index;
    int32_t tid; /* the thread's id, as in slot->who */
    uint64_t started;
    uint32_t reservations; /* number of open reservations */
    /* number of forked children for which this thread holds the lease `guardian` */
    uint32_t guarded;
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial; /* serial number of the thread's latest reservation */
    /* time (ms) when a write of this thread last checked the file and the clocks */
    uint64_t checked;
    /* time (ms) when a write or lrd_pressed() last found the file intact */
    uint64_t looked;
    /* While the thread holds nothing, it keeps a quota of this number of bytes. So the next hold
     * usually need not raise the quota. */
    uint64_t quota_keep;
    /* Number of bytes by which the slot's quota exceeds quota_bytes. In a forked child, these bytes
     * cover holds that the child has inherited, and allow no further hold. 0 in other threads. */
    uint64_t quota_inherited;
    /* number of bytes of keys and values that the thread has written since its last barrier */
    uint64_t written;
    /* The thread's next barrier is due when `written` has reached this value. */
    uint64_t barrier_at;
    /* measures how often this thread recently found a shard's lock taken; see lock.c */
    uint32_t crowded;
    /* measures how often this thread recently found no room in its lane; see affinity.c */
    uint32_t astray;
    uint64_t holds_most; /* limit in bytes that lrd_holds_limit() has set; 0 if there is none */
    /* true if holds_most has prevented a hold since the last call of lrd_holds_limited() */
    bool limited;
    /* true if a get was counted as a copy because holds_most has prevented the hold */
    bool limited_copy;
    /* true if holds_most has prevented the hold that this thread tried to get last */
    bool limited_now;
    /* the windows of the zone that this thread has recorded in its quota; see zone.c */
    uint32_t zone;
    /* The windows of `zone` for which lrd__zone_take() has allowed a hold. The thread can hold more
     * blocks in these windows without a new check. */
    uint32_t zone_held;
    /* Offset of the last range that had to be committed for this thread's newest reserved run. No
     * thread has touched this range yet. UINT64_MAX if all memory of the run was already
     * committed. */
    uint64_t bare;
    /* true if the last search for room failed because no run of free units was long enough */
    bool scattered;
    /* true if memory was short in the shard to which this thread last wrote; see
     * lrd_write_pressed() */
    bool pressed;
    /* the slots of the forked children that this thread guards; `guarded` elements are in use */
    uint32_t guard_slot[LRD__GUARDS];
    /* For each child in guard_slot: the time (monotonic ms) by which this thread releases the
     * child's `guardian`. */
    uint64_t guard_until[LRD__GUARDS];
    lrd__pace pace;
    lrd__spot spot; /* arguments that lrd_get() passes to get_timed() */
    uint32_t room;  /* equal to slot->room */
    /* Before the thread holds a block in this ledger entry or a later one, it checks the age of its
     * request; see lrd__request_may_hold(). UINT32_MAX if its request has no maximum age. */
    uint32_t clock_entry;
    uint32_t wide_noted; /* number of used cells of `wide` */
    /* A cache whose cells are selected by bits of a key's hash. A cell names a ledger entry that
     * may list the key's block; see lrd__ledger_cached(). */
    uint16_t cache[LRD__CACHED];
    /* for each set of shards: runs that the thread has allocated, the newest last; see
     * affinity.c */
    lrd__own_run own_runs[LRD__OWN_SETS][LRD__OWN_RUNS];

    /* Every get uses the fields below. They start at a new cache line, but in the same memory page
     * as the fields above. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready; /* equal to `slot`, or NULL while the thread is inside a call */
    uint32_t top;     /* the ledger entry with this number, and all later ones, are unused */
    /* the fast path may list blocks in ledger entries whose number is below `limit`, without
     * further checks; see ledger.h */
    uint32_t limit;
    uint32_t n;     /* equal to slot->n; at least `top` */
    uint32_t free;  /* first free ledger entry before `top`; 0 if there is none */
    uint32_t freed; /* number of free ledger entries before `top` */
    /* true if lrd_get() may list a block without further checks: the store lists blocks, this needs
     * no fence, and the request is not too old for new holds */
    bool fast;
    /* True if there may be free ledger entries before `top`, or if the quota may have to be lowered
     * (lrd__quota_lower()). A release then does more work. */
    bool untidy;
    bool is_wide;         /* true if the index `wide` is in use */
    uint64_t held_bytes;  /* sum of holds[].bytes */
    uint64_t quota_bytes; /* number of bytes that the slot's quota allows this thread to hold */
    /* a block may be in the zone if it ends between zone_at and zone_at + zone_span; see
     * lrd__zone_near() */
    uintptr_t zone_at;
    uintptr_t zone_span; /* see zone_at */
    /* time (ms) until which the request may get new holds; 0 if there is no limit */
    uint64_t request_until;
    uint64_t begun; /* time (ms) of the coarse clock at the last lrd_request_begin() */
    /* For each of the first LRD__EARLY ledger entries, which list blocks: the index in `near` of
     * the block's key; see lrd__near_expect(). */
    uint8_t early[LRD__EARLY];
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* The index of a large ledger (wide.h). It takes no memory until the thread holds many
     * values. */
    uint32_t wide[LRD__WIDE];
} lrd__thread;
/* Every thread writes to the fields before `holds`, and our fork handlers copy these fields and the
 * holds in use. Keep the fields and the first holds within two memory pages. */
_Static_assert(offsetof(lrd__thread, store) == LRD__PART &&
                   offsetof(lrd__thread, holds) + 16 * sizeof(lrd__hold) < 2 * LRD__PART,
               "a thread needs two pages of memory");
/* The fields are placed so that the first two gets of a request read the same three cache lines of
 * this struct, and no other lines. */
_Static_assert((offsetof(lrd__thread, holds) + sizeof(lrd__hold)) % 64 == 0,
               "entries 1 and 2 lie in a line");

#define LRD__OWNED 0x80000000u

#define LRD__NO_SLOT UINT32_MAX

/* Add to a number that only this thread stores, so that no atomic read-modify-write is needed. To
 * subtract n, pass -n (unsigned). */
static inline void lrd__add(_Atomic uint64_t *sum, uint64_t change)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* Return the shard's epoch. The caller must hold the shard's lock, so the epoch does not change. */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}
/* Return the number of entries that lrd_clear() has removed, and that are still in the shard's
 * index. */
static inline uint32_t lrd__shard_dead(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->dead_entries, memory_order_relaxed);
}
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
/* The owner word of a page that must never be used again. The page belonged to a shard of an
 * immutable store, and this shard has lost its entries. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
/* a shard reclaims blocks only after at least this number of bytes was retired */
#define LRD__RECLAIM_MIN 4096u
/* maximum size in bytes of a block whose memory is committed under the shard's lock; memory for
 * larger blocks is committed without the lock */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* The functions that lrd__queue_fsck() calls. `wrong` reports a violation. `see` records that the
 * block at `offset` is in use, and returns false if no block can be there. [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
