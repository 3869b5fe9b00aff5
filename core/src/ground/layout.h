/* layout.h - all structs in shared memory. A change here needs a new LRD__LAYOUT.
 * docs/memory-layout.md lists the offsets.
 *
 * Except for the links of locks, the structs contain no pointers. Values may contain pointers into
 * the read-only mapping of the data, whose address is the same in every process. */
#pragma once

#ifndef _GNU_SOURCE
/* memfd_create and OFD locks need this before the first system header */
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
/* a page is committed in parts of 4 KiB, from its beginning */
#define LRD__PART_BITS 12u
#define LRD__PART ((uint64_t)1 << LRD__PART_BITS)
#define LRD__PAGE_PARTS 16u
/* mini pages: pages of 4 KiB after the data, for blocks of up to LRD__MINI_BLOCK bytes */
#define LRD__MINIS 64u
#define LRD__MINI_BLOCK 4096u
#define LRD__MINI_STEP 8u /* number of mini pages that are committed in one step */
/* number of mini pages that are committed with a new segment */
#define LRD__MINI_READY 16u
#define LRD__PAGES_CHUNK 64u /* number of pages whose descriptions are committed in one step */
#define LRD__GRANULE_BITS 4u /* a granule has 16 bytes; index words give offsets in granules */
/* maximum size in bytes of a block that has a size class; larger blocks are runs */
#define LRD__SMALL_MAX 16384u
/* number of size classes: 64, 80, 96, 112 and 128 bytes; 8 for each doubling up to 8192 bytes; 4
 * for the last doubling */
#define LRD__CLASSES 57u
#define LRD__CLASS_RUN 57u
/* number of lanes: groups of writers that fill different pages; see affinity.c */
#define LRD__LANES 4u
/* number of 64-bit words in a page's bitmap: 1024 blocks of 64 bytes */
#define LRD__PAGE_WORDS 16u
#define LRD__WAYS 7u /* number of index words in a bucket */
/* number of buckets in which an entry may lie: its home and the next buckets of the shard */
#define LRD__PROBES 16u
/* number of extra buckets after a shard's last home bucket */
#define LRD__OVERHANG (LRD__PROBES - 1)
/* number of hash bits in an index word's tag, which limits the doublings of the index */
#define LRD__TAG_HASHED 23u
/* view.mask of a new index; each doubling of the index sets one more bit */
#define LRD__MASK_FIRST 0xffffffffull
/* number of buckets for which timers are committed at a time */
#define LRD__TIMER_CHUNK 256u
#define LRD__SHARDS_MAX 256u
#define LRD__FREQ_MAX 3u
/* a version is (time of the write in ms) << LRD__VERSION_CLOCK | serial number within this ms */
#define LRD__VERSION_CLOCK 24u
#define LRD__WHEEL_LEVELS 5u
#define LRD__WHEEL_SLOTS 64u
#define LRD__TICK_BITS 7u /* a tick of the wheel is 128 ms */
#define LRD__GHOST_WAYS 4u
/* number of rows of key reservations in a chunk (4 KiB) */
#define LRD__KEYLOCK_CHUNK 64u
/* number of chunks of key reservations, in addition to one for each shard */
#define LRD__KEYLOCK_CHUNKS 2048u
#define LRD__KEYLOCK_HEADS 512u /* number of hash chains for the key reservations of one shard */
#define LRD__QUOTA_UNITS 4096u  /* a quota is a number of units; a unit is 1/4096 of the data */
/* number of quota units that a thread keeps even if it holds nothing */
#define LRD__QUOTA_KEEP 1u
/* The zone: the last part of the data of a store that evicts. It consists of windows, each with
 * room for a value of 1/32 of the data. A window with a held block is occupied; at most
 * LRD__ZONE_OCCUPIED windows may be occupied. See zone.c. */
#define LRD__ZONE_WINDOWS 4u
#define LRD__ZONE_OCCUPIED 2u
#define LRD__ZONE_SHARE 32u
/* The low LRD__QUOTA_BITS bits of a quota word are the thread's quota in units. Each higher bit
 * stands for a window of the zone. A thread may occupy a window only if its quota word has the
 * window's bit. */
#define LRD__QUOTA_BITS 12u
#define LRD__ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(uint64_t)((a)-1))

