/* internal.h - the private structs, and the functions that the core's files offer each other. What
 * lies in shared memory is in layout.h.
 *
 * Functions marked [locked] need the shard's lock, [thread] the calling thread's slot. Nothing here
 * calls a host, allocates private memory or can longjmp while a lock is held.
 */
#ifndef LRD_INTERNAL_H
#define LRD_INTERNAL_H

#include "layout.h"

#include <string.h> /* says which libc it is of */
#ifndef __GLIBC__
#error "Larder needs glibc, not musl (Alpine). Use an image of Debian, such as php:8.4-fpm"
#endif
#include <time.h>

#define LRD__STORES_MAX 32u
#define LRD__RESERVATION_ENTRIES 16u /* of the ledger, that holds leave free */
#define LRD__CLOCK_ENTRIES 16u       /* new listings between two looks at the clock */
#define LRD__GUARDS 32u              /* forked children a thread can be guardian of at once */
#define LRD__REQUEST_MS 60000u       /* a request older than this lists nothing new */
#define LRD__MEMORY_MS 1000u /* after the file system was full no memory is asked for so long */

/* What most writes run lies together: fewer pages and lines of code are met for the first time,
 * which is what the first writes of a process, or of a request, pay for. */
#define LRD__HOT __attribute__((hot))
/* A step of theirs that is written down apart and taken in one place: no call, nothing to be saved
 * for one. */
#define LRD__STEP inline __attribute__((always_inline, hot))
#ifdef __clang__ /* the core is one unit: a step of external linkage may use what is static */
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* Fail points: tests count the stores that publish something, and kill the process at one or let it
 * sleep there. */
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
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only;
#define LRD__CONTROL(name) __builtin_expect(lrd__control_##name, 0)
#else
#define LRD__CONTROL(name) false
#endif

/* ---- private structs ---- */

#define LRD__RESERVED ((uint64_t)1 << 63)
/* A thread's private half of one entry of its ledger. */
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
#define LRD__EARLY 8u /* entries of a ledger whose keys are remembered from request to request */

/* An entry that a get has protected, and what it was asked. */
typedef struct lrd__spot {
    _Atomic uint64_t *at;
    uint64_t listing;
    uint32_t entry, key_len;
    unsigned flags;
    bool fresh; /* listed by this get */
} lrd__spot;

#define LRD__CACHED 1024

/* The rows of a thread's key reservations: see keylock.c. */
#define LRD__KEYLIST_FEW 16u
typedef struct lrd__keylist {
    uint32_t used;     /* reservations, at most; 0: surely none */
    uint32_t unlisted; /* of these, in no entry, for want of memory */
    uint32_t left;     /* entries whose request has ended, but in a shard that was busy */
    uint32_t top;      /* entries from here on are free ... */
    uint32_t free;     /* ... and those that begin here: entry + 1 */
    uint32_t *more;    /* entries after the first few; a fork does not inherit them */
    uint32_t few[LRD__KEYLIST_FEW]; /* row + 1 */
} lrd__keylist;

/* How often a consumer of a queue is woken, and what its rests bring: see queue_wait.c. */
typedef struct lrd__pace {
    const struct lrd__queue *queue; /* NULL: nothing is known */
    uint64_t since;                 /* ms: from then on ... */
    uint32_t pauses;                /* ... it slept so often; or rests in a row */
    uint32_t taken;                 /* ... and took so many; or since the last rest */
    uint32_t patience;              /* so many sleeps before it may rest */
    uint32_t expected;              /* messages of a rest, in sixteenths; 0: it does not rest ... */
    uint32_t mean;                  /* ... and how many they are of late */
} lrd__pace;

/* A run that a thread allocated, which it would rather have again than another. */
#define LRD__OWN_SETS 8u
#define LRD__OWN_RUNS 8u
typedef struct lrd__own_run {
    uint32_t first, units; /* units 0: none */
} lrd__own_run;

/* A thread's private half of its slot. Lies in memory that a fork wipes (MADV_WIPEONFORK): in a
 * child that came about without our handlers slot is NULL, and the thread claims afresh. */
typedef struct lrd__thread {
    struct lrd_store *store;
    /* = slot once all shards are known to be vetted; until then NULL, fast is false, and gets go
     * the general way */
    lrd__slot *usual;
    uint32_t vet_seen; /* shards that are known to be, in the order of vet.c */
    uint32_t slot_index;
    int32_t tid; /* as in slot->who */
    uint64_t started;
    uint32_t reservations; /* open ones */
    uint32_t guarded;      /* children whose guardian this thread still holds */
    lrd__keylist keylocks;
    uint64_t incarnation;
    uint64_t serial;     /* of the last reservation */
    uint64_t checked;    /* ms of the last look at the file's size */
    uint64_t quota_keep; /* of quota_bytes so much is kept while nothing is held */
    uint64_t written;    /* bytes of keys and values since the thread's last barrier, ... */
    uint64_t barrier_at; /* ... which it may repeat after so many */
    uint32_t crowded;    /* how often it lately found a shard's lock taken: see lock.c */
    uint32_t astray;     /* how often its lane lately had no page with room: see arena.c */
    uint64_t holds_most; /* bytes: see lrd_holds_limit(); 0: no such limit */
    bool limited;        /* it has refused something */
    uint32_t zone;       /* windows of the zone that its quota says it may bar, ... */
    /* ... and those of them that holds may: for these all others were looked at */
    uint32_t zone_held;
    /* from here on the run that was reserved last was never touched, if it is in it */
    uint64_t bare;
    bool scattered; /* the last search for room failed for want of a contiguous run */
    uint32_t guard_slot[LRD__GUARDS];  /* their slot indexes ... */
    uint64_t guard_until[LRD__GUARDS]; /* ... and when to let go at the latest, ms */
    lrd__pace pace;
    lrd__spot spot; /* from lrd_get() to get_timed() */

    /* What every get needs: in the page that the above is in, from the start of a line. */
    _Alignas(64) lrd__slot *slot;
    lrd__slot *ready;          /* = slot, but NULL inside a call */
    uint32_t top;              /* ledger entries from here on are free ... */
    uint32_t limit;            /* ... and may be taken without further ado below this; see hold.h */
    uint32_t n;                /* slot->n; at least top */
    uint32_t free;             /* first of the free entries below top (0: none) ... */
    uint32_t freed;            /* ... and how many they are */
    bool fast;                 /* new listings need no fence, and the request is not too old */
    bool untidy;               /* free entries below top, or more quota than is kept, when idle */
    uint64_t held_bytes;       /* of all ledger entries */
    uint64_t quota_bytes;      /* what the quota of the slot allows */
    uintptr_t zone_at;         /* blocks that end this near above this address ... */
    uintptr_t zone_span;       /* ... may bar a window of the zone */
    uint64_t request_until;    /* ms; 0: no request limit */
    uint64_t begun;            /* coarse ms: a request began, and looked at the clock */
    uint8_t early[LRD__EARLY]; /* places in near of what the last request listed first */
    lrd__hold holds[LRD_HOLDS_MAX + 1];
    /* By the key's address: where it was found last. In a page of its own. */
    _Alignas(LRD__PART) lrd__near near[LRD__NEARS];
    uint16_t cache[LRD__CACHED]; /* by the key's hash: the entry that lists it, perhaps */
    /* The runs that it allocated, by shard, the latest last: see arena.c. */
    lrd__own_run own_runs[LRD__OWN_SETS][LRD__OWN_RUNS];
} lrd__thread;
/* The first get of a request finds what it needs in three lines, the second one in the same. */
_Static_assert((offsetof(lrd__thread, holds) + sizeof(lrd__hold)) % 64 == 0,
               "entries 1 and 2 lie in a line");

