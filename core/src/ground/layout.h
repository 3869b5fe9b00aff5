/* layout.h - all structs in shared memory. A change here needs a new LRD__LAYOUT.
 * docs/memory-layout.md lists the offsets.
 *
 * The structs refer to pages, blocks, index slots and threads by numbers. Only values may contain
 * pointers. These point into the read-only mapping of the data, which has the same address in every
 * process. */
#pragma once

#ifndef _GNU_SOURCE
/* must be defined before the first system header is included; memfd_create and OFD locks need it */
#define _GNU_SOURCE
#endif

#include "larder_admin.h"
#include "larder_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LRD__MAGIC 0x31726564726c0a1aull
#define LRD__LAYOUT 17u

#define LRD__PAGE_BITS 16u /* A page has 64 KiB. It belongs to one shard and one size class. */
#define LRD__PAGE ((uint64_t)1 << LRD__PAGE_BITS)
#define LRD__UNIT_BITS 10u /* A unit has 1 KiB. A large block is a run of units. */
#define LRD__UNIT ((uint64_t)1 << LRD__UNIT_BITS)
#define LRD__PAGE_UNITS 64u
/* Memory for a page is committed in parts of 4 KiB, from the first part on. */
#define LRD__PART_BITS 12u
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* Mini pages are pages of 4 KiB after the data, for blocks of up to LRD__MINI_BLOCK bytes. */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 4096u
#define LRD__MINI_STEP 8u /* number of mini pages that are committed in one step */
/* number of mini pages that are committed when a segment is created */
#define LRD__MINI_READY 16u
#define LRD__PAGES_CHUNK 64u /* number of pages whose descriptions are committed in one step */
#define LRD__GRANULE_BITS 4u /* a granule has 16 bytes; index words give offsets in granules */
/* maximum size in bytes of a block that has a size class; larger blocks are runs */
#define LRD__SMALL_MAX 16384u
/* number of size classes: 64, 80, 96, 112 and 128 bytes; then 8 classes for each doubling up to
 * 8192 bytes; then 4 classes up to LRD__SMALL_MAX */
#define LRD__CLASSES 57u
#define LRD__CLASS_RUN 57u
/* Number of lanes. A lane is a group of writers. Writers of different lanes put their small blocks
 * into different pages; see affinity.c. */
#define LRD__LANES 4u
/* number of 64-bit words in a bitmap of a page: enough for 1024 blocks of 64 bytes */
#define LRD__PAGE_WORDS 16u
#define LRD__WAYS 7u /* number of index words in a bucket */
/* Number of buckets in which an entry may lie: its home bucket, and the next buckets of the same
 * shard. */
#define LRD__PROBES 16u
/* Number of extra buckets after a shard's last home bucket. An entry goes there if all buckets from
 * its home up to the last home bucket are full. */
#define LRD__OVERHANG (LRD__PROBES - 1)
/* Number of hash bits in the tag of an index word. Each doubling of the index needs one more of
 * these bits, so their number limits the doublings. */
#define LRD__TAG_HASHED 23u
/* view.mask of a new index; each doubling of the index sets one more bit */
#define LRD__MASK_FIRST 0xffffffffull
/* Memory for timers is committed for this number of buckets at a time. */
#define LRD__TIMER_CHUNK 256u
#define LRD__SHARDS_MAX 256u
#define LRD__FREQ_MAX 3u
/* A version is (time of the write in ms) << 24 | (serial number of the write within this
 * millisecond). */
#define LRD__VERSION_CLOCK 24u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel is 128 ms */
#define LRD__GHOST_WAYS 4u
/* A chunk has this number of rows of key reservations (4 KiB). A shard takes whole chunks. */
#define LRD__KEYLOCK_CHUNK 64u
/* A store has one chunk of key reservations for each shard, and this number of further chunks. All
 * chunks together have at least 32 rows for each slot. */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* number of hash chains for the key reservations of one shard */
#define LRD__QUOTA_UNITS 4096u  /* A quota is a number of units. One unit is 1/4096 of the data. */
/* A thread that holds nothing keeps this number of units, so that its next hold need not raise the
 * quota. */
