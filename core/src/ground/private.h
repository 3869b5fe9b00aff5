/* private.h - the structs in the private memory of a process and of a thread, and helpers for all
 * files of the core. layout.h has the structs in shared memory.
 *
 * Functions marked [locked] need the shard's lock, [thread] the calling thread's slot. A listing is
 * an entry in a thread's ledger: it says that the thread uses a block. Nothing here calls a host,
 * allocates private memory or can longjmp while a lock is held. */
#pragma once

#include "ground/assert.h"
#include "ground/layout.h"

#include <string.h>
#include <sys/mman.h>

#define LRD__STORES_MAX 32u
/* number of ledger entries that are kept free for values under construction */
#define LRD__RESERVATION_ENTRIES 16u
/* a thread that has more ledger entries than this finds them by an index: see memory/wide.h */
#define LRD__NARROW (LRD__LEDGER_FIRST - LRD__RESERVATION_ENTRIES)
/* number of new listings after which a thread reads the clock again */
#define LRD__CLOCK_ENTRIES 16u
/* largest number of forked children for which one thread can hold the lease `guardian` */
#define LRD__GUARDS 32u
#define LRD__REQUEST_MS 60000u /* a request that is older than this (ms) gets no new holds */
/* time (ms) for which memory is not requested again after the file system was full */
#define LRD__MEMORY_MS 1000u

/* Put the functions of most writes side by side in the library, so that the first write of a
 * process or request loads fewer pages and cache lines. */
#define LRD__HOT __attribute__((hot))
/* For a part of an LRD__HOT function that has only one caller: inline it, to save the call. */
#define LRD__STEP inline __attribute__((always_inline, hot))
/* Allow inline functions with external linkage to use static ones. All of the core is compiled as
 * one file. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* A thread-local variable that is accessed without a call. musl cannot dlopen() a library that uses
 * this TLS model. */
#ifdef __GLIBC__
#define LRD__TLS_STATIC __attribute__((tls_model("initial-exec")))
#else
#define LRD__TLS_STATIC
#endif
#define LRD__TLS LRD__TLS_STATIC __attribute__((visibility("hidden")))

/* Values of madvise() that musl's headers lack. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* A fail point is at each store that publishes something. Tests count fail points. They kill the
 * process at one of them, or let it sleep there. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Switches that break the code on purpose. A control test turns one switch on and must then
 * fail. */
#ifdef LRD_CONTROLS
extern bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier,
    lrd__control_clear_first, lrd__control_mark_first, lrd__control_no_zone, lrd__control_no_evict,
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only,
    lrd__control_stamp_late, lrd__control_fill_late, lrd__control_any_form, lrd__control_count_torn,
    lrd__control_no_flux, lrd__control_no_recovery, lrd__control_scan_first;
/* Wait in the gap that a broken order leaves, so that tests hit it. A test that stops at each
 * instruction needs no wait. */
extern bool lrd__control_no_gap;
static inline void lrd__control_gap(int rounds)
{
    for (volatile int i = lrd__control_no_gap ? rounds : 0; i < rounds; i++)
        ;
}
#define LRD__CONTROL(name) __builtin_expect(lrd__control_##name, 0)
#else
#define LRD__CONTROL(name) false
#endif

/* Count a loss of the shard in `emptied`, before the repair drops the shard's first entry. If the
 * process dies between the two, the loss is counted twice, which is better than not at all. */
static inline void lrd__shard_lost(lrd__shard *shard, bool *told)
{
    if (!*told)
        atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    *told = true;
}

#define LRD__RESERVED ((uint64_t)1 << 63)
/* A thread's private data about one ledger entry. */
typedef struct lrd__hold {
    /* equal to slot->ledger[entry], with LRD__RESERVED if the block is under construction */
    uint64_t listed;
    uint64_t bytes;  /* size in bytes of the block, as counted in the thread's quota */
    uint64_t serial; /* != 0: an open reservation */
    /* number of handles. UINT32_MAX: too many to count, so the block stays held until the request
     * ends */
    uint32_t count;
    uint32_t next; /* in a free entry: the next free entry; 0: none */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* The place where a fast get found a key. This is a guess for the next get of the same string; that
 * get checks it against the index and the block. */
typedef struct lrd__near {
    _Atomic uint64_t *at; /* the word in the index */
    uint64_t word;        /* value of that word */
    uint64_t tail;        /* the last eight bytes of the key */
    uint16_t entry;       /* the ledger entry that perhaps lists the block */
    uint8_t length;       /* of the key; 0: none */
} lrd__near;
_Static_assert(sizeof(lrd__near) == 32, "two to a cache line");
#define LRD__NEARS 128
/* number of ledger entries whose keys are remembered for the next request */
#define LRD__EARLY 8u

/* An entry that a get has just protected by a listing, and the arguments of the get. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* listed by this get */
} lrd__spot;