struct lrd_store {
    /* read on every get */
    uint8_t *data; /* the read-only alias, at header->base */
    lrd__bucket *buckets;
    const lrd__view *view; /* the header's */
    lrd__header *header;
    uint64_t seed;
    uint64_t buckets_first; /* of all shards, before the index has grown */
    uint32_t id;            /* index in lrd__threads */
    bool fence, listed;     /* listed: reads use the ledger (not in an immutable store) */
    bool evicts, expires;
    bool barred;  /* a forked child that got no slot for what it inherited: it may not read */
    bool watched; /* look_at is not UINT64_MAX */
    /* the rest */
    bool created;
    _Atomic uint64_t no_slot_freed;  /* header->slots_freed, and ... */
    _Atomic uint64_t no_slot_until;  /* ... coarse ms: a thread of this process just found none */
    _Atomic uint64_t no_spare_until; /* ... and no spare one either */
    _Atomic uint64_t cooled; /* buckets whose frequencies fell, of all shards: lrd__evict_cool() */
    _Atomic uint64_t stalled_until; /* monotonic ms: a search for room waited in vain for ... */
    _Atomic uint32_t stalled;       /* ... the lock of this shard + 1; 0: none */
    _Atomic uint64_t feed_at;       /* monotonic ms: before it nobody here sees to the zone */
    _Atomic uint32_t users;         /* threads of this process with a slot, + 1 while open */
    uint8_t *window;                /* the read-write window on the same data */
    uint8_t *control;
    lrd__gate *gates;   /* one a shard */
    lrd__shard *shards; /* stride sizeof */
    _Atomic uint16_t *quotas;
    _Atomic uint32_t *owners; /* per page: 0 free, else LRD__OWNED | shard << 8 | class */
    lrd__page *pages;
    lrd__bits *bits;
    /* per unit of an allocated run: its units at the start, else 0. Shard lock holder stores,
     * before the run can be listed */
    _Atomic uint32_t *run_len;
    uint32_t *links; /* per index slot: see LRD__LINK */
    /* per LRD__TIMER_CHUNK buckets: their timers have memory behind them. Anyone who has committed
     * it stores (release) */
    _Atomic uint8_t *timed;
    lrd__timer *timers; /* per index slot */
    uint32_t *ghost;
    _Atomic uint16_t *keylock_owners; /* per chunk of rows: whose it is. See keyrow.c */
    /* per shard LRD__KEYLOCK_HEADS: chains of rows by hash, row + 1. Shard lock */
    uint32_t *keylock_heads;
    lrd__keylock *keylocks;
    struct lrd__queue_shard *queue_shards; /* of a store of queues, else NULL: see queue.h */
    struct lrd__queue *queues;
    struct lrd__message *messages;
    lrd__geometry geo;
    int fd;
    uint64_t device, inode; /* of the file, as the header has them */
    /* monotonic ms: when the file is looked at again; UINT64_MAX: never */
    _Atomic uint64_t look_at;
    _Atomic int look_code; /* what the last look found: LRD_OK, LRD_EMOVED, LRD_ETRUNCATED */
    uint64_t root_inode;   /* of / when it was opened: from another one the name means nothing */
    _Atomic uint32_t lost; /* lrd__lost: how much of the control mapping is private, and zero */
    uint64_t (*clock_ms)(void *);
    void *clock_arg;
    char *path;
    /* Per page of the data a bit for each part that this process has mapped in the window, as far
     * as it knows: a hint, that any thread sets and a fork wipes. NULL until something is
     * written. */
    _Atomic(_Atomic uint16_t *) mapped;
    /* The same of the small pages, and of each shard's rows of messages, those below. A fork leaves
     * them as they were, which costs the child faults. */
    _Atomic uint64_t mapped_minis;
    _Atomic uint32_t rows_mapped[16];
    uint64_t folio; /* an aligned part of the file of so many bytes gets room as one (mapping.c) */
    bool scarce;    /* its file system could not take all of it when it was made */
    char warning[640]; /* "", or why it may hold less than its size */
};

#define LRD__OWNED 0x80000000u

