/* internal.h - the shared layouts, the private structs, and what the core's files offer each other.
 *
 * Everything named lrd__*_shared or laid out below "shared layouts" lies in the control mapping of
 * the segment and is pinned by static assertions; a change there raises LRD__LAYOUT. Shared memory
 * holds no pointers: pages, blocks, index slots and threads are named by numbers. (Values may hold
 * pointers into the read-only alias, which has the same address in every process.)
 *
 * Who may call what: functions marked [locked] need the shard's lock, [thread] the calling thread's
 * slot. Nothing here calls a host, allocates private memory or can longjmp while a lock is held.
 */
#ifndef LRD_INTERNAL_H
#define LRD_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* before the first system header: memfd_create, OFD locks */
#endif

#include "larder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define LRD__MAGIC 0x31726564726c0a1aull
#define LRD__LAYOUT 2u

#define LRD__PAGE_BITS 16u /* a page: 64 KiB, belongs to one shard and one size class */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* a unit: 1 KiB, what runs (blocks above 8 KiB) are made of */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
#define LRD__GRANULE_BITS 4u /* a granule: 16 bytes, what offsets in index words count */
#define LRD__SMALL_MAX 8192u /* bytes of the largest block in a size class */
#define LRD__CLASSES 53u     /* 64 80 96 112 128, then 8 per doubling up to 8192 */
#define LRD__CLASS_RUN 53u
#define LRD__PAGE_WORDS 16u /* 64-bit words of a page's bitmap: 1024 blocks of 64 bytes */
#define LRD__WAYS 7u        /* index words in a bucket */
#define LRD__PROBES 8u      /* buckets an entry may be away from home, itself included */
#define LRD__FREQ_MAX 3u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel: 128 ms */
#define LRD__GHOST_WAYS 4u
#define LRD__KEYLOCKS 64u /* key reservations a shard can have at once */
#define LRD__STORES_MAX 32u
#define LRD__QUOTA_UNITS 4096u       /* quotas count 1/4096 of the data */
#define LRD__QUOTA_KEEP 1u           /* units a thread keeps while it holds nothing */
#define LRD__REQUEST_MS 60000u       /* a request older than this lists nothing new */
#define LRD__RESERVATION_ENTRIES 16u /* of the ledger, that holds leave free */
#define LRD__CLOCK_ENTRIES 16u       /* new listings between two looks at the clock */
#define LRD__GUARDS 32u              /* forked children a thread can be guardian of at once */
#define LRD__ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(uint64_t)((a)-1))

/* Fail points: tests count the stores that publish something and kill the process at one. */
#ifdef LRD_FAILPOINTS
void lrd__failpoint(const char *name);
#define LRD__FAILPOINT(name) lrd__failpoint(name)
#else
#define LRD__FAILPOINT(name) ((void)0)
#endif
/* Broken variants for the control tests, which must fail. */
#ifdef LRD_CONTROLS
extern bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier;
#define LRD__CONTROL(name) __builtin_expect(lrd__control_##name, 0)
#else
#define LRD__CONTROL(name) false
#endif

/* ---- shared layouts -------------------------------------------------------------------------- */

/* A block: one contiguous piece of the data.
 *
 *   +0  expiry  +8 version  +16 size  +24 epoch  +28 key_len +30 type +31 pad | key | pad | value
 *                                                                       +32           16-aligned
 * Immutable once published but for expiry and the value of a counter. */
typedef struct lrd__block {
    _Atomic uint64_t expiry; /* ms of the store's clock, 0: never. Shard lock holder stores */
    uint64_t version;        /* stamped at publish */
    uint64_t size;           /* bytes of the value */
    uint32_t epoch;          /* stamped at publish; another epoch than the header's: cleared */
    uint16_t key_len;
    uint8_t type;
    uint8_t reserved;
} lrd__block;
_Static_assert(sizeof(lrd__block) == 32, "layout: block");

/* A bucket of the index: one cache line.
 * word: {tag 25, displacement 3, offset 36}; 0: empty. Offset in granules of the data. The
 * displacement is how many buckets from home the entry lies, so recovery needs no block. */