#define LRD__CACHED 1024
#define LRD__WIDE 65536u /* cells in the index of a large ledger; a power of two */
_Static_assert(LRD_HOLDS_MAX <= UINT16_MAX && LRD__WIDE >= 2 * LRD_HOLDS_MAX,
               "entries are 16 bits, and half of the cells stay free");

/* The rows of a thread's key reservations: see keylock.c. */
#define LRD__KEYLIST_FEW 16u
typedef struct lrd__keylist {
    /* the number of reservations, or a larger number; 0: there are no reservations */
    uint32_t used;
    /* number of reservations that are not in the list, because memory was short */
    uint32_t unlisted;
    /* number of reservations of ended requests that are not unlocked yet, because their shard was
     * busy */
    uint32_t left;
    uint32_t top;   /* entries of the list from this index on are free */
    uint32_t free;  /* first free entry below `top`: entry + 1 */
    uint32_t *more; /* more entries, behind the first few; a forked child does not have them */
    uint32_t few[LRD__KEYLIST_FEW]; /* row + 1 */
} lrd__keylist;

/* The rhythm of a consumer of a queue: how often it is woken, and how many messages arrive while it
 * rests. To rest means to sleep a little before the next look. See queue_wait.c. */
typedef struct lrd__pace {
    const struct lrd__queue *queue; /* NULL: nothing is known */
    uint64_t since;                 /* ms when counting began */
    /* if the consumer rests: number of consecutive rests; else number of sleeps since counting
     * began */
    uint32_t pauses;
    /* if the consumer rests: number of messages taken since the last rest; else since counting
     * began */
    uint32_t taken;
    uint32_t patience; /* number of sleeps before the consumer may rest */
    /* number of messages expected during a rest, in sixteenths; 0: do not rest */
    uint32_t expected;
    uint32_t mean; /* recent average of messages per rest, in sixteenths */
} lrd__pace;

/* A run (a large block) that a thread has allocated before and prefers to allocate again. */
#define LRD__OWN_SETS 8u
#define LRD__OWN_RUNS 8u
typedef struct lrd__own_run {
    uint32_t first, units; /* units 0: none */
} lrd__own_run;

