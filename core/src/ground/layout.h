/* layout.h - everything in shared memory: the control mapping of the segment, and the header of
 * each block of the data. Static assertions pin the layout; a change here raises LRD__LAYOUT.
 * docs/memory-layout.md has the offsets.
 *
 * Shared memory holds no pointers: pages, blocks, index slots and threads are named by numbers.
 * (Values may hold pointers into the read-only alias, which has the same address in every process.)
 */
#pragma once

#ifndef _GNU_SOURCE
/* define this before the first system header: memfd_create and OFD locks need it */
#define _GNU_SOURCE
#endif

#include "larder_admin.h"
#include "larder_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LRD__MAGIC 0x31726564726c0a1aull
#define LRD__LAYOUT 12u

#define LRD__PAGE_BITS 16u /* a page: 64 KiB, belongs to one shard and one size class */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* a unit: 1 KiB; a run (a block above 8 KiB) consists of units */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
#define LRD__PART_BITS 12u /* a page is committed in parts of 4 KiB, from its beginning */
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* Mini pages of 4 KiB lie behind the data. They serve blocks of up to LRD__MINI_BLOCK bytes, so
 * that a shard does not need a whole page for its first block of a class. */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 1024u
#define LRD__MINI_STEP 8u    /* mini pages committed at once */
#define LRD__MINI_READY 16u  /* mini pages committed when a segment is created */
#define LRD__PAGES_CHUNK 64u /* pages whose descriptions are committed at once */
#define LRD__GRANULE_BITS 4u /* a granule: 16 bytes; offsets in index words count granules */
#define LRD__SMALL_MAX 8192u /* the largest block of a size class, in bytes */
#define LRD__CLASSES 53u     /* sizes 64, 80, 96, 112, 128, then 8 per doubling up to 8192 */
#define LRD__CLASS_RUN 53u
/* lanes of writers of small blocks: writers of different lanes use different pages, see affinity.c
 */
#define LRD__LANES 4u
#define LRD__PAGE_WORDS 16u /* 64-bit words of a page's bitmap: 1024 blocks of 64 bytes */
#define LRD__WAYS 7u        /* index words in a bucket */
#define LRD__PROBES 16u     /* buckets an entry may lie in: its home and the next of its shard */
/* buckets of a shard behind its last home, which entries of the last homes may use */
#define LRD__OVERHANG (LRD__PROBES - 1)
/* bits of the hash in a tag, so the largest number of doublings */
#define LRD__TAG_HASHED 23u
#define LRD__MASK_FIRST 0xffffffffull /* mask of header->view before the index has grown */
#define LRD__TIMER_CHUNK 256u /* buckets (of all shards) whose timers are committed at once */
#define LRD__FREQ_MAX 3u
/* a version is the time of the write (ms) << 24 | its number among the writes of that time */
#define LRD__VERSION_CLOCK 24u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel is 128 ms */
#define LRD__GHOST_WAYS 4u
#define LRD__KEYLOCK_CHUNK 64u /* rows of key reservations that a shard takes at once: 4 KiB */
/* enough for 32 rows per slot with the largest number of slots; geometry.c adds one for each
 * shard */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* hash chains of a shard */
#define LRD__QUOTA_UNITS 4096u  /* a quota counts parts of 1/4096 of the data */
#define LRD__QUOTA_KEEP 1u      /* quota units that a thread keeps while it holds nothing */
/* The last pages of a store that evicts are its zone, cut into windows that each fit a value of
 * 1/32 of the data. Holds may bar at most half of the windows, so one can always be emptied: see
 * ledger.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_BARRED 2u
#define LRD__ZONE_SHARE 32u
/* bits of the amount in a quota; the bits above say which windows of the zone its owner may bar */
#define LRD__QUOTA_BITS 12u
#define LRD__ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(uint64_t)((a)-1))

