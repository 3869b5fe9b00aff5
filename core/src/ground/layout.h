/* layout.h - everything that lies in shared memory: the control mapping of the segment, and the
 * beginning of each block of the data. Pinned by static assertions; a change here raises
 * LRD__LAYOUT. docs/memory-layout.md has the offsets.
 *
 * Shared memory holds no pointers: pages, blocks, index slots and threads are named by numbers.
 * (Values may hold pointers into the read-only alias, which has the same address in every process.)
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* before the first system header: memfd_create, OFD locks */
#endif

#include "larder_admin.h"
#include "larder_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LRD__MAGIC 0x31726564726c0a1aull
#define LRD__LAYOUT 11u

#define LRD__PAGE_BITS 16u /* a page: 64 KiB, belongs to one shard and one size class */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* a unit: 1 KiB, what runs (blocks above 8 KiB) are made of */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
#define LRD__PART_BITS 12u /* a page gets its memory in parts of 4 KiB, from its beginning on */
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* Small pages of 4 KiB behind the data, where what is stored first finds memory: a shard needs no
 * whole page for the first block of a class. For blocks of up to LRD__MINI_BLOCK bytes. */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 1024u
#define LRD__MINI_STEP 8u    /* so many get memory at once ... */
#define LRD__MINI_READY 16u  /* ... and so many when a segment is made */
#define LRD__PAGES_CHUNK 64u /* pages whose descriptions get memory at once */
#define LRD__GRANULE_BITS 4u /* a granule: 16 bytes, what offsets in index words count */
#define LRD__SMALL_MAX 8192u /* bytes of the largest block in a size class */
#define LRD__CLASSES 53u     /* 64 80 96 112 128, then 8 per doubling up to 8192 */
#define LRD__CLASS_RUN 53u
#define LRD__LANES 4u       /* of writers of small blocks, who rather share no page: see arena.c */
#define LRD__PAGE_WORDS 16u /* 64-bit words of a page's bitmap: 1024 blocks of 64 bytes */
#define LRD__WAYS 7u        /* index words in a bucket */
#define LRD__PROBES 16u /* buckets an entry may lie in: its home and the next ones of its shard */
#define LRD__OVERHANG (LRD__PROBES - 1) /* buckets of a shard behind its last home */
/* bits of the hash in a tag: as many doublings are possible, at most */
#define LRD__TAG_HASHED 23u
#define LRD__MASK_FIRST 0xffffffffull /* of header->view, before the index has grown */
#define LRD__TIMER_CHUNK 256u /* buckets (of all shards) whose timers are committed at once */
#define LRD__FREQ_MAX 3u
/* a version: the time of the write (ms) << 24 | writes of that time */
#define LRD__VERSION_CLOCK 24u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel: 128 ms */
#define LRD__GHOST_WAYS 4u
#define LRD__KEYLOCK_CHUNK 64u /* rows of key reservations that a shard gets at once: 4 KiB */
/* 32 rows for each of the most slots; and one chunk for each shard */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* hash chains of a shard */
#define LRD__QUOTA_UNITS 4096u  /* quotas count 1/4096 of the data */
#define LRD__QUOTA_KEEP 1u      /* units a thread keeps while it holds nothing */
/* The last pages of a store that evicts are its zone, cut into windows that a value of 1/32 of the
 * data fits into. Holds may bar at most half of these, so one can always be emptied: see
 * ledger.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_BARRED 2u
#define LRD__ZONE_SHARE 32u
/* of a quota; above them which windows of the zone its owner may bar */
#define LRD__QUOTA_BITS 12u
#define LRD__ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(uint64_t)((a)-1))

/* A block: one contiguous piece of the data. The usual form has a header of 26 bytes:
 *
 *   +0 expiry  +8 version  +16 epoch  +20 size  +24 key_len  +25 type  +26 key | pad | value
 *                                                                              16-aligned
 * and the long one, for keys above 255 bytes and values of 4 GiB and more, has one of 40:
 *
 *   ... +20 0  +24 0  +25 type  +26 long_key_len  +28 pad  +32 long_size  +40 key | pad | value
 *
 * Immutable once published but for expiry and the value of a counter. */