struct lrd_store {
    /* read on every get */
    uint8_t *data; /* the data, read only, at header->base */
    lrd__bucket *buckets;
    const lrd__view *view; /* in the header */
    lrd__header *header;
    uint64_t seed;
    uint64_t buckets_first; /* number of buckets before the index has grown, over all shards */
    uint32_t id;            /* index in lrd__threads */
    /* listed: true if reads use the ledger, which they do not in an immutable store */
    bool fence, listed;
    bool evicts, expires;
    /* true in a forked child that found no slot for the holds that it inherited. The child may not
     * read */
    bool barred;
    bool watched; /* true if the file is checked now and then: look_at is not UINT64_MAX */
    /* Gets do not read the fields below. */
    bool created;
    /* value of header->slots_freed when this process last found no free slot */
    _Atomic uint64_t no_slot_freed;
    /* until this time (coarse ms), this process does not search for a slot */
    _Atomic uint64_t no_slot_until;
    /* until this time (coarse ms), this process does not search for a spare slot */
    _Atomic uint64_t no_spare_until;
    /* number of buckets, over all shards, whose use counts were lowered: lrd__evict_cool() */
    _Atomic uint64_t cooled;
    /* until this time (monotonic ms), searches for room avoid the shard `stalled` */
    _Atomic uint64_t stalled_until;
    /* shard + 1 of the lock that a search for room could not get in time; 0: none */
    _Atomic uint32_t stalled;
    /* number of entries and slots that this process's last scan of all ledgers read */
    _Atomic uint32_t scanned;
    /* true if the thread that made the last barrier was the only one with a slot, and few slots
     * were ever used. Only decides how often to reclaim, so it may be out of date */
    _Atomic bool alone;
    /* before this time (monotonic ms), this process does not try to commit the zone again */
    _Atomic uint64_t feed_at;
    /* number of threads of this process that have a slot, plus 1 while the store is open */
    _Atomic uint32_t users;
    uint8_t *window; /* the data, read-write: the window */
    uint8_t *control;
    lrd__gate *gates;   /* one for each shard */
    lrd__shard *shards; /* one for each shard */
    _Atomic uint16_t *quotas;
    /* for each page: 0 free, else LRD__OWNED | shard << 8 | class */
    _Atomic uint32_t *owners;
    lrd__page *pages;
    lrd__bits *bits;
    /* for each unit: the number of units of the run that begins there; 0: no run. The holder of the
     * shard's lock stores the number, before any thread can list the run */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* for each index slot: the link of an eviction queue, see LRD__LINK */
    /* for each LRD__TIMER_CHUNK buckets: 1 if memory for their timers is committed. The thread that
     * commits the memory stores it (release) */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* per index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* owner of each chunk of rows: see keyrow.c */
    /* for each shard: LRD__KEYLOCK_HEADS hash chains of reservation rows, as row + 1. Protected by
     * the shard's lock */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    /* NULL unless this is a store of queues: see queue_layout.h */
    struct lrd__queue_shard *queue_shards;
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* device and inode of the file, as in the header */
    /* time (monotonic ms) at which the file is checked next; UINT64_MAX: never */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* result of the last check: LRD_OK, LRD_EMOVED, LRD_ETRUNCATED */
    /* device and inode of "/" when the store was opened. A process with another root must not use
     * `path` */
    uint64_t root_device, root_inode;
    /* a value of lrd__lost: the part of the control mapping that was lost, and was replaced by
     * zeroed private memory */
    _Atomic uint32_t lost;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* for each page of the data: a bit for each part that this process has mapped in the window, as
     * far as it knows. A hint: any thread sets bits, and a fork clears them. NULL until something
     * is written */
    _Atomic(_Atomic uint16_t *) mapped;
    /* Memory that this process has mapped: mini pages (a bit for each), and message rows (a number
     * for each shard). A forked child keeps these values although it has nothing mapped, which
     * costs it only page faults */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    /* size in bytes of the aligned parts of the file that are committed as a whole (map.c) */
    uint64_t folio;
    /* true if the file system had too little room for the whole segment when it was created */
    bool scarce;
    char warning[640]; /* "", or a sentence that says why the store may hold less than its size */
};

/* A thread's private half of its slot. It is stored in memory that a fork wipes (MADV_WIPEONFORK).
 * So in a child that was made without our fork handlers, `slot` is NULL, and the thread claims a
 * new slot. */