/* Where a key belongs. Its home bucket changes when its shard grows. */
typedef struct lrd__place {
    lrd__shard *shard;
    uint32_t shard_index;
    uint32_t tag;
    uint64_t hash;
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

/* ---- words, blocks, classes ---- */

/* The block's offset in granules + 1. */
static inline uint64_t lrd__word_listing(uint64_t word) { return word & 0xfffffffffull; }
static inline uint64_t lrd__word_make(uint32_t tag, uint32_t displacement, uint64_t offset)
{
    return (uint64_t)tag << 40 | (uint64_t)displacement << 36 | ((offset >> LRD__GRANULE_BITS) + 1);
}
static inline uint32_t lrd__word_displacement(uint64_t word)
{
    return (uint32_t)(word >> 36) & (LRD__PROBES - 1);
}
static inline uint32_t lrd__word_tag(uint64_t word) { return (uint32_t)(word >> 40); }
static inline uint64_t lrd__word_offset(uint64_t word) /* bytes; of a word in use */
{
    return (lrd__word_listing(word) - 1) << LRD__GRANULE_BITS;
}

static inline const lrd__block *lrd__block_at(const lrd_store *store, uint64_t offset)
{
    return (const lrd__block *)(store->data + offset);
}
/* The same by the mapping that is written. The lock's holder reads there, too: what he evicts is
 * where he will write, so one mapping of it will do. */
static inline lrd__block *lrd__block_window(const lrd_store *store, uint64_t offset)
{
    return (lrd__block *)(store->window + offset);
}
/* Where the value begins within a block of the usual form, ... */
static inline uint64_t lrd__value_start_usual(size_t key_len)
{
    return LRD__ALIGN_UP(LRD__BLOCK_KEY + key_len, LRD_ALIGN);
}
static inline bool lrd__block_wants_long(size_t key_len, uint64_t size)
{
    return key_len > LRD__BLOCK_KEY_MAX || size > UINT32_MAX;
}
/* ... and within the block that a key and a value of size bytes get. */
static inline uint64_t lrd__value_start(size_t key_len, uint64_t size)
{
    return lrd__block_wants_long(key_len, size)
               ? LRD__ALIGN_UP(LRD__BLOCK_LONG_KEY + key_len, LRD_ALIGN)
               : lrd__value_start_usual(key_len);
}
static inline bool lrd__block_is_long(const lrd__block *block) { return block->key_len == 0; }
static inline size_t lrd__block_key_len(const lrd__block *block)
{
    return lrd__block_is_long(block) ? block->long_key_len : block->key_len;
}
static inline const uint8_t *lrd__block_key(const lrd__block *block)
{
    return (const uint8_t *)block +
           (lrd__block_is_long(block) ? LRD__BLOCK_LONG_KEY : LRD__BLOCK_KEY);
}
static inline uint64_t lrd__block_size(const lrd__block *block)
{
    if (!lrd__block_is_long(block))
        return block->size;
    uint64_t size;
    memcpy(&size, (const uint8_t *)block + LRD__BLOCK_LONG_SIZE, sizeof size);
    return size;
}
/* Where the value of this block begins within it. */
static inline uint64_t lrd__block_start(const lrd__block *block)
{
    return LRD__ALIGN_UP((lrd__block_is_long(block) ? LRD__BLOCK_LONG_KEY : LRD__BLOCK_KEY) +
                             lrd__block_key_len(block),
                         LRD_ALIGN);
}

LRD__HOT uint64_t lrd__now(const lrd_store *store); /* expiry.c */

/* ---- error.c ---- */
/* Set the detail text. Returns 0. */
int lrd__complain(const char *format, ...) __attribute__((format(printf, 1, 2), noinline, cold));
/* Set the detail text and return the code, in a way that shows analyzers which one it is. */
static inline int lrd__failed(int code, int complained)
{
    (void)complained;
    return code;
}
#define lrd__fail(code, ...) lrd__failed((code), lrd__complain(__VA_ARGS__))

/* ---- segment.c: creates, opens, checks and maps the segment ---- */
/* Fill geo from its five given fields. LRD_EINVAL when they are out of range. */
int lrd__geometry_derive(lrd__geometry *geo);
/* Map the segment that the options name into *store (zeroed by the caller), creating it if need be.
 * The first process to attach calls lrd__vet_segment() before anybody trusts it. */
int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options);
void lrd__segment_unmap(lrd_store *store);
/* Put file system pages behind a range of the data / so many slots (several are also mapped).
 * LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__segment_commit(lrd_store *store, uint64_t data_offset, uint64_t length);
int lrd__segment_commit_slots(lrd_store *store, uint32_t first, uint32_t count);
/* Clear, and map in the window, a range of the data that has memory, was never touched and is about
 * to be written: one call instead of faults. LRD_ETRUNCATED where somebody made the file
 * shorter. */