typedef struct lrd__bucket {
    _Atomic uint64_t
        word[LRD__WAYS]; /* shard lock holder stores (release); anyone loads (acquire) */
    _Atomic uint8_t freq[LRD__WAYS]; /* anyone stores, lossy: 0..LRD__FREQ_MAX */
    _Atomic uint8_t displaced;       /* shard lock holder: entries whose probe passed here;
                                         255 sticks until recovery */
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* A page of the data, apart from its owner (kept dense in its own array for scans). */
typedef struct lrd__page {
    _Atomic uint64_t drain; /* slot index + 1 << 32 | low incarnation of a writer that collects this
                               page for a large value: nobody else claims it while it is free. Void
                               once that writer is gone. The collector stores (seq_cst) */
    uint32_t next;  /* page number + 1 in its shard's list (small pages any order, run pages by */
    uint32_t prev;  /*   address), 0: none. Shard lock */
    uint32_t anext; /* the same for the class's list of pages with room */
    uint32_t aprev;
    _Atomic uint16_t used; /* blocks (units in a run page) that are allocated. Shard lock stores */
    _Atomic uint16_t retired; /* of these, retired. Shard lock stores; anyone loads, to choose */
    uint16_t hint;            /* no free block below this bitmap word */
    uint8_t avail;            /* is in the list of pages with room */
    _Atomic uint8_t
        committed;  /* has file system pages behind it. Who committed it stores (release),
                                  for long runs without the lock; who writes there loads (acquire) */
    uint8_t marked; /* some of its held bits are set. Shard lock */
    uint8_t pad[31];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

typedef struct lrd__bits {
    uint64_t allocated[LRD__PAGE_WORDS]; /* shard lock */
    uint64_t retired[LRD__PAGE_WORDS];   /* shard lock; only ever set where allocated is */
    uint64_t held[LRD__PAGE_WORDS];      /* scratch of the ledger scan, under the shard lock */
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* Who holds a lock: for owners whose death the kernel could not tell. */
typedef struct lrd__who {
    _Atomic uint64_t
        thread; /* start time, as /proc gives it, << LRD__TID_BITS | id, 0: unknown. One
                                    word, so that no id is ever seen with another thread's time.
                                    The holder stores (release); anyone loads (acquire) */
    _Atomic uint64_t gone_since; /* ms when it was first seen gone without an owner-died mark */
    uint64_t pad;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 24, "layout: who");
#define LRD__TID_BITS 22u /* ids are below 2^22 (PID_MAX_LIMIT); 42 bits of ticks are 1,390 years */

/* One reservation of a key. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    uint64_t token;               /* 0: free */
    uint64_t until;               /* ms, 0: no lease */
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    uint32_t pad;
    uint64_t pad2[2];
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* What one shard's lock guards, but for the arrays that the geometry places elsewhere.
 * All fields are stored by the lock's holder only; statistics are loaded by anyone. */
typedef struct lrd__shard {
    _Alignas(64) pthread_mutex_t lock; /* robust, process-shared, NORMAL */
    _Alignas(64) lrd__who holder;
    _Atomic uint32_t futex;   /* raised when a key reservation ends; waiters sleep here */
    _Atomic uint32_t waiters; /* flag: somebody may sleep on futex. Lock holder */
    _Atomic uint32_t
        epoch;             /* header epoch that live_* below are about. Lock holder stores (release,
                                 after the counts it moved); statistics load (acquire) */
    _Atomic uint32_t flux; /* index slot + 1 whose expiry is being changed */
    uint32_t dead_entries; /* entries of older epochs, not yet swept */
    uint32_t sweep_bucket; /* where the sweep of old epochs goes on */
    uint32_t full_deletes; /* header->deletes when a search for room failed ... */
    uint64_t full_until;   /* ... which is not repeated before (ms), nor ... */
    uint64_t full_bytes;   /* ... for a block of this size or more */
    uint64_t version;      /* last version given */
    uint64_t token;        /* last key reservation token given */

    _Alignas(64) _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes;    /* block bytes (class or run size) of live entries */
    _Atomic uint64_t dead_bytes;    /* of entries of older epochs */
    _Atomic uint64_t retired_bytes; /* of retired blocks, open reservations included */
    _Atomic uint64_t page_bytes;    /* of pages this shard owns */
    uint64_t reclaim_at;            /* retired bytes at which the next batch is reclaimed */

    _Alignas(64) _Atomic uint64_t inserts;
    _Atomic uint64_t replaces, deletes, expired, evicted, ghost_hits;
    _Atomic uint64_t refused; /* fetch-add, also by who did not get the lock */
    _Atomic uint64_t recoveries, emptied;
    _Atomic uint64_t busy; /* as refused */

    /* arena.c */
    uint32_t small_pages, run_pages;  /* heads: page number + 1 */
    uint32_t page_count;              /* pages this shard owns */
    uint32_t rotor;                   /* where the next search for a victim page starts */
    uint32_t avail[LRD__CLASSES + 1]; /* heads per class (run pages have no such list) */

    /* evict.c: FIFO queues of index slots, linked by queue_next; slot + 1, 0: none */
    uint32_t small_head, small_tail, main_head, main_tail;
    uint64_t small_bytes, main_bytes; /* block bytes of live entries queued there */
    uint32_t main_count;              /* live entries queued there */
    uint32_t ghost_seq;               /* evictions remembered so far */

    /* expiry.c: timing wheel of index slots, linked by wheel_next and wheel_prev */
    uint32_t wheel_tick; /* all ticks up to here were handled */
    uint32_t wheel_count;
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    lrd__keylock keylocks[LRD__KEYLOCKS];
} lrd__shard;
_Static_assert(sizeof(pthread_mutex_t) <= 64, "layout: mutex");
_Static_assert(sizeof(lrd__shard) <= 8192, "layout: shard");

/* A thread's place in the store. Two leases tell whether its owner lives: the slot is dead only
 * when neither is held (guardian: the parent, during a fork, until the child holds owner). */
typedef struct lrd__slot {
    _Alignas(64) pthread_mutex_t owner;    /* robust; held by the owning thread while it lives */
    _Alignas(64) pthread_mutex_t guardian; /* robust; held by a forking parent for its child */
    _Alignas(64) _Atomic uint64_t incarnation; /* raised by every claim and every reaping */
    _Atomic uint32_t claimed;                  /* 0 free, 1 in use. Who holds a lease stores it */
    lrd__who who;                              /* of owner; tid is not 0 once it holds that lease */
    lrd__who guard;                            /* of guardian */

    /* The owner alone stores the rest; scanners load. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies;

    /* The ledger. An entry is a block's offset in granules + 1, or 0: nothing. Entry 0 is not used;
     * those at and above n are void. Owner stores (release); scanners load (acquire) after a
     * barrier. */
    _Alignas(64) _Atomic uint64_t n;
    _Atomic uint64_t spare; /* one more entry, for reads that copy at once */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
#define LRD__SLOT_SIZE 12288u
_Static_assert(sizeof(lrd__slot) <= LRD__SLOT_SIZE, "layout: slot");

/* Start of the segment. */
enum { LRD__STATE_BLANK = 0, LRD__STATE_READY = 0x52454459 };
typedef struct lrd__header {
    uint64_t magic;
    uint32_t layout;        /* LRD__LAYOUT */
    _Atomic uint32_t state; /* READY is stored last; anything else is not trusted */
    /* constant from here to sum, which is their XXH3 */
    uint64_t size, base, seed, file_size;
    uint64_t device, inode;                  /* of this very file: a copy is refused */
    uint32_t policy, shards, slots, buckets; /* buckets: per shard */
    uint32_t fence, word_size;
    char boot_id[40];
    char libc[32];
    char value_abi[64];
    uint64_t sum;
    /* set by the first process that attaches, under the file's lock */
    _Atomic uint64_t namespace_device, namespace_inode; /* PID namespace of all users */
    _Atomic uint64_t time_namespace; /* inode, on the same device, of their time namespace; 0: the
                                        kernel has none. Start times and clocks differ between them */
    /* variable */
    _Alignas(64) _Atomic uint32_t epoch; /* raised by lrd_clear; every reader loads it */
    _Alignas(64) _Atomic uint64_t
        clock_offset;                        /* boot time - monotonic time, ms; writers refresh */
    _Alignas(64) pthread_mutex_t slots_lock; /* robust: who claims a slot holds it */
    _Alignas(64) _Atomic uint64_t handovers; /* raised after a hold was copied from one slot to
                                                another and before the first may let go: a ledger
                                                scan that sees it change starts again */
    _Atomic uint32_t slots_high;             /* slots at and above were never claimed */
    lrd__who slots_holder;                   /* of slots_lock */
    _Atomic uint64_t pages_hint; /* version, raised whenever a page becomes free, << 32 | page: none
                                    below it is free */
    _Atomic uint32_t window_rotor; /* where the search for a window of pages goes on */
    _Atomic uint32_t deletes;      /* raised by deletes where the policy does not evict */
    _Atomic uint64_t reaped;       /* slots of dead owners that were given back */
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* Where the areas of the control mapping lie; a pure function of five numbers, so that nothing
 * read from a file has to be trusted. Offsets in bytes from the start of the file. */
typedef struct lrd__geometry {
    /* given */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* derived */
    uint64_t pages, words;      /* words: of all shards */
    uint32_t shard_words;       /* index slots of a shard: buckets * LRD__WAYS */
    uint32_t shard_entries_max; /* 0.6 of them */
    uint32_t ghost_sets;        /* per shard, of LRD__GHOST_WAYS entries; a power of two */
    uint64_t shards_at, quotas_at, slots_at, owners_at, pages_at, bits_at, run_len_at, buckets_at,
        expiry_at, wheel_next_at, wheel_prev_at, queue_next_at, slot_flags_at, ghost_at;
    uint64_t control_size; /* of the control mapping */
    uint64_t data_at;      /* control_size rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* ---- private structs ------------------------------------------------------------------------- */

#define LRD__RESERVED ((uint64_t)1 << 63)
/* What a thread knows of one entry of its ledger. */
typedef struct lrd__hold {
    uint64_t listed; /* = slot->ledger[entry]; with LRD__RESERVED: being built */
    uint64_t bytes;  /* of the block, as accounted */
    uint64_t serial; /* != 0: an open reservation */
    uint32_t count;  /* handles on it; UINT32_MAX: so many that it is held to the end */
    uint32_t next;   /* of the free entries */
} lrd__hold;
_Static_assert(sizeof(lrd__hold) == 32, "two holds to a cache line");

/* Where the usual get found a key: a guess for the next get of the same string. What the index and
 * the block say decides. */
typedef struct lrd__near {
    _Atomic uint64_t *at; /* the word in the index ... */
    uint64_t word;        /* ... and what it was */
    uint64_t tail;        /* the last eight bytes of the key */
    uint16_t entry;       /* that lists the block, perhaps */
    uint8_t length;       /* of the key; 0: none */
} lrd__near;
_Static_assert(sizeof(lrd__near) == 32, "two to a cache line");
#define LRD__NEARS 128

/* An entry that a get has protected, and what it was asked. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* listed by this get */
} lrd__spot;

#define LRD__CACHED 1024

/* A thread's private half of its slot. Lies in memory that a fork wipes (MADV_WIPEONFORK): in a
 * child that came about without our handlers slot is NULL, and the thread claims afresh. */
typedef struct lrd__thread {
    lrd__slot *slot;
    lrd__slot *ready;       /* = slot, but NULL inside a call */
    uint32_t top;           /* ledger entries from here on are free ... */
    uint32_t limit;         /* ... and may be taken without further ado below this; see hold.h */
    uint32_t n;             /* slot->n; at least top */
    uint32_t free;          /* first of the free entries below top (0: none) ... */
    uint32_t freed;         /* ... and how many they are */
    bool fast;              /* new listings need no fence, and the request is not too old */
    bool untidy;            /* free entries below top, or more quota than is kept, when idle */
    uint64_t held_bytes;    /* of all ledger entries */
    uint64_t quota_bytes;   /* what the quota of the slot allows */
    uint64_t quota_keep;    /* ... of which so much is kept while nothing is held */
    uint64_t request_until; /* ms; 0: no request limit */
    struct lrd_store *store;

    uint32_t slot_index;
    int32_t tid; /* as in slot->who */
    uint64_t started;
    uint32_t reservations;      /* open ones */
    uint32_t keylocks;          /* key reservations, at most; 0: surely none */
    uint64_t keylock_shards[4]; /* bit per shard that may have some of them */
    uint32_t guarded;           /* children whose guardian this thread still holds */
    uint64_t incarnation;
    uint64_t serial;                   /* of the last reservation */
    uint64_t checked;                  /* ms of the last look at the file's size */
    uint32_t guard_slot[LRD__GUARDS];  /* their slot indexes ... */
    uint64_t guard_until[LRD__GUARDS]; /* ... and when to let go at the latest, ms */
    uint16_t cache[LRD__CACHED];       /* by the key's hash: the entry that lists it, perhaps */
    lrd__near near[LRD__NEARS];        /* by the key's address: where it was found last */
    lrd__spot spot;                    /* from lrd_get() to get_timed() */
    lrd__hold holds[LRD_HOLDS_MAX + 1];
} lrd__thread;

struct lrd_store {
    /* read on every get */
    uint8_t *data; /* the read-only alias, at header->base */
    lrd__bucket *buckets;
    lrd__header *header;
    uint64_t seed;
    uint32_t nbuckets;    /* per shard */
    uint32_t buckets_all; /* of all shards */
    uint32_t id;          /* index in lrd__threads */
    bool fence, listed;   /* listed: reads use the ledger (not in an immutable store) */
    bool evicts, expires;
    bool barred; /* a forked child that got no slot for what it inherited: it may not read */
    /* the rest */
    bool created;
    _Atomic uint32_t users; /* threads of this process with a slot, + 1 while open */
    uint8_t *window;        /* the read-write window on the same data */
    uint8_t *control;
    lrd__shard *shards; /* stride sizeof */
    _Atomic uint16_t *quotas;
    _Atomic uint32_t *owners; /* per page: 0 free, else LRD__OWNED | shard << 8 | class */
    lrd__page *pages;
    lrd__bits *bits;
    _Atomic uint32_t *run_len; /* per unit of an allocated run: its units at the start, else 0.
                                  Shard lock holder stores, before the run can be listed */
    uint32_t *expiry; /* per index slot: tick, 0: never (a hint; the block has the truth) */
    uint32_t *wheel_next, *wheel_prev, *queue_next; /* per index slot: slot + 1 */
    uint8_t *slot_flags;                            /* per index slot: LRD__IN_* */
    uint32_t *ghost;
    lrd__geometry geo;
    int fd;
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
};

#define LRD__OWNED 0x80000000u
enum { LRD__IN_SMALL = 1, LRD__IN_MAIN = 2, LRD__IN_WHEEL = 4 };

/* One place in the index of one shard. */
typedef struct lrd__place {
    lrd__shard *shard;
    uint32_t shard_index;
    uint32_t home; /* bucket within the shard */
    uint32_t tag;  /* 25 bits, odd: so that no word in use is 0 */
} lrd__place;

#define LRD__NO_SLOT UINT32_MAX

/* Add to a number that only this thread may store (its own slot's, or a shard's under the lock) and
 * anyone may load: no read-modify-write is needed. change may be the negative of an unsigned. */
static inline void lrd__add(_Atomic uint64_t *sum, uint64_t change)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

/* For the holder of the shard's lock, who alone stores it. */
static inline uint32_t lrd__shard_epoch(const lrd__shard *shard)
{
    return atomic_load_explicit(&shard->epoch, memory_order_relaxed);
}

/* ---- words, blocks, classes ------------------------------------------------------------------ */

static inline uint64_t lrd__word_make(uint32_t tag, uint32_t displacement, uint64_t offset)
{
    return (uint64_t)tag << 39 | (uint64_t)displacement << 36 | offset >> LRD__GRANULE_BITS;
}
static inline uint32_t lrd__word_displacement(uint64_t word) { return (uint32_t)(word >> 36) & 7; }
static inline uint32_t lrd__word_tag(uint64_t word) { return (uint32_t)(word >> 39); }
static inline uint64_t lrd__word_offset(uint64_t word) /* bytes */
{
    return (word & 0xfffffffffull) << LRD__GRANULE_BITS;
}

static inline const lrd__block *lrd__block_at(const lrd_store *store, uint64_t offset)
{
    return (const lrd__block *)(store->data + offset);
}
static inline lrd__block *lrd__block_window(const lrd_store *store, uint64_t offset)
{
    return (lrd__block *)(store->window + offset);
}
static inline uint64_t lrd__value_start(size_t key_len) /* within the block */
{
    return LRD__ALIGN_UP(sizeof(lrd__block) + key_len, LRD_ALIGN);
}

uint64_t lrd__now(const lrd_store *store); /* expiry.c */

/* ---- error.c --------------------------------------------------------------------------------- */
/* Set the detail text. Returns 0. */
int lrd__complain(const char *format, ...) __attribute__((format(printf, 1, 2), noinline, cold));
/* Set the detail text and return the code, in a way that shows analyzers which one it is. */
static inline int lrd__failed(int code, int complained)
{
    (void)complained;
    return code;
}
#define lrd__fail(code, ...) lrd__failed((code), lrd__complain(__VA_ARGS__))

/* ---- segment.c: creates, opens, checks and maps the segment ------------------------------------ */
/* Fill geo from its five given fields. LRD_EINVAL when they are out of range. */
int lrd__geometry_derive(lrd__geometry *geo);
/* Map the segment that the options name into *store (zeroed by the caller), creating it if need be.
 * The first process to attach calls lrd__recover_segment() before anybody trusts it. */
int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options);
void lrd__segment_unmap(lrd_store *store);
/* Put file system pages behind a range of the data / of a slot. LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__segment_commit(lrd_store *store, uint64_t data_offset, uint64_t length);
int lrd__segment_commit_slot(lrd_store *store, uint32_t slot);
/* Inode of the time namespace that this process reads clocks and start times in; 0: none. */
uint64_t lrd__time_namespace(void);
/* LRD_ETRUNCATED when the file has become shorter than the mappings. */
int lrd__segment_check(lrd_store *store);
int lrd__mutex_init(pthread_mutex_t *mutex); /* robust, process-shared */

/* ---- lock.c: shard locks ----------------------------------------------------------------------- */
/* Take the shard's lock; recovers the shard when its last holder died. LRD_EBUSY after
 * LRD_LOCK_WAIT_MS. self may be NULL (a thread without a slot). */
int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t shard);
void lrd__shard_unlock(lrd_store *store, uint32_t shard);
/* LRD_OK: now ours (or recovered from a dead owner: *died is set, contents are untouched). */
int lrd__lease_try(pthread_mutex_t *lease, bool *died);
/* Wait for a lease at most ms: 0, EOWNERDEAD (not yet consistent) or ETIMEDOUT. */
int lrd__lease_wait(pthread_mutex_t *lease, long ms);
/* Whether the recorded holder of a lease was shown gone for 2 s; then it is marked dead. */
bool lrd__lease_gone(pthread_mutex_t *lease, lrd__who *who);
/* The two halves of lrd__who.thread. */
static inline int32_t lrd__who_tid(const lrd__who *who)
{
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    return (int32_t)(thread & ((1u << LRD__TID_BITS) - 1));
}
static inline uint64_t lrd__who_started(const lrd__who *who)
{
    return atomic_load_explicit(&who->thread, memory_order_acquire) >> LRD__TID_BITS;
}
/* Record this thread as holder. started 0: its death will not be told by lrd__lease_gone(). */
void lrd__who_set(lrd__who *who, int tid, uint64_t started);
uint64_t lrd__clock_monotonic_ms(void); /* for waits; not the store's clock */
/* Start time of a thread as /proc has it; 0: no such thread. */
uint64_t lrd__thread_started(int tid);

/* ---- slot.c: places of threads, leases, forks --------------------------------------------------- */
extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* The calling thread's half, claiming a slot at first use. NULL: none free (see lrd_error_detail). */
lrd__thread *lrd__thread_claim(lrd_store *store) __attribute__((noinline, cold));
void lrd__thread_end(lrd__thread *self);
/* Register this process for membarrier and see that it works. LRD_EBARRIER. */
int lrd__ledger_register_barrier(void);
/* Whether (slot, incarnation) is still owned by somebody who lives; reaps it if not. */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap the slots whose owner is gone, those that the kernel forgot to mark included. Slow. */
void lrd__slots_bury(lrd_store *store);
/* The same, of those that the kernel says are dead: takes and waits for no lock. */
void lrd__slots_notice(lrd_store *store);
/* Let go of children that have taken over, or never will. */
void lrd__guards_check(lrd__thread *self);
/* False where the C library's idea of this thread's id is wrong (a raw clone), so that robust locks
 * would carry somebody else's. */
bool lrd__process_sound(void);
/* Fork handlers, thread destructor, and the store's place in lrd__threads. */
int lrd__process_join(lrd_store *store);
void lrd__process_leave(lrd_store *store);

static inline lrd__slot *lrd__slot_at(const lrd_store *store, uint32_t index)
{
    return (lrd__slot *)(store->control + store->geo.slots_at + (uint64_t)index * LRD__SLOT_SIZE);
}

/* Every public function that uses the thread's slot is between these two. LRD_ENOSLOT, LRD_EREENTRY. */
static inline int lrd__enter(lrd_store *store, lrd__thread **out)
{
    lrd__thread *self = lrd__threads[store->id];
    if (__builtin_expect(self == NULL || self->ready == NULL, 0)) {
        if (self != NULL && self->slot != NULL)
            return LRD_EREENTRY;
        self = lrd__thread_claim(store);
        if (self == NULL)
            return LRD_ENOSLOT;
    }
    self->ready = NULL;
    *out = self;
    return LRD_OK;
}
static inline void lrd__leave(lrd__thread *self) { self->ready = self->slot; }

/* ---- ledger.c: holds, quotas, scans (the hot part is in hold.h) ------------------------------------- */
/* End every entry of the thread at once. [thread] */
void lrd__ledger_clear(lrd__thread *self);
/* List a block that is going to be built. LRD_ESTATE: too many are open. [thread, shard lock] */
int lrd__ledger_reserve(lrd__thread *self, uint64_t offset, uint64_t bytes, uint32_t *entry);
/* Make the quota suffice for so many bytes in all; false: that is past the bounds. */
bool lrd__quota_raise(lrd__thread *self, uint64_t total) __attribute__((noinline));
/* Give back what exceeds the unit that is kept while nothing is held. */
void lrd__quota_lower(lrd__thread *self) __attribute__((noinline));
/* Mark (held bits) every block of the shard's pages that some ledger lists. barrier: force every
 * reader's listing to be visible first; without it the result is a guess for choosing victims.
 * LRD_EBARRIER, LRD_EBUSY: nothing may be freed. [locked] */
int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier);
/* A guess, without a lock: sets bit p of bitmap for every page that a listed block touches. */
void lrd__ledger_pages(lrd_store *store, uint64_t *bitmap);

/* ---- read.c: the reader's half ------------------------------------------------------------------------ */
/* Every case of lrd_get(), whose usual ones are in get.c. */
int lrd__read_general(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                      lrd_value *out) __attribute__((noinline));
/* Store into a live counter without time to live; LRD_MISS: there is none. */
int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value);

/* ---- keylock.c: key reservations -------------------------------------------------------------------- */
void lrd__keylock_end_all(lrd__thread *self);

/* ---- index.c: finds blocks by key ---------------------------------------------------------------- */
/* lrd__place_of() is in place.h, because every read starts with it. */
static inline lrd__bucket *lrd__bucket_of(const lrd_store *store, uint32_t shard, uint32_t bucket)
{
    return store->buckets + (uint64_t)shard * store->nbuckets + bucket;
}
/* The word of an index slot of a shard. */
static inline _Atomic uint64_t *lrd__index_word(const lrd_store *store, uint32_t shard,
                                                uint32_t slot)
{
    return &lrd__bucket_of(store, shard, slot / LRD__WAYS)->word[slot % LRD__WAYS];
}
static inline _Atomic uint8_t *lrd__index_freq(const lrd_store *store, uint32_t shard,
                                               uint32_t slot)
{
    return &lrd__bucket_of(store, shard, slot / LRD__WAYS)->freq[slot % LRD__WAYS];
}
/* The index slot whose entry has the key (live or not), or LRD__NO_SLOT. [locked] */
uint32_t lrd__index_find(const lrd_store *store, const lrd__place *place, const void *key,
                         size_t key_len);
/* An empty index slot for the key; LRD__NO_SLOT when all probed lines are full. [locked] */
uint32_t lrd__index_vacant(const lrd_store *store, const lrd__place *place);
/* Store a word for a block in an empty slot / in the slot of the same key / empty the slot. Only the
 * index: the caller retires blocks and keeps counts. [locked] */
void lrd__index_insert(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset);
void lrd__index_replace(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset);
void lrd__index_remove(lrd_store *store, uint32_t shard, uint32_t slot);

/* ---- arena.c: pages, blocks, retiring, reclaiming -------------------------------------------------- */
uint32_t lrd__class_of(uint64_t bytes);        /* LRD__CLASS_RUN above LRD__SMALL_MAX */
uint32_t lrd__class_size(uint32_t size_class); /* bytes; LRD__UNIT for runs */
static inline uint32_t lrd__owner_make(uint32_t shard, uint32_t size_class)
{
    return LRD__OWNED | shard << 8 | size_class;
}
/* A page that nobody may use again: an immutable store's, whose shard was emptied. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
static inline uint32_t lrd__owner_shard(uint32_t owner) { return owner >> 8 & 0x7fffff; }
static inline uint32_t lrd__owner_class(uint32_t owner) { return owner & 0xff; }
/* Bytes the block at offset takes (class size or run length). [locked, its shard owns the page] */
uint64_t lrd__block_bytes(const lrd_store *store, uint64_t offset);
/* Units of the run that starts at this unit, at least 1. */
uint64_t lrd__run_units(const lrd_store *store, uint64_t unit);
/* Bits of the units [first, first + count) in the word of a page that they touch. */
static inline uint64_t lrd__unit_mask(uint64_t page, uint64_t first, uint64_t count)
{
    uint64_t start = page * LRD__PAGE_UNITS;
    uint64_t low = first > start ? first - start : 0;
    uint64_t high = first + count - start;
    uint64_t mask = high >= LRD__PAGE_UNITS ? UINT64_MAX : (1ull << high) - 1;
    return mask & (UINT64_MAX << low);
}
/* Offset of the run that the (allocated) unit at offset belongs to. [locked] */
uint64_t lrd__run_start(const lrd_store *store, uint64_t offset);
/* Set the lengths for a run. [locked] */
void lrd__run_mark(lrd_store *store, uint64_t first, uint64_t units);
/* Find room for bytes in this shard without giving anything up but free pages. A found block is
 * listed in self's ledger (*entry), then allocated and retired. LRD_ENOROOM. [locked] */
int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                   uint64_t *offset, uint32_t *entry);
/* The same in a block of a larger class, or a run, of at most so many bytes. [locked] */
int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry);
/* Clear / set the retired bit of an allocated block and the counts that go with it. [locked] */
void lrd__arena_revive(lrd_store *store, uint32_t shard, uint64_t offset);
void lrd__arena_retire(lrd_store *store, uint32_t shard, uint64_t offset);
/* Free every retired block of the shard that no ledger lists; pages that become empty are free for
 * any shard. Returns bytes freed. [locked] */