#define LRD__QUOTA_KEEP 1u
/* The zone is the last part of the data in a store that evicts. It consists of windows, and each
 * window has room for a value of 1/32 of the data. A window with a held block is occupied: it
 * cannot be emptied. All holds together may occupy LRD__ZONE_OCCUPIED windows, but not more; see
 * zone.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_OCCUPIED 2u
#define LRD__ZONE_SHARE 32u
/* The low LRD__QUOTA_BITS bits of a quota word are the amount. Each higher bit stands for a window
 * of the zone. The quota's owner sets the bit before it occupies the window, and clears the bit
 * some time after it has left the window. */
#define LRD__QUOTA_BITS 12u
#define LRD__ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(uint64_t)((a)-1))

/* A block: one contiguous piece of the data. The short header has 26 bytes:
 *
 *   +0 expiry  +8 version  +16 epoch  +20 size  +24 key_len  +25 type  +26 key | pad | value
 *
 * If the key is longer than 255 bytes, or the value has 4 GiB or more, the block has the long
 * header of 40 bytes:
 *
 *   ... +20 0  +24 0  +25 type  +26 long_key_len  +28 pad  +32 long_size  +40 key | pad | value
 *
 * The offset of the value is a multiple of 16. A published block does not change, except for its
 * expiry and the value of a counter. */
typedef struct lrd__block {
    /* time (ms of the store's clock) at which the block expires, or 0; stored under the shard's
     * lock */
    _Atomic uint64_t expiry;
    uint64_t version; /* stamped at publish */
    /* The store's epoch when the block was published. If the store has a later epoch, the entry was
     * cleared. */
    uint32_t epoch;
    uint32_t size;   /* size in bytes of the value; 0 in the long form */
    uint8_t key_len; /* length in bytes of the key; 0 in the long form */
    uint8_t type;
    uint16_t long_key_len; /* used only in the long form; in the short form the key begins here */
    uint32_t long_pad;
} lrd__block;
_Static_assert(sizeof(lrd__block) == 32 && offsetof(lrd__block, long_key_len) == 26,
               "layout: block");
#define LRD__BLOCK_KEY 26u       /* offset of the key in the short form */
#define LRD__BLOCK_LONG_KEY 40u  /* offset of the key in the long form, after the size */
#define LRD__BLOCK_LONG_SIZE 32u /* offset of the size in the long form */
/* maximum length in bytes of the key of a block in the short form */
#define LRD__BLOCK_KEY_MAX 255u
#define LRD__PACKED_READY_AT 12u /* offset of the field `ready` in a packed value; see pack.c */

/* A bucket of the index: one cache line. A word that is not 0 describes an entry: tag (24 bits),
 * displacement (4 bits) and listing (36 bits). The listing is the block's offset in granules, plus
 * 1. The displacement is the number of buckets from the entry's home to the entry. The tag contains
 * the hash bits that are needed when the index grows, so an entry can be moved and recovered
 * without reading its block. */
