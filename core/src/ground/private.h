/* private.h - the private structs of a process and of a thread, and helpers of all files of the
 * core. layout.h has the structs in shared memory.
 *
 * Functions marked [locked] need the shard's lock, [thread] the calling thread's slot. Nothing here
 * calls a host, allocates private memory or can longjmp while a lock is held. */
#pragma once

#include "ground/assert.h"
#include "ground/layout.h"

#include <string.h>
#include <sys/mman.h>

#define LRD__STORES_MAX 32u
/* ledger entries that holds leave free for values under construction */
#define LRD__RESERVATION_ENTRIES 16u
/* a thread with more listings finds its entries by an index: see memory/wide.h */
#define LRD__NARROW (LRD__LEDGER_FIRST - LRD__RESERVATION_ENTRIES)
/* a thread makes this number of new listings between two looks at the clock */
#define LRD__CLOCK_ENTRIES 16u
#define LRD__GUARDS 32u        /* the most forked children whose guardian one thread can be */
#define LRD__REQUEST_MS 60000u /* a request older than this lists nothing new */
/* ms for which memory is not requested again after the file system was full */
#define LRD__MEMORY_MS 1000u

/* Put the functions of most writes side by side, so that the first writes of a process or a
 * request load fewer pages and cache lines. */
#define LRD__HOT __attribute__((hot))
/* A step of these functions that has one caller. It is inlined, which avoids a call and the
 * saving of registers. */
#define LRD__STEP inline __attribute__((always_inline, hot))
/* The core is one unit, so an inline function with external linkage may use static ones. */
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

/* A fail point stands at each store that publishes something. Tests count the fail points, and
 * kill the process at one of them or let it sleep there. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Broken variants for the control tests, which must fail. */
#ifdef LRD_CONTROLS
extern bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier,
    lrd__control_clear_first, lrd__control_mark_first, lrd__control_no_zone, lrd__control_no_evict,
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only,
    lrd__control_stamp_late, lrd__control_fill_late, lrd__control_any_form, lrd__control_count_torn,
    lrd__control_no_flux, lrd__control_no_recovery, lrd__control_scan_first;
/* Widen the gap that a broken order leaves. A test that stops at each instruction needs no gap. */
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

/* Count a loss of the shard in `emptied`, before the repair drops its first entry. If the
 * process dies in between, the loss is counted twice, but never not at all. */
static inline void lrd__shard_lost(lrd__shard *shard, bool *told)
{
    if (!*told)
        atomic_fetch_add_explicit(&shard->emptied, 1, memory_order_relaxed);
    *told = true;
}

#define LRD__RESERVED ((uint64_t)1 << 63)
/* A thread's private half of one entry of its ledger. */
typedef struct lrd__hold {
    /* equal to slot->ledger[entry]; with LRD__RESERVED: the block is under construction */
    uint64_t listed;
    uint64_t bytes;  /* bytes of the block that count against the quota */
    uint64_t serial; /* != 0: an open reservation */
    /* number of handles; UINT32_MAX: too many to count, so the hold lasts to the end of the
     * request */
    uint32_t count;
    uint32_t next; /* of the free entries */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* The place where a fast get found a key: a guess for the next get of the same string. The index
 * and the block decide. */
typedef struct lrd__near {
    _Atomic uint64_t *at; /* the word in the index */
    uint64_t word;        /* value of that word */
    uint64_t tail;        /* the last eight bytes of the key */
    uint16_t entry;       /* the ledger entry that perhaps lists the block */
    uint8_t length;       /* of the key; 0: none */
} lrd__near;
_Static_assert(sizeof(lrd__near) == 32, "two to a cache line");
#define LRD__NEARS 128
/* number of ledger entries whose keys are remembered from request to request */
#define LRD__EARLY 8u

/* An entry that a get has protected, and the get's arguments. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* listed by this get */
} lrd__spot;

#define LRD__CACHED 1024
#define LRD__WIDE 65536u /* cells of the index of a ledger that has grown; a power of two */
_Static_assert(LRD_HOLDS_MAX <= UINT16_MAX && LRD__WIDE >= 2 * LRD_HOLDS_MAX,
               "entries are 16 bits, and half of the cells stay free");

/* The rows of a thread's key reservations: see keylock.c. */
#define LRD__KEYLIST_FEW 16u
typedef struct lrd__keylist {
    uint32_t used;     /* upper bound of reservations; 0: there is none */
    uint32_t unlisted; /* reservations in no entry, because memory was short */
    /* entries of ended requests that are not unlocked yet, because their shard was busy */
    uint32_t left;
    uint32_t top;   /* entries from this one on are free */
    uint32_t free;  /* list of free entries below top: entry + 1 */
    uint32_t *more; /* further entries after the first few; a fork does not inherit them */
    uint32_t few[LRD__KEYLIST_FEW]; /* row + 1 */
} lrd__keylist;

/* How often a consumer of a queue is woken, and how many messages arrive in its rests: see
 * queue_wait.c. */