/* A block: one contiguous piece of the data. The short header has 26 bytes:
 *
 *   +0 expiry  +8 version  +16 epoch  +20 size  +24 key_len  +25 type  +26 key | pad | value
 *
 * A key longer than 255 bytes, or a value of 4 GiB or more, needs the long header of 40 bytes:
 *
 *   ... +20 0  +24 0  +25 type  +26 long_key_len  +28 pad  +32 long_size  +40 key | pad | value
 *
 * The offset of the value is a multiple of 16. In a published block, only the expiry and the value
 * of a counter may change. */
typedef struct lrd__block {
    /* time (ms of the store's clock) at which the block expires, or 0; stored under the lock */
    _Atomic uint64_t expiry;
    uint64_t version; /* stamped at publish */
    /* the store's epoch at publish; in a later epoch, the entry counts as cleared */
    uint32_t epoch;
    uint32_t size;   /* size in bytes of the value; 0 in the long form */
    uint8_t key_len; /* length in bytes of the key; 0 in the long form */
    uint8_t type;
    uint16_t long_key_len; /* long form only; in the short form the key begins here */
    uint32_t long_pad;
} lrd__block;
_Static_assert(sizeof(lrd__block) == 32 && offsetof(lrd__block, long_key_len) == 26,
               "layout: block");
#define LRD__BLOCK_KEY 26u       /* offset of the key in the short form */
#define LRD__BLOCK_LONG_KEY 40u  /* offset of the key in the long form, after the size */
#define LRD__BLOCK_LONG_SIZE 32u /* offset of the size in the long form */
/* maximum key length in bytes in the short form */
#define LRD__BLOCK_KEY_MAX 255u
#define LRD__PACKED_READY_AT 12u /* offset of the field `ready` in a packed value; see pack.c */

/* A bucket of the index: one cache line. A word is 0, or describes an entry: tag (24 bits),
 * displacement from the entry's home in buckets (4 bits), and listing (36 bits). A listing is the
 * block's offset in granules, plus 1. Growing and recovery move entries by their tags, without
 * reading blocks. */
typedef struct lrd__bucket {
    /* Stored under the shard's lock (release); loaded by any thread (acquire). */
    _Atomic uint64_t word[LRD__WAYS];
    /* Use count of each entry, up to LRD__FREQ_MAX. Any thread stores the counts, so updates can
     * get lost. */
    _Atomic uint8_t freq[LRD__WAYS];
    /* Number of entries that lie in a later bucket, and whose home is this bucket or an earlier
     * one. May be too high; a count of 255 stays until recovery. Stored under the shard's lock. */
    _Atomic uint8_t displaced;
} lrd__bucket;
_Static_assert(sizeof(lrd__bucket) == 64, "layout: bucket");

/* The description of a page of the data. Owner words are in a separate array, which is faster to
 * scan. */
typedef struct lrd__page {
    /* 0, or the mark of the writer that empties this page: (slot index + 1) << 32 | low half of the
     * slot's incarnation. No other writer can claim or mark the page while this writer lives.
     * Changed by compare-and-swap (seq_cst). */
    _Atomic uint64_t drain;
    /* Neighbours in a list of the shard's pages, as page number + 1, or 0. Run pages are listed by
     * address. Protected by the shard's lock. */
    uint32_t next;
    uint32_t prev;
    /* Neighbours in a list of the shard's pages that have room, as page number + 1, or 0. Each lane
     * and size class has its own list. */
    uint32_t anext;
    uint32_t aprev;
    /* In a run page: number of allocated units. In other pages: number of allocated blocks. Stored
     * under the shard's lock. */
    _Atomic uint16_t used;
    /* number of the allocated blocks or units that are retired; stored under the shard's lock,
     * loaded by any thread */
    _Atomic uint16_t retired;
    /* the `allocated` words before this index have no free block */
    uint16_t hint;
    uint8_t avail; /* true if the page is in a list of pages with room */
    /* Number of committed parts, stored (release) by the thread that commits them, and loaded
     * (acquire) by writers. The parts of a long run are committed without the shard's lock. */
    _Atomic uint8_t committed;
    /* true if some `held` bits of the page are set; protected by the shard's lock */
    uint8_t marked;
    /* true if the page is in its shard's list of pages with retired blocks */
    uint8_t waits;
    /* next page with retired blocks, as page number + 1, or 0 */
    uint32_t waiting;
    /* Slot index + 1 of the thread that last put a run here. A hint. */
    _Atomic uint32_t user;
    /* the lane whose writers search this page first; protected by the shard's lock */
    uint8_t lane;
    uint8_t pad[19];
} lrd__page;
_Static_assert(sizeof(lrd__page) == 64, "layout: page");