typedef struct lrd__bucket {
    /* The words of the entries. The holder of the shard's lock stores them (release); any thread
     * loads them (acquire). */
    _Atomic uint64_t word[LRD__WAYS];
    /* How often each entry was used, up to LRD__FREQ_MAX. Any thread stores this, so updates can
     * get lost. */
    _Atomic uint8_t freq[LRD__WAYS];
    /* Number of entries that have passed over this bucket: their home is this bucket or an earlier
     * one, and they lie in a later one. The number may be too high. Once it is 255, it stays 255
     * until recovery. Stored under the shard's lock. */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* The description of a page of the data. The owner words of all pages are in a separate array,
 * because that array is faster to scan. */
typedef struct lrd__page {
    /* The mark of the writer that empties (collects) this page for a large value, or 0. A mark is
     * (slot index + 1) << 32 | the low half of the slot's incarnation. While the writer lives, no
     * other writer can claim or mark the page. Changed by compare-and-swap (seq_cst). */
    _Atomic uint64_t drain;
    /* Neighbours in a list of the shard's pages, as page number + 1, or 0. The list of run pages is
     * ordered by address, the other lists are not. Protected by the shard's lock. */
    uint32_t next;
    uint32_t prev;
    /* next and previous page with room in the same lane and class, as page number + 1, or 0 */
    uint32_t anext;
    uint32_t aprev;
    /* Number of allocated blocks; in a run page, number of allocated units. The holder of the
     * shard's lock stores it. */
    _Atomic uint16_t used;
    /* How many of the allocated blocks or units are retired. The holder of the shard's lock stores
     * this; any thread loads it. */
    _Atomic uint16_t retired;
    /* index of an `allocated` word in the page's bitmaps; the words before it have no free block */
    uint16_t hint;
    uint8_t avail; /* true if the page is in its shard's list of pages with room */
    /* Number of committed parts of the page, from its beginning. A thread that commits parts stores
     * this number (release). If the parts are for a long run, the thread does not have the shard's
     * lock. Writers to the page load the number (acquire). */
    _Atomic uint8_t committed;
    /* True if some `held` bits of the page are set. Protected by the shard's lock. */
    uint8_t marked;
    /* True if the page is in its shard's list of pages with retired blocks. The page can stay in
     * the list after the blocks were freed. */
    uint8_t waits;
    /* next page in the list of pages with retired blocks, as page number + 1, or 0 */
    uint32_t waiting;
    /* Slot index + 1 of the thread that last put a run into this page. A hint, stored under the
     * shard's lock. */
    _Atomic uint32_t user;
    /* Number of the lane whose writers of small blocks search this page first. Protected by the
     * shard's lock. */
    uint8_t lane;
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. A write often changes `allocated` and `retired` of a block, so they are
 * adjacent. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* protected by the shard's lock */
        /* Retired blocks. Their `allocated` bits are also set. Protected by the shard's lock. */
        uint64_t retired;
    } block[LRD__PAGE_WORDS];
    /* The blocks that threads hold, as a ledger scan has found them. Protected by the shard's
     * lock. */
    uint64_t held[LRD__PAGE_WORDS];
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* Identifies the thread that holds a lock. The kernel does not always report the death of a holder.
 * With this record, other threads notice the death all the same. */
typedef struct lrd__who {
    /* (start time of the thread, from /proc) << LRD__TID_BITS | thread id; 0 if unknown. Both are
     * in one word, so that a reader never sees the start time of one thread with the id of another.
     * The holder of the lock stores it (release); any thread loads it (acquire). */
    _Atomic uint64_t thread;
    /* Time (ms) when a thread first saw that the holder is dead although the kernel has not marked
     * the lock. 0 if no thread has seen this. */
    _Atomic uint64_t gone_since;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* number of bits of a thread id: ids are below 2^22 (PID_MAX_LIMIT) */
#define LRD__TID_BITS 22u

/* A reservation of a key. The shard's lock protects all fields except `turn`. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    /* token of the reservation; 0 if the row is free or is kept for a waiter */
    uint64_t token;
    /* Time (ms) at which the lease ends, or 0. If the row is kept for a waiter: the time at which
     * the row becomes free. */
    uint64_t until;
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    /* Futex word. If `waiters` is 1 when the reservation ends, the word is increased to wake a
     * waiter. */
    _Atomic uint32_t turn;
    /* 1 if a waiter may be sleeping on `turn`, or if another thread wants the key; see keylock.c */
    uint32_t waiters;
    /* Next and previous row in the hash chain, as row + 1, or 0. `next` also links free rows. */
    uint32_t next, prev;
    uint32_t place; /* index of the row in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* The links of an index slot in its shard's timing wheel. Protected by the shard's lock. */
typedef struct lrd__timer {
    /* Tick at which the slot's block expires; 0 if the block never expires. The tick is only a
     * hint: the block contains the exact time. */
    uint32_t tick;
    uint32_t next; /* next slot in the wheel's list, as slot + 1; 0 if there is none */
    /* Previous slot + 1. The first slot of a list has the list's number here instead (expiry.c). 0
     * if the slot is in no list. */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* An index slot's link in an eviction queue (evict.c). The low bits are the next slot + 1, or 0.
 * The two highest bits tell which queue the slot is in. Protected by the shard's lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

/* The bits of lrd__gate.turn that contain slot + 1 of the thread with the turn. turn.c defines the
 * other bits. */
#define LRD__TURN_WHO 0xffffu
/* A robust lock; see mutex.h. Its fields have the same offsets as in musl's mutexes, because musl
 * accesses these locks when a thread ends. */
typedef struct lrd__mutex {
    uint32_t kind; /* type of the lock, which musl reads; constant */
    /* thread id of the holder (0 if the lock is free), and two flags of the kernel; see mutex.h */
    _Atomic uint32_t word;
    uint32_t counted; /* always 0; musl uses this field as its count of waiters */
    uint32_t unused;
    /* Links to the lock's neighbours in the list of its holder's locks, which the kernel reads
     * (mutex.h). Only the holder stores them. */
    char links[32];
} lrd__mutex;
_Static_assert(sizeof(lrd__mutex) == 48 && offsetof(lrd__mutex, word) == 4 &&
                   offsetof(lrd__mutex, counted) == 8,
               "layout: mutex, as musl looks at it");

/* A gate: a shard's lock, and the fields that its waiters need. All gates are adjacent, so creating
 * a segment touches few pages. The first cache line contains the fields that every holder
 * stores. */
typedef struct lrd__gate {
    _Alignas(64) lrd__mutex lock; /* the lock of the shard */
    /* Usually 0: then any thread may take the lock. Otherwise writers take turns. The word then
     * contains the slot of the thread with the turn, and the time at which the turn ends; see
     * turn.c. A hint, changed by compare-and-swap (relaxed). */
    _Atomic uint64_t turn;
    lrd__who holder; /* the holder of the lock; holder.gone_since is in the second cache line */
    /* 1 if the shard was vetted (checked) since the segment was adopted; see vet.c. Until then the
     * shard may be damaged. The lock's holder stores this (release); any thread loads it
     * (acquire). */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex word; increased (fetch-add) to wake a waiter */
    /* How often a thread got the lock after a wait, or while writers took turns. A waiter compares
     * two values to see whether other threads got the lock in between. The lock's holder stores the
     * number. */
    _Atomic uint32_t had;
    /* Value of `had` when the current turn began. The thread that begins a turn stores it. */
    _Atomic uint32_t began;
    /* number of consecutive turns in which the lock was taken only a few times; see turn_end() */
    _Atomic uint32_t idle;
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* A hint for searches: no free run of at least `units` units begins before the page `from`. */
typedef struct lrd__gap {
    uint32_t units; /* 0 if nothing is known */
    /* The page's number + 1. 0 stands for the shard's first run page. LRD__NO_GAP: the shard has no
     * free run of at least `units` units. */
    uint32_t from;
} lrd__gap;
/* Number of gaps of a shard. The first is for runs of less than 16 units, the next for 16 to 31,
 * the next for 32 to 63, and so on. The last is for runs of 1024 units or more. */
#define LRD__GAPS 8u
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. The queue records when two earlier pushes
 * happened. These times serve to estimate the age of its first entry; see evict.c. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* first and last slot, as slot + 1; 0 if the queue is empty */
    /* `out`: number of index slots popped so far; `in`: `out` plus the number of slots in the
     * queue */
    uint32_t in, out;
    uint32_t mark[2]; /* values of `in` at two past pushes; the older push is first */
    uint32_t at[2];   /* values of shard->clock at the two pushes of `mark` */
} lrd__fifo;

/* The eviction queues of one size class, or of the runs of one order. Protected by the shard's
 * lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* for each of the two queues: total size in bytes of the blocks of its live entries */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* number of live entries in this class or order */
    uint32_t main_count; /* number of live entries in the main queue */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
/* Number of orders of runs. The first has runs of up to 32 KiB, the next up to 64 KiB, and so on.
 * The last has runs of more than 8 MiB. */
#define LRD__RUN_ORDERS 10u
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* The state of a shard. Its lock protects this struct, and the shard's elements of other arrays.
 * All fields are 0 until the lock is first taken. Only the lock's holder stores fields, except
 * where a comment says otherwise. Statistics are loaded without the lock. */
typedef struct lrd__shard {
    /* Each write loads the fields below. They rarely change. */
    /* The epoch of the live_* fields. After a clear, the lock's holder adds live_* to dead_*, and
     * then stores the new epoch (release). store_stats_shard() loads it (acquire). */
    _Alignas(64) _Atomic uint32_t epoch;
    /* Number of home buckets of this shard; 0 if the shard was never used. When the index grows, a
     * new bucket is counted after all its entries were moved into it. Stored (release); other
     * threads load it (acquire) to see whether all shards have finished a doubling. */
    _Atomic uint32_t homes;
    /* number of entries that lrd_clear() has cleared, and that no sweep has removed yet */
    _Atomic uint32_t dead_entries;
    uint32_t sweep_bucket; /* bucket at which the sweep of cleared entries continues */
    uint64_t reclaim_at;   /* the shard reclaims next when retired_bytes reaches this number */
    /* The shard reclaims again when it has retired this number of bytes since it last reclaimed. */
    uint64_t reclaim_step;
    /* After an attempt to grow the index has failed: the number of entries at which this shard
     * tries again. */
    uint64_t grow_at;
    uint16_t marked; /* 1 if `held` bits may be set in a page of the shard */
    /* a hint: 1 if all writers of small blocks use lane 0, because every page is in use */
    uint16_t one_lane;
    /* value of header->deletes when a search for room in this shard last failed */
    uint32_t full_deletes;
    /* after a search for room has failed: time (ms) until which writers do not repeat the search */
    uint64_t full_until;
    /* Size in bytes of the block for which the last failed search wanted room. Until full_until,
     * only smaller blocks start a new search. */
    uint64_t full_bytes;

    /* Each write changes the fields below. They share one cache line, because it is slow to fetch a
     * line from another processor. */
    /* the version that the last write has given; see LRD__VERSION_CLOCK */
    _Alignas(64) uint64_t version;
    /* value of header->barriers_begun just after the lock's holder last unlinked a block from the
     * index */
    uint64_t unlinked_at;
    /* 1 if the lock's holder has unlinked a block, and so must store `unlinked_at` before it
     * releases the lock */
    uint32_t unlinked;
    uint32_t waiting; /* first page of the list of pages with retired blocks, as page number + 1 */
    /* While the lock's holder changes the timer and the block of an index slot: that slot + 1;
     * otherwise 0. The timer may then differ from the block's expiry. Recovery reads this field. */
    _Atomic uint32_t flux;
    /* The old slot + 1 while the lock's holder moves an entry to another index slot; otherwise 0.
     * The old and the new slot may then refer to the same block. Recovery reads this field. */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes; /* total size in bytes of the blocks of live entries */
    /* total size in bytes of retired blocks, including the blocks of open reservations */
    _Atomic uint64_t retired_bytes;
    _Atomic uint64_t replaces;

    /* total size in bytes of the blocks of the entries that dead_entries counts */
    _Alignas(64) _Atomic uint64_t dead_bytes;
    _Atomic uint64_t page_bytes; /* total size in bytes of the pages that this shard owns */
    /* Moving average of the ages at which entries were evicted. The latest age has a weight of
     * 1/8. */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* the token of the newest key reservation */
    uint32_t keylock_free; /* first free row for key reservations, as row + 1 */
    /* the chunk of rows in which a thread most recently searched for ended reservations */
    uint32_t keylock_hand;
    /* 1 if memory for the shard's hash chains of reservation rows is committed */
    uint32_t keylock_ready;
    _Atomic uint64_t inserts;
    /* form.c treats memory as short until `inserts` reaches this value. Threads load it without the
     * lock, so they may see an old value. */
    _Atomic uint64_t pressed_until;
    _Atomic uint64_t deletes, expired, evicted, ghost_hits;
    /* Number of refused writes. Increased by fetch-add, because threads that did not get the lock
     * increase it, too. */
    _Atomic uint64_t refused;
    _Atomic uint64_t recoveries, emptied;
    /* number of calls that did not get this shard's lock in time; increased by fetch-add */
    _Atomic uint64_t busy;

    /* arena.c */
    uint32_t small_pages, run_pages; /* heads: page number + 1 */
    uint32_t page_count;             /* pages this shard owns */
    /* The next search for a page to empty begins at this page. */
    uint32_t rotor;
    /* For each lane and size class: the first page of the list of pages with room. Run pages are in
     * no such list. */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    /* total size in bytes of the pages that each size class owns */
    uint64_t class_bytes[LRD__CLASSES];

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;     /* entries inserted so far */
    uint32_t ghost_seq; /* evictions remembered so far */
    /* number of sets in the table of evicted keys (ghosts), a power of two; 0 if the table is not
     * committed */
    uint32_t ghost_sets;
    /* The position of evict_sweep(). `sweeps`: the number of the queue that it visits: 2 * order
     * for a small queue, 2 * order + 1 for a main queue. `swept`: the last slot that it visited,
     * plus 1, or 0 if it continues at the head of the queue. `passed`: the value of the queue's
     * `out` at which the slot after `swept` will be the head. */
    uint32_t sweeps, swept, passed;

    /* expiry.c: the timing wheel, which contains index slots that are linked by their timers. A
     * tick has 128 ms. */
    /* The last tick whose timers were handled. It does not advance while the wheel is empty. */
    uint32_t wheel_tick;
    uint32_t wheel_count;
    /* 1 if the wheel of this shard was ever used */
    uint32_t timed;
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS]; /* heads: slot + 1 */

    /* number of refused writes for each cause; increased by fetch-add, like `refused` */
    _Atomic uint64_t refused_by[LRD_REFUSALS];
    /* 1 if some entry that can expire is not in the wheel, because there was no memory for its
     * timer. Such an entry keeps its memory until it is evicted. */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* where searches for a run of free units begin; see gap.c */

    /* Statistics of form.c. The lock's holder stores them; any thread loads them. */
    /* `packs`: number of values published in packed form. `falls`: how often a value in ready form
     * was replaced by its packed form. `packs` is increased before the value is published, so no
     * entry is packed while `packs` is 0. */
    _Atomic uint64_t packs, falls;
    _Atomic uint64_t rises; /* number of packed values that were later published in ready form */
    /* packed_entries: number of live packed entries. packed_bytes: total size in bytes of their
     * blocks. packed_ready: total size in bytes of their values in ready form. */
    _Atomic uint64_t packed_entries, packed_bytes, packed_ready;
} lrd__shard;
_Static_assert(sizeof(lrd__shard) == 9088, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's slot in the store. It has two leases, `owner` and `guardian`. If no thread holds
 * either of them, the slot's owner is dead. During a fork, the parent holds `guardian` until the
 * child holds `owner`. */
typedef struct lrd__slot {
    _Alignas(64) lrd__mutex owner; /* robust; held by the owning thread while it lives */
    /* robust; during a fork, the parent holds this lease for the child, which will own the slot */
    _Alignas(64) lrd__mutex guardian;
    /* Increased whenever the slot is claimed, given back or reaped. So a number that was stored
     * earlier shows that the slot has another owner now. */
    _Alignas(64) _Atomic uint64_t incarnation;
    /* 1 if the slot is in use, or 0. Only a holder of one of the slot's leases stores it. After
     * storing 1, the holder executes a full fence; see ledger.c. */
    _Atomic uint32_t claimed;
    /* The holder of the lease `owner`. If the thread id in it is 0, a forked child may be about to
     * take the lease. */
    lrd__who who;
    lrd__who guard; /* the thread that holds `guardian` */

    /* Only a holder of one of the slot's leases (usually the owner) stores the fields below. Other
     * threads load them. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies, unpacks;
    /* Number of committed entries of the ledger, including entry 0; at least `n`. The owner never
     * decreases it. */
    _Atomic uint32_t room;
    /* copies_time: number of copies made because the request had run for too long. copies_number:
     * number of copies made because the thread had too many holds. */
    _Atomic uint64_t copies_time, copies_number;

    /* The ledger: the blocks that this thread holds. An entry is a listing, or 0 if it is free.
     * Writers that scan the ledger ignore entry 0, and all entries from `n` on. The owner stores
     * entries (release). A scan loads them (acquire) after a barrier. */
    _Alignas(64) _Atomic uint64_t n;
    /* one more entry of the ledger, for the value that the thread has borrowed */
    _Atomic uint64_t spare;
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
/* number of ledger entries that are committed when a slot is created */
#define LRD__LEDGER_FIRST 1024u
/* number of ledger entries by which a ledger grows */
#define LRD__LEDGER_STEP 1024u
/* size in bytes of a slot with the shortest ledger (a slot that is not wide) */
#define LRD__SLOT_FIRST 12288u
#define LRD__SLOT_SIZE 266240u /* size in bytes of a wide slot, which has the longest ledger */
/* The first LRD__SLOTS_WIDE slots are wide: their ledgers can grow to LRD_HOLDS_MAX entries. */
#define LRD__SLOTS_WIDE 512u
_Static_assert(sizeof(lrd__slot) <= LRD__SLOT_SIZE && LRD__SLOT_SIZE % LRD__PART == 0 &&
                   LRD__SLOT_FIRST % LRD__PART == 0,
               "layout: slot");
_Static_assert(offsetof(lrd__slot, ledger) + (LRD__LEDGER_FIRST + 1) * sizeof(uint64_t) <=
                   LRD__SLOT_FIRST,
               "layout: the first entries have memory");

/* Return the maximum number of entries of a slot's ledger, including entry 0. */
static inline uint32_t lrd__slot_entries(uint32_t index)
{
    return (index < LRD__SLOTS_WIDE ? LRD_HOLDS_MAX : LRD__LEDGER_FIRST) + 1;
}
/* Return the total size in bytes of the slots before this slot. */
static inline uint64_t lrd__slot_begin(uint32_t index)
{
    uint64_t wide = index < LRD__SLOTS_WIDE ? index : LRD__SLOTS_WIDE;
    return wide * LRD__SLOT_SIZE + (index - wide) * LRD__SLOT_FIRST;
}

/* The state of the index. Every get loads this cache line, which hardly ever changes.
 *
 * Bucket b belongs to shard b % shards. The hash bits that are set in `mask` choose a key's home
 * bucket; see lrd__bucket_at(). At first, 32 bits are set; each doubling sets one more. During a
 * doubling, `next` is the new mask; see grow.c. */
typedef struct lrd__view {
    _Atomic uint32_t epoch; /* increased by lrd_clear() */
    /* Number of committed buckets, without the overhang. The thread that commits more buckets
     * increases it (compare-and-swap). */
    _Atomic uint32_t grown;
    /* The mask of the index. It is replaced (compare-and-swap) when all shards have split all their
     * homes. */
    _Atomic uint64_t mask;
    /* The mask after the current doubling; equal to `mask` if the index is not growing. The thread
     * that begins a doubling stores it (compare-and-swap). */
    _Atomic uint64_t next;
} lrd__view;
_Static_assert(sizeof(lrd__view) == 24, "layout: view");

/* Start of the segment. */
enum { LRD__STATE_BLANK = 0, LRD__STATE_READY = 0x52454459 };
typedef struct lrd__header {
    uint64_t magic;
    uint32_t layout; /* LRD__LAYOUT */
    /* The creator stores LRD__STATE_READY when the segment is complete. A segment in any other
     * state must not be used. */
    _Atomic uint32_t state;
    /* The fields from here up to `sum` are constant. `sum` is the XXH3 checksum of these fields. */
    uint64_t size, base, seed, file_size;
    /* device and inode of the file for which this header was made; a copy of the file is refused,
     * because its device or inode differs */
    uint64_t device, inode;
    /* `buckets`: number of buckets of each shard when the segment was created */
    uint32_t policy, shards, slots, buckets;
    /* `fence`: 1 in fence mode. A process that cannot use membarrier(2) can set `fence` later, if
     * no other process is attached. */
    uint32_t fence, word_size;
    char boot_id[40];
    char value_abi[64];
    uint64_t sum;
    /* The first process that attaches sets the fields below, under the file's lock. */
    /* device and inode of the PID namespace that all users share */
    _Atomic uint64_t namespace_device, namespace_inode;
    /* Inode of the time namespace that all users share, or 0. It is on the device
     * `namespace_device`. A process in another time namespace cannot use the store, because its
     * clocks and start times differ. */
    _Atomic uint64_t time_namespace;
    /* The fields below change while the segment is used. */
    _Alignas(64) lrd__view view;
    /* The time (ms) for which the machine was suspended: boot clock minus monotonic clock. Writes
     * and lrd_request_begin() keep it correct. */
    _Atomic uint64_t clock_offset;
    _Alignas(64) lrd__mutex slots_lock; /* robust; held while slots are created */
    /* Number of holds that have moved to another slot. A thread that moves a hold first lists the
     * block in the new slot, then increases this number, and then clears the listing in the old
     * slot. If the number changes during a ledger scan, the scan begins again. */
    _Alignas(64) _Atomic uint64_t handovers;
    /* All slots claimed since the adoption have numbers below slots_high. The next adopter goes
     * through these slots, from the highest number down. After it has added a slot's counts to the
     * header, it lowers slots_high by 1. */
    _Atomic uint32_t slots_high;
    lrd__who slots_holder; /* the thread that holds slots_lock */
    /* The pages from pages_high on were never claimed, and have no committed descriptions.
     * pages_high is raised by compare-and-swap. */
    _Atomic uint32_t pages_high;
    /* version << 32 | page: all pages before `page` are in use. The version increases whenever a
     * page becomes free. */
    _Atomic uint64_t pages_hint;
    /* page at which the next search for a window begins; a window is a range of pages to empty */
    _Atomic uint32_t window_rotor;
    _Atomic uint32_t deletes; /* number of deletes; counted only in stores that do not evict */
    _Atomic uint64_t reaped;  /* number of slots of dead owners that were freed */
    /* A hint: all chunks of reservation rows below this number belong to shards. Raised when a
     * shard takes a chunk, lowered when a shard gives one back (compare-and-swap). */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    /* equal to minis_freed + 1 if the latest search found no free mini page, and no mini page has
     * become free since */
    _Atomic uint32_t minis_none;
    /* 1 if all shards are vetted. The thread that notices this stores 1 (release); an adopter
     * stores 0. A thread that claims a slot loads this (acquire). */
    _Atomic uint32_t settled;
    /* If the file system was found full: the time (monotonic ms) until which writers claim no
     * uncommitted pages. A hint. */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often the file system was found full */
    /* how often a slot was freed, by any thread; increased by fetch-add */
    _Atomic uint64_t slots_freed;
    _Atomic uint32_t zone_fed; /* 1 if the whole zone is probably committed */
    /* one bit for each cause (lrd_refusal) that a host has already reported; set by fetch-or */
    _Atomic uint32_t said;
    /* Sums of the counts of all slots that were in use before the latest adoption. The adopter
     * stores these sums. */
    _Atomic uint64_t hits, misses, copies, unpacks;
    /* Page at which a search for adjacent free pages goes on if there are none near the lowest free
     * page; see claim_find(). */
    _Atomic uint32_t neighbours;
    /* sums of the counts copies_time and copies_number of all slots that were in use before the
     * latest adoption */
    _Atomic uint64_t copies_time, copies_number;
    /* Number of barriers (membarrier) that have begun. A thread adds 1 (seq_cst) before its
     * barrier. */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* Highest number of a barrier that has ended. A thread raises it (compare-and-swap, release)
     * after its barrier; a writer loads it (acquire) before a scan. */
    _Atomic uint64_t barriers_done;
    /* Time (coarse monotonic ms) until which no thread searches all slots for dead owners, because
     * such a search is slow. A hint. */
    _Atomic uint64_t slots_look_at;
    /* Slot at which the next search for a free slot begins. A hint that any thread stores. */
    _Atomic uint32_t slots_hint;
    /* Time (ms since boot) when the segment was created. The creator stores it. */
    uint64_t created;
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* The offsets in the file and the sizes of the areas, in bytes. Five numbers are given, and all
 * others are computed from them. So a damaged file can falsify only these five. */
typedef struct lrd__geometry {
    /* The five given numbers. `buckets` is the number of buckets that a shard has at first. `slots`
     * includes the spare slots. */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* The fields below are computed from the five given numbers. */
    uint64_t pages;      /* number of pages of 64 KiB */
    uint64_t pages_all;  /* number of pages, including the mini pages after the data */
    uint64_t data_size;  /* total size in bytes of all pages, including the mini pages */
    uint32_t shard_bits; /* log2(shards) */
    /* Maximum number of home buckets of a shard. They are enough even for a store full of the
     * smallest blocks. */
    uint32_t homes_max;
    /* Maximum number of sets in a shard's table of evicted keys (ghosts), a power of two. A set has
     * LRD__GHOST_WAYS ghosts. */
    uint32_t ghost_sets;
    uint32_t keylock_chunks; /* number of chunks of rows for key reservations */
    uint32_t messages_max;   /* in a store of queues: number of message rows of each shard */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* size in bytes of the control mapping */
    uint64_t data_at;      /* offset of the data in the file: control_size, rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* In a store that evicts, the first slots are spare slots. A thread borrows one for a single call;
 * see lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
/* maximum number of slots of a store, without the spare slots */
#define LRD__SLOTS_MAX 4096u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