uint64_t lrd__arena_reclaim(lrd_store *store, uint32_t shard);
/* Give back the pages of the shard that are wholly free (claimed in chunks and not used). [locked] */
uint32_t lrd__arena_trim(lrd_store *store, uint32_t shard);
/* Set the held bits for a listing (clear them all first). [locked] */
void lrd__arena_mark(lrd_store *store, uint32_t shard, uint64_t offset);
void lrd__arena_unmark_all(lrd_store *store, uint32_t shard);
bool lrd__arena_is_held(const lrd_store *store, uint64_t offset);
/* Lists of pages: used by recovery. [locked] */
void lrd__page_link(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class);
void lrd__page_free(lrd_store *store, uint32_t shard, uint32_t page);
uint32_t lrd__page_blocks(uint32_t size_class); /* blocks (units) in a page */
/* A free page may be found from here on. */
void lrd__pages_hint_lower(lrd_store *store, uint32_t page);
/* File system pages behind a block. LRD_ENOSPC, LRD_ETRUNCATED. [locked, or the block is being built] */
int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes);
#define LRD__COMMIT_LOCKED                                                                         \
    ((uint64_t)1 << 20) /* larger blocks are committed by their builder, unlocked */
/* Claim free pages for runs of this shard, pages [first, first + count). false: one is taken. */
bool lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                      uint32_t count, uint32_t size_class);
/* How a page says who collects it. */
static inline uint64_t lrd__drain_mark(const lrd__thread *self)
{
    return (uint64_t)(self->slot_index + 1) << 32 | (uint32_t)self->incarnation;
}
/* Offset of a block by page and number within it. */
uint64_t lrd__block_offset(uint32_t page, uint32_t size_class, uint32_t index);