typedef struct lrd__block {
    _Atomic uint64_t expiry; /* ms of the store's clock, 0: never. Shard lock holder stores */
    uint64_t version;        /* stamped at publish */
    uint32_t epoch;          /* stamped at publish; another epoch than the header's: cleared */
    uint32_t size;           /* bytes of the value; 0 in the long form */
    uint8_t key_len;         /* 0: the long form */
    uint8_t type;
    uint16_t long_key_len; /* of the long form; else the key begins here */
    uint32_t long_pad;
} lrd__block;
_Static_assert(sizeof(lrd__block) == 32 && offsetof(lrd__block, long_key_len) == 26,
               "layout: block");
#define LRD__BLOCK_KEY 26u       /* where the key begins ... */
#define LRD__BLOCK_LONG_KEY 40u  /* ... in the long form, behind the size ... */
#define LRD__BLOCK_LONG_SIZE 32u /* ... which lies here */
#define LRD__BLOCK_KEY_MAX 255u  /* bytes of a key in the usual form */

/* A bucket of the index: one cache line. word: {tag 24, displacement 4, listing 36}; 0: empty. The
 * listing is the block's offset in granules of the data + 1, as a ledger has it. The displacement
 * is how many buckets from home the entry lies, and the tag has every bit of the hash that growing
 * will ever ask for, so neither recovery nor a move needs the block. */