int lrd__segment_populate(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Both, commit and populate. */
int lrd__segment_commit_mapped(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Have a block of the caller's, which is about to be written and has memory, mapped in the window,
 * together with what else of its pages has memory. */
void lrd__segment_map(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Part of the control mapping that has memory. */
void lrd__segment_map_control(const lrd_store *store, uint64_t offset, uint64_t bytes);
static inline void lrd__segment_touch(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    if (offset >= store->geo.size &&
        (atomic_load_explicit(&store->mapped_minis, memory_order_relaxed) >>
             ((offset - store->geo.size) >> LRD__PART_BITS) &
         1) != 0)
        return;
    /* Pairs with the compare-and-swap of who made it. */
    const _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_acquire);
    if (__builtin_expect(bytes > LRD__SMALL_MAX || mapped == NULL, 0) ||
        __builtin_expect(
            (atomic_load_explicit(mapped + (offset >> LRD__PAGE_BITS), memory_order_relaxed) >>
                 (offset >> LRD__PART_BITS) % LRD__PAGE_PARTS &
             1) == 0,
            0))
        lrd__segment_map(store, offset, bytes);
}
/* LRD_ENOSPC, with the figures of the file system. */
int lrd__segment_full(const lrd_store *store, uint64_t length);
/* Check that a segment that is about to be made can have the memory that its size says: LRD_ENOSPC,
 * or store->warning. */
int lrd__memory_judge(lrd_store *store, uint64_t beside);
/* Set store->folio. LRD_ESYS: the file system cannot promise that a write to a mapped page finds
 * room. */
int lrd__memory_folio(lrd_store *store);
#ifdef LRD_FAILPOINTS
extern uint64_t lrd__test_memory;
extern bool lrd__test_disk;
#endif
/* Give file system pages back. */
int lrd__segment_punch(lrd_store *store, uint64_t data_offset, uint64_t length);
/* ... and of the control mapping, by its offset there. */
int lrd__segment_commit_control(lrd_store *store, uint64_t offset, uint64_t length);
/* Those parts of it that an index of so many buckets needs more than one of so many before. */
int lrd__segment_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
/* ... and that the descriptions of pages [first, end) need. */
int lrd__segment_commit_pages(lrd_store *store, uint64_t first, uint64_t end);
/* Inode of the time namespace that this process reads clocks and start times in; 0: none. */
uint64_t lrd__time_namespace(void);
/* LRD_ETRUNCATED when the file has become shorter than the mappings, or is no segment of ours any
 * more. */
int lrd__segment_check(lrd_store *store);
/* The same where no lock is held: then what is gone is made up for, as by lrd__segment_look(). */
int lrd__segment_check_unlocked(lrd_store *store);
/* Whether the name of a store is still that of its file, as looked at most a second ago:
 * LRD_EMOVED, LRD_ETRUNCATED. In the latter case private memory takes the place of the index, so
 * that nothing is found whose block may be gone; and if those are gone, too, of the slots with
 * their leases. [no lock is held] */
int lrd__segment_look_due(lrd_store *store);
static inline int lrd__segment_look(lrd_store *store)
{
    return store->watched ? lrd__segment_look_due(store) : LRD_OK;
}
/* The same, now. */
int lrd__segment_look_now(lrd_store *store);
#define LRD__LOOK_MS 1000u
enum lrd__lost { LRD__LOST_NOTHING, LRD__LOST_INDEX, LRD__LOST_LEASES };
static inline uint32_t lrd__segment_lost(const lrd_store *store)
{
    return atomic_load_explicit(&store->lost, memory_order_relaxed);
}
int lrd__mutex_init(pthread_mutex_t *mutex); /* robust, process-shared */

/* Have a cache line that is about to be stored to. */
static inline void lrd__prefetch_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* The same of what is changed with each block of a page: its description, and its bitmaps, or what
 * is near them. */
static inline void lrd__prefetch_page(const lrd_store *store, uint64_t page)
{
    lrd__prefetch_write(store->pages + page);
    lrd__prefetch_write(store->bits + page);
}

/* ---- lock.c: shard locks ---- */
/* As lrd__shard_lock(), but LRD_EBUSY at once, without a detail, where somebody has it. */
int lrd__shard_try(lrd_store *store, lrd__thread *self, uint32_t shard);
/* Take the shard's lock; vets the shard if nobody has, and recovers it when its last holder died.
 * LRD_EBUSY after LRD_LOCK_WAIT_MS. self may be NULL (a thread without a slot). */
LRD__HOT int lrd__shard_lock(lrd_store *store, lrd__thread *self, uint32_t shard);
LRD__HOT void lrd__shard_unlock(lrd_store *store, uint32_t shard);
/* LRD_OK: now ours (or recovered from a dead owner: *died is set, contents are untouched). */
int lrd__lease_try(pthread_mutex_t *lease, bool *died);
/* Wait for a lease at most ms: 0, EOWNERDEAD (not yet consistent) or ETIMEDOUT. */
int lrd__lease_wait(pthread_mutex_t *lease, long ms);
/* True if the recorded holder of a lease was shown gone for 2 s; then it is marked dead. */
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

/* ---- copy.c ---- */
/* What the thread reserved last, if it is large, is for a new key in memory that an evicted value
 * left. A hint. */
extern _Thread_local bool lrd__copy_cold
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* An lrd_fill that copies. */
void lrd__copy_fill(const void *from, void *build, const void *data, size_t size);

/* ---- slot.c: places of threads, leases, forks ---- */
extern _Thread_local lrd__thread *lrd__threads[LRD__STORES_MAX]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* The calling thread's half, claiming a slot at first use. NULL: none free (see
 * lrd_error_detail). */
lrd__thread *lrd__thread_claim(lrd_store *store) __attribute__((noinline, cold));
/* A spare slot for a thread that could claim none, for one call: end it with lrd__thread_end().
 * LRD_ENOSLOT; LRD_EBUSY: others have had all of them for LRD_LOCK_WAIT_MS. */
int lrd__thread_lend(lrd_store *store) __attribute__((noinline, cold));
void lrd__thread_end(lrd__thread *self);
/* Make the spare slots and one more in a segment that nobody else has yet. LRD_ENOSPC. */
int lrd__slots_prepare(lrd_store *store);
/* Register this process for membarrier and see that it works. LRD_EBARRIER. */
int lrd__ledger_register_barrier(void);
/* True if (slot, incarnation) is still owned by somebody who lives; reaps it if not. */
bool lrd__slot_alive(lrd_store *store, uint32_t slot, uint64_t incarnation);
/* Reap the slots whose owner is gone, those that the kernel forgot to mark included. Slow. */
void lrd__slots_bury(lrd_store *store);
/* The same, of those that the kernel says are dead: takes and waits for no lock. */
void lrd__slots_notice(lrd_store *store);
/* Whether that is due: all of many slots are looked at only so often, by one thread of all
 * processes. */
bool lrd__slots_look_due(lrd_store *store);
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

/* Every public function that uses the thread's slot is between these two. LRD_ENOSLOT,
 * LRD_EREENTRY. */
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

/* ---- ledger.c: holds, quotas, scans (the hot part is in hold.h) ---- */
/* End every entry of the thread at once. [thread] */
void lrd__ledger_clear(lrd__thread *self);
/* List a block that is going to be built. LRD_ESTATE: too many are open. [thread, shard lock] */
LRD__HOT int lrd__ledger_reserve(lrd__thread *self, uint64_t offset, uint64_t bytes,
                                 uint32_t *entry);
/* True if a block may be held as far as the zone goes; the windows it bars are recorded then. must:
 * it is being built, which is not refused. */
bool lrd__zone_take(lrd__thread *self, uint64_t offset, uint64_t bytes, bool must)
    __attribute__((noinline));
/* Nothing is being built any more: take back what was said for that. */
void lrd__zone_built(lrd__thread *self) __attribute__((noinline));
/* Make the quota suffice for so many bytes in all; false: that is past the bounds. */
bool lrd__quota_raise(lrd__thread *self, uint64_t total) __attribute__((noinline));
/* A read was refused by a bound: whether dead owners were looked for, so that it may ask again. No
 * lock is held. */
bool lrd__quota_notice(lrd_store *store) __attribute__((noinline, cold));
/* Give back what exceeds the unit that is kept while nothing is held. */
void lrd__quota_lower(lrd__thread *self) __attribute__((noinline));
/* Mark (held bits) every block of the shard's pages that some ledger lists. barrier: force every
 * reader's listing to be visible first; without it the result is a guess for choosing victims.
 * LRD_EBARRIER, LRD_EBUSY: nothing may be freed. [locked] */
int lrd__ledger_scan(lrd_store *store, uint32_t shard, bool barrier);
/* Whether every reader's listing of what the shard has retired is visible already: a barrier,
 * anybody's, began and ended since the last block was unlinked. [locked] */
bool lrd__ledger_passed(const lrd_store *store, uint32_t shard);
/* Whether the thread may make one: those of a thread are 4 MiB of writes apart, in a small
 * store a part of its size, less at first. If so, it counts anew. */
bool lrd__barrier_due(lrd__thread *self);
/* A guess, without a lock: sets bit p of bitmap for every page that a listed block touches. */
void lrd__ledger_pages(lrd_store *store, uint64_t *bitmap);

/* ---- read.c: the reader's half ---- */
/* Every case of lrd_get(), whose usual ones are in get.c. */
int lrd__read_general(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                      lrd_value *out) __attribute__((noinline));
/* Store into a live counter without time to live; LRD_MISS: there is none. */
LRD__HOT int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value);

/* ---- keylock.c, keyrow.c: key reservations ---- */
/* End those of the thread. LRD_EBUSY: those in a shard that is busy stay, until they are ended
 * again. */
int lrd__keylock_end_all(lrd__thread *self);
/* Try again with what lrd_request_end() could not end. Waits for no shard. */
void lrd__keylock_end_left(lrd__thread *self) __attribute__((noinline, cold));
/* The same, and free what the thread has for them. */
void lrd__keylock_leave(lrd__thread *self);
/* Somebody died in this shard: link its rows anew. [locked] */
void lrd__keyrow_mend(lrd_store *store, uint32_t shard);

/* ---- index.c: finds blocks by key ---- */
/* lrd__place_of() is in place.h, because every read starts with it. */
/* A bucket of a shard; those of all shards are interleaved. */
static inline lrd__bucket *lrd__bucket_of(const lrd_store *store, uint32_t shard, uint32_t bucket)
{
    return store->buckets + ((uint64_t)bucket << store->geo.shard_bits | shard);
}
/* Where the buckets of all shards end that have so many homes (of all shards): with the reach of
 * the last. */
