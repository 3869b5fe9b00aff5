/* layout.h - everything in shared memory: the control mapping of the segment, and the header of
 * each block of the data. Static assertions pin the layout; a change here raises LRD__LAYOUT.
 * docs/memory-layout.md has the offsets.
 *
 * Shared memory holds no pointers: pages, blocks, index slots and threads have numbers. (Only
 * values may hold pointers, into the read-only mapping of the data, which has the same address in
 * every process.) */
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
#define LRD__LAYOUT 14u

#define LRD__PAGE_BITS 16u /* a page: 64 KiB, belongs to one shard and one size class */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* a unit: 1 KiB; a block above 8 KiB is a run of units */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
#define LRD__PART_BITS 12u /* a page is committed in parts of 4 KiB, from its beginning */
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* Mini pages: small pages of 4 KiB behind the data. They serve blocks of up to LRD__MINI_BLOCK
 * bytes, so that a shard does not need a whole page for its first block of a size class. */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 4096u
#define LRD__MINI_STEP 8u    /* mini pages committed at once */
#define LRD__MINI_READY 16u  /* mini pages committed when a segment is created */
#define LRD__PAGES_CHUNK 64u /* pages whose descriptions are committed at once */
#define LRD__GRANULE_BITS 4u /* a granule: 16 bytes; offsets in index words count granules */
#define LRD__SMALL_MAX 8192u /* the largest block of a size class, in bytes */
#define LRD__CLASSES 53u     /* sizes 64, 80, 96, 112, 128, then 8 per doubling up to 8192 */
#define LRD__CLASS_RUN 53u
/* groups of writers: writers of different lanes put small blocks into different pages, see
 * affinity.c */
#define LRD__LANES 4u
#define LRD__PAGE_WORDS 16u /* 64-bit words of a page's bitmap: 1024 blocks of 64 bytes */
#define LRD__WAYS 7u        /* index words in a bucket */
/* number of buckets in which an entry may be stored: its home bucket, and the buckets of its shard
 * that follow */
#define LRD__PROBES 16u
/* number of extra buckets of a shard after its last home bucket. Entries of the last homes may be
 * stored there */
#define LRD__OVERHANG (LRD__PROBES - 1)
/* bits of the hash in an index word's tag. This number limits how often the index can double */
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
/* number of such chunks: enough for 32 rows per slot with the largest number of slots. geometry.c
 * adds one for each shard */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* hash chains of a shard */
#define LRD__QUOTA_UNITS 4096u  /* a quota counts parts of 1/4096 of the data */
/* quota units that a thread keeps while it holds nothing, to use again */
#define LRD__QUOTA_KEEP 1u
/* The zone: the last pages of a store that evicts. It is cut into windows that each fit a value of
 * 1/32 of the data. Held blocks bar the windows in which they lie, at most half of all, so another
 * window can always be emptied: see ledger.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_BARRED 2u
#define LRD__ZONE_SHARE 32u
/* low bits of a quota: the amount. The bits above say which windows its owner may bar */
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
    /* milliseconds of the store's clock at which the block expires; 0: never. Written under the
     * shard's lock */
    _Atomic uint64_t expiry;
    uint64_t version; /* stamped at publish */
    /* the store's epoch at publish; if the store has a later epoch, the entry was cleared */
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

/* A bucket of the index: one cache line of words, each for one entry: {tag 24, displacement 4,
 * listing 36}; 0: empty. The listing is the block's offset in the data, in granules, + 1; a
 * thread's ledger uses the same form. The displacement is the number of buckets between the entry
 * and its home. The tag has all bits of the hash that growing the index needs, so recovery and
 * moves need not read the block. */
