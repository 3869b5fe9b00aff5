/* layout.h - all structs in shared memory: those of the control mapping of the segment, and the
 * header of each block of the data. Static assertions pin the layout; a change here raises
 * LRD__LAYOUT. docs/memory-layout.md has the offsets.
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
#define LRD__LAYOUT 15u

#define LRD__PAGE_BITS 16u /* a page: 64 KiB, belongs to one shard and one size class */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* a unit: 1 KiB; a block above 8 KiB is a run of units */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
#define LRD__PART_BITS 12u /* a page is committed in parts of 4 KiB, from its beginning */
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* Mini pages: small pages of 4 KiB behind the data. They have blocks of up to LRD__MINI_BLOCK
 * bytes, so that a shard does not need a whole page for its first block of a size class. */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 4096u
#define LRD__MINI_STEP 8u /* number of mini pages that are committed at once */
/* number of mini pages that are committed when a segment is created */
#define LRD__MINI_READY 16u
#define LRD__PAGES_CHUNK 64u /* number of pages whose descriptions are committed at once */
#define LRD__GRANULE_BITS 4u /* a granule: 16 bytes; offsets in index words count granules */
#define LRD__SMALL_MAX 8192u /* the largest block of a size class, in bytes */
/* number of size classes: 64, 80, 96, 112, 128, then 8 up to each power of two, at last 8192 */
#define LRD__CLASSES 53u
#define LRD__CLASS_RUN 53u
/* number of lanes (groups of writers). Writers of different lanes put small blocks into different
 * pages: see affinity.c */
#define LRD__LANES 4u
/* number of 64-bit words in a page's bitmap: enough for 1024 blocks of 64 bytes */
#define LRD__PAGE_WORDS 16u
#define LRD__WAYS 7u /* index words in a bucket */
/* number of buckets in which an entry may be stored: its home bucket, and the buckets of its shard
 * that follow */
#define LRD__PROBES 16u
/* number of extra buckets of a shard after its last home bucket. Entries of the last homes may be
 * stored there */
#define LRD__OVERHANG (LRD__PROBES - 1)
/* number of hash bits in an index word's tag. This number limits how often the index can double */
#define LRD__TAG_HASHED 23u
/* the value of view.mask in the header before the index has grown */
#define LRD__MASK_FIRST 0xffffffffull
/* number of buckets (of all shards) whose timers are committed at once */
#define LRD__TIMER_CHUNK 256u
#define LRD__FREQ_MAX 3u
/* A version has two parts: (time of the write in ms) << 24 | (number of the write among all writes
 * at that time). */
#define LRD__VERSION_CLOCK 24u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel is 128 ms */
#define LRD__GHOST_WAYS 4u
/* number of rows of key reservations that a shard takes at once: 4 KiB */
#define LRD__KEYLOCK_CHUNK 64u
/* number of chunks of rows of key reservations, to which geometry.c adds one chunk for each shard.
 * Enough for 32 rows per slot with the largest number of slots */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* hash chains of a shard */
#define LRD__QUOTA_UNITS 4096u  /* a quota counts units of 1/4096 of the data */
/* number of quota units that a thread keeps while it holds nothing, so that it need not claim them
 * again */
#define LRD__QUOTA_KEEP 1u
/* The zone is the last part of the data in a store that evicts. It is divided into windows, each
 * with room for a value of 1/32 of the data. A held block bars the window that it is in. At most
 * half of the windows can be barred, so another window can always be emptied: see ledger.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_BARRED 2u
#define LRD__ZONE_SHARE 32u
/* number of low bits of a quota that have the amount. The bits above say which windows the quota's
 * owner may bar */
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
    /* time (ms of the store's clock) at which the block expires; 0: never. Written under the
     * shard's lock */
    _Atomic uint64_t expiry;
    uint64_t version; /* stamped at publish */
    /* the store's epoch at publish; if the store has a later epoch, the entry was cleared */
    uint32_t epoch;
    uint32_t size;   /* size of the value in bytes; 0 in the long form */
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

/* A bucket of the index: one cache line of words. A word is 0 if it is empty. Otherwise it
 * describes one entry: tag (24 bits), displacement (4), listing (36). The listing is the block's
 * offset in the data, in granules, + 1; a thread's ledger uses the same form. The displacement is
 * the number of buckets between the entry and its home. The tag has all bits of the hash that are
 * needed when the index grows, so recovery and moves need not read the block. */