static inline uint64_t lrd__buckets_end(const lrd__geometry *geo, uint64_t homes)
{
    return homes + ((uint64_t)LRD__OVERHANG << geo->shard_bits);
}
/* Number of an index slot of a shard among those of all shards. */
static inline uint64_t lrd__slot_number(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return ((uint64_t)(slot / LRD__WAYS) << store->geo.shard_bits | shard) * LRD__WAYS +
           slot % LRD__WAYS;
}
/* Buckets of a shard that may have words: its homes, those it is about to get, and the overhang. */
static inline uint32_t lrd__shard_buckets(const lrd_store *store)
{
    return (atomic_load_explicit(&store->header->view.grown, memory_order_acquire) >>
            store->geo.shard_bits) +
           LRD__OVERHANG;
}
static inline uint32_t lrd__shard_slots(const lrd_store *store)
{
    return lrd__shard_buckets(store) * LRD__WAYS;
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
LRD__HOT uint32_t lrd__index_find(const lrd_store *store, const lrd__place *place, const void *key,
                                  size_t key_len);
/* An empty index slot for the key; LRD__NO_SLOT when all probed lines are full. [locked] */
LRD__HOT uint32_t lrd__index_vacant(const lrd_store *store, const lrd__place *place);
/* Store a word for a block in an empty slot / instead of another word, at that place, for a block
 * of the same key / empty the slot. Only the index: the caller retires blocks and keeps counts.
 * [locked] */
LRD__HOT void lrd__index_insert(lrd_store *store, const lrd__place *place, uint32_t slot,
                                uint64_t offset);
LRD__HOT void lrd__index_replace(_Atomic uint64_t *at, uint64_t word, uint64_t offset);
void lrd__index_remove(lrd_store *store, uint32_t shard, uint32_t slot);
/* Copy the word of a slot into an empty one of another home / empty the first of the two.
 * [locked] */
void lrd__index_copy(lrd_store *store, uint32_t shard, uint32_t from, uint32_t home, uint32_t to);
/* An empty slot in the buckets [first, home + LRD__PROBES); LRD__NO_SLOT. [locked] */
LRD__HOT uint32_t lrd__index_vacant_at(const lrd_store *store, uint32_t shard, uint32_t first,
                                       uint32_t home);
/* The home bucket of the entry in a slot, by its word. */
static inline uint32_t lrd__word_home(uint32_t slot, uint64_t word)
{
    return slot / LRD__WAYS - lrd__word_displacement(word);
}

/* ---- grow.c: the index grows ---- */
/* Homes that a shard has with this mask. */
static inline uint64_t lrd__grow_homes(const lrd__geometry *geo, uint64_t mask)
{
    return (uint64_t)geo->buckets << (__builtin_popcountll(mask) - 32);
}
/* A write to this shard does its part: begins to grow if an entry more would be too many (inserts),
 * and splits a bounded number of home buckets. Takes no other lock. [locked] */
LRD__HOT void lrd__grow(lrd_store *store, uint32_t shard, bool inserts);
/* Empty a slot within reach of a home whose reach is full, by moving an entry further away from its
 * own. LRD__NO_SLOT: there is none that can be moved. [locked] */
uint32_t lrd__grow_make_room(lrd_store *store, uint32_t shard, uint32_t home);
/* True if there is anything to do, which is rare. Relaxed: a write that is told wrongly leaves it
 * to the next. */
static inline bool lrd__grow_pending(const lrd_store *store)
{
    const lrd__view *view = &store->header->view;
    return __builtin_expect(atomic_load_explicit(&view->mask, memory_order_relaxed) !=
                                atomic_load_explicit(&view->next, memory_order_relaxed),
                            0);
}
/* The same for a sweep, which writes nothing, in larger pieces. False: there is nothing more to do
 * here, or no memory for it. [locked] */
bool lrd__grow_push(lrd_store *store, uint32_t shard);
/* Where this shard has done its part: help another one, or end the growing. No lock is held. */
void lrd__grow_help(lrd_store *store, lrd__thread *self, uint32_t shard);
/* Somebody died while splitting: no block is in two words afterwards. [locked] */
void lrd__grow_mend(lrd_store *store, uint32_t shard);
/* True if a view is as a store may leave it: nobody else is attached, or it is one's own. */
bool lrd__grow_sound(const lrd__view *view, const lrd__geometry *geo);

/* ---- arena.c: pages, blocks, retiring, reclaiming ---- */
uint32_t lrd__class_of(uint64_t bytes);        /* LRD__CLASS_RUN above LRD__SMALL_MAX */
uint32_t lrd__class_size(uint32_t size_class); /* bytes; LRD__UNIT for runs */
static inline uint32_t lrd__owner_make(uint32_t shard, uint32_t size_class)
{
    return LRD__OWNED | shard << 8 | size_class;
}
/* A page that nobody may use again: an immutable store's, whose shard was emptied. */
#define LRD__OWNER_LOST (LRD__OWNED | 0x7fffff00u)
static inline uint32_t lrd__owner_shard(uint32_t owner) { return owner >> 8 & 0x7fffff; }
static inline bool lrd__owner_is(uint32_t owner, uint32_t shard)
{
    return owner != 0 && lrd__owner_shard(owner) == shard;
}
static inline uint32_t lrd__owner_class(uint32_t owner) { return owner & 0xff; }
/* Pages are numbered by address: those of 64 KiB, then the small ones. */
static inline bool lrd__page_is_mini(const lrd_store *store, uint64_t page)
{
    return page >= store->geo.pages;
}
static inline uint64_t lrd__page_of(const lrd_store *store, uint64_t offset)
{
    return offset < store->geo.size
               ? offset >> LRD__PAGE_BITS
               : store->geo.pages + ((offset - store->geo.size) >> LRD__PART_BITS);
}
static inline uint64_t lrd__page_start(const lrd_store *store, uint64_t page)
{
    return !lrd__page_is_mini(store, page)
               ? page << LRD__PAGE_BITS
               : store->geo.size + ((page - store->geo.pages) << LRD__PART_BITS);
}
static inline uint64_t lrd__page_bytes(const lrd_store *store, uint64_t page)
{
    return lrd__page_is_mini(store, page) ? LRD__PART : LRD__PAGE;
}
/* Pages below this may have been claimed. */
static inline uint64_t lrd__pages_high(const lrd_store *store)
{
    return atomic_load_explicit(&store->header->pages_high, memory_order_acquire);
}
/* The owner word of any page, 0 for one that was never claimed. For searches: who knows an offset
 * of the shard's knows that the page has a description. */
static inline uint32_t lrd__page_owner(const lrd_store *store, uint64_t page)
{
    return lrd__page_is_mini(store, page) || page < lrd__pages_high(store)
               ? atomic_load_explicit(&store->owners[page], memory_order_acquire)
               : 0;
}
/* The first page of the shard from this one on; geo.pages_all: none. [locked] */
uint64_t lrd__shard_page(const lrd_store *store, uint32_t shard, uint64_t page);
/* Memory for the descriptions of all pages below end. LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__pages_describe(lrd_store *store, uint64_t end);
/* True if pages_high is as a store may leave it. */
static inline bool lrd__pages_sound(const lrd__header *header, const lrd__geometry *geo)
{
    uint32_t high = atomic_load_explicit(&header->pages_high, memory_order_relaxed);
    return high == geo->pages || (high < geo->pages && high % LRD__PAGES_CHUNK == 0);
}
/* Bytes the block at offset takes (class size or run length). [locked, its shard owns the page] */
LRD__HOT uint64_t lrd__block_bytes(const lrd_store *store, uint64_t offset);
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
/* Bits of the units of a page that have no memory. */
static inline uint64_t lrd__bare_units(const lrd_store *store, uint64_t page)
{
    uint64_t parts = atomic_load_explicit(&store->pages[page].committed, memory_order_acquire);
    return parts < LRD__PAGE_PARTS ? UINT64_MAX << (parts << (LRD__PART_BITS - LRD__UNIT_BITS)) : 0;
}
/* Offset of the run that the (allocated) unit at offset belongs to. [locked] */
uint64_t lrd__run_start(const lrd_store *store, uint64_t offset);
/* Set the lengths for a run. [locked] */
void lrd__run_mark(lrd_store *store, uint64_t first, uint64_t units);
/* Find room for bytes in this shard without giving anything up but free pages. A found block is
 * listed in self's ledger (*entry), then allocated and retired; with entry NULL, for who publishes
 * or retires it before the lock is let go of, only allocated. LRD_ENOROOM. [locked] */
LRD__HOT int lrd__arena_try(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry);
/* The same in a block of a larger class, or a run, of at most so many bytes. [locked] */
int lrd__arena_larger(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                      uint64_t most, uint64_t *offset, uint32_t *entry);
/* Clear / set the retired bit of an allocated block and the counts that go with it. [locked] */
LRD__HOT void lrd__arena_revive(lrd_store *store, uint32_t shard, uint64_t offset);
LRD__HOT void lrd__arena_retire(lrd_store *store, uint32_t shard, uint64_t offset);
/* Free every retired block of the shard that no ledger lists; pages that become empty are free for
 * any shard, or stay where a run is to be put there (keep). Returns bytes freed. [locked] */
LRD__HOT uint64_t lrd__arena_reclaim(lrd_store *store, uint32_t shard, bool keep);
/* retired bytes of a shard before the first time, and the second */
#define LRD__RECLAIM_MIN 4096u
/* Give back the pages of the shard that are wholly free (claimed in chunks and not used).
 * [locked] */
uint32_t lrd__arena_trim(lrd_store *store, uint32_t shard);
/* Set the held bits for a listing (clear them all first). [locked] */
void lrd__arena_mark(lrd_store *store, uint32_t shard, uint64_t offset);
void lrd__arena_unmark_all(lrd_store *store, uint32_t shard);
bool lrd__arena_is_held(const lrd_store *store, uint64_t offset);
/* Lists of pages: used by recovery. [locked] */
LRD__HOT void lrd__page_link(lrd_store *store, uint32_t shard, uint32_t page, uint32_t size_class);
void lrd__page_free(lrd_store *store, uint32_t shard, uint32_t page);
/* blocks (units) in a page */
uint32_t lrd__page_blocks(const lrd_store *store, uint64_t page, uint32_t size_class);
/* A free page may be found from here on. */
void lrd__pages_hint_lower(lrd_store *store, uint32_t page);
/* Nobody knows which pages are free: look at all, of both sizes. */
void lrd__pages_hints_reset(lrd_store *store);
/* True if the file system was full a moment ago, so that what has memory already is used. */
bool lrd__memory_short(const lrd_store *store);
/* It is full: remember it, and count it. */
void lrd__memory_note(lrd_store *store);
/* Give the memory of a free page back to the file system. It is claimed meanwhile: somebody may be
 * about to have it. False: it is not free, or it is collected. [locked: shard is any whose lock is
 * held] */
bool lrd__page_yield(lrd_store *store, uint32_t shard, uint32_t page);
/* Whether a page's mark is that of another living writer, who collects it. self may be NULL. */
bool lrd__page_collected(lrd_store *store, const lrd__thread *self, uint64_t mark);
/* The zone's memory, all of it, where the file system cannot have all that the segment may need:
 * nobody can be asked to let go of other memory later. LRD_ENOSPC: it has none left, and the zone
 * is fed as it goes. */
int lrd__zone_reserve(lrd_store *store);
/* First page of the zone, and pages of each of its windows: a value of LRD__ZONE_SHARE, its header
 * and a usual key. A longer key counts as a part of the value. */
static inline uint64_t lrd__zone_pages(const lrd_store *store)
{
    return (store->geo.size / LRD__ZONE_SHARE + 512 + LRD__PAGE - 1) >> LRD__PAGE_BITS;
}
static inline uint64_t lrd__zone_first(const lrd_store *store)
{
    return store->geo.pages - LRD__ZONE_WINDOWS * lrd__zone_pages(store);
}
/* Memory was refused before the zone had all of its own, which writers see to. */
static inline bool lrd__zone_hungry(const lrd_store *store)
{
    return store->evicts &&
           atomic_load_explicit(&store->header->memory_short, memory_order_relaxed) != 0 &&
           atomic_load_explicit(&store->header->zone_fed, memory_order_relaxed) == 0;
}
/* File system pages behind a block. LRD_ENOSPC, LRD_ETRUNCATED. [locked, or the block is being
 * built] */
int lrd__arena_commit(lrd_store *store, uint64_t offset, uint64_t bytes);
/* larger blocks are committed by their builder, unlocked */
#define LRD__COMMIT_LOCKED ((uint64_t)1 << 20)
/* Claim free pages [first, first + count) for this shard. LRD_ENOROOM: one is taken; LRD_ENOSPC. */
int lrd__pages_claim(lrd_store *store, lrd__thread *self, uint32_t shard, uint32_t first,
                     uint32_t count, uint32_t size_class);
/* How a page says who collects it. */
static inline uint64_t lrd__drain_mark(const lrd__thread *self)
{
    return (uint64_t)(self->slot_index + 1) << 32 | (uint32_t)self->incarnation;
}
/* Offset of a block by page and number within it. */
uint64_t lrd__block_offset(const lrd_store *store, uint32_t page, uint32_t size_class,
                           uint32_t index);

/* ---- room.c: what is given up to make room ---- */
/* As lrd__arena_try, but gives up whatever the policy allows. May release and retake the lock.
 * LRD_ENOROOM, LRD_ENOSPC, LRD_ETRUNCATED, LRD_ENOMEM, LRD_EBUSY (the lock is then not held:
 * *locked). */
LRD__HOT int lrd__room_make(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t bytes,
                            uint64_t *offset, uint32_t *entry, bool *locked);
/* Give the memory of a page of data, at least so many bytes, back to the file system, evicting what
 * lies there. Takes shards' locks, waits for none. False: all that has memory, and is not of the
 * zone, is held, or others are there. */
bool lrd__room_yield(lrd_store *store, uint64_t bytes);
/* The file system is full: see to it, a few pages at a time, that the zone has its memory, taking
 * that of others. No lock is held. */
void lrd__room_feed_zone(lrd_store *store, lrd__thread *self);
/* Remove entries of older epochs until so many bytes are retired, in a bounded part of the index.
 * [locked] */
uint64_t lrd__room_sweep_dead(lrd_store *store, uint32_t shard, uint64_t bytes);
/* True if there are more, which another call looks for further on. [locked] */
bool lrd__room_sweeps(const lrd_store *store, uint32_t shard);
/* Remove entries that have expired, at most budget steps of the wheel. [locked] */
LRD__HOT uint64_t lrd__room_expire_now(lrd_store *store, uint32_t shard, uint32_t budget);
static inline uint64_t lrd__room_expire(lrd_store *store, uint32_t shard, uint32_t budget)
{
    /* Most writes: nothing is in the wheel, which stands still then, and the time need not be asked
     * for. */
    return store->expires && store->shards[shard].wheel_count != 0
               ? lrd__room_expire_now(store, shard, budget)
               : 0;
}
/* Bytes in which retired blocks are reclaimed and entries evicted: 1/64 of a shard's share. */
uint64_t lrd__batch_bytes(const lrd_store *store);

/* ---- slot.c, for who adopts a segment ---- */
/* Add the counts of all slots to the header's: the slots begin anew. */
void lrd__slots_keep_counts(lrd_store *store);

/* ---- entry.c: an index slot and all that is kept about it ---- */
/* Count what was live as dead if the store was cleared meanwhile. First thing under a lock. */
LRD__HOT void lrd__entry_sync(lrd_store *store, uint32_t shard);
/* Milliseconds since the block was published; 0 for a counter, which does not know. */
static inline uint64_t lrd__block_age(const lrd_store *store, const lrd__block *block)
{
    uint64_t now = lrd__now(store), written = block->version >> LRD__VERSION_CLOCK;
    return block->version != 0 && now > written ? now - written : 0;
}
/* True if the block is of the current epoch and has not expired. */
static inline bool lrd__block_current(const lrd_store *store, const lrd__block *block)
{
    return block->epoch == atomic_load_explicit(&store->header->view.epoch, memory_order_acquire);
}
static inline bool lrd__block_live(const lrd_store *store, const lrd__block *block)
{
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return lrd__block_current(store, block) && (expiry == 0 || expiry > lrd__now(store));
}
/* The same for a writer that holds the shard's lock: by the epoch that it stamps new blocks with,
 * or a concurrent lrd_clear() would come between its look and its store. [locked, after
 * lrd__entry_sync] */
static inline bool lrd__block_live_here(const lrd_store *store, const lrd__shard *shard,
                                        const lrd__block *block)
{
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    return block->epoch == lrd__shard_epoch(shard) && (expiry == 0 || expiry > lrd__now(store));
}
/* Publish the block at offset, which is allocated and not retired, in an empty slot / in the slot
 * of its key. */
LRD__HOT void lrd__entry_insert(lrd_store *store, const lrd__place *place, uint32_t slot,
                                uint64_t offset);
LRD__HOT void lrd__entry_replace(lrd_store *store, const lrd__place *place, uint32_t slot,
                                 uint64_t offset);
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

/* ---- evict.c: S3-FIFO over index slots (volatile stores only) ---- */
/* An entry was inserted in this slot. ghost_key: 32 bits of its hash. Queues it (main if the ghost
 * remembers it) unless it still is in a queue; adds its bytes. [locked] */
LRD__HOT void lrd__evict_inserted(lrd_store *store, uint32_t shard, uint32_t slot,
                                  uint32_t ghost_key, uint64_t bytes);
/* The entry in this slot was replaced by one of another size / is about to be removed (it stays
 * queued, as a hint to be dropped when its turn comes). [locked] */
LRD__HOT void lrd__evict_resized(lrd_store *store, uint32_t shard, uint32_t slot,
                                 uint64_t old_bytes, uint64_t new_bytes);
void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes);
/* The order that blocks of so many bytes belong to. */
uint32_t lrd__order_of(uint64_t bytes);
/* Choose the next victim of an order by S3-FIFO and take it out of its queue; the caller removes
 * the entry, or puts it back if it is held. LRD__NO_SLOT when both queues are empty. *from_small:
 * it was in the small one. [locked] */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard, uint32_t order, bool *from_small);