/* A block: one contiguous piece of the data. The short form has a header of 26 bytes:
 *
 *   +0 expiry  +8 version  +16 epoch  +20 size  +24 key_len  +25 type  +26 key | pad | value
 *                                                                              16-aligned
 * The long form, for keys above 255 bytes and values of 4 GiB and more, has a header of 40 bytes:
 *
 *   ... +20 0  +24 0  +25 type  +26 long_key_len  +28 pad  +32 long_size  +40 key | pad | value
 *
 * A published block is immutable, except for expiry and the value of a counter. */
typedef struct lrd__block {
    /* expires at this ms of the store's clock; 0: never. Holder of the shard lock stores */
    _Atomic uint64_t expiry;
    uint64_t version; /* stamped at publish */
    /* stamped at publish; if it differs from the header's epoch, the entry is cleared */
    uint32_t epoch;
    uint32_t size;   /* bytes of the value; 0 in the long form */
    uint8_t key_len; /* 0: the long form */
    uint8_t type;
    uint16_t long_key_len; /* only in the long form; in the short form the key begins here */
    uint32_t long_pad;
} lrd__block;
_Static_assert(sizeof(lrd__block) == 32 && offsetof(lrd__block, long_key_len) == 26,
               "layout: block");
#define LRD__BLOCK_KEY 26u       /* offset of the key in the short form */
#define LRD__BLOCK_LONG_KEY 40u  /* offset of the key in the long form, behind the size */
#define LRD__BLOCK_LONG_SIZE 32u /* offset of the size in the long form */
#define LRD__BLOCK_KEY_MAX 255u  /* longest key of the short form, in bytes */
#define LRD__PACKED_READY_AT 12u /* offset of the ready size in a packed value: see pack.c */

/* A bucket of the index: one cache line. word: {tag 24, displacement 4, listing 36}; 0: empty. A
 * listing is the block's offset in the data, in granules, + 1; ledgers use the same form. The
 * displacement is the entry's distance from its home, in buckets. The tag has every bit of the
 * hash that growing can need, so neither recovery nor a move reads the block. */