/* The bitmaps of a page. `allocated` and `retired` often change together, so they are adjacent. */
typedef struct lrd__bits {
    struct {
        uint64_t allocated; /* protected by the shard's lock; also set for retired blocks */
        /* protected by the shard's lock */
        uint64_t retired;
    } block[LRD__PAGE_WORDS];
    /* blocks that a ledger scan has found held; protected by the shard's lock */
    uint64_t held[LRD__PAGE_WORDS];
} lrd__bits;
_Static_assert(sizeof(lrd__bits) == 384, "layout: bits");

/* The thread that holds a lock. With this record, threads notice deaths that the kernel does not
 * report. */
typedef struct lrd__who {
    /* Start time (from /proc) << LRD__TID_BITS | thread id; 0 if unknown. The holder stores it
     * (release), any thread loads it (acquire). */
    _Atomic uint64_t thread;
    /* Time (ms) when a thread first found that the holder is dead, although the kernel has not
     * marked the lock; otherwise 0. */
    _Atomic uint64_t gone_since;
} lrd__who;
_Static_assert(sizeof(lrd__who) == 16, "layout: who");
/* number of bits of a thread id: ids are below 2^22 (PID_MAX_LIMIT) */
#define LRD__TID_BITS 22u

/* A reservation of a key. The shard's lock protects all fields except `turn`. */
typedef struct lrd__keylock {
    uint64_t hash_low, hash_high; /* 128-bit hash of the key */
    /* token of the reservation; 0 if the row is free or kept for a waiter */
    uint64_t token;
    /* Time (ms) at which the lease ends, or 0. In a row that is kept for a waiter: time at which
     * the row becomes free. */
    uint64_t until;
    uint64_t incarnation;
    uint32_t slot; /* index of the owner's slot */
    /* Futex word. It is increased to wake a waiter when the reservation ends. */
    _Atomic uint32_t turn;
    /* 1 if a thread may be sleeping on `turn`, or wants the key without waiting for it; see
     * keylock.c */
    uint32_t waiters;
    /* neighbours in the hash chain, as row + 1, or 0; `next` also links free rows */
    uint32_t next, prev;
    uint32_t place; /* index in the owner's private list */
} lrd__keylock;
_Static_assert(sizeof(lrd__keylock) == 64, "layout: keylock");

/* An index slot's links in its shard's timing wheel. Protected by the shard's lock. */
typedef struct lrd__timer {
    /* Tick at which the slot's block expires; 0 for never. A hint: the block has the exact time. */
    uint32_t tick;
    uint32_t next; /* next slot in the wheel's list, as slot + 1; 0 if there is none */
    /* For the first slot of a list: the list's number, with a flag (expiry.c). For other slots: the
     * previous slot + 1. 0 if the slot is in no list. */
    uint32_t prev;
} lrd__timer;
_Static_assert(sizeof(lrd__timer) == 12, "layout: timer");

/* An index slot's link in an eviction queue (evict.c): next slot + 1, or 0, and two bits for the
 * queue. Protected by the shard's lock. */
#define LRD__LINK 0x3fffffffu
#define LRD__IN_SMALL 0x40000000u
#define LRD__IN_MAIN 0x80000000u

/* mask of the bits of lrd__gate.turn that tell which thread has the turn, as slot + 1 */
#define LRD__TURN_WHO 0xffffu
/* A robust lock (mutex.h). Its fields have the offsets of musl's mutexes, because musl reads and
 * writes them when a thread ends. */
typedef struct lrd__mutex {
    uint32_t kind; /* type of the lock, which musl reads; constant */
    /* thread id of the holder (0: free), and two flags of the kernel; see mutex.h */
    _Atomic uint32_t word;
    uint32_t counted; /* always 0; musl uses this field as its count of waiters */
    uint32_t unused;
    /* neighbours in the list of the holder's locks (mutex.h); stored by the holder */
    char links[32];
} lrd__mutex;
_Static_assert(sizeof(lrd__mutex) == 48 && offsetof(lrd__mutex, word) == 4 &&
                   offsetof(lrd__mutex, counted) == 8,
               "layout: mutex, as musl looks at it");