/* ---- room.c: what is given up to make room -------------------------------------------------------- */
/* As lrd__arena_try, but gives up whatever the policy allows. May release and retake the lock.
 * LRD_ENOROOM, LRD_ENOSPC, LRD_ETRUNCATED, LRD_EBUSY (the lock is then not held: *locked). */
int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                   uint64_t *offset, uint32_t *entry, bool *locked);
/* Remove entries of older epochs until so many bytes are retired or none is left. [locked] */
uint64_t lrd__room_sweep_dead(lrd_store *store, uint32_t shard, uint64_t bytes);
/* Remove entries that have expired, at most budget steps of the wheel. [locked] */
uint64_t lrd__room_expire(lrd_store *store, uint32_t shard, uint32_t budget);
/* Evict one entry, held or not, to make room in the index. [locked] */
bool lrd__room_evict_one(lrd_store *store, uint32_t shard);
/* Bytes in which retired blocks are reclaimed and entries evicted: 1/64 of a shard's share. */
uint64_t lrd__batch_bytes(const lrd_store *store);

/* ---- entry.c: an index slot and all that is kept about it ------------------------------------------ */
/* Count what was live as dead if the store was cleared meanwhile. First thing under a lock. */
void lrd__entry_sync(lrd_store *store, uint32_t shard);
/* Whether the block is of the current epoch and has not expired. */
static inline bool lrd__block_current(const lrd_store *store, const lrd__block *block)
{
    return block->epoch == atomic_load_explicit(&store->header->epoch, memory_order_acquire);
}
static inline bool lrd__block_live(const lrd_store *store, const lrd__block *block)
{
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return lrd__block_current(store, block) && (expiry == 0 || expiry > lrd__now(store));
}
/* The same for a writer that holds the shard's lock: by the epoch that it stamps new blocks with, or a
 * concurrent lrd_clear() would come between its look and its store. [locked, after lrd__entry_sync] */