typedef struct lrd__pace {
    const struct lrd__queue *queue; /* NULL: nothing is known */
    uint64_t since;                 /* ms when counting began */
    uint32_t pauses;                /* sleeps since the last change, or rests in a row */
    uint32_t taken;                 /* messages taken since then, or since the last rest */
    uint32_t patience;              /* number of sleeps before it may rest */
    uint32_t expected;              /* messages expected of a rest, in sixteenths; 0: do not rest */
    uint32_t mean;                  /* recent mean of messages in a rest, in sixteenths */
} lrd__pace;

/* A run that a thread has allocated, and prefers to allocate again. */
#define LRD__OWN_SETS 8u
#define LRD__OWN_RUNS 8u
typedef struct lrd__own_run {
    uint32_t first, units; /* units 0: none */
} lrd__own_run;

struct lrd_store {
    /* read on every get */
    uint8_t *data; /* the data, read only, at header->base */
    lrd__bucket *buckets;
    const lrd__view *view; /* the header's */
    lrd__header *header;
    uint64_t seed;
    uint64_t buckets_first; /* buckets of all shards before the index has grown */
    uint32_t id;            /* index in lrd__threads */
    bool fence, listed;     /* reads use the ledger (false in an immutable store) */
    bool evicts, expires;
    /* this is a forked child that got no slot for its inherited holds, so it may not read */
    bool barred;
    bool watched; /* look_at is not UINT64_MAX: the file is checked */
    /* the rest */
    bool created;
    /* value of header->slots_freed when this process found no slot */
    _Atomic uint64_t no_slot_freed;
    /* coarse ms until which this process does not search for a slot again */
    _Atomic uint64_t no_slot_until;
    /* coarse ms until which this process does not search for a spare slot */
    _Atomic uint64_t no_spare_until;
    /* number of buckets, of all shards, whose frequencies were lowered: lrd__evict_cool() */
    _Atomic uint64_t cooled;
    /* monotonic ms until which searches for room avoid the lock of shard `stalled` */
    _Atomic uint64_t stalled_until;
    /* shard + 1 whose lock a search for room did not get in time; 0: none */
    _Atomic uint32_t stalled;
    /* number of entries and slots that this process's last ledger scan read */
    _Atomic uint32_t scanned;
    /* monotonic ms before which this process does not try to commit the zone again */
    _Atomic uint64_t feed_at;
    /* number of threads of this process with a slot, + 1 while the store is open */
    _Atomic uint32_t users;
    uint8_t *window; /* the data, read-write: the window */
    uint8_t *control;
    lrd__gate *gates;   /* one a shard */
    lrd__shard *shards; /* stride sizeof */
    _Atomic uint16_t *quotas;
    /* owner words, per page: 0 free, else LRD__OWNED | shard << 8 | class */
    _Atomic uint32_t *owners;
    lrd__page *pages;
    lrd__bits *bits;
    /* per unit of an allocated run: its units at the start, else 0. Shard lock holder stores,
     * before the run can be listed */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* links of the eviction queues, per index slot: see LRD__LINK */
    /* per LRD__TIMER_CHUNK buckets: whether their timers are committed. The thread that committed
     * them stores (release) */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* per index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* owner of each chunk of rows: see keyrow.c */
    /* per shard LRD__KEYLOCK_HEADS: chains of rows by hash, row + 1. Shard lock */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    /* parts of a store of queues, else NULL: see queue_layout.h */
    struct lrd__queue_shard *queue_shards;
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* device and inode of the file, as the header has them */
    /* monotonic ms at which the file is checked next; UINT64_MAX: never */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* result of the last check: LRD_OK, LRD_EMOVED, LRD_ETRUNCATED */
    /* device and inode of "/" when the store was opened; under another root the name has no
     * meaning */
    uint64_t root_device, root_inode;
    /* a value of lrd__lost: the part of the control mapping that was replaced by private memory,
     * all zero */
    _Atomic uint32_t lost;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* Per page of the data a bit for each part that this process has mapped in the window, as far
     * as it knows: a hint, that any thread sets and a fork wipes. NULL until something is
     * written. */
    _Atomic(_Atomic uint16_t *) mapped;
    /* A bit for each mini page, and the number of each shard's message rows, that this process
     * has mapped. A fork leaves them unchanged, which costs the child faults. */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    /* bytes of an aligned part of the file that is committed as a whole (map.c) */
    uint64_t folio;
    bool scarce;       /* when the segment was created, its file system could not take all of it */
    char warning[640]; /* "", or a sentence that says why the store may hold less than its size */
};

/* A thread's private half of its slot. Lies in memory that a fork wipes (MADV_WIPEONFORK): in a
 * child that was made without our handlers slot is NULL, and the thread claims a new one. */