typedef struct lrd__bucket {
    /* holder of the shard lock stores (release); anyone loads (acquire) */
    _Atomic uint64_t word[LRD__WAYS];
    /* how often each entry was used, 0..LRD__FREQ_MAX. Any thread stores; updates may be lost */
    _Atomic uint8_t freq[LRD__WAYS];
    /* number of entries whose search went past this bucket because it was full. 255 stays until
     * recovery. Written under the shard's lock */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* The description of a page of the data. The owner words lie in an array of their own, which is
 * dense and therefore faster to scan. */
typedef struct lrd__page {
    /* set while a writer empties (collects) this page to make room for a large value: its slot
     * index + 1 << 32 | the low half of its incarnation. While the page is free, no other writer
     * claims or marks it. The mark is not valid once that writer is gone. Collectors compare and
     * swap (seq_cst) */
    _Atomic uint64_t drain;
    /* neighbours in a list of the shard's pages: page number + 1; 0: none. Pages of small blocks
     * are in no order, pages of runs in the order of addresses. Shard lock */
    uint32_t next;
    uint32_t prev;
    uint32_t anext; /* next and previous page of the same lane and class that has room */
    uint32_t aprev;
    _Atomic uint16_t used; /* allocated blocks, or units in a page of runs. Shard lock stores */
    /* retired blocks (or units) among the allocated ones. Shard lock stores; anyone loads, to
     * choose a page */
    _Atomic uint16_t retired;
    uint16_t hint; /* every bitmap word below this one has no free block */
    uint8_t avail; /* true if the page is in the list of pages with room */
    /* number of committed parts, from the beginning. The thread that commits them stores (release),
     * for long runs without the lock; a writer to the page loads (acquire) */
    _Atomic uint8_t committed;
    uint8_t marked; /* some of the page's `held` bits are set. Shard lock */
    /* true if the page is in its shard's list of pages that have or had retired blocks */
    uint8_t waits;
    uint32_t waiting; /* page number + 1 of the next page in that list, 0: none. Shard lock */
    /* slot index + 1 of the thread that last put a run into this page. Only a hint. Shard lock
     * stores */
    _Atomic uint32_t user;
    uint8_t lane; /* writers of small blocks in this lane look in this page first. Shard lock */
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. Words that one write changes lie side by side. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* shard lock */
        uint64_t retired;   /* shard lock; only ever set where allocated is */
    } block[LRD__PAGE_WORDS];
    /* blocks that threads hold: temporary result of a ledger scan, under the shard lock */
    uint64_t held[LRD__PAGE_WORDS];
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* The holder of a lock, to find out if it died without a report from the kernel. */
typedef struct lrd__who {
    /* start time from /proc << LRD__TID_BITS | thread id; 0: unknown. Both are in one word, so that
     * no reader sees the id of one thread with the time of another. The holder stores (release);
     * anyone loads (acquire) */
    _Atomic uint64_t thread;
    /* ms at which a thread first found that the holder is gone although the kernel has not marked
     * the lock */
    _Atomic uint64_t gone_since;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* thread ids are below 2^22 (PID_MAX_LIMIT); the other 42 bits hold 1,390 years of clock ticks */
#define LRD__TID_BITS 22u

/* A reservation of a key. The shard's lock guards all fields, except turn. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    /* token of the reservation; 0: the row is free, or kept for a waiter */
    uint64_t token;
    /* ms at which the lease ends; 0: no lease. In a row that is kept for a waiter: the ms at which
     * the row becomes free if the waiter does not take it */
    uint64_t until;
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    /* futex: raised when the reservation ends and a waiter may sleep here */
    _Atomic uint32_t turn;
    /* flag: a waiter may sleep on turn, or another thread wants the key; see keylock.c */
    uint32_t waiters;
    uint32_t next, prev; /* next row + 1 in the chain of its hash, or in the free list; 0: none */
    uint32_t place;      /* index of the row in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* The place of an index slot in its shard's timing wheel, a calendar of expiry times. Shard
 * lock. */
typedef struct lrd__timer {
    /* tick at which the slot's block expires, 0: never. A hint: the block has the exact time */
    uint32_t tick;
    uint32_t next; /* next slot + 1 in the wheel's list, 0: none */
    /* previous slot + 1; for the first slot of a list, the number of the list: see expiry.c; 0: in
     * no list */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* A slot's link in one of the eviction queues (evict.c). The low bits are the next slot + 1 (0:
 * none); the bits above say which queue the slot is in. Shard lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

/* low bits of a turn: slot + 1 of the thread that may take the lock. The bits above: when the turn
 * ends */
#define LRD__TURN_WHO 0xffffu
/* A robust lock: see mutex.h. When a thread ends, musl handles it like one of its own mutexes. */
typedef struct lrd__mutex {
    uint32_t kind; /* the type that musl reads; constant */
    /* 0: free; the holder's thread id and the kernel's flags. See mutex.h */
    _Atomic uint32_t word;
    uint32_t counted; /* musl takes this for its number of waiters; always 0 */
    uint32_t unused;
    char links[32]; /* links to the other locks of the holder's thread. Holder stores */
} lrd__mutex;
_Static_assert(sizeof(lrd__mutex) == 48 && offsetof(lrd__mutex, word) == 4 &&
                   offsetof(lrd__mutex, counted) == 8,
               "layout: mutex, as musl looks at it");

/* The lock of a shard. It lies apart from the shard, so that creating a segment touches only a
 * dense array of gates. The fields that every holder stores are in the first cache line. */
typedef struct lrd__gate {
    _Alignas(64) lrd__mutex lock; /* of the shard */
    /* 0 (usual): any thread may take the lock. Else: the slot of the only thread that may take it,
     * and the time until which this holds. See turn.c. A hint: compare-and-swap, relaxed */
    _Atomic uint64_t turn;
    lrd__who holder; /* only its field gone_since lies in the second cache line */
    /* 1: the shard was checked (vetted) after the segment was adopted, see vet.c. 0: not yet;
     * earlier users may have left the shard damaged. Lock holder stores (release); anyone loads
     * (acquire) */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex: raised (fetch-add) to wake a sleeping waiter */
    /* how often a thread that had to wait, or take turns, got the lock. Waiters see by it that the
     * lock is passed on. Lock holder stores */
    _Atomic uint32_t had;
    /* value of `had` when the present turn began. The thread that begins a turn stores */
    _Atomic uint32_t began;
    /* number of turns in sequence, up to the last one that is over, in which the lock was hardly
     * used. Stored by the thread that finds a turn over */
    _Atomic uint32_t idle;
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* A hint for searches: there is no free run of `units` units or more before the page `from`. */
typedef struct lrd__gap {
    uint32_t units; /* 0: unknown */
    uint32_t from;  /* page number + 1; 0: the first page; LRD__NO_GAP: there is no such run */
} lrd__gap;
/* gaps are kept by length of run: up to 8 units, up to 16, ... 1024 and more */
#define LRD__GAPS 8u
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. Shard lock. To tell the age of its first
 * entry, it keeps the times of two earlier pushes: see evict.c. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* slot + 1, 0: none */
    uint32_t in, out;    /* slots pushed and popped so far */
    uint32_t mark[2];    /* the numbers that `in` had at the two pushes whose times are kept */
    uint32_t at[2];      /* values of shard->clock at the two pushes, the earlier one first */
} lrd__fifo;

/* The eviction queues of one size class, or of runs up to one power of two. Shard lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* bytes of blocks of live entries in the small queue and in the main queue */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* live entries of this order */
    uint32_t main_count; /* live entries in the main queue */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
/* orders of runs: below 16 KiB, below 32 KiB ... and one for all above 8 MiB */
#define LRD__RUN_ORDERS 11u
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* The state that one shard's lock guards, except for the arrays that the geometry places elsewhere.
 * All zero, `homes` too, until the lock is taken for the first time. Only the lock's holder stores
 * fields, unless a field says otherwise; any thread may load statistics. */
typedef struct lrd__shard {
    /* A write loads these fields and rarely stores them. */
    /* the epoch that the fields live_* below refer to. Lock holder stores it (release) after it
     * has added the old live counts to the dead ones; statistics load (acquire) */
    _Alignas(64) _Atomic uint32_t epoch;
    /* number of home buckets: how far this shard has grown; 0: never used. The split of the next
     * home may have begun. Lock holder stores (release). Other threads load (acquire), to see if
     * all shards have finished */
    _Atomic uint32_t homes;
    uint32_t dead_entries; /* entries from before the last lrd_clear(), not yet swept */
    uint32_t sweep_bucket; /* bucket at which the sweep of cleared entries continues */
    uint64_t reclaim_at;   /* retired bytes at which the next batch is reclaimed */
    /* retired bytes between two batches of reclaiming */
    uint64_t reclaim_step;
    /* number of entries at which growing is tried again after it failed */
    uint64_t grow_at;
    uint16_t marked; /* some page of the shard may have `held` bits */
    /* 1: all writers of small blocks use lane 0, because every page is in use. A hint */
    uint16_t one_lane;
    uint32_t full_deletes; /* value of header->deletes when the last search for room failed */
    uint64_t full_until;   /* the last search for room failed, and is not repeated before this ms */
    /* the last search for room failed, and is not repeated for blocks of this size or more */
    uint64_t full_bytes;

    /* Each write stores the fields below. They are in one cache line, because it often has to come
     * from another processor. */
    /* the last version that was given to a write; see LRD__VERSION_CLOCK */
    _Alignas(64) uint64_t version;
    /* value of header->barriers_begun after the last block was unlinked from the index */
    uint64_t unlinked_at;
    /* a block was unlinked, so unlinked_at is stored when the lock is released */
    uint32_t unlinked;
    uint32_t waiting;      /* first page with retired blocks: page number + 1 */
    _Atomic uint32_t flux; /* index slot + 1 whose expiry is being changed, for recovery */
    /* index slot + 1 whose entry is being moved, for recovery: two slots may name its block. Lock
     * holder stores */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes;    /* bytes of blocks of live entries */
    _Atomic uint64_t retired_bytes; /* bytes of retired blocks, including open reservations */
    _Atomic uint64_t replaces;

    /* bytes of the blocks of entries that were written before the last lrd_clear() */
    _Alignas(64) _Atomic uint64_t dead_bytes;
    _Atomic uint64_t page_bytes; /* bytes of the pages that this shard owns */
    /* moving average of the ages at which entries were evicted: the latest eviction counts for an
     * eighth. Lock holder stores */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* the last token that was given to a key reservation */
    uint32_t keylock_free; /* free rows for key reservations: the first row + 1 */
    /* the chunk of rows in which ended reservations were last searched */
    uint32_t keylock_hand;
    uint32_t keylock_ready; /* 1: memory of the hash chains of reservation rows is committed */
    _Atomic uint64_t inserts;
    /* memory counts as short until `inserts` reaches this value (form.c). Each eviction raises it.
     * Lock holder stores; anyone loads, and may get an old value */
    _Atomic uint64_t pressed_until;
    _Atomic uint64_t deletes, expired, evicted, ghost_hits;
    /* number of refused writes: fetch-add, even by threads that did not get the lock */
    _Atomic uint64_t refused;
    _Atomic uint64_t recoveries, emptied;
    _Atomic uint64_t busy; /* fetch-add, like refused */

    /* arena.c */
    uint32_t small_pages, run_pages; /* heads: page number + 1 */
    uint32_t page_count;             /* pages this shard owns */
    uint32_t rotor;                  /* page at which the next search for a page to empty starts */
    /* heads of the lists of pages with room, per lane and class (run pages have no such list) */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    uint64_t class_bytes[LRD__CLASSES]; /* bytes of pages that each size class owns */

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;     /* entries inserted so far */
    uint32_t ghost_seq; /* evictions remembered so far */
    /* number of sets in the table of evicted keys (ghost), a power of two; 0: not committed yet */
    uint32_t ghost_sets;

    /* expiry.c: timing wheel of index slots, linked by their timers. A tick is 128 ms. */
    /* the last tick that was handled; not advanced while the wheel is empty */
    uint32_t wheel_tick;
    uint32_t wheel_count;
    /* 1: the wheel of this shard has been used */
    uint32_t timed;
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    _Atomic uint64_t refused_by[LRD_REFUSALS]; /* refusals by cause; fetch-add, like refused */
    /* 1: an entry that expires is not in the wheel, because memory was short. Eviction removes it
     * at last */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* where searches for a run of free units begin: see gap.c */

    /* statistics of form.c. Lock holder stores; anyone loads */
    /* packs: values published packed. falls: those of them that were stored ready before. packs is
     * raised before the value is published, so 0 means that no entry is packed */
    _Atomic uint64_t packs, falls;
    _Atomic uint64_t rises; /* packed values that were published ready again */
    /* live packed entries: number, bytes of their blocks, bytes that their values take in ready
     * form */
    _Atomic uint64_t packed_entries, packed_bytes, packed_ready;
} lrd__shard;
_Static_assert(sizeof(lrd__shard) == 8704, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's place in the store. Two locks (leases) tell if the slot's owner lives: the slot is
 * dead if neither lock is held. During a fork the parent holds `guardian` for the child, until the
 * child holds `owner`. */
typedef struct lrd__slot {
    _Alignas(64) lrd__mutex owner;    /* robust; held by the owning thread while it lives */
    _Alignas(64) lrd__mutex guardian; /* robust; held by a forking parent for its child */
    /* raised whenever the slot is claimed, given back or reaped, so that an old incarnation is
     * recognised */
    _Alignas(64) _Atomic uint64_t incarnation;
    /* 0 free, 1 in use. The holder of a lease stores it, and then executes a full fence if it
     * claims the slot: see ledger.c */
    _Atomic uint32_t claimed;
    /* the thread that holds `owner`. If its tid is 0, a forked child may be about to take that
     * lease */
    lrd__who who;
    lrd__who guard; /* holder of guardian */

    /* Only the owner of the slot stores the fields below; scanners load them. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies, unpacks;
    /* number of committed entries of the ledger, with entry 0; `n` is never larger. The owner
     * raises `room`; nothing lowers it */
    _Atomic uint32_t room;
    /* of the copies, those because of a request's age and because of the number of holds */
    _Atomic uint64_t copies_time, copies_number;

    /* The ledger: the blocks that this thread holds. An entry is a block's offset in granules + 1,
     * or 0: nothing. Entry 0 is not used; entries from n on do not count. Owner stores (release);
     * scanners load (acquire) after a barrier. */
    _Alignas(64) _Atomic uint64_t n;
    _Atomic uint64_t spare; /* one more ledger entry, for the borrowed value */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
#define LRD__LEDGER_FIRST 1024u /* ledger entries committed when a slot is created */
#define LRD__LEDGER_STEP 1024u  /* ledger entries that are committed at a time when it grows */
#define LRD__SLOT_FIRST 12288u  /* bytes of a slot with the shortest ledger */
#define LRD__SLOT_SIZE 266240u  /* bytes of a wide slot, which has the longest ledger */
/* The first slots are wide: their ledgers can grow to LRD_HOLDS_MAX entries. The others have the
 * shortest ledger, because a file with wide slots for all would be a gigabyte long. */
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

/* The state of the index. Every get loads this line, and it is hardly ever stored to.
 *
 * Buckets of the index are numbered over all shards: bucket % shards is the shard. lrd__bucket_at()
 * finds a key's home from the bits of its hash that are set in `mask`: 32 at first, one more after
 * each doubling. While the index doubles, `next` has one bit more than `mask`, and the shards split
 * their buckets one by one: see grow.c. */
typedef struct lrd__view {
    _Atomic uint32_t epoch; /* raised by lrd_clear */
    /* committed buckets, without the overhang. The thread that commits more raises it
     * (compare-and-swap) */
    _Atomic uint32_t grown;
    /* mask of the index. Stored (compare-and-swap) when all shards have split all their homes */
    _Atomic uint64_t mask;
    /* mask after the present doubling; equal to mask if there is none. The thread that starts to
     * double stores it (compare-and-swap) */
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
    /* constant from here to sum, which is the XXH3 checksum of these fields */
    uint64_t size, base, seed, file_size;
    /* identity of this file; a copy of the file has another identity and is refused */
    uint64_t device, inode;
    /* buckets: number of each shard's buckets when the segment was created */
    uint32_t policy, shards, slots, buckets;
    /* fence: a process that has no membarrier may set it later, while it is the only user */
    uint32_t fence, word_size;
    char boot_id[40];
    char value_abi[64];
    uint64_t sum;
    /* set by the first process that attaches, under the file's lock */
    _Atomic uint64_t namespace_device, namespace_inode; /* the PID namespace of all users */
    /* inode of the time namespace that all users share, on `namespace_device`; 0: the kernel has
     * no time namespaces. Clocks and start times of processes differ between time namespaces */
    _Atomic uint64_t time_namespace;
    /* fields that change while the segment is used */
    _Alignas(64) lrd__view view;
    /* boot time - monotonic time, ms. Writers and requests refresh it */
    _Atomic uint64_t clock_offset;
    _Alignas(64) lrd__mutex slots_lock; /* robust: held while slots are created */
    /* raised when a hold was copied from one slot to another, before the first slot releases it. A
     * ledger scan during which it changes starts again */
    _Alignas(64) _Atomic uint64_t handovers;
    _Atomic uint32_t slots_high; /* slots with this number and above were never claimed */
    lrd__who slots_holder;       /* holder of slots_lock */
    /* pages with this number and above were never claimed, and their descriptions are not
     * committed. The thread that commits them raises it (compare-and-swap) */
    _Atomic uint32_t pages_high;
    /* version << 32 | page: all pages below this one are in use. The version rises whenever a page
     * becomes free */
    _Atomic uint64_t pages_hint;
    _Atomic uint32_t window_rotor; /* page at which the search for a row of free pages continues */
    _Atomic uint32_t deletes;      /* number of deletes, in stores that do not evict */
    _Atomic uint64_t reaped;       /* number of slots of dead owners that were given back */
    /* a hint: all chunks of reservation rows below this one belong to shards. A thread that takes a
     * chunk raises the hint, and a thread that gives a chunk back lowers it (compare-and-swap) */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    /* value of minis_freed + 1 when a search found no free mini page; 0: no search has failed */
    _Atomic uint32_t minis_none;
    /* 1: all shards are vetted. The thread that finds this out stores 1 (release). A process that
     * adopts the segment stores 0 while it is alone. Threads that claim a slot load (acquire) */
    _Atomic uint32_t settled;
    /* monotonic ms until which no uncommitted page is claimed, because the file system was full.
     * Anyone stores; a hint */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often the file system was full */
    /* number of slots that were given back, by any thread: fetch-add */
    _Atomic uint64_t slots_freed;
    _Atomic uint32_t zone_fed; /* a hint that the whole zone is committed */
    /* a bit for each lrd_refusal that some host has reported: fetch-or */
    _Atomic uint32_t said;
    /* sums of the slots' counts from before the segment was last adopted. The adopter stores */
    _Atomic uint64_t hits, misses, copies, unpacks;
    /* page at which a search for neighbouring free pages continues if there are none near the
     * lowest free page: see claim.c */
    _Atomic uint32_t neighbours;
    /* further sums like `copies` above. The adopter stores */
    _Atomic uint64_t copies_time, copies_number;
    /* number of the last barrier (membarrier) that began. A thread adds 1 (seq_cst) before its
     * barrier */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* highest number of a barrier that has ended. The thread that ended it raises it
     * (compare-and-swap, release); scanners load (acquire) before a scan */
    _Atomic uint64_t barriers_done;
    /* coarse monotonic ms until which threads that claim a slot do not look for dead owners,
     * because there are many slots. Anyone stores; a hint */
    _Atomic uint64_t slots_look_at;
    /* slot at which the search for a free slot begins. Anyone stores; a hint */
    _Atomic uint32_t slots_hint;
    uint64_t created; /* the segment was created at this ms since boot. The creator stores */
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* The places of the areas in the control mapping. They are computed from five given numbers, so no
 * place has to be read from the file and trusted. Offsets in bytes from the start of the file. */
typedef struct lrd__geometry {
    /* the five numbers from which all others are computed. `buckets`: number of buckets that each
     * shard has at first; `slots`: number of slots, with the spare ones */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* the numbers computed from them */
    uint64_t pages;      /* number of pages of 64 KiB */
    uint64_t pages_all;  /* number of pages, with the mini pages behind them */
    uint64_t data_size;  /* bytes of all pages, the mini pages included */
    uint32_t shard_bits; /* log2(shards) */
    /* largest number of home buckets of a shard: enough for the data full of the smallest blocks */
    uint32_t homes_max;
    /* largest number of sets in a shard's table of evicted keys (ghost). A set has LRD__GHOST_WAYS
     * entries. A power of two */
    uint32_t ghost_sets;
    uint32_t keylock_chunks; /* chunks of rows for key reservations */
    uint32_t messages_max;   /* message rows of a shard, in a store of queues */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* bytes of the control mapping */
    uint64_t data_at;      /* where the data begins in the file: control_size rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* The first slots of a store that evicts are spare. A thread that has no slot borrows one for a
 * call, see lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