/* A shard's lock, and what its waiters need. The first cache line has the fields that every holder
 * stores. */
typedef struct lrd__gate {
    _Alignas(64) lrd__mutex lock;
    /* While writers take turns: whose turn it is, and when it ends (turn.c); otherwise 0. A hint,
     * changed by compare-and-swap (relaxed). */
    _Atomic uint64_t turn;
    lrd__who holder; /* the holder of the lock; holder.gone_since is in the second cache line */
    /* 1 if the shard was vetted since the adoption; see vet.c. Stored (release) by the lock's
     * holder, loaded (acquire) by any thread. */
    _Atomic uint32_t vetted;
    _Atomic uint32_t passed; /* futex word; increased (fetch-add) to wake a waiter */
    /* Number of times that the lock was taken after a wait, or while writers took turns. The lock's
     * holder stores the number. Waiters see progress when it changes. */
    _Atomic uint32_t had;
    /* value of `had` when the current turn began */
    _Atomic uint32_t began;
    /* number of consecutive turns that took the lock only a few times; see turn_end() */
    _Atomic uint32_t idle;
} lrd__gate;
_Static_assert(offsetof(lrd__gate, holder.thread) + sizeof(uint64_t) <= 64,
               "layout: mutex, turn, holder");
_Static_assert(sizeof(lrd__gate) == 128, "layout: gate");

/* A hint: no free run of at least `units` units begins before the page `from`. */
typedef struct lrd__gap {
    uint32_t units; /* 0 if nothing is known */
    /* Number + 1 of the page where the next search for such a run begins. 0: the search begins at
     * the first run page. LRD__NO_GAP: the shard has no such run. */
    uint32_t from;
} lrd__gap;
/* Number of gaps of a shard. The first is for runs of less than 16 units, the next for 16 to 31,
 * then 32 to 63, and so on. */
#define LRD__GAPS 8u
#define LRD__NO_GAP UINT32_MAX

/* A FIFO queue of index slots, linked by store->links. `mark` and `at` serve to estimate its age;
 * see evict.c. */
typedef struct lrd__fifo {
    uint32_t head, tail; /* first and last slot, as slot + 1; 0 if the queue is empty */
    /* `out`: number of slots popped so far; `in`: `out` plus the slots in the queue. Both are
     * estimates. */
    uint32_t in, out;
    uint32_t mark[2]; /* values of `in` at two past pushes, the older first */
    uint32_t at[2];   /* values of shard->clock at the pushes of `mark` */
} lrd__fifo;

/* The eviction queues of one size class, or of one order of runs. Protected by the shard's lock. */
typedef struct lrd__order {
    lrd__fifo small, main;
    /* total size in bytes of the blocks of each queue's live entries */
    uint64_t small_bytes, main_bytes;
    uint32_t count;      /* number of live entries */
    uint32_t main_count; /* number of live entries in `main` */
} lrd__order;
_Static_assert(sizeof(lrd__order) == 88, "layout: order");
/* Number of orders of runs. The first order has runs of up to 32 KiB, the next of up to 64 KiB, and
 * so on. The last order has runs of more than 8 MiB. */
#define LRD__RUN_ORDERS 10u
#define LRD__ORDERS (LRD__CLASSES + LRD__RUN_ORDERS)

/* The state of a shard. Unless a comment says otherwise, only the lock's holder stores fields. All
 * fields are 0 until the lock is first taken. Statistics are loaded without the lock. */
