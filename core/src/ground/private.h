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
/* ledger entries that are kept free for values under construction */
#define LRD__RESERVATION_ENTRIES 16u
/* a thread with more entries finds them by an index: see memory/wide.h */
#define LRD__NARROW (LRD__LEDGER_FIRST - LRD__RESERVATION_ENTRIES)
/* a thread looks at the clock again after this number of new listings */
#define LRD__CLOCK_ENTRIES 16u
/* largest number of forked children for which one thread can hold the lease `guardian` */
#define LRD__GUARDS 32u
#define LRD__REQUEST_MS 60000u /* age of a request, in ms, from which on it gets no new holds */
/* ms for which memory is not requested again after the file system was full */
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
 * this model. */
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

/* A fail point stands at each store that publishes something. Tests count fail points. They kill
 * the process at one of them, or let it sleep there. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Switches that break the code on purpose. Control tests turn one on and must then fail. */
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

/* Count a loss of the shard in `emptied`, before the repair drops its first entry. If the process
 * dies in between, the loss is counted twice, which is better than not at all. */
static inline void lrd__shard_lost(lrd__shard *shard, bool *told)
{
    if (!*told)
        atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    *told = true;
}

#define LRD__RESERVED ((uint64_t)1 << 63)
/* The private half of one ledger entry. */
typedef struct lrd__hold {
    /* equal to slot->ledger[entry], with LRD__RESERVED if the block is under construction */
    uint64_t listed;
    uint64_t bytes;  /* bytes of the block that the thread's quota counts */
    uint64_t serial; /* != 0: an open reservation */
    /* number of handles. UINT32_MAX: too many to count, so the block stays held until the request
     * ends */
    uint32_t count;
    uint32_t next; /* in a free entry: the next free one; 0: none */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* The place where a fast get found a key: a guess for the next get of the same string, checked
 * against the index and the block. */
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
    uint32_t used;     /* the number of reservations, or more; 0: no reservations */
    uint32_t unlisted; /* reservations that are not in the list, because memory was short */
    /* reservations of ended requests that are not unlocked yet, because their shard was busy */
    uint32_t left;
    uint32_t top;   /* entries from this one on are free */
    uint32_t free;  /* list of free entries below top: entry + 1 */
    uint32_t *more; /* more entries, behind the first few; a forked child does not have them */
    uint32_t few[LRD__KEYLIST_FEW]; /* row + 1 */
} lrd__keylist;

/* The rhythm of a consumer of a queue: how often it is woken, and how many messages arrive while it
 * rests. To rest means to sleep a little before the next look. See queue_wait.c. */
typedef struct lrd__pace {
    const struct lrd__queue *queue; /* NULL: nothing is known */
    uint64_t since;                 /* ms when counting began */
    uint32_t pauses; /* sleeps since counting began; if it rests, rests in sequence */
    /* messages taken since counting began; if it rests, since the last rest */
    uint32_t taken;
    uint32_t patience; /* number of sleeps before it may rest */
    /* messages expected during a rest, in sixteenths; 0: do not rest */
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
    bool fence, listed;     /* listed: reads use the ledger. False in an immutable store */
    bool evicts, expires;
    /* this is a forked child that found no slot for the holds it inherited, so it may not read */
    bool barred;
    bool watched; /* the file is checked now and then: look_at is not UINT64_MAX */
    /* fields that gets do not read */
    bool created;
    /* value of header->slots_freed when this process found no free slot */
    _Atomic uint64_t no_slot_freed;
    /* coarse ms until which this process does not search for a slot again */
    _Atomic uint64_t no_slot_until;
    /* coarse ms until which this process does not search for a spare slot */
    _Atomic uint64_t no_spare_until;
    /* number of buckets, over all shards, whose use counts were lowered: lrd__evict_cool() */
    _Atomic uint64_t cooled;
    /* monotonic ms until which searches for room avoid the shard `stalled` */
    _Atomic uint64_t stalled_until;
    /* shard + 1 whose lock a search for room could not get in time; 0: none */
    _Atomic uint32_t stalled;
    /* number of entries and slots that this process's last scan of all ledgers read */
    _Atomic uint32_t scanned;
    /* true if the thread that made the last barrier was the only one with a slot, and few slots
     * were ever used. Only decides how often to reclaim, so it may be out of date */
    _Atomic bool alone;
    /* monotonic ms before which this process does not try to commit the zone again */
    _Atomic uint64_t feed_at;
    /* number of threads of this process that have a slot, + 1 while the store is open */
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
    /* for each unit: if a run begins there, its number of units, else 0. Shard lock holder stores,
     * before any thread can list the run */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* per index slot: links of the eviction queues, see LRD__LINK */
    /* for each LRD__TIMER_CHUNK buckets: 1 if memory for their timers is committed. The thread that
     * commits it stores (release) */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* per index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* owner of each chunk of rows: see keyrow.c */
    /* for each shard, LRD__KEYLOCK_HEADS hash chains of reservation rows: row + 1. Shard lock */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    /* only in a store of queues, else NULL: see queue_layout.h */
    struct lrd__queue_shard *queue_shards;
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* device and inode of the file, as in the header */
    /* monotonic ms at which the file is checked next; UINT64_MAX: never */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* result of the last check: LRD_OK, LRD_EMOVED, LRD_ETRUNCATED */
    /* device and inode of "/" when the store was opened. Under another root the path means
     * nothing */
    uint64_t root_device, root_inode;
    /* the part of the control mapping that was lost and replaced by private memory, all zero: a
     * value of lrd__lost */
    _Atomic uint32_t lost;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* for each page of the data, a bit for each part that this process has mapped in the window, as
     * far as it knows. A hint, which any thread sets and a fork wipes. NULL until something is
     * written */
    _Atomic(_Atomic uint16_t *) mapped;
    /* the mini pages (a bit for each) and the number of each shard's message rows that this process
     * has mapped. A forked child keeps them although it has nothing mapped, which only costs it
     * faults */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    /* bytes of the aligned part of the file that is committed as a whole (map.c) */
    uint64_t folio;
    /* the file system had too little room for the whole segment when it was created */
    bool scarce;
    char warning[640]; /* "", or a sentence that says why the store may hold less than its size */
};