typedef struct lrd__bucket {
    /* shard lock holder stores (release); anyone loads (acquire) */
    _Atomic uint64_t word[LRD__WAYS];
    _Atomic uint8_t freq[LRD__WAYS]; /* anyone stores, lossy: 0..LRD__FREQ_MAX */
    /* shard lock holder: entries whose probe passed here; 255 sticks until recovery */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* A page of the data, apart from its owner (kept dense in its own array for scans). */
typedef struct lrd__page {
    /* slot index + 1 << 32 | low incarnation of a writer that collects this page for a large value:
     * nobody else claims or marks it while it is free. Void once that writer is gone. Collectors
     * compare and swap (seq_cst) */
    _Atomic uint64_t drain;
    uint32_t next;  /* page number + 1 in its shard's list (small pages any order, run pages by */
    uint32_t prev;  /*   address), 0: none. Shard lock */
    uint32_t anext; /* the same for the list of pages with room of its lane and class */
    uint32_t aprev;
    _Atomic uint16_t used; /* blocks (units in a run page) that are allocated. Shard lock stores */
    _Atomic uint16_t retired; /* of these, retired. Shard lock stores; anyone loads, to choose */
    uint16_t hint;            /* no free block below this bitmap word */
    uint8_t avail;            /* is in the list of pages with room */
    /* parts, from the beginning, that have memory. Who committed them stores (release), for long
     * runs without the lock; who writes there loads (acquire) */
    _Atomic uint8_t committed;
    uint8_t marked; /* some of its held bits are set. Shard lock */
    uint8_t waits;  /* is in its shard's list of pages with retired blocks, or that had some. ... */
    uint32_t waiting; /* ... page number + 1 of the next one there, 0: none. Shard lock */
    /* slot index + 1 of who put a run there last, a hint: any value is right. Shard lock stores */
    _Atomic uint32_t user;
    uint8_t lane; /* of small blocks: whose writers look here first for room. Shard lock */
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. What a write changes together lies together. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* shard lock */
        uint64_t retired;   /* shard lock; only ever set where allocated is */
    } block[LRD__PAGE_WORDS];
    uint64_t held[LRD__PAGE_WORDS]; /* scratch of the ledger scan, under the shard lock */
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* Who holds a lock: for owners whose death the kernel could not tell. */
typedef struct lrd__who {
    /* start time, as /proc gives it, << LRD__TID_BITS | id, 0: unknown. One word, so that no id is
     * ever seen with another thread's time. The holder stores (release); anyone loads (acquire) */
    _Atomic uint64_t thread;
    _Atomic uint64_t gone_since; /* ms when it was first seen gone without an owner-died mark */
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* ids are below 2^22 (PID_MAX_LIMIT); 42 bits of ticks are 1,390 years */
#define LRD__TID_BITS 22u

/* One reservation of a key. Shard lock, but for turn. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    uint64_t token;               /* 0: free, or kept for a waiter */
    uint64_t until; /* ms, 0: no lease; of a row kept for a waiter: when it is free all the same */
    uint64_t incarnation;
    uint32_t slot;         /* index of the owner's slot */
    _Atomic uint32_t turn; /* futex: raised when the reservation ends and somebody may sleep here */
    uint32_t waiters;      /* flag: somebody may sleep on turn, or wants it; see keylock.c */
    uint32_t next, prev;   /* row + 1 in the chain of its hash, or in the free list, 0: none */
    uint32_t place;        /* in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* A slot's place in the timing wheel of its shard. Shard lock. */
typedef struct lrd__timer {
    /* of the expiry of the slot's block, 0: never (a hint; the block has the truth) */
    uint32_t tick;
    uint32_t next; /* slot + 1 in its list, 0: none */
    /* the same, or which list's head points here: see expiry.c; 0: it is in no list */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* A slot's link in a queue of evict.c: slot + 1 in the low bits, 0: none; which queue it is in
 * above. Shard lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

#define LRD__TURN_WHO 0xffffu /* of a turn: slot + 1; above it when the turn is over */
/* The way into a shard. Apart from the shard, so that making a segment touches only these, densely.
 * What each holder stores is in the first cache line. */
typedef struct lrd__gate {
    _Alignas(64) pthread_mutex_t lock; /* robust, process-shared, NORMAL */
    /* 0, as usually: who comes may have the lock. Else whose turn it is, and how long: see lock.c.
     * A hint: compare-and-swap, relaxed */
    _Atomic uint64_t turn;
    lrd__who holder; /* a mutex of 48 bytes (aarch64) pushes gone_since into the second line */
    /* 0: left by who used the segment before, and not looked at since: see vet.c. Lock holder
     * stores 1 (release); anyone loads (acquire) */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex: who sleeps was to be woken. Fetch-add */
    /* times the lock was had in turns, or after a wait: a sign that it goes on. Lock holder
     * stores */
    _Atomic uint32_t had;
    _Atomic uint32_t began; /* had, when the turn began. Who begins it stores */
    _Atomic uint32_t idle;  /* turns in a row that were hardly used. Who ends one stores */
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* Where runs of so many units, and more, do not begin: below the page in the link from. */
typedef struct lrd__gap {
    uint32_t units; /* 0: nothing is known */
    uint32_t from;  /* page number + 1; 0: the first one; LRD__NO_GAP: they begin nowhere */
} lrd__gap;
#define LRD__GAPS 8u /* by the power of two below the units: 8 and less, 16, ... 1024 and more */
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. Shard lock. How old its head is follows from
 * how many slots were pushed and popped, and when two of them were pushed: see evict.c. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* slot + 1, 0: none */
    uint32_t in, out;    /* slots pushed and popped so far */
    uint32_t mark[2];    /* the number of a push, ... */
    uint32_t at[2];      /* ... and shard->clock then; the first one is no later than the second */
} lrd__fifo;

/* The entries of one size class, or of runs of one power of two. Shard lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* block bytes of its live entries that are in a small, a main queue */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* its live entries */
    uint32_t main_count; /* those in a main queue */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
#define LRD__RUN_ORDERS 11u /* runs below 16 KiB, 32 KiB ... and all above 8 MiB */
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* What one shard's lock guards, but for the arrays that the geometry places elsewhere. All zero,
 * homes too, until somebody gets the lock for the first time. All fields are stored by the lock's
 * holder only; statistics are loaded by anyone. */
typedef struct lrd__shard {
    /* What a write loads, and rarely stores. */
    /* header epoch that live_* below are about. Lock holder stores (release, after the counts it
     * moved); statistics load (acquire) */
    _Alignas(64) _Atomic uint32_t epoch;
    /* home buckets: how far this shard has grown; 0: nobody has used it. The next one may be split
     * off in part. Lock holder stores (release); anyone loads (acquire), to see whether all have
     * finished */
    _Atomic uint32_t homes;
    uint32_t dead_entries; /* entries of older epochs, not yet swept */
    uint32_t sweep_bucket; /* where the sweep of old epochs goes on */
    uint64_t reclaim_at;   /* retired bytes at which the next batch is reclaimed */
    uint64_t reclaim_step; /* how many more they were than were left by the one before */
    uint64_t grow_at;      /* entries at which growing is tried again after it failed */
    uint16_t marked;       /* some page may have held bits */
    /* writers of small blocks share theirs: all pages of the store were described. A hint */
    uint16_t one_lane;
    uint32_t full_deletes; /* header->deletes when a search for room failed ... */
    uint64_t full_until;   /* ... which is not repeated before (ms), nor ... */
    uint64_t full_bytes;   /* ... for a block of this size or more */

    /* What each write stores: one line, which may have to come from another processor. */
    _Alignas(64) uint64_t version; /* last version given; see LRD__VERSION_CLOCK */
    uint64_t unlinked_at;  /* header->barriers_begun after the last block was unlinked: ... */
    uint32_t unlinked;     /* ... stored when the lock is let go, if this says that one was */
    uint32_t waiting;      /* first page with retired blocks: page number + 1 */
    _Atomic uint32_t flux; /* index slot + 1 whose expiry is being changed */
    /* index slot + 1 whose entry is being moved: another slot may name its block, too. Lock
     * holder */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes;    /* block bytes (class or run size) of live entries */
    _Atomic uint64_t retired_bytes; /* of retired blocks, open reservations included */
    _Atomic uint64_t replaces;

    _Alignas(64) _Atomic uint64_t dead_bytes; /* of entries of older epochs */
    _Atomic uint64_t page_bytes;              /* of pages this shard owns */
    /* of what was evicted lately: each counts for an eighth. Lock holder */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* last key reservation token given */
    uint32_t keylock_free; /* rows of reservations that are free: row + 1 */
    /* chunk of rows that was last searched for reservations that have ended */
    uint32_t keylock_hand;
    uint32_t keylock_ready; /* its chains of rows have memory */
    _Atomic uint64_t inserts;
    _Atomic uint64_t deletes, expired, evicted, ghost_hits;
    _Atomic uint64_t refused; /* fetch-add, also by who did not get the lock */
    _Atomic uint64_t recoveries, emptied;
    _Atomic uint64_t busy; /* as refused */

    /* arena.c */
    uint32_t small_pages, run_pages; /* heads: page number + 1 */
    uint32_t page_count;             /* pages this shard owns */
    uint32_t rotor;                  /* where the next search for a victim page starts */
    /* heads per lane and class (run pages have no such list) */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    uint64_t class_bytes[LRD__CLASSES]; /* of page_bytes, those of each size class */

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;      /* entries inserted so far */
    uint32_t ghost_seq;  /* evictions remembered so far */
    uint32_t ghost_sets; /* of the ghost, a power of two; 0: it has no memory yet */

    /* expiry.c: timing wheel of index slots, linked by their timers */
    uint32_t wheel_tick; /* all ticks up to here were handled; stands still while there are none */
    uint32_t wheel_count;
    uint32_t timed;                                      /* a slot has or had a tick */
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    _Atomic uint64_t refused_by[LRD_REFUSALS]; /* by cause; as refused */
    /* some entry that expires has no tick, for want of memory: it is evicted in the end */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* arena.c: where a search for a run begins */
} lrd__shard;
_Static_assert(sizeof(lrd__shard) <= 12288, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's place in the store. Two leases tell whether its owner lives: the slot is dead only
 * when neither is held (guardian: the parent, during a fork, until the child holds owner). */
typedef struct lrd__slot {
    _Alignas(64) pthread_mutex_t owner;    /* robust; held by the owning thread while it lives */
    _Alignas(64) pthread_mutex_t guardian; /* robust; held by a forking parent for its child */
    _Alignas(64) _Atomic uint64_t incarnation; /* raised by each claim, each end and each reaping */
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
    _Atomic uint64_t spare; /* one more entry, for borrowed values */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
#define LRD__SLOT_SIZE 12288u
_Static_assert(sizeof(lrd__slot) <= LRD__SLOT_SIZE, "layout: slot");

/* The state of the index, which every get loads: one line that is hardly ever stored to.
 *
 * Buckets of the index are numbered over all shards: bucket % shards is the shard. lrd__bucket_at()
 * says which is the home of a key, by the bits of the hash that mask has: 32 at first, one more
 * after each doubling. While next has one more than mask, buckets are split, shard by shard: see
 * grow.c. */
typedef struct lrd__view {
    _Atomic uint32_t epoch; /* raised by lrd_clear */
    /* buckets that have memory, and as many more as the overhang is. Raised (compare-and-swap) by
     * whoever has committed it */
    _Atomic uint32_t grown;
    /* stored (compare-and-swap) when all shards have split all their homes */
    _Atomic uint64_t mask;
    _Atomic uint64_t next; /* the same by whoever begins to double; else equal to mask */
} lrd__view;
_Static_assert(sizeof(lrd__view) == 24, "layout: view");

/* Start of the segment. */
enum { LRD__STATE_BLANK = 0, LRD__STATE_READY = 0x52454459 };
typedef struct lrd__header {
    uint64_t magic;
    uint32_t layout;        /* LRD__LAYOUT */
    _Atomic uint32_t state; /* READY is stored last; anything else is not trusted */
    /* constant from here to sum, which is their XXH3 */
    uint64_t size, base, seed, file_size;
    uint64_t device, inode;                  /* of this very file: a copy is refused */
    uint32_t policy, shards, slots, buckets; /* buckets: of a shard when the segment was made */
    uint32_t fence, word_size; /* fence: set later, too, by who is alone and has no membarrier */
    char boot_id[40];
    char libc[32];
    char value_abi[64];
    uint64_t sum;
    /* set by the first process that attaches, under the file's lock */
    _Atomic uint64_t namespace_device, namespace_inode; /* PID namespace of all users */
    /* inode, on the same device, of their time namespace; 0: the kernel has none. Start times and
     * clocks differ between them */
    _Atomic uint64_t time_namespace;
    /* variable */
    _Alignas(64) lrd__view view;
    _Atomic uint64_t clock_offset; /* boot - monotonic time, ms; writers and requests refresh */
    _Alignas(64) pthread_mutex_t slots_lock; /* robust: who makes slots holds it */
    /* raised after a hold was copied from one slot to another and before the first may let go: a
     * ledger scan that sees it change starts again */
    _Alignas(64) _Atomic uint64_t handovers;
    _Atomic uint32_t slots_high; /* slots at and above were never claimed */
    lrd__who slots_holder;       /* of slots_lock */
    /* pages at and above were never claimed, and their descriptions have no memory. Raised
     * (compare-and-swap) by whoever has committed it */
    _Atomic uint32_t pages_high;
    /* version, raised whenever a page becomes free, << 32 | page: none below it is free */
    _Atomic uint64_t pages_hint;
    _Atomic uint32_t window_rotor; /* where the search for a window of pages goes on */
    _Atomic uint32_t deletes;      /* raised by deletes where the policy does not evict */
    _Atomic uint64_t reaped;       /* slots of dead owners that were given back */
    /* a hint that chunks of reservation rows below it belong to shards. Raised by who has got one,
     * lowered by who gives one back (compare-and-swap) */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    _Atomic uint32_t minis_none;  /* the number before it, plus one, at which none was free */
    /* all shards are vetted. Stored (release) by who has seen that, 0 by who adopts, alone; loaded
     * (acquire) by threads that claim a slot */
    _Atomic uint32_t settled;
    /* monotonic ms: before it no page without memory is claimed, because the file system was full.
     * Anyone stores; a hint */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often it was */
    _Atomic uint64_t slots_freed;  /* slots that were given back, by whomever: fetch-add */
    _Atomic uint32_t zone_fed;     /* the zone has all of its memory. A hint */
    _Atomic uint32_t said;         /* bit per lrd_refusal that some host has reported: fetch-or */
    /* of slots before the segment was adopted last, by whoever adopts it */
    _Atomic uint64_t hits, misses, copies;
    _Atomic uint32_t neighbours; /* where the search for free pages that are not near goes on */
    /* number of the last barrier that began: fetch-add (seq_cst) before it */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* the highest that has ended. Raised (compare-and-swap, release) by whom it was ended; loaded
     * (acquire) before a scan */
    _Atomic uint64_t barriers_done;
    /* coarse monotonic ms: before it who claims a slot does not look for dead owners among many.
     * Anyone stores; a hint */
    _Atomic uint64_t slots_look_at;
    _Atomic uint32_t slots_hint; /* where a claim begins to look. Anyone stores; a hint */
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* Where the areas of the control mapping lie; a pure function of five numbers, so that nothing
 * read from a file has to be trusted. Offsets in bytes from the start of the file. */
typedef struct lrd__geometry {
    /* given; buckets: of a shard at first */
    uint64_t size;
    uint32_t policy, shards, slots, buckets; /* slots: with the spare ones */
    /* derived */
    uint64_t pages;      /* of 64 KiB */
    uint64_t pages_all;  /* with those of 4 KiB behind them */
    uint64_t data_size;  /* bytes of both */
    uint32_t shard_bits; /* log2(shards) */
    /* of a shard: buckets, doubled until the smallest blocks would fill the data */
    uint32_t homes_max;
    uint32_t ghost_sets;     /* per shard at most, of LRD__GHOST_WAYS entries; a power of two */
    uint32_t keylock_chunks; /* of rows for key reservations */
    uint32_t messages_max;   /* rows of a shard, in a store of queues */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* of the control mapping */
    uint64_t data_at;      /* control_size rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* The first slots of a store that evicts are nobody's for long: see lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