typedef struct lrd__shard {
    /* Each write loads the fields below, which rarely change. */
    /* live_entries and live_bytes count the entries of this epoch. After a clear, the lock's holder
     * adds them to dead_entries and dead_bytes, and then stores the new epoch (release).
     * store_stats_shard() loads the epoch (acquire). */
    _Alignas(64) _Atomic uint32_t epoch;
    /* Number of home buckets; 0 before the first use. A new bucket is counted after its entries
     * were moved. Stored (release), and loaded without the lock (acquire). */
    _Atomic uint32_t homes;
    /* number of cleared entries that no sweep has removed yet */
    _Atomic uint32_t dead_entries;
    uint32_t sweep_bucket; /* bucket at which the sweep of cleared entries continues */
    uint64_t reclaim_at;   /* the shard reclaims next when retired_bytes reaches this number */
    /* number of bytes that must be retired between two reclaims */
    uint64_t reclaim_step;
    /* After a failure to grow the index, the shard tries again when it has this number of
     * entries. */
    uint64_t grow_at;
    uint16_t marked; /* 1 if `held` bits may be set in a page of the shard */
    /* a hint: 1 if all pages are in use, so all writers of small blocks use lane 0 */
    uint16_t one_lane;
    /* value of header->deletes at the last failed search for room */
    uint32_t full_deletes;
    /* time (ms) until which writers do not repeat a failed search for room */
    uint64_t full_until;
    /* Size in bytes of the block for which the last failed search wanted room. Until full_until,
     * only smaller blocks start a search. */
    uint64_t full_bytes;

    /* The fields below share one cache line, which each write changes. */
    /* the last write's version; see LRD__VERSION_CLOCK */
    _Alignas(64) uint64_t version;
    /* value of header->barriers_begun just after the last block was unlinked */
    uint64_t unlinked_at;
    /* 1 if the lock's holder must store `unlinked_at` before it releases the lock */
    uint32_t unlinked;
    uint32_t waiting; /* first page with retired blocks, as page number + 1 */
    /* Index slot + 1 while the lock's holder changes the slot's timer and its block; otherwise 0.
     * During the change, the timer's tick and the block's expiry may differ. Recovery reads this
     * field. */
    _Atomic uint32_t flux;
    /* Old index slot + 1 while the lock's holder moves an entry; otherwise 0. During the move, the
     * entry may be in its old and its new slot. Recovery reads this field. */
    _Atomic uint32_t moving;
    _Atomic uint64_t live_entries;
    _Atomic uint64_t live_bytes; /* total size in bytes of the blocks of live entries */
    /* total size in bytes of retired blocks and of blocks of open reservations */
    _Atomic uint64_t retired_bytes;
    _Atomic uint64_t replaces;

    /* total size in bytes of the blocks of cleared entries */
    _Alignas(64) _Atomic uint64_t dead_bytes;
    _Atomic uint64_t page_bytes; /* total size in bytes of the pages that this shard owns */
    /* Moving average of the ages of evicted entries. The latest age has a weight of 1/8. */
    _Atomic uint64_t evicted_age_ms;
    uint64_t token;        /* token of the newest key reservation */
    uint32_t keylock_free; /* first free reservation row, as row + 1 */
    /* chunk that was most recently searched for ended reservations */
    uint32_t keylock_hand;
    /* 1 if the hash chains of reservation rows are committed */
    uint32_t keylock_ready;
    _Atomic uint64_t inserts;
    /* Memory counts as short until `inserts` reaches this number (form.c). Threads load it without
     * the lock. */
    _Atomic uint64_t pressed_until;
    _Atomic uint64_t deletes, expired, evicted, ghost_hits;
    /* Refused writes. Increased by fetch-add, also by threads without the lock. */
    _Atomic uint64_t refused;
    _Atomic uint64_t recoveries, emptied;
    /* calls that did not get the lock in time; increased by fetch-add */
    _Atomic uint64_t busy;

    /* arena.c */
    /* heads of the shard's lists of small pages and of run pages: page number + 1, or 0 */
    uint32_t small_pages, run_pages;
    uint32_t page_count; /* number of pages that this shard owns */
    /* page at which the next search for a page to empty begins */
    uint32_t rotor;
    /* for each lane and each size class of small blocks: the first page with room, as page number
     * + 1, or 0 */
    uint32_t avail[LRD__LANES][LRD__CLASSES];

    /* total size in bytes of each size class's pages */
    uint64_t class_bytes[LRD__CLASSES];

    /* evict.c */
    lrd__order orders[LRD__ORDERS];
    uint32_t clock;     /* number of entries inserted so far */
    uint32_t ghost_seq; /* number of evictions remembered so far */
    /* number of sets of ghosts (evicted keys), a power of two; 0 if they are not committed */
    uint32_t ghost_sets;
    /* The position of evict_sweep():
     * - sweeps: 2 * order for a small queue, 2 * order + 1 for a main queue;
     * - swept: the last visited slot + 1, or 0 for the queue's head;
     * - passed: the value that the queue's `out` will have when the slot after `swept` is at the
     *   head. */
    uint32_t sweeps, swept, passed;

    /* expiry.c: the timing wheel of index slots. A tick has 128 ms. */
    /* The last handled tick. It does not advance while the wheel is empty. */
    uint32_t wheel_tick;
    uint32_t wheel_count;
    /* 1 if the wheel was ever used */
    uint32_t timed;
    /* for each list of the wheel: the first index slot, as slot + 1, or 0 */
    uint32_t wheel[LRD__WHEEL_LEVELS][LRD__WHEEL_SLOTS];

    /* refused writes by cause; increased by fetch-add */
    _Atomic uint64_t refused_by[LRD_REFUSALS];
    /* 1 if the wheel lacks an entry that can expire, because there was no memory for its timer. */
    uint32_t untimed;
    lrd__gap gaps[LRD__GAPS]; /* where searches for free units begin; see gap.c */

    /* Statistics of form.c. The lock's holder stores them, any thread loads them. */
    /* packs: number of values published in packed form; falls: number of ready values replaced by
     * packed ones. A writer increases `packs` before it publishes the packed value. So no entry is
     * packed while `packs` is 0. */
    _Atomic uint64_t packs, falls;
    _Atomic uint64_t rises; /* packed values later published in ready form */
    /* packed_entries: number of live packed entries; packed_bytes: total size in bytes of their
     * blocks; packed_ready: total size in bytes that their values would have in ready form. */
    _Atomic uint64_t packed_entries, packed_bytes, packed_ready;
} lrd__shard;
_Static_assert(sizeof(lrd__shard) == 9088, "layout: shard");
_Static_assert(offsetof(lrd__shard, version) == 64 && offsetof(lrd__shard, dead_bytes) == 128,
               "layout: what each write stores is one cache line");