static inline bool lrd__block_live_here(const lrd_store *store, const lrd__shard *shard,
                                        const lrd__block *block)
{
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return block->epoch == lrd__shard_epoch(shard) && (expiry == 0 || expiry > lrd__now(store));
}
/* Publish the (listed, retired) block at offset in an empty slot / in the slot of its key. */
void lrd__entry_insert(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset);
void lrd__entry_replace(lrd_store *store, const lrd__place *place, uint32_t slot, uint64_t offset);
/* Unlink the entry in the slot and retire its block. */
void lrd__entry_remove(lrd_store *store, uint32_t shard, uint32_t slot);
/* Change the expiry of the entry in the slot. */
void lrd__entry_touch(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t expiry);
static inline uint64_t lrd__slot_offset(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return lrd__word_offset(
        atomic_load_explicit(lrd__index_word(store, shard, slot), memory_order_relaxed));
}
/* Index slot of the live block at this offset, by its key. [locked] */
uint32_t lrd__entry_of_block(const lrd_store *store, uint32_t shard, uint64_t offset);

/* ---- evict.c: S3-FIFO over index slots (volatile stores only) ---------------------------------------- */
/* An entry was inserted in this slot. ghost_key: 32 bits of its hash. Queues it (main if the ghost
 * remembers it) unless it still is in a queue; adds its bytes. [locked] */