/* The entry of an order whose turn is next, warm or not; it stays queued. LRD__NO_SLOT: there is
 * none. [locked] */
uint32_t lrd__evict_next(lrd_store *store, uint32_t shard, uint32_t order);
/* The slot behind one that is queued, of a live entry of any order or of a removed one.
 * LRD__NO_SLOT: it is the last. [locked] */
uint32_t lrd__evict_after(const lrd_store *store, uint32_t shard, uint32_t slot);
/* If that entry is warm, spend one of its chances: true. [locked] */
bool lrd__evict_spares_next(lrd_store *store, uint32_t shard, uint32_t order);
/* How many entries the shard got since the order's next victim was queued, and one; 0: none is
 * queued. [locked] */
uint32_t lrd__evict_age(const lrd_store *store, uint32_t shard, uint32_t order);
void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small);
/* So many pages are taken, whoever had them: the frequencies of as large a part of the shard's
 * entries fall, as they do in its queues once all of it was given up. What takes pages does not go
 * by those: what was used long ago would stay, and what is new make room for what is newer.
 * [locked] */
void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages);
void lrd__evict_remember(lrd_store *store, uint32_t shard, uint32_t ghost_key);
/* The entry of one slot was copied to another: it keeps its place in its queue. The first stays
 * queued, as one that was removed. [locked] */