typedef struct lrd__thread {
    struct lrd_store *store;
    /* equal to slot once all shards are known to be vetted. Until then it is NULL, fast is
     * false, and gets use the general path */
    lrd__slot *usual;
    /* number of shards that this thread knows to be vetted, in the order of vetting.c */
    uint32_t vet_seen;
    uint32_t slot_index;
    int32_t tid; /* the thread's identity, equal to that in slot->who */
    uint64_t started;
    uint32_t reservations; /* open ones */
    uint32_t guarded;      /* number of children whose guardian this thread still holds */
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial;     /* of the last reservation */
    uint64_t checked;    /* ms of the last chores of a write, which check the file and the clocks */
    uint64_t looked;     /* ms at which the file was last found whole, by chores or lrd_pressed() */
    uint64_t quota_keep; /* the part of quota_bytes that the thread keeps while it holds nothing */
    uint64_t written;    /* bytes of keys and values written since the thread's last barrier */
    uint64_t barrier_at; /* bytes after which this thread may issue the next barrier */
    uint32_t crowded;    /* recent number of shard locks that it found taken: see lock.c */
    uint32_t astray;     /* recent number of searches without room in its lane: see arena.c */
    uint64_t holds_most; /* limit in bytes that lrd_holds_limit() set; 0: no limit */
    bool limited;        /* it has refused something */
    uint32_t zone;       /* windows of the zone that the thread has recorded in its quota */
    /* those of these windows that its holds may bar, because the other quotas were checked */
    uint32_t zone_held;
    /* address in the last reserved run; the memory from there on was never touched */
    uint64_t bare;
    bool scattered; /* the last search for room failed for lack of a contiguous run */
    bool pressed;   /* memory was short in the shard of its last write: lrd_write_pressed() */
    uint32_t guard_slot[LRD__GUARDS];  /* slot indexes of the guarded children */
    uint64_t guard_until[LRD__GUARDS]; /* ms at which each guardian is released at the latest */
    lrd__pace pace;
    lrd__spot spot; /* arguments passed from lrd_get() to get_timed() */

    /* Every get uses these fields. They start a cache line, in the page of the fields above. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready; /* equal to slot, or NULL while the thread is inside a call */
    uint32_t top;     /* ledger entries from this one on are unused */
    /* the fast path may take entries below this one without a check; see ledger.h */
    uint32_t limit;
    uint32_t n;           /* slot->n; at least top */
    uint32_t free;        /* first free entry below top (0: none) */
    uint32_t freed;       /* number of free entries below top */
    bool fast;            /* a new listing needs no fence, and the request is not too old */
    bool untidy;          /* free entries below top, or more quota than is kept, when idle */
    bool is_wide;         /* the index `wide` is in use */
    uint64_t held_bytes;  /* of all ledger entries */
    uint64_t quota_bytes; /* bytes that the slot's quota allows */
    /* a block that ends less than zone_span bytes above this address may bar a window of the
     * zone */
    uintptr_t zone_at;
    uintptr_t zone_span;       /* length of that range; see zone_at */
    uint64_t request_until;    /* ms; 0: no request limit */
    uint64_t begun;            /* ms of the coarse clock at the last lrd_request_begin() */
    uint8_t early[LRD__EARLY]; /* places in `near` of the first keys that the last request held */
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* The last known place of each key, by the address of its string. The array has a page of
     * its own. */
    _Alignas(LRD__PART) lrd__near near[LRD__NEARS];
    /* the ledger entry that perhaps lists a block, by the hash of its key */
    uint16_t cache[LRD__CACHED];
    /* The runs that the thread allocated, by shard, the newest last: see affinity.c. */
    lrd__own_run own_runs[LRD__OWN_SETS][LRD__OWN_RUNS];
    uint32_t room; /* slot->room */
    /* A thread uses the following fields only once it holds many values, see wide.h. Until then
     * their pages have no memory. */
    /* the fast path may list entries below this one without a check; see get.c */
    uint32_t wide_limit;
    uint32_t wide_noted; /* number of cells of `wide` that are in use */
    uint32_t wide[LRD__WIDE];
} lrd__thread;
/* A fork copies the first part of holds, and the fields between holds and wide. */
/* The first get of a request reads fields in three cache lines, and the second get reads the same
 * lines. */
_Static_assert((offsetof(lrd__thread, holds) + sizeof(lrd__hold)) % 64 == 0,
               "entries 1 and 2 lie in a line");

#define LRD__OWNED 0x80000000u

#define LRD__NO_SLOT UINT32_MAX

/* Add to a number that only this thread may store (of its own slot, or of a shard under the
 * lock) and anyone may load. So no atomic read-modify-write is needed. change may be the
 * negative of an unsigned. */
static inline void lrd__add(_Atomic uint64_t *sum, uint64_t change)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* Return the shard's epoch. Only for the holder of its lock, the only thread that stores it. */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
/* The owner of a page that must not be used again: a page of an immutable store whose shard was
 * emptied. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
/* retired bytes of a shard before its first reclaim, and before its second */
#define LRD__RECLAIM_MIN 4096u
/* a larger block is committed by its builder, outside the lock */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* Check the shard's queues and messages. The function `see` notes that a block is in use; it
 * returns false if no block can lie there. [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