/* A thread's slot. If no thread holds its leases `owner` and `guardian`, its owner is dead. */
typedef struct lrd__slot {
    _Alignas(64) lrd__mutex owner; /* robust; held by the owner while it lives */
    /* robust; during a fork, the parent holds it until the child holds `owner` */
    _Alignas(64) lrd__mutex guardian;
    /* Increased whenever the slot is claimed, given back or reaped, so it identifies the owner. */
    _Alignas(64) _Atomic uint64_t incarnation;
    /* 1 if the slot is in use, or 0. Only a thread that holds `owner` or `guardian` stores it. The
     * thread executes a full fence after it has stored 1; see ledger.c. */
    _Atomic uint32_t claimed;
    /* The holder of `owner`. If its thread id is 0, a forked child may be about to take the
     * lease. */
    lrd__who who;
    lrd__who guard; /* the holder of `guardian` */

    /* Only a holder of one of the leases stores the fields below. Other threads load them. */
    _Alignas(64) _Atomic uint64_t hits;
    _Atomic uint64_t misses, copies, unpacks;
    /* Number of committed ledger entries, including entry 0; at least `n`. Never decreases. */
    _Atomic uint32_t room;
    /* Numbers of gets that returned a copy because the request was too old (copies_time), or
     * because the thread held too many values (copies_number). */
    _Atomic uint64_t copies_time, copies_number;

    /* Scans read the ledger entries 1 to n - 1. The owner stores `n` and the entries (release); a
     * scan loads them (acquire) after a barrier. */
    _Alignas(64) _Atomic uint64_t n;
    /* one more ledger entry, for the borrowed value */
    _Atomic uint64_t spare;
    /* listings of the blocks that this thread holds, or 0 */
    _Atomic uint64_t ledger[LRD_HOLDS_MAX + 1];
} lrd__slot;
/* number of ledger entries that are committed with a slot */
#define LRD__LEDGER_FIRST 1024u
/* number of ledger entries by which a ledger grows */
#define LRD__LEDGER_STEP 1024u
/* size in bytes of a slot that is not wide */
#define LRD__SLOT_FIRST 12288u
#define LRD__SLOT_SIZE 266240u /* size in bytes of a wide slot */
/* number of wide slots, which come first; their ledgers can grow to LRD_HOLDS_MAX entries */
#define LRD__SLOTS_WIDE 512u
_Static_assert(sizeof(lrd__slot) <= LRD__SLOT_SIZE && LRD__SLOT_SIZE % LRD__PART == 0 &&
                   LRD__SLOT_FIRST % LRD__PART == 0,
               "layout: slot");