typedef struct lrd__bucket {
    /* The words of the entries. The holder of the shard's lock stores them (release); any thread
     * loads them (acquire). */
    _Atomic uint64_t word[LRD__WAYS];
    /* for each entry: how often it was used, 0..LRD__FREQ_MAX. Any thread stores it; updates may be
     * lost */
    _Atomic uint8_t freq[LRD__WAYS];
    /* number of entries whose search went past this bucket because it was full. The value 255 does
     * not change until recovery. Written under the shard's lock */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* The description of a page of the data. The owner words are in a separate, dense array, which is
 * faster to scan. */
typedef struct lrd__page {
    /* Not 0 while a writer empties (collects) this page to make room for a large value: the
     * writer's slot index + 1 << 32 | the low half of the slot's incarnation. While the page is
     * free, no other writer claims or marks the page. The mark is void once its writer has ended.
     * Collectors change the mark by compare-and-swap (seq_cst) */
    _Atomic uint64_t drain;
    /* neighbours in a list of the shard's pages: page number + 1; 0: none. Pages of small blocks
     * are in no order, pages of runs in the order of addresses. Protected by the shard's lock */
    uint32_t next;
    uint32_t prev;
    /* next and previous page with room in the same lane and class: page number + 1 */
    uint32_t anext;
    uint32_t aprev;
    /* number of allocated blocks, or of allocated units in a page of runs. The holder of the
     * shard's lock stores it */
    _Atomic uint16_t used;
    /* number of retired blocks (or units) among the allocated ones. The holder of the shard's lock
     * stores it; any thread loads it, to choose a page */
    _Atomic uint16_t retired;
    uint16_t hint; /* every bitmap word below this one has no free block */
    uint8_t avail; /* true if the page is in the list of pages with room */
    /* number of committed parts at the beginning of the page. The thread that commits parts stores
     * it (release; for long runs without the lock). A thread that writes to the page loads it
     * (acquire) */
    _Atomic uint8_t committed;
    /* true if some of the page's `held` bits are set. Protected by the shard's lock */
    uint8_t marked;
    /* true if the page is in its shard's list of pages that have or had retired blocks */
    uint8_t waits;
    /* next page in the list of pages with retired blocks: page number + 1; 0: none. Protected by
     * the shard's lock */
    uint32_t waiting;
    /* slot index + 1 of the thread that last put a run into this page. Only a hint. The holder of
     * the shard's lock stores it */
    _Atomic uint32_t user;
    /* number of a lane, whose writers of small blocks look in this page first. Protected by the
     * shard's lock */
    uint8_t lane;
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. Words that one write changes are neighbours. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* protected by the shard's lock */
        /* a bit is set only if the same bit of `allocated` is set. Protected by the shard's lock */
        uint64_t retired;
    } block[LRD__PAGE_WORDS];
    /* blocks that threads hold: temporary result of a ledger scan, under the shard's lock */
    uint64_t held[LRD__PAGE_WORDS];
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* The holder of a lock. Used to find out whether the holder died without a report from the
 * kernel. */
typedef struct lrd__who {
    /* start time from /proc << LRD__TID_BITS | thread id; 0: unknown. Both are in one word, so that
     * no reader sees the id of one thread with the time of another. The holder of the lock stores
     * it (release); any thread loads it (acquire) */
    _Atomic uint64_t thread;
    /* time (ms) at which a thread first found that the holder is gone although the kernel has not
     * marked the lock; 0: not found */
    _Atomic uint64_t gone_since;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* thread ids are below 2^22 (PID_MAX_LIMIT); the other 42 bits hold 1,390 years of clock ticks */
#define LRD__TID_BITS 22u

/* A reservation of a key. All fields except `turn` are protected by the shard's lock. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    /* token of the reservation; 0: the row is free, or is kept for a waiter */
    uint64_t token;
    /* time (ms) at which the lease ends; 0: no lease. In a row that is kept for a waiter: time at
     * which the row becomes free if the waiter does not take it */
    uint64_t until;
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    /* futex. Raised when the reservation ends while a waiter may sleep on this word */
    _Atomic uint32_t turn;
    /* 1 if a waiter may sleep on `turn`, or another thread wants the key; see keylock.c */
    uint32_t waiters;
    /* next and previous row + 1 in the chain of the row's hash; `next` also links the free list; 0:
     * none */
    uint32_t next, prev;
    uint32_t place; /* index of the row in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* The place of an index slot in its shard's timing wheel, a calendar of expiry times. Protected by
 * the shard's lock. */
typedef struct lrd__timer {
    /* tick at which the slot's block expires; 0: never. A hint: the block has the exact time */
    uint32_t tick;
    uint32_t next; /* next slot + 1 in the wheel's list; 0: none */
    /* previous slot + 1, or, in the first slot of a list, the number of the list (see expiry.c); 0:
     * the slot is in no list */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* A slot's link in one of the eviction queues (evict.c). The low bits are the next slot + 1 (0:
 * none); the bits above say which queue the slot is in. Protected by the shard's lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

/* low bits of a turn: slot + 1 of the thread that may take the lock. The bits above say when the
 * turn ends */
#define LRD__TURN_WHO 0xffffu
/* A robust lock: see mutex.h. When a thread ends, musl handles the locks that it holds like musl's
 * own mutexes. */
typedef struct lrd__mutex {
    uint32_t kind; /* the type that musl reads; constant */
    /* 0 if the lock is free, else the holder's thread id; with flags of the kernel. See mutex.h */
    _Atomic uint32_t word;
    uint32_t counted; /* musl takes this for its number of waiters; always 0 */
    uint32_t unused;
    /* links to the other locks of the holder's thread. Only the holder stores them */
    char links[32];
} lrd__mutex;
_Static_assert(sizeof(lrd__mutex) == 48 && offsetof(lrd__mutex, word) == 4 &&
                   offsetof(lrd__mutex, counted) == 8,
               "layout: mutex, as musl looks at it");

/* A gate: the lock of a shard, and what its waiters need. Gates are stored apart from the shards,
 * so that creating a segment touches only a dense array of gates. The fields that every holder
 * stores are in the first cache line. */
typedef struct lrd__gate {
    _Alignas(64) lrd__mutex lock; /* of the shard */
    /* Usually 0: any thread may take the lock. Otherwise only one thread may take it. The value is
     * then the slot of this thread, and the time at which its turn ends. See turn.c. A hint:
     * compare-and-swap, relaxed */
    _Atomic uint64_t turn;
    lrd__who holder; /* only its field gone_since is in the second cache line */
    /* 1 if the shard was checked (vetted) after the segment was adopted, see vet.c. 0 if not:
     * earlier users may have left the shard damaged. The lock's holder stores it (release); any
     * thread loads it (acquire) */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex: raised (fetch-add) to wake a sleeping waiter */
    /* how often a thread got the lock after it had to wait for it, or to take turns. If this number
     * grows, waiters know that the lock is passed on. The lock's holder stores it */
    _Atomic uint32_t had;
    /* value of `had` when the present turn began. The thread that begins a turn stores it */
    _Atomic uint32_t began;
    /* number of consecutive turns, up to the last turn that is over, in which the lock was hardly
     * used. The thread that finds that a turn is over stores it */
    _Atomic uint32_t idle;
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* A hint for searches: before the page `from` there is no free run of `units` units or more. */
typedef struct lrd__gap {
    uint32_t units; /* 0: unknown */
    uint32_t from;  /* page number + 1; 0: the first page; LRD__NO_GAP: there is no such run */
} lrd__gap;
/* number of gaps of a shard: one for runs of up to 8 units, one for up to 16, ... one for 1024 and
 * more */
#define LRD__GAPS 8u
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. The queue keeps the times of two earlier
 * pushes, to tell the age of its first entry: see evict.c. Protected by the shard's lock. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* slot + 1, 0: none */
    uint32_t in, out;    /* number of slots pushed so far, and number of slots popped so far */
    uint32_t mark[2];    /* the values that `in` had at the two pushes whose times are kept */
    uint32_t at[2];      /* values of shard->clock at the two pushes, the earlier one first */
} lrd__fifo;

/* The eviction queues of one size class, or of runs up to one power of two. Protected by the
 * shard's lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* bytes of the blocks of live entries in the small queue, and in the main queue */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* number of live entries of this order */
    uint32_t main_count; /* number of live entries in the main queue */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
/* number of orders of runs: one for runs below 16 KiB, one below 32 KiB, ... and one for all above
 * 8 MiB */
#define LRD__RUN_ORDERS 11u
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* The state of a shard. Its lock protects this struct, and parts of arrays that the geometry places
 * elsewhere. All fields are zero, `homes` too, until the lock is taken for the first time. Only the
 * lock's holder stores fields, unless a field says otherwise; any thread may load statistics. */
typedef struct lrd__shard {
    /* Writes load the fields below and rarely store them. */
    /* the epoch to which the live_* fields below belong. The lock's holder stores it (release)
     * after adding the old live counts to the dead ones; statistics load it (acquire) */
    _Alignas(64) _Atomic uint32_t epoch;
    /* number of home buckets, which shows how far this shard has grown; 0: never used. The split of
     * the next home may have begun. The lock's holder stores it (release). Other threads load it
     * (acquire), to see whether all shards have finished */
    _Atomic uint32_t homes;
    /* number of entries from before the last lrd_clear() that are not swept yet */
    uint32_t dead_entries;
    uint32_t sweep_bucket; /* bucket at which the sweep of cleared entries continues */
    uint64_t reclaim_at;   /* blocks are reclaimed next when retired_bytes reaches this number */
    /* number of bytes that are retired between two batches of reclaiming */
    uint64_t reclaim_step;
    /* after growing has failed: number of entries at which it is tried again */
    uint64_t grow_at;
    uint16_t marked; /* 1 if some page of the shard may have `held` bits */
    /* 1 if all writers of small blocks use lane 0, because every page is in use. A hint */
    uint16_t one_lane;
    uint32_t full_deletes; /* value of header->deletes when the last search for room failed */
    uint64_t full_until;   /* until this time (ms), a search for room that failed is not repeated */
    /* size of the block for which the last search for room failed. Until full_until only smaller
     * blocks are searched for */
    uint64_t full_bytes;

    /* Each write stores the fields below. They are in one cache line, because the line often has to
     * come from another processor. */
    /* the last version that was given to a write; see LRD__VERSION_CLOCK */
    _Alignas(64) uint64_t version;
    /* value of header->barriers_begun after the last block was unlinked from the index */
    uint64_t unlinked_at;
    /* 1 if the lock's holder has unlinked a block; unlinked_at is then stored when the lock is
     * released */
    uint32_t unlinked;
    uint32_t waiting; /* first page in the list of pages with retired blocks: page number + 1 */
    _Atomic uint32_t flux; /* index slot + 1 whose expiry is being changed. For recovery */
    /* index slot + 1 whose entry is being moved: two slots may then have its block. For recovery.
     * The lock's holder stores it */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes;    /* bytes of blocks of live entries */
    _Atomic uint64_t retired_bytes; /* bytes of retired blocks, including open reservations */
    _Atomic uint64_t replaces;

    /* bytes of the blocks of entries that were written before the last lrd_clear() */
    _Alignas(64) _Atomic uint64_t dead_bytes;
    _Atomic uint64_t page_bytes; /* bytes of the pages that this shard owns */
    /* moving average of the ages at which entries were evicted: the latest eviction counts for an
     * eighth. The lock's holder stores it */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* the last token that was given to a key reservation */
    uint32_t keylock_free; /* first free row for key reservations: row + 1 */
    /* the chunk of rows in which ended reservations were last searched */
    uint32_t keylock_hand;
    uint32_t keylock_ready; /* 1 if memory of the hash chains of reservation rows is committed */
    _Atomic uint64_t inserts;
    /* memory counts as short until `inserts` reaches this value (form.c). Each eviction raises it.
     * The lock's holder stores it; any thread loads it, and may get an old value */
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
    /* heads of the lists of pages with room, for each lane and class (run pages have no such
     * list) */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    uint64_t class_bytes[LRD__CLASSES]; /* bytes of pages that each size class owns */

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;     /* entries inserted so far */
    uint32_t ghost_seq; /* evictions remembered so far */
    /* number of sets in the table of evicted keys (ghost), a power of two; 0: the table is not
     * committed yet */
    uint32_t ghost_sets;

    /* expiry.c: timing wheel of index slots, linked by their timers. A tick is 128 ms. */
    /* the last tick that was handled; not advanced while the wheel is empty */
    uint32_t wheel_tick;
    uint32_t wheel_count;
    /* 1 if the wheel of this shard has been used */
    uint32_t timed;
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    _Atomic uint64_t refused_by[LRD_REFUSALS]; /* refusals by cause; fetch-add, like refused */
    /* 1 if an entry that expires is not in the wheel, because memory was short. Such an entry stays
     * until it is evicted */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* where searches for a run of free units begin: see gap.c */

    /* Statistics of form.c. The lock's holder stores them; any thread loads them. */
    /* packs: number of values that were published in packed form. falls: number of values that were
     * published in packed form and replaced their ready form. `packs` is raised before the value is
     * published, so 0 means that no entry is packed */
    _Atomic uint64_t packs, falls;
    _Atomic uint64_t rises; /* number of packed values that were published in ready form again */
    /* number of live packed entries, bytes of their blocks, and bytes that their values take in
     * ready form */
    _Atomic uint64_t packed_entries, packed_bytes, packed_ready;
} lrd__shard;
_Static_assert(sizeof(lrd__shard) == 8704, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's place in the store. Two locks (leases) tell whether the slot's owner lives: the slot
 * is dead if neither lock is held. During a fork the parent holds `guardian` for the child, until
 * the child holds `owner`. */
typedef struct lrd__slot {
    _Alignas(64) lrd__mutex owner;    /* robust; held by the owning thread while it lives */
    _Alignas(64) lrd__mutex guardian; /* robust; held by a forking parent for its child */
    /* raised whenever the slot is claimed, given back or reaped, so that an old incarnation is
     * recognised */
    _Alignas(64) _Atomic uint64_t incarnation;
    /* 1 if the slot is in use, 0 if it is free. The holder of a lease stores it. A holder that
     * claims the slot then executes a full fence: see ledger.c */
    _Atomic uint32_t claimed;
    /* the thread that holds `owner`. If its tid is 0, a forked child may be about to take that
     * lease */
    lrd__who who;
    lrd__who guard; /* holder of guardian */

    /* Only the owner of the slot stores the fields below; scanners load them. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies, unpacks;
    /* number of committed entries of the ledger, including entry 0; `n` is never larger. The owner
     * raises `room`; nothing lowers it */
    _Atomic uint32_t room;
    /* numbers of copies that were made because of a request's age, and because of the number of
     * holds */
    _Atomic uint64_t copies_time, copies_number;

    /* The ledger: the blocks that this thread holds. An entry is a block's offset in granules + 1,
     * or 0 if the entry is free. Entry 0 is not used; entries from `n` on do not count. The owner
     * stores entries (release); scanners load them (acquire) after a barrier. */
    _Alignas(64) _Atomic uint64_t n;
    _Atomic uint64_t spare; /* one more ledger entry, for the borrowed value */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
/* number of ledger entries that are committed when a slot is created */
#define LRD__LEDGER_FIRST 1024u
/* number of ledger entries that are committed at a time when a ledger grows */
#define LRD__LEDGER_STEP 1024u
#define LRD__SLOT_FIRST 12288u /* size in bytes of a slot with the shortest ledger */
#define LRD__SLOT_SIZE 266240u /* size in bytes of a wide slot, which has the longest ledger */
/* The first LRD__SLOTS_WIDE slots are wide: their ledgers can grow to LRD_HOLDS_MAX entries. The
 * other slots have the shortest ledger, because a file with only wide slots would be a gigabyte
 * long. */
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
/* Return the size in bytes of all slots before this one. */
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
    /* number of committed buckets, without the overhang. The thread that commits more buckets
     * raises it (compare-and-swap) */
    _Atomic uint32_t grown;
    /* mask of the index. Stored (compare-and-swap) when all shards have split all their homes */
    _Atomic uint64_t mask;
    /* mask after the present doubling; equal to `mask` if the index is not doubling. The thread
     * that starts to double stores it (compare-and-swap) */
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
    /* The fields from here to `sum` are constant. `sum` is their XXH3 checksum. */
    uint64_t size, base, seed, file_size;
    /* device and inode of this file; a copy of the file has others and is refused */
    uint64_t device, inode;
    /* `buckets`: number of each shard's buckets when the segment was created */
    uint32_t policy, shards, slots, buckets;
    /* `fence`: a process that has no membarrier may set it later, while it is the only user */
    uint32_t fence, word_size;
    char boot_id[40];
    char value_abi[64];
    uint64_t sum;
    /* The first process that attaches sets the fields below, under the file's lock. */
    /* device and inode of the PID namespace that all users share */
    _Atomic uint64_t namespace_device, namespace_inode;
    /* inode of the time namespace that all users share, on `namespace_device`; 0: the kernel has
     * no time namespaces. Clocks and start times of processes differ between time namespaces */
    _Atomic uint64_t time_namespace;
    /* The fields below change while the segment is used. */
    _Alignas(64) lrd__view view;
    /* boot time minus monotonic time, in ms. Writers and requests refresh it */
    _Atomic uint64_t clock_offset;
    _Alignas(64) lrd__mutex slots_lock; /* robust: held while slots are created */
    /* raised when a hold was copied from one slot to another, before the first slot releases its
     * hold. If this number changes during a ledger scan, the scan starts again */
    _Alignas(64) _Atomic uint64_t handovers;
    _Atomic uint32_t slots_high; /* slots with this number and above were never claimed */
    lrd__who slots_holder;       /* holder of slots_lock */
    /* pages with this number and above were never claimed, and their descriptions are not
     * committed. The thread that commits descriptions raises it (compare-and-swap) */
    _Atomic uint32_t pages_high;
    /* version << 32 | page: all pages with numbers below `page` are in use. The version rises
     * whenever a page becomes free */
    _Atomic uint64_t pages_hint;
    /* page at which the search for neighbouring free pages continues */
    _Atomic uint32_t window_rotor;
    _Atomic uint32_t deletes; /* number of deletes, in stores that do not evict */
    _Atomic uint64_t reaped;  /* number of slots of dead owners that were given back */
    /* a hint: all chunks of reservation rows below this one belong to shards. A thread that takes a
     * chunk raises the hint, and a thread that gives a chunk back lowers it (compare-and-swap) */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    /* value of minis_freed + 1 when a search found no free mini page; 0: no search has failed */
    _Atomic uint32_t minis_none;
    /* 1 if all shards are vetted. The thread that finds this out stores 1 (release). A process that
     * adopts the segment stores 0 while no other process uses it. Threads that claim a slot load it
     * (acquire) */
    _Atomic uint32_t settled;
    /* until this time (monotonic ms), no uncommitted page is claimed, because the file system was
     * full. Any thread stores it; a hint */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often the file system was full */
    /* number of slots that were given back by any thread: fetch-add */
    _Atomic uint64_t slots_freed;
    _Atomic uint32_t zone_fed; /* 1 if the whole zone is probably committed */
    /* a bit for each lrd_refusal that some host has reported: fetch-or */
    _Atomic uint32_t said;
    /* sums of the slots' counts from before the segment was last adopted. The process that adopts
     * the segment stores them */
    _Atomic uint64_t hits, misses, copies, unpacks;
    /* page at which a search for neighbouring free pages continues if there are none near the
     * lowest free page: see claim.c */
    _Atomic uint32_t neighbours;
    /* more sums of the slots' counts, like `copies` above. The process that adopts the segment
     * stores them */
    _Atomic uint64_t copies_time, copies_number;
    /* number of the last barrier (membarrier) that began. A thread adds 1 (seq_cst) before its
     * barrier */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* highest number of a barrier that has ended. The thread that ended it raises it
     * (compare-and-swap, release); scanners load it (acquire) before a scan */
    _Atomic uint64_t barriers_done;
    /* until this time (coarse monotonic ms), threads that claim a slot do not look for dead owners,
     * because there are many slots. Any thread stores it; a hint */
    _Atomic uint64_t slots_look_at;
    /* slot at which the search for a free slot begins. Any thread stores it; a hint */
    _Atomic uint32_t slots_hint;
    /* time (ms since boot) at which the segment was created. The creator stores it */
    uint64_t created;
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* The places of the areas in the control mapping. All are computed from five given numbers, so no
 * place has to be read from the file and trusted. Offsets are in bytes from the start of the
 * file. */
typedef struct lrd__geometry {
    /* The five given numbers. `buckets`: number of buckets that each shard has at first. `slots`:
     * number of slots, including the spare ones. */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* The fields below are computed from the five given numbers. */
    uint64_t pages;      /* number of pages of 64 KiB */
    uint64_t pages_all;  /* number of pages, including the mini pages behind the data */
    uint64_t data_size;  /* bytes of all pages, the mini pages included */
    uint32_t shard_bits; /* log2(shards) */
    /* largest number of home buckets of a shard: enough for the data full of the smallest blocks */
    uint32_t homes_max;
    /* largest number of sets in a shard's table of evicted keys (ghost), a power of two. A set has
     * LRD__GHOST_WAYS entries */
    uint32_t ghost_sets;
    uint32_t keylock_chunks; /* number of chunks of rows for key reservations */
    uint32_t messages_max;   /* number of message rows of a shard, in a store of queues */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* size in bytes of the control mapping */
    uint64_t data_at;      /* offset of the data in the file: control_size rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* The first slots of a store that evicts are spare. A thread that has no slot borrows one of them
 * for a call, see lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
/* largest number of slots of a store, without the spare slots */
#define LRD__SLOTS_MAX 4096u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