typedef struct lrd__bucket {
    /* holder of the shard lock stores (release); anyone loads (acquire) */
    _Atomic uint64_t word[LRD__WAYS];
    /* how often the entry was used, 0..LRD__FREQ_MAX; anyone stores, and updates may be lost */
    _Atomic uint8_t freq[LRD__WAYS];
    /* entries whose probe passed here; 255 sticks until recovery. Holder of the shard lock
     * stores */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* The description of a page of the data. Its owner lies in an array of its own, which is dense
 * for scans. */
typedef struct lrd__page {
    /* slot index + 1 << 32 | low incarnation of a writer that collects this page for a large
     * value. While the page is free, no other writer claims or marks it. Void once that writer
     * is gone. Collectors compare and swap (seq_cst) */
    _Atomic uint64_t drain;
    /* neighbours in a list of the shard's pages: page number + 1; 0: none. Small pages are in no
     * order, run pages by address. Shard lock */
    uint32_t next;
    uint32_t prev;
    uint32_t anext; /* next and previous page with room of its lane and class */
    uint32_t aprev;
    _Atomic uint16_t used; /* blocks (units in a run page) that are allocated. Shard lock stores */
    /* retired blocks among them. Shard lock stores; anyone loads, to choose a page */
    _Atomic uint16_t retired;
    uint16_t hint; /* every bitmap word below this one has no free block */
    uint8_t avail; /* is in the list of pages with room */
    /* committed parts, from the beginning. The thread that committed them stores (release), for
     * long runs without the lock; a writer there loads (acquire) */
    _Atomic uint8_t committed;
    uint8_t marked;   /* some of its held bits are set. Shard lock */
    uint8_t waits;    /* is in its shard's list of pages that have or had retired blocks */
    uint32_t waiting; /* page number + 1 of the next page in that list, 0: none. Shard lock */
    /* slot index + 1 of the thread that put a run there last. A hint: any value is safe. Shard
     * lock stores */
    _Atomic uint32_t user;
    uint8_t lane; /* writers of small blocks in this lane look here first. Shard lock */
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. The words that one write changes lie side by side. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* shard lock */
        uint64_t retired;   /* shard lock; only ever set where allocated is */
    } block[LRD__PAGE_WORDS];
    uint64_t held[LRD__PAGE_WORDS]; /* scratch of the ledger scan, under the shard lock */
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* The holder of a lock. It is needed if the kernel could not report the holder's death. */
typedef struct lrd__who {
    /* start time from /proc << LRD__TID_BITS | thread id, 0: unknown. One word, so that an id is
     * never seen with the time of another thread. The holder stores (release); anyone loads
     * (acquire) */
    _Atomic uint64_t thread;
    /* the holder was first seen gone, without an owner-died mark, at this ms */
    _Atomic uint64_t gone_since;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* ids are below 2^22 (PID_MAX_LIMIT); 42 bits of ticks are 1,390 years */
#define LRD__TID_BITS 22u

/* A reservation of a key. The shard's lock guards all fields, except turn. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    /* token of the reservation; 0: the row is free, or kept for a waiter */
    uint64_t token;
    /* the lease ends at this ms; 0: no lease. In a row kept for a waiter: the row becomes free at
     * this ms, even if the waiter does not take it */
    uint64_t until;
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    /* futex: raised when the reservation ends while a waiter may sleep here */
    _Atomic uint32_t turn;
    /* flag: a waiter may sleep on turn, or another thread wants the key; see keylock.c */
    uint32_t waiters;
    uint32_t next, prev; /* next row + 1 in the chain of its hash, or in the free list; 0: none */
    uint32_t place;      /* the row's entry in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* A slot's place in the timing wheel of its shard. Shard lock. */
typedef struct lrd__timer {
    /* tick at which the slot's block expires, 0: never. A hint: the expiry in the block decides */
    uint32_t tick;
    uint32_t next; /* next slot + 1 in the wheel's list, 0: none */
    /* previous slot + 1, or the number of the list whose head points here: see expiry.c; 0: in no
     * list */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* A slot's link in a queue of evict.c. The low bits are the next slot + 1 (0: none), the bits
 * above say which queue the slot is in. Shard lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

/* bits of a turn that name its slot + 1; the bits above say when the turn ends */
#define LRD__TURN_WHO 0xffffu
/* A robust lock: see mutex.h. At the end of a thread, musl treats it like one of its own
 * mutexes. */
typedef struct lrd__mutex {
    uint32_t kind; /* the type that musl reads; constant */
    /* 0: free; the holder's thread id and the kernel's flags. See mutex.h */
    _Atomic uint32_t word;
    uint32_t counted; /* musl reads it as a number of waiters; always 0 */
    uint32_t unused;
    char links[32]; /* links to the other locks of the holder's thread. Holder stores */
} lrd__mutex;
_Static_assert(sizeof(lrd__mutex) == 48 && offsetof(lrd__mutex, word) == 4 &&
                   offsetof(lrd__mutex, counted) == 8,
               "layout: mutex, as musl looks at it");

/* The lock of a shard. It lies apart from the shard, so that creating a segment touches only a
 * dense array of gates. All fields that each holder stores are in the first cache line. */
typedef struct lrd__gate {
    _Alignas(64) lrd__mutex lock; /* of the shard */
    /* 0 (usual): any thread may take the lock. Else the thread whose turn it is, and when the
     * turn ends: see lock.c. A hint: compare-and-swap, relaxed */
    _Atomic uint64_t turn;
    lrd__who holder; /* only its field gone_since lies in the second cache line */
    /* set to 1 once the shard is vetted (vet.c); 0: earlier users of the segment left it, and it is
     * not checked yet. Lock holder stores (release); anyone loads (acquire) */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex: raised (fetch-add) to wake a sleeping waiter */
    /* how often the lock was taken in turns, or after a wait: a sign of progress. Lock holder
     * stores */
    _Atomic uint32_t had;
    /* value of had when the present turn began. The thread that begins a turn stores */
    _Atomic uint32_t began;
    /* how many of the last turns in a row were hardly used. The thread that ends a turn stores */
    _Atomic uint32_t idle;
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* A hint for searches: no run of `units` units or more begins before the page `from`. */
typedef struct lrd__gap {
    uint32_t units; /* 0: unknown */
    uint32_t from;  /* page number + 1; 0: the first page; LRD__NO_GAP: no such run exists */
} lrd__gap;
/* gaps by the power of two below the units: up to 8, up to 16, ... 1024 and more */
#define LRD__GAPS 8u
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. Shard lock. The age of its head is
 * computed from the numbers of pushes and pops and from two marked pushes: see evict.c. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* slot + 1, 0: none */
    uint32_t in, out;    /* slots pushed and popped so far */
    uint32_t mark[2];    /* numbers of the two marked pushes, as counted by `in` */
    uint32_t at[2];      /* shard->clock at these pushes; the first is no later than the second */
} lrd__fifo;

/* The entries of one size class, or of the runs of one power of two. Shard lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* block bytes of its live entries in small queues and in main queues */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* its live entries */
    uint32_t main_count; /* its live entries in main queues */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
/* orders of runs: below 16 KiB, below 32 KiB ... and one for all above 8 MiB */
#define LRD__RUN_ORDERS 11u
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* The state that one shard's lock guards, except for the arrays that the geometry places
 * elsewhere. All zero, homes too, until the lock is taken for the first time. Only the lock's
 * holder stores fields, unless a field says otherwise; anyone loads statistics. */
typedef struct lrd__shard {
    /* A write loads these fields and rarely stores them. */
    /* the header's epoch that live_* below count. Lock holder stores (release, after the counts it
     * moved); statistics load (acquire) */
    _Alignas(64) _Atomic uint32_t epoch;
    /* number of home buckets: how far this shard has grown; 0: never used. The next home may be
     * split in part. Lock holder stores (release); anyone loads (acquire), to see if all shards
     * have finished */
    _Atomic uint32_t homes;
    uint32_t dead_entries; /* entries of older epochs, not yet swept */
    uint32_t sweep_bucket; /* bucket at which the sweep of old epochs continues */
    uint64_t reclaim_at;   /* retired bytes at which the next batch is reclaimed */
    /* retired bytes that may be added before the next batch: the step of reclaiming */
    uint64_t reclaim_step;
    /* after growing has failed, it is tried again at this number of entries */
    uint64_t grow_at;
    uint16_t marked; /* some page may have held bits */
    /* writers of small blocks share lane 0, because every page is in use. A hint */
    uint16_t one_lane;
    uint32_t full_deletes; /* header->deletes when the last search for room failed */
    uint64_t full_until;   /* the failed search is not repeated before this ms */
    uint64_t full_bytes;   /* the failed search is not repeated for blocks of this size or more */

    /* Each write stores these fields. One line, because it may have to come from another
     * processor. */
    /* the last version that was given to a write; see LRD__VERSION_CLOCK */
    _Alignas(64) uint64_t version;
    uint64_t unlinked_at; /* header->barriers_begun after the last block was unlinked */
    /* a block was unlinked, so unlinked_at is stored when the lock is released */
    uint32_t unlinked;
    uint32_t waiting;      /* first page with retired blocks: page number + 1 */
    _Atomic uint32_t flux; /* index slot + 1 whose expiry is being changed */
    /* index slot + 1 whose entry is being moved: another slot may name its block too. Lock
     * holder stores */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes;    /* block bytes (class or run size) of live entries */
    _Atomic uint64_t retired_bytes; /* bytes of retired blocks, including open reservations */
    _Atomic uint64_t replaces;

    _Alignas(64) _Atomic uint64_t dead_bytes; /* block bytes of entries of older epochs */
    _Atomic uint64_t page_bytes;              /* bytes of the pages that this shard owns */
    /* average age of recently evicted entries: each counts for an eighth. Lock holder stores */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* the last token that was given to a key reservation */
    uint32_t keylock_free; /* rows of reservations that are free: row + 1 */
    /* the chunk of rows that was last searched for ended reservations */
    uint32_t keylock_hand;
    uint32_t keylock_ready; /* the memory of the shard's chains of rows is committed */
    _Atomic uint64_t inserts;
    /* memory counts as short until this number of inserts: see form.c. It is raised by each
     * eviction, and is a guess. Lock holder stores; anyone loads */
    _Atomic uint64_t pressed_until;
    _Atomic uint64_t deletes, expired, evicted, ghost_hits;
    /* number of refused writes: fetch-add, even by threads that did not get the lock */
    _Atomic uint64_t refused;
    _Atomic uint64_t recoveries, emptied;
    _Atomic uint64_t busy; /* fetch-add, like refused */

    /* arena.c */
    uint32_t small_pages, run_pages; /* heads: page number + 1 */
    uint32_t page_count;             /* pages this shard owns */
    uint32_t rotor;                  /* where the next search for a victim page starts */
    /* heads of the lists of pages with room, per lane and class (run pages have no such list) */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    uint64_t class_bytes[LRD__CLASSES]; /* page_bytes of each size class */

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;      /* entries inserted so far */
    uint32_t ghost_seq;  /* evictions remembered so far */
    uint32_t ghost_sets; /* number of sets of the ghost, a power of two; 0: not committed yet */

    /* expiry.c: timing wheel of index slots, linked by their timers */
    /* all ticks up to this one were handled; it stands still while the wheel is empty */
    uint32_t wheel_tick;
    uint32_t wheel_count;
    /* a slot of this shard has or had a tick */
    uint32_t timed;
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    _Atomic uint64_t refused_by[LRD_REFUSALS]; /* refusals by cause; fetch-add, like refused */
    /* an entry that expires has no tick, for lack of memory; eviction removes it in the end */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* gaps at which searches for a run begin: see gap.c */

    /* statistics of form.c. Lock holder stores; anyone loads */
    /* numbers of values that were published packed, and of those among them that were ready before.
     * The first is raised before the value is published: 0 means that no entry is packed */
    _Atomic uint64_t packs, falls;
    _Atomic uint64_t rises; /* number of packed values that were published ready again */
    /* live packed entries: their number, the bytes of their blocks, and the bytes of their values
     * in ready form */
    _Atomic uint64_t packed_entries, packed_bytes, packed_ready;
} lrd__shard;
_Static_assert(sizeof(lrd__shard) == 8704, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's place in the store. Two leases tell if its owner lives: the slot is dead only if
 * neither is held. During a fork the parent holds guardian until the child holds owner. */
typedef struct lrd__slot {
    _Alignas(64) lrd__mutex owner;    /* robust; held by the owning thread while it lives */
    _Alignas(64) lrd__mutex guardian; /* robust; held by a forking parent for its child */
    _Alignas(64) _Atomic uint64_t incarnation; /* raised by each claim, each end and each reaping */
    _Atomic uint32_t claimed;                  /* 0 free, 1 in use. The holder of a lease stores */
    /* the holder of owner; tid is not 0 once it holds that lease */
    lrd__who who;
    lrd__who guard; /* holder of guardian */

    /* Only the owner of the slot stores the fields below; scanners load them. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies, unpacks;
    /* committed entries of the ledger, including entry 0. n never exceeds it. The owner raises
     * it; it is never lowered */
    _Atomic uint32_t room;

    /* The ledger. An entry is a block's offset in granules + 1, or 0: nothing. Entry 0 is not
     * used; entries at and above n are void. Owner stores (release); scanners load (acquire)
     * after a barrier. */
    _Alignas(64) _Atomic uint64_t n;
    _Atomic uint64_t spare; /* an additional ledger entry, for borrowed values */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
#define LRD__LEDGER_FIRST 1024u /* ledger entries committed when a slot is created */
#define LRD__LEDGER_STEP 1024u  /* ledger entries that are committed at a time when it grows */
#define LRD__SLOT_FIRST 12288u  /* bytes of a slot whose ledger has the first entries only */
#define LRD__SLOT_SIZE 266240u  /* bytes from one wide slot to the next */
/* The ledgers of the first slots can grow to LRD_HOLDS_MAX entries. The others have only their
 * first entries, so that a file is not a gigabyte long for slots that few servers use. */
#define LRD__SLOTS_WIDE 512u
_Static_assert(sizeof(lrd__slot) <= LRD__SLOT_SIZE && LRD__SLOT_SIZE % LRD__PART == 0 &&
                   LRD__SLOT_FIRST % LRD__PART == 0,
               "layout: slot");
_Static_assert(offsetof(lrd__slot, ledger) + (LRD__LEDGER_FIRST + 1) * sizeof(uint64_t) <=
                   LRD__SLOT_FIRST,
               "layout: the first entries have memory");

/* Return the number of entries that the ledger of a slot can have, including entry 0. */
static inline uint32_t lrd__slot_entries(uint32_t index)
{
    return (index < LRD__SLOTS_WIDE ? LRD_HOLDS_MAX : LRD__LEDGER_FIRST) + 1;
}
/* Return the number of bytes from the first slot to this one, which is the size of all slots
 * before it. */
static inline uint64_t lrd__slot_begin(uint32_t index)
{
    uint64_t wide = index < LRD__SLOTS_WIDE ? index : LRD__SLOTS_WIDE;
    return wide * LRD__SLOT_SIZE + (index - wide) * LRD__SLOT_FIRST;
}

/* The state of the index, which every get loads: one line that is hardly ever stored to.
 *
 * Buckets of the index are numbered over all shards: bucket % shards is the shard. The function
 * lrd__bucket_at() finds the home of a key from the bits of the hash that mask has: 32 at first,
 * one more after each doubling. While next has one bit more than mask, buckets are split, shard
 * by shard: see grow.c. */
typedef struct lrd__view {
    _Atomic uint32_t epoch; /* raised by lrd_clear */
    /* committed buckets, not counting the overhang. The thread that commits more raises it
     * (compare-and-swap) */
    _Atomic uint32_t grown;
    /* mask of the index. Stored (compare-and-swap) when all shards have split all their homes */
    _Atomic uint64_t mask;
    /* mask after the doubling that goes on; else equal to mask. Stored (compare-and-swap) by the
     * thread that starts to double */
    _Atomic uint64_t next;
} lrd__view;
_Static_assert(sizeof(lrd__view) == 24, "layout: view");

/* Start of the segment. */
enum { LRD__STATE_BLANK = 0, LRD__STATE_READY = 0x52454459 };
typedef struct lrd__header {
    uint64_t magic;
    uint32_t layout; /* LRD__LAYOUT */
    /* the creator stores READY last; a segment in another state is not trusted */
    _Atomic uint32_t state;
    /* constant from here to sum; sum is the XXH3 of these fields */
    uint64_t size, base, seed, file_size;
    uint64_t device, inode; /* identity of this file, so that a copy is refused */
    /* buckets: of each shard when the segment was created */
    uint32_t policy, shards, slots, buckets;
    /* fence: may also be set later, by the only user, if it has no membarrier */
    uint32_t fence, word_size;
    char boot_id[40];
    char value_abi[64];
    uint64_t sum;
    /* set by the first process that attaches, under the file's lock */
    _Atomic uint64_t namespace_device, namespace_inode; /* the PID namespace of all users */
    /* inode, on the same device, of their time namespace; 0: the kernel has none. Start times and
     * clocks differ between them */
    _Atomic uint64_t time_namespace;
    /* variable */
    _Alignas(64) lrd__view view;
    /* boot time - monotonic time, ms; writers and requests refresh it */
    _Atomic uint64_t clock_offset;
    _Alignas(64) lrd__mutex slots_lock; /* robust: held while slots are created */
    /* raised after a hold was copied from one slot to another, and before the first slot may
     * release it: a ledger scan that sees it change starts again */
    _Alignas(64) _Atomic uint64_t handovers;
    _Atomic uint32_t slots_high; /* slots from this one on were never claimed */
    lrd__who slots_holder;       /* holder of slots_lock */
    /* pages at and above were never claimed, and their descriptions are not committed. The
     * thread that commits them raises it (compare-and-swap) */
    _Atomic uint32_t pages_high;
    /* version << 32 | page: no page below this one is free. The version rises whenever a page
     * becomes free */
    _Atomic uint64_t pages_hint;
    _Atomic uint32_t window_rotor; /* page at which the search for a window of pages continues */
    _Atomic uint32_t deletes;      /* raised by deletes where the policy does not evict */
    _Atomic uint64_t reaped;       /* number of slots of dead owners that were given back */
    /* a hint that chunks of reservation rows below it belong to shards. Raised by the thread
     * that takes a chunk, lowered by one that gives it back (compare-and-swap) */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    /* minis_freed + 1 when a search found no free mini page; 0: none has failed yet */
    _Atomic uint32_t minis_none;
    /* all shards are vetted. The thread that finds it out stores 1 (release); an adopter, which
     * is alone, stores 0; threads that claim a slot load (acquire) */
    _Atomic uint32_t settled;
    /* monotonic ms before which no uncommitted page is claimed, because the file system was
     * full. Anyone stores; a hint */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often the file system was full */
    /* number of slots that were given back, by any thread: fetch-add */
    _Atomic uint64_t slots_freed;
    _Atomic uint32_t zone_fed; /* a hint that the whole zone is committed */
    /* one bit for each lrd_refusal that a host has reported: fetch-or */
    _Atomic uint32_t said;
    /* counts of the slots from before the segment was last adopted; the adopter stores */
    _Atomic uint64_t hits, misses, copies, unpacks;
    /* page at which a search for neighbouring free pages continues, if there are none near the
     * lowest free page: see claim.c */
    _Atomic uint32_t neighbours;
    /* number of the last barrier that began: fetch-add (seq_cst) before it */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* number of the highest barrier that has ended. The thread that ended it raises it
     * (compare-and-swap, release); scanners load (acquire) before a scan */
    _Atomic uint64_t barriers_done;
    /* coarse monotonic ms before which a claim of a slot does not look for dead owners among
     * many slots. Anyone stores; a hint */
    _Atomic uint64_t slots_look_at;
    /* slot at which the search of a claim begins. Anyone stores; a hint */
    _Atomic uint32_t slots_hint;
    uint64_t created; /* the segment was created at this ms since boot. The creator stores */
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* The places of the areas in the control mapping. They are a pure function of five given
 * numbers, so no place that is read from a file has to be trusted. Offsets in bytes from the
 * start of the file. */
typedef struct lrd__geometry {
    /* the five given numbers. buckets: of each shard at first; slots: including the spare slots */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* derived */
    uint64_t pages;      /* of 64 KiB */
    uint64_t pages_all;  /* number of pages, including the mini pages behind them */
    uint64_t data_size;  /* bytes of both */
    uint32_t shard_bits; /* log2(shards) */
    /* largest number of home buckets of a shard: doubled until the smallest blocks would fill
     * the data */
    uint32_t homes_max;
    /* sets of the ghost per shard at most; a set has LRD__GHOST_WAYS entries. A power of two */
    uint32_t ghost_sets;
    uint32_t keylock_chunks; /* chunks of rows for key reservations */
    uint32_t messages_max;   /* message rows of a shard, in a store of queues */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* of the control mapping */
    uint64_t data_at;      /* where the data begins in the file: control_size rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* The first slots of a store that evicts are spare: a thread borrows one for a call, see
 * lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