_Static_assert(offsetof(lrd__slot, ledger) + (LRD__LEDGER_FIRST + 1) * sizeof(uint64_t) <=
                   LRD__SLOT_FIRST,
               "layout: the first entries have memory");

/* Return the maximum number of a slot's ledger entries, including entry 0. */
static inline uint32_t lrd__slot_entries(uint32_t index)
{
    return (index < LRD__SLOTS_WIDE ? LRD_HOLDS_MAX : LRD__LEDGER_FIRST) + 1;
}
static inline uint64_t lrd__slot_begin(uint32_t index)
{
    uint64_t wide = index < LRD__SLOTS_WIDE ? index : LRD__SLOTS_WIDE;
    return wide * LRD__SLOT_SIZE + (index - wide) * LRD__SLOT_FIRST;
}

/* The state of the index. Every get loads this cache line.
 *
 * Bucket b belongs to shard b % shards. The hash bits in `mask` choose a key's home; see
 * lrd__bucket_at(). At first 32 bits are set; each doubling sets one more (grow.c). */
typedef struct lrd__view {
    _Atomic uint32_t epoch; /* increased by lrd_clear() */
    /* Number of committed buckets of all shards, not counting the overhang of each shard. Increased
     * by compare-and-swap. */
    _Atomic uint32_t grown;
    /* The bits of a hash that choose a key's home. When all shards have split all their homes,
     * `next` replaces the mask (compare-and-swap). */
    _Atomic uint64_t mask;
    /* The mask after the current doubling; equal to `mask` if there is none. The thread that begins
     * a doubling stores it (compare-and-swap). */
    _Atomic uint64_t next;
} lrd__view;
_Static_assert(sizeof(lrd__view) == 24, "layout: view");

enum { LRD__STATE_BLANK = 0, LRD__STATE_READY = 0x52454459 };
typedef struct lrd__header {
    uint64_t magic;
    uint32_t layout; /* LRD__LAYOUT */
    /* The creator stores LRD__STATE_READY when the segment is complete. Do not use the segment
     * before. */
    _Atomic uint32_t state;
    /* The fields up to `sum` are constant. `sum` is their XXH3 checksum. */
    uint64_t size, base, seed, file_size;
    /* the file for which this header was made; a copy of the file is refused */
    uint64_t device, inode;
    /* `buckets`: number of buckets of each new shard */
    uint32_t policy, shards, slots, buckets;
    /* `fence`: 1 in fence mode. An existing segment is changed to fence mode only if no other
     * process is attached. */
    uint32_t fence, word_size;
    char boot_id[40];
    char value_abi[64];
    uint64_t sum;
    /* The first process that attaches sets these fields, under the file's lock. */
    /* the PID namespace that all users share */
    _Atomic uint64_t namespace_device, namespace_inode;
    /* Inode of the time namespace that all users of the segment share, or 0. A process in another
     * time namespace would see other clocks and start times. */
    _Atomic uint64_t time_namespace;
    /* The fields below change while the segment is used. */
    _Alignas(64) lrd__view view;
    /* Time (ms) for which the machine was suspended. Writes and lrd_request_begin() keep it
     * correct. */
    _Atomic uint64_t clock_offset;
    _Alignas(64) lrd__mutex slots_lock; /* robust; held while slots are created */
    /* Number of holds that have moved to another slot. A mover lists the block in the new slot,
     * increases this number, and then clears the old listing. A ledger scan begins again if the
     * number has changed. */
    _Alignas(64) _Atomic uint64_t handovers;
    /* All slots claimed since the adoption have lower numbers. The next adopter lowers this number
     * by 1 after each slot whose counts it has added to the header. */
    _Atomic uint32_t slots_high;
    lrd__who slots_holder; /* the holder of slots_lock */
    /* Pages from this number on were never claimed, and have no committed descriptions. Raised by
     * compare-and-swap. */
    _Atomic uint32_t pages_high;
    /* version << 32 | page: all pages before `page` are in use. Freeing a page increases the
     * version. */
    _Atomic uint64_t pages_hint;
    /* page at which the next search for a window (pages to empty) begins */
    _Atomic uint32_t window_rotor;
    /* Number of clears of the store. If the store does not evict, deletes count too. */
    _Atomic uint32_t deletes;
    _Atomic uint64_t reaped; /* number of freed slots of dead owners */
    /* A hint: all chunks of reservation rows below this number belong to shards. Changed by
     * compare-and-swap. */
    _Atomic uint32_t keylock_chunks;
    _Atomic uint32_t minis_freed; /* how often a mini page became free */
    /* minis_freed + 1 at the latest failed search for a free mini page */
    _Atomic uint32_t minis_none;
    /* 1 if all shards are vetted. An adopter stores 0. A thread that finds all shards vetted stores
     * 1 (release). A thread that claims a slot loads the field (acquire). */
    _Atomic uint32_t settled;
    /* Time (monotonic ms) until which a full file system keeps writers from claiming uncommitted
     * pages. A hint. */
    _Atomic uint64_t memory_until;
    _Atomic uint64_t memory_short; /* how often the file system was found full */
    /* how often a slot was freed; increased by fetch-add */
    _Atomic uint64_t slots_freed;
    _Atomic uint32_t zone_fed; /* 1 if the whole zone is probably committed */
    /* one bit for each lrd_refusal that a host has reported; set by fetch-or */
    _Atomic uint32_t said;
    /* Sums of the slots' fields with these names, over all slots used before the latest adoption.
     * The adopter stores the sums. */
    _Atomic uint64_t hits, misses, copies, unpacks;
    /* page at which a search for adjacent free pages goes on; see claim_find() */
    _Atomic uint32_t neighbours;
    /* Sums of the slots' fields copies_time and copies_number, over all slots used before the
     * latest adoption. The adopter stores the sums. */
    _Atomic uint64_t copies_time, copies_number;
    /* Number of barriers (membarrier) begun. A thread adds 1 (seq_cst) before its barrier. */
    _Alignas(64) _Atomic uint64_t barriers_begun;
    /* Highest number of an ended barrier. Raised after a barrier (compare-and-swap, release); a
     * writer loads it (acquire) before a scan. */
    _Atomic uint64_t barriers_done;
    /* Time (coarse monotonic ms) until which no thread searches all slots for dead owners. A
     * hint. */
    _Atomic uint64_t slots_look_at;
    /* Slot at which the next search for a free slot begins. A hint. */
    _Atomic uint32_t slots_hint;
    /* Time (ms since boot) when the segment was created. */
    uint64_t created;
} lrd__header;
_Static_assert(sizeof(lrd__header) <= 4096, "layout: header");