typedef struct lrd__thread {
    struct lrd_store *store;
    /* equal to `slot` once all shards are known to be vetted (checked after an adoption, vet.c).
     * Until then `usual` is NULL, `fast` is false, and gets use the general path */
    lrd__slot *usual;
    /* number of shards that this thread knows to be vetted, in the order in which vetting.c checks
     * them */
    uint32_t vet_seen;
    uint32_t slot_index;
    int32_t tid; /* the thread's id, equal to that in slot->who */
    uint64_t started;
    uint32_t reservations; /* number of open reservations */
    /* number of forked children for which this thread still holds the lease `guardian` */
    uint32_t guarded;
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial; /* of the last reservation */
    /* time (ms) of the last regular check of the file and the clocks by a write */
    uint64_t checked;
    /* time (ms) at which the file was last found intact, by a write's check or by lrd_pressed() */
    uint64_t looked;
    /* the part of quota_bytes that the thread keeps while it holds nothing, to save a later
     * claim */
    uint64_t quota_keep;
    uint64_t written; /* bytes of keys and values written since the thread's last barrier */
    /* the thread may issue its next barrier when `written` reaches this number */
    uint64_t barrier_at;
    uint32_t crowded; /* how many shard locks this thread found taken recently: see lock.c */
    /* how many recent searches of this thread found no room in its lane: see arena.c */
    uint32_t astray;
    uint64_t holds_most; /* limit in bytes that lrd_holds_limit() has set; 0: no limit */
    bool limited; /* true if holds_most has prevented a hold since the last lrd_holds_limited() */
    /* windows of the zone that the thread has recorded in its quota: see ledger.c */
    uint32_t zone;
    /* windows of the zone in which the thread may hold blocks: it has recorded them in its quota
     * and then checked the quotas of all other threads */
    uint32_t zone_held;
    /* address in the last reserved run; the memory of the run from there on was never touched */
    uint64_t bare;
    /* true if the last search for room failed because no run of free units was long enough */
    bool scattered;
    bool pressed; /* true if memory was short in the shard of the last write: lrd_write_pressed() */
    uint32_t guard_slot[LRD__GUARDS]; /* indexes of the slots of the `guarded` children */
    /* for each guarded child: the latest time (ms, monotonic) at which this thread releases the
     * child's guardian lease */
    uint64_t guard_until[LRD__GUARDS];
    lrd__pace pace;
    lrd__spot spot; /* arguments of get_timed() that lrd_get() passes here */

    /* Every get uses the fields below. The first of them begins a cache line. They are in the same
     * page of memory as the fields above. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready; /* equal to slot, or NULL while the thread is inside a call */
    uint32_t top;     /* ledger entries from this one on are unused */
    /* the fast path may use entries below this one without a check; see ledger.h */
    uint32_t limit;
    uint32_t n;     /* slot->n; at least top */
    uint32_t free;  /* first free entry below top (0: none) */
    uint32_t freed; /* number of free entries below `top` */
    /* true if a new listing needs no fence, and the request is not too old for holds */
    bool fast;
    /* true if there are free entries below `top`, or more quota than is kept when idle */
    bool untidy;
    bool is_wide;         /* true if the index `wide` is in use */
    uint64_t held_bytes;  /* sum of holds[].bytes */
    uint64_t quota_bytes; /* bytes that the slot's quota allows */
    /* a block that ends less than zone_span bytes above this address may be in the zone */
    uintptr_t zone_at;
    uintptr_t zone_span;       /* length of the range that begins at zone_at */
    uint64_t request_until;    /* ms; 0: no request limit */
    uint64_t begun;            /* ms of the coarse clock at the last lrd_request_begin() */
    uint8_t early[LRD__EARLY]; /* indexes in `near` of the first keys that the last request held */
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* Where keys were last found. The address of a key's string selects the element. The array
     * begins at the start of a memory page. */
    _Alignas(LRD__PART) lrd__near near[LRD__NEARS];
    /* for some bits of a key's hash: the ledger entry that perhaps lists the key's block */
    uint16_t cache[LRD__CACHED];
    /* The runs that the thread allocated, by shard, the newest last: see affinity.c. */
    lrd__own_run own_runs[LRD__OWN_SETS][LRD__OWN_RUNS];
    uint32_t room; /* slot->room */
    /* The fields below are used only once the thread holds many values (wide.h). Until then their
     * pages take no memory. */
    /* the fast path may list in entries below this one without a check; see get.c */
    uint32_t wide_limit;
    uint32_t wide_noted; /* number of cells of `wide` that are in use */
    uint32_t wide[LRD__WIDE];
} lrd__thread;
/* A fork copies the fields before `wide`, but only the used part of `holds`. */
/* The first get of a request reads fields in three cache lines. The second get reads the same
 * lines. */
_Static_assert((offsetof(lrd__thread, holds) + sizeof(lrd__hold)) % 64 == 0,
               "entries 1 and 2 lie in a line");

#define LRD__OWNED 0x80000000u

#define LRD__NO_SLOT UINT32_MAX

/* Add to a number that only this thread may store (in its own slot, or in a shard under the lock),
 * and that any thread may load. So no atomic read-modify-write is needed. To subtract, pass the
 * negative of an unsigned number. */
static inline void lrd__add(_Atomic uint64_t *sum, uint64_t change)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* Return the shard's epoch. Only for the holder of the shard's lock, because only the holder stores
 * the epoch. */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
/* The owner of a page that must not be used again: a page of an immutable store whose shard lost
 * its entries. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
/* a shard reclaims when this many bytes are retired, and again after the same number */
#define LRD__RECLAIM_MIN 4096u
/* blocks larger than this are committed by the thread that builds them, outside the lock */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* The functions that lrd__queue_fsck() calls. `wrong` reports a violation. `see` records that a
 * block is in use, and returns false if no block can be at its place. Both get `run` as their first
 * argument. [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