void lrd__evict_moved(lrd_store *store, uint32_t shard, uint32_t from, uint32_t to);
/* A recovery forgets all queues and ghosts; then it says of each bucket, the last one first, which
 * of its slots are used (a bit each): these get into main, the others are in no queue. [locked] */
void lrd__evict_reset(lrd_store *store, uint32_t shard);
void lrd__evict_recover(lrd_store *store, uint32_t shard, uint32_t bucket, uint32_t used);
/* An entry with this key is about to be inserted: ask for its place in the ghost. [locked] */
LRD__HOT void lrd__evict_expect(const lrd_store *store, const lrd__place *place);
/* The key of an entry in the ghost: tag and home bucket, so that it can be had without the
 * block. */
LRD__HOT uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot);

/* ---- expiry.c: the timing wheel and the clock ---- */
/* Milliseconds of boot time (suspend counts), or the options' clock. Never 0. */
uint64_t lrd__now(const lrd_store *store);
/* Notice a suspend. */
LRD__HOT void lrd__clock_refresh(lrd_store *store);
/* For who adopts a segment, alone: an offset that cannot be becomes what it is. */
void lrd__clock_judge(lrd_store *store);
/* Milliseconds of the coarse monotonic clock: a timer interrupt behind, at most. */
static inline uint64_t lrd__clock_coarse(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
/* What lrd__now() is, or was, when that clock showed coarse. */
static inline uint64_t lrd__now_of(const lrd_store *store, uint64_t coarse)
{
    uint64_t now =
        store->clock_ms != NULL
            ? store->clock_ms(store->clock_arg)
            : coarse + atomic_load_explicit(&store->header->clock_offset, memory_order_relaxed);
    return now != 0 ? now : 1;
}
static inline uint32_t lrd__tick_of(uint64_t expiry_ms) /* the first tick at which it has expired */
{
    uint64_t tick = (expiry_ms >> LRD__TICK_BITS) + 1;
    return expiry_ms == 0 ? 0 : tick < UINT32_MAX ? (uint32_t)tick : UINT32_MAX - 1;
}
/* True if a slot's timer has memory. */
static inline bool lrd__timer_ready(const lrd_store *store, uint64_t number)
{
    return atomic_load_explicit(&store->timed[number / LRD__WAYS / LRD__TIMER_CHUNK],
                                memory_order_acquire) != 0;
}
/* Give it memory. LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__timer_commit(lrd_store *store, uint32_t shard, uint32_t slot);
/* The same, but where entries can be evicted LRD_ENOSPC is no reason to be without one: the shard
 * says that some may have no tick (untimed), readers heed the time that the block has, and eviction
 * removes it in the end. [locked] */
int lrd__timer_want(lrd_store *store, uint32_t shard, uint32_t slot);
/* The tick the wheel has for a slot. [locked] */
static inline uint32_t lrd__timer_tick(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    if (store->shards[shard].timed == 0)
        return 0;
    uint64_t number = lrd__slot_number(store, shard, slot);
    return lrd__timer_ready(store, number) ? store->timers[number].tick : 0;
}
/* Put the slot, whose timer has memory, where its tick belongs (out of the wheel for tick 0),
 * moving it if it is in already. [locked] */
void lrd__wheel_set(lrd_store *store, uint32_t shard, uint32_t slot, uint32_t tick);
/* Handle ticks up to now; returns the next slot whose tick has come (taken out of the wheel), or
 * LRD__NO_SLOT when there is none or *budget steps are used up. The caller checks the block's
 * expiry and removes the entry or sets the slot again. [locked] */
uint32_t lrd__wheel_due(lrd_store *store, uint32_t shard, uint64_t now_ms, uint32_t *budget);
void lrd__wheel_reset(lrd_store *store, uint32_t shard, uint64_t now_ms);

/* ---- write.c, for queue.c ---- */
/* Now and then: the file's size and the offset of the clock. coarse: what lrd__clock_coarse() says.
 * LRD_ETRUNCATED, LRD_ESYS. [thread] */
int lrd__write_chores(lrd_store *store, lrd__thread *self, uint64_t coarse);
/* End what a ledger entry reserved: its block is published, or retired and listed by nobody.
 * [thread] */
void lrd__write_cancel(lrd__thread *self, uint32_t entry);
/* A call that was to store something in the shard ends with this code: count it, if it is a
 * refusal. Returns the code. */
int lrd__write_failed(lrd_store *store, uint32_t shard, int code);
/* True if the reservation is open in this thread. */
bool lrd__write_owns(const lrd__thread *self, const lrd_reservation *reservation);

/* ---- queue_check.c: hooks of recovery and of the checker; stores of queues only ---- */
/* Put memory behind the rows that a segment that was left uses. LRD_ENOSPC, LRD_ETRUNCATED,
 * LRD_ESYS. */
int lrd__queue_commit_used(lrd_store *store);
/* Set the allocated bits of all bodies. False: a row contradicts the pages. [locked] */
bool lrd__queue_allocate(lrd_store *store, uint32_t shard);
/* Forget all messages of the shard. [locked] */
void lrd__queue_empty(lrd_store *store, uint32_t shard);
/* Make trees, counts and the list of free rows anew from the rows' states. [locked] */
void lrd__queue_mend(lrd_store *store, uint32_t shard);
/* Nobody vouches for the segment: keep queues, and of the messages those whose rows and blocks
 * agree. Returns how many messages, and names of queues, were lost. */
uint32_t lrd__queue_distrust(lrd_store *store, uint32_t shard);
/* Check the shard's queues and messages. see: note that a block is in use; false where none can be.
 * [locked] */
typedef struct lrd__queue_check {
    void *run;
    void (*wrong)(void *run, const char *what, uint64_t is, uint64_t should);
    bool (*see)(void *run, uint64_t offset, uint64_t bytes);
} lrd__queue_check;
void lrd__queue_fsck(lrd_store *store, uint32_t shard, const lrd__queue_check *check);

/* ---- recover.c, fsck.c ---- */
/* The last holder of this shard's lock died: derive everything from index and ledgers. [locked] */
void lrd__recover_shard(lrd_store *store, uint32_t shard);
/* Forget lists, bitmaps and counts of the shard's pages. [locked] */
void lrd__recover_clear(lrd_store *store, uint32_t shard);
/* Set the allocated bits of an indexed block. Returns its bytes; 0: the word contradicts the pages.
 * [locked] */
uint64_t lrd__recover_allocate(lrd_store *store, uint32_t shard, uint64_t word);

/* ---- vet.c: a segment that nobody used any more ---- */
/* Nobody else is attached: make all locks and slots new, judge the owners of pages, and distrust
 * everything else until it is used. LRD_ESYS. */
int lrd__vet_segment(lrd_store *store);
/* Nobody has used this shard since the segment was made. [locked] */
void lrd__shard_format(lrd_store *store, uint32_t shard);
/* Whether a block of so many bytes lies within one slot of a small page, or in run pages of one
 * owner, and has memory: what does not must not be read. */
bool lrd__block_fits(const lrd_store *store, uint64_t page, uint64_t within, uint64_t bytes);
/* Check every page, word and block of a shard, drop what is damaged, rebuild the rest. [locked] */
void lrd__vet_shard(lrd_store *store, uint32_t shard);
/* Pairs with the release in vet.c: what is loaded of the shard after it is sound. */
static inline bool lrd__shard_vetted(const lrd_store *store, uint32_t shard)
{
    return atomic_load_explicit(&store->gates[shard].vetted, memory_order_acquire) != 0;
}
/* A thread has got its slot: may it read the usual way? fast and the limit are the caller's to
 * set. */
void lrd__vet_begin(lrd__thread *self);
/* For a thread whose usual is NULL, before it searches a shard without the lock: see to it that the
 * shard is vetted, or that one more is. LRD_EBUSY: somebody has had its lock for a second. */
int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t shard)
    __attribute__((noinline, cold));
/* Vet what is left, but for shards that are busy. */
void lrd__vet_all(lrd_store *store);

#endif