/* A thread's private half of its slot. Lies in memory that a fork wipes (MADV_WIPEONFORK). So in a
 * child that was made without our fork handlers, slot is NULL, and the thread claims a new one. */
typedef struct lrd__thread {
    struct lrd_store *store;
    /* equal to slot once all shards are known to be vetted (checked after an adoption, vet.c).
     * Until then it is NULL, fast is false, and gets use the general path */
    lrd__slot *usual;
    /* number of shards that this thread knows to be vetted, in the order in which vetting.c checks
     * them */
    uint32_t vet_seen;
    uint32_t slot_index;
    int32_t tid; /* the thread's id, equal to that in slot->who */
    uint64_t started;
    uint32_t reservations; /* number of open reservations */
    /* forked children for which this thread still holds the lease `guardian` */
    uint32_t guarded;
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial;  /* of the last reservation */
    uint64_t checked; /* ms of the last regular check of the file and the clocks by a write */
    /* ms at which the file was last found intact, by a write's check or by lrd_pressed() */
    uint64_t looked;
    /* the part of quota_bytes that the thread keeps while it holds nothing, to save a later
     * claim */
    uint64_t quota_keep;
    uint64_t written;    /* bytes of keys and values written since the thread's last barrier */
    uint64_t barrier_at; /* bytes after which this thread may issue the next barrier */
    uint32_t crowded;    /* how many shard locks this thread found taken recently: see lock.c */
    /* how many recent searches of this thread found no room in its lane: see arena.c */
    uint32_t astray;
    uint64_t holds_most; /* limit in bytes that lrd_holds_limit() set; 0: no limit */
    bool limited;        /* holds_most has prevented a hold since lrd_holds_limited() was called */
    /* windows of the zone that the thread has recorded in its quota: see ledger.c */
    uint32_t zone;
    /* windows of the zone in which the thread may hold blocks, because it recorded them in its
     * quota and then checked the quotas of all other threads */
    uint32_t zone_held;
    /* address in the last reserved run from which on the memory was never touched */
    uint64_t bare;
    /* the last search for room failed because no run of free units was long enough */
    bool scattered;
    bool pressed; /* memory was short in the shard of its last write: lrd_write_pressed() */
    uint32_t guard_slot[LRD__GUARDS]; /* indexes of the slots of the `guarded` children */
    /* for each guarded child: the latest time (ms, monotonic) at which this thread releases the
     * child's guardian lease */
    uint64_t guard_until[LRD__GUARDS];
    lrd__pace pace;
    lrd__spot spot; /* arguments that lrd_get() passes to get_timed() */

    /* Every get uses the fields below. They start a cache line, in the page of the fields above. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready; /* equal to slot, or NULL while the thread is inside a call */
    uint32_t top;     /* ledger entries from this one on are unused */
    /* the fast path may use entries below this one without a check; see ledger.h */
    uint32_t limit;
    uint32_t n;     /* slot->n; at least top */
    uint32_t free;  /* first free entry below top (0: none) */
    uint32_t freed; /* number of free entries below `top` */
    /* a new listing needs no fence, and the request is not too old for holds */
    bool fast;
    /* there are free entries below top, or more quota than is kept when idle */
    bool untidy;
    bool is_wide;         /* the index `wide` is in use */
    uint64_t held_bytes;  /* sum of holds[].bytes */
    uint64_t quota_bytes; /* bytes that the slot's quota allows */
    /* a block whose end is less than zone_span bytes above this address may lie in the zone */
    uintptr_t zone_at;
    uintptr_t zone_span;       /* length of the range that begins at zone_at */
    uint64_t request_until;    /* ms; 0: no request limit */
    uint64_t begun;            /* ms of the coarse clock at the last lrd_request_begin() */
    uint8_t early[LRD__EARLY]; /* indexes in `near` of the first keys that the last request held */
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* Where keys were last found. The address of a key's string selects the element. The array
     * begins at the start of a memory page. */
    _Alignas(LRD__PART) lrd__near near[LRD__NEARS];
    /* for a hash of a key: the ledger entry that perhaps lists its block */
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

/* Return the shard's epoch. Only for the holder of the shard's lock, because only it stores the
 * epoch. */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
/* The owner of a page that must not be used again: a page of an immutable store whose shard lost
 * its entries. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
/* a shard first reclaims at this number of retired bytes, and again after as many more */
#define LRD__RECLAIM_MIN 4096u
/* blocks larger than this are committed by the thread that builds them, outside the lock */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* The functions that lrd__queue_fsck() calls. `wrong` reports a violation. `see` records that a
 * block is in use, and returns false if no block can lie there. Both get `run`. [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