void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot, uint32_t ghost_key,
                         uint64_t bytes);
/* The entry in this slot was replaced by one of another size / is about to be removed (it stays
 * queued, as a hint to be dropped when its turn comes). [locked] */
void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t old_bytes,
                        uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* Choose the next victim by S3-FIFO and take it out of its queue; the caller removes the entry, or
 * puts it back if it is held. LRD__NO_SLOT when both queues are empty. *from_small: the caller
 * calls lrd__evict_remember() if it evicts. [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, bool *from_small);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* Forget all queues and ghosts / queue a slot during recovery. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* What the ghost knows an entry by: tag and home bucket, so that it can be had without the block. */
uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);

/* ---- expiry.c: the timing wheel and the clock ---------------------------------------------------------- */
/* Milliseconds of boot time (suspend counts), or the options' clock. Never 0. */
uint64_t lrd__now(const lrd_store *store);
void lrd__clock_refresh(lrd_store *store);
static inline uint32_t lrd__tick_of(uint64_t expiry_ms) /* the first tick at which it has expired */
{
    uint64_t tick = (expiry_ms >> LRD__TICK_BITS) + 1;
    return expiry_ms == 0 ? 0 : tick < UINT32_MAX ? (uint32_t)tick : UINT32_MAX - 1;
}
/* Put the slot where its tick belongs (out of the wheel for tick 0), moving it if it is in already;
 * sets store->expiry[slot]. [locked] */
void lrd__wheel_set(lrd_store *store, uint32_t shard, uint32_t slot, uint32_t tick);
/* Handle ticks up to now; returns the next slot whose tick has come (taken out of the wheel), or
 * LRD__NO_SLOT when there is none or *budget steps are used up. The caller checks the block's
 * expiry and removes the entry or sets the slot again. [locked] */
uint32_t lrd__wheel_due(lrd_store *store, uint32_t shard, uint64_t now_ms, uint32_t *budget);
void lrd__wheel_reset(lrd_store *store, uint32_t shard, uint64_t now_ms);

/* ---- recover.c, fsck.c ---------------------------------------------------------------------------------- */
/* The last holder of this shard's lock died: derive everything from index and ledgers. [locked] */
void lrd__recover_shard(lrd_store *store, uint32_t shard);
/* Nobody else is attached: distrust everything below the header, make all locks and slots new, check
 * every word and block, rebuild. What is damaged is dropped. LRD_ESYS. */
int lrd__recover_segment(lrd_store *store);

#endif