/* Offsets in the file, and sizes of the areas in bytes. All are computed from five given numbers,
 * so a damaged file can falsify only these. */
typedef struct lrd__geometry {
    /* The five given numbers, from which all others are computed. `buckets`: the number of buckets
     * that a shard has at first. `slots` includes the spare slots. */
    uint64_t size;
    uint32_t policy, shards, slots, buckets;
    /* computed from the five given numbers */
    uint64_t pages;      /* number of pages of 64 KiB */
    uint64_t pages_all;  /* with the mini pages */
    uint64_t data_size;  /* total size in bytes of pages_all */
    uint32_t shard_bits; /* log2(shards) */
    /* maximum number of a shard's home buckets: enough for a store full of the smallest blocks */
    uint32_t homes_max;
    /* maximum number of a shard's sets of ghosts (evicted keys), a power of two */
    uint32_t ghost_sets;
    uint32_t keylock_chunks; /* number of chunks of rows for key reservations */
    uint32_t messages_max;   /* number of message rows of each shard of a store of queues */
    uint64_t gates_at, shards_at, quotas_at, keylock_owners_at, slots_at, owners_at, pages_at,
        bits_at, run_len_at, buckets_at, links_at, timed_at, timers_at, ghost_at, keylock_heads_at,
        keylocks_at, queue_shards_at, queues_at, messages_at;
    uint64_t control_size; /* size in bytes of the control mapping */
    uint64_t data_at;      /* offset of the data in the file: control_size, rounded up to 2 MiB */
    uint64_t file_size;
} lrd__geometry;

/* The first slots of a store that evicts are spare slots, borrowed for a single call; see
 * lrd__thread_lend(). */
#define LRD__SLOTS_SPARE 4u
/* maximum number of slots, without the spare slots */
#define LRD__SLOTS_MAX 4096u
static inline uint32_t lrd__slots_spare(const lrd__geometry *geo)
{
    return geo->policy == LRD_VOLATILE ? LRD__SLOTS_SPARE : 0;
}
